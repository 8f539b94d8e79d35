//! Moves the branch to a candidate: at the remote first, then here; and records it.

use std::collections::BTreeSet;

use super::Landing;
use super::record::record;
use super::step::Candidate;
use super::target::{LandTarget, TargetTips};
use super::tests::PassedChecks;
use crate::git::fault;
use crate::model::{Code, CommitHash, Op};
use crate::ops::work::publish_store;
use crate::ops::{Notice, Refusal};
use crate::store::{ObjectId, Store, StoreError, Tx, records};
use crate::sync::{self, BranchPushed, CodePush, LandPushed, SyncError};
use crate::trail::landed::derive_one;

impl Landing<'_> {
    /// Moves the branch and records the landing. Returns false if the branch is not where the candidate begins any more; then
    /// nothing has changed.
    pub(super) fn advance(
        &mut self,
        tips: &TargetTips,
        made: &Candidate,
        checks: &PassedChecks,
    ) -> Result<bool, Refusal> {
        let (session, target) = (self.session, &self.target);
        let store = session.store();
        fault::point("landing");
        session.admit_now()?;
        let change = |tx: &mut Tx<'_>| {
            session.admit_change(tx)?;
            record(tx, store, &target.branch, &self.issues, made, checks)
        };
        let mut is_recorded = false;
        if let Some(remote) = &target.remote
            && tips.at_remote != Some(made.tip)
        {
            let push = CodePush { remote, branch: &target.branch, expected: tips.at_remote, new: made.tip };
            let is_of_store = sync::remote::of_the_ref(store)?.as_ref() == Some(remote);
            let together = if is_of_store {
                let landed: Result<LandPushed<()>, PushError> = session.asking(|watch| {
                    sync::land(store, &push, Op::Land, |tx| change(tx).map_err(PushError::Refusal), watch)
                });
                landed.map_err(|error| error.refusal(target))?
            } else {
                LandPushed::NotAtomic
            };
            match together {
                LandPushed::Together(()) => is_recorded = true,
                LandPushed::Moved => return Ok(false),
                LandPushed::NotAtomic => {
                    let pushed = session.asking(|watch| sync::push_branch(store, &push, watch));
                    let pushed = pushed.map_err(|error| PushError::Sync(error).refusal(target))?;
                    if pushed == BranchPushed::Moved {
                        return Ok(false);
                    }
                }
            }
        }
        if target.remote.is_some() {
            target.follow(session, made.tip)?;
        } else if !target.forward(session, made.tip)? {
            return Ok(false);
        }
        if !is_recorded {
            session.transact(self.permit, change)?;
            publish_store(session)?;
        }
        let missing = self.missing(made)?;
        for step in &made.steps {
            let mut landed = step.shown(&self.issues[step.issue], &self.tests);
            landed.missing =
                landed.commits.iter().filter(|commit| missing.contains(*commit)).cloned().collect();
            self.view.landed.push(landed);
        }
        Ok(true)
    }

    /// The commits that the remote does not have, although it accepted the push. That is an error, and reopens nothing.
    fn missing(&self, made: &Candidate) -> Result<BTreeSet<CommitHash>, Refusal> {
        let (session, target) = (self.session, &self.target);
        let mut missing = BTreeSet::new();
        let Some(remote) = &target.remote else { return Ok(missing) };
        let store = session.store();
        let there = session.asking(|watch| sync::fetch_branch(store, remote, &target.branch, watch))?;
        let snapshot = store.snapshot()?;
        for step in &made.steps {
            let issue = &self.issues[step.issue];
            // Mostly the commits themselves are there.
            if let Some(there) = there
                && are_in(store, &step.commits(issue), there)?
            {
                continue;
            }
            let execution = records::execution(&snapshot, &issue.execution, &mut Vec::new())?
                .ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
            let arrived = derive_one(store, &target.branch, there.as_slice(), &execution)?.landed;
            let after = CommitHash::from(step.after);
            for hash in arrived.absent() {
                session.notice(
                        Notice::error(format!(
                            "commit {} of `{}` is not on `{}` of `{remote}`, which accepted the push; it is here, in the history of {}",
                            hash.short(),
                            issue.issue,
                            target.branch.short(),
                            after.short(),
                        ))
                        .command(format!("git branch landed-{} {}", issue.issue, after.short()), "keeps it"),
                    );
                missing.insert(hash.clone());
            }
        }
        Ok(missing)
    }
}

/// Whether these commits are in the history of `tip`.
fn are_in(store: &Store, commits: &[ObjectId], tip: ObjectId) -> Result<bool, StoreError> {
    for commit in commits {
        if !store.is_ancestor(*commit, tip)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Why a push of the branch failed.
enum PushError {
    Refusal(Refusal),
    Sync(SyncError),
}

impl From<StoreError> for PushError {
    fn from(error: StoreError) -> Self {
        Self::Refusal(error.into())
    }
}

impl From<SyncError> for PushError {
    fn from(error: SyncError) -> Self {
        Self::Sync(error)
    }
}

impl PushError {
    /// As a refusal. A host that protects the branch takes it only through a review of its own.
    fn refusal(self, target: &LandTarget) -> Refusal {
        match self {
            Self::Refusal(refusal) => refusal,
            Self::Sync(error @ SyncError::Refused { hint: None, .. }) if is_of(&error, target) => {
                let short = target.branch.short();
                Refusal::new(Code::Refused, error.to_string())
                    .hint(format!("the host protects `{short}`: land through a pull request there, or let it accept this push"))
            }
            Self::Sync(error) => error.into(),
        }
    }
}

/// Whether the branch itself was refused.
fn is_of(error: &SyncError, target: &LandTarget) -> bool {
    matches!(error, SyncError::Refused { reference, .. } if reference == target.branch.as_str())
}
