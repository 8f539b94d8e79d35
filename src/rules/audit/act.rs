//! What people did in their roles.

use super::{AuditFinding, AuditSeverity, Kind};
use crate::model::{CommitHash, IssueId, Person};
use crate::rules::roles;

/// A commit of the ref that someone made in a role, or that overrode a gate.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    /// Its object id.
    pub(crate) commit: CommitHash,
    /// The issue that it changed.
    pub(crate) issue_id: Option<IssueId>,
    /// `queue add`, …
    pub(crate) operation: String,
    /// The person who did it.
    pub(crate) person: Person,
    /// Their role.
    pub(crate) role: Option<String>,
    /// Why a gate was overridden.
    pub(crate) reason: Option<String>,
    /// Whether it concerns no issue with commits in the requested range, if a range was given.
    pub(crate) is_elsewhere: bool,
}

impl Act {
    /// Whether its role does not allow it.
    pub(crate) fn is_breach(&self) -> bool {
        self.role.as_deref().is_some_and(|role| !roles::may(role, &self.operation))
    }

    /// What an audit says of it.
    pub(super) fn findings(&self) -> Vec<AuditFinding> {
        let finding = |severity, kind, message| AuditFinding {
            issue_id: self.issue_id.clone(),
            ..AuditFinding::new(severity, kind, message).at(&self.commit)
        };
        let mut found = Vec::new();
        if let Some(reason) = &self.reason {
            let place = if self.is_elsewhere { " (outside the range)" } else { "" };
            let message = format!("`{}` by {} overrode a gate: {reason}{place}", self.operation, self.person);
            found.push(finding(AuditSeverity::Note, Kind::Override, message));
        }
        if let Some(role) = self.role.as_deref()
            && self.is_breach()
        {
            let message = format!("the role {role} does not allow `{}` by {}", self.operation, self.person);
            found.push(if self.is_elsewhere {
                finding(AuditSeverity::Note, Kind::Role, format!("{message} (outside the range)"))
            } else {
                finding(AuditSeverity::Fault, Kind::Role, message)
            });
        }
        found
    }
}
