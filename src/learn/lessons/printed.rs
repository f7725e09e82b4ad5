//! What one command printed, as it comes: the errors in it, and which earlier ones are gone.

use std::borrow::Cow;
use std::sync::Arc;

use super::attempt::{Call, Role, same_target};
use super::checks::Look;
use super::fault::{self, FaultKind, said};
use super::lookup::is_telling;
use crate::lean::diagnostics::{Diagnostic, Signature};
use crate::learn::transcript::ToolCall;
use crate::text::scrub;

/// Errors of one output that are told apart; what comes later follows from the first.
const MOST: usize = 8;

/// Errors that are read at all. Where there are more, nothing is known to be gone.
const MOST_READ: usize = 64;

/// Most bytes that are read: of a longer output the beginning, where the first errors stand, and the
/// end, where it says what came of it.
const MOST_BYTES: usize = 512 * 1024;

/// Words without which an output holds no error that is known here.
const HINTS: [&str; 10] = [
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
];

/// Whether an output is worth reading: it holds a word that stands in every error known here.
pub fn may_hold_error(text: &str) -> bool {
    HINTS.iter().any(|hint| text.contains(hint)) || text.contains("no such command")
}

/// An error in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Of an error that many proofs meet alike: of its whole message.
    pub signature: Signature,
    /// A fix for it elsewhere may be one here.
    pub is_telling: bool,
    /// Its file as the tool names it; empty for what is about no file.
    pub file: String,
    /// Its line, from 1.
    pub line: Option<u32>,
    /// What it says, in one line, without paths.
    pub says: String,
}

/// What a command printed.
pub struct Printed {
    look: Look,
    errors: Vec<Seen>,
    /// Signatures of all errors that were read, with their files.
    all: Vec<(String, String)>,
    /// No error was left out.
    is_complete: bool,
    is_build: bool,
}

impl Printed {
    /// Reads the output of a command; `failed` if it ended with another code than 0.
    pub fn read(command: &str, text: &str, failed: bool) -> Option<Self> {
        let input = vec![("command".to_owned(), command.to_owned())];
        Self::of_tool("Bash", input, text, failed)
    }

    /// Reads what a tool said that was called with these parameters; `None` for a tool that has nothing
    /// to do with the work. `failed` if the client calls it an error.
    pub fn of_tool(
        name: &str,
        input: Vec<(String, String)>,
        text: &str,
        failed: bool,
    ) -> Option<Self> {
        let raw = Arc::new(ToolCall { id: String::new(), name: name.to_owned(), input, line: 0 });
        let mut call = Call::read(&raw, 0)?;
        if call.tool != "Bash" && !call.checks_lean {
            // What was only tried stands in no file.
            call.targets.clear();
        }
        let cut = crate::text::cut_middle(text.to_owned(), MOST_BYTES);
        let look = Look::read(call, &cut, failed);
        let errors: Vec<&Diagnostic> =
            look.found.iter().filter(|one| one.is_error()).take(MOST_READ).collect();
        let is_complete = errors.len() < MOST_READ && cut.len() == text.len();
        let shows = matches!(look.call.role, Role::Read | Role::Search | Role::Write);
        let by_output = look.call.tool == "Bash" && !shows && !errors.is_empty();
        let is_build = look.call.checks_lean || by_output;
        let mut seen: Vec<Seen> = missing(&look.call, &cut, shows).into_iter().collect();
        let mut all = Vec::new();
        for one in errors {
            let is_tried = look.call.tool != "Bash" && !look.call.checks_lean;
            let signature = one.signature();
            let is_telling = is_telling(&signature);
            let signature =
                if is_telling { signature } else { Signature::of_whole(&one.text, signature) };
            let error = Seen {
                signature: without_secrets(signature),
                is_telling,
                file: if is_tried { String::new() } else { look.file_of(one).to_owned() },
                line: one.line,
                says: said(one),
            };
            all.push((error.signature.to_string(), error.file.clone()));
            let is_new = |other: &Seen| other.signature != error.signature;
            if seen.len() < MOST && seen.iter().all(is_new) {
                seen.push(error);
            }
        }
        Some(Self { look, errors: seen, all, is_complete, is_build })
    }

    /// The errors, each once, in their order.
    pub fn errors(&self) -> &[Seen] {
        &self.errors
    }

    /// Whether the command checked Lean code; one that shows a log of it did not.
    pub fn is_build(&self) -> bool {
        self.is_build
    }

    /// Whether a tool of a server said it: such a check takes no time and is made again and again.
    pub fn is_of_server(&self) -> bool {
        self.look.call.tool != "Bash"
    }

    /// Whether an error of an earlier check is known to be gone. `known` are the signatures that were
    /// seen in its file before: behind a new error the old one may only hide.
    pub fn is_gone(&self, signature: &str, file: &str, known: &[&str]) -> bool {
        let here = |other: &str| same_target(other, file) || other == file;
        let mut in_file = self.all.iter().filter(|(_, other)| here(other)).peekable();
        if !self.is_build || file.is_empty() || !self.is_complete {
            return false;
        }
        if in_file.peek().is_none() {
            return self.look.passed && self.look.covers(file, "");
        }
        let is_old = |one: &str| one != signature && known.contains(&one);
        self.look.whole && in_file.all(|(one, _)| is_old(one))
    }
}

/// A signature as it may be kept: a name in it can be anything that a command printed.
fn without_secrets(signature: Signature) -> Signature {
    match scrub(&signature.to_string()) {
        Cow::Borrowed(_) => signature,
        Cow::Owned(scrubbed) => Signature::parse(&scrubbed),
    }
}

/// The program or library that is not there. What a file says is no failure of who shows it.
fn missing(call: &Call, text: &str, shows: bool) -> Option<Seen> {
    let fault = fault::hidden(text)?;
    let own = call.family.split(' ').next().unwrap_or_default();
    let is_own = matches!(&fault.kind, FaultKind::Missing(name) if name == own);
    (!shows || is_own).then(|| Seen {
        signature: without_secrets(Signature::parse(&fault.signature)),
        is_telling: true,
        file: String::new(),
        line: None,
        says: fault.says,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, text: &str, failed: bool) -> Printed {
        Printed::read(command, text, failed).expect("a command")
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
                printed.errors().iter().map(|one| one.signature.to_string()).collect();
            assert_eq!(signatures, expected, "{command}: {text}");
            assert_eq!(printed.is_build(), is_build, "{command}: {text}");
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
