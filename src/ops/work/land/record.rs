//! What a landing records: what became of each commit, the tests that passed, and the landing itself.

use std::collections::BTreeMap;

use super::chosen::ChosenIssue;
use super::step::{Candidate, LandStep, ReplacedCommit};
use super::tests::PassedChecks;
use crate::git::Revisions;
use crate::model::{
    Branch, CommitHash, CommitLink, Event, ExecutionId, Land, LinkedBy, Rewrite, TaskId, count,
};
use crate::ops::Refusal;
use crate::store::{CodeCommit, Store, StoreError, Tx, records};
use crate::trail::sources::Sources;
use crate::trail::{links, trailers};

/// Records a candidate that has become the branch.
pub(super) fn record(
    tx: &mut Tx<'_>,
    store: &Store,
    onto: &Branch,
    issues: &[ChosenIssue],
    made: &Candidate,
    checks: &PassedChecks,
) -> Result<(), Refusal> {
    for step in &made.steps {
        let issue = &issues[step.issue];
        // Evidence belongs to the commit that was linked last: that must be the one whose tests have passed.
        let resolved = resolved_merges(tx, store, issue, step)?;
        for commit in &resolved {
            let files = links::files(store, commit)?;
            tx.log(&issue.execution, Event::Commit(links::link(commit, &files, vec![], LinkedBy::Land)))?;
        }
        follow(tx, store, issue, step)?;
        follow_others(tx, store, issue, step)?;
        if step.work_end != step.after || !resolved.is_empty() {
            let commit = store.code_commit(step.after)?;
            let files = links::files(store, &commit)?;
            let link = links::link(&commit, &files, vec![], LinkedBy::Land);
            tx.log(&issue.execution, Event::Commit(link))?;
        }
        for check in checks.get(&step.issue).into_iter().flatten() {
            tx.log(&issue.execution, Event::Check(check.clone()))?;
        }
        let land = Land {
            onto: Some(onto.clone()),
            before: Some(step.before.into()),
            after: Some(step.after.into()),
            how: step.how,
            tree: Some(store.code_tree_of(step.after)?.into()),
            commits: step.commits(issue).into_iter().map(Into::into).collect(),
            url: None,
            reason: None,
        };
        tx.log(&issue.execution, Event::Land(land))?;
    }
    let what = match &made.steps[..] {
        [only] => issues[only.issue].issue.to_string(),
        steps => count(steps.len(), "issue"),
    };
    tx.describe(format!("land: {what} on {}", onto.short()));
    Ok(())
}

/// The merges that someone resolved, which another merge brings to the branch, since that had moved: what they change themselves
/// belongs to the plan that they name.
fn resolved_merges(
    tx: &Tx<'_>,
    store: &Store,
    issue: &ChosenIssue,
    step: &LandStep,
) -> Result<Vec<CodeCommit>, Refusal> {
    let mut found = Vec::new();
    if issue.resolved.is_none() {
        return Ok(found);
    }
    let sources = Sources::new(store, tx);
    let wanted = Revisions::of(step.work_end).without(step.before);
    for id in store.git().revisions(wanted).map_err(StoreError::Git)? {
        let commit = store.code_commit(id)?;
        let named = trailers::parse(&commit.message);
        let names_plan =
            named.iter().any(|(key, value)| key == trailers::SOLUTION && *value == issue.solution.as_str());
        if id != step.after
            && commit.parents.len() > 1
            && names_plan
            && !sources.known(&id.into())?.contains(&issue.execution)
        {
            found.push(commit);
        }
    }
    Ok(found)
}

/// Lets the links of an issue follow its commits to those of the branch.
pub(super) fn follow(
    tx: &mut Tx<'_>,
    store: &Store,
    issue: &ChosenIssue,
    step: &LandStep,
) -> Result<(), StoreError> {
    let links: Vec<&CommitLink> = issue.links.iter().collect();
    follow_pairs(tx, store, &issue.execution, &links, &step.replaced)
}

/// Lets the links of others follow, whose commits came along.
pub(super) fn follow_others(
    tx: &mut Tx<'_>,
    store: &Store,
    issue: &ChosenIssue,
    step: &LandStep,
) -> Result<(), StoreError> {
    let mut others: BTreeMap<ExecutionId, Vec<ReplacedCommit>> = BTreeMap::new();
    for pair in &step.replaced_of_others {
        for execution in Sources::new(store, tx).known(&pair.old.into())? {
            others.entry(execution).or_default().push(*pair);
        }
    }
    others.remove(&issue.execution);
    for (execution, pairs) in others {
        let Some(folder) = records::execution(tx, &execution, &mut Vec::new())? else { continue };
        let linked = folder.commits();
        let links: Vec<&CommitLink> = linked.iter().map(|commit| &commit.link).collect();
        follow_pairs(tx, store, &execution, &links, &pairs)?;
    }
    Ok(())
}

/// Lets the links of an execution follow. A squash belongs to the tasks of all of its commits.
fn follow_pairs(
    tx: &mut Tx<'_>,
    store: &Store,
    execution: &ExecutionId,
    links: &[&CommitLink],
    pairs: &[ReplacedCommit],
) -> Result<(), StoreError> {
    let mut squashed = None;
    for pair in pairs {
        let is_of_squash = pairs.iter().filter(|other| other.new == pair.new).count() > 1;
        if is_of_squash && squashed != Some(pair.new) {
            squashed = Some(pair.new);
            let is_in_it = |link: &&&CommitLink| {
                let mut olds = pairs.iter().filter(|other| other.new == pair.new);
                olds.any(|other| CommitHash::from(other.old) == link.hash)
            };
            let replaced: Vec<&CommitLink> = links.iter().filter(is_in_it).copied().collect();
            let mut tasks: Vec<TaskId> = Vec::new();
            for task in replaced.iter().flat_map(|link| link.tasks()) {
                if !tasks.contains(task) {
                    tasks.push(task.clone());
                }
            }
            if let Some(first) = replaced.first() {
                let commit = store.code_commit(pair.new)?;
                let files = links::files(store, &commit)?;
                tx.log(execution, Event::Commit(links::link(&commit, &files, tasks, first.linked_by)))?;
            }
        }
        let tree = Some(store.code_tree_of(pair.new)?.into());
        let rewrite = Rewrite { old: pair.old.into(), new: pair.new.into(), tree };
        tx.log(execution, Event::Rewrite(rewrite))?;
    }
    Ok(())
}
