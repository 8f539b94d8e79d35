//! Commits of the code, which the store links to: what a link records of one.

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice, ByteVec};

use super::error::StoreError;
use super::repo::{Store, one_line};
use crate::model::time::Time;

/// More paths than these are not recorded: such a commit is a move of everything, or vendored code.
const MOST_FILES: usize = 1_000;
/// A subject that is longer is cut; the commit itself still has it.
const LONGEST_SUBJECT: usize = 500;

/// What a commit of the code says of itself.
#[derive(Debug, Clone)]
pub(crate) struct CodeCommit {
    /// Its id.
    pub(crate) id: ObjectId,
    /// All of its message.
    pub(crate) message: Vec<u8>,
    /// The first line of the message, as text without control characters.
    pub(crate) subject: String,
    /// `Ada <ada@example.org>`
    pub(crate) author: String,
    /// When it was authored.
    pub(crate) authored_at: Time,
    /// The commits that it stands on.
    pub(crate) parents: Vec<ObjectId>,
}

/// An entry of a tree: whether it is a tree itself, and everything that counts as a change of it.
type Entry = (bool, u16, ObjectId);

impl Store {
    /// Reads one commit.
    pub(crate) fn code_commit(&self, id: ObjectId) -> Result<CodeCommit, StoreError> {
        let failed = StoreError::object("cannot read a commit");
        let commit = self.repo.find_commit(id).map_err(&failed)?;
        let author = commit.author().map_err(&failed)?;
        let message = commit.message_raw().map_err(&failed)?.to_vec();
        let subject = message.trim_start().lines().next().unwrap_or_default().to_str_lossy().into_owned();
        let subject = one_line(&subject).chars().take(LONGEST_SUBJECT).collect();
        // A date that nobody can read is no reason to lose the link.
        let seconds = author.time().map(|time| time.seconds).unwrap_or_default();
        let authored_at = Time::from_seconds(seconds).unwrap_or(self.now()?);
        let author = format!("{} <{}>", author.name.to_str_lossy(), author.email.to_str_lossy());
        let parents = commit.parent_ids().map(gix::Id::detach).collect();
        Ok(CodeCommit { id, message, subject, author: one_line(&author), authored_at, parents })
    }

    /// The paths that a commit changed against its first parent, in byte order of each folder; all of them for a first
    /// commit. At most 1,000.
    pub(crate) fn changed_files(&self, commit: &CodeCommit) -> Result<Vec<String>, StoreError> {
        let tree = |id: ObjectId| -> Result<ObjectId, StoreError> {
            let commit = self.repo.find_commit(id).map_err(StoreError::object("cannot read a commit"))?;
            Ok(commit.tree_id().map_err(StoreError::object("cannot read a commit"))?.detach())
        };
        let before = commit.parents.first().map(|id| tree(*id)).transpose()?;
        let mut files = Vec::new();
        self.compare(&BString::default(), before, Some(tree(commit.id)?), &mut files)?;
        Ok(files)
    }

    fn compare(
        &self,
        folder: &BString,
        before: Option<ObjectId>,
        after: Option<ObjectId>,
        files: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        let (mut before, after) = (self.tree_entries(before)?, self.tree_entries(after)?);
        let mut both: BTreeMap<BString, (Option<Entry>, Option<Entry>)> = BTreeMap::new();
        for (name, now) in after {
            let was = before.remove(&name);
            if was != Some(now) {
                both.insert(name, (was, Some(now)));
            }
        }
        both.extend(before.into_iter().map(|(name, was)| (name, (Some(was), None))));
        for (name, (was, now)) in both {
            let mut path = folder.clone();
            path.push_str(&name);
            let is_file = |entry: Option<Entry>| entry.is_some_and(|(is_tree, ..)| !is_tree);
            let tree = |entry: Option<Entry>| entry.filter(|(is_tree, ..)| *is_tree).map(|(.., id)| id);
            if is_file(was) || is_file(now) {
                files.push(path.to_str_lossy().into_owned());
            }
            if files.len() < MOST_FILES && (tree(was).is_some() || tree(now).is_some()) {
                path.push_byte(b'/');
                self.compare(&path, tree(was), tree(now), files)?;
            }
            if files.len() >= MOST_FILES {
                break;
            }
        }
        Ok(())
    }

    fn tree_entries(&self, id: Option<ObjectId>) -> Result<BTreeMap<BString, Entry>, StoreError> {
        let Some(id) = id else { return Ok(BTreeMap::new()) };
        let failed = StoreError::object("cannot read a tree");
        let tree = self.repo.find_tree(id).map_err(&failed)?;
        let decoded = tree.decode().map_err(&failed)?;
        let entry = |entry: &gix::objs::tree::EntryRef<'_>| {
            (entry.filename.to_owned(), (entry.mode.is_tree(), entry.mode.value(), entry.oid.to_owned()))
        };
        Ok(decoded.entries.iter().map(entry).collect())
    }
}
