//! Answers what a run asks, from another terminal, a browser or an agent: the answer goes into its log or binds the plan, and its
//! driver goes on when it next looks.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    Choice, Code, Decided, IssueId, Op, Other, RemedyCall, RunEvent, RunId, RunLogEntry, RunStep,
};
use crate::ops::work::publish_store;
use crate::ops::work::runs::asking::goes_on;
use crate::ops::work::runs::driver::Driven;
use crate::ops::work::runs::view::{all, existing, named};
use crate::ops::{Answer, Refusal, Session, issues, plans};
use crate::rules::run::{question_words, questions};
use crate::rules::{IssueFolder, RunFolder};
use crate::store::{ReadState, Tx, resolve};

/// What someone answers.
#[derive(Debug)]
pub(crate) struct GiveAnswer {
    /// The issue that a run asks about.
    pub(crate) issue: String,
    /// `retry`, `skip`, `abort`, or the plan to execute.
    pub(crate) answer: String,
    /// The run (default: the one that asks).
    pub(crate) run: Option<String>,
}

/// What a run was answered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AnsweredRun {
    /// The run.
    pub(crate) run_id: RunId,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// `retry`, `skip`, `abort`, or the id of the plan to execute.
    pub(crate) answer: String,
    /// Who drives the run, as far as this clone knows.
    pub(crate) driven: Driven,
}

/// Answers what a run asks about an issue.
///
/// # Errors
/// `changed-meanwhile` if someone has answered otherwise, `nothing-to-do` if they gave the same answer or nothing is asked;
/// `not-found`, `several-runs`; those of [`plans::bind`] for a plan.
pub(crate) fn answer(session: &Session, input: &GiveAnswer) -> Answer<AnsweredRun> {
    let permit = session.permit(Op::Run)?;
    let store = session.store();
    let snapshot = store.snapshot()?;
    let issue = resolve::issue(&snapshot, &input.issue)?;
    let asking = asking(&snapshot, &issue, input.run.as_deref())?;
    let (id, driven) = (asking.run.id.clone(), Driven::find(store, &asking));
    let committed = session.transact(permit, |tx| {
        let found = existing(tx, &id)?;
        let folder = issues::existing(tx, &issue)?;
        let given = record(tx, &found, &folder, &input.answer)?;
        tx.describe(format!("run: answer {given} to {id} about {issue}"));
        Ok(given)
    })?;
    if driven == Driven::Elsewhere {
        publish_store(session)?;
    }
    let answered = AnsweredRun { run_id: id, issue_id: issue, answer: committed.answer, driven };
    Ok(session.done(answered, committed.commit))
}

/// The named run, or else the only one that asks about an issue; if none asks now, the latest that did.
fn asking(read: &impl ReadState, issue: &IssueId, run: Option<&str>) -> Result<RunFolder, Refusal> {
    if run.is_some() {
        return named(read, run);
    }
    let (mut open, mut earlier) = (Vec::new(), None);
    for found in all(read)?.0 {
        if questions(&found).get(issue).is_some_and(|question| question.answer.is_none()) {
            open.push(found);
        } else if earlier.is_none() && last_word(&found, issue).is_some() {
            earlier = Some(found);
        }
    }
    let count = open.len();
    match open.pop() {
        Some(only) if count == 1 => Ok(only),
        Some(_) => Err(Refusal::new(Code::SeveralRuns, format!("{count} runs ask about `{issue}`"))
            .hint("name one of them with `--run RUN`")
            .remedy(Other::RunList, "lists them")),
        None => earlier.ok_or_else(|| nothing_is_asked(issue)),
    }
}

fn nothing_is_asked(issue: &IssueId) -> Refusal {
    Refusal::nothing(format!("no run asks about `{issue}`")).remedy(Other::RunShow, "shows what a run does")
}

/// The last entry of the log of a run that asks about an issue, or answers that.
fn last_word<'a>(found: &'a RunFolder, issue: &IssueId) -> Option<&'a RunLogEntry> {
    found.log.iter().rfind(|entry| match &entry.event {
        RunEvent::Question(asked) => asked.issue_id == *issue,
        RunEvent::Decision(decided) => decided.issue_id == *issue,
        _ => false,
    })
}

/// Who answered what a run asked about an issue, and what; `None` if nobody did.
fn decided(found: &RunFolder, folder: &IssueFolder) -> Option<(String, String)> {
    let issue = &folder.issue.record.id;
    if let Some(answer) = questions(found).get(issue).and_then(|question| question.answer) {
        return Some((answer.by.to_owned(), answer.choice.to_string()));
    }
    let last = last_word(found, issue)?;
    match &last.event {
        RunEvent::Decision(decided) => Some((last.actor.to_string(), decided.choice.to_string())),
        RunEvent::Question(asked) if !asked.plans.is_empty() => {
            Some(("someone".to_owned(), folder.bound()?.id.to_string()))
        }
        _ => None,
    }
}

/// Records an answer, unless there is one. Returns it in full.
fn record(tx: &mut Tx<'_>, found: &RunFolder, folder: &IssueFolder, given: &str) -> Result<String, Refusal> {
    let (run, issue) = (&found.run.id, &folder.issue.record.id);
    let open = questions(found);
    let question = open.get(issue).filter(|question| question.answer.is_none());
    let question = question.filter(|question| {
        if question.asked.plans.is_empty() { !goes_on(folder) } else { folder.bound().is_none() }
    });
    let Some(question) = question else {
        let Some((who, what)) = decided(found, folder) else { return Err(nothing_is_asked(issue)) };
        let message = format!("the question about `{issue}` is answered: {who} chose `{what}`");
        let refusal = if what == given {
            Refusal::nothing(message)
        } else {
            Refusal::new(Code::ChangedMeanwhile, message)
        };
        return Err(refusal.remedy(RemedyCall::new(Other::RunShow, [run]), "shows what the run does"));
    };
    let choice = Choice::parse(given);
    if question.asked.plans.is_empty() != choice.is_some() {
        let asked = question_words(question.asked);
        return Err(Refusal::usage(format!("`{given}` does not answer this about `{issue}`: {asked}"))
            .hint("the answer is `retry`, `skip` or `abort` after a failure, and else one of the plans")
            .remedy(RemedyCall::new(Other::SolutionList, [issue]), "lists the plans"));
    }
    let Some(choice) = choice else {
        plans::bind_named(tx, folder, given)?;
        return Ok(resolve::solution(tx, given, Some(issue))?.to_string());
    };
    let (action, issue_id) = (RunStep::Execute, issue.clone());
    tx.log_run(run, RunEvent::Decision(Decided { action, issue_id, choice }))?;
    Ok(choice.to_string())
}
