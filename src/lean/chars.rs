//! Which characters make up a Lean name. The ranges are those of Lean's own `isIdFirst`,
//! `isIdRest` and `isLetterLike`.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Blank,
    Letter,
    Digit,
    NameTail,
    Wide,
    Open,
    Close,
    Dot,
    /// A sign that is a lexeme of its own, whatever stands around it.
    Alone,
    /// A sign that an operator or a comment may begin with.
    Sign,
    Other,
}

const fn class_of(byte: u8) -> Class {
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0c => Class::Blank,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        b'\'' | b'!' | b'?' => Class::NameTail,
        0x80.. => Class::Wide,
        b'(' | b'[' | b'{' => Class::Open,
        b')' | b']' | b'}' => Class::Close,
        b'.' => Class::Dot,
        b',' | b';' | b'*' | b'^' | b'%' | b'&' | b'~' | b'$' => Class::Alone,
        b':' | b'=' | b'<' | b'>' | b'+' | b'-' | b'/' | b'\\' | b'@' => Class::Sign,
        _ => Class::Other,
    }
}

const CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        #[allow(clippy::cast_possible_truncation, reason = "the loop stops at 256")]
        let class = class_of(byte as u8);
        table[byte] = class;
        byte += 1;
    }
    table
};

#[inline]
pub(super) fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

#[inline]
pub(super) fn is_of_name(byte: u8) -> bool {
    OF_NAME[usize::from(byte)] != 0
}

const OF_NAME: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let class = CLASSES[byte];
        table[byte] = matches!(class, Class::Letter | Class::Digit | Class::NameTail) as u8;
        byte += 1;
    }
    table
};

/// How many of some bytes, from the first on, are ASCII characters that may stand inside a name.
#[inline]
pub(super) fn name_length(chunk: [u8; 8]) -> usize {
    // Without a branch: where a name ends is never foreseen.
    let mut found = 0u32;
    for (index, byte) in chunk.into_iter().enumerate() {
        found |= u32::from(OF_NAME[usize::from(byte)]) << index;
    }
    found.trailing_ones() as usize
}

#[inline]
pub(super) fn name_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(chunk) = bytes.get(end..).and_then(<[u8]>::first_chunk) {
        let length = name_length(*chunk);
        end += length;
        if length < chunk.len() {
            return end;
        }
    }
    let rest = bytes.get(end..).unwrap_or_default();
    end + rest.iter().take_while(|&&byte| is_of_name(byte)).count()
}

pub(super) fn is_wide_letter(c: char) -> bool {
    matches!(c,
        '\u{3b1}'..='\u{3c9}' | '\u{391}'..='\u{3a9}' | '\u{3ca}'..='\u{3fb}'
        | '\u{1f00}'..='\u{1ffe}' | '\u{2100}'..='\u{214f}' | '\u{1d49c}'..='\u{1d59f}'
        | '\u{c0}'..='\u{ff}' | '\u{100}'..='\u{17f}')
        && !matches!(c, 'λ' | 'Π' | 'Σ' | '×' | '÷')
}

pub(super) fn is_wide_name_rest(c: char) -> bool {
    is_wide_letter(c)
        || matches!(c,
            '\u{2080}'..='\u{2089}' | '\u{2090}'..='\u{209c}' | '\u{1d62}'..='\u{1d6a}' | '\u{2c7c}')
}

pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{feff}' | '\u{200b}' | '\u{2028}' | '\u{2029}')
}
