//! What an editing tool was asked to do, and what it did.

use serde::{Deserialize, Deserializer};

use crate::text::tolerant_json::{number, texts};

/// What an editing tool was asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The whole content of the file.
    Write { content: String },
    /// Texts to be replaced, one after the other (`MultiEdit` has several).
    Replace(Vec<Replacement>),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replacement {
    pub old: String,
    /// The text that takes its place.
    pub new: String,
    /// Whether all places are meant.
    pub all: bool,
}

/// A part of a patch: lines of the old file and what stands there now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Hunk {
    /// First line in the old file, from 1.
    #[serde(rename = "oldStart", deserialize_with = "line")]
    pub old_start: usize,
    /// The lines, each after ` `, `-` or `+`.
    #[serde(deserialize_with = "texts")]
    pub lines: Vec<String>,
}

fn line<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    Ok(number(from)?.unwrap_or_default())
}
