//! Waits until an item is ready.

use std::time::{Duration, Instant};

use crate::cli::CliContext;
use crate::ops::work::{self, ClaimRequest, ClaimView};
use crate::ops::{Answer, Refusal, RefusalKind, Session};
use crate::store::Store;
use crate::sync;
use crate::ui::clean_line;

/// The first wait between two tries, and the longest one: first without a remote, then with one.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: [Duration; 2] = [Duration::from_secs(5), Duration::from_secs(30)];
/// How often the local ref is checked meanwhile.
const GLANCE: Duration = Duration::from_millis(100);

/// How long to try again while nothing is ready.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) enum Wait {
    Never,
    AtMost(Duration),
    Forever,
}

/// Claims an item, or waits for one.
pub(in crate::cli) fn claim(
    session: &Session,
    wish: &ClaimRequest,
    wait: Wait,
    context: &CliContext,
) -> Answer<ClaimView> {
    let begun = Instant::now();
    let mut pause = FIRST_WAIT;
    loop {
        let refusal = match work::claim(session, wish) {
            Err(refusal) if refusal.kind == RefusalKind::Nothing => refusal,
            other => return other,
        };
        let left = match wait {
            Wait::Never => Duration::ZERO,
            Wait::AtMost(limit) => limit.saturating_sub(begun.elapsed()),
            Wait::Forever => Duration::MAX,
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

/// Waits at most this long, or until someone writes to this store.
fn until_changed(store: &Store, most: Duration) -> Result<(), Refusal> {
    let (begun, tip) = (Instant::now(), store.tip()?);
    while begun.elapsed() < most && store.tip()? == tip {
        std::thread::sleep(GLANCE.min(most.saturating_sub(begun.elapsed())));
    }
    Ok(())
}
