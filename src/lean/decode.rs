//! Bytes to text, without ever failing.

use memchr::memchr;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    pub text: String,
    pub utf16: bool,
    pub lossy: bool,
}

pub fn decode(bytes: &[u8]) -> Decoded {
    let (text, utf16, lossy) = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest),
        _ => utf8(bytes),
    };
    let crlf = memchr(b'\r', text.as_bytes()).is_some() && text.contains("\r\n");
    let text = if crlf { text.replace("\r\n", "\n") } else { text };
    Decoded { text, utf16, lossy }
}

fn utf8(bytes: &[u8]) -> (String, bool, bool) {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false, false),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), false, true),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (String, bool, bool) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let mut lossy = !rest.is_empty();
    let text = char::decode_utf16(units)
        .map(|c| {
            lossy |= c.is_err();
            c.unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect();
    (text, true, lossy)
}

/// Why bytes are no Lean text, in words that follow "this is"; `None` if they may be text.
pub fn foreign(bytes: &[u8]) -> Option<&'static str> {
    let start = bytes.get(..bytes.len().min(8_192)).unwrap_or_default();
    match start {
        [0x1f, 0x8b, ..] => return Some("a gzip archive"),
        [b'P', b'K', 3 | 5, ..] => return Some("a zip archive"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => return Some("a zstd archive"),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => return Some("an xz archive"),
        [0x7f, b'E', b'L', b'F', ..] => return Some("a program"),
        [b'o', b'l', b'e', b'a', b'n', ..] => return Some("a compiled Lean file (.olean)"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return None,
        _ => {}
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some("a tar archive");
    }
    memchr(0, start).is_some().then_some("binary data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_whatever_they_are() {
        let table: [(&[u8], &str, &str); 8] = [
            (b"", "", ""),
            ("∀ x".as_bytes(), "∀ x", ""),
            (b"\xef\xbb\xbfa\r\nb\r", "a\nb\r", ""),
            (b"\xff\xfea\0\xb1\x03", "aα", "utf16"),
            (b"\xfe\xff\0a\0\r\0\n", "a\n", "utf16"),
            (b"\xff\xfea\0b", "a", "utf16 lossy"),
            (b"\xff\xfe\0\xd8", "\u{fffd}", "utf16 lossy"),
            (b"a\xffb", "a\u{fffd}b", "lossy"),
        ];
        for (bytes, text, facts) in table {
            let found = decode(bytes);
            let words = [(found.utf16, "utf16"), (found.lossy, "lossy")];
            let words: Vec<&str> =
                words.into_iter().filter_map(|(holds, word)| holds.then_some(word)).collect();
            assert_eq!((found.text.as_str(), words.join(" ").as_str()), (text, facts), "{bytes:?}");
        }
    }

    #[test]
    fn archives_and_binaries_are_named() {
        assert_eq!(foreign(b"\x1f\x8b\x08"), Some("a gzip archive"));
        assert_eq!(foreign(b"theorem x\0"), Some("binary data"));
        assert_eq!(foreign(b"\xff\xfea\0"), None);
        assert_eq!(foreign("theorem «x»".as_bytes()), None);
    }
}
