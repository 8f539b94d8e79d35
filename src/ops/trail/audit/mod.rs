//! Which commits implement which plan, and what is wrong with them.

mod acts;
mod checked;
mod landed;
mod sarif;
mod signatures;
mod view;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

pub(crate) use sarif::sarif;
pub(crate) use signatures::{Signatures, signatures};
use view::Summed;
pub(crate) use view::{Audit, AuditedCommit, LinkingExecution};

use crate::index::{Index, Needs};
use crate::model::words::count;
use crate::model::{ExecutionId, ExecutionStatus, IssueId, Other, Plan, RemedyCall};
use crate::ops::{Answer, Notice, Refusal, RefusalKind, Session, work};
use crate::rules::claim_order::{Holding, who_holds};
use crate::rules::{
    AuditFinding, Carried, ExecutionFolder, Gate, GateValue, IssueFolder, PlanReview, audit as rule, review,
};
use crate::store::{Rewritten, Store, StoreError, records};
use crate::trail::audit::{self as trail, Audited};
use crate::trail::links::unlinked_from;
use crate::trail::reach::Unreached;
use crate::trail::signed_checks;
use crate::trail::work::linked;

/// The range shown if there are no commits to audit.
const NO_COMMITS: &str = "no commits";

/// Audits the commits of `range`, as arguments of `git log` (default: the commits since the first execution).
///
/// # Errors
/// Nothing to do if there are no commits; git's error for an invalid range.
pub(crate) fn audit(session: &Session, given: &[String]) -> Answer<Audit> {
    let (view, _) = audited(session, given)?;
    Ok(session.done(view, None))
}

/// Like [`audit`], for a scan in which nothing to audit is a result: no findings.
///
/// # Errors
/// git's error for an invalid range.
pub(crate) fn scan(session: &Session, given: &[String]) -> Answer<Audit> {
    match audit(session, given) {
        Err(nothing) if nothing.kind == RefusalKind::Nothing => {
            let store = session.store();
            let index = session.index(Needs::LOG)?;
            let view = look(store, &index, NO_COMMITS.to_owned(), given.is_empty(), &[], &[])?;
            session.notice(Notice { remedies: nothing.remedies, ..Notice::note(nothing.message) });
            Ok(session.done(view, None))
        }
        other => other,
    }
}

/// The audit, and the index of the state that it was made from.
///
/// # Errors
/// The errors of [`audit`].
pub(crate) fn audited<'a>(session: &'a Session, given: &[String]) -> Result<(Audit, Index<'a>), Refusal> {
    let store = session.store();
    let (index, kept) = session.ask(Needs::LOG, |index| index.kept(checked::NAME))?;
    let rewritten = checked::rewritten(store, &index, kept.as_deref())?;
    let (range, commits) = match range(store, &index, given) {
        Ok(range) => {
            let words: Vec<&str> = range.iter().map(String::as_str).collect();
            let is_cut = given.is_empty() && store.repo().is_shallow().unwrap_or(false);
            let commits =
                if is_cut { above_the_ends(session, &words)? } else { trail::commits(store, &words)? };
            (range.join(" "), commits)
        }
        // Acts that a role does not allow, or that no command makes, are errors even without commits.
        Err(nothing) if nothing.kind == RefusalKind::Nothing => {
            if acts::acts_elsewhere(&index, true, &mut BTreeSet::new())?.is_empty()
                && acts::breaches(&index.snapshot()?)?.is_empty()
                && rewritten.is_empty()
            {
                return Err(nothing);
            }
            (NO_COMMITS.to_owned(), vec![])
        }
        Err(refusal) => return Err(refusal),
    };
    let view = look(store, &index, range, given.is_empty(), &commits, &rewritten)?;
    session.notice_all(work::notice_of_lost_hooks(store)?);
    Ok((view, index))
}

/// The commits of a range without those at which the history of a shallow clone ends: what they changed is unknown.
fn above_the_ends(session: &Session, range: &[&str]) -> Result<Vec<Audited>, Refusal> {
    let store = session.store();
    let ids = trail::ids(store, range)?;
    let all = ids.len();
    let mut whole = Vec::new();
    for id in ids {
        let commit = store.code_commit(id)?;
        let has_base = match commit.parents[..] {
            [one, two, ..] => store.git().merge_base(one, two).map_err(StoreError::Git)?.is_some(),
            _ => true,
        };
        if has_base && store.require_parents(&commit).is_ok() {
            whole.push(commit);
        }
    }
    let ends = all - whole.len();
    if ends > 0 {
        let is = if ends == 1 { "is" } else { "are" };
        let message = format!(
            "the history of this shallow clone ends at {}, which {is} not audited",
            count(ends, "commit")
        );
        session.notice(Notice::note(message).command("git fetch --unshallow", "brings the history"));
    }
    Ok(trail::changed_by(store, whole)?)
}

/// The arguments for git: those given, or else everything since the first execution.
fn range(store: &Store, index: &Index<'_>, given: &[String]) -> Result<Vec<String>, Refusal> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    if store.head()?.is_none() {
        return Err(Refusal::nothing("there is no commit to audit yet")
            .remedy(RemedyCall::new(Other::Audit, ["BRANCH"]), "audits another branch"));
    }
    let snapshot = index.snapshot()?;
    let mut executions = Vec::new();
    for id in index.executed()? {
        executions.extend(records::executions(&snapshot, &id)?);
    }
    if executions.is_empty() {
        return Err(Refusal::nothing("no plan has been executed yet")
            .remedy(RemedyCall::new(Other::Audit, ["RANGE"]), "audits the commits of a range anyway"));
    }
    Ok(match trail::first_base(store, executions.iter()) {
        Some(base) => vec![format!("{base}..HEAD")],
        None => vec!["HEAD".into()],
    })
}

/// An issue, with what the audit needs to know about its executions.
struct Looked {
    folder: IssueFolder,
    /// The index of the execution that holds the issue.
    holder: Option<usize>,
    statuses: Vec<ExecutionStatus>,
    /// By execution.
    claimed: BTreeMap<ExecutionId, Judged>,
}

/// The plan that an execution claimed.
struct Judged {
    /// The plan as stored.
    plan: Plan,
    /// Whether a part of it is hidden.
    is_hidden: bool,
}

fn look(
    store: &Store,
    index: &Index<'_>,
    range: String,
    is_whole: bool,
    commits: &[Audited],
    rewritten: &[Rewritten],
) -> Result<Audit, Refusal> {
    let snapshot = index.snapshot()?;
    let gate = Gate::Evidence.setting(&records::root(&snapshot)?.policy);
    let issues: Vec<Looked> =
        trail::issues(index, commits)?.into_iter().map(|folder| examined(store, folder, gate)).collect();
    let in_range: HashSet<&str> = commits.iter().map(|commit| commit.commit.hash.as_str()).collect();
    let mut carried: Vec<Carried<'_>> = Vec::new();
    for issue in &issues {
        for (n, execution) in issue.folder.executions.iter().enumerate() {
            if execution.known_commits().any(|hash| in_range.contains(hash.as_str())) {
                carried.push(carry(store, issue, execution, issue.statuses[n]));
            }
        }
    }
    let acts = acts::acts(index, &issues, &carried, is_whole)?;
    let policy = records::root(&snapshot)?.policy;
    let links = rule::links(&carried);
    let mut rules: Vec<rule::AuditedCode> = commits.iter().map(|commit| commit.commit.clone()).collect();
    for (commit, audited) in rules.iter_mut().zip(commits).filter(|(rule, _)| !rule.stated.is_empty()) {
        if !links.contains_key(&commit.hash) {
            commit.unlinked_from = unlinked_from(&snapshot, &commit.hash, &audited.code.message)?;
        }
    }
    let unreached = Unreached::among(store, commits.iter().map(|commit| &commit.commit.hash))?;
    let summed: Vec<Summed<'_>> = carried.iter().map(|carried| Summed::new(carried, &policy)).collect();
    let listed: Vec<AuditedCommit> = commits
        .iter()
        .map(|commit| {
            let links = links.get(&commit.commit.hash).into_iter().flatten();
            let on_no_branch = unreached.is_adrift(&commit.commit.hash);
            view::listed(
                commit,
                on_no_branch,
                links.map(|n| summed[*n].binding(&commit.commit.hash)).collect(),
            )
        })
        .collect();
    let (evidenced_count, task_count) = rule::tasks_with_evidence(&carried, &policy);
    let counted = || listed.iter().filter(|commit| !commit.is_merge || !commit.own_files.is_empty());
    Ok(Audit {
        range,
        commit_count: counted().count(),
        bound_count: counted().filter(|commit| !commit.bound_to.is_empty()).count(),
        links: view::links_of_each_kind(counted()),
        task_count,
        evidenced_count,
        findings: {
            let mut findings = rule::findings(&rules, &carried, &acts, &policy);
            let is_audited =
                |id: &IssueId| is_whole || issues.iter().any(|issue| issue.folder.issue.record.id == *id);
            findings.extend(rewritten.iter().map(|rewritten| acts::of_rewritten(rewritten, &is_audited)));
            findings.extend(acts::breaches(&snapshot)?);
            for issue in &issues {
                let IssueFolder { issue: audited, broken, .. } = &issue.folder;
                let unreadable =
                    broken.iter().map(|(path, why)| AuditFinding::unreadable(&audited.record.id, path, why));
                findings.extend(unreadable);
            }
            if is_whole {
                findings.extend(landed::findings(store, index, &policy)?);
            }
            findings
        },
        commits: listed,
    })
}

/// Checks that do not count under the policy are left out.
fn examined(store: &Store, mut folder: IssueFolder, gate: GateValue) -> Looked {
    for execution in &mut folder.executions {
        if let Cow::Owned(counting) = signed_checks::counting(store, execution, gate) {
            *execution = counting;
        }
    }
    let Holding { holder, statuses } = who_holds(&folder.executions);
    let claimed = folder.executions.iter().filter_map(|execution| {
        // An unreadable plan is a finding, not an error of the audit.
        let claim = &execution.execution;
        let plan = work::as_stored(store, claim).ok()?.typed_plan();
        let shown = work::as_claimed(store, &folder, claim);
        let is_hidden = shown.map_or(true, |shown| shown.plan_digest() != claim.plan_digest);
        Some((claim.id.clone(), Judged { plan, is_hidden }))
    });
    Looked { claimed: claimed.collect(), holder, statuses, folder }
}

fn carry<'a>(
    store: &Store,
    issue: &'a Looked,
    execution: &'a ExecutionFolder,
    status: ExecutionStatus,
) -> Carried<'a> {
    let claimed = issue.claimed.get(&execution.execution.id);
    let reviews = issue.folder.reviews(&execution.execution.solution_id);
    let holder = issue.holder.map(|n| &issue.folder.executions[n].execution);
    Carried {
        execution,
        work: linked(store, execution),
        status,
        lost_at: holder.filter(|holder| holder.id != execution.execution.id).map(|holder| holder.started_at),
        plan: claimed.map(|claimed| &claimed.plan),
        is_hidden: claimed.is_some_and(|claimed| claimed.is_hidden),
        verdict: claimed
            .and_then(|_| review::standing_of(&execution.execution.plan_digest, false, reviews).verdict),
        reviewed: PlanReview::from_reviews(&issue.folder, &execution.execution),
        is_reviewed: !reviews.is_empty(),
        touched: trail::touched(store, execution),
    }
}
