//! The context of an agent.

use schemars::JsonSchema;
use serde::Serialize;

use super::executor_input::{ExecutorInput, Load, for_executor};
use super::explorer_input::{ExplorerInput, for_explorer};
use super::planner_input::{PlannerInput, for_planner};
use super::reviewer_input::{ReviewerInput, for_reviewer};
use crate::model::{Other, Remedy, RemedyCall};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{Omission, Role};
use crate::store::{KnownRecord, resolve};

/// The roles for which there is a context.
pub(crate) const CONTEXT_ROLES: [Role; 4] = [Role::Planner, Role::Explorer, Role::Executor, Role::Reviewer];

/// The context of an agent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AgentContext {
    /// For exploring an issue before it is planned.
    Explorer(Box<ExplorerInput>),
    /// For planning an issue.
    Planner(Box<PlannerInput>),
    /// For executing a plan.
    Executor(Box<ExecutorInput>),
    /// For reviewing a plan.
    Reviewer(Box<ReviewerInput>),
}

impl AgentContext {
    /// What was left out of it.
    pub(crate) fn left_out(&self) -> &[Omission] {
        match self {
            Self::Explorer(input) => &input.background.left_out,
            Self::Planner(input) => &input.background.left_out,
            Self::Executor(input) => &input.background.left_out,
            Self::Reviewer(input) => &input.background.left_out,
        }
    }

    /// The calls that show the rest, for an executor.
    pub(crate) fn load(&self) -> Option<&Load> {
        match self {
            Self::Executor(input) => input.load.as_ref(),
            _ => None,
        }
    }
}

/// The context for an agent that works on an issue or a plan; an item or an execution can stand for its plan. By default,
/// the planner of an issue reads it, and the executor of a plan.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `broken-record`, `digest-mismatch`; usage for a queue, and for a role that does not
/// fit the id.
pub(crate) fn context(session: &Session, id: &str, role: Option<Role>) -> Answer<AgentContext> {
    let snapshot = session.store().snapshot()?;
    let solution = match resolve::any(&snapshot, id)? {
        KnownRecord::Issue(id) => {
            let context = match role {
                None | Some(Role::Planner) => {
                    AgentContext::Planner(Box::new(for_planner(session, &snapshot, &id, &[])?))
                }
                Some(Role::Explorer) => {
                    AgentContext::Explorer(Box::new(for_explorer(session, &snapshot, &id)?))
                }
                Some(other @ (Role::Reviewer | Role::Executor)) => {
                    let refusal = other_needed(other, "an issue");
                    return Err(match existing(&snapshot, &id)?.bound() {
                        Some(plan) => {
                            let call =
                                RemedyCall::new(Other::Context, [&plan.id]).option("for", other.as_str());
                            Refusal {
                                remedies: vec![Remedy::call(call, "prints that of the bound plan")],
                                ..refusal
                            }
                        }
                        None => {
                            refusal.remedy(RemedyCall::new(Other::SolutionList, [&id]), "shows its plans")
                        }
                    });
                }
                Some(other) => return Err(other_needed(other, "an issue")),
            };
            return Ok(session.done(context, None));
        }
        KnownRecord::Solution(id) | KnownRecord::Item(_, id) => id,
        KnownRecord::Execution(id) => {
            let folder = existing(&snapshot, &id.issue())?;
            let found = folder.executions.into_iter().find(|execution| execution.execution.id == id);
            let found = found.ok_or_else(|| Refusal::unreadable(&format!("execution `{id}`")))?;
            found.execution.solution_id
        }
        KnownRecord::Queue(_) | KnownRecord::Roadmap(_) => {
            return Err(Refusal::usage(format!("`{id}` has no context to print"))
                .remedy(RemedyCall::new(Other::Show, [id]), "shows it")
                .hint("name an issue for its planner, or a plan, an item or an execution for its executor"));
        }
    };
    let context = match role {
        None | Some(Role::Executor) => {
            AgentContext::Executor(Box::new(for_executor(session, &snapshot, solution)?))
        }
        Some(Role::Reviewer) => AgentContext::Reviewer(Box::new(for_reviewer(session, &snapshot, solution)?)),
        Some(other) => return Err(other_needed(other, "a plan")),
    };
    Ok(session.done(context, None))
}

/// The refusal of a role that has no context, or needs another kind of id.
fn other_needed(role: Role, named: &str) -> Refusal {
    let (needs, hint) = match role {
        Role::Explorer | Role::Planner => ("an issue", "name an issue"),
        Role::Reviewer | Role::Executor => {
            ("a plan, an item or an execution", "name a plan, an item or an execution")
        }
        Role::Integrator | Role::Coordinator => {
            ("", "the roles are explorer, planner, reviewer and executor")
        }
    };
    let message = match needs {
        "" => format!("there is no context for {}", role.with_article()),
        needs => format!("the context for {} needs {needs}, not {named}", role.with_article()),
    };
    Refusal::usage(message).hint(hint)
}
