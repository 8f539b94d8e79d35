//! Tells open pages that the store changed. One task watches for all of them, and only while a page listens.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use super::WebSource;
use crate::trail::watched::{TICK, WatchedFiles};

/// Announces changes of the store to any number of listeners. Cheap to clone.
#[derive(Clone)]
pub(super) struct Moves {
    source: WebSource,
    /// The number of announcements.
    count: Arc<watch::Sender<u64>>,
    is_looking: Arc<Mutex<bool>>,
}

impl Moves {
    pub(super) fn new(source: WebSource) -> Self {
        Self { source, count: Arc::new(watch::Sender::new(0)), is_looking: Arc::default() }
    }

    /// Subscribes, and starts the watching task if it is not running.
    pub(super) fn listen(&self) -> watch::Receiver<u64> {
        let listener = self.count.subscribe();
        let mut is_looking = self.is_looking.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *is_looking, true) {
            tokio::spawn(self.clone().look());
        }
        listener
    }

    async fn look(self) {
        let source = self.source.clone();
        let files = tokio::task::spawn_blocking(move || {
            source.session().ok().map(|session| WatchedFiles::current(session.store()))
        });
        let mut files = files.await.ok().flatten();
        // The store may have changed before the first look.
        self.count.send_modify(|count| *count += 1);
        loop {
            tokio::time::sleep(TICK).await;
            {
                let mut is_looking = self.is_looking.lock().unwrap_or_else(PoisonError::into_inner);
                if self.count.receiver_count() == 0 || files.is_none() {
                    *is_looking = false;
                    return;
                }
            }
            if files.as_mut().is_some_and(WatchedFiles::look_again) {
                self.count.send_modify(|count| *count += 1);
            }
        }
    }
}
