//! What an edit brings that the audit would name: metaprograms that leave gaps, other meanings of what
//! is Lean's own.

use super::{Finding, Judge};
use crate::guard::audit::{self, Hit};
use crate::guard::rules::{Group, Level, Rule};
use crate::lean;

/// Of the audit's rules, those that no change of a declaration shows.
const RULES: [Rule; 10] = [
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
const SIGNS: [&str; 16] = [
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
    "utoImplicit",
    "-Ddebug",
];

/// Lean's options on the command line that close goals or switch off the kernel.
const OPTIONS: [&str; 2] = ["-Ddebug.", "`debug."];

impl Judge<'_, '_> {
    pub(super) fn brought(&mut self) {
        let (before, after) = (self.comparison.old.text(), self.comparison.new.text());
        let level = self.policy.level(Rule::TrustAdded);
        if level == Level::Off {
            return;
        }
        let new = middle(before, after);
        if !SIGNS.iter().any(|sign| new.contains(sign)) {
            return;
        }
        let hits = |text, outline| audit::outlined(text, outline, None);
        let old = hits(before, self.comparison.old.outline());
        let hits = hits(after, self.comparison.new.outline()).since(&old).hits;
        for hit in hits.iter().filter(|hit| RULES.contains(&hit.rule)) {
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
fn middle<'a>(before: &str, after: &'a str) -> &'a str {
    let new = lean::changed(before, after);
    let start = after.get(..new.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
    let tail = after.get(new.end..).unwrap_or_default();
    let end = tail.find('\n').map_or(after.len(), |at| new.end + at);
    after.get(start..end).unwrap_or(after)
}
