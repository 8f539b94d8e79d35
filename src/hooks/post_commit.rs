//! `post-commit`: has the new commit recorded, and says what its author may not expect.

use super::{HookVerdict, rewritten, unbound};
use crate::git;
use crate::model::{CommitHash, count};
use crate::ops::trail::{
    NOTICE_OUTSIDE, RecordCommit, RecordRewrite, RewriteKind, UnexpectedLink, record_commit, record_rewrite,
    record_split,
};
use crate::ops::{Done, Refusal, Session};
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::last_reset::LastReset;
use crate::trail::own_branch::Relation;
use crate::trail::{progress, rebase, trailers};

/// Links HEAD. Linking the same commit again changes nothing.
pub(crate) fn run(session: &Session) -> Result<HookVerdict, Refusal> {
    let store = session.store();
    let Some(commit) = made_here(store)? else { return Ok(HookVerdict::Go) };
    let reset = LastReset::find(store)?;
    let verdict = record(session, commit, reset.as_ref())?;
    unbound::note(store, reset.as_ref())?;
    Ok(verdict)
}

/// `post-merge`, which git runs instead of `post-commit` if a merge did not stop: links the merge that `commit-msg`
/// bound. After a fast-forward, HEAD is a commit that was made elsewhere.
pub(crate) fn run_after_merge(session: &Session) -> Result<HookVerdict, Refusal> {
    let store = session.store();
    let Some(commit) = made_here(store)? else { return Ok(HookVerdict::Go) };
    let is_new =
        commit.parents.len() > 1 && commit.parents.first().copied() == store.read_ref("ORIG_HEAD")?;
    if is_new && !trailers::parse(&commit.message).is_empty() {
        return record(session, commit, LastReset::find(store)?.as_ref());
    }
    Ok(HookVerdict::Go)
}

/// HEAD, if there is a store, and no rebase is in progress whose commits `post-rewrite` records.
fn made_here(store: &Store) -> Result<Option<CodeCommit>, StoreError> {
    let git_dir = store.git_dir();
    if store.tip()?.is_none() || (progress::is_rebasing(&git_dir) && rebase::is_reported(&git_dir)) {
        return Ok(None);
    }
    store.head()?.map(|head| store.code_commit(head)).transpose()
}

fn record(session: &Session, commit: CodeCommit, reset: Option<&LastReset>) -> Result<HookVerdict, Refusal> {
    let store = session.store();
    if let Some(last) = reset.filter(|last| last.made == [commit.id]) {
        let rewritten = rewritten::reset(store, &commit, last)?;
        if !rewritten.is_empty() {
            // First, so that the link belongs to the tasks of all of them.
            record_rewrite(session, &RecordRewrite { kind: RewriteKind::Reset, rewritten })?;
        }
    } else if let Some(amend) = rewritten::of_unlinked(store, &commit)? {
        // First, so that its trailers do not link it again.
        record_rewrite(session, &RecordRewrite { kind: RewriteKind::Amend, rewritten: vec![amend] })?;
    }
    let input = RecordCommit { commit };
    let Done { view, notices, .. } = record_commit(session, &input)?;
    if let Some(last) = reset.filter(|last| last.made.len() > 1)
        && store.commit_tree(last.before)? == input.commit.tree
    {
        let taken: Vec<CommitHash> = last.taken.iter().map(|old| old.id.into()).collect();
        let parts: Vec<CommitHash> = last.made.iter().map(|id| CommitHash::from(*id)).collect();
        record_split(session, &taken, &parts)?;
    }
    Ok(match view.unexpected {
        Some(unexpected) => HookVerdict::Note(words(&input.commit, &unexpected).into()),
        None => HookVerdict::about(notices),
    })
}

/// At most this many files are named.
const NAMED: usize = 3;

/// What the author of a commit may not expect, in one line.
fn words(commit: &CodeCommit, unexpected: &UnexpectedLink) -> String {
    let hash = git::short(commit.id);
    match unexpected {
        UnexpectedLink::Outside { plan, files } => {
            let named: Vec<String> = files.iter().take(NAMED).map(|file| format!("`{file}`")).collect();
            let off = format!("; `git config {NOTICE_OUTSIDE} false` turns this off");
            let (named, more) = (named.join(", "), files.len().saturating_sub(NAMED));
            match more {
                0 => format!("{hash} changes {named}, which `{plan}` does not name{off}"),
                more => {
                    let more = count(more, "more file");
                    format!("{hash} changes {named} and {more} that `{plan}` does not name{off}")
                }
            }
        }
        UnexpectedLink::NamedElsewhere { plan, own } => {
            let issue = own.issue();
            format!(
                "{hash} is linked to `{plan}`, as its message says, but changes only files of `{own}`, which is executed \
                 here; `git wf link {hash} {issue}` links it to that"
            )
        }
        UnexpectedLink::OtherTask { plan, named, of_files } => {
            let issue = plan.issue();
            format!(
                "{hash} is linked to task {named}, as its message says, but changes only files of {of_files}; `git wf link \
                 --task {of_files} {hash} {issue}` links it to that"
            )
        }
        UnexpectedLink::Ended(plan, ending) => format!("{hash} is not linked: `{plan}` was {ending}"),
        UnexpectedLink::Elsewhere { active, branch, relation } => {
            let on = branch.as_ref().map_or("a detached HEAD".to_owned(), |it| format!("`{it}`"));
            let why = match relation {
                _ if branch.is_none() => "",
                Relation::NewElsewhere => ", which does not contain the claim's first commit",
                Relation::NewOfAnother => ", and was made by someone who did not claim the plan",
                Relation::Other => ", which is not a branch of the claim",
                Relation::Own => "",
            };
            let (plan, issue) = (&active.solution_id, &active.issue_id);
            format!(
                "{hash} is on {on}{why}, so it is not linked to `{plan}`, which is executed on `{}`; `git wf link \
                 {hash} {issue}` links it",
                active.branch
            )
        }
    }
}
