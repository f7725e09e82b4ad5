//! `seed.json`, the journal of proposals: new ones are appended to `state.proposals`, decisions
//! change their status; everything else in the file stays as it is, to the letter.

use std::collections::HashSet;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::tolerant_json::Entries;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    /// `pattern`, `insight`, `self_knowledge` or `fact`.
    pub kind: String,
    /// What it becomes, or became, here: `decision`, `failure`, ...
    pub becomes: String,
    pub content: String,
    pub source: String,
    pub extracted_at: String,
    pub status: String,
    pub decided_at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    pub text: String,
    pub added: usize,
    pub decided: usize,
    pub skipped: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    #[error("it is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("`{0}` is no {1}")]
    Shape(&'static str, &'static str),
}

/// Adds entries whose content is new, in any case; those whose id is there change its status.
pub fn update(text: &str, entries: &[Entry]) -> Result<Updated, SeedError> {
    let (mut added, mut decided, mut skipped) = (0, 0, 0);
    let text = change(text, |proposals| {
        let mut known: HashSet<String> = proposals.iter().filter_map(|raw| content(raw)).collect();
        let ids: Vec<Option<String>> = proposals.iter().map(|raw| text_of(raw, "id")).collect();
        for entry in entries {
            let place = ids.iter().position(|id| id.as_deref() == Some(entry.id.as_str()));
            if let Some(proposal) = place.and_then(|place| proposals.get_mut(place)) {
                let changed = decide(proposal, entry)?;
                decided += usize::from(changed.is_some());
                skipped += usize::from(changed.is_none());
                if let Some(changed) = changed {
                    *proposal = changed;
                }
            } else if known.insert(entry.content.to_lowercase()) {
                proposals.push(raw(&to_json(entry))?);
                added += 1;
            } else {
                skipped += 1;
            }
        }
        Ok(())
    })?;
    Ok(Updated { text, added, decided, skipped })
}

/// Returns the new text and how many proposals went.
pub fn remove(text: &str, unwanted: impl Fn(&Value) -> bool) -> Result<(String, usize), SeedError> {
    let mut gone = 0;
    let left = change(text, |proposals| {
        let before = proposals.len();
        proposals.retain(|raw| {
            serde_json::from_str::<Value>(raw.get()).map_or(true, |proposal| !unwanted(&proposal))
        });
        gone = before - proposals.len();
        Ok(())
    })?;
    Ok(if gone == 0 { (text.to_owned(), 0) } else { (left, gone) })
}

fn change(
    text: &str,
    with: impl FnOnce(&mut Vec<Box<RawValue>>) -> Result<(), SeedError>,
) -> Result<String, SeedError> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let mut seed = fields(text, "the file")?;
    let state = seed.get("state").map_or("{}", |raw| raw.get()).to_owned();
    let mut state = fields(&state, "state")?;
    let proposals = state.get("proposals").map_or("[]", |raw| raw.get());
    let mut proposals: Vec<Box<RawValue>> =
        serde_json::from_str(proposals).map_err(|_| SeedError::Shape("state.proposals", "list"))?;
    with(&mut proposals)?;
    state.set("proposals", list(&proposals)?);
    seed.set("state", RawValue::from_string(state.text(2))?);
    Ok(seed.text(0) + "\n")
}

fn to_json(entry: &Entry) -> String {
    let mut fields = Fields::default();
    let mut put = |name: &str, value: &str| {
        let value = RawValue::from_string(Value::from(value).to_string());
        fields.0.extend(value.ok().map(|value| (name.to_owned(), value)));
    };
    put("id", &entry.id);
    put("type", &entry.kind);
    put("content", &entry.content);
    put("source", &entry.source);
    put("extractedAt", &entry.extracted_at);
    put("status", &entry.status);
    put("kind", &entry.becomes);
    if let Some(decided_at) = &entry.decided_at {
        put("decidedAt", decided_at);
    }
    fields.text(6)
}

fn decide(proposal: &RawValue, entry: &Entry) -> Result<Option<Box<RawValue>>, SeedError> {
    if text_of(proposal, "status").as_deref() == Some(entry.status.as_str()) {
        return Ok(None);
    }
    let mut fields = fields(proposal.get(), "a proposal")?;
    let mut set = |name: &str, value: &str| -> Result<(), SeedError> {
        fields.set(name, RawValue::from_string(Value::from(value).to_string())?);
        Ok(())
    };
    set("status", &entry.status)?;
    set("kind", &entry.becomes)?;
    match &entry.decided_at {
        Some(decided_at) => set("decidedAt", decided_at)?,
        None => fields.0.retain(|(name, _)| name != "decidedAt"),
    }
    Ok(Some(raw(&fields.text(6))?))
}

fn text_of(proposal: &RawValue, name: &str) -> Option<String> {
    let value: Value = serde_json::from_str(proposal.get()).ok()?;
    value.get(name)?.as_str().map(str::to_owned)
}

fn content(proposal: &RawValue) -> Option<String> {
    text_of(proposal, "content").map(|content| content.to_lowercase())
}

fn raw(text: &str) -> Result<Box<RawValue>, SeedError> {
    Ok(RawValue::from_string(text.to_owned())?)
}

fn list(values: &[Box<RawValue>]) -> Result<Box<RawValue>, SeedError> {
    if values.is_empty() {
        return raw("[]");
    }
    let lines: Vec<String> = values.iter().map(|value| format!("      {}", value.get())).collect();
    raw(&format!("[\n{}\n    ]", lines.join(",\n")))
}

#[derive(Default)]
struct Fields(Vec<(String, Box<RawValue>)>);

fn fields(text: &str, what: &'static str) -> Result<Fields, SeedError> {
    if !text.trim_start().starts_with('{') {
        serde_json::from_str::<serde::de::IgnoredAny>(text)?;
        return Err(SeedError::Shape(what, "object"));
    }
    Ok(Fields(serde_json::from_str::<Entries<_>>(text)?.0))
}

impl Fields {
    fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().rfind(|(other, _)| other == name).map(|(_, value)| &**value)
    }

    fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().rfind(|(other, _)| other == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// The object, its closing bracket `indent` blanks deep.
    fn text(&self, indent: usize) -> String {
        if self.0.is_empty() {
            return "{}".to_owned();
        }
        let blanks = " ".repeat(indent);
        let line = |(name, value): &(String, Box<RawValue>)| {
            format!("{blanks}  {}: {}", Value::from(name.as_str()), value.get())
        };
        let lines: Vec<String> = self.0.iter().map(line).collect();
        format!("{{\n{}\n{blanks}}}", lines.join(",\n"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(id: &str, content: &str, status: &str) -> Entry {
        Entry {
            id: id.to_owned(),
            kind: "insight".to_owned(),
            becomes: "decision".to_owned(),
            content: content.to_owned(),
            source: "s1".to_owned(),
            extracted_at: "2026-01-02T03:04:05Z".to_owned(),
            status: status.to_owned(),
            decided_at: (status != "pending").then(|| "2026-01-03T00:00:00Z".to_owned()),
        }
    }

    #[test]
    fn an_empty_seed_begins_with_its_first_proposal() {
        let updated = update("", &[entry("a", "Omega closes \"it\"", "pending")]).unwrap();
        assert_eq!(
            updated.text,
            r#"{
  "state": {
    "proposals": [
      {
        "id": "a",
        "type": "insight",
        "content": "Omega closes \"it\"",
        "source": "s1",
        "extractedAt": "2026-01-02T03:04:05Z",
        "status": "pending",
        "kind": "decision"
      }
    ]
  }
}
"#
        );
        assert_eq!((updated.added, updated.decided, updated.skipped), (1, 0, 0));
        let again = update(&updated.text, &[entry("b", "OMEGA closes \"IT\"", "pending")]).unwrap();
        assert_eq!((again.added, again.skipped), (0, 1), "the same content is one proposal");
        assert_eq!(again.text, updated.text);
    }

    #[test]
    fn everything_else_stays_to_the_letter() {
        let seed = r#"{
  "version": 1.10,
  "name": "caf\u00e9",
  "state": {
    "lastRun": null,
    "proposals": [
      {
        "id": "x",
        "content": "Known",
        "status": "pending",
        "extra": { "deep": [1,   2] }
      }
    ],
    "events": [ {"big": 123456789012345678901234567890} ]
  },
  "tail": [true]
}
"#;
        assert_eq!(update(seed, &[]).unwrap().text, seed);
        let entries = [entry("x", "Known", "accepted"), entry("y", "New", "pending")];
        let updated = update(seed, &entries).unwrap();
        assert_eq!((updated.added, updated.decided, updated.skipped), (1, 1, 0));
        for kept in [
            "1.10",
            r"caf\u00e9",
            r#""extra": { "deep": [1,   2] }"#,
            "123456789012345678901234567890",
            "\"lastRun\": null",
            "\"status\": \"accepted\"",
            "\"decidedAt\": \"2026-01-03T00:00:00Z\"",
        ] {
            assert!(updated.text.contains(kept), "{kept}: {}", updated.text);
        }
        let again = update(&updated.text, &entries).unwrap();
        assert_eq!((&again.text, again.added, again.decided), (&updated.text, 0, 0));
        let undone = update(&again.text, &[entry("x", "Known", "pending")]).unwrap();
        assert_eq!((undone.decided, undone.text.contains("decidedAt")), (1, false), "taken back");
    }

    #[test]
    fn proposals_are_taken_out_and_the_rest_stays() {
        let entries = [entry("x", "One", "pending"), entry("y", "Two", "rejected")];
        let both =
            update("{\"version\": 1.10, \"state\": {\"a\": [1,   2]}}", &entries).unwrap().text;
        let one = update("{\"version\": 1.10, \"state\": {\"a\": [1,   2]}}", &entries[..1])
            .unwrap()
            .text;
        let (text, gone) = remove(&both, |proposal| proposal["id"] == "y").unwrap();
        assert_eq!((text, gone), (one, 1));
        for text in [both.as_str(), "", "{}", "{\"state\": {}}"] {
            assert_eq!(remove(text, |_| false).unwrap(), (text.to_owned(), 0));
            let (left, _) = remove(text, |_| true).unwrap();
            assert!(!left.contains("One") && !left.contains("Two"), "{left}");
        }
        assert!(remove("[]", |_| true).is_err());
    }

    #[test]
    fn what_is_no_journal_is_refused() {
        for (text, expected) in [
            ("[1]", "`the file` is no object"),
            ("{\"state\": []}", "`state` is no object"),
            ("{\"state\": {\"proposals\": {}}}", "`state.proposals` is no list"),
            ("{\"state\": ", "it is no JSON: "),
            ("nonsense", "it is no JSON: "),
        ] {
            let error = update(text, &[entry("a", "b", "pending")]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn a_seed_is_json_whatever_was_said(contents in prop::collection::vec("\\PC{0,30}", 0..6)) {
            let entries: Vec<Entry> = contents
                .iter()
                .enumerate()
                .map(|(index, content)| entry(&index.to_string(), content, "pending"))
                .collect();
            let updated = update("{\"other\": [1]}", &entries).unwrap();
            let value: Value = serde_json::from_str(&updated.text).unwrap();
            prop_assert_eq!(value["state"]["proposals"].as_array().unwrap().len(), updated.added);
            prop_assert_eq!(updated.added + updated.skipped, entries.len());
            let again = update(&updated.text, &entries).unwrap();
            prop_assert_eq!(again.text, updated.text);
        }
    }
}
