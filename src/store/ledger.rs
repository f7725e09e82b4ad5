//! The ledger: what was injected into sessions, where, why and at what cost, and what became of it.

use rusqlite::{OptionalExtension as _, Row, params};
use serde::Serialize;

use super::forgotten::ForgottenKey;
use super::record::text;
use super::{Store, StoreError, Writer};

/// Rows of one session that are looked at.
const MOST: i64 = 2000;

/// Something that was injected.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Injection {
    /// Row number.
    pub id: i64,
    /// The session.
    pub session: String,
    /// The subagent; empty for the main conversation.
    pub agent: String,
    /// Identity of the project.
    pub project: Option<String>,
    /// When it was said first, `YYYY-MM-DD HH:MM:SS` in UTC.
    pub at: String,
    /// At which event.
    pub event: String,
    /// The file, or the type of the agent; empty where there is none.
    pub place: String,
    /// `#12`, the id of a problem, `briefing`, `in hand`.
    pub label: String,
    /// Row number of the finding; `None` for what is none.
    pub finding: Option<i64>,
    /// Kind of the finding, or `briefing`, `problem`, `in_hand`.
    pub kind: String,
    /// `body` or `index`.
    pub form: String,
    /// The rule that chose it.
    pub rule: String,
    /// What matched, in words.
    pub why: String,
    /// How relevant it was.
    pub score: f64,
    /// Tokens, each time.
    pub tokens: u64,
    /// How often it was said.
    pub times: u64,
    /// Names by which its use is known.
    #[serde(skip)]
    pub marks: Vec<String>,
    /// Whether the conversation still holds it.
    #[serde(skip)]
    pub current: bool,
    /// `used`, `spared`, `recurred`, `unused`; `None` while it is not known.
    pub outcome: Option<String>,
    /// By what that is known.
    pub how: Option<String>,
}

/// What was said at one event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PlaceSum {
    /// The event.
    pub event: String,
    /// How often something was said.
    pub said: u64,
    /// Tokens in all.
    pub tokens: u64,
    /// The agent wrote the id or a name of it, or closed the goal.
    pub used: u64,
    /// The failure it warned of did not come back.
    pub spared: u64,
    /// The failure came back.
    pub recurred: u64,
    /// The session is over and nothing of this happened.
    pub unused: u64,
    /// It is not known yet.
    pub open: u64,
}

const SELECT: &str =
    "SELECT id, session_id, agent_id, project, at, event, place, label, finding_id,
    kind, form, rule, why, score, tokens, times, marks, current, outcome, how FROM injections";

fn injection(row: &Row<'_>) -> rusqlite::Result<Injection> {
    let word = |column| text(row, column).map(Option::unwrap_or_default);
    let count =
        |column| row.get::<_, Option<i64>>(column).map(|n| n.unwrap_or(0).max(0).unsigned_abs());
    Ok(Injection {
        id: row.get(0)?,
        session: word(1)?,
        agent: word(2)?,
        project: text(row, 3)?,
        at: word(4)?,
        event: word(5)?,
        place: word(6)?,
        label: word(7)?,
        finding: row.get(8)?,
        kind: word(9)?,
        form: word(10)?,
        rule: word(11)?,
        why: word(12)?,
        score: row.get::<_, Option<f64>>(13)?.unwrap_or_default(),
        tokens: count(14)?,
        times: count(15)?,
        marks: word(16)?.lines().map(str::to_owned).collect(),
        current: row.get::<_, Option<bool>>(17)?.unwrap_or_default(),
        outcome: text(row, 18)?,
        how: text(row, 19)?,
    })
}

impl Store {
    /// What was injected into a session, in order.
    pub fn injections(&self, session: &str) -> Result<Vec<Injection>, StoreError> {
        self.read(|connection| {
            let sql = format!("{SELECT} WHERE session_id = ?1 ORDER BY id LIMIT ?2");
            let mut statement = connection.prepare_cached(&sql)?;
            statement.query_map(params![session, MOST], injection)?.collect()
        })
    }

    /// The session into which something was injected last, of this project where it is named.
    pub fn latest_injected(&self, project: Option<&str>) -> Result<Option<String>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT session_id FROM injections WHERE ?1 IS NULL OR project IS ?1
                     ORDER BY id DESC LIMIT 1",
                )?
                .query_row([project], |row| text(row, 0).map(Option::unwrap_or_default))
                .optional()
        })
    }

    /// Sessions of the ledger whose id begins so, ten at most.
    pub fn injected_sessions_like(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT DISTINCT session_id FROM injections
                 WHERE substr(session_id, 1, length(?1)) = ?1 ORDER BY 1 LIMIT 10",
            )?;
            let rows =
                statement.query_map([prefix], |row| text(row, 0).map(Option::unwrap_or_default))?;
            rows.collect()
        })
    }

    /// The ledger in sums, by event.
    pub fn ledger_sums(&self) -> Result<Vec<PlaceSum>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT event, sum(times), sum(tokens * times), sum(outcome IS 'used'),
                     sum(outcome IS 'spared'), sum(outcome IS 'recurred'), sum(outcome IS 'unused'),
                     sum(outcome IS NULL) FROM injections GROUP BY event ORDER BY event",
                )?
                .query_map([], |row| {
                    let count = |column| {
                        row.get::<_, Option<i64>>(column)
                            .map(|n| n.unwrap_or_default().max(0).unsigned_abs())
                    };
                    Ok(PlaceSum {
                        event: text(row, 0)?.unwrap_or_default(),
                        said: count(1)?,
                        tokens: count(2)?,
                        used: count(3)?,
                        spared: count(4)?,
                        recurred: count(5)?,
                        unused: count(6)?,
                        open: count(7)?,
                    })
                })?
                .collect()
        })
    }

    /// In how many sessions each of these findings was shown and not used, as far as that is known. One
    /// that was ever used was not shown in vain.
    pub fn shown_in_vain(&self, findings: &[i64]) -> Result<Vec<u64>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT CASE WHEN max(outcome IN ('used', 'spared')) THEN 0
                 ELSE count(DISTINCT session_id) END
                 FROM injections WHERE finding_id = ?1 AND outcome IS NOT NULL",
            )?;
            let count = |id: &i64| {
                statement.query_row([id], |row| Ok(row.get::<_, i64>(0)?.max(0).unsigned_abs()))
            };
            findings.iter().map(count).collect()
        })
    }
}

impl Writer<'_> {
    /// Notes something that is injected; said again, only that is counted. Nothing of a session that a
    /// person had forgotten.
    pub fn note_injection(&self, one: &Injection) -> Result<(), StoreError> {
        if self.is_forgotten(&[ForgottenKey::Session(&one.session)])? {
            return Ok(());
        }
        self.connection
            .prepare_cached(
                "INSERT INTO injections (session_id, agent_id, project, at, event, place, label,
                 finding_id, kind, form, rule, why, score, tokens, marks)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                 ON CONFLICT DO UPDATE SET times = times + 1, current = 1, form = excluded.form,
                 tokens = excluded.tokens, why = excluded.why, score = excluded.score",
            )?
            .execute(params![
                one.session,
                one.agent,
                one.project,
                self.now,
                one.event,
                one.place,
                one.label,
                one.finding,
                one.kind,
                one.form,
                one.rule,
                one.why,
                one.score,
                i64::try_from(one.tokens).unwrap_or(i64::MAX),
                one.marks.join("\n")
            ])?;
        Ok(())
    }

    /// The conversation was compacted or cleared: it does not hold what was said before.
    pub fn forget_context(&self, session: &str) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "UPDATE injections SET current = 0 WHERE session_id = ?1 AND agent_id = ''",
            )?
            .execute([session])?;
        Ok(())
    }

    /// Decides what became of something that was injected, once; `used` may replace `unused`.
    pub fn decide_injection(&self, id: i64, outcome: &str, how: &str) -> Result<(), StoreError> {
        self.connection
            .prepare_cached(
                "UPDATE injections SET outcome = ?2, how = ?3, decided_at = ?4
                 WHERE id = ?1 AND (outcome IS NULL OR outcome = 'unused')",
            )?
            .execute(params![id, outcome, how, self.now])?;
        Ok(())
    }

    /// Decides at the end of a session what its lessons and warnings were worth, by the failures that it
    /// met, and that everything else was not used.
    pub fn settle_injections(&self, session: &str) -> Result<(), StoreError> {
        // The same failure after the warning, or a false lemma that the guard found in an edit.
        let met = "EXISTS (SELECT 1 FROM lesson_details d JOIN error_sightings e
            ON e.signature = d.signature WHERE d.finding_id = injections.finding_id
            AND e.session_id = injections.session_id AND e.last_at ";
        let warned =
            "EXISTS (SELECT 1 FROM guard_log g JOIN findings f ON f.id = injections.finding_id
            WHERE g.session_id = injections.session_id AND g.rule = 'false-lemma'
            AND g.at > injections.at AND f.finding_type = 'false_lemma'
            AND f.theorem_name <> '' AND instr(g.detail, f.theorem_name) > 0)";
        let open = "session_id = ?1 AND outcome IS NULL";
        for (outcome, how, condition) in [
            ("recurred", "gone", format!("{met} > injections.at)")),
            ("recurred", "guard", warned.to_owned()),
            ("spared", "gone", format!("{met} <= injections.at AND e.resolved_at IS NOT NULL)")),
            ("unused", "read", "finding_id IS NOT NULL".to_owned()),
        ] {
            let sql = format!(
                "UPDATE injections SET outcome = ?2, how = ?3, decided_at = ?4
                 WHERE {open} AND {condition}"
            );
            self.connection
                .prepare_cached(&sql)?
                .execute(params![session, outcome, how, self.now])?;
        }
        Ok(())
    }

    /// Keeps what a subagent that is about to start will be about; nothing of a session that a person had
    /// forgotten.
    pub fn keep_task(
        &self,
        session: &str,
        tool_use: &str,
        agent_type: &str,
        cues: &str,
    ) -> Result<(), StoreError> {
        if self.is_forgotten(&[ForgottenKey::Session(session)])? {
            return Ok(());
        }
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO subagent_tasks (session_id, tool_use_id, agent_type, cues, at)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![session, tool_use, agent_type, cues, self.now])?;
        Ok(())
    }

    /// Takes the oldest task that is kept for an agent of this type. One that is older than an hour was
    /// refused, and goes.
    pub fn take_task(&self, session: &str, agent_type: &str) -> Result<Option<String>, StoreError> {
        self.connection
            .prepare_cached(
                "DELETE FROM subagent_tasks WHERE session_id = ?1 AND at < datetime(?2, '-1 hour')",
            )?
            .execute([session, &self.now])?;
        let taken = self
            .connection
            .prepare_cached(
                "DELETE FROM subagent_tasks WHERE session_id = ?1 AND tool_use_id = (
                 SELECT tool_use_id FROM subagent_tasks WHERE session_id = ?1 AND agent_type = ?2
                 ORDER BY at, tool_use_id LIMIT 1) RETURNING cues",
            )?
            .query_row([session, agent_type], |row| text(row, 0))
            .optional()?;
        Ok(taken.flatten())
    }
}
