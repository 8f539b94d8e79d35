//! Completing an execution.

use super::own::HeldIssue;
use super::report::missing_links;
use super::session::bounded;
use super::unlinked::{made_since_claim, notice_of_detached, notice_of_hooks, notice_of_unlinked};
use super::{
    Asked, Ended, ExecutionTarget, ExecutorReport, Intent, Then, as_stored, confirm, ended, needed,
    refuse_foreign, shared_files, target, unbind_worktree, unfinished,
};
use crate::model::{
    AgentSession, Check, Code, CommitHash, CommitLink, End, Event, ExecutionId, ExecutionResult,
    ExecutionStatus, LinkedBy, Op, Other, PatchId, Plan, RemedyCall, count,
};
use crate::ops::issues::open_parts;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::unbegun::unbegun;
use crate::rules::{
    ExecutionFolder, Gate, GateValue, IssueFolder, LinkedCommit, PlanReview, evidence, reply_task,
};
use crate::store::{CodeCommit, ObjectId, ReadState, Store, StoreError, Tx, records};
use crate::trail::landed::target::LandingTarget;
use crate::trail::work::{self, CommittedWork};
use crate::trail::{active, claimed, patch_id, restored, signed_checks};

/// Which execution to complete, and its report.
#[derive(Debug, Default)]
pub(crate) struct Complete {
    /// The item (default: that of this worktree).
    pub(crate) item: Option<String>,
    /// A summary of the work.
    pub(crate) summary: Option<String>,
    /// The executor's report.
    pub(crate) report: Option<ExecutorReport>,
    /// Commits that a run knows to be the work of the execution, whether a hook linked them or not.
    pub(crate) made: Vec<ObjectId>,
    /// Results of tests that are not recorded yet.
    pub(crate) checks: Vec<Check>,
    /// Conversations with its agent that are not recorded yet.
    pub(crate) sessions: Vec<AgentSession>,
    /// What happens after the end.
    pub(crate) then: Then,
    /// The reason for overriding gates.
    pub(crate) force: Option<String>,
}

/// Completes an execution: publishes the end, and claims the next item if requested.
///
/// # Errors
/// The errors of [`target`]; `claim-of-another`, `lease-ran-out`; `other-plan`, `result-differs` for a report;
/// `in-progress`, `uncommitted`, `no-commit`, `failed-check`, `no-evidence`.
pub(crate) fn complete(session: &Session, input: &Complete) -> Answer<Ended> {
    let permit = session.permit(Op::Done)?;
    let (store, item, force) = (session.store(), input.item.as_deref(), input.force.as_deref());
    let mut seen = store.snapshot()?;
    let mut before = target(store, &seen, item)?;
    let asked = confirm(session, &before.execution)?;
    if matches!(asked, Asked::Merged) {
        seen = store.snapshot()?;
        before = target(store, &seen, item)?;
    }
    // Reading the history of the code and the work tree takes time, so this happens before the lock is taken.
    let named = match &input.report {
        Some(report) => report.commits(store)?,
        None => Vec::new(),
    };
    let made: Vec<CodeCommit> =
        input.made.iter().map(|id| store.code_commit(*id)).collect::<Result<_, _>>()?;
    if force.is_none() {
        if let Some(report) = &input.report {
            report.refuse_differences(store, &before.execution, &named, &made, item)?;
        }
        refuse_foreign(store, &before.execution, Intent::End, force)?;
        let plan = as_stored(store, &before.execution.execution).ok();
        let plan = plan.map(|plan| plan.typed_plan());
        unfinished::refuse_in_progress(store, &before.execution)?;
        unfinished::refuse_uncommitted(store, &before.execution, plan.as_ref())?;
    }
    // If the agent reports the same commit, the run still knows better how it was made.
    let mut links = missing_links(store, &seen, &before, made.iter(), LinkedBy::Run)?;
    let reported = named.iter().filter_map(|(_, commit)| commit.as_ref());
    let reported = reported.filter(|commit| !input.made.contains(&commit.id));
    links.extend(missing_links(store, &seen, &before, reported, LinkedBy::Manual)?);
    let restored = restored::rewrites(&before.execution, &restored::reach(store, &before.execution)?);
    let is_relinked = !links.is_empty() || !restored.is_empty();
    let sessions: Vec<Event> = input.sessions.iter().cloned().map(bounded).map(Event::Session).collect();
    let new: Vec<Event> = input.checks.iter().cloned().map(Event::Check).chain(sessions).collect();
    let done = CommittedWork::examine(store, &seen, &before.execution)?;
    // A run links all that was made.
    let unlinked =
        if input.made.is_empty() { unlinked(store, &before.execution, &links)? } else { Vec::new() };
    let place = seen.place_of(&before.execution.execution.id.issue())?;
    let patch_id = patch_of(session, &before.execution, &done, &links);
    let onto = LandingTarget::find(store)?.map(|target| target.branch);
    let id = &before.execution.execution.id;
    let committed = session.transact(permit, |tx| {
        for link in &links {
            tx.log(id, Event::Commit(link.clone()))?;
        }
        for rewrite in &restored {
            tx.log(id, Event::Rewrite(rewrite.clone()))?;
        }
        for event in &new {
            tx.log(id, event.clone())?;
        }
        // If nothing has changed since, nothing is read again.
        let is_as_seen = !is_relinked && tx.base().place_of(&id.issue())? == place;
        let now = if is_as_seen && new.is_empty() { None } else { Some(target(store, tx, item)?) };
        let ExecutionTarget { folder, execution } = now.as_ref().unwrap_or(&before);
        refuse_foreign(store, execution, Intent::End, force)?;
        let work_now = if is_as_seen { None } else { Some(CommittedWork::examine(store, tx, execution)?) };
        let work = work_now.as_ref().unwrap_or(&done);
        let plan = match as_stored(store, &execution.execution).map(|plan| plan.typed_plan()) {
            Ok(plan) => Some(plan),
            Err(refusal) if force.is_none() && evidence_gate(tx)? >= GateValue::Required => {
                return Err(refusal);
            }
            Err(_) => None,
        };
        let is_unread = plan.is_none();
        let asks = force.is_none().then_some(Asks { item });
        let missing = look(tx, store, folder, execution, plan.as_ref(), work, asks)?;
        let suspicious = plan.as_ref().map(|plan| evidence::suspicious(plan, execution, &work.present));
        let is_proved = plan.as_ref().is_some_and(|plan| evidence::is_proved(plan, execution, &work.present));
        let commits = &work.effective;
        let mut files: Vec<String> = commits.iter().flat_map(|commit| commit.link.files.clone()).collect();
        files.sort();
        files.dedup();
        let (summary, files_modified) = (input.summary.clone(), files);
        let mut result = ExecutionResult { summary, files_modified, ..ExecutionResult::default() };
        if let Some(report) = &input.report {
            report.record(&mut result);
        }
        let unbegun = plan.as_ref().map(|plan| unbegun(plan, &execution.log, commits, &result.tasks));
        let unbegun: Vec<String> = unbegun.into_iter().flatten().map(str::to_owned).collect();
        let end = End {
            status: ExecutionStatus::Completed,
            result: Some(result),
            failure: None,
            patch_id: patch_id.clone(),
            forced: input.force.clone(),
            onto: onto.clone(),
        };
        tx.log(&execution.execution.id, Event::End(end))?;
        tx.note.force.clone_from(&input.force);
        let solution = &execution.execution.solution_id;
        tx.describe(format!("execution: complete {solution} ({})", count(commits.len(), "commit")));
        let reply = plan.as_ref().and_then(|plan| reply_task::unsent(plan, folder, &execution.execution.id));
        let suspicious = suspicious.unwrap_or_default();
        let proved =
            if is_proved { Some(Notice::note("the tests are proved to test the work")) } else { None };
        let suspicious: Vec<Notice> = suspicious.into_iter().map(Notice::warning).chain(proved).collect();
        Ok((commits.len(), missing.len(), unbegun, is_unread, reply, suspicious))
    })?;
    let (commits, missing, unbegun, is_unread, reply, suspicious) = committed.answer;
    unbind_worktree(session, id);
    if is_unread {
        session.notice(unread(id));
    }
    session.notice_all(suspicious);
    if missing > 0 && (commits > 0 || force.is_none()) {
        session.notice(untested(id.issue().as_str(), commits, missing));
    }
    if !unbegun.is_empty() && commits > 0 {
        session.notice(left_out(id.issue().as_str(), &unbegun));
    }
    session.notice_all(HeldIssue::new(&before.folder).notice_of_plan(&before.execution.execution));
    session.notice_all(needed::open(&store.snapshot()?, &id.issue())?);
    session.notice_all(open_parts(session, &[id.issue()]));
    session.notice_all(reply.map(|task| unsent(id.issue().as_str(), &task)));
    let detached = notice_of_detached(store, &before.execution.execution)?;
    session.notice_all(detached.or_else(|| notice_of_unlinked(id.issue().as_str(), &unlinked)));
    if !store.is_in_run() {
        session.notice_all(shared_files::at_work(session, &before.execution.execution.solution_id)?);
    }
    // A run links the commits that it sees, with or without hooks.
    if input.made.is_empty() && !store.is_in_run() {
        session.notice_all(notice_of_hooks(store));
    }
    let ended = ended::publish(session, &before.execution.execution, input.then, Some(commits), &asked)?;
    Ok(session.done(ended, committed.commit))
}

/// The commits of this worktree's executor that no plan knows, without those that are about to be linked.
fn unlinked(
    store: &Store,
    execution: &ExecutionFolder,
    links: &[CommitLink],
) -> Result<Vec<CodeCommit>, Refusal> {
    let Some(folder) = active::work_dir_of(store, &execution.execution.id)? else { return Ok(vec![]) };
    let mut found = made_since_claim(&Store::open(&folder, store.environment())?, execution)?;
    found.retain(|commit| links.iter().all(|link| link.hash != CommitHash::from(commit.id)));
    Ok(found)
}

/// A completion that needs evidence. `item` is the item as the caller named it, if it did.
#[derive(Clone, Copy)]
struct Asks<'a> {
    item: Option<&'a str>,
}

/// The missing evidence of the plan. If it `asks`, refuses an execution without required evidence, without commits, or
/// with failed checks.
fn look(
    tx: &Tx<'_>,
    store: &Store,
    folder: &IssueFolder,
    execution: &ExecutionFolder,
    plan: Option<&Plan>,
    work: &CommittedWork,
    asks: Option<Asks<'_>>,
) -> Result<Vec<String>, Refusal> {
    let gate = if asks.is_some() { evidence_gate(tx)? } else { GateValue::Open };
    let is_required = gate >= GateValue::Required;
    let item = asks.and_then(|ask| ask.item);
    // Required evidence must cover everything that is linked, as on the server and in the audit, which cannot see the
    // branches.
    let asked = if is_required { work::linked(store, execution) } else { work.present.clone() };
    let counting = signed_checks::counting(store, execution, gate);
    let reviewed = PlanReview::of(folder, &execution.execution);
    let missing =
        plan.map(|plan| evidence::missing(plan, &counting, &asked, gate, reviewed)).unwrap_or_default();
    if is_required && !missing.is_empty() {
        let verify = RemedyCall::new(Op::Verify, item);
        let verify = match gate {
            GateValue::Open | GateValue::Required => verify,
            GateValue::Proved => verify.flag("fresh"),
            GateValue::Signed => {
                RemedyCall::new(Op::Verify, [execution.execution.id.short()]).flag("as-verifier")
            }
        };
        let vouch = RemedyCall::new(Op::Vouch, [execution.execution.id.short()]).option("message", "TEXT");
        let refusal = Refusal::new(Code::NoEvidence, "the policy requires evidence, and some is missing")
            .details(claimed::shown(missing, store, tx.base(), folder, &execution.execution)?)
            .hint("commit what is missing")
            .remedy(verify, "then runs the tests")
            .remedy(
                RemedyCall::new(Op::Unlink, ["COMMIT"]),
                "removes the link of a commit that no branch has",
            );
        return Err(if gate >= GateValue::Proved {
            refusal.remedy(vouch, "vouches for what cannot be proved, in the name of someone else")
        } else {
            refusal
        });
    }
    if asks.is_some() {
        unfinished::refuse_empty(store, execution, plan, work, item)?;
        unfinished::refuse_failed_checks(execution, item)?;
    }
    Ok(missing)
}

fn evidence_gate(read: &impl ReadState) -> Result<GateValue, StoreError> {
    Ok(Gate::Evidence.setting(&records::root(read)?.policy))
}

/// The notice that tests of the plan have not passed at its last commit.
fn untested(issue: &str, commits: usize, missing: usize) -> Notice {
    let message = format!(
        "{} of the plan {} no passing check{}",
        count(missing, "test"),
        if missing == 1 { "has" } else { "have" },
        if commits > 0 { " at the last commit" } else { "" }
    );
    Notice::warning(message).remedy(RemedyCall::new(Op::Verify, [issue]), "runs what is missing")
}

/// The notice that the plan cannot be read.
fn unread(id: &ExecutionId) -> Notice {
    Notice::warning("the claimed plan cannot be read, so its tests were not checked")
        .remedy(RemedyCall::new(Op::Fsck, std::iter::empty::<&str>()), "says what is wrong with it")
        .remedy(RemedyCall::new(Other::Show, [id.short()]), "shows the claim")
}

/// The notice that the result was not sent to GitHub, which is the last task of the plan.
fn unsent(issue: &str, task: &str) -> Notice {
    let post = RemedyCall::new(Other::ExportGithub, [issue]).flag("post");
    Notice::note(format!("task {task} of the plan reports the result on GitHub")).remedy(post, "sends it")
}

/// The notice that no commit implements some tasks of the plan.
fn left_out(issue: &str, tasks: &[String]) -> Notice {
    let (named, each) = (tasks.join(", "), &tasks[0]);
    let message = match tasks.len() {
        1 => format!("task {named} has no commit and no accepted criterion"),
        _ => format!("tasks {named} have no commits and no accepted criteria"),
    };
    let link = RemedyCall::new(Op::Link, ["COMMIT", issue]).option("task", each);
    Notice::warning(message)
        .remedy(link, "links a commit that implements it")
        .remedy(RemedyCall::new(Op::Reopen, [issue]), "reopens the issue")
}

/// The patch id of everything that the execution made, including `links`. It is used only to recognize a squash.
/// `None` if commits by others are in between, or if git cannot compute it.
fn patch_of(
    session: &Session,
    execution: &ExecutionFolder,
    work: &CommittedWork,
    links: &[CommitLink],
) -> Option<PatchId> {
    let store = session.store();
    let mut commits = work.effective.clone();
    commits.extend(links.iter().map(|link| LinkedCommit { link: link.clone(), rewritten_from: vec![] }));
    let linked = execution.known_commits().chain(links.iter().map(|link| &link.hash)).cloned().collect();
    let found = work::span(store, &linked, &commits);
    let found = found.and_then(|span| match span {
        Some((base, head)) => patch_id::between(store, base, head),
        None => Ok(None),
    });
    match found {
        Ok(id) => id,
        Err(error) => {
            session.notice(Notice::warning(format!("no patch id is recorded: {error}")));
            None
        }
    }
}
