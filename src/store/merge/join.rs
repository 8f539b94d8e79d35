//! The join of two versions of a file.

use super::union::BOUNDS;
use crate::git::{HashKind, Kind};
use crate::model::{Schema, strict};
use crate::store::layout::{form, own_doc};
use crate::store::merge::entry;
use crate::store::{Form, StoreError};

/// A record of at most this many bytes cannot have too many values.
const SURELY_FEW: u64 = 2_000_000;

/// The merge of two versions of the file at `path`, in a repository with this kind of object ids.
pub(in crate::store) fn join(path: &str, a: &[u8], b: &[u8], hash: HashKind) -> Result<Vec<u8>, StoreError> {
    let (kind, id) = form(path);
    if a == b {
        return Ok(a.to_vec());
    }
    if let Form::Unknown = kind {
        let id = |bytes| crate::git::hash_object(hash, Kind::Blob, bytes);
        let hashed = StoreError::object("cannot hash a file");
        return Ok(if id(a).map_err(&hashed)? < id(b).map_err(&hashed)? { b.to_vec() } else { a.to_vec() });
    }
    let bytes = records(kind, id.as_deref(), a, b);
    refuse_large(path, &bytes, [a, b], BOUNDS.doc)?;
    Ok(bytes)
}

/// Refuses a merged record that nobody could read although both versions can be read. Leaving out a part would lose
/// what someone wrote, and writing it would lose all of it.
pub(super) fn refuse_large(
    path: &str,
    joined: &[u8],
    sides: [&[u8]; 2],
    most: u64,
) -> Result<(), StoreError> {
    if sides.contains(&joined) {
        return Ok(());
    }
    let size = joined.len() as u64;
    // A value takes at least two bytes, so a small file cannot have too many.
    if size > most || size > SURELY_FEW && strict::parse(joined).is_err() {
        return Err(StoreError::FullRecord { path: path.to_owned(), most });
    }
    Ok(())
}

/// The join of two versions of a record.
pub(super) fn records(kind: Form, id: Option<&str>, a: &[u8], b: &[u8]) -> Vec<u8> {
    let joined = match kind {
        Form::Doc(schema) => docs(schema, id, a, b),
        Form::Entry(once) => entry::greater(once, id, a, b),
        Form::Unknown => None,
    };
    // Neither can be read: the greater bytes, so that all clones agree.
    joined.unwrap_or_else(|| a.max(b).to_vec())
}

fn docs(schema: &'static Schema, id: Option<&str>, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    match (own_doc(schema, id, a), own_doc(schema, id, b)) {
        (Ok(one), Ok(two)) => Some(one.merge(two).to_bytes()),
        (Ok(_), Err(_)) => Some(a.to_vec()),
        (Err(_), Ok(_)) => Some(b.to_vec()),
        (Err(_), Err(_)) => None,
    }
}
