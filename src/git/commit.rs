//! Reading and writing commits.

use std::borrow::Cow;

use encoding_rs::Encoding;
use gix::actor::{Signature, SignatureRef};
use gix::objs::CommitRef;

use super::{Fault, GitError, ObjectId, Repository, make};

/// A commit.
pub(crate) struct Commit<'repo>(pub(super) gix::Commit<'repo>);

impl Commit<'_> {
    /// The whole commit, as it is stored.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0.data
    }

    /// Its tree.
    pub(crate) fn tree(&self) -> Result<ObjectId, Fault> {
        self.0.tree_id().map(gix::Id::detach)
    }

    /// Its parents.
    pub(crate) fn parents(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.0.parent_ids().map(gix::Id::detach)
    }

    /// Its author.
    pub(crate) fn author(&self) -> Result<SignatureRef<'_>, Fault> {
        self.0.author()
    }

    /// Its committer.
    pub(crate) fn committer(&self) -> Result<SignatureRef<'_>, Fault> {
        self.0.committer()
    }

    /// The committer's date, in seconds since 1970.
    pub(crate) fn seconds(&self) -> Result<i64, Fault> {
        self.0.time().map(|time| time.seconds)
    }

    /// The whole message, in UTF-8.
    pub(crate) fn message(&self) -> Result<Cow<'_, [u8]>, Fault> {
        Ok(self.in_utf8(self.0.message_raw()?))
    }

    /// A text of the commit in UTF-8: it is in the encoding that the header names (`i18n.commitEncoding`). As in git, a
    /// text in an unknown encoding is left as it is.
    pub(crate) fn in_utf8<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let label = self.decode().ok().and_then(|commit| commit.encoding);
        let Some(encoding) = label.and_then(|label| Encoding::for_label(label)) else {
            return Cow::Borrowed(text);
        };
        match encoding.decode_without_bom_handling(text).0 {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    /// All its parts at once.
    pub(crate) fn decode(&self) -> Result<CommitRef<'_>, Fault> {
        self.0.decode()
    }

    /// Checks that it has everything that a walk reads: tree, parents, author and committer.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let commit = self.decode()?;
        commit.author()?;
        commit.committer()?;
        self.committer().map(drop)
    }
}

impl Repository {
    /// Makes a commit with this tree and these parents; author and committer are the same.
    pub(crate) fn make_commit(
        &self,
        tree: ObjectId,
        parents: impl IntoIterator<Item = ObjectId>,
        by: &Signature,
        message: &str,
    ) -> Result<ObjectId, GitError> {
        let commit = gix::objs::Commit {
            tree,
            parents: parents.into_iter().collect(),
            author: by.clone(),
            committer: by.clone(),
            encoding: None,
            message: message.into(),
            extra_headers: vec![],
        };
        make::object(self, &commit)
    }
}
