//! What happened to each declaration between two versions of a file. Pure and total; the time is
//! near-linear in the two texts.
//!
//! A proof is lost when a declaration was complete (`Declaration::is_complete`: a body, no gap, no
//! axiom) and is not any more; with more gaps than before it was open already, and has gaps added. A
//! gap in the statement alone (`answer(sorry)`) is a gap added. `tests.rs` has the table.
//!
//! It compares text, not meaning: a changed definition is said of the definition, not of the
//! theorems that use it, and what an imported module changed is not seen.

mod changes;
mod names;
mod pairing;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::kind::{DeclKind, TrustKind};
use super::records::{Declaration, Outline};
use super::sig::Sig;
use super::signature::{Difference, Signature, Statements, difference, noted_in};
use super::token::TokenKind;
use super::words::words;
use crate::model::last_part;
use crate::text::{one_line, vocabulary};

vocabulary! {
    ChangeKind {
        Proved = "proved",
        ProofLost = "proof_lost",
        Removed = "removed",
        Added = "added",
        /// The last part of its name changed.
        Renamed = "renamed",
        /// It stands in another namespace, or elsewhere in the order of the file.
        Moved = "moved",
        /// Its signature, its kind, or what stands around it and gives the signature its meaning.
        StatementChanged = "statement_changed",
        GapAdded = "gap_added",
        GapClosed = "gap_closed",
        TrustAdded = "trust_added",
        TrustRemoved = "trust_removed",
        ProofChanged = "proof_changed",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub change: ChangeKind,
    pub kind: Option<DeclKind>,
    /// The full name that it had; for a new one the name that it has.
    pub name: Option<String>,
    pub new_name: Option<String>,
    pub line_old: Option<usize>,
    pub line_new: Option<usize>,
    pub detail: String,
    #[serde(skip)]
    pub old: Option<usize>,
    #[serde(skip)]
    pub new: Option<usize>,
    #[serde(skip)]
    pub note: Note,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Note {
    #[default]
    Plain,
    /// Of a changed statement: the same under another keyword: an `instance` that was a `lemma`.
    Kind,
    /// Of a changed statement: only the names of bound variables differ.
    BoundNames,
    /// Of a changed statement or body: it follows the new names of other declarations of the file.
    Renames,
    /// Of a changed statement: other brackets, another order, or `variable`s; it says the same.
    Binders,
    /// Of a changed statement or definition: it says the same in other words, and is called as before.
    Wording,
    /// Of a changed statement: it asks for less or says more.
    Stronger,
    /// Of a changed statement: it reads the same, but a name in it may mean something else now.
    Names,
    /// Of a changed statement: it reads the same, but a new definition of the file has a name of it.
    Shadowed,
    Trust(TrustKind),
    /// Of a lost proof: all that is new in it are tactics that search for a proof.
    Search,
    /// Of a removed declaration: its text is still there, in a comment or behind `#exit`.
    Hidden,
}

/// Two versions of a file, and what happened between them.
#[derive(Debug)]
pub struct Comparison<'a> {
    pub old: Statements<'a>,
    pub new: Statements<'a>,
    pub pairs: Vec<(usize, usize)>,
    pub changes: Vec<Change>,
}

impl<'a> Comparison<'a> {
    pub fn of(before: &'a str, after: &'a str) -> Self {
        let (old, new) = (Statements::of(before), Statements::of(after));
        let pairs = pairing::pairs(&old, &new);
        let changes = changes::all(&old, &new, &pairs);
        Self { old, new, pairs, changes }
    }

    /// A change of the declarations of a pair.
    pub fn between(&self, change: ChangeKind, (old, new): (usize, usize)) -> Option<Change> {
        let (was, is) = (pairing::side(&self.old, old)?, pairing::side(&self.new, new)?);
        Some(Change::of(change, Some(was), Some(is), ""))
    }

    pub fn old_of(&self, change: &Change) -> Option<&Declaration> {
        self.old.outline.declarations.get(change.old?)
    }

    /// The old theorems whose statements speak of the declaration of a change, by its name or by definitions that do;
    /// of an instance, which nobody names, of what it is for.
    pub fn claims_about<'s>(&'s self, change: &'s Change) -> Vec<&'s Declaration> {
        let (old, name) = (&self.old, change.name.as_deref());
        let mut reached: HashSet<&str> = name.into_iter().collect();
        if let Some(index) = change.old.filter(|_| change.kind == Some(DeclKind::Instance)) {
            let spoken = old.signature(index).map_or(&[][..], |signature| &signature.refers);
            let meant = spoken.iter().filter_map(|name| old.resolve(index, name));
            reached.extend(meant.filter_map(|meant| old.declaration(meant)?.name.as_deref()));
        }
        claims(old, reached, |_, spoken| name.filter(|name| last_part(name) == last_part(spoken)))
    }

    /// The names by which the new statement of a change differs from the old one, each with the one in whose place it
    /// stands, if that is all. Neither is declared in the file.
    pub fn swapped(&self, change: &Change) -> Vec<(String, String)> {
        let found = || {
            let differ = self.differing(change)?;
            let (before, after) =
                (self.old.signature(change.old?)?, self.new.signature(change.new?)?);
            let is_free = |signature: &Signature<'_>, name: &str| {
                name.contains('.') || signature.refers.contains(&name)
            };
            let pairs = differ.into_iter().map(|(old, new)| {
                let (was, is) = (last_part(old), last_part(new));
                let heads = (old.strip_suffix(was), new.strip_suffix(is));
                let names = is_free(before, old) && is_free(after, new) && heads.0 == heads.1;
                (names && self.is_of_others(was, is)).then(|| (was.to_owned(), is.to_owned()))
            });
            pairs.collect::<Option<HashSet<_>>>()
        };
        if change.note == Note::Shadowed {
            return self.shadowed(change).into_iter().flatten().collect();
        }
        let mut found: Vec<_> = found().into_iter().flatten().collect();
        found.sort_unstable();
        if found.is_empty() { self.replaced(change).into_iter().collect() } else { found }
    }

    /// The names of a statement that only the new text declares, each in its own place.
    fn shadowed(&self, change: &Change) -> Option<Vec<(String, String)>> {
        let (old, new) = (change.old?, change.new?);
        let is_it = |name: &&&str| {
            self.old.resolve(old, name).is_none() && self.new.resolve(new, name).is_some()
        };
        let names = self.new.signature(new)?.refers.iter().filter(is_it);
        Some(names.map(|name| (last_part(name).to_owned(), last_part(name).to_owned())).collect())
    }

    /// The one name of the old statement of a change that the new one does not have, with what stands in its place, if
    /// otherwise they say the same or the new one says more: `‖z‖` for `Complex.abs z`.
    fn replaced(&self, change: &Change) -> Option<(String, String)> {
        let (old, new) = (change.old?, change.new?);
        let names = |text: &'a str, lexemes: &[Sig]| -> BTreeMap<&'a str, Vec<&'a str>> {
            let mut names: BTreeMap<_, Vec<_>> = BTreeMap::new();
            let all = lexemes.iter().filter(|one| one.kind == TokenKind::Ident);
            for name in all.map(|one| one.text(text)) {
                names.entry(last_part(name)).or_default().push(name);
            }
            names
        };
        let (before, after) = (self.old.statement(old)?, self.new.statement(new)?);
        let (olds, news) = (names(self.old.text, &before.all), names(self.new.text, &after.all));
        let mut gone = olds.iter().filter(|(last, _)| !news.contains_key(*last));
        let mut come = news.keys().filter(|last| !olds.contains_key(*last));
        let (Some((was, written)), None) = (gone.next(), gone.next()) else { return None };
        let (is, None) = (come.next(), come.next()) else { return None };
        let said = self.new.text.get(self.new.declaration(new)?.statement_span.clone())?;
        let candidates: Vec<&'a str> = match is {
            Some(is) => vec![*is],
            None => noted_in(said).collect(),
        };
        let (was_read, is_read) = (self.old.signature(old)?, self.new.signature(new)?);
        let is_free =
            written.iter().all(|name| name.contains('.') || was_read.refers.contains(name));
        let is = candidates.into_iter().find(|is| {
            let new_of = |name: &&'a str| {
                let head = name.strip_suffix(was)?;
                let spelled = news.get(is).and_then(|all| {
                    all.iter().find(|one| one.strip_suffix(is) == Some(head)).or(all.first())
                });
                Some((*name, spelled.copied().unwrap_or(is)))
            };
            let pairs: Option<Vec<_>> = written.iter().map(new_of).collect();
            let renamed = pairs.map(|pairs| was_read.with_names(&pairs));
            let is_mathlibs = |name: &str| !self.declares(last_part(name));
            renamed.is_some_and(|old| is_as_much(&old, is_read, is_mathlibs))
        });
        let is = is.filter(|is| is_free && self.is_of_others(was, is))?;
        Some(((*was).to_owned(), is.to_owned()))
    }

    /// Whether the new statement of a change is the old one with names in the same words, in another order or case or
    /// with an `Is`, that the whole file has and does not declare: `IsOpenEmbedding f` for `OpenEmbedding f`.
    pub fn is_respelled(&self, change: &Change) -> bool {
        let is_it = |(old, new): &(&str, &str)| {
            let (was, is) = (last_part(old), last_part(new));
            (names::are_of_same_words(old, new) || names::are_of_same_words(was, is))
                && self.is_of_others(was, is)
                && self.is_without(was)
        };
        let differ = self.differing(change).unwrap_or_default();
        !differ.is_empty() && differ.iter().all(is_it)
    }

    /// The old and the new statement of a change in a line each, with the `variable`s that they take in where these are
    /// not the same.
    pub fn statements(&self, change: &Change) -> Option<[String; 2]> {
        let (old, new) = (self.old.signature(change.old?)?, self.new.signature(change.new?)?);
        let is_around = old.around != new.around;
        let told = |all: &Statements<'_>, index: usize| {
            let one = all.declaration(index)?;
            let name = one.name_span.clone().and_then(|name| all.text.get(name));
            let spelled = all.spelled(index).filter(|_| is_around);
            let spelled = spelled.zip(name);
            let spelled = spelled.map(|(said, name)| format!("{} {name} {said}", one.kind));
            Some(spelled.unwrap_or_else(|| one_line(one.statement(all.text))))
        };
        Some([told(&self.old, change.old?)?, told(&self.new, change.new?)?])
    }

    fn differing(&self, change: &Change) -> Option<Vec<(&'a str, &'a str)>> {
        names::restated(&self.old, &self.new, (change.old?, change.new?))
    }

    fn is_of_others(&self, was: &str, is: &str) -> bool {
        !self.declares(was) && !self.declares(is)
    }

    fn declares(&self, name: &str) -> bool {
        let outlines = [&self.old.outline, &self.new.outline].into_iter();
        let mut all = outlines.flat_map(|outline| &outline.declarations);
        all.any(|one| one.name.as_deref().is_some_and(|own| last_part(own) == name))
    }

    /// Whether the new text has a name nowhere.
    pub fn is_without(&self, name: &str) -> bool {
        let says = |word: &str| word.split('.').any(|part| part == name);
        let code = without_comments(self.new.text, &self.new.outline);
        !code.iter().any(|text| text.contains(name) && words(text).any(says))
    }

    /// Whether a new theorem says at least what an old one said, in the same open namespaces.
    pub fn says_as_much(&self, old: &Declaration, new: &Declaration) -> bool {
        let sides = self.old.index_of(old).zip(self.new.index_of(new));
        let (old, new) = (&self.old, &self.new);
        sides.is_some_and(|(was, is)| {
            let around = old.scopes.around.get(was).zip(new.scopes.around.get(is));
            let both = old.signature(was).zip(new.signature(is));
            let is_mathlibs =
                |class: &str| old.resolve(was, class).is_none() && new.resolve(is, class).is_none();
            around.is_some_and(|(was, is)| was.opens == is.opens)
                && both.is_some_and(|(was, is)| is_as_much(was, is, is_mathlibs))
        })
    }

    /// What nothing can give and the new statement of a change asks for, unless the old one did too.
    pub fn impossible(&self, change: &Change) -> Option<&'static str> {
        let asked = self.new.signature(change.new?)?.impossible()?;
        let before = change.old.and_then(|old| self.old.signature(old)?.impossible());
        before.is_none().then_some(asked)
    }

    pub fn new_of(&self, change: &Change) -> Option<&Declaration> {
        self.new.outline.declarations.get(change.new?)
    }
}

/// Whether the second of two statements says the same or more.
fn is_as_much(
    old: &Signature<'_>,
    new: &Signature<'_>,
    is_mathlibs: impl Fn(&str) -> bool,
) -> bool {
    let found = difference(old, new, true, is_mathlibs);
    matches!(found, Some(Difference::Same { .. } | Difference::Stronger { .. }))
}

/// The theorems of a text whose statements speak of what was `reached`, or of definitions of the text that do;
/// `outside` is what a name means there that the text does not declare.
fn claims<'s>(
    all: &'s Statements<'_>,
    mut reached: HashSet<&'s str>,
    outside: impl Fn(usize, &str) -> Option<&'s str>,
) -> Vec<&'s Declaration> {
    let mut last_parts: HashSet<&str> = reached.iter().map(|name| last_part(name)).collect();
    let mut claims = Vec::new();
    for (index, one) in all.outline.declarations.iter().enumerate() {
        let states = all.family(index) == DeclKind::Theorem;
        let end = if states { one.statement_span.end } else { one.span.end };
        let said = all.text.get(one.statement_span.start..end).unwrap_or_default();
        // What it speaks of is only read where the name is.
        let names = |word: &str| word.split('.').any(|part| last_parts.contains(part));
        let may_be =
            last_parts.len() > names::FEW || last_parts.iter().any(|last| said.contains(last));
        let means = |spoken: &&str| match all.resolve(index, spoken) {
            Some(meant) => all.declaration(meant).and_then(|one| one.name.as_deref()),
            None => outside(index, spoken),
        };
        let own = one.name.as_deref().unwrap_or_default();
        if may_be && !reached.contains(own) && words(said).any(names) {
            let (_, spoken) = all.shallow(index).unwrap_or_default();
            if spoken.iter().filter_map(means).any(|name| reached.contains(name)) {
                claims.extend(states.then_some(one));
                let defines = !states && !own.is_empty();
                reached.extend(defines.then_some(own));
                last_parts.extend(defines.then(|| last_part(own)));
            }
        }
    }
    claims
}

/// A proved theorem of a text whose statement speaks of something with this full name that another file has.
pub fn proved_about(text: &str, name: &str) -> Option<String> {
    let all = Statements::of(text);
    let means = |user, spoken: &str| {
        let around = all.scopes.around.get(user)?;
        let own = all.declaration(user)?.name.as_deref();
        let meanings = around.meanings(spoken, around.namespace_of(own));
        meanings.iter().any(|meaning| meaning == name).then_some(name)
    };
    let claims = claims(&all, HashSet::from([name]), means);
    claims.into_iter().find(|one| one.is_proved())?.name.clone()
}

/// The pieces of a text between its comments.
fn without_comments<'a>(text: &'a str, outline: &Outline) -> Vec<&'a str> {
    let starts = std::iter::once(0).chain(outline.comments.iter().map(|one| one.end));
    let ends = outline.comments.iter().map(|one| one.start).chain([text.len()]);
    starts.zip(ends).filter_map(|(start, end)| text.get(start..end)).collect()
}
