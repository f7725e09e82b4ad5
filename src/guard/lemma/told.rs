//! What an edit has to do with false lemmas, in words.

use std::collections::{HashMap, HashSet};

use super::search::{Search, Sighting};
use super::{FalseLemma, WIDTH, is_or_ends_in};
use crate::lean::{self, Comparison, Outline};
use crate::text::{clean, clip};

/// What is told of one false lemma after an edit.
pub(in crate::guard) struct Told<'l> {
    pub(in crate::guard) lemma: &'l FalseLemma,
    pub(in crate::guard) line: usize,
    pub(in crate::guard) detail: String,
}

/// What an edit has to do with false lemmas that the text before it had not, each lemma once.
pub(in crate::guard) fn told<'l>(
    comparison: &Comparison<'_>,
    lemmas: &'l [FalseLemma],
) -> Vec<Told<'l>> {
    let search = Search::of(lemmas);
    let (old, new) = Side::both(comparison);
    let edited = new.text.get(lean::changed(old.text, new.text)).unwrap_or_default();
    let mut words = lean::words(edited).map(plain);
    if !words.any(|word| search.is_like(word)) && new.own.is_empty() {
        return Vec::new();
    }
    let found = new.sightings(&search);
    if found.is_empty() {
        return Vec::new();
    }
    let before = old.sightings(&search);
    let counts = (new.counts(&found), old.counts(&before));
    let grew = |key: &Key<'_>| {
        let count = |counts: &HashMap<Key<'_>, usize>| counts.get(key).copied().unwrap_or_default();
        count(&counts.0) > count(&counts.1)
    };
    let mut told: Vec<Told<'l>> = Vec::new();
    for sighting in &found {
        let name = new.name(sighting);
        // More of them in all, and more in this declaration: what only moves is nothing new.
        let (lemma, states) = (sighting.lemma, sighting.states);
        let is_new = grew(&(lemma, states, None)) && grew(&(lemma, states, Some(name)));
        let Some(lemma) = lemmas.get(lemma).filter(|_| is_new) else { continue };
        if told.iter().all(|told| !std::ptr::eq(told.lemma, lemma)) {
            let stated = states.then(|| lemma.detail_of_statement(name, sighting.is_unsure));
            let detail = stated.unwrap_or_else(|| lemma.reasons());
            told.push(Told { lemma, line: sighting.line, detail });
        }
    }
    told
}

/// A lemma, whether it is stated or used, and the name of the declaration where it is; `None` for
/// all declarations.
type Key<'c> = (usize, bool, Option<Option<&'c str>>);

fn plain(word: &str) -> &str {
    word.strip_prefix("_root_.").unwrap_or(word)
}

/// One of two versions of a text.
struct Side<'c> {
    text: &'c str,
    outline: &'c Outline,
    /// Declarations that the other one has not in the same words.
    own: HashSet<usize>,
}

impl<'c> Side<'c> {
    fn both(comparison: &'c Comparison<'_>) -> (Self, Self) {
        let side = |text, outline| Self { text, outline, own: HashSet::new() };
        let mut old = side(comparison.before(), comparison.old_outline());
        let mut new = side(comparison.after(), comparison.new_outline());
        let mut left: HashMap<(Option<&str>, &str), Vec<usize>> = HashMap::new();
        for (index, words) in old.words() {
            left.entry(words).or_default().push(index);
        }
        let added =
            new.words().filter(|(_, words)| left.get_mut(words).and_then(Vec::pop).is_none());
        new.own = added.map(|(index, _)| index).collect();
        old.own = left.into_values().flatten().collect();
        (old, new)
    }

    fn words(&self) -> impl Iterator<Item = (usize, (Option<&'c str>, &'c str))> + use<'c> {
        let text = self.text;
        self.outline.declarations.iter().enumerate().map(move |(index, declaration)| {
            (index, (declaration.name.as_deref(), declaration.statement(text)))
        })
    }

    fn sightings(&self, search: &Search<'_>) -> Vec<Sighting> {
        search.sightings(self.text, self.outline, |index| self.own.contains(&index))
    }

    fn counts(&self, sightings: &[Sighting]) -> HashMap<Key<'c>, usize> {
        let mut counts: HashMap<Key<'c>, usize> = HashMap::new();
        for sighting in sightings {
            let (lemma, states) = (sighting.lemma, sighting.states);
            *counts.entry((lemma, states, None)).or_default() += 1;
            *counts.entry((lemma, states, Some(self.name(sighting)))).or_default() += 1;
        }
        counts
    }

    fn name(&self, sighting: &Sighting) -> Option<&'c str> {
        self.outline.declarations.get(sighting.declaration?)?.name.as_deref()
    }
}

impl FalseLemma {
    /// What is said behind the name of one that is stated again by a declaration.
    fn detail_of_statement(&self, by: Option<&str>, is_unsure: bool) -> String {
        let again = match by {
            Some(name) if is_unsure => format!(
                "`{}` has its words, over a definition here of which the record says nothing",
                clip(&clean(name), WIDTH)
            ),
            Some(name) if is_or_ends_in(name, &self.name) => "stated again here".to_owned(),
            Some(name) => format!("`{}` states the same", clip(&clean(name), WIDTH)),
            None => "stated here without a name".to_owned(),
        };
        let reasons = self.reasons();
        if reasons.is_empty() { again } else { format!("{again}; {reasons}") }
    }
}
