//! Times of a tracking database. They are naive; here they are UTC, because nothing says otherwise.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

/// Any of the forms in use (`YYYY-MM-DD HH:MM:SS`, ISO with `T`, fraction, `Z` or offset, a date alone)
/// as `YYYY-MM-DD HH:MM:SS` in UTC. `None` for what is no time.
pub(super) fn normal(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(plain) = plain(text) {
        return Some(plain);
    }
    let time = text
        .parse::<Timestamp>()
        .or_else(|_| text.parse::<DateTime>().and_then(|naive| Offset::UTC.to_timestamp(naive)));
    time.ok().map(shown)
}

pub(super) fn hours_before(now: Timestamp, hours: i64) -> String {
    let then = now.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(Timestamp::MIN);
    shown(then)
}

/// The first moment that is more than `hours` after a time in the form that [`normal`] gives.
pub(super) fn hours_after(time: &str, hours: i64) -> Option<String> {
    let time = Offset::UTC.to_timestamp(time.parse::<DateTime>().ok()?).ok()?;
    time.checked_add(SignedDuration::from_secs(hours * 3600 + 1)).ok().map(shown)
}

pub(super) fn shown(time: Timestamp) -> String {
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
    let is_time = is_formed && at_most(5..7, "12") && at_most(8..10, "31") && at_most(11..13, "23");
    let is_whole = fraction.is_empty() || fraction.strip_prefix('.').is_some_and(is_digits);
    (is_time && is_whole).then(|| head.replace('T', " "))
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
