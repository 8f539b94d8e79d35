//! What each commit of a history changed itself, as opposed to what it took over by merging.
//!
//! A commit is compared with what a merge of its parents would hold. For a plain commit that is the state of its parent;
//! for a merge that this program made, nothing differs. A record that was deleted, or made unreadable, is remembered until
//! it is there again: who deletes a record in one commit and adds another under its id in the next changes it all the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::error::StoreError;
use super::layout::{self, Form, form};
use super::repo::Store;
use super::snapshot::{Snapshot, read_blob};
use crate::model::doc::{Doc, Step};
use crate::model::time::Time;

/// A change of one path by one commit.
pub(crate) struct Own {
    /// The path in the tree of the ref.
    pub(crate) path: String,
    /// The record as its parents leave it, or as it was before it was deleted; `None` if there was none, or if what lies at
    /// this path is no record with a clock.
    pub(crate) old: Option<Doc>,
    /// The record as the commit has it.
    pub(crate) new: Option<Doc>,
    /// What the commit deleted at this path.
    pub(crate) deleted: Option<EntryKind>,
    /// A commit that has the old record.
    pub(crate) head: Option<ObjectId>,
    /// When the commit was made, by its own word.
    pub(crate) at: Time,
}

impl Own {
    /// The step from the old record to the new one; `None` if there is no new one.
    pub(crate) fn step(&self) -> Option<Step> {
        self.new.as_ref().map(|new| Step::between(self.old.as_ref(), new, self.at))
    }
}

/// The records that a commit lacks and its history has, each with the commits that had it last.
type Gone = BTreeMap<String, Vec<ObjectId>>;

/// Walks a history, parents before children.
pub(crate) struct Lineage<'a> {
    store: &'a Store,
    /// Commits that were walked and have children left to walk.
    gone: HashMap<ObjectId, Rc<Gone>>,
    children_left: HashMap<ObjectId, usize>,
    /// How many paths were compared.
    pub(crate) compared: usize,
    /// How many bytes of records were read.
    pub(crate) read: usize,
}

impl<'a> Lineage<'a> {
    /// For a walk over these commits with their parents, in this order.
    pub(crate) fn over<'c>(
        store: &'a Store,
        history: impl IntoIterator<Item = (ObjectId, &'c [ObjectId])>,
    ) -> Self {
        let mut children_left = HashMap::new();
        for (_, parents) in history {
            for parent in parents {
                *children_left.entry(*parent).or_default() += 1;
            }
        }
        Self { store, gone: HashMap::new(), children_left, compared: 0, read: 0 }
    }

    /// Passes a commit that is known to change nothing by itself.
    pub(crate) fn pass(&mut self, commit: ObjectId, parents: &[ObjectId]) {
        let gone = self.inherited(parents);
        self.keep(commit, gone);
    }

    /// What the next commit changed, of the paths that are `wanted`. Parents that are not here, or not among `parents`,
    /// are not compared with.
    pub(crate) fn changes(
        &mut self,
        commit: ObjectId,
        parents: &[ObjectId],
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Own>, StoreError> {
        let mut gone = self.inherited(parents);
        let mut found = Vec::new();
        let states = self.states(parents)?;
        if let (Some(state), Some(states)) = (Snapshot::of_commit(&self.store.repo, commit)?, states) {
            let at = Time::from_seconds(self.store.link(commit)?.committed).unwrap_or(Time::EPOCH);
            for path in self.paths(&state, &states, &gone)? {
                if wanted(&path) {
                    found.extend(self.change(&path, &state, &states, &mut gone, at)?);
                }
            }
        }
        self.keep(commit, gone);
        Ok(found)
    }

    /// The states of all parents; `None` if one is not here, as where a shallow clone ends.
    fn states(&self, parents: &[ObjectId]) -> Result<Option<Vec<Snapshot<'a>>>, StoreError> {
        let mut states = Vec::with_capacity(parents.len());
        for parent in parents {
            if !self.store.repo.has_object(*parent) {
                return Ok(None);
            }
            states.extend(Snapshot::of_commit(&self.store.repo, *parent)?);
        }
        Ok(Some(states))
    }

    /// The paths at which the state differs from a parent's, and of a merge those that one of its parents lacked.
    fn paths(
        &mut self,
        state: &Snapshot<'_>,
        states: &[Snapshot<'_>],
        gone: &Gone,
    ) -> Result<BTreeSet<String>, StoreError> {
        let mut paths = BTreeSet::new();
        for before in states {
            let differences = self.store.differences(Some(before.tree()), state.tree())?;
            self.compared += differences.len();
            paths.extend(differences.into_iter().map(|file| file.path));
        }
        if states.len() > 1 {
            self.compared += gone.len();
            paths.extend(gone.keys().cloned());
        }
        Ok(paths)
    }

    fn change(
        &mut self,
        path: &str,
        state: &Snapshot<'_>,
        states: &[Snapshot<'_>],
        gone: &mut Rc<Gone>,
        at: Time,
    ) -> Result<Option<Own>, StoreError> {
        let after = state.entry(path)?;
        let mut had = Vec::new();
        for before in states {
            had.extend(before.entry(path)?.map(|entry| (entry, before)));
        }
        let deleted = had.first().filter(|_| after.is_none()).map(|((_, kind), _)| *kind);
        let Form::Doc(_) = form(path).0 else {
            let own = Own { path: path.to_owned(), old: None, new: None, deleted, head: None, at };
            return Ok(deleted.map(|_| own));
        };
        // What all parents that have it have too, a merge takes over.
        let is_taken_over =
            after.is_some() && !had.is_empty() && had.iter().all(|(it, _)| Some(*it) == after);
        if is_taken_over && !gone.contains_key(path) {
            return Ok(None);
        }
        let new = self.doc(state, path)?;
        let mut old: Option<Doc> = None;
        let mut heads = Vec::new();
        for (_, before) in had {
            if let Some(doc) = self.doc(before, path)? {
                heads.push(before.commit());
                old = Some(join(old, doc));
            }
        }
        if heads.is_empty() {
            for commit in gone.get(path).cloned().unwrap_or_default() {
                let before = Snapshot::of_commit(&self.store.repo, commit)?;
                if let Some(doc) = before.map(|before| self.doc(&before, path)).transpose()?.flatten() {
                    heads.push(commit);
                    old = Some(join(old, doc));
                }
            }
        }
        let head = heads.first().copied();
        if new.is_some() {
            if gone.contains_key(path) {
                Rc::make_mut(gone).remove(path);
            }
        } else if !heads.is_empty() {
            Rc::make_mut(gone).insert(path.to_owned(), heads);
        }
        Ok((new != old).then(|| Own { path: path.to_owned(), old, new, deleted, head, at }))
    }

    /// The record at a path of a state; `None` if there is none that can be read.
    fn doc(&mut self, state: &Snapshot<'_>, path: &str) -> Result<Option<Doc>, StoreError> {
        let (Form::Doc(schema), id) = form(path) else { return Ok(None) };
        let Some((blob, EntryKind::Blob | EntryKind::BlobExecutable)) = state.entry(path)? else {
            return Ok(None);
        };
        let bytes = read_blob(&self.store.repo, blob, path)?;
        self.read += bytes.len();
        Ok(layout::own_doc(schema, id.as_deref(), &bytes).ok())
    }

    fn inherited(&mut self, parents: &[ObjectId]) -> Rc<Gone> {
        let mut all: Option<Rc<Gone>> = None;
        for parent in parents {
            let left = self.children_left.get_mut(parent);
            let is_last = left.is_none_or(|left| {
                *left = left.saturating_sub(1);
                *left == 0
            });
            let gone = if is_last { self.gone.remove(parent) } else { self.gone.get(parent).cloned() };
            let Some(gone) = gone else { continue };
            all = Some(match all {
                Some(all) => union(all, gone),
                None => gone,
            });
        }
        all.unwrap_or_default()
    }

    fn keep(&mut self, commit: ObjectId, gone: Rc<Gone>) {
        // A commit with nothing missing is the same as one that is not known.
        if !gone.is_empty() && self.children_left.contains_key(&commit) {
            self.gone.insert(commit, gone);
        }
    }
}

fn join(one: Option<Doc>, two: Doc) -> Doc {
    match one {
        Some(one) => one.merge(two),
        None => two,
    }
}

fn union(one: Rc<Gone>, two: Rc<Gone>) -> Rc<Gone> {
    if Rc::ptr_eq(&one, &two) {
        return one;
    }
    let (mut more, fewer) = if one.len() < two.len() { (two, one) } else { (one, two) };
    for (path, heads) in fewer.iter() {
        let all = Rc::make_mut(&mut more).entry(path.clone()).or_default();
        all.extend(heads);
        all.sort_unstable();
        all.dedup();
    }
    more
}
