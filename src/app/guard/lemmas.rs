//! What is recorded as false, from the knowledge database and from the tracking database.

use std::collections::HashSet;

use crate::app::{App, tracked};
use crate::guard::FalseLemma;
use crate::model::{Confidence, Draft};
use crate::store::FalseRecord;

/// More are not looked for; the newest count.
const MOST: usize = 500;

/// A shorter statement of another project means too little without its definitions, in characters.
const LEAST_ELSEWHERE: usize = 12;

/// The lemmas to look for in this project: its own by name and by statement, those of other projects
/// by statement. Nothing is created; what cannot be read is said in the log and left out.
pub fn false_lemmas(app: &mut App) -> Vec<FalseLemma> {
    let project = app.project_identity();
    let stored = match app.existing_store() {
        Ok(Some(store)) => {
            let here = project.as_deref().map(|project| store.project_names(project)).transpose();
            here.and_then(|here| Ok((here.unwrap_or_default(), store.false_lemmas(MOST)?)))
                .map_err(|error| error.to_string())
        }
        Ok(None) => Ok((Vec::new(), Vec::new())),
        Err(error) => Err(error.to_string()),
    };
    let told = tracked::false_lemmas(app).map_err(|error| error.to_string());
    for error in [stored.as_ref().err(), told.as_ref().err()].into_iter().flatten() {
        app.log.line(app.now, "guard", &format!("false lemmas were not read: {error}"));
    }
    let (here, stored) = stored.unwrap_or_default();
    let own = stored.into_iter().map(|record| known(record, &here));
    let told = told.unwrap_or_default().into_iter().take(MOST).map(reported);
    let mut lemmas: Vec<FalseLemma> = own.chain(told).filter(says_something).collect();
    let mut seen = HashSet::new();
    lemmas.retain(|lemma| {
        let words: String = lemma.statement.split_whitespace().collect();
        seen.insert((lemma.name.clone(), words, lemma.elsewhere))
    });
    lemmas
}

/// Whether there is anything to look for.
fn says_something(lemma: &FalseLemma) -> bool {
    if lemma.elsewhere {
        return lemma.statement.chars().count() >= LEAST_ELSEWHERE;
    }
    !lemma.name.is_empty() || !lemma.statement.is_empty()
}

fn known(record: FalseRecord, here: &[String]) -> FalseLemma {
    FalseLemma {
        elsewhere: record.project.as_ref().is_some_and(|project| !here.contains(project)),
        name: record.name.unwrap_or_default(),
        statement: trimmed(record.statement),
        key: record.key.and_then(|key| key.parse().ok()),
        counterexample: trimmed(record.counterexample),
        why: trimmed(record.why),
        instead: trimmed(record.instead),
        claimed: !record.is_checked,
    }
}

fn reported(lemma: Draft) -> FalseLemma {
    // What can stand in a Lean text.
    let name = lemma.theorem_name.filter(|name| !name.contains(char::is_whitespace));
    FalseLemma {
        name: name.unwrap_or_default(),
        claimed: lemma.confidence != Confidence::Disproven,
        statement: trimmed(lemma.theorem_statement),
        counterexample: trimmed(lemma.counterexample),
        why: trimmed(lemma.why_failed),
        instead: trimmed(lemma.correct_approach.or(lemma.avoid_pattern)),
        elsewhere: false,
        key: None,
    }
}

fn trimmed(text: Option<String>) -> String {
    text.map(|text| text.trim().to_owned()).unwrap_or_default()
}
