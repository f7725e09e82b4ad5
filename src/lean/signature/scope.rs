//! What stands around a declaration and belongs to its statement: `variable`, `include`, `omit`,
//! `open`, `namespace`, notation and macros. One walk reads the commands of a file; what of it a
//! statement takes in is looked up where somebody asks. Nothing here depends on where things stand, only
//! on what they say and in which order.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::lexemes::{self, Tokens, within};
use super::spelling::{print_all, print_of};
use super::{NUMBERS, bound_names};
use crate::lean::kind::TrustKind;
use crate::lean::records::Outline;
use crate::lean::scope::Scopes as Names;
use crate::lean::sig::Sig;
use crate::lean::token::TokenKind;
use crate::lean::word::{Cmd, Word};
use crate::text::{Numbers, is_among};

/// More open namespaces are not told apart.
const MOST_OPENS: usize = 64;

/// In more open namespaces a name is not looked for.
const MOST_MEANT: usize = 24;

/// Where more was said, a statement is only the same if all of that is.
const MOST_SAID: usize = 300;

/// The prints of what stands in the quotation marks of a notation, `" ∣ "`.
type Sign = Vec<u64>;

/// What a command says of the statements behind it.
#[derive(Debug)]
enum Said {
    Variable(Variable),
    /// Whether a name is included.
    Include(u64, bool),
    /// The instances with a print are not taken in.
    Omit(u64),
    Notation {
        meaning: u64,
        signs: Vec<Sign>,
    },
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) group: Range<usize>,
    pub(super) nth: usize,
    /// 0 for none.
    name: u64,
    mentions: Rc<[u64]>,
    print: u64,
    is_instance: bool,
    /// Whether nothing in it may be bound by Lean itself.
    is_closed: bool,
}

/// What was said up to a place and holds there: the last of it leads to what was said before.
#[derive(Debug, Default, Clone, Copy)]
struct Chain {
    last: Option<usize>,
    length: usize,
    print: u64,
}

#[derive(Debug, Default, Clone)]
pub(in crate::lean) struct Around {
    /// What ends with the scope.
    said: Chain,
    /// Notations that hold to the end of the file.
    lasting: Chain,
    /// The namespaces that are opened, outermost first.
    pub(in crate::lean) opens: Rc<Vec<String>>,
    /// The namespace around it; empty at the top.
    pub(in crate::lean) inside: Rc<str>,
}

impl Around {
    /// Equal where the same was said of variables and of notation so far.
    pub(in crate::lean) fn print(&self) -> [u64; 2] {
        [self.said.print, self.lasting.print]
    }

    /// Whether all that was said of variables is looked at.
    pub(super) fn is_known(&self) -> bool {
        self.said.length <= MOST_SAID
    }

    /// The namespace in which names are looked for inside of a declaration with a full name: Lean reads
    /// `def A.b` as if it stood in `A`.
    pub(in crate::lean) fn namespace_of<'n>(&'n self, own: Option<&'n str>) -> &'n str {
        let namespace = own.and_then(|name| name.rsplit_once('.'));
        namespace.map_or(&*self.inside, |(namespace, _)| namespace)
    }

    /// The full names that a name may mean in a namespace, in Lean's order: in the innermost namespace, in those around
    /// it, in what is opened (the last of it first), by itself; with a dot in it by itself before what is opened.
    pub(in crate::lean) fn meanings(&self, written: &str, namespace: &str) -> Vec<String> {
        if let Some(absolute) = written.strip_prefix("_root_.") {
            return vec![absolute.to_owned()];
        }
        let ends = |word: &&str| !matches!(*word, "scoped" | "hiding" | "renaming" | "(");
        let opens = self.opens.iter().rev().flat_map(|open| open.split(' ').take_while(ends));
        let plain = opens.map(|name| name.strip_prefix("_root_.").unwrap_or(name));
        let mut seen = HashSet::new();
        let opened = plain.flat_map(|name| from_inside(&self.inside, name));
        let opened = opened.filter(|open| seen.insert(open.clone())).take(MOST_MEANT);
        let opened = opened.map(|open| [&open, ".", written].concat());
        let mut meanings = from_inside(namespace, written);
        let at = meanings.len() - usize::from(!written.contains('.'));
        drop(meanings.splice(at..at, opened));
        meanings
    }
}

/// A name in a namespace, in those around it, and by itself.
fn from_inside(namespace: &str, name: &str) -> Vec<String> {
    let ends = namespace.match_indices('.').map(|(dot, _)| dot).chain([namespace.len()]);
    let heads: Vec<&str> = ends.filter_map(|end| namespace.get(..end)).collect();
    let heads = heads.into_iter().rev().filter(|head| !head.is_empty());
    heads.map(|head| [head, ".", name].concat()).chain([name.to_owned()]).collect()
}

#[derive(Debug)]
pub(in crate::lean) struct Command {
    pub(in crate::lean) range: Range<usize>,
    pub(in crate::lean) around: Around,
}

#[derive(Debug, Default)]
pub(in crate::lean) struct Scopes {
    pub(in crate::lean) around: Vec<Around>,
    pub(in crate::lean) commands: Vec<Command>,
    /// Each with the index of what was said before it.
    said: Vec<(Said, Option<usize>)>,
}

impl Scopes {
    pub(in crate::lean) fn read(text: &str, lexemes: &[Sig], outline: &Outline) -> Self {
        let mut walk = Walk { text, lexemes, ..Walk::default() };
        let mut at = 0;
        for same in outline.declarations.chunk_by(|one, other| one.span == other.span) {
            let span = same.first().map_or(at..at, |one| within(lexemes, &one.span));
            walk.commands(at..span.start.max(at));
            walk.scopes.around.extend(same.iter().map(|_| walk.here.clone()));
            walk.end_of_in();
            at = span.end.max(at);
        }
        walk.commands(at..lexemes.len());
        walk.scopes
    }

    /// What holds at the end of a chain, the last first.
    fn said(&self, chain: Chain) -> impl Iterator<Item = &Said> {
        let mut next = chain.last;
        let said = std::iter::from_fn(move || {
            let (said, before) = self.said.get(next?)?;
            next = *before;
            Some(said)
        });
        said.take(MOST_SAID)
    }

    /// The variables that a statement with these names takes in, in order, and their print.
    pub(super) fn taken(
        &self,
        around: &Around,
        names: impl Iterator<Item = u64>,
    ) -> (u64, Vec<&Variable>) {
        if !around.is_known() || around.said.length == 0 {
            return (around.said.print, Vec::new());
        }
        let [mut known, mut decided, mut omitted] = <[Numbers<u64>; 3]>::default();
        let mut seen: Numbers<u64> = names.collect();
        // Each with whether it is meant by its name, and whether it may be taken in without it.
        let mut left: Vec<(usize, &Variable, bool, bool)> = Vec::new();
        for (at, said) in self.said(around.said).enumerate() {
            match said {
                Said::Include(name, on) if decided.insert(*name) && *on => {
                    seen.insert(*name);
                }
                Said::Omit(print) => {
                    omitted.insert(*print);
                }
                Said::Variable(one) => {
                    let by_name = one.name != 0 && known.insert(one.name);
                    left.push((at, one, by_name, one.is_instance && !omitted.contains(&one.print)));
                }
                Said::Include(..) | Said::Notation { .. } => {}
            }
        }
        let mut taken: Vec<(usize, &Variable)> = Vec::new();
        loop {
            let before = taken.len();
            left.retain(|&(at, one, by_name, by_itself)| {
                // An instance is taken in when all variables that it speaks of are.
                let mut speaks_of = one.mentions.iter().filter(|name| known.contains(name));
                let may_be = one.is_closed || speaks_of.clone().next().is_some();
                let is_taken = by_name && seen.contains(&one.name)
                    || by_itself && may_be && speaks_of.all(|name| seen.contains(name));
                if is_taken {
                    seen.extend(one.mentions.iter().chain([&one.name]));
                    taken.push((at, one));
                }
                !is_taken
            });
            if taken.len() == before {
                break;
            }
        }
        taken.sort_unstable_by_key(|(at, _)| Reverse(*at));
        let taken: Vec<&Variable> = taken.into_iter().map(|(_, one)| one).collect();
        let name = |one: &Variable| if one.is_instance { 0 } else { one.name };
        let mut prints: Vec<[u64; 2]> = taken.iter().map(|one| [name(one), one.print]).collect();
        prints.sort_unstable();
        (if prints.is_empty() { 0 } else { print_all(prints.into_iter().flatten()) }, taken)
    }

    pub(super) fn is_variable(&self, name: u64, around: &Around) -> bool {
        let is_it = |said: &Said| matches!(said, Said::Variable(one) if one.name == name);
        self.said(around.said).any(is_it)
    }

    /// What the notations say whose signs stand in a statement; 0 for nothing.
    pub(super) fn meanings(&self, text: &str, around: &Around, statement: &[Sig]) -> u64 {
        let prints: Vec<u64> = lexemes::prints(text, statement).collect();
        let adjoin = |here: &[Sig]| here.windows(2).all(|pair| pair[0].end() == pair[1].start());
        // Where a sign ends that stands at a place or behind it.
        let find = |from: usize, sign: &Sign| {
            let length = sign.len().max(1);
            let rows = prints.windows(length).zip(statement.windows(length)).enumerate();
            let mut rows = rows.skip(from).filter(|(_, (row, here))| row == sign && adjoin(here));
            if sign.is_empty() { Some(from) } else { rows.next().map(|(at, _)| at + length) }
        };
        let stand = |signs: &[Sign]| signs.iter().try_fold(0, find).is_some();
        let chains = [around.said, around.lasting];
        let said = chains.into_iter().flat_map(|chain| self.said(chain));
        let found = said.filter_map(|said| match said {
            Said::Notation { meaning, signs } if stand(signs) => Some(*meaning),
            _ => None,
        });
        let long = chains.into_iter().filter(|chain| chain.length > MOST_SAID);
        let mut found: Vec<u64> = found.chain(long.map(|chain| chain.print)).collect();
        found.sort_unstable();
        found.dedup();
        if found.is_empty() { 0 } else { print_all(found) }
    }
}

/// The prints of the names among lexemes; of `a.b` also of `a`, which may be a variable.
pub(super) fn names(text: &str, lexemes: &[Sig]) -> Vec<u64> {
    let names = lexemes.iter().filter(|lexeme| lexeme.kind == TokenKind::Ident);
    names.flat_map(|lexeme| prints(lexeme.text(text))).collect()
}

/// The prints of the names in a type. A universe is called as it likes: `u` of `Type u` is no variable.
fn mentioned(text: &str, lexemes: &[Sig]) -> Vec<u64> {
    let (mut found, mut previous, mut depth) = (Vec::new(), "", 0);
    for lexeme in lexemes {
        let spelling = lexeme.text(text);
        let is_level = matches!(previous, "Type" | "Sort") || (previous == "." && spelling == "{");
        if depth > 0 || (is_level && lexeme.kind == TokenKind::Open) {
            depth += lexeme.depth_change();
        } else if !is_level {
            found.extend(names(text, std::slice::from_ref(lexeme)));
        }
        previous = spelling;
    }
    found
}

/// The print of a name, and of its first part.
pub(super) fn prints(name: &str) -> impl Iterator<Item = u64> {
    let first = name.split_once('.').map(|(first, _)| first).filter(|first| !first.is_empty());
    std::iter::once(print_of(name)).chain(first.map(print_of))
}

#[derive(Default)]
struct Walk<'a> {
    text: &'a str,
    lexemes: &'a [Sig],
    scopes: Scopes,
    names: Names<'a>,
    here: Around,
    /// What stood before each scope that is open.
    marks: Vec<Around>,
    /// What stood before a command that ends with `in`.
    pending: Option<Around>,
    ended: bool,
}

impl<'a> Walk<'a> {
    /// Of a command with a print.
    fn say(&mut self, said: Said, print: u64, lasts: bool) {
        let chain = if lasts { &mut self.here.lasting } else { &mut self.here.said };
        let index = self.scopes.said.len();
        self.scopes.said.push((said, chain.last));
        let (length, print) = (chain.length + 1, print_all([chain.print, print]));
        *chain = Chain { last: Some(index), length, print };
    }

    fn restore(&mut self, mark: Around) {
        self.here = Around { lasting: self.here.lasting, ..mark };
        self.here.inside = self.inside();
    }

    fn inside(&self) -> Rc<str> {
        Rc::from(self.names.prefix().trim_end_matches('.'))
    }

    fn end_of_in(&mut self) {
        if let Some(mark) = self.pending.take() {
            self.restore(mark);
        }
    }

    fn commands(&mut self, range: Range<usize>) {
        let mut start = range.start;
        for index in range.start + 1..range.end {
            if self.begins_command(start, index) {
                self.command(start..index);
                start = index;
            }
        }
        if start < range.end {
            self.command(start..range.end);
        }
    }

    /// A command begins with a name at the start of a line that is not indented, or after `in`;
    /// or with a known word at the start of any line.
    fn begins_command(&self, start: usize, index: usize) -> bool {
        let (Some(before), Some(here)) = (self.lexemes.get(index - 1), self.lexemes.get(index))
        else {
            return false;
        };
        let (spelling, first) = (here.text(self.text), here.first);
        let after_in = before.text(self.text) == "in";
        let starter = here.kind == TokenKind::Ident || matches!(spelling, "#" | "@[");
        let attribute = self.lexemes.get(start).is_some_and(|l| l.text(self.text) == "@[");
        let modifier = matches!(before.text(self.text), "local" | "scoped" | "private")
            || (attribute && before.text(self.text) == "]");
        let flush = first && here.column() == 0 && !modifier;
        (starter && (flush || after_in)) || (first && !modifier && self.is_command(here))
    }

    fn command(&mut self, range: Range<usize>) {
        let command = self.lexemes.get(range.clone()).unwrap_or_default();
        self.ended |= matches!(command, [a, b, ..] if a.text(self.text) == "#" && b.text(self.text) == "exit");
        if self.ended {
            return;
        }
        let around = self.here.clone();
        let is_in = command.last().is_some_and(|last| last.word == Word::In);
        if is_in {
            self.pending.get_or_insert_with(|| around.clone());
        }
        self.read(range.start, command);
        self.scopes.commands.push(Command { range, around });
        if !is_in {
            self.end_of_in();
        }
    }

    fn read(&mut self, start: usize, command: &'a [Sig]) {
        let mut depth = 0;
        let Some(key) = command.iter().position(|lexeme| {
            depth = (depth + lexeme.depth_change()).max(0);
            depth == 0 && lexeme.kind == TokenKind::Ident && lexeme.word != Word::Modifier
        }) else {
            return;
        };
        let (head, command) = command.split_at(key);
        let Some((first, rest)) = command.split_first() else { return };
        let print = print_all(lexemes::prints(self.text, command));
        match first.text(self.text) {
            "namespace" | "section" | "mutual" | "end" => self.scope(first.word, rest),
            "variable" | "variables" => self.variable(start + key + 1, rest, print),
            "include" => self.include(rest, true, print),
            "omit" => self.omit(rest, print),
            "open" | "export" => self.open(rest),
            // `local notation "x" => y`, `macro_rules | `(x) => `(y)`
            _ if self.is_notation(first) => {
                let local = head.iter().any(|l| matches!(l.text(self.text), "local" | "scoped"));
                let lasts = !local && self.pending.is_none();
                for signs in signs(self.text, command) {
                    self.say(Said::Notation { meaning: print, signs }, print, lasts);
                }
            }
            _ => {}
        }
    }

    fn is_notation(&self, word: &Sig) -> bool {
        use TrustKind::{Elab, Macro, Notation, Syntax};
        matches!(word.word, Word::Command(Cmd::Trusted(Notation | Macro | Syntax | Elab)))
            && word.text(self.text) != "declare_syntax_cat"
    }

    fn is_command(&self, word: &Sig) -> bool {
        use Word::{Command, End, Mutual, Namespace, Section};
        matches!(word.word, Namespace | Section | End | Mutual | Command(_))
            || matches!(word.text(self.text), "local" | "scoped")
    }

    fn name(&self, rest: &[Sig]) -> Option<&'a str> {
        let name = rest.first().filter(|lexeme| lexeme.kind == TokenKind::Ident)?;
        Some(name.text(self.text))
    }

    fn scope(&mut self, word: Word, rest: &[Sig]) {
        let mark = self.here.clone();
        let name = self.name(rest);
        match word {
            Word::Namespace => {
                name.map(|name| self.names.open_namespace(name));
            }
            Word::Section => self.names.open_section(name),
            Word::Mutual => self.names.open_section(None),
            _ => {
                let kept = self.names.close(name);
                if let Some(outermost) = kept.and_then(|kept| self.marks.drain(kept..).next()) {
                    self.restore(outermost);
                }
            }
        }
        self.marks.resize(self.names.depth(), mark);
        self.here.inside = self.inside();
    }

    fn open(&mut self, rest: &[Sig]) {
        let words = rest.iter().take_while(|l| l.text(self.text) != "in");
        let words: Vec<&str> = words.map(|lexeme| lexeme.text(self.text)).collect();
        let mut opens = self.here.opens.to_vec();
        match words.as_slice() {
            ["scoped", names @ ..] => {
                opens.extend(names.iter().map(|name| format!("scoped {name}")));
            }
            words if words.iter().any(|w| matches!(*w, "(" | "hiding" | "renaming")) => {
                opens.push(words.join(" "));
            }
            words => opens.extend(words.iter().map(|name| (*name).to_owned())),
        }
        let surplus = opens.len().saturating_sub(MOST_OPENS);
        opens.drain(..surplus);
        self.here.opens = Rc::new(opens);
    }

    fn variable(&mut self, start: usize, lexemes: &[Sig], command: u64) {
        for group in Tokens::read(self.text, lexemes).groups() {
            let Some([open, inner @ .., _]) = lexemes.get(group.clone()) else { continue };
            let group = start + group.start..start + group.end;
            let colon = inner.iter().position(|lexeme| lexeme.text(self.text) == ":");
            let is_instance = open.text(self.text) == "[";
            // Behind the name of an instance, not inside of its type.
            let colon = colon.filter(|at| !is_instance || *at == 1);
            let split = colon.unwrap_or(if is_instance { 0 } else { inner.len() });
            let (before, typed) = inner.split_at(split);
            let mut names = names(self.text, before);
            if typed.is_empty()
                && names.iter().all(|name| self.scopes.is_variable(*name, &self.here))
            {
                continue; // Only makes a variable implicit or explicit.
            }
            if is_instance {
                names.resize(1, 0);
            }
            // The name of an instance says nothing.
            let said = typed.get(usize::from(is_instance && colon.is_some())..).unwrap_or_default();
            let print = print_all(lexemes::prints(self.text, said));
            let mentions: Rc<[u64]> = mentioned(self.text, typed).into();
            let bound = bound_names(self.text, typed);
            // So short a name may be bound by Lean itself.
            let may_bind = |lexeme: &Sig| {
                let spelling = lexeme.text(self.text);
                let is_known = is_among(spelling, NUMBERS) || bound.contains(spelling);
                lexeme.kind == TokenKind::Ident && spelling.chars().count() < 3 && !is_known
            };
            let is_closed = !typed.iter().any(may_bind);
            for (nth, name) in names.into_iter().enumerate() {
                let (group, mentions) = (group.clone(), Rc::clone(&mentions));
                let one = Variable { group, nth, name, mentions, print, is_instance, is_closed };
                self.say(Said::Variable(one), command, false);
            }
        }
    }

    fn include(&mut self, lexemes: &[Sig], on: bool, command: u64) {
        for name in names(self.text, lexemes) {
            self.say(Said::Include(name, on), command, false);
        }
    }

    /// `omit a [Foo b]`: a name is included no longer, an instance not taken in by itself.
    fn omit(&mut self, lexemes: &[Sig], command: u64) {
        for group in Tokens::read(self.text, lexemes).groups() {
            let inner = lexemes.get(group.start + 1..group.end - 1).unwrap_or_default();
            let print = print_all(lexemes::prints(self.text, inner));
            self.say(Said::Omit(print), command, false);
        }
        self.include(lexemes, false, command);
    }
}

/// The signs to which a command gives a meaning: in strings, where only all of them together have it, or
/// each of those in the quoted patterns of macro rules. An empty one stands for all: a pattern without a sign of its own.
fn signs(text: &str, command: &[Sig]) -> Vec<Vec<Sign>> {
    if makes_no_term(text, command) {
        return Vec::new();
    }
    let mut found: Vec<Vec<Sign>> = Vec::new();
    // Signs of the head, and those in brackets, which may be missing: `("," term)?`. Of a choice each may stand alone.
    let (mut head, mut optional, mut has_choice) = (Vec::new(), Vec::new(), false);
    let (mut depth, mut is_head, mut previous) = (0usize, true, "");
    // How many signs were found before the quotation that is open.
    let mut quoted: Option<usize> = None;
    for lexeme in command {
        let spelling = lexeme.text(text);
        depth += usize::from(lexeme.kind == TokenKind::Open);
        let in_pattern = quoted.is_some() && !matches!(previous, "$" | ":");
        match lexeme.kind {
            TokenKind::Str | TokenKind::InterpStart if is_head => {
                let atom = spelling.trim_matches('"').trim();
                let sign: Sign = lexemes::prints(atom, &lexemes::lexemes(atom)).collect();
                if depth == 0 { head.push(sign) } else { optional.push(vec![sign]) }
            }
            TokenKind::Open if is_head && spelling.starts_with('`') => quoted = Some(found.len()),
            TokenKind::Close if depth == 1 => {
                let is_empty = quoted.take() == Some(found.len());
                found.extend(is_empty.then(|| vec![Vec::new()]));
            }
            _ if depth == 0 && matches!(spelling, "=>" | "↦") => is_head = false,
            _ if depth == 0 && spelling == "|" => is_head = true,
            _ if is_head && spelling.starts_with("<|") => has_choice = true,
            _ if in_pattern && says_something(spelling) => {
                found.push(vec![vec![print_of(spelling)]]);
            }
            _ => {}
        }
        depth = depth.saturating_sub(usize::from(lexeme.kind == TokenKind::Close));
        previous = spelling;
    }
    if has_choice {
        optional.extend(head.drain(..).map(|sign| vec![sign]));
    }
    found.extend(if head.is_empty() { optional } else { vec![head] });
    found
}

/// Whether a command is about tactics or commands: these stand in no statement.
fn makes_no_term(text: &str, command: &[Sig]) -> bool {
    let mut depth = 0;
    let head = command.iter().take_while(|lexeme| {
        depth += lexeme.depth_change();
        depth > 0 || !matches!(lexeme.text(text), "=>" | "↦" | "|")
    });
    let head: Vec<&str> = head.map(|lexeme| lexeme.text(text)).collect();
    matches!(head.as_slice(), [.., ":", "tactic" | "conv" | "tacticSeq" | "command" | "attr"])
}

fn says_something(spelling: &str) -> bool {
    !matches!(spelling, "," | ":" | "|" | "$" | "." | ")" | "]" | "}" | "⟩")
}
