//! Reading a transcript as it comes, in blocks of any size, from its beginning or from a cursor: where a reading
//! ended, and whether a file is still the one that was read.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Record, ToolCall};
use crate::text::mend_json;
use crate::text::tolerant_json::Object;

/// Longest line that is read, in bytes; a longer one is skipped and counted as a problem.
pub const MAX_LINE: u64 = 16 * 1024 * 1024;

/// Reads Claude Code's JSONL line by line; what follows the last line break waits.
#[derive(Debug, Default)]
pub struct Reader {
    offset: u64,
    pending: Vec<u8>,
    pub(super) lines: u64,
    pub(super) calls: VecDeque<Arc<ToolCall>>,
    pub(super) session: Option<Arc<str>>,
    pub(super) subagent: Option<Arc<str>>,
    /// When the line at hand was written, and what was found in it.
    pub(super) at: Option<Arc<str>>,
    pub(super) found: Vec<Record>,
    /// The first line that could not be read, and why.
    pub problem: Option<String>,
    pub unreadable: u64,
}

impl Reader {
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on where the cursor ends, with the file there; `None` where the file is another one than was read.
    pub fn resume(cursor: &Cursor, file: &mut (impl Read + Seek)) -> Option<Self> {
        let length = file.seek(SeekFrom::End(0)).ok()?;
        let is_same = length >= cursor.offset && identity(file, cursor.offset).ok()? == cursor.hash;
        file.seek(SeekFrom::Start(cursor.offset)).ok()?;
        let calls = cursor.open.iter().cloned().map(Arc::new).collect();
        let reader = Self { offset: cursor.offset, lines: cursor.lines, calls, ..Self::default() };
        is_same.then_some(reader)
    }

    pub fn cursor(&self, file: &mut (impl Read + Seek)) -> io::Result<Cursor> {
        let open = self.calls.iter().map(|call| ToolCall::clone(call)).collect();
        let hash = identity(file, self.offset)?;
        Ok(Cursor { offset: self.offset, lines: self.lines, hash, open })
    }

    /// `false` where no whole line is left.
    pub fn read(&mut self, from: &mut impl BufRead, out: &mut Vec<Record>) -> io::Result<bool> {
        let mut line = std::mem::take(&mut self.pending);
        let room = (MAX_LINE + 1).saturating_sub(line.len() as u64);
        from.take(room).read_until(b'\n', &mut line)?;
        let mut length = line.len() as u64;
        let is_long = length > MAX_LINE;
        let is_whole = line.ends_with(b"\n");
        if is_long && !is_whole {
            length += from.skip_until(b'\n')? as u64;
        } else if !is_whole {
            self.pending = line;
            return Ok(false);
        }
        self.offset += length;
        self.lines += 1;
        if is_long {
            self.skipped(&format!("longer than {} MB", MAX_LINE / 1024 / 1024));
        } else {
            self.records(&line, out);
            line.clear();
            self.pending = line;
        }
        Ok(true)
    }

    pub fn push(&mut self, mut text: &[u8], out: &mut Vec<Record>) {
        while self.read(&mut text, out).is_ok_and(|is_one| is_one) {}
    }

    /// Reads a last line without a line break, of a file that is not written any more.
    pub fn finish(&mut self, out: &mut Vec<Record>) {
        let rest = std::mem::take(&mut self.pending);
        let mended = mend_json(without_mark(&rest).trim_ascii());
        if serde_json::from_slice::<Object<'_>>(&mended).is_ok() {
            self.lines += 1;
            self.records(&rest, out);
        }
    }

    fn records(&mut self, line: &[u8], out: &mut Vec<Record>) {
        let trimmed = without_mark(line).trim_ascii();
        if trimmed.is_empty() {
            return;
        }
        match serde_json::from_slice(trimmed) {
            Ok(line) => self.hand_on(&line),
            // A broken character in one string is no reason to lose the line.
            Err(error) => match serde_json::from_slice(&mend_json(trimmed)) {
                Ok(line) => self.hand_on(&line),
                Err(_) => self.skipped(&error.to_string()),
            },
        }
        out.append(&mut self.found);
    }

    fn skipped(&mut self, reason: &str) {
        self.unreadable += 1;
        self.problem.get_or_insert_with(|| format!("line {}: {reason}", self.lines));
    }
}

fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

/// Bytes at the beginning, and before the end, of what was read that identify it.
const SAMPLE: u64 = 4096;

pub(super) const MAX_OPEN: usize = 32;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Bytes read: the start of the first line that was not.
    pub offset: u64,
    pub lines: u64,
    /// SHA-256 of what was read, in hexadecimal digits; empty where nothing was.
    pub hash: String,
    #[serde(default)]
    pub open: Vec<ToolCall>,
}

/// Over the first and last [`SAMPLE`] bytes that were read: the client only appends.
fn identity(file: &mut (impl Read + Seek), offset: u64) -> io::Result<String> {
    if offset == 0 {
        return Ok(String::new());
    }
    let length = offset.min(SAMPLE);
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    let mut digest = Sha256::new();
    digest.update(length.to_le_bytes());
    for start in [0, offset - length] {
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        digest.update(&bytes);
    }
    Ok(crate::text::hex(&digest.finalize()))
}
