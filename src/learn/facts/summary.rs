//! The summary of a session, which is stored as a fact of its own.

use serde::{Deserialize, Serialize};

use super::record::{Category, Fact, Lifetime, Scope, SourceType};
use super::schema::MAX_LINES;

/// What a session came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    pub decisions: Vec<String>,
    pub open_questions: Vec<String>,
    pub action_items: Vec<String>,
    /// What it was about, in tags.
    pub topics: Vec<String>,
}

impl Summary {
    pub fn is_empty(&self) -> bool {
        let Self { decisions, open_questions, action_items, topics } = self;
        [decisions, open_questions, action_items, topics].iter().all(|list| list.is_empty())
    }

    /// Takes in what a later part of the same text came to.
    pub fn absorb(&mut self, later: Self) {
        let pairs = [
            (&mut self.decisions, later.decisions),
            (&mut self.open_questions, later.open_questions),
            (&mut self.action_items, later.action_items),
            (&mut self.topics, later.topics),
        ];
        for (list, lines) in pairs {
            for line in lines {
                // Twice what one reply may have is as much as a person reads.
                if !list.contains(&line) && list.len() < 2 * MAX_LINES {
                    list.push(line);
                }
            }
        }
    }

    /// As a fact with this key; `None` where there is nothing in it.
    pub fn fact(&self, key: String) -> Option<Fact> {
        if self.is_empty() {
            return None;
        }
        Some(Fact {
            category: Category::Session,
            key,
            value: serde_json::to_string(self).ok()?,
            scope: Scope::Global,
            source_type: SourceType::Inferred,
            confidence: 1.0,
            lifetime: Lifetime::Always,
        })
    }
}
