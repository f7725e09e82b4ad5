//! The diff and the guard, measured: on real changes of real files (the data lies beside the
//! project), and on our own table of tricks and of honest work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use math_forge::guard::{self, Baseline, Level, Policy, Rule};
use math_forge::lean::{self, Change, ChangeKind, Comparison, DeclKind, Declaration, Note};
use serde_json::Value;

use crate::corpus;

/// The data has some names without the namespace that stands around them.
fn short(name: &str) -> String {
    name.rsplit('.').next().unwrap().to_owned()
}

/// What a label of the data is for us. A change of a definition's kind is one of its statement.
fn expected_of(label: &str) -> Option<ChangeKind> {
    Some(match label {
        "sorry_removed" => ChangeKind::Proved,
        "sorry_reduced" => ChangeKind::GapClosed,
        "sorry_introduced" => ChangeKind::ProofLost,
        "sorry_increased" => ChangeKind::GapAdded,
        "statement_changed" | "kind_changed" => ChangeKind::StatementChanged,
        "proof_changed" | "body_changed" | "renamed_body_changed" => ChangeKind::ProofChanged,
        "renamed" => ChangeKind::Renamed,
        "mods_or_comment_only" | "moved" => return None,
        label => panic!("unknown label {label}"),
    })
}

type Facts = BTreeSet<(ChangeKind, String)>;

fn names(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap().iter();
    list.map(|name| name.as_str().unwrap().to_owned()).collect()
}

fn expected(event: &Value) -> Facts {
    let mut facts = Facts::new();
    let mut removed: BTreeSet<String> = names(&event["deleted"]).into_iter().collect();
    let mut added: BTreeSet<String> = names(&event["added"]).into_iter().collect();
    let pairs = event["labels"].as_array().unwrap().iter();
    for pair in pairs {
        for label in pair[1].as_str().unwrap().split('+') {
            let name = pair[0].as_str().unwrap().to_owned();
            facts.extend(expected_of(label).map(|change| (change, name)));
        }
    }
    for triple in event["renames_moves"].as_array().unwrap() {
        let [old, new, label] = [0, 1, 2].map(|index| triple[index].as_str().unwrap().to_owned());
        // To or from another file: here it is added or removed.
        if !removed.contains(&old) || !added.contains(&new) {
            continue;
        }
        removed.remove(&old);
        added.remove(&new);
        facts.insert((ChangeKind::Renamed, old.clone()));
        // A proof that was found is one change, not two.
        let proved = label.contains("sorry_removed");
        let labels = label.split('+').filter(|label| !proved || *label != "renamed_body_changed");
        for label in labels {
            facts.extend(expected_of(label).map(|change| (change, old.clone())));
        }
    }
    facts.extend(removed.into_iter().map(|name| (ChangeKind::Removed, name)));
    facts.extend(added.into_iter().map(|name| (ChangeKind::Added, name)));
    facts.into_iter().map(|(change, name)| (change, short(&name))).collect()
}

/// What is labelled in the data: no order, no trust, nothing around a statement, nothing without
/// a name.
fn found(changes: &[Change]) -> Facts {
    let mut facts = Facts::new();
    for change in changes {
        let words = [
            "the `variable`s",
            "it depended on `",
            "it no longer depends on `",
            "it now depends on `",
            "notation",
        ];
        let around = matches!(change.note, Note::Names | Note::Shadowed)
            || words.iter().any(|head| change.detail.starts_with(head));
        let kind = match change.change {
            ChangeKind::StatementChanged if around => continue,
            ChangeKind::Moved if change.new_name.is_none() => continue,
            ChangeKind::Moved => ChangeKind::Renamed,
            ChangeKind::TrustAdded | ChangeKind::TrustRemoved => continue,
            kind => kind,
        };
        facts.extend(change.name.as_deref().map(|name| (kind, short(name))));
    }
    facts
}

/// Hits, misses and false alarms.
#[derive(Debug, Default)]
struct Score {
    hits: usize,
    missed: usize,
    invented: usize,
}

impl Score {
    /// Takes in whether something was expected, and whether it was told.
    fn count(&mut self, (expected, told): (bool, bool)) {
        self.hits += usize::from(expected && told);
        self.missed += usize::from(expected && !told);
        self.invented += usize::from(!expected && told);
    }
}

/// How many of the data's labels may be missed, and how many changes may be told that it has not.
///
/// What is left is known: the data has `snip end` and `run_cmd` in the body before them, names some
/// declarations without their namespace (so that they seem renamed), cuts a statement at the `:=` of
/// a `let` in it, does not know `proof_wanted`, takes `∑ x in s` and `∑ x ∈ s` for two, and calls
/// short definitions that we see renamed together removed and added.
const ALLOWED: &[(ChangeKind, usize, usize)] = &[
    (ChangeKind::Proved, 0, 0),
    (ChangeKind::ProofLost, 0, 0),
    (ChangeKind::Removed, 3, 1),
    (ChangeKind::Added, 4, 0),
    (ChangeKind::Renamed, 3, 3),
    (ChangeKind::StatementChanged, 9, 4),
    (ChangeKind::GapAdded, 0, 0),
    (ChangeKind::GapClosed, 0, 0),
    (ChangeKind::ProofChanged, 4, 2),
];

/// What the diff says of real changes, against the data's labels.
fn scores(folder: &Path) -> BTreeMap<ChangeKind, Score> {
    let mut scores: BTreeMap<ChangeKind, Score> = BTreeMap::new();
    for event in corpus::events(folder) {
        let found = found(&Comparison::of(&event.before, &event.after).changes);
        let (expected, file) = (expected(&event.labels), &event.labels["path_after"]);
        for fact in expected.union(&found) {
            let seen = (expected.contains(fact), found.contains(fact));
            scores.entry(fact.0).or_default().count(seen);
            if seen != (true, true) {
                let told = if seen.0 { "missed" } else { "invented" };
                eprintln!("  {told} {file} {} {}", fact.0, fact.1);
            }
        }
    }
    scores
}

#[test]
fn real_changes_are_seen_for_what_they_are() {
    let Some(folder) = corpus::folder() else { return };
    let scores = scores(&folder);
    for (kind, missed, invented) in ALLOWED {
        let score = &scores[kind];
        assert!(score.missed <= *missed && score.invented <= *invented, "{kind}: {score:?}");
    }
}

/// What the guard says of our tricks, of honest work and of what text cannot show, by rules.
fn rules() -> BTreeMap<String, Score> {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for case in ["tricks", "honest", "out_of_reach"].into_iter().flat_map(cases) {
        let told = told(&case);
        for line in case.expected.union(&told) {
            let seen = (case.expected.contains(line), told.contains(line));
            scores.entry(line.clone()).or_default().count(seen);
        }
    }
    scores
}

/// Thousandths as a number of hundredths: `99.9`.
fn tenths(share: usize) -> String {
    format!("{}.{}", share / 10, share % 10)
}

/// `cargo test --test it guard_corpus::the_table -- --nocapture` prints it.
#[test]
fn the_table() {
    let row = |name: &str, score: &Score| {
        let Score { hits, missed, invented } = *score;
        let share = |of: usize| tenths(1000 * hits / of.max(1));
        let (precision, recall) = (share(hits + invented), share(hits + missed));
        let all = hits + missed;
        eprintln!(
            "{name:30} {all:6} {hits:6} {missed:7} {invented:9} {precision:>9} % {recall:>7} %"
        );
    };
    let head = |title: &str| {
        eprintln!(
            "\n{title:30} {:>6} {:>6} {:>7} {:>9} {:>11} {:>9}",
            "all", "seen", "missed", "invented", "precision", "recall"
        );
    };
    if let Some(folder) = corpus::folder() {
        let scores = scores(&folder);
        head("changes of 109 real files");
        for (kind, score) in &scores {
            row(kind.as_str(), score);
        }
    }
    let rules = rules();
    head("rules, on our own cases");
    for (rule, score) in &rules {
        row(rule, score);
    }
    let silent = |file: &str| cases(file).iter().filter(|case| told(case).is_empty()).count();
    let refused = cases("honest").iter().filter(|case| refuses(&told(case))).count();
    let (tricks, beyond) = (cases("tricks").len(), cases("out_of_reach").len());
    eprintln!(
        "\ntricks: {} of {tricks} seen, and {beyond} more that text cannot show\n\
         honest work: {refused} of {} refused, {} without a word",
        tricks - silent("tricks"),
        cases("honest").len(),
        silent("honest"),
    );
    assert!(rules.len() >= 10 && rules.values().all(|score| score.missed + score.invented == 0));
}

/// A pair of texts and what the guard must say about it.
#[derive(Default)]
struct Case {
    title: String,
    expected: BTreeSet<String>,
    policy: Policy,
    before: String,
    after: String,
}

fn cases(file: &str) -> Vec<Case> {
    let text = match file {
        "tricks" => include_str!("../fixtures/guard/tricks.txt"),
        "honest" => include_str!("../fixtures/guard/honest.txt"),
        _ => include_str!("../fixtures/guard/out_of_reach.txt"),
    };
    text.split("\n=== ").skip(1).map(case).collect()
}

fn case(text: &str) -> Case {
    let mut case = Case::default();
    let (head, texts) = text.split_once("--- before\n").expect(text);
    let (before, after) = texts.split_once("--- after").expect(text);
    after.trim_start().clone_into(&mut case.after);
    before.clone_into(&mut case.before);
    let mut lines = head.lines();
    lines.next().unwrap().clone_into(&mut case.title);
    for line in lines {
        if let Some(name) = line.strip_prefix("locked: ") {
            case.policy.locked.insert(name.to_owned());
        } else if let Some(text) = line.strip_prefix("session: ") {
            case.policy.baseline = Baseline::of(&text.replace("\\n", "\n"));
        } else {
            case.expected.insert(line.to_owned());
        }
    }
    case
}

/// What the guard says, as the cases write it.
fn told(case: &Case) -> BTreeSet<String> {
    let verdict = guard::judge(&case.before, &case.after, &case.policy);
    verdict.findings.iter().map(|f| format!("{} {}", f.level, f.rule)).collect()
}

fn refuses(lines: &BTreeSet<String>) -> bool {
    lines.iter().any(|line| !line.starts_with("warn"))
}

fn check(file: &str) -> Vec<Case> {
    let cases = cases(file);
    let mut wrong = Vec::new();
    for case in &cases {
        let told = told(case);
        if told != case.expected {
            let reason = guard::judge(&case.before, &case.after, &case.policy)
                .reason(guard::Tense::Would, "FILE");
            wrong.push(format!("{}: {:?} and not {told:?}\n{reason}", case.title, case.expected));
        }
    }
    eprintln!("{file}: {} of {} as expected", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
    cases
}

#[test]
fn every_textual_trick_is_seen() {
    let cases = check("tricks");
    assert!(cases.len() > 50 && cases.iter().all(|case| !case.expected.is_empty()));
}

#[test]
fn honest_work_is_never_refused() {
    let cases = check("honest");
    assert!(cases.len() > 25);
    assert!(!cases.iter().any(|case| refuses(&case.expected)));
}

#[test]
fn what_text_cannot_show_is_listed() {
    let cases = check("out_of_reach");
    assert!(cases.iter().all(|case| case.expected.is_empty()));
}

#[test]
fn real_changes_and_the_guard() {
    let Some(folder) = corpus::folder() else { return };
    let mut counts: BTreeMap<(&str, Level, Rule), usize> = BTreeMap::new();
    let mut lost = 0;
    let mut seen = 0;
    for event in corpus::events(&folder) {
        let (old, new) = (&event.before, &event.after);
        // Real work, and the same undone: then every proof of it is lost.
        for (direction, before, after) in [("forth", old, new), ("back", new, old)] {
            let verdict = guard::judge(before, after, &Policy::default());
            // A proof that rests on an axiom is none; without the axiom that is said.
            let told = |name: &str| {
                let told = verdict.findings.iter();
                let mut told = told.filter(|f| f.declaration.as_deref() == Some(name));
                told.any(|f| match f.rule {
                    Rule::ProofLost | Rule::ProgressLost => {
                        f.level == Level::Deny || f.detail.contains("rested on the axiom")
                    }
                    _ => false,
                })
            };
            let losses = Comparison::of(before, after).changes;
            let losses = losses.iter().filter(|c| {
                c.change == ChangeKind::ProofLost && !c.kind.is_some_and(DeclKind::is_type)
            });
            for name in losses.filter_map(|change| change.name.as_deref()) {
                lost += 1;
                seen += usize::from(told(name));
            }
            for finding in &verdict.findings {
                *counts.entry((direction, finding.level, finding.rule)).or_default() += 1;
            }
            let progress = verdict.findings.iter().any(|f| f.rule == Rule::ProgressLost);
            assert!(direction == "back" || !progress, "{}: {verdict:#?}", event.labels["commit"]);
        }
    }
    for ((direction, level, rule), count) in &counts {
        eprintln!("{direction} {level} {rule}: {count}");
    }
    eprintln!("lost proofs: {lost}, seen: {seen}");
    assert_eq!(lost, seen);
    assert!(lost >= 30);
}

/// Declarations of a text, a few of them, that are proved.
fn some_proved(text: &str) -> Vec<Declaration> {
    let declarations = lean::outline(text).declarations.into_iter();
    let proved = declarations.filter(|d| d.kind.is_proof() && d.is_complete() && d.name.is_some());
    proved.step_by(7).take(4).collect()
}

fn with(text: &str, range: &std::ops::Range<usize>, other: &str) -> String {
    [&text[..range.start], other, &text[range.end..]].concat()
}

#[test]
fn damage_done_to_real_files_is_seen_and_nothing_else() {
    let mut done = 0;
    let Some(folder) = corpus::folder() else { return };
    for text in corpus::lean_files(&folder) {
        for declaration in some_proved(&text) {
            let name = declaration.name.as_deref();
            let body = declaration.body_span.clone().unwrap();
            let equations = text[body.clone()].starts_with(['|', 'w']);
            let proof = if equations { ":= by sorry" } else { "by sorry" };
            let lost = with(&text, &body, proof);
            let told: Vec<_> = Comparison::of(&text, &lost)
                .changes
                .into_iter()
                .map(|c| (c.change, c.name))
                .collect();
            let only = [(ChangeKind::ProofLost, name.map(str::to_owned))];
            let trust = |change| matches!(change, ChangeKind::TrustRemoved);
            let told: Vec<_> = told.into_iter().filter(|(change, _)| !trust(*change)).collect();
            assert_eq!(told, only, "{name:?} of\n{}", text.lines().take(5).collect::<String>());
            let verdict = guard::judge(&text, &lost, &Policy::default());
            assert_eq!(verdict.decision(), Level::Deny, "{name:?}");
            done += 1;
        }
    }
    eprintln!("{done} lost proofs, all of them refused and nothing else told");
}

#[test]
fn harmless_edits_of_real_files_are_not_spoken_of() {
    let mut done = 0;
    let Some(folder) = corpus::folder() else { return };
    for text in corpus::lean_files(&folder).into_iter().step_by(3) {
        for declaration in some_proved(&text) {
            let end = declaration.span.end;
            let line = text[..declaration.span.start].rfind('\n').map_or(0, |at| at + 1);
            let edits = [
                with(&text, &(end..end), " -- sorry, `admit`"),
                with(&text, &(line..line), "/- axiom\nsorry -/\n"),
                with(&text, &(line..line), "\n-- theorem x : P := sorry\n\n"),
            ];
            for edit in &edits {
                let changes = Comparison::of(&text, edit).changes;
                assert!(changes.is_empty(), "{:?}: {changes:#?}", declaration.name);
                done += 1;
            }
        }
        let more = format!("{text}\n\ntheorem mk_new_lemma (x : Nat) : x = x + 0 := by\n  sorry\n");
        let verdict = guard::judge(&text, &more, &Policy::default());
        assert_eq!(
            verdict.decision(),
            Level::Off,
            "{}",
            verdict.reason(guard::Tense::Would, "FILE")
        );
    }
    eprintln!("{done} harmless edits, none of them spoken of");
}

/// Each pair of statements of the file, as an edit of a proof that was there.
#[test]
fn statements_in_other_words_pass_and_weaker_ones_are_asked_about() {
    let lines = include_str!("fixtures/statements.txt").lines();
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with('#')).collect();
    let file = |statement: &str| {
        format!(
            "open Finset Filter Nat\n\n{statement} := by\n  have := foo\n  simpa using bar this\n"
        )
    };
    assert!(lines.len() >= 300);
    for pair in lines.chunks(2) {
        let (mark, before) = pair[0].split_once(' ').unwrap();
        let after = pair[1].trim();
        let verdict = guard::judge(&file(before), &file(after), &Policy::default());
        assert_eq!(
            verdict.decision() > Level::Warn,
            mark != "=",
            "{before}\n-> {after}: {verdict:?}"
        );
    }
}
