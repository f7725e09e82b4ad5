//! What the prover found to be false: from its header, from its notes, and from proofs that turn to
//! the negation by `negate_state`.

use super::reading::{is_of_negate_state, is_theorem, short_name};
use crate::lean::{self, Declaration, Outline};
use crate::learn::prover::{Claim, ProverNotes};
use crate::text;

/// A refuted statement.
pub(super) struct Refuted {
    /// Full name where the declaration is in the file, else as the prover spells it.
    pub(super) name: Option<String>,
    /// The false statement, from its keyword on.
    pub(super) statement: String,
    /// Line of the declaration.
    pub(super) line: Option<usize>,
    /// The prover's proof of the negation, in Lean.
    pub(super) proof: Option<String>,
    /// The whole statement was refuted, not merely a goal inside its proof.
    pub(super) whole: bool,
}

impl Refuted {
    /// Name for people.
    pub(super) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("example")
    }

    /// Whether this is about the declaration: same name, and the same statement unless the proof
    /// itself turns to the negation or is open.
    pub(super) fn is(&self, declaration: &Declaration, text: &str) -> bool {
        let (Some(mine), Some(theirs)) = (&self.name, &declaration.name) else { return false };
        if mine != theirs && !names(theirs, mine) {
            return false;
        }
        negates(declaration, text)
            || !declaration.is_complete()
            || squeeze(&self.statement) == squeeze(declaration.statement(text))
    }

    /// Specific counterexample, as far as the prover's proof states one: what it says in words, then
    /// the terms that it gives.
    pub(super) fn counterexample(&self) -> Option<String> {
        let proof = self.proof.as_deref()?;
        let (_, after) = proof.split_once("negate_state")?;
        let mut parts: Vec<String> = Vec::new();
        let words = after.lines().filter_map(|line| line.trim().strip_prefix("--")).map(str::trim);
        parts.extend(words.filter(|line| names_a_choice(line)).take(3).map(str::to_owned));
        let terms = after.lines().map(str::trim).filter(|line| {
            ["use ", "exists ", "refine", "exact "].iter().any(|tactic| line.starts_with(tactic))
        });
        parts.extend(terms.take(2).map(|line| format!("`{}`", line.trim_end_matches(';'))));
        let joined = text::clip(&text::clean(&parts.join(" ")), 600);
        (!joined.is_empty()).then_some(joined)
    }
}

fn names_a_choice(comment: &str) -> bool {
    let lower = comment.to_lowercase();
    let cues =
        ["consider", "choose", "counterexample", "let's take", "let's set", "take ", "let $"];
    cues.iter().any(|cue| lower.contains(cue))
}

/// Everything that the prover refuted in a file, in the order of the file, each once.
pub(super) fn find(text: &str, outline: &Outline, notes: &ProverNotes) -> Vec<Refuted> {
    let mut found: Vec<Refuted> = Vec::new();
    for note in &notes.refutations {
        let inner = lean::outline(&note.text);
        found.extend(from_note(&inner, &note.text, outline, note.end));
    }
    let theorems = outline.declarations.iter().filter(|declaration| is_theorem(declaration));
    for declaration in theorems.filter(|declaration| negates(declaration, text)) {
        found.push(Refuted { line: Some(declaration.line), ..from_code(declaration, text) });
    }
    for claim in &notes.negated {
        if !found.iter().any(|refuted| is_claimed(refuted, claim)) {
            found.push(from_claim(claim, text, outline));
        }
    }
    found.sort_by_key(|refuted| refuted.line.unwrap_or(usize::MAX));
    found
}

/// Whether a proof in the file turns to the negation.
fn negates(declaration: &Declaration, text: &str) -> bool {
    declaration.tactics.contains_key("negate_state")
        || declaration.body(text).is_some_and(|body| code_lines(body).any(is_negate_state))
}

fn is_negate_state(line: &str) -> bool {
    let word = line.trim_start_matches(['·', '.', ' ']).trim_end_matches([';', ' ']);
    word == "negate_state"
}

/// Lines of code, without line comments.
fn code_lines(body: &str) -> impl Iterator<Item = &str> {
    body.lines()
        .map(|line| line.split("--").next().unwrap_or("").trim())
        .filter(|line| !line.is_empty())
}

fn from_code(declaration: &Declaration, text: &str) -> Refuted {
    let body = declaration.body(text).unwrap_or("");
    let sound = declaration.gaps.iter().all(|gap| is_of_negate_state(gap, text));
    Refuted {
        name: declaration.name.clone(),
        statement: declaration.statement(text).trim().to_owned(),
        line: None,
        proof: Some(body.trim().to_owned()),
        whole: sound && begins_with_negation(body),
    }
}

/// The refuted declaration of a note; the note may hold helper lemmas before it.
fn from_note(inner: &Outline, code: &str, outline: &Outline, end: usize) -> Option<Refuted> {
    let declarations = || inner.declarations.iter();
    let refuted =
        declarations().find(|declaration| negates(declaration, code)).or(declarations().last())?;
    let next = outline.declarations.iter().find(|declaration| declaration.span.end > end);
    let next = next.filter(|next| match (&next.name, &refuted.name) {
        (Some(full), Some(name)) => names(full, name),
        (full, name) => full == name,
    });
    let mut found = from_code(refuted, code);
    if let Some(next) = next {
        found.name.clone_from(&next.name);
        found.line = Some(next.line);
    }
    Some(found)
}

/// A statement that only the header says is false.
fn from_claim(claim: &Claim, text: &str, outline: &Outline) -> Refuted {
    let declaration = claim.name.as_deref().and_then(|name| {
        let mut named = outline
            .declarations
            .iter()
            .filter(|d| d.name.as_deref().is_some_and(|full| names(full, name)));
        let first = named.clone().next();
        named.find(|d| squeeze(d.statement(text)) == squeeze(&claim.statement)).or(first)
    });
    Refuted {
        name: declaration.and_then(|d| d.name.clone()).or_else(|| claim.name.clone()),
        statement: claim.statement.trim().to_owned(),
        line: declaration.map(|d| d.line),
        proof: None,
        whole: true,
    }
}

fn is_claimed(refuted: &Refuted, claim: &Claim) -> bool {
    match (&refuted.name, &claim.name) {
        (Some(full), Some(name)) => names(full, name),
        (None, None) => squeeze(&refuted.statement) == squeeze(&claim.statement),
        _ => false,
    }
}

/// Whether a full name is what a header calls `name`, with or without its namespaces.
pub(super) fn names(full: &str, name: &str) -> bool {
    full == name || short_name(full) == name || full.ends_with(&format!(".{name}"))
}

/// A statement without white space, so that line breaks do not count.
fn squeeze(statement: &str) -> String {
    statement.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether nothing but harmless steps stands before `negate_state`: what it refutes then is the
/// statement. After `use`, `constructor` or a case split it is only the goal at hand.
fn begins_with_negation(body: &str) -> bool {
    const HARMLESS: &[&str] = &[
        ":=",
        "by",
        "intro",
        "intros",
        "revert",
        "by_contra",
        "by_contra!",
        "push_neg",
        "classical",
        "unfold",
        "rintro",
        "negate_state",
    ];
    let Some((before, _)) = body.split_once("negate_state") else { return false };
    code_lines(before).flat_map(|line| line.split(';')).all(|step| {
        let mut words = step.split_whitespace().skip_while(|word| [":=", "by"].contains(word));
        words.next().is_none_or(|first| HARMLESS.contains(&first))
    })
}
