//! The beginning and the end of a session's transcript, as far as the client has written it: what a hook may
//! look at without reading all of it.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::files;
use crate::hook::Event;
use crate::learn::transcript::{Reader, Record};

/// Bytes that are looked at.
const LENGTH: u64 = 512 * 1024;

/// Bytes at the beginning; of what cannot be read none.
pub(crate) fn head(path: &Path) -> Vec<u8> {
    const LENGTH: u64 = 256 * 1024;
    let mut head = Vec::new();
    if let Ok(file) = files::open(path) {
        file.take(LENGTH).read_to_end(&mut head).ok();
    }
    head
}

/// The records at the end of the transcript, the oldest first; none where it cannot be read.
pub(crate) fn records(event: &Event) -> Vec<Record> {
    let read = || {
        let mut file = files::open(event.transcript.as_deref()?).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LENGTH))).ok()?;
        let mut bytes = Vec::new();
        file.take(LENGTH).read_to_end(&mut bytes).ok()?;
        let mut records = Vec::new();
        // A first line that was cut in two counts as one that cannot be read.
        Reader::new().push(&bytes, &mut records);
        Some(records)
    };
    read().unwrap_or_default()
}
