//! Lemmas that are known to be false, where a text uses or states them.

use super::Reader;
use crate::guard::FalseLemma;
use crate::guard::lemma::{Search, Sighting};
use crate::guard::rules::Rule;
use crate::lean::{self, TokenKind};

/// False lemmas, made ready to be looked for in many texts.
pub struct FalseLemmas<'l> {
    known: &'l [FalseLemma],
    search: Search<'l>,
}

impl<'l> FalseLemmas<'l> {
    pub fn of(known: &'l [FalseLemma]) -> Self {
        Self { known, search: Search::of(known) }
    }
}

impl Reader<'_> {
    /// Every use, and every declaration that states one, once for each.
    pub(super) fn false_lemmas(&mut self, lemmas: &FalseLemmas<'_>) {
        if lemmas.known.is_empty() {
            return;
        }
        for sighting in lemmas.search.sightings(self.text, self.outline, |_| true) {
            let Some(lemma) = lemmas.known.get(sighting.lemma) else { continue };
            let rest = self.text.get(sighting.start..).unwrap_or_default();
            let first = lean::lex(rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or(rest));
            let length = first.first().filter(|token| token.kind == TokenKind::Ident);
            let end = sighting.start + length.map_or(1, |token| token.end);
            let what = sentence(lemma, &sighting);
            let rule = if sighting.is_unsure { Rule::FalseWords } else { Rule::FalseLemma };
            self.note(rule, sighting.start..end, &what);
        }
    }
}

/// Longer names are not marked to their ends.
const LONGEST: usize = 500;

fn sentence(lemma: &FalseLemma, sighting: &Sighting) -> String {
    let twin = match (sighting.states, lemma.name.as_str()) {
        (true, name) if sighting.is_unsure => format!(
            "this has the words of {}, over a definition here of which the record says nothing; it",
            if name.is_empty() { "a lemma that".to_owned() } else { format!("`{name}`") }
        ),
        (false, name) => format!("`{name}`"),
        (true, "") => "this".to_owned(),
        (true, name) => format!("this states what `{name}` states, which"),
    };
    let sure = if lemma.claimed { "is said to be false" } else { "is known to be false" };
    let reasons = lemma.reasons();
    let between = if reasons.is_empty() { "" } else { ": " };
    format!("{twin} {sure}{between}{reasons}")
}
