//! Requests to stop a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::watch::RunWatch;
use crate::ops::Session;

/// How urgently a run is to stop: at 1, after the steps in progress; at 2 and more, at once.
pub(super) struct RunStops {
    /// How often someone has asked for it.
    asked: Box<dyn Fn() -> usize + Send + Sync>,
    /// How urgent it is to the run itself.
    own: AtomicUsize,
}

impl RunStops {
    /// What `watch` hears. To stop at once also ends every wait of the session and of those in its environment.
    pub(super) fn heard(session: &Session, watch: &dyn RunWatch) -> Arc<Self> {
        let stops = Arc::new(Self { asked: watch.stops(), own: AtomicUsize::new(0) });
        let seen = Arc::clone(&stops);
        session.environment().interrupted_by(move || seen.is_at_once());
        stops
    }

    /// Requests to stop the work on one issue of a run: those to stop the run, and those to stop this.
    pub(super) fn of_issue(run: &Arc<Self>) -> Arc<Self> {
        let run = Arc::clone(run);
        Arc::new(Self { asked: Box::new(move || run.count()), own: AtomicUsize::new(0) })
    }

    /// Whether someone wants only this to stop.
    pub(super) fn is_of_issue(&self) -> bool {
        self.own.load(Ordering::Relaxed) > (self.asked)()
    }

    /// How urgently. A request of the run itself is not one more request of someone else.
    pub(super) fn count(&self) -> usize {
        (self.asked)().max(self.own.load(Ordering::Relaxed))
    }

    /// Whether no other step begins.
    pub(super) fn is_wanted(&self) -> bool {
        self.count() > 0
    }

    /// Whether the steps in progress end as well.
    pub(super) fn is_at_once(&self) -> bool {
        self.count() > 1
    }

    /// Stops after the steps in progress.
    pub(super) fn after_steps(&self) {
        self.own.fetch_max(1, Ordering::Relaxed);
    }

    /// Stops at once, and ends agents that do not end when asked.
    pub(super) fn at_once(&self) {
        self.own.fetch_max(3, Ordering::Relaxed);
    }

    /// The agents have ended. From now on, only someone's second request ends a wait: the run still has to record what
    /// they did, and to publish it.
    pub(super) fn agents_ended(&self) {
        self.own.store(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(times: usize) -> RunStops {
        RunStops { asked: Box::new(move || times), own: AtomicUsize::new(0) }
    }

    #[test]
    fn one_request_and_that_of_the_run_itself_are_not_two() {
        let stops = asked(1);
        stops.after_steps();
        assert!(stops.is_wanted() && !stops.is_at_once());
        assert!(asked(2).is_at_once());
    }

    #[test]
    fn once_the_run_has_stopped_its_agents_it_can_wait_again() {
        let stops = asked(0);
        stops.at_once();
        assert!(stops.is_at_once());
        stops.agents_ended();
        assert!(stops.is_wanted() && !stops.is_at_once());
        let stops = asked(2);
        stops.at_once();
        stops.agents_ended();
        assert!(stops.is_at_once());
    }
}
