//! What an outline is made of. Offsets are bytes of the decoded text; lines count from 1,
//! columns count characters from 0, as Lean prints them.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

use super::kind::{DeclKind, GapKind, ProblemKind, TrustKind};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    pub is_module: bool,
    pub imports: Vec<String>,
    pub declarations: Vec<Declaration>,
    pub loose_gaps: Vec<Gap>,
    pub loose_trust: Vec<Trust>,
    pub comments: Vec<Range<usize>>,
    pub lines: usize,
    pub problems: Vec<Problem>,
}

impl Outline {
    pub fn gaps(&self) -> Vec<&Gap> {
        let inside = self.declarations.iter().flat_map(|d| &d.gaps);
        let mut gaps: Vec<&Gap> = inside.chain(&self.loose_gaps).collect();
        gaps.sort_by_key(|gap| gap.span.start);
        gaps
    }

    /// Takes the searches (`exact?`) of whole declarations for proofs: they compiled where they found something.
    pub fn trust_searches(&mut self) {
        for declaration in self.declarations.iter_mut().filter(|one| one.body_span.is_some()) {
            declaration.gaps.retain(|gap| gap.kind != GapKind::SearchTactic);
        }
    }

    pub fn trust(&self) -> Vec<&Trust> {
        let inside = self.declarations.iter().flat_map(|d| &d.trust);
        let mut trust: Vec<&Trust> = inside.chain(&self.loose_trust).collect();
        trust.sort_by_key(|marker| (marker.line, marker.column));
        trust
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    pub kind: DeclKind,
    /// Its full name through the open namespaces, guillemets kept, `private` ignored;
    /// `None` for examples and nameless instances.
    pub name: Option<String>,
    pub line: usize,
    pub end_line: usize,
    pub span: Range<usize>,
    pub name_span: Option<Range<usize>>,
    /// From the keyword to the end of the signature.
    pub statement_span: Range<usize>,
    pub body_span: Option<Range<usize>>,
    pub doc_span: Option<Range<usize>>,
    pub modifiers: Vec<Range<usize>>,
    pub attributes: Vec<Range<usize>>,
    pub gaps: Vec<Gap>,
    pub trust: Vec<Trust>,
    pub tactics: BTreeMap<String, usize>,
    /// Lines of the body that hold code; the `by` that opens it does not count.
    pub proof_lines: usize,
}

impl Declaration {
    pub fn statement<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.statement_span.clone()).unwrap_or_default()
    }

    /// From after the name on; all of the statement where there is no name.
    pub fn signature<'a>(&self, text: &'a str) -> &'a str {
        let span = &self.statement_span;
        let start = self.name_span.as_ref().map_or(span.start, |name| name.end);
        text.get(start..span.end).unwrap_or_default()
    }

    pub fn body<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.get(self.body_span.clone()?)
    }

    pub fn is(&self, text: &str, modifier: &str) -> bool {
        self.modifiers.iter().any(|span| text.get(span.clone()) == Some(modifier))
    }

    /// Whether it states something and has a finished proof.
    pub fn is_proved(&self) -> bool {
        self.kind.is_proof() && self.is_complete()
    }

    pub fn is_complete(&self) -> bool {
        let given = match self.kind {
            DeclKind::Axiom => false,
            kind if kind.is_wanted() => false,
            kind if kind.is_type() || kind == DeclKind::Opaque => true,
            _ => self.body_span.is_some(),
        };
        given && self.gaps.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gap {
    pub kind: GapKind,
    pub line: usize,
    pub column: usize,
    #[serde(skip)]
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trust {
    pub kind: TrustKind,
    pub line: usize,
    pub column: usize,
    #[serde(skip)]
    pub start: usize,
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub line: usize,
}
