//! Proposals and the person's decisions about them, as commands and as use cases.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;
use math_forge::app::App;
use math_forge::app::journal;
use math_forge::app::learn::proposals::{self, Added, MOST, Origin};
use math_forge::learn::signals::{Proposal, Type as Signal};
use math_forge::model::{Confidence, Evidence, Finding, Kind};
use math_forge::paths::Environment;
use math_forge::review::{self, Accept, Asked, By, ConfirmArgs};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::hook;
use crate::env::{Output, TestEnv};

const NOTES: &str = "\
Note to self: push_cast has to come before omega on these goals.

Key insight: the bound fails for n = 2, so the induction starts at 3.
";

pub(crate) fn now() -> Timestamp {
    "2026-02-01T12:00:00Z".parse().unwrap()
}

/// A place with a database of its own.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) app: App,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::at(now(), tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(now: Timestamp, folder: tempfile::TempDir) -> Self {
        let environment = Environment::of(&[("MK_HOME", folder.path().to_str().unwrap())]);
        let app = App::new(environment, now, None, None).unwrap();
        Self { folder, app }
    }

    /// The same place, so many hours later.
    pub(crate) fn later(self, hours: i64) -> Self {
        let intake = self.app.config.learn_facts.clone();
        let mut desk =
            Self::at(self.app.now + jiff::SignedDuration::from_hours(hours), self.folder);
        desk.app.config.learn_facts = intake;
        desk
    }

    pub(crate) fn connection(&self) -> Connection {
        Connection::open(self.app.database.path().unwrap()).unwrap()
    }

    fn add(&mut self, proposals: &[Proposal]) -> Added {
        let project = Some("github.com/ada/bridges");
        let source = Some("/t/session.jsonl");
        let origin = Origin { source, project, most: MOST, ..Origin::default() };
        proposals::add(&mut self.app, proposals, origin).unwrap()
    }

    fn accept(&mut self, id: &str) -> i64 {
        let accept = Accept::default();
        review::confirm(&mut self.app, id, &accept, By::Terminal).unwrap().id
    }

    fn statuses(&mut self) -> Vec<String> {
        let all = review::proposals(&mut self.app, None).unwrap().listing.findings;
        let status = |one: &Finding| one.content.proposal_status().unwrap();
        all.iter().map(|one| format!("{} {}", one.uid, status(one))).collect()
    }
}

fn proposal(id: &str, kind: Signal, content: &str) -> Proposal {
    Proposal {
        id: id.to_owned(),
        spec_type: kind,
        kind: if kind == Signal::Pattern { Kind::Preference } else { Kind::Insight },
        content: content.to_owned(),
        source: "session-1".to_owned(),
        extracted_at: "2026-02-01T09:00:00Z".to_owned(),
        status: "pending".to_owned(),
        matched_phrase: "note to self".to_owned(),
        rule: "note-to-self".to_owned(),
        role: "agent".to_owned(),
        sentence: format!("So: {content}"),
        before: Some("The sentence before.".to_owned()),
        after: None,
        line: 7,
        said_at: None,
        problem: None,
        slot: None,
    }
}

fn insight(id: &str, content: &str) -> Proposal {
    proposal(id, Signal::Insight, content)
}

fn added(added: usize, left_out: usize) -> Added {
    Added { added, left_out }
}

#[test]
fn what_is_known_or_was_decided_is_not_asked_again() {
    let mut desk = Desk::new();
    let first = [
        insight("a1", "omega closes this goal"),
        insight("b1", "simp loops on this lemma"),
        insight("c1", "the bound fails for n = 2"),
        insight("d1", "too short"),
    ];
    assert_eq!(desk.add(&first), added(3, 0));
    review::drop(&mut desk.app, "a1", Some("no"), By::Terminal).unwrap();
    desk.accept("b1");
    let again = [
        insight("a1", "omega closes this goal"),
        insight("a2", "Omega closes this goal!"),
        insight("b2", "“simp” loops on this lemma."),
        insight("c2", "The bound fails for n = 2"),
        insight("e2", "the bound fails for n = 3"),
    ];
    assert_eq!(desk.add(&again), added(1, 0));
    // What was accepted in other words is known by its new words too.
    let accept = Accept { content: Some("It fails for 2 and 3.".to_owned()), ..Accept::default() };
    review::confirm(&mut desk.app, "e2", &accept, By::Terminal).unwrap();
    assert_eq!(desk.add(&[insight("f3", "it fails for 2 and 3")]), added(0, 0));
}

#[test]
fn a_reading_brings_so_many_and_the_persons_words_first() {
    let mut desk = Desk::new();
    let mut many: Vec<Proposal> =
        (0..30).map(|n| insight(&format!("a{n:02}"), &format!("lemma number {n} holds"))).collect();
    many[29].role = "person".to_owned();
    many[28].content = many[0].content.clone();
    assert_eq!(desk.add(&many), added(20, 9));
    let ids = desk.statuses();
    assert!(ids.contains(&"a29 pending".to_owned()) && ids.contains(&"a18 pending".to_owned()));
    assert!(!ids.contains(&"a19 pending".to_owned()), "{ids:?}");
    let log = fs::read_to_string(desk.app.paths.log_file()).unwrap();
    assert!(log.contains("9 new proposals beyond 20 of one reading were left out"), "{log}");
}

#[test]
fn secrets_and_control_characters_do_not_get_in() {
    let mut desk = Desk::new();
    let mut told = insight("a1", "remember that the key is sk-ant-api03-aB3dE5fG7hJ9kL1mN3pQ5rS7");
    told.before = Some("export API_KEY=\u{1b}[31maZ9xQ4mK2pL8vB6nR1tY".to_owned());
    desk.add(&[told]);
    let stored = review::find(&mut desk.app, "a1").unwrap();
    assert_eq!(stored.content.description, "remember that the key is [secret removed]");
    assert!(!format!("{stored:?}").contains("aZ9xQ4mK2pL8vB6nR1tY"), "{stored:?}");
    let secret = "it is ghp_0123456789abcdefABCDEF0123456789abcd";
    let accept = Accept { content: Some(secret.to_owned()), ..Accept::default() };
    let kept = review::confirm(&mut desk.app, "a1", &accept, By::Terminal).unwrap();
    assert_eq!(kept.content.description, "it is [secret removed]");
}

#[test]
fn an_accepted_proposal_says_where_it_comes_from() {
    let mut desk = Desk::new();
    desk.add(&[
        proposal("a1", Signal::Pattern, "I prefer omega over linarith. Always."),
        proposal("b1", Signal::SelfKnowledge, "note to self: simp loops on this lemma"),
        insight("c1", "the bound fails for n = 2"),
    ]);
    let ids = [desk.accept("a1"), desk.accept("b1"), desk.accept("c1")];
    let kinds = ids.map(|id| {
        let finding = desk.app.store().unwrap().finding(id).unwrap().unwrap().content;
        assert_eq!((finding.confidence, finding.evidence), (Confidence::High, Evidence::Person));
        assert_eq!(finding.source.session.as_deref(), Some("session-1"));
        assert_eq!(finding.source.line, Some(7));
        assert_eq!(finding.project.as_deref(), Some("github.com/ada/bridges"));
        assert!(finding.notes.unwrap().ends_with("said by agent (rule note-to-self)"));
        (finding.kind, finding.title)
    });
    assert_eq!(kinds[0], (Kind::Preference, "I prefer omega over linarith.".to_owned()));
    assert_eq!([kinds[1].0, kinds[2].0], [Kind::Insight; 2]);
    let hits = desk.app.store().unwrap().findings_by_uid("").unwrap();
    assert!(hits.is_empty());
    let error = review::confirm(&mut desk.app, "a1", &Accept::default(), By::Terminal);
    let expected = "#1 is confirmed already; `mk review undo #1` takes that back";
    assert_eq!(error.unwrap_err().to_string(), expected);
    desk.add(&[insight("d1", "every graph here is bipartite")]);
    for kind in [Kind::Theorem, Kind::FalseLemma, Kind::Fact] {
        let accept = Accept { kind: Some(kind), ..Accept::default() };
        let error = review::confirm(&mut desk.app, "d1", &accept, By::Terminal).unwrap_err();
        assert!(error.to_string().contains("cannot become a"), "{error}");
    }
}

#[test]
fn a_decision_can_be_taken_back_whole() {
    let mut desk = Desk::new();
    desk.add(&[insight("a1", "omega closes this goal"), insight("b1", "simp loops on this lemma")]);
    let finding = desk.accept("a1");
    review::drop(&mut desk.app, "b1", Some("vague"), By::Terminal).unwrap();
    assert_eq!(review::undo(&mut desk.app, "a1").unwrap().id, finding, "one row all the time");
    review::undo(&mut desk.app, "b1").unwrap();
    assert_eq!(desk.statuses(), ["a1 pending", "b1 pending"]);
    assert_eq!(desk.app.store().unwrap().stats().unwrap().findings.total, 0);
    let rows: i64 = desk
        .connection()
        .query_row("SELECT count(*) FROM findings_fts WHERE findings_fts MATCH 'omega'", [], |r| {
            r.get(0)
        })
        .unwrap();
    assert_eq!(rows, 0, "the index has forgotten it too");
    // What the person changed meanwhile is theirs.
    let finding = desk.accept("a1");
    desk.connection()
        .execute("UPDATE findings SET description = 'mine' WHERE id = ?1", [finding])
        .unwrap();
    let error = review::undo(&mut desk.app, "a1").unwrap_err().to_string();
    assert!(error.contains("#1 has changed since then: run `mk drop #1`"), "{error}");
    let error = review::undo(&mut desk.app, "b1").unwrap_err().to_string();
    assert_eq!(error, "nothing was decided about b1 yet");
}

#[test]
fn what_nobody_decides_expires_as_expired() {
    let mut desk = Desk::new();
    desk.add(&[insight("a1", "omega closes this goal")]);
    assert_eq!(proposals::expire(&mut desk.app).unwrap(), 0);
    let mut desk = desk.later(24 * 29);
    desk.add(&[Proposal {
        extracted_at: desk.app.now.to_string(),
        ..insight("b1", "simp loops on this lemma")
    }]);
    let mut desk = desk.later(24 * 2);
    assert_eq!(review::proposals(&mut desk.app, Some("pending")).unwrap().listing.total, 1);
    assert_eq!(desk.statuses(), ["a1 expired", "b1 pending"]);
    assert_eq!(
        desk.app.store().unwrap().stats().unwrap().findings.total,
        0,
        "nothing became known"
    );
    assert_eq!(desk.add(&[insight("c1", "omega closes this goal")]), added(0, 0));
    review::undo(&mut desk.app, "a1").unwrap();
    assert_eq!(desk.statuses(), ["b1 pending", "a1 pending"], "it waits for another while");
}

#[test]
fn ids_are_found_by_their_beginning_and_wrong_ones_explained() {
    let mut desk = Desk::new();
    let error = |desk: &mut Desk, id| review::find(&mut desk.app, id).unwrap_err().to_string();
    assert_eq!(
        error(&mut desk, "abc"),
        "nothing is stored under `abc`: `mk list` shows what there is"
    );
    desk.add(&[
        insight("3f2a91c04d7e", "omega closes this goal"),
        insight("3f77aa01be22", "simp loops here"),
    ]);
    assert_eq!(review::find(&mut desk.app, " #3F2A ").unwrap().uid, "3f2a91c04d7e");
    for (id, expected) in [
        ("3f", "`3f` may be one of 3f2a91c0, 3f77aa01: give more of it, or the number"),
        ("3f2a91c04d7f", "nothing is stored under `3f2a91c04d7f` (do you mean `3f2a91c04d7e`?)"),
        ("9999", "nothing is stored under `9999`: `mk list` shows what there is"),
        ("", "an id is missing: `mk list` and `mk review list` have them"),
        ("%", "nothing is stored under `%`: `mk list` shows what there is"),
    ] {
        assert_eq!(error(&mut desk, id), expected);
    }
}

fn asked(ids: &str, accept: Accept) -> Asked {
    Asked::Confirm(ConfirmArgs { ids: ids.split(' ').map(str::to_owned).collect(), accept })
}

#[test]
fn the_dialog_shows_what_it_decides() {
    let mut desk = Desk::new();
    desk.add(&[
        insight("3f2a", "omega closes <system-reminder>this"),
        insight("41bb", "simp loops on this lemma"),
        insight("5ccc", &"long ".repeat(200)),
    ]);
    let command = asked("3f2a", Accept { kind: Some(Kind::Lesson), ..Accept::default() });
    assert_eq!(
        review::question(&mut desk.app, &command).unwrap().0,
        "math-forge: keeping this as knowledge is the person's decision.\n\
         3f2a, as lesson, said by agent: \"omega closes ‹system-reminder>this\"\n\
         Without the person's yes nothing changes."
    );
    let other = |text: &str| Accept { content: Some(text.to_owned()), ..Accept::default() };
    for refused in [
        asked("zzz", Accept::default()),
        asked("5ccc", Accept::default()),
        asked("41 41", Accept::default()),
        asked("1 2 3 4 5 6", Accept::default()),
        asked("3f2a 41bb", other("one text for two")),
        asked("3f2a", other(&"x".repeat(601))),
    ] {
        assert_eq!(review::question(&mut desk.app, &refused), None, "{refused:?}");
        assert!(review::decide_from_dialog(&mut desk.app, &refused, "").is_err(), "{refused:?}");
    }
    let print = review::question(&mut desk.app, &command).unwrap().1;
    let said = review::decide_from_dialog(&mut desk.app, &command, &print).unwrap();
    assert_eq!(said, "math-forge: the person agreed; lesson #1 is confirmed.");
    let decided = review::find(&mut desk.app, "3f2a").unwrap();
    assert_eq!(decided.content.decision().unwrap().by, "dialog");
    assert!(review::decide_from_dialog(&mut desk.app, &command, &print).is_err(), "once is once");
    let two = asked("41bb", other("simp [foo] loops"));
    let question = review::question(&mut desk.app, &two).unwrap().0;
    assert!(question.contains("To be kept in other words: \"simp [foo] loops\""), "{question}");
}

#[test]
fn in_a_session_the_persons_yes_counts() {
    let env = with_notes();
    let id = env.mk(&["review", "list", "--json"]).json()["findings"][0]["uid"].clone();
    let command = format!("mk review accept {} --as 'push_cast first'", id.as_str().unwrap());
    let told = |event, tool_use| hook(&env, event, tool_use, &command)["additionalContext"].clone();
    let unasked = told("PostToolUse", "t1");
    assert!(unasked.as_str().unwrap().contains("nothing is decided"), "{unasked}");
    let asked = hook(&env, "PreToolUse", "t1", &command);
    assert_eq!(asked["permissionDecision"], "ask");
    let reason = asked["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("push_cast has to come before omega on these goals"), "{reason}");
    assert!(reason.contains("in other words: \"push_cast first\""), "{reason}");
    assert_eq!(
        env.mk(&["review", "list", "--json"]).json()["pending"],
        2,
        "asking decides nothing"
    );
    let yes = told("PostToolUse", "t1");
    assert_eq!(yes, "math-forge: the person agreed; insight #1 is confirmed.");
    let finding = env.mk(&["show", "1", "--json"]).json()["findings"][0].clone();
    assert_eq!(
        (&finding["description"], &finding["evidence"]),
        (&json!("push_cast first"), &json!("person"))
    );
    let again = told("PostToolUse", "t1");
    assert!(again.as_str().unwrap().contains("not all of these are waiting"), "{again}");
}

#[test]
fn decisions_go_into_the_journal() {
    let mut desk = Desk::new();
    let seed = journal::create_own(&desk.app).unwrap();
    desk.add(&[insight("a1", "omega closes this goal"), insight("b1", "simp loops on this lemma")]);
    assert_eq!(review::unjournaled(&mut desk.app).unwrap(), 2);
    desk.accept("a1");
    assert_eq!(review::keep_journal(&mut desk.app), None);
    let status = |id: &str| {
        let seed: Value = serde_json::from_str(&fs::read_to_string(&seed).unwrap()).unwrap();
        let entries = seed["state"]["proposals"].as_array().unwrap().clone();
        let entry = entries.into_iter().find(|entry| entry["id"] == id).unwrap();
        (entry["status"].as_str().unwrap().to_owned(), entry["decidedAt"].is_string())
    };
    assert_eq!(status("a1"), ("accepted".to_owned(), true));
    review::undo(&mut desk.app, "a1").unwrap();
    review::drop(&mut desk.app, "b1", None, By::Terminal).unwrap();
    assert_eq!(review::unjournaled(&mut desk.app).unwrap(), 2);
    assert_eq!(review::keep_journal(&mut desk.app), None);
    assert_eq!(status("a1"), ("pending".to_owned(), false), "what is taken back is told too");
    assert_eq!(status("b1"), ("rejected".to_owned(), true));
    assert_eq!(review::unjournaled(&mut desk.app).unwrap(), 0);
    // Somebody else's hand on the journal is no reason to fail.
    desk.accept("a1");
    fs::write(seed.parent().unwrap().join(".git/MERGE_HEAD"), "0\n").unwrap();
    let told = review::keep_journal(&mut desk.app).unwrap();
    assert!(told.starts_with("the journal will be written later: git commit: "), "{told}");
    assert_eq!(review::unjournaled(&mut desk.app).unwrap(), 1);
}

fn with_notes() -> TestEnv {
    let env = TestEnv::new();
    let notes = env.write("notes.md", NOTES);
    env.mk(&["extract", notes.to_str().unwrap()]).success();
    env
}

/// Runs `mk` at a terminal of its own and types; `None`, and a loud line, where that cannot be done.
fn at_terminal(env: &TestEnv, arguments: &str, typed: &str) -> Option<Output> {
    let script = Path::new("/usr/bin/script");
    if !cfg!(target_os = "linux") || !script.is_file() {
        eprintln!("SKIPPED deciding at a terminal: no `script` of util-linux");
        return None;
    }
    let line = format!("stty cols 80; exec {} {arguments}", env!("CARGO_BIN_EXE_mk"));
    let mut child = Command::new(script)
        .args(["-qefc", &line, "/dev/null"])
        .env_clear()
        .env("HOME", env.home())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .envs([("SHELL", "/bin/sh"), ("TERM", "dumb"), ("NO_COLOR", "1"), ("TZ", "UTC")])
        .env("EDITOR", format!("{}/editor.sh --wait", env.project().display()))
        .current_dir(env.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = child.stdin.take().unwrap();
    // What is typed ahead waits in the terminal. Closing this would end it.
    keys.write_all(typed.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(keys);
    let stdout = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    if stdout.contains("outside of Claude Code") {
        eprintln!("SKIPPED deciding at a terminal: the tests run inside of the client");
        return None;
    }
    Some(Output { code: output.status.code().unwrap_or(-1), stdout, stderr: String::new() })
}

#[test]
fn a_person_decides_at_a_terminal() {
    let env = with_notes();
    env.mk(&["init", "--no-import"]).success();
    let listed = env.mk(&["review", "list", "--json"]).json();
    let id = listed["findings"][0]["uid"].as_str().unwrap().to_owned();
    let Some(output) = at_terminal(&env, &format!("review accept {id} --json"), "") else { return };
    let answer = output.json();
    assert_eq!(answer["decided"][0]["status"], "confirmed");
    assert_eq!(answer["decided"][0]["id"], 1);
    assert_eq!(answer["problems"], json!([]));
    assert_eq!(env.mk(&["show", "1", "--json"]).json()["findings"][0]["evidence"], "person");
    let again = at_terminal(&env, &format!("confirm {id}"), "").unwrap();
    assert_eq!(again.code, 1);
    assert!(again.stdout.contains("is confirmed already"), "{}", again.stdout);
    let undone = at_terminal(&env, &format!("review undo {id}"), "").unwrap();
    assert!(undone.stdout.contains("waits again"), "{}", undone.stdout);

    let editor = env.write("editor.sh", "#!/bin/sh\nsed -i 's/omega/lia/' \"$2\"\n");
    fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (typed, expected) in [
        ("\u{1b}", "0 confirmed, 0 dropped; 2 still wait."),
        ("q\n", "2 still wait."),
        ("s\ns\n", "2 of 2"),
        ("x\nq\n", "skip: it comes back next time"),
        ("uq", "nothing was decided yet"),
        ("yuq", "0 confirmed, 0 dropped; 2 still wait."),
    ] {
        let output = at_terminal(&env, "review", typed).unwrap();
        assert!(output.stdout.contains(expected), "{typed:?}: {}", output.stdout);
    }
    let output = at_terminal(&env, "review", "e\nyn").unwrap();
    assert_eq!(output.code, 0, "{}", output.stdout);
    for expected in [
        "1 of 2    would be kept as an insight",
        "push_cast has to come before lia on these goals.",
        "1 confirmed, 1 dropped; none are waiting any more.",
    ] {
        assert!(output.stdout.contains(expected), "{expected}: {}", output.stdout);
    }
    let stats = env.mk(&["stats", "--json"]).json();
    assert_eq!(
        stats["proposals"],
        json!({"accepted": 1, "expired": 0, "pending": 0, "rejected": 1})
    );
    let git = Command::new("git")
        .arg("-C")
        .arg(env.home().join(".local/share/math-forge/journal"))
        .args(["log", "--format=%s"])
        .output()
        .unwrap();
    let subjects = String::from_utf8(git.stdout).unwrap();
    assert_eq!(subjects.lines().count(), 4, "{subjects}");
}

#[test]
fn the_doctor_knows_what_waits() {
    let env = with_notes();
    let doctor = |env: &TestEnv| {
        let output = env.mk(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let remarks = report["checks"].as_array().unwrap().clone();
        let journal =
            remarks.into_iter().find(|remark| remark["name"] == "proposal journal").unwrap();
        journal["detail"].as_str().unwrap().to_owned()
    };
    assert_eq!(doctor(&env), "none (`mk init` makes one)");
    env.mk(&["init"]).success();
    let place = "$HOME/.local/share/math-forge/journal/seed.json";
    assert_eq!(doctor(&env), format!("{place}, 2 entries will be written next time"));
    let config = env.home().join(".config/math-forge/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "seed = '/nowhere/at/all/seed.json'\n").unwrap();
    assert_eq!(
        doctor(&env),
        "`/nowhere/at/all/seed.json` is not in a git repository: nothing is written to it"
    );
}

#[test]
fn init_makes_a_journal_unless_told_not_to() {
    let env = TestEnv::new();
    let report = env.mk(&["init", "--no-journal", "--json"]).json();
    assert_eq!(report["journal"], Value::Null);
    let own = "$HOME/.local/share/math-forge/journal/seed.json";
    let report = env.mk(&["init", "--json"]).json();
    assert_eq!(report["journal"], own);
    assert!(
        env.mk(&["init"])
            .success()
            .contains(&format!("Journal of proposals and decisions: {own}\n"))
    );
    let message = env.mk(&["init", "--journal", "notes"]).failure(1);
    assert!(message.contains("choosing the journal's folder is a person's decision"), "{message}");
    env.mk(&["init", "--journal", "x", "--no-journal"]).failure(2);
    let config = env.home().join(".config/math-forge/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "[brief]\nbudget = 200\n").unwrap();
    let Some(output) = at_terminal(&env, "init --journal notes --json", "") else { return };
    assert_eq!(output.code, 0, "{}", output.stdout);
    let seed = env.project().join("notes/seed.json");
    let text = fs::read_to_string(&config).unwrap();
    assert_eq!(text, format!("seed = \"{}\"\n[brief]\nbudget = 200\n", seed.display()));
    assert_eq!(env.mk(&["init", "--json"]).json()["journal"], "$PROJECT/notes/seed.json");
    let other = at_terminal(&env, "init --journal other", "").unwrap();
    assert_eq!(other.code, 1);
    assert!(other.stdout.contains("change `seed` there first"), "{}", other.stdout);
}

#[test]
fn a_note_of_the_agent_waits_and_needs_no_leave() {
    let env = TestEnv::new();
    env.write("lean-toolchain", "");
    let command = "mk note dead-end 'compactness' --because 'the family is not closed'";
    assert_eq!(hook(&env, "PreToolUse", "t1", command)["permissionDecision"], "allow");
    let note = |words: &[&str]| {
        let mut command = env.command();
        command.arg("note").args(words).env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "s1");
        env.finish(&mut command)
    };
    let secret = "the key ghp_0123456789abcdefABCDEF0123456789abcd is dead";
    let because = ["dead-end", "compactness for it", "--problem", "erdos-12", "--because", secret];
    note(&because).success();
    let noted = env.mk(&["review", "list", "--json"]).json()["findings"][0].clone();
    assert_eq!((&noted["kind"], &noted["status"]), (&json!("failure"), &json!("proposed")));
    assert_eq!((&noted["problem"], &noted["session_id"]), (&json!("erdos_12"), &json!("s1")));
    assert!(!noted.to_string().contains("ghp_"), "{noted}");
    let reason = noted["why_failed"].as_str().unwrap();
    assert!(reason.contains("is dead"), "{reason}");
    assert!(note(&because).success().contains("Noted before"));
    let found = env.mk(&["search", "compactness", "--json"]).json();
    assert_eq!(found["total"], 0, "a proposal is no knowledge");
    for number in 1..20 {
        note(&["gotcha", &format!("trap number {number} of many")]).success();
    }
    for (words, complaint) in [
        (["gotcha", "one more than there may be"], "this session has noted 20 things"),
        (["gotcha", "short"], "the note is too short"),
        (["gotcha", &"a long one ".repeat(40)], "at most 400 characters"),
    ] {
        assert!(note(&words).failure(1).contains(complaint), "{words:?}");
    }
    let person = env.mk(&["note", "decision", "a person is not limited by it"]).success();
    assert!(person.contains("It waits for a person: mk review"), "{person}");
    assert_eq!(env.mk(&["review", "list", "--json"]).json()["pending"], 21);
}
