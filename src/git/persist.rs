//! Writes objects from memory to disk: a few as loose objects, many as one pack.

use std::path::PathBuf;
use std::time::Duration;

use gix::ObjectId;
use gix::objs::{Exists, Kind, Write};

use super::error::GitError;
use super::fsync::{self, Part};
use super::loose::{self, Loose};
use super::multi_index;
use super::pack::PackWriter;
use super::repository::Repository;

/// From this number of objects on, one pack is cheaper than that many files (git's own `fetch.unpackLimit`).
const PACK_FROM: usize = 100;
const LONGEST_GC: Duration = Duration::from_secs(12 * 60 * 60);

/// New objects, kept in memory so that they can be written again if a `gc` removes them.
pub(crate) struct Made {
    objects: Vec<(ObjectId, Kind, Vec<u8>)>,
}

/// Protects a new pack until a ref points into it.
pub(crate) struct Keep(pub(crate) Option<PathBuf>);

impl Drop for Keep {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // If this fails, a pack is kept for ever, which only costs a little space.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Made {
    /// Takes the new objects out of the memory of `work`.
    pub(crate) fn taken_from(work: &Repository) -> Self {
        let mut storage = work.gix.objects.reset_object_memory().unwrap_or_default();
        let mut objects: Vec<_> =
            std::mem::take(&mut *storage).into_iter().map(|(id, (kind, data))| (id, kind, data)).collect();
        // Objects come before those that refer to them: a reader never sees a commit without its tree.
        objects.sort_by_key(|(id, kind, _)| (matches!(kind, Kind::Tree), matches!(kind, Kind::Commit), *id));
        Self { objects }
    }

    /// No objects: they are in a pack that is kept.
    pub(crate) fn none() -> Self {
        Self { objects: Vec::new() }
    }

    /// Adds all objects to a pack.
    pub(crate) fn add_to(&self, pack: &mut PackWriter) -> Result<(), GitError> {
        self.objects.iter().try_for_each(|(_, kind, data)| pack.add(*kind, data).map(drop))
    }

    /// Puts the objects back into the memory of `work`.
    pub(crate) fn give_back(self, work: &Repository) -> Result<(), GitError> {
        for (_, kind, data) in self.objects {
            work.gix.objects.write_buf(kind, &data).map_err(GitError::object("cannot keep an object"))?;
        }
        Ok(())
    }

    /// Writes all objects, even those that exist already: a running `gc` may have found the existing ones unreachable
    /// and be about to remove them. Returns the `.keep` file of a new pack, if there is one; it protects the pack
    /// until a ref points into it and must be removed then.
    pub(crate) fn write(&self, repo: &Repository) -> Result<Option<PathBuf>, GitError> {
        if self.objects.len() >= PACK_FROM || collects_garbage(repo) {
            return self.write_pack(repo);
        }
        let mut single = Loose::of(repo, syncs(repo, Part::LooseObject));
        for (id, kind, data) in &self.objects {
            single.write(repo.objects_dir(), *id, *kind, data)?;
        }
        Ok(None)
    }

    fn write_pack(&self, repo: &Repository) -> Result<Option<PathBuf>, GitError> {
        let mut pack = PackWriter::create(repo)?;
        self.add_to(&mut pack)?;
        pack.finish().map(Some)
    }

    /// Makes sure that all objects exist and stay. A `gc --prune=now` that read the refs before they point to the
    /// objects may remove them at any moment, but never a pack that is newer than the `gc`. Returns the same as
    /// [`Made::write`].
    pub(crate) fn ensure(&self, repo: &Repository) -> Result<Option<PathBuf>, GitError> {
        if self.objects.is_empty() || !(collects_garbage(repo) || self.is_any_gone(repo)?) {
            return Ok(None);
        }
        self.write_pack(repo)
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

/// Whether a `git gc` seems to be running. git itself considers one older than twelve hours dead.
pub(crate) fn collects_garbage(repo: &Repository) -> bool {
    let begun = repo.common_dir().join("gc.pid").metadata().and_then(|file| file.modified());
    begun.is_ok_and(|begun| begun.elapsed().is_ok_and(|age| age < LONGEST_GC))
}

/// Whether git is configured to flush such files to disk.
pub(crate) fn syncs(repo: &Repository, part: Part) -> bool {
    let config = repo.config();
    fsync::parts(config.text("core.fsync").as_deref()).contains(&part)
}
