//! Detects what an agent did outside of its bounds. The repository is compared before and after each step, and whatever
//! the agent's hooks did not stop is recorded, and undone if nothing can be lost by that.
//!
//! Others may work in the repository at the same time: the user, and other agents of the run. So a change alone is no
//! evidence against anyone. An agent is named only if git's trace of its commands shows the act. Any other change is
//! recorded, if at all, without a name: a deleted branch comes back if nothing else holds its commits; the user's work
//! tree stays as it is; and a branch that moved is assumed to be its owner's work. What a named agent did in the user's
//! work tree is undone: see [`super::users_trees`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::compared::Before;
use super::job::{AgentJob, NoAnswer, StepOutcome, StepReport, failure};
use super::kept_refs::KeptRefs;
use super::leftovers::folders_of_runs;
use super::users_trees::{WorktreeSnapshot, difference, state};
use crate::agent::secrets::masked;
use crate::agent::traced::GitAct;
use crate::git::{self, Git, Revisions, pipes};
use crate::model::id::RunId;
use crate::model::run_log::Breach;
use crate::model::shell;
use crate::ops::Refusal;
use crate::ops::work::runs::tree;
use crate::rules::run::{OTHER_TREE, PUSHED, refused_words, unplanned_words};
use crate::store::{EqualTrees, ObjectId, Store, StoreError, object_id};

/// What all steps of a run share.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) run: RunId,
    /// The worktrees in which the user may work; empty if someone promised that nobody does, since those are restored.
    pub(super) trees: Vec<(PathBuf, Git)>,
    /// Whether somebody promised that.
    pub(super) is_alone: bool,
    /// The directories of these worktrees, even if `is_alone`.
    folders: Vec<PathBuf>,
    /// How many steps are in progress, and the states of these worktrees when a step last began or ended.
    at_work: AtomicUsize,
    looks: Mutex<Vec<WorktreeSnapshot>>,
    /// One step at a time is compared, since that puts things back.
    pub(super) comparing: Mutex<()>,
    /// Replace refs, and the file of all packed refs.
    pub(super) refs: KeptRefs,
    /// What was recorded without a name: each change once, however many agents were at work.
    reported: Mutex<BTreeSet<String>>,
    /// Where the ref of the store was when last checked.
    tip: Mutex<Option<ObjectId>>,
}

impl Outside {
    /// `store` is that of the worktree in which the run was started.
    pub(super) fn of(store: &Store, run: &RunId, is_alone: bool) -> Result<Self, Refusal> {
        let all = user_trees(store)?;
        let folders = all.iter().map(|(tree, _)| tree.clone()).collect();
        let trees = if is_alone { vec![] } else { all };
        let trees = trees
            .into_iter()
            .map(|(tree, git_dir)| (tree.clone(), store.git_of(git_dir, Some(&tree))))
            .collect();
        Ok(Self {
            run: run.clone(),
            trees,
            is_alone,
            folders,
            at_work: AtomicUsize::new(0),
            looks: Mutex::default(),
            comparing: Mutex::default(),
            refs: KeptRefs::of(store)?,
            reported: Mutex::default(),
            tip: Mutex::new(store.tip()?),
        })
    }

    /// How the user's worktrees look before a step. While other steps are in progress, this is how the last of them found
    /// or left them: whatever changed since is recorded once.
    pub(super) fn looks_before(&self, store: &Store) -> Vec<WorktreeSnapshot> {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        if self.at_work.fetch_add(1, Ordering::Relaxed) == 0 || looks.len() != self.trees.len() {
            let known = std::mem::take(&mut *looks);
            let trees = self.trees.iter().enumerate();
            *looks =
                trees.map(|(n, (tree, git))| WorktreeSnapshot::of(store, tree, git, known.get(n))).collect();
        }
        looks.clone()
    }

    /// Their states after a step.
    pub(super) fn states_after(&self) -> Vec<Vec<String>> {
        let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        looks.resize_with(self.trees.len(), WorktreeSnapshot::default);
        for ((tree, git), look) in self.trees.iter().zip(looks.iter_mut()) {
            look.lines = state(tree, git);
        }
        looks.iter().map(|look| look.lines.clone()).collect()
    }

    /// A command by which an agent wrote into a worktree that is not its own.
    fn act_elsewhere<'a>(&self, acts: &'a [GitAct]) -> Option<(&'a GitAct, &Path)> {
        let looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
        let is_changed = |folder: &Path| {
            let mut trees = self.trees.iter().zip(looks.iter());
            trees.any(|((tree, git), look)| {
                tree == folder && !difference(&look.lines, &state(tree, git)).is_empty()
            })
        };
        acts.iter().filter(|act| act.may_have_written()).find_map(|act| {
            let there = act.worktree.as_deref()?;
            let folder = self.folders.iter().find(|tree| is_same(tree, there))?;
            (act.has_worked() || is_changed(folder)).then_some((act, folder.as_path()))
        })
    }

    /// Restores the ref of the store if it has lost records, since otherwise nothing about the run could be recorded:
    /// records only ever grow. Returns what was done, in words; `None` if nothing was lost.
    pub(super) fn keep_records(&self, store: &Store) -> Result<Option<String>, Refusal> {
        let mut last = self.tip.lock().unwrap_or_else(PoisonError::into_inner);
        let tip = store.tip()?;
        let known = std::mem::replace(&mut *last, tip);
        let Some(known) = known.filter(|known| Some(*known) != tip) else { return Ok(None) };
        let is_readable = tip.is_some_and(|tip| store.snapshot_at(tip).is_ok());
        if let Some(tip) = tip.filter(|_| is_readable)
            && store.is_ancestor(known, tip)?
        {
            return Ok(None);
        }
        let reference = store.reference();
        match tip.filter(|_| !is_readable) {
            Some(tip) => drop(store.git().put_back(reference, Some(tip), Some(known))?),
            None => match store.merge_head(known, "the records of the run", EqualTrees::Leave) {
                Ok(_) => {}
                // Someone purged the history: what was removed stays removed.
                Err(StoreError::Purged { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            },
        }
        *last = store.tip()?;
        Ok(Some(format!(
            "`{reference}` was moved away from {}; all records were restored",
            git::short(known)
        )))
    }

    pub(super) fn is_new(&self, what: &str) -> bool {
        self.reported.lock().unwrap_or_else(PoisonError::into_inner).insert(what.to_owned())
    }
}

/// The worktrees in which the user may work, and their git directories: all but those of runs.
pub(super) fn user_trees(store: &Store) -> Result<Vec<(PathBuf, PathBuf)>, Refusal> {
    let of_runs = folders_of_runs(store)?;
    let is_of_run = |tree: &Path| tree.parent().is_some_and(|it| of_runs.iter().any(|run| is_same(run, it)));
    let main = store.repo().main_work_dir().map(|tree| (tree, store.common_dir()));
    let own = store.work_dir().map(|tree| (tree, store.git_dir()));
    let linked = store.repo().linked_worktrees().map_err(StoreError::from)?;
    let linked = linked.iter().filter_map(|it| Some((it.folder()?, it.git_dir().to_owned())));
    let mut trees: Vec<(PathBuf, PathBuf)> = Vec::new();
    for (tree, git_dir) in main.into_iter().chain(own).chain(linked) {
        if tree.is_dir() && !is_of_run(&tree) && !trees.iter().any(|(known, _)| is_same(known, &tree)) {
            trees.push((tree, git_dir));
        }
    }
    Ok(trees)
}

pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok().is_some_and(|one| other.canonicalize().ok() == Some(one))
}

/// Lets an agent take a step, and then checks what else it did.
pub(super) fn held(job: &AgentJob, work: impl FnOnce(&AgentJob) -> StepOutcome) -> StepOutcome {
    let before = match Before::look(job) {
        Ok(before) => before,
        Err(refusal) => return StepOutcome::Gave(job.refused(&refusal)),
    };
    let came = work(job);
    let breaches = before.breaches(job).unwrap_or_else(|refusal| {
        vec![breach(job, None, format!("the repository cannot be inspected: {}", refusal.message), false)]
    });
    job.outside.at_work.fetch_sub(1, Ordering::Relaxed);
    for breach in breaches {
        job.report(StepReport::Breach(breach));
    }
    for why in job.guard.refused() {
        let agent = Some(job.agent.name().to_owned());
        job.report(StepReport::Breach(Breach { agent, ..breach(job, None, refused_words(&why), true) }));
    }
    if let Some(what) = job.guard.changed() {
        let agent = Some(job.agent.name().to_owned());
        job.report(StepReport::Breach(Breach { agent, ..breach(job, None, what.to_owned(), false) }));
    }
    job.guard.remove();
    came
}

pub(super) fn breach(job: &AgentJob, act: Option<&GitAct>, what: String, undone: bool) -> Breach {
    let what = match act {
        Some(act) => format!("{what}, by `{}`", words(act)),
        None => what,
    };
    Breach {
        action: job.step,
        issue_id: Some(job.issue.clone()),
        agent: act.map(|_| job.agent.name().to_owned()),
        what,
        undone,
    }
}

/// The command line of an act, without secrets.
fn words(act: &GitAct) -> String {
    masked(&act.words.join(" "), std::iter::empty())
}

/// How what an agent pushed is removed there.
pub(super) fn pushed_words(act: &GitAct) -> String {
    match act.pushed() {
        Some((remote, branches)) if !branches.is_empty() => format!(
            "if that created a branch, `git push {} --delete {}` removes it",
            shell::operand(remote),
            branches.iter().map(|branch| shell::operand(branch)).collect::<Vec<_>>().join(" ")
        ),
        _ => "what it published must be removed there by hand".to_owned(),
    }
}

/// Restores the records at once: before an agent starts, and when it is done, since the rest of its step writes there.
pub(super) fn keep_records(job: &AgentJob) {
    // git waits for them even when it only asks what has changed.
    let is_intact = tree::check(&job.identity.common, &job.folder).is_ok();
    let found = if is_intact { pipes::in_tree(&job.folder) } else { Vec::new() };
    for pipe in found {
        let undone = pipes::remove(&job.folder.join(&pipe)).is_ok();
        let what = format!("the file {} of its worktree was replaced by a pipe", pipe.display());
        job.report(StepReport::Breach(breach(job, None, what, undone)));
    }
    // If that fails, the step will fail soon.
    let Ok(store) = job.identity.store(&job.folder) else { return };
    let refs = job.outside.refs.put_back(&store);
    let records = job.outside.keep_records(&store);
    for what in refs.into_iter().chain(records.ok().flatten()) {
        job.report(StepReport::Breach(breach(job, None, what, true)));
    }
}

/// Refuses work outside of the agent's bounds, even on its own branch.
pub(super) fn refuse_outside(job: &AgentJob, store: &Store) -> Result<(), NoAnswer> {
    let bounds = job.guard.bounds();
    let acts = job.guard.acts();
    // These are recorded once the step is over.
    if let Some(act) = acts.iter().find(|act| act.has_pushed()) {
        let what = format!("it pushed; {}", pushed_words(act));
        return Err(NoAnswer::Failed(failure(PUSHED, &what, "")));
    }
    if let Some((act, tree)) = job.outside.act_elsewhere(&acts) {
        let what = format!("it ran `{}` in the work tree {}", words(act), tree.display());
        return Err(NoAnswer::Failed(failure(OTHER_TREE, &what, "")));
    }
    let (Some(base), Some(head)) = (object_id(bounds.base.as_str()), store.head().map_err(Refusal::from)?)
    else {
        return Ok(());
    };
    let certain = |kind: &str, what: String| {
        let agent = Some(job.agent.name().to_owned());
        let (action, issue_id) = (job.step, Some(job.issue.clone()));
        // The work does not get into the branch of the run.
        job.report(StepReport::Breach(Breach { action, issue_id, agent, what: what.clone(), undone: true }));
        Err(NoAnswer::Failed(failure(kind, &what, "")))
    };
    if store.branch().map_err(Refusal::from)? != bounds.branch {
        let what = match &bounds.branch {
            Some(branch) => format!("its worktree is no longer on the branch `{branch}`"),
            None => "a branch is checked out in its worktree".to_owned(),
        };
        return certain("other-branch", what);
    }
    let made = store.git().revisions(Revisions::of(head).without(base));
    if let Some(commit) = made.map_or(Some(head), |made| store.unsound_among(&made)) {
        let what =
            format!("the commit `{commit}` on its branch cannot be read; `git fsck` says what is wrong");
        return certain("unreadable-commit", what);
    }
    if base != head && !store.is_ancestor(base, head).map_err(Refusal::from)? {
        let base = bounds.base.short();
        return certain(
            "rewritten-branch",
            format!("its branch no longer contains the commit `{base}` at which it started"),
        );
    }
    let deleted = store.git().deleted_between(base, head).map_err(Refusal::from)?;
    match bounds.unplanned(deleted.iter().map(String::as_str)) {
        files if files.is_empty() => Ok(()),
        files => certain("unplanned-deletion", unplanned_words(&files)),
    }
}
