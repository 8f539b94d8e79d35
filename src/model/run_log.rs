//! The log of a run: what the run and each of its issues reached, which steps were taken, and what went wrong.

use super::declare::{object, once};
use super::log_entry::log_entry;
use super::run_question::{Asked, Decided};
use super::text_enum::text_enum;
use super::{
    Budget, CommitHash, Cost, ExecutionId, ExecutionStatus, Failure, IssueId, IssueStatus, ItemId, QueueId,
    RunStep, SolutionId, Time, Usage,
};

text_enum!(
    /// The status of a run.
    RunStatus {
        /// Nothing has been done yet.
        Pending = "pending",
        /// Running, or stopped before its end.
        Running = "running",
        /// It ended, whatever the outcome of its issues.
        Completed = "completed",
    }
);

text_enum!(
    /// The phase of a run.
    RunPhase {
        /// The run begins.
        Init = "init",
        /// Issues are gathered and explored.
        Listing = "listing",
        /// Plans are made, reviewed, bound and queued.
        Planning = "planning",
        /// Plans are executed.
        Executing = "executing",
        /// It has ended.
        Complete = "complete",
    }
);

once! {
    /// The run as a whole reached a status and phase.
    PhaseReached {
        /// The status of the run.
        fact status: RunStatus,
        /// The phase of the run.
        fact phase: RunPhase,
        /// What went wrong with the run, rather than with one issue.
        text error: Option<Failure> = default,
        /// A random name of the process that drives the run from here on: present when the run began, and whenever it was
        /// resumed.
        decides driver: Option<String> = default,
        /// Whether someone stopped the run here; it can be resumed.
        fact stopped: Option<bool> = default,
        /// Whether agents are confined to their workplaces from here on, and if not, why: present where `driver` is.
        fact confinement: Option<String> = default,
        /// What the run may cost from here on, if that is not what its record says.
        fact budget: Option<Budget> = default,
    }
}

impl PhaseReached {
    /// A status and a phase were reached, and nothing else is new.
    pub(crate) fn plain(status: RunStatus, phase: RunPhase) -> Self {
        Self { status, phase, error: None, driver: None, stopped: None, confinement: None, budget: None }
    }
}

once! {
    /// An issue of the run reached a status. Omitted members keep the values of earlier entries for the issue, except
    /// that an error counts only until the next entry.
    IssueReached {
        /// One of the run's issues.
        fact issue_id: IssueId,
        /// The status that the run saw.
        fact status: IssueStatus,
        /// The plan that was made or bound for it.
        fact solution_id: Option<SolutionId> = default,
        /// The queue that it waits in.
        fact queue_id: Option<QueueId> = default,
        /// Its item in that queue.
        fact item_id: Option<ItemId> = default,
        /// The execution of that plan.
        fact execution_id: Option<ExecutionId> = default,
        /// The commit of the target branch that has its work, once that has landed.
        fact landed: Option<CommitHash> = default,
        /// What went wrong.
        text error: Option<Failure> = default,
        /// Further remarks, for people.
        text note: Option<String> = default,
    }
}

impl IssueReached {
    /// An issue reached a status, and nothing else is new.
    pub(crate) fn plain(issue_id: IssueId, status: IssueStatus) -> Self {
        Self {
            issue_id,
            status,
            solution_id: None,
            queue_id: None,
            item_id: None,
            execution_id: None,
            landed: None,
            error: None,
            note: None,
        }
    }
}

once! {
    /// A step of the run was taken or skipped; a run that is resumed later does not repeat it.
    ActionDone {
        /// The step.
        fact action: RunStep,
        /// The issue, if the step was taken for one.
        fact issue_id: Option<IssueId> = default,
        /// The name of the agent that took it.
        fact agent: Option<String> = default,
        /// How long the agent took, in milliseconds, including earlier failed attempts; for an executor, only the last one.
        fact took_ms: Option<u64> = default,
        /// The tokens that the agent reported, including those of earlier failed attempts. Those of an executor are in the
        /// sessions of the execution.
        fact tokens: Option<u64> = default,
        /// What it cost, as the agent reported it, in the same way.
        fact cost: Option<Cost> = default,
        /// The commit of the run's branch after the work of the issue was merged into it. A resumed run uses it
        /// to find where it left the branch.
        fact commit: Option<CommitHash> = default,
        /// The outcome, for people.
        text note: Option<String> = default,
        /// Why it was skipped; absent if it was taken.
        text skipped: Option<String> = default,
    }
}

impl ActionDone {
    /// A step was taken, and nothing else is known.
    pub(crate) fn plain(action: RunStep, issue_id: Option<IssueId>) -> Self {
        Self {
            action,
            issue_id,
            agent: None,
            took_ms: None,
            tokens: None,
            cost: None,
            commit: None,
            note: None,
            skipped: None,
        }
    }
}

object! {
    /// What a run could not record, mostly because someone else was writing into the store. Only the run itself writes
    /// this: no answer of an agent becomes one.
    Unrecorded {
        /// The answer of the agent, as a file in the directory of the run on the machine where it ran:
        /// `unstored/plan-ISS-001-1.json`.
        answer: Option<String> = default,
        /// The SHA-256 of that file, in hex.
        answer_sha256: Option<String> = default,
        /// How the execution ended, if that is what could not be recorded.
        end: Option<ExecutionStatus> = default,
    }
}

once! {
    /// An attempt at a step failed. An `issue` entry says what that means for its issue.
    Setback {
        /// The step.
        fact action: RunStep,
        /// The issue, if the step was taken for one.
        fact issue_id: Option<IssueId> = default,
        /// The name of the agent that failed; absent if the run itself could not take the step, or could not record its result.
        fact agent: Option<String> = default,
        /// What went wrong.
        text error: Failure,
        /// What the run could not record of it.
        text unrecorded: Option<Unrecorded> = default,
        /// The tokens that the agent reported, if the step was given up, including those of earlier failed attempts. Those
        /// of an executor are in the sessions of the execution.
        fact tokens: Option<u64> = default,
        /// What it cost, as the agent reported it, in the same way.
        fact cost: Option<Cost> = default,
        /// How long the agent worked, in milliseconds, in the same way.
        fact took_ms: Option<u64> = default,
    }
}

once! {
    /// What an agent used in a step that was stopped, or whose run was killed. It does not count as an attempt, and the step is taken again.
    StepSpent {
        /// The step.
        fact action: RunStep,
        /// The issue, if the step was taken for one.
        fact issue_id: Option<IssueId> = default,
        /// The name of the agent.
        fact agent: Option<String> = default,
        /// The tokens that the agent reported.
        fact tokens: Option<u64> = default,
        /// What it cost, as the agent reported it.
        fact cost: Option<Cost> = default,
        /// How long the agent worked, in milliseconds.
        fact took_ms: Option<u64> = default,
    }
}

impl RunEvent {
    /// The issue that it is about; `None` if it is about the whole run.
    pub(crate) fn issue(&self) -> Option<&IssueId> {
        match self {
            Self::Issue(reached) => Some(&reached.issue_id),
            Self::Action(done) => done.issue_id.as_ref(),
            Self::Setback(setback) => setback.issue_id.as_ref(),
            Self::Spent(spent) => spent.issue_id.as_ref(),
            Self::Breach(breach) => breach.issue_id.as_ref(),
            Self::Decision(decided) => Some(&decided.issue_id),
            Self::Question(asked) => Some(&asked.issue_id),
            Self::Limited(limited) => limited.issue_id.as_ref(),
            Self::Order(order) => order.issue_id.as_ref(),
            Self::Phase(_) => None,
        }
    }

    /// Adds what an agent used, and how long it worked in milliseconds, if this is the entry of a step that an agent took.
    pub(crate) fn spend(&mut self, usage: Usage, worked_ms: u64) {
        let (tokens, cost, took_ms) = match self {
            Self::Action(action) => (&mut action.tokens, &mut action.cost, &mut action.took_ms),
            Self::Setback(setback) => (&mut setback.tokens, &mut setback.cost, &mut setback.took_ms),
            Self::Phase(_)
            | Self::Issue(_)
            | Self::Spent(_)
            | Self::Breach(_)
            | Self::Decision(_)
            | Self::Question(_)
            | Self::Limited(_)
            | Self::Order(_) => return,
        };
        (*tokens, *cost) = (usage.tokens, usage.cost);
        *took_ms = (*took_ms).max(if worked_ms > 0 { Some(worked_ms) } else { None });
    }
}

once! {
    /// Something happened during a step that the role of its agent does not allow.
    Breach {
        /// The step.
        fact action: RunStep,
        /// The issue, if the step was taken for one.
        fact issue_id: Option<IssueId> = default,
        /// The name of the agent that did it; absent if that is not known: another agent of the run, or a person, may have
        /// done it.
        fact agent: Option<String> = default,
        /// What happened.
        text what: String,
        /// Whether that was undone.
        fact undone: bool,
    }
}

once! {
    /// A provider refused to serve an agent for a while. The step continues afterwards, and no attempt is counted.
    Limited {
        /// The name of the agent, which stands for its provider and account.
        fact agent: String,
        /// Until then, no run asks the agent anything, unless this run is resumed.
        fact until: Time,
        /// The step.
        fact action: RunStep,
        /// The issue, if the step was taken for one.
        fact issue_id: Option<IssueId> = default,
        /// The name of the agent that takes over meanwhile; absent if the step waits.
        fact fallback: Option<String> = default,
        /// What the agent said about it.
        text why: Option<String> = default,
    }
}

text_enum!(
    /// What someone tells a run that is being driven.
    OrderKind {
        /// Stop the work on an issue; the run continues without it.
        Stop = "stop",
        /// Begin no other step.
        Pause = "pause",
        /// Go on after a pause.
        Resume = "resume",
        /// Take an issue into the run, or take up again one that the run gave up.
        Add = "add",
    }
);

once! {
    /// Someone steered the run. Its driver sees that when it next looks.
    Order {
        /// What to do.
        fact order: OrderKind,
        /// The issue, if it is about one.
        fact issue_id: Option<IssueId> = default,
        /// What the run may cost in all, if it goes on with another budget.
        fact budget: Option<Budget> = default,
    }
}

log_entry!(
    /// What an entry of a run's log says.
    RunEvent,
    /// One entry of a run's log
    RunLogEntry,
    fact actor,
    Phase(PhaseReached) = "phase",
    Issue(IssueReached) = "issue",
    Action(ActionDone) = "action",
    Setback(Setback) = "setback",
    Spent(StepSpent) = "spent",
    Breach(Breach) = "breach",
    Decision(Decided) = "decision",
    Question(Asked) = "question",
    Limited(Limited) = "limited",
    Order(Order) = "order",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use serde_json::{Value, json};

    #[test]
    fn each_type_of_entry_reads_back_as_it_was_written() {
        for fields in [
            r#""type":"phase","status":"running","phase":"planning""#,
            r#""type":"phase","status":"completed","phase":"complete","error":{"message":"the remote is gone"}"#,
            r#""type":"phase","status":"running","phase":"executing","driver":"7k3m2pq9""#,
            r#""type":"phase","status":"running","phase":"executing","stopped":true"#,
            r#""type":"phase","status":"running","phase":"init","driver":"7k3m2pq9","confinement":"agents are confined""#,
            r#""type":"phase","status":"running","phase":"executing","budget":{"costs":[{"amount":5.5,"currency":"USD"}],"tokens":7,"time_ms":9}"#,
            r#""type":"issue","issue_id":"ISS-001","status":"executing","note":"it goes on""#,
            r#""type":"issue","issue_id":"ISS-001","status":"queued","solution_id":"SOL-ISS-001-a7x9","queue_id":"QUE-1","item_id":"S-1""#,
            r#""type":"issue","issue_id":"ISS-001","status":"failed","execution_id":"EXR-ISS-001-000000000000000000000000a7","error":{"error_type":"timeout"}"#,
            r#""type":"issue","issue_id":"ISS-001","status":"completed","landed":"0123456789abcdef0123456789abcdef01234567","note":"landed on main""#,
            r#""type":"action","action":"explore","issue_id":"ISS-001""#,
            r#""type":"action","action":"review","skipped":"no reviewer is set""#,
            r#""type":"action","action":"plan","agent":"claude","took_ms":7,"tokens":5,"cost":{"amount":0.5,"currency":"USD"},"note":"n""#,
            r#""type":"setback","action":"plan","issue_id":"ISS-001","agent":"claude","error":{"error_type":"agent-timeout"}"#,
            r#""type":"setback","action":"plan","issue_id":"ISS-001","error":{"error_type":"locked"},"unrecorded":{"answer":"unstored/plan-ISS-001-1.json","answer_sha256":"0f"}"#,
            r#""type":"setback","action":"execute","issue_id":"ISS-001","error":{"error_type":"locked"},"unrecorded":{"end":"completed"}"#,
            r#""type":"spent","action":"plan","issue_id":"ISS-001","agent":"claude","tokens":5,"cost":{"amount":0.5,"currency":"USD"},"took_ms":7"#,
            r#""type":"breach","action":"plan","agent":"claude","what":"changed `src/a.rs`","undone":true"#,
            r#""type":"breach","action":"execute","issue_id":"ISS-001","what":"`main` was deleted","undone":true"#,
            r#""type":"limited","agent":"claude","until":"2026-11-21T03:14:05.123Z","action":"execute","issue_id":"ISS-001","why":"usage limit reached""#,
            r#""type":"order","order":"stop","issue_id":"ISS-001""#,
            r#""type":"order","order":"pause""#,
            r#""type":"question","issue_id":"ISS-001""#,
            r#""type":"question","issue_id":"ISS-001","plans":["SOL-ISS-001-a7x9"]"#,
        ] {
            let text = format!(
                r#"{{"id":"20261121T021405123Z-00000-00000000000000000000000001",{fields},"actor":"Ada","at":"2026-11-21T02:14:05.123Z"}}"#
            );
            let read: RunLogEntry = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }

    #[test]
    fn what_is_no_transition_is_refused() {
        let entry = |fields: Value| {
            let mut entry = json!({"id": entry_id("20261121T021405123Z-00000"), "actor": "a",
                "at": "2026-11-21T02:14:05.123Z"});
            entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            serde_json::from_value::<RunLogEntry>(entry).unwrap_err().to_string()
        };
        let words = "unknown type `commit`, expected one of phase, issue, action, setback, spent, breach";
        assert!(entry(json!({"type": "commit"})).contains(words));
        let failed = json!({"type": "phase", "status": "failed", "phase": "init"});
        assert!(entry(failed).contains("unknown variant `failed`"));
        let other = json!({"type": "issue", "issue_id": "../x", "status": "planned"});
        assert!(entry(other).contains("`../x` cannot be the id of an issue"));
    }
}
