//! An issue as answers contain it that do not show everything in its directory.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};

use super::show::Part;
use crate::mcp::schema;
use crate::model::typed;
use crate::ops::issues::IssueView;

/// An issue without comments, plans and the like.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Listed(pub(super) IssueView);

/// Some fields of it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Fields(Map<String, Value>);

fn is_absent(name: &str) -> bool {
    Part::parse(name).is_some() || ["imported", "kept"].contains(&name)
}

impl JsonSchema for Listed {
    fn schema_name() -> Cow<'static, str> {
        "ListedIssue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut whole = IssueView::json_schema(generator);
        schema::without_fields(&mut whole, |name, _| is_absent(name));
        whole
    }
}

impl JsonSchema for Fields {
    fn schema_name() -> Cow<'static, str> {
        "IssueFields".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut listed = Listed::json_schema(generator);
        listed.remove("required");
        listed
    }
}

impl Fields {
    /// These fields of an issue, in this order, as far as they are there.
    pub(super) fn of(view: &IssueView, names: &[&str]) -> Self {
        let Value::Object(mut whole) = typed::own_json(view) else { return Self(Map::new()) };
        let field = |name: &&str| Some(((*name).to_owned(), whole.shift_remove(*name)?));
        Self(names.iter().filter_map(field).collect())
    }

    /// The names of all fields that an issue can have.
    pub(super) fn names() -> Vec<String> {
        let mut schema = schema::of_output::<Listed>();
        schema.shift_remove("$defs");
        let Some(Value::Object(fields)) = schema.shift_remove("properties") else { return vec![] };
        let mut names: Vec<String> = fields.into_iter().map(|(name, _)| name).collect();
        names.retain(|name| name != "warnings");
        names.sort();
        names
    }
}
