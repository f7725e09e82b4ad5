//! The cached state of the prover's queue: one row, written by `mk queue set`.

use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::rows::{number, text};
use super::{Store, StoreError, Writer};
use crate::model::QueueCache;

/// Broken JSON counts as empty.
fn json<T: DeserializeOwned + Default>(text: Option<String>) -> T {
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn to_json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Invalid(error.to_string()))
}

impl Store {
    pub fn queue(&self) -> Result<Option<QueueCache>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(
                    "SELECT cached_at, in_flight, slots_open, ready_to_fetch, recently_completed,
                     top_near_miss FROM queue_cache WHERE id = 1",
                )?
                .query_row([], |row| {
                    Ok(QueueCache {
                        cached_at: text(row, 0)?.unwrap_or_default(),
                        in_flight: number(row, 1)?.unwrap_or_default(),
                        slots_open: number(row, 2)?,
                        ready_to_fetch: json(text(row, 3)?),
                        recently_completed: json(text(row, 4)?),
                        top_near_miss: json(text(row, 5)?),
                    })
                })
                .optional()
        })
    }
}

impl Writer<'_> {
    pub fn clear_queue(&self) -> Result<(), StoreError> {
        self.run("DELETE FROM queue_cache", [])
    }

    /// An empty `cached_at` means now.
    pub fn set_queue(&self, cache: &QueueCache) -> Result<(), StoreError> {
        let cached_at = if cache.cached_at.is_empty() { &self.now } else { &cache.cached_at };
        let near_miss = cache.top_near_miss.as_ref().map(to_json).transpose()?;
        self.run(
            "INSERT INTO queue_cache (id, cached_at, in_flight, slots_open, ready_to_fetch,
             recently_completed, top_near_miss, raw_json) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET cached_at = ?1, in_flight = ?2, slots_open = ?3,
             ready_to_fetch = ?4, recently_completed = ?5, top_near_miss = ?6, raw_json = ?7",
            params![
                cached_at,
                cache.in_flight,
                cache.slots_open,
                to_json(&cache.ready_to_fetch)?,
                to_json(&cache.recently_completed)?,
                near_miss,
                to_json(cache)?
            ],
        )
    }
}
