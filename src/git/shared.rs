//! The modes of files and folders in a git directory, as git gives them: by the umask, and in a repository that is
//! shared (`core.sharedRepository`), whatever the umask says.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use super::Repository;

const GROUP: u32 = 0o660;
const EVERYBODY: u32 = 0o664;
const SET_GROUP: u32 = 0o2000;

/// Who else can use the files that are made in a git directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SharedMode {
    /// The umask decides.
    Umask,
    /// These bits are added to what the umask leaves: `group`, `all`.
    Added(u32),
    /// A file has exactly these bits: `0640`.
    Exact(u32),
}

impl SharedMode {
    /// Reads the value of `core.sharedRepository` as git does; `is_true` is its value as a boolean.
    fn parse(value: Option<&str>, is_true: bool) -> Self {
        let group_if = |wanted| if wanted { Self::Added(GROUP) } else { Self::Umask };
        match value {
            None => group_if(is_true),
            Some("umask") => Self::Umask,
            Some("group") => Self::Added(GROUP),
            Some("all" | "world" | "everybody") => Self::Added(EVERYBODY),
            Some(text) => match u32::from_str_radix(text, 8) {
                Err(_) => group_if(is_true),
                Ok(0) => Self::Umask,
                Ok(1) => Self::Added(GROUP),
                Ok(2) => Self::Added(EVERYBODY),
                Ok(mode) => Self::Exact(mode & 0o666),
            },
        }
    }

    /// The mode that git gives a file or folder which was made with the mode `old`, including its type.
    fn mode(self, old: u32, is_folder: bool) -> u32 {
        let bits = match self {
            Self::Umask => return old,
            Self::Added(bits) | Self::Exact(bits) => bits,
        };
        let mut bits = if old & 0o200 == 0 { bits & !0o222 } else { bits };
        if old & 0o100 != 0 {
            bits |= (bits & 0o444) >> 2;
        }
        let kept = if matches!(self, Self::Exact(_)) { old & !0o777 } else { old };
        let mode = kept | bits;
        if !is_folder {
            return mode;
        }
        let mode = mode | (mode & 0o444) >> 2;
        if mode & 0o060 == 0 { mode } else { mode | SET_GROUP }
    }

    /// Gives a file or folder that was just made the mode that git would give it.
    pub(crate) fn adjust(self, path: &Path) -> io::Result<()> {
        if self == Self::Umask {
            return Ok(());
        }
        let found = path.metadata()?;
        let (old, new) = (found.mode(), self.mode(found.mode(), found.is_dir()));
        if old == new { Ok(()) } else { std::fs::set_permissions(path, Permissions::from_mode(new & 0o7777)) }
    }

    /// Like [`SharedMode::adjust`], for what may be missing, or belong to someone else, who made it writable for others.
    pub(super) fn adjust_own(self, path: &Path) -> io::Result<()> {
        match self.adjust(path) {
            Err(error)
                if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) =>
            {
                Ok(())
            }
            result => result,
        }
    }

    /// Makes a folder and those above it.
    pub(crate) fn create_folder(self, folder: &Path) -> io::Result<()> {
        match std::fs::create_dir(folder) {
            Ok(()) => self.adjust(folder),
            Err(_) if folder.is_dir() => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let parent = folder.parent().ok_or(error)?;
                self.create_folder(parent)?;
                match std::fs::create_dir(folder) {
                    Ok(()) => self.adjust(folder),
                    // Another process made it meanwhile.
                    Err(_) if folder.is_dir() => Ok(()),
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Opens a file for reading and writing, and makes it if it is missing.
    pub(crate) fn open(self, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        self.adjust_own(path)?;
        Ok(file)
    }

    /// Writes a file in place.
    pub(crate) fn write(self, path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        std::fs::write(path, bytes)?;
        self.adjust_own(path)
    }

    /// Writes a file so that a reader sees all of it or the one before.
    pub(crate) fn replace(self, path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file =
            tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
        file.write_all(bytes.as_ref())?;
        self.adjust(file.path())?;
        file.persist(path)?;
        Ok(())
    }
}

impl Repository {
    /// Who else can use the files that are made in the git directory.
    pub(crate) fn shared_mode(&self) -> SharedMode {
        let config = self.config();
        SharedMode::parse(
            config.text("core.sharedRepository").as_deref(),
            config.boolean("core.sharedRepository").unwrap_or_default(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        use SharedMode::{Added, Exact, Umask};
        let cases = [
            ("umask", Umask),
            ("false", Umask),
            ("0", Umask),
            ("group", Added(0o660)),
            ("true", Added(0o660)),
            ("1", Added(0o660)),
            ("yes", Added(0o660)),
            ("all", Added(0o664)),
            ("world", Added(0o664)),
            ("everybody", Added(0o664)),
            ("2", Added(0o664)),
            ("0660", Exact(0o660)),
            ("0640", Exact(0o640)),
        ];
        for (value, expected) in cases {
            let is_true = matches!(value, "true" | "yes" | "1");
            assert_eq!(SharedMode::parse(Some(value), is_true), expected, "{value}");
        }
        assert_eq!(SharedMode::parse(None, false), Umask);
    }

    /// What git itself gives files and folders, for each value and umask.
    #[test]
    fn modes_are_those_of_git() {
        let cases = [
            (SharedMode::Added(GROUP), 0o100_600, false, 0o100_660),
            (SharedMode::Added(GROUP), 0o100_400, false, 0o100_440),
            (SharedMode::Added(GROUP), 0o100_444, false, 0o100_444),
            (SharedMode::Added(GROUP), 0o100_755, false, 0o100_775),
            (SharedMode::Added(GROUP), 0o40_700, true, 0o42_770),
            (SharedMode::Added(GROUP), 0o40_755, true, 0o42_775),
            (SharedMode::Added(EVERYBODY), 0o40_700, true, 0o42_775),
            (SharedMode::Exact(0o660), 0o100_644, false, 0o100_660),
            (SharedMode::Exact(0o640), 0o40_755, true, 0o42_750),
            (SharedMode::Exact(0o600), 0o40_755, true, 0o40_700),
            (SharedMode::Umask, 0o100_644, false, 0o100_644),
        ];
        for (shared, old, is_folder, expected) in cases {
            assert_eq!(shared.mode(old, is_folder), expected, "{shared:?} {old:o}");
        }
    }
}
