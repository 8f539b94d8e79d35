//! `commit-msg`: adds the trailers that link a commit, and refuses a commit if the policy says so.

use std::path::{Path, PathBuf};

use super::amending::is_amending;
use super::message::{CommentRule, add_trailers, is_empty_after_cleanup};
use super::{HookError, HookVerdict};
use crate::rules::Gate;
use crate::store::{Store, records};
use crate::trail::binding::{ChosenPlan, CommittingWorktree, Draft, DraftBinding, LostClaim, Trailer};
use crate::trail::progress;

/// The files in the git directory in which git itself passes a message to the hook.
const OF_GIT: [&str; 2] = ["COMMIT_EDITMSG", "MERGE_MSG"];

/// Handles the message in the file at `path`, which is changed only to add trailers.
pub(crate) fn run(store: &Store, path: &Path) -> Result<HookVerdict, HookError> {
    if store.tip()?.is_none() {
        return Ok(HookVerdict::Go);
    }
    let git_dir = store.git_dir();
    let snapshot = store.snapshot()?;
    let here = CommittingWorktree::load(store)?;
    let branch = here.branch.clone();
    let message = std::fs::read(path).map_err(|source| HookError::Read { path: path.to_owned(), source })?;
    let rule = CommentRule::read(store, std::env::var_os("GIT_EDITOR").as_deref())?;
    let index = index(&git_dir);
    let draft = Draft {
        message: &message,
        text: rule.at_scissors(&message).0,
        written: &rule.written(&message),
        index: &index,
        authored: author_date(),
        is_by_git: is_by_git(path, &git_dir),
        amends: &is_amending,
    };
    let decided = DraftBinding::decide(store, &snapshot, &here, &draft)?;
    if is_empty_after_cleanup(&message, &rule) {
        return Ok(HookVerdict::Go);
    }
    // A replayed or merged commit brings work that was done elsewhere. If git does not stop for it, `commit-msg` does
    // not run, or nobody is there to react.
    let required = Gate::Commits.is_required(&records::root(&snapshot)?.policy)
        && !progress::is_rebasing(&git_dir)
        && !progress::is_picking(&git_dir)
        && !progress::is_merging(&git_dir);
    Ok(match decided {
        DraftBinding::Trailers { missing, chosen } => {
            add(path, &rule, &missing)?;
            chosen.map_or(HookVerdict::Go, |chosen| HookVerdict::Note(several(&chosen).into()))
        }
        DraftBinding::Lost(lost) if required => HookVerdict::Refused(taken_over(&lost)),
        DraftBinding::Lost(lost) => {
            let text = taken_over(&lost);
            HookVerdict::Note(
                format!("{text}, so this commit is not linked; earlier commits stay linked").into(),
            )
        }
        DraftBinding::NoPlan if required => HookVerdict::Refused(match branch {
            Some(branch) => {
                format!(
                    "the policy requires a plan for every commit, and none is being executed on `{branch}`"
                )
            }
            None => {
                "the policy requires a plan for every commit, and none is executed on a detached HEAD".into()
            }
        }),
        DraftBinding::NoPlan => {
            add(path, &rule, &[])?;
            HookVerdict::Go
        }
    })
}

/// The index that is being committed. git names it to its hooks, because with `commit -a` or `commit FILE` it is not
/// the worktree's own.
pub(super) fn index(git_dir: &Path) -> PathBuf {
    match std::env::var_os("GIT_INDEX_FILE") {
        Some(named) => std::path::absolute(&named).unwrap_or_else(|_| named.into()),
        None => git_dir.join("index"),
    }
}

/// The author date that git passes on, in seconds.
fn author_date() -> Option<i64> {
    let date = std::env::var("GIT_AUTHOR_DATE").ok()?;
    date.strip_prefix('@')?.split(' ').next()?.parse().ok()
}

/// Whether the message is in a file of git's.
fn is_by_git(path: &Path, git_dir: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    OF_GIT.iter().any(|name| git_dir.join(name).canonicalize().is_ok_and(|own| own == path))
}

/// One line that says why the executed plan was chosen.
fn several(chosen: &ChosenPlan) -> String {
    let plans: Vec<String> = chosen.others.iter().map(|plan| format!("`{plan}`")).collect();
    let others = match &plans[..] {
        [only] => format!("a commit of {only} makes"),
        several => format!("commits of several plans ({}) make", several.join(" and ")),
    };
    format!(
        "{others} the same change; this one is linked to the plan that is being executed, `{}`; `git wf link HEAD PLAN` links it to another",
        chosen.plan
    )
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

fn add(path: &Path, rule: &CommentRule, trailers: &[Trailer]) -> Result<(), HookError> {
    let trailers: Vec<(&str, &str)> = trailers.iter().map(|(key, value)| (*key, &value[..])).collect();
    Ok(add_trailers(path, rule, &trailers)?)
}
