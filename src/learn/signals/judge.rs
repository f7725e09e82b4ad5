//! What makes a sentence with a telling phrase no signal after all: questions, hypotheticals, what is
//! about this moment or this task only.
//!
//! Sentences come in lower case, with code and quotations blanked.

use std::sync::LazyLock;

use super::phrases::Phrases;
use super::prose::BLANK;

/// A phrase in a sentence.
pub(super) struct Case<'s> {
    pub(super) sentence: &'s str,
    pub(super) at: usize,
    pub(super) end: usize,
}

/// Small words that may stand before what is asked for.
const OPENERS: &[&str] = &[
    "please",
    "pls",
    "plz",
    "so",
    "also",
    "ok",
    "okay",
    "yes",
    "no",
    "again",
    "then",
    "thanks",
    "just",
    "in general",
    "so please",
];

impl<'s> Case<'s> {
    /// What stands before the phrase, without list marks.
    pub(super) fn before(&self) -> &'s str {
        self.sentence[..self.at].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '\u{1}')
    }

    /// What stands after it, without the punctuation between.
    pub(super) fn after(&self) -> &'s str {
        self.sentence[self.end..].trim_start_matches([' ', ':', ',', '-', '–', '—'])
    }

    /// The character after the phrase is a colon, or a dash that does the same.
    pub(super) fn has_colon(&self) -> bool {
        let rest = self.sentence[self.end..].trim_start();
        [":", "– ", "— ", "- "].iter().any(|mark| rest.starts_with(mark))
    }

    /// The phrase opens its sentence, or a clause of it.
    pub(super) fn opens_clause(&self) -> bool {
        let before = self.before().trim_end();
        let clause = before.rsplit([',', ';', ':', '(']).next().unwrap_or("").trim();
        clause.is_empty() || clause == "–" || clause == "—" || OPENERS.contains(&clause)
    }

    /// The phrase opens the sentence, politeness and small words aside.
    pub(super) fn opens_sentence(&self) -> bool {
        let before = self.before().trim_end_matches([' ', ',', ':', '-', '–', '—']);
        before.is_empty() || OPENERS.contains(&before)
    }

    pub(super) fn after_begins(&self, words: &[&str]) -> bool {
        let after = self.after();
        words.iter().any(|word| {
            after.strip_prefix(word).is_some_and(|rest| {
                rest.is_empty() || word.ends_with(' ') || !rest.starts_with(char::is_alphanumeric)
            })
        })
    }

    pub(super) fn before_ends(&self, words: &[&str]) -> bool {
        let before = self.before().trim_end();
        words.iter().any(|word| {
            before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
        })
    }
}

/// Any of the words stands in the sentence. For short lists that are rarely asked.
pub(super) fn has(sentence: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        sentence.match_indices(word).any(|(at, _)| {
            !sentence[..at].ends_with(char::is_alphanumeric)
                && !sentence[at + word.len()..].starts_with(char::is_alphanumeric)
        })
    })
}

/// Words, names and pieces of code.
pub(super) fn words(text: &str) -> usize {
    text.split(' ')
        .filter(|word| word.contains(|c: char| c.is_alphanumeric() || c as u32 == u32::from(BLANK)))
        .count()
}

/// It holds a piece of code, or a name or formula that no prose has.
pub(super) fn is_technical(text: &str) -> bool {
    text.contains(char::from(BLANK))
        || text.chars().any(|c| "ℕℤℚℝℂ≤≥≠∈∀∃→↔^=<>∑∏νω×⊆∪∩".contains(c))
        || text.contains("lean")
        || text.contains("mathlib")
}

/// A question, with or without its mark.
pub(super) fn is_question(sentence: &str) -> bool {
    static BEGINNINGS: LazyLock<Phrases> = LazyLock::new(|| {
        Phrases::of(
            "do you|do i|do we|did you|did i|did we|does|would you|would it|should i|should we|\
             shall|can you|can we|can i|could you|could we|is it|is there|is your|is this|\
             are you|are there|have i|have you|have we|what is|what's|what are|what did|what do|\
             what would|what if|which|why|how do|how does|how did|how should|where|who|i wonder|\
             not sure whether|not sure if",
        )
    });
    let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    sentence.trim_end_matches([')', '"', '\'', ' ', '!']).ends_with('?') || BEGINNINGS.begin(start)
}

/// It says itself that it may not be so.
pub(super) fn is_hypothetical(sentence: &str) -> bool {
    static MARKS: LazyLock<Phrases> = LazyLock::new(|| {
        Phrases::of(
            "maybe|perhaps|might|suppose|supposing|not sure|i guess|possibly|would be|\
             let me know|feel free|i wonder",
        )
    });
    MARKS.occur_in(sentence)
}

/// It is about this moment: a plan, or what is happening.
pub(super) fn is_momentary(sentence: &str) -> bool {
    static MARKS: LazyLock<Phrases> = LazyLock::new(|| {
        Phrases::of(
            "right now|for now|today|tomorrow|tonight|this time|at the moment|let me|let's|\
             let us|until i|never mind|nevermind|for this one|this build|this run only|\
             this edit|one moment|now",
        )
    });
    MARKS.places(sentence).any(|(at, mark)| {
        // "is now called" says how things are.
        let before = sentence[..at].trim_end();
        mark != "now"
            || !["is", "are", "has", "have", "from", "by"].iter().any(|word| before.ends_with(word))
    })
}

/// It is about a place or a state of the work at hand.
pub(super) fn is_about_this_task(sentence: &str) -> bool {
    static MARKS: LazyLock<Phrases> = LazyLock::new(|| {
        Phrases::of(
            "this file|the file|that file|your file|the folder|this folder|the build is|\
             the build was|the build failed|the process|my last|your last|my edit|typo|\
             unused import|missing import|uncommitted|is failing|still running|adding it|\
             fixing it|removing it|i'll|run it again|line|lines",
        )
    });
    MARKS.places(sentence).any(|(at, mark)| {
        let rest = sentence[at..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
        !mark.starts_with("line") || rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The phrase stands in a condition: before the first comma of a sentence that begins with one, or
/// right after the word.
pub(super) fn is_conditional(case: &Case<'_>) -> bool {
    const CONDITIONS: &[&str] = &["if", "unless", "in case", "whether", "should", "as", "when"];
    const NEAR: &[&str] = &[
        "whichever",
        "whatever",
        "however",
        "as",
        "if",
        "unless",
        "whether",
        "than",
        "where",
        "when",
    ];
    let before = case.before();
    let opened = CONDITIONS.iter().any(|word| {
        before.strip_prefix(word).is_some_and(|rest| rest.starts_with(' ') && !rest.contains(','))
    });
    opened || case.before_ends(NEAR)
}

pub(super) fn is_denied(case: &Case<'_>) -> bool {
    const DENIALS: &[&str] = &[
        "no",
        "not",
        "n't",
        "never",
        "nothing",
        "without",
        "hardly",
        "didn't",
        "don't",
        "haven't",
        "isn't",
        "there is no",
        "not a",
        "not the",
    ];
    const NOTHING: &[&str] = &["nothing", "none", "no more", "not much", "little"];
    case.before_ends(DENIALS) || case.after_begins(NOTHING)
}
