//! Where a statement ends and its body begins.

use super::kind::DeclKind;
use super::sig::Sig;
use super::token::TokenKind;
use super::word::Word;

/// The cut between statement and body, as indices of lexemes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) statement_end: usize,
    pub(super) body: usize,
}

/// Finds the first `:=`, `where`, `deriving`, or `|` of an equation outside of brackets. A `:=` of
/// `let` or `have` inside the statement is not the one.
#[derive(Default)]
pub(super) struct Search {
    is_type: bool,
    next: usize,
    depth: isize,
    lets: usize,
    funs: usize,
    matches: usize,
    /// An absolute value `|x|` is open.
    bar_open: bool,
    equation: Option<usize>,
    found: Option<Cut>,
}

impl Search {
    pub(super) fn new(kind: DeclKind, from: usize) -> Self {
        Self { is_type: kind.is_type(), next: from, ..Self::default() }
    }

    pub(super) fn go(&mut self, sigs: &[Sig]) -> Option<Cut> {
        while let (None, Some(sig)) = (self.found, sigs.get(self.next)) {
            let index = self.next;
            self.next += 1;
            self.depth += sig.depth_change();
            if self.depth > 0 {
                continue;
            }
            self.depth = 0;
            let previous = index.checked_sub(1).and_then(|i| sigs.get(i));
            self.found = self.step(index, sig, previous);
        }
        self.found
    }

    pub(super) fn is_done(&self) -> bool {
        self.found.is_some()
    }

    fn step(&mut self, index: usize, sig: &Sig, previous: Option<&Sig>) -> Option<Cut> {
        match sig.word {
            Word::Let => self.lets += 1,
            Word::Fun => self.funs += 1,
            Word::Match => self.matches += 1,
            Word::Assign if self.lets > 0 => self.lets -= 1,
            Word::Assign => return Some(Cut { statement_end: index, body: index + 1 }),
            Word::Where | Word::Deriving => return Some(at(index)),
            Word::Pipe if self.is_type => return Some(at(index)),
            Word::Pipe => self.bar(index, sig, previous),
            Word::Arrow if self.funs > 0 => self.funs -= 1,
            Word::Arrow => return self.equation.map(at),
            _ => {}
        }
        None
    }

    fn bar(&mut self, index: usize, sig: &Sig, previous: Option<&Sig>) {
        let after_operator = previous.is_some_and(|p| p.kind == TokenKind::Symbol);
        if self.bar_open {
            self.bar_open = false;
        } else if after_operator && !sig.first {
            self.bar_open = true;
        } else if self.equation.is_none() && self.matches == 0 {
            self.equation = Some(index);
        }
    }
}

fn at(index: usize) -> Cut {
    Cut { statement_end: index, body: index }
}
