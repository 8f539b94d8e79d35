//! The audit log: the commits of the ref, those of one record, and what each changed.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::tree::EntryKind;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use crate::model::redaction::REDACTED;
use crate::model::time::Time;
use crate::store::redact::Redactions;
use crate::store::{Read, Snapshot, Store, StoreError, Subjects};

/// One commit of the ref.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Step {
    /// The commit of the ref.
    pub(crate) commit: String,
    /// What happened.
    pub(crate) subject: String,
    /// The command: `new`, `queue add`, `merge`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) op: Option<String>,
    /// Who, as git knows them: `Name <email>`.
    pub(crate) author: String,
    /// The name that an agent gave itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actor: Option<String>,
    /// As what they acted; none for an owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<String>,
    /// Why a gate was overridden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) force: Option<String>,
    /// When.
    pub(crate) at: Time,
    /// The files that changed; only where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) changes: Vec<FileChange>,
}

/// One file of the store before and after a commit.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct FileChange {
    /// Its path in the tree of the ref.
    pub(crate) path: String,
    /// Its text before; none where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<String>,
    /// Its text after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after: Option<String>,
}

/// What of the history is wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// Only commits that change something at or under one of these paths; all where there are none.
    pub(crate) paths: Vec<String>,
    /// Also what changed.
    pub(crate) with_changes: bool,
    /// At most so many, the newest.
    pub(crate) limit: Option<usize>,
}

/// The steps that led to the present state, newest first.
pub(crate) fn steps(store: &Store, wanted: &Wanted) -> Result<Vec<Step>, StoreError> {
    let failed = StoreError::object("cannot read the history of the store");
    let tip = store.snapshot()?.commit();
    let walk = store
        .repo()
        .rev_walk([tip])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .all()
        .map_err(&failed)?;
    let mut steps = Vec::new();
    let mut subjects = Subjects::new(store.snapshot()?);
    for info in walk {
        if wanted.limit.is_some_and(|limit| steps.len() >= limit) {
            break;
        }
        let info = info.map_err(&failed)?;
        let parents: Vec<ObjectId> = info.parent_ids().map(gix::Id::detach).collect();
        if !wanted.paths.is_empty() && !touches(store, info.id, &parents, &wanted.paths)? {
            continue;
        }
        let mut step = read(store, info.id)?;
        if subjects.hide(&mut step.subject)? && step.force.is_some() {
            step.force = Some(REDACTED.into());
        }
        if wanted.with_changes && parents.len() < 2 {
            step.changes = changes(store, parents.first().copied(), info.id, &wanted.paths)?;
        }
        steps.push(step);
    }
    Ok(steps)
}

fn read(store: &Store, id: ObjectId) -> Result<Step, StoreError> {
    let failed = StoreError::object("cannot read a commit of the store");
    let commit = store.repo().find_commit(id).map_err(&failed)?;
    let decoded = commit.decode().map_err(&failed)?;
    let author = decoded.author().map_err(&failed)?;
    let message = decoded.message.to_str_lossy();
    let (subject, body) = message.split_once('\n').unwrap_or((&message, ""));
    let trailer = |key: &str| {
        let value = body.lines().rev().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        value.map(str::to_owned)
    };
    Ok(Step {
        commit: id.to_string(),
        subject: subject.to_owned(),
        op: trailer("Wf-Op"),
        author: format!("{} <{}>", author.name, author.email),
        actor: trailer("Wf-Actor"),
        role: trailer("Wf-Role"),
        force: trailer("Wf-Force"),
        at: Time::from_seconds(author.seconds()).unwrap_or(Time::EPOCH),
        changes: Vec::new(),
    })
}

/// Whether the commit differs at one of the paths from each of its parents: what a merge only brings along, it did not do.
fn touches(store: &Store, id: ObjectId, parents: &[ObjectId], paths: &[String]) -> Result<bool, StoreError> {
    let now = entries(store, Some(id), paths)?;
    if parents.is_empty() {
        return Ok(now.iter().any(Option::is_some));
    }
    for parent in parents {
        if entries(store, Some(*parent), paths)? == now {
            return Ok(false);
        }
    }
    Ok(true)
}

fn entries(
    store: &Store,
    commit: Option<ObjectId>,
    paths: &[String],
) -> Result<Vec<Option<ObjectId>>, StoreError> {
    let Some(commit) = commit else { return Ok(vec![None; paths.len()]) };
    let snapshot = store.snapshot_at(commit)?;
    paths.iter().map(|path| Ok(snapshot.entry(path)?.map(|(id, _)| id))).collect()
}

/// Files at or under `paths` (anywhere, where there are none) that differ between two commits.
fn changes(
    store: &Store,
    before: Option<ObjectId>,
    after: ObjectId,
    paths: &[String],
) -> Result<Vec<FileChange>, StoreError> {
    let old = before.map(|id| store.snapshot_at(id)).transpose()?;
    let new = store.snapshot_at(after)?;
    let differing = store.differences(old.as_ref().map(Snapshot::tree), new.tree())?;
    let wanted = |path: &str| {
        paths.is_empty()
            || paths
                .iter()
                .any(|at| path.strip_prefix(at.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('/')))
    };
    let now = store.snapshot()?;
    let mut found = Vec::new();
    // A folder that is none of ours has no text to show.
    let is_file = |side: Option<(EntryKind, ObjectId)>| side.is_some_and(|(kind, _)| kind != EntryKind::Tree);
    let files = differing.into_iter().filter(|it| is_file(it.old) || is_file(it.new));
    for path in files.map(|it| it.path).filter(|path| wanted(path)) {
        // What is hidden now was not hidden then.
        let hidden = Redactions::at(&now, &path)?;
        let text = |bytes: Vec<u8>| hidden.text(&path, &bytes);
        let before = match &old {
            Some(old) => old.file(&path)?.map(text),
            None => None,
        };
        let after = new.file(&path)?.map(text);
        found.push(FileChange { before, after, path });
    }
    Ok(found)
}
