//! Lemmas that are known to be false: seen by name where they are used, by statement where they
//! are stated again under another name.

mod search;
mod told;
mod variants;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use crate::lean::{
    self, Claim, DeclKind, Declaration, KEY_VERSION, Key, Mention, Outline, Statements,
};
use crate::text::{clean, clip, one_line};

pub(super) use search::{Search, Sighting};
pub(super) use told::told;

/// Longest text about a lemma in a message, in columns: three of them and the rest must fit.
const WIDTH: usize = 110;

/// What is known about a lemma that is false.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FalseLemma {
    /// Its name, qualified if it is.
    pub name: String,
    /// Its statement as it was noted, if it is known.
    pub statement: String,
    /// By what the statement is recognised, where it is known in which file it stood.
    pub key: Option<Key>,
    /// The case in which it fails.
    pub counterexample: String,
    pub why: String,
    /// What to use in its place.
    pub instead: String,
    /// Nobody and nothing has checked that it is false.
    pub claimed: bool,
    /// It belongs to another project: its name means something else here, its statement does not.
    pub elsewhere: bool,
}

impl FalseLemma {
    pub fn claim(&self) -> Option<Claim> {
        Self::claim_of(&self.statement)
    }

    /// What a statement claims, as people and provers note it: a declaration, a signature, or the
    /// proposition alone. `None` where nothing is stated.
    pub fn claim_of(statement: &str) -> Option<Claim> {
        let statement = statement.trim();
        match lean::outline(statement).declarations.first() {
            Some(declaration) => claim(declaration, statement),
            None => Claim::of_note(statement),
        }
    }

    /// What there is to say about it: the case, the reason, the way on.
    pub fn reasons(&self) -> String {
        let mut parts = Vec::new();
        if self.elsewhere {
            parts.push("known from another project".to_owned());
        }
        if self.claimed {
            parts.push("only reported, nobody checked it".to_owned());
        }
        for (label, text) in [
            ("counterexample", &self.counterexample),
            ("why", &self.why),
            ("instead", &self.instead),
        ] {
            let text = clip(&one_line(&clean(text)), WIDTH);
            let text = text.trim_end_matches(['.', ';', ' ']);
            if !text.is_empty() {
                parts.push(format!("{label}: {text}"));
            }
        }
        parts.join("; ")
    }

    /// Whether its name alone says nothing: many texts use such names for their own.
    fn is_everyday(&self) -> bool {
        let plain = self.name.trim_end_matches(|c: char| c.is_numeric() || "'_₀₁₂₃".contains(c));
        let short = self.name.chars().count() < 4 || EVERYDAY.contains(&plain);
        short && !self.name.contains('.')
    }

    /// Whether a name as it is written, with the full names that it may stand for, means this lemma.
    fn is_meant_by(&self, written: &str, names: &[String]) -> bool {
        let fits = names.iter().any(|name| is_or_ends_in(name, &self.name));
        // A name without a dot may stand in any namespace, but for those of the libraries.
        let head = written.split_once('.').map(|(head, _)| head);
        let foreign = head.is_some_and(|head| LIBRARIES.contains(&head));
        !self.elsewhere && fits && (self.name.contains('.') || !foreign)
    }

    /// Whether a declaration shows that this one is false.
    fn is_denied_by(&self, user: &Declaration, mention: &Mention, text: &str) -> bool {
        let denies = |signature: &str| {
            let denied = Claim::denied_by(signature);
            (mention.in_statement && Claim::is_denial(signature))
                || (denied.is_some() && denied == self.claim())
        };
        self.is_denied_in_name(user) || signature(user, text).is_some_and(denies)
    }

    /// Whether a text itself declares the name with another statement: it means that one there.
    fn is_another_in(&self, text: &str, outline: &Outline, notions: &Notions<'_>) -> bool {
        let is_named = |declaration: &&Declaration| {
            is_or_ends_in(declaration.name.as_deref().unwrap_or_default(), &self.name)
        };
        let mut named = outline.declarations.iter().filter(is_named);
        !self.statement.is_empty()
            && named.any(|named| {
                claim(named, text) != self.claim() || notions.of(named, self) != Sameness::Same
            })
    }

    /// Whether a declaration says in its own name that this one is false: `not_bad`, `bad_false`.
    fn is_denied_in_name(&self, declaration: &Declaration) -> bool {
        let name = declaration.name.as_deref().unwrap_or_default();
        let own = lean::last_part(&self.name);
        let Some((before, after)) = name.split_once(own) else { return false };
        let mut words = before.split(['.', '_']).chain(after.split(['.', '_']));
        words.any(|word| DENIALS.contains(&word))
    }
}

/// Whether the same words say the same: it depends on the definitions that they speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sameness {
    Same,
    /// One of the definitions says something else.
    Other,
    /// The text defines a notion of which the record says nothing.
    Unknown,
}

/// The definitions of a text, read when they are asked for.
struct Notions<'t> {
    text: &'t str,
    statements: OnceCell<Statements<'t>>,
}

impl<'t> Notions<'t> {
    fn in_text(text: &'t str) -> Self {
        Self { text, statements: OnceCell::new() }
    }

    /// How what a declaration speaks of compares with what a false lemma spoke of. What the text does not
    /// define itself is taken to be the same.
    fn of(&self, declaration: &Declaration, lemma: &FalseLemma) -> Sameness {
        let statements = self.statements.get_or_init(|| Statements::of(self.text));
        let mut all = statements.outline().declarations.iter();
        let index = all.position(|one| one.span.start == declaration.span.start);
        let here = index.and_then(|index| statements.key(index)).map_or(0, |key| key.definitions);
        match lemma.key.filter(|key| key.version == KEY_VERSION) {
            _ if here == 0 => Sameness::Same,
            Some(key) if key.definitions == here => Sameness::Same,
            Some(_) => Sameness::Other,
            None => Sameness::Unknown,
        }
    }
}

const EVERYDAY: [&str; 20] = [
    "aux",
    "main",
    "lemma",
    "theorem",
    "claim",
    "key",
    "step",
    "helper",
    "foo",
    "bar",
    "test",
    "goal",
    "result",
    "fact",
    "thm",
    "prop",
    "this",
    "conjecture",
    "main_theorem",
    "main_lemma",
];

const LIBRARIES: [&str; 40] = [
    "Nat",
    "Int",
    "Rat",
    "Real",
    "NNReal",
    "ENNReal",
    "Complex",
    "Fin",
    "ZMod",
    "List",
    "Array",
    "Finset",
    "Set",
    "Multiset",
    "Finsupp",
    "Function",
    "Polynomial",
    "Matrix",
    "Filter",
    "Bool",
    "Option",
    "Prod",
    "Sum",
    "Sigma",
    "Subtype",
    "Eq",
    "Ne",
    "Iff",
    "And",
    "Or",
    "Not",
    "Exists",
    "Classical",
    "Lean",
    "Std",
    "Mathlib",
    "Units",
    "Equiv",
    "Fintype",
    "String",
];

const DENIALS: [&str; 14] = [
    "not",
    "false",
    "isFalse",
    "is_false",
    "neg",
    "negation",
    "counterexample",
    "disproof",
    "disproved",
    "disproven",
    "refuted",
    "wrong",
    "fails",
    "absurd",
];

/// Fields by which the proof of a statement is taken further: `bad.le` uses `bad`.
const FIELDS: [&str; 24] = [
    "mp",
    "mpr",
    "symm",
    "trans",
    "left",
    "right",
    "le",
    "lt",
    "ge",
    "gt",
    "ne",
    "ne'",
    "le'",
    "lt'",
    "not_le",
    "not_lt",
    "trans_le",
    "trans_lt",
    "elim",
    "choose",
    "choose_spec",
    "imp",
    "resolve_left",
    "resolve_right",
];

fn is_or_ends_in(whole: &str, tail: &str) -> bool {
    let head = whole.strip_suffix(tail);
    !tail.is_empty() && head.is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

/// What a declaration claims; `None` where it is no claim.
pub(super) fn claim(declaration: &Declaration, text: &str) -> Option<Claim> {
    Claim::of_signature(signature(declaration, text)?)
}

/// The signature of a declaration that claims something, from after its name on.
fn signature<'a>(declaration: &Declaration, text: &'a str) -> Option<&'a str> {
    let kind = declaration.kind;
    let wanted = matches!(kind, DeclKind::ProofWanted | DeclKind::TheoremWanted);
    let claims = kind.is_proof() || kind == DeclKind::Axiom || wanted;
    let span = &declaration.statement_span;
    let keyword = span.start + kind.as_str().len();
    let start = declaration.name_span.as_ref().map_or(keyword, |name| name.end);
    text.get(start..span.end).filter(|_| claims)
}
