//! A home of its own for the real client, and runs of the client in it.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;

use super::api::Api;

/// The longest that one run of the client may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// The client's program: `MK_CLAUDE`, else the one that npm put into the repository.
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("MK_CLAUDE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let local = super::root().join("node_modules/.bin/claude");
    named.or(Some(local)).filter(|path| path.is_file())
}

/// A folder with an empty HOME and an empty project in it.
pub(crate) struct Home {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let program = program().expect("no Claude Code: set MK_CLAUDE to its program");
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join("home")).expect("an empty home");
        std::fs::create_dir(folder.path().join("proj")).expect("an empty project");
        Self { program, folder }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("proj")
    }

    /// The folder that holds home and project.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes files of the project and commits all of them; the commit is the same every time.
    pub(crate) fn commit(&self, files: &[(&str, &str)]) {
        for (name, content) in files {
            self.write(name, content);
        }
        let steps: [&[&str]; 3] =
            [&["init", "-q", "-b", "main"], &["add", "-A"], &["commit", "-qm", "The state before"]];
        for step in steps {
            let mut git = self.command(Path::new("git"));
            for who in ["AUTHOR", "COMMITTER"] {
                git.env(format!("GIT_{who}_NAME"), "A Person")
                    .env(format!("GIT_{who}_EMAIL"), "person@example.org")
                    .env(format!("GIT_{who}_DATE"), "2025-01-01T12:00:00Z");
            }
            git.args(step);
            success(&run(git));
        }
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.project().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, content).expect("written");
    }

    /// Puts a program where every command of this home finds it first.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.programs().join(name);
        std::fs::create_dir_all(self.programs()).expect("made");
        std::fs::write(&path, script).expect("written");
        let mut command = Command::new("chmod");
        command.arg("755").arg(path);
        success(&run(command));
    }

    fn programs(&self) -> PathBuf {
        self.folder().join("programs")
    }

    /// Runs the `mk` of this test as a person does at a terminal; returns what it printed.
    pub(crate) fn mk(&self, args: &[&str]) -> String {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_mk")));
        command.args(args);
        success(&run(command))
    }

    /// A text with the place of this home left out of it.
    pub(crate) fn neutral(&self, text: &str) -> String {
        let folder = self.folder().canonicalize().expect("a folder");
        let text = text.replace(&*self.folder().to_string_lossy(), "$FOLDER");
        text.replace(&*folder.to_string_lossy(), "$FOLDER")
    }

    /// A command with nothing of this process's environment but what is in PATH.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut path = self.programs().into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home())
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .env("NO_PROXY", "127.0.0.1")
            // Or it refuses to run without permissions as root.
            .env("IS_SANDBOX", "1")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    /// The client with an API.
    pub(crate) fn claude<S: AsRef<OsStr>>(&self, api: &Api, args: &[S]) -> Command {
        let mut command = self.command(&self.program);
        command
            .env("ANTHROPIC_BASE_URL", api.url())
            .env("ANTHROPIC_API_KEY", "sk-scripted")
            .args(args);
        command
    }

    /// One prompt, with the `mk` that was built for this test; returns what the client printed.
    pub(crate) fn ask<S: AsRef<OsStr>>(&self, api: &Api, prompt: &str, args: &[S]) -> String {
        let mut command = self.claude(api, args);
        command.args(["-p", prompt]).env("MK_BIN", env!("CARGO_BIN_EXE_mk"));
        success(&run(command))
    }

    /// The same with nothing but what the launcher finds by itself.
    pub(crate) fn ask_installed(&self, api: &Api, prompt: &str) -> String {
        let command = self.claude(api, &["-p", prompt]);
        success(&run(command))
    }

    /// Several prompts in one process, each sent when the one before is answered.
    pub(crate) fn converse<S: AsRef<OsStr>>(&self, api: &Api, prompts: &[&str], args: &[S]) {
        let mut command = self.claude(api, args);
        let stream = "stream-json";
        command.args(["-p", "--verbose", "--input-format", stream, "--output-format", stream]);
        let mut child = command
            .env("MK_BIN", env!("CARGO_BIN_EXE_mk"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the client starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut running = Running::new(child);
        for prompt in prompts {
            let message = json!({"type": "user", "message": {"role": "user", "content": prompt}});
            writeln!(stdin, "{message}").expect("the client reads");
            while !running.line(prompt).contains("\"type\":\"result\"") {}
        }
        // So ends a session: with its last hook.
        drop(stdin);
        running.ended();
    }

    /// Runs the client where it needs no API.
    pub(crate) fn claude_alone(&self, args: &[&str], env: &[(&str, &str)]) -> String {
        let mut command = self.command(&self.program);
        command.args(args).envs(env.iter().copied());
        success(&run(command))
    }
}

/// What it printed, if it ended well.
#[track_caller]
pub(crate) fn success(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{text}\n{complaint}", output.status);
    text
}

/// A client that is ended when this is dropped.
struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    fn new(mut child: Child) -> Self {
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                sender.send(line).ok();
            }
        });
        Self { child, lines }
    }

    /// The next line that it prints while it answers `prompt`.
    fn line(&self, prompt: &str) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{prompt:?}: {error}"))
    }

    /// Waits until it has ended.
    fn ended(&mut self) {
        let begun = Instant::now();
        while self.child.try_wait().expect("a child of ours").is_none() {
            assert!(begun.elapsed() < PATIENCE, "the client does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Runs to the end; a run that takes too long is ended and fails the test.
pub(crate) fn run(mut command: Command) -> Output {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let out = drain(child.stdout.take().expect("a pipe"));
    let err = drain(child.stderr.take().expect("a pipe"));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().ok();
            child.wait().ok();
            panic!("{command:?} took longer than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    Output { status, stdout: out.join().expect("read"), stderr: err.join().expect("read") }
}

fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).ok();
        bytes
    })
}
