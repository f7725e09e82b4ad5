//! Times of a tracking database. They are naive; here they are UTC, because nothing says otherwise.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

/// Any of the forms in use (`YYYY-MM-DD HH:MM:SS`, ISO with `T`, fraction, `Z` or offset, a date alone)
/// as `YYYY-MM-DD HH:MM:SS` in UTC. `None` for what is no time.
pub(super) fn normal(text: &str) -> Option<String> {
    let text = text.trim();
    if is_normal(text.as_bytes()) {
        return Some(text.to_owned());
    }
    let time = text
        .parse::<Timestamp>()
        .or_else(|_| text.parse::<DateTime>().and_then(|naive| Offset::UTC.to_timestamp(naive)));
    time.ok().map(shown)
}

/// The time `hours` before `now`, in the form that [`normal`] gives: such texts compare as times.
pub(super) fn hours_before(now: Timestamp, hours: i64) -> String {
    let then = now.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(Timestamp::MIN);
    shown(then)
}

fn shown(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Whether it has the form `YYYY-MM-DD HH:MM:SS` already; the common case, and parsing costs.
fn is_normal(text: &[u8]) -> bool {
    let form = b"0000-00-00 00:00:00";
    let (max_month, max_day, max_hour) = (b"12", b"31", b"23");
    let at_most = |range, max: &[u8]| text.get(range).is_some_and(|part: &[u8]| part <= max);
    text.len() == form.len()
        && text.iter().zip(form).all(|(c, f)| if *f == b'0' { c.is_ascii_digit() } else { c == f })
        && at_most(5..7, max_month)
        && at_most(8..10, max_day)
        && at_most(11..13, max_hour)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(normal(input).as_deref(), expected, "{input:?}");
        }
        let now = "2026-02-03T04:05:06Z".parse().unwrap();
        assert_eq!(hours_before(now, 48), "2026-02-01 04:05:06");
    }
}
