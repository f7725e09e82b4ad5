//! What is known beside prompts, files and subagents: each hook beside `/bin/true`, over knowledge bases
//! of several sizes.

use std::fs;
use std::path::Path;
use std::process::Command;

use math_forge::model::{Draft, Kind};
use math_forge::store::Store;
use serde_json::{Value, json};

use crate::place::Place;
use crate::timing::{Contender, print, race};

/// Problems at most: a person works on some hundreds.
const PROBLEMS: usize = 600;
/// Rounds of each contender.
const ROUNDS: usize = 200;

pub(crate) fn run() {
    // `cargo bench --bench speed -- inject 1000` takes other sizes.
    let mut sizes: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![1_000, 300_000];
    }
    sizes.into_iter().for_each(measure);
}

fn measure(size: usize) {
    let place = Place::new();
    let path = place.home.join("math-forge/knowledge.db");
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fill(&path, size);
    println!("  {size} documents");
    let file = place.project.join("Known.lean");
    fs::write(&file, "theorem Area7.bound_7 : True := by\n  sorry\n").expect("a file");
    let words =
        "which lemma on the density of sieve weights and the parity of their moments is false";
    let prompt = |text: &str| json!({"prompt": text});
    let task = json!({"tool_name": "Agent", "tool_input": {"prompt": "prove area_7 by the sieve",
        "subagent_type": "general-purpose"}});
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": file}});
    let contenders = vec![
        Contender::process("/bin/true", Command::new("/bin/true"), None),
        hook(&place, "a prompt that names nothing", "UserPromptSubmit", &prompt("go on")),
        hook(
            &place,
            "a prompt with the id of a problem",
            "UserPromptSubmit",
            &prompt("on to area 7"),
        ),
        hook(&place, "a prompt of many words", "UserPromptSubmit", &prompt(words)),
        hook(&place, "a prompt of 1 MB", "UserPromptSubmit", &prompt(&words.repeat(12_000))),
        hook(&place, "a task is kept", "PreToolUse", &task),
        hook(&place, "a subagent starts", "SubagentStart", &json!({"agent_type": "sieve-density"})),
        hook(&place, "a Lean file is read", "PostToolUse", &read),
    ];
    let wanted = |text: &str| text.contains("[math-forge]");
    place.check(&place.event("UserPromptSubmit", "check", &prompt("on to area 7")), wanted);
    print(&race(contenders, ROUNDS));
}

/// A hook in another session each time: in the same one it would have been said already.
fn hook(place: &Place, name: &str, event: &str, more: &Value) -> Contender {
    let event = place.event(event, "s", more);
    let own = name.to_owned();
    let input = move |round: usize| {
        let mut event = event.clone();
        event["session_id"] = json!(format!("{own} {round}"));
        event["tool_use_id"] = json!(format!("t{round}"));
        event.to_string().into_bytes()
    };
    Contender::fed(name, place.mk(&["hook"]), input)
}

const WORDS: [&str; 24] = [
    "density",
    "sieve",
    "weights",
    "parity",
    "moments",
    "prime",
    "bound",
    "graph",
    "colouring",
    "lattice",
    "ideal",
    "kernel",
    "metric",
    "compact",
    "measure",
    "integral",
    "series",
    "root",
    "field",
    "norm",
    "cycle",
    "matching",
    "tree",
    "degree",
];

/// Findings of words, the first of them in many and the last in few.
fn fill(path: &Path, size: usize) {
    let now = "2026-01-01T00:00:00Z".parse().expect("a time");
    let mut store = Store::open(path).expect("the store opens");
    let mut seed = 1_u64;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let mut draft = |number: usize| {
        let mut word = || {
            let far = next(WORDS.len());
            WORDS[next(far + 1)]
        };
        let title = format!("{} {} {number}", word(), word());
        let text: Vec<&str> = (0..30).map(|_| word()).collect();
        let kind = [Kind::Theorem, Kind::Failure, Kind::FalseLemma, Kind::Insight][number % 4];
        let mut draft = Draft::new(kind, title, text.join(" "));
        let area = number % (size / 5).clamp(1, PROBLEMS);
        draft.problem = Some(format!("area_{area}"));
        draft.theorem_name = Some(format!("Area{area}.bound_{number}"));
        draft.why_failed = Some(format!("the {} of the {} has no {}", word(), word(), word()));
        draft
    };
    store
        .write(now, |writer| (0..size).try_for_each(|number| writer.put(&draft(number)).map(drop)))
        .expect("the store can be filled");
}
