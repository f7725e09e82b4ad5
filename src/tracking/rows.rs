//! Rows whose columns may be missing or hold anything, and times in any form.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
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
            number => number.parse().ok().or_else(|| whole(number.parse().ok()?)),
        }
    }

    pub(super) fn flag(&self, column: &str) -> Option<bool> {
        self.int(column).map(|n| n != 0)
    }

    pub(super) fn time(&self, column: &str) -> Option<String> {
        time(self.get(column)?)
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

fn whole(x: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "the range was checked")]
    (x.fract() == 0.0 && x.abs() < 9.0e15).then_some(x as i64)
}

/// In any of the forms in use (`YYYY-MM-DD HH:MM:SS`, ISO with `T`, fraction, `Z` or offset, a date alone); also
/// `24/11/2026 10:33` where only one number can be the month, `Nov 24, 2026`, and seconds since 1970. Times of a
/// tracking database are naive; here they are UTC, because nothing says otherwise.
fn time(text: &str) -> Option<String> {
    parse_time(text).or_else(|| since_1970(text)).or_else(|| in_words(text)).map(time_text)
}

/// Ten digits: from 2001 on.
fn since_1970(text: &str) -> Option<Timestamp> {
    let (seconds, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let is_time = seconds.len() == 10 && is_number(seconds) && is_number(fraction);
    Timestamp::from_second(seconds.parse().ok().filter(|_| is_time)?).ok()
}

fn in_words(text: &str) -> Option<Timestamp> {
    let mut parts: Vec<&str> =
        text.split([' ', ',', '/', '.', '-']).filter(|part| !part.is_empty()).collect();
    let clock = match parts.last().filter(|part| part.contains(':')) {
        Some(clock) => *clock,
        None => "00:00",
    };
    parts.retain(|part| !part.contains(':'));
    let [first, second, year] = *parts.as_slice() else { return None };
    let number = |part: &str| part.parse::<u8>().ok();
    let (day, month) = match (number(first), number(second)) {
        (Some(day), Some(month)) if day > 12 || day == month => (day, month),
        (Some(month), Some(day)) if day > 12 => (day, month),
        (Some(day), None) => (day, month_called(second)?),
        (None, Some(day)) => (day, month_called(first)?),
        _ => return None,
    };
    parse_time(&format!("{year}-{month:02}-{day:02} {clock}"))
}

/// By its English name or the first three letters of it.
fn month_called(name: &str) -> Option<u8> {
    const MONTHS: &str =
        "january february march april may june july august september october november december";
    let name = name.to_lowercase();
    let is_it = |month: &str| name.len() >= 3 && month.starts_with(&name);
    let at = MONTHS.split(' ').position(is_it)?;
    u8::try_from(at + 1).ok()
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
            ("'7.0'", Some("7.0"), Some(7)),
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
    fn every_form_in_use_becomes_one() {
        for (input, expected) in [
            ("2026-02-03 04:05:06", Some("2026-02-03 04:05:06")),
            ("2026-02-03T04:05:06", Some("2026-02-03 04:05:06")),
            ("2026-02-03T04:05:06.123456", Some("2026-02-03 04:05:06")),
            ("2026-02-03T04:05:06Z", Some("2026-02-03 04:05:06")),
            ("2026-02-03T04:05:06+02:00", Some("2026-02-03 02:05:06")),
            ("2026-02-03 04:05:06.5Z", Some("2026-02-03 04:05:06")),
            ("2026-02-03 04:05", Some("2026-02-03 04:05:00")),
            (" 2026-02-03 ", Some("2026-02-03 00:00:00")),
            ("2026-13-03 04:05:06", None),
            ("yesterday", None),
            ("1770000000", Some("2026-02-02 02:40:00")),
            ("1770000000.25", Some("2026-02-02 02:40:00")),
            ("17700000", None),
            ("24/11/2026 10:33", Some("2026-11-24 10:33:00")),
            ("11/24/2026", Some("2026-11-24 00:00:00")),
            ("24.11.2026", Some("2026-11-24 00:00:00")),
            ("05/06/2026 10:33", None),
            ("05/05/2026", Some("2026-05-05 00:00:00")),
            ("Nov 24, 2026", Some("2026-11-24 00:00:00")),
            ("24 November 2026 07:08:09", Some("2026-11-24 07:08:09")),
            ("No 24, 2026", None),
            ("31/02/2026", None),
            ("24/11/26", None),
            ("", None),
        ] {
            assert_eq!(time(input).as_deref(), expected, "{input:?}");
        }
        let before = after("2026-02-03 04:05:06", -48 * 3600);
        assert_eq!(before.as_deref(), Some("2026-02-01 04:05:06"));
    }
}
