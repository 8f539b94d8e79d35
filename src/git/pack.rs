//! Writes one pack, object by object: only the id and the offset of each object stay in memory. gix-pack must be
//! told the number of objects first.
//!
//! Until it is finished, a pack has a temporary name. Files left behind by a killed process are removed when a later
//! pack is written, once they are a day old.

mod entry;
mod index;

use std::fs::{DirEntry, File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::ObjectId;
use gix::hashtable::HashMap;
use gix::objs::Kind;
use gix::zlib::Inflate;
use tempfile::NamedTempFile;

use entry::{Level, Packed, Packer, compression, entry_size};

use super::{FsyncPart, GitError, Repository, SharedMode, cores, fault, fsync};

/// Not `tmp_` like git's own: a `gc --prune=now` removes those while they are being written.
pub(crate) const UNFINISHED: &str = ".wf_unfinished_";
/// The content of the `.keep` file of a pack.
pub(crate) const KEPT: &str = "git-wf, until the ref points here\n";
/// Signature and version; the number of objects follows.
const HEADER: &[u8] = b"PACK\0\0\0\x02";
const HEADER_LENGTH: u64 = 12;
/// How much is buffered before it is written.
const BUFFER: usize = 1 << 20;

/// Where an object is in the pack.
#[derive(Debug, Clone, Copy)]
struct PackEntry {
    offset: u64,
    /// The number of bytes that it takes there.
    length: u32,
    crc: u32,
}

/// Objects that a thread has made for a pack.
pub(crate) struct Objects {
    packer: Packer,
    made: Vec<Packed>,
}

impl Objects {
    /// Adds an object and returns its id.
    pub(crate) fn add(&mut self, kind: Kind, data: &[u8]) -> Result<ObjectId, GitError> {
        let packed = self.packer.pack(kind, data)?;
        let id = packed.id;
        self.made.push(packed);
        Ok(id)
    }
}

/// A pack that is being written.
pub(crate) struct PackWriter {
    hash: gix::hash::Kind,
    folder: PathBuf,
    file: NamedTempFile,
    /// The number of bytes in the file; those in `buffer` follow them.
    written: u64,
    buffer: Vec<u8>,
    places: HashMap<ObjectId, PackEntry>,
    level: Level,
    packer: Packer,
    is_synced: bool,
    shared: SharedMode,
}

impl PackWriter {
    /// Starts a pack in the repository's directory of packs.
    pub(crate) fn create(repo: &Repository) -> Result<Self, GitError> {
        let folder = repo.objects_dir().join("pack");
        let shared = repo.shared_mode();
        shared.create_folder(&folder).map_err(GitError::io(&folder))?;
        remove_abandoned(&folder);
        let file = unfinished(&folder)?;
        let level = compression(repo);
        let mut buffer = Vec::with_capacity(BUFFER + BUFFER / 4);
        buffer.extend_from_slice(HEADER);
        buffer.extend_from_slice(&[0; 4]);
        Ok(Self {
            hash: repo.hash_kind(),
            folder,
            file,
            written: 0,
            buffer,
            places: HashMap::default(),
            level,
            packer: Packer::new(repo.hash_kind(), level),
            is_synced: fsync::is_wanted(repo, FsyncPart::Pack),
            shared,
        })
    }

    /// Adds an object, unless the pack has it already.
    pub(crate) fn add(&mut self, kind: Kind, data: &[u8]) -> Result<ObjectId, GitError> {
        let packed = self.packer.pack(kind, data)?;
        self.append(&packed)
    }

    /// Adds blobs in this order and returns their ids; all cores hash and compress.
    pub(crate) fn add_blobs(&mut self, blobs: Vec<Vec<u8>>) -> Result<Vec<ObjectId>, GitError> {
        let (hash, level) = (self.hash, self.level);
        let packed = cores::map(
            blobs,
            || Packer::new(hash, level),
            |packer: &mut Packer, data: Vec<u8>| packer.pack(Kind::Blob, &data),
        );
        packed.into_iter().map(|packed| self.append(&packed?)).collect()
    }

    /// Adds what `make` writes for each item, in the order of the items, on all cores. Returns the ids.
    pub(crate) fn add_made<T: Send>(
        &mut self,
        items: Vec<T>,
        make: impl Fn(T, &mut Objects) -> Result<ObjectId, GitError> + Sync,
    ) -> Result<Vec<ObjectId>, GitError> {
        let (hash, level) = (self.hash, self.level);
        let made = cores::map(
            items,
            || Objects { packer: Packer::new(hash, level), made: Vec::new() },
            |objects, item| {
                let id = make(item, objects)?;
                Ok((id, std::mem::take(&mut objects.made)))
            },
        );
        let mut ids = Vec::with_capacity(made.len());
        for made in made {
            let (id, objects) = made?;
            for object in &objects {
                self.append(object)?;
            }
            ids.push(id);
        }
        Ok(ids)
    }

    fn append(&mut self, packed: &Packed) -> Result<ObjectId, GitError> {
        let Packed { id, bytes, crc } = packed;
        if self.places.contains_key(id) {
            return Ok(*id);
        }
        let place = PackEntry {
            offset: self.written + self.buffer.len() as u64,
            length: u32::try_from(bytes.len()).map_err(|_| too_large(&self.folder))?,
            crc: *crc,
        };
        self.buffer.extend_from_slice(bytes);
        self.places.insert(*id, place);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(*id)
    }

    /// Reads an object that was added.
    pub(crate) fn read(&self, id: &ObjectId) -> Result<Option<Vec<u8>>, GitError> {
        let Some(place) = self.places.get(id) else { return Ok(None) };
        let length = place.length as usize;
        let mut entry = vec![0; length];
        match place.offset.checked_sub(self.written) {
            Some(start) => {
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                entry.copy_from_slice(&self.buffer[start..start + length]);
            }
            None => self.file.as_file().read_exact_at(&mut entry, place.offset).map_err(self.io())?,
        }
        let (size, header) = entry_size(&entry);
        let mut data = vec![0; size];
        let failed = GitError::object("cannot read what was just written");
        Inflate::default().once(&entry[header..], &mut data).map_err(failed)?;
        Ok(Some(data))
    }

    fn flush(&mut self) -> Result<(), GitError> {
        self.file.as_file().write_all_at(&self.buffer, self.written).map_err(self.io())?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Gives the pack and its index their final names. Returns the `.keep` file, which protects the pack until a ref
    /// points into it and must be removed then.
    pub(crate) fn finish(mut self) -> Result<PathBuf, GitError> {
        self.flush()?;
        let failed = GitError::object("cannot write a pack");
        let count = u32::try_from(self.places.len()).map_err(|_| too_large(&self.folder))?;
        let file = self.file.as_file();
        file.write_all_at(&count.to_be_bytes(), HEADER_LENGTH - 4).map_err(self.io())?;
        let checksum = self.checksum()?.map_err(&failed)?;
        file.write_all_at(checksum.as_slice(), self.written).map_err(self.io())?;
        let index = unfinished(&self.folder)?;
        index::write(index.as_file(), self.hash, std::mem::take(&mut self.places), &checksum)
            .map_err(self.io())?
            .map_err(&failed)?;
        if self.is_synced {
            for file in [&self.file, &index] {
                fsync::sync(file.path())?;
            }
        }
        let named = |ending| self.folder.join(format!("pack-{checksum}.{ending}"));
        let keep = named("keep");
        self.shared.write(&keep, KEPT).map_err(GitError::io(&keep))?;
        fault::point("packed");
        // Readers find a pack by its index, so the index comes last.
        for (file, ending) in [(self.file, "pack"), (index, "idx")] {
            let path = named(ending);
            self.shared.adjust(file.path()).map_err(GitError::io(&path))?;
            file.persist(&path).map_err(|error| GitError::io(path)(error.error))?;
        }
        Ok(keep)
    }

    /// Computes the checksum of the whole file by reading it again, because the number of objects in its header is
    /// known only at the end.
    fn checksum(&self) -> Result<gix::Result<ObjectId>, GitError> {
        let mut file = File::open(self.file.path()).map_err(self.io())?;
        let mut hasher = gix::hash::hasher(self.hash);
        let mut chunk = vec![0; BUFFER];
        loop {
            match file.read(&mut chunk).map_err(self.io())? {
                0 => return Ok(hasher.try_finalize()),
                length => hasher.update(&chunk[..length]),
            }
        }
    }

    fn io(&self) -> impl FnOnce(io::Error) -> GitError + use<> {
        GitError::io(self.folder.clone())
    }
}

fn unfinished(folder: &Path) -> Result<NamedTempFile, GitError> {
    tempfile::Builder::new()
        .prefix(UNFINISHED)
        .permissions(Permissions::from_mode(0o444))
        .tempfile_in(folder)
        // The original error would name the temporary file.
        .map_err(|error| GitError::io(folder)(io::Error::from(error.kind())))
}

fn too_large(folder: &Path) -> GitError {
    GitError::io(folder)(io::Error::from(io::ErrorKind::FileTooLarge))
}

/// No pack takes a whole day to write.
const ABANDONED: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// Removes what killed processes of this program left among the packs: unfinished packs, and `.keep` files of packs
/// without an index.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_keep = path.extension().is_some_and(|extension| extension == "keep")
            && std::fs::read(&path).is_ok_and(|text| text == KEPT.as_bytes());
        let is_ours = is_keep || name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes());
        if is_ours && age(&entry).is_ok_and(|age| age > ABANDONED) {
            if is_keep && !path.with_extension("idx").exists() {
                let _ = std::fs::remove_file(path.with_extension("pack"));
            }
            // Another process may have removed it first; a file that stays only takes space.
            let _ = std::fs::remove_file(path);
        }
    }
}

fn age(entry: &DirEntry) -> io::Result<Duration> {
    entry.metadata()?.modified()?.elapsed().map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, args: &[&str]) -> String {
        let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Texts with lengths around the steps of the entry header, some incompressible, and one larger than the buffer.
    fn texts() -> Vec<Vec<u8>> {
        let mut state = 1u64;
        let mut noise = move |length: usize| -> Vec<u8> {
            (0..length)
                .map(|_| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    (state >> 56) as u8
                })
                .collect()
        };
        let mut texts: Vec<Vec<u8>> = [0, 1, 15, 16, 17, 2047, 2048, 2049, 70_000].map(&mut noise).into();
        texts.push(vec![b'a'; 3 * BUFFER]);
        texts.push(noise(3 * BUFFER));
        texts.extend((0..300).map(|n| format!("text {n}\n").into_bytes()));
        texts
    }

    #[test]
    fn git_reads_what_is_written_and_so_does_the_writer() {
        for format in ["sha1", "sha256"] {
            let folder = tempfile::tempdir().unwrap();
            let at = folder.path();
            git(at, &["init", "--quiet", "--bare", &format!("--object-format={format}"), "."]);
            let repo = Repository::open_isolated(at);
            let mut pack = PackWriter::create(&repo).unwrap();
            let texts = texts();
            let ids: Vec<ObjectId> = texts.iter().map(|text| pack.add(Kind::Blob, text).unwrap()).collect();
            assert_eq!(pack.add(Kind::Blob, &texts[3]).unwrap(), ids[3]);
            for (id, text) in ids.iter().zip(&texts) {
                assert_eq!(pack.read(id).unwrap().as_deref(), Some(text.as_slice()));
            }
            assert_eq!(pack.read(&ObjectId::null(repo.hash_kind())).unwrap(), None);
            let keep = pack.finish().unwrap();
            let index = keep.with_extension("idx");
            let listed = git(at, &["verify-pack", "-v", index.to_str().unwrap()]);
            for (id, text) in ids.iter().zip(&texts) {
                assert!(listed.contains(&format!("{id} blob   {} ", text.len())), "{id}");
                assert_eq!(repo.object(*id).unwrap().data, *text);
            }
            assert!(listed.contains(&format!("non delta: {} objects", ids.len())));
        }
    }

    #[test]
    fn what_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let mut pack = PackWriter::create(&repo).unwrap();
        pack.add(Kind::Blob, &vec![0; 4 * BUFFER]).unwrap();
        drop(pack);
        assert_eq!(std::fs::read_dir(folder.path().join("objects/pack")).unwrap().count(), 0);
    }
}
