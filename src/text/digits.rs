//! Bytes and hashes as digits.

use sha2::{Digest as _, Sha256};

/// The hash of a text or of bytes, cut to so many bytes.
pub fn hash(of: impl AsRef<[u8]>, bytes: usize) -> String {
    let digest = Sha256::digest(of);
    hex(digest.get(..bytes).unwrap_or(&digest))
}

pub fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_a_byte() {
        assert_eq!(hex(&[0, 0x1f, 0xa0]), "001fa0");
        assert_eq!(hex(&[]), "");
    }
}
