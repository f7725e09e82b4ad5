//! Facts: what becomes of them when they are found again, what a person says of them, and where they are
//! shown.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use math_forge::app::App;
use math_forge::facts::{self, Became, Change, FactReport, Set, Source};
use math_forge::learn::facts::{self as learnt, Reading, Summary};
use math_forge::learn::prompt::Origin;
use math_forge::model::{Evidence, FactDetail, FactDetail as Fact, Finding, Kind};
use math_forge::paths::Environment;
use math_forge::review::{self, Accept, By};
use math_forge::show;
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::env::TestEnv;
use crate::env::hook;
use crate::review::{Desk, now};

/// A time as the database writes it.
fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

const PROJECT: &str = "github.com/ada/bridges";

fn keep(
    app: &mut App,
    facts: Vec<Fact>,
    summary: Option<&Summary>,
    source: Source<'_>,
) -> anyhow::Result<FactReport> {
    let summary = summary.cloned().unwrap_or_default();
    let reading = Reading { facts, summary, ..Reading::default() };
    Ok(facts::keep(app, &reading, source, false)?.1)
}

impl Desk {
    /// One where nothing is proposed.
    fn plain() -> Self {
        let mut desk = Self::new();
        "unverified".clone_into(&mut desk.app.config.learn_facts);
        desk
    }

    fn keep(&mut self, facts: &[Fact]) -> FactReport {
        self.keep_of(facts, source("/t/a.jsonl"))
    }

    fn keep_of(&mut self, facts: &[Fact], source: Source<'_>) -> FactReport {
        keep(&mut self.app, facts.to_vec(), None, source).unwrap()
    }

    /// What would become of facts.
    fn plan(&mut self, facts: &[Fact]) -> Vec<Change> {
        let reading = Reading { facts: facts.to_vec(), ..Reading::default() };
        facts::keep(&mut self.app, &reading, source("/t/a.jsonl"), true).unwrap().0
    }

    fn summarise(&mut self, source: Source<'_>, topic: &str) -> FactReport {
        let summary = Summary { topics: vec![topic.to_owned()], ..Summary::default() };
        keep(&mut self.app, Vec::new(), Some(&summary), source).unwrap()
    }

    fn list(&mut self) -> Vec<Finding> {
        let now = stamp(self.app.now);
        let holds = |_: &Finding, fact: &FactDetail| !fact.has_expired(&now);
        facts::list(&mut self.app, None, 0, holds).unwrap().findings
    }

    /// The facts, a line each: `key = value`, with `!` where a person confirmed it.
    fn lines(&mut self) -> Vec<String> {
        let line = |one: &Finding| {
            let fact = detail(one);
            format!("{} = {}{}", fact.key, fact.value, if is_confirmed(one) { " !" } else { "" })
        };
        self.list().iter().map(line).collect()
    }

    fn waiting(&mut self) -> Vec<String> {
        let waiting = proposals(&mut self.app, "pending");
        waiting.iter().map(|one| one.content.said().unwrap().content.clone()).collect()
    }

    fn proposal(&mut self) -> String {
        proposals(&mut self.app, "pending")[0].uid.clone()
    }

    fn count(&self, sql: &str) -> i64 {
        self.connection().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

fn detail(fact: &Finding) -> &FactDetail {
    fact.content.fact().unwrap()
}

fn is_confirmed(fact: &Finding) -> bool {
    fact.content.evidence == Evidence::Person
}

fn proposals(app: &mut App, status: &str) -> Vec<Finding> {
    review::proposals(app, Some(status)).unwrap().listing.findings
}

fn confirm(app: &mut App, word: &str) -> anyhow::Result<Finding> {
    review::confirm(app, word, &Accept::default(), By::Terminal)
}

fn drop_fact(app: &mut App, word: &str) -> anyhow::Result<Finding> {
    review::drop(app, word, None, By::Terminal)
}

fn source(file: &str) -> Source<'_> {
    let at = "2026-02-01T11:30:20Z".parse().unwrap();
    Source { file, session: Some("session-1"), project: Some(PROJECT), at, model: "small:1b" }
}

fn fact(key: &str, value: &str) -> Fact {
    Fact {
        category: "project".to_owned(),
        key: key.to_owned(),
        value: value.to_owned(),
        quote: value.to_owned(),
        scope: "project".to_owned(),
        tier: "long-term".to_owned(),
        source_type: "inferred".to_owned(),
        confidence: Some(0.8),
        ..Fact::default()
    }
}

fn said(key: &str, value: &str) -> Fact {
    Fact { source_type: "user_said".to_owned(), ..fact(key, value) }
}

fn working(key: &str, value: &str) -> Fact {
    Fact { hours: Some(24), ..fact(key, value) }
}

#[test]
fn the_same_is_seen_again_and_another_value_replaces_and_is_logged() {
    let mut desk = Desk::new();
    let first = [fact("lean.version", "4.24"), fact("style.simp", "no bare simp")];
    assert_eq!(desk.keep(&first), FactReport { inserted: 2, ..FactReport::default() });
    let verified = FactReport { verified: 2, ..FactReport::default() };
    assert_eq!(desk.keep(&first), verified, "twice is once");
    assert_eq!(desk.count("SELECT count(*) FROM fact_log"), 0);

    let mut desk = desk.later(5);
    assert_eq!(desk.keep(&first[..1]).verified, 1);
    let kept = desk.list();
    assert_eq!(detail(&kept[0]).last_verified.as_deref(), Some("2026-02-01 17:00:00"));
    assert_eq!(kept[0].updated_at, "2026-02-01 12:00:00", "nothing of it changed");
    assert_eq!(detail(&kept[1]).last_verified.as_deref(), Some("2026-02-01 12:00:00"));

    let mut desk = desk.later(1);
    assert_eq!(desk.keep(&[fact("lean.version", "4.25")]).updated, 1);
    let events = desk.app.store().unwrap().fact_events(kept[0].id, 9).unwrap();
    let change = &events[0];
    assert_eq!(
        (change.event.as_str(), change.from.as_deref(), change.to.as_deref(), change.at.as_str()),
        ("changed", Some("4.24"), Some("4.25"), "2026-02-01 18:00:00")
    );
    assert_eq!((events.len(), desk.list().len()), (1, 2));
    let finding = desk.app.store().unwrap().finding(kept[0].id).unwrap().unwrap();
    assert_eq!(finding.content.evidence, Evidence::Model);
    assert_eq!(finding.content.badge(), "[UNVERIFIED]");
    assert_eq!(finding.content.notes.as_deref(), Some("said by the model small:1b; not confirmed"));
    assert_eq!(finding.content.created_at.as_deref(), Some("2026-02-01 12:00:00"));
}

#[test]
fn a_fact_belongs_to_a_category_a_key_and_a_project() {
    let mut desk = Desk::plain();
    let global = Fact { scope: "global".to_owned(), ..fact("a.b", "everywhere") };
    let other = Fact { category: "tool".to_owned(), ..fact("a.b", "another category") };
    assert_eq!(desk.keep(&[fact("a.b", "here"), global.clone(), other]).inserted, 3);
    let elsewhere = Source { project: Some("github.com/eve/other"), ..source("/t/b.jsonl") };
    let facts = vec![fact("a.b", "there"), global.clone()];
    let report = desk.keep_of(&facts, elsewhere);
    assert_eq!((report.inserted, report.verified), (1, 1), "a global one is known everywhere");
    let nowhere = Source { project: None, ..source("/t/c.jsonl") };
    let report = desk.keep_of(&[fact("a.b", "x")], nowhere);
    assert_eq!(report.updated, 1, "outside of a project there are global ones only");
    assert_eq!(desk.count("SELECT count(*) FROM facts WHERE project IS NULL"), 1);
    assert_eq!(desk.count("SELECT count(*) FROM facts"), 4);
}

#[test]
fn confidence_is_a_models_at_most() {
    let mut desk = Desk::plain();
    for (percent, expected) in [(1.0, "medium"), (0.7, "medium"), (0.69, "low"), (0.0, "low")] {
        let key = format!("c.{percent}");
        desk.keep(&[Fact { confidence: Some(percent), ..fact(&key, "x") }]);
        let sql =
            format!("SELECT confidence = '{expected}' FROM findings WHERE key = 'project/{key}'");
        assert_eq!(desk.count(&sql), 1, "{percent}");
    }
}

#[test]
fn secrets_and_signs_of_control_do_not_get_in() {
    let mut desk = Desk::new();
    let key = "ghp_aZ9xQ4mK2pL8vB6nR1tYaZ9xQ4mK2pL8vB6n";
    let item = |key: &str, value: &str, source: &str| json!({"key": key, "value": value, "source_type": source});
    let reply = json!({
        "projects": [
            item("server.key", &format!("the token is {key} \u{1b}[31mhere"), "inferred"),
            item("server.word", &format!("password={key}"), "user_said"),
            item("empty", "\u{7}", "inferred"),
            item(&format!("token.{key}"), "It is in the vault.", "inferred"),
        ],
        "facts": [{"category": "session", "key": "summary.x", "value": "{}"}],
        "session_summary": {"decisions": [format!("use {key} now.")]},
    });
    let reading = learnt::read(&reply, &Origin::default()).unwrap();
    let (_, report) = facts::keep(&mut desk.app, &reading, source("/t/a.jsonl"), false).unwrap();
    assert_eq!(
        (report.inserted, report.proposed, report.summary),
        (0, 3, true),
        "a model writes no summaries as facts"
    );
    let bytes = std::fs::read(desk.app.database.path().unwrap()).unwrap();
    let wal = desk.app.database.path().unwrap().with_extension("db-wal");
    for bytes in [bytes, std::fs::read(wal).unwrap_or_default()] {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.to_lowercase().contains(&key.to_lowercase()) && !text.contains("[31m"));
    }
}

#[test]
fn a_persons_word_stands_and_the_rival_is_remembered() {
    let mut desk = Desk::new();
    desk.keep(&[fact("style.indent", "two blanks")]);
    confirm(&mut desk.app, "style.indent").unwrap();
    assert!(confirm(&mut desk.app, "style.indent").is_err(), "once is enough");
    let rival = [fact("style.indent", "four blanks")];
    let plan = desk.plan(&rival);
    assert_eq!((plan[0].change, plan[0].from.as_deref()), (Became::Keep, Some("two blanks")));
    for _ in 0..2 {
        assert_eq!(desk.keep(&rival), FactReport { kept: 1, ..FactReport::default() });
    }
    assert_eq!(desk.lines(), ["style.indent = two blanks !"]);
    let shown = show::look_up(&mut desk.app, &["style.indent".to_owned()]).unwrap();
    let events: Vec<String> = shown
        .history
        .iter()
        .map(|one| format!("{} {} {}", one.event, one.to.as_deref().unwrap_or(""), one.times))
        .collect();
    assert_eq!(events, ["rival four blanks 2", "confirmed two blanks 1"]);
    assert_eq!(shown.history[0].session.as_deref(), Some("session-1"));
    // The same value is seen again as ever, and stays confirmed.
    assert_eq!(desk.keep(&[fact("style.indent", "two blanks.")]).verified, 1);
    // Where the person is said to have said it, only the person can say so.
    let report = desk.keep(&[said("style.indent", "tabs")]);
    assert_eq!(report, FactReport { proposed: 1, ..FactReport::default() });
    assert_eq!(desk.lines(), ["style.indent = two blanks !"]);
    let id = desk.proposal();
    confirm(&mut desk.app, &id).unwrap();
    assert_eq!(desk.lines(), ["style.indent = tabs !"]);
    review::undo(&mut desk.app, &id).unwrap();
    assert_eq!(desk.lines(), ["style.indent = two blanks !"], "what it replaced stands again");
}

#[test]
fn what_becomes_of_facts_is_set() {
    let facts = [said("a.said", "yes"), fact("a.inferred", "maybe")];
    for (intake, inserted, proposed) in
        [("by-source", 1, 1), ("proposals", 0, 2), ("unverified", 2, 0)]
    {
        let mut desk = Desk::new();
        intake.clone_into(&mut desk.app.config.learn_facts);
        let planned = desk.plan(&facts);
        let planned = |wanted| planned.iter().filter(|one| one.change == wanted).count() as u64;
        assert_eq!((planned(Became::Insert), planned(Became::Propose)), (inserted, proposed));
        assert_eq!(desk.count("SELECT count(*) FROM findings"), 0, "a plan stores nothing");
        let report = desk.keep(&facts);
        assert_eq!((report.inserted, report.proposed), (inserted, proposed), "{intake}");
        let again = desk.keep(&facts);
        assert_eq!((again.verified, again.skipped), (inserted, proposed), "{intake}");
        assert_eq!(desk.waiting().len() as u64, proposed);
    }
}

#[test]
fn an_accepted_proposal_is_a_confirmed_fact_with_its_category_and_key() {
    let mut desk = Desk::new();
    let told = Fact {
        category: "preference".to_owned(),
        scope: "global".to_owned(),
        hours: Some(48),
        ..said("style.names", "snake_case for lemmas")
    };
    desk.keep(&[told]);
    assert_eq!(desk.waiting(), ["style.names: snake_case for lemmas"]);
    assert!(desk.lines().is_empty());
    let id = desk.proposal();
    let record = review::find(&mut desk.app, &id).unwrap();
    let told = record.content.said().unwrap();
    assert_eq!((told.kind.as_str(), told.role.as_str()), ("fact", "model"));
    assert_eq!(
        (record.content.project.as_deref(), told.rule.as_str()),
        (None, "user_said by small:1b")
    );
    let decision = review::confirm(&mut desk.app, &id, &Accept::default(), By::Dialog).unwrap();
    assert_eq!(decision.content.kind, Kind::Fact);
    let kept = desk.list().remove(0);
    let fact = detail(&kept);
    assert_eq!((fact.category.as_str(), fact.tier.as_str()), ("preference", "working"));
    assert_eq!(fact.expires_at.as_deref(), Some("2026-02-03 12:00:00"));
    assert_eq!((is_confirmed(&kept), fact.source_type.as_str()), (true, "user_said"));
    assert_eq!(kept.content.source.session.as_deref(), Some("session-1"));
    assert_eq!(kept.content.badge(), "[FACT]");
    review::undo(&mut desk.app, &id).unwrap();
    assert!(desk.lines().is_empty(), "there was none before");
    // In other words, with or without the key.
    let accept = Accept { content: Some("style.names: camelCase".to_owned()), ..Accept::default() };
    review::confirm(&mut desk.app, &id, &accept, By::Terminal).unwrap();
    assert_eq!(desk.lines(), ["style.names = camelCase !"]);
    // As something else it is no fact.
    desk.keep(&[said("note.one", "omega is slow there")]);
    let id = desk.proposal();
    let accept = Accept { kind: Some(Kind::Insight), ..Accept::default() };
    review::confirm(&mut desk.app, &id, &accept, By::Terminal).unwrap();
    assert_eq!(desk.list().len(), 1);
    let sql = "SELECT count(*) FROM findings WHERE finding_type = 'insight'";
    assert_eq!(desk.count(sql), 1);
}

#[test]
fn what_a_person_did_not_want_does_not_come_back() {
    let mut desk = Desk::new();
    desk.keep(&[
        said("a.rejected", "No such thing"),
        fact("a.dropped", "nonsense"),
        fact("a.ok", "1"),
    ]);
    let id = desk.proposal();
    review::drop(&mut desk.app, &id, Some("never said"), By::Terminal).unwrap();
    drop_fact(&mut desk.app, "a.dropped").unwrap();
    // In whatever way it is found again.
    let again = [
        said("a.rejected", "no such thing."),
        fact("a.dropped", "Nonsense"),
        said("a.dropped", "nonsense"),
    ];
    for fact in again {
        let report = desk.keep(std::slice::from_ref(&fact));
        assert_eq!(report, FactReport { skipped: 1, ..FactReport::default() }, "{fact:?}");
    }
    assert_eq!(desk.keep(&[fact("a.rejected", "no such thing")]).skipped, 1);
    assert_eq!(desk.lines(), ["a.ok = 1"]);
    // Another value is another fact, and so is the same in another project.
    assert_eq!(desk.keep(&[fact("a.dropped", "sense")]).inserted, 1);
    let elsewhere = Source { project: Some("github.com/eve/other"), ..source("/t/b.jsonl") };
    let facts = vec![fact("a.dropped", "nonsense"), said("a.rejected", "no such thing")];
    let report = desk.keep_of(&facts, elsewhere);
    assert_eq!((report.inserted, report.proposed), (1, 1));
}

#[test]
fn a_word_about_a_fact_answers_its_proposal() {
    let mut desk = Desk::new();
    desk.keep(&[said("a.one", "1"), said("a.two", "2")]);
    "unverified".clone_into(&mut desk.app.config.learn_facts);
    desk.keep(&[fact("a.one", "1"), fact("a.two", "2")]);
    assert_eq!(desk.waiting().len(), 2);
    confirm(&mut desk.app, "a.one").unwrap();
    drop_fact(&mut desk.app, "a.two").unwrap();
    assert_eq!((desk.waiting().len(), desk.lines()), (0, vec!["a.one = 1 !".to_owned()]));
    assert_eq!(proposals(&mut desk.app, "accepted").len(), 1);
    review::undo(&mut desk.app, "a.one").unwrap();
    assert_eq!(desk.lines(), ["a.one = 1"], "unverified, as it was");
}

#[test]
fn a_summary_is_replaced_by_the_next_one_of_its_text() {
    let mut desk = Desk::new();
    let one = source("/t/a.jsonl");
    assert!(desk.summarise(one, "grids").summary);
    assert!(!desk.summarise(one, "grids").summary, "the same again is nothing new");
    let other = Source { session: Some("session-2"), ..source("/t/b.jsonl") };
    assert!(desk.summarise(other, "primes").summary);
    assert!(desk.summarise(one, "lattices").summary);
    let later = Source { at: "2026-02-01T13:05:00Z".parse().unwrap(), ..other };
    let keys = |desk: &mut Desk| -> Vec<String> {
        let facts = desk.list();
        facts.iter().map(detail).map(|one| format!("{} {}", one.key, topic(&one.value))).collect()
    };
    let first = "summary.2026-02-01-11-30 lattices";
    assert_eq!(keys(&mut desk), [first, "summary.2026-02-01-11-30-ac53 primes"]);
    assert!(desk.summarise(later, "primes").summary);
    assert_eq!(keys(&mut desk), [first, "summary.2026-02-01-13-05 primes"], "it went on");
    let summary = detail(&desk.list()[0]).clone();
    assert_eq!(
        (summary.category.as_str(), summary.tier.as_str(), summary.scope.as_str()),
        ("session", "long-term", "global")
    );
    let value: Value = serde_json::from_str(&summary.value).unwrap();
    assert_eq!(value["open_questions"], json!([]));
    confirm(&mut desk.app, &summary.key).unwrap();
    assert!(!desk.summarise(one, "other").summary);
    assert_eq!(keys(&mut desk)[0], first, "a confirmed one stays");
    let empty = desk.keep_of(&[], later);
    assert_eq!((empty.summary, desk.list().len()), (false, 2));
    drop_fact(&mut desk.app, "summary.2026-02-01-13-05").unwrap();
    assert!(!desk.summarise(later, "once more").summary);
}

fn topic(value: &str) -> String {
    let value: Value = serde_json::from_str(value).unwrap();
    value["topics"][0].as_str().unwrap().to_owned()
}

#[test]
fn working_facts_end() {
    let mut desk = Desk::plain();
    desk.keep(&[working("current.goal", "the bound"), working("current.file", "A.lean")]);
    let report = desk.keep(&[working("kept.value", "a"), fact("for.good", "b")]);
    assert_eq!(report.inserted, 2);
    let mut desk = desk.later(20);
    assert_eq!(desk.keep(&[working("kept.value", "a")]).verified, 1, "it lasts on from now");
    assert_eq!(facts::expire(&mut desk.app, false).unwrap().count, 0);
    let mut desk = desk.later(5);
    assert_eq!(desk.lines(), ["for.good = b", "kept.value = a"], "over is not shown");
    let now = stamp(desk.app.now);
    let ended = |_: &Finding, fact: &FactDetail| fact.has_expired(&now);
    assert_eq!(facts::list(&mut desk.app, None, 0, ended).unwrap().total, 2);
    let error = review::find(&mut desk.app, "1").unwrap_err().to_string();
    assert_eq!(error, "#1 is a fact that ended");
    let question = math_forge::store::SearchQuery {
        text: "current goal bound".to_owned(),
        limit: 5,
        ..Default::default()
    };
    assert_eq!(math_forge::search::answer(&mut desk.app, question).unwrap().total, 0);
    let planned = desk.plan(&[working("current.goal", "another")]);
    assert_eq!(planned[0].change, Became::Insert);

    let dry = facts::expire(&mut desk.app, true).unwrap();
    assert_eq!((dry.count, desk.count("SELECT count(*) FROM findings")), (2, 4));
    let gone = facts::expire(&mut desk.app, false).unwrap();
    let keys: Vec<&str> = gone.expired.iter().map(|fact| detail(fact).key.as_str()).collect();
    assert_eq!(keys, ["current.goal", "current.file"]);
    assert_eq!(facts::expire(&mut desk.app, false).unwrap().count, 0);
    assert_eq!(desk.count("SELECT count(*) FROM findings"), 2);
    desk.connection()
        .execute("INSERT INTO findings_fts(findings_fts, rank) VALUES ('integrity-check', 1)", [])
        .unwrap();
    // A working one that is found to be for good lasts; what ended may begin again.
    assert_eq!(desk.keep(&[fact("kept.value", "a"), working("current.goal", "c")]).inserted, 1);
    let mut desk = desk.later(1000);
    assert_eq!(desk.lines(), ["for.good = b", "kept.value = a"]);
}

#[test]
fn an_unverified_fact_is_found_and_told_to_nobody() {
    let env = TestEnv::new();
    env.write("lakefile.toml", "");
    let mut app = app_of(&env);
    "unverified".clone_into(&mut app.config.learn_facts);
    let project = app.project_identity();
    let here = Source { project: project.as_deref(), ..source("/t/a.jsonl") };
    let facts = vec![fact("lemma.obelisk", "the obelisk lemma closes it")];
    let summary = Summary { topics: vec!["obelisk".to_owned()], ..Summary::default() };
    keep(&mut app, facts, Some(&summary), here).unwrap();
    let found = env.mk(&["search", "obelisk", "--json"]).json();
    assert_eq!(found["hits"][0]["badge"], "[UNVERIFIED]");
    assert_eq!((&found["hits"][0]["evidence"], &found["total"]), (&json!("model"), &json!(2)));
    let shown = env.mk(&["search", "obelisk"]).success();
    assert!(shown.contains("[UNVERIFIED] lemma.obelisk: the obelisk lemma closes it"), "{shown}");
    let told = |env: &TestEnv| {
        let start = json!({"hook_event_name": "SessionStart", "source": "startup",
            "session_id": "s9", "cwd": env.project()});
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s9",
            "cwd": env.project(), "prompt": "prove the obelisk lemma"});
        [start, prompt]
            .map(|input| env.mk_with_input(&["hook"], input.to_string()).success())
            .concat()
            + &env.mk(&["brief"]).success()
    };
    assert!(!told(&env).contains("obelisk"), "{}", told(&env));
    let edit = json!({"hook_event_name": "PreToolUse", "session_id": "s9", "cwd": env.project(),
        "tool_use_id": "t", "tool_name": "Write", "tool_input": {"file_path": env.project().join("A.lean"),
        "content": "theorem lemma.obelisk : True := trivial\n"}});
    assert_eq!(env.mk_with_input(&["hook"], edit.to_string()).success(), "");
    confirm(&mut app, "lemma.obelisk").unwrap();
    let found = env.mk(&["search", "obelisk", "--json"]).json();
    assert_eq!(found["hits"][0]["badge"], "[FACT]", "{found}");
}

/// What `mk` sees that runs in this place.
fn app_of(env: &TestEnv) -> App {
    let (database, project) = (env.database(), env.project());
    let environment = Environment::of(&[
        ("MK_HOME", database.parent().unwrap().to_str().unwrap()),
        ("CLAUDE_PROJECT_DIR", project.to_str().unwrap()),
    ]);
    App::new(environment, now(), None, None).unwrap()
}

/// A place with three facts, one of them over by now.
fn three_facts() -> (TestEnv, App) {
    let env = TestEnv::new();
    let mut app = app_of(&env);
    "unverified".clone_into(&mut app.config.learn_facts);
    let all = vec![
        fact("lean.version", "4.24"),
        Fact {
            category: "tool".to_owned(),
            scope: "global".to_owned(),
            ..said("lake.cache", "get it first")
        },
        working("current.goal", "the bound"),
    ];
    keep(&mut app, all, None, source("/t/a.jsonl")).unwrap();
    confirm(&mut app, "lean.version").unwrap();
    (env, app)
}

#[test]
fn facts_are_listed_by_what_they_have() {
    let (env, _) = three_facts();
    let keys = |arguments: &[&str]| -> Vec<String> {
        let mut words = vec!["facts"];
        words.extend(arguments);
        words.push("--json");
        let report = env.mk(&words).json();
        let list = report["findings"].as_array().unwrap();
        let key = |fact: &Value| fact["detail"]["fact"]["key"].as_str().unwrap().to_owned();
        list.iter().map(key).collect()
    };
    let long = ["lake.cache", "lean.version"];
    for (arguments, expected) in [
        (&[][..], &long[..]),
        (&["--category", "TOOL"], &["lake.cache"]),
        (&["--key", "lean."], &["lean.version"]),
        (&["--key", "version"], &[]),
        (&["--project=github.com/ada/bridges"], &["lean.version"]),
        (&["--tier", "long_term"], &long),
        (&["--tier", "working"], &[]),
        (&["--unverified"], &["lake.cache"]),
        (&["--confirmed"], &["lean.version"]),
        (&["-n", "1"], &["lake.cache"]),
    ] {
        assert_eq!(keys(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn what_ended_is_removed_by_hand_and_by_itself() {
    let (env, mut app) = three_facts();
    let dry = ["expire", "--dry-run", "--json"];
    let gone = env.mk(&dry).json();
    assert_eq!(
        (&gone["count"], &gone["expired"][0]["detail"]["fact"]["key"]),
        (&json!(1), &json!("current.goal"))
    );
    assert!(env.mk(&["expire"]).success().contains("Removed 1 working fact that expired."));
    assert!(env.mk(&["expire"]).success().contains("No working fact has expired."));
    keep(&mut app, vec![working("a.b", "c")], None, source("/t/a.jsonl")).unwrap();
    assert_eq!(env.mk(&dry).json()["count"], 1);
    env.mk(&["learn"]).success();
    assert_eq!(env.mk(&dry).json()["count"], 0, "the work between sessions removes it too");
}

#[test]
fn in_a_session_the_dialog_asks_about_what_it_shows() {
    let env = TestEnv::new();
    let mut app = app_of(&env);
    let facts = vec![fact("a.b", "c"), fact("a.two", "2"), fact("a.long", &"long ".repeat(150))];
    keep(&mut app, facts, None, source("/t/a.jsonl")).unwrap();
    let asked = |id: &str, command: &str| {
        let answer = hook(&env, "PreToolUse", id, command);
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        (text("permissionDecision"), text("permissionDecisionReason"))
    };
    for command in [
        "mk confirm 99",
        "mk confirm 1 1",
        "mk confirm 1 2 3 4 5 6",
        "mk confirm a.long",
        "mk confirm 1 --db x",
        "mk confirm 1 | cat",
        "true && mk drop 1",
        "mk facts set onlykey",
        "mk facts set 'not a key!' x",
    ] {
        assert_eq!(asked("t0", command).0, "deny", "{command}");
    }
    assert_eq!(asked("t0", "mk facts").0, "allow");
    let (decision, shown) = asked("t1", "mk confirm a.b 2 --json");
    assert_eq!(decision, "ask");
    for part in ["#1 a.b (project, github.com/ada/bridges): \"c\"", "#2 a.two", "person's decision"]
    {
        assert!(shown.contains(part), "{shown}");
    }
    // Without the question nothing counts, and nothing where a fact is another one by then.
    let answer = |id: &str, command: &str| {
        let answer = hook(&env, "PostToolUse", id, command);
        answer["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    assert!(answer("t9", "mk confirm a.b 2 --json").contains("no record"));
    keep(&mut app, vec![fact("a.two", "3")], None, source("/t/a.jsonl")).unwrap();
    let said = answer("t1", "mk confirm a.b 2 --json");
    assert!(said.contains("changed since it was shown"), "{said}");
    let confirmed = |app: &mut App| -> Vec<String> {
        let found = facts::list(app, None, 0, |one, _| is_confirmed(one)).unwrap().findings;
        found.iter().map(|fact| detail(fact).value.clone()).collect()
    };
    assert!(confirmed(&mut app).is_empty());
    for (id, command, expected) in [
        ("t2", "mk confirm 1", "fact #1 is confirmed"),
        ("t3", "mk drop a.two", "fact #2 is dropped"),
        ("t4", "mk facts set a.new 'of mine' --global", "fact #4 is confirmed"),
    ] {
        assert_eq!(asked(id, command).0, "ask", "{command}");
        let said = answer(id, command);
        assert!(said.contains(expected), "{command}: {said}");
    }
    assert_eq!(confirmed(&mut app), ["of mine", "c"]);
}

#[test]
fn a_fact_in_a_persons_words() {
    let mut desk = Desk::new();
    let set = |desk: &mut Desk, key: &str, value: &str| {
        let wanted = Set { key: key.to_owned(), value: value.to_owned(), ..Set::default() };
        facts::set(&mut desk.app, &wanted)
    };
    desk.keep(&[Fact {
        category: "tool".to_owned(),
        scope: "global".to_owned(),
        ..fact("lake.cache", "no")
    }]);
    let report = set(&mut desk, "Lake.Cache", "get it first").unwrap();
    assert_eq!(report.replaced.as_deref(), Some("no"));
    assert_eq!(
        (detail(&report.fact).category.as_str(), is_confirmed(&report.fact)),
        ("tool", true)
    );
    assert_eq!(set(&mut desk, "lake.cache", "get it first").unwrap().replaced, None);
    assert_eq!(desk.lines(), ["lake.cache = get it first !"]);
    for (key, value, expected) in [
        ("", "x", "is not a key"),
        ("a b", "x", "is not a key"),
        ("a.b", " ", "the value of `a.b` is missing"),
    ] {
        let error = set(&mut desk, key, value).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let wanted = Set {
        key: "now.on".to_owned(),
        value: "x".to_owned(),
        lasts: Some("7d".to_owned()),
        ..Set::default()
    };
    let fact = facts::set(&mut desk.app, &wanted).unwrap().fact;
    let fact = detail(&fact);
    assert_eq!(
        (fact.tier.as_str(), fact.expires_at.as_deref()),
        ("working", Some("2026-02-08 12:00:00"))
    );
}

#[test]
fn forgetting_counting_and_checking_know_facts() {
    let env = TestEnv::new();
    let mut app = app_of(&env);
    keep(&mut app, vec![fact("a.b", "first"), said("a.c", "zebra")], None, source("/t/a")).unwrap();
    keep(&mut app, vec![fact("a.b", "second")], None, source("/t/a")).unwrap();
    confirm(&mut app, "a.b").unwrap();
    keep(&mut app, vec![fact("a.b", "giraffe")], None, source("/t/a")).unwrap();
    let gone = env.mk(&["gc", "--json"]).json();
    assert_eq!(gone["removed"], json!([]));
    Connection::open(env.database())
        .unwrap()
        .execute_batch("UPDATE fact_log SET at = '2020-01-01 00:00:00'")
        .unwrap();
    let gone = env.mk(&["gc", "--dry-run", "--json"]).json();
    let what: Vec<&str> = gone["removed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["what"].as_str().unwrap())
        .collect();
    assert_eq!(what, ["other values of facts"]);
}

#[test]
fn what_is_forgotten_leaves_no_row_and_does_not_come_back() {
    let env = TestEnv::new();
    let mut app = app_of(&env);
    let facts = vec![fact("a.b", "first"), said("a.c", "zebra")];
    keep(&mut app, facts, None, source("/t/a")).unwrap();
    confirm(&mut app, "a.b").unwrap();
    keep(&mut app, vec![fact("a.b", "giraffe")], None, source("/t/a")).unwrap();
    let rows = |sql: &str| -> i64 {
        Connection::open(env.database()).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    // A rival that is to be forgotten takes the fact with it, a proposal its details.
    for text in ["giraffe", "zebra"] {
        math_forge::forget::run(&mut app, &[], Some(text), false).unwrap();
    }
    for table in ["findings", "fact_log"] {
        assert_eq!(rows(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    let facts = vec![fact("a.b", "third"), said("a.c", "zebra")];
    let report = keep(&mut app, facts, None, source("/t/a")).unwrap();
    assert_eq!(
        report,
        FactReport { skipped: 2, ..FactReport::default() },
        "forgotten is forgotten"
    );
    let other = Source { session: Some("session-2"), ..source("/t/b") };
    keep(&mut app, vec![fact("b.b", "x")], None, other).unwrap();
    math_forge::forget::run(&mut app, &["session-2".to_owned()], None, false).unwrap();
    let report = keep(&mut app, vec![fact("b.other", "y")], None, other).unwrap();
    let skipped = FactReport { skipped: 1, ..FactReport::default() };
    assert_eq!(report, skipped, "nothing is stored of that session");
}

/// What a sequence of calls does, in the simplest words: values by category, key and place.
#[derive(Debug, Default)]
struct Model {
    known: BTreeMap<(String, String, bool), (String, bool)>,
    dropped: BTreeSet<(String, String, bool, String)>,
}

impl Model {
    fn keep(&mut self, facts: &[Fact]) {
        for fact in facts {
            let place = (fact.category.clone(), fact.key.clone(), fact.scope == "global");
            let unwanted = (place.0.clone(), place.1.clone(), place.2, fact.value.clone());
            match self.known.get_mut(&place) {
                Some((value, _)) if *value == fact.value => {}
                Some((_, true)) => {}
                _ if self.dropped.contains(&unwanted) => {}
                Some((value, _)) => value.clone_from(&fact.value),
                None => {
                    self.known.insert(place, (fact.value.clone(), false));
                }
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Keep(Vec<Fact>),
    Confirm(usize),
    Drop(usize),
}

fn any_fact() -> impl Strategy<Value = Fact> {
    (0..2usize, 0..3usize, 0..3usize, any::<bool>()).prop_map(|(category, key, value, global)| {
        Fact {
            category: ["project", "tool"][category].to_owned(),
            scope: if global { "global" } else { "project" }.to_owned(),
            ..fact(&format!("k.{key}"), &format!("value {value}"))
        }
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop::collection::vec(any_fact(), 0..5).prop_map(Step::Keep),
        1 => (0..12usize).prop_map(Step::Confirm),
        1 => (0..12usize).prop_map(Step::Drop),
    ];
    prop::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn any_sequence_is_what_a_table_in_memory_says(steps in steps()) {
        let mut desk = Desk::plain();
        let mut model = Model::default();
        for step in steps {
            let facts = desk.list();
            match step {
                Step::Keep(facts) => {
                    let planned = desk.plan(&facts);
                    let report = desk.keep(&facts);
                    let mut counted = FactReport::default();
                    counted.count(&planned);
                    prop_assert_eq!(counted, report);
                    model.keep(&facts);
                }
                Step::Confirm(at) => {
                    let Some(fact) = facts.get(at).filter(|fact| !is_confirmed(fact)) else { continue };
                    confirm(&mut desk.app, &fact.id.to_string()).unwrap();
                    model.known.get_mut(&place(fact)).unwrap().1 = true;
                }
                Step::Drop(at) => {
                    let Some(fact) = facts.get(at) else { continue };
                    drop_fact(&mut desk.app, &fact.id.to_string()).unwrap();
                    model.known.remove(&place(fact));
                    let (category, key, global) = place(fact);
                    model.dropped.insert((category, key, global, detail(fact).value.clone()));
                }
            }
            let found: BTreeMap<_, _> = desk
                .list()
                .iter()
                .map(|fact| (place(fact), (detail(fact).value.clone(), is_confirmed(fact))))
                .collect();
            prop_assert_eq!(&found, &model.known);
        }
        prop_assert_eq!(desk.list().len(), model.known.len(), "nothing stands twice");
    }
}

fn place(one: &Finding) -> (String, String, bool) {
    let fact = detail(one);
    (fact.category.clone(), fact.key.clone(), one.content.project.is_none())
}

/// Names the folder in which a process keeps facts.
const FOLDER: &str = "MK_TEST_FACTS";

#[test]
#[ignore = "a process that another test starts"]
fn a_process_that_keeps() {
    let folder = std::env::var(FOLDER).expect("the test that starts this names a folder");
    let environment = Environment::of(&[("MK_HOME", &folder)]);
    let mut app = App::new(environment, now(), None, None).unwrap();
    let many: Vec<Fact> = (0..20)
        .map(|n| {
            let (key, value) = (format!("k.{n}"), format!("value {}", n % 3));
            if n % 2 == 0 { fact(&key, &value) } else { said(&key, &value) }
        })
        .collect();
    let summary = Summary { topics: vec!["one".to_owned()], ..Summary::default() };
    for _ in 0..5 {
        keep(&mut app, many.clone(), Some(&summary), source("/t/a.jsonl")).unwrap();
    }
}

#[test]
fn several_processes_keep_the_same_facts_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut running: Vec<_> = (0..6)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["facts::a_process_that_keeps", "--exact", "--ignored"])
                .env(FOLDER, folder.path())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for process in &mut running {
        assert!(process.wait().unwrap().success());
    }
    let mut desk = Desk::at(now(), folder);
    assert_eq!(desk.list().len(), 11, "ten and a summary");
    assert_eq!(desk.waiting().len(), 10);
    assert_eq!(desk.count("SELECT count(*) FROM findings"), 21);
    assert_eq!(desk.count("SELECT count(*) FROM fact_log"), 0, "nothing changed to and fro");
}
