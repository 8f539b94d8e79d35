//! What an agent is given.

use serde::Serialize;

use super::executor_input::{ExecutorInput, for_executor};
use super::planner_input::{PlannerInput, for_planner};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session};
use crate::store::resolve::{self, Known};

/// The context of an agent.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum AgentContext {
    /// Who plans an issue.
    Planner(Box<PlannerInput>),
    /// Who carries out a plan.
    Executor(Box<ExecutorInput>),
}

/// What the planner of an issue is given, or the executor of a plan, which an item or an execution can stand for.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `broken-record`, `digest-mismatch`; usage for a queue.
pub(crate) fn context(session: &Session, id: &str) -> Answer<AgentContext> {
    let snapshot = session.store().snapshot()?;
    let solution = match resolve::any(&snapshot, id)? {
        Known::Issue(id) => {
            let input = for_planner(session, &snapshot, &id)?;
            return Ok(session.done(AgentContext::Planner(Box::new(input)), None));
        }
        Known::Solution(id) | Known::Item(_, id) => id,
        Known::Execution(id) => {
            let folder = existing(&snapshot, &id.issue())?;
            let found = folder.executions.into_iter().find(|it| it.execution.id == id);
            let found = found.ok_or_else(|| Refusal::unreadable(&format!("execution `{id}`")))?;
            found.execution.solution_id
        }
        Known::Queue(id) => {
            return Err(Refusal::usage(format!("queue `{id}` has no context to print"))
                .hint("name an issue for its planner, or a plan, an item or an execution for its executor"));
        }
    };
    let input = for_executor(session, &snapshot, solution)?;
    Ok(session.done(AgentContext::Executor(Box::new(input)), None))
}
