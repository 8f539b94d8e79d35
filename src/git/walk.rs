//! Walks over a history. gix lists the commits; the order with parents first is made here, from the parents alone. gix's
//! own topological order has children first, so all of it would have to be collected and turned round.

use std::collections::{BinaryHeap, HashMap};

use gix::revision::walk::Sorting;
use gix::traverse::commit::ParentIds;

use super::second_look::twice;
use super::{Fault, GitError, ObjectId, Repository};

/// A commit in a walk.
pub(crate) struct Walked {
    /// The commit.
    pub(crate) id: ObjectId,
    /// Its parents.
    pub(crate) parents: ParentIds,
    /// The committer's date, in seconds since 1970; `None` unless the walk goes by date.
    pub(crate) seconds: Option<i64>,
}

impl From<gix::revision::walk::Info<'_>> for Walked {
    fn from(info: gix::revision::walk::Info<'_>) -> Self {
        Self { id: info.id, parents: info.parent_ids, seconds: info.commit_time }
    }
}

impl Repository {
    /// The commits reachable from `tips` but not from `without`, nearer ones first.
    pub(crate) fn walk(
        &self,
        tips: impl IntoIterator<Item = ObjectId>,
        without: impl IntoIterator<Item = ObjectId>,
    ) -> Result<impl Iterator<Item = Result<Walked, Fault>>, Fault> {
        let walk = self.gix.rev_walk(tips).with_hidden(without).all()?;
        Ok(walk.map(|info| info.map(Walked::from)))
    }

    /// The commits from `head` back to the one after `base`, if `base` is among its last `most` ancestors and no merge comes in
    /// between.
    pub(crate) fn line(
        &self,
        head: ObjectId,
        base: ObjectId,
        most: usize,
    ) -> Result<Option<Vec<ObjectId>>, Fault> {
        let (mut line, mut at) = (Vec::new(), head);
        while at != base {
            let mut parents = self.commit(at)?.parents().collect::<Vec<_>>().into_iter();
            let (Some(parent), None) = (parents.next(), parents.next()) else { return Ok(None) };
            if line.len() == most {
                return Ok(None);
            }
            line.push(at);
            at = parent;
        }
        Ok(Some(line))
    }

    /// The history of `tip`, latest first, as far as it can be read.
    pub(crate) fn latest(&self, tip: ObjectId) -> Result<impl Iterator<Item = ObjectId>, Fault> {
        let walk = self.gix.rev_walk([tip]).sorting(Sorting::ByCommitTime(Default::default())).all()?;
        Ok(walk.map_while(Result::ok).map(|info| info.id))
    }

    /// The commits reachable from `tips` with a later date than that, latest first.
    pub(crate) fn walk_later(
        &self,
        tips: impl IntoIterator<Item = ObjectId>,
        than: i64,
    ) -> Result<impl Iterator<Item = Result<Walked, Fault>>, Fault> {
        let sorting = Sorting::ByCommitTimeCutoff { order: Default::default(), seconds: than };
        let walk = self.gix.rev_walk(tips).sorting(sorting).all()?;
        Ok(walk.map(|info| info.map(Walked::from)))
    }

    /// All commits reachable from `tips` but not from `without`, parents first, each with those of its parents that are
    /// present.
    pub(crate) fn parents_first(
        &self,
        tips: &[ObjectId],
        without: &[ObjectId],
    ) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, Fault> {
        let mut parents = twice(|| self.parents_of(tips, without))?;
        let mut ordered = Vec::with_capacity(parents.len());
        let mut open: Vec<_> = tips.iter().rev().map(|tip| (*tip, false)).collect();
        while let Some((commit, is_ready)) = open.pop() {
            if is_ready {
                ordered.extend(parents.remove(&commit).map(|of| (commit, of)));
            } else if let Some(of) = parents.get(&commit) {
                open.push((commit, true));
                let here = of.iter().filter(|parent| parents.contains_key(*parent));
                open.extend(here.rev().map(|parent| (*parent, false)));
            }
        }
        Ok(ordered)
    }

    /// The commits with all of their parents, in no order.
    fn parents_of(
        &self,
        tips: &[ObjectId],
        without: &[ObjectId],
    ) -> Result<HashMap<ObjectId, Vec<ObjectId>>, Fault> {
        let walk = self.walk(tips.iter().copied(), without.iter().copied())?;
        walk.map(|info| info.map(|info| (info.id, info.parents.to_vec()))).collect()
    }

    /// The commits to which objects lead: commits themselves, and those that tags name.
    pub(crate) fn commits_named_by(&self, ids: &[ObjectId]) -> Vec<ObjectId> {
        let commits = ids.iter().filter_map(|id| self.gix.find_object(*id).ok()?.peel_to_commit().ok());
        commits.map(|commit| commit.id).collect()
    }

    /// The best common ancestors. If one commit descends from the other, that is the other.
    pub(crate) fn merge_bases(&self, one: ObjectId, two: ObjectId) -> Result<Vec<ObjectId>, GitError> {
        let bases = twice(|| self.gix.merge_bases_many(one, &[two]));
        let bases = bases.map_err(GitError::object("cannot compare two histories"))?;
        Ok(bases.into_iter().map(gix::Id::detach).collect())
    }

    /// Whether `old` is in the history of `new`.
    pub(crate) fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, GitError> {
        Ok(self.merge_bases(old, new)?.contains(&old))
    }
}

/// Determines which commits are ancestors of others, by their parents alone, since dates can be forged. It remembers
/// what it read, and gives up after a number of steps.
pub(crate) struct Ancestors<'a> {
    repo: &'a Repository,
    /// By commit: its date and its parents.
    known: HashMap<ObjectId, (i64, Vec<ObjectId>)>,
    steps_left: usize,
}

impl<'a> Ancestors<'a> {
    /// `steps` is the limit for all questions together.
    pub(crate) fn new(repo: &'a Repository, steps: usize) -> Self {
        Self { repo, known: HashMap::new(), steps_left: steps }
    }

    /// Selects the `commits`, each once and in order, that are not in the history of another one. `None` if there are
    /// too many of them, or too many steps are needed.
    pub(crate) fn independent(&mut self, commits: &[ObjectId]) -> Result<Option<Vec<ObjectId>>, GitError> {
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
        // For each commit, the tips known so far that have it in their history.
        let mut within: HashMap<ObjectId, u64> = HashMap::new();
        let mut open = BinaryHeap::new();
        for (n, tip) in tips.iter().enumerate() {
            within.insert(*tip, 1 << n);
            open.push((self.read(*tip)?.0, *tip));
        }
        while let Some((_, commit)) = open.pop() {
            let of = within.get(&commit).copied().unwrap_or_default();
            // Skip commits in the history of every tip: no tip can be behind them.
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

    fn read(&mut self, id: ObjectId) -> Result<&(i64, Vec<ObjectId>), GitError> {
        use std::collections::hash_map::Entry;
        match self.known.entry(id) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(unknown) => {
                let failed = GitError::object("cannot read a commit");
                let commit = self.repo.commit(id).map_err(failed)?;
                let parents = commit.parents().collect();
                // The date only decides which commit is visited first.
                let seconds = commit.seconds().unwrap_or_default();
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
        let repo = Repository::init_bare(folder.path());
        let tree = repo.gix.empty_tree().id;
        let mut count = 0;
        let mut commit = |parents: &[ObjectId], time: i64| {
            let who = gix::actor::Signature {
                name: "x".into(),
                email: "x@y".into(),
                time: gix::date::Time::new(time, 0),
            };
            count += 1;
            repo.make_commit(tree, parents.iter().copied(), &who, &count.to_string()).unwrap()
        };
        let root = commit(&[], 100);
        // By its date it comes before its parent.
        let [left, right, early] = [commit(&[root], 101), commit(&[root], 102), commit(&[root], 1)];
        let on_early = commit(&[early], 2);
        let join = commit(&[left, right], 103);
        let other = commit(&[], 5);
        let of = |commits: &[ObjectId]| Ancestors::new(&repo, 1_000).independent(commits).unwrap().unwrap();
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[left, left]), [left]);
        assert_eq!(of(&[left, right, left]), [left, right]);
        assert_eq!(of(&[root, left]), [left]);
        assert_eq!(of(&[on_early, root]), [on_early]);
        assert_eq!(of(&[early, on_early, right]), [on_early, right]);
        assert_eq!(of(&[join, left, right, root]), [join]);
        assert_eq!(of(&[other, root]), [other, root]);
        assert_eq!(Ancestors::new(&repo, 1).independent(&[join, on_early]).unwrap(), None);
        let many: Vec<ObjectId> = (0..64).map(|n| commit(&[root], n)).collect();
        assert_eq!(Ancestors::new(&repo, 1_000).independent(&many).unwrap(), None);
    }

    #[test]
    fn a_line_has_no_merge() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let tree = repo.gix.empty_tree().id;
        let commit = |parents: &[ObjectId], seconds: i64| {
            let time = gix::date::Time::new(seconds, 0);
            let who = gix::actor::Signature { name: "x".into(), email: "x@y".into(), time };
            repo.make_commit(tree, parents.iter().copied(), &who, "m").unwrap()
        };
        let root = commit(&[], 100);
        let [one, two] = [commit(&[root], 101), commit(&[root], 103)];
        let three = commit(&[one], 102);
        let join = commit(&[three, two], 104);
        let line = |head, base, most| repo.line(head, base, most).unwrap();
        assert_eq!(line(three, root, 9), Some(vec![three, one]));
        assert_eq!(line(root, root, 0), Some(vec![]));
        assert_eq!([line(three, root, 1), line(three, two, 9), line(join, root, 9)], [None, None, None]);
    }
}
