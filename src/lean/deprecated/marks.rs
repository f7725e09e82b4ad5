//! Walks over a file, keeps track of namespaces, and collects what is deprecated.

use super::additive::additive_name;
use super::attribute::{self, Carrier, Mark};
use super::places::{Known, Place};
use super::{Deprecation, Successor, Via};
use crate::lean::header;
use crate::lean::kind::{DeclKind, TrustKind};
use crate::lean::records::{Declaration, Outline};
use crate::lean::sig::Sig;
use crate::lean::token::TokenKind;
use crate::lean::word::{Cmd, Word};

/// The deprecations of a file whose significant lexemes are `sigs`.
pub(super) fn find(
    text: &str,
    sigs: &[Sig],
    outline: &Outline,
    module: Option<&str>,
) -> Vec<Deprecation> {
    let known = Known::of(outline);
    let place = Place::default();
    let mut walk = Walk { text, sigs, outline, known, place, module, at: 0, found: Vec::new() };
    walk.run();
    walk.found
}

struct Walk<'a> {
    text: &'a str,
    sigs: &'a [Sig],
    outline: &'a Outline,
    known: Known<'a>,
    place: Place<'a>,
    module: Option<&'a str>,
    at: usize,
    found: Vec<Deprecation>,
}

impl<'a> Walk<'a> {
    fn run(&mut self) {
        let exit = self.outline.loose_trust.iter().find(|trust| trust.kind == TrustKind::Exit);
        let exit = exit.map_or((usize::MAX, 0), |exit| (exit.line, exit.column));
        let mut declarations = self.outline.declarations.iter().peekable();
        let mut depth = 0isize;
        while let Some(sig) = self.sigs.get(self.at) {
            if (sig.line, sig.column) >= exit {
                return;
            }
            if let Some(declaration) = declarations.next_if(|d| d.span.start <= sig.start) {
                let same = |next: &&Declaration| next.span == declaration.span;
                self.declaration(declaration);
                while let Some(next) = declarations.next_if(same) {
                    self.declaration(next);
                }
                self.at = self.index(declaration.span.end);
                depth = 0;
                continue;
            }
            depth = (depth + sig.depth_change()).max(0);
            self.at += 1;
            if depth == 0 {
                self.command(sig);
            }
        }
    }

    /// The first lexeme at or after an offset.
    fn index(&self, offset: usize) -> usize {
        self.sigs.partition_point(|sig| sig.start < offset)
    }

    /// The lexemes between two offsets.
    fn between(&self, start: usize, end: usize) -> &'a [Sig] {
        self.sigs.get(self.index(start)..self.index(end)).unwrap_or_default()
    }

    /// A word outside of declarations; `at` stands behind it.
    fn command(&mut self, sig: &'a Sig) {
        match sig.word {
            Word::Namespace | Word::Section | Word::Mutual | Word::End => self.scope(sig),
            Word::Command(Cmd::Attribute) => self.attribute_command(sig),
            Word::Command(Cmd::Plain) => match sig.text(self.text) {
                "open" => self.open(),
                "deprecated_module" => self.module(sig),
                _ => {}
            },
            _ => {}
        }
    }

    fn scope(&mut self, sig: &Sig) {
        let next = self.sigs.get(self.at).filter(|next| {
            let near = next.line == sig.line || sig.word == Word::Namespace;
            near && next.kind == TokenKind::Ident && next.word == Word::Other
        });
        let name = next.map(|next| next.text(self.text));
        match (sig.word, name) {
            (Word::Namespace, Some(name)) => {
                self.place.scopes.open_namespace(name);
            }
            (Word::End, name) if sig.first => {
                self.place.scopes.close(name);
            }
            (Word::Section, name) => self.place.scopes.open_section(name),
            (Word::Mutual, _) => self.place.scopes.open_section(None),
            _ => {}
        }
    }

    /// `open A B`, not `open scoped A`.
    fn open(&mut self) {
        while let Some(next) = self.sigs.get(self.at) {
            let word = next.text(self.text);
            let is_name = next.kind == TokenKind::Ident && next.word == Word::Other;
            if !is_name || (next.first && next.column == 0) || word == "hiding" {
                return;
            }
            self.place.open(word);
            self.at += 1;
        }
    }

    fn module(&mut self, sig: &Sig) {
        let Some(module) = self.module else { return };
        let rest = self.sigs.get(self.at..).unwrap_or_default();
        let mark = attribute::arguments_of(self.text, rest, false);
        let imports: Vec<&str> =
            self.outline.imports.iter().map(|import| import.module.as_str()).collect();
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
            line: sig.line,
            via: Via::Module,
            written: true,
        });
    }

    /// `attribute [deprecated new (since := "...")] old₁ old₂`
    fn attribute_command(&mut self, sig: &Sig) {
        let list = self.sigs.get(self.at..).unwrap_or_default();
        if list.first().is_none_or(|open| open.kind != TokenKind::Open) {
            return;
        }
        let (items, length) = header::attributes(list);
        let marks = items.iter().flat_map(|item| attribute::marks(self.text, item.sigs));
        let Some(mark) = marks.into_iter().next() else { return };
        self.at += length;
        let first = self.at;
        let namespace = self.place.namespace();
        while let Some(name) = self.sigs.get(self.at) {
            let is_name = name.kind == TokenKind::Ident && name.word == Word::Other;
            if !is_name || (self.at > first && name.first && name.column == 0) {
                return;
            }
            let resolved = self.place.resolve(&self.known, name.text(self.text), &namespace, "");
            let new = mark.new.map(|new| self.successor(new, &namespace, resolved.name()));
            self.push(resolved.name().to_owned(), new, &mark, sig.line);
            self.at += 1;
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        let Some(name) = &declaration.name else { return };
        if declaration.kind.is_type() {
            self.members(declaration, name);
        }
        let head = self.between(declaration.span.start, declaration.statement_span.start);
        let attributes = header::before(head).attributes;
        let marks: Vec<Mark<'_>> = attributes
            .iter()
            .flat_map(|attribute| attribute::marks(self.text, attribute.sigs))
            .collect();
        if marks.is_empty() || name.ends_with("._") || name == "_" {
            return;
        }
        let namespace = self.namespace_of(declaration, name);
        let direct = marks.iter().any(|mark| mark.carrier.is_none());
        for mark in &marks {
            let target = mark.new.or_else(|| self.alias_target(declaration));
            let new = target.map(|target| self.successor(target, &namespace, name));
            let line = declaration.line;
            if let Some(carrier) = mark.carrier {
                self.carried(name, new.as_ref(), mark, (carrier, line));
            }
            // A carried mark is meant for the second declaration where the first has its own.
            if mark.carrier.is_none() || !direct {
                self.push(name.clone(), new, mark, line);
            }
        }
    }

    /// Lean reads `def A.b` as if it stood in the namespace `A`; `alias` it does not.
    fn namespace_of(&self, declaration: &Declaration, name: &str) -> String {
        if declaration.kind == DeclKind::Alias {
            return self.place.namespace();
        }
        name.rsplit_once('.').map(|(namespace, _)| namespace.to_owned()).unwrap_or_default()
    }

    /// `new` of `alias old := new`
    fn alias_target(&self, declaration: &Declaration) -> Option<&'a Sig> {
        let body = declaration.body_span.clone()?;
        let first = self.sigs.get(self.index(body.start))?;
        (declaration.kind == DeclKind::Alias && first.kind == TokenKind::Ident).then_some(first)
    }

    fn successor(&self, sig: &Sig, namespace: &str, old: &str) -> Successor {
        self.place.resolve(&self.known, sig.text(self.text), namespace, old)
    }

    /// The declaration that `to_additive` makes of this one.
    fn carried(
        &mut self,
        name: &str,
        new: Option<&Successor>,
        mark: &Mark<'_>,
        (carrier, line): (Carrier<'_>, usize),
    ) {
        let explicit = carrier.name.map(|sig| sig.text(self.text));
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
        });
    }

    /// Deprecated constructors and fields.
    fn members(&mut self, declaration: &Declaration, name: &str) {
        let Some(body) = declaration.body_span.clone() else { return };
        let sigs = self.between(body.start, body.end);
        for (index, sig) in sigs.iter().enumerate() {
            if sig.word != Word::Attribute {
                continue;
            }
            let list = sigs.get(index..).unwrap_or_default();
            let (items, length) = header::attributes(list);
            let member = list
                .iter()
                .skip(length)
                .find(|sig| sig.kind == TokenKind::Ident && sig.word != Word::Modifier);
            let Some(member) = member else { continue };
            let old = [name, ".", member.text(self.text)].concat();
            for mark in items.iter().flat_map(|item| attribute::marks(self.text, item.sigs)) {
                let new = mark.new.map(|new| self.successor(new, name, &old));
                self.push(old.clone(), new, &mark, member.line);
            }
        }
    }

    fn push(&mut self, old: String, new: Option<Successor>, mark: &Mark<'_>, line: usize) {
        let via = via(new.as_ref(), mark);
        let (since, message) = (mark.since.clone(), mark.message.clone());
        self.found.push(Deprecation { old, new, since, message, line, via, written: true });
    }
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
