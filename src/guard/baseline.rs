//! What was proved when the session began: it stays guarded, also when it is deleted first and
//! added again without its proof.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::harmless_changes::is_reworded;
use super::rules::Rule;
use crate::lean::{self, Change, ChangeKind, Comparison, Declaration, GapKind, Note};
use crate::text::{clip_middle, one_line};

const STATEMENT_WIDTH: usize = 160;

/// The proved declarations of a file at one moment.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    proved: Vec<Proved>,
    /// The names and the keys of all that was declared, proved or not; `None` where it is not known.
    declared: Option<(HashSet<String>, HashSet<u64>)>,
}

#[derive(Debug, Clone)]
struct Proved {
    name: String,
    key: u64,
    statement: String,
    proof: String,
}

/// Something that was proved when the session began and comes back as less.
pub(super) struct Back<'c> {
    pub(super) rule: Rule,
    pub(super) change: &'c Change,
    pub(super) detail: String,
    pub(super) proof: String,
}

impl Baseline {
    pub fn of(text: &str) -> Self {
        let mut baseline = Self::default();
        let (mut names, mut keys) = (HashSet::new(), HashSet::new());
        for declaration in lean::skim(text).declarations {
            keys.insert(key(&declaration, text));
            names.extend(declaration.name.clone());
            if let (true, Some(proof)) = (is_proved(&declaration), declaration.body(text))
                && let Some(name) = declaration.name.clone()
            {
                let (key, proof) = (key(&declaration, text), proof.to_owned());
                let statement = statement(&declaration, text).to_owned();
                baseline.proved.push(Proved { name, key, statement, proof });
            }
        }
        baseline.declared = Some((names, keys));
        baseline
    }

    /// Whether a declaration came into the file after the session began: neither its name nor its
    /// statement was there. Where nothing is known of the beginning, nothing is young.
    pub(super) fn is_new_here(&self, declaration: &Declaration, text: &str) -> bool {
        self.declared.as_ref().is_some_and(|(names, keys)| {
            let named = declaration.name.as_ref().is_some_and(|name| names.contains(name));
            !named && !keys.contains(&key(declaration, text))
        })
    }

    pub fn is_empty(&self) -> bool {
        self.proved.is_empty()
    }

    pub fn len(&self) -> usize {
        self.proved.len()
    }

    /// Whether all that was proved is still declared in a text, under its name.
    pub(super) fn is_all_in(&self, text: &str) -> bool {
        let declarations = lean::skim(text).declarations;
        let names: HashSet<&str> =
            declarations.iter().filter_map(|one| one.name.as_deref()).collect();
        self.proved.iter().all(|proved| names.contains(proved.name.as_str()))
    }

    /// Whether it is known that no declaration of this full name was proved.
    pub fn began_without(&self, name: &str) -> bool {
        self.declared.is_some() && self.named(name).is_none()
    }

    pub(super) fn proved_otherwise(&self, name: &str, proof: &str) -> bool {
        self.named(name).is_some_and(|proved| proved.proof.trim() != proof.trim())
    }

    /// What comes back as less than it was when the session began.
    pub(super) fn back<'c>(&self, comparison: &'c Comparison<'_>) -> Vec<Back<'c>> {
        if self.is_empty() {
            return Vec::new();
        }
        let text = comparison.after();
        let kept = comparison.new_outline().declarations.iter().filter(|one| is_proved(one));
        let kept: HashSet<u64> = kept.map(|declaration| key(declaration, text)).collect();
        let back = comparison.changes.iter().filter_map(|change| {
            let new = comparison.new_of(change)?;
            let kind = change.change;
            let comes = matches!(kind, ChangeKind::Added | ChangeKind::Renamed | ChangeKind::Moved);
            let (rule, proved) = if comes && new.is_complete() {
                (Rule::StatementChanged, self.restated(new, text, &kept)?)
            } else if kind == ChangeKind::Added || leaves_a_search(comparison, change) {
                (Rule::ProofLost, self.lost(new, text, &kept)?)
            } else {
                return None;
            };
            let mut detail = format!("`{}` was proved when the session began", proved.name);
            if rule == Rule::StatementChanged {
                let said = |statement| clip_middle(&one_line(statement), STATEMENT_WIDTH);
                let (was, is) = (said(&proved.statement), said(statement(new, text)));
                write!(detail, ", as `{was}`, and comes back as `{is}`").ok();
            }
            Some(Back { rule, change, detail, proof: proved.proof.clone() })
        });
        back.collect()
    }

    /// What a declaration without a proof proved under its name or with its statement, unless the
    /// text still has it under another name.
    fn lost(&self, declaration: &Declaration, text: &str, kept: &HashSet<u64>) -> Option<&Proved> {
        let key = key(declaration, text);
        let named = declaration.name.as_deref().and_then(|name| self.named(name));
        if named.is_some_and(|proved| proved.key == key) {
            return named;
        }
        let same = || self.proved.iter().rfind(|proved| proved.key == key);
        named.or_else(same).filter(|proved| !kept.contains(&proved.key))
    }

    /// What a proved declaration said, if it says something else now and nothing in the text says
    /// what it said.
    fn restated(
        &self,
        declaration: &Declaration,
        text: &str,
        kept: &HashSet<u64>,
    ) -> Option<&Proved> {
        let name = declaration.name.as_deref().filter(|_| declaration.kind.is_proof())?;
        let proved = self.named(name)?;
        let differs = proved.key != key(declaration, text) && !kept.contains(&proved.key);
        (differs && says_less(&proved.statement, statement(declaration, text))).then_some(proved)
    }

    fn named(&self, name: &str) -> Option<&Proved> {
        self.proved.iter().rfind(|proved| proved.name == name)
    }
}

/// Whether one statement is another one, and not only written in another way or stronger.
fn says_less(old: &str, new: &str) -> bool {
    let theorem = |statement: &str| format!("theorem x{statement} := x");
    let (old, new) = (theorem(old), theorem(new));
    let comparison = Comparison::of(&old, &new);
    let changed = |change: &Change| change.change == ChangeKind::StatementChanged;
    let is_mild = |note: Note| is_reworded(note) || note == Note::Stronger;
    comparison.changes.iter().any(|change| changed(change) && !is_mild(change.note))
}

/// Whether a search for a proof makes way for another gap.
fn leaves_a_search(comparison: &Comparison<'_>, change: &Change) -> bool {
    // All that is missing is what a search would find.
    let searches = |one: &Declaration| {
        !one.gaps.is_empty() && one.gaps.iter().all(|gap| gap.kind == GapKind::SearchTactic)
    };
    comparison.old_of(change).is_some_and(searches)
        && comparison.new_of(change).is_some_and(|new| !new.is_complete() && !searches(new))
}

fn is_proved(declaration: &Declaration) -> bool {
    declaration.kind.is_proof() && declaration.is_complete()
}

pub(super) fn key(declaration: &Declaration, text: &str) -> u64 {
    lean::statement_key(statement(declaration, text))
}

fn statement<'t>(declaration: &Declaration, text: &'t str) -> &'t str {
    let span = &declaration.statement_span;
    let start = declaration.name_span.as_ref().map_or(span.start, |name| name.end);
    text.get(start..span.end).unwrap_or_default()
}

/// Whether it matters to a change what was there when the session began: it could bring that back as
/// less, or restate what is younger.
pub fn may_be_back(comparison: &Comparison<'_>) -> bool {
    comparison.changes.iter().any(|change| match change.change {
        ChangeKind::Added => {
            let new = comparison.new_of(change);
            new.is_some_and(|new| new.kind.is_proof() || !new.is_complete())
        }
        ChangeKind::Renamed | ChangeKind::Moved => change.new_name.is_some(),
        ChangeKind::StatementChanged => true,
        _ => leaves_a_search(comparison, change),
    })
}

pub fn is_lockable(comparison: &Comparison<'_>) -> bool {
    comparison.changes.iter().any(|change| match change.change {
        ChangeKind::StatementChanged
        | ChangeKind::Removed
        | ChangeKind::Renamed
        | ChangeKind::Moved => change.name.is_some(),
        // A locked statement may speak of the definition.
        ChangeKind::ProofChanged => change.kind.is_some_and(|kind| !kind.is_proof()),
        _ => false,
    })
}
