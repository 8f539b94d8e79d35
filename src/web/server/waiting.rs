//! Renders a page once for all who wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OnceCell;

use super::reply::SharedReply;

/// The renderings that have not begun, by address. One that has begun may have read an older state, and serves no one
/// who asks later.
#[derive(Default)]
pub(super) struct WaitingRenderings(Mutex<HashMap<String, Weak<OnceCell<SharedReply>>>>);

/// A rendering, for one of those who wait for it.
pub(super) struct Rendering {
    shared: Arc<OnceCell<SharedReply>>,
    address: String,
}

impl WaitingRenderings {
    /// Joins the rendering of this address that has not begun, or else a new one.
    pub(super) fn join(&self, address: String) -> Rendering {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, it| it.strong_count() > 0);
        let known = all.get(&address).and_then(Weak::upgrade);
        let shared = known.unwrap_or_else(|| {
            let new = Arc::default();
            all.insert(address.clone(), Arc::downgrade(&new));
            new
        });
        Rendering { shared, address }
    }

    /// Lets nobody else join.
    pub(super) fn begin(&self, rendering: &Rendering) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let current = all.get(&rendering.address);
        if current.is_some_and(|current| current.as_ptr() == Arc::as_ptr(&rendering.shared)) {
            all.remove(&rendering.address);
        }
    }
}

impl Rendering {
    /// The page. The first one here renders it; if that one goes away, the next one does.
    pub(super) async fn page<F: Future<Output = SharedReply>>(
        &self,
        render: impl FnOnce() -> F,
    ) -> &SharedReply {
        self.shared.get_or_init(render).await
    }
}

#[cfg(test)]
mod tests {
    use hyper::StatusCode;

    use super::super::reply;
    use super::*;

    #[test]
    fn a_rendering_is_shared_until_it_begins() {
        let waiting = WaitingRenderings::default();
        let first = waiting.join("/queues".into());
        assert!(Arc::ptr_eq(&first.shared, &waiting.join("/queues".into()).shared));
        assert!(!Arc::ptr_eq(&first.shared, &waiting.join("/queues?page=2".into()).shared));
        waiting.begin(&first);
        let second = waiting.join("/queues".into());
        assert!(!Arc::ptr_eq(&first.shared, &second.shared));
        // The first one does not end what began after it.
        waiting.begin(&first);
        assert!(Arc::ptr_eq(&second.shared, &waiting.join("/queues".into()).shared));
    }

    #[test]
    fn addresses_that_nobody_waits_for_are_forgotten() {
        let waiting = WaitingRenderings::default();
        for n in 0..100 {
            drop(waiting.join(format!("/issues?page={n}")));
        }
        assert_eq!(waiting.0.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_page_is_rendered_once_for_all_who_wait() {
        let waiting = WaitingRenderings::default();
        let (one, two) = (waiting.join("/".into()), waiting.join("/".into()));
        let render = |words: &'static str| SharedReply::new(reply::text(StatusCode::OK, words), None);
        let (one, two) = tokio::join!(one.page(|| render("one")), two.page(|| render("two")));
        assert_eq!(one.content(), two.content());
    }
}
