//! Approaches: what the submissions to a problem tried. Submissions whose names say the same words
//! are attempts at one approach, and each tells of all of them.

use std::collections::{BTreeMap, HashSet};

use super::Import;
use crate::model::{Outcome, StrategyDraft, approach_of, display_name, word_key};
use crate::tracking::ledger::{Standing, Submission, outcome};

#[derive(Default)]
struct Attempts<'a> {
    approach: String,
    /// With how each ended, the oldest first.
    all: Vec<(&'a Submission, Outcome)>,
}

impl Attempts<'_> {
    /// For example `4 attempts: 1 proved, 1 near miss, 2 failed (compile failed)`, or, of one attempt,
    /// `failed (timeout)`.
    fn summary(&self) -> String {
        let mut counts: BTreeMap<Standing, u64> = BTreeMap::new();
        let mut failures = Vec::new();
        for (submission, _) in &self.all {
            *counts.entry(submission.standing).or_default() += 1;
            if submission.standing == Standing::Failed {
                failures.extend(submission.status.as_deref());
            }
        }
        failures.retain(|word| !["failed", "error"].contains(word));
        failures.sort_unstable();
        failures.dedup();
        let how = failures.join(", ").replace('_', " ");
        let total = self.all.len();
        let parts: Vec<String> = [
            (Standing::Proved, "proved".to_owned()),
            (Standing::InFlight, "in flight".to_owned()),
            (Standing::NearMiss, "near miss".to_owned()),
            (Standing::History, "partial".to_owned()),
            (Standing::False, "disproved".to_owned()),
            (
                Standing::Failed,
                if how.is_empty() { "failed".to_owned() } else { format!("failed ({how})") },
            ),
        ]
        .into_iter()
        .filter_map(|(standing, what)| {
            let count = counts.get(&standing)?;
            Some(if total == 1 { what } else { format!("{count} {what}") })
        })
        .collect();
        let told = parts.join(", ");
        if total == 1 { told } else { format!("{total} attempts: {told}") }
    }

    /// Orders the attempts; of those that nothing tells apart the last stays.
    fn settle(&mut self) {
        self.all.sort_by_key(|(submission, _)| submission.last_seen());
        let mut seen = HashSet::new();
        self.all.reverse();
        self.all.retain(|(submission, _)| {
            let slot = submission.slot.filter(|_| submission.uuid.is_none());
            seen.insert((submission.uuid.as_deref(), slot))
        });
        self.all.reverse();
    }
}

impl Import<'_> {
    /// A submission counts for its problem only where its name says nothing or its status not how it ended.
    /// A failed approach of the same words tells more.
    pub(super) fn strategies(&mut self) {
        let told: HashSet<(String, String)> = self
            .imported
            .strategies
            .iter()
            .map(|strategy| (strategy.problem.clone(), word_key(&strategy.approach)))
            .collect();
        let mut approaches: BTreeMap<(String, String), Attempts<'_>> = BTreeMap::new();
        for submission in &self.ledger.submissions {
            let Some(problem) = submission.problem.as_deref() else { continue };
            // A complete file is not the whole problem, unless its owner says so.
            let outcome = match outcome(submission.standing, submission.status.as_deref()) {
                Some(Outcome::Proven) if !submission.resolved => Outcome::Partial,
                Some(outcome) => outcome,
                None => continue,
            };
            let Some(approach) = approach_of(&submission.filename, Some(problem)) else { continue };
            let attempts = approaches.entry((problem.to_owned(), word_key(&approach))).or_default();
            if attempts.approach.is_empty() {
                attempts.approach = approach;
            }
            attempts.all.push((submission, outcome));
        }
        let mut drafts = Vec::new();
        for (key, mut attempts) in approaches {
            if !told.contains(&key) {
                attempts.settle();
                drafts.extend(self.attempts(&key.0, &attempts));
            }
        }
        self.imported.strategies.append(&mut drafts);
    }

    fn attempts(&self, problem: &str, attempts: &Attempts<'_>) -> Vec<StrategyDraft> {
        let domain = self.domain(Some(problem), &[Some(&attempts.approach)]);
        let learned = attempts.summary();
        let draft = |(submission, outcome): &(&Submission, Outcome)| StrategyDraft {
            problem: problem.to_owned(),
            problem_name: display_name(problem),
            domain: domain.clone(),
            approach: attempts.approach.clone(),
            description: None,
            outcome: *outcome,
            slot: submission.slot,
            submission: submission.uuid.clone(),
            learned: Some(learned.clone()),
            source_file: None,
            attempted_at: submission.last_seen().map(str::to_owned),
        };
        attempts.all.iter().map(draft).collect()
    }
}
