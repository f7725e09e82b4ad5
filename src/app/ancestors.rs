//! Whether Claude Code is among the processes that this one comes from.

use crate::files;
use crate::text::base_name;
use std::fs;
use std::path::Path;

/// A process, as far as it may be read.
#[derive(Debug, Default)]
struct Process {
    parent: Option<u32>,
    program: String,
    arguments: Vec<String>,
    /// Whether its environment is the client's.
    marked: bool,
}

/// Whether the client runs this process, as far as `/proc` tells: where there is none (macOS), or a
/// process has cut itself off from its parents, the answer is no.
pub fn include_client() -> bool {
    let mut next = read(Path::new("/proc/self")).parent;
    while let Some(id) = next.filter(|id| *id > 1) {
        let process = read(&Path::new("/proc").join(id.to_string()));
        if is_client(&process) {
            return true;
        }
        next = process.parent;
    }
    false
}

fn read(folder: &Path) -> Process {
    let fields = |name: &str| -> Vec<String> {
        let bytes = files::read(&folder.join(name), files::SMALL).unwrap_or_default();
        let fields = bytes.split(|byte| *byte == 0);
        fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect()
    };
    let status = files::text(&folder.join("status"), files::SMALL).unwrap_or_default();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let program = fs::read_link(folder.join("exe")).unwrap_or_default();
    Process {
        parent: parent.and_then(|id| id.trim().parse().ok()),
        program: program.to_string_lossy().into_owned(),
        arguments: fields("cmdline"),
        marked: fields("environ").iter().any(|variable| variable.starts_with("CLAUDECODE=")),
    }
}

/// Whether a process is the client, or was started by it.
fn is_client(process: &Process) -> bool {
    let named = |path: &str| {
        path.contains("/@anthropic-ai/claude-code")
            || matches!(base_name(path), "claude" | "claude.exe")
    };
    // The client may be a script: then its file comes after the interpreter.
    process.marked
        || named(&process.program)
        || process.arguments.iter().take(2).any(|argument| named(argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_in_its_forms() {
        let process = |program: &str, arguments: &[&str], marked| Process {
            parent: None,
            program: program.to_owned(),
            arguments: arguments.iter().map(|&a| a.to_owned()).collect(),
            marked,
        };
        for (program, arguments, marked, expected) in [
            ("/usr/bin/bash", &["bash"][..], false, false),
            ("/usr/bin/bash", &["bash"], true, true),
            ("/home/me/.local/bin/claude", &[], false, true),
            ("/usr/bin/node", &["claude"], false, true),
            ("/usr/bin/node", &["node", "/x/.bin/claude", "-p"], false, true),
            ("/x/@anthropic-ai/claude-code-linux/cli", &["x"], false, true),
            ("/usr/bin/vim", &["vim", "notes.md", "claude"], false, false),
            ("/usr/bin/less", &["less", "claude.md"], false, false),
        ] {
            let process = process(program, arguments, marked);
            assert_eq!(is_client(&process), expected, "{process:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_a_parent() {
        assert!(read(Path::new("/proc/self")).parent.is_some());
        assert!(read(Path::new("/proc/none")).parent.is_none());
    }
}
