//! `mk audit --base` and `--staged` in real repositories.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::git::{self, commit, git};

const BASIC: &str = "\
theorem kept : 1 + 1 = 2 := by norm_num

theorem lost (n : Nat) : n < n + 1 := by
  omega

theorem stated (a b : Nat) (h : a < b) : a < b + 1 := by omega

theorem removed : 2 + 2 = 4 := rfl

theorem open_before : p := by sorry
";

const WORSE: &str = "\
theorem kept : 1 + 1 = 2 := by norm_num

-- a remark
theorem lost (n : Nat) : n < n + 1 := by
  sorry

theorem stated (a b : Nat) (h : a < b) : a ≤ b + 1 := by omega

theorem open_before : p := by sorry
";

/// A repository with one commit; `Other.lean` has a gap that is not new.
fn repository() -> TestEnv {
    let env = TestEnv::new();
    git::init(&env);
    env.write("Demo/Basic.lean", BASIC);
    env.write("Demo/Gone.lean", "theorem left : 3 + 0 = 3 := rfl\n");
    env.write("Other.lean", "theorem old : p := by sorry\n");
    commit(&env);
    env
}

/// `rule file:line` of every finding.
fn found(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let shown = findings.map(|f| {
        let of = |key: &str| f[key].as_str().unwrap().to_owned();
        format!("{} {}:{}", of("rule"), of("file"), f["line"])
    });
    shown.collect()
}

#[test]
fn only_what_got_worse_since_a_revision() {
    let env = repository();
    env.write("Demo/Basic.lean", WORSE);
    env.write("Demo/New file.lean", "axiom fresh : 1 = 2\n");
    fs::remove_file(env.project().join("Demo/Gone.lean")).unwrap();
    let output = env.mk(&["audit", "--base", "main", "--deny", "proof-lost"]);
    assert_eq!((output.code, output.stderr.as_str()), (1, ""));
    let text = output.stdout.replace(&git(&env, &["rev-parse", "main"])[..10], "REVISION");
    assert_snapshot!(text, @r"
    Demo/Basic.lean
      4:8  error    proof-lost         lost     theorem lost (n : Nat) : n < n + 1 := by
           `lost` lost its proof (line 3 before, 4 now): now `sorry` at line 5
      5:2  error    sorry              lost     sorry
      -8   warning  proof-removed      removed  theorem removed : 2 + 2 = 4 := rfl
           `removed` was proved and is gone (line 8 before)
      7:8  warning  statement-changed  stated   theorem stated (a b : Nat) (h : a < b) : a ≤ b + 1 := b…
           `stated` has another statement (line 6 before, 7 now): `theorem stated (a b : Nat) (h : a <
           b) : a < b + 1` became `theorem stated (a b : Nat) (h : a < b) : a ≤ b + 1`; weaker: bound
           given up

    Demo/Gone.lean
      -1  warning  proof-removed  left  theorem left : 3 + 0 = 3 := rfl
          `left` was proved and is gone (line 1 before)

    Demo/New file.lean
      1:0  error    axiom  fresh  axiom fresh : 1 = 2

    sorry: the proof is missing. Prove it, or leave it out of what you call finished.
    axiom: an axiom: nothing checks that it is true, or that it contradicts nothing. Prove it, or allow it by name: --allow 'axiom=NAME'.
    proof-lost: a complete declaration loses its proof. Restore the old proof; `git show REV:FILE` has it.
    proof-removed: a proved declaration is removed. Check that nothing needs it; `git show REV:FILE` has it.
    statement-changed: the statement of a proved or locked declaration changes or disappears. Check that it still says what it should; a new version can have a new name.

    6 findings in 2 changed files with 5 declarations and 1 deleted file, compared with main (REVISION): axiom 1, proof-lost 1, proof-removed 2, sorry 1, statement-changed 1; 1 denied
    ");

    let report = env.mk(&["audit", "--base", "HEAD", "--json"]).json();
    let lost = report["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "proof-lost");
    assert_eq!(
        *lost.unwrap(),
        json!({
            "rule": "proof-lost", "severity": "error", "file": "Demo/Basic.lean",
            "line": 4, "column": 8, "end_column": 12, "declaration": "lost",
            "message": "`lost` lost its proof (line 3 before, 4 now): now `sorry` at line 5",
            "excerpt": "theorem lost (n : Nat) : n < n + 1 := by",
            "denied": false, "allowed": false, "line_old": 3, "line_new": 4,
        })
    );
    assert_eq!(report["compared"]["deleted"], 1);
    assert_eq!(report["compared"]["parted"], false);

    // Below a folder, and a deleted file by its name.
    let report = env.mk(&["audit", "--base", "HEAD", "--json", "Demo/Gone.lean"]).json();
    assert_eq!(found(&report), ["proof-removed Demo/Gone.lean:1"]);
    assert_eq!((&report["files"], &report["clean"]), (&json!(0), &json!(false)));
    fs::create_dir(env.project().join("empty")).unwrap();
    let output = env.mk(&["audit", "--base", "HEAD", "empty"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""));
    assert!(output.stderr.starts_with("mk: nothing to check: no .lean file changed since HEAD ("));
}

#[test]
fn a_branch_is_compared_with_where_it_began() {
    let env = repository();
    git(&env, &["switch", "-q", "-c", "work"]);
    env.write("Mine.lean", "theorem mine : p := by sorry\n");
    let began = git(&env, &["rev-parse", "main"]);
    commit(&env);
    // Meanwhile main proves something that the branch does not have.
    git(&env, &["switch", "-q", "main"]);
    env.write("Demo/Theirs.lean", "theorem theirs : 5 = 5 := rfl\n");
    commit(&env);
    git(&env, &["switch", "-q", "work"]);
    let report = env.mk(&["audit", "--base", "main", "--json"]).json();
    assert_eq!(found(&report), ["sorry Mine.lean:1"]);
    assert_eq!(
        report["compared"],
        json!({ "with": "main", "revision": began, "parted": true, "staged": false, "deleted": 0 })
    );
    let text = env.mk(&["audit", "--base", "main"]).success();
    let end = format!(", compared with {}, where main parted from HEAD: sorry 1\n", &began[..10]);
    assert!(text.ends_with(&end), "{text}");
}

#[test]
fn proofs_that_move_are_followed() {
    let env = repository();
    // A file gets another name and one proof less; a declaration goes to a new file, another one
    // goes there without its proof.
    git(&env, &["mv", "Other.lean", "Renamed.lean"]);
    env.write("Demo/Basic.lean", BASIC.replace("theorem removed : 2 + 2 = 4 := rfl\n", ""));
    fs::remove_file(env.project().join("Demo/Gone.lean")).unwrap();
    env.write(
        "Demo/Target.lean",
        "theorem removed : 2 + 2 = 4 := rfl\n\ntheorem left : 3 + 0 = 3 := by\n  sorry\n",
    );
    let report = env.mk(&["audit", "--base", "HEAD", "--json"]).json();
    assert_eq!(found(&report), ["proof-lost Demo/Target.lean:3", "sorry Demo/Target.lean:4"]);
    assert_eq!(
        report["findings"][0]["message"],
        "`left` was proved in Demo/Gone.lean, line 1, and came here without its proof"
    );
}

#[test]
fn the_index_is_looked_at_not_the_disk() {
    let env = repository();
    env.write("Demo/Basic.lean", WORSE);
    env.write("notes.md", "theorem x : p := by sorry\n");
    git(&env, &["add", "notes.md"]);
    let nothing = env.mk(&["audit", "--staged", "--deny", "all"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (0, ""));
    assert_eq!(nothing.stderr, "mk: nothing to check: no .lean file is staged\n");

    git(&env, &["add", "Demo/Basic.lean"]);
    env.write("Demo/Basic.lean", BASIC);
    let report = env.mk(&["audit", "--staged", "--json"]).json();
    assert_eq!(
        found(&report),
        [
            "proof-lost Demo/Basic.lean:4",
            "sorry Demo/Basic.lean:5",
            "proof-removed Demo/Basic.lean:7",
            "statement-changed Demo/Basic.lean:7",
        ]
    );
    assert_eq!(report["compared"]["staged"], true);

    // What is staged is the old text again: nothing changed, whatever stands on the disk.
    git(&env, &["add", "Demo/Basic.lean"]);
    env.write("Demo/Basic.lean", WORSE);
    let message = env.mk(&["audit", "--staged"]);
    assert_eq!(message.stderr, "mk: nothing to check: no .lean file is staged\n");

    git(&env, &["rm", "-q", "--cached", "Demo/Gone.lean"]);
    let report = env.mk(&["audit", "--staged", "--json"]).json();
    assert_eq!(found(&report), ["proof-removed Demo/Gone.lean:1"]);
    // The file is still on the disk.
    let report = env.mk(&["audit", "--base", "HEAD", "--json", "Demo/Gone.lean"]).json();
    assert_eq!(found(&report), Vec::<String>::new());
}

#[test]
fn the_first_commit_is_all_new() {
    let env = TestEnv::new();
    git::init(&env);
    env.write("A.lean", "theorem a : p := by sorry\n");
    git(&env, &["add", "."]);
    let output = env.mk(&["audit", "--staged", "--deny", "gaps"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.contains("compared with nothing: it is the first commit"));
    let message = env.mk(&["audit", "--base", "HEAD"]).failure(3);
    assert_eq!(message, "mk: there is no revision `HEAD` in this repository\n");
}

#[test]
fn what_cannot_be_compared_is_said_in_one_sentence() {
    let env = TestEnv::new();
    env.write("A.lean", "theorem a : p := by sorry\n");
    for flags in [&["--base", "main"][..], &["--staged"]] {
        let message = env.mk(&[&["audit"], flags].concat()).failure(3);
        assert_eq!(
            message,
            "mk: `$PROJECT` is not in a git repository: there is nothing to compare with\n"
        );
    }
    let env = repository();
    for name in ["nonsense", "--help", "HEAD:Other.lean", "main..HEAD", ""] {
        let message = env.mk(&["audit", &format!("--base={name}")]).failure(3);
        assert_eq!(message, format!("mk: there is no revision `{name}` in this repository\n"));
    }
    env.mk(&["audit", "--base", "main", "--staged"]).failure(2);
}

#[test]
fn odd_files_are_no_reason_to_fail() {
    let env = repository();
    env.write("Archive.lean", [0x1f, 0x8b, 8, 0, 0]);
    env.write(".lake/packages/x/Y.lean", "axiom hidden : p\n");
    env.write("ünïcode/α \"β\"\nγ.lean", "theorem a : p := by sorry\n");
    env.write("Crlf.lean", "theorem b : p := by\r\n  sorry\r\n");
    std::os::unix::fs::symlink("Other.lean", env.project().join("Link.lean")).unwrap();
    let expected = ["sorry Crlf.lean:2", "sorry ünïcode/α \"β\"\nγ.lean:1"];
    git(&env, &["add", "-A"]);
    let report = env.mk(&["audit", "--staged", "--json"]).json();
    assert_eq!(found(&report), expected);
    assert_eq!(report["skipped"][0]["path"], "Archive.lean");
    let report = env.mk(&["audit", "--base", "HEAD", "--json"]).json();
    assert_eq!(found(&report), [expected[0], "sorry Link.lean:1", expected[1]]);
}

#[test]
fn the_repository_is_that_of_the_current_folder() {
    let env = repository();
    let linked = env.home().join("linked");
    git(&env, &["worktree", "add", "-q", linked.to_str().unwrap(), "-b", "second"]);
    fs::write(linked.join("Other.lean"), "axiom other : p\n").unwrap();
    git::command(&env, &linked).args(["add", "-A"]).assert().success();
    let mut command = env.command();
    command.current_dir(linked.join("Demo")).args(["audit", "--staged", "--json"]);
    command.env("CLAUDE_PROJECT_DIR", env.project());
    let report = env.finish(&mut command).json();
    assert_eq!(found(&report), ["axiom Other.lean:1"]);
}

#[test]
fn the_configuration_says_what_is_denied() {
    let env = repository();
    env.write("Demo/Basic.lean", WORSE);
    let base = ["audit", "--base", "HEAD", "--json"];
    assert_eq!(env.mk(&base).code, 0);
    env.write(
        ".math-forge/config.toml",
        "[audit]\ndeny = [\"changes\"]\nallow = [\"proof-removed=removed\"]\n",
    );
    let output = env.mk(&base);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &report["denied"], &report["allowed"]), (1, &json!(2), &json!(1)));
    let other = env.mk(&[&base[..], &["--deny", "axiom"]].concat());
    assert_eq!(other.code, 0, "an argument counts instead");

    // Where a proof was, a gap stands: both are allowed for one declaration, as docs/guard.md has it.
    let deny = ["--deny", "changes,gaps"];
    let counts = |allow: &str| {
        env.write(".math-forge/config.toml", format!("[audit]\nallow = [{allow}]\n"));
        let output = env.mk(&[&base[..], &deny].concat());
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        (report["denied"].as_u64().unwrap(), report["allowed"].as_u64().unwrap())
    };
    assert_eq!(counts(""), (4, 0));
    assert_eq!(counts("\"proof-lost=lost\""), (3, 1));
    assert_eq!(counts("\"proof-lost,gaps=lost\""), (2, 2));
    assert_eq!(counts("\"all=Demo/*\""), (0, 4));
}

#[test]
fn many_files_are_compared_at_once() {
    let env = TestEnv::new();
    git::init(&env);
    for number in 0..300 {
        env.write(&format!("D/F{number}.lean"), format!("theorem t{number} : 1 + 0 = 1 := rfl\n"));
    }
    commit(&env);
    for number in 0..300 {
        env.write(
            &format!("D/F{number}.lean"),
            format!("theorem t{number} : 1 + 0 = 1 := by sorry\n"),
        );
    }
    let report = env.mk(&["audit", "--base", "HEAD", "--json"]).json();
    assert_eq!(report["files"], 300);
    assert_eq!(report["counts"], json!({ "proof-lost": 300, "sorry": 300 }));
}
