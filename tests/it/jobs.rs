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
    FIRST_WAIT, JobRecord, MODEL_WAIT, MOST_ATTEMPTS, Store, StoreError, Writer,
};
use proptest::prelude::*;

fn at(seconds: i64) -> Timestamp {
    let base: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
    base + SignedDuration::from_secs(seconds)
}

/// An empty database.
fn empty() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("k.db")).unwrap();
    (folder, store)
}

fn enqueue(writer: &Writer<'_>, key: &str, version: &str) -> Result<bool, StoreError> {
    writer.enqueue(JobKind::Lesson, key, version, None)
}

fn put(store: &mut Store, now: i64, key: &str, version: &str) -> bool {
    store.write(at(now), |writer| enqueue(writer, key, version)).unwrap()
}

fn claim(store: &mut Store, now: i64) -> Option<JobRecord> {
    store.write(at(now), |writer| writer.claim_job(JobKind::ALL)).unwrap()
}

fn complete(store: &mut Store, now: i64, job: &JobRecord, outcome: &str) {
    store.write(at(now), |writer| writer.complete_job(job, outcome)).unwrap();
}

fn fail(store: &mut Store, now: i64, job: &JobRecord, reason: &str, may_pass: bool) -> bool {
    store.write(at(now), |writer| writer.fail_job(job, reason, may_pass)).unwrap()
}

fn recover(store: &mut Store, now: i64) {
    store
        .write(at(now), |writer| {
            writer.recover_jobs()?;
            Ok(())
        })
        .unwrap();
}

fn all(store: &Store) -> Vec<JobRecord> {
    let (mut jobs, total) = store.jobs(None, None, 10_000).unwrap();
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
    assert!(put(&mut store, 0, "a", "1"));
    assert!(!put(&mut store, 0, "a", "1"));
    assert!(!put(&mut store, 0, "a", "2"), "it does the newest");
    assert!(put(&mut store, 0, "b", "1"));
    let job = claim(&mut store, 1).unwrap();
    assert_eq!((job.id, job.key.as_str(), job.version.as_deref()), (1, "a", Some("2")));
    // The same version is being done; a newer one is done after it.
    assert!(!put(&mut store, 1, "a", "2"));
    complete(&mut store, 1, &job, "one");
    assert_eq!(states(&store), ["done", "waiting"]);
    assert!(!put(&mut store, 2, "a", "2"), "it was done");
    assert!(put(&mut store, 2, "a", "3"));
    let job = claim(&mut store, 3).unwrap();
    assert_eq!(job.key, "b");
    assert!(!put(&mut store, 3, "b", "2"));
    complete(&mut store, 4, &job, "two");
    assert_eq!(all(&store)[1].state, "waiting", "more came in while it was done");
}

#[test]
fn failures_are_retried_later_and_at_last_given_up() {
    let (_folder, mut store) = empty();
    put(&mut store, 0, "a", "1");
    let mut now = 0;
    for attempt in 1..=MOST_ATTEMPTS {
        let job = claim(&mut store, now).unwrap();
        let is_last = fail(&mut store, now, &job, "timed out: token=abcdefgh12345678", true);
        assert_eq!(is_last, attempt == MOST_ATTEMPTS);
        now += i64::from(FIRST_WAIT << (attempt - 1)) * 60;
        assert_eq!(claim(&mut store, now - 1), None, "not at once, and later each time");
    }
    let job = &all(&store)[0];
    assert_eq!((job.state.as_str(), job.attempts), ("dead", u64::from(MOST_ATTEMPTS)));
    assert_eq!(job.outcome.as_deref(), Some("timed out: token=[secret removed]"));
    assert_eq!(claim(&mut store, now + 1_000_000), None);
    assert!(!put(&mut store, now, "a", "1"), "given up is given up");
    // A person tries it again, and it fails for a reason that does not pass.
    assert!(store.write(at(now), |writer| writer.retry_job(1)).unwrap());
    let job = claim(&mut store, now).unwrap();
    assert!(fail(&mut store, now, &job, "no", false));
    // The same work is open under another number: both at once is refused.
    assert!(put(&mut store, now, "a", "2"));
    assert!(!store.write(at(now), |writer| writer.retry_job(1)).unwrap());
    // What failed in an old version is tried in the new one.
    let job = claim(&mut store, now).unwrap();
    put(&mut store, now, "a", "3");
    assert!(!fail(&mut store, now, &job, "no", false));
}

#[test]
fn a_job_goes_on_after_the_step_that_was_saved_last() {
    let (_folder, mut store) = empty();
    put(&mut store, 0, "a", "1");
    let job = claim(&mut store, 0).unwrap();
    for (step, payload) in [("fetched", "[1]"), ("asked", "[2]")] {
        store.write(at(0), |writer| writer.save_step(job.id, Some(step), payload)).unwrap();
    }
    recover(&mut store, 0);
    // More to do comes in and takes nothing away of what is there.
    put(&mut store, 0, "a", "2");
    let again = claim(&mut store, 0).unwrap();
    assert_eq!((again.step.as_deref(), again.payload.as_str()), (Some("asked"), "[2]"));
}

#[test]
fn a_job_that_ends_every_process_is_given_up() {
    let (_folder, mut store) = empty();
    put(&mut store, 0, "a", "1");
    for crash in 0..MOST_ATTEMPTS {
        let taken = claim(&mut store, 0);
        assert!(taken.is_some(), "{crash}");
        recover(&mut store, 0);
    }
    assert_eq!(claim(&mut store, 0), None);
    let job = &all(&store)[0];
    assert_eq!(job.state, "dead");
    let why = "the process that did it ended in the middle of it";
    assert_eq!(job.outcome.as_deref(), Some(why));
}

#[test]
fn everything_waits_while_the_model_is_not_there() {
    let (_folder, mut store) = empty();
    let wait = i64::from(MODEL_WAIT) * 60;
    put(&mut store, 0, "a", "1");
    put(&mut store, 0, "b", "1");
    let job = claim(&mut store, 0).unwrap();
    store
        .write(at(0), |writer| {
            writer.release_job(job.id)?;
            writer.hold_jobs("gone")
        })
        .unwrap();
    assert_eq!(claim(&mut store, wait - 1), None);
    assert!(all(&store).iter().all(|job| job.attempts == 0), "it is nobody's fault");
    store
        .write(at(1), |writer| {
            writer.hurry_jobs()?;
            Ok(())
        })
        .unwrap();
    assert_eq!(claim(&mut store, 1).map(|job| job.key).as_deref(), Some("a"));
    assert_eq!(claim(&mut store, 1).map(|job| job.key).as_deref(), Some("b"));
}

/// Something that happens to the queue. Numbers choose among what there is.
#[derive(Debug, Clone)]
enum Happens {
    Enqueue(u8, u8),
    Claim,
    Complete(usize),
    Fail(usize, bool),
    Release(usize),
    /// The process that had the lock is gone, and another one takes it.
    Recover,
    Retry(i64),
    Hold,
    Passes(i64),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        4 => (0..4_u8, 0..3_u8).prop_map(|(key, version)| Happens::Enqueue(key, version)),
        6 => Just(Happens::Claim),
        2 => (0..4_usize).prop_map(Happens::Complete),
        3 => (0..4_usize, proptest::bool::weighted(0.8)).prop_map(|(at, passes)| Happens::Fail(at, passes)),
        1 => (0..4_usize).prop_map(Happens::Release),
        1 => Just(Happens::Recover),
        1 => (1..9_i64).prop_map(Happens::Retry),
        1 => Just(Happens::Hold),
        3 => (0..300_i64).prop_map(Happens::Passes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn in_any_order_of_events_the_newest_of_all_work_is_done_or_given_up(
        events in proptest::collection::vec(happens(), 1..80),
    ) {
        let (_folder, mut store) = empty();
        let mut now = 0;
        let mut taken: Vec<JobRecord> = Vec::new();
        let mut wanted: BTreeMap<String, String> = BTreeMap::new();
        for event in &events {
            match *event {
                Happens::Enqueue(key, version) => {
                    let (key, version) = (key.to_string(), version.to_string());
                    let is_known = all(&store).iter().any(|job| {
                        job.key == key && job.version.as_deref() == Some(version.as_str())
                    });
                    put(&mut store, now, &key, &version);
                    if !is_known {
                        wanted.insert(key, version);
                    }
                }
                Happens::Claim => taken.extend(claim(&mut store, now)),
                Happens::Complete(at) if at < taken.len() => {
                    complete(&mut store, now, &taken.remove(at), "well");
                }
                Happens::Fail(at, passes) if at < taken.len() => {
                    fail(&mut store, now, &taken.remove(at), "ill", passes);
                }
                Happens::Release(at) if at < taken.len() => {
                    let id = taken.remove(at).id;
                    store.write(self::at(now), |writer| writer.release_job(id)).unwrap();
                }
                Happens::Recover => {
                    taken.clear();
                    recover(&mut store, now);
                }
                Happens::Retry(id) => {
                    store.write(self::at(now), |writer| writer.retry_job(id)).unwrap();
                }
                Happens::Hold => store.write(self::at(now), |writer| writer.hold_jobs("x")).unwrap(),
                Happens::Passes(seconds) => now += seconds,
                _ => {}
            }
            let jobs = all(&store);
            for (key, version) in &wanted {
                // In hand is the version that was taken; the newest stands in the row.
                let of_key = jobs.iter().filter(|job| job.key == *key);
                prop_assert!(
                    of_key.clone().any(|job| job.version.as_ref() == Some(version)),
                    "{key} {version} after {event:?}"
                );
                let open = |job: &&JobRecord| job.state == "waiting" || job.state == "running";
                prop_assert!(of_key.filter(open).count() <= 1, "{key} after {event:?}");
            }
        }
        // None is lost: with time every job that is open can be had, in the version that was put in last.
        let now = 10_000_000;
        recover(&mut store, now);
        let open = states(&store).iter().filter(|state| *state == "waiting").count();
        let mut had = BTreeSet::new();
        while let Some(job) = claim(&mut store, now) {
            prop_assert!(had.insert(job.id));
        }
        prop_assert_eq!(had.len(), open);
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
    let mut store = Store::open(&folder.join("k.db")).unwrap();
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
        store.write(Timestamp::now(), |writer| writer.complete_job(&job, "well")).unwrap();
    }
}

#[test]
fn two_hundred_processes_do_each_job_once_and_lose_none() {
    const JOBS: usize = 300;
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("k.db")).unwrap();
    fs::write(folder.path().join("log"), "").unwrap();
    store
        .write(Timestamp::now(), |writer| {
            (0..JOBS).try_for_each(|n| enqueue(writer, &n.to_string(), "1").map(drop))
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
    put(&mut store, 0, "a", "1");
    let edit = rusqlite::Connection::open(folder.path().join("k.db")).unwrap();
    for set in ["step = x'00'", "attempts = 'x'", "version = x'00'"] {
        edit.execute(&format!("UPDATE jobs SET {set}, state = 'waiting', due_at = '2020'"), [])
            .unwrap();
        let job = claim(&mut store, 10).expect(set);
        fail(&mut store, 10, &job, "r", true);
        assert_eq!(states(&store), ["waiting"], "{set}");
    }
}
