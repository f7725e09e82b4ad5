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
    let mut reader = Reader { tokens: Tokens::read(text, lexemes), bound: HashSet::new() };
    for at in 0..lexemes.len() {
        reader.look(at);
    }
    reader.bound
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    bound: HashSet<&'a str>,
}

impl<'a> Reader<'a> {
    fn spelling(&self, at: usize) -> &'a str {
        self.tokens.spelling(at)
    }

    fn is_name(&self, at: usize) -> bool {
        self.tokens.is_name(at) && !self.spelling(at).contains('.')
    }

    fn bind(&mut self, at: usize) {
        if self.is_name(at) {
            self.bound.insert(self.spelling(at));
        }
    }

    fn look(&mut self, at: usize) {
        let word = self.spelling(at);
        match word {
            "|" => self.pattern(at + 1, How::Alternative),
            "let" | "letI" | "have" | "haveI" | "intro" | "intros" | "rintro" | "obtain"
            | "suffices" | "replace" | "set" | "choose" | "ext" | "funext" | "rename_i"
            | "next" | "case" | "with" | "for" | "peel" | "intro'" | "introv" => {
                self.pattern(at + 1, How::Pattern);
            }
            "if" | "by_cases" | "generalize" | "cases" | "cases'" | "rcases" | "induction"
            | "induction'" | "match" | "interval_cases" | "wlog"
                if self.spelling(at + 2) == ":" =>
            {
                self.bind(at + 1);
            }
            "theorem" | "lemma" | "def" | "abbrev" | "instance" | "example" | "structure"
            | "class" | "inductive" | "axiom" | "opaque" | "problem" | "irreducible_def"
            | "proof_wanted" => {
                let name = usize::from(self.tokens.kind(at + 1) == Some(TokenKind::Ident));
                self.pattern(at + 1 + name, How::Signature);
            }
            "variable" | "variables" => self.pattern(at + 1, How::Signature),
            // A field, a local definition.
            _ if matches!(self.spelling(at + 1), ":" | ":=") && self.tokens.is_first(at) => {
                self.bind(at);
            }
            // `x ← e`
            "←" if at > 0 && self.tokens.is_first(at - 1) => self.bind(at - 1),
            _ if quantifier(word).is_some() => self.pattern(at + 1, How::Pattern),
            _ => {}
        }
    }

    fn pattern(&mut self, start: usize, how: How) {
        let mut found = Vec::new();
        let (mut depth, mut arrow) = (0usize, false);
        // The depth at which a type or a class is passed over.
        let mut typed: Option<usize> = None;
        for at in start..start + LONGEST_PATTERN {
            let spelling = self.spelling(at);
            let kind = self.tokens.kind(at);
            if depth == 0
                && self.tokens.is_first(at)
                && !(how == How::Signature && kind == Some(TokenKind::Open))
            {
                break;
            }
            match kind {
                None => break,
                Some(TokenKind::Open) => {
                    depth += 1;
                    let is_class = spelling == "[" && self.spelling(at + 2) != ":";
                    typed = typed.or(is_class.then_some(depth));
                }
                Some(TokenKind::Close) if depth == 0 => break,
                Some(TokenKind::Close) => {
                    depth -= 1;
                    typed = typed.filter(|typed| *typed <= depth);
                }
                Some(_) if typed.is_some() => {}
                Some(_) => match spelling {
                    "↦" => {
                        arrow = depth == 0;
                        break;
                    }
                    ":" | ":=" if depth > 0 => typed = Some(depth),
                    "," if depth == 0 => break,
                    "," | "|" | "_" => {}
                    "←" | "<|" | "using" | "only" | "generalizing" | ":" | ":=" | ";" | "<;>"
                    | "·" | "#" => break,
                    _ if is_keyword(spelling) || (depth == 0 && is_predicate(spelling)) => break,
                    _ if self.is_name(at) => found.push(spelling),
                    _ => {}
                },
            }
        }
        if arrow || how != How::Alternative {
            self.bound.extend(found);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Pattern,
    /// One that counts if an arrow follows.
    Alternative,
    Signature,
}
