//! From records to proposals: each thing once, with where it comes from.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Kind, Signal, detect};
use crate::learn::transcript::{Body, Record};

/// Proposals that one extractor collects; beyond that a text says the same of everything.
const MOST: usize = 10_000;

/// Where proposals come from, as the caller knows it.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Id of the session; where it is empty the records' own counts, and `unknown-session` after that.
    pub session: String,
    /// Now, in ISO 8601.
    pub extracted_at: String,
    /// The records were read from plain text: lines are counted within a record.
    pub is_plain: bool,
}

/// A sentence that a person is asked about. The fields of the specification have its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// 12 hexadecimal digits, the same for the same content of the same session.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The sentence, cleaned.
    pub content: String,
    /// Id of the session.
    pub source: String,
    /// When it was extracted, in ISO 8601.
    pub extracted_at: String,
    /// `pending`, until a person decides.
    pub status: String,
    /// The phrase that gave it away.
    pub matched_phrase: String,
    pub rule: String,
    /// Who said it: the word of a [`Speaker`](crate::learn::transcript::Speaker).
    pub role: String,
    pub sentence: String,
    /// The speaker's sentence before it.
    pub before: Option<String>,
    /// The speaker's sentence after it.
    pub after: Option<String>,
    /// Line of the transcript, from 1.
    pub line: u64,
    pub said_at: Option<String>,
}

impl Proposal {
    /// Proposals with the same key say the same: the content without regard to case.
    pub fn key(&self) -> String {
        key(&self.content)
    }
}

/// See [`Proposal::key`].
fn key(content: &str) -> String {
    content.to_lowercase()
}

pub fn extract(records: &[Record], source: Source) -> Vec<Proposal> {
    let mut extractor = Extractor::new(source);
    for record in records {
        extractor.add(record);
    }
    extractor.finish()
}

/// Collects proposals from records as they come.
#[derive(Debug)]
pub struct Extractor {
    source: Source,
    seen: HashSet<String>,
    proposals: Vec<Proposal>,
}

impl Extractor {
    pub fn new(source: Source) -> Self {
        Self { source, seen: HashSet::new(), proposals: Vec::new() }
    }

    /// Looks at one record; only what people and agents said counts.
    pub fn add(&mut self, record: &Record) {
        let Body::Said(words) = &record.body else { return };
        for signal in detect(words, record.speaker) {
            if self.proposals.len() < MOST && self.seen.insert(key(&signal.content)) {
                let proposal = self.proposal(signal, record);
                self.proposals.push(proposal);
            }
        }
    }

    /// What was found, in the order of the transcript.
    pub fn finish(self) -> Vec<Proposal> {
        self.proposals
    }

    fn proposal(&self, signal: Signal, record: &Record) -> Proposal {
        let session = match (self.source.session.as_str(), record.session.as_deref()) {
            ("", None) => "unknown-session",
            ("", Some(own)) => own,
            (known, _) => known,
        };
        let lines = if self.source.is_plain { signal.lines_before } else { 0 };
        Proposal {
            id: id(signal.kind, &signal.content, session),
            kind: signal.kind,
            content: signal.content,
            source: session.to_owned(),
            extracted_at: self.source.extracted_at.clone(),
            status: "pending".to_owned(),
            matched_phrase: signal.matched_phrase,
            rule: signal.rule.to_owned(),
            role: record.speaker.to_string(),
            sentence: signal.sentence,
            before: signal.before,
            after: signal.after,
            line: record.line + lines,
            said_at: record.at.as_deref().map(str::to_owned),
        }
    }
}

fn id(kind: Kind, content: &str, session: &str) -> String {
    let mut digest = Sha256::new();
    for part in [kind.word(), &key(content), session] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    crate::text::hex(&digest.finalize()[..6])
}
