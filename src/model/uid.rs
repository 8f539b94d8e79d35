//! Forty bits as eight letters, which keep the ids of different clones apart without a counter.

use std::fmt;

use sha2::{Digest, Sha256};

/// Crockford's base32, lower case: no i, l, o, u.
pub(super) const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Letters of a uid; five bits each.
const WIDTH: usize = 8;

/// Eight letters of lower-case Crockford base32.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Uid(String);

impl Uid {
    /// The first 40 bits of the SHA-256 over `parts`, each followed by a zero byte so that different lists differ.
    pub(crate) fn from_content(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part);
            hash.update([0]);
        }
        let digest = hash.finalize();
        Self::from_bits([digest[0], digest[1], digest[2], digest[3], digest[4]])
    }

    /// Writes forty bits as text.
    pub(crate) fn from_bits(bits: [u8; 5]) -> Self {
        Self(letters(bits.iter().fold(0, |acc, byte| acc << 8 | u128::from(*byte)), WIDTH))
    }

    /// `None` if `text` is not eight letters of the alphabet.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        (text.len() == WIDTH && text.bytes().all(|b| ALPHABET.contains(&b))).then(|| Self(text.to_owned()))
    }

    /// The eight letters.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The last bits as this many letters, five bits each, from the highest down.
pub(super) fn letters(bits: u128, width: usize) -> String {
    (0..width).map(|n| char::from(ALPHABET[(bits >> (5 * (width - 1 - n)) & 31) as usize])).collect()
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_letters_from_the_highest_down() {
        assert_eq!(Uid::from_bits([0; 5]).as_str(), "00000000");
        assert_eq!(Uid::from_bits([255; 5]).as_str(), "zzzzzzzz");
        assert_eq!(Uid::from_bits([0, 0, 0, 0, 33]).as_str(), "00000011");
    }

    #[test]
    fn the_borders_between_parts_count() {
        assert_ne!(Uid::from_content(&[b"ab", b"c"]), Uid::from_content(&[b"a", b"bc"]));
    }
}
