//! One step of an agent, from before it is asked until its workplace is gone.

use super::job::{AgentJob, StepOutcome, StepReport};
use super::panicked;
use crate::model::Breach;
use crate::ops::work::users_state::UsersState;
use crate::rules::run::refused_words;
use crate::workplace::Confinement;

/// Lets an agent take a step. What it handed in was taken when it ended; then its workplace goes, except that of a step that was
/// stopped, which a resumed run looks at.
pub(super) fn take_step(job: &AgentJob, work: impl FnOnce(&AgentJob) -> StepOutcome) -> StepOutcome {
    let users = match job.look_at_user() {
        Ok(users) => users,
        Err(refusal) => return StepOutcome::Gave(job.refused(&refusal)),
    };
    let came = panicked::outcome(|| work(job));
    if let Some(what) = users.and_then(|before| job.changed_since(&before)) {
        job.report(StepReport::Breach(breach(job, what, false)));
    }
    let is_stopped = matches!(came, StepOutcome::Stopped);
    if !is_stopped || job.execution.is_none() {
        job.leave();
    }
    job.guard.remove();
    came
}

impl AgentJob {
    /// How the user's repository looks, if the agent could change it.
    fn look_at_user(&self) -> Result<Option<UsersState>, crate::ops::Refusal> {
        match self.confinement {
            Confinement::Confined(_) => Ok(None),
            Confinement::Open(_) => {
                let store = self.identity.shared()?;
                let state = UsersState::look(&store)?;
                Ok(Some(if self.run.lands { state.while_landing(&store)? } else { state }))
            }
        }
    }

    fn changed_since(&self, before: &UsersState) -> Option<String> {
        before.changed(&self.identity.shared().ok()?, || self.landings.so_far())
    }

    /// Reports something that was refused to the agent.
    pub(super) fn report_refused(&self, why: &str) {
        let agent = Some(self.asked.borrow().clone());
        self.report(StepReport::Breach(Breach { agent, ..breach(self, refused_words(why), true) }));
    }
}

/// Something that happened during a step; nobody is named.
pub(super) fn breach(job: &AgentJob, what: String, undone: bool) -> Breach {
    Breach { action: job.step, issue_id: Some(job.issue.clone()), agent: None, what, undone }
}
