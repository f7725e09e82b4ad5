//! What a submission's status means: one table for the import and the briefing.

use serde::{Deserialize, Serialize};

use crate::model::{Outcome, word_key};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The prover works on it, or will.
    InFlight,
    /// Proved, without a gap.
    Proved,
    /// One gap is left of an otherwise proved file.
    NearMiss,
    /// The prover found the claim false.
    False,
    /// It ended without a result.
    Failed,
    /// Anything else, also no status and unknown ones.
    #[default]
    History,
}

pub(super) fn standing(status: Option<&str>, gaps: Option<i64>, proven: Option<i64>) -> Standing {
    let word = word_key(status.unwrap_or_default());
    match word.as_str() {
        "submitted" | "running" | "inprogress" | "queued" | "pending" => Standing::InFlight,
        "disproven" | "disproved" | "likelyfalse" => Standing::False,
        "failed" | "compilefailed" | "error" | "timeout" | "invalid" | "broken" => Standing::Failed,
        "nearmiss" => Standing::NearMiss,
        "compiledpartial" if gaps == Some(1) => Standing::NearMiss,
        word if is_result(word) && gaps == Some(1) && proven > Some(5) => Standing::NearMiss,
        "completed" if gaps == Some(0) => Standing::Proved,
        "proven" | "compiledclean" | "compilednoadvance" | "compiledadvance"
            if gaps.unwrap_or(0) == 0 =>
        {
            Standing::Proved
        }
        _ => Standing::History,
    }
}

fn is_result(word: &str) -> bool {
    matches!(word, "completed" | "partial" | "incomplete" | "proven")
        || word.starts_with("compiled")
}

/// Whether a result waits to be fetched: it is complete and nobody has verified or refused it.
pub(super) fn is_fetchable(status: Option<&str>, verified: Option<bool>) -> bool {
    let word = word_key(status.unwrap_or_default());
    verified.is_none() && (word == "completed" || word.starts_with("compiled"))
}

/// How the approach of such a submission ended; `None` where its status does not say.
pub(super) fn outcome(standing: Standing, status: Option<&str>) -> Option<Outcome> {
    match standing {
        Standing::InFlight => Some(Outcome::InFlight),
        Standing::Proved => Some(Outcome::Proven),
        Standing::NearMiss => Some(Outcome::Partial),
        Standing::False | Standing::Failed => Some(Outcome::Failed),
        Standing::History => {
            let word = word_key(status.unwrap_or_default());
            let partial = matches!(word.as_str(), "partial" | "incomplete" | "compiledpartial");
            partial.then_some(Outcome::Partial)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Standing::*;
    use super::*;

    #[test]
    fn statuses_of_both_vocabularies() {
        for (status, gaps, proven, expected) in [
            ("submitted", None, None, InFlight),
            ("running", None, None, InFlight),
            ("in_progress", None, None, InFlight),
            ("In Progress", Some(1), Some(9), InFlight),
            ("queued", None, None, InFlight),
            ("PENDING", None, None, InFlight),
            ("proven", Some(0), Some(3), Proved),
            ("proven", None, None, Proved),
            ("proven", Some(3), Some(9), History),
            ("compiled_clean", Some(0), Some(3), Proved),
            ("compiled-no-advance", Some(0), None, Proved),
            ("compiled_advance", None, Some(3), Proved),
            ("completed", Some(0), None, Proved),
            ("completed", None, None, History),
            ("completed", Some(1), Some(6), NearMiss),
            ("completed", Some(1), Some(5), History),
            ("completed", Some(1), None, History),
            ("completed", Some(2), Some(50), History),
            ("near_miss", None, None, NearMiss),
            ("near miss", Some(1), Some(0), NearMiss),
            ("compiled_partial", Some(1), Some(0), NearMiss),
            ("compiled_partial", Some(2), Some(9), History),
            ("compiled_partial", None, None, History),
            ("partial", Some(1), Some(12), NearMiss),
            ("disproven", Some(1), Some(12), False),
            ("disproved", None, None, False),
            ("likely_false", None, None, False),
            ("failed", Some(1), Some(12), Failed),
            ("compile_failed", None, None, Failed),
            ("error", None, None, Failed),
            ("timeout", None, None, Failed),
            ("invalid", None, None, Failed),
            ("broken", None, None, Failed),
            ("stale", Some(1), Some(12), History),
            ("historical", Some(0), None, History),
            ("draft", None, None, History),
            ("'; DROP", None, None, History),
            ("", Some(1), Some(12), History),
        ] {
            assert_eq!(
                standing(Some(status), gaps, proven),
                expected,
                "{status} {gaps:?} {proven:?}"
            );
        }
        assert_eq!(standing(None, Some(1), Some(9)), History);
    }

    #[test]
    fn results_wait_until_somebody_looked() {
        for (status, verified, expected) in [
            ("completed", None, true),
            ("compiled_no_advance", None, true),
            ("Compiled-Partial", None, true),
            ("completed", Some(true), false),
            ("completed", Some(false), false),
            ("compile_failed", None, false),
            ("proven", None, false),
        ] {
            assert_eq!(is_fetchable(Some(status), verified), expected, "{status} {verified:?}");
        }
        assert!(!is_fetchable(None, None));
    }

    #[test]
    fn only_a_partial_result_of_history_says_how_it_ended() {
        assert_eq!(outcome(History, Some("compiled_partial")), Some(Outcome::Partial));
        assert_eq!(outcome(History, Some("stale")), None);
        assert_eq!(outcome(History, None), None);
        assert_eq!(outcome(False, Some("disproven")), Some(Outcome::Failed));
    }
}
