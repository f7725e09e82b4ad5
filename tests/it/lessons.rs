//! Lessons out of transcripts, against written sessions with known lessons; and Lean's own messages,
//! pinned by its test suites, against the kinds and signatures that are read from them. The messages
//! lie beside the project.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use math_forge::lean::diagnostics::{Diagnostic, Severity};
use math_forge::learn::events::{Act, Event, Met};
use math_forge::learn::lessons::{
    Learner, Lesson, Pattern, errors, lessons, likeness, unknown_name,
};
use math_forge::learn::transcript::{Body, Reader, Record};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::env::shared_data;

struct Pinned {
    kind: String,
    is_error: bool,
    message: String,
}

fn pinned() -> Option<Vec<Pinned>> {
    let path = shared_data("pinned_messages")?.join("errors/guard_msgs_sample.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        Pinned {
            kind: row["kind"].as_str().unwrap().to_owned(),
            is_error: row["severity"] == "error",
            message: row["message"].as_str().unwrap().to_owned(),
        }
    });
    Some(rows.collect())
}

fn diagnostic(message: &str) -> Diagnostic {
    Diagnostic {
        file: None,
        line: None,
        column: None,
        severity: Severity::Error,
        kind: None,
        text: message.to_owned(),
    }
}

#[test]
fn pinned_messages_have_reasons_and_signatures() {
    let Some(rows) = pinned() else { return };
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut signatures: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let (mut errors, mut diagnosed) = (0, 0);
    for row in &rows {
        let one = diagnostic(&row.message);
        let reason = one.reason().map_or("none".to_owned(), |reason| reason.to_string());
        *reasons.entry(reason).or_default() += 1;
        if row.is_error {
            errors += 1;
            diagnosed += usize::from(one.reason().is_some());
            signatures.entry(one.signature().to_string()).or_default().insert(&row.kind);
        }
    }
    eprintln!("{} messages by reason (linters have none): {reasons:?}", rows.len());
    eprintln!("{errors} errors, {diagnosed} with a reason, {} signatures", signatures.len());
    let shared: Vec<_> = signatures.iter().filter(|(_, kinds)| kinds.len() > 1).collect();
    assert!(shared.is_empty(), "one signature for errors of different kinds: {shared:?}");
    assert!(diagnosed * 100 >= errors * 85, "{diagnosed} of {errors} errors have a reason");
}

/// A written session, and the lessons that are in it.
struct Scenario {
    name: String,
    records: Vec<Record>,
    wanted: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Expected {
    lessons: Vec<Wanted>,
}

#[derive(Debug, Clone, Deserialize)]
struct Wanted {
    pattern: Pattern,
    tool: String,
    signature: Option<String>,
    worked: String,
}

impl Wanted {
    fn is(&self, lesson: &Lesson) -> bool {
        lesson.pattern == self.pattern
            && lesson.tool_name.as_deref() == Some(&self.tool)
            && self.signature.as_ref().is_none_or(|one| lesson.signature.as_ref() == Some(one))
            && lesson.what_worked.contains(&self.worked)
    }
}

fn records(text: &[u8]) -> Vec<Record> {
    let (mut reader, mut records) = (Reader::new(), Vec::new());
    reader.push(text, &mut records);
    reader.finish(&mut records);
    assert_eq!(reader.problem, None);
    records
}

fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/lessons");
    let expected = fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: BTreeMap<String, Expected> = serde_json::from_str(&expected).unwrap();
    let read = |(name, expected): (String, Expected)| {
        let text = fs::read(folder.join(format!("{name}.jsonl"))).unwrap();
        Scenario { records: records(&text), name, wanted: expected.lessons }
    };
    expected.into_iter().map(read).collect()
}

#[derive(Default)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

#[test]
fn written_sessions_give_their_lessons_and_no_others() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 25);
    let mut scores: BTreeMap<Pattern, Score> = BTreeMap::new();
    for scenario in &scenarios {
        let mut found = lessons(&scenario.records);
        found.retain(Lesson::is_certain);
        for wanted in &scenario.wanted {
            let score = scores.entry(wanted.pattern).or_default();
            if let Some(at) = found.iter().position(|lesson| wanted.is(lesson)) {
                score.right += 1;
                found.remove(at);
            } else {
                score.missed += 1;
                eprintln!("  {}: missed {wanted:?}", scenario.name);
            }
        }
        for lesson in found {
            scores.entry(lesson.pattern).or_default().wrong += 1;
            eprintln!("  {}: wrong {lesson:#?}", scenario.name);
        }
    }
    let mut all_right = true;
    eprintln!("{:18} {:>5} {:>5} {:>6}  precision recall", "pattern", "right", "wrong", "missed");
    for (pattern, Score { right, wrong, missed }) in &scores {
        let percent = |of: usize| 100 * right / (right + of).max(1);
        eprintln!(
            "{pattern:18} {right:>5} {wrong:>5} {missed:>6}  {:>7} % {:>4} %",
            percent(*wrong),
            percent(*missed)
        );
        all_right &= *wrong == 0 && *missed == 0;
    }
    eprintln!("{} sessions", scenarios.len());
    assert!(all_right);
}

fn identities(records: &[Record]) -> Vec<String> {
    lessons(records).iter().map(Lesson::identity).collect()
}

#[test]
fn a_longer_transcript_keeps_the_lessons_of_its_beginnings() {
    for scenario in scenarios() {
        let all = identities(&scenario.records);
        for end in 0..scenario.records.len() {
            let beginning = identities(&scenario.records[..end]);
            assert!(all.starts_with(&beginning), "{} up to record {end}", scenario.name);
        }
    }
}

#[test]
fn reading_in_parts_finds_what_reading_at_once_finds() {
    for scenario in scenarios() {
        let all = lessons(&scenario.records);
        for end in 0..scenario.records.len() {
            let (first, second) = scenario.records.split_at(end);
            let mut learner = Learner::default();
            let mut found: Vec<Lesson> =
                first.iter().flat_map(|one| learner.read(&Event::from(one))).collect();
            let stored = serde_json::to_string(&learner).unwrap();
            let mut learner: Learner = serde_json::from_str(&stored).unwrap();
            found.extend(second.iter().flat_map(|one| learner.read(&Event::from(one))));
            assert_eq!(found, all, "{} at record {end}", scenario.name);
        }
    }
}

#[test]
fn an_edit_of_a_subagent_mends_what_its_caller_met() {
    let call = |id: &str, agent: Option<&str>, name: &str, input: Value, text: &str| {
        let mut lines = [
            json!({"type": "assistant", "message": {"content": [
                {"type": "tool_use", "id": id, "name": name, "input": input}]}}),
            json!({"type": "user", "message": {"content": [
                {"type": "tool_result", "tool_use_id": id, "content": text}]}}),
        ];
        for (line, agent) in lines.iter_mut().zip(agent.into_iter().cycle()) {
            line["agentId"] = json!(agent);
        }
        format!("{}\n{}\n", lines[0], lines[1])
    };
    let build = json!({"command": "lake build"});
    let edit = json!({"file_path": "/p/A.lean", "old_string": "exact Nat.foo", "new_string": "exact Nat.bar"});
    let failed = "error: A.lean:2:3: Unknown identifier `Nat.foo`\nerror: build failed";
    let text = [
        call("1", None, "Bash", build.clone(), failed),
        call("2", Some("a1"), "Edit", edit, "The file was updated."),
        call("3", None, "Bash", build, "Build completed successfully (3 jobs)."),
    ];
    let found = lessons(&records(text.concat().as_bytes()));
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert!(
        one.is_certain() && one.title.contains("replacing `Nat.foo` with `Nat.bar`"),
        "{one:?}"
    );
}

#[test]
fn lessons_are_general_and_say_where_they_come_from() {
    for scenario in scenarios() {
        let calls: BTreeSet<u64> = scenario
            .records
            .iter()
            .filter_map(|record| match &record.body {
                Body::Called(call) => Some(call.line),
                _ => None,
            })
            .collect();
        for lesson in lessons(&scenario.records) {
            let Lesson { title, what_failed, what_worked, signature, line, .. } = &lesson;
            for words in [title, what_failed, what_worked, signature.as_ref().unwrap()] {
                for local in ["/home", "ada", "Proofs/", "toolu_", "session-", ".lean:"] {
                    assert!(!words.contains(local), "{}: {words}", scenario.name);
                }
                assert!(!words.is_empty() && !words.contains('\n'), "{}: {words}", scenario.name);
            }
            assert!(what_failed.ends_with('.') && what_worked.ends_with('.'), "{lesson:?}");
            // Something failed before it.
            assert!(calls.contains(line) && calls.range(..line).count() > 0, "{lesson:?}");
        }
    }
}

/// Sessions about one aim each, none of them about the same things as another.
const UNRELATED: &[&str] = &[
    "lean_rename",
    "missing_rg_grep",
    "params_read_with_limit",
    "params_unknown_option",
    "switch_webfetch_to_curl",
    "switch_edit_to_write",
    "missing_library_dropped",
    "no_exploration",
];

fn lines_of(name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/lessons");
    let text = fs::read_to_string(folder.join(format!("{name}.jsonl"))).unwrap();
    // The prompt belongs to all of them.
    text.lines().skip(1).map(str::to_owned).collect()
}

fn lessons_of_lines(lines: &[String]) -> BTreeSet<String> {
    let records = records(lines.join("\n").as_bytes());
    lessons(&records).iter().map(Lesson::identity).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn unrelated_aims_may_be_worked_at_in_turns(
        one in 0..UNRELATED.len(),
        behind in 1..UNRELATED.len(),
        begins in any::<bool>(),
        runs in proptest::collection::vec(1..=4_usize, 20),
    ) {
        // A few lines at a time: what lies far apart is no attempt at one aim.
        let two = (one + behind) % UNRELATED.len();
        let (first, second) = (lines_of(UNRELATED[one]), lines_of(UNRELATED[two]));
        let mut wanted = lessons_of_lines(&first);
        wanted.extend(lessons_of_lines(&second));
        let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
        let mut mixed = Vec::new();
        let (mut turn, mut runs) = (begins, runs.into_iter().cycle());
        while first.peek().is_some() || second.peek().is_some() {
            let run = runs.next().unwrap_or(1);
            mixed.extend(if turn { first.by_ref().take(run) } else { second.by_ref().take(run) });
            turn = !turn;
        }
        prop_assert_eq!(lessons_of_lines(&mixed), wanted);
    }

    #[test]
    fn damaged_transcripts_are_read(
        which in any::<proptest::sample::Index>(),
        cuts in proptest::collection::vec((any::<proptest::sample::Index>(), "\\PC{0,12}"), 0..20),
        moves in proptest::collection::vec(any::<(proptest::sample::Index, proptest::sample::Index)>(), 0..10),
    ) {
        let mut names: Vec<String> = scenarios().into_iter().map(|one| one.name).collect();
        names.sort();
        let mut lines = lines_of(&names[which.index(names.len())]);
        for (from, to) in moves {
            let (from, to) = (from.index(lines.len()), to.index(lines.len()));
            lines.swap(from, to);
        }
        let mut text = lines.join("\n");
        for (at, new) in cuts {
            let at = text.floor_char_boundary(at.index(text.len().max(1)));
            let end = text.ceil_char_boundary((at + new.len()).min(text.len()));
            text.replace_range(at..end, &new);
        }
        let (mut reader, mut records) = (Reader::new(), Vec::new());
        reader.push(text.as_bytes(), &mut records);
        reader.finish(&mut records);
        for lesson in lessons(&records) {
            prop_assert!((0.0..=1.0).contains(&lesson.confidence));
        }
    }

    #[test]
    fn any_command_and_output_are_read(
        command in "[a-z0-9 |&;<>'\"$(){}=/.\\\\\n-]{0,80}",
        other in "(lake build|grep|sed -i|cat >)[ -~\n]{0,60}",
        output in "(Exit code [0-9]{1,3}\n|error: |A\\.lean:1:2: error: )?\\PC{0,120}",
        is_error in any::<bool>(),
    ) {
        let mut text = String::new();
        for (n, command) in [&command, &other, &command].into_iter().enumerate() {
            let id = format!("t{n}");
            let call = json!({"type": "assistant", "message": {"content": [
                {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}});
            let result = json!({"type": "user", "message": {"content": [{"type": "tool_result",
                "tool_use_id": id, "is_error": is_error && n == 0, "content": output}]}});
            writeln!(text, "{call}\n{result}").unwrap();
        }
        drop(lessons(&records(text.as_bytes())));
    }
}

#[test]
fn real_transcripts_hold_no_lessons_that_are_not_there() {
    let Some(data) = shared_data("lessons in real transcripts") else { return };
    let mut read = 0;
    for entry in fs::read_dir(data.join("hook-payloads")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            // They show the client's forms; nothing in them fails and then works.
            assert_eq!(lessons(&records(&fs::read(&path).unwrap())), [], "{}", path.display());
            read += 1;
        }
    }
    assert!(read > 0);
}

#[test]
fn a_fix_is_found_again_in_another_project() {
    let scenario = |name: &str| {
        scenarios().into_iter().find(|one| one.name == name).unwrap_or_else(|| panic!("{name}"))
    };
    let names = ["lean_rename", "lean_coercion", "lean_second_try", "missing_rg_grep"];
    let known: Vec<String> = names
        .iter()
        .map(|name| lessons(&scenario(name).records).remove(0).signature.unwrap())
        .collect();
    let exact = |lesson: usize| vec![(lesson, true)];
    for (output, expected) in [
        ("error: X/Y.lean:90:1: unknown identifier 'Finset.sum_range_suc'", exact(0)),
        (
            "Z.lean:5:2: error: Type mismatch\n  hz\nhas type\n  ↑k + ↑m = 11\nbut is expected to have type\n  ↑(k + m) = 11",
            exact(1),
        ),
        (
            "Z.lean:5:2: error: linarith failed to find a contradiction\nx y : ℝ\nh✝ : x ^ 2 + y ^ 2 < 3 * x * y\n⊢ False",
            exact(2),
        ),
        (
            "Z.lean:5:2: error: linarith failed to find a contradiction\nx y : ℝ\nh✝ : x ^ 2 + y ^ 2 < 3 * x * y - y\n⊢ False",
            vec![(2, false)],
        ),
        (
            "Z.lean:5:2: error: linarith failed to find a contradiction\nx : ℝ\nh : 0 < x - 1\n⊢ False",
            vec![],
        ),
        ("/bin/bash: line 3: rg: command not found", exact(3)),
        ("Z.lean:5:2: error: unknown identifier 'Finset.prod_range_suc'", vec![]),
        ("all is well", vec![]),
    ] {
        let input = vec![("command".to_owned(), "lake build".to_owned())];
        let act = Act::printed("Bash", input, output, true).unwrap();
        let signatures: Vec<_> = errors(&act).iter().map(Met::signature).collect();
        let mut found: Vec<(usize, bool)> = Vec::new();
        for one in signatures.iter().filter(|one| one.is_specific()) {
            for (at, stored) in known.iter().enumerate() {
                found.extend(likeness(one, stored).map(|like| (at, like >= 1.0)));
            }
        }
        assert_eq!(found, expected, "{output}");
        let unknown = signatures.iter().find_map(unknown_name);
        assert_eq!(unknown.is_some(), output.contains("unknown identifier"), "{output}");
    }
}
