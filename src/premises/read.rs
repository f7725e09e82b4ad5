//! What a Lean file offers to be used elsewhere: each declaration with its statement in one line, its docstring, and
//! the words under which it is looked for.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::lean::{self, DeclKind, Declaration, Declared, Deprecation, Statements};
use crate::store::{Piece, each_camel_part, is_empty_word, is_word_char, pieces};

use super::additive;
use super::index::Term;

/// The statement of `alias ⟨one, other⟩ := both` until the aliases are resolved: it says less than what it is one of.
const ONE_SIDE: &str = "⟨⟩";

/// A longer statement or docstring is stored in part.
const LONGEST_STATEMENT: usize = 4_000;
const LONGEST_DOC: usize = 1_500;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Premise {
    /// In full, as Lean knows it.
    pub(crate) name: String,
    pub(crate) kind: String,
    /// Behind the name, with the `variable`s that it takes in.
    pub(crate) statement: String,
    pub(crate) module: String,
    pub(crate) line: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) doc: String,
    /// What to use instead, where it is deprecated; empty for nothing that is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<String>,
    /// What it is another name of; its additive twin's original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<String>,
}

/// Where a word of a premise stands; each place has its own weight.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// The last part of its name.
    Name,
    Namespace,
    Statement,
    Module,
    /// The first sentence of its docstring, and the rest.
    Doc,
    Rest,
}

pub(super) const PLACES: usize = 6;

/// How often a term stands in each place.
pub(super) type Counts = [u8; PLACES];

/// A deprecated name. Which of its candidates it was replaced by, another package may decide.
#[derive(Debug, Clone)]
pub(crate) struct Old {
    pub(crate) one: Deprecation,
    pub(crate) module: String,
}

/// What files offer, each in its order.
#[derive(Debug, Default)]
pub(super) struct Library {
    pub(super) premises: Vec<Premise>,
    pub(super) olds: Vec<Old>,
    declared: Declared,
}

impl Library {
    pub(super) fn add(mut self, other: Self) -> Self {
        self.premises.extend(other.premises);
        self.olds.extend(other.olds);
        self.declared.extend(other.declared);
        self
    }

    /// Says what aliases and new names mean, as far as these files declare it.
    pub(super) fn resolved(mut self) -> Self {
        resolve_aliases(&mut self.premises);
        self.leave_out_unknown();
        for Old { one, .. } in &mut self.olds {
            one.resolve(&self.declared);
        }
        let new: HashMap<&str, &Deprecation> =
            self.olds.iter().map(|old| (old.one.old.as_str(), &old.one)).collect();
        for premise in self.premises.iter_mut().filter(|one| one.deprecated.is_some()) {
            let known = new.get(premise.name.as_str()).and_then(|one| one.new.clone());
            premise.deprecated = known.or(premise.deprecated.take());
        }
        self
    }
}

/// Additive names of Lean's own.
const OF_CORE: [&str; 8] = ["Add", "HAdd", "HSub", "Neg", "Sub", "Zero", "add", "neg"];

impl Library {
    /// A statement in additive notation with a name that nobody declares was translated wrongly.
    fn leave_out_unknown(&mut self) {
        let known: HashSet<&str> =
            self.premises.iter().map(|one| lean::last_part(&one.name)).collect();
        let statements: HashMap<&str, &str> =
            self.premises.iter().map(|one| (one.name.as_str(), one.statement.as_str())).collect();
        let is_wrong = |premise: &Premise| {
            let of = premise.of.as_ref().filter(|_| premise.kind != "alias");
            let Some(of) = of.and_then(|of| statements.get(of.as_str())) else { return false };
            let written: HashSet<&str> = lean::words(of).collect();
            lean::words(&premise.statement).map(lean::last_part).any(|word| {
                !written.contains(word) && !known.contains(word) && !OF_CORE.contains(&word)
            })
        };
        let wrong: Vec<bool> = self.premises.iter().map(is_wrong).collect();
        for (premise, is_wrong) in self.premises.iter_mut().zip(wrong) {
            if is_wrong {
                premise.statement.clear();
            }
        }
    }
}

pub(super) fn library(text: &str, module: &str) -> Library {
    let statements = Statements::of(text);
    let outline = statements.outline();
    let deprecations = lean::deprecations(text, outline, Some(module));
    let old: HashMap<&str, _> = deprecations.iter().map(|one| (one.old.as_str(), one)).collect();
    let mut found = Vec::new();
    for (index, one) in outline.declarations.iter().enumerate() {
        let Some(name) = one.name.as_deref().filter(|_| is_offered(one, text)) else { continue };
        let statement = statements.spelled(index).unwrap_or_default();
        let statement = match one.kind {
            DeclKind::Alias if statement.is_empty() => statement,
            DeclKind::Alias => ONE_SIDE.to_owned(),
            _ => statement,
        };
        let doc = one.doc_span.clone().and_then(|span| text.get(span)).map(doc);
        let premise = Premise {
            name: name.to_owned(),
            kind: one.kind.to_string(),
            module: module.to_owned(),
            line: u32::try_from(one.line).unwrap_or(u32::MAX),
            statement: cut(&statement, LONGEST_STATEMENT),
            doc: doc.unwrap_or_default(),
            deprecated: old.get(name).map(|one| one.new.clone().unwrap_or_default()),
            of: alias(one, text),
        };
        let mut twin = one.attributes.iter().filter_map(|span| text.get(span.clone()));
        let twin = twin.find_map(|attribute| additive::twin(&premise, attribute));
        found.extend(members(one, text, &premise));
        found.push(premise);
        found.extend(twin);
    }
    let declared = Declared::read(text, outline);
    let olds = deprecations.into_iter().map(|one| Old { one, module: module.to_owned() }).collect();
    Library { premises: found, olds, declared }
}

fn is_offered(one: &Declaration, text: &str) -> bool {
    let last = one.name.as_deref().map_or("", lean::last_part);
    one.kind != DeclKind::Example
        && !one.kind.is_wanted()
        && !one.is(text, "private")
        && !matches!(last, "_" | "private")
}

fn alias(one: &Declaration, text: &str) -> Option<String> {
    let body = one.body(text).filter(|_| one.kind == DeclKind::Alias)?;
    let target = body.trim_start_matches(":=").split_whitespace().next()?;
    Some(target.trim_start_matches("_root_.").to_owned())
}

/// The constructors of a type, or the fields of a structure.
fn members(one: &Declaration, text: &str, of: &Premise) -> Vec<Premise> {
    let Some(body) = one.body(text).filter(|_| one.kind.is_type()) else { return Vec::new() };
    let is_structure = matches!(one.kind, DeclKind::Structure | DeclKind::Class);
    // A field says something of what it is a field of.
    let owner = match one.kind {
        DeclKind::Class => format!("[self : {}] ", lean::last_part(&of.name)),
        _ if is_structure => format!("(self : {}) ", lean::last_part(&of.name)),
        _ => String::new(),
    };
    let mut found: Vec<Premise> = Vec::new();
    let mut column = None;
    let (mut comment, mut doc_of_next) = (0usize, String::new());
    for (at, line) in body.lines().enumerate() {
        let is_comment = comment > 0 || line.trim_start().starts_with("/-");
        comment = (comment + line.matches("/-").count()).saturating_sub(line.matches("-/").count());
        let code = line.split("--").next().unwrap_or_default();
        let trimmed = code.trim_start();
        let indent = code.len() - trimmed.len();
        let begins = if is_structure {
            at > 0 && column.is_none_or(|first| first == indent)
        } else {
            trimmed.starts_with('|')
        };
        if is_comment {
            doc_of_next.extend([line.trim(), " "]);
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with("deriving") {
            continue;
        }
        let comment_before = std::mem::take(&mut doc_of_next);
        let member = trimmed.trim_start_matches('|').trim_start();
        let member = member.strip_prefix("protected ").unwrap_or(member);
        let end = member.find(|c: char| !(is_word_char(c) || matches!(c, '_' | '\'')));
        let (name, rest) = member.split_at(end.unwrap_or(member.len()));
        let is_member = begins
            && !name.is_empty()
            && !rest.starts_with('.')
            && (!is_structure || rest.contains(':') && !rest.trim_start().starts_with(":="));
        if is_member && !rest.trim_start().starts_with("::") {
            column = column.or(Some(indent));
            let doc_text = comment_before.trim();
            found.push(Premise {
                name: format!("{}.{name}", of.name),
                kind: if is_structure { "field" } else { "constructor" }.to_owned(),
                line: of.line.saturating_add(u32::try_from(at).unwrap_or(0)),
                statement: owner.clone() + &rest.split_whitespace().collect::<Vec<_>>().join(" "),
                doc: if doc_text.starts_with("/--") { doc(doc_text) } else { String::new() },
                deprecated: None,
                of: None,
                ..of.clone()
            });
        } else if let Some(last) =
            found.last_mut().filter(|_| indent > column.unwrap_or(0) || !is_structure)
        {
            last.statement.push(' ');
            last.statement.push_str(trimmed.trim_end());
        }
    }
    for member in &mut found {
        // What it is where nothing else is given is no part of it.
        let end = member.statement.find(" := ").unwrap_or(LONGEST_STATEMENT);
        member.statement = cut(&member.statement, end.min(LONGEST_STATEMENT));
    }
    found
}

pub(super) fn doc(comment: &str) -> String {
    let inside = comment.trim_start_matches("/--").trim_end_matches("-/");
    cut(&inside.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_DOC)
}

fn cut(text: &str, most: usize) -> String {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text).to_owned()
}

/// The first sentence, and the rest.
pub(super) fn first_sentence(doc: &str) -> (&str, &str) {
    let end = doc.find(". ").map_or(doc.len(), |dot| dot + 1);
    doc.split_at(end)
}

/// What an alias or a member says of itself is what it stands for: fills in the statements of aliases.
fn resolve_aliases(premises: &mut [Premise]) {
    let statements: HashMap<&str, &Premise> =
        premises.iter().map(|one| (one.name.as_str(), one)).collect();
    let mut found = Vec::new();
    for (at, one) in premises.iter().enumerate().filter(|(_, one)| one.kind == "alias") {
        let Some(target) = &one.of else { continue };
        let mut namespace = one.name.as_str();
        let target = loop {
            let Some((outer, _)) = namespace.rsplit_once('.') else {
                break statements.get(target.as_str());
            };
            if let Some(meant) = statements.get(format!("{outer}.{target}").as_str()) {
                break Some(meant);
            }
            namespace = outer;
        };
        let Some(target) = target.filter(|target| target.kind != "alias") else { continue };
        let is_whole = one.statement != ONE_SIDE;
        found.push((
            at,
            target.name.clone(),
            if is_whole { target.statement.clone() } else { String::new() },
        ));
    }
    for (at, of, statement) in found {
        if let Some(one) = premises.get_mut(at) {
            (one.of, one.statement) = (Some(of), statement);
        }
    }
    premises
        .iter_mut()
        .filter(|one| one.statement == ONE_SIDE)
        .for_each(|one| one.statement.clear());
}

/// Words that connect clauses, as they do in statements.
const MORE_EMPTY: [&str; 10] =
    ["all", "every", "exists", "forall", "given", "if", "let", "then", "there", "where"];

/// The words of a text as the index knows them: in lower case, parts of names, symbols by name, without endings.
pub(super) fn words(text: &str, mut take: impl FnMut(&str)) {
    words_and_stems(text, |_, stem| take(stem));
}

pub(super) fn words_of(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    words(text, |word| all.push(word.to_owned()));
    all
}

/// The same, each with the word as it is written.
pub(super) fn words_and_stems(text: &str, mut take: impl FnMut(&str, &str)) {
    let mut word = String::new();
    for (_, piece) in pieces(text) {
        let run = match piece {
            Piece::Symbol(word) => {
                take(word, word);
                continue;
            }
            Piece::Name(run) => run,
        };
        for part in run.split(|c: char| !is_word_char(c)).filter(|part| !part.is_empty()) {
            each_camel_part(part, &mut word, |word| {
                // A letter is a variable.
                let says_nothing = word.len() == 1 || is_empty_word(word);
                if !(says_nothing || MORE_EMPTY.contains(&word)) {
                    take(word, stem(word));
                }
            });
        }
    }
}

/// Endings of words that say the same: of plurals and participles first, then of what was made of a word.
const INFLECTED: [&str; 6] = ["ies", "ing", "ed", "es", "s", "e"];
const DERIVED: [&str; 18] = [
    "ization", "ational", "ation", "ition", "ivity", "ility", "ness", "ment", "able", "ible",
    "ally", "ical", "ity", "ive", "ion", "al", "ic", "ly",
];
/// What is left of a word has so many letters at least.
const SHORTEST_STEM: usize = 3;

fn stem(word: &str) -> &str {
    if !word.is_ascii() {
        return word;
    }
    let keeps = word.ends_with("ss") || word.ends_with("us") || word.ends_with("is");
    let without = |word: &'_ str, ends: &[&str], least: usize| {
        let last = word.as_bytes().last();
        let mut ends = ends.iter().filter(|end| end.as_bytes().last() == last);
        let end = ends.find(|end| word.ends_with(**end))?;
        let left = word.len() - end.len();
        (left >= least).then_some(left)
    };
    let left = if keeps { None } else { without(word, &INFLECTED, SHORTEST_STEM) };
    let word = left.and_then(|left| word.get(..left)).unwrap_or(word);
    let left = without(word, &DERIVED, SHORTEST_STEM + 1);
    let word = left.and_then(|left| word.get(..left)).unwrap_or(word);
    let last = word.strip_suffix(['e', 'y', 'i']).filter(|rest| rest.len() >= SHORTEST_STEM);
    last.unwrap_or(word)
}

impl Premise {
    /// What tactics are made of is rarely what a person looks for.
    pub(super) fn is_of_a_tactic(&self) -> bool {
        self.module.contains("Tactic.") || self.module.starts_with("Lean.")
    }

    pub(super) fn is_theorem(&self) -> bool {
        matches!(self.kind.as_str(), "theorem" | "lemma")
    }

    /// The keys of its words in order, with how often each stands where.
    pub(super) fn terms(&self) -> Vec<(i64, Counts)> {
        let mut found: Vec<(i64, Place)> = Vec::new();
        let mut add = |text: &str, place: Place| {
            words(text, |word| found.push((Term::Word(word).key(), place)));
        };
        let last = lean::last_part(&self.name);
        add(last, Place::Name);
        add(self.name.get(..self.name.len() - last.len()).unwrap_or_default(), Place::Namespace);
        add(&self.statement, Place::Statement);
        add(&self.module, Place::Module);
        let (first, rest) = first_sentence(&self.doc);
        add(first, Place::Doc);
        add(rest, Place::Rest);
        found.sort_unstable_by_key(|(key, _)| *key);
        let same = found.chunk_by(|one, other| one.0 == other.0);
        let terms = same.filter_map(|same| {
            let mut counts = Counts::default();
            for (_, place) in same {
                let count = counts.get_mut(*place as usize)?;
                *count = count.saturating_add(1);
            }
            Some((same.first()?.0, counts))
        });
        terms.collect()
    }
}
