//! Times of a source that are ahead of the clock of this machine: a stamp made of one would win over every change until
//! then.

use std::collections::BTreeMap;

use crate::interchange::tracker::Arrival;
use crate::model::id::EntryId;
use crate::model::issue::Comment;
use crate::model::record::entry_at;
use crate::model::stamp::Stamp;
use crate::model::time::Time;

fn is_ahead(at: Time, now: Time) -> bool {
    Stamp::import(at).is_ahead_of(now)
}

/// Lets what changed in the future count as changed now; `imported` keeps what the source says. The error is why the
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
