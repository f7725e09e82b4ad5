//! Reading a transcript as it comes, in blocks of any size, from its beginning or from a cursor: where a reading
//! ended, and whether a file is still the one that was read.

use std::collections::VecDeque;
use std::io::BufRead as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::line::{self, Writer};
use super::record::{Problem, Record, ToolCall};
use super::wire::Line;
use crate::text::mend_json;

/// Longest line that is read, in bytes; a longer one is skipped and counted as a problem.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

const MAX_PROBLEMS: usize = 20;

/// Reads a transcript in Claude Code's JSONL, in constant memory.
///
/// Feed it blocks of bytes in order ([`Reader::push`]) and take the [`Cursor`]; only whole lines count,
/// the rest of the last one waits. Where the blocks are cut makes no difference.
#[derive(Debug, Default)]
pub struct Reader {
    offset: u64,
    lines: u64,
    /// The beginning of a line whose end is still to come.
    pending: Vec<u8>,
    /// Length so far of a line that is too long; its bytes are not kept.
    long: Option<u64>,
    calls: VecDeque<Arc<ToolCall>>,
    session: Option<Arc<str>>,
    subagent: Option<Arc<str>>,
    problems: Vec<Problem>,
    unreadable: u64,
}

impl Reader {
    pub fn new() -> Self {
        Self::default()
    }

    /// Continues from a cursor that [`Cursor::holds`] says to hold. The next block begins at its offset.
    pub fn resume(cursor: &Cursor) -> Self {
        let calls = cursor.open.iter().cloned().map(Arc::new).collect();
        Self { offset: cursor.offset, lines: cursor.lines, calls, ..Self::default() }
    }

    /// Where the last whole line ended; not [`signed`](Cursor::signed) yet.
    pub fn cursor(&self) -> Cursor {
        Cursor {
            offset: self.offset,
            lines: self.lines,
            hash: String::new(),
            open: self.calls.iter().map(|call| ToolCall::clone(call)).collect(),
        }
    }

    pub fn push(&mut self, mut block: &[u8], out: &mut Vec<Record>) {
        while let Some((line, rest)) = first_line(block) {
            block = rest;
            if self.is_too_long(line) {
                self.skip(line);
                self.end_long_line();
            } else if self.pending.is_empty() {
                self.feed(line, out);
            } else {
                let mut whole = std::mem::take(&mut self.pending);
                whole.extend_from_slice(line);
                self.feed(&whole, out);
                whole.clear();
                // The memory of a very long line is given back.
                whole.shrink_to(64 * 1024);
                self.pending = whole;
            }
        }
        if self.is_too_long(block) {
            self.skip(block);
        } else {
            self.pending.extend_from_slice(block);
        }
    }

    pub fn feed(&mut self, line: &[u8], out: &mut Vec<Record>) {
        self.offset += line.len() as u64;
        self.lines += 1;
        self.read(line, out);
    }

    /// Reads what follows the last line break, if it is a whole line all the same: for a file that
    /// nobody writes any more. Not for one that will be continued from a cursor, which ends before it.
    pub fn finish(&mut self, out: &mut Vec<Record>) {
        let rest = std::mem::take(&mut self.pending);
        let rest = without_mark(&rest).trim_ascii();
        if Line::parse(&mend_json(rest)).is_ok() {
            self.feed(rest, out);
        }
    }

    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn read(&mut self, line: &[u8], out: &mut Vec<Record>) {
        let trimmed = without_mark(line).trim_ascii();
        if trimmed.is_empty() {
            return;
        }
        match Line::parse(trimmed) {
            Ok(line) => self.hand_on(line, out),
            Err(error) => {
                // A broken character in one string is no reason to lose the line.
                let mended = mend_json(trimmed);
                match Line::parse(&mended) {
                    Ok(line) => self.hand_on(line, out),
                    Err(_) => self.problem(error.to_string()),
                }
            }
        }
    }

    fn hand_on(&mut self, line: Line<'_>, out: &mut Vec<Record>) {
        same(&mut self.session, line.session_id.as_deref());
        let subagent = match line.agent_id.as_deref() {
            None if line.is_sidechain => Some("sidechain"),
            id => id,
        };
        same(&mut self.subagent, subagent);
        let mut writer = Writer {
            line: self.lines,
            session: self.session.clone(),
            subagent: self.subagent.clone(),
            at: line.timestamp.as_deref().map(Arc::from),
            calls: &mut self.calls,
            records: out,
        };
        line::records(line, &mut writer);
    }

    fn problem(&mut self, reason: String) {
        self.unreadable += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { line: self.lines, reason });
        }
    }

    fn is_too_long(&self, more: &[u8]) -> bool {
        self.long.is_some() || self.pending.len() + more.len() > MAX_LINE
    }

    fn skip(&mut self, part: &[u8]) {
        let begun = std::mem::take(&mut self.pending).len() + part.len();
        *self.long.get_or_insert_default() += begun as u64;
    }

    fn end_long_line(&mut self) {
        if let Some(length) = self.long.take() {
            self.offset += length;
            self.lines += 1;
            self.problem(format!("longer than {} MB", MAX_LINE / 1024 / 1024));
        }
    }
}

fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

fn same(kept: &mut Option<Arc<str>>, now: Option<&str>) {
    if kept.as_deref() != now {
        *kept = now.map(Arc::from);
    }
}

/// The first whole line with its line break, and what follows it. The library looks for the byte as
/// fast as the machine can, where it reads.
fn first_line(block: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = block;
    let length = rest.skip_until(b'\n').ok()?;
    let (line, rest) = block.split_at_checked(length)?;
    line.ends_with(b"\n").then_some((line, rest))
}

/// Bytes at the beginning, and before the end, of what was read that identify it.
pub const SAMPLE: u64 = 4096;

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

fn hash(head: &[u8], tail: &[u8]) -> String {
    let mut digest = Sha256::new();
    digest.update((head.len() as u64).to_le_bytes());
    digest.update(head);
    digest.update(tail);
    crate::text::hex(&digest.finalize())
}
