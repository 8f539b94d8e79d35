//! Which entries of a run's log a person is told, and in which words.

use super::error_types::{
    BUDGET, HELD_ELSEWHERE, MERGE_CONFLICT, NO_PLAN, REJECTED, STOPPED, is_for_a_person,
};
use super::limits::limited_words;
use super::questions::question_words;
use crate::model::{
    Failure, IssueId, IssueReached, IssueStatus, Limited, Notification, NotificationKind, PhaseReached,
    RunEvent, RunId, RunLogEntry, RunStatus, RunStep,
};
use crate::rules::RunFolder;

/// Longer texts of others are cut.
const LONGEST_QUOTE: usize = 1000;
/// Nobody is told of a limit that passes within this time, in milliseconds.
const SHORTEST_LIMIT: i64 = 3 * 60_000;
/// Two limits of an agent that end within this time, in milliseconds, are one.
const SAME_LIMIT: i64 = 10 * 60_000;

/// What a person is told about an entry of the log of a run; `None` if nothing.
pub(crate) fn notification(folder: &RunFolder, entry: &RunLogEntry) -> Option<Notification> {
    let run = &folder.run.id;
    let (kind, issue_id, message, quoted) = match &entry.event {
        RunEvent::Issue(reached) => {
            let (kind, message, quoted) = of_issue(reached)?;
            (kind, Some(reached.issue_id.clone()), message, quoted)
        }
        RunEvent::Phase(reached) => {
            let (kind, message) = of_run(run, reached)?;
            (kind, None, message, None)
        }
        RunEvent::Limited(limited) => {
            let is_short = limited.until.millis() - entry.at.millis() < SHORTEST_LIMIT;
            if is_short || is_known_limit(folder, entry, limited) {
                return None;
            }
            let message = limited_words(limited);
            (NotificationKind::Limit, limited.issue_id.clone(), message, limited.why.clone())
        }
        RunEvent::Question(asked) => {
            let message = format!("{} waits for your answer: {}", asked.issue_id, question_words(asked));
            (NotificationKind::Waits, Some(asked.issue_id.clone()), message, None)
        }
        RunEvent::Action(_)
        | RunEvent::Setback(_)
        | RunEvent::Spent(_)
        | RunEvent::Breach(_)
        | RunEvent::Decision(_)
        | RunEvent::Order(_) => return None,
    };
    let quoted = quoted.map(|text: String| text.chars().take(LONGEST_QUOTE).collect());
    let id = format!("{run}/{}", entry.id);
    Some(Notification { id, kind, run_id: run.clone(), issue_id, message, quoted, at: entry.at })
}

/// The notifications that the last driver of a run may not have sent before it was killed: those of the last entries that it
/// wrote, since it sends what it owes before it writes again.
pub(crate) fn owed(folder: &RunFolder) -> Vec<Notification> {
    // The newest start is that of the driver that asks.
    let Some(start) = folder.log.iter().rposition(|entry| is_start(&entry.event)) else {
        return vec![];
    };
    let before = &folder.log[..start];
    // A step that went well is recorded without the driver. One that was killed as it started has not sent what it owed.
    let end = before.iter().rposition(|entry| !is_step_done(&entry.event) && !is_start(&entry.event));
    let Some(end) = end else { return vec![] };
    let (before, last) = (&before[..=end], &before[end]);
    let begin = before.iter().rposition(|entry| entry.at != last.at).map_or(0, |at| at + 1);
    before[begin..].iter().filter_map(|entry| notification(folder, entry)).collect()
}

/// Whether an earlier entry says that the agent is limited until about the same time.
fn is_known_limit(folder: &RunFolder, entry: &RunLogEntry, limited: &Limited) -> bool {
    folder.log.iter().take_while(|known| known.id != entry.id).any(|known| match &known.event {
        RunEvent::Limited(it) => {
            it.agent == limited.agent
                && it.until > entry.at
                && it.until.millis() + SAME_LIMIT >= limited.until.millis()
                && it.until.millis() - known.at.millis() >= SHORTEST_LIMIT
        }
        _ => false,
    })
}

/// Whether an event tells that a driver began, or went on.
fn is_start(event: &RunEvent) -> bool {
    matches!(event, RunEvent::Phase(it) if it.driver.is_some())
}

/// Whether an event tells that an agent planned or executed something, and nothing else.
fn is_step_done(event: &RunEvent) -> bool {
    match event {
        RunEvent::Action(done) => matches!(done.action, RunStep::Plan | RunStep::Execute),
        RunEvent::Issue(reached) => {
            let is_done = matches!(reached.status, IssueStatus::Planned | IssueStatus::Completed);
            is_done && reached.error.is_none() && reached.landed.is_none()
        }
        _ => false,
    }
}

fn of_issue(reached: &IssueReached) -> Option<(NotificationKind, String, Option<String>)> {
    let issue = &reached.issue_id;
    if reached.landed.is_some() {
        let onto = reached.note.clone().unwrap_or_default();
        return Some((NotificationKind::Landed, format!("{issue} {onto}"), None));
    }
    let error = reached.error.as_ref()?;
    match error.error_type.as_deref() {
        Some(HELD_ELSEWHERE | STOPPED) => None,
        Some(BUDGET) => Some((NotificationKind::Budget, waits(issue, error), None)),
        Some(NO_PLAN | REJECTED | MERGE_CONFLICT) => {
            Some((NotificationKind::Waits, waits(issue, error), None))
        }
        _ if is_for_a_person(error) => Some((NotificationKind::Waits, waits(issue, error), None)),
        _ if reached.status == IssueStatus::Failed => {
            let kind = error.error_type.as_deref().unwrap_or("failure");
            Some((NotificationKind::Failed, format!("{issue} failed ({kind})"), said(error)))
        }
        _ => None,
    }
}

fn of_run(run: &RunId, reached: &PhaseReached) -> Option<(NotificationKind, String)> {
    let error = reached.error.as_ref();
    let is_budget = error.and_then(|error| error.error_type.as_deref()) == Some(BUDGET);
    let why = error.and_then(|error| error.message.clone());
    if is_budget {
        return Some((NotificationKind::Budget, format!("run {run} stopped: {}", why.unwrap_or_default())));
    }
    if reached.status != RunStatus::Completed {
        return None;
    }
    let message = match why {
        Some(why) => format!("run {run} is over: {why}"),
        None => format!("run {run} is over"),
    };
    Some((NotificationKind::Over, message))
}

/// Why an issue waits: the run itself says that.
fn waits(issue: &IssueId, error: &Failure) -> String {
    format!("{issue} waits for you: {}", error.message.as_deref().unwrap_or_default())
}

/// What an agent or a test said.
fn said(error: &Failure) -> Option<String> {
    error.message.clone().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fixtures::{at, folder};
    use super::*;

    #[test]
    fn a_person_is_told_of_a_limit_once() {
        let limited = |agent: &str, until: usize| -> Value {
            json!({"type": "limited", "agent": agent, "until": at(until), "action": "plan", "issue_id": "ISS-1"})
        };
        for (events, wanted) in [
            // Three agents meet it at once.
            (
                vec![(0, limited("a", 3600)), (1, limited("a", 3601)), (2, limited("a", 3500))],
                vec![true, false, false],
            ),
            (vec![(0, limited("a", 1)), (2, limited("a", 3))], vec![false, false]),
            (vec![(0, limited("a", 1)), (1, limited("a", 600))], vec![false, true]),
            (vec![(0, limited("a", 300)), (300, limited("a", 900))], vec![true, true]),
            (vec![(0, limited("a", 600)), (1, limited("a", 7200))], vec![true, true]),
            (vec![(0, limited("a", 600)), (1, limited("b", 600))], vec![true, true]),
        ] {
            let folder = folder(&["ISS-1"], events);
            let told: Vec<bool> =
                folder.log.iter().map(|entry| notification(&folder, entry).is_some()).collect();
            assert_eq!(told, wanted, "{folder:?}");
        }
    }

    #[test]
    fn whoever_stopped_an_issue_is_not_told_that_it_failed() {
        for (kind, wanted) in [("stopped", None), ("test_failure", Some(NotificationKind::Failed))] {
            let error = json!({"error_type": kind, "message": "Ada stopped it"});
            let failed = json!({"type": "issue", "issue_id": "ISS-1", "status": "failed", "error": error});
            let folder = folder(&["ISS-1"], vec![(0, failed)]);
            assert_eq!(notification(&folder, &folder.log[0]).map(|it| it.kind), wanted, "{kind}");
        }
    }

    #[test]
    fn what_is_owed_is_told_by_the_driver_after_one_that_was_killed_as_it_started() {
        let start = json!({"type": "phase", "status": "running", "phase": "executing", "driver": "one"});
        let failed = json!({"type": "issue", "issue_id": "ISS-1", "status": "failed", "error": {"error_type": "other"}});
        for starts in 1..=2 {
            let mut events = vec![failed.clone()];
            events.extend(vec![start.clone(); starts]);
            let owed = owed(&folder(&["ISS-1"], events.into_iter().enumerate().collect()));
            assert_eq!(owed.len(), 1, "{starts}");
            assert_eq!(owed[0].kind, NotificationKind::Failed);
        }
        assert!(owed(&folder(&["ISS-1"], vec![(0, start.clone()), (1, start)])).is_empty());
    }
}
