//! `mk strategies`: which techniques proved something, by how often.

use serde::Serialize;

use super::App;
use super::search::domain_id;
use crate::store::TechniqueUse;

/// Techniques of verified theorems.
#[derive(Debug, Serialize)]
pub struct StrategiesReport {
    pub domain: Option<String>,
    /// The techniques, the most frequent first.
    pub strategies: Vec<TechniqueUse>,
    /// Whether the knowledge base holds nothing at all.
    #[serde(skip)]
    pub empty_base: bool,
}

/// Collects the techniques, of one domain where one is given.
pub fn run(app: &mut App, domain: Option<&str>) -> anyhow::Result<StrategiesReport> {
    let domain = domain.map(domain_id).filter(|id| !id.is_empty());
    let store = app.store()?;
    let strategies = store.techniques(domain.as_deref())?;
    let empty_base = strategies.is_empty() && store.knowledge(None)?.total == 0;
    Ok(StrategiesReport { domain, strategies, empty_base })
}
