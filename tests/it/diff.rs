//! `mk diff` as its users run it.

use serde_json::json;

use crate::env::TestEnv;
use crate::git::{self, commit, git};

const OLD: &str = "theorem bar (a b : Nat) (h : a < b) :
    a < b + 1 := by omega

theorem foo : ∀ n : Nat, 0 ≤ n := by
  intro n
  exact Nat.zero_le n

theorem gone : 1 = 1 := rfl

theorem open_one : 2 = 2 := by sorry
";

const NEW: &str = "axiom choice : True

theorem bar (a b : Nat) (h : a < b) :
    a ≤ b + 1 := by omega

namespace N
theorem foo : ∀ n : Nat, 0 ≤ n := by
  sorry
end N

-- theorem gone : 1 = 1 := rfl

theorem open_one : 2 = 2 := by rfl

lemma fresh : 3 = 3 := by
  sorry
";

fn files(env: &TestEnv) {
    env.write("Old.lean", OLD);
    env.write("New.lean", NEW);
}

#[test]
fn the_page() {
    let env = TestEnv::new();
    files(&env);
    insta::assert_snapshot!(env.mk(&["diff", "Old.lean", "New.lean"]).success(), @"
    Old.lean -> New.lean
    1 proved, 1 proof lost, 1 removed, 2 added, 1 moved, 1 statement changed, 1 trust added

        1  axiom    choice
            added
            trust added: axiom

        3  theorem  bar
            statement changed
              - theorem bar (a b : Nat) (h : a < b) :
                  a < b + 1
              + theorem bar (a b : Nat) (h : a < b) :
                  a ≤ b + 1

        7  theorem  foo -> N.foo
            moved: from the root namespace to `N`
            proof lost: now `sorry` at line 8

       -8  theorem  gone
            removed: commented out at line 11

       13  theorem  open_one
            proved: was `sorry` at line 10

       15  lemma    fresh
            added, with 1 gap
    ");
}

#[test]
fn the_json() {
    let env = TestEnv::new();
    files(&env);
    let report = env.mk(&["diff", "--json", "Old.lean", "New.lean"]).json();
    assert_eq!(report["old"], "Old.lean");
    let changes = report["changes"].as_array().unwrap();
    let words: Vec<&str> = changes.iter().map(|c| c["change"].as_str().unwrap()).collect();
    assert_eq!(
        words,
        [
            "added",
            "trust_added",
            "statement_changed",
            "moved",
            "proof_lost",
            "removed",
            "proved",
            "added"
        ]
    );
    assert_eq!(
        changes[4],
        json!({
            "change": "proof_lost", "kind": "theorem", "name": "foo", "new_name": "N.foo",
            "line_old": 4, "line_new": 7, "detail": "now `sorry` at line 8"
        })
    );
    assert_eq!(
        changes[2]["detail"],
        "`theorem bar (a b : Nat) (h : a < b) : a < b + 1` became \
         `theorem bar (a b : Nat) (h : a < b) : a ≤ b + 1`; weaker: bound given up"
    );
    assert_eq!(changes[5]["line_new"], json!(null));
}

#[test]
fn nothing_changed() {
    let env = TestEnv::new();
    files(&env);
    env.write("Same.lean", OLD.replace('\n', "\r\n"));
    let page = env.mk(&["diff", "Old.lean", "Same.lean"]).success();
    assert_eq!(page, "Old.lean -> Same.lean\n4 declarations, none of them changed\n");
    let report = env.mk(&["diff", "--json", "Old.lean", "Old.lean"]).json();
    assert_eq!(report["changes"], json!([]));
}

#[test]
fn a_new_file_has_no_old_version() {
    let env = TestEnv::new();
    files(&env);
    let page = env.mk(&["diff", "/dev/null", "Old.lean"]).success();
    assert!(page.contains("4 added"), "{page}");
}

#[test]
fn files_that_cannot_be_read() {
    let env = TestEnv::new();
    files(&env);
    env.write("image.lean", b"\x89PNG\r\n\x1a\n\0\0");
    for (arguments, code, expected) in [
        (vec!["diff", "Old.lean", "None.lean"], 1, "None.lean: there is no such file"),
        (vec!["diff", "Old.lean", "."], 1, "not a regular file"),
        (vec!["diff", "image.lean", "Old.lean"], 1, "image.lean: this is"),
        (vec!["diff", "Old.lean"], 2, "<NEW>"),
    ] {
        let complaint = env.mk(&arguments).failure(code);
        assert!(complaint.contains(expected), "{arguments:?}: {complaint}");
    }
}

#[test]
fn versions_of_a_repository() {
    let env = TestEnv::new();
    git::init(&env);
    env.write("src/A.lean", "theorem a : 1 = 1 := rfl\n");
    env.write("B.lean", "theorem b : 1 = 1 := rfl\n");
    commit(&env);
    env.write("src/A.lean", "theorem a : 1 = 1 := by decide\n");
    git(&env, &["add", "-A"]);
    env.write("src/A.lean", "theorem a : 1 = 1 := by sorry\n");
    // A file of this very name wins.
    env.write("main:src/A.lean", "");
    let run = |folder: &str, old: &str, new: &str| {
        let mut command = env.command();
        command.current_dir(env.project().join(folder)).args(["diff", "--json", old, new]);
        let report = env.finish(&mut command).json();
        let changes = report["changes"].as_array().unwrap().iter();
        changes.map(|c| c["change"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    for (folder, old, new, expected) in [
        ("", "HEAD:src/A.lean", "src/A.lean", "proof_lost"),
        ("", "HEAD:src/A.lean", ":src/A.lean", "proof_changed"),
        ("", ":src/A.lean", "src/A.lean", "proof_lost"),
        ("src", "HEAD:A.lean", "A.lean", "proof_lost"),
        ("src", "HEAD:./A.lean", "HEAD:src/A.lean", ""),
        ("src", "HEAD:../B.lean", "HEAD:B.lean", ""),
        ("", "HEAD:B.lean", "/dev/null", "removed"),
        ("", "main:src/A.lean", "src/A.lean", "added"),
    ] {
        assert_eq!(run(folder, old, new), expected, "{folder}: {old} {new}");
    }
    for (old, expected) in [
        ("HEAD:None.lean", "mk: HEAD:None.lean: `HEAD` has no such file\n"),
        (":None.lean", "mk: :None.lean: the index has no such file\n"),
        ("nope:B.lean", "mk: nope:B.lean: there is no such file, and no revision `nope`\n"),
        ("--output=x:B.lean", ""),
    ] {
        let output = env.mk(&["diff", old, "B.lean"]);
        assert_ne!(output.code, 0);
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
    let plain = TestEnv::new();
    plain.write("B.lean", "");
    let message = plain.mk(&["diff", "HEAD:B.lean", "B.lean"]).failure(1);
    assert_eq!(message, "mk: HEAD:B.lean: there is no such file\n");
}
