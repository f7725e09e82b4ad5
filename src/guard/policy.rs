//! The rules of the guard as data: their codes, their levels, what is allowed and what is locked.

use std::collections::BTreeSet;
use std::fmt;

use crate::text::name_matches;

/// How strictly a rule is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing is said.
    Off,
    /// It is said, and the edit goes on.
    Warn,
    Ask,
    /// The edit is refused.
    Deny,
}

impl Level {
    /// The word for it in configuration and output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The level of a word, in any case.
    pub fn from_word(word: &str) -> Option<Self> {
        let levels = [Self::Off, Self::Warn, Self::Ask, Self::Deny];
        levels.into_iter().find(|level| level.as_str().eq_ignore_ascii_case(word.trim()))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A rule of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A declaration was complete and is not any more.
    ProofLost,
    /// Proof code was taken out of an open declaration and a gap stands in its place.
    ProgressLost,
    /// The agent edits the guard's own configuration, hooks or database.
    PolicyChanged,
    /// The statement of a proved or locked declaration says something else, or is gone.
    StatementChanged,
    /// Another statement says something else.
    OpenStatementChanged,
    /// A definition changed that a proved or locked statement speaks of.
    DefinitionChanged,
    /// A proved declaration is no longer there.
    ProofRemoved,
    /// A complete proof became a search (`exact?`) for one.
    SearchLeft,
    AxiomAdded,
    /// Something else that has to be trusted beyond the kernel.
    TrustAdded,
    /// A lemma that is known to be false is used or stated.
    FalseLemma,
    /// A file without gaps has one.
    GapInCompleteFile,
}

/// A rule as a table shows it.
struct Row {
    rule: Rule,
    code: &'static str,
    level: Level,
    help: &'static str,
}

const fn row(rule: Rule, code: &'static str, level: Level, help: &'static str) -> Row {
    Row { rule, code, level, help }
}

const ROWS: [Row; 12] = [
    row(Rule::ProofLost, "proof-lost", Level::Deny, "a complete declaration loses its proof"),
    row(
        Rule::ProgressLost,
        "progress-lost",
        Level::Deny,
        "proof code of an open declaration makes way for a gap",
    ),
    row(Rule::PolicyChanged, "policy-changed", Level::Deny, "the guard's own settings are edited"),
    row(
        Rule::StatementChanged,
        "statement-changed",
        Level::Deny,
        "the statement of a proved or locked declaration changes or disappears",
    ),
    row(
        Rule::OpenStatementChanged,
        "open-statement-changed",
        Level::Warn,
        "another statement changes",
    ),
    row(
        Rule::DefinitionChanged,
        "definition-changed",
        Level::Warn,
        "a definition changes that a proved or locked statement speaks of",
    ),
    row(Rule::ProofRemoved, "proof-removed", Level::Warn, "a proved declaration is removed"),
    row(Rule::SearchLeft, "search-left", Level::Warn, "a proof becomes a search for one"),
    row(Rule::AxiomAdded, "axiom-added", Level::Warn, "a new axiom"),
    row(Rule::TrustAdded, "trust-added", Level::Warn, "more has to be trusted than the kernel"),
    row(Rule::FalseLemma, "false-lemma", Level::Warn, "a lemma known to be false is used"),
    row(
        Rule::GapInCompleteFile,
        "gap-in-complete-file",
        Level::Off,
        "a file without gaps gets one",
    ),
];

impl Rule {
    /// All rules, the strictest first.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.rule)
    }

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.rule == self).unwrap_or(&ROWS[0])
    }

    /// The code of it, as in `mk allow ... --rule proof-lost`.
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// The rule of a code; `-` and `_` and any case are one.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.trim().replace('_', "-").to_ascii_lowercase();
        ROWS.iter().find(|row| row.code == code).map(|row| row.rule)
    }

    /// The level that it has where nothing else is configured.
    pub fn default_level(self) -> Level {
        self.row().level
    }

    /// What it is about, in a few words.
    pub fn help(self) -> &'static str {
        self.row().help
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// What the guard goes by.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Levels other than the default ones; of several for one rule the last counts.
    pub levels: Vec<(Rule, Level)>,
    /// Axioms that may be used, with `*` for any text: `Project.classical_*`. One use of
    /// `native_decide` in `foo` is the axiom `foo.native_decide.ax_1`.
    pub allowed: Vec<String>,
    /// Full names of declarations whose statements must stay.
    pub locked: BTreeSet<String>,
    /// What was proved in this file when the session began.
    pub baseline: super::Baseline,
    /// Proofs of this session in which Lean reported an error.
    pub broken: super::Broken,
    /// Lemmas that are known to be false.
    pub false_lemmas: Vec<super::FalseLemma>,
}

impl Policy {
    pub fn level(&self, rule: Rule) -> Level {
        let set = self.levels.iter().rev().find(|(other, _)| *other == rule);
        set.map_or_else(|| rule.default_level(), |(_, level)| *level)
    }

    pub fn allows(&self, axiom: &str) -> bool {
        self.allowed.iter().any(|pattern| name_matches(pattern, axiom))
    }

    /// Whether the statement of a declaration is locked.
    pub fn locks(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.locked.contains(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_row_a_code_and_a_level() {
        for rule in Rule::all() {
            assert_eq!(rule.row().rule, rule);
            assert_eq!(Rule::from_code(rule.code()), Some(rule));
            assert!(!rule.help().is_empty());
        }
        assert_eq!(Rule::from_code("Proof_Lost"), Some(Rule::ProofLost));
        assert_eq!(Rule::from_code("nonsense"), None);
        assert_eq!(Level::from_word(" Deny "), Some(Level::Deny));
        assert_eq!(Level::from_word("strict"), None);
    }

    #[test]
    fn of_several_levels_the_last_counts() {
        let mut policy = Policy::default();
        assert_eq!(policy.level(Rule::ProofLost), Level::Deny);
        policy.levels = vec![(Rule::ProofLost, Level::Ask), (Rule::ProofLost, Level::Warn)];
        assert_eq!(policy.level(Rule::ProofLost), Level::Warn);
    }
}
