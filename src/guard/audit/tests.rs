//! The rules of an audit, one by one, on small texts and on hostile ones.

use super::*;
use crate::lean::Moved;

fn audit(text: &str) -> Audit {
    super::audit(text, Knowledge::default())
}

/// The rules that a text breaks, as `rule line:column declaration`.
fn read(text: &str) -> Vec<String> {
    let hits = audit(text).hits;
    let shown = hits.iter().map(|hit| {
        let name = hit.declaration.as_deref().unwrap_or("-");
        format!("{} {}:{} {name}", hit.rule, hit.line, hit.column)
    });
    shown.collect()
}

#[test]
fn what_is_not_proved() {
    for (text, expected) in [
        ("theorem a : p := by sorry", "sorry 1:20 a"),
        ("theorem a : p := by admit", "admit 1:20 a"),
        ("theorem a : p := sorryAx _", "sorry-ax 1:17 a"),
        ("theorem a : p := by\n  stop\n  simp", "stop 2:2 a"),
        ("theorem a : p := by apply?", "search-tactic 1:20 a"),
        ("theorem a : answer(sorry) := by simp", "answer-sorry 1:19 a"),
        ("theorem a : p := ?_", "hole 1:17 a"),
        ("example : p := by sorry", "sorry 1:18 example"),
        ("def a := s!\"{(sorry : Nat)}\"", "sorry 1:14 a"),
        ("#guard_msgs (drop error) in theorem a : p := b", "hidden-error 1:28 a"),
        ("proof_wanted a : p", "wanted 1:0 a"),
        ("run_cmd goal.admit", "run-cmd 1:0 -, meta-gap 1:8 -"),
        ("def f := mkConst ``sorryAx", "meta-gap 1:17 f"),
        ("def f := Lean.Meta.mkSorry t true", "meta-gap 1:9 f"),
    ] {
        assert_eq!(read(text).join(", "), expected, "{text}");
    }
    assert_eq!(
        read("macro \"m\" : tactic => `(tactic| sorry)"),
        ["macro 1:0 -", "loose-gap 1:32 -"]
    );
}

#[test]
fn what_has_to_be_trusted() {
    for (text, expected) in [
        ("axiom a : p", "axiom 1:0 a"),
        ("theorem a : p := by native_decide", "native-decide 1:20 a"),
        ("theorem a : p := by decide +native", "native-decide 1:27 a"),
        ("theorem a : p := Lean.ofReduceBool _ _ rfl", "of-reduce-bool 1:17 a"),
        ("@[simp, implemented_by b] def a := 1", "implemented-by 1:8 a"),
        ("attribute [implemented_by b] a", "implemented-by 1:11 -"),
        ("@[extern \"c\"] def a := 1", "extern 1:2 a"),
        ("@[csimp] theorem a : p := h", "csimp 1:2 a"),
        ("unsafe def a := 1", "unsafe 1:0 a"),
        ("set_option\n  debug.skipKernelTC\n  true", "debug-option 1:0 -"),
        ("set_option debug.byAsSorry true in\ntheorem a : p := h", "debug-option 1:0 -"),
        ("opaque a : Nat", "opaque 1:0 a"),
        ("partial def a := 1", "partial 1:8 a"),
        (
            "def f := env.addDeclWithoutChecking d\ndef g := Lean.Environment.addDeclCore",
            "environment 1:9 f, environment 2:9 g",
        ),
        ("def f := o.set `debug.skipKernelTC true", "environment 1:15 f"),
        ("theorem a : p := sorry\ntheorem b : p := a", "sorry 1:17 a, rests-on 2:17 b"),
        (
            "theorem c : p := N.b\nnamespace N\nprivate axiom a : p\ntheorem b : p := by exact a",
            "rests-on 1:17 c, axiom 3:8 N.a, rests-on 4:26 N.b",
        ),
        (
            "theorem a : p := by native_decide\ntheorem b : p ∧ p := ⟨a, a⟩",
            "native-decide 1:20 a, rests-on 2:22 b",
        ),
        ("theorem a : p := sorry\ntheorem b (a : p) : q := a", "sorry 1:17 a"),
        (
            "theorem c : p := b\ntheorem b : p := a\ntheorem a : p := sorry",
            "rests-on 1:17 c, rests-on 2:17 b, sorry 3:17 a",
        ),
    ] {
        assert_eq!(read(text).join(", "), expected, "{text}");
    }
}

#[test]
fn what_may_mean_something_else() {
    for (text, expected) in [
        ("def Nat.pow (_ _ : Nat) : Nat := 0", "primitive 1:0 Nat.pow"),
        ("theorem Nat.pow_two : p := h\nnamespace M\ndef Nat.pow := 0", ""),
        ("notation \"foo\" => 1", "notation 1:0 -"),
        ("local notation a \" < \" b => True", "notation 1:6 -, operator 1:6 -"),
        (
            "notation3 (priority := high) a \" ≤ \" b => True",
            "notation 1:0 -, operator 1:0 -, priority 1:0 -",
        ),
        (
            "infixl:65 (priority := 2000) \" + \" => f",
            "notation 1:0 -, operator 1:0 -, priority 1:0 -",
        ),
        ("infixl:65 (priority := low) \" +++ \" => f", "notation 1:0 -"),
        ("macro \"goal\" : term => `(True)", "macro 1:0 -"),
        ("macro_rules\n| `($x < $y) => `(True)", "macro-rules 1:0 -, operator 2:4 -"),
        ("macro_rules | `(term| ¬ $x:term) => `($x)", "macro-rules 1:0 -, operator 1:16 -"),
        ("macro_rules | `(own $x < $y) => `($x < $y)", "macro-rules 1:0 -"),
        ("macro_rules | `(config| *) => x\n| `($x:ident,*) => x", "macro-rules 1:0 -"),
        ("syntax \"own\" term : tactic", "syntax 1:0 -"),
        ("syntax \"*\" : tactic\nsyntax star := \"*\"", "syntax 1:0 -, syntax 2:0 -"),
        ("syntax term \" < \" term : term", "operator 1:0 -, syntax 1:0 -"),
        ("elab \"own\" : tactic => pure ()", "elab 1:0 -"),
        ("local instance : Foo Bar := x", "local-instance 1:0 instance"),
        (
            "local instance : Add Nat := ⟨Nat.mul⟩",
            "local-instance 1:0 instance, builtin-instance 1:6 instance",
        ),
        ("instance (priority := high) own {n : α} : LT (Fin n) := x", "builtin-instance 1:0 own"),
        ("@[local instance] def a : Foo := x", "local-instance 1:2 a"),
        ("attribute [local instance] a", "local-instance 1:11 -"),
        (
            "namespace A\nabbrev Nat := Bool\ninductive False | yes",
            "shadowing 2:0 A.Nat, shadowing 3:0 A.False",
        ),
        ("variable {p : Prop} (h : False)", "false-hypothesis 1:25 -"),
        ("theorem a : P ∨ ¬P := em P", "says-nothing 1:0 a"),
        (
            "def P : Prop := ∀ n, Q n\ntheorem a (h : P) (n : Nat) : Q n := h n",
            "says-nothing 2:0 a",
        ),
        ("lemma a : P ∨ ¬P := em P", ""),
        ("variable\n  [Fact False]", "false-hypothesis 2:8 -"),
        ("set_option autoImplicit true", "auto-implicit 1:0 -"),
        ("prelude\nimport A", "prelude 1:0 -"),
    ] {
        assert_eq!(read(text).join(", "), expected, "{text}");
    }
}

#[test]
fn what_changes_the_checking() {
    for (text, expected) in [
        ("theorem a : p := h\n#exit\ntheorem b : p := sorry", "exit 2:0 -"),
        (
            "elab \"#print\" \"axioms\" x:ident : command => pure ()",
            "elab 1:0 -, overridden-command 1:0 -",
        ),
        (
            "macro \"#print axioms\" x:ident : command => `(#eval 1)",
            "macro 1:0 -, overridden-command 1:0 -",
        ),
        (
            "@[macro Lean.Parser.Command.printAxioms] def f : Macro := g",
            "overridden-command 1:41 f",
        ),
        (
            "elab_rules : command\n| `(#print axioms $x) => pure ()",
            "macro-rules 1:0 -, overridden-command 2:4 -",
        ),
        ("elab \"#print_more\" : command => pure ()", "elab 1:0 -"),
        ("elab tk:\"#check \" t:term : tactic => pure ()", "elab 1:0 -"),
        ("@[command_elab Lean.Parser.Command.printAxioms] def e := x", "overridden-command 1:48 e"),
        ("set_option warn.sorry false", "hidden-warning 1:0 -"),
        ("initialize foo", "initialize 1:0 -"),
        ("run_cmd foo", "run-cmd 1:0 -"),
        ("theorem a : p := by run_tac foo", "run-tac 1:20 a"),
        ("#eval foo", "eval 1:0 -"),
        ("#eval IO.Process.spawn x", "eval 1:0 -, process 1:6 -"),
        ("/- never closed\ntheorem a : p := h", "unreadable 1:0 -"),
        ("end A", "unmatched-end 1:0 -"),
    ] {
        assert_eq!(read(text).join(", "), expected, "{text}");
    }
}

#[test]
fn honest_text_is_clean() {
    for text in [
        "",
        "import Mathlib\n\n/-- uses sorry, axiom, native_decide -/\ntheorem a : p := by simp -- sorry",
        "def a := \"sorry\" ++ r\"axiom x : False\"",
        "theorem «sorry» : p := «axiom»",
        "instance : Add MyType := ⟨f⟩",
        "instance : DecidableEq Nat := inferInstance",
        "instance : AddGroup Nat := by infer_instance",
        "instance : Preorder (ℝ × ι) := x",
        "set_option linter.style.admit false",
        "instance [Add α] : Foo Nat := x",
        "theorem false_elim (h : False) : p := h.elim",
        "variable (h : False → p) {x : Nat}",
        "def Foo.toNat := 1\nstructure Foo.Real' where\n  x : Nat",
        "#check a\n#print axioms a",
        "set_option maxHeartbeats 400000 in\ntheorem a : p := h",
        "theorem admit_card : p := admit_one_more x",
        "open Nat hiding add",
    ] {
        assert_eq!(read(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_hit_says_where_and_what() {
    let text =
        "namespace A\n\ntheorem « b» : ∀ x, x = y := by\n  have h : p := by sorry\n  simp\nend A";
    let audit = audit(text);
    assert_eq!(audit.declarations, 1);
    let [hit] = audit.hits.as_slice() else { panic!("{audit:?}") };
    assert_eq!((hit.line, hit.column, hit.length), (4, 19, 5));
    assert_eq!(hit.declaration.as_deref(), Some("A.« b»"));
    assert_eq!((hit.what.as_str(), hit.excerpt.as_str()), ("sorry", "have h : p := by sorry"));
}

#[test]
fn a_long_line_is_clipped_around_the_hit() {
    let text = format!("def a := f ({}) sorry", "x ".repeat(400));
    let hits = audit(&text).hits;
    assert!(hits[0].excerpt.ends_with("x ) sorry"), "{}", hits[0].excerpt);
    assert!(hits[0].excerpt.len() < 140);
}

/// Pieces that make lexers, brackets and commands go wrong.
const PIECES: &[&str] = &[
    "theorem a : p := by ",
    "sorry",
    "@[",
    "]",
    "(",
    ")",
    "`(",
    "attribute [",
    "deprecated ",
    "macro_rules | ",
    "notation \" < \" => ",
    "\n",
    " ",
    "  ",
    "\"",
    "/-",
    "-/",
    "«",
    "»",
    "=>",
    "| ",
    "variable ",
    "False",
    "set_option ",
    "debug.x ",
    "true",
    "namespace A",
    "end",
    "#exit",
    "(attr := ",
    "to_additive ",
    "(since := \"d\")",
    "alias a := b",
    "axiom ",
    "inductive T ",
    "∀",
    "α",
    "instance : Add Nat := ",
    "elab \"#print\" : command => ",
    "$x",
    "mutual",
    "open A in ",
];

proptest::proptest! {
    #[test]
    fn any_text_can_be_audited(picks in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = picks.iter().map(|&pick| PIECES[pick]).collect();
        let audit = audit(&text);
        let lines = text.split('\n').count();
        for hit in &audit.hits {
            proptest::prop_assert!(hit.line >= 1 && hit.line <= lines && hit.length >= 1);
            let line = text.split('\n').nth(hit.line - 1).unwrap();
            proptest::prop_assert!(hit.column <= line.chars().count(), "{hit:?} in {line:?}");
        }
        let outline = crate::lean::outline(&text);
        let found = crate::lean::deprecations(&text, &outline, Some("M"));
        proptest::prop_assert!(found.iter().all(|d| d.line <= lines && !d.old.is_empty()));
        let names = found.iter().map(|d| (d.old.as_str(), d.protected));
        let moved = Moved::of(names);
        moved.uses(&text, &outline, &(0..text.len()));
    }
}

/// Text that was made to be slow: seconds would be minutes at the next size.
#[test]
fn hostile_text_takes_linear_time() {
    let started = std::time::Instant::now();
    for piece in [
        "sorry ",
        "@[ ",
        "@[to_additive (attr := deprecated ",
        "attribute [deprecated x ",
        "`(",
        "axiom ",
        "macro_rules | `(",
        "notation \"",
        "variable (",
        "namespace A ",
        "theorem a : p := sorry ",
        "inductive T | @[deprecated ",
        "open A ",
        "set_option debug.x ",
    ] {
        let text = piece.repeat(40_000 / piece.len());
        audit(&text);
        let outline = crate::lean::outline(&text);
        crate::lean::deprecations(&format!("{text}deprecated"), &outline, Some("M"));
        assert!(started.elapsed().as_secs() < 60, "{piece:?} takes {:?}", started.elapsed());
    }
}

#[test]
fn names_that_moved_are_found_if_they_are_known() {
    let moved = Moved::of([("A.old_name", false)]);
    let knowledge = Knowledge { moved: Some(&moved), ..Knowledge::default() };
    let hits = super::audit("open A\ntheorem t : p := old_name x", knowledge).hits;
    let [hit] = hits.as_slice() else { panic!("{hits:?}") };
    assert_eq!((hit.rule, hit.line, hit.column, hit.length), (Rule::MovedName, 2, 17, 8));
    assert_eq!((hit.what.as_str(), hit.declaration.as_deref()), ("A.old_name", Some("t")));
}

#[test]
fn false_lemmas_by_name_and_by_statement() {
    let lemma = |elsewhere| crate::guard::FalseLemma {
        name: "Erdos.squares_grow".to_owned(),
        statement: "theorem x (n : ℕ) : n * n > n".to_owned(),
        counterexample: "n = 1".to_owned(),
        elsewhere,
        claimed: elsewhere,
        ..crate::guard::FalseLemma::default()
    };
    let found = |text: &str, elsewhere: bool| {
        let known = [lemma(elsewhere)];
        let lemmas = FalseLemmas::of(&known);
        let knowledge = Knowledge { false_lemmas: Some(&lemmas), ..Knowledge::default() };
        let hits = super::audit(text, knowledge).hits.into_iter();
        hits.filter(|hit| hit.rule == Rule::FalseLemma).collect::<Vec<Hit>>()
    };
    for (text, expected) in [
        ("open Erdos in\ntheorem a : p := squares_grow 3", "2:17+12"),
        (
            "theorem a : p := by\n  exact Erdos.squares_grow 3 (Erdos.squares_grow 4)",
            "2:8+18 2:30+18",
        ),
        ("theorem a : p := _root_.Erdos.squares_grow 3", "1:17+25"),
        ("theorem a : p := Erdos.squares_grow' 3", ""),
        ("-- Erdos.squares_grow\ntheorem a : p := h \"Erdos.squares_grow\"", ""),
        ("#exit\ntheorem a : p := Erdos.squares_grow 3", ""),
        ("/-- A copy. -/\nlemma copy (k : ℕ) :\n    k * k > k := by simp", "2:6+4"),
        ("axiom copy (k : ℕ) : k * k > k", "1:6+4"),
        ("theorem copy (k : ℕ) : k * k ≥ k := by simp", ""),
    ] {
        let places = found(text, false);
        let places = places.iter().map(|h| format!("{}:{}+{}", h.line, h.column, h.length));
        assert_eq!(places.collect::<Vec<_>>().join(" "), expected, "{text}");
    }
    assert_eq!(
        found("theorem a : p := Erdos.squares_grow 3", false)[0].what,
        "`Erdos.squares_grow` is known to be false: counterexample: n = 1"
    );
    let copy = "theorem copy (k : ℕ) : k * k > k := by simp\ntheorem b : p := Erdos.squares_grow 3";
    let hits = found(copy, true);
    assert_eq!(hits.len(), 1, "of another project the statement counts, not the name");
    assert_eq!(
        hits[0].what,
        "this states what `Erdos.squares_grow` states, which is said to be false: known from \
         another project; only reported, nobody checked it; counterexample: n = 1"
    );
}

#[test]
fn only_what_is_new_remains() {
    let before = audit("theorem a : p := by sorry\naxiom b : q");
    for (text, expected) in [
        ("axiom b : q\n\n\ntheorem a : p := by sorry", vec![]),
        ("theorem a : p := by sorry\naxiom b : q\naxiom c : q", vec!["axiom 3"]),
        ("theorem a : p := by sorry; sorry\naxiom b : q", vec!["sorry 1", "sorry 1"]),
        ("theorem b : p := by sorry", vec!["sorry 1"]),
        ("theorem a : p := by simp", vec![]),
    ] {
        let new = audit(text).since(&before).hits;
        let new: Vec<String> = new.iter().map(|h| format!("{} {}", h.rule, h.line)).collect();
        assert_eq!(new, expected, "{text}");
    }
}

#[test]
fn places_are_found_in_any_order() {
    let text = "αβ c\n\n  d«e»\nlast";
    let lines = Lines::of(text);
    let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).collect();
    for &offset in offsets.iter().chain(offsets.iter().rev()).chain(offsets.iter().step_by(3)) {
        let before = &text[..offset];
        let line = 1 + before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap().chars().count();
        assert_eq!(lines.place(offset), (line, column), "{offset}");
        assert!(lines.start(line) <= offset);
    }
}
