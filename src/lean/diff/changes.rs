//! From pairs of declarations to what happened to them.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::names::Names;
use super::pairing::{Side, side, sides};
use super::{Change, ChangeKind, Note};
use crate::lean::kind::{DeclKind, GapKind, TrustKind};
use crate::lean::records::{Declaration, Gap, Outline, Trust};
use crate::lean::scanner::outline;
use crate::lean::signature::{
    Around, Difference, How, Signature, Statements, difference, is_read, surplus,
};
use crate::model::last_part;
use crate::text::{clip_middle, one_line, plural};

const WIDTH: usize = 2_000;
const VARIABLES_WIDTH: usize = 150;

pub(super) fn all<'a>(
    old: &Statements<'a>,
    new: &Statements<'a>,
    pairs: &[(usize, usize)],
) -> Vec<Change> {
    let names = Names::new(old, new, pairs);
    let reordered = reordered(pairs);
    let mut changes = Vec::new();
    for &(before, after) in pairs {
        let sides = side(old, before).zip(side(new, after));
        let Some(pair) = sides.map(|(old, new)| Pair { old, new }) else { continue };
        pair.name(reordered.contains(&before), &mut changes);
        if let Some((detail, note)) = pair.restated(&names) {
            changes.push(Change { note, ..pair.change(ChangeKind::StatementChanged, detail) });
        }
        pair.body(&names, &mut changes);
        let (before, after) = (pair.old.declaration, pair.new.declaration);
        changes.extend(trust(&before.trust, &after.trust, |kind| pair.change(kind, "")));
    }
    unpaired(old, new, pairs, &mut changes);
    loose(&old.outline, &new.outline, &mut changes);
    changes.sort_by_key(|change| change.line_new.or(change.line_old));
    changes
}

struct Pair<'v, 'a> {
    old: Side<'v, 'a>,
    new: Side<'v, 'a>,
}

impl<'v, 'a> Pair<'v, 'a> {
    fn change(&self, change: ChangeKind, detail: impl Into<String>) -> Change {
        Change::of(change, Some(self.old), Some(self.new), detail)
    }

    fn name(&self, is_reordered: bool, changes: &mut Vec<Change>) {
        let (before, after) = (self.old.name(), self.new.name());
        let (kind, detail) = match (before, after) {
            _ if before == after && !is_reordered => return,
            _ if before == after => (ChangeKind::Moved, "elsewhere in the file".to_owned()),
            (Some(before), Some(after)) if last_part(before) == last_part(after) => {
                (ChangeKind::Moved, format!("from {} to {}", namespace(before), namespace(after)))
            }
            (Some(_), Some(_)) => (ChangeKind::Renamed, String::new()),
            (None, _) => (ChangeKind::Renamed, "it had no name".to_owned()),
            (_, None) => (ChangeKind::Renamed, "it has no name any more".to_owned()),
        };
        changes.push(self.change(kind, detail));
    }

    fn restated(&self, names: &Names<'_, 'a>) -> Option<(String, Note)> {
        let indices = (self.old.index, self.new.index);
        let families = (self.old.family(), self.new.family());
        let (around_old, around_new) = (self.old.around()?, self.new.around()?);
        // What defines something takes in the `variable`s of its body too.
        let bodies = families.1.is_proof() || self.old.has_body_of(self.new);
        let same = families.0 == families.1 && self.old.states_as(self.new) && bodies;
        if !(same && around_old.print() == around_new.print()) {
            let (old, new) = (self.old.signature()?, self.new.signature()?);
            if families.0 != families.1 {
                let (was, is) = (self.old.declaration.kind, self.new.declaration.kind);
                let kinds = format!("was `{was}`, is now `{is}`");
                return Some(if old.exact == new.exact {
                    (kinds, Note::Kind)
                } else {
                    (format!("{kinds}: {}", self.texts()), Note::Plain)
                });
            }
            if old.exact != new.exact {
                let alike = old.notation == new.notation && old.around == new.around;
                let texts = self.texts();
                return Some(if alike && (old.renamed == new.renamed || self.rebound(old, new)) {
                    (texts, Note::BoundNames)
                } else if names.only_renamed(indices) {
                    (texts, Note::Renames)
                } else if alike && names.only_reopened(indices) {
                    (texts, Note::Names)
                } else {
                    self.compared(texts, old, new, names)
                });
            }
            if old.around != new.around {
                let (told, is_unbound) = (self.variables(), self.is_unbound(old, new));
                let whole = || self.compared(told.clone(), old, new, names);
                return Some(if is_unbound { (told, Note::Names) } else { whole() });
            }
            if old.notation != new.notation {
                let detail = "notation or a macro gives its symbols another meaning".to_owned();
                return Some((detail, Note::Plain));
            }
        }
        if let Some((name, is_new)) = names.first_changed(indices) {
            let note = if is_new { Note::Shadowed } else { Note::Names };
            return Some((format!("`{name}` means another declaration now"), note));
        }
        Some((self.opens(around_old, around_new)?, Note::Names))
    }

    /// Whether two statements differ only in what names that Lean binds by itself are called.
    fn rebound(&self, old: &Signature<'a>, new: &Signature<'a>) -> bool {
        let auto_bound = |side: Side<'v, 'a>| side.text.auto_bound(side.index);
        let (olds, news) = (auto_bound(self.old), auto_bound(self.new));
        !olds.is_empty() && olds.len() == news.len() && old.key_with(&olds) == new.key_with(&news)
    }

    /// Whether all that is new is that nothing binds what `variable`s did: such a statement is read once they are back.
    fn is_unbound(&self, old: &Signature<'a>, new: &Signature<'a>) -> bool {
        let (before, after) = (old.taken(), new.taken());
        let mut free = before.iter().filter(|name| !after.contains(name));
        let is_free = |name: &&str| {
            let is_read = new.refers.contains(name);
            is_read && self.new.text.resolve(self.new.index, name).is_none()
        };
        after.iter().all(|name| before.contains(name)) && free.any(is_free)
    }

    /// What a statement that reads otherwise says, behind what is told of it.
    fn compared(
        &self,
        told: String,
        old: &Signature<'a>,
        new: &Signature<'a>,
        names: &Names<'_, 'a>,
    ) -> (String, Note) {
        let around = self.old.around().zip(self.new.around());
        let indices = (self.old.index, self.new.index);
        let is_own = |side: Side<'v, 'a>, name: &str| {
            is_read(name) && side.text.resolve(side.index, name).is_some()
        };
        if old.refers.iter().any(|name| is_own(self.old, name))
            || new.refers.iter().any(|name| is_own(self.new, name))
        {
            return (told, Note::Plain);
        }
        let followed = names.followed(indices);
        let renamed = (!followed.is_empty()).then(|| old.with_names(&followed));
        let (long_old, long_new) = (
            unfolded(self.old, renamed.as_ref().unwrap_or(old), new),
            unfolded(self.new, new, old),
        );
        let old = long_old.as_ref().or(renamed.as_ref()).unwrap_or(old);
        let new = long_new.as_ref().unwrap_or(new);
        let kept = around.is_some_and(|(old, new)| self.opens(old, new).is_none())
            && names.are_kept(indices, &followed);
        let states = self.new.states();
        let is_mathlibs = |class: &str| {
            let mut sides = [self.old, self.new].into_iter();
            sides.all(|side| side.text.resolve(side.index, class).is_none())
        };
        match difference(old, new, states, is_mathlibs) {
            Some(Difference::Same { .. }) if !kept => (told, Note::Names),
            Some(Difference::Same { alike }) => {
                (told, if alike { Note::Wording } else { Note::Binders })
            }
            Some(Difference::Stronger { how, only_drops }) if kept || only_drops => {
                (format!("{told}; stronger: {how}"), Note::Stronger)
            }
            Some(Difference::Weaker(how)) if kept && states => {
                (format!("{told}; weaker: {how}"), Note::Plain)
            }
            _ => (told, Note::Plain),
        }
    }

    /// Another `open` for one, or one that brings in a name of the statement. More or fewer of the others are no change:
    /// what they open is not known.
    fn opens(&self, old: &Around, new: &Around) -> Option<String> {
        let lost = old.opens.iter().find(|open| !new.opens.contains(open));
        let mut got = new.opens.iter().filter(|open| !old.opens.contains(open)).peekable();
        if let Some((lost, got)) = lost.zip(got.peek()) {
            return Some(format!("`open {lost}` became `open {got}`"));
        }
        let refers = got.peek().and_then(|_| Some(&self.new.signature()?.refers))?;
        got.find_map(|open| {
            let name = brought(open).into_iter().find(|name| refers.contains(name))?;
            Some(format!("`{name}` is that of `open {open}` now"))
        })
    }

    /// Which of the `variable`s that it takes in changed.
    fn variables(&self) -> String {
        let groups = |side: Side<'v, 'a>| -> Vec<String> {
            let texts = side.text.taken(side.index).into_iter().filter_map(|group| {
                let whole = group.first()?.start()..group.last()?.end();
                side.text.text.get(whole).map(one_line)
            });
            texts.collect()
        };
        let (before, after) = (groups(self.old), groups(self.new));
        let only = |these: &[String], those: &[String]| {
            let only = surplus(these, those, |group| group).into_iter();
            let only: Vec<&str> = only.map(String::as_str).collect();
            (!only.is_empty()).then(|| clip_middle(&only.join(" "), VARIABLES_WIDTH))
        };
        match (only(&before, &after), only(&after, &before)) {
            (Some(gone), Some(come)) => {
                format!("it depended on `variable {gone}`, and now depends on `variable {come}`")
            }
            (Some(gone), None) => format!("it no longer depends on `variable {gone}`"),
            (None, Some(come)) => format!("it now depends on `variable {come}` too"),
            (None, None) => "the `variable`s that it depends on changed".to_owned(),
        }
    }

    fn texts(&self) -> String {
        let text = |side: Side<'v, 'a>| {
            clip_middle(&one_line(side.declaration.statement(side.text.text)), WIDTH)
        };
        format!("`{}` became `{}`", text(self.old), text(self.new))
    }

    fn body(&self, names: &Names<'_, 'a>, changes: &mut Vec<Change>) {
        let (before, after) = (self.old.declaration, self.new.declaration);
        let same = self.old.has_body_of(self.new);
        match (before.is_complete(), after.is_complete()) {
            (true, false) => changes.push(self.lost(same)),
            (false, true) => {
                changes.push(self.change(ChangeKind::Proved, missing(self.old, "was")));
            }
            (true, true) if same => {}
            (true, true) => {
                let note = match names.only_renamed_in_body((self.old.index, self.new.index)) {
                    true => Note::Renames,
                    false if self.defines_alike() => Note::Wording,
                    false => Note::Plain,
                };
                let change = self.change(ChangeKind::ProofChanged, self.what());
                changes.push(Change { note, ..change });
            }
            (false, false) => {
                let (old, new) = (count(before), count(after));
                let detail = format!("{} before, {} now", plural(old, "gap"), plural(new, "gap"));
                changes.extend(match old.cmp(&new) {
                    Ordering::Less => Some(self.change(ChangeKind::GapAdded, detail)),
                    Ordering::Greater => Some(self.change(ChangeKind::GapClosed, detail)),
                    Ordering::Equal if same => None,
                    Ordering::Equal => Some(self.change(ChangeKind::ProofChanged, self.what())),
                });
            }
        }
    }

    fn defines_alike(&self) -> bool {
        let ways = [How::Key, How::Meaning].into_iter();
        let mut pairs = ways.map(|how| {
            let (old, new) = (self.old, self.new);
            (old.text.defined(old.index, how), new.text.defined(new.index, how))
        });
        pairs.any(|(old, new)| old.is_some() && old == new)
    }

    fn lost(&self, same_body: bool) -> Change {
        let after = self.new.declaration;
        let in_statement = after.gaps.iter().all(|gap| {
            gap.kind != GapKind::HiddenError && gap.span.start < after.statement_span.end
        });
        if same_body && in_statement && after.body_span.is_some() && !after.gaps.is_empty() {
            return self.change(ChangeKind::GapAdded, missing(self.new, "its statement has"));
        }
        let mut gaps = after.gaps.iter();
        let searches = !after.gaps.is_empty() && gaps.all(|gap| gap.kind == GapKind::SearchTactic);
        let note = if searches { Note::Search } else { Note::Plain };
        Change { note, ..self.change(ChangeKind::ProofLost, missing(self.new, "now")) }
    }

    fn what(&self) -> &'static str {
        if self.new.declaration.kind.is_proof() { "" } else { "what it defines" }
    }
}

/// A statement with what the abbreviations of its file stand for that another one does not use.
fn unfolded<'a>(
    side: Side<'_, 'a>,
    own: &Signature<'a>,
    other: &Signature<'a>,
) -> Option<Signature<'a>> {
    let alone = own.refers.iter().filter(|name| !other.refers.contains(name));
    let mut short = alone.filter_map(|name| side.text.abbreviation(side.index, name));
    let first = own.unfolded(&short.next()?);
    Some(short.fold(first, |long, short| long.unfolded(&short)))
}

fn namespace(name: &str) -> String {
    let outer = name.strip_suffix(last_part(name)).unwrap_or_default();
    match outer.trim_end_matches('.') {
        "" => "the root namespace".to_owned(),
        outer => format!("`{outer}`"),
    }
}

/// The names that an `open` brings in by themselves: `b` of `open A (b)` and of `open A renaming c → b`.
fn brought(open: &str) -> Vec<&str> {
    let mut words = open.split(' ').skip(1);
    match words.next() {
        Some("(") => words.collect(),
        Some("renaming") => {
            words.skip(2).step_by(3).map(|word| word.trim_end_matches(',')).collect()
        }
        _ => Vec::new(),
    }
}

fn missing(side: Side<'_, '_>, verb: &str) -> String {
    let declaration = side.declaration;
    let [gap, rest @ ..] = declaration.gaps.as_slice() else {
        let axiom = declaration.kind == DeclKind::Axiom;
        return format!("{verb} {}", if axiom { "an axiom" } else { "without a body" });
    };
    let word = match gap.kind {
        GapKind::AnswerSorry => "answer(sorry)",
        // One of several names of it.
        GapKind::SorryAx => {
            let written = side.text.text.get(gap.span.clone()).unwrap_or_default();
            last_part(written).trim_matches(['«', '»'])
        }
        GapKind::Hole => "?_",
        GapKind::SearchTactic => "exact?",
        GapKind::HiddenError => "#guard_msgs",
        kind => kind.as_str(),
    };
    let more = match rest.len() {
        0 => String::new(),
        count => format!(" and {}", plural(count, "more gap")),
    };
    format!("{verb} `{word}` at line {}{more}", gap.line)
}

fn count(declaration: &Declaration) -> usize {
    let missing = declaration.gaps.len();
    if missing == 0 && !declaration.is_complete() { 1 } else { missing }
}

/// The markers that came and went, each told as a change.
fn trust(old: &[Trust], new: &[Trust], change: impl Fn(ChangeKind) -> Change) -> Vec<Change> {
    fn key(trust: &Trust) -> (TrustKind, &str) {
        (trust.kind, &trust.what)
    }
    let added = surplus(new, old, key).into_iter().map(|one| (one, ChangeKind::TrustAdded));
    let removed = surplus(old, new, key).into_iter().map(|one| (one, ChangeKind::TrustRemoved));
    let told = added.chain(removed).map(|(trust, kind)| {
        let mut change = Change { note: Note::Trust(trust.kind), ..change(kind) };
        change.detail = if trust.what.contains(trust.kind.as_str()) {
            trust.what.clone()
        } else {
            format!("{}: {}", trust.kind, trust.what)
        };
        // Outside of declarations the line is that of the marker.
        if change.kind.is_none() {
            let added = kind == ChangeKind::TrustAdded;
            *(if added { &mut change.line_new } else { &mut change.line_old }) = Some(trust.line);
        }
        change
    });
    told.collect()
}

impl Change {
    pub(super) fn of<'v, 'a>(
        change: ChangeKind,
        old: Option<Side<'v, 'a>>,
        new: Option<Side<'v, 'a>>,
        detail: impl Into<String>,
    ) -> Self {
        let name = |side: Option<Side<'v, 'a>>| side.and_then(Side::name).map(str::to_owned);
        let renamed = old.is_some() && name(old) != name(new);
        Self {
            change,
            kind: new.or(old).map(|side| side.declaration.kind),
            name: name(old.or(new)),
            new_name: name(new).filter(|_| renamed),
            line_old: old.map(|side| side.declaration.line),
            line_new: new.map(|side| side.declaration.line),
            detail: detail.into(),
            old: old.map(|side| side.index),
            new: new.map(|side| side.index),
            note: Note::Plain,
        }
    }
}

fn unpaired(
    old: &Statements<'_>,
    new: &Statements<'_>,
    pairs: &[(usize, usize)],
    changes: &mut Vec<Change>,
) {
    let paired: (HashSet<usize>, HashSet<usize>) = pairs.iter().copied().unzip();
    let mut ways = None;
    for side in sides(old).filter(|side| !paired.0.contains(&side.index)) {
        let one = side.declaration;
        let ways = ways.get_or_insert_with(|| hidden(old, new));
        let way = one.name.as_deref().and_then(|name| ways.get(last_part(name)).cloned());
        let state = match one.is_complete() {
            true if one.kind.is_proof() => "it was proved",
            true => "",
            false if one.kind == DeclKind::Axiom => "it was an axiom",
            false => "it was open",
        };
        let note = if way.is_some() { Note::Hidden } else { Note::Plain };
        let detail = way.unwrap_or_else(|| state.to_owned());
        let gone = |kind, detail| Change::of(kind, Some(side), None, detail);
        changes.push(Change { note, ..gone(ChangeKind::Removed, detail) });
        changes.extend(trust(&one.trust, &[], |kind| gone(kind, String::new())));
    }
    for side in sides(new).filter(|side| !paired.1.contains(&side.index)) {
        let one = side.declaration;
        let detail = match one.gaps.len() {
            0 => String::new(),
            count => format!("with {}", plural(count, "gap")),
        };
        let come = |kind, detail| Change::of(kind, None, Some(side), detail);
        changes.push(come(ChangeKind::Added, detail));
        changes.extend(trust(&[], &one.trust, |kind| come(kind, String::new())));
    }
}

fn loose(old: &Outline, new: &Outline, changes: &mut Vec<Change>) {
    let blank = |kind| Change::of(kind, None, None, "");
    changes.extend(trust(&old.loose_trust, &new.loose_trust, blank));
    let (before, after) = (&old.loose_gaps, &new.loose_gaps);
    let line = |gaps: &[Gap]| gaps.last().map(|gap| gap.line);
    let (was, is) = (plural(before.len(), "gap"), plural(after.len(), "gap"));
    let detail = format!("outside of declarations: {was} before, {is} now");
    changes.extend(match before.len().cmp(&after.len()) {
        Ordering::Less => {
            Some(Change { line_new: line(after), detail, ..blank(ChangeKind::GapAdded) })
        }
        Ordering::Equal => None,
        Ordering::Greater => {
            Some(Change { line_old: line(before), detail, ..blank(ChangeKind::GapClosed) })
        }
    });
}

/// Where declarations went whose text is no code any more, a comment or behind `#exit`, by the last parts
/// of their names. What was no comment in the old text is read as if it were code.
fn hidden(old: &Statements<'_>, new: &Statements<'_>) -> HashMap<String, String> {
    let comment = |range: &Range<usize>| old.text.get(range.clone());
    let before: HashSet<&str> = old.outline.comments.iter().filter_map(comment).collect();
    let mut ways = HashMap::new();
    let mut add = |text: &str, way: &dyn Fn(usize) -> String| {
        for one in outline(text).declarations {
            if let Some(name) = one.name {
                ways.entry(last_part(&name).to_owned()).or_insert_with(|| way(one.line));
            }
        }
    };
    let (mut at, mut line) = (0, 0);
    for range in &new.outline.comments {
        let text = new.text.get(range.clone()).unwrap_or_default();
        line += new.text.get(at..range.start).map_or(0, |passed| passed.matches('\n').count());
        at = range.start;
        if !before.contains(text) {
            let inner = text.trim_start_matches(['-', '/', '!']).trim_end_matches("-/");
            add(inner, &|nth| format!("commented out at line {}", line + nth));
        }
    }
    let mut marks = new.outline.loose_trust.iter();
    if let Some(exit) = marks.find(|trust| trust.kind == TrustKind::Exit) {
        let rest: usize = new.text.split_inclusive('\n').take(exit.line).map(str::len).sum();
        let rest = new.text.get(rest..).unwrap_or_default();
        add(rest, &|_| format!("behind `#exit` at line {}", exit.line));
    }
    ways
}

/// The old indices of the pairs that changed their place among the others: as few as possible.
fn reordered(pairs: &[(usize, usize)]) -> HashSet<usize> {
    // Patience: the last pair of the best increasing row of each length, with back links.
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let target = |position: usize| pairs.get(position).map_or(0, |pair| pair.1);
    for (position, pair) in pairs.iter().enumerate() {
        let row = tails.partition_point(|&tail| target(tail) < pair.1);
        previous.push(row.checked_sub(1).and_then(|shorter| tails.get(shorter)).copied());
        match tails.get_mut(row) {
            Some(tail) => *tail = position,
            None => tails.push(position),
        }
    }
    let mut moved: HashSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let mut at = tails.last().copied();
    while let Some(position) = at {
        if let Some(pair) = pairs.get(position) {
            moved.remove(&pair.0);
        }
        at = previous.get(position).copied().flatten();
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_few_as_possible_have_moved() {
        for (order, expected) in [
            (vec![0, 1, 2], vec![]),
            (vec![1, 2, 0], vec![2]),
            (vec![2, 0, 1], vec![0]),
            (vec![3, 0, 1, 2], vec![0]),
            (vec![], vec![]),
        ] {
            let pairs: Vec<(usize, usize)> = order.iter().copied().enumerate().collect();
            let mut moved: Vec<usize> = reordered(&pairs).into_iter().collect();
            moved.sort_unstable();
            assert_eq!(moved, expected, "{order:?}");
        }
    }
}
