//! `mk add`, and many processes at once on one database.

use std::fmt::Write as _;

use crate::env::TestEnv;

#[test]
fn the_agent_is_medium_at_most() {
    let env = TestEnv::new();
    let mut command = env.command();
    command.env("CLAUDECODE", "1");
    command.args([
        "add",
        "theorem",
        "--title",
        "t",
        "--confidence",
        "verified",
        "--evidence",
        "person",
    ]);
    let output = env.finish(&mut command);
    assert!(output.stderr.contains("medium confidence"), "{}", output.stderr);
    let shown = env.mk(&["show", "1", "--json"]).json();
    assert_eq!(shown["findings"][0]["confidence"], "medium");
    assert_eq!(shown["findings"][0]["evidence"], "model");
}

#[test]
fn lines_are_stored_all_or_none() {
    let env = TestEnv::new();
    let good = "\u{feff}{\"kind\":\"insight\",\"title\":\"one\"}\r\n\n{\"finding_type\":\"failure\",\"title\":\"two\",\"tags\":\"a, b\"}";
    env.write("good.jsonl", good);
    env.write("bad.jsonl", "{\"kind\":\"insight\",\"title\":\"three\"}\nnonsense\n{\"kind\":\"insight\"}\n\u{fffd}[]\n");
    let output = env.mk(&["add", "--jsonl", "bad.jsonl"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    for expected in ["nothing was stored", "missing field `title`", "not JSON"] {
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
    let output = env.mk(&["add", "--jsonl", "bad.jsonl", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &report["stored"], &report["skipped"]), (1, &false.into(), &3.into()));
    assert_eq!((&report["inserted"], &report["problems"][0]["line"]), (&0.into(), &2.into()));
    assert_eq!(env.mk(&["stats", "--json"]).json()["findings"]["total"], 0);

    let report = env.mk(&["add", "--jsonl", "good.jsonl", "--json"]).json();
    assert_eq!(
        (&report["inserted"], &report["by_kind"]["failure"]["inserted"]),
        (&2.into(), &1.into())
    );
    let report = env.mk_with_input(&["add", "--jsonl", "-", "--json"], good).json();
    assert_eq!((&report["unchanged"], &report["stored"]), (&2.into(), &false.into()));
    for (path, expected) in
        [("missing.jsonl", "could not read `missing.jsonl`"), (".", "could not read `.`")]
    {
        let complaint = env.mk(&["add", "--jsonl", path]).failure(1);
        assert!(complaint.contains(expected), "{complaint}");
    }
}

#[test]
fn what_json_prints_can_be_added_again() {
    let env = TestEnv::new();
    env.mk(&[
        "add",
        "theorem",
        "--title",
        "t",
        "--theorem-name",
        "A.b",
        "--statement",
        "∀ n",
        "--notes",
        "n",
        "--global",
    ])
    .success();
    env.mk(&["add", "fact", "--key", "k", "--value", "v"]).success();
    env.mk(&["add", "playbook", "--title", "p", "--description", "d"]).success();
    let records = |env: &TestEnv| {
        let shown = env.mk(&["show", "1", "2", "3", "--json"]).json();
        shown["findings"].as_array().unwrap().clone()
    };
    let before = records(&env);
    let lines: String = before.iter().fold(String::new(), |mut text, record| {
        writeln!(text, "{record}").unwrap();
        text
    });
    let report = env.mk_with_input(&["add", "--jsonl", "-", "--json"], lines.clone()).json();
    assert_eq!(report["unchanged"], 3);
    let other = TestEnv::new();
    let report = other.mk_with_input(&["add", "--jsonl", "-", "--json"], lines).json();
    assert_eq!(report["inserted"], 3);
    let mut after = records(&other);
    for (new, old) in after.iter_mut().zip(&before) {
        new["updated_at"] = old["updated_at"].clone();
    }
    assert_eq!(after, before);
}

#[test]
fn many_processes_make_one_database() {
    let env = TestEnv::new();
    let children: Vec<_> = (0..60)
        .map(|number| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mk"));
            command.env_clear().env("HOME", env.home()).current_dir(env.project());
            command.args(["add", "insight", "--title", &format!("from {number}")]);
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(env.mk(&["stats", "--json"]).json()["findings"]["total"], 60);
}
