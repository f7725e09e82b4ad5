//! Plain text and Markdown as records: who speaks is taken from labels, where there are any.

use super::speech::{self, Fence};
use super::{Body, Record, Speaker};
use crate::text::{private_parts, scrub};

const LABELS: &[(Speaker, &str)] = &[
    (Speaker::Person, "user|human|person|me"),
    (Speaker::Agent, "assistant|agent|claude|ai"),
    (Speaker::Tool, "tool|tool result|tool output"),
    (Speaker::Injected, "system"),
];

/// Marks of the client's own export: a prompt, the agent, a tool's output.
const MARKS: &[(&str, Speaker)] = &[
    ("❯ ", Speaker::Person),
    ("⏺ ", Speaker::Agent),
    ("● ", Speaker::Agent),
    ("⎿ ", Speaker::Tool),
];

/// Speakers come from labels (`User:`, `**Claude:**`, `## Assistant`, `❯`, `⏺`, `⎿`) outside fenced blocks.
pub fn read_plain(bytes: &[u8]) -> Vec<Record> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = private_lines_kept(text);
    let mut turns = vec![(Speaker::Unknown, 1, String::new())];
    let mut fence = Fence::default();
    for (number, line) in (1_u64..).zip(text.lines()) {
        let is_code = fence.holds(line);
        let words = match label(line.trim_start()).filter(|_| !is_code) {
            Some((speaker, words)) => {
                turns.push((speaker, number, String::new()));
                words
            }
            None => line,
        };
        if let Some((.., said)) = turns.last_mut() {
            said.push_str(words);
            said.push('\n');
        }
    }
    turns.retain(|(.., words)| !words.trim().is_empty());
    turns.into_iter().map(|(speaker, line, words)| record(speaker, line, &words)).collect()
}

fn record(labelled: Speaker, line: u64, words: &str) -> Record {
    let (speaker, words) = match speech::spoken(words) {
        _ if speech::is_summary(words) => (Speaker::Summary, words.into()),
        Some(spoken) => (labelled, spoken),
        None => (Speaker::Injected, words.into()),
    };
    let body = Body::Said(scrub(&words).into_owned());
    Record { line, at: None, session: None, subagent: None, speaker, body }
}

/// Takes out private parts but not their line breaks, so that lines keep their numbers.
fn private_lines_kept(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for part in private_parts(text) {
        out.push_str(&text[from..part.start]);
        out.extend(text[part.clone()].matches('\n'));
        from = part.end;
    }
    out.push_str(&text[from..]);
    out
}

fn label(line: &str) -> Option<(Speaker, &str)> {
    for (mark, speaker) in MARKS {
        if let Some(words) = line.strip_prefix(mark) {
            return Some((*speaker, words));
        }
    }
    let is_heading = line.starts_with('#');
    let bare = line.trim_start_matches('#').trim_start().trim_start_matches('*');
    let end = bare.find([':', '*']).unwrap_or(bare.trim_end().len());
    let (name, rest) = bare.split_at_checked(end)?;
    let is_it = |label: &str| label.eq_ignore_ascii_case(name.trim());
    let (speaker, _) = LABELS.iter().find(|(_, labels)| labels.split('|').any(is_it))?;
    let words = rest.trim_start_matches([':', '*']);
    let has_colon = rest.len() - words.len() > 0 && rest[..rest.len() - words.len()].contains(':');
    (has_colon || is_heading).then(|| (*speaker, words.trim_start()))
}
