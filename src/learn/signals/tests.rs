//! Tests of the signals.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::learn::transcript::{Body, Record, Speaker, ToolResult, read_plain};

fn said(speaker: Speaker, line: u64, words: &str) -> Record {
    Record {
        line,
        at: Some(Arc::from("2026-01-02T03:04:05Z")),
        session: Some(Arc::from("s1")),
        subagent: None,
        speaker,
        body: Body::Said(words.to_owned()),
    }
}

fn source() -> Source {
    Source { extracted_at: "2026-01-02T04:00:00Z".to_owned(), ..Source::default() }
}

fn contents(text: &str, speaker: Speaker) -> Vec<String> {
    detect(text, speaker).into_iter().map(|signal| signal.content).collect()
}

#[test]
fn who_says_it_decides() {
    use Speaker::{Agent, Client, Injected, Person, Subagent, Summary, Tool, Unknown};
    for (text, heard) in [
        ("You prefer `omega` over `linarith`.", vec![Agent, Unknown]),
        ("I prefer `omega` over `linarith` everywhere.", vec![Person, Unknown]),
        ("Never use `native_decide` in proofs.", vec![Person, Unknown]),
        ("I learned that `exact?` needs the import.", vec![Person, Agent, Subagent, Unknown]),
        ("Note to self: `Finset.sup` needs `OrderBot`.", vec![Person, Agent, Subagent, Unknown]),
        ("No, use `Finset.sum_comm` for sums like that.", vec![Person, Unknown]),
    ] {
        let all = [Person, Agent, Subagent, Tool, Injected, Summary, Client, Unknown];
        let found: Vec<Speaker> =
            all.into_iter().filter(|speaker| !detect(text, *speaker).is_empty()).collect();
        assert_eq!(found, heard, "{text}");
    }
}

#[test]
fn what_is_no_signal() {
    for text in [
        "Do you prefer `simp` or `omega` here?",
        "If you prefer, I can use `calc` instead.",
        "Whichever you prefer, both proofs compile.",
        "The page says \"I learned that simp loops\".",
        "`note to self: x y z` is in the file.",
        "> Key insight: it is compact.",
        "```\nTakeaway: use the cache always\n```",
        "    Key insight: indented code is code",
        "| I learned that | simp loops |",
        "[math-forge] Key insight: known false.",
        "<system-reminder>Remember that the list is empty.</system-reminder>",
        "Slot1.lean:3:4: error: I learned that it fails",
        "I noticed a typo in line 12, fixing it.",
        "Let me note the takeaway: it is late.",
        "I have not learned anything from that run.",
        "Key insight.",
    ] {
        assert_eq!(contents(text, Speaker::Agent), [""; 0], "{text:?}");
    }
}

#[test]
fn a_signal_is_its_sentence_and_not_what_stands_around_it() {
    for (text, expected) in [
        (
            "Fine. **Key insight:** the bound fails at n = 7, e.g. in `a.b`. Next.",
            "Key insight: the bound fails at n = 7, e.g. in `a.b`.",
        ),
        ("2. Note to self: split the file in two", "Note to self: split the file in two"),
        (
            "Takeaway: a sentence that somebody's editor has wrapped at this point\ngoes on here. End.",
            "Takeaway: a sentence that somebody's editor has wrapped at this point goes on here.",
        ),
        (
            "- tried `ring`\n- takeaway: cast to ‘ℤ’ first, then omega\n- done",
            "takeaway: cast to 'ℤ' first, then omega",
        ),
    ] {
        assert_eq!(contents(text, Speaker::Agent), [expected], "{text:?}");
    }
}

#[test]
fn a_proposal_says_where_it_comes_from() {
    let words = "It compiles.\n\nI learned that `simp` needs `add_comm`. On to the rest.";
    let proposals = extract(&[said(Speaker::Agent, 7, words)], source());
    let expected = Proposal {
        id: proposals[0].id.clone(),
        kind: Kind::Insight,
        content: "I learned that `simp` needs `add_comm`.".to_owned(),
        source: "s1".to_owned(),
        extracted_at: "2026-01-02T04:00:00Z".to_owned(),
        status: "pending".to_owned(),
        matched_phrase: "i learned".to_owned(),
        rule: "learned".to_owned(),
        role: "agent".to_owned(),
        sentence: "I learned that `simp` needs `add_comm`.".to_owned(),
        before: Some("It compiles.".to_owned()),
        after: Some("On to the rest.".to_owned()),
        line: 7,
        said_at: Some("2026-01-02T03:04:05Z".to_owned()),
    };
    assert_eq!(proposals, [expected]);
    assert_eq!(proposals[0].id.len(), 12);
    let json = serde_json::to_value(&proposals[0]).unwrap();
    assert_eq!((&json["type"], &json["matched_phrase"]), (&"insight".into(), &"i learned".into()));
}

#[test]
fn the_same_is_proposed_once_and_the_first_stays() {
    let records = [
        said(Speaker::Agent, 1, "Takeaway: use `omega` for subtraction."),
        said(Speaker::Person, 2, "takeaway: USE `omega` for subtraction."),
        said(Speaker::Agent, 3, "Takeaway: use `ring` for products."),
    ];
    let proposals = extract(&records, source());
    let lines: Vec<u64> = proposals.iter().map(|proposal| proposal.line).collect();
    assert_eq!(lines, [1, 3]);
    let again = extract(&records, source());
    assert_eq!(again, proposals, "equal records, equal proposals, their ids too");
    let elsewhere = Source { session: "other".to_owned(), ..source() };
    let other = extract(&records, elsewhere);
    assert_eq!(other[0].source, "other");
    assert_ne!(other[0].id, proposals[0].id);
}

#[test]
fn nothing_comes_from_tools_and_injected_text() {
    let words = "Key insight: `omega` closes goals over the integers.";
    let result = ToolResult {
        id: "t".to_owned(),
        call: None,
        is_error: false,
        exit_code: None,
        interrupted: false,
        text: words.to_owned(),
        patch: Vec::new(),
    };
    let tool = Record { body: Body::Returned(result), ..said(Speaker::Tool, 1, "") };
    let records = [
        tool,
        said(Speaker::Injected, 2, words),
        said(Speaker::Summary, 3, words),
        said(Speaker::Client, 4, words),
    ];
    assert_eq!(extract(&records, source()), []);
    assert_eq!(extract(&[], source()), []);
}

#[test]
fn lines_of_plain_text_are_counted() {
    let text = "Notes\n\nUser: go\n\nAssistant: Done.\n```\ncode\n```\nKey insight: split on parity first.\n";
    let plain = Source { is_plain: true, ..source() };
    let proposals = extract(&read_plain(text.as_bytes()), plain);
    let found: Vec<_> =
        proposals.iter().map(|p| (p.line, p.role.as_str(), p.source.as_str())).collect();
    assert_eq!(found, [(9, "agent", "unknown-session")]);
}

#[test]
fn hostile_text_costs_no_more_than_its_length() {
    let begun = std::time::Instant::now();
    for part in
        ["` ", "\" ", "“ ", "<system-reminder> ", "``", "I learned ", "never ", "a.", "- \n", "«"]
    {
        let text = part.repeat(200_000 / part.len());
        detect(&text, Speaker::Unknown);
        read_plain(text.as_bytes());
    }
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(?s)(.|`|\"|\n| |\\*|I learned |you prefer |never |takeaway: |no, use |[a-z]{3} ){0,60}") {
        for speaker in [Speaker::Person, Speaker::Agent, Speaker::Unknown] {
            let found = detect(&text, speaker);
            for signal in &found {
                prop_assert!(text.contains(&signal.sentence));
                prop_assert!(signal.content.chars().count() >= MIN_LENGTH);
                prop_assert!(!signal.content.contains('\n'));
            }
            prop_assert_eq!(&found, &detect(&text, speaker));
        }
    }

    #[test]
    fn neighbours_come_from_the_same_message(before in "[a-z]{3,9}", after in "[a-z]{3,9}") {
        let records = [
            said(Speaker::Agent, 1, &before),
            said(Speaker::Agent, 2, "Takeaway: use `omega` for subtraction."),
            said(Speaker::Agent, 3, &after),
        ];
        let proposals = extract(&records, source());
        prop_assert_eq!(proposals.len(), 1);
        prop_assert_eq!((&proposals[0].before, &proposals[0].after), (&None, &None));
    }
}
