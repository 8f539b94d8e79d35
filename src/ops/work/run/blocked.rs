//! Issues that a run could not execute even if all of it went well: they depend on something that is not there.

use super::arrived::Arrivals;
use crate::model::id::IssueId;
use crate::model::op::Op;
use crate::model::remedy::RemedyCall;
use crate::model::status::IssueStatus;
use crate::ops::{Notice, Refusal};
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::store::{ObjectId, Store, records};

/// An issue of a run that waits for another one.
#[derive(Debug)]
pub(super) struct BlockedIssue {
    /// It.
    pub(super) id: IssueId,
    /// What it waits for.
    needed: IssueId,
    why: BlockedBy,
}

#[derive(Debug)]
enum BlockedBy {
    /// The other one is completed, but its work is on another branch. The reason in words.
    Branch(String),
    /// The other one has this status, and the run does not include it.
    Outside(IssueStatus),
    /// The other one is in the run, and waits itself.
    Waiting,
}

impl BlockedIssue {
    /// A warning before the run begins; none for an issue that only waits for one with a warning.
    pub(super) fn warning(&self) -> Option<Notice> {
        let Self { id, needed, why } = self;
        match why {
            BlockedBy::Branch(why) => Some(Notice::warning(format!(
                "`{id}` will not be executed: {why}; `git merge` brings it here"
            ))),
            BlockedBy::Outside(status) => {
                let what = format!("`{id}` waits for `{needed}`, which is {status} and not in this run");
                Some(Notice::warning(what).remedy(RemedyCall::new(Op::Run, [needed, id]), "runs both"))
            }
            BlockedBy::Waiting => None,
        }
    }

    /// What it waits for, in a few words.
    pub(super) fn waits_for(&self) -> String {
        let needed = &self.needed;
        match &self.why {
            BlockedBy::Branch(_) => format!("{needed}, whose work is on another branch"),
            BlockedBy::Outside(status) => format!("{needed}, which is {status} and not in this run"),
            BlockedBy::Waiting => format!("{needed}, which waits itself"),
        }
    }
}

/// The issues of a run from `base` that it could not execute.
pub(super) fn blocked(
    store: &Store,
    issues: &[IssueFolder],
    base: ObjectId,
) -> Result<Vec<BlockedIssue>, Refusal> {
    let (snapshot, arrivals) = (store.snapshot()?, Arrivals::default());
    let is_in_run = |id: &IssueId| issues.iter().any(|it| it.issue.record.id == *id);
    let mut found = Vec::new();
    for record in issues.iter().map(|it| &it.issue.record) {
        let id = &record.id;
        if let Some((needed, why)) = arrivals.missing(store, &snapshot, base, &record.depends_on)? {
            found.push(BlockedIssue { id: id.clone(), needed, why: BlockedBy::Branch(why) });
        }
        for needed in record.depends_on.iter().filter(|needed| !is_in_run(needed)) {
            let Ok(Some(folder)) = records::outline(&snapshot, needed) else { continue };
            let status = facts::status(&folder);
            if !matches!(status, IssueStatus::Completed | IssueStatus::Closed) {
                let (id, needed) = (id.clone(), needed.clone());
                found.push(BlockedIssue { id, needed, why: BlockedBy::Outside(status) });
            }
        }
    }
    // Whatever depends on them waits as well.
    loop {
        let is_found = |id: &IssueId| found.iter().any(|it: &BlockedIssue| it.id == *id);
        let next = issues.iter().map(|it| &it.issue.record).find_map(|record| {
            let needed = record.depends_on.iter().find(|needed| is_found(needed))?;
            (!is_found(&record.id)).then(|| (record.id.clone(), needed.clone()))
        });
        let Some((id, needed)) = next else { return Ok(found) };
        found.push(BlockedIssue { id, needed, why: BlockedBy::Waiting });
    }
}
