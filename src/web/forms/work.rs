//! Forms about executions, and about conflicts between clones.

use super::perform::{Performed, needed};
use crate::ops::Session;
use crate::ops::clones::{self, KeptValue, Settle};
use crate::ops::work::{self, ReleaseLease, Retry};
use crate::web::place::Query;

pub(super) fn retry(session: &Session, input: &Query) -> Performed {
    work::retry(session, &Retry { issue: Some(needed(input, "issue")?.to_owned()), same_plan: false })?;
    Ok(None)
}

pub(super) fn release(session: &Session, input: &Query) -> Performed {
    work::release(session, &ReleaseLease { item: Some(needed(input, "item")?.to_owned()), force: None })?;
    Ok(None)
}

/// Takes the value that lost, or keeps the current one.
pub(super) fn settle(session: &Session, input: &Query) -> Performed {
    let which = if input.get("take").is_some() { KeptValue::Lost(None) } else { KeptValue::Current };
    let settle = Settle {
        record: needed(input, "record")?.to_owned(),
        field: input.get("field").map(str::to_owned),
        which,
        seen: Some(needed(input, "seen")?.to_owned()),
    };
    clones::settle(session, &settle)?;
    Ok(None)
}
