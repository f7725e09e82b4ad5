//! The queue of background work on a real file: any order of events against a simple model, and two hundred
//! processes at once, some of which die in the middle of a job.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use math_forge::files;
use math_forge::model::JobKind;
use math_forge::store::{
    AfterFailure, Enqueued, JobFilter, JobRecord, LONGEST_WAIT, MOST_ATTEMPTS, NewJob, Store,
    wait_after,
};
use proptest::prelude::*;

fn at(seconds: i64) -> Timestamp {
    let base: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
    base + SignedDuration::from_secs(seconds)
}

/// An empty database.
fn empty() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("k.db"), at(0)).unwrap();
    (folder, store)
}

fn new<'a>(key: &'a str, version: Option<&'a str>) -> NewJob<'a> {
    let kind = JobKind::Lesson;
    NewJob { kind, key, version, payload: "{}", session: None, finding: None }
}

fn put(store: &mut Store, now: i64, key: &str, version: Option<&str>) -> Enqueued {
    store.write(at(now), |writer| writer.enqueue(&new(key, version))).unwrap()
}

fn claim(store: &mut Store, now: i64) -> Option<JobRecord> {
    store.write(at(now), |writer| writer.claim_job(JobKind::ALL)).unwrap()
}

fn complete(store: &mut Store, now: i64, id: i64, outcome: &str) -> bool {
    store.write(at(now), |writer| writer.complete_job(id, outcome)).unwrap()
}

fn fail(store: &mut Store, now: i64, id: i64, reason: &str, may_pass: bool) -> AfterFailure {
    store.write(at(now), |writer| writer.fail_job(id, reason, may_pass)).unwrap()
}

fn recover(store: &mut Store, now: i64) -> u64 {
    let mut count = 0;
    let recovered = store.write(at(now), |writer| {
        count = writer.recover_jobs()?;
        Ok(())
    });
    recovered.unwrap();
    count
}

fn all(store: &Store) -> Vec<JobRecord> {
    let (mut jobs, total) =
        store.jobs(JobFilter { limit: 10_000, ..JobFilter::default() }).unwrap();
    assert_eq!(jobs.len() as u64, total);
    jobs.sort_by_key(|job| job.id);
    jobs
}

fn states(store: &Store) -> Vec<String> {
    all(store).into_iter().map(|job| job.state).collect()
}

#[test]
fn the_same_work_is_queued_once() {
    let (_folder, mut store) = empty();
    assert_eq!(put(&mut store, 0, "a", Some("1")), Enqueued::New(1));
    assert_eq!(put(&mut store, 0, "a", Some("1")), Enqueued::Open(1));
    assert_eq!(put(&mut store, 0, "a", Some("2")), Enqueued::Open(1), "it does the newest");
    assert_eq!(put(&mut store, 0, "b", None), Enqueued::New(2));
    assert_eq!(put(&mut store, 0, "b", None), Enqueued::Open(2));
    let job = claim(&mut store, 1).unwrap();
    assert_eq!((job.id, job.key.as_str()), (1, "a"));
    // The same version is being done; a newer one is done after it.
    assert_eq!(put(&mut store, 1, "a", Some("2")), Enqueued::Open(1));
    assert!(complete(&mut store, 1, job.id, "one"));
    assert_eq!(states(&store), ["done", "waiting"]);
    assert_eq!(put(&mut store, 2, "a", Some("2")), Enqueued::Known(1), "it was done");
    assert_eq!(put(&mut store, 2, "a", Some("3")), Enqueued::New(3));
    let job = claim(&mut store, 3).unwrap();
    assert_eq!(job.key, "b");
    assert_eq!(put(&mut store, 3, "b", None), Enqueued::Open(2));
    assert!(complete(&mut store, 4, job.id, "two"));
    assert_eq!(all(&store)[1].state, "waiting", "more came in while it was done");
    let large = "x".repeat(70_000);
    let refused = NewJob { payload: &large, ..new("c", None) };
    assert!(store.write(at(4), |writer| writer.enqueue(&refused)).is_err());
}

#[test]
fn failures_are_retried_later_and_at_last_given_up() {
    let (_folder, mut store) = empty();
    put(&mut store, 0, "a", Some("1"));
    let mut now = 0;
    for attempt in 1..=MOST_ATTEMPTS {
        let job = claim(&mut store, now).unwrap();
        let after = fail(&mut store, now, job.id, "timed out: token=abcdefgh12345678", true);
        let is_last = attempt == MOST_ATTEMPTS;
        let expected = if is_last { AfterFailure::GivenUp } else { AfterFailure::Retried };
        assert_eq!(after, expected);
        assert_eq!(claim(&mut store, now + 119), None, "not at once");
        now += wait_after(attempt, 1).as_secs();
    }
    let job = &all(&store)[0];
    assert_eq!((job.state.as_str(), job.attempts), ("dead", MOST_ATTEMPTS));
    assert_eq!(job.outcome.as_deref(), Some("timed out: token=[secret removed]"));
    assert_eq!(claim(&mut store, now + 1_000_000), None);
    assert_eq!(put(&mut store, now, "a", Some("1")), Enqueued::Known(1), "given up is given up");
    // A person tries it again, and it fails for a reason that does not pass.
    assert!(store.write(at(now), |writer| writer.retry_job(1)).unwrap());
    let job = claim(&mut store, now).unwrap();
    assert_eq!(fail(&mut store, now, job.id, "no", false), AfterFailure::GivenUp);
    // The same work is open under another number: both at once is refused.
    assert_eq!(put(&mut store, now, "a", Some("2")), Enqueued::New(2));
    assert!(!store.write(at(now), |writer| writer.retry_job(1)).unwrap());
}

#[test]
fn what_was_dropped_while_it_ran_is_not_noted() {
    let (_folder, mut store) = empty();
    put(&mut store, 0, "a", None);
    let job = claim(&mut store, 0).unwrap();
    assert!(!store.write(at(0), |writer| writer.retry_job(job.id)).unwrap(), "it runs");
    assert!(store.write(at(0), |writer| writer.drop_job(job.id)).unwrap());
    assert!(!complete(&mut store, 0, job.id, "late"));
    assert_eq!(fail(&mut store, 0, job.id, "late", true), AfterFailure::Lost);
    assert!(!store.write(at(0), |writer| writer.release_job(job.id, None)).unwrap());
    assert!(
        !store.write(at(0), |writer| writer.save_step(job.id, None, Some("one"), "{}")).unwrap()
    );
}

#[test]
fn a_job_goes_on_after_the_step_that_was_saved_last() {
    let (_folder, mut store) = empty();
    put(&mut store, 0, "a", None);
    let job = claim(&mut store, 0).unwrap();
    let mut step = |from, to, payload: &str| {
        store.write(at(0), |writer| writer.save_step(job.id, from, to, payload)).unwrap()
    };
    assert!(step(None, Some("fetched"), "[1]"));
    assert!(!step(None, Some("fetched"), "[2]"), "it is further than that");
    assert!(step(Some("fetched"), Some("asked"), "[3]"));
    assert_eq!(recover(&mut store, 0), 1);
    let again = claim(&mut store, 0).unwrap();
    assert_eq!((again.step.as_deref(), again.payload.as_str()), (Some("asked"), "[3]"));
}

#[test]
fn a_job_that_ends_every_process_is_given_up() {
    let (_folder, mut store) = empty();
    put(&mut store, 0, "a", None);
    for crash in 0..MOST_ATTEMPTS {
        let taken = claim(&mut store, 0);
        assert!(taken.is_some(), "{crash}");
        assert_eq!(recover(&mut store, 0), 1);
    }
    assert_eq!(claim(&mut store, 0), None);
    let job = &all(&store)[0];
    assert_eq!(job.state, "dead");
    let why = "the process that did it ended in the middle of it";
    assert_eq!(job.outcome.as_deref(), Some(why));
}

#[test]
fn a_clock_that_was_wrong_stops_nothing() {
    let year = 365 * 24 * 3600;
    let (_folder, mut store) = empty();
    // All of it happens while the clock is a year ahead; then it is set right.
    put(&mut store, year, "waiting", None);
    put(&mut store, year, "failed", None);
    let failed = claim(&mut store, year).unwrap();
    fail(&mut store, year, failed.id, "x", true);
    let held = store.write(at(year), |writer| writer.hold_jobs("model", "gone"));
    held.unwrap();
    assert!(store.job_hold("model", at(year)).unwrap().is_some());
    assert_eq!(store.job_hold("model", at(0)).unwrap(), None);
    let taken: BTreeSet<String> =
        (0..2).filter_map(|_| claim(&mut store, 0)).map(|job| job.key).collect();
    assert_eq!(taken.len(), 2, "{taken:?}");
    assert_eq!(claim(&mut store, 0), None);
}

#[test]
fn what_is_missing_is_asked_for_less_and_less() {
    let (_folder, mut store) = empty();
    let mut waits = Vec::new();
    let mut now = 0;
    for _ in 0..9 {
        store.write(at(now), |writer| writer.hold_jobs("model", "gone")).unwrap();
        let begin = now;
        while store.job_hold("model", at(now)).unwrap().is_some() {
            now += 60;
        }
        waits.push((now - begin) / 60);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    assert!(store.write(at(now), |writer| writer.lift_hold("model")).unwrap());
    assert!(!store.write(at(now), |writer| writer.lift_hold("model")).unwrap());
}

/// Something that happens to the queue. Numbers choose among what there is.
#[derive(Debug, Clone)]
enum Happens {
    Enqueue(u8, Option<u8>),
    Claim,
    Complete(i64),
    Fail(i64, bool),
    Release(i64),
    /// The process that had the lock is gone, and another one takes it.
    Recover,
    Retry(i64),
    Drop(i64),
    Passes(i64),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        4 => (0..4_u8, proptest::option::of(0..3_u8)).prop_map(|(key, version)| Happens::Enqueue(key, version)),
        6 => Just(Happens::Claim),
        2 => (1..9_i64).prop_map(Happens::Complete),
        3 => (1..9_i64, proptest::bool::weighted(0.8)).prop_map(|(id, passes)| Happens::Fail(id, passes)),
        1 => (1..9_i64).prop_map(Happens::Release),
        1 => Just(Happens::Recover),
        1 => (1..9_i64).prop_map(Happens::Retry),
        1 => (1..9_i64).prop_map(Happens::Drop),
        3 => (0..300_i64).prop_map(Happens::Passes),
        1 => (-40_000..40_000_i64).prop_map(Happens::Passes),
    ]
}

/// A job as the model keeps it.
#[derive(Debug, Clone, Default)]
struct Simple {
    key: u8,
    version: Option<u8>,
    state: &'static str,
    due: i64,
    attempts: u64,
    again: bool,
}

#[derive(Debug, Default)]
struct Model {
    jobs: BTreeMap<i64, Simple>,
    newest: i64,
    now: i64,
}

impl Model {
    fn is_due(&self, job: &Simple) -> bool {
        let farthest = self.now + LONGEST_WAIT.as_secs();
        job.state == "waiting" && (job.due <= self.now || job.due > farthest)
    }

    fn enqueue(&mut self, key: u8, version: Option<u8>) -> Enqueued {
        let now = self.now;
        let open = self
            .jobs
            .iter_mut()
            .find(|(_, job)| job.key == key && (job.state == "waiting" || job.state == "running"));
        if let Some((id, job)) = open {
            if version.is_some() && job.version == version {
                return Enqueued::Open(*id);
            }
            if job.state == "running" {
                job.again = true;
            } else if version.is_some() {
                (job.attempts, job.due) = (0, job.due.min(now));
            }
            job.version = version.or(job.version);
            return Enqueued::Open(*id);
        }
        let known = self
            .jobs
            .iter()
            .rev()
            .find(|(_, job)| job.key == key && version.is_some() && job.version == version);
        if let Some((id, _)) = known {
            return Enqueued::Known(*id);
        }
        self.newest += 1;
        let job = Simple { key, version, state: "waiting", due: now, ..Simple::default() };
        self.jobs.insert(self.newest, job);
        Enqueued::New(self.newest)
    }

    fn claim(&mut self) -> Option<i64> {
        let due = self.jobs.iter().filter(|(_, job)| self.is_due(job));
        let id = due.min_by_key(|(id, job)| (job.due, **id)).map(|(id, _)| *id)?;
        self.jobs.get_mut(&id)?.state = "running";
        Some(id)
    }

    fn running(&mut self, id: i64) -> Option<&mut Simple> {
        self.jobs.get_mut(&id).filter(|job| job.state == "running")
    }

    fn complete(&mut self, id: i64) -> bool {
        let now = self.now;
        let Some(job) = self.running(id) else { return false };
        if job.again {
            (job.state, job.due, job.attempts) = ("waiting", now, 0);
        } else {
            job.state = "done";
        }
        job.again = false;
        true
    }

    fn fail(&mut self, id: i64, may_pass: bool) -> AfterFailure {
        let now = self.now;
        let Some(job) = self.running(id) else { return AfterFailure::Lost };
        let attempts = job.attempts + 1;
        let is_over = !job.again && (!may_pass || attempts >= MOST_ATTEMPTS);
        job.attempts = if job.again { 0 } else { attempts };
        job.due = now + wait_after(attempts, id).as_secs();
        job.again = false;
        job.state = if is_over { "dead" } else { "waiting" };
        if is_over { AfterFailure::GivenUp } else { AfterFailure::Retried }
    }

    fn release(&mut self, id: i64) -> bool {
        let now = self.now;
        let Some(job) = self.running(id) else { return false };
        (job.state, job.due, job.again) = ("waiting", now, false);
        true
    }

    fn recover(&mut self) -> u64 {
        let mut count = 0;
        for job in self.jobs.values_mut().filter(|job| job.state == "running") {
            job.attempts += 1;
            job.state = if job.attempts >= MOST_ATTEMPTS { "dead" } else { "waiting" };
            count += 1;
        }
        count
    }

    fn retry(&mut self, id: i64) -> bool {
        let now = self.now;
        let key = self.jobs.get(&id).map(|job| job.key);
        let is_open = |job: &Simple| job.state == "waiting" || job.state == "running";
        let other =
            self.jobs.iter().any(|(at, job)| *at != id && Some(job.key) == key && is_open(job));
        let Some(job) = self.jobs.get_mut(&id) else { return false };
        if job.state == "running" || other {
            return false;
        }
        (job.state, job.due, job.attempts) = ("waiting", now, 0);
        true
    }

    fn rows(&self) -> Vec<(i64, String, u64)> {
        self.jobs.iter().map(|(id, job)| (*id, job.state.to_owned(), job.attempts)).collect()
    }
}

/// Lets one thing happen to both, and says what differs.
fn step(store: &mut Store, model: &mut Model, event: &Happens) -> Result<(), TestCaseError> {
    let now = model.now;
    match *event {
        Happens::Enqueue(key, version) => {
            let (word, number) = (key.to_string(), version.map(|version| version.to_string()));
            let stored = put(store, now, &word, number.as_deref());
            prop_assert_eq!(stored, model.enqueue(key, version));
        }
        Happens::Claim => {
            let stored = claim(store, now).map(|job| job.id);
            prop_assert_eq!(stored, model.claim());
        }
        Happens::Complete(id) => {
            prop_assert_eq!(complete(store, now, id, "well"), model.complete(id));
        }
        Happens::Fail(id, passes) => {
            prop_assert_eq!(fail(store, now, id, "ill", passes), model.fail(id, passes));
        }
        Happens::Release(id) => {
            let stored = store.write(at(now), |writer| writer.release_job(id, None)).unwrap();
            prop_assert_eq!(stored, model.release(id));
        }
        Happens::Recover => prop_assert_eq!(recover(store, now), model.recover()),
        Happens::Retry(id) => {
            let stored = store.write(at(now), |writer| writer.retry_job(id)).unwrap();
            prop_assert_eq!(stored, model.retry(id));
        }
        Happens::Drop(id) => {
            let stored = store.write(at(now), |writer| writer.drop_job(id)).unwrap();
            prop_assert_eq!(stored, model.jobs.remove(&id).is_some());
        }
        Happens::Passes(seconds) => model.now += seconds,
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_events_is_as_in_a_simple_model(events in proptest::collection::vec(happens(), 1..80)) {
        let (_folder, mut store) = empty();
        let mut model = Model::default();
        for event in &events {
            step(&mut store, &mut model, event)?;
            let stored: Vec<_> =
                all(&store).into_iter().map(|job| (job.id, job.state, job.attempts)).collect();
            prop_assert_eq!(stored, model.rows(), "after {:?}", event);
        }
        // None is lost: with time every job that is open can be had.
        let now = 10_000_000;
        recover(&mut store, now);
        let open = states(&store).iter().filter(|state| *state == "waiting").count();
        let mut taken = BTreeSet::new();
        while let Some(job) = claim(&mut store, now) {
            prop_assert!(taken.insert(job.id));
        }
        prop_assert_eq!(taken.len(), open);
    }
}

/// What each of the two hundred processes does; in a plain run of the tests it does nothing. Waits for the
/// lock, takes a few jobs, notes when it begins and ends one, and dies in the middle of some.
#[test]
fn one_of_two_hundred_processes() {
    let Some(folder) = std::env::var_os("MK_TEST_QUEUE") else { return };
    let number: u32 = std::env::var("MK_TEST_NUMBER").unwrap().parse().unwrap();
    let folder = Path::new(&folder);
    let _lock = files::lock(&folder.join("lock"), Duration::from_mins(1)).unwrap().unwrap();
    let mut store = Store::open(&folder.join("k.db"), Timestamp::now()).unwrap();
    let note = |what: &str, job: &JobRecord| {
        let mut log = fs::File::options().append(true).open(folder.join("log")).unwrap();
        log.write_all(format!("{what} {}\n", job.key).as_bytes()).unwrap();
    };
    recover(&mut store, Timestamp::now().duration_since(at(0)).as_secs());
    for _ in 0..3 {
        let claimed = store.write(Timestamp::now(), |writer| writer.claim_job(JobKind::ALL));
        let Some(job) = claimed.unwrap() else { return };
        note("begin", &job);
        if number.is_multiple_of(20) {
            // No destructor runs, as when it is killed.
            std::process::abort();
        }
        note("end", &job);
        store.write(Timestamp::now(), |writer| writer.complete_job(job.id, "well")).unwrap();
    }
}

#[test]
fn two_hundred_processes_do_each_job_once_and_lose_none() {
    const JOBS: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("k.db"), Timestamp::now()).unwrap();
    fs::write(folder.path().join("log"), "").unwrap();
    store
        .write(Timestamp::now(), |writer| {
            (0..JOBS).try_for_each(|n| writer.enqueue(&new(&n.to_string(), None)).map(drop))
        })
        .unwrap();
    let children: Vec<_> = (0..200)
        .map(|number: u32| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "jobs::one_of_two_hundred_processes", "--nocapture"])
                .env("MK_TEST_QUEUE", folder.path())
                .env("MK_TEST_NUMBER", number.to_string())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut died = 0;
    for mut child in children {
        died += usize::from(!child.wait().unwrap().success());
    }
    let done = all(&store);
    assert!(done.iter().all(|job| job.state == "done"), "{:?}", store.job_counts());
    assert_eq!(done.len(), JOBS);
    // A job is begun again only where a process died with it, and never while somebody is at it.
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let mut begun: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ended: BTreeMap<&str, usize> = BTreeMap::new();
    for (what, key) in log.lines().map(|line| line.split_once(' ').unwrap()) {
        *(if what == "begin" { &mut begun } else { &mut ended }).entry(key).or_default() += 1;
        assert!(what == "begin" || ended[key] == 1, "{key} was done twice");
    }
    assert_eq!(ended.len(), JOBS);
    let again: usize = begun.values().map(|times| times - 1).sum();
    assert_eq!(again, died, "jobs that were begun again, and processes that died");
    assert!(died <= 10, "{died} died, ten were meant to");
}

#[test]
fn a_row_that_somebody_edited_holds_up_no_other() {
    let (folder, mut store) = empty();
    put(&mut store, 0, "a", None);
    let edit = rusqlite::Connection::open(folder.path().join("k.db")).unwrap();
    for set in ["step = x'00'", "attempts = 'x', again = 'x'"] {
        edit.execute(&format!("UPDATE jobs SET {set}, state = 'waiting', due_at = '2020'"), [])
            .unwrap();
        let job = claim(&mut store, 10).expect(set);
        assert_eq!(fail(&mut store, 10, job.id, "r", true), AfterFailure::Retried, "{set}");
    }
}
