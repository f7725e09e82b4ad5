//! Storing knowledge: the same twice is once, a changed file replaces what came from it, a person's
//! word stands.

use jiff::Timestamp;
use math_forge::model::{
    Confidence, Detail, Draft, Evidence, FactDetail, Kind, LessonDetail, Outcome, PlaybookDetail,
    ProblemDraft, ProblemStatus, Put, QueueCache, Report, StrategyDraft,
};
use math_forge::store::{FileFindings, SearchQuery, SourceState, Stage, Store, StoreError, Writer};
use rusqlite::Connection;

fn at(time: &str) -> Timestamp {
    format!("2026-03-01T{time}:00Z").parse().unwrap()
}

struct Fixture {
    _folder: tempfile::TempDir,
    store: Store,
}

fn replace_file(
    writer: &Writer<'_>,
    project: Option<&str>,
    file: &str,
    drafts: &[Draft],
) -> Result<Report, StoreError> {
    let files = [FileFindings { file, drafts, ..FileFindings::default() }];
    Ok(writer.replace_files(project, &files)?.remove(0))
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("k.db")).unwrap();
        Self { _folder: folder, store }
    }

    fn put(&mut self, draft: &Draft) -> Put {
        self.store.write(at("09:00"), |writer| writer.put(draft)).unwrap()
    }

    fn replace(&mut self, file: &str, drafts: &[Draft]) -> Report {
        self.store
            .write(at("09:00"), |writer| replace_file(writer, Some("p"), file, drafts))
            .unwrap()
    }

    fn recount(&mut self) {
        self.store
            .write(at("09:00"), |writer| {
                writer.recount_problems()?;
                Ok(())
            })
            .unwrap();
    }

    fn problem(&mut self, draft: &ProblemDraft) -> Put {
        self.store.write(at("09:00"), |writer| writer.put_problem(draft)).unwrap()
    }

    fn strategy(&mut self, draft: &StrategyDraft) -> Put {
        self.store.write(at("09:00"), |writer| writer.put_strategy(draft)).unwrap()
    }

    fn shell(&self) -> Connection {
        let shell = Connection::open(self.store.path()).unwrap();
        shell.pragma_update(None, "foreign_keys", false).unwrap();
        shell
    }

    fn count(&self, sql: &str) -> i64 {
        self.shell().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

fn theorem(name: &str) -> Draft {
    let mut draft = Draft::new(Kind::Theorem, name, "text");
    draft.theorem_name = Some(name.into());
    draft
}

#[test]
fn what_is_stored_is_read_again() {
    let mut it = Fixture::new();
    let mut draft = theorem("Nat.foo");
    draft.domain = Some("topology".into());
    draft.problem = Some("erdos_1".into());
    draft.project = Some("p".into());
    draft.source.slot = Some(7);
    draft.source.line = Some(3);
    draft.tags = vec!["a".into(), "b c".into()];
    draft.confidence = Confidence::Verified;
    draft.evidence = Evidence::Prover;
    draft.created_at = Some("2020-01-02 03:04:05".into());
    let id = it.put(&draft).id();
    let found = it.store.finding(id).unwrap().unwrap();
    assert_eq!(found.content, draft);
    assert_eq!((found.uid, found.updated_at.as_str()), (draft.uid(), "2026-03-01 09:00:00"));
    assert_eq!(it.store.finding(99).unwrap(), None);
}

#[test]
fn details_live_and_die_with_their_finding() {
    let mut it = Fixture::new();
    let fact = |value: &str| {
        let mut draft = Draft::new(Kind::Fact, format!("rev is {value}"), "");
        draft.detail = Some(Detail::from(FactDetail {
            category: "environment".into(),
            key: "mathlib.rev".into(),
            value: value.into(),
            ..FactDetail::default()
        }));
        draft
    };
    assert_eq!(it.put(&fact("a")), Put::Inserted(1));
    assert_eq!(it.put(&fact("b")), Put::Updated(1), "the key is the identity");
    let mut elsewhere = fact("a");
    elsewhere.project = Some("q".into());
    assert_eq!(it.put(&elsewhere), Put::Inserted(2));
    let mut lesson = Draft::new(Kind::Lesson, "l", "d");
    lesson.detail = Some(Detail::from(LessonDetail {
        what_failed: "simp".into(),
        what_worked: "omega".into(),
        ..LessonDetail::default()
    }));
    it.put(&lesson);
    let mut playbook = Draft::new(Kind::Playbook, "p", "do so");
    playbook.tags = vec!["nt".into(), "si\"eve".into()];
    playbook.detail = Some(Detail::from(PlaybookDetail {
        source_task_id: "erdos_1".into(),
        source_workflow_id: "w".into(),
        extraction_workflow_id: None,
    }));
    it.put(&playbook);
    for id in 1..=4 {
        let found = it.store.finding(id).unwrap().unwrap();
        assert!(found.content.detail.is_some(), "{id}");
    }
    assert_eq!(it.count("SELECT count(*) FROM fact_log WHERE old = 'a' AND new = 'b'"), 1);
    assert_eq!(it.count("SELECT count(*) FROM facts WHERE key = 'mathlib.rev'"), 2);
    assert_eq!(it.count("SELECT count(*) FROM lessons WHERE what_worked = 'omega'"), 1);
    assert_eq!(
        it.count("SELECT count(*) FROM playbooks p, json_each(p.tags_json) t WHERE t.value = 'si\"eve' AND content = 'do so'"),
        1
    );
    it.shell().execute_batch("DELETE FROM findings").unwrap();
    assert_eq!(it.count("SELECT count(*) FROM fact_log"), 0);
    let mut wrong = Draft::new(Kind::Insight, "x", "");
    wrong.detail = playbook.detail;
    assert!(it.store.write(at("09:00"), |writer| writer.put(&wrong)).is_err());
}

#[test]
fn storing_again_changes_nothing() {
    let mut it = Fixture::new();
    let mut draft = theorem("Nat.foo");
    assert_eq!(it.put(&draft), Put::Inserted(1));
    let later = it.store.write(at("10:00"), |writer| writer.put(&draft)).unwrap();
    assert_eq!(later, Put::Unchanged(1));
    assert_eq!(it.store.finding(1).unwrap().unwrap().updated_at, "2026-03-01 09:00:00");
    draft.notes = Some("sorry=1".into());
    let later = it.store.write(at("10:00"), |writer| writer.put(&draft)).unwrap();
    assert_eq!(later, Put::Updated(1));
    let found = it.store.finding(1).unwrap().unwrap();
    assert_eq!(found.updated_at, "2026-03-01 10:00:00");
    assert_eq!(found.content.created_at.as_deref(), Some("2026-03-01 09:00:00"));
    assert_eq!(it.count("SELECT count(*) FROM v_near_miss_findings"), 1);
}

#[test]
fn a_persons_word_stands() {
    let mut it = Fixture::new();
    let mut said = theorem("Nat.foo");
    said.evidence = Evidence::Person;
    said.description = "checked by hand".into();
    it.put(&said);
    let mut automatic = theorem("Nat.foo");
    automatic.description = "something else".into();
    assert_eq!(it.put(&automatic), Put::Unchanged(1));
    assert_eq!(it.store.finding(1).unwrap().unwrap().content.description, "checked by hand");
    said.description = "checked twice".into();
    assert_eq!(it.put(&said), Put::Updated(1));
}

#[test]
fn a_hand_edit_survives_until_its_source_changes() {
    let mut it = Fixture::new();
    it.put(&theorem("Nat.foo"));
    it.shell().execute_batch("UPDATE findings SET title = 'better title'").unwrap();
    it.store = Store::open(it.store.path()).unwrap();
    assert_eq!(it.put(&theorem("Nat.foo")), Put::Unchanged(1));
    assert_eq!(it.store.finding(1).unwrap().unwrap().content.title, "better title");
}

#[test]
fn a_changed_file_replaces_what_came_from_it() {
    let mut it = Fixture::new();
    it.put(&theorem("by_hand"));
    let counts = |report: &Report| {
        let c = report.counts;
        (c.inserted, c.updated, c.unchanged, c.removed)
    };
    let twins = [theorem("a"), theorem("b"), theorem("b")];
    assert_eq!(counts(&it.replace("x.lean", &twins)), (3, 0, 0, 0));
    assert_eq!(counts(&it.replace("x.lean", &twins)), (0, 0, 3, 0));
    assert_eq!(counts(&it.replace("y.lean", &[theorem("a")])), (1, 0, 0, 0), "another file's own");
    assert_eq!(counts(&it.replace("x.lean", &twins)), (0, 0, 3, 0), "files do not fight");
    let mut changed = theorem("a");
    changed.notes = Some("new".into());
    let report = it.replace("x.lean", &[changed, theorem("c")]);
    assert_eq!(counts(&report), (1, 1, 0, 2));
    assert_eq!(report.by_kind["theorem"].removed, 2);
    let names = "SELECT count(*) FROM findings WHERE theorem_name IN ('by_hand', 'a', 'c')";
    assert_eq!((it.count(names), it.count("SELECT count(*) FROM findings")), (4, 4));
    it.shell()
        .execute_batch("UPDATE findings SET evidence = 'person' WHERE theorem_name = 'c'")
        .unwrap();
    assert_eq!(counts(&it.replace("x.lean", &[])), (0, 0, 0, 1), "what a person confirmed stays");
    let report =
        it.store.write(at("09:00"), |writer| replace_file(writer, None, "y.lean", &[])).unwrap();
    assert_eq!(report.counts.removed, 0, "y.lean of the project is another file");
}

fn problem(status: ProblemStatus, counts: Option<(i64, i64, i64)>) -> ProblemDraft {
    ProblemDraft {
        id: "Erdos-850".into(),
        name: if counts.is_some() { "Prime triples".into() } else { "Erdos 850".into() },
        domain: None,
        status,
        statement: counts.map(|_| "stated".into()),
        best_result: None,
        notes: None,
        counts,
    }
}

#[test]
fn import_and_extraction_agree_on_a_problem() {
    let mut it = Fixture::new();
    let stated = problem(ProblemStatus::InFlight, Some((9, 1, 2)));
    let found = problem(ProblemStatus::Open, None);
    assert_eq!(it.problem(&found), Put::Inserted(1));
    assert_eq!(it.problem(&stated), Put::Updated(1));
    for draft in [&found, &stated, &found] {
        assert_eq!(it.problem(draft), Put::Unchanged(1));
    }
    let mut theorem = theorem("a");
    theorem.problem = Some("erdos_850".into());
    theorem.confidence = Confidence::Verified;
    theorem.evidence = Evidence::Prover;
    theorem.tags = vec!["main".into()];
    theorem.source.file = Some("x.lean".into());
    it.put(&theorem);
    it.recount();
    for key in ["erdos_850", "Erdos 850", "ERDOS850", "850"] {
        let views = it.store.problem_views(key).unwrap();
        assert_eq!(views.len(), 1, "{key}");
        let problem = views[0].problem.as_ref().unwrap();
        assert_eq!(
            (problem.name.as_str(), problem.status),
            ("Prime triples", ProblemStatus::Partial)
        );
        assert_eq!(
            (problem.submission_count, problem.proven_count, problem.failed_count),
            (9, 1, 2)
        );
        assert_eq!((problem.statement.as_deref(), views[0].findings.len()), (Some("stated"), 1));
    }
    for key in ["", "'%_", "erdos_851"] {
        assert_eq!(it.store.problem_views(key).unwrap(), [], "{key}");
    }
    for (by_hand, expected, why) in [
        ("status = 'false'", ProblemStatus::Partial, "nobody said so"),
        ("decided_status = 'false'", ProblemStatus::False, "a person's word"),
        ("decided_status = NULL, status = 'proven'", ProblemStatus::Partial, "taken back"),
        (
            "status = 'proven', stated_status = NULL, found_status = 'proven'",
            ProblemStatus::Partial,
            "an older version believed a file",
        ),
        (
            "status = 'partial', stated_status = NULL, found_status = NULL",
            ProblemStatus::Partial,
            "an older version's status is no hand's",
        ),
        ("status = 'partial', stated_status = 'proven'", ProblemStatus::Proven, "its owner's word"),
        ("status = 'proven', stated_status = 'proven'", ProblemStatus::Proven, "its owner's word"),
    ] {
        it.shell().execute_batch(&format!("UPDATE problems SET {by_hand}")).unwrap();
        it.problem(&found);
        it.recount();
        let views = it.store.problem_views("erdos_850").unwrap();
        assert_eq!(views[0].problem.as_ref().unwrap().status, expected, "{why}");
    }
    it.shell().execute_batch("UPDATE problems SET status = 'in_flight', stated_status = 'in_flight', found_status = NULL; DELETE FROM findings").unwrap();
    it.recount();
    let views = it.store.problem_views("erdos_850").unwrap();
    assert_eq!(views[0].problem.as_ref().unwrap().status, ProblemStatus::InFlight);
    assert_eq!(it.store.known_problems().unwrap().spelling("erdos850"), Some("erdos_850"));
    assert!(
        it.store
            .write(at("09:00"), |w| w
                .put_problem(&ProblemDraft { id: "'".into(), ..found.clone() }))
            .is_err()
    );
}

fn strategy(file: &str, outcome: Outcome) -> StrategyDraft {
    StrategyDraft {
        problem: "erdos_1".into(),
        problem_name: "Erdos 1".into(),
        domain: None,
        approach: "sieve".into(),
        description: None,
        outcome,
        slot: None,
        submission: None,
        learned: Some(format!("from {file}")),
        source_file: Some(file.into()),
        attempted_at: None,
    }
}

#[test]
fn the_same_file_is_one_attempt() {
    let mut it = Fixture::new();
    let (first, second) =
        (strategy("a.lean", Outcome::Proven), strategy("b.lean", Outcome::Failed));
    assert_eq!(it.strategy(&first), Put::Inserted(1));
    assert_eq!(it.strategy(&first), Put::Unchanged(1));
    assert_eq!(it.strategy(&second), Put::Updated(1));
    for draft in [&first, &second] {
        assert_eq!(it.strategy(draft), Put::Unchanged(1));
    }
    let stored = || it.store.problem_views("erdos_1").unwrap()[0].strategies.clone();
    assert_eq!((stored()[0].attempts, stored()[0].outcome), (2, Outcome::Proven));
    let mut report = Report::default();
    it.store
        .write(at("09:00"), |writer| writer.replace_strategies("a.lean", &[], &mut report))
        .unwrap();
    let stored = it.store.problem_views("erdos_1").unwrap()[0].strategies.clone();
    assert_eq!((stored[0].attempts, stored[0].outcome), (1, Outcome::Failed));
    it.store
        .write(at("09:00"), |writer| writer.replace_strategies("b.lean", &[], &mut report))
        .unwrap();
    assert_eq!((report.counts.removed, it.count("SELECT count(*) FROM strategies")), (2, 0));
}

#[test]
fn queue_files_and_sessions_are_remembered() {
    let mut it = Fixture::new();
    assert_eq!(it.store.queue().unwrap(), None);
    let cache = QueueCache { in_flight: 3, ready_to_fetch: vec![1, 2], ..QueueCache::default() };
    it.store.write(at("09:00"), |writer| writer.set_queue(&cache)).unwrap();
    let read = it.store.queue().unwrap().unwrap();
    assert_eq!((read.in_flight, read.ready_to_fetch, read.slots_open), (3, vec![1, 2], None));
    assert_eq!(read.cached_at, "2026-03-01 09:00:00");
    it.shell().execute_batch("UPDATE queue_cache SET ready_to_fetch = 'nonsense'").unwrap();
    assert!(it.store.queue().unwrap().unwrap().ready_to_fetch.is_empty());

    let state = SourceState { size: 5, mtime_ns: -1, hash: "h".into(), failure: None };
    it.store.write(at("09:00"), |writer| writer.set_source("/a'b", &state)).unwrap();
    assert_eq!(it.store.source("/a'b").unwrap(), Some(state));
    assert_eq!(it.store.source("/c").unwrap(), None);

    for captured in [false, true, false] {
        it.store.write(at("09:00"), |writer| writer.note_session("s", None, captured)).unwrap();
    }
    let stats = it.store.stats().unwrap();
    assert_eq!((stats.sessions.seen, stats.sessions.captured), (1, 1));
}

#[test]
fn numbers_and_lists() {
    let mut it = Fixture::new();
    for (number, (kind, project)) in [
        (Kind::FalseLemma, Some("p")),
        (Kind::Failure, Some("q")),
        (Kind::Theorem, None),
        (Kind::FalseLemma, Some("q")),
    ]
    .into_iter()
    .enumerate()
    {
        let mut draft = Draft::new(kind, format!("t{number}"), "d");
        draft.project = project.map(str::to_owned);
        draft.created_at = Some(format!("2026-01-0{} 00:00:00", number + 1));
        draft.why_failed = Some(format!("because of Reason-{number}"));
        draft.proof_technique = Some("sieve".into());
        draft.source.slot = Some(40 - i64::try_from(number).unwrap());
        draft.confidence = Confidence::Verified;
        it.put(&draft);
    }
    let stats = it.store.stats().unwrap().findings;
    assert_eq!((stats.total, stats.by_kind["false_lemma"], stats.by_domain["unknown"]), (4, 2, 4));
    assert_eq!(stats.newest.as_deref(), Some("2026-01-04 00:00:00"));
    let known = it.store.knowledge(Some("p"), "").unwrap();
    assert_eq!((known.total, known.refuted, known.here), (4, vec!["t0".to_owned()], true));
    for (keyword, expected) in [
        (None, "t1 t3 t0"),
        (Some("reason-1"), "t1"),
        (Some("REASON"), "t1 t3 t0"),
        (Some("%"), "t1 t3 t0"),
        (Some("zebra"), ""),
    ] {
        let found = it.store.failed(keyword, None, 9).unwrap();
        let titles: Vec<_> = found.findings.iter().map(|f| f.content.title.as_str()).collect();
        assert_eq!(titles.join(" "), expected, "{keyword:?}");
    }
    assert_eq!(it.store.failed(None, None, 2).unwrap().findings.len(), 2);
    let techniques = it.store.techniques(None, None, None).unwrap();
    assert_eq!(
        (techniques[0].technique.as_str(), techniques[0].slots.as_slice()),
        ("sieve", [38].as_slice())
    );
    assert_eq!(it.store.techniques(Some("nt"), None, None).unwrap(), []);
}

#[test]
fn many_rows_at_once_are_indexed_like_single_ones() {
    let mut it = Fixture::new();
    it.store
        .write(at("09:00"), |writer| {
            for number in 0..450 {
                writer.put(&theorem(&format!("name{number}")))?;
                if number % 150 == 149 {
                    let mut changed = theorem(&format!("name{}", number - 1));
                    changed.notes = Some("changed".into());
                    assert!(matches!(writer.put(&changed)?, Put::Updated(_)));
                }
            }
            let drafts: Vec<_> = (0..250).map(|n| theorem(&format!("other{n}"))).collect();
            let mut report = replace_file(writer, None, "f.lean", &drafts)?;
            report.merge(replace_file(writer, None, "f.lean", &drafts[1..])?);
            assert_eq!((report.counts.inserted, report.counts.removed), (250, 1));
            Ok(())
        })
        .unwrap();
    let sound = "INSERT INTO findings_fts(findings_fts, rank) VALUES ('integrity-check', 1)";
    it.shell().execute(sound, []).unwrap();
    for name in ["name0", "name99", "name101", "name148", "name449", "other249"] {
        let query = SearchQuery { text: name.into(), limit: 1, ..SearchQuery::default() };
        let hits = it.store.search(&query).unwrap().hits;
        assert_eq!(hits[0].finding.content.title, name);
    }
    let trigger = "SELECT count(*) FROM sqlite_schema WHERE name = 'findings_fts_insert'";
    assert_eq!(it.count(trigger), 1);
}

#[test]
fn a_tag_is_a_whole_word_of_its_list() {
    let mut fixture = Fixture::new();
    let tried = |title: &str, tags: &[&str]| Draft {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        counterexample: Some("n = 341".to_owned()),
        ..Draft::new(Kind::Failure, title, "d")
    };
    fixture.put(&tried("tried", &["footnote"]));
    fixture.put(&tried("noted", &["fermat", "note"]));
    let known = fixture.store.knowledge(None, "2026-01-01 00:00:00").unwrap();
    assert_eq!(known.dead_ends, [("tried".to_owned(), None)]);
    let failed = fixture.store.failed(Some("341"), None, 10).unwrap();
    let titles: Vec<_> = failed.findings.iter().map(|one| one.content.title.as_str()).collect();
    assert_eq!(titles, ["tried", "noted"], "what people wrote about results comes last");
}

#[test]
fn a_name_in_guillemets_is_found_by_its_last_part() {
    let mut fixture = Fixture::new();
    fixture.put(&theorem("Foo.«bar.baz»"));
    fixture.put(&theorem("Foo.«qux»"));
    for (name, found) in [
        ("«bar.baz»", "Foo.«bar.baz»"),
        ("bar.baz", "Foo.«bar.baz»"),
        ("qux", "Foo.«qux»"),
        ("Foo.qux", "Foo.«qux»"),
    ] {
        let query = SearchQuery { text: name.to_owned(), limit: 5, ..SearchQuery::default() };
        let result = fixture.store.search(&query).unwrap();
        let first = result.hits.first().and_then(|hit| hit.finding.content.theorem_name.as_deref());
        assert_eq!((first, result.stage), (Some(found), Stage::Exact), "{name}");
    }
}
