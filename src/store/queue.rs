//! The cached state of the prover's queue: one row, written by `mk queue set`.

use rusqlite::params;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{Store, StoreError, Writer};
use crate::model::QueueCache;

/// Broken JSON counts as empty.
fn read<T: DeserializeOwned + Default>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_default()
}

impl Store {
    pub fn queue(&self) -> Result<Option<QueueCache>, StoreError> {
        type Row = (String, i64, Option<i64>, String, String, String);
        let sql = "SELECT cached_at, in_flight, slots_open, ready_to_fetch, recently_completed,
            top_near_miss FROM queue_cache WHERE id = 1";
        let row: Option<Row> = self.first(sql, params![])?;
        Ok(row.map(|(cached_at, in_flight, slots_open, ready, completed, near)| QueueCache {
            cached_at,
            in_flight,
            slots_open,
            ready_to_fetch: read(&ready),
            recently_completed: read(&completed),
            top_near_miss: read(&near),
        }))
    }
}

impl Writer<'_> {
    pub fn clear_queue(&self) -> Result<(), StoreError> {
        self.run("DELETE FROM queue_cache", [])
    }

    /// An empty `cached_at` means now.
    pub fn set_queue(&self, cache: &QueueCache) -> Result<(), StoreError> {
        let cached_at = if cache.cached_at.is_empty() { &self.now } else { &cache.cached_at };
        self.run(
            "INSERT OR REPLACE INTO queue_cache (id, cached_at, in_flight, slots_open, ready_to_fetch,
             recently_completed, top_near_miss, raw_json) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                cached_at,
                cache.in_flight,
                cache.slots_open,
                json!(cache.ready_to_fetch).to_string(),
                json!(cache.recently_completed).to_string(),
                cache.top_near_miss.as_ref().map(|near| json!(near).to_string()),
                json!(cache).to_string()
            ],
        )
    }
}
