//! From a commit to the executions that link it.

use gix::ObjectId;

use crate::model::id::{ExecutionId, IssueId};
use crate::rules::folder::IssueFolder;
use crate::store::{Read, Store, StoreError, records};

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

/// Issues whose executions link (or, before a rewrite, linked) the commit. `named` are the issues that its trailers
/// name: they are looked at first, and where they know the commit, nothing else is searched.
pub(crate) fn issues_of(
    read: &impl Read,
    hash: &str,
    named: &[IssueId],
) -> Result<Vec<(IssueFolder, Vec<ExecutionId>)>, StoreError> {
    let of = |ids: &[IssueId]| -> Result<Vec<(IssueFolder, Vec<ExecutionId>)>, StoreError> {
        let mut found = Vec::new();
        for id in ids {
            if records::execution_ids(read, id)?.is_empty() {
                continue;
            }
            let folder = match records::issue(read, id) {
                Ok(Some(folder)) => folder,
                Ok(None) | Err(StoreError::Broken { .. }) => continue,
                Err(error) => return Err(error),
            };
            let links: Vec<ExecutionId> = folder
                .executions
                .iter()
                .filter(|execution| execution.knows_commit(hash))
                .map(|execution| execution.execution.id.clone())
                .collect();
            if !links.is_empty() {
                found.push((folder, links));
            }
        }
        Ok(found)
    };
    let by_trailers = of(named)?;
    if !by_trailers.is_empty() {
        return Ok(by_trailers);
    }
    of(&records::issue_ids(read)?)
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

impl CommitFacts {
    /// The issues that the trailers name.
    pub(crate) fn named_issues(&self) -> Vec<IssueId> {
        let mut ids: Vec<IssueId> = self
            .trailers
            .iter()
            .filter_map(|line| line.strip_prefix("Wf-Issue: "))
            .filter_map(|id| IssueId::parse(id).ok())
            .collect();
        ids.dedup();
        ids
    }
}
