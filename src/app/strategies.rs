//! `mk strategies`: which techniques proved something, by how often.

use serde::Serialize;

use super::App;
use super::search::domain_id;

/// Techniques of verified theorems.
#[derive(Debug, Serialize)]
pub struct StrategiesReport {
    /// The domain that was asked for.
    pub domain: Option<String>,
    /// The techniques, the most frequent first.
    pub strategies: Vec<TechniqueReport>,
    /// Whether the knowledge base holds nothing at all.
    #[serde(skip)]
    pub empty_base: bool,
}

/// One technique in one domain.
#[derive(Debug, Serialize)]
pub struct TechniqueReport {
    /// Its name.
    pub technique: String,
    /// Domain id.
    pub domain: Option<String>,
    /// Verified theorems that it proved.
    pub count: i64,
    /// Slots in which it did.
    pub slots: Vec<i64>,
}

/// Collects the techniques, of one domain where one is given.
///
/// # Errors
/// What the store says.
pub fn run(app: &mut App, domain: Option<&str>) -> anyhow::Result<StrategiesReport> {
    let domain = domain.map(domain_id).filter(|id| !id.is_empty());
    let store = app.store()?;
    let strategies: Vec<_> = store
        .techniques(domain.as_deref())?
        .into_iter()
        .map(|used| TechniqueReport {
            technique: used.technique,
            domain: used.domain,
            count: used.count,
            slots: used.slots,
        })
        .collect();
    let empty_base = strategies.is_empty() && store.knowledge(None)?.total == 0;
    Ok(StrategiesReport { domain, strategies, empty_base })
}
