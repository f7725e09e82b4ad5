//! False lemmas and failed approaches, as the database tells them.

use serde::Serialize;

use super::ledger::Ledger;
use super::open::Tracking;
use super::record::Record;
use super::{TrackingError, times};
use crate::model::{Confidence, slot_of, word_key};
use crate::text::{clip, one_line};

/// A lemma that was found false.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FalseLemma {
    /// Its name; where it has none, its number or the beginning of its statement.
    pub name: String,
    #[serde(skip)]
    pub statement: Option<String>,
    /// What it claims, in English where that is known.
    #[serde(rename = "statement")]
    pub english: Option<String>,
    pub counterexample: Option<String>,
    pub why_false: Option<String>,
    pub avoid_pattern: Option<String>,
    pub correct_approach: Option<String>,
    /// How sure they were, for example `aristotle_verified`.
    pub evidence_level: Option<String>,
    pub problem: Option<String>,
    pub slot: Option<i64>,
    #[serde(skip)]
    pub impact: Option<String>,
    /// When it was found, `YYYY-MM-DD HH:MM:SS` UTC.
    pub found_at: Option<String>,
    #[serde(skip)]
    pub(super) row: u64,
    #[serde(skip)]
    pub(super) has_name: bool,
    #[serde(skip)]
    pub(super) frontier: Option<String>,
    #[serde(skip)]
    pub(super) submission: Option<String>,
    #[serde(skip)]
    pub(super) verified_by: Option<String>,
    #[serde(skip)]
    pub(super) notes: Option<String>,
}

const LEMMA_COLUMNS: &[&str] = &[
    "id",
    "pattern_number",
    "lemma_name",
    "false_statement",
    "false_statement_english",
    "counterexample",
    "why_false",
    "evidence_level",
    "discovered_by",
    "discovered_date",
    "verified_by",
    "related_slot",
    "aristotle_uuid",
    "impact",
    "avoid_pattern",
    "correct_approach",
    "created_at",
    "notes",
    "frontier_id",
];

impl FalseLemma {
    /// Without a ledger nothing is said of its problem.
    fn read(record: &Record<'_, '_>, ledger: Option<&Ledger>) -> Self {
        let text = |column| record.text(column);
        let name = text("lemma_name");
        let (statement, english) = (text("false_statement"), text("false_statement_english"));
        let claim = statement.as_deref().or(english.as_deref());
        let unnamed = || {
            text("pattern_number")
                .map(|number| format!("pattern {number}"))
                .or_else(|| claim.map(|claim| clip(&one_line(claim), 60)))
        };
        let related = text("related_slot");
        let slot = related.as_deref().and_then(slot_in_list);
        let frontier = text("frontier_id");
        let impact = text("impact");
        let uuid = text("aristotle_uuid");
        let submission = ledger.and_then(|ledger| {
            let prefix = related.as_deref().and_then(uuid_prefix);
            uuid.as_deref()
                .and_then(|uuid| ledger.by_uuid(&uuid.to_ascii_lowercase()))
                .or_else(|| ledger.by_uuid_prefix(&prefix?))
        });
        let problem = ledger.and_then(|ledger| {
            let stated = submission.and_then(|s| s.problem.clone());
            stated.or_else(|| lemma_problem(ledger, frontier.as_deref(), impact.as_deref(), slot))
        });
        Self {
            has_name: name.is_some(),
            name: name.or_else(unnamed).unwrap_or_default(),
            problem,
            statement,
            english,
            counterexample: text("counterexample"),
            why_false: text("why_false"),
            avoid_pattern: text("avoid_pattern"),
            correct_approach: text("correct_approach"),
            evidence_level: text("evidence_level"),
            slot: slot.or_else(|| submission?.slot),
            impact,
            found_at: ["discovered_date", "created_at"]
                .into_iter()
                .find_map(|column| times::normal(&text(column)?)),
            row: record.number(),
            frontier,
            submission: uuid.or_else(|| submission?.uuid.clone()),
            verified_by: text("verified_by"),
            notes: text("notes"),
        }
    }

    /// Its name, where it has one that can stand in a Lean text.
    pub fn lean_name(&self) -> Option<&str> {
        let is_name = self.has_name && !self.name.contains(char::is_whitespace);
        is_name.then_some(self.name.as_str())
    }

    /// Whether somebody or something checked that it is false.
    pub fn is_checked(&self) -> bool {
        let has_counterexample = self.counterexample.is_some();
        let (level, by) = (self.evidence_level.as_deref(), self.verified_by.as_deref());
        let (confidence, _) = super::import::of_falsity(level, by, has_counterexample);
        confidence == Confidence::Disproven
    }

    /// Whether each word of the keyword stands in what is said of it, or the whole names its problem.
    fn mentions(&self, keyword: &str) -> bool {
        let fields = [
            Some(&self.name),
            self.statement.as_ref(),
            self.english.as_ref(),
            self.why_false.as_ref(),
            self.counterexample.as_ref(),
            self.avoid_pattern.as_ref(),
            self.impact.as_ref(),
            self.problem.as_ref(),
        ];
        mention(&fields, keyword)
    }

    /// Whether it belongs to the problem with this [`word_key`], or says its name.
    pub(super) fn is_about(&self, key: &str) -> bool {
        let owners = [self.problem.as_deref(), self.frontier.as_deref()];
        let says = [Some(self.name.as_str()), self.impact.as_deref(), self.english.as_deref()];
        owners.into_iter().flatten().any(|owner| word_key(owner) == key)
            || says.into_iter().flatten().any(|text| says_words(text, key))
    }
}

/// The problem of a false lemma of which no submission is known: the one that its impact names, the one
/// of its slot, its frontier.
fn lemma_problem(
    ledger: &Ledger,
    frontier: Option<&str>,
    impact: Option<&str>,
    slot: Option<i64>,
) -> Option<String> {
    let known = frontier.and_then(|id| ledger.problem_in_text(id));
    let of_slot = || ledger.join(None, "", slot).and_then(|(row, _)| row.problem.clone());
    impact
        .and_then(|text| ledger.problem_in_text(text))
        .or_else(of_slot)
        .or(known)
        .or_else(|| frontier.and_then(|id| ledger.problem(id)))
}

/// An approach that was tried and failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FailedApproach {
    pub name: String,
    #[serde(skip)]
    pub description: Option<String>,
    pub why_failed: Option<String>,
    /// Their word for the sort of failure, for example `missing_lemma`.
    #[serde(skip)]
    pub category: Option<String>,
    #[serde(skip)]
    pub learned: Option<String>,
    pub avoid_pattern: Option<String>,
    #[serde(skip)]
    pub problem: Option<String>,
    /// Slot of the submission that tried it.
    #[serde(skip)]
    pub slot: Option<i64>,
    /// When, `YYYY-MM-DD HH:MM:SS` UTC.
    #[serde(skip)]
    pub created_at: Option<String>,
    #[serde(skip)]
    pub(super) row: u64,
    #[serde(skip)]
    pub(super) has_name: bool,
    #[serde(skip)]
    pub(super) frontier: Option<String>,
    #[serde(skip)]
    pub(super) submission: Option<String>,
    #[serde(skip)]
    pub(super) partial_progress: Option<String>,
    #[serde(skip)]
    pub(super) falsity_proof: Option<String>,
}

const APPROACH_COLUMNS: &[&str] = &[
    "id",
    "frontier_id",
    "problem_id",
    "approach_name",
    "approach_description",
    "why_failed",
    "failure_category",
    "submission_uuid",
    "partial_progress",
    "learned_insight",
    "avoid_pattern",
    "created_at",
    "falsity_proof",
];

impl FailedApproach {
    fn read(record: &Record<'_, '_>, ledger: &Ledger) -> Self {
        let text = |column| record.text(column);
        let name = text("approach_name");
        let description = text("approach_description");
        let submission = text("submission_uuid");
        let attempt = submission.as_deref().and_then(|uuid| ledger.by_uuid(uuid));
        let frontier = text("frontier_id");
        let stated = text("problem_id");
        let known = |id: &Option<String>| id.as_deref().and_then(|id| ledger.problem_in_text(id));
        let problem = known(&stated)
            .or_else(|| attempt.and_then(|s| s.problem.clone()))
            .or_else(|| known(&frontier))
            .or_else(|| stated.as_deref().and_then(|id| ledger.problem(id)))
            .or_else(|| frontier.as_deref().and_then(|id| ledger.problem(id)));
        let unnamed = || description.as_deref().map(|text| clip(&one_line(text), 60));
        Self {
            has_name: name.is_some(),
            name: name.or_else(unnamed).unwrap_or_default(),
            description,
            why_failed: text("why_failed"),
            category: text("failure_category"),
            learned: text("learned_insight"),
            avoid_pattern: text("avoid_pattern"),
            problem,
            slot: attempt.and_then(|s| s.slot),
            created_at: text("created_at").and_then(|time| times::normal(&time)),
            row: record.number(),
            frontier,
            submission,
            partial_progress: text("partial_progress"),
            falsity_proof: text("falsity_proof"),
        }
    }

    /// As [`FalseLemma::is_about`].
    pub(super) fn is_about(&self, key: &str) -> bool {
        let owners = [self.problem.as_deref(), self.frontier.as_deref()];
        let says = [Some(self.name.as_str()), self.description.as_deref()];
        owners.into_iter().flatten().any(|owner| word_key(owner) == key)
            || says.into_iter().flatten().any(|text| says_words(text, key))
    }
}

impl Tracking {
    /// False lemmas of which the keyword says something, newest first; all without a keyword.
    ///
    /// # Errors
    /// When the database is damaged, locked or too slow; a missing table is none.
    pub fn false_lemmas(&self, keyword: Option<&str>) -> Result<Vec<FalseLemma>, TrackingError> {
        self.restart_deadline();
        let ledger = Ledger::load(self, &[])?;
        let mut lemmas = self.lemmas(&ledger)?;
        lemmas.retain(|lemma| keyword.is_none_or(|keyword| lemma.mentions(keyword)));
        lemmas.sort_by(|a, b| b.found_at.cmp(&a.found_at));
        Ok(lemmas)
    }

    /// False lemmas, newest first, without their problems: for these all submissions would be read.
    pub fn false_lemmas_alone(&self) -> Result<Vec<FalseLemma>, TrackingError> {
        self.restart_deadline();
        let mut lemmas = self.lemmas_of(None)?;
        lemmas.sort_by(|a, b| b.found_at.cmp(&a.found_at));
        Ok(lemmas)
    }

    /// All false lemmas in the order of the file.
    pub(super) fn lemmas(&self, ledger: &Ledger) -> Result<Vec<FalseLemma>, TrackingError> {
        self.lemmas_of(Some(ledger))
    }

    fn lemmas_of(&self, ledger: Option<&Ledger>) -> Result<Vec<FalseLemma>, TrackingError> {
        let mut lemmas = Vec::new();
        self.scan("false_lemmas", LEMMA_COLUMNS, |record| {
            lemmas.push(FalseLemma::read(record, ledger));
        })?;
        Ok(lemmas)
    }

    /// All failed approaches in the order of the file.
    pub(super) fn approaches(&self, ledger: &Ledger) -> Result<Vec<FailedApproach>, TrackingError> {
        let mut approaches = Vec::new();
        self.scan("failed_approaches", APPROACH_COLUMNS, |record| {
            approaches.push(FailedApproach::read(record, ledger));
        })?;
        Ok(approaches)
    }
}

/// The first slot of `12`, `slot12`, `slot12, slot15`, `12/15`; the beginning of a uuid is none.
fn slot_in_list(text: &str) -> Option<i64> {
    slot_of(text).or_else(|| {
        let end = |c: char| !c.is_ascii_alphanumeric();
        // More digits are the beginning of a uuid.
        text.trim_start().split(end).next().filter(|digits| digits.len() < 8)?.parse().ok()
    })
}

/// The beginning of a uuid, where a text is one.
fn uuid_prefix(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let is_hex = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    (text.len() >= 8 && is_hex).then_some(text)
}

fn mention(fields: &[Option<&String>], keyword: &str) -> bool {
    let key = word_key(keyword);
    let fields: Vec<String> = fields.iter().flatten().map(|field| field.to_lowercase()).collect();
    let has_word = |word: &str| fields.iter().any(|field| field.contains(word));
    let keyword = keyword.to_lowercase();
    let mut words = keyword.split_whitespace().peekable();
    (words.peek().is_some() && words.all(has_word))
        || (!key.is_empty() && fields.iter().any(|field| word_key(field).contains(&key)))
}

/// Whether consecutive whole words of a text, run together, are the key: `erdos_850_x` says `erdos850`.
pub(super) fn says_words(text: &str, key: &str) -> bool {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .map(word_key)
        .filter(|w| !w.is_empty())
        .collect();
    (0..words.len()).any(|start| {
        let mut rest = key;
        for word in words.iter().skip(start) {
            match rest.strip_prefix(word.as_str()) {
                Some("") => return true,
                Some(more) => rest = more,
                None => return false,
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_in_lists() {
        for (input, expected) in [
            ("12", Some(12)),
            ("slot12", Some(12)),
            ("slot12, slot15", Some(12)),
            ("12/15", Some(12)),
            ("none", None),
            ("2949b366", None),
            ("", None),
        ] {
            assert_eq!(slot_in_list(input), expected, "{input:?}");
        }
    }

    #[test]
    fn problems_are_named_by_whole_words() {
        for (text, key, expected) in [
            ("blocks erdos_850", "erdos850", true),
            ("blocks Erdos 850!", "erdos850", true),
            ("blocks erdos_8501", "erdos850", false),
            ("apex_erdos850_x", "erdos850", true),
            ("", "erdos850", false),
            ("x", "", false),
        ] {
            assert_eq!(says_words(text, key), expected, "{text:?} {key:?}");
        }
    }
}
