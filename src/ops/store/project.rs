//! The project context for planners.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::policy::{self, Settings};
use crate::model::{Code, Op, Project, Shape, strict};
use crate::ops::{Answer, Refusal, Session};

/// A field of the project context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProjectField {
    /// Languages, frameworks, services.
    TechStack,
    /// How work is done in this project.
    Guidelines,
}

impl ProjectField {
    pub(crate) const ALL: [Self; 2] = [Self::TechStack, Self::Guidelines];

    /// Its name in the record.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::TechStack => "tech_stack",
            Self::Guidelines => "guidelines",
        }
    }

    /// Its value.
    pub(crate) fn value_in(self, project: &Project) -> Option<&Value> {
        match self {
            Self::TechStack => project.tech_stack.as_ref(),
            Self::Guidelines => project.guidelines.as_ref(),
        }
    }
}

/// A field to set.
#[derive(Debug)]
pub(crate) struct SetProject {
    /// The field.
    pub(crate) field: ProjectField,
    /// Its value. JSON is stored as JSON; an empty string clears the field.
    pub(crate) text: String,
}

/// Sets one field.
///
/// # Errors
/// `invalid-json` for JSON that no record can hold.
pub(crate) fn set_project(session: &Session, SetProject { field, text }: &SetProject) -> Answer<Settings> {
    let permit = session.permit(Op::Settings)?;
    let text = text.trim();
    let value = if text.is_empty() { None } else { Some(value_of(text)?) };
    let committed = session.transact(permit, |tx| {
        tx.edit_root(|root| match field {
            ProjectField::TechStack => root.project.tech_stack.clone_from(&value),
            ProjectField::Guidelines => root.project.guidelines.clone_from(&value),
        })?;
        tx.describe(format!("project: set {}", field.name()));
        Ok(())
    })?;
    policy::answer(session, committed.commit)
}

/// Only text that is clearly JSON is parsed: plain text may begin with a number or a quote.
fn value_of(text: &str) -> Result<Value, Refusal> {
    if !text.starts_with(['{', '[']) || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Ok(Value::String(text.to_owned()));
    }
    match strict::parse(text.as_bytes()) {
        Ok(value) => Ok(Shape::Any.order(value)),
        Err(why) => Err(Refusal::new(Code::InvalidJson, format!("this JSON cannot be stored: {why}"))
            .hint("put a word in front of it to store it as text")),
    }
}
