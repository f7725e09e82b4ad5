//! What of a message is its speaker's own prose, sentence by sentence.
//!
//! Left out: fenced and indented code, quotations, tables, output that was pasted in, and what we
//! injected ourselves. Inline code and quoted words stay in their sentence but are blanked in the copy
//! that is searched, so that no phrase is found in them and no full stop in them ends anything.
//! In notes a line with a date and an item of a list are entries: what stands in them belongs together.

use std::ops::Range;

use super::sections::marked;
use super::weigh;
use crate::learn::transcript::{FRAME, Fence};

/// What stands in the searched copy for a byte of code or of a quotation.
pub(super) const BLANK: u8 = 1;

pub(super) struct Prose<'t> {
    text: &'t str,
    masked: Vec<u8>,
    pub(super) sentences: Vec<Piece>,
}

/// A sentence, or a paragraph: lines that belong together; a list's item is one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    range: Range<usize>,
    pub(super) lines_before: u64,
    /// A line of a diary or an item of a list, in notes.
    pub(super) is_entry: bool,
}

/// Longest entry that is kept as a whole, in bytes.
const ENTRY: usize = 400;

impl<'t> Prose<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self::read(text, false)
    }

    pub(super) fn of_notes(text: &'t str) -> Self {
        Self::read(text, true)
    }

    fn read(text: &'t str, has_entries: bool) -> Self {
        let mut prose = Self { text, masked: text.as_bytes().to_vec(), sentences: Vec::new() };
        for mut paragraph in paragraphs(text) {
            mask(&mut prose.masked[paragraph.range.clone()]);
            if has_entries {
                let words = &text[paragraph.range.clone()];
                let date = date_of(words);
                paragraph.range.start += date;
                paragraph.is_entry =
                    (date > 0 || is_item(words.trim_start())) && words.len() - date <= ENTRY;
            }
            prose.split(&paragraph);
        }
        prose
    }

    pub(super) fn original(&self, sentence: &Piece) -> &'t str {
        &self.text[sentence.range.clone()]
    }

    /// The sentence as it is searched: lower case, plain apostrophes, single blanks, no emphasis.
    pub(super) fn searched(&self, sentence: &Piece) -> String {
        let bytes = &self.masked[sentence.range.clone()];
        let text = String::from_utf8_lossy(bytes);
        let text = if is_item(&text) { text.trim_start_matches(|c| c != ' ') } else { &text };
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '’' | '‘' => out.push('\''),
                '*' | '_' => {}
                c if c.is_whitespace() => {
                    if !out.ends_with(' ') && !out.is_empty() {
                        out.push(' ');
                    }
                }
                c => out.extend(c.to_lowercase()),
            }
        }
        out.truncate(out.trim_end().len());
        out
    }

    pub(super) fn clauses(&self, sentence: &Piece) -> Vec<Piece> {
        const WORDS: [&[u8]; 5] = [b" but ", b" aber ", b" mais ", b" and then ", b" so "];
        let bytes = &self.masked[sentence.range.clone()];
        let ends = (1..bytes.len()).filter(|&at| {
            let is_mark = matches!(bytes[at - 1], b',' | b';' | b':') && bytes[at] == b' ';
            is_mark || WORDS.iter().any(|word| bytes[at..].starts_with(word))
        });
        let mut starts: Vec<usize> = [0].into_iter().chain(ends).collect();
        starts.push(bytes.len());
        let piece = |pair: &[usize]| Piece {
            range: sentence.range.start + pair[0]..sentence.range.start + pair[1],
            lines_before: sentence.lines_before,
            is_entry: false,
        };
        starts.windows(2).map(piece).collect()
    }

    /// Pieces that stand beside each other as one, without white space and marks at its ends.
    pub(super) fn joined(&self, pieces: &[Piece]) -> Option<Piece> {
        let (first, last) = (pieces.first()?, pieces.last()?);
        let words = &self.text[first.range.start..last.range.end];
        let start = first.range.start + (words.len() - words.trim_start().len());
        let words = words.trim().trim_end_matches([',', ';']);
        let range = start..start + words.len();
        Some(Piece { range, lines_before: first.lines_before, is_entry: false })
    }

    /// Whether nothing but white space of one paragraph stands between two sentences.
    pub(super) fn are_beside(&self, one: &Piece, next: &Piece) -> bool {
        let between = self.text.get(one.range.end..next.range.start);
        between.is_some_and(|text| text.trim().is_empty() && text.matches('\n').count() < 2)
    }

    fn split(&mut self, paragraph: &Piece) {
        let masked = &self.masked[paragraph.range.clone()];
        let mut start = 0;
        let mut lines = paragraph.lines_before;
        let ends = if paragraph.is_entry { vec![masked.len()] } else { sentence_ends(masked) };
        for end in ends {
            let part = &masked[start..end];
            let skipped = part.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let breaks = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
            let says = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == BLANK || *byte >= 0x80;
            if part.iter().any(says) {
                let from = paragraph.range.start + start + skipped;
                let length = part[skipped..].trim_ascii_end().len();
                let lines_before = lines + breaks(&part[..skipped]);
                let is_entry = paragraph.is_entry;
                self.sentences.push(Piece { range: from..from + length, lines_before, is_entry });
            }
            lines += breaks(part);
            start = end;
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Continues,
    Begins,
    Ends,
}

fn paragraphs(text: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut open = false;
    let mut fence = Fence::default();
    let mut start = 0;
    let mut wrapped = false;
    let mut in_terminal = false;
    for (number, line) in (0_u64..).zip(text.split_inclusive('\n')) {
        let range = start..start + line.len();
        start = range.end;
        let content = line.trim();
        // What stands below a command is what it printed.
        in_terminal = !content.is_empty() && (in_terminal || content.starts_with("$ "));
        let is_code = fence.holds(content) || in_terminal;
        let role = if is_code { Role::Ends } else { role(line, content, open, wrapped) };
        match (role, found.last_mut()) {
            (Role::Ends, _) => open = false,
            (Role::Continues, Some(paragraph)) if open => paragraph.range.end = range.end,
            _ => {
                found.push(Piece { range, lines_before: number, is_entry: false });
                open = true;
            }
        }
        wrapped = content.len() >= 60;
    }
    found
}

fn role(line: &str, content: &str, open: bool, wrapped: bool) -> Role {
    let indented = line.starts_with("    ") || line.starts_with('\t');
    if content.is_empty() || (indented && !open) || is_foreign(content) {
        return Role::Ends;
    }
    let begins = || {
        is_item(content)
            || content.starts_with('#')
            || marked(content).is_some()
            || date_of(content) > 0
    };
    if !wrapped || begins() {
        return Role::Begins;
    }
    Role::Continues
}

/// `- `, `* `, `1. `, `2) `.
pub(super) fn is_item(content: &str) -> bool {
    let rest = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[&str] =
        if rest.len() < content.len() { &[". ", ") "] } else { &["- ", "* ", "+ ", "• "] };
    marks.iter().any(|mark| rest.starts_with(mark))
}

/// Bytes of the date with which a line of a diary begins, if something follows it: `12 May.`, `Tuesday: `, `2026-03-04`.
fn date_of(line: &str) -> usize {
    let (mut length, mut is_date) = (0, false);
    let (mut has_number, mut has_name) = (false, false);
    for word in line.split_inclusive(' ') {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let is_number = bare.starts_with(|c: char| c.is_ascii_digit())
            && bare.bytes().all(|byte| byte.is_ascii_digit() || b"-./".contains(&byte));
        if !is_number && !weigh::is_in(weigh::list("date"), &bare) {
            break;
        }
        (has_number, has_name) = (has_number || is_number, has_name || !is_number);
        length += word.len();
        let ends = word.trim_end().ends_with([':', '.', ',', ')', ']']);
        // A number by itself may name something: `4: dead`, `3.14 is an approximation`.
        let is_whole = is_number && bare.matches(['-', '.', '/']).count() == 2
            || is_number && ends && bare.contains(['.', '/']);
        is_date |= is_whole || has_name && (has_number || ends);
    }
    let rest = line[length..].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`');
    if is_date && !rest.is_empty() { line.len() - rest.len() } else { 0 }
}

/// Lines that somebody else, or a program, wrote.
fn is_foreign(content: &str) -> bool {
    const STATED: [&str; 2] = ["theorem ", "lemma "];
    const MARKS: &[&str] = &[
        ">", "|", "│", "├", "└", "╭", "╰", "⎿", "=>", "×", "❯", "$ ", "--", "/-", "//", "+++",
        "@@", "#eval", "#check", "#print", "<!--",
    ];
    const LEVELS: &[&str] = &["error", "warning", "info"];
    let is_tag = content.strip_prefix('<').is_some_and(|rest| {
        rest.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic())
    });
    // `Lemma names follow Mathlib` and `import only what the file uses` are prose.
    let is_stated =
        content.contains(':') && STATED.iter().any(|beginning| content.starts_with(beginning));
    let is_log = content.starts_with('[')
        && weigh::list("levels of logs").split('|').any(|level| {
            content.get(1..=level.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(level))
        });
    let is_prose = content.starts_with("import ")
        && content.split(' ').count() > 4
        && !content.contains(['\'', '"', '{']);
    if is_tag
        || is_log
        || is_stated
        || MARKS.iter().any(|beginning| content.starts_with(beginning))
        || !is_prose
            && weigh::list("lines of others").split('|').any(|words| content.starts_with(words))
        || content.starts_with(FRAME)
        || is_position(content)
    {
        return true;
    }
    content
        .match_indices(": ")
        .any(|(at, _)| LEVELS.iter().any(|level| content[..at].ends_with(level)))
}

/// `Slot614.lean:12:4:` at the beginning, as compilers write it.
fn is_position(content: &str) -> bool {
    let Some(word) = content.split_ascii_whitespace().next() else { return false };
    let mut parts = word.split(':').skip(1);
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    is_number(parts.next()) && is_number(parts.next())
}

/// Blanks inline code and quoted words. A mark without its partner in the paragraph is left.
fn mask(bytes: &mut [u8]) {
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'`' => {
                let ticks = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
                closing_ticks(bytes, at + ticks, ticks)
            }
            b'"' => find(bytes, at + 1, b"\""),
            b'\'' => closing_quote(bytes, at),
            0xe2 if bytes[at..].starts_with("“".as_bytes()) => {
                find(bytes, at + 3, "”".as_bytes())
            }
            0xe2 if bytes[at..].starts_with("„".as_bytes()) => {
                find(bytes, at + 3, "“".as_bytes()).or_else(|| find(bytes, at + 3, b"\""))
            }
            0xc2 if bytes[at..].starts_with("«".as_bytes()) => find(bytes, at + 2, "»".as_bytes()),
            _ => None,
        };
        match end {
            Some(end) => {
                bytes[at..end].fill(BLANK);
                at = end;
            }
            None => at += 1,
        }
    }
}

/// Longest quotation that is looked for: a lone mark must not cost a whole paragraph each time.
const MAX_QUOTE: usize = 600;

fn find(bytes: &[u8], from: usize, mark: &[u8]) -> Option<usize> {
    let part = &bytes[from..bytes.len().min(from + MAX_QUOTE)];
    part.windows(mark.len()).position(|window| window == mark).map(|at| from + at + mark.len())
}

/// Of several words between two `'`, of which neither is an apostrophe.
fn closing_quote(bytes: &[u8], at: usize) -> Option<usize> {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
    let part = bytes.get(at + 1..bytes.len().min(at + MAX_QUOTE))?;
    let opens = at.checked_sub(1).is_none_or(|before| b" \n(".contains(&bytes[before]));
    let closes =
        |end: &usize| part[*end] == b'\'' && part[*end - 1] != b' ' && !is_word(part.get(end + 1));
    let end = (1..part.len()).find(closes).filter(|_| opens && is_word(part.first()))?;
    let words = part.get(..end)?.split(|byte| *byte == b' ').count();
    (words > 1).then_some(at + end + 2)
}

fn closing_ticks(bytes: &[u8], from: usize, ticks: usize) -> Option<usize> {
    let limit = bytes.len().min(from + MAX_QUOTE);
    let mut at = from;
    while at < limit {
        let run = bytes[at..limit].iter().take_while(|byte| **byte == b'`').count();
        if run == ticks {
            return Some(at + run);
        }
        at += run.max(1);
    }
    None
}

fn sentence_ends(masked: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    for at in 0..masked.len() {
        if !matches!(masked[at], b'.' | b'!' | b'?') {
            continue;
        }
        let closing = masked[at + 1..]
            .iter()
            .take_while(|byte| matches!(byte, b')' | b'*' | b'_' | b'"' | b'.' | b'!' | b'?'))
            .count();
        let end = at + 1 + closing;
        let ends_here = masked.get(end).is_none_or(u8::is_ascii_whitespace);
        if ends_here && !(masked[at] == b'.' && is_abbreviation(masked, at)) {
            ends.push(end);
        }
    }
    ends.dedup();
    if ends.last() != Some(&masked.len()) {
        ends.push(masked.len());
    }
    ends
}

/// Whether the full stop at a place belongs to the word before it: `e.g.`, `z. B.`, `p. ex.`.
fn is_abbreviation(bytes: &[u8], at: usize) -> bool {
    let starts = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b'*');
    let word_before = |end: usize| {
        let start = bytes[..end].iter().rposition(starts).map_or(0, |place| place + 1);
        (start, String::from_utf8_lossy(&bytes[start..end]).to_lowercase())
    };
    let (start, word) = word_before(at);
    // The number of a list's item.
    let is_number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
    let at_start = bytes[..start].iter().all(u8::is_ascii_whitespace);
    // "No." opens an answer, "no. 5" counts.
    let is_answer = at_start && word == "no";
    let is_known = |word: &str| weigh::is_in(weigh::list("abbreviations"), word);
    // Its two parts may stand apart.
    let last = word_before(start.saturating_sub(1)).1;
    let rest = bytes[at + 1..].trim_ascii_start();
    let next = rest.iter().take(3).position(|byte| *byte == b'.').unwrap_or_default();
    let next = format!("{word}.{}", String::from_utf8_lossy(&rest[..next]).to_lowercase());
    (is_number && at_start)
        || (!is_answer && is_known(&word))
        || is_known(&next)
        || last.ends_with('.') && is_known(&format!("{last}{word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_rows() {
        for (text, expected) in [
            ("One. Two! Three?", vec!["One.", "Two!", "Three?"]),
            ("Use `Nat.add. x`. Then, e.g. omega.", vec!["Use `Nat.add. x`.", "Then, e.g. omega."]),
            ("Namen, z. B. `a`, d. h. alle. Ende", vec!["Namen, z. B. `a`, d. h. alle.", "Ende"]),
            ("Zeile 3 bzw. 4, vgl. Kap. 2. Ende", vec!["Zeile 3 bzw. 4, vgl. Kap. 2.", "Ende"]),
            ("Les noms, p. ex. `a`, cf. b. Fin", vec!["Les noms, p. ex. `a`, cf. b.", "Fin"]),
            ("It holds for all n. Then b. C", vec!["It holds for all n.", "Then b.", "C"]),
            ("See Nat.succ_le and v4.28.0 now", vec!["See Nat.succ_le and v4.28.0 now"]),
            ("He said \"no. never\" twice. Ok", vec!["He said \"no. never\" twice.", "Ok"]),
            ("No. It is open.", vec!["No.", "It is open."]),
            ("1. first\n2. second", vec!["1. first", "2. second"]),
            ("short line\nAnother one", vec!["short line", "Another one"]),
            (
                "a line that is long enough to have been wrapped by an editor\ngoes on. End",
                vec![
                    "a line that is long enough to have been wrapped by an editor\ngoes on.",
                    "End",
                ],
            ),
            (
                "DECISION: a line that is as long as one that an editor would have wrapped\nDEAD END: `b` because c",
                vec![
                    "DECISION: a line that is as long as one that an editor would have wrapped",
                    "DEAD END: `b` because c",
                ],
            ),
            ("a\n```\ncode. x\n```\nb", vec!["a", "b"]),
            ("a\n\n    code here\n\nb", vec!["a", "b"]),
            ("> quoted\nown", vec!["own"]),
            ("Human: quoted\n\nown", vec!["own"]),
            ("$ mk x\nprinted\n\nown", vec!["own"]),
            ("A.lean:1:2: error: x\n| t | u |\n[math-forge] x\nown", vec!["own"]),
            ("**Key insight:** it works.", vec!["**Key insight:** it works."]),
            ("", vec![]),
        ] {
            let prose = Prose::of(text);
            let sentences: Vec<&str> =
                prose.sentences.iter().map(|sentence| prose.original(sentence)).collect();
            assert_eq!(sentences, expected, "{text:?}");
        }
    }

    #[test]
    fn dates() {
        for (line, rest) in [
            ("12 May. We rest", "We rest"),
            ("May 12: we rest", "we rest"),
            ("Tuesday: we rest", "we rest"),
            ("Di, 3.5.: wir ruhen", "wir ruhen"),
            ("2026-03-04 we rest", "we rest"),
            ("[2026-03-04] `rest`", "`rest`"),
            ("Tag 3: Pause", "Pause"),
            ("May I rest", "May I rest"),
            ("4: dead", "4: dead"),
            ("3.14 is close", "3.14 is close"),
            ("2x2 is dead", "2x2 is dead"),
            ("Sunday", "Sunday"),
        ] {
            assert_eq!(&line[date_of(line)..], rest, "{line}");
        }
    }

    #[test]
    fn lines_are_counted() {
        let prose = Prose::of("a\n\n```\nx\n```\nb one. b two.\nc");
        let lines: Vec<u64> =
            prose.sentences.iter().map(|sentence| sentence.lines_before).collect();
        assert_eq!(lines, [0, 5, 5, 6]);
    }

    #[test]
    fn code_and_quotations_are_not_searched() {
        for text in
            ["'you prefer it' is wrong", "„you prefer“ is wrong", "say 'if you prefer', don't"]
        {
            let prose = Prose::of(text);
            assert!(!prose.searched(&prose.sentences[0]).contains("prefer"), "{text}");
        }
        for text in
            ["don't prefer the lemmas' names", "we 'prefer' it", "'tis what we prefer, isn't"]
        {
            let prose = Prose::of(text);
            assert!(prose.searched(&prose.sentences[0]).contains("prefer"), "{text}");
        }
        let prose = Prose::of("**Don’t** say \"you prefer\"  or `you like`.");
        let searched = prose.searched(&prose.sentences[0]);
        assert!(searched.starts_with("don't say \u{1}"), "{searched:?}");
        assert!(!searched.contains("prefer") && !searched.contains("like"), "{searched:?}");
    }
}
