//! The input of an audit: the commits of a range, the executions that link them, and who changed their issues.

use std::collections::{BTreeMap, BTreeSet};

use super::merges::{self, MergeBudget};
use super::trailers;
use crate::git::{ObjectId, Revisions};
use crate::index::{Index, IndexError};
use crate::model::{Code, CommitHash, IssueId, Remedies};
use crate::rules::audit::AuditedCode;
use crate::rules::{ExecutionFolder, FileEffect, IssueFolder, UnknownChange};
use crate::store::{CodeCommit, MOST_FILES, Store, StoreError, records};

/// A commit of the range, with what git knows of it.
#[derive(Debug)]
pub(crate) struct Audited {
    /// What git knows of it.
    pub(crate) code: CodeCommit,
    /// What the rules check.
    pub(crate) commit: AuditedCode,
}

/// Why a range cannot be audited.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RangeError {
    /// git does not understand it.
    #[error("`{range}` names no commits: {words}")]
    Range {
        /// The range, as given.
        range: String,
        /// git's message.
        words: String,
    },
    /// The store or git failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl crate::model::Explain for RangeError {
    fn code(&self) -> Code {
        match self {
            Self::Range { .. } => Code::NotFound,
            Self::Store(error) => error.code(),
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Range { .. } => "a range is what `git log` takes, such as main..HEAD".into(),
            Self::Store(error) => error.remedies(),
        }
    }
}

/// The commits that `git rev-list` lists for these arguments, oldest first, with their changes.
pub(crate) fn commits(store: &Store, range: &[&str]) -> Result<Vec<Audited>, RangeError> {
    let codes = ids(store, range)?.into_iter().map(|id| store.code_commit(id));
    Ok(changed_by(store, codes.collect::<Result<Vec<_>, _>>()?)?)
}

/// Commits with their changes.
pub(crate) fn changed_by(store: &Store, codes: Vec<CodeCommit>) -> Result<Vec<Audited>, StoreError> {
    codes.iter().filter(|code| is_merge(code)).try_for_each(|code| store.require_parents(code))?;
    let mut own =
        merges::own_changes(store, codes.iter().filter(|code| is_merge(code)), MergeBudget::of_each())?;
    let mut audited = Vec::new();
    for code in codes {
        let changes = match own.unseen.get(&code.id) {
            Some(why) => Err(*why),
            None if is_merge(&code) => Ok(own.changes.remove(&code.id).unwrap_or_default()),
            None => changes(store, &code)?.ok_or(UnknownChange::Unfolds),
        };
        let commit = AuditedCode {
            hash: code.id.into(),
            is_merge: is_merge(&code),
            unseen: changes.as_ref().err().copied(),
            changes: changes.unwrap_or_default(),
            stated: trailers::stated(&trailers::parse(&code.message)),
            unlinked_from: None,
        };
        audited.push(Audited { code, commit });
    }
    Ok(audited)
}

fn is_merge(code: &CodeCommit) -> bool {
    code.parents.len() > 1
}

/// The commits that `git rev-list` lists for these arguments, oldest first.
pub(crate) fn ids(store: &Store, range: &[&str]) -> Result<Vec<ObjectId>, RangeError> {
    let found =
        store.git().named_revisions(Revisions::named(range).oldest_first()).map_err(StoreError::Git)?;
    found.map_err(|words| RangeError::Range { range: range.join(" "), words })
}

/// `None` if the trees of the commit unfold to more files than can be examined.
fn changes(store: &Store, code: &CodeCommit) -> Result<Option<BTreeMap<String, FileEffect>>, StoreError> {
    let Some(files) = store.every_change_of(code)? else { return Ok(None) };
    Ok(Some(files.into_iter().map(|(path, old, new)| (path, FileEffect::new(old, new))).collect()))
}

/// The issues whose executions link these commits, each once, by id.
pub(crate) fn issues(index: &Index<'_>, commits: &[Audited]) -> Result<Vec<IssueFolder>, IndexError> {
    let mut ids: BTreeSet<IssueId> = BTreeSet::new();
    for commit in commits {
        ids.extend(index.executions_of(&commit.commit.hash)?.into_iter().map(|(issue, _)| issue));
    }
    let snapshot = index.snapshot()?;
    let mut folders = Vec::new();
    for id in ids {
        folders.extend(records::issue(&snapshot, &id)?);
    }
    Ok(folders)
}

/// Every file that the linked commits touched: from git if the commit is here, else as recorded. None if a missing
/// commit touched more than a record holds, or if one touched more than can be examined.
pub(crate) fn touched(store: &Store, execution: &ExecutionFolder) -> Option<BTreeSet<String>> {
    let commits: Vec<_> = execution
        .commits()
        .into_iter()
        .map(|commit| {
            let code = store.commit_here(&commit.link.hash).and_then(|id| store.code_commit(id).ok());
            (commit.link, code)
        })
        .collect();
    let merges = commits.iter().filter_map(|(_, code)| code.as_ref()).filter(|code| is_merge(code));
    let mut own = merges::own_changes(store, merges, MergeBudget::of_each()).ok()?;
    let mut files = BTreeSet::new();
    for (link, code) in commits {
        // The files that a merge brings in were touched by other commits.
        if let Some(merge) = code.as_ref().filter(|code| is_merge(code)) {
            if own.unseen.contains_key(&merge.id) {
                return None;
            }
            files.extend(own.changes.remove(&merge.id).unwrap_or_default().into_keys());
            continue;
        }
        match code.and_then(|code| store.every_change_of(&code).ok()) {
            Some(None) => return None,
            Some(Some(changed)) => files.extend(changed.into_iter().map(|(path, ..)| path)),
            None if link.files.len() >= MOST_FILES => return None,
            None => files.extend(link.files),
        }
    }
    Some(files)
}

/// Where an audit without a range begins: at the commit on which the first execution was made, so that commits from
/// before the first plan are not reported. Branches that are not in this clone are ignored. `None` if the first
/// execution began without any commit, or if that commit is missing.
pub(crate) fn first_base<'a>(
    store: &Store,
    executions: impl Iterator<Item = &'a ExecutionFolder>,
) -> Option<CommitHash> {
    let mut first: Vec<_> = executions.map(|execution| &execution.execution).collect();
    first.sort_by_key(|execution| (execution.started_at, &execution.id));
    first
        .into_iter()
        .map(|execution| execution.base_commit.clone())
        .find(|base| base.as_ref().is_none_or(|base| store.commit_here(base).is_some()))?
}
