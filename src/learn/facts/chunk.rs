//! Long texts in parts that a model can read: cut at headings or turns where there are any, with some
//! overlap, so that what stands across a cut is not lost.

use std::ops::Range;

use super::text::Text;

/// A text of more words is cut.
pub const MAX_WORDS: usize = 10_000;

/// So many words of the part before are repeated.
pub const OVERLAP: usize = 200;

/// So many characters without a blank count as a word: base64, or a language without blanks.
const LONG_WORD: usize = 16;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The part, with what it repeats.
    text: &'a str,
    /// Bytes of the text that no part before has.
    pub fresh: Range<usize>,
    /// Its number, from 1.
    pub number: usize,
}

impl Chunk<'_> {
    /// The part, with what it repeats from the one before.
    pub fn as_str(&self) -> &str {
        self.text
    }

    /// Its words, as [`chunks`] counts them.
    pub fn words(&self) -> usize {
        words(self.text)
    }

    /// The part in smaller ones, where a server did not take it whole. They are numbered from 1.
    pub fn smaller(&self, max_words: usize, overlap: usize) -> Vec<Self> {
        let before = self.fresh.end - self.text.len();
        let mut parts = parts(self.text, max_words, overlap);
        for part in &mut parts {
            part.fresh = part.fresh.start + before..part.fresh.end + before;
        }
        if let Some(first) = parts.first_mut() {
            first.fresh.start = self.fresh.start.min(first.fresh.end);
        }
        parts
    }
}

impl Text {
    /// All of it in one part.
    pub fn whole(&self) -> Chunk<'_> {
        Chunk { text: self.as_str(), fresh: 0..self.as_str().len(), number: 1 }
    }
}

/// A line, or a part of a very long one.
struct Piece {
    range: Range<usize>,
    words: usize,
    start: Start,
}

/// What begins with a piece. The later in this list, the better a place for a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    Nothing,
    Paragraph,
    Section,
}

/// The parts of a text, each of at most `max_words` words, `overlap` repeated ones included. A text that
/// is short enough is one part; an empty one has none.
pub fn chunks(text: &Text, max_words: usize, overlap: usize) -> Vec<Chunk<'_>> {
    parts(text.as_str(), max_words, overlap)
}

fn parts(text: &str, max_words: usize, overlap: usize) -> Vec<Chunk<'_>> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let max_words = max_words.max(16);
    let overlap = overlap.min(max_words / 4);
    let whole = Chunk { text, fresh: 0..text.len(), number: 1 };
    let pieces = pieces(text, max_words / 4);
    if pieces.iter().map(|piece| piece.words).sum::<usize>() <= max_words {
        return vec![whole];
    }
    let mut chunks = Vec::new();
    let mut first = 0;
    while first < pieces.len() {
        let repeated = if first == 0 { 0 } else { repeated(&pieces[..first], overlap) };
        let before: usize = pieces[first - repeated..first].iter().map(|piece| piece.words).sum();
        let end = first + cut(&pieces[first..], max_words - before);
        let fresh = pieces[first].range.start..pieces[end - 1].range.end;
        let start = pieces[first - repeated].range.start;
        let number = chunks.len() + 1;
        chunks.push(Chunk { text: &text[start..fresh.end], fresh, number });
        first = end;
    }
    chunks
}

/// How many of the pieces make up the next part: as many as have room, but rather up to a section, or
/// else a paragraph, that begins in the second half.
fn cut(pieces: &[Piece], room: usize) -> usize {
    let mut words = 0;
    let mut best = (Start::Nothing, 1);
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 && words >= room / 2 && piece.start >= best.0 {
            best = (piece.start, number);
        }
        words += piece.words;
        if words > room {
            return best.1;
        }
    }
    pieces.len()
}

/// How many of the pieces before a cut are repeated behind it.
fn repeated(before: &[Piece], overlap: usize) -> usize {
    if overlap == 0 {
        return 0;
    }
    let mut words = 0;
    let fits = |piece: &&Piece| {
        words += piece.words;
        words <= overlap
    };
    before.iter().rev().take_while(fits).count()
}

fn pieces(text: &str, most: usize) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut in_fence = false;
    let mut after_blank = false;
    for line in text.split_inclusive('\n') {
        let is_fence = ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence));
        let start = match () {
            () if !in_fence && is_section(line) => Start::Section,
            () if after_blank && !in_fence => Start::Paragraph,
            () => Start::Nothing,
        };
        in_fence ^= is_fence;
        after_blank = line.trim().is_empty();
        split(line, at, most, start, &mut pieces);
        at += line.len();
    }
    pieces
}

/// One piece for a line; several for one that has more words than fit.
fn split(line: &str, at: usize, most: usize, start: Start, pieces: &mut Vec<Piece>) {
    let count = words(line);
    if count <= most {
        pieces.push(Piece { range: at..at + line.len(), words: count, start });
        return;
    }
    let mut start = start;
    let mut begin = 0;
    while begin < line.len() {
        // The shortest word has two bytes, with its blank.
        let mut end = line.floor_char_boundary((begin + 2 * most).min(line.len()));
        if let Some(blank) = line[begin..end].rfind(' ').filter(|_| end < line.len()) {
            end = begin + blank + 1;
        }
        let range = at + begin..at + end;
        pieces.push(Piece { range, words: words(&line[begin..end]), start });
        start = Start::Nothing;
        begin = end;
    }
}

fn words(text: &str) -> usize {
    text.split_whitespace().map(|word| word.chars().count().div_ceil(LONG_WORD)).sum()
}

/// A heading, or the beginning of somebody's turn.
fn is_section(line: &str) -> bool {
    const SPEAKERS: &[&str] =
        &["person", "user", "human", "agent", "assistant", "subagent", "claude"];
    let start = line.trim_start();
    let level = start.len() - start.trim_start_matches('#').len();
    if (1..=6).contains(&level) && start[level..].starts_with(' ') {
        return true;
    }
    let bare = start.trim_start_matches('*');
    let name = bare.split([':', '*']).next().unwrap_or_default().trim();
    name.len() < bare.trim_end().len()
        && SPEAKERS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut_into(text: &str, max_words: usize, overlap: usize) -> Vec<String> {
        let text = Text::plain(text);
        chunks(&text, max_words, overlap).iter().map(|chunk| chunk.as_str().to_owned()).collect()
    }

    #[test]
    fn cuts_are_at_headings_or_turns() {
        let body = |word: &str| format!("{word} ").repeat(12);
        let text = format!("# One\n{}\n\n# Two\n{}\n", body("a"), body("b"));
        let parts = cut_into(&text, 20, 0);
        assert_eq!(parts.len(), 2);
        assert!(parts[1].starts_with("# Two\n"), "{parts:?}");

        let text = format!("Person: {}\n\nAgent: {}\n\nPerson: ok\n", body("a"), body("b"));
        let parts = cut_into(&text, 20, 0);
        assert!(parts[1].starts_with("Agent: "), "{parts:?}");

        // A heading in a fence is a comment of a program.
        let text = format!("```\n{}\n# no heading\nx\n```\n\n{}", body("a"), body("b"));
        let parts = cut_into(&text, 20, 0);
        assert!(!parts.iter().any(|part| part.starts_with("# no")), "{parts:?}");
    }

    #[test]
    fn parts_overlap() {
        let text: String =
            (0..100).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
        let parts = cut_into(&text, 40, 6);
        assert!(parts.len() > 4);
        for pair in parts.windows(2) {
            let tail: Vec<&str> = pair[0].lines().rev().take(3).collect();
            let head: Vec<&str> = pair[1].lines().take(3).collect();
            assert_eq!(head, tail.into_iter().rev().collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_part_in_smaller_parts() {
        let text: String =
            (0..200).map(|number| format!("line {number}\n")).collect::<Vec<_>>().concat();
        let text = Text::plain(&text);
        let parts = chunks(&text, 200, 20);
        let second = &parts[1];
        let smaller = second.smaller(second.words() / 2, 20);
        assert!(smaller.len() >= 2);
        assert_eq!(smaller[0].fresh.start, second.fresh.start);
        assert_eq!(smaller.last().unwrap().fresh.end, second.fresh.end);
        for pair in smaller.windows(2) {
            assert_eq!(pair[0].fresh.end, pair[1].fresh.start);
            assert!(text.as_str()[..pair[1].fresh.end].ends_with(pair[1].as_str()));
        }
        assert_eq!(second.smaller(1000, 20), [Chunk { number: 1, ..second.clone() }]);
    }

    #[test]
    fn short_and_empty_texts() {
        assert_eq!(cut_into(&"word ".repeat(10_000), MAX_WORDS, OVERLAP).len(), 1);
        assert_eq!(cut_into(&"word ".repeat(10_001), MAX_WORDS, OVERLAP).len(), 2);
        assert_eq!(cut_into(" \n", MAX_WORDS, OVERLAP).len(), 0);
        // One line without a blank.
        assert!(cut_into(&"x".repeat(1_000_000), MAX_WORDS, OVERLAP).len() > 5);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_nothing_too_long(
            text in "(# [a-z]{1,5}\n|[a-zé]{1,40}|[ \n]|```\n|Person: ){0,300}",
            max in 16_usize..60,
            overlap in 0_usize..30,
        ) {
            let text = Text::plain(&text);
            let parts = chunks(&text, max, overlap);
            let mut at = 0;
            for part in &parts {
                prop_assert_eq!(part.fresh.start, at);
                prop_assert!(part.fresh.end > at);
                prop_assert!(part.as_str().ends_with(&text.as_str()[part.fresh.clone()]));
                prop_assert!(words(part.as_str()) <= max, "{} of {}", words(part.as_str()), max);
                at = part.fresh.end;
            }
            let end = if text.as_str().trim().is_empty() { 0 } else { text.as_str().len() };
            prop_assert_eq!(at, end);
        }
    }
}
