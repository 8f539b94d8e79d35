//! Conflicts between the plans of a queue.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::queue::PlansByName;
use super::{UNKNOWN, text_in};
use crate::model::{ConflictType, QueueConflict, Resolution, Severity, SolutionId, Stamp, Time, entry_at};

/// A conflict that a queue declares. What is wrong with it is added to `notes`.
pub(super) fn read(
    given: &Value,
    plans: &PlansByName,
    created_at: Time,
    notes: &mut Vec<String>,
) -> Option<QueueConflict> {
    let between =
        ["solutions", "tasks", "issues"].into_iter().map(|name| resolved(plans, list_in(given, name)));
    let Some(solutions) = between.into_iter().find(|ids| ids.len() > 1) else {
        notes.push(format!("a conflict is not between two of its plans: {given}"));
        return None;
    };
    let word = text_in(given, "type").unwrap_or("file_conflict");
    let kind = match word.trim_end_matches("_conflict") {
        "resource" => ConflictType::Architecture,
        word => ConflictType::parse(word).unwrap_or(ConflictType::File),
    };
    let file = text_in(given, "file")
        .or_else(|| list_in(given, "files").first().and_then(Value::as_str))
        .map(str::to_owned);
    let is_decided = given.get("resolved").and_then(Value::as_bool).unwrap_or(true);
    let order = resolved(plans, list_in(given, "resolution_order"));
    let created_at = text_in(given, "created_at").and_then(Time::parse).unwrap_or(created_at);
    let resolution = text_in(given, "resolution").and_then(Resolution::parse);
    // People write there what was decided, in their own words.
    let words = text_in(given, "resolution").filter(|words| resolution.is_none() && !words.trim().is_empty());
    if let Some(words) = words {
        notes.push(format!(
            "the resolution `{words}` of a conflict became its reason: here, a resolution is sequential, merge or manual"
        ));
    }
    let reasons: Vec<&str> = words.into_iter().chain(text_in(given, "rationale")).collect();
    Some(entry_at(&Stamp::import(created_at), |id| QueueConflict {
        id,
        kind,
        severity: text_in(given, "severity").and_then(Severity::parse).unwrap_or(kind.severity()),
        solutions,
        file,
        resolution: resolution.unwrap_or(Resolution::Sequential),
        resolution_order: if is_decided { order } else { vec![] },
        rationale: (!reasons.is_empty()).then(|| reasons.join("\n")),
        resolves: None,
        author: text_in(given, "author").unwrap_or(UNKNOWN).into(),
        created_at,
    }))
}

fn resolved(plans: &PlansByName, names: &[Value]) -> Vec<SolutionId> {
    let mut ids: Vec<SolutionId> = Vec::new();
    for id in names.iter().filter_map(|name| plans.named(name.as_str()?)) {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

fn list_in<'a>(given: &'a Value, name: &str) -> &'a [Value] {
    given.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
}

/// A conflict as ccw keeps it, which names plans by their items.
pub(super) fn write(conflict: &QueueConflict, numbers: &BTreeMap<&SolutionId, String>) -> Value {
    let mut map = Map::new();
    let kind = match conflict.kind {
        ConflictType::File | ConflictType::Dependency => format!("{}_conflict", conflict.kind),
        _ => conflict.kind.to_string(),
    };
    map.insert("type".into(), kind.into());
    map.insert("severity".into(), conflict.severity.as_str().into());
    map.insert("solutions".into(), named(numbers, &conflict.solutions).into());
    if let Some(file) = &conflict.file {
        map.insert("file".into(), file.clone().into());
    }
    map.insert("resolution".into(), conflict.resolution.as_str().into());
    if !conflict.resolution_order.is_empty() {
        map.insert("resolution_order".into(), named(numbers, &conflict.resolution_order).into());
    }
    if let Some(rationale) = &conflict.rationale {
        map.insert("rationale".into(), rationale.clone().into());
    }
    map.insert("resolved".into(), (!conflict.resolution_order.is_empty()).into());
    map.insert("created_at".into(), conflict.created_at.to_string().into());
    if conflict.author != UNKNOWN {
        map.insert("author".into(), conflict.author.as_str().into());
    }
    Value::Object(map)
}

fn named(numbers: &BTreeMap<&SolutionId, String>, ids: &[SolutionId]) -> Vec<Value> {
    ids.iter().map(|id| numbers.get(id).map_or(id.as_str(), String::as_str).into()).collect()
}
