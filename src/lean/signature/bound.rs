//! Names that a text binds for itself, in statements and in proofs: variables, hypotheses, patterns,
//! fields.

use std::collections::HashSet;

use super::lexemes::Tokens;
use super::spelling::{is_keyword, is_predicate, quantifier};
use crate::lean::sig::Sig;
use crate::lean::token::TokenKind;

/// Longer patterns and signatures are not read to their end.
const LONGEST_PATTERN: usize = 1_000;

pub(in crate::lean) fn names<'a>(text: &'a str, lexemes: &[Sig]) -> HashSet<&'a str> {
    let tokens = Tokens::read(text, lexemes);
    let bound = (0..tokens.len()).flat_map(|at| bound_at(&tokens, at));
    bound.collect()
}

fn is_name(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.is_name(at) && !tokens.spelling(at).contains('.')
}

fn bound_at<'a>(tokens: &Tokens<'a>, at: usize) -> Vec<&'a str> {
    let word = tokens.spelling(at);
    let one = |at: usize| {
        if is_name(tokens, at) { vec![tokens.spelling(at)] } else { Vec::new() }
    };
    match word {
        // An alternative counts if an arrow follows.
        "|" => {
            Some(pattern(tokens, at + 1, false)).filter(|(_, arrow)| *arrow).unwrap_or_default().0
        }
        "let" | "letI" | "have" | "haveI" | "intro" | "intros" | "rintro" | "obtain"
        | "suffices" | "replace" | "set" | "choose" | "ext" | "funext" | "rename_i" | "next"
        | "case" | "with" | "for" | "peel" | "intro'" | "introv" => {
            pattern(tokens, at + 1, false).0
        }
        "if" | "by_cases" | "generalize" | "cases" | "cases'" | "rcases" | "induction"
        | "induction'" | "match" | "interval_cases" | "wlog"
            if tokens.spelling(at + 2) == ":" =>
        {
            one(at + 1)
        }
        "theorem" | "lemma" | "def" | "abbrev" | "instance" | "example" | "structure" | "class"
        | "inductive" | "axiom" | "opaque" | "problem" | "irreducible_def" | "proof_wanted" => {
            let name = usize::from(tokens.kind(at + 1) == Some(TokenKind::Ident));
            pattern(tokens, at + 1 + name, true).0
        }
        "variable" | "variables" => pattern(tokens, at + 1, true).0,
        // A field, a local definition.
        _ if matches!(tokens.spelling(at + 1), ":" | ":=") && tokens.is_first(at) => one(at),
        // `x ← e`
        "←" if at > 0 && tokens.is_first(at - 1) => one(at - 1),
        _ if quantifier(word).is_some() => pattern(tokens, at + 1, false).0,
        _ => Vec::new(),
    }
}

/// The names of a pattern, and whether an arrow follows. Of a signature brackets may begin a line.
fn pattern<'a>(tokens: &Tokens<'a>, start: usize, is_signature: bool) -> (Vec<&'a str>, bool) {
    let mut found = Vec::new();
    let mut depth = 0usize;
    // The depth at which a type or a class is passed over.
    let mut typed: Option<usize> = None;
    for at in start..start + LONGEST_PATTERN {
        let spelling = tokens.spelling(at);
        let Some(kind) = tokens.kind(at) else { break };
        let goes_on = is_signature && kind == TokenKind::Open;
        if depth == 0 && tokens.is_first(at) && !goes_on {
            break;
        }
        match kind {
            TokenKind::Open => {
                depth += 1;
                let is_class = spelling == "[" && tokens.spelling(at + 2) != ":";
                typed = typed.or(is_class.then_some(depth));
            }
            TokenKind::Close if depth == 0 => break,
            TokenKind::Close => {
                depth -= 1;
                typed = typed.filter(|typed| *typed <= depth);
            }
            _ if typed.is_some() => {}
            _ => match spelling {
                "↦" => return (found, depth == 0),
                ":" | ":=" if depth > 0 => typed = Some(depth),
                "," if depth == 0 => break,
                "," | "|" | "_" => {}
                "←" | "<|" | "using" | "only" | "generalizing" | ":" | ":=" | ";" | "<;>" | "·"
                | "#" => break,
                _ if is_keyword(spelling) || (depth == 0 && is_predicate(spelling)) => break,
                _ if is_name(tokens, at) => found.push(spelling),
                _ => {}
            },
        }
    }
    (found, false)
}
