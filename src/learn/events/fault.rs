//! Why a call failed, out of what it printed: something is not installed, an option is not known, the
//! client refused it, the network was away; or Lean's own words.

use serde::{Deserialize, Serialize};

use super::words;
use crate::lean::diagnostics::{Diagnostic, Reason, Signature};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub signature: String,
    pub says: String,
    pub reason: Option<Reason>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    Missing(String),
    Usage,
    Limit,
    /// A file or folder is not there: says something of the guess, not of the tool.
    NoSuchFile,
    /// The client's own rules about edits, which its message explains.
    Mechanical,
    Transient,
    Lean,
    Other,
}

const REFUSALS: &str = "doesn't want to proceed with this tool use|doesn't want to take this action|\
    [Request interrupted by user|The tool use was rejected|but you haven't granted it yet|requires approval|\
    Permission to use |Permission for this action| hook error|hook blocked|Hook denied|blocked by hook|\
    denied this tool|has been denied|permission settings denied|was blocked. For security|\
    Cancelled: parallel tool call|Sibling tool call errored";

/// Our guard's reasons begin with our name; the command `mk` names itself differently.
pub(super) fn is_refusal(text: &str) -> bool {
    const NEAR: usize = 400;
    let beginning = text.get(..text.floor_char_boundary(NEAR)).unwrap_or(text);
    let own = text.strip_prefix("Error: ").unwrap_or(text);
    REFUSALS.split('|').any(|words| beginning.contains(words))
        || own.starts_with("math-forge: ")
        || own.starts_with("math-forge refused ")
}

impl Fault {
    pub(super) fn read(text: &str, family: &str, lean: Option<&Diagnostic>) -> Self {
        if let Some(missing) = missing_in_text(text) {
            return missing;
        }
        if let Some(error) = lean {
            return Self::of_lean(error);
        }
        let body = body(text);
        let kind = kind(body);
        let says = words::general(telling_line(body));
        let (word, reason) = match kind {
            FaultKind::Usage => ("usage", Some(Reason::Api)),
            FaultKind::Limit if says.contains("time") => ("limit", Some(Reason::Timeout)),
            FaultKind::Limit => ("limit", None),
            FaultKind::Transient => ("failed", Some(Reason::Infrastructure)),
            _ => ("failed", None),
        };
        let shape = words::shortened(&says, 120);
        let (word, name) = (word.to_owned(), Some(family.to_owned()));
        let signature = Signature { kind: word, name, shape }.to_string();
        Self { kind, signature, says, reason }
    }

    pub fn of_lean(one: &Diagnostic) -> Self {
        let (signature, reason) = (one.signature(), one.reason());
        let around = reason == Some(Reason::Infrastructure);
        Self {
            kind: if around { FaultKind::Other } else { FaultKind::Lean },
            signature: signature.to_string(),
            says: said(one, &signature),
            reason,
        }
    }

    pub fn is_of_tool(&self) -> bool {
        !matches!(self.kind, FaultKind::NoSuchFile | FaultKind::Mechanical | FaultKind::Transient)
    }

    pub fn says(&self) -> String {
        let says = words::shortened(&self.says, 160);
        let says = says.trim_end_matches(['.', ':', ' ']);
        if says.is_empty() { "it said nothing".to_owned() } else { says.to_owned() }
    }
}

fn body(text: &str) -> &str {
    let text = text.trim().trim_start_matches("<tool_use_error>");
    let text = text.trim_end_matches("</tool_use_error>");
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    match text.strip_prefix("Exit code ") {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start(),
        None => text,
    }
}

fn said(one: &Diagnostic, signature: &Signature) -> String {
    const WIDTH: usize = 140;
    let head = words::general(one.headline().trim_end_matches(':'));
    let detail = match signature.shape.as_str() {
        "" => String::new(),
        shape if head.contains(shape) || words::general(shape) == head => String::new(),
        shape => format!(" ({shape})"),
    };
    words::shortened(&format!("{head}{detail}"), WIDTH)
}

/// Beginning, middle and end of a line that says something is missing; whether that is a library.
const MISSING: &[(&str, &str, &str, bool)] = &[
    ("", "", ": command not found", false),
    ("", "command not found: ", "", false),
    ("sh: ", "", ": not found", false),
    ("/bin/sh: ", "", ": not found", false),
    ("env: ", "", ": No such file or directory", false),
    ("", "", ": executable file not found in $PATH", false),
    ("", "error: no such command: ", "", false),
    ("", "git: ", " is not a git command. See 'git --help'.", false),
    ("", "No module named ", "", true),
    ("", "Cannot find module ", "", true),
];

/// Also where no exit code calls it a failure: a pipe and `|| true` hide the code.
pub(super) fn missing_in_text(text: &str) -> Option<Fault> {
    let (name, is_library) = body(text).lines().take(200).find_map(missing_in)?;
    let (word, says) = if is_library {
        ("missing-library", format!("no module named `{name}`"))
    } else {
        ("missing-command", format!("the command `{name}` was not found"))
    };
    let kind = FaultKind::Missing(name.clone());
    let signature = Signature { kind: word.to_owned(), name: Some(name), shape: String::new() };
    let reason = Some(Reason::Infrastructure);
    Some(Fault { kind, signature: signature.to_string(), says, reason })
}

fn missing_in(line: &str) -> Option<(String, bool)> {
    let line = line.trim();
    MISSING.iter().find_map(|(start, inside, end, is_library)| {
        let rest = line.strip_prefix(start)?.strip_suffix(end)?;
        let name = match *inside {
            "" => rest.rsplit(": ").next()?,
            inside => rest.split_once(inside)?.1,
        };
        // A file of one's own is none that could be installed.
        let own = name.trim_start_matches(['\'', '"', '`']).starts_with(['.', '/']);
        named(name).filter(|_| !(*is_library && own)).map(|name| (name, *is_library))
    })
}

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

const KINDS: &[(FaultKind, &str)] = &[
    (
        FaultKind::Mechanical,
        "file has not been read yet|has been modified since read|string to replace not found|\
         no changes to make|matches of the string to replace|file has been unexpectedly modified",
    ),
    (
        FaultKind::Usage,
        "inputvalidationerror|missing required|usage:|is not a valid|must be one of|not supported|\
         unrecognized option|unknown option|long option|short option|invalid option|illegal option|\
         no such option|expected one argument|required argument|\
         unrecognized argument|unexpected argument|invalid argument|too many arguments|unknown flag|\
         unexpected parameter|unknown parameter|invalid parameter",
    ),
    (
        FaultKind::Limit,
        "exceeds maximum|exceeds the maximum|too large|too long|command timed out|output limit|\
         limit must be",
    ),
    (
        FaultKind::Transient,
        "connection reset|connection refused|connection timed out|could not resolve host|\
         temporary failure|temporarily unavailable|network is unreachable|rate limit|\
         too many requests|service unavailable|overloaded|bad gateway|gateway time|\
         could not get lock|could not lock|tls handshake|broken pipe",
    ),
    (
        FaultKind::NoSuchFile,
        "no such file or directory|does not exist|enoent|not a directory|is a directory|\
         did not match any file",
    ),
];

fn kind(text: &str) -> FaultKind {
    const NEAR: usize = 4000;
    let low = text.get(..text.floor_char_boundary(NEAR)).unwrap_or(text).to_ascii_lowercase();
    let fits =
        |(_, phrases): &&(FaultKind, &str)| phrases.split('|').any(|phrase| low.contains(phrase));
    KINDS.iter().find(fits).map_or(FaultKind::Other, |(kind, _)| kind.clone())
}

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
