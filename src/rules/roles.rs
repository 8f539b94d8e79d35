//! What an actor may do in its role. Guard rails, not walls: without a role, everyone is an owner and may do
//! everything.
//!
//! An operation needs one capability, and a role is a set of them. Both tables stand here and nowhere else.

use crate::model::Explain;
use crate::model::remedy::Remedies;
use crate::model::text_enum;

text_enum!(
    /// As what somebody acts.
    Role {
        /// Finds out what an issue touches.
        Explorer = "explorer",
        /// Makes plans.
        Planner = "planner",
        /// Judges them.
        Reviewer = "reviewer",
        /// Puts them in order.
        Integrator = "integrator",
        /// Carries them out.
        Executor = "executor",
        /// Hands out the work, and does none of it.
        Coordinator = "coordinator",
    }
);

/// Who acts in no role, or says so.
const OWNER: &str = "owner";
/// Another name for the executor.
const IMPLEMENTER: &str = "implementer";

text_enum!(
    /// What an operation needs.
    Capability {
        /// To say something: issues, comments, feedback; and what follows from git without a decision.
        Note = "note",
        /// To write plans.
        Plan = "plan",
        /// To judge plans.
        Review = "review",
        /// To choose the plan that is carried out.
        Choose = "choose",
        /// To decide what is carried out when, and what two clones disagree on.
        Order = "order",
        /// To carry plans out.
        Execute = "execute",
        /// To let something that failed be tried again.
        Retry = "retry",
        /// To decide for the project.
        Own = "own",
    }
);

impl Role {
    /// The role of this name, or of another name for it.
    pub(crate) fn named(text: &str) -> Option<Self> {
        if text == IMPLEMENTER { Some(Self::Executor) } else { Self::parse(text) }
    }

    /// Its capabilities.
    fn capabilities(self) -> &'static [Capability] {
        use Capability::{Choose, Execute, Note, Order, Plan, Retry, Review};
        match self {
            Self::Explorer => &[Note],
            Self::Planner => &[Note, Plan, Choose],
            Self::Reviewer => &[Note, Review],
            Self::Integrator => &[Note, Choose, Order, Retry],
            Self::Executor => &[Note, Execute, Retry],
            Self::Coordinator => &[Note, Retry],
        }
    }
}

/// Operations, by the words that they begin with, and what they need.
static OPERATIONS: &[(&str, Capability)] = &[
    ("new", Capability::Note),
    ("edit", Capability::Note),
    ("comment", Capability::Note),
    ("feedback", Capability::Note),
    ("import", Capability::Note),
    ("merge", Capability::Note),
    ("solution add", Capability::Plan),
    ("task", Capability::Plan),
    ("solution review", Capability::Review),
    ("bind", Capability::Choose),
    ("unbind", Capability::Choose),
    ("queue", Capability::Order),
    ("conflicts", Capability::Order),
    ("next", Capability::Execute),
    ("verify", Capability::Execute),
    ("accept", Capability::Execute),
    ("done", Capability::Execute),
    ("fail", Capability::Execute),
    ("retry", Capability::Retry),
    ("lease", Capability::Execute),
    ("link", Capability::Execute),
    ("unlink", Capability::Execute),
    // Finding lost links and following rewritten commits adds nothing that git does not already know.
    ("relink", Capability::Note),
    ("rewrite", Capability::Note),
    ("close", Capability::Own),
    ("reopen", Capability::Own),
    ("policy", Capability::Own),
    ("project", Capability::Own),
    ("redact", Capability::Own),
    ("fsck", Capability::Own),
];

/// What an operation needs; none if nobody here knows it.
fn needs(operation: &str) -> Option<Capability> {
    let begins = |words: &str| {
        operation.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    OPERATIONS.iter().find(|(words, _)| begins(words)).map(|(_, capability)| *capability)
}

/// Whether this is the name of a known operation, or the beginning of several: `queue` means all that begin with it.
pub(crate) fn is_operation(name: &str) -> bool {
    let is_among = |words: &str| words.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
    needs(name).is_some() || OPERATIONS.iter().any(|(words, _)| is_among(words))
}

/// The roles that are known here, and the owner.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    Role::ALL.iter().map(|role| role.as_str()).chain([OWNER])
}

/// An operation that does not belong to a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {role} may not `{operation}`")]
pub(crate) struct NotTheirs {
    role: Role,
    operation: String,
    needed: Capability,
}

impl Explain for NotTheirs {
    fn code(&self) -> &'static str {
        "not-your-role"
    }

    fn remedies(&self) -> Remedies {
        let may = |role: &&Role| role.capabilities().contains(&self.needed);
        let roles: Vec<&str> = Role::ALL.iter().filter(may).map(|role| role.as_str()).collect();
        let who = if roles.is_empty() {
            "only the owner may".to_owned()
        } else {
            format!("it belongs to: {}", roles.join(", "))
        };
        format!("{who}; WF_ROLE says as what you act, and without it you are the owner").into()
    }
}

/// Why a change is not made in a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RoleError {
    /// Nothing here has this name.
    #[error("WF_ROLE is `{0}`, which is not a role")]
    Unknown(String),
    /// It belongs to other roles.
    #[error(transparent)]
    NotTheirs(#[from] NotTheirs),
    /// It would override a gate.
    #[error("a {0} may not override a gate")]
    Override(Role),
}

impl Explain for RoleError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "unknown-role",
            Self::NotTheirs(refused) => refused.code(),
            Self::Override(_) => "not-your-role",
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::Unknown(_) => format!("the roles are {}", names().collect::<Vec<_>>().join(", ")).into(),
            Self::NotTheirs(refused) => refused.remedies(),
            Self::Override(_) => "ask an owner, who acts without WF_ROLE".into(),
        }
    }
}

/// Lets somebody who acts in a role change the store. An owner may do everything.
///
/// # Errors
/// A role that nobody knows, an operation that does not belong to it, and the override of a gate.
pub(crate) fn admit(role: &str, operation: &str, is_forced: bool) -> Result<(), RoleError> {
    if role == OWNER {
        return Ok(());
    }
    let known = Role::named(role).ok_or_else(|| RoleError::Unknown(role.to_owned()))?;
    permit(role, operation)?;
    if is_forced { Err(RoleError::Override(known)) } else { Ok(()) }
}

/// Lets a role do what belongs to it. A role or an operation that nobody knows here is not judged.
///
/// # Errors
/// [`NotTheirs`].
pub(crate) fn permit(role: &str, operation: &str) -> Result<(), NotTheirs> {
    let (Some(role), Some(needed)) = (Role::named(role), needs(operation)) else { return Ok(()) };
    if role.capabilities().contains(&needed) {
        return Ok(());
    }
    Err(NotTheirs { role, operation: operation.to_owned(), needed })
}

/// Whether a role may do this.
pub(crate) fn may(role: &str, operation: &str) -> bool {
    permit(role, operation).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_known_by_any_of_their_words() {
        for name in ["new", "queue", "queue add", "solution", "solution add", "task edit", "merge"] {
            assert!(is_operation(name), "{name}");
        }
        for name in ["", "nonsense", "que", "solutions", "news"] {
            assert!(!is_operation(name), "{name}");
        }
    }

    #[test]
    fn each_role_keeps_to_its_work() {
        for (role, may_do, may_not) in [
            ("explorer", "comment", "solution add"),
            ("planner", "solution add", "done"),
            ("planner", "bind", "queue add"),
            ("reviewer", "solution review", "solution add"),
            ("integrator", "queue add", "next"),
            ("executor", "next", "queue add"),
            ("executor", "done", "solution review"),
            ("implementer", "done", "task edit"),
            ("coordinator", "retry", "next"),
        ] {
            assert!(may(role, may_do) && !may(role, may_not), "{role}");
            assert!(may(role, "comment") && !may(role, "policy set"), "{role}");
        }
    }

    #[test]
    fn words_are_compared_whole_and_strangers_are_not_judged() {
        assert!(may("planner", "nextcloud") && may("gardener", "done"));
    }

    #[test]
    fn a_stranger_does_nothing_and_only_an_owner_overrides() {
        assert_eq!(admit("planner", "comment", false), Ok(()));
        assert_eq!(admit("owner", "policy set", true), Ok(()));
        assert_eq!(admit("planer", "comment", false), Err(RoleError::Unknown("planer".into())));
        assert_eq!(admit("planner", "bind", true), Err(RoleError::Override(Role::Planner)));
        assert!(matches!(admit("planner", "done", true), Err(RoleError::NotTheirs(_))));
    }

    #[test]
    fn a_refusal_says_whose_work_it_is() {
        let refused = permit("planner", "done").unwrap_err();
        assert_eq!(refused.to_string(), "a planner may not `done`");
        let words = |refused: &NotTheirs| refused.remedies().as_slice()[0].words.clone();
        assert!(words(&refused).starts_with("it belongs to: executor;"), "{}", words(&refused));
        let refused = permit("implementer", "policy set").unwrap_err();
        assert!(words(&refused).starts_with("only the owner may;"), "{}", words(&refused));
        assert_eq!(permit("owner", "policy set"), Ok(()));
    }

    /// The words that the commands here give to `describe`.
    fn operations(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                operations(&path, found);
            } else {
                let text = std::fs::read_to_string(&path).unwrap();
                let calls = text.split("tx.describe(").skip(1);
                found.extend(calls.filter_map(|call| {
                    let word = call.trim_start().strip_prefix('"')?;
                    Some(word.split('"').next()?.to_owned())
                }));
            }
        }
    }

    #[test]
    fn every_operation_has_its_roles() {
        let mut found = Vec::new();
        for folder in ["src/cli", "src/hooks", "src/ops"] {
            operations(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
        }
        assert!(found.len() > 30, "{found:?}");
        for operation in found {
            assert!(needs(&operation).is_some(), "`{operation}` is in no row");
        }
    }
}
