//! Reads Lean files out of gzip and tar archives, in memory and within limits. Nothing is unpacked
//! to disk, and what an archive says of paths is only a name.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use super::inputs::is_lean_name;
use crate::text::base_name;

/// Largest Lean file that is read, in bytes; the largest in Mathlib has 0.3 MB.
pub(crate) const LARGEST_FILE: u64 = 32 << 20;
/// Most bytes that are unpacked from one archive.
const LARGEST_ARCHIVE: u64 = 256 << 20;
const MOST_ENTRIES: usize = 20_000;
/// Most Lean files that are taken out of one archive: each is a result to be stored, in a millisecond.
const MOST_FILES: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Not packed, or not in a form that is read here.
    Plain,
    /// gzip: one file, or a tar archive.
    Gzip,
    Tar,
    Zip,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its path inside; empty for the only file in a gzip.
    pub name: String,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Members {
    pub lean: Vec<Member>,
    pub summary: Option<Member>,
    pub problems: Vec<(String, String)>,
}

pub(crate) fn form(head: &[u8]) -> Form {
    if head.starts_with(&[0x1f, 0x8b]) {
        Form::Gzip
    } else if head.starts_with(b"PK\x03\x04") {
        Form::Zip
    } else if head.get(257..262) == Some(b"ustar") {
        Form::Tar
    } else {
        Form::Plain
    }
}

pub(crate) fn has_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".tar.gz", ".tgz", ".tar", ".lean.gz"].iter().any(|ending| name.ends_with(ending))
}

/// Packed in a form that is not read here.
pub(crate) fn is_foreign(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".zip", ".7z", ".rar"].iter().any(|ending| name.ends_with(ending))
}

pub(crate) fn is_summary(name: &str) -> bool {
    let name = base_name(name);
    name.strip_suffix(".md").is_some_and(|stem| stem.starts_with("ARISTOTLE_SUMMARY"))
}

/// An error when it is broken before its first member; later damage is a problem in the result.
pub(crate) fn read(form: Form, reader: impl Read) -> io::Result<Members> {
    match form {
        Form::Gzip => read_gzip(MultiGzDecoder::new(reader)),
        Form::Tar => Ok(read_tar(reader.take(LARGEST_ARCHIVE))),
        Form::Plain | Form::Zip => Ok(Members::default()),
    }
}

impl Members {
    fn stop(&mut self, has: &str) {
        let reason = format!("the archive has {has}: the rest is ignored");
        self.problems.push((String::new(), reason));
    }
}

fn read_gzip(reader: impl Read) -> io::Result<Members> {
    let mut reader = reader.take(LARGEST_ARCHIVE);
    let mut head = Vec::with_capacity(512);
    reader.by_ref().take(512).read_to_end(&mut head)?;
    if form(&head) == Form::Tar {
        return Ok(read_tar(io::Cursor::new(head).chain(reader)));
    }
    let mut bytes = head;
    reader.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    let mut members = Members::default();
    if bytes.len() as u64 > LARGEST_FILE {
        members.problems.push((String::new(), too_large(bytes.len() as u64)));
    } else {
        members.lean.push(Member { name: String::new(), bytes });
    }
    Ok(members)
}

fn read_tar(reader: impl Read) -> Members {
    let mut members = Members::default();
    if let Err(error) = read_entries(tar::Archive::new(reader), &mut members) {
        members.problems.push((String::new(), format!("the archive is damaged: {error}")));
    }
    members
}

fn read_entries(mut archive: tar::Archive<impl Read>, members: &mut Members) -> io::Result<()> {
    for (count, entry) in archive.entries()?.enumerate() {
        let mut entry = entry?;
        if count >= MOST_ENTRIES {
            members.stop(&format!("more than {MOST_ENTRIES} entries"));
            return Ok(());
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).replace('\\', "/");
        if !entry.header().entry_type().is_file() || !is_wanted(&name) {
            continue;
        }
        if entry.size() > LARGEST_FILE {
            members.problems.push((name, too_large(entry.size())));
            continue;
        }
        if members.lean.len() >= MOST_FILES && !is_summary(&name) {
            members.stop(&format!("more than {MOST_FILES} Lean files"));
            return Ok(());
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        if bytes.len() as u64 != entry.size() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if is_summary(&name) {
            members.summary.get_or_insert(Member { name, bytes });
        } else {
            members.lean.push(Member { name, bytes });
        }
    }
    Ok(())
}

/// Lean files and summaries, but no build folders, no Lake configuration, no resource forks.
fn is_wanted(name: &str) -> bool {
    let file = base_name(name);
    let in_build =
        name.split('/').any(|folder| [".lake", "lake-packages", "__MACOSX"].contains(&folder));
    !in_build && !file.starts_with('.') && (is_lean_name(file) || is_summary(file))
}

pub(crate) fn too_large(bytes: u64) -> String {
    let megabytes = bytes.div_ceil(1 << 20);
    format!("has {megabytes} MB or more, a result has at most {} MB", LARGEST_FILE >> 20)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn tar_of(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn gzip_of(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn names(members: &Members) -> Vec<&str> {
        members.lean.iter().map(|member| member.name.as_str()).collect()
    }

    #[test]
    fn lean_files_and_the_summary_are_taken_out() {
        let tar = tar_of(&[
            ("p/RequestProject/Main.lean", b"theorem a : True := trivial"),
            ("p/.lake/packages/x/X.lean", b"-- no"),
            ("p/lakefile.lean", b"-- no"),
            ("p/._Main.lean", b"-- no"),
            ("p/ARISTOTLE_SUMMARY_1.md", b"# Summary"),
            ("p/README.md", b"no"),
            ("p/Other.LEAN", b"-- yes"),
        ]);
        for bytes in [tar.clone(), gzip_of(&tar)] {
            let members = read(form(&bytes), &*bytes).unwrap();
            assert_eq!(names(&members), ["p/RequestProject/Main.lean", "p/Other.LEAN"]);
            assert_eq!(members.summary.unwrap().bytes, b"# Summary");
            assert_eq!(members.problems, []);
        }
    }

    #[test]
    fn a_gzip_of_one_file_is_that_file() {
        let bytes = gzip_of(b"theorem a : True := trivial");
        assert_eq!(form(&bytes), Form::Gzip);
        let members = read(Form::Gzip, &*bytes).unwrap();
        assert_eq!(names(&members), [""]);
        assert_eq!(members.lean[0].bytes, b"theorem a : True := trivial");
    }

    #[test]
    fn a_damaged_archive_keeps_what_came_before() {
        let big = vec![b'-'; 20_000];
        let mut tar = tar_of(&[("A.lean", b"-- a"), ("B.lean", &big)]);
        tar.truncate(3_000);
        let members = read(form(&tar), &*tar).unwrap();
        assert_eq!(names(&members), ["A.lean"]);
        assert!(
            members.problems[0].1.starts_with("the archive is damaged"),
            "{:?}",
            members.problems
        );
        let mut gzip = gzip_of(&big);
        gzip.truncate(20);
        assert!(read(Form::Gzip, &*gzip).is_err());
    }

    #[test]
    fn a_bomb_is_not_unpacked() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let block = vec![0_u8; 1 << 20];
        for _ in 0..40 {
            encoder.write_all(&block).unwrap();
        }
        let bytes = encoder.finish().unwrap();
        let members = read(Form::Gzip, &*bytes).unwrap();
        assert!(members.lean.is_empty());
        assert!(members.problems[0].1.contains("at most 32 MB"), "{:?}", members.problems);
    }

    #[test]
    fn an_archive_of_very_many_files_is_read_in_part() {
        let names: Vec<String> = (0..2_500).map(|n| format!("A{n}.lean")).collect();
        let files: Vec<(&str, &[u8])> =
            names.iter().map(|name| (&name[..], &b"-- a"[..])).collect();
        let tar = tar_of(&files);
        let members = read(Form::Tar, &*tar).unwrap();
        assert_eq!(members.lean.len(), 2_000);
        let told: Vec<&str> = members.problems.iter().map(|(_, reason)| &reason[..]).collect();
        assert_eq!(told, ["the archive has more than 2000 Lean files: the rest is ignored"]);
    }

    #[test]
    fn forms_are_told_by_magic_bytes() {
        for (head, expected) in [
            (&b"import Mathlib"[..], Form::Plain),
            (b"\x1f\x8b\x08", Form::Gzip),
            (b"PK\x03\x04", Form::Zip),
            (b"", Form::Plain),
        ] {
            assert_eq!(form(head), expected);
        }
        assert_eq!(form(&tar_of(&[("x", b"")])), Form::Tar);
    }
}
