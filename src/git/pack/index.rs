//! The index of a pack, version 2 of gitformat-pack(5): ids in order, checksums, offsets.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use gix::ObjectId;
use gix::hashtable::HashMap;

use super::PackEntry;

/// Signature and version.
const HEADER: &[u8] = b"\xfftOc\0\0\0\x02";
/// Offsets from here on are stored in a table of their own.
const LARGE: u64 = 1 << 31;

/// Writes the index of the pack with this checksum. The inner error is one of the hash function.
pub(super) fn write(
    file: &File,
    kind: gix::hash::Kind,
    places: HashMap<ObjectId, PackEntry>,
    checksum: &ObjectId,
) -> io::Result<gix::Result<()>> {
    let mut entries: Vec<(ObjectId, PackEntry)> = places.into_iter().collect();
    entries.sort_unstable_by_key(|(id, _)| *id);
    let mut out = Hashed { out: BufWriter::new(file), hasher: gix::hash::hasher(kind) };
    out.write_hashed(HEADER)?;
    let mut counts = [0u32; 256];
    for (id, _) in &entries {
        counts[usize::from(id.first_byte())] += 1;
    }
    let mut sum = 0;
    for count in counts {
        sum += count;
        out.write_hashed(&sum.to_be_bytes())?;
    }
    for (id, _) in &entries {
        out.write_hashed(id.as_slice())?;
    }
    for (_, place) in &entries {
        out.write_hashed(&place.crc.to_be_bytes())?;
    }
    let mut large = Vec::new();
    for (_, place) in &entries {
        let offset = match u32::try_from(place.offset) {
            Ok(offset) if place.offset < LARGE => offset,
            _ => {
                large.push(place.offset);
                // The first bit marks a position in the other table.
                u32::try_from(large.len() - 1).unwrap_or(u32::MAX) | 1 << 31
            }
        };
        out.write_hashed(&offset.to_be_bytes())?;
    }
    for offset in large {
        out.write_hashed(&offset.to_be_bytes())?;
    }
    out.write_hashed(checksum.as_slice())?;
    let own = match out.hasher.try_finalize() {
        Ok(own) => own,
        Err(error) => return Ok(Err(error)),
    };
    out.out.write_all(own.as_slice())?;
    out.out.flush().map(Ok)
}

/// Hashes everything that it writes.
struct Hashed<'a> {
    out: BufWriter<&'a File>,
    hasher: gix::hash::Hasher,
}

impl Hashed<'_> {
    fn write_hashed(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes)
    }
}
