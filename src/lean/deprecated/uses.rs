//! Where a text uses names: those that moved, and those that may be declared elsewhere.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::places::{File, Part};
use crate::lean::records::Outline;
use crate::lean::sig::{self, Sig};
use crate::lean::signature::{self, last_part};
use crate::lean::token::TokenKind;
use crate::lean::word::{Cmd, Word};

/// Names that moved, found by their last parts.
#[derive(Debug, Default)]
pub struct Moved<'n> {
    by_end: HashMap<&'n str, Vec<(&'n str, bool)>>,
}

impl<'n> Moved<'n> {
    /// The set of these old names, in full, each with whether it is `protected`.
    pub fn of(names: impl IntoIterator<Item = (&'n str, bool)>) -> Self {
        let mut by_end: HashMap<&str, Vec<(&str, bool)>> = HashMap::new();
        for (name, protected) in names {
            by_end.entry(last_part(name)).or_default().push((name, protected));
        }
        Self { by_end }
    }

    fn ending_like(&self, name: &str) -> &[(&'n str, bool)] {
        self.by_end.get(last_part(name)).map_or(&[], Vec::as_slice)
    }
}

/// A name that moved, where a text uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The old name in full.
    pub old: String,
    pub written: String,
    /// Where it stands, as bytes.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: usize,
    /// Characters before it on the line.
    pub column: usize,
    pub declaration: Option<String>,
}

/// The uses of names that moved, in code, by position. Names are resolved through the namespaces that
/// the text opens; what the text declares itself is its own. A method call `x.old` shows no
/// namespace and is not seen, and neither is a short name without a dot or an underscore: it is
/// a bound variable more often than not.
pub fn moved_names(text: &str, outline: &Outline, moved: &Moved<'_>) -> Vec<Use> {
    let sigs = sig::read(text).sigs;
    let is_old = |sig: &Sig| {
        let written = sig.text(text);
        is_name(sig) && written.contains(['.', '_']) && !moved.ending_like(written).is_empty()
    };
    if !sigs.iter().any(is_old) {
        return Vec::new();
    }
    let file = File::read(text, &sigs, outline);
    let mut found = Vec::new();
    let mut reached = 0;
    for part in file.parts() {
        let span = part.span.start.max(reached)..part.span.end;
        reached = span.end.max(reached);
        let sigs = file.between(span);
        for (index, sig) in sigs.iter().enumerate().filter(|(_, sig)| is_old(sig)) {
            // `(name := value)`
            let is_argument = sigs.get(index + 1).is_some_and(|next| next.word == Word::Assign);
            if is_argument || part.is_own(sig) {
                continue;
            }
            let written = sig.text(text);
            let dotted = written.contains('.');
            let is_meant = |name: &String| {
                let mut ends = moved.ending_like(written).iter();
                ends.any(|(old, protected)| old == name && (dotted || !protected))
            };
            let meant = file.resolve(&part, written, part.inside(), "");
            let old = match meant.full {
                // What the text declares itself has not moved.
                Some(full) if written.starts_with("_root_.") => Some(full),
                Some(_) => None,
                None => meant.candidates.into_iter().find(|name| is_meant(name)),
            };
            let declaration =
                part.declaration.and_then(|(_, declaration)| declaration.name.clone());
            found.extend(old.filter(|old| is_meant(old)).map(|old| Use {
                old,
                written: written.to_owned(),
                span: sig.start()..sig.end(),
                line: sig.line(),
                column: sig.column(),
                declaration: declaration.clone(),
            }));
        }
    }
    found
}

fn is_name(sig: &Sig) -> bool {
    sig.kind == TokenKind::Ident && sig.word == Word::Other
}

fn plain(written: &str) -> &str {
    written.strip_prefix("_root_.").unwrap_or(written)
}

impl Part<'_, '_> {
    /// Whether a lexeme is the name of the declaration.
    fn is_own(&self, sig: &Sig) -> bool {
        let name = self.declaration.and_then(|(_, one)| one.name_span.as_ref());
        name.is_some_and(|name| name.start == sig.start())
    }
}

/// A name that code uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// As it is written, without `_root_.`.
    pub written: String,
    /// Byte offset of its first byte.
    pub start: usize,
    /// Line, from 1.
    pub line: usize,
    /// The full names that it may mean, through the namespaces that are open; only one where the
    /// text declares it.
    pub names: Vec<String>,
    /// Index of the declaration that uses it; `None` for a command.
    pub declaration: Option<usize>,
    /// Whether it stands in what the declaration states.
    pub in_statement: bool,
}

/// The uses of wanted names, by position. No uses are: names of declarations and of arguments,
/// attributes, names that the text binds anywhere, and commands that only open, close, show or
/// list something.
pub fn mentions(text: &str, outline: &Outline, wanted: impl Fn(&str) -> bool) -> Vec<Mention> {
    let sigs = sig::read(text).sigs;
    let is_wanted = |sig: &Sig| is_name(sig) && wanted(plain(sig.text(text)));
    if !sigs.iter().any(is_wanted) {
        return Vec::new();
    }
    let file = File::read(text, &sigs, outline);
    let bound = OnceCell::new();
    let is_bound = |name: &str| {
        let bound = bound.get_or_init(|| signature::bound_names(text, &file.lexemes));
        bound.contains(name.split('.').next().unwrap_or_default())
    };
    let mut found = Vec::new();
    // One command may make two declarations.
    let mut reached = None;
    for part in file.parts() {
        let start = part.declaration.map(|(_, one)| one.statement_span.start);
        if start.is_some() && std::mem::replace(&mut reached, start) == start {
            continue;
        }
        let sigs = file.between(start.unwrap_or(part.span.start)..part.span.end);
        if start.is_none() && !uses_names(text, sigs) {
            continue;
        }
        for (at, sig) in sigs.iter().enumerate().filter(|(_, sig)| is_wanted(sig)) {
            let before = |back: usize| {
                at.checked_sub(back).and_then(|at| sigs.get(at)).map_or("", |sig| sig.text(text))
            };
            // `(name := value)`, and `simp [-name]` that does without it.
            let is_argument = sigs.get(at + 1).is_some_and(|next| next.word == Word::Assign);
            let is_left_out = before(1) == "-" && matches!(before(2), "[" | ",");
            let written = plain(sig.text(text));
            if is_argument || is_left_out || part.is_own(sig) || is_bound(written) {
                continue;
            }
            let itself = part.declaration.and_then(|(_, one)| one.name.as_deref());
            let meant = file.resolve(&part, written, part.inside(), itself.unwrap_or_default());
            let statement = part.declaration.map_or(0, |(_, one)| one.statement_span.end);
            found.push(Mention {
                written: written.to_owned(),
                start: sig.start(),
                line: sig.line(),
                names: meant.full.map_or(meant.candidates, |full| vec![full]),
                declaration: part.declaration.map(|(index, _)| index),
                in_statement: sig.start() < statement,
            });
        }
    }
    found
}

/// Whether a command makes Lean use what it names.
fn uses_names(text: &str, command: &[Sig]) -> bool {
    let mut words = command.iter().skip_while(|sig| sig.word == Word::Modifier);
    let Some(sig) = words.next() else { return false };
    match sig.word {
        // `attribute [-simp] name` takes back.
        Word::Command(Cmd::Attribute) => words.nth(1).is_none_or(|sig| sig.text(text) != "-"),
        Word::Command(Cmd::Plain) => sig.text(text) == "add_aesop_rules",
        Word::Command(Cmd::SetOption) => false,
        Word::Command(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lean::outline;

    #[test]
    fn uses_are_found_through_namespaces_and_nowhere_else() {
        let names = ["Nat.old_name", "A.B.old_thing", "root_old", "A.short", "map"];
        let protected = [("Nat.its_own", true)];
        let moved = Moved::of(names.map(|name| (name, false)).into_iter().chain(protected));
        for (text, expected) in [
            ("theorem t : p := Nat.old_name x", "Nat.old_name 1:17 t"),
            (
                "theorem t : p := by\n  simp [← Nat.old_name, root_old]",
                "Nat.old_name 2:10 t, root_old 2:24 t",
            ),
            ("open Nat\nexample : p := old_name", "Nat.old_name 2:15 -"),
            ("namespace A\nnamespace B\ndef t := old_thing", "A.B.old_thing 3:9 A.B.t"),
            ("theorem Nat.t : p := old_name", "Nat.old_name 1:21 Nat.t"),
            (
                "namespace A\ndef t := B.old_thing + _root_.root_old",
                "A.B.old_thing 2:9 A.t, root_old 2:23 A.t",
            ),
            (
                "attribute [simp] Nat.old_name\n#check root_old",
                "Nat.old_name 1:17 -, root_old 2:7 -",
            ),
            ("def t := s!\"{Nat.old_name}\"", "Nat.old_name 1:13 t"),
            ("def t := A.short", "A.short 1:9 t"),
            ("open Nat\ndef t := Nat.its_own + its_own", "Nat.its_own 2:9 t"),
            // other names, other places
            ("theorem t : p := old_name", ""),
            ("-- Nat.old_name\n/-- root_old -/ def t := \"root_old\"", ""),
            ("theorem t : p := Nat.old_name' (Int.old_name) xroot_old", ""),
            ("theorem root_old : p := h\ntheorem t : p := root_old", ""),
            ("def t := f (root_old := 1)", ""),
            ("open A\ndef t (map : α) := map short", ""),
        ] {
            let found = moved_names(text, &outline(text), &moved);
            let shown: Vec<String> = found
                .iter()
                .map(|u| {
                    let name = u.declaration.as_deref().unwrap_or("-");
                    format!("{} {}:{} {name}", u.old, u.line, u.column)
                })
                .collect();
            assert_eq!(shown.join(", "), expected, "{text}");
        }
    }
}
