//! x

use serde::{Deserialize, Serialize};

/// What a status command last saw of the prover's queue (`queue_cache`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueCache {
    /// `YYYY-MM-DD HH:MM:SS` in UTC; empty on input means now.
    pub cached_at: String,
    pub in_flight: i64,
    /// `None` means 5 minus those in flight, at least 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots_open: Option<i64>,
    /// Slots.
    pub ready_to_fetch: Vec<i64>,
    /// As the status command words them.
    pub recently_completed: Vec<serde_json::Value>,
    /// Closest to a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_near_miss: Option<NearMiss>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NearMiss {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<i64>,
    /// Problem id, or the file's name.
    pub problem: String,
    pub sorry_count: i64,
    /// For example a declaration's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sorry_location: Option<String>,
}
