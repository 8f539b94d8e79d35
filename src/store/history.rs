//! The commits of the ref: each is a step of the audit log.

pub(super) mod commit_form;
pub(super) mod commit_size;
pub(crate) mod dates;
pub(super) mod earlier;
pub(super) mod identity_steps;
pub(crate) mod lineage;
pub(super) mod origins;
pub(super) mod shared_map;
pub(super) mod subjects;
pub(crate) mod tree_form;
pub(super) mod versions;

use bstr::ByteSlice;

use super::{Snapshot, Store, StoreError};
use crate::git::ObjectId;
use crate::model::{CommitHash, Person, Time};

/// A longer subject or name is cut when shown; the commit itself keeps it. In bytes.
const LONGEST_LINE: usize = 16 * 1024;
/// Trailers are searched only in this many bytes at the end of a message.
const LONGEST_TRAILERS: usize = 256 * 1024;

#[serde_with::skip_serializing_none]
/// One commit of the ref.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct HistoryStep {
    /// The commit of the ref.
    pub(crate) commit: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The command: `new`, `queue add`, `merge`, …
    #[serde(default)]
    pub(crate) op: Option<String>,
    /// The author: `Name <email>`.
    pub(crate) author: Person,
    /// The name that an agent gave itself.
    #[serde(default)]
    pub(crate) actor: Option<String>,
    /// Their role; absent for an owner.
    #[serde(default)]
    pub(crate) role: Option<String>,
    /// Why a gate was overridden.
    #[serde(default)]
    pub(crate) force: Option<String>,
    /// The time.
    pub(crate) at: Time,
    /// The files that it changed, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) changes: Vec<FileChange>,
}

#[serde_with::skip_serializing_none]
/// One file of the store before and after a commit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct FileChange {
    /// Its path in the tree of the ref.
    pub(crate) path: String,
    /// Its text before; absent if it is new.
    #[serde(default)]
    pub(crate) before: Option<String>,
    /// Its text after.
    #[serde(default)]
    pub(crate) after: Option<String>,
}

/// A commit of the ref among others.
#[derive(Debug, Clone)]
pub(crate) struct HistoryLink {
    /// The commit.
    pub(crate) commit: ObjectId,
    /// Its tree.
    pub(crate) tree: ObjectId,
    /// Its parents.
    pub(crate) parents: Vec<ObjectId>,
    /// When it was committed, in seconds since 1970.
    pub(crate) committed: i64,
}

impl Store {
    /// Reads one commit of the ref.
    pub(crate) fn step(&self, id: ObjectId) -> Result<HistoryStep, StoreError> {
        let failed = StoreError::object("cannot read a commit of the store");
        let commit = self.repo.commit(id).map_err(&failed)?;
        let decoded = commit.decode().map_err(&failed)?;
        let author = decoded.author().map_err(&failed)?;
        let message = decoded.message;
        let (subject, body) = message.split_once_str(b"\n").unwrap_or((message.as_ref(), b""));
        let body = &body[body.len().saturating_sub(LONGEST_TRAILERS)..];
        let body = commit.in_utf8(body);
        let body = body.to_str_lossy();
        Ok(HistoryStep {
            commit: id.into(),
            subject: shortened(&commit.in_utf8(subject)),
            op: trailer_of(&body, "Wf-Op"),
            author: Person::known(
                &shortened(&commit.in_utf8(author.name)),
                &shortened(&commit.in_utf8(author.email)),
                None,
            ),
            actor: trailer_of(&body, "Wf-Actor"),
            role: trailer_of(&body, "Wf-Role"),
            force: trailer_of(&body, "Wf-Force"),
            at: Time::from_seconds(author.seconds()).unwrap_or(Time::EPOCH),
            changes: Vec::new(),
        })
    }

    /// The commits reachable from `new` but not from `old`, parents before children.
    pub(crate) fn commits_between(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<HistoryLink>, StoreError> {
        let ordered = self.parents_first(&[new], old)?;
        ordered.into_iter().map(|(id, _)| self.link(id)).collect()
    }

    /// All commits reachable from `tips` but not from `without`, parents first, each with those of its parents that are
    /// present.
    pub(crate) fn parents_first(
        &self,
        tips: &[ObjectId],
        without: Option<ObjectId>,
    ) -> Result<Vec<(ObjectId, Vec<ObjectId>)>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        self.repo.parents_first(tips, without.as_slice()).map_err(failed)
    }

    /// The tree of a commit of the ref, whatever is in it.
    pub(crate) fn commit_tree(&self, id: ObjectId) -> Result<ObjectId, StoreError> {
        Ok(self.link(id)?.tree)
    }

    /// The parents of a commit of the ref.
    pub(crate) fn parents(&self, id: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
        Ok(self.link(id)?.parents)
    }

    /// When a commit of the ref was committed, in seconds since 1970.
    pub(crate) fn committed(&self, id: ObjectId) -> Result<i64, StoreError> {
        Ok(self.link(id)?.committed)
    }

    /// One commit of the ref, with its tree and parents.
    pub(crate) fn link(&self, id: ObjectId) -> Result<HistoryLink, StoreError> {
        let failed = StoreError::object("cannot read a commit of the store");
        let commit = self.repo.commit(id).map_err(&failed)?;
        let decoded = commit.decode().map_err(&failed)?;
        Ok(HistoryLink {
            commit: id,
            tree: decoded.tree(),
            parents: decoded.parents().collect(),
            committed: decoded.committer().map_err(&failed)?.seconds(),
        })
    }

    /// The first of these commits in which `path` is the same as in the state `after`.
    pub(crate) fn introducing_commit(
        &self,
        steps: &[HistoryLink],
        after: &Snapshot<'_>,
        path: &str,
    ) -> Result<Option<ObjectId>, StoreError> {
        let wanted = after.entry(path)?;
        let is_so = |commit: ObjectId| -> Result<bool, StoreError> {
            Ok(Snapshot::of_commit(&self.repo, commit)?
                .map(|state| state.entry(path))
                .transpose()?
                .is_some_and(|entry| entry == wanted))
        };
        for step in steps {
            if is_so(step.commit)? && !step.parents.iter().any(|parent| is_so(*parent).unwrap_or(true)) {
                return Ok(Some(step.commit));
            }
        }
        Ok(None)
    }
}

fn shortened(text: &[u8]) -> String {
    text[..text.len().min(LONGEST_LINE)].to_str_lossy().into_owned()
}

fn trailer_of(body: &str, key: &str) -> Option<String> {
    let value = body.lines().rev().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    value.map(str::to_owned)
}
