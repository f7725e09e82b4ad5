//! `mk forget`: removes what a person wants forgotten wherever it is kept, and says where it cannot
//! reach.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Serialize;

use crate::app::guard::session::Session;
use crate::app::learn::{read, work};
use crate::app::{App, journal};
use crate::model::words_of;
use crate::store::{Forget, ForgottenRows, Writer};
use crate::text::{clean, clip};
use crate::ui::{Exit, Out, person};
use crate::{files, gc, report};

/// Forget findings, proposals, sessions, or everything that contains a text
///
/// A person's decision, and permanent: it is removed from every table, the search index, the
/// journal, the log, and copies that math-forge keeps, and it is not read again from the same
/// place. First you see what will be forgotten, then you type how many things that is. The command
/// says what it cannot reach. Inside Claude Code, only `--dry-run` works, and it shows ids without
/// their content.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk forget 12                       a finding by number, or by its uid
  mk forget 5c0f3e77a1b2             a proposal
  mk forget 0b9d7a52-5a0e-4d49-9f2b-3c1e7f6a8d10    a session with all that was learnt in it
  mk forget --matching 'Project Falcon' --dry-run")]
pub(crate) struct Args {
    /// Ids of findings, proposals and sessions, or beginnings of them
    #[arg(value_name = "ID|SESSION", required_unless_present = "matching")]
    ids: Vec<String>,
    /// Everything that contains this text; case is ignored for A to Z
    #[arg(long, value_name = "TEXT")]
    matching: Option<String>,
    /// Change nothing, show what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask for the number; still needs a terminal
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let (ids, matching) = (&self.ids, self.matching.as_deref());
        if !self.dry_run {
            person::require(app, "forgetting")?;
        }
        let mut planned = run(app, ids, matching, true)?;
        if self.dry_run {
            // The agent may list, and need not read what a person wants gone.
            if person::is_beside_client(app) {
                planned.things.iter_mut().for_each(|thing| thing.text.clear());
            }
            out.answer(&planned, |_| view(&planned))?;
            return Ok(Exit::Done);
        }
        if planned.count == 0 && planned.backups.is_empty() {
            bail!("nothing stored matches that: nothing was changed");
        }
        if !self.yes {
            out.note(view(&planned).trim_end());
            person::require_name(app, out, "forgetting", &planned.count.to_string())?;
        }
        let done = run(app, ids, matching, false)?;
        out.answer(&done, |_| view(&done))?;
        // Gone from the tables and not from the file is not done.
        Ok(if done.cleaned || done.rows.is_empty() { Exit::Done } else { Exit::Failed })
    }
}

/// Shortest text that is looked for, in characters: a shorter one stands everywhere.
const SHORTEST: usize = 3;

/// Folders and files of the state folder in which texts of sessions or names of projects stand. Only
/// these: on some systems the database lies in the same folder.
const KEPT: [&str; 7] = ["sessions", "tickets", "begun", "said", "named", "tracked", "next"];

/// A longer file holds no text of ours.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// Things of one sort that are listed one by one.
const LISTED: usize = 20;

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

/// Forgets what the person means by ids of findings, proposals and sessions, or beginnings of them, and
/// everything that holds a text; with `dry_run` says what would be forgotten.
///
/// The journal comes first: where it has to wait nothing is changed at all.
pub fn run(
    app: &mut App,
    ids: &[String],
    matching: Option<&str>,
    dry_run: bool,
) -> anyhow::Result<ForgetReport> {
    let what = resolve(app, ids, matching)?;
    let now = app.now;
    let forget = |writer: &Writer<'_>| writer.forget(&what, &read::without_memory);
    let planned = match app.existing_store()? {
        Some(store) => store.rehearse(now, forget)?,
        None => ForgottenRows::default(),
    };
    let mut report = ForgetReport { dry_run, ..ForgetReport::default() };
    report.journal = journal::forget(app, journal_filter(&what, &planned), dry_run)?;
    // Files before rows: a process that ends in between leaves the rows by which all of it is found
    // again.
    let kept = Kept::of(app, &what, &planned, dry_run);
    // The database as it was before its form changed: all copies of it, since what is in them cannot be
    // changed safely, and nothing depends on them.
    let backups = gc::beside(app, ".bak-v");
    report.backups = backups.iter().map(|path| kept.remove(path)).collect::<Result<_, _>>()?;
    report.files = kept.files()?;
    report.log_lines = kept.log_lines()?;
    let gone = match app.existing_store()? {
        Some(store) if !dry_run => {
            let gone = store.write(now, forget)?;
            match store.compact() {
                Ok(_) => report.cleaned = true,
                Err(error) => report.out_of_reach.push(format!(
                    "free parts of the database's file ({error}): run `mk gc --vacuum` when no session is running"
                )),
            }
            gone
        }
        _ => planned,
    };
    report.out_of_reach.extend(out_of_reach(app));
    let thing = |(id, text): (_, String)| Thing { id, text: clip(&clean(&text), 200) };
    report.things = gone.things.into_iter().map(thing).collect();
    report.count = match (report.things.len() + what.sessions.len()) as u64 {
        0 => {
            let elsewhere = (report.journal + report.files.len()) as u64 + report.log_lines;
            gone.rows.values().sum::<u64>() + elsewhere
        }
        things => things,
    };
    (report.sessions, report.rows) = (what.sessions, gone.rows);
    Ok(report)
}

fn resolve(app: &mut App, ids: &[String], matching: Option<&str>) -> anyhow::Result<Forget> {
    let mut what = Forget::default();
    if let Some(text) = matching.map(str::trim) {
        if text.chars().count() < SHORTEST {
            bail!(
                "`{}` occurs nearly everywhere: give at least {SHORTEST} characters",
                clean(text)
            );
        }
        what.texts.push(text.to_owned());
        // Some columns hold JSON.
        let quoted = serde_json::Value::from(text).to_string();
        what.texts.extend(Some(quoted.trim_matches('"').to_owned()).filter(|q| q != text));
    }
    for word in ids.iter().map(|word| word.trim()) {
        let (findings, sessions) = candidates(app, word)?;
        let names = findings.iter().map(|id| format!("finding #{id}"));
        let names = names.chain(sessions.iter().map(|id| format!("session {}", clean(id))));
        let shown = clip(&clean(word), 60);
        match names.collect::<Vec<_>>().as_slice() {
            [] => bail!(
                "nothing is stored under `{shown}`: give the number or uid of a finding, the id of a proposal \
                 or of a session, or `--matching TEXT`"
            ),
            [_] => {}
            [.., other, one] => bail!("`{shown}` may be {one} or {other}: give more of it"),
        }
        what.findings.extend(findings);
        what.sessions.extend(sessions);
    }
    Ok(what)
}

/// The findings and sessions that an id may mean.
fn candidates(app: &mut App, word: &str) -> anyhow::Result<(Vec<i64>, Vec<String>)> {
    let (mut findings, mut sessions) = (Vec::new(), Vec::new());
    let lower = word.to_ascii_lowercase();
    if let Some(store) = app.existing_store()? {
        let row = word.strip_prefix('#').unwrap_or(word).parse::<i64>().ok();
        if let Some(id) = row.filter(|_| word.len() <= 13)
            && store.finding(id)?.is_some()
        {
            findings.push(id);
        }
        if lower.len() >= 4 && lower.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            findings.extend(store.findings_by_uid(&lower)?.into_iter().map(|finding| finding.id));
        }
        if word.len() >= 8 {
            sessions = store.sessions_like(word)?;
            if sessions.iter().any(|id| id == word) {
                sessions.retain(|id| id == word);
            }
        }
    }
    findings.dedup();
    // A session of which only files are kept, or of which nothing is to be kept in future.
    let is_kept = || Session::of(app, word).is_some_and(|session| session.folder.is_dir());
    if findings.is_empty()
        && sessions.is_empty()
        && (is_uuid(word) || (word.len() >= 8 && is_kept()))
    {
        sessions.push(word.to_owned());
    }
    Ok((findings, sessions))
}

fn is_uuid(word: &str) -> bool {
    let parts: Vec<usize> = word.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && word.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

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

/// What is kept outside of the database, as far as something to be forgotten may stand in it.
struct Kept<'a> {
    app: &'a App,
    sessions: &'a [String],
    /// Texts in small letters.
    texts: Vec<String>,
    dry_run: bool,
}

impl<'a> Kept<'a> {
    fn of(app: &'a App, what: &'a Forget, rows: &ForgottenRows, dry_run: bool) -> Self {
        let words = what.texts.iter().chain(&rows.transcripts);
        let texts = words.map(|text| text.to_lowercase()).collect();
        Self { app, sessions: &what.sessions, texts, dry_run }
    }

    fn remove(&self, path: &Path) -> anyhow::Result<String> {
        if !self.dry_run {
            let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            gone.with_context(|| format!("could not remove `{}`", path.display()))?;
        }
        Ok(path.display().to_string())
    }

    /// Folders of the sessions and their tickets; and every file that holds a text.
    fn files(&self) -> anyhow::Result<Vec<String>> {
        let state = &self.app.paths.state_dir;
        let mut gone = Vec::new();
        if !self.dry_run {
            // What sessions would be told and pages of `mk report` are made anew.
            fs::remove_dir_all(state.join("starts")).ok();
            fs::remove_dir_all(report::folder(self.app)).ok();
        }
        for session in self.sessions {
            let folder = Session::of(self.app, session).map(|session| session.folder);
            let places = folder.into_iter().chain(work::ticket_of(self.app, session));
            for path in places.filter(|path| path.exists()) {
                gone.push(self.remove(&path)?);
            }
        }
        for place in KEPT.iter().filter(|_| !self.texts.is_empty()) {
            self.search(&state.join(place), &mut gone)?;
        }
        gone.sort();
        gone.dedup();
        Ok(gone)
    }

    fn search(&self, path: &Path, gone: &mut Vec<String>) -> anyhow::Result<()> {
        let Ok(meta) = fs::symlink_metadata(path) else { return Ok(()) };
        if meta.is_dir() {
            return files::entries(path).iter().try_for_each(|entry| self.search(entry, gone));
        }
        let holds = meta.is_file()
            && files::read(path, MOST_BYTES)
                .is_ok_and(|bytes| self.holds(&String::from_utf8_lossy(&bytes)));
        if holds {
            gone.push(self.remove(path)?);
        }
        Ok(())
    }

    /// Lines of the log that name a session or hold a text.
    fn log_lines(&self) -> anyhow::Result<u64> {
        let log = self.app.paths.log_file();
        let mut gone = 0;
        for path in [log.clone(), log.with_extension("log.1")] {
            let Ok(bytes) = files::read(&path, files::LONG) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let named = |line: &str| self.sessions.iter().any(|session| line.contains(session));
            let (goes, stays): (Vec<&str>, Vec<&str>) =
                text.lines().partition(|line| named(line) || self.holds(line));
            gone += goes.len() as u64;
            if !goes.is_empty() && !self.dry_run {
                let kept: String = stays.into_iter().flat_map(|line| [line, "\n"]).collect();
                files::replace(&path, kept.as_bytes())
                    .with_context(|| format!("could not write `{}`", path.display()))?;
            }
        }
        Ok(gone)
    }

    fn holds(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.texts.iter().any(|wanted| text.contains(wanted))
    }
}

fn out_of_reach(app: &App) -> Vec<String> {
    let mut places = Vec::new();
    if let Some(folder) = journal::place(app).as_deref().and_then(Path::parent) {
        places.push(format!(
            "earlier versions of the journal in the history of git in `{}`, and wherever it was pushed",
            folder.display()
        ));
    }
    let aside = gc::beside(app, ".aside");
    places.extend(aside.iter().map(|path| {
        format!("a database that was set aside: `{}`; delete it yourself", path.display())
    }));
    let always = [
        "transcripts that were not read to the end: run this again when no session is running",
        "the client's own transcripts and prompt history (~/.claude), and the files that something was \
         read from",
        "what was sent to a model in a prompt",
        "your own backups, other databases (`--db`), and what the disk itself keeps of deleted files",
    ];
    places.extend(always.map(str::to_owned));
    places
}

fn view(report: &ForgetReport) -> String {
    let mut text = String::new();
    let things = report.things.iter();
    let things = things.map(|Thing { id, text }| format!("{} {}", clean(id), clean(text)));
    list(&mut text, things, "findings and proposals");
    for session in &report.sessions {
        writeln!(text, "  session {}", clean(session)).ok();
    }
    let rows: Vec<String> =
        report.rows.iter().map(|(table, count)| format!("{count} in {}", clean(table))).collect();
    if !rows.is_empty() {
        writeln!(text, "  rows of the database: {}", rows.join(", ")).ok();
    }
    if report.journal > 0 {
        writeln!(text, "  proposals in the journal: {}", report.journal).ok();
    }
    list(&mut text, report.files.iter().map(|file| clean(file)), "files");
    if report.log_lines > 0 {
        writeln!(text, "  lines of the log: {}", report.log_lines).ok();
    }
    for backup in &report.backups {
        writeln!(text, "  {} (an old copy of the database, whole)", clean(backup)).ok();
    }
    let things = if report.count == 1 { "thing" } else { "things" };
    let done = if report.dry_run { "would be forgotten" } else { "forgotten" };
    writeln!(text, "{} {things} {done}", report.count).ok();
    text.push_str("Out of reach:\n");
    for place in &report.out_of_reach {
        writeln!(text, "  - {}", clean(place)).ok();
    }
    text
}

/// The first of them, a line each, and how many there are.
fn list(text: &mut String, lines: impl ExactSizeIterator<Item = String>, name: &str) {
    let count = lines.len();
    for line in lines.take(LISTED) {
        writeln!(text, "  {line}").ok();
    }
    if count > LISTED {
        writeln!(text, "  ... {count} {name} in all").ok();
    }
}
