//! Commits of the code, and what a link of the store records about them.

use bstr::{BStr, ByteSlice};

use crate::git::{Difference, Kind, ObjectId};
use crate::model::execution::MOST_FILES;
use crate::model::{CommitHash, Person, Time, TreeHash};
use crate::store::repo::{object_id, one_line};
use crate::store::{Store, StoreError};

/// A longer subject is cut; the commit itself keeps it.
const LONGEST_SUBJECT: usize = 500;

/// Paths that differ, each with whether it existed before and whether it exists after.
type Changes = Vec<(String, bool, bool)>;

/// What a commit of the code says about itself.
#[derive(Debug, Clone)]
pub(crate) struct CodeCommit {
    /// Its id.
    pub(crate) id: ObjectId,
    /// Its tree.
    pub(crate) tree: ObjectId,
    /// The whole message.
    pub(crate) message: Vec<u8>,
    /// The first line of the message, without control characters.
    pub(crate) subject: String,
    /// `Ada <ada@example.org>`
    pub(crate) author: Person,
    /// When it was authored.
    pub(crate) authored_at: Time,
    /// Who committed it, written like the author.
    pub(crate) committer: Person,
    /// When it was committed.
    pub(crate) committed_at: Time,
    /// Its parents.
    pub(crate) parents: Vec<ObjectId>,
}

/// What a commit says, and what it is based on.
#[derive(Debug)]
pub(crate) struct CommitMessage {
    /// The whole message.
    pub(crate) message: Vec<u8>,
    /// Its parents.
    pub(crate) parents: Vec<ObjectId>,
}

impl CommitMessage {
    /// The first line of the message, without control characters.
    pub(crate) fn subject(&self) -> String {
        subject_of(&self.message)
    }
}

fn subject_of(message: &[u8]) -> String {
    let subject = message.trim_start().lines().next().unwrap_or_default().to_str_lossy().into_owned();
    one_line(&subject).chars().take(LONGEST_SUBJECT).collect()
}

impl From<ObjectId> for CommitHash {
    fn from(id: ObjectId) -> Self {
        from_object_id(id)
    }
}

impl From<ObjectId> for TreeHash {
    fn from(id: ObjectId) -> Self {
        from_object_id(id)
    }
}

fn from_object_id<H: From<[u8; 20]> + From<[u8; 32]>>(id: ObjectId) -> H {
    // git has only two lengths of ids.
    match id.as_slice().first_chunk::<32>() {
        Some(long) => H::from(*long),
        None => H::from(id.as_slice().first_chunk::<20>().copied().unwrap_or_default()),
    }
}

impl Store {
    /// The commit of this repository that a record names; `None` if it is not here, or is not a commit. An id of the
    /// other hash function names nothing here.
    pub(crate) fn commit_here(&self, hash: &CommitHash) -> Option<ObjectId> {
        let id = object_id(hash).filter(|id| id.kind() == self.repo.hash_kind())?;
        let header = self.repo.header(id).ok()?;
        (header.kind == Kind::Commit).then_some(id)
    }

    /// The tree of a commit that a record names; `None` if the commit is not here.
    pub(crate) fn tree_here(&self, hash: &CommitHash) -> Option<TreeHash> {
        let id = self.commit_here(hash)?;
        self.code_tree_of(id).ok().map(TreeHash::from)
    }

    /// Reads one commit.
    pub(crate) fn code_commit(&self, id: ObjectId) -> Result<CodeCommit, StoreError> {
        let failed = StoreError::object("cannot read a commit");
        let commit = self.repo.commit(id).map_err(&failed)?;
        let (author, committer) = (commit.author().map_err(&failed)?, commit.committer().map_err(&failed)?);
        let message = commit.message().map_err(&failed)?.into_owned();
        let subject = subject_of(&message);
        let authored_at = self.time_at(author.time().ok().map(|time| time.seconds))?;
        let committed_at = self.time_at(committer.time().ok().map(|time| time.seconds))?;
        let person = |name: &BStr, email: &BStr| {
            let (name, email) = (commit.in_utf8(name), commit.in_utf8(email));
            Person::from(one_line(&format!("{} <{}>", name.to_str_lossy(), email.to_str_lossy())))
        };
        let author = person(author.name, author.email);
        let committer = person(committer.name, committer.email);
        let parents = commit.parents().collect();
        let tree = commit.tree().map_err(&failed)?;
        Ok(CodeCommit { id, tree, message, subject, author, authored_at, committer, committed_at, parents })
    }

    /// Reads what one commit among many says, and not who made it, which takes longer; `None` if nobody can read it.
    pub(crate) fn commit_message(&self, id: ObjectId) -> Result<Option<CommitMessage>, StoreError> {
        let commit = match self.repo.commit(id) {
            Ok(commit) => commit,
            Err(_) if self.repo.is_commit(id) => return Ok(None),
            Err(error) => return Err(StoreError::object("cannot read a commit")(error)),
        };
        let Ok(message) = commit.message() else { return Ok(None) };
        Ok(Some(CommitMessage { message: message.into_owned(), parents: commit.parents().collect() }))
    }

    /// An unreadable date is no reason to lose the link.
    fn time_at(&self, seconds: Option<i64>) -> Result<Time, StoreError> {
        match seconds.and_then(Time::from_seconds) {
            Some(time) => Ok(time),
            None => self.now(),
        }
    }

    /// Reads one commit among many that others made; `None` if it is here and nobody can read it whole, such as one
    /// without a date.
    pub(crate) fn sound_commit(&self, id: ObjectId) -> Result<Option<CodeCommit>, StoreError> {
        match self.code_commit(id) {
            Ok(commit) => Ok(Some(commit)),
            Err(_) if self.repo.is_commit(id) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The commit with this id, or the only one whose id begins with it; `None` if there is none, or more than one.
    pub(crate) fn commit_named(&self, hash: &str) -> Option<ObjectId> {
        if hash.len() < 4 || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.repo.resolve(&format!("{hash}^{{commit}}"))
    }

    /// The paths in which a commit differs from `base`; all its paths if there is no `base`. At most 1,000.
    pub(crate) fn files_since(
        &self,
        base: Option<ObjectId>,
        commit: &CodeCommit,
    ) -> Result<Vec<String>, StoreError> {
        let since = CodeCommit { parents: base.into_iter().collect(), ..commit.clone() };
        self.changed_files(&since)
    }

    /// The paths that a commit changed compared with its first parent, sorted by bytes within each directory; all its
    /// paths for a first commit. At most 1,000.
    pub(crate) fn changed_files(&self, commit: &CodeCommit) -> Result<Vec<String>, StoreError> {
        // If the trees cannot be compared, the link names no files.
        let changes = self.changes_of(commit, MOST_FILES)?.unwrap_or_default();
        Ok(changes.into_iter().map(|(path, ..)| path).collect())
    }

    /// All paths that a commit changed compared with its first parent, with whether each existed before and whether
    /// it exists after. `None` if its trees unfold to too many files.
    pub(crate) fn every_change_of(&self, commit: &CodeCommit) -> Result<Option<Changes>, StoreError> {
        self.changes_of(commit, usize::MAX)
    }

    /// Refuses a commit at which the history of a shallow clone ends: it would seem to have changed nothing, or
    /// everything.
    pub(crate) fn require_parents(&self, commit: &CodeCommit) -> Result<(), StoreError> {
        let is_any_away = commit.parents.iter().any(|id| !self.repo.has_object(*id));
        // If that cannot be determined, reading the parents fails with its own message.
        if is_any_away && self.repo.is_shallow().unwrap_or(false) {
            return Err(StoreError::ShallowCode(commit.id));
        }
        Ok(())
    }

    /// Refuses a merge whose parents have no common ancestor in a shallow clone.
    pub(crate) fn require_whole(&self, merge: &CodeCommit) -> Result<(), StoreError> {
        if self.repo.is_shallow().unwrap_or(false) {
            return Err(StoreError::ShallowCode(merge.id));
        }
        Ok(())
    }

    /// Each path that a commit changed compared with its first parent, with its entries before and after; at most
    /// `most`. `None` if its trees unfold to too many files.
    pub(crate) fn first_changes(
        &self,
        commit: &CodeCommit,
        most: usize,
    ) -> Result<Option<Vec<Difference>>, StoreError> {
        self.require_parents(commit)?;
        let before = commit.parents.first().map(|id| self.code_tree_of(*id)).transpose()?;
        Ok(self.repo.first_differences(before, self.code_tree_of(commit.id)?, most)?)
    }

    fn changes_of(&self, commit: &CodeCommit, most: usize) -> Result<Option<Changes>, StoreError> {
        let files = self.first_changes(commit, most)?;
        Ok(files.map(|files| {
            files.into_iter().map(|file| (file.path, file.old.is_some(), file.new.is_some())).collect()
        }))
    }

    /// The tree of a commit of the code.
    pub(crate) fn code_tree_of(&self, id: ObjectId) -> Result<ObjectId, StoreError> {
        self.repo.tree_of(id).map_err(StoreError::object("cannot read a commit"))
    }
}
