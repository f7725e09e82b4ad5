//! A file with its scopes, and which full names a written name may mean at a place of it.

use std::collections::HashMap;
use std::ops::Range;

use super::Successor;
use crate::lean::records::{Declaration, Outline};
use crate::lean::sig::Sig;
use crate::lean::signature::{Around, Lexeme, Scopes, of_sigs};

/// No file opens more namespaces that matter.
const MOST_OPEN: usize = 24;

/// Longer lists of attributes are not read to their end.
const LONGEST_LIST: usize = 2_000;

/// A text with what was read of it.
pub(super) struct File<'a> {
    pub(super) text: &'a str,
    pub(super) sigs: &'a [Sig],
    pub(super) lexemes: Vec<Lexeme>,
    pub(super) outline: &'a Outline,
    scopes: Scopes,
    /// What it declares, by full name: whether it is `protected`, and whether it is a type.
    declared: HashMap<&'a str, (bool, bool)>,
}

/// A declaration, or a command by where it stands, and what is around it.
pub(super) struct Part<'f, 'a> {
    pub(super) declaration: Option<(usize, &'a Declaration)>,
    pub(super) span: Range<usize>,
    around: &'f Around,
}

impl<'a> File<'a> {
    pub(super) fn read(text: &'a str, sigs: &'a [Sig], outline: &'a Outline) -> Self {
        let lexemes = of_sigs(text, sigs.iter().copied());
        let scopes = Scopes::read(text, &lexemes, outline);
        let declared = outline.declarations.iter().filter_map(|declaration| {
            let protected = declaration.is(text, "protected");
            Some((declaration.name.as_deref()?, (protected, declaration.kind.is_type())))
        });
        let declared = declared.collect();
        Self { text, sigs, lexemes, outline, scopes, declared }
    }

    /// Its declarations and the commands between them, in order.
    pub(super) fn parts(&self) -> Vec<Part<'_, 'a>> {
        let declarations = self.outline.declarations.iter().enumerate().zip(&self.scopes.around);
        let declarations = declarations.map(|((index, declaration), around)| {
            let span = declaration.span.clone();
            Part { declaration: Some((index, declaration)), span, around }
        });
        let commands = self.scopes.commands.iter().map(|command| {
            let lexemes = self.lexemes.get(command.range.clone()).unwrap_or_default();
            let ends = lexemes.first().zip(lexemes.last());
            let span = ends.map_or(0..0, |(first, last)| first.start()..last.end());
            Part { declaration: None, span, around: &command.around }
        });
        let mut parts: Vec<Part<'_, 'a>> = declarations.chain(commands).collect();
        parts.sort_by_key(|part| part.span.start);
        parts
    }

    /// The lexemes between two offsets.
    pub(super) fn between(&self, range: Range<usize>) -> &'a [Sig] {
        let index = |offset| self.sigs.partition_point(|sig: &Sig| sig.start() < offset);
        self.sigs.get(index(range.start)..index(range.end)).unwrap_or_default()
    }

    /// The lexemes from an offset on, as many as one command may have.
    pub(super) fn from(&self, offset: usize) -> &'a [Sig] {
        let all = self.between(offset..usize::MAX);
        all.get(..all.len().min(LONGEST_LIST)).unwrap_or_default()
    }

    /// What a name means in a namespace of a part. `not` is a name that it cannot mean.
    pub(super) fn resolve(
        &self,
        part: &Part<'_, 'a>,
        written: &str,
        namespace: &str,
        not: &str,
    ) -> Successor {
        if let Some(absolute) = written.strip_prefix("_root_.") {
            let full = Some(absolute.to_owned());
            return Successor { written: written.to_owned(), full, candidates: Vec::new() };
        }
        let mut names = candidates(namespace, written);
        names.extend(part.opened().iter().map(|open| [open, ".", written].concat()));
        names.retain(|candidate| candidate != not);
        let full = self.first(&names, written.contains('.'));
        Successor { written: written.to_owned(), full, candidates: names }
    }

    /// The first candidate that the file declares and that a name, dotted or not, may mean; or else
    /// one that is a constructor, a field or another part of a type declared here.
    fn first(&self, candidates: &[String], dotted: bool) -> Option<String> {
        let visible = |name: &&String| {
            self.declared.get(name.as_str()).is_some_and(|(protected, _)| dotted || !protected)
        };
        let is_part = |name: &&String| {
            let parents = name.match_indices('.').map(|(dot, _)| &name[..dot]);
            let is_type = |parent| self.declared.get(parent).is_some_and(|(_, is_type)| *is_type);
            parents.take(20).any(is_type)
        };
        let mut all = candidates.iter();
        all.find(visible).or_else(|| candidates.iter().find(is_part)).cloned()
    }
}

impl Part<'_, '_> {
    /// The namespace around it, without a final dot; empty at the top.
    pub(super) fn namespace(&self) -> &str {
        self.around.namespace.strip_suffix('.').unwrap_or_default()
    }

    /// The namespace in which its names are read: Lean reads `def A.b` as if it stood in `A`.
    pub(super) fn inside(&self) -> &str {
        let name = self.declaration.and_then(|(_, declaration)| declaration.name.as_deref());
        name.and_then(|name| name.rsplit_once('.')).map_or(self.namespace(), |(head, _)| head)
    }

    fn opened(&self) -> Vec<String> {
        let ends = |word: &&str| !matches!(*word, "scoped" | "hiding" | "renaming" | "(");
        let names = self.around.opens.iter().flat_map(|open| open.split(' ').take_while(ends));
        let names = names.map(|name| name.strip_prefix("_root_.").unwrap_or(name));
        let mut opened: Vec<String> = Vec::new();
        for full in names.flat_map(|name| candidates(self.namespace(), name)) {
            if !opened.contains(&full) {
                opened.push(full);
            }
        }
        opened.truncate(MOST_OPEN);
        opened
    }
}

/// A name in a namespace, in those around it, and at the top.
fn candidates(namespace: &str, name: &str) -> Vec<String> {
    let ends = namespace.match_indices('.').map(|(dot, _)| dot).chain([namespace.len()]);
    let ends: Vec<usize> = ends.filter(|&end| end > 0).collect();
    let inside = ends.into_iter().rev().map(|end| [&namespace[..end], ".", name].concat());
    inside.chain([name.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tried_from_the_innermost_namespace_out() {
        assert_eq!(candidates("A.B", "x.y"), ["A.B.x.y", "A.x.y", "x.y"]);
        assert_eq!(candidates("", "x"), ["x"]);
    }
}
