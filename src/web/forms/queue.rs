//! Forms about queues.

use super::perform::{Fault, Performed, needed};
use crate::model::Resolution;
use crate::ops::Session;
use crate::ops::queue::{self, AddItems, Decision, HoldItems, OrderItem, QueueSelection};
use crate::web::place::Query;

pub(super) fn add(session: &Session, input: &Query) -> Performed {
    let issues = vec![needed(input, "issue")?.to_owned()];
    let which = QueueSelection { issues, ..QueueSelection::default() };
    queue::add(session, &AddItems { which, queue: input.get("queue").map(str::to_owned), force: None })?;
    Ok(None)
}

pub(super) fn order(session: &Session, input: &Query) -> Performed {
    let order = OrderItem {
        item: needed(input, "item")?.to_owned(),
        beside: needed(input, "beside")?.to_owned(),
        before: input.get("side") != Some("after"),
    };
    queue::order(session, &order)?;
    Ok(None)
}

pub(super) fn hold(session: &Session, input: &Query) -> Performed {
    let items = vec![needed(input, "item")?.to_owned()];
    let reason = needed(input, "reason")?.to_owned();
    queue::hold(session, &HoldItems { items, reason, force: None })
        .map_err(|refusal| Fault::at("reason", refusal))?;
    Ok(None)
}

pub(super) fn release(session: &Session, input: &Query) -> Performed {
    queue::release(session, &[needed(input, "item")?.to_owned()])?;
    Ok(None)
}

pub(super) fn remove(session: &Session, input: &Query) -> Performed {
    queue::remove(session, &[needed(input, "item")?.to_owned()], None)?;
    Ok(None)
}

pub(super) fn resolve(session: &Session, input: &Query) -> Performed {
    let decision = Decision {
        conflict: needed(input, "conflict")?.to_owned(),
        order: input.all("order").flat_map(|it| it.split_whitespace()).map(str::to_owned).collect(),
        resolution: input.get("resolution").and_then(Resolution::parse).unwrap_or(Resolution::Sequential),
        rationale: input.get("rationale").map(str::to_owned),
        queue: input.get("queue").map(str::to_owned),
    };
    queue::resolve(session, &decision).map_err(|refusal| Fault::at("order", refusal))?;
    Ok(None)
}
