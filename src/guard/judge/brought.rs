//! What an edit brings that the audit would name: metaprograms that leave gaps, other meanings of what
//! is Lean's own, lemmas with a gap that proofs use without their names.

use super::{Finding, Judge};
use crate::guard::audit::{self, Hit, Knowledge};
use crate::guard::rules::{Level, Rule};
use crate::lean::{self, ChangeKind, DeclKind};

/// Of the audit's rules, those that no change of a declaration shows.
const RULES: [Rule; 9] = [
    Rule::LooseGap,
    Rule::MetaGap,
    Rule::Environment,
    Rule::Process,
    Rule::BuiltinInstance,
    Rule::Shadowing,
    Rule::OverriddenCommand,
    Rule::HiddenWarning,
    Rule::Prelude,
];

/// Whatever they find has one of these words in what is new.
const SIGNS: [&str; 15] = [
    "instance",
    "macro",
    "elab",
    "simproc",
    "notation",
    "infix",
    "Sorry",
    "admitGoal",
    "addDecl",
    "Kernel",
    "IO.",
    "warn.sorry",
    "sorryAx",
    "prelude",
    "-Ddebug",
];

/// Attributes by which proofs use a lemma without its name.
const UNNAMED: [&str; 8] =
    ["simp", "aesop", "grind", "norm_num", "ext", "instance", "gcongr", "positivity"];

/// Lean's options on the command line that close goals or switch off the kernel.
const OPTIONS: [&str; 2] = ["-Ddebug.", "`debug."];

impl Judge<'_, '_> {
    pub(super) fn brought(&mut self) {
        let (before, after) = (self.comparison.before(), self.comparison.after());
        let level = self.policy.level(Rule::TrustAdded);
        if level == Level::Off {
            return;
        }
        self.used_unnamed();
        let new = middle(before, after);
        if !SIGNS.iter().any(|sign| new.contains(sign)) {
            return;
        }
        let hits = audit::audit(after, Knowledge::default());
        let hits = hits.since(&audit::audit(before, Knowledge::default())).hits;
        for hit in hits.iter().filter(|hit| RULES.contains(&hit.rule)) {
            let said = self.findings.iter().any(|one| one.line == Some(hit.line));
            // The macro of a prover's own header.
            if !said && !hit.excerpt.contains("negate_state") {
                self.findings.push(of_hit(hit, level));
            }
        }
        if let Some(option) =
            OPTIONS.iter().find(|one| new.contains(*one) && !before.contains(*one))
        {
            let detail = format!("`{option}…`: a debugging option for every file");
            self.findings.push(Finding::of_file(Rule::TrustAdded, level, &detail));
        }
    }

    /// New lemmas with a gap that `simp` and the like use without naming them.
    fn used_unnamed(&mut self) {
        let comparison = self.comparison;
        for change in comparison.changes.iter().filter(|one| one.change == ChangeKind::Added) {
            let Some(new) = comparison.new_of(change).filter(|new| !new.gaps.is_empty()) else {
                continue;
            };
            let attributes =
                new.attributes.iter().filter_map(|span| comparison.after().get(span.clone()));
            let mut words = attributes.filter_map(|one| one.split_whitespace().next());
            let unnamed = words.find(|word| UNNAMED.contains(word));
            let is_instance = new.kind == DeclKind::Instance;
            if let Some(word) = unnamed.or_else(|| is_instance.then_some("instance")) {
                let detail = format!("`{word}`, with a gap: proofs use it without its name");
                self.find(Rule::TrustAdded, change, detail);
            }
        }
    }
}

fn of_hit(hit: &Hit, level: Level) -> Finding {
    Finding {
        declaration: hit.declaration.clone(),
        line: Some(hit.line),
        ..Finding::of_file(
            Rule::TrustAdded,
            level,
            &format!("`{}`: {}", hit.what, hit.rule.summary()),
        )
    }
}

/// What of a text is new, in whole lines.
fn middle<'a>(before: &str, after: &'a str) -> &'a str {
    let new = lean::changed(before, after);
    let start = after.get(..new.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let tail = after.get(new.end..).unwrap_or_default();
    let end = tail.find('\n').map_or(after.len(), |at| new.end + at);
    after.get(start..end).unwrap_or(after)
}
