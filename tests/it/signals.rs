//! Precision and recall of the learning signals on labelled messages, for the specification's rules and
//! for ours: `cargo test --test it signals:: -- --nocapture`.

use std::fs;
use std::path::Path;

use math_forge::learn::signals::{Source, detect, extract};
use math_forge::learn::transcript::{Body, Reader, Record, Speaker};

use super::env::shared_data;

/// A message and whether it holds a signal.
struct Labelled {
    is_signal: bool,
    /// `pattern`, `insight`, `self_knowledge`, or something else that is no type.
    kind: String,
    speaker: Speaker,
    text: String,
}

/// How a rule set did.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Score {
    hits: u32,
    false_alarms: u32,
    missed: u32,
}

impl Score {
    fn precision(self) -> f64 {
        ratio(self.hits, self.hits + self.false_alarms)
    }

    fn recall(self) -> f64 {
        ratio(self.hits, self.hits + self.missed)
    }

    fn line(self, name: &str) -> String {
        format!(
            "  {name:<14} precision {:.2}  recall {:.2}  ({} found, {} false, {} missed)",
            self.precision(),
            self.recall(),
            self.hits,
            self.false_alarms,
            self.missed
        )
    }
}

fn ratio(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { f64::from(part) / f64::from(whole) }
}

fn speaker(word: &str) -> Speaker {
    match word {
        "person" | "user" => Speaker::Person,
        "agent" | "assistant" => Speaker::Agent,
        "subagent" => Speaker::Subagent,
        _ => Speaker::Unknown,
    }
}

fn ours(half: &str) -> Vec<Labelled> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/signals").join(half);
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [label, role, kind, text] = fields[..] else { panic!("four fields: {line}") };
            Labelled {
                is_signal: label == "+",
                kind: kind.to_owned(),
                speaker: speaker(role),
                text: text.replace("\\n", "\n"),
            }
        })
        .collect()
}

fn shared() -> Option<Vec<Labelled>> {
    let folder = shared_data("signals")?;
    let text = fs::read_to_string(folder.join("signals/mit_only.jsonl")).ok()?;
    let read = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        Labelled {
            is_signal: value["signal"] == 1,
            kind: String::new(),
            speaker: speaker(value["role"].as_str().unwrap()),
            text: value["sentence"].as_str().unwrap().to_owned(),
        }
    };
    Some(text.lines().map(read).collect())
}

/// The records of a real transcript, read in blocks of an odd size.
fn real(name: &str) -> Option<Vec<Record>> {
    let folder = shared_data("signals")?.join("hook-payloads");
    let bytes = fs::read(folder.join(name)).unwrap();
    let (mut reader, mut records) = (Reader::new(), Vec::new());
    for block in bytes.chunks(1013) {
        reader.push(block, &mut records);
    }
    assert_eq!(reader.unreadable(), 0, "{name}");
    assert_eq!(reader.cursor().offset, bytes.len() as u64, "{name}");
    Some(records)
}

fn said_by(records: &[Record], speaker: Speaker) -> Vec<&str> {
    records
        .iter()
        .filter(|record| record.speaker == speaker)
        .filter_map(|record| match &record.body {
            Body::Said(words) => Some(words.as_str()),
            _ => None,
        })
        .collect()
}

/// The phrases of the specification: anywhere, whoever says them.
const SPECIFIED: &[&str] = &[
    "you prefer",
    "you like to",
    "you always",
    "you usually",
    "your preference",
    "your style",
    "you tend to",
    "i learned",
    "i noticed",
    "i discovered",
    "key insight",
    "important finding",
    "takeaway",
    "the lesson",
    "note to self",
    "remember that",
    "i should remember",
    "for next time",
    "mental note",
    "i need to remember",
];

fn specified(message: &Labelled) -> bool {
    let text = message.text.to_ascii_lowercase();
    SPECIFIED.iter().any(|phrase| text.contains(phrase))
}

fn ours_finds(message: &Labelled) -> bool {
    !detect(&message.text, message.speaker).is_empty()
}

fn score(messages: &[Labelled], finds: fn(&Labelled) -> bool) -> Score {
    let mut score = Score::default();
    for message in messages {
        match (finds(message), message.is_signal) {
            (true, true) => score.hits += 1,
            (true, false) => score.false_alarms += 1,
            (false, true) => score.missed += 1,
            (false, false) => {}
        }
    }
    score
}

/// Signals whose type is the labelled one, of those that were found and have a labelled type.
fn right_types(messages: &[Labelled]) -> (u32, u32) {
    let mut right = 0;
    let mut all = 0;
    for message in messages.iter().filter(|message| message.is_signal) {
        let found = detect(&message.text, message.speaker);
        if let (Some(signal), false) = (found.first(), message.kind == "correction") {
            all += 1;
            right += u32::from(signal.kind.word() == message.kind);
        }
    }
    (right, all)
}

/// Prints both rule sets side by side.
fn compare(name: &str, messages: &[Labelled]) -> [Score; 2] {
    let scores = [specified, ours_finds].map(|finds| score(messages, finds));
    let signals = messages.iter().filter(|message| message.is_signal).count();
    eprintln!("{name}: {} messages, {signals} signals", messages.len());
    eprintln!("{}", scores[0].line("specification"));
    eprintln!("{}", scores[1].line("ours"));
    scores
}

#[test]
fn ours_are_precise_and_find_no_less_than_the_specified() {
    let halves = [("tuning half", ours("tuning.tsv")), ("held-out half", ours("held_out.tsv"))];
    for (name, messages) in &halves {
        let [specified, ours] = compare(name, messages);
        assert!(ours.precision() >= 0.8, "{name}: {ours:?}");
        let (right, all) = right_types(messages);
        eprintln!("  {:<14} type as labelled: {right} of {all}", "ours");
        assert!(ratio(right, all) >= 0.9, "{name}: {right} of {all} types");
        assert!(ours.recall() >= specified.recall(), "{name}: {ours:?} against {specified:?}");
    }
    if let Some(messages) = shared() {
        compare("real sentences, labelled by somebody else", &messages);
    }
}

#[test]
fn a_real_transcript_is_read_as_it_happened() {
    let Some(records) = real("transcript.jsonl") else { return };
    assert_eq!(
        said_by(&records, Speaker::Person),
        ["Please prove that addition on Nat is commutative", "continue"]
    );
    assert_eq!(said_by(&records, Speaker::Agent)[0], "I will try `omega` first.");
    assert!(said_by(&records, Speaker::Summary)[0].starts_with("This session is being continued"));
    assert!(records.iter().any(|record| record.body == Body::Compacted));
    let results: Vec<(&str, Option<i32>, bool)> = records
        .iter()
        .filter_map(|record| match &record.body {
            Body::Returned(result) => {
                Some((result.call.as_ref()?.name.as_str(), result.exit_code, result.is_error))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        results,
        [
            ("Read", None, false),
            ("Edit", None, false),
            ("Bash", Some(1), true),
            ("Edit", None, false),
            ("Write", None, false),
            ("Edit", None, true),
            ("Agent", None, false),
            ("TaskCreate", None, false),
            ("TaskUpdate", None, false),
        ]
    );
    assert_eq!(extract(&records, Source::default()), [], "nothing worth keeping");
}

#[test]
fn a_real_subagent_and_a_real_compaction() {
    let Some(records) = real("transcript.subagent.jsonl") else { return };
    assert_eq!(said_by(&records, Speaker::Agent), ["Check lemma a"], "the task, by the main agent");
    assert_eq!(said_by(&records, Speaker::Subagent), ["Looking.", "Lemma a is fine."]);
    assert_eq!(said_by(&records, Speaker::Person), [""; 0]);
    assert!(records.iter().all(|record| record.subagent.is_some()));

    let Some(records) = real("transcript.auto-compact.jsonl") else { return };
    assert_eq!(said_by(&records, Speaker::Person), ["first prompt", "second"]);
    let compacted = records.iter().position(|record| record.body == Body::Compacted).unwrap();
    assert_eq!(records[compacted + 1].speaker, Speaker::Summary);
}
