//! Parts of a message's text: quoted names, the expression under its first line, types and goals; and goals
//! and expressions without what is local to one proof: names of hypotheses and variables become `x1`, `x2`,
//! ... in the order in which they occur, numerals `#`, metavariables `?`.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::lean::lexer::lex;
use crate::lean::token::TokenKind;
use crate::text::is_among;

/// Quotes in one form: older messages write `'x'` where newer ones write `` `x` ``. A prime inside a
/// name and an apostrophe inside a word stay.
pub(super) fn one_kind_of_quotes(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut open = false;
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let opens = before.is_none_or(|c| c.is_whitespace() || "([".contains(c));
        let closes = after.is_none_or(|c| c.is_whitespace() || ",.;:)]".contains(c));
        if c == '\'' && !open && opens && after.is_some_and(|c| !c.is_whitespace()) {
            open = true;
            out.push('`');
        } else if c == '\'' && open && closes {
            open = false;
            out.push('`');
        } else {
            out.push(c);
        }
    }
    out
}

pub(super) fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('`')?;
    rest.split_once('`').map(|(part, _)| part).filter(|part| !part.is_empty())
}

pub(super) fn block(text: &str) -> Option<String> {
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with(' '))
        .take_while(|line| line.starts_with(' ') && !line.trim().is_empty());
    let joined = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    (!joined.is_empty()).then_some(joined)
}

pub(super) fn head_of_block(text: &str) -> Option<String> {
    let block = block(text)?;
    let head = block.trim_start_matches(['(', '@']).split([' ', ')']).next()?;
    let named = head.chars().next().is_some_and(char::is_alphabetic) && !is_local(head);
    named.then(|| head.to_owned())
}

pub(super) fn types(text: &str) -> Option<(String, String)> {
    let has = after(text, "has type")?;
    let expected = after(text, "expected to have type").or_else(|| after(text, "expected type"))?;
    Some((has, expected))
}

/// What stands after a line that ends with these words: on it, or indented below.
fn after(text: &str, words: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let at =
        lines.iter().position(|line| line.trim_end().trim_end_matches(':').ends_with(words))?;
    let indented = |line: &&&str| line.starts_with(' ') && !line.trim().is_empty();
    let below: Vec<&str> =
        lines.get(at + 1..)?.iter().take_while(indented).map(|line| line.trim()).collect();
    (!below.is_empty()).then(|| without_sort(&below.join(" ")).to_owned())
}

const NUMBERS: &str = "ℕ ℤ ℚ ℝ ℂ Nat Int Rat Real Complex ENNReal NNReal ENat ℝ≥0 ℝ≥0∞ ℕ∞ EReal Cardinal Ordinal \
    UInt64 UInt32 UInt8 USize";

fn is_number(word: &str) -> bool {
    is_among(word, NUMBERS)
}

/// Whether the message is one about coercions, whatever its wording: two types that differ in kinds of
/// numbers or in arrows only, an operation between different kinds of numbers.
pub(super) fn coerced(text: &str, kind: &str) -> bool {
    match kind {
        "type-mismatch" | "argument-mismatch" => types(text).is_some_and(|(has, expected)| {
            has != expected && without_casts(&has) == without_casts(&expected)
        }),
        "no-instance" | "stuck-instance" => block(text).is_some_and(|block| {
            let mut words = block.split(' ');
            let class = words.next().unwrap_or_default();
            let numbers: Vec<&str> = words.filter(|word| is_number(word)).collect();
            let first = numbers.first();
            let mixed = class.starts_with('H') && numbers.iter().any(|n| Some(n) != first);
            mixed || matches!(class, "Coe" | "CoeT" | "CoeTC" | "CoeFun" | "CoeSort" | "CoeDep")
        }),
        _ => false,
    }
}

fn without_sort(text: &str) -> &str {
    match text.rsplit_once(" : ") {
        Some((of, sort)) if sort.starts_with("Type") || sort.starts_with("Prop") => of,
        _ => text,
    }
}

fn without_casts(text: &str) -> Vec<String> {
    let spaced = text.replace(['(', ')', '↑', '⇑'], " ");
    spaced
        .split_whitespace()
        .map(|word| if is_number(word) { "ℕ" } else { word })
        .map(str::to_owned)
        .collect()
}

/// Hypotheses that are told where the goal itself says nothing.
const MOST_HYPOTHESES: usize = 6;

/// The first goal that a message shows, in its normal form. `False` says nothing by itself: then the
/// hypotheses count, each alone, sorted.
pub(super) fn goal(text: &str) -> Option<String> {
    let mut hypotheses: Vec<(String, String)> = Vec::new();
    let mut lines = text.lines();
    let target = lines.by_ref().find_map(|line| {
        let target = line.trim_start().strip_prefix('⊢');
        if target.is_some() {
            return target;
        }
        let last = hypotheses.last_mut().filter(|_| line.starts_with(' '));
        let is_name = |name: &str| !name.is_empty() && !name.contains(['`', ',']);
        if let Some((_, of)) = last {
            of.extend([" ", line.trim()]);
        } else if let Some((names, of)) = line.split_once(" : ")
            && !line.starts_with(' ')
            && names.split(' ').all(is_name)
        {
            hypotheses.push((plain(names), of.to_owned()));
        }
        None
    })?;
    let rest = lines.take_while(|line| line.starts_with(' ')).map(str::trim);
    let target = std::iter::once(target.trim()).chain(rest).collect::<Vec<_>>().join(" ");
    if target.is_empty() {
        return None;
    }
    let names: HashSet<&str> = hypotheses.iter().flat_map(|(names, _)| names.split(' ')).collect();
    let target = expression(&target, &names);
    let facts = hypotheses.iter().filter(|(names, of)| {
        target == "False" && !names.starts_with("inst") && !is_sort_or_atom(of)
    });
    let facts: BTreeSet<String> = facts.map(|(_, of)| expression(of, &names)).collect();
    let facts = facts.into_iter().take(MOST_HYPOTHESES).collect::<Vec<_>>().join(", ");
    let gap = if facts.is_empty() { "" } else { " " };
    Some(format!("{facts}{gap}⊢ {target}"))
}

/// Types of variables, not of facts: `Type u`, `ℕ`, `Finset ι`.
fn is_sort_or_atom(of: &str) -> bool {
    !of.contains(['=', '<', '>', '≤', '≥', '≠', '∣', '∧', '∨', '¬', '∀', '∃', '∈', '→', '↔'])
}

/// An expression in its normal form. `names` are known to be local; others are by their looks.
pub(super) fn expression(text: &str, names: &HashSet<&str>) -> String {
    let text = plain(text);
    let mut out = String::with_capacity(text.len());
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let tokens = lex(&text);
    let mut blank = false;
    for token in &tokens {
        if token.kind.is_trivia() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) && !out.is_empty() {
            out.push(' ');
        }
        let word = token.text(&text);
        match token.kind {
            TokenKind::Number => out.push('#'),
            TokenKind::Hole => out.push('?'),
            TokenKind::Ident if names.contains(word) || is_local(word) => {
                let next = numbers.len() + 1;
                let number = *numbers.entry(word).or_insert(next);
                out.push('x');
                out.push_str(&number.to_string());
            }
            TokenKind::Ident => out.push_str(&without_local_head(word, names)),
            kind if kind.is_string() => out.push('…'),
            _ => out.push_str(word),
        }
    }
    out
}

/// Without daggers, which mark a name that cannot be written, the numbers raised after them, the numbers
/// of metavariables, and backticks, which would begin a quotation.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '✝' => {
                while chars.next_if(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹".contains(*c)).is_some() {}
            }
            '`' => out.push(' '),
            '?' if chars.next_if(|c| c.is_alphabetic() || *c == '_').is_some() => {
                out.push_str("?_");
                while chars.next_if(|c| c.is_alphanumeric() || "._".contains(*c)).is_some() {}
            }
            _ => out.push(c),
        }
    }
    out
}

/// `h.trans` projects from a local `h`: only the field matters.
fn without_local_head(word: &str, names: &HashSet<&str>) -> String {
    match word.split_once('.') {
        Some((head, field)) if !head.is_empty() && (names.contains(head) || is_local(head)) => {
            format!("_.{field}")
        }
        _ => word.to_owned(),
    }
}

/// Words that stay though they are short: they belong to the language or to every library.
const KEPT: &str = "fun let if then else do by in at rfl id sin cos tan exp log max min sup inf gcd lcm mod \
    div abs Nat Int Set Rat Fin Sum Or And Not Iff Eq Ne Dvd deg dim det ker map Hom End Aut Ico Icc \
    Ioc Ioo Iic Ici Iio Ioi List";

/// Looks like a name that a proof gives: `h`, `hx`, `ih`, `n'`, `x₁`, `this`, `u_1`.
pub(super) fn is_local(word: &str) -> bool {
    if word.contains('.') || is_among(word, KEPT) {
        return false;
    }
    let base: String = word
        .chars()
        .filter(|c| !c.is_ascii_digit() && !('₀'..='₉').contains(c) && !"'!?✝".contains(*c))
        .collect();
    let base = base.trim_end_matches('_');
    let letters = base.chars().count();
    let first = base.chars().next();
    match first {
        None => true,
        Some(_) if base == "this" || base == "inst" || word.starts_with('_') => true,
        Some('ℕ' | 'ℤ' | 'ℚ' | 'ℝ' | 'ℂ' | '𝕜' | '𝓝') => false,
        Some(_) if letters == 1 => true,
        Some('h') => letters <= 3 || base.starts_with("h_"),
        Some(c) if c.is_lowercase() => letters <= 2,
        Some(_) => false,
    }
}
