//! `mk premises "..."`: the question, what answers it, and how that is shown.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use anyhow::{Context as _, bail};
use clap::builder::PossibleValuesParser;
use rayon::prelude::*;
use serde::Serialize;

use super::index::{Segment, Term, in_all};
use super::packages;
use super::pattern::Question;
use super::rank;
use super::read::{Premise, first_sentence, words, words_of};
use super::{PATIENCE, make};
use crate::app::{App, lean_files};
use crate::lean::{self, Closeness, DeclKind, Fit, Pattern, Shape, Statements};
use crate::model::{Finding, Kind};
use crate::store::{SearchQuery, Stage};
use crate::text::{clean, clip};
use crate::ui::layout::Page;
use crate::ui::progress::Progress as Bar;
use crate::ui::theme::{Tone, paint};
use crate::ui::{Exit, Out, UsageError};

/// Search the project's packages for declarations: by words, names, patterns or a goal
///
/// Searches what is installed, in its version, without network: Lean's own library, the packages below
/// `.lake/packages`, and the project. False lemmas and failed approaches of yours that match are shown as well.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  mk premises sum of two odd numbers is even
  mk premises Nat.sub_le
  mk premises '_ * (_ ^ _)'               (a pattern; `_`, `?x` and letters are holes)
  mk premises '|- ?a < ?b → _'            (a pattern of what is concluded)
  mk premises 'Real.sin, \"lt\"'            (speaks of Real.sin, and \"lt\" is in its name)
  mk premises --at Main.lean:12           (what is stated there)

A goal as Lean prints it, with its hypotheses, is a question too. The first question in a project indexes its
packages; `mk index` does so ahead of time.")]
pub(crate) struct Args {
    /// Words, names, patterns separated by commas, or a goal
    words: Vec<String>,
    /// Take the statement at this place of a file as the question
    #[arg(long, value_name = "FILE:LINE", conflicts_with = "words")]
    at: Option<String>,
    /// Declarations shown at most
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,
    /// Only these kinds (theorem, def, instance, structure, field, ...)
    #[arg(long, value_delimiter = ',', hide_possible_values = true, value_parser = kinds())]
    kind: Vec<String>,
    /// Only modules that begin so: Mathlib.Topology
    #[arg(long)]
    module: Option<String>,
    /// Only this package: mathlib, lean4
    #[arg(long)]
    source: Option<String>,
}

/// As declarations are called, and their members.
fn kinds() -> PossibleValuesParser {
    let kinds =
        DeclKind::ALL.iter().filter(|kind| !kind.is_wanted() && **kind != DeclKind::Example);
    kinds.map(|kind| kind.as_str()).chain(["field", "constructor"]).collect::<Vec<_>>().into()
}

/// Statements that hold all constants of a pattern, of which more are not compared with it.
const MOST_COMPARED: usize = 1_500;

const UNREADABLE: &str =
    "the index of the packages cannot be read; `mk index --again` makes it anew";

/// Own findings shown beside premises, and the newest whose statements are compared with a pattern.
const MOST_OWN: usize = 3;
const MOST_OWN_COMPARED: usize = 300;

#[derive(Debug, Default, Serialize)]
pub(super) struct Answer {
    query: String,
    /// Of all that match a pattern or hold all constants; of words only what is shown.
    total: usize,
    hits: Vec<Hit>,
    /// False lemmas and failed approaches of the person's own.
    own: Vec<Own>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Hit {
    /// Of its docstring only the first sentence.
    #[serde(flatten)]
    premise: Premise,
    package: String,
    why: &'static str,
}

#[derive(Debug, Serialize)]
struct Own {
    id: i64,
    badge: &'static str,
    title: String,
}

impl Args {
    pub(crate) fn run(self, app: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        let (own, text) = match &self.at {
            Some(place) => at(app, place)?,
            None => (None, self.words.join(" ")),
        };
        if text.trim().is_empty() {
            return Err(UsageError(
                "premises needs words, a pattern, or --at FILE:LINE".to_owned(),
            )
            .into());
        }
        let segments = segments(app, out.watched)?;
        if segments.is_empty() {
            bail!(
                "there are no packages here: run this inside a Lake project, after `lake update`"
            );
        }
        let search = Search { segments: &segments, args: &self, own };
        let question = match text.strip_prefix(GOAL) {
            Some(goal) => Question { goal: Some(goal.to_owned()), ..Question::default() },
            None => Question::read(&text),
        };
        let query = text.trim_start_matches(GOAL);
        let answer = search.answer(query, &question).with_context(|| UNREADABLE)?;
        let mut answer = Answer { own: of_the_person(app, &question)?, ..answer };
        search.explain(&question, &mut answer);
        out.answer(&answer, |width| view(&answer, width))
    }
}

/// What is known of all packages; what is not indexed yet is read first.
fn segments(app: &App, watched: bool) -> anyhow::Result<Vec<Segment>> {
    let all = packages::of_project(app);
    let open = || all.iter().map(packages::Indexed::open).collect::<anyhow::Result<Vec<_>>>();
    let mut opened = open()?;
    if opened.iter().any(Option::is_none) {
        make(app, false, PATIENCE, &Bar::new("indexing packages, once", watched))?;
        opened = open()?;
    }
    Ok(opened.into_iter().flatten().flatten().collect())
}

/// The name of the declaration at a place of a file, and the statement there as a signature: of the `have` or `show` in
/// that line, or of the declaration.
fn at(app: &App, place: &str) -> anyhow::Result<(Option<String>, String)> {
    let wanted = "`--at` needs FILE:LINE";
    // As Lean names places: FILE:LINE:COLUMN.
    let (file, line) = place.rsplit_once(':').context(wanted)?;
    let column = file.rsplit_once(':').filter(|(_, line)| line.parse::<usize>().is_ok());
    let (file, line) = column.unwrap_or((file, line));
    let line: usize =
        line.parse().context("`--at` needs FILE:LINE, with a number behind the colon")?;
    let text = lean_files::text(&app.here().join(file))
        .with_context(|| format!("{file} cannot be read"))?;
    let statements = Statements::of(&text);
    let declarations = statements.outline().declarations.iter().enumerate();
    let mut around = declarations.filter(|(_, one)| one.line <= line && line <= one.end_line);
    let (index, around) =
        around.next_back().with_context(|| format!("{file} has no declaration in line {line}"))?;
    let own = statements.spelled(index).unwrap_or_default();
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let signature = match text.get(start..).and_then(step) {
        Some(step) => format!("{} {step}", binders(&own)),
        None => own,
    };
    Ok((around.name.clone(), format!("{GOAL}{signature}")))
}

/// How a signature is handed on as a question.
const GOAL: &str = "\u{0}";

/// The part of a signature before the colon of its claim.
fn binders(signature: &str) -> &str {
    let mut depth = 0usize;
    for (at, c) in signature.char_indices() {
        match c {
            '(' | '[' | '{' | '⦃' | '⟨' => depth += 1,
            ')' | ']' | '}' | '⦄' | '⟩' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => return signature.get(..at).unwrap_or_default().trim_end(),
            _ => {}
        }
    }
    ""
}

/// What `have h (x : α) : p := ..` states at the beginning of a text, as a signature.
fn step(text: &str) -> Option<String> {
    let text = text.trim_start();
    let is_shown = text.starts_with("show ");
    let rest = text.strip_prefix("have ").or_else(|| text.strip_prefix("show "))?;
    let end = [":=", " by", " from "].iter().filter_map(|end| rest.find(end)).min();
    // A `have` with cases behind it, or none at all, ends with its line.
    let rest = rest.get(..end.or_else(|| rest.find('\n')).unwrap_or(rest.len()))?.trim();
    if is_shown {
        return (!rest.is_empty()).then(|| format!(": {rest}"));
    }
    let own = binders(rest);
    let claim = rest.get(own.len()..)?.trim_start().strip_prefix(':')?.trim();
    let own = own.find(['(', '{', '[']).and_then(|at| own.get(at..)).unwrap_or_default();
    (!claim.is_empty()).then(|| format!("{own} : {claim}"))
}

struct Search<'a> {
    segments: &'a [Segment],
    args: &'a Args,
    /// What is asked about, and no answer.
    own: Option<String>,
}

impl Search<'_> {
    fn is_wanted(&self, segment: &Segment, premise: &Premise) -> bool {
        let Args { kind, module, source, .. } = self.args;
        let of_kind =
            |one: &String| *one == premise.kind || one == "theorem" && premise.kind == "lemma";
        self.own.as_ref() != Some(&premise.name)
            && (kind.is_empty() || kind.iter().any(of_kind))
            && module.as_ref().is_none_or(|module| premise.module.starts_with(module.as_str()))
            && source.as_ref().is_none_or(|source| *source == segment.source)
    }

    fn limit(&self) -> usize {
        self.args.limit as usize
    }

    fn answer(&self, query: &str, question: &Question) -> anyhow::Result<Answer> {
        let empty = Answer { query: query.to_owned(), ..Answer::default() };
        match &question.goal {
            Some(goal) => self.by_goal(goal, empty),
            None if question.patterns.is_empty() && question.in_names.is_empty() => {
                self.by_words(&question.words, empty)
            }
            None => self.by_pattern(question, empty),
        }
    }

    /// Says what there is none of: a package, a module, a name.
    fn explain(&self, question: &Question, answer: &mut Answer) {
        let mut note = |text: String| answer.notes.push(text);
        let sources: BTreeSet<&str> = self.segments.iter().map(|one| one.source.as_str()).collect();
        if let Some(source) = self.args.source.as_deref().filter(|one| !sources.contains(one)) {
            let known: Vec<String> = sources.iter().map(|one| clean(one)).collect();
            note(format!(
                "There is no package `{}` here, but: {}.",
                clean(source),
                known.join(", ")
            ));
        }
        let is_name = question.words.contains('.') && !question.words.contains(char::is_whitespace);
        let are_words = answer.hits.iter().all(|hit| hit.why == "words");
        if is_name && are_words && !answer.hits.is_empty() {
            note(format!("Nothing is called `{}`; these share its words.", clean(&question.words)));
        } else if let Some(module) = self.args.module.as_deref().filter(|_| answer.hits.is_empty())
        {
            note(format!("Nothing found in modules that begin with `{}`.", clean(module)));
        }
    }

    fn hit(segment: &Segment, premise: Premise, why: &'static str) -> Hit {
        let doc = first_sentence(&premise.doc).0.trim().to_owned();
        Hit { premise: Premise { doc, ..premise }, package: segment.source.clone(), why }
    }

    fn by_words(&self, text: &str, mut answer: Answer) -> anyhow::Result<Answer> {
        let is_name = !text.contains(char::is_whitespace);
        if is_name {
            answer.hits = self.named(text)?;
        }
        let most = self.limit() + answer.hits.len();
        self.add_ranked(&mut answer, text, most, "words")?;
        answer.total = answer.hits.len();
        Ok(answer)
    }

    /// Adds what words find and is not among the hits.
    fn add_ranked(
        &self,
        answer: &mut Answer,
        text: &str,
        most: usize,
        why: &'static str,
    ) -> anyhow::Result<()> {
        let wanted = |segment: &Segment, premise: &Premise| self.is_wanted(segment, premise);
        for ranked in rank::by_words(self.segments, text, most, &wanted)? {
            let is_new = answer.hits.iter().all(|hit| hit.premise.name != ranked.premise.name);
            if let Some(segment) = self.segments.get(ranked.segment).filter(|_| is_new) {
                answer.hits.push(Self::hit(segment, ranked.premise, why));
            }
        }
        answer.hits.truncate(self.limit());
        Ok(())
    }

    /// What is called so, in full or by its last parts; what replaced it first.
    fn named(&self, name: &str) -> anyhow::Result<Vec<Hit>> {
        let name = name.trim_matches('`').trim_start_matches("_root_.").trim_start_matches('@');
        let mut found = Vec::new();
        for segment in self.segments {
            for premise in named(segment, name)? {
                if self.is_wanted(segment, &premise) {
                    found.push((segment, premise));
                }
            }
        }
        found.sort_by_key(|(_, one)| (one.name != name, one.deprecated.is_some(), one.name.len()));
        let mut hits: Vec<Hit> = Vec::new();
        for (segment, premise) in found {
            let new = premise.deprecated.as_deref().filter(|new| !new.is_empty());
            let new = new.map(|new| self.replacing(&premise.name, new)).transpose()?;
            let new = new.into_iter().flatten().map(|(of, now)| (of, now, "the new name"));
            let all: Vec<_> = new.chain([(segment, premise.clone(), "name")]).collect();
            for (segment, premise, why) in all {
                let is_new = hits.iter().all(|hit| hit.premise.name != premise.name);
                hits.extend(is_new.then(|| Self::hit(segment, premise, why)));
            }
        }
        Ok(hits)
    }

    /// What a new name means, written where an old one stands.
    fn replacing(&self, old: &str, new: &str) -> anyhow::Result<Vec<(&Segment, Premise)>> {
        let mut found = Vec::new();
        for segment in self.segments {
            let named = named(segment, new)?.into_iter();
            let meant =
                named.filter(|now| now.deprecated.is_none() && is_near(&now.name, old, new));
            found.extend(meant.map(|now| (segment, now)));
        }
        Ok(found)
    }

    fn by_pattern(&self, question: &Question, mut answer: Answer) -> anyhow::Result<Answer> {
        let read = |as_a: fn(&str) -> Option<Pattern<'_>>| -> Vec<Pattern<'_>> {
            question.patterns.iter().filter_map(|text| as_a(text)).collect()
        };
        let patterns = read(|text| Pattern::read(text));
        let says_something =
            |one: &Pattern<'_>| !(one.constants().is_empty() && one.letters().is_empty());
        if !patterns.iter().any(says_something) && question.in_names.is_empty() {
            let note = "This pattern matches everything: put a constant, an operator or a part of a name in it.";
            answer.notes.push(note.to_owned());
            return Ok(answer);
        }
        let (mut found, mut uncompared) = self.matching(question, &patterns)?;
        if found.is_empty() {
            let freely = read(|text| Pattern::read_freely(text));
            if freely.iter().any(|one| !one.constants().is_empty()) {
                (found, uncompared) = self.matching(question, &freely)?;
            }
        }
        // Where `X` can be a constant, it is no variable.
        let variables = |one: &Found<'_>| one.closeness.variables;
        let least = found.iter().map(variables).min();
        found.retain(|one| Some(variables(one)) == least);
        answer.total = found.len();
        found.sort_by(|a, b| a.order().cmp(&b.order()));
        let hits = found.into_iter().take(self.limit());
        answer.hits = hits.map(|one| Self::hit(one.segment, one.premise, "pattern")).collect();
        if uncompared > 0 {
            answer.notes.push(format!(
                "This pattern is general: {uncompared} longer statements with its constants were not compared with it."
            ));
        }
        for name in patterns.iter().flat_map(Pattern::constants) {
            let mut is_known = !answer.hits.is_empty();
            for segment in self.segments {
                is_known |= !segment.ids(Term::Constant(name))?.is_empty();
            }
            if !is_known {
                answer.notes.push(format!("No statement speaks of `{}`.", clean(name)));
            }
        }
        Ok(answer)
    }

    /// What matches all patterns, and how many statements that may were not compared with them.
    fn matching(
        &self,
        question: &Question,
        patterns: &[Pattern<'_>],
    ) -> anyhow::Result<(Vec<Found<'_>>, usize)> {
        let mut asked = Vec::new();
        words(&question.words, |word| asked.push(Term::Word(word).key()));
        let dotted: BTreeSet<&str> = patterns.iter().flat_map(Pattern::dotted).copied().collect();
        let closeness = |statement: &str| {
            let statement = lean::Statement::read(statement);
            let shape = statement.shape();
            let all: Option<Vec<_>> = patterns.iter().map(|one| one.matches(&shape)).collect();
            all.map(|all| all.into_iter().max().unwrap_or_default())
        };
        let mut found = Vec::new();
        let mut uncompared = 0;
        for segment in self.segments {
            let (ids, left_out) = Self::candidates(segment, patterns, question)?;
            uncompared += left_out;
            for (premise, closeness) in matching(segment, &ids, closeness)? {
                let name = premise.name.to_lowercase();
                let is_it = self.is_wanted(segment, &premise)
                    && question.in_names.iter().all(|part| name.contains(part))
                    && dotted.iter().all(|name| premise.may_mean(name));
                if !is_it {
                    continue;
                }
                let held = if asked.is_empty() { Vec::new() } else { premise.terms() };
                let is_missing =
                    |key: &&i64| held.binary_search_by_key(*key, |(key, _)| *key).is_err();
                let missing = asked.iter().filter(is_missing).count();
                found.push(Found { segment, premise, closeness, missing });
            }
        }
        Ok((found, uncompared))
    }

    /// The premises that speak of all constants, those with short statements first, and of how many more there are.
    /// Where there are more, also some that speak of what may be a constant or a variable, or of the namespaces.
    fn candidates(
        segment: &Segment,
        patterns: &[Pattern<'_>],
        question: &Question,
    ) -> anyhow::Result<(Vec<u32>, usize)> {
        let mut lists = Vec::new();
        let constants: BTreeSet<&str> = patterns.iter().flat_map(Pattern::constants).collect();
        for constant in constants {
            lists.push(segment.ids(Term::Constant(constant))?);
        }
        for head in patterns.iter().flat_map(Pattern::heads) {
            lists.push(segment.ids(Term::Head(&head))?);
        }
        // `"add_comm"` must be in a name: its words are.
        for word in question.in_names.iter().flat_map(|name| words_of(name)) {
            lists.push(segment.holding(&word)?);
        }
        let both = |also: &[Vec<u32>], most: usize| {
            let mut ids = in_all(lists.iter().chain(also).map(Vec::as_slice).collect());
            let left_out = ids.split_off(most.min(ids.len()));
            (ids, left_out.len())
        };
        let (mut ids, mut left_out) = both(&[], MOST_COMPARED);
        if left_out == 0 && !lists.is_empty() {
            return Ok((ids, 0));
        }
        let mut also = Vec::new();
        let dotted = patterns.iter().flat_map(Pattern::dotted);
        for word in dotted.flat_map(|name| words_of(namespace(name))) {
            also.push(segment.holding(&word)?);
        }
        if !also.is_empty() {
            let more;
            (more, left_out) = both(&also, MOST_COMPARED);
            ids.extend(more);
        }
        let letters: BTreeSet<&str> = patterns.iter().flat_map(Pattern::letters).collect();
        let mut all = Vec::new();
        for letter in letters {
            all.push(segment.ids(Term::Constant(letter))?);
        }
        all.retain(|list| !list.is_empty());
        for one in &all {
            ids.extend(both(std::slice::from_ref(one), MOST_COMPARED / 5).0);
        }
        if !all.is_empty() {
            ids.extend(both(&all, MOST_COMPARED).0);
        }
        ids.sort_unstable();
        ids.dedup();
        Ok((ids, left_out))
    }

    /// First what concludes the goal: what asks for no more than the goal has, then what says most; then what speaks
    /// of the same.
    fn by_goal(&self, signature: &str, mut answer: Answer) -> anyhow::Result<Answer> {
        let mut found = Vec::new();
        let goal = lean::Statement::read(signature);
        let goal = goal.shape();
        let fit = |statement: &str| Pattern::of_lemma(&lean::Statement::read(statement)).fit(&goal);
        for segment in self.segments {
            let ids = concluding(segment, &goal)?;
            for (one, Fit { missing, met, weight }) in matching(segment, &ids, fit)? {
                if one.is_proof() && self.is_wanted(segment, &one) {
                    let is_odd = one.deprecated.is_some() || one.is_of_a_tactic();
                    let order =
                        (is_odd, missing, Reverse(met), Reverse(weight), one.statement.len());
                    found.push((order, segment, one));
                }
            }
        }
        found.sort_by_key(|(order, ..)| *order);
        answer.total = found.len();
        let hits = found.into_iter().take(self.limit().div_ceil(2).max(1));
        answer.hits =
            hits.map(|(.., segment, one)| Self::hit(segment, one, "concludes the goal")).collect();
        let text = signature.rsplit_once(": ").map_or(signature, |(_, conclusion)| conclusion);
        self.add_ranked(&mut answer, text, self.limit() * 2, "speaks of the same")?;
        Ok(answer)
    }
}

impl Premise {
    fn is_proof(&self) -> bool {
        matches!(self.kind.as_str(), "theorem" | "lemma" | "alias" | "axiom" | "instance" | "field")
    }

    /// Whether a name with its namespace may stand here without it: `sin` for `Real.sin`.
    fn may_mean(&self, name: &str) -> bool {
        let namespace = namespace(name);
        let spellings = [namespace, lean::noted(namespace)];
        spellings.iter().any(|one| self.name.contains(one) || self.statement.contains(one))
    }
}

/// The innermost namespace of a name.
fn namespace(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(before, _)| lean::last_part(before))
}

/// What matches a pattern.
struct Found<'a> {
    segment: &'a Segment,
    premise: Premise,
    closeness: Closeness,
    /// Words of the question that it does not have.
    missing: usize,
}

impl Found<'_> {
    fn order(&self) -> (usize, bool, Closeness, usize, &str) {
        let Self { premise, closeness, missing, .. } = self;
        let is_old = premise.deprecated.is_some();
        (*missing, is_old, *closeness, premise.statement.len(), &premise.name)
    }
}

/// The premises that may conclude a goal: those that speak of all that its conclusion speaks of, and of what its
/// hypotheses do, or of all but one of that, of one of it; those with short statements, since what is general is short.
fn concluding(segment: &Segment, goal: &Shape<'_>) -> anyhow::Result<Vec<u32>> {
    let lists_of = |constants: BTreeSet<&str>| {
        let lists = constants.into_iter().map(|one| segment.ids(Term::Constant(one)));
        lists.collect::<anyhow::Result<Vec<_>>>()
    };
    let lists = lists_of(goal.concluded())?;
    let beside = lists_of(goal.asked().difference(&goal.concluded()).copied().collect())?;
    let but = |left_out: usize, also: Option<&Vec<u32>>| {
        let others = lists.iter().enumerate().filter(|(at, _)| *at != left_out);
        in_all(others.map(|(_, list)| list).chain(also).map(Vec::as_slice).collect())
    };
    let all = lists.len();
    let mut ids: BTreeSet<u32> = but(all, None).into_iter().take(MOST_COMPARED).collect();
    for list in &beside {
        ids.extend(but(all, Some(list)).into_iter().take(MOST_COMPARED / 3));
    }
    for (at, list) in lists.iter().enumerate() {
        ids.extend(but(at, None).into_iter().take(MOST_COMPARED / 3));
        ids.extend(list.iter().take(MOST_COMPARED / 5));
    }
    Ok(ids.into_iter().collect())
}

/// The premises whose statements are as somebody wants them, in order, each with how.
fn matching<T: Send>(
    segment: &Segment,
    ids: &[u32],
    how: impl Fn(&str) -> Option<T> + Sync,
) -> anyhow::Result<Vec<(Premise, T)>> {
    let mut statements = Vec::with_capacity(ids.len());
    for id in ids {
        statements.push((*id, segment.statement(*id)?));
    }
    let matching = statements.into_par_iter();
    let matching: Vec<(u32, T)> =
        matching.filter_map(|(id, statement)| Some((id, how(&statement)?))).collect();
    let mut found = Vec::new();
    for (id, how) in matching {
        found.extend(segment.premise(id)?.map(|premise| (premise, how)));
    }
    Ok(found)
}

/// What a segment has under a name, in full or by its last parts.
fn named(segment: &Segment, name: &str) -> anyhow::Result<Vec<Premise>> {
    let mut found = Vec::new();
    for id in segment.ids(Term::Name(lean::last_part(name)))? {
        let premise = segment.premise(id)?;
        found.extend(premise.filter(|one| lean::is_or_ends_in(&one.name, name)));
    }
    Ok(found)
}

/// Whether a full name is what a new name, written where an old one stands, means: itself, or in one of its namespaces.
fn is_near(full: &str, old: &str, new: &str) -> bool {
    let namespace = full.strip_suffix(new).unwrap_or(full);
    namespace.is_empty() || old.starts_with(namespace)
}

/// The person's own false lemmas and failed approaches that a question is about: that hold all of its words, or whose
/// statements match its patterns or conclude its goal.
fn of_the_person(app: &mut App, question: &Question) -> anyhow::Result<Vec<Own>> {
    let current = app.project_identity();
    let project = app.scope()?;
    let Some(store) = app.existing_store()? else { return Ok(Vec::new()) };
    let patterns = question.patterns.iter().filter_map(|text| Pattern::read(text));
    let patterns: Vec<Pattern<'_>> = patterns.collect();
    let goal = question.goal.as_deref().map(lean::Statement::read);
    let by_shape = !patterns.is_empty() || goal.is_some();
    let words = [&question.words, &question.in_names.join(" ")].map(String::as_str).join(" ");
    let query = SearchQuery {
        text: words.clone(),
        limit: if by_shape { MOST_OWN_COMPARED } else { MOST_OWN },
        kinds: vec![Kind::FalseLemma, Kind::Failure],
        current_project: current,
        project,
        ..SearchQuery::default()
    };
    let found = store.search(&query)?;
    let has_words = !words.trim().is_empty();
    let is_sure = !has_words || found.stage >= Stage::AllWords;
    let is_it = |finding: &Finding| {
        let stated = finding.content.theorem_statement.as_deref().unwrap_or_default();
        let statement = lean::Statement::read(stated);
        let shape = statement.shape();
        let says_it = goal.as_ref().is_some_and(|goal| {
            Pattern::of_lemma(&statement).fit(&goal.shape()).is_some_and(|fit| fit.missing == 0)
        });
        !by_shape
            || says_it
            || !stated.is_empty()
                && !patterns.is_empty()
                && patterns.iter().all(|one| one.matches(&shape).is_some())
    };
    let own = |finding: Finding| Own {
        id: finding.id,
        badge: finding.content.badge(),
        title: finding.content.title.clone(),
    };
    let all_words = |has_all: bool| has_all || !has_words;
    let hits = found.hits.into_iter().filter(|hit| is_sure && all_words(hit.has_all_words()));
    Ok(hits.map(|hit| hit.finding).filter(is_it).take(MOST_OWN).map(own).collect())
}

/// Columns of a statement or docstring.
const WIDEST: usize = 400;

fn view(answer: &Answer, width: usize) -> String {
    let mut page = Page::new(width);
    for own in &answer.own {
        let title = clip(&clean(&own.title), 200);
        page.paragraph(
            1,
            &format!("{} {title}  #{} (yours: `mk show {}`)", own.badge, own.id, own.id),
        );
    }
    for hit in &answer.hits {
        let one = &hit.premise;
        let what = match (&one.deprecated, &one.of) {
            (Some(new), _) if new.is_empty() => "deprecated".to_owned(),
            (Some(new), _) => format!("deprecated: use {}", clean(new)),
            (None, Some(of)) if one.kind == "alias" => format!("alias of {}", clean(of)),
            (None, Some(of)) => format!("{}, additive form of {}", one.kind, clean(of)),
            (None, None) => one.kind.clone(),
        };
        page.line(1, &format!("{}  {what}", paint(Tone::Heading, &clean(&one.name))));
        if !one.statement.is_empty() {
            page.paragraph(2, &clip(&clean(&one.statement), WIDEST));
        }
        if !one.doc.is_empty() {
            page.paragraph(2, &clip(&clean(&one.doc), WIDEST));
        }
        page.line(
            2,
            &paint(Tone::Faint, &format!("{}:{}, {}", clean(&one.module), one.line, hit.why)),
        );
    }
    if answer.hits.is_empty() && answer.notes.is_empty() {
        page.nothing("Nothing found.", "Try fewer words, or `_` for what may be anything.");
    }
    if answer.total > answer.hits.len() {
        page.hint(&format!("{} of {} matches", answer.hits.len(), answer.total));
    }
    for note in &answer.notes {
        page.hint(note);
    }
    page.into_text()
}
