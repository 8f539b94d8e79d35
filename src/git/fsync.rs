//! Which files git flushes to disk before it continues: `core.fsync`.

use std::fs::File;
use std::path::Path;

use super::{GitError, Repository};

/// A kind of file that `core.fsync` can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FsyncPart {
    /// A loose object.
    LooseObject,
    /// A pack and its index.
    Pack,
    /// The file of a ref.
    Reference,
}

impl FsyncPart {
    fn named(word: &str) -> &'static [Self] {
        match word {
            "loose-object" => &[Self::LooseObject],
            "pack" => &[Self::Pack],
            "reference" => &[Self::Reference],
            "objects" => &[Self::LooseObject, Self::Pack],
            "committed" | "added" | "all" => &[Self::LooseObject, Self::Pack, Self::Reference],
            // git has more kinds, which this program does not write.
            _ => &[],
        }
    }
}

/// git's default: loose objects and refs are left to the system.
const DEFAULT: &[FsyncPart] = &[FsyncPart::Pack];

/// Parses the value as git does: `none`, or a list of kinds added to the default, with `-` before a kind to leave
/// out.
fn parts(config: Option<&str>) -> Vec<FsyncPart> {
    let config = config.unwrap_or_default().trim();
    if config == "none" {
        return Vec::new();
    }
    let mut parts = DEFAULT.to_vec();
    for word in config.split(',').map(str::trim) {
        let (word, is_wanted) = word.strip_prefix('-').map_or((word, true), |word| (word, false));
        let named = FsyncPart::named(word);
        parts.retain(|part| !named.contains(part));
        if is_wanted {
            parts.extend(named);
        }
    }
    parts
}

/// Whether git is configured to flush such files to disk.
pub(super) fn is_wanted(repo: &Repository, part: FsyncPart) -> bool {
    parts(repo.config().text("core.fsync").as_deref()).contains(&part)
}

/// Flushes a file to disk.
pub(crate) fn sync(path: &Path) -> Result<(), GitError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(GitError::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        use FsyncPart::{LooseObject, Pack, Reference};
        assert_eq!(parts(None), [Pack]);
        assert_eq!(parts(Some("none")), []);
        assert_eq!(parts(Some("reference")), [Pack, Reference]);
        assert_eq!(parts(Some("committed,-loose-object")), [Pack, Reference]);
        assert_eq!(parts(Some("all, -pack, index")), [LooseObject, Reference]);
    }
}
