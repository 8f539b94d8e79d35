//! The last part of the id of a record that is written once. It is derived from the content, so nobody can change the
//! record and keep its name.

use std::fmt;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::digest::canonical_without;
use super::uid::{ALPHABET, letters};

/// The number of letters in a fingerprint: five bits each, except the first, which has three.
const WIDTH: usize = 26;
/// The pattern of a fingerprint, for JSON Schema.
pub(crate) const FINGERPRINT_PATTERN: &str = "[0-7][0-9a-hjkmnp-tv-z]{25}";

/// The first 128 bits of SHA-256 over the canonical form of a record, as 26 letters of Crockford's base32.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint(String);

impl Fingerprint {
    /// The fingerprint of a record, without its members in `without`.
    pub(crate) fn from_record(record: &Value, without: &[&str]) -> Self {
        let digest = Sha256::digest(canonical_without(record, without));
        Self::from_bits(digest.iter().take(16).fold(0, |bits, byte| bits << 8 | u128::from(*byte)))
    }

    /// A placeholder, until the record from which it is derived is complete.
    pub(super) fn pending() -> Self {
        Self::from_bits(0)
    }

    fn from_bits(bits: u128) -> Self {
        Self(letters(bits, WIDTH))
    }

    /// Whether `text` has the form of a fingerprint.
    pub(crate) fn is_one(text: &str) -> bool {
        text.len() == WIDTH && text.as_bytes()[0] <= b'7' && text.bytes().all(|byte| ALPHABET.contains(&byte))
    }

    /// The letters.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bits_become_letters_from_the_highest_down() {
        assert_eq!(Fingerprint::from_bits(0).as_str(), "0".repeat(26));
        assert_eq!(Fingerprint::from_bits(u128::MAX).as_str(), format!("7{}", "z".repeat(25)));
        assert_eq!(Fingerprint::from_bits(33).as_str(), format!("{}11", "0".repeat(24)));
        assert!(Fingerprint::is_one(Fingerprint::from_bits(u128::MAX).as_str()));
        for text in ["", &"0".repeat(25), &"0".repeat(27), &"8".repeat(26), &"u".repeat(26), &"Z".repeat(26)]
        {
            assert!(!Fingerprint::is_one(text), "{text}");
        }
    }

    /// `printf '{"a":1,"b":{"id":2}}' | sha256sum` begins with b623b72c64d56c96.
    #[test]
    fn only_members_of_the_record_itself_are_left_out_and_its_form_does_not_matter() {
        let one = json!({"id": "x", "b": {"id": 2}, "a": 1});
        let two: Value = serde_json::from_str(r#"{"a": 1.0, "b": {"id": 2}}"#).unwrap();
        assert_eq!(Fingerprint::from_record(&one, &["id"]).as_str(), "5p4evjrs6ndjb91xqkrmcb62z2");
        assert_eq!(Fingerprint::from_record(&one, &["id"]), Fingerprint::from_record(&two, &["id"]));
        assert_ne!(Fingerprint::from_record(&one, &["id"]), Fingerprint::from_record(&one, &[]));
        assert_ne!(
            Fingerprint::from_record(&one, &["id"]),
            Fingerprint::from_record(&json!({"a": 1, "b": {"id": 3}}), &["id"])
        );
    }
}
