//! Creates objects. If the repository works in memory, they are kept there even if they are already on disk: such an
//! object may be unreachable, and a `gc` could remove it before a new commit refers to it.

use gix::ObjectId;
use gix::objs::{Kind, Write, WriteTo};

use super::{GitError, Repository};

/// Writes a tree or a commit.
pub(crate) fn object(repo: &Repository, object: &dyn WriteTo) -> Result<ObjectId, GitError> {
    repo.gix.objects.write(object).map_err(GitError::object("cannot write an object"))
}

/// Writes an object, given its bytes.
pub(crate) fn bytes(repo: &Repository, kind: Kind, bytes: &[u8]) -> Result<ObjectId, GitError> {
    repo.gix.objects.write_buf(kind, bytes).map_err(GitError::object("cannot write an object"))
}

/// Writes an object unless it is one of `held`, which a ref already contains.
pub(crate) fn unless_held(
    repo: &Repository,
    object: &dyn WriteTo,
    held: &[ObjectId],
) -> Result<ObjectId, GitError> {
    let failed = GitError::object("cannot write an object");
    let mut data = Vec::new();
    // Writing to memory does not fail. If it did, the bytes would be incomplete and the id one that no object has.
    let _ = object.write_to(&mut data);
    let id = gix::objs::compute_hash(repo.hash_kind(), object.kind(), &data).map_err(failed)?;
    if held.contains(&id) { Ok(id) } else { bytes(repo, object.kind(), &data) }
}
