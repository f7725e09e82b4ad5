//! The one place that starts processes: `mk` itself, detached (no terminal, pipes or process group of its parent),
//! programs asked for their version, git, and the person's editor and pager.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::time::Duration;

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

/// Of what it prints within five seconds.
pub fn first_line(program: &Path, argument: &str) -> Option<String> {
    let limit = Duration::from_secs(5);
    let said =
        output(program.as_os_str(), &[argument.into()], (&[], &[]), Vec::new(), limit).ok()?;
    let text = String::from_utf8_lossy(&said.stdout);
    text.lines().next().map(crate::text::clean).filter(|line| !line.is_empty())
}

/// Waits for its end; true for exit code 0. `command` may have arguments, as `EDITOR` has.
pub fn foreground(command: &str, file: &Path) -> io::Result<bool> {
    #[allow(clippy::disallowed_methods, reason = "the person's editor")]
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{command} \"$1\"")).arg("sh").arg(file);
    Ok(shell.status()?.success())
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

#[derive(Debug)]
pub struct Output {
    pub success: bool,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Waits for its end. `removed` leaves the environment, then `variables` are added.
pub fn output(
    program: &OsStr,
    arguments: &[OsString],
    (removed, variables): (&[&str], &[(String, String)]),
    input: Vec<u8>,
    limit: Duration,
) -> io::Result<Output> {
    #[allow(clippy::disallowed_methods, reason = "git is asked, and programs for their version")]
    let mut command = Command::new(program);
    command.args(arguments);
    for name in removed {
        command.env_remove(name);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // Beside the reading: a program that answers as it reads would deadlock with us.
    let writer = child
        .stdin
        .take()
        .map(|mut stdin| std::thread::spawn(move || stdin.write_all(&input).ok()));
    let (sender, receiver) = mpsc::channel();
    let stderr = child.stderr.take().map(|pipe| std::thread::spawn(move || all(pipe)));
    let stdout = child.stdout.take();
    std::thread::spawn(move || sender.send(stdout.map(all).unwrap_or_default()).ok());
    let stdout = receiver.recv_timeout(limit);
    if stdout.is_err() {
        child.kill()?;
    }
    let status = child.wait()?;
    drop(writer.map(std::thread::JoinHandle::join));
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time");
    let stdout = stdout.map_err(late)?;
    let stderr = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
    Ok(Output { success: status.success(), stdout, stderr })
}

const MOST_BYTES: u64 = 1 << 30;

fn all(pipe: impl io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    pipe.take(MOST_BYTES).read_to_end(&mut bytes).ok();
    bytes
}
