//! What a call that worked did otherwise than the one that failed before it.

use std::collections::BTreeMap;

use crate::learn::events::{Call, Fault, FaultKind, Role, same_target};
use crate::text::{base_name, is_among};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Difference {
    Nothing,
    /// How they differ in words, as far as that is general.
    Options(Vec<String>),
    Replaced(String),
    Tool,
}

/// `None` where the later call is about something else.
pub(super) fn difference(failed: &Call, fault: &Fault, worked: &Call) -> Option<Difference> {
    if failed.key == worked.key {
        return Some(Difference::Nothing);
    }
    if let FaultKind::Missing(name) = &fault.kind {
        return replaced(failed, name, worked).map(Difference::Replaced);
    }
    if failed.tool == worked.tool && failed.family == worked.family {
        let is_same = is_same_matter(&failed.matter, &worked.matter);
        return is_same.then(|| Difference::Options(ways(&failed.args, &worked.args)));
    }
    let looks = |call: &Call| matches!(call.role, Role::Read | Role::Search);
    let same_purpose = failed.role == worked.role && failed.role != Role::Install
        || looks(failed) && looks(worked) && failed.shares_target(worked);
    let both_name_targets = !failed.targets.is_empty() && !worked.targets.is_empty();
    let same_thing = if both_name_targets {
        failed.shares_target(worked)
    } else {
        shares_matter(failed, worked)
    };
    let other = failed.name() != worked.name() && same_purpose && same_thing;
    (other && may_stand_in(failed, worked)).then_some(Difference::Tool)
}

const ABOUT: &[&str] = &[
    "chmod", "chown", "cp", "df", "du", "file", "gh", "git", "kill", "ln", "locate", "ls", "mk",
    "mv", "stat", "test", "touch", "tree", "type", "wc", "whereis", "which",
];

/// Programs and tools that show a file as it is: no replacement for one that reads something out of it.
const SHOW: &[&str] = &["Read", "bat", "cat", "head", "less", "more", "nl", "tail"];

fn program(call: &Call) -> &str {
    call.name().split(' ').next().unwrap_or_default()
}

/// Commands that only run something share no purpose, except two checks of Lean or two modules of one interpreter.
fn may_stand_in(failed: &Call, worked: &Call) -> bool {
    match failed.role {
        Role::Run => {
            let is_python = program(failed).starts_with("python");
            failed.checks_lean && worked.checks_lean
                || is_python && program(failed) == program(worked)
        }
        _ => !ABOUT.contains(&program(worked)),
    }
}

fn replaced(failed: &Call, name: &str, worked: &Call) -> Option<String> {
    let runs_it = |call: &Call| is_among(name, &call.family);
    if runs_it(failed) {
        let program = worked.command.split(' ').next().unwrap_or_default();
        if program.ends_with(&format!("/{name}")) {
            return Some("calling it by its full path".to_owned());
        }
        // `python` and `python3`, `clang` and `clang-15`: the same program, whatever it is to do.
        let last = base_name(program);
        if last != name && without_version(last) == without_version(name) {
            return Some(format!("`{last}`"));
        }
        if worked.family.ends_with(&format!(" -m {name}")) {
            return Some(format!("`{}`", worked.name()));
        }
        let same_thing = shares_matter(failed, worked) || failed.shares_target(worked);
        let (other, shows) = (self::program(worked), |one: &str| SHOW.contains(&one));
        if ABOUT.contains(&other) || shows(other) && !shows(name) {
            return None;
        }
        let looks = |call: &Call| matches!(call.role, Role::Read | Role::Search);
        // A script can do what any program did for the same file.
        let by_script =
            worked.role == Role::Run && !worked.checks_lean && failed.shares_target(worked);
        let same_purpose =
            failed.role == worked.role || looks(failed) && looks(worked) || by_script;
        return (same_thing && same_purpose && !runs_it(worked))
            .then(|| format!("`{}`", worked.name()));
    }
    let runs = worked.tool == "Bash" && matches!(worked.role, Role::Run | Role::Read);
    let is_other = failed.family != worked.family && !worked.key.contains(name);
    (runs && is_other && failed.shares_target(worked)).then(|| format!("`{}`", worked.name()))
}

fn without_version(program: &str) -> &str {
    program.trim_end_matches(|c: char| c.is_ascii_digit() || ".-".contains(c))
}

fn is_same_matter(one: &[String], two: &[String]) -> bool {
    let shared = one.iter().filter(|a| two.iter().any(|b| same_target(a, b))).count();
    let most = one.len().max(two.len());
    most == 0 || (shared > 0 && shared * 2 >= most)
}

fn shares_matter(one: &Call, two: &Call) -> bool {
    let long = |word: &&String| word.chars().count() >= 3;
    let shared = one.matter.iter().filter(long).filter(|word| two.matter.contains(word)).count();
    shared > 0 && shared * 2 >= one.matter.len().min(two.matter.len())
}

/// How the arguments differ, in words, as far as it is general.
fn ways(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let way = |(name, value): (&String, &String)| {
        let is_word = is_plain(value) && value.parse::<f64>().is_err();
        let separator = if name.starts_with('-') { "=" } else { ": " };
        match before.get(name) {
            None if is_word => Some(format!("with `{name}{separator}{value}`")),
            None => Some(format!("with `{name}`")),
            Some(old) if old == value => None,
            Some(old) => match (old.parse::<f64>(), value.parse::<f64>()) {
                (Ok(old), Ok(new)) if new < old => Some(format!("with a smaller `{name}`")),
                (Ok(_), Ok(_)) => Some(format!("with a larger `{name}`")),
                _ => (is_plain(old) && is_plain(value))
                    .then(|| format!("with `{name}` = `{value}`, not `{old}`")),
            },
        }
    };
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let gone = gone.map(|name| format!("without `{name}`"));
    after.iter().filter_map(way).chain(gone).collect()
}

fn is_plain(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !value.is_empty() && value.len() <= 24 && value.chars().all(plain)
}
