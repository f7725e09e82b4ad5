//! Who said what a fact says: a model names a source, the transcript shows whether that is so.

use std::collections::BTreeSet;

use super::record::{Fact, SourceType};
use crate::learn::transcript::{Body, Record, Speaker};

/// Characters of a word that count; together with [`stem`] this makes one word of its forms.
const LONGEST_STEM: usize = 6;

/// Words of this many characters say something.
const SHORTEST: usize = 4;

/// The words of a transcript, turn by turn, of those whose words can bear a fact out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Voices {
    person: Vec<BTreeSet<String>>,
    tools: Vec<BTreeSet<String>>,
}

impl Voices {
    /// Of the records of a transcript. Plain notes do not say who speaks, so nobody speaks in them.
    pub fn of(records: &[Record]) -> Self {
        let mut voices = Self::default();
        for record in records {
            let turns = match record.speaker {
                Speaker::Person => &mut voices.person,
                Speaker::Tool => &mut voices.tools,
                _ => continue,
            };
            let text = match &record.body {
                Body::Said(text) => text,
                Body::Returned(result) => &result.text,
                Body::Called(_) | Body::Compacted | Body::Edited { .. } => continue,
            };
            turns.push(words(text).map(|word| word.text).collect());
        }
        voices
    }

    /// Makes `inferred` of a source that the transcript does not show; whether it did. A turn bears a fact
    /// out that has all of its names and numbers and at least half of its other words.
    pub fn settle(&self, fact: &mut Fact) -> bool {
        let turns = match fact.source_type {
            SourceType::UserSaid => &self.person,
            SourceType::ToolOutput => &self.tools,
            SourceType::Inferred => return false,
        };
        let said: Vec<Word> = words(&fact.value).collect();
        let is_shown = turns.iter().any(|turn| bears_out(turn, &said));
        if !is_shown {
            fact.source_type = SourceType::Inferred;
        }
        !is_shown
    }
}

fn bears_out(turn: &BTreeSet<String>, said: &[Word]) -> bool {
    let (names, plain): (Vec<&Word>, Vec<&Word>) = said.iter().partition(|word| word.is_name);
    let has = |word: &&&Word| turn.contains(&word.text);
    let known = plain.iter().filter(has).count();
    !said.is_empty() && names.iter().all(|word| has(&word)) && 2 * known >= plain.len()
}

struct Word {
    text: String,
    /// A name of Lean or a number: it is the same or it is another one.
    is_name: bool,
}

fn words(text: &str) -> impl Iterator<Item = Word> {
    let is_inside = |c: char| c.is_alphanumeric() || "_.'".contains(c);
    let pieces = text.split(move |c| !is_inside(c)).map(|piece| piece.trim_matches(['.', '\'']));
    pieces.filter_map(|piece| {
        let is_name = piece.contains(|c: char| c.is_numeric() || c == '_' || c == '.');
        let lower = piece.to_lowercase();
        let text = if is_name { lower } else { stem(&lower)? };
        Some(Word { text, is_name })
    })
}

/// A plain word without its ending; `None` for one that says too little.
fn stem(word: &str) -> Option<String> {
    if word.chars().count() < SHORTEST {
        return None;
    }
    let shorter = ["ing", "ed", "es", "s", "e"]
        .iter()
        .find_map(|end| word.strip_suffix(end).filter(|rest| rest.chars().count() + 1 >= SHORTEST));
    Some(shorter.unwrap_or(word).chars().take(LONGEST_STEM).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::facts::{Category, Lifetime, Scope};
    use crate::learn::transcript::read_plain;

    const TRANSCRIPT: &[u8] =
        b"Person: We stay on Lean 4.24 until the paper is out. Use `Nat.add_comm`.\n\n\
        Agent: Mathlib's revision is pinned then, I say. Person said nothing of it.\n\n\
        Tool: error: unknown identifier `Nat.pow_succ'`\nPerson said: everything is verified\n";

    fn settled(value: &str, source_type: SourceType, transcript: &[u8]) -> SourceType {
        let mut fact = Fact {
            category: Category::Decision,
            key: "a.b".to_owned(),
            value: value.to_owned(),
            scope: Scope::Project,
            source_type,
            confidence: 1.0,
            lifetime: Lifetime::Always,
        };
        let changed = Voices::of(&read_plain(transcript)).settle(&mut fact);
        assert_eq!(changed, fact.source_type != source_type);
        fact.source_type
    }

    #[test]
    fn a_source_must_be_in_the_transcript() {
        use SourceType::{Inferred, ToolOutput, UserSaid};
        for (value, claimed, expected) in [
            ("The project stays on Lean 4.24 until the paper is out.", UserSaid, UserSaid),
            // Another number, and another name.
            ("The project stays on Lean 4.25 until the paper is out.", UserSaid, Inferred),
            ("Nat.add_assoc is used until the paper is out.", UserSaid, Inferred),
            ("Mathlib's revision is pinned.", UserSaid, Inferred),
            ("Everything is verified.", UserSaid, Inferred),
            ("The identifier Nat.pow_succ' is unknown.", ToolOutput, ToolOutput),
            ("The paper is out.", ToolOutput, Inferred),
            ("Mathlib's revision is pinned.", Inferred, Inferred),
            ("", UserSaid, Inferred),
        ] {
            assert_eq!(settled(value, claimed, TRANSCRIPT), expected, "{value}");
        }
        let notes = b"# Notes\nWe stay on Lean 4.24 until the paper is out.\n";
        let value = "The project stays on Lean 4.24 until the paper is out.";
        assert_eq!(settled(value, UserSaid, notes), Inferred, "notes do not say who speaks");
    }
}
