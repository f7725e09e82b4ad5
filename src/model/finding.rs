//! A piece of knowledge: a [`Draft`] is not stored yet, a [`Finding`] is.

use std::path::Path;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Confidence, Decision, Detail, Evidence, FactDetail, KernelDetail, KernelVerdict, Kind,
    LessonDetail, LessonWords, PlaybookDetail, Said, Status,
};
use crate::text::{clean, clip, hash, hex, one_line, width};

/// From a file that was submitted, not answered.
pub const SKETCH_TAG: &str = "sketch";

/// Of a theorem in a file that declares an axiom.
pub const AXIOM_TAG: &str = "axiom";

/// Of a theorem that is proved by running compiled code.
pub const NATIVE_TAG: &str = "native_decide";

/// An answer that the tracking database calls something else.
pub const CONTRADICTION_TAG: &str = "contradiction";

const WITH_AXIOM: &str = "by the prover, with an axiom";

/// An answer that its owner refuses.
pub const REFUSED_TAG: &str = "refused";

/// Of a theorem whose proof uses one with a gap in its file.
pub const ON_GAP_TAG: &str = "on-gap";

/// Of a theorem whose proof uses one that its file shows to be false.
pub const ON_FALSE_TAG: &str = "on-false";

/// Of a main theorem that its owner holds for a step towards the problem.
pub const ADVANCE_TAG: &str = "advance";

/// Of one that its owner holds for a small thing.
pub const MINOR_TAG: &str = "minor";

/// Of a theorem in an answer of which the prover says that it did not work.
pub const STOPPED_TAG: &str = "stopped";

/// In the notes, before the words with which its owner refuses it.
pub const REFUSED_FOR: &str = "refused: ";

/// The sketch of that name states something else.
pub const RESTATED_TAG: &str = "restated";

/// The theorem that a file is about, if more than a triviality.
pub const MAIN_TAG: &str = "main";

/// Before the name of a tactic that is all that is known of how a theorem is proved.
pub const FINISHED_BY: &str = "finished by ";

/// Of a main theorem about a given or bounded number, a residue class, or so many points.
pub const CASE_TAG: &str = "case";

/// What [`Draft::against`] says of it.
pub const OF_A_CASE: &str = "of a special case";

/// From a copy that was put away.
pub const OLD_TAG: &str = "old";

/// In the notes, before the definition that a statement is hardly more than the name of.
pub const MEANING: &str = "; where ";

/// Nothing is guessed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    #[serde(rename = "source_slot", skip_serializing_if = "Option::is_none")]
    pub slot: Option<i64>,
    /// Or of the prover's project.
    #[serde(rename = "source_submission_uuid", skip_serializing_if = "Option::is_none")]
    pub submission: Option<String>,
    /// Relative to its project where there is one, with `/`.
    #[serde(rename = "source_file", skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// From 1.
    #[serde(rename = "source_line", skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    #[serde(rename = "session_id", skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// For example `leanprover/lean4:v4.24.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mathlib_rev: Option<String>,
}

/// Its JSON is what `mk add --jsonl` reads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    #[serde(alias = "finding_type")]
    pub kind: Kind,
    pub title: String,
    #[serde(default)]
    pub description: String,
    /// `nt`, `algebra`, ...
    #[serde(default, alias = "domain_id", skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// See [`super::problem_key`].
    #[serde(default, alias = "problem_id", skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// `None` holds everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(flatten)]
    pub source: Source,
    /// Full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theorem_name: Option<String>,
    /// In Lean or in words; of a false lemma the false one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theorem_statement: Option<String>,
    /// Of the statement with the definitions that it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof_technique: Option<String>,
    /// Separated by `, `.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mathlib_imports: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof_lines: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_failed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avoid_pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct_approach: Option<String>,
    #[serde(default)]
    pub confidence: Confidence,
    #[serde(default)]
    pub evidence: Evidence,
    /// What a person stands for is stored as confirmed.
    #[serde(default)]
    pub status: Status,
    /// In the database one text, separated by `,`.
    #[serde(default, deserialize_with = "tags")]
    pub tags: Vec<String>,
    /// For example `sorry=1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// When it happened. `None` means now for what is entered, unknown for what is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// For example `tracking/false_lemma/apex_1`; `None` means the content identifies it. Not stored, see [`Draft::uid`].
    #[serde(default, skip_serializing)]
    pub identity: Option<String>,
}

/// A list, one text with commas, or null.
fn tags<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Tags {
        List(Vec<String>),
        Text(String),
    }
    Ok(match Option::<Tags>::deserialize(d)? {
        None => Vec::new(),
        Some(Tags::List(list)) => list,
        Some(Tags::Text(text)) => split_tags(&text),
    })
}

pub(crate) fn split_tags(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

impl Draft {
    pub fn new(kind: Kind, title: impl Into<String>, description: impl Into<String>) -> Self {
        Self { kind, title: title.into(), description: description.into(), ..Self::default() }
    }

    /// What a search looks through, by the labels that explain a hit.
    pub fn searched(&self) -> [(&'static str, Cow<'_, str>); 11] {
        fn text(text: Option<&String>) -> Cow<'_, str> {
            text.map_or(Cow::Borrowed(""), |text| Cow::Borrowed(text.as_str()))
        }
        [
            ("title", Cow::Borrowed(self.title.as_str())),
            ("name", text(self.theorem_name.as_ref())),
            ("statement", text(self.theorem_statement.as_ref())),
            ("problem", text(self.problem.as_ref())),
            ("technique", text(self.proof_technique.as_ref())),
            ("reason", text(self.why_failed.as_ref())),
            ("counterexample", text(self.counterexample.as_ref())),
            ("what to avoid", text(self.avoid_pattern.as_ref())),
            ("what to do instead", text(self.correct_approach.as_ref())),
            ("description", Cow::Borrowed(self.description.as_str())),
            ("tags", Cow::Owned(self.tags.join(", "))),
        ]
    }

    pub fn fact(&self) -> Option<&FactDetail> {
        self.detail.as_ref()?.fact.as_ref()
    }

    pub fn fact_mut(&mut self) -> Option<&mut FactDetail> {
        self.detail.as_mut()?.fact.as_mut()
    }

    /// Empty for what is no fact.
    pub fn value(&self) -> &str {
        self.fact().map_or("", |fact| &fact.value)
    }

    pub fn lesson(&self) -> Option<&LessonDetail> {
        self.detail.as_ref()?.lesson.as_ref()
    }

    pub fn lesson_mut(&mut self) -> Option<&mut LessonDetail> {
        self.detail.as_mut()?.lesson.as_mut()
    }

    pub fn playbook(&self) -> Option<&PlaybookDetail> {
        self.detail.as_ref()?.playbook.as_ref()
    }

    /// A person took the words that a model had for it.
    pub fn take_words(&mut self) {
        let lesson = self.detail.as_mut().and_then(|detail| detail.lesson.as_mut());
        let Some((lesson, words)) = lesson.and_then(|one| one.words.take().map(|w| (one, w)))
        else {
            return;
        };
        lesson.before = Some(LessonWords {
            model: words.model,
            confidence: words.confidence,
            title: std::mem::replace(&mut self.title, words.title),
            description: std::mem::replace(&mut self.description, words.description),
            what_failed: std::mem::replace(&mut lesson.what_failed, words.what_failed),
            what_worked: std::mem::replace(&mut lesson.what_worked, words.what_worked),
        });
        self.why_failed = Some(lesson.what_failed.clone());
        self.correct_approach = Some(lesson.what_worked.clone());
    }

    pub fn said(&self) -> Option<&Said> {
        self.detail.as_ref()?.said.as_ref()
    }

    pub fn decision(&self) -> Option<&Decision> {
        self.detail.as_ref()?.decision.as_ref()
    }

    /// In the words of the journal.
    pub fn proposal_status(&self) -> Option<&'static str> {
        self.said()?;
        let by = self.decision().map(|decision| decision.by.as_str());
        Some(match (self.status, by) {
            (Status::Proposed, _) => "pending",
            (Status::Dropped, Some("expiry")) => "expired",
            (Status::Dropped, _) => "rejected",
            _ => "accepted",
        })
    }

    pub fn is_read_off_a_result(&self) -> bool {
        self.source
            .file
            .as_deref()
            .is_some_and(|file| Path::new(file).extension() == Some("lean".as_ref()))
    }

    pub fn kernel(&self) -> Option<&KernelDetail> {
        self.detail.as_ref()?.kernel.as_ref()
    }

    /// Takes what Lean said about it in its file. What is no longer known changes nothing but the words.
    pub fn take_kernel(&mut self, kernel: KernelDetail) {
        if kernel.stale.is_none() {
            self.evidence = Evidence::Kernel;
            if self.confidence != Confidence::Disproven || kernel.denies() {
                self.confidence = match kernel.verdict {
                    // Of its negation.
                    KernelVerdict::Accepted if self.kind == Kind::FalseLemma => {
                        Confidence::Disproven
                    }
                    KernelVerdict::Accepted => Confidence::Verified,
                    KernelVerdict::Axioms | KernelVerdict::Compiler => Confidence::Medium,
                    KernelVerdict::Open | KernelVerdict::Unknown => Confidence::Low,
                };
            }
        }
        self.detail.get_or_insert_default().kernel = Some(kernel);
    }

    /// Badge and whose word it is. The one table of kind, confidence and evidence: proved is what Lean, a prover or a
    /// person vouches for, all else is a claim.
    pub fn standing(&self) -> (&'static str, Cow<'static, str>) {
        use Confidence::{Disproven, Verified};
        use Evidence::{File, Kernel, Model, Person, Prover, Session};
        let is_sketch = self.has_tag(SKETCH_TAG);
        let is_proof = self.kind == Kind::Theorem && self.confidence != Disproven;
        let said = match self.evidence {
            Kernel => "accepted by Lean",
            Person => match self.said().map(|said| said.role.as_str()) {
                None | Some("" | "person") => "by a person",
                // The words are another's.
                Some(_) => "accepted by a person",
            },
            Prover if is_proof && self.confidence != Verified => {
                if self.has_tag(AXIOM_TAG) {
                    WITH_AXIOM
                } else if self.has_tag(REFUSED_TAG) {
                    "by the prover"
                } else if self.has_tag(ON_FALSE_TAG) {
                    "by the prover, resting on a lemma that is false"
                } else if self.has_tag(ON_GAP_TAG) {
                    "by the prover, resting on a gap"
                } else {
                    "by the prover, in an incomplete file"
                }
            }
            Prover if is_proof && self.has_tag(NATIVE_TAG) => {
                "by the prover, trusting the compiler (`native_decide`)"
            }
            // No file of it is known.
            Prover if is_proof && self.source.file.is_none() && self.source.slot.is_some() => {
                "by the prover, as tracking.db says"
            }
            Prover => "by the prover",
            File if is_proof && self.has_tag(STOPPED_TAG) => "in an answer that did not compile",
            File if is_sketch => "in a sketch, not checked",
            File if is_proof => "on record, not checked",
            File if self.kind == Kind::FalseLemma && self.has_tag("literature") => {
                "from the literature, as tracking.db says"
            }
            // The guard says so too.
            File if self.is_unchecked_falsity() => "only reported, nobody checked it",
            File => "on record",
            Model => "by a model, not checked",
            Session => "from a session",
        };
        let badge = match (self.kind, self.confidence, self.evidence) {
            (Kind::Fact, _, Kernel | Person | Prover) => Kind::Fact.badge(),
            (Kind::Fact, ..) => "[UNVERIFIED]",
            (Kind::Theorem, Disproven, _) => Kind::FalseLemma.badge(),
            (Kind::Theorem, Verified, Kernel) if self.kernel().is_some_and(|it| it.replayed) => {
                "[VERIFIED]"
            }
            (Kind::Theorem, Verified, Kernel | Person | Prover) => Kind::Theorem.badge(),
            (Kind::Theorem, ..) => "[CLAIMED]",
            (kind, ..) => kind.badge(),
        };
        // As the answer's notes list them.
        let clauses = || self.notes.as_deref().unwrap_or_default().split("; ");
        let axioms = || clauses().find_map(|clause| clause.strip_prefix("axioms: "));
        let said: Cow<'static, str> = match said {
            WITH_AXIOM => axioms()
                .map_or(said.into(), |names| format!("by the prover, assuming {names}").into()),
            said => said.into(),
        };
        let said: Cow<'static, str> = match (self.kernel(), self.evidence) {
            (Some(kernel), _) => {
                let negation = if self.kind == Kind::FalseLemma { "negation " } else { "" };
                let before =
                    if self.evidence == Kernel { String::new() } else { format!("{said}; ") };
                format!("{before}{negation}{}", kernel.words()).into()
            }
            (None, _) => said,
        };
        let against = self.against().filter(|_| is_proof);
        (badge, against.map_or(said.clone(), |against| format!("{said}, {against}").into()))
    }

    /// Why a proof that stands may not be the one that is wanted.
    pub fn against(&self) -> Option<&'static str> {
        let found = [
            (REFUSED_TAG, "refused by its owner"),
            (CONTRADICTION_TAG, "against tracking.db"),
            (RESTATED_TAG, "not as its sketch states it"),
            (CASE_TAG, OF_A_CASE),
        ];
        found.into_iter().find(|(tag, _)| self.has_tag(tag)).map(|(_, words)| words)
    }

    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|own| own == tag)
    }

    pub fn badge(&self) -> &'static str {
        self.standing().0
    }

    /// Its owner calls it false, and says of nothing that it shows that.
    pub fn is_unchecked_falsity(&self) -> bool {
        self.kind == Kind::FalseLemma
            && self.evidence == Evidence::File
            && self.confidence != Confidence::Disproven
    }

    /// `Name := body`, where the statement is hardly more than the name of a definition of its file.
    pub fn meaning(&self) -> Option<&str> {
        self.notes.as_deref()?.split_once(MEANING).map(|(_, meaning)| meaning)
    }

    /// What the owner wrote down about one submission or several.
    pub fn is_note(&self) -> bool {
        self.has_tag("note")
    }

    /// How tracking.db and the prover's answer contradict each other in it, as a clause.
    pub fn contradiction(&self) -> Option<&str> {
        let texts = [self.why_failed.as_deref(), self.notes.as_deref()].into_iter().flatten();
        let mut clauses = texts.flat_map(|text| text.split("; "));
        clauses.find(|clause| clause.starts_with("tracking.db "))
    }

    /// Why its owner refuses it.
    pub fn refusal(&self) -> Option<&str> {
        let mut clauses = self.notes.as_deref()?.split("; ");
        clauses.find_map(|clause| clause.strip_prefix(REFUSED_FOR))
    }

    /// Only words stand behind it; behind a lesson of a session stand results of tools.
    pub fn is_claim(&self) -> bool {
        let has_results = self.kind == Kind::Lesson && self.evidence == Evidence::Session;
        let is_denied = self.kernel().is_some_and(KernelDetail::denies);
        is_denied || (self.evidence > Evidence::Prover && !has_results)
    }

    /// Identity across machines, 32 hexadecimal digits: hash of [`Draft::identity`] and kind, else of kind, project,
    /// problem, title, name and statement (without these two the description).
    pub fn uid(&self) -> String {
        let mut hash = Sha256::new();
        let mut field = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        field(self.kind.as_str());
        if let Some(identity) = &self.identity {
            field("identity");
            field(identity);
        } else {
            for part in [&self.project, &self.problem, &self.theorem_name, &self.theorem_statement]
            {
                field(part.as_deref().unwrap_or(""));
            }
            field(&self.title);
            if self.theorem_name.is_none() && self.theorem_statement.is_none() {
                field(&self.description);
            }
        }
        hex(&hash.finalize()[..16])
    }

    /// Of the whole content but `created_at`, `status` and what the journal has of it: equal means nothing to store.
    pub fn fingerprint(&self) -> String {
        let mut plain = Self { created_at: None, status: Status::Claimed, ..self.clone() };
        if let Some(said) = plain.detail.as_mut().and_then(|detail| detail.said.as_mut()) {
            said.journaled = None;
        }
        let bytes = serde_json::to_vec(&plain).unwrap_or_default();
        hash(bytes, 16)
    }
}

/// Its JSON is what `mk show --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Row number.
    pub id: i64,
    /// Across machines.
    pub uid: String,
    #[serde(flatten)]
    pub content: Draft,
    pub updated_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<i64>,
}

impl Finding {
    /// Its number, of a proposal the beginning of its uid.
    pub fn label(&self) -> String {
        match self.content.said() {
            Some(_) if !self.content.status.is_live() => self.uid.chars().take(8).collect(),
            _ => format!("#{}", self.id),
        }
    }

    pub fn has_expired(&self, now: &str) -> bool {
        self.content.fact().is_some_and(|fact| fact.has_expired(now))
    }
}

/// A statement without keyword and name, in one line.
pub fn claim(statement: &str) -> String {
    let line = one_line(&clean(statement));
    let rest = line.split_once(' ').filter(|(word, _)| {
        ["theorem", "lemma", "example", "def", "instance", "abbrev", "problem"].contains(word)
    });
    let Some((_, rest)) = rest else { return line };
    let mut is_quoted = false;
    let end = rest.find(|c| {
        is_quoted = (is_quoted || c == '«') && c != '»';
        !is_quoted && [' ', '(', '{', '[', ':', '⦃'].contains(&c)
    });
    rest.get(end.unwrap_or(rest.len())..)
        .unwrap_or_default()
        .trim_start_matches([' ', ':'])
        .trim()
        .to_owned()
}

/// A claim in so many columns. What it speaks of gives way first: instances, implicit variables, variables. Then only its
/// hypotheses stand before the conclusion, without their names; the last ones give way first, and are counted: without
/// them it would claim more. Then the end.
pub fn clip_claim(claim: &str, room: usize) -> String {
    if width(claim) <= room {
        return claim.to_owned();
    }
    let (all, conclusion) = binders(claim);
    let mut groups: Vec<Option<&str>> = all.iter().map(|(group, _)| Some(*group)).collect();
    let weight = |at: &usize| all.get(*at).map_or(HYPOTHESIS, |(_, weight)| *weight);
    let mut order: Vec<usize> = (0..all.len()).rev().filter(|at| weight(at) < HYPOTHESIS).collect();
    order.sort_by_key(weight);
    for at in order {
        groups.get_mut(at).map(Option::take);
        let mut parts: Vec<&str> = groups.iter().map(|group| group.unwrap_or("…")).collect();
        parts.dedup_by(|a, b| *a == "…" && *b == "…");
        let short = format!("{} : {conclusion}", parts.join(" "));
        if width(&short) <= room {
            return short;
        }
    }
    let hypotheses = all.iter().filter(|(_, weight)| *weight == HYPOTHESIS);
    let hypotheses: Vec<&str> = hypotheses.map(|(group, _)| proposition(group)).collect();
    let shown = |most: usize| {
        let mut parts: Vec<String> =
            hypotheses.iter().take(most).map(|&it| it.to_owned()).collect();
        match hypotheses.len() - most {
            0 => {}
            left if most > 0 => parts.push(format!("{left} more")),
            1 => parts.push("1 hypothesis".to_owned()),
            left => parts.push(format!("{left} hypotheses")),
        }
        let given = if parts.is_empty() { String::new() } else { parts.join(", ") + " ⊢ " };
        format!("{given}{conclusion}")
    };
    let most = (0..=hypotheses.len()).rev().find(|most| width(&shown(*most)) <= room);
    clip(&shown(most.unwrap_or_default()), room)
}

/// `0 < n` of `(hn : 0 < n)`.
fn proposition(group: &str) -> &str {
    let inner = group.get(1..group.len() - 1).unwrap_or(group);
    inner.split_once(" : ").map_or(inner, |(_, of)| of.trim())
}

/// The groups of binders before the conclusion, if it is told apart, each with its weight.
fn binders(claim: &str) -> (Vec<(&str, u8)>, &str) {
    let (mut groups, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, c) in claim.char_indices() {
        match c {
            '(' | '[' | '{' | '⦃' | '⟨' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            ')' | ']' | '}' | '⦄' | '⟩' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let (group, rest) = claim[start..].split_at(at + c.len_utf8() - start);
                    groups.push((group, weight(group, rest)));
                }
            }
            ':' if depth == 0 => {
                let conclusion = claim.get(at + 1..).unwrap_or_default().trim();
                return (groups, conclusion);
            }
            c if depth == 0 && !c.is_whitespace() => break,
            _ => {}
        }
    }
    (Vec::new(), claim)
}

/// How much of a claim a group of binders is; `rest` is what follows it.
fn weight(group: &str, rest: &str) -> u8 {
    const RELATIONS: &str = "=<≤>≥∈≠∣¬∧∨↔∃∀⊆∉";
    // A variable may have a default.
    let group = group.split(" := ").next().unwrap_or(group);
    let (names, of) = group.trim_matches(['(', ')']).split_once(" : ").unwrap_or_default();
    // `(planar : Planar G)`, and not `(P : Finset α)`, which is spoken of.
    let is_spoken_of = || {
        let is_name = |word: &str| names.split(' ').any(|name| name == word);
        rest.split(|c: char| !c.is_alphanumeric() && !"_'".contains(c)).any(is_name)
    };
    match group.chars().next() {
        // `[Riemann]`: a class that speaks of nothing given is a hypothesis.
        Some('[') if !group.contains(' ') => HYPOTHESIS,
        Some('[') => 0,
        Some('{' | '⦃') => 1,
        _ if group.contains(|c| RELATIONS.contains(c)) => HYPOTHESIS,
        _ if group.starts_with("(h") => HYPOTHESIS,
        _ if of.contains(' ') && !is_spoken_of() => HYPOTHESIS,
        _ => 2,
    }
}

const HYPOTHESIS: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_ignores_what_may_change() {
        let mut draft = Draft::new(Kind::Theorem, "t", "d");
        draft.theorem_name = Some("Nat.foo".into());
        let uid = draft.uid();
        let fingerprint = draft.fingerprint();
        draft.notes = Some("sorry=1".into());
        assert_eq!(draft.uid(), uid);
        assert_ne!(draft.fingerprint(), fingerprint);
        draft.created_at = Some("2026-01-01 00:00:00".into());
        draft.notes = None;
        assert_eq!(draft.fingerprint(), fingerprint);
        draft.theorem_name = Some("Nat.bar".into());
        assert_ne!(draft.uid(), uid);
    }

    #[test]
    fn hypotheses_stay_in_a_short_claim() {
        let long = "{V : Type*} [Fintype V] (G : SimpleGraph V) (n : ℕ) (h : G = C4) (hn : 2 < n) : tau G ≤ 2 * n";
        for (room, expected) in [
            (200, long),
            (
                84,
                "{V : Type*} … (G : SimpleGraph V) (n : ℕ) (h : G = C4) (hn : 2 < n) : tau G ≤ 2 * n",
            ),
            (80, "… (G : SimpleGraph V) (n : ℕ) (h : G = C4) (hn : 2 < n) : tau G ≤ 2 * n"),
            (60, "… (h : G = C4) (hn : 2 < n) : tau G ≤ 2 * n"),
            (40, "G = C4, 2 < n ⊢ tau G ≤ 2 * n"),
            (28, "2 hypotheses ⊢ tau G ≤ 2 * n"),
            (24, "2 hypotheses ⊢ tau G ≤…"),
        ] {
            assert_eq!(clip_claim(long, room), expected);
        }
        let predicate = "(planar : Planar G) (P : Finset α) (large : 3 < chi G + chi H) : f P = 2";
        assert_eq!(clip_claim(predicate, 40), "Planar G, 3 < chi G + chi H ⊢ f P = 2");
        assert_eq!(clip_claim(predicate, 30), "Planar G, 1 more ⊢ f P = 2");
        assert_eq!(clip_claim("∀ n : ℕ, 0 < n → n < 2 ^ n", 12), "∀ n : ℕ, 0…");
        assert_eq!(claim("theorem A.«τ ≤ 2ν» (n : ℕ) : n = n"), "(n : ℕ) : n = n");
        assert_eq!(claim("lemma foo: 1 = 1"), "1 = 1");
    }

    #[test]
    fn proved_is_what_somebody_vouches_for() {
        use Confidence::{Disproven, Low, Medium, Verified};
        use Evidence::{File, Kernel, Model, Person, Prover, Session};
        let claims = ["[CLAIMED]", "[UNVERIFIED]"];
        for evidence in Evidence::ALL {
            for confidence in [Verified, Medium, Low] {
                let mut draft = Draft::new(Kind::Theorem, "t", "");
                (draft.confidence, draft.evidence) = (confidence, *evidence);
                let (badge, words) = draft.standing();
                let is_proved = confidence == Verified && *evidence <= Prover;
                assert_eq!(badge == "[PROVEN]", is_proved, "{evidence} {confidence}");
                assert_eq!(claims.contains(&badge), !is_proved, "{evidence} {confidence}");
                assert!(!is_proved || !words.contains("not checked"), "{words}");
            }
        }
        for (kind, confidence, evidence, expected) in [
            (Kind::Theorem, Verified, Prover, ("[PROVEN]", "by the prover")),
            (Kind::Theorem, Medium, Prover, ("[CLAIMED]", "by the prover, in an incomplete file")),
            (Kind::Theorem, Verified, Kernel, ("[PROVEN]", "accepted by Lean")),
            (Kind::Theorem, Disproven, Prover, ("[FALSE]", "by the prover")),
            (Kind::Theorem, Verified, File, ("[CLAIMED]", "on record, not checked")),
            (Kind::FalseLemma, Disproven, File, ("[FALSE]", "on record")),
            (Kind::Failure, Low, Session, ("[FAILED]", "from a session")),
            (Kind::Fact, Low, Model, ("[UNVERIFIED]", "by a model, not checked")),
            (Kind::Fact, Low, Person, ("[FACT]", "by a person")),
        ] {
            let mut draft = Draft::new(kind, "t", "");
            (draft.confidence, draft.evidence) = (confidence, evidence);
            assert_eq!(
                draft.standing(),
                (expected.0, expected.1.into()),
                "{kind} {confidence} {evidence}"
            );
        }
    }

    #[test]
    fn words_that_a_person_accepted_are_not_the_persons() {
        for (role, expected) in
            [("person", "by a person"), ("", "by a person"), ("agent", "accepted by a person")]
        {
            let mut draft = Draft::new(Kind::Failure, "t", "");
            draft.evidence = Evidence::Person;
            let said = Said { role: role.to_owned(), ..Said::default() };
            draft.detail = Some(Detail { said: Some(said), ..Detail::default() });
            assert_eq!(draft.standing().1, expected, "{role}");
        }
    }

    #[test]
    fn json_reads_both_spellings() {
        let draft: Draft = serde_json::from_str(
            r#"{"finding_type":"False-Lemma","title":"x","problem_id":"erdos_1","tags":"a, b","source_slot":4}"#,
        )
        .unwrap();
        assert_eq!(draft.kind, Kind::FalseLemma);
        assert_eq!(draft.tags, ["a", "b"]);
        assert_eq!(draft.source.slot, Some(4));
        assert_eq!(draft.confidence, Confidence::Medium);
    }
}
