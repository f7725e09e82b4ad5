//! Reading a tool's output: messages with their lines, and what the output says about the run. Text comes
//! line by line (`FILE:L:C: error: ...`, `error: FILE:L:C: ...`, `error(kind): ...`), JSON from `lean --json`,
//! the REPL and language servers, with text of a tool in it.

use anstream::adapter::strip_str;
use serde_json::{Map, Value};

use super::{Diagnostic, Severity, rules};

const MOST: usize = 1000;

/// Most bytes of a message that are kept: goals of real proofs are long, their ends say little.
const MOST_BYTES: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Failed,
    Silent,
}

/// The messages of Lean and Lake in a tool's output, in order. Text of other programs has none.
///
/// Summaries (`error: build failed`) are no messages; [`report`] reads them.
pub fn diagnostics(output: &str) -> Vec<Diagnostic> {
    report(output).messages
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub messages: Vec<Diagnostic>,
    pub verdict: Verdict,
    /// It is a reply in JSON, which says by itself how it ends.
    pub is_json: bool,
    /// It does not say that messages are missing: a reply in JSON can be partial.
    pub is_complete: bool,
}

pub fn report(output: &str) -> Report {
    whole_json(output).unwrap_or_else(|| {
        let (messages, verdict) = lines(output);
        Report { messages, verdict, is_json: false, is_complete: true }
    })
}

/// The messages of a text, and what the last of its summaries says.
fn lines(output: &str) -> (Vec<Diagnostic>, Verdict) {
    let mut found: Vec<Diagnostic> = Vec::new();
    let (mut verdict, mut is_open) = (Verdict::Silent, false);
    for line in output.lines() {
        verdict = summary(line.trim()).unwrap_or(verdict);
        if found.len() >= MOST {
            continue;
        }
        let line = &strip_str(line).to_string();
        if let Some(one) = json_line(line) {
            is_open = false;
            found.push(one);
        } else if ends_message(line) {
            is_open = false;
        } else if let Some(one) = header(line) {
            // Without a place only Lake's known wording counts: other programs write `error: ...` too.
            is_open = one.line.is_some() || one.kind.is_some() || rules::is_from_lake(&one.text);
            found.extend(is_open.then_some(one));
        } else if CRASHES.iter().any(|beginning| line.starts_with(beginning)) {
            is_open = true;
            found.push(message(NOWHERE, Severity::Error, None, line));
        } else if let Some(last) = found.last_mut().filter(|_| is_open)
            && last.text.len() + line.len() < MOST_BYTES
        {
            let gap = if last.text.is_empty() { "" } else { "\n" };
            last.text.extend([gap, line]);
        }
    }
    for one in &mut found {
        one.text.truncate(one.text.trim_end().len());
    }
    (found, verdict)
}

/// What a line says that is about the whole run: only that something failed before, or that all is well.
fn summary(line: &str) -> Option<Verdict> {
    // A process that was killed is an error of its own.
    let was_killed = |code: &str| code.trim().parse::<u32>().is_ok_and(|code| code >= 128);
    let exit = line.strip_prefix("error: Lean exited with code ");
    if line.starts_with("Build completed successfully") {
        Some(Verdict::Passed)
    } else if line == "error: build failed"
        || line.starts_with("Some required builds logged failures")
        || line.starts_with("Some required targets logged failures")
        || exit.is_some_and(|code| !was_killed(code))
    {
        Some(Verdict::Failed)
    } else {
        None
    }
}

fn ends_message(line: &str) -> bool {
    line.starts_with(['✔', '⚠', '✖', 'ℹ'])
        || ["trace: ", "Build completed", "Some required "].iter().any(|it| line.starts_with(it))
        || summary(line).is_some()
}

const CRASHES: [&str; 7] = [
    "uncaught exception: ",
    "INTERNAL PANIC: ",
    "Stack overflow detected",
    "libc++abi: terminating",
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "lean: out of memory",
    "(deterministic) timeout",
];

/// File, line and column.
type Place<'a> = (Option<&'a str>, Option<u32>, Option<u32>);

const NOWHERE: Place<'_> = (None, None, None);

fn header(line: &str) -> Option<Diagnostic> {
    if let Some((severity, kind, rest)) = severity(line) {
        let (place, text) = place(rest.trim_start()).unwrap_or((NOWHERE, rest));
        return Some(message(place, severity, kind, text));
    }
    if let Some((place, rest)) = place(line) {
        let (severity, kind, text) = severity(rest.trim_start())?;
        return Some(message(place, severity, kind, text));
    }
    let ([first, column, _, _, level], text) =
        numbers(line, ["l", "c", "-l", "c", ", severity: "])?;
    Some(message((None, Some(first), Some(column)), by_number(level.into()), None, text))
}

fn message(place: Place<'_>, severity: Severity, kind: Option<&str>, text: &str) -> Diagnostic {
    let (file, line, column) = place;
    Diagnostic {
        file: file.map(path),
        line,
        column,
        severity,
        kind: kind.map(|kind| kind.trim_end_matches("._namedError").to_owned()),
        text: text.trim_start().to_owned(),
    }
}

fn path(file: &str) -> String {
    file.trim_start_matches("file://").to_owned()
}

/// `FILE:L:C:` or `FILE:L:C-L:C:` of Lean files alone: other compilers write so too.
fn place(line: &str) -> Option<(Place<'_>, &str)> {
    let end = match line.strip_prefix('<') {
        Some(rest) => rest.find('>')? + 2,
        None => line.find(".lean:")? + ".lean".len(),
    };
    let (file, rest) = line.split_at_checked(end)?;
    let ([first, column], rest) = numbers(rest, [":", ":"])?;
    let rest = numbers(rest, ["-", ":"]).map_or(rest, |(_, rest)| rest);
    Some(((Some(file), Some(first), Some(column)), rest.strip_prefix(':')?))
}

/// Numbers, each behind its mark, and what follows the last one.
fn numbers<'a, const N: usize>(text: &'a str, marks: [&str; N]) -> Option<([u32; N], &'a str)> {
    let (mut found, mut rest) = ([0; N], text);
    for (number, mark) in found.iter_mut().zip(marks) {
        rest = rest.strip_prefix(mark)?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at_checked(digits)?;
        (*number, rest) = (digits.parse().ok()?, after);
    }
    Some((found, rest))
}

const SEVERITIES: [(&str, Severity); 5] = [
    ("error", Severity::Error),
    ("warning", Severity::Warning),
    ("information", Severity::Info),
    ("info", Severity::Info),
    ("hint", Severity::Info),
];

/// `error:`, `error(kind):` at the beginning, and what follows.
fn severity(line: &str) -> Option<(Severity, Option<&str>, &str)> {
    let mut known = SEVERITIES.iter();
    let (rest, severity) = known.find_map(|(word, one)| Some((line.strip_prefix(word)?, *one)))?;
    if let Some(rest) = rest.strip_prefix(':') {
        return Some((severity, None, rest));
    }
    let (kind, rest) = rest.strip_prefix('(')?.split_once("):")?;
    (!kind.is_empty() && !kind.contains(' ')).then_some((severity, Some(kind), rest))
}

fn by_number(level: u64) -> Severity {
    match level {
        1 => Severity::Error,
        2 => Severity::Warning,
        _ => Severity::Info,
    }
}

/// Longest JSON text that is read; longer ones are no list of messages.
const MOST_JSON: usize = 4 * 1024 * 1024;

fn whole_json(text: &str) -> Option<Report> {
    let text = text.trim();
    if !text.starts_with(['{', '[']) || text.len() > MOST_JSON {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let (messages, verdict) = (Vec::new(), Verdict::Silent);
    let mut report = Report { messages, verdict, is_json: true, is_complete: true };
    report.value(&value, None);
    Some(report)
}

fn json_line(line: &str) -> Option<Diagnostic> {
    if !line.starts_with("{\"") || !line.contains("\"severity\"") {
        return None;
    }
    let value: Value = serde_json::from_str(line).ok()?;
    diagnostic(value.as_object()?, None)
}

/// Fields of a reply under which the output of a tool stands as text.
const OUTPUT: [&str; 7] = ["output", "stdout", "stderr", "errors", "log", "result", "text"];

/// Fields that say, by being true or a list of something, that the reply is not all.
const PARTIAL: [&str; 5] =
    ["partial", "timed_out", "truncated", "still_elaborating_lines", "failed_dependencies"];

const FILE: [&str; 4] = ["fileName", "file", "uri", "file_path"];

impl Report {
    fn value(&mut self, value: &Value, file: Option<&str>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| match item {
                Value::String(text) => self.text(text, file),
                item => self.value(item, file),
            }),
            Value::Object(fields) => self.object(fields, file),
            _ => {}
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, file: Option<&str>) {
        if let Some(one) = diagnostic(fields, file) {
            self.push(one);
            return;
        }
        let is_so = |name: &str| match fields.get(name) {
            Some(Value::Array(list)) => !list.is_empty(),
            value => value == Some(&Value::Bool(true)),
        };
        // A message in parts, as one for a screen comes, is an error that was not read.
        let is_unread = fields.get("severity").is_some_and(|one| json_severity(one).is_some());
        self.is_complete &= !is_unread && !PARTIAL.into_iter().any(is_so);
        match fields.get("success") {
            Some(Value::Bool(false)) => self.verdict = Verdict::Failed,
            Some(Value::Bool(true)) if fields.contains_key("output") => self.says(Verdict::Passed),
            _ => {}
        }
        let file = field(fields, &FILE).or(file);
        for (name, field) in fields {
            let is_output = OUTPUT.contains(&name.as_str());
            match field {
                Value::String(text) if is_output => self.text(text, file),
                Value::Array(items) if !is_output => {
                    let items = items.iter().filter(|item| !item.is_string());
                    items.for_each(|item| self.value(item, file));
                }
                field => self.value(field, file),
            }
        }
    }

    fn text(&mut self, text: &str, file: Option<&str>) {
        let (messages, verdict) = lines(text);
        self.says(verdict);
        for mut one in messages {
            one.file = one.file.or_else(|| file.map(path));
            self.push(one);
        }
    }

    /// That something failed is not taken back.
    fn says(&mut self, verdict: Verdict) {
        if verdict == Verdict::Failed || self.verdict == Verdict::Silent {
            self.verdict = verdict;
        }
    }

    fn push(&mut self, one: Diagnostic) {
        let same = |other: &Diagnostic| {
            (&other.file, other.line, other.column) == (&one.file, one.line, one.column)
                && other.head() == one.head()
        };
        if self.messages.len() >= MOST {
            self.is_complete = false;
        } else if !self.messages.iter().any(same) {
            self.messages.push(one);
        }
    }
}

fn diagnostic(fields: &Map<String, Value>, file: Option<&str>) -> Option<Diagnostic> {
    let severity = json_severity(fields.get("severity")?)?;
    let text = field(fields, &["data", "message"])?;
    let kind = field(fields, &["kind", "code"]).filter(|kind| *kind != "[anonymous]");
    let (line, column) = position(fields);
    let place = (field(fields, &FILE).or(file), line, column);
    Some(message(place, severity, kind, text.trim_end()))
}

fn json_severity(value: &Value) -> Option<Severity> {
    match value {
        Value::String(word) => {
            let known = |(name, _): &&(&str, Severity)| word.eq_ignore_ascii_case(name);
            SEVERITIES.iter().find(known).map(|(_, severity)| *severity)
        }
        Value::Number(level) => level.as_u64().map(by_number),
        _ => None,
    }
}

fn field<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| fields.get(*name)?.as_str())
}

/// The protocol of language servers counts lines from 0, the others from 1.
fn position(fields: &Map<String, Value>) -> (Option<u32>, Option<u32>) {
    let number = |value: Option<&Value>| value?.as_u64()?.try_into().ok();
    if let Some(start) = fields.get("range").and_then(|range| range.get("start")) {
        let line = number(start.get("line")).map(|line: u32| line.saturating_add(1));
        return (line, number(start.get("character")));
    }
    match fields.get("pos") {
        Some(pos) => (number(pos.get("line")), number(pos.get("column"))),
        None => (number(fields.get("line")), number(fields.get("column"))),
    }
}
