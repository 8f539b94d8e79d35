//! Who may loosen the policy of a store on a server: anyone, as far as the server's `wf.floor` allows it, and the owners
//! whom its `wf.owner` names, by their signatures.

use gix::ObjectId;

use crate::model::root::Policy;
use crate::rules::policy::{Floor, Gate, loosened, value};
use crate::rules::roles;
use crate::store::{Read, Store, StoreError, layout, records};

const KEY: &str = "wf.floor";
/// May be set several times. Each value is the fingerprint of a key, or an SSH principal.
const OWNER: &str = "wf.owner";

/// Reads `wf.floor`. If it cannot be read, nothing comes in.
pub(super) fn of(store: &Store) -> Result<Floor, StoreError> {
    let values = store.config_all(KEY);
    Floor::parse(values.iter().map(String::as_str)).map_err(|error| StoreError::Config {
        key: KEY,
        value: format!("{} ({error})", values.join(",")),
        why: "it is a list such as `commits=required,review=none`, or `none`",
    })
}

/// The gates that a push opens without permission, described. Each side is a commit of the store with its policy.
pub(super) fn faults(
    store: &Store,
    floor: &Floor,
    (tip, before): (Option<ObjectId>, &Policy),
    (new, after): (ObjectId, &Policy),
) -> Result<Vec<String>, StoreError> {
    let gates = loosened(before, after);
    let Some(tip) = tip.filter(|_| !gates.is_empty()) else { return Ok(vec![]) };
    let owners: Vec<String> = store.config_all(OWNER).into_iter().filter(|name| !name.is_empty()).collect();
    let mut faults = Vec::new();
    for gate in gates {
        let words = format!("{} from {} to {}", gate.name, value(before, gate), value(after, gate));
        match floor.allows(gate, after) {
            Some(true) => {}
            Some(false) => faults.push(format!("{words}: `{KEY}` of this server does not allow it")),
            None if owners.is_empty() => {
                faults.push(format!("{words}: `{OWNER}` of this server names nobody who may"));
            }
            None if is_signed(store, &owners, gate, tip, new)? => {}
            None => faults.push(format!("{words}: nobody whom `{OWNER}` of this server names has signed it")),
        }
    }
    Ok(faults)
}

/// Whether new commits open the gate and each of those is signed by an owner, in a role that may do it.
fn is_signed(
    store: &Store,
    owners: &[String],
    gate: &'static Gate,
    tip: ObjectId,
    new: ObjectId,
) -> Result<bool, StoreError> {
    let mut opening = Vec::new();
    for link in store.commits_between(Some(tip), new)? {
        // A merge opens only what one of its sides opened, and is never signed.
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
    let signed = store.signed(&opening)?;
    let is_by_owner = |commit: &ObjectId| {
        signed.get(commit).is_some_and(|signed| owners.iter().any(|owner| signed.is_by(owner)))
    };
    Ok(!opening.is_empty() && opening.iter().all(is_by_owner))
}
