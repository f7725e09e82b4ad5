//! The exit codes.

use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, also with no hits and no differences.
    Done,
    /// 1: it failed, or a part of it did.
    Failed,
    /// 2: the command line was not understood. Never from `mk hook` or a bare `mk`.
    Usage,
    /// 1: an audit found what is denied.
    Findings,
    /// 3: an audit could not look at something.
    Trouble,
    /// 4: an audit had nothing to look at, which is not clean.
    NothingLookedAt,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed | Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Trouble => 3,
            Exit::NothingLookedAt => 4,
        })
    }
}

/// A mistake in how a command was called; ends with [`Exit::Usage`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);
