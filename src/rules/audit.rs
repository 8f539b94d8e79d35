//! Compares the work with its plans: commits with plans, plans with reviews, claims with tests.

mod act;
mod drift;
mod finding;
mod kind;
mod shown;
mod stated;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

pub(crate) use self::act::Act;
use self::drift::{drift, is_undone, ticks_off};
pub(crate) use self::finding::{AuditFinding, AuditSeverity};
pub(crate) use self::kind::Kind;
pub(crate) use self::shown::tasks_with_evidence;
pub(crate) use self::stated::StatedWork;
use self::stated::{Linking, false_trailers};
use super::evidence::{self, MissingEvidence};
use super::{ExecutionFolder, Gate, GateValue, LinkedCommit, PlanReview};
use crate::model::{
    CommitHash, CommitLink, Event, ExecutionStatus, FoldedPaths, LinkedBy, Op, Plan, Policy, Remedy,
    RemedyCall, RepoPath, SolutionId, Task, Time, Verdict, count,
};

/// What a commit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileEffect {
    /// It is new.
    Added,
    /// It was modified.
    Modified,
    /// It was deleted.
    Deleted,
}

impl FileEffect {
    /// By whether the file existed before, and whether it exists after.
    pub(crate) fn new(before: bool, after: bool) -> Self {
        match (before, after) {
            (false, _) => Self::Added,
            (true, true) => Self::Modified,
            (true, false) => Self::Deleted,
        }
    }
}

/// Why it is unknown what a commit changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownChange {
    /// A few small trees, each several times in the next, stand for billions of files.
    Unfolds,
    /// It joins too many commits, or commits with too many common ancestors.
    Ancestry,
    /// Both sides changed a file that is too large to be merged.
    LargeFile,
    /// Too many files changed or were renamed.
    TooMuch,
    /// Other merges used up the budget of the push.
    Spent,
    /// The installed git cannot repeat such a merge.
    OldGit,
}

impl std::fmt::Display for UnknownChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unfolds => "its trees contain more files than can be checked",
            Self::Ancestry => "it joins too many commits, or commits with too many common ancestors",
            Self::LargeFile => "it is too large to check, since both sides changed a file of more than 2 MB",
            Self::TooMuch => "it is too large to check, since too many files were changed or renamed",
            Self::Spent => "there are too many merges to check at once",
            Self::OldGit => {
                "git is older than 2.39 here, and cannot repeat a merge of more than two commits, or of commits with \
                 several common ancestors"
            }
        })
    }
}

/// A commit of the code.
#[derive(Debug, Clone)]
pub(crate) struct AuditedCode {
    /// The full object id.
    pub(crate) hash: CommitHash,
    /// Whether it is a merge; the commits that it joins are audited separately.
    pub(crate) is_merge: bool,
    /// Its changes against its parent; for a merge, against what git makes of its parents.
    pub(crate) changes: BTreeMap<String, FileEffect>,
    /// Why its changes are unknown; none if they are known.
    pub(crate) unseen: Option<UnknownChange>,
    /// What its message names of ours.
    pub(crate) stated: StatedWork,
    /// The plan that its message names and from which someone removed it by hand.
    pub(crate) unlinked_from: Option<SolutionId>,
}

impl AuditedCode {
    /// Whether it is a merge without changes of its own, which needs no plan.
    pub(crate) fn is_clean_merge(&self) -> bool {
        self.is_merge && self.changes.is_empty() && self.unseen.is_none()
    }
}

/// An execution that links commits of the range.
#[derive(Debug)]
pub(crate) struct Carried<'a> {
    /// The claim and its log.
    pub(crate) execution: &'a ExecutionFolder,
    /// The commits that it made, the last with its tree as git has it, if the commit is here.
    pub(crate) work: Vec<LinkedCommit>,
    /// Its status among the executions of its issue.
    pub(crate) status: ExecutionStatus,
    /// When the claim that superseded it was made, if one did.
    pub(crate) lost_at: Option<Time>,
    /// The plan as it was claimed, even if parts are hidden now: hiding must not change the findings. `None` if it
    /// cannot be read.
    pub(crate) plan: Option<&'a Plan>,
    /// Whether a part of it is hidden, so that its content must not be shown.
    pub(crate) is_hidden: bool,
    /// The verdict of the reviews of the claimed version.
    pub(crate) verdict: Option<Verdict>,
    /// Whether someone other than its author and its executor has passed the claimed version.
    pub(crate) reviewed: PlanReview,
    /// Whether the plan was reviewed at all, in whatever form.
    pub(crate) is_reviewed: bool,
    /// The changes of all its commits, including those outside of the range; none if not all of them are here.
    pub(crate) touched: Option<BTreeSet<String>>,
}

/// Which of `carried` link a commit, or linked it before it was rewritten, by its hash.
pub(crate) fn links(carried: &[Carried<'_>]) -> HashMap<CommitHash, Vec<usize>> {
    let mut links: HashMap<CommitHash, Vec<usize>> = HashMap::new();
    for (n, carried) in carried.iter().enumerate() {
        for hash in carried.execution.known_commits() {
            links.entry(hash.clone()).or_default().push(n);
        }
    }
    links
}

/// All findings, in order: by commit, then by execution, then by act.
pub(crate) fn findings(
    commits: &[AuditedCode],
    carried: &[Carried<'_>],
    acts: &[Act],
    policy: &Policy,
) -> Vec<AuditFinding> {
    let by_commit = links(carried);
    let mut found = Vec::new();
    let by_hash: Vec<HashMap<CommitHash, Arc<CommitLink>>> =
        carried.iter().map(|carried| carried.execution.links_by_hash()).collect();
    for commit in commits.iter().filter(|commit| !commit.is_clean_merge()) {
        if let Some(why) = commit.unseen {
            let what = format!("{why}, so its changes are unknown");
            found.push(AuditFinding::new(AuditSeverity::Fault, Kind::Unseen, what).at(&commit.hash));
        }
        let known = by_commit.get(&commit.hash).map(Vec::as_slice).unwrap_or_default();
        let links: Vec<&Carried<'_>> = known.iter().map(|n| &carried[*n]).collect();
        if links.is_empty() {
            found.push(unbound(commit));
        } else {
            let ticks_off =
                known.iter().any(|n| ticks_off(&commit.hash, carried[*n].execution, &by_hash[*n]));
            let severity = if ticks_off { AuditSeverity::Note } else { AuditSeverity::Fault };
            found.extend(drift(commit, &links, severity, |path: &str| {
                known.iter().any(|n| is_undone(path, &commit.hash, &by_hash[*n]))
            }));
            let linking = known.iter().filter_map(|n| {
                Some(Linking { carried: &carried[*n], link: by_hash[*n].get(&commit.hash)? })
            });
            found.extend(false_trailers(commit, &linking.collect::<Vec<_>>()));
        }
        found.extend(links.iter().filter_map(|link| on_a_lost_claim(commit, link)));
    }
    for carried in carried {
        found.extend(of_execution(carried, policy));
    }
    for act in acts {
        found.extend(act.findings());
    }
    found
}

fn unbound(commit: &AuditedCode) -> AuditFinding {
    let (what, remedy) = match &commit.unlinked_from {
        Some(plan) => (
            format!("its link to `{plan}` was removed by hand, so it belongs to no plan"),
            Some(Remedy::call(
                RemedyCall::new(Op::Link, [commit.hash.short(), plan.as_str()]),
                "links it again",
            )),
        ),
        None if !commit.stated.is_empty() => (
            "its message names a plan, but no execution links it".to_owned(),
            Some(Remedy::call(Op::Relink, "may link it")),
        ),
        None => ("it belongs to no plan".to_owned(), None),
    };
    let what = if commit.is_merge { format!("the merge has changes of its own, and {what}") } else { what };
    let remedies = remedy.into_iter().collect();
    AuditFinding { remedies, ..AuditFinding::new(AuditSeverity::Fault, Kind::Unbound, what).at(&commit.hash) }
}

/// The paths that the tasks of a plan name, as they are written.
pub(crate) fn paths(plan: &Plan) -> BTreeSet<RepoPath> {
    plan.tasks.iter().flat_map(|task| task.touches().into_iter().chain(scope(task))).collect()
}

/// The paths that the tasks of a plan name, to compare those of files with.
pub(crate) fn named(plan: &Plan) -> FoldedPaths {
    paths(plan).into_iter().collect()
}

/// The scope of a task, if it is a path; it may also be the name of a module.
fn scope(task: &Task) -> Option<RepoPath> {
    task.scope.as_deref().and_then(|scope| RepoPath::parse(scope).ok())
}

fn on_a_lost_claim(commit: &AuditedCode, carried: &Carried<'_>) -> Option<AuditFinding> {
    if carried.status != ExecutionStatus::Superseded {
        return None;
    }
    let lost_at = carried.lost_at?;
    let made_at = carried.execution.log.iter().find_map(|entry| match &entry.event {
        Event::Commit(link) if link.hash == commit.hash => Some(match link.linked_by {
            LinkedBy::Hook => entry.at,
            // It was linked at some time after it was made.
            LinkedBy::Trailer | LinkedBy::Manual | LinkedBy::Relink | LinkedBy::Run | LinkedBy::Land => {
                link.authored_at
            }
        }),
        Event::Rewrite(rewrite) if rewrite.new == commit.hash => Some(entry.at),
        _ => None,
    });
    (made_at? > lost_at).then(|| {
        let message = "it was made after someone else had taken over the issue".to_owned();
        AuditFinding::new(AuditSeverity::Fault, Kind::LostClaim, message).at(&commit.hash).on(carried)
    })
}

fn of_execution(carried: &Carried<'_>, policy: &Policy) -> Vec<AuditFinding> {
    let Some(plan) = carried.plan else {
        let message =
            format!("the plan with the digest {} cannot be read", carried.execution.execution.plan_digest);
        return vec![AuditFinding::new(AuditSeverity::Fault, Kind::BrokenPlan, message).on(carried)];
    };
    let mut found = Vec::new();
    match carried.verdict {
        Some(Verdict::Approved | Verdict::Concerns) => {}
        Some(Verdict::Rejected) => {
            found.push((AuditSeverity::Fault, "the executed plan had been rejected"));
        }
        None if carried.is_reviewed => {
            found.push((AuditSeverity::Fault, "the executed plan is not the one that was reviewed"));
        }
        None if Gate::Review.is_required(policy) => {
            found.push((AuditSeverity::Fault, "nobody reviewed the plan"));
        }
        None => {}
    }
    let mut found: Vec<AuditFinding> = found
        .into_iter()
        .map(|(severity, message)| AuditFinding::new(severity, Kind::Unreviewed, message.into()).on(carried))
        .collect();
    if carried.status == ExecutionStatus::Completed {
        found.extend(of_evidence(carried, plan, policy));
        found.extend(of_untouched(carried, plan));
    }
    found
}

/// What the checks of a completed execution do not show.
fn of_evidence(carried: &Carried<'_>, plan: &Plan, policy: &Policy) -> Vec<AuditFinding> {
    let gate = Gate::Evidence.setting(policy);
    let mut found = Vec::new();
    let lacks = evidence::lacks(plan, carried.execution, &carried.work, gate, carried.reviewed);
    for lack in without_repeats(carried.is_hidden, lacks) {
        // A test that was never run may not have been required; a failed test in a completed execution is always an error.
        let is_fault = lack.has_failed || gate >= GateValue::Required;
        let severity = if is_fault { AuditSeverity::Fault } else { AuditSeverity::Note };
        found.push(AuditFinding::new(severity, Kind::MissingCheck, lack.words).on(carried));
    }
    if gate < GateValue::Proved && !carried.is_hidden {
        for words in evidence::not_proved(plan, carried.execution, &carried.work) {
            found.push(AuditFinding::new(AuditSeverity::Note, Kind::Unproved, words).on(carried));
        }
    }
    for words in vouches(carried.execution) {
        found.push(AuditFinding::new(AuditSeverity::Note, Kind::Vouched, words).on(carried));
    }
    found
}

/// The files that the plan of a completed execution names and no commit touched.
fn of_untouched(carried: &Carried<'_>, plan: &Plan) -> Vec<AuditFinding> {
    let untouched: Vec<RepoPath> =
        carried.touched.iter().flat_map(|touched| untouched(plan, touched)).collect();
    if carried.is_hidden && !untouched.is_empty() {
        let files = count(untouched.len(), "file");
        let message = format!("its plan is hidden, and no commit touched {files} that it names");
        return vec![AuditFinding::new(AuditSeverity::Fault, Kind::UntouchedFile, message).on(carried)];
    }
    let findings = untouched.iter().map(|path| {
        let message = format!("`{path}` is named in the plan, but no commit touched it");
        AuditFinding::new(AuditSeverity::Fault, Kind::UntouchedFile, message)
            .on(carried)
            .in_file(path.as_str())
    });
    findings.collect()
}

/// The words of reviewers for what the checks of an execution do not prove, each once.
fn vouches(execution: &ExecutionFolder) -> impl Iterator<Item = String> {
    let words = execution.log.iter().filter_map(|entry| match &entry.event {
        Event::Vouch(vouch) => Some(format!("{} says that its tests hold: {}", entry.actor, vouch.reason)),
        _ => None,
    });
    words.collect::<BTreeSet<String>>().into_iter()
}

/// For a plan with hidden values, missing evidence is counted, not named.
fn without_repeats(is_hidden: bool, lacks: Vec<MissingEvidence>) -> Vec<MissingEvidence> {
    if !is_hidden || lacks.is_empty() {
        return lacks;
    }
    let words = format!("its plan is hidden, and lacks evidence in {}", count(lacks.len(), "place"));
    vec![MissingEvidence { has_failed: lacks.iter().any(|lack| lack.has_failed), words }]
}

/// Files that the plan names and nobody touched. A directory counts as touched if anything in it is.
fn untouched(plan: &Plan, touched: &BTreeSet<String>) -> Vec<RepoPath> {
    let touched: FoldedPaths = touched.iter().collect();
    plan.touches().into_iter().filter(|path| !touched.reach(path.as_str())).collect()
}

#[cfg(test)]
mod tests;
