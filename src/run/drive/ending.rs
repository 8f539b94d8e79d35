//! The end of a run.

use super::Driver;
use crate::git::fault;
use crate::model::{
    Code, IssueId, IssueReached, IssueStatus, Op, Other, PhaseReached, RemedyCall, RunEvent, RunId, RunPhase,
    RunStatus, RunStep,
};
use crate::ops::work::runs::view::existing;
use crate::ops::{Refusal, issues};
use crate::rules::run::{ALL_FAILED, IssueProgress, STALLED, STOPPED, chains, need, worn_out};
use crate::rules::{Need, RunIssueState, RunProgress, StuckReason, facts};
use crate::run::job::failure;
use crate::run::sessions::forget_all;
use crate::store::Store;

impl Driver<'_> {
    /// Records the end: with what went wrong, if every issue failed or if issues wait for each other. Returns false if someone has
    /// told the run something meanwhile; then it goes on.
    pub(super) fn end(&mut self) -> Result<bool, Refusal> {
        // No issue is given up that someone speaks of.
        if self.has_unknown_entry()? {
            return Ok(false);
        }
        let standings = self.standings()?;
        let worn_out = self.worn_out();
        if worn_out.is_some() {
            self.give_up_failed(&standings.all)?;
        }
        // What was not even begun does not wait for anything.
        let is_left = |at: &&RunIssueState| worn_out.is_none() && need(&self.run, at) != Need::Over;
        let left: Vec<RunIssueState> = standings.all.iter().filter(is_left).cloned().collect();
        self.refuse_claimed(&left)?;
        let (held, stuck): (Vec<_>, Vec<_>) =
            left.into_iter().map(|at| (standings.held(&at.issue), at)).partition(|(who, _)| who.is_some());
        for (who, at) in &held {
            self.leave(at, who.as_deref().unwrap_or_default())?;
        }
        let is_stuck = |id: &IssueId| stuck.iter().any(|(_, at)| at.issue == *id);
        let waiting = standings.waits_for.into_iter().filter(|(id, _)| is_stuck(id)).collect();
        let chains = chains(&waiting);
        for (_, at) in &stuck {
            let chain = chains.iter().find(|chain| chain.starts_with(at.issue.as_str()));
            // Whoever shows it names the issue.
            let why = chain.map(|chain| chain.strip_prefix(&format!("{}: ", at.issue)).unwrap_or(chain));
            let why = why.map_or_else(|| format!("it is {}", at.status), str::to_owned);
            let mut reached = IssueReached::plain(at.issue.clone(), IssueStatus::Failed);
            reached.error = Some(failure(STALLED, &why, ""));
            self.log_issue("stalled", reached)?;
        }
        self.note_done_by_others(&standings.all)?;
        let error = if let Some(step) = worn_out {
            let agent = self.agent_of(step).unwrap_or_default();
            let message = format!("agent {agent} failed every time it was asked to {step}");
            Some(failure("all-workers-failed", &message, ""))
        } else if !stuck.is_empty() {
            Some(failure(
                STALLED,
                "the remaining issues wait for something that this run cannot do",
                &chains.join("\n"),
            ))
        } else if self.all_failed() {
            Some(failure(ALL_FAILED, "every issue failed", ""))
        } else {
            None
        };
        let (status, phase) = (RunStatus::Completed, RunPhase::Complete);
        fault::point("ending");
        let ended = PhaseReached { error, ..PhaseReached::plain(status, phase) };
        self.log_if_all_is_known("ended", [RunEvent::Phase(ended)])
    }

    /// Records how the last attempts of the run ended: nobody tries them again.
    fn give_up_failed(&mut self, all: &[RunIssueState]) -> Result<(), Refusal> {
        let is_failed =
            |at: &&RunIssueState| at.status == IssueStatus::Failed && at.is_of_run && !at.is_given_up;
        all.iter().filter(is_failed).try_for_each(|at| self.give_up(at, StuckReason::Failed))
    }

    /// Refuses to end a run that was taken over while the clone that drove it holds a claim of it.
    ///
    /// # Errors
    /// `claimed-elsewhere`.
    fn refuse_claimed(&self, left: &[RunIssueState]) -> Result<(), Refusal> {
        let snapshot = self.session.store().snapshot()?;
        let is_claimed =
            |at: &&RunIssueState| at.status == IssueStatus::Executing && !at.is_ours && at.is_of_run;
        for at in left.iter().filter(is_claimed) {
            let folder = issues::existing_outline(&snapshot, &at.issue)?;
            let Some(holder) = facts::holder(&folder).map(|holder| &holder.execution) else { continue };
            let (id, issue) = (&holder.id, &at.issue);
            let message = format!("`{id}` of `{issue}`, which this run began, is claimed in another clone");
            return Err(Refusal::new(Code::ClaimedElsewhere, message).remedy(
                RemedyCall::new(Op::LeaseRelease, [&holder.solution_id]),
                "gives it up there; then resume the run",
            ));
        }
        Ok(())
    }

    /// Records which issues someone outside of the run has completed meanwhile.
    fn note_done_by_others(&mut self, all: &[RunIssueState]) -> Result<(), Refusal> {
        let progress = RunProgress::of(&self.log);
        let is_new = |at: &&RunIssueState| {
            let logged = progress.issue(&at.issue).map(|it| it.status);
            at.status == IssueStatus::Completed && !at.is_given_up && logged != Some(IssueStatus::Completed)
        };
        let reached = |at: &RunIssueState| {
            let note = Some("outside this run".to_owned());
            RunEvent::Issue(IssueReached { note, ..IssueReached::plain(at.issue.clone(), at.status) })
        };
        let events: Vec<RunEvent> = all.iter().filter(is_new).map(reached).collect();
        if events.is_empty() { Ok(()) } else { self.log("completed by others", events) }
    }

    /// The step for which all agents failed, so that nobody is asked any more.
    pub(super) fn worn_out(&self) -> Option<RunStep> {
        worn_out(&self.run, &RunProgress::of(&self.log))
    }

    /// Removes what agents said about the issues that went well, unless it is to be kept. Of all others it says what went
    /// wrong.
    pub(super) fn forget_what_was_said(&self) {
        forget_all(&self.places);
        if self.crew.keeps_transcripts {
            return;
        }
        let is_well = |it: &&IssueProgress<'_>| it.status != IssueStatus::Failed && it.error.is_none();
        for issue in RunProgress::of(&self.log).issues.iter().filter(is_well) {
            self.places.forget(issue.id);
        }
    }

    /// Whether every issue failed. Those that someone stopped did not, by themselves.
    pub(super) fn all_failed(&self) -> bool {
        let progress = RunProgress::of(&self.log);
        let is_stopped = |issue: &IssueProgress<'_>| {
            issue.error.and_then(|error| error.error_type.as_deref()) == Some(STOPPED)
        };
        progress.issues.iter().all(|issue| issue.status == IssueStatus::Failed)
            && !progress.issues.iter().all(is_stopped)
    }
}

/// Whatever stopped a run, it can continue, unless it has ended or another clone took it over.
pub(super) fn with_resume(store: &Store, id: &RunId, refusal: Refusal) -> Refusal {
    let is_resume = |call: &RemedyCall| call.operation == Other::RunResume.into();
    let is_named = refusal.remedies.iter().filter_map(|it| it.call.as_ref()).any(is_resume);
    let found = store.snapshot().map_err(Refusal::from).and_then(|snapshot| existing(&snapshot, id));
    let is_over = found.is_ok_and(|found| RunProgress::of(&found).status == RunStatus::Completed);
    if refusal.code == Code::TakenOver || is_named || is_over {
        refusal
    } else {
        refusal.remedy(RemedyCall::new(Other::RunResume, [id]), "continues the run")
    }
}
