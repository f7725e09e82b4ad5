//! What was injected into sessions, why, at what cost, and what became of it.

use rusqlite::{ToSql, params};
use serde::{Deserialize, Serialize};

use super::{Result, Store, Writer};

const MOST: i64 = 2000;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Injection {
    pub id: i64,
    pub session: String,
    /// The subagent; empty for the main conversation.
    pub agent: String,
    pub project: Option<String>,
    pub at: String,
    pub event: String,
    /// File or type of agent, or empty.
    pub place: String,
    /// `#12`, the id of a problem, `briefing`, `in hand`.
    pub label: String,
    pub finding: Option<i64>,
    /// Of the finding, or `briefing`, `problem`, `in_hand`.
    pub kind: String,
    /// `body` or `index`.
    pub form: String,
    pub rule: String,
    pub why: String,
    pub score: f64,
    pub tokens: u64,
    pub times: u64,
    /// Names by which its use is recognised.
    pub marks: Vec<String>,
    /// Not compacted or cleared away since.
    pub current: bool,
    /// `used`, `spared`, `recurred`, `unused`; `None` if unknown yet.
    pub outcome: Option<String>,
    pub how: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    pub label: String,
    pub kind: String,
    pub finding: Option<i64>,
    pub sessions: u64,
    pub tokens: u64,
    pub used: u64,
    pub unused: u64,
    pub last_at: String,
}

impl Store {
    pub fn injections(&self, session: &str) -> Result<Vec<Injection>> {
        let sql = "SELECT * FROM injections WHERE session_id = ?1 ORDER BY id LIMIT ?2";
        self.all(sql, params![session, MOST])
    }

    /// What sessions of a project or of all were told since a time, and what became of it: what was told most often
    /// first.
    pub fn told(&self, project: Option<&str>, since: Option<&str>) -> Result<Vec<Told>> {
        let sql = format!(
            "SELECT label, kind, max(finding_id) AS finding, count(DISTINCT session_id) AS sessions, sum(tokens * times) AS tokens,
             count(*) FILTER (WHERE outcome IN ('used', 'spared')) AS used,
             count(*) FILTER (WHERE outcome IN ('unused', 'recurred')) AS unused, max(at) AS last_at
             FROM injections WHERE {} AND (?2 IS NULL OR at >= ?2)
             GROUP BY label, kind ORDER BY sessions DESC, used DESC, label LIMIT {MOST}",
            super::projects::is_of("project", "?1")
        );
        self.all(&sql, params![project, since])
    }

    pub fn latest_injected(&self, project: Option<&str>) -> Result<Option<String>> {
        let sql = "SELECT session_id FROM injections WHERE ?1 IS NULL OR project IS ?1
            ORDER BY id DESC LIMIT 1";
        self.first(sql, params![project])
    }

    /// Sessions in which each finding was shown in vain, 0 if it was ever used.
    pub fn shown_in_vain(&self, findings: &[i64]) -> Result<Vec<u64>> {
        let sql = "SELECT CASE WHEN max(outcome IN ('used', 'spared')) THEN 0
            ELSE count(DISTINCT session_id) END
            FROM injections WHERE finding_id = ?1 AND outcome IS NOT NULL";
        findings.iter().map(|id| self.value(sql, params![id])).collect()
    }
}

impl Writer<'_> {
    /// Said again, it is only counted. Nothing of a forgotten session.
    pub fn note_injection(&self, one: &Injection) -> Result<()> {
        if self.forgets(Some(&one.session))? {
            return Ok(());
        }
        let more: [(&str, &dyn ToSql); 4] =
            [("id", &None::<i64>), ("at", &self.now), ("times", &1), ("current", &true)];
        let again =
            "ON CONFLICT DO UPDATE SET times = times + 1, current = 1, form = excluded.form,
            tokens = excluded.tokens, why = excluded.why, score = excluded.score";
        self.put_row("INSERT INTO injections", one, &more, again)
    }

    /// After a compaction or clear the conversation holds nothing of before.
    pub fn forget_context(&self, session: &str) -> Result<()> {
        self.run(
            "UPDATE injections SET current = 0 WHERE session_id = ?1 AND agent_id = ''",
            [session],
        )
    }

    /// Once; `used` may replace `unused`.
    pub fn decide_injection(&self, id: i64, outcome: &str, how: &str) -> Result<()> {
        self.run(
            "UPDATE injections SET outcome = ?2, how = ?3, decided_at = ?4
                 WHERE id = ?1 AND (outcome IS NULL OR outcome = 'unused')",
            params![id, outcome, how, self.now],
        )
    }

    /// At the end of a session: judges by the failures that it met, and the rest was not used.
    pub fn settle_injections(&self, session: &str) -> Result<()> {
        // The same failure after the warning, or a false lemma that the guard found.
        let met = "EXISTS (SELECT 1 FROM findings d JOIN error_sightings e
            ON e.signature = d.key WHERE d.id = injections.finding_id AND d.finding_type = 'lesson'
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
            self.execute(&sql, params![session, outcome, how, self.now])?;
        }
        Ok(())
    }

    /// What a subagent about to start is about. Nothing of a forgotten session.
    pub fn keep_task(
        &self,
        session: &str,
        tool_use: &str,
        agent_type: &str,
        cues: &str,
    ) -> Result<()> {
        if self.forgets(Some(session))? {
            return Ok(());
        }
        self.run(
            "INSERT OR REPLACE INTO subagent_tasks (session_id, tool_use_id, agent_type, cues, at)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            params![session, tool_use, agent_type, cues, self.now],
        )
    }

    /// The oldest one for this type of agent; after an hour it was refused, and goes.
    pub fn take_task(&self, session: &str, agent_type: &str) -> Result<Option<String>> {
        self.execute(
            "DELETE FROM subagent_tasks WHERE session_id = ?1 AND at < datetime(?2, '-1 hour')",
            [session, &self.now],
        )?;
        let sql = "DELETE FROM subagent_tasks WHERE session_id = ?1 AND tool_use_id = (
            SELECT tool_use_id FROM subagent_tasks WHERE session_id = ?1 AND agent_type = ?2
            ORDER BY at, tool_use_id LIMIT 1) RETURNING cues";
        self.first(sql, params![session, agent_type])
    }
}
