//! Times as people say them (`2026-01-31`, `2w`, `3 days ago`, `yesterday`) -> times of the database.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _};

/// Forms shown when a time was not understood.
const FORMS: &str = "use a date (2026-01-31), a span (3h, 2w, 3 days, 1 month) or `yesterday`";

/// The beginning of the time that was meant, `YYYY-MM-DD HH:MM:SS` in UTC.
pub fn since(words: &str, now: Timestamp) -> Result<String, String> {
    let text = words.trim().to_lowercase();
    let text = text.strip_suffix("ago").map_or(text.as_str(), str::trim_end);
    let now = now.to_zoned(TimeZone::UTC).datetime();
    named(text, now)
        .or_else(|| span_before(text, now))
        .or_else(|| date(text))
        .map(|time| time.strftime("%Y-%m-%d %H:%M:%S").to_string())
        .ok_or_else(|| format!("did not understand the time `{words}`: {FORMS}"))
}

/// A time as databases spell it: `YYYY-MM-DD HH:MM:SS` in UTC.
pub fn time_text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Reads `YYYY-MM-DD HH:MM:SS` (UTC), ISO with `T`, with or without an offset, or a date alone.
pub fn parse_time(stored: &str) -> Option<Timestamp> {
    let text = stored.trim();
    let naive = || Some(text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp());
    text.parse().ok().or_else(naive)
}

fn named(text: &str, now: DateTime) -> Option<DateTime> {
    let today = now.date();
    let day = match text {
        "now" => return Some(now),
        "today" => today,
        "yesterday" => today.yesterday().ok()?,
        "last week" | "a week" | "week" => today.checked_sub(7.days()).ok()?,
        "last month" | "a month" | "month" => today.checked_sub(1.month()).ok()?,
        "last year" | "a year" | "year" => today.checked_sub(1.year()).ok()?,
        _ => return None,
    };
    Some(day.at(0, 0, 0, 0))
}

/// `3h`, `3 days`, `2 weeks`; one that is longer than can be reckoned with is the longest there is.
pub fn span(text: &str) -> Option<Span> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let n: i64 = number.parse().ok()?;
    let span = match unit.trim() {
        "m" | "min" | "mins" | "minute" | "minutes" => Span::new().try_minutes(n),
        "h" | "hr" | "hrs" | "hour" | "hours" => Span::new().try_hours(n),
        "d" | "day" | "days" => Span::new().try_days(n),
        "w" | "week" | "weeks" => Span::new().try_weeks(n),
        "mo" | "month" | "months" => Span::new().try_months(n),
        "y" | "year" | "years" => Span::new().try_years(n),
        _ => return None,
    };
    Some(span.unwrap_or_else(|_| 19_998.years()))
}

/// That long before now; before the calendar begins, everything.
fn span_before(text: &str, now: DateTime) -> Option<DateTime> {
    Some(now.checked_sub(span(text)?).unwrap_or(DateTime::ZERO))
}

/// A time with or without a zone, a date, a month, a year.
fn date(text: &str) -> Option<DateTime> {
    let upper = text.to_uppercase();
    if let Ok(time) = upper.parse::<Timestamp>() {
        return Some(time.to_zoned(TimeZone::UTC).datetime());
    }
    let whole = match upper.len() {
        4 if upper.bytes().all(|b| b.is_ascii_digit()) => format!("{upper}-01-01"),
        7 => format!("{upper}-01"),
        _ => upper,
    };
    whole
        .parse::<DateTime>()
        .ok()
        .or_else(|| whole.parse::<Date>().ok().map(|date| date.at(0, 0, 0, 0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        "2026-02-01T12:30:00Z".parse().unwrap()
    }

    #[test]
    fn times_as_people_say_them() {
        for (words, expected) in [
            ("2026-01-31", "2026-01-31 00:00:00"),
            ("2026-01-31 08:15:00", "2026-01-31 08:15:00"),
            ("2026-01-31T08:15", "2026-01-31 08:15:00"),
            ("2026-01-31T08:15:00Z", "2026-01-31 08:15:00"),
            ("2026-01-31T08:15:00+02:00", "2026-01-31 06:15:00"),
            ("2026-01", "2026-01-01 00:00:00"),
            ("2025", "2025-01-01 00:00:00"),
            ("2w", "2026-01-18 12:30:00"),
            ("3 days", "2026-01-29 12:30:00"),
            ("3 Days ago", "2026-01-29 12:30:00"),
            ("5h", "2026-02-01 07:30:00"),
            ("30min", "2026-02-01 12:00:00"),
            ("1 month", "2026-01-01 12:30:00"),
            ("1y", "2025-02-01 12:30:00"),
            ("today", "2026-02-01 00:00:00"),
            ("Yesterday", "2026-01-31 00:00:00"),
            ("last week", "2026-01-25 00:00:00"),
            ("9999999999 years", "0000-01-01 00:00:00"),
        ] {
            assert_eq!(since(words, now()).as_deref(), Ok(expected), "{words}");
        }
        for words in ["", "soon", "2026-13-01", "3 fortnights", "-3d", "99999999999999999999d"] {
            let error = since(words, now()).unwrap_err();
            assert!(error.starts_with("did not understand the time"), "{words}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_words_give_a_time_or_a_sentence(words in ".{0,30}") {
            if let Ok(time) = since(&words, now()) {
                prop_assert_eq!(time.len(), 19);
            }
        }
    }
}
