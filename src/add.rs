//! `mk add`: knowledge entered by hand, one record or a file of them.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::model::{
    Confidence, Counts, Detail, Domain, Draft, Evidence, FactDetail, Finding, Kind, Put, Reject,
    Report, Status, headline, problem_key,
};
use crate::store::StoreError;
use crate::text::{clean, clean_block, scrub, without_private};
use crate::ui::{Exit, Out, UsageError};
use crate::{files, import};

/// Add a finding: a theorem, failure, false lemma, insight, lesson, fact, ...
///
/// What a person enters is never overwritten by an import or an extraction. Inside Claude Code, the
/// confidence is at most medium.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mk add insight --title 'Sieve bounds are too weak here' --problem erdos-850
  mk add false-lemma --title 'Every such graph is bipartite' --counterexample 'C5' --instead 'assume even girth'
  mk add fact --key mathlib.revision --value 2b1a --category environment
  mk add --jsonl findings.jsonl        (or - for stdin: the fields that `mk show --json` prints,
                                        an object a line; all lines are stored, or none)")]
pub(crate) struct Args {
    /// The kind of knowledge
    #[arg(required_unless_present = "jsonl", conflicts_with = "jsonl")]
    kind: Option<Kind>,
    /// A file with a JSON object a line, or - for stdin
    #[arg(long, value_name = "FILE")]
    jsonl: Option<PathBuf>,
    #[command(flatten)]
    fields: Box<Fields>,
}

#[derive(Debug, clap::Args)]
struct Fields {
    /// Short title (required, except for facts)
    #[arg(long)]
    title: Option<String>,
    /// The full text
    #[arg(long)]
    description: Option<String>,
    /// Problem, for example `erdos_850`
    #[arg(long)]
    problem: Option<String>,
    /// Domain: nt, algebra, combinatorics, analysis, or another id
    #[arg(long)]
    domain: Option<String>,
    /// Full name of the Lean declaration
    #[arg(long, value_name = "NAME")]
    theorem_name: Option<String>,
    /// Its statement; for a false lemma, the false statement
    #[arg(long)]
    statement: Option<String>,
    /// Primary technique
    #[arg(long)]
    technique: Option<String>,
    /// Why it failed, or why it is false
    #[arg(long)]
    why_failed: Option<String>,
    /// The counterexample
    #[arg(long)]
    counterexample: Option<String>,
    /// What not to repeat
    #[arg(long)]
    avoid: Option<String>,
    /// What to do instead
    #[arg(long)]
    instead: Option<String>,
    /// verified, high, medium, low or disproven (default: medium; disproven for a false lemma)
    #[arg(long)]
    confidence: Option<Confidence>,
    /// kernel, person, prover, file, model or session (default: person)
    #[arg(long)]
    evidence: Option<Evidence>,
    /// Tags; separated by commas, or given several times
    #[arg(long, value_delimiter = ',', value_name = "TAG")]
    tags: Vec<String>,
    /// Notes
    #[arg(long)]
    notes: Option<String>,
    /// Slot that it came from
    #[arg(long)]
    slot: Option<i64>,
    /// It applies to all projects, not only to this one
    #[arg(long)]
    global: bool,
    /// Fact: dotted key, for example mathlib.revision
    #[arg(long)]
    key: Option<String>,
    /// Fact: its value
    #[arg(long, requires = "key")]
    value: Option<String>,
    /// Fact: person, project, preference, decision, lesson, environment, tool or task
    #[arg(long)]
    category: Option<String>,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if let Some(path) = &self.jsonl {
            return import::read_lines(app, path, out);
        }
        let mut draft = self.draft(app)?;
        let by_agent = app.environment.inside_client();
        prepare(&mut draft, by_agent).map_err(anyhow::Error::msg)?;
        let put = app.write(|writer| writer.put(&draft))?;
        let mut report = Report::default();
        report.record(draft.kind.as_str(), put);
        let stored = matches!(put, Put::Inserted(_) | Put::Updated(_));
        let report =
            AddReport { stored, by_agent, finding: app.store()?.finding(put.id())?, report };
        out.answer(&report, |_| match &report.finding {
            Some(finding) => view(finding, put),
            None => import::sums(&report.report),
        })?;
        if let Some(finding) = report.finding.filter(|_| by_agent && !out.json) {
            let confidence = finding.content.confidence;
            out.note(&format!("mk: entered inside Claude Code, so with {confidence} confidence"));
        }
        Ok(Exit::Done)
    }

    fn draft(self, app: &mut App) -> anyhow::Result<Draft> {
        let Some(kind) = self.kind else {
            return Err(UsageError("name the kind of knowledge".to_owned()).into());
        };
        let by_agent = app.environment.inside_client();
        let fields = *self.fields;
        let fact = fields.key.filter(|_| kind == Kind::Fact).map(|key| FactDetail {
            category: fields.category.unwrap_or_else(|| "project".to_owned()),
            key,
            value: fields.value.unwrap_or_default(),
            scope: if fields.global { "global" } else { "project" }.to_owned(),
            tier: "long-term".to_owned(),
            source_type: if by_agent { "inferred" } else { "user_said" }.to_owned(),
            ..FactDetail::default()
        });
        let title_of = |fact: &FactDetail| format!("{}: {}", fact.key, fact.value);
        let title = fields.title.or_else(|| fact.as_ref().map(title_of));
        let Some(title) = title.filter(|title| !title.trim().is_empty()) else {
            return Err(UsageError(format!("a finding of kind {kind} needs a --title")).into());
        };
        if kind == Kind::Fact && fact.is_none() {
            return Err(UsageError("a fact needs a --key and a --value".to_owned()).into());
        }
        let mut draft = Draft::new(kind, title, fields.description.unwrap_or_default());
        let project = app.project_identity();
        draft.project = project.filter(|_| !fields.global);
        draft.problem = fields.problem;
        draft.domain = fields.domain.as_deref().map(Domain::id_of);
        draft.source.slot = fields.slot;
        draft.theorem_name = fields.theorem_name;
        draft.theorem_statement = fields.statement;
        draft.proof_technique = fields.technique;
        draft.why_failed = fields.why_failed;
        draft.counterexample = fields.counterexample;
        draft.avoid_pattern = fields.avoid;
        draft.correct_approach = fields.instead;
        let usual =
            if kind == Kind::FalseLemma { Confidence::Disproven } else { Confidence::Medium };
        draft.confidence = fields.confidence.unwrap_or(usual);
        draft.evidence = fields.evidence.unwrap_or(Evidence::Person);
        draft.tags = fields.tags;
        draft.notes = fields.notes;
        draft.detail = fact.map(Detail::from);
        Ok(draft)
    }
}

fn view(finding: &Finding, put: Put) -> String {
    let done = match put {
        Put::Inserted(_) => "Added",
        Put::Updated(_) => "Changed",
        Put::Unchanged(_) | Put::Forgotten => "Known already:",
    };
    let badge = finding.content.badge();
    format!("{done} #{} {badge} {}\n", finding.id, headline(badge, &finding.content.title))
}

/// Bytes of one line at most.
const LONGEST_LINE: u64 = 16_000_000;
/// Bad lines that are reported one by one.
const MOST_PROBLEMS: usize = 100;

#[derive(Debug, Serialize)]
pub struct AddReport {
    /// Whether anything was stored: all, or nothing.
    pub stored: bool,
    /// Whether the agent entered it, so that its confidence is medium at most.
    pub by_agent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding>,
    #[serde(flatten)]
    pub report: Report,
}

/// Stores a record for each line of JSON of a file, or of stdin for `-`: all of them, or none. The report
/// names every line that is not acceptable, with the reason.
pub fn lines(app: &mut App, path: &Path) -> anyhow::Result<AddReport> {
    let (mut reader, name): (Box<dyn BufRead>, String) = if path.as_os_str() == "-" {
        (Box::new(io::stdin().lock()), "stdin".to_owned())
    } else {
        let name = path.display().to_string();
        let file = files::open(path).with_context(|| format!("could not read `{name}`"))?;
        (Box::new(BufReader::new(file)), name)
    };
    let unreadable =
        |error: io::Error| StoreError::Invalid(format!("could not read `{name}`: {error}"));
    let by_agent = app.environment.inside_client();
    let mut report = Report::default();
    let now = app.now;
    let written = app.store()?.write(now, |writer| {
        let (mut number, mut replaced) = (0, Vec::new());
        while let Some(line) = next_line(&mut reader, number + 1).map_err(unreadable)? {
            number += 1;
            let mark = if number == 1 { "\u{feff}" } else { "" };
            let line = line.strip_prefix(mark.as_bytes()).unwrap_or(&line);
            let record = match parse(line, by_agent).transpose() {
                None => continue,
                Some(Ok(record)) => record,
                Some(Err(reason)) => {
                    report.counts.skipped += 1;
                    if report.problems.len() < MOST_PROBLEMS {
                        let (path, line) = (name.clone(), Some(number));
                        report.problems.push(Reject { path, line, reason });
                    }
                    continue;
                }
            };
            // After a bad line nothing will be stored: the rest is only checked.
            if report.counts.skipped > 0 {
                continue;
            }
            let Record { uid, superseded_by: by, draft } = record;
            let put = match &uid {
                Some(uid) => writer.put_known(uid, &draft)?,
                None => writer.put(&draft)?,
            };
            report.record(draft.kind.as_str(), put);
            let by = by.as_ref().and_then(serde_json::Value::as_str).map(str::to_owned);
            replaced.extend(uid.zip(by));
        }
        for (uid, by) in &replaced {
            writer.note_replaced(uid, by)?;
        }
        // A transaction that ends with an error leaves nothing behind.
        if report.counts.skipped > 0 { Err(StoreError::Invalid(String::new())) } else { Ok(()) }
    });
    match written {
        Err(StoreError::Invalid(text)) if text.is_empty() => {
            let counts = Counts { skipped: report.counts.skipped, ..Counts::default() };
            report = Report { counts, problems: report.problems, ..Report::default() };
        }
        written => written?,
    }
    let stored = report.counts.inserted + report.counts.updated > 0;
    Ok(AddReport { stored, by_agent, finding: None, report })
}

/// With its end; none at the end of the input.
fn next_line(reader: &mut dyn BufRead, number: u64) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = reader.take(LONGEST_LINE).read_until(b'\n', &mut line)? as u64;
    if read == LONGEST_LINE && line.last() != Some(&b'\n') {
        let what = format!("line {number} is longer than 16 MB");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok((read > 0).then_some(line))
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

/// Reads one line, nothing of a blank one; the error is a reason for people.
fn parse(line: &[u8], by_agent: bool) -> Result<Option<Record>, String> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
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
    Ok(Some(record))
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
    // All fields, so that secrets are removed from a new one too, unless it is listed among those without words.
    let Draft {
        title,
        description,
        theorem_name,
        theorem_statement,
        proof_technique,
        counterexample,
        why_failed,
        avoid_pattern,
        correct_approach,
        notes,
        tags,
        source,
        detail,
        kind: _,
        domain: _,
        problem: _,
        project: _,
        key: _,
        mathlib_imports: _,
        proof_lines: _,
        confidence: _,
        evidence: _,
        status: _,
        created_at: _,
        identity: _,
    } = draft;
    let mut texts = vec![title, description];
    let more = [
        theorem_name,
        theorem_statement,
        proof_technique,
        counterexample,
        why_failed,
        avoid_pattern,
        correct_approach,
        notes,
        &mut source.file,
    ];
    texts.extend(more.into_iter().flatten());
    texts.extend(tags.iter_mut());
    if let Some(detail) = detail {
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
        return Err(format!("`{}` is not a time: use YYYY-MM-DD HH:MM:SS", clean(time)));
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
                Err("`yesterday` is not a time"),
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
        let record = parse(line, true).unwrap().unwrap();
        assert_eq!(record.draft.confidence, Confidence::Medium);
        assert_eq!((record.draft.evidence, record.uid), (Evidence::Model, None));
        assert_eq!((record.draft.status, record.draft.decision()), (Status::Claimed, None));
        let secret =
            br#"{"kind":"fact","title":"a <private>b</private>c","tags":["token=9d8f7a6b5c4e"],
            "detail":{"fact":{"category":"tool","key":"k","value":"password=tiger"}}}"#;
        let draft = parse(secret, true).unwrap().unwrap().draft;
        let fact = draft.fact().map(|fact| fact.value.clone()).unwrap_or_default();
        let removed = ["a c", "token=[secret removed]", "password=[secret removed]"];
        assert_eq!([draft.title.as_str(), draft.tags[0].as_str(), fact.as_str()], removed);
        let record = parse(line, false).unwrap().unwrap();
        assert_eq!(record.draft.confidence, Confidence::Verified);
        assert!(record.uid.is_some());
    }
}
