//! The work that a commit reverts, copies or squashes. The commit belongs to that work, wherever it was made.
//!
//! The other commits that its message names come first. A copy or revert whose message names none is recognized by
//! git's patch id.

mod apart;
mod by_change;
mod compared;
mod contained;
mod fixed;
mod similar;

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

pub(crate) use self::apart::RepeatedWork;
pub(crate) use self::compared::ComparedChange;
use super::referred::Referred;
use super::{links, relink, trailers};
use crate::git::{ObjectId, Revisions};
use crate::index::{self, Index, Use};
use crate::model::{CommitHash, CommitLink, Execution, ExecutionId, SolutionId, TaskId};
use crate::store::{CodeCommit, ReadState, Store, StoreError, object_id, records};

/// How far the messages of a chain of reverts are followed.
const DEEPEST: usize = 16;
/// At most this many commits of the same files are searched for the same change.
const MOST_COMPARED: usize = 100;
/// At most this many issues are read while a user waits.
const FEW_ISSUES: usize = 50;

/// The work that a commit reverts or copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceWork {
    /// The execution that links it.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// Its tasks, as far as they are known.
    pub(crate) tasks: Vec<TaskId>,
    /// Its commits that are reverted or copied.
    commits: Vec<CommitHash>,
    /// The commits that are reverted; empty if they are reapplied or copied.
    pub(crate) reverts: Vec<CommitHash>,
}

impl SourceWork {
    /// Its commits that are reverted or copied.
    pub(crate) fn commits(&self) -> &[CommitHash] {
        &self.commits
    }
}

/// Work with the same change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Same {
    /// None was found.
    Nobody,
    /// This work.
    Of(Vec<SourceWork>),
    /// Work of unrelated plans: which one is meant is unknown.
    Several(Vec<SolutionId>),
}

/// Finds the work. Expensive answers are cached.
pub(crate) struct Sources<'a, R> {
    store: &'a Store,
    read: &'a R,
    index: OnceCell<Option<Index<'a>>>,
    all: OnceCell<HashMap<CommitHash, Vec<ExecutionId>>>,
    executions: RefCell<HashMap<ExecutionId, Option<Rc<LinkingExecution>>>>,
}

/// An execution with the commits that it links.
struct LinkingExecution {
    execution: Execution,
    links: HashMap<CommitHash, Arc<CommitLink>>,
}

impl<'a, R: ReadState> Sources<'a, R> {
    pub(crate) fn new(store: &'a Store, read: &'a R) -> Self {
        let (index, all, executions) = Default::default();
        Self { store, read, index, all, executions }
    }

    /// The work of the commits that a message names. Commits that no execution knows have no source. A message such as
    /// `fixup! SUBJECT` names one among `before` and its ancestors.
    pub(crate) fn by_message(
        &self,
        message: &[u8],
        before: Option<ObjectId>,
    ) -> Result<Vec<SourceWork>, StoreError> {
        let mut found = self.followed(message, 0)?;
        if let Some(id) = before.map(|before| self.fixed(message, before)).transpose()?.flatten() {
            for source in self.of_commit(id, 0)? {
                add(&mut found, source);
            }
        }
        Ok(found)
    }

    /// The commits that a message names as reverted, whether or not an execution links them.
    pub(crate) fn taken_back(&self, message: &[u8]) -> Vec<CommitHash> {
        let ids = Referred::parse(message).reverts;
        ids.iter().filter_map(|id| self.store.commit_named(id)).map(CommitHash::from).collect()
    }

    fn followed(&self, message: &[u8], depth: usize) -> Result<Vec<SourceWork>, StoreError> {
        let Referred { reverts, copies } = Referred::parse(message);
        let mut found = Vec::new();
        for (ids, takes_back) in [(reverts, true), (copies, false)] {
            for id in ids {
                // A commit that is not here any more may still be linked.
                let id = self.store.commit_named(&id).or_else(|| object_id(&id));
                for mut source in id.map(|id| self.of_commit(id, depth)).transpose()?.unwrap_or_default() {
                    source.reverts = if takes_back { source.commits.clone() } else { vec![] };
                    add(&mut found, source);
                }
            }
        }
        Ok(found)
    }

    /// The work that a commit is part of: that of the executions that link it, else of the plans in its trailers,
    /// else of the commits that it reverts or copies itself.
    pub(crate) fn of_commit(&self, id: ObjectId, depth: usize) -> Result<Vec<SourceWork>, StoreError> {
        let hash = CommitHash::from(id);
        let commit = self.store.commit_here(&hash).map(|id| self.store.code_commit(id)).transpose()?;
        let trailers = commit.iter().flat_map(|commit| trailers::parse(&commit.message)).collect::<Vec<_>>();
        let named = links::solutions(self.read, &trailers)?;
        let mut likely = Vec::new();
        for solution in &named {
            likely.extend(records::execution_ids(self.read, &solution.issue())?);
        }
        let mut found = self.linking(&hash, &likely)?;
        if found.is_empty() {
            found = self.linking(&hash, &self.known(&hash)?)?;
        }
        if found.is_empty() {
            for solution_id in named {
                let Some(execution_id) = links::execution_of(self.read, &solution_id)? else { continue };
                if self.is_unlinked(&execution_id, &hash)? {
                    continue;
                }
                let tasks = links::tasks(self.read, &solution_id, &trailers, vec![], || {
                    commit.as_ref().map_or(Ok(vec![]), |commit| links::files(self.store, commit))
                })?;
                let commits = vec![hash.clone()];
                found.push(SourceWork { execution_id, solution_id, tasks, commits, reverts: vec![] });
            }
        }
        if found.is_empty()
            && depth < DEEPEST
            && let Some(commit) = commit
        {
            found = self.followed(&commit.message, depth + 1)?;
            found.iter_mut().for_each(|source| source.commits = vec![hash.clone()]);
            if found.is_empty() && commit.parents.len() > 1 {
                for id in self.brought_by(&commit)? {
                    for source in self.of_commit(id, DEEPEST)? {
                        add(&mut found, source);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Whether someone removed the link of a commit to an execution by hand.
    pub(crate) fn is_unlinked(&self, execution: &ExecutionId, hash: &CommitHash) -> Result<bool, StoreError> {
        let folder = records::execution(self.read, execution, &mut Vec::new())?;
        Ok(folder.is_some_and(|folder| folder.has_unlinked(hash)))
    }

    /// The commits that a merge brought to its first parent, newest first.
    fn brought_by(&self, merge: &CodeCommit) -> Result<Vec<ObjectId>, StoreError> {
        self.listed(Revisions::of(merge.id).without(merge.parents[0]).at_most(MOST_COMPARED))
    }

    /// The work of the executions that link a commit, or did before it was rewritten.
    fn linking(&self, hash: &CommitHash, executions: &[ExecutionId]) -> Result<Vec<SourceWork>, StoreError> {
        Ok(self
            .links(hash, executions)?
            .into_iter()
            .map(|(execution, link)| SourceWork {
                execution_id: execution.id,
                solution_id: execution.solution_id,
                tasks: link.tasks().cloned().collect(),
                commits: vec![hash.clone()],
                reverts: link.reverts.clone(),
            })
            .collect())
    }

    /// The executions that link a commit, with their links.
    fn links(
        &self,
        hash: &CommitHash,
        executions: &[ExecutionId],
    ) -> Result<Vec<(Execution, Arc<CommitLink>)>, StoreError> {
        let mut found = Vec::new();
        for id in executions {
            let Some(known) = self.execution(id)? else { continue };
            found.extend(known.links.get(hash).map(|link| (known.execution.clone(), Arc::clone(link))));
        }
        Ok(found)
    }

    /// An execution, read once: the commits of a file often belong to few executions.
    fn execution(&self, id: &ExecutionId) -> Result<Option<Rc<LinkingExecution>>, StoreError> {
        if let Some(known) = self.executions.borrow().get(id) {
            return Ok(known.clone());
        }
        let folder = records::execution(self.read, id, &mut Vec::new())?;
        let known = folder.map(|folder| {
            let links = folder.links_by_hash();
            Rc::new(LinkingExecution { execution: folder.execution, links })
        });
        self.executions.borrow_mut().insert(id.clone(), known.clone());
        Ok(known)
    }

    /// Whether the executions of a commit can be found quickly: there is an index, or there are few issues to read.
    fn knows_quickly(&self) -> Result<bool, StoreError> {
        Ok(self.index()?.is_some() || records::issue_ids(self.read)?.len() <= FEW_ISSUES)
    }

    fn index(&self) -> Result<Option<&Index<'a>>, StoreError> {
        let index = match self.index.get() {
            Some(index) => index,
            None => {
                let index = index::at_hand(self.store, Use::IfQuick, &mut |_, _, _| {})?;
                self.index.get_or_init(|| index)
            }
        };
        Ok(index.as_ref())
    }

    /// The executions that may link a commit.
    pub(crate) fn known(&self, hash: &CommitHash) -> Result<Vec<ExecutionId>, StoreError> {
        if let Some(index) = self.index()?
            && let Ok(found) = index.executions_of(hash)
        {
            return Ok(found.into_iter().map(|(_, execution)| execution).collect());
        }
        Ok(self.all()?.get(hash).cloned().unwrap_or_default())
    }

    /// All linked commits, for stores without an index.
    fn all(&self) -> Result<&HashMap<CommitHash, Vec<ExecutionId>>, StoreError> {
        if let Some(all) = self.all.get() {
            return Ok(all);
        }
        let all = relink::linking(self.read)?;
        Ok(self.all.get_or_init(|| all))
    }
}

/// Adds a source, one for each execution.
pub(crate) fn add(found: &mut Vec<SourceWork>, source: SourceWork) {
    match found.iter_mut().find(|known| known.execution_id == source.execution_id) {
        Some(known) => {
            let more = source.tasks.into_iter().filter(|task| !known.tasks.contains(task));
            let more: Vec<TaskId> = more.collect();
            known.tasks.extend(more);
            for (known, more) in [(&mut known.commits, source.commits), (&mut known.reverts, source.reverts)]
            {
                let present: HashSet<CommitHash> = known.iter().cloned().collect();
                known.extend(more.into_iter().filter(|hash| !present.contains(hash)));
            }
        }
        None => found.push(source),
    }
}

#[cfg(test)]
mod tests;
