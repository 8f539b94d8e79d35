//! Writes the records that an agent hands in: anew, in its name and role, and with one commit for each operation.

use std::collections::BTreeMap;

use crate::gate::handed_in::{HandedRecord, HandingAgent, RefusedRecord, judge_records};
use crate::model::op::Op;
use crate::model::words::count;
use crate::ops::{Refusal, Session};
use crate::rules::roles::Role;
use crate::store::{AtPath, Tx};
use crate::workplace::{HandInLimits, Workplace};

/// Takes what may be taken of the records in a workplace. `agent` is a session in the name and the role of the agent. Returns
/// what was not taken.
pub(super) fn take_records(
    agent: &Session,
    role: Role,
    place: &Workplace,
) -> Result<Vec<RefusedRecord>, Refusal> {
    let store = agent.store();
    let Some(moved) = place.moved_records(store)? else { return Ok(Vec::new()) };
    let quarantine = place.quarantine(store, HandInLimits::DEFAULT)?;
    let handed = quarantine.seeing(store, &moved)?;
    let person = store.identity()?.person();
    let handing = HandingAgent { person: &person, role };
    let judged = judge_records(&handed, moved.given, moved.now, &handing)?;
    let mut by_op: BTreeMap<&str, (Op, Vec<HandedRecord>)> = BTreeMap::new();
    for record in judged.taken {
        by_op.entry(record.op.as_str()).or_insert_with(|| (record.op, Vec::new())).1.push(record);
    }
    for (op, records) in by_op.into_values() {
        let permit = agent.permit(op)?;
        agent.transact(permit, |tx| {
            for record in &records {
                write(tx, record)?;
            }
            tx.describe(format!("{}: hand in {}", op.as_str(), count(records.len(), "record")));
            Ok(())
        })?;
    }
    Ok(judged.refused)
}

/// Writes a record, joined with what somebody else has written there meanwhile.
fn write(tx: &mut Tx<'_>, record: &HandedRecord) -> Result<(), Refusal> {
    let bytes = match tx.base().find(&record.path)? {
        AtPath::File(mine) => tx.base().join(&record.path, &mine, &record.bytes)?,
        _ => record.bytes.clone(),
    };
    Ok(tx.write(record.path.clone(), bytes)?)
}
