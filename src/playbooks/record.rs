//! Recording completed runs: from the end of a session, from an import, from an extraction.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::app::App;
use crate::learn::lessons::Ledger;
use crate::learn::playbooks::Digest;
use crate::model::{
    Confidence, Draft, Kind, KnownProblems, Proved, Put, Run, RunEvidence, RunSource, Source,
    StrategyDraft, display_name, word_key,
};
use crate::store::{StoreError, Writer, time_text};
use crate::text::plural;
use crate::tracking::{Imported, Standing, Submission};

/// A session that ended, as a run; `None` where nothing happened in it.
pub(crate) fn session(
    app: &mut App,
    digest: Digest,
    ledger: Ledger,
    session: &str,
    project: Option<&str>,
) -> anyhow::Result<Option<Run>> {
    if digest.is_empty() || session.is_empty() {
        return Ok(None);
    }
    let problem = problem(&digest, app.store()?.known_problems()?.as_ref());
    let mut run = digest.run(ledger, session, project, problem.as_deref());
    let spelled = |at: String| at.parse::<Timestamp>().map_or(at, time_text);
    // Not in the future.
    run.completed_at = run.completed_at.map(|at| spelled(at).min(time_text(app.now)));
    Ok(Some(run))
}

/// The problem that a session was about: the last file that names one, else the person's words.
fn problem(digest: &Digest, known: &KnownProblems) -> Option<String> {
    let named = |text: &str| known.in_text(text).problems;
    let in_files = digest.files.iter().rev().find_map(|file| named(file).pop());
    in_files.or_else(|| named(digest.asked.as_deref()?).into_iter().next())
}

/// Stores the run of a session with what is known to have helped in it.
pub(crate) fn put_session(writer: &Writer<'_>, mut run: Run) -> Result<(), StoreError> {
    for lesson in writer.lessons_of(&run.workflow_id)? {
        if run.evidence.fixes.iter().all(|known| known.lesson != lesson.lesson) {
            run.evidence.fixes.push(lesson);
        }
    }
    writer.put_run(&run).map(drop)
}

/// Id and slot of those of which something new is told.
pub(crate) fn submissions(
    writer: &Writer<'_>,
    imported: &Imported,
    project: Option<&str>,
) -> Result<Vec<Source>, StoreError> {
    let mut changed = Vec::new();
    for submission in &imported.submissions {
        let is_its = |uuid: &Option<String>, slot: Option<i64>| match &submission.uuid {
            Some(own) => uuid.as_ref() == Some(own),
            None => uuid.is_none() && slot.is_some() && slot == submission.slot,
        };
        let workflow = submission.uuid.as_ref().unwrap_or(&submission.label);
        let known = Known {
            problem: submission.problem.as_deref(),
            file: Some(submission.filename.as_str()).filter(|name| !name.is_empty()),
            findings: (imported.findings.iter())
                .filter(|one| is_its(&one.source.submission, one.source.slot))
                .collect(),
            strategies: (imported.strategies.iter())
                .filter(|one| is_its(&one.submission, one.slot))
                .collect(),
        };
        let run = Run {
            source: RunSource::Submission,
            workflow_id: workflow.clone(),
            project: project.map(str::to_owned),
            outcome: status(submission),
            completed_at: submission.last_seen().map(str::to_owned),
            ..Run::default()
        };
        if let Some(Put::Inserted(_) | Put::Updated(_)) = known.put(writer, run)? {
            let (submission, slot) = (submission.uuid.clone(), submission.slot);
            changed.push(Source { slot, submission, ..Source::default() });
        }
    }
    Ok(changed)
}

/// For example `Proved (compiled clean), 0 gaps, 4 theorems.`
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
    let gaps = submission.sorry.map(|count| format!(", {}", plural(count, "gap")));
    let proven = submission.proven.map(|count| format!(", {}", plural(count, "theorem")));
    let more: String = [word, gaps, proven].into_iter().flatten().collect();
    format!("{standing}{more}.")
}

/// `workflow` is the uuid of the prover's project, else the file.
pub(crate) fn result(
    writer: &Writer<'_>,
    workflow: &str,
    project: Option<&str>,
) -> Result<(), StoreError> {
    let (findings, strategies) = writer.result_rows(workflow)?;
    let project = project.or_else(|| findings.iter().find_map(|one| one.project.as_deref()));
    let run = Run {
        source: RunSource::Result,
        workflow_id: workflow.to_owned(),
        project: project.map(str::to_owned),
        ..Run::default()
    };
    let (findings, strategies) = (findings.iter().collect(), strategies.iter().collect());
    Known { findings, strategies, ..Known::default() }.put(writer, run).map(drop)
}

const MOST_NAMES: usize = 5;

#[derive(Debug, Default)]
struct Known<'a> {
    problem: Option<&'a str>,
    file: Option<&'a str>,
    findings: Vec<&'a Draft>,
    strategies: Vec<&'a StrategyDraft>,
}

impl Known<'_> {
    fn put(&self, writer: &Writer<'_>, run: Run) -> Result<Option<Put>, StoreError> {
        self.run(run).map(|run| writer.put_run(&run)).transpose()
    }

    /// The run with what is known of it; `None` where that could teach nothing.
    fn run(&self, mut run: Run) -> Option<Run> {
        let Self { findings, strategies, .. } = self;
        let is_empty = findings.is_empty() && strategies.is_empty() && run.outcome.is_empty();
        if is_empty || run.workflow_id.is_empty() {
            return None;
        }
        let problem = self
            .problem
            .or_else(|| strategies.first().map(|strategy| strategy.problem.as_str()))
            .or_else(|| findings.iter().find_map(|draft| draft.problem.as_deref()));
        let file =
            (self.file).or_else(|| findings.iter().find_map(|draft| draft.source.file.as_deref()));
        let mut domains = (findings.iter().map(|draft| &draft.domain))
            .chain(strategies.iter().map(|one| &one.domain));
        run.evidence = RunEvidence {
            domain: domains.find_map(Clone::clone),
            proved: self.proved(),
            failed: self.failed(),
            tried: self.tried(),
            files: file.map(str::to_owned).into_iter().collect(),
            ..RunEvidence::default()
        };
        problem.or(file).unwrap_or(&run.workflow_id).clone_into(&mut run.task_id);
        let what = match (problem, file) {
            (Some(problem), _) => format!("An attempt at {problem}"),
            (None, Some(_)) => "A result".to_owned(),
            (None, None) => "An attempt".to_owned(),
        };
        let tried = run.evidence.tried.join(", ");
        let how = if tried.is_empty() { String::new() } else { format!(" by {tried}") };
        let place = file.map(|file| format!(", `{file}`")).unwrap_or_default();
        run.description = format!("{what}{how}{place}.");
        run.outcome = self.outcome(&run);
        Some(run)
    }

    /// Theorems by technique. Only what stands without a gap in its file counts.
    fn proved(&self) -> Vec<Proved> {
        let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for draft in &self.findings {
            let stands = matches!(draft.confidence, Confidence::Verified | Confidence::High);
            if draft.kind == Kind::Theorem && stands {
                let technique = draft.proof_technique.as_deref().unwrap_or_default();
                let name = draft.theorem_name.as_deref().unwrap_or(&draft.title);
                names.entry(technique).or_default().insert(name);
            }
        }
        let line = |(technique, names): (&str, BTreeSet<&str>)| Proved {
            technique: technique.to_owned(),
            what: names.into_iter().take(MOST_NAMES).collect::<Vec<_>>().join(", "),
        };
        names.into_iter().map(line).collect()
    }

    fn failed(&self) -> Vec<String> {
        let told = |draft: &&&Draft| matches!(draft.kind, Kind::Failure | Kind::FalseLemma);
        let line = |draft: &&Draft| match (&draft.why_failed, &draft.avoid_pattern) {
            (Some(why), Some(avoid)) => format!("{}: {why} Avoid: {avoid}", draft.title),
            (Some(text), None) | (None, Some(text)) => format!("{}: {text}", draft.title),
            (None, None) => draft.title.clone(),
        };
        let mut lines: Vec<String> = self.findings.iter().filter(told).map(line).collect();
        lines.sort_unstable();
        lines
    }

    fn tried(&self) -> Vec<String> {
        let approach = |strategy: &&StrategyDraft| match &strategy.description {
            Some(how) if *how != strategy.approach => format!("{} ({how})", strategy.approach),
            _ => strategy.approach.clone(),
        };
        let lines: BTreeSet<String> = self.strategies.iter().map(approach).collect();
        lines.into_iter().collect()
    }

    fn outcome(&self, run: &Run) -> String {
        let mut parts = vec![run.outcome.clone()];
        for strategy in &self.strategies {
            parts.push(format!("{}: {}.", display_name(&strategy.problem), strategy.outcome));
            parts.extend(strategy.learned.clone());
        }
        parts.retain(|part| !part.is_empty());
        if parts.is_empty() {
            parts.push(match (run.evidence.proved.is_empty(), run.evidence.failed.is_empty()) {
                (false, _) => "It proved something.".to_owned(),
                (true, false) => "It failed.".to_owned(),
                (true, true) => "It is over.".to_owned(),
            });
        }
        parts.dedup();
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_and_strategies_become_a_run() {
        let mut theorem = Draft::new(Kind::Theorem, "a (theorem)", "");
        theorem.theorem_name = Some("a".to_owned());
        theorem.proof_technique = Some("induction".to_owned());
        theorem.confidence = Confidence::Verified;
        theorem.domain = Some("nt".to_owned());
        let mut open = theorem.clone();
        (open.theorem_name, open.confidence) = (Some("b".to_owned()), Confidence::Medium);
        let mut failure = Draft::new(Kind::Failure, "descent", "");
        failure.why_failed = Some("no bound.".to_owned());
        let strategy = StrategyDraft {
            problem: "erdos_1".to_owned(),
            problem_name: String::new(),
            domain: None,
            approach: "small cases".to_owned(),
            description: Some("induction".to_owned()),
            outcome: crate::model::Outcome::Partial,
            slot: None,
            submission: None,
            learned: Some("Open: b.".to_owned()),
            source_file: None,
            attempted_at: None,
        };
        let known = Known {
            file: Some("slot1_erdos_1.lean"),
            findings: vec![&theorem, &open, &failure],
            strategies: vec![&strategy],
            ..Known::default()
        };
        let begun = |workflow: &str| Run { workflow_id: workflow.to_owned(), ..Run::default() };
        let run = known.run(begun("slot1_erdos_1.lean")).unwrap();
        assert_eq!(run.task_id, "erdos_1");
        assert_eq!(
            run.description,
            "An attempt at erdos_1 by small cases (induction), `slot1_erdos_1.lean`."
        );
        assert_eq!(run.outcome, "Erdos 1: partial. Open: b.");
        let proved = Proved { technique: "induction".to_owned(), what: "a".to_owned() };
        assert_eq!(run.evidence.proved, [proved], "what has a gap is not proved");
        assert_eq!(run.evidence.failed, ["descent: no bound."]);
        assert_eq!(run.evidence.domain.as_deref(), Some("nt"));
        assert_eq!(Known::default().run(begun("x")), None);
    }
}
