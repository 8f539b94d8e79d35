//! Whose work a commit takes back, copies or squashes. It belongs there, wherever it was made.
//!
//! What its message says of other commits comes first. A copy or a revert that says nothing is known by git's patch id.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use gix::ObjectId;

use super::referred::Referred;
use super::{links, patch_id, relink, trailers};
use crate::index::{self, Index};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, SolutionId};
use crate::store::git::Args;
use crate::store::{CodeCommit, Read, Store, StoreError, object_id, records};

/// A revert of a revert of a revert: so far back its message is followed.
const DEEPEST: usize = 16;
/// At most this many commits of the same files are looked at for the same change.
const MOST_COMPARED: usize = 100;

/// Work that a commit goes back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// The execution that links it.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// Its task, where it is known and only one.
    pub(crate) task_id: Option<String>,
    /// The commits of it.
    commits: Vec<CommitHash>,
    /// The commits of it that are taken back; none where it is made once more.
    pub(crate) reverts: Vec<CommitHash>,
}

/// Finds them. What takes long to know is known once.
pub(crate) struct Sources<'a, R> {
    store: &'a Store,
    read: &'a R,
    index: OnceCell<Option<Index<'a>>>,
    all: OnceCell<HashMap<CommitHash, Vec<ExecutionId>>>,
}

impl<'a, R: Read> Sources<'a, R> {
    pub(crate) fn of(store: &'a Store, read: &'a R) -> Self {
        Self { store, read, index: OnceCell::new(), all: OnceCell::new() }
    }

    /// By what a message says. Commits that no execution knows have no source.
    pub(crate) fn by_message(&self, message: &[u8]) -> Result<Vec<Source>, StoreError> {
        self.followed(message, 0)
    }

    /// The commits that a message takes back, whoever made them.
    pub(crate) fn taken_back(&self, message: &[u8]) -> Vec<CommitHash> {
        let ids = Referred::parse(message).reverts;
        ids.iter().filter_map(|id| self.store.commit_named(id)).map(CommitHash::from).collect()
    }

    fn followed(&self, message: &[u8], depth: usize) -> Result<Vec<Source>, StoreError> {
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

    /// The work that a commit is part of: of the executions that link it, else of the plans that it names, else of the
    /// commits that it goes back to itself.
    fn of_commit(&self, id: ObjectId, depth: usize) -> Result<Vec<Source>, StoreError> {
        let hash = CommitHash::from(id);
        let commit = self.store.commit_here(&hash).map(|id| self.store.code_commit(id)).transpose()?;
        let trailers = commit.iter().flat_map(|it| trailers::parse(&it.message)).collect::<Vec<_>>();
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
                let task_id = links::task(self.read, &solution_id, &trailers, None)?;
                let commits = vec![hash.clone()];
                found.push(Source { execution_id, solution_id, task_id, commits, reverts: vec![] });
            }
        }
        if let Some(commit) = commit.filter(|_| found.is_empty() && depth < DEEPEST) {
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

    /// The commits that a merge brought to its first parent, the newest first.
    fn brought_by(&self, merge: &CodeCommit) -> Result<Vec<ObjectId>, StoreError> {
        let args = Args::new(&["rev-list", "--no-merges"]).with("--max-count=", MOST_COMPARED);
        let args = args.value(merge.id.to_string()).without(merge.parents[0]);
        let listed = self.store.git().output(args)?;
        Ok(String::from_utf8_lossy(&listed.stdout).lines().filter_map(object_id).collect())
    }

    /// Those of the executions that link a commit, or did before it was rewritten.
    fn linking(&self, hash: &CommitHash, executions: &[ExecutionId]) -> Result<Vec<Source>, StoreError> {
        let mut found = Vec::new();
        for id in executions {
            let Some(folder) = records::execution(self.read, id, &mut Vec::new())? else { continue };
            if let Some(link) = folder.links_by_hash().remove(hash) {
                let (solution_id, task_id) = (folder.execution.solution_id, link.task_id);
                let (execution_id, commits) = (id.clone(), vec![hash.clone()]);
                found.push(Source { execution_id, solution_id, task_id, commits, reverts: vec![] });
            }
        }
        Ok(found)
    }

    /// The executions that may link a commit.
    pub(crate) fn known(&self, hash: &CommitHash) -> Result<Vec<ExecutionId>, StoreError> {
        if let Some(index) = self.index.get_or_init(|| index::at_hand_now(self.store))
            && let Ok(found) = index.executions_of(hash)
        {
            return Ok(found.into_iter().map(|(_, execution)| execution).collect());
        }
        let all = match self.all.get() {
            Some(all) => all,
            None => {
                let all = relink::linking(self.read)?;
                self.all.get_or_init(|| all)
            }
        };
        Ok(all.get(hash).cloned().unwrap_or_default())
    }

    /// By what a commit changes: the latest work on the same files that makes the same change, or that is undone by it.
    pub(crate) fn by_change(&self, commit: &CodeCommit, files: &[String]) -> Result<Vec<Source>, StoreError> {
        let [parent] = commit.parents[..] else { return Ok(vec![]) };
        let mut linked = Vec::new();
        for hash in self.of_same_files(parent, files)? {
            let Some(id) = object_id(&hash).filter(|id| *id != commit.id) else { continue };
            if !self.linking(&hash, &self.known(&hash)?)?.is_empty() {
                linked.push((hash, id));
            }
        }
        if linked.is_empty() {
            return Ok(vec![]);
        }
        let hashes: Vec<CommitHash> =
            linked.iter().map(|(hash, _)| hash.clone()).chain([commit.id.into()]).collect();
        let patches = patch_id::of_commits(self.store, &hashes)?;
        let own = patches.get(&CommitHash::from(commit.id));
        let undone = patch_id::between(self.store, Some(commit.id), parent)?;
        for (hash, id) in linked {
            let patch = patches.get(&hash);
            let takes_back = undone.is_some() && patch == undone.as_ref();
            if patch.is_some() && (patch == own || takes_back) {
                let mut found = self.of_commit(id, 0)?;
                for source in &mut found {
                    source.reverts = if takes_back { source.commits.clone() } else { vec![] };
                }
                return Ok(found);
            }
        }
        Ok(vec![])
    }

    /// Commits of the branches that touch these files, the newest first.
    fn of_same_files(&self, parent: ObjectId, files: &[String]) -> Result<Vec<CommitHash>, StoreError> {
        let Some(file) = files.first() else { return Ok(vec![]) };
        let args = Args::new(&["rev-list", "--no-merges"]).with("--max-count=", MOST_COMPARED);
        let args = args.options(&["--branches", "--remotes"]).value(parent.to_string()).path(file);
        // What cannot be found out so is found out by `relink`.
        let listed = self.store.git().output(args)?;
        Ok(String::from_utf8_lossy(&listed.stdout).lines().filter_map(CommitHash::parse).collect())
    }
}

/// One source for each execution.
fn add(found: &mut Vec<Source>, source: Source) {
    match found.iter_mut().find(|it| it.execution_id == source.execution_id) {
        Some(known) => {
            if known.task_id != source.task_id {
                known.task_id = None;
            }
            for (known, more) in [(&mut known.commits, source.commits), (&mut known.reverts, source.reverts)]
            {
                let present: HashSet<CommitHash> = known.iter().cloned().collect();
                known.extend(more.into_iter().filter(|it| !present.contains(it)));
            }
        }
        None => found.push(source),
    }
}
