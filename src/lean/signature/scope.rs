//! What stands around a declaration and belongs to its statement: `variable`, `include`, `omit`,
//! `open`, `namespace`, notation and macros. One walk reads the commands of a file; what of it a
//! statement takes in is looked up where somebody asks. Nothing here depends on where things stand, only
//! on what they say and in which order.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::lexemes::{self, groups, within};
use super::spelling::{print_all, print_of};
use crate::lean::kind::TrustKind;
use crate::lean::records::Outline;
use crate::lean::scope::Scopes as Names;
use crate::lean::sig::Sig;
use crate::lean::token::TokenKind;
use crate::lean::word::{Cmd, Word};
use crate::text::is_among;

/// More open namespaces are not told apart.
const MOST_OPENS: usize = 64;

/// In more open namespaces a name is not looked for.
const MOST_MEANT: usize = 24;

const MOST_STEPS: usize = 500;

/// More instances or notations that speak of one name are not looked at.
const MOST_ALIKE: usize = 50;

#[derive(Debug, Clone, Copy)]
struct Reach {
    from: u32,
    to: u32,
}

impl Reach {
    const fn from(from: u32) -> Self {
        Self { from, to: u32::MAX }
    }

    fn holds(self, at: u32) -> bool {
        self.from <= at && at < self.to
    }
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) group: Range<usize>,
    pub(super) nth: usize,
    name: u64,
    mentions: Rc<[u64]>,
    print: u64,
    is_instance: bool,
    reach: usize,
    omitted: Vec<Reach>,
}

#[derive(Debug)]
struct Notation {
    meaning: u64,
    sign: Vec<u64>,
    reach: usize,
}

#[derive(Debug, Default, Clone)]
pub(in crate::lean) struct Around {
    pub(super) at: u32,
    /// Equal where the same was said of variables and of notation so far.
    pub(in crate::lean) print: u64,
    /// The namespaces that are opened, outermost first.
    pub(in crate::lean) opens: Rc<Vec<String>>,
    /// The namespace around it, with a dot behind it.
    pub(in crate::lean) namespace: Rc<str>,
}

impl Around {
    /// The namespace around it, without a final dot; empty at the top.
    pub(in crate::lean) fn inside(&self) -> &str {
        self.namespace.strip_suffix('.').unwrap_or_default()
    }

    /// The full names that a name may mean in a namespace, in Lean's order; never none.
    pub(in crate::lean) fn meanings(&self, written: &str, namespace: &str) -> Vec<String> {
        if let Some(absolute) = written.strip_prefix("_root_.") {
            return vec![absolute.to_owned()];
        }
        let ends = |word: &&str| !matches!(*word, "scoped" | "hiding" | "renaming" | "(");
        let opens = self.opens.iter().flat_map(|open| open.split(' ').take_while(ends));
        let plain = |name: &'_ str| name.strip_prefix("_root_.").unwrap_or(name).to_owned();
        let opens = opens.flat_map(|name| from_inside(self.inside(), &plain(name)));
        let mut opened: Vec<String> = Vec::new();
        for open in opens {
            if !opened.contains(&open) {
                opened.push(open);
            }
        }
        opened.truncate(MOST_MEANT);
        let opened = opened.into_iter().map(|open| [&open, ".", written].concat());
        from_inside(namespace, written).into_iter().chain(opened).collect()
    }
}

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
    /// From where to where what is said of variables and notation holds.
    reaches: Vec<Reach>,
    variables: Vec<Variable>,
    by_name: HashMap<u64, Vec<usize>>,
    instances: HashMap<u64, Vec<usize>>,
    /// Instances that speak of no variable: every statement in their scope takes them in.
    closed: Vec<usize>,
    included: Vec<(u64, bool, usize)>,
    notations: Vec<Notation>,
    /// By the first lexeme of the sign; under 0 those that may give anything a meaning.
    by_sign: HashMap<u64, Vec<usize>>,
}

impl Scopes {
    pub(in crate::lean) fn read(text: &str, lexemes: &[Sig], outline: &Outline) -> Self {
        let mut walk = Walk::new(text, lexemes);
        let mut at = 0;
        let mut index = 0;
        while let Some(declaration) = outline.declarations.get(index) {
            let span = within(lexemes, &declaration.span);
            walk.commands(at..span.start.max(at));
            let same = outline.declarations.iter().skip(index);
            let same = same.take_while(|other| other.span == declaration.span).count().max(1);
            let around = walk.around();
            walk.scopes.around.extend(std::iter::repeat_n(around, same));
            walk.clock += 1;
            walk.end_of_in();
            at = span.end.max(at);
            index += same;
        }
        walk.commands(at..lexemes.len());
        walk.scopes
    }

    /// The variables that a statement with these names takes in, in order, and their print.
    pub(super) fn taken(
        &self,
        around: &Around,
        names: impl Iterator<Item = u64>,
    ) -> (u64, Vec<&Variable>) {
        if self.variables.is_empty() {
            return (0, Vec::new());
        }
        let mut included: HashMap<u64, bool> = HashMap::new();
        let mut taken: BTreeSet<usize> = BTreeSet::new();
        let closed = self.closed.iter().rev().take(MOST_ALIKE).copied();
        taken.extend(closed.filter(|index| {
            self.variables.get(*index).is_some_and(|one| self.is_taken(one, around.at))
        }));
        let in_scope = self.included.iter().filter(|(.., reach)| self.holds(*reach, around.at));
        included.extend(in_scope.map(|(name, on, _)| (*name, *on)));
        let asked = included.into_iter().filter(|(_, on)| *on).map(|(name, _)| name);
        let mut open: Vec<u64> = names.chain(asked).collect();
        let mut seen: HashSet<u64> = HashSet::new();
        let mut steps = 0;
        while let Some(name) = open.pop().filter(|_| steps < MOST_STEPS) {
            steps += 1;
            if !seen.insert(name) {
                continue;
            }
            let Some(index) = self.variable(name, around.at) else { continue };
            if let Some(variable) = self.variables.get(index).filter(|_| taken.insert(index)) {
                open.extend(&*variable.mentions);
            }
            for (index, instance) in self.instances_of(name, around.at) {
                // It is taken in when all variables that it speaks of are.
                let mut mentions = instance.mentions.iter();
                let all = mentions
                    .all(|name| seen.contains(name) || self.variable(*name, around.at).is_none());
                if all && taken.insert(index) {
                    open.push(instance.name);
                }
            }
        }
        let variables = taken.iter().filter_map(|index| self.variables.get(*index));
        let mut prints: Vec<(u64, u64)> = variables
            .clone()
            .map(|one| (if one.is_instance { 0 } else { one.name }, one.print))
            .collect();
        prints.sort_unstable();
        let print = print_all(prints.iter().flat_map(|(name, print)| [*name, *print]));
        (if prints.is_empty() { 0 } else { print }, variables.collect())
    }

    pub(super) fn variable(&self, name: u64, at: u32) -> Option<usize> {
        let all = self.by_name.get(&name)?.iter().rev().copied();
        let reaches =
            |index: &usize| self.variables.get(*index).is_some_and(|v| self.holds(v.reach, at));
        all.take(MOST_STEPS).find(reaches)
    }

    fn instances_of(&self, name: u64, at: u32) -> impl Iterator<Item = (usize, &Variable)> {
        let all = self.instances.get(&name).into_iter().flatten().rev().take(MOST_ALIKE);
        let all = all.filter_map(|index| Some((*index, self.variables.get(*index)?)));
        all.filter(move |(_, one)| self.is_taken(one, at))
    }

    fn holds(&self, reach: usize, at: u32) -> bool {
        self.reaches.get(reach).is_some_and(|reach| reach.holds(at))
    }

    fn is_taken(&self, one: &Variable, at: u32) -> bool {
        self.holds(one.reach, at) && !one.omitted.iter().any(|reach| reach.holds(at))
    }

    pub(super) fn meanings(&self, text: &str, around: &Around, statement: &[Sig]) -> u64 {
        if self.notations.is_empty() {
            return 0;
        }
        let mut found = Vec::new();
        let mut add = |first: u64, here: &[Sig]| {
            let all = self.by_sign.get(&first).into_iter().flatten().rev().take(MOST_ALIKE);
            let notations = all.filter_map(|index| self.notations.get(*index));
            let fits = notations
                .filter(|one| self.holds(one.reach, around.at) && begins(text, here, &one.sign));
            found.extend(fits.map(|one| one.meaning));
        };
        add(0, &[]);
        for (at, lexeme) in statement.iter().enumerate() {
            add(print_of(lexeme.text(text)), statement.get(at..).unwrap_or_default());
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() { 0 } else { print_all(found) }
    }
}

fn begins(text: &str, here: &[Sig], sign: &[u64]) -> bool {
    let row = lexemes::prints(text, here).zip(sign).all(|(here, print)| here == *print);
    let mut joints = here.windows(2).take(sign.len().saturating_sub(1));
    row && here.len() >= sign.len() && joints.all(|pair| pair[0].end() == pair[1].start())
}

/// The prints of the names among lexemes; of `a.b` also of `a`, which may be a variable.
pub(super) fn names(text: &str, lexemes: &[Sig]) -> Vec<u64> {
    let names = lexemes.iter().filter(|lexeme| lexeme.kind == TokenKind::Ident);
    names.flat_map(|lexeme| prints(lexeme.text(text))).collect()
}

/// The print of a name, and of its first part.
pub(super) fn prints(name: &str) -> impl Iterator<Item = u64> {
    let first = name.split_once('.').map(|(first, _)| first).filter(|first| !first.is_empty());
    std::iter::once(print_of(name)).chain(first.map(print_of))
}

#[derive(Clone)]
struct Mark {
    opened: usize,
    print: u64,
    opens: Rc<Vec<String>>,
}

struct Walk<'a> {
    text: &'a str,
    lexemes: &'a [Sig],
    scopes: Scopes,
    clock: u32,
    names: Names<'a>,
    /// What stood before each scope that is open.
    marks: Vec<Mark>,
    print: u64,
    lasting: u64,
    opens: Rc<Vec<String>>,
    namespace: Rc<str>,
    /// Reaches that end with the scope.
    opened: Vec<usize>,
    pending: Option<(Mark, Vec<usize>)>,
    ended: bool,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str, lexemes: &'a [Sig]) -> Self {
        Self {
            text,
            lexemes,
            scopes: Scopes::default(),
            clock: 0,
            names: Names::default(),
            marks: Vec::new(),
            print: 0,
            lasting: 0,
            opens: Rc::default(),
            namespace: Rc::from(""),
            opened: Vec::new(),
            pending: None,
            ended: false,
        }
    }

    fn around(&self) -> Around {
        let print = if self.print == 0 && self.lasting == 0 {
            0
        } else {
            print_all([self.print, self.lasting])
        };
        let (opens, namespace) = (Rc::clone(&self.opens), Rc::clone(&self.namespace));
        Around { at: self.clock, print, opens, namespace }
    }

    fn mark(&self) -> Mark {
        Mark { opened: self.opened.len(), print: self.print, opens: Rc::clone(&self.opens) }
    }

    fn restore(&mut self, mark: Mark) {
        for reach in self.opened.drain(mark.opened.min(self.opened.len())..) {
            if let Some(reach) = self.scopes.reaches.get_mut(reach) {
                reach.to = self.clock;
            }
        }
        (self.print, self.opens) = (mark.print, mark.opens);
    }

    fn end_of_in(&mut self) {
        if let Some((mark, omitted)) = self.pending.take() {
            for index in omitted {
                let variable = self.scopes.variables.get_mut(index);
                if let Some(reach) = variable.and_then(|variable| variable.omitted.last_mut()) {
                    reach.to = self.clock;
                }
            }
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
        let blanks = self.text.get(before.end()..here.start()).unwrap_or_default();
        let spelling = here.text(self.text);
        let first = blanks.contains('\n');
        let after_in = before.text(self.text) == "in";
        let starter = here.kind == TokenKind::Ident || matches!(spelling, "#" | "@[");
        let attribute = self.lexemes.get(start).is_some_and(|l| l.text(self.text) == "@[");
        let modifier = matches!(before.text(self.text), "local" | "scoped" | "private")
            || (attribute && before.text(self.text) == "]");
        let flush = first && blanks.ends_with('\n') && !modifier;
        (starter && (flush || after_in)) || (first && !modifier && self.is_command(here))
    }

    fn command(&mut self, range: Range<usize>) {
        let command = self.lexemes.get(range.clone()).unwrap_or_default();
        self.ended |= matches!(command, [a, b, ..] if a.text(self.text) == "#" && b.text(self.text) == "exit");
        if self.ended {
            return;
        }
        self.clock += 1;
        let around = self.around();
        let is_in = command.last().is_some_and(|last| last.word == Word::In);
        let was_pending = self.pending.is_some();
        if is_in && !was_pending {
            self.pending = Some((self.mark(), Vec::new()));
        }
        self.read(range.start, command);
        self.scopes.commands.push(Command { range, around });
        if !is_in && was_pending {
            self.clock += 1;
            self.end_of_in();
        }
    }

    fn read(&mut self, start: usize, command: &'a [Sig]) {
        let Some(key) = self.keyword(command) else { return };
        let Some(first) = command.get(key) else { return };
        let word = first.text(self.text);
        let rest = command.get(key + 1..).unwrap_or_default();
        match word {
            "namespace" | "section" | "mutual" | "end" => return self.scope(first.word, rest),
            "variable" | "variables" => self.variable(start + key + 1, rest),
            "include" => self.include(rest, true),
            "omit" => self.omit(rest),
            "open" => return self.open(rest),
            _ if self.is_notation(first) => {
                let head = command.get(..key).unwrap_or_default();
                let local = head.iter().any(|l| matches!(l.text(self.text), "local" | "scoped"));
                let local = local || self.pending.is_some();
                return self.notation(command.get(key..).unwrap_or_default(), local);
            }
            _ => return,
        }
        let said = lexemes::prints(self.text, rest);
        self.print = print_all([self.print, print_of(word)].into_iter().chain(said));
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

    fn keyword(&self, command: &[Sig]) -> Option<usize> {
        const MODIFIERS: &str = "local scoped private public meta noncomputable";
        let mut depth = 0;
        command.iter().position(|lexeme| {
            depth = (depth + lexeme.depth_change()).max(0);
            let is_word = depth == 0 && lexeme.kind == TokenKind::Ident;
            is_word && !is_among(lexeme.text(self.text), MODIFIERS)
        })
    }

    fn name(&self, rest: &[Sig]) -> Option<&'a str> {
        let name = rest.first().filter(|lexeme| lexeme.kind == TokenKind::Ident)?;
        Some(name.text(self.text))
    }

    fn scope(&mut self, word: Word, rest: &[Sig]) {
        let mark = self.mark();
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
        self.namespace = Rc::from(self.names.prefix());
    }

    fn open(&mut self, rest: &[Sig]) {
        let words = rest.iter().take_while(|l| l.text(self.text) != "in");
        let words: Vec<&str> = words.map(|lexeme| lexeme.text(self.text)).collect();
        let mut opens = self.opens.to_vec();
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
        self.opens = Rc::new(opens);
    }

    fn variable(&mut self, start: usize, lexemes: &[Sig]) {
        for group in groups(lexemes) {
            let Some([open, inner @ .., _]) = lexemes.get(group.clone()) else { continue };
            let group = start + group.start..start + group.end;
            let colon = inner.iter().position(|lexeme| lexeme.text(self.text) == ":");
            let is_instance = open.text(self.text) == "[";
            let split = colon.unwrap_or(if is_instance { 0 } else { inner.len() });
            let (before, typed) = inner.split_at(split);
            // The name of an instance says nothing.
            let said = typed.get(usize::from(is_instance && colon.is_some())..).unwrap_or_default();
            let mentions: BTreeSet<u64> = names(self.text, typed).into_iter().collect();
            let mentions: Rc<[u64]> = mentions.into_iter().collect();
            let print = print_all(lexemes::prints(self.text, said));
            let bound = names(self.text, before);
            let known = |name: &u64| self.scopes.variable(*name, self.clock).is_some();
            if typed.is_empty() && bound.iter().all(known) {
                continue; // Only makes a variable implicit or explicit.
            }
            // So short a name may be bound by Lean itself.
            let may_bind = |lexeme: &Sig| {
                lexeme.kind == TokenKind::Ident && lexeme.text(self.text).chars().count() < 3
            };
            let closed = is_instance && !typed.iter().any(may_bind) && !mentions.iter().any(known);
            let bound = if is_instance { vec![bound.first().copied().unwrap_or(0)] } else { bound };
            for (nth, name) in bound.into_iter().enumerate() {
                let (mentions, group) = (Rc::clone(&mentions), group.clone());
                let reach = self.reach(true);
                let index = self.scopes.variables.len();
                if name != 0 {
                    self.scopes.by_name.entry(name).or_default().push(index);
                }
                for mentioned in mentions.iter().filter(|_| is_instance) {
                    self.scopes.instances.entry(*mentioned).or_default().push(index);
                }
                if closed {
                    self.scopes.closed.push(index);
                }
                let omitted = Vec::new();
                self.scopes.variables.push(Variable {
                    group,
                    nth,
                    name,
                    mentions,
                    print,
                    is_instance,
                    reach,
                    omitted,
                });
            }
        }
    }

    fn include(&mut self, lexemes: &[Sig], on: bool) {
        for name in names(self.text, lexemes) {
            let reach = self.reach(true);
            self.scopes.included.push((name, on, reach));
        }
    }

    /// `omit a [Foo b]`: a name is included no longer, an instance not taken in by itself. An
    /// instance comes back with the end of the file only, where nothing depends on it.
    fn omit(&mut self, lexemes: &[Sig]) {
        for group in groups(lexemes) {
            let Some([_, inner @ .., _]) = lexemes.get(group) else { continue };
            let print = print_all(lexemes::prints(self.text, inner));
            let mut omitted = Vec::new();
            for index in (0..self.scopes.variables.len()).rev().take(MOST_STEPS) {
                let Some(variable) = self.scopes.variables.get(index) else { continue };
                let is_meant = variable.is_instance && variable.print == print;
                if is_meant && self.scopes.is_taken(variable, self.clock) {
                    omitted.push(index);
                }
            }
            for index in &omitted {
                if let Some(variable) = self.scopes.variables.get_mut(*index) {
                    variable.omitted.push(Reach::from(self.clock));
                }
            }
            self.pending.iter_mut().for_each(|(_, pending)| pending.append(&mut omitted));
        }
        self.include(lexemes, false);
    }

    /// `local notation "x" => y`, `macro_rules | `(x) => `(y)`, from the keyword on.
    fn notation(&mut self, command: &[Sig], is_local: bool) {
        let meaning = print_all(lexemes::prints(self.text, command));
        let print = if is_local { &mut self.print } else { &mut self.lasting };
        *print = print_all([*print, meaning]);
        for sign in signs(self.text, command) {
            let reach = self.reach(is_local);
            let first = sign.first().copied().unwrap_or(0);
            let index = self.scopes.notations.len();
            self.scopes.by_sign.entry(first).or_default().push(index);
            self.scopes.notations.push(Notation { meaning, sign, reach });
        }
    }

    fn reach(&mut self, ends: bool) -> usize {
        let index = self.scopes.reaches.len();
        self.scopes.reaches.push(Reach::from(self.clock));
        self.opened.extend(ends.then_some(index));
        index
    }
}

/// The signs to which a command gives a meaning: in strings, or each of those in the quoted patterns
/// of macro rules. An empty one stands for all: a pattern without a sign of its own.
fn signs(text: &str, command: &[Sig]) -> Vec<Vec<u64>> {
    let mut found: Vec<Vec<u64>> = Vec::new();
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
                found.push(lexemes::prints(atom, &lexemes::lexemes(atom)).collect());
            }
            TokenKind::Open if is_head && spelling.starts_with('`') => quoted = Some(found.len()),
            TokenKind::Close if depth == 1 => {
                let is_empty = quoted.take() == Some(found.len());
                found.extend(is_empty.then(Vec::new));
            }
            _ if depth == 0 && matches!(spelling, "=>" | "↦") => is_head = false,
            _ if depth == 0 && spelling == "|" => is_head = true,
            _ if in_pattern && says_something(spelling) => found.push(vec![print_of(spelling)]),
            _ => {}
        }
        depth = depth.saturating_sub(usize::from(lexeme.kind == TokenKind::Close));
        previous = spelling;
    }
    found
}

fn says_something(spelling: &str) -> bool {
    !matches!(spelling, "," | ":" | "|" | "$" | "." | ")" | "]" | "}" | "⟩")
}
