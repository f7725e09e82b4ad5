//! The guard on honest work: real changes of real files, whole and step by step, and edits made of
//! real files. A refusal is a false alarm, unless a proof really goes or a statement really changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use math_forge::guard::{self, Level, Policy, Rule, Verdict};
use math_forge::model::Edit;
use rayon::prelude::*;

use crate::corpus;
use crate::honest_edits::{KINDS, Kind, Make, Subject};

/// Edits of one kind that are made of one file: of every second file, or of all of them with
/// `MK_CORPUS=all`.
const EDITS_OF_A_FILE: [usize; 2] = [2, 8];

/// How many steps of real history may be refused, of how many there are. In each of them a proof
/// goes, a proved statement asks for more, or it says something else, or an instance of a proposition
/// comes with a gap: by the rules, rightly. What was meant with it (a conjecture was wrong, a class was
/// generalised) text does not show.
const REFUSED_OF_HISTORY: &[(&str, usize)] =
    &[("history, whole files", 7), ("history, downwards", 15), ("history, upwards", 18)];

/// What the guard said about the changes of one source.
#[derive(Default)]
struct Tally {
    changes: usize,
    refused: usize,
    rules: BTreeMap<(Level, Rule), usize>,
}

impl Tally {
    fn add(&mut self, verdict: &Verdict) {
        self.changes += 1;
        self.refused += usize::from(refuses(verdict));
        for finding in &verdict.findings {
            *self.rules.entry((finding.level, finding.rule)).or_default() += 1;
        }
    }

    fn print(&self, source: &str) {
        let rate = 10_000 * self.refused / self.changes.max(1);
        let rate = format!("{}.{:02}", rate / 100, rate % 100);
        let mut rules = String::new();
        for ((level, rule), count) in &self.rules {
            write!(rules, "  {level} {rule} {count}").unwrap();
        }
        eprintln!("{source:42} {:6} {:8} {rate:>7} %{rules}", self.changes, self.refused);
    }
}

fn header() {
    eprintln!("{:42} {:>6} {:>8} {:>9}  findings", "source", "edits", "refused", "rate");
}

fn refuses(verdict: &Verdict) -> bool {
    verdict.decision() >= Level::Ask
}

/// One honest step of a change.
struct Step {
    source: &'static str,
    commit: String,
    before: String,
    after: String,
}

/// Ranges of lines that differ; those that stand close are one, as one edit would be.
fn hunks(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    const CLOSE: usize = 3;
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    let mut same = common(old, new);
    same.push((old.len(), new.len()));
    for (at_old, at_new) in same {
        let (left, right) = (from_old..at_old, from_new..at_new);
        if !left.is_empty() || !right.is_empty() {
            match found.last_mut() {
                Some(last) if left.start < last.0.end + CLOSE => {
                    (last.0.end, last.1.end) = (left.end, right.end);
                }
                _ => found.push((left, right)),
            }
        }
        (from_old, from_new) = (at_old + 1, at_new + 1);
    }
    found
}

/// A longest common subsequence of lines, as pairs of indices.
fn common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let (left, right) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let width = right.len() + 1;
    let mut longest = vec![0u16; (left.len() + 1) * width];
    for (i, a) in left.iter().enumerate().rev() {
        for (j, b) in right.iter().enumerate().rev() {
            longest[i * width + j] = if a == b {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|line| (line, line)).collect();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i] == right[j] {
            pairs.push((head + i, head + j));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs.extend((1..=tail).rev().map(|back| (old.len() - back, new.len() - back)));
    pairs
}

/// A change as steps: hunk by hunk from the top, and from the bottom.
fn steps(commit: &str, before: &str, after: &str) -> Vec<Step> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let hunks = hunks(&old, &new);
    let mixed = |heads: usize| -> String {
        // The first hunks are done, the others not yet.
        let (at_old, at_new) = match heads.checked_sub(1) {
            Some(last) => (hunks[last].0.end, hunks[last].1.end),
            None => (0, 0),
        };
        [&new[..at_new], &old[at_old..]].concat().concat()
    };
    let mixed_up = |tails: usize| -> String {
        let (at_old, at_new) = match hunks.len().checked_sub(tails).and_then(|at| hunks.get(at)) {
            Some(first) => (first.0.start, first.1.start),
            None => (old.len(), new.len()),
        };
        [&old[..at_old], &new[at_new..]].concat().concat()
    };
    let step = |source, before, after| Step { source, commit: commit.to_owned(), before, after };
    let mut steps = vec![step("history, whole files", before.to_owned(), after.to_owned())];
    if hunks.len() > 1 {
        let count = hunks.len();
        steps.extend((0..count).map(|at| step("history, downwards", mixed(at), mixed(at + 1))));
        steps.extend((0..count).map(|at| step("history, upwards", mixed_up(at), mixed_up(at + 1))));
    }
    assert_eq!(mixed(hunks.len()), after);
    assert_eq!(mixed_up(hunks.len()), after);
    steps
}

#[test]
fn real_history_step_by_step() {
    let Some(folder) = corpus::folder() else { return };
    let events = corpus::events(&folder);
    let steps: Vec<Step> = events
        .par_iter()
        .flat_map_iter(|event| {
            let commit = event.labels["commit"].as_str().unwrap();
            steps(commit, &event.before, &event.after)
        })
        .collect();
    let judged: Vec<(&Step, Verdict)> = steps
        .par_iter()
        .map(|step| (step, guard::judge(&step.before, &step.after, &Policy::default())))
        .collect();
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for (step, verdict) in &judged {
        tallies.entry(step.source).or_default().add(verdict);
        for finding in verdict.findings.iter().filter(|finding| finding.level >= Level::Ask) {
            let line: String = finding.sentence(guard::Tense::Would).chars().take(400).collect();
            eprintln!("  {} {}: {line}", step.source, &step.commit[..8]);
        }
    }
    header();
    for (source, most) in REFUSED_OF_HISTORY {
        let tally = &tallies[source];
        tally.print(source);
        assert!(tally.refused <= *most, "{source}: {} refused", tally.refused);
    }
}

/// The edits of one kind that are made of a file.
fn edits(kind: &Kind, subject: &Subject) -> Vec<String> {
    let most = EDITS_OF_A_FILE[usize::from(corpus::whole())];
    let made: Vec<String> = match kind.make {
        Make::File(make) => make(subject).into_iter().collect(),
        Make::Each(make) => {
            let made = subject.outline.declarations.iter().filter_map(|one| make(subject, one));
            made.take(most).collect()
        }
    };
    made.into_iter().filter(|edited| *edited != subject.text).collect()
}

#[test]
fn honest_edits_of_real_files_are_never_refused() {
    let Some(folder) = corpus::folder() else { return };
    let subjects: Vec<Subject> =
        corpus::lean_files(&folder).into_iter().map(Subject::new).collect();
    let mut all = Tally::default();
    let mut wrong = Vec::new();
    header();
    for (row, kind) in KINDS.iter().enumerate() {
        let verdicts: Vec<(String, Verdict)> = subjects
            .par_iter()
            .enumerate()
            .filter(|(file, _)| corpus::whole() || (file + row).is_multiple_of(2))
            .flat_map_iter(|(_, subject)| {
                edits(kind, subject).into_iter().map(|edited| {
                    let edit = Edit::Write { content: edited };
                    let after = guard::replay(&subject.text, &edit).unwrap();
                    let verdict = guard::judge(&subject.text, &after, &Policy::default());
                    (subject.text.chars().take(300).collect(), verdict)
                })
            })
            .collect();
        let mut tally = Tally::default();
        for (text, verdict) in &verdicts {
            tally.add(verdict);
            all.add(verdict);
            let expected = |rule: Rule| kind.remarks.contains(&rule.code());
            let spoken = verdict.findings.iter().any(|finding| !expected(finding.rule));
            if spoken || refuses(verdict) {
                let reason: String =
                    verdict.reason(guard::Tense::Would, "FILE").chars().take(600).collect();
                wrong.push(format!("{}: {reason}\n{text}", kind.name));
            }
        }
        tally.print(kind.name);
    }
    all.print("all");
    let told: Vec<&str> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), told.join("\n\n"));
    assert!(all.changes >= 5_000, "{}", all.changes);
}
