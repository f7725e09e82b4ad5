//! A run that ended: a session, a submission, a prover's result, in a few lines.

use serde::{Deserialize, Deserializer, Serialize};

use super::RunSource;
use crate::text::{clean, clip, hash, scrub};

/// Columns of a line.
const WIDTH: usize = 300;

/// Columns of description and outcome.
const WIDE: usize = 600;

const LINES: usize = 12;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// 0 for one that is not stored.
    #[serde(skip_serializing)]
    pub id: i64,
    #[serde(deserialize_with = "or_default")]
    pub source: RunSource,
    /// Session id, uuid of the submission, or the file's stable path.
    pub workflow_id: String,
    pub task_id: String,
    pub project: Option<String>,
    pub session: Option<String>,
    pub description: String,
    pub outcome: String,
    #[serde(deserialize_with = "or_default")]
    pub evidence: RunEvidence,
    /// `None` means now.
    pub completed_at: Option<String>,
    /// Of the content that is stored.
    #[serde(skip_serializing)]
    pub hash: String,
    /// Answers about it that were of no use.
    #[serde(skip_serializing)]
    pub failures: u64,
}

/// What was written by hand and is nothing counts as nothing.
#[expect(clippy::unnecessary_wraps, reason = "serde wants a result")]
pub(super) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Ok(T::deserialize(from).unwrap_or_default())
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunEvidence {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<Proved>,
    /// With why, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Spared>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Proved {
    pub technique: String,
    /// Names, separated by commas.
    pub what: String,
}

/// A lesson learnt in a run, or that helped in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spared {
    /// Uid.
    pub lesson: String,
    pub text: String,
}

impl Run {
    /// Without secrets, control characters and fake tags, and clipped.
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

    /// Of the content without the time.
    pub fn content_hash(&self) -> String {
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
        let draft = Run {
            workflow_id: "s".to_owned(),
            task_id: "t\u{1b}[31m".to_owned(),
            description: "x ".repeat(2000),
            outcome: "password=hunter22hunter".to_owned(),
            evidence: RunEvidence {
                failed: vec!["export API_KEY=abcd1234efgh5678ijkl".to_owned(); 40],
                ..RunEvidence::default()
            },
            ..Run::default()
        };
        let tidy = draft.clone().tidied();
        assert_eq!(tidy.task_id, "t");
        assert_eq!(tidy.outcome, "password=[secret removed]");
        assert_eq!(tidy.evidence.failed, ["export API_KEY=[secret removed]"; 12]);
        assert!(tidy.description.len() < 700);
        assert_eq!(tidy.clone().tidied(), tidy);
        let later = Run { completed_at: Some("2026-01-01 00:00:00".to_owned()), ..tidy.clone() };
        assert_eq!(later.content_hash(), tidy.content_hash());
        assert_ne!(draft.content_hash(), tidy.content_hash());
    }
}
