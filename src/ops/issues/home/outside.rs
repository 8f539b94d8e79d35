//! Issues that are in no queue yet.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Filter, Index, SortOrder};
use crate::model::id::IssueId;
use crate::model::status::IssueStatus;
use crate::ops::Refusal;
use crate::rules::facts;
use crate::store::{Snapshot, records};

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
}

/// The issues that wait for no other, and those that do; at most `most` of each. `counts` says how many issues have each
/// status.
pub(super) fn issues(
    index: &Index<'_>,
    snapshot: &Snapshot<'_>,
    counts: &BTreeMap<IssueStatus, usize>,
    most: usize,
) -> Result<(HomeIssues, HomeIssues), Refusal> {
    let unqueued = [IssueStatus::Registered, IssueStatus::Planning, IssueStatus::Planned];
    let all: usize = unqueued.iter().filter_map(|status| counts.get(status)).sum();
    if all == 0 {
        return Ok(Default::default());
    }
    let waits = Filter { waiting: true, ..Filter::default() };
    let waiting = index.count(&waits)?;
    let first = |filter: &Filter| -> Result<Vec<HomeIssue>, Refusal> {
        let numbers = index.list(filter, SortOrder::Priority, (0, Some(most)))?;
        let one = |issue: facts::IssueFacts| {
            let mut waits_for = Vec::new();
            for id in issue.depends_on {
                let status = records::issue(snapshot, &id)?.map(|folder| facts::status(&folder));
                if !matches!(status, Some(IssueStatus::Completed | IssueStatus::Closed)) {
                    waits_for.push(id);
                }
            }
            Ok(HomeIssue { issue_id: issue.id, title: issue.title, status: issue.status, waits_for })
        };
        index.facts(&numbers)?.into_iter().map(one).collect()
    };
    let unblocked = Filter { unblocked: true, ..Filter::default() };
    let (open, blocked) = (first(&unblocked)?, if waiting == 0 { vec![] } else { first(&waits)? });
    Ok((
        HomeIssues { count: all.saturating_sub(waiting), first: open },
        HomeIssues { count: waiting, first: blocked },
    ))
}
