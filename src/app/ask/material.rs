//! Reading a file for a model: as a text without secrets, with what is known of where it comes from.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use jiff::Timestamp;

use crate::app::extract::inputs;
use crate::app::extract::read::stamp;
use crate::files;
use crate::learn::facts::{Text, Voices};
use crate::learn::transcript::{Reader, Record, read_plain};
use crate::store::ReadText;
use crate::text::hash;

/// A longer file is asked about in parts of a person's choosing.
const LONGEST: u64 = 64 * 1024 * 1024;

/// A file as a model is to read it.
#[derive(Debug)]
pub(super) struct Material {
    /// The text.
    pub(super) text: Text,
    /// Who said what in it.
    pub(super) voices: Voices,
    /// The session that it is of.
    pub(super) session: Option<String>,
    /// When the last of it was said, or the file was written.
    pub(super) at: Option<Timestamp>,
    /// The file's state.
    pub(super) state: ReadText,
}

/// Reads a transcript or a text.
///
/// # Errors
/// One sentence that says what keeps it from being read.
pub(super) fn read(path: &Path) -> anyhow::Result<Material> {
    let shown = path.display();
    let meta = fs::metadata(path)
        .map_err(|error| anyhow::anyhow!("`{shown}`: {}", inputs::unreadable(&error)))?;
    anyhow::ensure!(meta.is_file(), "`{shown}` is no file");
    anyhow::ensure!(
        meta.len() <= LONGEST,
        "`{shown}` has {} MB: a model is asked about texts of at most {} MB",
        meta.len() / 1024 / 1024,
        LONGEST / 1024 / 1024
    );
    let bytes = files::read(path, LONGEST).with_context(|| format!("could not read `{shown}`"))?;
    anyhow::ensure!(!bytes.contains(&0), "`{shown}` is no text: it holds NUL bytes");
    let records = records(path, &bytes);
    let (size, mtime_ns) = stamp(&meta);
    let hash = hash(&bytes, 16);
    let said_at = records.iter().rev().find_map(|record| record.at.as_deref()?.parse().ok());
    let written_at = || Timestamp::from_nanosecond(i128::from(mtime_ns)).ok();
    Ok(Material {
        text: Text::transcript(&records),
        voices: Voices::of(&records),
        session: records.iter().find_map(|record| record.session.as_deref().map(str::to_owned)),
        at: said_at.or_else(written_at),
        state: ReadText { size, mtime_ns, hash, asked: String::new() },
    })
}

fn records(path: &Path, bytes: &[u8]) -> Vec<Record> {
    if !path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jsonl")) {
        return read_plain(bytes);
    }
    let mut reader = Reader::new();
    let mut records = Vec::new();
    reader.push(bytes, &mut records);
    reader.finish(&mut records);
    records
}
