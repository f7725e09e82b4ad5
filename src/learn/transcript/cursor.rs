//! Where a reading ended, and whether a file is still the one that was read.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::record::ToolCall;

/// Bytes at the beginning, and before the end, of what was read that identify it.
pub const SAMPLE: u64 = 4096;

/// Most calls without a result that are remembered.
pub(super) const MAX_OPEN: usize = 32;

/// Where a reading of a transcript ended.
///
/// The hash is over the first [`SAMPLE`] bytes of what was read and the last: two short reads tell
/// whether the file was replaced or rewritten. A change between the two that keeps every byte's place
/// is not noticed; the client only appends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Bytes read: the start of the first line that was not.
    pub offset: u64,
    pub lines: u64,
    /// SHA-256 in hexadecimal digits, over both samples; empty where nothing was read, or nobody
    /// [`signed`](Self::signed) it yet.
    pub hash: String,
    /// Calls whose results are still to come, oldest first.
    #[serde(default)]
    pub open: Vec<ToolCall>,
}

impl Cursor {
    /// The bytes to read for [`Self::holds`]: the beginning, and the end of what was read.
    pub fn samples(&self) -> [std::ops::Range<u64>; 2] {
        [0..self.offset.min(SAMPLE), self.offset.saturating_sub(SAMPLE)..self.offset]
    }

    /// The cursor with the hash of the file, which holds `head` and `tail` at [`Self::samples`].
    #[must_use]
    pub fn signed(self, head: &[u8], tail: &[u8]) -> Self {
        let hash = if self.offset == 0 { String::new() } else { hash(head, tail) };
        Self { hash, ..self }
    }

    /// Whether a file of `length` bytes that holds `head` and `tail` at [`Self::samples`] is still the one
    /// that was read, or has grown; else it is read from its beginning. Samples that were read short count
    /// as changed.
    pub fn holds(&self, length: u64, head: &[u8], tail: &[u8]) -> bool {
        length >= self.offset && (self.offset == 0 || hash(head, tail) == self.hash)
    }
}

/// The identity of what was read.
fn hash(head: &[u8], tail: &[u8]) -> String {
    let mut digest = Sha256::new();
    digest.update((head.len() as u64).to_le_bytes());
    digest.update(head);
    digest.update(tail);
    crate::text::hex(&digest.finalize())
}
