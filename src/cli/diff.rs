//! `mk diff`: what happened to each declaration between two versions of a Lean file.

use std::path::PathBuf;

use crate::app::{App, diff};
use crate::render;
use crate::ui::{Exit, Out};

/// Tell what happened to each declaration between two versions of a Lean file
///
/// A version is a file, or `REV:PATH`: a file as a git revision has it, `:PATH` as the index has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk diff Old.lean New.lean
  mk diff HEAD:src/Foo.lean src/Foo.lean
  mk diff --json main:src/Foo.lean :src/Foo.lean     a branch and the index
  git difftool -y -x 'mk diff' HEAD~1 -- Foo.lean

It compares text: what an imported file changed is not seen.")]
pub(crate) struct Args {
    /// The old version: a file or REV:PATH (`/dev/null`: there was none)
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The new version
    #[arg(value_name = "NEW")]
    new: PathBuf,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let report = diff::run(app, &self.old, &self.new)?;
        out.answer(&report, |width| render::diff(&report, width))?;
        Ok(Exit::Done)
    }
}
