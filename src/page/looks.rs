//! The styles of states.

use crate::model::{ExecutionStatus, IssueStatus, ItemStatus, Verdict};
use crate::rules::QualityGate;
use crate::rules::run::IssueStage;
use crate::ui::Style;
use crate::ui::style::{BAD, DIM, GOOD, PLAIN, WARN};

/// The style of an issue's status.
pub(crate) fn issue_style(status: IssueStatus) -> Style {
    match status {
        IssueStatus::Completed | IssueStatus::Closed => GOOD,
        IssueStatus::Failed => BAD,
        IssueStatus::Executing | IssueStatus::Queued => WARN,
        IssueStatus::Cancelled | IssueStatus::Paused => DIM,
        _ => PLAIN,
    }
}

/// The style of an item's status.
pub(crate) fn item_style(status: ItemStatus) -> Style {
    match status {
        ItemStatus::Completed => GOOD,
        ItemStatus::Failed | ItemStatus::Blocked => BAD,
        ItemStatus::Executing => WARN,
        ItemStatus::Ready => PLAIN,
        ItemStatus::Pending => DIM,
    }
}

/// The style of an execution's status.
pub(crate) fn execution_style(status: ExecutionStatus) -> Style {
    match status {
        ExecutionStatus::Completed => GOOD,
        ExecutionStatus::Failed => BAD,
        ExecutionStatus::Executing => WARN,
        _ => DIM,
    }
}

/// The style of a verdict.
pub(crate) fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Approved => GOOD,
        Verdict::Concerns => WARN,
        Verdict::Rejected => BAD,
    }
}

/// The style of how far an issue of a run came.
pub(crate) fn stage_style(stage: IssueStage) -> Style {
    match stage {
        IssueStage::Completed => GOOD,
        IssueStage::Failed => BAD,
        IssueStage::Registered => DIM,
        IssueStage::Planning | IssueStage::Planned | IssueStage::Executing => PLAIN,
    }
}

/// The style of what the quality of a run leads to.
pub(crate) fn gate_style(gate: Option<QualityGate>) -> Style {
    match gate {
        Some(QualityGate::Pass) => GOOD,
        Some(QualityGate::Review) => WARN,
        Some(QualityGate::Fail) => BAD,
        None => DIM,
    }
}
