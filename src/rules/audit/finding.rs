//! What an audit finds.

use super::{Carried, Kind};
use crate::model::{
    Breach, CommitHash, ExecutionId, IssueId, Op, Policy, Remedy, RemedyCall, RunId, SolutionId, count,
};
use crate::rules::run::breach_words;
use crate::rules::{ExecutionFolder, Gate, Landed};

/// Whether a finding is an error or a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuditSeverity {
    /// With `--strict`, the exit code is 1.
    Fault,
    /// The exit code stays 0.
    Note,
}

/// Something that the audit found.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct AuditFinding {
    /// Whether the exit code is 1 because of it, with `--strict`.
    pub(crate) severity: AuditSeverity,
    /// What kind of thing it is.
    pub(crate) kind: Kind,
    /// The commit of the code, or (for overrides and roles) of the ref.
    pub(crate) commit: Option<CommitHash>,
    /// The issue.
    pub(crate) issue_id: Option<IssueId>,
    /// The plan.
    pub(crate) solution_id: Option<SolutionId>,
    /// The execution.
    pub(crate) execution_id: Option<ExecutionId>,
    /// The file of the project that it is about, from the top of the work tree.
    pub(crate) path: Option<String>,
    /// A description.
    pub(crate) message: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remedies: Vec<Remedy>,
}

impl AuditFinding {
    pub(super) fn new(severity: AuditSeverity, kind: Kind, message: String) -> Self {
        Self {
            severity,
            kind,
            commit: None,
            issue_id: None,
            solution_id: None,
            execution_id: None,
            path: None,
            message,
            remedies: vec![],
        }
    }

    /// The finding that a commit of the ref made a change that is never allowed, in a record of this issue or of none.
    pub(crate) fn rewritten(
        severity: AuditSeverity,
        issue_id: Option<IssueId>,
        commit: &CommitHash,
        message: String,
    ) -> Self {
        Self { issue_id, ..Self::new(severity, Kind::Rewritten, message).at(commit) }
    }

    /// A record of an audited issue that cannot be read: whatever it says, such as that a test failed, is not seen.
    pub(crate) fn unreadable(issue: &IssueId, path: &str, why: &str) -> Self {
        let message = format!("`{path}` cannot be read: {why}");
        let remedy = Remedy::call(Op::Fsck, "says more about it");
        Self {
            issue_id: Some(issue.clone()),
            remedies: vec![remedy],
            ..Self::new(AuditSeverity::Fault, Kind::Unreadable, message)
        }
    }

    /// The finding of what happened in a run outside of the roles of its agents. It is an error if an agent did it and it
    /// is still so.
    pub(crate) fn breach(run: &RunId, breach: &Breach) -> Self {
        let severity =
            if breach.agent.is_some() && !breach.undone { AuditSeverity::Fault } else { AuditSeverity::Note };
        let message = format!("in {run}: {}", breach_words(breach, str::to_owned));
        Self { issue_id: breach.issue_id.clone(), ..Self::new(severity, Kind::Breach, message) }
    }

    /// The finding that commits of a completed execution are on no branch.
    pub(crate) fn adrift(execution: &ExecutionFolder, commits: &[CommitHash]) -> Self {
        let (them, it_or_them) = of_commits(execution, commits);
        let message = format!("{them} on no branch: git deletes {it_or_them} some day, and the work is lost");
        let again = commits.last().map(|last| {
            let command = format!("git branch wf/kept/{} {last}", execution.execution.id);
            Remedy::command(
                command,
                "puts the last of its commits on a branch again; the reflog has where it was",
            )
        });
        let found = format!("finds where a squash or a rebase put {it_or_them}");
        let remedies = again.into_iter().chain([Remedy::call(Op::Relink, found)]);
        Self {
            remedies: remedies.chain(unlink(execution, commits)).collect(),
            ..Self::new(AuditSeverity::Fault, Kind::OnNoBranch, message).of_execution(execution)
        }
    }

    /// The finding that commits of a completed execution are not here any more, and no other clone is known.
    pub(crate) fn gone(execution: &ExecutionFolder, commits: &[CommitHash]) -> Self {
        let (them, _) = of_commits(execution, commits);
        let message = format!("{them} gone from this clone, which has no remote");
        let reopen = RemedyCall::new(Op::Reopen, [&execution.execution.issue_id]);
        let remedies = [Remedy::call(reopen, "does the work again")].into_iter();
        Self {
            remedies: remedies.chain(unlink(execution, commits)).collect(),
            ..Self::new(AuditSeverity::Fault, Kind::OnNoBranch, message).of_execution(execution)
        }
    }

    /// The finding that completed work is not on the target branch: an error if the policy requires it.
    pub(crate) fn not_landed(execution: &ExecutionFolder, landed: &Landed, policy: &Policy) -> Self {
        let severity =
            if Gate::Landed.is_required(policy) { AuditSeverity::Fault } else { AuditSeverity::Note };
        let all = landed.commits.len() + landed.missing.len() + landed.unknown.len();
        let onto = match &landed.only_unpushed {
            Some(branch) => format!("{branch} yet, only on {} here", landed.onto.short()),
            None => landed.onto.short().to_owned(),
        };
        let mut message = match (landed.missing.len(), all) {
            (1, 1) => format!("completed, and its only commit is not on {onto}"),
            (missing, all) if missing == all => format!("completed, and its {all} commits are not on {onto}"),
            (missing, all) => format!("completed, and {missing} of its {all} commits are not on {onto}"),
        };
        if let Some(conflict) = &landed.conflict {
            message.push_str(&format!("; {conflict}"));
        }
        if !landed.reverted.is_empty() {
            let were = if landed.reverted.len() == 1 { "was" } else { "were" };
            message.push_str(&format!("; {} {were} reverted there", count(landed.reverted.len(), "commit")));
        }
        let issue = &execution.execution.issue_id;
        let lands = Remedy::call(RemedyCall::new(Op::Land, [issue]), "lands it");
        let remedies = match landed.push() {
            Some(push) => vec![lands, Remedy::command(push, "publishes it without its tests")],
            None if landed.reverted.is_empty() => vec![lands],
            None => {
                vec![Remedy::call(RemedyCall::new(Op::Reopen, [issue]), "reopens it; or revert the revert")]
            }
        };
        Self { remedies, ..Self::new(severity, Kind::NotLanded, message).of_execution(execution) }
    }

    fn of_execution(self, execution: &ExecutionFolder) -> Self {
        let claim = &execution.execution;
        Self {
            issue_id: Some(claim.issue_id.clone()),
            solution_id: Some(claim.solution_id.clone()),
            execution_id: Some(claim.id.clone()),
            ..self
        }
    }

    pub(super) fn in_file(self, path: &str) -> Self {
        Self { path: Some(path.to_owned()), ..self }
    }

    pub(super) fn at(self, commit: &CommitHash) -> Self {
        Self { commit: Some(commit.clone()), ..self }
    }

    pub(super) fn on(self, carried: &Carried<'_>) -> Self {
        self.of_execution(carried.execution)
    }
}

/// These commits of an execution in words, with a verb, and as a pronoun.
fn of_commits(execution: &ExecutionFolder, commits: &[CommitHash]) -> (String, &'static str) {
    let all = execution.commits().len();
    match (commits, all) {
        ([only], 1) => (format!("its only commit {} is", only.short()), "it"),
        ([one], _) => (format!("its commit {} is", one.short()), "it"),
        _ if commits.len() == all => (format!("its {all} commits are all"), "them"),
        _ => (format!("{} of its {all} commits are", commits.len()), "them"),
    }
}

/// The way to say that commits are not the work.
fn unlink(execution: &ExecutionFolder, commits: &[CommitHash]) -> Option<Remedy> {
    let call = RemedyCall::new(Op::Unlink, [commits.last()?.short(), execution.execution.issue_id.as_str()]);
    Some(Remedy::call(call, "removes the link of one that is not the work"))
}
