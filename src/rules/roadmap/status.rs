//! The status of a roadmap, from its log: the rounds of feedback, and whether its document is approved.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Person, RoadmapEvent, RoadmapFeedback, Time, text_enum};
use crate::rules::RoadmapFolder;

/// The maximum rounds of feedback; then a roadmap is executed as it is.
pub(crate) const MOST_ROUNDS: usize = 5;

text_enum!(
    /// The status of a roadmap.
    Status {
        /// Nobody has given feedback on its document.
        Planning = "planning",
        /// There was feedback, and its document is not approved.
        Refining = "refining",
        /// Its document is approved, or it has had the maximum number of rounds.
        Ready = "ready",
    }
);

text_enum!(
    /// What happened to a round of feedback.
    RoundStatus {
        /// No later document answers it.
        Open = "open",
        /// A later document answers it.
        Answered = "answered",
        /// The document was approved as it was.
        Approved = "approved",
    }
);

/// A round: feedback, and what changed after it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Round {
    /// From 1 on.
    pub(crate) round: usize,
    /// What should be otherwise.
    #[serde(flatten)]
    pub(crate) feedback: RoadmapFeedback,
    /// Who said so.
    pub(crate) author: Person,
    /// The time.
    pub(crate) at: Time,
    /// What the documents after it changed: `new L2`, `changed L0`, `gone T4`.
    pub(crate) changes: Vec<String>,
    /// What happened to it.
    pub(crate) status: RoundStatus,
}

/// The rounds of a roadmap, in order.
pub(crate) fn rounds(folder: &RoadmapFolder) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    for entry in &folder.log {
        match &entry.event {
            RoadmapEvent::Feedback(feedback) => rounds.push(Round {
                round: rounds.len() + 1,
                feedback: feedback.clone(),
                author: entry.actor.clone(),
                at: entry.at,
                changes: vec![],
                status: RoundStatus::Open,
            }),
            RoadmapEvent::Revision(revision) => {
                let parts =
                    [("new", &revision.created), ("changed", &revision.changed), ("gone", &revision.gone)];
                let changes = parts
                    .iter()
                    .flat_map(|(word, items)| items.iter().map(move |item| format!("{word} {item}")));
                if let Some(last) = rounds.last_mut() {
                    last.changes.extend(changes);
                }
                settle(&mut rounds, RoundStatus::Answered);
            }
            RoadmapEvent::Approval(_) => settle(&mut rounds, RoundStatus::Approved),
        }
    }
    rounds
}

fn settle(rounds: &mut [Round], status: RoundStatus) {
    for round in rounds.iter_mut().filter(|round| round.status == RoundStatus::Open) {
        round.status = status;
    }
}

/// The status of a roadmap.
pub(crate) fn status(folder: &RoadmapFolder) -> Status {
    let digest = folder.roadmap.record.digest();
    let is_approved = folder
        .log
        .iter()
        .any(|entry| matches!(&entry.event, RoadmapEvent::Approval(it) if it.document_digest == digest));
    let last_feedback = folder.log.iter().rposition(|entry| matches!(entry.event, RoadmapEvent::Feedback(_)));
    let last_approval = folder.log.iter().rposition(|entry| matches!(entry.event, RoadmapEvent::Approval(_)));
    let rounds = rounds(folder);
    let is_open = rounds.iter().any(|round| round.status == RoundStatus::Open);
    if is_approved && last_approval > last_feedback || rounds.len() >= MOST_ROUNDS && !is_open {
        Status::Ready
    } else if rounds.is_empty() {
        Status::Planning
    } else {
        Status::Refining
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use crate::model::{RoadmapApproval, RoadmapLogEntry, RoadmapRevision, typed};
    use crate::rules::Recorded;
    use serde_json::json;

    fn folder(events: &[&str]) -> RoadmapFolder {
        let record = typed::read(&json!({"id": "RMAP-a-20261121-4c8w1z0p", "author": "Ada", "title": "t",
            "created_at": "2026-11-21T02:14:05.123Z", "document": {"title": "t"}}));
        let record: crate::model::roadmap::Roadmap = record.unwrap();
        let digest = record.digest();
        let event = |word: &&str| match *word {
            "revision" => {
                RoadmapEvent::Revision(RoadmapRevision { changed: vec!["L0".into()], ..Default::default() })
            }
            "feedback" => {
                RoadmapEvent::Feedback(RoadmapFeedback { scope: Some("less".into()), ..Default::default() })
            }
            "approval" => RoadmapEvent::Approval(RoadmapApproval { document_digest: digest.clone() }),
            _ => RoadmapEvent::Approval(RoadmapApproval { document_digest: "sha256:other".into() }),
        };
        let log = events.iter().enumerate().map(|(n, word)| RoadmapLogEntry {
            id: entry_id(&format!("20261121T021405123Z-{n:05}")),
            event: event(word),
            actor: "Ada".into(),
            at: record.created_at,
        });
        let log = log.collect();
        RoadmapFolder { roadmap: Recorded { record, changed: None, decided: None }, log, broken: vec![] }
    }

    #[test]
    fn a_roadmap_is_ready_once_its_document_is_approved() {
        for (events, expected) in [
            (&["revision"][..], Status::Planning),
            (&["revision", "feedback"], Status::Refining),
            (&["revision", "feedback", "revision"], Status::Refining),
            (&["revision", "feedback", "revision", "approval"], Status::Ready),
            (&["revision", "approval", "feedback"], Status::Refining),
            (&["revision", "approval of another"], Status::Planning),
            (&["revision", "feedback", "approval of another"], Status::Refining),
        ] {
            assert_eq!(status(&folder(events)), expected, "{events:?}");
        }
        let five = ["feedback", "revision"].repeat(MOST_ROUNDS);
        assert_eq!(status(&folder(&five)), Status::Ready);
        assert_eq!(status(&folder(&five[..five.len() - 1])), Status::Refining, "the last one is open");
    }

    #[test]
    fn a_round_has_what_changed_after_it() {
        let all = rounds(&folder(&["revision", "feedback", "revision", "feedback", "approval", "feedback"]));
        let of: Vec<(usize, RoundStatus, usize)> =
            all.iter().map(|round| (round.round, round.status, round.changes.len())).collect();
        assert_eq!(
            of,
            [(1, RoundStatus::Answered, 1), (2, RoundStatus::Approved, 0), (3, RoundStatus::Open, 0)]
        );
        assert_eq!(all[0].changes, ["changed L0"]);
    }
}
