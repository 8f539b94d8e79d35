//! Trying again for a while if someone else is writing into the store.

use std::time::{Duration, Instant};

use super::Refusal;
use crate::git::fault;
use crate::store::StoreError;

/// How long to wait before each further try. Each of them also waits for the lock of the store, as long as
/// `wf.lockTimeout` says.
const PAUSES: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];
/// How often to check whether someone wants to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How often a change is still tried again. How long the tries themselves take does not count: they may include work with
/// a remote.
pub(crate) struct Patience<'a> {
    pauses: std::slice::Iter<'static, Duration>,
    is_over: Box<dyn FnMut() -> bool + 'a>,
    was_stopped: bool,
}

impl<'a> Patience<'a> {
    /// Tries again for a while, but not once someone wants to stop.
    pub(crate) fn until(is_over: impl FnMut() -> bool + 'a) -> Self {
        Self { pauses: PAUSES.iter(), is_over: Box::new(is_over), was_stopped: false }
    }

    /// Tries once.
    pub(crate) fn none() -> Self {
        Self { pauses: [].iter(), is_over: Box::new(|| true), was_stopped: false }
    }

    /// Waits before the next try; whether there is one.
    pub(crate) fn waits(&mut self) -> bool {
        let Some(pause) = self.pauses.next() else { return false };
        fault::point("busy");
        let until = Instant::now() + *pause;
        loop {
            if (self.is_over)() {
                self.pauses = [].iter();
                self.was_stopped = true;
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(LOOK));
        }
    }

    /// Makes a change, and tries again if someone else is writing.
    pub(crate) fn tries<T>(&mut self, mut change: impl FnMut() -> Result<T, Refusal>) -> Result<T, Refusal> {
        loop {
            match change() {
                Err(refusal) if refusal.is_passing() && self.waits() => {}
                other => return other.map_err(|refusal| self.refusal(refusal)),
            }
        }
    }

    /// The refusal of the last try; if someone wanted to stop, only that matters.
    pub(crate) fn refusal(&self, last: Refusal) -> Refusal {
        if last.is_passing() && self.was_stopped { StoreError::Stopped.into() } else { last }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Code;

    fn locked(tries: &mut usize) -> Result<(), Refusal> {
        *tries += 1;
        Err(Refusal::new(Code::Locked, "someone else is writing").hint("try again"))
    }

    #[test]
    fn whoever_wants_to_stop_need_not_wait() {
        let (mut tries, mut looks) = (0, 0);
        let mut patience = Patience::until(|| {
            looks += 1;
            looks > 2
        });
        let refusal = patience.tries(|| locked(&mut tries)).unwrap_err();
        assert_eq!(refusal.code, Code::Interrupted);
        // Nor for the next change.
        assert!(!patience.waits());
        drop(patience);
        assert_eq!((tries, looks), (1, 3));
    }

    #[test]
    fn only_a_change_that_someone_else_prevents_is_tried_again() {
        let mut tries = 0;
        let change = || {
            tries += 1;
            let code = if tries == 1 { Code::Contended } else { Code::NotFound };
            Err::<(), _>(Refusal::new(code, "no").hint("try again"))
        };
        assert_eq!(Patience::until(|| false).tries(change).unwrap_err().code, Code::NotFound);
        assert_eq!(tries, 2);
        tries = 0;
        Patience::none().tries(|| locked(&mut tries)).unwrap_err();
        assert_eq!(tries, 1);
    }

    #[test]
    fn a_change_is_tried_again_however_long_each_try_takes() {
        const AT_ONCE: [Duration; 3] = [Duration::ZERO; 3];
        let mut tries = 0;
        let mut patience = Patience { pauses: AT_ONCE.iter(), ..Patience::until(|| false) };
        patience.tries(|| locked(&mut tries)).unwrap_err();
        assert_eq!(tries, 1 + PAUSES.len());
    }
}
