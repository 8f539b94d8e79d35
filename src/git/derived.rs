//! What was derived from trees: one command reads the same ones again and again.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::ObjectId;

/// At most this many values are kept; before one more, all are forgotten.
const MOST: usize = 32;

/// Values by the tree that they were derived from. Since a tree never changes, neither do they.
#[derive(Clone, Default)]
pub(crate) struct Derived(Arc<Mutex<HashMap<ObjectId, Arc<dyn Any + Send + Sync>>>>);

impl Derived {
    /// What was derived from a tree, if it is kept.
    pub(crate) fn get<T: Clone + 'static>(&self, tree: ObjectId) -> Option<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&tree)?.downcast_ref().cloned()
    }

    /// Keeps what was derived from a tree.
    pub(crate) fn keep<T: Send + Sync + 'static>(&self, tree: ObjectId, value: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(tree, Arc::new(value));
    }
}
