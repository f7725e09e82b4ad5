//! Lines and columns of a text.

use crate::text::{clean, clip};

/// Widest excerpt, in columns.
const WIDTH: usize = 120;

/// Where the lines of a text begin.
pub(super) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: [0].into_iter().chain(ends.map(|(end, _)| end + 1)).collect() }
    }

    /// The offset of a line, from 1, and a column in characters.
    pub(super) fn offset(&self, text: &str, line: usize, column: usize) -> usize {
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(text.len());
        let rest = text.get(start..).unwrap_or_default();
        start + rest.char_indices().nth(column).map_or(rest.len(), |(index, _)| index)
    }

    /// Line, from 1, and characters before an offset on it.
    pub(super) fn place(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        (line, text.get(start..offset).unwrap_or_default().chars().count())
    }

    /// Whether an offset is the first of its line.
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
