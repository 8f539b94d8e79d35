//! Stops the agents at work.

use super::recording::StepOf;
use super::settling::spent;
use super::{Driver, LOOK};
use crate::model::RunEvent;
use crate::ops::Notice;
use crate::ops::work::publish_store;
use crate::run::job::{EndedStep, StepOutcome, StepReport, VainStep};
use crate::run::landing::EndedLanding;
use crate::run::watch::RunUpdate;

impl Driver<'_> {
    /// Begins no other step, since a signal ended git. What that was to do is left to those who resume the run.
    pub(super) fn stop_after_steps(&mut self) {
        if !self.is_stopping() {
            let notice = Notice::warning("a signal ended git, so the run stops after the current steps");
            self.watch.update(&RunUpdate::Noticed(&notice));
        }
        self.stops.after_steps();
    }

    /// Stops what is at work, since another driver has the run: nothing of it can be recorded. The claims belong to this clone, so
    /// its steps give them back, which is published.
    pub(super) fn give_run_up(&mut self) {
        self.stops.after_steps();
        self.stops_of.values().for_each(|stops| stops.at_once());
        // What a step still has to do must not be interrupted.
        self.wait_until(|driver| driver.stops_of.is_empty());
        self.stops.at_once();
        self.wait_until(Self::is_idle);
        self.stops.agents_ended();
        // Without the remote, the next sync does it.
        let _ = publish_store(self.session);
    }

    /// Waits for steps that end without being recorded; says what became of them.
    fn wait_until(&mut self, is_over: impl Fn(&Self) -> bool) {
        while !is_over(self) {
            self.watch.tick();
            match self.news.recv_timeout(LOOK) {
                Ok(StepReport::Over(EndedStep { issue, outcome, .. })) => {
                    self.busy.remove(&issue);
                    self.stops_of.remove(&issue);
                    if let StepOutcome::Gave(VainStep { failure, .. }) = *outcome {
                        let what = format!("{issue}: {}", failure.message.unwrap_or_default());
                        self.watch.update(&RunUpdate::Noticed(&Notice::warning(what)));
                    }
                }
                Ok(StepReport::Landed(ended)) => self.tell_last(*ended),
                Ok(StepReport::Noticed(notice)) => self.watch.update(&RunUpdate::Noticed(&notice)),
                _ => {}
            }
        }
    }

    /// Tells how a landing ended that the run does not go on from. The log of its execution has what landed.
    fn tell_last(&mut self, ended: EndedLanding) {
        self.end_landing(&ended.order);
        if let Ok(Some(view)) = self.landed(&ended.order, ended.landed) {
            let _ = self.tell_landed(&view).and_then(|()| self.tell_not_landed(&view));
        }
    }

    /// Stops every agent and waits for that. Then records what they used, and what they did outside of their roles.
    pub(super) fn stop_all(&mut self) {
        self.stops.at_once();
        let (mut events, mut ended, mut landing) = (Vec::new(), Vec::new(), None);
        while !self.is_idle() {
            match self.news.recv() {
                Ok(StepReport::Over(EndedStep { issue, step, agent, work, logged, .. })) => {
                    self.busy.remove(&issue);
                    if logged.is_empty() {
                        events.extend(spent(&StepOf { issue: &issue, step, agent }, work));
                    } else {
                        self.take_in(logged);
                    }
                    ended.push((step, issue));
                }
                Ok(StepReport::Landed(ended)) => {
                    self.end_landing(&ended.order);
                    landing = Some(*ended);
                }
                Ok(StepReport::Breach(breach)) => events.push(RunEvent::Breach(breach)),
                // It may say where work was kept.
                Ok(StepReport::Noticed(notice)) => self.watch.update(&RunUpdate::Noticed(&notice)),
                _ => {}
            }
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        self.stops.agents_ended();
        if let Some(landing) = landing {
            self.tell_last(landing);
        }
        // The reason to stop matters more than the failure to record this. Then a resume does it.
        if events.is_empty() || self.log("stopped", events).is_ok() {
            ended.iter().for_each(|(step, issue)| self.forget_notes(*step, issue));
        }
    }
}
