//! A hermetic place to run `mk` in: its own home, project, time zone and environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use assert_cmd::Command;

/// A home folder and a project folder that are gone after the test.
pub(crate) struct TestEnv {
    dir: tempfile::TempDir,
}

/// What a run of `mk` printed.
#[must_use = "assert something about the output"]
pub(crate) struct Output {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl TestEnv {
    /// An empty home and an empty project without git or Lake.
    pub(crate) fn new() -> Self {
        Self::inside(tempfile::tempdir().unwrap())
    }

    /// The same in a given temporary folder.
    pub(crate) fn inside(dir: tempfile::TempDir) -> Self {
        let env = Self { dir };
        fs::create_dir_all(env.home()).unwrap();
        fs::create_dir_all(env.project()).unwrap();
        env
    }

    /// The home folder.
    pub(crate) fn home(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join("home")
    }

    /// The project folder, in which `mk` runs.
    pub(crate) fn project(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join("project")
    }

    /// The user's knowledge database.
    pub(crate) fn database(&self) -> PathBuf {
        self.home().join(".local/share/math-forge/knowledge.db")
    }

    /// Writes the user's configuration.
    pub(crate) fn configure(&self, text: &str) {
        let file = self.home().join(".config/math-forge/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Writes a file of the project and returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The command `mk` in this place, with nothing else of the environment.
    pub(crate) fn command(&self) -> Command {
        self.tool(env!("CARGO_BIN_EXE_mk"))
    }

    /// Another program in this place.
    pub(crate) fn tool(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("COLUMNS", "100")
            .current_dir(self.project());
        command
    }

    /// Runs `mk` with these arguments.
    pub(crate) fn mk<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Output {
        let mut command = self.command();
        command.args(arguments);
        self.finish(&mut command)
    }

    /// Runs `mk` with text on stdin.
    pub(crate) fn mk_with_input(&self, arguments: &[&str], input: impl Into<Vec<u8>>) -> Output {
        let mut command = self.command();
        command.args(arguments).write_stdin(input);
        self.finish(&mut command)
    }

    /// Runs a prepared command; its folders are shown as `$HOME` and `$PROJECT`.
    pub(crate) fn finish(&self, command: &mut Command) -> Output {
        let output = command.timeout(Duration::from_mins(2)).output().unwrap();
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes)
                .replace(&*self.home().to_string_lossy(), "$HOME")
                .replace(&*self.project().to_string_lossy(), "$PROJECT")
        };
        Output {
            code: output.status.code().unwrap_or(-1),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Waits until no process of this home is left: hooks start some in the background.
    pub(crate) fn settle(&self) {
        self.settle_until(|| false);
    }

    /// The same, or until something is done.
    pub(crate) fn settle_until(&self, is_done: impl Fn() -> bool) {
        let home = format!("HOME={}\0", self.home().display());
        let begun = Instant::now();
        // Looked for twice: one that ends may have started another behind the first look.
        let mut quiet = 0;
        while quiet < 2 && !is_done() && begun.elapsed() < Duration::from_mins(1) {
            quiet = if is_in_use(&home) { 0 } else { quiet + 1 };
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Whether a process runs whose environment holds this, or one that is being started: it has none yet.
fn is_in_use(home: &str) -> bool {
    let Ok(entries) = fs::read_dir("/proc") else { return false };
    let pids = entries.flatten().map(|entry| entry.path());
    pids.filter(|path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes()[0].is_ascii_digit())
    })
    .any(|path| {
        let Ok(environ) = fs::read(path.join("environ")) else { return false };
        memchr::memmem::find(&environ, home.as_bytes()).is_some()
            || (environ.is_empty() && is_starting(&path))
    })
}

/// Whether a process that has no environment has no command line either, and is neither a thread of the
/// kernel nor a process that has ended.
fn is_starting(process: &Path) -> bool {
    const OF_KERNEL: u32 = 0x20_0000;
    let read = |name: &str| fs::read_to_string(process.join(name));
    let (Ok(stat), Ok(line)) = (read("stat"), read("cmdline")) else { return false };
    // `1234 (name) S 1 GROUP SESSION TERMINAL ITS-GROUP FLAGS ...`
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let fields: Vec<&str> = fields.collect();
    let [state, .., flags] = fields.get(..7).unwrap_or_default() else { return false };
    let is_of_kernel = flags.parse().is_ok_and(|flags: u32| flags & OF_KERNEL != 0);
    line.is_empty() && *state != "Z" && !is_of_kernel
}

impl Output {
    /// Asserts exit code 0 and returns stdout.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert_eq!(self.code, 0, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self.stdout
    }

    /// Asserts this exit code and an empty stdout, and returns stderr.
    #[track_caller]
    pub(crate) fn failure(self, code: i32) -> String {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        self.stderr
    }

    /// Asserts exit code 0 and parses stdout as one JSON object with `"schema": 1`.
    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        let value: serde_json::Value = serde_json::from_str(&self.success()).unwrap();
        assert_eq!(value["schema"], 1);
        value
    }
}

/// Runs `mk` at a terminal of its own, with a line typed in; `None` where that cannot be done here.
pub(crate) fn at_terminal(env: &TestEnv, arguments: &[&str], typed: &str) -> Option<String> {
    let has_script = std::process::Command::new("script").arg("--version").output().is_ok();
    if !cfg!(target_os = "linux") || !has_script || std::env::var_os("CLAUDECODE").is_some() {
        eprintln!("SKIPPED a terminal: it takes Linux, `script`, and nobody else's session");
        return None;
    }
    let quote = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let words: Vec<String> = arguments.iter().map(|word| quote(word)).collect();
    let line = format!("{} {}", quote(env!("CARGO_BIN_EXE_mk")), words.join(" "));
    let mut command = env.tool("script");
    command.args(["-qec", &line, "/dev/null"]).write_stdin(format!("{typed}\n"));
    let output = env.finish(&mut command);
    Some(output.stdout.replace('\r', ""))
}

/// What the hook answers to a command of the shell.
pub(crate) fn hook(env: &TestEnv, event: &str, id: &str, command: &str) -> serde_json::Value {
    let input = serde_json::json!({
        "hook_event_name": event, "session_id": "s1", "tool_use_id": id, "tool_name": "Bash",
        "cwd": env.project(), "tool_input": {"command": command}, "tool_response": {"stdout": ""},
    });
    let output = env.mk_with_input(&["hook"], input.to_string()).success();
    let answer: serde_json::Value = if output.is_empty() {
        serde_json::json!({})
    } else {
        serde_json::from_str(&output).unwrap()
    };
    answer["hookSpecificOutput"].clone()
}

/// The shared folder of real data, or `None` with a loud line on stderr.
pub(crate) fn shared_data(what: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let path = std::env::var_os("MK_SHARED_DATA").map_or(beside, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("SKIPPED {what}: no real data at {}", path.display());
    None
}
