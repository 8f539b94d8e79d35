//! Two versions of a write-once record.

use crate::model::OnceSchema;
use crate::store::layout::entry_file;

/// The version that wins; `None` if neither can be read. A valid version beats a broken one. Two valid versions have
/// the same content, since their id depends on it: the canonical one wins, or else the one with the greater bytes.
pub(super) fn greater(kind: OnceSchema, id: Option<&str>, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    // Broken ranks below valid, and valid below canonical.
    let rank = |bytes: &[u8]| entry_file(kind, id, bytes).ok().map(|file| file.canonical == bytes);
    let greater = (rank(a), a).max((rank(b), b));
    greater.0.map(|_| greater.1.to_vec())
}
