//! Looks at everything in the store: each record against its schema, each reference between records, each commit
//! against its parents.

use std::collections::{BTreeMap, BTreeSet};

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::error::StoreError;
use super::layout::{self, Form, form};
use super::records;
use super::repo::Store;
use super::snapshot::{LARGEST_RECORD, Snapshot, read_blob};
use crate::model::doc::Doc;
use crate::model::id::IssueId;
use crate::model::strict;
use crate::rules::dag;
use crate::rules::folder::IssueFolder;
use crate::rules::plan_check;

/// Whether a finding is a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// Something is wrong.
    Error,
    /// Worth knowing, and nothing wrong: what another clone may bring, what was mended since.
    Note,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Finding {
    /// Whether it is a fault.
    pub(crate) severity: Severity,
    /// The file of the store, or the record that it is about.
    pub(crate) path: String,
    /// The commit of the ref, where it is about the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    /// What is wrong.
    pub(crate) what: String,
}

struct Findings(Vec<Finding>);

impl Findings {
    fn error(&mut self, path: &str, what: impl Into<String>) {
        self.0.push(Finding {
            severity: Severity::Error,
            path: path.into(),
            commit: None,
            what: what.into(),
        });
    }

    fn note(&mut self, path: &str, what: impl Into<String>) {
        self.0.push(Finding { severity: Severity::Note, path: path.into(), commit: None, what: what.into() });
    }
}

impl Store {
    /// Everything that is wrong with the store, and what is worth knowing; errors first.
    pub(crate) fn fsck(&self) -> Result<Vec<Finding>, StoreError> {
        let snapshot = self.snapshot()?;
        let mut found = Findings(Vec::new());
        self.check_files(&snapshot, &mut found)?;
        check_references(&snapshot, &mut found)?;
        self.check_history(&snapshot, &mut found)?;
        found.0.sort_by(|a, b| {
            (a.severity, &a.path, &a.commit, &a.what).cmp(&(b.severity, &b.path, &b.commit, &b.what))
        });
        Ok(found.0)
    }

    fn check_files(&self, snapshot: &Snapshot<'_>, found: &mut Findings) -> Result<(), StoreError> {
        for file in self.differences(None, snapshot.tree())? {
            let Some((kind, id)) = file.new else { continue };
            match kind {
                EntryKind::Blob => self.check_blob(&file.path, id, found)?,
                EntryKind::BlobExecutable => {
                    found.error(&file.path, "a record is no program, and its mode says so")
                }
                EntryKind::Link => found.error(&file.path, "a symbolic link, which no store holds"),
                EntryKind::Commit => found.error(&file.path, "a submodule, which no store holds"),
                EntryKind::Tree => {}
            }
        }
        Ok(())
    }

    fn check_blob(&self, path: &str, id: ObjectId, found: &mut Findings) -> Result<(), StoreError> {
        let failed = StoreError::object("cannot read a record of the store");
        if self.repo.find_header(id).map_err(failed)?.size() > LARGEST_RECORD {
            found.error(path, format!("larger than a record may be ({LARGEST_RECORD} bytes)"));
            return Ok(());
        }
        let bytes = read_blob(&self.repo, id)?;
        let (kind, expected) = form(path);
        let expected = expected.as_deref();
        match kind {
            Form::Unknown => found.note(path, "no path of this format; it is kept as it is"),
            Form::Doc(schema) => match Doc::parse(schema, &bytes) {
                Err(broken) => found.error(path, broken.to_string()),
                Ok(doc) if !layout::bears(&doc.fields(), expected) => {
                    found.error(path, "the record bears the id of another");
                }
                Ok(doc) if doc.to_bytes() != bytes => {
                    found.note(path, "not in the form in which this program writes it")
                }
                Ok(_) => {}
            },
            Form::Entry(check) => match strict::parse(&bytes) {
                Err(error) => found.error(path, format!("not JSON: {error}")),
                Ok(value) => match check(&value) {
                    Err(why) => found.error(path, why),
                    Ok(()) if !layout::bears(&value, expected) => {
                        found.error(path, "the record bears the id of another")
                    }
                    Ok(()) => {}
                },
            },
        }
        Ok(())
    }

    /// Each commit against its parents: a path that is dropped is a fault while it is still missing, and a note where
    /// somebody restored it.
    fn check_history(&self, snapshot: &Snapshot<'_>, found: &mut Findings) -> Result<(), StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let walk = self.repo.rev_walk([snapshot.commit()]).all().map_err(&failed)?;
        let mut roots = 0;
        for info in walk {
            let info = info.map_err(|error| failed(error.into()))?;
            let parents: Vec<ObjectId> = info.parent_ids().map(gix::Id::detach).collect();
            if parents.is_empty() {
                roots += 1;
            }
            let state = match self.snapshot_at(info.id) {
                Ok(state) => state,
                Err(error) => {
                    self.commit_finding(Severity::Error, info.id, "", error.to_string(), found);
                    continue;
                }
            };
            for parent in parents {
                let Ok(before) = self.snapshot_at(parent) else { continue };
                for file in self.differences(Some(before.tree()), state.tree())? {
                    if file.old.is_some() && file.new.is_none() {
                        let restored = snapshot.entry(&file.path)?.is_some();
                        let (severity, what) = if restored {
                            (Severity::Note, "dropped by this commit, and restored since")
                        } else {
                            (Severity::Error, "dropped by this commit; `git wf fsck --repair` restores it")
                        };
                        self.commit_finding(severity, info.id, &file.path, what.to_owned(), found);
                    }
                }
            }
        }
        if roots > 1 {
            found.note(
                self.reference(),
                format!("its history has {roots} first commits, where all stores share one"),
            );
        }
        Ok(())
    }

    /// What the history can give back: for each path that a commit dropped, or whose record cannot be read, the newest
    /// version that can be.
    pub(crate) fn repairs(&self) -> Result<BTreeMap<String, Vec<u8>>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let snapshot = self.snapshot()?;
        let mut repairs = BTreeMap::new();
        let walk = self.repo.rev_walk([snapshot.commit()]).all().map_err(&failed)?;
        for info in walk {
            let info = info.map_err(|error| failed(error.into()))?;
            let Ok(state) = self.snapshot_at(info.id) else { continue };
            for parent in info.parent_ids() {
                let Ok(before) = self.snapshot_at(parent.detach()) else { continue };
                for file in self.differences(Some(before.tree()), state.tree())? {
                    let Some((EntryKind::Blob, old)) = file.old else { continue };
                    if repairs.contains_key(&file.path) || self.is_sound(&snapshot, &file.path)? {
                        continue;
                    }
                    let bytes = read_blob(&self.repo, old)?;
                    if is_sound(&file.path, &bytes) {
                        repairs.insert(file.path, bytes);
                    }
                }
            }
        }
        Ok(repairs)
    }

    fn is_sound(&self, snapshot: &Snapshot<'_>, path: &str) -> Result<bool, StoreError> {
        match snapshot.entry(path)? {
            Some((id, EntryKind::Blob)) => Ok(is_sound(path, &read_blob(&self.repo, id)?)),
            _ => Ok(false),
        }
    }

    fn commit_finding(
        &self,
        severity: Severity,
        commit: ObjectId,
        path: &str,
        what: String,
        found: &mut Findings,
    ) {
        let path = if path.is_empty() { self.reference().to_owned() } else { path.to_owned() };
        found.0.push(Finding { severity, path, commit: Some(commit.to_string()), what });
    }
}

/// Whether these bytes can be the file at `path`.
fn is_sound(path: &str, bytes: &[u8]) -> bool {
    let (kind, expected) = form(path);
    match kind {
        Form::Unknown => true,
        Form::Doc(schema) => {
            Doc::parse(schema, bytes).is_ok_and(|doc| layout::bears(&doc.fields(), expected.as_deref()))
        }
        Form::Entry(check) => strict::parse(bytes)
            .is_ok_and(|value| layout::bears(&value, expected.as_deref()) && check(&value).is_ok()),
    }
}

/// What records say of each other.
fn check_references(snapshot: &Snapshot<'_>, found: &mut Findings) -> Result<(), StoreError> {
    let ids: BTreeSet<IssueId> = records::issue_ids(snapshot)?.into_iter().collect();
    let mut edges: BTreeMap<IssueId, Vec<IssueId>> = BTreeMap::new();
    for id in &ids {
        // What cannot be read was named where its file was checked.
        let Ok(Some(folder)) = records::issue(snapshot, id) else { continue };
        check_issue(&folder, &ids, found);
        edges.insert(id.clone(), folder.issue.record.depends_on.iter().cloned().collect());
    }
    let mut in_cycle: BTreeSet<IssueId> = BTreeSet::new();
    for id in edges.keys() {
        if in_cycle.contains(id) {
            continue;
        }
        if let Some(cycle) = dag::cycle_through(id, |id| edges.get(id).cloned().unwrap_or_default()) {
            let drawn = cycle.iter().map(IssueId::as_str).collect::<Vec<_>>().join(" → ");
            found.error(&layout::issue(id), format!("depends on itself: {drawn}; `git wf edit` one of them"));
            in_cycle.extend(cycle);
        }
    }
    for queue in records::queues(snapshot)? {
        for item in &queue.items {
            let path = layout::item(&queue.queue.id, &item.solution_id);
            if item.issue_id != item.solution_id.issue() {
                found.error(&path, format!("names issue `{}`, and its plan is of another", item.issue_id));
            } else if !records::solution_ids(snapshot, &item.issue_id)?.contains(&item.solution_id) {
                found.note(
                    &path,
                    format!("its plan `{}` is not here; another clone may have it", item.solution_id),
                );
            }
        }
    }
    Ok(())
}

fn check_issue(folder: &IssueFolder, ids: &BTreeSet<IssueId>, found: &mut Findings) {
    let issue = &folder.issue.record;
    let path = layout::issue(&issue.id);
    for other in issue.depends_on.iter().filter(|other| !ids.contains(other)) {
        found.note(&path, format!("depends on `{other}`, which is not here"));
    }
    if let Some(bound) = issue.bound_solution_id.as_ref().filter(|id| folder.solution(id).is_none()) {
        found.error(
            &path,
            format!("is bound to `{bound}`, which is not here or cannot be read; `git wf bind` another"),
        );
    }
    for solution in folder.solutions.iter().map(|s| &s.record) {
        let path = layout::solution(&solution.id);
        if solution.issue_id != issue.id {
            found.error(&path, format!("names issue `{}`, and lies with `{}`", solution.issue_id, issue.id));
        }
        for finding in plan_check::check(&solution.plan, None).err().unwrap_or_default() {
            found.error(&path, format!("plan: {finding}"));
        }
    }
    for execution in folder.executions.iter().map(|it| &it.execution) {
        let path = layout::execution(&execution.id);
        if folder.solution(&execution.solution_id).is_none() {
            found.note(&path, format!("its plan `{}` is not here, or cannot be read", execution.solution_id));
        }
        for earlier in &execution.supersedes {
            if !folder.executions.iter().any(|it| it.execution.id == earlier.execution_id) {
                found.note(&path, format!("supersedes `{}`, which is not here", earlier.execution_id));
            }
        }
    }
}
