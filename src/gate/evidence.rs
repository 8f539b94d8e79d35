//! The gates `evidence` and `review` on a server: whether the store, as it would be after a push, has reviews and evidence
//! for the claims that come to hold and the executions that become completed through the push.
//!
//! A server runs no tests. It relies on recorded links, checks and reviews. The linked commits need not be there, since
//! `done` publishes the store before anyone pushes the branch: of a commit that is there, git says the tree; of any other,
//! its link.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::model::{
    Event, Execution, ExecutionId, ExecutionStatus, IssueId, PlanDigest, Policy, Review, Solution, SolutionId,
};
use crate::rules::claim_order::{self, standing};
use crate::rules::review::{self, NotQueueable};
use crate::rules::{ExecutionFolder, Gate, GateValue, IssueFolder, PlanReview, Reviewer, evidence};
use crate::store::{Location, ObjectId, Owner, Snapshot, Store, StoreError, layout, records};
use crate::trail::claimed::{self, ClaimLookup};
use crate::trail::{signed_checks, work};

/// Each of more executions would be compared with each step of the log that overrode a gate.
const MOST_STOPPED: usize = 1_000;
/// For at most this many executions of an issue, the history is searched for a plan in vain.
const MOST_SEARCHED: usize = 100;

/// Executions in a push that do not satisfy a gate.
#[derive(Debug, Default)]
pub(super) struct GateFaults {
    /// The faults for which the push is rejected.
    pub(super) faults: Vec<String>,
    /// The overridden gates, each with the recorded reason.
    pub(super) forced: Vec<String>,
}

/// One execution that does not satisfy a gate.
struct Stopped {
    /// The execution, and what is missing.
    what: String,
    execution: Execution,
    /// Files of the store. The execution was forced if a log step with a reason wrote one of them.
    written: Vec<String>,
    /// For a missing review: the refusal, which says who may force it.
    refusal: Option<NotQueueable>,
}

/// Checks the issues that differ between two states of the store: every execution that appears, starts to hold,
/// becomes completed or loses evidence, whatever the cause.
pub(super) fn look(
    store: &Store,
    before: &Snapshot<'_>,
    after: &Snapshot<'_>,
    policy: &Policy,
) -> Result<GateFaults, StoreError> {
    let gate = Gate::Evidence.setting(policy);
    let (wants_evidence, wants_review) = (gate >= GateValue::Required, Gate::Review.is_required(policy));
    if !wants_evidence && !wants_review {
        return Ok(GateFaults::default());
    }
    let mut stopped = Vec::new();
    for issue in changed(store, before, after)? {
        let Some(folder) = records::issue(after, &issue)? else { continue };
        let old = Before::read(before, &issue)?;
        let holder = claim_order::holder(&folder.executions).map(|holder| &holder.execution.id);
        let mut plans = ClaimedPlans::default();
        let mut reviewed = HashSet::new();
        // An execution that was set aside does not count: checking it would leave no way out.
        for (execution, outcome) in standing(&folder.executions) {
            if stopped.len() >= MOST_STOPPED {
                let what =
                    format!("more than {MOST_STOPPED} claims lack reviews or evidence: push it in parts");
                return Ok(GateFaults { faults: vec![what], forced: vec![] });
            }
            let id = &execution.execution.id;
            let is_completed = wants_evidence && outcome == ExecutionStatus::Completed;
            let begins =
                wants_review && (!old.stands(id) || holder == Some(id) && old.holder.as_ref() != Some(id));
            if !is_completed && !begins {
                continue;
            }
            let was_completed = old.completed(id);
            let Some(plan) = plans.find(store, after, &execution.execution)? else {
                if begins || is_completed && was_completed.is_none() {
                    stopped.push(Stopped::new(execution, "has an unreadable plan", vec![], None));
                }
                continue;
            };
            let key = (&execution.execution.solution_id, &execution.execution.plan_digest);
            if begins && !reviewed.contains(&key) {
                match unreviewed(policy, &folder, execution, &plan)? {
                    Some(found) => stopped.push(found),
                    None => {
                        reviewed.insert(key);
                    }
                }
            }
            // If it was already accepted without evidence, evidence is not required later.
            let lacked = was_completed
                .is_some_and(|was| !evidence_missing(store, &folder, &plan, was, gate).is_empty());
            if is_completed && !lacked {
                let missing = evidence_missing(store, &folder, &plan, execution, gate);
                let missing = claimed::shown(missing, store, after, &folder, &execution.execution)?;
                stopped.extend(unproven(execution, was_completed, &missing));
            }
        }
    }
    judge(store, after, stopped)
}

/// The claimed plans of an issue. Many executions can claim one version of a plan, which may be deep in the history.
#[derive(Default)]
struct ClaimedPlans {
    known: HashMap<(SolutionId, PlanDigest), Rc<Solution>>,
    missing: usize,
}

impl ClaimedPlans {
    /// The claimed plan; `None` if it cannot be read.
    fn find(
        &mut self,
        store: &Store,
        after: &Snapshot<'_>,
        claim: &Execution,
    ) -> Result<Option<Rc<Solution>>, StoreError> {
        let key = (claim.solution_id.clone(), claim.plan_digest.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(Rc::clone(known)));
        }
        if self.missing >= MOST_SEARCHED {
            return Ok(None);
        }
        let ClaimLookup::Plan(plan) = claimed::stored_plan(store, after, claim)? else {
            self.missing += 1;
            return Ok(None);
        };
        let plan: Rc<Solution> = Rc::from(plan);
        self.known.insert(key, Rc::clone(&plan));
        Ok(Some(plan))
    }
}

/// The executions of an issue as they were before the push.
struct Before {
    holder: Option<ExecutionId>,
    /// Executions that were not set aside.
    standing: HashMap<ExecutionId, (ExecutionFolder, ExecutionStatus)>,
}

impl Before {
    fn read(state: &Snapshot<'_>, issue: &IssueId) -> Result<Self, StoreError> {
        let all = records::executions(state, issue)?;
        let holder = claim_order::holder(&all).map(|holder| holder.execution.id.clone());
        let standing = standing(&all).into_iter();
        let standing = standing
            .map(|(execution, outcome)| (execution.execution.id.clone(), (execution.clone(), outcome)));
        Ok(Self { holder, standing: standing.collect() })
    }

    fn stands(&self, id: &ExecutionId) -> bool {
        self.standing.contains_key(id)
    }

    /// The execution, if it was completed and not set aside.
    fn completed(&self, id: &ExecutionId) -> Option<&ExecutionFolder> {
        self.standing
            .get(id)
            .filter(|(_, outcome)| *outcome == ExecutionStatus::Completed)
            .map(|(execution, _)| execution)
    }
}

/// The issues with a difference in the files of their plans or executions: any file of an execution can change who
/// holds the issue, and the evidence for it.
fn changed(
    store: &Store,
    before: &Snapshot<'_>,
    after: &Snapshot<'_>,
) -> Result<BTreeSet<IssueId>, StoreError> {
    let differences = store.differences(Some(before.tree()), after.tree())?;
    Ok(differences.iter().filter_map(|file| issue_of(&file.path)).collect())
}

/// The issue of a file of a plan or an execution.
fn issue_of(path: &str) -> Option<IssueId> {
    let location = Location::parse(path)?;
    let owner = match &location {
        Location::Record(owner) => owner.clone(),
        Location::Entry(log, _) => log.owner(),
        Location::Root | Location::Item(..) => return None,
    };
    if matches!(owner, Owner::Solution(_) | Owner::Execution(_)) { location.issue() } else { None }
}

/// What an execution lacks under a policy that requires evidence.
fn evidence_missing(
    store: &Store,
    folder: &IssueFolder,
    plan: &Solution,
    execution: &ExecutionFolder,
    gate: GateValue,
) -> Vec<String> {
    let counting = signed_checks::counting(store, execution, gate);
    let reviewed = PlanReview::from_reviews(folder, &execution.execution);
    evidence::missing(&plan.typed_plan(), &counting, &work::linked(store, execution), gate, reviewed)
}

/// `was` is the execution before the push, if it was completed then.
fn unproven(
    execution: &ExecutionFolder,
    was: Option<&ExecutionFolder>,
    missing: &[String],
) -> Option<Stopped> {
    if missing.is_empty() {
        return None;
    }
    let log = layout::execution_log(&execution.execution.id);
    // The entries that completed it, or that removed evidence since.
    let written = execution
        .log
        .iter()
        .filter(|entry| match was {
            None => matches!(entry.event, Event::End(_)),
            Some(was) => !was.log.iter().any(|old| old.id == entry.id),
        })
        .map(|entry| layout::entry(&log, &entry.id))
        .collect();
    Some(Stopped::new(execution, &format!("is completed, and {}", missing.join("; ")), written, None))
}

/// A review by the plan's own author counts only if it was forced, whenever it was made.
fn unreviewed(
    policy: &Policy,
    folder: &IssueFolder,
    execution: &ExecutionFolder,
    plan: &Solution,
) -> Result<Option<Stopped>, StoreError> {
    let place = layout::reviews(&plan.id);
    let mut reviews: Vec<Review> = Vec::new();
    let mut written = vec![layout::execution(&execution.execution.id)];
    // The commit that a claim names is trusted for the text of the plan, but not for its author.
    let author = folder.solution(&plan.id).map_or(&plan.author, |stored| &stored.author);
    for review in folder.reviews(&plan.id) {
        let is_own = Reviewer::new(&review.author) == Reviewer::new(author);
        let path = layout::entry(&place, &review.id);
        if !is_own {
            reviews.push(review.clone());
        } else if review.plan_digest == execution.execution.plan_digest {
            written.push(path);
        }
    }
    let Err(refusal) = review::may_queue(policy, &plan.id, &review::standing(plan, &reviews)) else {
        return Ok(None);
    };
    let items = folder.items.iter().filter(|found| found.item.solution_id == plan.id);
    written.extend(items.map(|found| layout::item(&found.queue, &plan.id)));
    Ok(Some(Stopped::new(execution, &format!("was begun: {refusal}"), written, Some(refusal))))
}

impl Stopped {
    fn new(
        attempt: &ExecutionFolder,
        what: &str,
        written: Vec<String>,
        refusal: Option<NotQueueable>,
    ) -> Self {
        let execution = attempt.execution.clone();
        Self { what: format!("`{}` {what}", execution.id), execution, written, refusal }
    }

    /// Whether this forced log step let the execution through: it wrote one of the files, and if that is an item, the
    /// item has the claimed version of the plan.
    fn is_forced_by(&self, store: &Store, step: &Forced) -> Result<bool, StoreError> {
        if self.refusal.as_ref().is_some_and(|refusal| !refusal.is_overridable_by(step.role.as_deref())) {
            return Ok(false);
        }
        for path in self.written.iter().filter(|path| step.files.contains(*path)) {
            if !path.starts_with("queues/") {
                return Ok(true);
            }
            let then = store.snapshot_at(step.commit)?;
            let items = records::items_of(&then, &self.execution.issue_id)?;
            let claimed = &self.execution;
            let has_claimed = items.iter().any(|(_, plan, item)| {
                *plan == claimed.solution_id
                    && item.as_ref().is_ok_and(|item| item.plan_digest == claimed.plan_digest)
            });
            if has_claimed {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A step of the log that overrode a gate.
struct Forced {
    commit: ObjectId,
    role: Option<String>,
    reason: String,
    files: BTreeSet<String>,
}

/// Separates the executions that were forced, with a reason in the log, from the others.
fn judge(store: &Store, after: &Snapshot<'_>, stopped: Vec<Stopped>) -> Result<GateFaults, StoreError> {
    let mut found = GateFaults::default();
    if stopped.is_empty() {
        return Ok(found);
    }
    let steps = forced_steps(store, after)?;
    for stop in stopped {
        let mut reason = None;
        for step in &steps {
            if stop.is_forced_by(store, step)? {
                reason = Some(&step.reason);
                break;
            }
        }
        match reason {
            Some(reason) => found.forced.push(format!("{} (forced: {reason})", stop.what)),
            None => found.faults.push(stop.what),
        }
    }
    Ok(found)
}

/// All forced log steps, newest first.
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
