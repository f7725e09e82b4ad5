//! What the reader of Lean text must get right, as tables of text and expectation.

use proptest::prelude::*;

use super::{DeclKind, Declaration, GapKind, Outline, ProblemKind, TokenKind, TrustKind};
use super::{lex, outline, skim};

/// The lexemes of a text without blanks, as `kind lexeme`.
fn lexemes(text: &str) -> Vec<(TokenKind, &str)> {
    let tokens = lex(text).into_iter().filter(|token| token.kind != TokenKind::Whitespace);
    tokens.map(|token| (token.kind, token.text(text))).collect()
}

fn only(text: &str) -> Declaration {
    let found = outline(text).declarations;
    assert_eq!(found.len(), 1, "{text}: {found:#?}");
    found.into_iter().next().unwrap()
}

fn kinds_and_names(text: &str) -> Vec<(&'static str, String)> {
    let found = outline(text).declarations;
    found.into_iter().map(|d| (d.kind.as_str(), d.name.unwrap_or_default())).collect()
}

fn gap_kinds(text: &str) -> Vec<GapKind> {
    outline(text).gaps().iter().map(|gap| gap.kind).collect()
}

fn trust_kinds(outline: &Outline) -> Vec<TrustKind> {
    outline.trust().iter().map(|trust| trust.kind).collect()
}

mod lexer {
    use super::*;
    use TokenKind::*;

    #[test]
    fn names_are_one_lexeme() {
        for name in [
            "x",
            "x'",
            "f''",
            "foo!",
            "bar?",
            "h₁",
            "α",
            "ℕ",
            "𝓝",
            "_root_.A.b",
            "Nat.add_comm'",
            "«a b»",
            "«a\nb»",
            "a.«b c».d",
            "«sorry»",
            ".foo",
            "x_1.y2",
            "été",
            "sorry_if_sorry",
            "warn.sorry",
        ] {
            assert_eq!(lexemes(name), [(Ident, name)]);
        }
    }

    #[test]
    fn operators_hold_together() {
        let text = "a:=b=>c <;> d|>.e <| f||g::h..i ... j λ↦";
        let symbols: Vec<&str> = lexemes(text)
            .into_iter()
            .filter(|(kind, _)| *kind == Symbol)
            .map(|(_, lexeme)| lexeme)
            .collect();
        assert_eq!(symbols, [":=", "=>", "<;>", "|>", "<|", "||", "::", "..", "...", "λ", "↦"]);
    }

    #[test]
    fn comments_nest_and_end_where_lean_ends_them() {
        for (text, kind) in [
            ("-- sorry /- ", LineComment),
            ("/- a /- b -/ c -/", BlockComment),
            ("/-- doc /- x -/ -/", DocComment),
            ("/-! # Title -/", ModuleDoc),
            ("/-%% blueprint %%-/", BlockComment),
            ("/- \"-/", BlockComment),
            // The character after the opener is text, whatever it is.
            ("/-/- -/", BlockComment),
            ("/-/-/", BlockComment),
            ("/-∀-/", BlockComment),
            ("/-\n-/", BlockComment),
            ("/- /-/- -/ -/ -/", BlockComment),
            ("/- --/", BlockComment),
            // These openers are words: blanks and comments after them are no text.
            ("/--/ a -/", DocComment),
            ("/-!/ a -/", ModuleDoc),
            ("/---/", DocComment),
            ("/-!-/", ModuleDoc),
            ("/-- -- -/ a\n -/", DocComment),
            ("/----/ a\n-/", DocComment),
            ("/-! -- -/\n -- -/\n /-/ -/ -/", ModuleDoc),
            ("/-- /-/- -/ -/", DocComment),
            ("/-- /-- -/ -/", DocComment),
            ("/-- a -- -/", DocComment),
            ("/--/- -/ -/", DocComment),
        ] {
            assert_eq!(lexemes(text), [(kind, text)]);
        }
        for text in ["/-", "/-/", "/-- -", "/--/", "/-- -- -/", "/-- /- -/", "/-! /-/", "/- /- -/"]
        {
            let problems = outline(text).problems;
            assert_eq!(problems.len(), 1, "{text}");
            assert_eq!(problems[0].kind, ProblemKind::UnterminatedComment, "{text}");
        }
        for (text, code) in [
            ("/-/- -/ axiom a : b -- -/", "axiom a : b"),
            ("/-- -- -/ theorem a : b := c\n -/ d", "d"),
            ("{x //-1 < x}", "{ x // - 1 < x }"),
            ("p \\/-q", "p \\/ - q"),
            ("p /\\/- q -/ r", "p /\\ r"),
        ] {
            let found = lexemes(text).into_iter().filter(|(kind, _)| !kind.is_comment());
            let found: Vec<&str> = found.map(|(_, lexeme)| lexeme).collect();
            assert_eq!(found.join(" "), code, "{text}");
        }
    }

    #[test]
    fn strings_keep_their_text_and_holes_are_code() {
        for (text, expected) in [
            (r#""a \" -- b""#, vec![(Str, r#""a \" -- b""#)]),
            ("\"a \\\n  b\"", vec![(Str, "\"a \\\n  b\"")]),
            (r#""{x}""#, vec![(Str, r#""{x}""#)]),
            (r#"r"\" "#, vec![(RawStr, r#"r"\""#)]),
            (r##"r#"a"b"#c"##, vec![(RawStr, r##"r#"a"b"#"##), (Ident, "c")]),
            (r#"bar"s""#, vec![(Ident, "bar"), (Str, r#""s""#)]),
            (
                r#".r"\" ?r"\""#,
                vec![(Symbol, "."), (RawStr, r#"r"\""#), (Symbol, "?"), (RawStr, r#"r"\""#)],
            ),
            (
                r#"s!"a{x}b{y}c""#,
                vec![
                    (Ident, "s!"),
                    (InterpStart, "\"a{"),
                    (Ident, "x"),
                    (InterpMid, "}b{"),
                    (Ident, "y"),
                    (InterpEnd, "}c\""),
                ],
            ),
            (r#"s!"\{x}""#, vec![(Ident, "s!"), (Str, r#""\{x}""#)]),
            (
                r#"m!"{f {a} "}"}""#,
                vec![
                    (Ident, "m!"),
                    (InterpStart, "\"{"),
                    (Ident, "f"),
                    (Open, "{"),
                    (Ident, "a"),
                    (Close, "}"),
                    (Str, "\"}\""),
                    (InterpEnd, "}\""),
                ],
            ),
        ] {
            assert_eq!(lexemes(text), expected, "{text}");
        }
        for text in [
            r#"throwError "{x}""#,
            r#"throwErrorAt stx[0] "{x}""#,
            r#"trace[Meta.debug] "{x}""#,
            r#"s!"{s!"{x}"}""#,
            "custom!\"{x}\"",
        ] {
            let hole = lexemes(text).contains(&(Ident, "x"));
            assert!(hole, "{text}: the hole is code");
        }
        for text in [r#"panic! "{x}""#, r#"throwError msg; f "{x}""#, r#"syntax "s!" "{x}""#] {
            assert!(!lexemes(text).contains(&(Ident, "x")), "{text}: an ordinary string");
        }
    }

    #[test]
    fn characters_are_told_from_primes() {
        for text in
            ["'a'", "'∀'", "'\n'", r"'\n'", r"'\''", r"'\x41'", r"'\u{3b1}'", "'\"'", "'\\\\'"]
        {
            assert_eq!(lexemes(text), [(Char, text)]);
        }
        for text in ["f '' s", "g ⁻¹' s", "xs[i]'h'.le", "Σ' x, p", "p'.cells[1]'p'.x", "a ' b"]
        {
            let chars = lexemes(text).iter().filter(|(kind, _)| *kind == Char).count();
            assert_eq!(chars, 0, "{text}");
        }
        assert_eq!(lexemes("['a', 'b']").iter().filter(|l| l.0 == Char).count(), 2);
    }

    #[test]
    fn numbers_name_literals_and_holes() {
        for (text, kind) in [
            ("12", Number),
            ("0xFF", Number),
            ("1_000.5e-3", Number),
            ("`foo.bar", NameLit),
            ("``Nat.succ", NameLit),
            ("?_", Hole),
            ("?goal", Hole),
            ("?a.b", Hole),
            ("`(", Open),
            ("@[", Open),
            ("0B11", Number),
            ("0O17", Number),
            ("1.e5", Number),
        ] {
            assert_eq!(lexemes(text), [(kind, text)]);
        }
        assert_eq!(lexemes("0b12a"), [(Number, "0b1"), (Number, "2"), (Ident, "a")]);
        assert_eq!(lexemes("x.1.e5").last(), Some(&(Ident, ".e5")), "the first part's `e5`");
        assert_eq!(lexemes("x.1.y"), [(Ident, "x"), (Symbol, "."), (Number, "1"), (Ident, ".y")]);
    }
}

mod declarations {
    use super::*;

    #[test]
    fn every_kind_has_its_name() {
        for (text, kind, name) in [
            ("theorem a : p := h", "theorem", "a"),
            ("@[simp] lemma a.b' : p := h", "lemma", "a.b'"),
            ("private noncomputable def x₁ := 1", "def", "x₁"),
            ("protected theorem _root_.X.y : p := h", "theorem", "X.y"),
            ("theorem «a b».c : p := h", "theorem", "«a b».c"),
            ("theorem\n  next_line : p := h", "theorem", "next_line"),
            ("instance : Inhabited T := ⟨x⟩", "instance", ""),
            ("instance (priority := low) foo : C := x", "instance", "foo"),
            ("scoped instance bar [C] : D := x", "instance", "bar"),
            ("example : p := h", "example", ""),
            ("example (x : Nat) : p := h", "example", ""),
            ("class inductive C : Prop\n| a : C", "class inductive", "C"),
            ("class abbrev C (x : T) := A x, B x", "class abbrev", "C"),
            ("class C (x : T) where\n  y : x", "class", "C"),
            ("coinductive S : Prop where\n| c : S", "coinductive", "S"),
            ("unsafe axiom ax : False", "axiom", "ax"),
            ("opaque f : Nat → Nat", "opaque", "f"),
            ("alias a.b := c", "alias", "a.b"),
            ("irreducible_def f (lemma := g) : Nat := 1", "irreducible_def", "f"),
            ("proof_wanted p : q", "proof_wanted", "p"),
            ("problem imo_p1 (x : Nat) : p := by simp", "problem", "imo_p1"),
            ("determine answer : Nat := 3", "determine", "answer"),
            ("def foo.{u, v} (x : Sort u) := x", "def", "foo"),
            ("meta def lemma := 1", "def", "lemma"),
            ("set_option x true in theorem a : p := h", "theorem", "a"),
            ("open Foo in\nomit [C] in\n/-- doc -/\nlemma a : p := h", "lemma", "a"),
            ("#guard_msgs in def a := 1", "def", "a"),
            (
                "/-- a\n```\ntheorem no : x := sorry\n```\n-/\n@[x]\n\n@[y] theorem a : p := h",
                "theorem",
                "a",
            ),
        ] {
            let found = only(text);
            assert_eq!(found.kind.as_str(), kind, "{text}");
            assert_eq!(found.name.unwrap_or_default(), name, "{text}");
        }
        let both = kinds_and_names("alias ⟨a, b⟩ := c");
        assert_eq!(both, [("alias", "a".to_owned()), ("alias", "b".to_owned())]);
    }

    #[test]
    fn what_only_looks_like_a_declaration_is_none() {
        for text in [
            "deriving instance Repr for T",
            "deriving noncomputable instance Repr for T",
            "attribute [local instance] foo",
            "#check theorem_name",
            "-- theorem a : p := h",
            "/- theorem a : p := h -/",
            "def_replacer \"theorem a : p\"",
            "run_cmd elabCommand (← `(\n  theorem a : p := h\n  def b := 1))",
        ] {
            assert_eq!(kinds_and_names(text), [], "{text}");
        }
        let text =
            "inductive T\n| opaque\n| instance (x : Nat)\n\ndef f : T → T\n| .opaque => .def\n";
        assert_eq!(kinds_and_names(text), [("inductive", "T".to_owned()), ("def", "f".to_owned())]);
    }

    #[test]
    fn names_are_full() {
        let text = "
namespace A.B
theorem x : p := h
section S
noncomputable section
private theorem y : p := h
end
end S
theorem _root_.z : p := h
mutual
def even := 1
  def odd := 2
end
end A.B
namespace «82»
  theorem w : p := h
end «82»
@[expose] public section
theorem v : p := h
namespace C
theorem u : p := h";
        let names: Vec<String> = kinds_and_names(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["A.B.x", "A.B.y", "z", "A.B.even", "A.B.odd", "«82».w", "v", "C.u"]);
    }

    #[test]
    fn statement_and_body_are_cut_where_the_body_begins() {
        for (text, statement, body) in [
            ("theorem a (x : ℕ := 3) : x = x := rfl", "theorem a (x : ℕ := 3) : x = x", "rfl"),
            (
                "theorem a : (fun x => x) 1 = 1 := by\n  rfl",
                "theorem a : (fun x => x) 1 = 1",
                "by\n  rfl",
            ),
            ("theorem a : let y := 1; y = 1 := rfl", "theorem a : let y := 1; y = 1", "rfl"),
            ("theorem a : ∀ x, let y := x; y = x := h", "theorem a : ∀ x, let y := x; y = x", "h"),
            ("theorem a : |x| ≤ |y| := h", "theorem a : |x| ≤ |y|", "h"),
            (
                "theorem a :\n    |x| ≤ f fun y => |y| := h",
                "theorem a :\n    |x| ≤ f fun y => |y|",
                "h",
            ),
            (
                "def f : Nat → Nat\n  | 0 => 1\n  | n + 1 => n",
                "def f : Nat → Nat",
                "| 0 => 1\n  | n + 1 => n",
            ),
            ("def f : Nat → Type* | 0 => let x := 1; X | _ => Y", "def f : Nat → Type*", ""),
            ("instance : Foo where\n  x := 1", "instance : Foo", "where\n  x := 1"),
            (
                "inductive T : Type\n| a : T\nderiving Repr",
                "inductive T : Type",
                "| a : T\nderiving Repr",
            ),
            (
                "structure S extends A where\n  x : Nat := 1",
                "structure S extends A",
                "where\n  x : Nat := 1",
            ),
            (
                "theorem a : match x with | 0 => p | _ => q := h",
                "theorem a : match x with | 0 => p | _ => q",
                "h",
            ),
            ("theorem a : {x | p x} = s := h", "theorem a : {x | p x} = s", "h"),
        ] {
            let found = only(text);
            if !body.is_empty() {
                assert_eq!(found.statement(text), statement, "{text}");
                assert_eq!(found.body(text), Some(body), "{text}");
            }
        }
    }

    #[test]
    fn a_declaration_ends_before_what_follows() {
        let text = "/-- one -/\n@[simp]\ntheorem a : p := by\n  simp\ntermination_by x\n\n-- note\n\n/-- two -/\nprivate def b := 1 -- end\n\nopen X in\n@[y] lemma c : p :=\n  h\n\nsome_command x\n\n#eval 1\n";
        let found = outline(text);
        let spans: Vec<&str> = found.declarations.iter().map(|d| &text[d.span.clone()]).collect();
        assert_eq!(
            spans,
            [
                "/-- one -/\n@[simp]\ntheorem a : p := by\n  simp\ntermination_by x",
                "/-- two -/\nprivate def b := 1",
                "@[y] lemma c : p :=\n  h",
            ]
        );
        let lines: Vec<(usize, usize)> =
            found.declarations.iter().map(|d| (d.line, d.end_line)).collect();
        assert_eq!(lines, [(3, 5), (10, 10), (13, 14)]);
        let first = &found.declarations[0];
        assert_eq!(first.doc_span.clone().map(|span| &text[span]), Some("/-- one -/"));
        assert_eq!(text[first.attributes[0].clone()], *"simp");
        assert!(found.declarations[1].is(text, "private"));
    }

    #[test]
    fn tactics_at_column_zero_stay_with_their_theorem() {
        let text = "theorem a : p := by\nnorm_num\n\nnlinarith [h]\ntheorem b : q := h";
        assert_eq!(only(&text[..text.find("theorem b").unwrap()]).proof_lines, 2);
        assert_eq!(kinds_and_names(text).len(), 2);
    }

    #[test]
    fn a_broken_declaration_harms_no_other() {
        let text = "theorem a (x : Nat : p := by simp [foo\n\ntheorem b : q := h\n\ndef c := `(x\n\ndef d := 1";
        let names: Vec<String> = kinds_and_names(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
    }

    #[test]
    fn completeness() {
        for (text, complete) in [
            ("theorem a : p := h", true),
            ("theorem a : p", false),
            ("theorem a : p :=", false),
            ("theorem a : p := by sorry", false),
            ("axiom a : p", false),
            ("structure S", true),
            ("opaque x : Nat", true),
            ("proof_wanted a : p", false),
            ("def f : Nat → Nat\n| _ => 0", true),
        ] {
            assert_eq!(only(text).is_complete(), complete, "{text}");
        }
    }

    #[test]
    fn header_of_the_file() {
        let text = "/- Copyright -/\nmodule\n\npublic import A.B\npublic meta import all C\nimport «D e»\n\npublic section\ndef x := 1";
        let found = outline(text);
        assert!(found.is_module);
        assert_eq!(found.imports, ["A.B", "C", "«D e»"]);
        assert_eq!(found.declarations.len(), 1);
        assert_eq!(found.lines, 9);
        assert_eq!(kinds_and_names("public theorem a : p := h"), [("theorem", "a".to_owned())]);
    }
}

mod gaps {
    use super::*;
    use GapKind::*;

    #[test]
    fn gaps_are_words_of_code() {
        let table: &[(&str, &[GapKind])] = &[
            ("theorem a : p := by sorry", &[Sorry]),
            ("theorem a : p := sorry", &[Sorry]),
            ("theorem a : x = sorry := h", &[Sorry]),
            ("theorem a : answer(sorry) ↔ p := by\n  sorry", &[AnswerSorry, Sorry]),
            ("theorem a : p := by admit", &[Admit]),
            ("theorem a : p := sorryAx _", &[SorryAx]),
            ("theorem a : p := «sorryAx» _", &[SorryAx]),
            ("theorem a : p := «sorry»", &[]),
            ("theorem a : p := by\n  simp\n  stop\n  ring", &[Stop]),
            ("theorem a : p := by stop admit", &[Stop, Admit]),
            ("theorem a : p := ?_", &[Hole]),
            ("theorem a : p := by\n  refine ?_", &[Hole]),
            ("theorem a : p := by\n  refine ⟨?_, ?_⟩\n  · simp\n  · simp", &[]),
            ("theorem a : p := by\n  have h : q := ?_\n  · exact f h\n  simp", &[]),
            ("theorem a : p := by exact?", &[SearchTactic]),
            ("theorem a : p := by\n  apply?", &[SearchTactic]),
            ("theorem a : p := by\n  hint", &[SearchTactic]),
            ("theorem a : p := by\n  exact foo\n    hint", &[]),
            ("theorem a : p := by exact? says exact b", &[]),
            ("#guard_msgs (drop error) in\ntheorem a : p := by simp", &[HiddenError]),
            (
                "#guard_msgs (error, drop all) in open A in\n/-- x -/\nlemma a : p := b",
                &[HiddenError],
            ),
            ("/-- info: x\n---\nerror: y -/\n#guard_msgs in theorem a : p := b", &[HiddenError]),
            ("/-- error(lean.unknown): y -/ #guard_msgs in theorem a : p := b", &[HiddenError]),
            ("/-- info: no error: y -/\n#guard_msgs (drop info) in theorem a : p := b", &[]),
            ("#guard_msgs (drop error) in #eval a\ntheorem a : p := b", &[]),
            ("#guard_msgs (drop error) in\nexample : p := b\ntheorem a : p := b", &[]),
            ("theorem a : p := by simp?", &[]),
            ("theorem a : p := by\n  first | simp | sorry", &[Sorry]),
            ("def a := s!\"{(sorry : Nat)}\"", &[Sorry]),
            ("def a := s!\"sorry\"", &[]),
            ("def «sorry» := 1", &[]),
            ("def a := «sorry»", &[]),
            ("def a := r\"sorry\" ++ \"sorry\" -- sorry", &[]),
            ("def a := /- /- sorry -/ sorry -/ 1", &[]),
            ("def a := foo.sorry .sorry sorry_free `sorry", &[]),
            ("inductive T\n| sorry : T\n| b", &[]),
            (
                "def f (start stop : Nat) := Id.run do\n  for i in start...stop do\n    g\n      stop",
                &[],
            ),
            ("termination_by x\ndecreasing_by sorry", &[Sorry]),
            ("macro \"m\" : tactic => `(tactic| admit)", &[Admit]),
            ("theorem a : p := h\n#exit\ntheorem b : q := sorry", &[]),
            ("set_option x 1 in\n#exit\ntheorem b : q := sorry", &[Sorry]),
        ];
        for (text, expected) in table {
            assert_eq!(gap_kinds(text), *expected, "{text}");
        }
    }

    #[test]
    fn quoted_gaps_are_loose_but_in_a_proof() {
        let text = "def a := do evalTactic (← `(tactic| sorry))\ntheorem b : p := by\n  run_tac evalTactic (← `(tactic| sorry))\n";
        let found = outline(text);
        assert!(found.declarations[0].is_complete());
        assert_eq!(found.loose_gaps.len(), 1);
        assert_eq!(found.declarations[1].gaps.len(), 1);
    }

    #[test]
    fn a_negating_macro_leaves_its_theorem_alone() {
        let text = "macro \"negate\" : tactic =>\n  `(tactic| (by_contra h; exact absurd h (by admit)))\n\ntheorem a : ¬ p := by\n  simp\n";
        let found = outline(text);
        assert_eq!(found.loose_gaps.len(), 1);
        assert!(found.declarations[0].is_complete());
    }

    #[test]
    fn places_count_lines_from_one_and_characters_from_zero() {
        let text = "theorem a : ∀ x, p := by\n  -- ∀\n  ∀∀ sorry\n";
        let found = only(text);
        assert_eq!((found.gaps[0].line, found.gaps[0].column), (3, 5));
        assert_eq!(&text[found.gaps[0].span.clone()], "sorry");
    }

    #[test]
    fn problems_are_told() {
        for (text, kind, line) in [
            ("def a := 1\n/- open", ProblemKind::UnterminatedComment, 2),
            ("def a := \"open", ProblemKind::UnterminatedString, 1),
            ("\ndef a := s!\"{x", ProblemKind::UnterminatedString, 2),
            ("def «a := 1\n", ProblemKind::UnterminatedName, 1),
            ("end A", ProblemKind::UnmatchedEnd, 1),
            ("#exit\nfoo", ProblemKind::CodeAfterExit, 1),
        ] {
            let problems = outline(text).problems;
            assert_eq!(problems.len(), 1, "{text}: {problems:?}");
            assert_eq!((problems[0].kind, problems[0].line), (kind, line), "{text}");
        }
    }
}

mod trust {
    use super::*;
    use TrustKind::*;

    #[test]
    fn markers_of_declarations() {
        let table: &[(&str, &[TrustKind])] = &[
            ("axiom a : False", &[Axiom]),
            ("axiom\n a : False", &[Axiom]),
            ("opaque a : Nat", &[Opaque]),
            ("theorem a : p := by native_decide", &[NativeDecide]),
            ("theorem a : p := by decide +native", &[NativeDecide]),
            ("theorem a : p := Lean.ofReduceBool x y h", &[OfReduceBool]),
            ("theorem a (x : BitVec 8) : x &&& x = x := by bv_decide", &[OfReduceBool]),
            ("@[implemented_by f] def a := 1", &[ImplementedBy]),
            ("@[simp, implemented_by f] def a := 1", &[ImplementedBy]),
            ("@[simp] @[extern \"c_f\", inline] def a := 1", &[Extern]),
            ("@[csimp] theorem a : f = g := h", &[Csimp]),
            ("unsafe def a := 1", &[Unsafe]),
            ("def a := unsafe b", &[Unsafe]),
            ("local instance : Add Nat := ⟨Nat.mul⟩", &[LocalInstance]),
            ("set_option debug.skipKernelTC true in\ntheorem a : p := h", &[DebugOption]),
            (
                "theorem a : p := by\n  set_option debug.skipKernelTC\n    true in simp",
                &[DebugOption],
            ),
            ("theorem a : p := by run_tac foo", &[RunTac]),
            ("-- axiom a : False\ntheorem a : p := h -- native_decide", &[]),
            ("theorem a : p := by simp [implemented_by]", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(trust_kinds(&outline(text)), *expected, "{text}");
        }
    }

    #[test]
    fn markers_of_commands() {
        let table: &[(&str, TrustKind, &str)] = &[
            ("attribute [implemented_by f] g", ImplementedBy, "attribute [implemented_by f] g"),
            ("attribute [local instance] foo", LocalInstance, "attribute [local instance] foo"),
            (
                "notation3 (priority := high) a \" < \" b => True",
                Notation,
                "notation3 (priority := high) a \" < \" b => True",
            ),
            ("infixl:65 \" + \" => f", Notation, "infixl:65 \" + \" => f"),
            ("local notation \"x\" => y", Notation, "notation \"x\" => y"),
            ("scoped[Foo] infix:50 \" ~ \" => R", Notation, "infix:50 \" ~ \" => R"),
            ("macro_rules | `(x) => `(y)", Macro, "macro_rules | `(x) => `(y)"),
            ("syntax \"x\" : term", Syntax, "syntax \"x\" : term"),
            ("elab \"x\" : tactic => do\n  skip", Elab, "elab \"x\" : tactic => do skip"),
            (
                "initialize x : IO.Ref Nat ← IO.mkRef 0",
                Initialize,
                "initialize x : IO.Ref Nat ← IO.mkRef 0",
            ),
            ("run_cmd logInfo \"x\"", RunCmd, "run_cmd logInfo \"x\""),
            ("#eval main", Eval, "#eval main"),
            ("#exit", Exit, "#exit"),
            ("set_option\n  debug.skipKernelTC\n  true", DebugOption, "debug.skipKernelTC true"),
        ];
        for (text, kind, what) in table {
            let found = outline(text);
            assert!(found.declarations.is_empty(), "{text}");
            assert_eq!(found.loose_trust.len(), 1, "{text}: {:?}", found.loose_trust);
            assert_eq!(
                (found.loose_trust[0].kind, found.loose_trust[0].what.as_str()),
                (*kind, *what)
            );
        }
        assert!(outline("attribute [-csimp] f").loose_trust.is_empty(), "taken away, not given");
        assert!(outline("attribute [simp] extern").loose_trust.is_empty());
    }
}

mod tactics {
    use super::*;

    fn counts(body: &str) -> Vec<(String, usize)> {
        only(&format!("theorem a : p := {body}")).tactics.into_iter().collect()
    }

    #[test]
    fn tactics_are_counted_in_tactic_position() {
        let table: &[(&str, &[(&str, usize)])] = &[
            ("by simp", &[("simp", 1)]),
            ("by\n  simp [simp, ring]\n  ring", &[("ring", 1), ("simp", 1)]),
            (
                "by\n  cases h with\n  | inl h => omega\n  | inr h =>\n    simp\n    omega",
                &[("cases", 1), ("omega", 2), ("simp", 1)],
            ),
            (
                "by\n  · simp; ring\n    omega\n  . norm_num",
                &[("norm_num", 1), ("omega", 1), ("ring", 1), ("simp", 1)],
            ),
            ("by constructor <;> try linarith", &[("constructor", 1), ("linarith", 1), ("try", 1)]),
            (
                "by\n  rcases h with rfl | rfl\n  first | simp | omega",
                &[("first", 1), ("omega", 1), ("rcases", 1), ("simp", 1)],
            ),
            (
                "by\n  have h : x = y := by ring\n  exact foo\n    simp",
                &[("exact", 1), ("have", 1), ("ring", 1)],
            ),
            ("by (simp; ring)", &[("ring", 1), ("simp", 1)]),
            ("calc a = b := by simp\n  _ = c := by ring", &[("calc", 1), ("ring", 1), ("simp", 1)]),
            ("simp ring omega", &[]),
            ("by\n  exact fun x => simp x", &[("exact", 1)]),
            ("by\n  simp_all", &[("simp_all", 1)]),
            ("by\n  conv => ring", &[("conv", 1), ("ring", 1)]),
            ("by\n  refine ⟨by simp, ?_⟩\n  ring", &[("refine", 1), ("ring", 1), ("simp", 1)]),
        ];
        for (body, expected) in table {
            let expected: Vec<_> = expected.iter().map(|(n, c)| ((*n).to_owned(), *c)).collect();
            assert_eq!(counts(body), expected, "{body}");
        }
    }

    #[test]
    fn proof_lines_hold_code() {
        for (body, lines) in [
            ("h", 1),
            ("by simp", 1),
            ("by\n  simp\n\n  -- note\n  /- more\n  notes -/\n  ring -- end", 2),
            ("by\n  exact foo\n    bar", 2),
            ("by\n  exact \"a\nb\nc\"", 3),
        ] {
            assert_eq!(only(&format!("theorem a : p := {body}")).proof_lines, lines, "{body}");
        }
    }
}

/// Pieces that text is likely to break on.
const PIECES: &[&str] = &[
    "theorem ",
    "lemma x ",
    "def ",
    "instance ",
    "class inductive ",
    "alias ⟨a, b⟩ ",
    "end ",
    "namespace A.B\n",
    "section\n",
    "mutual\n",
    "\n",
    "\n\n",
    "  ",
    " := ",
    "by\n  ",
    "sorry ",
    "native ",
    "true ",
    "stop\n",
    "| ",
    "=> ",
    "fun ",
    "let ",
    "where ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "⟨",
    "⟩",
    "@[",
    "`(",
    "s!\"",
    "\"",
    "'",
    "'a'",
    "\\",
    "/-",
    "-/",
    "/--",
    "--",
    "«",
    "»",
    "r#\"",
    "#",
    "?_",
    ".",
    "`",
    "``",
    "·",
    "∀",
    "x'",
    "x.",
    "α",
    "𝓝",
    "\u{a0}",
    "\r\n",
    "#exit\n",
    "set_option debug.x true ",
    "attribute [csimp] ",
    "macro ",
    "open X in\n",
    "import A\n",
    "deriving ",
    "in ",
    "0x",
    "1.5e",
    "private ",
    "/-- d -/ ",
];

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..60).prop_map(|parts| parts.concat())
}

fn check_outline(text: &str) {
    let found = outline(text);
    let mut reached = 0;
    for d in &found.declarations {
        let alias = d.kind == DeclKind::Alias;
        assert!(d.span.start >= reached || alias, "declarations follow each other");
        reached = d.span.end;
        assert!(text.get(d.span.clone()).is_some());
        assert!(text.get(d.statement_span.clone()).is_some());
        assert!(d.span.start <= d.statement_span.start && d.statement_span.end <= d.span.end);
        assert!(d.body_span.is_none() || d.body(text).is_some());
        assert!(d.line <= d.end_line);
    }
    for gap in found.gaps() {
        let before = &text[..gap.span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
        assert_eq!((gap.line, gap.column), (line, column));
    }
}

proptest! {
    #[test]
    fn lexemes_are_the_text(text in prop_oneof![pieces(), any::<String>()]) {
        let tokens = lex(&text);
        let joined: String = tokens.iter().map(|token| token.text(&text)).collect();
        prop_assert_eq!(&joined, &text);
        prop_assert!(tokens.iter().all(|token| token.start < token.end));
        prop_assert!(tokens.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn any_text_has_an_outline(text in prop_oneof![pieces(), any::<String>()]) {
        check_outline(&text);
        check_skims(&text);
    }

    #[test]
    fn what_is_read_over_says_nothing(
        start in prop::sample::select(vec!["theorem t (x : a) : b := by\n  ", "def f ", "variable (x : a) "]),
        text in pieces(),
    ) {
        let text = [start, &text].concat();
        check_skims(&text);
    }
}

/// What is read in a hurry is what the whole outline says.
fn check_skims(text: &str) {
    let mut expected = outline(text);
    for declaration in &mut expected.declarations {
        declaration.tactics.clear();
        declaration.proof_lines = 0;
    }
    assert_eq!(skim(text), expected, "{text}");
}

#[test]
fn what_is_read_over_is_not_lost() {
    for text in [
        "theorem t : a = b := by simp [x, (f ⟨y, z⟩)] stop",
        "theorem t : α = β := ℝ by stop",
        "theorem t (x : Nat := 3) : f x = 2sorry",
        "theorem t : a := b.sorry\n/-! m -/ foo stop\nlemma u : c := by\n  stop",
        "theorem t : a := (by exact f.1.2 (g «sorry» 1.e5) (sorry))",
        "theorem t : |x| ≤ |y| := fun ⟨a, b⟩ ↦ by\n  exact answer(sorry)\ntheorem u : a",
        "def f : ∀ ⦃x⦄, g x\n| ⟨a, b⟩ => s!\"{sorry} sorry\"\n| _ => 'a'",
        "example : a := by\n  simp -- sorry\n  /- sorry -/ exact? says foo",
        "theorem t : let x := 1; fun y => y = x := by decide +native",
        "theorem t : a := by decide (config := { kernel := false, native := true })",
        "instance (priority := 100) : C := by\n  refine ⟨?_, ?_⟩ ) theorem u : a := ?_",
        "theorem t := by throwErrorAt x ) \"{sorry}\"",
        "theorem t : a := set_option debug.x true in b\nvariable (x) in theorem u : c := by sorry",
    ] {
        check_skims(text);
        check_outline(text);
    }
}

/// Text that repeats one of these makes a careless reader look at everything again and again.
const UNITS: &[&str] = &[
    "/-",
    "-/",
    "/--",
    "\"",
    "'",
    "{",
    "s!\"{",
    "«",
    "(",
    "`(",
    "@[",
    "r#",
    "r#\"",
    "\\",
    ".",
    "sorry ",
    "theorem a : b := sorry ",
    "theorem ",
    "namespace a\n",
    "section\nnamespace a\nend a\n",
    "end a\n",
    "|",
    "| => ",
    "by ",
    "fun ",
    "·",
    "?_ ",
    "-",
    "`",
    "a.",
    "#exit ",
    "@[a] ",
    "𝓝",
    "alias ⟨a ",
    "notation ",
    "open A in ",
    "'\\u{",
    "0x",
    "\n",
    "import A\n",
    "namespace a\ndef b\n",
    "attribute [a, ",
    "private ",
    "/-- -/ ",
    "trace[",
    "throwErrorAt ",
    "by\n ",
    "first | ",
];

/// A megabyte of each of these takes a quadratic reader minutes.
#[test]
fn time_is_linear_in_the_text() {
    let units = UNITS.iter().flat_map(|unit| [("", unit), ("theorem t : a := b ", unit)]);
    for (start, unit) in units {
        let text = [start, &unit.repeat((1 << 20) / unit.len())].concat();
        let started = std::time::Instant::now();
        let found = outline(&text);
        assert_eq!(skim(&text).declarations.len(), found.declarations.len(), "{unit:?}");
        let names: usize =
            found.declarations.iter().filter_map(|d| d.name.as_ref()).map(String::len).sum();
        assert!(started.elapsed().as_secs() < 20, "{unit:?} took {:?}", started.elapsed());
        assert!(names < 400 << 20, "{unit:?} made {names} bytes of names");
    }
}
