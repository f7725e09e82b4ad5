//! The client at a terminal of its own, where it asks the person.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

use super::api::Api;
use super::session::Home;

/// The longest that something may take to appear.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running client whose screen can be read and whose keys can be pressed; it ends when this is
/// dropped.
pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    printed: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    /// Starts the client with a first prompt.
    pub(crate) fn start(home: &Home, api: &Api, prompt: &str, options: &[String]) -> Self {
        settle(home);
        let mut client = home.claude(api, options);
        client.args(["--", prompt]);
        Self::of(home, &client)
    }

    /// Starts `mk` as a person does.
    pub(crate) fn mk(home: &Home, args: &[&str]) -> Self {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_mk")));
        command.args(args);
        Self::of(home, &command)
    }

    /// `script` of util-linux makes the terminal.
    fn of(home: &Home, program: &Command) -> Self {
        let words = std::iter::once(program.get_program()).chain(program.get_args());
        let words = words.map(|word| format!("'{}'", word.to_string_lossy()));
        let line = words.collect::<Vec<_>>().join(" ");
        let mut command = home.command(Path::new("/usr/bin/script"));
        command
            .args(["-qefc", &format!("stty rows 50 cols 120; exec {line}"), "/dev/null"])
            .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .envs([("TERM", "xterm-256color"), ("SHELL", "/bin/sh")])
            .env("MK_BIN", env!("CARGO_BIN_EXE_mk"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("script starts");
        let keys = child.stdin.take().expect("a pipe");
        let mut out = child.stdout.take().expect("a pipe");
        let printed = Arc::new(Mutex::new(Vec::new()));
        let screen = Arc::clone(&printed);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = out.read(&mut bytes) {
                screen.lock().expect("no panic while reading").extend_from_slice(&bytes[..read]);
            }
        });
        Self { child, keys, printed }
    }

    /// Waits for these words on the screen, blanks and line ends aside.
    #[track_caller]
    pub(crate) fn wait_for(&self, words: &str) {
        let wanted: String = words.split_whitespace().collect();
        let start = Instant::now();
        while !self.screen().contains(&wanted) {
            assert!(start.elapsed() < PATIENCE, "no {words:?} on the screen: {}", self.screen());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Types these keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keys.flush().expect("the terminal takes keys");
    }

    /// Waits until it has ended by itself.
    #[track_caller]
    pub(crate) fn ended(&mut self) {
        let start = Instant::now();
        while self.child.try_wait().expect("a child of ours").is_none() {
            assert!(start.elapsed() < PATIENCE, "it does not end: {}", self.screen());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// All that was printed so far, without blanks (the client jumps over them) and without the
    /// terminal's control sequences.
    pub(super) fn screen(&self) -> String {
        let bytes = self.printed.lock().expect("no panic while reading").clone();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut plain = String::new();
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            if c != '\u{1b}' {
                plain.extend((!c.is_whitespace() && !c.is_control()).then_some(c));
                continue;
            }
            match rest.next() {
                Some('[') => {
                    rest.by_ref().find(char::is_ascii_alphabetic);
                }
                Some(']') => {
                    rest.by_ref().find(|c| *c == '\u{7}' || *c == '\\');
                }
                _ => {}
            }
        }
        plain
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Answers the questions that a first start asks.
fn settle(home: &Home) {
    let project = home.project().canonicalize().expect("a project");
    let mut projects = json!({});
    projects[&*project.to_string_lossy()] = json!({"hasTrustDialogAccepted": true});
    let settings = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": {"approved": ["sk-scripted"], "rejected": []},
        "projects": projects,
    });
    std::fs::write(home.home().join(".claude.json"), settings.to_string()).expect("written");
}
