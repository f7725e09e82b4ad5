//! What people decide, from the session in which they do to the one that is told: each road on which it is
//! heard, in the real client. The person keeps it in a terminal; a session about the same problem is told it,
//! another is not.

use std::time::Duration;

use serde_json::{Value, json};

use super::api::{Api, Turn};
use super::guarded::{Guarded, SUMS, leave, wait_until};
use super::learning::written;
use super::terminal::Terminal;

/// What the session is about.
const PROMPT: &str = "work on erdos_12";

/// A key that opens the last of a dialog's answers: no.
const UP: &str = "\u{1b}[A";

/// A project in which two problems are known.
fn project() -> Guarded {
    let guarded = Guarded::new();
    for problem in ["erdos_12", "erdos_40"] {
        let title = format!("A remark on {problem}");
        guarded.0.mk(&["add", "insight", "--title", &title, "--problem", problem]);
    }
    guarded
}

/// A session in a terminal.
fn at_terminal(guarded: &Guarded, api: &Api, mode: &str) -> Terminal {
    let mode = ["--permission-mode", mode].map(str::to_owned);
    Terminal::start(&guarded.0, api, PROMPT, &[&super::plugin()[..], &mode].concat())
}

/// Types keys, each when the client has had time for the one before.
fn press(terminal: &mut Terminal, keys: &[&str]) {
    for key in keys {
        std::thread::sleep(Duration::from_millis(800));
        terminal.press(key);
    }
}

/// Waits for these words and ends the session.
fn leave_after(mut terminal: Terminal, words: &str) {
    terminal.wait_for(words);
    press(&mut terminal, &["/exit", "\r"]);
    terminal.ended();
}

/// The proposals that wait.
fn waiting(guarded: &Guarded) -> Vec<Value> {
    let listed = guarded.0.mk(&["review", "list", "--json"]);
    let mut listed: Value = serde_json::from_str(&listed).expect("an object");
    serde_json::from_value(listed["findings"].take()).expect("a list")
}

/// The one proposal of a session: its kind, words and road, who said it, and its problem; with its place.
#[track_caller]
fn assert_proposed(guarded: &Guarded, kind: &str, words: &str, rule: &str, role: &str) -> Value {
    let is_there = || waiting(guarded).iter().any(|one| one["description"] == words);
    assert!(wait_until(is_there), "{words:?} is not among {:#?}", waiting(guarded));
    let all = waiting(guarded);
    let [one] = all.as_slice() else { panic!("more than one: {all:#?}") };
    let said = &one["detail"]["said"];
    assert_eq!(
        (&one["kind"], &said["rule"], &said["role"]),
        (&kind.into(), &rule.into(), &role.into())
    );
    assert_eq!(one["problem"], "erdos_12", "{one:#}");
    assert!(one["session_id"].as_str().is_some_and(|id| id.len() == 36), "{one:#}");
    one.clone()
}

/// Asserts that it stands in the transcript, in this line.
#[track_caller]
fn assert_placed(guarded: &Guarded, proposal: &Value, quote: &str) {
    let source = proposal["detail"]["said"]["source"].as_str().expect("a path");
    let text = std::fs::read_to_string(source).expect("the transcript");
    let line = proposal["source_line"].as_u64().expect("a line");
    let line = text.lines().nth(usize::try_from(line).expect("a number") - 1).expect("the line");
    assert!(line.contains(quote), "{line}");
    assert!(source.starts_with(&*guarded.0.folder().to_string_lossy()));
}

/// The person keeps it, and sessions are told: the one on the branch of its problem, no other.
#[track_caller]
fn assert_told_where_it_belongs(guarded: &Guarded, words: &str) {
    let told = |branch: &str| {
        let mut git = guarded.0.command(std::path::Path::new("git"));
        git.args(["checkout", "-q", "-B", branch]);
        super::session::success(&super::session::run(git));
        let api = Api::start(vec![Turn::Say("Nothing.")]);
        guarded.0.ask(&api, "what is left?", &super::plugin());
        // The briefing above it names the newest of the whole project.
        let told = super::told(&api.asked()[0]);
        told.split_once("Known about the problem at hand")
            .map_or_else(String::new, |(_, here)| here.to_owned())
    };
    let before = told("erdos_12");
    assert!(!before.contains(words), "nobody kept it yet: {before}");
    let mut desk = Terminal::mk(&guarded.0, &["review"]);
    desk.wait_for("1 of 1");
    desk.wait_for(words);
    desk.press("y");
    desk.wait_for("1 confirmed, 0 dropped; none are waiting any more.");
    desk.ended();
    let after = told("erdos_12");
    assert!(after.contains(words), "{after}");
    let other = told("erdos_40");
    assert!(!other.contains(words), "{other}");
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_reason_for_a_refusal() {
    let guarded = project();
    let api = Api::start(vec![Turn::bash("touch seen"), Turn::Say("All right.")]);
    let mut terminal = at_terminal(&guarded, &api, "default");
    terminal.wait_for("Do you want to proceed?");
    let words = "Splitting by parity is a dead end, it loses a factor";
    press(&mut terminal, &[UP, "\t", words, "\r"]);
    leave_after(terminal, "All right.");
    assert!(guarded.heard(&api, 0).failed && !guarded.0.project().join("seen").exists());
    let found = assert_proposed(&guarded, "failure", words, "refused", "person");
    assert_placed(&guarded, &found, words);
    assert_eq!(found["detail"]["said"]["before"], "refused: Bash touch seen");
    assert_told_where_it_belongs(&guarded, words);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn an_answer_to_a_question() {
    let guarded = project();
    let option = |label: &str| json!({"label": label, "description": "a norm"});
    let question = json!({"questions": [{"question": "Which norm do we use?", "header": "Norm",
        "multiSelect": false, "options": [option("sup norm"), option("L2 norm")]}]});
    let api = Api::start(vec![Turn::Use("AskUserQuestion", question), Turn::Say("All right.")]);
    let mut terminal = at_terminal(&guarded, &api, "default");
    terminal.wait_for("Which norm do we use?");
    press(&mut terminal, &["\r"]);
    leave_after(terminal, "All right.");
    let words = "sup norm (asked: Which norm do we use?)";
    let found = assert_proposed(&guarded, "decision", words, "answered", "person");
    assert_placed(&guarded, &found, "sup norm");
    assert_eq!(found["detail"]["said"]["after"], "not chosen: L2 norm");
    assert_told_where_it_belongs(&guarded, words);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn an_edit_that_is_taken_back() {
    let guarded = project();
    let file = guarded.file();
    let (old, new) = ("rw [Nat.add_comm (a + b) c]", "rw [add_comm (a + b) c]");
    let script = vec![
        Turn::read(&file),
        Turn::edit(&file, old, new),
        Turn::Say("I took the prefix off."),
        Turn::Say("All right."),
    ];
    let api = Api::start(script);
    let mut terminal = at_terminal(&guarded, &api, "acceptEdits");
    terminal.wait_for("I took the prefix off.");
    std::thread::sleep(Duration::from_secs(1));
    std::fs::write(&file, SUMS).expect("written");
    press(&mut terminal, &["go on", "\r"]);
    leave_after(terminal, "All right.");
    let words = format!("In Sums.lean `{old}` stays, not `{new}`");
    let found = assert_proposed(&guarded, "decision", &words, "taken-back", "person");
    assert_placed(&guarded, &found, "edited_text_file");
    assert_told_where_it_belongs(&guarded, &format!("In Sums.lean `{old}` stays"));
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_note_of_the_agent() {
    let guarded = project();
    let words = "colourings are functions into Fin k";
    let note = format!("mk note decision '{words}' --problem erdos_12");
    let api = Api::start(vec![Turn::bash(&note), Turn::Say("All right.")]);
    guarded.0.ask(&api, PROMPT, &super::plugin());
    let heard = guarded.heard(&api, 0);
    assert!(!heard.failed && heard.text.contains("It waits for a person"), "{heard:?}");
    assert_proposed(&guarded, "decision", words, "note", "agent");
    assert_told_where_it_belongs(&guarded, words);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_line_of_a_compaction() {
    let guarded = project();
    let words = "the compactness argument, because the family is not closed";
    let summary = "<summary>1. Primary request: erdos_12.\n\nDEAD END: the compactness argument, because \
        the family is not closed</summary>";
    let script = vec![
        Turn::bash("true"),
        Turn::Say("Nothing came of it."),
        written(&guarded, "Nothing came of it.", summary),
        Turn::Say("Two."),
    ];
    let api = Api::start(script);
    guarded.0.converse(&api, &[PROMPT, "/compact", "go on"], &leave());
    let asked: Vec<String> = api.asked().iter().map(super::told).collect();
    let hint = "End the summary with one line for each thing that later sessions should know";
    assert!(asked.iter().any(|request| request.contains(hint)), "the summariser was not asked");
    let found = assert_proposed(&guarded, "failure", words, "summary", "summary");
    assert_placed(&guarded, &found, "DEAD END");
    assert_eq!(found["why_failed"], "the family is not closed");
    assert_told_where_it_belongs(&guarded, words);
}
