//! Copies the objects of a workplace to where no agent can change them.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;

use super::WorkplaceError;
use super::untrusted::{Unreadable, UntrustedDir};
use crate::git::{HashKind, SealedGit, size_of_loose, size_of_pack};

/// How much one hand-in may contain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HandInLimits {
    /// Bytes in all files of objects together, and in all objects once they are unpacked.
    pub(crate) bytes: u64,
    /// Files of objects.
    pub(crate) files: usize,
}

/// Each pack starts a process, and an agent that repacks has one.
const MOST_PACKS: usize = 1_000;

impl HandInLimits {
    /// More than an agent writes by hand, and less than fills a disk.
    pub(crate) const DEFAULT: Self = Self { bytes: 2 << 30, files: 500_000 };
}

/// Copies loose objects and packs from the git directory of a workplace. Nothing else that is there counts: the program makes its
/// own indexes, and no other directory of objects is looked up.
pub(super) fn copy(
    git_dir: &UntrustedDir,
    to: &SealedGit,
    hash: HashKind,
    limits: HandInLimits,
) -> Result<(), WorkplaceError> {
    let Some(objects) = git_dir.below("objects")? else { return Ok(()) };
    let mut left =
        Left { limits, bytes: limits.bytes, unpacked: limits.bytes, files: limits.files, packs: MOST_PACKS };
    let folder = to.objects();
    for fan in (0..=u8::MAX).map(|byte| format!("{byte:02x}")) {
        let Some(from) = objects.below(&fan)? else { continue };
        let digits = hash.len_in_hex() - fan.len();
        let into = folder.join(&fan);
        fs::create_dir_all(&into).map_err(|source| WorkplaceError::write(&into, source))?;
        for name in from.names(limits.files)? {
            if is_hex(&name, digits)
                && let Some(file) = from.file(&name)?
            {
                left.copy(file, &into.join(&name), from.path())?;
            }
        }
    }
    let Some(packs) = objects.below("pack")? else { return Ok(()) };
    for name in packs.names(limits.files)? {
        let is_pack = Path::new(&name).extension() == Some(OsStr::new("pack"));
        if is_pack && let Some(file) = packs.file(&name)? {
            let size = file.metadata().map_or(u64::MAX, |file| file.len());
            left.take(size)?;
            left.take_pack(&file, hash)?;
            to.unpack(file, left.limits.bytes)?;
        }
    }
    Ok(())
}

/// How much may still be copied.
struct Left {
    limits: HandInLimits,
    bytes: u64,
    /// Bytes in all objects, once they are unpacked.
    unpacked: u64,
    files: usize,
    packs: usize,
}

impl Left {
    /// Counts what is in a pack, before git reads it from its beginning.
    fn take_pack(&mut self, mut pack: &File, hash: HashKind) -> Result<(), WorkplaceError> {
        self.packs = self.packs.checked_sub(1).ok_or(WorkplaceError::TooMuch(self.limits))?;
        let broken = |source| Unreadable::Io { path: "objects/pack".into(), source };
        self.take_unpacked(size_of_pack(pack, hash, self.unpacked).map_err(broken)?)?;
        Ok(pack.rewind().map_err(broken)?)
    }

    fn take_unpacked(&mut self, bytes: u64) -> Result<(), WorkplaceError> {
        let left = self.unpacked.checked_sub(bytes);
        self.unpacked = left.ok_or(WorkplaceError::TooMuch(self.limits))?;
        Ok(())
    }

    fn take(&mut self, bytes: u64) -> Result<(), WorkplaceError> {
        let left = self.bytes.checked_sub(bytes).zip(self.files.checked_sub(1));
        (self.bytes, self.files) = left.ok_or(WorkplaceError::TooMuch(self.limits))?;
        Ok(())
    }

    fn copy(&mut self, file: File, to: &Path, from: &Path) -> Result<(), WorkplaceError> {
        let most = self.bytes;
        self.take_unpacked(size_of_loose(&file).unwrap_or(0))?;
        (&file).rewind().map_err(|source| Unreadable::Io { path: from.to_owned(), source })?;
        let mut made = File::create(to).map_err(|source| WorkplaceError::write(to, source))?;
        let copied = io::copy(&mut file.take(most.saturating_add(1)), &mut made);
        self.take(copied.map_err(|source| Unreadable::Io { path: from.to_owned(), source })?)
    }
}

fn is_hex(name: &OsStr, digits: usize) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes.len() == digits && bytes.iter().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Repository;

    #[test]
    fn a_hand_in_is_limited_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let [lender, git_dir] = ["lender", "git"].map(|name| folder.path().join(name));
        let hash = Repository::init_bare(&lender).hash_kind();
        let loose = git_dir.join("objects/00").join("0".repeat(hash.len_in_hex() - 2));
        let pack = git_dir.join("objects/pack/pack-1.pack");
        for file in [&loose, &pack] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        let copied = |bytes: u64, files: usize| {
            let to = folder.path().join(format!("{bytes}-{files}"));
            let to = SealedGit::create(&to, None, hash, &lender).unwrap();
            copy(&UntrustedDir::open(&git_dir).unwrap(), &to, hash, HandInLimits { bytes, files })
        };
        fs::write(&loose, [0; 100]).unwrap();
        fs::write(loose.with_file_name("ignored"), [0; 1000]).unwrap();
        copied(100, 2).unwrap();
        assert!(matches!(copied(99, 2), Err(WorkplaceError::TooMuch(_))));
        assert!(copied(100, 1).unwrap_err().to_string().contains("`objects/00` is too large"));
        // A sparse pack of 1 TiB takes no space on the disk, and would take hours to read.
        File::create(&pack).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(copied(1 << 30, 9), Err(WorkplaceError::TooMuch(_))));
        fs::write(&pack, "PACK").unwrap();
        assert!(matches!(copied(1 << 30, 9), Err(WorkplaceError::Unreadable(_))));
    }
}
