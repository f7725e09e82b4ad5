//! From an outlined result file to findings, a problem and a strategy. A proof counts when its declaration has no
//! gap; how far it is trusted depends on the whole file. What the prover refuted is never proved.

mod findings;
mod method;
mod reading;
mod refuted;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::Serialize;

pub use reading::is_named_after;
pub use refuted::{Negation, negations};

use crate::lean::trivial::Triviality;
use crate::lean::{self, Outline, Statements, last_part};
use crate::model::{Draft, KnownProblems, ProblemDraft, StrategyDraft};
use crate::text::is_among;

#[derive(Debug, Clone, Copy, Default)]
pub struct Origin<'a> {
    /// Stable path of the file, with `/`; for a member of an archive `archive!member`.
    pub file: &'a str,
    pub project: Option<&'a str>,
    pub slot: Option<i64>,
    pub problem: Option<&'a str>,
    /// That of the problem, as its owner says.
    pub domain: Option<&'a str>,
    pub approach: Option<&'a str>,
    /// Otherwise only a prover's header makes it an attempt: files of a library are no problems.
    pub is_attempt: bool,
    pub summary: Option<(&'a str, &'a str)>,
    pub recorded: Option<Recorded<'a>>,
}

impl<'a> Origin<'a> {
    /// Put away beside newer ones.
    fn is_old(&self) -> bool {
        const OLD: &str = "old archive archives archived backup backups bak attic trash deprecated obsolete copy copies kopie kopien \
             sicherung";
        let mut words = self.file.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        words.any(|word| is_among(&word, OLD))
    }

    /// Without its folders or its archive.
    fn file_name(&self) -> &'a str {
        self.file.rsplit(['/', '!']).next().unwrap_or(self.file)
    }
}

/// Raised when other findings are made of the same file, so that results that are known are read again.
pub const VERSION: u32 = 11;

/// What the row of a submission says of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Says {
    /// The answer settles the problem.
    Settles,
    /// It proves what was asked.
    Proves,
    /// What was asked is false.
    Refutes,
    Fails,
    #[default]
    Nothing,
}

impl Says {
    pub(crate) fn is_proof(self) -> bool {
        matches!(self, Self::Settles | Self::Proves)
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Recorded<'a> {
    pub uuid: Option<&'a str>,
    pub status: Option<&'a str>,
    pub says: Says,
    pub gaps: Option<i64>,
    /// Its owner refused the answer, with what is noted about it.
    pub refusal: Option<&'a str>,
    /// Its owner holds it for a step towards the problem, or for a small thing.
    pub is_advance: Option<bool>,
    /// Another problem, which the file itself names.
    pub named_in_file: Option<&'a str>,
    pub at: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    pub findings: Vec<Draft>,
    /// Names and keys of statements.
    pub open: Vec<(String, String)>,
    pub problem: Option<ProblemDraft>,
    pub strategy: Option<StrategyDraft>,
    pub overview: Overview,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overview {
    pub slot: Option<i64>,
    pub problem: Option<String>,
    pub domain: Option<String>,
    pub technique: Option<String>,
    pub declarations: usize,
    pub proven: usize,
    pub open: Vec<String>,
    pub negated: Vec<String>,
    /// Those that are still open; gaps of refuted statements are none to close.
    pub gaps: usize,
    pub axioms: Vec<String>,
    pub imports: usize,
    /// The prover's own words stand behind the file: its header, or a summary that names it.
    pub header: bool,
    pub uuid: Option<String>,
    pub stopped: Option<&'static str>,
    /// Why it is no whole proof, as a clause.
    #[serde(skip)]
    pub falls_short: Option<String>,
    /// Something, but nothing more than this.
    #[serde(skip)]
    pub proves_only: Option<Triviality>,
    /// Without those words, among submissions: it is what was asked, not what was answered.
    pub sketch: bool,
}

/// The declarations of a text; the searches of a prover's answer were run.
pub fn skimmed(text: &str) -> Outline {
    let mut outline = lean::skim(text);
    let is_search = |gap: &&lean::Gap| gap.kind == lean::GapKind::SearchTactic;
    if outline.gaps().iter().any(is_search) && is_answer(text, &outline) {
        outline.trust_searches();
    }
    outline
}

/// The prover's header stands in it.
pub fn is_answer(text: &str, outline: &Outline) -> bool {
    reading::notes_of(text, outline, None).header
}

pub fn request(text: &str, outline: &Outline, summary: Option<(&str, &str)>) -> Option<String> {
    reading::notes_of(text, outline, summary).uuid
}

/// With which the prover made it, as it says.
pub fn toolchain(text: &str) -> Option<String> {
    reading::notes_of(text, &lean::skim(text), None).toolchain
}

/// The problem named in the comments at the top, or by the names of theorems, if these agree.
pub fn problem_named(text: &str, outline: &Outline, known: &KnownProblems) -> Option<String> {
    let said: Vec<&str> = reading::leading_comments(text, outline).collect();
    let theorems = outline.declarations.iter().filter(|d| reading::is_theorem(d));
    let named: BTreeSet<String> = theorems
        .filter_map(|theorem| known.problem_of(last_part(theorem.name.as_deref()?)))
        .collect();
    let said = known.in_text(&said.join("\n")).problems;
    [said, named.into_iter().collect()].into_iter().find_map(|mut ids| {
        let last = ids.pop();
        last.filter(|_| ids.is_empty())
    })
}

pub fn learn(statements: &Statements<'_>, origin: &Origin<'_>) -> Results {
    let reading = reading::Reading::new(statements, origin);
    let findings = findings::all(&reading, statements);
    let is_attempt = origin.is_attempt || reading.overview.header;
    let says_something = is_attempt && (!findings.is_empty() || reading.overview.gaps > 0);
    let problem = says_something.then(|| findings::problem(&reading)).flatten();
    // What a recorded submission tried, the database tells; a sketch has not been tried.
    let is_told =
        says_something && reading.overview.header && origin.recorded.is_none() && !origin.is_old();
    let strategy = is_told.then(|| findings::strategy(&reading)).flatten();
    let open = findings::open(&reading, statements);
    Results { findings, open, problem, strategy, overview: reading.overview }
}
