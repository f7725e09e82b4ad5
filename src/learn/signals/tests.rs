//! Tests of the signals.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::learn::transcript::{Reader, ToolCall, ToolResult, read_plain};

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

fn plain() -> Source {
    Source { is_plain: true, ..source() }
}

/// What is proposed where one speaker says only this, by rule and content.
fn found(text: &str, speaker: Speaker, source: Source) -> Vec<(String, String)> {
    let proposals = extract(&[said(speaker, 1, text)], source);
    proposals.into_iter().map(|one| (one.rule, one.content)).collect()
}

#[test]
fn every_cue_is_read() {
    let blocks = include_str!("../../../data/cues.txt").split("\n\n").skip(1);
    let (lists, cues): (Vec<&str>, Vec<&str>) =
        blocks.partition(|block| block.starts_with("= ") || block.contains("\n= "));
    assert_eq!(super::weigh::CUES.len(), cues.len());
    assert_eq!(super::weigh::LISTS.len(), lists.len());
}

#[test]
fn who_says_it_decides() {
    use Speaker::{Agent, Client, Injected, Person, Subagent, Summary, Tool};
    let last_words = [Agent, Subagent, Summary];
    for (text, heard) in [
        ("From now on use `omega` before `linarith` in all proofs about naturals.", vec![Person]),
        (
            "We keep the definitions in `Basic.lean` everywhere, not in the files that use them.",
            vec![Person],
        ),
        ("Key insight: `omega` closes goals over the integers.", vec![]),
        ("The root cause is the missing import in line 12.", vec![]),
        (
            "Compactness cannot work here, because the family is not closed under complements.",
            last_words.to_vec(),
        ),
    ] {
        let all = [Person, Agent, Subagent, Tool, Injected, Summary, Client];
        let heard_from: Vec<Speaker> =
            all.into_iter().filter(|speaker| !found(text, *speaker, source()).is_empty()).collect();
        assert!(heard.iter().all(|one| heard_from.contains(one)), "{text}: {heard_from:?}");
        let only = [Tool, Injected, Client];
        assert!(!heard_from.iter().any(|one| only.contains(one)), "{text}: {heard_from:?}");
        assert!(!heard.is_empty() || heard_from.is_empty(), "{text}: {heard_from:?}");
    }
}

#[test]
fn in_plain_text_every_cue_of_the_specification_proposes() {
    for (text, kind) in [
        ("You prefer `omega` over `linarith`.", Type::Pattern),
        ("I see that you like to split files.", Type::Pattern),
        ("you always write the statement first", Type::Pattern),
        ("You usually test small cases.", Type::Pattern),
        ("Your preference is clear: term mode.", Type::Pattern),
        ("This is your style of naming.", Type::Pattern),
        ("You tend to use `calc` blocks.", Type::Pattern),
        ("I learned that `simp` needs the lemma.", Type::Insight),
        ("I noticed the bound is attained.", Type::Insight),
        ("Today I discovered a shorter proof.", Type::Insight),
        ("Key insight: it is monotone.", Type::Insight),
        ("An important finding is the gap at 7.", Type::Insight),
        ("Takeaway: cast first.", Type::Insight),
        ("The lesson: never trust a green build.", Type::Insight),
        ("Note to self: `Finset.sup` needs `OrderBot`.", Type::SelfKnowledge),
        ("Remember that the list is sorted.", Type::SelfKnowledge),
        ("I should remember the second case.", Type::SelfKnowledge),
        ("I need to remember the hint.", Type::SelfKnowledge),
        ("For next time: start with the small case.", Type::SelfKnowledge),
        ("Mental note, the cache is stale.", Type::SelfKnowledge),
    ] {
        let proposals = extract(&[said(Speaker::Unknown, 1, text)], plain());
        let types: Vec<Type> = proposals.iter().map(|one| one.spec_type).collect();
        assert_eq!(types, [kind], "{text}");
    }
}

#[test]
fn what_is_no_signal_in_plain_text() {
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
        "Takeaway",
    ] {
        assert_eq!(found(text, Speaker::Unknown, plain()), [], "{text:?}");
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
        let found = found(text, Speaker::Agent, plain());
        assert_eq!(found, [("outright".to_owned(), expected.to_owned())], "{text:?}");
    }
}

/// What is kept of a message, by who says it; nothing where it is empty.
#[test]
fn clauses_and_not_whole_sentences() {
    use Speaker::{Agent, Person};
    let mut wrong = Vec::new();
    for (speaker, text, expected) in [
        (
            Person,
            "nope, thats the old one, measures are ENNReal valued everywhere, not real valued",
            "measures are ENNReal valued everywhere, not real valued",
        ),
        (Person, "fine. btw never commit generated files", "never commit generated files"),
        (
            Person,
            "run it once more right now; lemma names are in lower case",
            "lemma names are in lower case",
        ),
        // As one types it.
        (Person, "dont reorder the imports in any file", "dont reorder the imports in any file"),
        (
            Person,
            "a partir de maintenant les commits sont en anglais",
            "a partir de maintenant les commits sont en anglais",
        ),
        (Person, "from now on log each submission", "from now on log each submission"),
        (Person, "immer zuerst die Skizze prüfen", "immer zuerst die Skizze prüfen"),
        // Which side is right.
        (Person, "adapt the sketch, the paper is right", "adapt the sketch, the paper is right"),
        (
            Person,
            "der Code ist falsch, das Papier stimmt",
            "der Code ist falsch, das Papier stimmt",
        ),
        (
            Person,
            "la preuve est fausse, l'énoncé est juste",
            "la preuve est fausse, l'énoncé est juste",
        ),
        // What it speaks of stands beside it.
        (
            Person,
            "the tree case is done by hand, no need to write it, it's in Diestel.",
            "the tree case is done by hand, no need to write it, it's in Diestel.",
        ),
        (Person, "undo that, we only have arm machines", "we only have arm machines"),
        (
            Person,
            "the root must stay a structure. instances in Tree/Order.lean rely on it",
            "the root must stay a structure. instances in Tree/Order.lean rely on it",
        ),
        (
            Person,
            "you keep narrating what you'll try. Just do it, and report in two sentences.",
            "you keep narrating what you'll try. Just do it, and report in two sentences.",
        ),
        // What a person took back, and what they deny in the same breath.
        (Person, "i reverted your change of Trees/Cut.lean.", ""),
        (Person, "the claim is false for m = 2, as m/2 = 1 there. So true, never mind.", ""),
        (
            Person,
            "from now on all sums start at 0. uh, wait, no, that clashes with Mathlib. forget it",
            "",
        ),
        (Person, "Wir zählen überall ab 0. Ach nein, vergiss es, es bleibt wie es ist.", ""),
        (
            Person,
            "forget the old plan for naming, from now on lemmas are named after their conclusion",
            "forget the old plan for naming, from now on lemmas are named after their conclusion",
        ),
        // What others do, and what is theirs and ours.
        (
            Person,
            "The students in Vienna never state a lemma twice. They have no linter either.",
            "",
        ),
        (Person, "Chez les collègues de Nantes, ils écrivent toujours les preuves à la main.", ""),
        (
            Person,
            "my advisor never uses choice, but we use it everywhere without a remark",
            "my advisor never uses choice, but we use it everywhere without a remark",
        ),
        // A rule without its subject, and one that ends the sentence.
        (
            Person,
            "Half of the proofs call an external solver. Not acceptable in the final version.",
            "Half of the proofs call an external solver. Not acceptable in the final version.",
        ),
        (Person, "check the second case, and don't change anything else", ""),
        (
            Person,
            "Don't unfold the norm by hand. Use the API lemmas instead.",
            "Don't unfold the norm by hand. Use the API lemmas instead.",
        ),
        (
            Person,
            "No, not a stack. Queues are used for all jobs, never stacks.",
            "No, not a stack. Queues are used for all jobs, never stacks.",
        ),
        (Person, "delete it, we don't use it anywhere", ""),
        (Person, "the export drops all rows with a date, please have a look", ""),
        (Person, "[WARN] never below 10 percent", ""),
        (
            Agent,
            "I could not avoid the factor n: the union bound pays it once for each edge.",
            "I could not avoid the factor n: the union bound pays it once for each edge.",
        ),
        (Agent, "I could not run the tests.", ""),
        (
            Person,
            "reviews are my job, you only collect the links",
            "reviews are my job, you only collect the links",
        ),
        // Choices by which something is left out, and polite ones.
        (Person, "let's drop the probabilistic approach", "let's drop the probabilistic approach"),
        (
            Person,
            "Then let's not touch Lemma 5, only add a remark that points to it.",
            "Then let's not touch Lemma 5, only add a remark that points to it.",
        ),
        (
            Person,
            "Could you please from now on give every case of a proof its own bullet?",
            "Could you please from now on give every case of a proof its own bullet?",
        ),
        (Person, "Could you please run the tests of the second folder?", ""),
        // The past, a mood, talk, and what is asked.
        (Person, "I never knew that every proof in this project has a name", ""),
        (Person, "from now on we only win haha", ""),
        (Person, "we always use the sup norm, right", ""),
        (Person, "never mind the lemmas in the other files", ""),
        // What is only supposed, and what goes on from there.
        (Agent, "Suppose `f` is false at n. Then the sum is impossible, because it is odd.", ""),
        (Agent, "Two runs: 3 proved, 1 failed because of a timeout.", ""),
        // The reason is the next sentence.
        (
            Agent,
            "The greedy argument is hopeless in the sparse case. Each step loses a factor of two.",
            "The greedy argument is hopeless in the sparse case. Each step loses a factor of two.",
        ),
        // What follows from it, and what helps.
        (
            Agent,
            "`gap_le` is false for n = 3, where the gap is 2. So section 4 cannot be proved as it stands.",
            "`gap_le` is false for n = 3, where the gap is 2. So section 4 cannot be proved as it stands.",
        ),
        (
            Agent,
            "The trivial bound is useless here: it grows with n. I took the bound of Lemma 2 instead.",
            "The trivial bound is useless here: it grows with n. I took the bound of Lemma 2 instead.",
        ),
        (
            Agent,
            "At first `gap_le` seemed to be false, but I had the order of the arguments wrong.",
            "",
        ),
        (
            Agent,
            "Done.\n\n## Dead ends\n- Sieving: the error term is as large as the main term\n\n## Next\n- rest a while and go on",
            "Sieving: the error term is as large as the main term",
        ),
    ] {
        let contents: Vec<String> =
            found(text, speaker, source()).into_iter().map(|(_, content)| content).collect();
        let expected: Vec<&str> = [expected].into_iter().filter(|one| !one.is_empty()).collect();
        if contents != expected {
            wrong.push((text, contents));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_the_agent_says_on_the_way_is_not_how_it_ended() {
    let words = "Compactness cannot work here, because the family is not closed under complements.";
    let call = ToolCall {
        id: "t1".to_owned(),
        name: "Bash".to_owned(),
        input: vec![("command".to_owned(), "lake build".to_owned())],
        line: 2,
    };
    let called = Record { body: Body::Called(Arc::new(call)), ..said(Speaker::Agent, 2, "") };
    let last = said(Speaker::Agent, 1, words);
    let next = said(Speaker::Person, 3, "ok");
    assert_eq!(extract(&[last.clone(), next.clone()], source()).len(), 1);
    assert_eq!(extract(&[last, called, next], source()), []);
    let asked = format!("{words} Waiting for your word.");
    assert_eq!(extract(&[said(Speaker::Agent, 1, &asked)], source()).len(), 1);
    let abandoned = format!("{words} Wait, it is closed.");
    assert_eq!(extract(&[said(Speaker::Agent, 1, &abandoned)], source()), []);
}

#[test]
fn what_the_person_did() {
    let lines = [
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"cargo bench"}}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\ndon't run the benchmarks on this machine, they take an hour"}]}}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"b","name":"AskUserQuestion","input":{"questions":[{"question":"Which norm is the official one?","options":[{"label":"sup norm"},{"label":"L2"}]}]}}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"b","content":"User has answered your questions: \"Which norm is the official one?\"=\"sup norm\". You can now continue with the user's answers in mind."}]}}"#,
    ];
    let (mut reader, mut records) = (Reader::new(), Vec::new());
    reader.push((lines.join("\n") + "\n").as_bytes(), &mut records);
    let proposals = extract(&records, source());
    let told: Vec<_> = proposals
        .iter()
        .map(|one| (one.rule.as_str(), one.content.as_str(), one.role.as_str(), one.line))
        .collect();
    assert_eq!(
        told,
        [
            ("refused", "don't run the benchmarks on this machine, they take an hour", "person", 2),
            ("answered", "sup norm (asked: Which norm is the official one?)", "person", 4),
        ]
    );
    assert_eq!(proposals[0].before.as_deref(), Some("refused: Bash cargo bench"));
    assert_eq!(proposals[1].after.as_deref(), Some("not chosen: L2"));
}

#[test]
fn what_a_summary_and_notes_list() {
    let text = "This session is being continued from a previous conversation.\n\n\
        1. Primary Request and Intent:\n   The user asked for a proof of the main lemma.\n\n\
        2. Key Decisions:\n   - Measures take values in `ENNReal` until the last step.\n\n\
        3. Pending Tasks:\n   - Prove the second case with care and then stop.\n\n\
        **DEAD END:** induction on the degree, because the quotient is not monic\n";
    let found: Vec<_> = extract(&[said(Speaker::Summary, 3, text)], source())
        .into_iter()
        .map(|one| (one.kind, one.content))
        .collect();
    let dead_end = "induction on the degree, because the quotient is not monic";
    let decision = "Measures take values in `ENNReal` until the last step.";
    assert_eq!(
        found,
        [(Kind::Decision, decision.to_owned()), (Kind::Failure, dead_end.to_owned())]
    );
    let text = "1. Primary Request and Intent: The user wants a proof of the main lemma in Main.lean.\n\
        2. Errors and fixes: `unknown constant` was fixed by an import.\n\
        3. Problem Solving: The degree argument was given up because the quotient is not monic.\n\
        4. All user messages:\n   - \"does it build now?\"\n   - \"never use `decide` on the tables\"\n";
    let found = extract(&[said(Speaker::Summary, 3, text)], source());
    let found: Vec<_> = found.iter().map(|one| (one.kind, one.content.as_str())).collect();
    let degree = "The degree argument was given up because the quotient is not monic.";
    assert_eq!(
        found,
        [(Kind::Failure, degree), (Kind::Preference, "\"never use `decide` on the tables\"")]
    );
    let text = "1. Primary Request and Intent: The user asked to keep all helpers `private`, never public.\n\
        2. Problem Solving: The user asked to prove the second lemma.\n";
    let found = extract(&[said(Speaker::Summary, 3, text)], source());
    let found: Vec<_> = found.iter().map(|one| (one.kind, one.content.as_str())).collect();
    assert_eq!(
        found,
        [(Kind::Preference, "The user asked to keep all helpers `private`, never public.")]
    );
    let notes = "# Sums\n\n## Do not\n\n- touch the toolchain file by hand\n\n## Next\n\n- write the abstract of it all\n";
    let contents: Vec<_> = extract(&read_plain(notes.as_bytes()), plain());
    let contents: Vec<_> = contents.iter().map(|one| (one.line, one.content.as_str())).collect();
    assert_eq!(contents, [(5, "Do not touch the toolchain file by hand")]);
    let notes =
        "## À ne pas faire\n\n- modifier le fichier des outils\n- ne jamais changer les énoncés\n";
    let contents: Vec<_> = extract(&read_plain(notes.as_bytes()), plain());
    let contents: Vec<_> = contents.iter().map(|one| one.content.as_str()).collect();
    let expected = [
        "À ne pas faire: modifier le fichier des outils",
        "À ne pas faire: ne jamais changer les énoncés",
    ];
    assert_eq!(contents, expected);
    let notes = "## Do not forget\n\n- bump the toolchain before the release\n";
    let proposals = extract(&read_plain(notes.as_bytes()), plain());
    assert_eq!(proposals[0].content, "Do not forget: bump the toolchain before the release");
}

#[test]
fn an_entry_of_notes_stays_whole() {
    use Kind::{Decision, Failure, Insight, Lesson, Preference};
    let mut wrong = Vec::new();
    for (text, expected) in [
        (
            "Tuesday: Tried the trivial cover. Fails, one term is too large.",
            vec![(Failure, "Tried the trivial cover. Fails, one term is too large.")],
        ),
        (
            "12.3.: Koethe ruht. Nilideale sind zu schwach, weil die Summe nicht nil ist.",
            vec![(
                Failure,
                "Koethe ruht. Nilideale sind zu schwach, weil die Summe nicht nil ist.",
            )],
        ),
        (
            "3 May. It is enough to treat trees, since every other graph has a leaf.",
            vec![(Insight, "It is enough to treat trees, since every other graph has a leaf.")],
        ),
        (
            "2026-03-01 Switched from lists to vectors. Lengths no longer get lost.",
            vec![(Decision, "Switched from lists to vectors. Lengths no longer get lost.")],
        ),
        (
            "6 May: The sieve is a dead end here. We only have an upper bound.",
            vec![(Failure, "The sieve is a dead end here. We only have an upper bound.")],
        ),
        (
            "`cover_simp` proves every case only if `h` is passed to it.",
            vec![(Lesson, "`cover_simp` proves every case only if `h` is passed to it.")],
        ),
        // What is tried may be named by a number.
        (
            "- tiles in vectors: rejected, printers need dots",
            vec![(Failure, "tiles in vectors: rejected, printers need dots")],
        ),
        (
            "Thu: Moved all bounds to `Fin n` because omega handles them.",
            vec![(Decision, "Moved all bounds to `Fin n` because omega handles them.")],
        ),
        ("- 4: dead, needs an even order", vec![(Failure, "4: dead, needs an even order")]),
        (
            "2x2 does not work, all minors are zero",
            vec![(Failure, "2x2 does not work, all minors are zero")],
        ),
        // The reason behind a choice on its line.
        (
            "We went with one table per day. Larger ones could not be dropped.",
            vec![(Decision, "We went with one table per day. Larger ones could not be dropped.")],
        ),
        (
            "Learned: sums over pairs are never split",
            vec![(Lesson, "sums over pairs are never split")],
        ),
        (
            "Careful with the second flag: it skips what is left of the batch.",
            vec![(Lesson, "Careful with the second flag: it skips what is left of the batch.")],
        ),
        (
            "Wir nehmen die reelle Fassung; die andere braucht Integrale.",
            vec![(Decision, "Wir nehmen die reelle Fassung; die andere braucht Integrale.")],
        ),
        (
            "import only what a file uses, never all of it",
            vec![(Preference, "import only what a file uses, never all of it")],
        ),
        (
            "Don't hold the lock of a job while its callback runs: it may schedule again.",
            vec![(
                Preference,
                "Don't hold the lock of a job while its callback runs: it may schedule again.",
            )],
        ),
        // What happened, what there is, and what is defined.
        ("Wednesday: Talked to Anna, nothing new.", vec![]),
        ("Mittwoch: Frage an Anna, ob n gerade sein darf.", vec![]),
        ("Options: A) one table per day, B) one per month.", vec![]),
        ("The old design has one table for everything, which is simple.", vec![]),
        ("For every such set we let w(A) denote its weight.", vec![]),
    ] {
        let proposals = extract(&[said(Speaker::Unknown, 1, text)], plain());
        let found: Vec<_> = proposals.iter().map(|one| (one.kind, one.content.as_str())).collect();
        if found != expected {
            wrong.push((
                text,
                proposals.iter().map(|one| (one.kind, one.content.clone())).collect::<Vec<_>>(),
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_reason_does_not_say_what_kind_it_is() {
    for (text, expected) in [
        (
            "No proof may take longer than ten seconds, otherwise the editor is unusable.",
            Kind::Preference,
        ),
        ("We'll stay with the small tiles, the old clients can't handle others.", Kind::Decision),
        ("The large tiles can't work, the old clients refuse them.", Kind::Failure),
    ] {
        let found = extract(&[said(Speaker::Person, 1, text)], source());
        let kinds: Vec<_> = found.iter().map(|one| one.kind).collect();
        assert_eq!(kinds, [expected], "{text}");
    }
}

#[test]
fn a_short_verdict_counts_and_what_works_in_the_end_does_not() {
    for (words, expected) in [
        ("`mono_strict` is false.", Some(Kind::Failure)),
        (
            "The averaging approach does not work because the weights do not add up.",
            Some(Kind::Failure),
        ),
        ("The averaging approach did not work because of the weights. It is fixed now.", None),
        (
            "Bounding the tail by Chebyshev does not work because the variance is infinite.",
            Some(Kind::Failure),
        ),
        (
            "Die Aufteilung nach Graden funktioniert nicht, weil der letzte Grad leer sein kann.",
            Some(Kind::Failure),
        ),
        ("Passer au quotient ne marche pas, car il n'est pas séparé.", Some(Kind::Failure)),
        (
            "`lake exe cache get` does not work behind the proxy because it ignores the variable.",
            Some(Kind::Lesson),
        ),
        // What is only supposed.
        ("If `mono_strict` is false, the whole section falls, so I test it on small cases.", None),
        ("Unless `mono_strict` is false, the corollary follows at once.", None),
        ("`mono_strict` would be false without the hypothesis, which we have.", None),
        ("Assume that `mono_strict` is false, then the sum is negative.", None),
        ("Falls `mono_strict` falsch ist, fällt der ganze Abschnitt.", None),
        ("Si `mono_strict` est faux, toute la section tombe.", None),
        ("One might think that the averaging is hopeless, but the weights add up.", None),
        ("If n is even, `mono_strict` is false: take n = 2.", Some(Kind::Failure)),
        ("We should check whether `mono_strict` is false.", None),
        ("The name `mono_strict` is wrong.", None),
        (
            "The averaging approach does not work because `n` is fixed and no longer goes through.",
            Some(Kind::Failure),
        ),
    ] {
        let found = extract(&[said(Speaker::Agent, 1, words)], source());
        let kinds: Vec<_> = found.iter().map(|one| one.kind).collect();
        assert_eq!(kinds.first().copied(), expected, "{words}");
    }
}

#[test]
fn what_the_person_takes_back_is_not_proposed() {
    let rule = "never use `native_decide` in the proofs of chapter 2";
    let other = "All lemma names are in lower case.";
    for (later, left) in [
        ("forget what I said about `native_decide`", vec![other]),
        ("you can use `native_decide` after all", vec![other]),
        ("`native_decide` darfst du doch wieder nehmen", vec![other]),
        ("j'ai changé d'avis, tu peux prendre `native_decide`", vec![other]),
        // What it speaks of, and not what was said last.
        ("scratch that rule on lower case lemma names", vec![rule]),
        // Without a name what was said just now.
        ("I changed my mind.", vec![rule]),
        ("don't forget what I said about `native_decide`", vec![rule, other]),
        ("did you forget what I said about `native_decide`?", vec![rule, other]),
        ("check `native_decide` again", vec![rule, other]),
        ("thanks", vec![rule, other]),
    ] {
        let mut records = vec![
            said(Speaker::Person, 1, rule),
            said(Speaker::Agent, 2, "Fine."),
            said(Speaker::Person, 3, other),
            said(Speaker::Agent, 4, "Fine."),
            said(Speaker::Person, 5, later),
        ];
        let contents = |records: &[Record]| -> Vec<String> {
            let found = extract(records, source()).into_iter().map(|one| one.content);
            // What is allowed now may be worth keeping itself.
            found.filter(|one| one != later).collect()
        };
        assert_eq!(contents(&records), left, "{later}");
        records[4].speaker = Speaker::Agent;
        assert_eq!(contents(&records), [rule, other], "the agent: {later}");
    }
    let opposite = [
        said(Speaker::Person, 1, "from now on never use explicit binders in public statements"),
        said(Speaker::Person, 3, "from now on use explicit binders in public statements"),
    ];
    let lines: Vec<u64> = extract(&opposite, source()).iter().map(|one| one.line).collect();
    assert_eq!(lines, [3], "the later one");
}

#[test]
fn a_document_that_is_handed_over_is_nobodys_choice() {
    let plan = "Implement the following plan:\n\n# Plan\n\nAlways use `omega`. Never use `simp` in this project.";
    assert_eq!(found(plan, Speaker::Person, source()), []);
    for lead in ["Setz bitte diesen Plan um:", "Carry out the plan below.", "Exécute ce plan :"] {
        let plan = format!("{lead}\n\n- never use `simp` in this project\n- always use `omega`");
        assert_eq!(found(&plan, Speaker::Person, source()), [], "{lead}");
    }
    for lead in ["Nice plan. Two rules for all of it:", "About your plan:"] {
        let rules = format!("{lead}\n\n- never use `simp` in this project");
        assert_eq!(found(&rules, Speaker::Person, source()).len(), 1, "{lead}");
    }
    let section = "# Part\n\nFrom now on we never use `simp` in this project.\n\n";
    let document = format!("see below\n\n{section}{section}{section}");
    assert_eq!(found(&document, Speaker::Person, source()), []);
}

#[test]
fn a_proposal_says_where_it_comes_from() {
    let words = "It compiles. From now on we use `ENNReal` for every measure. On to the rest.";
    let proposals = extract(&[said(Speaker::Person, 7, words)], source());
    let [proposal] = proposals.as_slice() else { panic!("{proposals:?}") };
    assert_eq!(proposal.id.len(), 12);
    assert_eq!((proposal.rule.as_str(), proposal.role.as_str()), ("said", "person"));
    assert_eq!(proposal.content, "From now on we use `ENNReal` for every measure.");
    assert_eq!(proposal.before.as_deref(), Some("It compiles."));
    assert_eq!(proposal.after.as_deref(), Some("On to the rest."));
    assert_eq!((proposal.line, proposal.source.as_str()), (7, "s1"));
    assert_eq!(proposal.said_at.as_deref(), Some("2026-01-02T03:04:05Z"));
    let json = serde_json::to_value(proposal).unwrap();
    assert_eq!(json["type"], Type::of(proposal.kind).as_str());
}

#[test]
fn the_same_is_proposed_once_and_the_first_stays() {
    let records = [
        said(Speaker::Agent, 1, "Takeaway: use `omega` for subtraction."),
        said(Speaker::Person, 2, "takeaway: USE `omega` for subtraction."),
        said(Speaker::Agent, 3, "Takeaway: use `ring` for products."),
    ];
    let proposals = extract(&records, plain());
    let lines: Vec<u64> = proposals.iter().map(|proposal| proposal.line).collect();
    assert_eq!(lines, [1, 3]);
    let again = extract(&records, plain());
    assert_eq!(again, proposals, "equal records, equal proposals, their ids too");
    let other = extract(&records, Source { session: "other".to_owned(), ..plain() });
    assert_eq!(other[0].source, "other");
    assert_ne!(other[0].id, proposals[0].id);
}

#[test]
fn nothing_comes_from_tools_and_injected_text() {
    let words = "From now on we never use `simp` in this project.";
    let result = ToolResult { text: words.to_owned(), ..ToolResult::default() };
    let tool = Record { body: Body::Returned(result), ..said(Speaker::Tool, 1, "") };
    let records = [tool, said(Speaker::Injected, 2, words), said(Speaker::Client, 4, words)];
    assert_eq!(extract(&records, source()), []);
    assert_eq!(extract(&[], source()), []);
    assert_eq!(extract(&[said(Speaker::Person, 1, words)], source()).len(), 1);
}

#[test]
fn lines_of_plain_text_are_counted() {
    let text = "Notes\n\nUser: go\n\nAssistant: Done.\n```\ncode\n```\nKey insight: split on parity first.\n";
    let proposals = extract(&read_plain(text.as_bytes()), plain());
    let found: Vec<_> =
        proposals.iter().map(|p| (p.line, p.role.as_str(), p.source.as_str())).collect();
    assert_eq!(found, [(9, "agent", "unknown-session")]);
}

#[test]
fn hostile_text_costs_no_more_than_its_length() {
    let parts = [
        "` ",
        "\" ",
        "“ ",
        "<system-reminder> ",
        "``",
        "I learned ",
        "never ",
        "a.",
        "- \n",
        "«",
        "\"=\"",
        "# a\n",
        "DECISION: ",
        "use, ",
    ];
    let time = |length: usize| {
        let begun = std::time::Instant::now();
        for part in parts {
            let text = part.repeat(length / part.len());
            for speaker in [Speaker::Unknown, Speaker::Person, Speaker::Agent, Speaker::Summary] {
                found(&text, speaker, source());
                found(&text, speaker, plain());
            }
            read_plain(text.as_bytes());
        }
        begun.elapsed()
    };
    // Four times the length costs far less than sixteen times as much.
    let (short, long) = (time(10_000), time(40_000));
    assert!(long < short * 10, "{short:?} {long:?}");
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(?s)(.|`|\"|\n| |\\*|I learned |you prefer |never |takeaway: |no, use |[a-z]{3} ){0,60}") {
        for speaker in [Speaker::Person, Speaker::Agent, Speaker::Unknown, Speaker::Summary] {
            for source in [source(), plain()] {
                let found = extract(&[said(speaker, 1, &text)], source.clone());
                for one in &found {
                    prop_assert!(text.contains(&one.sentence));
                    prop_assert!(one.content.chars().count() >= MIN_LENGTH);
                    prop_assert!(!one.content.contains('\n'));
                }
                prop_assert_eq!(&found, &extract(&[said(speaker, 1, &text)], source));
            }
        }
    }
}
