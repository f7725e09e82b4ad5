//! Theorems, false lemmas and failed approaches.

use std::collections::HashMap;

use super::trust::ProofClaim;
use super::{Import, domain_id};
use crate::model::{Confidence, Draft, Kind, StrategyDraft, word_key};
use crate::text::{clip, first_sentence, one_line};
use crate::tracking::ledger::Submission;
use crate::tracking::record::Record;
use crate::tracking::status::Standing;
use crate::tracking::{TrackingError, times};

/// A row of `proven_theorems`.
struct Theorem {
    row: u64,
    submission: Option<i64>,
    name: Option<String>,
    sort: Option<String>,
    statement: Option<String>,
    is_complete: Option<bool>,
    definition_correct: Option<bool>,
    by_hand: bool,
    extracted_at: Option<String>,
}

const THEOREM_COLUMNS: &[&str] = &[
    "id",
    "submission_id",
    "theorem_name",
    "theorem_type",
    "statement",
    "proof_complete",
    "definition_correct",
    "manually_verified",
    "extracted_at",
];

impl Theorem {
    fn read(record: &Record<'_, '_>) -> Self {
        Self {
            row: record.number(),
            submission: record.int("submission_id"),
            name: record.text("theorem_name"),
            sort: record.text("theorem_type"),
            statement: record.text("statement"),
            is_complete: record.flag("proof_complete"),
            definition_correct: record.flag("definition_correct"),
            by_hand: record.flag("manually_verified") == Some(true),
            extracted_at: record.text("extracted_at").and_then(|time| times::normal(&time)),
        }
    }

    /// Why it is not taken over.
    fn obstacle(&self) -> Option<&'static str> {
        match (self.is_complete, &self.name) {
            (Some(false), _) => Some("its proof is not complete"),
            (None, _) => Some("nothing says that its proof is complete"),
            (Some(true), None) => Some("it has no name"),
            (Some(true), Some(_)) => None,
        }
    }
}

impl Import<'_> {
    pub(super) fn theorems(&mut self) -> Result<(), TrackingError> {
        const TABLE: &str = "proven_theorems";
        let mut theorems = Vec::new();
        self.tracking.scan(TABLE, THEOREM_COLUMNS, |record| {
            theorems.push(Theorem::read(record));
        })?;
        self.imported.rows += theorems.len() as u64;
        for theorem in theorems {
            if let Some(reason) = theorem.obstacle() {
                self.reject(TABLE, theorem.row, reason);
                continue;
            }
            let (draft, origin) = self.theorem(&theorem);
            let name = theorem.name.as_deref().unwrap_or_default();
            self.take(TABLE, theorem.row, draft, &["theorem", &origin, name]);
        }
        Ok(())
    }

    /// The draft of a theorem, and what its submission is known by.
    fn theorem(&self, theorem: &Theorem) -> (Draft, String) {
        let name = theorem.name.clone().unwrap_or_default();
        let sort = theorem.sort.as_deref().unwrap_or("theorem");
        let submission = theorem.submission.and_then(|id| self.ledger.by_id(id));
        let mut draft = Draft::new(Kind::Theorem, format!("{name} ({sort})"), "");
        let problem = submission
            .and_then(|s| s.problem.clone())
            .or_else(|| self.ledger.problem_in_name(&name));
        draft.domain = domain_id(
            self.domain(problem.as_deref(), &[Some(&name), theorem.statement.as_deref()]),
        );
        let pattern = submission.and_then(|s| s.pattern.as_deref());
        let told = self.techniques.named_in(&[pattern], 1);
        // One word of a theorem's name says what it is about, not how it was proved.
        let named = || self.techniques.named_in(&[Some(&name), theorem.statement.as_deref()], 2);
        draft.proof_technique = told.or_else(named).map(str::to_owned);
        draft.problem = problem;
        draft.theorem_statement.clone_from(&theorem.statement);
        let doubt = theorem.submission.and_then(|row| self.doubts.get(&row));
        (draft.confidence, draft.evidence) = ProofClaim {
            submission,
            definition_correct: theorem.definition_correct,
            by_hand: theorem.by_hand,
            is_contradicted: doubt.is_some(),
        }
        .trust();
        let said = theorem.statement.as_deref().map_or_else(|| name.clone(), one_line);
        let claim = if draft.confidence == Confidence::Verified { "Proven" } else { "Claimed" };
        draft.description = match said.split(' ').next() {
            Some("theorem" | "lemma") => format!("{claim}: {said}"),
            _ => format!("{claim} {sort}: {said}"),
        };
        draft.theorem_name = Some(name);
        let happened = submission.and_then(|submission| submission.happened_at());
        draft.created_at = happened.map(str::to_owned).or_else(|| theorem.extracted_at.clone());
        let Some(submission) = submission else {
            return (draft, self.project.unwrap_or_default().to_owned());
        };
        draft.source.slot = submission.slot;
        draft.source.submission.clone_from(&submission.uuid);
        let account = Some(account(submission)).filter(|account| !account.is_empty());
        let against = doubt.map(|doubt| format!("tracking.db is contradicted by {doubt}"));
        draft.notes = labelled_lines([against, account]);
        let origin = submission.uuid.as_deref().unwrap_or(&submission.filename);
        (draft, origin.to_owned())
    }

    /// What a person wrote about a submission: why it failed, where it did. What stands at many of them
    /// says nothing of one.
    pub(super) fn notes(&mut self) {
        const SEVERAL: usize = 3;
        const REASON: usize = 4;
        let submissions = self.ledger.submissions.clone();
        let mut told: HashMap<String, usize> = HashMap::new();
        for note in submissions.iter().filter_map(|submission| submission.notes.as_deref()) {
            *told.entry(word_key(note)).or_default() += 1;
        }
        for submission in submissions {
            let Some(note) = submission.notes.as_deref() else { continue };
            if told.get(&word_key(note)).is_some_and(|count| *count >= SEVERAL) {
                continue;
            }
            let has_failed = matches!(submission.standing, Standing::Failed | Standing::False)
                || submission.verified == Some(false);
            // A word or two are no reason.
            let has_failed = has_failed && note.split_whitespace().count() >= REASON;
            let kind = if has_failed { Kind::Failure } else { Kind::Insight };
            let title = format!("{}: {}", submission.label, clip(first_sentence(note), 80));
            let mut draft = Draft::new(kind, title, note);
            draft.domain = domain_id(self.domain(submission.problem.as_deref(), &[Some(note)]));
            draft.problem.clone_from(&submission.problem);
            draft.source.slot = submission.slot;
            draft.source.submission.clone_from(&submission.uuid);
            draft.why_failed = has_failed.then(|| note.to_owned());
            draft.notes = Some(account(&submission)).filter(|account| !account.is_empty());
            draft.tags = vec!["note".to_owned()];
            draft.created_at = submission.happened_at().map(str::to_owned);
            let row = submission.id.and_then(|id| u64::try_from(id).ok()).unwrap_or(0);
            let owner = submission.uuid.clone().unwrap_or_else(|| submission.filename.clone());
            let project = self.project.unwrap_or_default().to_owned();
            self.take("submissions", row, draft, &["note", &project, &owner]);
        }
    }

    pub(super) fn false_lemmas(&mut self) -> Result<(), TrackingError> {
        const TABLE: &str = "false_lemmas";
        let lemmas = self.tracking.lemmas(&self.ledger)?;
        self.imported.rows += lemmas.len() as u64;
        for lemma in lemmas {
            if lemma.name.is_empty() {
                self.reject(TABLE, lemma.row, "it has neither name nor statement");
                continue;
            }
            let draft = self.in_domain(lemma.draft);
            let key = ["false_lemma", self.project.unwrap_or_default(), lemma.name.as_str()];
            self.take(TABLE, lemma.row, draft, &key);
        }
        Ok(())
    }

    pub(super) fn failed_approaches(&mut self) -> Result<(), TrackingError> {
        const TABLE: &str = "failed_approaches";
        let approaches = self.tracking.approaches(&self.ledger)?;
        self.imported.rows += approaches.len() as u64;
        for approach in approaches {
            if approach.name.is_empty() {
                self.reject(TABLE, approach.row, "it has neither name nor description");
                continue;
            }
            let mut draft = self.in_domain(approach.draft);
            let technique = self.techniques.named_in(&[Some(&approach.name)], 1);
            draft.proof_technique = technique.map(str::to_owned);
            // The last row tells of the strategy.
            if let Some(strategy) = approach.strategy {
                let key = word_key(&strategy.approach);
                self.imported.strategies.retain(|one| {
                    one.problem != strategy.problem || word_key(&one.approach) != key
                });
                self.imported
                    .strategies
                    .push(StrategyDraft { domain: draft.domain.clone(), ..strategy });
            }
            let owner = word_key(draft.problem.as_deref().unwrap_or_default());
            let project = self.project.unwrap_or_default();
            let key = ["failure", project, owner.as_str(), approach.name.as_str()];
            self.take(TABLE, approach.row, draft, &key);
        }
        Ok(())
    }

    /// Each thing said counts once: a title repeats the claim.
    fn in_domain(&self, draft: Draft) -> Draft {
        let name = draft.theorem_name.as_ref().unwrap_or(&draft.title);
        let texts = [Some(name), draft.theorem_statement.as_ref(), Some(&draft.description)];
        let texts = texts.map(|text| text.map(String::as_str));
        Draft { domain: domain_id(self.domain(draft.problem.as_deref(), &texts)), ..draft }
    }
}

fn labelled_lines(lines: [Option<String>; 2]) -> Option<String> {
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What a submission says of its theorems: `sorry=1, submission near_miss`, then its file.
fn account(submission: &Submission) -> String {
    let gaps = submission.sorry.map(|n| format!("sorry={n}"));
    let refused = (submission.verified == Some(false)).then(|| "verified=0".to_owned());
    let status = submission.status.as_ref().map(|status| format!("submission {status}"));
    let facts: Vec<String> = [gaps, refused, status].into_iter().flatten().collect();
    [facts.join(", "), submission.filename.clone()].join("\n").trim().to_owned()
}
