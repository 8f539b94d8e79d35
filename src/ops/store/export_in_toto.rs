//! The findings of an audit as an in-toto statement that can be signed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::policy::Gates;
use crate::git::{DetachedSignature, SignError};
use crate::index::Index;
use crate::interchange::in_toto::{Resource, ResourceDigest, Statement};
use crate::model::{
    CommitHash, EntryId, ExecutionId, ExecutionStatus, IssueId, Other, Person, PlanDigest, RemedyCall, Score,
    SolutionId, TaskId, TestCount, Time, TreeHash, Verdict,
};
use crate::ops::trail::{Audit, audited};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{AuditFinding, IssueFolder};
use crate::store::{StoreError, records};

/// Identifies the form of the predicate, which `gitwf-format(5)` describes. Nothing is served at this address.
const PREDICATE: &str = "https://git-wf.invalid/attestation/audit/v1";

/// The findings about the commits that are the subject.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Predicate {
    /// The range, as arguments of `git log`.
    range: String,
    /// The commit of the store that the audit read.
    store: Resource,
    /// The program that made the audit.
    auditor: Auditor,
    summary: Summary,
    /// The executions that each commit belongs to; merges without changes of their own belong to none.
    commits: Vec<AttestedCommit>,
    executions: Vec<AttestedExecution>,
    /// The plans as claimed.
    plans: Vec<Resource>,
    /// The current setting of each gate.
    policy: Gates,
    findings: Vec<AuditFinding>,
}

#[derive(Debug, Serialize)]
struct Auditor {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    is_at_fault: bool,
    commit_count: usize,
    bound_count: usize,
    task_count: usize,
    evidenced_count: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttestedCommit {
    digest: ResourceDigest,
    subject: String,
    author: Person,
    is_merge: bool,
    executions: Vec<CommitPart>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CommitPart {
    execution_id: ExecutionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<TaskId>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttestedExecution {
    id: ExecutionId,
    issue_id: IssueId,
    solution_id: SolutionId,
    plan_digest: PlanDigest,
    status: ExecutionStatus,
    actor: Person,
    started_at: Time,
    /// The combined verdict of the reviews of the plan as claimed; absent without reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    reviews: Vec<AttestedReview>,
    /// The last run of each test command.
    checks: Vec<AttestedCheck>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttestedReview {
    id: EntryId,
    verdict: Verdict,
    total: Score,
    plan_digest: PlanDigest,
    reviewer: Person,
    reviewed_at: Time,
}

#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttestedCheck {
    task_id: Option<TaskId>,
    command: String,
    /// Absent if a signal or a timeout ended the command.
    exit_code: Option<i32>,
    /// How many tests passed, failed and were skipped, as the runner says.
    tests: Option<TestCount>,
    output_sha256: String,
    commit: Option<CommitHash>,
    /// The tree that was tested; absent if the work tree had other changes.
    tree: Option<TreeHash>,
    /// Whether the work tree had other changes.
    dirty: bool,
}

/// Audits the commits of a range, and states the findings.
///
/// # Errors
/// The errors of [`crate::ops::trail::audit()`]; `nothing-to-do` if the range has no commits.
pub(crate) fn export_in_toto(session: &Session, range: &[String]) -> Answer<Statement<Predicate>> {
    let (audit, index) = audited(session, range)?;
    if audit.commits.is_empty() {
        return Err(Refusal::nothing(format!("`{}` contains no commits", audit.range)).remedy(
            RemedyCall::new(Other::ExportInToto, ["RANGE"]),
            "takes a range as `git log` does, such as main..HEAD",
        ));
    }
    let subject = audit.commits.iter().map(|audited| Resource::commit(audited.hash.clone())).collect();
    let predicate = predicate(&index, audit)?;
    Ok(session.done(Statement::new(subject, PREDICATE, predicate), None))
}

/// Signs a document as git signs commits in this repository.
///
/// # Errors
/// There is no key, or the program that git is configured to use fails.
pub(crate) fn sign(session: &Session, document: &[u8]) -> Result<DetachedSignature, Refusal> {
    let store = session.store();
    let ident = store.git().ident(true).map_err(StoreError::Git)?;
    // `Name <email> seconds offset`
    let person =
        ident.ok().and_then(|who| who.rfind('>').map(|at| who[..=at].to_owned())).unwrap_or_default();
    store.sign(document, &person).map_err(|error: SignError| error.into())
}

fn predicate(index: &Index<'_>, audit: Audit) -> Result<Predicate, Refusal> {
    let snapshot = index.snapshot()?;
    let bindings = || audit.commits.iter().flat_map(|commit| &commit.bound_to);
    let mut executions: BTreeMap<ExecutionId, AttestedExecution> = BTreeMap::new();
    let mut plans = BTreeMap::new();
    for id in bindings().map(|binding| &binding.issue_id).collect::<BTreeSet<_>>() {
        let Some(folder) = records::issue(&snapshot, id)? else { continue };
        for binding in bindings().filter(|binding| binding.issue_id == *id) {
            let Some(at) =
                folder.executions.iter().position(|execution| execution.execution.id == binding.execution_id)
            else {
                continue;
            };
            let execution = execution(&folder, at, binding.status, binding.review);
            let claim = &folder.executions[at].execution;
            if let Some(plan) = Resource::plan(&claim.plan_digest) {
                let plan =
                    plan.called(claim.solution_id.as_str()).at(format!("wf://plan/{}", claim.solution_id));
                plans.insert((claim.solution_id.clone(), claim.plan_digest.clone()), plan);
            }
            executions.insert(claim.id.clone(), execution);
        }
    }
    let commits = audit.commits.iter().map(|commit| AttestedCommit {
        digest: ResourceDigest::GitCommit(commit.hash.clone()),
        subject: commit.subject.clone(),
        author: commit.author.clone(),
        is_merge: commit.is_merge,
        executions: commit
            .bound_to
            .iter()
            .map(|part| CommitPart { execution_id: part.execution_id.clone(), task_id: part.task_id.clone() })
            .collect(),
    });
    Ok(Predicate {
        commits: commits.collect(),
        store: Resource::commit(snapshot.commit().into()),
        auditor: Auditor { name: "git-wf", version: env!("CARGO_PKG_VERSION") },
        summary: Summary {
            is_at_fault: audit.is_at_fault(),
            commit_count: audit.commit_count,
            bound_count: audit.bound_count,
            task_count: audit.task_count,
            evidenced_count: audit.evidenced_count,
        },
        executions: executions.into_values().collect(),
        plans: plans.into_values().collect(),
        policy: Gates::new(&records::root(&snapshot)?.policy),
        range: audit.range,
        findings: audit.findings,
    })
}

fn execution(
    folder: &IssueFolder,
    at: usize,
    status: ExecutionStatus,
    verdict: Option<Verdict>,
) -> AttestedExecution {
    let attempt = &folder.executions[at];
    let claim = &attempt.execution;
    let reviews = folder.reviews(&claim.solution_id).iter().map(|review| AttestedReview {
        id: review.id.clone(),
        verdict: review.verdict,
        total: review.total,
        plan_digest: review.plan_digest.clone(),
        reviewer: review.author.clone(),
        reviewed_at: review.created_at,
    });
    let checks = attempt.last_checks().into_iter().map(|(check, _)| AttestedCheck {
        task_id: check.task_id.clone(),
        command: check.command.clone(),
        exit_code: check.exit_code,
        tests: check.tests,
        output_sha256: check.output_sha256.clone(),
        commit: check.commit.clone(),
        tree: check.tree.clone(),
        dirty: check.dirty,
    });
    AttestedExecution {
        id: claim.id.clone(),
        issue_id: claim.issue_id.clone(),
        solution_id: claim.solution_id.clone(),
        plan_digest: claim.plan_digest.clone(),
        status,
        actor: claim.actor.clone(),
        started_at: claim.started_at,
        verdict,
        reviews: reviews.collect(),
        checks: checks.collect(),
    }
}
