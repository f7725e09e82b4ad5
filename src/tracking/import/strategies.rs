//! Approaches: what the submissions to a problem tried, one record for all with the same words.

use std::collections::{BTreeMap, HashSet};

use super::{Import, domain_id};
use crate::model::{Outcome, StrategyDraft, approach_of, display_name, word_key};
use crate::tracking::ledger::Submission;
use crate::tracking::status::{Standing, outcome};

/// All submissions that tried one approach to one problem.
struct Attempts<'a> {
    approach: String,
    best: Outcome,
    latest: &'a Submission,
    counts: BTreeMap<Standing, u64>,
    failures: BTreeMap<&'a str, u64>,
    total: u64,
}

impl<'a> Attempts<'a> {
    fn new(approach: String, submission: &'a Submission) -> Self {
        Self {
            approach,
            best: Outcome::Untried,
            latest: submission,
            counts: BTreeMap::new(),
            failures: BTreeMap::new(),
            total: 0,
        }
    }

    fn add(&mut self, submission: &'a Submission, outcome: Outcome) {
        self.total += 1;
        *self.counts.entry(submission.standing).or_default() += 1;
        if submission.standing == Standing::Failed
            && let Some(status) = submission.status.as_deref()
        {
            *self.failures.entry(status).or_default() += 1;
        }
        let is_better = rank(outcome) > rank(self.best);
        let is_newer =
            rank(outcome) == rank(self.best) && submission.last_seen() >= self.latest.last_seen();
        if is_better {
            self.best = outcome;
        }
        if is_better || is_newer {
            self.latest = submission;
        }
    }

    /// For example `4 attempts: 1 proved, 1 near miss, 2 failed (compile_failed)`.
    fn summary(&self) -> String {
        let count = |standing| self.counts.get(&standing).copied().unwrap_or(0);
        let failures: Vec<&str> = self.failures.keys().copied().collect();
        let parts = [
            (count(Standing::Proved), "proved".to_owned()),
            (count(Standing::InFlight), "in flight".to_owned()),
            (count(Standing::NearMiss), "near miss".to_owned()),
            (count(Standing::History), "partial".to_owned()),
            (count(Standing::False), "false".to_owned()),
            (count(Standing::Failed), format!("failed ({})", failures.join(", "))),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let attempts = if self.total == 1 { "attempt" } else { "attempts" };
        format!("{} {attempts}: {}", self.total, parts.join(", "))
    }
}

/// Of several attempts at one approach the best says how it stands.
fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Proven => 4,
        Outcome::InFlight => 3,
        Outcome::Partial => 2,
        Outcome::Failed => 1,
        Outcome::Untried => 0,
    }
}

impl Import<'_> {
    /// A file's name says what was tried; a submission whose name says nothing, or whose status does
    /// not say how it ended, counts for its problem only.
    pub(super) fn strategies(&mut self) {
        let told: HashSet<(String, String)> = self
            .imported
            .strategies
            .iter()
            .map(|strategy| (strategy.problem.clone(), word_key(&strategy.approach)))
            .collect();
        let mut attempts: BTreeMap<(&str, String), Attempts<'_>> = BTreeMap::new();
        for submission in &self.ledger.submissions {
            let Some(problem) = submission.problem.as_deref() else { continue };
            let Some(outcome) = outcome(submission.standing, submission.status.as_deref()) else {
                continue;
            };
            let Some(approach) = approach_of(&submission.filename, Some(problem)) else { continue };
            attempts
                .entry((problem, word_key(&approach)))
                .or_insert_with(|| Attempts::new(approach, submission))
                .add(submission, outcome);
        }
        let mut drafts: Vec<StrategyDraft> = attempts
            .into_iter()
            .filter(|((problem, key), _)| !told.contains(&((*problem).to_owned(), key.clone())))
            .map(|((problem, _), attempts)| self.strategy(problem, &attempts))
            .collect();
        self.imported.strategies.append(&mut drafts);
    }

    fn strategy(&self, problem: &str, attempts: &Attempts<'_>) -> StrategyDraft {
        let latest = attempts.latest;
        StrategyDraft {
            problem: problem.to_owned(),
            problem_name: display_name(problem),
            domain: domain_id(self.domain(Some(problem), &[Some(&attempts.approach)])),
            approach: attempts.approach.clone(),
            description: None,
            outcome: attempts.best,
            slot: latest.slot,
            submission: latest.uuid.clone(),
            learned: Some(attempts.summary()),
            source_file: None,
            attempted_at: latest.last_seen().map(str::to_owned),
        }
    }
}
