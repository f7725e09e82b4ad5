//! Deprecations in a Lean file: which name is old, what it is called now, since when, and why.
//!
//! Read from `@[deprecated ...]`, also where another attribute hands it on, from
//! `attribute [deprecated ...]` and from `deprecated_module`. The names that `to_additive` makes stand in
//! no file and are not known, and members of types are not looked at. What a new name means comes as
//! candidates, so that who knows all files can decide.

#[cfg(test)]
mod tests;

use super::header::attributes;
use super::kind::DeclKind;
use super::mentions::Declared;
use super::records::{Declaration, Outline};
use super::sig::Sig;
use super::signature::{Around, Scopes, lexemes};
use super::token::TokenKind;

/// Longer lists of attributes and names are not read to their end.
const LONGEST_LIST: usize = 2_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// The old name in full; for a module its name.
    pub old: String,
    /// What to use instead, as written, without `_root_.`.
    pub new: Option<String>,
    /// The full names that this may mean, in Lean's order; none where it is written in full.
    pub candidates: Vec<String>,
    pub since: Option<String>,
    pub message: Option<String>,
    pub line: usize,
    pub protected: bool,
}

/// In order. Without the `module`'s name `deprecated_module` is passed over.
pub fn deprecations(text: &str, outline: &Outline, module: Option<&str>) -> Vec<Deprecation> {
    if !text.contains("deprecated") {
        return Vec::new();
    }
    let lexemes = lexemes(text);
    let scopes = Scopes::read(text, &lexemes, outline);
    let declared = Declared::read(text, outline);
    let declarations = outline.declarations.iter().zip(&scopes.around);
    let mut found: Vec<Deprecation> =
        declarations.filter_map(|(one, around)| of_declaration(text, one, around)).collect();
    for command in &scopes.commands {
        let words = lexemes.get(command.range.clone()).unwrap_or_default();
        let Some(first) = words.first() else { continue };
        let before = found.len();
        match first.text(text) {
            "attribute" => {
                // A name at the beginning of a line looks like another command.
                let most = lexemes.len().min(command.range.start + LONGEST_LIST);
                let words = lexemes.get(command.range.start + 1..most).unwrap_or_default();
                found.extend(of_attribute(text, words, &command.around, &declared));
            }
            "deprecated_module" => {
                found.extend(module.map(|name| of_module(text, words, name, outline)));
            }
            _ => {}
        }
        found.iter_mut().skip(before).for_each(|one| one.line = first.line());
    }
    found.sort_by_key(|one| one.line);
    found
}

fn of_declaration(text: &str, declaration: &Declaration, around: &Around) -> Option<Deprecation> {
    let name = declaration.name.as_deref().filter(|name| *name != "_" && !name.ends_with("._"))?;
    let attributes = declaration.attributes.iter().filter_map(|span| text.get(span.clone()));
    let marks = attributes.filter(|one| one.contains("deprecated"));
    let marks = marks.filter_map(|one| Some((one, mark(one, &lexemes(one))?)));
    // Where it has a mark of its own, one that `to_additive` hands on is for its twin.
    let (_, mark) = marks.min_by_key(|(one, _)| !one.starts_with("deprecated"))?;
    // Lean reads `def A.b` as if it stood in the namespace `A`; `alias` it does not.
    let (namespace, target) = if declaration.kind == DeclKind::Alias {
        let body = declaration.body(text).unwrap_or_default();
        let target = lexemes(body).first().map(|first| first.text(body).to_owned());
        (&*around.inside, target)
    } else {
        (name.rsplit_once('.').map_or("", |(namespace, _)| namespace), None)
    };
    let new = mark.new.clone().or(target);
    Some(Deprecation {
        line: declaration.line,
        protected: declaration.is(text, "protected"),
        ..Deprecation { new, ..mark }.of(name, namespace, around)
    })
}

/// `[deprecated new (since := "...")] old older`, behind `attribute`.
fn of_attribute(
    text: &str,
    words: &[Sig],
    around: &Around,
    declared: &Declared,
) -> Vec<Deprecation> {
    let (list, names) = words.split_at(attributes(words).1);
    let Some(mark) = mark(text, list) else { return Vec::new() };
    let mut end = None;
    // The first one may stand at the beginning of a line, where another one would be a command.
    let names = names.iter().take_while(|name| {
        let before = end.replace(name.end()).and_then(|end| text.get(end..name.start()));
        name.kind == TokenKind::Ident && before.is_none_or(|blanks| !blanks.ends_with('\n'))
    });
    let of_name = |name: &Sig| {
        let name = name.text(text);
        let all = around.meanings(name, &around.inside);
        let old = declared.first(&all, name.contains('.'));
        mark.clone().of(old.as_deref().unwrap_or(name), &around.inside, around)
    };
    names.map(of_name).collect()
}

fn of_module(text: &str, words: &[Sig], module: &str, outline: &Outline) -> Deprecation {
    let imports: Vec<&str> = outline.imports.iter().map(String::as_str).collect();
    let mark = arguments(text, words.get(1..).unwrap_or_default());
    let several = (imports.len() > 1).then(|| format!("import {} instead", imports.join(", ")));
    let new = if let [only] = *imports { Some(only.to_owned()) } else { None };
    let message = mark.message.or(several);
    Deprecation { old: module.to_owned(), new, message, ..mark }
}

impl Deprecation {
    /// Spells the new name in full where one that it may mean is declared.
    pub fn resolve(&mut self, declared: &Declared) {
        let is_dotted = self.new.as_ref().is_some_and(|new| new.contains('.'));
        if let Some(full) = declared.first(&self.candidates, is_dotted) {
            self.new = Some(full);
            self.candidates.clear();
        }
    }

    /// Whether the new name is known in full, or there is none.
    pub fn is_exact(&self) -> bool {
        self.new.is_none() || self.candidates.is_empty()
    }

    /// What a mark says of an old name; its new name is read in a namespace.
    fn of(mut self, old: &str, namespace: &str, around: &Around) -> Self {
        old.clone_into(&mut self.old);
        if let Some(new) = self.new.take() {
            if let Some(absolute) = new.strip_prefix("_root_.") {
                self.new = Some(absolute.to_owned());
                return self;
            }
            self.candidates = around.meanings(&new, namespace);
            self.candidates.retain(|candidate| candidate != old);
            // Nothing follows itself.
            self.new = Some(new).filter(|_| !self.candidates.is_empty());
        }
        self
    }
}

fn mark(text: &str, lexemes: &[Sig]) -> Option<Deprecation> {
    let mut begins = true;
    let at = lexemes.iter().position(|one| {
        let word = one.text(text);
        let before = std::mem::replace(
            &mut begins,
            one.kind == TokenKind::Open || matches!(word, "," | ":=" | "local" | "scoped"),
        );
        before && word == "deprecated"
    })?;
    Some(arguments(text, lexemes.get(at + 1..).unwrap_or_default()))
}

/// The arguments of `deprecated` or `deprecated_module`: `new "why" (since := "...")`.
fn arguments(text: &str, lexemes: &[Sig]) -> Deprecation {
    let mut mark = Deprecation::default();
    let mut rest = lexemes.iter();
    while let Some(one) = rest.next() {
        match one.kind {
            TokenKind::Ident if mark.new.is_none() => mark.new = Some(one.text(text).to_owned()),
            TokenKind::Str => mark.message = Some(unquote(one.text(text))),
            TokenKind::Open => {
                let inside = rest.by_ref().take_while(|one| one.kind != TokenKind::Close);
                let dates = inside.filter(|one| one.kind == TokenKind::Str);
                mark.since = dates.map(|date| unquote(date.text(text))).last();
            }
            _ => break,
        }
    }
    mark
}

/// A gap, a line end and the blanks behind it, is left out.
fn unquote(literal: &str) -> String {
    let mut out = String::with_capacity(literal.len());
    let mut chars = literal.trim_matches('"').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('\n') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                Some(c) => out.push(c),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}
