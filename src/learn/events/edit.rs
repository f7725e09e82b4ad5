//! Edits of Lean files as their smallest parts, and what they come to in words.

use serde::{Deserialize, Serialize};

use super::statement::{self, Statement};
use super::words;
use crate::lean::{Token, TokenKind, lex, skim};
use crate::learn::transcript::{MAX_PARAMETER, ToolCall, ToolResult};
use crate::model::Hunk;

const WIDTH: usize = 90;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub old: String,
    pub new: String,
    /// Line of the first old one, from 1; 0 where it is not known.
    pub line: u32,
    #[serde(default)]
    pub statement: Statement,
}

pub(super) fn changes(call: &ToolCall, result: &ToolResult) -> Vec<Change> {
    if !result.patch.is_empty() {
        return result.patch.iter().flat_map(places).collect();
    }
    let parameter = |name: &str| call.parameter(name).unwrap_or_default();
    match call.name.as_str() {
        "Edit" => {
            smallest("", parameter("old_string"), parameter("new_string"), 0).into_iter().collect()
        }
        "Write" => smallest("", "", parameter("content"), 0).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn places(hunk: &Hunk) -> Vec<Change> {
    let mut found = Vec::new();
    let mut at = u32::try_from(hunk.old_start).unwrap_or_default();
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut before: Vec<&str> = Vec::new();
    let mut first = at;
    for line in hunk.lines.iter().map(String::as_str).chain(std::iter::once(" ")) {
        match line.split_at_checked(1) {
            Some(("-", text)) => {
                if old.is_empty() && new.is_empty() {
                    first = at;
                }
                old.push(text);
                at = at.saturating_add(1);
            }
            Some(("+", text)) => {
                if old.is_empty() && new.is_empty() {
                    first = at;
                }
                new.push(text);
            }
            other => {
                let (gone, came) = (old.join("\n"), new.join("\n"));
                found.extend(smallest(&before.join("\n"), &gone, &came, first));
                before.append(&mut old);
                before.extend(other.map(|(_, text)| text));
                new.clear();
                at = at.saturating_add(1);
            }
        }
    }
    found
}

/// A change without the lines that both sides begin and end with; `None` if nothing is left. `context` is
/// what is seen of the text before it.
fn smallest(context: &str, old: &str, new: &str, line: u32) -> Option<Change> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let context = format!("{context}\n{}", old.get(..before)?.join("\n"));
    let (old, new) = (old.get(before..)?, new.get(before..)?);
    let after = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let old = old.get(..old.len() - after)?.join("\n");
    let new = new.get(..new.len() - after)?.join("\n");
    let known = u32::try_from(before).unwrap_or(0);
    let line = if line == 0 { 0 } else { line.saturating_add(known) };
    let empty = old.trim().is_empty() && new.trim().is_empty();
    (!empty).then(|| {
        let (old, new) = (clipped(old), clipped(new));
        let statement = statement::effect(&context, &old, &new);
        Change { old, new, line, statement }
    })
}

fn clipped(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_PARAMETER));
    text
}

impl Change {
    /// Whether it only hides an error: a gap, an axiom or a blind trust comes in, words get another
    /// meaning, a declaration goes.
    pub fn evades(&self) -> bool {
        let fewer = skim(&self.new).declarations.len() < skim(&self.old).declarations.len();
        let silenced =
            !code(&self.old).is_empty() && self.only_removes() && self.new.contains("--");
        hides(&self.new) > hides(&self.old) || fewer || silenced
    }

    pub fn only_removes(&self) -> bool {
        code(&self.new).is_empty()
    }

    pub fn is_empty(&self) -> bool {
        let texts = |text: &str| -> Vec<String> {
            code(text).iter().map(|token| token.text(text).to_owned()).collect()
        };
        texts(&self.old) == texts(&self.new)
    }

    pub fn height(&self) -> usize {
        self.old.lines().count().max(self.new.lines().count())
    }

    pub fn is_at(&self, line: u32) -> bool {
        let length = u32::try_from(self.old.lines().count()).unwrap_or(u32::MAX);
        let end = self.line.saturating_add(length);
        self.line > 0 && line.saturating_add(1) >= self.line && line <= end.saturating_add(1)
    }

    pub fn drops(&self, name: &str) -> bool {
        holds(&self.old, name) && !holds(&self.new, name)
    }

    /// Whether it brings an import or opens a namespace: what was unknown may be known then.
    pub fn imports(&self) -> bool {
        let brings = |word: &str| holds(&self.new, word);
        brings("import") || brings("open")
    }

    pub fn drops_import(&self) -> bool {
        let imports =
            |text: &str| code(text).iter().filter(|token| token.text(text) == "import").count();
        imports(&self.new) < imports(&self.old)
    }

    pub fn in_words(&self) -> String {
        let (old, new) = self.core();
        let shown = |code: &str| words::shortened(code, WIDTH);
        match (old.is_empty(), new.is_empty()) {
            (true, _) => format!("adding `{}`", shown(&new)),
            (_, true) => format!("removing `{}`", shown(&old)),
            _ => format!("replacing `{}` by `{}`", shown(&old), shown(&new)),
        }
    }

    /// The lexemes that differ, if they say something by themselves; else the lines.
    pub fn core(&self) -> (String, String) {
        let (old, new) = (code(&self.old), code(&self.new));
        let same = |a: &Token, b: &Token| a.text(&self.old) == b.text(&self.new);
        let before = old.iter().zip(&new).take_while(|(a, b)| same(a, b)).count();
        let rest_old = old.get(before..).unwrap_or_default();
        let rest_new = new.get(before..).unwrap_or_default();
        let pairs = rest_old.iter().rev().zip(rest_new.iter().rev());
        let after = pairs.take_while(|(a, b)| same(a, b)).count();
        let middle_old = rest_old.get(..rest_old.len() - after).unwrap_or_default();
        let middle_new = rest_new.get(..rest_new.len() - after).unwrap_or_default();
        let tells = |tokens: &[Token]| tokens.iter().any(|token| token.kind == TokenKind::Ident);
        let whole_new = before == 0 && after == 0 && old.is_empty();
        if tells(middle_old) && tells(middle_new) || whole_new {
            return (slice(&self.old, middle_old), slice(&self.new, middle_new));
        }
        (joined(&self.old), joined(&self.new))
    }
}

/// How many words of a text admit something, trust blindly, search, or give words another meaning.
fn hides(text: &str) -> usize {
    const WORDS: &[&str] = &[
        "admit",
        "axiom",
        "opaque",
        "stop",
        "native_decide",
        "native",
        "lcProof",
        "trustCompiler",
        "ofReduceBool",
        "ofReduceNat",
        "reduceBool",
        "unsafe",
        "partial",
        "implemented_by",
        "extern",
        "csimp",
        "notation",
        "infix",
        "infixl",
        "infixr",
        "prefix",
        "postfix",
        "macro",
        "macro_rules",
        "syntax",
        "elab",
        "elab_rules",
    ];
    let is_one = |token: &&Token| {
        let word = token.text(text);
        let last = word.rsplit('.').next().unwrap_or(word);
        let from = text.get(token.start..).unwrap_or_default();
        let searches = ["exact?", "apply?", "rw?", "#exit"];
        WORDS.contains(&last)
            || last.contains("sorry")
            || searches.iter().any(|search| from.starts_with(search))
    };
    code(text).iter().filter(is_one).count()
}

pub(super) fn code(text: &str) -> Vec<Token> {
    let mut tokens = lex(text);
    tokens.retain(|token| !token.kind.is_trivia() && !token.kind.is_comment());
    tokens
}

fn slice(text: &str, tokens: &[Token]) -> String {
    let range = tokens.first().zip(tokens.last()).map(|(first, last)| first.start..last.end);
    let text = range.and_then(|range| text.get(range)).unwrap_or_default();
    joined(text)
}

fn joined(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}

/// Whether a name stands in code, alone or as the last part of a dotted one (`h.foo` for `Nat.foo`).
fn holds(text: &str, name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    code(text).iter().filter(|token| token.kind == TokenKind::Ident).any(|token| {
        let word = token.text(text);
        word == name || word.rsplit('.').next() == Some(last)
    })
}
