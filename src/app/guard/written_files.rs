//! What files lost that commands wrote or took away: they are compared with what they were; what git,
//! the person or an earlier answer accounts for is left aside. We never touch the files, but name the
//! commands that bring them back.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::change::{Change, Surroundings};
use super::known::{self, Known};
use super::past::{Base, Bases, Past, Source, moves_since};
use super::project_files::{LARGEST, decoded, on_disk, real, shown, walk};
use super::session::{Entry, Events, Kept, Stamp, key};
use crate::app::App;
use crate::files;
use crate::guard::{Finding, Level, Policy, Reading, Rule, Tense, Verdict, is_lean, judge};
use crate::hook::Event;
use crate::lean::{self, Comparison, Declaration};
use crate::model::GuardEntry;
use crate::shell::quoted;
use crate::text::plural;

/// Files that are read and judged at once; the time is looked at between them.
const STEP: usize = 256;

/// Texts that one look keeps as the latest ones.
const MOST_KEPT: usize = 300;

/// Findings, and files with their repair, that are told; the others are counted.
const MOST_TOLD: usize = 4;

/// Files that are gone which are looked at and told.
const MOST_GONE: usize = 16;

/// How long files are looked for in which the proofs of one that is gone may be.
const ELSEWHERE: Duration = Duration::from_millis(300);

#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    /// The program that ran when it was written; empty for an edit, which was judged by itself.
    pub(super) program: String,
}

#[derive(Default)]
pub(super) struct Found {
    pub(super) lost: Vec<Read>,
    pub(super) remarks: Vec<(PathBuf, Finding)>,
    /// Why lifts are not known, in a sentence.
    pub(super) trouble: Option<String>,
    pub(super) left: usize,
}

pub(super) struct Look<'a> {
    pub(super) event: &'a Event,
    pub(super) past: &'a Past,
    pub(super) events: &'a Events,
    pub(super) until: Instant,
    pub(super) remarks: bool,
    /// Whether it is certain that Lean has not read what was written.
    pub(super) unread: bool,
}

pub(super) struct Read {
    candidate: Candidate,
    bases: Bases,
    bytes: Vec<u8>,
    text: String,
    losses: Vec<Finding>,
    remarks: Vec<Finding>,
}

impl Found {
    pub(super) fn remarked(&self, app: &App) -> Option<String> {
        let told = self.remarks.iter().map(|(path, finding)| {
            let verdict = Verdict { findings: vec![finding.clone()] };
            format!("`{}`: {}", shown(&app.project, path), verdict.told(Tense::Did, false))
        });
        let mut told: Vec<String> = told.collect();
        known::count_rest(&mut told, MOST_TOLD);
        (!told.is_empty())
            .then(|| format!("math-forge, on what commands wrote:\n{}", told.join("\n")))
    }
}

impl Look<'_> {
    pub(super) fn at(&self, app: &mut App, mut rest: Vec<Candidate>) -> Found {
        let mut found = Found::default();
        if rest.is_empty() {
            return found;
        }
        let session = &self.past.session;
        let mut known = Known::load(app, self.event);
        let mut policy = known::policy(app, self.event);
        known.lock(&mut policy);
        if self.remarks {
            policy.false_lemmas = known::false_lemmas(app);
        }
        let around = Surroundings::new(app, Some(self.past), policy, true);
        let (mut lost, mut kept, mut passed) = (Vec::new(), 0, Vec::new());
        while !rest.is_empty() && Instant::now() < self.until {
            let step: Vec<Candidate> = rest.drain(..rest.len().min(STEP)).collect();
            let mut reads = read(step.clone(), self);
            let changes = reads.par_iter().map(|read| read.judged(&around));
            let mut changes: Vec<Change<'_>> = changes.collect();
            around.settle(app, &mut changes);
            let findings = changes.into_iter().map(|change| change.findings);
            let findings: Vec<Vec<Finding>> = findings.collect();
            reads.iter_mut().zip(findings).for_each(|(read, found)| read.sort(found));
            for mut read in reads {
                let path = &read.candidate.path.clone();
                read.remarks.retain(|finding| !self.events.is_said(path, Some(&what(finding))));
                let is_quiet = read.remarks.is_empty();
                // Of a file that is empty now it is said as a whole.
                let is_told = |one: &Finding| one.rule != Rule::ProofRemoved || !is_bare(path);
                let news = read.remarks.drain(..).filter(|one| self.remarks && is_told(one));
                let name = |app: &App| shown(&app.project, path);
                let news = news.filter_map(|mut one| {
                    let is_excused = known.excuse(self.event, &name(app), &mut one, &mut passed);
                    (!is_excused).then_some(one)
                });
                found.remarks.extend(news.map(|finding| (path.clone(), finding)));
                if read.losses.is_empty() {
                    kept += usize::from(kept < MOST_KEPT && self.keep(&read));
                    let settled = is_quiet && self.events.is_said(path, None);
                    session.note(settled.then(|| Entry::Settled(key(path))));
                } else {
                    lost.push(read);
                }
            }
            session.note_judged(step.iter().map(|one| (one.path.as_path(), one.stamp)));
        }
        found.left = rest.len();
        if !lost.is_empty() {
            self.drop_moved(&around.policy, &mut lost);
            for mut read in lost {
                let name = shown(&app.project, &read.candidate.path);
                self.excuse(&mut read, &name, &known, &mut passed);
                let agreed = read.losses.extract_if(.., |one| one.level <= Level::Warn);
                let path = &read.candidate.path;
                found.remarks.extend(agreed.map(|finding| (path.clone(), finding)));
                found.lost.extend((!read.losses.is_empty()).then_some(read));
            }
            found.lost.sort_by_cached_key(|read| shown(&app.project, &read.candidate.path));
            found.trouble = known.trouble;
        }
        known::log(app, self.event, passed);
        found
    }

    /// Drops what git itself took away after the text that the file is compared with: a script may
    /// have pulled or checked out.
    fn drop_moved(&self, policy: &Policy, lost: &mut Vec<Read>) {
        let past = self.past;
        let (Some(start), Some(git)) = (past.start(), past.git()) else { return };
        let moves = moves_since(&start.root, start.head_log);
        let own = past.own_commits();
        let mut revisions: Vec<_> = moves.into_iter().map(|one| (one.at, one.revision)).collect();
        // Back to what was committed at the start, the uncommitted work gone.
        revisions.extend(start.revision.clone().map(|revision| (i64::MAX, revision)));
        for (at, revision) in revisions {
            let paths: Vec<&Path> = lost.iter().map(|read| read.candidate.path.as_path()).collect();
            let Ok(texts) = git.show_all(&revision, &paths) else { continue };
            for (read, bytes) in lost.iter_mut().zip(texts) {
                let text = bytes.and_then(|bytes| decoded(&bytes).ok());
                if at < i64::MAX && own.contains(&read.candidate.path) {
                    read.keep_lost_since_start(policy);
                } else {
                    read.drop_moved(at, text.as_deref(), policy);
                }
            }
            lost.retain(|read| {
                if read.losses.is_empty() {
                    past.session.keep_moved(&read.candidate.path, &read.bytes);
                }
                !read.losses.is_empty()
            });
        }
    }

    /// Leaves what nobody let pass and what was not said before.
    fn excuse(&self, read: &mut Read, name: &str, known: &Known, passed: &mut Vec<GuardEntry>) {
        let path = &read.candidate.path;
        let is_edit = read.is_edit();
        read.losses.retain_mut(|finding| {
            let is_excused = known.excuse(self.event, name, finding, passed);
            // Lost again by a command, after it was there again, it is another loss.
            let is_settled = || is_edit && known.is_settled(finding, name);
            !is_excused && !is_settled() && !self.events.is_said(path, Some(&what(finding)))
        });
        if read.losses.is_empty() && !self.events.is_said(path, None) {
            // All of it was let pass: this is the file's state from now on.
            self.keep(read);
        }
    }

    /// Keeps the file's text as the latest one; whether there was a new one.
    fn keep(&self, read: &Read) -> bool {
        let path = &read.candidate.path;
        let known = read.base();
        let is_new = known.is_none_or(|base| base.text != read.text);
        let is_young = read.bases.start.is_none() && self.past.came_later(path);
        if is_young {
            self.past.session.keep(Kept::First, path, b"");
        }
        if read.bases.start.is_none() && !is_young {
            self.past.session.keep(Kept::First, path, &read.bytes);
        } else if is_new {
            self.past.session.keep(Kept::Last, path, &read.bytes);
        }
        is_new
    }

    pub(super) fn told<'f>(&self, app: &mut App, found: &'f Found) {
        let of_file = |read: &'f Read| read.losses.iter().map(|one| (&read.candidate.path, one));
        let lost = found.lost.iter().flat_map(of_file);
        let remarks = found.remarks.iter().map(|(path, finding)| (path, finding));
        let all: Vec<(&PathBuf, &Finding)> = lost.chain(remarks).collect();
        let said = all.iter().map(|(path, finding)| Entry::Said(key(path), what(finding)));
        self.past.session.note(said);
        let row = |(path, finding): &(&PathBuf, &Finding)| {
            known::entry(finding, &shown(&app.project, path))
        };
        known::log(app, self.event, all.iter().map(row).collect());
    }
}

fn what(finding: &Finding) -> String {
    match &finding.declaration {
        Some(name) => format!("{} {name}", finding.rule),
        None => format!("{} line {:?}", finding.rule, finding.line),
    }
}

/// Reads files, several at once. What cannot be read is passed over.
fn read(step: Vec<Candidate>, look: &Look<'_>) -> Vec<Read> {
    let past = look.past;
    let paths: Vec<&Path> = step.iter().map(|one| one.path.as_path()).collect();
    let bases = past.bases(&paths);
    let pairs: Vec<(Candidate, Bases)> = step.into_iter().zip(bases).collect();
    let reads = pairs.into_par_iter().filter_map(|(candidate, bases)| {
        let bytes = match files::read(&candidate.path, LARGEST) {
            Ok(bytes) => bytes,
            Err(error) => {
                past.session.complain(&format!("{}: {error}", candidate.path.display()));
                return None;
            }
        };
        let text = decoded(&bytes).ok()?;
        let (losses, remarks) = Default::default();
        let read = Read { candidate, bases, bytes, text, losses, remarks };
        if look.unread {
            let before = read.base().map_or("", |base| base.text.as_str());
            past.session.keep(Kept::Seen, &read.candidate.path, before.as_bytes());
        }
        Some(read)
    });
    reads.collect()
}

impl Read {
    fn judged(&self, around: &Surroundings<'_>) -> Change<'_> {
        let began = self.bases.start.as_ref().map_or("", |start| start.text.as_str());
        let before = self.base().map_or("", |base| base.text.as_str());
        // Of a file that was there when the session began, only the client's edits get this benefit.
        let may_give_up = began.is_empty() || self.is_edit();
        let comparison = Comparison::of(before, &self.text);
        around.judge(&self.candidate.path, &comparison, Some(began), may_give_up)
    }

    /// Tells what is lost from what deserves a remark.
    fn sort(&mut self, mut findings: Vec<Finding>) {
        if self.is_edit() {
            // Each change that it made was answered.
            findings.retain(|one| one.rule == Rule::ProofLost && one.level > Level::Warn);
        }
        // Of a file that was not there nothing can be lost but what another one had; what it brings is remarked on.
        let is_new = self.base().is_none();
        let is_remark = |one: &Finding| {
            one.rule == Rule::FalseLemma
                || one.level <= Level::Warn
                || (is_new && one.rule != Rule::ProofLost)
        };
        (self.remarks, self.losses) = findings.into_iter().partition(is_remark);
    }

    fn is_edit(&self) -> bool {
        self.candidate.program.is_empty()
    }

    /// Drops what the file had lost already when git brought it to `text`, which a revision of a
    /// move has (`None`: it has no such file).
    fn drop_moved(&mut self, at: i64, text: Option<&str>, policy: &Policy) {
        if text == Some(self.text.as_str()) {
            self.losses.clear();
        }
        if at == i64::MAX {
            return;
        }
        if self.base().is_some_and(|base| base.at <= at) {
            self.keep_lost_since(text, policy);
        }
    }

    /// Between its own commits a session may go back and forth: only what it had when it began is lost.
    fn keep_lost_since_start(&mut self, policy: &Policy) {
        if self.bases.last.is_some() {
            let start = self.bases.start.as_ref().map(|base| base.text.clone());
            self.keep_lost_since(start.as_deref(), policy);
        }
    }

    /// Drops what is no loss against another text that the file had.
    fn keep_lost_since(&mut self, text: Option<&str>, policy: &Policy) {
        let lost = text.map(|text| judge(text, &self.text, policy).findings).unwrap_or_default();
        let lost = lost.iter().filter(|one| one.level > Level::Warn);
        let lines: HashSet<_> = lost.map(|finding| finding.line).collect();
        self.losses.retain(|finding| lines.contains(&finding.line));
    }

    fn base(&self) -> Option<&Base> {
        self.bases.last.as_ref().or(self.bases.start.as_ref())
    }

    /// From where the text that it is compared with can be taken.
    fn source(&self) -> Option<&Source> {
        let base = self.base()?;
        // Where both had the same text, a revision is the better place to take it from.
        let committed =
            |one: &&Base| one.text == base.text && matches!(one.source, Source::Revision(_));
        Some(&self.bases.start.as_ref().filter(committed).unwrap_or(base).source)
    }

    /// The program that wrote it, where its name is known.
    fn program(&self) -> Option<String> {
        let program = self.candidate.program.as_str();
        (!matches!(program, "" | "?")).then(|| format!("`{program}`"))
    }
}

/// A file that a command took away or emptied, and what it was. Nobody is blocked for it: its proofs
/// may stand elsewhere.
struct Gone {
    path: PathBuf,
    /// The last parts of the names of its proved theorems.
    proofs: Vec<String>,
    base: Base,
}

/// Lets what is known of a file follow it to its new name, so that what the same command writes there
/// is compared with it.
pub(super) fn follow(past: &Past, folders: &[PathBuf], reading: &Reading) {
    for (from, to) in reading.moves.iter().filter(|(from, _)| is_lean(Path::new(from))) {
        for folder in folders {
            let (from, mut to) = (real(&folder.join(from)), real(&folder.join(to)));
            if to.is_dir() {
                to.extend(from.file_name());
            }
            let [was, known] = past.bases(&[&from, &to]).try_into().unwrap_or_default();
            let is_new = known.start.is_none() && known.last.is_none();
            if is_new && !from.exists() && to.is_file() {
                let first = was.start.as_ref().or(was.last.as_ref());
                let known = [(Kept::First, first), (Kept::Last, was.last.as_ref())].into_iter();
                for (kept, base) in known.filter_map(|(kept, base)| Some((kept, base?))) {
                    past.session.keep(kept, &to, base.text.as_bytes());
                }
            }
        }
    }
}

/// What is said right after a command of the files that it names and that are gone or empty now.
pub(super) fn gone_after(
    app: &mut App,
    event: &Event,
    past: &Past,
    (folders, reading): (&[PathBuf], &Reading),
) -> Option<String> {
    let names = reading.names.iter().take(MOST_GONE);
    let named: Vec<PathBuf> =
        names.flat_map(|name| folders.iter().map(move |f| real(&f.join(name)))).collect();
    let mut found = gone(past, named.iter().filter(|path| is_bare(path)).cloned().collect());
    if found.is_empty() {
        return None;
    }
    for gone in &found {
        past.session.note_carried(&gone.path, gone.proofs.iter().map(String::as_str));
    }
    // A copy or a new name of it is at hand.
    let texts: Vec<String> = named.iter().filter_map(|path| on_disk(path).ok()).collect();
    let there: HashSet<String> =
        texts.iter().flat_map(|text| declared(text, Declaration::is_proved)).collect();
    found.retain(|gone| {
        let is_its = |folder: &PathBuf, from: &str, to: &str| {
            let (from, to) = (real(&folder.join(from)), folder.join(to));
            let inside = gone.path.file_name().map(|name| to.join(name));
            let is_there = (is_lean(&to) && to.is_file()) || inside.is_some_and(|it| it.is_file());
            from == gone.path && is_there
        };
        let is_moved =
            |(from, to): &(String, String)| folders.iter().any(|folder| is_its(folder, from, to));
        // The session wrote them into another file before.
        let names = gone.proofs.iter().map(String::as_str).collect();
        let others = past.session.carried(&gone.path, &names);
        let texts = others.iter().filter_map(|path| on_disk(path).ok());
        let carried: HashSet<String> =
            texts.flat_map(|text| declared(&text, Declaration::is_proved)).collect();
        let is_kept = |name: &String| there.contains(name) || carried.contains(name);
        !gone.proofs.iter().all(is_kept) && !reading.moves.iter().any(is_moved)
    });
    let rows = keep_unlifted(app, event, &mut found);
    let finding = gone_finding();
    let told = found.iter().map(|gone| known::entry(&finding, &shown(&app.project, &gone.path)));
    let rows = rows.into_iter().chain(told).collect();
    known::log(app, event, rows);
    past.session.note(found.iter().map(|gone| Entry::Deleted(gone.path.clone())));
    (!found.is_empty()).then(|| gone_message(app, event, &found))
}

fn gone_finding() -> Finding {
    let what = "the file is gone, with its proofs";
    Finding::of_file(Rule::ProofRemoved, Level::Warn, what)
}

/// Leaves at most so many files as are told, without those that the person let go; returns the log's rows of these.
fn keep_unlifted(app: &mut App, event: &Event, found: &mut Vec<Gone>) -> Vec<GuardEntry> {
    found.truncate(MOST_GONE);
    let mut passed = Vec::new();
    if !found.is_empty() {
        let (known, mut finding) = (Known::load(app, event), gone_finding());
        found.retain(|gone| {
            let name = shown(&app.project, &gone.path);
            !known.excuse(event, &name, &mut finding, &mut passed)
                && !known.is_settled(&finding, &name)
        });
    }
    passed
}

/// What is said when a turn ends of files that a command took away in it, and that are still gone.
pub(super) fn gone_at_stop(
    app: &mut App,
    event: &Event,
    past: &Past,
    events: &Events,
) -> Option<String> {
    let (known, mut missing) = past.missing();
    missing.extend(events.deleted.iter().filter(|path| is_bare(path)).cloned());
    let mut found = gone(past, missing);
    if let Some(start) = past.start().filter(|_| !found.is_empty()) {
        // What they lost in a file that is new or was written since is told of that file.
        let walked = walk(&start.root, ELSEWHERE, |_| true).files.into_iter();
        let is_new = |(path, stamp): &(PathBuf, Stamp)| {
            !known.contains(path) || stamp.changed >= start.when || path.is_symlink()
        };
        let texts = walked.filter(is_new);
        let texts = texts.filter_map(|(path, _)| on_disk(&path).ok());
        let there: HashSet<String> = texts.flat_map(|text| declared(&text, |_| true)).collect();
        found.retain(|gone| gone.proofs.iter().any(|name| !there.contains(name)));
    }
    let mark = |gone: &Gone| format!("gone {}", gone.path.display());
    found.retain(|gone| known::first_time(app, &event.session, &mark(gone)));
    let passed = keep_unlifted(app, event, &mut found);
    known::log(app, event, passed);
    (!found.is_empty()).then(|| gone_message(app, event, &found))
}

fn declared(text: &str, wanted: impl Fn(&Declaration) -> bool) -> Vec<String> {
    let declarations = lean::skim(text).declarations.into_iter().filter(|one| wanted(one));
    declarations.filter_map(|one| Some(lean::last_part(one.name.as_deref()?).to_owned())).collect()
}

fn gone(past: &Past, mut paths: Vec<PathBuf>) -> Vec<Gone> {
    paths.sort();
    paths.dedup();
    let bases = past.bases(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
    let pairs = paths.into_iter().zip(bases).filter_map(|(path, bases)| {
        // The latest text may be the empty one.
        [bases.last, bases.start].into_iter().flatten().find_map(|base| {
            let proofs = declared(&base.text, Declaration::is_proved);
            (!proofs.is_empty()).then(|| Gone { path: path.clone(), proofs, base })
        })
    });
    pairs.collect()
}

/// Whether a path is a Lean file's and there is none, or one without a declaration.
pub(super) fn is_bare(path: &Path) -> bool {
    match fs::metadata(path) {
        _ if !is_lean(path) => false,
        Ok(meta) if meta.is_file() && meta.len() <= LARGEST => {
            on_disk(path).is_ok_and(|text| lean::outline(&text).declarations.is_empty())
        }
        Ok(_) => false,
        Err(_) => path.parent().is_some_and(Path::exists),
    }
}

fn gone_message(app: &App, event: &Event, found: &[Gone]) -> String {
    let mut text = String::from("math-forge:");
    for gone in found {
        let (name, is_link) = (shown(&app.project, &gone.path), gone.path.is_symlink());
        let what =
            if gone.path.exists() && !is_link { "has no declarations any more" } else { "is gone" };
        let proofs = match gone.proofs.len() {
            1 => "a finished proof".to_owned(),
            count => format!("{count} finished proofs"),
        };
        let repair = repair(&gone.path, &gone.base.source, &app.project.root, event.cwd.as_deref());
        write!(text, " `{name}` {what}; it had {proofs}. To bring it back:\n    {repair}\n").ok();
    }
    text.push_str("If its proofs are elsewhere now, or no longer wanted, that is fine.");
    text
}

/// What is said right after a command, or when the turn ends: first of files that lost something.
pub(super) fn said(app: &App, event: &Event, found: &Found, at_stop: bool) -> Vec<String> {
    let mut parts = Vec::new();
    if !found.lost.is_empty() {
        let mut text = message(app, event, &found.lost, at_stop);
        if at_stop && found.left > 0 {
            let more = plural(found.left, "more written file");
            write!(text, "\nNot checked: {more}.").ok();
        }
        parts.push(text);
        parts.extend(found.trouble.clone());
    }
    parts.extend(found.remarked(app));
    parts
}

fn message(app: &App, event: &Event, lost: &[Read], at_stop: bool) -> String {
    let name = |read: &Read| shown(&app.project, &read.candidate.path);
    let gone = what_is_gone(lost);
    let by = lost.first().and_then(Read::program);
    let mut text = match (lost, at_stop) {
        ([one], true) => {
            let by = by.unwrap_or_else(|| "this session".to_owned());
            format!("math-forge: in `{}`, which {by} wrote, {gone}.\n", name(one))
        }
        (many, true) => {
            format!("math-forge: in {} files that this session wrote, {gone}.\n", many.len())
        }
        (_, false) => {
            let by = by.unwrap_or_else(|| "the command".to_owned());
            let files = match lost {
                [one] => format!("`{}`", name(one)),
                many => format!("{} files", many.len()),
            };
            format!("math-forge: {by} has written {files}, and {gone}.\n")
        }
    };
    let mut room = MOST_TOLD;
    for one in lost {
        let findings: Vec<Finding> = one.losses.iter().take(room).cloned().collect();
        if findings.is_empty() {
            break;
        }
        room -= findings.len();
        if lost.len() > 1 {
            let by = one.program().map_or_else(String::new, |by| format!(" ({by})"));
            writeln!(text, "{}{by}:", name(one)).ok();
        }
        let verdict = Verdict { findings };
        writeln!(text, "{}", verdict.told(Tense::Did, true)).ok();
    }
    let more = lost.iter().map(|one| one.losses.len()).sum::<usize>() - (MOST_TOLD - room);
    if more > 0 {
        writeln!(text, "And {more} more like this.").ok();
    }
    let sources: Vec<_> = lost.iter().filter_map(|one| Some((one, one.source()?))).collect();
    text.push_str(match sources.as_slice() {
        [] => "",
        [_] => "This restores the whole file as it was then; what was changed in it since is lost:\n",
        _ => "These restore the whole files as they were then; what was changed in them since is lost:\n",
    });
    for (one, source) in sources.into_iter().take(MOST_TOLD) {
        let (root, cwd) = (&app.project.root, event.cwd.as_deref());
        writeln!(text, "    {}", repair(&one.candidate.path, source, root, cwd)).ok();
    }
    if lost.len() > MOST_TOLD {
        let more = plural(lost.len() - MOST_TOLD, "more file");
        writeln!(text, "    (the same for {more})").ok();
    }
    let lifts = lost.iter().map(|one| Verdict { findings: one.losses.clone() }.lifts(&name(one)));
    let lifts: BTreeSet<String> = lifts.collect();
    let more = if lifts.len() > 1 { " (and so on for each file)" } else { "" };
    let lift = lifts.first().cloned().unwrap_or_default();
    let asks = if lift.contains("` and `") { "ask" } else { "asks" };
    write!(
        text,
        "Or put back only what is gone, with Edit. If the change is intended: {lift}{more} {asks} the person. \
         If it was the person who changed it, leave it and say so."
    )
    .ok();
    text
}

fn what_is_gone(lost: &[Read]) -> String {
    let rules = lost.iter().flat_map(|one| one.losses.iter().map(|finding| finding.rule));
    let rules: Vec<Rule> = rules.collect();
    let is_proof = |rule: &Rule| matches!(rule, Rule::ProofLost | Rule::ProofRemoved);
    let words = match rules.len() {
        1 if rules.iter().all(is_proof) => "a finished proof is gone",
        count if rules.iter().all(is_proof) => return format!("{count} finished proofs are gone"),
        _ if rules.iter().all(|rule| is_proof(rule) || *rule == Rule::ProgressLost) => {
            "work on proofs is gone"
        }
        _ => "the change is not accepted",
    };
    words.to_owned()
}

/// The command that brings a file back; `cwd` is the current folder of the client's shell.
fn repair(path: &Path, source: &Source, root: &Path, cwd: Option<&Path>) -> String {
    let is_inside = path.starts_with(root);
    let at_root = is_inside && cwd.is_some_and(|cwd| real(cwd) == root);
    // Else it lies in another work tree.
    let mut folders = path.ancestors().skip(usize::from(!is_inside));
    let holds_it =
        |folder: &&Path| if is_inside { *folder == root } else { folder.join(".git").exists() };
    let folder = folders.find(holds_it).unwrap_or(root);
    let inside = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
    let target = quoted(&if at_root { inside.clone() } else { path.to_string_lossy() });
    let is_folder_gone = root.exists() && path.parent().is_some_and(|folder| !folder.exists());
    let revision = match source {
        // Through a link another file would be written.
        Source::Copy(copy) => {
            let first = if path.is_symlink() { format!("rm {target} && ") } else { String::new() };
            return format!("{first}cp {} {target}", quoted(&copy.to_string_lossy()));
        }
        Source::Revision(revision) => revision.get(..12).unwrap_or(revision),
    };
    let folder = quoted(&folder.to_string_lossy());
    let git = if at_root { "git".to_owned() } else { format!("git -C {folder}") };
    if is_inside && (is_folder_gone || path.is_symlink()) {
        format!("{git} restore --source={revision} -- {}", quoted(&inside))
    } else {
        let object = quoted(&format!("{revision}:{}", inside.replace('\\', "/")));
        format!("{git} show {object} > {target}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_bring_a_file_back() {
        let revision = Source::Revision("0123456789abcdef".to_owned());
        let copy = Source::Copy(PathBuf::from("/h/a b/last/00"));
        for (path, source, cwd, expected) in [
            ("/p/A.lean", &revision, "/p", "git show 0123456789ab:A.lean > A.lean"),
            (
                "/p/s/A b.lean",
                &revision,
                "/p",
                "git show \"0123456789ab:s/A b.lean\" > \"s/A b.lean\"",
            ),
            ("/p/A.lean", &revision, "/p/s", "git -C /p show 0123456789ab:A.lean > /p/A.lean"),
            ("/p/it's.lean", &copy, "/p", "cp \"/h/a b/last/00\" \"it's.lean\""),
            ("/q/A.lean", &copy, "/p", "cp \"/h/a b/last/00\" /q/A.lean"),
        ] {
            let (root, cwd) = (Path::new("/p"), Some(Path::new(cwd)));
            assert_eq!(repair(Path::new(path), source, root, cwd), expected);
        }
    }
}
