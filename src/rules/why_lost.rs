//! Why a claim no longer holds.

use std::fmt;

use super::{Ending, ExecutionFolder};
use crate::model::{ExecutionId, IssueStatus, Person, Time};

/// Why a claim no longer holds. Shown, it is a sentence in which "it" is the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WhyLost {
    /// Another execution holds the issue.
    Taken {
        /// How the claim itself had ended before, if it had.
        own: Option<Ending>,
        /// The other execution.
        by: Taker,
    },
    /// Nobody holds the issue.
    Free {
        /// How the claim ended, if it did.
        own: Option<Ending>,
        /// The status of the issue.
        status: IssueStatus,
    },
}

/// An execution that holds an issue which another one claimed, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Taker {
    id: ExecutionId,
    actor: Person,
    started_at: Time,
    /// How it has ended since, if it has.
    ending: Option<Ending>,
}

impl WhyLost {
    /// For a claim whose issue `holder` holds.
    pub(crate) fn to(own: &ExecutionFolder, holder: &ExecutionFolder) -> Self {
        let claim = &holder.execution;
        let by = Taker {
            id: claim.id.clone(),
            actor: claim.actor.clone(),
            started_at: claim.started_at,
            ending: Ending::from_execution(holder),
        };
        Self::Taken { own: Ending::from_execution(own), by }
    }

    /// For a claim whose issue nobody holds.
    pub(crate) fn free(own: &ExecutionFolder, status: IssueStatus) -> Self {
        Self::Free { own: Ending::from_execution(own), status }
    }
}

impl fmt::Display for WhyLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Taken { own, .. } | Self::Free { own, .. }) = self;
        if let Some(ending) = own {
            write!(f, "it was {ending}, and ")?;
        }
        match self {
            Self::Taken { by: Taker { id, ending: Some(ending), .. }, .. } => {
                write!(f, "`{}` was {ending}", id.short())
            }
            Self::Taken { by: Taker { id, actor, started_at, ending: None }, .. } => {
                write!(f, "{actor} has been executing it as `{}` since {started_at}", id.short())
            }
            Self::Free { status, .. } => write!(f, "the issue is {status}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use crate::model::{Aside, AsideReason, Event, ExecutionStatus, LogEntry};
    use crate::rules::test_claim::claim;

    #[test]
    fn it_says_how_the_claim_ended_and_who_holds_the_issue() {
        let running = |uid: &str| ExecutionFolder { execution: claim(uid, 1), log: vec![] };
        let (own, holder) = (running("EXR-ISS-1-a"), running("EXR-ISS-1-b"));
        let at = Time::from_seconds(99).unwrap();
        let released = LogEntry {
            id: entry_id("20261121T021405123Z-00000"),
            event: Event::Aside(Aside {
                status: ExecutionStatus::Executing,
                reason: AsideReason::Release,
                forced: Some("ill".into()),
            }),
            actor: "Ada <ada@example.org>".into(),
            at,
        };
        let aside = ExecutionFolder { log: vec![released], ..own.clone() };
        let claim = &holder.execution;
        let (actor, id, since) = (&claim.actor, claim.id.short(), claim.started_at);
        let executes = format!("{actor} has been executing it as `{id}` since {since}");
        let was = format!("released by Ada <ada@example.org> at {at} (reason: ill)");
        assert_eq!(WhyLost::to(&own, &holder).to_string(), executes);
        assert_eq!(WhyLost::to(&aside, &holder).to_string(), format!("it was {was}, and {executes}"));
        assert_eq!(
            WhyLost::to(&own, &aside).to_string(),
            format!("`{}` was {was}", own.execution.id.short())
        );
        let free = WhyLost::free(&aside, IssueStatus::Planned).to_string();
        assert_eq!(free, format!("it was {was}, and the issue is planned"));
        assert_eq!(WhyLost::free(&own, IssueStatus::Closed).to_string(), "the issue is closed");
    }
}
