//! Object ids in records. They reach the command line of `git` and paths, so nothing but hexadecimal digits is
//! accepted.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::hex;

/// The number of digits of a SHA-1 and of a SHA-256.
const LENGTHS: [usize; 2] = [40, 64];
/// The number of digits shown to people.
pub(crate) const SHORT: usize = 10;
const PATTERN: &str = "^([0-9a-f]{40}|[0-9a-f]{64})$";

/// A text that is not an object id.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an object id: 40 or 64 lower-case hexadecimal digits")]
pub(crate) struct NotAHash(String);

/// Declares a type for ids of that form, so that the compiler tells them apart.
macro_rules! hash {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub(crate) struct $name(String);

        impl $name {
            /// `None` for anything but 40 or 64 lower-case hexadecimal digits.
            #[allow(dead_code)] // Declared for each of the types.
            pub(crate) fn parse(text: &str) -> Option<Self> {
                Self::try_from(text.to_owned()).ok()
            }

            /// The first digits, as shown to people.
            #[allow(dead_code)] // Declared for each of the types.
            pub(crate) fn short(&self) -> &str {
                self.0.get(..SHORT).unwrap_or(&self.0)
            }
        }

        $crate::model::verbatim::like_text!($name);

        impl TryFrom<String> for $name {
            type Error = NotAHash;

            fn try_from(text: String) -> Result<Self, NotAHash> {
                if LENGTHS.contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
                    Ok(Self(text))
                } else {
                    Err(NotAHash(text.chars().take(LENGTHS[1]).collect()))
                }
            }
        }

        impl From<$name> for String {
            fn from(hash: $name) -> Self {
                hash.0
            }
        }

        /// For tests: completes an id from its first digits.
        #[cfg(test)]
        impl From<&str> for $name {
            fn from(begin: &str) -> Self {
                Self::try_from(format!("{begin:0<40}")).expect("digits")
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<[u8; 20]> for $name {
            fn from(bytes: [u8; 20]) -> Self {
                Self(hex(&bytes))
            }
        }

        impl From<[u8; 32]> for $name {
            fn from(bytes: [u8; 32]) -> Self {
                Self(hex(&bytes))
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "pattern": PATTERN})
            }
        }
    };
}

hash!(
    /// The id of a commit. An id with the length of the other hash function names no commit in this repository.
    CommitHash
);

hash!(
    /// The id of the tree of a commit: the same for all commits with the same content.
    TreeHash
);

hash!(
    /// What `git patch-id` calls a change.
    PatchId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lower_case_digits_of_either_length_are_one() {
        for text in ["0123456789abcdef0123456789abcdef01234567".to_owned(), "f".repeat(64)] {
            let hash = CommitHash::parse(&text).unwrap();
            assert_eq!((hash.as_str(), hash.short()), (&*text, &text[..10]));
            assert_eq!(serde_json::to_value(&hash).unwrap(), text);
        }
        for text in [
            String::new(),
            "HEAD".into(),
            "--output=x".into(),
            "a".repeat(39),
            "a".repeat(41),
            "A".repeat(40),
            "g".repeat(40),
            format!("-{}", "a".repeat(39)),
            format!("{}\n", "a".repeat(39)),
            "é".repeat(20),
        ] {
            assert_eq!(CommitHash::parse(&text), None, "{text}");
            assert_eq!(PatchId::parse(&text), None, "{text}");
            let error = serde_json::from_value::<CommitHash>(text.into()).unwrap_err().to_string();
            assert!(error.contains("is not an object id"), "{error}");
        }
    }
}
