//! What files lost that commands wrote: they are compared with what they were, and what git, the
//! person or an earlier answer accounts for is left aside.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use rayon::prelude::*;

use super::base::{Base, Bases, Past, Source};
use super::session::{Kept, MOST_BYTES, Session, Stamp, Start, key, short, text_of};
use super::told;
use super::{lemmas, policy};
use crate::app::App;
use crate::app::git::Repository;
use crate::files;
use crate::guard::{Baseline, Finding, Level, Policy, Rule, judge};
use crate::hook::Event;
use crate::model::GuardEntry;

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
    /// Remarks about false lemmas, each with its file.
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
    pub(super) session: &'a Session,
    pub(super) start: Option<&'a Start>,
    /// When it ends at the latest.
    pub(super) until: Instant,
    /// Whether false lemmas are looked for.
    pub(super) remarks: bool,
}

/// One file as it was read.
pub(super) struct Read {
    pub(super) candidate: Candidate,
    pub(super) bases: Bases,
    pub(super) bytes: Vec<u8>,
    pub(super) text: String,
    /// What it lost, and whether that is seen against the latest text (or else the first).
    pub(super) losses: Vec<(Finding, bool)>,
    remarks: Vec<Finding>,
}

impl Look<'_> {
    /// Looks at files; writes nothing but what is kept of the session.
    pub(super) fn at(&self, app: &mut App, candidates: Vec<Candidate>) -> Found {
        let mut found = Found::default();
        if candidates.is_empty() {
            return found;
        }
        let git = self.start.and_then(|start| Repository::at(&start.root));
        let past = Past { session: self.session, start: self.start, git: git.as_ref() };
        let policy = self.policy(app);
        let reported = self.session.reported();
        let mut lost = Vec::new();
        let mut kept = 0;
        let mut rest = candidates;
        while !rest.is_empty() && Instant::now() < self.until {
            let step: Vec<Candidate> = rest.drain(..rest.len().min(STEP)).collect();
            let looked: Vec<(PathBuf, Stamp)> =
                step.iter().map(|one| (one.path.clone(), one.stamp)).collect();
            for read in read(step, &past, &policy) {
                let name = app.project.stable_path(&read.candidate.path);
                let path = &read.candidate.path;
                let news = |finding: &&Finding| !is_known(&reported, path, finding);
                let news = read.remarks.iter().filter(news);
                found.remarks.extend(news.map(|finding| (path.clone(), finding.clone())));
                if !read.losses.is_empty() {
                    lost.push((name, read));
                    continue;
                }
                if reported.contains_key(&key(path)) && read.remarks.is_empty() {
                    self.session.settle(path);
                }
                kept += usize::from(kept < MOST_KEPT && self.keep(&read));
            }
            self.session.add_judged(looked.iter().map(|(path, stamp)| (path.as_path(), *stamp)));
        }
        found.left = rest.len();
        if !lost.is_empty() {
            self.drop_moved(git.as_ref(), &policy, &mut lost);
            self.excuse(app, lost, &reported, &mut found);
            found.lost.sort_by(|one, other| one.name.cmp(&other.name));
        }
        found
    }

    /// The levels, the locks, and the false lemmas where they are wanted. Lifts come later.
    fn policy(&self, app: &mut App) -> Policy {
        let mut policy = policy::levels(app);
        if self.remarks {
            policy.false_lemmas = lemmas::false_lemmas(app);
        }
        let root = app.project.root.clone();
        policy.locked = policy::decisions(app, &root, "").unwrap_or_default().locked;
        policy
    }

    /// Keeps the file's text as the latest one; whether there was a new one.
    pub(super) fn keep(&self, read: &Read) -> bool {
        let path = &read.candidate.path;
        let known = read.bases.last.as_ref().or(read.bases.start.as_ref());
        let is_new = known.is_none_or(|base| base.text != read.text);
        if read.bases.start.is_none() {
            self.session.keep(Kept::First, path, &read.bytes);
        } else if is_new {
            self.session.keep(Kept::Last, path, &read.bytes);
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
        self.session.report(all.iter().map(|(path, finding)| (*path, what(finding))));
        let row = |(path, finding): &(&Path, &Finding)| {
            told::entry(finding, &app.project.stable_path(path))
        };
        let rows: Vec<GuardEntry> = all.iter().take(MOST_ROWS).map(row).collect();
        told::log(app, self.event, &rows);
    }
}

/// What was said about the files of a session, by their keys.
pub(super) type Reported = HashMap<String, HashSet<String>>;

pub(super) fn is_known(reported: &Reported, path: &Path, finding: &Finding) -> bool {
    reported.get(&key(path)).is_some_and(|said| said.contains(&short(&what(finding))))
}

fn what(finding: &Finding) -> String {
    match &finding.declaration {
        Some(name) => format!("{} {name}", finding.rule),
        None => format!("{} line {:?}", finding.rule, finding.line),
    }
}

/// Reads files and judges them, several at once. What cannot be read is passed over.
fn read(step: Vec<Candidate>, past: &Past<'_>, policy: &Policy) -> Vec<Read> {
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
        if !is_edit && !policy.false_lemmas.is_empty() {
            let before = last.or(start).map_or("", |base| base.text.as_str());
            let findings = judge(before, &self.text, policy).findings.into_iter();
            self.remarks = findings.filter(|finding| finding.rule == Rule::FalseLemma).collect();
        }
        if let Some(last) = last.filter(|_| !is_edit) {
            let mut policy = policy.clone();
            policy.baseline = start.map(|base| Baseline::of(&base.text)).unwrap_or_default();
            let findings = losses(&last.text, &self.text, &policy);
            self.losses = findings.into_iter().map(|finding| (finding, true)).collect();
        }
        let Some(start) = start else { return };
        let mut findings = losses(&start.text, &self.text, policy);
        if is_edit || last.is_some() {
            // Step by step each change was accepted: only a proof that is nowhere any more counts.
            let gone = gone(&start.text, &self.text, policy, &findings);
            let known: HashSet<_> = self.losses.iter().map(|(other, _)| other.key()).collect();
            findings.retain(|finding| {
                !known.contains(&finding.key())
                    && finding.rule == Rule::ProofLost
                    && gone.contains(&finding.line)
            });
        }
        self.losses.extend(findings.into_iter().map(|finding| (finding, false)));
    }

    /// Drops what the file had lost already when git brought it to `text`, which a revision of a
    /// move has (`None`: it has no such file).
    pub(super) fn drop_moved(&mut self, at: i64, text: Option<&str>, policy: &Policy) {
        if text == Some(self.text.as_str()) {
            self.losses.clear();
        }
        if at == i64::MAX {
            return;
        }
        let bases = &self.bases;
        let still = text.map(|text| losses(text, &self.text, policy));
        let still: HashSet<_> = still.iter().flatten().map(|finding| finding.line).collect();
        self.losses.retain(|(finding, is_last)| {
            let base = if *is_last { &bases.last } else { &bases.start };
            let later = base.as_ref().is_none_or(|base| base.at > at);
            later || still.contains(&finding.line)
        });
    }

    pub(super) fn into_lost(
        self,
        name: String,
        losses: Vec<(Finding, bool)>,
    ) -> Result<Lost, Box<Self>> {
        let from_last = losses.iter().any(|(_, is_last)| *is_last);
        let base = if from_last { &self.bases.last } else { &self.bases.start };
        let (Some(base), false) = (base.clone(), losses.is_empty()) else {
            return Err(Box::new(self));
        };
        let findings = losses.into_iter().map(|(finding, _)| finding).collect();
        let Candidate { path, program, .. } = self.candidate;
        // Where both had the same text, a revision is the better place to take it from.
        let base = match self.bases.start {
            Some(start)
                if start.text == base.text && matches!(start.source, Source::Revision(_)) =>
            {
                start
            }
            _ => base,
        };
        Ok(Lost { path, name, program, findings, base })
    }
}

/// What is more than a remark about a change.
fn losses(before: &str, after: &str, policy: &Policy) -> Vec<Finding> {
    let mut findings = judge(before, after, policy).findings;
    findings.retain(|finding| finding.level > Level::Warn && finding.rule != Rule::FalseLemma);
    findings
}

/// The lines of declarations that were proved in `before`, are open, and whose statements are
/// proved nowhere in `after`.
fn gone(
    before: &str,
    after: &str,
    policy: &Policy,
    findings: &[Finding],
) -> HashSet<Option<usize>> {
    if !findings.iter().any(|finding| finding.rule == Rule::ProofLost) {
        return HashSet::new();
    }
    let mut policy = policy.clone();
    policy.baseline = Baseline::of(before);
    let findings = judge("", after, &policy).findings.into_iter();
    let findings = findings.filter(|finding| finding.rule == Rule::ProofLost);
    findings.map(|finding| finding.line).collect()
}
