//! Tests of the reading of transcripts.

use std::io;

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Vec<Record> {
    let mut records = Vec::new();
    Reader::new().push(text.as_bytes(), &mut records);
    records
}

/// `speaker: words`, one a record.
fn told(records: &[Record]) -> Vec<String> {
    records
        .iter()
        .map(|record| {
            let body = match &record.body {
                Body::Said(words) => words.clone(),
                Body::Called(call) => {
                    let first = call.input.first().map_or("", |(_, value)| value);
                    format!("{}({first})", call.name)
                }
                Body::Returned(result) => format!(
                    "{} -> {:?} {}",
                    result.call.as_ref().map_or("?", |call| &call.name),
                    result.exit_code,
                    result.text
                ),
                Body::Edited { path, snippet } => format!("{path}: {snippet}"),
            };
            format!("{}: {body}", record.speaker)
        })
        .collect()
}

const CALL: &str = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"lake build","timeout":5}}]}}"#;
const RESULT: &str = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Exit code 1\nerror: x","is_error":true}]},"toolUseResult":"Error: Exit code 1\nerror: x"}"#;

/// Each line has one record, `speaker: words`.
#[track_caller]
fn assert_spoken(rows: &[(&str, &str)]) {
    for (line, expected) in rows {
        assert_eq!(told(&read(&format!("{line}\n"))), [*expected], "{line}");
    }
}

#[test]
fn who_speaks_in_the_lines_of_users() {
    assert_spoken(&[
        (r#"{"type":"user","message":{"role":"user","content":"Prove it"}}"#, "person: Prove it"),
        (
            r#"{"type":"user","message":{"content":[{"type":"text","text":"Prove it"}]}}"#,
            "person: Prove it",
        ),
        (r#"{"type":"user","origin":{"kind":"human"},"message":{"content":"Go"}}"#, "person: Go"),
        (r#"{"type":"user","origin":{"kind":"peer"},"message":{"content":"Go"}}"#, "injected: Go"),
        (
            r#"{"type":"user","origin":{"kind":"auto-continuation"},"message":{"content":"Go"}}"#,
            "injected: Go",
        ),
        (
            r#"{"type":"user","isMeta":true,"message":{"content":"skill text"}}"#,
            "injected: skill text",
        ),
        (
            r#"{"type":"user","isSidechain":true,"agentId":"a1","message":{"content":"Check lemma a"}}"#,
            "agent: Check lemma a",
        ),
        (
            r#"{"type":"user","isCompactSummary":true,"message":{"content":"We did X"}}"#,
            "summary: We did X",
        ),
        (
            r#"{"type":"user","message":{"content":"This session is being continued from a previous conversation that"}}"#,
            "summary: This session is being continued from a previous conversation that",
        ),
    ]);
}

#[test]
fn what_programs_put_into_the_lines_of_users() {
    assert_spoken(&[
        (
            r#"{"type":"user","message":{"content":"[math-forge] known false: a"}}"#,
            "injected: [math-forge] known false: a",
        ),
        (
            r#"{"type":"user","message":{"content":"<command-name>/x</command-name>\n  <command-args>y</command-args>"}}"#,
            "injected: <command-name>/x</command-name>\n  <command-args>y</command-args>",
        ),
        (
            r#"{"type":"user","message":{"content":"<system-reminder>be nice</system-reminder>Go on"}}"#,
            "person: Go on",
        ),
        (
            r#"{"type":"user","message":{"content":"<command-name> is a tag, a < b too"}}"#,
            "person: <command-name> is a tag, a < b too",
        ),
        (
            r#"{"type":"user","message":{"content":"[Request interrupted by user for tool use]"}}"#,
            "injected: [Request interrupted by user for tool use]",
        ),
        (
            r#"{"type":"user","message":{"content":"PreToolUse:Edit hook additional context: never edit A"}}"#,
            "injected: PreToolUse:Edit hook additional context: never edit A",
        ),
        (
            r#"{"type":"user","message":{"content":"Stop hook feedback:\nalways build first"}}"#,
            "injected: Stop hook feedback:\nalways build first",
        ),
        (
            r#"{"type":"user","message":{"content":"never edit A by a hook"}}"#,
            "person: never edit A by a hook",
        ),
    ]);
}

#[test]
fn who_speaks_in_other_lines() {
    assert_spoken(&[
        (
            r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#,
            "agent: Done.",
        ),
        (
            r#"{"type":"assistant","agentId":"a1","isSidechain":true,"message":{"content":"Fine."}}"#,
            "subagent: Fine.",
        ),
        (
            r#"{"type":"assistant","isApiErrorMessage":true,"message":{"content":"API Error: 500"}}"#,
            "client: API Error: 500",
        ),
        (
            r#"{"type":"assistant","message":{"model":"<synthetic>","content":"No response."}}"#,
            "client: No response.",
        ),
        (
            r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"use omega","commandMode":"prompt","origin":{"kind":"human"}}}"#,
            "person: use omega",
        ),
        (
            r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"use omega"}]}}"#,
            "person: use omega",
        ),
        (
            r#"{"type":"attachment","attachment":{"type":"queued_command","prompt":"done","commandMode":"task-notification"}}"#,
            "injected: done",
        ),
    ]);
}

#[test]
fn what_is_no_speech_has_no_record() {
    for line in [
        r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm, I learned"}]}}"#,
        r#"{"type":"attachment","attachment":{"type":"hook_additional_context","content":["[math-forge] x"]}}"#,
        r#"{"type":"system","subtype":"compact_boundary","content":"Conversation compacted"}"#,
        r#"{"type":"queue-operation","operation":"enqueue","content":"prompt"}"#,
        r#"{"type":"a kind of tomorrow","message":{"content":"text"}}"#,
        r#"{"type":5,"message":[1,2]}"#,
        r#"{"type":"user","message":{"content":{"type":5}}}"#,
        r#"{"type":"user","message":null,"toolUseResult":[{"a":1}]}"#,
        "{}",
        "",
    ] {
        let mut reader = Reader::new();
        let mut records = Vec::new();
        reader.push(format!("{line}\n").as_bytes(), &mut records);
        assert_eq!((told(&records), reader.unreadable), (vec![], 0), "{line}");
    }
}

#[test]
fn calls_are_paired_with_their_results() {
    let records = read(&format!("{CALL}\n{RESULT}\n"));
    assert_eq!(
        told(&records),
        ["agent: Bash(lake build)", "tool: Bash -> Some(1) Exit code 1\nerror: x"]
    );
    let Body::Returned(result) = &records[1].body else { panic!() };
    assert!(result.is_error && !result.interrupted);
    let call = result.call.as_deref().unwrap();
    assert_eq!((call.line, call.parameter("timeout")), (1, Some("5")));

    let orphan = read(&format!("{RESULT}\n{CALL}\n"));
    assert_eq!(told(&orphan)[0], "tool: ? -> Some(1) Exit code 1\nerror: x", "no call before it");
}

#[test]
fn several_calls_in_one_line_and_results_in_another_order() {
    let line = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Both:"},{"type":"tool_use","id":"a","name":"Read","input":{"file_path":"/A.lean"}},{"type":"tool_use","id":"b","name":"Bash","input":{"command":"ls"}}]}}"#;
    let results = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"A.lean"},{"type":"image"},{"type":"text","text":"B.lean"}]},{"type":"tool_result","tool_use_id":"a","content":"1\tdef"}]}}"#;
    assert_eq!(
        told(&read(&format!("{line}\n{results}\n"))),
        [
            "agent: Both:",
            "agent: Read(/A.lean)",
            "agent: Bash(ls)",
            "tool: Bash -> Some(0) A.lean\nB.lean",
            "tool: Read -> None 1\tdef",
        ]
    );
}

#[test]
fn an_edit_keeps_its_patch_and_not_the_whole_file() {
    let line = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"e","content":"ok"}]},"toolUseResult":{"originalFile":"theorem","structuredPatch":[{"oldStart":3,"oldLines":1,"newStart":3,"newLines":1,"lines":["-  sorry","+  omega"]}]}}"#;
    let records = read(&format!("{line}\n"));
    let Body::Returned(result) = &records[0].body else { panic!() };
    let lines = vec!["-  sorry".to_owned(), "+  omega".to_owned()];
    assert_eq!(result.patch, [Hunk { old_start: 3, lines }]);
}

#[test]
fn no_cut_and_no_line_break_saves_a_secret() {
    const KEY: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";
    let read_value = |value: &serde_json::Value| {
        let kept = read(&format!("{value}\n"));
        assert!(!kept.is_empty());
        format!("{kept:?}")
    };
    // At every place around the cut of a long parameter.
    for before in (MAX_PARAMETER / 2 - 60..MAX_PARAMETER / 2 + 60).step_by(3) {
        let command = format!("{}{KEY}{}", "a ".repeat(before / 2), " b".repeat(MAX_PARAMETER));
        let secret = format!("<private>quokka {command}</private> c");
        let kept = read_value(&serde_json::json!({"type": "assistant", "message": {"content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": command}},
            {"type": "tool_use", "id": "u", "name": "Bash", "input": {"command": secret, KEY: 1}}]}}));
        assert!(!kept.contains("ghp_") && !kept.contains("quokka"), "{before}");
        assert!(!kept.contains("ABCDEF"), "{before}");
    }
    let kept = read_value(&serde_json::json!({"type": "user", "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}, "toolUseResult":
        {"structuredPatch": [{"oldStart": 1, "newStart": 1, "lines": [
            " x", "+-----BEGIN PRIVATE KEY-----", "+MIIEvQIBADANBgkqhkiG9w0B", "+AAs=",
            "+-----END PRIVATE KEY-----", "+<private>quokka", "+wombat</private>", "+kept"]}]}}));
    for gone in ["MIIE", "AAs=", "quokka", "wombat"] {
        assert!(!kept.contains(gone), "{kept}");
    }
    assert!(kept.contains("+kept"), "{kept}");
}

#[test]
fn half_characters_and_marks_of_an_encoding_lose_no_line() {
    for (line, expected) in [
        (
            r#"{"type":"user","message":{"content":"cut \ud835 here"}}"#.to_owned(),
            "person: cut \u{fffd} here",
        ),
        (
            r#"{"type":"user","message":{"content":"whole \ud835\udd5c"}}"#.to_owned(),
            "person: whole \u{1d55c}",
        ),
        (
            "\u{feff}{\"type\":\"user\",\"message\":{\"content\":\"first\"}}".to_owned(),
            "person: first",
        ),
    ] {
        assert_eq!(told(&read(&format!("{line}\n"))), [expected], "{line}");
        let (mut reader, mut records) = (Reader::new(), Vec::new());
        reader.push(line.as_bytes(), &mut records);
        reader.finish(&mut records);
        assert_eq!(told(&records), [expected], "{line}");
    }
}

#[test]
fn secrets_and_private_parts_are_gone() {
    let line = r#"{"type":"user","message":{"content":"Use <private>my name</private> password=hunter2"}}"#;
    assert_eq!(told(&read(&format!("{line}\n"))), ["person: Use  password=[secret removed]"]);
    let call = CALL.replace("lake build", "curl -H 'Authorization: Bearer abc123def456ghi'");
    assert_eq!(
        told(&read(&format!("{call}\n"))),
        ["agent: Bash(curl -H 'Authorization: Bearer [secret removed]')"]
    );
}

#[test]
fn what_cannot_be_read_is_counted_and_the_rest_is_read() {
    let mut reader = Reader::new();
    let mut records = Vec::new();
    let mut bytes = b"{\"type\":\n[1,2]\n\x00\x01\xff\n\n".to_vec();
    bytes.extend_from_slice(b"{\"type\":\"user\",\"message\":{\"content\":\"na\xc3ve \xff\"}}\n");
    reader.push(&bytes, &mut records);
    assert_eq!(told(&records), ["person: na\u{fffd}ve \u{fffd}"]);
    assert_eq!(records[0].line, 5);
    assert_eq!(reader.unreadable, 3);
    assert!(reader.problem.as_ref().unwrap().starts_with("line 1: "), "{:?}", reader.problem);
}

#[test]
fn a_torn_last_line_waits() {
    let mut reader = Reader::new();
    let mut records = Vec::new();
    let (whole, torn) = RESULT.split_at(40);
    reader.push(format!("{CALL}\n{whole}").as_bytes(), &mut records);
    let file = format!("{CALL}\n{RESULT}");
    let cursor = cursor(&reader, file.as_bytes());
    assert_eq!((records.len(), cursor.lines), (1, 1));
    assert_eq!(cursor.offset, CALL.len() as u64 + 1);
    reader.push(torn.as_bytes(), &mut records);
    assert_eq!(records.len(), 1, "its line break is still to come");
    reader.push(b"\n", &mut records);
    assert_eq!((records.len(), records[1].line), (2, 2));
}

#[test]
fn a_finished_file_needs_no_last_line_break() {
    for (rest, expected) in [(CALL, 1), (&CALL[..50], 0), ("", 0)] {
        let mut reader = Reader::new();
        let mut records = Vec::new();
        reader.push(rest.as_bytes(), &mut records);
        reader.finish(&mut records);
        assert_eq!((records.len(), reader.unreadable), (expected, 0), "{rest}");
    }
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let mut reader = Reader::new();
    let mut records = Vec::new();
    reader.push(format!("{CALL}\n").as_bytes(), &mut records);
    let mut long = vec![b'x'; 20 * 1024 * 1024];
    long.extend_from_slice(format!("\n{RESULT}\n").as_bytes());
    reader.push(&long, &mut records);
    assert_eq!(records.len(), 2);
    assert_eq!((records[1].line, reader.unreadable), (3, 1));
    assert_eq!(reader.problem.as_deref(), Some("line 2: longer than 16 MB"));
}

fn cursor(reader: &Reader, file: &[u8]) -> Cursor {
    reader.cursor(&mut io::Cursor::new(file)).unwrap()
}

fn holds(file: &[u8], cursor: &Cursor) -> bool {
    Reader::resume(cursor, &mut io::Cursor::new(file)).is_some()
}

#[test]
fn a_changed_file_is_noticed() {
    let file = format!("{CALL}\n{RESULT}\n").repeat(100);
    let mut reader = Reader::new();
    reader.push(file.as_bytes(), &mut Vec::new());
    let cursor = cursor(&reader, file.as_bytes());
    let changed = |place: usize| {
        let mut bytes = file.clone().into_bytes();
        bytes[place] ^= 1;
        bytes
    };
    for (now, expected) in [
        (file.clone().into_bytes(), true),
        (format!("{file}{{\"type\":").into_bytes(), true),
        (file.as_bytes()[..file.len() - 1].to_vec(), false),
        (Vec::new(), false),
        (changed(0), false),
        (changed(4000), false),
        (changed(file.len() - 1), false),
        (file[1..].bytes().chain(*b"xyz").collect(), false),
    ] {
        assert_eq!(holds(&now, &cursor), expected, "{} bytes", now.len());
    }
    assert!(holds(b"", &Cursor::default()));
    assert!(holds(b"x", &Cursor::default()));
}

#[test]
fn a_cursor_survives_being_stored() {
    let mut reader = Reader::new();
    let file = format!("{CALL}\n");
    reader.push(file.as_bytes(), &mut Vec::new());
    let cursor = cursor(&reader, file.as_bytes());
    let stored: Cursor = serde_json::from_str(&serde_json::to_string(&cursor).unwrap()).unwrap();
    assert_eq!(stored, cursor);
    assert_eq!(cursor.open[0].id, "t1", "the call waits for its result");
}

#[test]
fn plain_text_has_speakers_where_it_names_them() {
    for (text, expected) in [
        ("Just notes.\nMore.\n", vec![(1, "unknown: Just notes.\nMore.\n")]),
        (
            "User: Prove it\nplease\n\nAssistant: Done.\n",
            vec![(1, "person: Prove it\nplease\n\n"), (4, "agent: Done.\n")],
        ),
        (
            "## User\n\nGo\n\n**Claude:** Yes\n",
            vec![(1, "person: \n\nGo\n\n"), (5, "agent: Yes\n")],
        ),
        (
            "❯ go\n⏺ ok\n  ⎿ out\n",
            vec![(1, "person: go\n"), (2, "agent: ok\n"), (3, "tool: out\n")],
        ),
        ("```\nUser: x\n```\n", vec![(1, "unknown: ```\nUser: x\n```\n")]),
        ("Users: many\nmean: 3\n", vec![(1, "unknown: Users: many\nmean: 3\n")]),
        (
            "Human: <private>a\nb\nc</private>d\nAI: e",
            vec![(1, "person: \n\nd\n"), (4, "agent: e\n")],
        ),
        ("Human: [math-forge] brief", vec![(1, "injected: [math-forge] brief\n")]),
        ("", vec![]),
    ] {
        let records = read_plain(text.as_bytes());
        let lines: Vec<(u64, String)> =
            records.iter().map(|record| record.line).zip(told(&records)).collect();
        let expected: Vec<(u64, String)> =
            expected.into_iter().map(|(line, words)| (line, words.to_owned())).collect();
        assert_eq!(lines, expected, "{text:?}");
    }
}

/// A transcript of lines that are known, unknown and broken.
fn transcript() -> impl Strategy<Value = Vec<u8>> {
    let said = "[ -~]{0,20}".prop_map(|words| {
        let words = serde_json::to_string(&words).unwrap();
        format!(r#"{{"type":"user","sessionId":"s","message":{{"content":{words}}}}}"#)
    });
    let line = prop_oneof![
        said,
        Just(CALL.to_owned()),
        Just(RESULT.to_owned()),
        Just(CALL.replace("t1", "t2")),
        Just(r#"{"type":"system","subtype":"compact_boundary"}"#.to_owned()),
        Just(format!(r#"{{"type":"x","pad":"{}"}}"#, "p".repeat(3000))),
        "[ -~]{0,30}",
    ]
    .prop_map(String::into_bytes);
    let line = prop_oneof![9 => line, 1 => prop::collection::vec(any::<u8>(), 0..40)];
    prop::collection::vec(line, 0..20).prop_map(|lines| lines.join(&b'\n'))
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut records = Vec::new();
        let mut reader = Reader::new();
        reader.push(&bytes, &mut records);
        reader.finish(&mut records);
        read_plain(&bytes);
    }

    #[test]
    fn where_the_blocks_are_cut_makes_no_difference(file in transcript(), sizes in prop::collection::vec(1_usize..50, 1..40)) {
        let (mut at_once, mut whole) = (Reader::new(), Vec::new());
        at_once.push(&file, &mut whole);
        let (mut in_parts, mut parts) = (Reader::new(), Vec::new());
        let mut rest = &file[..];
        for size in sizes.iter().cycle() {
            let (part, after) = rest.split_at((*size).min(rest.len()));
            in_parts.push(part, &mut parts);
            rest = after;
            if rest.is_empty() { break; }
        }
        prop_assert_eq!(&whole, &parts);
        prop_assert_eq!(cursor(&at_once, &file), cursor(&in_parts, &file));
        prop_assert_eq!(at_once.problem, in_parts.problem);
    }

    #[test]
    fn continuing_equals_reading_at_once(file in transcript(), cut in any::<prop::sample::Index>()) {
        let (mut at_once, mut whole) = (Reader::new(), Vec::new());
        at_once.push(&file, &mut whole);

        let grown_to = cut.index(file.len() + 1);
        let (mut first, mut records) = (Reader::new(), Vec::new());
        first.push(&file[..grown_to], &mut records);
        let place = cursor(&first, &file);
        let mut rest = io::Cursor::new(&file);
        let mut second = Reader::resume(&place, &mut rest).unwrap();
        while second.read(&mut rest, &mut records).unwrap() {}
        prop_assert_eq!(&whole, &records);
        prop_assert_eq!(cursor(&at_once, &file), cursor(&second, &file));
    }

    #[test]
    fn roles_are_never_mixed(turns in prop::collection::vec((any::<bool>(), "[a-z ]{0,12}", 0_u8..5), 0..12)) {
        let mut text = String::new();
        let mut expected = Vec::new();
        for (number, (is_person, words, noise)) in turns.iter().enumerate() {
            let (kind, speaker) = if *is_person { ("user", Speaker::Person) } else { ("assistant", Speaker::Agent) };
            let words = format!("{words}{number}");
            let line = format!("{{\"type\":\"{kind}\",\"message\":{{\"content\":\"{words}\"}}}}\n");
            text.push_str(&line);
            expected.push((speaker, words));
            text.push_str(match noise {
                0 => "{\"type\":\"user\",\"isMeta\":true,\"message\":{\"content\":\"meta\"}}\n",
                1 => RESULT,
                2 => "{\"type\":\"attachment\",\"attachment\":{\"content\":[\"hook\"]}}\n",
                3 => "{\"type\":\"assistant\",\"isSidechain\":true,\"message\":{\"content\":\"side\"}}\n",
                _ => "{\"type\":\"us",
            });
            if !text.ends_with('\n') { text.push('\n'); }
        }
        let said: Vec<(Speaker, String)> = read(&text)
            .into_iter()
            .filter(|record| matches!(record.speaker, Speaker::Person | Speaker::Agent))
            .filter_map(|record| match record.body {
                Body::Said(words) => Some((record.speaker, words)),
                _ => None,
            })
            .collect();
        prop_assert_eq!(said, expected);
    }
}
