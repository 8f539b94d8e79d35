//! The lock that serializes local writers, and the note that tells a stale `main.lock` from a live one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::store::error::StoreError;
use crate::store::repo::Store;

/// A lock file of the ref must be unchanged for this long before it counts as left behind, unless the note proves it
/// earlier.
const STALE_AFTER: Duration = Duration::from_secs(10);
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
        WriteLock::acquire(&self.common_dir(), self.lock_timeout()?, &|| environment.is_stopped())
    }
}

impl WriteLock {
    /// Waits for the lock, at most `timeout`, and only until `is_over`. A lock that is free is taken in any case.
    pub(crate) fn acquire(
        common_dir: &Path,
        timeout: Duration,
        is_over: &dyn Fn() -> bool,
    ) -> Result<Self, StoreError> {
        let folder = common_dir.join("wf");
        std::fs::create_dir_all(&folder).map_err(StoreError::io(&folder))?;
        let path = folder.join("lock");
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(StoreError::io(&path))?;
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

    /// Removes the ref's lock file if a killed git-wf left it behind: at once if it contains the id that the killed
    /// process noted, otherwise after it has been unchanged for ten seconds. Returns whether the lock file is gone.
    pub(crate) fn clear_stale(&mut self, ref_lock: &Path) -> Result<bool, StoreError> {
        let noted = self.noted().map_err(StoreError::io(&self.path))?;
        let started = Instant::now();
        let mut seen: Option<(Vec<u8>, std::time::SystemTime)> = None;
        loop {
            let state =
                std::fs::read(ref_lock).and_then(|bytes| Ok((bytes, ref_lock.metadata()?.modified()?)));
            let Ok(state) = state else { return Ok(true) };
            if !noted.is_empty() && state.0.trim_ascii() == noted.as_bytes() {
                break;
            }
            match &seen {
                Some(before) if *before != state => return Ok(false),
                Some(_) if started.elapsed() >= STALE_AFTER => break,
                Some(_) => {}
                None => seen = Some(state),
            }
            std::thread::sleep(POLL);
        }
        std::fs::remove_file(ref_lock).map_err(StoreError::io(ref_lock))?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_with_the_noted_id_in_it_goes_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let ref_lock = dir.path().join("main.lock");
        let mut lock = WriteLock::acquire(dir.path(), Duration::from_secs(1), &|| false).unwrap();
        lock.note("0123456789abcdef").unwrap();
        drop(lock);
        std::fs::write(&ref_lock, "0123456789abcdef\n").unwrap();
        let mut next = WriteLock::acquire(dir.path(), Duration::from_secs(1), &|| false).unwrap();
        assert!(next.clear_stale(&ref_lock).unwrap());
        assert!(!ref_lock.exists());
    }

    #[test]
    fn the_wait_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let held = WriteLock::acquire(dir.path(), Duration::from_secs(1), &|| false).unwrap();
        let error = WriteLock::acquire(dir.path(), Duration::from_millis(10), &|| false).unwrap_err();
        assert!(matches!(error, StoreError::Locked(_)), "{error}");
        drop(held);
        WriteLock::acquire(dir.path(), Duration::from_secs(1), &|| false).unwrap();
    }

    #[test]
    fn the_wait_ends_with_the_work() {
        let dir = tempfile::tempdir().unwrap();
        let held = WriteLock::acquire(dir.path(), Duration::MAX, &|| true).unwrap();
        let looks = std::cell::Cell::new(0);
        let is_over = || looks.replace(looks.get() + 1) == 3;
        let error = WriteLock::acquire(dir.path(), Duration::MAX, &is_over).unwrap_err();
        assert!(matches!(error, StoreError::Stopped), "{error}");
        assert_eq!(looks.get(), 4);
        drop(held);
    }
}
