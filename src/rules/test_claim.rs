//! A claim for the tests of several rules.

use crate::model::fixtures::execution_id;
use crate::model::{Execution, PlanDigest, SolutionId, Time};

/// The time this many seconds after the beginning of 1970.
pub(crate) fn time(second: i64) -> Time {
    Time::from_seconds(second).unwrap()
}

/// A first attempt at ISS-1 with its plan `a`, made at this second, with a lease of ten seconds.
pub(crate) fn claim(id: &str, second: i64) -> Execution {
    let solution_id = SolutionId::parse("SOL-ISS-1-a").unwrap();
    Execution {
        id: execution_id(id),
        nonce: id.to_owned(),
        issue_id: solution_id.issue(),
        solution_id,
        plan_digest: PlanDigest::default(),
        plan_commit: "0".into(),
        queue_id: None,
        item_id: None,
        attempt: 1,
        actor: "a".into(),
        role: None,
        branch: None,
        base_commit: None,
        worktree: None,
        via: None,
        run_id: None,
        missing: vec![],
        supersedes: vec![],
        started_at: time(second),
        lease_expires_at: time(second + 10),
    }
}
