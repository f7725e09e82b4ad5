//! Clipping to a display width.

use std::borrow::Borrow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Display width in terminal columns.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Clips to at most `columns` columns, ending in `…` where something was cut.
pub fn clip(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w + 1 > columns {
            break;
        }
        used += w;
        out.push(c);
    }
    let mut out = out.trim_end().to_owned();
    if columns > 0 {
        out.push('…');
    }
    out
}

/// Clips in the middle, so that both ends (of a path, say) stay readable.
pub fn clip_middle(text: &str, columns: usize) -> String {
    if text.width() <= columns || columns < 5 {
        return clip(text, columns);
    }
    let head = clip(text, columns / 2);
    let mut tail = Vec::new();
    let mut used = head.width();
    for c in text.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        tail.push(c);
    }
    head + &tail.into_iter().rev().collect::<String>()
}

/// Cuts the middle out of a text of more than `bytes` bytes: what an error is and how it ends stands at
/// its ends. The result is at most `bytes` long, the mark ` … ` included.
pub fn cut_middle(mut text: String, bytes: usize) -> String {
    const MARK: &str = " … ";
    if text.len() <= bytes {
        return text;
    }
    let kept = bytes.saturating_sub(MARK.len());
    let head = text.floor_char_boundary(kept / 2);
    let tail = text.ceil_char_boundary(text.len() - (kept - head));
    text.replace_range(head..tail, MARK);
    text
}

/// Folds all runs of white space into single blanks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text up to the end of its first sentence or line. A few words, such as `REJECTED.`, tell nothing without what
/// follows.
pub fn first_sentence(text: &str) -> &str {
    const FEW: usize = 3;
    let line = text.trim_start().lines().next().unwrap_or("");
    let ends = line.match_indices(". ").map(|(at, _)| &line[..=at]);
    let mut telling = ends.filter(|sentence| sentence.split_whitespace().count() > FEW);
    telling.next().unwrap_or(line).trim_end()
}

/// `a, b and c`, with this word before the last.
pub fn listed<S: Borrow<str>>(words: &[S], and: &str) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => {
            format!("{} {and} {}", rest.join(", "), last.borrow())
        }
        words => words.join(""),
    }
}

pub fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The words of a text in lower case, a blank between two of them, whatever stood there.
pub fn spaced(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether spaced words occur in a spaced text, a number only as a whole: `erdos 85` is not in `erdos 850`.
pub fn says(text: &str, words: &str) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let (bytes, wanted) = (text.as_bytes(), words.as_bytes());
    text.match_indices(words).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let is_cut_before = is_digit(wanted.first()) && is_digit(before);
        let is_cut_after = is_digit(wanted.last()) && is_digit(bytes.get(at + wanted.len()));
        !is_cut_before && !is_cut_after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_whole() {
        for (text, words, expected) in [
            ("dead end of erdos 850", "erdos 85", false),
            ("dead end of erdos 850", "erdos 850", true),
            ("slot12 and slot123", "slot12", true),
            ("slot123", "slot12", false),
            ("1085 is open", "85", false),
            ("counter examples", "example", true),
            ("n4 sums", "4", true),
        ] {
            assert_eq!(says(text, words), expected, "{words} in {text}");
        }
    }

    #[test]
    fn clipping_rows() {
        for (input, columns, expected) in [
            ("short", 10, "short"),
            ("exactly", 7, "exactly"),
            ("longer text", 7, "longer…"),
            ("∀ ε > 0, ∃ δ", 6, "∀ ε >…"),
            ("漢字漢字", 5, "漢字…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(clip(input, columns), expected, "{input:?} to {columns}");
            assert!(width(&clip(input, columns)) <= columns);
        }
        assert_eq!(
            clip_middle("submissions/nu4_final/slot614_erdos.lean", 20),
            "submissio…erdos.lean"
        );
        assert_eq!(cut_middle("abcdefghij".repeat(2), 15), "abcde … fghij");
        assert_eq!(cut_middle("ééééé".to_owned(), 9), "é … é");
        assert_eq!(cut_middle("short".to_owned(), 5), "short");
        assert_eq!(first_sentence("One thing is said. Another thing.\nMore"), "One thing is said.");
        assert_eq!(
            first_sentence("REJECTED. It assumes the claim. More"),
            "REJECTED. It assumes the claim."
        );
    }
}
