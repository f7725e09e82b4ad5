//! A prepared home and project in which `mk` is run, and what of its output is not the same every time.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use regex::{Captures, Regex};

use super::{Recording, repository};
use crate::env::TestEnv;
use crate::git;

/// A variable of the tests' environment; `None` where it is not set or empty.
pub(super) fn variable(name: &str) -> Option<String> {
    let found = std::env::vars_os().find(|(key, _)| key == name)?;
    found.1.into_string().ok().filter(|value| !value.is_empty())
}

/// The `mk` that is asked.
fn program() -> String {
    variable("MK_NET_MK").unwrap_or_else(|| env!("CARGO_BIN_EXE_mk").to_owned())
}

/// The time on a stage whose clock stands still, and of the files that are put there.
pub(super) const NOON: &str = "2026-03-04T11:00:00Z";

pub(super) fn noon() -> Timestamp {
    NOON.parse().unwrap()
}

/// The end of what is said where reading took too long.
const GIVEN_UP: &str = "ms and was given up";

pub(super) struct Stage {
    pub(super) env: TestEnv,
    clock_stands_still: bool,
    recordings: RefCell<Vec<Recording>>,
}

impl Stage {
    /// An empty home and a project with a git repository that has a name of its own, so that the
    /// project is the same one wherever it lies.
    pub(super) fn new() -> Self {
        let stage = Self::bare();
        git::init(&stage.env);
        git::git(&stage.env, &["remote", "add", "origin", "https://github.com/ada/sums.git"]);
        stage
    }

    /// The same without git.
    pub(super) fn bare() -> Self {
        // Below a folder whose name is as long everywhere: tables are laid out by what is in them.
        let dir = tempfile::Builder::new().prefix("mk-").rand_bytes(8).tempdir_in("/tmp").unwrap();
        let bin = dir.path().join("bin");
        fs::create_dir(&bin).unwrap();
        for name in ["git", "sh", "stty"] {
            let places = ["/usr/local/bin", "/usr/bin", "/bin"];
            let found =
                places.iter().map(|place| Path::new(place).join(name)).find(|path| path.exists());
            std::os::unix::fs::symlink(found.expect(name), bin.join(name)).unwrap();
        }
        let (clock_stands_still, recordings) = (false, RefCell::default());
        Self { env: TestEnv::inside(dir), clock_stands_still, recordings }
    }

    /// As [`Self::new`], and it is always [`NOON`]: with the real time, ranks and ages would change from
    /// day to day. Not for the guard, which compares the times of files with those of sessions.
    pub(super) fn at_noon() -> Self {
        Self { clock_stands_still: true, ..Self::new() }
    }

    /// The time of files that a test wrote.
    fn date(&self, path: &Path) {
        if !self.clock_stands_still {
            return;
        }
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                self.date(&entry.unwrap().path());
            }
        } else {
            fs::File::options()
                .append(true)
                .open(path)
                .unwrap()
                .set_modified(noon().into())
                .unwrap();
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        if self.clock_stands_still { noon() } else { Timestamp::now() }
    }

    fn told_the_time(&self) -> Option<(&'static str, &'static str)> {
        self.clock_stands_still.then_some(("MK_NOW", NOON))
    }

    /// `mk` in this place; of other programs there are only those that it starts.
    fn command(&self, arguments: &[String]) -> assert_cmd::Command {
        let mut command = self.env.tool(&program());
        command.args(arguments).env("PATH", self.path()).envs(self.told_the_time());
        command
    }

    fn path(&self) -> PathBuf {
        self.env.home().with_file_name("bin")
    }

    /// Writes a file of the project.
    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.env.write(name, text);
        self.date(&path);
        path
    }

    /// Copies a file or folder of the repository into the project.
    pub(super) fn copy(&self, from: &str, to: &str) {
        let to = self.env.project().join(to);
        copy(&repository().join(from), &to);
        self.date(&to);
    }

    /// Copies a folder of this machine's over the project.
    pub(super) fn take(&self, from: &Path) {
        copy(from, &self.env.project());
        self.date(&self.env.project());
    }

    /// Commits everything, always at the same moment, so that revisions have the same names.
    pub(super) fn commit(&self) {
        for arguments in [&["add", "-A"][..], &["commit", "-q", "--no-verify", "-m", "a commit"]] {
            let mut command = git::command(&self.env, &self.env.project());
            for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
                command.env(name, "2024-05-01T12:00:00Z");
            }
            command.args(arguments).assert().success();
        }
    }

    /// Runs a line of the shell's words after `mk` and records it.
    pub(super) fn mk(&self, line: &str) {
        self.run(&format!("mk {line}"), &words(line), None);
    }

    /// The same with text on stdin.
    pub(super) fn mk_with(&self, line: &str, input: &str) {
        self.run(&format!("mk {line}"), &words(line), Some(input.as_bytes()));
    }

    /// Runs `mk` and records it under a name.
    pub(super) fn run(&self, name: &str, arguments: &[String], input: Option<&[u8]>) {
        let log = self.env.home().join(".local/state/math-forge/mk.log");
        let logged = fs::read_to_string(&log).unwrap_or_default();
        let mut output;
        let mut tries = 0;
        loop {
            let mut command = self.command(arguments);
            if let Some(input) = input {
                command.write_stdin(input);
            }
            output = self.env.finish(&mut command);
            tries += 1;
            // A prover's database is read for 100 ms and then given up, which a busy machine takes.
            let complaints = fs::read_to_string(&log).unwrap_or_default();
            let complaints = complaints.get(logged.len()..).unwrap_or_default();
            let given_up = [&output.stdout, complaints].iter().any(|text| text.contains(GIVEN_UP));
            if !given_up || tries == 50 || arguments.first().is_some_and(|word| word == "hook") {
                break;
            }
            fs::write(&log, &logged).ok();
        }
        self.settle(arguments);
        self.put(name, &output.stdout, &output.stderr, output.code);
    }

    /// Runs `mk` without recording it.
    pub(super) fn quietly(&self, line: &str, input: &str) {
        let arguments = words(line);
        let mut command = self.command(&arguments);
        command.write_stdin(input);
        drop(self.env.finish(&mut command));
        self.settle(&arguments);
    }

    /// The answer of `mk` as JSON, not recorded.
    pub(super) fn asked(&self, line: &str) -> serde_json::Value {
        let mut command = self.command(&words(line));
        serde_json::from_str(&self.env.finish(&mut command).stdout).unwrap_or_default()
    }

    fn put(&self, name: &str, stdout: &str, stderr: &str, code: i32) {
        let mut text = self.steady(&laid_out(stdout));
        if !stderr.is_empty() {
            text = format!("{}\n--- stderr\n{}", text.trim_end(), self.steady(stderr));
        }
        if code != 0 {
            text = format!("{}\n--- exit {code}", text.trim_end());
        }
        let name = self.steady(name).replace('\n', " ");
        self.recordings
            .borrow_mut()
            .push(Recording { name, text: text.trim_start_matches('\n').to_owned() });
    }

    /// Records a person's command at a terminal: what is printed, without what is typed.
    ///
    /// # Errors
    /// Says why there is no terminal.
    pub(super) fn terminal(&self, line: &str, typed: &str) -> Result<(), &'static str> {
        let script = Path::new("/usr/bin/script");
        if !cfg!(target_os = "linux") || !script.is_file() {
            return Err("no `script` of util-linux");
        }
        let shell = format!("stty cols 100 -echo; echo READY; exec {} {line}", program());
        let mut child = Command::new(script)
            .args(["-qefc", &shell, "/dev/null"])
            .env_clear()
            .env("HOME", self.env.home())
            .env("PATH", self.path())
            .envs(self.told_the_time())
            .envs([("SHELL", "/bin/sh"), ("TERM", "dumb"), ("NO_COLOR", "1"), ("TZ", "UTC")])
            .current_dir(self.env.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut shown = Vec::new();
        let mut byte = [0];
        while !shown.ends_with(b"READY\r\n") && screen.read(&mut byte).unwrap() > 0 {
            shown.push(byte[0]);
        }
        // Whoever asks for more than was typed reads the end, thrice; some are done before.
        keys.write_all(format!("{typed}\u{4}\u{4}\u{4}").as_bytes()).ok();
        shown.clear();
        screen.read_to_end(&mut shown).unwrap();
        let code = child.wait().unwrap().code().unwrap_or(-1);
        drop(keys);
        let shown = String::from_utf8_lossy(&shown).replace('\r', "");
        if shown.contains("outside of Claude Code") {
            return Err("the tests run inside of the client");
        }
        let shown = shown
            .replace(&*self.env.home().to_string_lossy(), "$HOME")
            .replace(&*self.env.project().to_string_lossy(), "$PROJECT");
        let typed = if typed.is_empty() { String::new() } else { format!(" < {typed:?}") };
        self.put(&format!("mk {line}{typed}"), &shown, "", code);
        Ok(())
    }

    /// Keeps home and project as they are, for [`Self::restore`].
    pub(super) fn keep(&self) {
        for folder in [self.env.home(), self.env.project()] {
            let kept = folder.with_extension("kept");
            fs::remove_dir_all(&kept).ok();
            copy(&folder, &kept);
        }
    }

    /// Home as it was kept, and these files of the project: others keep their times, by which the guard
    /// knows what a command wrote.
    pub(super) fn restore(&self, files: &[&str]) {
        let (home, project) = (self.env.home(), self.env.project());
        fs::remove_dir_all(&home).unwrap();
        copy(&home.with_extension("kept"), &home);
        for file in files {
            fs::remove_file(project.join(file)).ok();
            let kept = project.with_extension("kept").join(file);
            if kept.exists() {
                copy(&kept, &project.join(file));
            }
        }
    }

    /// What hooks start in the background has its part in what is printed next.
    fn settle(&self, arguments: &[String]) {
        if arguments.iter().any(|word| word == "hook" || word == "learn") {
            self.env.settle();
        }
    }

    /// What was recorded.
    pub(super) fn done(self) -> Vec<Recording> {
        self.recordings.into_inner()
    }

    /// A text without what differs from run to run: places, times, the program's version; and without the
    /// size of a database, which differs with every change of its schema.
    fn steady(&self, text: &str) -> String {
        static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\b(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d:\d\d)(?:[.]\d+)?(Z|\+00:00)?)?\b")
                .unwrap()
        });
        static AGE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\b\d+(?:w|mo|y) ago\b").unwrap());
        // The hash of a place, and nanoseconds since 1970.
        static NUMBER: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"\b(?:[0-9a-f]{24}|1[78]\d{17})\b").unwrap());
        static RECENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d+m ago\b").unwrap());
        static SIZE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"(knowledge\.db(?: \(|",\s+"bytes": ))[\d.]+( [kM]B)?"#).unwrap()
        });
        let place = self.env.home();
        let place = place.parent().unwrap().to_string_lossy();
        let text = text.replace(&*place, "$TMP").replace(&program(), "$MK");
        let text = text.replace(&*repository().to_string_lossy(), "$REPOSITORY");
        let text = MOMENT.replace_all(&text, |found: &Captures<'_>| moment(found, self.now()));
        let text = AGE.replace_all(&text, "<age>");
        let text = RECENT.replace_all(&text, "just now");
        let text = SIZE.replace_all(&text, "${1}<size>");
        NUMBER.replace_all(&text, "<number>").into_owned()
    }
}

/// One line of JSON, as a hook answers, told for people: a field a line, text with its own lines.
fn laid_out(stdout: &str) -> String {
    let value = serde_json::from_str::<serde_json::Value>(stdout).ok();
    let mut lines = String::new();
    match value.filter(|value| value.is_object() && stdout.lines().count() == 1) {
        Some(value) => tell(&mut lines, "", &value),
        None => stdout.clone_into(&mut lines),
    }
    lines
}

fn tell(lines: &mut String, place: &str, value: &serde_json::Value) {
    if let serde_json::Value::Object(fields) = value {
        for (name, value) in fields {
            let dot = if place.is_empty() { "" } else { "." };
            tell(lines, &format!("{place}{dot}{name}"), value);
        }
        return;
    }
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let text: String = text
        .chars()
        .map(|c| match c {
            '\n' => "\n    ".to_owned(),
            c if c.is_control() => c.escape_default().to_string(),
            c => c.to_string(),
        })
        .collect();
    writeln!(lines, "{place}: {text}").unwrap();
}

/// Times of these days are told from now on; others are a fixture's and stay.
fn moment(found: &Captures<'_>, now: Timestamp) -> String {
    let time = found.get(3).map_or("00:00:00", |time| time.as_str());
    let Ok(then) = format!("{}T{time}Z", &found[1]).parse::<Timestamp>() else {
        return found[0].to_owned();
    };
    // SQLite reads the real clock where a column's default is a time.
    let real = Timestamp::now();
    let is_today = real.duration_since(then).abs() < SignedDuration::from_hours(25);
    if is_today && real.duration_since(now) > SignedDuration::from_hours(25) {
        return if found.get(3).is_none() { "<date>".to_owned() } else { "<now>".to_owned() };
    }
    let away = then.duration_since(now);
    if away.abs() > SignedDuration::from_hours(24 * 200) {
        return found[0].to_owned();
    }
    if found.get(3).is_none() {
        return "<date>".to_owned();
    }
    // To the hour, so that the time which the test takes makes no difference.
    let hours = (away.as_secs() + 1800).div_euclid(3600);
    if hours == 0 {
        return "<now>".to_owned();
    }
    let sign = if hours < 0 { '-' } else { '+' };
    let (days, hours) = (hours.abs() / 24, hours.abs() % 24);
    let part =
        |count: i64, unit: &str| if count == 0 { String::new() } else { format!("{count}{unit}") };
    format!("<now{sign}{}{}>", part(days, "d"), part(hours, "h"))
}

/// A file or folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else if from.is_symlink() {
        #[cfg(unix)]
        std::os::unix::fs::symlink(fs::read_link(from).unwrap(), to).unwrap();
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

/// The words of a line, as a shell reads them: with quotes of both kinds.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut begun) = (String::new(), None, false);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (None, '\'' | '"') => (quote, begun) = (Some(c), true),
            (None, ' ') => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            _ => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

/// A transcript's times, brought near to now: what was recorded on a certain day would grow older.
pub(super) fn recent(text: &str) -> String {
    static STAMP: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b2026-03-01T\d\d:\d\d:\d\d(?:\.\d+)?Z").unwrap());
    let shift = Timestamp::now().duration_since(noon());
    STAMP
        .replace_all(text, |found: &Captures<'_>| {
            let then: Timestamp = found[0].parse().unwrap();
            (then + shift).strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
        })
        .into_owned()
}
