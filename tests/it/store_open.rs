//! Opening a knowledge database: new, old, foreign, damaged, shared, in odd places.

use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use math_forge::model::{Draft, Kind, Status};
use math_forge::store::{DueFilter, Health, Store, StoreError, set_aside};
use rusqlite::Connection;

use crate::env::TestEnv;

/// The tables that the specification gives a knowledge database, written down anew.
pub(crate) const SPECIFIED: &str = include_str!("fixtures/specified.sql");

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

/// Every object of a schema: type, name, table and SQL.
fn objects(connection: &Connection) -> Vec<(String, String, String, Option<String>)> {
    let mut statement = connection
        .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
        .unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap();
    rows.map(Result::unwrap).collect()
}

fn one<T: rusqlite::types::FromSql>(connection: &Connection, sql: &str) -> T {
    connection.query_row(sql, [], |row| row.get(0)).unwrap_or_else(|e| panic!("{sql}: {e}"))
}

fn column_names(connection: &Connection, table: &str) -> Vec<String> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
    let rows = statement.query_map([table], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

fn index_is_sound(connection: &Connection) {
    connection
        .execute("INSERT INTO findings_fts(findings_fts, rank) VALUES ('integrity-check', 1)", [])
        .unwrap();
}

#[test]
fn a_new_database_has_the_schema_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    drop(Store::open(&path).unwrap());
    let made = Connection::open(&path).unwrap();
    let by_file = Connection::open_in_memory().unwrap();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/schema.sql");
    let schema = fs::read_to_string(schema).unwrap();
    for _ in 0..2 {
        by_file.execute_batch(&schema).unwrap();
        assert_eq!(objects(&made), objects(&by_file));
    }
    for pragma in ["PRAGMA user_version", "PRAGMA application_id"] {
        assert_eq!(one::<i64>(&made, pragma), one::<i64>(&by_file, pragma), "{pragma}");
    }
}

#[test]
fn the_schema_file_knows_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    drop(Store::open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    for kind in Kind::ALL {
        let sql = format!("SELECT badge FROM kinds WHERE name = '{kind}'");
        assert_eq!(one::<String>(&connection, &sql), kind.badge());
    }
    assert_eq!(
        one::<i64>(&connection, "SELECT count(*) FROM kinds"),
        i64::try_from(Kind::ALL.len()).unwrap()
    );
}

#[test]
fn a_new_database_is_private_and_made_with_its_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/it's 100%20 ?mode=ro/#k \"1\".db");
    assert!(Store::open_current(&path, None).unwrap().is_none());
    drop(Store::open(&path).unwrap());
    assert!(Store::open_current(&path, None).unwrap().is_some());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn the_specifications_own_schema_can_run_again_on_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("knowledge.db");
    drop(Store::open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    let before = objects(&connection);
    connection.execute_batch(SPECIFIED).unwrap();
    assert_eq!(objects(&connection), before);
}

#[test]
fn a_database_of_version_11_is_converted_with_a_copy_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(include_str!("fixtures/schema_11.sql")).unwrap();
    connection
        .execute_batch(
            "INSERT INTO findings (id, finding_type, title, description) VALUES (7, 'lesson', 't', 'd');
             INSERT INTO lesson_details (finding_id, pattern) VALUES (7, 'error_recovery');
             UPDATE findings SET fingerprint = 'f' WHERE id = 7;
             INSERT INTO findings (id, finding_type, title, description, project, evidence, uid,
             superseded_by) VALUES
             (8, 'fact', 'lean.version: 4.24', '', 'here', 'person', 'u8', NULL),
             (9, 'lesson', 'A lesson that was dropped', '', NULL, 'person', 'u9', 9),
             (10, 'playbook', 'p', 'do so', NULL, 'claimed', 'u10', NULL),
             (11, 'preference', 'No tabs', 'No tabs', NULL, 'person', 'u11', NULL),
             (12, 'theorem', 'old', 'd', NULL, 'prover', 'u12', 11);
             INSERT INTO fact_details VALUES (8, 'environment', 'lean.version', '4.24', 'project',
             'long-term', 'user_said', 0.9, NULL, '2026-01-02 00:00:00');
             INSERT INTO fact_changes (finding_id, old_value, new_value, changed_at)
             VALUES (8, '4.23', '4.24', '2026-01-01 00:00:00');
             INSERT INTO fact_events (finding_id, event, value, at, times, session_id)
             VALUES (8, 'rival', '4.25', '2026-01-03 00:00:00', 2, 's');
             UPDATE lesson_details SET what_failed = 'new f', what_worked = 'new w', tool_name = 'lake',
             signature = 'a b', success_count = 3, confidence = 0.8;
             INSERT INTO lesson_words VALUES (7, 'f', 'm', 0.7, '2026', 'old title', 'old text', 'old f', 'old w');
             INSERT INTO lesson_shown VALUES (7, 's', '2026', 'a b', 'recurred'), (7, 't', '2026', 'a b', 'worked');
             INSERT INTO playbook_details VALUES (10, 'task', 'w', 'rules-1');
             INSERT INTO proposals (id, type, content, role, source, line, project, extracted_at, status) VALUES
             ('aa01', 'pattern', 'Use tabs.', 'person', '/t', 4, 'here', '2026-01-01 00:00:00', 'pending'),
             ('aa02', 'insight', 'It is so.', 'agent', '/t', 5, NULL, '2026-01-02 00:00:00', 'rejected'),
             ('aa03', 'pattern', 'No tabs', 'person', '/t', 6, NULL, '2026-01-03 00:00:00', 'accepted'),
             ('aa04', 'insight', 'Old news.', 'agent', '/t', 7, NULL, '2025-01-03 00:00:00', 'expired'),
             ('aa05', 'fact', 'a.b: c', 'model', '/t', NULL, 'here', '2026-01-04 00:00:00', 'pending');
             INSERT INTO proposal_details (proposal_id, key, rule, sentence, before, session_id, reason,
             decided_at, decided_by, finding_id, journaled) VALUES
             ('aa01', 'use tabs', 'r', 'So: use tabs.', 'Before it.', 's', NULL, NULL, NULL, NULL, 1),
             ('aa02', 'it is so', 'r', '', NULL, 's', 'vague', '2026-02-02 00:00:00', 'terminal', NULL, 2),
             ('aa03', 'no tabs', 'r', '', NULL, 's', NULL, '2026-02-03 00:00:00', 'dialog', 11, 2),
             ('aa05', 'a b c', 'r', '', NULL, 's', NULL, NULL, NULL, NULL, 0);
             INSERT INTO proposal_times VALUES ('aa01', '2025-12-31 00:00:00');
             INSERT INTO fact_proposals (proposal_id, category, key, value, scope, source_type, confidence, hours)
             VALUES ('aa05', 'tool', 'a.b', 'c', 'project', 'user_said', 0.6, 48);
             INSERT INTO runs (id, source, workflow_id, task_id, description, outcome, evidence, hash,
             completed_at, recorded_at) VALUES (3, 'session', 'w', 't', 'd', 'o', '{}', 'h', '2026', '2026');
             INSERT INTO extractions (id, state, model, runs, prompt_hash, reply, fetched_at)
             VALUES ('e', 'asked', 'm', '[{\"id\": 3, \"hash\": \"h\"}]', 'x', '{}', '2026');
             INSERT INTO jobs (kind, key, version, finding_id, state, due_at, attempts, crashes, claims,
             owner, lease_until, created_at, started_at, outcome) VALUES
             ('lesson', '7', 'v', 7, 'running', '2026', 2, 1, 4, 'me:1', '2027', '2026', '2026', 'o'),
             ('playbooks', 'runs', NULL, NULL, 'waiting', '2026', 0, 0, 0, NULL, NULL, '2026', NULL, NULL);
             INSERT INTO problems (id, name, status, stated_status, found_status) VALUES
             ('by_a_file', 'F', 'proven', 'open', 'proven'), ('by_hand', 'H', 'proven', 'open', 'partial'),
             ('by_its_owner', 'O', 'proven', 'proven', 'proven'), ('open', 'P', 'open', 'open', NULL)",
        )
        .unwrap();
    let tables = |connection: &Connection| {
        let mut found = objects(connection);
        found.retain(|(kind, name, ..)| kind == "table" && !name.starts_with("findings_fts"));
        found.into_iter().map(|(_, name, ..)| name).collect::<Vec<_>>()
    };
    let rows = |connection: &Connection, table: &str| {
        one::<i64>(connection, &format!("SELECT count(*) FROM {table}"))
    };
    let before: Vec<(String, i64)> = tables(&connection)
        .into_iter()
        .filter(|table| {
            let is_told = [
                "kinds",
                "lesson_words",
                "findings",
                "proposals",
                "extractions",
                "injection_sessions",
                "job_holds",
                "lesson_shown",
                "error_sightings",
                "renames",
                "rename_packages",
            ];
            let is_part = table.starts_with("fact_") || table.starts_with("proposal_");
            !is_told.contains(&&**table) && !is_part && !table.ends_with("_details")
        })
        .map(|table| (table.clone(), rows(&connection, &table)))
        .collect();
    drop(connection);

    let store = Store::open_current(&path, None).unwrap().unwrap();
    drop(Store::open(&path).unwrap());
    let (jobs, _) = store.jobs(None, None, 9).unwrap();
    assert_eq!(
        (jobs[0].state.as_str(), jobs[0].attempts, jobs[0].finding),
        ("running", 2, Some(7))
    );
    assert_eq!((jobs[1].kind.as_str(), &jobs[1].step), ("playbooks", &None));
    let due = DueFilter { since: String::new(), limit: 9, for_model: true };
    assert_eq!(store.due_runs(&due).unwrap().len(), 1, "it is asked about again");

    let converted = Connection::open(&path).unwrap();
    let after: Vec<_> = before.iter().map(|(t, _)| (t.clone(), rows(&converted, t))).collect();
    assert_eq!(after, before);
    knowledge_is_kept(&store);
    for (id, expected) in [
        ("by_a_file", "partial -"),
        ("by_hand", "proven proven"),
        ("by_its_owner", "proven -"),
        ("open", "open -"),
    ] {
        let sql =
            "SELECT status || ' ' || coalesce(decided_status, '-') FROM problems WHERE id = ?1";
        let said: String = converted.query_row(sql, [id], |row| row.get(0)).unwrap();
        assert_eq!(said, expected, "{id}: no file settles a problem");
    }
    assert_eq!(one::<String>(&converted, "PRAGMA integrity_check"), "ok");
    let fresh = folder.path().join("fresh.db");
    drop(Store::open(&fresh).unwrap());
    let fresh = Connection::open(fresh).unwrap();
    assert_eq!(tables(&converted), tables(&fresh));
    for table in tables(&fresh) {
        assert_eq!(column_names(&converted, &table), column_names(&fresh, &table), "{table}");
    }
    let others = |connection: &Connection| {
        let mut found = objects(connection);
        found.retain(|(kind, ..)| kind != "table");
        found
    };
    assert_eq!(others(&converted), others(&fresh));
    assert_eq!(one::<i64>(&converted, "PRAGMA user_version"), 22);
    let copy = Connection::open(folder.path().join("k.db.bak-v11")).unwrap();
    assert_eq!(one::<i64>(&copy, "PRAGMA user_version"), 11);
    assert_eq!(rows(&copy, "extractions"), 1);
    assert!(!folder.path().join("k.db.bak-v11-2").exists());
}

#[test]
fn databases_of_the_last_versions_get_what_is_new_and_keep_their_rows() {
    let old = [
        (14, "DROP INDEX idx_findings_written"),
        (16, "DROP INDEX idx_findings_theorem"),
        (17, "DROP TABLE kernel_files; DROP TABLE kernel_checks"),
        (18, "CREATE TABLE lesson_shown (finding_id INTEGER, session_id TEXT)"),
        (19, "CREATE TABLE renames (id INTEGER PRIMARY KEY, old TEXT)"),
        (20, "DROP TABLE kernel_accepted"),
        (21, "DROP INDEX idx_open_statements_key"),
        (
            15,
            "DROP TRIGGER findings_counted; DROP TABLE kinds; CREATE TABLE kinds (name TEXT, badge TEXT)",
        ),
    ];
    for (number, undo) in old {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.db");
        drop(Store::open(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        let schema = objects(&connection);
        connection
            .execute_batch(&format!(
                "INSERT INTO findings (finding_type, title, description) VALUES ('failure', 'kept', 'd');
                 INSERT INTO strategies (problem_id, problem_name, approach_name, outcome)
                 VALUES ('p', 'P', 'greedy rounding txt', 'failed');
                 {undo}; PRAGMA user_version = {number};"
            ))
            .unwrap();
        assert_ne!(objects(&connection), schema);
        drop(connection);
        let store = Store::open(&path).unwrap();
        let known = store.knowledge(None, "2026-01-01 00:00:00").unwrap();
        assert_eq!(known.dead_ends, [("kept".to_owned(), None)]);
        assert_eq!(known.by_kind, [(Kind::Failure, 1)].into());
        let converted = Connection::open(&path).unwrap();
        assert_eq!(objects(&converted), schema);
        let approach: String = one(&converted, "SELECT approach_name FROM strategies");
        // Since version 16 none is called by the ending of a file.
        assert_eq!(approach, if number < 16 { "greedy rounding" } else { "greedy rounding txt" });
        assert_eq!(version(&path), 22);
        assert_eq!(version(&folder.path().join(format!("k.db.bak-v{number}"))), number);
    }
}

/// Everything that stood in tables of its own, in the rows of `findings`.
fn knowledge_is_kept(store: &Store) {
    let finding = |id: i64| store.finding(id).unwrap().unwrap();
    let of = |uid: &str| store.findings_by_uid(uid).unwrap().pop().unwrap();
    let lesson = finding(7).content.lesson().unwrap().clone();
    assert_eq!(
        (lesson.signature.as_deref(), lesson.success_count, lesson.recurred, lesson.what_worked),
        (Some("a b"), 3, 1, "new w".to_owned())
    );
    let before = lesson.before.unwrap();
    assert_eq!((before.model.as_str(), before.title.as_str()), ("m", "old title"));
    assert_eq!(store.lessons_about("a b", None).unwrap().len(), 0, "nobody stands for it");
    let fact = finding(8);
    assert_eq!(fact.content.fact().unwrap().value, "4.24");
    assert_eq!(fact.content.status, Status::Confirmed);
    let events = store.fact_events(8, 9).unwrap();
    let told: Vec<_> = events.iter().map(|one| (one.event.as_str(), one.times)).collect();
    assert_eq!(told, [("rival", 2), ("changed", 1)]);
    assert_eq!((finding(9).content.status, finding(9).superseded_by), (Status::Dropped, None));
    let playbook = finding(10).content.detail.unwrap().playbook.unwrap();
    assert_eq!(playbook.source_task_id, "task");
    assert_eq!(
        (finding(12).content.status, finding(12).superseded_by),
        (Status::Superseded, Some(11))
    );
    for (uid, kind, status, word) in [
        ("aa01", Kind::Preference, Status::Proposed, "pending"),
        ("aa02", Kind::Insight, Status::Dropped, "rejected"),
        ("aa03", Kind::Preference, Status::Superseded, "accepted"),
        ("aa04", Kind::Insight, Status::Dropped, "expired"),
        ("aa05", Kind::Fact, Status::Proposed, "pending"),
    ] {
        let content = of(uid).content;
        assert_eq!((content.kind, content.status), (kind, status), "{uid}");
        assert_eq!(content.proposal_status(), Some(word), "{uid}");
    }
    let said = of("aa01");
    assert_eq!(said.content.created_at.as_deref(), Some("2025-12-31 00:00:00"));
    assert_eq!(
        (said.content.source.line, said.content.project.as_deref()),
        (Some(4), Some("here"))
    );
    let said = said.content.said().unwrap().clone();
    assert_eq!(
        (said.before.as_deref(), said.journaled.as_deref()),
        (Some("Before it."), Some("pending"))
    );
    let decision = of("aa02").content.decision().unwrap().clone();
    assert_eq!((decision.reason.as_deref(), decision.by.as_str()), (Some("vague"), "terminal"));
    assert_eq!(of("aa03").superseded_by, Some(11));
    let proposed = of("aa05").content.fact().unwrap().clone();
    assert_eq!((proposed.key.as_str(), proposed.hours), ("a.b", Some(48)));
    assert_eq!(store.proposals_waiting(None).unwrap(), 2);
    let to_journal: Vec<String> =
        store.to_journal().unwrap().into_iter().map(|one| one.uid).collect();
    assert_eq!(to_journal, ["aa04", "aa05"]);
}

#[test]
fn a_hook_leaves_the_conversion_to_the_background() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(include_str!("fixtures/schema_11.sql")).unwrap();
    drop(connection);
    let hasty = Duration::from_secs(1);
    for opened in
        [Store::open_for(&path, Some(hasty)).err(), Store::open_current(&path, Some(hasty)).err()]
    {
        let said = opened.unwrap().to_string();
        assert!(said.contains("schema version 11 and is being converted to 22"), "{said}");
    }
    let connection = Connection::open(&path).unwrap();
    assert_eq!(one::<i64>(&connection, "PRAGMA user_version"), 11);
    drop(connection);
    Store::open_current(&path, None).unwrap().unwrap();
    assert!(Store::open_current(&path, Some(hasty)).unwrap().is_some());
}

#[test]
fn what_is_no_knowledge_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(
        at("text.db"),
        "this is no database, but it is long enough to be looked at as one....",
    )
    .unwrap();
    Connection::open(at("tracking.db"))
        .unwrap()
        .execute_batch("CREATE TABLE submissions (id)")
        .unwrap();
    Connection::open(at("versioned.db")).unwrap().execute_batch("PRAGMA user_version = 7").unwrap();
    drop(Store::open(&at("newer.db")).unwrap());
    Connection::open(at("newer.db")).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    Connection::open(at("shell.db")).unwrap().execute_batch(SPECIFIED).unwrap();
    drop(Store::open(&at("old.db")).unwrap());
    Connection::open(at("old.db")).unwrap().execute_batch("PRAGMA user_version = 7").unwrap();
    // What `.dump` loses.
    drop(Store::open(&at("dump.db")).unwrap());
    Connection::open(at("dump.db"))
        .unwrap()
        .execute_batch("PRAGMA user_version = 0; PRAGMA application_id = 0")
        .unwrap();
    fs::create_dir(at("folder.db")).unwrap();
    for (name, expected) in [
        ("text.db", "is not a database"),
        ("tracking.db", "contains tables submissions"),
        ("versioned.db", "version 7 of application 0"),
        ("newer.db", "has schema version 99, this mk knows versions up to 22: update mk"),
        ("shell.db", "never changed in place: move it to"),
        ("old.db", "of schema version 7, from before the first release"),
        ("dump.db", "takes over what it holds"),
        ("folder.db", "contains a folder"),
    ] {
        let before = fs::read(at(name)).ok();
        for error in
            [Store::open(&at(name)).unwrap_err(), Store::open_current(&at(name), None).unwrap_err()]
        {
            let message = error.to_string();
            assert!(message.contains(expected) && message.contains(name), "{message}");
        }
        assert_eq!(fs::read(at(name)).ok(), before, "{name}");
    }
    let blocked = at("text.db").join("k.db");
    assert!(matches!(Store::open(&blocked).unwrap_err(), StoreError::Io { .. }));
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_refused_without_waiting() {
    for path in ["/dev/full", "/dev/null", "/dev/zero"] {
        let message = Store::open(Path::new(path)).unwrap_err().to_string();
        assert!(message.contains("no regular file"), "{message}");
    }
}

#[test]
fn two_hundred_open_a_missing_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let barrier = std::sync::Barrier::new(200);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..200)
            .map(|number| {
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let mut store = Store::open(path)?;
                    let draft = Draft::new(Kind::Insight, format!("from {number}"), "d");
                    store.write(now(), |writer| writer.put(&draft))
                })
            })
            .collect();
        for worker in workers {
            worker.join().unwrap().unwrap();
        }
    });
    let store = Store::open(&path).unwrap();
    assert_eq!(store.stats().unwrap().findings.total, 200);
    let connection = Connection::open(&path).unwrap();
    assert_eq!(one::<String>(&connection, "PRAGMA journal_mode"), "wal");
    index_is_sound(&connection);
}

#[test]
fn rows_written_by_hand_are_found_after_the_next_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    drop(Store::open(&path).unwrap());
    let shell = Connection::open(&path).unwrap();
    shell
        .execute_batch(
            "INSERT INTO findings (finding_type, title, description, theorem_name)
             VALUES ('theorem', 'by hand', 'd', 'Foo.isOpenBar');
             INSERT INTO findings (finding_type, title, description) VALUES ('insight', x'ff00', 12);",
        )
        .unwrap();
    let store = Store::open(&path).unwrap();
    let symbols: String = one(&shell, "SELECT symbols FROM findings WHERE id = 1");
    assert_eq!(symbols, "bar is n0fooisopenbar n0isopenbar open");
    assert_eq!(store.finding(2).unwrap().unwrap().content.description, "12");
    shell.execute_batch("UPDATE findings SET theorem_name = 'Foo.qux' WHERE id = 1").unwrap();
    assert_eq!(one::<i64>(&shell, "SELECT symbols IS NULL FROM findings WHERE id = 1"), 1);
    drop(Store::open(&path).unwrap());
    assert_eq!(
        one::<String>(&shell, "SELECT symbols FROM findings WHERE id = 1"),
        "n0fooqux n0qux"
    );
    index_is_sound(&shell);
}

#[test]
fn a_healthy_database_has_only_good_checks() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("k.db")).unwrap();
    store.write(now(), |writer| writer.put(&Draft::new(Kind::Insight, "t", "d"))).unwrap();
    let checks = store.check().unwrap();
    let wrong: Vec<_> = checks.iter().filter(|check| check.health != Health::Good).collect();
    assert!(wrong.is_empty() && checks.len() >= 6, "{checks:?}");
}

#[test]
fn what_the_shell_broke_is_seen_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let mut store = Store::open(&path).unwrap();
    store.write(now(), |writer| writer.put(&Draft::new(Kind::Insight, "t", "d"))).unwrap();
    drop(store);
    Connection::open(&path)
        .unwrap()
        .execute_batch(
            "PRAGMA journal_mode = DELETE; PRAGMA recursive_triggers = OFF;
             INSERT OR REPLACE INTO findings (id, finding_type, title, description) VALUES (1, 'insight', 'x', 'y');",
        )
        .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    }
    let mut store = Store::open_current(&path, None).unwrap().unwrap();
    let ill = |store: &Store| -> Vec<&str> {
        let checks = store.check().unwrap();
        checks.iter().filter(|c| c.health != Health::Good).map(|c| c.name).collect()
    };
    assert_eq!(ill(&store), ["search index", "rows", "journal", "permissions"]);
    store.repair().unwrap();
    assert_eq!(ill(&store), [""; 0]);
}

#[test]
fn a_database_is_set_aside_and_never_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    for (number, expected) in ["k.db.aside", "k.db.aside-2"].into_iter().enumerate() {
        fs::write(&path, format!("broken {number}")).unwrap();
        let aside = set_aside(&path).unwrap();
        assert_eq!(aside, folder.path().join(expected));
        assert_eq!(fs::read_to_string(aside).unwrap(), format!("broken {number}"));
        assert!(!path.exists());
    }
}

#[test]
fn a_locked_database_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("k.db");
    drop(Store::open(path).unwrap());
    let patience = Duration::from_millis(50);
    let other = Connection::open(path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let written = Store::open_for(path, Some(patience))
        .and_then(|mut store| store.write(now(), |w| w.put(&Draft::new(Kind::Fact, "t", "d"))));
    let error = written.unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    let mut store = Store::open_for(path, Some(patience)).unwrap();
    store.write(now(), |w| w.put(&Draft::new(Kind::Fact, "t", "d"))).unwrap();
}

#[test]
fn a_damaged_database_is_said_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let mut store = Store::open(&path).unwrap();
    store
        .write(now(), |writer| {
            (0..400).try_for_each(|n| {
                writer.put(&Draft::new(Kind::Insight, format!("t{n}"), "d".repeat(500))).map(|_| ())
            })
        })
        .unwrap();
    drop(store);
    let whole = fs::read(&path).unwrap();
    for start in (0..whole.len()).step_by(4096 * 7) {
        let mut broken = whole.clone();
        let end = (start + 4096).min(broken.len());
        broken[start..end].fill(0x5a);
        fs::write(&path, &broken).unwrap();
        let seen = Store::open_current(&path, None).map(|store| store.unwrap().check());
        let noticed = match &seen {
            Err(StoreError::NotADatabase { .. } | StoreError::Damaged { .. })
            | Ok(Err(StoreError::Damaged { .. })) => true,
            Ok(Ok(checks)) => checks.iter().any(|check| check.health == Health::Bad),
            _ => false,
        };
        assert!(noticed, "page at {start}: {seen:?}");
        assert_eq!(fs::read(&path).unwrap().len(), broken.len());
    }
}

/// Whatever somebody does at the shell, the index fits the findings (as long as triggers run: an
/// INSERT OR REPLACE of an existing row needs recursive triggers).
#[test]
fn any_statements_keep_the_index_sound() {
    let folder = tempfile::tempdir().unwrap();
    for recursive in [true, false] {
        let path = folder.path().join(format!("{recursive}.db"));
        drop(Store::open(&path).unwrap());
        let shell = Connection::open(&path).unwrap();
        shell.pragma_update(None, "recursive_triggers", recursive).unwrap();
        shell.pragma_update(None, "synchronous", false).unwrap();
        let mut dice = 0x2545_f491_4f6c_dd1d_u64;
        let mut roll = |sides: usize| {
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            usize::try_from(dice >> 33).unwrap() % sides
        };
        for round in 0..1500 {
            let (id, word) = (roll(40) + 1, ["alpha", "beta", "∀ x", "Nat.foo'", "12"][roll(5)]);
            let column =
                ["title", "tags", "theorem_name", "symbols", "notes", "problem_id"][roll(6)];
            let statement = match roll(9) {
                0..3 => format!("INSERT INTO findings (finding_type, title, description) VALUES ('insight', \"{word}\", x'00ff')"),
                3 => format!("UPDATE findings SET {column} = \"{word}\" WHERE id = {id}"),
                4 => format!("UPDATE OR IGNORE findings SET id = {} WHERE id = {id}", roll(60) + 1),
                5 => format!("DELETE FROM findings WHERE id = {id}"),
                6 => format!("INSERT INTO findings (id, finding_type, title, description) VALUES ({id}, 'fact', \"{word}\", 1.5)
                              ON CONFLICT (id) DO UPDATE SET title = excluded.title, symbols = 'x'"),
                7 if recursive => format!("INSERT OR REPLACE INTO findings (id, finding_type, title, description) VALUES ({id}, 'fact', \"{word}\", 7)"),
                _ => format!("SAVEPOINT s; UPDATE findings SET title = 'gone' WHERE id > {id}; ROLLBACK TO s; RELEASE s"),
            };
            shell.execute_batch(&statement).ok();
            if round % 100 == 0 {
                index_is_sound(&shell);
            }
        }
        index_is_sound(&shell);
        let store = Store::open(&path).unwrap();
        index_is_sound(&shell);
        assert!(store.stats().unwrap().findings.total > 5);
        assert_eq!(one::<i64>(&shell, "SELECT count(*) FROM findings WHERE symbols IS NULL"), 0);
    }
}

/// A project with a Lake package and a database of version 11 that holds this many findings.
fn with_version_11(findings: usize) -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"p\"\n");
    fs::create_dir_all(env.database().parent().unwrap()).unwrap();
    let connection = Connection::open(env.database()).unwrap();
    connection.execute_batch(include_str!("fixtures/schema_11.sql")).unwrap();
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO findings (finding_type, title, description)
        SELECT 'insight', 'title ' || i, 'words of ' || i FROM n";
    connection.execute(sql, [i64::try_from(findings).unwrap()]).unwrap();
    env
}

fn version(path: &Path) -> i64 {
    one(&Connection::open(path).unwrap(), "PRAGMA user_version")
}

#[test]
fn a_session_starts_beside_the_conversion() {
    let env = with_version_11(3);
    let event = format!(
        r#"{{"hook_event_name":"SessionStart","session_id":"s","source":"startup","cwd":{:?}}}"#,
        env.project()
    );
    let said = env.mk_with_input(&["hook", "session-start"], event.clone()).success();
    assert!(said.contains("schema version 11 and is being converted to 22"), "{said}");
    for _ in 0..500 {
        if version(&env.database()) == 22 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let said = env.mk_with_input(&["hook", "session-start"], event).success();
    assert!(said.contains("3 findings"), "{said}");
}

#[test]
fn a_conversion_that_is_killed_changes_nothing() {
    let env = with_version_11(20_000);
    let path = env.database();
    for wait in [1, 5, 20, 60, 150] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_mk"))
            .arg("stats")
            .env_clear()
            .env("HOME", env.home())
            .current_dir(env.project())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        let connection = Connection::open(&path).unwrap();
        assert!([11, 22].contains(&one::<i64>(&connection, "PRAGMA user_version")));
        assert_eq!(one::<String>(&connection, "PRAGMA integrity_check"), "ok");
        assert_eq!(one::<i64>(&connection, "SELECT count(*) FROM findings"), 20_000);
    }
    env.mk(&["stats"]).success();
    assert_eq!(version(&path), 22);
    assert!(env.mk(&["search", "title", "19999"]).success().contains("title 19999"));
}

/// Every process that opens the database reads all of its write-ahead log.
#[test]
fn the_log_stays_short_however_many_hooks_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let long = 256 * 1024;
    for round in 0..100 {
        let mut store = Store::open_for(&path, Some(Duration::from_secs(5))).unwrap();
        let draft = Draft::new(Kind::Insight, format!("insight {round}"), "It holds.");
        store.write(now(), |writer| writer.put(&draft)).unwrap();
        drop(store);
        let log = fs::metadata(folder.path().join("k.db-wal")).map_or(0, |log| log.len());
        assert!(log < long, "after {round} hooks it has {log} bytes");
    }
}
