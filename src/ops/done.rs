//! The result of a successful operation.

use super::Notice;
use crate::store::ObjectId;

/// An operation that succeeded, whether or not there was anything to change.
#[derive(Debug)]
pub(crate) struct Done<V> {
    /// The view.
    pub(crate) view: V,
    /// The commit of the store that records it; `None` if nothing changed.
    pub(crate) commit: Option<ObjectId>,
    /// The notices of the operation, in order.
    pub(crate) notices: Vec<Notice>,
}

impl<V> Done<V> {
    /// Replaces the view.
    pub(crate) fn map<W>(self, view: impl FnOnce(V) -> W) -> Done<W> {
        let Self { view: old, commit, notices } = self;
        Done { view: view(old), commit, notices }
    }
}
