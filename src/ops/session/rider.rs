//! What accompanies a change of the store: what it also records, and what must hold for it.

use std::fmt;

use crate::ops::Refusal;
use crate::store::{Snapshot, Tx};

/// What a change of the store also records. Returns false as long as there is nothing to record.
pub(crate) type Rider = Box<dyn FnMut(&mut Tx<'_>) -> Result<bool, Refusal>>;

/// What must hold in a state of the store for a session to change it.
pub(crate) trait WriteCondition: fmt::Debug + Send + Sync {
    /// Looks at the state that would be changed.
    ///
    /// # Errors
    /// Why it may not be.
    fn check(&self, tx: &Tx<'_>) -> Result<(), Refusal>;

    /// Looks at a state before something is changed elsewhere that cannot be taken back.
    ///
    /// # Errors
    /// As [`WriteCondition::check`].
    fn check_before(&self, snapshot: &Snapshot<'_>) -> Result<(), Refusal>;
}

/// What work under a rider came to.
pub(crate) struct Ridden<T> {
    /// The answer of the work.
    pub(crate) done: T,
    /// Whether what the rider says is recorded.
    pub(crate) is_recorded: bool,
}
