//! Claims that are left: their lease has expired, or their worktree is gone.

use super::attention::{AttentionFacts, AttentionItem, about};
use crate::index::Filter;
use crate::model::{ExecutionStatus, IssueStatus, Op, Other, Remedies, RemedyCall};
use crate::ops::{Refusal, work};

impl AttentionFacts<'_> {
    /// Executing issues whose lease has expired or whose worktree is gone.
    pub(super) fn leases(&self) -> Result<Vec<AttentionItem>, Refusal> {
        let mut found = Vec::new();
        if self.count(IssueStatus::Executing) == 0 {
            return Ok(found);
        }
        let now = self.session.store().now()?;
        let executing = Filter { statuses: vec![IssueStatus::Executing], ..Filter::default() };
        for issue in self.issues(&executing, None)? {
            let Some(holder) = issue.holder.as_ref().filter(|it| it.status == ExecutionStatus::Executing)
            else {
                continue;
            };
            let actor = Some(holder.actor.clone());
            if now > holder.lease_expires_at {
                let remedies = Remedies::call(Op::Next, "takes it over, or continues it if it is yours")
                    .or_call(Other::LeaseList, "shows the leases");
                let expired_at = Some(holder.lease_expires_at);
                let item = about(&issue, &holder.execution_id, issue.title.clone(), remedies);
                found.push(AttentionItem { actor, expired_at, ..item });
            } else if let Some(worktree) =
                work::gone_worktree(self.session.store(), self.snapshot, &holder.execution_id)?
            {
                let release = RemedyCall::new(Op::LeaseRelease, [&issue.id]);
                let remedies = Remedies::call(release, "gives it up, so that `next` claims it again");
                let item = about(&issue, &holder.execution_id, issue.title.clone(), remedies);
                found.push(AttentionItem { actor, gone_worktree: Some(worktree), ..item });
            }
        }
        Ok(found)
    }
}
