//! Issues that are in no queue yet.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Filter, Index, SortOrder};
use crate::model::{IssueId, IssueStatus, Policy};
use crate::ops::Refusal;
use crate::rules::{DependencyCycle, IssueFacts, facts, review};
use crate::store::{Snapshot, StoreError, records};

/// Issues that were not queued.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct HomeIssues {
    /// How many there are.
    pub(crate) count: usize,
    /// The most urgent of them.
    pub(crate) first: Vec<HomeIssue>,
}

/// An issue that was not queued.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HomeIssue {
    /// Its id.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its status.
    pub(crate) status: IssueStatus,
    /// The issues that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) waits_for: Vec<IssueId>,
    /// Whether it waits for itself, through others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_in_cycle: bool,
}

/// The issues that wait for no other, and those that do; at most `most` of each. `counts` says how many issues have each
/// status.
pub(super) fn issues(
    index: &Index<'_>,
    snapshot: &Snapshot<'_>,
    counts: &BTreeMap<IssueStatus, usize>,
    cycles: &[DependencyCycle],
    most: usize,
) -> Result<(HomeIssues, HomeIssues), Refusal> {
    let unqueued = [IssueStatus::Registered, IssueStatus::Planning, IssueStatus::Planned];
    let all: usize = unqueued.iter().filter_map(|status| counts.get(status)).sum();
    if all == 0 {
        return Ok(Default::default());
    }
    let waits = Filter { waiting: true, ..Filter::default() };
    let waiting = index.count(&waits)?;
    let unblocked = Filter { unblocked: true, ..Filter::default() };
    let open = first(index, snapshot, &unblocked, cycles, most)?;
    let blocked = if waiting == 0 { vec![] } else { first(index, snapshot, &waits, cycles, most)? };
    Ok((
        HomeIssues { count: all.saturating_sub(waiting), first: open },
        HomeIssues { count: waiting, first: blocked },
    ))
}

/// The most urgent issues that the filter lets through.
fn first(
    index: &Index<'_>,
    snapshot: &Snapshot<'_>,
    filter: &Filter,
    cycles: &[DependencyCycle],
    most: usize,
) -> Result<Vec<HomeIssue>, Refusal> {
    let numbers = index.list(filter, SortOrder::Priority, 0, Some(most))?;
    let mut found = Vec::new();
    for issue in index.facts_without_plans(&numbers)? {
        found.push(home_issue(snapshot, issue, cycles)?);
    }
    Ok(found)
}

fn home_issue(
    snapshot: &Snapshot<'_>,
    issue: IssueFacts,
    cycles: &[DependencyCycle],
) -> Result<HomeIssue, StoreError> {
    let mut waits_for = Vec::new();
    for id in issue.depends_on {
        let status = records::issue(snapshot, &id)?.map(|folder| facts::status(&folder));
        if !status.is_some_and(IssueStatus::frees_dependents) {
            waits_for.push(id);
        }
    }
    let is_in_cycle = cycles.iter().any(|cycle| cycle.issues().contains(&issue.id));
    Ok(HomeIssue { issue_id: issue.id, title: issue.title, status: issue.status, waits_for, is_in_cycle })
}

/// Each suggestion is tried for at most this many issues, so that the overview of a large store stays quick.
const MOST_TRIED: usize = 20;

/// The most urgent issue whose plan `queue add` accepts, preferably an unblocked one.
pub(super) fn first_to_queue(index: &Index<'_>, policy: &Policy) -> Result<Option<IssueId>, Refusal> {
    for unblocked in [true, false] {
        let filter = Filter { statuses: vec![IssueStatus::Planned], unblocked, ..Filter::default() };
        for n in index.list(&filter, SortOrder::Priority, 0, Some(MOST_TRIED))? {
            let mut issues = index.facts(&[n])?.into_iter();
            if let Some(issue) = issues.find(|issue| is_accepted(issue, policy)) {
                return Ok(Some(issue.id));
            }
        }
    }
    Ok(None)
}

/// Whether the bound plan of an issue may be queued.
fn is_accepted(issue: &IssueFacts, policy: &Policy) -> bool {
    let plan = issue.bound.as_ref().and_then(|id| Some((id, issue.plans.get(id)?)));
    plan.is_some_and(|(id, plan)| !plan.is_withdrawn && review::may_queue(policy, id, &plan.review).is_ok())
}
