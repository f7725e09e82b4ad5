//! A tracking database, or the shell tool's knowledge database, as drafts of knowledge: what `mk import`
//! stores.
//!
//! Nothing is stored here. Each draft has an identity made of what stays the same when the row
//! changes, so that a second import changes nothing and a changed row replaces what came from it.

mod findings;
mod knowledge;
mod problems;
mod strategies;
mod techniques;
mod trust;

use std::collections::HashMap;

use super::TrackingError;
use super::claims::labelled;
use super::ledger::{Ledger, Submission};
use super::open::Tracking;
use super::status::Standing;
use crate::model::{Domain, Draft, ProblemDraft, Reject, StrategyDraft, domain};
use techniques::Techniques;

pub(super) use trust::of_falsity;

/// The tables that an import reads.
const TABLES: &[&str] = &[
    "submissions",
    "proven_theorems",
    "false_lemmas",
    "failed_approaches",
    "candidate_problems",
    "proof_techniques",
];

/// Everything that a tracking database has to say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// Theorems, false lemmas, failures and techniques.
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
    /// Reads all that can be learnt. `project` is the identity of the project that the database belongs
    /// to, `known` are problem ids known from elsewhere, whose spelling counts, and `doubts` say of rows
    /// of submissions what speaks against their status.
    ///
    /// # Errors
    /// When no table of a tracking database is there, or it is damaged, locked or too slow.
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
            let techniques = Techniques::load(self)?;
            let rows = ledger.submissions.len() as u64;
            let imported = Imported { rows, ..Imported::default() };
            let mut import = Import {
                tracking: self,
                ledger,
                techniques,
                project,
                doubts,
                imported,
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
}

/// An import under way.
struct Import<'a> {
    tracking: &'a Tracking,
    ledger: Ledger,
    techniques: Techniques,
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
                    let reason = format!("repeats row {first}");
                    return self.reject(table, row, reason);
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

    /// Those that ended; where neither status nor a time says so, nobody knows.
    fn submissions(&mut self) {
        let is_over = |submission: &&Submission| match submission.standing {
            Standing::InFlight => false,
            Standing::History => submission.completed_at.is_some(),
            _ => true,
        };
        self.imported.submissions =
            self.ledger.submissions.iter().filter(is_over).cloned().collect();
    }

    fn reject(&mut self, table: &str, row: u64, reason: impl Into<String>) {
        self.imported.rejects.push(Reject {
            path: table.to_owned(),
            line: Some(row),
            reason: reason.into(),
        });
    }

    /// The domain that the problem's record states, else the one of which the texts speak.
    fn domain(&self, problem: Option<&str>, texts: &[Option<&str>]) -> Option<Domain> {
        self.ledger.domain_of(problem).or_else(|| {
            let texts: Vec<&str> = texts.iter().copied().flatten().chain(problem).collect();
            domain::infer(std::iter::empty(), texts.iter().copied(), &texts.join(" "))
        })
    }
}

/// The id under which a domain is stored.
fn domain_id(domain: Option<Domain>) -> Option<String> {
    domain.map(|domain| domain.as_str().to_owned())
}
