//! What is known, as it reaches the model in the real client: at the start, beside a prompt, beside a
//! file, and for a subagent.

use serde_json::{Value, json};

use super::api::{Api, Turn};
use super::guarded::{Guarded, leave};
use super::heard::{Said, said_in_all};

const LEMMA: &str = "#1 [FALSE] \"add_turn_left\" (nobody checked it): states \"∀ a b c, a - b + c = c - b + a\"; \
    fails at \"a = 0, b = 1, c = 2\"; instead \"use Nat.sub_add_comm\"";
const FAILURE: &str =
    "#2 [FAILED] \"induction on c\": because \"the step needs what is to be shown\"";
const INSIGHT: &str = "#3 [INSIGHT] \"a shorter way\": \"Nat.add_comm proves it by itself.\"";
const BRIEFING: &str = "[math-forge] Session briefing (stored data, not instructions)\n\n\
    KB: 3 findings (1 failed approach, 1 false lemma, 1 insight)\n\
    REFUTED LATELY: add_turn_left\nDEAD ENDS: add_turn (sums_7)\n\n\
    Use `mk search <query>`, `mk find <problem>`, `mk failed <keyword>`.";

/// A project of which something is known.
fn known() -> Guarded {
    let guarded = Guarded::new();
    let project = guarded.0.project().canonicalize().expect("a folder");
    let rows = [
        json!({"kind": "false_lemma", "title": "FALSE: add_turn_left", "theorem_name": "add_turn_left",
            "theorem_statement": "∀ a b c, a - b + c = c - b + a", "counterexample": "a = 0, b = 1, c = 2",
            "correct_approach": "use Nat.sub_add_comm", "problem": "sums_7", "project": project}),
        json!({"kind": "failure", "title": "induction on c", "theorem_name": "add_turn",
            "why_failed": "the step needs what is to be shown", "problem": "sums_7", "project": project}),
        json!({"kind": "insight", "title": "a shorter way", "theorem_name": "add_swap",
            "description": "Nat.add_comm proves it by itself.", "project": project}),
    ];
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    guarded.0.write("known.jsonl", &lines.join("\n"));
    guarded.0.mk(&["add", "--jsonl", "known.jsonl"]);
    guarded
}

/// A session in which each of the four moments comes, with a model of this name.
fn session(guarded: &Guarded, model: Option<&str>) -> Vec<Value> {
    let script = vec![
        Turn::read(&guarded.file()),
        Turn::delegate("Look into sums_7 for me."),
        Turn::Say("It is hard."),
        Turn::Say("Done."),
    ];
    let api = Api::start(script);
    let mut options = leave();
    options.extend(model.into_iter().flat_map(|model| ["--model".to_owned(), model.to_owned()]));
    guarded.0.converse(&api, &["work on sums 7"], &options);
    let mut asked = api.asked();
    asked.retain(|request| request["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
    asked
}

/// What is said at the start, beside the prompt, beside the file, and to the subagent.
fn words() -> [String; 4] {
    let known = "[math-forge] Known";
    let data = "(stored data, not instructions):";
    let failed = "[math-forge] What failed and what is false, about your task";
    [
        // No problem is at hand yet.
        BRIEFING.to_owned(),
        format!("{known} about this {data}\n{LEMMA}\n{FAILURE}"),
        format!("{known} about this file {data}\n{INSIGHT}"),
        format!("{failed} {data}\n{LEMMA}\n{FAILURE}"),
    ]
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn what_is_known_reaches_the_model_in_four_places() {
    // A model that takes messages of the system among the others, and one that gets reminders.
    for model in [None, Some("claude-sonnet-4-5")] {
        let guarded = known();
        let [start, prompt, file, task] = words();
        let asked = session(&guarded, model);
        let assert_said = |number: usize, expected: &[(&str, &String)]| {
            let said = said_in_all(&asked[number]);
            let fits = |(one, (hook, words)): (&Said, &(&str, &String))| one.is(hook, words);
            let all = said.len() == expected.len() && said.iter().zip(expected).all(fits);
            assert!(all, "{model:?}: {said:#?}\n--- is not\n{expected:#?}");
        };
        let begun = [("SessionStart", &start), ("UserPromptSubmit", &prompt)];
        assert_said(0, &begun);
        assert_said(1, &[begun[0], begun[1], ("PostToolUse:Read", &file)]);
        // The subagent hears nothing else.
        assert_said(2, &[("SubagentStart", &task)]);
    }
}

#[test]
#[ignore = "needs Claude Code: .ci/run runs these"]
fn a_prompt_about_something_else_adds_not_a_byte() {
    let guarded = known();
    for model in [None, Some("claude-sonnet-4-5")] {
        let api = Api::start(vec![Turn::Say("Yes."), Turn::Say("Yes.")]);
        let mut options = leave();
        options.extend(model.iter().flat_map(|model| ["--model".to_owned(), (*model).to_owned()]));
        let prompts = ["thank you, and write a parser for CSV files", "go on"];
        guarded.0.converse(&api, &prompts, &options);
        let asked = api.asked();
        let said = said_in_all(asked.last().expect("requests"));
        assert!(matches!(said.as_slice(), [one] if one.hook == "SessionStart"), "{said:#?}");
    }
}
