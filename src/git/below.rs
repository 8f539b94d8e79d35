//! Opens what is below a directory without following any link on the way.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, fchmod, mkdirat, openat};
use rustix::io::Errno;

/// What happens to a directory that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing<'a> {
    /// It is not made.
    Left,
    /// It is made, with the mode of the directory at the same path below this one.
    MadeAs(&'a Path),
}

/// The directory of a file below `root`, and the file's name. `None` if the directory is not there and is not made.
///
/// # Errors
/// `NotADirectory` where a file or a link is in its place; `InvalidInput` for a path that leads elsewhere.
pub(crate) fn parent_below<'a>(
    root: &Path,
    path: &'a Path,
    missing: Missing<'_>,
) -> io::Result<Option<(OwnedFd, &'a Path)>> {
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let (Some(parents), Some(name), true) = (path.parent(), path.file_name(), is_plain) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the relative path of a file"));
    };
    let way = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let mut way_to = PathBuf::new();
    for part in parents.components() {
        way_to.push(part);
        let is_new = match missing {
            Missing::Left => false,
            // Until its mode is known, nobody else looks into it.
            Missing::MadeAs(_) => is_made(mkdirat(&at, part.as_os_str(), Mode::RWXU))?,
        };
        at = match openat(&at, part.as_os_str(), way, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(io::ErrorKind::NotADirectory.into()),
            opened => opened?,
        };
        if let Missing::MadeAs(like) = missing
            && is_new
        {
            let mode = like.join(&way_to).symlink_metadata()?.mode();
            fchmod(&at, Mode::from_raw_mode(mode & 0o777))?;
        }
    }
    Ok(Some((at, Path::new(name))))
}

fn is_made(made: rustix::io::Result<()>) -> io::Result<bool> {
    match made {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
