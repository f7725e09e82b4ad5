//! What files lost that commands wrote: they are compared with what they were, and what git, the
//! person or an earlier answer accounts for is left aside.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;

use super::known::{self, Known};
use super::past::{Base, Bases, Past, Source};
use super::session::{Entry, Events, Kept, MOST_BYTES, Stamp, key, text_of};
use super::{head_moves, lemmas, settings};
use crate::app::App;
use crate::files;
use crate::guard::{Baseline, Finding, Level, Policy, Rule, judge};
use crate::hook::Event;

/// Files that are read and judged at once; the time is looked at between them.
const STEP: usize = 256;

/// Texts that one look keeps as the latest ones.
const MOST_KEPT: usize = 300;

/// Findings of one look that the log keeps.
const MOST_ROWS: usize = 50;

/// A file that this session may have written.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    /// The program that ran when it was written; empty for an edit, which was judged by itself.
    pub(super) program: String,
}

/// A file that lost something.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) path: PathBuf,
    /// As the log spells it.
    pub(super) name: String,
    pub(super) program: String,
    pub(super) findings: Vec<Finding>,
    pub(super) base: Base,
}

/// What a look at files found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What was lost and was not reported yet.
    pub(super) lost: Vec<Lost>,
    /// Remarks, each with its file.
    pub(super) remarks: Vec<(PathBuf, Finding)>,
    /// Why lifts are not known, in a sentence.
    pub(super) trouble: Option<String>,
    /// Files that there was no time for.
    pub(super) left: usize,
}

/// A look at files that commands wrote.
#[derive(Debug)]
pub(super) struct Look<'a> {
    pub(super) event: &'a Event,
    pub(super) past: &'a Past,
    pub(super) events: &'a Events,
    /// When it ends at the latest.
    pub(super) until: Instant,
    /// Whether remarks are made.
    pub(super) remarks: bool,
}

/// One file as it was read.
struct Read {
    candidate: Candidate,
    bases: Bases,
    bytes: Vec<u8>,
    text: String,
    /// What it lost, and whether that is seen against the latest text (or else the first).
    losses: Vec<(Finding, bool)>,
    remarks: Vec<Finding>,
}

impl Look<'_> {
    /// Looks at files, and writes down what a lift lets pass.
    pub(super) fn at(&self, app: &mut App, candidates: Vec<Candidate>) -> Found {
        let mut found = Found::default();
        if candidates.is_empty() {
            return found;
        }
        let session = &self.past.session;
        let mut known = Known::load(app, self.event);
        let mut policy = settings::levels(&app.config);
        policy.locked = std::mem::take(&mut known.locked);
        policy.locked_words = std::mem::take(&mut known.locked_words);
        if self.remarks {
            policy.false_lemmas = lemmas::false_lemmas(app);
        }
        let mut lost = Vec::new();
        let mut kept = 0;
        let mut rest = candidates;
        while !rest.is_empty() && Instant::now() < self.until {
            let step: Vec<Candidate> = rest.drain(..rest.len().min(STEP)).collect();
            let looked: Vec<(PathBuf, Stamp)> =
                step.iter().map(|one| (one.path.clone(), one.stamp)).collect();
            for mut read in read(step, self.past, &policy) {
                let path = &read.candidate.path.clone();
                read.remarks.retain(|finding| !self.events.is_said(path, Some(&what(finding))));
                let is_quiet = read.remarks.is_empty();
                let news = read.remarks.drain(..).filter(|_| self.remarks);
                found.remarks.extend(news.map(|finding| (path.clone(), finding)));
                if read.losses.is_empty() {
                    kept += usize::from(kept < MOST_KEPT && self.keep(&read));
                    let settled = is_quiet && self.events.is_said(path, None);
                    session.note(settled.then(|| Entry::Settled(key(path))));
                } else {
                    lost.push(read);
                }
            }
            session.note_judged(looked.iter().map(|(path, stamp)| (path.as_path(), *stamp)));
        }
        found.left = rest.len();
        if !lost.is_empty() {
            self.drop_moved(&policy, &mut lost);
            self.excuse(app, lost, &known, &mut found);
            found.lost.sort_by(|one, other| one.name.cmp(&other.name));
            found.trouble = known.trouble;
        }
        found
    }

    /// Drops what git itself took away after the text that the file is compared with: a script may
    /// have pulled or checked out.
    fn drop_moved(&self, policy: &Policy, lost: &mut Vec<Read>) {
        let Past { session, start: Some(start), git: Some(git) } = self.past else { return };
        let moves = head_moves::since(&start.root, start.head_log).into_iter();
        let mut revisions: Vec<(i64, String)> = moves.map(|one| (one.at, one.revision)).collect();
        // Back to what was committed at the start, the uncommitted work gone.
        revisions.extend(start.revision.clone().map(|revision| (i64::MAX, revision)));
        for (at, revision) in revisions {
            let paths: Vec<&Path> = lost.iter().map(|read| read.candidate.path.as_path()).collect();
            let Ok(texts) = git.show_all(&revision, &paths) else { continue };
            for (read, bytes) in lost.iter_mut().zip(texts) {
                let text = bytes.and_then(|bytes| text_of(&bytes));
                read.drop_moved(at, text.as_deref(), policy);
            }
            lost.retain(|read| {
                if read.losses.is_empty() {
                    session.keep(Kept::Moved, &read.candidate.path, &read.bytes);
                    session.forget(Kept::Last, &read.candidate.path);
                }
                !read.losses.is_empty()
            });
        }
    }

    /// Finds what no lift lets pass and what was not said before. What a lift lets pass is in the
    /// log, and uses up a lift that holds once.
    fn excuse(&self, app: &mut App, lost: Vec<Read>, known: &Known, found: &mut Found) {
        let (mut passed, mut spent) = (Vec::new(), Vec::new());
        for mut read in lost {
            let path = read.candidate.path.clone();
            let name = app.project.stable_path(&path);
            read.losses.retain(|(finding, is_last)| {
                if let Some(lift) = known.lift(finding, &name) {
                    passed.push(known::passed(finding, &name, lift.id));
                    spent.push(lift.id);
                    return false;
                }
                // Lost again, after it was there again, it is another loss.
                let is_settled = !is_last && known.is_settled(finding, &name);
                !is_settled && !self.events.is_said(&path, Some(&what(finding)))
            });
            if !read.losses.is_empty() {
                found.lost.extend(read.into_lost(name));
            } else if !self.events.is_said(&path, None) {
                // All of it was let pass: this is the file's state from now on.
                self.keep(&read);
            }
        }
        known::log(app, self.event, passed, &spent);
    }

    /// Keeps the file's text as the latest one; whether there was a new one.
    fn keep(&self, read: &Read) -> bool {
        let path = &read.candidate.path;
        let known = read.bases.last.as_ref().or(read.bases.start.as_ref());
        let is_new = known.is_none_or(|base| base.text != read.text);
        if read.bases.start.is_none() {
            self.past.session.keep(Kept::First, path, &read.bytes);
        } else if is_new {
            self.past.session.keep(Kept::Last, path, &read.bytes);
        }
        is_new
    }

    /// Notes that these were told, and puts them into the log.
    pub(super) fn told(&self, app: &mut App, found: &Found) {
        let lost = found
            .lost
            .iter()
            .flat_map(|lost| lost.findings.iter().map(|finding| (lost.path.as_path(), finding)));
        let remarks = found.remarks.iter().map(|(path, finding)| (path.as_path(), finding));
        let all: Vec<(&Path, &Finding)> = lost.chain(remarks).collect();
        let said = |(path, finding): &(&Path, &Finding)| Entry::Said(key(path), what(finding));
        self.past.session.note(all.iter().map(said));
        let row = |(path, finding): &(&Path, &Finding)| {
            known::entry(finding, &app.project.stable_path(path))
        };
        let rows = all.iter().take(MOST_ROWS).map(row).collect();
        known::log(app, self.event, rows, &[]);
    }
}

/// By what the list of events knows again what was said.
fn what(finding: &Finding) -> String {
    match &finding.declaration {
        Some(name) => format!("{} {name}", finding.rule),
        None => format!("{} line {:?}", finding.rule, finding.line),
    }
}

/// Reads files and judges them, several at once. What cannot be read is passed over.
fn read(step: Vec<Candidate>, past: &Past, policy: &Policy) -> Vec<Read> {
    let paths: Vec<&Path> = step.iter().map(|one| one.path.as_path()).collect();
    let bases = past.bases(&paths);
    let pairs: Vec<(Candidate, Bases)> = step.into_iter().zip(bases).collect();
    let reads = pairs.into_par_iter().filter_map(|(candidate, bases)| {
        let bytes = match files::read(&candidate.path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                past.session.complain(&format!("{}: {error}", candidate.path.display()));
                return None;
            }
        };
        let text = text_of(&bytes)?;
        let mut read =
            Read { candidate, bases, bytes, text, losses: Vec::new(), remarks: Vec::new() };
        read.judge(policy);
        Some(read)
    });
    reads.collect()
}

impl Read {
    fn judge(&mut self, policy: &Policy) {
        let is_edit = self.candidate.program.is_empty();
        let (start, last) = (self.bases.start.as_ref(), self.bases.last.as_ref());
        let base = last.or(start);
        if !is_edit {
            let baseline = last.and(start).map(|start| Baseline::of(&start.text));
            let policy = Policy { baseline: baseline.unwrap_or_default(), ..policy.clone() };
            let before = base.map_or("", |base| base.text.as_str());
            let findings = judge(before, &self.text, &policy).findings.into_iter();
            // Nothing can be lost from a file that was not there; what it brings is remarked on.
            let remarked = |one: &Finding| {
                one.rule == Rule::FalseLemma || one.level <= Level::Warn || base.is_none()
            };
            let (remarks, losses) = findings.partition(remarked);
            self.remarks = remarks;
            self.losses = refused(losses, last.is_some());
        }
        let Some(start) = start.filter(|_| is_edit || last.is_some()) else { return };
        // Step by step each change was accepted: only a proof that is nowhere any more counts.
        let mut losses = losses(&start.text, &self.text, policy);
        losses.retain(|(finding, _)| finding.rule == Rule::ProofLost);
        if losses.is_empty() {
            return;
        }
        let gone = Policy { baseline: Baseline::of(&start.text), ..policy.clone() };
        let gone = judge("", &self.text, &gone).findings;
        let known: HashSet<_> = self.losses.iter().map(|(other, _)| other.key()).collect();
        losses.retain(|(finding, _)| {
            let is_gone = |one: &Finding| one.rule == Rule::ProofLost && one.line == finding.line;
            !known.contains(&finding.key()) && gone.iter().any(is_gone)
        });
        self.losses.extend(losses);
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
        let bases = &self.bases;
        let still = text.map(|text| losses(text, &self.text, policy));
        let still: HashSet<_> = still.iter().flatten().map(|(finding, _)| finding.line).collect();
        self.losses.retain(|(finding, is_last)| {
            let base = if *is_last { &bases.last } else { &bases.start };
            let later = base.as_ref().is_none_or(|base| base.at > at);
            later || still.contains(&finding.line)
        });
    }

    /// The file with what it lost, and the text that brings it back.
    fn into_lost(self, name: String) -> Option<Lost> {
        let Bases { start, last } = self.bases;
        let from_last = self.losses.iter().any(|(_, is_last)| *is_last);
        let base = if from_last { last } else { start.clone() }?;
        // Where both had the same text, a revision is the better place to take it from.
        let committed =
            start.filter(|one| one.text == base.text && matches!(one.source, Source::Revision(_)));
        let Candidate { path, program, .. } = self.candidate;
        let findings = self.losses.into_iter().map(|(finding, _)| finding).collect();
        Some(Lost { path, name, program, findings, base: committed.unwrap_or(base) })
    }
}

/// What is more than a remark about a change from the first text.
fn losses(before: &str, after: &str, policy: &Policy) -> Vec<(Finding, bool)> {
    refused(judge(before, after, policy).findings, false)
}

fn refused(mut findings: Vec<Finding>, is_last: bool) -> Vec<(Finding, bool)> {
    findings.retain(|finding| finding.level > Level::Warn && finding.rule != Rule::FalseLemma);
    findings.into_iter().map(|finding| (finding, is_last)).collect()
}
