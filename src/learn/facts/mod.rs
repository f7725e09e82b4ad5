//! Facts and a summary from a text, through a language model: what it is asked, and how its reply is
//! read. Asking is not done here.
//!
//! A reply fills fields and nothing else. What it says enters unverified, whatever the text told the model
//! to say; a fact without a quotation that stands in the text is no more than a proposal.

#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::learn::prompt::{Form, Origin, confidence, list, object, percent, string};
use crate::model::{FactCategory as Category, FactDetail, FactOrigin, FactScope, FactTier};
use crate::text::{clean, one_line, scrub};

pub use text::{MAX_WORDS, OVERLAP, Quotations, Text};

pub static FORM: Form = Form {
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

const GROUPS: [(&str, Category); 8] = [
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

fn schema() -> Value {
    let item = object(&[
        ("key", string(MAX_KEY)),
        ("value", string(MAX_VALUE)),
        ("scope", json!({ "type": "string", "enum": ["project", "global"] })),
        ("lasts", json!({ "type": "string", "enum": LASTS })),
        ("quote", string(MAX_QUOTE)),
        ("percent", percent()),
    ]);
    let lines = LISTS.map(|name| (name, list(MAX_LINES, &string(MAX_LINE))));
    let groups = GROUPS.into_iter().map(|(name, _)| (name, list(MAX_ITEMS, &item)));
    let fields: Vec<_> = groups.chain([("session_summary", object(&lines))]).collect();
    object(&fields)
}

fn sketch() -> String {
    let lasts = LASTS.join("|");
    let item = format!(
        "{{\"key\":\"...\",\"quote\":\"...\",\"value\":\"...\",\"scope\":\"project|global\",\
         \"lasts\":\"{lasts}\",\"percent\":0-100}}"
    );
    let groups = GROUPS.map(|(name, _)| format!("\"{name}\":[FACT, ...]")).join(",");
    let lists = LISTS.map(|name| format!("\"{name}\":[\"...\"]")).join(",");
    format!("FACT is {item}\n{{{groups},\n\"session_summary\":{{{lists}}}}}")
}

/// What a working fact has that does not say.
const WORKING: u32 = 24;

/// No working fact lasts longer: 90 days.
const MOST_HOURS: u32 = 90 * 24;

/// The hours of `24h` and `7d`, 0 for `always`; `None` for anything else.
pub fn hours(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    if text == "always" {
        return Some(0);
    }
    let hours =
        |unit, hours| text.strip_suffix(unit)?.trim().parse::<u32>().ok()?.checked_mul(hours);
    let hours = hours('h', 1).or_else(|| hours('d', 24))?;
    (1..=MOST_HOURS).contains(&hours).then_some(hours)
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

    /// What was decided, is open, and is to be done.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let labels = ["Decided", "Open", "To do"];
        labels
            .into_iter()
            .zip(self.lists())
            .flat_map(|(label, lines)| lines.iter().map(move |line| (label, line)))
    }

    fn lists_mut(&mut self) -> [&mut Vec<String>; 4] {
        let Self { decisions, open_questions, action_items, topics } = self;
        [decisions, open_questions, action_items, topics]
    }

    fn absorb(&mut self, later: &Self) {
        for (list, lines) in self.lists_mut().into_iter().zip(later.lists()) {
            for line in lines {
                // Twice what one reply may have is as much as a person reads.
                if !list.contains(line) && list.len() < 2 * MAX_LINES {
                    list.push(line.clone());
                }
            }
        }
    }

    pub fn fact(&self, key: String) -> Option<FactDetail> {
        if self.is_empty() {
            return None;
        }
        Some(FactDetail {
            category: Category::Session.to_string(),
            key,
            value: serde_json::to_string(self).ok()?,
            scope: FactScope::Global.to_string(),
            tier: FactTier::LongTerm.to_string(),
            source_type: FactOrigin::Inferred.to_string(),
            confidence: Some(1.0),
            ..FactDetail::default()
        })
    }
}

const MAX_REASONS: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reading {
    /// Its facts, one of each category, key and scope, in its order.
    pub facts: Vec<FactDetail>,
    #[serde(rename = "session_summary")]
    pub summary: Summary,
    pub left_out: usize,
    pub reasons: Vec<String>,
}

/// Reads a reply in our form, or as the flat list of the specification. Small models repeat the worked examples of
/// the prompt and themselves: both are left out. An error is a sentence for the model.
pub fn read(reply: &Value, origin: &Origin) -> Result<Reading, String> {
    let mut reading = Reading::default();
    let items = items(reply)?;
    let summary = ["session_summary", "summary"].iter().find_map(|name| reply.get(name));
    if items.is_none() && summary.is_none() {
        let names = GROUPS.map(|(name, _)| name).join(", ");
        return Err(format!("it has none of the fields {names}, session_summary"));
    }
    for (category, item) in items.into_iter().flatten() {
        match fact(category, item) {
            Ok(fact) if origin.is_example(&fact.value) => {
                reading.leave_out(format!("`{}` repeats an example of the prompt", fact.key));
            }
            Ok(fact) => reading.add(fact),
            Err(reason) => reading.leave_out(reason),
        }
    }
    reading.summary = summary.map(|summary| read_summary(summary, origin)).unwrap_or_default();
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
    fn add(&mut self, fact: FactDetail) {
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

    fn find(&mut self, fact: &FactDetail) -> Option<&mut FactDetail> {
        self.facts.iter_mut().find(|known| {
            (&known.category, &known.key, &known.scope) == (&fact.category, &fact.key, &fact.scope)
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

type Item<'r> = (Option<Category>, &'r Value);

/// The entries of a reply with the category of their group; those of the flat form say their own. `None` where it has
/// no list of them.
fn items(reply: &Value) -> Result<Option<Vec<Item<'_>>>, String> {
    let groups = GROUPS.into_iter().map(|(name, category)| (name, Some(category)));
    let mut items = None;
    for (name, category) in groups.chain([("facts", None)]) {
        let flat = (category.is_none() && reply.is_array()).then_some(reply);
        let list = flat.or_else(|| reply.get(name).filter(|list| !list.is_null()));
        let Some(list) = list else { continue };
        let list = list.as_array().ok_or_else(|| format!("`{name}` is not a list"))?;
        let most = if category.is_some() { MAX_ITEMS } else { MAX_ITEMS * GROUPS.len() };
        // An entry that is no object has no field that could hold up.
        let list = list.iter().take(most).map(|item| (category, item));
        items.get_or_insert_with(Vec::new).extend(list);
    }
    Ok(items)
}

fn fact(group: Option<Category>, item: &Value) -> Result<FactDetail, String> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let category = group
        .or_else(|| text("category")?.parse().ok())
        .filter(|category| *category != Category::Session)
        .ok_or("a fact has no known `category`")?;
    let key = key(&scrub(text("key").unwrap_or_default()), category)?;
    let value = line(text("value").unwrap_or_default(), MAX_VALUE)
        .map_err(|reason| format!("the `value` of `{key}` {reason}"))?;
    let wrong = |name: &str| format!("the `{name}` of `{key}` is not allowed");
    let scope = match (text("scope"), category) {
        (Some(word), _) => word.parse().map_err(|_| wrong("scope"))?,
        (None, Category::Person | Category::Preference | Category::Tool) => FactScope::Global,
        (None, _) => FactScope::Project,
    };
    let hours = lasts(item, category).ok_or_else(|| wrong("lasts"))?;
    let tier = if hours == 0 { FactTier::LongTerm } else { FactTier::Working };
    Ok(FactDetail {
        category: category.to_string(),
        scope: scope.to_string(),
        tier: tier.to_string(),
        hours: Some(hours).filter(|hours| *hours > 0),
        quote: clean(&scrub(text("quote").unwrap_or_default())),
        source_type: FactOrigin::Inferred.to_string(),
        // Where nothing was said for it, nothing is assumed.
        confidence: confidence(item).map_err(|()| wrong("confidence"))?.or(Some(0.5)),
        key,
        value,
        ..FactDetail::default()
    })
}

/// Dotted and lower case. Other signs become `-`; a key of one word gets the category before it.
fn key(text: &str, category: Category) -> Result<String, String> {
    if text.chars().count() > MAX_KEY {
        return Err(format!("a `key` has more than {MAX_KEY} characters"));
    }
    let plain = |part: &str| {
        let words = part.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
    };
    let text = text.to_lowercase();
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

/// In hours: `lasts` of our form; `tier` and `ttl` of the specification's.
fn lasts(item: &Value, category: Category) -> Option<u32> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    let tier = text("tier").map(str::parse).transpose();
    match (text("lasts"), tier.ok()?, text("ttl")) {
        (Some(lasts), ..) => hours(lasts),
        (_, Some(FactTier::LongTerm), _) => Some(0),
        (.., Some(ttl)) => hours(ttl),
        (_, Some(FactTier::Working), _) => Some(WORKING),
        _ => Some(if category == Category::Task { WORKING } else { 0 }),
    }
}

/// Lines that do not hold up are left away; one that stands in several lists counts in the first.
fn read_summary(value: &Value, origin: &Origin) -> Summary {
    let (mut seen, mut summary) = (BTreeSet::new(), Summary::default());
    for (name, list) in LISTS.iter().zip(summary.lists_mut()) {
        let lines = value[name].as_array().into_iter().flatten();
        let lines = lines.filter_map(Value::as_str).take(MAX_LINES);
        let lines = lines.filter_map(|text| line(text, MAX_LINE).ok());
        list.extend(lines.filter(|line| !origin.is_example(line) && seen.insert(line.clone())));
    }
    summary
}
