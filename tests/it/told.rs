//! What forty sessions of a month are told in a made owner's repository: how much it costs beside the
//! briefing, and how much of it is about the problem that the session is about.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use math_forge::app::{App, answer};
use math_forge::hook::Event;
use math_forge::paths::Environment;
use math_forge::store::Store;
use rusqlite::{Connection, params};
use serde_json::json;

use crate::env::TestEnv;

/// Problems of the owner. The name stands in the text of everything that is about it.
const PROBLEMS: [&str; 6] =
    ["gilbreath", "erdos_416", "agoh_giuga", "hadwiger_k6", "casas_alvero", "lonely_runner_n8"];
const SESSIONS: usize = 40;
/// What a start was told beside the briefing before it was about what is at hand: measured over 41 starts.
const TOLD_BEFORE: u64 = 300;

/// What says what a session is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Branch,
    Folder,
    File,
    Prompt,
    /// Nothing: it is about the build, the README, another tool.
    Nothing,
    /// It is in another project, on Lean too.
    Elsewhere,
}

const KINDS: [By; 10] = [
    By::Branch,
    By::File,
    By::Prompt,
    By::Nothing,
    By::File,
    By::Folder,
    By::Prompt,
    By::File,
    By::Elsewhere,
    By::Nothing,
];

const EVERYDAY: [&str; 4] = [
    "bump the toolchain and repair what breaks",
    "write a script in python that renames the result files",
    "commit this with a good message and push the branch",
    "why does the build time out in CI?",
];

struct Place {
    env: TestEnv,
    other: PathBuf,
}

impl Place {
    fn new() -> Self {
        let env = TestEnv::new();
        let other = env.home().join("other");
        std::fs::create_dir_all(other.join(".git")).unwrap();
        for project in [env.project(), other.clone()] {
            std::fs::write(project.join("lean-toolchain"), "leanprover/lean4:v4.24.0").unwrap();
        }
        env.write(".git/HEAD", "ref: refs/heads/main\n");
        for problem in PROBLEMS {
            let text = format!("theorem {problem}_bound_0 : True := by\n  sorry\n");
            env.write(&format!("results/{problem}/{problem}.lean"), text);
        }
        env.mk(&["stats"]).success();
        let place = Self { env, other };
        place.fill();
        // Completes what was written by hand.
        place.env.mk(&["stats"]).success();
        place
    }

    fn database(&self) -> Connection {
        Connection::open(self.env.database()).unwrap()
    }

    /// For each problem three lemmas that are false, a dead end, a lesson of Lean, a choice, advice, and
    /// twelve theorems; lessons on tools from sessions about the problems; another project's advice with tags that
    /// every project has.
    fn fill(&self) {
        let database = self.database();
        let (own, other) = (self.env.project(), &self.other);
        let add = |kind: &str,
                   title: &str,
                   problem: Option<&str>,
                   project: &Path,
                   more: serde_json::Value| {
            let text = |key: &str| more[key].as_str().map(str::to_owned);
            let sql = "INSERT INTO findings (finding_type, title, description, problem_id, project, theorem_name,
                theorem_statement, why_failed, evidence, session_id, tags, detail, created_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, '2026-02-01 09:00:00')";
            let values = params![
                kind,
                title,
                text("text").unwrap_or_default(),
                problem,
                project.to_string_lossy(),
                text("name"),
                text("statement"),
                text("why"),
                text("evidence").unwrap_or_else(|| "file".to_owned()),
                text("session"),
                text("tags"),
                more.get("detail").map(serde_json::Value::to_string)
            ];
            database.execute(sql, values).unwrap();
        };
        let lesson = |pattern: &str, words: &str| json!({"lesson": {"pattern": pattern, "what_failed": "it", "what_worked": words, "success_count": 4}});
        for problem in PROBLEMS {
            database
                .execute(
                    "INSERT INTO problems (id, name, stated_status, submission_count, failed_count)
                     VALUES (?1, ?1, 'open', 9, 4)",
                    [problem],
                )
                .unwrap();
            let session = format!("old-{problem}");
            database
                .execute(
                    "INSERT INTO runs (source, workflow_id, task_id, project, session_id, description, outcome,
                     evidence, hash, completed_at, recorded_at) VALUES ('session', ?1, ?2, ?3, ?1, '', 'open', 'session',
                     '', '2026-02-01 09:00:00', '2026-02-01 09:00:00')",
                    params![session, problem, own.to_string_lossy()],
                )
                .unwrap();
            for n in 0..12 {
                let name = format!("{problem}_bound_{n}");
                let more = json!({"name": name, "statement": format!("∀ k, k ≤ k + {n}")});
                add("theorem", &name, Some(problem), &own, more);
            }
            for n in 0..3 {
                let name = format!("{problem}_collapse_{n}");
                let more = json!({"name": name, "statement": format!("∀ k > {n}, k * k = k + {n}"),
                    "why": "it fails at the first odd value", "evidence": "prover"});
                add("false_lemma", &format!("FALSE: {name}"), Some(problem), &own, more);
            }
            let more = json!({"why": "the step loses a constant factor"});
            add(
                "failure",
                &format!("induction on the size for {problem}"),
                Some(problem),
                &own,
                more,
            );
            let more = json!({"evidence": "person", "text": "Written by the person."});
            add(
                "decision",
                &format!("state {problem} over the naturals"),
                Some(problem),
                &own,
                more,
            );
            let more = json!({"evidence": "session", "session": session,
                "detail": lesson("lean_fix", &format!("{problem}_unfold before simp"))});
            add(
                "lesson",
                &format!("simp made no progress in {problem}"),
                Some(problem),
                &own,
                more,
            );
            let more = json!({"evidence": "session", "session": session,
                "detail": lesson("tool_switch", "python3 instead of python")});
            add("lesson", &format!("python is not found ({session})"), None, &own, more);
            let detail =
                json!({"playbook": {"source_task_id": problem, "source_workflow_id": session}});
            let more =
                json!({"text": "Split by parity first.", "detail": detail, "tags": "lean,proof"});
            add("playbook", &format!("How {problem} goes on"), Some(problem), &own, more);
        }
        for n in 0..20 {
            let more = json!({"text": "Build first, then prove.", "tags": "lean,proof,lake",
                "detail": {"playbook": {"source_task_id": "elsewhere", "source_workflow_id": "x"}}});
            add("playbook", &format!("Lean proofs in general, part {n}"), None, other, more);
        }
    }

    /// One session, from its start to its end; the tokens of each thing that it was told.
    fn session(&self, number: usize, by: By, problem: &str) -> Vec<(String, String, u64)> {
        let now: Timestamp = "2026-03-01T08:00:00Z".parse().unwrap();
        let now = now + SignedDuration::from_hours(i64::try_from(number).unwrap() * 18);
        let id = format!("session-{number}");
        let project = if by == By::Elsewhere { self.other.clone() } else { self.env.project() };
        let branch =
            if by == By::Branch { format!("ada/{problem}-again") } else { "main".to_owned() };
        self.env.write(".git/HEAD", format!("ref: refs/heads/{branch}\n"));
        let folder =
            if by == By::Folder { project.join("results").join(problem) } else { project.clone() };
        let app = |now: Timestamp| {
            let database = self.env.database();
            let environment = Environment::of(&[
                ("MK_HOME", database.parent().unwrap().to_str().unwrap()),
                ("CLAUDE_PROJECT_DIR", project.to_str().unwrap()),
            ]);
            App::new(environment, now, None, None).unwrap()
        };
        let say = |now: Timestamp, event: &str, more: serde_json::Value| {
            let mut app = app(now);
            let mut wire = json!({"hook_event_name": event, "session_id": id, "cwd": folder});
            for (key, value) in more.as_object().unwrap() {
                wire[key] = value.clone();
            }
            let wire = wire.to_string();
            let told = Event::read(wire.as_bytes(), None).unwrap().unwrap();
            let answer = answer::answer(&mut app, &told, |_| None);
            answer.printed(event).unwrap_or_default()
        };
        say(now, "SessionStart", json!({"source": "startup"}));
        let prompt = match by {
            By::Prompt => format!("go on with {}", problem.replace('_', " ")),
            By::Nothing | By::Elsewhere => EVERYDAY[number % EVERYDAY.len()].to_owned(),
            By::Branch | By::Folder | By::File => "go on with the bound".to_owned(),
        };
        say(now, "UserPromptSubmit", json!({"prompt": prompt}));
        if by == By::File {
            let file = project.join(format!("results/{problem}/{problem}.lean"));
            let input = json!({"file_path": file});
            say(
                now,
                "PostToolUse",
                json!({"tool_name": "Read", "tool_input": input, "tool_use_id": "t"}),
            );
        }
        // Whoever opens the database next stores what the start left.
        app(now).existing_store().unwrap();
        let mut store = Store::open_current(&self.env.database(), None).unwrap().unwrap();
        let told = store.injections(&id).unwrap();
        store.write(now, |writer| writer.settle_injections(&id)).unwrap();
        if !matches!(by, By::Nothing | By::Elsewhere) {
            let sql = "INSERT INTO runs (source, workflow_id, task_id, project, session_id, description, outcome,
                evidence, hash, completed_at, recorded_at) VALUES ('session', ?1, ?2, ?3, ?1, '', 'open', 'session', '', ?4, ?4)";
            let (at, own) = (now.strftime("%F %T").to_string(), self.env.project());
            let values = params![id, problem, own.to_string_lossy(), at];
            self.database().execute(sql, values).unwrap();
        }
        let text = |finding: Option<i64>, label: &str| {
            let sql = "SELECT title || coalesce(problem_id, '') FROM findings WHERE id = ?1";
            finding.map_or(label.to_owned(), |id| {
                self.database().query_row(sql, [id], |row| row.get(0)).unwrap()
            })
        };
        told.into_iter()
            .map(|one| (one.event.clone(), text(one.finding, &one.label), one.tokens * one.times))
            .collect()
    }
}

#[test]
fn a_month_of_sessions_is_told_little_and_what_is_about_its_problem() {
    let place = Place::new();
    let (mut briefing, mut beside, mut later, mut things, mut useful) = (0, 0, 0, 0_u32, 0_u32);
    println!("session  by          problem           briefing  at the start  later");
    for number in 0..SESSIONS {
        let by = KINDS[number % KINDS.len()];
        let problem = PROBLEMS[number / 4 % PROBLEMS.len()];
        let told = place.session(number, by, problem);
        let sum = |wanted: &dyn Fn(&str, &str) -> bool| -> u64 {
            told.iter()
                .filter(|(event, about, _)| wanted(event, about))
                .map(|(.., tokens)| tokens)
                .sum()
        };
        let of_briefing = sum(&|_, about| about == "briefing");
        let at_start = sum(&|event, about| event == "SessionStart" && about != "briefing");
        let after = sum(&|event, _| event != "SessionStart");
        println!(
            "{number:7}  {:10}  {problem:16}  {of_briefing:8}  {at_start:12}  {after:5}",
            format!("{by:?}")
        );
        for (event, about, _) in told.iter().filter(|(_, about, _)| about != "briefing") {
            let is_useful = about.contains(problem) && !matches!(by, By::Nothing | By::Elsewhere);
            things += 1;
            useful += u32::from(is_useful);
            if !is_useful {
                println!("         of no use, {event}: {about}");
            }
            assert!(by != By::Elsewhere, "another project: {about}");
            assert!(
                !about.contains("python") && !about.contains("in general"),
                "{number}: {about}"
            );
        }
        let is_said = matches!(by, By::Branch | By::Folder);
        assert!(!is_said || at_start > 0, "{number}: the problem at hand is told of");
        assert!(
            by != By::Prompt || after > 0,
            "{number}: a prompt that names a problem is answered"
        );
        (briefing, beside, later) = (briefing + of_briefing, beside + at_start, later + after);
    }
    let before = TOLD_BEFORE * u64::try_from(SESSIONS).unwrap();
    println!(
        "{SESSIONS} sessions: briefings {briefing}, beside them {beside} (before {before}), later {later}"
    );
    println!("{useful} of {things} things told are about the problem at hand");
    assert!(beside * 10 <= before, "{beside} tokens beside the briefing, {before} before");
    assert!(f64::from(useful) / f64::from(things) >= 0.7, "{useful} of {things}");
    assert!(things >= 40, "it is not silent: {things}");
}
