//! Runs: one pass of the workflow over several issues, written once, with a log ([`super::run_log`]). The state of a run
//! (status, phase, its issues, what it has done, what went wrong) is derived from both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::declare::once;
use super::text_enum::text_enum;
use super::{Branch, Budget, CommitHash, IssueId, Person, RunId, Time};

text_enum!(
    /// How much work a run does on each issue, and how many issues it takes at once.
    RunMode {
        /// Explore, plan, queue, execute: for one or two issues that are not urgent.
        Quick = "quick",
        /// Like quick, with a review of the plans before they are queued.
        Full = "full",
        /// Like full, with limits on how many issues are explored, planned and executed at once.
        Batch = "batch",
    }
);

text_enum!(
    /// A step of a run.
    RunStep {
        /// Find the code that the issue is about.
        Explore = "explore",
        /// Make a plan for the issue and bind it.
        Plan = "plan",
        /// Have the plan reviewed.
        Review = "review",
        /// Queue the plan.
        Queue = "queue",
        /// Execute the plan in its own worktree.
        Execute = "execute",
        /// Merge the work into the branch of the run.
        Integrate = "integrate",
    }
);

impl RunStep {
    /// The step as a verb, for people.
    pub(crate) fn verb(self) -> &'static str {
        match self {
            Self::Integrate => "merge",
            step => step.as_str(),
        }
    }

    /// The step as a noun, for people.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Explore => "exploration",
            Self::Plan => "planning",
            Self::Review => "review",
            Self::Queue => "queueing",
            Self::Execute => "execution",
            Self::Integrate => "merge",
        }
    }
}

text_enum!(
    /// Which kind of program executes plans.
    ExecutionMethod {
        /// Any other program.
        Agent = "agent",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
    }
);

text_enum!(
    /// Which kind of program reviews the code.
    CodeReview {
        /// No code review: plans are reviewed, and the work is tested.
        Skip = "skip",
        /// Any other program.
        Agent = "agent",
        /// Codex.
        Codex = "codex",
        /// Gemini CLI.
        Gemini = "gemini",
    }
);

/// The agents of a run, by their names. A command line may hold a secret and is never recorded.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct RunAgents {
    /// Explores issues.
    pub(crate) explorer: Option<String>,
    /// Makes plans.
    pub(crate) planner: Option<String>,
    /// Reviews plans.
    pub(crate) reviewer: Option<String>,
    /// Executes plans.
    pub(crate) executor: Option<String>,
}

/// How many issues a run works on at once, and how often it retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RunLimits {
    /// The maximum number of issues explored at once.
    pub(crate) explore_jobs: u64,
    /// The maximum number of issues planned or reviewed at once.
    pub(crate) plan_jobs: u64,
    /// The maximum number of plans executed at once.
    pub(crate) jobs: u64,
    /// How often a failed execution is tried again.
    pub(crate) retries: u64,
}

once! {
    /// One pass of the workflow over several issues. Written once.
    Run {
        /// Its id.
        fact id: RunId,
        /// How much work it does on each issue.
        fact mode: RunMode,
        /// The issues, each once, in the order in which they were given.
        #[schemars(extend("uniqueItems" = true))]
        fact issue_ids: Vec<IssueId>,
        /// The steps that it takes.
        #[schemars(extend("uniqueItems" = true))]
        fact steps: Vec<RunStep>,
        /// The agents that take them.
        fact agents: RunAgents,
        /// How many issues it works on at once, and how often it retries.
        fact limits: RunLimits,
        /// Which kind of program executes plans.
        fact execution_method: ExecutionMethod,
        /// Which kind of program reviews the code.
        fact code_review: CodeReview,
        /// Whether it lands each issue as soon as it is completed.
        fact lands: bool = default,
        /// What it may cost; no other step begins afterwards.
        fact budget: Option<Budget> = default,
        /// What the work on each issue may cost; afterwards, the issue waits for a person.
        fact issue_budget: Option<Budget> = default,
        /// The commit at which its branch started.
        fact base_commit: Option<CommitHash> = default,
        /// Who started it.
        fact actor: Person,
        /// When it started.
        fact created_at: Time,
    }
}

impl Run {
    /// Whether the run takes this step.
    pub(crate) fn takes(&self, step: RunStep) -> bool {
        self.steps.contains(&step)
    }

    /// The branch into which the work of completed issues is merged; `None` if nothing is executed.
    pub(crate) fn branch(&self) -> Option<Branch> {
        self.takes(RunStep::Execute).then(|| Branch::of_run(&self.id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_the_fields_of_the_format_in_their_order() {
        let text = concat!(
            r#"{"id":"RUN-20261121-9w1nx3h2","mode":"batch","issue_ids":["ISS-002","ISS-001"],"steps":["plan","execute"],"#,
            r#""agents":{"planner":"claude","executor":"codex"},"#,
            r#""limits":{"explore_jobs":5,"plan_jobs":3,"jobs":2,"retries":0},"#,
            r#""execution_method":"codex","code_review":"skip","#,
            r#""base_commit":"0123456789abcdef0123456789abcdef01234567","actor":"Ada","created_at":"2026-11-21T02:14:05.123Z"}"#
        );
        let read: Run = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert!(read.takes(RunStep::Plan) && !read.takes(RunStep::Review));
    }
}
