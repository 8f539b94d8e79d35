//! Trying again for a while if someone else is writing into the store.

use std::time::{Duration, Instant};

use super::Refusal;

/// How long to wait before a change is tried again that failed because someone else was writing.
const PAUSES: [Duration; 3] = [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];
/// This long after the first try that failed, it is not tried again.
const LIMIT: Duration = Duration::from_secs(20);
/// How often to check whether someone wants to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How long a change is still tried again.
pub(crate) struct Patience<'a> {
    /// When the first try had failed. What was done before, perhaps with a remote, does not count.
    begun: Option<Instant>,
    pauses: std::slice::Iter<'static, Duration>,
    is_over: Box<dyn FnMut() -> bool + 'a>,
}

impl<'a> Patience<'a> {
    /// Tries again for a while, but not once someone wants to stop.
    pub(crate) fn until(is_over: impl FnMut() -> bool + 'a) -> Self {
        Self { begun: None, pauses: PAUSES.iter(), is_over: Box::new(is_over) }
    }

    /// Tries once.
    pub(crate) fn none() -> Self {
        Self { begun: None, pauses: [].iter(), is_over: Box::new(|| true) }
    }

    /// Waits before the next try; whether there is one. A single try waits for the lock, too, perhaps for long.
    pub(crate) fn waits(&mut self) -> bool {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let Some(pause) = self.pauses.next().filter(|_| begun.elapsed() < LIMIT) else { return false };
        let until = Instant::now() + *pause;
        loop {
            if (self.is_over)() {
                self.pauses = [].iter();
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
                other => return other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::code::Code;

    fn locked(tries: &mut usize) -> Result<(), Refusal> {
        *tries += 1;
        Err(Refusal::new(Code::Locked, "someone else is writing"))
    }

    #[test]
    fn whoever_wants_to_stop_need_not_wait() {
        let (mut tries, mut looks) = (0, 0);
        let began = Instant::now();
        let mut patience = Patience::until(|| {
            looks += 1;
            looks > 2
        });
        patience.tries(|| locked(&mut tries)).unwrap_err();
        // Nor for the next change.
        assert!(!patience.waits());
        drop(patience);
        assert_eq!((tries, looks), (1, 3));
        assert!(began.elapsed() < PAUSES[0]);
    }

    #[test]
    fn only_a_change_that_someone_else_prevents_is_tried_again() {
        let mut tries = 0;
        let change = || {
            tries += 1;
            Err::<(), _>(Refusal::new(if tries == 1 { Code::Contended } else { Code::NotFound }, "no"))
        };
        assert_eq!(Patience::until(|| false).tries(change).unwrap_err().code, Code::NotFound);
        assert_eq!(tries, 2);
        tries = 0;
        Patience::none().tries(|| locked(&mut tries)).unwrap_err();
        assert_eq!(tries, 1);
    }
}
