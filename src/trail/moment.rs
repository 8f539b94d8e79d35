//! Resolves a state of the store from what people type: a commit of the ref, an entry of its reflog, a remote, a
//! date.

use crate::git::ObjectId;
use crate::index::{Index, IndexError};
use crate::model::{Code, Explain, Other, Remedies};
use crate::store::{PeriodBound, Store, StoreError, object_id};

/// A state that cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MomentError {
    /// It does not name a state.
    #[error("`{0}` is neither a commit of the store nor a date")]
    Unknown(String),
    /// It is a commit that is not of the ref.
    #[error("`{text}` is the commit {commit}, which is not a commit of the store")]
    NotOurs {
        /// The text, as given.
        text: String,
        /// What git resolved it to.
        commit: String,
    },
    /// The history cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

impl From<StoreError> for MomentError {
    fn from(error: StoreError) -> Self {
        Self::Index(error.into())
    }
}

impl Explain for MomentError {
    fn code(&self) -> Code {
        match self {
            Self::Unknown(_) | Self::NotOurs { .. } => Code::UnknownMoment,
            Self::Index(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Index(error) => error.remedies(),
            _ => {
                Remedies::call(Other::Log, "shows the commits of the ref")
                    .and("or name `@{2}` (two moves of the ref ago), `@~3`, a remote, or a date such as 2026-11-20 or `2 days ago`")
            },
        }
    }
}

/// The commit of the ref that `text` names. A date names the latest step at or before it; `None` if that is before
/// the first step.
pub(crate) fn state(
    store: &Store,
    index: &Index<'_>,
    text: &str,
    bound: PeriodBound,
) -> Result<Option<ObjectId>, MomentError> {
    let commit = commit(store, text)?;
    if let Some(commit) = commit.filter(|commit| store.snapshot_at(*commit).is_ok()) {
        return Ok(Some(commit));
    }
    match (store.moment(text, bound)?, commit) {
        (Some(time), _) => {
            // Steps have whole seconds; one in the first second of a day belongs to that day.
            let seconds = time.millis().div_euclid(1000) - i64::from(bound == PeriodBound::Since);
            Ok(index.step_until(seconds)?.as_deref().and_then(object_id))
        }
        (None, Some(commit)) => {
            Err(MomentError::NotOurs { text: text.to_owned(), commit: commit.to_string() })
        }
        (None, None) => Err(MomentError::Unknown(text.to_owned())),
    }
}

/// The commit that git resolves the text to. Here `@` is the ref, not HEAD.
fn commit(store: &Store, text: &str) -> Result<Option<ObjectId>, StoreError> {
    let spec = match text.strip_prefix('@') {
        Some(rest) if rest.starts_with('{') => format!("{}{text}", store.reference()),
        Some(rest) => format!("{}{rest}", store.reference()),
        None if store.repo().remotes().iter().any(|remote| remote == text) => store.tracking(text),
        None => text.to_owned(),
    };
    Ok(store.git().commit_named(&spec)?)
}

/// The last state that this clone and the remote had in common; `None` if there is none.
pub(crate) fn last_met(store: &Store, remote: &str) -> Result<Option<ObjectId>, StoreError> {
    let (Some(ours), Some(theirs)) = (store.tip()?, store.read_ref(&store.tracking(remote))?) else {
        return Ok(None);
    };
    Ok(store.git().merge_base(ours, theirs)?)
}
