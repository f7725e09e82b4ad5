//! The one place that starts processes: `mk` itself, detached, for work that must not hold up a
//! session, other programs to ask for their version, and git. A detached process
//! holds nothing of its parent: no terminal, no pipes, no process group.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Starts `executable` in `folder` and does not wait for it.
///
/// # Errors
/// When it cannot be started at all; what becomes of it later is for its own log.
pub fn spawn_detached(executable: &Path, arguments: &[OsString], folder: &Path) -> io::Result<()> {
    #[allow(clippy::disallowed_methods, reason = "the one place where background work is started")]
    let mut command = Command::new(executable);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    command.spawn().map(drop)
}

/// Where `nice` is. Fixed places: `PATH` may be anybody's.
const NICE: [&str; 3] = ["/usr/bin/nice", "/bin/nice", "/run/current-system/sw/bin/nice"];

/// How far behind others the work stands that nobody waits for; 19 is the farthest.
const NICENESS: &str = "10";

/// Like [`spawn_detached`], with a lower priority where the system has `nice`.
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

/// How long a program may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(5);

/// The first line that a program prints when asked with one argument; `None` where it fails or takes
/// longer than five seconds.
pub fn first_line(program: &Path, argument: &str) -> Option<String> {
    #[allow(clippy::disallowed_methods, reason = "a program is asked for its version")]
    let mut command = Command::new(program);
    command.arg(argument).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let started = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if started.elapsed() > VERSION_LIMIT {
            child.kill().ok();
            child.wait().ok();
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut text = String::new();
    child.stdout.take()?.take(4096).read_to_string(&mut text).ok()?;
    text.lines().next().map(crate::text::clean).filter(|line| !line.is_empty())
}

/// What a program printed.
#[derive(Debug)]
pub struct Output {
    /// Whether it ended with 0.
    pub success: bool,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Runs a program to its end, with `input` on its standard input; of its environment `removed` is taken
/// out, then `variables` are added.
///
/// # Errors
/// When it cannot be started.
pub fn output(
    program: &OsStr,
    arguments: &[OsString],
    removed: &[&str],
    variables: &[(String, String)],
    input: Vec<u8>,
) -> io::Result<Output> {
    #[allow(clippy::disallowed_methods, reason = "git is asked")]
    let mut command = Command::new(program);
    command.args(arguments);
    for name in removed {
        command.env_remove(name);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // Written beside the reading: a program that answers as it reads would wait for us, and we for it.
    let writer = child
        .stdin
        .take()
        .map(|mut stdin| std::thread::spawn(move || stdin.write_all(&input).ok()));
    let (sender, receiver) = mpsc::channel();
    let stderr = child.stderr.take().map(|pipe| std::thread::spawn(move || all(pipe)));
    let stdout = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let bytes = stdout.map(all).unwrap_or_default();
        sender.send(()).ok();
        bytes
    });
    let in_time = receiver.recv_timeout(ANSWER_LIMIT).is_ok();
    if !in_time {
        child.kill()?;
    }
    let status = child.wait()?;
    drop(writer.map(std::thread::JoinHandle::join));
    if !in_time {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time"));
    }
    let stdout = reader.join().unwrap_or_default();
    let stderr = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
    Ok(Output { success: status.success(), stdout, stderr })
}

/// How long git may take: a file of the repository that is a pipe holds it up without end.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// What a program prints is not read beyond this.
const MOST_BYTES: u64 = 1 << 30;

fn all(pipe: impl io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    pipe.take(MOST_BYTES).read_to_end(&mut bytes).ok();
    bytes
}
