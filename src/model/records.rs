//! Records that pass between layers: edits, the guard's log, the prover's queue, reports of what was stored.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Kind;
use super::run::or_default;
use crate::text::tolerant_json::{Object, text_of};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    Write {
        content: String,
    },
    /// One after the other; `MultiEdit` has several.
    Replace(Vec<Replacement>),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replacement {
    pub old: String,
    pub new: String,
    pub all: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// From 1.
    pub old_start: usize,
    /// Each after ` `, `-` or `+`.
    pub lines: Vec<String>,
}

impl Hunk {
    /// Those of an edit, as the client says what it did.
    pub fn of(response: &Object<'_>) -> Vec<Self> {
        let hunk = |hunk: Object<'_>| {
            let lines = hunk.list("lines").into_iter().filter_map(text_of);
            let lines = lines.map(Cow::into_owned).collect();
            Self { old_start: hunk.number("oldStart").unwrap_or_default(), lines }
        };
        response.objects("structuredPatch").into_iter().map(hunk).collect()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardEntry {
    /// Set by the store.
    pub at: String,
    /// Empty where the client sent none.
    pub session: String,
    /// The client's id of the tool's use, or empty.
    pub tool_use: String,
    pub agent: Option<String>,
    /// `PreToolUse`, `PostToolUse`, `Stop`.
    pub event: String,
    pub tool: Option<String>,
    pub project: Option<String>,
    /// Relative to the project's root; absolute outside of it.
    pub file: Option<String>,
    pub rule: String,
    /// `deny`, `ask` or `warn`; `off` where a lift let it pass.
    pub level: String,
    /// Full name, or empty.
    pub declaration: String,
    /// From 1.
    pub line: Option<u64>,
    pub detail: String,
    pub lift: Option<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiftRecord {
    /// 0 before it is stored.
    pub id: i64,
    /// Set by the store.
    pub granted_at: String,
    /// `terminal` or `dialog`.
    pub granted_by: String,
    pub project: Option<String>,
    pub rule: String,
    /// Full name; `None` for a whole file.
    pub declaration: Option<String>,
    /// As [`GuardEntry::file`]; `None` for wherever the declaration is.
    pub file: Option<String>,
    /// One edit uses it up.
    pub once: bool,
    /// `None` until it is taken back.
    pub expires_at: Option<String>,
    pub reason: String,
    /// That asked for it.
    pub session: Option<String>,
    /// The client's id of the command that the person agreed to.
    pub tool_use: Option<String>,
    /// When an edit used it up.
    pub spent_at: Option<String>,
    /// The client's id of that edit.
    pub spent_by: Option<String>,
    pub revoked_at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockRecord {
    pub project: String,
    /// Full name.
    pub declaration: String,
    pub statement: Option<String>,
    pub file: Option<String>,
    /// `person`, `problem` or `prover`.
    pub origin: String,
    /// Set by the store.
    pub locked_at: String,
    /// Full names of the definitions of the project that the statement speaks of, also by others of them.
    pub rests_on: Vec<String>,
}

/// What a status command last saw of the prover's queue (`queue_cache`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueCache {
    /// Empty on input means now.
    pub cached_at: String,
    pub in_flight: i64,
    /// `None` means 5 minus those in flight, at least 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots_open: Option<i64>,
    /// Slots.
    #[serde(deserialize_with = "or_default")]
    pub ready_to_fetch: Vec<i64>,
    /// As the status command words them.
    pub recently_completed: Vec<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_near_miss: Option<NearMiss>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NearMiss {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<i64>,
    /// Problem id, or the file's name.
    pub problem: String,
    pub sorry_count: i64,
    /// For example a declaration's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sorry_location: Option<String>,
}

/// An old name and its replacement, from the files of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rename {
    /// In full, or a module.
    pub old: String,
    /// In full where the packages show it, else as written.
    pub new: Option<String>,
    /// A date, or whatever the file says.
    pub since: Option<String>,
    pub message: Option<String>,
    pub package: String,
    /// What was read of a revision never changes.
    pub revision: Option<String>,
    /// Relative to the package, with `/`.
    pub file: String,
    /// From 1.
    pub line: u64,
    /// The last part alone does not mean it.
    pub protected: bool,
    /// `new` is declared in a package.
    pub exact: bool,
}

/// Names that are read of each kind: so many stand for that many or more.
pub const NAMES_READ: usize = 10;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knowledge {
    pub total: u64,
    pub by_kind: BTreeMap<Kind, u64>,
    /// Whether any is of the project at hand, or of none.
    pub here: bool,
    /// Names, newest first.
    pub refuted: Vec<String>,
    /// Titles of written-down failures and their problems, newest first.
    pub dead_ends: Vec<(String, Option<String>)>,
    /// Ids; `None` where no problem is known.
    pub settled: Option<Vec<String>>,
    pub kernel: KernelCounts,
}

/// Theorems that Lean accepted in the project at hand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelCounts {
    /// At some time.
    pub accepted: u64,
    /// Lean was asked again, and does not accept them any more: their names.
    pub lost: Vec<String>,
    /// Lean reads the same text as another statement than when it accepted it before: their names.
    pub changed: Vec<String>,
    /// What they rest on changed, and Lean was not asked again.
    pub stale: u64,
    /// Lean finds a gap below them that their own text does not show: their names.
    pub hidden: Vec<String>,
    /// Files that compile, but do not pass a replay.
    pub refused: Vec<String>,
}

/// What storing one draft did, with the row number; what changed more comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    pub skipped: u64,
}

impl Counts {
    pub fn has_changed(&self) -> bool {
        self.inserted + self.updated + self.removed > 0
    }

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
    /// What an earlier version of a file said.
    pub fn removed(&mut self, what: &str) {
        self.counts.removed += 1;
        self.by_kind.entry(what.to_owned()).or_default().removed += 1;
    }

    /// `what` is a kind of finding, `problem` or `strategy`.
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
