//! The signature of an error: equal for the same error at another place, under other names of
//! hypotheses and variables and with other numbers.
//!
//! It is text that is stored, so its form is kept: `kind name | shape`, as in
//! `unknown-identifier Nat.add_com` or `tactic-failed linarith | x1 < x2 ⊢ False`.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use super::rules::{self, Detail, Kind};
use super::shape::{self, expression};
use crate::text::is_among;

/// Longest shape in characters; what is beyond counts by its hash.
const MOST_CHARS: usize = 160;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    pub kind: String,
    /// An identifier, a tactic, a type class; `None` where it is local to a proof.
    pub name: Option<String>,
    /// The goal, types or wording in their normal form; empty where kind and name say it all.
    pub shape: String,
}

impl Signature {
    pub fn of(text: &str) -> Self {
        let kind = rules::classify(text);
        let shape = short(&shape_of(text, &kind));
        Self { kind: kind.word.to_owned(), name: kind.name, shape }
    }

    /// Told from others of its kind by every word of the message: `kind name | = hash`.
    pub fn of_whole(text: &str, signature: Self) -> Self {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { shape: format!("= {:08x}", hash(&words)), ..signature }
    }

    pub fn is_about_a_goal(&self) -> bool {
        is_among(&self.kind, "unsolved-goals tactic-failed false-proposition no-progress")
    }

    pub fn parse(text: &str) -> Self {
        let (key, shape) = text.split_once(" | ").unwrap_or((text, ""));
        let (kind, name) = match key.trim().split_once(' ') {
            Some((kind, name)) => (kind, Some(name.trim().to_owned())),
            None => (key.trim(), None),
        };
        Self { kind: kind.to_owned(), name, shape: shape.trim().to_owned() }
    }

    pub fn key(&self) -> (&str, Option<&str>) {
        (&self.kind, self.name.as_deref())
    }

    /// Whether it tells one error from another. An unknown local name does not, nor does `simp` that
    /// made no progress on no matter what: a fix for one is none for the next.
    pub fn is_specific(&self) -> bool {
        let kind = self.kind.as_str();
        if kind == "other" {
            // The words of a message are in all of its kind; what it quotes is its own.
            let mut quoted = self.shape.split('`').skip(1).step_by(2);
            return quoted.any(|code| telling(code).next().is_some());
        }
        let is_named = self.name.is_some() && !is_among(kind, OF_A_GOAL);
        is_named || rules::says_all(kind) || telling(&self.shape).count() >= 2
    }

    /// The words of the shape that say something: operators, constants, words of a message.
    pub fn telling_words(&self) -> BTreeSet<&str> {
        telling(&self.shape).collect()
    }
}

/// Kinds whose name is a tactic or a step of elaboration: only the goal tells them apart.
const OF_A_GOAL: &str = "tactic-failed no-progress pattern-not-found false-proposition timeout steps not-unified \
    wrong-form";

/// The words of a shape that are neither variables nor numbers nor in every goal.
fn telling(shape: &str) -> impl Iterator<Item = &str> {
    const PLAIN: [&str; 12] =
        ["", "⊢", "#", "?", "=", "=>", "-#", "True", "False", "Prop", "Type", "Sort"];
    let words = shape.split([' ', '(', ')', ',', '[', ']', '{', '}', ':']);
    words.filter(|word| {
        let bound = word.strip_prefix('x').is_some_and(|rest| rest.parse::<u32>().is_ok());
        !bound && !PLAIN.contains(word)
    })
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        if !self.shape.is_empty() {
            write!(f, " | {}", self.shape)?;
        }
        Ok(())
    }
}

fn shape_of(text: &str, kind: &Kind) -> String {
    let none = HashSet::new();
    match kind.detail {
        Detail::None => String::new(),
        Detail::Head => wording(text),
        Detail::Block => {
            shape::block(text).map_or_else(|| wording(text), |block| expression(&block, &none))
        }
        Detail::Types => shape::types(text).map_or_else(
            || wording(text),
            |(has, expected)| {
                format!("{} => {}", expression(&has, &none), expression(&expected, &none))
            },
        ),
        Detail::Goal => shape::goal(text)
            .or_else(|| kind.name.is_some().then(String::new))
            .unwrap_or_else(|| wording(text)),
    }
}

/// The first line: its words stay, what is quoted is normalised, numbers are `#`.
fn wording(text: &str) -> String {
    let none = HashSet::new();
    let head = text.lines().find(|line| line.contains(char::is_alphabetic)).unwrap_or_default();
    let head = shape::one_kind_of_quotes(head.trim());
    let paired = head.matches('`').count().is_multiple_of(2);
    let mut out = String::new();
    for (at, part) in head.split('`').enumerate() {
        if at % 2 == 1 && paired {
            out.push('`');
            out.push_str(&expression(part, &none));
            out.push('`');
        } else {
            without_numbers(part, &mut out);
        }
    }
    out
}

fn without_numbers(text: &str, out: &mut String) {
    let mut in_number = false;
    for c in text.chars() {
        let digit = c.is_ascii_digit();
        if !digit {
            out.push(c);
        } else if !in_number {
            out.push('#');
        }
        in_number = digit;
    }
}

/// Cut to a length that fits a row; the hash keeps what was cut apart.
fn short(shape: &str) -> String {
    let shape = shape.split_whitespace().collect::<Vec<_>>().join(" ");
    if shape.chars().count() <= MOST_CHARS {
        return shape;
    }
    let kept: String = shape.chars().take(MOST_CHARS).collect();
    format!("{}… {:08x}", kept.trim_end(), hash(&shape))
}

/// FNV-1a, folded: the standard library's hasher may change from release to release.
fn hash(text: &str) -> u32 {
    text.bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
