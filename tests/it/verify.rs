//! `mk verify` and `mk certify` before a real Lean. `MK_LEAN` is the folder that `tests/lean/lean_up.sh` prints;
//! `.ci/run` sets it. `cargo test --test it verify:: -- --ignored`

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::env::{Output, TestEnv};

/// The packages of `tests/lean`.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lean")
}

fn path() -> String {
    let home =
        std::env::var("MK_LEAN").expect("MK_LEAN, the folder that tests/lean/lean_up.sh prints");
    format!("{home}/bin:/usr/local/bin:/usr/bin:/bin")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// A project that is one of the packages.
fn package(name: &str) -> TestEnv {
    let env = TestEnv::new();
    copy(&packages().join(name), &env.project());
    env
}

fn lake(env: &TestEnv, arguments: &[&str]) -> bool {
    let mut command = env.tool("lake");
    command.env("PATH", path()).args(arguments).output().unwrap().status.success()
}

fn mk(env: &TestEnv, arguments: &[&str]) -> Output {
    let output = env.command().env("PATH", path()).args(arguments).output().unwrap();
    Output {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn json(env: &TestEnv, arguments: &[&str]) -> Value {
    let output = mk(env, arguments);
    serde_json::from_str(&output.stdout)
        .unwrap_or_else(|_| panic!("{}{}", output.stdout, output.stderr))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// What the list of axioms means.
fn verdict(axioms: &[&str]) -> &'static str {
    let usual = ["propext", "Classical.choice", "Quot.sound"];
    let others: Vec<&&str> = axioms.iter().filter(|name| !usual.contains(name)).collect();
    let of_compiler =
        |name: &&&str| name.starts_with("Lean.") || name.contains("._native.native_decide.");
    if axioms.contains(&"sorryAx") {
        "open"
    } else if others.is_empty() {
        "accepted"
    } else if others.iter().all(of_compiler) {
        "compiler"
    } else {
        "axioms"
    }
}

/// Modules in which the kernel takes something for what it is not, by what their text shows.
const LIARS: &[&str] = &["Bare", "House.Primitive"];

/// With a prover's header.
const RESULT: &str = "/-\nThis file was edited by Aristotle.\n\nThis project request had uuid: \
     3f2c1a10-0000-4000-8000-000000000001\n-/\nimport Ladder.Sum\n\n\
     theorem small_fact (n : Nat) : n ≤ Ladder.sumTo n := Ladder.le_sumTo n\n";

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn every_verdict_is_that_of_lean() {
    for name in ["example", "house"] {
        let env = package(name);
        let expected: Value = serde_json::from_str(
            &fs::read_to_string(packages().join(name).join("expected.json")).unwrap(),
        )
        .unwrap();
        copy(&packages().join("guest"), &env.project().with_file_name("guest"));
        assert!(lake(&env, &["build"]));
        let others: &[&str] = if name == "house" { &["Bare"] } else { &["Cheat"] };
        assert!(lake(&env, &[&["build"], others].concat()));
        let report = json(&env, &["verify", "--replay", "--json"]);
        let mut counted = 0;
        for (module, of) in expected["modules"].as_object().unwrap() {
            let file = report["files"]
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["module"] == module.as_str());
            let Some(file) = file else {
                assert_ne!(of["leanchecker"]["exit"], 0, "{module} was not asked about");
                continue;
            };
            let replays = of["leanchecker"]["exit"] == 0 || of["leanchecker"] == 0;
            let is_liar = LIARS.contains(&module.as_str());
            assert_eq!(
                file["problem"].is_null(),
                replays && !is_liar,
                "{module}: {}",
                file["problem"]
            );
            let declarations = file["declarations"].as_array().unwrap();
            for (name, said) in of["declarations"].as_object().unwrap() {
                let shown = name.strip_prefix("_private.").and_then(|rest| rest.split_once(".0."));
                let shown = shown.map_or(name.as_str(), |(_, name)| name);
                let one = declarations.iter().find(|one| one["name"] == shown);
                let verdict = match one {
                    _ if name.ends_with("_example") => continue,
                    Some(one) => one["verdict"].as_str().unwrap(),
                    // Who changes the answers is not asked.
                    None if is_liar => continue,
                    None => panic!("{module}: {name} is missing"),
                };
                if verdict == "unknown" {
                    let is_unsafe = one.is_some_and(|one| one["kind"] == "unsafe");
                    assert!(is_unsafe || !file["problem"].is_null(), "{module}: {name}");
                    continue;
                }
                assert_eq!(verdict, self::verdict(&texts(&said["axioms"])), "{module}: {name}");
                counted += 1;
            }
        }
        assert!(counted > if name == "house" { 250 } else { 20 }, "{name}: {counted}");
    }
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn an_audit_tells_what_lean_said_and_the_text_does_not_show() {
    let env = package("house");
    copy(&packages().join("guest"), &env.project().with_file_name("guest"));
    assert!(lake(&env, &["build"]));
    let found = |words: &[&str]| -> Vec<String> {
        let report = json(&env, words);
        let all = report["findings"].as_array().unwrap().clone();
        let all = all.iter().filter(|one| one["rule"].as_str().unwrap().starts_with("kernel-"));
        all.map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or("-").to_owned();
            format!("{} {}", text("rule"), text("declaration"))
        })
        .collect()
    };
    let audit = ["audit", "--kernel", "--json"];
    assert!(found(&audit).is_empty());
    assert_eq!(json(&env, &audit)["kernel"]["files"], 0);
    assert_eq!(mk(&env, &["verify", "--replay"]).code, 1);
    let all = found(&audit);
    for expected in [
        // An import, a macro, an instance.
        "kernel-gap House.Gap.three",
        "kernel-gap House.Closer.here",
        "kernel-gap House.Instances.decided",
        "kernel-trust House.Axioms.absurdity",
        "kernel-refused -",
    ] {
        assert!(all.iter().any(|one| one == expected), "{expected}: {all:?}");
    }
    // Their text shows it, or shows on what they rest.
    for other in ["House.Sorries.term", "House.Private.on_secret", "House.Implemented.anything"] {
        assert!(!all.iter().any(|one| one.ends_with(other)), "{other}: {all:?}");
    }
    let output = mk(&env, &["audit", "--kernel", "--deny", "kernel", "House/GapOne.lean"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("Lean was asked about 1 of 1 file"), "{}", output.stdout);
    env.write("House/GapOne.lean", "theorem gap : 1 = 2 := sorry\n");
    let output = mk(&env, &["audit", "--kernel", "House/GapOne.lean"]);
    assert!(
        output.stdout.contains("not about House/GapOne.lean (`mk verify`)"),
        "{}",
        output.stdout
    );
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn a_result_is_certified_only_for_what_was_asked() {
    let env = package("house");
    copy(&packages().join("guest"), &env.project().with_file_name("guest"));
    copy(&packages().join("sketches"), &env.project().join("sketches"));
    assert!(lake(&env, &["build"]));
    let expected: Value = serde_json::from_str(
        &fs::read_to_string(packages().join("sketches/expected.json")).unwrap(),
    )
    .unwrap();
    let pairs = expected["pairs"].as_object().unwrap();
    assert!(pairs.len() >= 40);
    for (name, of) in pairs {
        let file = |which: &str| format!("sketches/{name}/{which}.lean");
        let output = mk(&env, &["certify", &file("Sketch"), &file("Result")]);
        let verdict = of["verdict"].as_str().unwrap();
        let code = i32::from(verdict != "certified");
        let said = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.code, code, "{name}: {said}{}", output.stderr);
        // Its words for each reason.
        let reasons: &[&str] = match verdict.trim_start_matches("refused: ") {
            "statement" => &["its statement is another one"],
            "definition" => &["which is defined differently"],
            "missing" => &["the result has none of this name"],
            "open" => &["it rests on `sorry`"],
            "axiom" => &["it relies on", "it is an axiom", "which the kernel computes by itself"],
            "replay" => &["the replay refuses it"],
            "broken" => &["it does not compile"],
            _ => &["Certified"],
        };
        assert!(reasons.iter().any(|reason| said.contains(reason)), "{name}, {verdict}: {said}");
    }

    // The receipt says the same again, until something changes.
    let sketch = "sketches/honest/Sketch.lean";
    let result = "sketches/honest/Result.lean";
    let made =
        mk(&env, &["certify", sketch, result, "--receipt", "r.json", "--comparator", "c.json"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(mk(&env, &["certify", "--check", "r.json"]).code, 0);
    let config: Value =
        serde_json::from_str(&fs::read_to_string(env.project().join("c.json")).unwrap()).unwrap();
    assert_eq!(config["permitted_axioms"].as_array().unwrap().len(), 3);
    let receipt = fs::read_to_string(env.project().join("r.json")).unwrap();
    for (file, change, expected) in [
        (sketch, "\n-- a word more\n", "the sketch changed"),
        (result, "\n-- a word more\n", "the result changed"),
        (sketch, "", "there is no file"),
    ] {
        let text = fs::read_to_string(env.project().join(file)).unwrap();
        env.write(file, text.clone() + change);
        if change.is_empty() {
            fs::remove_file(env.project().join(file)).unwrap();
        }
        let again = mk(&env, &["certify", "--check", "r.json"]);
        assert!(again.code == 1 && again.stderr.contains(expected), "{file}: {}", again.stderr);
        assert!(again.stdout.is_empty(), "{}", again.stdout);
        env.write(file, text);
    }
    for (part, other, expected) in [
        ("\"certified\": true", "\"certified\": false", "the verdict changed"),
        ("\"axioms\": []", "\"axioms\": [\"propext\"]", "what Lean says changed"),
        ("v4.35.0", "v4.34.0", "the toolchain changed"),
    ] {
        env.write("r.json", receipt.replacen(part, other, 1));
        let again = mk(&env, &["certify", "--check", "r.json"]);
        assert!(again.code == 1 && again.stderr.contains(expected), "{part}: {}", again.stderr);
    }
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn a_sketch_is_compared_with_what_git_had_when_it_was_sent() {
    let env = package("example");
    let git = |at: &str, words: &[&str]| {
        let mut command = env.tool("git");
        command.env("GIT_COMMITTER_DATE", at).env("GIT_AUTHOR_DATE", at);
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words);
        assert!(command.output().unwrap().status.success());
    };
    let sketch = "theorem small_one (n : Nat) : n = n + 0 := sorry\n";
    env.write("slot7_small.lean", sketch);
    env.write("slot7_small_result.lean", "theorem small_one (n : Nat) : n = n + 0 := rfl\n");
    git("2026-03-01T09:00:00Z", &["init", "-q"]);
    git("2026-03-01T09:00:00Z", &["add", "slot7_small.lean"]);
    git("2026-03-01T09:00:00Z", &["commit", "-qm", "x"]);
    let database = env.write("submissions/tracking.db", "");
    rusqlite::Connection::open(database)
        .unwrap()
        .execute_batch(
            "CREATE TABLE submissions (id INTEGER PRIMARY KEY, uuid TEXT, filename TEXT, problem_id TEXT,
             status TEXT, submitted_at TEXT, output_file TEXT);
             INSERT INTO submissions VALUES (1, NULL, 'slot7_small.lean', 'small', 'completed',
             '2026-03-01 10:00:00', 'slot7_small_result.lean')",
        )
        .unwrap();
    let weaker = "theorem small_one (n : Nat) : n = n + 0 ∨ n = 1 := sorry\n";
    for (text, is_told) in [
        (sketch.to_owned(), false),
        (format!("-- for later\n{sketch}"), false),
        (weaker.to_owned(), true),
    ] {
        env.write("slot7_small.lean", &text);
        let output = mk(&env, &["certify", "slot7_small.lean", "slot7_small_result.lean"]);
        let said = "the sketch is not what git had when it was sent (2026-03-01 10:00:00)";
        assert_eq!(output.stderr.contains(said), is_told, "{text}{}", output.stderr);
    }
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn what_lean_said_is_shown_until_something_changes() {
    let env = package("example");
    assert!(lake(&env, &["build"]));
    let said = |words: &[&str]| mk(&env, words).stdout;
    assert_eq!(mk(&env, &["verify", "Ladder/Sum.lean"]).code, 0);
    let found = said(&["search", "exists_sum_gt"]);
    assert!(
        found.contains("[PROVEN]") && found.contains("accepted by Lean, not replayed"),
        "{found}"
    );
    assert_eq!(mk(&env, &["verify", "Ladder/Sum.lean", "--replay"]).code, 0);
    let found = said(&["search", "exists_sum_gt"]);
    assert!(found.contains("[VERIFIED]") && found.contains("replayed"), "{found}");
    let shown = said(&["show", "Ladder.exists_sum_gt"]);
    assert!(shown.contains("v4.35.0") && shown.contains("Ladder/Sum.lean"), "{shown}");
    assert!(said(&["verify", "Ladder/Sum.lean"]).contains("nothing changed since"));

    // A file that it imports.
    let basic = env.project().join("Ladder/Basic.lean");
    let text = fs::read_to_string(&basic).unwrap();
    fs::write(&basic, format!("{text}\ndef more := 1\n")).unwrap();
    let found = said(&["search", "exists_sum_gt"]);
    assert!(
        !found.contains("[VERIFIED]") && found.contains("verified under v4.35.0, not since"),
        "{found}"
    );
    assert!(said(&["brief"]).contains("that it accepted changed since"));
    let stale = mk(&env, &["verify", "--stale", "--replay"]);
    assert!(stale.stdout.contains("not built as it is now"), "{}", stale.stdout);
    let stale = mk(&env, &["verify", "--stale", "--replay", "--build"]);
    assert_eq!(stale.code, 0, "{}", stale.stdout);
    assert!(said(&["search", "exists_sum_gt"]).contains("[VERIFIED]"));

    // A proof that is lost.
    let sum = env.project().join("Ladder/Sum.lean");
    let text = fs::read_to_string(&sum).unwrap();
    let at = text.find("theorem exists_sum_gt").unwrap();
    let end = text[at..].find(":=").unwrap() + at;
    let next = text[end..].find("\n\n").map_or(text.len(), |next| end + next);
    fs::write(&sum, format!("{}:= sorry{}", &text[..end], &text[next..])).unwrap();
    assert!(lake(&env, &["build"]));
    assert_eq!(mk(&env, &["verify", "--stale"]).code, 0);
    let found = said(&["search", "exists_sum_gt"]);
    assert!(!found.contains("exists_sum_gt (theorem)"), "{found}");
    assert!(
        said(&["brief"]).contains("no longer hold: Ladder.exists_sum_gt"),
        "{}",
        said(&["brief"])
    );

    // A file that is gone, as on another branch, is not complained about.
    assert_eq!(mk(&env, &["verify", "Ladder/Classic.lean", "--replay"]).code, 0);
    let classic = env.project().join("Ladder/Classic.lean");
    let text = fs::read(&classic).unwrap();
    fs::remove_file(&classic).unwrap();
    assert!(!said(&["brief"]).contains("changed since"), "{}", said(&["brief"]));
    fs::write(&classic, text).unwrap();
    assert!(said(&["search", "excluded_middle"]).contains("[VERIFIED]"));

    // Another toolchain.
    env.write("lean-toolchain", "leanprover/lean4:v4.99.0\n");
    assert!(said(&["search", "sumTo_succ"]).contains("the toolchain changed"));
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn a_replay_that_fails_is_an_alarm() {
    let env = package("example");
    assert!(lake(&env, &["build", "Cheat"]));
    let plain = mk(&env, &["verify", "Cheat.lean"]);
    assert!(plain.code == 0 && plain.stdout.contains("2 theorems accepted"), "{}", plain.stdout);
    assert!(!mk(&env, &["search", "one_eq_two"]).stdout.contains("[VERIFIED]"));
    let replayed = mk(&env, &["verify", "Cheat.lean", "--replay"]);
    assert!(replayed.code == 1 && replayed.stdout.contains("ALARM"), "{}", replayed.stdout);
    let found = mk(&env, &["search", "one_eq_two"]).stdout;
    assert!(found.contains("[CLAIMED]") && found.contains("the replay refuses it"), "{found}");
    assert!(mk(&env, &["brief"]).stdout.contains("ALARM"));
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn a_file_of_no_library_is_compiled_by_itself() {
    let env = package("example");
    assert!(lake(&env, &["build"]));
    env.write(
        "results/slot-7.lean",
        "import Ladder.Sum\n\ntheorem small : Ladder.sumTo 0 = 0 := rfl\n",
    );
    let output = mk(&env, &["verify", "results/slot-7.lean", "--replay"]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("1 theorem verified"), "{}", output.stdout);
    assert!(!env.project().join("results/slot-7.olean").exists());
    let named = mk(&env, &["verify", "small"]);
    assert!(named.stdout.contains("Ladder.sumTo 0 = 0"), "{}", named.stdout);
    assert_eq!(mk(&env, &["verify", "no_such_name"]).code, 1);
    // What is open, and asked for by name, is not accepted.
    assert_eq!(mk(&env, &["verify", "half_done"]).code, 1);
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn a_statement_is_false_for_lean_where_its_negation_is_proved() {
    let env = package("example");
    assert!(lake(&env, &["build"]));
    let block = |statement: &str, proof: &str| {
        format!(
            "/-\nAristotle found this block to be false. Here is a proof of the negation:\n\n{statement} := by\n    \
             negate_state;\n    -- six is more\n{proof}\n-/\n{statement} := by\n  sorry\n"
        )
    };
    let (header, _) = RESULT.split_once("theorem").unwrap();
    let good = block(
        "theorem at_most_five (n : Nat) : n ≤ 5",
        "    intro h\n    exact absurd (h 6) (by decide)",
    );
    let bad = block("theorem at_most_six (n : Nat) : n ≤ 6", "    intro h\n    exact h");
    env.write("results/refuted.lean", format!("{header}\n{good}\n{bad}"));
    assert!(env.command().args(["extract", "results"]).output().unwrap().status.success());
    let said = |words: &[&str]| mk(&env, words).stdout;
    assert!(said(&["search", "at_most_five"]).contains("by the prover"));
    let verified = said(&["verify", "results/refuted.lean", "--replay"]);
    assert!(
        verified.contains("¬ at_most_five") && !verified.contains("¬ at_most_six"),
        "{verified}"
    );
    let found = said(&["search", "at_most_five"]);
    assert!(
        found.contains("[FALSE]") && found.contains("negation by Lean's kernel, replayed"),
        "{found}"
    );
    let shown = said(&["show", "at_most_six"]);
    assert!(shown.contains("by the prover") && !shown.contains("negation by Lean"), "{shown}");
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn what_goes_wrong_is_one_sentence_and_nothing_is_kept() {
    let env = package("example");
    let refused = |env: &TestEnv, words: &[&str], expected: &str| {
        let output = mk(env, words);
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(output.code != 0 && said.contains(expected), "{words:?}: {said}");
    };
    refused(&env, &["verify"], "no file of this package is built");
    let nowhere = env.command().env("PATH", "/nowhere").args(["verify"]).output().unwrap();
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("there is no `lake` on your PATH"));
    let bare = TestEnv::new();
    refused(&bare, &["verify"], "is in no Lake package");
    let in_session =
        env.command().env("PATH", path()).env("CLAUDECODE", "1").arg("verify").output().unwrap();
    assert!(String::from_utf8_lossy(&in_session.stderr).contains("mk trust --run"));
    refused(&env, &["verify", "Ladder/Uses.lean"], "what it imports is not built");
    assert!(lake(&env, &["build"]));
    refused(&env, &["verify", "Broken.lean"], "it does not compile at line 7");
    let compiled = env.project().join(".lake/build/lib/lean/Ladder/Sum.olean");
    let mut bytes = fs::read(&compiled).unwrap();
    // The version of the format.
    bytes[5] = 99;
    fs::write(&compiled, bytes).unwrap();
    refused(&env, &["verify", "Ladder/Sum.lean"], "its compiled file cannot be read");
    refused(&env, &["certify", "Broken.lean", "Cheat.lean"], "the sketch: it does not compile");
    // An error in what it imports, and one that is none of Lean's, say nothing of a file.
    refused(
        &env,
        &["verify", "--build", "BrokenUser.lean"],
        "what it imports does not compile: Broken.lean at line",
    );
    assert!(!mk(&env, &["verify", "--known"]).stdout.contains("BrokenUser"));
    let real = PathBuf::from(std::env::var("MK_LEAN").unwrap()).join("bin/lake");
    let denying = env.write(
        "denying/lake",
        format!(
            "#!/bin/sh\ncase \"$*\" in build*--no-build*) exit 3;; build*)\n\
             echo '✖ [2/2] Building Ladder.Sum'\necho 'error: permission denied (error code: 13)'\n\
             echo '  file: .lake/build/lib/lean/Ladder/Sum.trace'\nexit 1;; esac\nexec {} \"$@\"\n",
            real.display()
        ),
    );
    assert!(env.tool("chmod").arg("755").arg(&denying).output().unwrap().status.success());
    let folders = format!("{}:{}", denying.parent().unwrap().display(), path());
    let output = env
        .command()
        .env("PATH", &folders)
        .args(["verify", "--build", "Ladder/Sum.lean"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("not asked: Lean did not finish: permission denied"), "{said}");
    assert!(!mk(&env, &["verify", "--known"]).stdout.contains("Ladder/Sum.lean"));
    // Another Lean than the project's.
    let named = fs::read_to_string(env.project().join("lean-toolchain")).unwrap();
    env.write("lean-toolchain", "leanprover/lean4:v4.34.0\n");
    for words in [&["verify", "Cheat.lean"][..], &["certify", "Cheat.lean", "Cheat.lean"]] {
        refused(
            &env,
            words,
            "runs Lean v4.35.0, and this project's `lean-toolchain` names v4.34.0",
        );
    }
    env.write("lean-toolchain", named);
    // elan would download a toolchain that is missing.
    fs::create_dir_all(env.project().join("elan/toolchains")).unwrap();
    env.write("elan/bin/lake", "#!/bin/sh\necho started >> \"$(dirname \"$0\")/started\"\n");
    let elan = env.project().join("elan/bin");
    let output = env.command().env("PATH", elan.as_os_str()).arg("verify").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not installed"));
    env.write("lean-toolchain", "leanprover/lean4:nightly-2026-01-01\n");
    let output = env.command().env("PATH", elan.as_os_str()).arg("verify").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not installed"));
    env.write("lean-toolchain", "leanprover/lean4:stable\n");
    let output = env.command().env("PATH", elan.as_os_str()).arg("verify").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("elan has no toolchain yet"));
    assert!(!elan.join("started").exists());
    let elsewhere = env.home().join("Elsewhere.lean");
    fs::write(&elsewhere, "theorem a : True := .intro\n").unwrap();
    refused(&env, &["verify", elsewhere.to_str().unwrap()], "is not in the package");
    let lake = env.write(
        "broken/lake",
        "#!/bin/sh\necho 'error: lakefile.lean:3:0: unknown word' >&2\nexit 1\n",
    );
    assert!(env.tool("chmod").arg("755").arg(&lake).output().unwrap().status.success());
    let folders = format!("{}:/usr/bin:/bin", lake.parent().unwrap().display());
    let output =
        env.command().env("PATH", folders).args(["verify", "Cheat.lean"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("cannot load the package") && said.contains("lakefile.lean:3:0"),
        "{said}"
    );
    assert!(!mk(&env, &["search", "one_eq_two"]).stdout.contains("Lean"));
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn limits_hold_and_what_was_asked_is_kept() {
    let env = package("house");
    copy(&packages().join("guest"), &env.project().with_file_name("guest"));
    assert!(lake(&env, &["build"]));
    for (file, limit, expected) in [
        ("Trouble/Endless.lean", "seconds = 3", "after 3 seconds"),
        ("Trouble/Hungry.lean", "memory = 512", "memory"),
        ("Trouble/Loud.lean", "seconds = 60", "after it had printed 64.0 MB"),
    ] {
        env.configure(&format!("[verify]\n{limit}\n"));
        let output = mk(&env, &["verify", file]);
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(output.code == 1 && said.contains(expected), "{file}: {said}");
    }
    // Ctrl-C in the middle, or the end of it: what was asked is kept, and the same command goes on.
    let known = || {
        let connection = rusqlite::Connection::open(env.database()).ok()?;
        connection
            .query_row("SELECT count(*) FROM kernel_files", [], |row| row.get::<_, i64>(0))
            .ok()
    };
    let stopped = |signal: &str, after: i64| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mk"));
        command.env_clear().env("HOME", env.home()).env("PATH", path()).current_dir(env.project());
        let mut child = command.args(["verify", "--jobs", "1"]).spawn().unwrap();
        let begun = Instant::now();
        while known().unwrap_or(0) < after && begun.elapsed() < Duration::from_mins(1) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let id = child.id().to_string();
        std::process::Command::new("kill").args([signal, &id]).status().unwrap();
        (child.wait().unwrap().code(), known().unwrap())
    };
    let (code, kept) = stopped("-INT", 3);
    assert!(code == Some(1) && (3..40).contains(&kept), "{code:?} {kept}");
    let (code, more) = stopped("-KILL", kept + 3);
    assert!(code.is_none() && (kept + 3..50).contains(&more), "{code:?} {more}");
    let report = json(&env, &["verify", "--json"]);
    let files = report["files"].as_array().unwrap();
    let old = files.iter().filter(|one| one["state"] == "known").count();
    assert!(old >= usize::try_from(more).unwrap());
    assert!(files.iter().all(|one| one["state"] != "not asked"));
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn results_are_asked_about_in_the_background_where_a_person_wants_it() {
    let env = package("example");
    assert!(lake(&env, &["build"]));
    env.write("results/small_result.lean", RESULT);
    let background = || {
        let output = env.command().env("PATH", path()).arg("capture").output().unwrap();
        assert!(output.status.success());
        mk(&env, &["search", "small_fact"]).stdout
    };
    assert!(background().contains("by the prover"), "{}", background());
    env.configure("[verify]\nauto = true\n");
    assert!(background().contains("by the prover"), "nobody allowed to run Lean");
    let allowed = env.home().join(".local/share/math-forge/may-run");
    fs::write(allowed, format!("{}\n", env.project().display())).unwrap();
    let found = background();
    assert!(found.contains("[VERIFIED]") && found.contains("replayed"), "{found}");
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn a_package_may_be_a_folder_of_the_project() {
    let env = TestEnv::new();
    copy(&packages().join("example"), &env.project().join("lean"));
    assert!(env.tool("git").args(["init", "-q"]).output().unwrap().status.success());
    assert!(lake(&env, &["-d", "lean", "build"]));
    assert_eq!(mk(&env, &["verify", "lean/Ladder/Sum.lean", "--replay"]).code, 0);
    let found = mk(&env, &["search", "exists_sum_gt"]).stdout;
    assert!(found.contains("[VERIFIED]"), "{found}");
    env.write("lean/lean-toolchain", "leanprover/lean4:v4.99.0\n");
    let found = mk(&env, &["search", "exists_sum_gt"]).stdout;
    assert!(found.contains("the toolchain changed"), "{found}");
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn two_at_once_store_the_same() {
    let env = package("example");
    assert!(lake(&env, &["build"]));
    let run = || mk(&env, &["verify", "--jobs", "2"]);
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(run);
        let other = scope.spawn(run);
        (one.join().unwrap(), other.join().unwrap())
    });
    assert_eq!((one.code, other.code), (0, 0), "{}{}", one.stderr, other.stderr);
    assert!(run().stdout.contains("nothing changed since"));
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn what_changed_is_asked_with_all_that_imports_it() {
    let env = package("example");
    let git = |words: &[&str]| {
        let mut command = env.tool("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(words);
        assert!(command.output().unwrap().status.success());
    };
    env.write(".gitignore", ".lake\n");
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "x"]);
    assert!(lake(&env, &["build"]));
    let files = |words: &[&str]| {
        let report = json(&env, words);
        let files = report["files"].as_array().unwrap().iter();
        files.map(|one| one["file"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(files(&["verify", "--changed", "--dry-run", "--json"]).is_empty());
    let uses = env.project().join("Ladder/Uses.lean");
    let text = fs::read_to_string(&uses).unwrap();
    fs::write(&uses, text + "\n-- more\n").unwrap();
    assert_eq!(
        files(&["verify", "--changed", "--dry-run", "--json"]),
        ["Ladder.lean", "Ladder/Uses.lean"]
    );
    assert!(lake(&env, &["build"]));
    assert_eq!(mk(&env, &["verify"]).code, 0);
    let text = fs::read_to_string(&uses).unwrap();
    fs::write(&uses, text + "\n-- and more\n").unwrap();
    assert!(lake(&env, &["build"]));
    let report = json(&env, &["verify", "--json"]);
    let asked = report["files"].as_array().unwrap().iter().filter(|one| one["state"] == "asked");
    let asked: Vec<&str> = asked.map(|one| one["file"].as_str().unwrap()).collect();
    assert_eq!(asked, ["Ladder.lean", "Ladder/Uses.lean"], "the others are known");
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn what_is_built_is_asked_without_writing_to_it_and_what_cannot_be_built_is_one_sentence() {
    let env = package("example");
    // A folder that even root cannot write into.
    env.write(".lake/build", "in the way");
    let output = mk(&env, &["verify", "--build", "Ladder/Basic.lean"]);
    let said = format!("{}{}", output.stdout, output.stderr);
    assert!(output.code == 1 && said.contains("Ladder/Basic.lean: not"), "{said}");
    assert!(!said.contains("theorems accepted") && !said.contains("panicked"), "{said}");
    assert!(!mk(&env, &["search", "sumTo"]).stdout.contains("Lean"));
    let known = mk(&env, &["verify", "--known"]);
    assert!(known.stdout.contains("Lean was not asked"), "{}", known.stdout);
    fs::remove_file(env.project().join(".lake/build")).unwrap();
    assert!(lake(&env, &["build"]));
    let all = || {
        let mut command = env.tool("find");
        let output = command.args([".lake", "-printf", "%p %s %T@\\n"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let before = all();
    assert!(before.contains("Basic.olean"), "{before}");
    assert_eq!(mk(&env, &["verify", "--replay"]).code, 0);
    assert_eq!(before, all());
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn what_changed_outside_of_a_session_is_never_called_verified() {
    let env = TestEnv::new();
    copy(&packages().join("guest"), &env.project());
    let house = env.project().with_file_name("house");
    copy(&packages().join("house"), &house);
    let stays = env.project().join("Guest/Stays.lean");
    let lakefile = env.project().join("lakefile.toml");
    let honest = house.join("House/Honest.lean");
    let word = || mk(&env, &["search", "Guest.honest"]).stdout;
    let since = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    for (path, from, to, is_forged, expected) in [
        (&stays, "honest theorem", "honest  theorem", false, "its file changed"),
        // As long as before, and as old.
        (&stays, "honest theorem", "tsenoh theorem", true, "its file changed"),
        (&lakefile, "4000", "4001", false, "the packages or the lakefile changed"),
        // Of a package that is required by its path.
        (&honest, "namespace", "-- more\nnamespace", false, "house/House/Honest"),
    ] {
        assert!(lake(&env, &["build"]));
        let asked = mk(&env, &["verify", "Guest/Stays.lean", "--replay"]);
        assert_eq!(asked.code, 0, "{}{}", asked.stdout, asked.stderr);
        assert!(word().contains("[VERIFIED]"), "{}", word());
        let (text, at) = (fs::read_to_string(path).unwrap(), since(path));
        fs::write(path, text.replacen(from, to, 1)).unwrap();
        if is_forged {
            fs::File::options().write(true).open(path).unwrap().set_modified(at).unwrap();
            assert_eq!(since(path), at);
        }
        let said = word();
        assert!(!said.contains("[VERIFIED]"), "{expected}: {said}");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("not since") && said.contains(expected), "{expected}: {said}");
        assert!(mk(&env, &["brief"]).stdout.contains("changed since"), "{expected}");
        let stale = json(&env, &["verify", "--stale", "--replay", "--json", "--dry-run"]);
        assert_eq!(stale["files"][0]["file"], "Guest/Stays.lean", "{expected}");
        fs::write(path, text).unwrap();
    }
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn a_package_cannot_answer_for_lean() {
    // From another package, from a folder in the place of the library.
    let env = TestEnv::new();
    copy(&packages().join("guest"), &env.project());
    copy(&packages().join("house"), &env.project().with_file_name("house"));
    env.write(
        "Guest/Lied.lean",
        "import House.LiarAll\n\ntheorem Guest.lied : 1 = 2 := by sorry\ntheorem Guest.rests : 1 = 2 := Guest.lied\n",
    );
    env.write(
        "Guest/Computed.lean",
        "import House.Primitive\n\ntheorem Guest.computed : 1 = 1 := rfl\n",
    );
    assert!(lake(&env, &["build"]));
    let said = mk(&env, &["verify", "Guest/Lied.lean", "--replay"]).stdout;
    assert!(said.contains("Guest.rests, line 4: open: it rests on `sorry`"), "{said}");
    let output = mk(&env, &["verify", "Guest/Computed.lean"]);
    assert!(output.code == 1 && output.stdout.contains("computes by itself"), "{}", output.stdout);
    for own in ["Init", "Lean"] {
        let compiled = env.write(&format!(".lake/build/lib/lean/{own}.olean"), "");
        let output = mk(&env, &["verify", "Guest/Lied.lean", "--again"]);
        assert_eq!(output.code, 1);
        assert!(
            output.stderr.contains("stands in the place of Lean's own library"),
            "{}",
            output.stderr
        );
        fs::remove_file(compiled).unwrap();
    }
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn the_same_words_with_another_meaning_are_told() {
    let env = package("example");
    let names = |which: &str| {
        format!(
            "def One.c : Nat := 1\ndef Two.c : Nat := 1\nnamespace Ladder\nexport {which} (c)\nend Ladder\n"
        )
    };
    env.write("Ladder/Names.lean", names("One"));
    env.write(
        "Ladder/Means.lean",
        "import Ladder.Names\nnamespace Ladder\ntheorem worth : c = 1 := rfl\ntheorem plain : 1 = 1 := rfl\nend Ladder\n",
    );
    let ask = || {
        assert!(lake(&env, &["build", "+Ladder.Means"]));
        json(&env, &["verify", "--again", "--json", "Ladder/Means.lean"])["files"][0]["declarations"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["means_something_else"] == true)
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(ask().is_empty());
    assert!(ask().is_empty());
    env.write("Ladder/Names.lean", names("Two"));
    assert_eq!(ask(), ["Ladder.worth"]);
    let said = mk(&env, &["verify", "--known", "Ladder/Means.lean"]).stdout;
    assert!(said.contains("the same words mean something else than before"), "{said}");
    let brief = mk(&env, &["brief"]).stdout;
    assert!(
        brief.contains("1 statement") && brief.contains("in the same words: Ladder.worth"),
        "{brief}"
    );
    // It was asked about once more, and means the same again.
    assert!(ask().is_empty());
    assert!(!mk(&env, &["brief"]).stdout.contains("in the same words"));
}

#[test]
#[ignore = "needs a real Lean (MK_LEAN)"]
fn what_is_not_as_it_was_or_not_the_kernels_is_not_believed() {
    let env = package("example");
    assert!(lake(&env, &["build"]));
    let says = |words: &[&str], code: i32, said: &str| {
        let output = mk(&env, words);
        let all = format!("{}{}", output.stdout, output.stderr);
        let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(output.code == code && all.contains(said), "{words:?}: {} {all}", output.code);
    };
    // The text that was accepted is another one now, or gone.
    env.write("Small.lean", "theorem small : 1 + 1 = 2 := rfl\n");
    says(&["verify", "--replay", "Small.lean"], 0, "1 theorem in 1 file: 1 verified");
    says(&["verify", "--known", "small"], 0, "small, line 1: verified");
    env.write("Small.lean", "theorem small : 1 + 1 = 3 := sorry\n");
    says(&["verify", "--known", "Small.lean"], 0, "but not since: its file changed");
    says(&["verify", "--known", "small"], 1, "not known any more; before:");
    fs::remove_file(env.project().join("Small.lean")).unwrap();
    says(&["verify", "--known", "small"], 1, "but not since: its file is gone");
    // What nobody checks, and what only its text has.
    env.write("Unsafe.lean", "unsafe def falso : False := falso\n");
    says(&["verify", "--replay", "Unsafe.lean"], 0, "falso, line 1: unsafe: neither the kernel");
    says(&["verify", "falso"], 1, "unsafe: neither the kernel");
    let fields = "structure Hyp where\n  all : ∀ n : Nat, n = 0\n";
    env.write("Fields.lean", fields);
    says(&["verify", "--replay", "Fields.lean"], 0, "0 theorems in 1 file");
    let certify = |sketch: &str, result: &str, code: i32, said: &str| {
        env.write("Sketch.lean", sketch);
        env.write("Result.lean", result);
        says(&["certify", "Sketch.lean", "Result.lean"], code, said);
    };
    let about = |name: &str, proof: &str| {
        format!("universe {name}\ntheorem same {{α : Type {name}}} (x : α) : x = x := {proof}\n")
    };
    certify(&about("u", "sorry"), &about("w", "rfl"), 0, "Certified");
    certify(
        "theorem a : 1 = 2 := sorry\n",
        "axiom a._native.native_decide.ax_1_1 : 1 = 2\ntheorem a : 1 = 2 := a._native.native_decide.ax_1_1\n",
        1,
        "it relies on ax_1_1 (written by hand)",
    );
    // What is imported is compiled as it was before.
    let of_sum = |proof: &str| {
        format!("import Ladder.Sum\ntheorem small (n : Nat) : n ≤ Ladder.sumTo n := {proof}\n")
    };
    certify(&of_sum("sorry"), &of_sum("Ladder.le_sumTo n"), 0, "Certified");
    let sum = env.project().join("Ladder/Sum.lean");
    let text = fs::read_to_string(&sum).unwrap();
    fs::write(&sum, text + "\ntheorem Ladder.more : 1 = 2 := sorry\n").unwrap();
    says(&["certify", "Sketch.lean", "Result.lean"], 3, "is not built as it is now");
    says(&["verify", "Result.lean"], 1, "is not built as it is now: `lake build Ladder.Sum`");
}
