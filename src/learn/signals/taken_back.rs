//! Edits of the agent's that the person takes back: the client tells the agent that a file which it had
//! edited was changed, and the lines from before the edit stand there again.

use super::{Signal, cleaned};
use crate::learn::events::{Act, Outcome, Writes, same_target};
use crate::learn::transcript::ToolResult;
use crate::model::{Hunk, Kind};
use crate::text::clip;

const RULE: &str = "taken-back";

const MOST: usize = 40;

/// Lines of an edit that can be taken back as one choice; a longer one is work that was undone.
const LINES: usize = 6;

const SHOWN: usize = 160;

#[derive(Debug)]
struct Edit {
    path: String,
    before: Vec<String>,
    after: Vec<String>,
}

/// The agent's edits that nothing has changed since.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    /// Takes down what a call did; an edit that the person changed before it was made is a choice already.
    pub(super) fn acted(&mut self, act: &Act, result: &ToolResult) -> Option<Signal> {
        if !act.is_edit() {
            // What a command writes, it may have put back.
            match &act.writes {
                Writes::Nothing => {}
                Writes::Anything => self.0.clear(),
                Writes::Files(files) => {
                    self.0.retain(|edit| !files.iter().any(|file| same_target(file, &edit.path)));
                }
            }
            return None;
        }
        let path = act.call.targets.first().filter(|_| act.outcome == Outcome::Worked)?;
        if result.user_modified {
            let call = result.call.as_deref()?;
            let asked = call.parameter("new_string").or_else(|| call.parameter("content"))?;
            let written: Vec<String> =
                result.patch.iter().flat_map(|hunk| lines(hunk, '+')).collect();
            return signal(
                path,
                &without(&written, asked),
                &without(&trimmed(asked), &written.join("\n")),
            );
        }
        for hunk in &result.patch {
            let (before, after) = (lines(hunk, '-'), lines(hunk, '+'));
            if !before.is_empty() && before.len() + after.len() <= LINES {
                self.0.push(Edit { path: path.clone(), before, after });
            }
        }
        self.0.drain(..self.0.len().saturating_sub(MOST));
        None
    }

    pub(super) fn changed(&mut self, path: &str, snippet: &str) -> Option<Signal> {
        let now: Vec<String> = snippet.lines().map(without_number).collect();
        let stands = |lines: &[String]| lines.iter().all(|line| now.contains(line));
        let mut found = None;
        self.0.retain(|edit| {
            let is_here = edit.path == path;
            let is_gone =
                edit.after.iter().all(|line| edit.before.contains(line) || !now.contains(line));
            if is_here && is_gone && stands(&edit.before) && found.is_none() {
                found = signal(path, &edit.before, &edit.after);
            }
            !is_here
        });
        found
    }
}

fn lines(hunk: &Hunk, mark: char) -> Vec<String> {
    let marked = hunk.lines.iter().filter_map(|line| line.strip_prefix(mark));
    marked.map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn trimmed(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn without(lines: &[String], text: &str) -> Vec<String> {
    let known = trimmed(text);
    lines.iter().filter(|line| !known.contains(line)).cloned().collect()
}

/// A line as the client shows it, after its number and a tab or an arrow.
fn without_number(line: &str) -> String {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    rest.trim_start_matches(['\t', '→']).trim().to_owned()
}

fn signal(path: &str, kept: &[String], refused: &[String]) -> Option<Signal> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let code = |lines: &[String]| format!("`{}`", clip(&lines.join(" "), SHOWN));
    let content = match (kept, refused) {
        ([], _) => return None,
        (kept, []) => format!("In {file} {} stays", code(kept)),
        (kept, refused) => format!("In {file} {} stays, not {}", code(kept), code(refused)),
    };
    Some(Signal {
        kind: Kind::Decision,
        said_outright: None,
        content: cleaned(&content),
        phrase: String::new(),
        rule: RULE,
        sentence: kept.join("\n"),
        before: Some(format!("the agent's edit of {path}")),
        after: (!refused.is_empty()).then(|| format!("taken back: {}", refused.join("\n"))),
        lines_before: 0,
    })
}
