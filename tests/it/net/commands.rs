//! Every command on one project, in the order of a story: first what fills the database, then what reads
//! it, then what is wrong. The story is told twice, in text and in JSON.

use super::Recording;
use super::stage::Stage;
use crate::tracking_fixture::{Fixture, Vocabulary};

pub(super) const MAIN: &str = "\
import Mathlib
import Sums.Basics

namespace Sums

/-- The sum of the first odd numbers is a square. -/
theorem sum_odd (n : ℕ) : ∑ i ∈ Finset.range n, (2 * i + 1) = n ^ 2 := by
  induction n with
  | zero => simp
  | succ n ih =>
    rw [Finset.sum_range_succ, ih]
    ring

/-- Twice the sum of the first numbers. -/
theorem two_sum (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), i = n * (n + 1) := by
  have step : ∀ k, k < n → True := by
    intro k hk
    sorry
  sorry

lemma bound {a b : ℕ} (h : a < b) (hb : b ≤ 100) : a + 1 ≤ 100 := by omega

axiom choice_of_sums : ∃ f : ℕ → ℕ, StrictMono f

theorem fast : 7 ∣ 14 := by native_decide

example : Nat.pow_succ_old 2 3 = 16 := by exact?

end Sums
";

/// [`MAIN`] as it was before: one proof less is open, one statement is another.
const EARLIER: &str = "\
import Mathlib
import Sums.Basics

namespace Sums

/-- The sum of the first odd numbers is a square. -/
theorem sum_odd (n : ℕ) : ∑ i ∈ Finset.range n, (2 * i + 1) = n ^ 2 := by
  sorry

theorem two_sum (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), i = n * (n + 1) := by
  rw [Finset.mul_sum]
  exact Finset.sum_range_id_mul_two (n + 1)

lemma bound {a b : ℕ} (h : a < b) (hb : b ≤ 50) : a + 1 ≤ 100 := by omega

lemma gone (n : ℕ) : n ≤ n := le_refl n

end Sums
";

const BASICS: &str = "\
import Mathlib

/-- A sequence that grows. -/
def Grows (f : ℕ → ℕ) : Prop := ∀ n, f n < f (n + 1)

theorem Grows.mono {f : ℕ → ℕ} (h : Grows f) : StrictMono f := strictMono_nat_of_lt_succ h

instance : Inhabited (Fin 3) := ⟨0⟩
";

const NOTES: &str = "\
# Sums

Note to self: push_cast has to come before omega on these goals.

Key insight: the bound fails for n = 2, so the induction starts at 3.

I prefer term-mode proofs for one-line lemmas.

We decided to stay on Lean 4.24 until the paper is out.

It turned out that `nlinarith` does not see products of hypotheses without a hint.
";

const MORE_NOTES: &str = "\
Lesson: always run `lake build` before the answer is fetched.

I learned that Finset.sum_comm is the step that everyone forgets.
";

const LINES: &str = r#"{"kind": "insight", "title": "parity of tournament scores", "description": "Scores of a tournament sum to a binomial coefficient.", "tags": ["parity", "graphs"]}
{"kind": "false_lemma", "title": "FALSE: slope_injective", "theorem_name": "Bridges.slope_injective", "theorem_statement": "∀ x y, slope x = slope y → x = y", "counterexample": "x = 0, y = 1", "correct_approach": "use slope_inj_of_ne", "problem": "bridges_12"}
{"kind": "failure", "title": "descent on the columns", "problem": "bridges_12", "why_failed": "omega cannot close a product of two variables"}
{"kind": "theorem", "title": "Sums.sum_odd", "theorem_name": "Sums.sum_odd", "theorem_statement": "∀ n, ∑ i ∈ range n, (2 * i + 1) = n ^ 2", "problem": "odd_sums", "confidence": "high"}
"#;

const PACKAGE: &str = "\
theorem Nat.pow_succ_new : p := h
@[deprecated Nat.pow_succ_new (since := \"2025-01-01\")] alias Nat.pow_succ_old := Nat.pow_succ_new
@[deprecated \"use `simp`\" (since := \"2025-02-02\")] theorem Nat.gone : p := h
";

/// A project of Lean files, results, notes, sessions and a prover's database.
pub(super) fn project(stage: Stage) -> Stage {
    stage.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    stage.write("lakefile.toml", "name = \"sums\"\n");
    stage.write(
        "lake-manifest.json",
        r#"{"version": "1.1.0", "packagesDir": ".lake/packages", "packages": [
            {"type": "git", "name": "mathlib", "rev": "0123456789abcdef0123456789abcdef01234567"}]}"#,
    );
    stage.write(".gitignore", ".lake\nsubmissions\n");
    stage.write(".lake/packages/mathlib/Mathlib/Sub.lean", PACKAGE);
    stage.write("Sums/Basics.lean", BASICS);
    stage.write("Sums/Main.lean", EARLIER);
    stage.commit();
    stage.write("Sums/Main.lean", MAIN);
    stage.write("Old.txt", EARLIER);
    stage.copy("data/examples", "results");
    stage.copy("tests/fixtures/results", "results");
    stage.write("notes.md", NOTES);
    stage.write("notes/more.md", MORE_NOTES);
    stage.write("notes/empty.md", "");
    stage.write("lines.jsonl", LINES);
    stage.write(
        "bad.jsonl",
        "{\"kind\":\"insight\",\"title\":\"a\"}\nnonsense\n{\"kind\":\"insight\"}\n",
    );
    for name in
        ["lean_rename", "missing_library_installed", "params_read_with_limit", "plan_lemma_first"]
    {
        let from = super::repository().join(format!("tests/it/fixtures/lessons/{name}.jsonl"));
        let text = std::fs::read_to_string(from).unwrap();
        stage.write(&format!("sessions/{name}.jsonl"), &text);
    }
    let tracking = stage.write("submissions/tracking.db", "");
    std::fs::remove_file(&tracking).unwrap();
    let now = stage.now();
    drop(Fixture { submissions: 40, now, ..Fixture::new(Vocabulary::New) }.write(&tracking));
    stage
}

/// What fills the database.
pub(super) const FILLING: &[&str] = &[
    "init --no-import --no-journal",
    "init",
    "import --dry-run",
    "import",
    "import submissions/none.db",
    "extract --dry-run results",
    "extract results",
    "extract results/slot101_demo_1_odd_squares_result.lean --problem-id demo_one --slot 7 --dry-run",
    "extract notes.md --dry-run",
    "extract notes.md",
    "extract-all notes --dry-run",
    "extract-all notes",
    "extract-all sessions --pattern '*.jsonl'",
    "extract none.lean",
    "extract --limit 5",
    "add --jsonl lines.jsonl",
    "add --jsonl bad.jsonl",
    "add insight --title 'Sieve bounds are too weak here' --problem erdos-850 --tags sieve,bounds",
    "add false-lemma --title 'Every such graph is bipartite' --counterexample C5 --instead 'assume even girth'",
    "add failure --title 'omega on products' --why-failed 'products of variables' --domain nt",
    "add fact --key mathlib.revision --value 2b1a --category environment",
    "add fact --key mathlib.revision --value 3c2b --category environment",
    "add lesson --title 'lake exe cache get before lake build' --tags lake",
    "add playbook --title 'How sums are done' --description 'Induction, then ring.' --tags lean,induction",
    "queue set",
    "lock Sums.sum_odd",
    "lock Sums.bound --file Sums/Main.lean",
    "capture",
    "learn",
    "snapshot --session 11111111-2222-3333-4444-555555555555",
    "snapshot --session 11111111-2222-3333-4444-555555555555",
    "jobs run --limit 2",
    "jobs work",
    "projects",
];

/// What reads it.
const READING: &[&str] = &[
    "search sums of odd numbers",
    "search cubes",
    "search cubes --explain",
    "search cubes --verbose -n 1",
    "search --kind false-lemma -n 20",
    "search --kind theorem --domain nt -n 4",
    "search --since '2 weeks' --problem erdos-850",
    "search --confidence verified odd",
    "search --tag parity",
    "search --project tournament",
    "search --project=github.com/else/where tournament",
    "search Finset.sum_range_succ",
    "search -- -1 < x",
    "search no such words at all",
    "search",
    "search '\" OR * NEAR( ∑'",
    "find erdos-850",
    "find Erdos 850 --all",
    "find bridges_12",
    "problem erdos-850",
    "find demo",
    "find tuza",
    "find nothing_of_this_name",
    "problem erdos-850",
    "failed",
    "next",
    "next -n 1",
    "report --since nonsense",
    "failed bridges",
    "failed width -n 3",
    "failed off by one",
    "strategies",
    "strategies nt",
    "strategies nowhere",
    "show 1",
    "show 2,4 5",
    "show 99999",
    "show zz",
    "stats",
    "status",
    "status --line",
    "export everything",
    "demo",
    "demo ../demo",
    "completions --man ../pages",
    "brief",
    "brief --budget 900",
    "brief --budget 40",
    "why",
    "why --session 1111",
    "outline Sums/Main.lean",
    "outline Sums",
    "outline --gaps Sums results",
    "outline results/slot203_kurepa_left_factorial_aristotle.lean",
    "outline none.lean",
    "verify",
    "verify --known",
    "certify Sums/Main.lean none.lean",
    "audit",
    "audit Sums --notes",
    "audit --deny gaps,axiom Sums",
    "audit --deny error --allow 'axiom=Sums.*' Sums",
    "audit --base HEAD --deny changes",
    "audit --base nowhere",
    "audit --staged",
    "audit --rules",
    "audit --sarif Sums/Basics.lean",
    "audit --deny nonsense",
    "audit notes",
    "guard log",
    "guard log --since 2d --rule proof-lost",
    "guard log --decl Sums.sum_odd",
    "allow --list",
    "allow --list --all",
    "lock --list",
    "index",
    "premises Nat.pow_succ_old",
    "premises next power",
    "premises '_ ^ _'",
    "premises '|- _ < _' -n 2",
    "premises _",
    "renames lookup Nat.pow_succ_old",
    "renames lookup Nat.gone Nat.nothing",
    "review list",
    "review list --all",
    "review list --status rejected",
    "list",
    "list --kind preference --status proposed",
    "list --kind decision",
    "diff Old.txt Sums/Main.lean",
    "diff HEAD:Sums/Main.lean Sums/Main.lean",
    "diff Sums/Main.lean Sums/Main.lean",
    "diff /dev/null Sums/Basics.lean",
    "diff none.lean Sums/Main.lean",
    "lessons",
    "lessons --tool lake --limit 5",
    "lessons --pattern lean-fix",
    "lessons --pattern nonsense",
    "playbooks",
    "playbooks --tag lean",
    "playbooks --tag nothing",
    "playbooks --task-id odd_sums",
    "facts",
    "facts --category environment",
    "facts --key mathlib. --project",
    "facts --unverified",
    "show mathlib.revision",
    "show nothing",
    "expire --dry-run",
    "expire",
    "jobs",
    "jobs --state dead",
    "queue",
    "config",
    "config get guard.levels.axiom-added",
    "config get nothing",
    "config path",
    "doctor",
    "gc --dry-run",
    "gc",
    "gc --vacuum",
    "forget 12 --dry-run",
    "forget --matching bipartite --dry-run",
    "hook",
];

/// What a person decides, or what is wrong: nothing of it is done without a terminal.
const REFUSED: &[&str] = &[
    "allow Sums.sum_odd --rule proof-lost --reason 'another way'",
    "allow --revoke 1",
    "lock Sums.sum_odd --remove",
    "lock Sums.nowhere",
    "confirm 00",
    "drop 00",
    "review accept 00",
    "review reject 00",
    "review undo 00",
    "review",
    "facts set lean.toolchain v4.24.0",
    "show 1",
    "show 1",
    "jobs retry 1",
    "trust",
    "config set guard.levels.axiom-added deny",
    "config set nothing x",
    "forget 1",
    "projects merge github.com/a/b github.com/c/d",
    "doctor --fix",
    "add insight",
    "add theorem --title x --confidence sure",
    "add fact --key x",
    "find",
    "problem",
    "problem resolve erdos-850 --reason x",
    "problem alias erdos-850 e850",
    "search -n 0 x",
    "search --kind nonsense x",
    "brief --budget many",
    "audit --json --sarif",
    "gc --dry-run --vacuum",
    "init --git-hook",
    "init --git-hook --deny gaps,changes",
    "init --git-hook --remove",
    "init --mcp",
    "init --status-line --remove",
    "init --mcp --dry-run",
    "init --host codex --dry-run",
    "init --host nonsense",
    "init --dry-run",
    "mcp",
    "init --project",
    "--db none/k.db search x",
    "--db Old.txt stats",
    "--tracking Old.txt brief",
];

/// JSON on stdin for `mk queue set`.
pub(super) const QUEUE: &str = r#"{"in_flight": 3, "slots_open": 2, "ready_to_fetch": [614], "top_near_miss":
    {"slot": 102, "problem": "demo_2", "sorry_count": 1, "sorry_location": "nine_dvd_sum_three_cubes"}}"#;

/// Has `--json` added to a line where its command has it.
fn with_json(line: &str) -> String {
    let has_none = ["trust", "review accept", "hook", "jobs work", "review"];
    if line.contains("--sarif") || line == "audit --rules" || has_none.contains(&line) {
        return line.to_owned();
    }
    match line.split_once(" -- ") {
        Some((options, words)) => format!("{options} --json -- {words}"),
        None => format!("{line} --json"),
    }
}

/// The whole story.
pub(super) fn story(json: bool) -> Vec<Recording> {
    let stage = project(Stage::at_noon());
    for line in [FILLING, READING, REFUSED].concat() {
        if json && line.contains("--sarif ") {
            continue;
        }
        let line = if json { with_json(line) } else { line.to_owned() };
        if line.starts_with("queue set") {
            stage.mk_with(&line, QUEUE);
        } else {
            stage.mk(&line);
        }
    }
    stage.done()
}

/// Whether there is a terminal; a loud line where there is none.
pub(super) fn at_terminal() -> bool {
    let answer = Stage::bare().terminal("drop 1", "");
    if let Err(reason) = answer {
        eprintln!("SKIPPED recordings of decisions at a terminal: {reason}");
    }
    answer.is_ok()
}

/// What a person decides at a terminal.
pub(super) fn decisions() -> Vec<Recording> {
    let stage = project(Stage::at_noon());
    for line in FILLING {
        stage.quietly(line, if *line == "queue set" { QUEUE } else { "" });
    }
    let first = |answer: &serde_json::Value, id: &str, at: usize| {
        answer["findings"][at][id].to_string().trim_matches('"').to_owned()
    };
    let proposals = stage.asked("review list --json");
    let proposal = |at: usize| first(&proposals, "uid", at);
    let facts = stage.asked("facts --json");
    let fact = first(&facts, "id", 0);
    let lesson = first(&stage.asked("lessons --json"), "id", 0);
    let playbook = first(&stage.asked("playbooks --json"), "id", 0);
    let lines = [
        ("allow Sums.sum_odd --rule proof-lost --reason 'another way'".to_owned(), ""),
        (
            "allow bound --rule statement-changed --for 2h --file Sums/Main.lean --json".to_owned(),
            "",
        ),
        ("allow Sums.sum_odd --rule nonsense".to_owned(), ""),
        ("allow --list".to_owned(), ""),
        ("allow --revoke 1".to_owned(), ""),
        ("allow --list --all --json".to_owned(), ""),
        ("lock Sums.sum_odd --remove".to_owned(), "Sums.sum_odd\n"),
        ("lock --list".to_owned(), ""),
        ("problem resolve erdos-850 --reason 'there is a paper'".to_owned(), ""),
        ("problem erdos_850 --json".to_owned(), ""),
        ("problem resolve erdos-850 --remove --json".to_owned(), ""),
        ("problem resolve nothing_1".to_owned(), ""),
        ("problem alias erdos-850 twins850".to_owned(), ""),
        ("problem alias erdos-850 twins850 --remove --json".to_owned(), ""),
        (format!("show {}", proposal(0)), ""),
        (format!("show {} --json", proposal(0)), ""),
        (format!("review accept {}", proposal(0)), ""),
        (format!("review accept {} --as 'push_cast first' --kind lesson --json", proposal(1)), ""),
        (format!("review reject {} --reason 'too vague'", proposal(2)), ""),
        (format!("review undo {}", proposal(0)), ""),
        ("review".to_owned(), "a\nr too vague\nq\n"),
        ("review list --all".to_owned(), ""),
        (
            "note dead-end 'compactness here' --problem erdos-850 --because 'it is not closed'"
                .to_owned(),
            "",
        ),
        ("note gotcha 'a build needs its cache' --json".to_owned(), ""),
        ("note nonsense x".to_owned(), ""),
        (format!("confirm {fact}"), ""),
        ("facts set lean.toolchain v4.24.0".to_owned(), ""),
        ("facts set build.jobs 4 --lasts 7d --global --json".to_owned(), ""),
        ("facts".to_owned(), ""),
        (format!("show {fact}"), ""),
        (format!("drop {fact}"), ""),
        (format!("show {lesson}"), ""),
        (format!("show {lesson} --json"), ""),
        (format!("drop {lesson}"), ""),
        (format!("review undo {lesson}"), ""),
        (format!("drop {lesson} {playbook} --reason 'not here'"), ""),
        (format!("confirm {playbook}"), ""),
        ("list --status dropped".to_owned(), ""),
        (format!("show {playbook}"), ""),
        (format!("show {playbook} --json"), ""),
        ("config set guard.levels.axiom-added deny".to_owned(), ""),
        ("config set --project audit.deny gaps,axiom --json".to_owned(), ""),
        ("config set brief.budget lots".to_owned(), ""),
        ("config".to_owned(), ""),
        ("audit Sums".to_owned(), ""),
        ("forget --matching bipartite --dry-run".to_owned(), ""),
        ("forget 1 --yes".to_owned(), ""),
        ("forget --matching bipartite --yes --json".to_owned(), ""),
        ("forget 2".to_owned(), "no\n"),
        ("projects merge github.com/ada/sums github.com/them/sums".to_owned(), ""),
        ("projects merge github.com/ada/sums github.com/ada/sums".to_owned(), ""),
        ("projects --json".to_owned(), ""),
        ("init --project".to_owned(), ""),
        ("trust".to_owned(), "project\n"),
        ("trust --remove".to_owned(), ""),
        ("doctor --fix".to_owned(), ""),
        ("stats".to_owned(), ""),
        ("brief".to_owned(), ""),
    ];
    for (line, typed) in lines {
        stage.terminal(&line, typed).unwrap();
    }
    stage.done()
}
