//! Reads directories that an agent can write. No link is followed, nothing but regular files is opened, and nothing is
//! waited for.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// Why something cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    /// A link, a pipe, a device, or a directory in place of a file, or the other way round.
    #[error("`{}` is {is}", .path.display())]
    Replaced {
        /// The path in the workplace.
        path: PathBuf,
        /// What is there.
        is: &'static str,
    },
    /// A file, or a directory, that is larger than such a thing can be.
    #[error("`{}` is too large", .0.display())]
    TooLarge(PathBuf),
    /// The system refuses.
    #[error("cannot read `{}`: {source}", .path.display())]
    Io {
        /// The path in the workplace.
        path: PathBuf,
        /// Its error.
        source: io::Error,
    },
}

/// A directory that an agent can write.
#[derive(Debug)]
pub(crate) struct UntrustedDir {
    fd: OwnedFd,
    /// For messages.
    path: PathBuf,
}

const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl UntrustedDir {
    /// Opens the top directory of a workplace. What is above it is not the agent's.
    pub(crate) fn open(path: &Path) -> Result<Self, Unreadable> {
        let opened = rustix::fs::open(path, DIRECTORY, Mode::empty());
        let fd = opened.map_err(|errno| replaced_or_io(path.to_owned(), errno))?;
        Ok(Self { fd, path: PathBuf::new() })
    }

    /// The number by which the file system knows the directory: another one in its place has another number.
    pub(crate) fn number(&self) -> Result<u64, Unreadable> {
        let found = fstat(&self.fd)
            .map_err(|errno| Unreadable::Io { path: self.path.clone(), source: errno.into() })?;
        Ok(found.st_ino)
    }

    /// A directory in this one, by its relative path; `None` if it is not there.
    pub(crate) fn below(&self, path: &str) -> Result<Option<Self>, Unreadable> {
        let mut found: Option<Self> = None;
        for name in path.split('/') {
            let above = found.as_ref().unwrap_or(self);
            let path = above.path.join(name);
            found = match openat(&above.fd, name, DIRECTORY, Mode::empty()) {
                Ok(fd) => Some(Self { fd, path }),
                Err(Errno::NOENT) => return Ok(None),
                Err(errno) => return Err(replaced_or_io(path, errno)),
            };
        }
        Ok(found)
    }

    /// A regular file in this directory; `None` if nothing has that name.
    pub(crate) fn file(&self, name: impl AsRef<OsStr>) -> Result<Option<File>, Unreadable> {
        let name = name.as_ref();
        let path = self.path.join(name);
        let kind = match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => FileType::from_raw_mode(found.st_mode),
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(Unreadable::Io { path, source: errno.into() }),
        };
        // Opening a device can do something.
        refuse_other(kind, &path)?;
        let opened = openat(&self.fd, name, FILE, Mode::empty());
        let fd = opened.map_err(|errno| replaced_or_io(path.clone(), errno))?;
        let found =
            fstat(&fd).map_err(|errno| Unreadable::Io { path: path.clone(), source: errno.into() })?;
        refuse_other(FileType::from_raw_mode(found.st_mode), &path)?;
        Ok(Some(File::from(fd)))
    }

    /// The content of a file of at most `most` bytes; `None` if nothing has that name.
    pub(crate) fn read(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>, Unreadable> {
        let Some(file) = self.file(name)? else { return Ok(None) };
        let path = self.path.join(name);
        let mut bytes = Vec::new();
        let read = file.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|source| Unreadable::Io { path: path.clone(), source })?;
        if bytes.len() as u64 > most { Err(Unreadable::TooLarge(path)) } else { Ok(Some(bytes)) }
    }

    /// Like [`Self::below`]; what is missing is made.
    pub(crate) fn make_below(&self, path: &str) -> Result<Self, Unreadable> {
        let mut above: Option<Self> = None;
        for name in path.split('/') {
            let dir = above.as_ref().unwrap_or(self);
            match mkdirat(&dir.fd, name, Mode::RWXU) {
                Err(errno) if errno != Errno::EXIST => {
                    return Err(Unreadable::Io { path: dir.path.join(name), source: errno.into() });
                }
                _ => {}
            }
            let made = dir.below(name)?;
            above = Some(made.ok_or_else(|| replaced_or_io(dir.path.join(name), Errno::NOENT))?);
        }
        above.ok_or_else(|| replaced_or_io(self.path.clone(), Errno::INVAL))
    }

    /// Replaces a file with this content. If a link has that name, the link is replaced.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> Result<(), Unreadable> {
        let temporary = format!("{name}.git-wf");
        self.replace(name, &temporary, content)
            .map_err(|source| Unreadable::Io { path: self.path.join(name), source })
    }

    fn replace(&self, name: &str, temporary: &str, content: &[u8]) -> io::Result<()> {
        match unlinkat(&self.fd, temporary, AtFlags::empty()) {
            Err(errno) if errno != Errno::NOENT => return Err(errno.into()),
            _ => {}
        }
        let fd = openat(&self.fd, temporary, NEW_FILE, Mode::RUSR | Mode::WUSR)?;
        File::from(fd).write_all(content)?;
        Ok(renameat(&self.fd, temporary, &self.fd, name)?)
    }

    /// The names of what is in the directory, at most `most`.
    pub(crate) fn names(&self, most: usize) -> Result<Vec<OsString>, Unreadable> {
        let io = |errno: Errno| Unreadable::Io { path: self.path.clone(), source: errno.into() };
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            if names.len() == most {
                return Err(Unreadable::TooLarge(self.path.clone()));
            }
            names.push(name.to_owned());
        }
        Ok(names)
    }

    /// Its path in the workplace.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn refuse_other(kind: FileType, path: &Path) -> Result<(), Unreadable> {
    let is = match kind {
        FileType::RegularFile => return Ok(()),
        FileType::Symlink => "a link",
        FileType::Directory => "a directory, not a file",
        FileType::Fifo => "a pipe",
        _ => "not a regular file",
    };
    Err(Unreadable::Replaced { path: path.to_owned(), is })
}

fn replaced_or_io(path: PathBuf, errno: Errno) -> Unreadable {
    match errno {
        Errno::NOTDIR | Errno::LOOP => Unreadable::Replaced { path, is: "not a directory" },
        errno => Unreadable::Io { path, source: errno.into() },
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, mknodat};

    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("place");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), "text").unwrap();
        std::fs::write(folder.path().join("secret"), "secret").unwrap();
        symlink(folder.path().join("secret"), root.join("a/link")).unwrap();
        symlink(folder.path(), root.join("away")).unwrap();
        mknodat(CWD, root.join("a/pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let dir = UntrustedDir::open(&root).unwrap();
        let inner = dir.below("a/b").unwrap().unwrap();
        assert_eq!(inner.read("file", 4).unwrap().unwrap(), b"text");
        assert!(matches!(inner.read("file", 3), Err(Unreadable::TooLarge(_))));
        assert!(inner.read("none", 3).unwrap().is_none() && dir.below("a/none/x").unwrap().is_none());
        let above = dir.below("a").unwrap().unwrap();
        for (name, is) in [("link", "`a/link` is a link"), ("pipe", "`a/pipe` is a pipe")] {
            assert_eq!(above.read(name, 9).unwrap_err().to_string(), is);
        }
        assert_eq!(above.read("b", 9).unwrap_err().to_string(), "`a/b` is a directory, not a file");
        assert_eq!(dir.below("away").unwrap_err().to_string(), "`away` is not a directory");
        assert_eq!(dir.below("a/link/x").unwrap_err().to_string(), "`a/link` is not a directory");
        assert!(matches!(above.names(2), Err(Unreadable::TooLarge(_))));
        assert_eq!(above.names(3).unwrap().len(), 3);
        symlink(&root, folder.path().join("other")).unwrap();
        assert!(UntrustedDir::open(&folder.path().join("other")).is_err());
    }

    #[test]
    fn no_link_is_followed_by_writing() {
        let folder = tempfile::tempdir().unwrap();
        let (root, secret) = (folder.path().join("place"), folder.path().join("secret"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(&secret, "secret").unwrap();
        for name in ["main", "main.git-wf"] {
            symlink(&secret, root.join(name)).unwrap();
        }
        let dir = UntrustedDir::open(&root).unwrap();
        dir.write("main", b"new").unwrap();
        assert!(!root.join("main").is_symlink());
        assert_eq!(std::fs::read(root.join("main")).unwrap(), b"new");
        assert_eq!(std::fs::read(&secret).unwrap(), b"secret");
        dir.make_below("a/b").unwrap().write("c", b"").unwrap();
        assert!(root.join("a/b/c").is_file());
        symlink(folder.path(), root.join("away")).unwrap();
        assert!(dir.make_below("away/x").is_err() && !folder.path().join("x").exists());
        std::fs::create_dir(root.join("folder")).unwrap();
        assert!(dir.write("folder", b"").is_err());
    }
}
