//! One of the two texts, with the prints by which its declarations are recognised.

use std::collections::HashMap;
use std::ops::Range;

use super::context::{self, Context};
use crate::lean::kind::DeclKind;
use crate::lean::normal::{self, Lexeme, StatementPrint};
use crate::lean::records::{Declaration, Outline};
use crate::lean::scanner::outline;

/// A text, read.
#[derive(Debug)]
pub(super) struct Version<'a> {
    pub(super) text: &'a str,
    pub(super) outline: Outline,
    pub(super) lexemes: Vec<Lexeme>,
    /// One for each declaration of the outline.
    pub(super) prints: Vec<Print>,
    /// Declarations by full name; of several the last.
    pub(super) by_name: HashMap<String, usize>,
}

/// What a declaration is recognised by.
#[derive(Debug, Default)]
pub(super) struct Print {
    pub(super) family: Family,
    pub(super) statement: StatementPrint,
    /// The lexemes of the statement, from after the name on.
    pub(super) signature: Range<usize>,
    /// The body's print and its number of lexemes.
    pub(super) body: Option<(u64, usize)>,
    pub(super) context: Context,
}

/// Kinds that may become each other without another meaning of the statement.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// `theorem`, `lemma`, `axiom`, `proof_wanted`, ...: a statement, proved or not.
    #[default]
    Claim,
    Example,
    /// `def`, `abbrev`, `opaque`, ...
    Value,
    Instance,
    Alias,
    /// A kind of its own.
    Type(DeclKind),
}

impl Family {
    fn of(kind: DeclKind) -> Self {
        match kind {
            DeclKind::Theorem
            | DeclKind::Lemma
            | DeclKind::Problem
            | DeclKind::Axiom
            | DeclKind::ProofWanted
            | DeclKind::TheoremWanted => Self::Claim,
            DeclKind::Example => Self::Example,
            DeclKind::Def
            | DeclKind::Abbrev
            | DeclKind::IrreducibleDef
            | DeclKind::Determine
            | DeclKind::Opaque
            | DeclKind::DefWanted => Self::Value,
            DeclKind::Instance | DeclKind::InstanceWanted => Self::Instance,
            DeclKind::Alias => Self::Alias,
            kind => Self::Type(kind),
        }
    }
}

impl<'a> Version<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let outline = outline(text);
        let lexemes = normal::lexemes(text);
        let mut prints: Vec<Print> =
            outline.declarations.iter().map(|d| print(text, &lexemes, d)).collect();
        context::add(text, &lexemes, &outline, &mut prints);
        let names = outline.declarations.iter().enumerate();
        let by_name = names.filter_map(|(index, d)| Some((d.name.clone()?, index))).collect();
        Self { text, outline, lexemes, prints, by_name }
    }

    pub(super) fn declaration(&self, index: usize) -> Option<&Declaration> {
        self.outline.declarations.get(index)
    }
}

/// The last part of a full name; dots inside guillemets do not divide.
pub(super) fn last_part(name: &str) -> &str {
    let end = if name.ends_with('»') { name.rfind('«').unwrap_or(0) } else { name.len() };
    let dot = name.get(..end).and_then(|head| head.rfind('.'));
    dot.and_then(|dot| name.get(dot + 1..)).unwrap_or(name)
}

fn print(text: &str, lexemes: &[Lexeme], declaration: &Declaration) -> Print {
    let own = own_names(text, declaration);
    let mut range = normal::within(lexemes, &declaration.statement_span);
    range.start = match &declaration.name_span {
        Some(name) => normal::within(lexemes, name).end.clamp(range.start, range.end),
        None => (range.start + 1).min(range.end),
    };
    let statement = normal::statement(text, lexemes, range.clone(), &own);
    let body = declaration.body_span.as_ref().map(|span| {
        let body = lexemes.get(normal::within(lexemes, span)).unwrap_or_default();
        let prints = body.iter().map(|l| if own.contains(&l.print) { 1 } else { l.print });
        (normal::print_all(prints), body.len())
    });
    Print {
        family: Family::of(declaration.kind),
        statement,
        signature: range,
        body,
        context: Context::default(),
    }
}

/// The prints of the spellings under which a declaration may speak of itself.
fn own_names(text: &str, declaration: &Declaration) -> Vec<u64> {
    let Some(name) = &declaration.name else { return Vec::new() };
    let written = declaration.name_span.clone().and_then(|span| text.get(span));
    let mut own: Vec<u64> = [Some(name.as_str()), written, Some(last_part(name))]
        .into_iter()
        .flatten()
        .map(normal::print_of)
        .collect();
    own.dedup();
    own
}
