//! Proof code that makes way for a gap in a declaration that is open anyway.

use std::collections::HashMap;

use crate::lean::{self, Change, ChangeKind, Comparison, TokenKind};

/// Fewer names than these are no proof code worth a word.
const LEAST_LOST: usize = 3;

/// The names of added declarations, and how often each stands there: where proof code may have moved to.
pub(super) type Moved<'a> = HashMap<&'a str, usize>;

pub(super) fn moved<'a>(comparison: &Comparison<'a>, but: Option<&Change>) -> Moved<'a> {
    let mut moved = Moved::new();
    let is_other = |one: &&Change| but.is_none_or(|but| one.new != but.new);
    let added = comparison.changes.iter().filter(|one| one.change == ChangeKind::Added);
    for change in added.filter(is_other) {
        let span = comparison.new_of(change).map(|new| new.span.clone());
        let whole = span.and_then(|span| comparison.new.text().get(span)).unwrap_or_default();
        for name in lexemes(whole).iter().filter(|(kind, _)| *kind == TokenKind::Ident) {
            *moved.entry(name.1).or_default() += 1;
        }
    }
    moved
}

/// Whether proof code of a body is gone and a gap stands in its place.
///
/// What both bodies begin and end with is left aside. Of the names in between, those count that are
/// found neither in the new code nor in new declarations; and a rewriting that brings as much as it
/// takes away is no loss.
pub(super) fn is_lost(before: &str, after: &str, moved: &Moved<'_>) -> bool {
    let (old, new) = (lexemes(before), lexemes(after));
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let old = old.get(..old.len() - tail).unwrap_or_default();
    let new_middle = new.get(..new.len() - tail).unwrap_or_default();
    let gap_follows = new.get(new.len() - tail..).and_then(<[_]>::first);
    let gaps = |list: &[(TokenKind, &str)]| list.iter().filter(|lexeme| is_gap(**lexeme)).count();
    let (gaps_old, gaps_new) = (gaps(old), gaps(new_middle));
    let code = without_sketches(old);
    let (lost, brought) = balance(&code, new_middle, moved);
    let taken = names(&code).count();
    if lost < LEAST_LOST || lost * 2 < taken {
        return false;
    }
    if gaps_new > gaps_old {
        return brought < lost;
    }
    let gap_stands = gaps_new > 0 || gap_follows.is_some_and(|lexeme| is_gap(*lexeme));
    gap_stands && brought * 4 < lost
}

/// Whether the code of an open body is still there, or what is gone is not worth a word.
pub(super) fn is_kept(before: &str, after: &str) -> bool {
    balance(&without_sketches(&lexemes(before)), &lexemes(after), &Moved::new()).0 < LEAST_LOST
}

/// The code without steps that were only stated: `have h : P := by sorry`.
fn without_sketches<'a>(code: &[(TokenKind, &'a str)]) -> Vec<(TokenKind, &'a str)> {
    let mut kept: Vec<(TokenKind, &'a str)> = Vec::with_capacity(code.len());
    // Where a step begins, and whether `:=` was its latest word but for `by`.
    let (mut step, mut proof_begins) = (None, false);
    for lexeme in code {
        kept.push(*lexeme);
        match lexeme.1 {
            "have" => (step, proof_begins) = (Some(kept.len() - 1), false),
            ":=" => proof_begins = true,
            "by" if proof_begins => {}
            _ if proof_begins => {
                if let Some(begin) = step.take().filter(|_| is_gap(*lexeme)) {
                    kept.truncate(begin);
                }
                proof_begins = false;
            }
            _ => {}
        }
    }
    kept
}

/// How many names of the old code are gone, and how many the new code brings.
fn balance(
    old: &[(TokenKind, &str)],
    new: &[(TokenKind, &str)],
    moved: &Moved<'_>,
) -> (usize, usize) {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for name in names(old) {
        counts.entry(name).or_default().0 += 1;
    }
    for name in names(new) {
        counts.entry(name).or_default().1 += 1;
    }
    let mut balance = (0, 0);
    for (name, (before, after)) in counts {
        let kept = after + moved.get(name).copied().unwrap_or(0);
        balance.0 += before.saturating_sub(kept);
        balance.1 += after.saturating_sub(before);
    }
    balance
}

fn names<'a>(lexemes: &[(TokenKind, &'a str)]) -> impl Iterator<Item = &'a str> {
    let named = lexemes.iter().filter(|lexeme| lexeme.0 == TokenKind::Ident && !is_gap(**lexeme));
    named.map(|lexeme| lexeme.1)
}

fn is_gap((kind, spelling): (TokenKind, &str)) -> bool {
    kind == TokenKind::Ident && matches!(spelling, "sorry" | "admit" | "sorryAx" | "stop")
}

fn lexemes(text: &str) -> Vec<(TokenKind, &str)> {
    lean::code(text).into_iter().map(|token| (token.kind, token.text(text))).collect()
}
