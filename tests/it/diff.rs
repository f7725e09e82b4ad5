//! `mk diff` as its users run it.

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

/// In the prover's answer it found what it looked for.
#[test]
fn a_search_that_the_prover_ran_loses_no_proof() {
    let env = TestEnv::new();
    env.write("Old.lean", "theorem foo (n : ℕ) : 0 ≤ n := by omega\n");
    let searched = "theorem foo (n : ℕ) : 0 ≤ n := by exact?\n";
    let header = "/-\nThis file was edited by Aristotle.\n\nThis project request had uuid: \
                  0f8fad5b-d9cb-469f-a165-708677289501\n-/\n";
    for (text, expected) in [
        (searched.to_owned(), "proof lost"),
        (format!("{header}{searched}"), "proof changed: by a search that the prover ran"),
    ] {
        env.write("New.lean", &text);
        let said = env.mk(&["diff", "Old.lean", "New.lean"]).success();
        assert!(said.contains(expected), "{said}");
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
