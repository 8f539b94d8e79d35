//! Writes loose objects as git does, including the names of temporary files, so that the next `git prune` removes
//! what a killed process left behind. gix's own writer uses other names, no `core.fsync`, and a compressor for each
//! object.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::objs::Kind;
use gix::objs::encode::loose_header;
use gix::zlib::stream::deflate::{Compress, FlushCompress};
use gix::zlib::{Compression, Status};

use super::discover::absolute;
use super::{FsyncPart, GitError, Repository, SharedMode, fault, fsync};

/// `git prune` removes files whose names start with this.
const UNFINISHED: &str = "tmp_obj_";
/// A `gc` may remove the empty directory before the file is in it.
const TRIES: u32 = 5;

/// Writes single objects one after another. They share the compressor, since creating one takes longer than
/// compressing a small object.
pub(crate) struct Loose {
    compress: Compress,
    is_synced: bool,
    shared: SharedMode,
}

impl Loose {
    /// `core.looseCompression`, else `core.compression`, else the fastest level; `core.fsync`.
    pub(crate) fn new(repo: &Repository) -> Self {
        let config = repo.config();
        let level = config.integer("core.looseCompression").or_else(|| config.integer("core.compression"));
        let compression = match level {
            // zlib's own default.
            Some(-1) => Compression::DEFAULT,
            Some(level) => {
                i32::try_from(level).ok().and_then(Compression::new).unwrap_or(Compression::BEST_SPEED)
            }
            None => Compression::BEST_SPEED,
        };
        Self {
            compress: Compress::new(compression),
            is_synced: fsync::is_wanted(repo, FsyncPart::LooseObject),
            shared: repo.shared_mode(),
        }
    }

    /// Writes the object into the directory `objects`, atomically.
    pub(crate) fn write(
        &mut self,
        objects: &Path,
        id: ObjectId,
        kind: Kind,
        data: &[u8],
    ) -> Result<(), GitError> {
        let (folder, path) = paths(objects, id);
        let failed = |error| GitError::io(absolute(&path))(error);
        let bytes = self.deflated(kind, data).map_err(failed)?;
        let mut tried = 0;
        loop {
            tried += 1;
            match self.try_write(&folder, &path, &bytes) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && tried < TRIES => {
                    self.shared.create_folder(&folder).map_err(GitError::io(absolute(&folder)))?;
                }
                result => return result.map_err(failed),
            }
        }
    }

    fn deflated(&mut self, kind: Kind, data: &[u8]) -> io::Result<Vec<u8>> {
        let mut plain = loose_header(kind, data.len() as u64).to_vec();
        plain.extend_from_slice(data);
        let (mut rest, mut bytes, mut len) = (plain.as_slice(), vec![0; plain.len() / 2 + 128], 0);
        self.compress.reset();
        loop {
            let (read, written) = (self.compress.total_in(), self.compress.total_out());
            let step = self.compress.compress(rest, &mut bytes[len..], FlushCompress::Finish);
            let status = step.map_err(io::Error::other)?;
            // Both differences are lengths of buffers in memory.
            rest = &rest[usize::try_from(self.compress.total_in() - read).unwrap_or(rest.len())..];
            len += usize::try_from(self.compress.total_out() - written).unwrap_or_default();
            if status == Status::StreamEnd {
                bytes.truncate(len);
                return Ok(bytes);
            }
            bytes.resize(bytes.len() * 2, 0);
        }
    }

    fn try_write(&self, folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .permissions(std::fs::Permissions::from_mode(0o444))
            .tempfile_in(folder)
            // The original error would name the temporary file.
            .map_err(|error| io::Error::from(error.kind()))?;
        file.write_all(bytes)?;
        fault::point("object");
        self.shared.adjust(file.path())?;
        if self.is_synced {
            file.as_file().sync_all()?;
        }
        file.persist(path)?;
        Ok(())
    }
}

/// Whether the object's file exists now.
pub(crate) fn is_in(objects: &Path, id: ObjectId) -> bool {
    paths(objects, id).1.exists()
}

/// The directory and the file of an object.
fn paths(objects: &Path, id: ObjectId) -> (PathBuf, PathBuf) {
    let hex = id.to_string();
    let folder = objects.join(&hex[..2]);
    let path = folder.join(&hex[2..]);
    (folder, path)
}
