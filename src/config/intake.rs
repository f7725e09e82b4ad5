//! What becomes of the facts that a language model finds.

use crate::text::vocabulary;

vocabulary! {
    /// What becomes of facts that a model found (`learn.facts`).
    FactIntake {
        /// What the person is said to have said is proposed to them, the rest is stored unverified.
        BySource = "by-source",
        Proposals = "proposals",
        /// All of them are stored unverified.
        Unverified = "unverified",
    }
}

impl FactIntake {
    /// Reads the word, in any spelling.
    pub(super) fn of(word: &str) -> Result<Self, String> {
        let plain = word.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        Self::ALL.iter().copied().find(|one| one.as_str() == plain).ok_or_else(|| {
            format!("`{word}` is not what can become of facts: use `by-source`, `proposals` or `unverified`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (word, expected) in [
            ("by-source", Some(FactIntake::BySource)),
            ("By_Source", Some(FactIntake::BySource)),
            ("proposals", Some(FactIntake::Proposals)),
            ("unverified ", Some(FactIntake::Unverified)),
            ("verified", None),
            ("", None),
        ] {
            assert_eq!(FactIntake::of(word).ok(), expected, "{word}");
        }
    }
}
