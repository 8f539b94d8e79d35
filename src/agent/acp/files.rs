//! The files that an agent reads and writes through this program: only those of its work tree.

use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Longer files are refused.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// At most `limit` lines of a file, starting at line `line`, counted from 1.
pub(super) fn read(root: &Path, path: &Path, line: Option<u32>, limit: Option<u32>) -> io::Result<String> {
    let file = inside(root, path)?.canonicalize()?;
    within(root, &file)?;
    let data = file.metadata()?;
    if !data.is_file() {
        return Err(refused("not a file", path));
    }
    if data.len() > MOST_BYTES {
        return Err(refused("the file is too large", path));
    }
    let text = std::fs::read_to_string(file)?;
    if line.is_none() && limit.is_none() {
        return Ok(text);
    }
    let skipped = line.map_or(0, |line| line.saturating_sub(1)) as usize;
    let most = limit.map_or(usize::MAX, |limit| limit as usize);
    Ok(text.split_inclusive('\n').skip(skipped).take(most).collect())
}

/// Replaces or creates a text file, with its parent directories.
pub(super) fn write(root: &Path, path: &Path, text: &str) -> io::Result<()> {
    if text.len() as u64 > MOST_BYTES {
        return Err(refused("the text is too long", path));
    }
    let file = inside(root, path)?;
    let folder = file.parent().ok_or_else(|| refused("not a file", path))?;
    // Existing parent directories must not lead outside through a link; missing ones are created and cannot.
    let known = folder.ancestors().find(|folder| folder.symlink_metadata().is_ok());
    within(root, &known.unwrap_or(root).canonicalize()?)?;
    std::fs::create_dir_all(folder)?;
    let folder = folder.canonicalize()?;
    within(root, &folder)?;
    let target = folder.join(file.file_name().ok_or_else(|| refused("not a file", path))?);
    let target = match target.symlink_metadata() {
        Ok(data) if data.is_symlink() => target.canonicalize()?,
        Ok(_) => target,
        Err(error) if error.kind() == ErrorKind::NotFound => target,
        Err(error) => return Err(error),
    };
    within(root, &target)?;
    if target.metadata().is_ok_and(|data| !data.is_file()) {
        return Err(refused("not a file", path));
    }
    std::fs::write(target, text)
}

/// Checks that the path, as written, stays in the work tree.
fn inside(root: &Path, path: &Path) -> io::Result<PathBuf> {
    let rest = if path.is_absolute() {
        // The agent may know the work tree by another path.
        let real = root.canonicalize()?;
        let rest = path.strip_prefix(root).or_else(|_| path.strip_prefix(&real));
        rest.map_err(|_| refused("outside the work tree", path))?.to_owned()
    } else {
        path.to_owned()
    };
    if rest.as_os_str().is_empty() || rest.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(refused("outside the work tree", path));
    }
    if rest.components().any(is_git) {
        return Err(refused("git's own", path));
    }
    Ok(root.join(rest))
}

/// Checks a path whose links are resolved.
fn within(root: &Path, file: &Path) -> io::Result<()> {
    let rest = file.strip_prefix(root.canonicalize()?).map_err(|_| refused("outside the work tree", file))?;
    if rest.components().any(is_git) { Err(refused("git's own", file)) } else { Ok(()) }
}

/// Agents may not write inside `.git`: hooks and settings there are commands.
fn is_git(part: Component<'_>) -> bool {
    part.as_os_str().to_string_lossy().eq_ignore_ascii_case(".git")
}

fn refused(why: &str, path: &Path) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, format!("{}: {why}", path.display()))
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
    }
}
