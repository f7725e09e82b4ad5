//! Reading a tool's output: messages with their lines, and what the output says about the run. Text comes
//! line by line (`FILE:L:C: error: ...`, `error: FILE:L:C: ...`, `error(kind): ...`), JSON from `lean --json`,
//! the REPL and language servers, with text of a tool in it.

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
    whole_json(output).unwrap_or_else(|| Report {
        messages: messages_of_text(output),
        verdict: verdict_of_text(output),
        is_json: false,
        is_complete: true,
    })
}

fn messages_of_text(output: &str) -> Vec<Diagnostic> {
    let mut reader = Reader::default();
    for line in output.lines() {
        if reader.found.len() >= MOST {
            break;
        }
        reader.line(&without_escapes(line));
    }
    reader.finish()
}

fn verdict_of_text(output: &str) -> Verdict {
    let mut verdict = Verdict::Silent;
    for line in output.lines() {
        let line = line.trim();
        if line.starts_with("Build completed successfully") {
            verdict = Verdict::Passed;
        } else if is_summary(line) {
            verdict = Verdict::Failed;
        }
    }
    verdict
}

/// Lines that say only that something failed before.
fn is_summary(line: &str) -> bool {
    line == "error: build failed"
        || line.starts_with("Some required builds logged failures")
        || line.starts_with("Some required targets logged failures")
        || (line.starts_with("error: Lean exited with code ") && !was_killed(line))
}

fn was_killed(line: &str) -> bool {
    let code = line.trim_start_matches("error: Lean exited with code ");
    code.trim().parse::<u32>().is_ok_and(|code| code >= 128)
}

fn ends_message(line: &str) -> bool {
    line.starts_with(['✔', '⚠', '✖', 'ℹ'])
        || line.starts_with("trace: ")
        || line.starts_with("Build completed")
        || line.starts_with("Some required ")
        || is_summary(line)
}

fn is_crash(line: &str) -> bool {
    const BEGINNINGS: [&str; 9] = [
        "uncaught exception: ",
        "INTERNAL PANIC: ",
        "Stack overflow detected",
        "libc++abi: terminating",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "error: toolchain ",
        "error: no such command",
        "lean: out of memory",
        "(deterministic) timeout",
    ];
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

#[derive(Default)]
struct Reader {
    found: Vec<Diagnostic>,
    open: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(one) = json_line(line) {
            self.open = false;
            self.found.push(one);
        } else if ends_message(line) {
            self.open = false;
        } else if let Some(header) = header(line) {
            self.open = self.begin(header);
        } else if is_crash(line) {
            self.open = true;
            self.found.push(message(Severity::Error, None, line));
        } else if self.open {
            self.go_on(line);
        }
    }

    /// Without a place only Lake's known wording counts: other programs write `error: ...` too.
    fn begin(&mut self, one: Diagnostic) -> bool {
        let is_placed = one.line.is_some() || one.kind.is_some();
        let is_ours = is_placed || rules::is_from_lake(&one.text);
        if is_ours {
            self.found.push(one);
        }
        is_ours
    }

    fn go_on(&mut self, line: &str) {
        let Some(last) = self.found.last_mut() else { return };
        if last.text.len() + line.len() < MOST_BYTES {
            if !last.text.is_empty() {
                last.text.push('\n');
            }
            last.text.push_str(line);
        }
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        for one in &mut self.found {
            one.text.truncate(one.text.trim_end().len());
        }
        self.found
    }
}

fn without_escapes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        if chars.next() == Some('[') {
            chars.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    out
}

fn header(line: &str) -> Option<Diagnostic> {
    if let Some((place, rest)) = place(line) {
        let (severity, kind, rest) = severity(rest.trim_start())?;
        return Some(at(place, message(severity, kind, rest)));
    }
    if let Some(header) = ranged(line) {
        return Some(header);
    }
    let (severity, kind, rest) = severity(line)?;
    Some(match place(rest.trim_start()) {
        Some((place, rest)) => at(place, message(severity, kind, rest)),
        None => message(severity, kind, rest),
    })
}

fn message(severity: Severity, kind: Option<&str>, text: &str) -> Diagnostic {
    let kind = kind.map(|kind| kind.trim_end_matches("._namedError").to_owned());
    let text = text.trim_start().to_owned();
    Diagnostic { file: None, line: None, column: None, severity, kind, text }
}

type Place<'a> = (Option<&'a str>, u32, u32);

fn at((file, line, column): Place<'_>, one: Diagnostic) -> Diagnostic {
    Diagnostic { file: file.map(str::to_owned), line: Some(line), column: Some(column), ..one }
}

/// `FILE:L:C:` or `FILE:L:C-L:C:` of Lean files alone: other compilers write so too.
fn place(line: &str) -> Option<(Place<'_>, &str)> {
    let end = file_end(line)?;
    let (file, rest) = line.split_at_checked(end)?;
    let (first, rest) = number(rest.strip_prefix(':')?)?;
    let (column, mut rest) = number(rest.strip_prefix(':')?)?;
    if let Some(after) = rest.strip_prefix('-') {
        let (_, after) = number(after)?;
        (_, rest) = number(after.strip_prefix(':')?)?;
    }
    let rest = rest.strip_prefix(':')?;
    Some(((Some(file), first, column), rest))
}

fn file_end(line: &str) -> Option<usize> {
    if line.starts_with('<') {
        return line.find('>').map(|end| end + 1);
    }
    let mark = line.find(".lean:")?;
    // `error: A.lean:1:2: ...` begins with a severity and not with a file.
    let begins_with_severity = severity(line).is_some();
    (!begins_with_severity).then_some(mark + ".lean".len())
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
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
    let (rest, severity) = SEVERITIES
        .iter()
        .find_map(|(word, severity)| line.strip_prefix(word).map(|rest| (rest, *severity)))?;
    if let Some(rest) = rest.strip_prefix(':') {
        return Some((severity, None, rest));
    }
    let (kind, rest) = rest.strip_prefix('(')?.split_once("):")?;
    (!kind.is_empty() && !kind.contains(' ')).then_some((severity, Some(kind), rest))
}

fn ranged(line: &str) -> Option<Diagnostic> {
    let rest = line.strip_prefix('l')?;
    let (first, rest) = number(rest)?;
    let (column, rest) = number(rest.strip_prefix('c')?)?;
    let rest = rest.strip_prefix("-l")?;
    let (_, rest) = number(rest)?;
    let (_, rest) = number(rest.strip_prefix('c')?)?;
    let (level, rest) = number(rest.strip_prefix(", severity: ")?)?;
    Some(at((None, first, column), message(by_number(level.into()), None, rest)))
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

/// Fields that say, by being true, that the reply is not all.
const PARTIAL: [&str; 3] = ["partial", "timed_out", "truncated"];

const LEFT: [&str; 2] = ["still_elaborating_lines", "failed_dependencies"];

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
        let is_true = |name: &&str| fields.get(*name) == Some(&Value::Bool(true));
        let is_filled = |name: &&str| {
            fields.get(*name).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
        };
        // A message in parts, as one for a screen comes, is an error that was not read.
        let is_unread = fields.get("severity").is_some_and(|one| json_severity(one).is_some());
        if is_unread || PARTIAL.iter().any(is_true) || LEFT.iter().any(is_filled) {
            self.is_complete = false;
        }
        match fields.get("success") {
            Some(Value::Bool(false)) => self.verdict = Verdict::Failed,
            Some(Value::Bool(true)) if fields.contains_key("output") => self.passed(),
            _ => {}
        }
        let file = field(fields, &["fileName", "file", "uri", "file_path"]).or(file);
        for (name, field) in fields {
            match field {
                Value::String(text) if OUTPUT.contains(&name.as_str()) => self.text(text, file),
                Value::Array(items) if !OUTPUT.contains(&name.as_str()) => {
                    let items = items.iter().filter(|item| !item.is_string());
                    items.for_each(|item| self.value(item, file));
                }
                field => self.value(field, file),
            }
        }
    }

    fn text(&mut self, text: &str, file: Option<&str>) {
        match verdict_of_text(text) {
            Verdict::Failed => self.verdict = Verdict::Failed,
            Verdict::Passed => self.passed(),
            Verdict::Silent => {}
        }
        for one in messages_of_text(text) {
            let file = one.file.clone().or_else(|| file.map(plain));
            self.push(Diagnostic { file, ..one });
        }
    }

    fn passed(&mut self) {
        if self.verdict == Verdict::Silent {
            self.verdict = Verdict::Passed;
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

fn plain(file: &str) -> String {
    file.trim_start_matches("file://").to_owned()
}

fn diagnostic(fields: &Map<String, Value>, file: Option<&str>) -> Option<Diagnostic> {
    let severity = json_severity(fields.get("severity")?)?;
    let text = field(fields, &["data", "message"])?;
    let (line, column) = position(fields);
    let kind = field(fields, &["kind", "code"]).filter(|kind| *kind != "[anonymous]");
    let file = field(fields, &["fileName", "file", "uri", "file_path"]).or(file);
    let one = message(severity, kind, text.trim_end());
    Some(Diagnostic { file: file.map(plain), line, column, ..one })
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
    let number = |value: Option<&Value>| {
        value.and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok())
    };
    if let Some(start) = fields.get("range").and_then(|range| range.get("start")) {
        let line = number(start.get("line")).map(|line| line.saturating_add(1));
        return (line, number(start.get("character")));
    }
    match fields.get("pos") {
        Some(pos) => (number(pos.get("line")), number(pos.get("column"))),
        None => (number(fields.get("line")), number(fields.get("column"))),
    }
}
