//! Steers a run that is being driven, from another terminal, a browser or an agent: the order goes into its log, and its driver
//! does it when it next looks.

use schemars::JsonSchema;
use serde::Serialize;

use super::configured;
use crate::model::{
    Code, IssueId, IssueStatus, Op, Order, OrderKind, Other, RemedyCall, RunEvent, RunId, RunStatus,
};
use crate::ops::work::publish_store;
use crate::ops::work::runs::driver::Driven;
use crate::ops::work::runs::view::{all, existing, named};
use crate::ops::{Answer, Refusal, Session, issues, plans};
use crate::rules::run::steering;
use crate::rules::{RunFolder, RunProgress, facts};
use crate::store::{ReadState, Store, resolve};

/// What to tell a run.
#[derive(Debug)]
pub(crate) struct Steer {
    /// The run (default: the only one at work).
    pub(crate) run: Option<String>,
    /// What to do.
    pub(crate) order: OrderKind,
    /// The issues to stop or to add.
    pub(crate) issues: Vec<String>,
    /// The plan that the one issue is added with.
    pub(crate) solution: Option<String>,
    /// What the run may cost from here on, if it goes on with another budget.
    pub(crate) budget: Vec<String>,
}

impl Steer {
    /// An order about these issues, or about the run if there are none.
    pub(crate) fn about(run: Option<String>, order: OrderKind, issues: Vec<String>) -> Self {
        Self { run, order, issues, solution: None, budget: vec![] }
    }
}

/// What a run was told.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SteeredRun {
    /// The run.
    pub(crate) run_id: RunId,
    /// What it will do.
    pub(crate) order: OrderKind,
    /// The issues, if it is about some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) issue_ids: Vec<IssueId>,
    /// Who drives it, as far as this clone knows.
    pub(crate) driven: Driven,
}

/// Tells a run what to do.
///
/// # Errors
/// `run-ended`, `not-found`; `nothing-to-do` if it is so already, or no run is at work; those of [`plans::bind`] if a plan is
/// named.
pub(crate) fn steer(session: &Session, input: &Steer) -> Answer<SteeredRun> {
    let permit = session.permit(Op::Run)?;
    let store = session.store();
    let found = meant(store, input.run.as_deref())?;
    let (id, driven) = (found.run.id.clone(), Driven::find(store, &found));
    let budget = match &input.budget[..] {
        [] => None,
        given => configured::budget(store, given, "wf.run.budget")?,
    };
    let committed = session.transact(permit, |tx| {
        let found = existing(tx, &id)?;
        refuse_ended(&found)?;
        let issue_ids = issues_of(tx, &found, input)?;
        refuse_idle(&found, input.order)?;
        if let (Some(solution), [issue]) = (&input.solution, &issue_ids[..]) {
            plans::bind_named(tx, &issues::existing(tx, issue)?, solution)?;
        }
        let orders: Vec<Order> = if issue_ids.is_empty() {
            // Its other limits stay.
            let known = RunProgress::of(&found).budget.cloned().unwrap_or_default();
            let budget = budget.clone().map(|given| known.replaced_by(given));
            vec![Order { order: input.order, issue_id: None, budget }]
        } else {
            let order = |id: &IssueId| Order { order: input.order, issue_id: Some(id.clone()), budget: None };
            issue_ids.iter().map(order).collect()
        };
        for order in orders {
            tx.log_run(&id, RunEvent::Order(order))?;
        }
        tx.describe(format!("run: tell {id} to {}", input.order));
        Ok(issue_ids)
    })?;
    if driven == Driven::Elsewhere {
        publish_store(session)?;
    }
    let told = SteeredRun { run_id: id, order: input.order, issue_ids: committed.answer, driven };
    Ok(session.done(told, committed.commit))
}

/// Whether a run that is driven here is paused.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn is_paused(session: &Session, run: Option<&str>) -> Result<bool, Refusal> {
    let store = session.store();
    let Ok(found) = meant(store, run) else { return Ok(false) };
    Ok(Driven::find(store, &found) == Driven::Here && steering(&found).is_paused)
}

fn refuse_ended(found: &RunFolder) -> Result<(), Refusal> {
    if RunProgress::of(found).status != RunStatus::Completed {
        return Ok(());
    }
    Err(Refusal::new(Code::RunEnded, format!("run `{}` has ended", found.run.id))
        .remedy(RemedyCall::new(Op::Run, ["ISSUE"]), "starts another"))
}

/// The named run, or else the only one at work.
fn meant(store: &Store, run: Option<&str>) -> Result<RunFolder, Refusal> {
    let snapshot = store.snapshot()?;
    if run.is_some() {
        let found = named(&snapshot, run)?;
        return refuse_ended(&found).map(|()| found);
    }
    let mut open: Vec<(RunFolder, Driven)> = Vec::new();
    for found in all(&snapshot)?.0 {
        let driven = Driven::find(store, &found);
        if matches!(driven, Driven::Here | Driven::Elsewhere) {
            open.push((found, driven));
        }
    }
    if open.iter().any(|(_, driven)| *driven == Driven::Here) {
        open.retain(|(_, driven)| *driven == Driven::Here);
    }
    let count = open.len();
    match (open.pop(), count) {
        (Some((only, _)), 1) => Ok(only),
        (Some(_), n) => Err(Refusal::new(Code::SeveralRuns, format!("{n} runs are at work"))
            .hint("name one of them with `--run RUN`")
            .remedy(Other::RunList, "lists them")),
        (None, _) => Err(Refusal::nothing("no run is at work").remedy(Other::RunList, "shows the runs")),
    }
}

/// The issues that an order is about.
fn issues_of(read: &impl ReadState, found: &RunFolder, input: &Steer) -> Result<Vec<IssueId>, Refusal> {
    let (progress, steering) = (RunProgress::of(found), steering(found));
    let mut ids: Vec<IssueId> = Vec::new();
    for text in &input.issues {
        let id = resolve::issue(read, text)?;
        let at = progress.issue(&id);
        let is_given_up = at.is_some_and(|at| at.error.is_some() || at.status == IssueStatus::Failed);
        let is_over = steering.finished.contains(&id);
        match input.order {
            OrderKind::Stop if at.is_none() => {
                let what = format!("`{id}` is not an issue of run `{}`", found.run.id);
                return Err(Refusal::new(Code::NotFound, what)
                    .remedy(RemedyCall::new(Other::RunShow, [&found.run.id]), "shows its issues"));
            }
            OrderKind::Stop if is_given_up || is_over => {
                return Err(Refusal::nothing(format!("the run is done with `{id}`"))
                    .remedy(RemedyCall::new(Other::RunShow, [&found.run.id]), "shows its issues"));
            }
            OrderKind::Add if at.is_some() && !is_given_up => {
                return Err(Refusal::nothing(format!("`{id}` is already in run `{}`", found.run.id))
                    .remedy(RemedyCall::new(Other::RunShow, [&found.run.id]), "shows its issues"));
            }
            OrderKind::Add => refuse_over(read, &id)?,
            _ => {}
        }
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Refuses to add an issue that is done with.
fn refuse_over(read: &impl ReadState, id: &IssueId) -> Result<(), Refusal> {
    let status = facts::status(&issues::existing(read, id)?);
    if !matches!(status, IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled) {
        return Ok(());
    }
    Err(Refusal::nothing(format!("`{id}` is {status}"))
        .remedy(RemedyCall::new(Op::Reopen, [id]), "reopens it"))
}

/// Refuses to pause a run that is paused, and to let one go on that is not.
fn refuse_idle(found: &RunFolder, order: OrderKind) -> Result<(), Refusal> {
    let id = &found.run.id;
    match (order, steering(found).is_paused) {
        (OrderKind::Pause, true) => Err(Refusal::nothing(format!("run `{id}` is already paused"))
            .remedy(RemedyCall::new(Other::RunResume, [id]), "lets it go on")),
        (OrderKind::Resume, false) => Err(Refusal::nothing(format!("run `{id}` is not paused"))
            .remedy(RemedyCall::new(Other::RunShow, [id]), "shows its progress")),
        _ => Ok(()),
    }
}
