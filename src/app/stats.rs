//! `mk stats`: the knowledge base in numbers.

use serde::Serialize;

use super::App;
use super::jobs::QueueState;
use crate::store::Stats;

/// The dashboard.
#[derive(Debug, Serialize)]
pub struct StatsReport {
    #[serde(flatten)]
    pub stats: Stats,
    pub jobs: QueueState,
}

/// Counts everything.
pub fn run(app: &mut App) -> anyhow::Result<StatsReport> {
    app.store()?;
    let jobs = super::jobs::state(app)?;
    Ok(StatsReport { stats: app.store()?.stats()?, jobs })
}
