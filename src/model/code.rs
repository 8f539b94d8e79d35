//! The codes of errors, which programs can rely on: the only list of them.

use super::text_enum;

text_enum!(
    /// A stable word for what is wrong. The message says it with the values in question.
    Code {
        /// An agent failed with an exit code.
        AgentFailed = "agent-failed",
        /// An agent was killed by a signal.
        AgentKilled = "agent-killed",
        /// The provider of an agent serves it only later.
        AgentLimited = "agent-limited",
        /// The program of an agent does not exist.
        AgentNotFound = "agent-not-found",
        /// An agent could not be started.
        AgentNotStarted = "agent-not-started",
        /// The conversation with an agent broke its protocol.
        AgentProtocol = "agent-protocol",
        /// An agent showed no sign of work for too long.
        AgentSilent = "agent-silent",
        /// An agent took too long.
        AgentTimeout = "agent-timeout",
        /// The reply was already posted.
        AlreadyPosted = "already-posted",
        /// More than one conflict fits what was named.
        Ambiguous = "ambiguous",
        /// The id could mean several records.
        AmbiguousId = "ambiguous-id",
        /// The queue is archived.
        Archived = "archived",
        /// A bare repository has no work tree.
        Bare = "bare",
        /// Git does not use a bare repository that was not named.
        BareNotNamed = "bare-not-named",
        /// The item was already begun.
        Begun = "begun",
        /// The remote has commits that are not here yet.
        Behind = "behind",
        /// Another worktree has the branch.
        BranchInUse = "branch-in-use",
        /// A record exists but cannot be read.
        BrokenRecord = "broken-record",
        /// A run has cost what it may.
        Budget = "budget",
        /// A mistake in this program.
        Bug = "bug",
        /// A file of a coding agent cannot be edited.
        CannotEdit = "cannot-edit",
        /// The address of a server cannot be used.
        CannotListen = "cannot-listen",
        /// The repository cannot be opened.
        CannotOpen = "cannot-open",
        /// A file cannot be read.
        CannotRead = "cannot-read",
        /// A command cannot be run.
        CannotRun = "cannot-run",
        /// A document cannot be signed.
        CannotSign = "cannot-sign",
        /// A layer or task of a roadmap cannot be stored.
        CannotStore = "cannot-store",
        /// Nothing that the command did can be undone.
        CannotUndo = "cannot-undo",
        /// A file cannot be written.
        CannotWrite = "cannot-write",
        /// Someone changed what is edited, after it was shown.
        ChangedMeanwhile = "changed-meanwhile",
        /// Several fit, and one of them must be named.
        ChoiceNeeded = "choice-needed",
        /// This worktree already holds a claim.
        ClaimHeld = "claim-held",
        /// The claim of this worktree no longer holds.
        ClaimLost = "claim-lost",
        /// Another worktree or clone holds the claim.
        ClaimOfAnother = "claim-of-another",
        /// Another clone claimed what a run needs.
        ClaimedElsewhere = "claimed-elsewhere",
        /// A gate refused the commit.
        CommitRefused = "commit-refused",
        /// A setting of git has a value that cannot be used.
        Config = "config",
        /// Others moved the ref during each attempt to write.
        Contended = "contended",
        /// The remote did not accept the credentials.
        Credentials = "credentials",
        /// Issues would depend on themselves.
        Cycle = "cycle",
        /// The remote declined the push, for a reason that it gave.
        Declined = "declined",
        /// The demo failed.
        Demo = "demo",
        /// The status follows from what happened, and cannot be set.
        DerivedStatus = "derived-status",
        /// No branch is checked out.
        DetachedHead = "detached-head",
        /// The plan is not the one that was reviewed.
        DigestMismatch = "digest-mismatch",
        /// The clock of this machine is probably wrong.
        DoubtedClock = "doubted-clock",
        /// Someone else owns the repository.
        DubiousOwnership = "dubious-ownership",
        /// The editor failed.
        Editor = "editor",
        /// There is nothing in the input.
        Empty = "empty",
        /// The comment is empty.
        EmptyComment = "empty-comment",
        /// The title is empty.
        EmptyTitle = "empty-title",
        /// The execution of this worktree has ended.
        Ended = "ended",
        /// Something is being executed and cannot be changed now.
        Executing = "executing",
        /// Something with this name exists already.
        Exists = "exists",
        /// A test command failed when it was last run.
        FailedCheck = "failed-check",
        /// A part of a record that never changes would be changed.
        Frozen = "frozen",
        /// The program `gh` failed.
        GhFailed = "gh-failed",
        /// The environment names a repository, but each call names its own.
        GitDirSet = "git-dir-set",
        /// A git command failed.
        GitFailed = "git-failed",
        /// Git cannot be run.
        GitMissing = "git-missing",
        /// This version of git lacks something.
        GitTooOld = "git-too-old",
        /// A hook cannot be read or written.
        HooksIo = "hooks-io",
        /// A setting turns all hooks off.
        HooksOff = "hooks-off",
        /// The hooks directory is outside this repository.
        HooksOutside = "hooks-outside",
        /// The hooks directory is tracked by git.
        HooksTracked = "hooks-tracked",
        /// There are two earlier hooks of one name.
        HooksTwoEarlier = "hooks-two-earlier",
        /// Git does not know who you are.
        Identity = "identity",
        /// The status does not allow it.
        IllegalMove = "illegal-move",
        /// This cannot be done within a git hook.
        InAHook = "in-a-hook",
        /// A merge, rebase or the like is in progress.
        InProgress = "in-progress",
        /// The plan is being executed.
        InWork = "in-work",
        /// Something required is missing.
        Incomplete = "incomplete",
        /// The order does not name each item of the conflict once.
        IncompleteOrder = "incomplete-order",
        /// The index cannot be read or written.
        Index = "index",
        /// The command was stopped.
        Interrupted = "interrupted",
        /// The definition of an agent is invalid.
        InvalidAgent = "invalid-agent",
        /// The arguments of a tool do not fit its schema.
        InvalidArguments = "invalid-arguments",
        /// A declared conflict is invalid.
        InvalidConflict = "invalid-conflict",
        /// The cursor of a page is not one of this program.
        InvalidCursor = "invalid-cursor",
        /// The id has the wrong form.
        InvalidId = "invalid-id",
        /// The input is not the JSON that is expected.
        InvalidJson = "invalid-json",
        /// The label cannot be used.
        InvalidLabel = "invalid-label",
        /// The plan is invalid.
        InvalidPlan = "invalid-plan",
        /// The policy is invalid.
        InvalidPolicy = "invalid-policy",
        /// The relation cannot be used.
        InvalidRelation = "invalid-relation",
        /// The roadmap is invalid.
        InvalidRoadmap = "invalid-roadmap",
        /// What was written in the editor cannot be read.
        InvalidText = "invalid-text",
        /// The title cannot be used.
        InvalidTitle = "invalid-title",
        /// The URL cannot be used.
        InvalidUrl = "invalid-url",
        /// The input is not UTF-8.
        InvalidUtf8 = "invalid-utf8",
        /// The value is not one of those allowed.
        InvalidWord = "invalid-word",
        /// A file of the repository cannot be read or written.
        Io = "io",
        /// The lease of the claim ran out.
        LeaseRanOut = "lease-ran-out",
        /// A lock file of git is in the way.
        LockFile = "lock-file",
        /// Another git-wf is writing.
        Locked = "locked",
        /// The plan is below the quality that the policy asks for.
        LowQuality = "low-quality",
        /// The message of the commit cannot be read or written.
        MessageFile = "message-file",
        /// The verdict is milder than the scores.
        MilderVerdict = "milder-verdict",
        /// The repository mirrors another, so a fetch would overwrite the store.
        Mirror = "mirror",
        /// The store has a format that this version does not know.
        NewerFormat = "newer-format",
        /// The issue has a newer plan.
        NewerPlan = "newer-plan",
        /// No agent is named for this work.
        NoAgent = "no-agent",
        /// An agent gave no answer.
        NoAnswer = "no-answer",
        /// There is no such branch.
        NoBranch = "no-branch",
        /// This worktree holds no claim.
        NoClaim = "no-claim",
        /// There is no such commit.
        NoCommit = "no-commit",
        /// The current directory does not exist.
        NoDirectory = "no-directory",
        /// A criterion has no evidence.
        NoEvidence = "no-evidence",
        /// The program `gh` is not installed.
        NoGh = "no-gh",
        /// The path of this program cannot be found.
        NoProgram = "no-program",
        /// There is no active queue.
        NoQueue = "no-queue",
        /// The system provides no random numbers.
        NoRandomNumbers = "no-random-numbers",
        /// The repository has no remote.
        NoRemote = "no-remote",
        /// Agents cannot be confined here.
        NoSandbox = "no-sandbox",
        /// Git has no key to sign with.
        NoSigningKey = "no-signing-key",
        /// The issue has no plan.
        NoSolution = "no-solution",
        /// There is no branch to land on.
        NoTarget = "no-target",
        /// The plan has no tasks.
        NoTasks = "no-tasks",
        /// A command that draws a screen has no suitable terminal.
        NoTerminal = "no-terminal",
        /// Another process of this clone talked to the remote for too long, so the remote was not asked.
        NoTurn = "no-turn",
        /// The repository has no work tree.
        NoWorkTree = "no-work-tree",
        /// What was named is not a plan.
        NotAPlan = "not-a-plan",
        /// The entry is not a question.
        NotAQuestion = "not-a-question",
        /// The directory is in no git repository.
        NotARepository = "not-a-repository",
        /// The ref is not a store of git-wf.
        NotAStore = "not-a-store",
        /// Nobody here has agreed to run these commands.
        NotAgreed = "not-agreed",
        /// The input is not an export of git-wf.
        NotAnExport = "not-an-export",
        /// No plan is bound to the issue.
        NotBound = "not-bound",
        /// The issue is not completed, so there is nothing to land.
        NotCompleted = "not-completed",
        /// The plan was never executed.
        NotExecuted = "not-executed",
        /// Nobody is executing it.
        NotExecuting = "not-executing",
        /// Nothing has that name.
        NotFound = "not-found",
        /// The issue is not from GitHub.
        NotFromGithub = "not-from-github",
        /// The repository has no store yet.
        NotInitialised = "not-initialised",
        /// The commit is not linked to the plan.
        NotLinked = "not-linked",
        /// The program `gh` is not logged in.
        NotLoggedIn = "not-logged-in",
        /// These commits are not in the history of the ref.
        NotOfTheRef = "not-of-the-ref",
        /// The value cannot be hidden.
        NotRedactable = "not-redactable",
        /// The remote accepted a commit and does not show it.
        NotShown = "not-shown",
        /// Part of the source cannot be imported, and all of it was asked for.
        NotStrict = "not-strict",
        /// Only git-wf itself starts this command.
        NotWatched = "not-watched",
        /// The role may not do this.
        NotYourRole = "not-your-role",
        /// There is nothing to do.
        NothingToDo = "nothing-to-do",
        /// An object of git cannot be read or written.
        Object = "object",
        /// Feedback on the roadmap waits for an answer.
        OpenFeedback = "open-feedback",
        /// Tasks of the plan are not done.
        OpenTasks = "open-tasks",
        /// One item cannot come before the other.
        Order = "order",
        /// It is about another issue.
        OtherIssue = "other-issue",
        /// The roadmap has another mode.
        OtherMode = "other-mode",
        /// It is about another plan.
        OtherPlan = "other-plan",
        /// The item is in another queue.
        OtherQueue = "other-queue",
        /// The issue is discussed in a repository to which no remote leads.
        OtherRepository = "other-repository",
        /// It is about another task.
        OtherTask = "other-task",
        /// The scores come to another total.
        OtherTotal = "other-total",
        /// Another item comes first.
        OutOfOrder = "out-of-order",
        /// The answer cannot be written.
        Output = "output",
        /// The directory is outside of those that the client works in.
        OutsideRoots = "outside-roots",
        /// Another command does this.
        OwnCommand = "own-command",
        /// Authors do not review their own plans.
        OwnPlan = "own-plan",
        /// An owner must decide.
        OwnerDecides = "owner-decides",
        /// The repository is a partial clone, in which agents cannot work.
        PartialClone = "partial-clone",
        /// The path cannot be found.
        Path = "path",
        /// The path exists already.
        PathInUse = "path-in-use",
        /// The client does not speak the protocol.
        Protocol = "protocol",
        /// The ref was purged here or there, and the two cannot be merged.
        Purged = "purged",
        /// The server refused the push.
        PushRefused = "push-refused",
        /// The plan waits in a queue.
        Queued = "queued",
        /// The remote changed during each attempt to push.
        Raced = "raced",
        /// The server may change nothing.
        ReadOnly = "read-only",
        /// Parts are hidden.
        Redacted = "redacted",
        /// The repository stores its references as reftable.
        Reftable = "reftable",
        /// The remote refused the push.
        Refused = "refused",
        /// The report of the work disagrees with git.
        ResultDiffers = "result-differs",
        /// The report of the work says that it failed.
        ResultFailed = "result-failed",
        /// A reviewer rejected the plan.
        ReviewRejected = "review-rejected",
        /// The policy asks for a review.
        ReviewRequired = "review-required",
        /// Another clone drives the run.
        RunElsewhere = "run-elsewhere",
        /// The run has ended.
        RunEnded = "run-ended",
        /// The run is under way in this clone.
        RunUnderWay = "run-under-way",
        /// A queue cannot be merged into itself.
        SameQueue = "same-queue",
        /// An issue cannot depend on itself.
        SelfDependency = "self-dependency",
        /// Several runs could be meant.
        SeveralRuns = "several-runs",
        /// A shallow clone lacks the history.
        Shallow = "shallow",
        /// Someone told a run to stop the work on an issue.
        Stopped = "stopped",
        /// Another clone drives the run now.
        TakenOver = "taken-over",
        /// The input or a record is too large.
        TooLarge = "too-large",
        /// A text is too long.
        TooLong = "too-long",
        /// A limit is reached.
        TooMany = "too-many",
        /// The host of the remote limits the rate of requests.
        TooManyRequests = "too-many-requests",
        /// The roadmap was revised too often.
        TooManyRounds = "too-many-rounds",
        /// The plan has more tasks than the reply can hold.
        TooManyTasks = "too-many-tasks",
        /// There are uncommitted changes.
        Uncommitted = "uncommitted",
        /// The assessment does not decide how the requirement is split.
        Undecided = "undecided",
        /// Part of the queue is not finished.
        Unfinished = "unfinished",
        /// The answer of an agent is invalid.
        UnfitAnswer = "unfit-answer",
        /// There is no agent of that name.
        UnknownAgent = "unknown-agent",
        /// A record has no such field.
        UnknownField = "unknown-field",
        /// The store has no such date or commit.
        UnknownMoment = "unknown-moment",
        /// It is unknown whether the remote accepted the claim.
        UnknownOutcome = "unknown-outcome",
        /// There is no such remote.
        UnknownRemote = "unknown-remote",
        /// There is no such role.
        UnknownRole = "unknown-role",
        /// The remote's ref has commits that are not merged here.
        Unmerged = "unmerged",
        /// The remote cannot be reached.
        Unreachable = "unreachable",
        /// A merge has conflicts that nobody has resolved.
        Unresolved = "unresolved",
        /// A test command has characters that cannot be seen.
        UnseenCommand = "unseen-command",
        /// The order does not resolve the conflict.
        Unsettled = "unsettled",
        /// The commit cannot be signed.
        Unsigned = "unsigned",
        /// The input is JSON, but does not fit into a record.
        UnsoundJson = "unsound-json",
        /// The arguments are wrong.
        Usage = "usage",
        /// The tests of this work tree are being run.
        Verifying = "verifying",
        /// The work was on the branch and was reverted there.
        WasReverted = "was-reverted",
        /// Several remotes could be meant.
        WhichRemote = "which-remote",
        /// The plan was withdrawn.
        Withdrawn = "withdrawn",
        /// An agent changed its repository in a way that git does not.
        WorkplaceChanged = "workplace-changed",
        /// The worktree cannot be created.
        Worktree = "worktree",
        /// Another worktree has replaced that of the run.
        WorktreeExchanged = "worktree-exchanged",
        /// An issue that is being executed would lose its layer or task.
        WouldOrphan = "would-orphan",
        /// The id is of another kind of record.
        WrongKind = "wrong-kind",
        /// The source is not of this tracker.
        WrongSource = "wrong-source",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_the_order_of_the_alphabet() {
        assert!(Code::ALL.is_sorted_by_key(|code| format!("{code:?}")));
    }
}
