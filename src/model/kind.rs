//! The closed vocabularies of the knowledge base, accepted with `-`, `_`, blanks and in any case; the database has
//! underscores.

use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::names::word_key;
use crate::text::{is_among, vocabulary};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {vocabulary} `{word}`: use one of {}", known.join(", "))]
pub struct UnknownWord {
    pub vocabulary: &'static str,
    pub word: String,
    pub known: Vec<&'static str>,
}

macro_rules! read_vocabulary {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($words:tt)+ }) => {
        vocabulary! { $(#[$doc])* $name { $($words)+ } }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                let key = word_key(word);
                Self::ALL.iter().copied().find(|v| word_key(v.as_str()) == key).ok_or_else(|| {
                    UnknownWord {
                        vocabulary: $what,
                        word: word.to_owned(),
                        known: Self::ALL.iter().map(|v| v.as_str()).collect(),
                    }
                })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let word = String::deserialize(d)?;
                word.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

read_vocabulary! {
    /// `findings.finding_type`
    #[derive(Default)]
    Kind, "kind" {
        Theorem = "theorem",
        Technique = "technique",
        Failure = "failure",
        FalseLemma = "false_lemma",
        /// A witness, a pattern, a bound.
        Computation = "computation",
        MathlibApi = "mathlib_api",
        #[default]
        Insight = "insight",
        Lesson = "lesson",
        /// Keyed, about a project, a person or a tool.
        Fact = "fact",
        Playbook = "playbook",
        Preference = "preference",
        Decision = "decision",
    }
}

impl Kind {
    /// What people word. Words prove and disprove nothing, so no theorem, false lemma or computation.
    pub const fn is_worded(self) -> bool {
        !matches!(self, Self::Theorem | Self::FalseLemma | Self::Computation)
    }

    /// As the specification names them.
    pub fn badge(self) -> &'static str {
        self.called().0
    }

    /// Singular and plural.
    pub fn names(self) -> (&'static str, &'static str) {
        let (_, one, many) = self.called();
        (one, many)
    }

    const fn called(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Theorem => ("[PROVEN]", "theorem", "theorems"),
            Self::Technique => ("[TECHNIQUE]", "technique", "techniques"),
            Self::Failure => ("[FAILED]", "failed approach", "failed approaches"),
            Self::FalseLemma => ("[FALSE]", "false lemma", "false lemmas"),
            Self::Computation => ("[COMPUTED]", "computation", "computations"),
            Self::MathlibApi => ("[MATHLIB_API]", "Mathlib note", "Mathlib notes"),
            Self::Insight => ("[INSIGHT]", "insight", "insights"),
            Self::Lesson => ("[LESSON]", "lesson", "lessons"),
            Self::Fact => ("[FACT]", "fact", "facts"),
            Self::Playbook => ("[PLAYBOOK]", "playbook", "playbooks"),
            Self::Preference => ("[PREFERENCE]", "preference", "preferences"),
            Self::Decision => ("[DECISION]", "decision", "decisions"),
        }
    }
}

read_vocabulary! {
    /// `findings.confidence`
    #[derive(Default)]
    Confidence, "confidence" {
        /// By a prover, without gap or axiom in the file.
        Verified = "verified",
        High = "high",
        /// A single source, plausible.
        #[default]
        Medium = "medium",
        Low = "low",
        Disproven = "disproven",
    }
}

read_vocabulary! {
    /// `findings.status`
    #[derive(Default)]
    Status, "status" {
        Proposed = "proposed",
        #[default]
        Claimed = "claimed",
        Confirmed = "confirmed",
        Superseded = "superseded",
        Dropped = "dropped",
    }
}

impl Status {
    /// Knowledge: not only proposed, replaced or dropped.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Claimed | Self::Confirmed)
    }
}

read_vocabulary! {
    /// `findings.evidence`, strongest first.
    #[derive(Default)]
    Evidence, "evidence" {
        Kernel = "kernel",
        Person = "person",
        /// A result file with the prover's own header.
        Prover = "prover",
        /// The owner's files and databases, unchecked.
        #[default]
        File = "file",
        Model = "model",
        /// A tool's result or words in a session.
        Session = "session",
    }
}

read_vocabulary! {
    /// What Lean's answer means for a declaration, `kernel_checks.verdict`.
    #[derive(Default)]
    KernelVerdict, "verdict" {
        /// From no axioms but those that are allowed.
        Accepted = "accepted",
        /// With `sorryAx` among the axioms.
        Open = "open",
        Axioms = "axioms",
        Compiler = "compiler",
        /// Nothing can be concluded from the answer.
        #[default]
        Unknown = "unknown",
    }
}

read_vocabulary! {
    /// `strategies.outcome`
    Outcome, "outcome" {
        Proven = "proven",
        Partial = "partial",
        Failed = "failed",
        InFlight = "in_flight",
        Untried = "untried",
    }
}

impl Outcome {
    pub fn title(self) -> &'static str {
        match self {
            Self::InFlight => "in flight",
            other => other.as_str(),
        }
    }
}

read_vocabulary! {
    /// `problems.status`
    ProblemStatus, "status" {
        Open = "open",
        Proven = "proven",
        Partial = "partial",
        False = "false",
        InFlight = "in_flight",
    }
}

impl ProblemStatus {
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Proven => "proven",
            Self::Partial => "open, partial results",
            Self::False => "false",
            Self::InFlight => "open, being worked on",
        }
    }
}

read_vocabulary! {
    /// `domains.id`, those of the specification; a database may hold more.
    Domain, "domain" {
        NumberTheory = "nt",
        Algebra = "algebra",
        Combinatorics = "combinatorics",
        Analysis = "analysis",
    }
}

read_vocabulary! {
    /// `runs.source`
    #[derive(Default)]
    RunSource, "source of a run" {
        #[default]
        Session = "session",
        Submission = "submission",
        Result = "result",
    }
}

impl Domain {
    /// As people write it (`number theory`, `graph_theory`).
    pub fn from_words(words: &str) -> Option<Self> {
        const WORDS: [(Domain, &str); 4] = [
            (Domain::NumberTheory, "nt numbertheory arithmetic diophantine"),
            (
                Domain::Algebra,
                "algebra grouptheory ringtheory linearalgebra fieldtheory commutativealgebra \
                 representationtheory",
            ),
            (
                Domain::Combinatorics,
                "combinatorics combinatorial graphtheory graphs extremalcombinatorics ramseytheory settheory",
            ),
            (
                Domain::Analysis,
                "analysis realanalysis complexanalysis measuretheory topology functionalanalysis probability",
            ),
        ];
        let key = word_key(words);
        WORDS.iter().find(|(_, words)| is_among(&key, words)).map(|(domain, _)| *domain)
    }

    /// `nt` for `number theory`; a domain that is none of these keeps its own name, as `geometry`.
    pub fn id_of(words: &str) -> String {
        let own = || words.to_lowercase().split_whitespace().collect::<Vec<_>>().join("_");
        Self::from_words(words).map_or_else(own, |domain| domain.as_str().to_owned())
    }

    /// An unknown one is named by its id.
    pub fn title_of(id: &str) -> String {
        id.parse::<Self>().map_or_else(|_| id.replace('_', " "), |domain| domain.title().to_owned())
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::NumberTheory => "Number Theory",
            Self::Algebra => "Algebra",
            Self::Combinatorics => "Combinatorics",
            Self::Analysis => "Analysis",
        }
    }
}

read_vocabulary! {
    /// `jobs.kind`
    JobKind, "kind of job" {
        Facts = "facts",
        Lesson = "lesson",
        Playbooks = "playbooks",
    }
}

read_vocabulary! {
    /// `jobs.state`
    JobState, "state of a job" {
        Waiting = "waiting",
        Running = "running",
        Done = "done",
        /// Failed too often, or for good; only a person starts it again.
        Dead = "dead",
    }
}

read_vocabulary! {
    LessonPattern, "pattern of lessons" {
        ToolSwitch = "tool_switch",
        ParameterChange = "parameter_change",
        /// A command or library is missing; another one, or installing it, did it.
        MissingReplaced = "missing_replaced",
        /// Failed several times, then the plan was changed.
        PlanChange = "plan_change",
        /// Failed in several ways and was given up.
        StillFailing = "still_failing",
        /// An error of Lean, an edit, and the error is gone.
        LeanFix = "lean_fix",
    }
}

read_vocabulary! {
    FactCategory, "category of facts" {
        Person = "person",
        Project = "project",
        Preference = "preference",
        Decision = "decision",
        Lesson = "lesson",
        Environment = "environment",
        Tool = "tool",
        Task = "task",
        /// The summary of a session; no model names it.
        Session = "session",
    }
}

read_vocabulary! {
    FactScope, "scope of facts" {
        Global = "global",
        Project = "project",
    }
}

read_vocabulary! {
    FactTier, "tier of facts" {
        LongTerm = "long-term",
        Working = "working",
    }
}

read_vocabulary! {
    /// As the model says.
    FactOrigin, "origin of facts" {
        UserSaid = "user_said",
        Inferred = "inferred",
        ToolOutput = "tool_output",
    }
}

/// Without the word that the badge says: `FALSE: x` after `[FALSE]` is `x`.
pub fn headline<'a>(badge: &str, title: &'a str) -> &'a str {
    let word = badge.trim_matches(['[', ']']);
    let repeated = title.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let rest = title.get(word.len()..).and_then(|rest| rest.strip_prefix(": "));
    rest.filter(|rest| repeated && !rest.trim().is_empty()).unwrap_or(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badge_says_its_word_once() {
        for (badge, title, expected) in [
            ("[FALSE]", "FALSE: apex_le", "apex_le"),
            ("[TECHNIQUE]", "Technique: omega (slot1)", "omega (slot1)"),
            ("[FAILED]", "Failed attempt: slot3", "Failed attempt: slot3"),
            ("[PROVEN]", "∀ε: a title", "∀ε: a title"),
            ("[FALSE]", "FALSE: ", "FALSE: "),
        ] {
            assert_eq!(headline(badge, title), expected, "{badge} {title}");
        }
    }

    #[test]
    fn words_are_accepted_in_any_spelling() {
        for word in ["false_lemma", "false-lemma", "False Lemma", "FALSE_LEMMA", "falselemma"] {
            assert_eq!(word.parse::<Kind>(), Ok(Kind::FalseLemma), "{word}");
        }
        let error = "theorm".parse::<Kind>().unwrap_err();
        assert!(
            error.to_string().starts_with("unknown kind `theorm`: use one of theorem, technique")
        );
        assert_eq!(Domain::from_words("Graph-Theory"), Some(Domain::Combinatorics));
        assert_eq!(Domain::from_words("cooking"), None);
    }
}
