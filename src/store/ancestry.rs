//! The commits of a history in an order in which each can be judged by those before it.

use std::collections::HashMap;

use gix::ObjectId;

use super::error::StoreError;
use super::repo::Store;

impl Store {
    /// All commits in the history of `tip`, without those in the history of `without`, each behind its parents, with all
    /// of its parents that are here.
    pub(crate) fn parents_first(
        &self,
        tip: ObjectId,
        without: Option<ObjectId>,
    ) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        for info in self.repo.rev_walk([tip]).with_hidden(without).all().map_err(&failed)? {
            let info = info.map_err(&failed)?;
            parents.insert(info.id, info.parent_ids().map(gix::Id::detach).collect());
        }
        let mut ordered = Vec::with_capacity(parents.len());
        let mut open = vec![(tip, false)];
        while let Some((commit, is_ready)) = open.pop() {
            if is_ready {
                ordered.extend(parents.remove(&commit).map(|of| (commit, of)));
            } else if let Some(of) = parents.get(&commit) {
                open.push((commit, true));
                open.extend(
                    of.iter().filter(|parent| parents.contains_key(*parent)).map(|parent| (*parent, false)),
                );
            }
        }
        Ok(ordered)
    }
}
