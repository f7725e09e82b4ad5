//! Which sketches the prover has answered: what was asked gives way to the answer.

use std::collections::{BTreeMap, HashMap};

use rusqlite::params;

use super::record::{number, text};
use super::{StoreError, Writer};
use crate::model::{SKETCH_TAG, is_bare_slot, stem_key};

/// A result file with what it holds.
#[derive(Debug, Default)]
struct File {
    submission: Option<String>,
    slot: Option<i64>,
    /// Findings by the name of their theorem.
    findings: Vec<(i64, Option<String>, Option<i64>)>,
}

impl Writer<'_> {
    /// Marks the findings of every sketch that has an answer as replaced by those of the answer, and of
    /// every other as not replaced. They belong together by the submission, the file's name, the slot,
    /// in this order.
    pub fn supersede_sketches(&self, project: Option<&str>) -> Result<(), StoreError> {
        // Who changes a status changes the index.
        self.indexing.flush(self.connection)?;
        let mut sketches: BTreeMap<String, File> = BTreeMap::new();
        let mut answers: BTreeMap<String, File> = BTreeMap::new();
        let mut statement = self.connection.prepare_cached(
            "SELECT id, source_file, source_submission_uuid, source_slot, theorem_name,
             superseded_by, instr(',' || tags || ',', ',' || ?2 || ',') > 0
             FROM findings WHERE project IS ?1 AND extracted_from IS NOT NULL
             AND source_file IS NOT NULL AND (evidence = 'prover' OR tags LIKE '%' || ?2 || '%')
             ORDER BY id",
        )?;
        let mut rows = statement.query(params![project, SKETCH_TAG])?;
        while let Some(row) = rows.next()? {
            let of = if row.get(6)? { &mut sketches } else { &mut answers };
            let file = of.entry(text(row, 1)?.unwrap_or_default()).or_default();
            file.submission = file.submission.take().or(text(row, 2)?);
            file.slot = file.slot.or(number(row, 3)?);
            file.findings.push((row.get(0)?, text(row, 4)?, number(row, 5)?));
        }
        let answered = Answered::new(&answers);
        let mut update = self.connection.prepare_cached(
            "UPDATE findings SET superseded_by = ?1,
                 status = iif(?1 IS NULL, 'claimed', 'superseded')
                 WHERE id = ?2 AND status IN ('claimed', 'superseded')",
        )?;
        for (path, sketch) in &sketches {
            let slot_is_shared =
                sketches.iter().any(|(other, of)| other != path && of.slot == sketch.slot);
            let answer =
                answered.to(path, sketch, slot_is_shared).and_then(|path| answers.get(path));
            for (id, name, now) in &sketch.findings {
                let by = answer.and_then(|answer| {
                    let same = answer.findings.iter().find(|(_, other, _)| other == name);
                    same.or(answer.findings.last()).map(|(id, ..)| *id)
                });
                if by != *now {
                    update.execute(params![by, id])?;
                }
            }
        }
        Ok(())
    }
}

/// The answers, by what they are known by.
#[derive(Default)]
struct Answered<'a> {
    submissions: HashMap<&'a str, &'a str>,
    stems: HashMap<String, &'a str>,
    slots: HashMap<i64, Vec<&'a str>>,
}

impl<'a> Answered<'a> {
    fn new(answers: &'a BTreeMap<String, File>) -> Self {
        let mut answered = Self::default();
        for (path, file) in answers {
            if let Some(submission) = &file.submission {
                answered.submissions.insert(submission, path);
            }
            answered.stems.insert(stem_key(path), path);
            if let Some(slot) = file.slot {
                answered.slots.entry(slot).or_default().push(path);
            }
        }
        answered
    }

    /// The answer to a sketch. By the slot alone only where nothing else could be meant.
    fn to(&self, path: &str, sketch: &File, slot_is_shared: bool) -> Option<&'a str> {
        let submission = sketch.submission.as_deref();
        submission
            .and_then(|submission| self.submissions.get(submission))
            .or_else(|| self.stems.get(&stem_key(path)))
            .copied()
            .or_else(|| match self.slots.get(&sketch.slot?)?.as_slice() {
                [only] if !slot_is_shared && is_bare_slot(only) => Some(only),
                _ => None,
            })
    }
}
