//! What a session carried from one file to another one: a proof belongs to what the file began with in which it
//! stands now, and statements follow the new name that a definition got in another file.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::baseline::{Baseline, key};
use super::judge::Finding;
use super::macros;
use super::policy::Policy;
use super::rules::{Level, Rule};
use crate::lean::{
    Change, ChangeKind, Comparison, DeclKind, Declaration, Outline, is_current, last_part,
    layout_key, skim, words,
};

/// Another file of a session: what it was when the session began, and what it is.
#[derive(Debug)]
pub struct OtherFile {
    name: String,
    first: (String, Outline),
    now: (String, Outline),
}

impl OtherFile {
    pub fn read(name: String, first: String, now: String) -> Self {
        let read = |text: String| {
            let outline = skim(&text);
            (text, outline)
        };
        Self { name, first: read(first), now: read(now) }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Elsewhere(Vec<Arc<OtherFile>>);

/// The last parts of the names of what a change brings into a file, takes out of it or renames, and the words of its
/// macros that leave a gap.
pub fn carried(comparison: &Comparison<'_>) -> BTreeSet<String> {
    let names = named(comparison, |change| match change.change {
        ChangeKind::Added | ChangeKind::Removed => true,
        _ => change.new_name.is_some(),
    });
    let new = &comparison.new;
    let of_macros = macros::gap_words(new.outline(), new.text());
    let of_macros = of_macros.iter().flat_map(|word| words(word).map(str::to_owned));
    names.into_iter().map(str::to_owned).chain(of_macros).collect()
}

/// The last parts of the names by which a change may have to do with other files.
pub fn concerns<'c>(comparison: &'c Comparison<'_>) -> BTreeSet<&'c str> {
    named(comparison, |change| {
        let is_of_body = matches!(change.change, ChangeKind::ProofChanged | ChangeKind::Proved);
        change.kind.is_some_and(DeclKind::is_proof) && !is_of_body
    })
}

/// What new proofs name that they did not name before: the parts of these names.
pub fn uses<'c>(comparison: &'c Comparison<'_>) -> BTreeSet<&'c str> {
    let (old, new) = (&comparison.old, &comparison.new);
    let mut found = BTreeSet::new();
    for change in &comparison.changes {
        if matches!(change.change, ChangeKind::ProofChanged | ChangeKind::Proved) {
            let body = |of: Option<&Declaration>, text| of.and_then(|one| one.body(text));
            let before: HashSet<&str> =
                words(body(comparison.old_of(change), old.text()).unwrap_or_default()).collect();
            let after = words(body(comparison.new_of(change), new.text()).unwrap_or_default());
            found.extend(
                after.filter(|word| !before.contains(word)).flat_map(|word| word.split('.')),
            );
        }
    }
    found
}

fn named<'c>(
    comparison: &'c Comparison<'_>,
    is_wanted: impl Fn(&Change) -> bool,
) -> BTreeSet<&'c str> {
    let changes = comparison.changes.iter().filter(|change| is_wanted(change));
    let names = changes.flat_map(|change| [change.name.as_deref(), change.new_name.as_deref()]);
    names.flatten().map(last_part).collect()
}

impl Elsewhere {
    pub fn of(files: Vec<Arc<OtherFile>>) -> Self {
        Self(files)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn now(&self) -> impl Iterator<Item = (&str, &Outline)> {
        self.0.iter().map(|file| (file.now.0.as_str(), &file.now.1))
    }

    /// Adds to what a file began with what was proved in the others, is no longer, and stands in it now.
    pub fn add_to(&self, baseline: &mut Baseline, comparison: &Comparison<'_>) {
        let own = [
            (&comparison.old.outline, comparison.old.text()),
            (&comparison.new.outline, comparison.new.text()),
        ];
        for file in &self.0 {
            let OtherFile { name: other, first: (text, first), now: (text_now, now) } = &**file;
            let gone = first.declarations.iter().filter(|one| {
                let Some(name) = one.name.as_deref().filter(|_| one.is_proved()) else {
                    return false;
                };
                let says = key(one, text);
                let alike = |outline, text| {
                    alike(outline, name).map(move |other| (other, key(other, text) == says))
                };
                let mut here = own.iter().flat_map(|(outline, text)| alike(outline, text));
                here.any(|(other, is_same)| is_same || other.name.as_deref() == Some(name))
                    && !alike(now, text_now).any(|(other, is_same)| is_same && other.is_proved())
            });
            baseline.take_in((other, text), gone);
        }
    }

    /// Says of what is taken out of a file where it stands now, and of statements that follow another file's new
    /// names that they do. What stands elsewhere without its proof has lost it.
    pub fn settle(
        &self,
        findings: &mut [Finding],
        (outline, text): (&Outline, &str),
        policy: &Policy,
    ) {
        for finding in findings.iter_mut().filter(|_| !self.is_empty()) {
            match finding.rule {
                Rule::ProofRemoved => self.settle_removed(finding, (outline, text), policy),
                Rule::StatementChanged
                    if !finding.swapped.is_empty()
                        && finding.swapped.iter().all(|(old, new)| self.is_renamed(old, new)) =>
                {
                    finding.remark(policy);
                }
                _ => {}
            }
        }
    }

    fn settle_removed(
        &self,
        finding: &mut Finding,
        (outline, text): (&Outline, &str),
        policy: &Policy,
    ) {
        let mut declarations = outline.declarations.iter();
        let old = declarations.find(|one| one.name == finding.declaration && one.is_proved());
        let Some((old, name)) = old.and_then(|old| Some((old, old.name.as_deref()?))) else {
            return;
        };
        let says = key(old, text);
        let in_now = |is_it: &dyn Fn(&Declaration, &Outline) -> bool| {
            let found = self.0.iter().find(|file| {
                let (now_text, now) = &file.now;
                alike(now, name).any(|one| key(one, now_text) == says && is_it(one, &file.first.1))
            });
            found.map(|file| &file.name)
        };
        if let Some(file) = in_now(&|one, _| one.is_proved()) {
            finding.detail = format!("it is now in `{file}`");
            return;
        }
        // What was open there when the session began has nothing to do with it.
        let is_new = |one: &Declaration, first: &Outline| {
            !first.declarations.iter().any(|other| other.name == one.name)
        };
        if let Some(file) = in_now(&|one, first| !one.is_complete() && is_new(one, first)) {
            finding.rule = Rule::ProofLost;
            finding.level = policy.level(Rule::ProofLost);
            finding.detail = format!("it is now in `{file}`, with a gap");
        }
    }

    /// Whether another file has under a new name the definition that it had under an old one.
    fn is_renamed(&self, old: &str, new: &str) -> bool {
        let names = |outline: &Outline, name: &str| alike(outline, name).next().is_some();
        self.0.iter().any(|file| {
            let ((text, first), (now_text, now)) = (&file.first, &file.now);
            let says = |one: &Declaration, text: &str| {
                let body = one.body(text).map(layout_key);
                (one.kind, key(one, text), body)
            };
            let are_same = || {
                let was: HashSet<_> = alike(first, old).map(|one| says(one, text)).collect();
                let is: HashSet<_> = alike(now, new).map(|one| says(one, now_text)).collect();
                was == is
            };
            // The old name may stay behind as another name of the new one.
            let is_alias = |one: &Declaration| {
                let target = one.body(now_text).and_then(|body| body.split_whitespace().next());
                one.kind == DeclKind::Alias && target.map(last_part) == Some(new)
            };
            names(first, old)
                && names(now, new)
                && !names(first, new)
                && alike(now, old).all(is_alias)
                && are_same()
        })
    }
}

/// Says of statements that follow what a library calls something now that they do: where it is known that it `is_moved`,
/// or where several of them replace it in the same way, none of their files has the old name any more, and no file of
/// the project `declares` either.
pub fn follow(
    findings: &mut [&mut Finding],
    policy: &Policy,
    is_moved: impl Fn(&str, &str) -> bool,
    declares: impl Fn(&[&str]) -> bool,
) {
    let replaced = findings.iter().flat_map(|finding| finding.replaced.iter().cloned());
    let replaced: Vec<(String, String)> = replaced.collect();
    let is_uniform = |pair: &(String, String)| {
        let alike = replaced.iter().filter(|other| *other == pair).count();
        let mut of_it = replaced.iter().filter(|(old, _)| *old == pair.0);
        alike > 1 && of_it.all(|other| other == pair) && !is_current(&pair.0)
    };
    let names: BTreeSet<_> = replaced.iter().filter(|pair| is_uniform(pair)).collect();
    let names: Vec<&str> = names.into_iter().flat_map(|(old, new)| [old.as_str(), new]).collect();
    let is_librarys = !names.is_empty() && !declares(&names);
    let follows = |pair: &(String, String)| {
        is_moved(&pair.0, &pair.1) || (is_librarys && replaced.contains(pair) && is_uniform(pair))
    };
    for finding in findings.iter_mut().filter(|one| one.rule == Rule::StatementChanged) {
        if !finding.swapped.is_empty() && finding.swapped.iter().all(follows) {
            finding.remark(policy);
        }
    }
}

impl Finding {
    /// What it is about deserves a remark only.
    pub fn remark(&mut self, policy: &Policy) {
        self.rule = Rule::StatementNoted;
        self.level = policy.level(Rule::StatementNoted).min(Level::Warn);
        self.replaced.clear();
    }
}

/// The declarations with the last part of a name.
fn alike<'o>(outline: &'o Outline, name: &str) -> impl Iterator<Item = &'o Declaration> {
    let last = last_part(name).to_owned();
    let is_it =
        move |one: &&Declaration| one.name.as_deref().is_some_and(|other| last_part(other) == last);
    outline.declarations.iter().filter(is_it)
}
