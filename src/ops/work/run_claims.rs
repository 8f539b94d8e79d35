//! Claims that a run makes for its agents: of several plans in one commit, with one push.

use std::path::PathBuf;

use super::begin::{NewClaim, settle};
use super::publish_waiting;
use super::take::{ClaimRequest, ClaimWorktree, Claimable, may_be_made};
use super::unseen_claim::{is_shown, lost, made_of, withdraw, withdraw_here};
use crate::git::fault;
use crate::model::{Execution, ExecutionId, IssueId, Op, QueueId, RunId, SolutionId, count};
use crate::ops::{Notice, Refusal, RefusalKind, Session};
use crate::store::Tx;
use crate::sync;
use crate::trail::active;

/// A plan to claim for a run.
#[derive(Debug, Clone)]
pub(crate) struct RunClaim {
    /// The plan.
    pub(crate) solution: SolutionId,
    /// The queue from which; `None` for the only one that it is in.
    pub(crate) queue: Option<QueueId>,
    /// Where its worktree is made. No agent works there.
    pub(crate) tree: PathBuf,
}

impl RunClaim {
    fn request(&self, run: &RunId) -> ClaimRequest {
        let solution = &self.solution;
        // Two clones may each have put the issue into their own queue.
        let item = match &self.queue {
            Some(queue) => format!("{queue}:{solution}"),
            None => solution.to_string(),
        };
        ClaimRequest {
            what: Claimable::Item(item),
            worktree: ClaimWorktree::At(self.tree.clone()),
            is_fresh: true,
            run: Some(run.clone()),
            ..ClaimRequest::default()
        }
    }
}

/// Claims plans for a run; the execution of each, or why there is none. A claim that a killed process made is continued. One that is refused does not keep the others from being
/// made.
///
/// # Errors
/// Whatever concerns all of them: any reason why the remote cannot be reached, or the store cannot be written.
pub(crate) fn claim_for_run(
    session: &Session,
    run: &RunId,
    claims: &[RunClaim],
) -> Result<Vec<Result<ExecutionId, Refusal>>, Refusal> {
    let store = session.store();
    let remote = sync::remote::of_the_ref(store)?;
    let _alone = active::lock(store)?;
    let wishes: Vec<ClaimRequest> = claims.iter().map(|claim| claim.request(run)).collect();
    let mut made = active::begun(store)?;
    let mut found: Vec<Option<Result<Execution, Refusal>>> = Vec::new();
    for claim in claims {
        found.push(left_by_killed(session, &mut made, &claim.solution.issue())?.map(Ok));
    }
    let new: Vec<usize> = (0..claims.len()).filter(|n| found[*n].is_none()).collect();
    if !new.is_empty() {
        let issues: Vec<IssueId> = new.iter().map(|n| claims[*n].solution.issue()).collect();
        let requests: Vec<&ClaimRequest> = new.iter().map(|n| &wishes[*n]).collect();
        let taken =
            Claiming { session, remote: remote.as_deref(), requests, issues: &issues, made }.claim()?;
        for (n, taken) in new.into_iter().zip(taken) {
            found[n] = Some(taken);
        }
        fault::point("claimed");
    }
    let mut settled = Vec::new();
    for (claimed, wish) in found.into_iter().flatten().zip(&wishes) {
        settled.push(claimed.and_then(|execution| {
            settle(session, wish, &execution)?;
            Ok(execution.id)
        }));
    }
    Ok(settled)
}

/// The claim of an issue that a process made here just before it was killed. One that the remote does not show is withdrawn.
fn left_by_killed(
    session: &Session,
    made: &mut Vec<ExecutionId>,
    issue: &IssueId,
) -> Result<Option<Execution>, Refusal> {
    let own = of_issue(made, issue);
    let (id, held) = match made_of(&session.store().snapshot()?, &own)? {
        Some(found) => found,
        None => return Ok(None),
    };
    match held {
        Some(held) if is_shown(session, &held)? => return Ok(Some(held.execution)),
        Some(held) => withdraw_here(session, &held.execution)?,
        None => session.notice(Notice::warning(lost(&id).message)),
    }
    made.retain(|id| id.issue() != *issue);
    active::forget_issue(session.store(), issue)?;
    Ok(None)
}

fn of_issue(made: &[ExecutionId], issue: &IssueId) -> Vec<ExecutionId> {
    made.iter().filter(|id| id.issue() == *issue).cloned().collect()
}

/// Claims that are being made.
struct Claiming<'a> {
    session: &'a Session,
    remote: Option<&'a str>,
    requests: Vec<&'a ClaimRequest>,
    /// The issue of each.
    issues: &'a [IssueId],
    /// All that were written so far, in states that may not count.
    made: Vec<ExecutionId>,
}

impl Claiming<'_> {
    fn claim(mut self) -> Result<Vec<Result<Execution, Refusal>>, Refusal> {
        let (session, remote) = (self.session, self.remote);
        let permit = session.permit(Op::Next)?;
        let mut new = Vec::new();
        for request in &self.requests {
            new.push(NewClaim::prepare(session, request, remote)?);
        }
        let index = session.index_at_hand()?;
        let (issues, made) = (self.issues, &mut self.made);
        let change = |tx: &mut Tx<'_>| {
            let (mut claimed, mut written) = (Vec::new(), Vec::new());
            for (new, issue) in new.iter().zip(issues) {
                if let Some((id, held)) = made_of(tx, &of_issue(made, issue))? {
                    claimed.push(held.map(|held| held.execution).ok_or_else(|| lost(&id)));
                    continue;
                }
                let picked = new.pick(tx, index.as_ref());
                claimed.push(match picked.and_then(|picked| new.write(tx, &picked, made)) {
                    Ok(execution) => {
                        written.push(execution.clone());
                        Ok(execution)
                    }
                    Err(refusal) if refusal.is_stop() || refusal.is_passing() => return Err(refusal),
                    Err(refusal) => Err(refusal),
                });
            }
            if !written.is_empty() {
                tx.describe(words(&written));
            }
            Ok(claimed)
        };
        let mut withdraw_all = |tx: &mut Tx<'_>, claimed: &Vec<Result<Execution, Refusal>>| {
            claimed.iter().flatten().try_for_each(|execution| withdraw(tx, execution))
        };
        let claimed = session.transact_through(permit, remote, change, Some(&mut withdraw_all));
        let claimed = claimed.inspect_err(|refusal| {
            if !may_be_made(refusal, remote) {
                self.forget_notes();
            }
        })?;
        for (claimed, issue) in claimed.iter().zip(self.issues) {
            if claimed.is_err() {
                active::forget_issue(session.store(), issue)?;
            }
        }
        let is_none = claimed.iter().all(|it| matches!(it, Err(why) if why.kind == RefusalKind::Nothing));
        if is_none && let Some(remote) = remote {
            publish_waiting(session, remote)?;
        }
        Ok(claimed)
    }

    fn forget_notes(&self) {
        for issue in self.issues {
            // A note that stays is looked at again.
            let _ = active::forget_issue(self.session.store(), issue);
        }
    }
}

/// What a commit with these claims does, in one line.
fn words(claimed: &[Execution]) -> String {
    match claimed {
        [only] => {
            let of = only.item_id.as_ref().map(|item| format!(" as {item}")).unwrap_or_default();
            format!("execution: claim {}{of} (attempt {})", only.solution_id, only.attempt)
        }
        all => {
            let named: Vec<&str> = all.iter().map(|it| it.solution_id.as_str()).collect();
            format!("execution: claim {}: {}", count(all.len(), "plan"), named.join(", "))
        }
    }
}
