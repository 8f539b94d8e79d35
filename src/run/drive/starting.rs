//! Starts the steps that agents take.

use std::collections::BTreeSet;
use std::path::Path;

use super::Driver;
use crate::model::{Code, IssueId, RunStep};
use crate::ops::{Refusal, RefusalKind, issues};
use crate::rules::run::next;
use crate::rules::{Role, audit};
use crate::run::steps;
use crate::store::ObjectId;

impl Driver<'_> {
    /// Starts agents for the steps that can be taken now. Returns whether any could not begin.
    pub(super) fn begin_steps(&mut self) -> Result<bool, Refusal> {
        let before = self.session.store().tip()?;
        let standings = self.standings()?;
        let steps = next(&self.run, &standings.all, &self.busy);
        if let Some(first) = steps.iter().map(|(_, step)| *step).chain(self.busy.values().copied()).min() {
            self.reach_phase(first)?;
        }
        self.reserve(&steps)?;
        let (mut has_failed, mut to_execute) = (false, Vec::new());
        for (issue, step) in steps {
            if self.is_stopping() {
                return Ok(has_failed);
            }
            let begun = match step {
                RunStep::Explore => self.begin_exploration(&issue),
                RunStep::Plan => self.begin_plan(&issue),
                RunStep::Review => self.begin_review(&issue),
                RunStep::Execute => {
                    to_execute.push(issue);
                    continue;
                }
                RunStep::Queue | RunStep::Integrate => continue,
            };
            if let Err(refusal) = begun {
                has_failed |= self.not_begun(&issue, step, refusal, before)?;
            }
        }
        Ok(self.begin_executions(to_execute, before)? || has_failed)
    }

    /// A step could not begin. `before` is the state of the store in which it was found to be possible. Returns whether others can
    /// begin now.
    pub(super) fn not_begun(
        &mut self,
        issue: &IssueId,
        step: RunStep,
        refusal: Refusal,
        before: Option<ObjectId>,
    ) -> Result<bool, Refusal> {
        // Ctrl-C may have ended the wait, or git. Whoever resumes the run begins the step.
        if self.is_stopping() {
            return Ok(false);
        }
        // Someone else was faster: the records fetched from them show what to do next.
        if refusal.kind == RefusalKind::Nothing || refusal.code == Code::OutOfOrder {
            return Ok(self.session.store().tip()? != before);
        }
        self.could_not(issue, step, refusal)?;
        Ok(true)
    }

    pub(super) fn begin_exploration(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        self.reach_planning(issue)?;
        let job = self.reading_job(issue, RunStep::Explore, Role::Explorer, issue.as_str())?;
        self.spawn(job, steps::explore);
        Ok(())
    }

    pub(super) fn begin_plan(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        self.reach_planning(issue)?;
        let job = self.reading_job(issue, RunStep::Plan, Role::Planner, issue.as_str())?;
        self.spawn(job, steps::plan);
        Ok(())
    }

    pub(super) fn begin_review(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        let solution = self.bound(issue)?;
        let job = self.reading_job(issue, RunStep::Review, Role::Reviewer, solution.as_str())?;
        self.spawn(job, move |job| steps::review(job, &solution));
        Ok(())
    }

    /// The paths that the bound plan of an issue names.
    pub(super) fn named(&self, issue: &IssueId) -> Result<BTreeSet<String>, Refusal> {
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let named = folder.bound().map(|plan| audit::paths(&plan.typed_plan())).unwrap_or_default();
        Ok(named.iter().map(ToString::to_string).collect())
    }
}

/// The last part of a path.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
