//! A project with a plugin around it, as Claude Code sees them, in a temporary folder.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::timing;

/// A project, a home folder and an installed plugin.
pub(crate) struct Place {
    _dir: tempfile::TempDir,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
    plugin: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(&path).expect("a folder");
            path
        };
        let (project, home, plugin) = (at("project"), at("home"), at("plugin"));
        at("project/submissions");
        fs::write(project.join("lean-toolchain"), "leanprover/lean4:v4.24.0\n").expect("a file");
        // The plugin as it is installed: the launcher, and the binary where it looks for it.
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (from, to) in
            [(root.join("bin/mk"), "bin/mk"), (timing::binary().into(), "target/release/mk")]
        {
            let to = plugin.join(to);
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            fs::copy(from, &to).expect("the plugin's file");
            fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).expect("a program");
        }
        Self { _dir: dir, project, home, plugin }
    }

    /// `mk` with these arguments, here.
    pub(crate) fn mk(&self, arguments: &[&str]) -> Command {
        self.here(Command::new(self.plugin.join("target/release/mk")), arguments)
    }

    /// The same through the launcher, as the client calls it.
    pub(crate) fn launcher(&self, arguments: &[&str]) -> Command {
        self.here(Command::new(self.plugin.join("bin/mk")), arguments)
    }

    fn here(&self, mut command: Command, arguments: &[&str]) -> Command {
        for name in ["MATH_FORGE_DB", "MATH_FORGE_TRACKING_DB", "MK_BIN", "MK_GUARD"] {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(&self.project);
        command.env("MK_HOME", self.home.join("math-forge")).env("HOME", &self.home);
        command.env("CLAUDE_PROJECT_DIR", &self.project).env("CLAUDE_PLUGIN_ROOT", &self.plugin);
        command
    }

    /// Runs `mk` once; what it printed.
    pub(crate) fn run(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut command = self.mk(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("mk starts");
        child.stdin.take().expect("stdin is piped").write_all(input).ok();
        let output = child.wait_with_output().expect("mk ends");
        assert!(output.status.success(), "mk {arguments:?} failed");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The answer to an event, and whether it is one that was meant to be measured.
    pub(crate) fn check(&self, event: &Value, wanted: impl Fn(&str) -> bool) {
        let answer = self.run(&["hook"], event.to_string().as_bytes());
        assert!(wanted(&answer), "the hook said something else: {answer}");
    }

    /// What the client tells with every event.
    pub(crate) fn event(&self, name: &str, session: &str, more: &Value) -> Value {
        let mut event = json!({
            "session_id": session,
            "transcript_path": self.home.join(".claude/projects/p/none.jsonl"),
            "cwd": self.project, "permission_mode": "default", "hook_event_name": name,
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            event[key] = value.clone();
        }
        event
    }

    /// Runs a script that makes something to measure; `false` where that cannot be had.
    fn make(script: &Path, arguments: &[&str], to: &Path) -> bool {
        let mut command = Command::new("python3");
        let made = command.arg(script).arg(to).args(arguments).output();
        let made = made.is_ok_and(|output| output.status.success());
        if !made {
            println!("  SKIPPED: could not run {} (python3 is needed)", script.display());
        }
        made
    }

    /// A tracking database like the specification's.
    pub(crate) fn track(&self, shared: &Path) {
        let to = self.project.join("submissions/tracking.db");
        Self::make(&shared.join("data/tracking/make_tracking.py"), &[], &to);
    }

    /// Makes the project one of a long time: 2,000 result files and more, a tracking database of their
    /// submissions, and all of it known; `false` where it is not to be had.
    pub(crate) fn own(&mut self, shared: &Path) -> bool {
        let owner = self.home.join("owner");
        let arguments = ["--seed", "1", "--scale", "real"];
        if !Self::make(&shared.join("data/owner/make_owner.py"), &arguments, &owner) {
            return false;
        }
        self.project = owner.join("project");
        self.run(&["init", "--json"], b"");
        self.run(&["extract", "submissions"], b"");
        true
    }

    /// Writes a listing of the specification, which begins after a heading, to a file.
    pub(crate) fn listing(
        &self,
        shared: &Path,
        (heading, fence): (&str, &str),
        file: &str,
    ) -> Option<PathBuf> {
        let text = fs::read_to_string(shared.join("seeds/002_2408e1117a74b512.txt")).ok();
        let cut = text.as_deref().and_then(|text| {
            let rest = text.get(text.find(heading)?..)?;
            let rest = rest.get(rest.find(fence)? + fence.len()..)?;
            rest.get(..rest.find("\n```")?)
        });
        let Some(cut) = cut else {
            println!("  SKIPPED: the specification with `{heading}` is not there");
            return None;
        };
        let path = self.home.join(file);
        fs::create_dir_all(path.parent()?).ok()?;
        fs::write(&path, format!("{cut}\n")).ok()?;
        Some(path)
    }

    /// A script of the specification on the same project.
    pub(crate) fn script(&self, path: &Path) -> Command {
        let mut command = Command::new("bash");
        command.arg(path).current_dir(&self.project);
        let (project, plugin) = (&self.project, &self.home);
        command.env("CLAUDE_PROJECT_DIR", project).env("CLAUDE_PLUGIN_ROOT", plugin);
        command
    }
}

/// A Lean file of so many lines: theorems with proofs of some lines.
pub(crate) fn lean_file(lines: usize) -> String {
    let mut text = String::from(
        "import Mathlib.NumberTheory.Divisors\nimport Mathlib.Tactic\n\nopen Nat Finset\n\n\
         namespace Bench\n\nvariable {α : Type*} [DecidableEq α]\n\n",
    );
    let mut written = text.lines().count();
    let mut number = 0;
    while written + 13 < lines {
        let start = text.len();
        write!(
            text,
            "/-- The bound number {number}, which the next ones build on. -/\n\
             theorem bound_{number} (s : Finset ℕ) (n m : ℕ) (hn : {number} < n) (hm : n ≤ m) :\n    \
             n ∣ n * m + n ∧ ∀ x ∈ s, x < n → x ^ 2 + {number} < m ^ 2 + n := by\n  \
             have hpos : 0 < n := Nat.lt_of_le_of_lt (Nat.zero_le _) hn\n  \
             have hmul : n * m + n = n * (m + 1) := by ring\n  \
             refine ⟨⟨m + 1, hmul⟩, fun x hx hlt => ?_⟩\n  \
             have hsq : x ^ 2 ≤ n ^ 2 := Nat.pow_le_pow_left hlt.le 2\n  \
             -- The square grows with what is squared.\n  \
             have hstep_{number} : n ^ 2 ≤ m ^ 2 := Nat.pow_le_pow_left hm 2\n  \
             calc x ^ 2 + {number} ≤ m ^ 2 + {number} := by omega\n    \
             _ < m ^ 2 + n := by omega\n\n"
        )
        .expect("writing to a string");
        written += text[start..].lines().count();
        number += 1;
    }
    text.push_str("end Bench\n");
    text
}
