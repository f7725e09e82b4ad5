//! Removing what a person wants forgotten: from every table and index, and from the file's free pages; and
//! keeping it, as hashes, so that it does not come back from the same source.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, TransactionBehavior, params, params_from_iter};

use super::proposals::SAID;
use super::rows::text;
use super::{Store, StoreError, Writer, facts, findings};
use crate::model::words_of;
use crate::text::hash;

/// What is to be forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forget {
    pub findings: Vec<i64>,
    /// Ids of sessions, whole.
    pub sessions: Vec<String>,
    /// Texts; a row that holds one of them (in any case of ASCII letters) goes.
    pub texts: Vec<String>,
}

/// What went, or would go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgottenRows {
    /// What is known, as `#12` with its title, and what was only proposed, by id and content.
    pub things: BTreeMap<String, String>,
    /// Paths of transcripts of which nothing is known any more.
    pub transcripts: BTreeSet<String>,
    /// Rows by table, those of findings too.
    pub rows: BTreeMap<String, u64>,
}

/// Tables with a column of this name.
fn tables_with(connection: &Connection, column: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_list AS known WHERE schema = 'main' AND type = 'table'
        AND EXISTS (SELECT 1 FROM pragma_table_info(known.name) AS held WHERE held.name = ?1)
        ORDER BY name";
    list(connection, sql, [column]).map(texts)
}

/// Tables that stand for themselves: a row that holds a text goes. What was forgotten is kept as hashes,
/// the search index is made anew, and the rest is chosen row by row.
fn other_tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT LIKE 'sqlite_%' AND name NOT IN ('forgotten', 'kinds', 'fts_common', 'findings',
        'finding_sources', 'transcripts', 'domains') ORDER BY name";
    list(connection, sql, []).map(texts)
}

impl Store {
    /// Ids of sessions that begin so, of all tables, at most ten.
    pub fn sessions_like(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            let selects: Vec<String> = tables_with(connection, "session_id")?
                .iter()
                .map(|table| {
                    format!(
                        "SELECT session_id AS id FROM {table}
                         WHERE substr(session_id, 1, length(?1)) = ?1"
                    )
                })
                .collect();
            let sql = format!("{} ORDER BY id LIMIT 10", selects.join(" UNION "));
            connection.prepare(&sql)?.query_map([prefix], |row| row.get(0))?.collect()
        })
    }

    /// Removes what is to be forgotten in one transaction, and remembers its hashes; with `dry_run`
    /// nothing is changed. `strip` makes of the state of a transcript one without memory. After it call
    /// [`Store::compact`], or the text still stands in the file.
    ///
    /// # Errors
    /// When the database cannot be written; then nothing was removed.
    pub fn forget(
        &mut self,
        what: &Forget,
        dry_run: bool,
        now: &str,
        strip: &dyn Fn(&str) -> String,
    ) -> Result<ForgottenRows, StoreError> {
        let done = (|| {
            self.connection.execute_batch("PRAGMA secure_delete = ON")?;
            let transaction =
                Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let mut sweep = Sweep {
                connection: &transaction,
                what,
                ids: Vec::new(),
                rows: ForgottenRows::default(),
            };
            sweep.choose()?;
            sweep.remember(now)?;
            sweep.remove(strip)?;
            let rows = sweep.rows;
            if dry_run {
                transaction.rollback()?;
            } else {
                transaction.commit()?;
            }
            Ok(rows)
        })();
        done.map_err(|error: rusqlite::Error| StoreError::from(error).at(&self.path))
    }

    /// Makes the search index anew, writes the whole file anew without its free pages, and empties the
    /// log beside it: what was removed before stands nowhere in them any more. Returns the bytes that
    /// the file has become smaller by.
    ///
    /// # Errors
    /// When somebody else uses the database for too long; what was removed stays removed.
    pub fn compact(&self) -> Result<u64, StoreError> {
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
}

struct Sweep<'a> {
    connection: &'a Connection,
    what: &'a Forget,
    /// All findings that go.
    ids: Vec<i64>,
    rows: ForgottenRows,
}

impl Sweep<'_> {
    /// Chooses findings: those that were named, those of the sessions, those that hold a text, and with
    /// what was proposed what it became.
    fn choose(&mut self) -> rusqlite::Result<()> {
        let mut findings: BTreeSet<i64> = self.what.findings.iter().copied().collect();
        for session in &self.what.sessions {
            for sql in [
                "SELECT id FROM findings WHERE session_id = ?1",
                "SELECT id FROM findings WHERE finding_type = 'playbook'
                 AND json_extract(detail, '$.playbook.source_workflow_id') = ?1",
                "SELECT id FROM findings WHERE finding_type = 'playbook' AND instr(notes, ?1) > 0",
            ] {
                findings.extend(numbers(list(self.connection, sql, [session])?));
            }
        }
        findings.extend(numbers(self.holding("findings", "id")?));
        findings.extend(numbers(self.holding("fact_log", "finding_id")?));
        for source in self.holding("finding_sources", "record")? {
            let sql = "SELECT id FROM findings WHERE uid = ?1";
            findings.extend(numbers(list(self.connection, sql, [source])?));
        }
        for id in findings.clone() {
            let sql = format!(
                "SELECT superseded_by FROM findings WHERE {SAID} AND id = ?1
                 UNION SELECT id FROM findings WHERE {SAID} AND superseded_by = ?1"
            );
            findings.extend(numbers(list(self.connection, &sql, [id])?));
        }
        for id in findings {
            let Some(finding) = findings::load(self.connection, id)? else { continue };
            let (name, text) = match finding.content.said() {
                Some(said) if !finding.content.status.is_live() => {
                    (finding.uid, said.content.clone())
                }
                _ => (format!("#{id}"), finding.content.title),
            };
            self.rows.things.insert(name, text);
            self.ids.push(id);
        }
        Ok(())
    }

    fn remember(&self, now: &str) -> rusqlite::Result<()> {
        for id in &self.ids {
            let Some(finding) = findings::load(self.connection, *id)? else { continue };
            // Of its sources too: reading one of them again brings nothing back.
            let sql = "SELECT uid FROM finding_sources WHERE record = ?1";
            let mut uids = texts(list(self.connection, sql, [&finding.uid])?);
            uids.extend([findings::uid_of(&finding.content), finding.uid]);
            for uid in uids.iter().filter(|uid| !uid.is_empty()) {
                remember(self.connection, ForgottenKey::Finding(uid), now)?;
            }
            if let Some(said) = finding.content.said() {
                let words = words_of(&said.content);
                remember(self.connection, ForgottenKey::Proposal(&words), now)?;
            }
        }
        for session in &self.what.sessions {
            remember(self.connection, ForgottenKey::Session(session), now)?;
        }
        Ok(())
    }

    fn remove(&mut self, strip: &dyn Fn(&str) -> String) -> rusqlite::Result<()> {
        let of_findings = tables_with(self.connection, "finding_id")?;
        for id in self.ids.clone() {
            let of_it = "record = (SELECT uid FROM findings WHERE id = ?1)";
            self.delete("finding_sources", of_it, vec![Value::Integer(id)])?;
            // What belongs to it first, or nobody would count that.
            for table in &of_findings {
                self.delete(table, "finding_id = ?1", vec![Value::Integer(id)])?;
            }
            facts::restore(self.connection, id)?;
            self.delete("findings", "id = ?1", vec![Value::Integer(id)])?;
        }
        let of_sessions = tables_with(self.connection, "session_id")?;
        for session in &self.what.sessions {
            let sql = "SELECT path FROM transcripts WHERE session_id = ?1";
            self.rows.transcripts.extend(texts(list(self.connection, sql, [session])?));
            for table in &of_sessions {
                self.delete(table, "session_id = ?1", vec![Value::Text(session.clone())])?;
            }
        }
        if self.what.texts.is_empty() {
            return self.remove_replies();
        }
        self.remove_from_transcripts(strip)?;
        for table in other_tables(self.connection)? {
            let (condition, values) = self.condition(&table)?;
            self.delete(&table, &condition, values)?;
        }
        self.remove_replies()?;
        // A domain that somebody made; one that is still needed stays.
        let (condition, values) = self.condition("domains")?;
        let unused = ["findings", "strategies", "problems"].map(|table| {
            format!("id NOT IN (SELECT domain_id FROM {table} WHERE domain_id IS NOT NULL)")
        });
        let condition = format!(
            "({condition}) AND id NOT IN ('nt', 'algebra', 'combinatorics', 'analysis') AND {}",
            unused.join(" AND ")
        );
        self.delete("domains", &condition, values)
    }

    /// What a job has of a run that is gone: its words may stand in a model's reply. The job begins again.
    fn remove_replies(&mut self) -> rusqlite::Result<()> {
        let sql = "UPDATE jobs SET step = NULL, payload = '{}' WHERE step IS NOT NULL AND EXISTS
            (SELECT 1 FROM json_each(jobs.payload, '$.runs') fetched
            WHERE json_extract(fetched.value, '$.id') NOT IN (SELECT id FROM runs))";
        self.connection.execute(sql, []).map(drop)
    }

    /// The place in a transcript stays, what is remembered of it goes: else it would be read again.
    fn remove_from_transcripts(&mut self, strip: &dyn Fn(&str) -> String) -> rusqlite::Result<()> {
        let in_state = texts(self.holding("transcripts", "path")?);
        for path in in_state {
            let sql = "SELECT state FROM transcripts WHERE path = ?1";
            let state = texts(list(self.connection, sql, [&path])?).pop().unwrap_or_default();
            let stripped = strip(&state);
            if stripped != state {
                self.connection.execute(
                    "UPDATE transcripts SET state = ?2 WHERE path = ?1",
                    [&path, &stripped],
                )?;
                *self.rows.rows.entry("transcripts".to_owned()).or_default() += 1;
            }
        }
        // What still holds it holds it in its path or project.
        for path in texts(self.holding("transcripts", "path")?) {
            self.delete("transcripts", "path = ?1", vec![Value::Text(path.clone())])?;
            self.rows.transcripts.insert(path);
        }
        Ok(())
    }

    /// One column of the rows of a table that hold a text.
    fn holding(&self, table: &str, column: &str) -> rusqlite::Result<Vec<Value>> {
        if self.what.texts.is_empty() {
            return Ok(Vec::new());
        }
        let (condition, values) = self.condition(table)?;
        let sql = format!("SELECT {column} FROM {table} WHERE {condition}");
        list(self.connection, &sql, params_from_iter(values))
    }

    /// The condition that a row of a table holds a text in any of its columns, whoever added them.
    fn condition(&self, table: &str) -> rusqlite::Result<(String, Vec<Value>)> {
        let columns =
            texts(list(self.connection, "SELECT name FROM pragma_table_info(?1)", [table])?);
        let mut parts = Vec::new();
        for column in &columns {
            let column = column.replace('"', "\"\"");
            parts.extend(
                (1..=self.what.texts.len())
                    .map(|n| format!("instr(lower(CAST(\"{column}\" AS TEXT)), lower(?{n})) > 0")),
            );
        }
        let values = self.what.texts.iter().cloned().map(Value::Text).collect();
        Ok((parts.join(" OR "), values))
    }

    fn delete(&mut self, table: &str, condition: &str, values: Vec<Value>) -> rusqlite::Result<()> {
        let sql = format!("DELETE FROM {table} WHERE {condition}");
        let gone = self.connection.prepare_cached(&sql)?.execute(params_from_iter(values))?;
        if gone > 0 {
            *self.rows.rows.entry(table.to_owned()).or_default() += gone as u64;
        }
        Ok(())
    }
}

fn list(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> rusqlite::Result<Vec<Value>> {
    connection
        .prepare_cached(sql)?
        .query_map(parameters, |row| match row.get(0)? {
            Value::Blob(_) | Value::Real(_) => Ok(text(row, 0)?.map_or(Value::Null, Value::Text)),
            value => Ok(value),
        })?
        .collect()
}

fn numbers(values: Vec<Value>) -> impl Iterator<Item = i64> {
    values.into_iter().filter_map(|value| match value {
        Value::Integer(number) => Some(number),
        _ => None,
    })
}

fn texts(values: Vec<Value>) -> Vec<String> {
    let text = |value| match value {
        Value::Text(text) => Some(text),
        Value::Integer(number) => Some(number.to_string()),
        _ => None,
    };
    values.into_iter().filter_map(text).collect()
}

/// By what something that was forgotten is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgottenKey<'a> {
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

/// Whether a person had any of these forgotten.
pub(super) fn is_known(
    connection: &Connection,
    keys: &[ForgottenKey<'_>],
) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM forgotten WHERE key_hash = ?1")?;
    for key in keys {
        if statement.exists([key.hash()])? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Store {
    /// Whether a person had any of these forgotten.
    pub fn is_forgotten(&self, keys: &[ForgottenKey<'_>]) -> Result<bool, StoreError> {
        self.read(|connection| is_known(connection, keys))
    }
}

impl Writer<'_> {
    /// Whether a person had any of these forgotten.
    pub fn is_forgotten(&self, keys: &[ForgottenKey<'_>]) -> Result<bool, StoreError> {
        Ok(is_known(self.connection, keys)?)
    }
}

/// Notes that something was forgotten.
pub(super) fn remember(
    connection: &Connection,
    key: ForgottenKey<'_>,
    now: &str,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO forgotten (key_hash, at) VALUES (?1, ?2)")?
        .execute(params![key.hash(), now])
        .map(drop)
}
