//! What an actor may do in its role. Roles are guard rails, not walls: without a role, everyone is an owner and may
//! do everything.
//!
//! An operation needs one capability, and a role is a set of them. Both tables are only here.

use crate::model::{Code, Explain, Op, Remedies, text_enum};

text_enum!(
    /// The role in which someone acts.
    Role {
        /// Finds the code that an issue is about.
        Explorer = "explorer",
        /// Makes plans.
        Planner = "planner",
        /// Reviews plans.
        Reviewer = "reviewer",
        /// Orders plans.
        Integrator = "integrator",
        /// Executes plans.
        Executor = "executor",
        /// Distributes the work, without doing any of it.
        Coordinator = "coordinator",
    }
);

/// The word for acting without a role.
const OWNER: &str = "owner";
/// Another name for the executor.
const IMPLEMENTER: &str = "implementer";

text_enum!(
    /// What an operation needs.
    Capability {
        /// Register issues, write comments, feedback and what was found out, and record what git shows without a decision.
        Note = "note",
        /// Change issues.
        Edit = "edit",
        /// Write plans.
        Plan = "plan",
        /// Review plans.
        Review = "review",
        /// Choose the plan to execute.
        Choose = "choose",
        /// Decide the order of execution, and resolve conflicts between clones.
        Order = "order",
        /// Execute plans.
        Execute = "execute",
        /// Let something that failed be tried again.
        Retry = "retry",
        /// Drive runs: ask agents, and record what came of it.
        Coordinate = "coordinate",
        /// Decide for the project.
        Own = "own",
    }
);

impl Role {
    /// The role with this name or alias.
    pub(crate) fn named(text: &str) -> Option<Self> {
        if text == IMPLEMENTER { Some(Self::Executor) } else { Self::parse(text) }
    }

    /// Its capabilities.
    fn capabilities(self) -> &'static [Capability] {
        use Capability::{Choose, Coordinate, Edit, Execute, Note, Order, Plan, Retry, Review};
        match self {
            Self::Explorer => &[Note],
            Self::Planner => &[Note, Edit, Plan, Choose],
            Self::Reviewer => &[Note, Review],
            Self::Integrator => &[Note, Edit, Choose, Order, Retry],
            Self::Executor => &[Note, Edit, Execute, Retry],
            Self::Coordinator => &[Note, Edit, Retry, Coordinate],
        }
    }

    /// `a planner`, `an executor`.
    pub(crate) fn with_article(self) -> String {
        let article = if self.as_str().starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        format!("{article} {self}")
    }

    fn may(self, needed: Capability) -> bool {
        self.capabilities().contains(&needed)
    }
}

/// The capability that an operation needs.
fn needs(op: Op) -> Capability {
    match op {
        // A merge adds nothing that its two sides do not have. Finding lost links and following rewritten commits
        // adds nothing that git does not already know. What an import brings may need more: `admit_import`.
        Op::New
        | Op::Comment
        | Op::FeedbackAdd
        | Op::Undo
        | Op::Explore
        | Op::WisdomAdd
        | Op::ImportBeads
        | Op::ImportCcw
        | Op::ImportGitBug
        | Op::ImportGithub
        | Op::ImportOpenspec
        | Op::ImportSpecKit
        | Op::ImportTaskMaster
        | Op::ImportGsd
        | Op::ImportBacklog
        | Op::ImportCsv
        | Op::ImportJsonl
        | Op::Merge
        | Op::Session
        | Op::Relink
        | Op::Rewrite => Capability::Note,
        Op::Edit => Capability::Edit,
        Op::SolutionAdd | Op::SolutionWithdraw | Op::TaskAdd | Op::TaskEdit | Op::RoadmapAdd => {
            Capability::Plan
        }
        Op::SolutionReview | Op::Vouch => Capability::Review,
        Op::Bind | Op::Unbind | Op::RoadmapRevise => Capability::Choose,
        Op::QueueNew
        | Op::QueueAdd
        | Op::QueueRemove
        | Op::QueueHold
        | Op::QueueRelease
        | Op::QueueOrder
        | Op::QueuePriority
        | Op::QueueActivate
        | Op::QueuePause
        | Op::QueueResume
        | Op::QueueArchive
        | Op::QueueMerge
        | Op::QueueConflictAdd
        | Op::QueueResolve
        | Op::Conflicts => Capability::Order,
        Op::Next
        | Op::TaskStart
        | Op::Verify
        | Op::Accept
        | Op::Done
        | Op::Fail
        | Op::LeaseRenew
        | Op::LeaseRelease
        | Op::Link
        | Op::Unlink => Capability::Execute,
        Op::Retry => Capability::Retry,
        Op::Run => Capability::Coordinate,
        Op::Close | Op::Land | Op::Reopen | Op::Settings | Op::Redact | Op::Fsck => Capability::Own,
    }
}

/// The known roles, and the owner.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    Role::ALL.iter().map(|role| role.as_str()).chain([OWNER])
}

/// An operation that a role may not perform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} may not {doing}", .role.with_article())]
pub(crate) struct NotTheirs {
    role: Role,
    /// ``run `plan choose` ``, `import plans`.
    doing: String,
    needed: Capability,
}

impl Explain for NotTheirs {
    fn code(&self) -> Code {
        Code::NotYourRole
    }

    fn remedies(&self) -> Remedies {
        let roles = Role::ALL.iter().filter(|role| role.may(self.needed));
        let who: Vec<String> = roles.map(|role| role.with_article()).chain([format!("an {OWNER}")]).collect();
        let who = match who.as_slice() {
            [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
            all => all.concat(),
        };
        format!("only {who} may; an owner acts without WF_ROLE").into()
    }
}

/// Why a change is refused in a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RoleError {
    /// An unknown role.
    #[error("WF_ROLE is `{0}`, which is not a role")]
    Unknown(String),
    /// Only other roles may do this.
    #[error(transparent)]
    NotTheirs(#[from] NotTheirs),
    /// It would override a gate.
    #[error("{} may not override a gate", .0.with_article())]
    Override(Role),
    /// An agent of a run would do what the run does.
    #[error("an agent of a run may not run `{0}`: the run does that")]
    OfTheRun(Op),
}

impl Explain for RoleError {
    fn code(&self) -> Code {
        match self {
            Self::Unknown(_) => Code::UnknownRole,
            Self::NotTheirs(refused) => refused.code(),
            Self::Override(_) | Self::OfTheRun(_) => Code::NotYourRole,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Unknown(_) => format!("the roles are {}", names().collect::<Vec<_>>().join(", ")).into(),
            Self::NotTheirs(refused) => refused.remedies(),
            Self::Override(_) => "ask an owner, who acts without WF_ROLE".into(),
            Self::OfTheRun(_) => "answer the request, which says what to answer".into(),
        }
    }
}

/// Allows an operation in a role. An owner, who acts without a role, may do everything.
///
/// # Errors
/// An unknown role, or an operation that the role may not perform.
pub(crate) fn admit(role: Option<&str>, op: Op) -> Result<(), RoleError> {
    admit_for(role, needs(op), || format!("run `{op}`"))
}

/// Allows a role to undo what an operation did.
///
/// # Errors
/// An unknown role, or an operation that the role may not perform.
pub(crate) fn admit_undo(role: Option<&str>, op: Op) -> Result<(), RoleError> {
    admit_for(role, needs(op), || format!("undo `{op}`"))
}

/// Allows a command that changes this machine and no record: only owners may.
///
/// # Errors
/// Every role.
pub(crate) fn admit_command(role: Option<&str>, command: &str) -> Result<(), RoleError> {
    admit_for(role, Capability::Own, || format!("run `{command}`"))
}

/// Allows what the code's history gets, in words such as `commit`: commits and pushes are the work of executors.
///
/// # Errors
/// An unknown role, or one that executes nothing.
pub(crate) fn admit_git(role: Option<&str>, doing: &str) -> Result<(), RoleError> {
    admit_for(role, Capability::Execute, || doing.to_owned())
}

fn admit_for(role: Option<&str>, needed: Capability, doing: impl Fn() -> String) -> Result<(), RoleError> {
    match acting(role)? {
        Some(role) if !role.may(needed) => Err(NotTheirs { role, doing: doing(), needed }.into()),
        _ => Ok(()),
    }
}

/// Allows an import to bring something in a role: `what` is written by `op` otherwise.
///
/// # Errors
/// An unknown role, or something that the role may not write.
pub(crate) fn admit_import(role: Option<&str>, what: &str, op: Op) -> Result<(), RoleError> {
    admit_for(role, needs(op), || format!("import {what}"))
}

/// Allows a tool that performs one of these operations.
///
/// # Errors
/// An unknown role, or one that may perform none of them.
pub(crate) fn admit_tool(role: Option<&str>, tool: &str, performs: &[Op]) -> Result<(), RoleError> {
    let Some(role) = acting(role)? else { return Ok(()) };
    match performs {
        [first, ..] if performs.iter().all(|op| !role.may(needs(*op))) => {
            Err(NotTheirs { role, doing: format!("call `{tool}`"), needed: needs(*first) }.into())
        }
        _ => Ok(()),
    }
}

/// Allows an operation to an agent of a run. Such an agent may neither claim nor end executions, nor exchange records
/// with a remote, nor import; only the planner of an issue may change its description.
///
/// # Errors
/// The operation belongs to the run.
pub(crate) fn admit_in_run(role: Option<&str>, op: Op) -> Result<(), RoleError> {
    let is_planner = role.and_then(Role::named) == Some(Role::Planner);
    match op {
        Op::Next | Op::Done | Op::Fail | Op::LeaseRelease | Op::Retry | Op::Run | Op::Merge => {
            Err(RoleError::OfTheRun(op))
        }
        // An import can do all that these do, and edit every issue.
        _ if op.is_import() => Err(RoleError::OfTheRun(op)),
        Op::Edit if !is_planner => Err(RoleError::OfTheRun(op)),
        _ => Ok(()),
    }
}

/// Allows someone to override a gate; only owners may.
///
/// # Errors
/// Every role.
pub(crate) fn admit_override(role: Option<&str>) -> Result<(), RoleError> {
    acting(role)?.map_or(Ok(()), |role| Err(RoleError::Override(role)))
}

/// The role in which someone acts; `None` for an owner.
///
/// # Errors
/// An unknown role.
pub(crate) fn acting(role: Option<&str>) -> Result<Option<Role>, RoleError> {
    let Some(role) = role.filter(|role| *role != OWNER) else { return Ok(None) };
    Role::named(role).map(Some).ok_or_else(|| RoleError::Unknown(role.to_owned()))
}

/// Whether someone in this role may do what a commit says they did. True if the role or the operation is unknown
/// here.
pub(crate) fn may(role: &str, operation: &str) -> bool {
    match (Role::named(role), Op::parse(operation)) {
        (Some(role), Some(op)) => role.may(needs(op)),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
