//! Collects what a file says is deprecated.

use super::attribute::{self, Mark};
use super::places::{File, Part};
use super::{Deprecation, Successor};
use crate::lean::header::{self, Attribute};
use crate::lean::kind::DeclKind;
use crate::lean::records::Declaration;
use crate::lean::sig::Sig;
use crate::lean::token::TokenKind;
use crate::lean::word::{Cmd, Word};

pub(super) fn find(file: &File<'_>, module: Option<&str>) -> Vec<Deprecation> {
    let mut marks = Marks { file, module, found: Vec::new() };
    for part in file.parts() {
        match part.declaration {
            Some((_, declaration)) => marks.declaration(&part, declaration),
            None => marks.command(&part),
        }
    }
    marks.found
}

struct Marks<'f, 'a> {
    file: &'f File<'a>,
    module: Option<&'f str>,
    found: Vec<Deprecation>,
}

impl<'a> Marks<'_, 'a> {
    fn declaration(&mut self, place: &Part<'_, 'a>, declaration: &Declaration) {
        let (file, text) = (self.file, self.file.text);
        let Some(name) = &declaration.name else { return };
        if declaration.kind.is_type() {
            self.members(place, declaration, name);
        }
        let head = file.between(declaration.span.start..declaration.statement_span.start);
        let attributes = header::before(head).attributes;
        // Where it has a mark of its own, one that `to_additive` hands on is for its twin.
        let (own, others): (Vec<&Attribute<'_>>, Vec<&Attribute<'_>>) =
            attributes.iter().partition(|attribute| attribute.text(text).starts_with("deprecated"));
        let mut marks = own.iter().chain(&others).flat_map(|one| attribute::marks(text, one.sigs));
        let Some(mark) = marks.next() else { return };
        if name.ends_with("._") || name == "_" {
            return;
        }
        let target = mark.new.or_else(|| alias_target(file, declaration));
        let namespace = namespace_of(declaration, name, place);
        let new = target.map(|new| file.resolve(place, new.text(text), &namespace, name));
        self.push(name.clone(), new, mark, declaration.line);
        if let Some(found) = self.found.last_mut() {
            found.protected = declaration.is(text, "protected");
        }
    }

    fn command(&mut self, place: &Part<'_, 'a>) {
        let sigs = self.file.from(place.span.start);
        let Some(at) = sigs.iter().position(|sig| sig.word != Word::Modifier) else { return };
        let command = sigs.get(at..).unwrap_or_default();
        match command.first().map(|sig| (sig.word, sig.text(self.file.text))) {
            Some((Word::Command(Cmd::Attribute), _)) => self.attribute_command(place, command),
            Some((Word::Command(Cmd::Plain), "deprecated_module")) => self.module(command),
            _ => {}
        }
    }

    fn module(&mut self, command: &[Sig]) {
        let (Some(module), [key, rest @ ..]) = (self.module, command) else { return };
        let mut mark = attribute::arguments(self.file.text, rest, false);
        let imports: Vec<&str> =
            self.file.outline.imports.iter().map(|import| import.module.as_str()).collect();
        let new = match imports.as_slice() {
            [only] => Some(Successor {
                written: (*only).to_owned(),
                full: Some((*only).to_owned()),
                candidates: Vec::new(),
            }),
            _ => None,
        };
        let instead = (imports.len() > 1).then(|| format!("import {} instead", imports.join(", ")));
        mark.message = mark.message.or(instead);
        self.push(module.to_owned(), new, mark, key.line());
    }

    /// `attribute [deprecated new (since := "...")] old₁ old₂`
    fn attribute_command(&mut self, place: &Part<'_, 'a>, command: &[Sig]) {
        let (file, text) = (self.file, self.file.text);
        let [key, list @ ..] = command else { return };
        if list.first().is_none_or(|open| open.kind != TokenKind::Open) {
            return;
        }
        let (items, length) = header::attributes(list);
        let mark = items.iter().flat_map(|item| attribute::marks(text, item.sigs)).next();
        let Some(mark) = mark else { return };
        let resolve =
            |name: &Sig, not: &str| file.resolve(place, name.text(text), place.namespace(), not);
        for (nth, name) in list.iter().skip(length).enumerate() {
            let is_name = name.kind == TokenKind::Ident && name.word == Word::Other;
            if !is_name || (nth > 0 && name.first && name.column() == 0) {
                return;
            }
            let old = resolve(name, "").name().to_owned();
            let new = mark.new.map(|new| resolve(new, &old));
            self.push(old, new, mark.clone(), key.line());
        }
    }

    /// Deprecated constructors and fields.
    fn members(&mut self, place: &Part<'_, 'a>, declaration: &Declaration, name: &str) {
        let Some(body) = declaration.body_span.clone() else { return };
        let text = self.file.text;
        let mut sigs = self.file.between(body);
        while let Some(open) = sigs.iter().position(|sig| sig.word == Word::Attribute) {
            let list = sigs.get(open..).unwrap_or_default();
            let (items, length) = header::attributes(list);
            sigs = list.get(length..).unwrap_or_default();
            let is_name = |sig: &&Sig| sig.kind == TokenKind::Ident && sig.word != Word::Modifier;
            let Some(member) = sigs.iter().take(20).find(is_name) else { continue };
            let old = [name, ".", member.text(text)].concat();
            for mark in items.iter().flat_map(|item| attribute::marks(text, item.sigs)) {
                let new = mark.new.map(|new| self.file.resolve(place, new.text(text), name, &old));
                self.push(old.clone(), new, mark, member.line());
            }
        }
    }

    fn push(&mut self, old: String, new: Option<Successor>, mark: Mark<'_>, line: usize) {
        let Mark { since, message, .. } = mark;
        let protected = false;
        self.found.push(Deprecation { old, new, since, message, line, protected });
    }
}

/// Lean reads `def A.b` as if it stood in the namespace `A`; `alias` it does not.
fn namespace_of(declaration: &Declaration, name: &str, place: &Part<'_, '_>) -> String {
    if declaration.kind == DeclKind::Alias {
        return place.namespace().to_owned();
    }
    name.rsplit_once('.').map(|(namespace, _)| namespace.to_owned()).unwrap_or_default()
}

/// `new` of `alias old := new`
fn alias_target<'a>(file: &File<'a>, declaration: &Declaration) -> Option<&'a Sig> {
    let first = file.from(declaration.body_span.clone()?.start).first()?;
    (declaration.kind == DeclKind::Alias && first.kind == TokenKind::Ident).then_some(first)
}
