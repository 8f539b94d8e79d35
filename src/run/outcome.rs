//! What a step of an agent came to.

use super::resolving::{ResolvedConflict, TestedCopies};
use super::spending::UnrecordedWork;
use crate::model::{
    ExecutionId, Extent, Failure, IssueId, RunLogEntry, RunStep, SolutionId, Unrecorded, Verdict,
};

/// A step that has ended.
pub(super) struct EndedStep {
    /// The issue.
    pub(super) issue: IssueId,
    /// The step.
    pub(super) step: RunStep,
    /// The agent that was asked last, if one was.
    pub(super) agent: Option<String>,
    /// Its result.
    pub(super) outcome: Box<StepOutcome>,
    /// The work of its agent that is not recorded yet.
    pub(super) work: UnrecordedWork,
    /// What the log of the run says of it already.
    pub(super) logged: Vec<RunLogEntry>,
}

/// The result of a step.
pub(super) enum StepOutcome {
    /// It went well.
    Done(DoneStep),
    /// The execution failed, which is already recorded.
    Failed(Failure),
    /// The agent resolved this conflict of completed work by a merge.
    Resolved(Box<ResolvedConflict>),
    /// Copies of completed work were tested.
    Tested(Box<TestedCopies>),
    /// The step came to nothing.
    Gave(VainStep),
    /// Someone stopped it.
    Stopped,
}

/// A step that went well.
pub(super) struct DoneStep {
    /// What came of it.
    pub(super) result: StepResult,
    /// What its agent used for the answer.
    pub(super) spent: AnswerTime,
}

/// What came of a step that went well.
pub(super) enum StepResult {
    /// The issue was explored; the complexity that was found.
    Explored(Extent),
    /// A plan is bound.
    Planned(SolutionId),
    /// There are plans to choose from.
    Candidates(usize),
    /// The plan was reviewed.
    Reviewed(Verdict),
    /// The plan was executed.
    Completed(ExecutionId),
}

impl StepOutcome {
    /// It went well.
    pub(super) fn done(result: StepResult, spent: AnswerTime) -> Self {
        Self::Done(DoneStep { result, spent })
    }
}

/// Why a step came to nothing.
pub(super) struct VainStep {
    /// What went wrong.
    pub(super) failure: Failure,
    /// Whether the agent failed, rather than the run itself.
    pub(super) is_agents: bool,
    /// What the run could not record.
    pub(super) unrecorded: Option<Unrecorded>,
}

impl VainStep {
    /// The agent failed.
    pub(super) fn of_agent(failure: Failure) -> Self {
        Self { failure, is_agents: true, unrecorded: None }
    }

    /// The run itself could not take the step.
    pub(super) fn of_run(failure: Failure) -> Self {
        Self { failure, is_agents: false, unrecorded: None }
    }
}

/// How long an agent took for an answer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnswerTime {
    /// In milliseconds.
    pub(super) took_ms: u64,
}
