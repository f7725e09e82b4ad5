//! What only one kind of finding has: facts, lessons, playbooks. One row to one finding.

use rusqlite::{Connection, params};

use super::rows;
use crate::model::{Detail, Draft, FactDetail, Kind, LessonDetail, PlaybookDetail};

/// Stores a finding's detail, in place of the one that it had.
pub(super) fn store(connection: &Connection, id: i64, detail: &Detail) -> rusqlite::Result<()> {
    match detail {
        Detail::Fact(fact) => store_fact(connection, id, fact),
        Detail::Lesson(lesson) => store_lesson(connection, id, lesson),
        Detail::Playbook(playbook) => store_playbook(connection, id, playbook),
    }
    .map(|_| ())
}

fn store_fact(connection: &Connection, id: i64, fact: &FactDetail) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "INSERT INTO fact_details (finding_id, category, key, value, scope, tier, source_type,
             confidence, expires_at, last_verified)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (finding_id) DO UPDATE SET category = excluded.category,
             key = excluded.key, value = excluded.value, scope = excluded.scope,
             tier = excluded.tier, source_type = excluded.source_type,
             confidence = excluded.confidence, expires_at = excluded.expires_at,
             last_verified = excluded.last_verified",
        )?
        .execute(params![
            id,
            fact.category,
            fact.key,
            fact.value,
            fact.scope,
            fact.tier,
            fact.source_type,
            fact.confidence,
            fact.expires_at,
            fact.last_verified
        ])
}

/// How often a lesson helped is counted here and is never set back.
fn store_lesson(
    connection: &Connection,
    id: i64,
    lesson: &LessonDetail,
) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "INSERT INTO lesson_details (finding_id, pattern, what_failed, what_worked, tool_name,
             signature, success_count, confidence) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (finding_id) DO UPDATE SET pattern = excluded.pattern,
             what_failed = excluded.what_failed, what_worked = excluded.what_worked,
             tool_name = excluded.tool_name, signature = excluded.signature,
             success_count = max(success_count, excluded.success_count),
             confidence = excluded.confidence",
        )?
        .execute(params![
            id,
            lesson.pattern,
            lesson.what_failed,
            lesson.what_worked,
            lesson.tool_name,
            lesson.signature,
            lesson.success_count,
            lesson.confidence
        ])
}

fn store_playbook(
    connection: &Connection,
    id: i64,
    playbook: &PlaybookDetail,
) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "INSERT INTO playbook_details (finding_id, source_task_id, source_workflow_id,
             extraction_workflow_id) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (finding_id) DO UPDATE SET source_task_id = excluded.source_task_id,
             source_workflow_id = excluded.source_workflow_id,
             extraction_workflow_id = excluded.extraction_workflow_id",
        )?
        .execute(params![
            id,
            playbook.source_task_id,
            playbook.source_workflow_id,
            playbook.extraction_workflow_id
        ])
}

/// The detail of a finding of this kind, if it has one.
pub(super) fn load(
    connection: &Connection,
    id: i64,
    kind: Kind,
) -> rusqlite::Result<Option<Detail>> {
    let id = params![id];
    Ok(match kind {
        Kind::Fact => {
            let sql = "SELECT * FROM fact_details WHERE finding_id = ?1";
            rows::first(connection, sql, id)?.map(Detail::Fact)
        }
        Kind::Lesson => {
            let sql = "SELECT * FROM lesson_details WHERE finding_id = ?1";
            rows::first(connection, sql, id)?.map(Detail::Lesson)
        }
        Kind::Playbook => {
            let sql = "SELECT * FROM playbook_details WHERE finding_id = ?1";
            rows::first(connection, sql, id)?.map(Detail::Playbook)
        }
        _ => None,
    })
}

/// The identity of a keyed fact: category, key and project. `None` for every other draft.
pub(super) fn fact_identity(draft: &Draft) -> Option<String> {
    let Some(Detail::Fact(fact)) = &draft.detail else {
        return None;
    };
    let project = draft.project.as_deref().unwrap_or_default();
    Some(format!("fact/{}/{}/{project}", fact.category, fact.key))
}
