//! Why a file is left alone.

/// What is wrong with a file. It completes a sentence that begins with its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AgentFileFault {
    /// It does not follow its format.
    #[error("is not valid {format}: {why}")]
    Syntax {
        /// The format.
        format: &'static str,
        /// What is wrong, and where.
        why: String,
    },
    /// An object has a key twice.
    #[error("has the key `{0}` twice in one object")]
    Twice(String),
    /// Something is not what agents expect.
    #[error("has a `{key}` that is not {wanted}")]
    NotA {
        /// The key.
        key: String,
        /// What it must be: `an object`.
        wanted: &'static str,
    },
    /// The markers are not a pair.
    #[error("has a section of git-wf whose markers do not match: {0}")]
    Markers(&'static str),
    /// What would be added contradicts the rest.
    #[error("leaves no place for `{0}`")]
    NoPlace(&'static str),
}

impl AgentFileFault {
    /// What to do about it.
    pub(crate) fn advice(&self) -> &'static str {
        match self {
            Self::Syntax { .. } | Self::NotA { .. } => "correct it, or move it away",
            Self::Twice(_) => "remove one of the two",
            Self::Markers(_) => "remove the rest of that section, with its marker",
            Self::NoPlace(_) => "add it by hand, and run this again",
        }
    }
}
