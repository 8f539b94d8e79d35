//! Which execution holds an issue. Every clone gets the same answer, whatever the order of merges.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::ExecutionFolder;
use crate::model::{ExecutionId, ExecutionStatus};

/// Which execution holds the issue, and the status of each as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holding {
    /// The index of the one that holds.
    pub(crate) holder: Option<usize>,
    /// In the order of the executions. One that was set aside after it ended still shows how it ended, and so does each of
    /// several that were completed without knowing of each other.
    pub(crate) statuses: Vec<ExecutionStatus>,
}

/// The executions that are not set aside, each with its own status. When an issue starts over, all of them must be set
/// aside: otherwise a superseded claim would hold again as soon as the one before it is.
pub(crate) fn standing(executions: &[ExecutionFolder]) -> Vec<(&ExecutionFolder, ExecutionStatus)> {
    let claims = Claims::new(executions);
    (0..executions.len())
        .filter(|n| !claims.aside[*n])
        .map(|n| (&executions[n], claims.outcomes[n]))
        .collect()
}

/// The execution that holds the issue.
pub(crate) fn holder(executions: &[ExecutionFolder]) -> Option<&ExecutionFolder> {
    Claims::new(executions).holder().map(|n| &executions[n])
}

/// Decides among all executions of one issue.
pub(crate) fn who_holds(executions: &[ExecutionFolder]) -> Holding {
    let claims = Claims::new(executions);
    let holder = claims.holder();
    let statuses = (0..executions.len())
        .map(|n| match claims.outcomes[n] {
            outcome if holder == Some(n) => outcome,
            ExecutionStatus::Executing => ExecutionStatus::Superseded,
            outcome if claims.aside[n] || outcome == ExecutionStatus::Completed => outcome,
            _ => ExecutionStatus::Superseded,
        })
        .collect();
    Holding { holder, statuses }
}

/// All executions of an issue, with what their logs and later claims say of them.
struct Claims<'a> {
    executions: &'a [ExecutionFolder],
    outcomes: Vec<ExecutionStatus>,
    /// Whether each is set aside.
    aside: Vec<bool>,
}

impl<'a> Claims<'a> {
    fn new(executions: &'a [ExecutionFolder]) -> Self {
        // The highest attempt that sets aside an execution while it has a status.
        let mut superseded: BTreeMap<(&ExecutionId, ExecutionStatus), u64> = BTreeMap::new();
        for ExecutionFolder { execution: later, .. } in executions {
            for earlier in &later.supersedes {
                let by = superseded.entry((&earlier.execution_id, earlier.status)).or_default();
                *by = later.attempt.max(*by);
            }
        }
        let outcomes: Vec<ExecutionStatus> = executions.iter().map(ExecutionFolder::outcome).collect();
        let aside = executions.iter().zip(&outcomes).map(|(execution, outcome)| {
            let by = superseded.get(&(&execution.execution.id, *outcome));
            execution.aside().is_some() || by.is_some_and(|attempt| *attempt > execution.execution.attempt)
        });
        let aside = aside.collect();
        Self { executions, outcomes, aside }
    }

    /// The index of the one that holds.
    fn holder(&self) -> Option<usize> {
        (0..self.executions.len()).filter(|n| !self.aside[*n]).min_by_key(|n| {
            let claim = &self.executions[*n].execution;
            (
                self.outcomes[*n] != ExecutionStatus::Completed,
                Reverse(claim.attempt),
                self.outcomes[*n] != ExecutionStatus::Executing,
                claim.via.is_none(),
                claim.started_at,
                &claim.id,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::execution::MOST_ATTEMPTS;
    use crate::model::fixtures::{entry_id, execution_id};
    use crate::model::{Aside, AsideReason, End, Event, Execution, LogEntry, Supersedes, Time, typed};
    use crate::rules::test_claim::claim;

    fn execution(uid: &str, attempt: u64, second: i64) -> ExecutionFolder {
        let execution = Execution { attempt, ..claim(&format!("EXR-ISS-1-{uid}"), second) };
        ExecutionFolder { execution, log: vec![] }
    }

    fn with(mut claimed: ExecutionFolder, event: Event) -> ExecutionFolder {
        let id = entry_id("20261121T021405123Z-00000");
        claimed.log.push(LogEntry { id, event, actor: "a".into(), at: Time::from_seconds(99).unwrap() });
        claimed
    }

    fn ended(claimed: ExecutionFolder, status: ExecutionStatus) -> ExecutionFolder {
        with(
            claimed,
            Event::End(End { status, result: None, failure: None, patch_id: None, forced: None, onto: None }),
        )
    }

    fn aside(claimed: ExecutionFolder, status: ExecutionStatus) -> ExecutionFolder {
        with(claimed, Event::Aside(Aside { status, reason: AsideReason::Retry, forced: None }))
    }

    use ExecutionStatus::{Completed, Executing, Failed, Superseded};

    #[test]
    fn of_two_claims_made_apart_the_earlier_holds_in_every_clone() {
        let (one, two) = (execution("b", 1, 5), execution("a", 1, 6));
        assert_eq!(who_holds(&[one.clone(), two.clone()]).statuses, [Executing, Superseded]);
        assert_eq!(who_holds(&[two, one]).statuses, [Superseded, Executing]);
    }

    #[test]
    fn a_claim_through_the_remote_beats_an_earlier_local_one() {
        let mut two = execution("b", 1, 6);
        two.execution.via = Some("origin".into());
        assert_eq!(who_holds(&[execution("a", 1, 5), two]).holder, Some(1));
    }

    #[test]
    fn finished_work_is_never_set_aside_by_a_claim_that_saw_it_unfinished() {
        let mut takeover = execution("b", 2, 50);
        takeover.execution.supersedes =
            vec![Supersedes { execution_id: execution_id("EXR-ISS-1-a"), status: Executing }];
        let first = execution("a", 1, 5);
        assert_eq!(who_holds(&[first.clone(), takeover.clone()]).statuses, [Superseded, Executing]);
        assert_eq!(who_holds(&[ended(first, Completed), takeover]).statuses, [Completed, Superseded]);
    }

    #[test]
    fn of_two_that_were_completed_apart_neither_supersedes_the_other() {
        let one = ended(execution("a", 1, 5), Completed);
        let mut two = ended(execution("b", 2, 50), Completed);
        two.execution.supersedes =
            vec![Supersedes { execution_id: execution_id("EXR-ISS-1-a"), status: Executing }];
        assert_eq!(who_holds(&[one, two]).statuses, [Completed, Completed]);
    }

    #[test]
    fn a_retried_failure_still_shows_as_failed() {
        let first = aside(ended(execution("a", 1, 5), Failed), Failed);
        assert_eq!(who_holds(std::slice::from_ref(&first)).holder, None);
        assert_eq!(who_holds(&[first, execution("b", 2, 9)]).statuses, [Failed, Executing]);
    }

    #[test]
    fn when_all_that_stands_is_set_aside_nothing_holds() {
        let mut all = vec![
            aside(ended(execution("a", 1, 5), Failed), Failed),
            execution("b", 1, 6),
            ended(execution("c", 2, 7), Failed),
        ];
        let uids: Vec<String> = standing(&all)
            .iter()
            .map(|(execution, _)| execution.execution.id.fingerprint().trim_start_matches('0').to_owned())
            .collect();
        assert_eq!(uids, ["b", "c"]);
        all[1] = aside(all[1].clone(), Executing);
        all[2] = aside(all[2].clone(), Failed);
        assert_eq!(who_holds(&all).holder, None);
    }

    #[test]
    fn an_aside_that_saw_another_status_does_not_count() {
        let claimed = ended(aside(execution("a", 1, 5), Executing), Completed);
        assert_eq!(who_holds(&[claimed]).holder, Some(0));
    }

    /// 20,000 executions that each set aside up to 200 others: 4 million entries to read, but 80 billion pairs.
    #[test]
    fn many_executions_of_an_issue_are_decided_in_one_pass() {
        const COUNT: usize = 20_000;
        let mut all: Vec<ExecutionFolder> =
            (0..COUNT).map(|n| execution(&format!("{n:08}"), n as u64 + 1, 0)).collect();
        let ids: Vec<ExecutionId> = all.iter().map(|execution| execution.execution.id.clone()).collect();
        for (n, execution) in all.iter_mut().enumerate() {
            let earlier = ids[n.saturating_sub(200)..n].iter().cloned();
            let status = ExecutionStatus::Executing;
            execution.execution.supersedes =
                earlier.map(|execution_id| Supersedes { execution_id, status }).collect();
        }
        assert_eq!(who_holds(&all).holder, Some(COUNT - 1));
        assert_eq!(standing(&all).len(), 1);
    }

    #[test]
    fn an_attempt_after_which_there_can_be_none_is_not_read() {
        for (attempt, is_read) in
            [(1, true), (MOST_ATTEMPTS, true), (MOST_ATTEMPTS + 1, false), (u64::MAX, false)]
        {
            let claim = execution("a7x9a7x9", attempt, 1).execution;
            let value = typed::to_value(&claim).unwrap();
            assert_eq!(typed::read::<Execution>(&value).is_ok(), is_read, "{attempt}");
        }
    }
}
