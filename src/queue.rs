//! `mk queue`: the prover's queue, as a status command last saw it (it writes JSON), and as the tracking
//! database has it.

use std::collections::HashSet;
use std::io::{IsTerminal as _, Read as _};

use anyhow::{Context as _, anyhow, ensure};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::app::guard::permission::Does;
use crate::app::{App, tracked};
use crate::briefing::without_answered;
use crate::lean::last_part;
use crate::model::{NearMiss, QueueCache};
use crate::store::{OpenGap, SameElsewhere, time_text};
use crate::text::{clean, plural};
use crate::tracking::{Submission, TrackingState};
use crate::ui::layout::{Column, Page};
use crate::ui::theme::{Tone, paint};
use crate::ui::time::{self, ago, iso};
use crate::ui::{Exit, Out, UsageError};

const MOST_BYTES: u64 = 16 << 20;

/// Show what is in flight, what is ready, and what is nearly proved
///
/// First what a status command last stored with `mk queue set`, then what tracking.db says.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Store the queue from JSON on stdin
    #[command(after_help = "\
Fields, all optional: in_flight, slots_open, ready_to_fetch (slot numbers), recently_completed,
top_near_miss {slot, problem, sorry_count, sorry_location}, cached_at (UTC; now where absent).
  echo '{\"in_flight\": 3, \"ready_to_fetch\": [614]}' | mk queue set")]
    Set,
}

impl Args {
    pub(crate) fn does(self) -> Does {
        match self.action {
            None => Does::Reads,
            Some(Action::Set) => Does::Writes,
        }
    }

    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if let Some(Action::Set) = self.action {
            set(app, &read_stdin()?)?;
        }
        let report = show(app)?;
        out.answer(&report, |width| queue(&report, width, app.now))
    }
}

fn read_stdin() -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let error = "`mk queue set` reads JSON on stdin: pipe it in (see `mk queue set --help`)";
        return Err(UsageError(error.to_owned()).into());
    }
    let mut bytes = Vec::new();
    stdin.lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(
        bytes.len() as u64 <= MOST_BYTES,
        "more than 16 MB on stdin: that is not a queue"
    );
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

const COLUMNS: [Column; 2] = [Column::text("", 0), Column::text("", 20)];

fn queue(report: &QueueReport, width: usize, now: Timestamp) -> String {
    let mut page = Page::new(width);
    if let Some(queue) = &report.queue {
        cache(&mut page, queue, now);
        if !report.fresh {
            page.hint("Over 6 hours old: the briefing does not use it. `mk queue set` renews it.");
        }
    } else if report.tracking.is_none() {
        page.line(1, "No queue cache.");
        page.hint("A status command writes it: JSON to `mk queue set`, for example");
        page.hint(r#"{"in_flight": 3, "slots_open": 2, "ready_to_fetch": [614]}"#);
    }
    if let Some(state) = &report.tracking {
        if report.queue.is_some() {
            page.blank();
        }
        tracking(&mut page, state, now);
    }
    if let Some(trouble) = &report.trouble {
        page.hint(&format!("Not looked at: {trouble}"));
    }
    page.into_text()
}

fn cache(page: &mut Page, queue: &QueueCache, now: Timestamp) {
    let seen = format!("as seen {} ({})", ago(&queue.cached_at, now), iso(&queue.cached_at));
    page.line(1, &format!("{} {seen}", paint(Tone::Heading, "Queue")));
    page.rule();
    let ready: Vec<_> = queue.ready_to_fetch.iter().map(|slot| format!("slot{slot}")).collect();
    let mut rows = vec![
        row("In flight", queue.in_flight.to_string()),
        row("Slots open", queue.slots_open.unwrap_or_default().to_string()),
        row("Ready to fetch", if ready.is_empty() { "none".to_owned() } else { ready.join(", ") }),
    ];
    rows.extend(queue.top_near_miss.as_ref().map(|near| row("Top near-miss", near_miss(near))));
    if !queue.recently_completed.is_empty() {
        rows.push(row("Completed lately", queue.recently_completed.len().to_string()));
    }
    page.table(1, &COLUMNS, rows);
}

const TOLD: usize = 10;

fn tracking(page: &mut Page, state: &TrackingQueue, now: Timestamp) {
    let since = state.last_submitted.as_deref().map(|at| ago(at, now));
    let since = since.map(|age| format!(", last submission {age}")).unwrap_or_default();
    page.line(1, &format!("{}{since}", paint(Tone::Heading, "tracking.db")));
    page.rule();
    let has_ids = state.running.iter().any(|one| one.uuid.is_some());
    let line = |label: &str, problem: &Option<String>, text: String| {
        vec![label.to_owned(), problem.clone().unwrap_or_default(), text]
    };
    let running = state.running.iter().map(|one| {
        let at = one.submitted_at.as_deref().map(|at| {
            let is_late = time::parse(at).is_some_and(|then| now.duration_since(then) > LATE);
            let late = if is_late { ", overdue: ask the prover" } else { "" };
            format!("submitted {}{late}", ago(at, now))
        });
        let nameless =
            (has_ids && one.uuid.is_none()).then(|| "without the prover's id".to_owned());
        let text = at.into_iter().chain(nameless).collect::<Vec<_>>().join(", ");
        line(&one.label, &one.problem, text)
    });
    part(page, "IN FLIGHT", state.running.len(), running);
    let done = |one: &Submission| {
        let at = one.completed_at.as_deref().map(|at| format!("completed {}", ago(at, now)));
        line(&one.label, &one.problem, at.unwrap_or_default())
    };
    part(page, "READY TO FETCH", state.ready.len(), state.ready.iter().map(done));
    let near = |one: &OpenNearMiss| {
        let OpenNearMiss { near, .. } = one;
        let (sorry, proved) = (one.sorry(), near.proven.unwrap_or_default());
        let text = match (one.falsity(), one.open().as_str()) {
            (Some(said), _) => said,
            (None, "") => format!("{}; {proved} proved", plural(sorry, "gap")),
            (None, gaps) => format!("open: {gaps}; {proved} proved"),
        };
        let problem = near.problem.as_deref().map(|problem| format!(" ({problem})"));
        format!("{}{}: {text}", near.label, problem.unwrap_or_default())
    };
    let nearest = |page: &mut Page, title: &str, all: &[OpenNearMiss]| {
        page.heading(title, Some(all.len()));
        for one in all.iter().take(TOLD) {
            page.paragraph(2, &clean(&near(one)));
        }
        more(page, all.len().saturating_sub(TOLD));
    };
    nearest(page, "WORTH CLOSING, the nearest", &state.worth_closing);
    if !state.not_worth_closing.is_empty() {
        let title = "NOT WORTH CLOSING: the open statement is on record as false";
        nearest(page, title, &state.not_worth_closing);
    }
    let unchecked = &state.unchecked;
    if !unchecked.is_empty() {
        const NEWEST: usize = 3;
        page.heading(
            "NOT CHECKED: completed earlier, neither verified nor rejected",
            Some(unchecked.len()),
        );
        table(page, unchecked.iter().take(NEWEST).map(done));
        more(page, unchecked.len().saturating_sub(NEWEST));
    }
}

fn part(page: &mut Page, title: &str, count: usize, lines: impl Iterator<Item = Vec<String>>) {
    page.heading(title, Some(count));
    table(page, lines.take(TOLD));
    more(page, count.saturating_sub(TOLD));
}

fn table(page: &mut Page, lines: impl Iterator<Item = Vec<String>>) {
    let columns = [Column::text("", 12), Column::text("", 12), Column::text("", 12)];
    page.table(2, &columns, lines);
}

fn more(page: &mut Page, more: usize) {
    if more > 0 {
        page.hint(&format!("  and {more} more: `--json` has all"));
    }
}

fn row(label: &str, value: String) -> Vec<String> {
    vec![label.to_owned(), value]
}

fn near_miss(near: &NearMiss) -> String {
    let slot = near.slot.map(|slot| format!("slot{slot}"));
    let place = near.sorry_location.as_ref().map(|place| format!("in {place}"));
    let parts =
        [slot, Some(near.problem.clone()), Some(format!("{} sorry", near.sorry_count)), place];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// How long a cache counts as fresh.
pub(crate) const FRESH: SignedDuration = SignedDuration::from_hours(6);
/// No prover works longer.
const LATE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Slots of the prover where nobody says otherwise.
pub(crate) const SLOTS: i64 = 5;
/// A clock may be ahead of ours by this much.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(10);
/// No queue is longer; a larger number is a mistake.
const MOST: i64 = 1_000_000;
const FIELDS: [&str; 6] = [
    "in_flight",
    "slots_open",
    "ready_to_fetch",
    "recently_completed",
    "top_near_miss",
    "cached_at",
];

#[derive(Debug, Serialize)]
pub(crate) struct QueueReport {
    pub queue: Option<QueueCache>,
    pub fresh: bool,
    pub tracking: Option<TrackingQueue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct TrackingQueue {
    pub running: Vec<Submission>,
    pub ready: Vec<Submission>,
    /// Completed earlier, and not looked at either, newest first.
    pub unchecked: Vec<Submission>,
    /// The near misses whose gaps are not known to be false, the best first.
    pub worth_closing: Vec<OpenNearMiss>,
    /// Those that try what is known to be false.
    pub not_worth_closing: Vec<OpenNearMiss>,
    pub last_submitted: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OpenNearMiss {
    #[serde(flatten)]
    pub near: Submission,
    pub gaps: Vec<String>,
    /// Those that another slot proves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<SameElsewhere>,
    /// Those that another slot asks for, on which the prover works or whose answer waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<SameElsewhere>,
    /// What of it is known to be false, here or to the owner: then it is not worth closing.
    pub refuted: Option<String>,
}

impl OpenNearMiss {
    pub(crate) fn sorry(&self) -> i64 {
        counted(&self.near)
    }

    /// `rim_bound, hub_bound (proved by slot45)`
    pub(crate) fn open(&self) -> String {
        let of = |all: &[SameElsewhere], gap: &String| {
            all.iter().find(|one| one.name == *gap).map(SameElsewhere::place)
        };
        let told = |gap: &String| match (of(&self.closed, gap), of(&self.asked, gap)) {
            (Some(place), _) => format!("{gap} (proved by {place})"),
            (None, Some(place)) => format!("{gap} (asked for by {place} too)"),
            (None, None) => gap.clone(),
        };
        self.gaps.iter().map(told).collect::<Vec<_>>().join(", ")
    }

    /// `rim_bound is on record as false`, with the name of the lemma where that is another.
    fn falsity(&self) -> Option<String> {
        let lemma = self.refuted.as_deref()?;
        let is_named = self.gaps.is_empty() || self.gaps.iter().any(|gap| gap == last_part(lemma));
        Some(if is_named {
            format!("`{}` is on record as false", last_part(lemma))
        } else {
            format!("`{}` is on record as false: `{lemma}`", self.gaps.join("`, `"))
        })
    }

    /// `slot256, 18 proved, open: rim_bound`
    pub(crate) fn told(&self) -> String {
        let Self { near, .. } = self;
        let proved = near.proven.map(|count| format!("{count} proved"));
        let open = match (self.falsity(), self.open().as_str()) {
            (Some(said), _) => format!("but {said}"),
            (None, "") => plural(self.sorry(), "gap"),
            (None, gaps) => format!("open: {gaps}"),
        };
        let parts = [Some(near.label.clone()), proved, Some(open)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The gaps that its row counts: a near miss has one at least.
fn counted(near: &Submission) -> i64 {
    near.sorry.unwrap_or(1).max(1)
}

/// The near misses, the closest first; each is looked up when it is asked for.
pub(crate) fn near_misses<'t>(
    app: &'t mut App,
    state: &'t TrackingState,
) -> impl Iterator<Item = OpenNearMiss> + 't {
    let project = app.project_identity();
    let listed = if state.near_misses.is_empty() { None } else { tracked::false_lemmas(app).ok() };
    let names = listed.into_iter().flatten().filter_map(|lemma| lemma.theorem_name);
    let listed: HashSet<String> = names.map(|name| last_part(&name).to_owned()).collect();
    let store = app.existing_store().ok().flatten();
    state.near_misses.iter().filter_map(move |near| {
        if let Some(target) = near.false_targets.first() {
            let refuted = Some(target.clone());
            let (gaps, closed, asked) = Default::default();
            return Some(OpenNearMiss { near: near.clone(), gaps, closed, asked, refuted });
        }
        let problem = near.problem.as_deref().and_then(|id| store.as_ref()?.problem(id).ok()?);
        if problem.is_some_and(|problem| problem.is_settled()) {
            return None;
        }
        let (project, store) = (project.as_deref(), store.as_ref());
        let gaps = store
            .and_then(|store| store.gaps_of(project, near.uuid.as_deref(), near.slot).ok())
            .unwrap_or_default();
        let closed = || store?.closed_gaps(project, near.slot?).ok();
        let mut closed = if gaps.is_empty() { None } else { closed() }.unwrap_or_default();
        closed.retain(|one| gaps.iter().any(|gap| gap.name == one.name));
        let proof = |gap: &OpenGap| closed.iter().find(|one| one.name == gap.name);
        let is_closed = |gap: &OpenGap| proof(gap).is_some_and(|one| Some(one.slot) == near.slot);
        if !gaps.is_empty() && gaps.iter().all(is_closed) {
            return None;
        }
        // Its row may count what was closed since.
        let is_whole = || {
            let whole = store?.is_proved_whole(near.uuid.as_deref(), near.slot, project);
            whole.ok()
        };
        if gaps.is_empty() && is_whole() == Some(true) {
            return None;
        }
        // More is open than its row counts: nothing is nearly done.
        if i64::try_from(gaps.len()).is_ok_and(|open| open > counted(near)) {
            return None;
        }
        // What it was sent for is proved since.
        let is_proved = || store?.is_main_proved(project, near.slot?).ok();
        if is_proved() == Some(true) {
            return None;
        }
        let elsewhere = || store?.open_elsewhere(project, near.slot?).ok();
        let mut asked = if gaps.is_empty() { None } else { elsewhere() }.unwrap_or_default();
        if asked.iter().any(|one| state.given_up.contains(&one.slot)) {
            return None;
        }
        let is_sent =
            |slot| state.running.iter().chain(&state.ready).any(|one| one.slot == Some(slot));
        asked.retain(|one| is_sent(one.slot));
        let is_false = |gap: &OpenGap| {
            let is_listed = listed.contains(&gap.name);
            gap.refuted.clone().or_else(|| is_listed.then(|| gap.name.clone()))
        };
        let open = gaps.iter().find_map(is_false);
        // An answer that refutes its only gap leaves nothing open, and nothing to close.
        let in_answer = || store?.refuted_by(project, near.uuid.as_deref()?).ok()?;
        let refuted = if gaps.is_empty() { in_answer() } else { open };
        let gaps = gaps.into_iter().map(|gap| gap.name).collect();
        Some(OpenNearMiss { near: near.clone(), gaps, closed, asked, refuted })
    })
}

pub(crate) fn show(app: &mut App) -> anyhow::Result<QueueReport> {
    let now = app.now;
    let queue = app.store()?.queue()?.map(|mut queue| {
        queue.slots_open = Some(slots_open(&queue).max(0));
        queue
    });
    let fresh = queue.as_ref().is_some_and(|queue| is_fresh(queue, now));
    let (tracking, trouble) = match app.tracking() {
        Ok(tracking) => (tracking, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let tracking = tracking.map(|tracking| {
        let state = without_answered(app, tracking.state(now));
        let mut unchecked = tracking.unchecked();
        let (not_worth_closing, worth_closing): (Vec<_>, Vec<_>) =
            near_misses(app, &state).partition(|near| near.refuted.is_some());
        let TrackingState { running, ready, last_submitted, .. } = state;
        unchecked.retain(|one| {
            !ready.iter().any(|new| (&new.uuid, &new.filename) == (&one.uuid, &one.filename))
        });
        TrackingQueue {
            running,
            ready,
            unchecked,
            worth_closing,
            not_worth_closing,
            last_submitted,
        }
    });
    Ok(QueueReport { queue, fresh, tracking, trouble })
}

pub(crate) fn set(app: &mut App, json: &str) -> anyhow::Result<()> {
    let cache = parse(json, app.now)?;
    app.write(|writer| writer.set_queue(&cache))
}

pub(crate) fn slots_open(queue: &QueueCache) -> i64 {
    queue.slots_open.unwrap_or_else(|| SLOTS.saturating_sub(queue.in_flight)).max(0)
}

/// Whether a cache is younger than [`FRESH`]. One from the future is not: its clock was wrong.
pub(crate) fn is_fresh(queue: &QueueCache, now: Timestamp) -> bool {
    time::parse(&queue.cached_at).is_some_and(|then| {
        let age = now.duration_since(then);
        age <= FRESH && age >= -CLOCK_SKEW
    })
}

/// Reads the JSON of a status command; what it has besides is passed over. `null` counts as absent.
fn parse(json: &str, now: Timestamp) -> anyhow::Result<QueueCache> {
    let mut fields: Map<String, Value> = serde_json::from_str(json.trim_start_matches('\u{feff}'))
        .map_err(|error| anyhow!("no JSON object on stdin: {error}"))?;
    fields.retain(|name, value| FIELDS.contains(&name.as_str()) && !value.is_null());
    ensure!(!fields.is_empty(), "nothing to store: give one of {}", FIELDS.join(", "));
    if let Some(Value::Object(near)) = fields.get_mut("top_near_miss") {
        near.retain(|_, value| !value.is_null());
        near.entry("sorry_count").or_insert_with(|| 1.into());
    }
    for (name, value) in &mut fields {
        let values = match (name.as_str(), value) {
            ("ready_to_fetch", Value::Array(slots)) => slots.as_mut_slice(),
            ("in_flight" | "slots_open", value) => std::slice::from_mut(value),
            _ => continue,
        };
        for value in values {
            *value = number(value).map_or_else(|| value.take(), Value::from);
        }
    }
    let are_slots =
        |value: &Value| value.as_array().is_some_and(|slots| slots.iter().all(Value::is_i64));
    ensure!(
        fields.get("ready_to_fetch").is_none_or(are_slots),
        "`ready_to_fetch` must be a list of slot numbers"
    );
    for (name, value) in &fields {
        let one = Map::from_iter([(name.clone(), value.clone())]);
        serde_json::from_value::<QueueCache>(one.into())
            .map_err(|error| anyhow!("`{name}`: {error}"))?;
    }
    let mut cache: QueueCache = serde_json::from_value(fields.into())?;
    let mut seen = HashSet::new();
    cache.ready_to_fetch.retain(|slot| seen.insert(*slot));
    ensure!((0..=MOST).contains(&cache.in_flight), "`in_flight` is not a number of submissions");
    let then = match cache.cached_at.trim() {
        "" => now,
        at => time::parse(at).filter(|then| then.duration_since(now) <= CLOCK_SKEW).context(
            "`cached_at` must be a time such as 2026-01-31 12:00:00 (UTC), not in the future",
        )?,
    };
    cache.cached_at = time_text(then);
    Ok(cache)
}

/// A number, also as text, as `slot12`, or in an object `{"slot": 12}`.
fn number(value: &Value) -> Option<i64> {
    let value = value.get("slot").unwrap_or(value);
    value.as_i64().or_else(|| {
        let text = value.as_str()?.trim().to_ascii_lowercase();
        text.trim_start_matches("slot").trim_start_matches([' ', '_', '-', '#']).parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    fn now() -> Timestamp {
        "2026-02-01T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn what_a_status_command_may_write() {
        let cache = parse(
            r#"{"in_flight": "3", "slots_open": null, "ready_to_fetch": [12, "slot14", {"slot": 15}, 12],
                "recently_completed": null, "top_near_miss": {"slot": 9, "problem": "erdos_364", "sorry_location": null},
                "raw_json": {"x": 1}, "comment": "x"}"#,
            now(),
        )
        .unwrap();
        assert_eq!(cache.cached_at, "2026-02-01 12:00:00");
        assert_eq!((cache.in_flight, cache.slots_open), (3, None));
        assert_eq!(cache.ready_to_fetch, [12, 14, 15]);
        assert_eq!(cache.top_near_miss.unwrap().sorry_count, 1);
    }

    #[test]
    fn mistakes_name_the_field() {
        for (json, expected) in [
            ("", "no JSON object on stdin: EOF while parsing"),
            ("{\"in_flight\": 3", "no JSON object on stdin: EOF while parsing"),
            ("[1]", "no JSON object on stdin: invalid type: sequence"),
            ("{}", "nothing to store: give one of in_flight, slots_open"),
            (r#"{"in_flight": null}"#, "nothing to store"),
            (r#"{"in_flight": -1}"#, "`in_flight` is not a number of submissions"),
            (r#"{"in_flight": 1.5}"#, "`in_flight`: invalid type: floating point `1.5`"),
            (r#"{"in_flight": "many"}"#, "`in_flight`: invalid type: string \"many\""),
            (r#"{"slots_open": [1]}"#, "`slots_open`: invalid type: sequence"),
            (r#"{"ready_to_fetch": 12}"#, "`ready_to_fetch` must be a list of slot numbers"),
            (r#"{"ready_to_fetch": [1, "x"]}"#, "`ready_to_fetch` must be a list of slot numbers"),
            (r#"{"recently_completed": "all"}"#, "`recently_completed`: invalid type"),
            (r#"{"top_near_miss": {"slot": "x"}}"#, "`top_near_miss`: invalid type: string \"x\""),
            (r#"{"in_flight":1,"cached_at": "noon"}"#, "`cached_at` must be a time such as"),
            (r#"{"in_flight":1,"cached_at": "2027-01-01"}"#, "`cached_at` must be a time such as"),
        ] {
            let error = parse(json, now()).expect_err(json).to_string();
            assert!(error.starts_with(expected), "{json}: {error}");
        }
    }

    #[test]
    fn freshness_ends_after_six_hours_and_the_future_is_not_fresh() {
        for (cached_at, expected) in [
            ("2026-02-01 12:00:00", true),
            ("2026-02-01T06:00:00Z", true),
            ("2026-02-01 05:59:59", false),
            ("2026-02-01 12:05:00", true),
            ("2026-02-01 14:00:00", false),
            ("", false),
        ] {
            let cache = QueueCache { cached_at: cached_at.to_owned(), ..QueueCache::default() };
            assert_eq!(is_fresh(&cache, now()), expected, "{cached_at}");
        }
    }

    #[test]
    fn open_slots_are_never_below_zero() {
        for (in_flight, stated, expected) in
            [(0, None, 5), (3, None, 2), (9, None, 0), (3, Some(1), 1), (3, Some(-4), 0)]
        {
            let cache = QueueCache { in_flight, slots_open: stated, ..QueueCache::default() };
            assert_eq!(slots_open(&cache), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_cache_or_a_sentence(json in ".{0,60}") {
            let result = parse(&json, now());
            prop_assert!(result.is_ok() || !result.unwrap_err().to_string().is_empty());
        }
    }
}
