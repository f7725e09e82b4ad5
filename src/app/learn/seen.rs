//! What is said beside a command's output about the errors in it: known fixes, and that an error stays. It is
//! remembered how often a session met an error, what it was told, and whether that helped.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::Remark;
use super::asking::{Asking, Ended};
use super::lessons::edit_lines;
use crate::app::guard::renamed_lemmas;
use crate::app::{App, inject, transcript_end};
use crate::brief::estimate;
use crate::files;
use crate::hook::{Event, Occasion, Tool};
use crate::lean;
use crate::lean::diagnostics::{Looked, Signature, looked};
use crate::learn::events::{Act, Change, Event as Learnt, Met, Outcome, same_target};
use crate::learn::lessons::{self, Pattern};
use crate::model::{Finding, LessonDetail};
use crate::premises;
use crate::store::{Injection, Sighting, StoreError, Writer};
use crate::text::{clean, clean_block, clip};

/// An output without an error costs a look at its bytes. What goes wrong is logged, never said.
pub fn learn_note(app: &mut App, event: &Event) -> Option<String> {
    let (tool, failed) = match &event.occasion {
        Occasion::PostToolUse(tool) => (tool, false),
        Occasion::PostToolUseFailure(tool) => (tool, true),
        _ => return None,
    };
    let (name, input, text, is_about_lean) = match tool {
        Tool::Bash { command, background: false, printed, interrupted: false, .. } => {
            let is_about_lean = command.contains("lake") || command.contains("lean");
            ("Bash", vec![("command".to_owned(), command.clone())], printed, is_about_lean)
        }
        Tool::Server(used) if !used.interrupted => {
            let is_about_lean = looked(&used.tool) == Some(Looked::Files);
            (used.tool.as_str(), used.input.clone(), &used.said, is_about_lean)
        }
        _ => return None,
    };
    if event.session.is_empty()
        || !(is_about_lean || lessons::may_hold_error(text))
        || super::is_excluded(app)
    {
        return None;
    }
    let act = Act::printed(name, input, text, failed)?;
    let met = lessons::errors(&act);
    if met.is_empty() && !act.is_build() {
        return None;
    }
    app.try_to("learn", |app| note(app, event, &act, &met))?
}

fn note(
    app: &mut App,
    event: &Event,
    act: &Act,
    met: &[Met<'_>],
) -> anyhow::Result<Option<String>> {
    let session = event.session.as_str();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let sightings = store.sightings(session)?;
    if met.is_empty() && sightings.iter().all(|one| one.resolved) {
        return Ok(None);
    }
    let said = store.injections(session)?;
    let is_lesson = |row: &&Injection| row.rule == ERROR && row.finding.is_some();
    let shown: Vec<&Injection> = said.iter().filter(is_lesson).collect();
    let mut seen: Vec<Seen<'_>> = Vec::new();
    for one in met {
        let signature = one.signature();
        if seen.len() < MOST_SEEN && seen.iter().all(|other| other.signature != signature) {
            seen.push(Seen::of(app, event, act, (one, signature), &sightings));
        }
    }
    let memory = Memory { session, act, met, seen, sightings: &sightings, shown: &shown };
    let gone = memory.gone();
    let mut outcomes = memory.outcomes(&gone);
    // An error that went another way says nothing of a lesson about it.
    outcomes.retain(|(shown, worked)| !worked || is_tried(app, event, shown, true));
    let mut remarks = Vec::new();
    if inject::is_on(app) {
        remarks = memory.advice(app, &said)?;
        remarks.extend(memory.stuck(app, event, &said)?);
        if let Some(ended) = memory.ended()
            && let Some(asking) = Asking::of(app, &said)?
        {
            remarks.extend(asking.about(&ended));
        }
    }
    let rows: Vec<Injection> = remarks.iter().map(|one| one.row(app, event)).collect();
    // What cannot be remembered is not said: it would be said again and again.
    app.write(|writer| {
        memory.keep(writer, &gone, &outcomes)?;
        rows.iter().try_for_each(|row| writer.note_injection(row))
    })?;
    let text = remarks.into_iter().map(|one| one.line).collect::<Vec<_>>().join("\n");
    Ok(Some(text).filter(|text| !text.is_empty()))
}

struct Seen<'a> {
    met: &'a Met<'a>,
    signature: Signature,
    key: String,
    /// Its file as it is stored; empty for what is about no file.
    target: String,
    path: Option<PathBuf>,
    known: Option<&'a Sighting>,
    /// It is a new build that has it.
    counts: bool,
}

impl<'a> Seen<'a> {
    fn of(
        app: &App,
        event: &Event,
        act: &Act,
        (met, signature): (&'a Met<'a>, Signature),
        sightings: &'a [Sighting],
    ) -> Self {
        // Lake names files from the package's folder, Lean as they were given to it.
        let plain = met.file.trim_start_matches("./");
        let folders = [event.cwd.as_deref(), Some(app.project.root.as_path())];
        let mut paths = folders.into_iter().flatten().map(|folder| folder.join(plain));
        let path = paths.find(|path| !plain.is_empty() && path.is_file());
        let stored = path.as_deref().map(|path| app.project.stable_path(path));
        let (key, target) = (signature.to_string(), stored.unwrap_or_else(|| plain.to_owned()));
        let known = sightings.iter().find(|one| one.signature == key && one.target == target);
        let mut seen = Self { met, signature, key, target, path, known, counts: false };
        // A server answers at once and is asked again about the same text: that is no new build.
        let is_anew =
            || known.is_none_or(|known| known.builds == 0 || seen.is_edited_since(&known.last_at));
        seen.counts = act.is_build() && (!act.is_of_server() || is_anew());
        seen
    }

    /// In a later second than `at`, a time of the database; what cannot be seen counts as written.
    fn is_edited_since(&self, at: &str) -> bool {
        let modified = self.path.as_deref().and_then(files::modified);
        let at = jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M:%S", at)
            .and_then(|time| time.to_zoned(jiff::tz::TimeZone::UTC));
        match (modified, at) {
            (Some(modified), Ok(at)) => modified.as_second() > at.timestamp().as_second(),
            _ => true,
        }
    }

    fn theorem(&self) -> Option<String> {
        let bytes = files::read(self.path.as_deref()?, LONGEST_FILE).ok()?;
        let line = usize::try_from(self.met.line?).ok()?;
        let outline = lean::skim(&lean::decode(&bytes).text);
        let around = |one: &&lean::Declaration| one.line <= line && line <= one.end_line;
        outline.declarations.iter().find(around)?.name.clone()
    }
}

struct Memory<'a> {
    session: &'a str,
    act: &'a Act,
    met: &'a [Met<'a>],
    seen: Vec<Seen<'a>>,
    sightings: &'a [Sighting],
    shown: &'a [&'a Injection],
}

impl Memory<'_> {
    fn gone(&self) -> Vec<&Sighting> {
        let is_gone = |one: &&Sighting| {
            let known = self.sightings.iter().filter(|other| other.target == one.target);
            let known: Vec<&str> = known.map(|other| other.signature.as_str()).collect();
            !one.resolved
                && lessons::is_gone(self.act, self.met, &one.signature, &one.target, &known)
        };
        self.sightings.iter().filter(is_gone).collect()
    }

    fn stuck(
        &self,
        app: &mut App,
        event: &Event,
        said: &[Injection],
    ) -> anyhow::Result<Option<Remark>> {
        // Once in a stretch of builds that all have it.
        let stays = |met: &&Seen<'_>| {
            let before = met.known.filter(|one| !one.resolved).map_or(0, |one| one.builds);
            met.counts && before + 1 == BUILDS
        };
        let Some(met) = self.seen.iter().find(stays) else { return Ok(None) };
        let theorem = met.theorem();
        let mut tried = match app.existing_store()? {
            Some(store) => store.tried(theorem.as_deref(), &met.target, MOST_TRIED)?,
            None => Vec::new(),
        };
        for title in &mut tried {
            *title = clip(&clean(title), WIDTH);
        }
        tried.extend(edits(event, &met.target));
        let told = self.shown.iter().copied().filter(|one| one.why == met.key);
        let (used, left): (Vec<&Injection>, Vec<&Injection>) =
            told.partition(|one| is_tried(app, event, one, false));
        tried.extend(used.iter().map(|one| format!("what {} says", one.label)));
        let mut line = staying(met, theorem.as_deref().unwrap_or(&met.target), tried);
        for one in left {
            let (id, label) = (one.finding.unwrap_or_default(), &one.label);
            if lesson(app, id).is_some_and(|one| one.pattern != Pattern::StillFailing.as_str()) {
                write!(line, " {label} fixed this before and has not been tried.").ok();
            }
        }
        let is_first = !said.iter().any(|row| row.kind == STAYS);
        if is_first && met.signature.is_about_a_goal() {
            line.push_str(FIRST);
        }
        let (label, why) = (format!("stays: {}", met.key), met.key.clone());
        Ok(Some(Remark { line, kind: STAYS, rule: ERROR, label, why, lesson: None }))
    }

    /// A statement turned out false, or a gap took the place of an error that did not go away.
    fn ended(&self) -> Option<Ended> {
        let mut built = self.seen.iter().filter(|_| self.act.is_build());
        let refuted = built.find_map(|met| {
            let kind = met.signature.kind.as_str();
            let is_false = matches!(kind, "false-proposition" | "counter-example");
            let theorem = is_false.then(|| met.theorem())??;
            let (file, says) = (met.target.clone(), met.met.fault.says.clone());
            Some(Ended::Refuted { theorem, file, says })
        });
        let is_given_up = |one: &&Sighting| {
            one.builds >= BUILDS && self.act.gaps().any(|file| same_target(file, &one.target))
        };
        let given_up = || self.gone().into_iter().find(is_given_up).cloned().map(Ended::GivenUp);
        refuted.or_else(given_up)
    }

    /// `true` where the failure is gone, `false` where it is back although something was changed.
    fn outcomes(&self, gone: &[&Sighting]) -> Vec<(&Injection, bool)> {
        let is_open = |one: &&Injection| {
            one.outcome.as_deref().is_none_or(|outcome| outcome.ends_with("used"))
        };
        let open = self.shown.iter().copied().filter(is_open);
        let outcomes = open.filter_map(|shown| {
            let is_again = self.seen.iter().any(|met| {
                // What was only tried out stands in no file.
                let is_tried = self.act.is_of_server() && met.target.is_empty();
                met.key == shown.why
                    && met.known.is_some()
                    && !is_tried
                    && met.is_edited_since(&shown.at)
            });
            let is_gone = gone.iter().any(|one| one.signature == shown.why);
            (is_again || is_gone).then_some((shown, !is_again))
        });
        outcomes.collect()
    }

    fn keep(
        &self,
        writer: &Writer<'_>,
        gone: &[&Sighting],
        outcomes: &[(&Injection, bool)],
    ) -> Result<(), StoreError> {
        for one in gone {
            writer.error_resolved(self.session, &one.signature, &one.target)?;
        }
        for (shown, worked) in outcomes {
            let Some(lesson) = shown.finding else { continue };
            writer.lesson_turned_out(lesson, self.session, *worked)?;
        }
        for met in &self.seen {
            writer.saw_error(self.session, &met.key, &met.target, met.counts)?;
        }
        Ok(())
    }

    fn advice(&self, app: &mut App, said: &[Injection]) -> anyhow::Result<Vec<Remark>> {
        let named = said.iter().filter(|row| row.kind == NAMED).map(|row| row.label.clone());
        let lessons = self.shown.iter().map(|one| one.label.clone());
        let mut told: HashSet<String> = named.chain(lessons).collect();
        let mut found: Vec<Remark> = Vec::new();
        let mut left = BUDGET;
        for met in self.seen.iter().filter(|met| met.signature.is_specific()) {
            if found.len() >= MOST {
                break;
            }
            let Some((lesson, texts)) = about(app, met, &told)? else { continue };
            let fits = |text: &&String| estimate(text) <= left;
            // The first is said in any case: its texts are of bounded length.
            let text = texts.iter().find(fits).or(texts.last().filter(|_| found.is_empty()));
            let Some(line) = text.cloned() else { continue };
            left = left.saturating_sub(estimate(&line));
            let why = met.key.clone();
            let kind = if lesson.is_some() { "lesson" } else { NAMED };
            let label = lesson.map_or_else(|| why.clone(), |id| format!("#{id}"));
            told.insert(label.clone());
            found.push(Remark { line, kind, rule: ERROR, label, why, lesson });
        }
        Ok(found)
    }
}

const MOST_SEEN: usize = 8;

/// Pieces of advice for one output, and their tokens together.
const MOST: usize = 2;

const BUDGET: usize = 120;

const MOST_LINES: usize = 6;
const EDIT_WIDTH: usize = 90;

/// Lessons that came back so often, and never helped, are not shown any more.
const USELESS: u64 = 3;

/// Rule, in the ledger, of what is said about an error.
const ERROR: &str = "error";

const NAMED: &str = "name";

/// What is known about an error, in several lengths; the lesson, if it is one. `told` are labels.
fn about(
    app: &mut App,
    met: &Seen<'_>,
    told: &HashSet<String>,
) -> anyhow::Result<Option<(Option<i64>, Vec<String>)>> {
    let signature = &met.signature;
    if let Some(name) = lessons::unknown_name(signature)
        && !told.contains(&met.key)
    {
        if let Some(text) = renamed_lemmas::renamed(app, &name)? {
            return Ok(Some((None, vec![format!("math-forge: {text}")])));
        }
        if let Some(text) = known_theorem(app, &name)? {
            return Ok(Some((None, vec![text])));
        }
    }
    if let Some(lesson) = about_lesson(app, met, told)? {
        return Ok(Some(lesson));
    }
    // Something like it may exist in the packages.
    let name = lessons::unknown_name(signature).filter(|_| !told.contains(&met.key));
    // An index that cannot be read must not take what else is said with it.
    let near = name.map(|name| premises::nearest(app, &name)).transpose();
    let near = near.unwrap_or_else(|error| {
        app.log.line(app.now, "premises", &format!("{error:#}"));
        None
    });
    Ok(near.flatten().map(|text| (None, vec![text])))
}

fn about_lesson(
    app: &mut App,
    met: &Seen<'_>,
    told: &HashSet<String>,
) -> anyhow::Result<Option<(Option<i64>, Vec<String>)>> {
    let signature = &met.signature;
    let project = app.project_identity();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let known = store.lessons_about(&met.key, project.as_deref())?;
    let fits = known.iter().filter_map(|finding| {
        let lesson = finding.content.lesson()?;
        let like = lessons::likeness(signature, lesson.signature.as_deref()?)?;
        let is_useless = lesson.success_count == 0 && lesson.recurred >= USELESS;
        let is_new = !is_useless && !told.contains(&format!("#{}", finding.id));
        is_new.then_some((like, finding, lesson))
    });
    // Of those that fit as well the first.
    let best = fits.reduce(|best, one| if one.0 > best.0 { one } else { best });
    Ok(best.map(|(like, finding, lesson)| (Some(finding.id), texts(finding, lesson, like))))
}

fn known_theorem(app: &mut App, name: &str) -> anyhow::Result<Option<String>> {
    /// Shorter names without an underscore are found anywhere.
    const TELLING: usize = 8;
    let last = lean::last_part(name);
    if !last.contains('_') && last.chars().count() < TELLING {
        return Ok(None);
    }
    let project = app.project_identity();
    let Some(store) = app.existing_store()? else { return Ok(None) };
    let found = store.theorems_named(last, project.as_deref())?;
    let found = found.into_iter().next().map(|one| {
        let how = if one.verified { "proved" } else { "claimed, not verified," };
        format!(
            "math-forge #{}: `{}` is {how} in {}.",
            one.id,
            clip(&clean(&one.name), EDIT_WIDTH),
            clip(&clean(&one.file), EDIT_WIDTH)
        )
    });
    Ok(found)
}

/// A lesson in words: with its edit, where that says more, without it, and short.
fn texts(finding: &Finding, lesson: &LessonDetail, like: f64) -> Vec<String> {
    let what = match lesson.pattern == Pattern::StillFailing.as_str() {
        true => "tried before, without success",
        false if like < 1.0 => "a similar error came up before",
        false => "this error came up before",
    };
    let what_worked = clean(&lesson.what_worked);
    let record = lesson.record();
    let about = if record.is_empty() { what.to_owned() } else { format!("{what}; {record}") };
    let sentence = |text: &str| format!("math-forge #{} ({about}): {text}", finding.id);
    let plain = sentence(&clip(&what_worked, 3 * EDIT_WIDTH));
    let mut texts = Vec::new();
    // A line of code without what hides from a reader; its indentation stays.
    let cleaned = |line| clean_block(line).replace(['\t', '\n'], " ");
    let edit: Vec<String> = edit_lines(&finding.content.description)
        .map(|line| format!("  {}", clip(&cleaned(line), EDIT_WIDTH)))
        .collect();
    let says_more = what_worked.contains('…') || edit.len() > 2;
    if says_more && edit.len() <= MOST_LINES {
        texts.push(format!("{plain}\n{}", edit.join("\n")));
    }
    texts.push(plain);
    texts.push(sentence(&clip(&what_worked, EDIT_WIDTH)));
    texts
}

/// Builds in a row after which an error counts as one that does not go away.
const BUILDS: u64 = 3;

const STAYS: &str = "stagnation";

fn staying(met: &Seen<'_>, place: &str, mut tried: Vec<String>) -> String {
    tried.truncate(MOST_TRIED);
    let place = clip(&clean(place), WIDTH);
    let mut line = format!(
        "math-forge: the same error in {BUILDS} builds now{}{place}: {}.",
        if place.is_empty() { "" } else { ", in " },
        clip(clean(&met.met.fault.says).trim_end_matches('.'), 2 * WIDTH)
    );
    if !tried.is_empty() {
        write!(line, " Tried already: {}.", tried.join("; ")).ok();
    }
    line
}

fn lesson(app: &mut App, id: i64) -> Option<LessonDetail> {
    app.existing_store().ok()??.finding(id).ok()??.content.lesson().cloned()
}

/// Whether the session made a lesson's change; of an error that is gone, since it was met last and without a gap.
fn is_tried(app: &mut App, event: &Event, shown: &Injection, is_gone: bool) -> bool {
    let Some(lesson) = shown.finding.and_then(|id| lesson(app, id)) else { return false };
    let is_its = |met: &Met<'_>| met.signature().to_string() == shown.why;
    let records = transcript_end::records(event);
    let mut acts: Vec<Act> =
        records.iter().rev().filter_map(|record| Learnt::from(record).act).collect();
    let met = acts.iter().position(|act| lessons::errors(act).iter().any(is_its));
    if is_gone {
        acts.truncate(met.unwrap_or(acts.len()));
    }
    acts.retain(|act| act.outcome == Outcome::Worked);
    let is_hidden = is_gone && acts.iter().any(|act| act.changes.iter().any(Change::evades));
    // The client writes its transcript late: the edit, or the error itself, may not stand there yet.
    let is_unseen = is_gone && (met.is_none() || acts.iter().all(|act| act.changes.is_empty()));
    !is_hidden && (is_unseen || acts.iter().any(|act| lessons::follows(act, &lesson.what_worked)))
}

const MOST_TRIED: usize = 3;
const WIDTH: usize = 60;

/// What is said once in a session, where it is about a goal.
const FIRST: &str = " Before another attempt: test the statement for falsity (`decide`, a small \
    case), or split it into lemmas.";

const LONGEST_FILE: u64 = 2 * 1024 * 1024;

fn edits(event: &Event, target: &str) -> Vec<String> {
    if target.is_empty() {
        return Vec::new();
    }
    let mut words: Vec<String> = Vec::new();
    for record in transcript_end::records(event).iter().rev() {
        let act = Learnt::from(record).act;
        let is_its = |act: &Act| {
            let mut targets = act.call.targets.iter();
            act.is_edit() && targets.any(|one| same_target(one, target))
        };
        let Some(act) = act.filter(is_its) else { continue };
        // A file that is written for the first time is no attempt.
        let is_new = |change: &&Change| act.call.tool == "Write" && change.line == 0;
        let changes = act.changes.iter().rev().filter(|change| !is_new(change));
        for change in changes.filter(|change| !change.is_empty()) {
            let one = clip(&clean(&change.in_words()), WIDTH);
            if !words.contains(&one) {
                words.push(one);
            }
        }
        if words.len() >= MOST_TRIED {
            break;
        }
    }
    words.truncate(MOST_TRIED);
    words.reverse();
    words
}
