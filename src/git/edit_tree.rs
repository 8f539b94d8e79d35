//! Trees of the project with some paths changed. Nothing is checked out, and no ref holds them.

use bstr::BStr;

use super::{EntryKind, GitError, Kind, ObjectId, Repository, WriteTo, make, trees};

/// What a path becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathEdit<'a> {
    /// This entry.
    Put(EntryKind, ObjectId),
    /// A file of this kind with this text.
    Write(EntryKind, &'a str),
    /// Nothing.
    Remove,
}

impl Repository {
    /// Writes the tree `base` with these paths changed, one after the other.
    ///
    /// # Errors
    /// If a tree cannot be read or written, or a path can be in no tree.
    pub(crate) fn edited_tree(
        &self,
        base: ObjectId,
        edits: &[(&str, PathEdit<'_>)],
    ) -> Result<ObjectId, GitError> {
        let failed = GitError::object("cannot write a tree");
        let mut editor = self.gix.edit_tree(base).map_err(&failed)?.detach();
        for (path, edit) in edits {
            let parts = path.split('/').map(BStr::new);
            match edit {
                PathEdit::Put(kind, id) => editor.upsert(parts, *kind, *id).map_err(&failed)?,
                PathEdit::Write(kind, text) => {
                    let blob = make::bytes(self, Kind::Blob, text.as_bytes())?;
                    editor.upsert(parts, *kind, blob).map_err(&failed)?
                }
                PathEdit::Remove => editor.remove(parts).map_err(&failed)?,
            };
        }
        editor.write(|tree| {
            trees::refuse_large("", usize::try_from(tree.size()).unwrap_or(usize::MAX))?;
            make::object(self, tree)
        })
    }
}
