//! The operations, by name: those that change a store or what a worktree executes, named in its commits, and the
//! others.

use super::text_enum;

text_enum!(
    /// What someone did, as the trailer `Wf-Op` names it.
    Op {
        /// Creates an issue.
        New = "new",
        /// Edits an issue.
        Edit = "edit",
        /// Comments on an issue.
        Comment = "comment",
        /// Closes an issue.
        Close = "close",
        /// Reopens an issue.
        Reopen = "reopen",
        /// Adds feedback for the next planner.
        FeedbackAdd = "feedback",
        /// Keeps what an explorer found out.
        Explore = "explore",
        /// Adds something that was learned.
        WisdomAdd = "wisdom add",
        /// Imports issues from beads.
        ImportBeads = "import beads",
        /// Imports a store of ccw.
        ImportCcw = "import ccw",
        /// Imports issues from git-bug.
        ImportGitBug = "import git-bug",
        /// Imports issues from GitHub.
        ImportGithub = "import github",
        /// Imports changes of OpenSpec.
        ImportOpenspec = "import openspec",
        /// Imports features of Spec Kit.
        ImportSpecKit = "import spec-kit",
        /// Imports tasks of Task Master.
        ImportTaskMaster = "import task-master",
        /// Imports phases and plans of Get Shit Done.
        ImportGsd = "import gsd",
        /// Imports tasks of Backlog.md.
        ImportBacklog = "import backlog",
        /// Imports a table.
        ImportCsv = "import csv",
        /// Imports an export.
        ImportJsonl = "import jsonl",
        /// Adds plans to an issue.
        SolutionAdd = "plan add",
        /// Withdraws a plan, or takes that back.
        SolutionWithdraw = "plan withdraw",
        /// Reviews a plan.
        SolutionReview = "plan review",
        /// Adds a task to a plan.
        TaskAdd = "task add",
        /// Changes a task of a plan.
        TaskEdit = "task edit",
        /// Sets the task that this worktree works on, which makes no commit.
        TaskStart = "task start",
        /// Chooses the plan of an issue.
        Bind = "plan choose",
        /// Unbinds the plan of an issue.
        Unbind = "plan choose --none",
        /// Creates a queue.
        QueueNew = "queue manage new",
        /// Queues plans.
        QueueAdd = "queue add",
        /// Removes items from a queue.
        QueueRemove = "queue remove",
        /// Holds items back.
        QueueHold = "queue hold",
        /// Releases held items.
        QueueRelease = "queue release",
        /// Moves an item.
        QueueOrder = "queue order",
        /// Sets the priority of a queue.
        QueuePriority = "queue manage priority",
        /// Activates queues.
        QueueActivate = "queue manage activate",
        /// Pauses queues.
        QueuePause = "queue manage pause",
        /// Resumes queues.
        QueueResume = "queue manage resume",
        /// Archives queues.
        QueueArchive = "queue manage archive",
        /// Moves the items of one queue to another.
        QueueMerge = "queue manage merge",
        /// Declares conflicts between plans.
        QueueConflictAdd = "queue overlaps --add",
        /// Resolves a conflict between plans.
        QueueResolve = "queue resolve",
        /// Resolves a field that two clones changed differently.
        Conflicts = "conflicts",
        /// Claims an item.
        Next = "next",
        /// Runs the tests of a plan.
        Verify = "verify",
        /// Confirms a criterion.
        Accept = "accept",
        /// Vouches for work whose tests are not proved to test it.
        Vouch = "vouch",
        /// Completes an execution.
        Done = "done",
        /// Ends an execution as failed.
        Fail = "fail",
        /// Lands completed work on the branch that everyone shares.
        Land = "land",
        /// Records what an agent did for an execution.
        Session = "session",
        /// Queues failed work again.
        Retry = "retry",
        /// Begins a run, or records what came of its steps.
        Run = "run",
        /// Adds a roadmap, or another version of it.
        RoadmapAdd = "roadmap add",
        /// Gives feedback on a roadmap, or approves it.
        RoadmapRevise = "roadmap revise",
        /// Renews a lease.
        LeaseRenew = "lease renew",
        /// Releases a claim.
        LeaseRelease = "lease release",
        /// Links commits to a plan.
        Link = "link",
        /// Removes the links of commits.
        Unlink = "link --remove",
        /// Finds commits whose links were lost.
        Relink = "link --find",
        /// Follows commits that git rewrote.
        Rewrite = "rewrite",
        /// Merges two heads of the store.
        Merge = "merge",
        /// Sets the policy or the project context.
        Settings = "settings",
        /// Hides a value.
        Redact = "redact",
        /// Takes back a command.
        Undo = "undo",
        /// Repairs the store.
        Fsck = "fsck",
    }
);

text_enum!(
    /// Operations that no commit is named after: they change no record, or record what they do as another operation.
    Other {
        /// Lists agents.
        AgentList = "agents list",
        /// Writes what coding agents read.
        AgentsSetup = "agents setup",
        /// Checks commits against plans.
        Audit = "audit",
        /// Prints the context for an agent.
        Context = "context",
        /// Shows a session in a repository of its own.
        Demo = "demo",
        /// Compares two states of the store.
        Diff = "diff",
        /// Exports who wrote which lines.
        ExportAgentTrace = "export agent-trace",
        /// Exports what an audit found.
        ExportInToto = "export in-toto",
        /// Writes the comment for an issue of GitHub.
        ExportGithub = "export github",
        /// Exports the store as JSON lines.
        ExportJsonl = "export jsonl",
        /// Lists feedback.
        FeedbackList = "feedback",
        /// Shows a page of the manual.
        Help = "help",
        /// Installs the hooks.
        HooksInstall = "hooks install",
        /// Shows what a program that manages hooks needs in its configuration.
        HooksLines = "hooks lines",
        /// Lists the hooks.
        HooksStatus = "hooks status",
        /// Creates the store, or fetches it.
        Init = "init",
        /// Lists claims.
        LeaseList = "lease",
        /// Lists issues.
        List = "list",
        /// Shows the commits of the store.
        Log = "log",
        /// Writes a plan; it is recorded as `plan add`.
        Plan = "plan",
        /// Lists conflicts between plans.
        QueueOverlaps = "queue overlaps",
        /// Shows which branches of items conflict.
        QueueForecast = "queue forecast",
        /// Draws the dependency graph.
        QueueGraph = "queue graph",
        /// Lists queues.
        QueueList = "queue manage list",
        /// Shows the active queues.
        Queue = "queue",
        /// Rebuilds the index.
        Reindex = "fsck --reindex",
        /// Assesses a requirement.
        RoadmapAssess = "roadmap plan --assess",
        /// Lists roadmaps.
        RoadmapList = "roadmap list",
        /// Hands over a wave of a roadmap.
        RoadmapNext = "roadmap next",
        /// Has a roadmap planned by an agent.
        RoadmapPlan = "roadmap plan",
        /// Shows a roadmap.
        RoadmapShow = "roadmap show",
        /// Answers what a run asks.
        RunAnswer = "run answer",
        /// Lists runs.
        RunList = "run list",
        /// Shows the log of a run.
        RunLog = "run log",
        /// Continues a run.
        RunResume = "run resume",
        /// Shows a run.
        RunShow = "run show",
        /// Prints a JSON Schema.
        Schema = "schema",
        /// Searches for texts.
        Search = "search",
        /// Shows a record.
        Show = "show",
        /// Checks plans without storing them.
        SolutionCheck = "plan check",
        /// Compares two versions of a plan.
        SolutionDiff = "plan diff",
        /// Lists plans.
        SolutionList = "plan list",
        /// Shows a plan.
        SolutionShow = "plan show",
        /// Fetches, merges and pushes.
        Sync = "sync",
        /// Lists the tasks of a plan.
        TaskList = "task list",
        /// Shows everything about an issue, a plan or a commit.
        Trace = "trace",
        /// Explains lines of a file.
        Why = "why",
        /// Answers an open question.
        WisdomAnswer = "wisdom answer",
        /// Lists what was learned.
        WisdomList = "wisdom",
    }
);

/// Any operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Operation {
    /// One that commits are named after.
    Recorded(Op),
    /// Another.
    Other(Other),
}

impl Operation {
    /// Its name: `queue add`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Recorded(op) => op.as_str(),
            Self::Other(other) => other.as_str(),
        }
    }
}

impl From<Op> for Operation {
    fn from(op: Op) -> Self {
        Self::Recorded(op)
    }
}

impl From<Other> for Operation {
    fn from(other: Other) -> Self {
        Self::Other(other)
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl Op {
    /// Whether `words` are the name of an operation, or the first words of several: `queue` stands for all that begin
    /// with it.
    pub(crate) fn is_named(words: &str) -> bool {
        Self::ALL.iter().any(|op| begins(op.as_str(), words))
    }

    /// Whether it brings in what another program or store has.
    pub(crate) fn is_import(self) -> bool {
        begins(self.as_str(), "import")
    }
}

/// Whether the name of an operation is `words`, or begins with these whole words.
pub(crate) fn begins(name: &str, words: &str) -> bool {
    name.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_known_by_any_of_their_words() {
        for name in ["new", "queue", "queue add", "plan", "task edit", "merge"] {
            assert!(Op::is_named(name), "{name}");
        }
        for name in ["", "nonsense", "que", "plans", "news", "new issue"] {
            assert!(!Op::is_named(name), "{name}");
        }
    }
}
