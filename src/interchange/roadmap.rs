//! The layers and tasks of a roadmap as records of a source, so that its issues are merged with existing ones like
//! those of any other tracker: field by field, and the document added last wins.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::lines::Unreadable;
use super::tracker::{Arrival, Each, FoundRecord, Records, RefusedRecord, Tracker};
use crate::model::{
    Issue, IssueId, LifecycleRequirements, Person, RoadmapId, RoadmapMode, Source, StoredStatus, Time, Uid,
    text_enum, typed,
};
use crate::rules::Item;
use crate::rules::roadmap::{issue_text, issue_title, of_layer, of_task, tags};

text_enum!(
    /// What happens to the issue of a layer or task that the document no longer has.
    Fate {
        /// It stays open, and is in no wave.
        Keep = "keep",
        /// It is cancelled.
        Cancel = "cancel",
    }
);

#[serde_with::skip_serializing_none]
/// A layer or task with everything that its issue is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoadmapRecord {
    /// The roadmap.
    pub(crate) roadmap: RoadmapId,
    /// Layers or tasks.
    pub(crate) mode: RoadmapMode,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// Who added the roadmap.
    pub(crate) author: Person,
    /// When they added it, which is part of the id: each clone makes the same issue.
    pub(crate) created_at: Time,
    /// When the layer or task last changed.
    pub(crate) changed: Time,
    /// Its wave.
    pub(crate) wave: u64,
    /// The issues of what it depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) depends_on: Vec<IssueId>,
    /// Set once the document no longer has it.
    #[serde(default)]
    pub(crate) gone: Option<Fate>,
    /// What the document says of how every issue is worked on.
    #[serde(default)]
    pub(crate) lifecycle_requirements: Option<LifecycleRequirements>,
    /// The layer or task as its planner wrote it.
    #[serde(deserialize_with = "typed::any")]
    pub(crate) item: Value,
}

/// The id of the issue for a layer or task with this goal or title; the same in every clone. `number`, from 1,
/// distinguishes layers or tasks with the same one.
pub(crate) fn issue_id(roadmap: &RoadmapId, created_at: Time, goal: &str, number: u32) -> IssueId {
    let number = number.to_string();
    IssueId::made(
        created_at,
        &Uid::from_content(&[roadmap.as_str().as_bytes(), goal.as_bytes(), number.as_bytes()]),
    )
}

/// Roadmaps.
pub(crate) static ROADMAP: Tracker = Tracker {
    name: "a roadmap",
    is_own: |record| record.get("roadmap").is_some() && record.get("item").is_some(),
    read: arrival,
    completed: None,
    union: None,
    is_elsewhere: None,
    foreign: None,
    kept,
    follows_plans: false,
    is_dated_by_file: false,
    hint: "a roadmap has layers or tasks",
};

impl RoadmapRecord {
    /// The record in an issue that was made for a roadmap.
    pub(crate) fn from_issue(issue: &Issue) -> Option<Self> {
        issue
            .imported
            .as_ref()
            .filter(|record| (ROADMAP.is_own)(record))
            .and_then(|record| typed::read(record).ok())
    }

    /// The layer or task.
    ///
    /// # Errors
    /// What is wrong with the layer or task.
    pub(crate) fn read(&self) -> Result<Item, String> {
        let common = self.lifecycle_requirements.as_ref();
        match self.mode {
            RoadmapMode::Progressive => typed::read(&self.item).map(|layer| of_layer(&layer, common)),
            RoadmapMode::Direct => typed::read(&self.item).map(|task| of_task(&task, self.wave, common)),
        }
        .map_err(|error| error.to_string())
    }

    /// Whether the content is the same, whatever the time.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        Self { changed: self.changed, ..other.clone() } == *self
    }

    /// Its id in the document.
    pub(crate) fn item_id(&self) -> &str {
        self.item.get("id").and_then(Value::as_str).unwrap_or_default()
    }
}

fn arrival(record: &Value) -> Result<Arrival, RefusedRecord> {
    let roadmap: RoadmapRecord =
        typed::read(record).map_err(|error| RefusedRecord::fault(None, error.to_string()))?;
    let item = roadmap.read().map_err(|why| RefusedRecord::fault(None, why))?;
    let mut issue =
        Issue::new(roadmap.issue_id.clone(), roadmap.author.clone(), roadmap.created_at, issue_title(&item));
    issue.source = Some(Source::Text);
    issue.context = Some(issue_text(&item));
    issue.priority = item.priority;
    issue.tags = tags(&item, roadmap.mode, roadmap.gone.is_some());
    issue.depends_on = roadmap.depends_on.iter().cloned().collect();
    issue.extended_context.notes = Some(json!({
        "session": roadmap.roadmap, "strategy": roadmap.mode, "original_id": item.id, "wave": roadmap.wave,
        "depends_on_issues": issue.depends_on
    }));
    issue.lifecycle_requirements = item.lifecycle;
    if roadmap.mode == RoadmapMode::Direct {
        issue.issue_type = Some(item.label.trim().to_owned());
    }
    if roadmap.gone == Some(Fate::Cancel) {
        issue.status = StoredStatus::Cancelled;
        issue.close_reason = Some(format!("{} is no longer part of {}", item.id, roadmap.roadmap));
    }
    Ok(Arrival::new(issue, record.clone(), roadmap.changed))
}

/// The fields of a layer or task that this program does not know.
fn kept(record: &Value) -> Map<String, Value> {
    const KNOWN: &[&str] = &[
        "id",
        "name",
        "goal",
        "scope",
        "excludes",
        "convergence",
        "risks",
        "effort",
        "depends_on",
        "title",
        "type",
        "inputs",
        "outputs",
        "parallel_group",
        "lifecycle_requirements",
    ];
    let item = record.get("item").and_then(Value::as_object).cloned().unwrap_or_default();
    item.into_iter().filter(|(name, _)| !KNOWN.contains(&name.as_str())).collect()
}

/// Records in memory.
pub(crate) struct AtHand(pub(crate) Vec<Value>);

impl Records for AtHand {
    fn each(&mut self) -> Result<Each<'_>, Unreadable> {
        Ok(Box::new((1..).zip(&self.0).map(|(number, record)| {
            Ok(FoundRecord { unit: "item".into(), number, record: Ok(record.clone()) })
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> RoadmapRecord {
        let at = Time::parse("2026-11-21T02:14:05.123Z").unwrap();
        let roadmap = RoadmapId::parse("RMAP-export-20261121-4c8w1z0p").unwrap();
        RoadmapRecord {
            issue_id: issue_id(&roadmap, at, "export", 1),
            roadmap,
            mode: RoadmapMode::Direct,
            author: "Ada".into(),
            created_at: at,
            changed: at,
            wave: 3,
            depends_on: vec![IssueId::parse("ISS-1").unwrap()],
            gone: None,
            lifecycle_requirements: None,
            item: json!({"id": "T1", "title": "export", "type": "Feature", "scope": "src/a.rs", "more": {"b": 1},
                "convergence": {"criteria": ["c"], "verification": "v", "definition_of_done": "d"}}),
        }
    }

    fn read(record: &RoadmapRecord) -> Issue {
        arrival(&typed::own_json(record)).unwrap().issue
    }

    #[test]
    fn an_issue_has_everything_that_its_task_says() {
        let issue = read(&record());
        assert_eq!(
            (issue.title.as_str(), issue.issue_type.as_deref()),
            ("[Feature] export", Some("Feature"))
        );
        assert!(
            issue.tags.contains("wave-3") && issue.tags.contains("feature") && issue.tags.contains("roadmap")
        );
        assert_eq!(issue.depends_on.len(), 1);
        let notes = issue.extended_context.notes.as_ref().unwrap();
        assert_eq!(
            (&notes["original_id"], &notes["wave"], &notes["strategy"]),
            (&json!("T1"), &json!(3), &json!("direct"))
        );
        assert_eq!(notes["depends_on_issues"], json!(["ISS-1"]));
        assert_eq!(issue.lifecycle_requirements.test_strategy.as_deref(), Some("auto"));
        assert_eq!(kept(issue.imported.as_ref().unwrap())["more"], json!({"b": 1}));
        assert_eq!(RoadmapRecord::from_issue(&issue), Some(record()));
    }

    #[test]
    fn one_that_is_gone_is_in_no_wave() {
        let gone = |fate| read(&RoadmapRecord { gone: Some(fate), ..record() });
        let kept = gone(Fate::Keep);
        assert!(!kept.tags.contains("wave-3") && kept.tags.contains("roadmap"));
        assert_eq!(kept.status, StoredStatus::Registered);
        assert_eq!(gone(Fate::Cancel).status, StoredStatus::Cancelled);
        let later = RoadmapRecord { changed: record().changed.plus_millis(1), ..record() };
        assert!(later.is_like(&record()) && !later.is_like(&RoadmapRecord { wave: 4, ..record() }));
    }
}
