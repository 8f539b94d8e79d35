//! Enums that are words in JSON, on the command line and in messages.

/// Declares an enum whose variants are words: `as_str`, `parse`, `ALL`, FromStr for the command line, Display, serde and JSON Schema from one list.
macro_rules! text_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        pub(crate) enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+
        }

        #[allow(dead_code)] // Not every enum needs every way in and out.
        impl $name {
            /// Every value, in order.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word.
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The value of this exact word.
            pub(crate) fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }

            /// All words, for messages: `a, b, c`.
            pub(crate) fn words() -> String {
                [$($text),+].join(", ")
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> std::result::Result<Self, String> {
                Self::parse(text).ok_or_else(|| format!("expected one of {}", Self::words()))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

pub(crate) use text_enum;
