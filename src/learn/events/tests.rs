//! What is read from single calls, results and edits.

use super::fault::{is_refusal, missing_in_text};
use super::*;
use crate::lean::diagnostics::diagnostics;

#[test]
fn refusals_are_no_failures() {
    for (text, expected) in [
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", true),
        ("[Request interrupted by user for tool use]", true),
        ("Claude requested permissions to write to x, but you haven't granted it yet.", true),
        ("Permission to use Bash with command rm has been denied.", true),
        ("PreToolUse:Bash hook error: [x.sh]: no", true),
        (
            "math-forge refused this edit; nothing was written.\n[proof-lost] theorem `a` (line 1) would \
             lose its proof: left with `sorry` at line 2.",
            true,
        ),
        ("Error: math-forge: lifting proof-lost for `a` is the person's decision.", true),
        ("Exit code 1\nmath-forge: no such thing", false),
        ("Exit code 1\npermission denied: ./x", false),
        ("[error-code] something", false),
        ("Exit code 2\nmake: *** [all] Error 2", false),
        ("", false),
    ] {
        assert_eq!(is_refusal(text), expected, "{text}");
    }
}

#[test]
fn failures_have_kinds_and_signatures() {
    let missing = |name: &str| FaultKind::Missing(name.to_owned());
    for (text, of_lean, kind, signature) in [
        (
            "Exit code 127\nbash: line 1: rg: command not found",
            false,
            missing("rg"),
            "missing-command rg",
        ),
        (
            "Exit code 127\nzsh: command not found: lake",
            true,
            missing("lake"),
            "missing-command lake",
        ),
        ("sh: 1: dot: not found", false, missing("dot"), "missing-command dot"),
        (
            "env: ‘python’: No such file or directory",
            false,
            missing("python"),
            "missing-command python",
        ),
        (
            "ModuleNotFoundError: No module named 'a.b'",
            false,
            missing("a.b"),
            "missing-library a.b",
        ),
        (
            "git: 'lfs' is not a git command. See 'git --help'.",
            false,
            missing("lfs"),
            "missing-command lfs",
        ),
        (
            "<tool_use_error>File has not been read yet.</tool_use_error>",
            false,
            FaultKind::Mechanical,
            "failed tool | File has not been read yet.",
        ),
        (
            "Exit code 2\nusage: x [-h]\nx: error: unrecognized arguments: --y",
            false,
            FaultKind::Usage,
            "usage tool | x: error: unrecognized arguments: --y",
        ),
        (
            "curl: (6) Could not resolve host: x.org",
            false,
            FaultKind::Transient,
            "failed tool | curl: (N) Could not resolve host: x.org",
        ),
        (
            "cat: /a/b.md: No such file or directory",
            false,
            FaultKind::NoSuchFile,
            "failed tool | cat: FILE.md: No such file or directory",
        ),
        (
            "Exit code 1\nA.lean:1:2: error: Unknown identifier `Nat.foo`",
            true,
            FaultKind::Lean,
            "unknown-identifier Nat.foo",
        ),
        ("", false, FaultKind::Other, "failed tool"),
    ] {
        let found = diagnostics(text);
        let fault = Fault::read(text, "tool", found.first().filter(|_| of_lean));
        assert_eq!((fault.kind, fault.signature.as_str()), (kind, signature), "{text}");
    }
    assert_eq!(missing_in_text("Cannot find module './mine'"), None);
    assert_eq!(missing_in_text("the command was not found: by me"), None);
}

fn change(old: &str, new: &str) -> Change {
    Change { old: old.to_owned(), new: new.to_owned(), line: 3, statement: Statement::Same }
}

#[test]
fn edits_in_words() {
    for (old, new, words) in [
        ("  exact Nat.foo h", "  exact Nat.bar h", "replacing `Nat.foo` with `Nat.bar`"),
        ("  simp [a]", "  simp [a, b]", "replacing `simp [a]` with `simp [a, b]`"),
        ("", "  push_cast", "adding `push_cast`"),
        ("  rfl\n", "", "removing `rfl`"),
        ("  intro x\n  simp", "  omega", "replacing `intro x; simp` with `omega`"),
    ] {
        assert_eq!(change(old, new).in_words(), words);
    }
}

#[test]
fn edits_that_only_hide_an_error() {
    for (old, new, expected) in [
        ("  ring", "  sorry", true),
        ("  ring", "  admit", true),
        ("  ring -- no sorry", "  omega", false),
        ("  sorry", "  omega", false),
        ("  sorry", "  exact foo\n  sorry", false),
        ("  decide", "  native_decide", true),
        ("theorem a : P := by simp", "axiom a : P", true),
        ("theorem a : P := by simp", "", true),
        ("  simp", "  -- simp", true),
        ("  simp", "", false),
    ] {
        assert_eq!(change(old, new).evades(), expected, "{old} -> {new}");
    }
}
