//! What the prover found to be false: from its header, from its notes, and from proofs that turn to
//! the negation by `negate_state`.

use super::reading::{Reading, Theorem, Verdict, doc, is_of_negate_state, is_theorem, notes_of};
use crate::lean::{self, DeclKind, Declaration, Outline, Token, TokenKind, last_part, trivial};
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
    /// The theorem that states and proves its negation.
    pub(super) by: Option<String>,
    /// What its proof builds, in the words of docstrings.
    pub(super) built: Vec<String>,
}

impl Refuted {
    pub(super) fn label(&self) -> &str {
        let claim = self.by.as_ref().and_then(|_| self.statement.split_once(": "));
        self.name.as_deref().unwrap_or(claim.map_or("example", |(_, claim)| claim))
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

    /// The prover's sentences, else the values it gives, as in `n = 40`, and what they are. A proof in tactics is none.
    pub(super) fn counterexample(&self) -> Option<String> {
        let words = self.words.iter().filter(|words| !is_aside(words));
        let told: Vec<&str> = words.map(String::as_str).collect();
        let telling: Vec<&str> = told.iter().copied().filter(|said| names_a_choice(said)).collect();
        // Beside a theorem that states the negation, other comments are about its steps.
        let sentences = if telling.is_empty() && self.by.is_none() { told } else { telling };
        let sentences = sentences.into_iter().take(3).collect::<Vec<_>>().join(" ");
        let found = if sentences.is_empty() {
            self.values()
                .into_iter()
                .chain((!self.built.is_empty()).then(|| self.built.join(" ")))
                .collect::<Vec<_>>()
                .join(": ")
        } else {
            sentences
        };
        Some(text::clip(&found, 600)).filter(|found| !found.is_empty())
    }

    /// `n = 40, k = 3` from `use 40, 3`, with the names that the statement gives its variables.
    fn values(&self) -> Option<String> {
        let proof = self.proof.as_deref()?;
        let after = proof.split_once("negate_state").map_or(proof, |(_, after)| after);
        let plain = |value: &&str| {
            let tactics = ["by", "fun", "λ", "rfl"];
            !value.is_empty()
                && value.len() <= 40
                && !value.contains(['_', '?', '⟨', '⟩', '!', ';'])
                && !value.split_whitespace().any(|word| tactics.contains(&word))
        };
        let given = code_lines(after).find_map(|line| {
            let line = line.trim_start_matches(['·', ' ']).trim_end_matches(';');
            let starts = ["use ", "exists ", "refine ⟨", "exact ⟨", "refine' ⟨", "⟨"];
            let line = starts.into_iter().find_map(|start| line.strip_prefix(start))?;
            let values = top_level_parts(line.trim_end_matches('⟩'));
            let values: Vec<&str> = values.into_iter().take_while(plain).collect();
            (!values.is_empty()).then_some(values)
        });
        let instances_too = given.is_some();
        let given = given.or_else(|| {
            let values: Vec<&str> = applied(proof)?.into_iter().take_while(plain).collect();
            (!values.is_empty()).then_some(values)
        })?;
        let all = trivial::variables(&self.statement);
        let is_instance = |(name, of): &&(&str, Vec<&str>)| *name == "_" && of.is_empty();
        let variables = all.iter().filter(|one| instances_too || !is_instance(one));
        let mut said = Vec::with_capacity(given.len());
        for (value, (name, of)) in given.into_iter().zip(variables) {
            if value.starts_with("inferInstance") && *name == "_" {
                continue;
            }
            if trivial::is_condition(of) || (*name == "_" && !of.is_empty()) {
                break;
            }
            // A value that cannot be of this variable shows that they do not go together.
            if !may_be_of(value, of) {
                return None;
            }
            said.push(if *name == "_" { value.to_owned() } else { format!("{name} = {value}") });
        }
        (!said.is_empty()).then(|| text::clean(&said.join(", ")))
    }
}

/// What the hypothesis that a proof of a negation takes in is applied to for the first time: `40` in `h 40`.
fn applied(proof: &str) -> Option<Vec<&str>> {
    let tokens = lean::code(proof);
    let name = |at: usize| tokens.get(at).map(|token| token.text(proof));
    let at = (0..tokens.len()).find(|at| matches!(name(*at), Some("intro" | "fun")))?;
    let taken = name(at + 1).filter(|taken| *taken != "⟨")?;
    let uses = (at + 2..tokens.len()).filter(|at| name(*at) == Some(taken));
    uses.map(|at| arguments(proof, &tokens, at + 1)).find(|given| !given.is_empty())
}

/// The terms that stand behind a function, in its line.
fn arguments<'a>(text: &'a str, tokens: &[Token], mut at: usize) -> Vec<&'a str> {
    let mut found = Vec::new();
    while let Some((before, first)) =
        at.checked_sub(1).and_then(|it| tokens.get(it)).zip(tokens.get(at))
    {
        let is_apart = text
            .get(before.end..first.start)
            .is_some_and(|gap| !gap.is_empty() && !gap.contains('\n'));
        let is_term = matches!(first.kind, TokenKind::Open | TokenKind::Ident | TokenKind::Number);
        if !is_apart || !is_term {
            break;
        }
        let length = lean::closing(tokens.get(at..).unwrap_or_default()).unwrap_or_default();
        let Some(last) = tokens.get(at + length) else { break };
        let term = text.get(first.start..last.end).unwrap_or_default();
        let inner = term.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
        found.push(inner.unwrap_or(term));
        at += length + 1;
    }
    found
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

const CHOICES: [&str; 6] = ["consider", "choose", "let's take", "let's set", "take ", "let $"];

fn names_a_choice(comment: &str) -> bool {
    let lower = comment.to_lowercase();
    lower.contains("counterexample") || CHOICES.iter().any(|cue| lower.contains(cue))
}

/// Not what stands right above the refuted theorem: it says what is claimed and not why it fails. Above a helper, only
/// what chooses something, unless all is wanted; of docstrings, those of definitions.
fn comments<'a>(
    outline: &'a Outline,
    text: &'a str,
    all: bool,
) -> impl Iterator<Item = String> + 'a {
    let mut declared = outline.declarations.iter();
    let claim = declared.clone().find(|one| negates(one, text)).or(declared.next_back());
    let told = outline.comments.iter().filter_map(move |comment| {
        let words = text.get(comment.clone())?;
        // Lines of one comment are comments of their own.
        let is_rest = |line: &str| line.trim().is_empty() || line.trim().starts_with("--");
        let above = outline.declarations.iter().find(|one| {
            let doc = one.doc_span.as_ref().map_or(one.span.start, |doc| doc.start);
            let ends_above = |start: usize| {
                text.get(comment.end..start).is_some_and(|gap| gap.lines().all(is_rest))
            };
            doc == comment.start || ends_above(doc) || ends_above(one.span.start)
        });
        let is_told = match above {
            Some(one) if Some(one) == claim => false,
            Some(one) if is_theorem(one) => all || names_a_choice(words),
            Some(_) => true,
            None => !words.starts_with("/--"),
        };
        is_told.then_some(words)
    });
    told.map(|comment| {
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
        let words = comments(&inner, text, false).collect();
        let built = built(declaration, text, outline);
        found.push(Refuted {
            line: Some(declaration.line),
            words,
            built,
            ..from_code(declaration, text)
        });
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
        let (binders, claim) = parted(one, &note.text)?;
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

/// What stands before and behind the colon of a statement.
pub(super) fn parted<'a>(declaration: &Declaration, text: &'a str) -> Option<(&'a str, &'a str)> {
    let signature = declaration.signature(text);
    let tokens = lean::code(signature);
    let colon = lean::outside(signature, &tokens, ":").next()?;
    Some((signature.get(..colon.start)?.trim(), signature.get(colon.end..)?.trim()))
}

/// `∀ ..` of a theorem that states `¬ ∀ ..` and takes nothing for granted.
pub(super) fn denied<'a>(declaration: &Declaration, text: &'a str) -> Option<&'a str> {
    let ("", claim) = parted(declaration, text)? else { return None };
    let inner = claim.strip_prefix('¬')?.trim_start();
    let tokens = lean::code(inner);
    let is_closed = inner.starts_with('(') && lean::closing(&tokens)? + 1 == tokens.len();
    let inner = if is_closed { inner.get(1..inner.len() - 1)?.trim() } else { inner };
    inner.starts_with('∀').then_some(inner)
}

/// Whether the name or the docstring of a theorem says that something is false.
pub(super) fn tells_of_failure(theorem: &Theorem<'_>) -> bool {
    const WORDS: &str = "false fails fail wrong untrue refuted refutes disproved disproves disproven counterexample";
    let name = last_part(theorem.name).to_lowercase();
    let said = text::spaced(theorem.doc.as_deref().unwrap_or_default());
    name.starts_with("not_")
        || ["_false", "_counterexample", "_fails"].iter().any(|end| name.ends_with(end))
        || said.split(' ').any(|word| text::is_among(word, WORDS))
        || ["not true", "does not hold", "not hold in general", "need not"]
            .iter()
            .any(|it| said.contains(it))
}

/// What main theorems deny: `∀ ..` where `¬ ∀ ..` is proved, and said to be a refutation.
pub(super) fn denials(reading: &Reading<'_>) -> Vec<Refuted> {
    let text = reading.text;
    let is_sure = |theorem: &&Theorem<'_>| {
        theorem.is_main
            && theorem.verdict == Verdict::Proven
            && theorem.assuming.is_none()
            && !reading.on_gap.contains_key(last_part(theorem.name))
            && (reading.is_called_false() || tells_of_failure(theorem))
    };
    let is_sound =
        reading.is_answered() && reading.overview.axioms.is_empty() && reading.doubts.is_empty();
    let sure = reading.theorems.iter().filter(is_sure).filter(|_| is_sound);
    sure.filter_map(|theorem| {
        let claim = denied(theorem.declaration, text)?;
        Some(refutation(reading, theorem, format!("example : {claim}")))
    })
    .collect()
}

/// The counterexample of a main theorem `∃ ..` that is said to refute something.
pub(super) fn instance(reading: &Reading<'_>, theorem: &Theorem<'_>) -> Option<String> {
    let ("", claim) = parted(theorem.declaration, reading.text)? else { return None };
    let claim = claim.strip_prefix('∃').filter(|_| theorem.is_main && tells_of_failure(theorem))?;
    // Its variables are read like those of `∀`.
    refutation(reading, theorem, format!("example : ∀{claim}")).counterexample()
}

fn refutation(reading: &Reading<'_>, theorem: &Theorem<'_>, statement: String) -> Refuted {
    let (text, outline, declaration) = (reading.text, reading.outline, theorem.declaration);
    let body = declaration.body_span.clone().unwrap_or_default();
    let inside = outline.comments.iter().filter(|c| body.start <= c.start && c.end <= body.end);
    let inner = Outline { comments: inside.cloned().collect(), ..Outline::default() };
    // Its docstring says that something fails, and may say where: `take ..`.
    let told = theorem.doc.iter().filter_map(|doc| {
        let lower = doc.to_lowercase();
        let at = CHOICES.iter().filter_map(|cue| lower.find(cue)).min()?;
        Some(text::capitalised(doc.get(at..)?))
    });
    Refuted {
        name: None,
        statement,
        line: Some(declaration.line),
        proof: declaration.body(text).map(|body| body.trim().to_owned()),
        words: comments(&inner, text, false).chain(told).collect(),
        whole: true,
        by: Some(theorem.name.to_owned()),
        built: built(declaration, text, outline),
    }
}

/// The docstrings of the definitions that its proof speaks of and its statement does not.
fn built(declaration: &Declaration, text: &str, outline: &Outline) -> Vec<String> {
    let stated: Vec<&str> = lean::words(declaration.statement(text)).collect();
    let used: Vec<&str> = lean::words(declaration.body(text).unwrap_or_default()).collect();
    let is_new = |name: &str| {
        let has = |words: &[&str]| words.iter().any(|word| names(name, word));
        has(&used) && !has(&stated)
    };
    let is_definition = |one: &&Declaration| matches!(one.kind, DeclKind::Def | DeclKind::Abbrev);
    let definitions = outline.declarations.iter().filter(is_definition);
    let new = definitions.filter(|one| one.name.as_deref().is_some_and(is_new));
    new.filter_map(|one| Some(text::one_line(&doc(one, text, outline)?))).collect()
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
        by: None,
        built: Vec::new(),
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
    let words = comments(inner, code, false).collect();
    let mut found = Refuted { words, ..from_code(refuted, code) };
    if found.counterexample().is_none() {
        found.words = comments(inner, code, true).collect();
    }
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
        by: None,
        built: Vec::new(),
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
