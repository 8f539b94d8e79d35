//! Executions, runs and reviews.

use super::*;

pub(super) fn execution(life: &Life) -> Execution {
    Execution::made(&issue_id(), |id| Execution {
        id,
        nonce: "7k3m2pq9".into(),
        issue_id: issue_id(),
        solution_id: solution_id(),
        plan_digest: "sha256:0".into(),
        plan_commit: (&*life.birth.second.to_string()).into(),
        queue_id: Some(queue_id()),
        item_id: None,
        attempt: 1 + life.writes.len() as u64,
        actor: format!("actor {}", life.birth.who).into(),
        role: None,
        branch: None,
        base_commit: None,
        worktree: None,
        via: None,
        run_id: None,
        missing: vec![],
        supersedes: vec![],
        started_at: time(0),
        lease_expires_at: time(9),
    })
}

pub(super) fn run(life: &Life) -> Vec<u8> {
    entry_bytes(&Run {
        id: run_id(),
        mode: RunMode::ALL[life.writes.len() % RunMode::ALL.len()],
        issue_ids: vec![issue_id()],
        steps: RunStep::ALL.to_vec(),
        agents: RunAgents::default(),
        limits: RunLimits { explore_jobs: 5, plan_jobs: 3, jobs: 1, retries: 0 },
        execution_method: ExecutionMethod::Agent,
        code_review: CodeReview::Skip,
        lands: false,
        budget: None,
        issue_budget: None,
        base_commit: None,
        actor: format!("actor {}", life.birth.who).into(),
        created_at: time(life.birth.second),
    })
}

/// A review of one of three plans, with scores that depend on the history.
pub(super) fn review(life: &Life) -> (String, Vec<u8>) {
    let score = |n: usize| Score::new((life.writes.len() * 17 + n) as f64 / 2.0).unwrap();
    let scores = Scores { technical: score(20), risk: score(10), completeness: score(0) };
    entry(&layout::reviews(&solution_id()), life, |id| Review {
        id,
        verdict: Verdict::Rejected,
        scores,
        total: scores.total(),
        findings: life.writes.iter().map(|write| format!("finding {}", write.what)).collect(),
        plan_digest: format!("sha256:{}", "0".repeat(64 - 1) + &life.birth.what.to_string()).into(),
        author: format!("reviewer {}", life.birth.who).into(),
        created_at: time(life.birth.second),
    })
}
