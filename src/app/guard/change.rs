//! The one judgement of a change: a file before and after something wrote it, or is about to. Where the two texts come
//! from and what is said of it is up to the roads: `edit` for the client's own tools, `commands` and `written_files` for all else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::past::Past;
use super::project_files::{declares, users};
use super::{failing, renamed_lemmas};
use crate::app::App;
use crate::guard::{
    Baseline, Elsewhere, Finding, Level, Policy, Rule, carried, concerns, judge_comparison,
    may_be_back, redefined_names, uses,
};
use crate::lean::{Comparison, last_part};

/// Changes of which users of definitions are searched: each search takes its time.
const MOST_SEARCHES: usize = 4;

/// What changes are judged by beside their texts.
pub(super) struct Surroundings<'p> {
    root: PathBuf,
    past: Option<&'p Past>,
    /// What is configured and locked.
    pub(super) policy: Policy,
    /// Whether it has happened: then remarks are made.
    is_done: bool,
    searches: AtomicUsize,
}

/// What is found between two texts of a file.
pub(super) struct Change<'a> {
    path: &'a Path,
    before: &'a str,
    after: &'a str,
    /// The names of what came into it, went from it or was renamed.
    carried: BTreeSet<String>,
    /// What is known of this file too.
    policy: Policy,
    /// Whether a proof of this session may go that Lean has not seen.
    may_give_up: bool,
    pub(super) findings: Vec<Finding>,
}

impl<'p> Surroundings<'p> {
    pub(super) fn new(app: &App, past: Option<&'p Past>, policy: Policy, is_done: bool) -> Self {
        let root = app.project.root.clone();
        Self { root, past, policy, is_done, searches: AtomicUsize::new(0) }
    }

    /// Judges a file by itself. `first` is its text when the session began, where the road knows it.
    pub(super) fn judge<'a>(
        &self,
        path: &'a Path,
        comparison: &Comparison<'a>,
        first: Option<&str>,
        may_give_up: bool,
    ) -> Change<'a> {
        let (before, after) = (comparison.old.text(), comparison.new.text());
        let others = self.elsewhere(path, &concerns(comparison));
        let elsewhere = self.elsewhere(path, &uses(comparison));
        let failing = self.past.map(|past| failing::broken(&past.session, path));
        let failing = failing.unwrap_or_default();
        let mut policy = Policy { failing, elsewhere, ..self.policy.clone() };
        let beginning = || {
            let past = self.past?;
            let mut beginning = match first.map(str::to_owned).or_else(|| past.first_text(path)) {
                Some(text) if text != before => Baseline::of(&text),
                // What was not seen before is seen now for the first time.
                _ => Baseline::before(comparison),
            };
            others.add_to(&mut beginning, comparison);
            Some(beginning)
        };
        let needs_beginning =
            may_be_back(comparison) || !policy.failing.is_empty() || !others.is_empty();
        if needs_beginning {
            policy.baseline = beginning().unwrap_or_default();
            policy.failing = policy.failing.without(&policy.baseline, comparison.old.outline());
        }
        // Before an edit a remark is not made.
        if self.is_done || policy.level(Rule::DefinitionChanged) > Level::Warn {
            let names = redefined_names(comparison);
            let is_one_of_few = || self.searches.fetch_add(1, Ordering::Relaxed) < MOST_SEARCHES;
            if !names.is_empty() && is_one_of_few() {
                policy.users = users(&self.root, path, &names);
            }
        }
        let findings = judge_comparison(comparison, &policy).findings;
        if !needs_beginning && findings.iter().any(failing::takes_proof) {
            policy.baseline = beginning().unwrap_or_default();
        }
        let carried = carried(comparison);
        let mut change = Change { path, before, after, carried, policy, may_give_up, findings };
        self.soften(&mut change, comparison);
        change
    }

    /// Settles what depends on other files: what went from one may stand in another one now, and statements follow new
    /// names. All that was changed at once is settled at once.
    pub(super) fn settle(&self, app: &App, changes: &mut [Change<'_>]) {
        if let Some(past) = self.past.filter(|_| self.is_done) {
            for change in changes.iter() {
                let carried = change.carried.iter().map(String::as_str);
                past.session.note_carried(change.path, carried);
            }
        }
        for change in changes.iter_mut() {
            for finding in &mut change.findings {
                // A definition of the project that is moved or copied says what it said.
                let is_shadowed = |(old, new): &(String, String)| old == new;
                if let Some((name, _)) = finding.swapped.iter().find(|pair| is_shadowed(pair))
                    && declares(&self.root, Some(change.path), &[name.as_str()])
                {
                    finding.remark(&change.policy);
                }
            }
            let names = change.findings.iter().flat_map(|finding| {
                let removed = finding.declaration.as_deref();
                let removed = removed.filter(|_| finding.rule == Rule::ProofRemoved);
                let swapped = finding.swapped.iter().map(|(old, _)| old.as_str());
                removed.map(last_part).into_iter().chain(swapped)
            });
            let others = self.elsewhere(change.path, &names.collect());
            if !others.is_empty() {
                let comparison = Comparison::of(change.before, change.after);
                let old = (comparison.old.outline(), change.before);
                others.settle(&mut change.findings, old, &change.policy);
                self.soften(change, &comparison);
            }
        }
        let findings = changes.iter_mut().flat_map(|change| &mut change.findings);
        renamed_lemmas::follow(app, findings.collect(), &self.policy);
    }

    fn elsewhere(&self, path: &Path, names: &BTreeSet<&str>) -> Elsewhere {
        self.past.map_or_else(Elsewhere::default, |past| past.elsewhere(path, names))
    }

    fn soften(&self, change: &mut Change<'_>, comparison: &Comparison<'_>) {
        if let Some(past) = self.past.filter(|_| change.may_give_up) {
            let Change { path, policy, findings, .. } = change;
            failing::soften(findings, &past.session, path, comparison, policy);
        }
    }
}

impl Change<'_> {
    /// Whether a finished proof would be lost that was written in this session.
    pub(super) fn takes_young_proof(&self, refused: &[&Finding]) -> bool {
        let is_young = |name: &str| self.policy.baseline.began_without(name);
        let lost = refused.iter().filter(|finding| finding.rule == Rule::ProofLost);
        lost.filter_map(|finding| finding.declaration.as_deref()).any(is_young)
    }
}
