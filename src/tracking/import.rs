//! A tracking database, or the shell tool's knowledge database, as drafts of knowledge: what `mk import`
//! stores.
//!
//! Nothing is stored here. Each draft has an identity made of what stays the same when the row
//! changes, so that a second import changes nothing and a changed row replaces what came from it.

mod knowledge;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::claims::{labelled, says_words};
use super::ledger::{Ledger, Standing, Submission, outcome};
use super::open::{Tracking, TrackingError};
use super::rows::{Record, times};
use crate::model::{
    Confidence, Draft, Evidence, Kind, Outcome, ProblemDraft, ProblemStatus, Reject, StrategyDraft,
    approach_of, display_name, domain, problem_key, word_key,
};
use crate::text::{clip, first_sentence, one_line};

const TABLES: &[&str] = &[
    "submissions",
    "proven_theorems",
    "false_lemmas",
    "failed_approaches",
    "candidate_problems",
    "proof_techniques",
];

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    pub findings: Vec<Draft>,
    /// Problems, those of its list first, then those that only submissions name.
    pub problems: Vec<ProblemDraft>,
    pub strategies: Vec<StrategyDraft>,
    pub submissions: Vec<Submission>,
    /// Rows that became nothing, with the reason.
    pub rejects: Vec<Reject>,
    pub rows: u64,
}

impl Tracking {
    /// `known` are problem ids whose spelling counts; `doubts` say what speaks against a submission's status, by row.
    pub fn import(
        &self,
        project: Option<&str>,
        known: &[String],
        doubts: &HashMap<i64, String>,
    ) -> Result<Imported, TrackingError> {
        let is_knowledge = ["findings", "strategies", "problems"].iter().all(|t| self.has_table(t));
        if is_knowledge {
            self.restart_deadline();
            return self.in_one_state(|| self.knowledge(project));
        }
        if !TABLES.iter().any(|table| self.has_table(table)) {
            return Err(TrackingError::NoTables { path: self.path().to_owned() });
        }
        self.restart_deadline();
        self.in_one_state(|| {
            let ledger = Ledger::load(self, known)?;
            let rows = ledger.submissions.len() as u64;
            let mut import = Import {
                tracking: self,
                ledger,
                techniques: self.techniques()?,
                project,
                doubts,
                imported: Imported { rows, ..Imported::default() },
                seen: HashMap::new(),
            };
            import.theorems()?;
            import.false_lemmas()?;
            import.failed_approaches()?;
            import.notes();
            import.technique_findings();
            import.problems()?;
            import.strategies();
            import.submissions();
            Ok(import.imported)
        })
    }

    fn techniques(&self) -> Result<Vec<Technique>, TrackingError> {
        let mut techniques = Vec::new();
        self.scan("proof_techniques", "id name description example_usage", |record| {
            let (id, name) = (record.text("id"), record.text("name"));
            let Some(any) = id.or_else(|| name.clone()) else { return };
            techniques.push(Technique {
                row: record.number(),
                name: name.unwrap_or_else(|| any.replace('_', " ")),
                id: any,
                description: record.text("description"),
                example: record.text("example_usage"),
            });
        })?;
        Ok(techniques)
    }
}

struct Technique {
    row: u64,
    id: String,
    name: String,
    description: Option<String>,
    example: Option<String>,
}

struct Import<'a> {
    tracking: &'a Tracking,
    ledger: Ledger,
    techniques: Vec<Technique>,
    project: Option<&'a str>,
    doubts: &'a HashMap<i64, String>,
    imported: Imported,
    /// Identities used so far, with the content and the row of each.
    seen: HashMap<String, (String, u64)>,
}

impl Import<'_> {
    /// Takes a finding over under its identity. Of equal rows the first counts; a row with the same
    /// identity and other content is numbered.
    fn take(&mut self, table: &str, row: u64, mut draft: Draft, natural_key: &[&str]) {
        draft.project = self.project.map(str::to_owned);
        draft.tags.push("migrated".to_owned());
        let base = format!("tracking/{}", natural_key.join("/"));
        let content = draft.fingerprint();
        for number in 1.. {
            let identity = if number == 1 { base.clone() } else { format!("{base}#{number}") };
            match self.seen.get(&identity) {
                Some((same, first)) if *same == content => {
                    return self.reject(table, row, format!("repeats row {first}"));
                }
                Some(_) => {}
                None => {
                    self.seen.insert(identity.clone(), (content, row));
                    draft.identity = Some(identity);
                    return self.imported.findings.push(draft);
                }
            }
        }
    }

    fn reject(&mut self, table: &str, row: u64, reason: impl Into<String>) {
        let (path, reason) = (table.to_owned(), reason.into());
        self.imported.rejects.push(Reject { path, line: Some(row), reason });
    }

    fn submissions(&mut self) {
        let is_over = |submission: &&Submission| match submission.standing {
            Standing::InFlight => false,
            Standing::History => submission.completed_at.is_some(),
            _ => true,
        };
        self.imported.submissions =
            self.ledger.submissions.iter().filter(is_over).cloned().collect();
    }

    /// The domain that the problem's record states, else the one of which the texts speak.
    fn domain(&self, problem: Option<&str>, texts: &[Option<&str>]) -> Option<String> {
        let inferred = || {
            let texts: Vec<&str> = texts.iter().copied().flatten().chain(problem).collect();
            domain::infer(std::iter::empty(), texts.iter().copied(), &texts.join(" "))
        };
        let domain = self.ledger.domain_of(problem).or_else(inferred)?;
        Some(domain.as_str().to_owned())
    }

    /// The longest-named technique of at least so many words that a text names as whole words.
    fn technique(&self, texts: &[Option<&str>], words: usize) -> Option<String> {
        let says = |key: &str| texts.iter().flatten().any(|text| says_words(text, key));
        let named = self.techniques.iter().filter(|technique| {
            technique.name.split([' ', '_', '-']).count() >= words
                && (says(&word_key(&technique.name)) || says(&word_key(&technique.id)))
        });
        named.max_by_key(|technique| technique.name.len()).map(|technique| technique.name.clone())
    }

    fn theorems(&mut self) -> Result<(), TrackingError> {
        const TABLE: &str = "proven_theorems";
        let columns = "id submission_id theorem_name theorem_type statement proof_complete \
            definition_correct manually_verified extracted_at";
        let tracking = self.tracking;
        tracking.scan(TABLE, columns, |row| {
            self.imported.rows += 1;
            let obstacle = match (row.flag("proof_complete"), row.text("theorem_name")) {
                (Some(true), Some(name)) => {
                    let (draft, origin) = self.theorem(row, &name);
                    return self.take(TABLE, row.number(), draft, &["theorem", &origin, &name]);
                }
                (Some(true), None) => "it has no name",
                (Some(false), _) => "its proof is not complete",
                (None, _) => "nothing says that its proof is complete",
            };
            self.reject(TABLE, row.number(), obstacle);
        })
    }

    fn theorem(&self, row: &Record<'_, '_>, name: &str) -> (Draft, String) {
        let sort = row.text("theorem_type").unwrap_or_else(|| "theorem".to_owned());
        let statement = row.text("statement");
        let named = [Some(name), statement.as_deref()];
        let submission = row.int("submission_id").and_then(|id| self.ledger.by_id(id));
        let mut draft = Draft::new(Kind::Theorem, format!("{name} ({sort})"), "");
        draft.problem = submission
            .and_then(|s| s.problem.clone())
            .or_else(|| self.ledger.problem_in_name(name));
        draft.domain = self.domain(draft.problem.as_deref(), &named);
        let pattern = submission.and_then(|s| s.pattern.as_deref());
        // One word of a theorem's name says what it is about, not how it was proved.
        draft.proof_technique = self.technique(&[pattern], 1).or_else(|| self.technique(&named, 2));
        let doubt = row.int("submission_id").and_then(|row| self.doubts.get(&row));
        (draft.confidence, draft.evidence) = trust(row, submission, doubt.is_some());
        let said = statement.as_deref().map_or_else(|| name.to_owned(), one_line);
        let claim = if draft.confidence == Confidence::Verified { "Proven" } else { "Claimed" };
        draft.description = match said.split(' ').next() {
            Some("theorem" | "lemma") => format!("{claim}: {said}"),
            _ => format!("{claim} {sort}: {said}"),
        };
        draft.theorem_statement = statement;
        draft.theorem_name = Some(name.to_owned());
        let happened = submission.and_then(Submission::happened_at).map(str::to_owned);
        draft.created_at = happened.or_else(|| times::normal(&row.text("extracted_at")?));
        let Some(submission) = submission else {
            return (draft, self.project.unwrap_or_default().to_owned());
        };
        draft.source.slot = submission.slot;
        draft.source.submission.clone_from(&submission.uuid);
        let against = doubt.map(|doubt| format!("tracking.db is contradicted by {doubt}"));
        let notes: Vec<String> = against.into_iter().chain(account(submission)).collect();
        draft.notes = (!notes.is_empty()).then(|| notes.join("\n"));
        let origin = submission.uuid.as_deref().unwrap_or(&submission.filename);
        (draft, origin.to_owned())
    }

    /// What a person wrote about a submission: why it failed, where it did. What several have is told once;
    /// what many have a program wrote.
    fn notes(&mut self) {
        const SEVERAL: usize = 3;
        const MANY: usize = 10;
        const REASON: usize = 4;
        let mut told: BTreeMap<String, Vec<Submission>> = BTreeMap::new();
        for submission in &self.ledger.submissions {
            if let Some(note) = &submission.notes {
                told.entry(word_key(note)).or_default().push(submission.clone());
            }
        }
        let mut alone = Vec::new();
        for (key, submissions) in told {
            if submissions.len() < SEVERAL {
                alone.extend(submissions);
            } else if submissions.len() <= MANY {
                self.shared_note(&key, &submissions);
            }
        }
        alone.sort_by_key(|submission| submission.id);
        for submission in alone {
            let Some(note) = submission.notes.as_deref() else { continue };
            let has_failed = matches!(submission.standing, Standing::Failed | Standing::False)
                || submission.verified == Some(false);
            // A word or two are no reason.
            let has_failed = has_failed && note.split_whitespace().count() >= REASON;
            let kind = if has_failed { Kind::Failure } else { Kind::Insight };
            let title = format!("{}: {}", submission.label, clip(first_sentence(note), 80));
            let mut draft = Draft::new(kind, title, note);
            draft.domain = self.domain(submission.problem.as_deref(), &[Some(note)]);
            draft.problem.clone_from(&submission.problem);
            draft.source.slot = submission.slot;
            draft.source.submission.clone_from(&submission.uuid);
            draft.why_failed = has_failed.then(|| note.to_owned());
            draft.notes = account(&submission);
            draft.tags = vec!["note".to_owned()];
            draft.created_at = submission.happened_at().map(str::to_owned);
            let row = submission.id.and_then(|id| u64::try_from(id).ok()).unwrap_or(0);
            let owner = submission.uuid.as_ref().unwrap_or(&submission.filename);
            let project = self.project.unwrap_or_default();
            self.take("submissions", row, draft, &["note", project, owner]);
        }
    }

    fn shared_note(&mut self, key: &str, submissions: &[Submission]) {
        let note = submissions.iter().find_map(|one| one.notes.as_deref()).unwrap_or_default();
        let problems: HashSet<_> = submissions.iter().map(|one| one.problem.as_deref()).collect();
        let labels: Vec<&str> = submissions.iter().map(|one| one.label.as_str()).collect();
        let mut draft = Draft::new(Kind::Insight, clip(first_sentence(note), 80), note);
        draft.problem = submissions.iter().find_map(|one| one.problem.clone());
        draft.problem = draft.problem.filter(|_| problems.len() == 1);
        draft.domain = self.domain(draft.problem.as_deref(), &[Some(note)]);
        draft.notes = Some(format!("Said of {}", labels.join(", ")));
        draft.tags = vec!["note".to_owned()];
        let times = submissions.iter().filter_map(Submission::happened_at);
        draft.created_at = times.max().map(str::to_owned);
        let project = self.project.unwrap_or_default();
        self.take("submissions", 0, draft, &["note", project, key]);
    }

    fn false_lemmas(&mut self) -> Result<(), TrackingError> {
        const TABLE: &str = "false_lemmas";
        for lemma in self.tracking.lemmas(&self.ledger)? {
            self.imported.rows += 1;
            if lemma.name.is_empty() {
                self.reject(TABLE, lemma.row, "it has neither name nor statement");
                continue;
            }
            let draft = self.in_domain(lemma.draft);
            let key = ["false_lemma", self.project.unwrap_or_default(), &lemma.name];
            self.take(TABLE, lemma.row, draft, &key);
        }
        Ok(())
    }

    fn failed_approaches(&mut self) -> Result<(), TrackingError> {
        const TABLE: &str = "failed_approaches";
        for approach in self.tracking.approaches(&self.ledger)? {
            self.imported.rows += 1;
            if approach.name.is_empty() {
                self.reject(TABLE, approach.row, "it has neither name nor description");
                continue;
            }
            let mut draft = self.in_domain(approach.draft);
            draft.proof_technique = self.technique(&[Some(&approach.name)], 1);
            // The last row tells of the strategy.
            if let Some(strategy) = approach.strategy {
                let strategies = &mut self.imported.strategies;
                let key = word_key(&strategy.approach);
                strategies.retain(|one| {
                    one.problem != strategy.problem || word_key(&one.approach) != key
                });
                strategies.push(StrategyDraft { domain: draft.domain.clone(), ..strategy });
            }
            let owner = word_key(draft.problem.as_deref().unwrap_or_default());
            let key = ["failure", self.project.unwrap_or_default(), &owner, &approach.name];
            self.take(TABLE, approach.row, draft, &key);
        }
        Ok(())
    }

    /// Each thing said counts once: a title repeats the claim.
    fn in_domain(&self, draft: Draft) -> Draft {
        let name = draft.theorem_name.as_ref().unwrap_or(&draft.title);
        let texts = [Some(name), draft.theorem_statement.as_ref(), Some(&draft.description)];
        let texts = texts.map(|text| text.map(String::as_str));
        Draft { domain: self.domain(draft.problem.as_deref(), &texts), ..draft }
    }

    fn technique_findings(&mut self) {
        for technique in std::mem::take(&mut self.techniques) {
            self.imported.rows += 1;
            let description = technique.description.unwrap_or_else(|| technique.name.clone());
            let mut draft = Draft::new(Kind::Technique, &technique.name, description);
            draft.proof_technique = Some(technique.name);
            draft.notes = technique.example.map(|example| format!("Example: {example}"));
            draft.tags = vec!["technique".to_owned()];
            let key = ["technique", self.project.unwrap_or_default(), &technique.id];
            self.take("proof_techniques", technique.row, draft, &key);
        }
    }

    fn problems(&mut self) -> Result<(), TrackingError> {
        const TABLE: &str = "candidate_problems";
        let columns = "id frontier_id name domain statement lean_statement source source_url \
            status approach blockers submissions_count proven_count false_lemma_count notes";
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for submission in &self.ledger.submissions {
            if let Some(problem) = &submission.problem {
                tallies.entry(problem.clone()).or_default().add(submission);
            }
        }
        let mut listed = HashSet::new();
        let tracking = self.tracking;
        tracking.scan(TABLE, columns, |row| {
            self.imported.rows += 1;
            let id = row.text("id").filter(|id| !problem_key(id).is_empty());
            let Some(id) = id.and_then(|id| self.ledger.problem(&id)) else {
                return self.reject(TABLE, row.number(), "it has no id");
            };
            if !listed.insert(id.clone()) {
                let reason = format!("its id is another spelling of {id}");
                return self.reject(TABLE, row.number(), reason);
            }
            let tally = tallies.remove(&id).unwrap_or_default();
            let draft = self.candidate(id, row, tally);
            self.imported.problems.push(draft);
        })?;
        for (id, tally) in tallies {
            self.imported.problems.push(ProblemDraft {
                name: display_name(&id),
                domain: self.domain(Some(&id), &[]),
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

    /// A row of `candidate_problems`. The stated counts lag behind the submissions, or count some that name
    /// no problem: the larger one is nearer to the truth.
    fn candidate(&self, id: String, row: &Record<'_, '_>, tally: Tally) -> ProblemDraft {
        let text = |column| row.text(column);
        // Words of a database, for people.
        let words = |column| row.text(column).map(|text| text.replace('_', " "));
        let count = |column, counted: i64| row.int(column).unwrap_or(0).max(counted);
        let (statement, lean, name) = (text("statement"), text("lean_statement"), text("name"));
        let word = text("status");
        let listed = problem_status(word.as_deref());
        let is_known = tally.resolved.is_none() && listed == ProblemStatus::Proven;
        let texts = [statement.as_deref(), lean.as_deref(), name.as_deref()];
        ProblemDraft {
            domain: self.domain(Some(&id), &texts),
            status: match tally.resolved {
                None if listed != ProblemStatus::Open => listed,
                _ => tally.status(),
            },
            best_result: None,
            notes: labelled(&[
                ("Known", is_known.then_some("solved elsewhere, as the tracking database says")),
                ("Status in the tracking database", words("status").as_deref()),
                ("Field", words("domain").as_deref()),
                ("Frontier", text("frontier_id").as_deref()),
                ("Lean", lean.as_deref().filter(|_| statement.is_some())),
                ("Approach", text("approach").as_deref()),
                ("Blockers", text("blockers").as_deref()),
                ("Source", text("source").as_deref()),
                ("URL", text("source_url").as_deref()),
                ("Notes", text("notes").as_deref()),
            ]),
            counts: Some((
                count("submissions_count", tally.submissions),
                count("proven_count", tally.proved),
                count("false_lemma_count", tally.failed),
            )),
            statement: statement.or(lean),
            name: name.unwrap_or_else(|| display_name(&id)),
            id,
        }
    }
}

/// What a submission says of its theorems: `sorry=1, submission near miss`, then its file.
fn account(submission: &Submission) -> Option<String> {
    let gaps = submission.sorry.map(|n| format!("sorry={n}"));
    let refused = (submission.verified == Some(false)).then(|| "verified=0".to_owned());
    let status = submission.standing_there().map(|status| format!("submission {status}"));
    let facts: Vec<String> = [gaps, refused, status].into_iter().flatten().collect();
    let account = [facts.join(", "), submission.filename.clone()].join("\n").trim().to_owned();
    (!account.is_empty()).then_some(account)
}

/// How far a row of `proven_theorems` is trusted. A prover's word counts where its submission is proved or
/// verified and has no gap; without it the row is a claim, and where the prover's answer itself speaks
/// against it, a weak one.
fn trust(
    row: &Record<'_, '_>,
    submission: Option<&Submission>,
    is_contradicted: bool,
) -> (Confidence, Evidence) {
    let claimed = (Confidence::Medium, Evidence::File);
    if row.flag("definition_correct") == Some(false) {
        return claimed;
    }
    if is_contradicted {
        return (Confidence::Low, Evidence::File);
    }
    if row.flag("manually_verified") == Some(true) {
        return (Confidence::Verified, Evidence::Person);
    }
    let Some(submission) = submission else { return claimed };
    let has_ended_badly = matches!(submission.standing, Standing::False | Standing::Failed);
    match (submission.verified, submission.standing) {
        _ if submission.sorry.unwrap_or(0) > 0 || has_ended_badly => claimed,
        (Some(true), _) | (None, Standing::Proved) => (Confidence::Verified, Evidence::Prover),
        _ => claimed,
    }
}

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

fn problem_status(word: Option<&str>) -> ProblemStatus {
    match word_key(word.unwrap_or_default()).as_str() {
        "knownproven" => ProblemStatus::Proven,
        "active" | "inflight" => ProblemStatus::InFlight,
        "mixed" | "partial" => ProblemStatus::Partial,
        "false" | "disproven" | "disproved" => ProblemStatus::False,
        _ => ProblemStatus::Open,
    }
}

/// Submissions whose names say the same words are attempts at one approach, and each tells of all of them.
#[derive(Default)]
struct Attempts<'a> {
    approach: String,
    /// With how each ended, the oldest first.
    all: Vec<(&'a Submission, Outcome)>,
}

impl Attempts<'_> {
    /// For example `4 attempts: 1 proved, 1 near miss, 2 failed (compile failed)`, or, of one attempt,
    /// `failed (timeout)`.
    fn summary(&self) -> String {
        let mut counts: BTreeMap<Standing, u64> = BTreeMap::new();
        let mut failures = Vec::new();
        for (submission, _) in &self.all {
            *counts.entry(submission.standing).or_default() += 1;
            if submission.standing == Standing::Failed {
                failures.extend(submission.status.as_deref());
            }
        }
        failures.retain(|word| !["failed", "error"].contains(word));
        failures.sort_unstable();
        failures.dedup();
        let how = failures.join(", ").replace('_', " ");
        let total = self.all.len();
        let parts: Vec<String> = [
            (Standing::Proved, "proved".to_owned()),
            (Standing::InFlight, "in flight".to_owned()),
            (Standing::NearMiss, "near miss".to_owned()),
            (Standing::History, "partial".to_owned()),
            (Standing::False, "disproved".to_owned()),
            (
                Standing::Failed,
                if how.is_empty() { "failed".to_owned() } else { format!("failed ({how})") },
            ),
        ]
        .into_iter()
        .filter_map(|(standing, what)| {
            let count = counts.get(&standing)?;
            Some(if total == 1 { what } else { format!("{count} {what}") })
        })
        .collect();
        let told = parts.join(", ");
        if total == 1 { told } else { format!("{total} attempts: {told}") }
    }

    /// Orders the attempts; of those that nothing tells apart the last stays.
    fn settle(&mut self) {
        self.all.sort_by_key(|(submission, _)| submission.last_seen());
        let mut seen = HashSet::new();
        self.all.reverse();
        self.all.retain(|(submission, _)| {
            let slot = submission.slot.filter(|_| submission.uuid.is_none());
            seen.insert((submission.uuid.as_deref(), slot))
        });
        self.all.reverse();
    }
}

impl Import<'_> {
    /// A submission counts for its problem only where its name says nothing or its status not how it ended.
    /// A failed approach of the same words tells more.
    fn strategies(&mut self) {
        let told: HashSet<(String, String)> = self
            .imported
            .strategies
            .iter()
            .map(|strategy| (strategy.problem.clone(), word_key(&strategy.approach)))
            .collect();
        let mut approaches: BTreeMap<(String, String), Attempts<'_>> = BTreeMap::new();
        for submission in &self.ledger.submissions {
            let Some(problem) = submission.problem.as_deref() else { continue };
            // A complete file is not the whole problem, unless its owner says so.
            let outcome = match outcome(submission.standing, submission.status.as_deref()) {
                Some(Outcome::Proven) if !submission.resolved => Outcome::Partial,
                Some(outcome) => outcome,
                None => continue,
            };
            let Some(approach) = approach_of(&submission.filename, Some(problem)) else { continue };
            let attempts = approaches.entry((problem.to_owned(), word_key(&approach))).or_default();
            if attempts.approach.is_empty() {
                attempts.approach = approach;
            }
            attempts.all.push((submission, outcome));
        }
        let mut drafts = Vec::new();
        for (key, mut attempts) in approaches {
            if !told.contains(&key) {
                attempts.settle();
                drafts.extend(self.attempts(&key.0, &attempts));
            }
        }
        self.imported.strategies.append(&mut drafts);
    }

    fn attempts(&self, problem: &str, attempts: &Attempts<'_>) -> Vec<StrategyDraft> {
        let domain = self.domain(Some(problem), &[Some(&attempts.approach)]);
        let learned = attempts.summary();
        let draft = |(submission, outcome): &(&Submission, Outcome)| StrategyDraft {
            problem: problem.to_owned(),
            problem_name: display_name(problem),
            domain: domain.clone(),
            approach: attempts.approach.clone(),
            description: None,
            outcome: *outcome,
            slot: submission.slot,
            submission: submission.uuid.clone(),
            learned: Some(learned.clone()),
            source_file: None,
            attempted_at: submission.last_seen().map(str::to_owned),
        };
        attempts.all.iter().map(draft).collect()
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
