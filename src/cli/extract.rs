//! `mk extract`: learns from a prover's result files, from transcripts and from notes.

use std::path::PathBuf;

use serde::Serialize;

use crate::app::App;
use crate::app::extract::naming::Given;
use crate::app::extract::{self, ExtractReport, Request};
use crate::app::guard::permission::Does;
use crate::app::learn::texts::{self, TextReport};
use crate::app::review;
use crate::facts::all::FileFailure;
use crate::facts::ask::{FactsOutcome, Failure, Options, Texts, Usage, Watch, asked as facts_view};
use crate::model::Reject;
use crate::render;
use crate::text::plural;
use crate::ui::UsageError;
use crate::ui::progress::Progress;
use crate::ui::{Exit, Out, stop};
use crate::{asker, playbooks};

/// Learn from a prover's results, from transcripts and from notes
///
/// Lean files give theorems, techniques, failures and refuted statements. Transcripts (.jsonl) and
/// notes (.md, .txt) give proposals, which wait for a person (`mk review`), and lessons whose evidence
/// stands in tool results; where a language model is configured (`llm.model`) or named, also facts and a
/// summary, which are stored unverified.
///
/// Without a file: completed runs (sessions, submissions, results) that nobody has learnt from are worked
/// off. A language model makes playbook entries of them where one is configured or named; else what
/// worked in three or more runs is counted. `mk playbooks` lists the entries.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  mk extract slot614_erdos_850_prime_factor_triples_result.lean
  mk extract submissions/ 'downloads/**/*_result.lean' answer.tar.gz
  mk extract --dry-run --json RequestProject/Main.lean --problem-id erdos_850
  mk extract --dry-run ~/.claude/projects/my-project/SESSION.jsonl
  mk extract notes.md
  mk extract notes.md --model qwen3:8b --dry-run
  mk extract                                     # runs of the last 24 hours, up to 10
  mk extract --limit 50 --since-hours 168 --dry-run

The same file twice changes nothing; a changed file replaces what came from it.
Exit code 1 when a file that was named could not be read, or the model of `--model` gave nothing.")]
pub(crate) struct Args {
    /// Lean files, folders, patterns, archives (.tar.gz, .tgz, .tar), transcripts or notes
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Slot number, instead of the one in the file's name
    #[arg(long, value_name = "N")]
    slot: Option<i64>,
    /// Problem id, instead of the one in the file's name
    #[arg(long, value_name = "ID")]
    problem_id: Option<String>,
    /// Without a file: at most so many runs [default: 10]
    #[arg(long, value_name = "N", conflicts_with = "files")]
    limit: Option<usize>,
    /// Without a file: runs that ended so many hours ago or less [default: 24]
    #[arg(long, value_name = "HOURS", conflicts_with = "files")]
    since_hours: Option<u32>,
    /// Show what would be stored, store nothing
    #[arg(long)]
    dry_run: bool,
    /// Language model to ask, instead of the configured one
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Ask no language model
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// Name every file, however many there are; show what the model is asked and answers
    #[arg(long, short)]
    verbose: bool,
}

/// What both ways of reading found.
#[derive(Serialize)]
struct Both<'a> {
    #[serde(flatten)]
    report: &'a ExtractReport,
    #[serde(flatten)]
    said: Option<TextReport>,
    #[serde(flatten)]
    asked: Option<&'a Asked>,
}

/// What a model gave.
#[derive(Default, Serialize)]
struct Asked {
    extractions: Vec<FactsOutcome>,
    /// Files that it gave nothing for.
    model_failures: Vec<FileFailure>,
    usage: Usage,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        if self.files.is_empty() || self.model.is_some() {
            return Does::Writes;
        }
        Does::Takes(self.files)
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.files.is_empty() {
            return self.runs(app, out);
        }
        if self.problem_id.as_deref().is_some_and(|id| crate::model::problem_key(id).is_empty()) {
            return Err(UsageError("--problem-id needs a word or a number".to_owned()).into());
        }
        let (texts, words) = self.files.into_iter().partition(|path| texts::is_text(path));
        let request = Request {
            words,
            given: Given { slot: self.slot, problem: self.problem_id },
            dry_run: self.dry_run,
        };
        let bar = Progress::new("reading results", out.watched && !out.json);
        let mut report = if request.words.is_empty() {
            ExtractReport { dry_run: self.dry_run, ..ExtractReport::default() }
        } else {
            extract::run(app, &request, &|done, total| bar.show(done, total))?
        };
        drop(bar);
        let mut said = TextReport::default();
        let given = !texts.is_empty();
        let texts = read_texts(app, texts, self.dry_run, &mut report, &mut said);
        let is_wanted = !self.no_model && asker::is_wanted(app, self.model.as_deref());
        let is_named = self.model.is_some();
        let asked = if is_wanted && !texts.is_empty() {
            let options =
                Options { model: self.model, dry_run: self.dry_run, stop: stop::stopped()? };
            let watch = Watch::new(out, self.verbose, !out.json);
            Some(ask(app, &texts, &options, &watch))
        } else {
            None
        };
        if said.added > 0
            && let Some(text) = review::keep_journal(app)
        {
            out.note(&format!("mk: {text}"));
        }
        if out.json {
            let said = given.then_some(said);
            out.object(&Both { report: &report, said, asked: asked.as_ref() })?;
        } else {
            if !request.words.is_empty() || report.failed > 0 {
                out.print(&render::extract(&report, self.verbose, out.width))?;
            }
            if given {
                out.print(&render::said(&said, self.dry_run, out.width))?;
            }
            for outcome in asked.iter().flat_map(|asked| &asked.extractions) {
                out.print(&facts_view(outcome, self.dry_run, out.width))?;
            }
        }
        let has_failed = asked.is_some_and(|asked| complain(&asked, out));
        Ok(if report.failed > 0 || (has_failed && is_named) { Exit::Failed } else { Exit::Done })
    }
}

impl Args {
    /// Works off completed runs.
    fn runs(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if self.slot.is_some() || self.problem_id.is_some() {
            let error = "--slot and --problem-id need a file: `mk extract result.lean --slot 7`";
            return Err(UsageError(error.to_owned()).into());
        }
        let usual = playbooks::Request::default();
        let request = playbooks::Request {
            limit: self.limit.unwrap_or(usual.limit),
            since_hours: self.since_hours.unwrap_or(usual.since_hours),
            dry_run: self.dry_run,
            model: self.model,
            only_rules: self.no_model,
        };
        let report = playbooks::work_off(app, &request, &stop::stopped()?)?;
        out.answer(&report, |width| playbooks::view(&report, request.since_hours, width))?;
        Ok(Exit::Done)
    }
}

/// Reads transcripts and notes by rule, and returns those that could be read.
fn read_texts(
    app: &mut App,
    mut paths: Vec<PathBuf>,
    dry_run: bool,
    report: &mut ExtractReport,
    said: &mut TextReport,
) -> Vec<PathBuf> {
    paths.retain(|path| {
        let Err(error) = texts::extract(app, path, dry_run, said) else { return true };
        report.failed += 1;
        let path = path.display().to_string();
        report.report.problems.push(Reject { path, line: None, reason: format!("{error:#}") });
        false
    });
    paths
}

/// Asks a model about texts, one after the other, as long as it can be asked.
fn ask(app: &mut App, paths: &[PathBuf], options: &Options, watch: &Watch<'_>) -> Asked {
    let mut asked = Asked::default();
    let fail = |asked: &mut Asked, path: &PathBuf, error: &anyhow::Error| {
        asked.model_failures.push(FileFailure::of(path, error));
    };
    let mut asker = match Texts::open(app, options) {
        Ok(asker) => asker,
        Err(error) => {
            paths.iter().take(1).for_each(|path| fail(&mut asked, path, &error));
            return asked;
        }
    };
    for (path, left) in paths.iter().zip((0..paths.len()).rev()) {
        match asker.text(app, path, &|event| watch.see(event)) {
            Ok(outcome) => {
                asked.usage.add(&outcome.usage);
                asked.extractions.push(outcome);
            }
            Err(error) => {
                let ends = error.downcast_ref::<Failure>().is_some_and(Failure::ends_asking);
                if ends && left > 0 {
                    let left = plural(left as u64, "more text");
                    fail(&mut asked, path, &error.context(format!("{left} were not asked about")));
                    break;
                }
                fail(&mut asked, path, &error);
            }
        }
    }
    asked
}

/// Says what the model gave nothing for, and whether there is such a thing.
fn complain(asked: &Asked, out: &mut Out) -> bool {
    for failure in &asked.model_failures {
        let text = format!("mk: no facts from `{}`: {}", failure.path, failure.reason);
        out.complain(&text);
    }
    let parts = asked.extractions.iter().any(|outcome| !outcome.failures.is_empty());
    parts || !asked.model_failures.is_empty()
}
