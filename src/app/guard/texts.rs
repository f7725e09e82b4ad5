//! The two texts of an edit, before it and after it, as far as they are certain.

use std::io::ErrorKind;
use std::path::Path;

use crate::files;
use crate::guard;
use crate::hook::FileUse;
use crate::lean;
use crate::model::Edit;

/// Larger files are not looked at, in bytes.
pub(super) const LARGEST: u64 = 8 * 1024 * 1024;

/// A file before and after an edit, without a byte order mark and with `\n` for line ends.
#[derive(Debug)]
pub(super) struct Texts {
    pub(super) before: String,
    pub(super) after: String,
}

/// What a file holds; empty if there is none. `Err` says why it cannot be read as text, in words that
/// follow its name.
pub(super) fn on_disk(path: &Path) -> Result<String, String> {
    match files::read(path, LARGEST) {
        Ok(bytes) => decoded(&bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn decoded(bytes: &[u8]) -> Result<String, String> {
    if let Some(what) = lean::foreign(bytes) {
        return Err(format!("it is {what}"));
    }
    let decoded = lean::decode(bytes);
    if decoded.lossy { Err("it is not UTF-8 text".to_owned()) } else { Ok(decoded.text) }
}

const NOT_SAID: &str = "the client did not say what was written";

/// The texts of an edit that is about to be made; `None` where it is not certain what the client
/// will make of it.
pub(super) fn ahead(path: &Path, file: &FileUse) -> Result<Option<Texts>, String> {
    let Some(edit) = &file.edit else { return Ok(None) };
    let before = on_disk(path)?;
    let after = guard::replay(&before, edit);
    Ok(after.map(|after| Texts { before, after }))
}

/// The texts of an edit that was made: what this edit wrote, not what others wrote since.
pub(super) fn behind(file: &FileUse) -> Result<Texts, String> {
    let original = file.original.as_ref().ok_or(NOT_SAID)?;
    if original.len() as u64 > LARGEST {
        return Err(files::too_large(LARGEST));
    }
    let before = lean::decode(original.as_bytes()).text;
    let written = match &file.edit {
        Some(Edit::Write { content }) => Some(lean::decode(content.as_bytes()).text),
        edit => guard::apply(original, &file.patch)
            .map(|after| lean::decode(after.as_bytes()).text)
            .or_else(|| guard::replay(&before, edit.as_ref()?)),
    };
    // The disk may hold what another process wrote since; it is no witness.
    let after = written.ok_or(NOT_SAID)?;
    Ok(Texts { before, after })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::model::{Hunk, Replacement};

    fn edit(old: &str, new: &str) -> Edit {
        let one = Replacement { old: old.to_owned(), new: new.to_owned(), all: false };
        Edit::Replace(vec![one])
    }

    #[test]
    fn files_that_are_no_text_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            fs::write(dir.path().join(name), bytes).unwrap();
            on_disk(&dir.path().join(name))
        };
        assert_eq!(on_disk(&dir.path().join("none.lean")), Ok(String::new()));
        assert_eq!(write("a.lean", b"\xef\xbb\xbfa\r\nb"), Ok("a\nb".to_owned()));
        assert_eq!(write("b.lean", b"\xff\xfea\0"), Ok("a".to_owned()));
        assert!(write("c.lean", b"caf\xe9").unwrap_err().contains("UTF-8"));
        assert!(write("d.lean", b"\x7fELF").unwrap_err().contains("a program"));
        assert!(on_disk(dir.path()).unwrap_err().contains("folder"));
        let large = fs::File::create(dir.path().join("e.lean")).unwrap();
        large.set_len(LARGEST + 1).unwrap();
        assert_eq!(on_disk(&dir.path().join("e.lean")), Err(files::too_large(LARGEST)));
    }

    #[test]
    fn what_was_written_is_what_the_patch_says() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let patch = |texts: &[&str]| vec![Hunk { old_start: 1, lines: lines(texts) }];
        let known = |original: Option<&str>, edit: Option<Edit>, patch: Vec<Hunk>| {
            let original = original.map(str::to_owned);
            let file = FileUse { edit, original, patch, ..FileUse::default() };
            behind(&file).map(|texts| (texts.before, texts.after))
        };
        let is = |before: &str, after: &str| Ok((before.into(), after.into()));
        let write = Some(Edit::Write { content: "\u{feff}w\r\n".to_owned() });
        // The patch wins over the strings: the client had turned the quotes.
        assert_eq!(
            known(Some("“a”\n"), Some(edit("\"a\"", "\"b\"")), patch(&["-“a”", "+“b”"])),
            is("“a”\n", "“b”\n")
        );
        assert_eq!(
            known(Some("\u{feff}a\n"), None, patch(&["-\u{feff}a", "+\u{feff}b"])),
            is("a\n", "b\n")
        );
        assert_eq!(known(Some("a\n"), Some(edit("a", "b")), Vec::new()), is("a\n", "b\n"));
        assert_eq!(known(Some("a\n"), Some(edit("a", "b")), patch(&["-z"])), is("a\n", "b\n"));
        assert!(known(Some("\"\n"), Some(edit("“", "”")), Vec::new()).is_err());
        assert!(known(Some("\"\n"), Some(edit("“", "”")), patch(&["-z"])).is_err());
        assert_eq!(known(Some("a"), write.clone(), Vec::new()), is("a", "w\n"));
        assert!(known(None, write, Vec::new()).is_err());
        assert!(known(None, None, Vec::new()).is_err());
        assert!(known(Some("a"), None, Vec::new()).is_err());
    }
}
