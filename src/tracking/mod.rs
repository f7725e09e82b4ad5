//! (tracking)
use std::path::Path;
/// Tracking.
#[derive(Debug)]
pub struct Tracking;
/// Error.
#[derive(Debug, thiserror::Error)]
pub enum TrackingError {}
impl Tracking {
    /// Opens.
    pub fn open(_path: &Path) -> Result<Self, TrackingError> {
        Ok(Self)
    }
}
