//! `mk add`: knowledge entered by hand, one record or a file of them.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::{App, Progress};
use crate::files;
use crate::model::{
    Confidence, Draft, Evidence, Finding, Put, Reject, Report, Status, problem_key,
};
use crate::store::{StoreError, Writer};
use crate::text::{clean, clean_block, scrub, without_private};

/// Bytes of one line at most.
const LONGEST_LINE: u64 = 16_000_000;
/// Bad lines that are reported one by one.
const MOST_PROBLEMS: usize = 100;
/// Lines between two reports of progress.
const STEP: u64 = 1000;

/// What `mk add` did.
#[derive(Debug, Serialize)]
pub struct AddReport {
    /// Whether anything was stored: all, or nothing.
    pub stored: bool,
    /// Whether the agent entered it, so that its confidence is medium at most.
    pub by_agent: bool,
    /// The record, where it was a single one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    /// What was stored, and the lines that could not be.
    #[serde(flatten)]
    pub report: Report,
}

/// Where the lines of `mk add --jsonl` come from.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    File(&'a Path),
    Stdin,
}

/// Stores one record.
///
/// # Errors
/// Says what is missing in it, or why the database cannot be written.
pub fn one(app: &mut App, mut draft: Draft) -> anyhow::Result<AddReport> {
    let by_agent = app.environment.inside_client();
    prepare(&mut draft, by_agent).map_err(anyhow::Error::msg)?;
    let now = app.now;
    let store = app.store()?;
    let put = store.write(now, |writer| writer.put(&draft))?;
    let mut report = Report::default();
    report.finding(draft.kind, put);
    let stored = matches!(put, Put::Inserted(_) | Put::Updated(_));
    Ok(AddReport { stored, by_agent, finding: store.finding(put.id())?, report })
}

/// Stores a record for each line of JSON: all of them, or none. The report names every line that is
/// not acceptable, with the reason.
///
/// # Errors
/// When the input cannot be read or the database cannot be written.
pub fn lines(app: &mut App, input: Input<'_>, progress: Progress<'_>) -> anyhow::Result<AddReport> {
    let (reader, total, name): (Box<dyn BufRead>, u64, String) = match input {
        Input::Stdin => (Box::new(io::stdin().lock()), 0, "stdin".to_owned()),
        Input::File(path) => {
            let name = path.display().to_string();
            let file = files::open(path).with_context(|| format!("could not read `{name}`"))?;
            let total = file.metadata().map_or(0, |file| file.len());
            (Box::new(BufReader::new(file)), total, name)
        }
    };
    let by_agent = app.environment.inside_client();
    let mut lines = Lines { reader, number: 0, bytes: 0 };
    let mut report = Report::default();
    let mut unreadable = None;
    let mut replaced = Vec::new();
    let now = app.now;
    let written = app.store()?.write(now, |writer| {
        loop {
            match lines.next() {
                Ok(Some(line)) => {
                    store_line(writer, &line, by_agent, (&name, &mut report, &mut replaced))?;
                }
                Ok(None) => break,
                Err(error) => {
                    unreadable = Some(error);
                    return Err(StoreError::Invalid(String::new()));
                }
            }
            if lines.number % STEP == 0 && total > 0 {
                progress(lines.bytes.min(total), total);
            }
        }
        for (uid, by) in &replaced {
            writer.note_replaced(uid, by)?;
        }
        // A transaction that ends with an error leaves nothing behind.
        if report.counts.skipped > 0 { Err(StoreError::Invalid(String::new())) } else { Ok(()) }
    });
    if let Some(error) = unreadable {
        return Err(anyhow::Error::new(error).context(format!("could not read `{name}`")));
    }
    if report.counts.skipped > 0 {
        let skipped = report.counts.skipped;
        let problems = std::mem::take(&mut report.problems);
        report = Report { problems, ..Report::default() };
        report.counts.skipped = skipped;
        return Ok(AddReport { stored: false, by_agent, finding: None, report });
    }
    written?;
    Ok(AddReport {
        stored: report.counts.inserted + report.counts.updated > 0,
        by_agent,
        finding: None,
        report,
    })
}

/// A line of the input, with its number from 1.
struct Line {
    number: u64,
    bytes: Vec<u8>,
}

struct Lines<R> {
    reader: R,
    number: u64,
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    /// The next line that is not blank.
    fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let read = (&mut self.reader).take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.bytes += read as u64;
            if read as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
                let what = format!("line {} is longer than 16 MB", self.number);
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            if self.number == 1 && bytes.starts_with("\u{feff}".as_bytes()) {
                bytes.drain(..3);
            }
            if !bytes.trim_ascii().is_empty() {
                return Ok(Some(Line { number: self.number, bytes }));
            }
        }
    }
}

/// A record as `--json` prints it: a draft, and the identity that it has already.
#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    uid: Option<String>,
    /// The uid of the record that replaced it, as `mk export` says it.
    #[serde(default)]
    superseded_by: Option<serde_json::Value>,
    #[serde(flatten)]
    draft: Draft,
}

fn store_line(
    writer: &Writer<'_>,
    line: &Line,
    by_agent: bool,
    (name, report, replaced): (&str, &mut Report, &mut Vec<(String, String)>),
) -> Result<(), StoreError> {
    let record = match parse(&line.bytes, by_agent) {
        Ok(record) => record,
        Err(reason) => {
            report.counts.skipped += 1;
            if report.problems.len() < MOST_PROBLEMS {
                let (path, line) = (name.to_owned(), Some(line.number));
                report.problems.push(Reject { path, line, reason });
            }
            return Ok(());
        }
    };
    // After a bad line nothing will be stored: the rest is only checked.
    if report.counts.skipped > 0 {
        return Ok(());
    }
    let put = match &record.uid {
        Some(uid) => writer.put_known(uid, &record.draft)?,
        None => writer.put(&record.draft)?,
    };
    report.finding(record.draft.kind, put);
    let by = record.superseded_by.as_ref().and_then(serde_json::Value::as_str);
    replaced.extend(record.uid.zip(by.map(str::to_owned)));
    Ok(())
}

/// Reads one line; the error is a reason for people.
fn parse(line: &[u8], by_agent: bool) -> Result<Record, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| format!("it is not JSON: {}", error.to_string().replace("line 1 ", "")))?;
    if !value.is_object() {
        return Err("it is not a JSON object".to_owned());
    }
    let mut record: Record = serde_json::from_value(value).map_err(|error| error.to_string())?;
    // The agent may not name the record that it changes.
    record.uid = record.uid.filter(|uid| !uid.is_empty() && !by_agent);
    if record.uid.as_ref().is_some_and(|uid| !is_uid(uid)) {
        return Err("its uid is not one: 32 hexadecimal digits, or 12".to_owned());
    }
    prepare(&mut record.draft, by_agent)?;
    Ok(record)
}

/// 32 hexadecimal digits, of a proposal 12, perhaps with the number of a twin (`-2`).
fn is_uid(uid: &str) -> bool {
    let (digits, twin) = uid.split_once('-').unwrap_or((uid, "1"));
    matches!(digits.len(), 12 | 32)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && twin.parse::<u32>().is_ok()
}

/// Cleans a draft, caps what the agent says of its own, and says what is missing.
fn prepare(draft: &mut Draft, by_agent: bool) -> Result<(), String> {
    draft.title = trimmed(&draft.title);
    draft.description = clean_block(&draft.description);
    let lines = [&mut draft.theorem_name, &mut draft.proof_technique, &mut draft.domain];
    for line in lines.into_iter().flatten() {
        *line = trimmed(line);
    }
    let blocks = [
        &mut draft.theorem_statement,
        &mut draft.counterexample,
        &mut draft.why_failed,
        &mut draft.avoid_pattern,
        &mut draft.correct_approach,
        &mut draft.notes,
    ];
    for block in blocks.into_iter().flatten() {
        *block = clean_block(block);
    }
    draft.problem = draft.problem.as_deref().map(problem_key).filter(|id| !id.is_empty());
    draft.domain = draft.domain.take().filter(|domain| !domain.is_empty());
    for tag in &mut draft.tags {
        *tag = trimmed(&tag.replace(',', " "));
    }
    draft.tags.retain(|tag| !tag.is_empty());
    if by_agent {
        for text in texts(draft) {
            *text = scrub(&without_private(text)).into_owned();
        }
        if draft.confidence != Confidence::Low {
            draft.confidence = Confidence::Medium;
        }
        draft.evidence = Evidence::Model;
        draft.status = Status::Claimed;
        if let Some(detail) = &mut draft.detail {
            (detail.said, detail.decision) = (None, None);
        }
    }
    check(draft)
}

/// Every text of a draft that somebody words.
pub(crate) fn texts(draft: &mut Draft) -> Vec<&mut String> {
    let mut texts = vec![&mut draft.title, &mut draft.description];
    let more = [
        &mut draft.theorem_name,
        &mut draft.theorem_statement,
        &mut draft.proof_technique,
        &mut draft.counterexample,
        &mut draft.why_failed,
        &mut draft.avoid_pattern,
        &mut draft.correct_approach,
        &mut draft.notes,
        &mut draft.source.file,
    ];
    texts.extend(more.into_iter().flatten());
    texts.extend(draft.tags.iter_mut());
    if let Some(detail) = &mut draft.detail {
        if let Some(fact) = &mut detail.fact {
            texts.extend([&mut fact.key, &mut fact.value]);
        }
        if let Some(lesson) = &mut detail.lesson {
            texts.extend([&mut lesson.what_failed, &mut lesson.what_worked]);
            texts.extend(lesson.signature.iter_mut().chain(lesson.tool_name.iter_mut()));
        }
    }
    texts
}

fn trimmed(line: &str) -> String {
    clean(line).trim().to_owned()
}

fn check(draft: &Draft) -> Result<(), String> {
    if draft.title.is_empty() {
        return Err("it has no title".to_owned());
    }
    if let Some(time) = &draft.created_at
        && !is_time(time)
    {
        return Err(format!("`{}` is no time: use YYYY-MM-DD HH:MM:SS", clean(time)));
    }
    let detail = draft.detail.clone().unwrap_or_default();
    if !detail.fits(draft.kind) {
        return Err(format!("a finding of kind {} cannot have that detail", draft.kind));
    }
    if detail.fact.is_some_and(|fact| fact.category.is_empty() || fact.key.is_empty()) {
        return Err("a fact needs a category and a key".to_owned());
    }
    Ok(())
}

/// `YYYY-MM-DD HH:MM:SS`.
fn is_time(text: &str) -> bool {
    text.len() == 19 && text.parse::<jiff::civil::DateTime>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_or_refused_with_a_reason() {
        let uid = "0123456789abcdef0123456789abcdef";
        for (line, expected) in [
            (r#"{"kind":"insight","title":"t"}"#.to_owned(), Ok(())),
            (r#"{"finding_type":"False Lemma","title":"t","id":3,"badge":"x"}"#.to_owned(), Ok(())),
            (format!(r#"{{"kind":"insight","title":"t","uid":"{uid}-2"}}"#), Ok(())),
            (r#"{"kind":"insight"}"#.to_owned(), Err("missing field `title`")),
            (r#"{"title":"t"}"#.to_owned(), Err("missing field `kind`")),
            (r#"{"kind":"insight","title":" \u0007 "}"#.to_owned(), Err("it has no title")),
            (r#"{"kind":"zork","title":"t"}"#.to_owned(), Err("unknown kind `zork`: use one of")),
            (r#"{"kind":"insight","title":"t","uid":"zz"}"#.to_owned(), Err("its uid is not one")),
            (
                r#"{"kind":"insight","title":"t","created_at":"yesterday"}"#.to_owned(),
                Err("`yesterday` is no time"),
            ),
            (
                r#"{"kind":"insight","title":"t","detail":{"fact":{"key":"a"}}}"#.to_owned(),
                Err("a finding of kind insight cannot have that detail"),
            ),
            (
                r#"{"kind":"fact","title":"t","detail":{"fact":{"key":"a"}}}"#.to_owned(),
                Err("a fact needs a category and a key"),
            ),
            ("[1]".to_owned(), Err("it is not a JSON object")),
            ("{\"kind\":".to_owned(), Err("it is not JSON: EOF while parsing a value at column 8")),
        ] {
            let found = parse(line.as_bytes(), false).map(|_| ());
            match (&found, expected) {
                (Ok(()), Ok(())) => {}
                (Err(reason), Err(start)) if reason.starts_with(start) => {}
                _ => panic!("{line}: {found:?}"),
            }
        }
        assert_eq!(parse(b"\xff", false).map(|_| ()), Err("it is not UTF-8".to_owned()));
    }

    #[test]
    fn the_agent_is_not_believed() {
        let line = br#"{"kind":"theorem","title":"t","confidence":"verified","evidence":"person","status":"confirmed","detail":{"decision":{"by":"terminal"}},"uid":"0123456789abcdef0123456789abcdef"}"#;
        let record = parse(line, true).ok().unwrap();
        assert_eq!(record.draft.confidence, Confidence::Medium);
        assert_eq!((record.draft.evidence, record.uid), (Evidence::Model, None));
        assert_eq!((record.draft.status, record.draft.decision()), (Status::Claimed, None));
        let secret =
            br#"{"kind":"fact","title":"a <private>b</private>c","tags":["token=9d8f7a6b5c4e"],
            "detail":{"fact":{"category":"tool","key":"k","value":"password=tiger"}}}"#;
        let draft = parse(secret, true).ok().unwrap().draft;
        let fact = draft.fact().map(|fact| fact.value.clone()).unwrap_or_default();
        let removed = ["a c", "token=[secret removed]", "password=[secret removed]"];
        assert_eq!([draft.title.as_str(), draft.tags[0].as_str(), fact.as_str()], removed);
        let record = parse(line, false).ok().unwrap();
        assert_eq!(record.draft.confidence, Confidence::Verified);
        assert!(record.uid.is_some());
    }
}
