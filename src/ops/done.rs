//! What an operation that was carried out answers.

use super::Notice;
use crate::store::ObjectId;

/// An operation that was carried out, or found everything so already.
#[derive(Debug)]
pub(crate) struct Done<V> {
    /// What there is to show.
    pub(crate) view: V,
    /// The commit of the store that records it; none where nothing was to be changed.
    pub(crate) commit: Option<ObjectId>,
    /// What was noticed on the way, in order.
    pub(crate) notices: Vec<Notice>,
}
