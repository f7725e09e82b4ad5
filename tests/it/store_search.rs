//! Searching the knowledge base.

use jiff::Timestamp;
use math_forge::model::{Confidence, Draft, Kind};
use math_forge::store::{SearchQuery, SearchResult, Stage, Store};
use proptest::strategy::Strategy as _;
use proptest::test_runner::{Config, TestRunner};

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn theorem(name: &str, statement: &str, text: &str) -> Draft {
    let mut draft = Draft::new(Kind::Theorem, name, text);
    draft.theorem_name = Some(name.to_owned());
    draft.theorem_statement = Some(statement.to_owned());
    draft
}

fn filled(drafts: &[Draft]) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("knowledge.db")).unwrap();
    store
        .write(now(), |writer| drafts.iter().try_for_each(|draft| writer.put(draft).map(|_| ())))
        .unwrap();
    (folder, store)
}

fn search(store: &Store, text: &str) -> SearchResult {
    store.search(&SearchQuery { text: text.into(), limit: 5, ..SearchQuery::default() }).unwrap()
}

fn titles(found: &SearchResult) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.finding.content.title.as_str()).collect()
}

#[test]
fn finds_by_words() {
    let (_folder, store) = filled(&[
        theorem(
            "Nat.exists_infinite_primes",
            "∀ n : ℕ, ∃ p, n ≤ p ∧ p.Prime",
            "Infinitely many primes",
        ),
        theorem("isOpenMap_fst", "IsOpenMap (Prod.fst : X × Y → X)", "Projections are open"),
    ]);
    for (query, stage, first) in [
        ("infinite prime", Stage::AllWords, "Nat.exists_infinite_primes"),
        ("Nat.exists_infinite_primes", Stage::Exact, "Nat.exists_infinite_primes"),
        ("exists_infinite_primes", Stage::Exact, "Nat.exists_infinite_primes"),
        ("is open map", Stage::AllWords, "isOpenMap_fst"),
        ("projection zebra", Stage::AnyWord, "isOpenMap_fst"),
        ("forall le", Stage::AllWords, "Nat.exists_infinite_primes"),
        ("∀ ≤", Stage::AllWords, "Nat.exists_infinite_primes"),
        ("project", Stage::AllWords, "isOpenMap_fst"),
        ("infin", Stage::Prefix, "Nat.exists_infinite_primes"),
    ] {
        let found = search(&store, query);
        assert_eq!((found.stage, titles(&found).first().copied()), (stage, Some(first)), "{query}");
    }
}

#[test]
fn exact_names_and_problems_win() {
    let mut drafts = vec![
        theorem("Nat.add_comm", "n + m = m + n", "addition commutes"),
        theorem("Foo.add_comm", "a", "another add_comm add_comm add_comm"),
        theorem("add_comm_add_comm_add_comm", "add_comm", "add_comm add comm"),
        theorem("Nat.add_comm'", "b", "the primed one"),
        theorem("«Odd name».x", "c", "guillemets"),
    ];
    let mut of_problem =
        Draft::new(Kind::Failure, "a sieve of Erdos did not work", "for 850 reasons");
    of_problem.problem = Some("erdos_850".into());
    drafts.push(of_problem);
    drafts.push(Draft::new(Kind::Insight, "Erdos 850 Erdos 850", "850 Erdos"));
    let (_folder, store) = filled(&drafts);
    for (query, expected) in [
        ("Nat.add_comm", vec!["Nat.add_comm"]),
        ("nat.add_comm", vec!["Nat.add_comm"]),
        ("Nat.add_comm'", vec!["Nat.add_comm'"]),
        ("add_comm", vec!["Foo.add_comm", "Nat.add_comm"]),
        ("«Odd name».x", vec!["«Odd name».x"]),
        ("erdos_850", vec!["a sieve of Erdos did not work"]),
        ("erdos-850", vec!["a sieve of Erdos did not work"]),
        ("Erdos 850", vec!["a sieve of Erdos did not work"]),
        ("ERDOS850", vec!["a sieve of Erdos did not work"]),
    ] {
        let found = search(&store, query);
        let mut first: Vec<&str> = titles(&found).into_iter().take(expected.len()).collect();
        first.sort_unstable();
        assert_eq!(first, expected, "{query}");
        if !query.contains('«') {
            assert_eq!(found.stage, Stage::Exact, "{query}");
        }
    }
}

#[test]
fn filters_restrict_and_the_current_project_is_first() {
    let mut drafts = Vec::new();
    for (number, (kind, project)) in [
        (Kind::Theorem, Some("p")),
        (Kind::Failure, Some("q")),
        (Kind::Theorem, None),
        (Kind::FalseLemma, Some("q")),
    ]
    .into_iter()
    .enumerate()
    {
        let mut draft = Draft::new(kind, format!("sieve {number}"), "same text");
        draft.project = project.map(str::to_owned);
        draft.domain = (number % 2 == 0).then(|| "nt".to_owned());
        draft.problem = Some(format!("erdos_{number}"));
        draft.tags = vec!["first".into(), format!("tag {number}")];
        draft.created_at = Some(format!("2026-01-0{} 00:00:00", number + 1));
        draft.confidence = if number == 3 { Confidence::Disproven } else { Confidence::High };
        drafts.push(draft);
    }
    let (_folder, store) = filled(&drafts);
    let base = || SearchQuery { text: "sieve".into(), limit: 9, ..SearchQuery::default() };
    for (query, expected) in [
        (SearchQuery { kinds: vec![Kind::Theorem, Kind::Failure], ..base() }, "0 1 2"),
        (SearchQuery { domain: Some("nt".into()), ..base() }, "0 2"),
        (SearchQuery { problem: Some("Erdos-1".into()), ..base() }, "1"),
        (SearchQuery { problem: Some("erdos_9".into()), ..base() }, ""),
        (SearchQuery { tags: vec!["Tag 2".into()], ..base() }, "2"),
        (SearchQuery { tags: vec!["first".into(), "tag 0".into()], ..base() }, "0"),
        (SearchQuery { tags: vec!["tag".into()], ..base() }, ""),
        (SearchQuery { tags: vec!["' OR 1".into(), "≤".into()], ..base() }, ""),
        (SearchQuery { confidence: Some(Confidence::Disproven), ..base() }, "3"),
        (SearchQuery { since: Some("2026-01-03".into()), ..base() }, "2 3"),
        (SearchQuery { since: Some("2026-01-03T00:00:01Z".into()), ..base() }, "3"),
        (SearchQuery { project: Some("q".into()), ..base() }, "1 3"),
        (
            SearchQuery {
                project: Some("q".into()),
                tags: vec!["tag 3".into()],
                kinds: vec![Kind::FalseLemma],
                ..base()
            },
            "3",
        ),
        (SearchQuery { text: "erdos_1".into(), kinds: vec![Kind::Theorem], ..base() }, "0 2"),
    ] {
        let found = store.search(&query).unwrap();
        let mut numbers: Vec<&str> = titles(&found).iter().map(|t| &t[6..]).collect();
        numbers.sort_unstable();
        assert_eq!(numbers.join(" "), expected, "{query:?}");
        assert_eq!(found.total, numbers.len() as u64, "{query:?}");
    }
    for project in ["p", "q"] {
        let found =
            store.search(&SearchQuery { current_project: Some(project.into()), ..base() }).unwrap();
        assert_eq!(found.hits[0].finding.content.project.as_deref(), Some(project));
        assert!(found.hits[0].why.contains(&"in this project".to_owned()));
        assert_eq!(found.hits.len(), 4);
    }
}

#[test]
fn hits_say_why_and_show_the_place() {
    let mut draft = theorem(
        "Foo.bar",
        "IsOpenMap f",
        &format!("{} the covering argument ends", "filler ".repeat(60)),
    );
    draft.why_failed = Some("no arguments left".into());
    let (_folder, store) = filled(&[draft]);
    let found = search(&store, "covering argument");
    let hit = &found.hits[0];
    assert_eq!(hit.why, ["holds all words", "reason: argument", "description: covering, argument"]);
    assert!(
        hit.snippet.starts_with('…') && hit.snippet.contains("covering argument"),
        "{}",
        hit.snippet
    );
    assert!((2.0..3.0).contains(&hit.score), "{}", hit.score);
}

#[test]
fn scores_fall_from_hit_to_hit() {
    let drafts: Vec<Draft> =
        (0..40).map(|n| theorem(&format!("T{n}"), "a", &"prime gap ".repeat(n % 5 + 1))).collect();
    let (_folder, store) = filled(&drafts);
    for text in ["prime gap", "gap zebra", "T7 gap"] {
        let query = SearchQuery { text: text.into(), limit: 40, ..SearchQuery::default() };
        let found = store.search(&query).unwrap();
        assert!(found.hits.len() > 1, "{text}");
        assert!(found.hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "{text}");
        let mut ids: Vec<i64> = found.hits.iter().map(|hit| hit.finding.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), found.hits.len(), "{text}: no row twice");
    }
}

#[test]
fn odd_queries_are_answered() {
    let (_folder, store) = filled(&[theorem("Nat.foo", "∀ n, n ≤ n", "C*-algebra, Fermat's")]);
    for (text, hits) in [
        ("", 0),
        ("   \n", 0),
        ("???", 0),
        ("\"", 0),
        ("AND", 0),
        ("foo AND", 1),
        ("NOT foo", 1),
        ("C*-algebra", 1),
        ("Fermat's", 1),
        ("title:foo", 1),
        ("foo\u{0}bar", 1),
        ("≤", 1),
        ("fo", 0),
        ("𝕊𝕊", 0),
    ] {
        assert_eq!(search(&store, text).hits.len(), hits, "{text:?}");
    }
    for text in
        ["foo ".repeat(300_000), "x".repeat(1_000_000), "≤".repeat(400_000), "'".repeat(1_000_000)]
    {
        search(&store, &text);
    }
    let none = SearchQuery { text: "foo".into(), ..SearchQuery::default() };
    assert_eq!(store.search(&none).unwrap().hits, [], "no hit was asked for");
}

#[test]
fn every_text_is_a_query_and_every_filter_is_valid() {
    let (_folder, store) = filled(&[
        theorem("Nat.foo'", "∀ n : ℕ, n ≤ n → ∃ p, p ∣ n", "about primes and isOpenMap"),
        Draft::new(Kind::Failure, "x ⊢ y", "it's \"quoted\" (text) * ^ : - NEAR"),
    ]);
    let piece = proptest::prop_oneof![
        proptest::string::string_regex("\\PC{0,8}").unwrap(),
        proptest::string::string_regex("[a-zA-Z0-9_.'\"*()^:+ -]{0,12}").unwrap(),
        proptest::sample::select(vec![
            "AND",
            "OR",
            "NOT",
            "NEAR(",
            "≤",
            "|-",
            "\u{0}",
            "foo",
            "isOpenMap",
            "Nat.foo'",
            "{title}:",
            "\u{301}",
        ])
        .prop_map(str::to_owned),
    ];
    let texts = proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join(" "));
    let mut runner =
        TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    runner
        .run(&(texts.clone(), texts), |(text, other)| {
            let found = store.search(&SearchQuery {
                text: text.clone(),
                limit: 3,
                ..SearchQuery::default()
            });
            proptest::prop_assert!(found.is_ok(), "{text:?}: {found:?}");
            let filtered = store.search(&SearchQuery {
                text,
                limit: 3,
                problem: Some(other.clone()),
                tags: vec![other.clone()],
                since: Some(other.clone()),
                current_project: Some(other),
                ..SearchQuery::default()
            });
            proptest::prop_assert!(filtered.is_ok(), "{filtered:?}");
            Ok(())
        })
        .unwrap();
}

#[test]
fn every_way_to_write_a_name_or_a_notion_finds_it() {
    let (_folder, store) = filled(&[
        theorem(
            "Finset.sum_range_succ",
            "∑ k ∈ range (n + 1), f k = ∑ k ∈ range n, f k + f n",
            "The last summand is split off.",
        ),
        theorem("ArithmeticFunction.moebius", "ℕ → ℤ", "The Möbius function."),
        theorem("isCompact_iff_isClosed", "IsCompact s ↔ IsClosed s", "**Heine-Borel theorem**."),
        theorem(
            "Metric.compact_of_closed",
            "IsClosed s → IsCompact s",
            "In the theorem of Heine and Borel one says: Borel sets play no part in the theorem.",
        ),
        theorem("Nat.Prime.dvd_mul", "p ∣ a * b ↔ p ∣ a ∨ p ∣ b", "Euclid's lemma for primes."),
    ]);
    for (what, query, first) in [
        ("parts of a name", "sum range", "Finset.sum_range_succ"),
        ("parts in camel case", "arithmetic function", "ArithmeticFunction.moebius"),
        ("a symbol", "∣ ∨", "Nat.Prime.dvd_mul"),
        ("the word of a symbol", "dvd or", "Nat.Prime.dvd_mul"),
        ("the beginning of a dotted name", "Nat.Prime.", "Nat.Prime.dvd_mul"),
        ("the last part alone", "moebius", "ArithmeticFunction.moebius"),
        ("one for many", "summands", "Finset.sum_range_succ"),
        ("another form of a word", "splitting", "Finset.sum_range_succ"),
        ("another order of words", "succ range sum", "Finset.sum_range_succ"),
        ("a title in bold", "Heine-Borel theorem", "isCompact_iff_isClosed"),
    ] {
        let found = search(&store, query);
        assert_eq!(titles(&found).first(), Some(&first), "{what}: {query}");
    }
}

#[test]
fn what_stands_behind_a_finding_counts() {
    let with = |name: &str, change: fn(&mut Draft)| {
        let mut draft = theorem(name, "a = b", "The same words about sieves.");
        draft.identity = Some(name.to_owned());
        change(&mut draft);
        draft
    };
    let (_folder, store) = filled(&[
        with("verified", |draft| draft.confidence = Confidence::Verified),
        with("low", |draft| draft.confidence = Confidence::Low),
        with("elsewhere", |draft| draft.project = Some("there".into())),
        with("here", |draft| draft.project = Some("here".into())),
    ]);
    let query = SearchQuery {
        text: "sieves".into(),
        limit: 5,
        current_project: Some("here".into()),
        ..SearchQuery::default()
    };
    let found = store.search(&query).unwrap();
    assert_eq!(titles(&found), ["here", "verified", "elsewhere", "low"]);
}
