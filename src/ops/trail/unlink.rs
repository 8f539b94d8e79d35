//! Removing links of commits.

use super::LinkView;
use crate::model::{
    Code, CommitHash, Event, ExecutionId, IssueId, Op, Other, RemedyCall, SolutionId, Unlink,
};
use crate::ops::work::refuse_foreign_record;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::ExecutionFolder;
use crate::store::{KnownRecord, ReadState, ResolveError, Store, Tx, records, resolve};
use crate::trail::trace;

/// Which links to remove.
enum LinkFilter {
    Any,
    Issue(IssueId),
    Plan(SolutionId),
    Execution(ExecutionId),
}

/// Removes the links of commits. If the last name is a plan, an execution or an issue, only the links to that are removed.
/// To change someone else's claim, `force` has the reason.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `not-linked`, `claim-of-another`.
pub(crate) fn unlink(session: &Session, named: &[String], force: Option<&str>) -> Answer<Vec<LinkView>> {
    let permit = session.permit(Op::Unlink)?;
    let store = session.store();
    let snapshot = store.snapshot()?;
    let of = link_filter(store, &snapshot, named)?;
    let commits = match (&of, named) {
        (LinkFilter::Any, all) => all,
        (_, [commits @ .., _]) => commits,
        (_, []) => &[],
    };
    if commits.is_empty() {
        return Err(Refusal::usage("no commit is named").hint("the plan follows the commits"));
    }
    let hashes = commits.iter().map(|text| hash(store, &snapshot, text)).collect::<Result<Vec<_>, _>>()?;
    let committed = session.transact(permit, |tx| {
        let mut answers = Vec::new();
        for (hash, text) in hashes.iter().zip(commits) {
            let found = unlink_one(store, tx, hash, &of, force)?;
            if found.is_empty() {
                return Err(Refusal::new(Code::NotLinked, format!("commit `{text}` was never linked"))
                    .remedy(RemedyCall::new(Other::Trace, ["COMMIT"]), "shows what a commit belongs to"));
            }
            answers.extend(found);
        }
        let changed: Vec<&LinkView> = answers.iter().filter(|view| view.changed).collect();
        let subject = match &changed[..] {
            [only] => {
                let short = only.commit.short();
                format!("execution: unlink {short} \"{}\" from {}", only.subject, only.solution_id)
            }
            all => format!("execution: unlink {} commits", all.len()),
        };
        if !changed.is_empty() {
            tx.note.force = force.map(str::to_owned);
        }
        tx.describe(subject);
        Ok(answers)
    })?;
    Ok(session.done(committed.answer, committed.commit))
}

/// What the last argument names, if it is an id of the store.
fn link_filter(store: &Store, read: &impl ReadState, ids: &[String]) -> Result<LinkFilter, Refusal> {
    let Some(last) = ids.last() else { return Ok(LinkFilter::Any) };
    // A part of an id could also be the start of a commit's id.
    let is_whole = ["SOL-", "EXR-", "S-", "QUE-"].iter().any(|begin| last.starts_with(begin));
    if !is_whole && trace::commit(store, last)?.is_some() {
        return Ok(LinkFilter::Any);
    }
    match resolve::any(read, last) {
        Ok(KnownRecord::Solution(id) | KnownRecord::Item(_, id)) => Ok(LinkFilter::Plan(id)),
        Ok(KnownRecord::Execution(id)) => Ok(LinkFilter::Execution(id)),
        Ok(KnownRecord::Issue(id)) => Ok(LinkFilter::Issue(id)),
        Ok(KnownRecord::Queue(_) | KnownRecord::Roadmap(_)) | Err(ResolveError::NotFound { .. }) => {
            Ok(LinkFilter::Any)
        }
        // It may be the start of a commit that git no longer has.
        Err(ResolveError::Ambiguous { .. }) if is_hex(last) => Ok(LinkFilter::Any),
        Err(error) => Err(error.into()),
    }
}

/// Whether the text can be the start of a commit's id.
fn is_hex(text: &str) -> bool {
    text.len() >= 7 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The full id of a commit: as git knows it, or, if git no longer has it, as a log names it.
fn hash(store: &Store, read: &impl ReadState, text: &str) -> Result<CommitHash, Refusal> {
    if let Some(facts) = trace::commit(store, text)? {
        return Ok(facts.hash);
    }
    let mut found: Vec<CommitHash> = Vec::new();
    for issue in if is_hex(text) { records::issue_ids(read)? } else { vec![] } {
        for execution in records::executions(read, &issue)? {
            let commits = execution.commits();
            found.extend(
                commits.into_iter().map(|commit| commit.link.hash).filter(|hash| hash.starts_with(text)),
            );
        }
    }
    found.sort();
    found.dedup();
    match found.len() {
        1 => Ok(found.remove(0)),
        _ => Err(Refusal::new(Code::NotFound, format!("there is no commit `{text}`"))
            .command("git log --oneline", "shows the commits; the plan comes last")),
    }
}

fn unlink_one(
    store: &Store,
    tx: &mut Tx<'_>,
    hash: &CommitHash,
    of: &LinkFilter,
    force: Option<&str>,
) -> Result<Vec<LinkView>, Refusal> {
    let issues: Vec<IssueId> = match of {
        LinkFilter::Any => records::issue_ids(tx)?,
        LinkFilter::Issue(id) => vec![id.clone()],
        LinkFilter::Plan(id) => vec![id.issue()],
        LinkFilter::Execution(id) => vec![id.issue()],
    };
    let mut answers = Vec::new();
    for issue in issues {
        for execution in records::executions(tx, &issue)? {
            let claim = &execution.execution;
            let is_meant = match of {
                LinkFilter::Any | LinkFilter::Issue(_) => true,
                LinkFilter::Plan(id) => claim.solution_id == *id,
                LinkFilter::Execution(id) => claim.id == *id,
            };
            if !is_meant {
                continue;
            }
            let linked: Vec<_> = execution
                .commits()
                .into_iter()
                .filter(|commit| &commit.link.hash == hash || commit.rewritten_from.contains(hash))
                .collect();
            let answer = |commit: &CommitHash, subject: String, task_id, changed| LinkView {
                commit: commit.clone(),
                subject,
                execution_id: claim.id.clone(),
                solution_id: claim.solution_id.clone(),
                task_id,
                changed,
            };
            if linked.is_empty()
                && let Some(subject) = was_linked(&execution, hash)
            {
                answers.push(answer(hash, subject, None, false));
            }
            if !linked.is_empty() {
                refuse_foreign_record(store, tx, &execution, force)?;
            }
            for commit in linked {
                let link = commit.link;
                tx.log(&claim.id, Event::Unlink(Unlink { hash: link.hash.clone() }))?;
                answers.push(answer(&link.hash, link.subject, link.task_id, true));
            }
        }
    }
    Ok(answers)
}

/// The subject of a commit whose link was removed.
fn was_linked(execution: &ExecutionFolder, hash: &CommitHash) -> Option<String> {
    let is_taken_back = execution
        .log
        .iter()
        .any(|entry| matches!(&entry.event, Event::Unlink(unlink) if unlink.hash == *hash));
    let subject = execution.log.iter().find_map(|entry| match &entry.event {
        Event::Commit(link) if link.hash == *hash => Some(link.subject.clone()),
        _ => None,
    });
    is_taken_back.then(|| subject.unwrap_or_default())
}
