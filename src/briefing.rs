//! `mk brief` and the start of a session: gathers the briefing from both databases and the queue
//! cache. A source that cannot be read becomes a line of the
//! text.

use jiff::{SignedDuration, Timestamp};

use crate::app::{App, NoStore, guard, tracked};
use crate::brief::{self, Item, Near, Queue, Situation};
use crate::model::QueueCache;
use crate::next;
use crate::queue::{self, SLOTS};
use crate::store::time_text;
use crate::text::plural;
use crate::tracking::{Submission, TrackingState};
use crate::ui::time::parse;
use crate::ui::{Exit, Out};

/// Print the briefing that a session gets when it starts
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk brief
  mk brief --budget 900     the same with more room")]
pub(crate) struct Args {
    /// Tokens at most, instead of the configured budget
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        crate::verify::state::refresh(app);
        let (situation, _) = situation(app);
        let report = brief::compose(&situation, self.budget.unwrap_or(app.config.brief_budget));
        if out.json {
            out.object(&report)?;
        } else if report.text.is_empty() {
            out.note(&format!("mk: nothing to say within {} tokens", report.budget));
        } else {
            out.print(&format!("{}\n", report.text))?;
        }
        Ok(Exit::Done)
    }
}

pub(crate) struct Opening {
    /// The same whatever started the session.
    pub text: String,
    /// Holds until then if nothing is written; `None` if something could not be read.
    pub until: Option<String>,
    /// Told to the person; none where nothing is known or the project is about something else.
    pub person: Option<String>,
}

/// `told` are titles of what is told beside it.
pub(crate) fn session_start(app: &mut App, told: &[&str]) -> Opening {
    let (mut situation, until) = situation(app);
    if let Some(knowledge) = &mut situation.knowledge {
        knowledge.dead_ends.retain(|(title, _)| !told.contains(&title.as_str()));
    }
    let until = until.filter(|_| situation.troubles.is_empty());
    let known = situation.knowledge.as_ref().map_or(0, |knowledge| knowledge.total);
    let lifted = guard::known::lifted(app);
    let guard = match lifted.as_slice() {
        _ if !app.config.guard_enabled => "off".to_owned(),
        [] => "on".to_owned(),
        rules => format!("on without {}", rules.join(", ")),
    };
    // What is switched off is told wherever it would count.
    let is_less = guard != "on" && app.project.is_lean;
    let person = if known > 0 && situation.at_home {
        Some(format!("{}, guard {guard}", plural(known, "finding")))
    } else {
        is_less.then(|| format!("guard {guard}"))
    };
    let text = brief::compose(&situation, app.config.brief_budget).text;
    Opening { text, until, person }
}

/// What is known of this moment, and until when that holds if nothing is written.
pub(crate) fn situation(app: &mut App) -> (Situation, Option<String>) {
    let mut troubles = Vec::new();
    let project = app.project_identity();
    let lately = time_text(days_ago(app.now, 14));
    let read = |app: &mut App| -> anyhow::Result<_> {
        let store = app.store()?;
        Ok((store.knowledge(project.as_deref(), &lately)?, store.queue()?))
    };
    let stored = match read(app) {
        Ok(stored) => Some(stored),
        // Switching the store off is no trouble.
        Err(error) if error.is::<NoStore>() => None,
        Err(error) => {
            app.log.line(app.now, "briefing", &format!("{error:#}"));
            troubles.push(format!("knowledge base: {error}"));
            None
        }
    };
    let (knowledge, cache) = stored.unzip();
    let cache = cache.flatten();
    let tracking = tracked::read(app).unwrap_or_else(|error| {
        troubles.push(format!("tracking database: {error}"));
        None
    });
    let tracking = tracking.map(|state| without_answered(app, state));
    if !app.config.problems.is_empty() {
        troubles.push("the configuration has errors: `mk doctor` lists them".to_owned());
    }
    let near_miss = tracking
        .as_ref()
        .and_then(|state| {
            // Not what a slot that was sent since asks for.
            queue::near_misses(app, state)
                .find(|near| near.refuted.is_none() && near.asked.is_empty())
        })
        .map(|near| {
            let place = near.gaps.first().filter(|_| near.gaps.len() == 1).cloned();
            let proved_by = place.as_ref().and(near.closed.first()).map(|gap| gap.slot);
            Near { item: item(&near.near), gaps: near.sorry().unsigned_abs(), place, proved_by }
        });
    let why = |why: &str| why.split(';').next().unwrap_or_default().to_owned();
    let gap = next::kept(app).map(|gap| (gap.name, why(&gap.why)));
    let recent = tracking.as_ref().map(|state| recent_proofs(app, state)).unwrap_or_default();
    let fresh = cache.as_ref().filter(|cache| queue::is_fresh(cache, app.now));
    let aging = [
        cache.as_ref().map(|cache| cache.cached_at.as_str()),
        tracking.as_ref().and_then(|state| state.last_submitted.as_deref()),
    ];
    let steps = aging.into_iter().flatten().filter_map(|then| next_step(app.now, parse(then)?));
    let until = steps
        .chain([days_ago(app.now, -1)])
        .map(time_text)
        .chain(tracking.as_ref().and_then(|state| state.changes_at.clone()))
        .min();
    let at_home = app.project.is_lean
        || !app.is_in_project()
        || tracking.is_some()
        || cache.is_some()
        || knowledge.as_ref().is_some_and(|knowledge| knowledge.here);
    let situation = Situation {
        queue: fresh.map(from_cache).or_else(|| tracking.as_ref().map(from_tracking)),
        recent,
        near_miss: fresh.and_then(near_of_cache).or(near_miss),
        gap,
        knowledge,
        stale: stale(app.now, cache.as_ref(), fresh.is_some(), tracking.as_ref()),
        troubles,
        at_home,
    };
    (situation, until)
}

fn from_cache(cache: &QueueCache) -> Queue {
    let slot = |slot: &i64| Item { label: format!("slot{slot}"), ..Item::default() };
    Queue {
        in_flight: cache.in_flight.max(0).unsigned_abs(),
        open: queue::slots_open(cache).unsigned_abs(),
        ready: cache.ready_to_fetch.iter().map(slot).collect(),
        ..Queue::default()
    }
}

fn from_tracking(state: &TrackingState) -> Queue {
    let in_flight = state.running.len() as u64;
    let with_id = state.running.iter().filter(|one| one.uuid.is_some()).count() as u64;
    Queue {
        in_flight,
        // Where none has an id, nobody keeps them.
        without_id: if with_id == 0 { 0 } else { in_flight - with_id },
        problems: state.problems_in_flight(),
        open: SLOTS.unsigned_abs().saturating_sub(in_flight),
        ready: state.ready.iter().map(item).collect(),
    }
}

fn item(submission: &Submission) -> Item {
    Item {
        label: submission.label.clone(),
        problem: submission.problem.clone(),
        proven: submission.proven.unwrap_or_default().max(0).unsigned_abs(),
    }
}

fn near_of_cache(cache: &QueueCache) -> Option<Near> {
    let near = cache.top_near_miss.as_ref()?;
    let named = Some(near.problem.clone()).filter(|problem| !problem.trim().is_empty());
    let (label, problem) = match near.slot {
        Some(slot) => (format!("slot{slot}"), named),
        None => (named?, None),
    };
    Some(Near {
        item: Item { label, problem, proven: 0 },
        gaps: near.sorry_count.max(0).unsigned_abs(),
        place: near.sorry_location.clone(),
        proved_by: None,
    })
}

/// A result whose file was read was fetched, whether or not anybody verified it.
pub(crate) fn without_answered(app: &mut App, mut state: TrackingState) -> TrackingState {
    let project = app.project_identity();
    if let Some(store) = app.existing_store().ok().flatten().filter(|_| !state.ready.is_empty()) {
        let is_read = |one: &Submission| {
            store.is_answered(one.uuid.as_deref(), one.slot, project.as_deref()).unwrap_or(false)
        };
        state.ready.retain(|one| !is_read(one));
    }
    state
}

/// Unless the answer failed to load, or proves only trivialities.
fn recent_proofs(app: &mut App, state: &TrackingState) -> Vec<Item> {
    let slots: Vec<i64> = state.recent_proven.iter().filter_map(|proof| proof.slot).collect();
    let project = app.project_identity();
    let store = app.existing_store().ok().flatten().filter(|_| !slots.is_empty());
    // Of an unread slot the database's word is all there is.
    let without =
        store.and_then(|store| store.slots_without_proof(&slots, project.as_deref()).ok());
    let without = without.unwrap_or_default();
    let is_one = |proof: &&Submission| proof.slot.is_none_or(|slot| !without.contains_key(&slot));
    state.recent_proven.iter().filter(is_one).map(item).collect()
}

/// Ages in steps, so that the text stays equal for a while.
fn stale(
    now: Timestamp,
    cache: Option<&QueueCache>,
    fresh: bool,
    tracking: Option<&TrackingState>,
) -> Vec<String> {
    let mut notes = Vec::new();
    match (cache, tracking) {
        (Some(cache), _) if !fresh => {
            let age = parse(&cache.cached_at).and_then(|then| over(now.duration_since(then)));
            let age = age.map_or_else(|| "of unknown age".to_owned(), |age| format!("{age} old"));
            notes.push(format!("queue cache {age}, not used (`mk queue set` renews it)"));
        }
        (None, Some(_)) => {
            notes
                .push("no queue cache (`mk queue set`), slots counted from tracking.db".to_owned());
        }
        _ => {}
    }
    let submitted = tracking
        .and_then(|state| parse(state.last_submitted.as_deref()?))
        .and_then(|then| over(now.duration_since(then)));
    if let Some(age) = submitted {
        notes.push(format!("last submission {age} ago, tracking.db may be stale"));
    }
    notes
}

/// Hours, and how a greater age is told.
const STEPS: [(i64, &str); 6] = [
    (365 * 24, "over a year"),
    (30 * 24, "over a month"),
    (7 * 24, "over a week"),
    (2 * 24, "over 2 days"),
    (24, "over a day"),
    (6, "over 6 h"),
];

fn over(age: SignedDuration) -> Option<&'static str> {
    let passed = |(hours, _): &&(i64, &str)| age > SignedDuration::from_hours(*hours);
    STEPS.iter().find(passed).map(|(_, words)| *words)
}

fn next_step(now: Timestamp, then: Timestamp) -> Option<Timestamp> {
    let at = STEPS.iter().filter_map(|(hours, _)| {
        then.checked_add(SignedDuration::from_hours(*hours)).ok().filter(|at| *at >= now)
    });
    at.min().and_then(|at| at.checked_add(SignedDuration::from_secs(1)).ok())
}

/// In UTC.
pub(crate) fn days_ago(now: Timestamp, days: i64) -> Timestamp {
    const DAY: i64 = 24 * 60 * 60;
    let day = now.as_second().div_euclid(DAY) - days;
    Timestamp::from_second(day * DAY).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_in_steps() {
        for (hours, expected) in [
            (0, None),
            (6, None),
            (7, Some("over 6 h")),
            (25, Some("over a day")),
            (100, Some("over 2 days")),
            (24 * 8, Some("over a week")),
            (24 * 400, Some("over a year")),
            (-100, None),
        ] {
            assert_eq!(over(SignedDuration::from_hours(hours)), expected, "{hours} h");
        }
    }
}
