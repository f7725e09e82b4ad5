//! Whether the names in a statement still mean the same declarations of the file.

use std::collections::{HashMap, HashSet};

use super::pairing::side;
use crate::lean::kind::DeclKind;
use crate::lean::sig::Sig;
use crate::lean::signature::{Statements, print_of};
use crate::lean::token::TokenKind;
use crate::model::last_part;

/// So few names are looked for one by one.
pub(super) const FEW: usize = 16;

/// Which old declaration is which new one, and the names that may have changed their meaning.
pub(super) struct Names<'v, 'a> {
    old: &'v Statements<'a>,
    new: &'v Statements<'a>,
    became: HashMap<usize, usize>,
    /// Last parts of names that came, went, changed, or stand for several declarations; and whether they do
    /// more than that: else a name means in the same scope what it meant.
    uncertain: HashMap<&'v str, bool>,
    renamed: HashSet<(&'v str, &'v str)>,
    /// The old and the new names of fields.
    fields: HashSet<(&'v str, &'v str)>,
}

/// The lexemes by which the statements of a pair differ; `None` where one has more of them.
pub(super) fn restated<'a>(
    old: &Statements<'a>,
    new: &Statements<'a>,
    pair: (usize, usize),
) -> Option<Vec<(&'a str, &'a str)>> {
    let (before, after) = (old.statement(pair.0)?, new.statement(pair.1)?);
    differing((old.text, &before.all), (new.text, &after.all))
}

/// The lexemes that differ in two texts; `None` where one has more of them.
fn differing<'a>(
    (old, before): (&'a str, &[Sig]),
    (new, after): (&'a str, &[Sig]),
) -> Option<Vec<(&'a str, &'a str)>> {
    let words = before.iter().map(|lexeme| lexeme.text(old));
    let words = words.zip(after.iter().map(|lexeme| lexeme.text(new)));
    let differ = words.filter(|(before, after)| print_of(before) != print_of(after));
    (before.len() == after.len()).then(|| differ.collect())
}

/// Whether two names are made of the same words: `OpenEmbedding` and `IsOpenEmbedding`, `Foo.Finite` and `FiniteFoo`.
pub(super) fn are_of_same_words(old: &str, new: &str) -> bool {
    let words = |name: &str| {
        let mut words: Vec<String> = vec![String::new()];
        let mut was_lower = false;
        for c in name.chars() {
            let begins = c.is_uppercase() && was_lower;
            if begins || matches!(c, '.' | '_') {
                words.push(String::new());
            }
            was_lower = c.is_lowercase() || c.is_numeric();
            let letters = c.to_lowercase().filter(|c| !matches!(c, '.' | '_'));
            words.iter_mut().last().into_iter().for_each(|word| word.extend(letters.clone()));
        }
        words.retain(|word| !matches!(word.as_str(), "" | "is"));
        words.sort_unstable();
        words
    };
    let is_name = |name: &str| name.starts_with(|c: char| c.is_alphabetic()) && name.len() > 3;
    is_name(old) && is_name(new) && words(old) == words(new)
}

/// What an alias is another name of, where the file has that; of anything else itself.
fn behind(text: &Statements<'_>, index: usize) -> usize {
    target(text, index).unwrap_or(index)
}

fn target(text: &Statements<'_>, index: usize) -> Option<usize> {
    let alias = text.declaration(index).filter(|one| one.kind == DeclKind::Alias)?;
    let target = alias.body(text.text)?.split_whitespace().next()?;
    // `alias ⟨f, g⟩ := h` names the two sides of `h`.
    let is_whole = !alias.statement(text.text).contains('⟨');
    text.resolve(index, target).filter(|_| is_whole)
}

/// The old and the new name of what stands under a new name, with an alias under the old one.
fn aliased<'v>(
    old: &'v Statements<'_>,
    new: &'v Statements<'_>,
    pairs: &[(usize, usize)],
) -> Vec<(&'v str, &'v str)> {
    let renamed = pairs.iter().filter_map(|&(before, after)| {
        let target = target(new, after)?;
        let name = old.declaration(before)?.name.as_deref()?;
        let (was, is) = (side(old, before)?, side(new, target)?);
        let same = was.family() == is.family() && was.states_as(is) && was.has_body_of(is);
        let to = new.declaration(target)?.name.as_deref()?;
        same.then(|| (last_part(name), last_part(to)))
    });
    renamed.collect()
}

/// The old and the new names of the fields of a structure that is otherwise the same. None takes the place of another.
fn fields<'v>(
    old: &'v Statements<'_>,
    new: &'v Statements<'_>,
    pair: (usize, usize),
) -> HashSet<(&'v str, &'v str)> {
    let found = || {
        let (was, is) = (side(old, pair.0)?, side(new, pair.1)?);
        let is_type = was.declaration.kind.is_type() && was.family() == is.family();
        if !is_type || !was.states_as(is) || was.has_body_of(is) {
            return None;
        }
        let (before, after) = (&old.body(pair.0)?.all, &new.body(pair.1)?.all);
        let differ: HashSet<_> =
            differing((old.text, before), (new.text, after))?.into_iter().collect();
        let sides = [named(old.text, before), named(new.text, after)];
        let is_field = |(was, is): &(&str, &str)| {
            let own = [sides[0].contains(was), sides[1].contains(was)];
            let other = [sides[0].contains(is), sides[1].contains(is)];
            own == [true, false] && other == [false, true]
        };
        let one_by_one = |side: fn(&(&'v str, &'v str)) -> &'v str| {
            differ.iter().map(side).collect::<HashSet<_>>().len() == differ.len()
        };
        let is_it = differ.iter().all(is_field) && one_by_one(|it| it.0) && one_by_one(|it| it.1);
        is_it.then_some(differ)
    };
    found().unwrap_or_default()
}

/// The names with which lines of a structure begin.
fn named<'a>(text: &'a str, body: &[Sig]) -> HashSet<&'a str> {
    let mut begins = false;
    let mut found = HashSet::new();
    for lexeme in body {
        begins = lexeme.first || begins && lexeme.kind == TokenKind::Ident;
        found.extend(Some(lexeme.text(text)).filter(|_| begins && lexeme.kind == TokenKind::Ident));
        begins |= lexeme.first && lexeme.kind == TokenKind::Open;
    }
    found
}

/// Whether `open` makes a name short that is in a namespace: `Finset`, `Finset (range)`, `Nat hiding sub`.
fn makes_short(open: &str, namespace: &str, name: &str) -> bool {
    let mut words = open.split(' ');
    let first = name.split('.').next().unwrap_or(name);
    words.next() == Some(namespace)
        && match words.next() {
            None => true,
            Some("(") => words.any(|word| word == first),
            Some("hiding") => !words.any(|word| word == first),
            Some(_) => false,
        }
}

impl<'v, 'a> Names<'v, 'a> {
    pub(super) fn new(
        old: &'v Statements<'a>,
        new: &'v Statements<'a>,
        pairs: &[(usize, usize)],
    ) -> Self {
        let became: HashMap<usize, usize> = pairs.iter().copied().collect();
        let origin: HashMap<usize, usize> = pairs.iter().map(|&(old, new)| (new, old)).collect();
        let mut renamed: HashSet<_> = aliased(old, new, pairs).into_iter().collect();
        let mut uncertain: HashMap<&str, bool> = HashMap::new();
        let (mut seen, mut full) = (HashSet::new(), HashSet::new());
        for (index, declaration) in new.outline.declarations.iter().enumerate() {
            let Some(name) = declaration.name.as_deref() else { continue };
            let before = origin.get(&index).and_then(|&index| old.declaration(index));
            let before = before.and_then(|declaration| declaration.name.as_deref());
            let (last, same) = (last_part(name), before == Some(name));
            renamed.extend(before.filter(|_| !same).map(|old| (last_part(old), last)));
            let is_alike = !seen.insert(last);
            if !full.insert(name) || !same {
                let both = before.map(last_part).into_iter().chain([last]);
                uncertain.extend(both.map(|last| (last, true)));
            } else if is_alike {
                uncertain.entry(last).or_default();
            }
        }
        let gone = old.outline.declarations.iter().enumerate();
        let gone = gone.filter(|(index, _)| !became.contains_key(index));
        let gone = gone.filter_map(|(_, one)| one.name.as_deref());
        uncertain.extend(gone.map(|name| (last_part(name), true)));
        let fields = pairs.iter().flat_map(|pair| fields(old, new, *pair)).collect();
        Self { old, new, became, uncertain, renamed, fields }
    }

    /// The lexemes by which the `variable`s differ that the statements of a pair take in.
    fn retaken(&self, (old, new): (usize, usize)) -> Option<Vec<(&'a str, &'a str)>> {
        let (before, after) = (self.old.taken(old).concat(), self.new.taken(new).concat());
        differing((self.old.text, &before), (self.new.text, &after))
    }

    /// The same but for names that were renamed, or are written longer or shorter.
    pub(super) fn only_renamed(&self, pair: (usize, usize)) -> bool {
        self.are_renamed(pair, restated(self.old, self.new, pair))
            && self.are_renamed(pair, self.retaken(pair))
    }

    pub(super) fn only_renamed_in_body(&self, pair: (usize, usize)) -> bool {
        let words = || {
            let (before, after) = (self.old.body(pair.0)?, self.new.body(pair.1)?);
            differing((self.old.text, &before.all), (self.new.text, &after.all))
        };
        !(self.renamed.is_empty() && self.fields.is_empty()) && self.are_renamed(pair, words())
    }

    fn are_renamed(&self, pair: (usize, usize), words: Option<Vec<(&str, &str)>>) -> bool {
        words.is_some_and(|words| {
            words.into_iter().all(|(old, new)| {
                self.renamed.contains(&(last_part(old), last_part(new)))
                    || self.is_of_fields(old, new)
                    || self.is_same((pair.0, old), (pair.1, new))
            })
        })
    }

    /// `x.a.b` for `x.c.b`, where `c` is a field that is called `a` now.
    fn is_of_fields(&self, old: &str, new: &str) -> bool {
        !self.fields.is_empty()
            && old.split('.').count() == new.split('.').count()
            && old
                .split('.')
                .zip(new.split('.'))
                .all(|parts| parts.0 == parts.1 || self.fields.contains(&parts))
    }

    fn is_same(&self, old: (usize, &str), new: (usize, &str)) -> bool {
        let is_free = |text: &Statements<'_>, (index, name): (usize, &str)| {
            text.signature(index).is_some_and(|signature| signature.refers.contains(&name))
        };
        is_free(self.old, old) && is_free(self.new, new) && {
            let meant = self.old.resolve(old.0, old.1).map(|meant| behind(self.old, meant));
            let means = self.new.resolve(new.0, new.1).map(|means| behind(self.new, means));
            meant.zip(means).is_some_and(|(meant, means)| self.became.get(&meant) == Some(&means))
        }
    }

    /// Whether two statements are the same but for such names, and for names that are written longer
    /// or shorter by a namespace that is opened: `open Nat in ... succ n` for `Nat.succ n`.
    pub(super) fn only_reopened(&self, pair: (usize, usize)) -> bool {
        // Whether a name is another one without a namespace that is opened.
        let is_opened = |long: &str, short: &str, text: &Statements<'_>, user: usize| {
            let head = long.strip_suffix(short).and_then(|head| head.strip_suffix('.'));
            let opens = text.scopes.around.get(user).map(|around| &around.opens);
            let mut opens = opens.into_iter().flat_map(|opens| opens.iter());
            head.is_some_and(|head| opens.any(|open| makes_short(open, head, short)))
                && text.resolve(user, short).is_none()
        };
        restated(self.old, self.new, pair).is_some_and(|words| {
            words.into_iter().all(|(old, new)| {
                is_opened(old, new, self.new, pair.1) || is_opened(new, old, self.old, pair.0)
            })
        })
    }

    /// The names of an old statement that stand for what has another name now and is otherwise the same, each with the
    /// name by which the new statement speaks of that.
    pub(super) fn followed(&self, (old, new): (usize, usize)) -> Vec<(&'a str, &'a str)> {
        let parts = self.old.signature(old).zip(self.new.signature(new));
        let Some((before, after)) = parts.filter(|_| !self.renamed.is_empty()) else {
            return Vec::new();
        };
        let gone = before.refers.iter().filter(|name| !after.refers.contains(name));
        let becomes = gone.filter_map(|name| {
            let meant = self.old.resolve(old, name)?;
            let means = *self.became.get(&meant)?;
            let (was, is) = (side(self.old, meant)?, side(self.new, means)?);
            let mut all = after.refers.iter();
            let now = all.find(|now| self.new.resolve(new, now) == Some(means))?;
            (was.states_as(is) && was.has_body_of(is)).then_some((*name, *now))
        });
        becomes.collect()
    }

    /// Whether all names of two statements mean the same, also those in whose places others stand.
    pub(super) fn are_kept(
        &self,
        (old, new): (usize, usize),
        others: &[(&'a str, &'a str)],
    ) -> bool {
        let parts = (self.old.signature(old), self.new.signature(new));
        let (Some(before), Some(after)) = parts else { return false };
        let now = |name: &&'a str| {
            let other = others.iter().find(|(was, _)| was == name);
            (*name, other.map_or(*name, |(_, is)| *is))
        };
        let is_other = |name: &&&'a str| others.iter().any(|(_, is)| is == *name);
        let come = after.refers.iter().filter(|name| !is_other(name)).map(|name| (*name, *name));
        before.refers.iter().map(now).chain(come).all(|(was, is)| {
            let is_short = |text: &Statements<'a>, user, name: &'a str, others: &[&'a str]| {
                !others.contains(&name) && text.abbreviation(user, name).is_some()
            };
            match (self.old.resolve(old, was), self.new.resolve(new, is)) {
                (None, None) => true,
                // It was read as what it stands for.
                (Some(_), _) if is_short(self.old, old, was, &after.refers) => true,
                (_, Some(_)) if is_short(self.new, new, is, &before.refers) => true,
                (Some(meant), Some(means)) => self.became.get(&meant) == Some(&means),
                _ => false,
            }
        })
    }

    /// The first name in the statement of a pair that means another declaration now: one that is
    /// new and shadows what was meant, or a different one of the file. And whether it is a new definition.
    pub(super) fn first_changed(&self, (old, new): (usize, usize)) -> Option<(&'a str, bool)> {
        // Lexemes, and then signatures, are only read where it may be so.
        let statement = self.new.declaration(new)?.statement(self.new.text);
        let scope = |text: &'v Statements<'a>, index| text.scopes.around.get(index);
        let (was, is) = (scope(self.old, old)?, scope(self.new, new)?);
        let same_scope = was.opens == is.opens && was.inside == is.inside;
        let uncertain = self.uncertain.iter().filter(|(_, moved)| **moved || !same_scope);
        let may_stand = |name: &str| statement.contains(name);
        if !uncertain.enumerate().any(|(at, (name, _))| at >= FEW || may_stand(name)) {
            return None;
        }
        let mut spellings = self.new.statement(new)?.all.iter().map(|l| l.text(self.new.text));
        let may_be = |name: &str| self.uncertain.contains_key(last_part(name));
        if !spellings.any(may_be) {
            return None;
        }
        let (before, after) = (self.old.signature(old)?, self.new.signature(new)?);
        let mut names = before.refers.iter().zip(&after.refers);
        names.find_map(|(name_old, name)| {
            if !may_be(name) || name.starts_with('.') {
                return None;
            }
            let meant = self.old.resolve(old, name_old);
            let means = self.new.resolve(new, name)?;
            let same = means == new || meant.and_then(|m| self.became.get(&m)) == Some(&means);
            let is_known = || self.became.values().any(|known| *known == means);
            let is_new = || meant.is_none() && !self.new.family(means).is_proof() && !is_known();
            (!same).then(|| (*name, is_new()))
        })
    }
}
