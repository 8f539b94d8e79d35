//! The open connections. If there are too many, those that ask for nothing are closed, so that nobody can keep others out by
//! holding connections open.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinHandle;

use super::MOST_CONNECTIONS;

/// The connections, the oldest first.
#[derive(Default)]
pub(super) struct Connections(VecDeque<Connection>);

struct Connection {
    task: JoinHandle<()>,
    /// How many of its requests are being answered.
    asked: Arc<AtomicUsize>,
}

/// A request that is being answered.
pub(super) struct Busy(Arc<AtomicUsize>);

impl Busy {
    pub(super) fn begin(asked: &Arc<AtomicUsize>) -> Self {
        asked.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(asked))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connections {
    pub(super) fn add(&mut self, task: JoinHandle<()>, asked: Arc<AtomicUsize>) {
        self.0.push_back(Connection { task, asked });
    }

    /// Returns when there are few enough. Closes the oldest connection that asks for nothing; waits if all of them ask.
    pub(super) async fn make_room(&mut self) {
        if self.0.len() < MOST_CONNECTIONS {
            return;
        }
        self.0.retain(|it| !it.task.is_finished());
        while self.0.len() >= MOST_CONNECTIONS {
            let is_idle = |it: &Connection| it.asked.load(Ordering::Relaxed) == 0;
            match self.0.iter().position(is_idle).and_then(|at| self.0.remove(at)) {
                Some(idle) => idle.task.abort(),
                None => {
                    tokio::time::sleep(super::FULL).await;
                    self.0.retain(|it| !it.task.is_finished());
                }
            }
        }
    }
}
