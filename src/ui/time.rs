//! Times for people: relative in overviews, ISO in full records.

use jiff::Timestamp;

pub use crate::text::parse_time as parse;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago a time of the database was: `just now`, `5m ago`, `3h ago`, `2d ago`, `3w ago`, `5mo ago`,
/// `2y ago`. The date itself for a time that is to come; the text as it is where it is no time.
pub fn ago(stored: &str, now: Timestamp) -> String {
    let Some(then) = parse(stored) else {
        return crate::text::clean(stored);
    };
    let seconds = now.as_second() - then.as_second();
    match seconds {
        // Clocks of two machines differ by a little.
        -300..MINUTE => "just now".to_owned(),
        i64::MIN..-300 => then.strftime("%Y-%m-%d").to_string(),
        MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        HOUR..DAY => format!("{}h ago", seconds / HOUR),
        _ => days_ago(seconds / DAY),
    }
}

fn days_ago(days: i64) -> String {
    match days {
        ..14 => format!("{days}d ago"),
        14..60 => format!("{}w ago", days / 7),
        60..730 => format!("{}mo ago", days / 30),
        _ => format!("{}y ago", days / 365),
    }
}

/// A time of the database as `2026-01-31T12:00:00Z`; the text as it is where it is no time.
pub fn iso(stored: &str) -> String {
    parse(stored).map_or_else(
        || crate::text::clean(stored),
        |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_times() {
        let now: Timestamp = "2026-02-01T12:00:00Z".parse().unwrap();
        for (stored, expected) in [
            ("2026-02-01 11:59:30", "just now"),
            ("2026-02-01 12:03:00", "just now"),
            ("2026-02-01 11:15:00", "45m ago"),
            ("2026-02-01 09:00:00", "3h ago"),
            ("2026-02-01T09:00:00Z", "3h ago"),
            ("2026-02-01T09:00:00.123+00:00", "3h ago"),
            ("2026-01-30", "2d ago"),
            ("2026-01-10 12:00:00", "3w ago"),
            ("2025-10-01 12:00:00", "4mo ago"),
            ("2020-01-01 12:00:00", "6y ago"),
            ("2027-01-01 12:00:00", "2027-01-01"),
            ("not a \u{1b}[31mtime", "not a time"),
        ] {
            assert_eq!(ago(stored, now), expected, "{stored}");
        }
        assert_eq!(iso("2026-02-01 09:00:00"), "2026-02-01T09:00:00Z");
        assert_eq!(iso(""), "");
    }
}
