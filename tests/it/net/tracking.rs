//! What is made of a prover's `tracking.db`, in both vocabularies, with and without the later tables.

use super::stage::Stage;
use super::{Part, Recording, together};
use crate::tracking_fixture::{Fixture, Vocabulary};

const LINES: &[&str] = &[
    "import --dry-run",
    "import",
    "import --json",
    "brief",
    "brief --budget 900 --json",
    "stats",
    "stats --json",
    "queue",
    "queue --json",
    "search chain",
    "search width --kind false-lemma -n 20",
    "search width --json -n 3",
    "search --kind failure -n 20",
    "find tuza",
    "find tuza --json",
    "failed",
    "failed width --json -n 3",
    "strategies",
    "strategies --json",
    "show 1,2,3",
    "show 1 --json",
    "doctor --json",
];

pub(super) fn recorded() -> Vec<Recording> {
    let part = |vocabulary: Vocabulary, minimal: bool| -> Part {
        Box::new(move || {
            let stage = Stage::at_noon();
            let file = stage.write("submissions/tracking.db", "");
            std::fs::remove_file(&file).unwrap();
            let now = super::stage::noon();
            drop(
                Fixture { minimal, submissions: 80, now, ..Fixture::new(vocabulary) }.write(&file),
            );
            stage.quietly("init --no-import --no-journal", "");
            for line in LINES {
                stage.mk(line);
            }
            let which = format!("{vocabulary:?}{}", if minimal { ", minimal" } else { "" });
            let mut recordings = stage.done();
            for one in &mut recordings {
                one.name = format!("{which}: {}", one.name);
            }
            recordings
        })
    };
    together(vec![
        part(Vocabulary::Old, false),
        part(Vocabulary::New, false),
        part(Vocabulary::Old, true),
    ])
}
