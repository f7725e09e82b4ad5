//! Where a text uses names of which something is known: false lemmas, names that moved.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::last_part;
use super::records::Outline;
use super::sig::Sig;
use super::signature::{self, Scopes};
use super::token::TokenKind;
use super::word::{Cmd, Word};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub written: String,
    pub span: Range<usize>,
    pub line: usize,
    /// Full names that it may mean; only one where the text declares it.
    pub names: Vec<String>,
    /// Whether it may be a name that the text declares.
    pub is_declared: bool,
    pub declaration: Option<usize>,
    pub in_statement: bool,
}

/// The uses of wanted names in the commands that touch a part of a text, by position. No uses are: names of
/// declarations and of arguments, attributes, names that these commands bind, and commands that only open, close,
/// show or list something. A method call `x.name` shows no namespace and is not seen.
pub fn mentions(
    text: &str,
    outline: &Outline,
    near: &Range<usize>,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Mention> {
    let is_wanted = |sig: &Sig| {
        let is_name = sig.kind == TokenKind::Ident && sig.word == Word::Other;
        is_name && wanted(plain(sig.text(text)))
    };
    let touches = |span: &Range<usize>| span.start <= near.end && near.start <= span.end;
    let declarations = outline.declarations.iter().enumerate();
    let declarations = declarations.filter(|(_, one)| touches(&one.span)).map(|(index, one)| {
        let span = one.statement_span.start..one.span.end;
        (index, one, signature::part(text, &span))
    });
    let declarations: Vec<_> = declarations.collect();
    let between = signature::between(text, outline);
    let mut all = declarations.iter().flat_map(|(.., lexemes)| lexemes).chain(&between);
    if !all.any(is_wanted) {
        return Vec::new();
    }
    let scopes = Scopes::read(text, &between, outline);
    let declared = Declared::read(text, outline);
    let bound = OnceCell::new();
    let is_bound = |name: &str| {
        let all = declarations.iter().map(|(.., lexemes)| lexemes).chain([&between]);
        let all = all.flat_map(|lexemes| signature::bound_names(text, lexemes));
        let bound: &HashSet<&str> = bound.get_or_init(|| all.collect());
        bound.contains(name.split('.').next().unwrap_or_default())
    };
    let users = declarations.iter().filter_map(|(index, one, lexemes)| {
        Some((lexemes.as_slice(), scopes.around.get(*index)?, Some((*index, *one))))
    });
    let commands = scopes.commands.iter().filter_map(|command| {
        let lexemes = between.get(command.range.clone())?;
        let span = lexemes.first()?.start()..lexemes.last()?.end();
        (touches(&span) && uses_names(text, lexemes)).then_some((lexemes, &command.around, None))
    });
    let mut found = Vec::new();
    for (sigs, around, user) in users.chain(commands) {
        let itself = user.and_then(|(_, one)| one.name.as_deref());
        let own = user.and_then(|(_, one)| one.name_span.as_ref()).map(|span| span.start);
        let namespace = around.namespace_of(itself);
        for (at, sig) in sigs.iter().enumerate().filter(|(_, sig)| is_wanted(sig)) {
            let before = |back: usize| {
                at.checked_sub(back).and_then(|at| sigs.get(at)).map_or("", |sig| sig.text(text))
            };
            // `(name := value)`, and `simp [-name]` that does without it.
            let is_argument = sigs.get(at + 1).is_some_and(|next| next.word == Word::Assign);
            let is_left_out = before(1) == "-" && matches!(before(2), "[" | ",");
            let written = plain(sig.text(text));
            if is_argument || is_left_out || own == Some(sig.start()) || is_bound(written) {
                continue;
            }
            let mut names = around.meanings(sig.text(text), namespace);
            let all = names.len();
            names.retain(|name| Some(name.as_str()) != itself);
            let here = declared.first(&names, written.contains('.'));
            found.push(Mention {
                written: written.to_owned(),
                span: sig.start()..sig.end(),
                line: 0,
                is_declared: here.is_some() || names.len() < all,
                names: here.map_or(names, |name| vec![name]),
                declaration: user.map(|(index, _)| index),
                in_statement: user.is_some_and(|(_, one)| sig.start() < one.statement_span.end),
            });
        }
    }
    found.sort_by_key(|mention| mention.span.start);
    // One command may make two declarations.
    found.dedup_by_key(|mention| mention.span.start);
    let (mut at, mut line) = (0, 1);
    for mention in &mut found {
        let passed = text.get(at..mention.span.start).unwrap_or_default();
        line += passed.matches('\n').count();
        at = mention.span.start;
        mention.line = line;
    }
    found
}

fn plain(written: &str) -> &str {
    written.strip_prefix("_root_.").unwrap_or(written)
}

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

/// What texts declare, by full name: whether it is `protected`, and whether it is a type.
#[derive(Debug, Default)]
pub struct Declared(HashMap<String, (bool, bool)>);

impl Declared {
    pub fn read(text: &str, outline: &Outline) -> Self {
        let declared = outline.declarations.iter().filter_map(|one| {
            Some((one.name.clone()?, (one.is(text, "protected"), one.kind.is_type())))
        });
        Self(declared.collect())
    }

    pub fn add(&mut self, name: String, protected: bool, is_type: bool) {
        self.0.insert(name, (protected, is_type));
    }

    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The first name that is declared and that a name, dotted or not, may mean; or else, for a dotted
    /// one, a constructor, a field or another part of a type that is declared.
    pub fn first(&self, names: &[String], dotted: bool) -> Option<String> {
        let visible =
            |name: &&String| self.0.get(*name).is_some_and(|(protected, _)| dotted || !protected);
        let is_part = |name: &&String| {
            let parent = name.rsplit_once('.').and_then(|(parent, _)| self.0.get(parent));
            dotted && parent.is_some_and(|(_, is_type)| *is_type)
        };
        names.iter().find(visible).or_else(|| names.iter().find(is_part)).cloned()
    }
}

/// Names that moved, each with whether it is `protected`, by their last parts.
#[derive(Debug, Default)]
pub struct Moved<'n> {
    by_end: HashMap<&'n str, Vec<(&'n str, bool)>>,
}

impl<'n> Moved<'n> {
    pub fn of(names: impl IntoIterator<Item = (&'n str, bool)>) -> Self {
        let mut by_end: HashMap<&str, Vec<(&str, bool)>> = HashMap::new();
        for (name, protected) in names {
            by_end.entry(last_part(name)).or_default().push((name, protected));
        }
        Self { by_end }
    }

    /// Where the commands that touch a part of a text use them, by position. A short name without a dot or an
    /// underscore is a bound variable more often than not, and what the text declares itself is its own.
    pub fn uses(
        &self,
        text: &str,
        outline: &Outline,
        near: &Range<usize>,
    ) -> Vec<(Mention, &'n str)> {
        let is_like = |written: &str| {
            written.contains(['.', '_']) && self.by_end.contains_key(last_part(written))
        };
        let mentions = mentions(text, outline, near, is_like).into_iter();
        let uses = mentions.filter(|mention| !mention.is_declared).filter_map(|mention| {
            let olds = self.by_end.get(last_part(&mention.written))?;
            let dotted = mention.written.contains('.');
            let is_meant = |name: &String| {
                let mut visible = olds.iter().filter(|(_, protected)| dotted || !protected);
                visible.find(|(old, _)| name == old)
            };
            let (old, _) = mention.names.iter().find_map(is_meant)?;
            Some((mention, *old))
        });
        uses.collect()
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
            ("attribute [simp] Nat.old_name\n#check root_old", "Nat.old_name 1:17 -"),
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
            let outline = outline(text);
            let shown =
                moved.uses(text, &outline, &(0..text.len())).into_iter().map(|(mention, old)| {
                    let user = mention.declaration.and_then(|user| outline.declarations.get(user));
                    let name = user.and_then(|user| user.name.as_deref()).unwrap_or("-");
                    let line = text[..mention.span.start].rsplit('\n').next().unwrap_or_default();
                    format!("{old} {}:{} {name}", mention.line, line.chars().count())
                });
            let shown: Vec<String> = shown.collect();
            assert_eq!(shown.join(", "), expected, "{text}");
        }
    }
}
