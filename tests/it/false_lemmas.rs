//! The way of a false lemma: entered, imported or extracted, then seen where an edit uses it or
//! states it again.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use math_forge::app::App;
use math_forge::app::guard::known::false_lemmas;
use math_forge::guard::{FalseLemma, Policy, Rule, judge};
use math_forge::lean::{self, Claim};
use math_forge::paths::Environment;

use crate::env::{TestEnv, shared_data};
use crate::tracking_fixture::{self, Fixture, Vocabulary};

/// A Lean project of its own.
fn project() -> TestEnv {
    let env = TestEnv::new();
    env.write("lean-toolchain", "leanprover/lean4:v4.24.0\n");
    fs::create_dir(env.project().join(".git")).unwrap();
    env
}

fn app_in(env: &TestEnv, folder: &Path) -> App {
    let of = |path: &Path| path.to_str().unwrap().to_owned();
    let data = env.database().parent().map(of).unwrap();
    let environment = Environment::of(&[("MK_HOME", &data), ("CLAUDE_PROJECT_DIR", &of(folder))]);
    App::new(environment, tracking_fixture::noon(), None, None).unwrap()
}

fn app(env: &TestEnv) -> App {
    app_in(env, &env.project())
}

/// What the guard says of false lemmas when an edit adds this text to a file.
fn told(lemmas: &[FalseLemma], added: &str) -> Vec<String> {
    let before = "theorem first : P := by\n  sorry\n\n";
    let policy = Policy { false_lemmas: lemmas.to_vec(), ..Policy::default() };
    let findings = judge(before, &format!("{before}{added}\n"), &policy).findings;
    let findings = findings.iter().filter(|finding| finding.rule == Rule::FalseLemma);
    findings
        .map(|f| format!("{} {}: {}", f.declaration.as_ref().unwrap(), f.line.unwrap(), f.detail))
        .collect()
}

fn enter(env: &TestEnv, title: &str, more: &[&str]) {
    let entered = [
        "add",
        "false-lemma",
        "--title",
        title,
        "--theorem-name",
        "Graphs.two_colour",
        "--statement",
        "theorem Graphs.two_colour (G : Graph n) (h : Even n) : colours G ≤ 2",
        "--counterexample",
        "the triangle with a tail",
        "--why-failed",
        "an even number of vertices does not exclude odd cycles",
        "--instead",
        "`Graphs.two_colour_of_even_girth`",
    ];
    env.mk(&[&entered, more].concat()).success();
}

const USE: &str = "theorem t : P := by\n  exact Graphs.two_colour G h";
const COPY: &str = "lemma renamed {m : ℕ} {K : Graph n} : Even n → colours K ≤ 2 := by\n  sorry";
const RENAMED: &str = "lemma renamed {K : Graph n} : Even n → colours K ≤ 2 := by\n  sorry";
const WHY: &str = "counterexample: the triangle with a tail; why: an even number of vertices does \
                   not exclude odd cycles; instead: `Graphs.two_colour_of_even_girth`";

#[test]
fn what_a_person_enters_is_seen() {
    let env = project();
    enter(&env, "Bipartite", &[]);
    let lemmas = false_lemmas(&mut app(&env));
    assert_eq!(told(&lemmas, USE), [format!("Graphs.two_colour 5: {WHY}")]);
    assert_eq!(
        told(&lemmas, RENAMED),
        [format!("Graphs.two_colour 4: `renamed` states the same; {WHY}")]
    );
    assert_eq!(told(&lemmas, COPY), [""; 0]);
    assert_eq!(told(&lemmas, "open Graphs\nexample : P := two_colour G h").len(), 1);
    assert_eq!(told(&lemmas, "theorem t : P := two_colour_of_even_girth G h"), [""; 0]);
}

#[test]
fn what_nobody_checked_is_said_to_be_so() {
    let env = project();
    enter(&env, "Bipartite", &["--confidence", "low"]);
    let lemmas = false_lemmas(&mut app(&env));
    let expected = format!("Graphs.two_colour 5: only reported, nobody checked it; {WHY}");
    assert_eq!(told(&lemmas, USE), [expected]);
}

#[test]
fn what_is_taken_back_is_not_seen_any_more() {
    let env = project();
    enter(&env, "Bipartite", &[]);
    let database = rusqlite::Connection::open(env.database()).unwrap();
    enter(&env, "Bipartite, once more", &[]);
    database
        .execute("UPDATE findings SET superseded_by = 2, status = 'superseded' WHERE id = 1", [])
        .unwrap();
    let lemmas = false_lemmas(&mut app(&env));
    assert_eq!(lemmas.len(), 1);
    database
        .execute("UPDATE findings SET superseded_by = 1, status = 'superseded' WHERE id = 2", [])
        .unwrap();
    assert_eq!(false_lemmas(&mut app(&env)), []);
}

#[test]
fn other_projects_know_the_statement_and_say_that_it_is_theirs() {
    let env = project();
    enter(&env, "Bipartite", &[]);
    let other = env.home().join("other");
    fs::create_dir_all(other.join(".git")).unwrap();
    let lemmas = false_lemmas(&mut app_in(&env, &other));
    assert_eq!(told(&lemmas, USE), [""; 0]);
    assert_eq!(
        told(&lemmas, RENAMED),
        [format!(
            "Graphs.two_colour 4: `renamed` states the same; known from another project; {WHY}"
        )]
    );
    enter(&env, "Everywhere", &["--global"]);
    let lemmas = false_lemmas(&mut app_in(&env, &other));
    assert_eq!(told(&lemmas, USE), [format!("Graphs.two_colour 5: {WHY}")]);
}

#[test]
fn the_tracking_database_of_the_project_is_read() {
    let env = project();
    let path = env.project().join("submissions/tracking.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let fixture = Fixture { submissions: 20, ..Fixture::new(Vocabulary::Old) };
    let db = fixture.write(&path);
    db.execute(
        "INSERT INTO false_lemmas (lemma_name, false_statement, counterexample, why_false,
         evidence_level, correct_approach, created_at) VALUES ('tau_le', 'theorem tau_le (G : Graph n)
         (h : nu G = 2) : tau G ≤ 3', 'two triangles', 'each needs two edges', 'aristotle_verified',
         'count pairs', '2026-03-09 12:00:00')",
        [],
    )
    .unwrap();
    drop(db);
    let before = fs::read(&path).unwrap();
    let lemmas = false_lemmas(&mut app(&env));
    let why = "counterexample: two triangles; why: each needs two edges; instead: count pairs";
    assert_eq!(told(&lemmas, "theorem t : P := tau_le G h"), [format!("tau_le 4: {why}")]);
    let copy = "theorem t : ∀ G : Graph n, nu G = 2 → tau G ≤ 3 := by sorry";
    assert_eq!(told(&lemmas, copy), [format!("tau_le 4: `t` states the same; {why}")]);
    // Names with a prime, and reports that nobody checked.
    let told = told(&lemmas, "theorem t : P := Chain.width_le_5' P");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("Chain.width_le_5' 4: "), "{told:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!env.database().exists(), "nothing is created");
}

#[test]
fn what_a_prover_refuted_is_seen_after_its_result_was_extracted() {
    const RESULT: &str = "slot148_tuza_nu4_bridge_cover_result.lean";
    let env = project();
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/results");
    env.write(&format!("submissions/{RESULT}"), fs::read(fixtures.join(RESULT)).unwrap());
    env.mk(&["extract", "submissions"]).success();
    let lemmas = false_lemmas(&mut app(&env));
    let used = told(&lemmas, "namespace Tuza\ntheorem t : P := bridge_covers G s hs");
    assert_eq!(used.len(), 1, "{used:?}");
    assert!(used[0].starts_with("Tuza.bridge_covers 5: "), "{used:?}");
    assert!(used[0].contains("The prover proved its negation"), "{used:?}");
    let copy = "lemma apex (H : SimpleGraph (Fin 6)) [DecidableRel H.Adj] (s) (hs : s ∈ H.cliqueFinset 3) :\n    (0 : Fin 6) ∈ s := by\n  sorry";
    let stated = told(&lemmas, copy);
    assert_eq!(stated.len(), 1, "{lemmas:?}");
    assert!(stated[0].starts_with("Tuza.bridge_covers 4: `apex` states the same; "), "{stated:?}");
}

#[test]
fn what_cannot_be_read_is_logged_and_left_out() {
    let env = project();
    assert_eq!(false_lemmas(&mut app(&env)), []);
    assert!(!env.home().join(".local").exists(), "nothing is created");
    enter(&env, "Bipartite", &[]);
    env.write("submissions/tracking.db", "no database");
    let mut app = app(&env);
    assert_eq!(false_lemmas(&mut app).len(), 1);
    let log = fs::read_to_string(app.paths.log_file()).unwrap();
    assert!(log.contains("false lemmas were not read"), "{log}");
}

/// In real projects two statements claim the same only where they are the same.
#[test]
fn real_statements_claim_different_things() {
    let Some(data) = shared_data("claims of real statements") else { return };
    let mut claims: HashMap<Claim, Vec<(u64, String)>> = HashMap::new();
    let mut folders = vec![data.join("lean_gt/files")];
    let (mut statements, mut silent) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = lean::decode(&fs::read(&path).unwrap()).text;
            for declaration in
                lean::outline(&text).declarations.iter().filter(|d| d.kind.is_proof())
            {
                let keyword = declaration.statement_span.start + declaration.kind.as_str().len();
                let start = declaration.name_span.as_ref().map_or(keyword, |name| name.end);
                let signature = &text[start..declaration.statement_span.end];
                statements += 1;
                match Claim::of_signature(signature) {
                    None => silent += 1,
                    Some(claim) => {
                        let key = lean::statement_key(signature);
                        claims.entry(claim).or_default().push((key, signature.to_owned()));
                    }
                }
            }
        }
    }
    let mut merged = 0;
    for alike in claims.values_mut() {
        alike.sort();
        alike.dedup_by_key(|(key, _)| *key);
        if alike.len() > 1 {
            merged += 1;
            eprintln!("  {alike:?}");
        }
    }
    eprintln!("{statements} statements, {silent} without a claim, {merged} claims in other words");
    assert!(statements > 1_000 && silent * 100 < statements && merged < 20);
}
