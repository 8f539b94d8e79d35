//! Creates objects. If the repository works in memory, they are kept there even if they are on disk already: such an
//! object may be unreachable, and a `gc` could remove it before a new commit refers to it.

use gix::ObjectId;
use gix::objs::{Kind, Write, WriteTo};

use super::error::GitError;
use super::repository::Repository;

/// A tree or a commit.
pub(crate) fn object(repo: &Repository, object: &dyn WriteTo) -> Result<ObjectId, GitError> {
    repo.gix.objects.write(object).map_err(GitError::object("cannot write an object"))
}

/// An object of which the bytes are known.
pub(crate) fn bytes(repo: &Repository, kind: Kind, bytes: &[u8]) -> Result<ObjectId, GitError> {
    repo.gix.objects.write_buf(kind, bytes).map_err(GitError::object("cannot write an object"))
}

/// An object that may be one of `held`, which a ref holds: nothing is made then.
pub(crate) fn unless_held(
    repo: &Repository,
    object: &dyn WriteTo,
    held: &[ObjectId],
) -> Result<ObjectId, GitError> {
    let failed = GitError::object("cannot write an object");
    let mut data = Vec::new();
    // It writes to memory; what cannot be written makes fewer bytes, and an id that nothing has.
    let _ = object.write_to(&mut data);
    let id = gix::objs::compute_hash(repo.hash_kind(), object.kind(), &data).map_err(failed)?;
    if held.contains(&id) { Ok(id) } else { bytes(repo, object.kind(), &data) }
}
