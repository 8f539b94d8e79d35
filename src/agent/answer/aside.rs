//! What an agent may add to any answer: what its session cost, and what it learned.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::read_typed;
use crate::model::Learned;
use crate::model::agent_session::ToldOfSession;

/// More is a report, not what others must know.
const MOST_LEARNED: usize = 20;

/// Members that every answer about an issue may have besides its own.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CommonMembers {
    /// What the agent reports about its own session.
    pub(crate) session: ToldOfSession,
    /// What others who work on this project should know: learnings, decisions, conventions, open questions.
    #[schemars(length(max = MOST_LEARNED))]
    pub(crate) wisdom: Vec<Learned>,
}

/// The names of these members.
const MEMBERS: [&str; 2] = ["session", "wisdom"];

impl CommonMembers {
    /// Splits an answer into what was asked for and what was added.
    ///
    /// # Errors
    /// What is wrong with what was added, each error with its place.
    pub(super) fn split(value: &Value) -> Result<(Cow<'_, Value>, Self), Vec<String>> {
        let Some(members) = value.as_object().filter(|it| MEMBERS.iter().any(|name| it.contains_key(*name)))
        else {
            return Ok((Cow::Borrowed(value), Self::default()));
        };
        let (added, rest): (Map<_, _>, Map<_, _>) =
            members.clone().into_iter().partition(|(name, _)| MEMBERS.contains(&name.as_str()));
        Ok((Cow::Owned(Value::Object(rest)), read_typed(&Value::Object(added))?))
    }

    /// An answer without these members, as the commands take it that store one.
    pub(crate) fn without(value: &Value) -> Value {
        let mut rest = value.clone();
        if let Some(members) = rest.as_object_mut() {
            members.retain(|name, _| !MEMBERS.contains(&name.as_str()));
        }
        rest
    }
}

/// The schema of an answer, with what may be added to it.
pub(crate) struct With<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for With<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        let added = CommonMembers::json_schema(generator);
        let added = added.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let object = schema.ensure_object();
        if let Some(own) = object.entry("properties").or_insert_with(|| json!({})).as_object_mut() {
            own.extend(added);
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WisdomType;

    #[test]
    fn what_is_added_is_split_off_and_checked() {
        let value = json!({"status": "completed", "session": {"tokens": 5},
            "wisdom": [{"type": "convention", "text": "Tests need no network", "tags": ["tests"]}]});
        let (rest, aside) = CommonMembers::split(&value).unwrap();
        assert_eq!(*rest, json!({"status": "completed"}));
        assert_eq!((aside.session.tokens, aside.wisdom.len()), (Some(5), 1));
        assert_eq!(aside.wisdom[0].kind, WisdomType::Convention);
        assert_eq!(
            CommonMembers::split(&json!([1])).unwrap(),
            (Cow::Owned(json!([1])), CommonMembers::default())
        );
    }

    #[test]
    fn what_is_wrong_with_it_is_told_with_its_place() {
        for (value, place) in [
            (json!({"session": {"tokens": "many"}}), "$.session.tokens: "),
            (json!({"session": {"more": 1}}), "$.session.more: "),
            (json!({"wisdom": "none"}), "$.wisdom: "),
            (json!({"wisdom": [{"type": "joke", "text": "x"}]}), "$.wisdom[0].type: "),
            (json!({"wisdom": [{"type": "learning", "text": " "}]}), "$.wisdom[0].text: "),
            (json!({"wisdom": [{"type": "learning", "text": "x".repeat(2_001)}]}), "$.wisdom[0].text: "),
            (json!({"wisdom": vec![json!({"type": "learning", "text": "x"}); 21]}), "$.wisdom: "),
        ] {
            let faults = CommonMembers::split(&value).unwrap_err();
            assert!(faults[0].starts_with(place), "{faults:?}");
        }
    }
}
