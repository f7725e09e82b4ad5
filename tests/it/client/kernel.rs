//! What only Lean's kernel sees, from the session that did it to the one that is told, in the real client and
//! before a real Lean (`MK_LEAN`, as `tests/it/verify.rs` has it).

use std::fs;

use super::api::{Api, Turn};
use super::guarded::leave;
use super::session::Home;
use super::terminal::Terminal;

/// A proof by the tactic of an import, which closes every goal with `sorryAx`. No text of the two says so.
const MINE: &str = "import House.Closer\n\nnamespace House\n\ntheorem mine (m n : Nat) : m + n = n * m := by\n  \
     induction n with\n  | zero => finish\n  | succ n _ => finish\n\nend House\n";

/// The modules that [`MINE`] needs.
const MODULES: [&str; 2] = ["House/Closer.lean", "House/Tools.lean"];

#[test]
#[ignore = "needs Claude Code and a real Lean: .ci/run runs these"]
fn a_proof_that_text_cannot_doubt_opens_the_next_session() {
    let lean =
        std::env::var("MK_LEAN").expect("MK_LEAN, the folder that tests/lean/lean_up.sh prints");
    let home = Home::new();
    let read = |name: &str| {
        fs::read_to_string(super::root().join("tests/lean/house").join(name)).expect("a file")
    };
    let texts = MODULES.map(|name| (name, read(name)));
    let mut files: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    files.extend([
        (".gitignore", "/.lake\n"),
        (
            "lakefile.toml",
            "name = \"house\"\n\n[[lean_lib]]\nname = \"House\"\nglobs = [\"House.+\"]\n",
        ),
    ]);
    home.commit(&files);
    home.program("lake", &format!("#!/bin/sh\nexec '{lean}/bin/lake' \"$@\"\n"));
    let file = home.project().join("House/Mine.lean");

    // The guard has nothing to say, and Lean is not run in a session without leave.
    let verify = "lake build House.Mine && mk verify House/Mine.lean";
    let api =
        Api::start(vec![Turn::write(&file, MINE), Turn::bash(verify), Turn::Say("It is proved.")]);
    home.converse(&api, &["prove it"], &leave());
    let (failed, said) = super::last_result(&api);
    assert!(failed && said.contains("mk trust --run"), "{said}");
    assert!(file.is_file(), "the edit was not refused");

    // The person asks, and the next session begins with the answer.
    let said = home.mk(&["verify", "House/Mine.lean"]);
    assert!(said.contains("which its own text"), "{said}");
    let api = Api::start(vec![Turn::Say("Then it is not.")]);
    home.ask(&api, "go on", &super::plugin());
    let told = super::told(&api.asked()[0]);
    assert!(told.contains("rest on `sorry` all the same: House.mine"), "{told}");

    // With leave the agent asks itself.
    let mut terminal = Terminal::mk(&home, &["trust", "--run"]);
    terminal.wait_for("allowed to run its Lean");
    terminal.ended();
    let api =
        Api::start(vec![Turn::bash("mk verify House/Mine.lean --again"), Turn::Say("It is open.")]);
    home.converse(&api, &["ask Lean"], &leave());
    let (_, said) = super::last_result(&api);
    assert!(said.contains("which its own text"), "{said}");
}
