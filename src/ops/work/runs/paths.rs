//! The places of a run on this machine: its files in the git directory, its worktrees beside the repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::driver::RunHold;
use super::view::folder;
use crate::git::{Environment, is_same_place};
use crate::model::{Branch, Code, CommitHash, IssueId, Run, RunId, RunStep, SolutionId, shell};
use crate::ops::work::preparing::remove_leftover;
use crate::ops::{NoProgress, Refusal, Session, WriteCondition};
use crate::rules::{Role, RunFolder, RunProgress};
use crate::store::{Acting, Store, object_id};
use crate::sync;
use crate::workplace::{Workplace, beside, place};

/// The places of a run.
#[derive(Debug, Clone)]
pub(crate) struct RunPaths {
    /// For transcripts.
    pub(crate) files: PathBuf,
    /// In which its worktrees and the workplaces of its agents are.
    pub(crate) trees: PathBuf,
}

/// The identity of a session, and the variables that the programs it starts may see.
#[derive(Debug, Clone)]
pub(crate) struct AgentIdentity {
    /// Who acts.
    pub(crate) acting: Acting,
    /// The variables to choose from.
    pub(crate) environment: Environment,
    /// The git directory that all worktrees share.
    pub(crate) common: PathBuf,
    /// The run in whose name it acts: it writes nothing once another driver has that.
    pub(crate) hold: Option<Arc<RunHold>>,
}

impl AgentIdentity {
    /// The identity of an agent with this name, in a role, on behalf of the session's owner.
    pub(crate) fn agent(session: &Session, actor: Option<String>, role: Role) -> Self {
        let clock = session.store().clock().clone();
        Self {
            acting: Acting::new(actor, Some(role.as_str().to_owned()), clock),
            environment: session.environment().clone(),
            common: session.store().common_dir(),
            hold: None,
        }
    }

    /// The identity of the session's owner.
    pub(crate) fn owner(session: &Session) -> Self {
        Self {
            acting: session.store().acting_as().clone(),
            environment: session.environment().clone(),
            common: session.store().common_dir(),
            hold: None,
        }
    }

    /// A session in a worktree of the run.
    pub(crate) fn at(&self, folder: &Path) -> Result<Session, Refusal> {
        Ok(self.session(self.store(folder)?))
    }

    /// The store in a worktree of the run.
    ///
    /// # Errors
    /// `worktree-exchanged`.
    pub(crate) fn store(&self, folder: &Path) -> Result<Store, Refusal> {
        Ok(open(&self.common, folder, &self.environment)?.acting(self.acting.clone()))
    }

    /// A session in the repository, whatever happened to the worktrees of the run.
    pub(crate) fn shared_session(&self) -> Result<Session, Refusal> {
        Ok(self.session(self.shared()?))
    }

    /// The store of the repository, whatever happened to the worktrees of the run.
    pub(crate) fn shared(&self) -> Result<Store, Refusal> {
        Ok(Store::open(&self.common, &self.environment)?.acting(self.acting.clone()))
    }

    /// Without the hold on the run, to end its own claims even if another driver has taken over the run.
    pub(crate) fn on_its_own(&self) -> Self {
        Self { hold: None, ..self.clone() }
    }

    /// A session that waits for others; what an agent does shows no progress.
    fn session(&self, store: Store) -> Session {
        let session = Session::new(store, Box::new(NoProgress));
        session.be_patient();
        session.only_if(self.hold.clone().map(|hold| hold as Arc<dyn WriteCondition>));
        session
    }
}

impl RunPaths {
    pub(crate) fn new(store: &Store, run: &RunId) -> Self {
        // A root that cannot be used is reported when a workplace is made there.
        let trees = place(store, run).unwrap_or_else(|_| beside(store, run));
        Self { files: folder(store, run), trees }
    }

    /// The worktree of the run's branch.
    pub(crate) fn branch_tree(&self) -> PathBuf {
        self.trees.join("branch")
    }

    /// The worktree that claims a plan. No agent works there.
    pub(crate) fn tree_of(&self, solution: &SolutionId) -> PathBuf {
        self.claims().join(solution.as_str())
    }

    /// The directory with the worktrees that claim plans.
    pub(crate) fn claims(&self) -> PathBuf {
        self.trees.join("claims")
    }

    /// The directory for the guard of an agent in a step.
    pub(crate) fn guard(&self, step: RunStep, issue: &IssueId) -> PathBuf {
        self.guards().join(format!("{step}-{issue}"))
    }

    /// The directory for the guards of all agents.
    pub(crate) fn guards(&self) -> PathBuf {
        self.files.join("guards")
    }

    /// The directory for transcripts of agents.
    pub(crate) fn transcripts(&self) -> PathBuf {
        self.files.join("transcripts")
    }

    /// Removes the transcripts about an issue.
    pub(crate) fn forget(&self, issue: &IssueId) {
        let folder = self.transcripts();
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| is_about(&entry.file_name().to_string_lossy(), issue)) {
            // What cannot be removed stays.
            let _ = std::fs::remove_file(entry.path());
        }
        // Removed only if empty.
        let _ = std::fs::remove_dir(folder);
    }
}

/// The transcript of the n-th attempt at a step.
pub(crate) fn transcript_name(step: RunStep, issue: &IssueId, n: u32) -> String {
    format!("{step}-{issue}-{n}.jsonl")
}

/// Whether a transcript with this name is about an issue.
fn is_about(name: &str, issue: &IssueId) -> bool {
    let Some((step, rest)) = name.split_once('-') else { return false };
    // The note of a conversation that is not recorded has the name of the transcript before its own.
    let n = rest.strip_prefix(issue.as_str()).and_then(|rest| rest.strip_prefix('-')?.split_once(".jsonl"));
    RunStep::parse(step).is_some() && n.is_some_and(|(n, _)| n.parse::<u32>().is_ok())
}

/// Makes sure that the run's branch and its worktree are there.
///
/// # Errors
/// `no-branch` if the branch is gone, or was never here, and has work.
pub(crate) fn prepare_branch(store: &Store, places: &RunPaths, found: &RunFolder) -> Result<(), Refusal> {
    let run = &found.run;
    let (Some(branch), Some(base)) = (run.branch(), &run.base_commit) else { return Ok(()) };
    let is_new = store.read_ref(branch.as_str())?.is_none();
    if is_new {
        refuse_lost(store, found, base)?;
    }
    let folder = places.branch_tree();
    if folder.exists() || folder.is_symlink() {
        // A process killed during a merge may have left a lock, and nobody else works there.
        if let Ok(there) = open_tree(store, &folder)
            && there.branch()?.as_ref() == Some(&branch)
        {
            unlock(&there);
            return Ok(there.git().discard_uncommitted()?);
        }
        remove_tree(store, &folder)?;
    }
    store.prune_worktrees()?;
    Ok(store.foreign_git().add_worktree(&folder, &branch, is_new.then_some(base.as_str()))?)
}

/// Opens a worktree of the run of the repository of `store`.
///
/// # Errors
/// `worktree-exchanged`; the errors of opening a store.
pub(crate) fn open_tree(store: &Store, tree: &Path) -> Result<Store, Refusal> {
    open(&store.common_dir(), tree, store.environment())
}

/// Opens a worktree of a run. `common` is the git directory that all worktrees share.
fn open(common: &Path, tree: &Path, environment: &Environment) -> Result<Store, Refusal> {
    let store = Store::open(tree, environment)?;
    if is_same_place(&store.common_dir(), common)
        && store.work_dir().is_some_and(|dir| is_same_place(&dir, tree))
    {
        return Ok(store.in_foreign_tree());
    }
    let what = format!("{} is no longer the worktree that the run made", tree.display());
    Err(Refusal::new(Code::WorktreeExchanged, what)
        .hint("something else is in its place, and the run does not touch it"))
}

/// Removes a worktree of a run, or whatever is in its place; if that is a link, only the link.
///
/// # Errors
/// If it cannot be removed.
pub(crate) fn remove_tree(store: &Store, tree: &Path) -> Result<(), Refusal> {
    let Some(link) = tree.parent().into_iter().chain([tree]).find(|path| path.is_symlink()) else {
        let is_removed = store.repo().remove_own_worktree(tree)?;
        return if is_removed { Ok(()) } else { Ok(store.git().remove_worktree(tree)?) };
    };
    std::fs::remove_file(link).map_err(|error| {
        Refusal::new(Code::CannotWrite, format!("cannot remove {}: {error}", tree.display()))
            .hint("make sure that the directory is writable and the disk has space")
    })?;
    Ok(store.prune_worktrees()?)
}

/// Removes the workplaces that killed processes of a run left, except those whose work is nowhere else.
fn remove_workplaces(session: &Session, run: &RunId) {
    let store = session.store();
    for name in Workplace::names(store, &format!("{run}-")) {
        if let Some(workplace) = Workplace::reopen(store, &name)
            && !workplace.is_needed()
        {
            remove_leftover(session, workplace);
        }
    }
}

/// Refuses to begin the branch of a run again that has work on it, or whose first commit is not here.
fn refuse_lost(store: &Store, found: &RunFolder, base: &CommitHash) -> Result<(), Refusal> {
    let run = &found.run;
    let name = Branch::of_run(&run.id);
    let has_work = RunProgress::of(found).has_integrated();
    let is_here = object_id(base.as_str()).is_some_and(|base| store.repo().is_commit(base));
    if !has_work && is_here {
        return Ok(());
    }
    let remote = sync::remote::of_the_ref(store)?.unwrap_or_else(|| "REMOTE".to_owned());
    let remote = shell::operand(&remote);
    Err(if has_work {
        Refusal::new(
            Code::NoBranch,
            format!("this clone does not have the branch `{name}` with work of run `{}`", run.id),
        )
        .command(format!("git push {remote} {name}"), "publishes it, in the clone that has it")
        .command(format!("git fetch {remote} {name}:{name}"), "then fetches it here")
    } else {
        let base = base.short();
        Refusal::new(
            Code::NoCommit,
            format!("this clone does not have the commit `{base}` at which run `{}` started", run.id),
        )
        .command(format!("git fetch {remote}"), "may bring it")
    })
}

/// The last commit of the run: on its branch, else the one that it began with.
pub(crate) fn head(store: &Store, run: &Run) -> Result<Option<CommitHash>, Refusal> {
    let on_branch = match run.branch() {
        Some(branch) => store.read_ref(branch.as_str())?,
        None => None,
    };
    Ok(on_branch.map(CommitHash::from).or_else(|| run.base_commit.clone()))
}

/// Removes the worktrees of a run that has ended, except those whose work is nowhere else; and its branch, if nothing
/// was merged into it.
pub(crate) fn clean_up(session: &Session, places: &RunPaths, found: &RunFolder) -> Result<(), Refusal> {
    remove_workplaces(session, &found.run.id);
    let store = session.store();
    let folder = places.branch_tree();
    if folder.exists() || folder.is_symlink() {
        remove_tree(store, &folder)?;
    }
    if !RunProgress::of(found).has_integrated()
        && let Some(branch) = found.run.branch()
        && let Some(tip) = store.read_ref(branch.as_str())?
        && found.run.base_commit.as_ref().is_some_and(|base| *base == CommitHash::from(tip))
    {
        store.repo().delete_ref(branch.as_str(), tip)?;
    }
    for folder in [&places.claims(), &places.trees] {
        // Removed only if empty.
        let _ = std::fs::remove_dir(folder);
    }
    Ok(())
}

/// Removes the locks that git left in the git directory of a worktree of a run, and on its branch, when it was killed. Nobody
/// may work there.
pub(crate) fn unlock(there: &Store) {
    if let Ok(Some(branch)) = there.branch() {
        let _ = std::fs::remove_file(there.repo().ref_lock(branch.as_str()));
    }
    let files = std::fs::read_dir(there.git_dir()).into_iter().flatten().filter_map(Result::ok);
    for path in files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "lock"))
    {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_about_one_issue() {
        let [one, other] = ["ISS-1", "ISS-1-1"].map(|id| IssueId::parse(id).unwrap());
        let name = transcript_name(RunStep::Plan, &one, 1);
        assert_eq!(name, "plan-ISS-1-1.jsonl");
        assert!(is_about(&name, &one) && !is_about(&name, &other));
        let name = transcript_name(RunStep::Execute, &other, 12);
        assert!(is_about(&name, &other) && !is_about(&name, &one));
        for name in ["agents.json", "plan-ISS-1-.jsonl", "plan-ISS-1-1.txt", "talk-ISS-1-1.jsonl", ""] {
            assert!(!is_about(name, &one), "{name}");
        }
    }
}
