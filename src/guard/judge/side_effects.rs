//! What an edit does to proofs that it does not touch.

use super::Judge;
use crate::guard::harmless_changes;
use crate::guard::rules::Rule;
use crate::lean::{self, ChangeKind, DeclKind, Declaration, Note};

/// Classes whose instances say that something is so.
const PROPOSITIONS: [&str; 9] = [
    "Fact",
    "Subsingleton",
    "IsEmpty",
    "Nonempty",
    "Inhabited",
    "Finite",
    "Infinite",
    "Nontrivial",
    "NeZero",
];

/// Definitions whose users are looked for in one edit.
const MOST_DEFINITIONS: usize = 50;

impl Judge<'_, '_> {
    /// Definitions that a proved or locked statement speaks of.
    pub(super) fn definitions(&mut self) {
        let comparison = self.comparison;
        let changed = comparison.changes.iter().filter(|change| {
            let defines = change.kind.is_some_and(|kind| !kind.is_proof());
            let changed = change.change == ChangeKind::ProofChanged
                && change.note == Note::Plain
                && !harmless_changes::is_alias_of_it(comparison, change);
            defines && changed && change.name.is_some()
        });
        for change in changed.take(MOST_DEFINITIONS) {
            let users = comparison.claims_about(change);
            let is_locked = |claim: &&Declaration| self.policy.locks(claim.name.as_deref());
            let locked =
                users.iter().copied().find(is_locked).and_then(|claim| claim.name.as_deref());
            let locked = locked.map(|name| format!("`{name}`"));
            let of_other_file = || {
                let name = change.name.as_deref()?;
                let inside =
                    |word: &&String| name == word.as_str() || name.ends_with(&format!(".{word}"));
                let words = &self.policy.locked_words;
                words
                    .iter()
                    .any(|word| word.len() > 2 && inside(&word))
                    .then(|| "a statement of another file".to_owned())
            };
            if let Some(user) = locked.or_else(of_other_file) {
                let detail = format!("{user} is locked and speaks of it");
                self.locked(change, detail);
                continue;
            }
            let guarded = |claim: &&Declaration| {
                claim.is_complete()
                    || self.is_proved_now(claim)
                    || self.policy.locks(claim.name.as_deref())
            };
            let user = users.into_iter().find(guarded).and_then(|claim| claim.name.clone());
            if let Some(user) = user {
                let detail = format!("`{user}` speaks of it, and means something else now");
                self.find(Rule::DefinitionChanged, change, detail);
            }
        }
    }

    fn is_proved_now(&self, claim: &Declaration) -> bool {
        let mut proved = self.comparison.changes.iter().filter(|c| c.change == ChangeKind::Proved);
        claim.name.is_some() && proved.any(|change| change.name == claim.name)
    }

    /// New instances that bring a proposition with a gap: proofs use them without naming them, as a
    /// hypothesis.
    pub(super) fn unnamed_gaps(&mut self) {
        let comparison = self.comparison;
        let text = comparison.after();
        for change in &comparison.changes {
            let brings_gap = matches!(change.change, ChangeKind::Added | ChangeKind::GapAdded);
            let new = comparison.new_of(change).filter(|new| brings_gap && !new.gaps.is_empty());
            let states = |new: &Declaration| {
                new.kind == DeclKind::Instance
                    && lean::words(new.statement(text))
                        .find(|word| PROPOSITIONS.contains(word))
                        .is_some()
            };
            if new.is_some_and(states) {
                let detail = "an instance with a gap, which proofs use without its name";
                self.asks_for_trust(change, detail);
            }
        }
    }
}
