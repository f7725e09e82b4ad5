//! Reading a text that was made of another one by an edit: what the two begin and end with is not
//! lexed again. The outcome is the same as if it were.

use std::ops::Range;

use super::sig::{LONGEST, Reader, Reading, Shift, Sig, read};

/// A lexeme looks at fewer bytes behind its end, where it looks beyond the end of its line at all.
const LOOK_AHEAD: usize = 64;

/// What two texts have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Same {
    /// Up to this offset they have the same lexemes.
    pub(super) head: usize,
    /// So many bytes of their ends have the same lexemes.
    pub(super) tail: usize,
}

/// Turns the reading of `before` into that of `after`. In the same memory: to ask for as much again
/// would cost more than the reading.
pub(super) fn reread(before: &str, reading: &mut Reading, after: &str) -> Same {
    // What is open to the end makes the end of a text depend on its beginning.
    if !reading.unfinished.is_empty() || before.len().max(after.len()) > LONGEST {
        *reading = read(after);
        return Same::default();
    }
    let (prefix, suffix) = common(before.as_bytes(), after.as_bytes());
    let sigs = &reading.sigs;
    let near = sigs.partition_point(|sig| sig.start() + LOOK_AHEAD <= prefix);
    let begin = sigs.get(..near).unwrap_or_default();
    let head = begin.iter().rposition(|sig| is_joint(before, sig)).unwrap_or(0);
    let from = after.len() - suffix;
    let first = sigs.get(head).filter(|_| head > 0);
    let begin = first.map_or(0, Sig::start);
    let mut middle = Reader::at(after, first);
    let mut tail = None;
    let line = loop {
        let (stand, offset) = middle.place();
        if offset > from && stand.first && stand.rests {
            let at = offset + before.len() - after.len();
            let index = sigs.binary_search_by_key(&at, Sig::start).ok();
            let alike = |sig: &Sig| is_joint(before, sig) && sig.spaced == stand.spaced;
            tail = index.filter(|index| sigs.get(*index).is_some_and(alike));
        }
        if tail.is_some() || middle.step().is_none() {
            break stand.line;
        }
    };
    let joint = tail.and_then(|tail| sigs.get(tail)).copied();
    let tail = tail.unwrap_or(sigs.len());
    let new = middle.finish();
    let Some(joint) = joint else {
        put(&mut reading.sigs, head..tail, new.sigs, |sig| *sig);
        let first = reading.comments.partition_point(|comment| comment.start < begin);
        put(&mut reading.comments, first..usize::MAX, new.comments, Clone::clone);
        (reading.lines, reading.unfinished) = (new.lines, new.unfinished);
        return Same { head: begin, tail: 0 };
    };
    let bytes = Shift { from: before.len(), to: after.len() };
    let lines = Shift { from: joint.line(), to: line };
    put(&mut reading.sigs, head..tail, new.sigs, |sig| sig.moved(bytes, lines));
    let place = |offset| reading.comments.partition_point(|comment| comment.start < offset);
    let replaced = place(begin)..place(joint.start());
    put(&mut reading.comments, replaced, new.comments, |comment| bytes.range(comment));
    reading.lines = lines.of(reading.lines);
    reading.unfinished = new.unfinished;
    Same { head: begin, tail: before.len() - joint.start() }
}

/// Puts new items in the place of old ones, and moves those behind them.
pub(super) fn put<T>(
    items: &mut Vec<T>,
    range: Range<usize>,
    new: Vec<T>,
    moved: impl Fn(&T) -> T,
) {
    let end = range.start + new.len();
    let range = range.start..range.end.min(items.len());
    drop(items.splice(range, new));
    for item in items.get_mut(end..).into_iter().flatten() {
        *item = moved(item);
    }
}

/// Whether the reading of what follows a lexeme depends on nothing before it: it begins a line, and
/// nothing is open.
fn is_joint(text: &str, sig: &Sig) -> bool {
    let before = sig.start().checked_sub(1).and_then(|at| text.as_bytes().get(at));
    sig.first && sig.rests && before == Some(&b'\n')
}

/// The bytes that two texts begin with, and those that they end with, which do not overlap.
fn common(before: &[u8], after: &[u8]) -> (usize, usize) {
    const STEP: usize = 64;
    let same = |(a, b): &(&[u8], &[u8])| a == b;
    let each = |(a, b): &(&u8, &u8)| a == b;
    let steps = before.chunks_exact(STEP).zip(after.chunks_exact(STEP)).take_while(same).count();
    let rest = |bytes: &'_ [u8]| bytes.len().min(steps * STEP);
    let (old, new) = (before.get(rest(before)..), after.get(rest(after)..));
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let prefix = steps * STEP + old.iter().zip(new).take_while(each).count();
    let (old, new) = (before.get(prefix..), after.get(prefix..));
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    let steps = old.rchunks_exact(STEP).zip(new.rchunks_exact(STEP)).take_while(same).count();
    let (old, new) = (old.iter().rev(), new.iter().rev());
    let (old, new) = (old.skip(steps * STEP), new.skip(steps * STEP));
    (prefix, steps * STEP + old.zip(new).take_while(each).count())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks that rereading is reading; what was not lexed.
    fn check(before: &str, after: &str) -> Same {
        let mut found = read(before);
        let same = reread(before, &mut found, after);
        assert_eq!(found, read(after), "\n{before:?}\n{after:?}\n{same:?}");
        same
    }

    #[test]
    fn an_edit_in_the_middle_leaves_both_ends_alone() {
        let before: Vec<String> = (0..50)
            .map(|n| format!("/-- {n} -/\ntheorem t{n} : a ≤ {n} := by\n  simp\n\n"))
            .collect();
        let before = before.concat();
        for (old, new) in [
            ("simp\n\n/-- 25", "omega\n\n/-- 25"),
            ("simp\n\n/-- 25", "omega\n  ring\n\n\n/-- 25"),
            ("theorem t25", "/- x -/ theorem t25"),
            ("a ≤ 25", "a ≤ \"s\""),
            ("/-- 25 -/\n", ""),
        ] {
            let after = before.replacen(old, new, 1);
            assert_ne!(before, after);
            let same = check(&before, &after);
            assert!(same.head > 500 && same.tail > 500, "{old:?}: {same:?}");
            check(&after, &before);
        }
        for open in ["/-", "\"", "«", "s!\"{", "/--", "r#\"", "throwErrorAt\n", "trace[x]\n"] {
            let after = before.replacen("simp\n\n/-- 25", &format!("{open}\n\n/-- 25"), 1);
            check(&before, &after);
            check(&after, &before);
        }
    }

    const PIECES: &[&str] = &[
        "\n",
        "\n\n",
        "theorem t : a := by\n",
        "  simp",
        " ",
        "a",
        "≤",
        "/-",
        "-/",
        "--",
        "\"",
        "\\",
        "{",
        "}",
        "s!",
        "'",
        "r#",
        "r\"",
        "#\"",
        "«",
        "»",
        "`",
        "\u{feff}",
        "\r",
        "end\n",
        "⟨x⟩",
        "0x",
        "1.",
        "throwErrorAt",
        "trace[",
        "ln!",
        "panic!",
        "\n/-- d -/\n",
        "\n-- c\n",
        "'\\",
        "aa",
    ];

    fn text(length: usize) -> impl Strategy<Value = String> {
        let piece = prop::sample::select(PIECES);
        prop::collection::vec(piece, 0..length).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn rereading_is_reading(
            head in text(60), old in text(8), new in text(8), tail in text(60), calm in any::<bool>()
        ) {
            // Half of the texts have lines before and after the edit from which nothing is open.
            let plain = if calm { "\n\ntheorem plain : x = y := rfl\n\n".repeat(4) } else { String::new() };
            let before = [&head, &plain, &old, &plain, &tail].map(String::as_str).concat();
            let after = [&head, &plain, &new, &plain, &tail].map(String::as_str).concat();
            check(&before, &after);
        }

        #[test]
        fn any_two_texts(before in text(30), after in text(30)) {
            check(&before, &after);
        }
    }
}
