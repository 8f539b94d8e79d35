//! A file that nobody changed says nothing new: if a part of a document is as in an earlier version, what someone else
//! has changed in it since is kept.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::{Person, PlanDigest, RoadmapEvent, RoadmapLogEntry};

/// A part of a document that someone changed since the version that was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Outdated {
    /// The layer or task, or the name of another part.
    pub(crate) part: String,
    /// Who last changed it, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<Person>,
}

/// The digest of each part of a document, as it is stored: layers and tasks by their issues.
pub(crate) fn parts(document: &Value) -> BTreeMap<String, PlanDigest> {
    let members = document.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.clone(), PlanDigest::of_plan(value))).collect()
}

/// The documents that were added, in order: who added each, and its parts.
fn versions(log: &[RoadmapLogEntry]) -> Vec<(&Person, &BTreeMap<String, PlanDigest>)> {
    let mut found = Vec::new();
    for entry in log {
        if let RoadmapEvent::Revision(revision) = &entry.event
            && !revision.parts.is_empty()
        {
            found.push((&entry.actor, &revision.parts));
        }
    }
    found
}

/// The issue of a layer or task that some version had with exactly this content.
pub(crate) fn earlier_issue<'a>(log: &'a [RoadmapLogEntry], item: &Value) -> Option<&'a str> {
    let digest = PlanDigest::of_plan(item);
    let mut all = versions(log).into_iter().rev().flat_map(|(_, parts)| parts);
    all.find(|(_, known)| **known == digest).map(|(name, _)| name.as_str())
}

/// The document `given`, with each part as it is `now` if `given` has it as an earlier version and `adder` never added one
/// with the present part since; and what that is.
pub(crate) fn renewed(
    given: &Map<String, Value>,
    now: &Map<String, Value>,
    log: &[RoadmapLogEntry],
    adder: &Person,
) -> (Map<String, Value>, Vec<Outdated>) {
    let versions = versions(log);
    let mut renewed = given.clone();
    let mut outdated = Vec::new();
    let names: BTreeSet<&String> = given.keys().chain(now.keys()).collect();
    for name in names {
        let (old, new) = (given.get(name), now.get(name));
        if old == new {
            continue;
        }
        let [old_digest, new_digest] = [old, new].map(|value| value.map(PlanDigest::of_plan));
        let Some(first) = versions.iter().position(|(_, parts)| has_part(name, parts, &old_digest)) else {
            continue;
        };
        let later = &versions[first..];
        if later.iter().any(|(author, parts)| *author == adder && has_part(name, parts, &new_digest)) {
            continue;
        }
        match new {
            Some(value) => renewed.insert(name.clone(), value.clone()),
            None => renewed.shift_remove(name),
        };
        let id = new.or(old).and_then(|part| part.get("id")?.as_str());
        let by = later.iter().rfind(|(_, parts)| has_part(name, parts, &new_digest));
        outdated.push(Outdated {
            part: id.unwrap_or(name).to_owned(),
            author: by.map(|(author, _)| (*author).clone()),
        });
    }
    (renewed, outdated)
}

fn has_part(name: &str, parts: &BTreeMap<String, PlanDigest>, digest: &Option<PlanDigest>) -> bool {
    parts.get(name) == digest.as_ref()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::fixtures::entry_id;
    use crate::model::{RoadmapRevision, Time};

    fn document(one: &str, two: &str) -> Value {
        json!({"title": "t", "ISS-1": {"id": "L0", "goal": one}, "ISS-2": {"id": "L1", "goal": two}})
    }

    fn log(versions: &[(&str, &Value)]) -> Vec<RoadmapLogEntry> {
        let entry = |(n, (actor, document)): (usize, &(&str, &Value))| RoadmapLogEntry {
            id: entry_id(&format!("20261121T021405123Z-{n:05}")),
            event: RoadmapEvent::Revision(RoadmapRevision { parts: parts(document), ..Default::default() }),
            actor: (*actor).into(),
            at: Time::EPOCH,
        };
        versions.iter().enumerate().map(entry).collect()
    }

    fn renew(given: &Value, now: &Value, log: &[RoadmapLogEntry], adder: &str) -> (Value, Vec<String>) {
        let [given, now] = [given, now].map(|document| document.as_object().unwrap());
        let (renewed, outdated) = renewed(given, now, log, &adder.into());
        (Value::Object(renewed), outdated.into_iter().map(|outdated| outdated.part).collect())
    }

    #[test]
    fn a_part_that_nobody_changed_in_the_file_does_not_undo_a_later_change() {
        let (first, second) = (document("a", "b"), document("c", "b"));
        let known = log(&[("Ada", &first), ("Bea", &second)]);
        assert_eq!(renew(&first, &second, &known, "Ada"), (second.clone(), vec!["L0".to_owned()]));
        // Ada changes another part of her file.
        let changed = document("a", "d");
        assert_eq!(renew(&changed, &second, &known, "Ada"), (document("c", "d"), vec!["L0".to_owned()]));
        // Someone who knows the present version goes back to an earlier one on purpose.
        assert_eq!(renew(&first, &second, &known, "Bea"), (first.clone(), vec![]));
        let third = document("e", "b");
        assert_eq!(renew(&third, &second, &known, "Ada"), (third, vec![]), "a new version");
        assert_eq!(earlier_issue(&known, &first["ISS-1"]), Some("ISS-1"));
        assert_eq!(earlier_issue(&known, &json!({"id": "L0"})), None);
    }

    #[test]
    fn a_part_that_came_or_went_since_is_not_undone_either() {
        let (few, many) = (json!({"title": "t"}), document("a", "b"));
        let known = log(&[("Ada", &few), ("Bea", &many)]);
        let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(renew(&few, &many, &known, "Ada"), (many.clone(), of(&["L0", "L1"])));
        let known = log(&[("Ada", &few), ("Ada", &many), ("Bea", &few)]);
        assert_eq!(renew(&many, &few, &known, "Ada"), (few.clone(), of(&["L0", "L1"])));
        assert_eq!(renew(&many, &few, &log(&[]), "Ada"), (many.clone(), vec![]), "nothing is known");
    }
}
