//! Texts of records that mean something to the program, and may still be any text.

/// Lets a type that has nothing but a text be read as one.
macro_rules! like_text {
    ($name:ident) => {
        impl $name {
            /// The text.
            #[allow(dead_code)] // Declared for each of the types.
            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }
    };
}

/// Declares a type for such a text. A record may hold anything in its place: other programs write records too, and
/// whether a record is valid must not depend on what this version makes of the text. So reading checks nothing, the text
/// is kept as it was written, and two are equal if their texts are. What must have a form is checked where people or
/// programs hand it in, never where a record is read.
macro_rules! verbatim {
    ($(#[$doc:meta])* $name:ident $(, $pattern:expr)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub(crate) struct $name(String);

        $crate::model::verbatim::like_text!($name);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl $crate::model::declare::Shaped for $name {}

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string" $(, "pattern": $pattern)?})
            }
        }
    };
}

pub(crate) use {like_text, verbatim};

#[cfg(test)]
mod tests {
    use crate::model::{Person, PlanDigest, TaskId};

    #[test]
    fn any_text_is_kept_as_it_was_written() {
        for text in ["", "T1", " t 1\n", "sha256:0", "Ada <ada@example.org> (bot)", "\u{202e}é"] {
            let json = serde_json::to_string(text).unwrap();
            let read =
                serde_json::from_str::<(TaskId, Person, PlanDigest)>(&format!("[{json},{json},{json}]"));
            assert_eq!(serde_json::to_string(&read.unwrap()).unwrap(), format!("[{json},{json},{json}]"));
            assert_eq!(TaskId::from(text), *text);
        }
    }
}
