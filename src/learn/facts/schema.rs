//! The form in which a model is asked for facts: in groups, which small models fill better than a list
//! with a word for the group in each entry.

use serde_json::{Map, Value, json};

use super::read::read;
use super::record::{Category, SourceType};
use crate::learn::prompt::{Form, Origin};

/// How a model is asked for facts and a summary.
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
        Ok(reading.facts.into_iter().map(|fact| fact.value).collect())
    },
};

/// So many facts of a group are taken.
pub(super) const MAX_ITEMS: usize = 5;

/// So many lines of each list of the summary.
pub(super) const MAX_LINES: usize = 6;

/// Characters of a key.
pub(super) const MAX_KEY: usize = 80;

/// Characters of a value.
pub(super) const MAX_VALUE: usize = 200;

/// Characters of a line of the summary.
pub(super) const MAX_LINE: usize = 120;

/// The groups, each with the category of what is in it.
pub(super) const GROUPS: &[(&str, Category)] = &[
    ("people", Category::Person),
    ("projects", Category::Project),
    ("preferences", Category::Preference),
    ("decisions", Category::Decision),
    ("lessons", Category::Lesson),
    ("environment", Category::Environment),
    ("tools", Category::Tool),
    ("tasks", Category::Task),
];

/// What a model may say about how long a fact holds.
const LASTS: &[&str] = &["always", "7d", "24h"];

/// The lists of the summary.
pub(super) const LISTS: [&str; 4] = ["decisions", "open_questions", "action_items", "topics"];

/// The form, as a JSON Schema. Confidence is asked for as a whole number, because servers do not hold a
/// fraction to its bounds.
fn schema() -> Value {
    let item = object(&[
        ("key", json!({ "type": "string", "maxLength": MAX_KEY })),
        ("value", json!({ "type": "string", "maxLength": MAX_VALUE })),
        ("scope", json!({ "type": "string", "enum": ["project", "global"] })),
        ("lasts", json!({ "type": "string", "enum": LASTS })),
        (
            "source_type",
            json!({
                "type": "string",
                "enum": SourceType::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>(),
            }),
        ),
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

/// An object with these fields, all of them and no other.
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
    let sources: Vec<&str> = SourceType::ALL.iter().map(|one| one.as_str()).collect();
    let item = format!(
        "{{\"key\":\"...\",\"value\":\"...\",\"scope\":\"project|global\",\"lasts\":\"{lasts}\",\
         \"source_type\":\"{}\",\"percent\":0-100}}",
        sources.join("|")
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
