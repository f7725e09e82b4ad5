//! Whether what a session was told was used: its id or a name of it stands in what the agent wrote
//! afterwards, or the file that it was about lost a gap.

use std::collections::BTreeMap;

use super::events::{Act, Change, Event, is_lean, same_target};
use super::transcript::{Body, Record, Speaker};
use crate::text::has_name;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watched {
    pub row: i64,
    pub at: String,
    /// `#12`; empty for what has no id.
    pub label: String,
    pub marks: Vec<String>,
    pub file: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uses {
    pub watched: Vec<Watched>,
    /// Rows that were used, and by what that is known: `id`, `name` or `closed`.
    pub found: BTreeMap<i64, &'static str>,
}

impl Uses {
    pub fn read(&mut self, event: &Event<'_>) {
        let record = event.record;
        let is_agent = matches!(record.speaker, Speaker::Agent | Speaker::Subagent);
        match &record.body {
            Body::Said(text) if is_agent => self.mentions(record, text),
            Body::Called(call) if is_agent => {
                for (_, value) in &call.input {
                    self.mentions(record, value);
                }
            }
            _ => event.act.iter().for_each(|act| self.edited(record, act)),
        }
    }

    fn mentions(&mut self, record: &Record, text: &str) {
        for one in &self.watched {
            if self.found.contains_key(&one.row) || !is_after(record, &one.at) {
                continue;
            }
            let by_id = || {
                let number = one.label.strip_prefix('#');
                holds(text, &one.label)
                    || number.is_some_and(|n| holds(text, &format!("mk show {n}")))
            };
            if by_id() {
                self.found.insert(one.row, "id");
            } else if one.marks.iter().any(|mark| holds(text, mark)) {
                self.found.insert(one.row, "name");
            }
        }
    }

    fn edited(&mut self, record: &Record, act: &Act) {
        let Some(path) = act.call.targets.first().filter(|path| is_lean(path)) else {
            return;
        };
        let in_text = |text: &str| text.lines().filter(|line| holds(line, "sorry")).count();
        let gaps = |side: fn(&Change) -> &str| -> usize {
            act.changes.iter().map(|change| in_text(side(change))).sum()
        };
        if gaps(|change| &change.old) <= gaps(|change| &change.new) {
            return;
        }
        for one in &self.watched {
            let is_file = one.file.as_deref().is_some_and(|file| same_target(path, file));
            if is_file && is_after(record, &one.at) {
                self.found.entry(one.row).or_insert("closed");
            }
        }
    }
}

/// Whether a record comes after a time; one without a time counts as later.
fn is_after(record: &Record, at: &str) -> bool {
    let at = at.replace(' ', "T");
    record.at.as_deref().is_none_or(|time| time.get(..at.len()).unwrap_or(time) >= at.as_str())
}

fn holds(text: &str, name: &str) -> bool {
    has_name(text, name, |c| c.is_alphanumeric() || matches!(c, '_' | '\''))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::learn::transcript::{ToolCall, ToolResult};
    use crate::model::Hunk;

    fn record(at: &str, speaker: Speaker, body: Body) -> Record {
        Record { line: 1, at: Some(at.into()), session: None, subagent: None, speaker, body }
    }

    fn uses() -> Uses {
        let watched = |row, label: &str, mark: &str, file: Option<&str>| Watched {
            row,
            at: "2026-01-01 12:00:00".into(),
            label: label.into(),
            marks: vec![mark.into()],
            file: file.map(str::to_owned),
        };
        let watched = vec![
            watched(1, "#12", "slope_inj_of_ne", None),
            watched(2, "#120", "", Some("A.lean")),
        ];
        Uses { watched, ..Uses::default() }
    }

    #[test]
    fn names_and_ids_in_what_the_agent_wrote_afterwards() {
        for (at, speaker, text, expected) in [
            ("2026-01-01T12:00:01.5Z", Speaker::Agent, "as #12 says", vec![(1, "id")]),
            ("2026-01-01T12:00:01.5Z", Speaker::Agent, "mk show 12", vec![(1, "id")]),
            ("2026-01-01T12:00:01.5Z", Speaker::Agent, "as #120 says", vec![(2, "id")]),
            ("2026-01-01T12:00:01Z", Speaker::Subagent, "by X.slope_inj_of_ne", vec![(1, "name")]),
            ("2026-01-01T12:00:01Z", Speaker::Agent, "by slope_inj_of_ne'", vec![]),
            ("2026-01-01T11:59:59Z", Speaker::Agent, "as #12 says", vec![]),
            ("2026-01-01T12:00:01Z", Speaker::Person, "as #12 says", vec![]),
            ("2026-01-01T12:00:01Z", Speaker::Injected, "#12 [FALSE]", vec![]),
        ] {
            let mut uses = uses();
            uses.read(&Event::from(&record(at, speaker, Body::Said(text.to_owned()))));
            assert_eq!(uses.found.into_iter().collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn an_edit_that_closes_a_gap() {
        let edit = |path: &str, lines: &[&str]| {
            let call = ToolCall {
                id: "t".into(),
                name: "Edit".into(),
                input: vec![("file_path".into(), path.into())],
                line: 1,
            };
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            let result = ToolResult {
                call: Some(Arc::new(call)),
                patch: vec![Hunk { lines, ..Hunk::default() }],
                ..ToolResult::default()
            };
            let mut uses = uses();
            uses.read(&Event::from(&record(
                "2026-01-01T13:00:00Z",
                Speaker::Tool,
                Body::Returned(result),
            )));
            uses.found.get(&2).copied()
        };
        assert_eq!(edit("/p/A.lean", &["-  sorry", "+  simp"]), Some("closed"));
        assert_eq!(edit("/p/B.lean", &["-  sorry", "+  simp"]), None);
        assert_eq!(edit("/p/AA.lean", &["-  sorry", "+  simp"]), None);
        assert_eq!(edit("/p/A.lean", &["-  sorry", "+  exact sorry"]), None);
        assert_eq!(edit("/p/A.txt", &["-  sorry", "+  simp"]), None);
    }
}
