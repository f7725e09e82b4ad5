//! `mk review`, `mk confirm`, `mk drop`: what waits for a person's word, and what a person says of any finding: that
//! it holds, that it is not wanted, that a decision is taken back. The caller has made sure that a person decides.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead as _, IsTerminal as _};

use anyhow::{Context as _, bail, ensure};
use console::Key;
use jiff::Timestamp;
use serde::Serialize;

use crate::app::guard::permission::{Does, PersonDecision};
use crate::app::learn::proposals::{cutoff, expire, title_of};
use crate::app::{App, background, journal};
use crate::facts::{self, Set};
use crate::learn::signals::ROADS;
use crate::list::{Here, Listing, live};
use crate::model::{Confidence, Draft, Evidence, Finding, Kind, Status, headline, problem_key};
use crate::problem;
use crate::store::{ListFilter, StoreError, Writer, time_text};
use crate::text::{
    clean, clean_block, clip, hash, nearest, one_line, scrub, spaced, vocabulary, width,
};
use crate::ui::listing as view;
use crate::ui::{Exit, Out, UsageError, person};

/// Decide which things from sessions to keep
///
/// What you did and said in sessions, and what did not work, becomes proposals; only those that you
/// keep become knowledge. Without a command, this goes through the best ten, one key each. Anyone
/// can list proposals; only a person at a terminal can decide. In a Claude Code session, `mk review
/// accept ID` as one plain command makes the client ask you.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  mk review                              the best ten, one key each
  mk review list --json
  mk show 3f2a
  mk review accept 3f2a --kind lesson
  mk review accept 3f2a --as \"push_cast comes before omega\"
  mk review reject 91c0 7be1 --reason \"true of this task only\"
  mk review undo 3f2a")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List what waits
    List {
        /// Include proposals that were decided or expired
        #[arg(long, conflicts_with = "status")]
        all: bool,
        /// Those with this status: pending, accepted, rejected or expired
        #[arg(long, value_name = "STATUS", value_parser = ["pending", "accepted", "rejected", "expired"])]
        status: Option<String>,
    },
    /// Keep it as knowledge
    Accept(ConfirmArgs),
    /// Reject it: it is not proposed again
    Reject(DropArgs),
    /// Undo a decision: the proposal waits again
    Undo {
        /// Its id, or the beginning of it
        id: String,
    },
}

/// Confirm findings: proposals become knowledge, and a model's facts are told to sessions
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
#[command(after_help = "Examples:
  mk confirm 3f2a --kind lesson          a proposal, by the beginning of its id
  mk confirm 12 15                       findings by number
  mk confirm mathlib.revision            a fact by its key")]
pub struct ConfirmArgs {
    /// Numbers, ids or the beginnings of them, keys of facts
    #[arg(required = true, value_name = "ID|KEY")]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub accept: Accept,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct Accept {
    /// As what: insight, preference, decision, lesson, technique, `mathlib_api`, failure or playbook
    #[arg(long, value_parser = kind_of)]
    pub kind: Option<Kind>,
    /// In other words
    #[arg(long = "as", value_name = "TEXT")]
    pub content: Option<String>,
}

/// Drop findings that are wrong or unwanted: they are not stored or proposed again
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
#[command(after_help = "Examples:
  mk drop 12
  mk drop 91c0 7be1 --reason \"true of this task only\"
  mk review undo 12                      takes it back")]
pub struct DropArgs {
    /// Numbers, ids or the beginnings of them, keys of facts
    #[arg(required = true, value_name = "ID|KEY")]
    pub ids: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Writes,
            Some(Action::List { .. }) => Does::Reads,
            Some(Action::Accept(args)) => args.does(),
            Some(Action::Reject(args)) => args.does(),
            Some(Action::Undo { .. }) => Does::Decides(PersonDecision::Terminal("mk review undo")),
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        match self.action {
            None => one_by_one(app, out),
            Some(Action::List { all, status }) => {
                let status = status.as_deref().or((!all).then_some("pending"));
                let report = proposals(app, status)?;
                out.answer(&report, |width| view::proposals(&report, width, app.now))
            }
            Some(Action::Accept(args)) => args.run(app, out),
            Some(Action::Reject(args)) => args.run(app, out),
            Some(Action::Undo { id }) => {
                person::require(app, "undoing a decision")?;
                each(app, out, &[id], undo)
            }
        }
    }
}

impl ConfirmArgs {
    pub(crate) fn does(self) -> Does {
        Does::Decides(PersonDecision::Knowledge(Asked::Confirm(self)))
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Self { ids, accept } = self;
        if ids.len() > 1 && accept.content.is_some() {
            return Err(UsageError("`--as` is for one: give one id".to_owned()).into());
        }
        if app.environment.inside_client() {
            return asked_in_session(app, out, &ids);
        }
        person::require(app, "confirming findings")?;
        each(app, out, &ids, |app, id| confirm(app, id, &accept, By::Terminal))
    }
}

impl DropArgs {
    pub(crate) fn does(self) -> Does {
        Does::Decides(PersonDecision::Knowledge(Asked::Drop(self)))
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let Self { ids, reason } = self;
        if app.environment.inside_client() {
            return asked_in_session(app, out, &ids);
        }
        person::require(app, "dropping findings")?;
        each(app, out, &ids, |app, id| drop(app, id, reason.as_deref(), By::Terminal))
    }
}

/// Ends well where the ids are right: only then does the client go on to what the person said.
fn asked_in_session(app: &mut App, out: &mut Out, ids: &[String]) -> anyhow::Result<Exit> {
    for id in ids {
        find(app, id)?;
    }
    person::in_session(out, "decided")
}

fn each(
    app: &mut App,
    out: &mut Out,
    ids: &[String],
    decide: impl Fn(&mut App, &str) -> anyhow::Result<Finding>,
) -> anyhow::Result<Exit> {
    let (exit, any) = person::decide_each(out, ids, view::decision, |id| decide(app, id))?;
    if any {
        say_journal(app, out);
    }
    Ok(exit)
}

pub(crate) fn say_journal(app: &mut App, out: &mut Out) {
    if let Some(text) = keep_journal(app) {
        out.note(&format!("mk: {text}"));
    }
}

/// Proposals that are gone through at one time: what takes two minutes.
const MOST_AT_ONCE: usize = 10;

fn one_by_one(app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
    let (groups, all) = best(app, MOST_AT_ONCE)?;
    if groups.is_empty() {
        out.print("  No proposals are waiting.\n")?;
        return Ok(Exit::Done);
    }
    person::require(app, "deciding about proposals")?;
    anyhow::ensure!(
        io::stdout().is_terminal(),
        "`mk review` asks at a terminal: its output goes elsewhere; `mk review list` only lists"
    );
    let mut decided: Vec<Option<Status>> = vec![None; groups.len()];
    let mut at = 0;
    while let Some(group) = groups.get(at) {
        out.print(&view::card(group, (at + 1, groups.len()), out.width, app.now))?;
        match ask(app, out, group)? {
            Answer::Decided(decision) => {
                decided[at] = Some(decision.content.status);
                out.print(&view::decision(&decision))?;
                at += 1;
            }
            Answer::Skip => at += 1,
            Answer::Back => {
                // What was decided last, not what was looked at last.
                let Some(last) = decided.iter().rposition(Option::is_some) else {
                    out.print("  nothing was decided yet\n")?;
                    continue;
                };
                for one in &groups[last] {
                    undo(app, &one.uid)?;
                }
                decided[last] = None;
                at = last;
            }
            Answer::Quit => break,
        }
    }
    let count = |status| decided.iter().filter(|one| **one == Some(status)).count();
    let (confirmed, dropped) = (count(Status::Confirmed), count(Status::Dropped));
    let left = match all - confirmed - dropped {
        0 => "none are waiting any more".to_owned(),
        1 => "1 still waits".to_owned(),
        n => format!("{n} still wait"),
    };
    out.print(&format!("\n  {confirmed} confirmed, {dropped} dropped; {left}.\n"))?;
    if confirmed + dropped > 0 {
        say_journal(app, out);
    }
    Ok(Exit::Done)
}

enum Answer {
    Decided(Box<Finding>),
    Skip,
    Back,
    Quit,
}

/// Decisions are stored at once. What says the same is decided with it.
fn ask(app: &mut App, out: &mut Out, group: &[Finding]) -> anyhow::Result<Answer> {
    let [proposal, same @ ..] = group else { return Ok(Answer::Skip) };
    let mut accept = Accept::default();
    loop {
        out.print(view::QUESTION)?;
        let key = key()?;
        out.print("\n")?;
        let decided = match key {
            Some('y' | 'c' | 'a') => confirm(app, &proposal.uid, &accept, By::Terminal),
            Some('n' | 'd' | 'r') => drop(app, &proposal.uid, None, By::Terminal),
            Some('s' | ' ') => return Ok(Answer::Skip),
            Some('u') => return Ok(Answer::Back),
            None | Some('q') => return Ok(Answer::Quit),
            Some('e') => {
                let text = accept.content.as_deref().unwrap_or(&proposal.content.description);
                match background::edit(app, text) {
                    Ok(text) => {
                        out.print(&view::paragraph(&text, out.width))?;
                        accept.content = Some(text);
                    }
                    Err(error) => out.print(&view::paragraph(&format!("{error:#}"), out.width))?,
                }
                continue;
            }
            Some(_) => {
                out.print(view::KEYS)?;
                continue;
            }
        };
        match decided {
            Ok(decision) => {
                let reason = format!("the same as {}", decision.label());
                for one in same {
                    drop(app, &one.uid, Some(&reason), By::Terminal)?;
                }
                return Ok(Answer::Decided(Box::new(decision)));
            }
            // Somebody else may have been faster, or an edit left no text.
            Err(error) => out.print(&view::paragraph(&error.to_string(), out.width))?,
        }
    }
}

/// In lower case; from a line without a terminal. `None` at the end of the input and for Escape, Ctrl-C and Ctrl-D.
fn key() -> anyhow::Result<Option<char>> {
    if !io::stdin().is_terminal() {
        let mut line = String::new();
        let is_over = io::stdin().lock().read_line(&mut line)? == 0;
        return Ok(Some(line.trim().chars().next().unwrap_or('?')).filter(|_| !is_over));
    }
    loop {
        return match console::Term::stdout().read_key_raw() {
            // Out of habit after an answer.
            Ok(Key::Enter) => continue,
            Ok(Key::Char(c)) if !c.is_control() => Ok(Some(c.to_ascii_lowercase())),
            Ok(Key::Escape | Key::CtrlC | Key::Char(_) | Key::Unknown) => Ok(None),
            Ok(_) => Ok(Some('?')),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        };
    }
}

#[derive(Debug, Default, Serialize)]
pub struct Waiting {
    #[serde(flatten)]
    pub listing: Listing,
    pub pending: u64,
    pub pending_here: u64,
}

/// By status (`pending`, `accepted`, `rejected`, `expired`): this project's first, then the oldest.
pub fn proposals(app: &mut App, status: Option<&str>) -> anyhow::Result<Waiting> {
    app.try_to("proposals", |app| expire(app).context("could not let any expire"));
    let (project, here) = (app.project_identity(), Here::of(app)?);
    let store = app.store()?;
    let filter = ListFilter { proposed: true, ..ListFilter::default() };
    let (mut findings, _) = store.list(&filter, None)?;
    findings.retain(|one| status.is_none() || one.content.proposal_status() == status);
    let found_at = |one: &Finding| one.content.said().map(|said| said.extracted_at.clone());
    findings.sort_by_key(|one| (!here.has(one), found_at(one), one.id));
    Ok(Waiting {
        listing: Listing { total: findings.len() as u64, findings },
        pending: store.proposals_waiting(None)?,
        pending_here: store.proposals_waiting(project.as_deref())?,
    })
}

pub type Alike = Vec<Finding>;

/// Those of this project and the newest problem (or session) first, the surest first, what says the same once.
/// Also how many there are in all.
pub fn best(app: &mut App, most: usize) -> anyhow::Result<(Vec<Alike>, usize)> {
    let waiting = proposals(app, Some("pending"))?.listing.findings;
    let here = Here::of(app)?;
    // A session is about one problem, as far as is known; what it says of none belongs there too.
    let session = |one: &Finding| one.content.source.session.clone();
    let problems: HashMap<Option<String>, String> = waiting
        .iter()
        .filter_map(|one| Some((session(one), one.content.problem.clone()?)))
        .collect();
    let subject = |one: &Finding| {
        let problem = one.content.problem.as_ref().or_else(|| problems.get(&session(one)));
        problem.map(|problem| problem_key(problem)).or_else(|| session(one))
    };
    let mut newest: HashMap<Option<String>, String> = HashMap::new();
    for one in &waiting {
        let last = newest.entry(subject(one)).or_default();
        *last = std::mem::take(last).max(one.content.created_at.clone().unwrap_or_default());
    }
    let trust = |one: &Finding| {
        let rule = one.content.said().map(|said| said.rule.clone()).unwrap_or_default();
        ROADS.iter().position(|known| *known == rule).unwrap_or(ROADS.len())
    };
    let last = |one: &Finding| newest.get(&subject(one)).cloned();
    let mut sorted = waiting;
    sorted.sort_by_cached_key(|one| {
        let place = (trust(one), one.content.source.line, one.id);
        (!here.has(one), Reverse(last(one)), subject(one), place)
    });
    let mut groups: Vec<Alike> = Vec::new();
    for one in sorted {
        match groups.iter_mut().find(|group| is_alike(&group[0], &one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let all = groups.len();
    groups.truncate(most);
    Ok((groups, all))
}

fn is_alike(one: &Finding, other: &Finding) -> bool {
    let words = |finding: &Finding| -> HashSet<String> {
        let text = spaced(&finding.content.description);
        text.split(' ').filter(|word| word.len() > 2).map(str::to_owned).collect()
    };
    let (one_has, other_has) = (words(one), words(other));
    let common = one_has.intersection(&other_has).count();
    one.content.project == other.content.project
        && one.content.fact().is_none()
        && common > 0
        && 4 * common >= 3 * (one_has.len() + other_has.len() - common)
}

/// The one finding that a number (`12`, `#12`), the beginning of an id or a fact's key means.
pub fn find(app: &mut App, word: &str) -> anyhow::Result<Finding> {
    let text = word.trim();
    let wanted = text.trim_start_matches('#').to_lowercase();
    let shown = clip(&one_line(&clean(text)), 40);
    ensure!(!wanted.is_empty(), "an id is missing: `mk list` and `mk review list` have them");
    let now = time_text(app.now);
    let current = app.project_identity();
    let store = app.store()?;
    if let Ok(row) = wanted.parse::<i64>()
        && let Some(finding) = store.finding(row)?
    {
        ensure!(!finding.has_expired(&now), "#{row} is a fact that ended");
        return Ok(finding);
    }
    let mut found = store.findings_by_uid(&wanted)?;
    // So few digits are meant for one of a few.
    found.retain(|one| {
        (wanted.len() >= 4 || one.content.said().is_some()) && !one.has_expired(&now)
    });
    if let Some(exact) = found.iter().position(|one| one.uid == wanted) {
        return Ok(found.swap_remove(exact));
    }
    if found.is_empty() {
        let (mut facts, _) = store.list(&live(Kind::Fact), current.as_deref())?;
        facts.retain(|fact| !fact.has_expired(&now));
        let key = |one: &Finding| one.content.fact().map(|fact| fact.key.clone());
        found = facts.iter().filter(|one| key(one) == Some(wanted.clone())).cloned().collect();
        if found.is_empty() {
            let said = ListFilter { proposed: true, ..ListFilter::default() };
            let ids = store.list(&said, None)?.0.into_iter().map(|one| one.uid);
            let known: Vec<String> = facts.iter().filter_map(key).chain(ids).collect();
            let begun = known.iter().find(|one| one.starts_with(&wanted)).map(String::as_str);
            match begun.or_else(|| nearest(&wanted, known.iter().map(String::as_str))) {
                Some(near) => {
                    bail!("nothing is stored under `{shown}` (do you mean `{}`?)", clean(near))
                }
                None => bail!("nothing is stored under `{shown}`: `mk list` shows what there is"),
            }
        }
    }
    if let [_] = found.as_slice() {
        return Ok(found.swap_remove(0));
    }
    let ids: Vec<String> = found.iter().take(3).map(Finding::label).collect();
    bail!("`{shown}` may be one of {}: give more of it, or the number", ids.join(", "))
}

/// What a proposal can become: a fact has a key and a category, which words do not have.
pub fn kinds() -> impl Iterator<Item = Kind> {
    Kind::ALL.iter().copied().filter(|kind| kind.is_worded() && *kind != Kind::Fact)
}

vocabulary! {
    /// Where a person said so, as the database has it.
    By {
        Terminal = "terminal",
        Dialog = "dialog",
        /// By what they did in a session: `learn.trust_acts`.
        Act = "act",
    }
}

pub fn kind_of(word: &str) -> Result<Kind, String> {
    let parsed = word.parse::<Kind>().ok();
    let begun = word.trim().to_ascii_lowercase();
    let mut beginning = kinds().filter(|kind| kind.as_str().starts_with(&begun));
    let short = beginning.next().filter(|_| !begun.is_empty() && beginning.next().is_none());
    let known = parsed.filter(|kind| kind.is_worded()).or(short);
    known.ok_or_else(|| {
        let names: Vec<&str> = kinds().map(Kind::as_str).collect();
        let names = names.join(", ");
        let word = clip(&clean(word), 40);
        if parsed.is_some() {
            format!("a proposal cannot become a {word}, as words prove nothing: use {names}")
        } else {
            format!("unknown kind `{word}`: use one of {names}")
        }
    })
}

pub fn confirm(app: &mut App, id: &str, accept: &Accept, by: By) -> anyhow::Result<Finding> {
    let finding = find(app, id)?;
    undecided(&finding, Status::Confirmed)?;
    let draft = accepted(&finding, accept, app.now)?;
    decide(app, &finding, |writer| writer.confirm(&finding, &draft, by.as_str()))
}

/// A person does not want a finding, for a reason perhaps. It is not stored or proposed again.
pub fn drop(app: &mut App, id: &str, reason: Option<&str>, by: By) -> anyhow::Result<Finding> {
    let finding = find(app, id)?;
    undecided(&finding, Status::Dropped)?;
    let reason = reason.map(|reason| clean(&scrub(reason))).filter(|reason| !reason.is_empty());
    decide(app, &finding, |writer| writer.drop_finding(&finding, by.as_str(), reason.as_deref()))
}

/// Takes a decision back: the finding is what it was before, and so is what it had replaced.
pub fn undo(app: &mut App, id: &str) -> anyhow::Result<Finding> {
    let finding = find(app, id)?;
    let name = finding.label();
    ensure!(finding.content.decision().is_some(), "nothing was decided about {name} yet");
    if let Some(other) = finding.superseded_by {
        bail!("{name} became #{other}: run `mk drop {other}` if it is no longer wanted");
    }
    let overdue = cutoff(app);
    decide(app, &finding, |writer| {
        if writer.undo_decision(&finding, &overdue)? {
            return Ok(());
        }
        let text = format!(
            "{name} has changed since then: run `mk drop {name}` if it is no longer wanted"
        );
        Err(StoreError::Invalid(text))
    })
}

fn decide(
    app: &mut App,
    finding: &Finding,
    decision: impl FnOnce(&Writer<'_>) -> Result<(), StoreError>,
) -> anyhow::Result<Finding> {
    let name = finding.label();
    app.write(|writer| {
        if writer.finding(finding.id)?.as_ref() != Some(finding) {
            return Err(StoreError::Invalid(format!("{name} has changed meanwhile")));
        }
        decision(writer)
    })?;
    app.store()?.finding(finding.id)?.ok_or_else(|| anyhow::anyhow!("{name} is gone"))
}

fn undecided(finding: &Finding, wanted: Status) -> anyhow::Result<()> {
    let (status, name) = (finding.content.status, finding.label());
    let when = match status {
        _ if status == wanted => "is",
        _ if status.is_live() || status == Status::Proposed => return Ok(()),
        _ => "was",
    };
    bail!("{name} {when} {status} already; `mk review undo {name}` takes that back");
}

fn accepted(finding: &Finding, accept: &Accept, now: Timestamp) -> anyhow::Result<Draft> {
    let mut draft = finding.content.clone();
    let waits = draft.status == Status::Proposed;
    if let Some(kind) = accept.kind.filter(|kind| *kind != draft.kind) {
        ensure!(waits, "only a proposal can change its kind: {} is already known", finding.label());
        kind_of(kind.as_str()).map_err(anyhow::Error::msg)?;
        ensure!(
            kind != Kind::Fact,
            "this proposal cannot become a fact: it has no category and no key"
        );
        draft.kind = kind;
        if let Some(detail) = &mut draft.detail {
            detail.fact = None;
        }
    }
    let content = accept.content.as_deref().map(|text| clean_block(&scrub(text)).trim().to_owned());
    ensure!(content.as_deref() != Some(""), "there is no text to accept");
    if draft.fact().is_some() {
        facts::accept(&mut draft, content.as_deref(), now)?;
    } else if let Some(content) = content {
        draft.title = title_of(&content);
        draft.description = content;
    } else {
        draft.take_words();
    }
    if waits && let Some(said) = draft.said() {
        let who = if said.role.is_empty() { "somebody" } else { &said.role };
        let rule = clean(&said.rule);
        draft.notes = Some(format!("proposal {}, said by {who} (rule {rule})", finding.uid));
    }
    stand_for(&mut draft);
    Ok(draft)
}

/// Makes a finding one that a person stands for; a check of Lean's is worth more than that.
pub fn stand_for(draft: &mut Draft) {
    draft.status = Status::Confirmed;
    draft.evidence = draft.evidence.min(Evidence::Person);
    if matches!(draft.confidence, Confidence::Low | Confidence::Medium) {
        draft.confidence = Confidence::High;
    }
    draft.notes = draft.notes.take().map(|notes| notes.replace("; not confirmed", ""));
}

/// More, or a longer text, is not read in a dialog: it is decided about at a terminal.
const MOST_ASKED: usize = 5;
const SHOWN: usize = 600;

/// What a person may decide in a dialog of the client's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    Confirm(ConfirmArgs),
    Drop(DropArgs),
    Set(Set),
    Problem(problem::Decision),
}

impl Asked {
    /// The lines that a dialog shows, and the findings that they are about; `None` where nothing may be asked.
    fn shown(&self, app: &mut App) -> Option<(Vec<String>, Vec<Finding>)> {
        let fits = |text: &str| width(text) <= SHOWN;
        let only = |line: String| Some((vec![line], Vec::new()));
        let (ids, wanted, kind, (what, text)) = match self {
            Self::Set(set) => return only(facts::question(app, set).filter(|_| fits(&set.value))?),
            Self::Problem(decision) => {
                return only(problem::question(app, decision).ok().filter(|text| fits(text))?);
            }
            Self::Confirm(ConfirmArgs { ids, accept }) => {
                let words = accept.content.as_deref();
                if words.is_some_and(|words| !fits(words) || ids.len() > 1) {
                    return None;
                }
                (ids, Status::Confirmed, accept.kind, ("To be kept in other words", words))
            }
            Self::Drop(DropArgs { ids, reason }) => {
                (ids, Status::Dropped, None, ("Because", reason.as_deref()))
            }
        };
        if !(1..=MOST_ASKED).contains(&ids.len()) {
            return None;
        }
        let (mut lines, mut findings) = (Vec::new(), Vec::<Finding>::new());
        for id in ids {
            let finding = find(app, id).ok()?;
            let is_twice = findings.iter().any(|other| other.id == finding.id);
            let text = in_short(&finding);
            if is_twice || undecided(&finding, wanted).is_err() || !fits(&text) {
                return None;
            }
            let said = finding.content.said().map(|said| {
                let who = match said.role.as_str() {
                    "" => "somebody",
                    "model" => "a language model",
                    role => role,
                };
                format!(", as {}, said by {who}:", kind.unwrap_or(finding.content.kind))
            });
            lines.push(format!("{}{} {text}", finding.label(), said.unwrap_or_default()));
            findings.push(finding);
        }
        lines.extend(text.map(|text| format!("{what}: \"{}\"", clean(text))));
        Some((lines, findings))
    }

    /// The dialog's text, a print of what is decided about (findings change, and what the person saw is what
    /// counts), and the findings.
    fn dialog(&self, app: &mut App) -> Option<(String, String, Vec<Finding>)> {
        let (lines, findings) = self.shown(app)?;
        let what = match self {
            Self::Confirm(_) => "keeping this as knowledge is the person's decision",
            Self::Drop(_) => "dropping this for good is the person's decision",
            Self::Set(_) => "a fact in the person's name is the person's decision",
            Self::Problem(_) => "a problem's status and names are the person's decision",
        };
        let lines = lines.join("\n");
        let text =
            format!("math-forge: {what}.\n{lines}\nWithout the person's yes nothing changes.");
        let mut print = format!("{self:?}\n{text}");
        for finding in &findings {
            print.extend(["\n", &finding.id.to_string(), " ", &finding.content.fingerprint()]);
        }
        Some((text, hash(print, 8), findings))
    }
}

fn in_short(finding: &Finding) -> String {
    let content = &finding.content;
    if let Some(fact) = content.fact() {
        let place = content.project.as_deref().map_or_else(|| "everywhere".to_owned(), clean);
        let (key, category) = (clean(&fact.key), clean(&fact.category));
        return format!("{key} ({category}, {place}): \"{}\"", clean(&fact.value));
    }
    if content.said().is_some() {
        return format!("\"{}\"", clean(&content.description));
    }
    let badge = content.badge();
    format!("{badge} {}", clean(headline(badge, &content.title)))
}

/// The dialog's text and a print of it; `None` where nothing may be asked.
pub fn question(app: &mut App, asked: &Asked) -> Option<(String, String)> {
    asked.dialog(app).map(|(text, print, _)| (text, print))
}

/// Does what the person agreed to in the dialog, given the print of what was shown; what to say of it.
pub fn decide_from_dialog(app: &mut App, asked: &Asked, print: &str) -> anyhow::Result<String> {
    let Some((_, now, findings)) = asked.dialog(app) else {
        bail!(
            "not all of these are waiting for a decision: `mk review list` and `mk list` show what does"
        );
    };
    ensure!(now == print, "it has changed since it was shown: ask again");
    let ids = findings.iter().map(|finding| finding.id.to_string());
    let done: Vec<Finding> = match asked {
        Asked::Confirm(args) => {
            ids.map(|id| confirm(app, &id, &args.accept, By::Dialog)).collect::<Result<_, _>>()?
        }
        Asked::Drop(args) => {
            let reason = args.reason.as_deref();
            ids.map(|id| drop(app, &id, reason, By::Dialog)).collect::<Result<_, _>>()?
        }
        Asked::Set(wanted) => vec![facts::set(app, wanted)?.fact],
        Asked::Problem(decision) => {
            let decided = problem::decide(app, decision)?;
            return Ok(format!("math-forge: the person agreed; {}.", decided.text));
        }
    };
    let done: Vec<String> = done
        .iter()
        .map(|one| format!("{} {} is {}", one.content.kind, one.label(), one.content.status))
        .collect();
    Ok(format!("math-forge: the person agreed; {}.", done.join(", ")))
}

pub fn unjournaled(app: &mut App) -> anyhow::Result<usize> {
    let Some(store) = app.existing_store()? else { return Ok(0) };
    Ok(store.to_journal()?.len())
}

/// Why it could not be written, if so; it is written the next time.
pub fn keep_journal(app: &mut App) -> Option<String> {
    let reason = journal::append(app).unwrap_or_else(|error| Some(format!("{error:#}")))?;
    Some(format!("the journal will be written later: {reason}"))
}
