//! What was proved when the session began: it stays guarded, also when it is deleted first and
//! added again without its proof.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::fmt::Write as _;

use super::axioms;
use super::failing::Failing;
use super::harmless_changes::is_reworded;
use super::progress;
use super::rules::Rule;
use crate::lean::{self, Change, ChangeKind, Comparison, Declaration, GapKind, Note, Outline};
use crate::text::{clip_middle, one_line};

const STATEMENT_WIDTH: usize = 160;

/// The declarations of a file at one moment, as far as they have names, and behind them those of other files that were
/// brought here; empty where nothing is known. Keys of statements are read where they are asked for: to read all of a
/// large file's costs more than the rest of an edit.
#[derive(Debug, Clone, Default)]
pub struct Baseline(Vec<First>);

#[derive(Debug, Clone)]
struct First {
    /// Of another file.
    name: Option<String>,
    text: String,
    declarations: Vec<Declaration>,
}

#[derive(Debug, Clone, Copy)]
struct Declared<'b> {
    first: &'b First,
    one: &'b Declaration,
    name: &'b str,
}

impl<'b> Declared<'b> {
    fn key(self) -> u64 {
        key(self.one, &self.first.text)
    }

    fn statement(self) -> &'b str {
        self.one.signature(&self.first.text)
    }

    fn body(self) -> Option<&'b str> {
        self.one.body(&self.first.text).filter(|_| self.one.kind.is_proof())
    }

    /// Of what was proved.
    fn proof(self) -> Option<&'b str> {
        self.body().filter(|_| self.one.is_proved())
    }

    /// Whether its proof rested on an axiom of its file.
    fn rested(self, axioms: &HashSet<String>) -> bool {
        // Only the declarations are kept, and mentions are read with all of an outline.
        !axioms.is_empty() && {
            let outline = lean::skim(&self.first.text);
            !axioms::uses((&self.first.text, &outline), self.one, axioms).is_empty()
        }
    }

    /// Of what was open.
    fn code(self) -> Option<&'b str> {
        self.body().filter(|_| !self.one.is_complete())
    }
}

/// Something that was proved when the session began and comes back as less.
pub(super) struct Back<'c> {
    pub(super) rule: Rule,
    /// What it was called.
    pub(super) name: String,
    pub(super) change: &'c Change,
    pub(super) detail: String,
    pub(super) proof: Option<String>,
}

impl Baseline {
    pub fn of(text: &str) -> Self {
        Self::read(text, lean::skim(text).declarations)
    }

    /// Where the file was in the beginning what it was before a change.
    pub fn before(comparison: &Comparison<'_>) -> Self {
        let declarations = comparison.old.outline().declarations.clone();
        Self::read(comparison.old.text(), declarations)
    }

    fn read(text: &str, declarations: Vec<Declaration>) -> Self {
        Self(vec![First { name: None, text: text.to_owned(), declarations }])
    }

    /// Takes in what was brought here from another file, by its name and first text.
    pub(super) fn take_in<'d>(
        &mut self,
        (file, text): (&str, &str),
        declarations: impl Iterator<Item = &'d Declaration>,
    ) {
        if self.0.is_empty() {
            return;
        }
        let own: HashSet<&str> = self.declared().map(|one| one.name).collect();
        let is_new =
            |one: &&Declaration| one.name.as_deref().is_some_and(|name| !own.contains(name));
        let declarations = declarations.filter(is_new).cloned().collect();
        self.0.push(First { name: Some(file.to_owned()), text: text.to_owned(), declarations });
    }

    fn declared(&self) -> impl DoubleEndedIterator<Item = Declared<'_>> {
        self.0.iter().flat_map(|first| {
            let named = |one| Some(Declared { first, one, name: one.name.as_deref()? });
            first.declarations.iter().filter_map(named)
        })
    }

    fn proved(&self) -> impl DoubleEndedIterator<Item = Declared<'_>> {
        self.declared().filter(|one| one.proof().is_some())
    }

    /// Whether the old declaration of a change came into the file after the session began: neither its name was there,
    /// nor its statement under a name that is gone. Where nothing is known of the beginning, nothing is new.
    pub(super) fn is_new_here(&self, old: &Declaration, comparison: &Comparison<'_>) -> bool {
        let Some(name) = old.name.as_ref().filter(|_| !self.0.is_empty()) else {
            return false;
        };
        let key = key(old, comparison.old.text());
        let here = comparison.old.outline().declarations.iter();
        let here: HashSet<&str> = here.filter_map(|one| one.name.as_deref()).collect();
        let gone = |one: Declared<'_>| !here.contains(one.name) && one.key() == key;
        !self.declared().any(|one| one.name == name) && !self.declared().any(gone)
    }

    pub fn is_empty(&self) -> bool {
        self.proved().next().is_none()
    }

    /// Whether all that was proved is still declared in a text, under its name.
    pub(super) fn is_all_in(&self, outline: &Outline) -> bool {
        let declarations = outline.declarations.iter();
        let names: HashSet<&str> = declarations.filter_map(|one| one.name.as_deref()).collect();
        self.proved().all(|proved| names.contains(proved.name))
    }

    /// Whether it is known that no declaration of this full name was complete.
    pub fn began_without(&self, name: &str) -> bool {
        let named = self.declared().rfind(|one| one.name == name);
        !self.0.is_empty() && !named.is_some_and(|one| one.one.is_complete())
    }

    /// Whether a change takes from a declaration nothing that it had here: neither a proof nor code of an open one, but
    /// where Lean reported an error in it. What is gone may be the same under another name.
    pub fn is_kept(&self, name: &str, comparison: &Comparison<'_>, failing: &Failing) -> bool {
        let Some((first, others)) = self.0.split_first() else { return false };
        let here = comparison.old.outline().declarations.iter();
        let here: HashSet<&str> = here.filter_map(|one| one.name.as_deref()).collect();
        let mut same = first.declarations.iter().filter(|one| match one.name.as_deref() {
            Some(own) => own == name || (one.kind.is_proof() && !here.contains(own)),
            None => false,
        });
        let mut now = comparison.new.outline().declarations.iter();
        let now = now.find(|one| one.name.as_deref() == Some(name));
        let body = now.and_then(|now| now.body(comparison.new.text())).unwrap_or_default();
        let is_brought = |one: &Declaration| {
            one.name.as_deref().is_some_and(|own| lean::last_part(own) == lean::last_part(name))
        };
        here.contains(name)
            && !others.iter().any(|other| other.declarations.iter().any(is_brought))
            && same.all(|one| {
                let code = one.body(&first.text).unwrap_or_default();
                failing.has(one, &first.text)
                    || (!one.is_complete() && progress::is_kept(code, body))
            })
    }

    /// What the session changed up to a text. `None` where this is its first change, or the beginning is not known.
    pub(super) fn since<'c>(&'c self, comparison: &'c Comparison<'_>) -> Option<Comparison<'c>> {
        let first = self.0.first().filter(|first| first.text != comparison.old.text())?;
        Some(Comparison::of(&first.text, comparison.new.text()))
    }

    /// Whether a statement says, against the beginning of the session, the same or more; or reads as it did then, and
    /// follows the new names that the session gave to definitions which are otherwise as they were.
    pub(super) fn is_followed(
        &self,
        change: &Change,
        comparison: &Comparison<'_>,
        since: &Comparison<'_>,
    ) -> bool {
        let pair = since.pairs.iter().find(|(_, new)| Some(*new) == change.new);
        let first = pair.and_then(|(first, _)| since.old.outline().declarations.get(*first));
        let (Some(first), Some(old)) = (first, comparison.old_of(change)) else { return false };
        let mut changes = since.changes.iter();
        let own =
            changes.find(|one| one.new == change.new && one.change == ChangeKind::StatementChanged);
        let note = own.map(|own| own.note);
        let is_respelled = || own.is_some_and(|own| since.is_respelled(own));
        let as_it_was = || first.signature(self.text()) == old.signature(comparison.old.text());
        first.name == old.name
            && (note.is_none_or(|note| is_mild(note, since)) || is_respelled())
            && (note != Some(Note::Renames) || as_it_was())
    }

    /// The body that a declaration had when the session began, and whether it was proved; where nothing is known of the
    /// beginning, it was, with a body that is not known.
    pub(super) fn first_body(&self, name: &str) -> Option<(&str, bool)> {
        if self.0.is_empty() {
            return Some(("", true));
        }
        let one = self.declared().rfind(|one| one.name == name)?;
        let proof = one.proof().map(|proof| (proof, true));
        proof.or_else(|| one.code().map(|code| (code, false)))
    }

    /// The code of an open declaration of the beginning, or of one that rested on an axiom, that comes back without it.
    fn open_again(
        &self,
        new: &Declaration,
        kept: &Kept<'_>,
        axioms: &HashSet<String>,
        moved: &progress::Moved<'_>,
    ) -> Option<Declared<'_>> {
        let key = || self::key(new, kept.text);
        let mut all = self.declared().rev();
        let first = all.find(|one| Some(one.name) == new.name.as_deref() && one.key() == key())?;
        let body = new.body(kept.text).unwrap_or_default();
        let rested = || first.proof().filter(|_| first.rested(axioms));
        let code = first.code().or_else(rested)?;
        progress::is_lost(code, body, moved).then_some(first)
    }

    /// What the file was; empty where that is not known.
    pub(super) fn text(&self) -> &str {
        self.0.first().map_or("", |first| &first.text)
    }

    pub(super) fn proved_otherwise(&self, name: &str, proof: &str) -> bool {
        let proved = self.named(name).and_then(Declared::proof);
        proved.is_some_and(|proved| proved.trim() != proof.trim())
    }

    /// What comes back as less than it was when the session began, where the declaration of a name `says_less`.
    pub(super) fn back<'c, 'x>(
        &self,
        comparison: &'c Comparison<'_>,
        says_less: impl Fn(&str) -> bool,
        axioms: impl Fn() -> &'x HashSet<String>,
    ) -> Vec<Back<'c>> {
        if self.declared().next().is_none() {
            return Vec::new();
        }
        let kept = Kept::of(comparison);
        let back = comparison.changes.iter().filter_map(|change| {
            let new = comparison.new_of(change)?;
            let kind = change.change;
            let comes = matches!(kind, ChangeKind::Added | ChangeKind::Renamed | ChangeKind::Moved);
            let (rule, proved) = if comes && new.is_complete() {
                (Rule::StatementChanged, self.restated(new, &kept, &says_less)?)
            } else if kind == ChangeKind::Added || leaves_a_search(comparison, change) {
                let moved = || progress::moved(comparison, Some(change));
                let lost = self.lost(new, &kept).filter(|lost| !lost.rested(axioms()));
                let lost = lost.map(|lost| (Rule::ProofLost, lost));
                let again = || self.open_again(new, &kept, axioms(), &moved());
                let open = || Some((Rule::ProgressLost, again()?));
                lost.or_else(open)?
            } else {
                return None;
            };
            let was = if rule == Rule::ProgressLost { "begun" } else { "proved" };
            let mut detail = format!("it was {was} when the session began");
            if let Some(file) = &proved.first.name {
                write!(detail, ", in `{file}`").ok();
            }
            if rule == Rule::StatementChanged {
                let said = |statement| clip_middle(&one_line(statement), STATEMENT_WIDTH);
                let (was, is) = (said(proved.statement()), said(new.signature(kept.text)));
                write!(detail, ", as `{was}`, and comes back as `{is}`").ok();
            } else if new.name.as_deref() != Some(proved.name) {
                let name = new.name.as_deref().unwrap_or("another declaration");
                write!(detail, ", and `{name}` has its statement with a gap").ok();
            }
            let proof = proved.proof().or_else(|| proved.code()).map(str::to_owned);
            let name = proved.name.to_owned();
            Some(Back { rule, name, change, detail, proof })
        });
        back.collect()
    }

    /// What a declaration without a proof proved under its name or with its statement, unless the
    /// text still has it under another name.
    fn lost(&self, declaration: &Declaration, kept: &Kept<'_>) -> Option<Declared<'_>> {
        let key = key(declaration, kept.text);
        let named = declaration.name.as_deref().and_then(|name| self.named(name));
        if named.is_some_and(|proved| proved.key() == key) {
            return named;
        }
        let mut gone = self.proved().rev().filter(|proved| !kept.has_as_it_was(*proved));
        let lost = named.or_else(|| gone.find(|proved| proved.key() == key));
        lost.filter(|proved| !kept.has(proved.key()))
    }

    /// What a proved declaration said, if it says something else now and nothing in the text says
    /// what it said.
    fn restated(
        &self,
        declaration: &Declaration,
        kept: &Kept<'_>,
        here_less: impl Fn(&str) -> bool,
    ) -> Option<Declared<'_>> {
        let name = declaration.name.as_deref().filter(|_| declaration.kind.is_proof())?;
        let proved = self.named(name)?;
        let differs = proved.key() != key(declaration, kept.text) && !kept.has(proved.key());
        let says_less = || match &proved.first.name {
            Some(_) => says_less(&Comparison::of(&proved.first.text, kept.text), name),
            None => here_less(name),
        };
        (differs && says_less()).then_some(proved)
    }

    fn named(&self, name: &str) -> Option<Declared<'_>> {
        self.proved().rfind(|proved| proved.name == name)
    }
}

struct Kept<'c> {
    text: &'c str,
    proved: Vec<&'c Declaration>,
    keys: OnceCell<HashSet<u64>>,
    statements: OnceCell<HashSet<(&'c str, &'c str)>>,
}

impl<'c> Kept<'c> {
    fn of(comparison: &'c Comparison<'_>) -> Self {
        let declarations = comparison.new.outline().declarations.iter();
        let proved = declarations.filter(|one| one.is_proved()).collect();
        let text = comparison.new.text();
        let (keys, statements) = Default::default();
        Self { text, proved, keys, statements }
    }

    fn has(&self, key: u64) -> bool {
        let keys = || self.proved.iter().map(|one| self::key(one, self.text)).collect();
        self.keys.get_or_init(keys).contains(&key)
    }

    /// Whether it is proved under the same name, with the same statement to the letter.
    fn has_as_it_was(&self, proved: Declared<'_>) -> bool {
        let said = |one: &&'c Declaration| Some((one.name.as_deref()?, one.signature(self.text)));
        let statements = || self.proved.iter().filter_map(said).collect();
        let statements = self.statements.get_or_init(statements);
        statements.contains(&(proved.name, proved.statement()))
    }
}

/// Whether a statement is another one than in the beginning, and not only written in another way or stronger.
pub(super) fn says_less(since: &Comparison<'_>, name: &str) -> bool {
    let changed = |change: &Change| {
        change.change == ChangeKind::StatementChanged && change.name.as_deref() == Some(name)
    };
    since.changes.iter().any(|change| changed(change) && !is_mild(change.note, since))
}

/// Whether a statement with this note says the same as in the beginning, or more.
fn is_mild(note: Note, since: &Comparison<'_>) -> bool {
    match note {
        Note::Renames => !since.changes.iter().any(is_redefined),
        note => is_reworded(note) || note == Note::Stronger,
    }
}

/// Whether a definition has another name and is not what it was either.
fn is_redefined(change: &Change) -> bool {
    let defines = change.kind.is_some_and(|kind| !kind.is_proof());
    let is_named = matches!(change.change, ChangeKind::Renamed | ChangeKind::Moved);
    let says_the_same = matches!(change.note, Note::Renames | Note::Wording);
    defines && change.new_name.is_some() && !is_named && !says_the_same
}

/// Whether a search for a proof makes way for another gap.
fn leaves_a_search(comparison: &Comparison<'_>, change: &Change) -> bool {
    // All that is missing is what a search would find.
    let searches = |one: &Declaration| {
        !one.gaps.is_empty() && one.gaps.iter().all(|gap| gap.kind == GapKind::SearchTactic)
    };
    comparison.old_of(change).is_some_and(searches)
        && comparison.new_of(change).is_some_and(|new| !new.is_complete() && !searches(new))
}

pub(super) fn key(declaration: &Declaration, text: &str) -> u64 {
    lean::statement_key(declaration.signature(text))
}

/// Whether it matters to a change what was there when the session began: it could bring that back as
/// less, or restate what is younger.
pub fn may_be_back(comparison: &Comparison<'_>) -> bool {
    comparison.changes.iter().any(|change| match change.change {
        ChangeKind::Added => {
            let new = comparison.new_of(change);
            new.is_some_and(|new| new.kind.is_proof() || !new.is_complete())
        }
        ChangeKind::Renamed | ChangeKind::Moved => change.new_name.is_some(),
        // What it speaks of may have been something else, or stood otherwise what is left to it.
        ChangeKind::StatementChanged
        | ChangeKind::Proved
        | ChangeKind::ProofLost
        | ChangeKind::GapAdded => true,
        _ => leaves_a_search(comparison, change),
    })
}

pub fn is_lockable(comparison: &Comparison<'_>) -> bool {
    comparison.changes.iter().any(|change| match change.change {
        ChangeKind::StatementChanged
        | ChangeKind::Removed
        | ChangeKind::Renamed
        | ChangeKind::Moved => change.name.is_some(),
        // A locked statement may speak of the definition.
        ChangeKind::ProofChanged => change.kind.is_some_and(|kind| !kind.is_proof()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_began_without() {
        let text = "def whole := 3\ndef half : Nat := sorry\ntheorem proved : 1 = 1 := rfl\n\
                    theorem later : 1 = 1 := sorry\n";
        let first = Baseline::of(text);
        let began =
            ["whole", "half", "proved", "later", "new"].map(|name| first.began_without(name));
        assert_eq!(began, [false, true, false, true, true]);
        assert!(!Baseline::default().began_without("new"), "nothing is known");
    }
}
