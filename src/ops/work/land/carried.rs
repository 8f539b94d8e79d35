//! What comes along with the chosen work, and what it needs that does not.

use std::collections::BTreeSet;

use super::chosen::ChosenIssue;
use super::target::{LandTarget, TargetTips};
use crate::git::Revisions;
use crate::model::hash::CommitHash;
use crate::model::id::{IssueId, SolutionId};
use crate::model::op::{Op, Other};
use crate::model::remedy::RemedyCall;
use crate::model::words::count;
use crate::ops::queue::{BaseCommit, absent};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::facts;
use crate::store::{CodeCommit, ObjectId, ReadState, Snapshot, StoreError, records};
use crate::trail::sources::Sources;
use crate::trail::{links, trailers};

/// How many commits of an issue are looked at for work of others.
const MOST_CARRIED: usize = 1000;

/// The plans that a commit works on: those that its trailers name, else those that link it.
pub(super) fn plans_of<R: ReadState>(
    read: &R,
    sources: &Sources<'_, R>,
    commit: &CodeCommit,
) -> Result<Vec<SolutionId>, StoreError> {
    let named = links::solutions(read, &trailers::parse(&commit.message))?;
    let mut plans: Vec<SolutionId> = named.into_iter().collect();
    if plans.is_empty() {
        for execution in sources.known(&commit.id.into())? {
            let folder = records::execution(read, &execution, &mut Vec::new())?;
            plans.extend(folder.map(|folder| folder.execution.solution_id));
        }
    }
    Ok(plans)
}

/// Says which work of other issues comes along since the chosen work builds on it, which commits of no plan do, and which
/// dependency is left behind.
pub(super) fn tell_carried(
    session: &Session,
    target: &LandTarget,
    tips: &TargetTips,
    chosen: &[ChosenIssue],
) -> Result<(), Refusal> {
    let store = session.store();
    let snapshot = &store.snapshot()?;
    let sources = Sources::new(store, snapshot);
    let own: BTreeSet<&SolutionId> = chosen.iter().map(|issue| &issue.solution).collect();
    let mut told: BTreeSet<IssueId> = BTreeSet::new();
    let mut of_nobody: Vec<CodeCommit> = Vec::new();
    for issue in chosen {
        let wanted = issue.heads.iter().fold(Revisions::none(), Revisions::and).without(tips.tip);
        let commits = store.git().revisions(wanted.no_merges().at_most(MOST_CARRIED));
        for id in commits.map_err(StoreError::Git)? {
            let Some(commit) = store.sound_commit(id)? else { continue };
            let plans = plans_of(snapshot, &sources, &commit)?;
            if plans.is_empty() && of_nobody.iter().all(|known| known.id != id) {
                of_nobody.push(commit);
            }
            for plan in plans {
                let other = plan.issue();
                if own.contains(&plan) || other == issue.issue || !told.insert(other.clone()) {
                    continue;
                }
                let Some(outline) = records::outline(snapshot, &other)? else { continue };
                let message = format!(
                    "`{}` builds on work of `{other}`, which is {} and comes along, without its tests",
                    issue.issue,
                    facts::status(&outline)
                );
                session.notice(Notice::warning(message).remedy(both(&other, &issue.issue), "lands both"));
            }
        }
    }
    tell_of_nobody(session, &of_nobody);
    for issue in chosen {
        tell_left_behind(session, snapshot, target, tips.tip, issue, chosen, &told)?;
    }
    Ok(())
}

fn tell_of_nobody(session: &Session, commits: &[CodeCommit]) {
    let Some(first) = commits.last() else { return };
    let comes = if commits.len() == 1 { "comes" } else { "come" };
    let message = format!(
        "{} that no plan links {comes} along: {} {}",
        count(commits.len(), "commit"),
        CommitHash::from(first.id).short(),
        first.subject
    );
    session.notice(Notice::warning(message).remedy(Other::Audit, "lists such commits once they have landed"));
}

/// Names the completed dependencies of an issue that are neither on the branch nor land with it.
fn tell_left_behind(
    session: &Session,
    snapshot: &Snapshot<'_>,
    target: &LandTarget,
    tip: ObjectId,
    issue: &ChosenIssue,
    chosen: &[ChosenIssue],
    told: &BTreeSet<IssueId>,
) -> Result<(), Refusal> {
    let mut needed = issue.depends_on.clone();
    needed.retain(|other| !told.contains(other) && chosen.iter().all(|issue| issue.issue != *other));
    let branch = target.branch.short();
    let base = BaseCommit { name: branch.to_owned(), tip, is_target: true };
    for (other, _) in absent(session.store(), snapshot, &base, needed, None)? {
        let message = format!("`{}` depends on `{other}`, which is not on `{branch}`", issue.issue);
        session.notice(Notice::warning(message).remedy(both(&other, &issue.issue), "lands both"));
    }
    Ok(())
}

fn both(first: &IssueId, second: &IssueId) -> RemedyCall {
    RemedyCall::new(Op::Land, [first.to_string(), second.to_string()])
}
