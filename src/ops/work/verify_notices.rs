//! What the results of tests say besides whether they passed.

use crate::model::{Check, CommitHash, Execution, Op, Proof, Remedy, RemedyCall};
use crate::ops::Notice;
use crate::rules::{ExecutionFolder, evidence, missing_module};
use crate::store::Store;
use crate::trail::work::CommittedWork;

/// A worktree has only what git tracks, so this says how to prepare one if a test failed because something is missing.
pub(crate) fn not_installed(checks: &[Check]) -> Option<Notice> {
    let failed = checks.iter().filter(|check| !check.has_passed());
    let line = failed.filter_map(|check| missing_module::line(&check.output_tail)).next()?;
    let line: String = line.chars().take(80).collect();
    let advice =
        "`wf.workplace.setup` names commands that prepare worktrees, such as `npm ci`: see gitwf-claims(7)";
    let message = format!("`{line}`: a new worktree has only the files that git tracks");
    Some(Notice { remedies: vec![Remedy::words(advice)], ..Notice::note(message) })
}

/// What the tests of an execution do not show, if nobody vouches for it: a warning if it looks like cheating.
pub(super) fn of_proof(proof: &Proof, head: Option<&CommitHash>, claim: &Execution) -> Vec<Notice> {
    let new = if evidence::is_suspicious(proof) { Notice::warning } else { Notice::note };
    let mut notices: Vec<Notice> = evidence::with_look(proof, head).into_iter().map(new).collect();
    if let Some(last) = notices.pop() {
        let call = RemedyCall::new(Op::Vouch, [claim.id.short()]).option("message", "TEXT");
        notices.push(last.remedy(call, "vouches for it, in the name of someone other than the executor"));
    }
    notices
}

/// Evidence counts only for the tree of the last linked commit, so this warns someone who tested another one.
pub(super) fn of_other_commit(
    store: &Store,
    execution: &ExecutionFolder,
    checks: &[Check],
) -> Option<Notice> {
    let commits = store.snapshot().and_then(|read| CommittedWork::examine(store, &read, execution));
    let commits = commits.map(|work| work.present).unwrap_or_else(|_| execution.work());
    let (last, check) = (commits.last()?, checks.first()?);
    match &check.commit {
        _ if check.dirty => {
            Some(Notice::warning("the work tree has uncommitted changes, so these checks are not evidence"))
        }
        Some(commit) if !evidence::is_of(check, &last.link) => Some(Notice::warning(format!(
            "tested at {}, but the last linked commit is {}: only checks of its tree count as evidence",
            commit.short(),
            last.link.hash.short()
        ))),
        _ => None,
    }
}
