use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::command::trail::audit_signatures;
use crate::cli::print::audit as audit_print;
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::index::{Index, Needs};
use crate::model::execution::{CommitLink, LinkedBy};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, IssueId, SolutionId};
use crate::model::plan::Plan;
use crate::model::review::Verdict;
use crate::model::solution::Solution;
use crate::model::status::ExecutionStatus;
use crate::ops::work;
use crate::rules::audit::{self, Act, Carried, Finding, Severity};
use crate::rules::folder::{ExecutionFolder, IssueFolder, LinkedCommit};
use crate::rules::holds::who_holds;
use crate::rules::{evidence, review};
use crate::store::history::Step;
use crate::store::{Rewritten, Snapshot, Store, layout, records};
use crate::trail::audit::{self as trail, Audited};
use crate::trail::reach::Unreached;

/// Find commits without a plan, plans without review, and claims without tests
///
/// A merge is compared with what git makes of its parents (`git merge-tree`). Every path in which the two differ, and
/// every path with a conflict, is a change of the merge itself and needs a plan like any other: how a conflict was
/// resolved, a rename, a new mode, a file that came or went, or changes of one side that were dropped. A merge that git
/// makes by itself needs no plan. With a git older than 2.39, only what one side alone changed counts as merged, file by
/// file.
///
/// Acts that a role does not allow are found on every issue, whether or not it has commits, and so is whatever no command
/// does to a record of the store: to delete it, make it unreadable, or change what never changes. Without RANGE each is a
/// fault; with one, those on issues without a commit in it are notes. Gates that were overridden are listed too: without
/// RANGE all of them, with one those on issues with a commit in it, and executions that were ended without any.
///
/// With --signatures, check the audit log itself instead: whether each commit of the ref is signed by a key that
/// git trusts here (gpg's keyring, or gpg.ssh.allowedSignersFile), and whether each merge, which nobody signs,
/// equals the merge of its parents. `redact --purge` removes signatures; commits made since then are listed
/// separately.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Commits as `git log` takes them, such as main..HEAD (default: HEAD since the first execution; with
    /// --signatures: all of the ref)
    #[arg(value_name = "RANGE")]
    range: Vec<String>,
    /// Exit with 1 if anything is wrong
    #[arg(long)]
    strict: bool,
    /// Print Markdown, for a pull request
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Check the signatures of the commits of the ref, not the commits of the code
    #[arg(long, conflicts_with = "markdown")]
    signatures: bool,
}

/// The range where there is no commit to look at.
const NO_COMMITS: &str = "no commits";

/// What `audit` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Audit {
    /// What was audited, as git takes it; `no commits` where there is none to look at.
    pub(in crate::cli) range: String,
    /// Commits of the range, without merges that add nothing to what they join.
    pub(in crate::cli) commit_count: usize,
    /// How many of them an execution links.
    pub(in crate::cli) bound_count: usize,
    /// How many links there are of each kind: recorded by a hook as the commit was made, resting on a trailer, made by
    /// hand, or found afterwards.
    pub(in crate::cli) links: BTreeMap<LinkedBy, usize>,
    /// Tasks of the plans that were carried out in it.
    pub(in crate::cli) task_count: usize,
    /// How many of them have evidence.
    pub(in crate::cli) evidenced_count: usize,
    /// The commits, oldest first.
    pub(in crate::cli) commits: Vec<AuditedCommit>,
    /// What is wrong, and what one should know.
    pub(in crate::cli) findings: Vec<Finding>,
}

/// A commit of the range.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AuditedCommit {
    /// The full object id.
    pub(in crate::cli) hash: String,
    /// The first line of its message.
    pub(in crate::cli) subject: String,
    /// `Name <email>`
    pub(in crate::cli) author: String,
    /// Whether it joins others.
    pub(in crate::cli) is_merge: bool,
    /// Of a merge: the files in which it is not what git makes of its parents, such as where a conflict was resolved. A
    /// merge without any needs no plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::cli) own_files: Vec<String>,
    /// Whether no branch, tag or remote leads to it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::cli) on_no_branch: bool,
    /// The executions that link it.
    pub(in crate::cli) bound_to: Vec<Binding>,
}

/// An execution that links a commit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Binding {
    pub(in crate::cli) issue_id: IssueId,
    pub(in crate::cli) solution_id: SolutionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) task_id: Option<String>,
    pub(in crate::cli) execution_id: ExecutionId,
    /// How the execution stands.
    pub(in crate::cli) status: ExecutionStatus,
    /// How the commit came to be linked.
    pub(in crate::cli) linked_by: Option<LinkedBy>,
    /// What the reviews of the plan that was carried out come to; none where it was not reviewed.
    pub(in crate::cli) review: Option<Verdict>,
    /// How many of the plan's tests passed at the last commit.
    pub(in crate::cli) checks_passed: usize,
    /// How many there are.
    pub(in crate::cli) check_count: usize,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    if args.signatures {
        return audit_signatures::run(&store, &args.range, args.strict, context);
    }
    let (index, ()) = context.ask(&store, Needs::LOG, |_| Ok(()))?;
    let rewritten = store.all_rewritten(index.snapshot()?.commit())?;
    let (range, commits) = match range(&store, &args.range) {
        Ok(range) => {
            let words: Vec<&str> = range.iter().map(String::as_str).collect();
            (range.join(" "), trail::commits(&store, &words)?)
        }
        // What a role does not allow, or no command does, is a fault without any commit.
        Err(nothing) if nothing.exit == Exit::Nothing => {
            if acts_elsewhere(&index, true, &mut BTreeSet::new())?.is_empty() && rewritten.is_empty() {
                return Err(nothing);
            }
            (NO_COMMITS.to_owned(), vec![])
        }
        Err(failure) => return Err(failure),
    };
    let audit = audit(&store, &index, range, args.range.is_empty(), (&commits, &rewritten))?;
    let is_at_fault = audit.findings.iter().any(|finding| finding.severity == Severity::Fault);
    if context.json() {
        context.screen.print_json(&audit)?;
    } else if args.markdown {
        write!(context.screen, "{}", audit_print::markdown(&audit))?;
    } else {
        audit_print::text(&audit, context)?;
    }
    Ok(if args.strict && is_at_fault { Exit::Failed } else { Exit::Done })
}

/// The words for git: what was given, else everything since the first plan was carried out.
fn range(store: &Store, given: &[String]) -> Result<Vec<String>, Failure> {
    if !given.is_empty() {
        return Ok(given.to_vec());
    }
    if store.head()?.is_none() {
        return Err(
            Failure::nothing("there is no commit to audit yet").hint("`git wf audit RANGE` audits a branch")
        );
    }
    let snapshot = store.snapshot()?;
    let mut executions = Vec::new();
    for id in records::issue_ids(&snapshot)? {
        executions.extend(records::executions(&snapshot, &id)?);
    }
    if executions.is_empty() {
        return Err(Failure::nothing("no plan was carried out yet")
            .hint("`git wf audit RANGE` audits commits that nobody planned"));
    }
    Ok(match trail::first_base(store, executions.iter()) {
        Some(base) => vec![format!("{base}..HEAD")],
        None => vec!["HEAD".into()],
    })
}

/// An issue with what the audit needs to know of its executions.
struct Looked {
    folder: IssueFolder,
    statuses: Vec<ExecutionStatus>,
    /// By execution.
    claimed: BTreeMap<ExecutionId, (Solution, Plan)>,
}

fn audit(
    store: &Store,
    index: &Index<'_>,
    range: String,
    is_whole: bool,
    (commits, rewritten): (&[Audited], &[Rewritten]),
) -> Result<Audit, Failure> {
    let snapshot = index.snapshot()?;
    let issues: Vec<Looked> =
        trail::issues(index, commits)?.into_iter().map(|folder| looked(store, folder)).collect();
    let in_range: HashSet<&str> = commits.iter().map(|it| it.commit.hash.as_str()).collect();
    let mut carried: Vec<Carried<'_>> = Vec::new();
    for issue in &issues {
        for (n, execution) in issue.folder.executions.iter().enumerate() {
            if execution.known_commits().any(|hash| in_range.contains(hash.as_str())) {
                carried.push(carry(store, issue, execution, issue.statuses[n]));
            }
        }
    }
    let acts = acts(index, &issues, &carried, is_whole)?;
    let policy = records::root(&snapshot)?.policy;
    let rules: Vec<audit::Commit> = commits.iter().map(|it| it.commit.clone()).collect();
    let links = audit::links(&carried);
    // Where git cannot tell, the rest is audited all the same.
    let unreached = Unreached::among(store, commits.iter().map(|it| &it.commit.hash)).unwrap_or_default();
    let summed: Vec<Summed<'_>> = carried.iter().map(Summed::of).collect();
    let listed: Vec<AuditedCommit> = commits
        .iter()
        .map(|it| {
            let links = links.get(&it.commit.hash).into_iter().flatten();
            let on_no_branch = unreached.is_adrift(&it.commit.hash);
            listed(it, on_no_branch, links.map(|n| summed[*n].binding(&it.commit.hash)).collect())
        })
        .collect();
    let (evidenced_count, task_count) = audit::tasks_with_evidence(&carried);
    let counted = || listed.iter().filter(|commit| !commit.is_merge || !commit.own_files.is_empty());
    Ok(Audit {
        range,
        commit_count: counted().count(),
        bound_count: counted().filter(|commit| !commit.bound_to.is_empty()).count(),
        links: links_of_each_kind(counted()),
        task_count,
        evidenced_count,
        findings: {
            let mut findings = audit::findings(&rules, &carried, &acts, &policy);
            let is_audited =
                |id: &IssueId| is_whole || issues.iter().any(|it| it.folder.issue.record.id == *id);
            findings.extend(rewritten.iter().map(|it| of_rewritten(it, &is_audited)));
            if is_whole {
                findings.extend(adrift(store, &snapshot)?);
            }
            findings
        },
        commits: listed,
    })
}

fn looked(store: &Store, folder: IssueFolder) -> Looked {
    let statuses = who_holds(&folder.executions).statuses;
    let claimed = folder.executions.iter().filter_map(|execution| {
        // What cannot be read is a finding, and no reason to stop.
        let plan = work::as_claimed(store, &folder, &execution.execution).ok()?;
        let typed = plan.typed_plan();
        Some((execution.execution.id.clone(), (plan, typed)))
    });
    Looked { claimed: claimed.collect(), statuses, folder }
}

fn carry<'a>(
    store: &Store,
    issue: &'a Looked,
    execution: &'a ExecutionFolder,
    status: ExecutionStatus,
) -> Carried<'a> {
    let claimed = issue.claimed.get(&execution.execution.id);
    let reviews = issue.folder.reviews(&execution.execution.solution_id);
    let holder = who_holds(&issue.folder.executions).holder.map(|n| &issue.folder.executions[n].execution);
    Carried {
        execution,
        status,
        lost_at: holder.filter(|it| it.id != execution.execution.id).map(|it| it.started_at),
        plan: claimed.map(|(_, plan)| plan),
        verdict: claimed.and_then(|(solution, _)| review::standing(solution, reviews).verdict),
        is_reviewed: !reviews.is_empty(),
        touched: trail::touched(store, execution),
    }
}

/// What was done about these issues in a role or over a gate, oldest first; then what concerns them all, since the first
/// of them was claimed; then what was done elsewhere against a role.
fn acts(
    index: &Index<'_>,
    issues: &[Looked],
    carried: &[Carried<'_>],
    is_whole: bool,
) -> Result<Vec<Act>, Failure> {
    let mut acts: Vec<Act> = Vec::new();
    let mut seen = BTreeSet::new();
    for issue in issues {
        let id = &issue.folder.issue.record.id;
        for n in index.steps(Some(id.as_str()), None)?.into_iter().rev() {
            let step = index.step(n)?;
            if seen.insert(step.commit.clone()) {
                acts.extend(act(step, Some(id)));
            }
        }
    }
    let since = carried.iter().map(|it| it.execution.execution.started_at).min();
    for operation in ["policy set", "project set", "fsck"] {
        for n in index.steps_of(operation)? {
            let step = index.step(n)?;
            if since.is_some_and(|since| step.at.is_second_from(since)) && seen.insert(step.commit.clone()) {
                acts.extend(act(step, None));
            }
        }
    }
    acts.extend(acts_elsewhere(index, is_whole, &mut seen)?);
    Ok(acts)
}

/// What somebody did anywhere else that their role does not allow, or over a gate, oldest first: two scans of the index,
/// however many issues there are. Of a part of the history that was asked for, a gate elsewhere says nothing, unless it is an
/// execution that was ended without a commit: no range has that.
fn acts_elsewhere(
    index: &Index<'_>,
    is_whole: bool,
    seen: &mut BTreeSet<String>,
) -> Result<Vec<Act>, Failure> {
    let mut found = Vec::new();
    for n in index.steps_to_audit()? {
        let act = act(index.step(n)?, None);
        if let Some(act) = act.filter(|act| act.is_breach() || act.reason.is_some())
            && !seen.contains(&act.commit)
        {
            found.push((n, act));
        }
    }
    let numbers: Vec<i64> = found.iter().map(|(n, _)| *n).collect();
    let mut issues = if numbers.is_empty() { BTreeMap::new() } else { index.issues_of_steps(&numbers)? };
    let snapshot = index.snapshot()?;
    let mut acts = Vec::new();
    for (n, mut act) in found {
        let mut touched = issues.remove(&n).unwrap_or_default();
        act.issue_id = if touched.len() == 1 { touched.pop_first() } else { None };
        act.is_elsewhere = !is_whole;
        if !is_whole && act.reason.is_some() {
            let ended = act.issue_id.as_ref().filter(|_| act.operation == "done");
            let executions = ended.map(|id| records::executions(&snapshot, id)).transpose()?;
            if !executions.is_some_and(|all| all.iter().all(|it| it.commits().is_empty())) {
                act.reason = None;
            }
        }
        if act.is_breach() || act.reason.is_some() {
            seen.insert(act.commit.clone());
            acts.push(act);
        }
    }
    Ok(acts)
}

/// Executions that were called completed, and of whose commits no branch has any.
fn adrift(store: &Store, snapshot: &Snapshot<'_>) -> Result<Vec<Finding>, Failure> {
    let mut completed = Vec::new();
    for id in records::issue_ids(snapshot)? {
        let executions = records::executions(snapshot, &id)?;
        let executions = executions.into_iter().filter(|it| it.outcome() == ExecutionStatus::Completed);
        completed.extend(executions.map(|it| (it.commits(), it)));
    }
    let linked = completed.iter().flat_map(|(commits, _)| commits).map(|it| &it.link.hash);
    let unreached = Unreached::among(store, linked).unwrap_or_default();
    let is_adrift = |commits: &[LinkedCommit]| {
        !commits.is_empty() && commits.iter().all(|it| unreached.is_adrift(&it.link.hash))
    };
    let adrift = completed.iter().filter(|(commits, _)| is_adrift(commits));
    Ok(adrift.map(|(commits, it)| Finding::adrift(it, commits.len())).collect())
}

/// A change that no command makes: of a record of an issue that is not audited, one should know; what belongs to no issue
/// concerns them all.
fn of_rewritten(it: &Rewritten, is_audited: &dyn Fn(&IssueId) -> bool) -> Finding {
    let issue = layout::issue_of(&it.path);
    let severity = match issue.as_ref().is_none_or(is_audited) {
        true => Severity::Fault,
        false => Severity::Note,
    };
    let message = format!("`{}`: {} {}", it.path, it.author, it.what);
    Finding::rewritten(severity, issue, &it.commit, message)
}

/// A step that was made in a role or over a gate.
fn act(step: Step, issue: Option<&IssueId>) -> Option<Act> {
    if step.role.is_none() && step.force.is_none() {
        return None;
    }
    Some(Act {
        commit: step.commit,
        issue_id: issue.cloned(),
        operation: step.op?,
        person: step.actor.unwrap_or(step.author),
        role: step.role,
        reason: step.force,
        is_elsewhere: false,
    })
}

fn listed(commit: &Audited, on_no_branch: bool, bound_to: Vec<Binding>) -> AuditedCommit {
    AuditedCommit {
        hash: commit.commit.hash.to_string(),
        subject: commit.code.subject.clone(),
        author: commit.code.author.clone(),
        is_merge: commit.commit.is_merge,
        own_files: match commit.commit.is_merge {
            true => commit.commit.changes.keys().cloned().collect(),
            false => vec![],
        },
        on_no_branch,
        bound_to,
    }
}

fn links_of_each_kind<'a>(commits: impl Iterator<Item = &'a AuditedCommit>) -> BTreeMap<LinkedBy, usize> {
    let mut links = BTreeMap::new();
    for by in commits.flat_map(|commit| &commit.bound_to).filter_map(|binding| binding.linked_by) {
        *links.entry(by).or_default() += 1;
    }
    links
}

/// What is said of an execution at each of its commits, worked out once.
struct Summed<'a> {
    it: &'a Carried<'a>,
    /// The links that stand, by the hash as it is and as it was.
    links: HashMap<CommitHash, CommitLink>,
    checks_passed: usize,
    check_count: usize,
}

impl<'a> Summed<'a> {
    fn of(it: &'a Carried<'a>) -> Self {
        let check_count = it.plan.map_or(0, |plan| evidence::commands(plan).len());
        let failing =
            it.plan.map_or(0, |plan| evidence::failing(plan, it.execution, &it.execution.work()).len());
        Self { it, links: it.execution.links_by_hash(), checks_passed: check_count - failing, check_count }
    }

    fn binding(&self, hash: &str) -> Binding {
        let claim = &self.it.execution.execution;
        let link = self.links.get(hash);
        Binding {
            issue_id: claim.issue_id.clone(),
            solution_id: claim.solution_id.clone(),
            task_id: link.and_then(|link| link.task_id.clone()),
            execution_id: claim.id.clone(),
            status: self.it.status,
            linked_by: link.map(|link| link.linked_by),
            review: self.it.verdict,
            checks_passed: self.checks_passed,
            check_count: self.check_count,
        }
    }
}
