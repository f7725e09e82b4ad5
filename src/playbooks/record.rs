//! Recording completed runs: from the end of a session, from an import, from an extraction.

use jiff::Timestamp;

use crate::app::App;
use crate::learn::playbooks::{Digest, Outcome};
use crate::model::{KnownProblems, RunDraft, RunSource, word_key};
use crate::store::{StoreError, Writer, time_text};
use crate::tracking::{Imported, Standing, Submission};

/// A session that ended, as a run; `None` where nothing happened in it.
pub(crate) fn session(
    app: &mut App,
    digest: Digest,
    session: &str,
    project: Option<&str>,
) -> anyhow::Result<Option<RunDraft>> {
    if digest.is_empty() || session.is_empty() {
        return Ok(None);
    }
    let known = known_problems(app)?;
    let problem = problem(&digest, &known);
    Ok(Some(timed(digest.run(session, project, problem), app.now)))
}

pub(crate) fn known_problems(app: &mut App) -> anyhow::Result<KnownProblems> {
    let mut known = KnownProblems::default();
    for (alias, id) in app.problem_aliases() {
        known.alias(&alias, &id);
    }
    for id in app.store()?.known_problems()? {
        known.insert(&id);
    }
    Ok(known)
}

/// The problem that a session was about: the last file that names one, else the person's words.
fn problem<'a>(digest: &Digest, known: &'a KnownProblems) -> Option<&'a str> {
    let in_files = digest.files().iter().rev().find_map(|file| known.prefix_of(file));
    let words = || digest.asked().split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    in_files.or_else(|| words().find_map(|word| known.spelling(word)))
}

/// The time as the database spells it, and not in the future.
fn timed(mut run: RunDraft, now: Timestamp) -> RunDraft {
    run.completed_at = run.completed_at.map(|at| match at.parse::<Timestamp>() {
        Ok(at) => time_text(at.min(now)),
        Err(_) => at.min(time_text(now)),
    });
    run
}

/// Stores the run of a session with what is known to have helped in it.
pub(crate) fn put_session(writer: &Writer<'_>, mut run: RunDraft) -> Result<(), StoreError> {
    for lesson in writer.lessons_of(&run.workflow_id)? {
        if !run.evidence.fixes.iter().any(|known| known.lesson == lesson.lesson) {
            run.evidence.fixes.push(lesson);
        }
    }
    writer.put_run(&run).map(drop)
}

pub(crate) fn submissions(
    writer: &Writer<'_>,
    imported: &Imported,
    project: Option<&str>,
) -> Result<(), StoreError> {
    for submission in &imported.submissions {
        let workflow = submission.uuid.clone().unwrap_or_else(|| submission.label.clone());
        if let Some(run) =
            of_submission(submission, imported, project).run(RunSource::Submission, &workflow)
        {
            writer.put_run(&run)?;
        }
    }
    Ok(())
}

fn of_submission<'a>(
    submission: &'a Submission,
    imported: &'a Imported,
    project: Option<&'a str>,
) -> Outcome<'a> {
    let is_its = |uuid: &Option<String>, slot: Option<i64>| match &submission.uuid {
        Some(own) => uuid.as_ref() == Some(own),
        None => uuid.is_none() && slot.is_some() && slot == submission.slot,
    };
    let findings = imported.findings.iter();
    let strategies = imported.strategies.iter();
    Outcome {
        project,
        problem: submission.problem.as_deref(),
        file: Some(submission.filename.as_str()).filter(|name| !name.is_empty()),
        status: Some(status(submission)),
        findings: findings.filter(|f| is_its(&f.source.submission, f.source.slot)).collect(),
        strategies: strategies.filter(|s| is_its(&s.submission, s.slot)).collect(),
        completed_at: submission.last_seen(),
    }
}

/// For example `Proved (compiled clean), 0 gaps, 4 theorems`.
fn status(submission: &Submission) -> String {
    let standing = match submission.standing {
        Standing::Proved => "Proved",
        Standing::NearMiss => "One gap is left",
        Standing::False => "Found false",
        Standing::Failed => "Failed",
        Standing::InFlight | Standing::History => "Over",
    };
    let word = submission.status.as_deref().filter(|word| word_key(word) != word_key(standing));
    let word = word.map(|word| format!(" ({})", word.replace('_', " ")));
    let gaps = submission.sorry.map(|n| format!(", {n} {}", if n == 1 { "gap" } else { "gaps" }));
    let proven =
        submission.proven.map(|n| format!(", {n} {}", if n == 1 { "theorem" } else { "theorems" }));
    [Some(standing.to_owned()), word, gaps, proven].into_iter().flatten().collect()
}

/// `workflow` is the uuid of the prover's project, else the file.
pub(crate) fn result(
    writer: &Writer<'_>,
    workflow: &str,
    project: Option<&str>,
) -> Result<(), StoreError> {
    let (findings, strategies) = writer.result_rows(workflow)?;
    let project = project.or_else(|| findings.iter().find_map(|f| f.project.as_deref()));
    let outcome = Outcome {
        project,
        findings: findings.iter().collect(),
        strategies: strategies.iter().collect(),
        ..Outcome::default()
    };
    outcome.run(RunSource::Result, workflow).map_or(Ok(()), |run| writer.put_run(&run).map(drop))
}
