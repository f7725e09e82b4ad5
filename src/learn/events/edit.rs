//! Edits of Lean files as their smallest parts, and what they come to in words.

use std::ops::Range;

use serde::{Deserialize, Serialize};

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
    let mut before: Vec<&str> = Vec::new();
    let is_change = |line: &String| line.starts_with(['-', '+']);
    for lines in hunk.lines.chunk_by(|one, next| is_change(one) == is_change(next)) {
        let side = |mark: char| {
            let lines = lines.iter().filter_map(|line| line.strip_prefix(mark));
            lines.collect::<Vec<_>>().join("\n")
        };
        found.extend(smallest(&before.join("\n"), &side('-'), &side('+'), at));
        for line in lines.iter().filter(|line| !line.starts_with('+')) {
            before.extend(line.get(1..));
            at = at.saturating_add(1);
        }
    }
    found
}

/// The part of a change that differs; `context` is the text seen before it.
fn smallest(context: &str, old: &str, new: &str, line: u32) -> Option<Change> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let ends = same_ends(&old, &new, |a, b| a == b);
    let context = format!("{context}\n{}", old.get(..ends.0)?.join("\n"));
    let (old, new) = (middle(&old, ends).join("\n"), middle(&new, ends).join("\n"));
    let known = u32::try_from(ends.0).unwrap_or(0);
    let line = if line == 0 { 0 } else { line.saturating_add(known) };
    let empty = old.trim().is_empty() && new.trim().is_empty();
    (!empty).then(|| {
        let (old, new) = (clipped(old), clipped(new));
        let statement = effect(&context, &old, &new);
        Change { old, new, line, statement }
    })
}

/// How many elements are the same at the beginning of both, and at the end of what is left.
fn same_ends<A, B>(one: &[A], two: &[B], same: impl Fn(&A, &B) -> bool) -> (usize, usize) {
    let before = one.iter().zip(two).take_while(|(a, b)| same(a, b)).count();
    let rest = one.iter().skip(before).rev().zip(two.iter().skip(before).rev());
    (before, rest.take_while(|(a, b)| same(a, b)).count())
}

fn middle<A>(all: &[A], (before, after): (usize, usize)) -> &[A] {
    all.get(before..all.len() - after).unwrap_or_default()
}

fn clipped(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MAX_PARAMETER));
    text
}

impl Change {
    /// Whether it only hides an error, by a gap, an axiom, a macro, or by taking a declaration out.
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
        code_words(&self.old).eq(code_words(&self.new))
    }

    pub fn is_at(&self, line: u32) -> bool {
        let length = u32::try_from(self.old.lines().count()).unwrap_or(u32::MAX);
        let end = self.line.saturating_add(length);
        self.line > 0 && line.saturating_add(1) >= self.line && line <= end.saturating_add(1)
    }

    /// Whether it takes a name away or writes it in another way: `Nat.foo` for `foo` too.
    pub fn drops(&self, name: &str) -> bool {
        let (old, new) = (spelled(&self.old, name), spelled(&self.new, name));
        !old.is_empty() && !old.iter().any(|word| new.contains(word))
    }

    pub fn drops_import(&self) -> bool {
        let imports = |text: &str| code_words(text).filter(|word| word == "import").count();
        imports(&self.new) < imports(&self.old)
    }

    pub fn in_words(&self) -> String {
        let (old, new) = self.core();
        let shown = |code: &str| words::shortened(code, WIDTH);
        match (old.is_empty(), new.is_empty()) {
            (true, _) => format!("adding `{}`", shown(&new)),
            (_, true) => format!("removing `{}`", shown(&old)),
            _ => format!("replacing `{}` with `{}`", shown(&old), shown(&new)),
        }
    }

    /// The lexemes that differ, if they say something by themselves; else the lines.
    pub fn core(&self) -> (String, String) {
        let (old, new) = (code(&self.old), code(&self.new));
        let same = |a: &Token, b: &Token| a.text(&self.old) == b.text(&self.new);
        let ends = same_ends(&old, &new, same);
        let (middle_old, middle_new) = (middle(&old, ends), middle(&new, ends));
        let tells = |tokens: &[Token]| tokens.iter().any(|token| token.kind == TokenKind::Ident);
        let whole_new = old.is_empty();
        if tells(middle_old) && tells(middle_new) || whole_new {
            return (slice(&self.old, middle_old), slice(&self.new, middle_new));
        }
        (joined(&self.old), joined(&self.new))
    }
}

/// How many words of a text admit something, trust blindly, search, or give words another meaning.
fn hides(text: &str) -> usize {
    const WORDS: &str = "admit|axiom|opaque|stop|native_decide|native|lcProof|trustCompiler|ofReduceBool|\
        ofReduceNat|reduceBool|unsafe|partial|implemented_by|extern|csimp|notation|infix|infixl|\
        infixr|prefix|postfix|macro|macro_rules|syntax|elab|elab_rules";
    let is_one = |token: &&Token| {
        let word = token.text(text);
        let last = word.rsplit('.').next().unwrap_or(word);
        let from = text.get(token.start..).unwrap_or_default();
        let searches = ["exact?", "apply?", "rw?", "#exit"];
        WORDS.split('|').any(|word| word == last)
            || last.contains("sorry")
            || searches.iter().any(|search| from.starts_with(search))
    };
    code(text).iter().filter(is_one).count()
}

fn code(text: &str) -> Vec<Token> {
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

/// The words of code that are a name, alone or as the last part of a dotted one (`h.foo` for `Nat.foo`).
fn spelled<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let last = name.rsplit('.').next();
    let tokens = code(text).into_iter().filter(|token| token.kind == TokenKind::Ident);
    tokens
        .map(|token| token.text(text))
        .filter(|word| *word == name || word.rsplit('.').next() == last)
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statement {
    #[default]
    Same,
    /// A word or two of one are others now, as where a name in it was wrong.
    Touched,
    /// It claims something else, or it is claimed under other assumptions.
    Changed,
}

const FEW: usize = 3;

const IN_PROOFS: &str = "have show suffices let obtain haveI letI set calc rcases refine exact fun λ _ · . from match \
    if rw simp apply case next intro change convert this where with then else |";

fn effect(before: &str, old: &str, new: &str) -> Statement {
    let (old, new) = (claims(before, old), claims(before, new));
    if old.assumes != new.assumes {
        return Statement::Changed;
    }
    let mut effect = of_one(&old.begun, &new.begun);
    for (at, (name, claim)) in old.declared.iter().enumerate() {
        let same_name = new.declared.iter().find(|(other, _)| other == name);
        let same_place = new.declared.get(at).filter(|_| old.declared.len() == new.declared.len());
        let Some((_, now)) = same_name.or(same_place) else { return Statement::Changed };
        effect = effect.max(of_one(claim, now));
    }
    effect
}

fn of_one(old: &[String], new: &[String]) -> Statement {
    if old == new {
        return Statement::Same;
    }
    let ends = same_ends(old, new, |a, b| a == b);
    let (left, came) = (middle(old, ends), middle(new, ends));
    let is_trivial = came.iter().any(|word| word == "True");
    let few = 1..=FEW;
    let is_small = few.contains(&left.len()) && few.contains(&came.len()) && !is_trivial;
    if is_small { Statement::Touched } else { Statement::Changed }
}

#[derive(Default)]
struct Claims {
    begun: Vec<String>,
    declared: Vec<(String, Vec<String>)>,
    assumes: Vec<String>,
}

fn claims(before: &str, side: &str) -> Claims {
    let text = format!("{before}\n{side}");
    let start = before.len() + 1;
    let mut found = Claims::default();
    let outline = skim(&text);
    for one in &outline.declarations {
        let Range { start: begin, end } = one.statement_span.clone();
        let from = one.name_span.as_ref().map_or(begin, |name| name.end);
        let claim = code_words(text.get(from.max(start)..end).unwrap_or_default());
        if begin >= start {
            found.declared.push((one.name.clone().unwrap_or_default(), claim.collect()));
        } else {
            found.begun.extend(claim);
        }
    }
    let (mut at, mut assumes) = (0, false);
    for line in text.split_inclusive('\n') {
        let place = at;
        at += line.len();
        if !line.trim().is_empty() && !line.starts_with([' ', '\t']) {
            assumes = line.starts_with("variable");
        }
        let is_declared = outline.declarations.iter().any(|one| one.span.contains(&place));
        if place < start || is_declared {
        } else if assumes {
            found.assumes.extend(code_words(line));
        } else if looks_like_header(line) {
            found.begun.extend(code_words(line));
        }
    }
    found
}

fn code_words(text: &str) -> impl Iterator<Item = String> {
    code(text).into_iter().map(|token| token.text(text).to_owned())
}

fn looks_like_header(line: &str) -> bool {
    let line = line.trim();
    let first = line.split([' ', '(', '⟨']).next().unwrap_or_default();
    if IN_PROOFS.split(' ').any(|word| word == first) {
        return false;
    }
    let is_binders = line.starts_with(['(', '{', '[', '⦃'])
        && line.ends_with([')', '}', ']', '⦄', ':'])
        && (line.contains(" : ") || line.starts_with('['))
        && !line.contains(":=");
    let claim = line.strip_suffix(":= by").or(line.strip_suffix(":="));
    // A field of a structure has one name before it.
    let is_claim = claim.is_some_and(|claim| claim.split_whitespace().count() > 2);
    is_binders || is_claim
}

#[cfg(test)]
mod tests {
    use super::*;
    use Statement::{Changed, Same, Touched};

    #[test]
    fn what_an_edit_does_to_a_statement() {
        for (before, old, new, expected) in [
            ("theorem t : a < b := by", "  linarith", "  nlinarith", Same),
            ("", "  linarith", "  nlinarith", Same),
            ("", "theorem t : a < b := by", "theorem t : a ≤ b := by", Touched),
            ("", "theorem t : a < b := by", "theorem u : a < b := by", Same),
            ("", "theorem t : a < b := by", "theorem t : True := by", Changed),
            ("", "theorem t : a < b := by", "theorem t (h : a < b) : a < b := by", Changed),
            ("", "theorem t : p := x", "theorem t : p := y", Same),
            ("theorem t", "    (h : 0 < a) :", "    (h : 0 < a) (k : a < b) :", Changed),
            ("", "    (h : 0 < a) :", "    (h : 0 < a) (k : a < b) :", Changed),
            ("", "    a < b := by", "    a ≤ b := by", Touched),
            ("theorem t :", "  Nat.foo n = 1 := by", "  Nat.bar n = 1 := by", Touched),
            ("", "  have h : a < b := by", "  have h : a ≤ b := by", Same),
            ("theorem t : p := by", "  have h : a < b := by simp", "  have h : q := by simp", Same),
            ("", "  _ = b := by ring", "  _ = c := by ring", Same),
            ("", "  map_mul' := by", "  map_mul' := fun _ _ => by", Same),
            ("", "", "lemma helper : 1 = 1 := rfl", Same),
            ("", "lemma a : p := x", "lemma helper : q := y\n\nlemma a : p := x", Same),
            ("", "", "variable (h : a < b)", Changed),
            ("variable (n : ℕ)\n", "theorem t : p n := x", "theorem t : p n := y", Same),
            ("def f (n : ℕ) : ℕ", "  | 0 => 1", "  | 0 => 2", Same),
            ("", "instance : Foo ℕ := ⟨1⟩", "instance : Foo ℕ := ⟨2⟩", Same),
            ("", "example : a = b := x", "example : a = c := x", Touched),
            ("", "@[simp] theorem t : p := x", "theorem t : p := x", Same),
            ("", "import A", "import B", Same),
        ] {
            assert_eq!(effect(before, old, new), expected, "{before} | {old} -> {new}");
        }
    }
}
