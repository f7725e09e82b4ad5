//! A text with its declarations, recognised by what they say. Signatures are read where they are asked
//! for.

use std::cell::OnceCell;
use std::fmt;
use std::str::FromStr;

use super::fold::How;
use super::lexemes::{Tokens, part, within};
use super::scope::{self, Around, Scopes, Variable};
use super::spelling::{print_all, print_of};
use super::term::{Abbreviation, Binder, Kind, Parser};
use super::{KEY_VERSION, Signature};
use crate::lean::kind::DeclKind;
use crate::lean::records::{Declaration, Outline};
use crate::lean::scanner::{outline, skim};
use crate::lean::sig::Sig;
use crate::model::last_part;
use crate::text::{ByNumber, is_among};

/// A statement that reaches more definitions is told apart by the first of them.
const MOST_DEFINITIONS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub version: u32,
    pub print: u64,
    /// Of the file's definitions that the statement speaks of; 0 where it speaks of none.
    pub definitions: u64,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:016x}.{:016x}", self.version, self.print, self.definitions)
    }
}

impl FromStr for Key {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(3, '.');
        let version = parts.next().and_then(|part| part.parse().ok()).ok_or(())?;
        let mut print =
            || parts.next().and_then(|part| u64::from_str_radix(part, 16).ok()).ok_or(());
        Ok(Self { version, print: print()?, definitions: print()? })
    }
}

#[derive(Debug)]
pub struct Statements<'a> {
    pub(in crate::lean) text: &'a str,
    pub outline: Outline,
    pub(in crate::lean) scopes: Scopes,
    /// The lexemes outside of the declarations.
    between: Vec<Sig>,
    parts: Vec<Parts<'a>>,
    /// The last declaration of each name, by its print.
    by_name: ByNumber<u64, usize>,
}

/// What is read of a declaration when it is first asked for: of most in a large file nothing ever is.
#[derive(Debug, Default)]
struct Parts<'a> {
    statement: OnceCell<Part>,
    body: OnceCell<Part>,
    signature: OnceCell<Box<Signature<'a>>>,
}

/// A statement or a body.
#[derive(Debug)]
pub(in crate::lean) struct Part {
    pub(in crate::lean) all: Vec<Sig>,
    /// Of their spellings; the declaration's own names count as one word.
    pub(in crate::lean) print: u64,
}

/// The first of the kinds that may become each other without another meaning of the statement.
const fn family(kind: DeclKind) -> DeclKind {
    use DeclKind as Kind;
    match kind {
        Kind::Lemma | Kind::Problem | Kind::Axiom | Kind::ProofWanted | Kind::TheoremWanted => {
            Kind::Theorem
        }
        Kind::Abbrev | Kind::IrreducibleDef | Kind::Determine | Kind::Opaque | Kind::DefWanted => {
            Kind::Def
        }
        Kind::InstanceWanted => Kind::Instance,
        kind => kind,
    }
}

impl<'a> Statements<'a> {
    pub fn of(text: &'a str) -> Self {
        Self::read_text(text, skim(text))
    }

    /// The same with an outline that says all that [`crate::lean::outline`] says.
    pub fn detailed(text: &'a str) -> Self {
        Self::read_text(text, outline(text))
    }

    fn read_text(text: &'a str, outline: Outline) -> Self {
        let between = between(text, &outline);
        let scopes = Scopes::read(text, &between, &outline);
        let names = outline.declarations.iter().enumerate();
        let names = names.filter_map(|(index, one)| Some((print_of(one.name.as_deref()?), index)));
        let by_name = names.collect();
        let parts = outline.declarations.iter().map(|_| Parts::default()).collect();
        Self { text, outline, scopes, between, parts, by_name }
    }

    pub(in crate::lean) fn family(&self, index: usize) -> DeclKind {
        self.declaration(index).map_or(DeclKind::Theorem, |one| family(one.kind))
    }

    /// The lexemes of a statement behind the name of the declaration.
    pub(in crate::lean) fn statement(&self, index: usize) -> Option<&Part> {
        let one = self.declaration(index)?;
        let cell = &self.parts.get(index)?.statement;
        Some(cell.get_or_init(|| {
            let mut all = part(self.text, &one.statement_span);
            let name = one.name_span.as_ref();
            let start = name.map_or(1, |name| within(&all, name).end).min(all.len());
            all.drain(..start);
            self.lexemes(one, all)
        }))
    }

    pub(in crate::lean) fn body(&self, index: usize) -> Option<&Part> {
        let one = self.declaration(index)?;
        let span = one.body_span.as_ref()?;
        let cell = &self.parts.get(index)?.body;
        Some(cell.get_or_init(|| self.lexemes(one, part(self.text, span))))
    }

    fn lexemes(&self, declaration: &Declaration, all: Vec<Sig>) -> Part {
        let own: Vec<u64> = own_names(self.text, declaration).into_iter().map(print_of).collect();
        let prints = super::prints(self.text, &all);
        let print = print_all(prints.map(|one| if own.contains(&one) { 1 } else { one }));
        Part { all, print }
    }

    pub(in crate::lean) fn declaration(&self, index: usize) -> Option<&Declaration> {
        self.outline.declarations.get(index)
    }

    pub fn text(&self) -> &'a str {
        self.text
    }

    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The place of a declaration of this text in its outline.
    pub fn index_of(&self, declaration: &Declaration) -> Option<usize> {
        let start = declaration.span.start;
        self.outline.declarations.iter().position(|one| one.span.start == start)
    }

    pub fn signature(&self, index: usize) -> Option<&Signature<'a>> {
        let cell = &self.parts.get(index)?.signature;
        Some(cell.get_or_init(|| Box::new(self.read(index))))
    }

    /// Its signature without what is around it.
    fn own_signature(&self, index: usize) -> Signature<'a> {
        let lexemes = self.statement(index).map_or(&[][..], |statement| &statement.all);
        let own = self.declaration(index).map_or_else(Vec::new, |one| own_names(self.text, one));
        Signature::read(self.text, lexemes, own)
    }

    fn read(&self, index: usize) -> Signature<'a> {
        let lexemes = self.statement(index).map_or(&[][..], |statement| &statement.all);
        let mut signature = self.own_signature(index);
        let Some(around) = self.scopes.around.get(index) else { return signature };
        let (print, taken) = self.variables(index, around, &signature.refers);
        let variables: Vec<Binder<'a>> =
            taken.iter().filter_map(|one| self.variable(one)).collect();
        signature.taken = variables.len();
        signature.binders.splice(0..0, variables);
        signature.around = print;
        signature.whole &= around.is_known();
        signature.notation = self.scopes.meanings(self.text, around, lexemes);
        signature
    }

    /// The names of a statement that Lean binds by itself: a letter with or without a number, that is a
    /// type or of one, and that nothing in the file is called.
    pub(in crate::lean) fn auto_bound(&self, index: usize) -> Vec<&'a str> {
        let around = self.scopes.around.get(index);
        let Some((signature, around)) = self.signature(index).zip(around) else {
            return Vec::new();
        };
        let is_free = |name: &str| {
            is_auto_bound(name)
                && signature.is_of_type(name)
                && !self.scopes.is_variable(print_of(name), around)
                && self.resolve(index, name).is_none()
        };
        signature.refers.iter().copied().filter(|name| is_free(name)).collect()
    }

    /// The `variable`s that a declaration takes in which speaks of some names, and their print.
    fn variables(&self, index: usize, around: &Around, refers: &[&str]) -> (u64, Vec<&Variable>) {
        let body = scope::names(self.text, self.definition(index).unwrap_or_default());
        self.scopes.taken(around, refers.iter().flat_map(|name| scope::prints(name)).chain(body))
    }

    /// The brackets of the `variable`s that a declaration takes in, each once.
    pub(in crate::lean) fn taken(&self, index: usize) -> Vec<&[Sig]> {
        let around = self.scopes.around.get(index);
        let Some((around, signature)) = around.zip(self.signature(index)) else {
            return Vec::new();
        };
        let (_, taken) = self.variables(index, around, &signature.refers);
        let mut groups: Vec<_> = taken.into_iter().map(|one| one.group.clone()).collect();
        groups.dedup();
        groups.into_iter().filter_map(|group| self.between.get(group)).collect()
    }

    /// What a declaration states in one line: the `variable`s that it takes in, and all behind its name.
    pub fn spelled(&self, index: usize) -> Option<String> {
        let own = self.statement(index)?;
        let around = self.scopes.around.get(index)?;
        let (_, taken) = self.variables(index, around, &self.own_signature(index).refers);
        let mut out = String::new();
        let mut end = None;
        let mut write = |lexeme: &Sig| {
            if end != Some(lexeme.start()) && !(out.is_empty() || out.ends_with(['(', '{', '⦃']))
            {
                out.push(' ');
            }
            out.push_str(lexeme.text(self.text));
            end = Some(lexeme.end());
        };
        for group in taken.chunk_by(|one, other| one.group == other.group) {
            let lexemes = self.between.get(group.first()?.group.clone())?;
            let colon = lexemes.iter().position(|one| one.text(self.text) == ":");
            let names = 1..colon.unwrap_or(lexemes.len().saturating_sub(1));
            // Of several names in one bracket those that it takes in.
            let is_left = |at: usize| {
                names.len() > 1 && names.contains(&at) && group.iter().all(|one| one.nth + 1 != at)
            };
            let is_instance = lexemes.first().is_some_and(|one| one.text(self.text) == "[");
            let lexemes = lexemes.iter().enumerate();
            lexemes.filter(|(at, _)| is_instance || !is_left(*at)).for_each(|(_, one)| write(one));
        }
        own.all.iter().for_each(write);
        Some(out)
    }

    fn variable(&self, taken: &Variable) -> Option<Binder<'a>> {
        let lexemes = self.between.get(taken.group.clone())?;
        let tokens = Tokens::read(self.text, lexemes);
        let binders = Parser::new(&tokens).group()?;
        binders.get(taken.nth).or(binders.first()).cloned()
    }

    /// The body of what is not only proved by it.
    fn definition(&self, index: usize) -> Option<&[Sig]> {
        let defines = !self.family(index).is_proof();
        self.body(index).filter(|_| defines).map(|body| body.all.as_slice())
    }

    /// The declaration of the file that a name means in the statement of a declaration.
    pub(in crate::lean) fn resolve(&self, user: usize, name: &str) -> Option<usize> {
        let around = self.scopes.around.get(user)?;
        let own = self.declaration(user)?.name.as_deref();
        let meanings = around.meanings(name, around.namespace_of(own));
        meanings.iter().find_map(|meaning| self.by_name.get(&print_of(meaning)).copied())
    }

    /// The key of a declaration: of what it states, up to the names of what it binds, with the
    /// `variable`s that it takes in and the definitions of the file that it speaks of, directly or by
    /// others of them. Of a definition also what it defines.
    pub fn key(&self, index: usize) -> Option<Key> {
        self.signature(index)?;
        let mut reached = vec![index];
        let mut prints = Vec::new();
        let mut at = 0;
        while let Some(&one) = reached.get(at) {
            at += 1;
            let (print, names) = self.shallow(one)?;
            prints.push(print);
            for name in names {
                let meant = self.resolve(one, name);
                let new = meant.filter(|meant| !reached.contains(meant));
                reached.extend(new.filter(|_| reached.len() < MOST_DEFINITIONS));
            }
        }
        let definitions = prints.get(1..).filter(|reached| !reached.is_empty());
        let definitions = definitions.map_or(0, |reached| print_all(reached.iter().copied()));
        Some(Key { version: KEY_VERSION, print: print_all(prints), definitions })
    }

    /// For each name that a declaration speaks of, in its statement and, if it is not only proved by it, in its body:
    /// the full names that it may mean, in Lean's order.
    pub fn speaks_of(&self, index: usize) -> Vec<Vec<String>> {
        let around = self.scopes.around.get(index);
        let Some((around, (_, names))) = around.zip(self.shallow(index)) else { return Vec::new() };
        let own = self.declaration(index).and_then(|one| one.name.as_deref());
        let namespace = around.namespace_of(own);
        names.into_iter().map(|name| around.meanings(name, namespace)).collect()
    }

    /// What a name stands for that means an `abbrev` of the file in a statement, if that takes nothing that is left out.
    pub(in crate::lean) fn abbreviation(
        &self,
        user: usize,
        name: &'a str,
    ) -> Option<Abbreviation<'a>> {
        let index = self.resolve(user, name)?;
        let is_short = self.declaration(index)?.kind == DeclKind::Abbrev;
        let signature = self.signature(index).filter(|one| is_short && one.notation == 0)?;
        let tokens = Tokens::read(self.text, self.definition(index)?);
        let body = Parser::new(&tokens).proposition(0..tokens.len());
        let takes = signature.binders.iter().map(|one| one.name).collect();
        let is_plain = signature.binders.iter().all(|one| one.kind == Kind::Explicit);
        let is_whole =
            signature.whole && body.whole && !matches!(tokens.spelling(0), "|" | "where");
        (is_plain && is_whole).then_some(Abbreviation { name, takes, is: body.conclusion })
    }

    /// The print of what a definition is, without why it ends and what is derived for it; `None` where not all of it
    /// is known.
    pub(in crate::lean) fn defined(&self, index: usize, how: How) -> Option<u64> {
        let (signature, body) = (self.signature(index)?, self.definition(index)?);
        let is_aside = |lexeme: &Sig| is_among(lexeme.text(self.text), ASIDE);
        let end = body.iter().position(is_aside).unwrap_or(body.len());
        let tokens = Tokens::read(self.text, body.get(..end)?);
        let body = Parser::new(&tokens).proposition(0..tokens.len());
        let mut fold = signature.fold(how);
        let parts = [signature.notation, signature.print(&mut fold), fold.print(&body.conclusion)];
        let is_read = signature.whole && body.whole && fold.is_sure();
        let is_known = how == How::Key || (is_read && signature.notation == 0);
        is_known.then(|| print_all(parts))
    }

    /// The key of a declaration without what it speaks of, and the names of that.
    pub(in crate::lean) fn shallow(&self, index: usize) -> Option<(u64, Vec<&'a str>)> {
        let signature = self.signature(index)?;
        let mut fold = signature.fold(How::Key);
        let mut parts = vec![signature.universes.len() as u64, signature.notation];
        parts.push(signature.print(&mut fold));
        if let Some(body) = self.definition(index) {
            let tokens = Tokens::read(self.text, body);
            let body = Parser::new(&tokens).proposition(0..tokens.len());
            parts.push(fold.print(&body.conclusion));
        }
        Some((print_all(parts), fold.free))
    }
}

/// What begins what stands behind a definition.
const ASIDE: &str = "termination_by decreasing_by deriving";

/// Whether Lean binds a name that nothing else binds: a small or Greek letter, and digits.
pub(super) fn is_auto_bound(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next();
    first.is_some_and(|c| c.is_ascii_lowercase() || ('α'..='ω').contains(&c))
        && chars.all(|c| c.is_ascii_digit() || ('₀'..='₉').contains(&c))
}

/// Whether a full name is this one, or this one in a namespace.
pub fn is_or_ends_in(full: &str, name: &str) -> bool {
    let namespace = full.strip_suffix(name).filter(|_| !name.is_empty());
    namespace.is_some_and(|namespace| namespace.is_empty() || namespace.ends_with('.'))
}

/// The lexemes outside of the declarations.
pub(in crate::lean) fn between(text: &str, outline: &Outline) -> Vec<Sig> {
    let mut found = Vec::new();
    let mut at = 0;
    let ends = outline.declarations.iter().map(|one| one.span.clone());
    for span in ends.chain(std::iter::once(text.len()..text.len())) {
        if text.get(at..span.start).is_some_and(|text| !text.trim_ascii().is_empty()) {
            found.extend(part(text, &(at..span.start)));
        }
        at = at.max(span.end);
    }
    found
}

/// The spellings under which a declaration may speak of itself.
fn own_names<'a>(text: &'a str, declaration: &Declaration) -> Vec<&'a str> {
    let Some(written) = declaration.name_span.clone().and_then(|span| text.get(span)) else {
        return Vec::new();
    };
    let mut own = vec![written, last_part(written)];
    own.dedup();
    own
}
