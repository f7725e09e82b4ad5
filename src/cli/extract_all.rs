//! `mk extract-all`: learns from all notes and transcripts of a folder.

use std::path::PathBuf;

use crate::app::App;
use crate::app::ask::{self, BatchRequest, Options};
use crate::app::review;
use crate::render;
use crate::ui::UsageError;
use crate::ui::progress::Progress;
use crate::ui::watch::Watch;
use crate::ui::{Exit, Out, stop};

/// Learn from all notes and transcripts of a folder
///
/// Each file is read as by `mk extract`: by rule, and by a language model where one is configured or
/// named. A file that was read before and is as it was is passed over, so the same command goes on where
/// it was stopped. Hidden folders, packages and build folders are not walked into.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  mk extract-all notes/
  mk extract-all ~/.claude/projects/my-project --pattern '*.jsonl' --since 7d
  mk extract-all notes/ --model qwen3:8b --dry-run

Ctrl-C keeps what is done. Exit code 1 when a file could not be read or the model gave nothing for it.")]
pub(crate) struct Args {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Which files, as a glob over names, or over paths below DIR where it has a slash
    #[arg(long, value_name = "GLOB", default_value = "*.md")]
    pattern: String,
    /// Only files that changed since: 2026-01-31, 3h, 2w, yesterday
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Language model to ask for facts, instead of the configured one
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Ask no language model
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// Show what would be stored, store nothing; the model is asked all the same
    #[arg(long)]
    dry_run: bool,
    /// Show what the model is asked, and what it answers
    #[arg(long, short)]
    verbose: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if let Some(words) = &self.since {
            crate::text::since(words, app.now).map_err(UsageError)?;
        }
        let options = Options { model: self.model, dry_run: self.dry_run, stop: stop::stopped()? };
        let request = BatchRequest {
            folder: self.folder,
            pattern: self.pattern,
            since: self.since,
            no_model: self.no_model,
            options,
        };
        let bar = Progress::new("reading texts", out.watched && !out.json && !self.verbose);
        let watch = Watch::new(out, self.verbose, false);
        let report = ask::all(app, &request, &|event| watch.see(event), &|done, total| {
            bar.show(done, total);
        });
        drop(bar);
        let report = report?;
        if report.said.added > 0
            && let Some(text) = review::keep_journal(app)
        {
            out.note(&format!("mk: {text}"));
        }
        out.answer(&report, |width| render::batch(&report, self.verbose, width))?;
        if report.interrupted {
            let text = "mk: stopped; what is done is kept, and the same command goes on from there";
            out.complain(text);
        }
        if let Some(failure) = &report.model_failure {
            out.complain(&format!("mk: {}: the texts wait for it", failure.reason));
        }
        let is_done =
            report.failures.is_empty() && report.model_failure.is_none() && !report.interrupted;
        Ok(if is_done { Exit::Done } else { Exit::Failed })
    }
}
