//! The guard's hooks beside `/bin/true` and the specification's validator.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use math_forge::model::{Draft, Kind};
use math_forge::store::Store;
use serde_json::{Value, json};

use crate::place::{Place, lean_file};
use crate::timing::{Contender, Times, installed, print, print_faster, race, shared};

/// Lines of the file that is edited.
const LINES: usize = 2_000;
/// Names that moved.
const RENAMES: usize = 5_000;
/// Lemmas that are known to be false.
const FALSE_LEMMAS: usize = 100;
/// Lean files of a large project.
const FILES: usize = 8_750;
/// Runs of each hook.
const ROUNDS: usize = 200;

const VALIDATOR: &str = "the specification's validator";

/// `cargo bench --bench speed -- guard [edits|posts|commands|stops]`
pub(crate) fn run() {
    let words: Vec<String> = std::env::args().collect();
    let parts: [(&str, fn()); 4] =
        [("edits", edits), ("posts", posts), ("commands", commands), ("stops", stops)];
    let named = |name: &str| words.iter().any(|word| word == name);
    let all = !parts.iter().any(|(name, _)| named(name));
    for (name, part) in parts {
        if all || named(name) {
            part();
        }
    }
}

/// A project with the file of [`LINES`] lines, and a tracking database where there is one.
fn project() -> (Rc<Place>, PathBuf, Option<PathBuf>) {
    let place = Rc::new(Place::new());
    let file = place.project.join("Bound.lean");
    fs::write(&file, lean_file(LINES)).expect("a file");
    let shared = shared();
    if let Some(shared) = &shared {
        place.track(shared);
    }
    let script = shared.as_deref().and_then(|shared| validator(&place, shared));
    (place, file, script)
}

fn validator(place: &Place, shared: &Path) -> Option<PathBuf> {
    if !installed("jq") || !installed("sqlite3") {
        return None;
    }
    let place_of = ("### hooks/scripts/lean-validator.sh", "```bash\n");
    place.listing(shared, place_of, "lean-validator.sh")
}

/// An edit in the middle of the file: one that mends a proof, or one that throws it away.
fn edit(file: &Path, denied: bool) -> Value {
    let text = fs::read_to_string(file).expect("the file");
    let number = text.matches("theorem").count() / 2;
    let old = format!("have hstep_{number} : n ^ 2 ≤ m ^ 2 := Nat.pow_le_pow_left hm 2");
    assert_eq!(text.matches(&old).count(), 1, "the edit finds its place");
    let new = if denied {
        "sorry".to_owned()
    } else {
        format!("have hstep_{number} : n ^ 2 ≤ m ^ 2 := by nlinarith [hm, hpos, Nat.sub_nonneg]")
    };
    json!({"file_path": file, "old_string": old, "new_string": new, "replace_all": false})
}

/// The event in each round: another use of the tool, in one of many sessions.
fn rounds(event: Value) -> impl FnMut(usize) -> Vec<u8> {
    move |round| {
        let mut event = event.clone();
        event["tool_use_id"] = json!(format!("toolu_{round}"));
        event["session_id"] = json!(format!("session-{}", round / 2));
        event.to_string().into_bytes()
    }
}

fn is_true() -> Contender {
    Contender::process("/bin/true", Command::new("/bin/true"), None)
}

fn show(times: &[Times]) {
    print(times);
    print_faster(times, VALIDATOR);
}

/// `PreToolUse`: an edit that passes, and one that is refused.
fn edits() {
    for denied in [false, true] {
        let (place, file, script) = project();
        let what = if denied { "is refused" } else { "passes" };
        let bytes = fs::metadata(&file).map_or(0, |meta| meta.len());
        println!("\n  PreToolUse, an edit that {what}: {LINES} lines, {} KB", bytes / 1000);
        let event = json!({"tool_name": "Edit", "tool_input": edit(&file, denied)});
        let event = place.event("PreToolUse", "s", &event);
        place.check(&event, |answer| answer.contains("\"deny\"") == denied);
        let mut contenders = vec![
            is_true(),
            Contender::fed("mk hook", place.mk(&["hook"]), rounds(event.clone())),
            Contender::fed("bin/mk hook", place.launcher(&["hook"]), rounds(event.clone())),
        ];
        if let Some(script) = script {
            contenders.push(Contender::fed(VALIDATOR, place.script(&script), rounds(event)));
        }
        show(&race(contenders, ROUNDS));
    }
}

/// `PostToolUse`: with nothing known, and with false lemmas and a table of renames.
fn posts() {
    for known in [false, true] {
        let (place, file, script) = project();
        if known {
            know(&place);
        }
        let what = if known {
            format!("{FALSE_LEMMAS} false lemmas and {RENAMES} renames known")
        } else {
            "nothing known".to_owned()
        };
        println!("\n  PostToolUse of an edit, {LINES} lines, {what}");
        let event = place.event("PostToolUse", "s", &post(&file));
        let moved = |answer: &str| answer.contains("Nat.sub_nonneg") == known;
        place.check(&event, moved);
        let mut contenders = vec![
            is_true(),
            Contender::fed("mk hook", place.mk(&["hook"]), rounds(event.clone())),
            Contender::fed("bin/mk hook", place.launcher(&["hook"]), rounds(event.clone())),
        ];
        if let Some(script) = script {
            contenders.push(Contender::fed(VALIDATOR, place.script(&script), rounds(event)));
        }
        show(&race(contenders, ROUNDS));
    }
}

/// An edit as the client tells of it afterwards. The file is as it is after the edit.
fn post(file: &Path) -> Value {
    let input = edit(file, false);
    let before = fs::read_to_string(file).expect("the file");
    let text = |key: &str| input[key].as_str().expect("a text").to_owned();
    let (old, new) = (text("old_string"), text("new_string"));
    let at = before.find(&old).expect("the place");
    let line = before[..at].matches('\n').count() + 1;
    let patch = json!([{"oldStart": line, "oldLines": 1, "newStart": line, "newLines": 1,
        "lines": [format!("-  {old}"), format!("+  {new}")]}]);
    fs::write(file, before.replacen(&old, &new, 1)).expect("the file after the edit");
    json!({"tool_name": "Edit", "tool_input": input.clone(), "tool_response": {
        "filePath": file, "oldString": old, "newString": new, "originalFile": before,
        "structuredPatch": patch, "userModified": false, "replaceAll": false}})
}

/// Fills the knowledge database, and gives the project a package whose names moved.
fn know(place: &Place) {
    let revision = "0123456789abcdef0123456789abcdef01234567";
    let package = place.project.join(".lake/packages/mathlib");
    fs::create_dir_all(package.join(".git")).expect("a package");
    fs::write(package.join(".git/HEAD"), format!("{revision}\n")).expect("a revision");
    let manifest = json!({"version": "1.1.0", "packagesDir": ".lake/packages", "packages":
        [{"type": "git", "name": "mathlib", "rev": revision, "inputRev": "main"}]});
    fs::write(place.project.join("lake-manifest.json"), manifest.to_string()).expect("a manifest");
    let now = "2026-01-01T00:00:00Z".parse().expect("a time");
    let path = place.home.join("math-forge/knowledge.db");
    fs::create_dir_all(place.home.join("math-forge")).expect("a folder");
    let mut store = Store::open(&path).expect("the store opens");
    let write = store.write(now, |writer| {
        for number in 0..FALSE_LEMMAS {
            let name = format!("false_bound_{number}");
            let mut draft = Draft::new(Kind::FalseLemma, name.clone(), "It fails at 7.");
            draft.theorem_name = Some(name);
            draft.theorem_statement =
                Some(format!("(n m : ℕ) (h : n < m) : n ^ {number} + 1 ∣ m ^ {number}"));
            draft.counterexample = Some("n = 7".to_owned());
            writer.put(&draft)?;
        }
        Ok(())
    });
    write.expect("the store is filled");
    let old = |new: &str, name: &str| {
        format!("@[deprecated {new} (since := \"2025-11-03\")] theorem {name} : p := h\n")
    };
    let renames = (0..RENAMES)
        .map(|number| old(&format!("New.le_{number}"), &format!("Old.part{number}.le_of_lt")));
    let used = old("Nat.sub_nonneg_of_le", "Nat.sub_nonneg");
    fs::create_dir_all(package.join("Mathlib/Order")).expect("a folder");
    let text: String = renames.chain([used]).collect();
    fs::write(package.join("Mathlib/Order/Basic.lean"), text).expect("a file");
    place.run(&["index"], b"");
}

/// `PostToolUse` after a command that only reads, and after one that writes the file.
fn commands() {
    let (place, file, _) = project();
    place.run(&["snapshot", "--session", "s"], b"");
    println!("\n  PostToolUse of Bash, {LINES} lines in the file that is written");
    let event = |command: &str| {
        let more = json!({"tool_name": "Bash", "duration_ms": 5, "tool_use_id": "toolu_1",
            "tool_input": {"command": command, "description": "what it does"},
            "tool_response": {"stdout": "", "stderr": "", "interrupted": false}});
        place.event("PostToolUse", "s", &more)
    };
    let reads = event("grep -n theorem Bound.lean | head -20");
    let writes = event("sed -i 's/hstep/hnext/' Bound.lean");
    for event in [&reads, &writes] {
        place.check(event, str::is_empty);
    }
    let touched = {
        let (event, text) = (writes.clone(), fs::read_to_string(&file).expect("the file"));
        let file = file.clone();
        move |round: usize| {
            let now = text.replace("hstep", &format!("hstep{}", round % 2));
            fs::write(&file, now).expect("the command's work");
            event.to_string().into_bytes()
        }
    };
    let again = touched.clone();
    let read = reads.to_string().into_bytes();
    let contenders = vec![
        is_true(),
        Contender::process("mk hook, it only reads", place.mk(&["hook"]), Some(read.clone())),
        Contender::process("bin/mk hook, it only reads", place.launcher(&["hook"]), Some(read)),
        Contender::fed("mk hook, it writes the file", place.mk(&["hook"]), touched),
        Contender::fed("bin/mk hook, it writes the file", place.launcher(&["hook"]), again),
    ];
    print(&race(contenders, ROUNDS));
}

/// Stop: after a turn in which nothing was written, and after a command in a large project.
fn stops() {
    let (place, _, _) = project();
    let library = place.project.join("Library");
    let text = lean_file(120);
    for number in 0..FILES {
        let folder = library.join(format!("Part{}", number / 50));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("File{number}.lean")), &text).expect("a file");
    }
    let written = library.join("Part0/File0.lean");
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "all"]] {
        let git = Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
            .args(arguments)
            .current_dir(&place.project)
            .status();
        assert!(git.is_ok_and(|status| status.success()), "git {arguments:?} works");
    }
    for session in ["idle", "busy"] {
        place.run(&["snapshot", "--session", session], b"");
    }
    // What was written before the command is not the command's.
    std::thread::sleep(Duration::from_secs(2));
    println!("\n  Stop in a project of {FILES} Lean files");
    let stop = |session: &str| {
        let event = place.event("Stop", session, &json!({"stop_hook_active": false}));
        event.to_string().into_bytes()
    };
    let idle = stop("idle");
    let (busy, here) = (stop("busy"), Rc::clone(&place));
    let after_command = move |round: usize| {
        fs::write(&written, format!("{text}-- {round}\n")).expect("the command's work");
        let command = json!({"tool_name": "Bash", "duration_ms": 5, "tool_use_id": "toolu_1",
            "tool_input": {"command": "make all"}, "tool_response": {"stdout": ""}});
        let command = here.event("PostToolUse", "busy", &command);
        here.run(&["hook"], command.to_string().as_bytes());
        busy.clone()
    };
    let again = after_command.clone();
    let contenders = vec![
        is_true(),
        Contender::process("mk hook, nothing was written", place.mk(&["hook"]), Some(idle.clone())),
        Contender::process(
            "bin/mk hook, nothing was written",
            place.launcher(&["hook"]),
            Some(idle),
        ),
        Contender::fed("mk hook, a command wrote a file", place.mk(&["hook"]), after_command),
        Contender::fed("bin/mk hook, a command wrote a file", place.launcher(&["hook"]), again),
    ];
    print(&race(contenders, ROUNDS / 4));
}
