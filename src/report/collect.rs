//! What the page tells: gathered from what `mk find`, `mk next`, `mk guard log`, `mk why` and `mk review` show. A source
//! that cannot be read is named on the page.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::history::{self, History};
use crate::allow;
use crate::app::{App, tracked};
use crate::import;
use crate::list::Here;
use crate::model::{
    Draft, Finding, GuardEntry, IN_FLIGHT, KernelCounts, Kind, LiftRecord, Problem, ProblemStatus,
    claim, clip_claim, display_name, problem_key,
};
use crate::next::{self, Next};
use crate::queue::{self, OpenNearMiss};
use crate::review;
use crate::store::{LogFilter, ProblemView, TechniqueUse, Told, time_text};
use crate::text::{clean, clip, first_sentence, one_line};
use crate::tracking::{Standing, Submission};

/// Columns of a name or a title, and of a statement or a reason: what is longer is clipped.
const NAME: usize = 100;
const TEXT: usize = 320;

#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    /// `None` outside of any project, and for all of them.
    pub project: Option<String>,
    pub since: Option<String>,
    pub findings: u64,
    pub problems: Vec<Board>,
    pub history: History,
    pub kernel: Kernel,
    pub months: Vec<Month>,
    pub techniques: Vec<Tried>,
    pub proved_by: Vec<TechniqueUse>,
    pub next: Next,
    pub guard: Guard,
    pub told: Vec<Told>,
    /// Of findings that sessions were told, by their numbers.
    #[serde(skip)]
    pub titles: HashMap<i64, String>,
    pub proposals: Vec<Finding>,
    /// What is missing, a sentence each.
    pub notes: Vec<String>,
}

/// A problem at a glance.
#[derive(Debug, Serialize)]
pub(super) struct Board {
    pub id: String,
    pub name: String,
    pub status: ProblemStatus,
    /// As `mk` counts it.
    #[serde(skip)]
    pub counted: &'static str,
    #[serde(skip)]
    is_settled: bool,
    /// As `mk find` says it.
    pub standing: String,
    pub in_flight: u64,
    pub tried: i64,
    pub statement: Option<String>,
    pub best: Option<String>,
    pub refuted: Vec<String>,
    pub dead_ends: Vec<String>,
    pub next: String,
    /// In order of time; what has none comes last.
    #[serde(skip)]
    pub story: Vec<Event>,
}

#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    /// Empty where nothing says when it was.
    pub at: String,
    /// `[PROVEN]`, ...; of a submission how it stands.
    pub badge: String,
    /// `#12`, or what a submission is called.
    pub label: String,
    pub title: String,
    pub detail: String,
    /// Whose word it is.
    pub said: String,
}

/// What Lean itself accepted.
#[derive(Debug, Default, Serialize)]
pub(super) struct Kernel {
    pub accepted: u64,
    pub lost: usize,
    pub stale: u64,
    pub hidden: usize,
    /// When a file was checked last.
    pub checked_at: Option<String>,
    /// Of those that Lean accepted, how many it had accepted by the end of each day on which it accepted some.
    pub by_day: Vec<(String, u64)>,
}

/// Submissions by what came of them: proved, near miss, false, failed, in flight, the rest.
pub(super) type Outcomes = [u64; 6];
pub(super) const OUTCOMES: [&str; 6] =
    ["proved", "near miss", "false", "failed", IN_FLIGHT, "other"];

#[derive(Debug, Serialize)]
pub(super) struct Month {
    /// `2026-01`
    pub month: String,
    pub outcomes: Outcomes,
}

#[derive(Debug, Serialize)]
pub(super) struct Tried {
    pub technique: String,
    pub outcomes: Outcomes,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Guard {
    pub refused: usize,
    pub asked: usize,
    pub said: usize,
    pub passed: usize,
    /// The newest first.
    pub entries: Vec<GuardEntry>,
    /// Those that hold.
    pub lifts: Vec<LiftRecord>,
}

/// Never fails: what cannot be read is a note.
pub(super) fn report(app: &mut App, since: Option<String>, all: bool) -> Report {
    let project = if all { None } else { app.project_identity() };
    let mut report = Report { project, since, ..Report::default() };
    report.next = next::collect(app);
    report.history = history::read(app, report.since.as_deref());
    let submissions = submissions(app, &mut report);
    if let Err(error) = knowledge(app, &mut report, &submissions, all) {
        report.notes.push(format!("The knowledge base was not read: {error:#}."));
    }
    (report.months, report.techniques) = outcomes(&submissions, report.since.as_deref());
    report
}

fn submissions(app: &mut App, report: &mut Report) -> Vec<Submission> {
    match app.tracking() {
        Ok(Some(tracking)) => {
            if !import::is_done(app) {
                let note = "The tracking database was not imported: what it says to be false or to have failed is missing here (`mk import`).";
                report.notes.push(note.to_owned());
            }
            tracking.ledger.submissions.clone()
        }
        Ok(None) => Vec::new(),
        Err(error) => {
            report.notes.push(format!("The tracking database was not read: {error}."));
            Vec::new()
        }
    }
}

fn knowledge(
    app: &mut App,
    report: &mut Report,
    submissions: &[Submission],
    all: bool,
) -> anyhow::Result<()> {
    let now = time_text(app.now);
    let (here, place) = (Here::of(app)?, app.place());
    let state = tracked::read(app).ok().flatten();
    let near: Vec<OpenNearMiss> = match &state {
        Some(state) => queue::near_misses(app, state).filter(|one| one.refuted.is_none()).collect(),
        None => Vec::new(),
    };
    let running = state.map(|state| state.problems_in_flight());
    let waiting = review::proposals(app, Some("pending"))?.listing.findings;
    let is_here = |one: &Finding| all || one.content.project.is_none() || here.has(one);
    report.proposals = waiting.into_iter().filter(is_here).collect();
    let (project, since) = (report.project.clone(), report.since.clone());
    let store = app.store()?;
    if store.is_empty()? {
        let note = "The knowledge base is empty: `mk extract FOLDER` reads result files, `mk import FILE` a tracking database.";
        report.notes.push(note.to_owned());
    }
    let known = store.knowledge(project.as_deref(), "")?;
    report.findings = known.total;
    report.kernel = kernel(store, known.kernel, project.as_deref(), since.as_deref())?;
    let mut by_problem: HashMap<String, Vec<&Submission>> = HashMap::new();
    for one in submissions {
        let problem = one.problem.as_deref().map(problem_key).unwrap_or_default();
        by_problem.entry(problem).or_default().push(one);
    }
    let running: HashMap<String, u64> =
        running.unwrap_or_default().into_iter().map(|(id, n)| (problem_key(&id), n)).collect();
    for view in store.all_problem_views()? {
        let is_elsewhere = !view.findings.is_empty() && !view.findings.iter().any(is_here);
        let key = problem_key(&view.id);
        let sent = by_problem.get(&key).map(Vec::as_slice).unwrap_or_default();
        let in_flight = running.get(&key).copied().unwrap_or_default();
        if is_elsewhere || (view.problem.is_none() && view.findings.is_empty()) {
            continue;
        }
        let place =
            Place { sent, in_flight, near: &near, next: &report.next, since: since.as_deref() };
        report.problems.push(board(view, &place));
    }
    report.problems.sort_by_cached_key(|one| {
        let is_quiet = one.story.is_empty() && one.tried == 0;
        (is_quiet, one.is_settled, -one.tried, one.id.clone())
    });
    report.proved_by = store.techniques(None, None, project.as_deref())?;
    report.told = store.told(project.as_deref(), since.as_deref())?;
    for id in report.told.iter().filter_map(|one| one.finding) {
        let title = store.finding(id)?.map(|one| clip(&clean(&one.content.title), NAME));
        report.titles.extend(title.map(|title| (id, title)));
    }
    let filter = LogFilter { project, since, ..LogFilter::default() };
    report.guard = guard(store.guard_log(&filter)?);
    report.guard.lifts = match (all, place) {
        (true, _) => store.lifts(None)?,
        (false, place) => store.lifts_for_edit(place.as_deref(), &now, "")?,
    };
    report.guard.lifts.retain(|one| allow::state(one, &now) == "open");
    Ok(())
}

fn kernel(
    store: &crate::store::Store,
    counts: KernelCounts,
    project: Option<&str>,
    since: Option<&str>,
) -> anyhow::Result<Kernel> {
    let KernelCounts { accepted, lost, stale, hidden, .. } = counts;
    let checked_at = store.kernel_files(project)?.into_iter().map(|file| file.checked_at).max();
    let mut by_day = store.kernel_accepted(project)?;
    let mut sum = 0;
    for (_, count) in &mut by_day {
        sum += *count;
        *count = sum;
    }
    by_day.retain(|(day, _)| {
        since.is_none_or(|since| day.as_str() >= since.get(..10).unwrap_or(since))
    });
    Ok(Kernel { accepted, lost: lost.len(), stale, hidden: hidden.len(), checked_at, by_day })
}

/// What is known around a problem.
struct Place<'a> {
    sent: &'a [&'a Submission],
    in_flight: u64,
    near: &'a [OpenNearMiss],
    next: &'a Next,
    since: Option<&'a str>,
}

fn board(view: ProblemView, place: &Place<'_>) -> Board {
    let ProblemView { id, problem, findings, .. } = view;
    let of_kind = |kind: Kind| findings.iter().filter(move |one| one.content.kind == kind);
    let name_of = |one: &Finding| named(&one.content);
    let stated = problem.as_ref().and_then(|one| one.best_result.clone());
    let told = |one: &Finding| {
        format!("{}: {} ({})", named(&one.content), gist(&one.content), one.content.standing().1)
    };
    let best = stated.filter(|text| !text.trim().is_empty());
    let best =
        best.map(|text| cut(&text, TEXT)).or_else(|| of_kind(Kind::Theorem).next().map(told));
    let written = of_kind(Kind::Failure).filter(|one| !one.content.is_read_off_a_result());
    let since = place.since.unwrap_or_default();
    let mut story: Vec<Event> = findings.iter().map(event).collect();
    story.extend(place.sent.iter().map(|one| sent(one)));
    story.retain(|one| *one.at >= *since);
    // What has no date comes last.
    story.sort_by(|a, b| (a.at.is_empty(), a).cmp(&(b.at.is_empty(), b)));
    let status = problem.as_ref().map_or(ProblemStatus::Open, |one| one.status);
    let standing = problem.as_ref().map_or("no status", Problem::standing).to_owned();
    let counted = problem.as_ref().map_or("open", Problem::counted);
    let is_settled = problem.as_ref().is_some_and(Problem::is_settled);
    Board {
        next: next_step(&id, problem.as_ref(), place),
        name: cut(
            &problem.as_ref().map_or_else(|| display_name(&id), |one| one.name.clone()),
            NAME,
        ),
        tried: problem.as_ref().map_or(0, |one| one.submission_count),
        statement: problem.and_then(|one| one.statement).map(|text| cut(&text, TEXT)),
        in_flight: place.in_flight,
        refuted: of_kind(Kind::FalseLemma).map(name_of).collect(),
        dead_ends: written.map(|one| cut(&one.content.title, NAME)).collect(),
        best,
        status,
        counted,
        is_settled,
        standing,
        story,
        id: cut(&id, NAME),
    }
}

/// One thing to do about a problem.
fn next_step(id: &str, problem: Option<&Problem>, place: &Place<'_>) -> String {
    let key = problem_key(id);
    let is_own = |other: Option<&String>| other.is_some_and(|other| problem_key(other) == key);
    match problem.filter(|one| one.is_settled()).map(|one| one.status) {
        Some(ProblemStatus::Proven) => return "Nothing: it is settled.".to_owned(),
        Some(ProblemStatus::False) => return "Nothing: it is false.".to_owned(),
        _ => {}
    }
    if place.in_flight > 0 {
        return format!("Wait for the prover: {} {IN_FLIGHT}.", place.in_flight);
    }
    if let Some(one) = place.near.iter().find(|one| is_own(one.near.problem.as_ref())) {
        let gaps = if one.gaps.is_empty() { "its gap".to_owned() } else { one.gaps.join(", ") };
        return format!("Close {}, all that {} leaves open.", cut(&gaps, NAME), one.near.label);
    }
    if let Some(gap) = place.next.gaps.iter().find(|gap| is_own(gap.problem.as_ref())) {
        return format!("Close the gap {}: {}.", cut(&gap.name, NAME), cut(&gap.why, TEXT));
    }
    if problem.is_none_or(|one| one.submission_count == 0) {
        return "Try it: nothing was submitted yet.".to_owned();
    }
    format!("Try what was not tried: `mk find {}`.", cut(id, NAME))
}

fn event(finding: &Finding) -> Event {
    let content = &finding.content;
    let (badge, said) = content.standing();
    let title = named(content);
    let mut detail = gist(content);
    if title.contains(&detail) {
        detail.clear();
    }
    Event {
        at: content.created_at.clone().unwrap_or_default(),
        badge: badge.trim_matches(['[', ']']).to_lowercase(),
        label: finding.label(),
        title,
        detail,
        said: said.into_owned(),
    }
}

fn sent(one: &Submission) -> Event {
    Event {
        at: one.happened_at().unwrap_or_default().to_owned(),
        badge: "submission".to_owned(),
        label: cut(&one.label, NAME),
        title: cut(&one.ended().join(", "), NAME),
        detail: one.notes.as_deref().map(|notes| cut(notes, TEXT)).unwrap_or_default(),
        said: "tracking.db".to_owned(),
    }
}

fn named(content: &Draft) -> String {
    let is_stated = matches!(content.kind, Kind::Theorem | Kind::FalseLemma);
    let name = content.theorem_name.as_ref().filter(|_| is_stated);
    cut(name.unwrap_or(&content.title), NAME)
}

/// What it says, in a line.
fn gist(content: &Draft) -> String {
    let statement = content.theorem_statement.as_deref().map(claim);
    match (content.kind, statement, content.why_failed.as_deref()) {
        (Kind::Theorem | Kind::FalseLemma, Some(claim), _) => {
            clip_claim(&cut(&claim, 4 * TEXT), TEXT)
        }
        (_, _, Some(why)) => cut(why, TEXT),
        _ => cut(first_sentence(&content.description), TEXT),
    }
}

/// One line of text from outside, in so many columns.
pub(super) fn cut(text: &str, columns: usize) -> String {
    // Cleaning a text of a megabyte for the sake of a line takes longer than the rest.
    let end = text.floor_char_boundary(8 * columns);
    let head = clip(&one_line(&clean(text.get(..end).unwrap_or_default())), columns);
    if end < text.len() && !head.ends_with('…') { head + "…" } else { head }
}

fn guard(entries: Vec<GuardEntry>) -> Guard {
    let count = |level: &str| entries.iter().filter(|one| one.level == level).count();
    Guard {
        refused: count("deny"),
        asked: count("ask"),
        said: count("warn"),
        passed: count("off"),
        entries,
        lifts: Vec::new(),
    }
}

fn outcomes(submissions: &[Submission], since: Option<&str>) -> (Vec<Month>, Vec<Tried>) {
    let mut months: BTreeMap<&str, Outcomes> = BTreeMap::new();
    let mut techniques: BTreeMap<&str, Outcomes> = BTreeMap::new();
    for one in submissions {
        let at = one.happened_at().unwrap_or_default();
        if at < since.unwrap_or_default() {
            continue;
        }
        let place = match one.standing {
            Standing::Proved => 0,
            Standing::NearMiss => 1,
            Standing::False => 2,
            Standing::Failed => 3,
            Standing::InFlight => 4,
            Standing::History => 5,
        };
        if let Some(month) = at.get(..7) {
            months.entry(month).or_default()[place] += 1;
        }
        if let Some(technique) = one.pattern.as_deref() {
            techniques.entry(technique).or_default()[place] += 1;
        }
    }
    let months =
        months.into_iter().map(|(month, outcomes)| Month { month: month.to_owned(), outcomes });
    let tried = |(technique, outcomes): (&str, Outcomes)| Tried {
        technique: cut(technique, NAME),
        outcomes,
    };
    let mut tried: Vec<Tried> = techniques.into_iter().map(tried).collect();
    tried.sort_by_key(|one| std::cmp::Reverse(one.outcomes.iter().sum::<u64>()));
    (months.collect(), tried)
}
