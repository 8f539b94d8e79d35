//! What a commit that is about to be made is for, and the trailers that say so.

mod amend;
mod own;
mod stop;

use std::collections::BTreeSet;
use std::path::Path;

use bstr::ByteSlice;

use self::amend::Amended;
use super::staged::Staged;
use super::{Binding, BoundExecution, CommittingWorktree, LostClaim};
use crate::model::{CommitHash, SolutionId, TaskId};
use crate::store::{ReadState, Store, StoreError};
use crate::trail::links::{solutions, tasks};
use crate::trail::referred::{self, REVERTS};
use crate::trail::sources::{RepeatedWork, Same, SourceWork, Sources};
use crate::trail::{progress, rebase, trailers};

/// A key and its value.
pub(crate) type Trailer = (&'static str, String);

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
    /// Whether git was called to amend HEAD; `None` if that cannot be seen.
    pub(crate) amends: &'a dyn Fn() -> Option<bool>,
}

/// The executed plan, chosen for a change that other plans have made, too.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChosenPlan {
    /// The executed one.
    pub(crate) plan: SolutionId,
    /// Those that made the change.
    pub(crate) others: Vec<SolutionId>,
}

/// What a draft is for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DraftBinding {
    /// It is for what its message and these trailers name, possibly for no plan.
    Trailers {
        /// Those that the message lacks.
        missing: Vec<Trailer>,
        /// Whether other plans made the same change before, so that the executed plan was chosen.
        chosen: Option<ChosenPlan>,
    },
    /// It is for no plan: none is executed here.
    NoPlan,
    /// The claim of this worktree was lost.
    Lost(LostClaim),
}

impl DraftBinding {
    /// Decides what `draft` is for.
    pub(crate) fn decide<R: ReadState>(
        store: &Store,
        read: &R,
        here: &CommittingWorktree,
        draft: &Draft<'_>,
    ) -> Result<Self, StoreError> {
        let staged = Staged::open(store, draft.index)?;
        let amended = Amended::find(store, draft, staged.as_ref())?;
        let deciding = Deciding { store, read, sources: Sources::new(store, read), draft, staged, amended };
        let git_dir = store.git_dir();
        if !progress::is_rebasing(&git_dir) {
            return deciding.decide(here);
        }
        let replayed = rebase::replayed(&git_dir).filter(|id| store.repo().is_commit(*id));
        match replayed {
            Some(replayed) => deciding.at_a_stop(here, replayed).map(Self::missing),
            // The rebase may still be aborted, so nothing is refused.
            None => Ok(match deciding.decide(here)? {
                Self::Lost(_) => Self::missing(vec![]),
                other => other,
            }),
        }
    }

    fn missing(missing: Vec<Trailer>) -> Self {
        Self::Trailers { missing, chosen: None }
    }
}

/// The work that a staged change repeats or reverts, by its content.
enum Copied {
    Nothing,
    /// It repeats or reverts this work, and contains nothing else.
    Whole(Vec<SourceWork>),
    /// It contains this work of other plans.
    Part(Vec<SourceWork>),
    /// Other plans made the same change before, and nothing says that it was taken from them.
    MerelyAlike(Vec<SolutionId>),
}

/// What is known while deciding.
struct Deciding<'a, R> {
    store: &'a Store,
    read: &'a R,
    sources: Sources<'a, R>,
    draft: &'a Draft<'a>,
    /// `None` for a first commit.
    staged: Option<Staged<'a>>,
    /// HEAD, if it is being amended.
    amended: Option<Amended>,
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
            && let Some(trailers) = self.of_earlier(bound)?
        {
            return Ok(DraftBinding::missing(trailers));
        }
        let back = self.pending_sources()?;
        if back.is_empty() {
            // The message itself says whose work this is, for example in a revert that was worded by hand.
            let stated =
                self.sources.by_message(self.draft.message, self.staged.as_ref().map(Staged::head))?;
            if stated.iter().any(|source| !is_of(bound, source)) {
                let own = self.own_part(bound, &stated, &back)?;
                // git drops the sentence about a fixup when it squashes it.
                let is_said = own.is_none() && referred::fixed(self.draft.message).is_none();
                let missing = if is_said { vec![] } else { self.of_sources(&stated, own)? };
                return Ok(DraftBinding::missing(missing));
            }
        }
        let mut chosen = None;
        let mut own = None;
        let mut found = self.all_reverted(self.sources.by_message(&back, None)?)?;
        if let Some(bound) = bound {
            if !found.is_empty() {
                own = self.own_part(Some(bound), &found, &back)?;
            } else if back.is_empty() && !progress::is_merging(&git_dir) {
                match self.by_change(bound)? {
                    Copied::Whole(same)
                        // Repeating the plan's own work is an ordinary step of it.
                        if same.iter().all(|source| is_of(Some(bound), source) && source.reverts.is_empty()) => {}
                    Copied::Whole(same) => found = same,
                    Copied::Part(same) => {
                        own = Some(self.own_trailers(bound, &self.left_over(&same)?)?);
                        found = same;
                    }
                    Copied::MerelyAlike(others) => {
                        chosen = Some(ChosenPlan { plan: bound.solution_id.clone(), others });
                    }
                    Copied::Nothing => {}
                }
            }
        }
        if !found.is_empty() {
            return self.of_sources(&found, own).map(DraftBinding::missing);
        }
        let bound = match binding {
            Binding::Bound(bound) => Some(bound),
            Binding::Nothing | Binding::Ended(..) => self.by_id(here)?,
            Binding::Elsewhere(_) | Binding::Lost(_) => None,
        };
        Ok(match bound {
            // A replayed commit brings work that was done elsewhere.
            Some(_) if is_replay || !self.is_visible()? => DraftBinding::missing(vec![]),
            Some(bound) => DraftBinding::Trailers { missing: self.of_bound(&bound)?, chosen },
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
        if self.draft.is_by_git {
            return Ok(true);
        }
        let Some(staged) = &self.staged else { return Ok(true) };
        Ok(!staged.files()?.is_empty())
    }

    /// The plans whose commits this change repeats or reverts, by its content: after `git apply`, `cherry-pick
    /// --no-commit` or an amended revert there is no other sign. A message that names a plan decides by itself.
    fn by_change(&self, bound: &BoundExecution) -> Result<Copied, StoreError> {
        let named = solutions(self.read, &trailers::parse(self.draft.message))?;
        if !named.is_empty() && !self.is_from_cherry_pick(&named)? {
            return Ok(Copied::Nothing);
        }
        // The user waits, and git continues anyway: what cannot be found out now is left to `link --find`.
        let Some(staged) = &self.staged else { return Ok(Copied::Nothing) };
        let Ok(files) = staged.files() else { return Ok(Copied::Nothing) };
        let recent = self.sources.recent(&files).unwrap_or_default();
        let found = self.sources.by_staged(&recent, &files, staged, staged.head()).unwrap_or(Same::Nobody);
        let has_all = |found: &[SourceWork]| {
            named.iter().all(|plan| found.iter().any(|source| source.solution_id == *plan))
        };
        Ok(match found {
            Same::Of(found) if has_all(&found) => {
                let work = self.apart(found, bound, &named)?;
                if work.taken.is_empty() {
                    Copied::MerelyAlike(work.merely_alike)
                } else {
                    Copied::Whole(work.taken)
                }
            }
            Same::Several(others) if named.is_empty() => Copied::MerelyAlike(others),
            Same::Of(_) | Same::Several(_) => Copied::Nothing,
            Same::Nobody => {
                let (plan, head) = (&bound.solution_id, staged.head());
                let parts =
                    self.sources.contained(&recent, &files, plan, head, || staged.patch_ids_by_file());
                let parts = parts.unwrap_or_default();
                if !has_all(&parts) {
                    return Ok(Copied::Nothing);
                }
                let taken = self.apart(parts, bound, &named)?.taken;
                if taken.is_empty() { Copied::Nothing } else { Copied::Part(taken) }
            }
        })
    }

    /// Separates the work that this change takes from others from work that it merely repeats. All is taken if git prepared a
    /// message that names its plans.
    fn apart(
        &self,
        found: Vec<SourceWork>,
        bound: &BoundExecution,
        named: &BTreeSet<SolutionId>,
    ) -> Result<RepeatedWork, StoreError> {
        match &self.staged {
            Some(staged) if named.is_empty() => {
                self.sources.apart(staged.head(), None, found, &bound.solution_id)
            }
            _ => Ok(RepeatedWork { taken: found, ..RepeatedWork::default() }),
        }
    }

    /// Whether the message names these plans only because git copied it from the last of several picked commits, so
    /// that nobody chose it.
    fn is_from_cherry_pick(&self, named: &BTreeSet<SolutionId>) -> Result<bool, StoreError> {
        let Some(prepared) = progress::prepared(&self.store.git_dir())? else { return Ok(false) };
        Ok(solutions(self.read, &trailers::parse(&prepared))? == *named)
    }

    /// The trailers of a commit that squashes, copies or reverts work, and `own`, those of the execution that it also
    /// belongs to.
    fn of_sources(
        &self,
        found: &[SourceWork],
        own: Option<Vec<Trailer>>,
    ) -> Result<Vec<Trailer>, StoreError> {
        // Someone wrote a plan into the message, apart from the text that git collected for a squash or copied from
        // a picked commit.
        let named = solutions(self.read, &trailers::parse(&unindented(self.draft.text)))?;
        if !named.is_empty() && !self.is_from_cherry_pick(&named)? {
            return Ok(vec![]);
        }
        let mut missing = self.trailers_of(found, own.is_some())?;
        missing.extend(own.unwrap_or_default());
        // git reads these only after the others.
        missing.sort_by_key(|(key, _)| *key == REVERTS);
        Ok(missing)
    }

    /// The trailers of these plans, except of those that the text names. If git's own text names all of them, there
    /// are none, unless the commit also belongs to another plan, whose trailers would hide them.
    fn trailers_of(&self, found: &[SourceWork], is_of_another: bool) -> Result<Vec<Trailer>, StoreError> {
        let text = self.draft.text;
        let stated: BTreeSet<CommitHash> = self.sources.taken_back(text).into_iter().collect();
        let reverts: BTreeSet<&CommitHash> = found.iter().flat_map(|source| &source.reverts).collect();
        if !stated.is_empty() && !is_of_another && reverts.iter().all(|hash| stated.contains(*hash)) {
            return Ok(vec![]);
        }
        let named = solutions(self.read, &trailers::parse(text))?;
        let mut missing = Vec::new();
        for source in found.iter().filter(|source| !named.contains(&source.solution_id)) {
            missing.extend(plan_trailers(&source.solution_id, &source.tasks));
        }
        let unstated = reverts.into_iter().filter(|hash| !stated.contains(*hash));
        missing.extend(unstated.map(|hash| (REVERTS, hash.to_string())));
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
        let known = bound.task_id.iter().cloned().collect();
        let tasks =
            tasks(self.read, &bound.solution_id, &own, known, || Ok(self.files().unwrap_or_default()))?;
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

/// The message without the text that `git merge --squash` collected, which is indented.
fn unindented(text: &[u8]) -> Vec<u8> {
    text.lines_with_terminator().filter(|line| !line.starts_with(b" ")).collect::<Vec<_>>().concat()
}
