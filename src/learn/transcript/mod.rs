//! Transcripts of sessions: Claude Code's JSONL, or plain text, as records of who said or did what.
//!
//! Bytes in, records out: which file it is, and that it can be opened, is decided elsewhere.

mod line;
mod plain;
mod reader;
mod record;
mod speech;
#[cfg(test)]
mod tests;
mod wire;

pub(in crate::learn) use line::stated_code;
pub use plain::read_plain;
pub use reader::{Cursor, MAX_LINE, Reader};
pub use record::{Body, MAX_PARAMETER, MAX_RESULT, Problem, Record, Speaker, ToolCall, ToolResult};
pub use speech::FRAME;
