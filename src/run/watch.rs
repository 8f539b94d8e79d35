//! What a run reports while it is in progress, and what it asks.

use crate::model::{
    Choice, Failure, IssueId, IssueStatus, Run, RunAgents, RunLogEntry, RunStep, SolutionId, TaskId,
    text_enum,
};
use crate::ops::{Notice, Session};
use crate::rules::CommandLine;

/// Something that happens in a run.
#[derive(Debug)]
pub(crate) enum RunUpdate<'a> {
    /// It begins or is resumed, with the current state of its issues.
    Started {
        /// The run.
        run: &'a Run,
        /// The agents that take its steps now; a resumed run can have others.
        agents: RunAgents,
        /// Whether it was interrupted before.
        is_resumed: bool,
        /// Its issues, in order.
        issues: Vec<StartedIssue>,
    },
    /// Something that deserves attention.
    Noticed(&'a Notice),
    /// An entry was added to its log.
    Logged(&'a RunLogEntry),
    /// An agent starts a step, or another attempt at it.
    Began {
        /// For this issue.
        issue: &'a IssueId,
        /// The step.
        step: RunStep,
        /// The agent's name.
        agent: &'a str,
        /// The number of the attempt, from 1.
        attempt: usize,
    },
    /// Tests of completed work begin.
    Tests {
        /// The work on this issue.
        issue: &'a IssueId,
        /// What is tested.
        of: WorkTest,
    },
    /// An agent has finished a step, or tests have.
    Ended {
        /// For this issue.
        issue: &'a IssueId,
    },
    /// An agent has moved on to another task of its plan.
    Task {
        /// For this issue.
        issue: &'a IssueId,
        /// The task.
        task: &'a TaskId,
    },
    /// An agent wrote a piece of text, which may be anything.
    Said {
        /// For this issue.
        issue: &'a IssueId,
        /// The text.
        text: &'a str,
    },
}

text_enum!(
    /// Tests of completed work, which run beside the agents.
    WorkTest {
        /// Of copies of its commits, since a merge conflicts with the branch of the run.
        Copies = "copies",
        /// Before it lands.
        Landing = "landing",
    }
);

/// Tells what was noticed since.
pub(super) fn tell_notices(session: &Session, watch: &mut dyn RunWatch) {
    session.notices().iter().for_each(|notice| watch.update(&RunUpdate::Noticed(notice)));
}

/// An issue of a run that starts.
#[derive(Debug, Clone)]
pub(crate) struct StartedIssue {
    /// The issue.
    pub(crate) id: IssueId,
    /// Its title; empty if the issue is missing here.
    pub(crate) title: String,
    /// How far it has come.
    pub(crate) status: IssueStatus,
}

/// One of several plans of an issue.
#[derive(Debug)]
pub(crate) struct PlanToChoose {
    /// The plan's id.
    pub(crate) id: SolutionId,
    /// Its description or approach.
    pub(crate) about: String,
    /// The number of its tasks.
    pub(crate) tasks: usize,
}

/// Commands of the project itself, whatever the plans are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnCommands {
    /// What prepares each worktree.
    Setup,
    /// What tests all work before it lands.
    LandTests,
}

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply<T> {
    /// Someone answered here.
    Given(T),
    /// It was settled elsewhere meanwhile.
    Elsewhere,
    /// Nobody can be asked, or nobody decides.
    None,
}

/// Follows a run.
pub(crate) trait RunWatch {
    /// Something happened.
    fn update(&mut self, update: &RunUpdate<'_>);

    /// Some time has passed.
    fn tick(&mut self);

    /// Counts how often someone has wanted the run to stop, and tells them that this was noticed. It is called from any
    /// thread, again and again, also while the run waits for something else.
    fn stops(&self) -> Box<dyn Fn() -> usize + Send + Sync>;

    /// Whether the test commands of plans that agents will make may be run here: all of them, or only those that
    /// someone consents to once they are known.
    fn agree_to_plans_to_come(&mut self) -> bool;

    /// Whether these commands of the project may be run; nobody here has consented to them yet.
    fn agree_to_own(&mut self, what: OwnCommands, commands: &[CommandLine]) -> bool;

    /// Whether someone consented to the tests of all plans.
    fn has_agreed(&self) -> bool;

    /// Someone consented to that when the run began.
    fn take_agreement(&mut self);

    /// Whether someone can be asked what to do.
    fn can_ask(&self) -> bool;

    /// Asks what to do with an issue whose execution failed too often. `is_settled` says whether that needs no answer here any
    /// more.
    fn decide(&mut self, issue: &IssueId, failure: &Failure, is_settled: &dyn Fn() -> bool) -> Reply<Choice>;

    /// Asks which of these plans to choose for an issue, by index.
    fn choose(
        &mut self,
        issue: &IssueId,
        plans: &[PlanToChoose],
        is_settled: &dyn Fn() -> bool,
    ) -> Reply<usize>;

    /// Whether these test commands of a plan may be run; nobody here has consented to them yet.
    fn agree(&mut self, solution: &SolutionId, commands: &[&CommandLine]) -> bool;
}
