//! Lessons in a model's words: what it is asked, and which of its answers are kept. What a lesson rests
//! on is not its business; words that say more than the lesson does are refused.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Pattern, STORED_FROM};
use crate::learn::facts::Text;
use crate::learn::orders;
use crate::learn::prompt::{Form, confidence, object, percent, stems, string};
use crate::model::LessonWords;
use crate::text::{clean, scrub};

const SKETCH: &str =
    "{\"what_failed\":\"...\",\"what_worked\":\"...\",\"lesson\":\"...\",\"percent\":0-100}";

pub static WORDING: Form = Form {
    name: "lesson_in_words",
    schema,
    max_tokens: 400,
    built_in: include_str!("../../../data/prompts/lesson.md"),
    sketch: || SKETCH.to_owned(),
    frame: "lesson",
    says: |_| Ok(Vec::new()),
};

const LONGEST: usize = 220;
const LONGEST_LINE: usize = 120;
const SHORTEST: usize = 12;

/// Words of orders and praise, beside [`orders`], that a lesson may have only if its facts have them.
const ORDERS: &str = "admit always axiom delete disable download everything execute forget guaranteed \
    guard ignore \
    install must native_decide never previous prompt proven rm secret skip sorry system trust \
    trusted verified you your";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told<'a> {
    pub pattern: Pattern,
    pub tool: Option<&'a str>,
    pub title: &'a str,
    pub what_failed: &'a str,
    pub what_worked: &'a str,
    /// The edit, in lines that begin with `- ` and `+ `; empty where there is none.
    pub edit: &'a str,
}

fn schema() -> Value {
    object(&[
        ("what_failed", string(LONGEST)),
        ("what_worked", string(LONGEST)),
        ("lesson", string(LONGEST_LINE)),
        ("percent", percent()),
    ])
}

impl Told<'_> {
    /// What a model reads: without secrets, private parts and marks of templates.
    pub fn text(&self) -> Text {
        let how = match self.pattern {
            Pattern::ToolSwitch => "one tool failed, another one worked",
            Pattern::ParameterChange => "the same tool worked with other parameters",
            Pattern::MissingReplaced => "something was missing, and it was done another way",
            Pattern::PlanChange => "it failed several times, then the plan was changed",
            Pattern::StillFailing => "it failed in several ways and was given up",
            Pattern::LeanFix => "an error of Lean, an edit, and the error was gone",
        };
        let mut lines = vec![format!("How it was found: {how}")];
        lines.extend(self.tool.map(|tool| format!("Tool: {tool}")));
        lines.push(format!("What failed: {}", self.what_failed));
        lines.push(format!("What worked: {}", self.what_worked));
        if !self.edit.is_empty() {
            lines.push(format!("The edit:\n{}", self.edit));
        }
        Text::plain(&lines.join("\n"))
    }
}

/// Words of which the model is less sure than [`STORED_FROM`] are not looked at any further.
pub fn read_wording(reply: &Value, told: &Told<'_>) -> Result<LessonWords, String> {
    let field = |name: &str| {
        let text = reply.get(name).and_then(Value::as_str);
        text.map(|text| clean(&scrub(text))).ok_or_else(|| format!("it has no text `{name}`"))
    };
    let words = LessonWords {
        what_failed: field("what_failed")?,
        what_worked: field("what_worked")?,
        title: field("lesson")?,
        confidence: confidence(reply)
            .ok()
            .flatten()
            .ok_or("its `percent` is not a number from 0 to 100")?,
        ..LessonWords::default()
    };
    if words.confidence < STORED_FROM {
        return Ok(words);
    }
    let LessonWords { what_failed, what_worked, title, .. } = &words;
    let known = Known::of(told);
    for (name, text, longest) in [
        ("what_failed", what_failed, LONGEST),
        ("what_worked", what_worked, LONGEST),
        ("lesson", title, LONGEST_LINE),
    ] {
        has_length(text, longest)
            .and_then(|()| known.allows(text))
            .map_err(|reason| format!("`{name}` {reason}"))?;
    }
    keeps(what_failed, told.what_failed, "").map_err(|what| format!("`what_failed` {what}"))?;
    keeps(what_worked, told.what_worked, told.what_failed)
        .map_err(|what| format!("`what_worked` {what}"))?;
    if same(what_failed, what_worked) || same(what_failed, title) {
        return Err("it says the same for what failed and for what worked".to_owned());
    }
    Ok(words)
}

fn has_length(text: &str, longest: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length > longest {
        return Err(format!("is longer than {longest} characters"));
    }
    if length < SHORTEST || text.split(' ').count() < 3 {
        return Err("says too little".to_owned());
    }
    // In a lesson such a line would be a line of its edit.
    if text.starts_with(['-', '+', '{', '[', '#', '>']) || text.contains("```") {
        return Err("is not a plain sentence".to_owned());
    }
    Ok(())
}

struct Known {
    prose: BTreeSet<String>,
    edit: BTreeSet<String>,
    words: BTreeSet<String>,
    all: String,
}

impl Known {
    fn of(told: &Told<'_>) -> Self {
        let prose = [told.title, told.what_failed, told.what_worked, told.tool.unwrap_or_default()];
        let prose = prose.join("\n");
        let all = format!("{prose}\n{}", told.edit);
        Self {
            prose: tokens(&prose).map(str::to_owned).collect(),
            edit: tokens(told.edit).map(str::to_owned).collect(),
            words: plain_words(&all).collect(),
            all,
        }
    }

    fn allows(&self, text: &str) -> Result<(), String> {
        let is_order =
            |word: &str| ORDERS.split(' ').chain(orders::words()).any(|order| order == word);
        if let Some(word) =
            plain_words(text).find(|word| is_order(word) && !self.words.contains(word))
        {
            return Err(format!("has the word `{word}`, which the lesson does not have"));
        }
        let text = text.replace("Lean 4", "Lean");
        for token in names(&text) {
            if self.prose.contains(token) {
                continue;
            }
            if !self.edit.contains(token) {
                return Err(format!("names `{token}`, which the lesson does not"));
            }
            if is_local(token) {
                return Err(format!("is not general: `{token}` is a local name"));
            }
        }
        match spans(&text).find(|span| !self.all.contains(*span)) {
            Some(span) => Err(format!("has `{span}`, which is not in the lesson")),
            None => Ok(()),
        }
    }
}

fn is_local(name: &str) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || "'′✝".contains(c) || ('₀'..='₉').contains(&c);
    let short = name.chars().filter(|c| !is_mark(*c)).count() <= 2;
    name.contains('✝') || name == "this" || (short && !name.contains(['.', '_']))
}

/// A text must keep every name, number and quoted code of the sentence it replaces that `before` lacks; without
/// any, two of its words.
fn keeps(text: &str, told: &str, before: &str) -> Result<(), String> {
    let kept: BTreeSet<&str> = tokens(text).collect();
    let is_new = |name: &&str| !before.contains(*name);
    let lost_span = spans(told).filter(is_new).find(|span| !text.contains(*span));
    let lost_name = || names(told).filter(is_new).find(|name| !kept.contains(name));
    if let Some(lost) = lost_span.or_else(lost_name) {
        return Err(format!("loses `{lost}`"));
    }
    if names(told).any(|name| is_new(&name)) {
        return Ok(());
    }
    let (wanted, has): (BTreeSet<_>, BTreeSet<_>) = (stems(told).collect(), stems(text).collect());
    let shared = has.intersection(&wanted).count();
    if shared >= wanted.len().min(2) { Ok(()) } else { Err("speaks of something else".to_owned()) }
}

fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn same(left: &str, right: &str) -> bool {
    plain_words(left).eq(plain_words(right))
}

fn plain_words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let is_part =
        |c: char| c.is_alphanumeric() || "_.'′✝!?-/@".contains(c) || ('₀'..='₉').contains(&c);
    text.split(move |c: char| !is_part(c))
        .map(|token| token.trim_matches(['.', '\'', '!', '?', '/']).trim_end_matches('-'))
        .filter(|token| token.chars().any(char::is_alphanumeric))
}

/// Code in backticks, and words with a dot, an underscore, a digit or a capital inside.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let quoted = spans(text).flat_map(tokens);
    let odd = |token: &&str| {
        let inside = token.chars().skip(1).any(|c| c.is_uppercase() || "._/@✝".contains(c));
        inside || token.starts_with("--") || token.chars().any(char::is_numeric)
    };
    quoted.chain(tokens(text).filter(odd))
}

#[cfg(test)]
mod tests;
