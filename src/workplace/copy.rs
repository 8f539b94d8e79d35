//! Copies single files from one work tree into another, without following any link: on file systems that can, both
//! share their blocks until one is changed.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, Timespec, Timestamps, fchmod, futimens, openat, readlinkat,
    statat, symlinkat,
};

use crate::git::{Missing, parent_below};

/// The result of copying a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyOutcome {
    /// It was copied.
    Copied,
    /// Something of that name exists at the destination, and stays.
    Exists,
    /// It is neither a file nor a link.
    Unsupported,
}

/// Copies a file or a link at a relative path, with its permissions and its time of change, and makes the directories
/// above it.
pub(super) fn copy(from: &Path, to: &Path, path: &Path) -> io::Result<CopyOutcome> {
    let (source, name) = parent_below(from, path, Missing::Left)?.ok_or(io::ErrorKind::NotFound)?;
    let found = statat(&source, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    if !matches!(kind, FileType::RegularFile | FileType::Symlink) {
        return Ok(CopyOutcome::Unsupported);
    }
    let target = match parent_below(to, path, Missing::MadeAs(from)) {
        Ok(found) => found.ok_or(io::ErrorKind::NotFound)?.0,
        // A file or a link is where a directory would have to be.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(CopyOutcome::Exists),
        Err(error) => return Err(error),
    };
    let made = match kind {
        FileType::Symlink => copy_link(&source, &target, name),
        _ => copy_file(&source, &target, name, &found),
    };
    match made {
        Ok(()) => Ok(CopyOutcome::Copied),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(CopyOutcome::Exists),
        Err(error) => Err(error),
    }
}

/// Makes a directory at a relative path, and those above it, with the permissions of the original. What exists stays.
pub(super) fn make_folder(from: &Path, to: &Path, path: &Path) -> io::Result<()> {
    // The directory of anything in it.
    match parent_below(to, &path.join("in"), Missing::MadeAs(from)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(()),
        Err(error) => Err(error),
    }
}

fn copy_link(source: &OwnedFd, target: &OwnedFd, name: &Path) -> io::Result<()> {
    let link = readlinkat(source, name, Vec::new())?;
    Ok(symlinkat(std::ffi::OsStr::from_bytes(link.as_bytes()), target, name)?)
}

fn copy_file(source: &OwnedFd, target: &OwnedFd, name: &Path, found: &Stat) -> io::Result<()> {
    // A file that became a pipe since it was looked at must not be waited for.
    let read = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut original = File::from(openat(source, name, read, Mode::empty())?);
    let write = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut copied = File::from(openat(target, name, write, Mode::RUSR | Mode::WUSR)?);
    if !share(&copied, &original) {
        io::copy(&mut original, &mut copied)?;
    }
    fchmod(&copied, Mode::from_raw_mode(found.st_mode & 0o777))?;
    let changed = Timespec { tv_sec: found.st_mtime, tv_nsec: found.st_mtime_nsec.cast_signed() };
    // Build tools compare times; a file system that cannot set them costs only a rebuild.
    let _ = futimens(&copied, &Timestamps { last_access: changed, last_modification: changed });
    Ok(())
}

/// Lets both files share their blocks; false if this file system cannot.
#[cfg(target_os = "linux")]
fn share(copied: impl AsFd, original: impl AsFd) -> bool {
    rustix::fs::ioctl_ficlone(copied, original).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn share(_: impl AsFd, _: impl AsFd) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    struct Trees {
        _folder: tempfile::TempDir,
        from: std::path::PathBuf,
        to: std::path::PathBuf,
    }

    fn trees() -> Trees {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::create_dir(&to).unwrap();
        Trees { _folder: folder, from, to }
    }

    #[test]
    fn a_file_keeps_its_content_permissions_and_time() {
        let Trees { _folder, from, to } = trees();
        let path = Path::new("a/b/run");
        fs::write(from.join(path), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.join(path), fs::Permissions::from_mode(0o750)).unwrap();
        assert_eq!(copy(&from, &to, path).unwrap(), CopyOutcome::Copied);
        assert_eq!(fs::read(to.join(path)).unwrap(), b"#!/bin/sh\n");
        let (one, other) = (fs::metadata(from.join(path)).unwrap(), fs::metadata(to.join(path)).unwrap());
        assert_eq!((one.mode(), one.mtime()), (other.mode(), other.mtime()));
        assert_ne!(one.ino(), other.ino(), "the copy is a file of its own");
    }

    #[test]
    fn a_new_directory_is_as_closed_as_its_original() {
        let Trees { _folder, from, to } = trees();
        fs::write(from.join("a/b/key"), "secret").unwrap();
        fs::set_permissions(from.join("a/b"), fs::Permissions::from_mode(0o700)).unwrap();
        copy(&from, &to, Path::new("a/b/key")).unwrap();
        let mode = |path: &str| fs::metadata(to.join(path)).unwrap().mode() & 0o777;
        assert_eq!((mode("a/b"), mode("a")), (0o700, fs::metadata(from.join("a")).unwrap().mode() & 0o777));
        // What was there before keeps its mode.
        fs::set_permissions(from.join("a"), fs::Permissions::from_mode(0o711)).unwrap();
        fs::write(from.join("a/other"), "").unwrap();
        copy(&from, &to, Path::new("a/other")).unwrap();
        assert_ne!(mode("a"), 0o711);
    }

    #[test]
    fn a_link_stays_a_link() {
        let Trees { _folder, from, to } = trees();
        symlink("../b/run", from.join("a/link")).unwrap();
        assert_eq!(copy(&from, &to, Path::new("a/link")).unwrap(), CopyOutcome::Copied);
        assert_eq!(fs::read_link(to.join("a/link")).unwrap(), Path::new("../b/run"));
    }

    #[test]
    fn what_exists_stays_and_no_link_is_followed() {
        let Trees { _folder, from, to } = trees();
        let outside = to.parent().unwrap().join("outside");
        fs::create_dir(&outside).unwrap();
        for name in ["a/b/one", "a/two", "three"] {
            fs::write(from.join(name), "new").unwrap();
        }
        fs::create_dir(to.join("a")).unwrap();
        fs::write(to.join("a/two"), "old").unwrap();
        symlink(&outside, to.join("a/b")).unwrap();
        symlink(outside.join("three"), to.join("three")).unwrap();
        for name in ["a/b/one", "a/two", "three"] {
            assert_eq!(copy(&from, &to, Path::new(name)).unwrap(), CopyOutcome::Exists, "{name}");
        }
        assert_eq!(fs::read(to.join("a/two")).unwrap(), b"old");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        assert!(copy(&from, &to, Path::new("../from/three")).is_err());
    }
}
