//! What becomes of a question of the guard in each permission mode, asked by the session itself or by
//! a subagent.

use super::api::{Api, Turn};
use super::guarded::{Guarded, PROMPT, SUMS, wait_until};
use super::terminal::Terminal;

/// What the guard says of the edit of [`edits`].
const ASKED: &str = "\
[statement-changed] the statement of theorem `add_swap` (line 1) would change: weaker: hypothesis added: h.
    was: theorem add_swap (a b : Nat) : a + b = b + a
    would be: theorem add_swap (a b : Nat) (h : a < b) : a + b = b + a
";

const ASK: &str = "math-forge: this edit needs the person's agreement.\n";

const UNLESS: &str = "\
If it is not given:
  - state the new version under a new name beside this one;
  - leave the statement and prove what is missing as a lemma.
Yes applies to what is named here, for this session.";

const REFUSED: &str = "math-forge refused this edit; nothing was written.\n";

const WAYS: &str = "\
What you can do:
  - state the new version under a new name beside this one;
  - leave the statement and prove what is missing as a lemma;
  - if it must be done: `mk allow add_swap --rule statement-changed --once --reason \"...\"` asks the person; then edit again.";

/// How the person is told of it beside the edit.
const SAID: &str = "math-forge asked you about this edit";

/// What the model says at the end of everything.
const LAST: &str = "That was all.";

/// Edits that weaken a statement, twice, and those who make them: a subagent, if it is one.
fn edits(guarded: &Guarded, is_subagent: bool) -> Vec<Turn> {
    let file = guarded.file();
    let delegated = [Turn::delegate("weaken it")].into_iter().filter(|_| is_subagent);
    let edits = [
        Turn::read(&file),
        Turn::edit(&file, "add_swap (a b : Nat) :", "add_swap (a b : Nat) (h : a < b) :"),
        Turn::edit(&file, "(h : a < b)", "(h : a < b) (k : a = 1)"),
        Turn::Say(LAST),
    ];
    delegated.chain(edits).chain([Turn::Say(LAST)]).collect()
}

fn options(mode: &str) -> Vec<String> {
    let mode = ["--permission-mode", mode, "--allowedTools", "Agent"];
    [&super::plugin()[..], &mode.map(str::to_owned)].concat()
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn with_a_person_a_question_is_asked_once() {
    for (mode, is_subagent) in
        [("default", false), ("acceptEdits", false), ("acceptEdits", true), ("plan", false)]
    {
        let guarded = Guarded::new();
        let api = Api::start(edits(&guarded, is_subagent));
        let mut terminal = Terminal::start(&guarded.0, &api, PROMPT, &options(mode));
        terminal.wait_for("Do you want to make this edit to Sums.lean?");
        assert!(!guarded.on_disk().contains("a < b"), "{mode}");
        let is_agreed = wait_until(|| {
            terminal.press("\r");
            guarded.on_disk().contains("a < b")
        });
        assert!(is_agreed, "{mode}: {}", terminal.screen());
        let is_through = wait_until(|| {
            if mode != "acceptEdits" {
                // The client asks about the second edit for itself.
                terminal.press("\r");
            }
            guarded.on_disk().contains("k : a = 1")
        });
        assert!(is_through, "{mode}: {}", terminal.screen());
        terminal.wait_for(LAST);
        // Claude Code up to 2.1.330 does not show the reason in the dialog of an edit, and what is said of
        // a subagent's edit stands in the subagent's own view.
        if !is_subagent {
            terminal.wait_for(SAID);
            let said: String = SAID.split_whitespace().collect();
            assert_eq!(terminal.screen().matches(&said).count(), 1, "{mode}");
        }
    }
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn without_a_person_it_is_a_refusal() {
    for mode in ["default", "acceptEdits", "auto", "dontAsk", "bypassPermissions"] {
        // In auto mode the client lets no agent start without its own server.
        for is_subagent in [false, true].into_iter().take(if mode == "auto" { 1 } else { 2 }) {
            let guarded = Guarded::new();
            let api = Api::start(edits(&guarded, is_subagent));
            guarded.0.converse(&api, &[PROMPT], &options(mode));
            let number = 1 + usize::from(is_subagent);
            let words = match mode {
                "default" | "acceptEdits" => format!("{ASK}{ASKED}{UNLESS}"),
                _ => format!("{REFUSED}{ASKED}{WAYS}"),
            };
            guarded.assert_refused(&api, number, &words);
            assert_eq!(guarded.on_disk(), SUMS, "{mode}");
        }
    }
}
