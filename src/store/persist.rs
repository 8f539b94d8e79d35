//! Gets objects that were made in memory onto the disk: a few as loose objects, many as one pack.

use std::path::PathBuf;
use std::time::Duration;

use gix::ObjectId;
use gix::objs::Kind;
use gix::odb::memory::Storage;

use super::error::StoreError;
use super::fsync::{self, Part};
use super::loose::Loose;
use super::pack::PackWriter;

/// From this many objects on, one pack is cheaper than that many files (git's own `fetch.unpackLimit`).
const PACK_FROM: usize = 100;
const LONGEST_GC: Duration = Duration::from_secs(12 * 60 * 60);

/// Objects that were made, still in memory, so that they can be written again where a `gc` takes them away.
pub(crate) struct Made {
    objects: Vec<(ObjectId, Kind, Vec<u8>)>,
}

impl Made {
    /// Takes over what an in-memory object database collected.
    pub(crate) fn new(mut storage: Storage) -> Self {
        let mut objects: Vec<_> =
            std::mem::take(&mut *storage).into_iter().map(|(id, (kind, data))| (id, kind, data)).collect();
        // What is pointed to comes before what points to it: a reader never sees a commit without its tree.
        objects.sort_by_key(|(id, kind, _)| (matches!(kind, Kind::Tree), matches!(kind, Kind::Commit), *id));
        Self { objects }
    }

    /// Nothing: what was made is in a pack that is kept.
    pub(super) fn none() -> Self {
        Self { objects: Vec::new() }
    }

    /// Adds all of them to a pack.
    pub(super) fn add_to(&self, pack: &mut PackWriter) -> Result<(), StoreError> {
        self.objects.iter().try_for_each(|(_, kind, data)| pack.add(*kind, data).map(drop))
    }

    /// Writes all of them. The answer is the `.keep` file of a new pack: it holds the pack until a ref points into it,
    /// and is to be removed then.
    pub(crate) fn write(&self, repo: &gix::Repository) -> Result<Option<PathBuf>, StoreError> {
        if self.objects.len() >= PACK_FROM || collects_garbage(repo) {
            return self.write_pack(repo);
        }
        let loose = loose(repo);
        for (id, kind, data) in &self.objects {
            loose.write(repo.objects.store_ref().path(), *id, *kind, data)?;
        }
        Ok(None)
    }

    fn write_pack(&self, repo: &gix::Repository) -> Result<Option<PathBuf>, StoreError> {
        let mut pack = PackWriter::create(repo)?;
        self.add_to(&mut pack)?;
        pack.finish().map(Some)
    }

    /// Sees to it that everything is there and stays. A `gc --prune=now` that looked at the refs before they point to it
    /// takes it away, now or in a moment, but leaves alone a pack that is newer than it. The answer is as of
    /// [`Made::write`].
    pub(crate) fn ensure(&self, repo: &gix::Repository) -> Result<Option<PathBuf>, StoreError> {
        let is_gone = |(id, _, _): &(ObjectId, Kind, Vec<u8>)| !repo.has_object(id);
        if self.objects.is_empty() || !(collects_garbage(repo) || self.objects.iter().any(is_gone)) {
            return Ok(None);
        }
        self.write_pack(repo)
    }
}

/// Whether a `git gc` is running, or seems to be: git itself takes one of more than twelve hours for dead.
fn collects_garbage(repo: &gix::Repository) -> bool {
    let begun = repo.common_dir().join("gc.pid").metadata().and_then(|file| file.modified());
    begun.is_ok_and(|begun| begun.elapsed().is_ok_and(|age| age < LONGEST_GC))
}

/// Whether git is told to force such files onto the disk.
pub(super) fn syncs(repo: &gix::Repository, part: Part) -> bool {
    let config = repo.config_snapshot();
    fsync::parts(config.string("core.fsync").map(|value| value.to_string()).as_deref()).contains(&part)
}

fn loose(repo: &gix::Repository) -> Loose {
    Loose::of(repo, syncs(repo, Part::LooseObject))
}
