//! Names that a text binds for itself, in statements and in proofs: variables, hypotheses, patterns,
//! fields.

use std::collections::HashSet;

use super::lexemes::Lexeme;
use super::spelling::{is_keyword, is_predicate, quantifier};
use crate::lean::token::TokenKind;

/// Longer patterns are not read to their end.
const LONGEST_PATTERN: usize = 200;

/// Names that are bound anywhere among lexemes.
pub(in crate::lean) fn names<'a>(text: &'a str, lexemes: &[Lexeme]) -> HashSet<&'a str> {
    let mut reader = Reader { text, lexemes, bound: HashSet::new() };
    for at in 0..lexemes.len() {
        reader.look(at);
    }
    reader.bound
}

struct Reader<'a, 'l> {
    text: &'a str,
    lexemes: &'l [Lexeme],
    bound: HashSet<&'a str>,
}

impl<'a> Reader<'a, '_> {
    fn spelling(&self, at: usize) -> &'a str {
        self.lexemes.get(at).map_or("", |lexeme| lexeme.text(self.text))
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.lexemes.get(at).map(|lexeme| lexeme.kind)
    }

    /// Whether a lexeme is the first of its line.
    fn is_first(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.lexemes.get(before));
        let blanks = self
            .lexemes
            .get(at)
            .and_then(|here| self.text.get(before.map_or(0, Lexeme::end)..here.start()));
        blanks.is_some_and(|blanks| before.is_none() || blanks.contains('\n'))
    }

    fn is_name(&self, at: usize) -> bool {
        let name = self.spelling(at);
        self.kind(at) == Some(TokenKind::Ident) && !name.contains('.') && !is_keyword(name)
    }

    fn bind(&mut self, at: usize) {
        if self.is_name(at) {
            self.bound.insert(self.spelling(at));
        }
    }

    /// Takes in what the lexeme at an index makes bound.
    fn look(&mut self, at: usize) {
        let word = self.spelling(at);
        match word {
            "|" => self.pattern(at + 1, true),
            "let" | "letI" | "have" | "haveI" | "intro" | "intros" | "rintro" | "obtain"
            | "suffices" | "replace" | "set" | "choose" | "ext" | "funext" | "rename_i"
            | "next" | "case" | "with" | "for" | "peel" | "intro'" | "introv" => {
                self.pattern(at + 1, false);
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
                let name = usize::from(self.kind(at + 1) == Some(TokenKind::Ident));
                self.groups(at + 1 + name);
            }
            "variable" | "variables" => self.groups(at + 1),
            // A field, a local definition.
            _ if matches!(self.spelling(at + 1), ":" | ":=") && self.is_first(at) => self.bind(at),
            // `x ← e`
            "←" if at > 0 && self.is_first(at - 1) => self.bind(at - 1),
            _ if quantifier(word).is_some() => self.pattern(at + 1, false),
            _ => {}
        }
    }

    /// The names of a pattern; one of an alternative counts if an arrow follows.
    fn pattern(&mut self, start: usize, is_alternative: bool) {
        let mut found = Vec::new();
        let (mut depth, mut arrow) = (0usize, false);
        // Depths at which a type is passed over.
        let mut typed: Option<usize> = None;
        for at in start..start + LONGEST_PATTERN {
            let spelling = self.spelling(at);
            match self.kind(at) {
                None => break,
                Some(TokenKind::Open) => depth += 1,
                Some(TokenKind::Close) if depth == 0 => break,
                Some(TokenKind::Close) => {
                    depth -= 1;
                    typed = typed.filter(|typed| *typed <= depth);
                }
                Some(_) => {}
            }
            let ends = match spelling {
                "=>" | "↦" => {
                    arrow = depth == 0;
                    true
                }
                ":" if depth > 0 => {
                    typed = typed.or(Some(depth));
                    false
                }
                "," | "|" | "_" => depth == 0 && spelling != "_" && spelling != "|",
                "←" | "<|" | "$" | "using" | "only" | "generalizing" | ":" | ":=" | ";" | "<;>"
                | "·" | "#" => true,
                _ => is_keyword(spelling) || (depth == 0 && is_predicate(spelling)),
            };
            if ends || (depth == 0 && self.is_first(at)) {
                break;
            }
            if typed.is_none() && self.is_name(at) {
                found.push(spelling);
            }
        }
        if arrow || !is_alternative {
            self.bound.extend(found);
        }
    }

    /// `(a b : T) {c} [i : C] d`: groups one after the other, and names between them.
    fn groups(&mut self, start: usize) {
        let mut depth = 0usize;
        for at in start..self.lexemes.len() {
            match self.kind(at) {
                Some(TokenKind::Open) => {
                    depth += 1;
                    let names = (at + 1..).take_while(|at| {
                        depth == 1 && (self.is_name(*at) || self.spelling(*at) == "_")
                    });
                    let names = at + 1..at + 1 + names.count();
                    if self.spelling(names.end) == ":" || self.spelling(at) != "[" {
                        names.for_each(|name| self.bind(name));
                    }
                }
                Some(TokenKind::Close) => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                _ if self.is_name(at) && !self.is_first(at) => self.bind(at),
                _ if self.spelling(at) != "." => return,
                _ => {}
            }
        }
    }
}
