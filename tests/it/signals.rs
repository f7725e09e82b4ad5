//! Precision and recall of the learning signals on labelled sentences and transcripts:
//! `cargo test --test it signals:: -- --nocapture`.

use std::path::{Path, PathBuf};
use std::{fs, io};

use math_forge::learn::signals::{Proposal, Source, extract};
use math_forge::learn::transcript::{Body, Reader, Record, Speaker};
use serde_json::Value;

use super::env::shared_data;

/// How it did.
#[derive(Debug, Default, Clone, Copy)]
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

    fn say(self, name: &str) {
        let (precision, recall) = (self.precision(), self.recall());
        eprintln!("  {name:<12} precision {precision:.2}  recall {recall:.2}  {self:?}");
    }
}

fn ratio(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { f64::from(part) / f64::from(whole) }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/signals")
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is proposed where somebody says only this.
fn proposed(role: &str, text: &str) -> Vec<Proposal> {
    let speaker = match role {
        "person" | "user" => Speaker::Person,
        "summary" => Speaker::Summary,
        _ => Speaker::Agent,
    };
    let body = Body::Said(text.to_owned());
    let record = Record { line: 1, at: None, session: None, subagent: None, speaker, body };
    extract(&[record], Source::default())
}

fn score(sentences: &[Value], label: &str, text: &str) -> Score {
    let mut score = Score::default();
    for sentence in sentences {
        let role = sentence["role"].as_str().unwrap();
        let found = !proposed(role, sentence[text].as_str().unwrap()).is_empty();
        let is_kept = sentence[label] == true || sentence[label] == 1;
        score.hits += u32::from(found && is_kept);
        score.false_alarms += u32::from(found && !is_kept);
        score.missed += u32::from(!found && is_kept);
    }
    score
}

#[test]
fn sentences_as_people_labelled_them() {
    let files = [
        "sentences",
        "french",
        "held_out",
        "fresh",
        "short",
        "hard",
        "unseen",
        "plain",
        "adverse",
        "turned",
    ];
    for file in files {
        let least = match file {
            "adverse" => 0.7,
            "hard" | "unseen" => 0.8,
            _ => 0.85,
        };
        let file = format!("{file}.jsonl");
        let all = lines(&fixtures().join(&file));
        eprintln!("{file}: {} sentences", all.len());
        for part in ["person", "agent", "summary", "en", "de", "fr"] {
            let is_part = |one: &&Value| one["role"] == part || one["lang"] == part;
            let those: Vec<Value> = all.iter().filter(is_part).cloned().collect();
            score(&those, "keep", "text").say(part);
        }
        let whole = score(&all, "keep", "text");
        whole.say("all");
        assert!(whole.precision() >= least, "{file}: {whole:?}");
        assert!(whole.recall() >= 0.5, "{file}: {whole:?}");
    }
    if let Some(folder) = shared_data("signals") {
        let all = lines(&folder.join("signals/mit_only.jsonl"));
        score(&all, "signal", "sentence").say("by others");
    }
}

#[test]
fn transcripts_as_people_labelled_them() {
    let truth = lines(&fixtures().join("truth.jsonl"));
    let mut all = Score::default();
    let mut roads: Vec<(&str, Score)> = Vec::new();
    for number in 1..=20 {
        let name = format!("t{number:02}.jsonl");
        let bytes = fs::read(fixtures().join("transcripts").join(&name)).unwrap();
        let (mut reader, mut records) = (Reader::new(), Vec::new());
        reader.push(&bytes, &mut records);
        assert_eq!(reader.unreadable, 0, "{name}");
        let proposals = extract(&records, Source::default());
        let wanted: Vec<&Value> = truth.iter().filter(|one| one["file"] == name.as_str()).collect();
        let is_meant = |proposal: &Proposal, wanted: &Value| {
            wanted["line"] == proposal.line
                && is_quoted(proposal, wanted["quote"].as_str().unwrap())
        };
        for proposal in &proposals {
            let is_right = wanted.iter().any(|one| is_meant(proposal, one));
            all.false_alarms += u32::from(!is_right);
            if !is_right {
                eprintln!("  {name}:{} {} {:?}", proposal.line, proposal.rule, proposal.content);
            }
        }
        for one in wanted {
            let is_found = proposals.iter().any(|proposal| is_meant(proposal, one));
            let road = one["road"].as_str().unwrap();
            if !roads.iter().any(|(known, _)| *known == road) {
                roads.push((road, Score::default()));
            }
            let of_road =
                roads.iter_mut().filter(|(known, _)| *known == road).map(|(_, score)| score);
            for score in of_road.chain([&mut all]) {
                score.hits += u32::from(is_found);
                score.missed += u32::from(!is_found);
            }
        }
    }
    for (road, score) in roads {
        eprintln!("  {road:<12} found {} of {}", score.hits, score.hits + score.missed);
    }
    all.say("all");
    assert!(all.precision() >= 0.8 && all.recall() >= 0.6, "{all:?}");
}

/// Whether a proposal holds half of the words of a quotation.
fn is_quoted(proposal: &Proposal, quote: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
    };
    let (said, quoted) = (words(&proposal.content), words(quote));
    2 * quoted.iter().filter(|word| said.contains(word)).count() >= quoted.len()
}

/// The records of a real transcript, read in blocks of an odd size.
fn real(name: &str) -> Option<Vec<Record>> {
    let folder = shared_data("signals")?.join("hook-payloads");
    let bytes = fs::read(folder.join(name)).unwrap();
    let (mut reader, mut records) = (Reader::new(), Vec::new());
    for block in bytes.chunks(1013) {
        reader.push(block, &mut records);
    }
    assert_eq!(reader.unreadable, 0, "{name}");
    let cursor = reader.cursor(&mut io::Cursor::new(&bytes)).unwrap();
    assert_eq!(cursor.offset, bytes.len() as u64, "{name}");
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

#[test]
fn a_real_transcript_is_read_as_it_happened() {
    let Some(records) = real("transcript.jsonl") else { return };
    assert_eq!(
        said_by(&records, Speaker::Person),
        ["Please prove that addition on Nat is commutative", "continue"]
    );
    assert_eq!(said_by(&records, Speaker::Agent)[0], "I will try `omega` first.");
    assert!(said_by(&records, Speaker::Summary)[0].starts_with("This session is being continued"));
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
    assert_eq!(said_by(&records, Speaker::Summary).len(), 1);
}
