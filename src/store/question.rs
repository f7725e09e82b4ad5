//! What a search is asked and what it answers.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::model::{Confidence, Finding, Kind};

/// What to search for, and in which findings.
#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    pub text: String,
    pub limit: usize,
    /// Only these kinds; all where empty.
    pub kinds: Vec<Kind>,
    pub domain: Option<String>,
    /// Only this problem, in any spelling.
    pub problem: Option<String>,
    pub tags: Vec<String>,
    pub confidence: Option<Confidence>,
    /// Only what was known first at this time or later, `YYYY-MM-DD[ HH:MM:SS]` UTC.
    pub since: Option<String>,
    pub project: Option<String>,
    pub current_project: Option<String>,
}

/// How far a search had to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    None,
    /// No words were given: the newest that pass the filters.
    Newest,
    /// A word begins like one of the query's.
    Prefix,
    AnyWord,
    AllWords,
    /// The name of a theorem, or the id of a problem.
    Exact,
}

/// One finding that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub finding: Finding,
    /// Larger is better: the stage (prefix 0 to exact 3) plus a fraction for the words.
    pub score: f64,
    /// The part of it that holds the words, in one line.
    pub snippet: String,
    /// Why it stands where it does, in words.
    pub why: Vec<String>,
}

/// Its short form: what a list of hits has.
impl Serialize for Hit {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let content = &self.finding.content;
        let mut fields = to.serialize_struct("Hit", 11)?;
        fields.serialize_field("id", &self.finding.id)?;
        fields.serialize_field("kind", &content.kind)?;
        fields.serialize_field("badge", content.badge())?;
        fields.serialize_field("title", &content.title)?;
        fields.serialize_field("problem", &content.problem)?;
        fields.serialize_field("domain", &content.domain)?;
        fields.serialize_field("confidence", &content.confidence)?;
        fields.serialize_field("evidence", &content.evidence)?;
        fields.serialize_field("score", &self.score)?;
        fields.serialize_field("snippet", &self.snippet)?;
        fields.serialize_field("why", &self.why)?;
        fields.end()
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// Findings that were found, of which `hits` are the best.
    pub total: u64,
    /// The best, the best first.
    pub hits: Vec<Hit>,
    /// The best stage that found something.
    pub stage: Stage,
}
