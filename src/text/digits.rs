//! Hashes: as digits, and for maps.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

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

/// For maps whose keys are hashes or places already.
#[derive(Debug, Default, Clone, Copy)]
pub struct OfNumbers(u64);

impl Hasher for OfNumbers {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// Maps and sets of such keys.
pub type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<OfNumbers>>;
pub type Numbers<K> = HashSet<K, BuildHasherDefault<OfNumbers>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_a_byte() {
        assert_eq!(hex(&[0, 0x1f, 0xa0]), "001fa0");
        assert_eq!(hex(&[]), "");
    }
}
