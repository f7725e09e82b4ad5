//! From records to proposals: each thing once, with where it comes from.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::acts::{self, Act};
use super::prose::{Prose, Sentence};
use super::sections::{self, Section};
use super::taken_back::Edits;
use super::weigh::{self, Place, Weighed};
use super::{MIN_LENGTH, Signal, Type, cleaned, outright};
use crate::learn::events::Event;
use crate::learn::transcript::{Body, Record, Speaker};
use crate::model::Kind;

/// Proposals that one extractor collects; beyond that a text says the same of everything.
const MOST: usize = 10_000;

/// Longest sentence that is one, in bytes: more is a text without full stops.
const MAX_SENTENCE: usize = 600;

/// A longer message was not typed in passing, in bytes.
const LONG: usize = 1_500;

/// Headings of a message from which on it is a document that was handed over.
const HEADINGS: usize = 3;

const NOTES: &str = "notes";

#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Id of the session; where it is empty the records' own counts, and `unknown-session` after that.
    pub session: String,
    pub extracted_at: String,
    /// The records were read from plain text: lines are counted within a record.
    pub is_plain: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// 12 hexadecimal digits, the same for the same content of the same session.
    pub id: String,
    #[serde(rename = "type")]
    pub spec_type: Type,
    pub kind: Kind,
    pub content: String,
    pub source: String,
    pub extracted_at: String,
    pub status: String,
    pub matched_phrase: String,
    pub rule: String,
    /// Who said it: the word of a [`Speaker`].
    pub role: String,
    pub sentence: String,
    /// What stood before it; of an answer the question.
    pub before: Option<String>,
    /// What stood after it; of an answer what was not chosen.
    pub after: Option<String>,
    pub line: u64,
    pub said_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Proposal {
    pub fn noted(kind: Kind, content: String, rule: &str, role: &str, source: &Source) -> Self {
        let spec_type = Type::of(kind);
        let session = if source.session.is_empty() { "unknown-session" } else { &source.session };
        Self {
            id: id(spec_type, &content, session),
            spec_type,
            kind,
            sentence: content.clone(),
            content,
            source: session.to_owned(),
            extracted_at: source.extracted_at.clone(),
            status: "pending".to_owned(),
            matched_phrase: String::new(),
            rule: rule.to_owned(),
            role: role.to_owned(),
            before: None,
            after: None,
            line: 0,
            said_at: Some(source.extracted_at.clone()),
            problem: None,
        }
    }

    pub fn key(&self) -> String {
        key(&self.content)
    }
}

fn key(content: &str) -> String {
    content.to_lowercase()
}

pub fn extract(records: &[Record], source: Source) -> Vec<Proposal> {
    let mut extractor = Extractor::new(source);
    for record in records {
        extractor.add(&Event::from(record));
    }
    extractor.finish()
}

#[derive(Debug)]
pub struct Extractor {
    source: Source,
    seen: HashSet<String>,
    proposals: Vec<Proposal>,
    /// What the agent said last: its last words if the person speaks next.
    last: Option<Record>,
    edits: Edits,
}

impl Extractor {
    pub fn new(source: Source) -> Self {
        Self {
            source,
            seen: HashSet::new(),
            proposals: Vec::new(),
            last: None,
            edits: Edits::default(),
        }
    }

    pub fn add(&mut self, event: &Event<'_>) {
        let record = event.record;
        if self.source.is_plain {
            if let Body::Said(words) = &record.body {
                self.keep(plain(words, record.speaker), record);
            }
            return;
        }
        let is_agent = matches!(record.speaker, Speaker::Agent | Speaker::Subagent);
        match &record.body {
            // What is followed by a call was said on the way.
            Body::Called(_) => self.last = None,
            Body::Said(_) if is_agent => {
                self.ended();
                self.last = Some(record.clone());
            }
            Body::Said(words) if record.speaker == Speaker::Person => {
                self.ended();
                self.keep(said(words), record);
            }
            Body::Said(words) if record.speaker == Speaker::Summary => {
                self.ended();
                self.keep(listed(words, "summary"), record);
            }
            Body::Returned(result) => {
                // What a server returns may be in the client's words.
                let is_forgeable = !result.refused
                    && result.call.as_deref().is_some_and(|call| call.name.starts_with("mcp__"));
                let speaker = if is_forgeable { Speaker::Tool } else { Speaker::Person };
                for act in acts::of(result) {
                    let record = Record { speaker, ..record.clone() };
                    self.keep(acted(act), &record);
                }
                if let Some(act) = &event.act {
                    let found = self.edits.acted(act, result);
                    self.keep_of_person(found, record);
                }
            }
            Body::Edited { path, snippet } => {
                let found = self.edits.changed(path, snippet);
                self.keep_of_person(found, record);
            }
            _ => {}
        }
    }

    pub fn found(&mut self) -> &mut [Proposal] {
        &mut self.proposals
    }

    fn keep_of_person(&mut self, found: Option<Signal>, record: &Record) {
        if found.is_some() {
            let record = Record { speaker: Speaker::Person, ..record.clone() };
            self.keep(Vec::from_iter(found), &record);
        }
    }

    pub fn finish(mut self) -> Vec<Proposal> {
        self.ended();
        self.proposals
    }

    fn ended(&mut self) {
        if let Some(record) = self.last.take()
            && let Body::Said(words) = &record.body
        {
            self.keep(ended(words), &record);
        }
    }

    fn keep(&mut self, signals: Vec<Signal>, record: &Record) {
        for signal in signals {
            let is_long_enough = signal.content.chars().count() >= MIN_LENGTH;
            if is_long_enough
                && self.proposals.len() < MOST
                && self.seen.insert(key(&signal.content))
            {
                let proposal = self.proposal(signal, record);
                self.proposals.push(proposal);
            }
        }
    }

    fn proposal(&self, signal: Signal, record: &Record) -> Proposal {
        let session = match (self.source.session.as_str(), record.session.as_deref()) {
            ("", None) => "unknown-session",
            ("", Some(own)) => own,
            (known, _) => known,
        };
        let lines = if self.source.is_plain { signal.lines_before } else { 0 };
        let spec_type = signal.said_outright.unwrap_or_else(|| Type::of(signal.kind));
        Proposal {
            id: id(spec_type, &signal.content, session),
            spec_type,
            kind: signal.kind,
            content: signal.content,
            source: session.to_owned(),
            extracted_at: self.source.extracted_at.clone(),
            status: "pending".to_owned(),
            matched_phrase: signal.phrase,
            rule: signal.rule.to_owned(),
            role: record.speaker.to_string(),
            sentence: signal.sentence,
            before: signal.before,
            after: signal.after,
            line: record.line + lines,
            said_at: record.at.as_deref().map(str::to_owned),
            problem: None,
        }
    }
}

fn id(spec_type: Type, content: &str, session: &str) -> String {
    let mut digest = Sha256::new();
    for part in [spec_type.word(), &key(content), session] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    crate::text::hex(&digest.finalize()[..6])
}

fn said(words: &str) -> Vec<Signal> {
    let own = own_words(words);
    let place = Place { in_long_message: words.len() > LONG, ..Place::default() };
    weighed(&Prose::of(own, |_| true), "said", |_, sentence| weigh::weigh(sentence, place))
}

/// A message without the document that it hands over.
fn own_words(words: &str) -> &str {
    let heads: Vec<usize> = words
        .match_indices("\n#")
        .map(|(at, _)| at)
        .filter(|at| is_heading(&words[at + 1..]))
        .collect();
    let start = words.trim_start().to_lowercase();
    let is_plan = [
        "implement the following plan",
        "implement this plan",
        "here is the plan",
        "here's the plan",
    ]
    .iter()
    .any(|begin| start.starts_with(begin));
    match heads.first() {
        _ if is_plan => "",
        Some(first) if heads.len() >= HEADINGS || words.len() > LONG => &words[..*first],
        None | Some(_) if is_heading(words) && words.len() > LONG => "",
        _ => words,
    }
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
}

/// How it ended: what the agent says last of what does not work, and why.
fn ended(words: &str) -> Vec<Signal> {
    if weigh::may_count(words) { last_words(words) } else { Vec::new() }
}

pub(super) fn last_words(words: &str) -> Vec<Signal> {
    let place = Place { by_agent: true, ..Place::default() };
    let prose = Prose::of(words, |_| true);
    let mut found = weighed(&prose, "ended", |_, sentence| weigh::weigh(sentence, place));
    found.retain(|signal| !signal.after.as_deref().is_some_and(is_taken_back));
    found
}

/// The next sentence abandons what was said, or contradicts it.
fn is_taken_back(next: &str) -> bool {
    let next = next.to_lowercase();
    let next = next.trim_start_matches(|c: char| !c.is_alphanumeric());
    [
        "wait",
        "actually",
        "hmm",
        "hm,",
        "scratch that",
        "no,",
        "on second thought",
        "never mind",
        "but that is wrong",
        "i was wrong",
        "that was wrong",
    ]
    .iter()
    .any(|word| next.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphabetic)))
}

/// What a compaction's summary, or a note, lists.
fn listed(words: &str, rule: &'static str) -> Vec<Signal> {
    // What the client itself adds is nobody's.
    let end = words.find("If you need specific details from before compaction");
    let words = &words[..end.unwrap_or(words.len())];
    let prose = Prose::of(words, |_| true);
    let under = sections::of(&prose);
    let agent = Place { by_agent: true, ..Place::default() };
    weighed(&prose, rule, |at, sentence| {
        let under = under.get(at).copied().flatten()?;
        match under.section {
            Section::Holds(kind) if under.is_item => weigh::item(sentence, kind),
            Section::Passing => None,
            // Notes are a person's own, or copied from an agent's.
            _ if rule == NOTES => {
                weigh::weigh(sentence, agent).or_else(|| weigh::weigh(sentence, Place::default()))
            }
            _ => weigh::weigh(sentence, agent),
        }
    })
}

fn plain(words: &str, speaker: Speaker) -> Vec<Signal> {
    let mut found = match speaker {
        Speaker::Person => said(words),
        Speaker::Agent | Speaker::Subagent => ended(words),
        Speaker::Unknown => listed(words, NOTES),
        Speaker::Summary => return listed(words, "summary"),
        Speaker::Tool | Speaker::Injected | Speaker::Client => return Vec::new(),
    };
    let prose = Prose::of(words, outright::may_hold);
    for (at, sentence) in prose.sentences.iter().enumerate() {
        if let Some((said, phrase)) = outright::found(&prose.searched(sentence)) {
            let kind = if said == Type::Pattern { Kind::Preference } else { Kind::Insight };
            let signal = signal(&prose, at, "outright", (kind, phrase));
            found.retain(|one| one.sentence != signal.sentence);
            found.push(Signal { said_outright: Some(said), ..signal });
        }
    }
    found.sort_by_key(|signal| signal.lines_before);
    found
}

/// The sentences that say themselves what they are (`DECISION: ...`), and those on which there is a verdict.
fn weighed(
    prose: &Prose<'_>,
    rule: &'static str,
    weigh: impl Fn(usize, &str) -> Option<Weighed>,
) -> Vec<Signal> {
    let sentences = prose.sentences.iter().enumerate();
    let short = sentences.filter(|(_, sentence)| prose.original(sentence).len() <= MAX_SENTENCE);
    short
        .filter_map(|(at, sentence)| {
            if let Some((kind, mark, rest)) = sections::marked(prose.original(sentence)) {
                let signal = signal(prose, at, rule, (kind, mark));
                return Some(Signal { content: cleaned(rest), ..signal });
            }
            let weighed = weigh(at, &prose.searched(sentence))?;
            Some(signal(prose, at, rule, (weighed.kind, weighed.phrase)))
        })
        .collect()
}

fn signal(
    prose: &Prose<'_>,
    at: usize,
    rule: &'static str,
    (kind, phrase): (Kind, &str),
) -> Signal {
    let original = prose.original(&prose.sentences[at]);
    let neighbour = |place: Option<usize>| {
        let sentence: &Sentence = prose.sentences.get(place?)?;
        Some(crate::text::clip(&cleaned(prose.original(sentence)), MAX_SENTENCE))
    };
    Signal {
        kind,
        said_outright: None,
        content: cleaned(original),
        phrase: phrase.to_owned(),
        rule,
        sentence: original.to_owned(),
        before: neighbour(at.checked_sub(1)),
        after: neighbour(Some(at + 1)),
        lines_before: prose.sentences[at].lines_before,
    }
}

fn acted(act: Act<'_>) -> Vec<Signal> {
    match act {
        Act::Refused { words, call } => {
            let place = Place { after_rejection: true, ..Place::default() };
            let prose = Prose::of(words, |_| true);
            let mut found = weighed(&prose, "refused", |_, sentence| weigh::weigh(sentence, place));
            for signal in &mut found {
                signal.before.get_or_insert_with(|| format!("refused: {call}"));
            }
            found
        }
        Act::Answered { question, answer, others } => {
            let content = format!("{answer} (asked: {question})");
            vec![Signal {
                kind: Kind::Decision,
                said_outright: None,
                content: cleaned(&content),
                phrase: String::new(),
                rule: "answered",
                sentence: answer,
                before: Some(question),
                after: (!others.is_empty()).then(|| format!("not chosen: {}", others.join("; "))),
                lines_before: 0,
            }]
        }
    }
}
