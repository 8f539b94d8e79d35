//! The workplace of an agent in a step of a run: a clone of its own, prepared, and what is handed in from it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::leftovers::keep_commit;
use crate::agent::guard::{REFUSED, refusals};
use crate::agent::state::ProgramNeeds;
use crate::gate::handed_branch::{BranchFault, RefusedBranch};
use crate::gate::handed_in::RefusedRecord;
use crate::model::{Branch, Code, ExecutionId, FoldedPaths, RepoPath, RunId, entry_bytes};
use crate::ops::work::handed_in::{AgentSubject, TakenCommits, refuse_to_keep, take_commits, take_records};
use crate::ops::work::preparing::{Bring, leave, prepare_workplace};
use crate::ops::work::runs::paths::open_tree;
use crate::ops::work::runs::workplaces::ACTIVE;
use crate::ops::{Refusal, Session};
use crate::rules::{Bounds, Role};
use crate::store::{ObjectId, Store, StoreError};
use crate::trail::active::ActiveClaim;
use crate::workplace::{
    ChangedPath, Confinement, HandInLimits, NewWorkplace, PlaceVariables, Prepared, Workplace,
};

/// The subject of a commit of files that an agent left.
const KEPT_FILES: &str = "Keep what was not committed";

/// Where an agent works in a step.
#[derive(Debug, Clone)]
pub(super) struct StepSite {
    /// The name of its workplace among those of the repository.
    pub(super) name: String,
    /// The directory of its workplace.
    pub(super) folder: PathBuf,
    /// The commit at which the work begins.
    pub(super) start: ObjectId,
    /// The branch on which it commits; `None` to read only.
    pub(super) branch: Option<Branch>,
    /// What it executes.
    pub(super) active: Option<ActiveClaim>,
}

/// The workplace of an agent in a step.
#[derive(Debug)]
pub(super) struct StepWorkplace {
    /// It.
    pub(super) workplace: Workplace,
    /// What tells it from others on this machine.
    pub(super) variables: Option<PlaceVariables>,
    /// What differed from the start once it was prepared.
    pub(super) prepared: Vec<ChangedPath>,
    /// Why its commits were not taken.
    pub(super) refused: Vec<RefusedBranch>,
    /// Whom the commits that were taken last name besides the user.
    pub(super) strangers: BTreeSet<String>,
}

/// In whose name something is handed in.
#[derive(Clone, Copy)]
pub(super) struct Hander<'a> {
    /// A session of the agent in the repository of the user.
    pub(super) session: &'a Session,
    /// Its role.
    pub(super) role: Role,
    /// What it works on.
    pub(super) subject: AgentSubject<'a>,
    /// What it may do.
    pub(super) bounds: &'a Bounds,
    /// The worktree that has its branch.
    pub(super) claim: Option<&'a Path>,
}

/// The name of the workplace for the n-th of something of a run.
pub(super) fn name(run: &RunId, of: &str) -> String {
    format!("{run}-{of}")
}

impl StepWorkplace {
    /// Makes and prepares it. `session` is one in the repository of the user.
    ///
    /// # Errors
    /// Those of [`Workplace::make`]; `interrupted`.
    pub(super) fn make(
        session: &Session,
        site: &StepSite,
        label: &str,
        confinement: &Confinement,
    ) -> Result<Self, Refusal> {
        let store = session.store();
        if let Some(parent) = site.folder.parent() {
            let made = DirBuilder::new().mode(0o700).recursive(true).create(parent);
            made.map_err(|error| {
                Refusal::new(Code::CannotWrite, format!("cannot make {}: {error}", parent.display()))
                    .hint("make sure that the directory is writable and the disk has space")
            })?;
        }
        let new = NewWorkplace {
            folder: &site.folder,
            name: &site.name,
            start: site.start,
            branch: site.branch.as_ref(),
            outlives: true,
        };
        let workplace = Workplace::make(store, &new)?;
        let within = confinement.words(&workplace.folder, &ProgramNeeds::default());
        match prepare(session, &workplace, site, label, &within) {
            Ok(PreparedStep { variables, changed }) => Ok(Self {
                workplace,
                variables,
                prepared: changed,
                refused: Vec::new(),
                strangers: BTreeSet::new(),
            }),
            Err(refusal) => {
                // The refusal matters more.
                let _ = workplace.remove(store);
                Err(refusal)
            }
        }
    }

    /// One that a killed process left; `None` if there is none.
    pub(super) fn reopen(store: &Store, name: &str) -> Option<Self> {
        let workplace = Workplace::reopen(store, name)?;
        let prepared = workplace.prepared();
        Some(Self { workplace, variables: None, prepared, refused: Vec::new(), strangers: BTreeSet::new() })
    }

    /// Tears it down, with no more rights than the agent had, and removes it. If that fails, a notice says so.
    pub(super) fn leave(self, session: &Session, confinement: &Confinement) {
        let within = confinement.words(&self.workplace.folder, &ProgramNeeds::default());
        leave(session, self.workplace, &within);
    }

    /// Takes what may be taken of its commits and records, once its processes are gone. Returns what was refused, in words.
    ///
    /// # Errors
    /// If the repository of the user cannot be read or written.
    pub(super) fn hand_in(&mut self, hander: Hander<'_>) -> Result<Vec<String>, Refusal> {
        let mut told = self.refusals_of_hooks();
        let handed = self.workplace.hand_in(hander.session.store(), HandInLimits::DEFAULT);
        let mut taken_over = None;
        match take_records(hander.session, hander.role, hander.subject, &handed) {
            Ok(refused) => told.extend(refused.iter().map(record_words)),
            Err(refusal) if refusal.is_stop() || refusal.is_passing() => return Err(refusal),
            // Its commits stay here, whoever drives the run.
            Err(refusal) if refusal.code == Code::TakenOver => taken_over = Some(refusal),
            Err(refusal) => told.push(format!("nothing of its records was taken: {}", refusal.message)),
        }
        if hander.bounds.branch.is_some() {
            let taken = take_commits(hander.session, &named(hander.bounds), &self.workplace, &handed)?;
            self.refused = self.move_claim(taken, hander)?;
            told.extend(self.refused.iter().map(|refused| refused.why.clone()));
        }
        taken_over.map_or(Ok(told), Err)
    }

    /// Moves the branch to the commits that were taken. Returns why they were not.
    fn move_claim(&mut self, taken: TakenCommits, hander: Hander<'_>) -> Result<Vec<RefusedBranch>, Refusal> {
        let tip = match taken {
            TakenCommits::Refused(refused) => return Ok(refused),
            TakenCommits::Taken(tip) => Some(tip),
            TakenCommits::Nothing => None,
        };
        if let (Some(tip), Some(claim), Some(branch)) = (tip, hander.claim, &hander.bounds.branch) {
            let there = open_tree(hander.session.store(), claim)?;
            // A process that was killed may have moved it, and not noted that.
            let is_there = there.head()? == Some(tip);
            if !is_there && !there.move_branch(branch, self.workplace.tip(), tip)? {
                let why = "somebody else changed its branch or the files there meanwhile".to_owned();
                return Ok(vec![RefusedBranch { fault: BranchFault::Other, why }]);
            }
            self.strangers = strangers(hander.session.store(), self.workplace.tip(), tip)?;
            self.workplace.advance(tip)?;
        }
        let is_on_branch = self.workplace.is_on_branch().unwrap_or(false);
        let what = hander.bounds.branch.as_ref().filter(|_| !is_on_branch).map(|branch| RefusedBranch {
            fault: BranchFault::OtherBranch,
            why: format!("its worktree is no longer on the branch `{branch}`"),
        });
        Ok(what.into_iter().collect())
    }

    /// What hooks of the workplace refused. The agent can write anything there.
    fn refusals_of_hooks(&self) -> Vec<String> {
        let (folder, name) = REFUSED;
        self.workplace.read_file(folder, name).map(|noted| refusals(&noted)).unwrap_or_default()
    }

    /// What an agent changed that should only read.
    pub(super) fn changed(&self) -> Result<Vec<String>, Refusal> {
        Ok(self.unprepared(self.workplace.changed()?))
    }

    /// What is not in the last commit that was taken, each as git lists it.
    pub(super) fn uncommitted(&self) -> Result<Vec<String>, Refusal> {
        Ok(self.unprepared(self.workplace.uncommitted()?))
    }

    /// Those of the listed paths that are not as they were once it was prepared.
    fn unprepared(&self, listed: Vec<String>) -> Vec<String> {
        if self.prepared.is_empty() {
            return listed;
        }
        let mut listed = self.workplace.with_signs(listed);
        listed.retain(|path| !self.prepared.contains(path));
        listed.into_iter().map(|path| path.line).collect()
    }

    /// Keeps files that are not in the last commit that was taken, on a branch; `None` if there are none.
    ///
    /// # Errors
    /// `workplace-changed` if they cannot be read, or must not be kept.
    pub(super) fn keep(&self, session: &Session, attempt: &ExecutionId) -> Result<Option<Branch>, Refusal> {
        if self.uncommitted()?.is_empty() {
            return Ok(None);
        }
        let store = session.store();
        let made = self.workplace.commit_files(store, KEPT_FILES, HandInLimits::DEFAULT)?;
        if let Some(refused) = refuse_to_keep(session, &self.workplace, made)?.into_iter().next() {
            let what = format!("the files that the agent left are not kept: {}", refused.why);
            return Err(
                Refusal::new(Code::WorkplaceChanged, what).hint("such content must not get into any branch")
            );
        }
        self.workplace.give(store, made)?;
        keep_commit(store, attempt, made).map(Some)
    }

    /// The task that the agent says it works on.
    pub(super) fn active(&self) -> Option<ActiveClaim> {
        let (folder, name) = ACTIVE;
        serde_json::from_slice(&self.workplace.read_file(folder, name)?).ok()
    }
}

/// How a workplace was prepared.
struct PreparedStep {
    variables: Option<PlaceVariables>,
    /// What differs from the start now.
    changed: Vec<ChangedPath>,
}

fn prepare(
    session: &Session,
    workplace: &Workplace,
    site: &StepSite,
    label: &str,
    within: &[OsString],
) -> Result<PreparedStep, Refusal> {
    if let Some(active) = &site.active {
        let (folder, name) = ACTIVE;
        workplace.put(&format!("{folder}/{name}"), &entry_bytes(active))?;
    }
    let prepared = prepare_workplace(session, workplace, label, Bring::FromHere, within)?;
    let is_as_filled = prepared.as_ref().is_some_and(Prepared::left_all_as_it_was) && !workplace.converts();
    let variables = prepared.and_then(|prepared| prepared.variables);
    let changed = if is_as_filled { Vec::new() } else { workplace.with_signs(workplace.changed()?) };
    workplace.note_prepared(&changed)?;
    Ok(PreparedStep { variables, changed })
}

/// The authors and committers of commits, except the user in whose name the agent works.
fn strangers(store: &Store, before: ObjectId, tip: ObjectId) -> Result<BTreeSet<String>, Refusal> {
    let user = store.identity()?;
    let unreadable = StoreError::object("cannot read a commit");
    let mut found = BTreeSet::new();
    for (id, _) in store.parents_first(&[tip], Some(before))? {
        let commit = store.repo().commit(id).map_err(&unreadable)?;
        let (author, committer) =
            (commit.author().map_err(&unreadable)?, commit.committer().map_err(&unreadable)?);
        for by in [author, committer] {
            if by.name != user.name.as_str() || by.email != user.email.as_str() {
                found.insert(format!("{} <{}>", by.name, by.email));
            }
        }
    }
    Ok(found)
}

/// The paths that a plan names.
fn named(bounds: &Bounds) -> FoldedPaths {
    bounds.named.iter().filter_map(|path| RepoPath::parse(path).ok()).collect()
}

fn record_words(refused: &RefusedRecord) -> String {
    format!("the record `{}` was not taken: {}", refused.path, refused.why)
}
