//! Reads objects of unknown size: an object above the limit is never loaded into memory.

use gix::ObjectId;
use gix::objs::Kind;

use super::{GitError, Repository};

/// The largest factor by which deflate can compress (RFC 1951: two bits can stand for 258 bytes).
const DEFLATE: u64 = 1032;

/// The object, if it is of this kind and has at most `most` bytes; `None` otherwise. A missing object is an error,
/// which says `doing`.
pub(crate) fn find<'repo>(
    repo: &'repo Repository,
    id: ObjectId,
    kind: Kind,
    most: u64,
    doing: &'static str,
) -> Result<Option<gix::Object<'repo>>, GitError> {
    let failed = GitError::object(doing);
    if !is_short_file(repo, id, most) {
        let header = repo.header(id).map_err(&failed)?;
        if header.kind != kind || header.size > most {
            return Ok(None);
        }
    }
    #[cfg(test)]
    READ.with(|read| read.set(read.get() + 1));
    let object = repo.object(id).map_err(failed)?;
    Ok(if object.kind == kind { Some(object) } else { None })
}

/// Whether the object is loose and its file too short to hold more than `most` bytes. Checking the file's length is
/// far cheaper than reading the object's size, which opens and decompresses the file.
fn is_short_file(repo: &Repository, id: ObjectId, most: u64) -> bool {
    let hex = id.to_hex().to_string();
    let (folder, file) = hex.split_at(2);
    let path = repo.objects_dir().join(folder).join(file);
    path.metadata().is_ok_and(|file| file.len() <= most / DEFLATE)
}

#[cfg(test)]
thread_local! {
    /// How many objects were read.
    pub(crate) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};

    #[test]
    fn what_is_too_large_is_not_read_loose_or_packed() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let small = repo.gix.write_blob("small").unwrap().detach();
        let large = repo.gix.write_blob(vec![0; 2_000_000]).unwrap().detach();
        let found =
            |id, kind, most| find(&repo, id, kind, most, "x").unwrap().map(|object| object.data.len());
        let look = || {
            assert_eq!(found(small, Kind::Blob, 1_000_000), Some(5));
            assert_eq!(found(small, Kind::Tree, 1_000_000), None);
            assert_eq!(found(small, Kind::Blob, 4), None);
            assert_eq!(found(large, Kind::Blob, 1_000_000), None);
            assert_eq!(found(large, Kind::Blob, 2_000_000), Some(2_000_000));
        };
        look();
        let git = |args: &[&str], stdin: std::process::Stdio| {
            let mut command = std::process::Command::new("git");
            command.env("GIT_DIR", folder.path()).args(args).stdin(stdin).stdout(std::process::Stdio::null());
            assert!(command.status().unwrap().success());
        };
        let mut list = tempfile::tempfile().unwrap();
        write!(list, "{small}\n{large}\n").unwrap();
        list.rewind().unwrap();
        let packs = folder.path().join("objects/pack/pack");
        git(&["pack-objects", "--quiet", packs.to_str().unwrap()], list.into());
        git(&["prune-packed"], std::process::Stdio::null());
        look();
        let missing = ObjectId::null(gix::hash::Kind::Sha1);
        assert!(find(&repo, missing, Kind::Blob, 9, "x").is_err());
    }

    #[test]
    fn deflate_makes_nothing_smaller_than_that() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let most = 8 * 1024 * 1024;
        let large = repo.gix.write_blob(vec![0; most + 1]).unwrap().detach();
        assert!(!is_short_file(&repo, large, most as u64));
    }
}
