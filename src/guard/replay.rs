//! The file as an edit leaves it: from the tool's input before the edit, from the client's patch after
//! it. Where the client itself rewrites what the tool was given (quotes,
//! escapes, line ends), the outcome is not known, and nothing is said about it.

use std::borrow::Cow;

use crate::model::{Edit, Hunk, Replacement};

/// The text after an edit of `original` (decoded: without BOM, with `\n` for line ends), or `None`
/// where the client refuses the edit or where it is not certain what it makes of it.
///
/// `original` is empty for a file that does not exist.
pub fn replay(original: &str, edit: &Edit) -> Option<String> {
    match edit {
        Edit::Write { content } => Some(crate::lean::decode(content.as_bytes()).text),
        Edit::Replace(replacements) => {
            let mut text = Cow::Borrowed(original);
            for replacement in replacements {
                text = Cow::Owned(replace(&text, replacement)?);
            }
            (!replacements.is_empty()).then(|| text.into_owned())
        }
    }
}

fn replace(text: &str, Replacement { old, new, all }: &Replacement) -> Option<String> {
    if old.is_empty() {
        return text.is_empty().then(|| new.clone());
    }
    if old == new || old.contains('\r') || new.contains('\r') {
        return None;
    }
    // Not found as it is: the client may still find it with other quotes or escapes.
    let first = text.find(old.as_str())?;
    let (head, rest) = (text.get(..first)?, text.get(first + old.len()..)?);
    if !all && rest.contains(old.as_str()) {
        return None;
    }
    // Nothing in the place of a text takes its line end away with it.
    if new.is_empty() && !old.ends_with('\n') {
        let line = format!("{old}\n");
        if text.contains(&line) {
            let times = if *all { usize::MAX } else { 1 };
            return Some(text.replacen(&line, new, times));
        }
    }
    Some(if *all { text.replace(old.as_str(), new) } else { [head, new, rest].concat() })
}

/// The text after a patch of `original` (with `\n` for line ends), or `None` where the patch is
/// empty or does not fit. It says what was written even where the client rewrote what the tool was
/// given; in it the tabs that a line begins with are two blanks each.
pub fn apply(original: &str, patch: &[Hunk]) -> Option<String> {
    if patch.is_empty() {
        return None;
    }
    let lines: Vec<&str> = original.split_inclusive('\n').collect();
    let mut text = String::with_capacity(original.len());
    let mut at = 0;
    for hunk in patch {
        let start = hunk.old_start.checked_sub(1)?;
        text.extend(lines.get(at..start)?.iter().copied());
        at = start;
        let mut written = false;
        for line in &hunk.lines {
            let (sign, rest) = line.split_at_checked(1)?;
            match sign {
                " " | "-" => {
                    let old = lines.get(at).filter(|old| is_same(old, rest))?;
                    if sign == " " {
                        text.push_str(old);
                    }
                    at += 1;
                }
                "+" => {
                    text.push_str(rest);
                    text.push('\n');
                }
                // "No newline at end of file" speaks of the line before it.
                "\\" if written => drop(text.pop()),
                "\\" => {}
                _ => return None,
            }
            written = sign == "+";
        }
    }
    text.extend(lines.get(at..)?.iter().copied());
    Some(text)
}

fn is_same(line: &str, shown: &str) -> bool {
    let line = line.strip_suffix('\n').unwrap_or(line);
    if line == shown {
        return true;
    }
    let rest = line.trim_start_matches('\t');
    let tabs = line.len() - rest.len();
    tabs > 0 && shown.strip_prefix(&"  ".repeat(tabs)) == Some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str, old: &str, new: &str, all: bool) -> Option<String> {
        let replacement = Replacement { old: old.to_owned(), new: new.to_owned(), all };
        replay(text, &Edit::Replace(vec![replacement]))
    }

    #[test]
    fn replacements() {
        for (text, old, new, all, expected) in [
            ("a b c", "b", "x", false, Some("a x c")),
            ("a b b", "b", "x", false, None),
            ("a b b", "b", "x", true, Some("a x x")),
            ("a b", "z", "x", false, None),
            ("a b", "a", "a", false, None),
            ("a b", "b", "$& $1 \\1", false, Some("a $& $1 \\1")),
            ("", "", "new", false, Some("new")),
            ("a", "", "new", false, None),
            ("a\nb\nc\n", "b", "", false, Some("a\nc\n")),
            ("a\nb\nc\n", "b\n", "", false, Some("a\nc\n")),
            ("a\nb", "b", "", false, Some("a\n")),
            ("x b y", "b", "", false, Some("x  y")),
            ("a\nb", "a\r\nb", "c", false, None),
            ("say “x”", "say \"x\"", "say \"y\"", false, None),
            ("a \\u2264 b", "a ≤ b", "a < b", false, None),
            ("a ≤ b", "a ≤ b", "a < b", false, Some("a < b")),
        ] {
            let found = one(text, old, new, all);
            assert_eq!(found.as_deref(), expected, "{text:?}: {old:?} -> {new:?} ({all})");
        }
    }

    #[test]
    fn several_replacements_and_whole_files() {
        let step = |old: &str, new: &str| Replacement {
            old: old.to_owned(),
            new: new.to_owned(),
            all: false,
        };
        let edit = Edit::Replace(vec![step("a", "b"), step("b c", "d")]);
        assert_eq!(replay("a c", &edit).as_deref(), Some("d"));
        let edit = Edit::Replace(vec![step("a", "b"), step("a", "d")]);
        assert_eq!(replay("a c", &edit), None);
        assert_eq!(replay("a c", &Edit::Replace(Vec::new())), None);
        let edit = Edit::Write { content: "\u{feff}x\r\ny\n".to_owned() };
        assert_eq!(replay("old", &edit).as_deref(), Some("x\ny\n"));
    }

    fn hunk(old_start: usize, lines: &[&str]) -> Hunk {
        Hunk { old_start, lines: lines.iter().map(|line| (*line).to_owned()).collect() }
    }

    #[test]
    fn patches() {
        let none = "\\ No newline at end of file";
        for (original, patch, expected) in [
            ("a\nb\nc\n", vec![hunk(1, &[" a", "-b", "+x", "+y", " c"])], Some("a\nx\ny\nc\n")),
            ("", vec![hunk(1, &["+new"])], Some("new\n")),
            ("a\nb\n", vec![hunk(1, &["-a", "-b"])], Some("")),
            ("a\nb", vec![hunk(1, &[" a", "-b", none, "+x", none])], Some("a\nx")),
            ("a\nb\n", vec![hunk(1, &[" a", "-b", "+x", none])], Some("a\nx")),
            ("a\nb", vec![hunk(1, &[" a", "-b", none, "+x"])], Some("a\nx\n")),
            ("a\nb", vec![hunk(1, &["-a", "+x", " b", none])], Some("x\nb")),
            ("a\r  b\r", vec![hunk(1, &["-a\r  b\r", none, "+a\r", none])], Some("a\r")),
            ("\ta\n\t\tb\n", vec![hunk(1, &["   a", "-    b", "+    c"])], Some("\ta\n    c\n")),
            ("\ta\n\t\tb\n", vec![hunk(1, &["   a", "-  b", "+  c"])], None),
            ("\ta\n\tb\n", vec![hunk(1, &["   a", "-  b", "+  c"])], Some("\ta\n  c\n")),
            ("-- “a”\n", vec![hunk(1, &["--- “a”", "+-- “b”"])], Some("-- “b”\n")),
            (
                "a\nb\nc\nd\n",
                vec![hunk(1, &["-a", "+x", "+x"]), hunk(4, &["-d", "+y"])],
                Some("x\nx\nb\nc\ny\n"),
            ),
            ("a\nb\n", vec![hunk(2, &["-b"]), hunk(1, &["-a"])], None),
            ("a\n", vec![hunk(1, &["-b"])], None),
            ("a\n", vec![hunk(3, &["+b"])], None),
            ("a\n", vec![hunk(0, &["+b"])], None),
            ("a\n", vec![hunk(1, &["", "*"])], None),
            ("a\n", vec![hunk(1, &["é"])], None),
            ("a\n", Vec::new(), None),
        ] {
            assert_eq!(apply(original, &patch).as_deref(), expected, "{original:?}: {patch:?}");
        }
    }
}
