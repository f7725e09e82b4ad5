//! Learning signals: what somebody decided, wants, found out or gave up, as a transcript or a note tells it.
//!
//! In order of trust: what the person did, what they said as a choice that lasts, what a compaction's summary or a
//! note lists under such a heading, and how it ended in the agent's last words. Rules over words, no model. They
//! become proposals, which are nothing but questions to a person.

mod acts;
mod prose;
mod sections;
#[cfg(test)]
mod tests;
mod topic;
mod weigh;

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Serialize;
use sha2::{Digest, Sha256};

use self::acts::{Edits, REFUSED};
use self::prose::{BLANK, Piece, Prose};
use self::sections::Section;
pub use self::sections::{headings, tables_as_items};
use self::topic::Topic;
use self::weigh::{Phrases, Place, Weighed};
use crate::learn::events::Event;
use crate::learn::transcript::{Body, Record, Speaker};
use crate::model::Kind;
use crate::text::vocabulary;

vocabulary! {
    /// The specification's types of a proposal, which the journal has.
    #[derive(Default)]
    Type {
        Pattern = "pattern",
        #[default]
        Insight = "insight",
        SelfKnowledge = "self_knowledge",
    }
}

impl Type {
    fn of(kind: Kind) -> Self {
        if kind == Kind::Preference { Self::Pattern } else { Self::Insight }
    }
}

/// The rules by which proposals are found, the surest first. `outright` is for plain text only.
pub const ROADS: [&str; 9] =
    ["refused", "answered", "taken-back", "said", "note", "summary", "notes", "ended", "outright"];

pub const MIN_LENGTH: usize = 10;

/// Proposals that one extractor collects; beyond that a text says the same of everything.
const MOST: usize = 10_000;

/// Longest sentence that is one, in bytes: more is a text without full stops.
const MAX_SENTENCE: usize = 600;

/// Clauses of a sentence that is taken apart.
const MOST_CLAUSES: usize = 6;

/// A longer message was not typed in passing, in bytes.
const LONG: usize = 1_500;

/// Headings of a message from which on it is a document that was handed over.
const HEADINGS: usize = 3;

/// Proposals with which a new one is compared.
const MOST_COMPARED: usize = 100;

const NOTES: &str = "notes";

const SAID: &str = "said";

const SUMMARY: &str = "summary";

const ENDED: &str = "ended";

const NO_SESSION: &str = "unknown-session";

#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Id of the session; where it is empty the records' own counts.
    pub session: String,
    pub extracted_at: String,
    /// The records were read from plain text: lines are counted within a record.
    pub is_plain: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// 12 hexadecimal digits, the same for the same content of the same session.
    pub id: String,
    #[serde(rename = "type")]
    pub spec_type: Type,
    pub kind: Kind,
    /// The sentence, cleaned: one line, no list mark or emphasis, plain quotes.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<i64>,
}

impl Proposal {
    /// One of which it is not known yet who said it and where.
    fn new(kind: Kind, content: String, rule: &str) -> Self {
        Self {
            spec_type: Type::of(kind),
            kind,
            sentence: content.clone(),
            content,
            status: "pending".to_owned(),
            rule: rule.to_owned(),
            ..Self::default()
        }
    }

    pub fn noted(kind: Kind, content: String, rule: &str, role: &str, source: &Source) -> Self {
        let said_at = Some(source.extracted_at.clone());
        Self { role: role.to_owned(), said_at, ..Self::new(kind, content, rule) }.of(source, None)
    }

    fn of(mut self, source: &Source, own_session: Option<&str>) -> Self {
        let known = Some(source.session.as_str()).filter(|session| !session.is_empty());
        let session = known.or(own_session).unwrap_or(NO_SESSION);
        let mut digest = Sha256::new();
        for part in [self.spec_type.as_str(), &self.key(), session] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        self.id = crate::text::hex(&digest.finalize()[..6]);
        session.clone_into(&mut self.source);
        self.extracted_at.clone_from(&source.extracted_at);
        self
    }

    /// What is said of one slot or one problem is no preference for all work.
    pub fn place(&mut self, slot: Option<i64>, problem: Option<String>) {
        (self.slot, self.problem) = (slot, problem);
        if self.kind == Kind::Preference {
            self.kind = Kind::Decision;
            self.spec_type = Type::of(self.kind);
        }
    }

    pub fn key(&self) -> String {
        self.content.to_lowercase()
    }
}

pub fn extract(records: &[Record], source: Source) -> Vec<Proposal> {
    let mut extractor = Extractor::new(source);
    for record in records {
        extractor.add(&Event::from(record));
    }
    extractor.finish()
}

#[derive(Debug, Default)]
pub struct Extractor {
    source: Source,
    seen: HashSet<String>,
    proposals: Vec<Proposal>,
    /// What each proposal speaks of.
    topics: Vec<Topic>,
    /// What the agent said last: its last words if the person speaks next.
    last: Option<Record>,
    edits: Edits,
    /// From here on stand the proposals of what the person said last.
    said_last: usize,
}

/// Of a proposal that the person took back, or put better.
const GONE: &str = "gone";

impl Extractor {
    pub fn new(source: Source) -> Self {
        Self { source, ..Self::default() }
    }

    pub fn add(&mut self, event: &Event<'_>) {
        let record = event.record;
        if self.source.is_plain {
            if let Body::Said(words) = &record.body {
                self.keep(plain(words, record.speaker), record, record.speaker);
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
                let asked = self.ended();
                let mut found = said(words);
                if let Some(asked) = asked.filter(|_| found.is_empty()) {
                    found.extend(acts::typed(&asked, words));
                }
                self.take_back(words, &mut found);
                found.retain(is_left);
                self.said_last = self.proposals.len();
                self.keep(found, record, Speaker::Person);
            }
            Body::Said(words) if record.speaker == Speaker::Summary => {
                self.ended();
                self.keep(listed(words, SUMMARY), record, Speaker::Summary);
            }
            Body::Returned(result) => {
                // What a server returns may be in the client's words.
                let is_forgeable = !result.refused
                    && result.call.as_deref().is_some_and(|call| call.name.starts_with("mcp__"));
                let speaker = if is_forgeable { Speaker::Tool } else { Speaker::Person };
                self.keep(acts::of(result), record, speaker);
                if let Some(act) = &event.act {
                    let found = self.edits.acted(act, result);
                    self.keep(found, record, Speaker::Person);
                }
            }
            Body::Edited { path, snippet } => {
                let found = self.edits.changed(path, snippet);
                self.keep(found, record, Speaker::Person);
            }
            Body::Said(_) => {}
        }
    }

    pub fn found(&mut self) -> &mut [Proposal] {
        &mut self.proposals
    }

    pub fn finish(mut self) -> Vec<Proposal> {
        self.ended();
        self.proposals.retain(|one| one.status != GONE);
        self.proposals
    }

    /// What the person takes back of what they said before: what they said in the same message, which is silent then,
    /// or the last of what it speaks of, or, where it names nothing, what they said just now.
    fn take_back(&mut self, words: &str, found: &mut Vec<Proposal>) {
        let prose = Prose::of(words);
        for (at, sentence) in prose.sentences.iter().enumerate() {
            let Some(by) = weigh::taken_back(&prose.searched(sentence)) else { continue };
            let topic =
                |words: &str| Topic::of(&Proposal::new(Kind::Decision, words.to_owned(), "said"));
            let of = topic(prose.original(sentence)).without(&topic(by));
            let is_before = |one: &Proposal| {
                prose.sentences[..at].iter().any(|other| prose.original(other) == one.sentence)
            };
            if let Some(last) = found.iter().rposition(is_before) {
                found.remove(last);
                continue;
            }
            let from = if of.is_empty() { self.said_last } else { 0 };
            let is_meant = |at: &usize| {
                let (one, topic) = (&self.proposals[*at], &self.topics[*at]);
                one.role == Speaker::Person.as_str() && one.status != GONE && of.touches(topic)
            };
            if let Some(at) = (from..self.proposals.len()).rev().find(is_meant) {
                self.drop_at(at);
            }
        }
    }

    fn drop_at(&mut self, at: usize) {
        GONE.clone_into(&mut self.proposals[at].status);
        self.seen.remove(&self.proposals[at].key());
    }

    /// The agent's last words, which are read now.
    fn ended(&mut self) -> Option<String> {
        let record = self.last.take()?;
        let Body::Said(words) = &record.body else { return None };
        self.keep(ended(words), &record, record.speaker);
        Some(words.clone())
    }

    fn keep(
        &mut self,
        found: impl IntoIterator<Item = Proposal>,
        record: &Record,
        speaker: Speaker,
    ) {
        for one in found {
            let is_long_enough = one.content.chars().count() >= MIN_LENGTH;
            let has_room = self.proposals.len() < MOST;
            if !is_long_enough || !has_room || !self.seen.insert(one.key()) {
                continue;
            }
            let within = if self.source.is_plain { one.line } else { 0 };
            let one = Proposal {
                role: speaker.to_string(),
                line: record.line + within,
                said_at: record.at.as_deref().map(str::to_owned),
                ..one.of(&self.source, record.session.as_deref())
            };
            let topic = Topic::of(&one);
            let from = self.topics.len().saturating_sub(MOST_COMPARED);
            let stands = |at: &usize| self.proposals[*at].status != GONE;
            let mut known = (from..self.topics.len()).rev().filter(stands);
            let same = known.find_map(|at| Some((at, topic.replaces(&self.topics[at])?)));
            match same {
                Some((_, false)) => continue,
                Some((at, true)) => self.drop_at(at),
                None => {}
            }
            self.proposals.push(one);
            self.topics.push(topic);
        }
    }
}

fn said(words: &str) -> Vec<Proposal> {
    let prose = Prose::of(own_words(words));
    weighed(&prose, SAID, |at, sentence| {
        let before = at.checked_sub(1).and_then(|before| prose.sentences.get(before));
        let is_of_proof = before.is_some_and(|before| {
            prose.are_beside(before, &prose.sentences[at])
                && weigh::opens_proof(&prose.searched(before))
        });
        // `Use ℕ. Hm, no, ℤ is better`: they think aloud.
        let thinks_aloud = before.is_some_and(|before| {
            prose.are_beside(before, &prose.sentences[at])
                && prose.original(before).split_whitespace().count() > 2
                && is_taken_back(prose.original(&prose.sentences[at]))
                && !weigh::has(sentence, "lasting|always")
        });
        let weighed = weigh::weigh(sentence, Place::default());
        weighed.filter(|_| !is_of_proof && !thinks_aloud)
    })
}

/// Whether the sentence behind a proposal lets it stand.
fn is_left(one: &Proposal) -> bool {
    !one.after.as_deref().is_some_and(is_taken_back)
}

/// A message without the document that it hands over: a plan, or what stands below headings.
fn own_words(words: &str) -> &str {
    let (lead, rest) = words.trim_start().split_once('\n').unwrap_or((words, ""));
    let lead = lead.trim_end().to_lowercase();
    let last = lead.trim_end_matches(['.', ':', ' ']).rsplit(". ").next().unwrap_or_default();
    let says = |known: &str| last.split([' ', ',', ';']).any(|word| weigh::is_in(known, word));
    let is_plan = says("plan") && !says("your|dein|deinem|deinen|ton|votre|my|mein|mon");
    let rest = rest.trim_start();
    let heads: Vec<usize> = words
        .match_indices("\n#")
        .map(|(at, _)| at)
        .filter(|at| is_heading(&words[at + 1..]))
        .collect();
    match heads.first() {
        _ if lead.ends_with(':') && rest.starts_with("# ") => "",
        _ if is_plan && (rest.starts_with('#') || prose::is_item(rest)) => "",
        Some(first) if heads.len() >= HEADINGS || words.len() > LONG => &words[..*first],
        None | Some(_) if is_heading(words) && words.len() > LONG => "",
        _ => words,
    }
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
}

/// How it ended: what the agent says last of what does not work, and why.
fn ended(words: &str) -> Vec<Proposal> {
    let place = Place { by_agent: true, ..Place::default() };
    let prose = Prose::of(words);
    let under = sections::of(&prose);
    let mut found = weighed(&prose, ENDED, |at, sentence| match under.get(at)?.as_ref()? {
        (Section::Holds(Kind::Failure), true) => weigh::item(sentence, Kind::Failure),
        // What the person wants, they say themselves.
        _ => weigh::weigh(sentence, place)
            .or_else(|| {
                let is_plain = refuted(prose.original(&prose.sentences[at])).is_some();
                (is_plain && !weigh::leaves_open(sentence)).then_some((Kind::Failure, ""))
            })
            .filter(|(kind, _)| *kind != Kind::Preference && !is_step(&prose, at)),
    });
    found.retain(|one| {
        let after = one.after.as_deref().unwrap_or_default();
        !is_taken_back(after) && ![&one.content, after].into_iter().any(is_resolved)
    });
    take_reasons(&mut found, words, |one, next| {
        one.kind == Kind::Failure && is_reason(&one.content, next)
    });
    found
}

/// The sentence behind what is kept, where it is the reason and on its line, becomes part of it.
fn take_reasons(
    found: &mut Vec<Proposal>,
    words: &str,
    is_reason: impl Fn(&Proposal, &str) -> bool,
) {
    let mut taken = HashSet::new();
    for one in found.iter_mut() {
        let behind = words.split_once(&one.sentence).map_or("", |(_, rest)| rest);
        if let Some(next) = &one.after
            && behind.starts_with(' ')
            && !one.content.contains(next.as_str())
            && is_reason(one, next)
        {
            taken.insert(next.clone());
            one.content = format!("{} {next}", one.content);
        }
    }
    found.retain(|one| !taken.contains(&cleaned(&one.sentence)));
}

/// Whether a dead end without a reason has it in the sentence behind it.
fn is_reason(dead_end: &str, next: &str) -> bool {
    const WHY: &str = "because|since|as the|as it|due to|: |; |weil|denn|parce que|car |puisque";
    let first = next.split([' ', ',', ':']).next().unwrap_or_default().to_lowercase();
    !WHY.split('|').any(|why| dead_end.contains(why))
        && !weigh::is_in(weigh::list("no reason begins"), &first)
}

/// Whether a sentence supposes something, or goes on from one that does.
fn is_step(prose: &Prose<'_>, at: usize) -> bool {
    let text = |at: usize| prose.sentences.get(at).map(|piece| prose.searched(piece));
    let supposes = |at: usize| text(at).is_some_and(|text| weigh::has(&text, "supposed"));
    let goes_on = text(at).is_some_and(|text| {
        weigh::is_in(weigh::list("goes on"), text.split([' ', ',']).next().unwrap_or_default())
    });
    supposes(at) || goes_on && at.checked_sub(1).is_some_and(supposes)
}

/// The lemma that a sentence calls false; an option or a hypothesis may be `false` too.
pub fn refuted(sentence: &str) -> Option<&str> {
    const NOUNS: &str = "lemma|theorem|proposition|corollary|claim|statement|satz|lemme|théorème";
    const ARTICLES: &str = "the|that|our|my|der|das|die|le|la";
    let is_in = |words: &str, word: &str| words.split('|').any(|known| known == word);
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let named = |at: usize| {
        let name = words[at].trim_matches(['`', '"', '\'', ',', ';', ':', '.', '(', ')']);
        let before: Vec<String> = words[..at].iter().rev().take(3).map(|word| bare(word)).collect();
        let mut before = before.iter().map(String::as_str).skip_while(|word| is_in(ARTICLES, word));
        let is_said = before.next().is_some_and(|word| is_in(NOUNS, word));
        let is_quoted = words[at].starts_with('`');
        let is_lean = name.starts_with(char::is_alphabetic)
            && name.chars().all(|c| c.is_alphanumeric() || "_.'!?".contains(c))
            && (name.contains('_') || is_said && (is_quoted || name.contains('.')));
        let after = words[at + 1..].iter().take(4).copied().collect::<Vec<_>>().join(" ");
        let after = after.to_lowercase().replace('’', "'");
        let says = |verdict: &str| {
            let rest = after.strip_prefix(verdict);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let counters = words[..at].iter().rev().take(2).rev().map(|word| word.to_lowercase());
        let is_false = weigh::list("refuted").split('|').any(says)
            || is_in(weigh::list("counterexamples"), &counters.collect::<Vec<_>>().join(" "));
        let is_asserted = || weigh::is_asserted(&words[..at].join(" ").to_lowercase());
        (is_lean && is_false && is_asserted()).then_some(name)
    };
    (0..words.len()).find_map(named)
}

/// What did not work does so in the end.
fn is_resolved(words: &str) -> bool {
    let words = words.to_lowercase();
    weigh::list("resolved").split('|').any(|word| words.contains(word))
}

/// The next sentence abandons what was said, or contradicts it.
fn is_taken_back(next: &str) -> bool {
    let next = next.to_lowercase();
    let mut next = next.trim_start_matches(|c: char| !c.is_alphanumeric());
    while let Some((word, rest)) = next.split_once([' ', ','])
        && weigh::is_in(weigh::list("small words"), word)
    {
        next = rest.trim_start();
    }
    weigh::list("on reflection").split('|').any(|word| {
        next.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
    })
}

/// What gave an item away that stands under a heading such as `Do not`.
const FORBIDDEN: &str = "do not";

fn listed(words: &str, rule: &'static str) -> Vec<Proposal> {
    // The client itself adds the rest.
    let end = words.find("If you need specific details from before compaction");
    let words = &words[..end.unwrap_or(words.len())];
    let prose = if rule == NOTES { Prose::of_notes(words) } else { Prose::of(words) };
    let under = sections::of(&prose);
    let agent = Place { by_agent: true, ..Place::default() };
    let by_person = |sentence: &str, original: &str| {
        let quoted = || quoted(original).filter(|_| weigh::has(sentence, "the person"));
        let told = || weigh::weigh(weigh::told(sentence)?, Place::default());
        quoted().or_else(told)
    };
    let mut found = weighed(&prose, rule, |at, sentence| {
        let (section, is_item) = under.get(at).copied().flatten()?;
        let original = prose.original(&prose.sentences[at]);
        let heading = sections::on_line(original).map(|(heading, _)| heading.to_lowercase());
        let behind = heading.and_then(|heading| sentence.trim_start().strip_prefix(&*heading));
        let sentence = behind.map_or(sentence, |rest| rest.trim_start_matches([':', ' ']));
        match section {
            _ if rule == NOTES && sections::is_verdict(sentence) => Some((Kind::Failure, "")),
            Section::Messages => quoted(original)
                .or_else(|| weigh::weigh(sentence, agent))
                .or_else(|| weigh::weigh(sentence, Place::default())),
            // A wish is the task of one session, unless it restricts all work.
            Section::Request => weigh::weigh(sentence, agent)
                .filter(|_| weigh::has(sentence, "always|lasting|only|contrast|not but|do not"))
                .or_else(|| by_person(sentence, original)),
            Section::Holds(kind) if is_item => weigh::item(sentence, kind),
            Section::Forbids if is_item => {
                weigh::item(sentence, Kind::Preference).map(|(kind, _)| (kind, FORBIDDEN))
            }
            Section::Passing => None,
            _ if rule == NOTES => noted(sentence, prose.sentences[at].is_entry),
            _ => weigh::weigh(sentence, agent).or_else(|| by_person(sentence, original)),
        }
    });
    if rule != NOTES {
        found.retain(|one| one.kind == Kind::Preference || !is_resolved(&one.content));
    }
    take_reasons(&mut found, words, |one, next| {
        sections::is_verdict(&one.content)
            || (one.kind == Kind::Failure || rule == NOTES) && is_reason(&one.content, next)
    });
    for one in found.iter_mut().filter(|one| one.matched_phrase == FORBIDDEN) {
        let at = prose.sentences.iter().position(|other| prose.original(other) == one.sentence);
        let heading = at.and_then(|at| (0..at).rev().find(|before| under[*before].is_none()));
        if let Some(heading) = heading {
            let heading = cleaned(prose.original(&prose.sentences[heading]));
            let heading = heading.trim_end_matches([':', ' ']);
            let is_begun = ["not", "don't", "don’t", "never", "avoid", "nicht", "niemals"];
            let is_begun = is_begun.iter().any(|end| heading.to_lowercase().ends_with(end));
            one.content = format!("{heading}{} {}", if is_begun { "" } else { ":" }, one.content);
        }
    }
    found
}

/// Notes are a person's own, or copied from an agent's. What names no kind in them is told, and counts only of code or
/// with a reason.
fn noted(sentence: &str, is_entry: bool) -> Option<Weighed> {
    let agent = || weigh::weigh(sentence, Place { by_agent: true, ..Place::default() });
    let has_reason = weigh::has(sentence, "reason");
    let person = || match weigh::weigh(sentence, Place::default())? {
        // `Moved all bounds to ℕ because ...`
        (_, "") if has_reason && sentence.split(' ').next()?.ends_with("ed") => {
            Some((Kind::Decision, ""))
        }
        // What is told of code is a trap of it: `norm_num` proves it only if ...
        (_, "") if sentence.contains(char::from(BLANK)) => Some((Kind::Lesson, "")),
        (_, "") if !has_reason => None,
        (_, "") => Some((Kind::Insight, "")),
        weighed => Some(weighed),
    };
    if weigh::warns(sentence) {
        return Some((Kind::Lesson, ""));
    }
    if is_entry && weigh::is_given_up(sentence) {
        return Some((Kind::Failure, ""));
    }
    let is_choice = weigh::has(sentence, "our way|we do|left out");
    let is_choice = is_choice && !weigh::has(sentence, "dead end|attempt");
    let found = if is_choice { person().or_else(agent) } else { agent().or_else(person) };
    // Of a tool it is a trap.
    let is_of_tool = sentence.trim_start().starts_with(char::from(BLANK));
    let fails = !is_of_tool && weigh::has(sentence, "does not work");
    let forbids = || weigh::forbids(sentence).then_some((Kind::Preference, ""));
    found.or_else(forbids).map(|(kind, phrase)| match kind {
        Kind::Lesson if fails => (Kind::Failure, phrase),
        kind => (kind, phrase),
    })
}

/// What a summary quotes of the person is weighed as their own words.
fn quoted(sentence: &str) -> Option<Weighed> {
    let quotations = sentence.split(['"', '“', '”', '„', '«', '»']).skip(1).step_by(2);
    let mut found = quotations.filter_map(|quotation| {
        let prose = Prose::of(quotation);
        let place = Place::default();
        weighed(&prose, SAID, |_, words| weigh::weigh(words, place)).pop()
    });
    found.next().map(|one| (one.kind, ""))
}

fn plain(words: &str, speaker: Speaker) -> Vec<Proposal> {
    let mut found = match speaker {
        Speaker::Person => {
            let mut found = said(words);
            found.retain(is_left);
            found
        }
        Speaker::Agent | Speaker::Subagent => ended(words),
        Speaker::Unknown => listed(words, NOTES),
        Speaker::Summary => return listed(words, SUMMARY),
        Speaker::Tool | Speaker::Injected | Speaker::Client => return Vec::new(),
    };
    let is_note = speaker == Speaker::Unknown;
    let prose = if is_note { Prose::of_notes(words) } else { Prose::of(words) };
    let under = sections::of(&prose);
    for (at, sentence) in prose.sentences.iter().enumerate() {
        let is_heading = under[at].is_none();
        if let Some((said, phrase)) = outright(&prose.searched(sentence)).filter(|_| !is_heading) {
            let kind = if said == Type::Pattern { Kind::Preference } else { Kind::Insight };
            let one = proposal(&prose, at, "outright", (kind, phrase));
            found.retain(|other| other.sentence != one.sentence);
            found.push(Proposal { spec_type: said, ..one });
        }
    }
    found.sort_by_key(|one| one.line);
    found
}

/// The specification's words. Only for plain text: in a transcript an agent has a key insight on every page.
const OUTRIGHT: [(Type, &str); 3] = [
    (Type::Pattern, "outright patterns"),
    (Type::Insight, "outright insights"),
    (Type::SelfKnowledge, "outright self-knowledge"),
];

static SAID_OUTRIGHT: LazyLock<Phrases<Type>> =
    LazyLock::new(|| Phrases::new(OUTRIGHT.map(|(said, list)| (said, weigh::list(list)))));

fn outright(sentence: &str) -> Option<(Type, &'static str)> {
    // What turns such words into something else when it stands right before them.
    if weigh::asks(sentence) {
        return None;
    }
    let mut places = SAID_OUTRIGHT.places(sentence).into_iter();
    let (_, phrase, said) = places.find(|(at, ..)| {
        let before = sentence[..*at].trim_end().rsplit(' ').next().unwrap_or_default();
        !weigh::list("no cue behind").split('|').any(|word| word == before)
    })?;
    Some((said, phrase))
}

/// The sentences that say themselves what they are (`DECISION: ...`), and those on which there is a verdict, with what
/// they lean on.
fn weighed(
    prose: &Prose<'_>,
    rule: &'static str,
    weigh: impl Fn(usize, &str) -> Option<Weighed>,
) -> Vec<Proposal> {
    let mut found: Vec<(usize, Proposal)> = Vec::new();
    // The last one goes on in the next sentence.
    let mut goes_on = false;
    for (at, sentence) in prose.sentences.iter().enumerate() {
        let original = prose.original(sentence);
        if original.len() > MAX_SENTENCE {
            continue;
        }
        if let Some((kind, mark, rest)) = sections::marked(original) {
            let one = proposal(prose, at, rule, (kind, mark));
            found.push((at, Proposal { content: cleaned(rest), ..one }));
            goes_on = false;
            continue;
        }
        // An entry stands by itself.
        let is_beside = |other: usize| {
            let pieces = prose.sentences.get(other).zip(prose.sentences.get(at));
            !sentence.is_entry && pieces.is_some_and(|(one, next)| prose.are_beside(one, next))
        };
        let before = at.checked_sub(1).filter(|before| is_beside(*before));
        let last = found.last_mut().filter(|(last, one)| {
            Some(*last) == before && one.content.len() + original.len() <= MAX_SENTENCE
        });
        let searched = prose.searched(sentence);
        let is_of_others = [SAID, NOTES].contains(&rule) && weigh::is_of_others(&searched);
        let found_part = part(prose, sentence, |text| weigh(at, text)).filter(|_| !is_of_others);
        let Some((part, weighed)) = found_part else {
            let is_remedy = |one: &Proposal| {
                one.kind == Kind::Failure && weigh::leans_back(&searched) && !weigh::asks(&searched)
            };
            let takes =
                |(_, one): &&mut (usize, Proposal)| std::mem::take(&mut goes_on) || is_remedy(one);
            if let Some((last, one)) = last.filter(takes) {
                (*last, one.content) = (at, format!("{} {}", one.content, cleaned(original)));
            }
            continue;
        };
        let mut content = prose.original(if sentence.is_entry { sentence } else { &part });
        while let Some((word, rest)) = content.split_once(' ')
            && weigh::is_in(weigh::list("small words"), &word.to_lowercase())
        {
            content = rest;
        }
        let content = match sections::on_line(content).filter(|_| rule == SUMMARY) {
            Some((_, rest)) => cleaned(rest),
            None => cleaned(content),
        };
        let text = content.to_lowercase();
        let leans = weigh::leans_back(&text);
        let follows = |one: &Proposal| {
            one.kind == Kind::Failure
                && weigh::is_in(weigh::list("hence"), text.split(' ').next().unwrap_or_default())
        };
        // `No, not a stack. Queues are ...`: what is put right, and how it is.
        let before = before.filter(|before| {
            leans || rule == SAID && weigh::puts_right(&prose.searched(&prose.sentences[*before]))
        });
        if let Some((last, one)) =
            last.filter(|(_, one)| before.is_some() || goes_on || rule == REFUSED || follows(one))
        {
            (*last, one.content) = (at, format!("{} {content}", one.content));
            goes_on = false;
            continue;
        }
        let named = before.map(|at| cleaned(prose.original(&prose.sentences[at])));
        let named = named.filter(|named| named.len() + content.len() <= MAX_SENTENCE);
        let content = named.map_or_else(|| content.clone(), |named| format!("{named} {content}"));
        goes_on = weigh::leans_on(&text);
        found.push((at, Proposal { content, ..proposal(prose, at, rule, weighed) }));
    }
    found.into_iter().map(|(_, one)| one).collect()
}

/// The sentence without what leads to it, or those of its clauses that say something by themselves.
fn part(
    prose: &Prose<'_>,
    sentence: &Piece,
    weigh: impl Fn(&str) -> Option<Weighed>,
) -> Option<(Piece, Weighed)> {
    let text = |piece: &Piece| prose.searched(piece);
    if !weigh::is_meant(&text(sentence)) {
        return None;
    }
    let clauses = prose.clauses(sentence);
    let (_, before) = clauses.split_last()?;
    let leads = before.iter().take_while(|clause| weigh::is_lead_in(text(clause).trim())).count();
    let clauses = &clauses[leads..];
    let rest = prose.joined(clauses)?;
    // `Delete it, we don't use it`: why, and no choice.
    let is_task = |lead: &Piece| weigh::has(text(lead).trim(), "task");
    if before[..leads].iter().any(is_task) && weigh::leans_back(&text(&rest)) {
        return None;
    }
    let without_lead = || (leads > 0).then(|| weigh(&text(&rest))).flatten();
    if let Some(weighed) = weigh(&text(sentence)).or_else(without_lead) {
        return Some((rest, weighed));
    }
    let count = clauses.len();
    if !(2..=MOST_CLAUSES).contains(&count) || weigh::leaves_open(&text(sentence)) {
        return None;
    }
    let ranges = (1..count).flat_map(|less| [less..count, 0..count - less]);
    ranges.into_iter().find_map(|range| {
        let part = prose.joined(&clauses[range.clone()])?;
        let words = text(&part);
        let is_whole = words.split(' ').count() > 4 && !weigh::leans(&words);
        let weighed = weigh(&words).filter(|_| is_whole)?;
        // `names in lower case, always with the prefix`
        let goes_on = |clause: &Piece| weigh::has(&text(clause), "always|lasting");
        let more = clauses[range.end..].iter().take_while(|clause| goes_on(clause)).count();
        let part = prose.joined(&clauses[range.start..range.end + more])?;
        // What it speaks of stands in the other clauses.
        if weigh::leans_back(&words) && weigh::has(&text(sentence), "for today|task") {
            return None;
        }
        Some((if weigh::leans_back(&words) { rest.clone() } else { part }, weighed))
    })
}

fn proposal(prose: &Prose<'_>, at: usize, rule: &str, (kind, phrase): Weighed) -> Proposal {
    let sentence = &prose.sentences[at];
    let neighbour = |place: Option<usize>| {
        let sentence = prose.sentences.get(place?)?;
        Some(crate::text::clip(&cleaned(prose.original(sentence)), MAX_SENTENCE))
    };
    Proposal {
        matched_phrase: phrase.to_owned(),
        sentence: prose.original(sentence).to_owned(),
        before: neighbour(at.checked_sub(1)),
        after: neighbour(Some(at + 1)),
        line: sentence.lines_before,
        ..Proposal::new(kind, cleaned(prose.original(sentence)), rule)
    }
}

/// A sentence as it is kept: white space folded, marks of lists and emphasis taken off, quotes plain.
fn cleaned(sentence: &str) -> String {
    let mut words = crate::text::clean(sentence).replace("**", "");
    for (fancy, plain) in [("“", "\""), ("”", "\""), ("‘", "'"), ("’", "'")] {
        words = words.replace(fancy, plain);
    }
    let digits = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") "));
    let words = item.filter(|_| digits.len() < words.len()).unwrap_or(&words);
    let start = words.trim_start_matches(|c: char| {
        c.is_whitespace() || (c.is_ascii_punctuation() && !matches!(c, '`' | '"' | '(' | '[' | '$'))
    });
    start.trim_end().to_owned()
}
