//! What the guard said, what was lifted and what is locked, in the store.

use jiff::Timestamp;
use math_forge::model::{GuardEntry, LiftRecord, LockRecord};
use math_forge::store::{LogFilter, Store};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn entry(tool_use: &str, declaration: &str) -> GuardEntry {
    GuardEntry {
        session: "s".to_owned(),
        tool_use: tool_use.to_owned(),
        event: "PreToolUse".to_owned(),
        rule: "proof-lost".to_owned(),
        level: "deny".to_owned(),
        declaration: declaration.to_owned(),
        ..GuardEntry::default()
    }
}

#[test]
fn the_same_call_is_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("k.db")).unwrap();
    let entries = [entry("t1", "a"), entry("t1", "b"), entry("t2", "a")];
    for _ in 0..2 {
        store.write(at("2026-01-02T03:04:05Z"), |writer| writer.log_guard(&entries)).unwrap();
    }
    let log = store.guard_log(&LogFilter::default()).unwrap();
    assert_eq!(log.len(), 3);
    assert_eq!(log[0].at, "2026-01-02 03:04:05");
    let about = LogFilter { declaration: Some("a".to_owned()), limit: 1, ..LogFilter::default() };
    let about = store.guard_log(&about).unwrap();
    assert_eq!(about.iter().map(|entry| entry.tool_use.as_str()).collect::<Vec<_>>(), ["t2"]);
    for (session, tool_use, expected) in [("s", "t9", 3), ("other", "t1", 0), ("", "t1", 0)] {
        let said = store.guard_said(session, tool_use).unwrap();
        assert_eq!(said.len(), expected, "{session} {tool_use}");
    }
}

#[test]
fn lifts_end() {
    let folder = tempfile::tempdir().unwrap();
    let now = at("2026-01-01T00:00:00Z");
    let mut store = Store::open(&folder.path().join("k.db")).unwrap();
    let lift = |rule: &str, tool_use: &str| LiftRecord {
        project: Some("p".to_owned()),
        rule: rule.to_owned(),
        once: rule == "once",
        expires_at: (rule == "timed").then(|| "2026-01-01 00:30:00".to_owned()),
        tool_use: Some(tool_use.to_owned()),
        ..LiftRecord::default()
    };
    let grant = |store: &mut Store, rule, tool_use| {
        store.write(now, |writer| writer.grant(&lift(rule, tool_use))).unwrap()
    };
    let once = grant(&mut store, "once", "t1");
    assert_eq!(grant(&mut store, "once", "t1"), once, "the same command is one lift");
    grant(&mut store, "timed", "t2");
    let kept = grant(&mut store, "kept", "t3");
    let open = |store: &Store, project, now| {
        let lifts = store.lifts_for_edit(project, now, "").unwrap();
        lifts.into_iter().map(|lift| lift.rule).collect::<Vec<_>>()
    };
    assert_eq!(open(&store, Some("p"), "2026-01-01 00:10:00"), ["once", "timed", "kept"]);
    assert_eq!(open(&store, Some("p"), "2026-01-01 00:30:00"), ["once", "kept"]);
    assert_eq!(open(&store, Some("q"), "2026-01-01 00:10:00"), Vec::<String>::new());
    store
        .write(now, |writer| {
            assert!(writer.spend(once, "edit")?);
            assert!(!writer.spend(once, "edit 2")?, "it is used up");
            assert!(!writer.spend(kept, "edit")?, "it does not get used up");
            assert!(writer.revoke(kept)?);
            Ok(())
        })
        .unwrap();
    assert_eq!(open(&store, Some("p"), "2026-01-01 00:10:00"), ["timed"]);
    assert_eq!(store.lifts(Some("p")).unwrap().len(), 3, "what was granted is not forgotten");
}

#[test]
fn what_is_found_does_not_replace_the_lock_of_a_person() {
    let folder = tempfile::tempdir().unwrap();
    let now = at("2026-01-01T00:00:00Z");
    let mut store = Store::open(&folder.path().join("k.db")).unwrap();
    let lock = |origin: &str, statement: &str| LockRecord {
        project: "p".to_owned(),
        declaration: "A.b".to_owned(),
        statement: Some(statement.to_owned()),
        origin: origin.to_owned(),
        ..LockRecord::default()
    };
    let locks = |store: &Store| {
        let locks = store.locks("p", "p").unwrap();
        locks.into_iter().map(|lock| (lock.origin, lock.statement.unwrap())).collect::<Vec<_>>()
    };
    for (origin, statement, expected) in [
        ("prover", "1", ("prover", "1")),
        ("prover", "2", ("prover", "1")),
        ("person", "3", ("person", "3")),
        ("problem", "4", ("person", "3")),
    ] {
        store.write(now, |writer| writer.lock(&lock(origin, statement))).unwrap();
        assert_eq!(locks(&store), [(expected.0.to_owned(), expected.1.to_owned())]);
    }
    let unlock = |store: &mut Store| store.write(now, |writer| writer.unlock("p", "A.b")).unwrap();
    assert!(unlock(&mut store) && !unlock(&mut store));
    store.write(now, |writer| writer.lock(&lock("prover", "5"))).unwrap();
    assert_eq!(locks(&store), [], "a person removed it for good");
}
