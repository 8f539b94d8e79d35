//! Forms about executions, and about conflicts between clones.

use super::perform::{Fault, Performed, needed};
use crate::model::OrderKind;
use crate::ops::Session;
use crate::ops::clones::{self, KeptValue, Settle};
use crate::ops::work::{self, ReleaseLease, Retry};
use crate::run::{self, GiveAnswer, Steer};
use crate::web::place::Query;

pub(super) fn retry(session: &Session, input: &Query) -> Performed {
    work::retry(session, &Retry { issue: Some(needed(input, "issue")?.to_owned()), same_plan: false })?;
    Ok(None)
}

pub(super) fn release(session: &Session, input: &Query) -> Performed {
    work::release(session, &ReleaseLease { item: Some(needed(input, "item")?.to_owned()), force: None })?;
    Ok(None)
}

/// Stops the work on an issue of a run.
pub(super) fn stop(session: &Session, input: &Query) -> Performed {
    steer(session, input, OrderKind::Stop, vec![needed(input, "issue")?.to_owned()])
}

/// Adds an issue to a run, or takes one up again. If a plan is chosen with it, it is bound.
pub(super) fn add(session: &Session, input: &Query) -> Performed {
    steer(session, input, OrderKind::Add, vec![needed(input, "issue")?.to_owned()])
}

/// Answers what a run asks about an issue: the first answer counts.
pub(super) fn answer(session: &Session, input: &Query) -> Performed {
    let given = GiveAnswer {
        issue: needed(input, "issue")?.to_owned(),
        answer: needed(input, "answer")?.to_owned(),
        run: Some(needed(input, "run")?.to_owned()),
    };
    run::answer(session, &given)?;
    Ok(None)
}

/// Pauses a run once its current steps are done.
pub(super) fn pause(session: &Session, input: &Query) -> Performed {
    steer(session, input, OrderKind::Pause, vec![])
}

/// Lets a paused run continue.
pub(super) fn resume(session: &Session, input: &Query) -> Performed {
    steer(session, input, OrderKind::Resume, vec![])
}

fn steer(session: &Session, input: &Query, order: OrderKind, issues: Vec<String>) -> Performed {
    let run = Some(needed(input, "run")?.to_owned());
    let solution = input.get("solution").map(str::to_owned);
    run::steer(session, &Steer { solution, ..Steer::about(run, order, issues) })
        .map_err(|refusal| Fault::at("issue", refusal))?;
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
