//! Gets objects that were made in memory onto the disk: a few as loose objects, many as one pack.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gix::ObjectId;
use gix::objs::{Exists, Kind, Write};
use gix_pack::data::Version;
use gix_pack::data::output::{Count, Entry, bytes::FromEntriesIter};

use super::error::StoreError;
use super::fault;
use super::fsync::{self, Part};
use super::loose::{self, Loose};

/// From this many objects on, one pack is cheaper than that many files (git's own `fetch.unpackLimit`).
const PACK_FROM: usize = 100;
const LONGEST_GC: Duration = Duration::from_secs(12 * 60 * 60);
/// What stands in the file that keeps a pack.
const KEPT: &str = "git-wf, until the ref points here\n";
/// An unfinished pack that is older was left behind.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Objects that were made, still in memory, so that they can be written again where a `gc` takes them away.
pub(crate) struct Made {
    objects: Vec<(ObjectId, Kind, Vec<u8>)>,
}

/// Holds a new pack until a ref points into it.
pub(super) struct Keep(pub(super) Option<PathBuf>);

impl Drop for Keep {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // A pack that is kept for ever costs a little space and nothing else.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Made {
    /// Takes over what `work` has in memory.
    pub(crate) fn taken_from(work: &gix::Repository) -> Self {
        let mut storage = work.objects.reset_object_memory().unwrap_or_default();
        let mut objects: Vec<_> =
            std::mem::take(&mut *storage).into_iter().map(|(id, (kind, data))| (id, kind, data)).collect();
        // What is pointed to comes before what points to it: a reader never sees a commit without its tree.
        objects.sort_by_key(|(id, kind, _)| (matches!(kind, Kind::Tree), matches!(kind, Kind::Commit), *id));
        Self { objects }
    }

    /// Puts all of it back into the memory of `work`.
    pub(crate) fn give_back(self, work: &gix::Repository) -> Result<(), StoreError> {
        for (_, kind, data) in self.objects {
            work.objects.write_buf(kind, &data).map_err(StoreError::object("cannot keep an object"))?;
        }
        Ok(())
    }

    /// Writes all of them, also those that were there already: what is written anew is not what a `gc` saw and is about
    /// to take away. The answer is the `.keep` file of a new pack: it holds the pack until a ref points into it,
    /// and is to be removed then.
    pub(crate) fn write(&self, repo: &gix::Repository) -> Result<Option<PathBuf>, StoreError> {
        if self.objects.len() >= PACK_FROM || collects_garbage(repo) {
            return self.write_pack(repo);
        }
        let single = Loose::of(repo, syncs(repo, Part::LooseObject));
        for (id, kind, data) in &self.objects {
            single.write(repo.objects.store_ref().path(), *id, *kind, data)?;
        }
        Ok(None)
    }

    fn write_pack(&self, repo: &gix::Repository) -> Result<Option<PathBuf>, StoreError> {
        let failed = StoreError::object("cannot write a pack");
        let hash = repo.object_hash();
        let entries = self.objects.iter().map(|(id, kind, data)| {
            let object = gix::objs::Data { kind: *kind, object_hash: hash, data };
            let compression = gix::zlib::Compression::DEFAULT;
            Entry::from_data(&Count::from_data(*id, None), &object, compression).map(|entry| vec![entry])
        });
        let mut pack = tempfile::tempfile().map_err(StoreError::io(std::env::temp_dir()))?;
        let mut writer = FromEntriesIter::new(
            entries,
            std::io::BufWriter::new(&mut pack),
            u32::try_from(self.objects.len()).unwrap_or(u32::MAX),
            Version::V2,
            hash,
        );
        for written in writer.by_ref() {
            written.map_err(&failed)?;
        }
        drop(writer);
        use std::io::Seek;
        pack.rewind().map_err(StoreError::io(std::env::temp_dir()))?;
        let folder = repo.objects.store_ref().path().join("pack");
        std::fs::create_dir_all(&folder).map_err(StoreError::io(&folder))?;
        remove_abandoned(&folder);
        let outcome = gix_pack::Bundle::write_to_directory(
            &mut std::io::BufReader::new(pack),
            Some(&folder),
            &mut gix::progress::Discard,
            &AtomicBool::new(false),
            None::<gix::odb::Handle>,
            hash,
            gix_pack::bundle::write::Options::default(),
        )
        .map_err(&failed)?;
        if syncs(repo, Part::Pack) {
            for path in outcome.data_path.iter().chain(&outcome.index_path) {
                fsync::sync(path)?;
            }
        }
        fault::point("packed");
        if let Some(keep) = &outcome.keep_path {
            std::fs::write(keep, KEPT).map_err(StoreError::io(keep))?;
        }
        Ok(outcome.keep_path)
    }

    /// Sees to it that everything is there and stays. A `gc --prune=now` that looked at the refs before they point to it
    /// takes it away, now or in a moment, but leaves alone a pack that is newer than it. The answer is as of
    /// [`Made::write`].
    pub(crate) fn ensure(&self, repo: &gix::Repository) -> Result<Option<PathBuf>, StoreError> {
        if self.objects.is_empty() || !(collects_garbage(repo) || self.is_any_gone(repo)?) {
            return Ok(None);
        }
        self.write_pack(repo)
    }

    fn is_any_gone(&self, repo: &gix::Repository) -> Result<bool, StoreError> {
        let folder = repo.objects.store_ref().path();
        let mut elsewhere =
            self.objects.iter().map(|(id, ..)| *id).filter(|id| !loose::is_in(folder, *id)).peekable();
        if elsewhere.peek().is_none() {
            return Ok(false);
        }
        // An object database that was opened before knows packs which are gone by now.
        let fresh = gix::odb::at(folder, repo.object_hash()).map_err(StoreError::io(folder))?;
        Ok(elsewhere.any(|id| !fresh.exists(&id)))
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

/// What processes that were killed left beside the packs, which git does not know by name: unfinished packs, and what
/// keeps finished ones. Nobody works on one for a whole day.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_old = || entry.metadata()?.modified()?.elapsed().map_err(std::io::Error::other);
        let (path, name) = (entry.path(), entry.file_name());
        let is_ours = name.as_encoded_bytes().starts_with(b".tmp")
            || (path.extension().is_some_and(|it| it == "keep")
                && std::fs::read(&path).is_ok_and(|text| text == KEPT.as_bytes()));
        if is_ours && is_old().is_ok_and(|age| age > ABANDONED) {
            // Another process may have been quicker; what stays takes room and does no harm.
            let _ = std::fs::remove_file(path);
        }
    }
}
