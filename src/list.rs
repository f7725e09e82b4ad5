//! `mk list`, and the lists of one kind with options of their own: `mk lessons`, `mk playbooks`.

use std::cmp::Reverse;

use serde::Serialize;

use crate::app::App;
use crate::model::{Evidence, Finding, Kind, LessonPattern, Status};
use crate::store::{ListFilter, time_text};
use crate::ui::listing;
use crate::ui::{Exit, Out};

/// List findings by kind or status, for example proposed or dropped
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk list --kind decision
  mk list --status proposed
  mk list --kind fact --status dropped --json")]
pub(crate) struct Args {
    /// Only this kind (theorem, failure, insight, lesson, fact, playbook, decision, ...)
    #[arg(long)]
    kind: Option<Kind>,
    /// Only these statuses: proposed, claimed, confirmed, superseded, dropped (default: claimed, confirmed)
    #[arg(long, value_delimiter = ',')]
    status: Vec<Status>,
    /// At most this many; 0 for all
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let hint = if self.status.contains(&Status::Proposed) {
            "Sessions make proposals, and so does `mk extract NOTES.md`."
        } else {
            "`mk list --status proposed` lists what waits for you."
        };
        list(app, self.kind, self.status, self.limit)?.answer(app, out, "No findings.", hint)
    }
}

#[derive(Debug, Default, Serialize)]
pub struct Listing {
    pub total: u64,
    pub findings: Vec<Finding>,
}

impl Listing {
    /// Prints them; where there are none, says so and where they come from.
    pub(crate) fn answer(
        &self,
        app: &App,
        out: &mut Out,
        none: &str,
        hint: &str,
    ) -> anyhow::Result<Exit> {
        out.answer(self, |width| listing::list(self, (none, hint), width, app.now))
    }
}

/// This project's first, then the newest; without facts that ended.
pub fn list(
    app: &mut App,
    kind: Option<Kind>,
    mut statuses: Vec<Status>,
    limit: usize,
) -> anyhow::Result<Listing> {
    let (project, now) = (app.project_identity(), time_text(app.now));
    if statuses.is_empty() {
        statuses = vec![Status::Claimed, Status::Confirmed];
    }
    let filter = ListFilter { kind, statuses, limit, ..ListFilter::default() };
    let (mut findings, total) = app.store()?.list(&filter, project.as_deref())?;
    findings.retain(|finding| !finding.has_expired(&now));
    Ok(Listing { total, findings })
}

pub fn live(kind: Kind) -> ListFilter {
    let statuses = vec![Status::Claimed, Status::Confirmed];
    ListFilter { kind: Some(kind), statuses, ..ListFilter::default() }
}

/// Findings that fit, in the order of what `order` makes of them and of whether they are of this project, the newest
/// of equals first; `limit` 0 for all.
pub fn select<K: Ord>(
    app: &mut App,
    filter: &ListFilter,
    limit: usize,
    fits: impl Fn(&Finding) -> bool,
    order: impl Fn(&Finding, bool) -> K,
) -> anyhow::Result<Listing> {
    let here = Here::of(app)?;
    let (mut findings, _) = app.store()?.list(filter, None)?;
    findings.retain(fits);
    findings.sort_by_cached_key(|one| order(one, here.has(one)));
    let total = findings.len() as u64;
    if limit > 0 {
        findings.truncate(limit);
    }
    Ok(Listing { total, findings })
}

pub(crate) struct Here(Option<Vec<String>>);

impl Here {
    pub(crate) fn of(app: &mut App) -> anyhow::Result<Self> {
        let project = app.project_identity();
        let store = app.store()?;
        Ok(Self(project.map(|project| store.project_names(&project)).transpose()?))
    }

    pub(crate) fn has(&self, finding: &Finding) -> bool {
        match (&self.0, &finding.content.project) {
            (Some(names), Some(project)) => names.contains(project),
            (here, project) => here.is_none() && project.is_none(),
        }
    }
}

/// List lessons: what failed in sessions, and what then worked
///
/// They come from the results of tools, not from what was said. When the same failure comes up
/// again in a session, the lesson is told; if the failure then goes away, the lesson counts as one
/// that worked. This project's come first, then the most successful.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk lessons
  mk lessons --tool lake --limit 5
  mk lessons --pattern lean-fix --json
  mk show 12
  mk drop 12        it is not told again, even if it is learnt again")]
pub(crate) struct LessonArgs {
    /// Only of this tool or program, for example lean, lake or "git log"
    #[arg(long)]
    tool: Option<String>,
    /// Only of this pattern: `tool_switch`, `parameter_change`, `missing_replaced`, `plan_change`,
    /// `still_failing`, `lean_fix`
    #[arg(long)]
    pattern: Option<LessonPattern>,
    /// At most this many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

impl LessonArgs {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let tool = self.tool.map(|tool| tool.trim().to_lowercase()).filter(|tool| !tool.is_empty());
        let is_of = |own: &str| {
            let rest = tool.as_deref().map_or(Some(""), |tool| own.strip_prefix(tool));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let fits = |one: &Finding| {
            one.content.lesson().is_some_and(|lesson| {
                is_of(&lesson.tool_name.as_deref().unwrap_or_default().to_lowercase())
                    && self.pattern.is_none_or(|pattern| pattern.as_str() == lesson.pattern)
            })
        };
        let report = select(app, &live(Kind::Lesson), self.limit, fits, |one, is_here| {
            (!is_here, Reverse(one.content.lesson().map(|lesson| lesson.success_count)))
        })?;
        report.answer(
            app,
            out,
            "No lessons.",
            "They are taken from sessions in which something failed and then worked. \
             `mk extract <transcript.jsonl>` reads one by hand.",
        )
    }
}

/// List playbook entries: what completed runs taught about how to work
///
/// `mk extract` without a file makes them: by the language model if one is configured, and then
/// unverified, or else by counting what worked in three or more runs. Tags come from the files and
/// words of the runs. Entries with most of the tags come first, then this project's, then the newest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk playbooks
  mk playbooks --tag lean
  mk playbooks --tag number-theory --tag induction     # any of them
  mk playbooks --task-id erdos_850 --json
  mk show 12")]
pub(crate) struct PlaybookArgs {
    /// Only with this tag; repeat it for any of several
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only of this problem or task
    #[arg(long, value_name = "ID")]
    task_id: Option<String>,
    /// At most this many
    #[arg(long, short = 'n', default_value_t = 20)]
    limit: usize,
}

impl PlaybookArgs {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        // As they are stored: lower case, with `-`.
        let plain = |tag: &String| tag.trim().to_lowercase().replace(['_', ' '], "-");
        let tags: Vec<String> = self.tags.iter().map(plain).filter(|tag| !tag.is_empty()).collect();
        let fitting =
            |entry: &Finding| tags.iter().filter(|tag| entry.content.tags.contains(tag)).count();
        let task = self.task_id.as_deref();
        let fits = |entry: &Finding| {
            let own = entry.content.playbook().map(|playbook| &*playbook.source_task_id);
            (tags.is_empty() || fitting(entry) > 0) && (task.is_none() || own == task)
        };
        let report = select(app, &live(Kind::Playbook), self.limit, fits, |entry, is_here| {
            // What results show stands before what a model said.
            let is_said = entry.content.evidence == Evidence::Model;
            (Reverse(fitting(entry)), !is_here, is_said)
        })?;
        report.answer(
            app,
            out,
            "No playbook entries.",
            "`mk extract` without a file makes them from completed runs: with a language model, or by \
             counting what worked in three or more runs.",
        )
    }
}
