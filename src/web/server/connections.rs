//! The open connections. If there are too many, those that ask for nothing and read nothing are closed, and others once they are
//! answered, or if they take too long to read their answers, so that nobody can keep others out by holding connections open.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::{MOST_CONNECTIONS, PATIENCE};

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
    /// Since when it has been reading an answer.
    reading: Arc<Mutex<Option<Instant>>>,
    ending: Arc<Notify>,
}

impl Client {
    /// Begins a request.
    pub(super) fn begin(&self) -> Busy {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Busy(self.clone())
    }

    /// How long it has been reading the answer that it has not read to its end.
    fn reads(&self) -> Option<Duration> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner).map(|since| since.elapsed())
    }

    /// Returns if others wait, as `hurry` says, and the client has been reading an answer for longer than `most`.
    pub(super) async fn is_too_slow(&self, hurry: &Notify, most: Duration) {
        loop {
            hurry.notified().await;
            if self.reads().is_some_and(|since| since > most) {
                return;
            }
        }
    }

    /// Returns if the connection is to end after the answer to its request, although its client may have more to ask.
    pub(super) async fn is_to_end(&self) {
        self.ending.notified().await;
    }

    pub(super) fn is_busy(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }
}

/// A request that is being answered, until the answer was sent.
pub(super) struct Busy(Client);

impl Busy {
    /// The client begins to read the answer.
    pub(super) fn answer(&self) {
        self.set_reading(Some(Instant::now()));
    }

    fn set_reading(&self, since: Option<Instant>) {
        *self.0.reading.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.set_reading(None);
        self.0.asked.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connections {
    pub(super) fn add(&mut self, task: JoinHandle<()>, client: Client) {
        self.0.push_back(Connection { task, client, is_last: false });
    }

    /// Returns when there are few enough. Closes the oldest connection that is not busy. If all of them are, waits until one ends,
    /// as they do after their answers, the oldest first. If none does for a while, closes those whose clients have been reading for
    /// that long, for whom others may be waiting, or else the oldest.
    pub(super) async fn make_room(&mut self) {
        if self.0.len() < MOST_CONNECTIONS {
            return;
        }
        self.0.retain(|connection| !connection.task.is_finished());
        let begin = Instant::now();
        while self.0.len() >= MOST_CONNECTIONS {
            let idle = self.0.iter().position(|connection| !connection.client.is_busy());
            match idle.and_then(|at| self.0.remove(at)) {
                Some(idle) => idle.task.abort(),
                None if begin.elapsed() > PATIENCE => self.give_up(),
                None => {
                    if let Some(oldest) = self.0.iter_mut().find(|connection| !connection.is_last) {
                        oldest.is_last = true;
                        oldest.client.ending.notify_one();
                    }
                    tokio::time::sleep(super::FULL).await;
                    self.0.retain(|connection| !connection.task.is_finished());
                }
            }
        }
    }

    /// Closes the connections that have been reading for long, or else the oldest.
    fn give_up(&mut self) {
        let count = self.0.len();
        self.0.retain(|connection| {
            let is_slow = connection.client.reads().is_some_and(|since| since > PATIENCE);
            if is_slow {
                connection.task.abort();
            }
            !is_slow
        });
        if self.0.len() == count
            && let Some(oldest) = self.0.pop_front()
        {
            oldest.task.abort();
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

    #[tokio::test]
    async fn clients_for_whom_others_wait_are_given_up() {
        let mut all = Connections::default();
        let mut busy = Vec::new();
        for n in 0..MOST_CONNECTIONS {
            let client = Client::default();
            let it = client.begin();
            // Two of them read their answers, and never to the end.
            if n % 128 == 100 {
                it.answer();
            }
            busy.push(it);
            all.add(tokio::spawn(std::future::pending()), client);
        }
        all.make_room().await;
        assert_eq!(all.0.len(), MOST_CONNECTIONS - 2);
        assert!(all.0.iter().all(|it| it.client.reads().is_none()));
    }
}
