//! The groups of parallel items that queues of earlier versions list beside the items.

use std::collections::BTreeMap;

use serde_json::Value;

use super::says;

/// The member of a queue that lists them.
pub(super) const GROUPS: &str = "parallel_groups";

/// The member of an item with its group.
const GROUP: &str = "execution_group";

/// The queue with the group of each item in the item, as later versions have it, and whether all groups have a place
/// there.
pub(super) fn told(queue: &Value) -> (Value, bool) {
    let mut told = queue.clone();
    let groups = queue.get(GROUPS).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let lists = ["solutions", "queue"];
    let Some(items) = lists.iter().find_map(|list| queue.get(*list)?.as_array()) else {
        return (told, groups.iter().all(|group| !says(group)));
    };
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (n, item) in items.iter().enumerate() {
        let names = ["issue_id", "solution_id", "item_id"].into_iter();
        for name in names.filter_map(|name| item.get(name)?.as_str()) {
            named.entry(name).or_default().push(n);
        }
    }
    let mut of_items = vec![None; items.len()];
    let mut is_placed = true;
    for group in groups.iter().filter(|group| says(group)) {
        is_placed &= place(group, &mut named, &mut of_items);
    }
    let into = lists.iter().find(|list| queue.get(**list).is_some_and(Value::is_array));
    let items = into.and_then(|list| told.get_mut(*list)?.as_array_mut()).into_iter().flatten();
    for (item, group) in items.zip(of_items) {
        if let (Some(item), Some(group)) = (item.as_object_mut(), group)
            && !item.get(GROUP).is_some_and(says)
        {
            item.insert(GROUP.into(), group.into());
        }
    }
    (told, is_placed)
}

/// Puts the items of a group into it, each into the first that names it. Returns whether all could be.
fn place(group: &Value, named: &mut BTreeMap<&str, Vec<usize>>, of_items: &mut [Option<String>]) -> bool {
    let members = ["issues", "solutions", "items"].into_iter().find_map(|name| group.get(name)?.as_array());
    let name = ["group", "id"].into_iter().find_map(|name| group.get(name).filter(|name| says(name)));
    let Some(members) = members else { return false };
    let name = match name {
        Some(Value::String(name)) => name.clone(),
        // `P` are executed together, `S` alone.
        Some(Value::Number(number)) => format!("{}{number}", if members.len() > 1 { "P" } else { "S" }),
        _ => return false,
    };
    let mut is_placed = true;
    for member in members {
        match member.as_str().and_then(|member| named.get_mut(member)) {
            // Anyone who names it again means what has its place.
            Some(items) => {
                for n in std::mem::take(items) {
                    of_items[n].get_or_insert_with(|| name.clone());
                }
            }
            None => is_placed = false,
        }
    }
    is_placed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_item_of_a_group_gets_its_name_and_the_first_group_counts() {
        let item = |issue: &str, plan: &str| json!({"issue_id": issue, "solution_id": plan, "execution_group": null});
        let named = json!({"issue_id": "A-3", "execution_group": "own"});
        let queue = json!({"queue": [item("A-1", "p1"), item("A-1", "p2"), item("A-2", "p3"), named],
            "parallel_groups": [{"group": null, "id": "first", "issues": ["A-1", "A-3"]}, null, {},
                {"group": 2, "solutions": ["p3", "p1"]}]});
        let (told, is_placed) = told(&queue);
        let groups: Vec<&Value> =
            told["queue"].as_array().unwrap().iter().map(|item| &item["execution_group"]).collect();
        assert!(is_placed);
        assert_eq!(groups, ["first", "first", "P2", "own"]);
    }

    #[test]
    fn a_group_that_has_no_place_is_told() {
        let queue = |groups: &Value| json!({"queue": [{"issue_id": "A-1"}], "parallel_groups": groups});
        for groups in
            [json!([{"issues": ["A-1"]}]), json!([{"group": 1, "issues": ["A-9"]}]), json!([{"group": 1}])]
        {
            assert!(!told(&queue(&groups)).1, "{groups}");
        }
        assert!(!told(&json!({"parallel_groups": [{"group": 1, "issues": []}]})).1);
    }
}
