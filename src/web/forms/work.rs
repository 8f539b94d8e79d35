//! Forms about executions, and about conflicts between clones.

use super::perform::{Performed, needed};
use crate::ops::Session;
use crate::ops::clones::{self, Settle, Which};
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
    let which = match input.number("take") {
        Some(number) => Which::Lost(Some(u32::try_from(number).unwrap_or(u32::MAX))),
        None => Which::Current,
    };
    let settle = Settle {
        record: needed(input, "record")?.to_owned(),
        field: input.get("field").map(str::to_owned),
        which,
    };
    clones::settle(session, &settle)?;
    Ok(None)
}
