//! Two versions of a record that is written once.

use crate::store::layout::{Ordered, entry_file};

/// The version that stands; `None` if neither can be read. A sound version beats a broken one. Two sound ones say the same,
/// since their id is made of what they say: the one in the byte form of the format stands, and of two others the greater
/// bytes.
pub(super) fn greater(order: Ordered, id: Option<&str>, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
    // Broken is less than sound, and sound less than canonical.
    let rank = |bytes: &[u8]| entry_file(order, id, bytes).ok().map(|file| file.canonical == bytes);
    let greater = (rank(a), a).max((rank(b), b));
    greater.0.map(|_| greater.1.to_vec())
}
