//! What gets an issue executed: a run of it, after what its dependencies need.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Branch, IssueId, IssueStatus, Op, Other, Remedy, RemedyCall};
use crate::rules::IssueFolder;
use crate::rules::run::report::RunFacts;

/// What gets an issue executed.
pub(super) struct NeededRun {
    /// What its dependencies need first, such as merges that bring their completed work here.
    first: Vec<Remedy>,
    /// The run of the issue and of the dependencies that are not completed.
    pub(super) run: RemedyCall,
    /// What that does.
    does: String,
}

/// The remedies that get an issue executed.
pub(super) fn with_needed(
    known: &RunFacts<'_>,
    found: &IssueFolder,
    alone: Option<&'static str>,
    does: &str,
) -> Vec<Remedy> {
    NeededRun::new(known, found, alone, does).remedies()
}

impl NeededRun {
    /// `alone` is the flag of the run if the issue needs nothing else.
    pub(super) fn new(
        known: &RunFacts<'_>,
        found: &IssueFolder,
        alone: Option<&'static str>,
        does: &str,
    ) -> Self {
        let record = &found.issue.record;
        let mut order = NeededOrder {
            known,
            seen: BTreeSet::from([&record.id]),
            issues: vec![],
            merges: BTreeMap::new(),
            stopped: vec![],
            executing: vec![],
        };
        order.add_all(&record.depends_on);
        let mut first: Vec<Remedy> = order
            .merges
            .into_iter()
            .map(|(branch, of)| {
                Remedy::command(
                    format!("git merge {}", branch.operand()),
                    format!("first brings the work on {} here", listed(&of)),
                )
            })
            .collect();
        first.extend(order.stopped.into_iter().map(|(id, status)| {
            let does = format!("first continues `{id}`, which is {status}");
            Remedy::call(RemedyCall::new(Op::Reopen, [id]), does)
        }));
        let mut does = does.to_owned();
        if !order.executing.is_empty() {
            let of = listed(&order.executing);
            first.push(Remedy::call(Other::LeaseList, format!("shows who executes {of}")));
            does = format!("{does}, once {of} has ended");
        }
        let mut run = RemedyCall::new(Op::Run, order.issues.iter().copied().chain([&record.id]));
        if let Some(flag) = alone
            && order.issues.is_empty()
        {
            run = run.flag(flag);
        }
        Self { first, run, does }
    }

    /// In the order in which they are taken.
    pub(super) fn remedies(mut self) -> Vec<Remedy> {
        self.first.push(Remedy::call(self.run, self.does));
        self.first
    }
}

/// `ISS-1, ISS-2 and ISS-3`.
fn listed(ids: &[&IssueId]) -> String {
    let Some((last, before)) = ids.split_last() else { return String::new() };
    match before.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => last.to_string(),
        before => format!("{before} and {last}"),
    }
}

/// Collects what an issue depends on.
struct NeededOrder<'a> {
    known: &'a RunFacts<'a>,
    seen: BTreeSet<&'a IssueId>,
    /// What can be run, each issue after those that it depends on.
    issues: Vec<&'a IssueId>,
    /// The branches that have completed work, and of which issues.
    merges: BTreeMap<&'a Branch, Vec<&'a IssueId>>,
    /// What must be reopened before it can be run.
    stopped: Vec<(&'a IssueId, IssueStatus)>,
    /// What is being executed.
    executing: Vec<&'a IssueId>,
}

impl<'a> NeededOrder<'a> {
    fn add_all(&mut self, needed: &'a BTreeSet<IssueId>) {
        for id in needed {
            let found = match self.known.needed.get(id) {
                Some(found) if self.seen.insert(id) => found,
                _ => continue,
            };
            match found.status {
                IssueStatus::Completed | IssueStatus::Closed => {
                    if let Some(branch) = &found.branch {
                        self.merges.entry(branch).or_default().push(id);
                    }
                    continue;
                }
                // A run skips it.
                IssueStatus::Executing => {
                    self.executing.push(id);
                    continue;
                }
                IssueStatus::Cancelled => continue,
                status @ IssueStatus::Paused => self.stopped.push((id, status)),
                _ => {}
            }
            self.add_all(&found.depends_on);
            self.issues.push(id);
        }
    }
}
