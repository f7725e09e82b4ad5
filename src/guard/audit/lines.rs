//! Lines and columns of a text.

use memchr::memchr_iter;

use crate::text::{clean, clip};

/// Widest excerpt, in columns.
const WIDTH: usize = 120;

pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let ends = memchr_iter(b'\n', text.as_bytes());
        Self { starts: [0].into_iter().chain(ends.map(|end| end + 1)).collect() }
    }

    pub(super) fn begins(&self, offset: usize) -> bool {
        self.starts.binary_search(&offset).is_ok()
    }

    /// The line around an offset, clipped so that the offset is in it.
    pub(super) fn excerpt(&self, text: &str, offset: usize) -> String {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        // The start is moved near the offset where the line is long.
        let near = text.floor_char_boundary(offset.saturating_sub(WIDTH / 2)).max(start);
        let start = if offset - start > WIDTH { near } else { start };
        let rest = text.get(start..).unwrap_or_default();
        let rest = rest.get(..rest.floor_char_boundary(4 * WIDTH)).unwrap_or(rest);
        clip(clean(rest.split('\n').next().unwrap_or_default()).trim(), WIDTH)
    }
}

/// A place in a text. It is quick where it moves forwards: a line of megabytes is read once.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    offset: usize,
    line: usize,
    column: usize,
}

impl Cursor {
    pub(super) const fn new() -> Self {
        Self { offset: 0, line: 1, column: 0 }
    }

    pub(super) fn place(&mut self, lines: &Lines, text: &str, offset: usize) -> (usize, usize) {
        let line = lines.starts.partition_point(|&start| start <= offset).max(1);
        if line != self.line || offset < self.offset {
            self.begin(lines, line);
        }
        let passed = text.get(self.offset..offset).unwrap_or_default();
        self.column += passed.chars().count();
        self.offset = offset;
        (self.line, self.column)
    }

    pub(super) fn offset(
        &mut self,
        lines: &Lines,
        text: &str,
        (line, column): (usize, usize),
    ) -> usize {
        if line != self.line || column < self.column {
            self.begin(lines, line);
        }
        let rest = text.get(self.offset..).unwrap_or_default();
        let passed = rest.char_indices().nth(column - self.column);
        self.offset += passed.map_or(rest.len(), |(index, _)| index);
        self.column = column;
        self.offset
    }

    fn begin(&mut self, lines: &Lines, line: usize) {
        let start = lines.starts.get(line.saturating_sub(1)).or(lines.starts.last());
        *self = Self { offset: start.copied().unwrap_or(0), line, column: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_offsets_belong_together_in_any_order() {
        let text = "αβ c\n\n  d«e»\nlast";
        let lines = Lines::of(text);
        let (mut forth, mut back) = (Cursor::new(), Cursor::new());
        let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).collect();
        for &offset in offsets.iter().chain(offsets.iter().rev()).chain(offsets.iter().step_by(3)) {
            let before = &text[..offset];
            let line = 1 + before.matches('\n').count();
            let column = before.rsplit('\n').next().unwrap().chars().count();
            assert_eq!(forth.place(&lines, text, offset), (line, column), "{offset}");
            assert_eq!(back.offset(&lines, text, (line, column)), offset);
        }
        assert_eq!(Cursor::new().offset(&lines, text, (99, 99)), text.len());
    }
}
