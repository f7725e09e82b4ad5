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

/// `2 new, 1 changed`; what there is nothing of is not named.
pub fn counted<'w, N: Display + Default + PartialOrd>(
    counts: impl IntoIterator<Item = (N, &'w str)>,
) -> String {
    let counts = counts.into_iter().filter(|(count, _)| *count > N::default());
    counts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// `once`, `twice`, `3 times`.
pub fn times(count: u64) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// `1023 bytes`, `1.5 kB`, `5.0 MB`.
pub fn in_bytes(n: u64) -> String {
    for (size, unit) in [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB")] {
        if n >= size {
            return format!("{}.{} {unit}", n / size, n % size * 10 / size);
        }
    }
    plural(n, "byte")
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

    #[test]
    fn sizes() {
        for (n, expected) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1536, "1.5 kB"), (5 << 20, "5.0 MB")]
        {
            assert_eq!(in_bytes(n), expected);
        }
    }
}
