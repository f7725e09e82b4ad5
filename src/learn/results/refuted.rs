//! What the prover found to be false: from its header, from its notes, and from proofs that turn to
//! the negation by `negate_state`.

use super::reading::{is_of_negate_state, is_theorem, notes_of};
use crate::lean::{self, Declaration, Outline, last_part, trivial};
use crate::learn::prover::{Claim, Note, ProverNotes};
use crate::text;

pub(super) struct Refuted {
    /// Full name where the declaration is in the file, else as the prover spells it.
    pub(super) name: Option<String>,
    pub(super) statement: String,
    pub(super) line: Option<usize>,
    pub(super) proof: Option<String>,
    pub(super) words: Vec<String>,
    /// The whole statement was refuted, not merely a goal inside its proof.
    pub(super) whole: bool,
}

impl Refuted {
    pub(super) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("example")
    }

    /// Same name, and the same statement unless the proof turns to the negation or is open.
    pub(super) fn is(&self, declaration: &Declaration, text: &str) -> bool {
        let (Some(mine), Some(theirs)) = (&self.name, &declaration.name) else { return false };
        if mine != theirs && !names(theirs, mine) {
            return false;
        }
        negates(declaration, text)
            || !declaration.is_complete()
            || squeeze(&self.statement) == squeeze(declaration.statement(text))
    }

    /// The prover's sentences, else the values it gives, as in `n = 40`. A proof in tactics is none.
    pub(super) fn counterexample(&self) -> Option<String> {
        let words = self.words.iter().filter(|words| !is_aside(words));
        let told: Vec<&str> = words.map(String::as_str).collect();
        let telling: Vec<&str> = told.iter().copied().filter(|said| names_a_choice(said)).collect();
        let sentences = if telling.is_empty() { told } else { telling };
        let sentences =
            text::clip(&sentences.into_iter().take(3).collect::<Vec<_>>().join(" "), 600);
        if sentences.is_empty() { self.values() } else { Some(sentences) }
    }

    /// `n = 40, k = 3` from `use 40, 3`, with the names that the statement gives its variables.
    fn values(&self) -> Option<String> {
        let (_, after) = self.proof.as_deref()?.split_once("negate_state")?;
        let given = code_lines(after).find_map(|line| {
            let line = line.trim_start_matches(['·', ' ']).trim_end_matches(';');
            let starts = ["use ", "exists ", "refine ⟨", "exact ⟨", "refine' ⟨"];
            let line = starts.into_iter().find_map(|start| line.strip_prefix(start))?;
            let values = top_level_parts(line.trim_end_matches('⟩'));
            let plain = |value: &&str| {
                let tactics = ["by", "fun", "λ", "rfl"];
                !value.is_empty()
                    && value.len() <= 40
                    && !value.contains(['_', '?', '⟨', '⟩', '!', ';'])
                    && !value.split_whitespace().any(|word| tactics.contains(&word))
            };
            let values: Vec<&str> = values.into_iter().take_while(plain).collect();
            (!values.is_empty()).then(|| values.into_iter().map(str::to_owned).collect::<Vec<_>>())
        })?;
        let parts = trivial::parts(&self.statement);
        let mut said = Vec::with_capacity(given.len());
        for (value, (name, of)) in given.into_iter().zip(&parts.variables) {
            if value.starts_with("inferInstance") && of.is_empty() {
                continue;
            }
            if trivial::is_condition(of) {
                break;
            }
            // A value that cannot be of this variable shows that they do not go together.
            if !may_be_of(&value, of) {
                return None;
            }
            said.push(if *name == "_" { value } else { format!("{name} = {value}") });
        }
        (!said.is_empty()).then(|| text::clean(&said.join(", ")))
    }
}

/// Whether a value may have a type, as far as their words show.
fn may_be_of(value: &str, of: &[&str]) -> bool {
    const NUMBERS: &str =
        "ℕ ℤ ℚ ℝ ℂ Nat Int Rat Real Complex ZMod Fin NNReal ENNReal Ordinal Cardinal";
    let is_number = value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let first = of.first().copied().unwrap_or_default();
    match value.chars().next() {
        _ if is_number => text::is_among(first, NUMBERS) || first.starts_with("ℝ≥0"),
        _ if text::is_among(value.split(' ').next().unwrap_or_default(), NUMBERS) => {
            first.starts_with("Type") || first.starts_with("Sort")
        }
        Some('{' | '∅') => of.contains(&"Set") || of.contains(&"Finset"),
        Some('⊤' | '⊥') => !(text::is_among(first, NUMBERS) || first.starts_with("Type")),
        _ => true,
    }
}

fn top_level_parts(terms: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_comma = |c: char| {
        match c {
            '(' | '[' | '{' | '⟨' => depth += 1,
            ')' | ']' | '}' | '⟩' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    terms.split(is_comma).map(str::trim).collect()
}

fn is_aside(comment: &str) -> bool {
    let lower = comment.to_lowercase();
    let asides =
        ["wait,", "proof starts here", "proof of the negation", "negation starts", "negate_state"];
    comment.split_whitespace().count() < 4 || asides.iter().any(|aside| lower.contains(aside))
}

fn names_a_choice(comment: &str) -> bool {
    let lower = comment.to_lowercase();
    let cues =
        ["consider", "choose", "counterexample", "let's take", "let's set", "take ", "let $"];
    cues.iter().any(|cue| lower.contains(cue))
}

/// Without docstrings, which say what is claimed and not why it fails.
fn comments<'a>(outline: &'a Outline, text: &'a str) -> impl Iterator<Item = String> + 'a {
    let of_code = outline.comments.iter().filter_map(|comment| text.get(comment.clone()));
    of_code.filter(|comment| !comment.starts_with("/--")).map(|comment| {
        let comment = comment.trim_start_matches("/-").trim_end_matches("-/");
        let comment = comment.trim_start_matches(['-', '!', ' ']);
        text::clean(&text::one_line(comment))
    })
}

pub(super) fn find(text: &str, outline: &Outline, notes: &ProverNotes) -> Vec<Refuted> {
    let mut found: Vec<Refuted> = Vec::new();
    for note in &notes.refutations {
        let inner = lean::outline(&note.text);
        found.extend(from_note(&inner, &note.text, outline, note.end));
    }
    let theorems = outline.declarations.iter().filter(|declaration| is_theorem(declaration));
    for declaration in theorems.filter(|declaration| negates(declaration, text)) {
        let span = &declaration.span;
        let inside = outline.comments.iter().filter(|c| span.start <= c.start && c.end <= span.end);
        let inner = Outline { comments: inside.cloned().collect(), ..Outline::default() };
        let words = comments(&inner, text).collect();
        found.push(Refuted { line: Some(declaration.line), words, ..from_code(declaration, text) });
    }
    for claim in &notes.negated {
        if !found.iter().any(|refuted| is_claimed(refuted, claim)) {
            found.push(from_claim(claim, text, outline));
        }
    }
    found.sort_by_key(|refuted| refuted.line.unwrap_or(usize::MAX));
    found
}

/// A statement that the prover refuted in a comment of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Negation {
    pub name: String,
    pub line: Option<usize>,
    /// Lean files that end in a proof of the negation: the prover's proof as it stands, and behind `push_neg`.
    pub texts: [String; 2],
}

/// The negations that a file proves, each as a theorem of the name `called`. Where a `variable` is in force the
/// negation of the statement cannot be written down.
pub fn negations(text: &str, called: &str) -> Vec<Negation> {
    let outline = lean::outline(text);
    let notes = notes_of(text, &outline, None);
    let negation = |note: &Note| {
        let before = text.get(..note.end)?;
        let inner = lean::outline(&note.text);
        let one = inner.declarations.iter().find(|one| negates(one, &note.text))?;
        let found =
            from_note(&inner, &note.text, &outline, note.end).filter(|found| found.whole)?;
        let has_variables = lean::code(before).iter().any(|token| token.text(before) == "variable");
        let signature = one.signature(&note.text);
        let tokens = lean::code(signature);
        let colon = lean::outside(signature, &tokens, ":").next()?;
        let (binders, claim) =
            (signature.get(..colon.start)?.trim(), signature.get(colon.end..)?.trim());
        let all = if binders.is_empty() { String::new() } else { format!("∀ {binders}, ") };
        let (head, proof) = one.body(&note.text)?.split_once("negate_state")?;
        let (line, rest) = proof.split_once('\n').unwrap_or((proof, ""));
        let column = head.rsplit('\n').next().filter(|line| line.trim().is_empty()).unwrap_or("  ");
        let line = line.trim_start_matches([';', ' ']);
        let helpers = note.text.get(..one.span.start)?;
        let theorem = |first: &str| {
            format!(
                "{before}\n\n{helpers}\ntheorem {called} : ¬ ({all}{claim}) := by\n{column}{first}\n{column}{line}\n{rest}\n"
            )
        };
        let texts = [theorem("skip"), theorem("push_neg")];
        found.name.filter(|_| !has_variables).map(|name| Negation { name, line: found.line, texts })
    };
    notes.refutations.iter().filter_map(negation).collect()
}

fn negates(declaration: &Declaration, text: &str) -> bool {
    declaration.tactics.contains_key("negate_state")
        || declaration.body(text).is_some_and(|body| code_lines(body).any(is_negate_state))
}

fn is_negate_state(line: &str) -> bool {
    let word = line.trim_start_matches(['·', '.', ' ']).trim_end_matches([';', ' ']);
    word == "negate_state"
}

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
        words: Vec::new(),
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
    let mut found = Refuted { words: comments(inner, code).collect(), ..from_code(refuted, code) };
    if let Some(next) = next {
        found.name.clone_from(&next.name);
        found.line = Some(next.line);
    }
    Some(found)
}

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
        words: Vec::new(),
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

pub(super) fn names(full: &str, name: &str) -> bool {
    full == name || last_part(full) == name || full.ends_with(&format!(".{name}"))
}

/// A statement without white space, so that line breaks do not count.
pub(super) fn squeeze(statement: &str) -> String {
    statement.chars().filter(|c| !c.is_whitespace()).collect()
}

/// After `use`, `constructor` or a case split it refutes only the goal at hand.
fn begins_with_negation(body: &str) -> bool {
    const HARMLESS: &str = ":= by intro intros revert by_contra by_contra! push_neg classical unfold rintro \
        negate_state";
    let Some((before, _)) = body.split_once("negate_state") else { return false };
    code_lines(before).flat_map(|line| line.split(';')).all(|step| {
        let mut words = step.split_whitespace().skip_while(|word| [":=", "by"].contains(word));
        words.next().is_none_or(|first| HARMLESS.split_whitespace().any(|step| step == first))
    })
}
