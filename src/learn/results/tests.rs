//! The judgement of whole files, as a person would check it.

use super::*;
use crate::model::{Confidence, Evidence, Kind, Outcome, ProblemStatus};

const TRIPLES: &str = include_str!(
    "../../../tests/fixtures/results/slot614_erdos_850_prime_factor_triples_result.lean"
);
const GREEDY: &str =
    include_str!("../../../tests/fixtures/results/slot72_sidon_greedy_bound_result.lean");
const BRIDGE: &str =
    include_str!("../../../tests/fixtures/results/slot148_tuza_nu4_bridge_cover_result.lean");
const KUREPA: &str =
    include_str!("../../../tests/fixtures/results/slot203_kurepa_left_factorial_aristotle.lean");

const HEADER: &str = "/-\nThis file was edited by Aristotle.\n\nThis project request had uuid: \
     3f2a9c1e-7b44-4d0e-9a51-0c6d8e2f4b17\n-/\n";

fn read(text: &str) -> Results {
    let origin = Origin {
        file: "results/slot614_erdos_850_result.lean",
        slot: Some(614),
        problem: Some("erdos_850"),
        is_attempt: true,
        ..Origin::default()
    };
    learn(&lean::Statements::detailed(text), &origin)
}

fn of_kind(results: &Results, kind: Kind) -> Vec<&Draft> {
    results.findings.iter().filter(|draft| draft.kind == kind).collect()
}

/// What a person looks at first, one line a finding.
fn lines(results: &Results) -> String {
    let line = |draft: &Draft| {
        let technique = draft.proof_technique.as_deref().unwrap_or("-");
        let notes = draft.notes.as_deref().unwrap_or("-");
        format!("{} [{}/{}] {technique} | {notes}\n", draft.title, draft.confidence, draft.evidence)
    };
    results.findings.iter().map(line).collect()
}

#[test]
fn a_proven_file() {
    let results = read(TRIPLES);
    insta::assert_snapshot!(lines(&results), @r"
    consecutive_coprime (lemma) [verified/prover] finished by simplification (simp) | sorry=0
    dvd_step' (theorem) [verified/prover] finished by a lemma (exact) | sorry=0
    Erdos850.small_triples (theorem) [verified/prover] interval case analysis | sorry=0
    Erdos850.shift_sum (theorem) [verified/prover] direct proof term | sorry=0
    Technique: direct proof term (slot614) [verified/prover] direct proof term | -
    ");
    let theorems = of_kind(&results, Kind::Theorem);
    assert_eq!(
        theorems[1].theorem_statement.as_deref(),
        Some(
            "theorem dvd_step' {p a b : ℕ} (h : a ≤ b := by omega) (ha : p ∣ a)\n    (hb : p ∣ b) : p ∣ b - a"
        )
    );
    assert!(theorems[3].theorem_statement.as_ref().unwrap().starts_with(
        "theorem shift_sum (f : ℕ → ℕ := fun n => n) (n : ℕ) :\n    ∑ i ∈ range n, (fun j => f (j + 1)) i"
    ));
    assert_eq!(
        theorems[0].description,
        "Proven lemma from slot614: Neighbours share no prime factor: a `sorry` in this comment is no gap."
    );
    let source = &theorems[2].source;
    assert_eq!(source.submission.as_deref(), Some("3f2a9c1e-7b44-4d0e-9a51-0c6d8e2f4b17"));
    assert_eq!(source.toolchain.as_deref(), Some("leanprover/lean4:v4.24.0"));
    assert_eq!(source.mathlib_rev.as_deref(), Some("5a1e0c3b7d9f2468ace013579bdf02468ace1357"));
    assert_eq!((source.slot, source.line), (Some(614), Some(44)));
    assert_eq!(theorems[2].domain.as_deref(), Some("nt"));
    let tags = |at: usize| theorems[at].tags.join(",");
    assert_eq!((tags(0), tags(1)), ("nt,lemma,proved-by-prover".into(), "nt,theorem".into()));
}

#[test]
fn a_near_miss() {
    let results = read(GREEDY);
    insta::assert_snapshot!(lines(&results), @r"
    pair_sums_card (lemma) [medium/prover] induction | sorry=1; open: `greedy_bound`
    sums_le_two_max (lemma) [medium/prover] finished by linear arithmetic (linarith) | sorry=1; open: `greedy_bound`
    ");
    assert_eq!(results.overview.open, ["greedy_bound"]);
    assert_eq!(results.overview.domain.as_deref(), Some("combinatorics"));
}

#[test]
fn what_the_prover_negated_is_false_and_never_proved() {
    let results = read(BRIDGE);
    insta::assert_snapshot!(lines(&results), @r"
    Tuza.two_of_three (lemma) [medium/prover] finite case analysis (fin_cases) | sorry=0; refuted: `Tuza.bridge_covers`, `Tuza.six_is_prime`
    FALSE: Tuza.bridge_covers [disproven/prover] - | -
    FALSE: Tuza.six_is_prime [disproven/prover] - | -
    ");
    let [bridge, six] = of_kind(&results, Kind::FalseLemma)[..] else { panic!() };
    assert_eq!(
        bridge.counterexample.as_deref(),
        Some("Let's choose the complete graph on six vertices.")
    );
    assert_eq!((bridge.source.line, six.source.line), (Some(74), Some(78)));
    assert!(bridge.description.contains("Proof of the negation:\nby\n  by_contra h_contra;"));
    assert!(!bridge.description.contains("Wait, there's"));
    assert_eq!(six.theorem_statement.as_deref(), Some("theorem six_is_prime : Nat.Prime 6"));
    assert_eq!(results.overview.gaps, 0, "gaps of false statements are none to close");
    let proven: Vec<_> =
        of_kind(&results, Kind::Theorem).iter().map(|d| d.theorem_name.clone().unwrap()).collect();
    assert_eq!(proven, ["Tuza.two_of_three"]);
}

#[test]
fn a_failed_attempt() {
    let results = read(KUREPA);
    insta::assert_snapshot!(lines(&results), @r"
    leftFactorial_succ (lemma) [low/file] finished by simplification (simp) | sorry=3; open: `even_case`, `odd_case`, `kurepa`
    slot614, the prover could not load it: `typo`; open: `kurepa` [high/prover] - | sorry=3; open: `even_case`, `odd_case`, `kurepa`
    ");
    let [failure] = of_kind(&results, Kind::Failure)[..] else { panic!() };
    insta::assert_snapshot!(failure.why_failed.as_deref().unwrap(), @"the prover could not load the code: Unknown identifier `leftFactorail`; unsolved goals; n : ℕ; ⊢ False; 3 sorry remaining: `even_case` (line 29), `odd_case` (line 32), `kurepa` (line 35); the prover's budget was used up. Partial progress: the recursion is proved, the divisibility is not");
    insta::assert_snapshot!(failure.description, @"The prover's answer on erdos_850 in slot614: the prover could not load it, 3 gaps in 6 declarations. Open: `even_case`, `odd_case`, `kurepa`. Not loaded: `typo`. Without a gap: `leftFactorial_succ`.");
    let strategy = results.strategy.unwrap();
    assert_eq!(strategy.outcome, Outcome::Failed);
    assert!(strategy.learned.unwrap().ends_with("the divisibility is not."));
}

#[test]
fn trust_depends_on_the_whole_file() {
    let proof = "import Mathlib\ntheorem a : 1 + 1 = 2 := by norm_num\n";
    for (case, text, confidence, evidence) in [
        ("header, no gap", format!("{HEADER}{proof}"), Confidence::Verified, Evidence::Prover),
        ("no header", proof.to_owned(), Confidence::Low, Evidence::File),
        (
            "an error of the prover's own",
            format!(
                "{}{proof}",
                HEADER.replace("-/", "Aristotle encountered an error processing this file.\n-/")
            ),
            Confidence::Low,
            Evidence::File,
        ),
        (
            "a search that found something",
            format!("{HEADER}{proof}lemma b : 1 = 1 := by exact?"),
            Confidence::Verified,
            Evidence::Prover,
        ),
        (
            "a gap elsewhere",
            format!("{HEADER}{proof}lemma b : True := sorry"),
            Confidence::Medium,
            Evidence::Prover,
        ),
        (
            "an axiom",
            format!("{HEADER}{proof}axiom c : False"),
            Confidence::Medium,
            Evidence::Prover,
        ),
        (
            "a loose gap",
            format!("{HEADER}{proof}example : True := by admit"),
            Confidence::Medium,
            Evidence::Prover,
        ),
        (
            "a debug option",
            format!("{HEADER}set_option debug.skipKernelTC true\n{proof}"),
            Confidence::Medium,
            Evidence::Prover,
        ),
        (
            "an unclosed comment",
            format!("{HEADER}{proof}/- the rest is lost\ntheorem b : False := sorry"),
            Confidence::Medium,
            Evidence::Prover,
        ),
        (
            "code that Lean does not read",
            format!("{HEADER}{proof}#exit\ntheorem b : False := sorry"),
            Confidence::Medium,
            Evidence::Prover,
        ),
        (
            "a header that is only quoted",
            format!("{proof}/- This file was edited by Aristotle. -/"),
            Confidence::Low,
            Evidence::File,
        ),
    ] {
        let results = read(&text);
        let theorem = of_kind(&results, Kind::Theorem)[0];
        assert_eq!((theorem.confidence, theorem.evidence), (confidence, evidence), "{case}");
    }
}

#[test]
fn technique_and_failure_depend_on_the_gaps() {
    for (gaps, technique, failures) in [(0, 1, 0), (1, 0, 0), (2, 0, 0), (3, 0, 1)] {
        let open = "lemma open_gap : False := by sorry\n".repeat(gaps);
        let results = read(&format!("{HEADER}theorem a (n : ℕ) : n < n + 1 := by simp\n{open}"));
        assert_eq!(of_kind(&results, Kind::Technique).len(), technique, "{gaps}");
        assert_eq!(of_kind(&results, Kind::Failure).len(), failures, "{gaps}");
        let notes = of_kind(&results, Kind::Theorem)[0].notes.clone().unwrap();
        assert!(notes.starts_with(&format!("sorry={gaps}")), "{notes}");
    }
}

#[test]
fn a_file_never_settles_a_problem() {
    for (text, title, outcome) in [
        ("theorem erdos_850 : P := by simp", "erdos_850 (theorem)", Outcome::Partial),
        (
            "theorem erdos_850 : P ∨ ¬P := em P",
            "erdos_850 (theorem, proves only `P ∨ ¬P`)",
            Outcome::Failed,
        ),
        (
            "theorem erdos_850_small : ∀ n < 9, P n := by decide",
            "erdos_850_small (theorem, proves only finitely many cases)",
            Outcome::Partial,
        ),
        (
            "lemma low : ∀ n < 9, P n := by decide\ntheorem high : P := by simp",
            "low (lemma, proves only finitely many cases)",
            Outcome::Partial,
        ),
        ("axiom ax : P\ntheorem erdos_850 : P := ax", "erdos_850 (theorem)", Outcome::Partial),
        (
            "theorem a : P := by simp\ntheorem erdos_850 : P := sorry",
            "a (theorem)",
            Outcome::Partial,
        ),
        (
            "theorem erdos_850 : P := by\n  negate_state;\n  simp",
            "FALSE: erdos_850",
            Outcome::Failed,
        ),
    ] {
        let results = read(&format!("{HEADER}{text}"));
        assert_eq!(results.findings[0].title, title);
        assert_eq!(results.problem.unwrap().status, ProblemStatus::Open, "{text}");
        assert_eq!(results.strategy.unwrap().outcome, outcome, "{text}");
    }
}

#[test]
fn a_sketch_is_what_was_asked() {
    let gaps = "lemma b : Q := sorry\nlemma c : Q := sorry\nlemma d : Q := sorry\n";
    let results = read(&format!("theorem a : P := by simp\ntheorem e : P := by exact?\n{gaps}"));
    let titles: Vec<_> = results.findings.iter().map(|draft| draft.title.as_str()).collect();
    assert_eq!(titles, ["a (theorem)", "e (theorem)"], "no failure, no technique");
    for draft in &results.findings {
        assert_eq!((draft.confidence, draft.badge()), (Confidence::Low, "[CLAIMED]"));
        assert!(draft.tags.iter().any(|tag| tag == crate::model::SKETCH_TAG));
    }
    assert!(results.strategy.is_none() && results.overview.sketch);
}

#[test]
fn where_database_and_file_disagree_both_are_told() {
    let clean = Recorded {
        uuid: Some("u"),
        status: Some("compiled_clean"),
        says: Says::Proves,
        gaps: None,
        refusal: None,
        named_in_file: None,
        at: Some("2026-02-03 04:05:06"),
        is_advance: None,
    };
    let refused = Recorded { says: Says::Nothing, refusal: Some("lost n; worthless"), ..clean };
    let refuted = Recorded { status: Some("disproven"), says: Says::Refutes, ..clean };
    for (text, recorded, expected) in [
        ("theorem a : P := by simp", clean, None),
        ("theorem a : P := sorry", clean, Some("slot614, 1 gap left: `a`")),
        ("def x := 1", clean, Some("slot614, the prover's answer has no theorem")),
        ("theorem a (h : P) : P := h", clean, None),
        (
            "theorem a (h : P) : P := h",
            Recorded { says: Says::Settles, ..clean },
            Some("slot614, the prover's answer proves only what it assumes"),
        ),
        (
            "/- open\ntheorem a : P := by simp",
            clean,
            Some("slot614, the prover's answer cannot be relied on: unclosed comment in line 6"),
        ),
        // An answer that proves nothing is a failure, whatever it is called.
        (
            "theorem a : P := sorry",
            Recorded { says: Says::Nothing, ..clean },
            Some("slot614, 1 gap left: `a`"),
        ),
    ] {
        let text = format!("{HEADER}{text}");
        let origin = Origin {
            file: "slot614.lean",
            slot: Some(614),
            recorded: Some(recorded),
            is_attempt: true,
            ..Origin::default()
        };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        let failure = of_kind(&results, Kind::Failure).first().map(|draft| draft.title.as_str());
        assert_eq!(failure, expected, "{text}");
        for draft in &results.findings {
            assert_eq!(draft.created_at.as_deref(), clean.at);
        }
    }
    for (text, recorded, expected) in [
        ("theorem a : P := by simp", refuted, true),
        ("theorem a : P := by simp", refused, true),
        ("theorem a : P := sorry", refused, false),
        ("theorem a : ¬ P := by simp", refuted, false),
        ("theorem a : P := sorry", refuted, false),
        ("theorem a : P := by simp", clean, false),
    ] {
        let text = format!("{HEADER}{text}");
        let recorded = Some(recorded);
        let origin = Origin { file: "slot614.lean", recorded, ..Origin::default() };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        let is_refused = recorded.is_some_and(|it| it.refusal.is_some());
        // An owner who says why contradicts nobody.
        let said = if is_refused {
            "refused: lost n, worthless"
        } else {
            "tracking.db says disproven, but the prover's answer proves it without a gap"
        };
        let is_told = |draft: &Draft| {
            draft.notes.as_deref().is_some_and(|notes| notes.contains(said))
                && draft.has_tag(crate::model::CONTRADICTION_TAG) != is_refused
        };
        assert_eq!(results.findings.iter().any(is_told), expected, "{text}");
        let vouched = results.findings.iter().any(|draft| draft.badge() == "[PROVEN]");
        assert!(!vouched || !is_refused, "{text}");
        assert!(of_kind(&results, Kind::Failure).is_empty() || !expected, "{text}");
    }
}

#[test]
fn what_a_proof_rests_on_is_told() {
    let text = format!(
        "{HEADER}theorem fast : P := by native_decide\ntheorem gap : Q := sorry\n\
         theorem via : R := by exact fast\ntheorem main_r : S := via\ntheorem main_q : T := by simp [gap]\n\
         theorem own : U := by simp\n"
    );
    let origin = Origin { file: "slot614.lean", ..Origin::default() };
    let results = learn(&lean::Statements::detailed(&text), &origin);
    let theorems = of_kind(&results, Kind::Theorem);
    for (name, expected) in [
        ("fast", ""),
        ("via", "rests on `native_decide` in `fast`"),
        ("main_r", "rests on `native_decide` in `fast`"),
        ("main_q", "rests on a gap in `gap`"),
        ("own", ""),
    ] {
        let one = theorems.iter().find(|one| one.theorem_name.as_deref() == Some(name)).unwrap();
        let notes = one.notes.as_deref().unwrap_or_default();
        assert!(notes.contains(expected) && (!expected.is_empty() || !notes.contains("rests on")));
        let is_on_gap = one.standing().1.contains("resting on a gap");
        assert_eq!(is_on_gap, expected.contains("gap"), "{name}");
        assert_eq!(
            one.has_tag(crate::model::NATIVE_TAG),
            name == "fast" || expected.contains("native")
        );
    }
}

#[test]
fn a_proof_that_uses_a_refuted_lemma_says_so() {
    let text = format!(
        "{HEADER}/- Aristotle found this block to be false. Here is a proof of the negation:\n\n\
         lemma tiny (n : ℕ) : n = 0 := by\n  negate_state;\n  use 1\n-/\nlemma tiny (n : ℕ) : n = 0 := by\n  sorry\n\n\
         theorem whole (n : ℕ) : n < 9 := by\n  have := tiny n\n  omega\n"
    );
    let origin = Origin { file: "slot614.lean", ..Origin::default() };
    let results = learn(&lean::Statements::detailed(&text), &origin);
    let theorems = of_kind(&results, Kind::Theorem);
    let [whole] = theorems.as_slice() else { panic!("{theorems:?}") };
    let (badge, said) = whole.standing();
    assert_eq!((badge, &*said), ("[CLAIMED]", "by the prover, resting on a lemma that is false"));
    assert!(
        whole
            .description
            .starts_with("Claimed theorem from slot614.lean, resting on the refuted `tiny`")
    );
    assert!(whole.notes.as_deref().unwrap().contains("rests on `tiny`, which is false"));
}

#[test]
fn a_class_without_an_instance_is_assumed_like_an_axiom() {
    for (class, expected) in [
        ("class Oracle : Prop where\n  all : ∀ n, Big n\n", "by the prover, assuming `Oracle`"),
        (
            "class Oracle : Prop where\n  one : Big 1\n\ninstance : Oracle := ⟨one⟩\n",
            "by the prover",
        ),
        ("class Oracle (n : ℕ) : Prop where\n  big : Big n\n", "by the prover"),
        ("class Oracle : Prop where\n  all : Huge 1\n", "by the prover, assuming `Oracle`"),
    ] {
        let asked = match class {
            class if class.contains("(n") => "[Oracle n]",
            class if class.contains("Huge") => "[o : Oracle]",
            _ => "[Oracle]",
        };
        let text = format!("{HEADER}{class}\ntheorem a (n : ℕ) {asked} : 3 < n := by\n  grind\n");
        let origin = Origin { file: "slot614.lean", ..Origin::default() };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        let theorem = of_kind(&results, Kind::Theorem)[0];
        assert_eq!(theorem.standing().1, expected, "{class}");
    }
}

#[test]
fn the_main_theorem_is_what_the_file_is_about() {
    for (text, expected) in [
        ("theorem a : P := p\nlemma b : Q := q", "a"),
        ("lemma a : P := p\ntheorem b : Q := by simp [a]", "b"),
        ("/-- **The bound.** -/\ntheorem a : P := p\n/-- More. -/\ntheorem b : Q := q", "a"),
        ("/-- The main theorem. -/\ntheorem a : P := p\ntheorem b : Q := q", "a"),
        ("/-- For the main theorem. -/\ntheorem a : P := p\ntheorem b : Q := q", "b"),
        ("theorem a : P := p\n/-- A corollary. -/\ntheorem b : Q := a", "a"),
        (
            "theorem a (n : ℕ) : f n < n := p\ntheorem b (G : SimpleGraph (Fin 4)) : g G < 6 := a 4",
            "a",
        ),
        ("theorem a : P := p\n/-- A corollary. -/\ntheorem b : Q := q", "b"),
        ("theorem a : P := p\ntheorem b : Q := a", "b"),
    ] {
        let text = format!("{HEADER}{text}\n");
        let origin = Origin { file: "slot614.lean", ..Origin::default() };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        let theorems = of_kind(&results, Kind::Theorem);
        let mains = theorems.iter().filter(|one| one.has_tag(crate::model::MAIN_TAG));
        let mains: Vec<_> = mains.filter_map(|one| one.theorem_name.as_deref()).collect();
        assert_eq!(mains, [expected], "{text}");
    }
}

#[test]
fn what_the_prover_left_open_is_not_its_proof() {
    let listed = "\nThe following was proved by Aristotle:\n\n- theorem step : 0 < 1\n";
    for (listed, gaps, expected) in [
        (listed, Some(1), true),
        (listed, Some(0), false),
        (listed, None, false),
        ("", Some(1), true),
        ("", Some(0), false),
    ] {
        let header = HEADER.replace("\n-/\n", &format!("\n{listed}-/\n"));
        let text = format!(
            "{header}theorem step : 0 < 1 := by simp\ntheorem whole : 0 < 2 ^ n := by positivity"
        );
        let recorded = Some(Recorded { gaps, ..Recorded::default() });
        let origin = Origin { file: "slot614.lean", recorded, ..Origin::default() };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        let doubted = results.findings.iter().filter(|draft| draft.against().is_some());
        let names: Vec<_> = doubted.filter_map(|draft| draft.theorem_name.as_deref()).collect();
        assert_eq!(names, if expected { vec!["whole"] } else { vec![] }, "{listed} {gaps:?}");
    }
}

#[test]
fn a_statement_shows_the_variables_that_assume() {
    let file = "class Bound : Prop where\n  le : ∀ n, f n ≤ 7\nvariable {V : Type*} [Fintype V] [Bound]\n\
                theorem used (n : ℕ) : f n < 8 := by simpa using Bound.le n\n";
    for (file, expected) in [
        (file.to_owned(), "theorem used [Bound] (n : ℕ) : f n < 8"),
        (file.replace("[Bound]", ""), "theorem used (n : ℕ) : f n < 8"),
        (
            file.replace("[Bound]", "(h : ∀ n, f n ≤ 7)\ninclude h"),
            "theorem used (h : ∀ n, f n ≤ 7) (n : ℕ) : f n < 8",
        ),
    ] {
        let results = read(&format!("{HEADER}{file}"));
        let used = results.findings.iter().find(|it| it.theorem_name.as_deref() == Some("used"));
        let statement = used.unwrap().theorem_statement.as_deref().unwrap();
        assert_eq!(statement, expected, "{file}");
    }
}

#[test]
fn a_file_says_when_it_was_made() {
    for (comment, expected) in [
        ("/-\nA try.\nDate: 2026-01-02\n-/", Some("2026-01-02 00:00:00")),
        ("-- created: 2026-01-02T03:04:05", Some("2026-01-02 00:00:00")),
        ("/- Mathlib version: 2026-01-02 -/", None),
        ("/- Date: today -/", None),
        ("theorem z : P := sorry\n/- Date: 2026-01-02 -/", None),
    ] {
        let text = format!("{comment}\ntheorem a : P := by simp");
        let origin = Origin { file: "x.lean", ..Origin::default() };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        assert_eq!(results.findings[0].created_at.as_deref(), expected, "{comment}");
    }
}

#[test]
fn a_counterexample_is_a_sentence_or_a_value() {
    for (statement, steps, expected) in [
        ("(n : ℕ) : n < 40", "  use 40\n  simp", Some("n = 40")),
        (": ∀ n k : ℕ, n < k", "  use 40, 3;\n  norm_num", Some("n = 40, k = 3")),
        (
            "{V : Type*} (G : Foo V) : Bar G",
            "  use ULift (Fin 5), ⊥",
            Some("V = ULift (Fin 5), G = ⊥"),
        ),
        ("(n : ℕ) : n < 40", "  refine ⟨40, ?_⟩", Some("n = 40")),
        ("(f : ℕ → ℕ) : Bar f", "  use fun n => n + 1", None),
        (
            "{V : Type} [Fintype V] (s : Finset V) : Bar s",
            "  use Fin 5, inferInstance, {0, 1}",
            Some("V = Fin 5, s = {0, 1}"),
        ),
        ("(n : ℕ) : n < 40", "  simp [Nat.lt]", None),
        (
            "(n : ℕ) : n < 40",
            "  -- Consider the number 40, which is not below itself.\n  use 40",
            Some("Consider the number 40, which is not below itself."),
        ),
        ("(n : ℕ) : n < 40", "  -- Wait, there's a mistake.\n  use 40", Some("n = 40")),
    ] {
        let docstring = "/-- Every number is below forty. -/";
        let proof = format!("by\n  negate_state;\n{steps}\n");
        let results = read(&format!("{docstring}\ntheorem a {statement} := {proof}"));
        let [false_lemma] = of_kind(&results, Kind::FalseLemma)[..] else { panic!("{steps}") };
        assert_eq!(false_lemma.counterexample.as_deref(), expected, "{statement} {steps}");
    }
}

/// Beside the values, what they are; never the claim itself, and no words about a helper.
#[test]
fn what_stands_above_a_theorem_is_its_claim() {
    for (block, expected) in [
        (
            "/- Every ring is finite. -/\ntheorem ring_finite (n : ℕ) : n < 40 := by\n  negate_state;\n  use 41",
            Some("n = 41"),
        ),
        (
            "/- The wheel with six spokes has no such cover. -/\ndef wheel : ℕ := 6\n\n\
             /- A wheel has a hub. -/\nlemma wheel_hub : 0 < wheel := by decide\n\n\
             /- Every ring has a cover. -/\ntheorem ring_cover (n : ℕ) : n < 5 := by\n  negate_state;\n  simp",
            Some("The wheel with six spokes has no such cover."),
        ),
        (
            "-- Every ring is finite,\n-- and so is its centre.\ntheorem ring_finite (n : ℕ) : n < 40 := by\n  negate_state;\n  simp",
            None,
        ),
        (
            "/- Take a wheel with one rim. -/\nlemma wheel_one : 0 < 6 := by decide\n\n\
             /- Every ring has a cover. -/\ntheorem ring_cover (n : ℕ) : n < 5 := by\n  negate_state;\n  use 6",
            Some("Take a wheel with one rim."),
        ),
        (
            "/- The wheel has six spokes. -/\nlemma wheel_one : 0 < 6 := by decide\n\n\
             /- Every ring has a cover. -/\ntheorem ring_cover (n : ℕ) : n < 5 := by\n  negate_state;\n  simp",
            Some("The wheel has six spokes."),
        ),
        (
            "/- The wheel is a counterexample with one rim. -/\nlemma wheel_one : 0 < 6 := by decide\n\n\
             /- Every ring has a cover. -/\ntheorem ring_cover (n : ℕ) : n < 5 := by\n  negate_state;\n  simp",
            Some("The wheel is a counterexample with one rim."),
        ),
    ] {
        let asked = "theorem ring_cover (n : ℕ) : n < 5 := by\n  sorry\n";
        let text = format!(
            "{HEADER}/- Aristotle found this block to be false. Here is a proof of the negation:\n\n{block}\n-/\n{asked}"
        );
        let results = read(&text);
        let [false_lemma] = of_kind(&results, Kind::FalseLemma)[..] else { panic!("{block}") };
        assert_eq!(false_lemma.counterexample.as_deref(), expected, "{block}");
    }
}

fn of_row(text: &str, recorded: Recorded<'_>) -> Results {
    let origin = Origin {
        file: "submissions/slot3_ring_result.lean",
        problem: Some("ring"),
        is_attempt: true,
        recorded: Some(recorded),
        ..Origin::default()
    };
    learn(&lean::Statements::detailed(&format!("{HEADER}{text}")), &origin)
}

#[test]
fn only_a_lemma_named_after_its_problem_refutes_it() {
    let block = "/- Aristotle found this block to be false. Here is a proof of the negation:\n\n\
                 theorem covers (n : ℕ) : n < 5 := by\n    negate_state;\n    use 5\n-/\n\
                 theorem covers (n : ℕ) : n < 5 := by\n  sorry\n";
    let helper = "lemma above (n : ℕ) : n < n + 1 := by omega\n";
    let row = Recorded { status: Some("disproven"), says: Says::Refutes, ..Recorded::default() };
    for (text, recorded, expected) in [
        (format!("{helper}{block}"), row, false),
        (format!("{helper}{block}"), Recorded::default(), false),
        (block.replace("covers", "ring"), row, true),
        // Another theorem is the main one.
        (format!("{block}theorem later (n : ℕ) : n < n + 2 := by omega\n"), row, false),
        (block.replace("    negate_state", "    use 3;\n    negate_state"), row, false),
    ] {
        let results = of_row(&text, recorded);
        let [false_lemma] = of_kind(&results, Kind::FalseLemma)[..] else { panic!("{text}") };
        assert_eq!(false_lemma.has_tag("main"), expected, "{text}");
        let is_step = |one: &&Draft| one.has_tag("helper") || one.has_tag("main");
        let mut theorems = of_kind(&results, Kind::Theorem).into_iter();
        assert!(theorems.all(|one| is_step(&one)), "{text}");
    }
}

#[test]
fn who_proves_not_all_refutes_a_claim() {
    let row = Recorded { status: Some("disproven"), says: Says::Refutes, ..Recorded::default() };
    let family = "/-- The three sides of a triangle. -/\ndef sides : List ℕ := [3, 4, 5]\n";
    for (text, recorded, expected) in [
        (
            "theorem not_small : ¬ ∀ n : ℕ, n < 40 := by\n  push_neg\n  use 41\n",
            Recorded::default(),
            Some(("∀ n : ℕ, n < 40", Some("n = 41"))),
        ),
        (
            "theorem small_false :\n    ¬(∀ n k : ℕ, n < k) := fun h => absurd (h 4 3) (by decide)\n",
            Recorded::default(),
            Some(("∀ n k : ℕ, n < k", Some("n = 4, k = 3"))),
        ),
        (
            "/-- The claim fails. -/\ntheorem small : ¬ ∀ (G : Type) [Group G] (l : List ℕ), Short l := by\n  \
             intro hall\n  have := hall (Fin 3) sides (by decide)\n  omega\n",
            Recorded::default(),
            Some((
                "∀ (G : Type) [Group G] (l : List ℕ), Short l",
                Some("G = Fin 3, l = sides: The three sides of a triangle."),
            )),
        ),
        (
            "/-- Not all are: take the number forty. -/\ntheorem not_small : ¬ ∀ n : ℕ, n < 40 := by\n  simp\n",
            Recorded::default(),
            Some(("∀ n : ℕ, n < 40", Some("Take the number forty."))),
        ),
        ("theorem small : ¬ ∀ n : ℕ, n < 40 := by\n  simp\n", row, Some(("∀ n : ℕ, n < 40", None))),
        // No word of a refutation, another form, a gap, an assumption, a helper.
        ("theorem small : ¬ ∀ n : ℕ, n < 40 := by\n  simp\n", Recorded::default(), None),
        ("theorem not_three : ¬ ∃ n : ℕ, n * n = 3 := by\n  simp\n", row, None),
        ("theorem not_round : ¬ wheel.IsHamiltonian := by\n  decide\n", row, None),
        ("theorem not_onto (f : ℕ → Set ℕ) : ¬ Function.Surjective f := by\n  simp\n", row, None),
        ("theorem not_two : ¬ (∀ n : ℕ, n < 2) ∧ 1 < 2 := by\n  simp\n", row, None),
        ("theorem not_if (h : ¬ ∀ n : ℕ, n < 2) : 1 < 2 := by\n  simp\n", row, None),
        ("theorem not_of (h : Deep) : ¬ ∀ n : ℕ, n < 2 := by\n  simp\n", row, None),
        ("theorem not_small : ¬ ∀ n : ℕ, n < 40 := by\n  sorry\n", row, None),
        (
            "theorem not_small : ¬ ∀ n : ℕ, n < 40 := by\n  simp\ntheorem last : P := by\n  simp\n",
            row,
            None,
        ),
    ] {
        let results = of_row(&format!("{family}{text}"), recorded);
        let found = of_kind(&results, Kind::FalseLemma);
        let found = found.first().map(|one| {
            let claim = one.theorem_statement.as_deref().unwrap().strip_prefix("example : ");
            assert_eq!((one.confidence, one.evidence), (Confidence::Disproven, Evidence::Prover));
            assert!(one.key.is_some() && one.title.starts_with("FALSE: ∀"), "{}", one.title);
            (claim.unwrap(), one.counterexample.as_deref())
        });
        assert_eq!(found, expected, "{text}");
        if !text.contains("sorry") {
            assert!(!of_kind(&results, Kind::Theorem).is_empty(), "it stays proved: {text}");
        }
    }
}

#[test]
fn an_instance_is_told_where_a_theorem_says_that_something_fails() {
    let file = "/-- The numbers without zero. -/\ndef Positive := ℕ\n\
                theorem bound_fails : ∃ (X : Type) (_ : Inhabited X) (n : ℕ), ¬ Holds X n :=\n  \
                ⟨Positive, inferInstance, 3, by decide⟩\n";
    for (file, expected) in [
        (file.to_owned(), Some("X = Positive, n = 3: The numbers without zero.")),
        (file.replace("bound_fails", "exists_bound"), None),
    ] {
        let results = read(&format!("{HEADER}{file}"));
        let [theorem] = of_kind(&results, Kind::Theorem)[..] else { panic!("{file}") };
        assert_eq!(theorem.counterexample.as_deref(), expected, "{file}");
    }
}

#[test]
fn a_technique_is_what_the_main_proof_does() {
    for (file, expected) in [
        // What comments say, those in the proof first.
        ("theorem t : P := by\n  -- pigeonhole on the residues\n  simp\n", "pigeonhole principle"),
        ("/-- By double counting of edges. -/\ntheorem t : P := by\n  omega\n", "double counting"),
        (
            "/- Plan: compactness.\nWe use the compactness of the product. -/\ntheorem t : P := by\n  simp\n",
            "finished by simplification (simp)",
        ),
        (
            "/- Plan: by compactness of the product. -/\ntheorem t : P := by\n  simp\n",
            "compactness",
        ),
        (
            "/-- The intermediate value theorem for trees. -/\ntheorem t : P := by\n  omega\n",
            "finished by linear arithmetic (omega)",
        ),
        (
            "/-- Follows from the intermediate value theorem. -/\ntheorem t : P := by\n  omega\n",
            "intermediate value theorem",
        ),
        // The lemmas.
        (
            "theorem t : P := by\n  by_contra h\n  obtain ⟨a, b⟩ := Finset.exists_ne_map_eq_of_card_lt_of_maps_to h hf\n  simp\n",
            "pigeonhole principle",
        ),
        ("theorem t : P := by\n  rw [Finset.sum_comm]\n  simp\n", "double counting"),
        ("theorem t : P := by\n  set m := S.max' hne\n  simp_all\n", "extremal principle"),
        (
            "def greedyPick : ℕ := 0\ntheorem t : P := by\n  exact foo greedyPick\n",
            "greedy algorithm",
        ),
        ("theorem t : P := Nat.le_induction h0 h1 n hn\n", "induction"),
        // Its own steps; a helper's are not its own.
        (
            "theorem t (n : ℕ) : P n := by\n  induction n with\n  | zero => simp\n  | succ n ih => rw [Finset.sum_comm]; simp\n",
            "induction",
        ),
        (
            "theorem t (n : ℕ) : P n := by\n  induction' n using Nat.strong_induction_on with n ih\n  simp\n",
            "strong induction",
        ),
        (
            "theorem t (e : Sym2 V) : P e := by\n  induction e using Sym2.ind with\n  | _ u v => simp\n",
            "finished by simplification (simp)",
        ),
        (
            "lemma l (n : ℕ) : P n := by\n  induction n with\n  | zero => simp\n  | succ n ih => simp\ntheorem t : Q := by\n  have := l 3\n  omega\n",
            "finished by linear arithmetic (omega)",
        ),
        ("theorem t : ∃ n : ℕ, P n := by\n  use 40\n  simp\n", "explicit construction"),
        ("theorem t : ∃ n : ℕ, P n := ⟨40, by simp⟩\n", "explicit construction"),
        (
            "theorem t : ∃ n : ℕ, P n := by\n  obtain ⟨m, hm⟩ := foo\n  exact ⟨m, by omega⟩\n",
            "finished by linear arithmetic (omega)",
        ),
        (
            "def Sums (n : ℕ) : Prop :=\n  ∃ a b : ℕ, n = a + b\ntheorem t (n : ℕ) (hn : 1 < n) : Sums n := by\n  refine ⟨1, n - 1, ?_⟩\n  omega\n",
            "explicit construction",
        ),
        (
            "theorem t : ¬ ∀ n : ℕ, P n := by\n  intro h\n  simpa using h 4\n",
            "explicit counterexample",
        ),
        ("theorem t : ¬ ∃ n : ℕ, P n := by\n  rintro ⟨n, h⟩\n  omega\n", "proof by contradiction"),
        (
            "theorem t : P := by\n  have h : Q := by\n    by_contra hq\n    omega\n  linarith\n",
            "finished by linear arithmetic (linarith)",
        ),
        ("theorem t : P := by\n  intro v\n  native_decide\n", "finite computation (native_decide)"),
        (
            "theorem t : P := by\n  have := foo (by decide)\n  omega\n",
            "finished by linear arithmetic (omega)",
        ),
        (
            "theorem t : ∀ l : List ℕ, P l\n  | [] => by simp\n  | a :: l => by simpa using t l\n",
            "induction",
        ),
        ("theorem t : P := by\n  rfl\n", "by definition (rfl)"),
        ("theorem t : P := by\n  rw [foo]\n", "finished by rewriting"),
        // Only a term is a direct proof term.
        ("theorem t : P := foo bar\n", "direct proof term"),
        ("theorem t : P := by\n  exact foo bar\n", "finished by a lemma (exact)"),
    ] {
        let results = read(&format!("{HEADER}import Mathlib\n{file}"));
        let found = results.overview.technique.unwrap_or_default();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn variables_tell_the_domain() {
    let theorem = "theorem t (h : Fintype.card G = 8) (a b : G) : a * b = b * a := by simp\n";
    for (variable, expected) in [
        ("variable {G : Type*}\n    [Group G] [Fintype G]\n\n", Some("algebra")),
        ("variable {G : Type*} [Fintype G]\n", Some("combinatorics")),
    ] {
        let text = format!("import Mathlib\n{variable}{theorem}");
        let origin = Origin { file: "x.lean", ..Origin::default() };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        assert_eq!(results.overview.domain.as_deref(), expected, "{variable}");
    }
}

#[test]
fn a_failure_is_named_after_what_could_not_be_loaded() {
    let failed = "/- Aristotle failed to load this code into its environment.\n\nUnknown constant `foo`\n-/\n";
    let text = format!("{failed}lemma bad : P := foo\ntheorem later : Q := by\n  sorry\n");
    let own = HEADER.replace(
        "-/",
        "Aristotle encountered an error processing this file.\nLean errors:\nAt line 3, column 1:\n  \
         Unknown identifier `foo`\nAt line 4, column 1:\n  unsolved goals\n-/",
    );
    for (text, title, why) in [
        (
            format!("{HEADER}{text}"),
            "slot614, the prover could not load it: `bad`; open: `later`",
            "the prover could not load the code: Unknown constant `foo`; 1 sorry remaining: `later` (line 11)",
        ),
        (
            format!("{own}theorem t : P := foo\n"),
            "slot614, it did not compile",
            "did not compile: Unknown identifier `foo`",
        ),
    ] {
        let results = read(&text);
        let [failure] = of_kind(&results, Kind::Failure)[..] else { panic!("{text}") };
        assert_eq!(failure.title, title);
        assert_eq!(failure.why_failed.as_deref(), Some(why));
    }
}

#[test]
fn compiled_code_is_noted_where_it_runs() {
    let text = "theorem fast : P := by native_decide\ntheorem slow : Q := by decide\n";
    let results = read(&format!("{HEADER}{text}"));
    for theorem in of_kind(&results, Kind::Theorem) {
        let is_fast = theorem.theorem_name.as_deref() == Some("fast");
        assert_eq!(theorem.notes.as_deref().unwrap().contains("uses native_decide"), is_fast);
    }
}

#[test]
fn the_text_of_a_file_names_its_problem() {
    let mut known = KnownProblems::default();
    known.insert("kurepa");
    known.insert("bridges_nu4");
    for (text, expected) in [
        ("/- Erdős problem 12 -/\ntheorem a : P := by simp", Some("erdos_12")),
        ("theorem erdos_12_small : P := by simp", Some("erdos_12")),
        ("namespace X\ntheorem kurepa_bound : P := by simp", Some("kurepa")),
        ("theorem erdos_12 : P := by simp\ntheorem erdos_13 : P := by simp", None),
        ("theorem a : P := by simp\n/- Erdős problem 12 -/", None),
    ] {
        let named = problem_named(text, &lean::outline(text), &known);
        assert_eq!(named.as_deref(), expected, "{text}");
    }
}

#[test]
fn a_triviality_does_not_state_its_problem() {
    for (file, statement, learned) in [
        (
            "theorem erdos_850 (P : Prop) : P ∨ ¬P := em P\n",
            None,
            "Proved, but trivial: `erdos_850`.",
        ),
        (
            "/-- Is it finite? -/\ntheorem erdos_850 : True := trivial\n",
            Some("Is it finite?"),
            "Proved, but trivial: `erdos_850`.",
        ),
        (
            "theorem erdos_850 (n : ℕ) : n * n ≠ 2 := by nlinarith\n",
            Some("theorem erdos_850 (n : ℕ) : n * n ≠ 2"),
            "Proved: `erdos_850`.",
        ),
        (
            "theorem erdos_850 (n k : ℕ) (h : k = 4) : n * n ≠ k := by nlinarith\n",
            None,
            "Proved: `erdos_850`.",
        ),
        (
            "variable (H : ∀ n, Odd n)\ninclude H in\ntheorem erdos_850 (n : ℕ) : Odd n := H n\n",
            None,
            "Proved, but trivial: `erdos_850`.",
        ),
        (
            "axiom deep : P\ntheorem erdos_850 : P := deep\n",
            Some("theorem erdos_850 : P"),
            "Proved, if `deep` is assumed: `erdos_850`.",
        ),
    ] {
        let results = read(&format!("{HEADER}{file}"));
        let problem = results.problem.unwrap();
        assert_eq!(problem.statement.as_deref(), statement, "{file}");
        let strategy = results.strategy.unwrap();
        assert_eq!(strategy.learned.as_deref(), Some(learned), "{file}");
    }
}

#[test]
fn the_main_theorem_is_named_after_its_problem_or_the_last() {
    for (names, expected) in [
        (&["erdos_850", "erdos_850_small_cases"][..], "erdos_850"),
        (&["a", "Erdos850.main_theorem", "b"], "Erdos850.main_theorem"),
        (&["erdos_850_result", "erdos_850", "z"], "erdos_850_result erdos_850"),
        (&["erdos_850_small", "erdos_850_large", "aux_1"], "erdos_850_large"),
        (&["a", "b", "b_step2"], "b"),
        (&["h_main"], ""),
    ] {
        let code = names.join(" : P := by simp\ntheorem ");
        let results = read(&format!("{HEADER}theorem {code} : P := by simp\n"));
        let theorems = of_kind(&results, Kind::Theorem).into_iter();
        let mains = theorems.filter(|one| one.tags.iter().any(|tag| tag == "main"));
        let mains: Vec<&str> = mains.filter_map(|one| one.theorem_name.as_deref()).collect();
        assert_eq!(mains.join(" "), expected, "{names:?}");
    }
}

#[test]
fn a_refuted_goal_is_not_a_refuted_statement() {
    for (steps, confidence) in [
        ("", Confidence::Disproven),
        ("  intro n hn;\n  by_contra h;\n", Confidence::Disproven),
        ("  -- a comment with use 2\n", Confidence::Disproven),
        ("  use 2;\n", Confidence::Medium),
        ("  have h : True := by sorry;\n", Confidence::Medium),
    ] {
        let results = read(&format!("theorem a : P := by\n{steps}  negate_state;\n  simp"));
        let [false_lemma] = of_kind(&results, Kind::FalseLemma)[..] else { panic!("{steps}") };
        assert_eq!(false_lemma.confidence, confidence, "{steps}");
        assert!(of_kind(&results, Kind::Theorem).is_empty());
    }
}

#[test]
fn a_name_that_was_negated_may_be_proved_with_another_statement() {
    let header = "/-\nThis file was edited by Aristotle.\n\nThe following was negated by Aristotle:\n\n\
                  - theorem a (n : ℕ) : n = 0\n-/\n";
    for (code, proven) in [
        ("theorem a (n : ℕ) :\n    n = 0 := by simp", 0),
        ("theorem a (n : ℕ) (h : n < 1) : n = 0 := by omega", 1),
        ("theorem a (n : ℕ) (h : n < 1) : n = 0 := by sorry", 0),
        ("theorem b (n : ℕ) : n = n := rfl", 1),
    ] {
        let results = read(&format!("{header}{code}"));
        assert_eq!(of_kind(&results, Kind::Theorem).len(), proven, "{code}");
        let [false_lemma] = of_kind(&results, Kind::FalseLemma)[..] else { panic!("{code}") };
        assert_eq!(false_lemma.theorem_statement.as_deref(), Some("theorem a (n : ℕ) : n = 0"));
    }
}

#[test]
fn the_macro_of_the_prover_is_no_gap() {
    let text = "import Mathlib\nopen Lean.Elab.Tactic in\nmacro \"negate_state\" : tactic => `(tactic| (\n  \
                refine @(((by admit) : ∀ {p : Prop}, ¬p → p) ?_)))\n\ntheorem a : P 1 := by rfl\n";
    let results = read(&format!("{HEADER}{text}"));
    assert_eq!(results.overview.gaps, 0);
    assert_eq!(of_kind(&results, Kind::Technique).len(), 1);
}

#[test]
fn a_file_is_known_by_its_request_or_its_path() {
    let proof = "theorem a : 1 = 1 := rfl\n";
    let uid = |text: &str, file: &str| {
        let origin = Origin { file, project: Some("p"), ..Origin::default() };
        learn(&lean::Statements::detailed(text), &origin).findings[0].uid()
    };
    let signed = format!("{HEADER}{proof}");
    assert_eq!(uid(&signed, "old/x.lean"), uid(&signed, "new/x.lean"));
    assert_ne!(uid(proof, "old/x.lean"), uid(proof, "new/x.lean"));
    let twice = read(&format!("{proof}{proof}"));
    assert_ne!(twice.findings[0].uid(), twice.findings[1].uid());
}

#[test]
fn a_summary_speaks_for_the_files_that_it_names() {
    let text = "theorem nice_bound : 1 = 1 := rfl";
    for (summary, vouched) in [
        (
            "# Summary of changes for run 3f2a9c1e-7b44-4d0e-9a51-0c6d8e2f4b17\nProved `nice_bound`.",
            true,
        ),
        (
            "# Summary of changes for run 3f2a9c1e-7b44-4d0e-9a51-0c6d8e2f4b17\nProved `other`.",
            false,
        ),
    ] {
        let origin = Origin {
            file: "a/x1.lean",
            summary: Some(("ARISTOTLE_SUMMARY.md", summary)),
            ..Origin::default()
        };
        let results = learn(&lean::Statements::detailed(text), &origin);
        let expected = if vouched { Confidence::Verified } else { Confidence::Medium };
        assert_eq!(results.findings[0].confidence, expected);
        assert_eq!(results.overview.uuid.is_some(), vouched);
    }
}

#[test]
fn a_file_of_a_library_is_no_attempt() {
    let proof = "theorem a : 1 = 1 := rfl";
    for (text, is_attempt, expected) in [
        (proof.to_owned(), false, false),
        (proof.to_owned(), true, true),
        (format!("{HEADER}{proof}"), false, true),
    ] {
        let origin = Origin {
            file: "Torsion.lean",
            problem: Some("torsion"),
            is_attempt,
            ..Origin::default()
        };
        let results = learn(&lean::Statements::detailed(&text), &origin);
        assert_eq!(results.findings[0].problem.as_deref(), Some("torsion"));
        assert_eq!(results.problem.is_some(), expected, "{text} {is_attempt}");
        assert_eq!(results.strategy.is_some(), expected && text.starts_with(HEADER));
    }
}

#[test]
fn nothing_is_learnt_from_nothing() {
    for text in ["", "-- a comment", "def a := 1\nstructure B where x : Nat", "import Mathlib"] {
        let results = read(text);
        assert!(
            results.findings.is_empty() && results.problem.is_none() && results.strategy.is_none()
        );
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_read(pieces in proptest::collection::vec(piece(), 0..12)) {
        let text = pieces.concat();
        let results = read(&text);
        for draft in &results.findings {
            proptest::prop_assert!(!draft.title.is_empty());
        }
        let refuted = &results.overview.negated;
        for draft in of_kind(&results, Kind::FalseLemma) {
            proptest::prop_assert!(draft.theorem_name.is_none() || refuted.contains(draft.theorem_name.as_ref().unwrap()));
        }
    }
}

/// Pieces of results, whole and broken, and noise between them.
fn piece() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    prop_oneof![
        proptest::sample::select(vec![
            HEADER,
            "/-\nThis file was edited by Aristotle.\n\nThe following was negated by Aristotle:\n\n- theorem a : P\n-",
            "theorem a : P := by\n  negate_state;\n  use 3\n",
            "/- Aristotle found this block to be false. Here is a proof of the negation:\n\ntheorem a : P := by\n",
            "/- Aristotle failed to load this code\n\noops-/\n",
            "-/\n",
            "lemma «b c» : P := by sorry\n",
            "by admit) : ∀ {p : Prop}",
            "example : P := by negate_state\n",
            "- ",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,20}",
    ]
}
