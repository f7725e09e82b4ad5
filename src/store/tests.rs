//! How much SQLite works for each statement, for tests: a count and no time, so the same on every machine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, StatementStatus};

use super::Store;

const FINDINGS: usize = 13_000;
pub(crate) const PROBLEMS: i32 = 600;
const SUBMISSIONS: usize = 1_157;

/// What one statement cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) sql: String,
    /// Steps of SQLite's virtual machine.
    pub(crate) steps: i32,
    /// Rows that were walked over without an index.
    pub(crate) scanned: i32,
}

thread_local! {
    static DONE: RefCell<Vec<Work>> = const { RefCell::new(Vec::new()) };
}

/// The connection, its statements counted for this thread.
pub(super) fn watched(mut connection: Connection) -> Connection {
    let note = |event: TraceEvent<'_>| {
        if let TraceEvent::Profile(statement, _) = event {
            let work = Work {
                sql: statement.sql().split_whitespace().collect::<Vec<_>>().join(" "),
                steps: statement.get_status(StatementStatus::VmStep),
                scanned: statement.get_status(StatementStatus::FullscanStep),
            };
            DONE.with(|done| done.borrow_mut().push(work));
        }
    };
    connection.trace_v2(TraceEventCodes::SQLITE_TRACE_PROFILE, Some(note)).unwrap();
    connection
}

/// What was done by this thread since this was asked last, each statement once, the most work first.
pub(crate) fn done() -> Vec<Work> {
    let mut all: Vec<Work> = Vec::new();
    let mut before: HashMap<String, (i32, i32)> = HashMap::new();
    for one in DONE.take() {
        // The counters of a statement that is kept go on; those of one that is prepared anew begin again.
        let (steps, scanned) =
            before.insert(one.sql.clone(), (one.steps, one.scanned)).unwrap_or_default();
        let goes_on = one.steps >= steps;
        let (steps, scanned) = if goes_on {
            (one.steps - steps, one.scanned - scanned)
        } else {
            (one.steps, one.scanned)
        };
        match all.iter_mut().find(|other| other.sql == one.sql) {
            Some(other) => {
                (other.steps, other.scanned) = (other.steps + steps, other.scanned + scanned);
            }
            None => all.push(Work { steps, scanned, ..one }),
        }
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.steps));
    all
}

/// A knowledge and a tracking database. Most findings are theorems that were read off files; there are open statements, near misses and lists of
/// what failed.
pub(crate) fn fill(home: &Path, project: &Path) {
    let database = home.join("knowledge.db");
    drop(Store::open(&database).unwrap());
    let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <";
    Connection::open(database)
        .unwrap()
        .execute_batch(&format!(
            "BEGIN;
             {count} {FINDINGS})
             INSERT INTO findings (finding_type, title, description, problem_id, source_slot, theorem_name,
                 theorem_statement, confidence, evidence, uid, project, tags, symbols, extracted_from,
                 created_at, key)
             SELECT CASE WHEN i % 300 = 0 THEN 'false_lemma' WHEN i % 7 = 0 THEN 'failure' ELSE 'theorem' END,
                 'cover_' || i, 'The rim of ' || i || ' is covered.', 'board_' || (i % {PROBLEMS}),
                 i % {SUBMISSIONS}, 'Board.cover_' || i, 'rim ' || i || ' ≤ 2', 'verified', 'prover',
                 printf('%016x', i), '{project}', 'helper',
                 'cover rim ' || i || ' n0cover' || i || ' p0board' || (i % {PROBLEMS}),
                 CASE WHEN i % 50 THEN 'submissions/slot' || (i % {SUBMISSIONS}) || '.lean' END,
                 datetime(1700000000 + i * 60, 'unixepoch'), printf('%032x', i) FROM n;
             INSERT INTO finding_sources (project, file, uid, record, kind, name, problem, slot, confidence,
                 evidence, tags, draft)
             SELECT project, extracted_from, uid, uid, finding_type, title, problem_id, source_slot, confidence,
                 evidence, tags, '{{}}' FROM findings WHERE extracted_from IS NOT NULL;
             {count} {SUBMISSIONS})
             INSERT INTO open_statements (project, file, name, key, slot, is_answer)
             SELECT '{project}', 'submissions/slot' || i || '.lean', 'open_' || i, printf('%032x', i), i, 1 FROM n;
             INSERT INTO problems (id, name, status) SELECT DISTINCT problem_id, problem_id, 'open' FROM findings;
             INSERT INTO strategies (problem_id, problem_name, approach_name, outcome)
             SELECT id, id, 'descent', 'failed' FROM problems;
             COMMIT",
            project = project.display(),
        ))
        .unwrap();
    let status = "CASE i % 10 WHEN 0 THEN 'near_miss' WHEN 1 THEN 'submitted' ELSE 'failed' END";
    Connection::open(project.join("submissions/tracking.db"))
        .unwrap()
        .execute_batch(&format!(
            "CREATE TABLE submissions (id INTEGER PRIMARY KEY, filename TEXT, problem_id TEXT, status TEXT,
                 sorry_count INTEGER, proven_count INTEGER, submitted_at TEXT);
             {count} {SUBMISSIONS})
             INSERT INTO submissions SELECT i, 'slot' || i || '.lean', 'board_' || (i % {PROBLEMS}), {status}, 1, i,
                 '2026-03-01 00:00:00' FROM n",
        ))
        .unwrap();
}
