//! What an editing tool was asked to do, and what it did.

use serde::{Deserialize, Deserializer};

use crate::text::tolerant_json::{number, texts};

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

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Hunk {
    /// From 1.
    #[serde(rename = "oldStart", deserialize_with = "line")]
    pub old_start: usize,
    /// Each after ` `, `-` or `+`.
    #[serde(deserialize_with = "texts")]
    pub lines: Vec<String>,
}

fn line<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    Ok(number(from)?.unwrap_or_default())
}
