//! A model's reply to checked facts. What does not hold up is left out with a reason; where nothing
//! holds up, the reply as a whole is refused.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::record::{Category, Fact, Lifetime, Scope, SourceType, Tier};
use super::schema::{GROUPS, LISTS, MAX_ITEMS, MAX_KEY, MAX_LINE, MAX_LINES, MAX_VALUE};
use super::summary::Summary;
use crate::learn::prompt::Origin;
use crate::text::{clean, one_line, scrub};

/// So many reasons are kept of what was left out.
const MAX_REASONS: usize = 20;

/// What a reply holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reading {
    /// Its facts, one of each category, key and scope, in its order.
    pub facts: Vec<Fact>,
    #[serde(rename = "session_summary")]
    pub summary: Summary,
    pub left_out: usize,
    /// Why the first of them were, one sentence each.
    pub reasons: Vec<String>,
}

/// Reads a reply in the form of [`super::FORM`], or as the flat list of the specification. Small models
/// repeat what they were shown and what they said before: facts that come from the worked examples of
/// the prompt instead of the text (`origin`) are left out, and so is what repeats itself.
///
/// # Errors
/// A sentence for the model when the form is another one, or when no fact holds up and some were given.
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
        reading.summary = read_summary(summary);
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
        self.summary.absorb(later.summary);
        self.left_out += later.left_out;
        self.reasons.extend(later.reasons);
        self.reasons.truncate(MAX_REASONS);
    }

    /// Of two facts under one key in one reply the surer counts, of equal ones the later. A value that
    /// stands in several groups or under several keys counts once.
    fn add(&mut self, fact: Fact) {
        if self
            .facts
            .iter()
            .any(|known| known.key != fact.key && is_same(&known.value, &fact.value))
        {
            self.leave_out(format!("the `value` of `{}` stands under another key too", fact.key));
            return;
        }
        let Some(known) = self.find(&fact) else {
            self.facts.push(fact);
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
    let source_type = match text("source_type") {
        Some(word) => word.parse().map_err(|_| wrong("source_type"))?,
        None => SourceType::Inferred,
    };
    let lifetime = lifetime(item, category).ok_or_else(|| wrong("lasts"))?;
    let confidence = confidence(item).ok_or_else(|| wrong("confidence"))?;
    Ok(Fact { category, key, value, scope, source_type, confidence, lifetime })
}

/// Where a fact holds that does not say.
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

/// One line of at most so many characters, clean and without secrets; or why it is none.
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

/// Four words in a row come a second time.
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
fn read_summary(value: &Value) -> Summary {
    let mut seen = BTreeSet::new();
    let lists = LISTS.map(|name| -> Vec<String> {
        let lines = value.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let lines = lines.iter().filter_map(Value::as_str).take(MAX_LINES);
        let lines = lines.filter_map(|text| line(text, MAX_LINE).ok());
        lines.filter(|line| seen.insert(line.clone())).collect()
    });
    let [decisions, open_questions, action_items, topics] = lists;
    Summary { decisions, open_questions, action_items, topics }
}
