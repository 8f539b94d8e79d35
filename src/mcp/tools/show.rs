//! Showing records.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Call, Tool};
use crate::mcp::bounds::{self, Bounded};
use crate::model::{Op, text_enum, typed};
use crate::ops::issues::{self, IssueView, ShownExecution, ShownRecord as Found};
use crate::ops::plans::SolutionView;
use crate::ops::plans::roadmap::RoadmapView;
use crate::ops::queue::{ItemAnswer, QueueAnswer};
use crate::ops::{Answer, Refusal};
use crate::rules::bounded::MOST;

pub(super) struct Show;

text_enum!(
    /// A part of an issue that is left out unless asked for.
    Part {
        /// Its comments.
        Comments = "comments",
        /// What went wrong or was clarified.
        Feedback = "feedback",
        /// What explorers found.
        Explorations = "explorations",
        /// Its plans.
        Solutions = "solutions",
        /// Its executions, with commits and checks.
        Executions = "executions",
        /// Gates that were overridden for it.
        Overrides = "overrides",
    }
);

/// What to show.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The id, or an unambiguous prefix of it.
    id: String,
    /// Parts of an issue to show; the others are only counted.
    #[serde(default)]
    include: Vec<Part>,
    /// Skip this many of the newest entries of each part.
    #[serde(default)]
    older: usize,
    /// Also the record of the source of an imported issue.
    #[serde(default)]
    imported: bool,
}

#[serde_with::skip_serializing_none]
/// A record; the field that is there says of which kind.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct RecordAnswer {
    /// An issue.
    issue: Option<IssueParts>,
    /// A plan.
    plan: Option<Bounded<SolutionView>>,
    /// An execution.
    execution: Option<Bounded<ShownExecution>>,
    /// A queue.
    queue: Option<Box<QueueAnswer>>,
    /// An item of a queue.
    item: Option<Box<ItemAnswer>>,
    /// A roadmap.
    roadmap: Option<Box<RoadmapView>>,
    /// Parts that were left out; call again with them in `include`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
}

/// An issue without some of its parts.
#[derive(Debug, Serialize)]
struct IssueParts(Map<String, Value>);

impl JsonSchema for IssueParts {
    fn schema_name() -> Cow<'static, str> {
        IssueView::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // There, too, these parts are not required.
        IssueView::json_schema(generator)
    }
}

/// A part that was left out.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftOut {
    /// The part.
    part: Part,
    /// How many entries it has.
    count: usize,
}

/// The arguments of `show` for the older entries of a part.
#[derive(Debug, Serialize)]
struct OlderEntries<'a> {
    id: &'a str,
    include: [&'a str; 1],
    older: usize,
}

impl Tool for Show {
    const NAME: &'static str = "show";
    const TITLE: &'static str = "Show a record";
    const ABOUT: &'static str = "Show an issue, plan, execution, queue, item or roadmap by its id.";
    const PERFORMS: &'static [Op] = &[];
    type Input = Input;
    type Output = RecordAnswer;

    fn call(call: &Call<'_>, input: Input) -> Answer<RecordAnswer> {
        record(call, &input)
    }
}

/// Whether a field of an issue is a part of it that can be left out.
pub(in crate::mcp) fn is_part_of_an_issue(field: &str) -> bool {
    Part::parse(field).is_some()
}

/// The record with an id; of an issue, only these parts.
fn record(call: &Call<'_>, input: &Input) -> Answer<RecordAnswer> {
    let Input { id, include, older, imported } = input;
    if *older > 0 && include.is_empty() {
        return Err(Refusal::usage("`older` has no effect without `include`")
            .hint("name the part whose older entries you want in `include`"));
    }
    let (imported, older) = (*imported, *older);
    let done = issues::show(call.session, &issues::ShowRecord { id: id.to_owned(), imported })?;
    if !matches!(done.view, Found::Issue(_)) && (imported || !include.is_empty()) {
        return Err(Refusal::usage(format!("`{id}` is not an issue, so it has no such parts"))
            .hint("leave `include` and `imported` out"));
    }
    let crate::ops::Done { view, commit, notices } = done;
    call.session.notice_all(notices);
    let shown = match view {
        Found::Issue(issue) => {
            let (issue, left_out) = parts(call, &issue, include, older);
            RecordAnswer { issue: Some(issue), left_out, ..RecordAnswer::default() }
        }
        Found::Plan(plan) => {
            let plan = Bounded::noted(call, &*plan, &bounds::whole(plan.id.as_str()));
            RecordAnswer { plan: Some(plan), ..RecordAnswer::default() }
        }
        Found::Execution(execution) => {
            let all = bounds::whole(execution.execution.execution.id.as_str());
            let execution = Bounded::noted(call, &*execution, &all);
            RecordAnswer { execution: Some(execution), ..RecordAnswer::default() }
        }
        Found::Queue(queue) => RecordAnswer { queue: Some(queue), ..RecordAnswer::default() },
        Found::Item(shown) => RecordAnswer { item: Some(Box::new(shown.item)), ..RecordAnswer::default() },
        Found::Roadmap(roadmap) => RecordAnswer { roadmap: Some(roadmap), ..RecordAnswer::default() },
    };
    Ok(call.session.done(shown, commit))
}

fn parts(call: &Call<'_>, issue: &IssueView, include: &[Part], older: usize) -> (IssueParts, Vec<LeftOut>) {
    let Value::Object(mut fields) = typed::own_json(issue) else { return (IssueParts(Map::new()), vec![]) };
    let mut left_out = Vec::new();
    for part in Part::ALL.iter().filter(|part| !include.contains(part)) {
        let removed = fields.shift_remove(part.as_str());
        let count = removed.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
        if count > 0 {
            left_out.push(LeftOut { part: *part, count });
        }
    }
    let id = issue.issue.id.as_str();
    let cuts = bounds::bound(&mut fields, &bounds::whole(id), older);
    bounds::note(call, &cuts, |cut| {
        let more = OlderEntries { id, include: [&cut.what], older: older + MOST };
        Some(format!("the tool `show` with {} shows older ones", typed::own_json(&more)))
    });
    (IssueParts(fields), left_out)
}
