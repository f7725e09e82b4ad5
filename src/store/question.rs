//! What a search is asked and what it answers.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use crate::model::{Confidence, Finding, Kind};

#[derive(Debug, Clone, Default)]
pub struct SearchQuery {
    pub text: String,
    pub limit: usize,
    pub kinds: Vec<Kind>,
    pub domain: Option<String>,
    /// In any spelling.
    pub problem: Option<String>,
    pub tags: Vec<String>,
    pub confidence: Option<Confidence>,
    /// `YYYY-MM-DD[ HH:MM:SS]` in UTC.
    pub since: Option<String>,
    pub project: Option<String>,
    pub current_project: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    None,
    /// No words were given.
    Newest,
    Prefix,
    AnyWord,
    AllWords,
    /// Name of a theorem, id of a problem or slot.
    Exact,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub finding: Finding,
    /// Larger is better: the stage (prefix 0 to exact 3) plus a fraction.
    pub score: f64,
    pub snippet: String,
    pub why: Vec<String>,
}

/// The short form, for lists of hits.
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

#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    pub total: u64,
    pub hits: Vec<Hit>,
    pub stage: Stage,
}
