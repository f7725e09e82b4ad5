//! (the store)
use jiff::Timestamp;
use std::path::Path;
/// Store.
#[derive(Debug)]
pub struct Store;
/// Error.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {}
impl Store {
    /// Opens.
    pub fn open(_path: &Path, _now: Timestamp) -> Result<Self, StoreError> {
        Ok(Self)
    }
    /// Opens what exists.
    pub fn open_current(_path: &Path) -> Result<Option<Self>, StoreError> {
        Ok(None)
    }
}
