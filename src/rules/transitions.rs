//! The legal transitions of an issue, each with its command. Any other transition needs `--force --reason`.

use crate::model::status::IssueStatus::{
    self, Cancelled, Closed, Completed, Executing, Failed, Paused, Planned, Planning, Queued, Registered,
};
use crate::model::{Code, Explain, IssueId, Op, Remedies, RemedyCall};

/// What can make a transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// An operation.
    Op(Op),
    /// Setting the status.
    Status(IssueStatus),
}

impl From<Op> for By {
    fn from(op: Op) -> Self {
        Self::Op(op)
    }
}

impl By {
    /// How to make it.
    fn call(self, issue: &IssueId) -> RemedyCall {
        match self {
            Self::Op(op @ Op::SolutionAdd) => RemedyCall::new(op, [issue.as_str(), "FILE"]),
            Self::Op(op @ Op::Bind) => RemedyCall::new(op, [issue.as_str(), "PLAN"]),
            Self::Op(op) => RemedyCall::new(op, [issue]),
            Self::Status(status) => RemedyCall::new(Op::Edit, [issue]).option("status", status.as_str()),
        }
    }
}

impl std::fmt::Display for By {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Op(op) => f.write_str(op.as_str()),
            Self::Status(status) => write!(f, "edit --status {status}"),
        }
    }
}

/// The transition that one command makes.
#[derive(Debug)]
pub(crate) struct Transition {
    /// What makes it.
    pub(crate) by: By,
    /// What happens to the issue, after "can be".
    is: &'static str,
    /// What the command does, in a hint.
    does: &'static str,
    /// The statuses in which it is legal.
    pub(crate) from: &'static [IssueStatus],
    /// The statuses to which it can lead.
    pub(crate) to: &'static [IssueStatus],
}

/// Every legal transition. Any other is illegal; keeping a status is not a transition.
pub(crate) static TRANSITIONS: &[Transition] = &[
    Transition {
        by: By::Status(Registered),
        is: "moved back to `registered`",
        does: "moves it back",
        from: &[Planning],
        to: &[Registered],
    },
    Transition {
        by: By::Status(Planning),
        is: "moved to `planning`",
        does: "plans it",
        from: &[Registered, Planned],
        to: &[Planning],
    },
    Transition {
        by: By::Status(Planned),
        is: "moved to `planned`",
        does: "marks it as planned",
        from: &[Planning],
        to: &[Planned],
    },
    Transition {
        by: By::Status(Paused),
        is: "paused",
        does: "pauses it",
        from: &[Registered, Planning, Planned, Queued, Failed],
        to: &[Paused],
    },
    Transition {
        by: By::Status(Cancelled),
        is: "cancelled",
        does: "cancels it",
        from: &[Registered, Planning, Planned, Queued, Failed, Paused],
        to: &[Cancelled],
    },
    Transition {
        by: By::Op(Op::SolutionAdd),
        is: "given a plan",
        does: "adds a plan",
        from: &[Registered, Planning, Planned, Queued, Failed],
        to: &[Planning, Planned, Queued, Failed],
    },
    Transition {
        by: By::Op(Op::Bind),
        is: "bound to a plan",
        does: "binds a plan",
        from: &[Registered, Planning, Planned, Queued, Failed],
        to: &[Planned],
    },
    Transition {
        by: By::Op(Op::Unbind),
        is: "unbound",
        does: "unbinds its plan",
        from: &[Planned, Queued, Failed],
        to: &[Registered, Planning],
    },
    Transition { by: By::Op(Op::QueueAdd), is: "queued", does: "queues it", from: &[Planned], to: &[Queued] },
    Transition {
        by: By::Op(Op::QueueRemove),
        is: "removed from its queue",
        does: "removes it from its queue",
        from: &[Queued],
        to: &[Planned],
    },
    Transition { by: By::Op(Op::Next), is: "executed", does: "claims it", from: &[Queued], to: &[Executing] },
    Transition {
        by: By::Op(Op::Done),
        is: "completed",
        does: "completes it",
        from: &[Executing],
        to: &[Completed],
    },
    Transition {
        by: By::Op(Op::Fail),
        is: "failed",
        does: "ends its execution as failed",
        from: &[Executing],
        to: &[Failed],
    },
    Transition {
        by: By::Op(Op::LeaseRelease),
        is: "released",
        does: "gives it up",
        from: &[Executing],
        to: &[Queued, Planned],
    },
    Transition {
        by: By::Op(Op::Retry),
        is: "retried",
        does: "queues it again",
        from: &[Failed],
        to: &[Queued, Planned],
    },
    Transition {
        by: By::Op(Op::Close),
        is: "closed",
        does: "closes it",
        from: &[Registered, Planning, Planned, Queued, Completed, Failed, Paused, Cancelled],
        to: &[Closed],
    },
    Transition {
        by: By::Op(Op::Reopen),
        is: "reopened",
        does: "reopens it",
        from: &[Completed, Failed, Paused, Cancelled, Closed],
        to: &[Registered, Planning, Planned, Queued, Failed],
    },
];

/// A transition that is not in the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("issue `{issue}` is {}{}", said(*.from), leads_from(*.by))]
pub(crate) struct IllegalMove {
    issue: IssueId,
    from: IssueStatus,
    by: By,
}

/// A status, after "is".
fn said(status: IssueStatus) -> &'static str {
    if status == Executing { "being executed" } else { status.as_str() }
}

fn leads_from(by: By) -> String {
    match TRANSITIONS.iter().find(|known| known.by == by) {
        // A list of nearly all statuses tells nobody anything.
        Some(known) if known.from.len() > 3 => format!(", so it cannot be {}", known.is),
        Some(known) => {
            let words: Vec<&str> = known.from.iter().map(|status| status.as_str()).collect();
            let article = if words.first().is_some_and(|word| word.starts_with('e')) { "an" } else { "a" };
            let words = match &words[..] {
                [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
                all => all.concat(),
            };
            format!("; only {article} {words} issue can be {}", known.is)
        }
        None => format!("; `{by}` is not a transition of an issue"),
    }
}

impl IllegalMove {
    /// Of the transitions that are legal here, those that lead to the wanted status; else those after which the move is
    /// legal.
    fn direct<'a>(&self, legal: &[&'a Transition]) -> Vec<&'a Transition> {
        if let By::Status(wanted) = self.by {
            let there: Vec<_> = legal.iter().copied().filter(|known| self.leads_to(known, wanted)).collect();
            if !there.is_empty() {
                return there;
            }
        }
        let wanted = TRANSITIONS.iter().find(|known| known.by == self.by).map_or(&[][..], |known| known.from);
        legal
            .iter()
            .copied()
            .filter(|known| wanted.iter().any(|status| self.leads_to(known, *status)))
            .collect()
    }

    /// Whether the transition leads to `wanted`, and cannot leave the status as it is.
    fn leads_to(&self, known: &Transition, wanted: IssueStatus) -> bool {
        known.to.contains(&wanted) && !known.to.contains(&self.from)
    }
}

impl Explain for IllegalMove {
    fn code(&self) -> Code {
        Code::IllegalMove
    }

    fn remedies(&self) -> Remedies {
        if self.from == Executing {
            return Remedies::from("end the execution first")
                .or_call(RemedyCall::from(Op::Done).item(Some(&self.issue)), "completes it")
                .or_call(
                    RemedyCall::from(Op::Fail).item(Some(&self.issue)).option("message", "TEXT"),
                    "ends it as failed",
                )
                .or_call(RemedyCall::new(Op::LeaseRelease, [&self.issue]), "gives it up");
        }
        let all: Vec<&Transition> =
            TRANSITIONS.iter().filter(|known| known.from.contains(&self.from)).collect();
        let direct = self.direct(&all);
        let ways = if direct.is_empty() { all } else { direct };
        ways.iter().fold(Remedies::none(), |ways, way| ways.or_call(way.by.call(&self.issue), way.does))
    }
}

/// Whether an issue whose status is `from` may be changed like this. Operations check first whether the issue already
/// has the target status.
pub(crate) fn permit(issue: &IssueId, from: IssueStatus, by: impl Into<By>) -> Result<(), IllegalMove> {
    let by = by.into();
    let legal = TRANSITIONS.iter().any(|known| known.by == by && known.from.contains(&from));
    if legal { Ok(()) } else { Err(IllegalMove { issue: issue.clone(), from, by }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Remedy;

    #[test]
    fn every_status_can_be_left_and_reached() {
        for status in IssueStatus::ALL {
            assert!(TRANSITIONS.iter().any(|known| known.from.contains(status)), "no way out of {status}");
            let is_first = *status == Registered;
            assert!(
                is_first || TRANSITIONS.iter().any(|known| known.to.contains(status)),
                "no way to {status}"
            );
        }
    }

    #[test]
    fn an_illegal_move_says_what_is_legal() {
        let id = IssueId::parse("ISS-001").unwrap();
        assert!(permit(&id, Queued, Op::Next).is_ok());
        let error = permit(&id, Executing, Op::Close).unwrap_err();
        assert_eq!(error.to_string(), "issue `ISS-001` is being executed, so it cannot be closed");
        let remedies = error.remedies().into_vec();
        assert_eq!(remedies[0], Remedy::words("end the execution first"));
        assert!(
            remedies.contains(&Remedy::call(RemedyCall::from(Op::Done).item(Some(&id)), "completes it")),
            "{remedies:?}"
        );
        let error = permit(&id, Completed, Op::Bind).unwrap_err();
        assert_eq!(error.remedies(), Remedies::call(RemedyCall::new(Op::Reopen, [&id]), "reopens it"));
        let error = permit(&id, Paused, Op::Done).unwrap_err();
        assert_eq!(error.to_string(), "issue `ISS-001` is paused; only an executing issue can be completed");
        let is_reopen =
            |remedy: &Remedy| remedy.call.as_ref().is_some_and(|call| call.operation == Op::Reopen.into());
        assert!(error.remedies().into_vec().iter().any(is_reopen));
    }
}
