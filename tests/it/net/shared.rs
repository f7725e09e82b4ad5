//! The same on data that is not in the repository: of these recordings only a sum is kept. Skipped,
//! and said so, where the data is absent.

use std::fs;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use serde_json::Value;

use super::stage::Stage;
use super::{Part, Recording, short_hash, together};

pub(super) const TOPIC: &str = "shared";

/// Instead of each text, how long it is and its hash.
pub(super) fn summed(recordings: Vec<Recording>) -> Vec<Recording> {
    let sum = |Recording { name, text }: Recording| {
        let code = text.rsplit_once("\n--- exit ").map_or("0", |(_, code)| code);
        let hash = short_hash(&text);
        let text =
            format!("exit {code}, {} lines, {} bytes, {hash}", text.lines().count(), text.len());
        Recording { name, text }
    };
    recordings.into_iter().map(sum).collect()
}

const LINES: &[&str] = &[
    "import --dry-run",
    "import",
    "extract submissions --dry-run",
    "extract submissions",
    "extract submissions",
    "import",
    "stats",
    "brief",
    "brief --budget 900",
    "queue",
    "search chain",
    "search tuza bound -n 20",
    "search --kind false-lemma -n 50",
    "search --kind failure -n 50",
    "search --confidence verified -n 50",
    "search Finset.card --explain",
    "find tuza_nu4",
    "find tuza --all",
    "find erdos --all",
    "failed",
    "failed bound -n 50",
    "strategies",
    "strategies nt",
    "show 1,2,3,4,5,10,20,50,100",
    "outline submissions",
    "outline --gaps submissions",
    "audit",
    "audit --notes",
    "audit --deny gaps,axiom submissions",
    "audit --sarif",
    "projects",
    "doctor",
    "gc --dry-run",
];

/// Runs a script at a moment that is always the same.
fn run_python(script: &Path, arguments: &[&str]) {
    const AT_A_MOMENT: &str = "\
import datetime, runpy, sys
class Fixed(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 3, 4, 11, tzinfo=tz)
datetime.datetime = Fixed
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name='__main__')
";
    let mut command = Command::new("python3");
    command.arg("-c").arg(AT_A_MOMENT).arg(script).args(arguments).env("TZ", "UTC");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Sets what `SQLite` itself took for the time of a row to a moment that is always the same.
fn stop_clock(file: &Path) {
    let database = Connection::open(file).unwrap();
    let sql = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND c.name LIKE '%\\_at' ESCAPE '\\'";
    let mut statement = database.prepare(sql).unwrap();
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    for column in columns {
        let (table, name): (String, String) = column.unwrap();
        let sql = format!(
            "UPDATE {table} SET {name} = '2026-03-04 11:00:00' WHERE {name} > '2026-03-05'"
        );
        database.execute(&sql, []).unwrap();
    }
}

/// A whole repository of an owner's, in text or in JSON.
fn owner(data: &Path, json: bool) -> Vec<Recording> {
    let stage = Stage::at_noon();
    let place = stage.env.home().with_extension("owner");
    let script = data.join("owner/make_owner.py");
    run_python(&script, &[place.to_str().unwrap(), "--scale", "small", "--seed", "1"]);
    stage.take(&place.join("project"));
    stage.commit();
    stage.quietly("init --no-import --no-journal", "");
    for line in LINES {
        let bare = !json || line.contains("--sarif");
        stage.mk(&if bare { (*line).to_owned() } else { format!("{line} --json") });
    }
    named("owner", stage.done())
}

/// A prover's database in one vocabulary.
fn database(data: &Path, vocabulary: &str) -> Vec<Recording> {
    let stage = Stage::at_noon();
    let file = stage.write("submissions/tracking.db", "");
    fs::remove_file(&file).unwrap();
    let script = data.join("tracking/make_tracking.py");
    run_python(&script, &[file.to_str().unwrap(), "--seed", "1", "--vocabulary", vocabulary]);
    stop_clock(&file);
    stage.quietly("init --no-import --no-journal", "");
    for line in [
        "import --dry-run",
        "import",
        "import --json",
        "brief --json",
        "stats --json",
        "failed",
        "failed --json",
        "search --kind false-lemma -n 50 --json",
        "search bound --json",
        "strategies --json",
    ] {
        stage.mk(line);
    }
    named(vocabulary, stage.done())
}

/// What the hooks answer to what a real client sent, with a file that it names where it can be.
fn payloads(data: &Path) -> Vec<Recording> {
    let stage = super::commands::project(Stage::new());
    stage.quietly("init --no-import --no-journal", "");
    stage.quietly("extract results", "");
    stage.keep();
    let mut files: Vec<_> = fs::read_dir(data.join("hook-payloads"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with("env."))
        .collect();
    files.sort();
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let place = serde_json::from_str::<Value>(&text).unwrap()["cwd"].clone();
        let place = place.as_str().unwrap_or("/none").to_owned();
        let here = text.replace(&place, &stage.env.project().to_string_lossy());
        for (where_, text) in [("there", text), ("here", here)] {
            stage.run(&format!("{name}, {where_}"), &["hook".to_owned()], Some(text.as_bytes()));
            stage.restore(&[]);
        }
    }
    named("payload", stage.done())
}

fn named(what: &str, mut recordings: Vec<Recording>) -> Vec<Recording> {
    for one in &mut recordings {
        one.name = format!("{what}: {}", one.name);
    }
    recordings
}

pub(super) fn recorded(data: &Path) -> Vec<Recording> {
    let part = |made: fn(&Path) -> Vec<Recording>| -> Part {
        let data = data.to_owned();
        Box::new(move || made(&data))
    };
    together(vec![
        part(|data| owner(data, false)),
        part(|data| owner(data, true)),
        part(|data| database(data, "old")),
        part(|data| database(data, "new")),
        part(payloads),
    ])
}
