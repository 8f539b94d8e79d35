use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::fixtures::entry_id;
use crate::model::{Code, PlanJson, Scores, Time};

fn plan(tasks: usize) -> Solution {
    let tasks: Vec<_> =
        (1..=tasks).map(|n| json!({"id": format!("T{n}"), "title": "t", "action": "Fix"})).collect();
    Solution {
        id: SolutionId::parse("SOL-GH-1-1").unwrap(),
        issue_id: IssueId::parse("GH-1").unwrap(),
        author: "Ada <ada@example.org>".into(),
        created_at: Time::from_seconds(0).unwrap(),
        plan: PlanJson::new(json!({"description": "d", "tasks": tasks})).unwrap(),
        withdrawn: None,
    }
}

fn review(by: &str, digest: &str, verdict: Verdict, score: f64) -> Review {
    let score = Score::new(score).unwrap();
    let scores = Scores { technical: score, risk: score, completeness: score };
    Review {
        id: entry_id("20261121T021405123Z-00000"),
        verdict,
        scores,
        total: scores.total(),
        findings: vec![],
        plan_digest: digest.into(),
        author: Person::known(by, &format!("{by}@example.org"), None),
        created_at: Time::from_seconds(0).unwrap(),
    }
}

fn stands(reviews: &[(&str, &str, Verdict)]) -> CombinedReview {
    let plan = plan(1);
    let all: Vec<Review> = reviews
        .iter()
        .map(|(by, digest, verdict)| {
            let digest = if *digest == "now" { plan.plan_digest() } else { PlanDigest::from(*digest) };
            review(by, &digest, *verdict, 90.0)
        })
        .collect();
    standing(&plan, &all)
}

#[test]
fn the_bounds_of_a_total() {
    for (total, verdict) in [
        (100.0, Verdict::Approved),
        (80.0, Verdict::Approved),
        (79.99, Verdict::Concerns),
        (60.0, Verdict::Concerns),
        (59.99, Verdict::Rejected),
        (0.0, Verdict::Rejected),
    ] {
        assert_eq!(verdict_of(Score::new(total).unwrap()), verdict, "{total}");
    }
}

#[test]
fn a_total_is_rounded_before_it_is_judged() {
    let verdict_of_all = |score| verdict(&review("b", "d", Verdict::Approved, score));
    assert_eq!(verdict_of_all(79.5), Verdict::Approved);
    assert_eq!(verdict_of_all(79.4), Verdict::Concerns);
    assert_eq!(verdict_of_all(59.6), Verdict::Concerns);
    assert_eq!(verdict_of_all(59.4), Verdict::Rejected);
}

#[test]
fn a_milder_verdict_than_the_scores_is_not_believed() {
    assert_eq!(verdict(&review("b", "d", Verdict::Approved, 20.0)), Verdict::Rejected);
    assert_eq!(verdict(&review("b", "d", Verdict::Approved, 70.0)), Verdict::Concerns);
    assert_eq!(verdict(&review("b", "d", Verdict::Rejected, 100.0)), Verdict::Rejected);
}

#[test]
fn who_somebody_is() {
    let same = |a: &str, b: &str| Reviewer::new(&a.into()) == Reviewer::new(&b.into());
    assert!(same("Ada <ada@example.org>", "A. L. <ADA@example.org>"));
    assert!(same("Ada <ada@example.org> (planner-1)", "Bea <bea@example.org> (planner-1)"));
    assert!(!same("Ada <ada@example.org> (planner-1)", "Ada <ada@example.org> (reviewer-1)"));
    assert!(
        !same("Ada <ada@example.org> (planner-1)", "Ada <ada@example.org>"),
        "a person reviews her agent's plan"
    );
    assert!(!same("Ada <x> (ada@example.org)", "Ada <ada@example.org>"), "an agent's name is not an address");
    assert!(same("someone", "Someone "));
    for odd in ["", "<", ">", "<>", "a <b", "a <b> (", "a <b> ()", "a <b> (c) d", "<<>> (\u{1b}[2J)"] {
        assert!(same(odd, odd), "{odd}");
    }
}

#[test]
fn of_one_reviewer_the_latest_counts_and_of_several_the_harshest() {
    use Verdict::{Approved, Concerns, Rejected};
    assert_eq!(stands(&[]).word(), "none");
    assert_eq!(stands(&[("b", "now", Approved)]).verdict, Some(Approved));
    assert_eq!(stands(&[("b", "now", Rejected), ("b", "now", Approved)]).verdict, Some(Approved));
    assert_eq!(stands(&[("b", "now", Rejected), ("c", "now", Approved)]).verdict, Some(Rejected));
    assert_eq!(stands(&[("b", "now", Concerns), ("c", "now", Approved)]).verdict, Some(Concerns));
}

#[test]
fn a_changed_plan_has_no_review_and_each_rejected_digest_is_a_round() {
    use Verdict::{Approved, Rejected};
    let before = stands(&[("b", "one", Approved)]);
    assert_eq!((before.verdict, before.is_stale, before.rejected_rounds), (None, true, 0));
    let twice = [("b", "one", Rejected), ("b", "one", Rejected), ("c", "one", Rejected)];
    assert_eq!(stands(&twice).rejected_rounds, 1, "one digest, one round");
    let two = [("b", "one", Rejected), ("b", "now", Rejected)];
    assert_eq!(stands(&two).rejected_rounds, 2);
    let taken_back = [("b", "one", Rejected), ("b", "two", Rejected), ("b", "one", Approved)];
    assert_eq!(stands(&taken_back).rejected_rounds, 1);
}

#[test]
fn a_plan_without_tasks_has_the_verdict_of_its_reviews_and_cannot_be_queued() {
    let empty = plan(0);
    let approved = review("b", &empty.plan_digest(), Verdict::Approved, 100.0);
    let standing = standing(&empty, &[approved]);
    assert_eq!((standing.verdict, standing.word()), (Some(Verdict::Approved), "approved"));
    let refusal = may_queue(&Policy::default(), &empty.id, &standing).unwrap_err();
    assert_eq!(refusal.code(), Code::NoTasks);
    assert!(!refusal.is_overridable_by(None));
}

#[test]
fn what_may_be_queued() {
    use Verdict::{Approved, Concerns, Rejected};
    let id = plan(1).id;
    let open = Policy::default();
    let required = Policy { review: Some("required".into()), ..Policy::default() };
    let code = |policy: &Policy, reviews: &[(&str, &str, Verdict)]| {
        may_queue(policy, &id, &stands(reviews)).err().map_or("", |refusal| refusal.code().as_str())
    };
    for (reviews, without, with) in [
        (vec![], "", "review-required"),
        (vec![("b", "one", Approved)], "", "review-required"),
        (vec![("b", "now", Approved)], "", ""),
        (vec![("b", "now", Concerns)], "", ""),
        (vec![("b", "now", Rejected)], "review-rejected", "review-rejected"),
        (vec![("b", "one", Rejected)], "", "review-required"),
        (vec![("b", "one", Rejected), ("b", "now", Approved)], "", ""),
        (vec![("b", "one", Rejected), ("b", "two", Rejected)], "owner-decides", "owner-decides"),
        (
            vec![("b", "one", Rejected), ("b", "two", Rejected), ("b", "now", Approved)],
            "owner-decides",
            "owner-decides",
        ),
    ] {
        assert_eq!(code(&open, &reviews), without, "{reviews:?}");
        assert_eq!(code(&required, &reviews), with, "{reviews:?}");
    }
}

#[test]
fn after_two_rounds_only_an_owner_overrides() {
    let solution = plan(1).id;
    let refusal = NotQueueable::OwnerDecides { solution: solution.clone(), rounds: 2 };
    assert!(refusal.is_overridable_by(None) && !refusal.is_overridable_by(Some("planner")));
    assert!(NotQueueable::Rejected(solution).is_overridable_by(Some("integrator")));
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Approved), Just(Verdict::Concerns), Just(Verdict::Rejected)]
}

proptest! {
    /// Reviews by different people can arrive in any order, since clones can write them concurrently.
    #[test]
    fn the_order_of_different_reviewers_decides_nothing(
        all in prop::collection::vec((0..3u8, verdicts()), 0..6),
        keys in prop::collection::vec(any::<u32>(), 6),
    ) {
        let digests = ["now", "one", "two"];
        let named: Vec<String> = (0..all.len()).map(|n| format!("r{n}")).collect();
        let reviews: Vec<_> =
            all.iter().zip(&named).map(|((digest, verdict), by)| (by.as_str(), digests[usize::from(*digest)], *verdict)).collect();
        let mut other: Vec<_> = reviews.iter().zip(&keys).collect();
        other.sort_by_key(|(_, key)| **key);
        let other: Vec<_> = other.into_iter().map(|(review, _)| *review).collect();
        prop_assert_eq!(stands(&reviews), stands(&other));
    }

    /// One more review can lower the result of the others, but never raise it.
    #[test]
    fn nobody_outvotes_another(
        all in prop::collection::vec(verdicts(), 1..5),
        more in verdicts(),
    ) {
        let named: Vec<String> = (0..all.len()).map(|n| format!("r{n}")).collect();
        let mut reviews: Vec<_> =
            all.iter().zip(&named).map(|(verdict, by)| (by.as_str(), "now", *verdict)).collect();
        let before = stands(&reviews).verdict;
        reviews.push(("another", "now", more));
        prop_assert!(stands(&reviews).verdict >= before);
    }
}
