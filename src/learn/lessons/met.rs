//! Errors met: those in what a command prints as it comes, which earlier ones are gone, and which stored
//! lessons are about them.

use std::borrow::Cow;

use crate::lean::diagnostics::{Diagnostic, Signature};
use crate::learn::events::{Act, Fault, Outcome, said, same_target};
use crate::text::scrub;

const MOST: usize = 8;

const MOST_READ: usize = 64;

/// A longer output is cut in the middle: the first errors and the outcome matter.
const MOST_BYTES: usize = 512 * 1024;

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Of an error that many proofs meet alike: of its whole message.
    pub signature: Signature,
    /// A fix for it elsewhere may be one here.
    pub is_telling: bool,
    pub file: String,
    pub line: Option<u32>,
    pub says: String,
}

impl Seen {
    fn of(one: &Diagnostic, file: &str) -> Self {
        let signature = one.signature();
        let (file, says) = (file.to_owned(), said(one, &signature));
        let is_telling = signature.is_specific() || unknown_name(&signature).is_some();
        let signature =
            if is_telling { signature } else { Signature::of_whole(&one.text, signature) };
        Self { signature: without_secrets(signature), is_telling, file, line: one.line, says }
    }

    /// Of what is wrong around Lean.
    fn of_fault(fault: &Fault) -> Self {
        Self {
            signature: without_secrets(Signature::parse(&fault.signature)),
            is_telling: true,
            file: String::new(),
            line: None,
            says: fault.says.clone(),
        }
    }
}

pub struct Printed {
    pub act: Act,
    all: Vec<Seen>,
    pub errors: Vec<Seen>,
    is_complete: bool,
}

impl Printed {
    /// `None` for a tool that has nothing to do with the work; `failed` if the client calls it an error.
    pub fn read(
        name: &str,
        input: Vec<(String, String)>,
        text: &str,
        failed: bool,
    ) -> Option<Self> {
        let cut = crate::text::cut_middle(text.to_owned(), MOST_BYTES);
        let is_cut = cut.len() < text.len();
        let (act, missing) = Act::printed(name, input, cut, failed)?;
        // What was only tried stands in no file.
        let is_tried = act.call.tool != "Bash" && !act.call.checks_lean;
        let file = |one| if is_tried { "" } else { act.file_of(one) };
        let all: Vec<Seen> =
            act.errors().take(MOST_READ).map(|one| Seen::of(one, file(one))).collect();
        // A check can fail without a message of Lean: by its options, its surroundings, its time.
        let bare = match &act.outcome {
            Outcome::Failed(fault) if act.call.checks_lean && all.is_empty() => Some(fault),
            _ => None,
        };
        let bare = bare.filter(|fault| missing.is_none() && !fault.says.is_empty());
        let around = missing.iter().chain(bare).map(Seen::of_fault).collect::<Vec<Seen>>();
        let mut errors: Vec<Seen> = Vec::new();
        for one in around.iter().chain(&all) {
            if errors.len() < MOST && errors.iter().all(|other| other.signature != one.signature) {
                errors.push(one.clone());
            }
        }
        let is_complete = all.len() < MOST_READ && !is_cut;
        Some(Self { act, all, errors, is_complete })
    }

    pub fn is_of_server(&self) -> bool {
        self.act.call.tool != "Bash"
    }

    /// `known` are the signatures seen in its file before: behind a new error the old one may only hide.
    pub fn is_gone(&self, signature: &str, file: &str, known: &[&str]) -> bool {
        if file.is_empty() {
            let is_of_check =
                ["failed ", "limit ", "usage "].iter().any(|of| signature.starts_with(of));
            return is_of_check && self.act.is_clean_check();
        }
        if !self.act.is_build() || !self.is_complete {
            return false;
        }
        let here = |one: &&Seen| same_target(&one.file, file) || one.file == file;
        let mut in_file = self.all.iter().filter(here).peekable();
        if in_file.peek().is_none() {
            return self.act.passed && self.act.covers(file, "");
        }
        let is_old = |one: &str| one != signature && known.contains(&one);
        self.act.whole && in_file.all(|one| is_old(&one.signature.to_string()))
    }
}

/// A signature as it may be kept: a name in it can be anything that a command printed.
fn without_secrets(signature: Signature) -> Signature {
    match scrub(&signature.to_string()) {
        Cow::Borrowed(_) => signature,
        Cow::Owned(scrubbed) => Signature::parse(&scrubbed),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, text: &str, failed: bool) -> Printed {
        let input = vec![("command".to_owned(), command.to_owned())];
        Printed::read("Bash", input, text, failed).expect("a command")
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
            let printed = read(command, text, false);
            let signatures: Vec<String> =
                printed.errors.iter().map(|one| one.signature.to_string()).collect();
            assert_eq!(signatures, expected, "{command}: {text}");
            assert_eq!(printed.act.is_build(), is_build, "{command}: {text}");
            assert!(expected.is_empty() || may_hold_error(text), "{text}");
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
            ("lake build | grep warning", bar, &[foo, "unknown-identifier Nat.bar"], false),
            ("lake build", "error: A.lean:1:1: Unknown identifier `Nat.foo`", &[foo], false),
            ("ls", "A.lean", &[foo], false),
        ] {
            assert_eq!(
                read(command, text, false).is_gone(foo, "A.lean", known),
                expected,
                "{command}: {text}"
            );
        }
    }
}
