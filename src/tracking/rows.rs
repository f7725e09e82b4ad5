//! Rows whose columns may be missing or hold anything. Their times are naive; here they are UTC, because nothing says
//! otherwise.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::SignedDuration;
use rusqlite::types::ValueRef;

use crate::text::{parse_time, time_text};

/// More text than this in one cell is cut: nobody reads it, and searching would pay for it.
const CELL_LIMIT: usize = 64 * 1024;

/// A row as text by the names of its columns in lower case; what is empty or missing is not there.
#[derive(Debug)]
pub(super) struct Row {
    cells: Vec<(Arc<str>, String)>,
    /// The row's `id` where it is a number, else which row of the table it is, from 1.
    pub(super) number: u64,
}

impl Row {
    pub(super) fn read(
        row: &rusqlite::Row<'_>,
        columns: &[Arc<str>],
        ordinal: u64,
    ) -> rusqlite::Result<Self> {
        let mut read = Self { cells: Vec::new(), number: ordinal };
        for (at, column) in columns.iter().enumerate() {
            let text = text_of(row.get_ref(at)?);
            read.cells.extend(text.map(|text| (Arc::clone(column), text)));
        }
        read.number = read.int("id").and_then(|id| id.try_into().ok()).unwrap_or(ordinal);
        Ok(read)
    }

    pub(super) fn get(&self, column: &str) -> Option<&str> {
        let cell = self.cells.iter().find(|(name, _)| **name == *column);
        cell.map(|(_, text)| text.as_str())
    }

    pub(super) fn text(&self, column: &str) -> Option<String> {
        self.get(column).map(str::to_owned)
    }

    /// The cell as a whole number, also where it is written as text or as `true`.
    pub(super) fn int(&self, column: &str) -> Option<i64> {
        match self.get(column)?.to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(1),
            "false" | "no" => Some(0),
            number => number.parse().ok(),
        }
    }

    pub(super) fn flag(&self, column: &str) -> Option<bool> {
        self.int(column).map(|n| n != 0)
    }

    pub(super) fn time(&self, column: &str) -> Option<String> {
        parse_time(self.get(column)?).map(time_text)
    }

    /// How many of its times are in no form that is read.
    pub(super) fn unread_times(&self) -> u64 {
        const TIMES: [&str; 5] =
            ["created_at", "submitted_at", "completed_at", "extracted_at", "discovered_date"];
        let unread = |column: &&&str| self.get(column).is_some() && self.time(column).is_none();
        TIMES.iter().filter(unread).count() as u64
    }
}

/// The cell without NULs and outer blanks; `None` when that is empty. Numbers are written out, bytes count where they
/// are UTF-8.
fn text_of(cell: ValueRef<'_>) -> Option<String> {
    let text: Cow<'_, str> = match cell {
        ValueRef::Null => return None,
        ValueRef::Integer(n) => n.to_string().into(),
        ValueRef::Real(x) => x.to_string().into(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes),
        ValueRef::Blob(bytes) => std::str::from_utf8(bytes).ok()?.into(),
    };
    let text = if text.contains('\0') { text.replace('\0', "").into() } else { text };
    let text = text.trim();
    let end = text.floor_char_boundary(CELL_LIMIT);
    let cut = if end < text.len() { "…" } else { "" };
    (!text.is_empty()).then(|| [&text[..end], cut].concat())
}

/// So many seconds after a time, or before it.
pub(super) fn after(time: &str, seconds: i64) -> Option<String> {
    parse_time(time)?.checked_add(SignedDuration::from_secs(seconds)).ok().map(time_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_type_are_read() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for (cell, text, int) in [
            ("NULL", None, None),
            ("7", Some("7"), Some(7)),
            ("7.0", Some("7"), Some(7)),
            ("7.5", Some("7.5"), None),
            ("1e300", None, None),
            ("' 7 '", Some("7"), Some(7)),
            ("'true'", Some("true"), Some(1)),
            ("'No'", Some("No"), Some(0)),
            ("'several'", Some("several"), None),
            ("'a' || char(0) || 'b'", Some("ab"), None),
            ("'  '", None, None),
            ("x'4162'", Some("Ab"), None),
            ("x'ff00'", None, None),
            ("CAST(x'61ff62' AS TEXT)", Some("a\u{fffd}b"), None),
        ] {
            connection
                .query_row(&format!("SELECT {cell}"), [], |row| {
                    let row = Row::read(row, &["c".into()], 1).unwrap();
                    if cell != "1e300" {
                        assert_eq!(row.get("c"), text, "{cell}");
                    }
                    assert_eq!(row.int("c"), int, "{cell}");
                    Ok(())
                })
                .unwrap();
        }
        let long = "é".repeat(CELL_LIMIT);
        let cut = text_of(ValueRef::Text(long.as_bytes())).unwrap();
        assert_eq!(cut.len(), CELL_LIMIT + "…".len());
    }

    #[test]
    fn times_are_reckoned_with() {
        let before = after("2026-02-03 04:05:06", -48 * 3600);
        assert_eq!(before.as_deref(), Some("2026-02-01 04:05:06"));
    }
}
