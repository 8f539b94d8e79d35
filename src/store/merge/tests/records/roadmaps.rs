//! Versions of a roadmap, and of an entry of its log.

use serde_json::json;

use super::{Life, doc, entry, issue_id, time};
use crate::model::{ROADMAP, Roadmap, RoadmapEvent, RoadmapFeedback, RoadmapId, RoadmapLogEntry};
use crate::store::layout;

pub(super) fn id() -> RoadmapId {
    RoadmapId::parse("RMAP-用户-导出-20261121-4c8w1z0p").unwrap()
}

pub(super) fn roadmap(life: &Life) -> Vec<u8> {
    let start = Roadmap {
        id: id(),
        author: format!("author {}", life.birth.who).into(),
        created_at: time(0),
        title: "as it was".into(),
        document: json!({"title": "t", "requirement": "r"}),
        issue_ids: [issue_id()].into(),
    };
    doc(&ROADMAP, life, &serde_json::to_value(start).unwrap(), |data, what| match what {
        0 => data["title"] = json!(format!("title {what}")),
        1 => data["issue_ids"] = json!(["GH-1", "GH-2"]),
        2 => data["issue_ids"] = json!(["GH-3"]),
        3 | 4 => data["document"] = json!({"title": "t"}),
        5 | 6 => data["document"] = json!({"requirement": "r"}),
        7 => data["document"] = json!({"tasks": [{"id": format!("T{what}")}], "more": 1.50}),
        8 => data["document"] = json!({}),
        _ => data["of_a_later_version"] = json!(what),
    })
}

pub(super) fn logged(life: &Life) -> (String, Vec<u8>) {
    let scope = Some(format!("text {}", life.writes.len()));
    entry(&layout::roadmap_log(&id()), life, |id| RoadmapLogEntry {
        id,
        event: RoadmapEvent::Feedback(RoadmapFeedback { scope, ..RoadmapFeedback::default() }),
        actor: "a".into(),
        at: time(0),
    })
}
