//! Opens what is below a directory without following any link on the way.

use std::io;
use std::path::{Component, Path};

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

/// The directory of a file below `root`, and the file's name. `None` if the directory is not there; with `is_made` it is
/// made.
///
/// # Errors
/// `NotADirectory` where a file or a link is in its place; `InvalidInput` for a path that leads elsewhere.
pub(crate) fn parent_below<'a>(
    root: &Path,
    path: &'a Path,
    is_made: bool,
) -> io::Result<Option<(OwnedFd, &'a Path)>> {
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let (Some(parents), Some(name), true) = (path.parent(), path.file_name(), is_plain) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the relative path of a file"));
    };
    let way = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for part in parents.components() {
        if is_made {
            match mkdirat(&at, part.as_os_str(), Mode::from_raw_mode(0o777)) {
                Err(error) if error != Errno::EXIST => return Err(error.into()),
                _ => {}
            }
        }
        at = match openat(&at, part.as_os_str(), way, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(io::ErrorKind::NotADirectory.into()),
            opened => opened?,
        };
    }
    Ok(Some((at, Path::new(name))))
}
