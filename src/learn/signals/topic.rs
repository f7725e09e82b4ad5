//! What a proposal speaks of: a session's last words repeat what was said on the way, in other words.

use std::collections::BTreeSet;

use super::Proposal;
use super::weigh::{self, is_in};
use crate::model::Kind;

const NEGATIONS: &str = "not|never|no|don't|dont|nicht|kein|keine|nie|ne|pas|jamais";

/// Words that two must share to speak of the same.
const SHARED: usize = 3;

#[derive(Debug)]
pub(super) struct Topic {
    is_dead_end: bool,
    kind: Kind,
    by_person: bool,
    negates: bool,
    words: BTreeSet<String>,
    /// Those that tell one thing from another of its sort: numbers, names in code, paths.
    names: BTreeSet<String>,
}

impl Topic {
    pub(super) fn of(one: &Proposal) -> Self {
        let content = one.content.to_lowercase();
        let mut topic = Self {
            is_dead_end: one.kind == Kind::Failure,
            kind: one.kind,
            by_person: one.role == "person",
            negates: false,
            words: BTreeSet::new(),
            names: BTreeSet::new(),
        };
        for word in content.split([' ', ',', ';', '(', ')', '–', '—']) {
            let in_code = word.contains('`');
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if is_in(NEGATIONS, word) {
                topic.negates = true;
                continue;
            }
            if in_code || word.contains(|c: char| c.is_ascii_digit() || "_./".contains(c)) {
                topic.names.insert(word.to_owned());
            } else if word.chars().count() < 4 || is_in(weigh::list("common words"), word) {
                continue;
            }
            topic.words.insert(word.strip_suffix('s').unwrap_or(word).to_owned());
        }
        topic
    }

    /// Whether both say the same of the same: what they do not share is only how it is put.
    fn is_same(&self, other: &Self) -> bool {
        let (less, more) =
            if self.words.len() < other.words.len() { (self, other) } else { (other, self) };
        let shared = less.words.intersection(&more.words).count();
        let is_near = if self.is_dead_end {
            10 * shared >= 7 * less.words.len()
        } else {
            shared == less.words.len() && self.negates == other.negates
        };
        let is_sort = |kind| matches!(kind, Kind::Decision | Kind::Preference);
        (self.kind == other.kind || is_sort(self.kind) && is_sort(other.kind))
            && shared >= SHARED
            && is_near
            && less.names.is_subset(&more.names)
    }

    pub(super) fn without(mut self, other: &Self) -> Self {
        self.words.retain(|word| !other.words.contains(word));
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether both speak of one thing, whatever they say of it: by a name, or by two words.
    pub(super) fn touches(&self, other: &Self) -> bool {
        let shared = self.words.intersection(&other.words).count();
        self.is_empty() || !self.names.is_disjoint(&other.names) || shared >= SHARED - 1
    }

    /// Whether it takes the place of another: of the same in fewer words, or of the opposite. `None` for another thing.
    pub(super) fn replaces(&self, other: &Self) -> Option<bool> {
        let reverses = self.reverses(other);
        (reverses || self.is_same(other)).then(|| reverses || self.is_better(other))
    }

    /// Whether the person wants the opposite now, of all that they spoke of.
    fn reverses(&self, other: &Self) -> bool {
        let is_choice = |one: &Self| one.by_person && !one.is_dead_end;
        let is_enough = !self.names.is_empty() || self.words.len() >= SHARED;
        is_choice(self)
            && is_choice(other)
            && self.negates != other.negates
            && is_enough
            && self.words.is_subset(&other.words)
            && self.names.is_subset(&other.names)
    }

    /// Whether it is the more complete wording. What the person wants, they have said themselves.
    fn is_better(&self, other: &Self) -> bool {
        let is_own = other.by_person && !self.by_person && !other.is_dead_end;
        !is_own && self.words.len() > other.words.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_and_other_things() {
        for (kind, one, two, expected) in [
            (
                Kind::Failure,
                "The large sieve does not help: it bounds the sum on average only.",
                "the large sieve is insufficient, since it bounds the sum only on average",
                true,
            ),
            (
                Kind::Failure,
                "The lemma `sum_le` is false: at n = 1 the left side is larger.",
                "The lemma `sum_lt` is false: at n = 1 the left side is larger.",
                false,
            ),
            (
                Kind::Failure,
                "Annealing gets stuck at energy 14",
                "Annealing with restarts gets stuck at energy 12",
                false,
            ),
            (
                Kind::Decision,
                "figures are drawn by plots.py and never edited",
                "The user wants all figures drawn by `plots.py`, never edited",
                true,
            ),
            (
                Kind::Preference,
                "use explicit binders in public statements",
                "never use explicit binders in public statements",
                false,
            ),
            (Kind::Preference, "use omega", "use omega everywhere", false),
        ] {
            let topic = |text: &str| Topic::of(&Proposal::new(kind, text.to_owned(), "said"));
            assert_eq!(topic(one).is_same(&topic(two)), expected, "{one} | {two}");
            assert_eq!(topic(two).is_same(&topic(one)), expected, "{two} | {one}");
        }
    }
}
