//! Waits for a host that limits the rate of requests.

use std::time::{Duration, Instant};

use super::{Notice, Refusal, Session};
use crate::interchange::github::GhError;
use crate::model::code::Code;
use crate::process::supervise::Interrupts;
use crate::rules::lease::parse_duration;
use crate::store::StoreError;

/// The setting with the time between two questions to the host.
const POLL: &str = "wf.land.poll";
/// The default of that time.
const USUAL_POLL: Duration = Duration::from_secs(60);
/// The longest time between two questions, after the host limited them.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// How often in a row the host may fail to answer.
const MOST_FAILURES: u32 = 8;
/// How often to look whether someone interrupts a wait.
const LOOK: Duration = Duration::from_millis(100);

/// How long to wait before each question.
pub(super) struct Waits {
    poll: Duration,
    failures: u32,
}

impl Waits {
    pub(super) fn new(poll: Duration) -> Self {
        Self { poll, failures: 0 }
    }

    /// The time before the next question: longer after each failure.
    pub(super) fn next(&self) -> Duration {
        if self.failures == 0 { self.poll } else { (self.poll * 2u32.pow(self.failures)).min(LONGEST_WAIT) }
    }

    /// Starts over.
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Counts a failure; whether to ask again.
    pub(super) fn failed(&mut self) -> bool {
        self.failures += 1;
        self.failures <= MOST_FAILURES
    }

    /// Whether the last failure was the first one in a row.
    pub(super) fn is_first(&self) -> bool {
        self.failures == 1
    }
}

/// Asks the host, or tells it something, again while it did nothing because there were too many requests. After any other
/// failure it may have been done.
///
/// # Errors
/// The errors of `ask`; `interrupted`.
pub(super) fn limited<T>(
    session: &Session,
    mut ask: impl FnMut() -> Result<T, GhError>,
) -> Result<T, Refusal> {
    let error = match ask() {
        Err(error) if error.is_rate_limit() => error,
        answer => return Ok(answer?),
    };
    session.notice(Notice::note(format!("waited for the host: {error}")));
    let mut waits = Waits::new(poll(session)?);
    let interrupts = session.interrupts()?;
    loop {
        pause(waits.next(), &interrupts)?;
        match ask() {
            Err(error) if error.is_rate_limit() && waits.failed() => {}
            answer => return Ok(answer?),
        }
    }
}

/// The time between two questions to the host.
///
/// # Errors
/// `config`.
pub(super) fn poll(session: &Session) -> Result<Duration, Refusal> {
    let Some(value) = session.store().config(POLL) else { return Ok(USUAL_POLL) };
    if value == "0" {
        return Ok(Duration::ZERO);
    }
    let millis = parse_duration(&value).and_then(|millis| u64::try_from(millis).ok());
    let why = "expected a number with a unit, such as 30s or 5m";
    let millis = millis.ok_or(StoreError::Config { key: POLL.into(), value, why })?;
    Ok(Duration::from_millis(millis))
}

/// Waits, unless someone interrupts it.
///
/// # Errors
/// `interrupted`.
pub(super) fn pause(time: Duration, interrupts: &Interrupts) -> Result<(), Refusal> {
    let start = Instant::now();
    loop {
        if interrupts.take() {
            return Err(Refusal::new(Code::Interrupted, "waiting for the host was cancelled")
                .hint("the same command continues"));
        }
        let left = time.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(LOOK));
    }
}
