//! The open connections. If there are too many, those that ask for nothing and read nothing are closed, and others once they are
//! answered, so that nobody can keep others out by holding connections open.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::MOST_CONNECTIONS;

/// The connections, the oldest first.
#[derive(Default)]
pub(super) struct Connections(VecDeque<Connection>);

struct Connection {
    task: JoinHandle<()>,
    client: Client,
    /// Whether it ends after the answer.
    is_last: bool,
}

/// What a connection and the list of them know of each other.
#[derive(Clone, Default)]
pub(super) struct Client {
    /// How many of its requests are being answered, until the answer was sent.
    asked: Arc<AtomicUsize>,
    ending: Arc<Notify>,
}

impl Client {
    /// Begins a request.
    pub(super) fn begin(&self) -> Busy {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(&self.asked))
    }

    /// Returns if the connection is to end after the answer to its request, although its client may have more to ask.
    pub(super) async fn is_to_end(&self) {
        self.ending.notified().await;
    }

    #[cfg(test)]
    pub(super) fn is_busy(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }
}

/// A request that is being answered, until the answer was sent.
pub(super) struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connections {
    pub(super) fn add(&mut self, task: JoinHandle<()>, client: Client) {
        self.0.push_back(Connection { task, client, is_last: false });
    }

    /// Returns when there are few enough. Closes the oldest connection that is not busy. If all of them are, waits until one ends,
    /// as they do after their answers, the oldest first.
    pub(super) async fn make_room(&mut self) {
        if self.0.len() < MOST_CONNECTIONS {
            return;
        }
        self.0.retain(|it| !it.task.is_finished());
        while self.0.len() >= MOST_CONNECTIONS {
            let is_idle = |it: &Connection| it.client.asked.load(Ordering::Relaxed) == 0;
            match self.0.iter().position(is_idle).and_then(|at| self.0.remove(at)) {
                Some(idle) => idle.task.abort(),
                None => {
                    if let Some(oldest) = self.0.iter_mut().find(|it| !it.is_last) {
                        oldest.is_last = true;
                        oldest.client.ending.notify_one();
                    }
                    tokio::time::sleep(super::FULL).await;
                    self.0.retain(|it| !it.task.is_finished());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn clients_that_always_ask_leave_room_for_others() {
        let mut all = Connections::default();
        for _ in 0..MOST_CONNECTIONS {
            let client = Client::default();
            let own = client.clone();
            // Its next request begins as soon as the one before is answered.
            let busy = client.begin();
            let task = tokio::spawn(async move {
                own.is_to_end().await;
                drop(busy);
            });
            all.add(task, client);
        }
        all.make_room().await;
        assert_eq!(all.0.len(), MOST_CONNECTIONS - 1);
        assert!(all.0.iter().all(|it| it.client.is_busy() && !it.is_last));
    }
}
