//! `mk stats`: the knowledge base in numbers.

use std::collections::BTreeMap;

use serde::Serialize;

use super::App;
use super::jobs::QueueState;
use crate::store::{FactCounts, RunCounts};

/// The dashboard.
#[derive(Debug, Serialize)]
pub struct StatsReport {
    pub findings: FindingCounts,
    pub problems: BTreeMap<String, u64>,
    /// Approaches by outcome.
    pub strategies: BTreeMap<String, u64>,
    /// Proposals by status, those of which there are none included.
    pub proposals: BTreeMap<String, u64>,
    pub facts: FactCounts,
    pub sessions: SessionCounts,
    pub runs: RunCounts,
    pub jobs: QueueState,
    pub database: DatabaseFacts,
}

/// Findings in numbers.
#[derive(Debug, Serialize)]
pub struct FindingCounts {
    pub total: u64,
    pub by_kind: BTreeMap<String, u64>,
    /// By domain; those without one count as `unknown`.
    pub by_domain: BTreeMap<String, u64>,
    pub by_confidence: BTreeMap<String, u64>,
    /// When the newest came in, `YYYY-MM-DD HH:MM:SS` UTC.
    pub newest: Option<String>,
}

/// Sessions of the client.
#[derive(Debug, Serialize)]
pub struct SessionCounts {
    /// Sessions of which we know.
    pub seen: u64,
    /// Those whose transcript was read, whatever was found in it.
    pub captured: u64,
}

/// The file.
#[derive(Debug, Serialize)]
pub struct DatabaseFacts {
    pub path: String,
    /// Its size in bytes, journal included.
    pub bytes: u64,
}

/// Counts everything.
pub fn run(app: &mut App) -> anyhow::Result<StatsReport> {
    app.store()?;
    let jobs = super::jobs::state(app)?;
    let store = app.store()?;
    let mut stats = store.stats()?;
    for status in ["pending", "accepted", "rejected", "expired"] {
        stats.proposals.entry(status.to_owned()).or_default();
    }
    Ok(StatsReport {
        findings: FindingCounts {
            total: stats.total,
            by_kind: stats.by_kind,
            by_domain: stats.by_domain,
            by_confidence: stats.by_confidence,
            newest: stats.newest,
        },
        problems: stats.problems,
        strategies: stats.strategies,
        proposals: stats.proposals,
        facts: stats.facts,
        sessions: SessionCounts { seen: stats.sessions_seen, captured: stats.sessions_captured },
        runs: stats.runs,
        jobs,
        database: DatabaseFacts {
            path: store.path().to_string_lossy().into_owned(),
            bytes: stats.bytes,
        },
    })
}
