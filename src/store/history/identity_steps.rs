//! Changes that no command makes, and their authors: a deleted or unreadable record, a changed write-once field,
//! another record under the same id, an epoch raised without a reason. A merge joins any two versions and cannot tell
//! which is right, so these are reported with the commit that made them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lineage::{Did, Lineage, Own};
use super::origins::{HistoryFault, OriginJudge};
use super::tree_form::TreeCheck;
use crate::git::{Difference, ObjectId};
use crate::model::{CommitHash, Doc, Person, RecordStep};
use crate::store::layout::{self, form};
use crate::store::snapshot::read_blob;
use crate::store::{Form, ReadState, Snapshot, Store, StoreError};

/// A change that no command makes, and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Rewritten {
    /// The record's file in the tree of the ref.
    pub(crate) path: String,
    /// What the commit did.
    pub(crate) what: String,
    /// The commit of the ref.
    pub(crate) commit: CommitHash,
    /// Its author: `Name <email>`.
    pub(crate) author: Person,
}

/// Readers do not depend on this field, but a merge keeps only one of two values.
pub(crate) const REDIRECTED: &str = "changed `plan_commit`, which only a purge does";

/// At most this many commits are looked at to see whether one state follows another.
const MOST_FOLLOWED: usize = 10_000;
/// At most this many commits are checked one by one while someone waits for a sync.
const MOST_WALKED: usize = 500;

impl Store {
    /// What the commits in the history of `tip` but not of `since` did to the identity of records. Up to
    /// [`MOST_WALKED`] commits are checked change by change. If there are more, only two kinds of records are
    /// checked: those whose identity differs between the two states, and those in `restored` (paths of files and of
    /// record directories).
    pub(crate) fn rewritten(
        &self,
        since: ObjectId,
        tip: ObjectId,
        restored: &[String],
    ) -> Result<Vec<Rewritten>, StoreError> {
        let (Some(before), Some(after)) = (self.state_at(since)?, self.state_at(tip)?) else {
            return Ok(Vec::new());
        };
        let steps = self.parents_first(&[tip], Some(since))?;
        let mut found = self.wrongly_aside(Some(since), tip)?;
        found.extend(self.all_ill_formed(steps.iter().map(|(commit, _)| *commit))?);
        let differing = self.differences(Some(before.tree()), after.tree())?;
        if steps.len() <= MOST_WALKED {
            found.extend(self.rewritten_along(Some(since), tip, &|_| true)?);
            found.extend(self.redirected(since, &after, &differing, &found)?);
            return Ok(found);
        }
        let now = self.now()?;
        let mut suspects = BTreeSet::new();
        for file in differing {
            if file.old.is_none() || file.new.is_none() {
                continue;
            }
            let (schema, id) = match form(&file.path) {
                (Form::Doc(schema), id) => (schema, id),
                (Form::Entry(_), _) => {
                    suspects.insert(file.path);
                    continue;
                }
                (Form::Unknown, _) => continue,
            };
            let read = |state: &Snapshot<'_>| -> Result<Option<Doc>, StoreError> {
                let bytes = state.file(&file.path)?.unwrap_or_default();
                Ok(layout::own_doc(schema, id.as_deref(), &bytes).ok())
            };
            if let (Some(old), Some(new)) = (read(&before)?, read(&after)?)
                && RecordStep::between(Some(&old), &new, now).is_suspect()
            {
                suspects.insert(file.path);
            }
        }
        if suspects.is_empty() && restored.is_empty() {
            return Ok(found);
        }
        found.extend(self.rewritten_along(Some(since), tip, &|path: &str| {
            suspects.contains(path)
                || restored.iter().any(|restored| {
                    path.strip_prefix(restored.as_str())
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
        })?);
        Ok(found)
    }

    /// Executions to which a merge gave another `plan_commit`: the writer did not need to know the previous one.
    fn redirected(
        &self,
        since: ObjectId,
        after: &Snapshot<'_>,
        differing: &[Difference],
        known: &[Rewritten],
    ) -> Result<Vec<Rewritten>, StoreError> {
        let mut found = Vec::new();
        for file in differing {
            let path = &file.path;
            let (Form::Entry(once), id) = form(path) else { continue };
            if known.iter().any(|other| other.path == *path) {
                continue;
            }
            let (Some(old), Some(new)) = (file.old_file(), file.new_file()) else { continue };
            let named = |version: ObjectId| -> Result<_, StoreError> {
                let bytes = read_blob(&self.repo, version, path)?;
                let file = layout::entry_file(once, id.as_deref(), &bytes).ok();
                Ok(file.map(|file| file.value["plan_commit"].clone()))
            };
            let (Some(old), Some(new)) = (named(old)?, named(new)?) else { continue };
            if old == new {
                continue;
            }
            let steps = self.commits_between(Some(since), after.commit())?;
            if let Some(commit) = self.introducing_commit(&steps, after, path)? {
                let (what, author) = (REDIRECTED.to_owned(), self.step(commit)?.author);
                found.push(Rewritten { path: path.clone(), what, commit: commit.into(), author });
            }
        }
        Ok(found)
    }

    /// Checks change by change, however many commits there are: the commits in the history of `tip` but not of
    /// `since`, or the whole history.
    pub(crate) fn all_rewritten(
        &self,
        since: Option<ObjectId>,
        tip: ObjectId,
    ) -> Result<Vec<Rewritten>, StoreError> {
        let mut found = self.wrongly_aside(since, tip)?;
        let history = self.parents_first(&[tip], since)?;
        found.extend(self.all_ill_formed(history.iter().map(|(commit, _)| *commit))?);
        found.extend(self.all_refused_trees(history.into_iter().map(|(commit, _)| commit))?);
        found.extend(self.rewritten_along(since, tip, &|_| true)?);
        Ok(found)
    }

    /// Trees that hosts refuse, each in the first of these commits that has it.
    fn all_refused_trees(
        &self,
        commits: impl Iterator<Item = ObjectId>,
    ) -> Result<Vec<Rewritten>, StoreError> {
        let mut check = TreeCheck::default();
        let mut found = Vec::new();
        for commit in commits {
            if let Some(tree) = self.refused_tree(&mut check, commit)? {
                let (path, what) = (tree.path().to_owned(), format!("made {tree}"));
                let author = self.step(commit)?.author;
                found.push(Rewritten { path, what, commit: commit.into(), author });
            }
        }
        Ok(found)
    }

    /// Whether `tip` follows `since` without any merge, at most [`MOST_FOLLOWED`] commits later.
    pub(crate) fn follows(&self, since: ObjectId, tip: ObjectId) -> Result<bool, StoreError> {
        let mut at = tip;
        for _ in 0..=MOST_FOLLOWED {
            if at == since {
                return Ok(true);
            }
            let [parent] = self.parents(at)?[..] else { return Ok(false) };
            at = parent;
        }
        Ok(false)
    }

    fn rewritten_along(
        &self,
        since: Option<ObjectId>,
        tip: ObjectId,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Rewritten>, StoreError> {
        let history = self.parents_first(&[tip], since)?;
        let all = history.iter().map(|(commit, parents)| (*commit, &parents[..]));
        let mut lineage = Lineage::over(self, all);
        let mut origins = OriginJudge::between(self, since, tip)?;
        let mut found = Vec::new();
        for (commit, parents) in &history {
            for own in lineage.changes(*commit, parents, wanted)? {
                found.extend(self.faults_of(&own, *commit, parents, &mut origins)?);
            }
        }
        Ok(found)
    }

    /// What is wrong in a commit's own change of a record.
    pub(crate) fn faults_of(
        &self,
        own: &Own,
        commit: ObjectId,
        parents: &[ObjectId],
        origins: &mut OriginJudge<'_>,
    ) -> Result<Vec<Rewritten>, StoreError> {
        let own_faults = match &own.did {
            Did::Wrote(_) => own.step().map(|step| step.faults()).unwrap_or_default(),
            Did::Deleted(_) if matches!(form(&own.path).0, Form::Unknown) => vec![],
            Did::Deleted(_) => vec!["deleted the record".to_owned()],
            Did::Redirected => vec![REDIRECTED.to_owned()],
            Did::Unreadable => vec!["made the record unreadable".to_owned()],
        };
        let mut faults: Vec<HistoryFault> =
            own_faults.into_iter().map(|what| HistoryFault { commit, what }).collect();
        faults.extend(origins.faults(own, commit, parents)?);
        faults
            .into_iter()
            .map(|HistoryFault { commit, what }| {
                let author = self.step(commit)?.author;
                Ok(Rewritten { path: own.path.clone(), what, commit: commit.into(), author })
            })
            .collect()
    }
}
