//! Why a call failed, out of what it printed: something is not installed, an option is not known, the
//! client refused it, the network was away; or Lean's own words.

use serde::{Deserialize, Serialize};

use super::words;
use crate::lean::diagnostics::{Diagnostic, Reason, Signature, diagnostics};

/// A failure, read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    /// By what the same failure is known again, as text.
    pub(super) signature: String,
    /// The line that says it, without paths and numbers.
    pub(super) says: String,
    /// The class of failure, as its word.
    pub(super) reason: Option<String>,
}

/// Kinds of failure that lead to different lessons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FaultKind {
    /// A program or a library is not there.
    Missing(String),
    /// Options or parameters that the tool does not take.
    Usage,
    /// A limit of size or time.
    Limit,
    /// A file or folder is not there: says something of the guess, not of the tool.
    NoSuchFile,
    /// The client's own rules about edits, which its message explains.
    Mechanical,
    /// Goes away by itself: networks, locks, servers.
    Transient,
    /// Messages of Lean about a file.
    Lean,
    /// Anything else.
    Other,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Worked,
    Failed(Fault),
    /// No evidence for anything: refused, interrupted, nothing found, still running.
    Void,
}

/// Words by which the client, the person or a guard says that a call did not happen.
const REFUSALS: &[&str] = &[
    "doesn't want to proceed with this tool use",
    "doesn't want to take this action",
    "[Request interrupted by user",
    "The tool use was rejected",
    "but you haven't granted it yet",
    "This command requires approval",
    "requires approval",
    "Permission to use ",
    "Permission for this action",
    " hook error",
    "hook blocked",
    "Hook denied",
    "blocked by hook",
    "denied this tool",
    "has been denied",
    "permission settings denied",
    "was blocked. For security",
    "Cancelled: parallel tool call",
    "Sibling tool call errored",
];

/// Whether the text says that the call did not happen.
pub(super) fn is_refusal(text: &str) -> bool {
    const NEAR: usize = 400;
    let beginning = text.get(..text.floor_char_boundary(NEAR)).unwrap_or(text);
    REFUSALS.iter().any(|words| beginning.contains(words)) || is_of_our_guard(text)
}

/// Our own guard's reasons begin with our name; the command `mk` names itself otherwise.
fn is_of_our_guard(text: &str) -> bool {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    text.starts_with("math-forge: ") || text.starts_with("math-forge refused ")
}

/// Reads a failure. `family` is the tool or program that failed.
pub(super) fn read(text: &str, family: &str, of_lean: bool) -> Fault {
    let body = body(text);
    if let Some(missing) = missing(body) {
        return of_missing(&missing);
    }
    if of_lean && let Some(fault) = lean(body) {
        return fault;
    }
    let kind = kind(body);
    let line = telling_line(body);
    let says = words::general(line);
    let reason = match kind {
        FaultKind::Usage => Some(Reason::Api),
        FaultKind::Limit if says.contains("time") => Some(Reason::Timeout),
        FaultKind::Transient => Some(Reason::Infrastructure),
        _ => None,
    };
    let word = match kind {
        FaultKind::Usage => "usage",
        FaultKind::Limit => "limit",
        _ => "failed",
    };
    let shape = words::shortened(&says, 120);
    let signature =
        Signature { kind: word.to_owned(), name: Some(family.to_owned()), shape }.to_string();
    Fault { kind, signature, says, reason: reason.map(|reason| reason.as_str().to_owned()) }
}

/// What a tool printed without the client's own frame.
fn body(text: &str) -> &str {
    let text = text.trim().trim_start_matches("<tool_use_error>");
    let text = text.trim_end_matches("</tool_use_error>");
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    match text.strip_prefix("Exit code ") {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start(),
        None => text,
    }
}

fn of_missing(missing: &Missing) -> Fault {
    let (word, says) = if missing.library {
        ("missing-library", format!("no module named `{}`", missing.name))
    } else {
        ("missing-command", format!("the command `{}` was not found", missing.name))
    };
    let name = Some(missing.name.clone());
    Fault {
        kind: FaultKind::Missing(missing.name.clone()),
        signature: Signature { kind: word.to_owned(), name, shape: String::new() }.to_string(),
        says,
        reason: Some(Reason::Infrastructure.as_str().to_owned()),
    }
}

/// The first error of Lean or Lake.
fn lean(text: &str) -> Option<Fault> {
    diagnostics(text).iter().find(|one| one.is_error()).map(Fault::of_lean)
}

impl Fault {
    /// An error of Lean or Lake.
    pub(super) fn of_lean(one: &Diagnostic) -> Self {
        let around = one.reason() == Some(Reason::Infrastructure);
        Self {
            kind: if around { FaultKind::Other } else { FaultKind::Lean },
            signature: one.signature().to_string(),
            says: said(one),
            reason: one.reason().map(|reason| reason.as_str().to_owned()),
        }
    }

    pub(super) fn reason(&self) -> Option<Reason> {
        self.reason.as_deref().and_then(Reason::from_word)
    }
}

/// What Lean says, without paths; with the goal or the types where the first line does not tell.
pub(super) fn said(one: &Diagnostic) -> String {
    const WIDTH: usize = 140;
    let signature = one.signature();
    let head = words::general(one.headline().trim_end_matches(':'));
    let detail = match signature.shape.as_str() {
        "" => String::new(),
        shape if head.contains(shape) || words::general(shape) == head => String::new(),
        shape => format!(" ({shape})"),
    };
    words::shortened(&format!("{head}{detail}"), WIDTH)
}

/// A program or library that is not there.
struct Missing {
    name: String,
    library: bool,
}

/// What a line says is missing, if it does.
fn missing(text: &str) -> Option<Missing> {
    text.lines().take(200).find_map(missing_in)
}

fn missing_in(line: &str) -> Option<Missing> {
    let line = line.trim();
    let program = |name: &str| named(name).map(|name| Missing { name, library: false });
    let library = |name: &str| named(name).map(|name| Missing { name, library: true });
    if let Some(before) = line.strip_suffix(": command not found") {
        return program(before.rsplit(": ").next()?);
    }
    if let Some((_, after)) = line.split_once("command not found: ") {
        return program(after);
    }
    if let Some(before) = line.strip_suffix(": not found") {
        let shell = before.starts_with("sh: ") || before.starts_with("/bin/sh: ");
        return shell.then(|| program(before.rsplit(": ").next()?)).flatten();
    }
    if let Some((_, after)) = line.split_once("No module named ") {
        return library(after);
    }
    if let Some((_, after)) = line.split_once("Cannot find module ") {
        // A file of one's own is none that could be installed.
        let own = after.trim_start_matches(['\'', '"', '`']).starts_with(['.', '/']);
        return if own { None } else { library(after) };
    }
    if let Some(after) = line.strip_prefix("env: ") {
        return program(after.strip_suffix(": No such file or directory")?);
    }
    if let Some((before, _)) = line.split_once(": executable file not found") {
        return program(before.rsplit([' ', ':']).next()?);
    }
    if let Some((_, after)) = line.split_once("error: no such command: ") {
        return program(after);
    }
    let (before, _) = line.split_once("is not a git command")?;
    program(before.rsplit("git: ").next()?)
}

/// The name in a message, if it looks like one.
fn named(text: &str) -> Option<String> {
    let quotes = ['\'', '"', '`', '‘', '’', ' '];
    let name = text.trim_matches(quotes);
    let name = name.split(['\'', '"', ' ', ';', ',']).next()?;
    let name = name.rsplit('/').next()?.trim_end_matches('.');
    let plain = !name.is_empty()
        && name.len() <= 40
        && name.chars().all(|c| c.is_alphanumeric() || "-_.+@".contains(c));
    plain.then(|| name.to_owned())
}

/// Words by which a kind of failure is known, in lower case.
const KINDS: &[(FaultKind, &[&str])] = &[
    (
        FaultKind::Mechanical,
        &[
            "file has not been read yet",
            "has been modified since read",
            "string to replace not found",
            "no changes to make",
            "matches of the string to replace",
            "file has been unexpectedly modified",
        ],
    ),
    (
        FaultKind::Usage,
        &[
            "unrecognized option",
            "unrecognized argument",
            "unknown option",
            "unknown flag",
            "unknown short option",
            "unknown long option",
            "invalid option",
            "illegal option",
            "no such option",
            "unexpected argument",
            "unexpected option",
            "inputvalidationerror",
            "invalid parameter",
            "invalid argument",
            "missing required",
            "required parameter",
            "required argument",
            "expected one argument",
            "too many arguments",
            "usage:",
            "is not a valid",
            "must be one of",
            "not supported",
        ],
    ),
    (
        FaultKind::Limit,
        &[
            "exceeds maximum",
            "exceeds the maximum",
            "too large",
            "too long",
            "command timed out",
            "argument list too long",
            "output limit",
            "limit must be",
        ],
    ),
    (
        FaultKind::Transient,
        &[
            "connection reset",
            "connection refused",
            "connection timed out",
            "could not resolve host",
            "temporary failure",
            "temporarily unavailable",
            "network is unreachable",
            "rate limit",
            "too many requests",
            "service unavailable",
            "overloaded",
            "bad gateway",
            "gateway time",
            "could not get lock",
            "could not lock",
            "tls handshake",
            "broken pipe",
        ],
    ),
    (
        FaultKind::NoSuchFile,
        &[
            "no such file or directory",
            "file does not exist",
            "does not exist",
            "enoent",
            "not a directory",
            "is a directory",
            "did not match any file",
        ],
    ),
];

fn kind(text: &str) -> FaultKind {
    const NEAR: usize = 4000;
    let beginning = text.get(..text.floor_char_boundary(NEAR)).unwrap_or(text);
    let low = beginning.to_ascii_lowercase();
    let fits = |phrases: &[&str]| phrases.iter().any(|phrase| low.contains(phrase));
    KINDS
        .iter()
        .find(|(_, phrases)| fits(phrases))
        .map_or(FaultKind::Other, |(kind, _)| kind.clone())
}

/// The line that says what went wrong: the first with a word for it, else the first.
fn telling_line(text: &str) -> &str {
    const TELLING: &[&str] =
        &["error", "fatal", "failed", "unknown", "invalid", "cannot", "not ", "denied", "exceeds"];
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty()).take(100);
    let tells = |line: &&str| {
        let low = line.to_ascii_lowercase();
        TELLING.iter().any(|word| low.contains(word))
    };
    // A trace of Python ends with what was raised.
    if text.contains("Traceback (most recent call last)") {
        return text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    }
    lines().find(tells).or_else(|| lines().next()).unwrap_or_default()
}

/// Whether a text that no exit code calls a failure says that a program or library is missing: a pipe
/// and `|| true` hide the code.
pub(super) fn hidden(text: &str) -> Option<Fault> {
    missing(body(text)).map(|missing| of_missing(&missing))
}
