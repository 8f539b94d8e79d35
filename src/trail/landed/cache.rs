//! Keeps in the index which completed work is on the target branch, looking only at what is new.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::derive::{Asked, Question, derive};
use super::history::TargetHistory;
use super::target::{LandingTarget, UnpushedBranch};
use crate::index::{Index, IndexError, LandingKey, LandingRow};
use crate::model::{CommitHash, ExecutionStatus, IssueId, Time, hex};
use crate::rules::landed::{conflict, is_older_than_landing};
use crate::rules::{ExecutionFolder, LandedState, LandingProof, claim_order};
use crate::store::{ObjectId, Snapshot, Store, StoreError, records};
use crate::trail::audit::first_base;
use crate::trail::reach::detached_heads;

/// If more commits than this are gone from the branch, everything is derived again.
const MOST_LOST: usize = 10_000;

/// Changes with the rules by which landed work is recognized: what was derived by others is derived again.
const RULES: u32 = 3;

/// Brings what the index knows of the landing of work up to date. Returns the target; `None` if there is none, and then
/// nothing is known.
pub(crate) fn refresh(store: &Store, index: &Index<'_>) -> Result<Option<LandingTarget>, IndexError> {
    let Some(target) = LandingTarget::find(store)? else { return Ok(None) };
    if !index.has_completed()? {
        return Ok(Some(target));
    }
    let tips = target.tips();
    let known = index.landing_key()?.filter(|key| key.branch == target.branch && key.rules == RULES);
    let old = known.as_ref().and_then(|known| tips_here(store, &known.tips)).filter(|old| !old.is_empty());
    let lost = lost(store, old.as_deref().unwrap_or_default(), &tips)?;
    // If much of the branch was rewritten, or if nothing was derived yet, everything is derived.
    let old = if lost.len() <= MOST_LOST { old } else { None };
    let pending = if old.is_some() { index.not_landed()? } else { vec![] };
    let mut fresh: BTreeSet<IssueId> = index.completed(old.is_none())?.into_iter().collect();
    let has_moved = old.as_ref() != Some(&tips);
    // Nothing else depends on other branches.
    let first_land = index.first_land()?;
    let refs = if pending.is_empty() && fresh.is_empty() { String::new() } else { refs(store, first_land)? };
    let is_elsewhere = known.as_ref().is_none_or(|known| known.refs != refs);
    if fresh.is_empty() && !has_moved && (pending.is_empty() || !is_elsewhere) {
        return Ok(Some(target));
    }
    if has_moved && let Some(old) = old.as_ref() {
        let reverted = TargetHistory::read(store, &tips, old)?.reverted(store)?;
        fresh.extend(index.landed_as(&reverted)?);
        if !lost.is_empty() {
            // What the commits that are gone stood for, took back or brought back is decided anew.
            let mut of_lost = TargetHistory::read(store, old, &tips)?.reverted(store)?;
            of_lost.extend(lost);
            fresh.extend(index.landed_as(&of_lost)?);
        }
    }
    // Only the whole history says whether a revert still stands.
    fresh
        .extend(pending.iter().filter(|row| !row.proof.landed.reverted.is_empty()).map(|row| row.id.clone()));
    let snapshot = index.snapshot()?;
    let asked = Asked { branch: &target.branch, tips: &tips, first_land };
    let unpushed = target.unpushed();
    let pending = pending.into_iter().filter(|row| !fresh.contains(&row.id));
    let pending: Vec<KnownIssue> = pending.map(|row| (row.id, Some(row.proof))).collect();
    let pending = completed(store, &snapshot, pending.into_iter())?;
    let (again, pending): (Vec<Completed>, Vec<Completed>) = pending
        .into_iter()
        .partition(|known| is_elsewhere && known.may_have_changed(store, asked.first_land));
    let mut fresh = completed(store, &snapshot, fresh.into_iter().map(|id| (id, None)))?;
    fresh.extend(again.into_iter().map(|completed| Completed { before: None, ..completed }));
    let base = first_base(store, fresh.iter().map(|completed| &completed.execution));
    let base: Vec<ObjectId> = base.and_then(|base| store.commit_here(&base)).into_iter().collect();
    let mut rows = decide(store, &asked, unpushed.as_ref(), fresh, &base)?;
    rows.extend(decide(store, &asked, unpushed.as_ref(), pending, old.as_deref().unwrap_or_default())?);
    let has_open = rows.iter().any(|row| row.proof.is_open()) || !refs.is_empty();
    let refs = if has_open && refs.is_empty() { self::refs(store, first_land)? } else { refs };
    let tips = tips.into_iter().map(CommitHash::from).collect();
    let key = LandingKey { branch: target.branch.clone(), tips, refs, rules: RULES };
    index.note_landing(&key, &rows, old.is_none())?;
    Ok(Some(target))
}

/// An issue with the execution that completed it.
struct Completed {
    id: IssueId,
    execution: ExecutionFolder,
    /// The conflict that kept it from landing.
    conflict: Option<String>,
    before: Option<LandingProof>,
}

impl Completed {
    /// Whether other commits may count now that other branches or the remotes have changed, for which nobody has looked: other
    /// versions of what was rewritten, or commits that were not here or on no branch.
    fn may_have_changed(&self, store: &Store, first_land: Option<Time>) -> bool {
        if self.execution.has_rewrites() {
            return true;
        }
        let Some(LandingProof { landed, .. }) = &self.before else { return false };
        // Without a remote, nobody else can have a commit that is not here.
        let has_remotes = !store.repo().remotes().is_empty();
        let is_here = |hash: &CommitHash| store.commit_here(hash).is_some();
        let is_in_doubt = landed.unknown.iter().any(|hash| is_here(hash) || !has_remotes)
            || landed.on_no_branch.iter().any(|hash| is_here(hash) || has_remotes);
        is_in_doubt && !is_older_than_landing(&self.execution, first_land)
    }
}

/// An issue with what was derived for it before.
type KnownIssue = (IssueId, Option<LandingProof>);

fn completed(
    store: &Store,
    snapshot: &Snapshot<'_>,
    issues: impl Iterator<Item = KnownIssue>,
) -> Result<Vec<Completed>, StoreError> {
    let commit = snapshot.commit();
    store.read_in_parts(issues.collect(), |store, part| completed_among(&store.snapshot_at(commit)?, part))
}

fn completed_among(snapshot: &Snapshot<'_>, issues: Vec<KnownIssue>) -> Result<Vec<Completed>, StoreError> {
    let mut found = Vec::new();
    for (id, before) in issues {
        // Nothing else of the issue says anything about it, and plans take most of the time.
        let executions = records::executions(snapshot, &id)?;
        let conflict = conflict(&records::feedback(snapshot, &id)?).map(str::to_owned);
        let holder = claim_order::holder(&executions);
        let holder = holder.filter(|holder| holder.outcome() == ExecutionStatus::Completed);
        found.extend(holder.cloned().map(|execution| Completed { id, execution, conflict, before }));
    }
    Ok(found)
}

fn decide(
    store: &Store,
    asked: &Asked<'_>,
    unpushed: Option<&UnpushedBranch>,
    completed: Vec<Completed>,
    since: &[ObjectId],
) -> Result<Vec<LandingRow>, StoreError> {
    if completed.is_empty() {
        return Ok(vec![]);
    }
    let questions: Vec<Question<'_>> = completed
        .iter()
        .map(|completed| Question { execution: &completed.execution, before: completed.before.as_ref() })
        .collect();
    let mut answers = derive(store, asked, &questions, since)?;
    if let Some(unpushed) = unpushed {
        asked.note_unpushed(store, unpushed, &questions, &mut answers)?;
    }
    let mut rows = Vec::new();
    for (completed, mut proof) in completed.into_iter().zip(answers) {
        // What only has to be pushed has met no conflict there.
        if proof.landed.state != LandedState::Landed && proof.landed.only_unpushed.is_none() {
            proof.landed.conflict = completed.conflict;
        }
        rows.push(LandingRow { id: completed.id, proof });
    }
    Ok(rows)
}

/// The commits of the branch as it was that it does not have any more, such as after a force push.
fn lost(store: &Store, old: &[ObjectId], tips: &[ObjectId]) -> Result<Vec<ObjectId>, StoreError> {
    // A branch usually goes on from where it was, which is seen without git.
    let mut left = old.to_vec();
    left.retain(|commit| !tips.iter().any(|tip| store.is_ancestor(*commit, *tip).unwrap_or(false)));
    Ok(store.git().between(&left, tips)?)
}

/// The tips as they were, if they are all here.
fn tips_here(store: &Store, tips: &[CommitHash]) -> Option<Vec<ObjectId>> {
    tips.iter().map(|tip| store.commit_here(tip)).collect()
}

/// Identifies all branches, tags, remote-tracking refs and detached HEADs as they are now, whether there is a remote, where the
/// history of a shallow clone ends, and when work was first recorded as landed: what is older may have landed unseen.
fn refs(store: &Store, first_land: Option<Time>) -> Result<String, StoreError> {
    let mut hash = Sha256::new();
    hash.update(format!("{:?}\n", first_land.map(Time::millis)));
    hash.update(format!("{}\n", store.repo().remotes().is_empty()));
    let all = store.repo().all_refs().map_err(StoreError::object("cannot read the references"))?;
    for (name, id) in &all {
        let is_counted =
            ["refs/heads/", "refs/tags/", "refs/remotes/"].iter().any(|prefix| name.starts_with(prefix));
        if is_counted && name.as_str() != store.reference() {
            hash.update(format!("{name} {id}\n"));
        }
    }
    for head in detached_heads(store)? {
        hash.update(format!("HEAD {head}\n"));
    }
    if let Ok(ends) = std::fs::read(store.common_dir().join("shallow")) {
        hash.update(ends);
    }
    Ok(hex(&hash.finalize()))
}
