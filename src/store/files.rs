//! How far files were read (results, texts, transcripts), and which sessions of the client were seen.

use std::path::PathBuf;

use rusqlite::{ToSql, params};
use serde::{Deserialize, Serialize};

use super::rows::most;
use super::{Result, Store, Writer};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceState {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub mtime_ns: i64,
    pub hash: String,
    pub failure: Option<String>,
}

impl Store {
    /// `path` is absolute.
    pub fn source(&self, path: &str) -> Result<Option<SourceState>> {
        let sql = "SELECT size, mtime_ns, hash, failure FROM extracted_files WHERE path = ?1";
        self.first(sql, params![path])
    }

    /// Path and reason, newest first.
    pub fn failed_sources(&self, limit: usize) -> Result<Vec<(String, String)>> {
        self.all(
            "SELECT path, failure FROM extracted_files WHERE failure IS NOT NULL
             ORDER BY extracted_at DESC, path LIMIT ?1",
            params![most(limit)],
        )
    }

    /// `path` is absolute.
    pub fn read_text(&self, path: &str) -> Result<Option<ReadText>> {
        let sql = "SELECT size, mtime_ns, hash, asked FROM read_texts WHERE path = ?1";
        self.first(sql, params![path])
    }

    /// `path` is absolute.
    pub fn transcript(&self, path: &str) -> Result<Option<TranscriptState>> {
        self.first("SELECT * FROM transcripts WHERE path = ?1", params![path])
    }

    /// Whose end was seen, or not; last read first.
    pub fn transcripts(&self, closed: bool, limit: usize) -> Result<Vec<TranscriptState>> {
        let sql = "SELECT * FROM transcripts WHERE closed = ?1 ORDER BY read_at DESC LIMIT ?2";
        self.all(sql, params![closed, most(limit)])
    }

    /// Those that were not read since a time, the oldest first.
    pub fn transcripts_before(&self, before: &str, limit: usize) -> Result<Vec<TranscriptState>> {
        let sql = "SELECT * FROM transcripts WHERE coalesce(read_at, '') < ?1
            ORDER BY read_at LIMIT ?2";
        self.all(sql, params![before, most(limit)])
    }
}

impl Writer<'_> {
    /// As if these files had never been read.
    pub fn unread(&self, paths: &[PathBuf]) -> Result<()> {
        let sql =
            "UPDATE extracted_files SET hash = '' WHERE path IN (SELECT value FROM json_each(?1))";
        let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
        self.run(sql, params![serde_json::json!(paths).to_string()])
    }

    /// The Lean files and archives in a folder that were read.
    pub fn read_files_in(&self, folder: &str) -> Result<Vec<String>> {
        let sql = "SELECT path FROM extracted_files WHERE substr(path, 1, length(?1) + 1) = ?1 || '/'
             AND (path LIKE '%.lean' OR path LIKE '%.tar' OR path LIKE '%.gz' OR path LIKE '%.tgz')";
        self.all(sql, params![folder])
    }

    pub fn set_source(&self, path: &str, state: &SourceState) -> Result<()> {
        let more: [(&str, &dyn ToSql); 2] = [("path", &path), ("extracted_at", &self.now)];
        self.put_row("INSERT OR REPLACE INTO extracted_files", state, &more, "")
    }

    /// Nothing of a forgotten session.
    pub fn note_session(&self, session: &str, project: Option<&str>, captured: bool) -> Result<()> {
        if self.forgets(Some(session))? {
            return Ok(());
        }
        self.run(
            "INSERT INTO client_sessions (session_id, project, first_seen, last_seen, captured)
                 VALUES (?1, ?2, ?3, ?3, ?4)
                 ON CONFLICT (session_id) DO UPDATE SET project = coalesce(?2, project),
                 last_seen = ?3, captured = max(captured, ?4)",
            params![session, project, self.now, captured],
        )
    }

    pub fn set_read_text(&self, path: &str, text: &ReadText) -> Result<()> {
        let more: [(&str, &dyn ToSql); 2] = [("path", &path), ("read_at", &self.now)];
        self.put_row("INSERT OR REPLACE INTO read_texts", text, &more, "")
    }

    /// Nothing of a forgotten session.
    pub fn put_transcript(&self, state: &TranscriptState) -> Result<()> {
        if self.forgets(state.session.as_deref())? {
            return self.remove_transcript(&state.path);
        }
        let into = "INSERT OR REPLACE INTO transcripts";
        self.put_row(into, state, &[("read_at", &self.now)], "")
    }

    pub fn reopen(&self, path: &str) -> Result<()> {
        self.run("UPDATE transcripts SET closed = 0 WHERE path = ?1", [path])
    }

    /// Not read on and not forgotten since `known` was read.
    pub fn is_where_it_was(&self, path: &str, known: Option<&TranscriptState>) -> Result<bool> {
        let now = self.transcript(path)?;
        // A row that only names a transcript counts as none.
        let place = |state: Option<&TranscriptState>| {
            state
                .filter(|state| state.offset > 0 || !state.state.is_empty())
                .map(|state| (state.offset, state.hash.clone(), state.state.clone()))
        };
        Ok(place(now.as_ref()) == place(known))
    }

    /// When it was read stays.
    pub fn set_transcript_state(&self, path: &str, state: &str) -> Result<()> {
        self.run("UPDATE transcripts SET state = ?2 WHERE path = ?1", [path, state])
    }

    pub fn remove_transcript(&self, path: &str) -> Result<()> {
        self.run("DELETE FROM transcripts WHERE path = ?1", [path])
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadText {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub mtime_ns: i64,
    pub hash: String,
    /// Model and version of the prompt; empty where only rules read it.
    pub asked: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptState {
    pub path: String,
    pub session: Option<String>,
    pub project: Option<String>,
    pub offset: u64,
    pub lines: u64,
    pub hash: String,
    /// JSON for the next reading.
    pub state: String,
    pub closed: bool,
    pub failure: Option<String>,
    /// Set by the store.
    pub read_at: String,
}
