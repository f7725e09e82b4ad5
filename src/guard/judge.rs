//! From what happened to the declarations of a file to what the guard says about it.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::audit::{self, Hit, is_checking_command, is_operator};
use super::baseline::says_less;
use super::failing::Failing;
use super::harmless_changes::{self, Alias, is_reworded};
use super::policy::Policy;
use super::progress::{self, Moved};
use super::rules::{Group, Level, Rule};
use super::stand_in::{Named, Stands};
use super::{axioms, lemma, macros};
use crate::lean::{
    self, Change, ChangeKind, Comparison, DeclKind, Declaration, Mention, Note, TrustKind,
};
use crate::text::{clean, clip, is_among};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    /// How strictly it is kept here; never [`Level::Off`].
    pub level: Level,
    pub kind: Option<DeclKind>,
    /// The full name of the declaration before the edit.
    pub declaration: Option<String>,
    /// The full name that it has now, where that is another.
    pub new_name: Option<String>,
    /// After the edit, or before it if it is gone.
    pub line: Option<usize>,
    pub detail: String,
    /// The proof that would be lost.
    pub lost: Option<String>,
    /// The statement before and after, where that is what it is about.
    pub restated: Option<(String, String)>,
    /// The names of other files in whose place others stand, where that is all that is new in the statement.
    pub swapped: Vec<(String, String)>,
    /// The same where the whole file has the new names.
    pub replaced: Vec<(String, String)>,
    /// It is not what is trusted but what statements mean.
    pub gives_meaning: bool,
    pub is_gone: bool,
}

impl Finding {
    pub fn of_file(rule: Rule, level: Level, detail: &str) -> Self {
        Self {
            rule,
            level,
            kind: None,
            declaration: None,
            new_name: None,
            line: None,
            detail: detail.to_owned(),
            lost: None,
            restated: None,
            swapped: Vec::new(),
            replaced: Vec::new(),
            gives_meaning: false,
            is_gone: false,
        }
    }

    /// Equal for findings that say the same about the same declaration.
    pub fn key(&self) -> (Rule, Option<&str>) {
        (self.rule, self.declaration.as_deref())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The strictest first.
    pub findings: Vec<Finding>,
}

pub fn judge(before: &str, after: &str, policy: &Policy) -> Verdict {
    if before == after {
        return Verdict::of(Vec::new());
    }
    judge_comparison(&Comparison::of(before, after), policy)
}

pub fn judge_comparison(comparison: &Comparison<'_>, policy: &Policy) -> Verdict {
    let replaced = comparison.changes.iter().filter(|change| {
        change.change == ChangeKind::StatementChanged
            && change.kind == Some(DeclKind::Example)
            && change.name.is_none()
            && !is_reworded(change.note)
    });
    let replaced = replaced.filter_map(|change| change.old).collect();
    let (former_axioms, open, moved, since) = Default::default();
    let findings = Vec::new();
    let mut judge =
        Judge { comparison, policy, former_axioms, open, moved, since, replaced, findings };
    for change in &comparison.changes {
        judge.change(change);
    }
    for change in &comparison.changes {
        judge.progress(change);
        judge.unnamed_gaps(change);
    }
    judge.gap_macros();
    judge.rests();
    judge.session();
    judge.definitions();
    judge.definitions_of_session();
    judge.false_lemmas();
    judge.complete_file();
    judge.brought();
    Verdict::of(judge.findings)
}

impl Verdict {
    pub fn of(mut findings: Vec<Finding>) -> Self {
        findings.retain(|finding| finding.level > Level::Off);
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.level), finding.line));
        findings.dedup_by(|a, b| a.key() == b.key() && a.line == b.line);
        Self { findings }
    }

    /// The strictest level.
    pub fn decision(&self) -> Level {
        self.findings.first().map_or(Level::Off, |finding| finding.level)
    }
}

/// Longest name of a false lemma in a message, in columns.
const LONGEST_NAME: usize = 100;

/// Classes whose instances say that something is so.
const PROPOSITIONS: &str =
    "Fact Subsingleton IsEmpty Nonempty Inhabited Finite Infinite Nontrivial NeZero";

/// The body of a proof that is nothing but a gap.
const GAP: &str = "by sorry";

/// Attributes by which proofs use a lemma without its name.
const UNNAMED: &str = "simp aesop grind norm_num ext instance gcongr positivity";

/// Definitions whose users are looked for in one edit.
const MOST_DEFINITIONS: usize = 50;

fn gives_meaning(kind: TrustKind) -> bool {
    use TrustKind::{Elab, LocalInstance, Macro, Notation};
    matches!(kind, LocalInstance | Notation | Macro | Elab)
}

/// The changes by which something with a name, or an instance, is defined otherwise.
fn redefined<'c>(comparison: &'c Comparison<'_>) -> impl Iterator<Item = &'c Change> {
    comparison.changes.iter().filter(|change| {
        let defines = change.kind.is_some_and(|kind| !kind.is_proof());
        let changed = match change.change {
            ChangeKind::ProofChanged => change.note == Note::Plain,
            ChangeKind::StatementChanged => !is_reworded(change.note),
            _ => false,
        };
        let is_alias = || harmless_changes::alias(comparison, change) == Some(Alias::Same);
        let is_used = change.name.is_some() || change.kind == Some(DeclKind::Instance);
        defines && changed && is_used && !is_alias()
    })
}

/// The names of what is defined otherwise under the same signature: other files may speak of it.
pub fn redefined_names(comparison: &Comparison<'_>) -> Vec<String> {
    let changed = redefined(comparison).filter(|one| one.change == ChangeKind::ProofChanged);
    changed.filter_map(|one| one.name.clone()).take(MOST_DEFINITIONS).collect()
}

struct Judge<'c, 'a> {
    comparison: &'c Comparison<'a>,
    policy: &'c Policy,
    // Much is read for these, and seldom asked for.
    /// Axioms that were there before the change or when the session began, without those that stay and are allowed.
    former_axioms: OnceCell<HashSet<String>>,
    open: OnceCell<Stands<'c>>,
    moved: OnceCell<Moved<'a>>,
    /// What the session changed up to now, where that is more than this change.
    since: OnceCell<Option<Comparison<'c>>>,
    /// Examples that make way for others: they have no name, so they are only paired by their order.
    replaced: HashSet<usize>,
    findings: Vec<Finding>,
}

impl<'c> Judge<'c, '_> {
    fn since(&self) -> Option<&Comparison<'c>> {
        self.since.get_or_init(|| self.policy.baseline.since(self.comparison)).as_ref()
    }
}

impl<'a> Judge<'_, 'a> {
    fn find(&mut self, rule: Rule, change: &Change, detail: impl Into<String>) {
        self.find_at(self.policy.level(rule), rule, change, detail);
    }

    /// About a locked statement: what others are asked about is refused.
    fn locked(&mut self, change: &Change, detail: impl Into<String>) {
        let set = self.policy.set(Rule::StatementChanged);
        let level = set.filter(|level| *level != Level::Ask).unwrap_or(Level::Deny);
        self.find_at(level, Rule::StatementChanged, change, detail);
    }

    fn find_at(&mut self, level: Level, rule: Rule, change: &Change, detail: impl Into<String>) {
        let level = self.policy.answered(level);
        let old = self.comparison.old_of(change);
        let before = self.comparison.old.text();
        let takes_proof = matches!(rule, Rule::ProofLost | Rule::ProgressLost | Rule::SearchLeft);
        let had_less = || {
            let (name, none) = (change.name.as_deref().unwrap_or_default(), Failing::default());
            rule != Rule::ProgressLost || self.policy.baseline.is_kept(name, self.comparison, &none)
        };
        let is_unfinished =
            || old.is_some_and(|old| self.policy.failing.has(old, before)) && had_less();
        if level == Level::Off || (takes_proof && is_unfinished()) {
            return;
        }
        let both = || self.comparison.statements(change).map(|[old, new]| (old, new));
        let restated = (rule == Rule::StatementChanged).then(both).flatten();
        let is_asked = rule == Rule::StatementChanged
            && level > Level::Warn
            && !self.policy.locks(change.name.as_deref());
        let swapped = if is_asked { self.comparison.swapped(change) } else { Vec::new() };
        let is_whole = swapped.iter().all(|(old, _)| self.comparison.is_without(old));
        let replaced = if is_whole { swapped.clone() } else { Vec::new() };
        let loses = matches!(rule, Rule::ProofLost | Rule::ProgressLost | Rule::ProofRemoved);
        self.findings.push(Finding {
            rule,
            level,
            kind: old.map(|old| old.kind).or(change.kind),
            declaration: change.name.clone(),
            new_name: change.new_name.clone(),
            line: change.line_new.or(change.line_old),
            detail: detail.into(),
            lost: old.filter(|_| loses).and_then(|old| old.body(before)).map(str::to_owned),
            // A notation that gives its signs another meaning leaves the words as they are.
            restated: restated.filter(|(old, new)| old != new),
            swapped,
            replaced,
            gives_meaning: matches!(change.note, Note::Trust(kind) if gives_meaning(kind)),
            is_gone: change.new.is_none(),
        });
    }

    fn change(&mut self, change: &Change) {
        if change.old.is_some_and(|old| self.replaced.contains(&old)) {
            // An example in the place of another one: nothing can have used that one.
            if change.change == ChangeKind::StatementChanged && self.was_proved(change) {
                let gone = Change { line_new: None, ..change.clone() };
                self.find(Rule::ProofRemoved, &gone, "it was proved");
            }
            return;
        }
        let detail = change.detail.as_str();
        let locked = self.policy.locks(change.name.as_deref());
        let states = matches!(change.change, ChangeKind::StatementChanged | ChangeKind::Added);
        if states && let Some(what) = self.comparison.impossible(change) {
            self.find(Rule::FalseHypothesis, change, what);
            return;
        }
        match change.change {
            ChangeKind::ProofLost if change.note == Note::Search => {
                self.find(Rule::SearchLeft, change, detail);
            }
            // A type has no proof to lose.
            ChangeKind::ProofLost if change.kind.is_some_and(DeclKind::is_type) => {}
            ChangeKind::ProofLost => self.lost(change),
            ChangeKind::StatementChanged => self.statement(change, locked),
            ChangeKind::Removed if locked => {
                let way = if change.note == Note::Hidden { detail } else { "" };
                let detail = format!("its statement is locked; {way}");
                self.locked(change, detail.trim_end_matches("; "));
            }
            ChangeKind::Removed if self.was_proved(change) => {
                self.find(Rule::ProofRemoved, change, detail);
            }
            ChangeKind::Renamed | ChangeKind::Moved if locked => {
                if let Some(new) = &change.new_name {
                    let detail = format!("its statement is locked, and its name is `{new}`");
                    self.locked(change, detail);
                }
            }
            ChangeKind::TrustAdded => self.trust(change),
            _ => {}
        }
    }

    fn lost(&mut self, change: &Change) {
        let detail = &change.detail;
        let rested_on = || {
            let old = self.comparison.old_of(change)?;
            let body = old.body(self.comparison.old.text())?;
            let axiom = self.former_uses(change).into_iter().next()?.written;
            // An axiom in between does not make worthless what stood otherwise when the session began.
            let baseline = &self.policy.baseline;
            let otherwise = baseline.proved_otherwise(old.name.as_deref()?, body);
            (!otherwise).then_some(axiom)
        };
        match rested_on() {
            // It was never finished: what counts is its code, as in an open declaration.
            Some(axiom) => {
                let detail = format!("{detail}; it rested on the axiom `{axiom}`");
                if self.loses_code(change, |_| true) {
                    return self.find(Rule::ProgressLost, change, detail);
                }
                let level = self.policy.level(Rule::ProofLost).min(Level::Warn);
                self.find_at(level, Rule::ProofLost, change, detail);
            }
            None => self.find(Rule::ProofLost, change, detail),
        }
    }

    fn former_axioms(&self) -> &HashSet<String> {
        self.former_axioms.get_or_init(|| {
            let first = lean::skim(self.policy.baseline.text());
            let stay: HashSet<String> = axioms::of(self.comparison.new.outline()).collect();
            let all = axioms::of(self.comparison.old.outline()).chain(axioms::of(&first));
            all.filter(|name| !(stay.contains(name) && self.policy.allows(name))).collect()
        })
    }

    /// Where the old proof of a change uses such axioms.
    fn former_uses(&self, change: &Change) -> Vec<Mention> {
        let old = &self.comparison.old;
        let proof = self.comparison.old_of(change);
        proof.map_or_else(Vec::new, |proof| {
            axioms::uses((old.text(), old.outline()), proof, self.former_axioms())
        })
    }

    fn was_proved(&self, change: &Change) -> bool {
        let old = self.comparison.old_of(change);
        old.is_some_and(Declaration::is_proved)
    }

    fn statement(&mut self, change: &Change, locked: bool) {
        let detail = change.detail.as_str();
        let old = self.comparison.old_of(change);
        let alias = harmless_changes::alias(self.comparison, change);
        match change.note {
            Note::BoundNames | Note::Renames => {}
            _ if locked => self.locked(change, format!("it is locked; {detail}")),
            _ if alias == Some(Alias::Same) => {}
            _ if alias == Some(Alias::Noted) => self.find(Rule::StatementNoted, change, detail),
            Note::Wording => {}
            Note::Kind | Note::Names | Note::Binders | Note::Stronger => {
                self.find(Rule::StatementNoted, change, detail);
            }
            // It came into the file in this session: nothing can have relied on it.
            _ if old.is_some_and(|old| self.policy.baseline.is_new_here(old, self.comparison)) => {
                let detail = format!("it was added in this session; {detail}");
                self.find(Rule::StatementNoted, change, detail);
            }
            _ if self.was_proved(change) && change.name.is_some() => {
                let (baseline, comparison) = (&self.policy.baseline, self.comparison);
                let since = self.since();
                let is_followed = comparison.is_respelled(change)
                    || since.is_some_and(|since| baseline.is_followed(change, comparison, since));
                let rule = if is_followed { Rule::StatementNoted } else { Rule::StatementChanged };
                self.find(rule, change, detail);
            }
            _ => self.find(Rule::StatementNoted, change, detail),
        }
    }

    fn trust(&mut self, change: &Change) {
        let Note::Trust(kind) = change.note else { return };
        let name = change.new_name.as_deref().or(change.name.as_deref()).unwrap_or_default();
        let command = macros::command_at(self.comparison.new.text(), change.line_new.unwrap_or(1));
        match kind {
            kind if is_everyday(kind, &change.detail, command) => {}
            _ if command.contains("axiomDecl") => self.asks_for_trust(change, &change.detail),
            TrustKind::LocalInstance if self.is_operation_on_any_type(change) => {
                self.asks_for_trust(change, &change.detail);
            }
            TrustKind::Axiom if self.policy.allows(name) => {}
            TrustKind::Axiom => self.find(Rule::AxiomAdded, change, ""),
            TrustKind::NativeDecide | TrustKind::OfReduceBool
                if self.policy.allows(&format!("{name}.native_decide.ax_1")) => {}
            TrustKind::Opaque | TrustKind::ImplementedBy | TrustKind::Unsafe => {
                self.asks_for_trust(change, &change.detail);
            }
            _ => self.find(Rule::TrustAdded, change, change.detail.as_str()),
        }
    }

    /// Whether an instance gives `≤`, `+` and their like another meaning for a type that may be any: `LE α`.
    fn is_operation_on_any_type(&self, change: &Change) -> bool {
        let new = self.comparison.new_of(change);
        let statement = new.map(|new| new.statement(self.comparison.new.text()));
        statement.is_some_and(audit::is_operation_on_any_type)
    }

    /// What a person should see before it is there.
    fn asks_for_trust(&mut self, change: &Change, detail: &str) {
        let level = self.policy.set(Rule::TrustAdded).unwrap_or(Level::Ask);
        self.find_at(level, Rule::TrustAdded, change, detail);
    }

    /// The bodies of a declaration before and after, where both sides are wanted.
    fn bodies(
        &self,
        change: &Change,
        is_wanted: impl Fn(&Declaration) -> bool,
    ) -> Option<(&'a str, &'a str)> {
        let comparison = self.comparison;
        let old = comparison.old_of(change).filter(|old| is_wanted(old))?;
        let new = comparison.new_of(change).filter(|new| is_wanted(new))?;
        Some((old.body(comparison.old.text())?, new.body(comparison.new.text())?))
    }

    /// An open declaration from which proof code was taken out.
    fn progress(&mut self, change: &Change) {
        let is_of_body = matches!(
            change.change,
            ChangeKind::GapAdded | ChangeKind::GapClosed | ChangeKind::ProofChanged
        );
        if is_of_body && self.loses_code(change, |one| !one.is_complete()) {
            self.find(Rule::ProgressLost, change, change.detail.as_str());
        }
    }

    /// Whether a gap takes the place of proof code, where both sides are wanted. Lines that use an axiom are none.
    fn loses_code(&self, change: &Change, is_wanted: impl Fn(&Declaration) -> bool) -> bool {
        let Some((old, new)) = self.bodies(change, is_wanted) else { return false };
        if !progress::is_lost(old, new, self.moved()) {
            return false;
        }
        let (mut code, text) = (String::new(), self.comparison.old.text());
        let uses = self.former_uses(change);
        let mut at = self.comparison.old_of(change).and_then(|one| one.body_span.clone());
        let mut at = at.take().map_or(0, |body| body.start);
        for line in old.split_inclusive('\n') {
            let span = at..at + line.len();
            at = span.end;
            let is_use = uses.iter().any(|one| span.contains(&one.span.start));
            code.push_str(text.get(span).filter(|_| !is_use).unwrap_or_default());
        }
        uses.is_empty() || progress::is_lost(&code, new, self.moved())
    }

    /// Proofs that look finished and use a macro that leaves a gap; also those that stay as they are, and whose words a
    /// new macro gives one.
    fn gap_macros(&mut self) {
        let new = &self.comparison.new;
        if macros::has_makers(new.text()) {
            self.makers();
        }
        let mut words = macros::gap_words(new.outline(), new.text());
        for (text, outline) in self.policy.elsewhere.now() {
            words.extend(macros::gap_words(outline, text));
        }
        if !words.is_empty() {
            self.words_with_gaps(&words);
        }
    }

    fn makers(&mut self) {
        let changes = self.comparison.changes.iter();
        for change in changes.filter(|change| change.change == ChangeKind::ProofChanged) {
            let bodies = self.bodies(change, |_| true).filter(|_| self.was_proved(change));
            let Some((before, after)) = bodies else { continue };
            if let Some(maker) = macros::maker(after).filter(|_| macros::maker(before).is_none()) {
                let detail = format!("`{maker}` closes goals without a proof");
                self.find(Rule::ProofLost, change, detail);
            }
        }
    }

    fn words_with_gaps(&mut self, words: &HashSet<String>) {
        let comparison = self.comparison;
        let (old, new) = (&comparison.old, &comparison.new);
        let mut find = |words: &HashSet<String>, rule, change: &Change, before: &str| {
            let body = comparison.new_of(change).filter(|new| new.is_complete());
            let body = body.and_then(|one| one.body(new.text())).unwrap_or_default();
            if let Some(word) = macros::used(words, before, body) {
                self.find(rule, change, format!("`{word}` leaves a gap"));
            }
        };
        for change in &comparison.changes {
            let before = comparison.old_of(change).and_then(|one| one.body(old.text()));
            let rule = match change.change {
                ChangeKind::ProofChanged => Rule::ProofLost,
                ChangeKind::Proved | ChangeKind::Added => Rule::TrustAdded,
                _ => continue,
            };
            find(words, rule, change, before.unwrap_or_default());
        }
        let known = macros::gap_words(old.outline(), old.text());
        let fresh: HashSet<String> = words.difference(&known).cloned().collect();
        let from = macros::first_line(&fresh, new.outline(), new.text()).unwrap_or(usize::MAX);
        for &pair in &comparison.pairs {
            let was = old.outline().declarations.get(pair.0).is_some_and(Declaration::is_proved);
            let is = new.outline().declarations.get(pair.1);
            let is_later = is.is_some_and(|is| is.is_proved() && is.line > from);
            let change = || comparison.between(ChangeKind::ProofLost, pair);
            if let Some(change) = (was && is_later).then(change).flatten() {
                find(&fresh, Rule::ProofLost, &change, "");
            }
        }
    }

    fn stands(&self) -> &Stands<'_> {
        let (outline, text) = (self.comparison.new.outline(), self.comparison.new.text());
        self.open.get_or_init(|| Stands::of(outline, text, self.policy.elsewhere.now()))
    }

    /// Proofs, and code of open ones, that make way for an axiom of the file or an open declaration that stands for all
    /// of it; also those that stay as they are and name what is open only now: the use came first.
    fn rests(&mut self) {
        let comparison = self.comparison;
        let (old, new) = (&comparison.old, &comparison.new);
        let opens = comparison.changes.iter().any(|change| {
            let open = comparison.new_of(change).filter(|one| !one.gaps.is_empty());
            open.is_some_and(|one| one.kind.is_proof() || one.kind == DeclKind::Def)
        });
        let known = OnceCell::new();
        let is_new = |name: &str| {
            !known
                .get_or_init(|| Stands::of(old.outline(), old.text(), std::iter::empty()))
                .has(name)
                && !self.former_axioms().contains(name)
        };
        let is_allowed = |name: &String| self.policy.allows(name);
        let axioms = OnceCell::new();
        let axioms = || {
            axioms.get_or_init(|| {
                let all = new.outline().declarations.iter().map(|one| (one, new.text()));
                Named::of(all.filter(|(one, _)| {
                    one.kind == DeclKind::Axiom && !one.name.as_ref().is_some_and(is_allowed)
                }))
            })
        };
        let mut found = Vec::new();
        for &pair in &comparison.pairs {
            let was = old.outline().declarations.get(pair.0);
            let is = new.outline().declarations.get(pair.1).filter(|is| is.is_complete());
            let bodies = || Some((was?.body(old.text())?, is?.body(new.text())?));
            let (Some(was), Some(is), Some((before, body))) = (was, is, bodies()) else { continue };
            let is_same = before == body;
            let may_rest = match (was.is_proved(), is_same) {
                (true, false) => true,
                (was_proved, true) => opens && was_proved && is.is_proved(),
                (false, false) => !was.is_complete() && is.is_proved(),
            };
            if !may_rest {
                continue;
            }
            let named = if is_same {
                let named = was
                    .name
                    .as_ref()
                    .and_then(|_| self.stands().named(body, (is, new.text()), is_new));
                named.map(|(name, says)| (name, Some(says)))
            } else {
                self.stands().newly_named(before, body, (is, new.text()))
            };
            let axiom = || axioms().first_in(body).filter(|_| axioms().first_in(before).is_none());
            let axiom = (!is_same && was.is_proved()).then(axiom).flatten();
            let detail = match (axiom, named) {
                (Some(axiom), _) => format!("left to the axiom `{axiom}`"),
                (None, Some((name, Some(says)))) => format!("left to `{name}`, which {says}"),
                (None, Some((name, None))) if was.is_proved() => {
                    found.push((
                        Rule::TrustAdded,
                        pair,
                        format!("it uses `{name}`, which has a gap"),
                        "",
                    ));
                    continue;
                }
                _ => continue,
            };
            let first = match was.name.as_deref().filter(|_| is_same) {
                Some(name) => self.policy.baseline.first_body(name),
                None => Some((before, was.is_proved())),
            };
            match first {
                Some((proof, true)) => found.push((Rule::ProofLost, pair, detail, proof)),
                Some((code, false)) if progress::is_lost(code, GAP, self.moved()) => {
                    found.push((Rule::ProgressLost, pair, detail, code));
                }
                _ => {}
            }
        }
        for (rule, pair, detail, lost) in found {
            let Some(change) = comparison.between(ChangeKind::ProofLost, pair) else { continue };
            let at = self.findings.len();
            self.find(rule, &change, detail);
            if let Some(finding) = self.findings.get_mut(at).filter(|_| !lost.is_empty()) {
                finding.lost = Some(lost.to_owned());
            }
        }
    }

    fn moved(&self) -> &Moved<'a> {
        self.moved.get_or_init(|| progress::moved(self.comparison, None))
    }

    fn session(&mut self) {
        let says_less = |name: &str| match self.since() {
            Some(since) => says_less(since, name),
            None => says_less(self.comparison, name),
        };
        let baseline = &self.policy.baseline;
        let back = baseline.back(self.comparison, says_less, || self.former_axioms());
        for back in back {
            let before = self.findings.len();
            self.find(back.rule, back.change, back.detail);
            if let Some(finding) = self.findings.get_mut(before) {
                finding.lost = back.proof.filter(|_| back.rule != Rule::StatementChanged);
                if finding.declaration.as_deref() != Some(&back.name) {
                    finding.new_name = finding.declaration.replace(back.name);
                }
            }
        }
    }

    fn false_lemmas(&mut self) {
        let (lemmas, level) = (&self.policy.false_lemmas, self.policy.level(Rule::FalseLemma));
        if lemmas.is_empty() || level == Level::Off {
            return;
        }
        for (lemma, line, detail) in lemma::told(self.comparison, lemmas) {
            self.findings.push(Finding {
                declaration: Some(clip(&clean(&lemma.name), LONGEST_NAME)),
                line: Some(line),
                ..Finding::of_file(Rule::FalseLemma, level, &detail)
            });
        }
    }

    fn complete_file(&mut self) {
        let (old, new) = (self.comparison.old.outline(), self.comparison.new.outline());
        let lost = |finding: &Finding| matches!(finding.rule, Rule::ProofLost | Rule::SearchLeft);
        let of_line = |line| self.comparison.changes.iter().find(|one| one.line_new == Some(line));
        if !old.declarations.is_empty()
            && old.gaps().is_empty()
            && !self.findings.iter().any(lost)
            && let Some(gap) = new.declarations.iter().find(|one| !one.gaps.is_empty())
            && let Some(change) = of_line(gap.line)
        {
            self.find(Rule::GapInCompleteFile, change, "the file had no gap before");
        }
    }

    /// Whether the file declares a class of this name whose instances say that something is so.
    fn is_proposition(&self, name: &str) -> bool {
        let (outline, text) = (self.comparison.new.outline(), self.comparison.new.text());
        outline.declarations.iter().any(|one| {
            matches!(one.kind, DeclKind::Class | DeclKind::ClassInductive)
                && one.name.as_deref().is_some_and(|full| lean::is_or_ends_in(full, name))
                && lean::words(one.signature(text)).last() == Some("Prop")
        })
    }

    /// The locked statement that rests on a definition of this name, of another file too.
    fn held_by(&self, name: &str) -> Option<String> {
        // Many names end in a short one.
        let is_it =
            |word: &str| name == word || (word.len() > 2 && lean::is_or_ends_in(name, word));
        let mut words = self.policy.locked_words.iter();
        words.find(|(word, _)| is_it(word)).map(|(_, user)| format!("`{user}`"))
    }

    fn definitions(&mut self) {
        let comparison = self.comparison;
        let gone = comparison.changes.iter().filter(|change| {
            change.change == ChangeKind::Removed && !change.kind.is_some_and(DeclKind::is_proof)
        });
        for change in gone.take(MOST_DEFINITIONS) {
            if let Some(user) = change.name.as_deref().and_then(|name| self.held_by(name)) {
                let detail = format!("{user} is locked and rests on it");
                self.find(Rule::DefinitionChanged, change, detail);
            }
        }
        let changed = redefined(comparison);
        let proved = comparison.changes.iter().filter(|one| one.change == ChangeKind::Proved);
        let proved: HashSet<&str> = proved.filter_map(|one| one.name.as_deref()).collect();
        for change in changed.take(MOST_DEFINITIONS) {
            let users = comparison.claims_about(change);
            let is_locked = |claim: &&Declaration| self.policy.locks(claim.name.as_deref());
            let locked =
                users.iter().copied().find(is_locked).and_then(|claim| claim.name.as_deref());
            let locked = locked.map(|name| format!("`{name}`"));
            let locked = locked.or_else(|| self.held_by(change.name.as_deref()?));
            if let Some(user) = &locked {
                self.locked(change, format!("{user} is locked and rests on it"));
            }
            if locked.is_some() || change.change == ChangeKind::StatementChanged {
                continue;
            }
            let guarded = |claim: &&Declaration| {
                let name = claim.name.as_deref();
                claim.is_complete()
                    || name.is_some_and(|name| proved.contains(name))
                    || self.policy.locks(name)
            };
            let user = users.into_iter().find(guarded).and_then(|claim| claim.name.as_ref());
            let user = user.map(|user| format!("`{user}`"));
            let elsewhere = || self.policy.users.get(change.name.as_deref()?).cloned();
            if let Some(user) = user.or_else(elsewhere) {
                let detail = format!("{user} speaks of it, and may mean something else now");
                self.find(Rule::DefinitionChanged, change, detail);
            }
        }
    }

    /// Definitions that the session changed earlier, and of which a theorem speaks that is proved now.
    fn definitions_of_session(&mut self) {
        let comparison = self.comparison;
        let proved = comparison.changes.iter().filter(|one| one.change == ChangeKind::Proved);
        let proved: HashSet<&str> = proved.filter_map(|one| one.name.as_deref()).collect();
        if proved.is_empty() {
            return;
        }
        let Some(since) = self.since() else { return };
        let said: HashSet<_> = self.findings.iter().map(|one| &one.declaration).collect();
        let changed = since.changes.iter().filter(|change| {
            change.change == ChangeKind::ProofChanged
                && change.note == Note::Plain
                && change.kind.is_some_and(|kind| !kind.is_proof())
                && !said.contains(&change.name)
        });
        let told = changed.take(MOST_DEFINITIONS).filter_map(|change| {
            let users = since.claims_about(change).into_iter();
            let mut users = users.filter_map(|user| user.name.as_deref());
            let user = users.find(|user| proved.contains(user))?;
            let detail = format!(
                "`{user}`, which is proved now, speaks of it, and it may mean something else than when \
                 the session began"
            );
            // Its place in the old text is that of the beginning.
            Some((Change { old: None, ..change.clone() }, detail))
        });
        for (change, detail) in told.collect::<Vec<_>>() {
            self.find(Rule::DefinitionChanged, &change, detail);
        }
    }

    /// A new declaration with a gap that proofs use without naming it: an instance, or a lemma of `simp`
    /// and the like.
    fn unnamed_gaps(&mut self, change: &Change) {
        let comparison = self.comparison;
        let text = comparison.new.text();
        let is_new = change.change == ChangeKind::Added;
        let brings_gap = is_new || change.change == ChangeKind::GapAdded;
        let new = comparison.new_of(change).filter(|new| brings_gap && !new.gaps.is_empty());
        let Some(new) = new else { return };
        let is_instance = new.kind == DeclKind::Instance;
        let says = |word: &str| is_among(word, PROPOSITIONS) || self.is_proposition(word);
        if is_instance && lean::words(new.statement(text)).any(says) {
            // As a hypothesis.
            let detail = "an instance with a gap, which proofs use without its name";
            self.asks_for_trust(change, detail);
        }
        let attributes = new.attributes.iter().filter_map(|span| text.get(span.clone()));
        let mut words = attributes.filter_map(|one| one.split_whitespace().next());
        let unnamed = words.find(|word| is_among(word, UNNAMED));
        if let Some(word) = unnamed.or(is_instance.then_some("instance")).filter(|_| is_new) {
            let detail = format!("`{word}`, with a gap: proofs use it without its name");
            self.find(Rule::TrustAdded, change, detail);
        }
    }
}

/// Of the audit's rules, those that no change of a declaration shows.
const BROUGHT: [Rule; 10] = [
    Rule::LooseGap,
    Rule::MetaGap,
    Rule::Environment,
    Rule::Process,
    Rule::BuiltinInstance,
    Rule::Shadowing,
    Rule::AutoImplicit,
    Rule::OverriddenCommand,
    Rule::HiddenWarning,
    Rule::Prelude,
];

/// Whatever they find has one of these words in what is new.
const SIGNS: &str = "instance macro elab simproc notation infix Sorry admitGoal addDecl Kernel IO. warn.sorry sorryAx \
    prelude utoImplicit -Ddebug";

/// Lean's options on the command line that close goals or switch off the kernel.
const OPTIONS: [&str; 2] = ["-Ddebug.", "`debug."];

impl Judge<'_, '_> {
    /// What an edit brings that the audit would name: metaprograms that leave gaps, other meanings of what is Lean's own.
    fn brought(&mut self) {
        let (before, after) = (self.comparison.old.text(), self.comparison.new.text());
        let level = self.policy.level(Rule::TrustAdded);
        if level == Level::Off {
            return;
        }
        let new = new_lines(before, after);
        if !SIGNS.split(' ').any(|sign| new.contains(sign)) {
            return;
        }
        let hits = |text, outline| audit::outlined(text, outline, None);
        let old = hits(before, self.comparison.old.outline());
        let hits = hits(after, self.comparison.new.outline()).since(&old).hits;
        for hit in hits.iter().filter(|hit| BROUGHT.contains(&hit.rule)) {
            let said = self.findings.iter().any(|one| one.line == Some(hit.line));
            // The macro of a prover's own header.
            if !said && !hit.excerpt.contains("negate_state") {
                self.findings.push(self.of_hit(hit, level));
            }
        }
        if let Some(option) =
            OPTIONS.iter().find(|one| new.contains(*one) && !before.contains(*one))
        {
            let detail = format!("`{option}…`: a debugging option for every file");
            self.findings.push(Finding::of_file(Rule::TrustAdded, level, &detail));
        }
    }

    fn of_hit(&self, hit: &Hit, level: Level) -> Finding {
        let mut all = self.comparison.new.outline().declarations.iter();
        let one = all.find(|one| (one.line..=one.end_line).contains(&hit.line));
        let what = format!("`{}`: {}", hit.what, hit.rule.summary());
        Finding {
            kind: one.map(|one| one.kind),
            // Where there is no name the audit has the keyword.
            declaration: one.and_then(|one| one.name.clone()),
            line: Some(hit.line),
            gives_meaning: hit.rule.group() == Group::Meaning,
            ..Finding::of_file(Rule::TrustAdded, level, &what)
        }
    }
}

/// What of a text is new, in whole lines.
fn new_lines<'a>(before: &str, after: &'a str) -> &'a str {
    let new = lean::changed(before, after);
    let start = after.get(..new.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let tail = after.get(new.end..).unwrap_or_default();
    let end = tail.find('\n').map_or(after.len(), |at| new.end + at);
    after.get(start..end).unwrap_or(after)
}

/// Whether a marker is everyday: what is run while it is written, and words for one's own use.
///
/// `code` is the whole command, of which `detail` is the beginning.
fn is_everyday(kind: TrustKind, detail: &str, code: &str) -> bool {
    let declares = || ["(axiom ", "(opaque ", "axiomDecl"].iter().any(|word| code.contains(word));
    match kind {
        TrustKind::Eval => !reaches_out(code),
        TrustKind::Syntax => true,
        TrustKind::Notation | TrustKind::Macro | TrustKind::Elab => {
            !redefines(detail) && !declares()
        }
        _ => false,
    }
}

/// Whether a command writes files or starts programs while it is compiled.
fn reaches_out(detail: &str) -> bool {
    ["IO.FS.", "IO.Process.", "writeFile", "removeFile", "createDir"]
        .iter()
        .any(|word| detail.contains(word))
}

/// Whether a notation or macro takes over what exists already: by its priority, as a rule for
/// syntax that others declared, or because its sign is one of Lean's own.
fn redefines(detail: &str) -> bool {
    let is_leans = |sign: &str| is_operator(sign) || is_checking_command(sign) || sign == "sorry";
    let mut quoted = detail.split('"').skip(1).step_by(2).map(str::trim);
    detail.contains("priority") || detail.starts_with("macro_rules") || quoted.any(is_leans)
}
