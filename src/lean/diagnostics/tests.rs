//! Messages as Lean and Lake write them, in wordings of several versions.

use super::*;

fn one(text: &str) -> (String, Option<Reason>) {
    (Signature::of(text).to_string(), rules::classify(text).reason)
}

/// A line, its place, severity, kind and text.
type Row =
    (&'static str, Option<(&'static str, u32, u32)>, Severity, Option<&'static str>, &'static str);

#[test]
fn headers_of_all_tools() {
    let rows: &[Row] = &[
        (
            "Foo/Bar.lean:12:4: error: unsolved goals",
            Some(("Foo/Bar.lean", 12, 4)),
            Severity::Error,
            None,
            "unsolved goals",
        ),
        (
            "error: Foo/Bar.lean:12:4: unsolved goals",
            Some(("Foo/Bar.lean", 12, 4)),
            Severity::Error,
            None,
            "unsolved goals",
        ),
        (
            "warning: ././Foo.lean:3:8: declaration uses 'sorry'",
            Some(("././Foo.lean", 3, 8)),
            Severity::Warning,
            None,
            "declaration uses 'sorry'",
        ),
        (
            "A.lean:1:2: error(lean.unknownIdentifier): Unknown identifier `g`",
            Some(("A.lean", 1, 2)),
            Severity::Error,
            Some("lean.unknownIdentifier"),
            "Unknown identifier `g`",
        ),
        (
            "error(lean.unknownIdentifier): A.lean:1:2: Unknown identifier `g`",
            Some(("A.lean", 1, 2)),
            Severity::Error,
            Some("lean.unknownIdentifier"),
            "Unknown identifier `g`",
        ),
        ("A.lean:1:2-1:9: error: oops", Some(("A.lean", 1, 2)), Severity::Error, None, "oops"),
        ("<stdin>:1:2: error: oops", Some(("<stdin>", 1, 2)), Severity::Error, None, "oops"),
        (
            "\u{1b}[31mA b/C.lean:7:0: error: oops\u{1b}[0m",
            Some(("A b/C.lean", 7, 0)),
            Severity::Error,
            None,
            "oops",
        ),
        (
            "error: no such file or directory (error code: 2)",
            None,
            Severity::Error,
            None,
            "no such file or directory (error code: 2)",
        ),
    ];
    for (line, place, severity, kind, text) in rows {
        let found = diagnostics(line);
        let [found] = found.as_slice() else { panic!("{line}: {found:?}") };
        let seen = found
            .file
            .as_deref()
            .map(|file| (file, found.line.unwrap_or_default(), found.column.unwrap_or_default()));
        assert_eq!(
            (seen, found.severity, found.kind.as_deref(), found.text.as_str()),
            (*place, *severity, *kind, *text),
            "{line}"
        );
    }
}

#[test]
fn other_programs_say_nothing_of_lean() {
    for output in [
        "error: could not compile `foo` (lib) due to 2 previous errors",
        "src/main.rs:3:5: error: expected `;`",
        "main.c:1:2: error: unknown type name 'foo'",
        "error: failed to push some refs",
        "error: build failed",
        "",
        "l1c",
        "{\"severity\":\"error\"}",
        "{\"severity\"",
    ] {
        assert_eq!(diagnostics(output), [], "{output}");
    }
}

#[test]
fn a_build_of_lake_is_read_with_its_lines() {
    let output = "\
⚠ [2/4] Built Foo.A (1.2s)
warning: Foo/A.lean:3:8: declaration uses `sorry`
✖ [3/4] Building Foo.B (2.0s)
trace: .> LEAN_PATH=/x/y lean Foo/B.lean
error: Foo/B.lean:9:2: unsolved goals
n : ℕ
h : 0 < n

⊢ n ∣ 2 * n
error: Foo/B.lean:14:10: Unknown identifier `Nat.foo`
error: Lean exited with code 1
Some required targets logged failures:
- Foo.B
error: build failed";
    let found = diagnostics(output);
    let heads: Vec<_> = found.iter().map(|d| (d.line, d.severity, d.head())).collect();
    assert_eq!(
        heads,
        [
            (Some(3), Severity::Warning, "declaration uses `sorry`"),
            (Some(9), Severity::Error, "unsolved goals"),
            (Some(14), Severity::Error, "Unknown identifier `Nat.foo`"),
        ]
    );
    assert_eq!(found[1].text, "unsolved goals\nn : ℕ\nh : 0 < n\n\n⊢ n ∣ 2 * n");
    assert_eq!(report(output).verdict, Verdict::Failed);
    assert_eq!(report("Build completed successfully (4 jobs).").verdict, Verdict::Passed);
    assert_eq!(report("A.lean:1:0: error: x").verdict, Verdict::Silent);
}

#[test]
fn json_of_lean_of_the_repl_and_of_language_servers() {
    let lean = r#"{"severity":"error","fileName":"A.lean","kind":"lean.unknownIdentifier._namedError","pos":{"line":6,"column":38},"data":"Unknown identifier `g`"}
{"severity":"warning","fileName":"A.lean","kind":"[anonymous]","pos":{"line":7,"column":0},"data":"declaration uses `sorry`"}"#;
    let repl = "{\"messages\":\n [{\"severity\": \"error\",\n \"pos\": {\"line\": 6, \"column\": 38},\n \"data\": \"Unknown identifier `g`\"}],\n \"env\": 0}";
    let server = r#"{"file":"A.lean","diagnostics":[{"severity":1,"range":{"start":{"line":5,"character":38}},"message":"Unknown identifier `g`"}]}"#;
    let ranged = "l6c38-l6c39, severity: 1\nUnknown identifier `g`";
    for (output, file) in
        [(lean, Some("A.lean")), (repl, None), (server, Some("A.lean")), (ranged, None)]
    {
        let found = diagnostics(output);
        assert_eq!(found[0].file.as_deref(), file, "{output}");
        assert_eq!((found[0].line, found[0].column), (Some(6), Some(38)), "{output}");
        assert!(found[0].is_error());
        assert_eq!(found[0].signature().to_string(), "unknown-identifier", "{output}");
    }
    assert_eq!(diagnostics(lean)[0].kind.as_deref(), Some("lean.unknownIdentifier"));
    assert_eq!(diagnostics(lean)[1].kind, None);
}

#[test]
fn kinds_names_and_reasons() {
    use Reason::{Api, Coercion, Infrastructure, MissingMathematics, Structure, Timeout};
    for (text, signature, reason) in [
        ("Unknown identifier `Nat.add_com`", "unknown-identifier Nat.add_com", Some(Api)),
        ("unknown identifier 'Nat.add_com'", "unknown-identifier Nat.add_com", Some(Api)),
        ("unknown constant 'foo_bar''", "unknown-identifier foo_bar'", Some(Api)),
        ("Unknown identifier `hx`", "unknown-identifier", Some(Api)),
        (
            "Invalid field `suc`: The environment does not contain `Nat.suc`, so ...\n  4 + 2\nof type `Nat`",
            "invalid-field Nat.suc",
            Some(Api),
        ),
        (
            "invalid field 'suc', the environment does not contain 'Nat.suc'\n  n\nhas type\n  Nat",
            "invalid-field Nat.suc",
            Some(Api),
        ),
        (
            "Invalid argument name `m` for function `Nat.succ_le`",
            "invalid-argument | Invalid argument name `x1` for function `Nat.succ_le`",
            Some(Api),
        ),
        ("`Nat.foo` has been deprecated: Use `Nat.bar` instead", "deprecated Nat.foo", Some(Api)),
        (
            "Function expected at\n  Nat.succ_pos n\nbut this term has type\n  0 < n.succ",
            "function-expected Nat.succ_pos",
            Some(Api),
        ),
        (
            "unsolved goals\nk : ℕ\nhk : 0 < k\n⊢ k ∣ 2 * k",
            "unsolved-goals | ⊢ x1 ∣ # * x1",
            Some(MissingMathematics),
        ),
        (
            "linarith failed to find a contradiction\ncase h\na b : ℝ\nh : a < b\n⊢ False\nfailed",
            "tactic-failed linarith | x1 < x2 ⊢ False",
            Some(MissingMathematics),
        ),
        (
            "omega could not prove the goal:\na possible counterexample may satisfy the constraints\n  a ≥ 0",
            "tactic-failed omega",
            Some(MissingMathematics),
        ),
        ("simp made no progress", "no-progress simp", Some(MissingMathematics)),
        ("`simp` made no progress", "no-progress simp", Some(MissingMathematics)),
        ("The rfl tactic failed. Try `exact`", "tactic-failed rfl", Some(Structure)),
        (
            "Tactic `rewrite` failed: Did not find an occurrence of the pattern\n  Nat.succ ?n\nin the target expression\n  m + 1 = 2",
            "pattern-not-found rw | Nat.succ ?",
            Some(Structure),
        ),
        (
            "type mismatch\n  h\nhas type\n  n < m : Prop\nbut is expected to have type\n  n ≤ m : Prop",
            "type-mismatch | x1 < x2 => x1 ≤ x2",
            Some(Structure),
        ),
        (
            "Type mismatch\n  h\nhas type\n  n < 2\nbut is expected to have type\n  (↑n : ℝ) < 2",
            "type-mismatch | x1 < # => (↑x1 : ℝ) < #",
            Some(Structure),
        ),
        (
            "Type mismatch\n  h\nhas type\n  0 < n\nbut is expected to have type\n  0 < ↑n",
            "type-mismatch | # < x1 => # < ↑x1",
            Some(Coercion),
        ),
        (
            "Application type mismatch: The argument\n  n\nhas type\n  ℕ\nbut is expected to have type\n  ℝ\nin the application\n  f n",
            "argument-mismatch | ℕ => ℝ",
            Some(Coercion),
        ),
        (
            "failed to synthesize\n  HAdd ℕ ℝ ?m.12\n\nHint: more",
            "no-instance HAdd | HAdd ℕ ℝ ?",
            Some(Coercion),
        ),
        (
            "failed to synthesize instance of type class\n  Fintype G\n\nHint: more",
            "no-instance Fintype | Fintype x1",
            Some(Structure),
        ),
        ("norm_cast failed", "tactic-failed norm_cast", Some(Coercion)),
        (
            "unexpected token 'in'; expected ':='",
            "parse | unexpected token `in`; expected `:=`",
            Some(Structure),
        ),
        ("No goals to be solved", "no-goals", Some(Structure)),
        (
            "(deterministic) timeout at `whnf`, maximum number of heartbeats (200000) has been reached",
            "timeout whnf",
            Some(Timeout),
        ),
        ("maximum recursion depth has been reached", "recursion-depth", Some(Timeout)),
        (
            "unknown module prefix 'Mathlib'\n\nNo directory 'Mathlib' or file 'Mathlib.olean' in ...",
            "unknown-module Mathlib",
            Some(Infrastructure),
        ),
        (
            "object file './.lake/build/lib/A/B.olean' of module A.B does not exist",
            "missing-olean A.B",
            Some(Infrastructure),
        ),
        ("Could not resolve host: github.com", "network", Some(Infrastructure)),
        ("Lean exited with code 137", "killed", Some(Infrastructure)),
        (
            "unsolved goals\nh : Universe.manifest bad_alloc\n⊢ termination universe",
            "unsolved-goals | ⊢ termination universe",
            Some(MissingMathematics),
        ),
        (
            "Found a new thing\nh : Universe.manifest bad_alloc\n⊢ mismatch",
            "other | Found a new thing",
            None,
        ),
        ("something that Lean never said", "other | something that Lean never said", None),
        ("", "other", None),
    ] {
        assert_eq!(one(text), (signature.to_owned(), reason), "{text}");
        assert_eq!(Signature::parse(signature).to_string(), signature);
    }
}

#[test]
fn other_names_numbers_and_universes_make_no_other_signature() {
    for (first, second) in [
        (
            "unsolved goals\nα : Type u_1\ninst✝ : Group α\na b : α\nh : a * b = 1\n⊢ b * a = 1",
            "unsolved goals\nG : Type u_7\ninst✝² : Group G\nx y : G\nhxy : x * y = 1\n⊢ y * x = 1",
        ),
        (
            "don't know how to synthesize placeholder\ncontext:\nn : ℕ\n⊢ Fin n",
            "don't know how to synthesize placeholder\ncontext:\nk✝ m : ℕ\n⊢ Fin k✝",
        ),
        (
            "linarith failed\na b : ℝ\nh₁ : a < b\nh₂ : b < 3\n⊢ False",
            "linarith failed\nx : ℝ\ny : ℝ\nhyp : y < 17\nhlt : x < y\n⊢ False",
        ),
        ("failed to synthesize\n  Module ?m.3 M", "failed to synthesize\n  Module ?m.1204 V"),
        ("Unknown identifier `Nat.foo`", "unknown identifier 'Nat.foo'"),
    ] {
        assert_eq!(one(first), one(second));
    }
}

#[test]
fn other_mathematics_makes_another_signature() {
    for (first, second) in [
        ("unsolved goals\na b : ℕ\n⊢ a ≤ b", "unsolved goals\na b : ℕ\n⊢ a < b"),
        ("unsolved goals\na b : ℕ\n⊢ a + b = b + a", "unsolved goals\na b : ℕ\n⊢ a + b = a + b"),
        ("Unknown identifier `Nat.foo`", "Unknown identifier `Int.foo`"),
        ("linarith failed\nh : a < b\n⊢ False", "linarith failed\nh : a ≤ b\n⊢ False"),
        ("linarith failed\n⊢ a < b", "nlinarith failed\n⊢ a < b"),
    ] {
        assert_ne!(one(first), one(second));
    }
}

#[test]
fn a_long_goal_is_cut_and_stays_itself() {
    let long =
        |last: &str| format!("unsolved goals\n⊢ {} = {last}", ["Finset.sum s f"; 40].join(" + "));
    let (first, second) = (Signature::of(&long("Real.pi")), Signature::of(&long("Real.sqrt")));
    assert!(first.shape.chars().count() < 180, "{first}");
    assert_ne!(first, second);
    assert_eq!(first, Signature::of(&long("Real.pi")));
}

#[test]
fn signatures_that_tell_nothing_are_not_specific() {
    for (signature, specific) in [
        ("unknown-identifier Nat.foo", true),
        ("unknown-identifier", false),
        ("no-progress simp", false),
        ("tactic-failed linarith | x1 < x2 ⊢ False", false),
        ("tactic-failed linarith | x1 * x2 < x3 ⊢ False", true),
        ("unsolved-goals | ⊢ x1", false),
        ("unsolved-goals | ⊢ x1 = #", false),
        ("unsolved-goals | ⊢ Nat.Prime x1 = True", false),
        ("unsolved-goals | ⊢ Nat.Prime x1 ↔ Prime x1", true),
        ("argument-mismatch | ℕ => ℝ", true),
        ("missing-olean A.B", true),
        ("timeout whnf", false),
        ("network", true),
        ("other | something that Lean never said", false),
        ("other | invalid `import` command", true),
        ("other | `x1` is no good", false),
        ("other", false),
    ] {
        assert_eq!(Signature::parse(signature).is_specific(), specific, "{signature}");
    }
}

#[test]
fn replies_of_tools() {
    let item = r#"{"severity":"error","message":"unknown name\nat all","line":3,"column":9}"#;
    let error = Some((None, Some(3), "unknown name"));
    let named = |file| Some((Some(file), Some(3), "unknown name"));
    for (reply, first, count, verdict, is_complete) in [
        (format!(r#"{{"success":false,"items":[{item}]}}"#), error, 1, Verdict::Failed, true),
        (format!(r#"{{"items":[{item}],"partial":true}}"#), error, 1, Verdict::Silent, false),
        (format!(r#"{{"items":[],"timed_out":true,"x":{item}}}"#), error, 1, Verdict::Silent, false),
        (format!(r#"{{"file_path":"A.lean","items":[{item},{item}]}}"#), named("A.lean"), 1, Verdict::Silent, true),
        (
            r#"{"success":true,"output":"Build completed successfully (3 jobs).","errors":[]}"#.into(),
            None,
            0,
            Verdict::Passed,
            true,
        ),
        (
            r#"{"success":false,"output":"error: A.lean:3:9: unknown name\nat all\nerror: build failed",
                "errors":["error: A.lean:3:9: unknown name"]}"#
                .into(),
            named("A.lean"),
            1,
            Verdict::Failed,
            true,
        ),
        (r#"{"result":["l3c9-l3c12, severity: 1\nunknown name"]}"#.into(), error, 1, Verdict::Silent, true),
        (r#"{"items":[],"failed_dependencies":["B.lean"]}"#.into(), None, 0, Verdict::Silent, false),
        (r#"{"diagnostics":[{"severity":1,"message":{"tag":[]}}]}"#.into(), None, 0, Verdict::Silent, false),
        (r#"{"names":["error: A.lean:3:9: unknown name"]}"#.into(), None, 0, Verdict::Silent, true),
        ("[]".into(), None, 0, Verdict::Silent, true),
    ] {
        let found = report(&reply);
        let place = |one: &Diagnostic| (one.file.clone(), one.line, one.head().to_owned());
        let expected = first.map(|(file, line, head): (Option<&str>, _, &str)| {
            (file.map(str::to_owned), line, head.to_owned())
        });
        assert_eq!(found.messages.first().map(place), expected, "{reply}");
        assert_eq!(found.messages.len(), count, "{reply}");
        assert!(found.is_json && found.is_complete == is_complete, "{reply}");
        assert_eq!(found.verdict, verdict, "{reply}");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,200}") {
            for one in diagnostics(&text) {
                let signature = one.signature();
                prop_assert_eq!(&signature, &one.signature());
            }
            drop(Signature::of(&text));
        }

        #[test]
        fn any_lines_are_read(lines in proptest::collection::vec(
            "(A\\.lean:[0-9]{0,12}:1: )?(error|warning|l1c2-l3c4, severity: 1|⊢|x : |  |\\{\"severity\":1,)[`' :\\PC]{0,20}", 0..12)) {
            for one in diagnostics(&lines.join("\n")) {
                drop((one.signature().to_string(), one.reason()));
            }
        }

        #[test]
        fn a_signature_is_read_back(text in "\\PC{0,120}") {
            let signature = Signature::of(&text);
            let again = Signature::parse(&signature.to_string());
            prop_assert_eq!(again.to_string(), signature.to_string());
        }

        #[test]
        fn positions_do_not_matter(line in 1u32..9999, column in 0u32..200) {
            let output = format!("A.lean:{line}:{column}: error: unsolved goals\n⊢ x = y");
            let elsewhere = "error: B/C.lean:1:1: unsolved goals\n⊢ x = y";
            prop_assert_eq!(
                diagnostics(&output)[0].signature(),
                diagnostics(elsewhere)[0].signature()
            );
        }
    }
}
