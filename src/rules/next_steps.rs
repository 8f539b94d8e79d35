//! Suggests the next one or two commands.

use crate::model::{IssueId, Op, Operation, Other, Remedy, RemedyCall};
use crate::rules::{Role, roles};

/// The maximum number of suggestions.
const MOST: usize = 2;

/// What the next step depends on.
#[derive(Debug, Default)]
pub(crate) struct Situation<'a> {
    /// Whether the user is a person, who writes plans in an editor.
    pub(crate) is_person: bool,
    /// The role of the user; `None` for an owner.
    pub(crate) role: Option<Role>,
    /// How many tasks of this worktree's execution are open; `None` without an execution.
    pub(crate) open_tasks: Option<usize>,
    /// Remedies for what waits for the user, most important first.
    pub(crate) attention: Vec<&'a Remedy>,
    /// The number of items that can be claimed.
    pub(crate) ready: usize,
    /// Whether HEAD is detached, as in every workspace of jj: an item can only be executed in a worktree with a branch.
    pub(crate) is_detached: bool,
    /// The most urgent issue whose plan can be queued.
    pub(crate) planned: Option<IssueId>,
    /// The most urgent issue without a bound plan.
    pub(crate) unplanned: Option<IssueId>,
    /// The number of issues.
    pub(crate) issues: usize,
    /// How many of them are being executed, here or elsewhere.
    pub(crate) executing: usize,
    /// Whether the local store differs from the remote's.
    pub(crate) differs: bool,
}

/// At most two commands, in this order of preference: finish the work in progress, settle what others wait for, claim
/// what is ready, prepare more.
pub(crate) fn next_steps(situation: &Situation<'_>) -> Vec<Remedy> {
    let mut steps: Vec<Remedy> = Vec::new();
    let mut add = |call: RemedyCall, does: &str| steps.push(Remedy::call(call, does));
    match situation.open_tasks {
        Some(0) => {
            add(Op::Verify.into(), "runs the tests of the plan");
            add(RemedyCall::from(Op::Done).option("message", "SUMMARY"), "completes the execution");
        }
        Some(_) => {
            add(Other::Show.into(), "shows the plan and what is left to do");
            add(Op::Verify.into(), "runs the tests of the plan");
        }
        None => {}
    }
    if let Some(first) = situation.attention.first() {
        steps.push((*first).clone());
    }
    // What comes after a look at a plan.
    if let Some(second) = situation.attention.get(1)
        && let Some(call) = &second.call
        && matches!(call.operation, Operation::Recorded(Op::SolutionReview) | Operation::Other(Other::Plan))
    {
        steps.push((*second).clone());
    }
    let mut add = |call: RemedyCall, does: &str| steps.push(Remedy::call(call, does));
    if situation.ready > 0 && situation.is_detached {
        add(RemedyCall::from(Op::Next).flag("worktree"), "claims the next item, in a worktree with a branch");
    } else if situation.ready > 0 {
        add(Op::Next.into(), "claims the next item");
    }
    if let Some(issue) = &situation.planned {
        add(RemedyCall::new(Op::QueueAdd, [issue]), "queues its plan");
    }
    if let Some(issue) = &situation.unplanned {
        if situation.is_person {
            add(RemedyCall::new(Other::Plan, [issue]), "opens your editor to plan it");
        } else {
            add(RemedyCall::new(Other::Context, [issue]), "shows what its planner needs");
        }
    }
    if situation.differs {
        add(Other::Sync.into(), "exchanges records with the remote");
    }
    if situation.issues == 0 {
        add(RemedyCall::new(Op::New, ["TITLE"]), "creates an issue");
    }
    if steps.is_empty() {
        let mut add = |call: RemedyCall, does: &str| steps.push(Remedy::call(call, does));
        if situation.executing > 0 {
            add(Other::LeaseList.into(), "shows who executes what, and until when");
        }
        add(RemedyCall::from(Other::List).flag("all"), "lists the issues");
        add(RemedyCall::new(Op::New, ["TITLE"]), "creates an issue");
    }
    let mut seen = std::collections::BTreeSet::new();
    steps.retain(|step| is_allowed(situation, step) && seen.insert(step.line()));
    steps.truncate(MOST);
    steps
}

fn is_allowed(situation: &Situation<'_>, step: &Remedy) -> bool {
    match step.call.as_ref().map(|call| call.operation) {
        Some(Operation::Recorded(op)) => roles::admit(situation.role.map(Role::as_str), op).is_ok(),
        Some(Operation::Other(Other::Plan)) => {
            roles::admit(situation.role.map(Role::as_str), Op::SolutionAdd).is_ok()
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(situation: &Situation<'_>) -> Vec<String> {
        next_steps(situation).iter().map(|step| step.call.as_ref().unwrap().command()).collect()
    }

    fn issue() -> Option<IssueId> {
        IssueId::parse("ISS-001").ok()
    }

    #[test]
    fn what_was_begun_comes_first_and_preparations_last() {
        let retry = Remedy::call(RemedyCall::new(Op::Retry, ["ISS-002"]), "queues it again");
        let all = || Situation {
            open_tasks: Some(2),
            attention: vec![&retry],
            ready: 1,
            planned: issue(),
            unplanned: issue(),
            issues: 3,
            differs: true,
            ..Situation::default()
        };
        assert_eq!(commands(&all()), ["git wf show", "git wf verify"]);
        let ended = Situation { open_tasks: Some(0), ..all() };
        assert_eq!(commands(&ended), ["git wf verify", "git wf done -m SUMMARY"]);
        let idle = Situation { open_tasks: None, ..all() };
        assert_eq!(commands(&idle), ["git wf retry ISS-002", "git wf next"]);
        let calm = Situation { attention: vec![], ready: 0, ..idle };
        assert_eq!(commands(&calm), ["git wf queue add ISS-001", "git wf context ISS-001"]);
        let person = Situation { is_person: true, planned: None, ..calm };
        assert_eq!(commands(&person), ["git wf plan ISS-001", "git wf sync"]);
        let quiet = Situation { unplanned: None, ..person };
        assert_eq!(commands(&quiet), ["git wf sync"]);
        let elsewhere = Situation { differs: false, executing: 1, ..quiet };
        assert_eq!(commands(&elsewhere), ["git wf lease", "git wf list --all"]);
    }

    #[test]
    fn an_empty_store_begins_with_an_issue() {
        assert_eq!(commands(&Situation::default()), ["git wf new TITLE"]);
        let over = Situation { issues: 4, ..Situation::default() };
        assert_eq!(commands(&over), ["git wf list --all", "git wf new TITLE"]);
    }

    #[test]
    fn a_role_is_shown_only_what_it_may_do() {
        let situation = Situation {
            role: Some(Role::Planner),
            ready: 1,
            planned: issue(),
            unplanned: issue(),
            issues: 1,
            ..Situation::default()
        };
        assert_eq!(commands(&situation), ["git wf context ISS-001"]);
    }
}
