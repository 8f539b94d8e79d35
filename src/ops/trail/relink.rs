//! Linking commits that no hook saw.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Code, ExecutionId, Op, count};
use crate::ops::{Answer, Notice, Refusal, Session, work};
use crate::trail::relink::{self, AmbiguousCommit, RelinkResult, UnlinkedCommit};

/// Where to search.
#[derive(Debug)]
pub(crate) struct Relink {
    /// The commits, as `git log` takes them (default: all branches).
    pub(crate) range: Option<String>,
    /// Whether to search without linking.
    pub(crate) dry_run: bool,
    /// The only execution to link commits with; `None` for all.
    pub(crate) only: Option<ExecutionId>,
}

/// The commits that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Relinked {
    /// Whether this was a dry run.
    pub(crate) dry_run: bool,
    /// How many commits were searched.
    pub(crate) commits: usize,
    /// What was linked, or would be, oldest first.
    pub(crate) links: Vec<UnlinkedCommit>,
    /// Commits whose trailers name an issue, but which could belong to several of its executions.
    pub(crate) undecided: Vec<AmbiguousCommit>,
}

/// Finds commits of plans that are not linked, and links them.
///
/// # Errors
/// `not-found` if git knows no such commits; errors of git.
pub(crate) fn relink(session: &Session, input: &Relink) -> Answer<Relinked> {
    let (store, dry_run) = (session.store(), input.dry_run);
    let permit = (!dry_run).then(|| session.permit(Op::Relink)).transpose()?;
    let snapshot = store.snapshot()?;
    let Some(commits) = relink::commits(store, input.range.as_deref())? else {
        let range = input.range.as_deref().unwrap_or_default();
        return Err(Refusal::new(Code::NotFound, format!("`{range}` names no commits"))
            .hint("name them as for `git log`: `main`, `v1.0..main`, `HEAD~20..`")
            .command("git log --oneline --all", "shows the commits"));
    };
    let total = u64::try_from(commits.len()).ok();
    let RelinkResult { mut links, undecided, unreadable } =
        session.counted("searching commits", total, |at| relink::lost(store, &snapshot, &commits, at))?;
    if let Some(only) = &input.only {
        links.retain(|link| link.execution_id == *only);
    }
    for id in unreadable {
        let refs = store.git().refs_containing(std::iter::once(&id)).unwrap_or_default();
        let on = refs.first().map(|name| format!(" of `{name}`")).unwrap_or_default();
        let message =
            format!("skipped the commit `{id}`{on}, which cannot be read; `git fsck` says what is wrong");
        session.notice(Notice::warning(message));
    }
    session.notice_all(work::notice_of_lost_hooks(store)?);
    let mut commit = None;
    if !links.is_empty()
        && let Some(permit) = permit
    {
        let committed = session.transact(permit, |tx| {
            let (linked, plans) = relink::record(tx, store, &links)?;
            let plans: Vec<String> = plans.iter().map(ToString::to_string).collect();
            tx.describe(format!("execution: relink {} of {}", count(linked, "commit"), plans.join(", ")));
            Ok(())
        })?;
        commit = committed.commit;
    }
    Ok(session.done(Relinked { dry_run, commits: commits.len(), links, undecided }, commit))
}
