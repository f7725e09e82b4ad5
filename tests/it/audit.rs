//! `mk audit` as its users and their code hosts run it.

use std::fs;

use serde_json::Value;

use crate::env::TestEnv;

const OPEN: &str = "\
import Mathlib

namespace Demo

axiom choice : ∀ n : ℕ, n < 5

/-- no sorry here -/
theorem fine : 1 + 1 = 2 := by norm_num

theorem «open one» (x : ℕ) : x ≤ 5 := by
  have h : x < 5 := by sorry
  omega

theorem fast : 7 ∣ 14 := by native_decide

local notation a \" ∣ \" b => True

end Demo
";

fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lakefile.toml", "name = \"demo\"\n");
    env.write("Demo/Open one.lean", OPEN);
    env.write("Demo/Fine.lean", "theorem fine : 1 + 1 = 2 := by norm_num\n");
    env.write(".lake/packages/other/Bad.lean", "theorem a : p := by sorry\n");
    env
}

#[test]
fn what_is_denied_fails_unless_it_is_allowed() {
    let env = project();
    for (arguments, code, last) in [
        (vec!["--deny", "gaps"], 1, "; 1 denied\n"),
        (vec!["--deny", "error"], 1, "; 2 denied\n"),
        (vec!["--deny", "error", "--deny", "native_decide"], 1, "; 3 denied\n"),
        (vec!["--deny", "stop,hole"], 0, "; 1 note not shown (--notes)\n"),
        (vec!["--deny", "gaps", "--allow", "sorry=Demo.«open*"], 0, "; 1 allowed\n"),
        (vec!["--deny", "all", "--allow", "all=Demo/*"], 0, "; 5 allowed\n"),
        (
            vec![
                "--deny",
                "trust",
                "--allow",
                "axiom=Demo.choice",
                "--allow",
                "native-decide=*.native_decide.ax_*",
            ],
            0,
            "; 2 allowed\n",
        ),
    ] {
        let output = env.mk(&[&["audit"], arguments.as_slice()].concat());
        assert_eq!(output.code, code, "{arguments:?}: {}", output.stdout);
        assert!(output.stdout.ends_with(last), "{arguments:?}: {}", output.stdout);
    }
    let message = env.mk(&["audit", "--deny", "sorries"]).failure(2);
    assert!(message.contains("there is no rule `sorries` (do you mean"), "{message}");
}

#[test]
fn nothing_is_called_clean_that_was_not_looked_at() {
    let env = TestEnv::new();
    let message = env.mk(&["audit", "--deny", "all"]).failure(4);
    assert_eq!(message, "mk: nothing was checked: there is no .lean file here\n");

    let message = env.mk(&["audit", "nowhere.lean"]).failure(3);
    assert_eq!(message, "mk: nowhere.lean: there is no such file\n");

    env.write("Fine.lean", "theorem fine : 1 + 1 = 2 := by norm_num\n");
    let output = env.mk(&["audit", "Fine.lean", "nowhere.lean"]);
    assert_eq!(output.code, 3);
    assert_eq!(output.stdout, "nothing found in 1 file with 1 declaration\n");

    // An archive under a false name is no reason to fail, unless it is what was asked for.
    env.write("Archive.lean", [0x1f, 0x8b, 8, 0, 0]);
    let output = env.mk(&["audit"]).success();
    assert_eq!(
        output,
        "Archive.lean: this is a gzip archive, not Lean text\n\
         nothing found in 1 file with 1 declaration\n"
    );
    env.mk(&["audit", "Archive.lean"]).failure(3);
    let report = env.mk(&["audit", "--json"]).json();
    assert_eq!((&report["clean"], &report["files"]), (&Value::from(true), &Value::from(1)));
}

/// What the schema of SARIF 2.1.0 and a code host ask of a log. The schema lets no other keys stand
/// in its objects, property bags excepted.
pub(crate) fn check_sarif(log: &Value) -> Vec<Value> {
    only(log, &["$schema", "version", "runs"]);
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    let [run] = log["runs"].as_array().unwrap().as_slice() else { panic!("one run") };
    let keys =
        "tool automationDetails columnKind originalUriBaseIds invocations properties results";
    only(run, &keys.split(' ').collect::<Vec<_>>());
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert!(run["originalUriBaseIds"]["%SRCROOT%"]["uri"].as_str().unwrap().ends_with('/'));
    let driver = &run["tool"]["driver"];
    only(driver, &["name", "version", "semanticVersion", "informationUri", "rules"]);
    assert_eq!(
        (&driver["name"], &driver["version"]),
        (&"math-forge".into(), &env!("CARGO_PKG_VERSION").into())
    );
    assert!(driver.get("informationUri").is_none_or(|uri| uri.as_str().unwrap().contains("://")));
    let rules = driver["rules"].as_array().unwrap();
    rules.iter().for_each(check_rule);
    let ids: std::collections::HashSet<&str> =
        rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len());
    let results = run["results"].as_array().unwrap();
    let mut prints = std::collections::HashSet::new();
    for result in results {
        check_result(result, rules);
        let print = result["partialFingerprints"]["mathForge/v1"].as_str().unwrap();
        assert!(prints.insert(print.to_owned()), "two results with one fingerprint: {result}");
    }
    let [invocation] = run["invocations"].as_array().unwrap().as_slice() else { panic!("one") };
    only(invocation, &["executionSuccessful", "toolExecutionNotifications"]);
    assert!(invocation["executionSuccessful"].is_boolean());
    for notice in invocation["toolExecutionNotifications"].as_array().unwrap() {
        only(notice, &["level", "message", "locations"]);
        assert!(is_level(&notice["level"]));
        assert!(!notice["message"]["text"].as_str().unwrap().is_empty());
    }
    results.clone()
}

fn only(object: &Value, keys: &[&str]) {
    for key in object.as_object().unwrap().keys() {
        assert!(keys.contains(&key.as_str()), "`{key}` is none of {keys:?}: {object:#}");
    }
}

fn is_level(value: &Value) -> bool {
    ["error", "warning", "note", "none"].contains(&value.as_str().unwrap())
}

fn check_rule(rule: &Value) {
    let texts = ["shortDescription", "fullDescription", "help"];
    only(rule, &[&["id", "name", "defaultConfiguration", "properties"], &texts[..]].concat());
    for key in texts {
        only(&rule[key], &["text"]);
        let text = rule[key]["text"].as_str().unwrap();
        assert!(!text.is_empty() && text.len() <= 1024 && text.ends_with('.'), "{rule}");
    }
    only(&rule["defaultConfiguration"], &["level"]);
    assert!(is_level(&rule["defaultConfiguration"]["level"]));
}

fn check_result(result: &Value, rules: &[Value]) {
    let keys =
        "ruleId ruleIndex level message locations partialFingerprints suppressions properties";
    only(result, &keys.split(' ').collect::<Vec<_>>());
    let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(rules[index]["id"], result["ruleId"]);
    assert!(is_level(&result["level"]));
    assert!(!result["message"]["text"].as_str().unwrap().is_empty());
    let [location] = result["locations"].as_array().unwrap().as_slice() else { panic!("one") };
    only(location, &["physicalLocation", "logicalLocations"]);
    let place = &location["physicalLocation"];
    only(place, &["artifactLocation", "region"]);
    only(&place["artifactLocation"], &["uri", "uriBaseId"]);
    let uri = place["artifactLocation"]["uri"].as_str().unwrap();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
    assert!(!uri.starts_with('/') && uri.chars().all(is_plain), "{uri}");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    let region = &place["region"];
    only(region, &["startLine", "startColumn", "endLine", "endColumn", "snippet"]);
    let number = |key: &str| region[key].as_u64().unwrap();
    assert!(number("startLine") >= 1 && number("startColumn") >= 1);
    assert!(number("endLine") >= number("startLine"));
    assert!(number("endColumn") > number("startColumn"), "{result}");
    for suppression in result.get("suppressions").into_iter().flat_map(|s| s.as_array().unwrap()) {
        only(suppression, &["kind", "justification"]);
        assert_eq!(suppression["kind"], "external");
    }
}

#[test]
fn sarif_is_what_a_code_host_takes_in() {
    let env = project();
    env.write("Demo/Again.lean", "theorem a : p ∧ p := ⟨by sorry,\n by sorry⟩\n");
    env.write("Demo/𝔸: 100%.lean", "theorem 𝔸𝔹 : 𝔸 = 𝔹 := by sorry\n");
    env.write("Odd.lean", [0x1f, 0x8b, 8, 0, 0]);
    let output = env.mk(&["audit", "--sarif", "--deny", "gaps", "--allow", "axiom"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let log: Value = serde_json::from_str(&output.stdout).unwrap();
    let results = check_sarif(&log);
    assert!(results.len() >= 7, "{results:#?}");
    let run = &log["runs"][0];
    // Columns are characters, as `columnKind` says, not UTF-16.
    let wide = results
        .iter()
        .map(|r| &r["locations"][0]["physicalLocation"])
        .find(|place| place["artifactLocation"]["uri"] == "Demo/%F0%9D%94%B8%3A%20100%25.lean");
    assert_eq!(wide.unwrap()["region"]["startColumn"], 26);
    let prints: Vec<&Value> =
        results.iter().map(|r| &r["partialFingerprints"]["mathForge/v1"]).collect();
    let axiom = results.iter().find(|r| r["ruleId"] == "axiom").unwrap();
    assert_eq!(axiom["suppressions"][0]["kind"], "external");
    let sorry = results.iter().find(|r| r["ruleId"] == "sorry").unwrap();
    assert_eq!(sorry["level"], "error");
    let notice = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert!(notice["message"]["text"].as_str().unwrap().contains("gzip"), "{notice}");

    // Lines that move keep their fingerprints.
    let text = fs::read_to_string(env.project().join("Demo/Again.lean")).unwrap();
    env.write("Demo/Again.lean", format!("-- a new line\n\n{text}"));
    let output = env.mk(&["audit", "--sarif"]);
    let moved: Value = serde_json::from_str(&output.stdout).unwrap();
    for result in moved["runs"][0]["results"].as_array().unwrap() {
        let print = &result["partialFingerprints"]["mathForge/v1"];
        assert!(prints.contains(&print), "{result}");
    }
}

#[test]
fn a_folder_of_odd_names_and_bytes_is_read() {
    let env = TestEnv::new();
    env.write("ünïcode/α β.lean", "theorem a : p := by sorry");
    env.write("crlf.lean", "\u{feff}theorem a : p := by\r\n  sorry\r\n");
    env.write("latin.lean", b"-- caf\xe9\ntheorem a : p := by sorry");
    env.write("empty.lean", "");
    let report = env.mk(&["audit", "--json"]).json();
    assert_eq!(report["files"], 4);
    assert_eq!(report["counts"], serde_json::json!({ "sorry": 3 }));
    let places: Vec<String> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| format!("{}:{}:{}", f["file"].as_str().unwrap(), f["line"], f["column"]))
        .collect();
    assert_eq!(places, ["crlf.lean:2:2", "latin.lean:2:20", "ünïcode/α β.lean:1:20"]);
}

#[test]
fn what_is_known_to_be_false_is_found() {
    let env = TestEnv::new();
    env.write(
        "A.lean",
        "theorem t : p := by\n  exact Bad.bound 3\n\ntheorem copy (k : ℕ) : k < 2 := by simp\n",
    );
    let report = env.mk(&["audit", "--json"]).json();
    assert_eq!(report["clean"], true);
    assert!(!env.database().exists(), "an audit makes no database");
    env.mk(&[
        "add",
        "false-lemma",
        "--title",
        "bound",
        "--theorem-name",
        "Bad.bound",
        "--statement",
        "theorem bound (n : ℕ) : n < 2",
        "--counterexample",
        "n = 2",
        "--description",
        "too strong",
    ])
    .success();
    let report = env.mk(&["audit", "--json", "--deny", "false-lemma"]);
    assert_eq!(report.code, 1);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    let told: Vec<String> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| format!("{}:{} {}", f["line"], f["column"], f["message"].as_str().unwrap()))
        .collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("2:8 `Bad.bound` is "), "{told:?}");
    assert!(told[0].contains("false") && told[0].contains("counterexample: n = 2"), "{told:?}");
    assert!(told[1].starts_with("4:8 this states what `Bad.bound` states, which is "), "{told:?}");
}
