//! What the code of a file says: which theorems are proved, open, refuted or were never checked.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::refuted::{self, Refuted};
use super::{Origin, Overview, Says};
use crate::lean::trivial::{Meanings, Triviality, is_special_case, triviality_in};
use crate::lean::{
    self, DeclKind, Declaration, Gap, GapKind, Outline, ProblemKind, Statements, TrustKind,
    last_part,
};
use crate::learn::prover::{self, ProverNotes};
use crate::model::{domain, is_named_as_step, word_key};
use crate::text;

pub(super) struct Reading<'a> {
    pub(super) text: &'a str,
    pub(super) outline: &'a Outline,
    pub(super) origin: &'a Origin<'a>,
    pub(super) notes: ProverNotes,
    pub(super) overview: Overview,
    pub(super) made_at: Option<String>,
    pub(super) theorems: Vec<Theorem<'a>>,
    pub(super) refuted: Vec<Refuted>,
    /// What else keeps a proof from being trusted, for example a debug option.
    pub(super) doubts: Vec<String>,
    pub(super) native: bool,
    pub(super) tactics: BTreeMap<String, usize>,
    pub(super) imports: Vec<&'a str>,
    pub(super) lines: usize,
    /// A main theorem of it says nothing.
    pub(super) settles_nothing: bool,
    pub(super) meanings: Meanings<'a>,
    /// Last parts of the names of theorems whose proofs use, directly or not, one that runs compiled code or has a
    /// gap or is refuted; each with that one.
    pub(super) on_native: BTreeMap<&'a str, &'a str>,
    pub(super) on_gap: BTreeMap<&'a str, &'a str>,
    pub(super) on_false: BTreeMap<&'a str, &'a str>,
    used: BTreeSet<&'a str>,
    /// What is said above the definitions of the file, by the last parts of their names.
    pub(super) explained: BTreeMap<&'a str, String>,
}

pub(super) struct Theorem<'a> {
    pub(super) declaration: &'a Declaration,
    pub(super) name: &'a str,
    pub(super) verdict: Verdict,
    pub(super) doc: Option<String>,
    pub(super) is_main: bool,
    /// With the `variable`s that it takes in, where one of them assumes something.
    pub(super) assuming: Option<String>,
    pub(super) trivial: Option<Triviality>,
}

impl Theorem<'_> {
    /// Than its name may promise; what is about one finite type may be all that is asked.
    pub(super) fn says_less(&self) -> Option<Triviality> {
        self.trivial.filter(|why| *why != Triviality::FiniteType)
    }
}

/// If each says less than its name may promise: why the one that says most of them does.
fn proves_only<'a>(proven: impl Iterator<Item = &'a Theorem<'a>>) -> Option<Triviality> {
    let whys: Option<Vec<_>> = proven.map(Theorem::says_less).collect();
    whys?.into_iter().min_by_key(|why| why.says_nothing())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Proven,
    Open,
    Refuted,
    /// The prover could not load it; or it ends in a search whose outcome is not known.
    Unchecked,
}

impl<'a> Reading<'a> {
    pub(super) fn new(statements: &'a Statements<'_>, origin: &'a Origin<'a>) -> Self {
        let (text, outline) = (statements.text(), statements.outline());
        let summary = origin.summary.filter(|(_, summary)| names_file(summary, origin, outline));
        let notes = notes_of(text, outline, summary);
        let refuted = refuted::find(text, outline, &notes);
        let vouched = notes.header || summary.is_some();
        let mut theorems = theorems(text, outline, &notes, vouched, &refuted);
        let users = users(text, outline);
        let mains = mains(&theorems, &users, text, origin.problem);
        let meanings = Meanings::of(text, outline);
        for theorem in &mut theorems {
            theorem.is_main = mains.contains(&theorem.declaration.span.start);
            // With the `variable`s that it takes in: one may assume what is claimed.
            let spelled =
                statements.index_of(theorem.declaration).and_then(|at| statements.spelled(at));
            let declaration = theorem.declaration;
            if let Some(spelled) = &spelled {
                theorem.assuming = meanings.with_assumed(declaration, text, spelled);
            }
            let spelled = spelled.as_deref().unwrap_or(declaration.statement(text));
            theorem.trivial = triviality_in(spelled, &meanings);
        }
        let with = |verdict| theorems.iter().filter(move |theorem| theorem.verdict == verdict);
        let names = |verdict| with(verdict).map(|theorem| theorem.name.to_owned());
        let mut tactics = BTreeMap::new();
        for (name, count) in with(Verdict::Proven).flat_map(|theorem| &theorem.declaration.tactics)
        {
            *tactics.entry(name.clone()).or_default() += count;
        }
        let modules = outline.imports.iter().map(String::as_str);
        let imports: Vec<&str> =
            modules.filter(|module| module.split('.').next() == Some("Mathlib")).collect();
        let overview = Overview {
            slot: origin.slot,
            problem: origin.problem.map(str::to_owned),
            domain: domain_of(text, outline, origin).map(str::to_owned),
            technique: None,
            declarations: outline.declarations.len(),
            proven: with(Verdict::Proven).count(),
            open: names(Verdict::Open).chain(names(Verdict::Unchecked)).collect(),
            negated: refuted.iter().map(|refuted| refuted.label().to_owned()).collect(),
            gaps: open_gaps(text, outline, &theorems),
            axioms: axioms(text, outline),
            imports: imports.len(),
            header: vouched,
            uuid: notes.uuid.clone(),
            stopped: notes.stopped().filter(|_| vouched),
            falls_short: None,
            proves_only: proves_only(with(Verdict::Proven)),
            sketch: !vouched && origin.is_attempt,
        };
        let mut mains = theorems.iter().filter(|theorem| theorem.is_main);
        let named = |is: &dyn Fn(&Theorem<'_>) -> bool| {
            theorems.iter().filter(|one| is(one)).map(|one| last_part(one.name)).collect()
        };
        let mut reading = Self {
            settles_nothing: mains.any(|theorem| theorem.trivial.is_some()),
            made_at: prover::date_in(leading_comments(text, outline))
                .or_else(|| origin.recorded?.at.map(str::to_owned)),
            doubts: doubts(outline),
            native: outline.trust().iter().any(|marker| marker.kind == TrustKind::NativeDecide),
            lines: outline.lines,
            used: users.keys().copied().collect(),
            explained: explained(text, outline),
            on_native: resting(&users, named(&|one| is_native(one.declaration))),
            on_gap: resting(&users, named(&|one| one.verdict == Verdict::Open)),
            on_false: resting(&users, named(&|one| one.verdict == Verdict::Refuted)),
            meanings,
            overview,
            tactics,
            imports,
            text,
            outline,
            origin,
            notes,
            theorems,
            refuted,
        };
        reading.overview.falls_short = reading.falls_short();
        reading.overview.technique = reading.technique_of_main();
        reading
    }

    /// That of the main theorem, not of its helpers: of the first that is proved and says something, else of the first.
    fn technique_of_main(&self) -> Option<String> {
        let mains = || self.theorems.iter().filter(|theorem| theorem.is_main);
        let is_proved =
            |one: &&Theorem<'_>| one.verdict == Verdict::Proven && one.says_less().is_none();
        let main = mains().find(is_proved).or_else(|| mains().next());
        self.method(main.filter(|one| one.verdict != Verdict::Refuted)?)
    }

    fn falls_short(&self) -> Option<String> {
        const ANSWER: &str = "the prover's answer";
        let Overview { gaps, axioms, .. } = &self.overview;
        if let Some(reason) = self.notes.stopped() {
            Some(reason.to_owned())
        } else if *gaps > 0 {
            Some(format!("{ANSWER} has {}", text::plural(*gaps, "gap")))
        } else if !axioms.is_empty() {
            Some(format!("{ANSWER} assumes {}", listed(axioms.iter().map(String::as_str), 5)))
        } else if !self.refuted.is_empty() {
            Some("the prover refuted a part of it".to_owned())
        } else if !self.doubts.is_empty() {
            Some(format!("{ANSWER} cannot be relied on: {}", self.doubts.join(", ")))
        } else if self.theorems.is_empty() {
            Some(format!("{ANSWER} has no theorem"))
        } else {
            let settles =
                self.origin.recorded.is_some_and(|recorded| recorded.says == Says::Settles);
            let mains = || self.theorems.iter().filter(|theorem| theorem.is_main);
            let why = mains().find_map(|theorem| theorem.trivial.filter(|why| why.says_nothing()));
            let is_said = mains().any(|theorem| theorem.trivial.is_none());
            why.filter(|_| settles && !is_said)
                .map(|why| format!("{ANSWER} proves only {}", why.as_str()))
        }
    }

    pub(super) fn with(&self, verdict: Verdict) -> impl Iterator<Item = &Theorem<'a>> {
        self.theorems.iter().filter(move |theorem| theorem.verdict == verdict)
    }

    /// Their names, at most so many.
    pub(super) fn listed(&self, verdict: Verdict, most: usize) -> String {
        listed(self.with(verdict).map(|theorem| theorem.name), most)
    }

    pub(super) fn refuted_names(&self) -> String {
        listed(self.refuted.iter().map(Refuted::label), 5)
    }

    /// The row of the submission says that what was asked is false.
    pub(super) fn is_called_false(&self) -> bool {
        self.origin.recorded.is_some_and(|recorded| {
            recorded.says == Says::Refutes
                || text::is_among(recorded.status.unwrap_or_default(), "disproven disproved")
        })
    }

    /// A main theorem is refuted: by the prover's note, or by a row that says so and a theorem that denies it.
    pub(super) fn refutes(&self, refuted: &Refuted) -> bool {
        let is_it = |one: &Theorem<'_>| match &refuted.by {
            Some(_) => self.is_called_false(),
            None => {
                one.is_main
                    && one.verdict == Verdict::Refuted
                    && refuted.name.as_deref() == Some(one.name)
            }
        };
        refuted.whole && self.theorems.iter().any(is_it)
    }

    pub(super) fn is_answered(&self) -> bool {
        self.overview.header && self.notes.stopped().is_none()
    }

    /// The theorems on which no other of the file rests, and which are not named as steps.
    pub(super) fn is_helper(&self, theorem: &Theorem<'_>) -> bool {
        is_named_as_step(theorem.name) || self.used.contains(last_part(theorem.name))
    }

    pub(super) fn is_clean(&self) -> bool {
        self.overview.gaps == 0
            && self.overview.axioms.is_empty()
            && self.doubts.is_empty()
            && self.refuted.is_empty()
            && self.notes.stopped().is_none()
            && self.with(Verdict::Unchecked).next().is_none()
    }

    /// Whether the prover's header lists a theorem among what it proved; the rest it was given.
    pub(super) fn is_listed_as_proved(&self, full: &str) -> bool {
        let mut names = self.notes.proved.iter().filter_map(|claim| claim.name.as_deref());
        names.any(|name| refuted::names(full, name))
    }
}

/// Where they begin: theorems named after the problem; without any, the one that is called so above it; else the last
/// `theorem` that is not named as a step and no corollary of another.
fn mains(
    theorems: &[Theorem<'_>],
    users: &BTreeMap<&str, BTreeSet<&str>>,
    text: &str,
    problem: Option<&str>,
) -> BTreeSet<usize> {
    const CALLED_SO: [&str; 4] = ["main theorem", "main result", "hauptsatz", "théorème principal"];
    const CALLED_LESS: &str =
        "corollary special particular example instance korollar beispiel corollaire exemple";
    let start = |theorem: &Theorem<'_>| theorem.declaration.span.start;
    let is_named = |one: &&Theorem<'_>| problem.is_some_and(|id| is_named_after(one.name, id));
    let named: BTreeSet<usize> = theorems.iter().filter(is_named).map(start).collect();
    if !named.is_empty() {
        return named;
    }
    let said = |one: &Theorem<'_>| text::spaced(one.doc.as_deref().unwrap_or_default());
    let is_called_so = |one: &&&Theorem<'_>| {
        // A helper may be said to serve the main theorem.
        let said = said(one);
        let said = said.trim_start();
        let said = ["the ", "our "].iter().find_map(|word| said.strip_prefix(word)).unwrap_or(said);
        CALLED_SO.iter().any(|words| said.starts_with(words))
            || one.doc.as_deref().is_some_and(|doc| doc.starts_with("**"))
    };
    let candidates: Vec<&Theorem<'_>> =
        theorems.iter().filter(|one| !is_named_as_step(one.name)).collect();
    let mut called = candidates.iter().filter(is_called_so);
    if let (Some(one), None) = (called.next(), called.next()) {
        return BTreeSet::from([start(one)]);
    }
    let is_theorem = |one: &&&Theorem<'_>| one.declaration.kind != DeclKind::Lemma;
    let last = candidates.iter().rfind(is_theorem).or(candidates.last());
    let Some(mut main) = last else { return BTreeSet::new() };
    // What follows from another theorem at once is not what the file is about.
    loop {
        let uses = |other: &&&Theorem<'_>| {
            is_theorem(other)
                && users
                    .get(last_part(other.name))
                    .is_some_and(|by| by.contains(last_part(main.name)))
        };
        let is_less = said(main).split(' ').any(|word| text::is_among(word, CALLED_LESS))
            || is_special_case(main.declaration.statement(text));
        let from = candidates.iter().rfind(uses).filter(|from| start(from) < start(main));
        match from.filter(|_| is_less) {
            Some(from) => main = from,
            None => return BTreeSet::from([start(main)]),
        }
    }
}

/// `erdos_850` and `Erdos850.main_theorem` are, `erdos_850_small_cases` is not.
pub fn is_named_after(name: &str, id: &str) -> bool {
    const NEUTRAL: &str = "main theorem maintheorem mainresult result solution conjecture final statement thm \
        problem proof full";
    let (name, key) = (word_key(name), word_key(id));
    if key.is_empty() {
        return false;
    }
    let mut rest = name.as_str();
    let mut found = false;
    while let Some(after) = rest.strip_prefix(key.as_str()) {
        (rest, found) = (after, true);
    }
    found && (rest.is_empty() || NEUTRAL.split_whitespace().any(|word| word == rest))
}

pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> String {
    let names: Vec<String> = names.map(|name| format!("`{}`", text::clean(name))).collect();
    match names.get(..most) {
        Some(first) if names.len() > most => {
            format!("{} and {} more", first.join(", "), names.len() - most)
        }
        _ => names.join(", "),
    }
}

/// Last parts of theorems' names, each with those of the theorems whose proofs use it.
fn users<'a>(text: &'a str, outline: &'a Outline) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let theorems = || {
        let theorems = outline.declarations.iter().filter(|declaration| is_theorem(declaration));
        theorems.filter_map(|theorem| Some((theorem, last_part(theorem.name.as_deref()?))))
    };
    let names: BTreeSet<&str> = theorems().map(|(_, name)| name).collect();
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (theorem, own) in theorems() {
        let words = lean::words(theorem.body(text).unwrap_or_default()).map(last_part);
        for word in words.filter(|word| *word != own && names.contains(word)) {
            users.entry(word).or_default().insert(own);
        }
    }
    users
}

/// What rests on these theorems, each with the one of them that was met first.
fn resting<'a>(
    users: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    on: Vec<&'a str>,
) -> BTreeMap<&'a str, &'a str> {
    let mut found = BTreeMap::new();
    let mut next: VecDeque<(&str, &str)> = on.into_iter().map(|name| (name, name)).collect();
    while let Some((name, source)) = next.pop_front() {
        for user in users.get(name).into_iter().flatten() {
            if !found.contains_key(user) {
                found.insert(*user, source);
                next.push_back((user, source));
            }
        }
    }
    found
}

pub(super) fn is_native(declaration: &Declaration) -> bool {
    declaration.tactics.iter().any(|(tactic, _)| tactic == "native_decide")
}

pub(super) fn leading_comments<'a>(
    text: &'a str,
    outline: &'a Outline,
) -> impl Iterator<Item = &'a str> {
    let first = outline.declarations.first().map_or(text.len(), |first| first.span.start);
    let comments = outline.comments.iter().filter(move |comment| comment.start < first);
    comments.filter_map(|comment| text.get(comment.clone()))
}

pub(super) fn notes_of(
    text: &str,
    outline: &Outline,
    summary: Option<(&str, &str)>,
) -> ProverNotes {
    let first = outline.declarations.first().map_or(text.len(), |first| first.span.start);
    let comments =
        outline.comments.iter().filter_map(|range| Some((range.start, text.get(range.clone())?)));
    let mut notes = prover::read(comments, first);
    if let Some((name, summary)) = summary {
        prover::read_summary(name, summary, &mut notes);
    }
    notes
}

fn theorems<'a>(
    text: &'a str,
    outline: &'a Outline,
    notes: &ProverNotes,
    vouched: bool,
    refuted: &[Refuted],
) -> Vec<Theorem<'a>> {
    let candidates = outline.declarations.iter().filter(|declaration| is_theorem(declaration));
    candidates
        .filter_map(|declaration| {
            let name = declaration.name.as_deref()?;
            let verdict = if refuted.iter().any(|refuted| refuted.is(declaration, text)) {
                Verdict::Refuted
            } else if failed_to_load(declaration, outline, notes) {
                Verdict::Unchecked
            } else {
                verdict(declaration, vouched)
            };
            let doc = doc(declaration, text, outline);
            Some(Theorem {
                declaration,
                name,
                verdict,
                doc,
                is_main: false,
                assuming: None,
                trivial: None,
            })
        })
        .collect()
}

/// A search (`exact?`) compiles where it finds something: under the prover's header it did.
fn verdict(declaration: &Declaration, vouched: bool) -> Verdict {
    let is_search = |gap: &Gap| gap.kind == GapKind::SearchTactic;
    let only_searches = !declaration.gaps.is_empty() && declaration.gaps.iter().all(is_search);
    match only_searches && declaration.body_span.is_some() {
        true if vouched => Verdict::Proven,
        true => Verdict::Unchecked,
        false if declaration.is_complete() => Verdict::Proven,
        false => Verdict::Open,
    }
}

pub(super) fn is_theorem(declaration: &Declaration) -> bool {
    matches!(declaration.kind, DeclKind::Theorem | DeclKind::Lemma | DeclKind::Problem)
}

fn failed_to_load(declaration: &Declaration, outline: &Outline, notes: &ProverNotes) -> bool {
    notes.load_failures.iter().any(|note| {
        outline
            .declarations
            .iter()
            .find(|next| next.span.end > note.end)
            .is_some_and(|next| next.span == declaration.span)
    })
}

fn open_gaps(text: &str, outline: &Outline, theorems: &[Theorem<'_>]) -> usize {
    let closed = |declaration: &Declaration| {
        theorems.iter().any(|theorem| {
            theorem.verdict == Verdict::Refuted && theorem.declaration.span == declaration.span
        })
    };
    let declared = outline.declarations.iter().filter(|declaration| !closed(declaration));
    let gaps = declared.flat_map(|declaration| &declaration.gaps).chain(&outline.loose_gaps);
    gaps.filter(|gap| gap.kind != GapKind::SearchTactic && !is_of_negate_state(gap, text)).count()
}

/// The prover's own macro proves `¬p → p` by `admit`; that is no gap of the result.
pub(super) fn is_of_negate_state(gap: &Gap, text: &str) -> bool {
    gap.kind == GapKind::Admit
        && text.get(gap.span.end..).is_some_and(|rest| {
            rest.trim_start().strip_prefix(')').is_some_and(|rest| {
                text::one_line(rest.get(..60).unwrap_or(rest)).starts_with(": ∀ {p : Prop}, ¬p → p")
            })
        })
}

/// And classes of one proposition without an instance here, which a theorem asks for: `class Oracle : Prop`.
fn axioms(text: &str, outline: &Outline) -> Vec<String> {
    let named = |kind| outline.declarations.iter().filter(move |one| one.kind == kind);
    let axioms = named(DeclKind::Axiom).filter_map(|one| one.name.clone());
    let speaks = |one: &Declaration, name: &str| lean::has_word(one.statement(text), name);
    let is_assumed = |class: &&Declaration| {
        let Some(name) = class.name.as_deref().map(last_part) else { return false };
        let head = class.statement(text).trim_start_matches("class").trim();
        let is_closed = head.strip_prefix(name).is_some_and(|rest| {
            rest.trim().strip_prefix(':').is_some_and(|of| of.trim().starts_with("Prop"))
        });
        let asked = [format!("[{name}]"), format!(": {name}]")];
        is_closed
            && asked.iter().any(|asked| text.contains(asked))
            && !named(DeclKind::Instance).any(|instance| speaks(instance, name))
    };
    let classes = named(DeclKind::Class).filter(is_assumed).filter_map(|one| one.name.clone());
    axioms.chain(classes).collect()
}

/// Options that switch checks off, and text that Lean does not read to the end.
fn doubts(outline: &Outline) -> Vec<String> {
    let options =
        outline.trust().into_iter().filter(|marker| marker.kind == TrustKind::DebugOption);
    let broken = outline.problems.iter().filter_map(|problem| match problem.kind {
        ProblemKind::UnterminatedComment => Some(("unclosed comment", problem.line)),
        ProblemKind::UnterminatedString => Some(("unclosed string", problem.line)),
        ProblemKind::CodeAfterExit => Some(("`#exit`", problem.line)),
        _ => None,
    });
    let broken = broken.map(|(what, line)| format!("{what} in line {line}"));
    options.map(|marker| marker.what.clone()).chain(broken).collect()
}

/// That of its problem, where the owner says so; else what its imports and statements speak of.
fn domain_of<'o>(text: &str, outline: &Outline, origin: &Origin<'o>) -> Option<&'o str> {
    if origin.domain.is_some() {
        return origin.domain;
    }
    let statements = outline.declarations.iter().map(|declaration| match declaration.kind {
        kind if kind.is_proof() || kind == DeclKind::Axiom => declaration.statement(text),
        _ => text.get(declaration.span.clone()).unwrap_or(""),
    });
    let file_name = text::base_name(origin.file);
    let name = format!("{file_name} {}", origin.problem.unwrap_or(""));
    let imports = outline.imports.iter().map(String::as_str);
    // `variable [Group G]` is of every statement below it.
    let is_of_next = |rest: &str| !rest.starts_with([' ', '\t']);
    let variables = text.split("\nvariable").skip(1).map(|rest| {
        let end = rest.match_indices('\n').find(|(at, _)| is_of_next(&rest[at + 1..]));
        &rest[..end.map_or(rest.len(), |(at, _)| at)]
    });
    domain::infer(imports, statements.chain(variables), &name).map(crate::model::Domain::as_str)
}

fn names_file(summary: &str, origin: &Origin<'_>, outline: &Outline) -> bool {
    let theorems = outline.declarations.iter().filter(|declaration| is_theorem(declaration));
    let mut names = theorems.filter_map(|theorem| theorem.name.as_deref()).map(last_part);
    summary.contains(origin.file_name())
        || names.any(|name| {
            name.len() > 4
                && text::has_name(summary, name, |c| c.is_alphanumeric() || "_'!?".contains(c))
        })
}

fn explained<'a>(text: &str, outline: &'a Outline) -> BTreeMap<&'a str, String> {
    let definitions = outline
        .declarations
        .iter()
        .filter(|one| one.kind.is_type() || matches!(one.kind, DeclKind::Def | DeclKind::Abbrev));
    let told = |one: &'a Declaration| {
        Some((last_part(one.name.as_deref()?), text::one_line(&doc(one, text, outline)?)))
    };
    definitions.filter_map(told).collect()
}

const DOC_BYTES: usize = 2_000;

pub(super) fn doc(declaration: &Declaration, text: &str, outline: &Outline) -> Option<String> {
    let range =
        declaration.doc_span.clone().or_else(|| comment_above(declaration, text, outline))?;
    let raw = text.get(range)?;
    let words = raw
        .lines()
        .map(|line| {
            let line = line.trim().trim_start_matches("/-").trim_end_matches("-/");
            line.trim_start_matches('-').trim_start_matches(['!', '-']).trim()
        })
        .filter(|line| line.contains(|c: char| c.is_alphanumeric()))
        .collect::<Vec<_>>()
        .join("\n");
    let mut words = text::clean_block(&words);
    words.truncate(words.floor_char_boundary(DOC_BYTES));
    (!words.is_empty()).then_some(words)
}

fn comment_above(
    declaration: &Declaration,
    text: &str,
    outline: &Outline,
) -> Option<std::ops::Range<usize>> {
    let at = outline.comments.partition_point(|comment| comment.end <= declaration.span.start);
    let comment = outline.comments.get(at.checked_sub(1)?)?.clone();
    let between = text.get(comment.end..declaration.span.start)?;
    let adjacent = between.trim().is_empty() && between.matches('\n').count() <= 1;
    let words = text.get(comment.clone())?;
    let is_note = words.contains("Aristotle") || words.contains("negate_state");
    (adjacent && !is_note).then_some(comment)
}
