//! An issue as answers contain it that do not show everything in its directory.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value};

use super::show::Part as Content;
use crate::mcp::schema;
use crate::model::typed;
use crate::ops::issues::IssueView;

/// An issue without comments, plans and the like.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct ListedIssue(Map<String, Value>);

impl ListedIssue {
    pub(super) fn new(issue: &IssueView) -> Self {
        let Value::Object(fields) = typed::own_json(issue) else { return Self(Map::new()) };
        Self(fields)
    }
}

/// Some fields of it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct IssueFields(pub(super) Value);

fn is_absent(name: &str) -> bool {
    Content::parse(name).is_some() || ["imported", "kept"].contains(&name)
}

impl JsonSchema for ListedIssue {
    fn schema_name() -> Cow<'static, str> {
        "ListedIssue".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut whole = IssueView::json_schema(generator);
        schema::without_fields(&mut whole, |name, _| is_absent(name));
        whole
    }
}

impl JsonSchema for IssueFields {
    fn schema_name() -> Cow<'static, str> {
        "IssueFields".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut listed = ListedIssue::json_schema(generator);
        listed.remove("required");
        listed
    }
}
