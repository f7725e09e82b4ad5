//! How far a row is to be trusted: nothing is true because it was said.

use crate::model::{Confidence, Evidence, word_key};
use crate::tracking::ledger::Submission;
use crate::tracking::status::Standing;

/// What a row of `proven_theorems` and its submission say for a complete proof.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProofClaim<'a> {
    pub submission: Option<&'a Submission>,
    /// Whether somebody judged its definitions right.
    pub definition_correct: Option<bool>,
    /// Whether a person verified it.
    pub by_hand: bool,
    /// Whether the prover's answer itself speaks against it.
    pub is_contradicted: bool,
}

impl ProofClaim<'_> {
    /// A prover's word counts where its submission is proved or verified and has no gap; without it
    /// the row is a claim, and where anything speaks against it, a weak one.
    pub(super) fn trust(&self) -> (Confidence, Evidence) {
        if self.definition_correct == Some(false) {
            return (Confidence::Medium, Evidence::File);
        }
        if self.is_contradicted {
            return (Confidence::Low, Evidence::File);
        }
        if self.by_hand {
            return (Confidence::Verified, Evidence::Person);
        }
        let Some(submission) = self.submission else {
            return (Confidence::Medium, Evidence::File);
        };
        let is_ended_badly = matches!(submission.standing, Standing::False | Standing::Failed);
        if submission.sorry.unwrap_or(0) > 0 || is_ended_badly {
            return (Confidence::Medium, Evidence::File);
        }
        match (submission.verified, submission.standing) {
            (Some(true), _) | (None, Standing::Proved) => (Confidence::Verified, Evidence::Prover),
            _ => (Confidence::Medium, Evidence::File),
        }
    }
}

/// How sure it is that a lemma is false, from the words for its evidence and whether there is a
/// counterexample. Only what somebody or something checked is called disproven.
pub(crate) fn of_falsity(
    evidence_level: Option<&str>,
    verified_by: Option<&str>,
    has_counterexample: bool,
) -> (Confidence, Evidence) {
    let words = [evidence_level, verified_by].map(|word| word_key(word.unwrap_or_default()));
    let says = |part: &str| words.iter().any(|word| word.contains(part));
    let doubts = ["likely", "suspected", "conjectured", "unverified", "notverified", "unproven"];
    if doubts.into_iter().any(says) {
        return (Confidence::Medium, Evidence::File);
    }
    if says("aristotle") || says("prover") {
        return (Confidence::Disproven, Evidence::Prover);
    }
    if says("human") || says("manual") {
        return (Confidence::Disproven, Evidence::Person);
    }
    let checks = [
        "lean",
        "nativedecide",
        "comput",
        "numerical",
        "trivial",
        "verified",
        "proven",
        "counterexample",
    ];
    if checks.into_iter().any(says) {
        return (Confidence::Disproven, Evidence::File);
    }
    let confidence = if has_counterexample { Confidence::High } else { Confidence::Medium };
    (confidence, Evidence::File)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_checked_is_disproven() {
        use Confidence::{Disproven, High, Medium};
        use Evidence::{File, Person, Prover};
        for (level, by, counterexample, expected) in [
            (Some("aristotle_verified"), None, false, (Disproven, Prover)),
            (Some("ai_verified"), None, false, (Disproven, File)),
            (Some("ai_verified"), Some("aristotle"), false, (Disproven, Prover)),
            (Some("lean_verified"), None, false, (Disproven, File)),
            (Some("computationally verified"), None, true, (Disproven, File)),
            (Some("human-verified"), None, false, (Disproven, Person)),
            (Some("trivially_false"), None, false, (Disproven, File)),
            (Some("reasoning_based"), None, false, (Medium, File)),
            (Some("reasoning_based"), None, true, (High, File)),
            (Some("likely_false"), None, true, (Medium, File)),
            (Some("ai_unverified"), None, true, (Medium, File)),
            (Some("not verified"), None, false, (Medium, File)),
            (None, None, true, (High, File)),
            (None, None, false, (Medium, File)),
        ] {
            assert_eq!(of_falsity(level, by, counterexample), expected, "{level:?} {by:?}");
        }
    }
}
