//! A commit that amends HEAD. It belongs to what HEAD belongs to, and its tasks are those of the whole commit, not of what
//! the amend adds or removes.

use std::collections::BTreeSet;

use super::{Deciding, Draft, Trailer, is_of, plan_trailers, unindented};
use crate::model::{CommitHash, SolutionId, Task, TaskId};
use crate::store::{CodeCommit, ReadState, Store, StoreError, records};
use crate::trail::binding::BoundExecution;
use crate::trail::binding::staged::Staged;
use crate::trail::links::{solutions, tasks};
use crate::trail::referred::{REVERTS, Referred};
use crate::trail::sources::SourceWork;
use crate::trail::trailers;

/// Two commits of one second cannot be told apart by their dates. If nothing else shows it, a commit with the author
/// date of HEAD amends it if that date is at least this many seconds ago.
const SURELY_AMENDED: i64 = 2;

/// HEAD, which is being amended.
pub(super) struct Amended {
    head: CodeCommit,
    /// The files that HEAD changes.
    before: Vec<String>,
    /// The files that the commit in its place changes.
    now: Vec<String>,
}

impl Amended {
    /// HEAD, if the draft amends it.
    pub(super) fn find(
        store: &Store,
        draft: &Draft<'_>,
        staged: Option<&Staged<'_>>,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(staged), Some(authored)) = (staged, draft.authored) else { return Ok(None) };
        let head = store.code_commit(staged.head())?;
        let amends = (draft.amends)();
        if amends != Some(true) && head.authored_at.millis().div_euclid(1000) != authored {
            return Ok(None);
        }
        let is_amended = match amends {
            Some(amends) => amends,
            None => {
                let age = store.now()?.millis().div_euclid(1000) - authored;
                age >= SURELY_AMENDED || staged.files().is_ok_and(|files| files.is_empty())
            }
        };
        if !is_amended {
            return Ok(None);
        }
        let before = store.changed_files(&head)?;
        let now = staged.files_without(&head)?;
        Ok(Some(Self { head, before, now }))
    }

    /// The files that the commit in its place changes.
    pub(super) fn files(&self) -> &[String] {
        &self.now
    }

    /// The files that HEAD does not change.
    fn added(&self) -> Vec<String> {
        self.now.iter().filter(|file| !self.before.contains(file)).cloned().collect()
    }
}

impl<R: ReadState> Deciding<'_, R> {
    /// The trailers of HEAD that its new message lacks, and those of the executed plan if the amend adds work of it; `None`
    /// if HEAD is not being amended, or belongs to no plan. The plans of a commit without trailers are looked up only
    /// if a plan is `bound`, since that takes longer.
    pub(super) fn of_amended(
        &self,
        bound: Option<&BoundExecution>,
    ) -> Result<Option<Vec<Trailer>>, StoreError> {
        let Some(amended) = &self.amended else { return Ok(None) };
        // Someone removed its link by hand, and may have linked it to another plan.
        let is_unlinked = match bound {
            Some(bound) => self.sources.is_unlinked(&bound.execution_id, &amended.head.id.into())?,
            None => false,
        };
        let own = trailers::parse(self.draft.text);
        let of_head = trailers::parse(&amended.head.message);
        let (named, named_before) = (solutions(self.read, &own)?, solutions(self.read, &of_head)?);
        let mut found = if !named_before.is_empty() {
            self.sources.of_commit(amended.head.id, 0)?
        } else if bound.is_some() && named.is_empty() {
            self.sources.of_head(amended.head.id)?
        } else {
            vec![]
        };
        found.retain(|source| !is_unlinked || !is_of(bound, source));
        if found.is_empty() {
            return Ok(is_unlinked.then(Vec::new));
        }
        let mut added = Vec::new();
        if let Some(bound) = bound.filter(|bound| !is_unlinked && !named.contains(&bound.solution_id)) {
            let files = self.files_of(bound, &found, amended.added())?;
            if !files.is_empty() {
                added = self.own_trailers(bound, &files)?;
            }
        }
        // git's own text names the work already.
        let reverts = Referred::parse(self.draft.text).reverts;
        if named_before.is_empty() && !reverts.is_empty() && added.is_empty() {
            return Ok(Some(vec![]));
        }
        let mut missing = Vec::new();
        for source in &found {
            missing.extend(self.amended_trailers(amended, source, &own, &of_head)?);
        }
        missing.extend(added);
        if reverts.is_empty() {
            let reverts: BTreeSet<&CommitHash> = found.iter().flat_map(|source| &source.reverts).collect();
            missing.extend(reverts.into_iter().map(|hash| (REVERTS, hash.to_string())));
        }
        Ok(Some(missing))
    }

    /// The trailers of one plan of an amended commit that its new message lacks. A task that someone typed in place of
    /// the one that HEAD names stays as it is.
    fn amended_trailers(
        &self,
        amended: &Amended,
        source: &SourceWork,
        own: &[(String, String)],
        of_head: &[(String, String)],
    ) -> Result<Vec<Trailer>, StoreError> {
        let plan = &source.solution_id;
        let tasks = self.amended_tasks(amended, plan, &source.tasks)?;
        let typed = trailers::tasks(own, plan.as_str());
        let is_typed = !typed.is_empty() && typed != trailers::tasks(of_head, plan.as_str());
        let lacking: Vec<TaskId> =
            tasks.into_iter().filter(|task| !is_typed && !typed.contains(task.as_str())).collect();
        let is_named = solutions(self.read, own)?.contains(plan);
        let is_complete = is_named && lacking.is_empty();
        Ok(if is_complete { vec![] } else { plan_trailers(plan, &lacking) })
    }

    /// The tasks of an amended commit: those that it had, except for those of which the commit in its place has no file
    /// any more, and the one whose files were added.
    fn amended_tasks(
        &self,
        amended: &Amended,
        plan: &SolutionId,
        known: &[TaskId],
    ) -> Result<Vec<TaskId>, StoreError> {
        let Some(record) = records::solution(self.read, plan)? else { return Ok(known.to_vec()) };
        let typed = record.typed_plan();
        let names_any = |task: &TaskId, files: &[String]| {
            let touches = typed.task(task.as_str()).map(Task::touches).unwrap_or_default();
            touches.iter().any(|place| files.iter().any(|file| place.covers(file)))
        };
        let mut left: Vec<TaskId> = known
            .iter()
            .filter(|task| !names_any(task, &amended.before) || names_any(task, &amended.now))
            .cloned()
            .collect();
        if left.is_empty() {
            return tasks(self.read, plan, &[], vec![], || Ok(amended.now.clone()));
        }
        if let Some(added) = typed.only_task_of(&amended.added())
            && !left.contains(&added.id)
        {
            left.push(added.id.clone());
        }
        Ok(left)
    }

    /// The plans that the draft's own text names although HEAD's message does not.
    pub(super) fn chosen_plans(&self) -> Result<BTreeSet<SolutionId>, StoreError> {
        let mut named = solutions(self.read, &trailers::parse(&unindented(self.draft.text)))?;
        if let Some(amended) = &self.amended {
            for plan in solutions(self.read, &trailers::parse(&amended.head.message))? {
                named.remove(&plan);
            }
        }
        Ok(named)
    }
}
