//! The words for what files lost, with the commands that bring it back. We never touch the files.

use std::fmt::Write as _;
use std::path::Path;

use super::lost_proofs::Lost;
use super::past::Source;
use super::resolve::real;
use crate::guard::{Finding, Level, Rule, Tense, Verdict};
use crate::shell::quoted;

/// Findings that are told; the others are counted.
const MOST_TOLD: usize = 4;

/// Files whose repair is told.
const MOST_FILES: usize = 4;

/// Where a command of the agent's would run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) root: &'a Path,
    /// Current folder of the client's shell.
    pub(super) cwd: Option<&'a Path>,
}

/// What is said right after a command.
pub(super) fn after_command(lost: &[Lost], place: Place<'_>) -> String {
    let program = lost.first().and_then(program);
    let program = program.map_or_else(|| "the command".to_owned(), |name| format!("`{name}`"));
    let files = match lost {
        [one] => format!("`{}`", one.name),
        many => format!("{} files", many.len()),
    };
    let text = format!("math-forge: {program} has written {files}, and {}.\n", gone(lost));
    account(text, lost, place)
}

/// What is said at the end of a turn.
pub(super) fn at_stop(lost: &[Lost], place: Place<'_>) -> String {
    let files = match lost {
        [one] => {
            let by = program(one).map_or_else(|| "this session".to_owned(), |by| format!("`{by}`"));
            format!("`{}`, which {by} wrote", one.name)
        }
        many => format!("{} files that this session wrote", many.len()),
    };
    account(format!("math-forge: in {files}, {}.\n", gone(lost)), lost, place)
}

/// The program that wrote the file, where its name is known.
fn program(lost: &Lost) -> Option<&str> {
    Some(lost.program.as_str()).filter(|name| !matches!(*name, "" | "?"))
}

/// What became of the files, in a few words.
fn gone(lost: &[Lost]) -> String {
    let rules = lost.iter().flat_map(|one| one.findings.iter().map(|finding| finding.rule));
    let rules: Vec<Rule> = rules.collect();
    let all = |known: &[Rule]| rules.iter().all(|rule| known.contains(rule));
    if all(&[Rule::ProofLost, Rule::ProofRemoved]) {
        return match rules.len() {
            1 => "a finished proof is gone".to_owned(),
            count => format!("{count} finished proofs are gone"),
        };
    }
    let is_work = all(&[Rule::ProofLost, Rule::ProofRemoved, Rule::ProgressLost]);
    let words = if is_work { "work on proofs is gone" } else { "what changed is not accepted" };
    words.to_owned()
}

fn account(mut text: String, lost: &[Lost], place: Place<'_>) -> String {
    let mut room = MOST_TOLD;
    for one in lost.iter().filter(|one| !one.findings.is_empty()) {
        let findings: Vec<Finding> = one.findings.iter().take(room).cloned().collect();
        if findings.is_empty() {
            break;
        }
        room -= findings.len();
        if lost.len() > 1 {
            let by = program(one).map_or_else(String::new, |by| format!(" (`{by}`)"));
            writeln!(text, "{}{by}:", one.name).ok();
        }
        let verdict = Verdict { findings, decision: Level::Warn };
        writeln!(text, "{}", verdict.told(Tense::Did, true)).ok();
    }
    let all: usize = lost.iter().map(|one| one.findings.len()).sum();
    let more = all - (MOST_TOLD - room);
    if more > 0 {
        writeln!(text, "And {more} more of the kind.").ok();
    }
    text.push_str(match lost {
        [_] => {
            "This brings the file back as it was, without anything that was changed in it since:\n"
        }
        _ => "These bring the files back as they were, without anything that was changed since:\n",
    });
    for one in lost.iter().take(MOST_FILES) {
        writeln!(text, "    {}", repair(&one.path, &one.base.source, place)).ok();
    }
    if lost.len() > MOST_FILES {
        writeln!(text, "    (the same for {} more files)", lost.len() - MOST_FILES).ok();
    }
    text.push_str(&ways(lost));
    text
}

fn ways(lost: &[Lost]) -> String {
    let finding = lost.first().and_then(|one| one.findings.first().map(|finding| (one, finding)));
    let Some((file, finding)) = finding else { return String::new() };
    let name = finding.declaration.as_deref().unwrap_or(&file.name);
    format!(
        "Or put back with Edit only what is gone. If it has to be as it is now: `mk allow {} --rule \
         {} --once --reason \"...\"` asks the person. If it was the person who changed it, leave it \
         and say so.",
        quoted(name),
        finding.rule
    )
}

/// The command that brings a file back.
pub(super) fn repair(path: &Path, source: &Source, place: Place<'_>) -> String {
    let is_inside = path.starts_with(place.root);
    let at_root = is_inside && place.cwd.is_some_and(|cwd| real(cwd) == place.root);
    // Else it lies in another work tree.
    let mut folders = path.ancestors().skip(usize::from(!is_inside));
    let holds_it = |folder: &&Path| {
        if is_inside { *folder == place.root } else { folder.join(".git").exists() }
    };
    let folder = folders.find(holds_it).unwrap_or(place.root);
    let inside = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
    let target = quoted(&if at_root { inside.clone() } else { path.to_string_lossy() });
    match source {
        Source::Revision(revision) => {
            let revision = revision.get(..12).unwrap_or(revision);
            let object = quoted(&format!("{revision}:{}", inside.replace('\\', "/")));
            let at = if at_root {
                String::new()
            } else {
                format!("-C {} ", quoted(&folder.to_string_lossy()))
            };
            format!("git {at}show {object} > {target}")
        }
        Source::Copy(copy) => format!("cp {} {target}", quoted(&copy.to_string_lossy())),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn commands_that_bring_a_file_back() {
        let revision = Source::Revision("0123456789abcdef".to_owned());
        let copy = Source::Copy(PathBuf::from("/h/a b/last/00"));
        for (path, source, cwd, expected) in [
            ("/p/A.lean", &revision, "/p", "git show 0123456789ab:A.lean > A.lean"),
            (
                "/p/s/A b.lean",
                &revision,
                "/p",
                "git show \"0123456789ab:s/A b.lean\" > \"s/A b.lean\"",
            ),
            ("/p/A.lean", &revision, "/p/s", "git -C /p show 0123456789ab:A.lean > /p/A.lean"),
            ("/p/it's.lean", &copy, "/p", "cp \"/h/a b/last/00\" \"it's.lean\""),
            ("/q/A.lean", &copy, "/p", "cp \"/h/a b/last/00\" /q/A.lean"),
        ] {
            let place = Place { root: Path::new("/p"), cwd: Some(Path::new(cwd)) };
            assert_eq!(repair(Path::new(path), source, place), expected);
        }
    }
}
