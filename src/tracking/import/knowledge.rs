//! A knowledge database of the specification's own schema, as the shell tool made them: its findings, its
//! approaches and its problems.

use serde_json::{Map, Value};

use super::{Imported, KNOWLEDGE};
use crate::model::{Draft, Kind, Outcome, ProblemDraft, ProblemStatus, StrategyDraft, problem_key};
use crate::tracking::open::Tracking;
use crate::tracking::rows::Row;

/// Columns of `findings` by the names under which a draft is read from JSON.
const COLUMNS: &str = "finding_type title description domain_id problem_id source_submission_uuid \
    source_file theorem_name theorem_statement proof_technique mathlib_imports \
    counterexample why_failed avoid_pattern correct_approach confidence tags notes \
    created_at source_slot proof_lines";
const NUMBERS: [&str; 2] = ["source_slot", "proof_lines"];

/// A strategy stands for so many attempts at most; a number beyond that is a slip.
const MOST_ATTEMPTS: i64 = 1000;

impl Tracking {
    /// What a knowledge database holds. What makes a finding the same is its content, so the same database
    /// again changes nothing, and of equal rows one is kept.
    pub(super) fn knowledge(&self, project: Option<&str>) -> Imported {
        let mut imported = Imported::of(self, &KNOWLEDGE);
        for row in self.tables.rows("findings") {
            match draft(row, project) {
                Ok(draft) => imported.findings.push(draft),
                Err(reason) => imported.reject("findings", row.number, reason),
            }
        }
        imported.problems = self.tables.rows("problems").iter().filter_map(problem).collect();
        imported.strategies = self.tables.rows("strategies").iter().flat_map(attempts).collect();
        imported
    }
}

fn draft(row: &Row, project: Option<&str>) -> Result<Draft, String> {
    let mut fields = Map::new();
    for column in COLUMNS.split_whitespace() {
        let is_number = NUMBERS.contains(&column);
        let value = if is_number {
            row.int(column).map(Value::from)
        } else {
            row.text(column).map(Value::from)
        };
        fields.extend(value.map(|value| (column.to_owned(), value)));
    }
    let draft: Draft =
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    if [Kind::Fact, Kind::Lesson, Kind::Playbook].contains(&draft.kind) {
        return Err(format!(
            "a {} is more than its row says: only its own mk reads it",
            draft.kind
        ));
    }
    let problem = draft.problem.as_deref().map(problem_key).filter(|problem| !problem.is_empty());
    Ok(Draft { problem, project: project.map(str::to_owned), ..draft })
}

fn problem(row: &Row) -> Option<ProblemDraft> {
    let count = |column| row.int(column).unwrap_or(0).max(0);
    let status = row.text("status").and_then(|word| word.parse().ok());
    Some(ProblemDraft {
        id: row.text("id").map(|id| problem_key(&id)).filter(|id| !id.is_empty())?,
        name: row.text("name").unwrap_or_default(),
        domain: row.text("domain_id"),
        status: status.unwrap_or(ProblemStatus::Open),
        statement: row.text("statement"),
        best_result: row.text("best_result"),
        notes: row.text("notes"),
        counts: Some((count("submission_count"), count("proven_count"), count("failed_count"))),
    })
}

/// A strategy has one row there however often it was tried. The last attempt is told whole, the others are
/// counted.
fn attempts(row: &Row) -> Vec<StrategyDraft> {
    let (Some(problem), Some(approach)) = (row.text("problem_id"), row.text("approach_name"))
    else {
        return Vec::new();
    };
    let last = StrategyDraft {
        problem_name: row.text("problem_name").unwrap_or_else(|| problem.clone()),
        problem: problem_key(&problem),
        domain: row.text("domain_id"),
        approach,
        description: row.text("approach_description"),
        outcome: row.text("outcome").and_then(|word| word.parse().ok()).unwrap_or(Outcome::Untried),
        slot: row.int("submission_slot"),
        submission: row.text("submission_uuid"),
        learned: row.text("learned"),
        source_file: None,
        attempted_at: row.text("last_attempted"),
    };
    let earlier = (1..row.int("attempts").unwrap_or(1).min(MOST_ATTEMPTS)).map(|number| {
        let source_file = Some(format!("earlier attempt {number}"));
        StrategyDraft { source_file, ..last.clone() }
    });
    earlier.chain([last.clone()]).collect()
}
