//! What becomes of facts when some are known already.

use serde::Serialize;

use super::record::Fact;
use crate::text::one_line;

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

/// Blanks and a full stop at the end make no other value; case does, because Lean's names have it.
pub fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| one_line(text.trim().trim_end_matches('.'));
    plain(one) == plain(other)
}
