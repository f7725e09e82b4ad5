//! The list of proof techniques, and which of them a theorem's name or statement names.

use super::Import;
use crate::model::{Draft, Kind, word_key};
use crate::tracking::TrackingError;
use crate::tracking::claims::says_words;
use crate::tracking::open::Tracking;

/// A row of `proof_techniques`.
struct Technique {
    row: u64,
    id: String,
    name: String,
    description: Option<String>,
    example: Option<String>,
}

/// All techniques of a database.
pub(super) struct Techniques(Vec<Technique>);

impl Techniques {
    pub(super) fn load(tracking: &Tracking) -> Result<Self, TrackingError> {
        let mut techniques = Vec::new();
        let columns = &["id", "name", "description", "example_usage"];
        tracking.scan("proof_techniques", columns, |record| {
            let (id, name) = (record.text("id"), record.text("name"));
            let Some(any) = id.clone().or_else(|| name.clone()) else { return };
            techniques.push(Technique {
                row: record.number(),
                name: name.unwrap_or_else(|| any.replace('_', " ")),
                id: any,
                description: record.text("description"),
                example: record.text("example_usage"),
            });
        })?;
        Ok(Self(techniques))
    }

    /// The technique with the longest name of those that a text names, by id or by name, as whole words;
    /// its name has so many words at least.
    pub(super) fn named_in(&self, texts: &[Option<&str>], words: usize) -> Option<&str> {
        let says = |key: &str| texts.iter().flatten().any(|text| says_words(text, key));
        self.0
            .iter()
            .filter(|technique| technique.name.split([' ', '_', '-']).count() >= words)
            .filter(|technique| says(&word_key(&technique.name)) || says(&word_key(&technique.id)))
            .max_by_key(|technique| technique.name.len())
            .map(|technique| technique.name.as_str())
    }
}

impl Import<'_> {
    pub(super) fn technique_findings(&mut self) {
        let techniques = std::mem::take(&mut self.techniques.0);
        self.imported.rows += techniques.len() as u64;
        for technique in techniques {
            let description = technique.description.unwrap_or_else(|| technique.name.clone());
            let mut draft = Draft::new(Kind::Technique, &technique.name, description);
            draft.proof_technique = Some(technique.name);
            draft.notes = technique.example.map(|example| format!("Example: {example}"));
            draft.tags = vec!["technique".to_owned()];
            let project = self.project.unwrap_or_default();
            let key = ["technique", project, technique.id.as_str()];
            self.take("proof_techniques", technique.row, draft, &key);
        }
    }
}
