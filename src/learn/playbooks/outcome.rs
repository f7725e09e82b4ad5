//! Submissions and results as runs, from the knowledge that was made of them.

use std::collections::BTreeMap;

use crate::model::{
    Confidence, Draft, Kind, Proved, RunDraft, RunEvidence, RunSource, StrategyDraft, display_name,
};

const MOST_NAMES: usize = 5;

#[derive(Debug, Clone, Default)]
pub struct Outcome<'a> {
    pub project: Option<&'a str>,
    pub problem: Option<&'a str>,
    pub file: Option<&'a str>,
    pub status: Option<String>,
    pub findings: Vec<&'a Draft>,
    pub strategies: Vec<&'a StrategyDraft>,
    pub completed_at: Option<&'a str>,
}

impl Outcome<'_> {
    /// The run; `None` where nothing is known that could teach anything.
    pub fn run(&self, source: RunSource, workflow_id: &str) -> Option<RunDraft> {
        let is_empty =
            self.findings.is_empty() && self.strategies.is_empty() && self.status.is_none();
        if is_empty || workflow_id.is_empty() {
            return None;
        }
        let problem = self.problem.or_else(|| {
            let stated = self.strategies.iter().map(|strategy| strategy.problem.as_str()).next();
            stated.or_else(|| self.findings.iter().find_map(|draft| draft.problem.as_deref()))
        });
        let domain = self.findings.iter().find_map(|draft| draft.domain.clone());
        let domain =
            domain.or_else(|| self.strategies.iter().find_map(|strategy| strategy.domain.clone()));
        let file = self
            .file
            .or_else(|| self.findings.iter().find_map(|draft| draft.source.file.as_deref()));
        let task = problem.or(file).unwrap_or(workflow_id).to_owned();
        let evidence = RunEvidence {
            domain,
            proved: self.proved(),
            failed: self.failed(),
            tried: self.tried(),
            files: file.map(str::to_owned).into_iter().collect(),
            ..RunEvidence::default()
        };
        Some(RunDraft {
            source,
            workflow_id: workflow_id.to_owned(),
            task_id: task,
            project: self.project.map(str::to_owned),
            session: None,
            description: description(problem, file, &evidence.tried),
            outcome: self.outcome(&evidence),
            evidence,
            completed_at: self.completed_at.map(str::to_owned),
        })
    }

    /// Theorems by technique. Only what stands without a gap in its file counts.
    fn proved(&self) -> Vec<Proved> {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for draft in &self.findings {
            let stands = matches!(draft.confidence, Confidence::Verified | Confidence::High);
            if draft.kind == Kind::Theorem && stands {
                let technique = draft.proof_technique.as_deref().unwrap_or_default();
                let name = draft.theorem_name.as_deref().unwrap_or(&draft.title);
                names.entry(technique).or_default().push(name);
            }
        }
        let line = |(technique, mut names): (&str, Vec<&str>)| {
            names.sort_unstable();
            names.dedup();
            names.truncate(MOST_NAMES);
            Proved { technique: technique.to_owned(), what: names.join(", ") }
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
        let mut lines: Vec<String> = self.strategies.iter().map(approach).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    fn outcome(&self, evidence: &RunEvidence) -> String {
        let mut parts: Vec<String> =
            self.status.iter().map(|status| format!("{status}.")).collect();
        for strategy in &self.strategies {
            parts.push(format!("{}: {}.", display_name(&strategy.problem), strategy.outcome));
            parts.extend(strategy.learned.clone());
        }
        if parts.is_empty() {
            parts.push(match (evidence.proved.is_empty(), evidence.failed.is_empty()) {
                (false, _) => "It proved something.".to_owned(),
                (true, false) => "It failed.".to_owned(),
                (true, true) => "It is over.".to_owned(),
            });
        }
        parts.dedup();
        parts.join(" ")
    }
}

fn description(problem: Option<&str>, file: Option<&str>, tried: &[String]) -> String {
    let what = match (problem, file) {
        (Some(problem), _) => format!("An attempt at {problem}"),
        (None, Some(_)) => "A result".to_owned(),
        (None, None) => "An attempt".to_owned(),
    };
    let how = if tried.is_empty() { String::new() } else { format!(" by {}", tried.join(", ")) };
    let place = file.map(|file| format!(", `{file}`")).unwrap_or_default();
    format!("{what}{how}{place}.")
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
        let known = Outcome {
            file: Some("slot1_erdos_1.lean"),
            findings: vec![&theorem, &open, &failure],
            strategies: vec![&strategy],
            ..Outcome::default()
        };
        let run = known.run(RunSource::Result, "slot1_erdos_1.lean").unwrap();
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
        assert_eq!(Outcome::default().run(RunSource::Result, "x"), None);
    }
}
