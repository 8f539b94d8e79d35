//! `commit-msg`: adds the trailers that link a commit, and refuses a commit if the policy says so.

use std::collections::BTreeSet;
use std::path::Path;

use bstr::ByteSlice;

use super::message::{CommentRule, add_trailers, is_empty_after_cleanup};
use super::staged::Staged;
use super::{HookError, HookVerdict};
use crate::model::hash::CommitHash;
use crate::model::id::SolutionId;
use crate::rules::policy::Gate;
use crate::store::{ReadState, Store, StoreError, records};
use crate::trail::binding::{self, Binding, BoundExecution, CommittingWorktree, LostClaim};
use crate::trail::links::{solutions, task};
use crate::trail::referred::{REVERTS, Referred};
use crate::trail::sources::{Same, SourceWork, Sources};
use crate::trail::trailers;
use crate::trail::{merges, progress};

/// Handles the message in the file at `path`, which is changed only to add trailers.
pub(crate) fn run(store: &Store, path: &Path) -> Result<HookVerdict, HookError> {
    let git_dir = store.git_dir();
    if store.tip()?.is_none() || progress::is_rebasing(&git_dir) {
        return Ok(HookVerdict::Go);
    }
    let snapshot = store.snapshot()?;
    let here = CommittingWorktree::of(store)?;
    let message = std::fs::read(path).map_err(|source| HookError::Read { path: path.to_owned(), source })?;
    let editor = std::env::var_os("GIT_EDITOR");
    let mut rule = None;
    let mut notice = None;
    let mut binding = binding::of_worktree(store, &snapshot, &here)?;
    if !matches!(binding, Binding::Lost(_)) {
        let back = progress::pending_sources(&git_dir)?;
        let sources = Sources::of(store, &snapshot);
        let own = |it: &SourceWork| matches!(&binding, Binding::Bound(bound) if bound.solution_id == it.solution_id);
        // The message itself says whose work this is, for example in an amended revert.
        if back.is_empty() && sources.by_message(&message)?.iter().any(|it| !own(it)) {
            return Ok(HookVerdict::Go);
        }
        let gone_back = sources.by_message(&back)?;
        let mut with_own = None;
        let found = match &binding {
            Binding::Bound(bound) if gone_back.is_empty() => {
                let is_stated = progress::is_merging(&git_dir) || !back.is_empty();
                match if is_stated { Same::Nobody } else { by_change(store, &snapshot, &sources, &message)? }
                {
                    // Repeating the plan's own work is an ordinary step of it.
                    Same::Of(found) if found.iter().all(|it| own(it) && it.reverts.is_empty()) => vec![],
                    Same::Of(found) => found,
                    Same::Several(plans) => {
                        notice = Some(several(&plans, bound));
                        vec![]
                    }
                    Same::Nobody => vec![],
                }
            }
            Binding::Bound(bound) => {
                let is_more = !gone_back.iter().any(own) && has_own(store, &back)?;
                with_own = is_more.then_some(bound);
                gone_back
            }
            _ => gone_back,
        };
        if !found.is_empty() {
            let rule = CommentRule::read(store, editor.as_deref())?;
            if !is_empty_after_cleanup(&message, &rule) {
                let text = rule.at_scissors(&message).0;
                let is_decided = is_decided(store, &snapshot, text)?;
                let mut trailers = if is_decided { vec![] } else { trailers_of(&snapshot, &found, text)? };
                if let Some(bound) = with_own.filter(|_| !is_decided) {
                    trailers.extend(trailers_of_bound(bound));
                }
                add(path, &rule, &trailers)?;
            }
            return Ok(HookVerdict::Go);
        }
    }
    let branch = here.branch.as_ref();
    // Telling comments from text may need a git process, and few messages contain an id at all.
    if matches!(binding, Binding::Nothing | Binding::Ended(..))
        && binding::is_any_named(&snapshot, branch, &message)?
    {
        let known = rule.insert(CommentRule::read(store, editor.as_deref())?);
        let found = binding::by_id(&snapshot, branch, &known.written(&message))?;
        binding = found.map_or(binding, Binding::Bound);
    }
    // A replayed or merged commit brings work that was done elsewhere. If git does not stop for it, `commit-msg` does
    // not run, or nobody is there to react.
    let replayed = progress::is_picking(&git_dir);
    let required = Gate::Commits.is_required(&records::root(&snapshot)?.policy)
        && !replayed
        && !progress::is_merging(&git_dir);
    let is_idle = match &binding {
        Binding::Bound(_) => replayed,
        Binding::Lost(_) => false,
        Binding::Nothing | Binding::Ended(..) | Binding::Elsewhere(_) => !required,
    };
    if is_idle {
        return Ok(HookVerdict::Go);
    }
    let rule = match rule {
        Some(rule) => rule,
        None => CommentRule::read(store, editor.as_deref())?,
    };
    if is_empty_after_cleanup(&message, &rule) {
        return Ok(HookVerdict::Go);
    }
    match binding {
        Binding::Bound(bound) => {
            let text = rule.at_scissors(&message).0;
            let bound = with_task(store, &snapshot, bound, text)?;
            add(path, &rule, &missing_trailers(&bound, text))?;
            Ok(notice.map_or(HookVerdict::Go, |text| HookVerdict::Note(text.into())))
        }
        Binding::Lost(lost) if required => Ok(HookVerdict::Refused(taken_over(&lost))),
        Binding::Lost(lost) => {
            let text = taken_over(&lost);
            Ok(HookVerdict::Note(
                format!("{text}, so this commit is not linked; earlier commits stay linked").into(),
            ))
        }
        Binding::Nothing | Binding::Ended(..) | Binding::Elsewhere(_) => {
            Ok(HookVerdict::Refused(match &here.branch {
                Some(branch) => {
                    format!(
                        "the policy requires a plan for every commit, and none is being executed on `{branch}`"
                    )
                }
                None => {
                    "the policy requires a plan for every commit, and none is executed on a detached HEAD"
                        .into()
                }
            }))
        }
    }
}

/// The plans whose commits this change repeats or reverts, by its content: after `git apply`, `cherry-pick
/// --no-commit` or an amended revert there is no other sign. A message that names a plan decides by itself.
fn by_change<R: ReadState>(
    store: &Store,
    read: &R,
    sources: &Sources<'_, R>,
    message: &[u8],
) -> Result<Same, StoreError> {
    let named = solutions(read, &trailers::parse(message))?;
    if !named.is_empty() && !is_from_cherry_pick(store, read, &named)? {
        return Ok(Same::Nobody);
    }
    // The user waits, and git continues anyway: what cannot be found out now is left to `relink`.
    let Some(staged) = Staged::of(store)? else { return Ok(Same::Nobody) };
    let Ok(files) = staged.files() else { return Ok(Same::Nobody) };
    if files.is_empty() {
        let head = store.code_commit(staged.head())?;
        let found = if staged.is_amended(&head) { sources.of_head(staged.head())? } else { vec![] };
        return Ok(if found.is_empty() { Same::Nobody } else { Same::Of(found) });
    }
    let found = sources.by_staged(staged.head(), &files, || staged.patch_ids()).unwrap_or(Same::Nobody);
    let has_all =
        |found: &[SourceWork]| named.iter().all(|plan| found.iter().any(|it| it.solution_id == *plan));
    Ok(match found {
        Same::Of(found) if !has_all(&found) => Same::Nobody,
        Same::Several(_) if !named.is_empty() => Same::Nobody,
        found => found,
    })
}

/// Whether the message names these plans only because git copied it from the last of several picked commits, so that
/// nobody chose it.
fn is_from_cherry_pick(
    store: &Store,
    read: &impl ReadState,
    named: &BTreeSet<SolutionId>,
) -> Result<bool, StoreError> {
    let Some(prepared) = progress::prepared(&store.git_dir())? else { return Ok(false) };
    Ok(solutions(read, &trailers::parse(&prepared))? == *named)
}

fn several(plans: &[SolutionId], bound: &BoundExecution) -> String {
    let plans: Vec<String> = plans.iter().map(|plan| format!("`{plan}`")).collect();
    format!(
        "commits of several plans ({}) make the same change, so this one is linked to the plan that is being executed, `{}`; `git wf link HEAD PLAN` links it to another",
        plans.join(" and "),
        bound.solution_id
    )
}

/// Whether the staged change contains more than the squash that `back` lists.
fn has_own(store: &Store, back: &[u8]) -> Result<bool, StoreError> {
    let squashed = Referred::parse(back).copies;
    let tip = squashed.first().and_then(|tip| store.commit_named(tip)).filter(|_| is_squash(back));
    let (Some(tip), Some(staged)) = (tip, Staged::of(store)?) else { return Ok(false) };
    if let Ok(Some(is_more)) = merges::is_more(store, (staged.head(), tip), staged.index()) {
        return Ok(is_more);
    }
    // An older git cannot repeat the squash. Then any file that no squashed commit changed shows changes of one's
    // own.
    let mut squashed_files = BTreeSet::new();
    for id in squashed.iter().filter_map(|id| store.commit_named(id)) {
        squashed_files.extend(store.changed_files(&store.code_commit(id)?)?);
    }
    Ok(staged.files().is_ok_and(|files| files.iter().any(|file| !squashed_files.contains(file))))
}

/// Whether git lists squashed commits, not a picked one.
fn is_squash(back: &[u8]) -> bool {
    back.starts_with(b"Squashed commit of the following")
}

/// One line that says who has the lost claim now.
fn taken_over(lost: &LostClaim) -> String {
    match &lost.to {
        Some((execution, actor)) => {
            format!("{actor} has taken over {} with `{}`", lost.execution_id.issue(), execution.short())
        }
        None => format!("the claim `{}` was set aside", lost.execution_id.short()),
    }
}

fn add(path: &Path, rule: &CommentRule, trailers: &[(&'static str, String)]) -> Result<(), HookError> {
    let trailers: Vec<(&str, &str)> = trailers.iter().map(|(key, value)| (*key, &value[..])).collect();
    if !trailers.is_empty() {
        add_trailers(path, rule, &trailers)?;
    }
    Ok(())
}

/// The trailers for a commit that squashes, copies or reverts the work of plans, except those of plans that `text`
/// names. If git's own text names all of them, nothing is added.
fn trailers_of(
    read: &impl ReadState,
    sources: &[SourceWork],
    text: &[u8],
) -> Result<Vec<(&'static str, String)>, StoreError> {
    if !Referred::parse(text).reverts.is_empty() {
        return Ok(vec![]);
    }
    let named = solutions(read, &trailers::parse(text))?;
    let mut found = Vec::new();
    for source in sources.iter().filter(|it| !named.contains(&it.solution_id)) {
        found.push((trailers::ISSUE, source.solution_id.issue().to_string()));
        found.push((trailers::SOLUTION, source.solution_id.to_string()));
        found.extend(source.task_id.iter().map(|task| (trailers::TASK, task.to_string())));
    }
    let reverts: BTreeSet<&CommitHash> = sources.iter().flat_map(|it| &it.reverts).collect();
    found.extend(reverts.into_iter().map(|hash| (REVERTS, hash.to_string())));
    Ok(found)
}

/// Whether someone wrote a plan into the message, apart from the text that git collected for a squash or copied from
/// a picked commit.
fn is_decided(store: &Store, read: &impl ReadState, text: &[u8]) -> Result<bool, StoreError> {
    let named = solutions(read, &trailers::parse(&unindented(text)))?;
    Ok(!named.is_empty() && !is_from_cherry_pick(store, read, &named)?)
}

/// With the task that the commit will be linked to.
fn with_task(
    store: &Store,
    read: &impl ReadState,
    bound: BoundExecution,
    text: &[u8],
) -> Result<BoundExecution, StoreError> {
    // Nothing is known about a first commit, or if git cannot tell; `post-commit` checks again.
    let files = || Ok(Staged::of(store)?.and_then(|staged| staged.files().ok()).unwrap_or_default());
    let own = trailers::parse(&unindented(text));
    let task_id = task(read, &bound.solution_id, &own, bound.task_id, files)?;
    Ok(BoundExecution { task_id, ..bound })
}

/// The trailers for a commit of this execution.
fn trailers_of_bound(bound: &BoundExecution) -> Vec<(&'static str, String)> {
    let mut trailers = vec![
        (trailers::ISSUE, bound.solution_id.issue().to_string()),
        (trailers::SOLUTION, bound.solution_id.to_string()),
    ];
    trailers.extend(bound.task_id.iter().map(|task| (trailers::TASK, task.to_string())));
    trailers
}

/// The trailers for a commit of this execution that `text` does not have yet.
///
/// A message that names another plan keeps it: it is an amended or squashed commit of that plan. An amended commit
/// keeps its task.
fn missing_trailers(bound: &BoundExecution, text: &[u8]) -> Vec<(&'static str, String)> {
    let present = trailers::parse(text);
    let own = bound.solution_id.as_str();
    let mut solutions =
        present.iter().filter(|(key, _)| key == trailers::SOLUTION).map(|(_, value)| value.as_str());
    let is_foreign = solutions.clone().next().is_some() && !solutions.any(|solution| solution == own);
    if is_foreign {
        return Vec::new();
    }
    let has_task = trailers::parse(&unindented(text)).iter().any(|(key, _)| key == trailers::TASK);
    let mut trailers = trailers_of_bound(bound);
    trailers.retain(|(key, _)| !has_task || *key != trailers::TASK);
    trailers
}

/// The message without the text that `git merge --squash` collected, which is indented.
fn unindented(text: &[u8]) -> Vec<u8> {
    text.lines_with_terminator().filter(|line| !line.starts_with(b" ")).collect::<Vec<_>>().concat()
}
