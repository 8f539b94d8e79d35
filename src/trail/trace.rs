//! From a commit to the executions that link it.

use gix::ObjectId;

use crate::index::{Index, IndexError};
use crate::model::id::ExecutionId;
use crate::rules::folder::IssueFolder;
use crate::store::{Store, StoreError, records};

/// A commit of the project, as git knows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct CommitFacts {
    /// The full object id.
    pub(crate) hash: String,
    /// The first line of its message.
    pub(crate) subject: String,
    /// `Name <email>`
    pub(crate) author: String,
    /// The ids in its `Wf-Issue`, `Wf-Solution` and `Wf-Task` trailers, as `key: value`.
    pub(crate) trailers: Vec<String>,
}

/// Issues whose executions link (or, before a rewrite, linked) the commit.
pub(crate) fn issues_of(
    index: &Index<'_>,
    hash: &str,
) -> Result<Vec<(IssueFolder, Vec<ExecutionId>)>, IndexError> {
    let snapshot = index.snapshot()?;
    let mut found: Vec<(IssueFolder, Vec<ExecutionId>)> = Vec::new();
    for (issue, execution) in index.executions_of(hash)? {
        match found.last_mut().filter(|(folder, _)| folder.issue.record.id == issue) {
            Some((_, executions)) => executions.push(execution),
            None => found.extend(records::issue(&snapshot, &issue)?.map(|folder| (folder, vec![execution]))),
        }
    }
    Ok(found)
}

/// The commit that any commit-ish names; none where git knows no such commit.
pub(crate) fn commit(store: &Store, text: &str) -> Result<Option<CommitFacts>, StoreError> {
    let git = store.git();
    let spec = format!("{text}^{{commit}}");
    let output = git.output(&["rev-parse", "--verify", "--quiet", "--end-of-options", &spec])?;
    if !output.status.success() {
        return Ok(None);
    }
    let hash = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let format = "--format=%s%x00%an <%ae>%x00%B";
    let bytes = git.run(&["log", "-1", "--no-show-signature", format, &hash, "--"])?;
    let text = String::from_utf8_lossy(&bytes);
    let mut parts = text.splitn(3, '\0');
    let (subject, author) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let message = parts.next().unwrap_or_default();
    let trailers = super::trailers::parse(message.as_bytes());
    Ok(Some(CommitFacts {
        hash,
        subject: subject.to_owned(),
        author: author.to_owned(),
        trailers: trailers.into_iter().map(|(key, value)| format!("{key}: {value}")).collect(),
    }))
}

/// What git knows of the commit with this id.
pub(crate) fn commit_facts(store: &Store, id: ObjectId) -> Result<CommitFacts, StoreError> {
    let commit = store.code_commit(id)?;
    let trailers = super::trailers::parse(&commit.message);
    Ok(CommitFacts {
        hash: id.to_string(),
        subject: commit.subject,
        author: commit.author,
        trailers: trailers.into_iter().map(|(key, value)| format!("{key}: {value}")).collect(),
    })
}
