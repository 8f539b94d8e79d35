//! Large answers, of which few are in progress at a time, so that they cannot fill the memory. Whoever reads one slowly is cut
//! off once others have waited for long.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How long others wait until the answer that has been sent for the longest time is cut off.
const PATIENCE: Duration = Duration::from_secs(5);

/// The large answers of one kind.
pub(super) struct LargeAnswers {
    permits: Arc<Semaphore>,
    /// Those that are being sent, the oldest first.
    sent: Mutex<VecDeque<Weak<LargeAnswer>>>,
}

/// A large answer that is being rendered or sent; the next one can begin when it is dropped.
pub(super) struct LargeAnswer {
    _permit: OwnedSemaphorePermit,
    /// Those that it is sent to; each ends its connection when it is notified.
    clients: Mutex<Vec<Weak<Notify>>>,
}

impl LargeAnswers {
    pub(super) fn new(most: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(most)), sent: Mutex::default() }
    }

    /// Waits until there are few enough.
    pub(super) async fn begin(&self) -> Option<Arc<LargeAnswer>> {
        loop {
            let permit = Arc::clone(&self.permits).acquire_owned();
            match tokio::time::timeout(PATIENCE, permit).await {
                Ok(permit) => {
                    let answer = LargeAnswer { _permit: permit.ok()?, clients: Mutex::default() };
                    return Some(Arc::new(answer));
                }
                Err(_) => self.cut_off(),
            }
        }
    }

    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.permits.available_permits()
    }

    /// Says that the answer is rendered.
    pub(super) fn is_rendered(&self, answer: &Arc<LargeAnswer>) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.retain(|it| it.strong_count() > 0);
        sent.push_back(Arc::downgrade(answer));
    }

    /// Ends the connections of the answer that has been sent for the longest time.
    fn cut_off(&self) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = std::iter::from_fn(|| sent.pop_front()).find_map(|it| it.upgrade());
        if let Some(oldest) = oldest {
            let clients = oldest.clients.lock().unwrap_or_else(PoisonError::into_inner);
            clients.iter().filter_map(Weak::upgrade).for_each(|client| client.notify_one());
        }
    }
}

impl LargeAnswer {
    /// Adds someone to whom it is sent.
    pub(super) fn goes_to(&self, client: &Arc<Notify>) {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(client));
    }
}
