//! Which files an agent may name.

use std::path::{Component, Path, PathBuf};

pub(super) const OUTSIDE: &str = "the file is outside the work tree";
/// Where a shell line may keep a file for a moment.
const TEMPORARY: &str = "/tmp";
pub(super) const GIT_OWN: &str = "the file is one of git's own";

/// Why an agent may not use a file: it is outside of the work tree, also by a link in its path, or is one of git's own.
pub(super) fn refusal(root: &Path, file: &Path) -> Option<&'static str> {
    // Agents also write paths as a shell or a browser reads them.
    let text = file.to_string_lossy();
    if text.starts_with('~') {
        return Some(OUTSIDE);
    }
    if text.starts_with("https://") || text.starts_with("http://") {
        return None;
    }
    if let Some((_, path)) = text.split_once(':').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file")) {
        let path = path.strip_prefix("//localhost").unwrap_or(path);
        let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        return refusal(root, &Path::new("/").join(path.trim_start_matches('/')));
    }
    if file.components().any(|part| matches!(part, Component::ParentDir)) {
        return Some(OUTSIDE);
    }
    let (root, real) = (resolved(root), resolved(&root.join(file)));
    let Ok(inside) = real.strip_prefix(&root) else { return Some(OUTSIDE) };
    is_git(inside).then_some(GIT_OWN)
}

/// Why an agent may not use a file that a command names which runs in `directory`.
pub(super) fn refusal_from(root: &Path, directory: &Path, file: &Path) -> Option<&'static str> {
    if file.is_absolute() || file.to_string_lossy().starts_with('~') {
        return refusal(root, file);
    }
    refusal(root, &reached(directory, file))
}

/// The path to which a relative one leads from a directory, without links.
pub(super) fn reached(directory: &Path, way: &Path) -> PathBuf {
    let mut at = resolved(directory);
    for part in way.components() {
        match part {
            Component::ParentDir => drop(at.pop()),
            Component::CurDir => {}
            part => at = resolved(&at.join(part)),
        }
    }
    at
}

/// Whether a file is directly in the directory for temporary files, and no link leads elsewhere.
pub(super) fn is_temporary(file: &Path) -> bool {
    file.parent() == Some(Path::new(TEMPORARY))
        && file.file_name().is_some()
        && resolved(file).parent() == Some(&resolved(Path::new(TEMPORARY)))
}

/// Whether a part of a path is git's own directory.
pub(super) fn is_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// A path with the links in that part of it that is there.
fn resolved(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (known.canonicalize(), path.strip_prefix(known)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
        // A link that leads nowhere would be followed, too.
        if known.is_symlink() {
            return PathBuf::new();
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_out_of_the_work_tree() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("etc")).unwrap();
        std::os::unix::fs::symlink("nowhere/x", root.path().join("dangling")).unwrap();
        for (file, why) in [
            ("etc/passwd", Some(OUTSIDE)),
            ("dangling", Some(OUTSIDE)),
            ("../x", Some(OUTSIDE)),
            (".git/config", Some(GIT_OWN)),
            ("a/.GIT", Some(GIT_OWN)),
            ("a/b", None),
            ("etc2", None),
            (".gitignore", None),
        ] {
            assert_eq!(refusal(root.path(), Path::new(file)), why, "{file}");
        }
    }
}
