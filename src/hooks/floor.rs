//! Who may loosen the policy of a store on a server: whom the server's own configuration allows it, or an owner whose
//! signature the server trusts.

use gix::ObjectId;

use crate::model::root::Policy;
use crate::rules::policy::{Floor, Gate, loosened, value};
use crate::rules::roles;
use crate::store::{Read, Store, StoreError, layout, records};

const KEY: &str = "wf.floor";

/// What `wf.floor` says. One that cannot be read lets nothing in.
pub(super) fn of(store: &Store) -> Result<Floor, StoreError> {
    let values = store.config_all(KEY);
    Floor::parse(values.iter().map(String::as_str)).map_err(|error| StoreError::Config {
        key: KEY,
        value: format!("{} ({error})", values.join(",")),
        why: "it is a list such as `commits=required,review=none`, or `none`",
    })
}

/// The gates that a push opens and may not, in words. Each side is a commit of the store with its policy.
pub(super) fn faults(
    store: &Store,
    floor: &Floor,
    (tip, before): (Option<ObjectId>, &Policy),
    (new, after): (ObjectId, &Policy),
) -> Result<Vec<String>, StoreError> {
    let gates = loosened(before, after);
    let Some(tip) = tip.filter(|_| !gates.is_empty()) else { return Ok(vec![]) };
    let mut faults = Vec::new();
    for gate in gates {
        let words = format!("{} from {} to {}", gate.name, value(before, gate), value(after, gate));
        match floor.allows(gate, after) {
            Some(true) => {}
            Some(false) => faults.push(format!("{words}: the `{KEY}` of this server is above that")),
            None if is_signed(store, gate, tip, new)? => {}
            None => faults.push(format!("{words}: no owner whom this server knows has signed that")),
        }
    }
    Ok(faults)
}

/// Whether new commits open the gate, and each of them that does so is an owner's, with a signature that git here trusts.
fn is_signed(store: &Store, gate: &'static Gate, tip: ObjectId, new: ObjectId) -> Result<bool, StoreError> {
    let mut opening = Vec::new();
    for link in store.commits_between(Some(tip), new)? {
        // A merge opens nothing that neither side has opened, and nobody signs it.
        let [parent] = link.parents[..] else { continue };
        let (before, after) = (store.snapshot_at(parent)?, store.snapshot_at(link.commit)?);
        if before.file(layout::ROOT_PATH)? == after.file(layout::ROOT_PATH)? {
            continue;
        }
        let (before, after) = (records::root(&before)?.policy, records::root(&after)?.policy);
        if loosened(&before, &after).iter().any(|it| it.name == gate.name) {
            let role = store.step(link.commit)?.role;
            if role.is_some_and(|role| !roles::may(&role, "policy set")) {
                return Ok(false);
            }
            opening.push(link.commit);
        }
    }
    Ok(!opening.is_empty() && store.signed(&opening)?.len() == opening.len())
}
