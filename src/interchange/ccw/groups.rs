//! The groups of parallel items that queues of earlier versions list beside the items.

use serde_json::Value;

/// The member of a queue that lists them.
pub(super) const GROUPS: &str = "parallel_groups";

/// The queue with the group of each item in the item, as later versions have it, and whether all groups have a place
/// there.
pub(super) fn told(queue: &Value) -> (Value, bool) {
    let mut told = queue.clone();
    let groups = queue.get(GROUPS).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_placed = groups.iter().all(|group| place(&mut told, group).is_some());
    (told, is_placed)
}

fn place(queue: &mut Value, group: &Value) -> Option<()> {
    let members =
        ["issues", "solutions", "items"].into_iter().find_map(|name| group.get(name)?.as_array())?;
    let name = match group.get("group").or_else(|| group.get("id"))? {
        Value::String(name) => name.clone(),
        // `P` are executed together, `S` alone.
        Value::Number(number) => format!("{}{number}", if members.len() > 1 { "P" } else { "S" }),
        _ => return None,
    };
    for member in members {
        let list =
            ["solutions", "queue"].into_iter().find(|list| queue.get(*list).is_some_and(Value::is_array))?;
        let mut items = queue.get_mut(list)?.as_array_mut()?.iter_mut();
        let item = items.find(|item| {
            ["issue_id", "solution_id", "item_id"].iter().any(|name| item.get(*name) == Some(member))
        })?;
        item.as_object_mut()?.entry("execution_group").or_insert_with(|| name.clone().into());
    }
    Some(())
}
