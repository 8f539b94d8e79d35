//! The lock that serializes local writers, and the note that tells a stale `main.lock` from a live one.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::git::{GitError, SharedMode};
use crate::store::{Store, StoreError};

/// No process that lives takes this long between making a lock file and writing the id into it.
const UNWRITTEN_AFTER: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);

/// An exclusive `flock` on a file in the common git directory. The lock ends with the process, however it ends.
#[derive(Debug)]
pub(crate) struct WriteLock {
    file: File,
    path: PathBuf,
}

impl Store {
    /// Waits for the store's lock, as long as `wf.lockTimeout` says, or until the work is cancelled.
    pub(crate) fn lock(&self) -> Result<WriteLock, StoreError> {
        let environment = self.environment();
        let (folder, shared) = (self.common_dir(), self.repo.shared_mode());
        WriteLock::acquire(&folder, shared, self.lock_timeout()?, &|| environment.is_stopped())
    }

    /// Whether a command in this repository has ever written a store.
    pub(crate) fn was_written_here(&self) -> bool {
        self.common_dir().join("wf/lock").exists()
    }
}

impl WriteLock {
    /// Waits for the lock, at most `timeout`, and only until `is_over`. A lock that is free is taken in any case.
    pub(crate) fn acquire(
        common_dir: &Path,
        shared: SharedMode,
        timeout: Duration,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Self, StoreError> {
        let folder = common_dir.join("wf");
        shared.create_folder(&folder).map_err(StoreError::io(&folder))?;
        let path = folder.join("lock");
        let file = shared.open(&path).map_err(StoreError::io(&path))?;
        let file = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::Error(source)) => return Err(StoreError::io(path)(source)),
            Err(TryLockError::WouldBlock) => {
                Self::wait(file, timeout, is_over)?.map_err(StoreError::io(&path))?
            }
        };
        Ok(Self { file, path })
    }

    /// Blocks in the kernel, where waiters queue. Polling would favour the fastest poller.
    fn wait(
        file: File,
        timeout: Duration,
        is_over: &dyn Fn() -> bool,
    ) -> Result<std::io::Result<File>, StoreError> {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let got = file.lock().map(|()| file);
            // If nobody waits for this any more, the lock is released with the file.
            let _ = sender.send(got);
        });
        let began = Instant::now();
        loop {
            if is_over() {
                return Err(StoreError::Stopped);
            }
            let left = timeout.saturating_sub(began.elapsed());
            match receiver.recv_timeout(left.min(POLL)) {
                Ok(got) => return Ok(got),
                Err(_) if left <= POLL => return Err(StoreError::Locked(timeout.as_secs())),
                Err(_) => {}
            }
        }
    }

    /// Notes the commit that the ref is about to point to.
    pub(crate) fn note(&mut self, commit: &str) -> Result<(), StoreError> {
        self.write(commit.as_bytes()).map_err(StoreError::io(&self.path))
    }

    /// Clears the note.
    pub(crate) fn clear(&mut self) -> Result<(), StoreError> {
        self.write(b"").map_err(StoreError::io(&self.path))
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.set_len(0)?;
        self.file.write_all(bytes)
    }

    fn noted(&mut self) -> std::io::Result<String> {
        let mut text = String::new();
        self.file.seek(SeekFrom::Start(0))?;
        // Anything longer than an object id was not written by this program.
        (&mut self.file).take(128).read_to_string(&mut text)?;
        Ok(text.trim().to_owned())
    }

    /// Waits until the ref has no lock file, at most `timeout`, and only until `is_over`. One that a killed git-wf left
    /// behind is removed. Any other may belong to a process that lives, however old it is: git itself never removes one.
    pub(crate) fn wait_for_ref(
        &mut self,
        ref_lock: &Path,
        timeout: Duration,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), StoreError> {
        let noted = self.noted().map_err(StoreError::io(&self.path))?;
        let began = Instant::now();
        let (mut file, mut since) = (version(ref_lock), began);
        while let Ok(found) = std::fs::read(ref_lock) {
            let now = version(ref_lock);
            if now != file {
                // Another process holds it.
                (file, since) = (now, Instant::now());
            }
            // Killed after the lock file was made and before the id was in it.
            let is_unwritten =
                found.is_empty() && since.elapsed() >= UNWRITTEN_AFTER && self.is_older(ref_lock);
            if !noted.is_empty() && (found.trim_ascii() == noted.as_bytes() || is_unwritten) {
                return match std::fs::remove_file(ref_lock) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        Err(StoreError::io(ref_lock)(error))
                    }
                    _ => Ok(()),
                };
            }
            if is_over() {
                return Err(StoreError::Stopped);
            }
            if began.elapsed() >= timeout {
                return Err(GitError::LockFile(ref_lock.to_owned()).into());
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// Whether the note was written before that file was made.
    fn is_older(&self, than: &Path) -> bool {
        let note = self.file.metadata().and_then(|file| file.modified());
        let other = than.metadata().and_then(|file| file.modified());
        matches!((note, other), (Ok(note), Ok(other)) if note <= other)
    }
}

/// What changes when a file is written or replaced: its number, and when it was modified in seconds and nanoseconds.
fn version(path: &Path) -> Option<(u64, i64, i64)> {
    let about = path.metadata().ok()?;
    Some((about.ino(), about.mtime(), about.mtime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn acquire(
        folder: &Path,
        timeout: Duration,
        is_over: &dyn Fn() -> bool,
    ) -> Result<WriteLock, StoreError> {
        WriteLock::acquire(folder, SharedMode::Umask, timeout, is_over)
    }

    #[test]
    fn a_lock_with_the_noted_id_in_it_goes_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let ref_lock = dir.path().join("main.lock");
        let mut lock = acquire(dir.path(), LONG, &|| false).unwrap();
        lock.note("0123456789abcdef").unwrap();
        drop(lock);
        std::fs::write(&ref_lock, "0123456789abcdef\n").unwrap();
        let mut next = acquire(dir.path(), LONG, &|| false).unwrap();
        next.wait_for_ref(&ref_lock, LONG, &|| false).unwrap();
        assert!(!ref_lock.exists());
    }

    #[test]
    fn a_lock_of_another_process_stays_however_old_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let ref_lock = dir.path().join("main.lock");
        for (noted, held) in
            [("", "fedcba9876543210\n"), ("0123456789abcdef", "fedcba9876543210\n"), ("", "")]
        {
            std::fs::write(&ref_lock, held).unwrap();
            let made = std::time::SystemTime::UNIX_EPOCH;
            File::options().write(true).open(&ref_lock).unwrap().set_modified(made).unwrap();
            let mut lock = acquire(dir.path(), LONG, &|| false).unwrap();
            lock.note(noted).unwrap();
            let error = lock.wait_for_ref(&ref_lock, Duration::ZERO, &|| false).unwrap_err();
            assert!(matches!(error, StoreError::Git(GitError::LockFile(_))), "{error}");
            let error = lock.wait_for_ref(&ref_lock, LONG, &|| true).unwrap_err();
            assert!(matches!(error, StoreError::Stopped), "{error}");
            assert_eq!(std::fs::read_to_string(&ref_lock).unwrap(), held);
        }
    }

    #[test]
    fn the_wait_ends_when_the_other_process_lets_go() {
        let dir = tempfile::tempdir().unwrap();
        let ref_lock = dir.path().join("main.lock");
        std::fs::write(&ref_lock, "fedcba9876543210\n").unwrap();
        let mut lock = acquire(dir.path(), LONG, &|| false).unwrap();
        let looks = std::cell::Cell::new(0);
        let lets_go = || {
            looks.set(looks.get() + 1);
            if looks.get() == 3 {
                std::fs::remove_file(&ref_lock).unwrap();
            }
            false
        };
        lock.wait_for_ref(&ref_lock, LONG, &lets_go).unwrap();
        assert_eq!(looks.get(), 3);
    }

    #[test]
    fn the_wait_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let held = acquire(dir.path(), LONG, &|| false).unwrap();
        let error = acquire(dir.path(), Duration::from_millis(10), &|| false).unwrap_err();
        assert!(matches!(error, StoreError::Locked(_)), "{error}");
        drop(held);
        acquire(dir.path(), LONG, &|| false).unwrap();
    }

    #[test]
    fn the_wait_ends_with_the_work() {
        let dir = tempfile::tempdir().unwrap();
        let held = acquire(dir.path(), Duration::MAX, &|| true).unwrap();
        let looks = std::cell::Cell::new(0);
        let is_over = || looks.replace(looks.get() + 1) == 3;
        let error = acquire(dir.path(), Duration::MAX, &is_over).unwrap_err();
        assert!(matches!(error, StoreError::Stopped), "{error}");
        assert_eq!(looks.get(), 4);
        drop(held);
    }
}
