//! The one place that starts processes: `mk` itself, detached (no terminal, pipes or process group of its parent),
//! programs asked for their version, git, Lean within limits, and the person's editor and pager.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::App;
use crate::files;

/// Does not wait.
pub fn spawn_detached(executable: &Path, arguments: &[OsString], folder: &Path) -> io::Result<()> {
    #[allow(clippy::disallowed_methods, reason = "the one place where background work is started")]
    let mut command = Command::new(executable);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.process_group(0);
    command.spawn().map(drop)
}

/// Fixed places: `PATH` may be anybody's.
const NICE: [&str; 3] = ["/usr/bin/nice", "/bin/nice", "/run/current-system/sw/bin/nice"];

const NICENESS: &str = "10";

/// With a lower priority where the system has `nice`.
pub fn spawn_gently(executable: &Path, arguments: &[OsString], folder: &Path) -> io::Result<()> {
    if let Some(nice) = NICE.iter().map(Path::new).find(|path| path.is_file()) {
        let mut gently: Vec<OsString> = vec!["-n".into(), NICENESS.into(), executable.into()];
        gently.extend_from_slice(arguments);
        if spawn_detached(nice, &gently, folder).is_ok() {
            return Ok(());
        }
    }
    spawn_detached(executable, arguments, folder)
}

/// Lets the person edit a text in `VISUAL`, `EDITOR` or vi, which may have arguments; the text as it is saved.
pub fn edit(app: &App, text: &str) -> anyhow::Result<String> {
    let environment = &app.environment;
    // As git does.
    let editor = environment.text("VISUAL").or_else(|| environment.text("EDITOR")).unwrap_or("vi");
    let mut file = tempfile::Builder::new()
        .prefix("mk-")
        .suffix(".txt")
        .tempfile()
        .context("could not make a file to edit")?;
    file.write_all(text.as_bytes()).context("could not make a file to edit")?;
    // Closed, because some editors replace the file.
    let path = file.into_temp_path();
    #[allow(clippy::disallowed_methods, reason = "the person's editor")]
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&path);
    let status =
        shell.status().with_context(|| format!("could not start the editor `{editor}`"))?;
    anyhow::ensure!(status.success(), "the editor `{editor}` ended with an error");
    files::text(&path, files::SMALL).context("could not read what was edited")
}

/// Shows a text in a pager and waits for its end; false where there is no such program. `command` may have
/// arguments, as `PAGER` has.
pub fn paged(command: &str, text: &str) -> io::Result<bool> {
    const NOT_FOUND: i32 = 127;
    // Ctrl-C is for the pager, which is not left behind at the terminal.
    let interrupted = Arc::new(AtomicBool::new(false));
    let watch = signal_hook::flag::register(signal_hook::consts::SIGINT, interrupted)?;
    #[allow(clippy::disallowed_methods, reason = "the person's pager")]
    let mut shell = Command::new("sh");
    // What fits ends at once, colours stay, and the text stays on the terminal.
    let script = format!("export LESS=\"${{LESS-FRX}}\"; {command}");
    let mut pager = shell.arg("-c").arg(script).stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = pager.stdin.take() {
        // Who has seen enough closes the pager.
        stdin.write_all(text.as_bytes()).ok();
    }
    let status = pager.wait()?;
    signal_hook::low_level::unregister(watch);
    Ok(status.code() != Some(NOT_FOUND))
}

/// Has the person's own program open a file; false where there is none.
pub fn open(file: &Path) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let folder = file.parent().unwrap_or(Path::new("/"));
    spawn_detached(Path::new(program), &[file.as_os_str().to_owned()], folder).is_ok()
}

/// How long a program may run, and what it may use.
#[derive(Debug, Clone)]
pub struct Limits {
    pub time: Duration,
    /// Of all its processes, in MB; only where the system lists them under `/proc`.
    pub memory: u64,
    /// Of what it prints, in bytes.
    pub output: u64,
    /// Ends it early.
    pub stop: Arc<AtomicBool>,
}

/// Why a program was ended before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Late,
    Memory,
    Output,
    Stopped,
}

/// `stdout` is text or bytes.
#[derive(Debug)]
pub struct Ran<T = String> {
    /// `None` where a signal ended it.
    pub code: Option<i32>,
    pub stdout: T,
    pub stderr: String,
    pub ended: Option<Ended>,
}

/// A program with what it is given. Its environment is ours without the variables that are removed, then with some set.
#[derive(Debug)]
pub struct Call<'a> {
    pub program: &'a Path,
    pub arguments: &'a [&'a str],
    pub folder: &'a Path,
    pub removed: &'a [&'a str],
    pub variables: &'a [(String, String)],
    pub input: &'a str,
}

/// Waits for its end; an error if that does not come in time.
pub fn output(call: &Call<'_>, time: Duration) -> io::Result<Ran<Vec<u8>>> {
    let stop = Arc::new(AtomicBool::new(false));
    let ran = run(call, &Limits { time, memory: u64::MAX >> 10, output: 1 << 30, stop })?;
    match ran.ended {
        None => Ok(ran),
        Some(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time")),
    }
}

pub fn bounded(call: &Call<'_>, limits: &Limits) -> io::Result<Ran> {
    let Ran { code, stdout, stderr, ended } = run(call, limits)?;
    Ok(Ran { code, stdout: String::from_utf8_lossy(&stdout).into_owned(), stderr, ended })
}

/// In a process group of its own, which ends with it.
fn run(call: &Call<'_>, limits: &Limits) -> io::Result<Ran<Vec<u8>>> {
    const LOOK: Duration = Duration::from_millis(10);
    const LOOKS_AT_MEMORY: u32 = 20;
    #[allow(
        clippy::disallowed_methods,
        reason = "git is asked, the project's own Lean, and programs for their version"
    )]
    let mut command = Command::new(call.program);
    command.args(call.arguments).current_dir(call.folder);
    for name in call.removed {
        command.env_remove(name);
    }
    command.envs(call.variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.process_group(0).spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    let end = || {
        let signal = rustix::process::Signal::KILL;
        group.map(|group| rustix::process::kill_process_group(group, signal).ok());
    };
    let input = call.input.to_owned();
    // Beside the reading: a program that answers as it reads would deadlock with us.
    let writer = child
        .stdin
        .take()
        .map(|mut stdin| std::thread::spawn(move || stdin.write_all(input.as_bytes()).ok()));
    let printed = Arc::new(AtomicU64::new(0));
    let (sender, at_end) = mpsc::channel();
    let read = |pipe: Box<dyn io::Read + Send>| {
        let (printed, most, sender) = (Arc::clone(&printed), limits.output, sender.clone());
        std::thread::spawn(move || {
            let bytes = counted(pipe, &printed, most);
            sender.send(()).ok();
            bytes
        })
    };
    let stdout = child.stdout.take().map(|pipe| read(Box::new(pipe)));
    let stderr = child.stderr.take().map(|pipe| read(Box::new(pipe)));
    let begun = Instant::now();
    let mut looks = 0_u32;
    let (mut status, mut ended) = (None, None);
    while status.is_none() && ended.is_none() {
        // Who closes what it prints to has ended, or is about to.
        let patience = LOOK.min(begun.elapsed() / 4 + Duration::from_millis(1));
        at_end.recv_timeout(patience).ok();
        status = child.try_wait()?;
        looks += 1;
        let uses_too_much =
            || looks.is_multiple_of(LOOKS_AT_MEMORY) && memory_of(child.id()) > limits.memory << 10;
        ended = match () {
            () if status.is_some() => None,
            () if limits.stop.load(Ordering::Relaxed) => Some(Ended::Stopped),
            () if printed.load(Ordering::Relaxed) > limits.output => Some(Ended::Output),
            () if begun.elapsed() > limits.time => Some(Ended::Late),
            () => uses_too_much().then_some(Ended::Memory),
        };
    }
    // Also what it left running: that would hold the pipes open.
    end();
    let status = status.map_or_else(|| child.wait(), Ok)?;
    drop(writer.map(std::thread::JoinHandle::join));
    let bytes = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
    };
    let (stdout, stderr) = (bytes(stdout), bytes(stderr));
    if printed.load(Ordering::Relaxed) > limits.output {
        ended = Some(Ended::Output);
    }
    let stderr = String::from_utf8_lossy(&stderr).into_owned();
    Ok(Ran { code: status.code(), stdout, stderr, ended })
}

/// Everything from a pipe up to a limit, which is passed by at most one piece.
fn counted(mut pipe: impl io::Read, printed: &AtomicU64, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        let read = match pipe.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(read @ 1..) => read,
            _ => break,
        };
        if printed.fetch_add(read as u64, Ordering::Relaxed) > most {
            break;
        }
        bytes.extend_from_slice(piece.get(..read).unwrap_or_default());
    }
    bytes
}

/// What the processes of a group hold for themselves, in KB; 0 where that cannot be known.
fn memory_of(group: u32) -> u64 {
    let folders = files::entries(Path::new("/proc"));
    let of = |path: &PathBuf| {
        let stat = files::text(&path.join("stat"), files::SMALL).ok()?;
        // `1234 (name) S 1 GROUP ...`
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        (fields.nth(2)?.parse() == Ok(group)).then_some(())?;
        let status = files::text(&path.join("status"), files::SMALL).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()
    };
    folders.iter().filter_map(of).sum()
}
