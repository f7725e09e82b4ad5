//! A project under guard in a home of its own, and assertions about what the model received there.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::api::{Api, Turn};
use super::heard::{Heard, Said};
use super::session::{Home, success};

/// What the person asks for at first.
pub(super) const PROMPT: &str = "work on the sums";

/// A file with two finished proofs, as it stands in the only commit.
pub(super) const SUMS: &str = "\
theorem add_swap (a b : Nat) : a + b = b + a := by
  rw [Nat.add_comm]

theorem add_turn (a b c : Nat) : a + b + c = c + b + a := by
  rw [Nat.add_comm (a + b) c]
  rw [Nat.add_comm a b]
  rw [Nat.add_assoc]
";

/// The proof of `add_turn`.
pub(super) const PROOF: &str = "\
  rw [Nat.add_comm (a + b) c]
  rw [Nat.add_comm a b]
  rw [Nat.add_assoc]
";

/// What the project has beside [`SUMS`].
const FILES: [(&str, &str); 4] = [
    (".gitignore", "/.lake\n"),
    ("lean-toolchain", "leanprover/lean4:v4.24.0\n"),
    ("lakefile.toml", "name = \"sums\"\n\n[[lean_lib]]\nname = \"Sums\"\n"),
    ("tidy.sh", TIDY),
];

/// A script that takes the proof of `add_swap` away.
const TIDY: &str = "sed 's/rw \\[Nat.add_comm\\]/sorry/' Sums.lean > new && mv new Sums.lean\n";

/// The longest that a process in the background may take.
const PATIENCE: Duration = Duration::from_secs(40);

/// Options that load the plugin, and let the agent edit and run what it wants.
pub(super) fn leave() -> Vec<String> {
    let mut options = super::plugin().to_vec();
    let leave = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
    options.extend(leave.map(str::to_owned));
    options
}

/// A home with a project of one Lean file, under git.
pub(super) struct Guarded(pub(super) Home);

impl Guarded {
    pub(super) fn new() -> Self {
        Self::with(SUMS)
    }

    /// With this text in the Lean file.
    pub(super) fn with(sums: &str) -> Self {
        let home = Home::new();
        home.commit(&[&FILES[..], &[("Sums.lean", sums)]].concat());
        Self(home)
    }

    pub(super) fn file(&self) -> PathBuf {
        self.0.project().join("Sums.lean")
    }

    pub(super) fn on_disk(&self) -> String {
        fs::read_to_string(self.file()).expect("the file of the project")
    }

    /// A session in which edits and commands need no leave.
    pub(super) fn run(&self, script: Vec<Turn>) -> Api {
        self.converse(script, &[PROMPT])
    }

    /// The same with several prompts.
    pub(super) fn converse(&self, script: Vec<Turn>, prompts: &[&str]) -> Api {
        let api = Api::start(script);
        self.0.converse(&api, prompts, &leave());
        api
    }

    /// Runs a command as soon as it is recorded how the session began, which a process in the
    /// background does: what the command changes is not taken for the beginning.
    pub(super) fn bash_later(&self, command: &'static str) -> Turn {
        let sessions = self.0.home().join(".local/state/math-forge/sessions");
        Turn::decide(move |_| {
            wait_until(|| is_recorded(&sessions));
            Turn::bash(command)
        })
    }

    /// What the model received for a use of a tool, without what changes from run to run.
    #[track_caller]
    pub(super) fn heard(&self, api: &Api, number: usize) -> Heard {
        let heard = api.heard(number);
        let neutral = |said: Said| Said { words: self.neutral(&said.words), ..said };
        Heard {
            text: self.neutral(&heard.text),
            said: heard.said.into_iter().map(neutral).collect(),
            ..heard
        }
    }

    /// Without the place of this home and the revision of its commit.
    pub(super) fn neutral(&self, text: &str) -> String {
        let mut git = self.0.command(Path::new("git"));
        git.args(["rev-parse", "--short=12", "HEAD"]);
        let revision = success(&super::session::run(git));
        self.0.neutral(text).replace(revision.trim(), "$REVISION")
    }

    /// Asserts that the tool was refused with these words, behind which nothing stands, and that
    /// nothing of ours stands beside them.
    #[track_caller]
    pub(super) fn assert_refused(&self, api: &Api, number: usize, words: &str) {
        let heard = self.heard(api, number);
        let before = heard.text.strip_suffix(words);
        assert!(
            before.is_some_and(|frame| frame.lines().count() <= 1),
            "{}\n--- is not\n{words}",
            heard.text
        );
        assert!(heard.failed && heard.said.is_empty(), "{heard:?}");
    }

    /// Asserts that the tool did its work and that the hook after it added these words.
    #[track_caller]
    pub(super) fn assert_noted(&self, api: &Api, number: usize, tool: &str, words: &str) {
        let heard = self.heard(api, number);
        heard.assert_said(&format!("PostToolUse:{tool}"), words);
        assert!(!heard.failed, "{heard:?}");
    }

    /// Asserts that a command did its work and that the hook after it complained in these words.
    #[track_caller]
    pub(super) fn assert_blamed(&self, api: &Api, number: usize, words: &str) {
        self.assert_noted(api, number, "Bash", words);
        assert!(self.heard(api, number).said[0].blames, "it is no mere note");
    }

    /// What the Stop hooks said in the main conversation.
    pub(super) fn feedback(&self, api: &Api) -> Vec<String> {
        api.feedback(PROMPT).iter().map(|text| self.neutral(text)).collect()
    }

    /// Asserts that the tool did its work and that nothing was said beside its result.
    #[track_caller]
    pub(super) fn assert_silent(&self, api: &Api, number: usize) {
        let heard = self.heard(api, number);
        assert!(!heard.failed && heard.said.is_empty(), "{heard:?}");
    }
}

/// Waits for something that happens in the background; for ever it does not.
pub(super) fn wait_until(mut is_so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !is_so() {
        if begun.elapsed() > PATIENCE {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    true
}

/// Whether a session's start is recorded to the end.
fn is_recorded(sessions: &Path) -> bool {
    let folders = fs::read_dir(sessions).into_iter().flatten().flatten();
    let mut starts = folders.map(|folder| fs::read_to_string(folder.path().join("start.json")));
    starts.any(|start| start.is_ok_and(|start| start.contains("\"done\":true")))
}
