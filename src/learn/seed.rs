//! `seed.json`, the journal of proposals: new ones are appended to `state.proposals`, decisions
//! change their status; everything else in the file stays as it is, to the letter.

use std::borrow::Cow;
use std::collections::HashSet;

use anyhow::{anyhow, bail};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::tolerant_json::{Entries, Object};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub id: String,
    /// `pattern`, `insight`, `self_knowledge` or `fact`.
    #[serde(rename = "type")]
    pub kind: String,
    pub content: String,
    pub source: String,
    #[serde(rename = "extractedAt")]
    pub extracted_at: String,
    pub status: String,
    /// What it becomes, or became, here: `decision`, `failure`, ...
    #[serde(rename = "kind")]
    pub becomes: String,
    #[serde(rename = "decidedAt", skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updated {
    pub text: String,
    pub added: usize,
    pub decided: usize,
    pub skipped: usize,
}

/// Adds entries whose content is new, in any case; those whose id is there change its status.
pub fn update(text: &str, entries: &[Entry]) -> anyhow::Result<Updated> {
    let (mut added, mut decided, mut skipped) = (0, 0, 0);
    let text = change(text, |proposals| {
        let contents = proposals.iter().filter_map(|raw| text_of(raw, "content"));
        let mut known: HashSet<String> = contents.map(|text| text.to_lowercase()).collect();
        let ids: Vec<Option<String>> = proposals.iter().map(|raw| text_of(raw, "id")).collect();
        for entry in entries {
            let place = ids.iter().position(|id| id.as_deref() == Some(entry.id.as_str()));
            match place.and_then(|place| proposals.get_mut(place)) {
                Some(known) if text_of(known, "status").as_ref() != Some(&entry.status) => {
                    *known = written(fields(known.get(), "a proposal")?, entry)?;
                    decided += 1;
                }
                None if known.insert(entry.content.to_lowercase()) => {
                    proposals.push(written(Fields::default(), entry)?);
                    added += 1;
                }
                _ => skipped += 1,
            }
        }
        Ok(())
    })?;
    Ok(Updated { text, added, decided, skipped })
}

/// Returns the new text and how many proposals went.
pub fn remove(text: &str, unwanted: impl Fn(&Value) -> bool) -> anyhow::Result<(String, usize)> {
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
    with: impl FnOnce(&mut Vec<Box<RawValue>>) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let mut seed = fields(text, "the file")?;
    let state = seed.get("state").map_or("{}", |raw| raw.get());
    let mut state = fields(state, "state")?;
    let proposals = state.get("proposals").map_or("[]", |raw| raw.get());
    let mut proposals: Vec<Box<RawValue>> =
        serde_json::from_str(proposals).map_err(|_| anyhow!("`state.proposals` is not a list"))?;
    with(&mut proposals)?;
    let lines = proposals.iter().map(|proposal| format!("      {}", proposal.get()));
    let lines: Vec<String> = lines.collect();
    let list = if lines.is_empty() { "[]" } else { &format!("[\n{}\n    ]", lines.join(",\n")) };
    set(&mut state, "proposals", RawValue::from_string(list.to_owned())?);
    set(&mut seed, "state", RawValue::from_string(text_at(&state, 2))?);
    Ok(text_at(&seed, 0) + "\n")
}

/// The proposal with what became of it; an empty one gets all that is known.
fn written(mut proposal: Fields, entry: &Entry) -> anyhow::Result<Box<RawValue>> {
    let known: Fields = serde_json::from_str(&serde_json::to_string(entry)?)?;
    let is_new = proposal.0.is_empty();
    proposal.0.retain(|(name, _)| name != "decidedAt" || entry.decided_at.is_some());
    for (name, value) in known.0 {
        if is_new || ["status", "kind", "decidedAt"].contains(&&*name) {
            set(&mut proposal, &name, value);
        }
    }
    Ok(RawValue::from_string(text_at(&proposal, 6))?)
}

fn text_of(proposal: &RawValue, name: &str) -> Option<String> {
    let proposal: Object<'_> = serde_json::from_str(proposal.get()).ok()?;
    proposal.text(name).map(Cow::into_owned)
}

type Fields = Entries<Box<RawValue>>;

fn fields(text: &str, what: &str) -> anyhow::Result<Fields> {
    let broken = |error| anyhow!("it is not JSON: {error}");
    if !text.trim_start().starts_with('{') {
        serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(broken)?;
        bail!("`{what}` is not an object");
    }
    serde_json::from_str(text).map_err(broken)
}

fn set(fields: &mut Fields, name: &str, value: Box<RawValue>) {
    match fields.0.iter_mut().rfind(|(other, _)| other == name) {
        Some((_, old)) => *old = value,
        None => fields.0.push((name.to_owned(), value)),
    }
}

/// The object, its closing bracket `indent` blanks deep.
fn text_at(fields: &Fields, indent: usize) -> String {
    if fields.0.is_empty() {
        return "{}".to_owned();
    }
    let blanks = " ".repeat(indent);
    let line = |(name, value): &(String, Box<RawValue>)| {
        format!("{blanks}  {}: {}", Value::from(name.as_str()), value.get())
    };
    let lines: Vec<String> = fields.0.iter().map(line).collect();
    format!("{{\n{}\n{blanks}}}", lines.join(",\n"))
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
            ("[1]", "`the file` is not an object"),
            ("{\"state\": []}", "`state` is not an object"),
            ("{\"state\": {\"proposals\": {}}}", "`state.proposals` is not a list"),
            ("{\"state\": ", "it is not JSON: "),
            ("nonsense", "it is not JSON: "),
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
