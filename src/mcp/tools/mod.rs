//! The tools: each is one step of the work, and calls operations that commands call, too.

mod claim;
mod find;
mod finish;
mod issue_write;
mod land;
mod listed;
mod plan_context;
mod plan_review;
mod plan_submit;
mod run_steer;
mod show;
mod trace;
mod verify;

pub(super) use plan_context::ContextAnswer;
pub(super) use show::is_part_of_an_issue;

use std::path::{Path, PathBuf};

use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::progress::ProgressSteps;
use super::{bounds, refused, schema};
use crate::model::{Code, Op, Unread, strict, typed};
use crate::ops::{Answer, Done, Refusal, Session};
use crate::rules::roles;

/// What a tool is called with besides its arguments.
pub(super) struct Call<'a> {
    /// The store of the directory, with the actor.
    pub(super) session: &'a Session,
    /// The directory.
    pub(super) folder: &'a Path,
    /// The directories that the client works in; empty if it does not say.
    pub(super) roots: &'a [PathBuf],
    /// Where progress goes.
    pub(super) steps: &'a ProgressSteps,
    /// How calls are written for the client.
    pub(super) voice: refused::Voice<'a>,
}

/// A tool.
trait Tool {
    /// Its name, which is also that of its module.
    const NAME: &'static str;
    /// Its name for people.
    const TITLE: &'static str;
    /// What it does, and when to call it.
    const ABOUT: &'static str;
    /// The operations that it may perform, of which a role needs one; a tool that only reads has none.
    const PERFORMS: &'static [Op];
    /// Its arguments that are objects.
    const OBJECTS: &'static [&'static str] = &[];
    /// Whether it may end or replace something.
    const IS_DESTRUCTIVE: bool = false;
    /// Whether calling it again changes nothing more.
    const IS_IDEMPOTENT: bool = true;
    /// Whether it may ask a remote, or run commands.
    const IS_OPEN: bool = false;
    /// Its arguments.
    type Input: DeserializeOwned + JsonSchema;
    /// Its answer.
    type Output: Serialize + JsonSchema;

    /// Removes from the schema of its arguments what a role may not do.
    fn restrict(_schema: &mut Map<String, Value>, _may: &dyn Fn(Op) -> bool) {}

    /// Calls it.
    fn call(call: &Call<'_>, input: Self::Input) -> Answer<Self::Output>;
}

/// A row of the table of tools.
pub(super) struct ToolRow {
    pub(super) name: &'static str,
    title: &'static str,
    about: &'static str,
    performs: &'static [Op],
    hints: (bool, bool, bool),
    input: fn() -> Map<String, Value>,
    output: fn() -> Map<String, Value>,
    restrict: fn(&mut Map<String, Value>, &dyn Fn(Op) -> bool),
    call: fn(&Call<'_>, Map<String, Value>) -> Result<Value, Refusal>,
}

const fn row<T: Tool>() -> ToolRow {
    ToolRow {
        name: T::NAME,
        title: T::TITLE,
        about: T::ABOUT,
        performs: T::PERFORMS,
        hints: (T::IS_DESTRUCTIVE, T::IS_IDEMPOTENT, T::IS_OPEN),
        input: schema::of_input::<T::Input>,
        output: schema::of_output::<T::Output>,
        restrict: T::restrict,
        call: call::<T>,
    }
}

/// All tools, in the order of the work.
static TABLE: &[ToolRow] = &[
    row::<find::Find>(),
    row::<show::Show>(),
    row::<issue_write::IssueWrite>(),
    row::<plan_context::PlanContextTool>(),
    row::<plan_submit::PlanSubmit>(),
    row::<plan_review::PlanReview>(),
    row::<claim::ClaimTool>(),
    row::<verify::Verify>(),
    row::<finish::FinishTool>(),
    row::<land::Land>(),
    row::<trace::TraceTool>(),
    row::<run_steer::RunSteer>(),
];

/// Who may call which tools.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed<'a> {
    /// The role; `None` for an owner.
    pub(super) role: Option<&'a str>,
    /// Whether an agent of a run acts.
    pub(super) is_in_run: bool,
    /// Whether nothing may be changed.
    pub(super) is_read_only: bool,
}

impl Allowed<'_> {
    /// Whether an operation may be performed.
    pub(super) fn may(&self, op: Op) -> bool {
        !self.is_read_only
            && roles::admit(self.role, op).is_ok()
            && (!self.is_in_run || roles::admit_in_run(self.role, op).is_ok())
    }

    fn has(&self, row: &ToolRow) -> bool {
        row.performs.is_empty() || row.performs.iter().any(|op| self.may(*op))
    }

    /// Whether the tool changes nothing.
    pub(super) fn only_reads(name: &str) -> bool {
        find_row(name).is_some_and(|row| row.performs.is_empty())
    }

    /// Whether there is a tool of this name.
    pub(super) fn has_tool(&self, name: &str) -> bool {
        find_row(name).is_some_and(|row| self.has(row))
    }

    /// The tools as a client lists them.
    pub(super) fn tools(&self) -> Vec<rmcp::model::Tool> {
        TABLE.iter().filter(|row| self.has(row)).map(|row| row.listed(self)).collect()
    }

    /// The tool of this name. `None` if there is no such tool at all.
    ///
    /// # Errors
    /// `not-your-role`, `read-only`.
    pub(super) fn tool(&self, name: &str) -> Option<Result<&'static ToolRow, Refusal>> {
        let row = find_row(name)?;
        if self.has(row) {
            return Some(Ok(row));
        }
        if self.is_read_only {
            let refusal =
                Refusal::new(Code::ReadOnly, format!("this server is read-only, so it has no tool `{name}`"));
            return Some(Err(refusal.hint("a person must start it without --read-only")));
        }
        if let Err(error) = roles::admit_tool(self.role, name, row.performs) {
            return Some(Err(error.into()));
        }
        let refused = row.performs.iter().find_map(|op| roles::admit_in_run(self.role, *op).err());
        refused.map(|error| Err(error.into()))
    }
}

fn find_row(name: &str) -> Option<&'static ToolRow> {
    TABLE.iter().find(|row| row.name == name)
}

impl ToolRow {
    /// Calls the tool.
    pub(super) fn call(&self, call: &Call<'_>, arguments: Map<String, Value>) -> Result<Value, Refusal> {
        (self.call)(call, arguments)
    }

    fn listed(&self, allowed: &Allowed<'_>) -> rmcp::model::Tool {
        let (is_destructive, is_idempotent, is_open) = self.hints;
        let hints = if self.performs.is_empty() {
            // A tool that only reads needs no other annotations.
            ToolAnnotations::new().read_only(true)
        } else {
            let hints = ToolAnnotations::new().destructive(is_destructive).open_world(is_open);
            // A tool counts as not idempotent unless it says so.
            if is_idempotent { hints.idempotent(true) } else { hints }
        };
        let mut input = (self.input)();
        (self.restrict)(&mut input, &|op| allowed.may(op));
        rmcp::model::Tool::new(self.name, self.about, input)
            .with_title(self.title)
            .with_raw_output_schema((self.output)().into())
            .with_annotations(hints)
    }
}

fn call<T: Tool>(call: &Call<'_>, arguments: Map<String, Value>) -> Result<Value, Refusal> {
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null());
    let arguments: Map<String, Value> = given
        .map(
            |(name, value)| {
                if T::OBJECTS.contains(&name.as_str()) { (name, unquoted(value)) } else { (name, value) }
            },
        )
        .collect();
    let input = typed::read_at(&Value::Object(arguments)).map_err(|Unread { path, error }| {
        let at = if path == "." { String::new() } else { format!("`{path}`: ") };
        Refusal::new(
            Code::InvalidArguments,
            format!("the arguments of `{}` are invalid: {at}{error}", T::NAME),
        )
        .hint("the input schema of the tool says what it takes")
    })?;
    Ok(document(call, T::call(call, input)?))
}

/// The object that a text holds: some models and clients write an object as text.
fn unquoted(value: Value) -> Value {
    let object = value.as_str().and_then(|text| strict::parse_text(text).ok());
    object.filter(Value::is_object).unwrap_or(value)
}

/// An answer as JSON, of bounded length, with its warnings.
fn document<V: Serialize>(call: &Call<'_>, done: Done<V>) -> Value {
    let Done { view, mut notices, .. } = done;
    let mut answer = typed::own_json(&view);
    notices.extend(bounds::fit(call, &mut answer));
    if !notices.is_empty()
        && let Value::Object(answer) = &mut answer
    {
        let warnings: Vec<String> =
            notices.iter().map(|notice| refused::warning(notice, call.voice)).collect();
        answer.insert("warnings".into(), warnings.into());
    }
    answer
}

/// The schemas of the arguments, by tool.
#[cfg(test)]
pub(super) fn input_schemas() -> Map<String, Value> {
    TABLE.iter().map(|row| (row.name.to_owned(), (row.input)().into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(role: Option<&str>, is_in_run: bool, is_read_only: bool) -> Vec<&'static str> {
        let allowed = Allowed { role, is_in_run, is_read_only };
        TABLE.iter().filter(|row| allowed.has(row)).map(|row| row.name).collect()
    }

    #[test]
    fn each_role_has_the_tools_of_its_work() {
        let reading = ["find", "show", "plan_context", "trace"];
        assert_eq!(names(None, false, false).len(), 12);
        for (role, more) in [
            ("planner", &["issue_write", "plan_submit"][..]),
            ("reviewer", &["issue_write", "plan_review"]),
            ("executor", &["issue_write", "claim", "verify", "finish"]),
            ("explorer", &["issue_write"]),
            (
                "owner",
                &[
                    "issue_write",
                    "plan_submit",
                    "plan_review",
                    "claim",
                    "verify",
                    "finish",
                    "land",
                    "run_steer",
                ],
            ),
        ] {
            let found = names(Some(role), false, false);
            assert_eq!(found.len(), reading.len() + more.len(), "{role}: {found:?}");
            assert!(reading.iter().chain(more).all(|name| found.contains(name)), "{role}: {found:?}");
        }
        assert_eq!(names(None, false, true), reading);
        let in_run = names(Some("executor"), true, false);
        assert!(in_run.contains(&"verify") && !in_run.contains(&"claim") && !in_run.contains(&"finish"));
    }

    #[test]
    fn the_schemas_of_all_tools_are_valid_and_describe_objects() {
        let allowed = Allowed { role: None, is_in_run: false, is_read_only: false };
        for tool in allowed.tools() {
            for schema in [&tool.input_schema, tool.output_schema.as_ref().unwrap()] {
                let schema = Value::Object(schema.as_ref().clone());
                assert_eq!(schema["type"], "object", "{}", tool.name);
                assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}: {schema:#}", tool.name);
            }
            assert!(tool.input_schema["properties"]["directory"].is_object());
            assert!(
                !Value::Object(tool.input_schema.as_ref().clone()).to_string().contains(r#""null""#),
                "{}",
                tool.name
            );
            // Some providers of models refuse them there.
            for schema in [&tool.input_schema, tool.output_schema.as_ref().unwrap()] {
                let schema = Value::Object(schema.as_ref().clone());
                assert!(!has_union(&schema), "{}: {schema:#}", tool.name);
            }
        }
    }

    /// Whether a schema or one in it allows several types.
    fn has_union(schema: &Value) -> bool {
        match schema {
            Value::Object(members) => members.iter().any(|(word, value)| {
                let is_union = match word.as_str() {
                    "anyOf" | "oneOf" | "allOf" => true,
                    "type" => value.is_array(),
                    _ => false,
                };
                is_union || has_union(value)
            }),
            Value::Array(values) => values.iter().any(has_union),
            _ => false,
        }
    }

    /// Clients put the list into the context of every session. A token of it is about four bytes.
    #[test]
    fn the_list_of_tools_is_short() {
        let list = |role| Allowed { role, is_in_run: false, is_read_only: false }.tools();
        let tokens = |role| serde_json::to_string(&list(role)).unwrap().len() / 4;
        assert!(tokens(None) <= 3_500, "{}", tokens(None));
        assert!(tokens(Some("executor")) <= 2_500, "{}", tokens(Some("executor")));
        let tools = list(None);
        for needless in ["convergence", "solution_id\":{\"description\":\"Another", "$defs", "pattern\""] {
            let inputs: String =
                tools.iter().map(|tool| serde_json::to_string(&tool.input_schema).unwrap()).collect();
            assert!(!inputs.contains(needless), "{needless}");
        }
    }

    #[test]
    fn a_role_sees_only_what_it_may_do() {
        let actions = |role| {
            let allowed = Allowed { role, is_in_run: false, is_read_only: false };
            let tool = allowed.tools().into_iter().find(|tool| tool.name == "issue_write").unwrap();
            tool.input_schema["properties"]["action"]["enum"].to_string()
        };
        assert!(actions(None).contains("close") && !actions(Some("planner")).contains("close"));
        assert!(actions(Some("planner")).contains("comment"));
    }
}
