//! Issues that a run could not execute even if all of it went well: they depend on something that is not there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::arrived::Arrivals;
use crate::model::{IssueId, IssueStatus, Op, RemedyCall};
use crate::ops::{Notice, Refusal};
use crate::rules::{IssueFolder, facts};
use crate::store::{ObjectId, Store, records};

/// An issue of a run that waits for another one.
#[derive(Debug)]
pub(super) struct BlockedIssue {
    /// It.
    pub(super) id: IssueId,
    /// What it waits for.
    pub(super) needed: IssueId,
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

    /// What it waits for, and why that will not happen, in a few words.
    pub(super) fn in_words(&self) -> String {
        let needed = &self.needed;
        match &self.why {
            BlockedBy::Branch(_) => format!("{needed}, whose work is on another branch"),
            BlockedBy::Outside(status) => format!("{needed}, which is {status} and not in this run"),
            BlockedBy::Waiting => format!("{needed}, which is itself waiting"),
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
    let in_run: BTreeSet<&IssueId> = issues.iter().map(|it| &it.issue.record.id).collect();
    let mut found = Vec::new();
    for record in issues.iter().map(|it| &it.issue.record) {
        let id = &record.id;
        if let Some((needed, why)) = arrivals.missing(store, &snapshot, base, &record.depends_on)? {
            found.push(BlockedIssue { id: id.clone(), needed, why: BlockedBy::Branch(why) });
        }
        for needed in record.depends_on.iter().filter(|needed| !in_run.contains(needed)) {
            let Ok(Some(folder)) = records::outline(&snapshot, needed) else { continue };
            let status = facts::status(&folder);
            if !status.frees_dependents() {
                let (id, needed) = (id.clone(), needed.clone());
                found.push(BlockedIssue { id, needed, why: BlockedBy::Outside(status) });
            }
        }
    }
    let depends_on: Vec<(&IssueId, &BTreeSet<IssueId>)> =
        issues.iter().map(|it| (&it.issue.record.id, &it.issue.record.depends_on)).collect();
    let waiting = waiting(&depends_on, found.iter().map(|it| it.id.clone()).collect());
    let waits = |(id, needed)| BlockedIssue { id, needed, why: BlockedBy::Waiting };
    found.extend(waiting.into_iter().map(waits));
    Ok(found)
}

/// Whatever depends on issues that wait, directly or through others, and on which of them.
fn waiting(
    depends_on: &[(&IssueId, &BTreeSet<IssueId>)],
    mut first: VecDeque<IssueId>,
) -> Vec<(IssueId, IssueId)> {
    let mut dependents: BTreeMap<&IssueId, Vec<&IssueId>> = BTreeMap::new();
    for (id, needed) in depends_on {
        for needed in *needed {
            dependents.entry(needed).or_default().push(id);
        }
    }
    let mut seen: BTreeSet<IssueId> = first.iter().cloned().collect();
    let mut found = Vec::new();
    while let Some(needed) = first.pop_front() {
        for id in dependents.get(&needed).into_iter().flatten() {
            if seen.insert((*id).clone()) {
                found.push(((*id).clone(), needed.clone()));
                first.push_back((*id).clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_waits_for_its_beginning() {
        let ids: Vec<IssueId> =
            (0..20_000).map(|n| IssueId::parse(&format!("ISS-{n:05}")).unwrap()).collect();
        let needed: Vec<BTreeSet<IssueId>> = ids.iter().map(|id| BTreeSet::from([id.clone()])).collect();
        // The last of them first: each depends on the one before.
        let chain: Vec<_> = ids[1..].iter().zip(&needed).rev().collect();
        let began = std::time::Instant::now();
        let found = waiting(&chain, VecDeque::from([ids[0].clone()]));
        assert!(began.elapsed() < std::time::Duration::from_secs(10));
        assert_eq!(found.len(), ids.len() - 1);
        assert_eq!(found[0], (ids[1].clone(), ids[0].clone()));
        assert_eq!(waiting(&chain, VecDeque::new()), []);
        // A circle ends, too.
        let circle = [(&ids[0], &needed[1]), (&ids[1], &needed[0])];
        assert_eq!(waiting(&circle, VecDeque::from([ids[0].clone()])).len(), 1);
    }
}
