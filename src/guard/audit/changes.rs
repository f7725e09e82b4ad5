//! What happened to declarations between two versions of files, as findings.

use std::collections::{HashMap, HashSet};

use super::{Hit, Lines, Past};
use crate::guard::baseline::key;
use crate::guard::rules::{Group, Rule};
use crate::guard::{Finding, Policy, judge_comparison};
use crate::lean::{Change, ChangeKind, Comparison, Declaration};
use crate::text::clip_middle;

/// Longest detail of a sentence, in columns.
const DETAIL: usize = 300;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    pub hits: Vec<Hit>,
    gone: Vec<Claim>,
    came: Vec<Claim>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    name: Option<String>,
    key: u64,
    line: usize,
    /// What is said of it: of one that went, that it did; of a new one, where it stands without
    /// a proof. A new one with a proof needs no word.
    hit: Option<Hit>,
}

/// Compares two versions of a file; an empty one is a file that does not exist.
pub fn changes(before: &str, after: &str) -> Changes {
    if before == after {
        return Changes::default();
    }
    let comparison = Comparison::of(before, after);
    let mut reader = Reader {
        comparison: &comparison,
        lines: [Lines::of(before), Lines::of(after)],
        changes: Changes::default(),
    };
    let policy = Policy::default();
    for finding in judge_comparison(&comparison, &policy).findings {
        reader.finding(&finding);
    }
    reader.came();
    let mut changes = reader.changes;
    changes.hits.sort_by_key(|hit| (hit.line, hit.rule));
    changes
}

/// Sees what moved from one file to another, under its name or with its statement: what kept its proof was not
/// removed, what arrived without it has lost it. Files are given with the names that sentences call them by.
pub fn settle(files: &mut [(String, Changes)]) {
    let mut came: HashMap<String, (usize, usize, Option<Hit>)> = HashMap::new();
    for (file, (_, changes)) in files.iter().enumerate() {
        for (at, claim) in changes.came.iter().enumerate() {
            for mark in claim.marks() {
                came.entry(mark).or_insert((file, at, claim.hit.clone()));
            }
        }
    }
    let (mut lost, mut taken) = (Vec::new(), HashSet::new());
    for (from, (file, changes)) in files.iter_mut().enumerate() {
        for left in std::mem::take(&mut changes.gone) {
            let mut arrived = left.marks().filter_map(|mark| came.get(&mark));
            let one = arrived.find(|(to, at, _)| *to != from && taken.insert((*to, *at)));
            let Some((to, _, open)) = one else { continue };
            changes.hits.retain(|hit| Some(hit) != left.hit.as_ref());
            let Some(hit) = open.clone() else { continue };
            let (name, line) = (subject(left.name.as_deref()), left.line);
            let what = format!(
                "{name} was proved in {file}, line {line}, and came here without its proof"
            );
            let past = Past { name: left.name, line_old: Some(line), line_new: Some(hit.line) };
            lost.push((*to, Hit { what, past: Some(past), ..hit }));
        }
    }
    for (to, hit) in lost {
        files[to].1.hits.push(hit);
    }
}

impl Claim {
    fn marks(&self) -> impl Iterator<Item = String> + use<> {
        self.name.clone().into_iter().chain([self.key.to_string()])
    }
}

struct Reader<'c, 'a> {
    comparison: &'c Comparison<'a>,
    /// Of the old text and of the new one.
    lines: [Lines<'a>; 2],
    changes: Changes,
}

impl Reader<'_, '_> {
    fn finding(&mut self, finding: &Finding) {
        // The others an audit of the new version sees, or they are not about a file.
        let rule = finding.rule;
        if rule.group() != Group::Changes {
            return;
        }
        let same = |change: &&Change| {
            change.name == finding.declaration
                && change.line_new.or(change.line_old) == finding.line
                && change.kind == finding.kind
        };
        let Some(change) = self.comparison.changes.iter().find(same) else { return };
        let what = sentence(rule, change, &finding.detail);
        let Some(hit) = self.hit(rule, change, what) else { return };
        if change.change == ChangeKind::Removed {
            let old = self.comparison.old_of(change);
            let key = old.map(|old| key(old, self.comparison.old.text()));
            if let (Some(key), Some(line)) = (key, change.line_old) {
                let (name, hit) = (change.name.clone(), Some(hit.clone()));
                self.changes.gone.push(Claim { name, key, line, hit });
            }
        }
        self.changes.hits.push(hit);
    }

    fn came(&mut self) {
        let comparison = self.comparison;
        for change in comparison.changes.iter().filter(|c| c.change == ChangeKind::Added) {
            let Some(new) = comparison.new_of(change).filter(|new| new.kind.is_proof()) else {
                continue;
            };
            let open = !new.is_complete();
            let hit = open.then(|| self.hit(Rule::ProofLost, change, String::new())).flatten();
            let key = key(new, comparison.new.text());
            let (name, line) = (new.name.clone(), new.line);
            self.changes.came.push(Claim { name, key, line, hit });
        }
    }

    fn hit(&self, rule: Rule, change: &Change, what: String) -> Option<Hit> {
        let (old, new) = (self.comparison.old_of(change), self.comparison.new_of(change));
        let (declaration, text, lines) = match (old, new) {
            (_, Some(new)) => (new, self.comparison.new.text(), &self.lines[1]),
            (Some(old), None) => (old, self.comparison.old.text(), &self.lines[0]),
            (None, None) => return None,
        };
        let span = declaration.name_span.as_ref().unwrap_or(&declaration.statement_span);
        let mut hit = Hit::at(rule, span, text, lines);
        // What is gone is shown where it would stand.
        if new.is_none() {
            (hit.line, hit.column, hit.length) = (self.place_of(change), 0, 1);
        }
        let past = Past {
            name: change.new_name.as_ref().and(change.name.clone()),
            line_old: change.line_old,
            line_new: change.line_new,
        };
        Some(Hit { declaration: Some(name(declaration)), what, past: Some(past), ..hit })
    }

    fn place_of(&self, change: &Change) -> usize {
        let comparison = self.comparison;
        if comparison.new.text().is_empty() {
            return change.line_old.unwrap_or(1);
        }
        let before = comparison.pairs.iter().filter(|(old, _)| Some(*old) < change.old);
        let nearest = before.max_by_key(|(old, _)| *old);
        let new = nearest.and_then(|(_, new)| comparison.new.outline().declarations.get(*new));
        new.map_or(1, |new| new.line)
    }
}

fn name(declaration: &Declaration) -> String {
    declaration.name.clone().unwrap_or_else(|| declaration.kind.as_str().to_owned())
}

fn sentence(rule: Rule, change: &Change, detail: &str) -> String {
    let name = match (&change.name, &change.new_name) {
        (Some(name), Some(new)) => format!("`{name}`, now `{new}`,"),
        (name, new) => subject(name.as_deref().or(new.as_deref())),
    };
    let what = match rule {
        Rule::ProgressLost => format!("{name} lost proof code, with a gap in its place"),
        Rule::ProofRemoved => format!("{name} was proved and is gone"),
        Rule::StatementChanged | Rule::StatementNoted => {
            format!("{} has another statement", name.trim_end_matches(','))
        }
        Rule::DefinitionChanged => format!("{name} is defined differently"),
        _ => format!("{name} lost its proof"),
    };
    let place = match (change.line_old, change.line_new) {
        (Some(old), Some(new)) if old != new => format!(" (line {old} before, {new} now)"),
        (Some(_), Some(_)) | (None, None) => String::new(),
        (Some(old), None) => format!(" (line {old} before)"),
        (None, Some(_)) => " (new)".to_owned(),
    };
    // The sentence says it already.
    let detail = detail.trim_end_matches("it was proved");
    let detail = clip_middle(detail, DETAIL);
    let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
    format!("{what}{place}{detail}")
}

fn subject(name: Option<&str>) -> String {
    name.map_or_else(|| "a declaration without a name".to_owned(), |name| format!("`{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every finding between two texts, as `rule line declaration: sentence`.
    fn told(before: &str, after: &str) -> Vec<String> {
        changes(before, after).hits.iter().map(tell).collect()
    }

    fn tell(hit: &Hit) -> String {
        let name = hit.declaration.as_deref().unwrap_or("-");
        format!("{} {} {name}: {}", hit.rule, hit.line, hit.what)
    }

    #[test]
    fn what_got_worse_is_told() {
        for (before, after, expected) in [
            (
                "theorem a : p := by\n  simp",
                "\ntheorem a : p := by\n  sorry",
                "proof-lost 2 a: `a` lost its proof (line 1 before, 2 now): now `sorry` at line 3",
            ),
            (
                "theorem z : p := h\n\ntheorem a : q := by simp\n",
                "\ntheorem z : p := h\n",
                "proof-removed 2 a: `a` was proved and is gone (line 3 before)",
            ),
            (
                "theorem a : p := by simp",
                "-- theorem a : p := by simp",
                "proof-removed 1 a: `a` was proved and is gone (line 1 before): commented out at line 1",
            ),
            (
                "theorem a : x < 1 := by simp",
                "theorem a : x ≤ 1 := by simp",
                "statement-changed 1 a: `a` has another statement: \
                 `theorem a : x < 1` became `theorem a : x ≤ 1`; weaker: bound given up",
            ),
            (
                "theorem a : x < 1 := by sorry",
                "theorem a : x ≤ 1 := by sorry",
                "statement-noted 1 a: `a` has another statement: \
                 `theorem a : x < 1` became `theorem a : x ≤ 1`; weaker: bound given up",
            ),
            (
                "theorem a : p := by simp",
                "namespace N\ntheorem a : p := by sorry\nend N",
                "proof-lost 2 N.a: `a`, now `N.a`, lost its proof (line 1 before, 2 now): \
                 now `sorry` at line 2",
            ),
            ("theorem a : p := by sorry", "", ""),
            ("theorem a : p := by sorry", "theorem a : p := by simp", ""),
            ("", "theorem a : p := by sorry", ""),
            ("theorem a : p := by simp", "theorem b : p := by simp", ""),
        ] {
            assert_eq!(told(before, after).join(" | "), expected, "{before} -> {after}");
        }
    }

    #[test]
    fn a_deleted_file_names_what_it_proved_by_its_old_lines() {
        let told =
            told("theorem a : p := h\n\ntheorem b : q := h\ntheorem c : r := by sorry\n", "");
        assert_eq!(
            told,
            [
                "proof-removed 1 a: `a` was proved and is gone (line 1 before)",
                "proof-removed 3 b: `b` was proved and is gone (line 3 before)",
            ]
        );
    }

    #[test]
    fn what_moved_to_another_file_is_followed() {
        let proved = "theorem a : x = x := rfl\n";
        for (before, after, other, expected) in [
            (proved, "", proved, ""),
            (proved, "", "theorem b : x = x := rfl", ""),
            (proved, "", "theorem c : y = y ∧ p := h", "A proof-removed"),
            (proved, "", "\ntheorem a : x = x := by sorry", "B proof-lost"),
            (proved, "", "\ntheorem b : x = x := by sorry", "B proof-lost"),
            (proved, "theorem d : q := h", "theorem a : x = x := rfl", ""),
        ] {
            let mut files = [
                ("A.lean".to_owned(), changes(before, after)),
                ("B.lean".to_owned(), changes("", other)),
            ];
            settle(&mut files);
            let hits = files.iter().flat_map(|(file, changes)| {
                changes.hits.iter().map(move |hit| format!("{} {}", &file[..1], hit.rule))
            });
            assert_eq!(hits.collect::<Vec<_>>().join(", "), expected, "{after} and {other}");
            let lost = files[1].1.hits.first();
            if let Some(hit) = lost {
                assert_eq!(
                    tell(hit).split_once(": ").unwrap().1,
                    "`a` was proved in A.lean, line 1, and came here without its proof"
                );
            }
        }
        // One that came takes the place of one that went.
        let two = "theorem a : x = x := rfl\ntheorem b : x = x := rfl\n";
        let mut files = [
            ("A.lean".to_owned(), changes(two, "")),
            ("B.lean".to_owned(), changes("", "theorem c : x = x := rfl")),
        ];
        settle(&mut files);
        assert_eq!(files[0].1.hits.len(), 1);
    }
}
