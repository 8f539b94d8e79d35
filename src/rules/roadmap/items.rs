//! The layers or tasks of a document, in one form.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::roadmap::{Effort, Layer, RoadmapTask};
use crate::model::{
    Convergence, LifecycleRequirements, Priority, Risk, RoadmapChoice, RoadmapDocument, RoadmapEvent,
    RoadmapMode,
};
use crate::rules::RoadmapFolder;

/// A layer or a task: each is an issue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    /// Its id in the document.
    pub(crate) id: String,
    /// The name of the layer, or the type of the task.
    pub(crate) label: String,
    /// The goal of the layer, or the title of the task.
    pub(crate) goal: String,
    /// From 1 on; later waves build on earlier ones.
    pub(crate) wave: u64,
    /// The features or files that it covers.
    pub(crate) scope: Vec<String>,
    /// What it leaves to other items.
    pub(crate) excludes: Vec<String>,
    /// Its inputs.
    pub(crate) inputs: Vec<String>,
    /// Its outputs.
    pub(crate) outputs: Vec<String>,
    /// When it is done.
    pub(crate) convergence: Convergence,
    /// What could go wrong.
    pub(crate) risks: Vec<Risk>,
    /// By its effort.
    pub(crate) priority: Priority,
    /// Items that must be done first, by their ids in the document.
    pub(crate) depends_on: Vec<String>,
    /// How it is worked on.
    pub(crate) lifecycle: LifecycleRequirements,
}

/// How a document splits its requirement.
pub(crate) fn mode(document: &RoadmapDocument) -> RoadmapMode {
    if document.layers.is_empty() { RoadmapMode::Direct } else { RoadmapMode::Progressive }
}

/// How a stored roadmap splits its requirement. If all its layers or tasks are hidden, its log still names them; `None` if
/// nothing says it.
pub(crate) fn known_mode(folder: &RoadmapFolder) -> Option<RoadmapMode> {
    let document = folder.roadmap.record.read().unwrap_or_default();
    if !(document.layers.is_empty() && document.tasks.is_empty()) {
        return Some(mode(&document));
    }
    document.mode.and_then(RoadmapChoice::mode).or_else(|| named_issues(folder))
}

fn named_issues(folder: &RoadmapFolder) -> Option<RoadmapMode> {
    let revisions = folder.log.iter().filter_map(|entry| match &entry.event {
        RoadmapEvent::Revision(revision) => Some(revision),
        _ => None,
    });
    let mut modes =
        revisions.flat_map(|revision| &revision.created).filter_map(|id| match id.chars().next()? {
            'L' => Some(RoadmapMode::Progressive),
            'T' => Some(RoadmapMode::Direct),
            _ => None,
        });
    let first = modes.next()?;
    modes.all(|mode| mode == first).then_some(first)
}

/// The title of a document: its own, else the goal of its assessment, else the first line of the requirement.
pub(crate) fn title(document: &RoadmapDocument) -> Option<&str> {
    let given = document
        .title
        .as_deref()
        .or_else(|| document.assessment.as_ref().and_then(|assessment| assessment.goal.as_deref()))
        .or_else(|| document.requirement.as_deref().and_then(|text| text.trim().lines().next()));
    given.map(str::trim).filter(|title| !title.is_empty())
}

/// The number of a layer: 0 for `L0`.
pub(crate) fn layer(id: &str) -> Option<u64> {
    let number = id.strip_prefix('L')?;
    (number.len() == 1).then(|| number.parse().ok()).flatten()
}

/// Every item in the order of the document. Each document has some, whatever is wrong with it.
pub(crate) fn items(document: &RoadmapDocument) -> Vec<Item> {
    let lifecycle = document.lifecycle_requirements.as_ref();
    if mode(document) == RoadmapMode::Progressive {
        return document.layers.iter().map(|layer| of_layer(layer, lifecycle)).collect();
    }
    let waves = waves(&document.tasks);
    document.tasks.iter().zip(waves).map(|(task, wave)| of_task(task, wave, lifecycle)).collect()
}

/// A layer as an item; `lifecycle` is that of the document.
pub(crate) fn of_layer(part: &Layer, lifecycle: Option<&LifecycleRequirements>) -> Item {
    Item {
        id: part.id.clone(),
        label: part.name.clone(),
        goal: part.goal.clone(),
        wave: layer(&part.id).unwrap_or(0) + 1,
        scope: part.scope.0.clone(),
        excludes: part.excludes.0.clone(),
        inputs: vec![],
        outputs: vec![],
        convergence: part.convergence.clone(),
        risks: part.risks.clone(),
        priority: part.effort.priority(),
        depends_on: part.depends_on.clone(),
        lifecycle: with_defaults(part.lifecycle_requirements.as_ref(), lifecycle),
    }
}

/// A task as an item.
pub(crate) fn of_task(task: &RoadmapTask, wave: u64, lifecycle: Option<&LifecycleRequirements>) -> Item {
    Item {
        id: task.id.clone(),
        label: task.kind.clone(),
        goal: task.title.clone(),
        wave,
        scope: task.scope.0.clone(),
        excludes: vec![],
        inputs: task.inputs.0.clone(),
        outputs: task.outputs.0.clone(),
        convergence: task.convergence.clone(),
        risks: task.risks.clone(),
        priority: task.effort.map(Effort::priority).unwrap_or_default(),
        depends_on: task.depends_on.clone(),
        lifecycle: with_defaults(task.lifecycle_requirements.as_ref(), lifecycle),
    }
}

/// The item's own settings, else the document's, else defaults that fit most work.
fn with_defaults(
    own: Option<&LifecycleRequirements>,
    common: Option<&LifecycleRequirements>,
) -> LifecycleRequirements {
    LifecycleRequirements {
        test_strategy: word_or(own, common, |fields| &fields.test_strategy, "auto"),
        regression_scope: word_or(own, common, |fields| &fields.regression_scope, "affected"),
        acceptance_type: word_or(own, common, |fields| &fields.acceptance_type, "automated"),
        commit_strategy: word_or(own, common, |fields| &fields.commit_strategy, "per-task"),
    }
}

fn word_or(
    own: Option<&LifecycleRequirements>,
    common: Option<&LifecycleRequirements>,
    field: fn(&LifecycleRequirements) -> &Option<String>,
    otherwise: &str,
) -> Option<String> {
    let given = own
        .and_then(|fields| field(fields).clone())
        .or_else(|| common.and_then(|fields| field(fields).clone()));
    Some(given.unwrap_or_else(|| otherwise.to_owned()))
}

/// The wave of each task: the rank of its group, from 1, without gaps. A task without a group comes after the latest
/// task that it depends on. In a cycle there is no such order, but the loop ends anyway.
fn waves(tasks: &[RoadmapTask]) -> Vec<u64> {
    let mut waves: Vec<u64> = tasks.iter().map(|task| task.parallel_group.unwrap_or(1)).collect();
    for _ in 0..tasks.len() {
        let before = waves.clone();
        for (n, task) in tasks.iter().enumerate().filter(|(_, task)| task.parallel_group.is_none()) {
            let needed = tasks.iter().zip(&before).filter(|(other, _)| task.depends_on.contains(&other.id));
            let latest = needed.map(|(_, wave)| wave.saturating_add(1)).max();
            waves[n] = latest.unwrap_or(1);
        }
        if waves == before {
            break;
        }
    }
    let groups: BTreeSet<u64> = waves.iter().copied().collect();
    let place: BTreeMap<u64, u64> = groups.into_iter().zip(1..).collect();
    waves.iter().map(|group| place.get(group).copied().unwrap_or(*group)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::typed;
    use serde_json::{Value, json};

    fn task(id: &str, depends_on: &[&str], group: Option<u64>) -> Value {
        json!({"id": id, "title": "t", "type": "feature", "scope": "s", "depends_on": depends_on, "parallel_group": group,
            "convergence": {"criteria": ["c"], "verification": "v", "definition_of_done": "d"}})
    }

    #[test]
    fn a_task_without_a_group_comes_after_what_it_depends_on() {
        let waves = |tasks: Value| -> Vec<u64> {
            items(&typed::read(&json!({"tasks": tasks})).unwrap()).iter().map(|item| item.wave).collect()
        };
        assert_eq!(
            waves(json!([task("T1", &["T3"], None), task("T2", &[], None), task("T3", &["T2"], Some(4))])),
            [3, 1, 2]
        );
        let far = [task("T1", &[], Some(7)), task("T2", &[], Some(1)), task("T3", &[], Some(1))];
        assert_eq!(waves(json!(far)), [2, 1, 1], "groups have no gaps");
        assert_eq!(waves(json!([task("T1", &["T2"], None), task("T2", &["T1"], None)])).len(), 2);
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let mut given = json!({"lifecycle_requirements": {"test_strategy": "unit", "acceptance_type": "manual"},
            "tasks": [task("T1", &[], None)]});
        given["tasks"][0]["lifecycle_requirements"] = json!({"test_strategy": "e2e"});
        given["tasks"][0]["effort"] = json!("large");
        let item = items(&typed::read(&given).unwrap()).remove(0);
        let words =
            [item.lifecycle.test_strategy, item.lifecycle.acceptance_type, item.lifecycle.commit_strategy];
        assert_eq!(words.map(Option::unwrap), ["e2e", "manual", "per-task"]);
        assert_eq!(item.priority.number(), 2);
    }

    #[test]
    fn the_title_is_the_first_that_is_given() {
        let of = |document: Value| title(&typed::read(&document).unwrap()).map(str::to_owned);
        assert_eq!(of(json!({"requirement": "one\ntwo"})).as_deref(), Some("one"));
        assert_eq!(of(json!({"requirement": "one", "assessment": {"goal": "g"}})).as_deref(), Some("g"));
        assert_eq!(of(json!({"title": " t ", "requirement": "one"})).as_deref(), Some("t"));
        assert_eq!(of(json!({"title": " "})), None);
    }
}
