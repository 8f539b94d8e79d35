//! Where the index is, and who uses it: every process that has it open holds a shared lock on the file beside it;
//! replacing the index takes an exclusive one.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::git::{Environment, SharedMode};
use crate::model::hex;
use crate::store::Store;

/// How long to wait for another process that rebuilds or updates the index, or that may be stuck; after that, the
/// answer comes from an index in memory.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);
/// How long to wait for readers of an index that must be removed. One of them may be a pager that nobody closes.
const READERS_TIMEOUT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// All files of a database, in the order of their removal: a database without its log may be an older state.
const FILES: [&str; 7] = [
    "index.db",
    "index.db-wal",
    "index.db-shm",
    "index.new",
    "index.new-journal",
    "index.new-wal",
    "index.new-shm",
];

/// A directory that may hold an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexFolder {
    folder: PathBuf,
    shared: SharedMode,
}

/// Held while an index is open, until the value is dropped.
#[derive(Debug)]
pub(super) struct IndexLock(#[allow(dead_code)] File);

impl IndexFolder {
    /// The places for the index of a repository, best first: the common git directory, unless
    /// it is on a network mount, where neither locks nor shared memory are reliable; then the user's cache.
    pub(super) fn all(store: &Store) -> Vec<Self> {
        Self::candidates(&store.common_dir(), store.repo().shared_mode(), store.environment())
    }

    fn candidates(common_dir: &Path, shared: SharedMode, environment: &Environment) -> Vec<Self> {
        let mut places = Vec::new();
        if !is_on_network(common_dir) {
            places.push(Self { folder: common_dir.join("wf"), shared });
        }
        places.extend(cache_folder(environment).map(|cache| {
            let digest = Sha256::digest(common_dir.as_os_str().as_encoded_bytes());
            let folder = cache.join("git-wf").join(&hex(&digest)[..32]);
            Self { folder, shared: SharedMode::Umask }
        }));
        places
    }

    /// The index of a repository with this git directory.
    #[cfg(test)]
    pub(super) fn at(common_dir: &Path) -> Self {
        Self::candidates(common_dir, SharedMode::Umask, &Environment::default()).remove(0)
    }

    /// The database.
    pub(super) fn database(&self) -> PathBuf {
        self.folder.join("index.db")
    }

    /// The path at which a new database is built before it replaces the old one.
    pub(super) fn draft(&self) -> PathBuf {
        self.folder.join("index.new")
    }

    /// Lets those who share the repository use the new database, as it will be. SQLite gives the files beside it the same
    /// mode.
    pub(super) fn share_draft(&self) -> io::Result<()> {
        self.shared.adjust(&self.draft())
    }

    /// Keeps the index from being replaced. Creates the directory if necessary.
    pub(super) fn share(&self, patience: Duration) -> io::Result<IndexLock> {
        let file = self.lock_file()?;
        wait(patience, || file.try_lock_shared())?;
        Ok(IndexLock(file))
    }

    /// Waits until nobody has the index open, and keeps everyone out.
    pub(super) fn own(&self) -> io::Result<IndexLock> {
        let file = self.lock_file()?;
        wait(READERS_TIMEOUT, || file.try_lock())?;
        Ok(IndexLock(file))
    }

    /// Waits until no other process indexes words. `None` if another one still does so after `patience`.
    pub(super) fn own_words(&self, patience: Duration) -> io::Result<Option<IndexLock>> {
        let file = self.open_lock("words.lock")?;
        match wait(patience, || file.try_lock()) {
            Ok(()) => Ok(Some(IndexLock(file))),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What distinguishes this database from one that replaces it; none if there is no database.
    pub(super) fn identity(&self) -> Option<FolderIdentity> {
        let metadata = std::fs::metadata(self.database()).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let number = 0;
        Some((number, metadata.created().ok()))
    }

    /// Whether any file of a database exists, even if only one that SQLite keeps beside it.
    pub(super) fn has_any(&self) -> bool {
        FILES.iter().any(|name| self.folder.join(name).symlink_metadata().is_ok())
    }

    /// Removes the database and the files that SQLite keeps beside it.
    pub(super) fn remove(&self) -> io::Result<()> {
        for name in FILES {
            match std::fs::remove_file(self.folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn lock_file(&self) -> io::Result<File> {
        self.open_lock("index.lock")
    }

    fn open_lock(&self, name: &str) -> io::Result<File> {
        if !self.folder.is_dir() {
            if self.folder.parent().is_some_and(Path::is_dir) {
                self.shared.create_folder(&self.folder)?;
            } else {
                let mut builder = std::fs::DirBuilder::new();
                // If only its owner can read a repository, others must not read its data in a cache.
                #[cfg(unix)]
                std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
                builder.recursive(true).create(&self.folder)?;
            }
        }
        self.shared.open(&self.folder.join(name))
    }
}

/// See [`IndexFolder::identity`].
pub(super) type FolderIdentity = (u64, Option<std::time::SystemTime>);

fn wait(timeout: Duration, mut lock: impl FnMut() -> Result<(), TryLockError>) -> io::Result<()> {
    let begin = Instant::now();
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begin.elapsed() >= timeout => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process is using it"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

fn cache_folder(environment: &Environment) -> Option<PathBuf> {
    let variable = |name| environment.folder(name);
    let home = || variable("HOME");
    variable("XDG_CACHE_HOME").or_else(|| {
        if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            home().map(|home| home.join("Library/Caches"))
        } else {
            home().map(|home| home.join(".cache"))
        }
    })
}

/// The magic numbers of statfs(2) of file systems that other machines, or other kernels, write to as well.
#[cfg(target_os = "linux")]
const SHARED: &[u64] = &[
    0x6969,      // nfs
    0x517b,      // smb
    0xff53_4d42, // cifs
    0xfe53_4d42, // smb2
    0x5346_414f, // afs
    0x7375_7245, // coda
    0x0102_1997, // 9p
    0x00c3_6400, // ceph
    0x0bd0_0bd0, // lustre
    0x4750_4653, // gpfs
    0x7461_636f, // ocfs2
    0x786f_4256, // vboxsf
    0x6573_5546, // fuse, such as sshfs
];

#[cfg(target_os = "linux")]
fn is_on_network(path: &Path) -> bool {
    // The type is signed on some systems and narrower on others.
    #[allow(clippy::cast_sign_loss, clippy::unnecessary_cast)]
    rustix::fs::statfs(path).is_ok_and(|stat| SHARED.contains(&(stat.f_type as u64 & 0xffff_ffff)))
}

#[cfg(target_os = "macos")]
fn is_on_network(path: &Path) -> bool {
    const MNT_LOCAL: u32 = 0x1000;
    rustix::fs::statfs(path).is_ok_and(|stat| stat.f_flags & MNT_LOCAL == 0)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn is_on_network(_: &Path) -> bool {
    false
}
