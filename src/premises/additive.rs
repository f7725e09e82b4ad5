//! The names that `@[to_additive]` makes, and what they say.

use crate::lean;
use crate::store::split_camel;
use crate::text::capitalised;

use super::read::Premise;

/// What a part of a name becomes; those of several parts before their parts.
const PARTS: &[(&str, &str)] = &[
    ("one_le", "nonneg"),
    ("le_one", "nonpos"),
    ("one_lt", "pos"),
    ("lt_one", "neg"),
    ("mul_one_class", "add_zero_class"),
    ("mul", "add"),
    ("one", "zero"),
    ("inv", "neg"),
    ("div", "sub"),
    ("prod", "sum"),
    ("pow", "nsmul"),
    ("npow", "nsmul"),
    ("zpow", "zsmul"),
    ("mabs", "abs"),
    ("square", "even"),
    ("finprod", "finsum"),
    ("tprod", "tsum"),
    ("multipliable", "summable"),
    ("smul", "vadd"),
];

/// Parts that get an `add` before them.
const WITH_ADD: &str = "comm_group comm_monoid comm_semigroup left_cancel_monoid cancel_monoid cancel_comm_monoid group \
    monoid semigroup magma subgroup submonoid subsemigroup unit units haar torsion cyclic conj order_of";

/// The additive twin of a premise with this attribute.
pub(super) fn twin(of: &Premise, attribute: &str) -> Option<Premise> {
    let mut words = attribute.strip_prefix("to_additive")?.trim();
    let is_partial = words.contains("dont_translate");
    while words.starts_with('(') {
        words = words.get(closing(words)?..)?.trim_start();
    }
    let given = words.split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
    if matches!(given, "existing" | "self" | "none") || words.starts_with('!') {
        return None;
    }
    let given = given.trim_matches('"');
    let is_name = !words.starts_with(['"', '/']) && !given.is_empty();
    let parts: Vec<&str> = of.name.split('.').collect();
    let dots = if is_name { given.split('.').count() } else { 0 };
    let kept = parts.get(..parts.len().saturating_sub(dots)).unwrap_or_default();
    // `Prod` is a type of pairs, of which nothing additive is made.
    let namespace =
        |part: &&str| if **part == *"Prod" { (*part).to_owned() } else { translated(part) };
    let last = kept.len().saturating_sub(usize::from(dots == 0));
    let (namespaces, own) = kept.split_at(last);
    let mut name: Vec<String> = namespaces.iter().map(namespace).collect();
    name.extend(own.iter().map(|part| translated(part)));
    name.extend(is_name.then(|| given.to_owned()));
    let name = name.join(".");
    let statement = statement(&of.statement).filter(|_| !is_partial).unwrap_or_default();
    let own = words.find('"').or_else(|| words.find("/--")).and_then(|at| words.get(at..));
    let doc = own.map_or_else(String::new, |own| super::read::doc(own.trim_matches('"')));
    (name != of.name).then(|| Premise {
        name,
        statement,
        doc,
        of: Some(of.name.clone()),
        deprecated: None,
        ..of.clone()
    })
}

/// Where the bracket that a text begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// A part of a name, with its own capitals and underscores.
fn translated(part: &str) -> String {
    let pieces: Vec<&str> = part.split('_').collect();
    let is_camel = |piece: &str| piece.contains(char::is_uppercase);
    let mut out: Vec<String> = Vec::new();
    for same in pieces.chunk_by(|one, other| !is_camel(one) && !is_camel(other)) {
        let (Some(first), true) = (same.first(), same.iter().any(|piece| is_camel(piece))) else {
            let words: Vec<String> = same.iter().map(|piece| (*piece).to_owned()).collect();
            out.extend(replaced(&words));
            continue;
        };
        let given = split_camel(first);
        let words = replaced(&given);
        if words == given {
            // Spelled as it was: `LE` is two capitals.
            out.push((*first).to_owned());
            continue;
        }
        let is_large = first.starts_with(char::is_uppercase);
        let words = words.iter().enumerate().map(|(at, word)| match at {
            0 if !is_large => word.clone(),
            _ => capitalised(word),
        });
        out.push(words.collect());
    }
    out.join("_")
}

/// Words of a name in lower case, those of [`PARTS`] in their place.
fn replaced(mut rest: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    while let Some((first, others)) = rest.split_first() {
        let is_it = |old: &str| {
            old.starts_with(first.as_str())
                && rest.len() > old.matches('_').count()
                && old.split('_').zip(rest).all(|(one, word)| one == word)
        };
        let with_add = || WITH_ADD.split(' ').find(|old| is_it(old));
        if let Some((old, new)) = PARTS.iter().find(|(old, _)| is_it(old)) {
            out.extend(new.split('_').map(str::to_owned));
            rest = rest.get(old.split('_').count()..).unwrap_or_default();
        } else if let Some(old) = with_add() {
            // `AddCommGroup` is additive already.
            let is_done = out.last().is_some_and(|last| last == "add");
            out.extend((!is_done).then(|| "add".to_owned()));
            out.extend(old.split('_').map(str::to_owned));
            rest = rest.get(old.split('_').count()..).unwrap_or_default();
        } else {
            out.push(first.clone());
            rest = others;
        }
    }
    out
}

/// A statement in additive notation. `None` where it is not plain which numbers and operators stand for those of
/// the group: beside a sum, an exponent or a number type.
fn statement(of: &str) -> Option<String> {
    let tokens = lean::lex(of);
    let mut out = String::new();
    let mut atoms = 0;
    for token in tokens.as_slice() {
        let spelling = of.get(token.start..token.end)?;
        match spelling {
            "+" | "-" | "^" | "•" | "⁻" | "0" | "2" | "ℕ" | "ℤ" | "ℝ" | "ℚ" | "ℂ" | "Nat"
            | "Int" | "⁻¹" => {
                return None;
            }
            "*" if !out.ends_with(['e', 't']) => out.push('+'),
            "/" => out.push('-'),
            "1" => out.push('0'),
            "∏" => out.push('∑'),
            _ => {
                let parts: Vec<String> = spelling.split('.').map(translated).collect();
                out.push_str(&parts.join("."));
                atoms += 1;
            }
        }
    }
    (atoms > 0).then_some(out)
}
