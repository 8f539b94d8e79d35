//! Progress of a call, as notifications for a client that asked for them.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::agent::process::Ran;
use crate::ops::work::{Test, VerifyObserver};
use crate::ops::{self};

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

    /// Reports `done` steps of `doing`, if that is at least `least` steps more than before.
    fn send(&self, doing: &str, done: f64, total: Option<f64>, least: f64) {
        let Some(sink) = &self.0 else { return };
        let mut so_far = sink.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        if so_far.doing != doing {
            so_far.before = so_far.sent;
            doing.clone_into(&mut so_far.doing);
        }
        let now = so_far.before + done;
        if now < so_far.sent + least {
            return;
        }
        so_far.sent = now;
        let total = total.map(|total| so_far.before + total);
        // The receiver is gone once the call is cancelled.
        let _ = sink.out.send(ProgressStep { done: now, total, message: doing.to_owned() });
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
        self.steps.send(&message, if place == 0 { 0.5 } else { 1.0 }, None, 0.1);
    }

    fn wrote(&mut self, _: &[u8]) {}

    fn ended(&mut self, _: &Ran) {
        if self.place + 1 == self.of {
            self.steps.send("tests have ended", 1.0, None, 0.1);
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
}
