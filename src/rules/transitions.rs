//! The legal transitions of an issue, each with its command. Any other transition needs `--force --reason`.

use crate::model::Explain;
use crate::model::id::IssueId;
use crate::model::remedy::Remedies;
use crate::model::status::IssueStatus::{
    self, Cancelled, Closed, Completed, Executing, Failed, Paused, Planned, Planning, Queued, Registered,
};

/// The transition that one command makes.
#[derive(Debug)]
pub(crate) struct Transition {
    /// The command, without `git wf`.
    pub(crate) command: &'static str,
    /// What happens to the issue, after "can be".
    is: &'static str,
    /// The statuses in which it is legal.
    pub(crate) from: &'static [IssueStatus],
    /// The statuses to which it can lead.
    pub(crate) to: &'static [IssueStatus],
}

/// Every legal transition. Any other is illegal; keeping a status is not a transition.
pub(crate) static TRANSITIONS: &[Transition] = &[
    Transition {
        command: "edit --status registered",
        is: "moved back to `registered`",
        from: &[Planning],
        to: &[Registered],
    },
    Transition {
        command: "edit --status planning",
        is: "moved to `planning`",
        from: &[Registered, Planned],
        to: &[Planning],
    },
    Transition {
        command: "edit --status planned",
        is: "moved to `planned`",
        from: &[Planning],
        to: &[Planned],
    },
    Transition {
        command: "edit --status paused",
        is: "paused",
        from: &[Registered, Planning, Planned, Queued, Failed],
        to: &[Paused],
    },
    Transition {
        command: "edit --status cancelled",
        is: "cancelled",
        from: &[Registered, Planning, Planned, Queued, Failed, Paused],
        to: &[Cancelled],
    },
    Transition {
        command: "solution add",
        is: "given a plan",
        from: &[Registered, Planning, Planned, Queued, Failed],
        to: &[Planning, Planned, Queued, Failed],
    },
    Transition {
        command: "bind",
        is: "bound to a plan",
        from: &[Registered, Planning, Planned, Queued, Failed],
        to: &[Planned],
    },
    Transition { command: "unbind", is: "unbound", from: &[Planned, Queued, Failed], to: &[Registered] },
    Transition { command: "queue add", is: "queued", from: &[Planned], to: &[Queued] },
    Transition { command: "queue remove", is: "removed from its queue", from: &[Queued], to: &[Planned] },
    Transition { command: "next", is: "executed", from: &[Queued], to: &[Executing] },
    Transition { command: "done", is: "completed", from: &[Executing], to: &[Completed] },
    Transition { command: "fail", is: "failed", from: &[Executing], to: &[Failed] },
    Transition { command: "lease release", is: "released", from: &[Executing], to: &[Queued, Planned] },
    Transition { command: "retry", is: "retried", from: &[Failed], to: &[Queued, Planned] },
    Transition {
        command: "close",
        is: "closed",
        from: &[Registered, Planning, Planned, Queued, Completed, Failed, Paused, Cancelled],
        to: &[Closed],
    },
    Transition {
        command: "reopen",
        is: "reopened",
        from: &[Completed, Failed, Paused, Cancelled, Closed],
        to: &[Registered, Planning, Planned, Queued, Failed],
    },
];

/// A transition that is not in the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("issue `{issue}` is {}; {}", said(*.from), leads_from(.command))]
pub(crate) struct IllegalMove {
    issue: IssueId,
    from: IssueStatus,
    command: String,
}

/// A status, after "is".
fn said(status: IssueStatus) -> &'static str {
    if status == Executing { "being executed" } else { status.as_str() }
}

fn leads_from(command: &str) -> String {
    match TRANSITIONS.iter().find(|known| known.command == command) {
        Some(known) => {
            let words: Vec<&str> = known.from.iter().map(|status| status.as_str()).collect();
            let article = if words.first().is_some_and(|word| word.starts_with('e')) { "an" } else { "a" };
            let words = match &words[..] {
                [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
                all => all.concat(),
            };
            format!("only {article} {words} issue can be {}", known.is)
        }
        None => format!("`{command}` is not a transition of an issue"),
    }
}

impl Explain for IllegalMove {
    fn code(&self) -> &'static str {
        "illegal-move"
    }

    fn remedies(&self) -> Remedies {
        if self.from == Executing {
            return Remedies::from("end the execution first")
                .or_call("done", "completes it")
                .or_call("fail", "ends it as failed")
                .or_call("lease release", "gives it up");
        }
        let ways = TRANSITIONS.iter().filter(|known| known.from.contains(&self.from));
        ways.fold(Remedies::none(), |ways, known| {
            let to: Vec<&str> = known.to.iter().map(|status| status.as_str()).collect();
            ways.or_call(known.command, format!("leads to {}", to.join(" or ")))
        })
    }
}

/// Whether `command` may change an issue whose status is `from`. Commands check first whether the issue already has the
/// target status.
pub(crate) fn permit(issue: &IssueId, from: IssueStatus, command: &str) -> Result<(), IllegalMove> {
    let legal = TRANSITIONS.iter().any(|known| known.command == command && known.from.contains(&from));
    if legal { Ok(()) } else { Err(IllegalMove { issue: issue.clone(), from, command: command.to_owned() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::remedy::Remedy;

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
        assert!(permit(&id, Queued, "next").is_ok());
        let error = permit(&id, Executing, "close").unwrap_err();
        assert_eq!(
            error.to_string(),
            "issue `ISS-001` is being executed; only a registered, planning, planned, queued, completed, failed, paused or \
             cancelled issue can be closed"
        );
        let remedies = error.remedies().into_vec();
        assert_eq!(remedies[0], Remedy::words("end the execution first"));
        assert!(remedies.contains(&Remedy::call("done", "completes it")), "{remedies:?}");
        let error = permit(&id, Paused, "done").unwrap_err();
        assert_eq!(error.to_string(), "issue `ISS-001` is paused; only an executing issue can be completed");
        let is_reopen = |it: &Remedy| it.call.as_ref().is_some_and(|it| it.operation == "reopen");
        assert!(error.remedies().as_slice().iter().any(is_reopen));
    }
}
