//! What the person decides, in the real client: the agent asks, and what it gets and reads.

use serde_json::{Value, json};

use super::api::{Api, Turn};
use super::guard::REFUSAL;
use super::guarded::{Guarded, PROMPT, PROOF, SUMS, leave};
use super::terminal::Terminal;

/// What the agent may run to ask for a lift.
const LIFT: &str = "mk allow add_turn --rule proof-lost --once --reason 'another way is shorter'";

/// What the dialog says, and what the agent is told where nobody can be asked.
const QUESTION: &str = "\
math-forge: lifting proof-lost for `add_turn` (for one edit, within a day) is the person's decision.
What the rule stops: a complete declaration loses its proof.
Reason given: \"another way is shorter\".
Without the person's yes it stays in force.";

/// What the agent is told when it asks in another way.
const ASK_PLAINLY: &str = "math-forge: lifting a rule is the person's decision. Ask for it with `mk allow NAME \
    --rule RULE --reason \"WHY\"` as one plain command (NAME is a declaration or a file), \
    no pipe, variable or other command.";

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_person_is_asked_before_the_agent_adds_knowledge() {
    let guarded = Guarded::new();
    let add = "mk add insight --title 'Sums turn around'";
    let api = Api::start(vec![Turn::bash(add), Turn::Say("It was added.")]);
    let mode = ["--permission-mode".to_owned(), "default".to_owned()];
    let options = [super::plugin(), mode].concat();
    let mut terminal = Terminal::start(&guarded.0, &api, PROMPT, &options);
    terminal.wait_for("Do you want to proceed?");
    assert!(!guarded.0.mk(&["search", "turn around"]).contains("Sums turn around"));
    terminal.press("\r");
    terminal.wait_for("It was added.");
    guarded.assert_silent(&api, 0);
    assert!(guarded.0.mk(&["search", "turn around"]).contains("Sums turn around"));
}

/// The lifts that were ever granted.
fn lifts(guarded: &Guarded) -> Value {
    let lifts = guarded.0.mk(&["allow", "--list", "--all", "--json"]);
    let mut lifts: Value = serde_json::from_str(&lifts).expect("an object");
    lifts["lifts"].take()
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_agent_alone_cannot_lift_a_rule() {
    let guarded = Guarded::new();
    let file = guarded.file();
    let api = guarded.run(vec![
        Turn::bash(LIFT),
        Turn::bash(&format!("sh -c \"{LIFT}\"")),
        Turn::read(&file),
        Turn::edit(&file, PROOF, "  sorry\n"),
        Turn::Say("I leave it."),
    ]);
    guarded.assert_refused(&api, 0, QUESTION);
    guarded.assert_refused(&api, 1, ASK_PLAINLY);
    guarded.assert_refused(&api, 3, REFUSAL);
    assert_eq!(guarded.on_disk(), SUMS);
    assert_eq!(lifts(&guarded), json!([]));
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn what_the_person_lifts_in_the_dialog_is_lifted_once() {
    let guarded = Guarded::new();
    let file = guarded.file();
    let api = Api::start(vec![
        Turn::bash(LIFT),
        Turn::read(&file),
        Turn::edit(&file, PROOF, "  sorry\n"),
        Turn::edit(&file, "  sorry\n", PROOF),
        Turn::edit(&file, PROOF, "  sorry\n"),
        Turn::Say("That was all."),
    ]);
    let options = leave();
    let mut terminal = Terminal::start(&guarded.0, &api, PROMPT, &options);
    for line in QUESTION.lines() {
        terminal.wait_for(line);
    }
    terminal.wait_for("Do you want to proceed?");
    terminal.press("\r");
    terminal.wait_for("That was all.");
    let agreed = "math-forge: the person agreed. proof-lost is lifted for `add_turn`, for one edit, \
        within a day (lift 1). Every other rule holds as before.";
    guarded.assert_noted(&api, 0, "Bash", agreed);
    guarded.assert_silent(&api, 2);
    guarded.assert_silent(&api, 3);
    guarded.assert_refused(&api, 4, REFUSAL);
    assert_eq!(guarded.on_disk(), SUMS);
    let lifts = lifts(&guarded);
    assert_eq!(lifts.as_array().map(Vec::len), Some(1));
    let lift = &lifts[0];
    assert_eq!((&lift["state"], &lift["granted_by"]), (&json!("spent"), &json!("dialog")));
    assert_eq!(lift["reason"], "another way is shorter");
}

/// What the agent is told when a command would change the guard's configuration.
const BY_COMMAND: &str = "\
math-forge refused this command; it did not run.
[policy-changed] it would change the guard's configuration for this project (`.math-forge/config.toml`). Reading it is fine.
What you can do:
  - leave it to the person, and say what you need and why;
  - if it must be done: `mk allow .math-forge/config.toml --rule policy-changed --once --reason \"...\"` asks the person; then run it again.";

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_agent_does_not_edit_the_settings_of_the_guard() {
    let guarded = Guarded::new();
    let project = guarded.0.project();
    let off = "[guard]\nproof-lost = \"off\"\n";
    let user = guarded.0.home().join(".config/math-forge/config.toml");
    let client = project.join(".claude/settings.local.json");
    let api = guarded.run(vec![
        Turn::write(&project.join(".math-forge/config.toml"), off),
        Turn::write(&user, off),
        Turn::write(&client, "{\"disableAllHooks\": true}"),
        Turn::bash("mkdir -p .math-forge && echo '[guard]' > .math-forge/config.toml"),
        Turn::bash("mk config set guard.proof-lost off"),
        Turn::Say("I leave it."),
    ]);
    for (number, what, file) in [
        (0, "the guard's configuration for this project", ".math-forge/config.toml"),
        (1, "the guard's configuration", "$FOLDER/home/.config/math-forge/config.toml"),
        (2, "a setting that switches all hooks off", ".claude/settings.local.json"),
    ] {
        let words = format!(
            "math-forge refused this edit; nothing was written.\n\
             [policy-changed] this would change {what}.\n\
             What you can do:\n  \
             - leave it to the person, and say what you need and why;\n  \
             - if it must be done: `mk allow {file} --rule policy-changed --once --reason \"...\"` asks \
             the person; then edit again."
        );
        guarded.assert_refused(&api, number, &words);
    }
    guarded.assert_refused(&api, 3, BY_COMMAND);
    let not_here = "math-forge: `mk config set` is the person's decision and cannot be made in a \
        session. Say what you need and why; the person can run it in a terminal outside of Claude Code.";
    guarded.assert_refused(&api, 4, not_here);
    assert!(!project.join(".math-forge").exists() && !user.exists() && !client.exists());
}
