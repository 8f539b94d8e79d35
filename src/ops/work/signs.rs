//! Signs that an execution whose lease has run out continues anyway: commits that this clone can see, and a run that a
//! process of this repository drives.

use std::collections::HashMap;

use super::runs::driver;
use crate::model::{CommitHash, Detail, Execution, ExecutionId, Op, Remedy, RemedyCall, Time};
use crate::rules::{ExecutionFolder, lease};
use crate::store::{ObjectId, Store, StoreError};
use crate::trail::trailers;

/// Maximum commits that are examined.
const MOST: usize = 100_000;

/// The latest commit of an execution that this clone can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LatestCommit {
    hash: CommitHash,
    /// When it was made; not later than now.
    pub(super) made_at: Time,
}

/// Why an item is not taken over although its lease has expired by this clone's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StillHeld {
    /// Nothing but the clock says so.
    Unproven,
    /// A process of this repository drives its run.
    Driven,
    /// It made a commit not long ago.
    Committed(LatestCommit),
}

impl StillHeld {
    /// The reason in words, after `before`.
    pub(super) fn detail(&self, before: &str) -> Detail {
        let why = match self {
            Self::Unproven => {
                "only this machine's clock says that its lease has expired: no commit by someone else is dated later, and \
                 this clone has not known the claim for long enough"
                    .to_owned()
            }
            Self::Driven => "its lease has expired, but its run still goes on in this repository".to_owned(),
            Self::Committed(LatestCommit { hash, made_at }) => {
                let hash = hash.short();
                format!("its lease has expired, but its commit {hash} is dated {made_at}, so the work seems to go on")
            }
        };
        let release = Remedy::call(RemedyCall::new(Op::LeaseRelease, ["ITEM"]), "gives it up");
        Detail { message: format!("{before}{why}"), remedies: vec![release] }
    }
}

/// Whether a process of this repository drives the run of an execution.
pub(super) fn is_driven_here(store: &Store, execution: &Execution) -> bool {
    execution.run_id.as_ref().is_some_and(|run| driver::is_driven_here(store, run))
}

/// When the latest commit of each of these executions was made, if it is not older than a lease, and is on a branch here
/// or on a remote-tracking branch. Dates lie: a commit that is dated ahead was made now, and one that is dated more than a
/// lease ahead counts for nothing.
pub(super) fn latest_commits(
    store: &Store,
    executions: &[ExecutionFolder],
    now: Time,
) -> Result<HashMap<ExecutionId, LatestCommit>, StoreError> {
    let mut latest = HashMap::new();
    let good_for = |execution: &ExecutionFolder| lease::last_sign(execution).good_for;
    let Some(longest) = executions.iter().map(good_for).max() else { return Ok(latest) };
    let since = lease::oldest_sign(longest, now);
    let named = Named::new(executions);
    let mut tips = store.repo().refs_under("refs/heads/")?;
    tips.extend(store.repo().refs_under("refs/remotes/")?);
    let tips = tips.into_iter().map(|(_, tip)| tip).filter(|tip| store.repo().is_commit(*tip));
    let failed = StoreError::object("cannot read the history of the branches");
    // The latest comes first.
    for walked in store.repo().walk_later(tips, since.millis().div_euclid(1_000)).map_err(&failed)?.take(MOST)
    {
        // A shallow or damaged history shows fewer signs.
        let Ok(walked) = walked else { break };
        let Some(made_at) = walked.seconds.and_then(Time::from_seconds) else { continue };
        for execution in named.find(store, walked.id)? {
            let claim = &execution.execution;
            if claim.started_at <= made_at && made_at <= now.plus_millis(good_for(execution)) {
                let commit = LatestCommit { hash: walked.id.into(), made_at: made_at.min(now) };
                latest.entry(claim.id.clone()).or_insert(commit);
            }
        }
        if latest.len() == executions.len() {
            break;
        }
    }
    Ok(latest)
}

/// Executions by what a commit of them is known by.
struct Named<'a> {
    by_plan: HashMap<&'a str, Vec<&'a ExecutionFolder>>,
    by_hash: HashMap<&'a CommitHash, Vec<&'a ExecutionFolder>>,
}

impl<'a> Named<'a> {
    fn new(executions: &'a [ExecutionFolder]) -> Self {
        let mut named = Self { by_plan: HashMap::new(), by_hash: HashMap::new() };
        for execution in executions {
            named.by_plan.entry(execution.execution.solution_id.as_str()).or_default().push(execution);
            for hash in execution.known_commits() {
                named.by_hash.entry(hash).or_default().push(execution);
            }
        }
        named
    }

    /// The executions that link a commit, or whose plan its message names: in that case only if the executor of the plan
    /// committed it, since others copy such commits, too.
    fn find(&self, store: &Store, id: ObjectId) -> Result<Vec<&'a ExecutionFolder>, StoreError> {
        let mut found = self.by_hash.get(&CommitHash::from(id)).cloned().unwrap_or_default();
        if let Some(commit) = store.sound_commit(id)? {
            let trailers = trailers::parse(&commit.message);
            let plans = trailers.iter().filter(|(key, _)| key == trailers::SOLUTION);
            let named = plans.filter_map(|(_, plan)| self.by_plan.get(&**plan)).flatten().copied();
            let by = commit.committer.identity();
            found.extend(named.filter(|execution| execution.execution.actor.identity() == by));
        }
        Ok(found)
    }
}
