//! An entry before it is stored.

use serde::{Deserialize, Serialize};

use super::tags::{domain_tag, tags};
use crate::model::{Confidence, Draft, Evidence, Kind, PlaybookDetail, RunDraft, Source, word_key};
use crate::text::hash;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub title: String,
    pub content: String,
    pub tags: Vec<String>,
    pub source_task_id: String,
    pub source_workflow_id: String,
    pub project: Option<String>,
    pub domain: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<String>,
    /// What makes it the same entry when there is more evidence; `None`: its title and project.
    #[serde(skip)]
    pub identity: Option<String>,
}

impl Entry {
    pub fn of(run: &RunDraft, title: String, content: String) -> Self {
        let words = format!("{} {title} {content}", run.description);
        let mut tags = tags(run.evidence.files.iter().map(String::as_str), &words);
        if let Some(tag) = run.evidence.domain.as_deref().and_then(domain_tag) {
            tags.retain(|known| known != super::DEFAULT);
            tags.push(tag.to_owned());
            tags.sort_unstable();
            tags.dedup();
        }
        Self {
            title,
            content,
            tags,
            source_task_id: run.task_id.clone(),
            source_workflow_id: run.workflow_id.clone(),
            project: run.project.clone(),
            domain: run.evidence.domain.clone(),
            shown_by: Vec::new(),
            identity: None,
        }
    }

    /// As the database keeps it. What a model says is unverified; what was counted was observed.
    pub fn draft(&self, extraction: &str) -> Draft {
        let project = self.project.as_deref().unwrap_or_default();
        let mut draft = Draft::new(Kind::Playbook, &self.title, &self.content);
        draft.project.clone_from(&self.project);
        draft.domain.clone_from(&self.domain);
        draft.tags.clone_from(&self.tags);
        draft.source = Source::default();
        let is_counted = self.identity.is_some();
        (draft.confidence, draft.evidence) = if is_counted {
            (Confidence::Medium, Evidence::Session)
        } else {
            (Confidence::Low, Evidence::Model)
        };
        draft.notes = is_counted.then(|| format!("Runs: {}", self.shown_by.join(", ")));
        draft.identity = Some(match &self.identity {
            Some(identity) => format!("playbook/rule/{identity}"),
            None => format!("playbook/model/{project}/{}", word_key(&self.title)),
        });
        let detail = PlaybookDetail {
            source_task_id: self.source_task_id.clone(),
            source_workflow_id: self.source_workflow_id.clone(),
            extraction_workflow_id: Some(match &self.identity {
                // Counting the same runs again gives the same entry.
                Some(identity) => counting(identity, &self.shown_by),
                None => extraction.to_owned(),
            }),
        };
        draft.detail = Some(detail.into());
        draft
    }
}

/// The id of having counted these runs.
fn counting(identity: &str, runs: &[String]) -> String {
    format!("rules-{}", hash(format!("{identity}\n{}", runs.join("\n")), 8))
}
