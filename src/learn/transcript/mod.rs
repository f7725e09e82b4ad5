//! Transcripts of sessions: Claude Code's JSONL, or plain text, as records of who said or did what.

mod line;
mod plain;
mod reader;
mod speech;
#[cfg(test)]
mod tests;

pub(in crate::learn) use line::{cleaned, stated_code};
pub use plain::read_plain;
pub use reader::{Cursor, MAX_LINE, Reader};
pub use speech::FRAME;
pub(in crate::learn) use speech::Fence;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::model::Hunk;
use crate::text::vocabulary;

vocabulary! {
    /// Where a text came from, not that it is true: a scheduled prompt arrives as a person's.
    Speaker {
        Person = "person",
        /// The main agent; in a subagent's transcript also the task that it was given.
        Agent = "agent",
        Subagent = "subagent",
        Tool = "tool",
        /// Text that a program put there in somebody's name: hooks (ours too), reminders, commands.
        Injected = "injected",
        Summary = "summary",
        Client = "client",
        Unknown = "unknown",
    }
}

/// One block of a transcript. A line of JSONL is none, one or several of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub line: u64,
    pub at: Option<Arc<str>>,
    pub session: Option<Arc<str>>,
    pub subagent: Option<Arc<str>>,
    pub speaker: Speaker,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    Said(String),
    Called(Arc<ToolCall>),
    Returned(ToolResult),
    /// A file that the agent had read was changed by somebody else: its lines around the change.
    Edited {
        path: String,
        snippet: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// Texts as they are, the rest as JSON, each cut in the middle to [`MAX_PARAMETER`] bytes.
    pub input: Vec<(String, String)>,
    pub line: u64,
}

pub const MAX_PARAMETER: usize = 16 * 1024;

/// Most bytes of the text of a result, of which the middle is cut out.
pub const MAX_RESULT: usize = 64 * 1024;

impl ToolCall {
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.input.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they mirror what the client writes")]
pub struct ToolResult {
    pub id: String,
    pub call: Option<Arc<ToolCall>>,
    /// The client called it an error: a command that failed, a refusal, a mistake in the call.
    pub is_error: bool,
    /// Exit code of a command: 0 of one that succeeded, `None` where there is none.
    pub exit_code: Option<i32>,
    /// The client itself says that the person refused the call; older versions say so only in words.
    pub refused: bool,
    pub user_modified: bool,
    pub interrupted: bool,
    /// What the agent was shown, at most [`MAX_RESULT`] bytes.
    pub text: String,
    /// What an edit changed in its file; empty for other tools and for new files.
    pub patch: Vec<Hunk>,
}
