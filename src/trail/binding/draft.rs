//! What a commit that is about to be made is for, and the trailers that say so.

use std::collections::BTreeSet;
use std::path::Path;

use bstr::ByteSlice;

use super::staged::Staged;
use super::{Binding, BoundExecution, CommittingWorktree, LostClaim};
use crate::git::ObjectId;
use crate::model::hash::CommitHash;
use crate::model::id::SolutionId;
use crate::model::task_id::TaskId;
use crate::rules::audit;
use crate::store::{CodeCommit, ReadState, Store, StoreError, records};
use crate::trail::links::{solutions, tasks};
use crate::trail::rebase::{self, Rebase};
use crate::trail::referred::{REVERTS, Referred};
use crate::trail::sources::{Same, SourceWork, Sources};
use crate::trail::{merges, progress, trailers};

/// A key and its value.
pub(crate) type Trailer = (&'static str, String);

/// Two commits of one second cannot be told apart by their dates: a commit with the date of HEAD amends it if that
/// date is at least this many seconds ago.
const SURELY_AMENDED: i64 = 2;

/// A commit that is about to be made, as far as `commit-msg` knows it.
pub(crate) struct Draft<'a> {
    /// The message, with everything that git will remove.
    pub(crate) message: &'a [u8],
    /// Its part above the scissors line.
    pub(crate) text: &'a [u8],
    /// The text without comments.
    pub(crate) written: &'a [u8],
    /// The index.
    pub(crate) index: &'a Path,
    /// The author date that git passes on, in seconds: that of HEAD if it is amended.
    pub(crate) authored: Option<i64>,
    /// Whether git itself commits the index on top of HEAD, or amends HEAD. Other programs run the hook for commits
    /// that they make in their own way, such as a squash of a stack of patches.
    pub(crate) is_by_git: bool,
}

/// What a draft is for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DraftBinding {
    /// It is for what its message and these trailers name, possibly for no plan.
    Trailers {
        /// Those that the message lacks.
        missing: Vec<Trailer>,
        /// What its author may not expect.
        notice: Option<String>,
    },
    /// It is for no plan: none is executed here.
    NoPlan,
    /// The claim of this worktree was lost.
    Lost(LostClaim),
}

impl DraftBinding {
    /// Decides what `draft` is for.
    pub(crate) fn of<R: ReadState>(
        store: &Store,
        read: &R,
        here: CommittingWorktree,
        draft: &Draft<'_>,
    ) -> Result<Self, StoreError> {
        let staged = Staged::of(store, draft.index)?;
        let deciding = Deciding { store, read, sources: Sources::of(store, read), draft, staged };
        let git_dir = store.git_dir();
        if !progress::is_rebasing(&git_dir) {
            return deciding.decide(&here);
        }
        let here = CommittingWorktree { branch: Rebase::of(&git_dir).map(|it| it.branch), ..here };
        let replayed = rebase::replayed(&git_dir).filter(|id| store.repo().is_commit(*id));
        match replayed {
            Some(replayed) => deciding.at_a_stop(&here, replayed).map(Self::missing),
            // The rebase may still be aborted, so nothing is refused.
            None => Ok(match deciding.decide(&here)? {
                Self::Lost(_) => Self::missing(vec![]),
                other => other,
            }),
        }
    }

    fn missing(missing: Vec<Trailer>) -> Self {
        Self::Trailers { missing, notice: None }
    }
}

/// What is known while deciding.
struct Deciding<'a, R> {
    store: &'a Store,
    read: &'a R,
    sources: Sources<'a, R>,
    draft: &'a Draft<'a>,
    /// `None` for a first commit.
    staged: Option<Staged<'a>>,
}

impl<R: ReadState> Deciding<'_, R> {
    fn decide(&self, here: &CommittingWorktree) -> Result<DraftBinding, StoreError> {
        let git_dir = self.store.git_dir();
        let binding = super::of_worktree(self.store, self.read, here)?;
        if let Binding::Lost(lost) = binding {
            return Ok(DraftBinding::Lost(lost));
        }
        let bound = if let Binding::Bound(bound) = &binding { Some(bound) } else { None };
        let is_replay = progress::is_picking(&git_dir);
        if !is_replay
            && !progress::is_merging(&git_dir)
            && let Some(trailers) = self.of_amended(bound.is_some())?
        {
            return Ok(DraftBinding::missing(trailers));
        }
        let back = progress::pending_sources(&git_dir)?;
        // The message itself says whose work this is, for example in an amended revert.
        if back.is_empty() && self.sources.by_message(self.draft.message)?.iter().any(|it| !is_of(bound, it))
        {
            return Ok(DraftBinding::missing(vec![]));
        }
        let mut notice = None;
        let mut with_own = None;
        let mut found = self.sources.by_message(&back)?;
        if let Some(bound) = bound {
            if !found.is_empty() {
                let is_more = !found.iter().any(|it| is_of(Some(bound), it)) && self.has_own(&back)?;
                with_own = is_more.then_some(bound);
            } else if back.is_empty() && !progress::is_merging(&git_dir) {
                match self.by_change()? {
                    // Repeating the plan's own work is an ordinary step of it.
                    Same::Of(same)
                        if same.iter().all(|it| is_of(Some(bound), it) && it.reverts.is_empty()) => {}
                    Same::Of(same) => found = same,
                    Same::Several(plans) => notice = Some(several(&plans, bound)),
                    Same::Nobody => {}
                }
            }
        }
        if !found.is_empty() {
            return self.of_sources(&found, with_own).map(DraftBinding::missing);
        }
        let bound = match binding {
            Binding::Bound(bound) => Some(bound),
            Binding::Nothing | Binding::Ended(..) => self.by_id(here)?,
            Binding::Elsewhere(_) | Binding::Lost(_) => None,
        };
        Ok(match bound {
            // A replayed commit brings work that was done elsewhere.
            Some(_) if is_replay || !self.is_visible()? => DraftBinding::missing(vec![]),
            Some(bound) => DraftBinding::Trailers { missing: self.of_bound(&bound)?, notice },
            None => DraftBinding::NoPlan,
        })
    }

    fn by_id(&self, here: &CommittingWorktree) -> Result<Option<BoundExecution>, StoreError> {
        let branch = here.branch.as_ref();
        if !super::is_any_named(self.read, branch, self.draft.message)? {
            return Ok(None);
        }
        super::by_id(self.read, branch, self.draft.written)
    }

    /// Whether the index shows what is committed. A program that commits nothing of the index makes a commit that is
    /// not seen here.
    fn is_visible(&self) -> Result<bool, StoreError> {
        let Some(staged) = self.staged.filter(|_| !self.draft.is_by_git) else { return Ok(true) };
        Ok(!staged.files()?.is_empty())
    }

    /// HEAD, if it is being amended.
    fn amended(&self) -> Result<Option<CodeCommit>, StoreError> {
        let (Some(staged), Some(authored)) = (self.staged, self.draft.authored) else { return Ok(None) };
        let head = self.store.code_commit(staged.head())?;
        if head.authored_at.millis().div_euclid(1000) != authored {
            return Ok(None);
        }
        let age = self.store.now()?.millis().div_euclid(1000) - authored;
        let is_amended = age >= SURELY_AMENDED || staged.files().is_ok_and(|files| files.is_empty());
        Ok(is_amended.then_some(head))
    }

    /// The trailers of HEAD that its new message lacks; `None` if HEAD is not being amended, or belongs to no plan.
    /// The plans of a commit without trailers are looked up only if `is_searched`, since that takes longer.
    fn of_amended(&self, is_searched: bool) -> Result<Option<Vec<Trailer>>, StoreError> {
        let Some(head) = self.amended()? else { return Ok(None) };
        let own = trailers::parse(self.draft.text);
        let is_named = !solutions(self.read, &trailers::parse(&head.message))?.is_empty();
        let found = if is_named {
            self.sources.of_commit(head.id, 0)?
        } else if is_searched && solutions(self.read, &own)?.is_empty() {
            self.sources.of_head(head.id)?
        } else {
            vec![]
        };
        if found.is_empty() {
            return Ok(None);
        }
        let mut missing = self.trailers_of(&found)?;
        // The tasks that the new message names replace those that the old one had.
        if own.iter().any(|(key, _)| key == trailers::TASK) {
            missing.retain(|(key, _)| *key != trailers::TASK);
        }
        // The message names the plan, but not its task any more.
        if let [only] = &found[..]
            && solutions(self.read, &own)? == BTreeSet::from([only.solution_id.clone()])
            && trailers::tasks(&own, only.solution_id.as_str()).is_empty()
        {
            missing.extend(only.tasks.iter().map(task_trailer));
        }
        Ok(Some(missing))
    }

    /// The trailers of a commit that is made while a rebase has stopped at `replayed`: a part of it, unless it
    /// changes only files that neither that commit changed nor its plan names, and that the executed plan does name.
    fn at_a_stop(&self, here: &CommittingWorktree, replayed: ObjectId) -> Result<Vec<Trailer>, StoreError> {
        let own = trailers::parse(&unindented(self.draft.text));
        if !solutions(self.read, &own)?.is_empty() {
            return Ok(vec![]);
        }
        if let Some(trailers) = self.of_amended(true)? {
            return Ok(trailers);
        }
        let files = self.staged.map_or(Ok(vec![]), |staged| staged.files())?;
        let work = self.sources.of_commit(replayed, 0)?;
        if let Binding::Bound(bound) = super::of_worktree(self.store, self.read, here)?
            && self.is_new_work(&bound, &work, replayed, &files)?
        {
            return self.of_bound(&bound);
        }
        let mut missing = Vec::new();
        for source in work {
            let known = if source.tasks.len() == 1 { source.tasks.clone() } else { vec![] };
            let of_files = tasks(self.read, &source.solution_id, &own, known, || Ok(files.clone()))?;
            let tasks = if of_files.is_empty() { source.tasks } else { of_files };
            missing.extend(plan_trailers(&source.solution_id, &tasks));
        }
        Ok(missing)
    }

    fn is_new_work(
        &self,
        bound: &BoundExecution,
        work: &[SourceWork],
        replayed: ObjectId,
        files: &[String],
    ) -> Result<bool, StoreError> {
        let names = |plan: &SolutionId, file: &String| -> Result<bool, StoreError> {
            let plan = records::solution(self.read, plan)?;
            Ok(plan.is_some_and(|plan| audit::named(&plan.typed_plan()).holds(file)))
        };
        let replayed = self.store.changed_files(&self.store.code_commit(replayed)?)?;
        for file in files {
            if replayed.contains(file) || !names(&bound.solution_id, file)? {
                return Ok(false);
            }
            for source in work {
                if names(&source.solution_id, file)? {
                    return Ok(false);
                }
            }
        }
        Ok(!files.is_empty())
    }

    /// The plans whose commits this change repeats or reverts, by its content: after `git apply`, `cherry-pick
    /// --no-commit` or an amended revert there is no other sign. A message that names a plan decides by itself.
    fn by_change(&self) -> Result<Same, StoreError> {
        let named = solutions(self.read, &trailers::parse(self.draft.message))?;
        if !named.is_empty() && !self.is_from_cherry_pick(&named)? {
            return Ok(Same::Nobody);
        }
        // The user waits, and git continues anyway: what cannot be found out now is left to `relink`.
        let Some(staged) = self.staged else { return Ok(Same::Nobody) };
        let Ok(files) = staged.files() else { return Ok(Same::Nobody) };
        let found =
            self.sources.by_staged(staged.head(), &files, || staged.patch_ids()).unwrap_or(Same::Nobody);
        let has_all =
            |found: &[SourceWork]| named.iter().all(|plan| found.iter().any(|it| it.solution_id == *plan));
        Ok(match found {
            Same::Of(found) if !has_all(&found) => Same::Nobody,
            Same::Several(_) if !named.is_empty() => Same::Nobody,
            found => found,
        })
    }

    /// Whether the message names these plans only because git copied it from the last of several picked commits, so
    /// that nobody chose it.
    fn is_from_cherry_pick(&self, named: &BTreeSet<SolutionId>) -> Result<bool, StoreError> {
        let Some(prepared) = progress::prepared(&self.store.git_dir())? else { return Ok(false) };
        Ok(solutions(self.read, &trailers::parse(&prepared))? == *named)
    }

    /// Whether the staged change contains more than the squash that `back` lists.
    fn has_own(&self, back: &[u8]) -> Result<bool, StoreError> {
        let squashed = Referred::parse(back).copies;
        let tip = if is_squash(back) { squashed.first() } else { None };
        let tip = tip.and_then(|tip| self.store.commit_named(tip));
        let (Some(tip), Some(staged)) = (tip, self.staged) else { return Ok(false) };
        if let Ok(Some(is_more)) = merges::is_more(self.store, (staged.head(), tip), staged.index()) {
            return Ok(is_more);
        }
        // An older git cannot repeat the squash. Then any file that no squashed commit changed shows changes of
        // one's own.
        let mut squashed_files = BTreeSet::new();
        for id in squashed.iter().filter_map(|id| self.store.commit_named(id)) {
            squashed_files.extend(self.store.changed_files(&self.store.code_commit(id)?)?);
        }
        Ok(staged.files().is_ok_and(|files| files.iter().any(|file| !squashed_files.contains(file))))
    }

    /// The trailers of a commit that squashes, copies or reverts work, and of the execution that it also belongs to.
    fn of_sources(
        &self,
        found: &[SourceWork],
        with_own: Option<&BoundExecution>,
    ) -> Result<Vec<Trailer>, StoreError> {
        // Someone wrote a plan into the message, apart from the text that git collected for a squash or copied from
        // a picked commit.
        let named = solutions(self.read, &trailers::parse(&unindented(self.draft.text)))?;
        if !named.is_empty() && !self.is_from_cherry_pick(&named)? {
            return Ok(vec![]);
        }
        let mut missing = self.trailers_of(found)?;
        if let Some(bound) = with_own {
            missing.extend(plan_trailers(&bound.solution_id, bound.task_id.as_slice()));
        }
        Ok(missing)
    }

    /// The trailers of these plans, except of those that the text names. If git's own text names all of them, there
    /// are none.
    fn trailers_of(&self, found: &[SourceWork]) -> Result<Vec<Trailer>, StoreError> {
        let text = self.draft.text;
        if !Referred::parse(text).reverts.is_empty() {
            return Ok(vec![]);
        }
        let named = solutions(self.read, &trailers::parse(text))?;
        let mut missing = Vec::new();
        for source in found.iter().filter(|it| !named.contains(&it.solution_id)) {
            missing.extend(plan_trailers(&source.solution_id, &source.tasks));
        }
        let reverts: BTreeSet<&CommitHash> = found.iter().flat_map(|it| &it.reverts).collect();
        missing.extend(reverts.into_iter().map(|hash| (REVERTS, hash.to_string())));
        Ok(missing)
    }

    /// The trailers of a commit of this execution that the text lacks.
    ///
    /// A message that names another plan keeps it: it is an amended or squashed commit of that plan. An amended commit
    /// keeps its task.
    fn of_bound(&self, bound: &BoundExecution) -> Result<Vec<Trailer>, StoreError> {
        let present = trailers::parse(self.draft.text);
        let mut named = present.iter().filter(|(key, _)| key == trailers::SOLUTION).peekable();
        if named.peek().is_some() && named.all(|(_, value)| value != bound.solution_id.as_str()) {
            return Ok(vec![]);
        }
        let own = trailers::parse(&unindented(self.draft.text));
        // Nothing is known about a first commit, or if git cannot tell; `post-commit` checks again.
        let files = || Ok(self.staged.and_then(|staged| staged.files().ok()).unwrap_or_default());
        let known = bound.task_id.iter().cloned().collect();
        let tasks = tasks(self.read, &bound.solution_id, &own, known, files)?;
        let mut missing = plan_trailers(&bound.solution_id, &tasks);
        let has_task = own.iter().any(|(key, _)| key == trailers::TASK);
        missing.retain(|(key, _)| !has_task || *key != trailers::TASK);
        Ok(missing)
    }
}

fn is_of(bound: Option<&BoundExecution>, source: &SourceWork) -> bool {
    bound.is_some_and(|bound| bound.solution_id == source.solution_id)
}

fn plan_trailers(plan: &SolutionId, tasks: &[TaskId]) -> Vec<Trailer> {
    let mut trailers =
        vec![(trailers::ISSUE, plan.issue().to_string()), (trailers::SOLUTION, plan.to_string())];
    trailers.extend(tasks.iter().map(task_trailer));
    trailers
}

fn task_trailer(task: &TaskId) -> Trailer {
    (trailers::TASK, task.to_string())
}

fn several(plans: &[SolutionId], bound: &BoundExecution) -> String {
    let plans: Vec<String> = plans.iter().map(|plan| format!("`{plan}`")).collect();
    format!(
        "commits of several plans ({}) make the same change, so this one is linked to the plan that is being executed, `{}`; `git wf link HEAD PLAN` links it to another",
        plans.join(" and "),
        bound.solution_id
    )
}

/// Whether git lists squashed commits, not a picked one.
fn is_squash(back: &[u8]) -> bool {
    back.starts_with(b"Squashed commit of the following")
}

/// The message without the text that `git merge --squash` collected, which is indented.
fn unindented(text: &[u8]) -> Vec<u8> {
    text.lines_with_terminator().filter(|line| !line.starts_with(b" ")).collect::<Vec<_>>().concat()
}
