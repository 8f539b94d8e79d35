//! What a run asks a person, and which answer counts.

use std::collections::BTreeMap;

use crate::model::{Asked, Choice, IssueId, RunEvent, RunStatus, Time};
use crate::rules::RunFolder;

/// What a run asks about an issue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunQuestion<'a> {
    /// What it asks.
    pub(crate) asked: &'a Asked,
    /// Since when.
    pub(crate) at: Time,
    /// The first answer in its log, with which the run has not gone on yet. The choice of a plan is not in the log: the plan is bound.
    pub(crate) answer: Option<QuestionAnswer<'a>>,
}

/// How someone answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QuestionAnswer<'a> {
    /// What they chose.
    pub(crate) choice: Choice,
    /// Who.
    pub(crate) by: &'a str,
}

/// The questions with which a run has not gone on yet, by issue.
pub(crate) fn questions(folder: &RunFolder) -> BTreeMap<&IssueId, RunQuestion<'_>> {
    let mut found = BTreeMap::new();
    for entry in &folder.log {
        match &entry.event {
            RunEvent::Question(asked) => {
                found.insert(&asked.issue_id, RunQuestion { asked, at: entry.at, answer: None });
            }
            RunEvent::Decision(decided) => {
                if let Some(question) = found.get_mut(&decided.issue_id) {
                    let given = QuestionAnswer { choice: decided.choice, by: entry.actor.as_str() };
                    question.answer.get_or_insert(given);
                }
            }
            RunEvent::Phase(reached) if reached.status == RunStatus::Completed => found.clear(),
            RunEvent::Phase(_) | RunEvent::Breach(_) | RunEvent::Limited(_) | RunEvent::Order(_) => {}
            RunEvent::Issue(_) | RunEvent::Action(_) | RunEvent::Setback(_) | RunEvent::Spent(_) => {
                if let Some(issue) = entry.event.issue() {
                    found.remove(issue);
                }
            }
        }
    }
    found
}

/// A question in words: `its execution failed too often: retry, skip or abort?`
pub(crate) fn question_words(asked: &Asked) -> String {
    match asked.plans.len() {
        0 => "its execution failed too often: retry it, skip it, or abort the run?".to_owned(),
        n => format!("which of its {n} plans is executed?"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixtures::folder;
    use super::*;
    use crate::rules::RunProgress;

    #[test]
    fn the_first_answer_counts_until_the_run_goes_on() {
        let asked = json!({"type": "question", "issue_id": "ISS-1"});
        let chosen = |choice: &str| json!({"type": "decision", "action": "execute", "issue_id": "ISS-1", "choice": choice});
        let queued = json!({"type": "issue", "issue_id": "ISS-1", "status": "queued"});
        let (retry, skip) = (chosen("retry"), chosen("skip"));
        for (events, answer, granted) in [
            (vec![&asked], Some(None), 0),
            (vec![&asked, &retry], Some(Some(Choice::Retry)), 1),
            (vec![&asked, &skip, &retry], Some(Some(Choice::Skip)), 0),
            (vec![&asked, &retry, &retry], Some(Some(Choice::Retry)), 1),
            (vec![&asked, &retry, &queued], None, 1),
            (vec![&asked, &retry, &queued, &asked], Some(None), 1),
            // Runs of earlier versions do not record what they ask.
            (vec![&retry], None, 1),
        ] {
            let folder = folder(&["ISS-1"], (0..).zip(events.iter().map(|event| (*event).clone())).collect());
            let found = questions(&folder);
            let given = found.values().next().map(|question| question.answer.map(|answer| answer.choice));
            assert_eq!(given, answer, "{events:?}");
            let issue = IssueId::parse("ISS-1").unwrap();
            assert_eq!(RunProgress::of(&folder).granted(&issue), granted, "{events:?}");
        }
    }
}
