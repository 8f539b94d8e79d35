//! Executions: the claim, which is written once, and the log of what followed.

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::declare::{object, once};
use super::log_entry::log_entry;
use super::record::execution_fingerprint;
use super::text_enum::text_enum;
use super::{
    AgentSession, Branch, CommitHash, ExecutionId, ExecutionStatus, Fingerprint, IssueId, ItemId, NamedTest,
    PatchId, Person, PlanDigest, Proof, QueueId, RunId, SolutionId, TaskId, TestCount, Time, TreeHash, Vouch,
    typed,
};

/// An execution that a claim replaces, with the status that its author saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Supersedes {
    /// The earlier attempt.
    pub(crate) execution_id: ExecutionId,
    /// The earlier attempt is set aside only while it still has this status.
    pub(crate) status: ExecutionStatus,
}

once! {
    /// One attempt at a plan, and the claim on it. Written once, under an id derived from its content.
    Execution {
        /// Its id.
        fact id: ExecutionId,
        /// A random value, which makes two claims differ even if everything else is the same.
        fact nonce: String,
        /// The issue.
        fact issue_id: IssueId,
        /// The plan.
        fact solution_id: SolutionId,
        /// The digest of the plan when it was claimed.
        fact plan_digest: PlanDigest,
        /// A commit of the ref in which the plan has this digest; zeros in an imported claim, which came with its plan. It is
        /// a hint: the digest decides.
        fact plan_commit: CommitHash,
        /// The queue it was taken from.
        fact queue_id: Option<QueueId> = default,
        /// Its item in that queue.
        fact item_id: Option<ItemId> = default,
        /// One more than the highest of the issue's earlier attempts.
        #[serde(deserialize_with = "attempt")]
        fact attempt: u64,
        /// The executor.
        fact actor: Person,
        /// The role of the executor; absent for an owner.
        fact role: Option<String> = default,
        /// The full name of the branch on which it started.
        fact branch: Option<Branch> = default,
        /// The commit of the branch at the time of the claim; absent on an unborn branch.
        fact base_commit: Option<CommitHash> = default,
        /// The worktree's name; absent for the main one.
        fact worktree: Option<String> = default,
        /// The remote through which the claim was made; absent for a local claim.
        fact via: Option<String> = default,
        /// The run that made the claim; absent for a claim of a person or of an agent outside of a run.
        fact run_id: Option<RunId> = default,
        /// Completed issues that come first and whose commits were not in its base: someone claimed it anyway.
        fact missing: Vec<IssueId> = default,
        /// Earlier attempts that this one sets aside.
        fact supersedes: Vec<Supersedes> = default,
        /// When the claim was made.
        fact started_at: Time,
        /// When the lease expires unless it is renewed.
        fact lease_expires_at: Time,
    }
}

/// No issue has more attempts: the number after the highest must be one, too.
pub(crate) const MOST_ATTEMPTS: u64 = 1_000_000;

fn attempt<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let attempt = u64::deserialize(from)?;
    if attempt <= MOST_ATTEMPTS {
        Ok(attempt)
    } else {
        Err(D::Error::custom(format!("attempt {attempt} is greater than {MOST_ATTEMPTS}")))
    }
}

/// The first word of the nonce of a claim that an import made.
pub(crate) const IMPORTED: &str = "import";

impl Execution {
    /// Whether an import made it.
    pub(crate) fn is_imported(&self) -> bool {
        self.nonce.split(' ').next() == Some(IMPORTED)
    }

    /// The claim on a plan of `issue` that `make` builds. `make` is given a placeholder id; the claim gets its real one
    /// afterwards, from its content.
    pub(crate) fn made(issue: &IssueId, make: impl FnOnce(ExecutionId) -> Self) -> Self {
        let mut execution = make(ExecutionId::new(issue, &Fingerprint::pending()));
        execution.id = ExecutionId::new(issue, &execution_fingerprint(&execution));
        execution
    }
}

text_enum!(
    /// How a commit is linked.
    LinkedBy {
        /// By the post-commit hook.
        Hook = "hook",
        /// By its content: its trailers name the plan, or its message or changes show that it reverts, copies or
        /// squashes linked commits.
        Trailer = "trailer",
        /// By hand.
        Manual = "manual",
        /// Found later by `link --find`.
        Relink = "relink",
        /// By the run: the commit is on the branch that the run made for the execution.
        Run = "run",
        /// By `land`: the commit ticks the work off in the files of a plan tool.
        Land = "land",
    }
);

text_enum!(
    /// Why an execution was set aside.
    AsideReason {
        /// `retry`.
        Retry = "retry",
        /// `reopen`.
        Reopen = "reopen",
        /// Another plan was bound.
        Rebind = "rebind",
        /// The lease was given up.
        Release = "release",
        /// The remote accepted the claim, but did not show it.
        NotShown = "not-shown",
    }
);

/// At most this many paths of a commit are recorded. A commit with more moves everything, or contains vendored code.
pub(crate) const MOST_FILES: usize = 1_000;

once! {
    /// A commit was linked to the plan.
    CommitLink {
        /// The full object id.
        fact hash: CommitHash,
        /// The task, if it is known.
        decides task_id: Option<TaskId> = default,
        /// Its other tasks: a squash belongs to the tasks of all commits in it.
        decides other_task_ids: Vec<TaskId> = default,
        /// The first line of its message.
        text subject: String,
        /// Its author.
        fact author: Person,
        /// When it was authored.
        fact authored_at: Time,
        /// The files it changes; for a merge, only those that differ from git's own merge of its parents.
        text files: Vec<String> = default,
        /// How it was linked.
        fact linked_by: LinkedBy,
        /// Commits of this work that it reverts.
        fact reverts: Vec<CommitHash> = default,
        /// Its tree, for readers that do not have the commit.
        fact tree: Option<TreeHash> = default,
    }
}

impl CommitLink {
    /// The tasks that the commit belongs to.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &TaskId> {
        self.task_id.iter().chain(&self.other_task_ids)
    }

    /// Replaces the tasks that the commit belongs to.
    pub(crate) fn set_tasks(&mut self, tasks: Vec<TaskId>) {
        let mut tasks = tasks.into_iter();
        self.task_id = tasks.next();
        self.other_task_ids = tasks.collect();
    }

    /// This link, with the commits that it reverts.
    pub(crate) fn taking_back(self, reverts: Vec<CommitHash>) -> Self {
        Self { reverts, ..self }
    }

    /// Whether the execution made it. A revert that was made elsewhere shows in the trail, but is not work of the
    /// execution.
    pub(crate) fn is_work(&self) -> bool {
        self.reverts.is_empty() || self.linked_by == LinkedBy::Hook
    }
}

once! {
    /// A commit was rewritten (amend, rebase).
    Rewrite {
        /// The commit as it was.
        fact old: CommitHash,
        /// The commit as it is now.
        fact new: CommitHash,
        /// The tree of the new commit, for readers that do not have it.
        fact tree: Option<TreeHash> = default,
    }
}

once! {
    /// A link was removed.
    Unlink {
        /// The commit.
        fact hash: CommitHash,
    }
}

once! {
    /// A test command was run.
    Check {
        /// The task that the command belongs to.
        decides task_id: Option<TaskId> = default,
        /// The command, as in the plan.
        text command: String,
        /// The exit code; absent if a signal or a timeout ended the command.
        fact exit_code: Option<i32> = default,
        /// How long it ran, in milliseconds.
        fact duration_ms: u64,
        /// The tree that was tested: a check counts for every commit with that tree. Absent if the work tree had other
        /// changes.
        fact tree: Option<TreeHash> = default,
        /// How many tests passed, failed and were skipped, as the runner says; absent if no known runner says so. If none
        /// ran, or one failed, the check has not passed, whatever the exit code.
        fact tests: Option<TestCount> = default,
        /// Tests that a report of the command names, at most 50: first those that failed, then those that were skipped.
        text named_tests: Vec<NamedTest> = default,
        /// What shows that the tests test the work; absent if nobody looked.
        fact proof: Option<Proof> = default,
        /// The SSH signature of a verifier, in the namespace `wf-check`.
        fact signature: Option<String> = default,
        /// When it was signed. The signature covers this, so that no later entry passes for a later run.
        fact signed_at: Option<Time> = default,
        /// The SHA-256 of the whole output, in hex.
        fact output_sha256: String,
        /// The end of the output, at most 4 KiB, without control characters.
        text output_tail: String,
        /// The commit that was checked out.
        fact commit: Option<CommitHash> = default,
        /// Whether the work tree had other changes.
        fact dirty: bool,
    }
}

once! {
    /// A criterion that no test covers was confirmed.
    Accept {
        /// The task.
        decides task_id: TaskId,
        /// The criterion's number within the task, from 1.
        fact criterion: u64,
        /// What shows that it holds.
        text evidence: String,
    }
}

once! {
    /// The lease was renewed.
    Renew {
        /// When the lease now expires.
        fact lease_expires_at: Time,
    }
}

once! {
    /// The execution is set aside, as long as it has this status.
    Aside {
        /// The status that the execution had.
        fact status: ExecutionStatus,
        /// Which command set it aside.
        fact reason: AsideReason,
        /// Why a gate was overridden for it; absent if none was.
        fact forced: Option<String> = default,
    }
}

text_enum!(
    /// How work came to its target branch.
    LandHow {
        /// By a merge commit, or by moving the branch forward.
        Merge = "merge",
        /// By copies of its commits on top of the branch.
        Rebase = "rebase",
        /// By one commit for all of them.
        Squash = "squash",
        /// By a pull request that the host merged.
        PullRequest = "pull-request",
        /// By a commit that a person names, since nothing in git shows it.
        As = "as",
        /// Not at all: a person says that nothing of it needs to land.
        None = "none",
    }
);

once! {
    /// Commits came to the target branch, or a person said that they are there or need not be.
    Land {
        /// The full name of the target branch; absent if nothing needs to land.
        fact onto: Option<Branch> = default,
        /// The commit of the branch before; absent if the branch was new, or if nobody saw it.
        fact before: Option<CommitHash> = default,
        /// The commit of the branch that has the work; absent if nothing needs to land.
        fact after: Option<CommitHash> = default,
        /// How they came there.
        fact how: LandHow,
        /// The tree of `after`, on which the tests were run.
        fact tree: Option<TreeHash> = default,
        /// The linked commits that the entry speaks of.
        fact commits: Vec<CommitHash> = default,
        /// The pull request, an http or https URL.
        text url: Option<String> = default,
        /// Why nothing needs to land, or why a person says that it has.
        text reason: Option<String> = default,
    }
}

impl Land {
    /// Whether a person or the host says what git may not show.
    pub(crate) fn is_stated(&self) -> bool {
        matches!(self.how, LandHow::As | LandHow::None | LandHow::PullRequest)
    }
}

object! {
    /// The outcome, as reported by the executor.
    ExecutionResult {
        /// A description.
        summary: Option<String> = default,
        /// The files that were changed.
        #[serde(default)]
        files_modified: Vec<String>,
        /// Whether the tests passed; absent if nobody ran them.
        tests_passed: Option<bool> = default,
        /// Whether every criterion was met; absent if nobody checked.
        acceptance_verified: Option<bool> = default,
        /// The outcome of each task.
        #[serde(deserialize_with = "typed::any_each")]
        tasks: Vec<Value> = default,
    }
}

object! {
    /// What went wrong.
    Failure {
        /// The task.
        task_id: Option<TaskId> = default,
        /// test_failure, compilation, timeout, …
        error_type: Option<String> = default,
        /// A description.
        message: Option<String> = default,
        /// The stack trace.
        stack_trace: Option<String> = default,
    }
}

once! {
    /// The execution ended.
    End {
        /// completed or failed.
        fact status: ExecutionStatus,
        /// What the executor reported; for a failure, only if there was a report.
        text result: Option<ExecutionResult> = default,
        /// The failure, if it failed.
        text failure: Option<Failure> = default,
        /// git's patch id of everything between the base and the head; `link --find` finds a squashed commit by it.
        fact patch_id: Option<PatchId> = default,
        /// Why a gate was overridden for it; absent if none was.
        fact forced: Option<String> = default,
        /// The full name of the branch on which its work was to land, if it completed; absent if there was none.
        fact onto: Option<Branch> = default,
    }
}

log_entry!(
    /// What an entry of an execution's log says.
    Event,
    /// One entry of an execution's log
    LogEntry,
    decides actor,
    Commit(CommitLink) = "commit",
    Rewrite(Rewrite) = "rewrite",
    Unlink(Unlink) = "unlink",
    Check(Check) = "check",
    Accept(Accept) = "accept",
    Vouch(Vouch) = "vouch",
    Renew(Renew) = "renew",
    Aside(Aside) = "aside",
    Land(Land) = "land",
    Session(AgentSession) = "session",
    End(End) = "end",
);

#[cfg(test)]
mod tests;
