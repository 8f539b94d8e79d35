//! Completing an execution.

use super::complete_notices::{left_out, unread, unsent, untested};
use super::dropped::{DroppedCommits, notice_of_dropped};
use super::own::HeldIssue;
use super::report::missing_links;
use super::session::bounded;
use super::unlinked::{made_since_claim, notice_of_detached, notice_of_hooks, notice_of_unlinked};
use super::{
    Asked, Ended, ExecutionTarget, ExecutorReport, Intent, Then, as_stored, confirm, ended, needed,
    refuse_foreign, shared_files, target, unbind_worktree, unfinished,
};
use crate::index::Needs;
use crate::model::{
    AgentSession, Check, Code, CommitHash, CommitLink, End, Event, ExecutionResult, ExecutionStatus,
    LinkedBy, Op, PatchId, Plan, RemedyCall, Rewrite, count,
};
use crate::ops::issues::open_parts_in;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::unbegun::unbegun;
use crate::rules::{
    ExecutionFolder, Gate, GateValue, IssueFolder, LinkedCommit, PlanReview, evidence, reply_task,
};
use crate::store::{CodeCommit, IssueSources, ObjectId, ReadState, Store, StoreError, Tx, records};
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
    let store = session.store();
    let completion = Completion::examine(session, input)?;
    let committed = session.transact(permit, |tx| completion.record(tx, store))?;
    let execution = &completion.before.execution.execution;
    unbind_worktree(session, &execution.id);
    completion.tell(session, &committed.answer)?;
    let commits = Some(committed.answer.commits);
    let ended = ended::publish(session, execution, input.then, commits, &completion.asked)?;
    Ok(session.done(ended, committed.commit))
}

/// An execution that is to be completed, with what is read before the lock is taken: the history of the code and the work tree
/// take time.
struct Completion<'a> {
    input: &'a Complete,
    before: ExecutionTarget,
    asked: Asked,
    links: Vec<CommitLink>,
    restored: Vec<Rewrite>,
    /// Results of tests and conversations that are not recorded yet.
    new: Vec<Event>,
    work: ExaminedWork,
    /// Commits that no plan knows.
    unlinked: Vec<CodeCommit>,
    place: IssueSources,
    patch_id: Option<PatchId>,
    /// The branch on which it lands.
    target: Option<LandingTarget>,
}

/// The commits of an execution, and what to record of those that no branch has any more.
struct ExaminedWork {
    work: CommittedWork,
    dropped: DroppedCommits,
}

impl ExaminedWork {
    fn examine(
        store: &Store,
        read: &impl ReadState,
        execution: &ExecutionFolder,
        target: Option<&LandingTarget>,
    ) -> Result<Self, StoreError> {
        let work = CommittedWork::examine(store, read, execution)?;
        let dropped = DroppedCommits::find(store, execution, &work, target)?;
        Ok(Self { work, dropped })
    }
}

/// What was recorded of a completion.
struct RecordedEnd {
    commits: usize,
    /// How many pieces of evidence are missing.
    missing: usize,
    /// The tasks that nothing implements.
    unbegun: Vec<String>,
    /// Whether the plan cannot be read.
    is_unread: bool,
    /// The task that reports the result elsewhere, if that was not done.
    reply: Option<String>,
    /// The commits whose links were removed, in words.
    unlinked: Vec<String>,
    /// What the tests show about the work.
    about_tests: Vec<Notice>,
}

impl<'a> Completion<'a> {
    fn examine(session: &Session, input: &'a Complete) -> Result<Self, Refusal> {
        let (store, item) = (session.store(), input.item.as_deref());
        let mut seen = store.snapshot()?;
        let mut before = target(store, &seen, item)?;
        let asked = confirm(session, &before.execution)?;
        if matches!(asked, Asked::Merged) {
            seen = store.snapshot()?;
            before = target(store, &seen, item)?;
        }
        let named = match &input.report {
            Some(report) => report.commits(store)?,
            None => Vec::new(),
        };
        let made: Vec<CodeCommit> =
            input.made.iter().map(|id| store.code_commit(*id)).collect::<Result<_, _>>()?;
        if input.force.is_none() {
            if let Some(report) = &input.report {
                report.refuse_differences(store, &before.execution, &named, &made, item)?;
            }
            refuse_foreign(store, &before.execution, Intent::End, None)?;
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
        let sessions = input.sessions.iter().cloned().map(bounded).map(Event::Session);
        let new = input.checks.iter().cloned().map(Event::Check).chain(sessions).collect();
        let target = LandingTarget::find(store)?;
        let work = ExaminedWork::examine(store, &seen, &before.execution, target.as_ref())?;
        // A run links all that was made.
        let unlinked =
            if input.made.is_empty() { unlinked(store, &before.execution, &links)? } else { Vec::new() };
        let place = seen.place_of(&before.execution.execution.id.issue())?;
        let patch_id = patch_of(session, &before.execution, &work.work, &links);
        Ok(Self { input, before, asked, links, restored, new, work, unlinked, place, patch_id, target })
    }

    /// Writes the end, if the execution can be completed in this state.
    fn record(&self, tx: &mut Tx<'_>, store: &Store) -> Result<RecordedEnd, Refusal> {
        let (item, force) = (self.input.item.as_deref(), self.input.force.as_deref());
        let id = &self.before.execution.execution.id;
        let links = self.links.iter().cloned().map(Event::Commit);
        let restored = self.restored.iter().cloned().map(Event::Rewrite);
        for event in links.chain(restored).chain(self.new.iter().cloned()) {
            tx.log(id, event)?;
        }
        // If nothing has changed since, nothing is read again.
        let is_relinked = !self.links.is_empty() || !self.restored.is_empty();
        let is_as_seen = !is_relinked && tx.base().place_of(&id.issue())? == self.place;
        let mut now = if is_as_seen && self.new.is_empty() { None } else { Some(target(store, tx, item)?) };
        let execution = &now.as_ref().unwrap_or(&self.before).execution;
        refuse_foreign(store, execution, Intent::End, force)?;
        let lands_on = self.target.as_ref();
        let work_now =
            if is_as_seen { None } else { Some(ExaminedWork::examine(store, tx, execution, lands_on)?) };
        let ExaminedWork { work, dropped } = work_now.as_ref().unwrap_or(&self.work);
        for event in &dropped.events {
            tx.log(id, event.clone())?;
        }
        if !dropped.events.is_empty() {
            now = Some(target(store, tx, item)?);
        }
        let ExecutionTarget { folder, execution } = now.as_ref().unwrap_or(&self.before);
        let plan = match as_stored(store, &execution.execution).map(|plan| plan.typed_plan()) {
            Ok(plan) => Some(plan),
            Err(refusal) if force.is_none() && evidence_gate(tx)? >= GateValue::Required => {
                return Err(refusal);
            }
            Err(_) => None,
        };
        let asks = if force.is_none() { Some(Asks { item }) } else { None };
        let missing = look(tx, store, folder, execution, plan.as_ref(), work, asks)?.len();
        let result = self.result(work);
        let unbegun = plan.as_ref().map(|plan| unbegun(plan, &execution.log, &work.effective, &result.tasks));
        let recorded = RecordedEnd {
            commits: work.effective.len(),
            missing,
            unbegun: unbegun.into_iter().flatten().map(str::to_owned).collect(),
            is_unread: plan.is_none(),
            reply: plan.as_ref().and_then(|plan| reply_task::unsent(plan, folder, &execution.execution.id)),
            unlinked: dropped.unlinked.clone(),
            about_tests: plan.as_ref().map_or_else(Vec::new, |plan| about_tests(plan, execution, work)),
        };
        let end = End {
            status: ExecutionStatus::Completed,
            result: Some(result),
            failure: None,
            patch_id: self.patch_id.clone(),
            forced: self.input.force.clone(),
            onto: lands_on.map(|target| target.branch.clone()),
        };
        tx.log(&execution.execution.id, Event::End(end))?;
        tx.note.force.clone_from(&self.input.force);
        let solution = &execution.execution.solution_id;
        tx.describe(format!("execution: complete {solution} ({})", count(recorded.commits, "commit")));
        Ok(recorded)
    }

    /// The result of this work, with what the executor reports.
    fn result(&self, work: &CommittedWork) -> ExecutionResult {
        let mut files: Vec<String> =
            work.effective.iter().flat_map(|commit| commit.link.files.clone()).collect();
        files.sort();
        files.dedup();
        let summary = self.input.summary.clone();
        let mut result = ExecutionResult { summary, files_modified: files, ..ExecutionResult::default() };
        if let Some(report) = &self.input.report {
            report.record(&mut result);
        }
        result
    }

    /// Notices what an owner should know about the completed execution.
    fn tell(&self, session: &Session, recorded: &RecordedEnd) -> Result<(), Refusal> {
        let (store, input) = (session.store(), self.input);
        let execution = &self.before.execution.execution;
        let (id, issue) = (&execution.id, execution.id.issue());
        let commits = recorded.commits;
        if recorded.is_unread {
            session.notice(unread(id));
        }
        session.notice_all(recorded.about_tests.iter().cloned());
        session.notice_all(notice_of_dropped(issue.as_str(), &recorded.unlinked));
        if recorded.missing > 0 && (commits > 0 || input.force.is_none()) {
            session.notice(untested(issue.as_str(), commits, recorded.missing));
        }
        if !recorded.unbegun.is_empty() && commits > 0 {
            session.notice(left_out(issue.as_str(), &recorded.unbegun));
        }
        session.notice_all(HeldIssue::new(&self.before.folder).notice_of_plan(execution));
        session.notice_all(needed::open(&store.snapshot()?, &self.before.folder.issue.record));
        // The end is recorded, whether or not the index can be read.
        let around = session.ask(Needs::ROWS, |index| {
            let parts = open_parts_in(index, std::slice::from_ref(&issue))?;
            let is_in_run = store.is_in_run();
            Ok((parts, if is_in_run { None } else { shared_files::at_work(index, &execution.solution_id)? }))
        });
        let (parts, others) = around.map(|(_, around)| around).unwrap_or_default();
        session.notice_all(parts);
        session.notice_all(recorded.reply.as_ref().map(|task| unsent(issue.as_str(), task)));
        let detached = notice_of_detached(store, execution)?;
        session.notice_all(detached.or_else(|| notice_of_unlinked(issue.as_str(), &self.unlinked)));
        session.notice_all(others);
        // A run links the commits that it sees, with or without hooks.
        if input.made.is_empty() && !store.is_in_run() {
            session.notice_all(notice_of_hooks(store));
        }
        Ok(())
    }
}

/// What the tests of the plan show about the work.
fn about_tests(plan: &Plan, execution: &ExecutionFolder, work: &CommittedWork) -> Vec<Notice> {
    let suspicious = evidence::suspicious(plan, execution, &work.present);
    let mut notices: Vec<Notice> = suspicious.into_iter().map(Notice::warning).collect();
    if evidence::is_proved(plan, execution, &work.present) {
        notices.push(Notice::note("the tests are proved to test the work"));
    }
    notices
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
    let reviewed = PlanReview::from_reviews(folder, &execution.execution);
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
