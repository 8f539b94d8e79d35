//! Writes objects from memory to disk: a few as loose objects, many as one pack. Whatever is written is a batch, which
//! sees to it that a `gc` removes none of it before a ref points there.

use std::path::PathBuf;

use gix::ObjectId;
use gix::objs::{Exists, Kind, Write};

use super::loose::{self, Loose};
use super::maintenance::collects_garbage;
use super::{GitError, PackWriter, Repository, multi_index};

/// From this number of objects on, one pack is cheaper than that many files (git's own `fetch.unpackLimit`).
const PACK_FROM: usize = 100;

/// Objects that were written together.
#[derive(Default)]
pub(crate) struct ObjectBatch {
    /// A copy of them, so that they can be written again; none of those that went straight into a pack.
    objects: Vec<(ObjectId, Kind, Vec<u8>)>,
    /// The `.keep` file of a new pack, which protects it until a ref points into it.
    keep: Option<PathBuf>,
}

impl Drop for ObjectBatch {
    fn drop(&mut self) {
        self.release();
    }
}

impl ObjectBatch {
    /// Takes the new objects out of the memory of `work` and writes all of them, even those that exist already: a
    /// running `gc` may have found the existing ones unreachable and be about to remove them.
    pub(crate) fn write(work: &Repository, repo: &Repository) -> Result<Self, GitError> {
        let mut batch = Self { objects: taken_from(work), keep: None };
        if batch.objects.len() >= PACK_FROM || collects_garbage(repo) {
            batch.write_pack(repo)?;
        } else {
            let mut single = Loose::new(repo);
            for (id, kind, data) in &batch.objects {
                single.write(repo.objects_dir(), *id, *kind, data)?;
            }
        }
        Ok(batch)
    }

    /// Finishes a pack with the new objects in the memory of `work` added.
    pub(crate) fn finish(mut pack: PackWriter, work: &Repository) -> Result<Self, GitError> {
        taken_from(work).iter().try_for_each(|(_, kind, data)| pack.add(*kind, data).map(drop))?;
        Ok(Self { objects: Vec::new(), keep: Some(pack.finish()?) })
    }

    /// Puts the objects back into the memory of `work`.
    pub(crate) fn give_back(mut self, work: &Repository) -> Result<(), GitError> {
        for (_, kind, data) in std::mem::take(&mut self.objects) {
            work.gix.objects.write_buf(kind, &data).map_err(GitError::object("cannot keep an object"))?;
        }
        Ok(())
    }

    /// Makes sure that all objects exist and stay. A `gc --prune=now` that read the refs before they point to the
    /// objects may remove them at any moment, but never a pack that is newer than the `gc`.
    pub(crate) fn ensure(&mut self, repo: &Repository) -> Result<(), GitError> {
        let is_safe = self.keep.is_some() || self.objects.is_empty();
        if is_safe || !(collects_garbage(repo) || self.is_any_gone(repo)?) {
            return Ok(());
        }
        self.write_pack(repo)
    }

    /// Frees the memory of the objects, since they are written.
    pub(crate) fn forget(mut self) -> Self {
        self.objects = Vec::new();
        self
    }

    /// Leaves the objects to the ref that points to them now.
    pub(crate) fn release(&mut self) {
        if let Some(keep) = self.keep.take() {
            // If this fails, a pack is kept for ever, which only costs a little space.
            let _ = std::fs::remove_file(keep);
        }
    }

    fn write_pack(&mut self, repo: &Repository) -> Result<(), GitError> {
        let mut pack = PackWriter::create(repo)?;
        self.objects.iter().try_for_each(|(_, kind, data)| pack.add(*kind, data).map(drop))?;
        self.keep = Some(pack.finish()?);
        Ok(())
    }

    fn is_any_gone(&self, repo: &Repository) -> Result<bool, GitError> {
        let folder = repo.objects_dir();
        let mut elsewhere =
            self.objects.iter().map(|(id, ..)| *id).filter(|id| !loose::is_in(folder, *id)).peekable();
        if elsewhere.peek().is_none() {
            return Ok(false);
        }
        // An object database that was opened earlier still lists packs that no longer exist.
        let options = gix::odb::store::init::Options {
            use_multi_pack_index: !multi_index::is_stale(folder),
            ..Default::default()
        };
        let fresh = gix::odb::at_opts(folder, repo.hash_kind(), None, options);
        let fresh = fresh.map_err(GitError::io(folder))?;
        Ok(elsewhere.any(|id| !fresh.exists(&id)))
    }
}

/// The new objects in the memory of `work`. Objects come before those that refer to them: a reader never sees a commit
/// without its tree.
fn taken_from(work: &Repository) -> Vec<(ObjectId, Kind, Vec<u8>)> {
    let mut storage = work.gix.objects.reset_object_memory().unwrap_or_default();
    let mut objects: Vec<_> =
        std::mem::take(&mut *storage).into_iter().map(|(id, (kind, data))| (id, kind, data)).collect();
    objects.sort_by_key(|(id, kind, _)| (matches!(kind, Kind::Tree), matches!(kind, Kind::Commit), *id));
    objects
}
