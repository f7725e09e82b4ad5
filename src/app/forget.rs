//! `mk forget`: removes what a person wants forgotten wherever it is kept, and says where it cannot
//! reach.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::bail;
use serde::Serialize;

use super::guard::session::Session;
use super::learn::{read, work};
use super::{App, journal};
use crate::model::words_of;
use crate::store::{Forget, ForgottenRows, TranscriptState, time_text};
use crate::text::{clean, clip};

pub(crate) mod files;

/// What is to be forgotten, in the person's words.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Ids of findings, proposals and sessions, or beginnings of them.
    pub ids: Vec<String>,
    /// Everything that holds this text.
    pub matching: Option<String>,
}

/// One thing that goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thing {
    pub id: String,
    pub text: String,
}

/// What went, or with a dry run would go.
#[derive(Debug, Default, Serialize)]
pub struct ForgetReport {
    pub dry_run: bool,
    /// How many things and sessions; where there is none of these, whatever else: rows, entries of the
    /// journal, files, and lines of the log.
    pub count: u64,
    /// Findings and proposals.
    pub things: Vec<Thing>,
    pub sessions: Vec<String>,
    pub rows: BTreeMap<String, u64>,
    pub journal: usize,
    /// Files and folders that math-forge kept.
    pub files: Vec<String>,
    pub log_lines: u64,
    /// Copies of the database from before a change of its form. They go as a whole.
    pub backups: Vec<String>,
    /// Whether the text stands nowhere in the database's file any more, not even in its free parts.
    pub cleaned: bool,
    /// Where it may still stand, a sentence each.
    pub out_of_reach: Vec<String>,
}

/// Shortest text that is looked for, in characters: a shorter one stands everywhere.
const SHORTEST: usize = 3;

/// Texts that are looked for in the journal's history.
const MOST_LOOKED_FOR: usize = 20;

/// Forgets, or with `dry_run` says what would be forgotten.
///
/// The journal comes first: where it has to wait nothing is changed at all.
///
/// # Errors
/// When an id means nothing or several things, or journal or database cannot be written.
pub fn run(app: &mut App, request: &Request, dry_run: bool) -> anyhow::Result<ForgetReport> {
    let what = resolve(app, request)?;
    let now = time_text(app.now);
    let store = app.existing_store()?;
    let strip = &read::without_memory;
    let planned = match store {
        Some(store) => store.forget(&what, true, &now, strip)?,
        None => ForgottenRows::default(),
    };
    let in_journal = journal::forget(app, journal_filter(&what, &planned), dry_run)?;
    let mut report = ForgetReport { dry_run, journal: in_journal, ..ForgetReport::default() };
    // Files before rows: a process that ends in between leaves the rows by which all of it is found
    // again.
    let kept = files::Kept::of(app, &what, &planned);
    report.backups = kept.backups(dry_run)?;
    report.files = kept.files(dry_run)?;
    report.log_lines = kept.log_lines(dry_run)?;
    let mark = unfinished(app);
    let rows = match app.existing_store()? {
        Some(store) if !dry_run => {
            crate::files::append(&mark, "")?;
            store.forget(&what, false, &now, strip)?
        }
        _ => planned,
    };
    if !dry_run {
        match finish(app) {
            Ok(cleaned) => report.cleaned = cleaned,
            Err(error) => report.out_of_reach.push(format!(
                "free parts of the database's file ({error}): run `mk gc` when no session runs"
            )),
        }
    }
    report.out_of_reach.extend(earlier_versions(app, &what, &rows, &report));
    report.fill(&what, rows);
    report.out_of_reach.extend(out_of_reach(app, &what));
    Ok(report)
}

/// Stands from before rows go until nothing of them is left in the database's file.
fn unfinished(app: &App) -> PathBuf {
    app.paths.state_dir.join("forget.unfinished")
}

/// Cleans the database's file of what was forgotten, where that was not done to its end; whether it was
/// done now.
///
/// # Errors
/// When somebody else uses the database for too long. It stays to be done.
pub fn finish(app: &mut App) -> anyhow::Result<bool> {
    let mark = unfinished(app);
    if !mark.exists() {
        return Ok(false);
    }
    if let Some(store) = app.existing_store()? {
        store.compact()?;
    }
    fs::remove_file(mark)?;
    Ok(true)
}

/// The history of the journal, as far as what is forgotten stands in it.
fn earlier_versions(
    app: &App,
    what: &Forget,
    rows: &ForgottenRows,
    report: &ForgetReport,
) -> Option<String> {
    let folder = journal::place(app)?.parent()?.to_owned();
    let texts = what.texts.iter().chain(rows.things.values());
    let sessions = what.sessions.iter();
    let stands = report.journal > 0
        || texts.chain(sessions).take(MOST_LOOKED_FOR).any(|text| journal::ever_held(app, text));
    stands.then(|| {
        format!(
            "earlier versions of the journal in the history of git in `{}`, and wherever it was pushed",
            folder.display()
        )
    })
}

impl ForgetReport {
    /// Leaves the ids and no words of what is meant: the agent may list, and need not read what a person
    /// wants gone.
    pub fn leave_texts_out(&mut self) {
        self.things.iter_mut().for_each(|thing| thing.text.clear());
    }

    fn fill(&mut self, what: &Forget, rows: ForgottenRows) {
        let thing = |(id, text): (_, String)| Thing { id, text: clip(&clean(&text), 200) };
        self.things = rows.things.into_iter().map(thing).collect();
        self.sessions.clone_from(&what.sessions);
        let elsewhere = (self.journal + self.files.len()) as u64 + self.log_lines;
        self.count = match (self.things.len() + self.sessions.len()) as u64 {
            0 => rows.rows.values().sum::<u64>() + elsewhere,
            things => things,
        };
        self.rows = rows.rows;
    }
}

/// Whether an entry of the journal is to go.
fn journal_filter<'a>(
    what: &'a Forget,
    rows: &'a ForgottenRows,
) -> impl Fn(&serde_json::Value) -> bool + 'a {
    let keys: Vec<String> = rows.things.values().map(|text| words_of(text)).collect();
    let texts: Vec<String> = what.texts.iter().map(|text| text.to_lowercase()).collect();
    move |entry| {
        let field =
            |name: &str| entry.get(name).and_then(|value| value.as_str()).unwrap_or_default();
        let content = words_of(field("content"));
        let whole = entry.to_string().to_lowercase();
        rows.things.contains_key(field("id"))
            || (!content.is_empty() && keys.contains(&content))
            || what.sessions.iter().any(|session| session == field("source"))
            || texts.iter().any(|text| whole.contains(text))
    }
}

fn out_of_reach(app: &mut App, what: &Forget) -> Vec<String> {
    let mut places = Vec::new();
    let aside = files::beside(app, ".aside");
    places.extend(aside.iter().map(|path| {
        format!("a database that was set aside: `{}`; delete it yourself", path.display())
    }));
    if !what.texts.is_empty() && is_being_read(app) {
        places.push(
            "what transcripts hold that were not read to their end: forget it again when no session \
            runs"
                .to_owned(),
        );
    }
    places.push(
        "the client's own transcripts and prompt history (~/.claude), and the files that \
        something was read from"
            .to_owned(),
    );
    places.push("what was sent to a model in a prompt".to_owned());
    places.push(
        "your own backups, other databases (`--db`), and what the disk itself keeps of deleted \
        files"
            .to_owned(),
    );
    places
}

/// Whether a session runs, or waits to be read.
fn is_being_read(app: &mut App) -> bool {
    let waits = work::has_tickets(app);
    let open =
        app.existing_store().ok().flatten().and_then(|store| store.transcripts(false, 20).ok());
    let grows = |one: &TranscriptState| {
        fs::metadata(&one.path).is_ok_and(|meta| meta.is_file() && meta.len() > one.offset)
    };
    waits || open.is_some_and(|open| open.iter().any(grows))
}

/// Finds out what the person means.
fn resolve(app: &mut App, request: &Request) -> anyhow::Result<Forget> {
    let mut what = Forget::default();
    if let Some(text) = &request.matching {
        let text = text.trim();
        if text.chars().count() < SHORTEST {
            bail!(
                "`{}` stands nearly everywhere: give at least {SHORTEST} characters",
                clean(text)
            );
        }
        what.texts.push(text.to_owned());
        // Some columns hold JSON.
        let quoted = serde_json::Value::from(text).to_string();
        what.texts.extend(Some(quoted.trim_matches('"').to_owned()).filter(|q| q != text));
    }
    for word in &request.ids {
        let word = word.trim();
        let mut found = candidates(app, word)?;
        match (found.pop(), found.pop()) {
            (Some(Candidate::Finding(id)), None) => what.findings.push(id),
            (Some(Candidate::Session(id)), None) => what.sessions.push(id),
            (Some(one), Some(other)) => {
                bail!("`{}` may be {one} or {other}: give more of it", clip(&clean(word), 60))
            }
            (None, _) => bail!(
                "nothing is known by `{}`: give the number or uid of a finding, the id of a proposal \
                 or of a session, or `--matching TEXT`",
                clip(&clean(word), 60)
            ),
        }
    }
    Ok(what)
}

/// What an id may mean.
#[derive(Debug, PartialEq, Eq)]
enum Candidate {
    Finding(i64),
    Session(String),
}

impl std::fmt::Display for Candidate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finding(id) => write!(f, "finding #{id}"),
            Self::Session(id) => write!(f, "session {}", clean(id)),
        }
    }
}

fn candidates(app: &mut App, word: &str) -> anyhow::Result<Vec<Candidate>> {
    let mut found = Vec::new();
    let row = word.strip_prefix('#').unwrap_or(word).parse::<i64>().ok();
    let lower = word.to_ascii_lowercase();
    let is_hex = lower.len() >= 4 && lower.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(store) = app.existing_store()? {
        if let Some(id) = row.filter(|_| word.len() <= 13)
            && store.finding(id)?.is_some()
        {
            found.push(Candidate::Finding(id));
        }
        if is_hex {
            let by_uid = store.findings_by_uid(&lower)?;
            found.extend(by_uid.into_iter().map(|finding| Candidate::Finding(finding.id)));
        }
        if word.len() >= 8 {
            let sessions = store.sessions_like(word)?;
            let whole = sessions.iter().any(|id| id == word);
            let meant = sessions.into_iter().filter(|id| !whole || id == word);
            found.extend(meant.map(Candidate::Session));
        }
    }
    found.dedup();
    // A session of which only files are kept, or of which nothing is to be kept in future.
    let folder = Session::of(app, word).map(|session| session.folder);
    let is_kept = word.len() >= 8 && folder.is_some_and(|folder: PathBuf| folder.is_dir());
    if found.is_empty() && (is_kept || is_uuid(word)) {
        found.push(Candidate::Session(word.to_owned()));
    }
    Ok(found)
}

fn is_uuid(word: &str) -> bool {
    let parts: Vec<usize> = word.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && word.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}
