//! What an import or an extraction did, and what there is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Kind;

/// The knowledge base in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    pub total: u64,
    pub by_kind: BTreeMap<Kind, u64>,
    /// The newest findings: id, badge, title.
    pub newest: Vec<(i64, String, String)>,
    /// Names of lemmas that were refuted lately, the newest first.
    pub refuted: Vec<String>,
    /// Titles of failed approaches that somebody wrote down, the newest first.
    pub dead_ends: Vec<String>,
    /// Ids of problems that are settled; `None` where no problem is known.
    pub settled: Option<Vec<String>>,
}

/// What storing one draft did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It was new; its row number.
    Inserted(i64),
    /// It was known with other content; its row number.
    Updated(i64),
    /// It was known as it is; its row number.
    Unchanged(i64),
    /// A person had it forgotten: it was not stored.
    Forgotten,
}

impl Put {
    /// The row number, whatever happened; 0, which no row has, where there is none.
    pub fn id(self) -> i64 {
        match self {
            Self::Inserted(id) | Self::Updated(id) | Self::Unchanged(id) => id,
            Self::Forgotten => 0,
        }
    }
}

/// Counts of records by what happened to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub inserted: u64,
    /// Known records whose content changed.
    pub updated: u64,
    pub unchanged: u64,
    /// Records that came from an earlier version of a file and are no longer in it.
    pub removed: u64,
    /// Input that became no record; the report's problems say why.
    pub skipped: u64,
}

impl Counts {
    /// Counts one stored record.
    pub fn add(&mut self, put: Put) {
        match put {
            Put::Inserted(_) => self.inserted += 1,
            Put::Updated(_) => self.updated += 1,
            Put::Unchanged(_) | Put::Forgotten => self.unchanged += 1,
        }
    }

    /// Adds another count to this one.
    pub fn merge(&mut self, other: Self) {
        self.inserted += other.inserted;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.removed += other.removed;
        self.skipped += other.skipped;
    }
}

/// Input that could not be taken over, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// File, or table of a tracking database.
    pub path: String,
    /// Line, or row number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What was wrong, for people.
    pub reason: String,
}

/// The report of an import or an extraction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    #[serde(flatten)]
    pub counts: Counts,
    /// Totals by what the records are: a kind of finding, `problem` or `strategy`.
    pub by_kind: BTreeMap<String, Counts>,
    /// Input that could not be taken over.
    pub problems: Vec<Reject>,
}

impl Report {
    /// Counts one stored finding.
    pub fn finding(&mut self, kind: Kind, put: Put) {
        self.record(kind.as_str(), put);
    }

    /// Counts one stored record of another sort (`problem`, `strategy`).
    pub fn record(&mut self, what: &str, put: Put) {
        self.counts.add(put);
        self.by_kind.entry(what.to_owned()).or_default().add(put);
    }

    /// Notes input that became no record.
    pub fn skip(&mut self, path: &str, line: Option<u64>, reason: impl Into<String>) {
        self.counts.skipped += 1;
        self.problems.push(Reject { path: path.to_owned(), line, reason: reason.into() });
    }

    /// Adds another report to this one.
    pub fn merge(&mut self, other: Self) {
        self.counts.merge(other.counts);
        for (what, counts) in other.by_kind {
            self.by_kind.entry(what).or_default().merge(counts);
        }
        self.problems.extend(other.problems);
    }
}
