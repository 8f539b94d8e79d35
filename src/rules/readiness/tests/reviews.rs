//! Items that are blocked by their reviews.

use super::*;
use crate::model::{PlanDigest, Verdict};
use crate::rules::CombinedReview;

#[test]
fn a_plan_that_could_not_be_queued_waits_until_it_is_queued_all_the_same() {
    let required = Policy { review: Some("required".into()), ..Policy::default() };
    let open = Policy::default();
    let of_reviews = |verdict: Option<Verdict>, rejected_rounds: usize| CombinedReview {
        verdict,
        rejected_rounds,
        ..UNREVIEWED
    };
    let empty = CombinedReview { verdict: Some(Verdict::Approved), is_empty: true, ..UNREVIEWED };
    let stale = CombinedReview { is_stale: true, ..UNREVIEWED };
    for (review, policy, reason, can_be_forced) in [
        (UNREVIEWED, &open, "", true),
        (UNREVIEWED, &required, "`SOL-GH-0-1` was not reviewed, and the policy requires a review", true),
        (stale, &required, "changed since it was reviewed", true),
        (of_reviews(Some(Verdict::Concerns), 0), &required, "", true),
        (of_reviews(Some(Verdict::Rejected), 1), &open, "was rejected in review", true),
        (of_reviews(Some(Verdict::Approved), 2), &open, "was rejected in 2 rounds of review", true),
        (empty, &open, "has no tasks", false),
    ] {
        let mut facts = facts([facts_of(0, &[], &[])]);
        facts.get_mut(&issue(0)).unwrap().plans.get_mut(&plan(0)).unwrap().review = review;
        let one = |forced: Option<&str>| {
            let item = Item { forced: forced.map(PlanDigest::from), ..item(0, 0) };
            view_under(policy, vec![item], vec![], &facts)
        };
        let waits = one(None);
        let as_it_is = if reason.is_empty() { ItemStatus::Ready } else { ItemStatus::Blocked };
        assert_eq!(item_at(&waits, 0).status, as_it_is, "{review:?}");
        let reasons = reasons(&waits, 0);
        assert!(reasons.contains(reason), "{reasons}");
        assert_eq!(item_at(&one(Some("another")), 0).status, as_it_is, "{review:?}");
        let forced = if can_be_forced { ItemStatus::Ready } else { ItemStatus::Blocked };
        assert_eq!(item_at(&one(Some("d")), 0).status, forced, "{review:?}");
    }
}
