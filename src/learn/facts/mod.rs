//! Facts and a summary from a text, through a language model: what it is asked, and how its reply is
//! read. Asking is not done here.
//!
//! A reply fills fields and nothing else. What it says enters unverified, whatever the text told the model
//! to say; a fact without a quotation that stands in the text is no more than a proposal.

#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::learn::prompt::{Form, Origin};
use crate::model::FactDetail;
pub use crate::model::{
    FactCategory as Category, FactOrigin as SourceType, FactScope as Scope, FactTier as Tier,
};
use crate::text::{clean, one_line, scrub};

pub use text::{MAX_WORDS, OVERLAP, Quotations, Text};

pub static FORM: Form = Form {
    prompt: "facts",
    name: "session_facts",
    schema,
    max_tokens: 4096,
    built_in: include_str!("../../../data/prompts/facts.md"),
    sketch,
    frame: "text",
    says: |reply| {
        let reading = read(reply, &Origin::default())?;
        let lines = reading.summary.lists().into_iter().flatten().cloned();
        Ok(reading.facts.iter().map(|fact| fact.value.clone()).chain(lines).collect())
    },
};

const MAX_ITEMS: usize = 5;

const MAX_LINES: usize = 6;

/// Characters of a key, a value, a quotation, and a line of the summary.
const MAX_KEY: usize = 80;
const MAX_VALUE: usize = 200;
const MAX_QUOTE: usize = 240;
const MAX_LINE: usize = 120;

const GROUPS: &[(&str, Category)] = &[
    ("people", Category::Person),
    ("projects", Category::Project),
    ("preferences", Category::Preference),
    ("decisions", Category::Decision),
    ("lessons", Category::Lesson),
    ("environment", Category::Environment),
    ("tools", Category::Tool),
    ("tasks", Category::Task),
];

const LASTS: &[&str] = &["always", "7d", "24h"];

const LISTS: [&str; 4] = ["decisions", "open_questions", "action_items", "topics"];

/// Confidence is a whole number, because servers do not hold a fraction to its bounds.
fn schema() -> Value {
    let item = object(&[
        ("key", json!({ "type": "string", "maxLength": MAX_KEY })),
        ("value", json!({ "type": "string", "maxLength": MAX_VALUE })),
        ("scope", json!({ "type": "string", "enum": ["project", "global"] })),
        ("lasts", json!({ "type": "string", "enum": LASTS })),
        ("quote", json!({ "type": "string", "maxLength": MAX_QUOTE })),
        ("percent", json!({ "type": "integer", "minimum": 0, "maximum": 100 })),
    ]);
    let line = json!({ "type": "string", "maxLength": MAX_LINE });
    let lines = json!({ "type": "array", "maxItems": MAX_LINES, "items": line });
    let lists: Vec<(&str, Value)> = LISTS.iter().map(|name| (*name, lines.clone())).collect();
    let group = json!({ "type": "array", "maxItems": MAX_ITEMS, "items": item });
    let mut fields: Vec<(&str, Value)> =
        GROUPS.iter().map(|(name, _)| (*name, group.clone())).collect();
    fields.push(("session_summary", object(&lists)));
    object(&fields)
}

fn object(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let fields: Map<String, Value> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({
        "type": "object",
        "properties": fields,
        "required": names,
        "additionalProperties": false,
    })
}

fn sketch() -> String {
    let lasts = LASTS.join("|");
    let item = format!(
        "{{\"key\":\"...\",\"quote\":\"...\",\"value\":\"...\",\"scope\":\"project|global\",\
         \"lasts\":\"{lasts}\",\"percent\":0-100}}"
    );
    let groups: Vec<String> =
        GROUPS.iter().map(|(name, _)| format!("\"{name}\":[FACT, ...]")).collect();
    let lists: Vec<String> = LISTS.iter().map(|name| format!("\"{name}\":[\"...\"]")).collect();
    format!(
        "FACT is {item}\n{{{},\n\"session_summary\":{{{}}}}}",
        groups.join(","),
        lists.join(",")
    )
}

/// How long a fact holds: always, or for some hours from when it was last seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// A long-term fact.
    Always,
    /// A working fact; never 0.
    Hours(u32),
}

impl Lifetime {
    /// What a working fact has that does not say.
    pub const WORKING: Self = Self::Hours(24);

    /// No working fact lasts longer: 90 days.
    const MOST_HOURS: u32 = 90 * 24;

    /// Reads `24h`, `7d`, `always`; `None` for anything else.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text == "always" {
            return Some(Self::Always);
        }
        let (number, hours) = match (text.strip_suffix('h'), text.strip_suffix('d')) {
            (Some(number), _) => (number, 1),
            (_, Some(number)) => (number, 24),
            _ => return None,
        };
        let hours = number.trim().parse::<u32>().ok()?.checked_mul(hours)?;
        (1..=Self::MOST_HOURS).contains(&hours).then_some(Self::Hours(hours))
    }

    /// When what was seen to hold at `now` ends; `None` for never.
    pub fn end(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Always => None,
            Self::Hours(hours) => {
                now.checked_add(SignedDuration::from_hours(i64::from(hours))).ok()
            }
        }
    }
}

impl Serialize for Lifetime {
    /// As the time to live of the specification: null, `24h`, `7d`.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Always => to.serialize_none(),
            Self::Hours(hours) if hours % 24 == 0 && *hours > 24 => {
                to.serialize_str(&format!("{}d", hours / 24))
            }
            Self::Hours(hours) => to.serialize_str(&format!("{hours}h")),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    pub category: Category,
    /// Dotted, lower case: `mathlib.revision`. With the category and the project it is the identity.
    pub key: String,
    pub value: String,
    /// The words of the text that show it; empty where none do.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub quote: String,
    pub scope: Scope,
    pub source_type: SourceType,
    /// How sure the model is, 0.0 to 1.0.
    pub confidence: f64,
    #[serde(rename = "ttl")]
    pub lifetime: Lifetime,
}

impl Fact {
    /// Its tier: what ends is working memory.
    pub fn tier(&self) -> Tier {
        match self.lifetime {
            Lifetime::Always => Tier::LongTerm,
            Lifetime::Hours(_) => Tier::Working,
        }
    }

    pub fn detail(&self, now: Timestamp) -> FactDetail {
        FactDetail {
            category: self.category.as_str().to_owned(),
            key: self.key.clone(),
            value: self.value.clone(),
            quote: self.quote.clone(),
            scope: self.scope.as_str().to_owned(),
            tier: self.tier().as_str().to_owned(),
            source_type: self.source_type.as_str().to_owned(),
            confidence: Some(self.confidence),
            expires_at: self.lifetime.end(now).map(stamp),
            last_verified: Some(stamp(now)),
            hours: None,
        }
    }
}

fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    pub decisions: Vec<String>,
    pub open_questions: Vec<String>,
    pub action_items: Vec<String>,
    pub topics: Vec<String>,
}

impl Summary {
    fn lists(&self) -> [&Vec<String>; 4] {
        [&self.decisions, &self.open_questions, &self.action_items, &self.topics]
    }

    pub fn is_empty(&self) -> bool {
        self.lists().iter().all(|list| list.is_empty())
    }

    fn absorb(&mut self, later: &Self) {
        let Self { decisions, open_questions, action_items, topics } = self;
        let own = [decisions, open_questions, action_items, topics];
        for (list, lines) in own.into_iter().zip(later.lists()) {
            for line in lines {
                // Twice what one reply may have is as much as a person reads.
                if !list.contains(line) && list.len() < 2 * MAX_LINES {
                    list.push(line.clone());
                }
            }
        }
    }

    pub fn fact(&self, key: String) -> Option<Fact> {
        if self.is_empty() {
            return None;
        }
        Some(Fact {
            category: Category::Session,
            key,
            value: serde_json::to_string(self).ok()?,
            scope: Scope::Global,
            quote: String::new(),
            source_type: SourceType::Inferred,
            confidence: 1.0,
            lifetime: Lifetime::Always,
        })
    }
}

const MAX_REASONS: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reading {
    /// Its facts, one of each category, key and scope, in its order.
    pub facts: Vec<Fact>,
    #[serde(rename = "session_summary")]
    pub summary: Summary,
    pub left_out: usize,
    pub reasons: Vec<String>,
}

/// Reads a reply in our form, or as the flat list of the specification. Small models repeat the worked examples of
/// the prompt and themselves: both are left out. An error is a sentence for the model.
pub fn read(reply: &Value, origin: &Origin) -> Result<Reading, String> {
    let mut reading = Reading::default();
    let mut found = false;
    for (category, item) in items(reply, &mut found)? {
        match fact(category, &item) {
            Ok(fact) if origin.is_example(&fact.value) => {
                reading.leave_out(format!("`{}` repeats an example of the prompt", fact.key));
            }
            Ok(fact) => reading.add(fact),
            Err(reason) => reading.leave_out(reason),
        }
    }
    let summary = ["session_summary", "summary"].iter().find_map(|name| reply.get(name));
    if let Some(summary) = summary {
        found = true;
        reading.summary = read_summary(summary, origin);
    }
    if !found {
        let names: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
        return Err(format!("it has none of the fields {}, session_summary", names.join(", ")));
    }
    match reading.reasons.first() {
        Some(reason) if reading.facts.is_empty() && reading.summary.is_empty() => {
            Err(format!("no fact in it holds up: {reason}"))
        }
        _ => Ok(reading),
    }
}

impl Reading {
    /// Takes in what a later part of the same text holds: where both know a key, the later part does.
    pub fn absorb(&mut self, later: Self) {
        for fact in later.facts {
            match self.find(&fact) {
                Some(known) => *known = fact,
                None => self.facts.push(fact),
            }
        }
        self.summary.absorb(&later.summary);
        self.left_out += later.left_out;
        self.reasons.extend(later.reasons);
        self.reasons.truncate(MAX_REASONS);
    }

    /// Of two facts under one key in one reply the surer counts, of equal ones the later. A value that
    /// stands in several groups or under several keys counts once.
    fn add(&mut self, fact: Fact) {
        let Some(known) = self.find(&fact) else {
            if self.facts.iter().any(|known| is_same(&known.value, &fact.value)) {
                let key = &fact.key;
                self.leave_out(format!("the `value` of `{key}` stands in another place too"));
            } else {
                self.facts.push(fact);
            }
            return;
        };
        let differs = !is_same(&known.value, &fact.value);
        if fact.confidence >= known.confidence {
            *known = fact;
        }
        if differs {
            self.leave_out("two facts have one key".to_owned());
        }
    }

    fn find(&mut self, fact: &Fact) -> Option<&mut Fact> {
        self.facts.iter_mut().find(|known| {
            (known.category, &known.key, known.scope) == (fact.category, &fact.key, fact.scope)
        })
    }

    fn leave_out(&mut self, reason: String) {
        self.left_out += 1;
        if self.reasons.len() < MAX_REASONS {
            self.reasons.push(reason);
        }
    }
}

/// Blanks and a full stop at the end make no other value; case does, because Lean's names have it.
pub fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| one_line(text.trim().trim_end_matches('.'));
    plain(one) == plain(other)
}

/// An entry of a reply with the category of its group; one of the flat form says its own.
type Item = (Option<Category>, Map<String, Value>);

fn items(reply: &Value, found: &mut bool) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    let mut take = |name: &str, category: Option<Category>, list: &Value| {
        let Value::Array(list) = list else {
            return Err(format!("`{name}` is no list"));
        };
        let most = if category.is_some() { MAX_ITEMS } else { MAX_ITEMS * GROUPS.len() };
        for item in list.iter().take(most) {
            // An entry that is no object has no field that could hold up.
            items.push((category, item.as_object().cloned().unwrap_or_default()));
        }
        *found = true;
        Ok(())
    };
    for (name, category) in GROUPS {
        if let Some(list) = reply.get(name).filter(|list| !list.is_null()) {
            take(name, Some(*category), list)?;
        }
    }
    match reply.get("facts") {
        Some(list) => take("facts", None, list)?,
        None if reply.is_array() => take("the answer", None, reply)?,
        None => {}
    }
    Ok(items)
}

fn fact(group: Option<Category>, item: &Map<String, Value>) -> Result<Fact, String> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let category = group
        .or_else(|| text("category")?.parse().ok())
        .filter(|category| *category != Category::Session)
        .ok_or("a fact has no known `category`")?;
    let key = key(&scrub(text("key").unwrap_or_default()), category)?;
    let value = line(text("value").unwrap_or_default(), MAX_VALUE)
        .map_err(|reason| format!("the `value` of `{key}` {reason}"))?;
    let wrong = |name: &str| format!("the `{name}` of `{key}` is not allowed");
    let scope = match text("scope") {
        Some(word) => word.parse().map_err(|_| wrong("scope"))?,
        None => usual_scope(category),
    };
    let quote = clean(&scrub(text("quote").unwrap_or_default()));
    let lifetime = lifetime(item, category).ok_or_else(|| wrong("lasts"))?;
    let confidence = confidence(item).ok_or_else(|| wrong("confidence"))?;
    let source_type = SourceType::Inferred;
    Ok(Fact { category, key, value, quote, scope, source_type, confidence, lifetime })
}

fn usual_scope(category: Category) -> Scope {
    match category {
        Category::Person | Category::Preference | Category::Tool => Scope::Global,
        _ => Scope::Project,
    }
}

/// Dotted and lower case. Other signs become `-`; a key of one word gets the category before it.
fn key(text: &str, category: Category) -> Result<String, String> {
    if text.chars().count() > MAX_KEY {
        return Err(format!("a `key` has more than {MAX_KEY} characters"));
    }
    let plain = |part: &str| -> String {
        let kept = part.chars().flat_map(char::to_lowercase);
        let kept: String =
            kept.map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
        kept.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    };
    let parts: Vec<String> = text.split('.').map(plain).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => Err("a fact has no `key`".to_owned()),
        [one] => Ok(format!("{}.{one}", category.as_str())),
        parts => Ok(parts.join(".")),
    }
}

pub(in crate::learn) fn line(text: &str, most: usize) -> Result<String, String> {
    let line = clean(&scrub(text));
    let said_nothing = ["", "...", "n/a", "none", "null", "unknown", "tbd"];
    if said_nothing.contains(&line.to_ascii_lowercase().as_str()) {
        return Err("says nothing".to_owned());
    }
    let length = line.chars().count();
    if length > most {
        return Err(format!("has more than {most} characters"));
    }
    if repeats_itself(&line) {
        return Err("repeats itself".to_owned());
    }
    // Servers cut at the length that the form allows; a blank at the end is gone.
    let is_full = length + 1 >= most && !line.ends_with(['.', '!', '?', ')', '`']);
    if is_full || line.ends_with(',') {
        return Err("breaks off".to_owned());
    }
    Ok(line)
}

fn repeats_itself(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let mut seen = BTreeSet::new();
    words.windows(4).any(|row| !seen.insert(row))
}

/// `lasts` of our form; `tier` and `ttl` of the specification's.
fn lifetime(item: &Map<String, Value>, category: Category) -> Option<Lifetime> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    if let Some(lasts) = text("lasts") {
        return Lifetime::of(lasts);
    }
    let ttl = text("ttl").map(Lifetime::of);
    match (text("tier").map(|word| word.parse().ok()), ttl) {
        (Some(None), _) => None,
        (Some(Some(Tier::LongTerm)), _) => Some(Lifetime::Always),
        (_, Some(ttl)) => ttl,
        (Some(Some(Tier::Working)), None) => Some(Lifetime::WORKING),
        (None, None) if category == Category::Task => Some(Lifetime::WORKING),
        (None, None) => Some(Lifetime::Always),
    }
}

/// `percent` of our form, 0 to 100; `confidence` of the specification's, 0.0 to 1.0.
fn confidence(item: &Map<String, Value>) -> Option<f64> {
    let within = |number: f64, most: f64| (0.0..=most).contains(&number).then_some(number / most);
    match (item.get("percent"), item.get("confidence")) {
        (Some(percent), _) => within(percent.as_f64()?, 100.0),
        (None, Some(confidence)) => within(confidence.as_f64()?, 1.0),
        // Nothing was said for it, so nothing is assumed.
        (None, None) => Some(0.5),
    }
}

/// Lines that do not hold up are left away; one that stands in several lists counts in the first.
fn read_summary(value: &Value, origin: &Origin) -> Summary {
    let mut seen = BTreeSet::new();
    let lists = LISTS.map(|name| -> Vec<String> {
        let lines = value.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let lines = lines.iter().filter_map(Value::as_str).take(MAX_LINES);
        let lines = lines.filter_map(|text| line(text, MAX_LINE).ok());
        lines.filter(|line| !origin.is_example(line) && seen.insert(line.clone())).collect()
    });
    let [decisions, open_questions, action_items, topics] = lists;
    Summary { decisions, open_questions, action_items, topics }
}
