//! Decides whether a claim still holds. Nothing else decides it: all operations, hooks, and notices in a worktree use
//! this.
//!
//! The status of the issue does not matter. An issue that is closed, paused or cancelled while it is executed keeps its
//! claim, and its executor gets a notice.

use super::{ExecutionFolder, claim_order};
use crate::model::{ExecutionId, ExecutionStatus};

/// The state of a claim among the executions of its issue.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Claim<'a> {
    /// The store does not know it.
    Unknown,
    /// It was completed or failed, no matter by whom.
    Ended(&'a ExecutionFolder),
    /// It holds the issue, and is being executed.
    Holds(&'a ExecutionFolder),
    /// It was set aside, or another execution holds the issue.
    Lost {
        /// The execution.
        own: &'a ExecutionFolder,
        /// The one that holds the issue instead, if there is one.
        to: Option<&'a ExecutionFolder>,
    },
}

/// The execution that holds the issue and is being executed, of all executions of the issue.
pub(crate) fn held(executions: &[ExecutionFolder]) -> Option<&ExecutionFolder> {
    claim_order::holder(executions).filter(|holder| holder.outcome() == ExecutionStatus::Executing)
}

impl<'a> Claim<'a> {
    /// The state of `id` among all executions of its issue.
    pub(crate) fn find(executions: &'a [ExecutionFolder], id: &ExecutionId) -> Self {
        let Some(own) = executions.iter().find(|execution| execution.execution.id == *id) else {
            return Self::Unknown;
        };
        if own.outcome() != ExecutionStatus::Executing {
            return Self::Ended(own);
        }
        match claim_order::holder(executions) {
            Some(holder) if holder.execution.id == *id => Self::Holds(own),
            to => Self::Lost { own, to },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::{entry_id, execution_id};
    use crate::model::{End, Event, LogEntry, Time};
    use crate::rules::test_claim::claim;

    fn execution(uid: &str, second: i64, end: Option<ExecutionStatus>) -> ExecutionFolder {
        let ended = |status| LogEntry {
            id: entry_id("20261121T021405123Z-00000"),
            event: Event::End(End {
                status,
                result: None,
                failure: None,
                patch_id: None,
                forced: None,
                onto: None,
            }),
            actor: "a".into(),
            at: Time::from_seconds(99).unwrap(),
        };
        let execution = claim(&format!("EXR-ISS-1-{uid}"), second);
        ExecutionFolder { execution, log: end.map(ended).into_iter().collect() }
    }

    #[test]
    fn a_claim_holds_until_it_ends_or_an_earlier_one_is_there() {
        let (early, late) = (execution("a", 1, None), execution("b", 2, None));
        let id = |uid: &str| execution_id(&format!("EXR-ISS-1-{uid}"));
        let both = [late, early];
        assert!(matches!(Claim::find(&both, &id("a")), Claim::Holds(it) if it.execution.id == id("a")));
        let Claim::Lost { own, to: Some(to) } = Claim::find(&both, &id("b")) else { panic!() };
        assert_eq!((&own.execution.id, &to.execution.id), (&id("b"), &id("a")));
        assert!(matches!(Claim::find(&both, &id("c")), Claim::Unknown));
        assert_eq!(held(&both).map(|it| &it.execution.id), Some(&id("a")));
        let ended = [execution("a", 1, Some(ExecutionStatus::Failed))];
        assert!(matches!(Claim::find(&ended, &id("a")), Claim::Ended(_)));
        assert!(held(&ended).is_none());
    }
}
