//! `mk brief` and `mk queue` from the databases that a session may meet.

use jiff::{SignedDuration, Timestamp};

use crate::env::TestEnv;
use crate::reading::fill;

/// The clock that `mk` reads too.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

fn hours_ago(hours: i64, form: &str) -> String {
    (now() - SignedDuration::from_hours(hours)).strftime(form).to_string()
}

/// The words that one of the two vocabularies has for the same submissions.
struct Vocabulary {
    in_flight: &'static str,
    ready: &'static str,
    proved: &'static str,
    time: &'static str,
}

const OLD: Vocabulary = Vocabulary {
    in_flight: "submitted",
    ready: "completed",
    proved: "completed",
    time: "%Y-%m-%d %H:%M:%S",
};
const NEW: Vocabulary = Vocabulary {
    in_flight: "in_progress",
    ready: "compiled_no_advance",
    proved: "compiled_clean",
    time: "%Y-%m-%dT%H:%M:%S",
};

/// File, problem, status, gaps, proved, verified, completed.
type Row<'a> = (&'a str, &'a str, &'a str, Option<i64>, Option<i64>, Option<i64>, Option<&'a str>);

/// Two submissions in flight, one ready, one proved, one near miss.
fn tracking(env: &TestEnv, words: &Vocabulary, submitted_hours_ago: i64) {
    let path = env.write("submissions/tracking.db", "");
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(
        "CREATE TABLE submissions (id INTEGER PRIMARY KEY, uuid TEXT, filename TEXT, problem_id TEXT,
            status TEXT, sorry_count INTEGER, proven_count INTEGER, verified INTEGER,
            submitted_at TEXT, completed_at TEXT, created_at TEXT)",
    )
    .unwrap();
    let submitted = hours_ago(submitted_hours_ago, words.time);
    let done = hours_ago(submitted_hours_ago.max(2) - 1, words.time);
    let long_ago = hours_ago(24 * 40, words.time);
    let mut insert = db
        .prepare(
            "INSERT INTO submissions (filename, problem_id, status, sorry_count, proven_count,
             verified, submitted_at, completed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )
        .unwrap();
    let rows: [Row<'_>; 5] = [
        ("slot701_board_12.lean", "board_12", words.in_flight, None, None, None, None),
        ("slot702_board_13.lean", "board_13", words.in_flight, None, None, None, None),
        ("slot703_board_12.lean", "board_12", words.ready, Some(2), Some(3), None, Some(&done)),
        ("slot704_board_9.lean", "board_9", words.proved, Some(0), Some(7), Some(1), Some(&done)),
        (
            "slot705_board_8.lean",
            "board_8",
            "near_miss",
            Some(1),
            Some(9),
            Some(0),
            Some(&long_ago),
        ),
    ];
    for (file, problem, status, sorry, proven, verified, completed) in rows {
        insert
            .execute((file, problem, status, sorry, proven, verified, &submitted, completed))
            .unwrap();
    }
}

#[test]
fn both_vocabularies_tell_the_same() {
    for words in [&OLD, &NEW] {
        let env = TestEnv::new();
        tracking(&env, words, 1);
        let text = env.mk(&["brief"]).success();
        for line in [
            "QUEUE: 2 in flight, 3 slots open",
            "READY TO FETCH: slot703 board_12",
            "RECENT PROVEN: slot704 board_9 (7 theorems)",
            "TOP NEAR-MISS: slot705 board_8 (1 sorry, 9 proven)",
            "1. Fetch ready results: slot703",
            "2. Close near-miss: slot705 (1 sorry)",
            "3. 3 slots open for new submissions",
            "NOTE: no queue cache",
        ] {
            assert!(text.contains(line), "{}: {line}\n{text}", words.proved);
        }
        assert!(!text.contains("last submission"), "{text}");
    }
}

/// What the database says is told in the terminal, in a prompt that names a slot, and again after it changed.
#[test]
fn the_queue_and_the_end_of_a_slot_are_told() {
    let env = TestEnv::new();
    fill(&env);
    tracking(&env, &NEW, 2);
    let db = rusqlite::Connection::open(env.project().join("submissions/tracking.db")).unwrap();
    db.execute_batch(
        "INSERT INTO submissions (id, uuid, filename, problem_id, status, sorry_count, proven_count)
         VALUES (12, NULL, 'slot712_board_8.lean', 'board_8', 'near_miss', 1, 30),
                (13, 'some-id', 'slot713.lean', NULL, 'in_progress', NULL, NULL);
         CREATE TABLE false_lemmas (id INTEGER PRIMARY KEY, lemma_name TEXT);
         INSERT INTO false_lemmas VALUES (1, 'red_cover'), (2, 'blue_cover');
         CREATE TABLE submission_false_lemma_targets (submission_id INTEGER, false_lemma_id INTEGER);
         INSERT INTO submission_false_lemma_targets VALUES (12, 1), (12, 2)",
    )
    .unwrap();
    insta::assert_snapshot!(env.mk(&["queue"]).success(), @r"
    tracking.db, last submission 2h ago
    ---
    IN FLIGHT (3)
      slot701  board_12  submitted 2h ago, without the prover's id
      slot702  board_13  submitted 2h ago, without the prover's id
      slot713
    READY TO FETCH (1)
      slot703  board_12  completed 1h ago
    WORTH CLOSING, the nearest (1)
      slot705 (board_8): 1 gap; 9 proved
    NOT WORTH CLOSING: the open statement is on record as false (1)
      slot712 (board_8): `red_cover` is on record as false
    ");
    let json = env.mk(&["queue", "--json"]).json();
    let labels = |part: &str| {
        let rows = json["tracking"][part].as_array().unwrap().iter();
        rows.map(|row| row["label"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(labels("running"), ["slot701", "slot702", "slot713"]);
    assert_eq!(labels("ready"), ["slot703"]);
    assert_eq!(labels("worth_closing"), ["slot705"]);
    assert_eq!(labels("not_worth_closing"), ["slot712"]);
    let mut session = 0;
    let mut prompt = |text: &str| {
        session += 1;
        let event = serde_json::json!({"hook_event_name": "UserPromptSubmit", "prompt": text,
            "session_id": format!("{session}"), "cwd": env.project()});
        env.mk_with_input(&["hook", "user-prompt-submit"], event.to_string()).success()
    };
    let told = prompt("what came out of slot705?");
    assert!(told.contains("slot705 ended as near miss, 9 proved, 1 gap"), "{told}");
    assert!(!prompt("what came out of slot799?").contains("ended"));
    db.execute("UPDATE submissions SET status = 'failed' WHERE id = 5", []).unwrap();
    let told = prompt("what came out of slot705?");
    assert!(told.contains("slot705 ended as failed, 9 proved, 1 gap"), "{told}");
    // Changed, and then locked.
    db.execute_batch("UPDATE submissions SET status = 'x'; BEGIN EXCLUSIVE").unwrap();
    assert!(!prompt("and slot702?").contains("ended"), "it is locked; nobody waits for it");
    db.execute_batch("COMMIT").unwrap();
    let page = env.mk(&["find", "slot712"]).success();
    assert!(page.contains("Tries what is false: red_cover, blue_cover"), "{page}");
    // What is remembered of the database stands where `mk forget` looks.
    let state = env.home().join(".local/state/math-forge");
    let kept = |folder: &str| std::fs::read_dir(state.join(folder)).map_or(0, Iterator::count);
    assert_eq!(kept("tracked"), 3, "submissions, how slots ended, false lemmas");
}

#[test]
fn a_fresh_queue_cache_wins_and_a_stale_one_is_named() {
    let env = TestEnv::new();
    fill(&env);
    tracking(&env, &NEW, 30);
    let set = env.mk_with_input(
        &["queue", "set"],
        r#"{"in_flight": 4, "ready_to_fetch": [801, "slot802"], "top_near_miss":
            {"slot": 803, "problem": "board_7", "sorry_count": 1, "sorry_location": "main_bound"}}"#,
    );
    let shown = set.success();
    assert!(shown.contains("Queue as seen just now"), "{shown}");
    let fresh = env.mk(&["brief"]).success();
    insta::assert_snapshot!(fresh, @r#"
    [math-forge] Session briefing (stored data, not instructions)

    QUEUE: 4 in flight, 1 slot open
    READY TO FETCH: slot801, slot802
    RECENT PROVEN: slot704 board_9 (7 theorems)
    TOP NEAR-MISS: slot803 board_7 (1 sorry in main_bound)
    KB: 4 findings (2 theorems, 1 failed approach, 1 false lemma)
    SETTLED: none

    ACTION ITEMS:
    1. Fetch ready results: slot801, slot802
    2. Close near-miss: slot803 (1 sorry)
    3. 1 slot open for new submissions

    NOTE: last submission over a day ago, tracking.db may be stale

    Use `mk search <query>`, `mk find <problem>`, `mk failed <keyword>`.
    "#);
    let stale =
        format!(r#"{{"in_flight": 4, "cached_at": "{}"}}"#, hours_ago(9, "%Y-%m-%d %H:%M:%S"));
    env.mk_with_input(&["queue", "set"], stale).success();
    let text = env.mk(&["brief"]).success();
    assert!(text.contains("QUEUE: 2 in flight, 3 slots open"), "{text}");
    assert!(text.contains("NOTE: queue cache over 6 h old, not used"), "{text}");
    assert!(text.contains("Over 6 hours") || env.mk(&["queue"]).success().contains("Over 6 hours"));
}

#[test]
fn a_source_that_cannot_be_read_is_one_line() {
    let env = TestEnv::new();
    fill(&env);
    env.write("submissions/tracking.db", "no database, whatever its name says");
    let text = env.mk(&["brief"]).success();
    assert!(text.contains("NOTE: tracking database: "), "{text}");
    assert!(text.contains("KB: 4 findings"), "{text}");
    let env = TestEnv::new();
    tracking(&env, &NEW, 1);
    let broken = env.write("broken.db", "no database either, but long enough to look like a file");
    let broken = broken.to_str().unwrap();
    let text = env.mk(&["brief", "--db", broken]).success();
    assert!(text.contains("NOTE: knowledge base: "), "{text}");
    assert!(text.contains("QUEUE: 2 in flight, 3 slots open"), "{text}");
    let before = std::fs::read(broken).unwrap();
    assert!(before.starts_with(b"no database either"));
}

#[test]
fn without_a_store_there_is_silence() {
    let env = TestEnv::new();
    let mut command = env.command();
    command.arg("brief").env("MATH_FORGE_DB", "");
    let out = env.finish(&mut command);
    assert_eq!(out.code, 0);
    assert_eq!(out.stdout, "");
}

#[test]
fn the_tracking_database_is_read_once_for_each_state_of_its_file() {
    let env = TestEnv::new();
    fill(&env);
    tracking(&env, &NEW, 30);
    let path = env.project().join("submissions/tracking.db");
    let dated = |seconds_ago: u64| {
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds_ago);
        file.set_modified(then).unwrap();
        then
    };
    let in_flight = |status: &str| {
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute("UPDATE submissions SET status = ?1 WHERE id = 1", [status]).unwrap();
    };
    let queue = || env.mk(&["brief"]).success();
    let then = dated(60);
    assert!(queue().contains("QUEUE: 2 in flight"));
    // Not as SQLite writes, which counts its transactions in the first bytes.
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = bytes.clone();
    bytes[200..].fill(0);
    std::fs::write(&path, bytes).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
    assert!(queue().contains("QUEUE: 2 in flight"), "it was read again");
    std::fs::write(&path, whole).unwrap();
    // Whatever its time is afterwards.
    for (status, count) in [("failed", 1), ("submitted", 2), ("failed", 1)] {
        in_flight(status);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        assert!(queue().contains(&format!("QUEUE: {count} in flight")), "{status} was not read");
    }
}

/// A submission that its database calls proved, and whose answer did not load.
#[test]
fn what_only_the_database_calls_proved_is_no_recent_proof() {
    const UUID: &str = "0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d";
    const TRIVIAL: &str = "0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4e";
    let env = TestEnv::new();
    let path = env.write("submissions/tracking.db", "");
    let rows = [
        (1, UUID, "slot71_board_9.lean", "The gluing is not symmetric."),
        (2, "", "slot72_board_9.lean", ""),
        (3, TRIVIAL, "slot73_board_9.lean", ""),
    ];
    let db = rusqlite::Connection::open(path).unwrap();
    db.execute_batch(
        "CREATE TABLE submissions (id INTEGER PRIMARY KEY, uuid TEXT, filename TEXT, problem_id TEXT,
            status TEXT, sorry_count INTEGER, proven_count INTEGER, verified INTEGER, notes TEXT,
            submitted_at TEXT, completed_at TEXT)",
    )
    .unwrap();
    // Once: a second that ends between two rows would put them in another order.
    let done = hours_ago(30, "%Y-%m-%d %H:%M:%S");
    for (id, uuid, file, notes) in rows {
        let uuid = Some(uuid).filter(|uuid| !uuid.is_empty());
        db.execute(
            "INSERT INTO submissions VALUES (?1, ?2, ?3, 'board_9', 'proven', 0, 3, 1, ?4, ?5, ?5)",
            (id, uuid, file, notes, &done),
        )
        .unwrap();
    }
    drop(db);
    // The error stands in a comment of its own.
    let answer = format!(
        "/-\nThis file was edited by Aristotle.\nThis project request had uuid: {UUID}\n-/\n\
         /-\nAristotle encountered an error processing this file. The team has been notified.\n-/\n\
         theorem board_9 (n : Nat) (h : 2 < n) : n * n < n ^ 3 := by\n  nlinarith\n"
    );
    env.write("submissions/slot71_board_9_aristotle.lean", &answer);
    let trivial = format!(
        "/-\nThis file was edited by Aristotle.\nThis project request had uuid: {TRIVIAL}\n-/\n\
         theorem board_9 (P : Prop) : P ∨ ¬P := em P\n"
    );
    env.write("submissions/slot73_board_9_aristotle.lean", trivial);
    let recent = |env: &TestEnv| {
        let brief = env.mk(&["brief"]).success();
        brief.lines().find(|line| line.starts_with("RECENT PROVEN")).map(str::to_owned)
    };
    env.mk(&["init"]).success();
    let unread = "RECENT PROVEN: slot71 board_9 (3 theorems), slot72 board_9 (3 theorems), slot73 \
                  board_9 (3 theorems)";
    assert_eq!(recent(&env).as_deref(), Some(unread), "nobody read the answers");
    env.mk(&["extract", "submissions"]).success();
    assert_eq!(recent(&env).as_deref(), Some("RECENT PROVEN: slot72 board_9 (3 theorems)"));
    let page = env.mk(&["find", UUID]).success();
    for (at, expected) in [
        "Slot 71",
        "tracking.db: proven | 3 proved | 0 gaps",
        "Note: The gluing is not symmetric.",
        "Problem: board_9",
        "File: submissions/slot71_board_9_aristotle.lean",
        "---",
        "CONTRADICTIONS between tracking.db and the answers (1)",
    ]
    .into_iter()
    .enumerate()
    {
        let line = page.lines().nth(at).unwrap_or_default().trim();
        assert!(line.starts_with(expected), "{line}\n{page}");
    }
    assert!(page.contains("slot71: tracking.db says proven, but the prover stopped with an error"));
    let doctor = env.mk(&["doctor"]).success();
    assert!(doctor.contains("differ in 1 file: slot71: tracking.db says proven, but "), "{doctor}");
    let bare = env.mk(&["find", "slot72"]).success();
    assert!(bare.contains("Slot 72") && !bare.contains("No problem"), "{bare}");
}
