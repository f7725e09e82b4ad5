//! How a finding maps to its row.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Row, RowIndex};

use crate::model::{Confidence, Detail, Draft, Evidence, Finding, Kind, Source, Status, words_of};

/// See [`Status::is_live`].
pub(super) const LIVE: &str = "('claimed', 'confirmed')";

/// In the order of [`values`].
pub(super) const COLUMNS: [&str; 30] = [
    "finding_type",
    "domain_id",
    "title",
    "description",
    "problem_id",
    "source_slot",
    "source_submission_uuid",
    "source_file",
    "theorem_name",
    "theorem_statement",
    "proof_technique",
    "mathlib_imports",
    "proof_lines",
    "counterexample",
    "why_failed",
    "avoid_pattern",
    "confidence",
    "tags",
    "notes",
    "project",
    "evidence",
    "source_line",
    "session_id",
    "toolchain",
    "mathlib_rev",
    "correct_approach",
    "status",
    "key",
    "detail",
    "created_at",
];

/// For [`read`], of the table alias `f`.
pub(super) fn selection() -> String {
    let columns: Vec<String> = COLUMNS.iter().map(|column| format!("f.{column}")).collect();
    format!("{}, f.id, f.uid, f.updated_at, f.superseded_by", columns.join(", "))
}

/// In the order of [`COLUMNS`], without the last, `created_at`.
pub(super) fn values(draft: &Draft) -> Vec<Value> {
    let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::Text);
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
    let tags = Some(draft.tags.join(",")).filter(|tags| !tags.is_empty());
    vec![
        Value::Text(draft.kind.as_str().to_owned()),
        text(&draft.domain),
        Value::Text(draft.title.clone()),
        Value::Text(draft.description.clone()),
        text(&draft.problem),
        number(draft.source.slot),
        text(&draft.source.submission),
        text(&draft.source.file),
        text(&draft.theorem_name),
        text(&draft.theorem_statement),
        text(&draft.proof_technique),
        text(&draft.mathlib_imports),
        number(draft.proof_lines),
        text(&draft.counterexample),
        text(&draft.why_failed),
        text(&draft.avoid_pattern),
        Value::Text(draft.confidence.as_str().to_owned()),
        text(&tags),
        text(&draft.notes),
        text(&draft.project),
        Value::Text(draft.evidence.as_str().to_owned()),
        number(draft.source.line),
        text(&draft.source.session),
        text(&draft.source.toolchain),
        text(&draft.source.mathlib_rev),
        text(&draft.correct_approach),
        Value::Text(status_of(draft).as_str().to_owned()),
        text(&key_of(draft)),
        text(&draft.detail.as_ref().and_then(|detail| serde_json::to_string(detail).ok())),
    ]
}

/// What a person stands for is confirmed.
fn status_of(draft: &Draft) -> Status {
    match (draft.status, draft.evidence) {
        (Status::Claimed, Evidence::Person) => Status::Confirmed,
        (status, _) => status,
    }
}

/// The key under which the same thing is found again.
pub(super) fn key_of(draft: &Draft) -> Option<String> {
    let Some(detail) = &draft.detail else { return draft.key.clone() };
    if let Some(fact) = &detail.fact {
        return Some(fact_key(&fact.category, &fact.key));
    }
    let signature = detail.lesson.as_ref().and_then(|lesson| lesson.signature.clone());
    let words = || detail.said.as_ref().map(|said| words_of(&said.content));
    signature.or_else(words).or_else(|| draft.key.clone())
}

fn is_keyed(detail: Option<&Detail>) -> bool {
    detail.is_some_and(|detail| {
        detail.fact.is_some() || detail.lesson.is_some() || detail.said.is_some()
    })
}

pub(super) fn fact_key(category: &str, key: &str) -> String {
    format!("{category}/{key}")
}

pub(super) fn text(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<String>> {
    row.get_ref(column).map(text_of)
}

pub(super) fn number(row: &Row<'_>, column: impl RowIndex) -> rusqlite::Result<Option<i64>> {
    row.get_ref(column).map(number_of)
}

pub(super) fn text_of(cell: ValueRef<'_>) -> Option<String> {
    match cell {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

pub(super) fn number_of(cell: ValueRef<'_>) -> Option<i64> {
    match cell {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
        _ => None,
    }
}

pub(super) fn real_of(cell: ValueRef<'_>) -> Option<f64> {
    match cell {
        ValueRef::Real(number) => Some(number),
        #[expect(clippy::cast_precision_loss, reason = "a confidence between 0 and 1")]
        ValueRef::Integer(number) => Some(number as f64),
        _ => None,
    }
}

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Finding> {
    let word = |column| text(row, column).map(Option::unwrap_or_default);
    let detail = detail_of(text(row, 28)?);
    let content = Draft {
        // A kind that somebody added to the table `kinds` is shown as an insight.
        kind: word(0)?.parse().unwrap_or(Kind::Insight),
        domain: text(row, 1)?,
        title: word(2)?,
        description: word(3)?,
        problem: text(row, 4)?.filter(|problem| !problem.is_empty()),
        project: text(row, 19)?,
        source: Source {
            slot: number(row, 5)?,
            submission: text(row, 6)?,
            file: text(row, 7)?,
            line: number(row, 21)?,
            session: text(row, 22)?,
            toolchain: text(row, 23)?,
            mathlib_rev: text(row, 24)?,
        },
        theorem_name: text(row, 8)?,
        theorem_statement: text(row, 9)?,
        proof_technique: text(row, 10)?,
        mathlib_imports: text(row, 11)?,
        proof_lines: number(row, 12)?,
        counterexample: text(row, 13)?,
        why_failed: text(row, 14)?,
        avoid_pattern: text(row, 15)?,
        correct_approach: text(row, 25)?,
        confidence: word(16)?.parse().unwrap_or(Confidence::Medium),
        evidence: word(20)?.parse().unwrap_or(Evidence::File),
        tags: split_tags(&word(17)?),
        notes: text(row, 18)?,
        key: text(row, 27)?.filter(|_| !is_keyed(detail.as_ref())),
        status: word(26)?.parse().unwrap_or(Status::Claimed),
        created_at: text(row, 29)?,
        detail,
        identity: None,
    };
    Ok(Finding {
        id: number(row, 30)?.unwrap_or_default(),
        uid: word(31)?,
        content,
        updated_at: word(32)?,
        superseded_by: number(row, 33)?,
    })
}

/// JSON that was broken by hand counts as none.
fn detail_of(text: Option<String>) -> Option<Detail> {
    serde_json::from_str(&text?).ok()
}

fn split_tags(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}
