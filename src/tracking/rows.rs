//! Reading rows whose columns may be missing or hold anything, and times in any form.

use std::borrow::Cow;

use rusqlite::Row;
use rusqlite::types::ValueRef;

/// More text than this in one cell is cut: nobody reads it, and searching would pay for it.
const CELL_LIMIT: usize = 64 * 1024;

/// A row of which the wanted columns are known by name; a column that the table lacks is NULL.
pub(super) struct Record<'r, 'stmt> {
    pub(super) row: &'r Row<'stmt>,
    pub(super) columns: &'r [&'r str],
    pub(super) ordinal: u64,
}

impl Record<'_, '_> {
    /// The row's `id` where it is a number, else which row of the table it is, from 1.
    pub(super) fn number(&self) -> u64 {
        self.int("id").and_then(|id| u64::try_from(id).ok()).unwrap_or(self.ordinal)
    }

    /// The cell as text without NULs and outer blanks; `None` when that is empty. Numbers are
    /// written out, bytes count where they are UTF-8.
    pub(super) fn text(&self, column: &str) -> Option<String> {
        self.read(column).map(Cow::into_owned)
    }

    pub(super) fn read(&self, column: &str) -> Option<Cow<'_, str>> {
        let text = match self.cell(column) {
            ValueRef::Null => return None,
            ValueRef::Integer(n) => return Some(n.to_string().into()),
            ValueRef::Real(x) => return Some(x.to_string().into()),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes)
                .map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed),
            ValueRef::Blob(bytes) => std::str::from_utf8(bytes).ok()?.into(),
        };
        let text = if text.contains('\0') { text.replace('\0', "").into() } else { text };
        let text = match text {
            Cow::Borrowed(text) if text.len() <= CELL_LIMIT => Cow::Borrowed(text.trim()),
            text => Cow::Owned(clipped(text.trim())),
        };
        (!text.is_empty()).then_some(text)
    }

    /// The cell as a whole number, also where it is written as text or as `true`.
    pub(super) fn int(&self, column: &str) -> Option<i64> {
        match self.cell(column) {
            ValueRef::Integer(n) => Some(n),
            ValueRef::Real(x) => whole(x),
            ValueRef::Text(bytes) => number_in(std::str::from_utf8(bytes).ok()?.trim()),
            ValueRef::Null | ValueRef::Blob(_) => None,
        }
    }

    pub(super) fn flag(&self, column: &str) -> Option<bool> {
        self.int(column).map(|n| n != 0)
    }

    fn cell(&self, column: &str) -> ValueRef<'_> {
        let at = self.columns.iter().position(|name| *name == column);
        debug_assert!(at.is_some(), "`{column}` was not asked for");
        at.and_then(|at| self.row.get_ref(at).ok()).unwrap_or(ValueRef::Null)
    }
}

fn number_in(text: &str) -> Option<i64> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some(1),
        "false" | "no" => Some(0),
        number => number.parse().ok().or_else(|| whole(number.parse().ok()?)),
    }
}

fn whole(x: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "the range was checked")]
    (x.fract() == 0.0 && x.abs() < 9.0e15).then_some(x as i64)
}

fn clipped(text: &str) -> String {
    if text.len() <= CELL_LIMIT {
        return text.to_owned();
    }
    let end = (0..=CELL_LIMIT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// Times of a tracking database. They are naive; here they are UTC, because nothing says otherwise.
pub(super) mod times {
    use jiff::civil::DateTime;
    use jiff::tz::Offset;
    use jiff::{SignedDuration, Timestamp};

    /// Any of the forms in use (`YYYY-MM-DD HH:MM:SS`, ISO with `T`, fraction, `Z` or offset, a date alone)
    /// as `YYYY-MM-DD HH:MM:SS` in UTC. `None` for what is no time.
    pub(in crate::tracking) fn normal(text: &str) -> Option<String> {
        let text = text.trim();
        if let Some(plain) = plain(text) {
            return Some(plain);
        }
        let time = text.parse::<Timestamp>().or_else(|_| {
            text.parse::<DateTime>().and_then(|naive| Offset::UTC.to_timestamp(naive))
        });
        time.ok().map(shown)
    }

    pub(in crate::tracking) fn hours_before(now: Timestamp, hours: i64) -> String {
        let then = now.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(Timestamp::MIN);
        shown(then)
    }

    /// The first moment that is more than `hours` after a time in the form that [`normal`] gives.
    pub(in crate::tracking) fn hours_after(time: &str, hours: i64) -> Option<String> {
        let time = Offset::UTC.to_timestamp(time.parse::<DateTime>().ok()?).ok()?;
        time.checked_add(SignedDuration::from_secs(hours * 3600 + 1)).ok().map(shown)
    }

    pub(in crate::tracking) fn shown(time: Timestamp) -> String {
        time.strftime("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// The two forms in use, without the cost of parsing.
    fn plain(text: &str) -> Option<String> {
        let (head, fraction) = text.split_at_checked(19)?;
        let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
        let is_formed = head.bytes().zip(*b"0000-00-00 00:00:00").all(|(c, form)| match form {
            b'0' => c.is_ascii_digit(),
            b' ' => c == b' ' || c == b'T',
            form => c == form,
        });
        let at_most = |range, max| head.get(range).is_some_and(|part| part <= max);
        let is_time =
            is_formed && at_most(5..7, "12") && at_most(8..10, "31") && at_most(11..13, "23");
        let is_whole = fraction.is_empty() || fraction.strip_prefix('.').is_some_and(is_digits);
        (is_time && is_whole).then(|| head.replace('T', " "))
    }
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
                    let record = Record { row, columns: &["c"], ordinal: 1 };
                    if cell != "1e300" {
                        assert_eq!(record.text("c").as_deref(), text, "{cell}");
                    }
                    assert_eq!(record.int("c"), int, "{cell}");
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(clipped(&"é".repeat(CELL_LIMIT)).len(), CELL_LIMIT + "…".len());
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
            ("1770000000", None),
            ("", None),
        ] {
            assert_eq!(times::normal(input).as_deref(), expected, "{input:?}");
        }
        let now = "2026-02-03T04:05:06Z".parse().unwrap();
        assert_eq!(times::hours_before(now, 48), "2026-02-01 04:05:06");
    }
}
