//! The files that an agent reads and writes through this program: only those of its work tree.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, mkdirat, openat};
use rustix::io::Errno;

/// Longer files are refused.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Why a file is neither read nor written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    /// It is not in the work tree.
    #[error("{}: outside the work tree", .0.display())]
    Outside(PathBuf),
    /// It is in `.git`.
    #[error("{}: git's own", .0.display())]
    Git(PathBuf),
    /// It is a directory, or something that cannot be read to its end.
    #[error("{}: not a file", .0.display())]
    NotAFile(PathBuf),
    /// It, or the text, is larger than is allowed.
    #[error("{}: {} is too large", path.display(), what)]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The file or the text.
        what: &'static str,
    },
    /// The system does not do it.
    #[error("{}: {source}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl FileError {
    /// Whether no agent may have the file. Anything else is an ordinary mistake.
    pub(super) fn is_forbidden(&self) -> bool {
        matches!(self, Self::Outside(_) | Self::Git(_))
    }

    fn system<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self {
        move |error| Self::System { path: path.to_owned(), source: error.into() }
    }
}

/// At most `limit` lines of a file, starting at line `line`, counted from 1.
pub(super) fn read(
    root: &Path,
    path: &Path,
    line: Option<u32>,
    limit: Option<u32>,
) -> Result<String, FileError> {
    let file = inside(root, path)?.canonicalize().map_err(FileError::system(path))?;
    let file = open(root, &file, OFlags::RDONLY, path)?;
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(FileError::system(path))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(FileError::TooLarge { path: path.to_owned(), what: "the file" });
    }
    if line.is_none() && limit.is_none() {
        return Ok(text);
    }
    let skipped = line.map_or(0, |line| line.saturating_sub(1)) as usize;
    let most = limit.map_or(usize::MAX, |limit| limit as usize);
    Ok(text.split_inclusive('\n').skip(skipped).take(most).collect())
}

/// Replaces or creates a text file, with its parent directories.
pub(super) fn write(root: &Path, path: &Path, text: &str) -> Result<(), FileError> {
    if text.len() as u64 > MOST_BYTES {
        return Err(FileError::TooLarge { path: path.to_owned(), what: "the text" });
    }
    let file = inside(root, path)?;
    let target = match file.symlink_metadata() {
        Ok(_) => file.canonicalize().map_err(FileError::system(path))?,
        Err(error) if error.kind() == ErrorKind::NotFound => new_file(&file, path)?,
        Err(error) => return Err(FileError::system(path)(error)),
    };
    let mut file = open(root, &target, OFlags::WRONLY | OFlags::CREATE, path)?;
    file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(FileError::system(path))
}

/// The path of a file that is not there yet, with the links in the path of its directory resolved.
fn new_file(file: &Path, path: &Path) -> Result<PathBuf, FileError> {
    let known = file.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok());
    let known = known.ok_or_else(|| FileError::NotAFile(path.to_owned()))?;
    let rest = file.strip_prefix(known).map_err(|_| FileError::NotAFile(path.to_owned()))?;
    Ok(known.canonicalize().map_err(FileError::system(path))?.join(rest))
}

/// Opens a file of the work tree, whose path has no links. It goes from directory to directory and follows no link, since
/// an agent may put one there after the path was looked at; missing directories are made if the file may be made.
fn open(root: &Path, file: &Path, flags: OFlags, path: &Path) -> Result<File, FileError> {
    let real = root.canonicalize().map_err(FileError::system(path))?;
    let rest = file.strip_prefix(&real).map_err(|_| FileError::Outside(path.to_owned()))?;
    if rest.components().any(is_git) {
        return Err(FileError::Git(path.to_owned()));
    }
    let (folders, name) = match (rest.parent(), rest.file_name()) {
        (Some(folders), Some(name)) => (folders, name),
        _ => return Err(FileError::NotAFile(path.to_owned())),
    };
    let way = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = rustix::fs::open(&real, way, Mode::empty()).map_err(FileError::system(path))?;
    for folder in folders.components() {
        if flags.contains(OFlags::CREATE) {
            match mkdirat(&at, folder.as_os_str(), Mode::from_raw_mode(0o777)) {
                Err(error) if error != Errno::EXIST => return Err(FileError::system(path)(error)),
                _ => {}
            }
        }
        at = openat(&at, folder.as_os_str(), way, Mode::empty()).map_err(FileError::system(path))?;
    }
    // Opening a pipe blocks until its other end is open.
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = openat(&at, name, flags, Mode::from_raw_mode(0o666));
    let file = File::from(opened.map_err(FileError::system(path))?);
    if file.metadata().map_err(FileError::system(path))?.is_file() {
        Ok(file)
    } else {
        Err(FileError::NotAFile(path.to_owned()))
    }
}

/// Checks that the path, as written, stays in the work tree.
fn inside(root: &Path, path: &Path) -> Result<PathBuf, FileError> {
    let rest = if path.is_absolute() {
        // The agent may know the work tree by another path.
        let real = root.canonicalize().map_err(FileError::system(path))?;
        let rest = path.strip_prefix(root).or_else(|_| path.strip_prefix(&real));
        rest.map_err(|_| FileError::Outside(path.to_owned()))?.to_owned()
    } else {
        path.to_owned()
    };
    // `./a` is `a`.
    let rest: PathBuf = rest.components().filter(|part| *part != Component::CurDir).collect();
    if rest.as_os_str().is_empty() {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    if rest.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(FileError::Outside(path.to_owned()));
    }
    if rest.components().any(is_git) {
        return Err(FileError::Git(path.to_owned()));
    }
    Ok(root.join(rest))
}

/// Agents may not write inside `.git`: hooks and settings there are commands.
fn is_git(part: Component<'_>) -> bool {
    part.as_os_str().to_string_lossy().eq_ignore_ascii_case(".git")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn tree() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/a.rs"), "one\ntwo\nthree").unwrap();
        std::fs::write(folder.path().join("secret"), "s").unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("src/a.rs", root.join("alias")).unwrap();
        symlink(".git/hooks", root.join("hooks")).unwrap();
        symlink("../new", root.join("dangling")).unwrap();
        symlink("../../..", root.join("src/far")).unwrap();
        #[cfg(target_os = "linux")]
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), rustix::fs::FileType::Fifo, Mode::RWXU, 0)
            .unwrap();
        (folder, root)
    }

    #[test]
    fn a_file_is_read_whole_or_by_lines() {
        let (_folder, root) = tree();
        let lines = |line, limit| read(&root, &root.join("src/a.rs"), line, limit).unwrap();
        assert_eq!(lines(None, None), "one\ntwo\nthree");
        assert_eq!(lines(Some(2), Some(1)), "two\n");
        assert_eq!((lines(Some(0), Some(1)), lines(Some(9), None)), ("one\n".into(), String::new()));
        assert_eq!(read(&root, Path::new("alias"), None, None).unwrap(), "one\ntwo\nthree");
    }

    #[test]
    fn nothing_leads_out_of_the_work_tree() {
        let (folder, root) = tree();
        for path in [
            "out",
            "up/secret",
            "../secret",
            "src/../../secret",
            "/etc/passwd",
            ".git/config",
            "src",
            "",
            ".",
            "hooks/pre-commit",
            ".GIT/config",
            "dangling",
            "src/far/etc/passwd",
            "up/new",
            "out/new",
            "src/a.rs/new",
            "pipe",
        ] {
            assert!(read(&root, Path::new(path), None, None).is_err(), "{path}");
            assert!(write(&root, Path::new(path), "x").is_err(), "{path}");
        }
        assert!(write(&root, &folder.path().join("secret"), "x").is_err());
        assert_eq!(std::fs::read_to_string(folder.path().join("secret")).unwrap(), "s");
        assert!(!folder.path().join("new").exists() && !root.join(".git/hooks/pre-commit").exists());
    }

    #[test]
    fn files_are_made_with_their_folders_and_links_inside_are_followed() {
        let (_folder, root) = tree();
        write(&root, &root.join("docs/deep/new.md"), "new").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("docs/deep/new.md")).unwrap(), "new");
        write(&root, Path::new("alias"), "four").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("src/a.rs")).unwrap(), "four");
        assert!(root.join("alias").is_symlink());
        write(&root, &root.join("docs/deep/new.md"), "n").unwrap();
        assert_eq!(std::fs::read_to_string(root.join("docs/deep/new.md")).unwrap(), "n");
    }

    #[test]
    fn a_link_that_is_put_there_after_the_path_was_looked_at_leads_nowhere() {
        let (folder, root) = tree();
        let looked_at = root.canonicalize().unwrap();
        let flags = OFlags::WRONLY | OFlags::CREATE;
        for file in ["up/new", "hooks/pre-commit", "out", "alias"] {
            assert!(open(&root, &looked_at.join(file), flags, Path::new(file)).is_err(), "{file}");
        }
        assert!(!folder.path().join("new").exists());
        assert_eq!(std::fs::read_to_string(folder.path().join("secret")).unwrap(), "s");
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        let (_folder, root) = tree();
        let long = "x".repeat(usize::try_from(MOST_BYTES).unwrap() + 1);
        std::fs::write(root.join("long"), &long).unwrap();
        assert!(read(&root, Path::new("long"), None, None).unwrap_err().to_string().contains("too large"));
        assert!(write(&root, Path::new("a"), &long).unwrap_err().to_string().contains("too large"));
    }
}
