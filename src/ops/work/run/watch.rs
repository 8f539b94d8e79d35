//! What a run tells while it is under way, and what it asks.

use crate::model::id::{IssueId, SolutionId};
use crate::model::run::RunStep;
use crate::model::run_log::RunEvent;
use crate::rules::command_line::CommandLine;

/// Something that happens in a run.
#[derive(Debug)]
pub(crate) enum Told<'a> {
    /// An entry was added to its log.
    Logged(&'a RunEvent),
    /// An agent begins with a step.
    Began {
        /// For this issue.
        issue: &'a IssueId,
        /// The step.
        step: RunStep,
        /// The agent's name.
        agent: &'a str,
    },
    /// An agent wrote a piece of text, which may be anything.
    #[expect(dead_code, reason = "lines are told what happens, not what agents say")]
    Said {
        /// For this issue.
        issue: &'a IssueId,
        /// What it wrote.
        text: &'a str,
    },
}

/// Follows a run.
pub(crate) trait Watch {
    /// Something happened.
    fn told(&mut self, told: &Told<'_>);

    /// Whether somebody wants the run to stop, since this was last asked. Once: after the steps that are under way. Twice:
    /// now.
    fn stop(&mut self) -> bool;

    /// Whether these test commands of a plan may be run, which nobody here has agreed to yet.
    fn agree(&mut self, solution: &SolutionId, commands: &[&CommandLine]) -> bool;
}
