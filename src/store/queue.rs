//! The cached state of the prover's queue: one row, written by `mk queue set`.

use rusqlite::{ToSql, params};
use serde::de::DeserializeOwned;

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
        let at = if cache.cached_at.is_empty() { &self.now } else { &cache.cached_at };
        let raw = serde_json::json!(cache).to_string();
        let more: [(&str, &dyn ToSql); 4] =
            [("id", &1), ("cached_at", at), ("slots_open", &cache.slots_open), ("raw_json", &raw)];
        self.put_row("INSERT OR REPLACE INTO queue_cache", cache, &more, "")
    }
}
