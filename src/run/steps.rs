//! The steps that agents take, each through the same operations that a person would use.

use serde::Serialize;
use serde_json::Value;

use super::along::planned;
use super::job::{
    AgentJob, AnswerTime, NoAnswer, RefusedAnswer, StepOutcome, StepReport, StepResult, VainStep, failure,
    failure_of,
};
use super::taking::breach;
use crate::agent::follow_up::{FollowUp, FollowUpReason};
use crate::agent::request::RequestKind;
use crate::agent::talk::AgentReply;
use crate::model::{
    ActionDone, Breach, Code, Depth, ExecutionStatus, Exploration, Op, RemedyCall, Solution, SolutionId,
    Verdict, typed,
};
use crate::ops::plans::{self, AddPlans, Bind, Judgement, PlanInput, ProposedPlans};
use crate::ops::{Notice, Refusal, Session, issues};
use crate::rules::{ExecutionFolder, Role, review};
use crate::store::Tx;

/// The context of an issue or plan for a role, as JSON.
pub(super) fn input(session: &Session, of: &str, role: Role) -> Result<Value, Refusal> {
    to_value(&plans::context(session, of, Some(role))?.view, of)
}

fn to_value(context: &impl Serialize, of: &str) -> Result<Value, Refusal> {
    typed::to_value(context).map_err(|error| {
        Refusal::new(Code::CannotWrite, format!("the context of `{of}` is not JSON: {error}"))
            .remedy(Op::Fsck, "checks its records")
    })
}

fn spent<A>(reply: &AgentReply<A>) -> AnswerTime {
    AnswerTime { took_ms: u64::try_from(reply.took.as_millis()).unwrap_or(u64::MAX) }
}

/// A session in the name of the agent that has just answered: another one may have taken over.
fn of_answer(job: &AgentJob) -> Result<Session, RefusedAnswer> {
    job.session().map_err(|refusal| RefusedAnswer::NoAnswer(refusal.into()))
}

/// Has an issue explored. The findings are stored with the issue.
pub(super) fn explore(job: &AgentJob) -> StepOutcome {
    let explored = (|| {
        let session = job.session()?;
        job.enter()?;
        let input = input(&session, job.issue.as_str(), Role::Explorer)?;
        let simpler = simpler(&input);
        let kind = RequestKind::Explore;
        job.ask_or_less::<Exploration, StepOutcome>(kind, &input, Some(&simpler), |reply, asked| {
            let spent = spent(&reply);
            let depth = asked["depth"].as_str().and_then(Depth::parse).unwrap_or(Depth::Search);
            let complexity = reply.answer.complexity_assessment;
            let (issue, run) = (job.issue.clone(), Some(job.run.id.clone()));
            let found = plans::Explore { issue, depth, found: reply.answer, run };
            let session = of_answer(job)?;
            match plans::explore(&session, found) {
                Ok(_) => Ok(StepOutcome::done(StepResult::Explored(complexity), spent)),
                Err(refusal) if [Code::OtherIssue, Code::TooLong].contains(&refusal.code) => {
                    Err(RefusedAnswer::Faults(vec![refusal.message]))
                }
                Err(refusal) => Err(RefusedAnswer::NoAnswer(refusal.into())),
            }
        })
    })();
    only_read(job);
    outcome_of(job, explored)
}

/// The input for an explorer whose first attempt failed: the issue alone, and only a search for its files.
fn simpler(input: &Value) -> Value {
    let mut simpler = input.clone();
    if let Some(members) = simpler.as_object_mut() {
        for name in ["exploration", "attempts", "feedback", "comments", "reviews", "wisdom", "left_out"] {
            members.remove(name);
        }
        members.insert("depth".into(), Depth::Search.as_str().into());
    }
    simpler
}

/// Has an issue planned: its plan is stored and bound, or several wait for a choice.
pub(super) fn plan(job: &AgentJob) -> StepOutcome {
    let planned = (|| {
        let session = job.session()?;
        job.enter()?;
        let context = plans::planner_context(&session, &job.issue, &job.run.issue_ids)?;
        let input = to_value(&context, job.issue.as_str())?;
        if let Some(findings) = rejected(&session, job)? {
            let (kind, reason) = (RequestKind::Plan, FollowUpReason::RejectedReview);
            job.tell_next(FollowUp::new(kind, Role::Planner, reason, findings));
        }
        let mut is_warned = job.tried > 0;
        job.ask::<ProposedPlans, StepOutcome>(RequestKind::Plan, &input, |reply| {
            let spent = spent(&reply);
            store(&of_answer(job)?, job, reply.answer, spent, &mut is_warned)
        })
    })();
    only_read(job);
    outcome_of(job, planned)
}

/// What the reviewers found in the plan of the issue, if they rejected it.
fn rejected(session: &Session, job: &AgentJob) -> Result<Option<Vec<String>>, Refusal> {
    let folder = issues::existing(&session.store().snapshot()?, &job.issue)?;
    let Some(plan) = folder.bound() else { return Ok(None) };
    let reviews = folder.reviews(&plan.id);
    if review::standing(plan, reviews).verdict != Some(Verdict::Rejected) {
        return Ok(None);
    }
    let digest = plan.plan_digest();
    let current = reviews.iter().filter(|review| review.plan_digest == digest);
    let findings: Vec<String> = current.flat_map(|review| review.findings.iter().cloned()).collect();
    let rejected = format!("`{}` was rejected", plan.id);
    Ok(Some(std::iter::once(rejected).chain(findings).collect()))
}

/// Stores an answer. `is_told` says whether the planner knows that it gave the same plan before.
fn store(
    session: &Session,
    job: &AgentJob,
    answer: ProposedPlans,
    spent: AnswerTime,
    is_warned: &mut bool,
) -> Result<StepOutcome, RefusedAnswer> {
    let many = answer.count() > 1;
    let place = |n: usize| if many { format!("$.solutions[{n}]") } else { "$".to_owned() };
    let plans = answer.into_values();
    let issue = job.issue.clone();
    let input = AddPlans {
        issue: issue.to_string(),
        plans: plans
            .iter()
            .cloned()
            .enumerate()
            .map(|(n, plan)| PlanInput { place: place(n), plan, is_by_hand: false })
            .collect(),
        no_bind: false,
        queue: false,
        add_reply_task: false,
        force: None,
    };
    let events = move |tx: &Tx<'_>, done: &ActionDone| planned(tx, done, &issue);
    let added = job.log_along(session, spent, events, || plans::add(session, input));
    if let (Err(refusal), Some(solution)) = (&added, job.logged_plan()) {
        job.warn("its plan is stored, but not all that comes after was done", &refusal.message);
        return Ok(StepOutcome::done(StepResult::Planned(solution), spent));
    }
    let added = added.inspect_err(|refusal| keep_plans(job, &plans, refusal)).map_err(mendable)?.view;
    if let Some(bound) = added.bound.first() {
        return Ok(StepOutcome::done(StepResult::Planned(bound.solution_id.clone()), spent));
    }
    let [only] = added.added.as_slice() else {
        return match added.added.len() {
            0 => same_again(session, job, &added.already_there, is_warned)
                .map(|solution| StepOutcome::done(StepResult::Planned(solution), spent)),
            n => Ok(StepOutcome::done(StepResult::Candidates(n), spent)),
        };
    };
    bind(session, job, only)?;
    Ok(StepOutcome::done(StepResult::Planned(only.clone()), spent))
}

/// Keeps the plans of an answer as a file if none of them could be stored because someone else was writing.
fn keep_plans(job: &AgentJob, plans: &[Value], refusal: &Refusal) {
    let id = &job.issue;
    let run = || RemedyCall::new(Op::Run, [id]).flag("execute-only");
    let add = |file: &str| RemedyCall::new(Op::SolutionAdd, [id.as_str(), file]);
    match plans {
        [only] => job.keep_answer("plan", only, refusal, |file| {
            vec![(add(file), "stores it"), (run(), "then executes it")]
        }),
        // Nobody has chosen one of them yet.
        many => job.keep_answer("plans", &Value::from(many), refusal, |file| {
            let bind = RemedyCall::new(Op::Bind, [id.as_str(), "PLAN"]);
            vec![
                (add(file), "stores them and prints their ids"),
                (bind, "then chooses one"),
                (run(), "then executes it"),
            ]
        }),
    }
}

/// Binds a stored plan. If someone else is writing, says what binds it: the plan itself is not lost.
fn bind(session: &Session, job: &AgentJob, solution: &SolutionId) -> Result<(), RefusedAnswer> {
    let (issue, solution) = (job.issue.to_string(), solution.to_string());
    let wish = Bind { issue: issue.clone(), solution: Some(solution.clone()), force: None };
    let bound = plans::bind(session, &wish).inspect_err(|refusal| {
        if refusal.is_passing() || refusal.is_stop() {
            let what = format!("{issue}: `{solution}` is stored, but not bound: {}", refusal.message);
            let call = RemedyCall::new(Op::Bind, [&issue, &solution]);
            job.report(StepReport::Noticed(Notice::warning(what).remedy(call, "binds it")));
        }
    });
    bound.map(drop).map_err(mendable)
}

/// The planner gave a plan that the issue already has. A rejected plan does not get better, nor does one that cannot be
/// bound because of its quality; but if its execution failed, the cause may be elsewhere, so a planner that knows about
/// the failure may repeat the plan.
fn same_again(
    session: &Session,
    job: &AgentJob,
    plans: &[SolutionId],
    is_warned: &mut bool,
) -> Result<SolutionId, RefusedAnswer> {
    let read = || issues::existing(&session.store().snapshot()?, &job.issue);
    let folder = read().map_err(|refusal| RefusedAnswer::NoAnswer(refusal.into()))?;
    let is_rejected = |plan: &&Solution| {
        review::standing(plan, folder.reviews(&plan.id)).verdict == Some(Verdict::Rejected)
    };
    let [only] = plans else {
        return Err(RefusedAnswer::Faults(vec!["the issue already has all of these plans".into()]));
    };
    if folder.solution(only).filter(is_rejected).is_some() {
        return Err(RefusedAnswer::Faults(vec![format!(
            "this is `{only}`, which was rejected in review; make a different plan"
        )]));
    }
    let has_failed = |it: &ExecutionFolder| it.outcome() == ExecutionStatus::Failed;
    let is_failed = folder.executions.iter().filter(|it| it.execution.solution_id == *only).any(has_failed);
    if is_failed && !std::mem::replace(is_warned, true) {
        return Err(RefusedAnswer::Faults(vec![format!(
            "this is `{only}`, whose execution failed; make a different plan, or give this one again if the plan was not the cause"
        )]));
    }
    if folder.bound().is_none_or(|plan| plan.id != *only) {
        bind(session, job, only)?;
    }
    Ok(only.clone())
}

/// A plan of insufficient quality goes back to its planner.
fn mendable(refusal: Refusal) -> RefusedAnswer {
    match refusal.code {
        Code::InvalidPlan | Code::LowQuality | Code::TooManyTasks | Code::Exists => {
            let details = refusal.details.iter().map(|detail| detail.message.clone());
            RefusedAnswer::Faults(std::iter::once(refusal.message.clone()).chain(details).collect())
        }
        _ => RefusedAnswer::NoAnswer(refusal.into()),
    }
}

/// Has a plan reviewed.
pub(super) fn review(job: &AgentJob, solution: &SolutionId) -> StepOutcome {
    let reviewed = (|| {
        let session = job.session()?;
        job.enter()?;
        let input = input(&session, solution.as_str(), Role::Reviewer)?;
        job.ask::<Judgement, StepOutcome>(RequestKind::Review, &input, |reply| {
            let spent = spent(&reply);
            let reviewed = plans::review(
                &of_answer(job)?,
                &plans::ReviewPlan {
                    solution: solution.to_string(),
                    judgement: reply.answer.clone(),
                    force: None,
                },
            );
            if let Err(refusal) = &reviewed {
                job.keep_answer("review", &reply.value, refusal, |file| {
                    let call = RemedyCall::new(Op::SolutionReview, [solution]);
                    vec![(call.option("from-json", file), "records it")]
                });
            }
            match reviewed {
                Ok(done) => Ok(StepOutcome::done(StepResult::Reviewed(done.view.standing), spent)),
                Err(refusal)
                    if [Code::MilderVerdict, Code::OtherPlan, Code::OtherIssue].contains(&refusal.code) =>
                {
                    Err(RefusedAnswer::Faults(vec![refusal.message]))
                }
                Err(refusal) => Err(RefusedAnswer::NoAnswer(refusal.into())),
            }
        })
    })();
    only_read(job);
    outcome_of(job, reviewed)
}

fn outcome_of(job: &AgentJob, step: Result<StepOutcome, NoAnswer>) -> StepOutcome {
    match step {
        Ok(came) => came,
        Err(NoAnswer::Stopped) => StepOutcome::Stopped,
        Err(NoAnswer::Failed(failure)) => StepOutcome::Gave(VainStep::of_agent(failure)),
        // The agent did something to its workplace.
        Err(NoAnswer::Refused(refusal)) if refusal.code == Code::WorkplaceChanged => {
            StepOutcome::Gave(VainStep::of_agent(failure_of(&refusal)))
        }
        Err(NoAnswer::Refused(refusal)) => StepOutcome::Gave(job.refused(&refusal)),
    }
}

/// Reports what an agent changed that should only read. Its workplace is thrown away.
fn only_read(job: &AgentJob) {
    let place = job.workplace.borrow();
    let Some(place) = place.as_ref() else { return };
    let changed = match place.changed() {
        Ok(changed) if changed.is_empty() => return,
        Ok(changed) => changed.join(", "),
        // Ctrl-C ended git.
        Err(refusal) if refusal.is_stop() => return,
        Err(refusal) => failure_of(&refusal).message.unwrap_or_default(),
    };
    let agent = Some(job.asked.borrow().clone());
    let what = failure("", "changed the work tree", &changed).message.unwrap_or_default();
    job.report(StepReport::Breach(Breach { agent, ..breach(job, what, true) }));
}
