//! `mk outline` as its users run it.

use std::fs::File;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::env::TestEnv;

const RESULT: &str = "\
import Mathlib

namespace Demo

/-- A sum of squares. -/
@[simp] theorem sq_sum (x y : ℤ := 3) : (x + y)^2 = x^2 + 2*x*y + y^2 := by
  ring

private lemma «hard part» : answer(sorry) ↔ p := by
  have h : q := by
    simp
  sorry -- one day

axiom choice : False

instance : Inhabited Nat := ⟨by native_decide⟩

macro \"negate\" : tactic => `(tactic| admit)

end Demo
";

#[test]
fn one_file_is_shown_whole() {
    let env = TestEnv::new();
    env.write("Demo.lean", RESULT);
    assert_snapshot!(env.mk(&["outline", "Demo.lean"]).success(), @r#"
    Demo.lean (20 lines)
         6  theorem   Demo.sq_sum
         9  lemma     Demo.«hard part»  [answer_sorry 9:35]  [sorry 12:2]
        14  axiom     Demo.choice  <axiom 14:0>
        16  instance  (no name)  <native_decide 16:32>
        18  command   macro "negate" : tactic => `(tactic| admit)  [admit 18:37]  <macro 18:0>

    4 declarations, 3 gaps, 3 trust markers
    "#);
}

#[test]
fn json_has_the_agreed_shape() {
    let env = TestEnv::new();
    env.write("Demo.lean", RESULT);
    let report = env.mk(&["outline", "--json", "Demo.lean"]).json();
    assert_eq!(report["totals"]["gaps"], 3);
    assert_eq!(report["files"][0]["imports"], json!(["Mathlib"]));
    let entries = report["declarations"].as_array().unwrap();
    let first = &entries[0];
    assert_eq!(first["kind"], "theorem");
    assert_eq!(first["name"], "Demo.sq_sum");
    assert_eq!((first["line"].as_u64(), first["end_line"].as_u64()), (Some(6), Some(7)));
    assert_eq!(first["statement"], "theorem sq_sum (x y : ℤ := 3) : (x + y)^2 = x^2 + 2*x*y + y^2");
    assert_eq!(first["tactics"], json!({"ring": 1}));
    let hard = &entries[1];
    assert_eq!(hard["name"], "Demo.«hard part»");
    assert_eq!(
        hard["gaps"],
        json!([
            {"kind": "answer_sorry", "line": 9, "column": 35},
            {"kind": "sorry", "line": 12, "column": 2},
        ])
    );
    let loose: Vec<&Value> = entries.iter().filter(|e| e["kind"] == "command").collect();
    assert!(loose.iter().all(|entry| entry["name"].is_null()));
    assert_eq!(loose[0]["gaps"][0]["kind"], "admit");
}

#[test]
fn folders_show_what_is_open_below_them() {
    let env = TestEnv::new();
    env.write("src/Demo.lean", RESULT);
    env.write("src/Done.lean", "theorem a : p := h\n");
    env.write("src/.lake/Other.lean", "theorem a : p := sorry\n");
    env.write("src/notes.txt", "sorry");
    env.write("src/folder.lean/Inner.lean", "example : p := by\n  stop\n");
    assert_snapshot!(env.mk(&["outline", "src"]).success(), @r#"
    src/Demo.lean (20 lines)
         9  lemma    Demo.«hard part»  [answer_sorry 9:35]  [sorry 12:2]
        18  command  macro "negate" : tactic => `(tactic| admit)  [admit 18:37]  <macro 18:0>

    src/folder.lean/Inner.lean (2 lines)
         1  example  (no name)  [stop 2:2]

    3 files, 6 declarations, 4 gaps, 3 trust markers
    "#);
}

#[test]
fn what_is_no_lean_text_is_named_and_the_rest_is_read() {
    let env = TestEnv::new();
    env.write("packed.lean", [0x1f, 0x8b, 8, 0]);
    env.write("blob.lean", [1, 0, 2, 0]);
    env.write("good.lean", "theorem a : p := h\n");
    env.write("empty/readme.md", "");
    File::create(env.project().join("huge.lean")).unwrap().set_len(100 << 20).unwrap();
    let mut mkfifo = assert_cmd::Command::new("mkfifo");
    mkfifo.arg(env.project().join("pipe.lean")).assert().success();
    let output = env.mk(&[
        "outline",
        "packed.lean",
        "blob.lean",
        "missing.lean",
        "pipe.lean",
        "huge.lean",
        "empty",
        "good.lean",
    ]);
    assert_eq!(output.code, 1);
    assert_snapshot!(output.stderr, @r#"
    mk: packed.lean: this is a gzip archive, not Lean text
    mk: blob.lean: this is binary data, not Lean text
    mk: missing.lean: there is no such file
    mk: pipe.lean: it is not a regular file (a folder, a pipe or a device)
    mk: huge.lean: it has 100 MB; mk reads Lean files of up to 32 MB
    mk: empty: no .lean file in this folder
    "#);
    assert_snapshot!(output.stdout, @"1 declaration, 0 gaps, 0 trust markers");
}

#[test]
fn odd_text_is_read_with_a_remark() {
    let env = TestEnv::new();
    env.write("crlf.lean", "\u{feff}theorem a :\r\n    p := by\r\n  sorry\r\n");
    env.write("open.lean", "theorem a : p := by\n  simp\n/- never closed\n");
    env.write("bytes.lean", b"theorem \xff : p := h\n");
    env.write("lean3.lean", "theorem a : p :=\nbegin\n  simp,\nend\n");
    let read = |file: &str| env.mk(&["outline", file]).success();
    assert_snapshot!(read("crlf.lean"), @r#"
    crlf.lean (3 lines)
         1  theorem  a  [sorry 3:2]

    1 declaration, 1 gap, 0 trust markers
    "#);
    assert_snapshot!(read("open.lean"), @r#"
    open.lean (3 lines)
      ! line 3: this comment is never closed: the rest of the file is in it
         1  theorem  a

    1 declaration, 0 gaps, 0 trust markers
    "#);
    assert_snapshot!(read("bytes.lean"), @r#"
    bytes.lean (1 line)
      ! some bytes are not text and were replaced by U+FFFD
         1  theorem  (no name)

    1 declaration, 0 gaps, 0 trust markers
    "#);
    assert_snapshot!(read("lean3.lean"), @r#"
    lean3.lean (4 lines)
      ! line 4: this `end` closes nothing that was opened before it
         1  theorem  a

    1 declaration, 0 gaps, 0 trust markers
    "#);
}

#[test]
fn no_file_is_a_mistake_of_usage() {
    let env = TestEnv::new();
    assert!(env.mk(&["outline"]).failure(2).contains("<FILE>"));
}
