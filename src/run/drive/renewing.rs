//! Keeps the claims of a run while agents work on them: an agent may work for longer than a lease without a commit, and other
//! clones see only what is published.

use std::time::{Duration, Instant};

use super::Driver;
use crate::model::{Code, IssueId, RunStep};
use crate::ops::work::keep_lease;
use crate::ops::{Notice, Refusal};
use crate::rules::Role;
use crate::run::watch::{RunUpdate, tell_notices};

/// How often in the time of one lease it is looked at.
const LOOKS: u64 = 16;

impl Driver<'_> {
    /// Renews the leases of which less than half is left, here or as the remote knows them. A lease that cannot be renewed
    /// does not stop the run: the end of the execution finds out whether the claim was lost.
    pub(super) fn keep_leases(&mut self) -> Result<(), Refusal> {
        let lease = u64::try_from(self.session.store().lease()?).unwrap_or_default();
        let every = Duration::from_millis(lease / LOOKS);
        if self.leases_looked_at.is_some_and(|at| at.elapsed() < every) {
            return Ok(());
        }
        self.leases_looked_at = Some(Instant::now());
        let executing = self.busy.iter().filter(|(_, step)| **step == RunStep::Execute);
        let executing: Vec<IssueId> = executing.map(|(issue, _)| issue.clone()).collect();
        for issue in executing {
            let session = self.identity(Role::Executor).shared_session()?;
            let kept = keep_lease(&session, &self.run.id, &issue);
            tell_notices(&session, self.watch);
            match kept {
                Ok(()) => {}
                Err(refusal) if refusal.is_stop() || refusal.code == Code::TakenOver => return Err(refusal),
                Err(refusal) => {
                    let what = format!("{issue}: its lease was not renewed: {}", refusal.message);
                    self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
                }
            }
        }
        Ok(())
    }
}
