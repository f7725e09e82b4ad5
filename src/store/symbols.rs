//! Words for what the index's tokenizer drops or splits: symbols, parts of Lean names, and tokens for exact names and
//! problem ids. The same for rows and queries.

use std::collections::BTreeSet;

use crate::model::{Draft, id_key, last_part, stem_key};

/// Longer ones before their prefixes.
const ASCII: [(&str, &str); 12] = [
    ("<->", "iff"),
    ("<=>", "iff"),
    ("<=", "le"),
    (">=", "ge"),
    ("->", "imp"),
    ("=>", "imp"),
    ("|-", "turnstile"),
    ("!=", "ne"),
    ("/\\", "and"),
    ("\\/", "or"),
    ("<", "lt"),
    (">", "gt"),
];

fn wide_symbol(symbol: char) -> Option<&'static str> {
    Some(match symbol {
        '≤' => "le",
        '≥' => "ge",
        '≠' => "ne",
        '∀' => "forall",
        '∃' => "exists",
        '∑' => "sum",
        '∏' | '×' => "prod",
        '∫' => "integral",
        '∣' | '∤' => "dvd",
        '→' | '⇒' => "imp",
        '↔' | '⇔' => "iff",
        '↦' => "mapsto",
        '⟶' => "hom",
        '⥤' => "functor",
        '≅' => "iso",
        '≃' => "equiv",
        '≡' => "modeq",
        '≈' => "approx",
        '∼' => "sim",
        '¬' => "not",
        '∧' => "and",
        '∨' => "or",
        '∈' => "mem",
        '∉' => "notmem",
        '⊆' => "subset",
        '⊂' => "ssubset",
        '⊇' => "superset",
        '∪' => "union",
        '∩' => "inter",
        '⋃' => "iunion",
        '⋂' => "iinter",
        '∅' => "empty",
        '∞' => "infinity",
        '√' => "sqrt",
        '⊢' => "turnstile",
        '⊥' => "bot",
        '⊤' => "top",
        '⊔' => "sup",
        '⊓' => "inf",
        '⨆' => "isup",
        '⨅' => "iinf",
        '∘' => "comp",
        '⊗' => "tensor",
        '⊕' => "directsum",
        '•' => "smul",
        '∂' => "boundary",
        '‖' => "norm",
        '⌊' => "floor",
        '⌈' => "ceil",
        'ᶜ' => "compl",
        'ℕ' => "nat",
        'ℤ' => "int",
        'ℚ' => "rat",
        'ℝ' => "real",
        'ℂ' => "complex",
        '𝓝' => "nhds",
        '𝔽' => "field",
        'λ' => "fun",
        'Σ' => "sigma",
        'Π' => "pi",
        _ => return None,
    })
}

const TEXT_LIMIT: usize = 32_768;
const WORD_LIMIT: usize = 400;

/// Length in bytes, and the word.
pub(super) fn symbol_at(text: &str) -> Option<(usize, &'static str)> {
    let first = text.chars().next()?;
    match first {
        '<' | '>' | '=' | '-' | '|' | '!' | '/' | '\\' => {
            ASCII.iter().find(|(s, _)| text.starts_with(s)).map(|(s, word)| (s.len(), *word))
        }
        '⁻' if text.starts_with("⁻¹") => Some(("⁻¹".len(), "inv")),
        '\0'..='\x7f' => None,
        _ => wide_symbol(first).map(|word| (first.len_utf8(), word)),
    }
}

/// As the index's tokenizer sees it.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

pub(super) fn is_name_char(c: char) -> bool {
    is_word_char(c) || matches!(c, '_' | '.' | '\'' | '’' | '«' | '»' | '!' | '?')
}

pub(crate) enum Piece<'a> {
    Symbol(&'static str),
    /// Without dots at its ends.
    Name(&'a str),
}

impl<'a> Piece<'a> {
    pub(super) fn text(&self) -> &'a str {
        match self {
            Self::Symbol(word) => word,
            Self::Name(name) => name,
        }
    }
}

/// With their positions; everything else is dropped.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = (usize, Piece<'_>)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while let Some(first) = rest.chars().next() {
            let at = text.len() - rest.len();
            if let Some((length, word)) = symbol_at(rest) {
                rest = rest.get(length..)?;
                return Some((at, Piece::Symbol(word)));
            }
            if !is_name_char(first) {
                rest = rest.get(first.len_utf8()..)?;
                continue;
            }
            let end = name_end(rest);
            let (run, tail) = rest.split_at_checked(end)?;
            rest = tail;
            let name = run.trim_matches(['.', '!', '?']);
            if name.contains(is_word_char) {
                return Some((at, Piece::Name(name)));
            }
        }
        None
    })
}

/// A symbol such as `ℕ` ends a name too.
fn name_end(text: &str) -> usize {
    let is_plain = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'\'' | b'!' | b'?')
    };
    let mut rest = text;
    loop {
        let plain = rest.bytes().take_while(is_plain).count();
        rest = rest.get(plain..).unwrap_or_default();
        let wide = rest.chars().next().filter(|c| !c.is_ascii() && is_name_char(*c));
        match wide {
            Some(c) if symbol_at(rest).is_none() => {
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
            _ => return text.len() - rest.len(),
        }
    }
}

/// `isOpenMap` has `is`, `open`, `map`. Empty where there is only one part.
pub(crate) fn camel_parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    if !name.chars().skip(1).any(char::is_uppercase) {
        return parts;
    }
    for word in name.split(|c: char| !is_word_char(c)) {
        let found = split_camel(word);
        if found.len() > 1 {
            parts.extend(found);
        }
    }
    parts
}

pub(crate) fn split_camel(word: &str) -> Vec<String> {
    let mut parts = Vec::new();
    each_camel_part(word, &mut String::new(), |part| parts.push(part.to_owned()));
    parts
}

/// Hands on the parts of `isOpenMap`, in lower case; each may stand in `part` meanwhile.
pub(crate) fn each_camel_part(word: &str, part: &mut String, mut take: impl FnMut(&str)) {
    if !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    {
        return take(word);
    }
    part.clear();
    let mut was_upper: Option<bool> = None;
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        let is_upper = c.is_uppercase();
        let mut is_last_capital = || chars.peek().is_some_and(|next| next.is_lowercase());
        let starts = is_upper && was_upper.is_some_and(|was| !was || is_last_capital());
        if starts && !part.is_empty() {
            take(part);
            part.clear();
        }
        part.extend(c.to_lowercase());
        was_upper = Some(is_upper);
    }
    if !part.is_empty() {
        take(part);
    }
}

/// For comparing: lower case, without guillemets.
pub(super) fn plain_name(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '«' | '»')).flat_map(char::to_lowercase).collect()
}

pub(super) fn name_token(name: &str) -> String {
    let mut token = String::from("n0");
    for c in name.chars() {
        match c {
            '\'' | '’' => token.push_str("prime"),
            c if c.is_alphanumeric() => token.extend(c.to_lowercase()),
            _ => {}
        }
    }
    token
}

pub(super) fn problem_token(problem: &str) -> String {
    format!("p0{}", id_key(problem))
}

pub(super) fn slot_token(slot: i64) -> String {
    format!("slot{slot}")
}

/// Of its name; of a file in an archive, the name there.
pub(super) fn file_words(file: &str) -> Vec<String> {
    let name = stem_key(file.rsplit('!').find(|part| !part.is_empty()).unwrap_or(file));
    name.split('_').filter(|word| word.len() > 1).map(str::to_owned).collect()
}

/// `more` are words of its sources.
pub(super) fn symbols_with(draft: &Draft, more: &BTreeSet<String>) -> String {
    let mut words = more.clone();
    if let Some(name) = &draft.theorem_name {
        words.insert(name_token(name));
        words.insert(name_token(last_part(name)));
    }
    if let Some(problem) = &draft.problem {
        words.insert(problem_token(problem));
    }
    words.extend(draft.source.slot.map(slot_token));
    if let Some(file) = &draft.source.file {
        words.extend(file_words(file));
    }
    let texts = [
        draft.theorem_name.as_deref(),
        Some(draft.title.as_str()),
        draft.theorem_statement.as_deref(),
        Some(draft.description.as_str()),
    ];
    for text in texts.into_iter().flatten() {
        collect(text.get(..text.floor_char_boundary(TEXT_LIMIT)).unwrap_or(text), &mut words);
    }
    words.into_iter().collect::<Vec<_>>().join(" ")
}

fn collect(text: &str, words: &mut BTreeSet<String>) {
    for (_, piece) in pieces(text) {
        if words.len() >= WORD_LIMIT {
            return;
        }
        match piece {
            Piece::Symbol(word) => {
                words.insert(word.to_owned());
            }
            Piece::Name(name) => {
                words.extend(camel_parts(name).into_iter().filter(|p| p.len() > 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    fn symbols(name: &str, statement: &str) -> String {
        let mut draft = Draft::new(Kind::Theorem, "", "");
        draft.theorem_name = Some(name.to_owned());
        draft.theorem_statement = Some(statement.to_owned());
        symbols_with(&draft, &BTreeSet::new())
    }

    #[test]
    fn names_and_symbols_become_words() {
        for (name, statement, expected) in [
            ("Nat.add_comm'", "", "n0addcommprime n0nataddcommprime"),
            ("IsOpenMap.foo", "a <= b", "is le map n0foo n0isopenmapfoo open"),
            ("x", "∀ n : ℕ, n ≤ n^2 → p∣n", "dvd forall imp le n0x nat"),
            ("ZMod", "ℕ→ℕ", "imp mod n0zmod nat"),
        ] {
            assert_eq!(symbols(name, statement), expected, "{name} {statement}");
        }
    }

    #[test]
    fn longer_symbols_win() {
        for (at, (symbol, _)) in ASCII.iter().enumerate() {
            let shadow = ASCII[..at].iter().find(|(earlier, _)| symbol.starts_with(earlier));
            assert_eq!(shadow, None, "{symbol} can never match");
        }
    }

    #[test]
    fn problems_have_one_token() {
        for spelling in ["erdos_850", "Erdos 850", "erdos-850", "ERDOS850", "EP850"] {
            assert_eq!(problem_token(spelling), "p0erdos850");
        }
    }
}
