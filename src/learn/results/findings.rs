//! The findings of a judged file.

use std::fmt::Write as _;

use super::Origin;
use super::reading::{Reading, Theorem, Verdict};
use super::refuted::Refuted;
use crate::model::{Confidence, Draft, Evidence, Kind, Source};
use crate::text;

/// More open gaps than this make a failed attempt.
pub(super) const FAILURE_GAPS: usize = 2;
/// Most modules that a finding names.
const MOST_IMPORTS: usize = 10;
/// Columns of a statement in a description.
const STATEMENT_COLUMNS: usize = 200;

/// All findings, in the order of the file; theorems first, what is said of the whole file last.
pub(super) fn all(reading: &Reading<'_>, origin: &Origin<'_>) -> Vec<Draft> {
    let writer = Writer { reading, origin };
    let mut drafts: Vec<Draft> = reading
        .with(Verdict::Proven)
        .filter(|theorem| !theorem.name.starts_with("Harmonic.GeneralizeProofs."))
        .map(|theorem| writer.theorem(theorem))
        .collect();
    drafts.extend(reading.refuted.iter().map(|refuted| writer.false_lemma(refuted)));
    drafts.extend(writer.technique());
    drafts.extend(writer.failure());
    give_identities(&mut drafts, reading, origin);
    drafts
}

/// What tells one attempt from another in a title: the slot, else the file's name.
pub(super) fn label(origin: &Origin<'_>) -> String {
    origin.slot.map_or_else(
        || text::clean(origin.file.rsplit(['/', '!']).next().unwrap_or(origin.file)),
        |slot| format!("slot{slot}"),
    )
}

/// Names for people, the first few of many.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>, most: usize) -> String {
    let names: Vec<&str> = names.collect();
    let mut shown = names
        .iter()
        .take(most)
        .map(|name| format!("`{}`", text::clean(name)))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > most {
        write!(shown, " and {} more", names.len() - most).ok();
    }
    shown
}

struct Writer<'r, 'a> {
    reading: &'r Reading<'a>,
    origin: &'r Origin<'r>,
}

impl Writer<'_, '_> {
    fn draft(&self, kind: Kind, title: &str, description: &str) -> Draft {
        let (reading, origin) = (self.reading, self.origin);
        let mut draft = Draft::new(kind, text::clean(title), description.trim().to_owned());
        draft.domain = reading.domain.map(str::to_owned);
        draft.problem = origin.problem.map(str::to_owned);
        draft.project = origin.project.map(str::to_owned);
        draft.source = Source {
            slot: origin.slot,
            submission: reading.notes.uuid.clone(),
            file: Some(origin.file.to_owned()),
            toolchain: reading.notes.toolchain.clone(),
            mathlib_rev: reading.notes.mathlib.clone(),
            ..Source::default()
        };
        draft.evidence = if reading.vouched { Evidence::Prover } else { Evidence::Claimed };
        draft.tags.extend(draft.domain.clone());
        let imports = self.imports(MOST_IMPORTS);
        draft.mathlib_imports = (!imports.is_empty()).then_some(imports);
        draft
    }

    fn imports(&self, most: usize) -> String {
        self.reading.imports.iter().take(most).copied().collect::<Vec<_>>().join(", ")
    }

    fn theorem(&self, theorem: &Theorem<'_>) -> Draft {
        let declaration = theorem.declaration;
        let keyword = declaration.kind.as_str();
        let statement = text::clean_block(declaration.statement(self.reading.text).trim());
        let words = theorem.doc.clone().unwrap_or_else(|| {
            let claim = statement.strip_prefix(keyword).unwrap_or(&statement);
            text::clip(&text::one_line(claim), STATEMENT_COLUMNS)
        });
        let mut draft = self.draft(
            Kind::Theorem,
            &format!("{} ({keyword})", theorem.name),
            &format!("Proven {keyword} from {}: {words}", label(self.origin)),
        );
        draft.theorem_name = Some(theorem.name.to_owned());
        draft.theorem_statement = Some(statement);
        draft.proof_technique =
            crate::learn::technique::of_tactics(&declaration.tactics).map(str::to_owned);
        draft.proof_lines = i64::try_from(declaration.proof_lines).ok();
        draft.source.line = i64::try_from(declaration.line).ok();
        draft.confidence = self.confidence();
        draft.notes = Some(self.notes());
        draft.tags.push(keyword.to_owned());
        if self.reading.is_listed_as_proved(theorem.name) {
            draft.tags.push("proved-by-prover".to_owned());
        }
        draft
    }

    /// How far a proof without a gap is trusted: the whole file counts.
    fn confidence(&self) -> Confidence {
        match (self.reading.is_clean(), self.reading.vouched) {
            (false, _) => Confidence::Medium,
            (true, true) => Confidence::Verified,
            (true, false) => Confidence::High,
        }
    }

    /// What a reader must know of the file that a proof stands in.
    fn notes(&self) -> String {
        let reading = self.reading;
        let mut notes = vec![format!("sorry={}", reading.open)];
        let axioms = reading.axioms.iter().map(String::as_str);
        for (what, names) in [
            ("open", listed(reading.with(Verdict::Open).map(|open| open.name), 5)),
            ("refuted", listed(reading.refuted.iter().map(Refuted::label), 5)),
            ("axioms", listed(axioms, 5)),
            ("trust", reading.doubts.join(", ")),
        ] {
            if !names.is_empty() {
                notes.push(format!("{what}: {names}"));
            }
        }
        if reading.native {
            notes.push("uses native_decide".to_owned());
        }
        notes.join("; ")
    }

    fn technique(&self) -> Option<Draft> {
        let reading = self.reading;
        let technique = reading.technique.filter(|_| reading.is_clean())?;
        let place = label(self.origin);
        let problem =
            self.origin.problem.map_or_else(String::new, |id| format!(" for problem {id}"));
        let tactics = crate::learn::technique::listed(&reading.tactics);
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
        draft.proof_technique = Some(technique.to_owned());
        draft.proof_lines = i64::try_from(reading.lines).ok();
        draft.confidence = self.confidence();
        draft.tags.push("technique".to_owned());
        Some(draft)
    }

    fn failure(&self) -> Option<Draft> {
        let reading = self.reading;
        if reading.open <= FAILURE_GAPS && !reading.stopped() {
            return None;
        }
        let place = label(self.origin);
        let what = if reading.open > FAILURE_GAPS {
            format!("{} sorry", reading.open)
        } else if reading.notes.errored {
            "the prover stopped with an error".to_owned()
        } else {
            "code did not load".to_owned()
        };
        let problem = self.origin.problem.map_or_else(String::new, |id| format!(" on {id}"));
        let gaps = gaps_in_words(reading.open);
        let mut description = format!(
            "Attempt{problem} in {place} left {gaps} in {} declarations.",
            reading.declarations
        );
        for (what, names) in [
            ("Open", listed(reading.with(Verdict::Open).map(|theorem| theorem.name), 12)),
            (
                "Not loaded",
                listed(reading.with(Verdict::Unchecked).map(|theorem| theorem.name), 12),
            ),
            ("Proven", listed(reading.with(Verdict::Proven).map(|theorem| theorem.name), 12)),
        ] {
            if !names.is_empty() {
                write!(description, " {what}: {names}.").ok();
            }
        }
        let mut draft =
            self.draft(Kind::Failure, &format!("Failed attempt: {place} ({what})"), &description);
        draft.why_failed = Some(self.why_failed());
        draft.confidence = Confidence::High;
        draft.notes = Some(self.notes());
        draft.tags.push("failure".to_owned());
        Some(draft)
    }

    fn why_failed(&self) -> String {
        let reading = self.reading;
        let mut reasons = Vec::new();
        if reading.open > 0 {
            let open = reading.with(Verdict::Open).map(|open| (open.name, open.declaration.line));
            let places: Vec<String> =
                open.take(8).map(|(name, line)| format!("`{name}` (line {line})")).collect();
            let places =
                if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
            reasons.push(format!("{} sorry remaining{places}", reading.open));
        }
        if reading.notes.errored {
            reasons.push("the prover stopped with an error of its own".to_owned());
        }
        if let Some(budget) = &reading.notes.budget {
            let progress = text::clip(&text::clean(budget), 300);
            let sentence = format!("the prover's budget was used up. {progress}");
            reasons.push(sentence.trim_end_matches(['.', ' ']).to_owned());
        }
        if !reading.notes.load_failures.is_empty() {
            reasons.push(format!("the prover could not load the code: {}", load_errors(reading)));
        }
        reasons.join("; ")
    }

    fn false_lemma(&self, refuted: &Refuted) -> Draft {
        let name = text::clean(refuted.label());
        let statement = text::clean_block(&refuted.statement);
        let whole = match (&refuted.proof, refuted.whole) {
            (_, false) => ONLY_A_GOAL,
            (Some(_), true) => "The prover proved its negation.",
            (None, true) => "The prover lists it as negated.",
        };
        let mut description =
            format!("`{name}` is false as stated ({}). {whole}", label(self.origin));
        if let Some(proof) = &refuted.proof {
            let proof = without_asides(&text::clean_block(proof));
            let proof = clip_lines(&proof, 60);
            write!(description, "\nProof of the negation:\n{proof}").ok();
        }
        let mut draft = self.draft(Kind::FalseLemma, &format!("FALSE: {name}"), &description);
        draft.theorem_name.clone_from(&refuted.name);
        draft.theorem_statement = Some(statement);
        draft.counterexample = refuted.counterexample();
        draft.why_failed = Some(whole.to_owned());
        draft.avoid_pattern = Some(format!("Do not use or try to prove `{name}` as stated."));
        draft.source.line = refuted.line.and_then(|line| i64::try_from(line).ok());
        draft.evidence = Evidence::Prover;
        draft.confidence = if refuted.whole { Confidence::Disproven } else { Confidence::Medium };
        draft.tags.push("negated".to_owned());
        draft
    }
}

const ONLY_A_GOAL: &str = "The prover refuted a goal inside its own proof, not the whole statement: check it before \
     relying on it.";

/// `no gap`, `1 gap`, `5 gaps`.
fn gaps_in_words(gaps: usize) -> String {
    match gaps {
        0 => "no gap".to_owned(),
        1 => "1 gap".to_owned(),
        more => format!("{more} gaps"),
    }
}

/// The errors that the prover quotes, each once.
fn load_errors(reading: &Reading<'_>) -> String {
    let mut seen: Vec<String> = Vec::new();
    for line in reading.notes.load_failures.iter().flat_map(|note| note.text.lines()) {
        let line = text::clean(line);
        if !line.is_empty() && !seen.contains(&line) {
            seen.push(line);
        }
    }
    text::clip(&seen.join("; "), 600)
}

/// A refutation without what the prover says to itself.
fn without_asides(proof: &str) -> String {
    let asides = ["-- Wait, there's a mistake.", "-- Proof starts here:"];
    let lines =
        proof.lines().filter(|line| !asides.iter().any(|aside| line.trim().starts_with(aside)));
    lines.collect::<Vec<_>>().join("\n")
}

fn clip_lines(block: &str, most: usize) -> String {
    let mut lines: Vec<&str> = block.lines().take(most + 1).collect();
    if lines.len() > most {
        lines.pop();
        lines.push("…");
    }
    lines.join("\n")
}

/// The same theorem of the same file is the same piece of knowledge, whatever its text becomes. A
/// file is known by the prover's uuid and its name, so that it may move; else by its path.
fn give_identities(drafts: &mut [Draft], reading: &Reading<'_>, origin: &Origin<'_>) {
    let file_name = origin.file.rsplit(['/', '!']).next().unwrap_or(origin.file);
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
