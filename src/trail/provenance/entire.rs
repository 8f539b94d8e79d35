//! Entire: a commit names checkpoints in its message, and each checkpoint has a directory with the sessions of agents.

use bstr::ByteSlice;

use super::{MOST, Provenances, name_in, tree_of};
use crate::git::ObjectId;
use crate::model::{Provenance, ProvenanceSource, strict};
use crate::trail::trailers;

/// The trailer that names a checkpoint.
const TRAILER: &str = "Entire-Checkpoint";
/// The branches with a directory for each checkpoint, below the first two characters of its id.
pub(super) const BRANCHES: [&str; 2] =
    ["refs/heads/entire/checkpoints/v1", "refs/remotes/origin/entire/checkpoints/v1"];
/// The refs with one checkpoint each, below the last two characters of its id.
const REFS: &str = "refs/entire/checkpoints";
/// The most sessions of one checkpoint.
const MOST_SESSIONS: usize = 8;

/// The ids of the checkpoints that a message names: 12 hexadecimal digits, or a ULID.
pub(super) fn checkpoints(message: &[u8]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for line in message.lines() {
        let Some(id) = trailers::value_of(TRAILER, line).and_then(|value| value.to_str().ok()) else {
            continue;
        };
        if is_id(id) && !ids.iter().any(|known| known == id) && ids.len() < MOST {
            ids.push(id.to_owned());
        }
    }
    ids
}

fn is_id(text: &str) -> bool {
    match text.len() {
        12 => text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')),
        26 => text.bytes().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase() && !b"ILOU".contains(&c)),
        _ => false,
    }
}

/// The sessions of a checkpoint; only its id if they are not here.
pub(super) fn sessions(places: &Provenances<'_>, id: &str) -> Vec<Provenance> {
    let only = Provenance {
        source: ProvenanceSource::Entire,
        checkpoint_id: Some(id.to_owned()),
        agent: None,
        model: None,
        session_id: None,
        line_count: None,
    };
    let Some(folder) = folder(places, id) else { return vec![only] };
    let mut found = Vec::new();
    for n in 0..MOST_SESSIONS {
        let Some(bytes) = places.file(folder, &format!("{n}/metadata.json")) else { break };
        let Ok(value) = strict::parse(&bytes) else { break };
        found.push(Provenance {
            agent: name_in(&value, "agent"),
            model: name_in(&value, "model"),
            session_id: name_in(&value, "session_id"),
            ..only.clone()
        });
    }
    if found.is_empty() { vec![only] } else { found }
}

fn folder(places: &Provenances<'_>, id: &str) -> Option<ObjectId> {
    let (start, rest) = id.split_at_checked(2)?;
    let end = id.get(id.len() - 2..)?;
    tree_of(places.store, &format!("{REFS}/{end}/{id}")).or_else(|| {
        places.checkpoints.iter().find_map(|tree| places.folder(places.folder(*tree, start)?, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_of_checkpoints_count() {
        let message = "Subject\n\nEntire-Checkpoint: a3b2c4d5e6f7\n    entire-checkpoint:  01KXEWS08ZG9WXQPFE4QDA4GA3 \n\
            Entire-Checkpoint: a3b2c4d5e6f7\nEntire-Checkpoint: ../../etc/p\nEntire-Checkpoint: A3B2C4D5E6F7\n\
            Entire-Checkpoint: 01KXEWS08ZG9WXQPFE4QDA4GAU\nEntire-Checkpoint:\nNo-Checkpoint: a3b2c4d5e6f8\n";
        assert_eq!(checkpoints(message.as_bytes()), ["a3b2c4d5e6f7", "01KXEWS08ZG9WXQPFE4QDA4GA3"]);
        let many: String = (0..100).map(|n| format!("Entire-Checkpoint: {n:012x}\n")).collect();
        assert_eq!(checkpoints(many.as_bytes()).len(), MOST);
    }
}
