//! The cached state of the prover's queue (`queue_cache`), written by `mk queue set`.

use serde::{Deserialize, Serialize};

/// What a status command last saw of the prover's queue.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueCache {
    /// When it was seen, `YYYY-MM-DD HH:MM:SS` UTC; empty on input means now.
    pub cached_at: String,
    pub in_flight: i64,
    /// Free slots; `None` means 5 minus those in flight, never below 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots_open: Option<i64>,
    /// Slots whose results can be fetched.
    pub ready_to_fetch: Vec<i64>,
    /// Recently completed submissions, as the status command words them.
    pub recently_completed: Vec<serde_json::Value>,
    /// The result that is closest to a proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_near_miss: Option<NearMiss>,
}

/// A result with few gaps left.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NearMiss {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<i64>,
    /// Problem id, or the file's name.
    pub problem: String,
    pub sorry_count: i64,
    /// Where the gap is, for example a declaration's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sorry_location: Option<String>,
}
