//! What prompts bring up: forty that name something known, in the ways in which people write it, and sixty
//! of everyday work that name nothing.

use math_forge::app::App;
use math_forge::app::inject;
use math_forge::hook::Event;
use math_forge::paths::Environment;
use rusqlite::{Connection, params};
use serde_json::json;

use crate::env::TestEnv;

/// Problems that somebody keeps a record of, with what else they are called.
const STATED: &[(&str, &[&str])] = &[
    ("gilbreath", &[]),
    ("erdos_77", &["ramsey_limit"]),
    ("erdos_416", &[]),
    ("erdos_1093", &[]),
    ("brocard_ramanujan", &[]),
    ("oeis_a005132", &["recaman"]),
    ("hadwiger_k6", &["kw6"]),
    ("agoh_giuga", &[]),
    ("union_closed_sets", &["frankl", "ucs"]),
    ("casas_alvero_d12", &[]),
    ("lonely_runner_n8", &["\u{3bb}8"]),
    ("toeplitz_square_peg", &[]),
    ("pillai_conjecture", &[]),
    ("graceful_tree", &[]),
    ("beal", &[]),
    ("seymour_second_neighborhood", &["ssnc"]),
    ("ryser_r4", &["ryser4"]),
];

/// What only a result file named, and one word each.
const FOUND: &[&str] = &["ladder", "carmichael", "window", "counting"];

/// A prompt, and the label or title of what it has to bring up.
const WANTED: &[(&str, &str)] = &[
    ("where are we with Gilbreath's conjecture?", "gilbreath"),
    ("gilbreaths again, the base case this time", "gilbreath"),
    ("Go on with Gilbreath\u{2019}s iterated differences", "gilbreath"),
    ("Erd\u{151}s Problem #77, please", "erdos_77"),
    ("erdos 416: what is left?", "erdos_416"),
    ("prove Erdos-1093", "erdos_1093"),
    ("let's do problem 416", "erdos_416"),
    ("Problem no. 1093 next", "erdos_1093"),
    ("EP77 or EP 416 first?", "erdos_77"),
    ("ep1093", "erdos_1093"),
    ("Erd\u{151}s' problem 416", "erdos_416"),
    ("submit erdos1093_v3.lean once more", "erdos_1093"),
    ("erdosproblems.com/416 says it is open", "erdos_416"),
    ("what happened to slot 512?", "slot512"),
    ("fetch slot513 and look at it", "slot513"),
    ("compare slots 512 and 513", "slot513"),
    ("why did #512 fail in slot #512?", "slot512"),
    ("A005132 is Recaman's sequence", "oeis_a005132"),
    ("look up OEIS A005132", "oeis_a005132"),
    ("does recaman hit every number?", "oeis_a005132"),
    ("Hadwiger for K6", "hadwiger_k6"),
    ("the kw6 attempt", "hadwiger_k6"),
    ("Hadwiger's conjecture, the case with six vertices", "hadwiger_k6"),
    ("Agoh\u{2013}Giuga", "agoh_giuga"),
    ("a new idea for the Agoh-Giuga conjecture", "agoh_giuga"),
    ("Frankl's conjecture", "union_closed_sets"),
    ("union-closed sets with a small ground set", "union_closed_sets"),
    ("die Vermutung von Gilbreath, bitte weiter", "gilbreath"),
    ("la conjecture de Brocard et Ramanujan", "brocard_ramanujan"),
    ("Brocard Ramanujan: n! + 1 a square", "brocard_ramanujan"),
    ("Casas-Alvero in degree 12", "casas_alvero_d12"),
    ("the lonely runner with 8 runners", "lonely_runner_n8"),
    ("Toeplitz' square peg problem", "toeplitz_square_peg"),
    ("Pillai's conjecture", "pillai_conjecture"),
    ("Beal's conjecture is next", "beal"),
    ("Seymour's second neighborhood conjecture", "seymour_second_neighborhood"),
    ("Ryser for r = 4", "ryser_r4"),
    ("use Peg.corner_swap to close it", "corner_swap"),
    ("why is corner_swap wrong?", "corner_swap"),
    ("is there a discharging argument over those contracted triangles?", "discharging"),
];

/// Prompts of everyday work.
const EVERYDAY: &[&str] = &[
    "go on",
    "yes, do that",
    "thanks, looks good",
    "continue with the next lemma",
    "fix the failing proof",
    "run lake build and show me the first error",
    "why does omega fail here?",
    "replace the sorry in line 416",
    "there are 77 warnings, get rid of them",
    "the build takes 512 seconds, can we cut that?",
    "bump the toolchain to v4.24.0",
    "update mathlib and repair what breaks",
    "split this file into two",
    "rename the theorem and all its uses",
    "write a docstring for every public declaration",
    "use simp only instead of simp",
    "can you golf this proof?",
    "the ladder of imports is too deep, flatten it",
    "open a window with the plot",
    "counting from zero or from one?",
    "add a test for the parser",
    "commit this with a good message",
    "push the branch and open a pull request",
    "rebase on main, keep our side in the lockfile",
    "the CI job times out after 10 minutes",
    "explain what this tactic block does",
    "is there a lemma in Mathlib about sums over Finset.range?",
    "find every use of decide in the project",
    "there is a problem with the import order",
    "what is the problem?",
    "no problem, take your time",
    "question 3 on the list: do it",
    "read issue 77 on GitHub and summarise it",
    "answer the comment in PR #416",
    "chapter 12 needs an introduction",
    "take the second approach",
    "square brackets are missing in line 6",
    "the tree of goals is graceful, leave it",
    "make the set closed under union",
    "a sequence of 8 runs shows the same flake",
    "translate the README into German",
    "bitte fahre mit dem Beweis fort",
    "continue la preuve, s'il te pla\u{ee}t",
    "\u{8bf7}\u{7ee7}\u{7eed}\u{8bc1}\u{660e}\u{8fd9}\u{4e2a}\u{5b9a}\u{7406}",
    "set up a Python script that downloads the data",
    "convert the notes to markdown tables",
    "which files did you change?",
    "undo the last edit",
    "compare the two versions and tell me which is faster",
    "do not touch Basic.lean",
    "use induction on n and strong induction in the step",
    "prove that n is even when n squared is even",
    "show that the function is injective",
    "by contradiction, assume the set is infinite",
    "the neighborhood filter should be nhdsWithin",
    "pick a better name for the second hypothesis",
    "what would Erd\u{151}s say about that mess?",
    "let us have lunch, then look at the peg again",
    "print the axioms of main_theorem",
    "delete the temporary files in the output folder",
];

/// A Lean project with knowledge of these problems and of other things.
fn place() -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0");
    let mut rows = vec![
        json!({"kind": "false_lemma", "title": "FALSE: corner_swap", "theorem_name": "Peg.corner_swap",
            "theorem_statement": "∀ c : Curve, c.swap = c", "problem": "toeplitz_square_peg"}),
        json!({"kind": "insight", "title": "discharging over contracted triangles",
            "description": "Each contracted triangle sends a third of its charge.", "problem": "hadwiger_k6"}),
        json!({"kind": "insight", "title": "even and odd residues", "description": "An even square is divisible by four."}),
        json!({"kind": "lesson", "title": "a build that times out", "description": "Ask for one file alone."}),
    ];
    for (id, _) in STATED {
        rows.push(json!({"kind": "failure", "title": format!("induction, as tried for {id}"),
            "problem": id, "why_failed": "the step loses a constant factor"}));
    }
    for id in FOUND {
        rows.push(json!({"kind": "theorem", "title": format!("{id}_bound"), "theorem_name": format!("{id}_bound"),
            "theorem_statement": "∀ n, n ≤ n + 1", "problem": id}));
    }
    for slot in [512, 513] {
        rows.push(json!({"kind": "failure", "title": format!("slot{slot}: it did not load"),
            "why_failed": "unknown name", "source_slot": slot}));
    }
    let lines: Vec<String> = rows
        .into_iter()
        .map(|mut row| {
            row["project"] = json!(env.project());
            row.to_string()
        })
        .collect();
    env.mk_with_input(&["add", "--jsonl", "-"], lines.join("\n")).success();
    let database = Connection::open(env.database()).unwrap();
    for (id, aliases) in STATED {
        let sql = "INSERT INTO problems (id, name, stated_status, submission_count) VALUES (?1, ?1, 'open', 3)
            ON CONFLICT DO UPDATE SET stated_status = 'open', submission_count = 3";
        database.execute(sql, [id]).unwrap();
        for alias in *aliases {
            let sql = "INSERT INTO problem_aliases VALUES (?1, ?2, datetime('now'))";
            database.execute(sql, params![alias, id]).unwrap();
        }
    }
    for id in FOUND {
        database
            .execute("INSERT OR IGNORE INTO problems (id, name) VALUES (?1, ?1)", [id])
            .unwrap();
    }
    env
}

#[test]
fn prompts_bring_up_what_they_name_and_nothing_else() {
    let env = place();
    let (home, project) = (env.database(), env.project());
    let environment = Environment::of(&[
        ("MK_HOME", home.parent().unwrap().to_str().unwrap()),
        ("CLAUDE_PROJECT_DIR", project.to_str().unwrap()),
    ]);
    let mut app = App::new(environment, jiff::Timestamp::now(), None, None).unwrap();
    // Each in a session of its own: what was said once stays in the conversation.
    let mut told = |text: &str| {
        let event =
            json!({"hook_event_name": "UserPromptSubmit", "session_id": text, "prompt": text});
        let event = Event::read(event.to_string().as_bytes(), None).unwrap().unwrap();
        inject::beside_prompt(&mut app, &event, text).unwrap_or_default()
    };
    let (mut hit, mut wrong, mut silent) = (0, Vec::new(), Vec::new());
    for (text, expected) in WANTED {
        let told = told(text);
        let first = told.lines().nth(1).unwrap_or_default();
        if told.contains(expected) {
            hit += 1;
        } else if told.is_empty() {
            silent.push(*text);
        } else {
            wrong.push(format!("{text}: {first}"));
        }
    }
    let spoken: Vec<String> = EVERYDAY
        .iter()
        .map(|text| (text, told(text)))
        .filter(|(_, told)| !told.is_empty())
        .map(|(text, told)| format!("{text}: {told}"))
        .collect();
    println!("{hit} of {} hit; silent: {silent:#?}; wrong: {wrong:#?}", WANTED.len());
    println!("{} of {} told: {spoken:#?}", spoken.len(), EVERYDAY.len());
    assert_eq!((WANTED.len(), EVERYDAY.len()), (40, 60));
    assert!(hit >= 36 && wrong.is_empty(), "{hit} hit; silent: {silent:#?}; wrong: {wrong:#?}");
    assert!(spoken.len() <= 1, "{spoken:#?}");
}
