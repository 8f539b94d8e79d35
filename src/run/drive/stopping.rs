//! Stops the agents at work.

use super::{Driver, LOOK};
use crate::model::RunEvent;
use crate::ops::Notice;
use crate::ops::work::publish_store;
use crate::run::job::{EndedStep, StepReport};
use crate::run::unended;
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

    /// Waits until the agents at work have ended, and publishes what they did: their claims belong to this clone, even
    /// if another clone now drives the run.
    pub(super) fn let_agents_end(&mut self) {
        self.stops.after_steps();
        while !self.busy.is_empty() {
            self.watch.tick();
            // The log of the run is its new driver's.
            if let Ok(StepReport::Over(ended)) = self.news.recv_timeout(LOOK) {
                self.busy.remove(&ended.issue);
            }
        }
        // Without the remote, the next sync does it.
        let _ = publish_store(self.session);
    }

    /// Stops every agent and waits for that. Then records what they used, and what they did outside of their roles.
    pub(super) fn stop_all(&mut self) {
        self.stops.at_once();
        let (mut events, mut ended) = (Vec::new(), Vec::new());
        while !self.busy.is_empty() {
            match self.news.recv() {
                Ok(StepReport::Over(EndedStep { issue, step, usage, logged, .. })) => {
                    self.busy.remove(&issue);
                    if logged.is_empty() {
                        events.extend(self.spent(&issue, step, usage));
                        ended.push((step, issue));
                    } else {
                        self.take_in(logged);
                    }
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
        // The reason to stop matters more than the failure to record this. Then a resume does it.
        if events.is_empty() || self.log("stopped", events).is_ok() {
            for (step, issue) in ended {
                unended::step_ended(&self.places.transcripts(), step, &issue);
            }
        }
    }
}
