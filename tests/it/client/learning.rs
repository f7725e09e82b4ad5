//! Learning in the real client: what one session met and mended, another one is told.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::api::{Api, Turn};
use super::guarded::{Guarded, PROMPT, SUMS, wait_until};

/// Prints what Lake 5 prints, with the exit codes that it has, for a library of the one file
/// `Sums.lean`: an error for the first place of `Nat.add_com`, a name that Lean does not know.
const LAKE: &str = r#"#!/bin/sh
[ "$*" = build ] || { echo "error: unknown command '$*'" >&2; exit 1; }
at=$(awk '{ at = index($0, "Nat.add_com "); if (at) { print NR ":" at - 1; exit } }' Sums.lean)
if [ -z "$at" ]; then
  echo "✔ [2/3] Built Sums (1.1s)"
  echo "Build completed successfully (3 jobs)."
  exit 0
fi
echo "✖ [2/3] Building Sums (1.2s)"
echo "trace: .> LEAN_PATH=.lake/build/lib/lean lean Sums.lean -o .lake/build/lib/lean/Sums.olean"
echo "error: Sums.lean:$at: Unknown identifier \`Nat.add_com\`"
echo "error: Lean exited with code 1"
echo "Some required targets logged failures:"
echo "- Sums"
echo "error: build failed" >&2
exit 1
"#;

/// A theorem that is proved with a name that Lean does not know.
const WRONG: &str = "\ntheorem add_one (a : Nat) : a + 1 = 1 + a := Nat.add_com a 1\n";

/// The same with the right one.
fn right(text: &str) -> String {
    text.replace("Nat.add_com ", "Nat.add_comm ")
}

const LAST: &str = "  rw [Nat.add_assoc]\n";

/// A session that brings in a name that Lean does not know, is compacted, finds the right name, is
/// compacted again and ends.
fn first_session(guarded: &Guarded) -> Api {
    guarded.0.program("lake", LAKE);
    let file = guarded.file();
    let script = vec![
        Turn::read(&file),
        Turn::edit(&file, LAST, &format!("{LAST}{WRONG}")),
        Turn::bash("lake build"),
        Turn::Say("It does not build."),
        written(guarded, "Unknown identifier", "<summary>One name is wrong.</summary>"),
        Turn::read(&file),
        Turn::edit(&file, WRONG, &right(WRONG)),
        Turn::bash("lake build"),
        Turn::Say("It builds."),
        written(guarded, "Build completed", "<summary>It builds now.</summary>"),
        Turn::Say("Nothing."),
    ];
    let prompts = [PROMPT, "/compact", "go on", "/compact", "what is left?"];
    guarded.converse(script, &prompts)
}

/// Says something when the client has written these words to its transcript, which it does with a delay.
pub(super) fn written(guarded: &Guarded, words: &'static str, says: &'static str) -> Turn {
    let projects = guarded.0.home().join(".claude/projects");
    let holds = move |path: PathBuf| fs::read_to_string(path).is_ok_and(|t| t.contains(words));
    Turn::decide(move |_| {
        wait_until(|| transcripts(&projects).into_iter().any(holds));
        Turn::Say(says)
    })
}

/// One number from the knowledge database.
fn count(guarded: &Guarded, sql: &str) -> i64 {
    let path = guarded.0.home().join(".local/share/math-forge/knowledge.db");
    let Ok(database) = rusqlite::Connection::open(path) else { return -1 };
    database.query_row(sql, [], |row| row.get(0)).unwrap_or(-1)
}

/// The transcripts of all projects.
fn transcripts(projects: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(projects).into_iter().flatten().flatten();
    let files = folders.filter_map(|folder| fs::read_dir(folder.path()).ok()).flatten().flatten();
    let is_transcript = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    files.map(|file| file.path()).filter(is_transcript).collect()
}

/// Bytes of the only transcript.
fn length_of_transcript(guarded: &Guarded) -> i64 {
    let transcripts = transcripts(&guarded.0.home().join(".claude/projects"));
    let [one] = transcripts.as_slice() else { panic!("{transcripts:?}") };
    fs::metadata(one).expect("a file").len().try_into().expect("a length")
}

const CLOSED: &str = "SELECT count(*) FROM transcripts WHERE closed = 1";

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn what_one_session_mends_another_one_is_told() {
    let guarded = Guarded::new();
    let api = first_session(&guarded);
    let failed = guarded.heard(&api, 2);
    assert!(failed.failed && failed.text.contains("Unknown identifier"), "{failed:?}");
    assert!(failed.said.is_empty(), "nothing is known of it yet: {failed:?}");
    guarded.assert_silent(&api, 5);
    assert_eq!(guarded.on_disk(), format!("{SUMS}{}", right(WRONG)));
    what_was_in_hand_comes_back(&guarded, &api);

    assert!(wait_until(|| count(&guarded, CLOSED) == 1), "the end of the session was not read");
    assert_eq!(count(&guarded, "SELECT offset FROM transcripts"), length_of_transcript(&guarded));
    let lessons = guarded.0.mk(&["lessons", "--json"]);
    let lessons: Value = serde_json::from_str(&lessons).expect("an object");
    assert_eq!(lessons["total"], 1, "{lessons}");
    another_session_is_told(&guarded);
}

/// After each compaction the model reads what it had in hand.
fn what_was_in_hand_comes_back(guarded: &Guarded, api: &Api) {
    let after = |summary: &str| {
        let mut asked = api.asked().into_iter().map(|request| super::told(&request));
        let told = asked.rfind(|told| told.contains(summary)).expect("a compaction");
        guarded.neutral(&told)
    };
    let hand = "\\nIn hand before the compaction: `Sums.lean`.\\n";
    let error =
        "Last Lean error, not known to be solved: Sums.lean:9: Unknown identifier `Nat.add_com`";
    let told = after("One name is wrong.");
    assert!(told.contains(&format!("{hand}{error}")), "{told}");
    let told = after("It builds now.");
    assert!(told.contains(hand) && !told.contains("not known to be solved"), "{told}");
}

/// What the model receives beside the error that another session mended.
const ADVICE: &str = "math-forge #1 (this error came up before; worked once): The error went away after replacing \
    `Nat.add_com` with `Nat.add_comm`.";

fn another_session_is_told(guarded: &Guarded) {
    let file = guarded.file();
    let again = "\ntheorem add_two (a : Nat) : a + 2 = 2 + a := Nat.add_com a 2\n";
    let api = guarded.run(vec![
        Turn::read(&file),
        Turn::edit(&file, LAST, &format!("{LAST}{again}")),
        Turn::bash("lake build"),
        Turn::bash("lake build"),
        Turn::edit(&file, again, &right(again)),
        Turn::bash("lake build"),
        Turn::Say("It builds."),
    ]);
    guarded.heard(&api, 2).assert_said("PostToolUseFailure:Bash", ADVICE);
    assert!(guarded.heard(&api, 3).said.is_empty(), "it is told once");
    guarded.assert_silent(&api, 5);
    let closed = || count(guarded, CLOSED) == 2;
    assert!(wait_until(closed), "the end of the other session was not read");
    let lessons = guarded.0.mk(&["lessons"]);
    assert!(lessons.contains("worked twice"), "{lessons}");
}
