//! The guard in the real client: what the model receives, word for word, and what is on the disk.

use serde_json::Value;

use super::api::Turn;
use super::guarded::{Guarded, PROMPT, PROOF, SUMS};

/// What the model receives when the proof of `add_turn` would be gone.
pub(super) const REFUSAL: &str = "\
math-forge refused this edit; nothing was written.
[proof-lost] theorem `add_turn` (line 4) would lose its proof: left with `sorry` at line 5.
What would be lost:
    by
      rw [Nat.add_comm (a + b) c]
      rw [Nat.add_comm a b]
      rw [Nat.add_assoc]
What you can do:
  - keep the proof and change only the step that has to change;
  - try another proof in a new declaration, where `sorry` is fine; move it here when it has no gap;
  - state the step that is missing as a new lemma with `sorry`, and use it in this proof;
  - if it must be done: `mk allow add_turn --rule proof-lost --once --reason \"...\"` asks the person; then edit again.";

/// What it receives when a command took that proof away.
const CUT_AWAY: &str = "\
math-forge: `sed` has written `Sums.lean`, and a finished proof is gone.
[proof-lost] theorem `add_turn` (line 4) lost its proof: left with `sorry` at line 5.
What was lost:
    by
      rw [Nat.add_comm (a + b) c]
      rw [Nat.add_comm a b]
      rw [Nat.add_assoc]
This restores the whole file as it was then; what was changed in it since is lost:
    git show $REVISION:Sums.lean > Sums.lean
Or put back only what is gone, with Edit. If the change is intended: `mk allow add_turn --rule proof-lost --once --reason \"...\"` asks the person. If it was the person who changed it, leave it and say so.";

/// What it receives for the proof of `add_swap`, after a sentence that names file and program.
const SWAP_AWAY: &str = "\
[proof-lost] theorem `add_swap` (line 1) lost its proof: left with `sorry` at line 2.
What was lost:
    by
      rw [Nat.add_comm]
This restores the whole file as it was then; what was changed in it since is lost:
    git show $REVISION:Sums.lean > Sums.lean
Or put back only what is gone, with Edit. If the change is intended: `mk allow add_swap --rule proof-lost --once --reason \"...\"` asks the person. If it was the person who changed it, leave it and say so.";

/// The sentence that names them at the end of a turn.
const TIDIED: &str =
    "math-forge: in `Sums.lean`, which `sh tidy.sh` wrote, a finished proof is gone.\n";

/// A command that takes the proof of `add_turn` away behind the editing tools.
const CUT: &str = "sed -i '5,6d; 7s/rw.*/sorry/' Sums.lean";

/// A script that takes the proof of `add_swap` away; its name does not tell of the file.
const TIDY: &str = "sh tidy.sh";

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_sketch_passes_in_silence() {
    let guarded = Guarded::new();
    let file = guarded.file();
    let swap = "  rw [Nat.add_comm]\n";
    let sketch =
        "\ntheorem add_four (a b c d : Nat) : a + b + c + d = d + c + b + a := by\n  sorry\n";
    let step = "  have h : a + b + c = c + b + a := by sorry\n  sorry\n";
    let helped = "  have h : a + b + c = c + b + a := add_turn a b c\n  sorry\n";
    let api = guarded.run(vec![
        Turn::read(&file),
        Turn::edit(&file, swap, &format!("{swap}{sketch}")),
        Turn::edit(&file, "  sorry\n", step),
        Turn::edit(&file, step, helped),
        Turn::delegate("help with the sums"),
        Turn::read(&file),
        Turn::edit(&file, "by\n  rw [Nat.add_comm]\n", "Nat.add_comm a b\n"),
        Turn::Say("Shorter."),
        Turn::Say("Sketched."),
    ]);
    for number in 0..7 {
        guarded.assert_silent(&api, number);
    }
    assert_eq!(api.feedback(PROMPT), [""; 0]);
    assert_eq!(api.feedback("help with the sums"), [""; 0]);
    let sketched = SUMS.replace(swap, &format!("{swap}{}", sketch.replace("  sorry\n", helped)));
    let shorter = sketched.replace("by\n  rw [Nat.add_comm]\n", "Nat.add_comm a b\n");
    assert_eq!(guarded.on_disk(), shorter);
}

/// What the model receives when two proofs would be gone.
const TWO_REFUSED: &str = "\
math-forge refused this edit; nothing was written.
[proof-lost] theorem `add_swap` (line 1) would lose its proof: left with `sorry` at line 2.
    by rw [Nat.add_comm]
[proof-lost] theorem `add_turn` (line 4) would lose its proof: left with `sorry` at line 5 and 1 more gap.
    by rw [Nat.add_comm (a + b) c] ...
What you can do:
  - keep the proof and change only the step that has to change;
  - try another proof in a new declaration, where `sorry` is fine; move it here when it has no gap;
  - state the step that is missing as a new lemma with `sorry`, and use it in this proof;
  - if it must be done: `mk allow Sums.lean --rule proof-lost --for 30m --reason \"...\"` asks the person; then edit again.";

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_proof_is_not_replaced_by_an_edit() {
    let guarded = Guarded::new();
    let file = guarded.file();
    let api = guarded.run(vec![
        Turn::read(&file),
        Turn::edit(&file, PROOF, "  sorry\n"),
        Turn::edit_all(&file, "  rw [Nat.add_comm", "  sorry -- [Nat.add_comm"),
        Turn::Say("I leave it."),
    ]);
    guarded.assert_refused(&api, 1, REFUSAL);
    guarded.assert_refused(&api, 2, TWO_REFUSED);
    assert_eq!(api.feedback(PROMPT), [""; 0]);
    assert_eq!(guarded.on_disk(), SUMS);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_proof_is_not_replaced_by_writing_the_file() {
    let guarded = Guarded::new();
    let file = guarded.file();
    let shorter = SUMS.replace("by\n  rw [Nat.add_comm]\n", "Nat.add_comm a b\n");
    let api = guarded.run(vec![
        Turn::read(&file),
        Turn::write(&file, &SUMS.replace(PROOF, "  sorry\n")),
        Turn::write(&file, &shorter),
        Turn::Say("I leave it."),
    ]);
    guarded.assert_refused(&api, 1, REFUSAL);
    guarded.assert_silent(&api, 2);
    assert_eq!(guarded.on_disk(), shorter);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_command_that_takes_a_proof_is_told_at_once() {
    let guarded = Guarded::new();
    let api = guarded.run(vec![
        guarded.bash_later(CUT),
        Turn::bash("sed -i '2s/rw.*/sorry/' Sums.lean && false"),
        Turn::bash("cat Sums.lean"),
        Turn::Say("Done with it."),
    ]);
    guarded.assert_blamed(&api, 0, CUT_AWAY);
    let failed = guarded.heard(&api, 1);
    let words = "math-forge: `sed` has written `Sums.lean`, and a finished proof is gone.\n";
    let words = format!("{words}{SWAP_AWAY}");
    failed.assert_said("PostToolUseFailure:Bash", &words);
    assert!(failed.failed && failed.text.contains("Exit code 1"), "{failed:?}");
    // It is told once, and nobody touched the file.
    assert_eq!(guarded.feedback(&api), [""; 0]);
    let cut = SUMS.replace("rw [Nat.add_comm]", "sorry").replace(PROOF.trim_start(), "sorry\n");
    assert_eq!(guarded.on_disk(), cut);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_proof_that_a_script_took_is_reported_once_and_comes_back() {
    let guarded = Guarded::new();
    let script = vec![
        guarded.bash_later(TIDY),
        Turn::Say("Done with it."),
        Turn::Say("I saw it."),
        Turn::bash("cat Sums.lean"),
        Turn::Say("Nothing new."),
        Turn::decide(|request| Turn::bash(&command_that_was_told(request))),
        Turn::Say("It is back."),
    ];
    let api = guarded.converse(script, &[PROMPT, "go on", "bring it back"]);
    guarded.assert_silent(&api, 0);
    assert_eq!(guarded.feedback(&api), [format!("{TIDIED}{SWAP_AWAY}")]);
    let tidied = SUMS.replace("rw [Nat.add_comm]", "sorry");
    assert_eq!(guarded.heard(&api, 1).text, tidied.trim_end(), "nobody touched the file");
    guarded.assert_silent(&api, 2);
    assert_eq!(guarded.on_disk(), SUMS);
}

/// The `git show` command of the Stop hook's words.
fn command_that_was_told(request: &Value) -> String {
    let told = request["messages"].to_string();
    let start = told.find("git show").unwrap_or(told.len());
    told[start..].split('\\').next().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_subagent_is_told_the_same_and_its_scripts_are_seen() {
    let guarded = Guarded::new();
    let file = guarded.file();
    let api = guarded.run(vec![
        Turn::delegate("make it shorter"),
        Turn::read(&file),
        Turn::edit(&file, PROOF, "  sorry\n"),
        guarded.bash_later(CUT),
        Turn::bash(TIDY),
        Turn::Say("Made shorter."),
        Turn::Say("It is shorter."),
        Turn::Say("I saw it."),
    ]);
    guarded.assert_refused(&api, 2, REFUSAL);
    guarded.assert_blamed(&api, 3, CUT_AWAY);
    guarded.assert_silent(&api, 4);
    assert_eq!(api.feedback("make it shorter"), [""; 0]);
    assert_eq!(guarded.feedback(&api), [format!("{TIDIED}{SWAP_AWAY}")]);
}

/// What the model receives when the same is refused for the third time.
const COACHING: &str = "\
math-forge refused this edit; nothing was written.
[proof-lost] theorem `add_turn` (line 4) would lose its proof: left with `sorry` at line 5.
This was already refused 2 times in this session, and trying again will not help.
Do something else now:
  - split the statement: one new lemma for each case or step, each with its own `sorry`;
  - test it for falsity: `decide`, `norm_num` or a small case in an `example`;
  - leave it as it is and go on with another declaration;
  - ask the person which way to go;
  - record what failed: `mk add failure --title \"add_turn: WHAT WAS TRIED\" --why-failed \"WHY IT FAILED\"`;
  - if it must be done: `mk allow add_turn --rule proof-lost --once --reason \"...\"` asks the person; then edit again.
Tried already:
  - add_turn by ring: there is no `ring` without Mathlib";

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_third_refusal_coaches() {
    let guarded = Guarded::new();
    let title = "add_turn by ring";
    let why = "there is no `ring` without Mathlib";
    guarded.0.mk(&["add", "failure", "--title", title, "--why-failed", why]);
    let file = guarded.file();
    let again = || Turn::edit(&file, PROOF, "  sorry\n");
    let api =
        guarded.run(vec![Turn::read(&file), again(), again(), again(), Turn::Say("I leave it.")]);
    guarded.assert_refused(&api, 1, REFUSAL);
    guarded.assert_refused(&api, 2, REFUSAL);
    guarded.assert_refused(&api, 3, COACHING);
    assert_eq!(guarded.on_disk(), SUMS);
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_false_lemma_is_named_with_its_counterexample() {
    let guarded = Guarded::new();
    guarded.0.mk(&[
        "add",
        "false-lemma",
        "--title",
        "Subtraction the other way round is the same",
        "--theorem-name",
        "sub_swap",
        "--statement",
        "theorem sub_swap (a b : Nat) : a - b = b - a",
        "--counterexample",
        "a = 1, b = 0",
        "--why-failed",
        "natural subtraction stops at zero",
        "--instead",
        "add_swap",
    ]);
    let file = guarded.file();
    let uses = "theorem zero_sub (a : Nat) : a - 0 = 0 - a := sub_swap a 0\n";
    let states = "theorem back_and_forth (x y : Nat) : x - y = y - x := by\n  sorry\n";
    let api = guarded.run(vec![
        Turn::read(&file),
        Turn::edit(&file, "theorem add_turn", &format!("{uses}\ntheorem add_turn")),
        Turn::edit(&file, "theorem add_turn", &format!("{states}\ntheorem add_turn")),
        Turn::edit(&file, uses, &format!("-- sub_swap\n{uses}")),
        Turn::Say("Used."),
    ]);
    let why =
        "counterexample: a = 1, b = 0; why: natural subtraction stops at zero; instead: add_swap.";
    let used = format!("math-forge: [false-lemma] `sub_swap` (line 4) is recorded as false: {why}");
    guarded.assert_noted(&api, 1, "Edit", &used);
    let stated = "math-forge: [false-lemma] `sub_swap` (line 6) is recorded as false: \
        `back_and_forth` states the same;";
    guarded.assert_noted(&api, 2, "Edit", &format!("{stated} {why}"));
    guarded.assert_silent(&api, 3);
    assert!(guarded.on_disk().contains(uses) && guarded.on_disk().contains(states));
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_name_that_moved_is_told_the_new_one() {
    let guarded = Guarded::new();
    let packages = r#"{"packages": [{"name": "mathlib", "rev": "0123456789abcdef"}]}"#;
    let moved = "theorem Nat.turned : True := trivial\n\
        @[deprecated (since := \"2025-02-02\")] alias Nat.turned_round := Nat.turned\n";
    guarded.0.write("lake-manifest.json", packages);
    guarded.0.write(".lake/packages/mathlib/Mathlib/Turned.lean", moved);
    guarded.0.mk(&["capture"]);
    let file = guarded.file();
    let uses = "theorem here : True := Nat.turned_round\n";
    let api = guarded.run(vec![
        Turn::read(&file),
        Turn::edit(&file, "theorem add_turn", &format!("{uses}\ntheorem add_turn")),
        Turn::edit(&file, "turned_round\n", "turned\n"),
        Turn::Say("Used."),
    ]);
    let words = "math-forge: `Nat.turned_round` is `Nat.turned` now (line 4; mathlib, deprecated since \
        2025-02-02).\n`here` states the same as `Nat.turned` in `Mathlib.Turned`.";
    guarded.assert_noted(&api, 1, "Edit", words);
    guarded.assert_silent(&api, 2);
}

/// What the model receives when the statement of a locked declaration would change.
const LOCKED: &str = "\
math-forge refused this edit; nothing was written.
[statement-changed] the statement of theorem `add_four` (line 9) would change: it is locked.
    was: theorem add_four (a b c d : Nat) : a + b + c + d = d + c + b + a
    would be: theorem add_four (a b c d : Nat) : a + b + c + d = d + c + a + b
What you can do:
  - state the new version under a new name beside this one;
  - leave the statement and prove what is missing as a lemma;
  - if it must be done: `mk allow add_four --rule statement-changed --once --reason \"...\"` asks the person; then edit again.";

/// What it receives for one that is proved and not locked: the client asks, and refuses where nobody can answer.
const PROVED: &str = "\
math-forge: this edit needs the person's agreement.
[statement-changed] the statement of theorem `add_swap` (line 1) would change.
    was: theorem add_swap (a b : Nat) : a + b = b + a
    would be: theorem add_swap (a b : Nat) : a + b = a + b
If it is not given:
  - state the new version under a new name beside this one;
  - leave the statement and prove what is missing as a lemma.
Yes applies to what is named here, for this session.";

/// What it receives when that of another open declaration has changed.
const OPEN: &str = "math-forge: [statement-noted] the statement of theorem `add_again` (line 12) has changed: \
    `theorem add_again (a b c d : Nat) : a + b + c + d = d + c + b + a` became \
    `theorem add_again (a b c d : Nat) : a + b + c + d = d + c + a + b`.";

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn the_statement_of_a_locked_declaration_stays() {
    let open = "theorem add_four (a b c d : Nat) : a + b + c + d = d + c + b + a := by\n  sorry\n";
    let sums = format!("{SUMS}\n{open}\n{}", open.replace("add_four", "add_again"));
    let guarded = Guarded::with(&sums);
    guarded.0.mk(&["lock", "add_four"]);
    let file = guarded.file();
    let easier = |name: &str| {
        let old = format!("{name} (a b c d : Nat) : a + b + c + d = d + c + b + a");
        let new = format!("{name} (a b c d : Nat) : a + b + c + d = d + c + a + b");
        Turn::edit(&file, &old, &new)
    };
    let swapped = "add_swap (a b : Nat) : a + b = b + a := by\n  rw [Nat.add_comm]";
    let api = guarded.run(vec![
        Turn::read(&file),
        easier("add_four"),
        easier("add_again"),
        Turn::edit(&file, swapped, "add_swap (a b : Nat) : a + b = a + b := by\n  rfl"),
        Turn::Say("I leave it."),
    ]);
    guarded.assert_refused(&api, 1, LOCKED);
    guarded.assert_noted(&api, 2, "Edit", OPEN);
    guarded.assert_refused(&api, 3, PROVED);
}
