//! Objects as a pack stores them: a header with kind and size, then the compressed content.

use gix::ObjectId;
use gix::objs::Kind;
use gix::zlib::stream::deflate::{Compress, FlushCompress};
use gix::zlib::{Compression, Status};

use crate::git::{GitError, Repository};

/// An object as it is stored in a pack.
pub(super) struct Packed {
    pub(super) id: ObjectId,
    pub(super) bytes: Vec<u8>,
    pub(super) crc: u32,
}

/// Compresses objects for a pack, reusing its memory.
pub(super) struct Packer {
    hash: gix::hash::Kind,
    deflate: Compress,
    /// For small objects: none if the same is used for all.
    small: Option<Compress>,
}

impl Packer {
    pub(super) fn new(hash: gix::hash::Kind, level: Level) -> Self {
        match level {
            Level::Configured(level) => Self { hash, deflate: Compress::new(level), small: None },
            Level::BySize => {
                let (deflate, small) = (Compress::new(Compression::DEFAULT), Compress::new(FAST));
                Self { hash, deflate, small: Some(small) }
            }
        }
    }

    pub(super) fn pack(&mut self, kind: Kind, data: &[u8]) -> Result<Packed, GitError> {
        let id = gix::objs::compute_hash(self.hash, kind, data)
            .map_err(GitError::object("cannot hash an object"))?;
        let mut bytes = Vec::new();
        entry_header(kind, data.len() as u64, &mut bytes);
        self.compress(data, &mut bytes)?;
        let crc = crc32fast::hash(&bytes);
        Ok(Packed { id, bytes, crc })
    }

    fn compress(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<(), GitError> {
        let failed = GitError::object("cannot compress an object");
        let deflate = match &mut self.small {
            Some(small) if data.len() <= SMALL => small,
            _ => &mut self.deflate,
        };
        deflate.reset();
        let mut end = out.len();
        loop {
            let done = usize::try_from(deflate.total_in()).unwrap_or(usize::MAX).min(data.len());
            out.resize(end + (data.len() - done) / 2 + 128, 0);
            let before = deflate.total_out();
            let status =
                deflate.compress(&data[done..], &mut out[end..], FlushCompress::Finish).map_err(&failed)?;
            end += usize::try_from(deflate.total_out() - before).unwrap_or_default();
            if status == Status::StreamEnd {
                out.truncate(end);
                return Ok(());
            }
        }
    }
}

/// How objects are compressed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Level {
    /// All with the level that git is configured to use.
    Configured(Compression),
    /// Small ones fast, since making a code for each of them takes longer than everything else and saves little, and large
    /// ones with zlib's default. git looks for deltas when it packs them again, which saves far more.
    BySize,
}

/// Objects up to this size are small, in bytes.
const SMALL: usize = 1024;
/// zlib's fastest level, which uses a fixed code.
const FAST: Compression = Compression::BEST_SPEED;

/// `pack.compression`, else `core.compression`, as in git.
pub(super) fn compression(repo: &Repository) -> Level {
    let config = repo.config();
    let level = config.integer("pack.compression").or_else(|| config.integer("core.compression"));
    let configured = level.and_then(|level| Compression::new(i32::try_from(level).ok()?));
    configured.map_or(Level::BySize, Level::Configured)
}

/// The header of an entry: its kind and its size, with four bits of the size in the first byte and seven in each
/// following byte.
fn entry_header(kind: Kind, mut size: u64, out: &mut Vec<u8>) {
    let number = match kind {
        Kind::Commit => 1u8,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let mut byte = number << 4 | (size & 15) as u8;
    size >>= 4;
    while size > 0 {
        out.push(byte | 0x80);
        byte = (size & 0x7f) as u8;
        size >>= 7;
    }
    out.push(byte);
}

/// The size in an entry's header, and the length of the header.
pub(super) fn entry_size(entry: &[u8]) -> (usize, usize) {
    let mut size = usize::from(entry[0] & 15);
    let mut at = 0;
    while entry[at] & 0x80 != 0 {
        at += 1;
        size |= usize::from(entry[at] & 0x7f) << (4 + 7 * (at - 1));
    }
    (size, at + 1)
}
