//! What an import or an extraction did, and the knowledge base in numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Kind;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    pub total: u64,
    pub by_kind: BTreeMap<Kind, u64>,
    /// Id, badge, title.
    pub newest: Vec<(i64, String, String)>,
    /// Names, newest first.
    pub refuted: Vec<String>,
    /// Titles of written-down failures, newest first.
    pub dead_ends: Vec<String>,
    /// Ids; `None` where no problem is known.
    pub settled: Option<Vec<String>>,
}

/// What storing one draft did, with the row number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    Inserted(i64),
    Updated(i64),
    Unchanged(i64),
    /// A person had it forgotten: not stored.
    Forgotten,
}

impl Put {
    /// 0, which no row has, for what was forgotten.
    pub fn id(self) -> i64 {
        match self {
            Self::Inserted(id) | Self::Updated(id) | Self::Unchanged(id) => id,
            Self::Forgotten => 0,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub inserted: u64,
    pub updated: u64,
    pub unchanged: u64,
    /// In an earlier version of the file, but no longer.
    pub removed: u64,
    /// Input that became no record.
    pub skipped: u64,
}

impl Counts {
    pub fn add(&mut self, put: Put) {
        match put {
            Put::Inserted(_) => self.inserted += 1,
            Put::Updated(_) => self.updated += 1,
            Put::Unchanged(_) | Put::Forgotten => self.unchanged += 1,
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.inserted += other.inserted;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
        self.skipped += other.skipped;
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// File, or table of a tracking database.
    pub path: String,
    /// Line, or row number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    #[serde(flatten)]
    pub counts: Counts,
    /// By kind of finding, `problem` or `strategy`.
    pub by_kind: BTreeMap<String, Counts>,
    pub problems: Vec<Reject>,
}

impl Report {
    pub fn finding(&mut self, kind: Kind, put: Put) {
        self.record(kind.as_str(), put);
    }

    /// `problem` or `strategy`.
    pub fn record(&mut self, what: &str, put: Put) {
        self.counts.add(put);
        self.by_kind.entry(what.to_owned()).or_default().add(put);
    }

    pub fn skip(&mut self, path: &str, line: Option<u64>, reason: impl Into<String>) {
        self.counts.skipped += 1;
        self.problems.push(Reject { path: path.to_owned(), line, reason: reason.into() });
    }

    pub fn merge(&mut self, other: Self) {
        self.counts.merge(other.counts);
        for (what, counts) in other.by_kind {
            self.by_kind.entry(what).or_default().merge(counts);
        }
        self.problems.extend(other.problems);
    }
}
