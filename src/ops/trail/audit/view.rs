//! The view of an audit of commits.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    CommitHash, CommitLink, ExecutionId, ExecutionStatus, IssueId, LinkedBy, Person, Policy, Proof,
    SolutionId, TaskId, Verdict,
};
use crate::rules::undoing::undoing;
use crate::rules::{AuditFinding, AuditSeverity, Carried, Gate, Undoing, evidence};
use crate::trail::audit::Audited;

/// What `audit` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Audit {
    /// The range that was audited; `no commits` if there is none.
    pub(crate) range: String,
    /// Commits of the range, without merges that have no changes of their own.
    pub(crate) commit_count: usize,
    /// How many of them an execution links.
    pub(crate) bound_count: usize,
    /// How many links there are of each kind: recorded by a hook when the commit was made, taken from its message or its
    /// changes, made by hand, or found later.
    pub(crate) links: BTreeMap<LinkedBy, usize>,
    /// Tasks of the plans that were executed in it.
    pub(crate) task_count: usize,
    /// How many of them have evidence.
    pub(crate) evidenced_count: usize,
    /// The commits, oldest first.
    pub(crate) commits: Vec<AuditedCommit>,
    /// The findings.
    pub(crate) findings: Vec<AuditFinding>,
}

/// A commit of the range.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditedCommit {
    /// The full object id.
    pub(crate) hash: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// `Name <email>`
    pub(crate) author: Person,
    /// Whether it is a merge.
    pub(crate) is_merge: bool,
    /// For a merge: the files in which it differs from git's own merge of its parents, for example because a conflict
    /// was resolved. A merge without such files needs no plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) own_files: Vec<String>,
    /// The files that it changed; of a merge, `own_files`.
    #[serde(skip)]
    pub(crate) files: Vec<String>,
    /// Whether no branch, tag or remote reaches it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) on_no_branch: bool,
    /// The executions that link it.
    pub(crate) bound_to: Vec<LinkingExecution>,
}

/// An execution that links a commit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LinkingExecution {
    /// The issue that the commit belongs to.
    pub(crate) issue_id: IssueId,
    /// The plan that it executes.
    pub(crate) solution_id: SolutionId,
    /// The task, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<TaskId>,
    /// Its other tasks, if it belongs to several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_task_ids: Vec<TaskId>,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// The state of the execution.
    pub(crate) status: ExecutionStatus,
    /// How the commit was linked.
    pub(crate) linked_by: Option<LinkedBy>,
    /// The commits of that work that it reverts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reverts: Vec<CommitHash>,
    /// The commits of that work that it reapplies, by reverting their reverts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reapplies: Vec<CommitHash>,
    /// The combined verdict of the reviews of the executed plan; null if it was not reviewed.
    pub(crate) review: Option<Verdict>,
    /// How many of the plan's tests passed at the last commit.
    pub(crate) checks_passed: usize,
    /// How many tests there are.
    pub(crate) check_count: usize,
    /// What shows that the tests test the work; absent unless the passing checks of all of them say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proof: Option<Proof>,
}

impl Audit {
    /// Whether anything is wrong.
    pub(crate) fn is_at_fault(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == AuditSeverity::Fault)
    }
}

/// A commit with the tasks that it implements.
pub(super) fn listed(commit: &Audited, on_no_branch: bool, bound_to: Vec<LinkingExecution>) -> AuditedCommit {
    let files: Vec<String> = commit.commit.changes.keys().cloned().collect();
    AuditedCommit {
        hash: commit.commit.hash.clone(),
        subject: commit.code.subject.clone(),
        author: commit.code.author.clone(),
        is_merge: commit.commit.is_merge,
        own_files: if commit.commit.is_merge { files.clone() } else { vec![] },
        files,
        on_no_branch,
        bound_to,
    }
}

/// The number of links of each kind.
pub(super) fn links_of_each_kind<'a>(
    commits: impl Iterator<Item = &'a AuditedCommit>,
) -> BTreeMap<LinkedBy, usize> {
    let mut links = BTreeMap::new();
    for by in commits.flat_map(|commit| &commit.bound_to).filter_map(|binding| binding.linked_by) {
        *links.entry(by).or_default() += 1;
    }
    links
}

/// What an audit shows about an execution at each of its commits, computed once.
pub(super) struct Summed<'a> {
    carried: &'a Carried<'a>,
    /// The current links, by the hashes of their commits before and after rewrites.
    links: HashMap<CommitHash, Arc<CommitLink>>,
    checks_passed: usize,
    check_count: usize,
    proof: Option<&'a Proof>,
}

impl<'a> Summed<'a> {
    pub(super) fn new(carried: &'a Carried<'a>, policy: &Policy) -> Self {
        let gate = Gate::Evidence.setting(policy);
        let check_count = carried.plan.map_or(0, |plan| evidence::commands(plan).len());
        let failing = carried
            .plan
            .map_or(0, |plan| evidence::failing(plan, carried.execution, &carried.work, gate).len());
        let shown = carried.plan.filter(|_| !carried.is_hidden);
        let proof = shown.and_then(|plan| evidence::proof(plan, carried.execution, &carried.work));
        Self {
            carried,
            links: carried.execution.links_by_hash(),
            checks_passed: check_count - failing,
            check_count,
            proof,
        }
    }

    pub(super) fn binding(&self, hash: &str) -> LinkingExecution {
        let claim = &self.carried.execution.execution;
        let link = self.links.get(hash);
        let undoing =
            link.map(|link| undoing(link, |hash| self.links.get(hash).map(Arc::as_ref))).unwrap_or_default();
        let (reverts, reapplies) = Undoing::split(undoing);
        LinkingExecution {
            issue_id: claim.issue_id.clone(),
            solution_id: claim.solution_id.clone(),
            task_id: link.and_then(|link| link.task_id.clone()),
            other_task_ids: link.map(|link| link.other_task_ids.clone()).unwrap_or_default(),
            execution_id: claim.id.clone(),
            status: self.carried.status,
            linked_by: link.map(|link| link.linked_by),
            reverts,
            reapplies,
            review: self.carried.verdict,
            checks_passed: self.checks_passed,
            check_count: self.check_count,
            proof: self.proof.cloned(),
        }
    }
}
