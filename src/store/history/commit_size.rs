//! Commits that cannot be read. A walk holds each commit in memory, some of them several times, so a commit of a
//! gigabyte (which compresses to a few kilobytes) is recognized by its size before it is read. A commit without an
//! author, or with a date that never ends, would stop every walk without saying which commit it is.

use std::collections::{BinaryHeap, HashMap};

use super::tree_form::TreeCheck;
use crate::git::{Commit, Header, Kind, ObjectId, Repository};
use crate::store::{Store, StoreError};

/// A commit of a store has a few hundred bytes.
pub(in crate::store) const LARGEST_COMMIT: u64 = 16 * 1024 * 1024;

/// Reads a commit. Fails if it is too large, or not a commit.
pub(in crate::store) fn read<'repo>(
    repo: &'repo Repository,
    reference: &str,
    id: ObjectId,
) -> Result<Commit<'repo>, StoreError> {
    let failed = StoreError::object("cannot read the store's commit");
    let not_ours = |why| StoreError::NotAStore { reference: reference.to_owned(), why };
    let Header { kind, size } = repo.header(id).map_err(&failed)?;
    if kind != Kind::Commit {
        return Err(not_ours(format!("{id} is a {kind}, not a commit")));
    }
    if size > LARGEST_COMMIT {
        let (size, most) = (size >> 20, LARGEST_COMMIT >> 20);
        return Err(not_ours(format!(
            "commit {id} has {size} MB, and one of more than {most} MB is not read: the ref must be set back to one \
             before it (`git push -f`, `git update-ref`)"
        )));
    }
    repo.commit(id).map_err(failed)
}

impl Store {
    /// Refuses `head`, called `name` in messages, if its history has a commit that is too large to read. The
    /// histories of `known` were checked before.
    pub(crate) fn refuse_large_commits(
        &self,
        head: ObjectId,
        known: &[ObjectId],
        name: &str,
    ) -> Result<(), StoreError> {
        within(&self.repo, head, known, name)
    }
}

/// Like [`Store::refuse_large_commits`]. The library's walks read a commit before its size can be checked, so this
/// has a walk of its own: newest first, until only known commits are left.
pub(in crate::store) fn within(
    repo: &Repository,
    head: ObjectId,
    known: &[ObjectId],
    name: &str,
) -> Result<(), StoreError> {
    let mut walk = Walk {
        repo,
        name,
        open: BinaryHeap::new(),
        is_known: HashMap::new(),
        unknown: 0,
        trees: TreeCheck::default(),
    };
    for id in known {
        walk.meet(*id, true)?;
    }
    walk.meet(head, false)?;
    while walk.unknown > 0 {
        let Some((_, id, parents)) = walk.open.pop() else { break };
        let is_known = walk.is_known.get(&id).copied().unwrap_or_default();
        walk.unknown -= usize::from(!is_known);
        for parent in parents {
            walk.meet(parent, is_known)?;
        }
    }
    Ok(())
}

struct Walk<'a> {
    repo: &'a Repository,
    name: &'a str,
    /// Commits whose parents are still to be visited, by time.
    open: BinaryHeap<(i64, ObjectId, Vec<ObjectId>)>,
    /// Whether a commit is in the history of a known one, as far as the walk has found out.
    is_known: HashMap<ObjectId, bool>,
    /// The number of open commits that are not known.
    unknown: usize,
    trees: TreeCheck,
}

impl Walk<'_> {
    fn meet(&mut self, id: ObjectId, is_known: bool) -> Result<(), StoreError> {
        match self.is_known.get(&id) {
            None => {}
            Some(false) if is_known => {
                self.is_known.insert(id, true);
                if self.open.iter().any(|(_, open, _)| *open == id) {
                    self.unknown -= 1;
                    return Ok(());
                }
                // A wrong clock put this commit before its known descendant, so it was visited as unknown. Visit it
                // again, so that its ancestors become known too.
            }
            Some(_) => return Ok(()),
        }
        self.is_known.insert(id, is_known);
        // The history of a shallow clone ends here.
        if !self.repo.try_has_object(id).map_err(StoreError::object("cannot read a commit"))? {
            return Ok(());
        }
        let commit = match read(self.repo, self.name, id) {
            // A commit that is here already does not stop a fetch.
            Err(StoreError::NotAStore { .. }) if is_known => return Ok(()),
            commit => commit?,
        };
        if !is_known && let Err(error) = commit.check() {
            let why = format!(
                "commit {id} is malformed ({error}): the ref must be set back to one before it (`git push -f`, \
                 `git update-ref`)"
            );
            return Err(StoreError::NotAStore { reference: self.name.to_owned(), why });
        }
        if !is_known && let Some(tree) = self.trees.refused(self.repo, id)? {
            let why = format!(
                "commit {id} has {tree}: the ref must be set back to one before it (`git push -f`, \
                 `git update-ref`)"
            );
            return Err(StoreError::NotAStore { reference: self.name.to_owned(), why });
        }
        // An unreadable date counts as none.
        let time = commit.seconds().unwrap_or_default();
        self.unknown += usize::from(!is_known);
        self.open.push((time, id, commit.parents().collect()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(repo: &Repository, parents: &[ObjectId], time: i64, size: usize) -> ObjectId {
        let who = crate::store::root::signature(time);
        repo.make_commit(repo.empty_tree(), parents.iter().copied(), &who, &"x".repeat(size)).unwrap()
    }

    #[test]
    fn a_large_commit_is_found_wherever_it_lies_and_not_below_what_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let large = usize::try_from(LARGEST_COMMIT).unwrap();
        let root = commit(&repo, &[], 1, 1);
        // By its date this commit is the first.
        let bomb = commit(&repo, &[root], 0, large);
        let [left, right] = [commit(&repo, &[root], 3, 2), commit(&repo, &[bomb], 2, 3)];
        let join = commit(&repo, &[left, right], 4, 4);
        let top = commit(&repo, &[join], 5, 5);
        let is_refused = |head, known: &[ObjectId]| match within(&repo, head, known, "theirs") {
            Ok(()) => false,
            Err(StoreError::NotAStore { why, .. }) => {
                assert!(why.contains(&bomb.to_string()) && why.contains("16 MB"), "{why}");
                true
            }
            Err(error) => panic!("{error}"),
        };
        for known in [&[][..], &[root], &[left]] {
            for head in [bomb, right, join, top] {
                assert!(is_refused(head, known), "{head} over {known:?}");
            }
            assert!(!is_refused(left, known));
        }
        for known in [&[right][..], &[join], &[bomb], &[top]] {
            assert!(!is_refused(top, known), "{known:?}");
        }
    }

    #[test]
    fn what_is_no_commit_is_told_from_one() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let blob = repo.raw().write_blob("x").unwrap().detach();
        let error = within(&repo, blob, &[], "theirs").unwrap_err().to_string();
        assert!(error.contains("is a blob, not a commit"), "{error}");
    }
}
