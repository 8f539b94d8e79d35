//! Walks of a history with parents before children, and which commits are ancestors of others.

use std::collections::{BinaryHeap, HashMap};

use super::error::StoreError;
use super::repo::Store;
use crate::git::ObjectId;

impl Store {
    /// All commits reachable from `tip` but not from `without`, parents first, each with those of its parents that are
    /// present.
    pub(crate) fn parents_first(
        &self,
        tips: &[ObjectId],
        without: Option<ObjectId>,
    ) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
        for info in self.repo.rev_walk(tips.iter().copied()).with_hidden(without).all().map_err(&failed)? {
            let info = info.map_err(&failed)?;
            parents.insert(info.id, info.parent_ids().map(gix::Id::detach).collect());
        }
        let mut ordered = Vec::with_capacity(parents.len());
        let mut open: Vec<_> = tips.iter().rev().map(|tip| (*tip, false)).collect();
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

/// Tells which commits are ancestors of others, by their parents alone, since dates can be forged. It remembers what it
/// read, and gives up after a number of steps.
pub(crate) struct Ancestors<'a> {
    store: &'a Store,
    /// Parents, and when a commit was made.
    known: HashMap<ObjectId, (i64, Vec<ObjectId>)>,
    steps_left: usize,
}

impl<'a> Ancestors<'a> {
    /// `steps` for all questions together.
    pub(crate) fn new(store: &'a Store, steps: usize) -> Self {
        Self { store, known: HashMap::new(), steps_left: steps }
    }

    /// Those of `commits`, each once and in order, that are not in the history of another of them. None if there are too
    /// many of them, or too many steps would have to be taken to find out.
    pub(crate) fn independent(&mut self, commits: &[ObjectId]) -> Result<Option<Vec<ObjectId>>, StoreError> {
        let mut tips: Vec<ObjectId> = Vec::new();
        for commit in commits.iter().take(u64::BITS as usize + 1) {
            if !tips.contains(commit) {
                tips.push(*commit);
            }
        }
        if tips.len() < 2 {
            return Ok(Some(tips));
        }
        if tips.len() >= u64::BITS as usize {
            return Ok(None);
        }
        let all = (1u64 << tips.len()) - 1;
        // For each commit the tips whose histories it is in, as far as that has shown.
        let mut within: HashMap<ObjectId, u64> = HashMap::new();
        let mut open = BinaryHeap::new();
        for (n, tip) in tips.iter().enumerate() {
            within.insert(*tip, 1 << n);
            open.push((self.read(*tip)?.0, *tip));
        }
        while let Some((_, commit)) = open.pop() {
            let of = within.get(&commit).copied().unwrap_or_default();
            // No tip lies behind a commit that is in its own history.
            if of == all {
                continue;
            }
            let Some(left) = self.steps_left.checked_sub(1) else { return Ok(None) };
            self.steps_left = left;
            for parent in self.read(commit)?.1.clone() {
                let known = within.entry(parent).or_default();
                if *known | of != *known {
                    *known |= of;
                    open.push((self.read(parent)?.0, parent));
                }
            }
            let alone = tips.iter().filter(|tip| within.get(*tip).is_some_and(|of| of.count_ones() == 1));
            if alone.count() < 2 {
                break;
            }
        }
        tips.retain(|tip| within.get(tip).is_some_and(|of| of.count_ones() == 1));
        Ok(Some(tips))
    }

    fn read(&mut self, id: ObjectId) -> Result<&(i64, Vec<ObjectId>), StoreError> {
        use std::collections::hash_map::Entry;
        match self.known.entry(id) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => {
                let failed = StoreError::object("cannot read a commit");
                let commit = self.store.repo().find_commit(id).map_err(failed)?;
                let parents = commit.parent_ids().map(gix::Id::detach).collect();
                // It only decides which commit is looked at first.
                let seconds = commit.time().map_or(0, |time| time.seconds);
                Ok(unknown.insert((seconds, parents)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_in_each_others_histories_are_told_whatever_their_dates_say() {
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init_bare(folder.path()).unwrap();
        let tree = repo.empty_tree().id;
        let mut count = 0;
        let mut commit = |parents: &[ObjectId], time: i64| {
            let who = crate::store::root::signature(time);
            count += 1;
            let commit = gix::objs::Commit {
                tree,
                parents: parents.iter().copied().collect(),
                author: who.clone(),
                committer: who,
                encoding: None,
                message: count.to_string().into(),
                extra_headers: vec![],
            };
            repo.write_object(&commit).unwrap().detach()
        };
        let root = commit(&[], 100);
        // By its date it comes before what it stands on.
        let [left, right, early] = [commit(&[root], 101), commit(&[root], 102), commit(&[root], 1)];
        let on_early = commit(&[early], 2);
        let join = commit(&[left, right], 103);
        let other = commit(&[], 5);
        let store = Store::open(folder.path()).unwrap();
        let of = |commits: &[ObjectId]| Ancestors::new(&store, 1_000).independent(commits).unwrap().unwrap();
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[left, left]), [left]);
        assert_eq!(of(&[left, right, left]), [left, right]);
        assert_eq!(of(&[root, left]), [left]);
        assert_eq!(of(&[on_early, root]), [on_early]);
        assert_eq!(of(&[early, on_early, right]), [on_early, right]);
        assert_eq!(of(&[join, left, right, root]), [join]);
        assert_eq!(of(&[other, root]), [other, root]);
        assert_eq!(Ancestors::new(&store, 1).independent(&[join, on_early]).unwrap(), None);
        let many: Vec<ObjectId> = (0..64).map(|n| commit(&[root], n)).collect();
        assert_eq!(Ancestors::new(&store, 1_000).independent(&many).unwrap(), None);
    }
}
