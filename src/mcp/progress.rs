//! Progress of a call, as notifications for a client that asked for them.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::ops::work::{Test, VerifyObserver};
use crate::ops::{self};
use crate::process::supervise::Ran;
use crate::rules::CountedTests;

/// With fewer steps, the work is done before anyone looks.
const WORTH_TELLING: usize = 2000;

/// One notification.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProgressStep {
    done: f64,
    total: Option<f64>,
    message: String,
}

/// Where progress goes; nowhere if the client did not ask.
#[derive(Clone)]
pub(super) struct ProgressSteps(Option<Arc<Sink>>);

struct Sink {
    out: UnboundedSender<ProgressStep>,
    so_far: Mutex<SoFar>,
}

/// What was sent so far. Progress must increase during the whole call, although each part counts from 0.
#[derive(Default)]
struct SoFar {
    doing: String,
    /// Steps of the parts before.
    before: f64,
    sent: f64,
}

impl SoFar {
    /// Begins another part, this many steps after what was sent. Returns whether it is another one.
    fn begin(&mut self, doing: &str, after: f64) -> bool {
        let is_another = self.doing != doing;
        if is_another {
            self.before = self.sent + after;
            doing.clone_into(&mut self.doing);
        }
        is_another
    }
}

impl Sink {
    fn send(&self, so_far: &mut SoFar, done: f64, total: Option<f64>, message: &str) {
        so_far.sent = so_far.before + done;
        let total = total.map(|total| so_far.before + total);
        // The receiver is gone once the call is cancelled.
        let _ = self.out.send(ProgressStep { done: so_far.sent, total, message: message.to_owned() });
    }
}

impl ProgressSteps {
    /// Progress that someone receives.
    pub(super) fn sent() -> (Self, UnboundedReceiver<ProgressStep>) {
        let (out, steps) = mpsc::unbounded_channel();
        (Self(Some(Arc::new(Sink { out, so_far: Mutex::default() }))), steps)
    }

    /// Progress that nobody receives.
    pub(super) fn silent() -> Self {
        Self(None)
    }

    /// Reports `done` steps of `doing`, if that is at least `least` steps more than before. The first step is always
    /// reported: the next one may take long, as in a wait for others.
    fn send(&self, doing: &str, done: f64, total: Option<f64>, least: f64) {
        let Some(sink) = &self.0 else { return };
        let mut so_far = sink.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let least = if so_far.begin(doing, 0.0) { 1.0 } else { least };
        if so_far.before + done >= so_far.sent + least {
            sink.send(&mut so_far, done, total, doing);
        }
    }

    /// Reports that `done` of `total` tests have ended; unlike other work, they are reported before the first.
    fn send_tests(&self, done: f64, total: f64, message: &str) {
        let Some(sink) = &self.0 else { return };
        let mut so_far = sink.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = so_far.sent == 0.0;
        so_far.begin("tests", if is_first { 0.0 } else { 1.0 });
        sink.send(&mut so_far, done, Some(total), message);
    }
}

#[allow(clippy::cast_precision_loss)] // A count of steps.
impl ops::Progress for ProgressSteps {
    fn at(&self, doing: &'static str, done: usize, total: usize) {
        if total >= WORTH_TELLING {
            let total = total as f64;
            self.send(doing, done as f64, Some(total), total / 50.0);
        }
    }

    fn count(&self, doing: &'static str, done: u64, total: Option<u64>) {
        let least =
            total.map_or_else(|| 100.0_f64.max(done as f64 / 10.0), |total| 1.0_f64.max(total as f64 / 50.0));
        self.send(doing, done as f64, total.map(|total| total as f64), least);
    }

    fn end(&self) {}
}

/// Tells each test command as it starts, and the end of the last.
pub(super) struct Tests {
    steps: ProgressSteps,
    place: usize,
    of: usize,
}

impl Tests {
    pub(super) fn telling(steps: &ProgressSteps) -> Self {
        Self { steps: steps.clone(), place: 0, of: 0 }
    }
}

#[allow(clippy::cast_precision_loss)] // A plan has few tests.
impl VerifyObserver for Tests {
    fn begins(&mut self, test: &Test, place: usize, of: usize) {
        (self.place, self.of) = (place, of);
        let message = format!("running test {} of {of}: {}", place + 1, test.command.as_str());
        self.steps.send_tests(place as f64, of as f64, &message);
    }

    fn wrote(&mut self, _: &[u8]) {}

    fn ended(&mut self, _: &Ran, _: &CountedTests) {
        if self.place + 1 == self.of {
            self.steps.send_tests(self.of as f64, self.of as f64, "tests have ended");
        }
    }
}

/// Sends notifications until the call is over.
pub(super) async fn forward(
    mut steps: UnboundedReceiver<ProgressStep>,
    peer: Peer<RoleServer>,
    token: ProgressToken,
) {
    while let Some(ProgressStep { done, total, message }) = steps.recv().await {
        let mut params = ProgressNotificationParam::new(token.clone(), done);
        (params.total, params.message) = (total, Some(message));
        // If the client is gone, the call is stopped anyway.
        let _ = peer.notify_progress(params).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Progress;

    #[test]
    fn tests_are_counted_to_their_number_also_after_other_work() {
        let (steps, mut received) = ProgressSteps::sent();
        let count =
            |steps: &ProgressSteps| (0..=2).for_each(|n| steps.send_tests(f64::from(n), 2.0, "a test"));
        count(&steps);
        steps.at("reading", 3000, 3000);
        count(&steps);
        let mut all = Vec::new();
        while let Ok(step) = received.try_recv() {
            all.push((step.done, step.total.unwrap()));
        }
        assert_eq!(all[..3], [(0.0, 2.0), (1.0, 2.0), (2.0, 2.0)]);
        assert_eq!(all[3..], [(3002.0, 3002.0), (3003.0, 3005.0), (3004.0, 3005.0), (3005.0, 3005.0)]);
    }

    #[test]
    fn progress_only_increases_and_is_not_told_too_often() {
        let (steps, mut received) = ProgressSteps::sent();
        for n in 0..=3000 {
            steps.at("reading", n, 3000);
        }
        for n in 0..=4000 {
            steps.at("writing", n, 4000);
        }
        steps.at("few", 3, 5);
        drop(steps);
        let mut all = Vec::new();
        while let Ok(step) = received.try_recv() {
            all.push(step);
        }
        assert!((80..=104).contains(&all.len()), "{}", all.len());
        assert!(all.windows(2).all(|pair| pair[0].done < pair[1].done));
        let last = all.last().unwrap();
        assert_eq!((last.done, last.total, last.message.as_str()), (7000.0, Some(7000.0), "writing"));
    }

    #[test]
    fn a_wait_is_told_when_it_begins_and_then_now_and_again() {
        let (steps, mut received) = ProgressSteps::sent();
        steps.count("reading", 5, Some(10));
        (1..=30).for_each(|second| steps.wait("waiting", second, 600));
        drop(steps);
        let mut all = Vec::new();
        while let Ok(step) = received.try_recv() {
            all.push((step.message, step.done, step.total.unwrap()));
        }
        let waiting = |done: f64| ("waiting".to_owned(), 5.0 + done, 605.0);
        assert_eq!(all[1..], [waiting(1.0), waiting(13.0), waiting(25.0)]);
    }
}
