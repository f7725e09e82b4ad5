//! The audit of one Lean file: what is not proved in it, what has to be trusted, what may mean
//! something else than it seems to.
//!
//! It is text, not Lean: it sees what stands in the file. A gap in an imported file, a macro of
//! another file, and what a metaprogram does when it runs are out of its reach; for those there are
//! `#print axioms` and independent checkers.

mod changes;
mod selection;
mod statements;
mod tokens;
mod vocabulary;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::memchr_iter;
use serde::Serialize;

pub use changes::{Changes, changes, settle};
pub use selection::{Allowance, Selection};
pub use statements::is_operation_on_any_type;
pub use vocabulary::COMPUTED;

use crate::guard::FalseLemma;
pub use crate::guard::lemma::Search as FalseLemmas;
use crate::guard::lemma::Sighting;
use crate::guard::rules::Rule;
use crate::lean::{
    self, DeclKind, Declaration, Mention, Outline, ProblemKind, TokenKind, Trust, TrustKind,
};
use crate::text::{clean, clip, one_line};
pub(super) use vocabulary::{is_checking_command, is_operator, makes_gaps};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub rule: Rule,
    pub line: usize,
    /// Characters before it on the line, as Lean counts.
    pub column: usize,
    pub length: usize,
    /// The declaration that it is in: its full name, or its keyword where it has none.
    pub declaration: Option<String>,
    pub what: String,
    pub excerpt: String,
    pub past: Option<Past>,
}

impl Hit {
    fn at(rule: Rule, span: &Range<usize>, text: &str, lines: &Lines<'_>) -> Self {
        let (line, column) = lines.place(span.start);
        let words = text.get(span.clone()).unwrap_or_default();
        let length = words.split('\n').next().unwrap_or_default().chars().count().max(1);
        let excerpt = lines.excerpt(span.start);
        let what = String::new();
        Self { rule, line, column, length, declaration: None, what, excerpt, past: None }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Past {
    #[serde(skip)]
    pub name: Option<String>,
    pub line_old: Option<usize>,
    /// Its line in the new version; `None` where it is gone.
    pub line_new: Option<usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    pub hits: Vec<Hit>,
    pub declarations: usize,
}

/// What is known from elsewhere and looked for in a text.
#[derive(Clone, Copy, Default)]
pub struct Knowledge<'a> {
    pub moved: Option<&'a lean::Moved<'a>>,
    pub false_lemmas: Option<&'a FalseLemmas<'a>>,
}

/// Looks at a text. Total, and linear in its length.
pub fn audit(text: &str, knowledge: Knowledge<'_>) -> Audit {
    outlined(text, &lean::skim(text), Some(knowledge))
}

/// The same of a text whose outline is known; without knowledge only what each declaration shows by itself.
pub fn outlined(text: &str, outline: &Outline, knowledge: Option<Knowledge<'_>>) -> Audit {
    let mut reader = Reader { text, lines: Lines::of(text), outline, found: Vec::new() };
    reader.gaps();
    reader.trust();
    reader.problems();
    statements::read(&mut reader);
    tokens::read(&mut reader);
    if let Some(Knowledge { moved, false_lemmas }) = knowledge {
        reader.rests();
        if let Some(moved) = moved {
            reader.moved(moved);
        }
        if let Some(lemmas) = false_lemmas {
            reader.false_lemmas(lemmas);
        }
    }
    reader.found.sort_by_key(|found| (found.span.start, found.rule));
    reader.found.dedup_by_key(|found| (found.span.start, found.rule));
    let hits = reader.found.iter().map(|found| reader.hit(found)).collect();
    Audit { hits, declarations: outline.declarations.len() }
}

struct Found {
    rule: Rule,
    span: Range<usize>,
    what: String,
}

struct Reader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    outline: &'a Outline,
    found: Vec<Found>,
}

impl Reader<'_> {
    fn note(&mut self, rule: Rule, span: Range<usize>, what: &str) {
        self.found.push(Found { rule, span, what: one_line(what) });
    }

    /// By the word of a kind of gap or trust, which is the code of its rule.
    fn note_kind(&mut self, kind: &str, span: Range<usize>, what: &str) {
        if let Some(rule) = Rule::from_code(kind) {
            self.note(rule, span, what);
        }
    }

    fn gaps(&mut self) {
        let outline = self.outline;
        for gap in outline.declarations.iter().flat_map(|d| &d.gaps) {
            self.note_kind(gap.kind.as_str(), gap.span.clone(), gap.kind.as_str());
        }
        for gap in &outline.loose_gaps {
            self.note(Rule::LooseGap, gap.span.clone(), gap.kind.as_str());
        }
    }

    fn trust(&mut self) {
        for trust in self.outline.trust() {
            let start = trust.start;
            let rest = self.text.get(start..).unwrap_or_default();
            let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let rewrites = rest.starts_with("macro_rules") || rest.starts_with("elab_rules");
            let kind = match trust.kind {
                TrustKind::Macro | TrustKind::Elab if rewrites => Rule::MacroRules.code(),
                kind => kind.as_str(),
            };
            self.note_kind(kind, start..start + word, &trust.what);
        }
    }

    fn problems(&mut self) {
        for problem in &self.outline.problems {
            let rule = match problem.kind {
                ProblemKind::UnmatchedEnd | ProblemKind::NamespaceTooDeep => Rule::UnmatchedEnd,
                // `#exit` itself is reported.
                ProblemKind::CodeAfterExit => continue,
                ProblemKind::UnterminatedComment
                | ProblemKind::UnterminatedString
                | ProblemKind::UnterminatedName => Rule::Unreadable,
            };
            let start = self.lines.start(problem.line);
            self.note(rule, start..start + 1, problem.kind.as_str());
        }
    }

    /// What uses an open declaration or an axiom of the file, directly or through others.
    fn rests(&mut self) {
        let all = &self.outline.declarations;
        let trusts =
            |one: &Trust| matches!(one.kind, TrustKind::NativeDecide | TrustKind::OfReduceBool);
        let is_open = |one: &Declaration| {
            let is_given = one.kind != DeclKind::Axiom && one.gaps.is_empty();
            one.name.is_some() && (!is_given || one.trust.iter().any(trusts))
        };
        if !all.iter().any(is_open) {
            return;
        }
        let names = || all.iter().filter_map(|one| one.name.as_deref());
        let last: HashSet<&str> = names().map(lean::last_part).collect();
        let wanted = |name: &str| last.contains(lean::last_part(name));
        let whole = 0..self.text.len();
        let uses = lean::mentions(self.text, self.outline, &whole, wanted);
        let mut users: HashMap<&str, Vec<(&str, &Mention)>> = HashMap::new();
        for used in uses.iter().filter(|used| used.is_declared) {
            let user = used.declaration.and_then(|index| all.get(index)?.name.as_deref());
            let (Some(user), [name]) = (user, used.names.as_slice()) else { continue };
            users.entry(name).or_default().push((user, used));
        }
        let open = all.iter().filter(|one| is_open(one)).filter_map(|one| one.name.as_deref());
        let mut waiting: Vec<&str> = open.collect();
        let mut open: HashSet<&str> = waiting.iter().copied().collect();
        while let Some(name) = waiting.pop() {
            for (user, used) in users.remove(name).unwrap_or_default() {
                if open.insert(user) {
                    self.note(Rule::RestsOn, used.span.clone(), name);
                    waiting.push(user);
                }
            }
        }
    }

    fn moved(&mut self, moved: &lean::Moved<'_>) {
        for (mention, old) in moved.uses(self.text, self.outline, &(0..self.text.len())) {
            self.note(Rule::MovedName, mention.span, old);
        }
    }

    fn owner(&self, offset: usize) -> Option<&Declaration> {
        let declarations = &self.outline.declarations;
        let after = declarations.partition_point(|d| d.span.start <= offset);
        let nearest = declarations.get(after.checked_sub(1)?)?;
        (offset < nearest.span.end).then_some(nearest)
    }

    fn hit(&self, found: &Found) -> Hit {
        let owner = self.owner(found.span.start);
        let name = owner.map(|d| d.name.clone().unwrap_or_else(|| d.kind.as_str().to_owned()));
        Hit {
            declaration: name,
            what: clip(&found.what, found.rule.longest()),
            ..Hit::at(found.rule, &found.span, self.text, &self.lines)
        }
    }
}

impl Audit {
    /// Only the hits that are new since an earlier version of the same file. A hit is the same if
    /// rule, declaration and line of code are: lines may move, and of two alike one may be new.
    #[must_use]
    pub fn since(self, before: &Self) -> Self {
        let hits = lean::surplus(&self.hits, &before.hits, identity).into_iter().cloned().collect();
        Self { hits, ..self }
    }
}

fn identity(hit: &Hit) -> (Rule, Option<&str>, &str) {
    (hit.rule, hit.declaration.as_deref(), &hit.excerpt)
}

impl Reader<'_> {
    /// Every use, and every declaration that states one, once for each.
    fn false_lemmas(&mut self, lemmas: &FalseLemmas<'_>) {
        if lemmas.lemmas.is_empty() {
            return;
        }
        for sighting in lemmas.sightings(self.text, self.outline, |_| true) {
            let Some(lemma) = lemmas.lemmas.get(sighting.lemma) else { continue };
            let rest = self.text.get(sighting.start..).unwrap_or_default();
            let first = lean::lex(rest.get(..rest.floor_char_boundary(LONGEST)).unwrap_or(rest));
            let length = first.first().filter(|token| token.kind == TokenKind::Ident);
            let end = sighting.start + length.map_or(1, |token| token.end);
            let what = sentence(lemma, &sighting);
            let rule = if sighting.is_unsure { Rule::FalseWords } else { Rule::FalseLemma };
            self.note(rule, sighting.start..end, &what);
        }
    }
}

/// Longer names are not marked to their ends.
const LONGEST: usize = 500;

fn sentence(lemma: &FalseLemma, sighting: &Sighting) -> String {
    let twin = match (sighting.states, lemma.name.as_str()) {
        (true, name) if sighting.is_unsure => format!(
            "this has the words of {}, over a definition here of which the record says nothing; it",
            if name.is_empty() { "a lemma that".to_owned() } else { format!("`{name}`") }
        ),
        (false, name) => format!("`{name}`"),
        (true, "") => "this".to_owned(),
        (true, name) => format!("this states what `{name}` states, which"),
    };
    let sure = if lemma.claimed { "is said to be false" } else { "is known to be false" };
    let reasons = lemma.reasons();
    let between = if reasons.is_empty() { "" } else { ": " };
    format!("{twin} {sure}{between}{reasons}")
}

/// Widest excerpt, in columns.
const WIDTH: usize = 120;

struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The place that was asked for last and its column: a line of megabytes is read once.
    last: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let ends = memchr_iter(b'\n', text.as_bytes());
        let starts = [0].into_iter().chain(ends.map(|end| end + 1)).collect();
        Self { text, starts, last: Cell::default() }
    }

    /// Where a line begins, from 1.
    fn start(&self, line: usize) -> usize {
        let start = self.starts.get(line.saturating_sub(1)).or(self.starts.last());
        start.copied().unwrap_or(0)
    }

    fn begins(&self, offset: usize) -> bool {
        self.starts.binary_search(&offset).is_ok()
    }

    /// The line of an offset, and the characters before it on the line.
    fn place(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.start(line);
        let is_before = |(from, _): &(usize, usize)| (start..=offset).contains(from);
        let (from, passed) = Some(self.last.get()).filter(is_before).unwrap_or((start, 0));
        let rest = self.text.get(from..offset).unwrap_or_default();
        let column = passed + rest.chars().count();
        self.last.set((offset, column));
        (line, column)
    }

    /// The line around an offset, clipped so that the offset is in it.
    fn excerpt(&self, offset: usize) -> String {
        let start = self.start(self.starts.partition_point(|&start| start <= offset));
        // The start is moved near the offset where the line is long.
        let near = self.text.floor_char_boundary(offset.saturating_sub(WIDTH / 2)).max(start);
        let start = if offset - start > WIDTH { near } else { start };
        let rest = self.text.get(start..).unwrap_or_default();
        let rest = rest.get(..rest.floor_char_boundary(4 * WIDTH)).unwrap_or(rest);
        clip(clean(rest.split('\n').next().unwrap_or_default()).trim(), WIDTH)
    }
}
