//! Lands what a run completes, issue by issue, so that later issues begin with what has landed.

use std::collections::VecDeque;

use super::Driver;
use crate::git::{ObjectId, fault};
use crate::model::{
    Branch, CommitHash, IssueId, IssueReached, IssueStatus, Op, RemedyCall, RunEvent, RunStep, count,
};
use crate::ops::work::runs::is_in;
use crate::ops::work::{self, LandView, WhyNotLanded};
use crate::ops::{Answer, Notice, Refusal, RefusalKind};
use crate::rules::run::STOPPED;
use crate::rules::{RunIssueState, RunProgress};
use crate::run::job::StepReport;
use crate::run::landing::{EndedLanding, LandingOrder, OwnLandings, ends_run, land};
use crate::run::report::found_landed;
use crate::run::watch::{RunUpdate, WorkTest};
use crate::store::{StoreError, object_id};

/// What is to land. One at a time does, since each moves the branch.
#[derive(Default)]
pub(super) struct Landings {
    waiting: VecDeque<LandingOrder>,
    /// What is being landed.
    at_work: Option<LandingOrder>,
    /// Where the run moves the branch.
    pub(super) own: OwnLandings,
    /// Whether what an earlier process left was tried.
    is_rest_tried: bool,
}

impl Landings {
    /// Whether something is being landed.
    pub(super) fn is_at_work(&self) -> bool {
        self.at_work.is_some()
    }

    /// An issue is not to land any more.
    pub(super) fn leave_out(&mut self, issue: &IssueId) {
        self.waiting.retain(|order| !order.issues().contains(issue));
    }
}

impl Driver<'_> {
    /// Lands a completed issue as soon as a job is free, if the run does that. What does not land is told, and the run goes on.
    pub(super) fn land(&mut self, issue: &IssueId) {
        if self.run.lands {
            self.landings.waiting.push_back(LandingOrder::Issue(issue.clone()));
            self.landings.is_rest_tried = false;
        }
    }

    /// Begins what waits to be landed, if a job is free. Returns whether it did.
    pub(super) fn begin_landing(&mut self) -> bool {
        if self.landings.is_at_work() || !self.has_free_job() {
            return false;
        }
        let Some(order) = self.landings.waiting.pop_front() else { return false };
        self.spawn_landing(order);
        true
    }

    /// Lands what an earlier process of the run left, or what did not fit before, once nothing else is left to do. Returns whether
    /// there may be something.
    pub(super) fn begin_rest(&mut self) -> Result<bool, Refusal> {
        if !self.run.lands || std::mem::replace(&mut self.landings.is_rest_tried, true) {
            return Ok(false);
        }
        self.landings.waiting.clear();
        let all = self.standings()?.all.into_iter();
        let is_left =
            |at: &RunIssueState| at.status == IssueStatus::Completed && !self.is_logged_as_landed(&at.issue);
        let left = all.filter(is_left).map(|at| at.issue);
        let (stopped, issues): (Vec<_>, Vec<_>) = left.partition(|issue| self.is_stopped(issue));
        if issues.is_empty() {
            return Ok(false);
        }
        self.spawn_landing(LandingOrder::Rest { issues, is_whole: stopped.is_empty() });
        Ok(true)
    }

    /// Whether the run gave an issue up because somebody stopped it.
    fn is_stopped(&self, issue: &IssueId) -> bool {
        let progress = RunProgress::of(&self.log);
        let error = progress.issue(issue).and_then(|it| it.error);
        error.is_some_and(|error| error.error_type.as_deref() == Some(STOPPED))
    }

    /// Whether the log says that the work of an issue landed.
    pub(super) fn is_logged_as_landed(&self, issue: &IssueId) -> bool {
        self.log.log.iter().any(|entry| match &entry.event {
            RunEvent::Issue(reached) => reached.issue_id == *issue && reached.landed.is_some(),
            _ => false,
        })
    }

    fn spawn_landing(&mut self, order: LandingOrder) {
        for issue in order.issues() {
            self.busy.insert(issue.clone(), RunStep::Integrate);
            self.watch.update(&RunUpdate::Tests { issue, of: WorkTest::Landing });
        }
        self.landings.at_work = Some(order.clone());
        let (owner, run) = (self.owner(), self.run.id.clone());
        let (reports, own) = (self.sender.clone(), self.landings.own.clone());
        self.threads.push(std::thread::spawn(move || {
            // Nobody hears it if the run has ended.
            let _ = reports.send(StepReport::Landed(Box::new(land(&owner, &run, order, own))));
        }));
    }

    /// Makes room for what comes after a landing.
    pub(super) fn end_landing(&mut self, order: &LandingOrder) {
        self.landings.at_work = None;
        for issue in order.issues() {
            self.busy.remove(issue);
            self.watch.update(&RunUpdate::Ended { issue });
        }
    }

    /// Tells and records how a landing ended. If others landed while it was tested and its work conflicts now, its agent is asked,
    /// who knows best what was meant; then a person decides.
    pub(super) fn settle_landing(&mut self, ended: EndedLanding) -> Result<(), Refusal> {
        let EndedLanding { order, landed } = ended;
        self.end_landing(&order);
        fault::point("landing-ended");
        let Some(view) = self.landed(&order, landed)? else { return Ok(()) };
        self.tell_landed(&view)?;
        if let LandingOrder::Issue(issue) = &order
            && view.not_landed.iter().any(|it| it.issue_id == *issue && it.why == WhyNotLanded::Conflict)
        {
            if self.is_paused {
                // It lands again, and then its agent is asked.
                self.landings.waiting.push_front(order.clone());
                return Ok(());
            }
            if self.ask_about_target(issue)? {
                return Ok(());
            }
            // A run that stops begins no merge for a person.
            if !self.is_stopping() {
                self.landings.waiting.push_front(LandingOrder::ByHand(issue.clone()));
                return Ok(());
            }
        }
        self.tell_not_landed(&view)?;
        self.tell_landed_before(order.issues())
    }

    /// Tells of those issues that are on the branch although the log does not say so: the run was killed, or the landing failed, once
    /// they were there.
    fn tell_landed_before(&mut self, issues: &[IssueId]) -> Result<(), Refusal> {
        let untold: Vec<IssueId> =
            issues.iter().filter(|issue| !self.is_logged_as_landed(issue)).cloned().collect();
        if untold.is_empty() {
            return Ok(());
        }
        let found = match found_landed(self.session, &untold) {
            Ok(found) => found,
            Err(refusal) if ends_run(&refusal) => return Err(refusal),
            // They are looked for again once nothing else is left to do, or when the run is resumed.
            Err(_) => return Ok(()),
        };
        for (issue, onto, commit) in found {
            self.log_landed(issue, &onto, commit)?;
        }
        Ok(())
    }

    fn log_landed(&mut self, issue: IssueId, onto: &Branch, commit: CommitHash) -> Result<(), Refusal> {
        let mut reached = IssueReached::plain(issue, IssueStatus::Completed);
        reached.landed = Some(commit);
        reached.note = Some(format!("landed on {}", onto.short()));
        self.log_issue("landed", reached)
    }

    /// The answer of a landing, which later issues build on; `None` if there is nothing to tell any more.
    pub(super) fn landed(
        &mut self,
        order: &LandingOrder,
        landed: Answer<LandView>,
    ) -> Result<Option<LandView>, Refusal> {
        match landed {
            Ok(done) => {
                for notice in &done.notices {
                    self.watch.update(&RunUpdate::Noticed(notice));
                }
                let last = done.view.landed.last().and_then(|it| object_id(&it.after));
                if let Some(tip) = last {
                    self.follow_target(tip)?;
                }
                Ok(Some(done.view))
            }
            Err(refusal) if ends_run(&refusal) => Err(refusal),
            Err(refusal) if refusal.kind == RefusalKind::Nothing => {
                self.tell_landed_before(order.issues())?;
                Ok(None)
            }
            Err(refusal) => {
                let what = order.what(&self.run.id).join(", ");
                let what = format!("{what} did not land: {}", refusal.message);
                let call = RemedyCall::new(Op::Land, [&self.run.id]);
                self.watch.update(&RunUpdate::Noticed(&Notice::warning(what).remedy(call, "tries again")));
                self.tell_landed_before(order.issues())?;
                for issue in order.issues() {
                    if !self.is_logged_as_landed(issue) {
                        let message = format!("{issue} waits for you: it did not land");
                        self.notify_waiting(issue, "landing", message, Some(refusal.message.clone()))?;
                    }
                }
                Ok(None)
            }
        }
    }

    /// Tells and records what landed.
    pub(super) fn tell_landed(&mut self, view: &LandView) -> Result<(), Refusal> {
        let onto = view.onto.short();
        for landed in &view.landed {
            let commits = count(landed.commits.len(), "commit");
            let note = format!("{} landed on {onto} ({commits}, {})", landed.issue_id, landed.after.short());
            self.watch.update(&RunUpdate::Noticed(&Notice::note(note)));
            // Work of others on which it builds lands with it.
            if self.run.issue_ids.contains(&landed.issue_id) {
                self.log_landed(landed.issue_id.clone(), &view.onto, landed.after.clone())?;
            }
        }
        Ok(())
    }

    /// Tells what did not land.
    pub(super) fn tell_not_landed(&mut self, view: &LandView) -> Result<(), Refusal> {
        let onto = view.onto.short();
        for left in &view.not_landed {
            let what = format!("{} did not land on {onto}: {}", left.issue_id, left.message);
            let notice = match &left.place {
                Some(place) => {
                    let call = RemedyCall::new(Op::Land, [&left.issue_id]).flag("continue");
                    let does = format!(
                        "lands the unfinished merge in {}, once you have resolved it",
                        place.display()
                    );
                    Notice::warning(what).remedy(call, does)
                }
                None => {
                    Notice::warning(what).remedy(RemedyCall::new(Op::Land, [&left.issue_id]), "tries again")
                }
            };
            self.watch.update(&RunUpdate::Noticed(&notice));
            if !self.run.issue_ids.contains(&left.issue_id) {
                continue;
            }
            let message = format!("{} waits for you: it did not land on {onto}", left.issue_id);
            self.notify_waiting(&left.issue_id, "landing", message, Some(left.message.clone()))?;
        }
        Ok(())
    }

    /// Brings what others have landed meanwhile into the branch of the run, if the run lands: so a conflict with it shows before
    /// more lands.
    pub(super) fn take_in_target(&mut self) -> Result<(), Refusal> {
        if !self.run.lands {
            return Ok(());
        }
        match work::target_tip(self.session) {
            Ok(tip) if is_in(self.session.store(), tip, self.head) => Ok(()),
            Ok(tip) => self.follow_target(tip),
            Err(refusal) if refusal.is_stop() => Err(refusal),
            // Landing says what is wrong.
            Err(_) => Ok(()),
        }
    }

    /// Brings what has landed into the branch of the run, on which later issues build.
    fn follow_target(&mut self, tip: ObjectId) -> Result<(), Refusal> {
        let there = self.branch_tree()?;
        let message = format!("Merge what has landed into {}", Branch::of_run(&self.run.id));
        match there.git().merge_commit(tip, &message).map_err(StoreError::Git)? {
            Ok(()) => {}
            Err(words) => {
                let what = format!("the branch of the run cannot take in what has landed: {words}");
                self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
            }
        }
        self.know_branch()
    }
}
