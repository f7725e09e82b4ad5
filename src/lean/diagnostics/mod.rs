//! What Lean and Lake say: messages out of the output of a tool, with what kind of error each one is,
//! why such errors come about, and a signature by which the same error is known again.
//!
//! Read are `lean`, `lake env lean`, `lake build`, `lean --json`, the REPL and language servers, also
//! in the replies of tools that ask one. The wording is that of Lean; what it means for the proof is not
//! known here.

mod read;
mod rules;
mod shape;
mod signature;
mod tool;

#[cfg(test)]
mod tests;

use serde::Deserialize;

use crate::text::vocabulary;
pub use read::{Report, Verdict, diagnostics, report};
pub use signature::Signature;
pub use tool::{EDITOR, Looked, looked};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    Error,
    Warning,
    Info,
}

vocabulary! {
    /// Why a step fails. A failure without one is not diagnosed.
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    Reason {
        /// The step does not follow by what was given: goals stay open, a decision procedure gives up.
        MissingMathematics = "missing_mathematics",
        Api = "api",
        /// Text that does not parse, types that do not fit, elaboration that gets stuck.
        Structure = "structure",
        /// A number, set or subtype stands where another kind of it is expected.
        Coercion = "coercion",
        /// Heartbeats, recursion depth, seconds.
        Timeout = "timeout",
        /// Lake, toolchains, missing or stale files, memory, network.
        Infrastructure = "infrastructure",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file as the tool names it; `None` where it is about none.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub severity: Severity,
    pub kind: Option<String>,
    pub text: String,
}

impl Diagnostic {
    pub fn signature(&self) -> Signature {
        Signature::of(&self.text)
    }

    pub fn reason(&self) -> Option<Reason> {
        rules::classify(&self.text).reason
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub fn head(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    pub fn headline(&self) -> String {
        shape::one_kind_of_quotes(self.head())
    }
}
