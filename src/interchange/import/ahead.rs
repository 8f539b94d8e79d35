//! Times of a source that are ahead of the clock of this machine: a stamp made of one would win over every change until
//! then.

use std::collections::BTreeMap;

use crate::interchange::tracker::Arrival;
use crate::interchange::work::QueueArrival;
use crate::model::{Comment, EntryId, Stamp, Time, entry_at};

fn is_ahead(at: Time, now: Time) -> bool {
    Stamp::import(at).is_ahead_of(now)
}

/// Treats a queue that changed in the future as changed now, and the order of the queues, too; returns a note on the
/// queue.
pub(super) fn bring_queue_back(queue: &mut QueueArrival, now: Time) -> Option<String> {
    let born = queue.queue.created_at;
    if is_ahead(queue.ordered, now) {
        queue.ordered = now.max(born);
    }
    let changed = std::mem::replace(&mut queue.changed, now.max(born));
    if !is_ahead(changed, now) {
        queue.changed = changed;
        return None;
    }
    Some(format!(
        "the queue changed at {changed}, ahead of the clock of this machine, which says {now}: it counts as changed now"
    ))
}

/// Treats what changed in the future as changed now; `imported` keeps what the source says. The error is why the
/// record cannot be imported.
pub(super) fn bring_back(arrival: &mut Arrival, now: Time) -> Result<(), String> {
    let born = arrival.issue.created_at;
    if is_ahead(born, now) {
        return Err(format!(
            "it was created at {born}, ahead of the clock of this machine, which says {now}"
        ));
    }
    if is_ahead(arrival.changed, now) {
        let note = format!(
            "it changed at {}, ahead of the clock of this machine, which says {now}: it counts as changed now",
            arrival.changed
        );
        arrival.changed = now.max(born);
        arrival.notes.push(note);
    }
    for item in arrival.work.items.iter_mut().filter(|item| is_ahead(item.changed, now)) {
        // Its queue has the note.
        item.changed = now.max(item.item.queued_at);
    }
    let mut moved: BTreeMap<EntryId, EntryId> = BTreeMap::new();
    for comment in &mut arrival.comments {
        let edits = comment.edits.take().map(|id| moved.get(&id).cloned().unwrap_or(id));
        comment.edits = edits;
        if is_ahead(comment.id.stamp().time(), now) {
            let old = comment.id.clone();
            *comment = entry_at(&Stamp::import(now), |id| Comment { id, ..comment.clone() });
            moved.insert(old, comment.id.clone());
        }
    }
    Ok(())
}
