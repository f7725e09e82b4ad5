//! A tracking database, or the shell tool's knowledge database, as drafts of knowledge: what `mk import`
//! stores.
//!
//! Nothing is stored here. Each draft has an identity made of what stays the same when the row
//! changes, so that a second import changes nothing and a changed row replaces what came from it.

mod knowledge;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::claims::{labelled, says_words};
use super::ledger::{Standing, Submission, outcome};
use super::open::{KNOWLEDGE, TRACKED, Tracking, TrackingError};
use super::rows::Row;
use crate::model::{
    Confidence, Domain, Draft, Evidence, Kind, MARKED_BY_MISTAKE, Outcome, ProblemDraft,
    ProblemStatus, Reject, StrategyDraft, approach_of, display_name, domain, problem_key, word_key,
};
use crate::text::{clip, first_sentence, is_among, one_line};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    pub findings: Vec<Draft>,
    /// Problems, those of its list first, then those that only submissions name.
    pub problems: Vec<ProblemDraft>,
    pub strategies: Vec<StrategyDraft>,
    /// Those that are over.
    pub submissions: Vec<Submission>,
    /// Rows that became nothing, with the reason.
    pub rejects: Vec<Reject>,
    pub rows: u64,
    /// Times that are in no form that is read.
    pub unread_times: u64,
}

impl Imported {
    fn of(tracking: &Tracking, tables: &[&str]) -> Self {
        let rows = tables.iter().map(|table| tracking.tables.rows(table).len() as u64).sum();
        let rows_of = tables.iter().flat_map(|table| tracking.tables.rows(table));
        let unread_times = rows_of.map(Row::unread_times).sum();
        Self { rows, unread_times, ..Self::default() }
    }

    fn reject(&mut self, table: &str, row: u64, reason: impl Into<String>) {
        let (path, reason) = (table.to_owned(), reason.into());
        self.rejects.push(Reject { path, line: Some(row), reason });
    }
}

/// What the answer to a submission says of a status that calls it proved, by the row of the submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shortfall {
    /// The file, and what speaks against it.
    Contradicted(String),
    OnlyTrivialities,
}

impl Tracking {
    pub fn import(
        &self,
        project: Option<&str>,
        answers: &HashMap<i64, Shortfall>,
    ) -> Result<Imported, TrackingError> {
        if KNOWLEDGE.iter().all(|table| self.tables.has(table)) {
            return Ok(self.knowledge(project));
        }
        if !TRACKED.iter().any(|table| self.tables.has(table)) {
            let (at, tables) = (self.path.display(), TRACKED.join(", "));
            return Err(TrackingError::lasting(format!(
                "{at} has none of the tables of a tracking database ({tables})"
            )));
        }
        let mut import = Import {
            tracking: self,
            project,
            answers,
            imported: Imported::of(self, &TRACKED),
            seen: HashMap::new(),
        };
        import.theorems();
        import.false_lemmas();
        import.failed_approaches();
        import.notes();
        import.techniques();
        import.problems();
        import.strategies();
        let is_over = |submission: &&Submission| match submission.standing {
            Standing::InFlight => false,
            Standing::History => submission.completed_at.is_some(),
            _ => true,
        };
        let submissions = self.ledger.submissions.iter().filter(is_over).cloned().collect();
        Ok(Imported { submissions, ..import.imported })
    }
}

/// By its owner's word.
const SETTLED: &str = "Settled";

struct Import<'a> {
    tracking: &'a Tracking,
    project: Option<&'a str>,
    answers: &'a HashMap<i64, Shortfall>,
    imported: Imported,
    /// Identities used so far, with the content and the row of each.
    seen: HashMap<String, (String, u64)>,
}

/// Submissions whose names say the same words are attempts at one approach.
type Attempts<'a> = Vec<Attempt<'a>>;

#[derive(Clone, Copy)]
struct Attempt<'a> {
    submission: &'a Submission,
    outcome: Outcome,
    /// How it ended: one of [`ENDINGS`].
    ending: &'static str,
}

/// Columns.
const LONGEST_NOTE: usize = 160;

const FAILED: &str = "failed";
const REFUSED: &str = "refused";
const CONTRADICTED: &str = "not proved by its answer";
const TRIVIAL: &str = "proved only what is trivial";
/// In this order.
const ENDINGS: [&str; 9] = [
    "proved",
    "in flight",
    "near miss",
    "partial",
    "disproved",
    REFUSED,
    CONTRADICTED,
    TRIVIAL,
    FAILED,
];

impl<'a> Import<'a> {
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
                    return self.imported.reject(table, row, format!("repeats row {first}"));
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

    /// What is told under one name in two projects is two things.
    fn owner(&self) -> &'a str {
        self.project.unwrap_or_default()
    }

    /// The domain that the problem's record states, else the one of which the texts speak.
    fn domain(&self, problem: Option<&str>, texts: &[Option<&str>]) -> Option<String> {
        let inferred = || {
            let texts: Vec<&str> = texts.iter().copied().flatten().chain(problem).collect();
            domain::infer(std::iter::empty(), texts.iter().copied(), &texts.join(" "))
        };
        let stated = self.tracking.ledger.domain_of(problem);
        Some(stated.or_else(|| Some(inferred()?.as_str()))?.to_owned())
    }

    /// The longest-named technique of at least so many words that a text names as whole words.
    fn technique(&self, texts: &[Option<&str>], words: usize) -> Option<String> {
        let says = |name: &str| {
            let key = word_key(name);
            texts.iter().flatten().any(|text| says_words(text, &key))
        };
        let techniques = self.tracking.tables.rows("proof_techniques").iter().filter_map(technique);
        let named = techniques.filter(|(id, name)| {
            name.split([' ', '_', '-']).count() >= words && (says(name) || says(id))
        });
        named.map(|(_, name)| name).max_by_key(String::len)
    }

    fn theorems(&mut self) {
        const TABLE: &str = "proven_theorems";
        for row in self.tracking.tables.rows(TABLE) {
            let obstacle = match (row.flag("proof_complete"), row.get("theorem_name")) {
                (Some(true), Some(name)) => {
                    let (draft, origin) = self.theorem(row, name);
                    self.take(TABLE, row.number, draft, &["theorem", origin, name]);
                    continue;
                }
                (Some(true), None) => "it has no name",
                (Some(false), _) => "its proof is not complete",
                (None, _) => "nothing says that its proof is complete",
            };
            self.imported.reject(TABLE, row.number, obstacle);
        }
    }

    fn theorem(&self, row: &Row, name: &str) -> (Draft, &'a str) {
        let sort = row.get("theorem_type").unwrap_or("theorem");
        let statement = row.get("statement");
        let named = [Some(name), statement];
        let submission = row.int("submission_id").and_then(|id| self.tracking.ledger.by_id(id));
        let mut draft = Draft::new(Kind::Theorem, format!("{name} ({sort})"), "");
        draft.problem = submission
            .and_then(|s| s.problem.clone())
            .or_else(|| self.tracking.ledger.problem_in_name(name));
        draft.domain = self.domain(draft.problem.as_deref(), &named);
        let pattern = submission.and_then(|s| s.pattern.as_deref());
        // One word of a theorem's name says what it is about, not how it was proved.
        draft.proof_technique = self.technique(&[pattern], 1).or_else(|| self.technique(&named, 2));
        let doubt = match row.int("submission_id").and_then(|row| self.answers.get(&row)) {
            Some(Shortfall::Contradicted(doubt)) => Some(doubt),
            _ => None,
        };
        (draft.confidence, draft.evidence) = trust(row, submission, doubt.is_some());
        let said = statement.map_or_else(|| name.to_owned(), one_line);
        let claim = if draft.confidence == Confidence::Verified { "Proven" } else { "Claimed" };
        draft.description = match said.split(' ').next() {
            Some("theorem" | "lemma") => format!("{claim}: {said}"),
            _ => format!("{claim} {sort}: {said}"),
        };
        draft.theorem_statement = statement.map(str::to_owned);
        draft.theorem_name = Some(name.to_owned());
        let happened = submission.and_then(Submission::happened_at).map(str::to_owned);
        draft.created_at = happened.or_else(|| row.time("extracted_at"));
        let Some(submission) = submission else { return (draft, self.owner()) };
        draft.source.slot = submission.slot;
        draft.source.submission.clone_from(&submission.uuid);
        let against = doubt.map(|doubt| format!("tracking.db is contradicted by {doubt}"));
        let notes: Vec<String> = against.into_iter().chain(account(submission)).collect();
        draft.notes = (!notes.is_empty()).then(|| notes.join("\n"));
        (draft, submission.origin())
    }

    /// What people wrote about submissions. What several have is told once; what many have a program wrote.
    fn notes(&mut self) {
        const SEVERAL: usize = 3;
        const MANY: usize = 10;
        let mut told: BTreeMap<String, Vec<&Submission>> = BTreeMap::new();
        for submission in &self.tracking.ledger.submissions {
            // What else is written about one of many with the same note does not make that one a note.
            if let Some(note) = submission.notes.clone().or_else(|| submission.written()) {
                told.entry(word_key(&note)).or_default().push(submission);
            }
        }
        let mut alone = Vec::new();
        for (key, submissions) in told {
            if submissions.len() < SEVERAL {
                alone.extend(submissions);
            } else if submissions.len() <= MANY {
                self.note(&key, &submissions);
            }
        }
        alone.sort_by_key(|submission| submission.id);
        for submission in alone {
            self.note(submission.origin(), &[submission]);
        }
    }

    /// A note on one submission says why it failed, where it did.
    fn note(&mut self, key: &str, submissions: &[&Submission]) {
        const REASON: usize = 4;
        let [first, others @ ..] = submissions else { return };
        let shared = first.notes.clone().filter(|_| !others.is_empty());
        let note = shared.or_else(|| first.written()).unwrap_or_default();
        let note = note.as_str();
        let mut draft = Draft::new(Kind::Insight, clip(first_sentence(note), 80), note);
        let problem = first.problem.clone();
        draft.problem = problem.filter(|_| others.iter().all(|one| one.problem == first.problem));
        draft.domain = self.domain(draft.problem.as_deref(), &[Some(note)]);
        draft.tags = vec!["note".to_owned()];
        let times = submissions.iter().filter_map(|one| one.happened_at());
        draft.created_at = times.max().map(str::to_owned);
        let mut row = 0;
        if others.is_empty() {
            // That the answer is no is a success too.
            let is_settled = first.resolved || first.is_disproof();
            let has_failed = !is_settled
                && (matches!(first.standing, Standing::Failed | Standing::False)
                    || first.refusal().is_some());
            // A word or two are no reason.
            if has_failed && note.split_whitespace().count() >= REASON {
                draft.kind = Kind::Failure;
                draft.why_failed = Some(note.to_owned());
            }
            draft.title = format!("{}: {}", first.label, draft.title);
            draft.source.slot = first.slot;
            draft.source.submission.clone_from(&first.uuid);
            draft.notes = account(first);
            row = first.id.and_then(|id| id.try_into().ok()).unwrap_or(0);
        } else {
            let labels: Vec<&str> = submissions.iter().map(|one| one.label.as_str()).collect();
            draft.notes = Some(format!("Said of {}", labels.join(", ")));
        }
        self.take("submissions", row, draft, &["note", self.owner(), key]);
    }

    fn false_lemmas(&mut self) {
        const TABLE: &str = "false_lemmas";
        for lemma in self.tracking.lemmas() {
            if lemma.name.is_empty() {
                self.imported.reject(TABLE, lemma.row, "it has neither name nor statement");
                continue;
            }
            let draft = self.in_domain(lemma.draft);
            self.take(TABLE, lemma.row, draft, &["false_lemma", self.owner(), &lemma.name]);
        }
    }

    fn failed_approaches(&mut self) {
        const TABLE: &str = "failed_approaches";
        for approach in self.tracking.approaches() {
            if approach.name.is_empty() {
                self.imported.reject(TABLE, approach.row, "it has neither name nor description");
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
            let problem = word_key(draft.problem.as_deref().unwrap_or_default());
            let key = ["failure", self.owner(), &problem, &approach.name];
            self.take(TABLE, approach.row, draft, &key);
        }
    }

    /// Each thing said counts once: a title repeats the claim.
    fn in_domain(&self, draft: Draft) -> Draft {
        let name = draft.theorem_name.as_ref().unwrap_or(&draft.title);
        let texts = [Some(name), draft.theorem_statement.as_ref(), Some(&draft.description)];
        let texts = texts.map(|text| text.map(String::as_str));
        Draft { domain: self.domain(draft.problem.as_deref(), &texts), ..draft }
    }

    fn techniques(&mut self) {
        const TABLE: &str = "proof_techniques";
        for row in self.tracking.tables.rows(TABLE) {
            let Some((id, name)) = technique(row) else { continue };
            let description = row.get("description").unwrap_or(&name);
            let mut draft = Draft::new(Kind::Technique, &name, description);
            draft.notes = row.get("example_usage").map(|example| format!("Example: {example}"));
            draft.tags = vec!["technique".to_owned()];
            draft.proof_technique = Some(name);
            self.take(TABLE, row.number, draft, &["technique", self.owner(), id]);
        }
    }

    fn problems(&mut self) {
        const TABLE: &str = "candidate_problems";
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        for submission in &self.tracking.ledger.submissions {
            if let Some(problem) = &submission.problem {
                let has_held = self.broken_word(submission).is_none();
                let answer = submission.id.and_then(|row| self.answers.get(&row));
                let is_borne_out = !matches!(answer, Some(Shortfall::Contradicted(_)));
                let tally = tallies.entry(problem.clone()).or_default();
                tally.add(submission, has_held, is_borne_out);
            }
        }
        let mut listed = HashSet::new();
        for row in self.tracking.tables.rows(TABLE) {
            let id = row.get("id").filter(|id| !problem_key(id).is_empty());
            let Some(id) = id.and_then(|id| self.tracking.ledger.problem(id)) else {
                self.imported.reject(TABLE, row.number, "it has no id");
                continue;
            };
            if !listed.insert(id.clone()) {
                let reason = format!("its id is another spelling of {id}");
                self.imported.reject(TABLE, row.number, reason);
                continue;
            }
            let tally = tallies.remove(&id).unwrap_or_default();
            let draft = self.candidate(id, row, &tally);
            self.imported.problems.push(draft);
        }
        for (id, tally) in tallies {
            self.imported.problems.push(ProblemDraft {
                name: display_name(&id),
                domain: self.domain(Some(&id), &[]),
                status: tally.status(),
                statement: None,
                best_result: None,
                notes: labelled(&[
                    (SETTLED, tally.settled.as_deref()),
                    (MARKED_BY_MISTAKE, tally.mistaken.as_deref()),
                ]),
                counts: Some(tally.counts()),
                id,
            });
        }
    }

    /// A row of `candidate_problems`. The stated counts lag behind the submissions, or count some that name
    /// no problem: the larger one is nearer to the truth.
    fn candidate(&self, id: String, row: &Row, tally: &Tally) -> ProblemDraft {
        const SAID: &str = "active candidate inflight open partial";
        // Words of a database, for people.
        let words = |column| row.get(column).map(|text| text.replace('_', " "));
        let count = |column, counted: i64| row.int(column).unwrap_or(0).max(counted);
        let [statement, lean, name] = ["statement", "lean_statement", "name"].map(|it| row.get(it));
        let listed = problem_status(row.get("status"));
        let is_known = tally.resolved.is_none() && listed == ProblemStatus::Proven;
        let (submissions, proven, failed) = tally.counts();
        let domain = self.domain(Some(&id), &[statement, lean, name]);
        let shown = domain.as_deref().map(Domain::title_of).unwrap_or_default();
        // What is said of the problem as such is not said again.
        let said = words("status").filter(|status| !is_among(&word_key(status), SAID));
        ProblemDraft {
            domain,
            status: match tally.resolved {
                None if listed != ProblemStatus::Open => listed,
                _ => tally.status(),
            },
            best_result: None,
            notes: labelled(&[
                (SETTLED, tally.settled.as_deref()),
                (MARKED_BY_MISTAKE, tally.mistaken.as_deref()),
                ("Known", is_known.then_some("solved elsewhere, as the tracking database says")),
                ("Status in the tracking database", said.as_deref()),
                (
                    "Field",
                    words("domain").filter(|field| !field.eq_ignore_ascii_case(&shown)).as_deref(),
                ),
                ("Frontier", row.get("frontier_id")),
                ("Lean", lean.filter(|_| statement.is_some())),
                ("Approach", row.get("approach")),
                ("Blockers", row.get("blockers")),
                ("Source", row.get("source")),
                ("URL", row.get("source_url")),
                ("Notes", row.get("notes")),
            ]),
            counts: Some((
                count("submissions_count", submissions),
                count("proven_count", proven),
                count("false_lemma_count", failed),
            )),
            statement: statement.or(lean).map(str::to_owned),
            name: name.map_or_else(|| display_name(&id), str::to_owned),
            id,
        }
    }

    /// Its row calls it proved: who looked refused it, or the answer that was read says otherwise.
    fn broken_word(&self, submission: &Submission) -> Option<&'static str> {
        if submission.standing != Standing::Proved {
            return None;
        }
        if submission.is_refused() {
            return Some(REFUSED);
        }
        Some(match self.answers.get(&submission.id?)? {
            Shortfall::Contradicted(_) => CONTRADICTED,
            Shortfall::OnlyTrivialities => TRIVIAL,
        })
    }

    /// A submission counts for its problem only where its name says nothing or its status not how it ended.
    /// A failed approach of the same words tells more.
    fn strategies(&mut self) {
        let key = |problem: &str, approach: &str| (problem.to_owned(), word_key(approach));
        let strategies = self.imported.strategies.iter();
        let told: HashSet<_> = strategies.map(|one| key(&one.problem, &one.approach)).collect();
        let mut approaches: BTreeMap<_, (String, Attempts<'_>)> = BTreeMap::new();
        for submission in &self.tracking.ledger.submissions {
            let Some(problem) = submission.problem.as_deref() else { continue };
            // A complete file is not the whole problem, unless its owner says so.
            let broken = self.broken_word(submission);
            let outcome = match outcome(submission.standing, submission.status.as_deref()) {
                Some(Outcome::Proven) if broken.is_some() => Outcome::Failed,
                Some(Outcome::Proven) if !submission.resolved => Outcome::Partial,
                Some(Outcome::Failed) if submission.resolved => Outcome::Proven,
                Some(outcome) => outcome,
                None => continue,
            };
            let Some(approach) = approach_of(&submission.filename, Some(problem)) else { continue };
            let key = key(problem, &approach);
            if !told.contains(&key) {
                let ending = broken.unwrap_or_else(|| ending(submission.standing));
                let (_, attempts) = approaches.entry(key).or_insert((approach, Vec::new()));
                attempts.push(Attempt { submission, outcome, ending });
            }
        }
        for ((problem, _), (approach, attempts)) in approaches {
            let attempts = in_order(attempts);
            let learned = summary(&attempts);
            let domain = self.domain(Some(&problem), &[Some(&approach)]);
            let draft = |Attempt { submission, outcome, .. }: Attempt<'_>| StrategyDraft {
                problem: problem.clone(),
                problem_name: display_name(&problem),
                domain: domain.clone(),
                approach: approach.clone(),
                description: None,
                outcome,
                slot: submission.slot,
                submission: submission.uuid.clone(),
                learned: learned.clone(),
                source_file: None,
                attempted_at: submission.last_seen().map(str::to_owned),
            };
            self.imported.strategies.extend(attempts.into_iter().map(draft));
        }
    }
}

/// The oldest first; of those that nothing tells apart the last stays.
fn in_order(mut attempts: Attempts<'_>) -> Attempts<'_> {
    attempts.sort_by_key(|one| one.submission.last_seen());
    attempts.reverse();
    let mut seen = HashSet::new();
    attempts.retain(|Attempt { submission, .. }| {
        let slot = submission.slot.filter(|_| submission.uuid.is_none());
        seen.insert((submission.uuid.as_deref(), slot))
    });
    attempts.reverse();
    attempts
}

/// What the outcome does not say: for example `4 attempts: 1 proved, 1 near miss, 2 failed (compile failed)`, or, of
/// one attempt, `timeout`; then what was noted of the last one.
fn summary(attempts: &Attempts<'_>) -> Option<String> {
    let of = |ending| attempts.iter().filter(move |one| one.ending == ending);
    let mut how: Vec<&str> =
        of(FAILED).filter_map(|one| one.submission.status.as_deref()).collect();
    how.retain(|word| !["failed", "error"].contains(word));
    how.sort_unstable();
    how.dedup();
    let how = how.join(", ").replace('_', " ");
    let told = match attempts.as_slice() {
        [one] if one.ending == FAILED => how,
        [one] if one.ending == one.outcome.title() => String::new(),
        [one] => one.ending.to_owned(),
        _ => {
            let how = if how.is_empty() { how } else { format!(" ({how})") };
            let told = ENDINGS.into_iter().filter_map(|ending| {
                let how = if ending == FAILED { &how } else { "" };
                let count = of(ending).count();
                (count > 0).then(|| format!("{count} {ending}{how}"))
            });
            let told = told.collect::<Vec<_>>().join(", ");
            format!("{} attempts: {told}", attempts.len())
        }
    };
    let notes = |one: &Attempt<'_>| one.submission.notes.clone();
    let note = attempts.iter().rev().find_map(notes);
    let note = note.map(|note| clip(first_sentence(&note), LONGEST_NOTE));
    let told = [told, note.unwrap_or_default()].into_iter().filter(|part| !part.is_empty());
    Some(told.collect::<Vec<_>>().join(". ")).filter(|told| !told.is_empty())
}

fn ending(standing: Standing) -> &'static str {
    match standing {
        Standing::Proved => "proved",
        Standing::InFlight => "in flight",
        Standing::NearMiss => "near miss",
        Standing::History => "partial",
        Standing::False => "disproved",
        Standing::Failed => FAILED,
    }
}

/// Id and name of a technique; one stands in for the other.
fn technique(row: &Row) -> Option<(&str, String)> {
    let id = row.get("id").or_else(|| row.get("name"))?;
    Some((id, row.text("name").unwrap_or_else(|| id.replace('_', " "))))
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
    row: &Row,
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

#[derive(Default)]
struct Tally {
    by_standing: BTreeMap<Standing, i64>,
    /// What the owner says of it.
    resolved: Option<ProblemStatus>,
    /// By which submission, when, and in which words.
    settled: Option<String>,
    /// The same of a row whose note takes back that it does.
    mistaken: Option<String>,
    /// Counted among the false ones, but they are answers that hold.
    settling: i64,
}

impl Tally {
    /// What its row says and did not hold is a failure.
    fn add(&mut self, submission: &Submission, has_held: bool, is_borne_out: bool) {
        if submission.is_draft() || (submission.is_indexed() && !submission.resolved) {
            return;
        }
        let standing = if has_held { submission.standing } else { Standing::Failed };
        *self.by_standing.entry(standing).or_default() += 1;
        self.settling += i64::from(
            submission.is_disproof()
                || (submission.resolved && submission.standing == Standing::False),
        );
        let words = || {
            let day = submission.happened_at().and_then(|at| at.get(..10));
            let words = [Some(submission.label.as_str()), day, submission.notes.as_deref()];
            words.into_iter().flatten().collect::<Vec<_>>().join(", ")
        };
        if submission.resolved {
            // Of several the last whose answer bears it out.
            let is_told = self.settled.is_some() && !is_borne_out;
            self.resolved = Some(match submission.standing {
                Standing::False => ProblemStatus::False,
                _ => ProblemStatus::Proven,
            });
            if !is_told {
                self.settled = Some(words());
            }
        } else if submission.is_resolved_by_mistake {
            self.mistaken = Some(words());
        }
    }

    /// Submissions, proofs and failures.
    fn counts(&self) -> (i64, i64, i64) {
        let of = |standing| self.by_standing.get(&standing).copied().unwrap_or_default();
        let failed = of(Standing::Failed) + of(Standing::False) - self.settling;
        (self.by_standing.values().sum(), of(Standing::Proved), failed)
    }

    /// A complete file need not say anything of the problem: only the owner's word settles it, and what
    /// is proved of it is for the results to show.
    fn status(&self) -> ProblemStatus {
        let is_running = self.by_standing.contains_key(&Standing::InFlight);
        let waiting = is_running.then_some(ProblemStatus::InFlight);
        self.resolved.or(waiting).unwrap_or(ProblemStatus::Open)
    }
}

fn problem_status(word: Option<&str>) -> ProblemStatus {
    match word_key(word.unwrap_or_default()).as_str() {
        "knownproven" => ProblemStatus::Proven,
        "active" | "inflight" => ProblemStatus::InFlight,
        "partial" => ProblemStatus::Partial,
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
            ("mixed", ProblemStatus::Open),
            ("partial", ProblemStatus::Partial),
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
