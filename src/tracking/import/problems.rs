//! Problems: those of the list, and those that only submissions name.

use std::collections::{BTreeMap, HashSet};

use super::{Import, domain_id, labelled};
use crate::model::{ProblemDraft, ProblemStatus, display_name, problem_key, word_key};
use crate::tracking::TrackingError;
use crate::tracking::ledger::Submission;
use crate::tracking::record::Record;
use crate::tracking::status::Standing;

const TABLE: &str = "candidate_problems";

const COLUMNS: &[&str] = &[
    "id",
    "frontier_id",
    "name",
    "domain",
    "statement",
    "lean_statement",
    "source",
    "source_url",
    "status",
    "approach",
    "blockers",
    "submissions_count",
    "proven_count",
    "false_lemma_count",
    "notes",
];

/// What the submissions to one problem say together.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    submissions: i64,
    proved: i64,
    failed: i64,
    in_flight: i64,
    resolved: Option<ProblemStatus>,
}

impl Tally {
    fn add(&mut self, submission: &Submission) {
        self.submissions += 1;
        match submission.standing {
            Standing::Proved => self.proved += 1,
            Standing::Failed | Standing::False => self.failed += 1,
            Standing::InFlight => self.in_flight += 1,
            Standing::NearMiss | Standing::History => {}
        }
        if submission.resolved {
            self.resolved = Some(match submission.standing {
                Standing::False => ProblemStatus::False,
                _ => ProblemStatus::Proven,
            });
        }
    }

    /// A complete file need not say anything of the problem: only the owner's word settles it, and what
    /// is proved of it is for the results to show.
    fn status(self) -> ProblemStatus {
        let waiting = || (self.in_flight > 0).then_some(ProblemStatus::InFlight);
        self.resolved.or_else(waiting).unwrap_or(ProblemStatus::Open)
    }
}

/// A row of `candidate_problems`.
struct Candidate {
    row: u64,
    id: Option<String>,
    draft: ProblemDraft,
    texts: [Option<String>; 3],
}

impl Candidate {
    fn read(record: &Record<'_, '_>) -> Self {
        let text = |column| record.text(column);
        let id = text("id").filter(|id| !problem_key(id).is_empty());
        let status = text("status");
        let (statement, lean) = (text("statement"), text("lean_statement"));
        let name = text("name");
        let count = |column| record.int(column).unwrap_or(0).max(0);
        // Words of a database, for people.
        let words = |column| record.text(column).map(|text| text.replace('_', " "));
        let solved = word_key(status.as_deref().unwrap_or_default()) == "knownproven";
        let notes = labelled(&[
            ("Known", solved.then_some("solved elsewhere, as the tracking database says")),
            ("Status in the tracking database", words("status").as_deref()),
            ("Field", words("domain").as_deref()),
            ("Frontier", text("frontier_id").as_deref()),
            ("Lean", lean.as_deref().filter(|_| statement.is_some())),
            ("Approach", text("approach").as_deref()),
            ("Blockers", text("blockers").as_deref()),
            ("Source", text("source").as_deref()),
            ("URL", text("source_url").as_deref()),
            ("Notes", text("notes").as_deref()),
        ]);
        Self {
            row: record.number(),
            draft: ProblemDraft {
                id: String::new(),
                name: name.clone().unwrap_or_default(),
                domain: None,
                status: problem_status(status.as_deref()),
                statement: statement.clone().or_else(|| lean.clone()),
                best_result: None,
                notes,
                counts: Some((
                    count("submissions_count"),
                    count("proven_count"),
                    count("false_lemma_count"),
                )),
            },
            id,
            texts: [statement, lean, name],
        }
    }
}

impl Import<'_> {
    pub(super) fn problems(&mut self) -> Result<(), TrackingError> {
        let tallies = self.tallies();
        let mut candidates = Vec::new();
        self.tracking.scan(TABLE, COLUMNS, |record| candidates.push(Candidate::read(record)))?;
        self.imported.rows += candidates.len() as u64;
        let mut listed = HashSet::new();
        for candidate in candidates {
            let Some(id) = candidate.id.as_deref().and_then(|id| self.ledger.problem(id)) else {
                self.reject(TABLE, candidate.row, "it has no id");
                continue;
            };
            if !listed.insert(id.clone()) {
                self.reject(TABLE, candidate.row, format!("its id is another spelling of {id}"));
                continue;
            }
            let tally = tallies.get(&id).copied().unwrap_or_default();
            let draft = self.candidate(id, candidate, tally);
            self.imported.problems.push(draft);
        }
        for (id, tally) in tallies.into_iter().filter(|(id, _)| !listed.contains(id)) {
            self.imported.problems.push(ProblemDraft {
                name: display_name(&id),
                domain: domain_id(self.domain(Some(&id), &[])),
                status: tally.status(),
                statement: None,
                best_result: None,
                notes: None,
                counts: Some((tally.submissions, tally.proved, tally.failed)),
                id,
            });
        }
        Ok(())
    }

    /// The stated counts lag behind the submissions, or count some that name no problem: the larger
    /// one is nearer to the truth.
    fn candidate(&self, id: String, candidate: Candidate, tally: Tally) -> ProblemDraft {
        let texts = candidate.texts.each_ref().map(Option::as_deref);
        let mut draft = candidate.draft;
        match (draft.status, tally.status()) {
            (_, settled) if tally.resolved.is_some() => {
                draft.status = settled;
                // It was not only solved elsewhere.
                let lines = draft.notes.iter().flat_map(|notes| notes.lines());
                let rest: Vec<&str> = lines.filter(|line| !line.starts_with("Known: ")).collect();
                draft.notes = Some(rest.join("\n")).filter(|notes| !notes.is_empty());
            }
            (ProblemStatus::Open, waiting) => draft.status = waiting,
            _ => {}
        }
        draft.domain = domain_id(self.domain(Some(&id), &texts));
        draft.counts = draft.counts.map(|(submissions, proved, failed)| {
            (submissions.max(tally.submissions), proved.max(tally.proved), failed.max(tally.failed))
        });
        if draft.name.is_empty() {
            draft.name = display_name(&id);
        }
        draft.id = id;
        draft
    }

    fn tallies(&self) -> BTreeMap<String, Tally> {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for submission in &self.ledger.submissions {
            if let Some(problem) = &submission.problem {
                tallies.entry(problem.clone()).or_default().add(submission);
            }
        }
        tallies
    }
}

/// What their word for a problem's status means; open where it is none of ours.
fn problem_status(word: Option<&str>) -> ProblemStatus {
    match word_key(word.unwrap_or_default()).as_str() {
        "knownproven" => ProblemStatus::Proven,
        "active" | "inflight" => ProblemStatus::InFlight,
        "mixed" | "partial" => ProblemStatus::Partial,
        "false" | "disproven" | "disproved" => ProblemStatus::False,
        _ => ProblemStatus::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_of_problems() {
        for (word, expected) in [
            ("known_proven", ProblemStatus::Proven),
            ("Known-Proven", ProblemStatus::Proven),
            ("active", ProblemStatus::InFlight),
            ("mixed", ProblemStatus::Partial),
            ("rejected", ProblemStatus::Open),
            ("candidate", ProblemStatus::Open),
            ("known_formalization", ProblemStatus::Open),
            ("whatever", ProblemStatus::Open),
        ] {
            assert_eq!(problem_status(Some(word)), expected, "{word}");
        }
        assert_eq!(problem_status(None), ProblemStatus::Open);
    }
}
