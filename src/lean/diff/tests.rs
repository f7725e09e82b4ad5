//! What a diff must say, as tables of two texts and the changes between them.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

fn diff(before: &str, after: &str) -> Vec<Change> {
    Comparison::of(before, after).changes
}

/// Changes as `change name -> new name (detail)`.
fn told(before: &str, after: &str) -> Vec<String> {
    let changes = diff(before, after);
    let row = |change: Change| {
        let name = change.name.unwrap_or_else(|| "_".to_owned());
        let mut row = format!("{} {name}", change.change);
        if let Some(new) = change.new_name {
            write!(row, " -> {new}").unwrap();
        }
        if !change.detail.is_empty() {
            write!(row, " ({})", change.detail).unwrap();
        }
        row
    };
    changes.into_iter().map(row).collect()
}

#[track_caller]
fn check(rows: &[(&str, &str, &[&str])]) {
    for (before, after, expected) in rows {
        assert_eq!(told(before, after), *expected, "\n{before}\n--- became ---\n{after}\n");
    }
}

/// A proof long enough to be recognised.
const PROOF: &str = "by\n  intro x hx\n  have h := foo x hx\n  exact h.trans (bar x)";

fn with_proof(template: &str) -> String {
    template.replace("PROOF", PROOF)
}

/// Two texts and what is told of them.
type Row = (&'static str, &'static str, &'static [&'static str]);

const STATES: &[Row] = &[
    (
        "theorem a : P := by sorry",
        "theorem a : P := by simp",
        &["proved a (was `sorry` at line 1)"],
    ),
    (
        "theorem a : P := by simp",
        "theorem a : P := by sorry",
        &["proof_lost a (now `sorry` at line 1)"],
    ),
    (
        "theorem a : P := by simp",
        "theorem a : P := by admit",
        &["proof_lost a (now `admit` at line 1)"],
    ),
    (
        "theorem a : P := by simp",
        "theorem a : P := by\n  stop\n  simp",
        &["proof_lost a (now `stop` at line 2)"],
    ),
    (
        "theorem a : P := by simp",
        "theorem a : P := sorryAx _",
        &["proof_lost a (now `sorryAx` at line 1)"],
    ),
    (
        "theorem a : P := by simp",
        "theorem a : P := by exact?",
        &["proof_lost a (now `exact?` at line 1)"],
    ),
    ("theorem a : P := by simp", "theorem a : P", &["proof_lost a (now without a body)"]),
    (
        "theorem a : P := by simp",
        "axiom a : P",
        &["proof_lost a (now an axiom)", "trust_added a (axiom)"],
    ),
    (
        "axiom a : P",
        "theorem a : P := by simp",
        &["proved a (was an axiom)", "trust_removed a (axiom)"],
    ),
    ("proof_wanted a : P", "theorem a : P := by simp", &["proved a (was without a body)"]),
    (
        "theorem a : P := by\n  have h : Q := by sorry\n  sorry",
        "theorem a : P := by\n  have h : Q := by simp\n  sorry",
        &["gap_closed a (2 gaps before, 1 gap now)"],
    ),
    (
        "theorem a : P := by sorry",
        "theorem a : P := by\n  have h : Q := by sorry\n  sorry",
        &["gap_added a (1 gap before, 2 gaps now)"],
    ),
    (
        "theorem a : P := by\n  sorry",
        "theorem a : P := by\n  intro x\n  sorry",
        &["proof_changed a"],
    ),
    ("theorem a : P := by simp", "theorem a : P := by\n  norm_num", &["proof_changed a"]),
    ("def n : Nat := 3", "def n : Nat := 4", &["proof_changed n (what it defines)"]),
    ("def n : Nat := 3", "def n : Nat := sorry", &["proof_lost n (now `sorry` at line 1)"]),
    (
        "theorem a : P 1 := h",
        "theorem a : answer(sorry) := h",
        &[
            "statement_changed a (`theorem a : P 1` became `theorem a : answer(sorry)`)",
            "gap_added a (its statement has `answer(sorry)` at line 1)",
        ],
    ),
];

#[test]
fn the_state_of_a_proof() {
    check(STATES);
}

#[test]
fn what_does_not_count() {
    let rows: &[(&str, &str)] = &[
        (
            "theorem a (x y : Nat) : x = y := by simp",
            "theorem a (x : Nat)\n    (y : Nat) : x = y := by\n  simp",
        ),
        (
            "theorem a : P := by simp",
            "/-- Do not `sorry` here. -/\n@[simp] private lemma a : P := by\n  -- sorry\n  simp",
        ),
        (
            "theorem a : ∀ (x : Nat), x ≤ x := fun x => h",
            "theorem a : ∀ x : Nat, x <= x := λ x ↦ h",
        ),
        ("open A\nopen B\ntheorem a : P := h", "open A B\nopen C\ntheorem a : P := h"),
        (
            "variable (n : Nat)\ntheorem a : P n := h",
            "variable {n : Nat} (m : Int)\ntheorem a : P n := h",
        ),
        (
            "variable (R) [Ring R]\nvariable (R) in\n@[foo]\ntheorem a : P R := h",
            "variable (R) [Ring R]\ntheorem a : P R := h",
        ),
        ("theorem a : P := h", "section\ntheorem a : P := h\nend\n"),
        ("notation \"∼\" => f\ntheorem a : P := h", "notation \"∼\" => f\ntheorem a : P := h\n"),
    ];
    for (before, after) in rows {
        assert_eq!(told(before, after), [""; 0], "\n{before}\n--- became ---\n{after}\n");
    }
}

#[test]
fn names_that_lean_binds_by_itself() {
    for (before, after, expected) in [
        ("(xs : List α) : xs ++ [] = xs", "(xs : List β) : xs ++ [] = xs", Note::BoundNames),
        (
            "[Group α] (x : α) (n : Fin k) : p x n",
            "[Group γ] (x : γ) (n : Fin m) : p x n",
            Note::BoundNames,
        ),
        ("(x : α) (y : β) : p x y", "(x : β) (y : α) : p x y", Note::BoundNames),
        ("(x : α) (y : β) : p x y", "(x : α) (y : α) : p x y", Note::Plain),
        // These may be constants of another file, and one is of this one.
        ("(x : Nat) : x = c", "(x : Nat) : x = d", Note::Plain),
        ("(h : Odd c) : q", "(h : Odd d) : q", Note::Plain),
        ("(x : Foo) : p x", "(x : Bar) : p x", Note::Plain),
        ("(x : t) : p x", "(x : u) : p x", Note::Plain),
    ] {
        let text = |signature| format!("def t := Nat\ntheorem a {signature} := h\n");
        let (before, after) = (text(before), text(after));
        let comparison = Comparison::of(&before, &after);
        let notes: Vec<Note> = comparison.changes.iter().map(|change| change.note).collect();
        assert_eq!(notes, [expected], "{before}{after}");
    }
}

#[test]
fn names_and_places() {
    let proved = with_proof("theorem a : ∀ x, p x → q x := PROOF");
    let other = with_proof("theorem b : ∀ x, p x → q x := PROOF");
    let inner = with_proof("namespace N\ntheorem a : ∀ x, p x → q x := PROOF\nend N");
    let lost = "theorem b : ∀ x, p x → q x := by sorry";
    check(&[
        (&proved, &other, &["renamed a -> b"]),
        (&proved, &inner, &["moved a -> N.a (from the root namespace to `N`)"]),
        (&proved, lost, &["renamed a -> b", "proof_lost a -> b (now `sorry` at line 1)"]),
        (
            "theorem a : P := h\ntheorem b : Q := h\ntheorem c : R := h",
            "theorem b : Q := h\ntheorem c : R := h\ntheorem a : P := h",
            &["moved a (elsewhere in the file)"],
        ),
        (
            "namespace N\ntheorem a : P := h\nend N\ntheorem b : Q := h",
            "namespace N\ntheorem a : P := h\ntheorem b : Q := h\nend N",
            &["moved b -> N.b (from the root namespace to `N`)"],
        ),
        (
            "theorem a (n : Nat) : fact n = 1 := by exact fact_one n",
            "theorem a (k : Nat) : fact k = 1 := by exact fact_one k",
            &[
                "statement_changed a (`theorem a (n : Nat) : fact n = 1` became \
                 `theorem a (k : Nat) : fact k = 1`)",
                "proof_changed a",
            ],
        ),
        // A recursive definition speaks of itself.
        (
            "def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => (n + 1) * f n",
            "def fact : Nat → Nat\n  | 0 => 1\n  | n + 1 => (n + 1) * fact n",
            &["renamed f -> fact"],
        ),
        ("def n : Nat := 3", "def m : Nat := 4", &["removed n", "added m"]),
        (
            "theorem a : P := h",
            "theorem a : P := h\ntheorem b : Q := by\n  sorry",
            &["added b (with 1 gap)"],
        ),
        (
            "theorem a : P := h\ntheorem b : Q := h",
            "theorem a : P := h",
            &["removed b (it was proved)"],
        ),
    ]);
}

#[test]
fn declarations_without_a_name_and_with_the_same_name() {
    check(&[
        (
            "example : f 1 = 2 := rfl\nexample : f 2 = 3 := rfl",
            "example : f 2 = 3 := rfl\nexample : f 1 = 2 := by sorry",
            &["moved _ (elsewhere in the file)", "proof_lost _ (now `sorry` at line 2)"],
        ),
        (
            "instance : Foo X := ⟨a⟩",
            "instance : Foo X := ⟨b⟩",
            &["proof_changed _ (what it defines)"],
        ),
        (
            "example : f 1 = 2 := rfl",
            "example : f 1 = 1 := rfl",
            &["statement_changed _ (`example : f 1 = 2` became `example : f 1 = 1`)"],
        ),
        (
            "section\ntheorem a : P 1 := h\nend\nsection\ntheorem a : P 2 := h\nend",
            "section\ntheorem a : P 2 := h\nend\nsection\ntheorem a : P 1 := by sorry\nend",
            &["moved a (elsewhere in the file)", "proof_lost a (now `sorry` at line 5)"],
        ),
    ]);
}

#[test]
fn what_a_statement_asks_for_is_compared_wherever_it_stands() {
    for (before, after, expected) in [
        ("theorem a (n : T) (h : P n) : Q n := p", "theorem a (n : T) : Q n := p", Note::Stronger),
        ("theorem a (n : T) : Q n := p", "theorem a (n : T) (h : P n) : Q n := p", Note::Plain),
        ("theorem a (n : T) : Q n := p", "theorem a {n : T} : Q n := p", Note::Binders),
        ("theorem a (n : T) : Q n := p", "theorem a ⦃n : T⦄ : Q n := p", Note::Binders),
        ("theorem a (n : T) : Q n := p", "theorem a : Q n := p", Note::Plain),
        ("theorem a (n : T) : Q := p", "variable (n : T)\ntheorem a : Q := p", Note::Stronger),
        ("theorem a (n : T) : Q n := p", "variable (n : T)\ntheorem a : Q n := p", Note::Binders),
        ("theorem a (n : T) : Q n := p", "variable (n : S)\ntheorem a : Q n := p", Note::Plain),
        ("theorem a [F T] : Q T := p", "theorem a : Q T := p", Note::Plain),
        ("theorem a {T : S} [F T] : Q T := p", "theorem a {T : S} : Q T := p", Note::Stronger),
        ("theorem a [i : F T] : Q T := p", "theorem a [F T] : Q T := p", Note::Wording),
        ("theorem a (n m : T) : Q n := p", "theorem a (n : T) : R n := p", Note::Plain),
        ("theorem a (n : T) : Q n := p", "theorem a (m : T) : Q m := p", Note::BoundNames),
        // What only repeats a `variable`.
        (
            "variable {V : Type u} {u v : V}\ntheorem a {u v : V} (p : W u v) : p.n = 1 := p",
            "variable {V : Type u} {u v : V}\ntheorem a (p : W u v) : p.n = 1 := p",
            Note::Binders,
        ),
        (
            "variable {V : Type u} {u v : V}\ntheorem a (p : W u v) : p.n = 1 := p",
            "variable {V : Type u} {u v : V}\ntheorem a {u v : V} (p : W u v) : p.n = 1 := p",
            Note::Binders,
        ),
        (
            "variable {V : Type u} {u v : V}\ntheorem a {u v : V} (p : W u v) : p.n = 1 := p",
            "variable {V : Type u} {u v : F V}\ntheorem a (p : W u v) : p.n = 1 := p",
            Note::Plain,
        ),
        // Classes of Mathlib, and one of the file itself.
        (
            "variable {G : Type*} [OrderedRing G] (x : G)\ntheorem a : P x := h",
            "variable {G : Type*} [Ring G] [PartialOrder G] [IsOrderedRing G] (x : G)\ntheorem a : P x := h",
            Note::Binders,
        ),
        (
            "theorem a [TopologicalGroup G] : P G := h",
            "theorem a [IsTopologicalGroup G] : P G := h",
            Note::Binders,
        ),
        (
            "class TopologicalGroup (G) where x : G\ntheorem a [TopologicalGroup G] : P G := h",
            "class TopologicalGroup (G) where x : G\ntheorem a [IsTopologicalGroup G] : P G := h",
            Note::Plain,
        ),
        // Another name of the same definition, and not of one side of it.
        (
            "def f := 1\nalias g := f\ntheorem a : P g := h",
            "def f := 1\nalias g := f\ntheorem a : P f := h",
            Note::Renames,
        ),
        (
            "theorem f : A ↔ B := h\nalias ⟨g, k⟩ := f\ntheorem a : P g := h",
            "theorem f : A ↔ B := h\nalias ⟨g, k⟩ := f\ntheorem a : P f := h",
            Note::Plain,
        ),
        // A new name, and another `variable`.
        (
            "def f : Nat := 1\nvariable (n : T)\ntheorem a : P f n := h",
            "def g : Nat := 1\nvariable (n : S)\ntheorem a : P g n := h",
            Note::Plain,
        ),
        (
            "def f : Nat := 1\nvariable (n : T f)\ntheorem a : P f n := h",
            "def g : Nat := 1\nvariable (n : T g)\ntheorem a : P g n := h",
            Note::Renames,
        ),
    ] {
        let changes = diff(before, after);
        let found = changes.iter().find(|c| c.change == ChangeKind::StatementChanged);
        assert_eq!(found.map(|found| found.note), Some(expected), "{before}\n{after}");
    }
    // One more name in a binder is nothing to those that do not need it.
    let changes = diff(
        "variable (n : T)\ntheorem a : Q n := p",
        "variable (n m : T)\ntheorem a : Q n := p\ntheorem b : Q m := p",
    );
    assert!(changes.iter().all(|c| c.change == ChangeKind::Added), "{changes:?}");
}

/// Two texts and how the statement of `a` changed.
const AROUND: &[(&str, &str, &str)] = &[
    (
        "variable (n : Nat)\ntheorem a : P n := h",
        "variable (n : Int)\ntheorem a : P n := h",
        "it depended on `variable (n : Nat)`, and now depends on `variable (n : Int)`",
    ),
    (
        "variable [Ring R]\ntheorem a (x : R) : P x := h",
        "variable [Ring R] [Finite R]\ntheorem a (x : R) : P x := h",
        "",
    ),
    (
        "variable (R) [Ring R]\ntheorem a (x : R) : P x := h",
        "variable (R) [Ring R] [Finite R]\ntheorem a (x : R) : P x := h",
        "it now depends on `variable [Finite R]` too; weaker: hypothesis added: [Finite]",
    ),
    (
        "variable (h : False)\ntheorem a : P := x",
        "variable (h : False)\ninclude h\ntheorem a : P := x",
        "it now depends on `variable (h : False)` too; weaker: hypothesis added: h",
    ),
    (
        "variable (h : False)\ninclude h\ntheorem a : P := x",
        "variable (h : False)\ninclude h\nomit h in\ntheorem a : P := x",
        "it no longer depends on `variable (h : False)`; stronger: hypothesis dropped: h",
    ),
    (
        "variable [IsFinite (m : Measure X)]\ntheorem a : P m := x",
        "variable [inst : IsFinite (m : Measure X)]\ntheorem a : P m := x",
        "",
    ),
    (
        "theorem a : 1 < 2 := h",
        "local notation3 (priority := high) a \" < \" b => True\ntheorem a : 1 < 2 := h",
        "notation or a macro gives its symbols another meaning",
    ),
    (
        "theorem a : x ∣ y := h",
        "macro_rules\n  | `($x ∣ $y) => `(True)\ntheorem a : x ∣ y := h",
        "notation or a macro gives its symbols another meaning",
    ),
    (
        "section\nlocal notation \"π\" => f\nend\ntheorem a : π = 3 := h",
        "section\nend\ntheorem a : π = 3 := h",
        "",
    ),
    (
        "theorem a (n : Nat) : Prime n := h",
        "def Prime (n : Nat) : Prop := True\ntheorem a (n : Nat) : Prime n := h",
        "`Prime` means another declaration now",
    ),
    (
        "theorem a (Prime : Nat) : Prime = 1 := h",
        "def Prime : Nat := 1\ntheorem a (Prime : Nat) : Prime = 1 := h",
        "",
    ),
    (
        "def A.x := 1\ndef B.x := 2\nopen A\ntheorem a : x = 1 := h",
        "def A.x := 1\ndef B.x := 2\nopen B\ntheorem a : x = 1 := h",
        "`x` means another declaration now",
    ),
    (
        "open Nat\ntheorem a : x = 1 := h",
        "open Int in\ntheorem a : x = 1 := h",
        "`open Nat` became `open Int`",
    ),
    ("theorem a : P := h", "instance a : P := h", "was `theorem`, is now `instance`"),
    (
        "variable (G : Type) [Group G]\ndef a (n : Nat) : Prop := n = n",
        "variable (G : Type) [Group G]\ndef a (n : Nat) : Prop := P G",
        "it now depends on `variable (G : Type) [Group G]` too",
    ),
];

#[test]
fn what_stands_around_a_statement() {
    for (before, after, expected) in AROUND {
        let changes = diff(before, after);
        let found = changes.iter().find(|change| {
            change.change == ChangeKind::StatementChanged && change.name.as_deref() == Some("a")
        });
        let detail = found.map_or("", |change| &change.detail);
        assert_eq!(detail, *expected, "\n{before}\n--- became ---\n{after}\n{changes:#?}");
    }
}

#[test]
fn a_declaration_that_is_hidden() {
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "theorem a : P := h",
            "/-\ntheorem a : P := h\n-/",
            &["removed a (commented out at line 2)"],
        ),
        (
            "theorem a : P := h\n",
            "-- so:\n-- theorem a : P := h\n",
            &["removed a (commented out at line 2)"],
        ),
        (
            "theorem a : P := h\ntheorem b : Q := h",
            "theorem a : P := h\n/-- theorem b : Q := h",
            &["removed b (commented out at line 2)"],
        ),
        (
            "theorem a : P := h\ntheorem b : Q := h",
            "theorem a : P := h\n#exit\ntheorem b : Q := h",
            &["removed b (behind `#exit` at line 2)", "trust_added _ (#exit)"],
        ),
        (
            "-- theorem b : Q := old\ntheorem b : Q := h",
            "-- theorem b : Q := old\n",
            &["removed b (it was proved)"],
        ),
    ];
    check(rows);
}

#[test]
fn trust_comes_and_goes() {
    check(&[
        (
            "theorem a : P := by decide",
            "theorem a : P := by native_decide",
            &["proof_changed a", "trust_added a (native_decide)"],
        ),
        (
            "def f := 1",
            "@[simp, implemented_by g] def f := 1",
            &["trust_added f (implemented_by g)"],
        ),
        (
            "theorem a : P := h",
            "set_option debug.skipKernelTC true\ntheorem a : P := h",
            &["trust_added _ (debug_option: debug.skipKernelTC true)"],
        ),
        (
            "axiom a : P\ntheorem b : Q := h",
            "theorem b : Q := h",
            &["removed a (it was an axiom)", "trust_removed a (axiom)"],
        ),
        (
            "theorem b : Q := h",
            "axiom a : P\ntheorem b : Q := h",
            &["added a", "trust_added a (axiom)"],
        ),
        (
            "theorem b : Q := h",
            "macro \"m\" : tactic => `(tactic| sorry)\ntheorem b : Q := h",
            &[
                "trust_added _ (macro \"m\" : tactic => `(tactic| sorry))",
                "gap_added _ (outside of declarations: 0 gaps before, 1 gap now)",
            ],
        ),
    ]);
}

#[test]
fn a_statement_that_follows_a_renamed_definition() {
    let before = "def is_good (n : Nat) : Prop := n * n + 3 * n + 1 = 5 + n\n\
                  theorem a (n : Nat) : is_good n := by simp";
    let changes = diff(before, &before.replace("is_good", "IsGood"));
    let told: Vec<_> = changes.iter().map(|change| (change.change, change.note)).collect();
    let renamed = (ChangeKind::Renamed, Note::Plain);
    assert_eq!(told, [renamed, (ChangeKind::StatementChanged, Note::Renames)]);
}

#[test]
fn names_that_take_the_place_of_others_in_the_whole_file() {
    let replaced = |before: &str, after: &str| {
        let comparison = Comparison::of(before, after);
        let of = |change: &Change| {
            let pairs = comparison.swapped(change);
            let is_whole = pairs.iter().all(|(old, _)| comparison.is_without(old));
            if is_whole { pairs } else { Vec::new() }
        };
        let changes = comparison.changes.iter();
        let changes = changes.filter(|change| change.change == ChangeKind::StatementChanged);
        changes.map(of).collect::<Vec<_>>()
    };
    let pair = |old: &str, new: &str| vec![(old.to_owned(), new.to_owned())];
    let before = "theorem a (h : Chain' r l) : p l := h\ntheorem b : q (l.Chain' r) := h";
    let after = before.replace("Chain'", "IsChain");
    assert_eq!(replaced(before, &after), vec![pair("Chain'", "IsChain"); 2]);
    assert_eq!(replaced(before, &format!("-- once Chain'\n{after}")).concat().len(), 2);
    for (before, after) in [
        // It still stands somewhere.
        (before, format!("{after}\ntheorem c : Chain' r l := h").as_str()),
        // It is the file's own.
        (&format!("def Chain' := 1\n{before}"), &format!("def IsChain := 2\n{after}")),
        (before, &format!("def IsChain := 2\n{after}")),
        // Something else changes too.
        (before, &after.replace("p l", "p k ∨ q").replace("r)", "r → p)")),
    ] {
        let found = replaced(before, after);
        assert!(found.iter().all(Vec::is_empty), "{found:?}\n{before}\n{after}");
    }
}

/// Pieces from which hostile files are made.
const PIECES: &[&str] = &[
    "theorem a : P := by simp\n",
    "theorem a.b (x y : T) : ∀ z, x = z := sorry\n",
    "lemma «a b» : Q\n",
    "namespace A\n",
    "end A\n",
    "end\n",
    "section\n",
    "mutual\n",
    "/- ",
    "-/ ",
    "-- x\n",
    "#exit\n",
    "variable (x y : T) {z} [Foo x]\n",
    "include x\n",
    "omit [Foo x] in\n",
    "open A in\n",
    "open A B\n",
    "notation \"<\" => x\n",
    "macro_rules | `($x < $y) => `(True)\n",
    "example : a < b := by sorry\n",
    "instance : Foo x := ⟨1⟩\n",
    "(",
    ")",
    "{",
    "}",
    ".{u}",
    "∀ ",
    "fun ",
    "\"",
    "@[",
    "]",
    "«",
    ":=",
    "|",
    "structure S where\n  x : Nat\n",
    "alias ⟨p, q⟩ := r\n",
    "local ",
    "in\n",
    "_root_.",
    "\n\n",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_two_texts_have_a_diff(before in text(), after in text()) {
        let comparison = Comparison::of(&before, &after);
        let (olds, news): (Vec<usize>, Vec<usize>) = comparison.pairs.iter().copied().unzip();
        let distinct = |mut list: Vec<usize>| { let all = list.len(); list.sort_unstable(); list.dedup(); list.len() == all };
        prop_assert!(distinct(olds) && distinct(news));
        let count = |kind| comparison.changes.iter().filter(|change| change.change == kind).count();
        let (old, new) = (comparison.old.outline(), comparison.new.outline());
        prop_assert_eq!(old.declarations.len(), comparison.pairs.len() + count(ChangeKind::Removed));
        prop_assert_eq!(new.declarations.len(), comparison.pairs.len() + count(ChangeKind::Added));
    }

    #[test]
    fn a_text_is_equal_to_itself(text in text()) {
        prop_assert_eq!(Comparison::of(&text, &text).changes, vec![]);
    }

    #[test]
    fn a_diff_read_backwards_removes_what_was_added(before in text(), after in text()) {
        let kinds = |changes: Vec<Change>, kind| changes.iter().filter(|c| c.change == kind).count();
        let forth = diff(&before, &after);
        let back = diff(&after, &before);
        prop_assert_eq!(kinds(forth, ChangeKind::Added), kinds(back, ChangeKind::Removed));
    }
}

#[test]
fn the_time_is_linear_in_the_text() {
    let numbered = |template: &str, count: usize| {
        (0..count).fold(String::new(), |text, n| text + &template.replace('#', &n.to_string()))
    };
    let cases = [
        ("theorem t# (a b : T) : a = b + # := by\n  simp [t, #]\n  omega\n", "theorem t# "),
        ("theorem t (a b : T) : a = b := by simp\n", "theorem t "),
        ("variable (x# : Nat) [Foo x#]\ntheorem t# : P x# := by simp\n", "theorem t# "),
        ("variable (x : F x) [Foo x]\ntheorem t# : P x := by simp\n", "theorem t# "),
        ("omit [Foo x]\nvariable [Foo x]\n", "omit "),
        ("open A#\ntheorem t# : x = y := by simp\n", "theorem t# "),
        ("namespace A\ntheorem t : x = t := by simp\n", "theorem t "),
        ("example : P := by simp\n-- theorem t# : Q := by simp\n\n", "example "),
        ("section\nlocal notation \"x\" => y#\n", "section"),
    ];
    for (template, keyword) in cases {
        let small = numbered(template, 1_000);
        let large = numbered(template, 8_000);
        let time = |text: &str| {
            let other = text.replace(keyword, &format!("/- -/ {keyword}")).replace("simp", "sorry");
            let start = Instant::now();
            std::hint::black_box(diff(text, &other));
            start.elapsed()
        };
        // Somebody else may take the processor in one of the attempts, not in all.
        let is_linear = (0..5).any(|_| {
            let (first, second) = (time(&small), time(&large));
            second < first * 24 + Duration::from_millis(300)
        });
        assert!(is_linear, "{template}: 8,000 take far more than 8 times what 1,000 take");
    }
}
