//! Beginning a run: its issues, its mode, its agents, its record.

use std::ops::RangeInclusive;

use super::blocked::{BlockedIssue, blocked};
use super::crew::{StepAgents, step_of};
use super::leftovers::unmerged;
use super::others::{Others, unplanned};
use super::pending::{leave_out_cycles, pending};
use super::{configured, silence};
use crate::model::{
    ActionDone, Code, CodeReview, CommitHash, IssueId, IssueStatus, Op, Other, PhaseReached, Priority,
    RemedyCall, Run, RunEvent, RunId, RunLimits, RunMode, RunPhase, RunStatus, RunStep,
};
use crate::ops::work::AgentNames;
use crate::ops::work::runs::driver;
use crate::ops::work::runs::paths::RunPaths;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::roadmap::has_tag;
use crate::rules::run::mode_for;
use crate::rules::{Gate, IssueFolder, facts};
use crate::store::{Store, StoreError, random_uid, records, resolve};
use crate::workplace::Confinement;

/// Maximum issues that a batch explores at a time.
const MOST_EXPLORED: u64 = 5;
/// Maximum issues that are planned at a time, by default.
const MOST_PLANNED: u64 = 3;

/// How many times a failed execution is tried again before a person is asked, by default.
const USUAL_RETRIES: u64 = 1;
/// How many agents may work at a time.
pub(crate) const JOBS: RangeInclusive<u64> = 1..=64;
/// How many times a failed execution may be tried again.
pub(crate) const RETRIES: RangeInclusive<u64> = 0..=10;

/// How thorough a run should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WantedMode {
    /// As in git's configuration.
    #[default]
    Configured,
    /// As the number and the priority of the issues suggest.
    Auto,
    /// This.
    Given(RunMode),
}

/// The issues to run, and how.
#[derive(Debug, Default)]
pub(crate) struct Begin {
    /// The issues: their ids, or unambiguous prefixes of them.
    pub(crate) issues: Vec<String>,
    /// Every issue without a plan; with `execute_only`, every issue with one.
    pub(crate) all_pending: bool,
    /// The open issues with this tag.
    pub(crate) tag: Option<String>,
    /// The open issues of this wave: those with the tag `wave-N`.
    pub(crate) wave: Option<u64>,
    /// The agents; by default as in git's configuration.
    pub(crate) agents: AgentNames,
    /// How thorough the run is.
    pub(crate) mode: WantedMode,
    /// Maximum plans that are executed at a time.
    pub(crate) jobs: Option<u64>,
    /// Maximum issues that are planned or reviewed at a time.
    pub(crate) plan_jobs: Option<u64>,
    /// How many times a failed execution is tried again.
    pub(crate) retries: Option<u64>,
    /// Land each issue as soon as it is completed, even if git's configuration does not say so.
    pub(crate) lands: bool,
    /// What the run may cost, as `wf.run.budget` takes it; empty for what git's configuration says.
    pub(crate) budget: Vec<String>,
    /// What each issue may cost, as `wf.run.issueBudget` takes it; empty for what git's configuration says.
    pub(crate) issue_budget: Vec<String>,
    /// Plan and review without executing.
    pub(crate) plan_only: bool,
    /// Execute existing plans without planning.
    pub(crate) execute_only: bool,
    /// Leave the exploration out.
    pub(crate) skip_explore: bool,
    /// Leave the review out.
    pub(crate) skip_review: bool,
}

/// Makes the record of a run, without beginning it.
///
/// # Errors
/// `usage`, `no-agent`, `unknown-agent`, `invalid-agent`, `no-commit`; nothing to do without any issue.
pub(crate) fn prepare(session: &Session, input: &Begin) -> Answer<(Run, AgentNames)> {
    let store = session.store();
    let issues = selected(session, input)?;
    let given = input.agents.clone().or(AgentNames::configured(store)?);
    let crew = StepAgents::of(store, &given)?;
    let priorities: Vec<Priority> = issues.iter().map(|it| it.issue.record.priority).collect();
    let mode = match input.mode {
        WantedMode::Given(mode) => Some(mode),
        WantedMode::Auto => None,
        WantedMode::Configured => configured::mode(store)?,
    };
    // Naming a reviewer asks for a review.
    let is_to_review = input.agents.reviewer.is_some() && !input.skip_review;
    let must_be_reviewed = Gate::Review.is_required(&records::root(&store.snapshot()?)?.policy);
    let mode = mode.unwrap_or_else(|| match mode_for(&priorities) {
        RunMode::Quick if is_to_review || must_be_reviewed => RunMode::Full,
        mode => mode,
    });
    let steps = steps(input, mode, &crew)?;
    refuse_idle(session, input, &steps)?;
    crew.refuse_missing(session, &steps)?;
    let agents = crew.names_for(&steps);
    if let Some(what) = crew.reviews_itself().filter(|_| steps.contains(&RunStep::Review)) {
        session.notice(Notice::warning(what).remedy(input.with_reviewer(), "names another"));
    }
    let base = store.head()?.ok_or_else(|| {
        Refusal::new(Code::NoCommit, "this repository has no commit for agents to work on")
            .command("git commit", "creates one")
    })?;
    if steps.contains(&RunStep::Execute) {
        session.notice_all(blocked(store, &issues, base)?.iter().filter_map(BlockedIssue::warning));
    }
    if steps.contains(&RunStep::Plan) && !steps.contains(&RunStep::Review) {
        let is_meant = mode == RunMode::Quick || input.skip_review;
        if must_be_reviewed || !is_meant {
            session.notice(unreviewed(input, mode, &crew, must_be_reviewed));
        }
    }
    let now = store.now()?;
    // It matters only later, to the agents; but an invalid value is reported now.
    silence::configured(store)?;
    let run = Run {
        id: RunId::made(now, &random_uid()?),
        mode,
        issue_ids: issues.iter().map(|it| it.issue.record.id.clone()).collect(),
        steps,
        agents,
        limits: limits(store, input, mode)?,
        execution_method: crew.method(),
        code_review: CodeReview::Skip,
        lands: input.lands || store.config_bool("wf.run.land", false)?,
        budget: configured::budget(store, &input.budget, "wf.run.budget")?,
        issue_budget: configured::budget(store, &input.issue_budget, "wf.run.issueBudget")?,
        base_commit: Some(CommitHash::from(base)),
        actor: store.identity()?.person(),
        created_at: now,
    };
    if store.work_dir().is_some() && !store.git().uncommitted()?.is_empty() {
        session.notice(Notice::warning(
            "the work tree has uncommitted changes, which agents do not see: the run begins with the last commit",
        ));
    }
    Ok(session.done((run, given), None))
}

/// That plans will not be reviewed, and why.
fn unreviewed(input: &Begin, mode: RunMode, crew: &StepAgents, must_be_reviewed: bool) -> Notice {
    let why = if crew.reviewer.is_none() {
        "the run has no reviewer".to_owned()
    } else {
        format!("its mode is {mode}")
    };
    let but =
        if must_be_reviewed { ", and the policy does not let a plan be queued without a review" } else { "" };
    Notice::warning(format!("plans will not be reviewed: {why}{but}"))
        .remedy(input.with_reviewer(), "names one")
}

/// How much the run does at a time and how often: as the input says, else git's configuration.
fn limits(store: &Store, input: &Begin, mode: RunMode) -> Result<RunLimits, Refusal> {
    let number = |given: Option<u64>, key: &'static str, most: RangeInclusive<u64>| match given {
        Some(n) => Ok(Some(n)),
        None => configured::number(store, key, most),
    };
    let is_batch = mode == RunMode::Batch;
    let most_planned = if is_batch { MOST_PLANNED } else { 1 };
    Ok(RunLimits {
        explore_jobs: if is_batch { MOST_EXPLORED } else { 1 },
        jobs: number(input.jobs, "wf.run.jobs", JOBS)?.unwrap_or(1),
        plan_jobs: number(input.plan_jobs, "wf.run.planJobs", JOBS)?.unwrap_or(most_planned),
        retries: number(input.retries, "wf.run.retries", RETRIES)?.unwrap_or(USUAL_RETRIES),
    })
}

/// Records a prepared run.
///
/// # Errors
/// Any error from writing the store.
pub(crate) fn begin(
    session: &Session,
    run: &Run,
    given: &AgentNames,
    input: &Begin,
    confinement: &Confinement,
) -> Answer<Begun> {
    let store = session.store();
    let permit = session.permit(Op::Run)?;
    let places = RunPaths::new(store, &run.id);
    let driver = driver::name(store, &places.files)?;
    given.keep(&places.files)?;
    let left_out = left_out(run, input);
    let committed = session.transact(permit, |tx| {
        let created = Run { created_at: tx.stamper().now(), actor: tx.person().to_owned(), ..run.clone() };
        tx.create_run(&created)?;
        let (status, phase) = (RunStatus::Running, RunPhase::Init);
        tx.log_run(
            &run.id,
            RunEvent::Phase(PhaseReached {
                driver: Some(driver.clone()),
                confinement: Some(confinement.to_string()),
                ..PhaseReached::plain(status, phase)
            }),
        )?;
        for (action, why) in &left_out {
            let skipped = ActionDone { skipped: Some((*why).to_owned()), ..ActionDone::plain(*action, None) };
            tx.log_run(&run.id, RunEvent::Action(skipped))?;
        }
        let issues: Vec<&str> = run.issue_ids.iter().map(IssueId::as_str).collect();
        tx.describe(format!("run: begin {} ({}) for {}", run.id, run.mode, issues.join(", ")));
        Ok(created)
    })?;
    Ok(session.done(Begun { run: committed.answer, driver }, committed.commit))
}

/// A run that has begun.
pub(crate) struct Begun {
    /// It.
    pub(super) run: Run,
    /// The name of its driver, which is this process.
    pub(super) driver: String,
}

/// The steps that this mode includes but the run skips, and why.
fn left_out(run: &Run, input: &Begin) -> Vec<(RunStep, &'static str)> {
    let mut left_out = Vec::new();
    if run.takes(RunStep::Plan) && input.skip_explore {
        left_out.push((RunStep::Explore, "--skip-explore"));
    }
    if run.takes(RunStep::Plan) && !run.takes(RunStep::Review) {
        if input.skip_review {
            left_out.push((RunStep::Review, "--skip-review"));
        } else if run.mode != RunMode::Quick {
            left_out.push((RunStep::Review, "the run has no reviewer"));
        }
    }
    left_out
}

/// Refuses an agent that is named for a step which the mode of the run leaves out; one that another option makes
/// unnecessary is only mentioned.
fn refuse_idle(session: &Session, input: &Begin, steps: &[RunStep]) -> Result<(), Refusal> {
    for (role, _) in input.agents.clone().by_role() {
        let Some(step) = step_of(role).filter(|step| !steps.contains(step)) else { continue };
        let flag = match step {
            RunStep::Execute => Some("--plan-only"),
            _ if input.execute_only => Some("--execute-only"),
            RunStep::Explore => Some("--skip-explore"),
            _ if input.skip_review => Some("--skip-review"),
            // The mode has no such step.
            _ => None,
        };
        if let Some(flag) = flag {
            session.notice(Notice::note(format!("`--{role}` is not used with `{flag}`")));
            continue;
        }
        let message = format!("this run has no {}, so `--{role}` would change nothing", step.noun());
        return Err(Refusal::usage(message).hint(format!("leave out `--{role}`, or choose another mode")));
    }
    Ok(())
}

/// The steps of a run.
fn steps(input: &Begin, mode: RunMode, crew: &StepAgents) -> Result<Vec<RunStep>, Refusal> {
    if input.plan_only && input.execute_only {
        return Err(Refusal::usage("a run cannot skip both planning and execution")
            .hint("give one of --plan-only and --execute-only"));
    }
    let reviews = mode != RunMode::Quick && !input.execute_only && !input.skip_review;
    // A mode that was not chosen explicitly needs no reviewer.
    if reviews && matches!(input.mode, WantedMode::Given(_)) && crew.reviewer.is_none() {
        crew.agent(crate::rules::roles::Role::Reviewer)?;
    }
    let mut steps = Vec::new();
    if !input.execute_only {
        if crew.explorer.is_some() && !input.skip_explore {
            steps.push(RunStep::Explore);
        }
        crew.agent(crate::rules::roles::Role::Planner)?;
        steps.push(RunStep::Plan);
    }
    if reviews && crew.reviewer.is_some() {
        steps.push(RunStep::Review);
    }
    if !input.plan_only {
        crew.agent(crate::rules::roles::Role::Executor)?;
        steps.extend([RunStep::Queue, RunStep::Execute, RunStep::Integrate]);
    }
    Ok(steps)
}

/// The issues to run. A named issue that does not exist or is done is left out and reported.
fn selected(session: &Session, input: &Begin) -> Result<Vec<IssueFolder>, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let is_meant = |status: IssueStatus| match status {
        status if input.all_pending => pending(input.execute_only).contains(&status),
        IssueStatus::Registered | IssueStatus::Planning => !input.execute_only,
        status => matches!(status, IssueStatus::Planned | IssueStatus::Queued | IssueStatus::Failed),
    };
    let others = Others::of(store, &snapshot)?;
    let mut found: Vec<IssueFolder> = Vec::new();
    let mut over = None;
    for text in &input.issues {
        let id = match resolve::issue(&snapshot, text) {
            Ok(id) => id,
            Err(error) => {
                session.notice(Notice::warning(format!("skipped `{text}`: {error}")));
                continue;
            }
        };
        if found.iter().any(|it| it.issue.record.id == id) {
            continue;
        }
        let folder = crate::ops::issues::existing(&snapshot, &id)?;
        let status = facts::status(&folder);
        if status == IssueStatus::Completed
            && let Some(branch) = unmerged(store, &folder)?
        {
            let what = format!("skipped `{id}`: it is completed; its work is on the branch `{branch}`");
            let does = "executes it again, if its work cannot be merged";
            session.notice(Notice::warning(what).remedy(RemedyCall::new(Op::Reopen, [&id]), does));
            continue;
        }
        match status {
            status @ (IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled) => {
                session.notice(others.skipped(&folder, status));
                over.get_or_insert(id);
            }
            status @ (IssueStatus::Paused | IssueStatus::Executing) => {
                session.notice(others.skipped(&folder, status));
            }
            status if others.at_work(&id).is_some() => session.notice(others.skipped(&folder, status)),
            IssueStatus::Registered | IssueStatus::Planning if input.execute_only => {
                session.notice(unplanned(&folder));
            }
            _ => found.push(folder),
        }
    }
    let wave = input.wave.map(|number| format!("wave-{number}"));
    let tags: Vec<&String> = input.tag.iter().chain(&wave).collect();
    if input.all_pending || !tags.is_empty() {
        for id in records::issue_ids(&snapshot)? {
            let folder = match records::issue(&snapshot, &id) {
                Ok(Some(folder)) => folder,
                Ok(None) | Err(StoreError::Broken { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let is_new = !found.iter().any(|it| it.issue.record.id == id);
            let has_tags = tags.iter().all(|tag| has_tag(&folder.issue.record.tags, tag));
            let status = facts::status(&folder);
            if !(is_new && has_tags && is_meant(status)) {
                continue;
            }
            if others.at_work(&id).is_some() {
                session.notice(others.skipped(&folder, status));
            } else {
                found.push(folder);
            }
        }
    } else if input.issues.is_empty() {
        return Err(Refusal::usage("no issue is named")
            .remedy(RemedyCall::from(Op::Run).flag("all-pending"), "takes every issue without a plan")
            .remedy(RemedyCall::new(Op::Run, ["ISSUE"]), "takes one"));
    }
    leave_out_cycles(session, &snapshot, &mut found)?;
    if found.is_empty() {
        let none = match &tags[..] {
            [] => "there is no issue to run".to_owned(),
            [tag] => format!("no issue with the tag `{tag}` can be run"),
            [one, two, ..] => format!("no issue with the tags `{one}` and `{two}` can be run"),
        };
        let refusal = Refusal::nothing(none);
        if let Some(id) = over {
            return Err(refusal.remedy(RemedyCall::new(Op::Reopen, [&id]), "reopens it"));
        }
        return Err(match others.interrupted() {
            Some(run) => {
                refusal.remedy(RemedyCall::new(Other::RunResume, [run]), "continues the interrupted run")
            }
            None => refusal.remedy(Other::List, "shows the open issues"),
        });
    }
    Ok(found)
}
