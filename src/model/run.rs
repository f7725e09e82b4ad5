//! A run that came to an end: a session, a submission, a prover's result, in a few lines.

use serde::{Deserialize, Serialize};

use super::RunSource;
use crate::text::{clean, clip, hash, scrub};

/// Longest line of a run, in columns.
const WIDTH: usize = 300;

/// Longest description and outcome, in columns.
const WIDE: usize = 600;

/// Most lines of each sort of evidence.
const LINES: usize = 12;

/// A run before it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunDraft {
    pub source: RunSource,
    /// Session id or uuid of the submission; the file's stable path where there is neither.
    pub workflow_id: String,
    /// The problem or task that it was about.
    pub task_id: String,
    pub project: Option<String>,
    pub session: Option<String>,
    pub description: String,
    pub outcome: String,
    pub evidence: RunEvidence,
    /// When it ended, `YYYY-MM-DD HH:MM:SS` in UTC; `None` means now.
    pub completed_at: Option<String>,
}

/// What was tried in a run and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunEvidence {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<Proved>,
    /// What failed, and why, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// Approaches and techniques that were tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
    /// Errors that were met, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Spared>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// Theorems that a technique proved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Proved {
    pub technique: String,
    /// Names of the theorems, separated by commas.
    pub what: String,
}

/// A lesson that was learnt in a run, or that helped in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spared {
    /// Identity of the lesson across machines.
    pub lesson: String,
    /// What it says, in a line.
    pub text: String,
}

/// A stored run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    #[serde(skip)]
    pub id: i64,
    #[serde(flatten)]
    pub content: RunDraft,
    #[serde(skip)]
    pub hash: String,
    /// How many answers about it were of no use.
    #[serde(skip)]
    pub failures: u32,
}

impl RunDraft {
    /// Without secrets, control characters and fake tags, and no longer than what is needed.
    #[must_use]
    pub fn tidied(mut self) -> Self {
        let wide = |text: &str| clip(&clean(&scrub(text)), WIDE);
        self.task_id = line(&self.task_id);
        self.description = wide(&self.description);
        self.outcome = wide(&self.outcome);
        let evidence = &mut self.evidence;
        for lines in
            [&mut evidence.failed, &mut evidence.tried, &mut evidence.errors, &mut evidence.files]
        {
            tidy(lines, |text| *text = line(text));
        }
        tidy(&mut evidence.proved, |proved| {
            proved.technique = line(&proved.technique);
            proved.what = line(&proved.what);
        });
        tidy(&mut evidence.fixes, |fix| fix.text = line(&fix.text));
        self
    }

    /// Equal for equal content; the time is no part of it.
    pub fn hash(&self) -> String {
        let plain = Self { completed_at: None, ..self.clone() };
        let bytes = serde_json::to_vec(&plain).unwrap_or_default();
        hash(bytes, 16)
    }
}

fn line(text: &str) -> String {
    clip(&clean(&scrub(text)), WIDTH)
}

fn tidy<T: PartialEq>(lines: &mut Vec<T>, change: impl Fn(&mut T)) {
    lines.truncate(LINES);
    lines.iter_mut().for_each(change);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_stored_without_secrets_and_short() {
        let draft = RunDraft {
            source: RunSource::Session,
            workflow_id: "s".to_owned(),
            task_id: "t\u{1b}[31m".to_owned(),
            project: None,
            session: None,
            description: "x ".repeat(2000),
            outcome: "password=hunter22hunter".to_owned(),
            evidence: RunEvidence {
                failed: vec!["export API_KEY=abcd1234efgh5678ijkl".to_owned(); 40],
                ..RunEvidence::default()
            },
            completed_at: None,
        };
        let tidy = draft.clone().tidied();
        assert_eq!(tidy.task_id, "t");
        assert_eq!(tidy.outcome, "password=[secret removed]");
        assert_eq!(tidy.evidence.failed, ["export API_KEY=[secret removed]"; 12]);
        assert!(tidy.description.len() < 700);
        assert_eq!(tidy.clone().tidied(), tidy);
        let later =
            RunDraft { completed_at: Some("2026-01-01 00:00:00".to_owned()), ..tidy.clone() };
        assert_eq!(later.hash(), tidy.hash());
        assert_ne!(draft.hash(), tidy.hash());
    }
}
