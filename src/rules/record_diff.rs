//! The difference of two JSON values, field by field: objects by their keys, lists of things with ids by those ids,
//! everything else as a whole. Values are compared, not their spelling: 1.0 equals 1.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::digest::canonical;

/// Deeper than this, values are compared as a whole.
const DEEPEST: usize = 64;

/// One field that differs.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FieldChange {
    /// Where: `description`, `tasks[T1].test.commands`, `tasks[]` for the order of a list; empty for the value itself.
    pub(crate) path: String,
    /// The value before; absent if the field did not exist.
    pub(crate) old: Option<Value>,
    /// The value now; absent if the field no longer exists.
    pub(crate) new: Option<Value>,
}

impl FieldChange {
    /// The list element that the field belongs to (`tasks`, `T1`), and the rest of the path.
    pub(crate) fn member(&self) -> Option<(&str, &str, &str)> {
        let (list, rest) = self.path.split_once('[')?;
        let (id, rest) = rest.split_once(']')?;
        (!id.is_empty()).then(|| (list, id, rest.strip_prefix('.').unwrap_or(rest)))
    }
}

/// The differences, in the order of the new value's fields; removed fields come last. Equal values have none.
pub(crate) fn differences(old: &Value, new: &Value) -> Vec<FieldChange> {
    let mut found = Vec::new();
    compare("", Some(old), Some(new), 0, &mut found);
    found
}

fn compare(path: &str, old: Option<&Value>, new: Option<&Value>, depth: usize, found: &mut Vec<FieldChange>) {
    match (old, new) {
        (Some(old), Some(new)) if canonical(old) == canonical(new) => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) if depth < DEEPEST => {
            for name in new.keys().chain(old.keys().filter(|name| !new.contains_key(*name))) {
                compare(&member_path(path, name), old.get(name), new.get(name), depth + 1, found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if depth < DEEPEST => {
            match (members(before), members(after)) {
                (Some(before), Some(after)) => members_differ(path, &before, &after, depth, found),
                _ => found.push(FieldChange { path: path.to_owned(), old: old.cloned(), new: new.cloned() }),
            }
        }
        (old, new) => {
            found.push(FieldChange { path: path.to_owned(), old: old.cloned(), new: new.cloned() });
        }
    }
}

fn member_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

type Members<'a> = Vec<(&'a str, &'a Value)>;

fn members_differ(
    path: &str,
    before: &Members<'_>,
    after: &Members<'_>,
    depth: usize,
    found: &mut Vec<FieldChange>,
) {
    let gone = before.iter().filter(|(id, _)| position_of(after, id).is_none());
    for (id, _) in after.iter().chain(gone) {
        let old = position_of(before, id).map(|at| before[at].1);
        let new = position_of(after, id).map(|at| after[at].1);
        compare(&format!("{path}[{id}]"), old, new, depth + 1, found);
    }
    let (old, new) = (kept_members(before, after), kept_members(after, before));
    if old != new {
        found.push(FieldChange { path: format!("{path}[]"), old: Some(old.into()), new: Some(new.into()) });
    }
}

fn kept_members(list: &Members<'_>, other: &Members<'_>) -> Vec<Value> {
    list.iter().filter(|(id, _)| position_of(other, id).is_some()).map(|(id, _)| Value::from(*id)).collect()
}

fn position_of(list: &Members<'_>, id: &str) -> Option<usize> {
    list.iter().position(|(other, _)| *other == id)
}

/// The members of a list by their ids; none if an id is missing or repeated.
fn members(list: &[Value]) -> Option<Members<'_>> {
    let mut seen = std::collections::BTreeSet::new();
    list.iter()
        .map(|member| {
            let id = member.as_object()?.get("id")?.as_str()?;
            (!id.is_empty() && !id.contains(['[', ']']) && seen.insert(id)).then_some((id, member))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn lines(old: &Value, new: &Value) -> Vec<String> {
        let shown = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::to_string);
        differences(old, new)
            .iter()
            .map(|difference| {
                format!("{} {} {}", difference.path, shown(&difference.old), shown(&difference.new))
            })
            .collect()
    }

    #[test]
    fn fields_and_members_are_named() {
        let old = json!({"description": "a", "score": 1.0, "gone": [1], "tasks": [
            {"id": "T1", "title": "one", "test": {"commands": ["x"]}},
            {"id": "T2", "title": "two"},
            {"id": "T3", "title": "three"}
        ]});
        let new = json!({"description": "b", "score": 1, "tasks": [
            {"id": "T3", "title": "three"},
            {"id": "T1", "title": "one", "test": {"commands": ["x", "y"]}, "scope": "src"},
            {"id": "T4", "title": "four"}
        ]});
        assert_eq!(
            lines(&old, &new),
            [
                r#"description "a" "b""#,
                r#"tasks[T1].test.commands ["x"] ["x","y"]"#,
                r#"tasks[T1].scope - "src""#,
                r#"tasks[T4] - {"id":"T4","title":"four"}"#,
                r#"tasks[T2] {"id":"T2","title":"two"} -"#,
                r#"tasks[] ["T1","T3"] ["T3","T1"]"#,
                r"gone [1] -",
            ]
        );
        let found = differences(&old, &new);
        assert_eq!(found[1].member(), Some(("tasks", "T1", "test.commands")));
        assert_eq!(found[3].member(), Some(("tasks", "T4", "")));
        assert_eq!((found[0].member(), found[5].member()), (None, None));
    }

    #[test]
    fn a_list_without_ids_of_their_own_is_one_value() {
        for (old, new) in [
            (json!([{"id": "a"}, {"id": "a"}]), json!([{"id": "a"}])),
            (json!([{"id": 1}]), json!([{"id": 2}])),
            (json!([1, 2]), json!([2, 1])),
            (json!([{"id": "a]b"}]), json!([{"id": "x"}])),
        ] {
            assert_eq!(
                differences(&old, &new),
                [FieldChange { path: String::new(), old: Some(old), new: Some(new) }]
            );
        }
    }

    fn anything() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![Just(Value::Null), (0..3i64).prop_map(Value::from), "[ab]?".prop_map(Value::from)];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let keys = prop::sample::select(vec!["id", "a", "b"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((keys, inner), 0..4).prop_map(|pairs| Value::Object(
                    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn there_is_a_difference_just_where_the_values_differ(old in anything(), new in anything()) {
            prop_assert!(differences(&old, &old).is_empty());
            prop_assert_eq!(differences(&old, &new).is_empty(), canonical(&old) == canonical(&new));
            let back = differences(&new, &old);
            prop_assert_eq!(differences(&old, &new).len(), back.len());
        }
    }
}
