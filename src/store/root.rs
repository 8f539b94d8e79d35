//! The constant first commit that all stores share, so that any two of them can be merged.

use super::layout::ROOT_PATH;
use super::{Store, StoreError};
use crate::git::{Date, Entry, EntryKind, Kind, ObjectId, Repository, Signature, Tree, make};
use crate::model::file_bytes;
use crate::model::root::FORMAT;

/// The name in commits that depend on their parents alone.
pub(super) const NAME: &str = "git-wf";
/// An address that cannot receive mail.
pub(crate) const EMAIL: &str = "git-wf@localhost";
const MESSAGE: &str = "git-wf: an empty store\n";

/// The signature of commits that every clone makes identically.
pub(super) fn signature(seconds: i64) -> Signature {
    Signature { name: NAME.into(), email: EMAIL.into(), time: Date::new(seconds, 0) }
}

impl Store {
    /// The id of the first commit of all stores. The commit itself may be missing here.
    pub(crate) fn first_commit(&self) -> Result<ObjectId, StoreError> {
        make(&self.in_memory())
    }
}

/// Makes the root commit in `repo`. If `repo` is in memory, the commit is only there.
pub(super) fn make(repo: &Repository) -> Result<ObjectId, StoreError> {
    let wf = file_bytes(&serde_json::json!({ "format": FORMAT }));
    let oid = make::bytes(repo, Kind::Blob, &wf)?;
    let entry = Entry { mode: EntryKind::Blob.into(), filename: ROOT_PATH.into(), oid };
    let tree = make::object(repo, &Tree { entries: vec![entry] })?;
    Ok(repo.make_commit(tree, [], &signature(0), MESSAGE)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second implementation can check that it makes the same commit.
    #[test]
    fn the_first_commit_is_the_one_that_the_format_names() {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repository::init_bare(folder.path());
        let id = make(&repo).unwrap().to_string();
        assert_eq!(id, "441dcc324b8c7eb6eb155294920f6f982538e215");
        assert!(include_str!("../../man/gitwf-format.5").contains(&id));
    }
}
