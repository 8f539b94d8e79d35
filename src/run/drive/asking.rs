//! Asks a person. The question is in the log of the run, so it can be answered in the terminal of the run or anywhere else; the
//! first answer counts.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::Driver;
use crate::model::{
    Asked, Choice, Decided, IssueId, IssueReached, IssueStatus, Op, OrderKind, RemedyCall, RunEvent, RunStep,
    Solution,
};
use crate::ops::work::publish_store;
use crate::ops::work::runs::driver::RunHold;
use crate::ops::work::runs::view::existing;
use crate::ops::{Notice, Refusal, Session, clones, issues, plans};
use crate::rules::run::{need, questions, steering};
use crate::rules::{Need, RunFolder, RunIssueState, StuckReason, facts};
use crate::run::watch::{PlanToChoose, Reply, RunUpdate, tell_notices};
use crate::store::{ObjectId, records};
use crate::sync;

/// How often the answers of other clones are fetched.
const FETCH: Duration = Duration::from_secs(60);

/// Looks whether a question needs no answer in the terminal any more.
struct SettledElsewhere<'a> {
    session: &'a Session,
    hold: &'a RunHold,
    log: &'a RunFolder,
    issue: &'a IssueId,
    /// The status of the issue as long as it has to be asked about.
    status: IssueStatus,
    seen: Cell<Option<ObjectId>>,
    /// When the answers of other clones were last fetched.
    fetched: Cell<Instant>,
}

impl SettledElsewhere<'_> {
    /// Whether someone has answered, or the issue or the run has come elsewhere. What cannot be read now is looked at again later.
    fn look(&self) -> bool {
        self.settled().unwrap_or(false)
    }

    fn settled(&self) -> Result<bool, Refusal> {
        if self.fetched.get().elapsed() >= FETCH && sync::remote::of_the_ref(self.session.store())?.is_some()
        {
            self.fetched.set(Instant::now());
            // Without the remote, it is tried again.
            let _ = clones::pull(self.session, None);
        }
        let tip = self.session.store().tip()?;
        if self.seen.replace(tip) == tip {
            return Ok(false);
        }
        let snapshot = self.session.store().snapshot()?;
        let found = records::newest_run(&snapshot, self.log)?;
        let is_open = questions(&found).get(self.issue).is_some_and(|question| question.answer.is_none());
        let is_stopped =
            steering(&found).pending.get(self.issue).is_some_and(|it| it.order == OrderKind::Stop);
        let status = facts::status(&issues::existing(&snapshot, self.issue)?);
        Ok(!is_open || is_stopped || status != self.status || self.hold.check_in(&snapshot).is_err())
    }
}

impl Driver<'_> {
    /// Whether a need is a question that someone here can answer.
    pub(super) fn is_question(&self, need: Need) -> bool {
        matches!(need, Need::Person(StuckReason::Failed | StuckReason::Choice)) && self.watch.can_ask()
    }

    /// Asks all questions, unless an agent is at work: nothing else is done until they are answered. Returns whether
    /// there was one.
    pub(super) fn ask_person(&mut self) -> Result<bool, Refusal> {
        let mut is_any = false;
        if !self.busy.is_empty() {
            return Ok(is_any);
        }
        for at in self.standings()?.all {
            let need = need(&self.run, &at);
            if self.is_stopping() || !self.is_question(need) {
                continue;
            }
            if !is_any {
                // Others need not wait for the answer.
                self.publish_ends()?;
                tell_notices(self.session, self.watch);
            }
            match need {
                Need::Person(StuckReason::Choice) => self.choose(&at.issue)?,
                _ => self.decide(&at)?,
            }
            is_any = true;
        }
        Ok(is_any)
    }

    /// Records a question, unless an earlier driver asked it, and tells whoever is elsewhere.
    fn ask(&mut self, asked: Asked) -> Result<(), Refusal> {
        if !questions(&self.log).contains_key(&asked.issue_id) {
            let what = format!("ask about {}", asked.issue_id);
            self.log(&what, [RunEvent::Question(asked)])?;
            publish_store(self.session)?;
        }
        // The run does nothing else until the person answers.
        self.flush_notifications();
        Ok(())
    }

    /// How someone answered a question about an issue.
    fn answered(&self, issue: &IssueId) -> Option<Choice> {
        questions(&self.log).get(issue)?.answer.map(|answer| answer.choice)
    }

    /// Asks which of its plans to choose for an issue. If nobody can be asked, the issue waits and the run goes on.
    pub(super) fn choose(&mut self, issue: &IssueId) -> Result<(), Refusal> {
        if self.is_stopping() {
            return Ok(());
        }
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let plan = |it: &Solution| {
            let plan = it.typed_plan();
            let about = plan.description.or(plan.approach).unwrap_or_default();
            PlanToChoose { id: it.id.clone(), about, tasks: plan.tasks.len() }
        };
        let plans: Vec<PlanToChoose> = folder.plans().into_iter().map(plan).collect();
        let mut waits = IssueReached::plain(issue.clone(), IssueStatus::Planning);
        waits.error = Some(super::own_part::waits_for_choice(plans.len()));
        if !self.watch.can_ask() {
            return self.log_issue("waits", waits);
        }
        let ids = plans.iter().map(|plan| plan.id.clone()).collect();
        self.ask(Asked { issue_id: issue.clone(), plans: ids })?;
        let elsewhere = SettledElsewhere {
            session: self.session,
            hold: &self.hold,
            log: &self.log,
            issue,
            status: facts::status(&folder),
            seen: Cell::new(None),
            fetched: Cell::new(Instant::now()),
        };
        let reply = self.watch.choose(issue, &plans, &|| elsewhere.look());
        let chosen = match reply {
            Reply::Given(n) => plans.get(n),
            Reply::Elsewhere => None,
            Reply::None => return self.log_issue("waits", waits),
        };
        if let Some(chosen) = chosen
            && let Err(refusal) = self.bind_first(issue, chosen)
        {
            if refusal.is_stop() {
                return Err(refusal);
            }
            let what = format!("{issue}: `{}` is not bound: {}", chosen.id, refusal.message);
            let call = RemedyCall::new(Op::Bind, [issue.as_str(), chosen.id.as_str()]);
            self.watch.update(&RunUpdate::Noticed(&Notice::warning(what).remedy(call, "binds it")));
            return self.log_issue("waits", waits);
        }
        self.look_at_orders()?;
        let folder = issues::existing(&self.session.store().snapshot()?, issue)?;
        let Some(bound) = folder.bound() else { return Ok(()) };
        let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Planned);
        reached.solution_id = Some(bound.id.clone());
        self.log_issue("chosen", reached)
    }

    /// Binds a plan that someone chose in the terminal, unless someone else was faster.
    fn bind_first(&mut self, issue: &IssueId, plan: &PlanToChoose) -> Result<(), Refusal> {
        let permit = self.session.permit(Op::Bind)?;
        let bound = self.session.transact(permit, |tx| {
            let folder = issues::existing(tx, issue)?;
            if let Some(bound) = folder.bound() {
                return Ok(bound.id.clone());
            }
            plans::bind_named(tx, &folder, plan.id.as_str())?;
            tx.describe(format!("plan: bind {}", plan.id));
            Ok(plan.id.clone())
        })?;
        if bound.answer != plan.id {
            let what = format!("{issue}: someone had already chosen `{}`", bound.answer);
            self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
        }
        Ok(())
    }

    /// Asks what to do with an issue that failed too often. If nobody can be asked, the run goes on without it.
    pub(super) fn decide(&mut self, at: &RunIssueState) -> Result<(), Refusal> {
        if self.is_stopping() {
            return Ok(());
        }
        let issue = &at.issue;
        if self.answered(issue).is_none() {
            if !self.watch.can_ask() {
                return self.give_up(at, StuckReason::Failed);
            }
            let failure = self.last_failure(issue)?;
            self.ask(Asked { issue_id: issue.clone(), plans: vec![] })?;
            let elsewhere = SettledElsewhere {
                session: self.session,
                hold: &self.hold,
                log: &self.log,
                issue,
                status: at.status,
                seen: Cell::new(None),
                fetched: Cell::new(Instant::now()),
            };
            match self.watch.decide(issue, &failure, &|| elsewhere.look()) {
                Reply::Given(choice) => self.record_first(issue, choice)?,
                Reply::Elsewhere => {}
                Reply::None => return self.give_up(at, StuckReason::Failed),
            }
            self.look_at_orders()?;
        }
        match self.answered(issue) {
            // The recorded decision allows another attempt.
            Some(Choice::Retry) => Ok(()),
            Some(Choice::Skip) => self.give_up(at, StuckReason::Failed),
            Some(Choice::Abort) => {
                self.stops.after_steps();
                Ok(())
            }
            // Something else has happened to it.
            None => Ok(()),
        }
    }

    /// Records what someone chose in the terminal, unless someone else was faster.
    fn record_first(&mut self, issue: &IssueId, choice: Choice) -> Result<(), Refusal> {
        let (action, issue_id) = (RunStep::Execute, issue.clone());
        let (run, about) = (self.run.id.clone(), issue.clone());
        let decided = RunEvent::Decision(Decided { action, issue_id, choice });
        let is_first = self.log_if("decided", [decided], move |tx| {
            let found = existing(tx, &run)?;
            let question = questions(&found).get(&about).map(|question| question.answer.is_none());
            Ok(question != Some(false))
        })?;
        if !is_first {
            let what = format!("{issue}: `{choice}` came too late, since someone had already answered");
            self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
        }
        Ok(())
    }
}
