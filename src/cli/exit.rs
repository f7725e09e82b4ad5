//! The exit codes.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, also with no hits and no differences.
    Done,
    /// 1: it failed, or a part of it did.
    Failed,
    /// 2: the command line was not understood. Never from `mk hook` or a bare `mk`.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
        })
    }
}

/// A mistake in how a command was called; ends with [`Exit::Usage`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);
