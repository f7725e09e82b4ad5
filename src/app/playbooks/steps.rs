//! The three steps from runs to entries, each saved before the next begins: fetch, ask, save. A process
//! that ends between two of them has lost nothing and repeats nothing but a question.

use std::fmt::Write as _;

use anyhow::anyhow;
use serde_json::Value;

use crate::app::{App, model};
use crate::learn::facts::{Origin, Prompt};
use crate::learn::playbooks::{MAX_TOKENS, NAME, Reading, Template, read, schema};
use crate::llm::{self, Failure, Model};
use crate::model::{Put, Run};
use crate::store::{DueFilter, FetchedRun, OpenExtraction, StoreError, Writer};
use crate::text::hash;

/// Runs that are asked about at once.
const BATCH: usize = 10;

/// What became of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its row.
    pub put: Put,
    /// The entry.
    pub entry: crate::learn::playbooks::Entry,
}

/// What an extraction brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Saved {
    /// Its entries.
    pub entries: Vec<Kept>,
    /// What the model says of all runs.
    pub summary: String,
}

/// First step: takes runs that wait in hand, as many as fit into one prompt. `None` where none waits.
///
/// # Errors
/// When the database cannot be written.
pub fn fetch(
    app: &mut App,
    filter: &DueFilter,
    template: &Template,
    model: &str,
) -> anyhow::Result<Option<OpenExtraction>> {
    let (now, filter) = (app.now, DueFilter { limit: filter.limit.min(BATCH), ..filter.clone() });
    let fetched = app.store()?.write(now, |writer| {
        let mut runs = writer.due_runs(&filter)?;
        runs.truncate(Template::fitting(&runs));
        if runs.is_empty() {
            return Ok(None);
        }
        let (prompt, _) = template.prompt(&runs);
        let extraction = OpenExtraction {
            id: extraction_id(&runs, &now.to_string()),
            model: model.to_owned(),
            prompt_hash: prompt_hash(&prompt),
            runs: runs
                .iter()
                .map(|run| FetchedRun { id: run.id, hash: run.hash.clone() })
                .collect(),
            reply: None,
            prompt_tokens: 0,
            reply_tokens: 0,
        };
        writer.begin_extraction(&extraction)?;
        Ok(Some(extraction))
    })?;
    Ok(fetched)
}

/// Second step: asks the model and keeps its reply, which was checked. `None` where the runs have changed
/// or are gone since they were fetched; they are free again.
///
/// # Errors
/// A [`Failure`], or what the database says. What may pass leaves everything as it was, to be asked again;
/// an answer of no use frees the runs, to be asked about one by one.
pub fn ask(
    app: &mut App,
    model: &dyn Model,
    template: &Template,
    fetched: OpenExtraction,
) -> anyhow::Result<Option<OpenExtraction>> {
    let now = app.now;
    let Some(runs) = same_runs(app, &fetched)? else {
        app.store()?.write(now, |writer| writer.drop_extraction(&fetched.id))?;
        return Ok(None);
    };
    let (prompt, origin) = template.prompt(&runs);
    let schema = schema();
    let request = llm::Request {
        system: &prompt.system,
        user: &prompt.user,
        name: NAME,
        schema: &schema,
        max_tokens: MAX_TOKENS,
        limit: model::limit(app),
    };
    let answer = model::load(model, &request, model::load_limit(app))
        .and_then(|()| llm::ask(model, &request, |reply| read(reply, &runs, &origin)));
    let answer = match answer {
        Ok(answer) => answer,
        Err(failure) => {
            let reason = failure.to_string();
            app.store()?.write(now, |writer| {
                if is_about_runs(&failure, runs.len()) {
                    writer.fail_extraction(&fetched, &reason)
                } else {
                    writer.note_failure(&fetched.id, &reason)
                }
            })?;
            return Err(failure.into());
        }
    };
    let asked = OpenExtraction {
        model: model.name().to_owned(),
        prompt_hash: prompt_hash(&prompt),
        reply: Some(answer.value.to_reply().to_string()),
        prompt_tokens: answer.prompt_tokens,
        reply_tokens: answer.reply_tokens,
        ..fetched
    };
    let kept = app.store()?.write(now, |writer| writer.keep_reply(&asked))?;
    Ok(kept.then_some(asked))
}

/// Third step: stores the entries and marks the runs, in one transaction. `None` where somebody else did
/// it. An answer without entries stores none; its runs count as looked at.
///
/// # Errors
/// When the database cannot be written, or the kept reply is none any more.
pub fn save(app: &mut App, asked: &OpenExtraction) -> anyhow::Result<Option<Saved>> {
    let now = app.now;
    let ids: Vec<i64> = asked.runs.iter().map(|run| run.id).collect();
    let runs = app.store()?.runs_by_id(&ids)?;
    if runs.is_empty() {
        // A person had all of them forgotten in the meantime.
        app.store()?.write(now, |writer| writer.drop_extraction(&asked.id))?;
        return Ok(None);
    }
    let reply = asked.reply.as_deref().unwrap_or_default();
    let reading = serde_json::from_str::<Value>(reply)
        .map_err(|error| error.to_string())
        .and_then(|reply| read(&reply, &runs, &Origin::default()));
    let reading = match reading {
        Ok(reading) => reading,
        Err(reason) => {
            app.store()?.write(now, |writer| writer.fail_extraction(asked, &reason))?;
            return Err(anyhow!("the reply that was kept is not usable: {reason}"));
        }
    };
    let saved = app.store()?.write(now, |writer| put(writer, asked, reading))?;
    Ok(saved)
}

fn put(
    writer: &Writer<'_>,
    asked: &OpenExtraction,
    reading: Reading,
) -> Result<Option<Saved>, StoreError> {
    if !writer.finish_extraction(asked, reading.entries.len())? {
        return Ok(None);
    }
    let mut saved = Saved { entries: Vec::new(), summary: reading.summary };
    for entry in reading.entries {
        let put = writer.put(&entry.draft(&asked.id))?;
        saved.entries.push(Kept { put, entry });
    }
    Ok(Some(saved))
}

/// The runs of an extraction, unless one of them is another one now.
fn same_runs(app: &mut App, extraction: &OpenExtraction) -> anyhow::Result<Option<Vec<Run>>> {
    let ids: Vec<i64> = extraction.runs.iter().map(|run| run.id).collect();
    let runs = app.store()?.runs_by_id(&ids)?;
    let is_same = runs.len() == extraction.runs.len()
        && runs.iter().zip(&extraction.runs).all(|(run, fetched)| run.hash == fetched.hash);
    Ok((is_same && !runs.is_empty()).then_some(runs))
}

/// Whether other runs might have brought another answer.
fn is_about_runs(failure: &Failure, count: usize) -> bool {
    match failure {
        // One run is a short prompt: where that takes too long, anything would.
        Failure::TimedOut { .. } => count > 1,
        Failure::Truncated { .. } | Failure::PromptCut { .. } | Failure::Invalid { .. } => true,
        Failure::Refused { status, .. } => *status < 500,
        _ => false,
    }
}

fn prompt_hash(prompt: &Prompt) -> String {
    hash(format!("{}\n{}", prompt.system, prompt.user), 32)
}

/// Its own for every try: the same runs are asked about again after an answer of no use.
fn extraction_id(runs: &[Run], now: &str) -> String {
    let mut text = now.to_owned();
    for run in runs {
        write!(text, "\n{} {} {}", run.content.workflow_id, run.hash, run.failures).ok();
    }
    format!("extraction-{}", &hash(&text, 8))
}
