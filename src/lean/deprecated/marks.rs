//! Collects what a file says is deprecated.

use super::additive::additive_name;
use super::attribute::{self, Carrier, Mark};
use super::places::{File, Part};
use super::{Deprecation, Successor, Via};
use crate::lean::header;
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
        let file = self.file;
        let Some(name) = &declaration.name else { return };
        if declaration.kind.is_type() {
            self.members(place, declaration, name);
        }
        let head = file.between(declaration.span.start..declaration.statement_span.start);
        let attributes = header::before(head).attributes;
        let marks: Vec<Mark<'_>> = attributes
            .iter()
            .flat_map(|attribute| attribute::marks(file.text, attribute.sigs))
            .collect();
        if marks.is_empty() || name.ends_with("._") || name == "_" {
            return;
        }
        let first = self.found.len();
        let namespace = namespace_of(declaration, name, place);
        let direct = marks.iter().any(|mark| mark.carrier.is_none());
        for mark in &marks {
            let target = mark.new.or_else(|| alias_target(file, declaration));
            let new = target.map(|new| self.successor(place, new, &namespace, name));
            let line = declaration.line;
            if let Some(carrier) = mark.carrier {
                self.carried(name, new.as_ref(), mark, (carrier, line));
            }
            // A carried mark is meant for the second declaration where the first has its own.
            if mark.carrier.is_none() || !direct {
                self.push(name.clone(), new, mark, line);
            }
        }
        let protected = declaration.is(file.text, "protected");
        for found in self.found.iter_mut().skip(first) {
            found.protected = protected;
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
        let mark = attribute::arguments_of(self.file.text, rest, false);
        let imports: Vec<&str> =
            self.file.outline.imports.iter().map(|import| import.module.as_str()).collect();
        let new = match imports.as_slice() {
            [only] => Some(known_as(only)),
            _ => None,
        };
        let instead = (imports.len() > 1).then(|| format!("import {} instead", imports.join(", ")));
        self.found.push(Deprecation {
            old: module.to_owned(),
            new,
            since: mark.since,
            message: mark.message.or(instead),
            line: key.line(),
            via: Via::Module,
            written: true,
            protected: false,
        });
    }

    /// `attribute [deprecated new (since := "...")] old₁ old₂`
    fn attribute_command(&mut self, place: &Part<'_, 'a>, command: &[Sig]) {
        let text = self.file.text;
        let [key, list @ ..] = command else { return };
        if list.first().is_none_or(|open| open.kind != TokenKind::Open) {
            return;
        }
        let (items, length) = header::attributes(list);
        let mark = items.iter().flat_map(|item| attribute::marks(text, item.sigs)).next();
        let Some(mark) = mark else { return };
        let namespace = place.namespace().to_owned();
        for (nth, name) in list.iter().skip(length).enumerate() {
            let is_name = name.kind == TokenKind::Ident && name.word == Word::Other;
            if !is_name || (nth > 0 && name.first && name.column() == 0) {
                return;
            }
            let old = self.file.resolve(place, name.text(text), &namespace, "");
            let new = mark.new.map(|new| self.successor(place, new, &namespace, old.name()));
            self.push(old.name().to_owned(), new, &mark, key.line());
        }
    }

    fn successor(&self, place: &Part<'_, 'a>, sig: &Sig, namespace: &str, old: &str) -> Successor {
        self.file.resolve(place, sig.text(self.file.text), namespace, old)
    }

    /// The declaration that `to_additive` makes of this one.
    fn carried(
        &mut self,
        name: &str,
        new: Option<&Successor>,
        mark: &Mark<'_>,
        (carrier, line): (Carrier<'_>, usize),
    ) {
        let explicit = carrier.name.map(|sig| sig.text(self.file.text));
        if !carrier.additive && explicit.is_none() {
            return;
        }
        let second = additive_name(name, explicit);
        if second == name {
            return;
        }
        let translate = |name: &String| {
            if carrier.additive { additive_name(name, None) } else { name.clone() }
        };
        let new = new.map(|new| Successor {
            written: translate(&new.written),
            full: new.full.as_ref().map(translate),
            candidates: new.candidates.iter().map(translate).collect(),
        });
        let via = via(new.as_ref(), mark);
        self.found.push(Deprecation {
            old: second,
            new,
            since: mark.since.clone(),
            message: mark.message.clone(),
            line,
            via,
            written: explicit.is_some(),
            protected: false,
        });
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
                let new = mark.new.map(|new| self.successor(place, new, name, &old));
                self.push(old.clone(), new, &mark, member.line());
            }
        }
    }

    fn push(&mut self, old: String, new: Option<Successor>, mark: &Mark<'_>, line: usize) {
        let via = via(new.as_ref(), mark);
        let (since, message) = (mark.since.clone(), mark.message.clone());
        let (written, protected) = (true, false);
        self.found.push(Deprecation { old, new, since, message, line, via, protected, written });
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

fn via(new: Option<&Successor>, mark: &Mark<'_>) -> Via {
    match new {
        Some(_) if mark.new.is_some() => Via::Attribute,
        Some(_) => Via::Alias,
        None if mark.message.is_some() => Via::Message,
        None => Via::Nothing,
    }
}

fn known_as(full: &str) -> Successor {
    Successor { written: full.to_owned(), full: Some(full.to_owned()), candidates: Vec::new() }
}
