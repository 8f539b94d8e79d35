//! Requests to stop a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::watch::RunWatch;
use crate::ops::Session;

/// How often someone wanted a run to stop: once, it stops after the steps in progress; twice, at once.
pub(super) struct RunStops {
    asked: Box<dyn Fn() -> usize + Send + Sync>,
    /// How often the run itself did.
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

    /// How often.
    pub(super) fn count(&self) -> usize {
        (self.asked)() + self.own.load(Ordering::Relaxed)
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
}
