//! Whether an output may hold an error, which stored lessons are about one, and which were followed.

use std::collections::BTreeSet;

use crate::lean::diagnostics::Signature;
use crate::learn::events::{Act, Change, FaultKind, Met, Writes, is_same_file};

const HINTS: [&str; 11] = [
    "error:",
    "\"severity\"",
    "\"success\"",
    "error(",
    ", severity: 1",
    "not found",
    "No module named ",
    "Cannot find module ",
    "No such file or directory",
    "is not a git command",
    "no such command",
];

/// Whether an output is worth reading: it holds a word that stands in every error known here.
pub fn may_hold_error(text: &str) -> bool {
    HINTS.iter().any(|hint| text.contains(hint))
}

/// The errors of an output that can be spoken of.
pub fn errors(act: &Act) -> Vec<Met<'_>> {
    let mut met = act.met();
    // A check can fail without a message of Lean: by its options, its surroundings, its time.
    let is_missing = |one: &Met<'_>| matches!(one.fault.kind, FaultKind::Missing(_));
    met.retain(|one| one.error.is_some() || is_missing(one) || act.call.checks_lean);
    met.retain(|one| !one.fault.says.is_empty());
    met
}

/// Whether an output with these errors shows that one of a file is gone. `known` were seen in the file before:
/// behind a new error the old one may only hide.
pub fn is_gone(act: &Act, met: &[Met<'_>], signature: &str, file: &str, known: &[&str]) -> bool {
    if file.is_empty() {
        // What a check failed by without a message, the same check is without.
        let name = Signature::parse(signature).name;
        return act.call.checks_lean && act.passed && name.as_deref() == Some(act.call.name());
    }
    let here = met.iter().filter(|one| is_same_file(one.file, file));
    let here: Vec<String> = here.map(|one| one.signature().to_string()).collect();
    act.is_build()
        && act.covers(file, "")
        && act.concludes(here.iter().all(|one| known.contains(&one.as_str())))
        && here.iter().all(|one| one != signature)
}

pub fn unknown_name(signature: &Signature) -> Option<String> {
    const KINDS: &[&str] =
        &["unknown-identifier", "invalid-field", "unknown-namespace", "deprecated"];
    signature.name.clone().filter(|_| KINDS.contains(&signature.kind.as_str()))
}

/// 1 for the same signature, less for a similar one of the same kind and name, `None` for another error.
pub fn likeness(new: &Signature, stored: &str) -> Option<f64> {
    const NEAR: f64 = 0.5;
    let stored = Signature::parse(stored);
    if *new == stored {
        return stored.is_specific().then_some(1.0);
    }
    // Without a name, kind alone would bring any fix of that kind.
    if new.key() != stored.key() || new.name.is_none() || !stored.is_specific() {
        return None;
    }
    let (one, two) = (new.telling_words(), stored.telling_words());
    let (common, all) = (one.intersection(&two).count(), one.union(&two).count());
    #[expect(clippy::cast_precision_loss, reason = "some dozens of words")]
    let like = if all == 0 { 0.0 } else { common as f64 / all as f64 };
    (like >= NEAR).then_some(like.min(0.99))
}

/// Whether an edit or a command does what a lesson says to have worked: all of it, or the names that mark it.
pub fn follows(act: &Act, what_worked: &str) -> bool {
    let codes: Vec<&str> = what_worked.split('`').skip(1).step_by(2).collect();
    let Some((new, old)) = codes.split_last() else { return false };
    let new = new.trim_end_matches('…');
    if !act.changes.is_empty() {
        let removes = what_worked.contains("removing `");
        let made = |change: &Change| {
            if removes { change.drops(new) } else { brings(change, &old.concat(), new) }
        };
        return act.changes.iter().any(made);
    }
    // What is only looked for is not tried.
    let is_edit = what_worked.contains("ing `") && matches!(act.writes, Writes::Nothing);
    !is_edit && solid(&act.call.command).contains(&solid(new))
}

/// Words of any proof: what they are given is what matters.
const GENERAL: [&str; 8] = ["apply", "by", "exact", "have", "open", "refine", "rw", "simp"];

fn brings(change: &Change, old: &str, new: &str) -> bool {
    let whole = solid(new);
    if solid(&change.new).contains(&whole) && !solid(&change.old).contains(&whole) {
        return true;
    }
    let (before, had, has) = (names(old), names(&change.old), names(&change.new));
    let told: Vec<&str> = names_of(new).filter(|name| !before.contains(name)).collect();
    let mut marks: Vec<&str> =
        told.iter().copied().filter(|name| name.contains(['.', '_'])).collect();
    if marks.is_empty() {
        marks
            .extend(told.first().filter(|name| new.starts_with(**name) && !GENERAL.contains(name)));
    }
    !marks.is_empty() && marks.iter().all(|name| has.contains(name) && !had.contains(name))
}

fn solid(code: &str) -> String {
    code.split_whitespace().collect()
}

fn names(code: &str) -> BTreeSet<&str> {
    names_of(code).collect()
}

fn names_of(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || "_.'".contains(c)));
    words.filter(|word| word.starts_with(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, text: &str) -> Act {
        let input = vec![("command".to_owned(), command.to_owned())];
        Act::printed("Bash", input, text, false).expect("a command")
    }

    #[test]
    fn errors_of_an_output() {
        let error = "error: A.lean:3:9: Unknown identifier `Nat.foo`\n";
        for (command, text, expected, is_build) in [
            ("lake build", error, &["unknown-identifier Nat.foo"][..], true),
            ("make check", error, &["unknown-identifier Nat.foo"], true),
            ("cat build.log", error, &["unknown-identifier Nat.foo"], false),
            ("lake build", "Build completed successfully (3 jobs).", &[], true),
            ("rg x", "bash: line 1: rg: command not found", &["missing-command rg"], false),
            ("cat notes", "bash: line 1: rg: command not found", &[], false),
            ("cc a.c", "a.c:1:2: error: expected ';'", &[], false),
            ("ls", "A.lean", &[], false),
        ] {
            let act = read(command, text);
            let signatures: Vec<String> =
                errors(&act).iter().map(|one| one.signature().to_string()).collect();
            assert_eq!(signatures, expected, "{command}: {text}");
            assert_eq!(act.is_build(), is_build, "{command}: {text}");
            assert!(expected.is_empty() || may_hold_error(text), "{text}");
        }
    }

    #[test]
    fn what_follows_a_lesson() {
        const BY: &str = "The error went away after replacing `linarith` with `positivity`.";
        const NAMED: &str =
            "The error went away after replacing `simp` with `exact Nat.le_of_dvd h k`.";
        for (lesson, old, new, expected) in [
            (BY, "  linarith", "  positivity", true),
            (BY, "  linarith", "  sorry", false),
            (BY, "  linarith", "  exact mul_pos ha hb", false),
            (BY, "  linarith\n  positivity", "  omega\n  positivity", false),
            (NAMED, "  simp", "  exact Nat.le_of_dvd hpos hdvd", true),
            (NAMED, "  simp", "  exact h k", false),
            ("The error went away after adding `open Nat`.", "", "open Nat\n", true),
            ("The error went away after adding `open Nat`.", "", "open Real", false),
            ("The error went away after removing `ring_nf`.", "  ring_nf", "  skip", true),
            // As it was worded once.
            ("The error went away by removing `ring_nf`.", "  ring_nf", "  skip", true),
        ] {
            let input = ["file_path", "old_string", "new_string"].map(str::to_owned);
            let input = input.into_iter().zip(["A.lean", old, new].map(str::to_owned)).collect();
            let act = Act::printed("Edit", input, "", false).expect("an edit");
            assert_eq!(follows(&act, lesson), expected, "{lesson} {new}");
        }
        let cache = "The error went away after `lake exe cache get`.";
        for (command, lesson, expected) in [
            ("lake exe cache get", cache, true),
            ("lake update", cache, false),
            ("rg positivity", BY, false),
        ] {
            assert_eq!(follows(&read(command, ""), lesson), expected, "{command}");
        }
    }

    #[test]
    fn errors_that_are_gone() {
        let foo = "unknown-identifier Nat.foo";
        let bar = "error: A.lean:9:1: Unknown identifier `Nat.bar`\n";
        for (command, text, known, expected) in [
            ("lake build", "Build completed successfully (3 jobs).", &[foo][..], true),
            ("lake env lean A.lean", "", &[foo], true),
            ("lake env lean B.lean", "", &[foo], false),
            ("lake build B", "Build completed successfully (3 jobs).", &[foo], false),
            ("lake build A", "Build completed successfully (3 jobs).", &[foo], true),
            ("lake build", bar, &[foo], false),
            ("lake build", bar, &[foo, "unknown-identifier Nat.bar"], true),
            // Another file fails, and this one was looked at.
            ("lake build", "warning: A.lean:1:1: x\nerror: B.lean:1:1: y", &[foo], true),
            ("lake build | grep warning", bar, &[foo, "unknown-identifier Nat.bar"], false),
            ("lake build", "error: A.lean:1:1: Unknown identifier `Nat.foo`", &[foo], false),
            ("ls", "A.lean", &[foo], false),
        ] {
            let act = read(command, text);
            let gone = is_gone(&act, &errors(&act), foo, "A.lean", known);
            assert_eq!(gone, expected, "{command}: {text}");
        }
        for (command, text, expected) in [
            ("lake build", "Build completed successfully (3 jobs).", true),
            ("lake build Foo", "error: unknown target 'Bar'", false),
            ("lake env lean A.lean", "", false),
            ("ls", "", false),
        ] {
            let act = read(command, text);
            let gone = is_gone(&act, &errors(&act), "failed lake build | bad option", "", &[]);
            assert_eq!(gone, expected, "{command}: {text}");
        }
    }
}
