//! Removing what a person wants forgotten: from every table and index, and from the file's free pages; and
//! keeping it, as hashes, so that it does not come back from the same source.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;
use serde::Deserialize;

use super::proposals::SAID;
use super::{Result, Store, StoreError, Writer, findings};
use crate::model::{Finding, words_of};
use crate::text::hash;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forget {
    pub findings: Vec<i64>,
    /// Ids of sessions, whole.
    pub sessions: Vec<String>,
    /// Texts; a row that holds one of them (in any case of ASCII letters) goes.
    pub texts: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgottenRows {
    /// What is known, as `#12` with its title, and what was only proposed, by id and content.
    pub things: BTreeMap<String, String>,
    /// Paths of transcripts of which nothing is known any more.
    pub transcripts: BTreeSet<String>,
    /// Rows by table, those of findings too.
    pub rows: BTreeMap<String, u64>,
}

impl ForgottenRows {
    fn count(&mut self, table: &str, gone: usize) {
        if gone > 0 {
            *self.rows.entry(table.to_owned()).or_default() += gone as u64;
        }
    }
}

/// A table as it is, with the columns that somebody added by hand.
#[derive(Deserialize)]
struct Table {
    name: String,
    /// Quoted, with commas between them.
    columns: String,
}

impl Table {
    fn has(&self, column: &str) -> bool {
        self.columns.split(", ").any(|name| name.trim_matches('"') == column)
    }
}

impl Store {
    fn tables(&self) -> Result<Vec<Table>> {
        let sql = "SELECT known.name AS name, group_concat('\"' || replace(held.name, '\"', '\"\"') || '\"', ', ')
        AS columns FROM pragma_table_list AS known JOIN pragma_table_info(known.name) AS held
        WHERE known.schema = 'main' AND known.type = 'table' AND known.name NOT LIKE 'sqlite_%'
        GROUP BY known.name ORDER BY known.name";
        self.all(sql, params![])
    }
}

/// A row of them goes where it belongs to what goes, not by a text that it holds; `forgotten` has hashes, and the
/// words of the search index are made anew.
const CHOSEN_BY_ROW: [&str; 7] =
    ["forgotten", "kinds", "fts_common", "findings", "finding_sources", "transcripts", "domains"];

impl Store {
    /// Ids of sessions that begin so, of all tables, at most ten.
    pub fn sessions_like(&self, prefix: &str) -> Result<Vec<String>> {
        let of_sessions = self.tables()?.into_iter().filter(|one| one.has("session_id"));
        let select = |Table { name, .. }| {
            format!(
                "SELECT session_id AS id FROM {name} WHERE substr(session_id, 1, length(?1)) = ?1"
            )
        };
        let selects: Vec<String> = of_sessions.map(select).collect();
        let sql = format!("{} ORDER BY id LIMIT 10", selects.join(" UNION "));
        self.all(&sql, params![prefix])
    }

    /// Makes the search index anew, writes the whole file anew without its free pages, and empties the
    /// log beside it: what was removed before stands nowhere in them any more. Returns the bytes that
    /// the file has become smaller by.
    ///
    /// # Errors
    /// When somebody else uses the database for too long; what was removed stays removed.
    pub fn compact(&self) -> Result<u64> {
        let size = || std::fs::metadata(&self.path).map_or(0, |file| file.len());
        let before = size();
        self.rebuild_index()?;
        let busy = self
            .connection
            // The copy that this makes needs as much space as the database.
            .execute_batch("PRAGMA temp_store = DEFAULT; VACUUM; PRAGMA temp_store = MEMORY;")
            .and_then(|()| {
                self.connection
                    .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
            })
            .map_err(|error| StoreError::from(error).at(&self.path))?;
        if busy {
            return Err(StoreError::Locked { path: self.path.clone() });
        }
        Ok(before.saturating_sub(size()))
    }

    /// Whether a person had this session forgotten; of none it is not known.
    pub fn forgets(&self, session: Option<&str>) -> Result<bool> {
        self.is_forgotten(session.map(ForgottenKey::Session).as_slice())
    }

    pub(super) fn is_forgotten(&self, keys: &[ForgottenKey<'_>]) -> Result<bool> {
        let keys: Vec<String> = keys.iter().map(|key| key.hash()).collect();
        self.value(
            "SELECT EXISTS (SELECT 1 FROM forgotten WHERE key_hash IN (SELECT value FROM json_each(?1)))",
            params![serde_json::json!(keys).to_string()],
        )
    }
}

impl Writer<'_> {
    /// Removes what is to be forgotten, and remembers its hashes. `strip` makes of the state of a transcript
    /// one without memory. After it call [`Store::compact`], or the text still stands in the file.
    pub fn forget(&self, what: &Forget, strip: &dyn Fn(&str) -> String) -> Result<ForgottenRows> {
        self.connection.execute_batch("PRAGMA secure_delete = ON")?;
        let tables = self.tables()?;
        let mut gone = ForgottenRows::default();
        for finding in self.to_forget(what, &tables)? {
            let (name, text) = match finding.content.said() {
                Some(said) if !finding.content.status.is_live() => {
                    (finding.uid.clone(), said.content.clone())
                }
                _ => (format!("#{}", finding.id), finding.content.title.clone()),
            };
            gone.things.insert(name, text);
            self.forget_finding(&finding, &tables, &mut gone)?;
        }
        for session in &what.sessions {
            self.remember(ForgottenKey::Session(session))?;
            let sql = "SELECT path FROM transcripts WHERE session_id = ?1";
            gone.transcripts.extend(self.all::<String>(sql, params![session])?);
            for table in tables.iter().filter(|table| table.has("session_id")) {
                let sql = format!("DELETE FROM {} WHERE session_id = ?1", table.name);
                gone.count(&table.name, self.execute(&sql, [session])?);
            }
        }
        let texts = serde_json::json!(what.texts).to_string();
        self.forget_texts(&texts, &tables, strip, &mut gone)?;
        // What a job has of a run that is gone: its words may stand in a model's reply. The job begins again.
        self.run(
            "UPDATE jobs SET step = NULL, payload = '{}' WHERE step IS NOT NULL AND EXISTS
             (SELECT 1 FROM json_each(jobs.payload, '$.runs') fetched
             WHERE json_extract(fetched.value, '$.id') NOT IN (SELECT id FROM runs))",
            [],
        )?;
        Ok(gone)
    }

    /// The findings that were named, those of the sessions, those that hold a text, and with what was
    /// proposed what it became.
    fn to_forget(&self, what: &Forget, tables: &[Table]) -> Result<Vec<Finding>> {
        let mut ids: BTreeSet<i64> = what.findings.iter().copied().collect();
        for session in &what.sessions {
            let sql = "SELECT id FROM findings WHERE session_id = ?1 OR (finding_type = 'playbook' AND
                (json_extract(detail, '$.playbook.source_workflow_id') = ?1 OR instr(notes, ?1) > 0))";
            ids.extend(self.all::<i64>(sql, params![session])?);
        }
        let texts = serde_json::json!(what.texts).to_string();
        for table in tables {
            let holds = holds(table);
            let sql = match table.name.as_str() {
                "findings" => format!("SELECT id FROM findings WHERE {holds}"),
                "fact_log" => format!("SELECT finding_id FROM fact_log WHERE {holds}"),
                "finding_sources" => format!(
                    "SELECT id FROM findings WHERE uid IN
                     (SELECT record FROM finding_sources WHERE {holds})"
                ),
                _ => continue,
            };
            ids.extend(self.all::<i64>(&sql, params![texts])?);
        }
        let sql = format!(
            "SELECT superseded_by FROM findings WHERE {SAID} AND id = ?1 AND superseded_by IS NOT NULL
             UNION SELECT id FROM findings WHERE {SAID} AND superseded_by = ?1"
        );
        for id in ids.clone() {
            ids.extend(self.all::<i64>(&sql, params![id])?);
        }
        self.load_all(&ids.into_iter().collect::<Vec<_>>())
    }

    fn forget_finding(
        &self,
        finding: &Finding,
        tables: &[Table],
        gone: &mut ForgottenRows,
    ) -> Result<()> {
        // Of its sources too: reading one of them again brings nothing back.
        let sql = "DELETE FROM finding_sources WHERE record = ?1 RETURNING uid";
        let mut uids: Vec<String> = self.all(sql, params![finding.uid])?;
        gone.count("finding_sources", uids.len());
        uids.extend([findings::uid_of(&finding.content), finding.uid.clone()]);
        for uid in uids.iter().filter(|uid| !uid.is_empty()) {
            self.remember(ForgottenKey::Finding(uid))?;
        }
        if let Some(said) = finding.content.said() {
            self.remember(ForgottenKey::Proposal(&words_of(&said.content)))?;
        }
        // What belongs to it first, or nobody would count that.
        for table in tables.iter().filter(|table| table.has("finding_id")) {
            let sql = format!("DELETE FROM {} WHERE finding_id = ?1", table.name);
            gone.count(&table.name, self.execute(&sql, [finding.id])?);
        }
        self.restore(finding.id)?;
        gone.count("findings", self.execute("DELETE FROM findings WHERE id = ?1", [finding.id])?);
        Ok(())
    }

    fn forget_texts(
        &self,
        texts: &str,
        tables: &[Table],
        strip: &dyn Fn(&str) -> String,
        gone: &mut ForgottenRows,
    ) -> Result<()> {
        for table in tables.iter().filter(|table| !CHOSEN_BY_ROW.contains(&table.name.as_str())) {
            let sql = format!("DELETE FROM {} WHERE {}", table.name, holds(table));
            gone.count(&table.name, self.execute(&sql, [texts])?);
        }
        for table in tables.iter().filter(|table| table.name == "transcripts") {
            self.forget_in_transcripts(&holds(table), texts, strip, gone)?;
        }
        // A domain that somebody made; one that is still needed stays.
        for table in tables.iter().filter(|table| table.name == "domains") {
            let sql = format!(
                "DELETE FROM domains WHERE ({}) AND id NOT IN ('nt', 'algebra', 'combinatorics', 'analysis')
                 AND id NOT IN (SELECT domain_id FROM findings WHERE domain_id IS NOT NULL
                 UNION SELECT domain_id FROM strategies WHERE domain_id IS NOT NULL
                 UNION SELECT domain_id FROM problems WHERE domain_id IS NOT NULL)",
                holds(table)
            );
            gone.count("domains", self.execute(&sql, [texts])?);
        }
        Ok(())
    }

    /// The place in a transcript stays, what is remembered of it goes: else it would be read again.
    fn forget_in_transcripts(
        &self,
        holds: &str,
        texts: &str,
        strip: &dyn Fn(&str) -> String,
        gone: &mut ForgottenRows,
    ) -> Result<()> {
        let sql = format!("SELECT path, state FROM transcripts WHERE {holds}");
        for (path, state) in self.all::<(String, String)>(&sql, params![texts])? {
            let stripped = strip(&state);
            if stripped != state {
                self.set_transcript_state(&path, &stripped)?;
                gone.count("transcripts", 1);
            }
        }
        // What still holds it holds it in its path or project.
        let sql = format!("DELETE FROM transcripts WHERE {holds} RETURNING path");
        let paths: Vec<String> = self.all(&sql, params![texts])?;
        gone.count("transcripts", paths.len());
        gone.transcripts.extend(paths);
        Ok(())
    }

    fn remember(&self, key: ForgottenKey<'_>) -> Result<()> {
        let sql = "INSERT OR IGNORE INTO forgotten (key_hash, at) VALUES (?1, ?2)";
        self.run(sql, params![key.hash(), self.now])
    }
}

/// The condition that a row of a table holds one of the texts (`?1`, a JSON list) in any of its columns.
fn holds(table: &Table) -> String {
    let columns = table.columns.split(", ").map(|column| format!("{}.{column}", table.name));
    // A text does not go on from one column into the next.
    format!(
        "EXISTS (SELECT 1 FROM json_each(?1) wanted
         WHERE instr(lower(concat_ws(char(31), {})), lower(wanted.value)) > 0)",
        columns.collect::<Vec<_>>().join(", ")
    )
}

/// By what something that was forgotten is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForgottenKey<'a> {
    Finding(&'a str),
    /// A proposal by its words, as [`words_of`] makes them.
    Proposal(&'a str),
    Session(&'a str),
}

impl ForgottenKey<'_> {
    fn hash(self) -> String {
        let (sort, key) = match self {
            Self::Finding(uid) => ("finding", uid),
            Self::Proposal(words) => ("proposal", words),
            Self::Session(id) => ("session", id),
        };
        hash(format!("{sort}\n{key}"), 32)
    }
}
