//! The tree that git noted in an index.

use std::path::Path;

use gix::index::File;
use gix::index::decode::Options;

use super::{ObjectId, Repository};

impl Repository {
    /// The tree of all that an index holds, which git writes and notes there before it makes a commit. `None` if nothing is noted,
    /// if the index has changed since, or if it cannot be read.
    pub(crate) fn noted_tree(&self, index: &Path) -> Option<ObjectId> {
        let options = Options { thread_limit: Some(1), ..Options::default() };
        let index = File::at(index, self.hash_kind(), true, options).ok()?;
        let tree = index.tree()?;
        tree.num_entries.map(|_| tree.id)
    }
}
