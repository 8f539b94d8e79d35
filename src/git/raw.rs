//! The files of a work tree as bytes: git neither filters nor links them here, and no link is followed.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, fchmod, openat, readlinkat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::{EntryKind, Missing, parent_below};

/// Larger files are not copied, and so not changed.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// The name under which a file is written before it takes its place.
const NEW: &str = ".git-wf-new";

/// How a file looked: if this is the same, so is the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileStamp([i128; 7]);

/// The content of a file, or where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawContent {
    /// A file, an executable file, or a link.
    pub(crate) kind: EntryKind,
    /// Who may do what with it; 0 for a link.
    pub(crate) mode: u32,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
}

/// How a file looks; `None` if there is none, or if it is a directory.
pub(crate) fn look(root: &Path, path: &Path) -> io::Result<Option<FileStamp>> {
    let Some((folder, name)) = folder(root, path, false)? else { return Ok(None) };
    let found = match statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        other => other?,
    };
    if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
        return Ok(None);
    }
    Ok(Some(FileStamp([
        i128::from(found.st_mode),
        i128::from(found.st_size),
        i128::from(found.st_ino),
        i128::from(found.st_mtime),
        i128::from(found.st_mtime_nsec),
        i128::from(found.st_ctime),
        i128::from(found.st_ctime_nsec),
    ])))
}

/// Reads a file or a link.
///
/// # Errors
/// For anything else, and for a file that is too large.
pub(crate) fn read(root: &Path, path: &Path) -> io::Result<RawContent> {
    let (folder, name) = folder(root, path, false)?.ok_or(io::ErrorKind::NotFound)?;
    let found = statat(&folder, &name, AtFlags::SYMLINK_NOFOLLOW)?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Symlink => {
            let bytes = readlinkat(&folder, &name, Vec::new())?.into_bytes();
            Ok(RawContent { kind: EntryKind::Link, mode: 0, bytes })
        }
        FileType::RegularFile => {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = File::from(openat(&folder, &name, flags, Mode::empty())?);
            let mut bytes = Vec::new();
            file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
            if bytes.len() as u64 > MOST_BYTES {
                return Err(io::Error::other("it is too large to be kept"));
            }
            let mode = found.st_mode & 0o7777;
            let kind = if mode & 0o100 == 0 { EntryKind::Blob } else { EntryKind::BlobExecutable };
            Ok(RawContent { kind, mode, bytes })
        }
        _ => Err(io::Error::other("it is neither a file nor a link")),
    }
}

/// Puts a file or a link in the place of whatever file is there, and makes missing directories.
pub(crate) fn write(root: &Path, path: &Path, content: &RawContent) -> io::Result<()> {
    let (folder, name) = folder(root, path, true)?.ok_or(io::ErrorKind::NotFound)?;
    match unlinkat(&folder, NEW, AtFlags::empty()) {
        Err(error) if error != Errno::NOENT => return Err(error.into()),
        _ => {}
    }
    if content.kind == EntryKind::Link {
        symlinkat(std::ffi::OsStr::from_bytes(&content.bytes), &folder, NEW)?;
    } else {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(openat(&folder, NEW, flags, Mode::RUSR | Mode::WUSR)?);
        file.write_all(&content.bytes)?;
        fchmod(&file, Mode::from_raw_mode(content.mode))?;
    }
    Ok(renameat(&folder, NEW, &folder, &name)?)
}

/// Removes a file or a link, and the directories that are empty then.
pub(crate) fn remove(root: &Path, path: &Path) -> io::Result<()> {
    let Some((at, name)) = folder(root, path, false)? else { return Ok(()) };
    unlinkat(&at, &name, AtFlags::empty())?;
    let parents = path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    for parent in parents {
        let Some((at, name)) = folder(root, parent, false)? else { return Ok(()) };
        if unlinkat(&at, &name, AtFlags::REMOVEDIR).is_err() {
            break;
        }
    }
    Ok(())
}

/// The directory of a file and the file's name; `None` if the directory is not there, and if something else took its place
/// and it is not to be made.
fn folder(root: &Path, path: &Path, is_made: bool) -> io::Result<Option<(OwnedFd, PathBuf)>> {
    match parent_below(root, path, if is_made { Missing::Made } else { Missing::Left }) {
        Err(error) if !is_made && error.kind() == io::ErrorKind::NotADirectory => Ok(None),
        found => Ok(found?.map(|(folder, name)| (folder, name.to_owned()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn file(text: &str) -> RawContent {
        RawContent { kind: EntryKind::Blob, mode: 0o640, bytes: text.into() }
    }

    #[test]
    fn a_file_comes_back_byte_by_byte() {
        let root = tempfile::tempdir().unwrap();
        let path = Path::new("a/b/c.txt");
        assert_eq!(look(root.path(), path).unwrap(), None);
        for content in [
            file("one\r\n"),
            RawContent { kind: EntryKind::BlobExecutable, mode: 0o755, bytes: vec![0, 255] },
            RawContent { kind: EntryKind::Link, mode: 0, bytes: b"/nowhere".to_vec() },
        ] {
            write(root.path(), path, &content).unwrap();
            assert_eq!(read(root.path(), path).unwrap(), content);
            assert!(look(root.path(), path).unwrap().is_some());
        }
        remove(root.path(), path).unwrap();
        assert!(!root.path().join("a").exists());
    }

    #[test]
    fn no_link_is_followed() {
        let root = tempfile::tempdir().unwrap();
        let (tree, other) = (root.path().join("tree"), root.path().join("other"));
        std::fs::create_dir(&tree).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("x"), "mine").unwrap();
        symlink(&other, tree.join("d")).unwrap();
        symlink(other.join("x"), tree.join("f")).unwrap();
        symlink(other.join("x"), tree.join(NEW)).unwrap();
        assert!(write(&tree, Path::new("d/x"), &file("evil")).is_err());
        assert!(read(&tree, Path::new("d/x")).is_err());
        remove(&tree, Path::new("d/x")).unwrap();
        assert!(write(&tree, Path::new("../other/x"), &file("evil")).is_err());
        write(&tree, Path::new("f"), &file("evil")).unwrap();
        assert_eq!(std::fs::read_to_string(other.join("x")).unwrap(), "mine");
        assert_eq!(read(&tree, Path::new("f")).unwrap(), file("evil"));
    }
}
