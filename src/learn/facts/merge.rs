//! What becomes of facts when some are known already.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::record::{Category, Fact, Scope};
use crate::text::one_line;

/// A fact that is stored, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub id: i64,
    pub category: Category,
    pub key: String,
    /// The project that it holds in; `None` for a global one.
    pub project: Option<String>,
    pub value: String,
    pub is_confirmed: bool,
}

/// What is to be done with a new fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// Nothing is known under its key.
    Insert { fact: Fact },
    /// The same is known: it was seen to hold once more. A working fact lasts on from now.
    Verify { id: i64, fact: Fact },
    /// Something else is known: the value is replaced, and both are logged.
    Update {
        id: i64,
        /// The value until now.
        from: String,
        fact: Fact,
    },
    /// Something else is known, and a person confirmed that: it stays.
    Keep {
        id: i64,
        /// The value that stays.
        confirmed: String,
        /// The fact, which is not stored.
        fact: Fact,
    },
    /// It is new, and waits for a person's word.
    Propose { fact: Fact },
    /// A person was asked about it before, or does not want it.
    Skip {
        /// The fact, which is not stored.
        fact: Fact,
        /// Why, as the end of a sentence.
        why: &'static str,
    },
}

impl Change {
    pub fn fact(&self) -> &Fact {
        match self {
            Self::Insert { fact }
            | Self::Verify { fact, .. }
            | Self::Update { fact, .. }
            | Self::Keep { fact, .. }
            | Self::Propose { fact }
            | Self::Skip { fact, .. } => fact,
        }
    }
}

/// Compares new facts with what is stored, in the order of the new ones. A global fact is the same in
/// every project, one of a project only in `project`; outside of a project there are global ones only.
/// Of several new ones that are the same, the first counts. Whether a person is asked is not decided here.
pub fn merge(stored: &[Stored], new: Vec<Fact>, project: Option<&str>) -> Vec<Change> {
    let known: BTreeMap<(Category, &str, Option<&str>), &Stored> = stored
        .iter()
        .map(|one| ((one.category, one.key.as_str(), one.project.as_deref()), one))
        .collect();
    let mut seen: BTreeSet<(Category, String, bool)> = BTreeSet::new();
    let is_new = |fact: &Fact| {
        let is_global = fact.scope == Scope::Global || project.is_none();
        seen.insert((fact.category, fact.key.clone(), is_global))
    };
    let change = |fact: Fact| {
        let project = if fact.scope == Scope::Global { None } else { project };
        let Some(old) = known.get(&(fact.category, fact.key.as_str(), project)) else {
            return Change::Insert { fact };
        };
        let id = old.id;
        if is_same(&old.value, &fact.value) {
            return Change::Verify { id, fact };
        }
        let value = old.value.clone();
        if old.is_confirmed {
            return Change::Keep { id, confirmed: value, fact };
        }
        Change::Update { id, from: value, fact }
    };
    new.into_iter().filter(is_new).map(change).collect()
}

/// Blanks and a full stop at the end make no other value; case does, because Lean's names have it.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| one_line(text.trim().trim_end_matches('.'));
    plain(one) == plain(other)
}
