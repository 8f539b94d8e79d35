//! An issue as answers contain it that do not show everything in its directory.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::show::Part as Content;
use crate::mcp::{bounds, schema};
use crate::model::typed;
use crate::ops::issues::IssueView;
use crate::rules::bounded::{Cut, LONGEST_OF_ISSUE};

/// An issue without comments, plans and the like.
#[derive(Debug)]
pub(super) struct Listed(pub(super) IssueView);

impl Serialize for Listed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut issue = typed::own_json(&self.0);
        bounds::shorten(&mut issue, &mut Cut::at(LONGEST_OF_ISSUE));
        issue.serialize(serializer)
    }
}

/// Some fields of it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Part(pub(super) Value);

fn is_absent(name: &str) -> bool {
    Content::parse(name).is_some() || ["imported", "kept"].contains(&name)
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

impl JsonSchema for Part {
    fn schema_name() -> Cow<'static, str> {
        "IssueFields".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut listed = Listed::json_schema(generator);
        listed.remove("required");
        listed
    }
}
