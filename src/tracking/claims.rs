//! False lemmas and failed approaches, as drafts of knowledge: what an import stores, and what is told of a
//! database that nobody has imported.

use std::collections::{BTreeSet, HashMap};

use super::ledger::Ledger;
use super::open::Tracking;
use super::rows::Row;
use crate::model::{
    Confidence, Draft, Evidence, Kind, Outcome, StrategyDraft, display_name, slot_of, word_key,
};
use crate::text::{clip, first_sentence, one_line};

pub(super) struct Claim {
    pub(super) row: u64,
    /// Its name; where it has none, its number or the beginning of what it says.
    pub(super) name: String,
    pub(super) draft: Draft,
    /// A failed approach is a strategy too, where its problem is known.
    pub(super) strategy: Option<StrategyDraft>,
}

/// `tried`: by the name of a lemma the slots that tried it.
fn lemma(row: &Row, ledger: &Ledger, tried: &HashMap<&str, BTreeSet<&str>>) -> Claim {
    let own_name = row.get("lemma_name");
    let (statement, english) = (row.get("false_statement"), row.get("false_statement_english"));
    let unnamed = || {
        let number = row.get("pattern_number").map(|number| format!("pattern {number}"));
        number.or_else(|| Some(clip(&one_line(statement.or(english)?), 60)))
    };
    let name = own_name.map(str::to_owned).or_else(unnamed).unwrap_or_default();
    let (level, by) = (row.get("evidence_level"), row.get("verified_by"));
    let (frontier, impact) = (row.get("frontier_id"), row.get("impact"));
    let (related, uuid) = (row.get("related_slot"), row.get("aristotle_uuid"));
    let slot = related.and_then(slot_in_list);
    let submission = uuid
        .and_then(|uuid| ledger.by_uuid(uuid))
        .or_else(|| ledger.by_uuid_prefix(&uuid_prefix(related?)?));
    // What is worded in Lean repeats the name, and is shown below it.
    let worded = english.filter(|text| own_name.is_some() && !text.contains(&name));
    let title = match worded {
        Some(claim) => format!("{name}: {}", clip(first_sentence(claim), 80)),
        None => name.clone(),
    };
    let counterexample = row.text("counterexample");
    let (confidence, evidence) = of_falsity(level, by, counterexample.is_some());
    let is_sure = confidence == Confidence::Disproven;
    let verdict = if is_sure { "Disproven" } else { "Said to be false" };
    let claim = english.or(statement).unwrap_or(&name);
    let mut draft = Draft::new(Kind::FalseLemma, title, format!("{verdict}: {claim}"));
    draft.problem = submission
        .and_then(|s| s.problem.clone())
        .or_else(|| ledger.problem_in_text(impact?))
        .or_else(|| ledger.join(None, "", slot)?.0.problem.clone())
        .or_else(|| ledger.problem_in_text(frontier?))
        .or_else(|| only(ledger.of_frontier(frontier?)))
        .or_else(|| ledger.problem(frontier?));
    draft.source.slot = slot.or_else(|| submission?.slot);
    draft.source.submission = row.text("aristotle_uuid").or_else(|| submission?.uuid.clone());
    draft.theorem_name = own_name.map(str::to_owned);
    draft.theorem_statement = statement.map(str::to_owned);
    draft.counterexample = counterexample;
    draft.why_failed = row.text("why_false");
    draft.avoid_pattern = row.text("avoid_pattern");
    draft.correct_approach = row.text("correct_approach");
    (draft.confidence, draft.evidence) = (confidence, evidence);
    draft.tags = tags(&[Some("false_lemma"), level, frontier]);
    let tried =
        tried.get(name.as_str()).map(|slots| slots.iter().copied().collect::<Vec<_>>().join(", "));
    draft.notes = labelled(&[
        ("Impact", impact),
        ("Tried in", tried.as_deref()),
        ("Verified by", by),
        ("Notes", row.get("notes")),
    ]);
    let of_slot = || submission.or_else(|| Some(ledger.join(None, "", Some(slot?))?.0));
    draft.created_at = row
        .time("discovered_date")
        .or_else(|| row.time("created_at"))
        .or_else(|| of_slot()?.happened_at().map(str::to_owned));
    Claim { row: row.number, name, draft, strategy: None }
}

/// A frontier under which there is one problem means it.
fn only(problems: Vec<String>) -> Option<String> {
    <[String; 1]>::try_from(problems).ok().map(|[one]| one)
}

fn approach(row: &Row, ledger: &Ledger) -> Claim {
    let description = row.get("approach_description");
    let unnamed = || Some(clip(&one_line(description?), 60));
    let name = row.text("approach_name").or_else(unnamed).unwrap_or_default();
    let attempt = row.get("submission_uuid").and_then(|uuid| ledger.by_uuid(uuid));
    let (frontier, stated) = (row.get("frontier_id"), row.get("problem_id"));
    let learned = row.get("learned_insight");
    // It is searched, as notes are not.
    let told = learned.map(|learned| format!("Learned: {learned}"));
    let told: Vec<&str> = description.into_iter().chain(told.as_deref()).collect();
    let told = if told.is_empty() { name.clone() } else { told.join("\n") };
    let mut draft = Draft::new(Kind::Failure, &name, &told);
    draft.problem = stated
        .and_then(|id| ledger.problem_in_text(id))
        .or_else(|| attempt?.problem.clone())
        .or_else(|| ledger.problem_in_text(frontier?))
        .or_else(|| only(ledger.of_frontier(frontier?)))
        .or_else(|| ledger.problem(stated?))
        .or_else(|| ledger.problem(frontier?));
    draft.source.slot = attempt.and_then(|s| s.slot);
    draft.source.submission = row.text("submission_uuid");
    draft.why_failed = row.text("why_failed");
    draft.avoid_pattern = row.text("avoid_pattern");
    // Somebody who was there says so; one report, and nothing that checks it.
    draft.confidence = Confidence::High;
    draft.tags = tags(&[Some("failure"), row.get("failure_category"), frontier]);
    draft.notes = labelled(&[
        ("Partial progress", row.get("partial_progress")),
        ("Falsity proof", row.get("falsity_proof")),
    ]);
    let of_attempt = || attempt?.happened_at().map(str::to_owned);
    draft.created_at = row.time("created_at").or_else(of_attempt);
    let learned: Vec<&str> = draft.why_failed.as_deref().into_iter().chain(learned).collect();
    let strategy = draft.problem.as_ref().map(|problem| StrategyDraft {
        problem: problem.clone(),
        problem_name: display_name(problem),
        domain: None,
        approach: name.clone(),
        description: description.map(str::to_owned),
        outcome: Outcome::Failed,
        slot: draft.source.slot,
        submission: draft.source.submission.clone(),
        learned: Some(learned.join("\n")).filter(|text| !text.is_empty()),
        source_file: None,
        attempted_at: draft.created_at.clone(),
    });
    Claim { row: row.number, name, draft, strategy }
}

impl Tracking {
    /// What is false and what failed, the newest first.
    pub fn refused(&self) -> &[Draft] {
        self.refused.get_or_init(|| {
            let claims = self.lemmas().into_iter().chain(self.approaches());
            let named = claims.filter(|claim| !claim.name.is_empty());
            let mut drafts: Vec<Draft> = named.map(|claim| claim.draft).collect();
            drafts.sort_by(|a, b| b.created_at.cmp(&a.created_at));
            drafts
        })
    }

    pub(super) fn lemmas(&self) -> Vec<Claim> {
        let ledger = &self.ledger;
        let mut tried: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for submission in &ledger.submissions {
            for name in &submission.false_targets {
                tried.entry(name).or_default().insert(&submission.label);
            }
        }
        self.tables.rows("false_lemmas").iter().map(|row| lemma(row, ledger, &tried)).collect()
    }

    pub(super) fn approaches(&self) -> Vec<Claim> {
        let rows = self.tables.rows("failed_approaches").iter();
        rows.map(|row| approach(row, &self.ledger)).collect()
    }
}

/// Whether a draft belongs to the problem with this [`word_key`], or says its name.
pub(super) fn is_about(draft: &Draft, key: &str) -> bool {
    let owners = draft.tags.iter().chain(&draft.problem);
    let says = [Some(&draft.title), Some(&draft.description), draft.notes.as_ref()];
    owners.into_iter().any(|owner| word_key(owner) == key)
        || says.into_iter().flatten().any(|text| says_words(text, key))
}

/// The first slot of `12`, `slot12`, `slot12, slot15`, `12/15`; the beginning of a uuid is none.
fn slot_in_list(text: &str) -> Option<i64> {
    slot_of(text).or_else(|| {
        let end = |c: char| !c.is_ascii_alphanumeric();
        // More digits are the beginning of a uuid.
        text.trim_start().split(end).next().filter(|digits| digits.len() < 8)?.parse().ok()
    })
}

/// In place of a slot some owners write how a uuid begins.
fn uuid_prefix(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let is_hex = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    (text.len() >= 8 && is_hex).then_some(text)
}

pub(super) fn labelled(lines: &[(&str, Option<&str>)]) -> Option<String> {
    let lines: Vec<String> = lines
        .iter()
        .filter_map(|(label, text)| text.map(|text| format!("{label}: {text}")))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn tags(words: &[Option<&str>]) -> Vec<String> {
    let tag = |word: &&str| {
        let parts = word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("_").to_lowercase()
    };
    words.iter().flatten().map(tag).collect()
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

/// How sure it is, by the first part of a word that one of the two columns has: only what somebody or something
/// checked is called disproven.
const FALSITY: [(&str, Confidence, Evidence); 4] = [
    (
        "likely suspected conjectured unverified notverified unproven",
        Confidence::Medium,
        Evidence::File,
    ),
    ("aristotle prover", Confidence::Disproven, Evidence::Prover),
    ("human manual", Confidence::Disproven, Evidence::Person),
    (
        "lean nativedecide comput numerical trivial verified proven counterexample",
        Confidence::Disproven,
        Evidence::File,
    ),
];

fn of_falsity(
    evidence_level: Option<&str>,
    verified_by: Option<&str>,
    has_counterexample: bool,
) -> (Confidence, Evidence) {
    let words = [evidence_level, verified_by].map(|word| word_key(word.unwrap_or_default()));
    let says = |part: &str| words.iter().any(|word| word.contains(part));
    let known = FALSITY.iter().find(|(parts, ..)| parts.split(' ').any(says));
    let confidence = if has_counterexample { Confidence::High } else { Confidence::Medium };
    known.map_or((confidence, Evidence::File), |(_, confidence, evidence)| (*confidence, *evidence))
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
