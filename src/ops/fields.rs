//! Selects fields of an answer. The names are checked against the answer's type.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Refusal;
use crate::model::{Code, nearest, typed};

/// The names of fields, in display order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldNames(Vec<String>);

impl FieldNames {
    /// Checks names against the fields of an answer of type `V`, or of its elements if it is a list.
    ///
    /// # Errors
    /// `unknown-field`.
    pub(crate) fn parse<V: JsonSchema>(names: &[String]) -> Result<Self, Refusal> {
        Self::among(names, &known::<V>())
    }

    /// Checks names against `known`.
    ///
    /// # Errors
    /// `unknown-field`.
    pub(crate) fn among(names: &[String], known: &BTreeSet<String>) -> Result<Self, Refusal> {
        match names.iter().find(|name| !known.contains(*name)) {
            None => Ok(Self(names.to_vec())),
            Some(unknown) => Err(refused(unknown, known)),
        }
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.0
    }

    /// Picks these fields of a record, in this order, or of each element of a list. Absent fields are left out.
    pub(crate) fn pick(&self, answer: &impl Serialize) -> Value {
        self.picked(typed::own_json(answer))
    }

    /// [`FieldNames::pick`] from an answer that is JSON already.
    pub(crate) fn picked(&self, whole: Value) -> Value {
        match whole {
            Value::Object(mut whole) => Value::Object(
                self.0.iter().filter_map(|name| Some((name.clone(), whole.shift_remove(name)?))).collect(),
            ),
            Value::Array(all) => all.into_iter().map(|one| self.picked(one)).collect(),
            other => other,
        }
    }
}

fn refused(unknown: &str, known: &BTreeSet<String>) -> Refusal {
    let near = nearest(unknown, known.iter().map(String::as_str));
    let all = known.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let refusal = Refusal::new(Code::UnknownField, format!("there is no field `{unknown}` here"));
    match near {
        Some(near) => refusal.hint(format!("did you mean `{near}`? The fields are {all}")),
        None => refusal.hint(format!("the fields are {all}")),
    }
}

/// The fields of an answer of type `V`, or of its elements if it is a list.
pub(crate) fn known<V: JsonSchema>() -> BTreeSet<String> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<V>().to_value();
    let mut names = BTreeSet::new();
    collect(&schema, &schema, &mut BTreeSet::new(), &mut names);
    names
}

fn collect<'a>(
    root: &'a Value,
    schema: &'a Value,
    seen: &mut BTreeSet<&'a str>,
    names: &mut BTreeSet<String>,
) {
    let properties = schema.get("properties").and_then(Value::as_object);
    names.extend(properties.into_iter().flat_map(Map::keys).cloned());
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'))
        && seen.insert(pointer)
        && let Some(to) = root.pointer(pointer)
    {
        collect(root, to, seen, names);
    }
    if let Some(items) = schema.get("items") {
        collect(root, items, seen, names);
    }
    for forms in ["allOf", "anyOf", "oneOf"] {
        for form in schema.get(forms).and_then(Value::as_array).into_iter().flatten() {
            collect(root, form, seen, names);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Outer {
        id: u8,
        #[serde(flatten)]
        inner: Inner,
        list: Vec<Inner>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Inner {
        title: Option<String>,
    }

    fn outer() -> Outer {
        Outer { id: 1, inner: Inner { title: None }, list: vec![] }
    }

    fn fields(names: &[&str]) -> Result<FieldNames, Refusal> {
        FieldNames::parse::<Vec<Outer>>(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn fields_are_those_of_the_elements_in_the_order_that_was_asked_for() {
        assert_eq!(known::<Outer>().into_iter().collect::<Vec<_>>(), ["id", "list", "title"]);
        let asked = fields(&["title", "id"]).unwrap();
        assert_eq!(asked.pick(&[outer()]).to_string(), r#"[{"title":null,"id":1}]"#);
        assert_eq!(asked.pick(&json!({"id": 2, "list": []})), json!({"id": 2}));
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_nearest() {
        let refusal = fields(&["id", "titel"]).unwrap_err();
        assert_eq!(refusal.message, "there is no field `titel` here");
        assert_eq!(refusal.remedies[0].words, "did you mean `title`? The fields are id, list, title");
        assert_eq!(fields(&["colour"]).unwrap_err().remedies[0].words, "the fields are id, list, title");
    }
}
