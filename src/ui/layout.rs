//! Lines of a page: indentation, rules, wrapped paragraphs, labelled lines, aligned tables.
//!
//! Widths are those of the terminal, so that Lean's symbols align. Everything that comes in as plain
//! text is cleaned here; what is already painted goes in by [`Page::line`].

use super::theme::{Tone, paint};
use crate::text::{clean, clean_block, clip, width};

/// A page that grows line by line.
#[derive(Debug)]
pub struct Page {
    text: String,
    width: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub title: &'static str,
    /// Numbers stand to the right.
    pub right: bool,
    /// Columns that may shrink when the page is narrow, to not less than this; 0: never shrinks.
    pub shrinks_to: usize,
}

/// Columns of blanks before everything.
const INDENT: usize = 2;
/// Columns of blanks between the columns of a table.
const GAP: usize = 2;

impl Column {
    /// Text, which may shrink to this where the page is narrow; 0: never.
    pub const fn text(title: &'static str, shrinks_to: usize) -> Self {
        Self { title, right: false, shrinks_to }
    }

    pub const fn number(title: &'static str) -> Self {
        Self { title, right: true, shrinks_to: 0 }
    }
}

impl Page {
    pub fn new(width: usize) -> Self {
        Self { text: String::new(), width: width.max(40) }
    }

    pub fn into_text(self) -> String {
        self.text
    }

    /// Columns that are left at a depth of indentation.
    pub fn room(&self, depth: usize) -> usize {
        self.width.saturating_sub(INDENT * depth)
    }

    /// A line at a depth of indentation, as it is.
    pub fn line(&mut self, depth: usize, line: &str) {
        self.text.extend(std::iter::repeat_n(' ', INDENT * depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// The one line where there is nothing to list, and what can be done about it.
    pub fn nothing(&mut self, text: &str, hint: &str) {
        self.paragraph(1, text);
        self.hint(hint);
    }

    /// The head of a list: its title, how many there are and how many of these are shown.
    pub fn listing(&mut self, title: &str, shown: usize, total: u64) {
        let of = if (shown as u64) < total { format!(" of {total}") } else { String::new() };
        self.line(1, &format!("{} ({shown}{of})", paint(Tone::Heading, title)));
        self.rule();
    }

    pub fn rule(&mut self) {
        self.line(1, &paint(Tone::Faint, "---"));
    }

    pub fn heading(&mut self, title: &str, count: Option<usize>) {
        let counted = count.map_or_else(String::new, |n| format!(" ({n})"));
        self.line(1, &format!("{}{counted}", paint(Tone::Heading, title)));
    }

    /// `label: text` in one line, clipped; nothing for an empty text.
    pub fn labelled(&mut self, depth: usize, label: &str, text: &str) {
        let text = clean(text);
        if !text.is_empty() {
            let line = clip(&format!("{label}: {text}"), self.room(depth));
            self.line(depth, &line);
        }
    }

    /// Short remarks in a faint line, `Domain: nt | Slot: 614 | 3h ago`; as many lines as they need.
    pub fn parts(&mut self, depth: usize, parts: Vec<String>) {
        const BETWEEN: &str = " | ";
        let room = self.room(depth);
        let mut line = String::new();
        for part in parts {
            let part = clip(&part, room);
            if !line.is_empty() && width(&line) + BETWEEN.len() + width(&part) > room {
                let full = std::mem::take(&mut line);
                self.line(depth, &paint(Tone::Faint, &full));
            }
            if !line.is_empty() {
                line.push_str(BETWEEN);
            }
            line.push_str(&part);
        }
        self.line(depth, &paint(Tone::Faint, &line));
    }

    /// A paragraph, wrapped at blanks; its own line breaks are kept.
    pub fn paragraph(&mut self, depth: usize, text: &str) {
        let room = self.room(depth);
        for line in clean_block(text).trim_end().lines() {
            for piece in wrap(line, room) {
                self.line(depth, &piece);
            }
        }
    }

    /// A hint to the reader, in a faint tone.
    pub fn hint(&mut self, text: &str) {
        let room = self.room(1);
        for piece in wrap(text, room) {
            self.line(1, &paint(Tone::Faint, &piece));
        }
    }

    pub fn not_looked_at(&mut self, notes: &[String]) {
        for note in notes {
            self.blank();
            self.hint(&format!("Not looked at: {}", clean(note)));
        }
    }

    /// A table that fits the width: columns that may shrink do, and what does not fit is clipped.
    pub fn table(
        &mut self,
        depth: usize,
        columns: &[Column],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) {
        let cells = |row: Vec<String>| row.iter().map(|cell| clip(&clean(cell), 400)).collect();
        let rows: Vec<Vec<String>> = rows.into_iter().map(cells).collect();
        let widths = self.widths(depth, columns, &rows);
        let titles: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
        if columns.iter().any(|column| !column.title.is_empty()) {
            let line = table_line(columns, &widths, &titles);
            self.line(depth, &paint(Tone::Faint, &line));
        }
        for row in &rows {
            let line = table_line(columns, &widths, row);
            self.line(depth, &line);
        }
    }

    fn widths(&self, depth: usize, columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
        let mut widths: Vec<usize> = columns
            .iter()
            .enumerate()
            .map(|(i, column)| {
                let cells = rows.iter().filter_map(|row| row.get(i)).map(|cell| width(cell)).max();
                cells.unwrap_or(0).max(width(column.title))
            })
            .collect();
        let gaps = GAP * columns.len().saturating_sub(1);
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(self.room(depth));
        // The widest column that still may shrink gives one column at a time.
        while excess > 0 {
            let widest = widths
                .iter_mut()
                .zip(columns)
                .filter(|(width, column)| column.shrinks_to > 0 && **width > column.shrinks_to)
                .max_by_key(|(width, _)| **width);
            let Some((width, _)) = widest else { break };
            *width -= 1;
            excess -= 1;
        }
        widths
    }
}

fn table_line(columns: &[Column], widths: &[usize], cells: &[String]) -> String {
    let mut line = String::new();
    for ((column, &room), cell) in columns.iter().zip(widths).zip(cells) {
        let cell = clip(cell, room);
        let blanks = " ".repeat(room.saturating_sub(width(&cell)));
        if column.right {
            line += &blanks;
            line += &cell;
        } else {
            line += &cell;
            line += &blanks;
        }
        line += &" ".repeat(GAP);
    }
    line.trim_end().to_owned()
}

/// Wraps one line at blanks, keeping its own indentation; a word too long for a line is cut.
pub(crate) fn wrap(line: &str, room: usize) -> Vec<String> {
    let line = line.replace('\t', "    ");
    let indent: String = line.chars().take_while(|c| *c == ' ').take(room / 2).collect();
    let room = room.saturating_sub(indent.len()).max(1);
    let mut lines = vec![indent.clone()];
    let mut used = 0;
    for word in line.split_whitespace().flat_map(|word| pieces(word, room)) {
        let columns = width(&word);
        if used > 0 && used + 1 + columns > room {
            lines.push(indent.clone());
            used = 0;
        }
        if let Some(last) = lines.last_mut() {
            if used > 0 {
                last.push(' ');
            }
            last.push_str(&word);
        }
        used += columns + usize::from(used > 0);
    }
    lines
}

/// A word in pieces of at most `room` columns.
fn pieces(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in word.chars() {
        let columns = width(c.encode_utf8(&mut [0; 4]));
        if used > 0 && used + columns > room {
            pieces.push(String::new());
            used = 0;
        }
        if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
        used += columns;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tables_align_symbols_and_fit() {
        let columns = [
            Column { title: "NAME", right: false, shrinks_to: 8 },
            Column { title: "N", right: true, shrinks_to: 0 },
        ];
        let rows = [
            vec!["∀ ε > 0, ∃ δ".to_owned(), "7".to_owned()],
            vec!["a long description that cannot possibly fit".to_owned(), "123".to_owned()],
        ];
        let mut page = Page::new(40);
        page.table(1, &columns, rows);
        let text = anstream::adapter::strip_str(&page.into_text()).to_string();
        insta::assert_snapshot!(text, @r"
        NAME                                 N
        ∀ ε > 0, ∃ δ                         7
        a long description that cannot p…  123
        ");
        assert!(text.lines().all(|line| width(line) <= 40), "{text}");
    }

    proptest! {
        #[test]
        fn wrapped_lines_fit_and_lose_nothing(text in "[a-zα-ω∀ ]{0,200}", room in 5usize..60) {
            let lines = wrap(&text, room);
            prop_assert!(lines.iter().all(|line| width(line) <= room), "{lines:?}");
            let squeeze = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(squeeze(&lines.concat()), squeeze(&text));
        }
    }
}
