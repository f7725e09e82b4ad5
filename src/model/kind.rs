//! The closed vocabularies of the knowledge base. Every word is accepted with `-`, `_`, blanks and
//! in any case; the spelling of the database is the one with underscores.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::names::word_key;
use crate::text::vocabulary;

/// A word that is not in the vocabulary; its message lists the words that are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// What the vocabulary is called, for example `kind`.
    pub vocabulary: &'static str,
    pub word: String,
    /// What would have been accepted.
    pub known: Vec<&'static str>,
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown {} `{}`: use one of {}",
            self.vocabulary,
            self.word,
            self.known.join(", ")
        )
    }
}

impl std::error::Error for UnknownWord {}

/// A vocabulary that is read from words too.
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
    /// What sort of knowledge a finding is (`findings.finding_type`).
    Kind, "kind" {
        /// A proven mathematical result.
        Theorem = "theorem",
        /// A proof technique that worked.
        Technique = "technique",
        /// An approach that failed, and why.
        Failure = "failure",
        /// A disproven claim.
        FalseLemma = "false_lemma",
        /// A computational result: a witness, a pattern, a bound.
        Computation = "computation",
        /// A useful discovery in Mathlib's API.
        MathlibApi = "mathlib_api",
        /// A strategic or structural observation.
        Insight = "insight",
        /// What failed, then what worked instead.
        Lesson = "lesson",
        /// A keyed fact about a project, a person or a tool.
        Fact = "fact",
        /// A reusable way of working, distilled from completed runs.
        Playbook = "playbook",
        /// How a person wants things done.
        Preference = "preference",
        /// What was decided, and why.
        Decision = "decision",
    }
}

impl Kind {
    /// Whether people word it themselves. What somebody said proves nothing and disproves nothing, so a
    /// theorem or a false lemma is none of these, and a computation's witness neither.
    pub const fn is_worded(self) -> bool {
        !matches!(self, Self::Theorem | Self::FalseLemma | Self::Computation)
    }

    /// The badge shown before a title, as the specification names them.
    pub fn badge(self) -> &'static str {
        match self {
            Self::Theorem => "[PROVEN]",
            Self::Technique => "[TECHNIQUE]",
            Self::Failure => "[FAILED]",
            Self::FalseLemma => "[FALSE]",
            Self::Computation => "[COMPUTED]",
            Self::MathlibApi => "[MATHLIB_API]",
            Self::Insight => "[INSIGHT]",
            Self::Lesson => "[LESSON]",
            Self::Fact => "[FACT]",
            Self::Playbook => "[PLAYBOOK]",
            Self::Preference => "[PREFERENCE]",
            Self::Decision => "[DECISION]",
        }
    }

    /// What one and what several of it are called.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Theorem => ("theorem", "theorems"),
            Self::Technique => ("technique", "techniques"),
            Self::Failure => ("failed approach", "failed approaches"),
            Self::FalseLemma => ("false lemma", "false lemmas"),
            Self::Computation => ("computation", "computations"),
            Self::MathlibApi => ("Mathlib note", "Mathlib notes"),
            Self::Insight => ("insight", "insights"),
            Self::Lesson => ("lesson", "lessons"),
            Self::Fact => ("fact", "facts"),
            Self::Playbook => ("playbook", "playbooks"),
            Self::Preference => ("preference", "preferences"),
            Self::Decision => ("decision", "decisions"),
        }
    }
}

read_vocabulary! {
    /// How far a finding is to be trusted (`findings.confidence`).
    Confidence, "confidence" {
        /// Checked by a prover, no gap and no axiom in its file.
        Verified = "verified",
        /// Strong evidence.
        High = "high",
        /// A single source, plausible.
        Medium = "medium",
        /// Speculative.
        Low = "low",
        /// Known to be false.
        Disproven = "disproven",
    }
}

read_vocabulary! {
    /// Where a finding stands (`findings.status`).
    Status, "status" {
        /// It waits for a person's word.
        Proposed = "proposed",
        /// Somebody or something says so.
        Claimed = "claimed",
        /// A person stands for it.
        Confirmed = "confirmed",
        /// Another finding stands in its place.
        Superseded = "superseded",
        /// A person does not want it.
        Dropped = "dropped",
    }
}

impl Status {
    /// Whether it is knowledge: what is only proposed, was replaced or was dropped is shown to whoever
    /// asks for just that.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Claimed | Self::Confirmed)
    }
}

read_vocabulary! {
    /// What stands behind a finding (`findings.evidence`), the strongest first.
    Evidence, "evidence" {
        /// Lean accepted it.
        Kernel = "kernel",
        /// A person entered or confirmed it.
        Person = "person",
        /// A result file with the prover's own header vouches for it.
        Prover = "prover",
        /// It stands in a file or a database of the owner's, which nobody checked.
        File = "file",
        /// A language model said so.
        Model = "model",
        /// It came up in a session: in the result of a tool, or in words.
        Session = "session",
    }
}

read_vocabulary! {
    /// How an approach to a problem ended (`strategies.outcome`).
    Outcome, "outcome" {
        /// It proved the problem.
        Proven = "proven",
        /// Some progress.
        Partial = "partial",
        /// It failed.
        Failed = "failed",
        /// It is being tried.
        InFlight = "in_flight",
        /// It was proposed only.
        Untried = "untried",
    }
}

impl Outcome {
    /// The outcome for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::InFlight => "in flight",
            other => other.as_str(),
        }
    }
}

read_vocabulary! {
    /// Where a problem stands (`problems.status`).
    ProblemStatus, "status" {
        /// Unsolved.
        Open = "open",
        /// Fully proven.
        Proven = "proven",
        /// Some cases or bounds are proven.
        Partial = "partial",
        /// Disproven.
        False = "false",
        /// Attempts are under way.
        InFlight = "in_flight",
    }
}

impl ProblemStatus {
    /// The status for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Proven => "proven",
            Self::Partial => "open, partial results",
            Self::False => "false",
            Self::InFlight => "open, in flight",
        }
    }
}

read_vocabulary! {
    /// The mathematical domains that the specification names (`domains.id`). A database may hold more.
    Domain, "domain" {
        /// Number theory.
        NumberTheory = "nt",
        /// Algebra.
        Algebra = "algebra",
        /// Combinatorics.
        Combinatorics = "combinatorics",
        /// Analysis.
        Analysis = "analysis",
    }
}

read_vocabulary! {
    /// Where a completed run is known from (`runs.source`).
    RunSource, "source of a run" {
        /// A session of the client that ended.
        Session = "session",
        /// A submission of a tracking database.
        Submission = "submission",
        /// A prover's result file.
        Result = "result",
    }
}

impl Domain {
    /// Reads a domain as people write it (`number theory`, `graph_theory`); `None` where it is no known one.
    pub fn from_words(words: &str) -> Option<Self> {
        match word_key(words).as_str() {
            "nt" | "numbertheory" | "arithmetic" | "diophantine" => Some(Self::NumberTheory),
            "algebra"
            | "grouptheory"
            | "ringtheory"
            | "linearalgebra"
            | "fieldtheory"
            | "commutativealgebra"
            | "representationtheory" => Some(Self::Algebra),
            "combinatorics"
            | "combinatorial"
            | "graphtheory"
            | "graphs"
            | "extremalcombinatorics"
            | "ramseytheory"
            | "settheory" => Some(Self::Combinatorics),
            "analysis" | "realanalysis" | "complexanalysis" | "measuretheory" | "topology"
            | "functionalanalysis" | "probability" => Some(Self::Analysis),
            _ => None,
        }
    }

    /// The name for people of a domain by its id; another one is named by its id.
    pub fn title_of(id: &str) -> String {
        id.parse::<Self>().map_or_else(|_| id.replace('_', " "), |domain| domain.title().to_owned())
    }

    /// The name for people.
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
    /// What is to be done in the background (`jobs.kind`).
    JobKind, "kind of job" {
        /// Facts out of the transcript of a session that ended.
        Facts = "facts",
        /// A lesson that rules found, in words.
        Lesson = "lesson",
        /// Playbook entries out of completed runs.
        Playbooks = "playbooks",
    }
}

read_vocabulary! {
    /// Where a job stands (`jobs.state`).
    JobState, "state of a job" {
        /// It is to be done, at once or later.
        Waiting = "waiting",
        /// A process is at it.
        Running = "running",
        /// It is done.
        Done = "done",
        /// It failed too often, or for a reason that does not pass; only a person starts it again.
        Dead = "dead",
    }
}

read_vocabulary! {
    /// How a lesson came about.
    LessonPattern, "pattern of lessons" {
        /// One tool failed, another one did it.
        ToolSwitch = "tool_switch",
        /// The same tool did it with other parameters.
        ParameterChange = "parameter_change",
        /// A command or library is not there; another one did it, or installing it.
        MissingReplaced = "missing_replaced",
        /// Failed several times, then the plan was changed and it worked.
        PlanChange = "plan_change",
        /// Failed several times in several ways, and was given up.
        StillFailing = "still_failing",
        /// An error of Lean, an edit, and the error is gone.
        LeanFix = "lean_fix",
    }
}

read_vocabulary! {
    /// What a fact is about.
    FactCategory, "category of facts" {
        /// Somebody, and what they do.
        Person = "person",
        /// A project and its state.
        Project = "project",
        /// How somebody wants things done.
        Preference = "preference",
        /// What was decided, and why.
        Decision = "decision",
        /// What was learnt the hard way.
        Lesson = "lesson",
        /// Machines, versions, paths.
        Environment = "environment",
        /// A tool or tactic, and how it behaves.
        Tool = "tool",
        /// What is being worked on.
        Task = "task",
        /// The summary of a session; no model names it.
        Session = "session",
    }
}

read_vocabulary! {
    /// Where a fact holds.
    FactScope, "scope of facts" {
        /// Everywhere.
        Global = "global",
        /// In the project that it was found in.
        Project = "project",
    }
}

read_vocabulary! {
    /// How long a fact is meant to be of use.
    FactTier, "tier of facts" {
        /// For weeks and longer.
        LongTerm = "long-term",
        /// While something is being worked on.
        Working = "working",
    }
}

read_vocabulary! {
    /// Where a fact comes from, as the model says.
    FactOrigin, "origin of facts" {
        /// The person said it outright.
        UserSaid = "user_said",
        /// It follows from the rest.
        Inferred = "inferred",
        /// A tool printed it.
        ToolOutput = "tool_output",
    }
}

/// A title without the word that the badge before it says already: `FALSE: x` after `[FALSE]` is `x`.
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
