//! What git is told to force onto the disk before it goes on: `core.fsync`.

use std::fs::File;
use std::path::Path;

use super::error::GitError;

/// One kind of file that `core.fsync` speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// One object to a file.
    LooseObject,
    /// A pack and its index.
    Pack,
    /// The file of a reference.
    Reference,
}

impl Part {
    fn named(word: &str) -> &'static [Self] {
        match word {
            "loose-object" => &[Self::LooseObject],
            "pack" => &[Self::Pack],
            "reference" => &[Self::Reference],
            "objects" => &[Self::LooseObject, Self::Pack],
            "committed" | "added" | "all" => &[Self::LooseObject, Self::Pack, Self::Reference],
            // git knows more kinds, which are not written here.
            _ => &[],
        }
    }
}

/// Loose objects and references are left to the system, as git leaves them.
const DEFAULT: &[Part] = &[Part::Pack];

/// Reads the value as git does: `none`, or a list of kinds on top of the default, with `-` before one to leave out.
pub(crate) fn parts(config: Option<&str>) -> Vec<Part> {
    let config = config.unwrap_or_default().trim();
    if config == "none" {
        return Vec::new();
    }
    let mut parts = DEFAULT.to_vec();
    for word in config.split(',').map(str::trim) {
        let (word, is_wanted) = word.strip_prefix('-').map_or((word, true), |word| (word, false));
        let named = Part::named(word);
        parts.retain(|part| !named.contains(part));
        if is_wanted {
            parts.extend(named);
        }
    }
    parts
}

/// Forces a file onto the disk.
pub(crate) fn sync(path: &Path) -> Result<(), GitError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(GitError::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        use Part::{LooseObject, Pack, Reference};
        assert_eq!(parts(None), [Pack]);
        assert_eq!(parts(Some("none")), []);
        assert_eq!(parts(Some("reference")), [Pack, Reference]);
        assert_eq!(parts(Some("committed,-loose-object")), [Pack, Reference]);
        assert_eq!(parts(Some("all, -pack, index")), [LooseObject, Reference]);
    }
}
