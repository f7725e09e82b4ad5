//! The one place that starts processes: `mk` itself, detached, for work that must not hold up a
//! session. Such a process holds nothing of its parent: no terminal, no pipes, no process group.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

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
