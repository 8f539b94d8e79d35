//! A run that has cost what it may begins nothing else.

use super::Driver;
use crate::model::{Code, Failure, Other, RemedyCall};
use crate::ops::Refusal;
use crate::rules::RunProgress;
use crate::rules::run::{BUDGET, worked_ms};
use crate::run::job::failure;

impl Driver<'_> {
    /// Begins no other step if the run has cost what it may.
    pub(super) fn keep_budget(&mut self) -> Result<(), Refusal> {
        let Some(budget) = RunProgress::of(&self.log).budget.cloned() else { return Ok(()) };
        let now = self.session.now()?;
        let spent = self.standings()?.spent.for_time(worked_ms(&self.log, now));
        self.over_budget = spent.exhausts(&budget);
        if self.over_budget.is_some() {
            self.stops.after_steps();
        }
        Ok(())
    }

    /// What stopped the run, if that was its budget.
    pub(super) fn spent_budget(&self) -> Option<Failure> {
        self.over_budget.as_deref().map(|why| failure(BUDGET, why, ""))
    }

    /// How a run ends that its budget stopped.
    pub(super) fn refusal_of_budget(&self) -> Option<Refusal> {
        let (id, why) = (&self.run.id, self.over_budget.as_deref()?);
        let resume = RemedyCall::new(Other::RunResume, [id]).option("budget", "AMOUNT");
        Some(
            Refusal::new(Code::Budget, format!("run `{id}` stopped: {why}"))
                .remedy(resume, "continues it with another budget"),
        )
    }
}
