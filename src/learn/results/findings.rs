//! The findings, the problem and the strategy that a judged file stands for.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::reading::{
    Reading, Theorem, Verdict, is_named_after, is_native, leading_comments, listed,
};
use super::refuted::{self, Refuted, squeeze};
use super::{Origin, Says};
use crate::lean::trivial::is_special_case;
use crate::lean::{Declaration, Statements, last_part};
use crate::model::{
    ADVANCE_TAG, AXIOM_TAG, CASE_TAG, CONTRADICTION_TAG, Confidence, Draft, Evidence, Kind,
    MAIN_TAG, MEANING, MINOR_TAG, NATIVE_TAG, OLD_TAG, ON_FALSE_TAG, ON_GAP_TAG, Outcome,
    ProblemDraft, ProblemStatus, REFUSED_FOR, REFUSED_TAG, SKETCH_TAG, STOPPED_TAG, Source,
    StrategyDraft, display_name, is_named_as_step,
};
use crate::text;

/// More open gaps than this make a failed attempt.
const FAILURE_GAPS: usize = 2;
const MOST_IMPORTS: usize = 10;
const STATEMENT_COLUMNS: usize = 200;
const MEANING_COLUMNS: usize = 300;
const NOTE_COLUMNS: usize = 120;

pub(super) fn all(reading: &Reading<'_>, statements: &Statements<'_>) -> Vec<Draft> {
    // What a sketch leaves to a search may hold as well as the rest of it.
    let claimed = |verdict| {
        verdict == Verdict::Proven || (verdict == Verdict::Unchecked && !reading.overview.header)
    };
    let mut drafts: Vec<Draft> = reading
        .theorems
        .iter()
        .filter(|theorem| claimed(theorem.verdict))
        .filter(|theorem| !theorem.name.starts_with("Harmonic.GeneralizeProofs."))
        .map(|theorem| reading.theorem(theorem, statements))
        .collect();
    let denials = refuted::denials(reading);
    let refuted = reading.refuted.iter().chain(&denials);
    drafts.extend(refuted.map(|refuted| reading.false_lemma(refuted, statements)));
    drafts.extend(reading.technique());
    drafts.extend(reading.failure());
    give_identities(&mut drafts, reading);
    drafts
}

pub(super) fn open(reading: &Reading<'_>, statements: &Statements<'_>) -> Vec<(String, String)> {
    let is_open = |theorem: &&Theorem<'_>| {
        theorem.verdict == Verdict::Open
            || (theorem.verdict == Verdict::Unchecked && reading.overview.header)
    };
    let open = reading.theorems.iter().filter(is_open);
    open.filter_map(|one| Some((one.name.to_owned(), key_of(statements, one.declaration)?)))
        .collect()
}

fn key_of(statements: &Statements<'_>, declaration: &Declaration) -> Option<String> {
    Some(statements.key(statements.index_of(declaration)?)?.to_string())
}

/// What tells one attempt from another in a title: the slot, else the file's name.
fn label(origin: &Origin<'_>) -> String {
    origin.slot.map_or_else(|| text::clean(origin.file_name()), |slot| format!("slot{slot}"))
}

impl Reading<'_> {
    fn draft(&self, kind: Kind, title: &str, description: &str) -> Draft {
        let origin = self.origin;
        let mut draft = Draft::new(kind, text::clean(title), description.trim().to_owned());
        draft.domain.clone_from(&self.overview.domain);
        draft.problem = origin.problem.map(str::to_owned);
        draft.project = origin.project.map(str::to_owned);
        draft.source =
            Source {
                slot: origin.slot,
                submission: self.notes.uuid.clone().or_else(|| {
                    origin.recorded.and_then(|recorded| recorded.uuid).map(str::to_owned)
                }),
                file: Some(origin.file.to_owned()),
                toolchain: self.notes.toolchain.clone(),
                mathlib_rev: self.notes.mathlib.clone(),
                ..Source::default()
            };
        draft.evidence = if self.is_answered() { Evidence::Prover } else { Evidence::File };
        draft.created_at.clone_from(&self.made_at);
        if self.overview.sketch {
            draft.tags.push(SKETCH_TAG.to_owned());
        }
        draft.tags.extend(origin.is_old().then(|| OLD_TAG.to_owned()));
        draft.tags.extend(draft.domain.clone());
        let imports = self.imports(MOST_IMPORTS);
        draft.mathlib_imports = (!imports.is_empty()).then_some(imports);
        draft
    }

    fn imports(&self, most: usize) -> String {
        self.imports.iter().take(most).copied().collect::<Vec<_>>().join(", ")
    }

    fn theorem(&self, theorem: &Theorem<'_>, statements: &Statements<'_>) -> Draft {
        let declaration = theorem.declaration;
        let keyword = declaration.kind.as_str();
        let statement = theorem.assuming.as_deref().unwrap_or(declaration.statement(self.text));
        let statement = text::clean_block(statement.trim());
        let words = theorem.doc.clone().unwrap_or_else(|| {
            let claim = statement.strip_prefix(keyword).unwrap_or(&statement);
            text::clip(&text::one_line(claim), STATEMENT_COLUMNS)
        });
        let place = label(self.origin);
        let resting = |on: &BTreeMap<&str, &str>| {
            on.get(last_part(theorem.name)).map(|name| format!("`{}`", text::clean(name)))
        };
        let native = resting(&self.on_native);
        let [gap, refuted] = [&self.on_gap, &self.on_false].map(resting);
        let is_refused = theorem.is_main && self.refusal().is_some();
        let said = match self.confidence() {
            _ if is_refused => {
                format!("Claimed {keyword} from {place}, refused by its owner: {words}")
            }
            Confidence::Verified => format!("Proven {keyword} from {place}: {words}"),
            Confidence::Medium if self.overview.header => {
                let how = match (&refuted, &gap) {
                    (Some(on), _) => {
                        format!("Claimed {keyword} from {place}, resting on the refuted {on}")
                    }
                    (None, Some(on)) => {
                        format!("Claimed {keyword} from {place}, resting on a gap in {on}")
                    }
                    (None, None) => format!("Proven {keyword} from {place}, an incomplete file"),
                };
                format!("{how}: {words}")
            }
            _ if self.overview.header => {
                format!("Claimed {keyword} from {place}, not checked: {words}")
            }
            _ if self.overview.sketch => {
                format!("Claimed {keyword} from {place}, a sketch that nothing checked: {words}")
            }
            _ => format!("Claimed {keyword} from {place}: {words}"),
        };
        let said = match self.overview.axioms.as_slice() {
            [] => said,
            axioms => format!("{said} Assumes {}.", listed(axioms.iter().map(String::as_str), 5)),
        };
        let said = said + &self.explained(declaration);
        let trivial = theorem.says_less();
        let only =
            trivial.map_or_else(String::new, |why| format!(", proves only {}", why.as_str()));
        let mut draft =
            self.draft(Kind::Theorem, &format!("{} ({keyword}{only})", theorem.name), &said);
        if trivial.is_some() {
            draft.tags.push("trivial".to_owned());
        }
        if theorem.is_main {
            if trivial.is_none() {
                draft.tags.push(MAIN_TAG.to_owned());
                let weight = self.origin.recorded.and_then(|recorded| recorded.is_advance);
                let weight = weight.map(|is| if is { ADVANCE_TAG } else { MINOR_TAG });
                draft.tags.extend(weight.map(str::to_owned));
                let problem = self.origin.problem.unwrap_or_default();
                let at = self.meanings.at_a_number(&statement);
                // A problem may be about that number.
                let is_case = is_special_case(&statement)
                    || at.is_some_and(|number| !problem.contains(&number));
                draft.tags.extend(is_case.then(|| CASE_TAG.to_owned()));
            }
        } else if self.is_helper(theorem) || self.refuted.iter().any(|one| self.refutes(one)) {
            draft.tags.push("helper".to_owned());
            draft.tags.extend(is_named_as_step(theorem.name).then(|| "step".to_owned()));
        } else if self.settles_nothing {
            // Lemmas beside `P ∨ ¬P` are no step towards `P`.
            draft.tags.push("aside".to_owned());
        }
        if !self.overview.axioms.is_empty() {
            draft.tags.push(AXIOM_TAG.to_owned());
        }
        if native.is_some() || is_native(declaration) {
            draft.tags.push(NATIVE_TAG.to_owned());
        }
        draft.tags.extend(gap.is_some().then(|| ON_GAP_TAG.to_owned()));
        draft.tags.extend(refuted.is_some().then(|| ON_FALSE_TAG.to_owned()));
        // Where the prover could not load one block, the others were checked.
        let is_stopped = self.notes.errored;
        draft.tags.extend(is_stopped.then(|| STOPPED_TAG.to_owned()));
        draft.theorem_name = Some(theorem.name.to_owned());
        draft.theorem_statement = Some(statement);
        draft.counterexample = refuted::instance(self, theorem);
        draft.key = key_of(statements, declaration);
        draft.proof_technique = self.method(theorem).filter(|_| !is_stopped);
        draft.proof_lines = i64::try_from(declaration.proof_lines).ok();
        draft.source.line = i64::try_from(declaration.line).ok();
        draft.confidence = self.confidence();
        let meaning = self.meanings.told(declaration.statement(self.text));
        let meaning =
            meaning.map(|told| format!("{MEANING}{}", text::clip(&told, MEANING_COLUMNS)));
        let against = [self.edited_since(theorem), self.other_problem(theorem)];
        let mut against: Vec<String> = against.into_iter().flatten().collect();
        let is_against = !against.is_empty();
        against.extend(self.refused().filter(|_| is_refused));
        let rests = [
            native.map(|on| format!("rests on `native_decide` in {on}")),
            gap.map(|on| format!("rests on a gap in {on}")),
            refuted.map(|on| format!("rests on {on}, which is false")),
        ];
        let rests = rests.into_iter().flatten();
        let notes = [vec![self.notes(is_native(declaration))], rests.collect(), against]
            .concat()
            .join("; ");
        draft.notes = Some(notes + &meaning.unwrap_or_default());
        draft.tags.push(keyword.to_owned());
        let is_contradicted =
            is_against || (self.proves_itself() && self.contradiction().is_some());
        if theorem.is_main && is_contradicted {
            draft.tags.push(CONTRADICTION_TAG.to_owned());
        }
        if is_refused {
            draft.tags.push(REFUSED_TAG.to_owned());
            draft.confidence = Confidence::Low;
        }
        if self.is_listed_as_proved(theorem.name) {
            draft.tags.push("proved-by-prover".to_owned());
        }
        draft
    }

    /// What the file says of the definitions that a statement speaks of.
    fn explained(&self, declaration: &Declaration) -> String {
        const MOST: usize = 3;
        const COLUMNS: usize = 300;
        let mut words: Vec<&str> =
            crate::lean::words(declaration.statement(self.text)).map(last_part).collect();
        words.sort_unstable();
        words.dedup();
        let found = words.into_iter().filter_map(|word| Some((word, self.explained.get(word)?)));
        let told = found.take(MOST).map(|(name, doc)| {
            format!("\n{}: {}", text::clean(name), text::clip(&text::clean(doc), COLUMNS))
        });
        told.collect()
    }

    /// A main theorem that the prover left open, as the database counts, and does not list among what it proved.
    fn edited_since(&self, theorem: &Theorem<'_>) -> Option<String> {
        let gaps = self.origin.recorded?.gaps.filter(|gaps| *gaps > 0)?;
        let is_unlisted = self.overview.header && !self.is_listed_as_proved(theorem.name);
        (theorem.is_main && is_unlisted && self.is_clean()).then(|| {
            let gaps = text::plural(gaps, "gap");
            format!("tracking.db counts {gaps}, the file has none and the prover does not list it: perhaps edited since")
        })
    }

    /// A statement that the file words differently is read in its place, so that the file's definitions count.
    fn key_of_refuted(&self, refuted: &Refuted, statements: &Statements<'_>) -> Option<String> {
        let text = self.text;
        let mut all = statements.outline().declarations.iter();
        let is_own = |one: &&Declaration| one.name == refuted.name || refuted.by == one.name;
        let own = all.find(|one| Some(one.line) == refuted.line && is_own(one));
        if let Some(own) = own
            && squeeze(own.statement(text)) == squeeze(&refuted.statement)
        {
            return key_of(statements, own);
        }
        let before = own.map_or(Some(text), |own| text.get(..own.span.start))?;
        let text = format!("{before}\n\n{} := sorry", refuted.statement);
        let statements = Statements::of(&text);
        let last = statements.outline().declarations.len().checked_sub(1)?;
        Some(statements.key(last)?.to_string())
    }

    fn confidence(&self) -> Confidence {
        match (self.overview.header, self.notes.stopped().is_some(), self.overview.sketch) {
            (true, false, _) if self.is_clean() => Confidence::Verified,
            (true, true, _) | (false, _, true) => Confidence::Low,
            _ => Confidence::Medium,
        }
    }

    fn notes(&self, is_native: bool) -> String {
        let mut notes = vec![format!("sorry={}", self.overview.gaps)];
        for (what, names) in [
            ("open", self.listed(Verdict::Open, 5)),
            ("refuted", self.refuted_names()),
            ("axioms", listed(self.overview.axioms.iter().map(String::as_str), 5)),
            ("trust", self.doubts.join(", ")),
        ] {
            if !names.is_empty() {
                notes.push(format!("{what}: {names}"));
            }
        }
        if is_native {
            notes.push("uses native_decide".to_owned());
        }
        notes.extend(self.contradiction());
        notes.join("; ")
    }

    /// A main theorem that is named after another problem than the one that the database has it under, or stands in a
    /// file whose first comments give that one's number.
    fn other_problem(&self, theorem: &Theorem<'_>) -> Option<String> {
        let named = self.origin.recorded?.named_in_file?;
        let told = self.origin.problem?;
        let is_named = is_named_after(theorem.name, named);
        let says = if is_named { "it is named after" } else { "the file names" };
        let said = || text::spaced(&leading_comments(self.text, self.outline).collect::<String>());
        let has_number = |id: &str| {
            let mut numbers = id.split('_').filter(|part| part.parse::<u32>().is_ok());
            numbers.any(|number| text::says(&said(), number))
        };
        let is_told_so =
            || has_number(named) && !has_number(told) && !is_named_after(theorem.name, told);
        (theorem.is_main && (is_named || is_told_so())).then(|| {
            let [told, named] = [told, named].map(text::clean);
            format!("tracking.db has it under {told}, but {says} {named}")
        })
    }

    /// Its owner's note that refuses what the prover proved.
    fn refusal(&self) -> Option<&str> {
        let recorded = self.origin.recorded.filter(|_| self.overview.header)?;
        recorded.refusal.filter(|_| recorded.says != Says::Refutes && self.is_whole())
    }

    /// Why, as a clause of the notes.
    fn refused(&self) -> Option<String> {
        let note = text::one_line(&text::clean(self.refusal()?)).replace(';', ",");
        Some(format!("{REFUSED_FOR}{}", text::clip(&note, NOTE_COLUMNS)))
    }

    fn contradiction(&self) -> Option<String> {
        let recorded = self.origin.recorded.filter(|_| self.overview.header)?;
        if self.refusal().is_some() {
            return None;
        }
        let is_unexpected = recorded.says == Says::Fails && self.says_something();
        let found = if recorded.says == Says::Refutes || is_unexpected {
            self.proves_itself().then(|| "the prover's answer proves it without a gap".to_owned())
        } else {
            self.overview.falls_short.clone().filter(|_| recorded.says.is_proof())
        }?;
        let status = text::clean(recorded.status.unwrap_or("complete")).replace('_', " ");
        Some(format!("tracking.db says {status}, but {found}"))
    }

    /// A main theorem says as much as its name: of others a refusal may say just what the file shows.
    fn says_something(&self) -> bool {
        self.theorems.iter().any(|theorem| theorem.is_main && theorem.trivial.is_none())
    }

    /// It has main theorems, and they are proved.
    fn is_whole(&self) -> bool {
        self.is_clean() && self.theorems.iter().any(|theorem| theorem.is_main)
    }

    /// And none of them is a negation.
    fn proves_itself(&self) -> bool {
        let mut mains = self.theorems.iter().filter(|theorem| theorem.is_main);
        let is_negation = |theorem: &Theorem<'_>| {
            text::one_line(theorem.declaration.statement(self.text)).contains(": ¬")
        };
        self.is_whole() && !mains.any(is_negation)
    }

    fn technique(&self) -> Option<Draft> {
        let technique =
            self.overview.technique.as_ref().filter(|_| self.is_clean() && self.is_answered())?;
        if self.overview.proves_only.is_some() {
            return None;
        }
        let place = label(self.origin);
        let problem =
            self.origin.problem.map_or_else(String::new, |id| format!(" for problem {id}"));
        let tactics = crate::learn::technique::listed(&self.tactics);
        let mut description = format!(
            "Proof technique '{technique}' used successfully in {place}{problem}. Tactics: {}.",
            tactics.into_iter().take(20).collect::<Vec<_>>().join(", ")
        );
        let imports = self.imports(5);
        if !imports.is_empty() {
            write!(description, " Key imports: {imports}.").ok();
        }
        let mut draft =
            self.draft(Kind::Technique, &format!("Technique: {technique} ({place})"), &description);
        draft.proof_technique = Some(technique.clone());
        draft.proof_lines = i64::try_from(self.lines).ok();
        draft.confidence = self.confidence();
        draft.tags.push("technique".to_owned());
        Some(draft)
    }

    fn failure(&self) -> Option<Draft> {
        let is_called_clean = self.origin.recorded.is_some_and(|recorded| recorded.says.is_proof());
        let contradiction = self.contradiction().filter(|_| is_called_clean);
        let proves_nothing = self.with(Verdict::Proven).next().is_none() && self.refuted.is_empty();
        let has_failed = self.overview.gaps > FAILURE_GAPS
            || (self.overview.gaps > 0 && proves_nothing)
            || (proves_nothing && !self.doubts.is_empty())
            || self.notes.stopped().is_some()
            || contradiction.is_some();
        if !self.overview.header || !has_failed {
            return None;
        }
        let place = label(self.origin);
        let is_left =
            |theorem: &&Theorem<'_>| matches!(theorem.verdict, Verdict::Open | Verdict::Unchecked);
        let unfinished: Vec<&Theorem<'_>> = self.theorems.iter().filter(is_left).collect();
        // What could not be loaded, and besides what is open.
        let last =
            |verdict| unfinished.iter().rfind(|one| one.verdict == verdict).map(|one| one.name);
        let [refused, open] = [Verdict::Unchecked, Verdict::Open].map(last);
        let named = [refused, open].into_iter().flatten().map(|name| format!("`{name}`"));
        let main = named.collect::<Vec<_>>().join("; open: ");
        let main = if main.is_empty() { main } else { format!(": {main}") };
        let left = || match (self.overview.gaps, self.overview.axioms.as_slice()) {
            (0, [axiom, ..]) => format!("it assumes `{axiom}`"),
            (0, []) => {
                self.overview.falls_short.clone().unwrap_or_else(|| "no gap left".to_owned())
            }
            (gaps, _) => format!("{} left", text::plural(gaps, "gap")),
        };
        let what = self.notes.stopped().map_or_else(left, str::to_owned);
        let problem = self.origin.problem.map_or_else(String::new, |id| format!(" on {id}"));
        let mut description = format!(
            "The prover's answer{problem} in {place}: {what}, {} in {} declarations.",
            gaps_in_words(self.overview.gaps),
            self.overview.declarations
        );
        for (what, verdict) in [
            ("Open", Verdict::Open),
            ("Not loaded", Verdict::Unchecked),
            ("Without a gap", Verdict::Proven),
        ] {
            let names = self.listed(verdict, 12);
            if !names.is_empty() {
                write!(description, " {what}: {names}.").ok();
            }
        }
        let mut draft = self.draft(Kind::Failure, &format!("{place}, {what}{main}"), &description);
        draft.evidence = Evidence::Prover;
        draft.theorem_name = unfinished.last().map(|one| one.name.to_owned());
        draft.why_failed = Some(self.why_failed());
        draft.confidence = Confidence::High;
        draft.notes = Some(self.notes(self.native));
        draft.tags.push("failure".to_owned());
        if contradiction.is_some() {
            draft.tags.push(CONTRADICTION_TAG.to_owned());
        }
        Some(draft)
    }

    fn why_failed(&self) -> String {
        let mut reasons = Vec::new();
        if !self.notes.load_failures.is_empty() {
            reasons.push(format!("the prover could not load the code: {}", load_errors(self)));
        }
        if self.overview.gaps > 0 {
            let open = self.with(Verdict::Open).map(|open| (open.name, open.declaration.line));
            let places: Vec<String> =
                open.take(8).map(|(name, line)| format!("`{name}` (line {line})")).collect();
            let places =
                if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
            reasons.push(format!("{} sorry remaining{places}", self.overview.gaps));
        }
        if !self.overview.axioms.is_empty() {
            let axioms = self.overview.axioms.iter().map(String::as_str);
            reasons.push(format!("it assumes {}", listed(axioms, 5)));
        }
        if let Some(error) = &self.notes.lean_error {
            reasons.push(format!("did not compile: {error}"));
        } else if self.notes.errored {
            reasons.push("the prover stopped with an error of its own".to_owned());
        }
        if let Some(budget) = &self.notes.budget {
            let progress = text::clip(&text::clean(budget), 300);
            let sentence = format!("the prover's budget was used up. {progress}");
            reasons.push(sentence.trim_end_matches(['.', ' ']).to_owned());
        }
        reasons.extend(self.contradiction());
        reasons.join("; ")
    }

    fn false_lemma(&self, refuted: &Refuted, statements: &Statements<'_>) -> Draft {
        let name = text::clip(&text::clean(&text::one_line(refuted.label())), STATEMENT_COLUMNS);
        let statement = text::clean_block(&refuted.statement);
        let whole = match (&refuted.by, &refuted.proof, refuted.whole) {
            (Some(by), ..) => format!("The prover proved its negation: `{}`.", text::clean(by)),
            (_, _, false) => ONLY_A_GOAL.to_owned(),
            (_, Some(_), true) => "The prover proved its negation.".to_owned(),
            (_, None, true) => "The prover lists it as negated.".to_owned(),
        };
        let mut description =
            format!("`{name}` is false as stated ({}). {whole}", label(self.origin));
        if let Some(proof) = &refuted.proof {
            write!(description, "\nProof of the negation:\n{}", shown(proof)).ok();
        }
        let mut draft = self.draft(Kind::FalseLemma, &format!("FALSE: {name}"), &description);
        draft.theorem_name.clone_from(&refuted.name);
        draft.theorem_statement = Some(statement);
        draft.key = self.key_of_refuted(refuted, statements);
        draft.counterexample = refuted.counterexample();
        draft.why_failed = Some(whole);
        draft.source.line = refuted.line.and_then(|line| i64::try_from(line).ok());
        draft.evidence = Evidence::Prover;
        draft.confidence = if refuted.whole { Confidence::Disproven } else { Confidence::Medium };
        draft.tags.push("negated".to_owned());
        let is_of_all = self.origin.problem.is_some_and(|id| is_named_after(&name, id));
        draft.tags.extend((refuted.whole && is_of_all).then(|| MAIN_TAG.to_owned()));
        draft
    }
}

const ONLY_A_GOAL: &str = "The prover refuted a goal inside its own proof, not the whole statement: check it before \
     relying on it.";

fn gaps_in_words(gaps: usize) -> String {
    if gaps == 0 { "no gap".to_owned() } else { text::plural(gaps, "gap") }
}

fn load_errors(reading: &Reading<'_>) -> String {
    let lines = reading.notes.load_failures.iter().flat_map(|note| note.text.lines());
    let mut seen: Vec<String> = Vec::new();
    for line in lines.map(text::clean).filter(|line| !line.is_empty()) {
        if !seen.contains(&line) {
            seen.push(line);
        }
    }
    text::clip(&seen.join("; "), 600)
}

/// A proof without what the prover says beside it, cut where it is long.
fn shown(proof: &str) -> String {
    const LINES: usize = 60;
    let proof = text::clean_block(proof);
    let asides = ["-- Wait, there's a mistake.", "-- Proof starts here:"];
    let is_aside = |line: &&str| asides.iter().any(|aside| line.trim().starts_with(aside));
    let mut lines: Vec<&str> = proof.lines().filter(|line| !is_aside(line)).collect();
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("…");
    }
    lines.join("\n")
}

/// A file is known by the prover's uuid and its name, so that it may move; without a uuid by its path.
fn give_identities(drafts: &mut [Draft], reading: &Reading<'_>) {
    let origin = reading.origin;
    let file_name = origin.file_name();
    let anchor = match &reading.notes.uuid {
        Some(uuid) => format!("result/{uuid}/{file_name}"),
        None => format!("result/{}/{}", origin.project.unwrap_or(""), origin.file),
    };
    let mut seen: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for draft in drafts {
        let name = draft.theorem_name.as_deref().unwrap_or("");
        let what = format!("{anchor}/{name}");
        let nth = seen.entry(format!("{}{what}", draft.kind)).and_modify(|n| *n += 1).or_insert(1);
        draft.identity = Some(if *nth == 1 { what } else { format!("{what}#{nth}") });
    }
}

pub(super) fn problem(reading: &Reading<'_>) -> Option<ProblemDraft> {
    let id = reading.origin.problem?;
    let statement = main_theorem(reading, id).and_then(|theorem| {
        let statement = theorem.declaration.statement(reading.text).trim();
        // A triviality or a special case does not state the problem; what stands above it may.
        let says_less = theorem.trivial.is_some() || is_special_case(statement);
        let stated = (!says_less).then_some(statement);
        theorem.doc.as_deref().or(stated).map(text::clean_block)
    });
    Some(ProblemDraft {
        id: id.to_owned(),
        name: display_name(id),
        domain: reading.overview.domain.clone(),
        // What is proved of it, the store tells from the findings.
        status: ProblemStatus::Open,
        statement,
        best_result: None,
        notes: None,
        counts: None,
    })
}

pub(super) fn strategy(reading: &Reading<'_>) -> Option<StrategyDraft> {
    let origin = reading.origin;
    let id = origin.problem?;
    let technique = reading.overview.technique.clone();
    let approach = origin.approach.map(str::to_owned).or_else(|| technique.clone());
    Some(StrategyDraft {
        problem: id.to_owned(),
        problem_name: display_name(id),
        domain: reading.overview.domain.clone(),
        approach: approach.unwrap_or_else(|| label(origin)),
        description: technique,
        outcome: outcome(reading),
        slot: origin.slot,
        submission: reading.notes.uuid.clone(),
        learned: learned(reading),
        source_file: Some(origin.file.to_owned()),
        attempted_at: reading.made_at.clone(),
    })
}

/// Something that is not trivial is proved in it, or it is not; that it is all, a file cannot say.
fn outcome(reading: &Reading<'_>) -> Outcome {
    let mut proven = reading.with(Verdict::Proven);
    // Finitely many cases may be all that was tried.
    let says_something =
        proven.any(|one| one.trivial.is_none_or(|why| one.is_main && !why.says_nothing()));
    match (says_something, reading.is_clean()) {
        (true, true) => Outcome::Partial,
        (true, false)
            if reading.overview.gaps <= FAILURE_GAPS && reading.notes.stopped().is_none() =>
        {
            Outcome::Partial
        }
        _ => Outcome::Failed,
    }
}

fn main_theorem<'r, 'a>(reading: &'r Reading<'a>, id: &str) -> Option<&'r Theorem<'a>> {
    let mut named = reading.theorems.iter().filter(|theorem| is_named_after(theorem.name, id));
    let first = named.clone().next();
    named.find(|theorem| theorem.verdict != Verdict::Open).or(first)
}

fn learned(reading: &Reading<'_>) -> Option<String> {
    let mut parts = Vec::new();
    let proved = |trivial: bool| {
        let proven = reading.with(Verdict::Proven);
        let fit = proven.filter(|theorem| theorem.says_less().is_some() == trivial);
        listed(fit.map(|theorem| theorem.name), 5)
    };
    let axioms = listed(reading.overview.axioms.iter().map(String::as_str), 5);
    let from_axioms = format!("Proved, if {axioms} is assumed");
    let whole = if axioms.is_empty() { "Proved" } else { &from_axioms };
    for (what, names) in [
        ("False", reading.refuted_names()),
        (whole, proved(false)),
        ("Proved, but trivial", proved(true)),
        ("Open", reading.listed(Verdict::Open, 5)),
        ("Not loaded", reading.listed(Verdict::Unchecked, 5)),
    ] {
        if !names.is_empty() {
            parts.push(format!("{what}: {names}."));
        }
    }
    if let Some(budget) = &reading.notes.budget {
        let budget = text::clip(&text::clean(budget), 200);
        parts.push(format!("The prover's budget was used up. {budget}").trim().to_owned());
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}
