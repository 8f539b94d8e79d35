//! What a run asks a person, and how they answer.

use super::declare::once;
use super::text_enum::text_enum;
use super::{IssueId, RunStep, SolutionId};

text_enum!(
    /// What someone chose when a step had failed too often.
    Choice {
        /// It is tried again.
        Retry = "retry",
        /// The run continues without the issue.
        Skip = "skip",
        /// The run stops, and can be resumed.
        Abort = "abort",
    }
);

once! {
    /// The run asks whoever follows it, and does nothing else meanwhile: which of these plans to execute or, without plans, what to
    /// do after a step had failed too often. The choice of a plan is in the issue, the other answer in an entry `decision`.
    Asked {
        /// The issue.
        fact issue_id: IssueId,
        /// The plans to choose from.
        fact plans: Vec<SolutionId> = default,
    }
}

once! {
    /// Someone chose what to do after a step had failed too often. Of several answers to a question, the first counts.
    Decided {
        /// The step.
        fact action: RunStep,
        /// The issue.
        fact issue_id: IssueId,
        /// The choice.
        fact choice: Choice,
    }
}
