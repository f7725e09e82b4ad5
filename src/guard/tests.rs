//! What the guard must say, as tables of edits and verdicts.

use proptest::prelude::*;

use super::*;

const PROVED: &str = "namespace N\n\ntheorem foo (a b : Nat) (h : a < b) : a ≤ b := by\n  have h1 := \
    Nat.lt_iff_add_one_le.mp h\n  exact le_trans (Nat.le_succ a) h1\n\nend N\n";

fn without_proof(text: &str) -> String {
    let start = text.find("by\n").unwrap();
    let end = text.find("\n\nend").unwrap();
    format!("{}by\n  sorry{}", &text[..start], &text[end..])
}

#[test]
fn the_reason_names_the_declaration_and_shows_what_would_be_lost_and_the_ways_on() {
    let verdict = judge(PROVED, &without_proof(PROVED), &Policy::default());
    assert_eq!(verdict.decision(), Level::Deny);
    insta::assert_snapshot!(verdict.reason(Tense::Would, "FILE"), @r#"
    math-forge refused this edit; nothing was written.
    [proof-lost] theorem `N.foo` (line 3) would lose its proof: left with `sorry` at line 4.
    What would be lost:
        by
          have h1 := Nat.lt_iff_add_one_le.mp h
          exact le_trans (Nat.le_succ a) h1
    What you can do:
      - keep the proof and change only the step that has to change;
      - try another proof in a new declaration, where `sorry` is fine; move it here when it has no gap;
      - state the step that is missing as a new lemma with `sorry`, and use it in this proof;
      - if it must be done: `mk allow N.foo --rule proof-lost --once --reason "..."` asks the person; then edit again.
    "#);
}

#[test]
fn after_the_fact_the_edit_is_to_be_undone() {
    let verdict = judge(PROVED, &without_proof(PROVED), &Policy::default());
    let long = PROVED.replace("  have h1", "  -- one\n  -- two\n  -- three\n  have h1");
    insta::assert_snapshot!(verdict.reason(Tense::Has, "A.lean"), @r#"
    math-forge does not accept this edit, which has been written.
    [proof-lost] theorem `N.foo` (line 3) has lost its proof: left with `sorry` at line 4.
    What was lost:
        by
          have h1 := Nat.lt_iff_add_one_le.mp h
          exact le_trans (Nat.le_succ a) h1
    Undo this edit, then:
      - keep the proof and change only the step that has to change;
      - try another proof in a new declaration, where `sorry` is fine; move it here when it has no gap;
      - state the step that is missing as a new lemma with `sorry`, and use it in this proof;
      - if it must be done: `mk allow N.foo --rule proof-lost --once --reason "..."` asks the person; then edit again.
    "#);
    let sentence = verdict.findings[0].sentence(Tense::Did);
    assert!(sentence.contains("lost its proof") && !sentence.contains("has"), "{sentence}");
    for tense in [Tense::Would, Tense::Has, Tense::Did] {
        let lines = judge(&long, &without_proof(PROVED), &Policy::default());
        let lines = lines.reason(tense, "A.lean").lines().count();
        assert!(lines <= 12, "{lines} lines");
    }
}

#[test]
fn the_person_is_asked_in_words_that_are_a_refusal_too() {
    let levels = [(Rule::ProofLost, Level::Ask)].into();
    let policy = Policy { levels, ..Policy::default() };
    let reason = judge(PROVED, &without_proof(PROVED), &policy).reason(Tense::Would, "FILE");
    assert!(
        reason.starts_with("math-forge: this edit needs the person's agreement.\n"),
        "{reason}"
    );
    assert!(!reason.contains("mk allow"), "the person is asked already: {reason}");
    assert!(reason.ends_with("use it in this proof."), "{reason}");
}

#[test]
fn what_has_no_name_is_allowed_by_its_file_and_names_are_words_of_a_shell() {
    let lost = |name: &str, file: &str| {
        let before = format!("{name} : 1 = 1 := by\n  simp [foo, bar]\n");
        let after = before.replace("simp [foo, bar]", "sorry");
        judge(&before, &after, &Policy::default()).reason(Tense::Would, file)
    };
    for (name, file, expected) in [
        ("example", "A/B.lean", "`mk allow A/B.lean --rule"),
        ("example", "my file.lean", "`mk allow \"my file.lean\" --rule"),
        ("example", "a$b.lean", "`mk allow 'a$b.lean' --rule"),
        ("theorem foo'", "A.lean", "`mk allow \"foo'\" --rule"),
        ("theorem α.β₁", "A.lean", "`mk allow α.β₁ --rule"),
    ] {
        let reason = lost(name, file);
        assert!(reason.contains(expected), "{expected}\n{reason}");
    }
}

#[test]
fn several_rules_are_told_once_each() {
    let two = "theorem a : P := by\n  simp [x, y]\n\ntheorem b : Q := by\n  simp [y, z]\n";
    let after = "theorem a : P := by\n  sorry\n\ntheorem b : R := by\n  simp [y, z]\n";
    let verdict = judge(two, after, &Policy::default());
    insta::assert_snapshot!(verdict.reason(Tense::Would, "A.lean"), @r#"
    math-forge refused this edit; nothing was written.
    [proof-lost] theorem `a` (line 1) would lose its proof: left with `sorry` at line 2.
        by simp [x, y]
    [statement-changed] the statement of theorem `b` (line 4) would change.
        was: theorem b : Q
        would be: theorem b : R
    What you can do:
      - keep the proof and change only the step that has to change;
      - state the new version under a new name beside this one;
      - if it must be done: `mk allow A.lean --rule proof-lost --for 30m --reason "..."` and `mk allow A.lean --rule statement-changed --for 30m --reason "..."` ask the person; then edit again.
    "#);
}

#[test]
fn a_remark_is_short() {
    let after = PROVED.replace("namespace N", "namespace N\n@[csimp] theorem f_eq : f = g := h");
    let verdict = judge(PROVED, &after, &Policy::default());
    assert_eq!(verdict.decision(), Level::Warn);
    insta::assert_snapshot!(verdict.reason(Tense::Would, "FILE"), @"[trust-added] theorem `N.f_eq` (line 2) would need trust beyond the kernel: csimp.");
}

#[test]
fn many_findings_are_told_in_part() {
    let file = |proof: &str| {
        (0..20).fold(String::new(), |text, n| text + &format!("theorem t{n} : P {n} := {proof}\n"))
    };
    let verdict = judge(&file("h"), &file("by sorry"), &Policy::default());
    assert_eq!(verdict.findings.len(), 20);
    let reason = verdict.reason(Tense::Would, "FILE");
    assert!(reason.contains("And 16 more"), "{reason}");
    assert!(reason.len() < 2_500, "{} bytes", reason.len());
}

#[test]
fn the_third_refusal_is_advice() {
    let verdict = judge(PROVED, &without_proof(PROVED), &Policy::default());
    let tried = ["nlinarith failed".to_owned()];
    insta::assert_snapshot!(coaching(&verdict.findings[0], 2, &tried, &verdict.last_way("A.lean")), @r#"
    This was already refused 2 times in this session, and trying again will not help.
    Do something else now:
      - split the statement: one new lemma for each case or step, each with its own `sorry`;
      - test it for falsity: `decide`, `norm_num` or a small case in an `example`;
      - leave it as it is and go on with another declaration;
      - ask the person which way to go;
      - record what failed: `mk add failure --title "N.foo: WHAT WAS TRIED" --why-failed "WHY IT FAILED"`;
      - if it must be done: `mk allow N.foo --rule proof-lost --once --reason "..."` asks the person; then edit again.
    Tried already:
      - nlinarith failed
    "#);
}

#[test]
fn levels_and_allowances() {
    let lost = without_proof(PROVED);
    let native = PROVED.replace("have h1", "have h0 : 1 < 2 := by native_decide\n  have h1");
    let axiom = PROVED.replace("end N", "axiom Project.choice : P\nend N");
    let allow = |pattern: &str| Policy { allowed: vec![pattern.to_owned()], ..Policy::default() };
    let level = |rule, level| Policy { levels: [(rule, level)].into(), ..Policy::default() };
    for (after, policy, expected) in [
        (&lost, Policy::default(), Level::Deny),
        (&lost, level(Rule::ProofLost, Level::Ask), Level::Ask),
        (&lost, level(Rule::ProofLost, Level::Off), Level::Off),
        (&native, Policy::default(), Level::Warn),
        (&native, allow("N.foo.native_decide.*"), Level::Off),
        (&native, allow("*.native_decide.ax_*"), Level::Off),
        (&axiom, Policy::default(), Level::Ask),
        (&axiom, Policy { answer: Some(Level::Deny), ..Policy::default() }, Level::Deny),
        (&axiom, allow("N.Project.*"), Level::Off),
    ] {
        let verdict = judge(PROVED, after, &policy);
        assert_eq!(
            verdict.decision(),
            expected,
            "{policy:?}\n{}",
            verdict.reason(Tense::Would, "FILE")
        );
    }
}

#[test]
fn a_gap_in_a_complete_file_is_said_only_where_it_is_asked_for() {
    let after = PROVED.replace("end N", "lemma bar : True := by sorry\nend N");
    assert_eq!(judge(PROVED, &after, &Policy::default()).decision(), Level::Off);
    let levels = [(Rule::GapInCompleteFile, Level::Deny)].into();
    let verdict = judge(PROVED, &after, &Policy { levels, ..Policy::default() });
    assert_eq!(verdict.findings[0].declaration.as_deref(), Some("N.bar"));
    assert_eq!(verdict.decision(), Level::Deny);
}

#[test]
fn false_lemmas_are_seen_by_name_and_by_statement() {
    let known = FalseLemma {
        name: "Erdos.sum_bound".to_owned(),
        statement: "(n : Nat) (h : 2 < n) : f n < n".to_owned(),
        counterexample: "n = 3".to_owned(),
        why: "f 3 = 3".to_owned(),
        instead: "sum_bound_weak".to_owned(),
        ..FalseLemma::default()
    };
    let policy = Policy { false_lemmas: vec![known], ..Policy::default() };
    let before = "theorem foo : P := by\n  sorry\n";
    for (after, expected) in [
        ("theorem foo : P := by\n  exact Erdos.sum_bound 4\n", true),
        ("open Erdos\ntheorem foo : P := by\n  exact sum_bound 4\n", true),
        ("theorem foo : P := by\n  exact Project.Erdos.sum_bound 4\n", true),
        ("theorem foo : P := by\n  exact sum_bound_weak 4\n", false),
        ("theorem foo : P := by\n  exact my_sum_bound 4\n", false),
        ("theorem foo : P := by\n  -- not Erdos.sum_bound\n  sorry\n", false),
        (
            "theorem foo : P := by\n  sorry\nlemma x (k : Nat) (hk : 2 < k) : f k < k := by sorry",
            true,
        ),
        (
            "theorem foo : P := by\n  sorry\nlemma x (k : Nat) (hk : 2 < k) : f k ≤ k := by sorry",
            false,
        ),
    ] {
        let verdict = judge(before, after, &policy);
        let told = verdict.findings.iter().any(|finding| finding.rule == Rule::FalseLemma);
        assert_eq!(told, expected, "{after}");
        // It is said when it is used, not each time the file is edited.
        let next = format!("{after}\n-- more\ntheorem bar : Q := by sorry\n");
        let again = judge(after, &next, &policy);
        assert!(again.findings.iter().all(|f| f.rule != Rule::FalseLemma), "{after}");
    }
    let verdict = judge(before, "theorem foo : P := Erdos.sum_bound 4", &policy);
    assert_eq!(
        verdict.reason(Tense::Would, "FILE"),
        "[false-lemma] `Erdos.sum_bound` (line 1) is recorded as false: counterexample: n = 3; why: \
         f 3 = 3; instead: sum_bound_weak."
    );
}

#[test]
fn what_was_proved_when_the_session_began_stays_guarded() {
    let baseline = Baseline::of(PROVED);
    assert!(!baseline.is_empty());
    let policy = Policy { baseline, ..Policy::default() };
    let empty = "namespace N\n\nend N\n";
    assert_eq!(judge(PROVED, empty, &policy).decision(), Level::Warn);
    let verdict = judge(empty, &without_proof(PROVED), &policy);
    assert_eq!(verdict.decision(), Level::Deny);
    assert!(
        verdict.reason(Tense::Would, "FILE").contains("exact le_trans"),
        "{}",
        verdict.reason(Tense::Would, "FILE")
    );
    assert_eq!(judge(empty, PROVED, &policy).decision(), Level::Off);
}

/// How strictly the last of several edits of a file is taken, of which the first text was there when the session began.
fn last_of(texts: &[&str]) -> Level {
    let [first, .., before, after] = texts else { panic!("{texts:?}") };
    let policy = Policy { baseline: Baseline::of(first), ..Policy::default() };
    judge(before, after, &policy).decision()
}

#[test]
fn a_theorem_follows_the_new_name_of_a_definition_in_a_later_edit() {
    let first =
        "def n_tor (n : ℕ) : ℕ := n + 1\n\ntheorem card (n : ℕ) : n_tor n = n + 1 := by simp\n";
    let (name, said) = ("def n_tor", "card (n : ℕ) : n_tor n = n");
    let renamed = first.replace(name, "def nTor");
    let aliased = renamed.replace("\n\n", "\n@[deprecated] alias n_tor := nTor\n\n");
    let follow = |text: &str| text.replace(said, "card (n : ℕ) : nTor n = n");
    for half in [&renamed, &aliased] {
        assert!(last_of(&[first, half, &follow(half)]) <= Level::Warn, "{half}");
        let weaker = follow(half).replace("nTor n = n + 1", "nTor n ≤ n + 1");
        assert_eq!(last_of(&[first, half, &weaker]), Level::Ask, "{weaker}");
    }
    // Another definition takes its place.
    for other in ["def nTor (n : ℕ) : ℕ := n + 2", "def nTor (n : ℕ) (k : Fin n) : ℕ := n + 1"]
    {
        let half = first.replace("def n_tor (n : ℕ) : ℕ := n + 1", other);
        assert_eq!(last_of(&[first, &half, &follow(&half)]), Level::Ask, "{half}");
    }
    // All of it goes, and comes back about another definition.
    let first = "def low (n k m : ℕ) (h : n < k) : Prop := n + 5 < m\n\ntheorem card : low 1 2 9 h := by simp\n";
    let kept = first.replace("low", "few");
    assert!(last_of(&[first, "", &kept]) <= Level::Warn);
    assert_eq!(last_of(&[first, "", &kept.replace("n + 5 < m", "True")]), Level::Ask);
    // It says something else already.
    let first =
        "def n_tor (n : ℕ) : ℕ := n + 1\n\ntheorem card (n : ℕ) : n_tor n = n + 1 := by simp\n";
    let weak = first.replace("= n + 1 :=", "≤ n + 1 :=");
    let half = weak.replace(name, "def nTor");
    assert_eq!(last_of(&[first, &half, &half.replace("n_tor", "nTor")]), Level::Ask);
}

#[test]
fn what_moves_is_compared_with_its_variables() {
    let (g, proof) = ("lemma g (a : ℕ) : a = a := by simp\n", ":= by\n  simp [foo]\n  exact bar\n");
    let first = format!("lemma e (n : ℕ) (m : ℕ) : n + m = 3 {proof}{g}");
    let with =
        |variable: &str, own: &str| format!("{variable}\n{g}lemma e {own} : n + m = 3 {proof}");
    for (variable, own, expected) in [
        ("variable (n : ℕ)", "(m : ℕ)", Level::Warn),
        ("", "(n : ℕ) (m : ℕ)", Level::Off),
        ("variable (n : ℤ)", "(m : ℕ)", Level::Ask),
        ("variable (n : ℕ) (h : n = 3)\ninclude h", "(m : ℕ)", Level::Ask),
        ("variable (n : ℕ)", "(m : ℕ) (h : m = 3)", Level::Ask),
    ] {
        let after = with(variable, own);
        assert_eq!(last_of(&[&first, &first, &after]), expected, "{after}");
        let gone = g.to_owned();
        let back = last_of(&[&first, &gone, &after]);
        assert!(back <= expected, "{after}");
        assert!((back == Level::Ask) == (expected == Level::Ask), "{after}");
    }
}

#[test]
fn one_name_for_another_in_a_file_is_one_question() {
    let row = |n: usize| format!("theorem q{n} (hl : Chain' r l) : count {n} l = {n} := by simp\n");
    let before: String = (0..10).map(row).collect();
    let after = before.replace("Chain'", "IsChain");
    let verdict = judge(&before, &after, &Policy::default());
    assert_eq!((verdict.decision(), verdict.findings.len()), (Level::Ask, 10));
    let told = verdict.told(Tense::Would, true);
    assert_eq!(
        told,
        "math-forge: this edit needs the person's agreement.\n\
         [statement-changed] `Chain'` would become `IsChain` in 10 statements: `q0`, `q1`, `q2`, `q3` \
         and 6 more.\n    was: theorem q0 (hl : Chain' r l) : count 0 l = 0\n    would be: theorem q0 \
         (hl : IsChain r l) : count 0 l = 0"
    );
    // One that says something else is told by itself.
    let after = after.replace("count 7 l = 7", "count 7 l = 8");
    let told = judge(&before, &after, &Policy::default()).told(Tense::Would, true);
    assert!(told.contains("theorem `q7`") && told.contains("in 9 statements"), "{told}");
}

proptest! {
    #[test]
    fn any_edit_has_a_verdict(before in "\\PC{0,200}", after in "\\PC{0,200}") {
        judge(&before, &after, &Policy::default()).reason(Tense::Would, "FILE");
    }

    #[test]
    fn a_new_open_declaration_is_never_refused(name in "[a-z]{3,8}", tail in "[ \\n]{0,3}") {
        let after = format!("{PROVED}\ntheorem {name}_new (x : Nat) : x = x + 0 := by\n  sorry{tail}");
        prop_assert_eq!(judge(PROVED, &after, &Policy::default()).decision(), Level::Off);
    }
}
