//! `mk add`: enters knowledge by hand.

use std::path::PathBuf;

use crate::app::App;
use crate::app::add::{AddReport, one};
use crate::import;
use crate::model::{
    Confidence, Detail, Domain, Draft, Evidence, FactDetail, Kind, LessonDetail, PlaybookDetail,
    Source, headline,
};
use crate::ui::UsageError;
use crate::ui::{Exit, Out};

/// Add a finding: a theorem, failure, false lemma, insight, lesson, fact, ...
///
/// What a person enters is never overwritten by an import or an extraction. Inside Claude Code the
/// confidence is medium at most.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mk add insight --title 'Sieve bounds are too weak here' --problem erdos-850
  mk add false-lemma --title 'Every such graph is bipartite' --counterexample 'C5' --instead 'assume even girth'
  mk add fact --key mathlib.revision --value 2b1a --category environment
  mk add --jsonl findings.jsonl        (or - for stdin: the fields that `mk show --json` prints,
                                        an object a line; all lines are stored, or none)")]
pub(crate) struct Args {
    /// What sort of knowledge it is
    #[arg(required_unless_present = "jsonl", conflicts_with = "jsonl")]
    kind: Option<Kind>,
    /// A file with a JSON object a line, or - for stdin
    #[arg(long, value_name = "FILE")]
    jsonl: Option<PathBuf>,
    #[command(flatten)]
    fields: Box<Fields>,
    #[command(flatten)]
    detail: Box<DetailFields>,
}

#[derive(Debug, clap::Args)]
struct Fields {
    /// Short title (required, but for facts and lessons)
    #[arg(long)]
    title: Option<String>,
    /// The full text
    #[arg(long)]
    description: Option<String>,
    /// Problem, for example `erdos_850`
    #[arg(long)]
    problem: Option<String>,
    /// Domain: nt, algebra, combinatorics, analysis, or another id
    #[arg(long)]
    domain: Option<String>,
    /// Full name of the Lean declaration
    #[arg(long, value_name = "NAME")]
    theorem_name: Option<String>,
    /// Its statement; for a false lemma the false one
    #[arg(long)]
    statement: Option<String>,
    /// Primary technique
    #[arg(long)]
    technique: Option<String>,
    /// Why it failed, or why it is false
    #[arg(long)]
    why_failed: Option<String>,
    /// The counterexample
    #[arg(long)]
    counterexample: Option<String>,
    /// What not to repeat
    #[arg(long)]
    avoid: Option<String>,
    /// What to do instead
    #[arg(long)]
    instead: Option<String>,
    /// verified, high, medium, low or disproven (default: medium; disproven for a false lemma)
    #[arg(long)]
    confidence: Option<Confidence>,
    /// kernel, person, prover, file, model or session (default: person)
    #[arg(long)]
    evidence: Option<Evidence>,
    /// Tags; separated by commas, or given several times
    #[arg(long, value_delimiter = ',', value_name = "TAG")]
    tags: Vec<String>,
    /// More to know about it
    #[arg(long)]
    notes: Option<String>,
    /// Slot that it came from
    #[arg(long)]
    slot: Option<i64>,
    /// Submission that it came from
    #[arg(long, value_name = "UUID")]
    submission: Option<String>,
    /// File that it came from
    #[arg(long, value_name = "FILE")]
    source_file: Option<String>,
    /// It holds in every project, not only in this one
    #[arg(long)]
    global: bool,
}

#[derive(Debug, clap::Args)]
struct DetailFields {
    /// Fact: dotted key, for example mathlib.revision
    #[arg(long, help_heading = "Facts, lessons, playbooks")]
    key: Option<String>,
    /// Fact: its value
    #[arg(long, requires = "key", help_heading = "Facts, lessons, playbooks")]
    value: Option<String>,
    /// Fact: person, project, preference, decision, lesson, environment, tool or task
    #[arg(long, help_heading = "Facts, lessons, playbooks")]
    category: Option<String>,
    /// Lesson: what failed
    #[arg(long, help_heading = "Facts, lessons, playbooks")]
    what_failed: Option<String>,
    /// Lesson: what worked instead
    #[arg(long, help_heading = "Facts, lessons, playbooks")]
    what_worked: Option<String>,
    /// Lesson: tool concerned
    #[arg(long, help_heading = "Facts, lessons, playbooks")]
    tool: Option<String>,
    /// Playbook: problem or task it was distilled from
    #[arg(long, help_heading = "Facts, lessons, playbooks")]
    task: Option<String>,
    /// Playbook: session or submission of that run
    #[arg(long, help_heading = "Facts, lessons, playbooks")]
    run: Option<String>,
}

fn answer(report: &AddReport, out: &mut Out) -> anyhow::Result<Exit> {
    if out.json {
        out.object(report)?;
    } else {
        say(report, out)?;
    }
    Ok(if report.report.problems.is_empty() { Exit::Done } else { Exit::Failed })
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if let Some(path) = &self.jsonl {
            return import::read_lines(app, path, out);
        }
        let draft = self.draft(app)?;
        answer(&one(app, draft)?, out)
    }

    fn draft(self, app: &mut App) -> anyhow::Result<Draft> {
        let Some(kind) = self.kind else {
            return Err(UsageError("name the kind of knowledge".to_owned()).into());
        };
        let by_agent = app.environment.inside_client();
        let detail = self.detail.of(kind, by_agent, self.fields.global);
        let title = self.fields.title.clone().or_else(|| title_of(detail.as_ref()?));
        let Some(title) = title.filter(|title| !title.trim().is_empty()) else {
            return Err(UsageError(format!("a finding of kind {kind} needs a --title")).into());
        };
        if kind == Kind::Fact && detail.is_none() {
            return Err(UsageError("a fact needs a --key and a --value".to_owned()).into());
        }
        let fields = self.fields;
        let mut draft = Draft::new(kind, title, fields.description.unwrap_or_default());
        let project = app.project_identity();
        draft.project = project.filter(|_| !fields.global);
        draft.problem = fields.problem;
        draft.domain = fields.domain.map(|domain| {
            Domain::from_words(&domain).map_or(domain, |known| known.as_str().to_owned())
        });
        draft.source = Source {
            slot: fields.slot,
            submission: fields.submission,
            file: fields.source_file,
            ..Source::default()
        };
        draft.theorem_name = fields.theorem_name;
        draft.theorem_statement = fields.statement;
        draft.proof_technique = fields.technique;
        draft.why_failed = fields.why_failed;
        draft.counterexample = fields.counterexample;
        draft.avoid_pattern = fields.avoid;
        draft.correct_approach = fields.instead;
        let usual =
            if kind == Kind::FalseLemma { Confidence::Disproven } else { Confidence::Medium };
        draft.confidence = fields.confidence.unwrap_or(usual);
        draft.evidence = fields.evidence.unwrap_or(Evidence::Person);
        draft.tags = fields.tags;
        draft.notes = fields.notes;
        draft.detail = detail;
        Ok(draft)
    }
}

impl DetailFields {
    /// The detail of this kind, where an option gives one.
    fn of(self, kind: Kind, by_agent: bool, global: bool) -> Option<Detail> {
        match kind {
            Kind::Fact => self.key.map(|key| {
                Detail::from(FactDetail {
                    category: self.category.unwrap_or_else(|| "project".to_owned()),
                    key,
                    value: self.value.unwrap_or_default(),
                    scope: if global { "global" } else { "project" }.to_owned(),
                    tier: "long-term".to_owned(),
                    source_type: if by_agent { "inferred" } else { "user_said" }.to_owned(),
                    ..FactDetail::default()
                })
            }),
            Kind::Lesson if self.what_failed.is_some() || self.what_worked.is_some() => {
                Some(Detail::from(LessonDetail {
                    what_failed: self.what_failed.unwrap_or_default(),
                    what_worked: self.what_worked.unwrap_or_default(),
                    tool_name: self.tool,
                    ..LessonDetail::default()
                }))
            }
            Kind::Playbook if self.task.is_some() || self.run.is_some() => {
                Some(Detail::from(PlaybookDetail {
                    source_task_id: self.task.unwrap_or_default(),
                    source_workflow_id: self.run.unwrap_or_default(),
                    extraction_workflow_id: None,
                }))
            }
            _ => None,
        }
    }
}

/// The title that a detail makes by itself.
fn title_of(detail: &Detail) -> Option<String> {
    if let Some(fact) = &detail.fact {
        return Some(format!("{}: {}", fact.key, fact.value));
    }
    let lesson = detail.lesson.as_ref()?;
    let whole = !lesson.what_failed.is_empty() && !lesson.what_worked.is_empty();
    whole.then(|| format!("Not {}, but {}", lesson.what_failed, lesson.what_worked))
}

fn say(report: &AddReport, out: &mut Out) -> anyhow::Result<()> {
    let counts = report.report.counts;
    if let Some(finding) = &report.finding {
        let content = &finding.content;
        let done = match () {
            () if counts.inserted > 0 => "Added",
            () if counts.updated > 0 => "Changed",
            () => "Known already:",
        };
        let title = headline(content.badge(), &content.title);
        let line = format!("{done} #{} {} {title}\n", finding.id, content.badge());
        out.print(&line)?;
        if report.by_agent {
            out.note(&format!(
                "mk: entered inside Claude Code, so with {} confidence",
                content.confidence
            ));
        }
        return Ok(());
    }
    out.print(&import::sums(&report.report))
}
