//! The gates `evidence` and `review` on a server: what the store itself, as it would be after a push, has to show for the
//! claims and ends that the push brings.
//!
//! A server runs no test and reads no code. It goes by what was recorded: links, checks, reviews. It does not ask for the
//! linked commits themselves, since `done` publishes the store before anybody pushes the branch.

use std::collections::BTreeSet;

use crate::model::execution::{Event, Execution};
use crate::model::id::{ExecutionId, IssueId, SolutionId};
use crate::model::review::Review;
use crate::model::root::Policy;
use crate::model::solution::Solution;
use crate::model::status::ExecutionStatus;
use crate::rules::evidence;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::holds::standing;
use crate::rules::review::{self, Refusal, Reviewer};
use crate::store::{ObjectId, Snapshot, Store, StoreError, layout, records};
use crate::trail::claimed::{self, Claimed};

/// What a push brings that a gate would not have let through.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// Against the gate.
    pub(super) faults: Vec<String>,
    /// Over the gate, with the reason that was recorded.
    pub(super) forced: Vec<String>,
}

/// Something that a gate does not let through.
struct Stopped {
    /// The execution, and what is wrong with it.
    what: String,
    execution: Execution,
    /// Files of the store, one of which must have been written with a reason.
    written: Vec<String>,
    /// Whether it is about the review, and who may force that.
    refusal: Option<Refusal>,
}

/// Looks at the executions that differ between two states of the store, by the policy of the first one.
pub(super) fn look(
    store: &Store,
    before: &Snapshot<'_>,
    after: &Snapshot<'_>,
    policy: &Policy,
) -> Result<Passed, StoreError> {
    let is_required = |gate: &Option<String>| gate.as_deref() == Some("required");
    let (wants_evidence, wants_review) = (is_required(&policy.evidence), is_required(&policy.review));
    if !wants_evidence && !wants_review {
        return Ok(Passed::default());
    }
    let changed = changed(store, before, after)?;
    let issues: BTreeSet<IssueId> = changed.iter().map(ExecutionId::issue).collect();
    let mut stopped = Vec::new();
    for issue in issues {
        let Some(folder) = records::issue(after, &issue)? else { continue };
        // What was set aside counts for nothing, and asking more of it would leave no way out.
        for (it, outcome) in standing(&folder.executions) {
            if !changed.contains(&it.execution.id) {
                continue;
            }
            let old = records::execution(before, &it.execution.id, &mut Vec::new())?;
            let ends = outcome == ExecutionStatus::Completed
                && old.as_ref().is_none_or(|old| old.outcome() != outcome);
            let begins = old.is_none();
            if !(wants_evidence && ends || wants_review && begins) {
                continue;
            }
            let Claimed::Plan(plan) = claimed::plan(store, after, &folder, &it.execution)? else {
                stopped.push(Stopped::of(it, "has a plan that cannot be read", vec![], None));
                continue;
            };
            if wants_review && begins {
                stopped.extend(unreviewed(before, policy, &folder, it, &plan)?);
            }
            if wants_evidence && ends {
                stopped.extend(unproven(it, &plan));
            }
        }
    }
    judge(store, after, stopped)
}

/// The executions of which any file differs.
fn changed(
    store: &Store,
    before: &Snapshot<'_>,
    after: &Snapshot<'_>,
) -> Result<BTreeSet<ExecutionId>, StoreError> {
    let of = |path: &str| {
        let mut parts = path.split('/');
        (parts.next() == Some("issues") && parts.nth(2) == Some("executions")).then_some(())?;
        ExecutionId::parse(parts.next()?).ok()
    };
    let differences = store.differences(Some(before.tree()), after.tree())?;
    Ok(differences.iter().filter_map(|file| of(&file.path)).collect())
}

fn unproven(it: &ExecutionFolder, plan: &Solution) -> Option<Stopped> {
    let missing = evidence::missing(&plan.typed_plan(), it);
    if missing.is_empty() {
        return None;
    }
    let folder = layout::execution_log(&it.execution.id);
    let ends = it.log.iter().filter(|entry| matches!(entry.event, Event::End(_)));
    let written = ends.map(|entry| layout::entry(&folder, &entry.id)).collect();
    Some(Stopped::of(it, &format!("is completed, and {}", missing.join("; ")), written, None))
}

/// Reviews by the author of the plan count only where they were there before, or were forced.
fn unreviewed(
    before: &Snapshot<'_>,
    policy: &Policy,
    folder: &IssueFolder,
    it: &ExecutionFolder,
    plan: &Solution,
) -> Result<Option<Stopped>, StoreError> {
    let place = layout::reviews(&plan.id);
    let mut reviews: Vec<Review> = Vec::new();
    let mut written = vec![layout::execution(&it.execution.id)];
    for review in folder.reviews(&plan.id) {
        let is_own = Reviewer::of(&review.author) == Reviewer::of(&plan.author);
        let path = layout::entry(&place, &review.id);
        if !is_own || before.entry(&path)?.is_some() {
            reviews.push(review.clone());
        } else if review.plan_digest == it.execution.plan_digest {
            written.push(path);
        }
    }
    let Err(refusal) = review::may_queue(policy, &plan.id, &review::standing(plan, &reviews)) else {
        return Ok(None);
    };
    let items = folder.items.iter().filter(|found| found.item.solution_id == plan.id);
    written.extend(items.map(|found| layout::item(&found.queue, &plan.id)));
    Ok(Some(Stopped::of(it, &format!("was begun: {refusal}"), written, Some(refusal))))
}

impl Stopped {
    fn of(it: &ExecutionFolder, what: &str, written: Vec<String>, refusal: Option<Refusal>) -> Self {
        let execution = it.execution.clone();
        Self { what: format!("`{}` {what}", execution.id), execution, written, refusal }
    }

    /// Whether a step of the log that somebody forced is what let this through: it wrote one of the files, and an item
    /// with the plan that was claimed.
    fn is_forced_by(&self, store: &Store, step: &Forced) -> Result<bool, StoreError> {
        if self.refusal.as_ref().is_some_and(|refusal| !refusal.yields_to(step.role.as_deref())) {
            return Ok(false);
        }
        for path in self.written.iter().filter(|path| step.files.contains(*path)) {
            if !path.starts_with("queues/") {
                return Ok(true);
            }
            let then = store.snapshot_at(step.commit)?;
            let items = records::items_of(&then, &self.execution.issue_id)?;
            let claimed = &self.execution;
            let is_it = |plan: &SolutionId, digest: &str| {
                *plan == claimed.solution_id && digest == claimed.plan_digest
            };
            if items
                .iter()
                .any(|(_, plan, item)| item.as_ref().is_ok_and(|item| is_it(plan, &item.plan_digest)))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A step of the log over a gate.
struct Forced {
    commit: ObjectId,
    role: Option<String>,
    reason: String,
    files: BTreeSet<String>,
}

/// Tells apart what was forced, with a reason in the log, from what was not.
fn judge(store: &Store, after: &Snapshot<'_>, stopped: Vec<Stopped>) -> Result<Passed, StoreError> {
    let mut passed = Passed::default();
    if stopped.is_empty() {
        return Ok(passed);
    }
    let steps = forced_steps(store, after)?;
    for it in stopped {
        let mut reason = None;
        for step in &steps {
            if it.is_forced_by(store, step)? {
                reason = Some(&step.reason);
                break;
            }
        }
        match reason {
            Some(reason) => passed.forced.push(format!("{} (forced: {reason})", it.what)),
            None => passed.faults.push(it.what),
        }
    }
    Ok(passed)
}

/// All of them, the newest first.
fn forced_steps(store: &Store, after: &Snapshot<'_>) -> Result<Vec<Forced>, StoreError> {
    let mut found = Vec::new();
    for link in store.commits_between(None, after.commit())?.into_iter().rev() {
        let step = store.step(link.commit)?;
        let (Some(reason), [parent]) = (step.force, &link.parents[..]) else { continue };
        let differences = store.differences(Some(store.commit_tree(*parent)?), link.tree)?;
        let files = differences.into_iter().map(|file| file.path).collect();
        found.push(Forced { commit: link.commit, role: step.role, reason, files });
    }
    Ok(found)
}
