//! `mk outline` as its users run it.

use std::fs::File;

use insta::assert_snapshot;

use crate::env::TestEnv;

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
    mk: empty: no .lean file in this folder
    mk: packed.lean: this is a gzip archive, not Lean text
    mk: blob.lean: this is binary data, not Lean text
    mk: missing.lean: there is no such file
    mk: pipe.lean: it is not a regular file (a folder, a pipe or a device)
    mk: huge.lean: it has 100 MB; mk reads Lean files of up to 32 MB
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
