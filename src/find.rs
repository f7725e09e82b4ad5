//! `mk find`: everything about one problem, from the knowledge base and the tracking database.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use jiff::Timestamp;
use serde::Serialize;

use crate::app::{App, tracked};
use crate::briefing::without_answered;
use crate::failed::{TRACKING, not_imported, refused};
use crate::import;
use crate::lean::last_part;
use crate::learn::prover::submission_in;
use crate::model::{
    CONTRADICTION_TAG, Confidence, Domain, Draft, Finding, IN_FLIGHT, Kind, MAIN_TAG, Problem,
    ProblemStatus, Strategy, claim, display_name, problem_key, same_problem, slot_label, slot_of,
};
use crate::queue::{self, OpenNearMiss};
use crate::search::{self, NamedSlot};
use crate::store::{Asked, Hit, OpenGap, Opposite, ProblemView, SameElsewhere, SearchQuery, Store};
use crate::text::{base_name, clean, clip, plural};
use crate::tracking::{ProblemTrail, Submission, TrackingState};
use crate::ui::layout::{Column, Page};
use crate::ui::record::{Within, gist, headline, opposed, provenance};
use crate::ui::theme::{Tone, paint};
use crate::ui::time::ago;
use crate::ui::{EMPTY_BASE, Exit, Out, UsageError};
use crate::verify;

/// Show everything about a problem: its status, results, failures and submissions
#[derive(Debug, clap::Args)]
#[group(id = "asked")]
#[command(after_help = "Examples:
  mk find erdos-850
  mk find Erdos 850 --all
  mk find erdos             lists the problems whose names contain it

`erdos-850`, `Erdos 850` and `erdos_850` mean the same problem.")]
pub(crate) struct Args {
    /// Problem id, in any spelling
    #[arg(required = true)]
    problem: Vec<String>,
    /// Show all findings, not only the first of each kind
    #[arg(long)]
    all: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        verify::state::refresh(app);
        show(app, out, &self.problem, self.all)
    }
}

pub(crate) fn show(
    app: &mut App,
    out: &mut Out,
    words: &[String],
    all: bool,
) -> anyhow::Result<Exit> {
    let name = words.join(" ");
    if problem_key(&name).is_empty() {
        let error = format!("`{}` names no problem: it has no letter or digit", name.trim());
        return Err(UsageError(error).into());
    }
    let report = collect(app, &name)?;
    out.answer(&report, |width| view(&report, all, width, app.now))
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct FindReport {
    pub query: String,
    /// The problem of exactly that name, else those whose id contains it.
    pub problems: Vec<ProblemView>,
    /// Findings of that name where no problem has it, or else findings with all of its words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Finding>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_words: bool,
    /// Where nothing is found: the nearest words that are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
    /// The slots that were asked for, where they are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<NamedSlot>,
    /// What the tracking database says beyond that to be false or to have failed: it was not imported yet.
    pub not_imported: Vec<Draft>,
    #[serde(flatten)]
    pub slot: OfSlot,
    /// What came closest to a proof of the problem, before what tries something false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_miss: Option<OpenNearMiss>,
    /// Other problems whose names have its words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub see_also: Vec<String>,
    /// Submissions about the problems shown on which the prover works.
    pub in_flight: BTreeMap<String, u64>,
    /// Submissions about what is shown whose answers wait to be fetched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ready: Vec<String>,
    /// Of findings, another that says the opposite of the same statement.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub opposed: BTreeMap<i64, Opposite>,
    pub submissions: Vec<Submission>,
    pub submissions_total: u64,
    pub notes: Vec<String>,
    #[serde(skip)]
    pub empty_base: bool,
    /// What waits for a person's word about a slot or problem.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proposed: Vec<String>,
}

/// What only a slot has.
#[derive(Debug, Default, Serialize)]
pub(crate) struct OfSlot {
    /// What its answers left open and none of them proves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<OpenGap>,
    /// What they left open and another submission proves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<SameElsewhere>,
    /// What they left open and other slots ask for too, and how those ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<(SameElsewhere, String)>,
    /// What its sketch asked for, and whether the answer proves just that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Asked>,
    /// What its sketch leaves open, where no answer came yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sketched: Vec<String>,
    /// And what is said of one that is not there.
    #[serde(skip)]
    pub files: Vec<String>,
    /// The projects whose slot it is, where that is not the present one.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub owners: BTreeSet<String>,
}

fn collect(app: &mut App, name: &str) -> anyhow::Result<FindReport> {
    // A file's name may name the slot that it continues, too.
    let slots = if name.contains('_') { Vec::new() } else { search::named_slots(app, name) };
    if slots.len() > 1 {
        return Ok(FindReport { query: name.to_owned(), slots, ..FindReport::default() });
    }
    let query = place_of(app.store()?, name)?.unwrap_or_else(|| name.to_owned());
    let trail = app.tracking();
    let trail = trail.map(|tracking| tracking.map(|it| it.problem(&problem_key(&query))));
    let (trail, notes) = match trail {
        Ok(trail) => (trail.unwrap_or_default(), Vec::new()),
        Err(error) => (ProblemTrail::default(), vec![error.to_string()]),
    };
    let slot = slot_of(&query);
    let mut report = FindReport { query, notes, ..FindReport::default() };
    let meant = match slot {
        Some(slot) => slot_report(app, &mut report, trail, slot)?,
        None => problem_report(app, &mut report, trail)?,
    };
    match meant {
        Some(other) => collect(app, &other),
        None => Ok(report),
    }
}

fn slot_report(
    app: &mut App,
    report: &mut FindReport,
    mut trail: ProblemTrail,
    slot: i64,
) -> anyhow::Result<Option<String>> {
    let here = app.project_identity();
    let store = app.store()?;
    // Slots are numbered anew in each project.
    let is_here = !trail.submissions.is_empty() || store.has_slot(slot, here.as_deref())?;
    let place = here.as_deref().filter(|_| is_here);
    if is_here || store.has_slot(slot, place)? {
        let mut view = store.slot_view(slot, place)?;
        app.keep_in_scope(&mut view.findings)?;
        report.problems.push(view);
    }
    let letter = Letter::of(app, &report.query, slot);
    if letter.tells_apart() && trail.submissions.iter().any(|one| letter.fits(&one.filename)) {
        trail.submissions.retain(|one| letter.fits(&one.filename));
        trail.submissions_total = trail.submissions.len() as u64;
        let uuids: BTreeSet<_> =
            trail.submissions.iter().filter_map(|one| one.uuid.clone()).collect();
        for problem in &mut report.problems {
            problem.findings.retain(|one| {
                let source = &one.content.source;
                match (&source.submission, source.file.as_deref()) {
                    (Some(uuid), _) if uuids.contains(uuid) => true,
                    (_, Some(file)) => letter.fits(file),
                    (uuid, None) => uuid.is_none() && letter.own.is_none(),
                }
            });
        }
    }
    finish(app, report, trail)?;
    let findings: Vec<&Finding> = report.problems.iter().flat_map(|one| &one.findings).collect();
    let endings = tracked::endings(app).unwrap_or_default();
    let store = app.store()?;
    let (gaps, closed) = gaps(store, here.as_deref(), slot, &findings, &report.submissions)?;
    let mut tried = store.open_elsewhere(place, slot)?;
    tried.retain(|one| gaps.iter().any(|gap| gap.name == one.name && gap.refuted.is_none()));
    let tried = tried.into_iter().filter_map(|one| {
        let ended = endings.get(&one.slot)?.clone();
        Some((one, ended))
    });
    let mut of_slot = OfSlot {
        gaps,
        closed,
        tried: tried.collect(),
        files: store.files_of_slot(slot, place)?,
        asked: store.asked_of_slot(slot, place)?,
        sketched: store.left_open_in_sketch(slot, place)?,
        owners: BTreeSet::new(),
    };
    let waiting = store.waiting(place)?.into_iter().filter(|one| one.slot == Some(slot));
    report.proposed = waiting.map(|one| one.text).collect();
    let is_sent = letter.tells_apart() && !report.submissions.is_empty();
    if is_sent || of_slot.files.iter().any(|file| letter.fits(file)) {
        of_slot.files.retain(|file| letter.fits(file));
        of_slot.asked.retain(|one| letter.fits(&one.sketch));
    }
    if here.is_some() && place.is_none() {
        of_slot.owners = findings.iter().filter_map(|one| one.content.project.clone()).collect();
    } else {
        for file in &mut of_slot.files {
            let path = file.split('!').next().unwrap_or(file);
            if !app.project.root.join(path).exists() {
                file.push_str(" (no longer there)");
            }
        }
    }
    report.slot = of_slot;
    Ok(None)
}

/// The problems that words mean, also by the frontier to which their submissions belong.
pub(crate) fn problems_meant(app: &mut App, words: &str) -> anyhow::Result<Vec<String>> {
    let meant = app.store()?.problems_meant(words)?;
    if !meant.is_empty() {
        return Ok(meant);
    }
    let Ok(Some(tracking)) = app.tracking() else { return Ok(meant) };
    Ok(tracking.ledger.of_frontier(words))
}

/// Another name under which to look, where the words mean just one.
fn problem_report(
    app: &mut App,
    report: &mut FindReport,
    trail: ProblemTrail,
) -> anyhow::Result<Option<String>> {
    let name = report.query.clone();
    let here = app.project_identity();
    let store = app.store()?;
    let id = trail.problem.clone().unwrap_or_else(|| problem_key(&name));
    let mut problems = store.problem_views(&id)?;
    let mut named = if problems.is_empty() { called(store, &name)? } else { Vec::new() };
    if problems.is_empty() && named.is_empty() {
        // As a person would say it: `Erdős Problem #850`, `Kurepa's conjecture`, `why did slot 12 fail`.
        let said = store.known_problems()?.in_text(&name);
        let slots = said.slots.iter().map(|slot| format!("slot{slot}"));
        let meant: Vec<String> = slots.chain(said.problems).collect();
        let meant = if meant.is_empty() { problems_meant(app, &name)? } else { meant };
        match meant.as_slice() {
            [one] if !same_problem(one, &name) => return Ok(Some(one.clone())),
            [] | [_] => {}
            several => {
                for one in several {
                    problems.extend(app.store()?.problem_views(one)?);
                }
            }
        }
    }
    let store = app.store()?;
    let is_unknown = problems.is_empty() && named.is_empty();
    if is_unknown {
        let query = SearchQuery {
            text: name.clone(),
            limit: OF_A_KIND,
            current_project: here.clone(),
            ..SearchQuery::default()
        };
        let hits = store.search(&query)?.hits.into_iter();
        named = hits.filter(Hit::has_all_words).map(|hit| hit.finding).collect();
    }
    for findings in problems.iter_mut().map(|one| &mut one.findings).chain([&mut named]) {
        app.keep_in_scope(findings)?;
    }
    report.by_words = is_unknown && !named.is_empty();
    if is_unknown && named.is_empty() {
        report.meant = app.store()?.meant_problem(&name)?;
    }
    (report.problems, report.named) = (problems, named);
    let mut state = finish(app, report, trail)?;
    let is_it = |id: &str| report.problems.iter().any(|one| same_problem(&one.id, id));
    let running = state.problems_in_flight().into_iter().filter(|(id, _)| is_it(id));
    report.in_flight = running.map(|(id, count)| (problem_key(&id), count)).collect();
    if let [one] = report.problems.as_slice() {
        state.near_misses.retain(|near| near.problem.as_deref().is_some_and(is_it));
        let near = queue::near_misses(app, &state).min_by_key(|near| near.refuted.is_some());
        report.see_also = app.store()?.named_alike(one)?;
        report.near_miss = near;
    }
    let mut waiting = app.store()?.waiting(here.as_deref())?;
    waiting.retain(|one| {
        one.problem.as_deref().is_some_and(|id| {
            let mut names = report.problems.iter().flat_map(|it| it.aliases.iter().chain([&it.id]));
            names.any(|name| same_problem(name, id))
        })
    });
    report.proposed = waiting.into_iter().map(|one| one.text).collect();
    Ok(None)
}

/// What is told of slots and problems alike; and where the submissions stand.
fn finish(
    app: &mut App,
    report: &mut FindReport,
    mut trail: ProblemTrail,
) -> anyhow::Result<TrackingState> {
    if report.problems.len() == 1 {
        join_nameless(app, &mut trail, &report.problems);
    }
    let state = tracked::read(app).ok().flatten().unwrap_or_default();
    let state = without_answered(app, state);
    let is_ready = |ready: &&Submission| {
        trail.submissions.iter().any(|one| (&one.uuid, &one.label) == (&ready.uuid, &ready.label))
    };
    report.ready = state.ready.iter().filter(is_ready).map(|one| one.label.clone()).collect();
    let is_imported = import::is_done(app);
    let store = app.store()?;
    report.empty_base = report.problems.is_empty() && store.is_empty()?;
    let findings = report.problems.iter().flat_map(|one| &one.findings).chain(&report.named);
    let findings: Vec<&Finding> = findings.collect();
    let ids: Vec<i64> = findings.iter().map(|one| one.id).collect();
    report.opposed = store.opposed(&ids)?;
    if !is_imported {
        report.not_imported = not_imported(trail.refused, findings);
    }
    report.submissions_total = trail.submissions_total;
    report.submissions = trail.submissions;
    Ok(state)
}

/// `slot608c` beside `slot608`: the same number, another submission.
struct Letter {
    /// What was asked for, with its letter.
    own: Option<String>,
    /// Asked for without a letter, those with one are others, as long as there is one without.
    others: Vec<String>,
}

impl Letter {
    fn of(app: &mut App, name: &str, slot: i64) -> Self {
        let own = lettered_slot(name);
        let plain = format!("slot{slot}");
        let labels: BTreeSet<String> = match app.tracking() {
            Ok(Some(tracking)) if own.is_none() => {
                let rows = tracking.ledger.submissions.iter().filter(|one| one.slot == Some(slot));
                rows.map(|one| one.label.clone()).collect()
            }
            _ => BTreeSet::new(),
        };
        let others = if labels.contains(&plain) { labels } else { BTreeSet::new() };
        Self { own, others: others.into_iter().filter(|label| *label != plain).collect() }
    }

    fn tells_apart(&self) -> bool {
        self.own.is_some() || !self.others.is_empty()
    }

    fn fits(&self, path: &str) -> bool {
        self.own.as_deref().is_none_or(|slot| names_slot(path, slot))
            && !self.others.iter().any(|other| names_slot(path, other))
    }
}

/// Rows that name neither problem nor slot, but whose answers were read as answers about what is shown.
fn join_nameless(app: &mut App, trail: &mut ProblemTrail, problems: &[ProblemView]) {
    let findings = problems.iter().flat_map(|one| &one.findings);
    let answers: BTreeSet<&str> =
        findings.filter_map(|one| one.content.source.submission.as_deref()).collect();
    let Ok(Some(tracking)) = app.tracking() else { return };
    let known = trail.submissions.clone();
    let rows = tracking.ledger.submissions.iter().filter(|row| {
        (row.problem.is_none() || row.slot.is_none())
            && row.uuid.as_deref().is_some_and(|uuid| answers.contains(uuid))
            && known.iter().all(|one| one.uuid != row.uuid)
    });
    for row in rows {
        trail.submissions.push(row.clone());
        trail.submissions_total += 1;
    }
}

fn lettered_slot(name: &str) -> Option<String> {
    slot_label(name).filter(|label| label.ends_with(|c: char| c.is_ascii_lowercase()))
}

fn names_slot(path: &str, slot: &str) -> bool {
    slot_label(base_name(path)).as_deref() == Some(slot)
}

/// The slot or the problem of the submission that the words name by its id.
pub(crate) fn place_of(store: &Store, words: &str) -> anyhow::Result<Option<String>> {
    let submission = submission_in(words).map(|id| store.of_submission(&id)).transpose()?;
    Ok(submission.and_then(|(place, _)| place))
}

fn gaps(
    store: &Store,
    project: Option<&str>,
    slot: i64,
    findings: &[&Finding],
    submissions: &[Submission],
) -> anyhow::Result<(Vec<OpenGap>, Vec<SameElsewhere>)> {
    let own = || findings.iter().filter(|one| one.content.source.slot == Some(slot));
    let answers: BTreeSet<Option<&str>> = own()
        .map(|one| one.content.source.submission.as_deref())
        .chain(submissions.iter().map(|one| one.uuid.as_deref()))
        .map(|answer| answer.or(Some("")))
        .chain([Some("")])
        .collect();
    let is_proved = |gap: &OpenGap| {
        own().map(|one| &one.content).any(|one| {
            one.kind == Kind::Theorem
                && one.confidence == Confidence::Verified
                && one.theorem_name.as_deref().map(last_part) == Some(&gap.name)
        })
    };
    let mut gaps = Vec::new();
    for answer in answers {
        gaps.extend(store.gaps_of(project, answer, Some(slot))?);
    }
    let mut closed = store.closed_gaps(project, slot)?;
    closed.retain(|closed| gaps.iter().any(|gap: &OpenGap| closed.name == gap.name));
    gaps.retain(|gap| closed.iter().all(|closed| closed.name != gap.name));
    gaps.retain(|gap| !is_proved(gap));
    gaps.sort();
    gaps.dedup();
    Ok((gaps, closed))
}

/// Findings about declarations of this name, whole or its last part, or from the submission of this id.
pub(crate) fn called(store: &Store, name: &str) -> anyhow::Result<Vec<Finding>> {
    let name = name.trim();
    if let Some(id) = submission_in(name) {
        return Ok(store.of_submission(&id)?.1);
    }
    let mut found = store.called(name)?;
    // The index knows words by their stems: `bounds` finds `bound`.
    found.retain(|finding| {
        let whole = finding.content.theorem_name.as_deref().unwrap_or_default();
        let head = whole.strip_suffix(name);
        head.is_some_and(|head| head.is_empty() || head.ends_with('.'))
    });
    Ok(found)
}

/// Problems shown whole; where a name fits more, they are listed. Files of a slot that are named.
const WHOLE: usize = 3;
const OF_A_KIND: usize = 6;
const OF_THE_REST: usize = 2;
const APPROACHES: usize = 10;

/// What is asked for first: what is proved, what is false, what failed. The other kinds follow.
const FIRST: [Kind; 3] = [Kind::Theorem, Kind::FalseLemma, Kind::Failure];

/// `all` also shows more than the first findings of a kind.
fn view(report: &FindReport, all: bool, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    let query = clip(&clean(&report.query), width / 2);
    if !report.slots.is_empty() {
        search::slots(&mut page, &report.slots);
        return page.into_text();
    }
    match report.problems.as_slice() {
        [] => nothing(&mut page, report, &query, now),
        few if few.len() <= WHOLE => {
            for (i, one) in few.iter().enumerate() {
                if i > 0 {
                    page.blank();
                }
                whole(&mut page, one, report, all, now);
            }
        }
        many => list(&mut page, many, &query),
    }
    if report.problems.len() <= WHOLE {
        tracking(&mut page, report, now);
    }
    page.not_looked_at(&report.notes);
    page.into_text()
}

fn nothing(page: &mut Page, report: &FindReport, query: &str, now: Timestamp) {
    if let named @ [_, ..] = report.named.as_slice() {
        let what = if report.by_words { "have these words" } else { "have this name" };
        page.line(1, &format!("No problem is called `{query}`; these findings {what}:"));
        let within = (Within::default(), &report.opposed);
        findings(page, within, &named.iter().collect::<Vec<_>>(), OF_A_KIND, now);
        let problems: BTreeSet<&str> =
            named.iter().filter_map(|one| one.content.problem.as_deref()).collect();
        if let (1, Some(problem)) = (problems.len(), problems.first()) {
            page.hint(&format!("Their problem: `mk find {}`", clean(problem)));
        }
        return;
    }
    if slot_of(&report.query).is_some() {
        page.paragraph(1, &format!("Nothing is known of {query}."));
    } else {
        page.paragraph(1, &format!("No problem `{query}` in the knowledge base."));
    }
    if report.empty_base {
        page.hint(EMPTY_BASE);
    } else {
        search::meant(page, "find", report.meant.as_deref());
        page.hint("`mk search <words>` searches all findings.");
    }
}

fn list(page: &mut Page, many: &[ProblemView], query: &str) {
    page.line(1, &format!("{} problems fit `{query}`; name one of them:", many.len()));
    page.rule();
    let rows = many.iter().map(|one| {
        vec![
            one.id.clone(),
            one.problem.as_ref().map_or("", Problem::standing).to_owned(),
            one.findings.len().to_string(),
            one.strategies.len().to_string(),
        ]
    });
    let columns = [
        Column::text("PROBLEM", 20),
        Column::text("STATUS", 0),
        Column::number("FINDINGS"),
        Column::number("STRATEGIES"),
    ];
    page.table(1, &columns, rows);
}

fn whole(page: &mut Page, one: &ProblemView, report: &FindReport, all: bool, now: Timestamp) {
    let slot = slot_of(&one.id).filter(|_| one.problem.is_none());
    if let Some(problem) = &one.problem {
        let running = report.in_flight.get(&problem_key(&one.id)).copied();
        summary(page, problem, &one.aliases, (running.unwrap_or_default(), &report.ready), now);
        let refutes =
            |it: &&Finding| it.content.kind == Kind::FalseLemma && it.content.has_tag(MAIN_TAG);
        let is_refuted = problem.refuted && !problem.is_settled();
        let refuted = one.findings.iter().find(refutes).filter(|_| is_refuted);
        if let Some(refuted) = refuted {
            let settle = format!("`mk problem resolve {} --as false`", clean(&one.id));
            let refuted =
                format!("Its statement is refuted by #{}; to record that: {settle}", refuted.id);
            page.paragraph(1, &paint(Tone::Caution, &refuted));
        }
        page.labelled(1, "See also", &clean(&report.see_also.join(", ")));
        if let Some(near) = &report.near_miss {
            page.paragraph(1, &format!("Near miss: {}", clean(&near.told())));
        }
    } else {
        let id = lettered_slot(&report.query).unwrap_or_else(|| one.id.clone());
        page.line(1, &paint(Tone::Heading, &clean(&display_name(&id))));
    }
    let mut within = Within { problem: &one.id, slot, domain: None };
    if let Some(slot) = slot {
        let owners: Vec<&str> = report.slot.owners.iter().map(String::as_str).collect();
        page.labelled(1, "Not of this project, but of", &owners.join(", "));
        // Who asks for a slot asks first how it ended.
        let (told, indexed): (Vec<_>, Vec<_>) =
            report.submissions.iter().partition(|one| !one.is_indexed());
        let is_one_of_many = told.len() > 1;
        for submission in &told {
            ending(page, submission, is_one_of_many, now);
        }
        if !indexed.is_empty() {
            let names: Vec<&str> = indexed.iter().map(|one| one.filename.as_str()).collect();
            let count = plural(indexed.len(), "row");
            page.paragraph(
                1,
                &format!("tracking.db: {count} of an index of files: {}", names.join(", ")),
            );
        }
        page.labelled(1, "Ready to fetch", &report.ready.join(", "));
        within.problem = of_slot(page, report, &one.findings, slot);
        let mut asked: Vec<(String, Vec<&str>)> = Vec::new();
        for Asked { name, sketch, answer, as_asked, is_whole, rests } in &report.slot.asked {
            let said = match answer {
                None => "asked for by the sketch, and proved by no answer".to_owned(),
                Some(answer) if *as_asked && *is_whole => {
                    format!("proved as in the sketch, in {answer}")
                }
                Some(answer) if *as_asked && *rests => {
                    format!("as in the sketch, but not proved: it rests on a gap of {answer}")
                }
                Some(answer) if *as_asked => {
                    format!("proved as in the sketch, but in an incomplete file: {answer}")
                }
                Some(answer) => {
                    let compare = format!("`mk diff {sketch} {answer}`");
                    format!("stated differently in the answer and in the sketch: {compare}")
                }
            };
            match asked.last_mut().filter(|(last, _)| *last == said) {
                Some((_, names)) => names.push(name),
                None => asked.push((said, vec![name])),
            }
        }
        for (said, names) in asked {
            page.paragraph(1, &format!("{}: {said}", names.join(", ")));
        }
        let open = report.slot.gaps.iter().map(|gap| {
            let said = match &gap.refuted {
                Some(lemma) if last_part(lemma) == gap.name => " (on record as false)".to_owned(),
                Some(lemma) => format!(" (on record as false: `{lemma}`)"),
                None => String::new(),
            };
            format!("{}{said}", gap.name)
        });
        let open = open.collect::<Vec<_>>().join(", ");
        for (label, names) in [
            ("Still open", open),
            ("Open in the sketch, no answer yet", report.slot.sketched.join(", ")),
        ] {
            if !names.is_empty() {
                page.paragraph(1, &format!("{label}: {}", clean(&names)));
            }
        }
        for one in &report.slot.closed {
            let is_own = report.submissions.iter().any(|it| it.slot == Some(one.slot));
            let told = if is_own {
                "left open by one answer, proved by another".to_owned()
            } else {
                format!("left open here, proved by {}", one.place())
            };
            page.labelled(1, &one.name, &told);
        }
        for (one, ended) in &report.slot.tried {
            let told = format!("{}: asked for by {} too: {ended}", one.name, one.place());
            page.paragraph(1, &clean(&told));
        }
    }
    page.rule();
    if slot.is_some() || report.problems.len() == 1 {
        search::waiting(page, 1, &report.proposed);
    }
    if slot.is_some() {
        contradictions(page, &one.findings, all);
    }
    if one.findings.is_empty() && one.strategies.is_empty() {
        page.line(1, "No findings and no strategies yet.");
    }
    within.domain = one.problem.as_ref().and_then(|problem| problem.domain.as_deref());
    let rest = Kind::ALL.iter().filter(|kind| !FIRST.contains(kind));
    let mut folded = 0;
    for (at, kind) in FIRST.iter().chain(rest).enumerate() {
        let most = match all {
            true => usize::MAX,
            false if at < FIRST.len() => OF_A_KIND,
            false => OF_THE_REST,
        };
        let mut of_kind: Vec<&Finding> =
            one.findings.iter().filter(|finding| finding.content.kind == *kind).collect();
        // The theorems and strategies of the page name these already.
        let whole = of_kind.len();
        of_kind.retain(|it| all || *kind != Kind::Technique || !it.content.is_read_off_a_result());
        folded += whole - of_kind.len();
        if *kind == Kind::Insight {
            of_kind.sort_by_key(|finding| !is_telling_note(&finding.content));
        }
        if !of_kind.is_empty() {
            page.heading(&kind.names().1.to_uppercase(), Some(of_kind.len()));
            findings(page, (within, &report.opposed), &of_kind, most, now);
        }
        if at + 1 == FIRST.len() && slot.is_none() {
            contradictions(page, &one.findings, all);
        }
    }
    if !one.strategies.is_empty() {
        page.heading("STRATEGIES", Some(one.strategies.len()));
        strategies(page, &one.strategies, if all { usize::MAX } else { APPROACHES }, now);
    }
    if folded > 0 {
        let what = plural(folded, "technique");
        page.hint(&format!("{what} read off the files: add `--all`"));
    }
}

fn of_slot<'a>(
    page: &mut Page,
    report: &'a FindReport,
    findings: &'a [Finding],
    slot: i64,
) -> &'a str {
    let own = || findings.iter().filter(|one| one.content.source.slot == Some(slot));
    let sent = || report.submissions.iter();
    let mut problems: BTreeSet<&str> =
        own().filter_map(|one| one.content.problem.as_deref()).collect();
    // As long as nothing came back, what was sent says what it is about.
    if problems.is_empty() {
        problems.extend(sent().filter_map(|one| one.problem.as_deref()));
    }
    let list = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
    page.labelled(1, "Problem", &list(&problems));
    let files = &report.slot.files;
    // Whole: a part of a path is of no use.
    for file in files.iter().take(WHOLE) {
        page.paragraph(1, &format!("File: {file}"));
    }
    if files.is_empty() {
        let names: BTreeSet<&str> = sent().map(|one| one.filename.as_str()).collect();
        page.labelled(1, "Sent as", &list(&names));
    }
    if files.len() > WHOLE {
        page.hint(&format!("and {}", plural(files.len() - WHOLE, "more file")));
    }
    match problems.first() {
        Some(problem) if problems.len() == 1 => problem,
        _ => "",
    }
}

/// Where database and file contradict each other, that comes before all else.
fn contradictions(page: &mut Page, findings: &[Finding], all: bool) {
    let mut against: Vec<&Finding> =
        findings.iter().filter(|one| one.content.has_tag(CONTRADICTION_TAG)).collect();
    let mut seen = BTreeSet::new();
    against.retain(|one| {
        let said = one.content.contradiction();
        said.is_none_or(|said| seen.insert((one.content.source.slot, said)))
    });
    if against.is_empty() {
        return;
    }
    page.heading("CONTRADICTIONS between tracking.db and the answers", Some(against.len()));
    let most = if all { against.len() } else { OF_A_KIND };
    for finding in against.iter().take(most) {
        let content = &finding.content;
        let slot = content.source.slot.map_or_else(String::new, |slot| format!("slot{slot}: "));
        // Both sides in a clause of their own.
        let said = content.contradiction();
        let text = said.map_or_else(|| content.title.clone(), |said| format!("{slot}{said}"));
        page.paragraph(2, &format!("#{}  {text}", finding.id));
    }
    if against.len() > most {
        page.hint(&format!("  and {} more: add `--all`", against.len() - most));
    }
}

fn findings(
    page: &mut Page,
    (within, opposites): (Within<'_>, &BTreeMap<i64, Opposite>),
    all: &[&Finding],
    most: usize,
    now: Timestamp,
) {
    let mut folded: Vec<(&Finding, Vec<&Finding>)> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for finding in all {
        let at = *seen.entry(shape(&finding.content)).or_insert(folded.len());
        match folded.get_mut(at).filter(|_| all.len() > most) {
            Some((_, alike)) => alike.push(finding),
            None => folded.push((finding, Vec::new())),
        }
    }
    // The owner's notes are never among what is left out.
    let notes = folded.iter().take_while(|(finding, _)| is_telling_note(&finding.content)).count();
    let most = most.max(notes);
    for (finding, alike) in folded.iter().take(most) {
        headline(page, 2, finding);
        gist(page, 3, &finding.content);
        provenance(page, 3, &finding.content, within, now);
        opposed(page, 3, opposites.get(&finding.id), &finding.content);
        if !alike.is_empty() {
            page.hint(&format!("    and {}", variants(finding, alike)));
        }
    }
    let left: usize = folded.iter().skip(most).map(|(_, alike)| alike.len() + 1).sum();
    if left > 0 {
        page.hint(&format!("  and {left} more: add `--all`"));
    }
}

/// `2 other variants`; a few that have other names are named.
fn variants(shown: &Finding, alike: &[&Finding]) -> String {
    const NAMED: usize = 4;
    let count = match alike.len() {
        1 => "1 other variant".to_owned(),
        many => format!("{many} other variants"),
    };
    let name = |it: &Finding| it.content.theorem_name.as_deref().map(clean);
    let others: BTreeSet<String> = alike.iter().filter_map(|it| name(it)).collect();
    let others: Vec<String> =
        others.into_iter().filter(|it| Some(it) != name(shown).as_ref()).collect();
    match others.len() {
        1..=NAMED => format!("{count}: {}", others.join(", ")),
        _ => count,
    }
}

/// `duplicate of 1340` tells less than anything else.
fn is_telling_note(content: &Draft) -> bool {
    const WORDS: usize = 4;
    content.is_note() && content.description.split_whitespace().count() >= WORDS
}

/// What a finding says, without names and numbers: variants of one statement are told once. A false lemma is known by
/// its name.
fn shape(content: &Draft) -> String {
    let statement = content.theorem_statement.as_deref().map(claim).filter(|text| !text.is_empty());
    let text = match (content.kind, statement, content.why_failed.as_deref()) {
        (Kind::FalseLemma, ..) if content.theorem_name.is_some() => {
            return content.theorem_name.clone().unwrap_or_default();
        }
        (Kind::Theorem, Some(claim), _) => claim,
        (Kind::Failure, _, Some(why)) => why.to_owned(),
        _ => content.title.clone(),
    };
    // What is proved does not stand for what is only claimed.
    let text = format!("{}{text}", content.badge());
    text.chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).collect()
}

fn summary(
    page: &mut Page,
    problem: &Problem,
    aliases: &[String],
    (in_flight, ready): (u64, &[String]),
    now: Timestamp,
) {
    let name = paint(Tone::Heading, &clean(&problem.name));
    let mut standing = problem.standing().to_owned();
    if in_flight > 0 {
        write!(standing, "; {in_flight} {IN_FLIGHT}").ok();
    }
    if !ready.is_empty() {
        write!(standing, "; ready to fetch: {}", ready.join(", ")).ok();
    }
    let status = paint(tone(problem.status), &standing);
    page.line(1, &format!("{name}  ({})  {status}", clean(&problem.id)));
    let mut parts = Vec::new();
    parts.extend(
        problem
            .domain
            .as_deref()
            .map(|domain| format!("Domain: {}", clean(&Domain::title_of(domain)))),
    );
    parts.push(format!("Tried: {}", problem.submission_count));
    parts.push(format!("Complete answers: {}", problem.proven_count));
    parts.push(format!("Failed: {}", problem.failed_count));
    page.parts(1, parts);
    let called = (!aliases.is_empty()).then(|| aliases.join(", "));
    let decided = problem.decided_at.as_deref().map(|at| {
        let why = problem.decided_why.as_deref().map(|why| format!(": {why}"));
        format!("by a person, {}{}", ago(at, now), why.unwrap_or_default())
    });
    for (label, text) in [
        ("Also called", &called),
        ("Decided", &decided),
        ("Statement", &problem.statement),
        ("Best result", &problem.best_result),
        ("Notes", &problem.notes),
    ] {
        if let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) {
            page.paragraph(1, &format!("{label}: {text}"));
        }
    }
}

fn tone(status: ProblemStatus) -> Tone {
    match status {
        ProblemStatus::Proven => Tone::Good,
        ProblemStatus::False => Tone::Bad,
        ProblemStatus::Open | ProblemStatus::Partial | ProblemStatus::InFlight => Tone::Caution,
    }
}

fn strategies(page: &mut Page, strategies: &[Strategy], most: usize, now: Timestamp) {
    let rows = strategies.iter().take(most).map(|strategy| {
        vec![
            strategy.approach.clone(),
            strategy.outcome.title().to_owned(),
            strategy.attempts.to_string(),
            strategy.slot.map_or_else(String::new, |slot| slot.to_string()),
            strategy.last_attempted.as_deref().map_or_else(String::new, |at| ago(at, now)),
            strategy.learned.clone().unwrap_or_default(),
        ]
    });
    let columns = [
        Column::text("APPROACH", 14),
        Column::text("OUTCOME", 0),
        Column::number("TRIES"),
        Column::number("SLOT"),
        Column::text("LAST", 0),
        Column::text("LEARNT", 7),
    ];
    page.table(2, &columns, rows);
    if strategies.len() > most {
        page.hint(&format!("  and {} more: add `--all`", strategies.len() - most));
    }
}

fn tracking(page: &mut Page, report: &FindReport, now: Timestamp) {
    if !report.not_imported.is_empty() {
        page.blank();
        page.heading("FALSE OR FAILED in tracking.db", Some(report.not_imported.len()));
        for draft in &report.not_imported {
            refused(page, 2, draft, TRACKING, now);
        }
    }
    let is_told = matches!(report.problems.as_slice(), [one] if one.problem.is_none());
    if !report.submissions.is_empty() && !is_told {
        page.blank();
        let (shown, total) = (report.submissions.len(), report.submissions_total);
        let newest =
            if total > shown as u64 { format!(", the newest {shown}") } else { String::new() };
        page.heading(&format!("SUBMISSIONS in tracking.db ({total}{newest})"), None);
        submissions(page, &report.submissions, now);
    }
}

fn ending(page: &mut Page, submission: &Submission, is_one_of_many: bool, now: Timestamp) {
    let mut parts = submission.ended();
    parts.extend(Some(submission.filename.clone()).filter(|_| is_one_of_many));
    if let Some(first) = parts.first_mut() {
        first.insert_str(0, "tracking.db: ");
    }
    parts.extend(submission.happened_at().map(|at| ago(at, now)));
    page.parts(1, parts);
    page.labelled(1, "Tries what is false", &submission.false_targets.join(", "));
    let labelled = [("Note", &submission.notes), ("Verification", &submission.verification)];
    let labelled = labelled
        .into_iter()
        .filter_map(|(label, note)| Some(format!("{label}: {}", note.as_ref()?)));
    for said in labelled.chain(submission.reviews.iter().cloned()) {
        page.paragraph(1, &clean(&said));
    }
}

fn submissions(page: &mut Page, submissions: &[Submission], now: Timestamp) {
    let number = |n: Option<i64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let rows = submissions.iter().map(|submission| {
        vec![
            submission.label.clone(),
            submission.standing_there().unwrap_or_else(|| "-".to_owned()),
            number(submission.proven),
            number(submission.sorry),
            submission.happened_at().map_or_else(|| "-".to_owned(), |at| ago(at, now)),
        ]
    });
    let columns = [
        Column::text("SUBMISSION", 12),
        Column::text("STATUS", 8),
        Column::number("PROVEN"),
        Column::number("SORRY"),
        Column::text("WHEN", 0),
    ];
    page.table(2, &columns, rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::tests as sample;

    fn plain(report: &FindReport, width: usize) -> String {
        sample::plain(&view(report, false, width, sample::now()), width)
    }

    /// The recorded output has the words, at one width.
    #[test]
    fn pages_fit_any_width() {
        let text = plain(&sample::find(), 60);
        assert!(text.contains("bridges_12_retr…  near miss            -      1  13h ago\n"));
        plain(&sample::find(), 100);
    }

    #[test]
    fn many_are_listed() {
        let mut report = sample::find();
        let one = |i: usize| ProblemView {
            id: format!("erdos_{i}"),
            aliases: Vec::new(),
            problem: None,
            findings: Vec::new(),
            strategies: Vec::new(),
        };
        report.problems = (1..=4).map(one).collect();
        let text = plain(&report, 60);
        assert!(text.contains("4 problems fit `Bridges 12`; name one of them:\n"), "{text}");
        assert!(text.contains("erdos_4                 0           0\n"), "{text}");
    }
}
