//! What a call of `mk` does, for the hook that decides whether it may run: clap says what was asked, and
//! each command says what that does.

use std::any::TypeId;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser as _, Subcommand as _};

use super::{Cli, Command};
use crate::app::guard::permission::{Call, Does};

/// Reads the words after `mk`; `None` where they name no command of it.
pub(crate) fn read(words: &[String]) -> Option<Call> {
    // To build clap's commands takes time, and most words behind a `mk` somewhere are none.
    let mut known = words.iter().take(8);
    if !words.is_empty() && !known.any(|word| Command::has_subcommand(word) || is_of_clap(word)) {
        return None;
    }
    let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
    second_name(&mut words);
    let line = || std::iter::once(OsString::from("mk")).chain(words.iter().cloned());
    let error = match Cli::try_parse_from(line()) {
        Ok(cli) => return Some(cli.call(None)),
        Err(error) => error,
    };
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return Some(Call { does: Does::Reads, wrong: None });
    }
    let matches = lenient(Cli::command()).try_get_matches_from(line()).ok()?;
    let wrong = error.to_string();
    let wrong = wrong.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    Some(Cli::from_arg_matches(&matches).ok()?.call(Some(wrong)))
}

/// `facts list`, `lessons show 3` and their like go on working: what is done with a finding has a command of its own.
pub(super) fn second_name(words: &mut Vec<OsString>) {
    let [kind, what, ..] = words.as_slice() else { return };
    let (kind, what) = (kind.to_str().unwrap_or_default(), what.to_str().unwrap_or_default());
    match (kind, what) {
        ("facts" | "lessons" | "playbooks", "show" | "confirm" | "drop") | ("review", "show") => {
            drop(words.remove(0));
        }
        ("facts" | "lessons" | "playbooks", "list") => drop(words.remove(1)),
        _ => {}
    }
}

fn is_of_clap(word: &str) -> bool {
    ["help", "--help", "-h", "--version", "-V"].contains(&word)
}

/// The same command line, where what is missing or wrong is passed over: it says what was meant.
fn lenient(command: clap::Command) -> clap::Command {
    let is_text = |argument: &clap::Arg| {
        let kind = argument.get_value_parser().type_id();
        kind == TypeId::of::<String>() || kind == TypeId::of::<std::path::PathBuf>()
    };
    let names: Vec<String> =
        command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
    let command = command.ignore_errors(true).mut_args(|argument| {
        if argument.is_required_set() && is_text(&argument) {
            argument.required(false).default_value("?")
        } else {
            argument
        }
    });
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, lenient))
}

impl Cli {
    fn call(self, wrong: Option<String>) -> Call {
        let is_elsewhere = self.db.is_some() || self.tracking.is_some();
        let does = self.command.map_or(Does::Reads, Command::does);
        match does {
            Does::Decides(_) if is_elsewhere => {
                let text = "`--db` and `--tracking` are for the person's own terminal";
                Call { does, wrong: wrong.or(Some(text.to_owned())) }
            }
            _ if is_elsewhere => Call { does: Does::Writes, wrong },
            does => Call { does, wrong },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::guard::permission::PersonDecision;
    use crate::review::Asked;

    fn split(line: &str) -> Vec<String> {
        line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// What a line does, in a word; with `!` where it would not run.
    fn shown(line: &str) -> String {
        let Some(call) = read(&split(line)) else { return "-".to_owned() };
        let does = match call.does {
            Does::Reads => "reads",
            Does::Proposes => "proposes",
            Does::Takes(_) => "takes",
            Does::Writes => "writes",
            Does::Decides(PersonDecision::Allow(_)) => "allow",
            Does::Decides(PersonDecision::Knowledge(Asked::Confirm { .. })) => "confirm",
            Does::Decides(PersonDecision::Knowledge(Asked::Drop { .. })) => "drop",
            Does::Decides(PersonDecision::Knowledge(Asked::Set(_))) => "set",
            Does::Decides(PersonDecision::Knowledge(Asked::Problem(_))) => "problem",
            Does::Decides(PersonDecision::Terminal(what)) => what,
        };
        format!("{does}{}", if call.wrong.is_some() { "!" } else { "" })
    }

    #[test]
    fn what_calls_do() {
        for (lines, expected) in [
            (
                "|problem erdos-850|problem Erdos 850 --json|search prime --limit 5 -v|search -- --all|find erdos-850 --json|failed x|strategies nt\
                 |stats|show 12|brief|why|outline A.lean --gaps|diff A.lean B.lean\
                 |audit --deny gaps --base HEAD src|doctor|help add|search --help|--version|-h\
                 |renames lookup Nat.add|review list --status rejected|lessons|facts|facts --key a|playbooks\
                 |list|list --kind fact --status proposed|jobs|guard log|lock --list\
                 |allow --list --all|config|config get a|config path|projects|queue|forget 3 --dry-run\
                 |gc --dry-run|expire --dry-run|export",
                "reads",
            ),
            ("lock x|lock x y --file A.lean", "proposes"),
            ("extract A.lean|extract a b --slot 7 --dry-run|extract notes.md --no-model", "takes"),
            (
                "add insight --title x|init|import a.db|extract|extract a.md --model x|extract-all notes\
                 |doctor --fix|queue set|expire|gc|jobs run|jobs retry 1\
                 |allow --revoke 3|review|trust --remove|capture|learn|hook\
                 |--db x stats|stats --db x|search a --tracking=t.db|lock x --db y|extract A --db x",
                "writes",
            ),
            ("allow foo --rule proof-lost", "allow"),
            (
                "allow|allow foo|allow foo --x --list|--db x allow foo --rule r|allow a b --rule r",
                "allow!",
            ),
            (
                "facts list|facts show a.b|lessons list --tool lean|playbooks show 3|review show 3",
                "reads",
            ),
            (
                "confirm 3|review accept 3|review accept 3 4 --kind lesson|facts confirm a.b",
                "confirm",
            ),
            ("confirm|review accept|--tracking=x review accept 3", "confirm!"),
            ("drop 3|review reject 3|drop --json a.b|drop 3 --reason x|lessons drop 3", "drop"),
            ("drop|--db x drop 3", "drop!"),
            ("facts set a.b c", "set"),
            ("facts set a.b", "set!"),
            ("problem resolve a|problem alias a b --remove", "problem"),
            ("problem resolve|problem alias a|--db x problem resolve a", "problem!"),
            ("review undo 3", "mk review undo"),
            ("trust|trust x", "mk trust"),
            ("config set guard.enabled false|config set --project a b", "mk config set"),
            ("config set a", "mk config set!"),
            ("lock foo --remove", "mk lock --remove"),
            ("projects merge a b", "mk projects merge"),
            ("forget 3|forget --matching x", "mk forget"),
            ("x|allowance x|searching|'allow'", "-"),
        ] {
            for line in lines.split('|') {
                assert_eq!(shown(line), expected, "{line}");
            }
        }
        // What is not understood never runs without the person.
        for line in ["search --nonsense", "add", "queue nonsense", "diff A.lean"] {
            assert!(shown(line).ends_with('!'), "{line}: {}", shown(line));
        }
    }

    #[test]
    fn what_is_asked_for_is_what_clap_reads() {
        let line = split("facts set a.b c --global --category=tool --lasts 7d");
        let Some(Call { does: Does::Decides(PersonDecision::Knowledge(asked)), .. }) = read(&line)
        else {
            panic!("{line:?}");
        };
        assert_eq!(
            format!("{asked:?}"),
            "Set(Set { key: \"a.b\", value: \"c\", category: Some(Tool), global: true, lasts: \
             Some(\"7d\") })"
        );
    }
}
