//! What an issue of GitHub says about others of its repository: what blocks it, and its parent.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::elsewhere::repository;
use crate::interchange::fields::Fields;
use crate::model::{Issue, IssueId};

/// The member in which the REST API names the parent.
const PARENT_ADDRESS: &str = "parent_issue_url";

impl Fields<'_> {
    /// Adds the dependencies and the parent to an issue.
    pub(super) fn blockers_and_parent(&mut self, issue: &mut Issue) {
        let map = self.map;
        let blockers = map.get("blockedBy");
        let listed =
            blockers.and_then(|blockers| blockers.as_array().or_else(|| blockers.get("nodes")?.as_array()));
        for given in listed.into_iter().flatten() {
            match issue_of(map, given) {
                Some(id) if id != issue.id => {
                    issue.depends_on.insert(id);
                }
                Some(_) => self.note("it is blocked by itself; `show ID --imported` shows it".into()),
                None => {
                    self.kept.insert("`blockedBy` names an issue elsewhere, which has no field here".into());
                }
            }
        }
        let count = blockers.and_then(|blockers| blockers.get("totalCount")?.as_u64()).unwrap_or(0);
        if listed.map_or(0, |nodes| nodes.len() as u64) < count {
            self.kept.insert("only some of `blockedBy` is in the source".into());
        }
        let parent = map.get("parent").filter(|parent| parent.is_object());
        let has_parent = parent.is_some() || map.get(PARENT_ADDRESS).is_some_and(Value::is_string);
        match parent.and_then(|parent| issue_of(map, parent)).or_else(|| parent_by_address(map)) {
            Some(id) if id != issue.id => {
                issue.relations.insert(format!("parent-child:{id}"));
            }
            Some(_) => self.note("it is its own parent; `show ID --imported` shows it".into()),
            None if has_parent => {
                self.kept.insert("`parent` names an issue elsewhere, which has no field here".into());
            }
            None => {}
        }
    }
}

/// The numbers of the issues of the same repository that block the issue of a record.
pub(super) fn blockers(map: &Map<String, Value>) -> BTreeSet<u64> {
    let blockers = map.get("blockedBy");
    let listed =
        blockers.and_then(|blockers| blockers.as_array().or_else(|| blockers.get("nodes")?.as_array()));
    listed.into_iter().flatten().filter_map(|given| number_of(&issue_of(map, given)?)).collect()
}

/// The number of its parent, if that is one of the same repository.
pub(super) fn parent(map: &Map<String, Value>) -> Option<u64> {
    let named =
        map.get("parent").filter(|parent| parent.is_object()).and_then(|parent| issue_of(map, parent));
    number_of(&named.or_else(|| parent_by_address(map))?)
}

fn number_of(id: &IssueId) -> Option<u64> {
    id.as_str().strip_prefix("GH-")?.parse().ok()
}

/// The issue that a record names, if it is one of the same repository.
fn issue_of(map: &Map<String, Value>, given: &Value) -> Option<IssueId> {
    let number = super::number(given.get("number")?)?;
    let own = repository_of(map);
    let named = given
        .get("repository")
        .and_then(|repository| repository.get("nameWithOwner").unwrap_or(repository).as_str());
    let other = named.map(str::to_ascii_lowercase).or_else(|| repository(given));
    let is_elsewhere = own.zip(other).is_some_and(|(own, other)| own != other);
    if is_elsewhere { None } else { IssueId::parse(&format!("GH-{number}")).ok() }
}

/// The parent by its address in the REST API, `https://api.github.com/repos/OWNER/NAME/issues/NUMBER`.
fn parent_by_address(map: &Map<String, Value>) -> Option<IssueId> {
    let address = map.get(PARENT_ADDRESS)?.as_str()?;
    let (_, path) = address.split_once("/repos/")?;
    let (name, number) = path.split_once("/issues/")?;
    let is_here = repository_of(map).is_none_or(|own| own == name.to_ascii_lowercase());
    if !is_here {
        return None;
    }
    let number = super::number(&number.into())?;
    IssueId::parse(&format!("GH-{number}")).ok()
}

fn repository_of(map: &Map<String, Value>) -> Option<String> {
    repository(&Value::Object(
        ["html_url", "url"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), map.get(*name)?.clone())))
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::interchange::github::read;

    fn arrive(more: &serde_json::Value) -> (Vec<String>, Vec<String>, usize) {
        let mut record = json!({"number": 1, "title": "Feed", "state": "OPEN", "createdAt": "2026-11-01T08:00:00Z",
            "url": "https://github.com/zoo/okapi/issues/1"});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let arrival = read(&record).unwrap();
        let depends = arrival.issue.depends_on.iter().map(ToString::to_string).collect();
        (depends, arrival.issue.relations.into_iter().collect(), arrival.kept.len())
    }

    #[test]
    fn blockers_and_parents_of_the_same_repository_are_linked() {
        let at = |name: &str, number: u64| json!({"number": number, "url": format!("https://github.com/{name}/issues/{number}")});
        let found = arrive(
            &json!({"blockedBy": {"nodes": [at("Zoo/okapi", 2), at("zoo/gnu", 9), at("zoo/okapi", 1)],
            "totalCount": 3}, "parent": at("zoo/okapi", 3)}),
        );
        assert_eq!(found, (vec!["GH-2".to_owned()], vec!["parent-child:GH-3".to_owned()], 1));
        let found = arrive(&json!({"blockedBy": [{"number": 4}], "parent": at("zoo/gnu", 3)}));
        assert_eq!(found, (vec!["GH-4".to_owned()], vec![], 1));
        let parent = "https://api.github.com/repos/zoo/okapi/issues/7";
        assert_eq!(arrive(&json!({"parent_issue_url": parent})).1, ["parent-child:GH-7"]);
        assert_eq!(arrive(&json!({"blockedBy": {"nodes": [], "totalCount": 2}, "parent": null})).2, 1);
        assert_eq!(arrive(&json!({"blockedBy": {"nodes": [], "totalCount": 0}, "parent": null})).2, 0);
    }
}
