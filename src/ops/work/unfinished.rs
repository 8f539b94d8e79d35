//! Reasons why an execution is not complete: it has no commit, a test failed when last run, or work is uncommitted.

use super::unlinked::Causes;
use crate::model::repo_path::are_one;
use crate::model::{Code, CommitHash, Op, Other, Plan, Remedy, RemedyCall, RepoPath, count};
use crate::ops::Refusal;
use crate::rules::{ExecutionFolder, evidence};
use crate::store::{Store, StoreError};
use crate::trail::work::CommittedWork;
use crate::trail::{active, hooked, progress};

/// At most this many paths are named; the others are counted.
const MOST_NAMED: usize = 20;

/// Refuses an execution without commits, unless its plan needs none. `item` is how the caller named it, if it did.
pub(crate) fn refuse_empty(
    store: &Store,
    execution: &ExecutionFolder,
    plan: Option<&Plan>,
    work: &CommittedWork,
    item: Option<&str>,
) -> Result<(), Refusal> {
    if !work.effective.is_empty() || plan.is_some_and(Plan::needs_no_commit) {
        return Ok(());
    }
    let claim = &execution.execution;
    let issue = &claim.issue_id;
    let here = match active::work_dir_of(store, &claim.id)? {
        Some(folder) => Some(Store::open(&folder, store.environment())?),
        None => None,
    };
    let here = here.as_ref().unwrap_or(store);
    let head = here.head()?.map(CommitHash::from);
    let id = claim.id.short();
    let link =
        Remedy::call(RemedyCall::new(Op::Link, ["COMMIT", issue.as_str()]), "links an existing commit");
    let relink = |does| Remedy::call(Op::Relink, does);
    let fail = Remedy::call(
        RemedyCall::from(Op::Fail).item(item).option("message", "TEXT"),
        "ends the execution without it",
    );
    if work.idle.is_empty() {
        let Causes { details, of_others, of_nobody } = Causes::find(here, execution)?;
        let is_begun = head.is_some() && head != claim.base_commit;
        let mut remedies = if of_nobody.is_empty() && !of_others.is_empty() {
            let link = of_others.iter().map(CommitHash::short).chain([issue.as_str()]);
            vec![Remedy::call(RemedyCall::new(Op::Link, link), "links what belongs to this plan, too")]
        } else if is_begun || !details.is_empty() {
            let link = match &of_nobody[..] {
                [only] => Remedy::call(RemedyCall::new(Op::Link, [only.short(), issue.as_str()]), "links it"),
                _ => link,
            };
            vec![link, relink("finds commits whose message or change shows their plan")]
        } else {
            let release = Remedy::call(RemedyCall::new(Op::LeaseRelease, [issue]), "gives it up");
            vec![Remedy::words("commit the work first"), fail, release]
        };
        if let Some(off) = hooked::turned_off(here) {
            remedies.push(Remedy::words(off.to_string()));
            remedies.extend(off.remedies().into_vec());
        } else if !hooked::links_commits(here) {
            remedies.push(Remedy::call(
                Other::HooksInstall,
                "installs the hooks that link commits, which are missing",
            ));
        }
        let what = format!("no commit is linked to `{id}`");
        return Err(Refusal::new(Code::NoCommit, what).details(details).remedies(remedies));
    }
    let mut idle = work.idle.clone();
    let more = idle.len().saturating_sub(MOST_NAMED);
    idle.truncate(MOST_NAMED);
    if more > 0 {
        idle.push(format!("and {more} more"));
    }
    let message = format!("no commit linked to `{id}` changes anything on a branch");
    let remedies = if !work.gone.is_empty() {
        vec![relink("finds the commits that replaced squashed or rebased ones"), link, fail]
    } else {
        vec![Remedy::words("commit the work on a branch"), link, fail]
    };
    Err(Refusal::new(Code::NoCommit, message).details(idle).remedies(remedies))
}

/// Refuses an execution whose tests failed when last run. `item` is how the caller named it, if it did.
pub(crate) fn refuse_failed_checks(execution: &ExecutionFolder, item: Option<&str>) -> Result<(), Refusal> {
    let failed = evidence::failed_checks(execution);
    if failed.is_empty() {
        return Ok(());
    }
    let (tests, them) = if failed.len() == 1 { ("a test", "it") } else { ("tests", "them") };
    Err(Refusal::new(Code::FailedCheck, format!("{tests} failed when last run"))
        .details(failed)
        .hint(format!("fix {them}"))
        .remedy(RemedyCall::new(Op::Verify, item), format!("runs {them} again"))
        .remedy(
            RemedyCall::from(Op::Fail).item(item).option("message", "TEXT"),
            "ends the execution without it",
        ))
}

/// Refuses while a rebase, a merge or the like is in progress: its result is not known yet.
pub(crate) fn refuse_in_progress(store: &Store, execution: &ExecutionFolder) -> Result<(), Refusal> {
    let Some(folder) = active::work_dir_of(store, &execution.execution.id)? else { return Ok(()) };
    match progress::under_way(&Store::open(&folder, store.environment())?.git_dir())? {
        None => Ok(()),
        Some(what) => {
            Err(Refusal::new(Code::InProgress, format!("a {what} is in progress in the work tree"))
                .command(format!("git {what} --continue"), "finishes it")
                .command(format!("git {what} --abort"), "gives it up"))
        }
    }
}

/// Refuses if the work tree of the execution, if it is in this repository, has uncommitted work: changes to tracked
/// files, or untracked files that the plan names.
pub(crate) fn refuse_uncommitted(
    store: &Store,
    execution: &ExecutionFolder,
    plan: Option<&Plan>,
) -> Result<(), Refusal> {
    let Some(folder) = active::work_dir_of(store, &execution.execution.id)? else { return Ok(()) };
    let mut there = Store::open(&folder, store.environment())?;
    if execution.execution.run_id.is_some() {
        there = there.in_foreign_tree();
    }
    // No agent works where a run claims.
    if there.repo().is_fileless() {
        return Ok(());
    }
    let mut paths = uncommitted(&there, plan)?;
    if paths.is_empty() {
        return Ok(());
    }
    let all = count(paths.len(), "file");
    let more = paths.len().saturating_sub(MOST_NAMED);
    paths.truncate(MOST_NAMED);
    if more > 0 {
        paths.push(format!("and {more} more"));
    }
    Err(Refusal::new(Code::Uncommitted, format!("the work tree has uncommitted work in {all}"))
        .details(paths)
        .command("git commit", "records what belongs to it")
        .command("git stash", "puts the rest aside"))
}

/// The uncommitted work in the work tree, one line each.
fn uncommitted(store: &Store, plan: Option<&Plan>) -> Result<Vec<String>, Refusal> {
    let changed = store.git().changed_files().map_err(StoreError::Git)?;
    let mut lines: Vec<String> = changed.into_iter().map(|(_, path)| format!("{path} has changes")).collect();
    let named: Vec<RepoPath> = plan.map(Plan::touches).unwrap_or_default().into_iter().collect();
    let named: Vec<RepoPath> = named.into_iter().filter(|path| !path.as_str().is_empty()).collect();
    let has_nothing_else =
        named.is_empty() || (lines.is_empty() && are_committed(store, named.iter().map(RepoPath::as_str))?);
    if !has_nothing_else {
        let found = store.git().status_below(named.iter().map(RepoPath::as_str)).map_err(StoreError::Git)?;
        for (kind, path) in found {
            // Other ignored files in a directory of the plan are build output.
            match kind.as_str() {
                "??" => lines.push(format!("{path} is in the plan but not committed")),
                "!!" if named.iter().any(|name| are_one(name.as_str(), &path)) => {
                    lines.push(format!("{path} is in the plan but ignored by git"));
                }
                _ => {}
            }
        }
    }
    Ok(lines)
}

/// Whether HEAD has a file at each of these paths. If there are no changes, such a path has nothing untracked.
pub(crate) fn are_committed<'a>(
    store: &Store,
    paths: impl IntoIterator<Item = &'a str>,
) -> Result<bool, StoreError> {
    let Some(files) = store.code_tree()? else { return Ok(false) };
    for path in paths {
        if !files.has_file(path)? {
            return Ok(false);
        }
    }
    Ok(true)
}
