//! What the guard goes by: levels, what is allowed and what is locked.

use std::collections::{BTreeMap, BTreeSet};

use super::rules::{Level, Rule};
use crate::text::name_matches;

#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Levels other than the default ones.
    pub levels: BTreeMap<Rule, Level>,
    /// What becomes of [`Level::Ask`], where nobody is to be asked.
    pub answer: Option<Level>,
    /// Axioms that may be used, with `*` for any text: `Project.classical_*`. One use of
    /// `native_decide` in `foo` is the axiom `foo.native_decide.ax_1`.
    pub allowed: Vec<String>,
    pub locked: BTreeSet<String>,
    /// The words of locked statements, and the definitions that these rest on, of other files too; each with the locked
    /// declaration.
    pub locked_words: BTreeMap<String, String>,
    /// For definitions of the file who speaks of them in other files, in words.
    pub users: BTreeMap<String, String>,
    /// What was proved in this file when the session began.
    pub baseline: super::Baseline,
    pub failing: super::Failing,
    /// Other files of the session with what the new proofs name.
    pub elsewhere: super::Elsewhere,
    pub false_lemmas: Vec<super::FalseLemma>,
}

impl Policy {
    /// How strictly a rule is kept; in the place of a question what becomes of it.
    pub fn level(&self, rule: Rule) -> Level {
        self.answered(self.set(rule).unwrap_or_else(|| rule.default_level()))
    }

    pub(super) fn set(&self, rule: Rule) -> Option<Level> {
        self.levels.get(&rule).copied()
    }

    pub(super) fn answered(&self, level: Level) -> Level {
        self.answer.filter(|_| level == Level::Ask).unwrap_or(level)
    }

    pub fn allows(&self, axiom: &str) -> bool {
        self.allowed.iter().any(|pattern| name_matches(pattern, axiom))
    }

    pub fn locks(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.locked.contains(name))
    }
}
