//! Counted things.

use std::fmt::Display;

/// `1 file`, `2 files`, `2 entries`.
pub fn plural(count: impl Display, what: &str) -> String {
    let count = count.to_string();
    match what.strip_suffix('y') {
        _ if count == "1" => format!("1 {what}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted() {
        for (count, what, expected) in [
            (0, "file", "0 files"),
            (1, "entry", "1 entry"),
            (2, "entry", "2 entries"),
            (21, "day", "21 days"),
        ] {
            assert_eq!(plural(count, what), expected);
        }
    }
}
