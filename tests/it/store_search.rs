//! Searching the knowledge base.

use jiff::Timestamp;
use math_forge::model::{Draft, Kind};
use math_forge::store::{SearchQuery, SearchResult, Stage, Store};

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
    let mut store = Store::open(&folder.path().join("knowledge.db"), now()).unwrap();
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
