//! Lines and columns of a text.

use std::cell::Cell;

use memchr::memchr_iter;

use crate::text::{clean, clip};

/// Widest excerpt, in columns.
const WIDTH: usize = 120;

pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The place that was asked for last and its column: a line of megabytes is read once.
    last: Cell<(usize, usize)>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let ends = memchr_iter(b'\n', text.as_bytes());
        let starts = [0].into_iter().chain(ends.map(|end| end + 1)).collect();
        Self { text, starts, last: Cell::default() }
    }

    /// Where a line begins, from 1.
    pub(super) fn start(&self, line: usize) -> usize {
        let start = self.starts.get(line.saturating_sub(1)).or(self.starts.last());
        start.copied().unwrap_or(0)
    }

    pub(super) fn begins(&self, offset: usize) -> bool {
        self.starts.binary_search(&offset).is_ok()
    }

    /// The line of an offset, and the characters before it on the line.
    pub(super) fn place(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.start(line);
        let is_before = |(from, _): &(usize, usize)| (start..=offset).contains(from);
        let (from, passed) = Some(self.last.get()).filter(is_before).unwrap_or((start, 0));
        let rest = self.text.get(from..offset).unwrap_or_default();
        let column = passed + rest.chars().count();
        self.last.set((offset, column));
        (line, column)
    }

    /// The line around an offset, clipped so that the offset is in it.
    pub(super) fn excerpt(&self, offset: usize) -> String {
        let start = self.start(self.starts.partition_point(|&start| start <= offset));
        // The start is moved near the offset where the line is long.
        let near = self.text.floor_char_boundary(offset.saturating_sub(WIDTH / 2)).max(start);
        let start = if offset - start > WIDTH { near } else { start };
        let rest = self.text.get(start..).unwrap_or_default();
        let rest = rest.get(..rest.floor_char_boundary(4 * WIDTH)).unwrap_or(rest);
        clip(clean(rest.split('\n').next().unwrap_or_default()).trim(), WIDTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_any_order() {
        let text = "αβ c\n\n  d«e»\nlast";
        let lines = Lines::of(text);
        let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).collect();
        for &offset in offsets.iter().chain(offsets.iter().rev()).chain(offsets.iter().step_by(3)) {
            let before = &text[..offset];
            let line = 1 + before.matches('\n').count();
            let column = before.rsplit('\n').next().unwrap().chars().count();
            assert_eq!(lines.place(offset), (line, column), "{offset}");
            assert!(lines.start(line) <= offset);
        }
    }
}
