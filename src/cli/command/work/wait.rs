//! Waiting for an item that is ready.

use std::time::{Duration, Instant};

use crate::cli::Context;
use crate::ops::Session;
use crate::ops::work::{self, Claim, Wish};
use crate::ops::{Answer, Kind, Refusal};
use crate::store::Store;
use crate::sync;
use crate::ui::text::clean_line;

/// The first wait, and the longest where nothing is asked but this repository, and where a remote is.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(30)];
/// How often the local ref is looked at meanwhile.
const GLANCE: Duration = Duration::from_millis(100);

/// Claims what is wanted. With a limit, in milliseconds or without end, that is tried again while nothing is ready.
pub(in crate::cli) fn claim(
    session: &Session,
    wish: &Wish,
    limit: Option<Option<u64>>,
    context: &Context,
) -> Answer<Claim> {
    let begun = Instant::now();
    let mut pause = FIRST_WAIT;
    loop {
        let refusal = match work::claim(session, wish) {
            Err(refusal) if refusal.kind == Kind::Nothing => refusal,
            other => return other,
        };
        let Some(limit) = limit else { return Err(refusal) };
        let left = match limit {
            Some(millis) => Duration::from_millis(millis).saturating_sub(begun.elapsed()),
            None => Duration::MAX,
        };
        if left.is_zero() {
            return Err(refusal);
        }
        if pause == FIRST_WAIT && !context.json() {
            crate::ui::say(&format!("waiting: {}", clean_line(&refusal.message)));
        }
        until_changed(session.store(), pause.min(left))?;
        let is_remote = !wish.local && sync::remote::of_the_ref(session.store())?.is_some();
        pause = (pause * 2).min(LONGEST_WAIT[usize::from(is_remote)]);
    }
}

/// Waits for so long, or until somebody here writes.
fn until_changed(store: &Store, most: Duration) -> Result<(), Refusal> {
    let (begun, tip) = (Instant::now(), store.tip()?);
    while begun.elapsed() < most && store.tip()? == tip {
        std::thread::sleep(GLANCE.min(most.saturating_sub(begun.elapsed())));
    }
    Ok(())
}
