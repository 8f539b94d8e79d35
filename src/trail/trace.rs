//! From a commit to the executions that link it.

use super::audit::{RangeError, ids};
use super::provenance::{Provenances, Stated};
use crate::git::{ObjectId, is_ref_name};
use crate::index::{Index, IndexError};
use crate::model::{CommitHash, ExecutionId, Person, Provenance};
use crate::rules::IssueFolder;
use crate::store::{CodeCommit, Store, StoreError, records};

/// A commit of the project, as git knows it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct CommitFacts {
    /// The full object id.
    pub(crate) hash: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// `Name <email>`
    pub(crate) author: Person,
    /// The ids in its `Wf-Issue`, `Wf-Solution` and `Wf-Task` trailers, as `key: value`.
    pub(crate) trailers: Vec<String>,
    /// What Entire and Git AI recorded about the agents behind it; not verified.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) provenance: Vec<Provenance>,
}

impl CommitFacts {
    /// The facts about a commit, with what other tools recorded.
    fn new(commit: CodeCommit, stated: Vec<Stated>) -> Self {
        let trailers = super::trailers::parse(&commit.message);
        Self {
            hash: commit.id.into(),
            subject: commit.subject,
            author: commit.author,
            trailers: trailers.into_iter().map(|(key, value)| format!("{key}: {value}")).collect(),
            provenance: stated.into_iter().map(|statement| statement.provenance).collect(),
        }
    }
}

/// Issues with executions that link the commit, or did before it was rewritten.
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

/// The commit that any commit-ish names; `None` if git knows no such commit. Only a text that is not a full id needs
/// a git process.
pub(crate) fn commit(store: &Store, text: &str) -> Result<Option<CommitFacts>, StoreError> {
    let is_whole = text.len() >= 40;
    let known = if is_whole { store.commit_named(text) } else { None };
    let id = if known.is_some() { known } else { store.git().commit_named(text)? };
    id.map(|id| Ok(commit_facts(store, &Provenances::find(store), id)?.0)).transpose()
}

/// What git knows of the commit with this id, and what other tools recorded about its lines.
pub(crate) fn commit_facts(
    store: &Store,
    provenances: &Provenances<'_>,
    id: ObjectId,
) -> Result<(CommitFacts, Vec<Stated>), StoreError> {
    let commit = store.code_commit(id)?;
    let stated = provenances.about(id, &commit.message);
    Ok((CommitFacts::new(commit, stated.clone()), stated))
}

/// Whether there is such a ref; false for a text that cannot be the name of one.
fn is_ref(store: &Store, name: &str) -> Result<bool, StoreError> {
    Ok(is_ref_name(name) && store.read_ref(name)?.is_some())
}

/// The commits of a range; or, for the name of a branch, those that it has beyond the main one. `None` for any other
/// text, and for a branch with nothing beyond: then only its tip is meant.
pub(crate) fn range(store: &Store, text: &str) -> Result<Option<Vec<CommitFacts>>, RangeError> {
    if text.contains("..") {
        return listed(store, &[text]).map(Some);
    }
    let mut branch = None;
    for name in [format!("refs/heads/{text}"), format!("refs/remotes/{text}")] {
        if branch.is_none() && is_ref(store, &name)? {
            branch = Some(name);
        }
    }
    let Some(branch) = branch else { return Ok(None) };
    let names = store.config("init.defaultBranch").into_iter().chain(["main".into(), "master".into()]);
    for name in names.flat_map(|name| [format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")]) {
        if is_ref(store, &name)? {
            if name == branch {
                return Ok(None);
            }
            let commits = listed(store, &[&branch, &format!("^{name}")])?;
            return Ok(Some(commits).filter(|commits| !commits.is_empty()));
        }
    }
    Ok(None)
}

fn listed(store: &Store, words: &[&str]) -> Result<Vec<CommitFacts>, RangeError> {
    let provenances = Provenances::find(store);
    ids(store, words)?.into_iter().map(|id| Ok(commit_facts(store, &provenances, id)?.0)).collect()
}
