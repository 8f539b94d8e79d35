//! What a landing records: what became of each commit, the tests that passed, and the landing itself.

use super::chosen::ChosenIssue;
use super::step::{Candidate, LandStep};
use super::tests::PassedChecks;
use crate::model::{Branch, Event, Land, LinkedBy, Rewrite, TaskId, count};
use crate::ops::Refusal;
use crate::store::{Store, StoreError, Tx};
use crate::trail::links;
use crate::trail::sources::Sources;

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
        follow(tx, store, issue, step)?;
        follow_others(tx, store, issue, step)?;
        if step.work_end != step.after {
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

/// Lets the links of an issue follow its commits to those of the branch. A squash belongs to the tasks of all of them.
pub(super) fn follow(
    tx: &mut Tx<'_>,
    store: &Store,
    issue: &ChosenIssue,
    step: &LandStep,
) -> Result<(), StoreError> {
    let mut squashed = None;
    for pair in &step.replaced {
        let olds = step.replaced.iter().filter(|it| it.new == pair.new).count();
        if olds > 1 && squashed != Some(pair.new) {
            squashed = Some(pair.new);
            let commit = store.code_commit(pair.new)?;
            let replaced: Vec<_> = issue
                .links
                .iter()
                .zip(&issue.commits)
                .filter(|(_, id)| step.replaced.iter().any(|it| it.old == **id && it.new == pair.new))
                .map(|(link, _)| link)
                .collect();
            let mut tasks: Vec<TaskId> = Vec::new();
            for task in replaced.iter().flat_map(|link| link.tasks()) {
                if !tasks.contains(task) {
                    tasks.push(task.clone());
                }
            }
            if let Some(first) = replaced.first() {
                let files = links::files(store, &commit)?;
                tx.log(
                    &issue.execution,
                    Event::Commit(links::link(&commit, &files, tasks, first.linked_by)),
                )?;
            }
        }
        let tree = Some(store.code_tree_of(pair.new)?.into());
        let rewrite = Rewrite { old: pair.old.into(), new: pair.new.into(), tree };
        tx.log(&issue.execution, Event::Rewrite(rewrite))?;
    }
    Ok(())
}

/// Lets the links of others follow, whose commits came along.
pub(super) fn follow_others(
    tx: &mut Tx<'_>,
    store: &Store,
    issue: &ChosenIssue,
    step: &LandStep,
) -> Result<(), StoreError> {
    for pair in &step.replaced_of_others {
        let mut executions = Sources::new(store, tx).known(&pair.old.into())?;
        executions.retain(|execution| *execution != issue.execution);
        let tree = Some(store.code_tree_of(pair.new)?.into());
        let rewrite = Rewrite { old: pair.old.into(), new: pair.new.into(), tree };
        for execution in &executions {
            tx.log(execution, Event::Rewrite(rewrite.clone()))?;
        }
    }
    Ok(())
}
