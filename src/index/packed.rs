//! How items and the facts of issues are stored in the index: as bytes that only this program reads, since a query
//! about queues reads thousands of them. A change of their form needs a new `VERSION` in `database.rs`.

use std::collections::BTreeSet;

use postcard::ser_flavors::{AllocVec, Flavor};
use serde::{Deserialize, Serialize};

use crate::model::{IssueId, Item, ItemId, PlanDigest, SolutionId, Time};
use crate::rules::IssueFacts;

/// An item with all of its fields. The serialized record leaves out fields that are not set, which requires names.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Item")]
struct PackedItem {
    item_id: ItemId,
    issue_id: IssueId,
    solution_id: SolutionId,
    plan_digest: PlanDigest,
    position: String,
    depends_on: BTreeSet<SolutionId>,
    forced: Option<PlanDigest>,
    held: Option<String>,
    removed: Option<bool>,
    queued_at: Time,
}

/// An item as bytes; `None` if that is not possible.
pub(super) fn item(item: &Item) -> Option<Vec<u8>> {
    let mut serializer = postcard::Serializer { output: AllocVec::new() };
    PackedItem::serialize(item, &mut serializer).ok()?;
    serializer.output.finalize().ok()
}

/// Reads the result of [`item`].
pub(super) fn read_item(bytes: &[u8]) -> Result<Item, std::io::Error> {
    PackedItem::deserialize(&mut postcard::Deserializer::from_bytes(bytes)).map_err(std::io::Error::other)
}

/// The facts as bytes; `None` if that is not possible.
pub(super) fn facts(facts: &IssueFacts) -> Option<Vec<u8>> {
    postcard::to_allocvec(facts).ok()
}

/// Reads the result of [`facts`].
pub(super) fn read_facts(bytes: &[u8]) -> Result<IssueFacts, std::io::Error> {
    postcard::from_bytes(bytes).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{ExecutionStatus, IssueStatus, Priority, RepoPath, Verdict};
    use crate::rules::review::UNREVIEWED;
    use crate::rules::{CombinedReview, Holder, PlanFacts};

    fn time(second: i64) -> Time {
        Time::from_seconds(second).unwrap()
    }

    #[test]
    fn an_item_comes_out_as_it_went_in() {
        let plan = SolutionId::parse("SOL-GH-1-1").unwrap();
        let bare = Item {
            item_id: ItemId::numbered(7),
            issue_id: plan.issue(),
            solution_id: plan.clone(),
            plan_digest: "sha256:00".into(),
            position: "000010".into(),
            depends_on: BTreeSet::new(),
            forced: None,
            held: None,
            removed: None,
            queued_at: time(5),
        };
        let full = Item {
            depends_on: BTreeSet::from([plan]),
            forced: Some("sha256:00".into()),
            held: Some("till Monday".into()),
            removed: Some(true),
            ..bare.clone()
        };
        for original in [bare, full] {
            assert_eq!(read_item(&item(&original).unwrap()).unwrap(), original);
        }
    }

    #[test]
    fn facts_come_out_as_they_went_in() {
        let plan = SolutionId::parse("SOL-GH-1-1").unwrap();
        let bare = IssueFacts {
            id: plan.issue(),
            title: "Später".into(),
            status: IssueStatus::Queued,
            priority: Priority::new(5).unwrap(),
            created_at: time(-5),
            depends_on: BTreeSet::new(),
            bound: None,
            plans: BTreeMap::new(),
            holder: None,
            absent: None,
        };
        let of_plan = |review: CombinedReview| PlanFacts {
            digest: "sha256:00".into(),
            files: BTreeSet::from(["src/a.rs", "src/b.rs", "src/*"].map(RepoPath::covering)),
            creates: BTreeSet::from([RepoPath::covering("src/b.rs")]),
            task_count: 300,
            review,
            is_withdrawn: false,
        };
        let review = CombinedReview {
            verdict: Some(Verdict::Concerns),
            rejected_rounds: 1,
            is_stale: true,
            is_empty: true,
        };
        let full = IssueFacts {
            depends_on: BTreeSet::from([IssueId::parse("GH-2").unwrap()]),
            bound: Some(plan.clone()),
            plans: BTreeMap::from([
                (plan.clone(), Box::new(of_plan(review))),
                (SolutionId::parse("SOL-GH-1-2").unwrap(), Box::new(of_plan(UNREVIEWED))),
            ]),
            holder: Some(Holder {
                execution_id: crate::model::fixtures::execution_id("EXR-GH-1-a"),
                solution_id: plan,
                status: ExecutionStatus::Failed,
                actor: "Ada <ada@example.org>".into(),
                lease_expires_at: time(9),
                ended_by: Some("Bob <bob@example.org>".into()),
                forced: None,
            }),
            ..bare.clone()
        };
        for original in [bare, full] {
            let bytes = facts(&original).unwrap();
            assert_eq!(read_facts(&bytes).unwrap(), original);
            assert!(read_facts(&bytes[..bytes.len() - 1]).is_err());
        }
    }
}
