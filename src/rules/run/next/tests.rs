use proptest::prelude::*;

use super::*;
use crate::model::{CodeReview, ExecutionMethod, RunAgents, RunId, RunLimits, Time};

fn run(mode: RunMode, steps: &[RunStep]) -> Run {
    Run {
        id: RunId::parse("RUN-1").unwrap(),
        mode,
        issue_ids: vec![],
        steps: steps.to_vec(),
        agents: RunAgents::default(),
        limits: RunLimits { explore_jobs: 5, plan_jobs: 2, jobs: 2, retries: 1 },
        execution_method: ExecutionMethod::Agent,
        code_review: CodeReview::Skip,
        lands: false,
        budget: None,
        issue_budget: None,
        base_commit: None,
        actor: "Ada".into(),
        created_at: Time::EPOCH,
    }
}

fn at(n: usize, status: IssueStatus) -> RunIssueState {
    RunIssueState {
        issue: IssueId::parse(&format!("ISS-{n}")).unwrap(),
        status,
        is_explored: true,
        candidates: 0,
        verdict: None,
        is_unreviewed: false,
        is_planned_here: false,
        rejected: 0,
        is_ready: true,
        is_ours: true,
        is_integrated: true,
        failures: 0,
        is_final: false,
        granted: 0,
        is_given_up: false,
        held: None,
        over_budget: None,
        cycle: None,
        is_of_run: true,
    }
}

const NO_REVIEW: &[RunStep] = &[RunStep::Plan, RunStep::Queue, RunStep::Execute, RunStep::Integrate];

#[test]
fn the_mode_follows_from_how_many_issues_there_are_and_how_urgent_they_are() {
    let of = |numbers: &[u8]| {
        mode_for(&numbers.iter().map(|n| Priority::new(u64::from(*n)).unwrap()).collect::<Vec<_>>())
    };
    assert_eq!(of(&[3]), RunMode::Quick);
    assert_eq!(of(&[3, 4]), RunMode::Quick);
    assert_eq!(of(&[3, 2]), RunMode::Full);
    assert_eq!(of(&[4, 4, 4]), RunMode::Full);
    assert_eq!(of(&[4, 4, 4, 4]), RunMode::Full);
    assert_eq!(of(&[4, 4, 4, 4, 4]), RunMode::Batch);
}

#[test]
fn an_issue_goes_from_step_to_step() {
    use IssueStatus::{Completed, Executing, Failed, Paused, Planned, Queued, Registered};
    let full = run(RunMode::Full, RunStep::ALL);
    let quick = run(RunMode::Quick, NO_REVIEW);
    let step = Need::Step;
    assert_eq!(
        need(&full, &RunIssueState { is_explored: false, ..at(1, Registered) }),
        step(RunStep::Explore)
    );
    assert_eq!(need(&full, &at(1, Registered)), step(RunStep::Plan));
    assert_eq!(need(&full, &RunIssueState { is_explored: false, ..at(1, Failed) }), step(RunStep::Explore));
    let chosen = RunIssueState { is_explored: false, candidates: 2, ..at(1, Registered) };
    assert_eq!(need(&full, &chosen), Need::Person(StuckReason::Choice), "there is nothing to plan");
    assert_eq!(
        need(&full, &RunIssueState { candidates: 2, ..at(1, Registered) }),
        Need::Person(StuckReason::Choice)
    );
    assert_eq!(need(&full, &at(1, Planned)), step(RunStep::Review));
    assert_eq!(need(&quick, &at(1, Planned)), step(RunStep::Queue));
    let verdict = |verdict, rejected| RunIssueState { verdict: Some(verdict), rejected, ..at(1, Planned) };
    assert_eq!(need(&full, &verdict(Verdict::Concerns, 0)), step(RunStep::Queue));
    assert_eq!(need(&full, &verdict(Verdict::Rejected, 1)), step(RunStep::Plan));
    assert_eq!(need(&full, &verdict(Verdict::Rejected, 2)), step(RunStep::Plan));
    assert_eq!(need(&full, &verdict(Verdict::Rejected, 3)), Need::Person(StuckReason::Rejected));
    let unseen = |run: &Run| need(run, &verdict(Verdict::Rejected, 0));
    let only_execute = run(RunMode::Quick, &NO_REVIEW[1..]);
    assert_eq!(
        (unseen(&quick), unseen(&only_execute)),
        (step(RunStep::Plan), Need::Person(StuckReason::Rejected))
    );
    let unreviewed = RunIssueState { is_unreviewed: true, ..at(1, Planned) };
    assert_eq!(need(&full, &unreviewed), Need::Person(StuckReason::Unreviewed));
    assert_eq!(need(&quick, &at(1, Queued)), step(RunStep::Execute));
    assert_eq!(need(&quick, &RunIssueState { is_ready: false, ..at(1, Queued) }), Need::Wait);
    assert_eq!(need(&quick, &at(1, Executing)), step(RunStep::Execute));
    assert_eq!(need(&quick, &RunIssueState { is_ours: false, ..at(1, Executing) }), Need::Wait);
    assert_eq!(need(&quick, &at(1, Failed)), step(RunStep::Plan));
    assert_eq!(need(&quick, &RunIssueState { is_planned_here: true, ..at(1, Failed) }), Need::Retry);
    let held =
        |status| RunIssueState { held: Some("run `RUN-9` plans it".into()), is_ours: false, ..at(1, status) };
    assert_eq!(need(&quick, &held(Registered)), Need::Elsewhere);
    assert_eq!(need(&quick, &held(Executing)), Need::Wait);
    assert_eq!(need(&quick, &held(Completed)), Need::Over);
    assert_eq!(need(&quick, &RunIssueState { failures: 1, ..at(1, Failed) }), Need::Retry);
    assert_eq!(
        need(&quick, &RunIssueState { failures: 2, ..at(1, Failed) }),
        Need::Person(StuckReason::Failed)
    );
    // What took too long would take as long again: a person decides.
    let too_long = RunIssueState { failures: 1, is_final: true, ..at(1, Failed) };
    assert_eq!(need(&quick, &too_long), Need::Person(StuckReason::Failed));
    assert_eq!(need(&quick, &RunIssueState { granted: 1, ..too_long }), Need::Retry);
    let granted = RunIssueState { failures: 2, granted: 1, ..at(1, Failed) };
    assert_eq!(need(&quick, &granted), Need::Retry);
    assert_eq!(need(&quick, &at(1, Paused)), Need::Person(StuckReason::Stopped));
    assert_eq!(
        need(&quick, &RunIssueState { is_integrated: false, ..at(1, Completed) }),
        step(RunStep::Integrate)
    );
    assert_eq!(need(&quick, &at(1, Completed)), Need::Over);
    assert_eq!(need(&quick, &RunIssueState { is_given_up: true, ..at(1, Registered) }), Need::Over);
    let only = run(RunMode::Quick, &[RunStep::Plan]);
    assert_eq!((need(&only, &at(1, Planned)), need(&only, &at(1, Queued))), (Need::Over, Need::Over));
    let execute = run(RunMode::Quick, &NO_REVIEW[1..]);
    assert_eq!(need(&execute, &at(1, Registered)), Need::Person(StuckReason::NoPlan));
}

#[test]
fn a_batch_is_queued_at_once() {
    use IssueStatus::{Planned, Registered};
    let mut batch = run(RunMode::Batch, NO_REVIEW);
    let standings = [at(1, Planned), at(2, Registered)];
    let plan = vec![(standings[1].issue.clone(), RunStep::Plan)];
    assert_eq!(next(&batch, &standings, &BTreeMap::new()), plan);
    let busy = BTreeMap::from([plan[0].clone()]);
    assert_eq!(next(&batch, &standings, &busy), []);
    assert_eq!(next(&batch, &[at(1, Planned), at(2, Planned)], &BTreeMap::new()).len(), 2);
    batch.mode = RunMode::Full;
    assert_eq!(next(&batch, &standings, &busy), [(standings[0].issue.clone(), RunStep::Queue)]);
}

#[test]
fn a_batch_is_planned_when_all_of_it_is_explored() {
    let mut batch = run(RunMode::Batch, &[&[RunStep::Explore], NO_REVIEW].concat());
    let explored = RunIssueState { is_explored: true, ..at(1, IssueStatus::Registered) };
    let other = RunIssueState { is_explored: false, ..at(2, IssueStatus::Registered) };
    let steps = vec![(other.issue.clone(), RunStep::Explore)];
    assert_eq!(next(&batch, &[explored.clone(), other.clone()], &BTreeMap::new()), steps);
    let busy = BTreeMap::from_iter(steps);
    assert_eq!(next(&batch, &[explored.clone(), other.clone()], &busy), []);
    batch.mode = RunMode::Full;
    assert_eq!(next(&batch, &[explored.clone(), other], &busy), [(explored.issue, RunStep::Plan)]);
}

#[test]
fn nothing_is_executed_before_what_was_completed_is_merged() {
    use IssueStatus::{Completed, Queued};
    let quick = run(RunMode::Quick, NO_REVIEW);
    let completed = RunIssueState { is_integrated: false, ..at(1, Completed) };
    // Its agent has not even said that it is done.
    let busy = BTreeMap::from([(completed.issue.clone(), RunStep::Execute)]);
    assert_eq!(next(&quick, &[completed.clone(), at(2, Queued)], &busy), []);
    // Nobody waits for what cannot be merged.
    let given_up = RunIssueState { is_given_up: true, ..completed };
    assert_eq!(next(&quick, &[given_up, at(2, Queued)], &BTreeMap::new()).len(), 1);
}

#[test]
fn tests_of_completed_work_and_resolutions_of_conflicts_count_among_the_jobs() {
    let mut run = run(RunMode::Full, NO_REVIEW);
    run.limits.jobs = 2;
    let standings = [at(1, IssueStatus::Completed), at(2, IssueStatus::Queued), at(3, IssueStatus::Queued)];
    let busy = BTreeMap::from([(standings[0].issue.clone(), RunStep::Integrate)]);
    let steps = next(&run, &standings, &busy);
    assert_eq!(steps, [(standings[1].issue.clone(), RunStep::Execute)]);
    assert_eq!(free_jobs(&run, &busy), 1);
}

#[test]
fn a_stall_is_named_with_its_chain() {
    let id = |n: usize| IssueId::parse(&format!("ISS-{n}")).unwrap();
    let waits = BTreeMap::from([
        (id(1), (Some(id(2)), "ISS-2 is not completed".to_owned())),
        (id(2), (Some(id(9)), "ISS-9 failed".to_owned())),
        (id(3), (Some(id(4)), "ISS-4 is not completed".to_owned())),
        (id(4), (Some(id(3)), "ISS-3 is not completed".to_owned())),
    ]);
    assert_eq!(
        chains(&waits),
        [
            "ISS-1 → ISS-2: ISS-9 failed",
            "ISS-2: ISS-9 failed",
            "ISS-3 → ISS-4: ISS-3 is not completed",
            "ISS-4 → ISS-3: ISS-4 is not completed",
        ]
    );
}

proptest! {
    /// Never two steps of one issue, and never more at once than the limits allow.
    #[test]
    fn limits_hold(
        statuses in prop::collection::vec(prop::sample::select(IssueStatus::ALL), 0..12),
        busy in prop::collection::btree_map(0..12usize, prop::sample::select(RunStep::ALL), 0..6),
        mode in prop::sample::select(RunMode::ALL),
    ) {
        let run = run(mode, RunStep::ALL);
        let standings: Vec<RunIssueState> = statuses.into_iter().enumerate().map(|(n, status)| at(n, status)).collect();
        let busy: BTreeMap<IssueId, RunStep> =
            busy.into_iter().map(|(n, step)| (IssueId::parse(&format!("ISS-{n}")).unwrap(), step)).collect();
        let steps = next(&run, &standings, &busy);
        let mut seen = std::collections::BTreeSet::new();
        for (issue, _) in &steps {
            prop_assert!(!busy.contains_key(issue) && seen.insert(issue.clone()));
        }
        let count = |of: &[RunStep]| steps.iter().filter(|(_, step)| of.contains(step)).count();
        let taken = |of: &[RunStep]| busy.values().filter(|step| of.contains(step)).count();
        for (of, limit) in [(&[RunStep::Execute][..], 2), (&[RunStep::Plan, RunStep::Review][..], 2)] {
            prop_assert!(count(of) + taken(of) <= limit.max(taken(of)));
        }
    }
}
