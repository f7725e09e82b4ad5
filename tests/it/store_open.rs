//! Opening a knowledge database: new, old, foreign, damaged, shared, in odd places.

use std::fs;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use math_forge::model::{Draft, Kind};
use math_forge::store::{Health, Store, StoreError, set_aside};
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

/// What version 18 had besides.
const VERSION_18: &str = "CREATE TABLE lesson_shown (finding_id INTEGER, session_id TEXT);
    INSERT INTO lesson_shown VALUES (7, 's');
    ALTER TABLE error_sightings ADD COLUMN told TEXT; PRAGMA user_version = 18;";

/// A database of version 18.
fn make_version_18(path: &Path) -> Connection {
    drop(Store::open(path).unwrap());
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(VERSION_18).unwrap();
    connection
}

#[test]
fn a_database_of_an_older_version_is_converted_with_a_copy_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let connection = make_version_18(&path);
    connection
        .execute_batch(
            "INSERT INTO findings (finding_type, title, description) VALUES ('failure', 'kept', 'd')",
        )
        .unwrap();
    drop(connection);
    let store = Store::open(&path).unwrap();
    drop(Store::open(&path).unwrap());
    let known = store.knowledge(None, "2026-01-01 00:00:00").unwrap();
    assert_eq!(known.dead_ends, ["kept"]);
    assert_eq!(known.by_kind, [(Kind::Failure, 1)].into());
    let converted = Connection::open(&path).unwrap();
    assert_eq!(one::<String>(&converted, "PRAGMA integrity_check"), "ok");
    let fresh = folder.path().join("fresh.db");
    drop(Store::open(&fresh).unwrap());
    assert_eq!(objects(&converted), objects(&Connection::open(fresh).unwrap()));
    assert_eq!(version(&path), 19);
    let copy = Connection::open(folder.path().join("k.db.bak-v18")).unwrap();
    assert_eq!(one::<i64>(&copy, "SELECT count(*) FROM lesson_shown"), 1);
    assert_eq!(one::<i64>(&copy, "PRAGMA user_version"), 18);
    assert!(!folder.path().join("k.db.bak-v18-2").exists());
}

#[test]
fn a_hook_leaves_the_conversion_to_the_background() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    drop(make_version_18(&path));
    let hasty = Duration::from_secs(1);
    for opened in
        [Store::open_for(&path, Some(hasty)).err(), Store::open_current(&path, Some(hasty)).err()]
    {
        let said = opened.unwrap().to_string();
        assert!(said.contains("schema version 18 and is being converted to 19"), "{said}");
    }
    let connection = Connection::open(&path).unwrap();
    assert_eq!(one::<i64>(&connection, "PRAGMA user_version"), 18);
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
        ("newer.db", "has schema version 99, this mk knows versions up to 19: update mk"),
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
fn a_full_disk_is_said_and_nothing_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.db");
    let mut store = Store::open(&path).unwrap();
    store.write(now(), |writer| writer.put(&Draft::new(Kind::Insight, "kept", "d"))).unwrap();
    store.limit_pages(150).unwrap();
    let big = Draft::new(Kind::Insight, "big", "x ".repeat(1_000_000));
    let error = store
        .write(now(), |writer| {
            writer.put(&Draft::new(Kind::Insight, "small", "d"))?;
            writer.put(&big)
        })
        .unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(error.to_string().ends_with("the disk is full; nothing was changed"), "{error}");
    assert_eq!(store.stats().unwrap().findings.total, 1);
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

/// A project with a Lake package and a database of version 18 that holds this many findings.
fn with_version_18(findings: usize) -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"p\"\n");
    fs::create_dir_all(env.database().parent().unwrap()).unwrap();
    let connection = make_version_18(&env.database());
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
    let env = with_version_18(3);
    let event = format!(
        r#"{{"hook_event_name":"SessionStart","session_id":"s","source":"startup","cwd":{:?}}}"#,
        env.project()
    );
    let said = env.mk_with_input(&["hook", "session-start"], event.clone()).success();
    assert!(said.contains("schema version 18 and is being converted to 19"), "{said}");
    for _ in 0..500 {
        if version(&env.database()) == 19 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let said = env.mk_with_input(&["hook", "session-start"], event).success();
    assert!(said.contains("3 findings"), "{said}");
}

#[test]
fn a_conversion_that_is_killed_changes_nothing() {
    let env = with_version_18(20_000);
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
        assert!([18, 19].contains(&one::<i64>(&connection, "PRAGMA user_version")));
        assert_eq!(one::<String>(&connection, "PRAGMA integrity_check"), "ok");
        assert_eq!(one::<i64>(&connection, "SELECT count(*) FROM findings"), 20_000);
    }
    env.mk(&["stats"]).success();
    assert_eq!(version(&path), 19);
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
