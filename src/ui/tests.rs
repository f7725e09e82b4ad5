//! A small invented database, as reports, for the tests of the views.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::failed::FailedReport;
use crate::find::FindReport;
use crate::model::{
    Confidence, Draft, Evidence, Finding, Kind, Outcome, Problem, ProblemStatus, Strategy,
};
use crate::search::Answer;
use crate::store::{Hit, ProblemView, Stage};
use crate::text::width;
use crate::tracking::Submission;

pub(crate) fn now() -> Timestamp {
    "2026-02-01T12:00:00Z".parse().unwrap()
}

/// A view without its colours, after checking that no line is too wide.
#[track_caller]
pub(crate) fn plain(text: &str, columns: usize) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    for line in text.lines() {
        assert!(width(line) <= columns, "wider than {columns}: {line}");
        assert_eq!(line.trim_end(), line, "blanks at the end: {line:?}");
    }
    text
}

fn finding(id: i64, content: Draft) -> Finding {
    let updated_at = "2026-02-01 09:00:00".to_owned();
    Finding { id, uid: content.uid(), content, updated_at, superseded_by: None }
}

fn theorem() -> Finding {
    let mut draft = Draft::new(
        Kind::Theorem,
        "Bridges.no_three_in_line (theorem)",
        "Proven theorem from slot614. It bounds the bridges of a finite planar board.",
    );
    draft.domain = Some("combinatorics".into());
    draft.problem = Some("bridges_12".into());
    draft.project = Some("github.com/ada/bridges".into());
    draft.source.slot = Some(614);
    draft.source.file = Some("results/slot614_bridges_12_result.lean".into());
    draft.source.line = Some(41);
    draft.source.toolchain = Some("leanprover/lean4:v4.24.0".into());
    draft.theorem_name = Some("Bridges.no_three_in_line".into());
    draft.theorem_statement = Some(
        "theorem Bridges.no_three_in_line {n : ℕ} (hn : 2 ≤ n)\n    (S : Finset (Fin n × Fin n)) (hS : ∀ p ∈ S, ∀ q ∈ S, p ≠ q → ¬ Collinear p q) :\n    S.card ≤ 2 * n"
            .into(),
    );
    draft.proof_technique = Some("pigeonhole on the columns".into());
    draft.proof_lines = Some(23);
    draft.confidence = Confidence::Verified;
    draft.evidence = Evidence::Prover;
    draft.tags = vec!["combinatorics".into(), "grid".into()];
    draft.created_at = Some("2026-02-01 09:00:00".into());
    finding(12, draft)
}

fn failure() -> Finding {
    let mut draft = Draft::new(
        Kind::Failure,
        "Induction on the number of rows, with a title so long that no page of any usual width could ever hold it",
        "The induction step needs a stronger hypothesis.",
    );
    draft.problem = Some("bridges_12".into());
    draft.source.slot = Some(609);
    draft.why_failed =
        Some("Removing a row may create a new collinear triple. So the step is false.".into());
    draft.avoid_pattern = Some("induction without tracking the slopes".into());
    draft.confidence = Confidence::High;
    draft.created_at = Some("2026-01-30 09:00:00".into());
    finding(9, draft)
}

fn claimed() -> Finding {
    let mut draft =
        Draft::new(Kind::Theorem, "ε_close\u{1b}[31m (lemma) 漢字", "∀ ε > 0, ∃ δ > 0.");
    draft.domain = Some("analysis".into());
    draft.created_at = Some("2025-11-01 09:00:00".into());
    finding(7, draft)
}

fn false_lemma() -> Finding {
    let mut draft = Draft::new(Kind::FalseLemma, "slope_injective", "Slopes determine the point.");
    draft.problem = Some("bridges_12".into());
    draft.why_failed = Some("Two points on one line have one slope.".into());
    draft.counterexample = Some("(1, 1) and (2, 2)".into());
    draft.correct_approach = Some("use the slope together with the column".into());
    draft.confidence = Confidence::Disproven;
    draft.created_at = Some("2026-01-31 09:00:00".into());
    finding(10, draft)
}

fn hit(finding: Finding, score: f64, snippet: &str, why: &[&str]) -> Hit {
    let why = why.iter().map(|&reason| reason.to_owned()).collect();
    Hit { finding, score, snippet: snippet.to_owned(), why }
}

pub(crate) fn answer() -> Answer {
    Answer {
        elsewhere: None,
        meant: None,
        ended: Vec::new(),
        proposed: Vec::new(),
        slot: None,
        slots: Vec::new(),
        open: Vec::new(),
        query: "collinear row".into(),
        total: 14,
        matched: Stage::AnyWord,
        problem: None,
        hits: vec![
            hit(theorem(), 9.25, "p ≠ q → ¬ Collinear p q", &["statement has `collinear`"]),
            hit(failure(), 7.5, "Removing a row", &["reason has `row`", "this project"]),
            hit(claimed(), 0.5, "∀ ε > 0", &[]),
        ],
        opposed: BTreeMap::new(),
        empty_base: false,
    }
}

fn lemma() -> Draft {
    let mut lemma =
        Draft::new(Kind::FalseLemma, "row_sum_even", "Every row has an even number of bridges.");
    lemma.theorem_name = Some("row_sum_even".into());
    lemma.counterexample = Some("n = 3, the middle row".into());
    lemma.why_failed = Some("The boundary rows lose one bridge each.".into());
    lemma.problem = Some("bridges_12".into());
    lemma.source.slot = Some(598);
    lemma.created_at = Some("2026-01-25 09:00:00".into());
    lemma
}

fn strategy(approach: &str, outcome: Outcome, slot: i64, learned: Option<&str>) -> Strategy {
    Strategy {
        id: 1,
        problem: "bridges_12".into(),
        domain: None,
        approach: approach.into(),
        description: None,
        outcome,
        slot: Some(slot),
        attempts: 2,
        learned: learned.map(str::to_owned),
        last_attempted: Some("2026-01-30 09:00:00".into()),
    }
}

fn submission(label: &str, status: &str, proven: Option<i64>, sorry: Option<i64>) -> Submission {
    Submission {
        label: label.into(),
        status: Some(status.into()),
        sorry,
        proven,
        completed_at: Some("2026-01-31 23:00:00".into()),
        ..Submission::default()
    }
}

fn board() -> Problem {
    Problem {
        id: "bridges_12".into(),
        name: "Bridges 12".into(),
        domain: Some("combinatorics".into()),
        status: ProblemStatus::Partial,
        submission_count: 3,
        proven_count: 1,
        failed_count: 1,
        statement: Some(
            "How many points fit on an n × n board so that no three of them lie on a line?".into(),
        ),
        best_result: Some("at most 2n".into()),
        notes: None,
        updated_at: "2026-02-01 09:00:00".into(),
        decided_at: None,
        decided_why: None,
        contested: false,
        refuted: false,
    }
}

pub(crate) fn find() -> FindReport {
    let mut approach = Draft::new(Kind::Failure, "double counting", "");
    approach.why_failed = Some("the two counts agree".into());
    FindReport {
        query: "Bridges 12".into(),
        problems: vec![ProblemView {
            id: "bridges_12".into(),
            aliases: Vec::new(),
            problem: Some(board()),
            findings: vec![theorem(), failure(), false_lemma()],
            strategies: vec![
                strategy("pigeonhole on the columns", Outcome::Proven, 614, None),
                strategy(
                    "induction on rows",
                    Outcome::Failed,
                    609,
                    Some("The step is false: removing a row may create a collinear triple."),
                ),
            ],
        }],
        not_imported: vec![lemma(), approach],
        submissions: vec![
            submission("slot614", "compiled_clean", Some(7), Some(0)),
            submission("bridges_12_retry_with_a_long_name", "near_miss", None, Some(1)),
        ],
        submissions_total: 12,
        ..FindReport::default()
    }
}

pub(crate) fn failed() -> FailedReport {
    FailedReport {
        keyword: Some("row".into()),
        total: 2,
        failures: 1,
        false_lemmas: 1,
        opposed: BTreeMap::new(),
        findings: vec![false_lemma(), failure()],
        ended: Vec::new(),
        proposed: Vec::new(),
        not_imported: vec![lemma()],
        notes: Vec::new(),
        empty_base: false,
    }
}
