//! The cached state of the prover's queue: one row, written by `mk queue set`.

use rusqlite::{ToSql, params};

use super::{Result, Store, Writer};
use crate::model::QueueCache;

impl Store {
    pub fn queue(&self) -> Result<Option<QueueCache>> {
        self.first("SELECT * FROM queue_cache WHERE id = 1", params![])
    }
}

impl Writer<'_> {
    pub fn set_queue(&self, cache: &QueueCache) -> Result<()> {
        let at = if cache.cached_at.is_empty() { &self.now } else { &cache.cached_at };
        let raw = serde_json::json!(cache).to_string();
        let more: [(&str, &dyn ToSql); 4] =
            [("id", &1), ("cached_at", at), ("slots_open", &cache.slots_open), ("raw_json", &raw)];
        self.put_row("INSERT OR REPLACE INTO queue_cache", cache, &more, "")
    }
}
