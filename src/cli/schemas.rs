//! The kinds of document that have a JSON Schema: records, what planners and executors write, and `--json` answers. A
//! new answer is one more row here, and one more file in `schemas/`.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::answer_schema::{
    Clocked, ErrorAnswer, IssueShown, ItemShown, OptionallyClocked, QueueShown, SolutionInput, SolutionShown,
};
use super::{answer, demo, detail, export, fail, init, issue_fields, next, solution, status, trace};
use crate::hooks::install::HookState;
use crate::interchange::Report;
use crate::interchange::jsonl::Taken;
use crate::model::execution::{Execution, LogEntry};
use crate::model::issue::{Comment, Feedback, Issue};
use crate::model::plan::Task;
use crate::model::queue::{Item, Queue};
use crate::model::redaction::Redaction;
use crate::model::root::Root;
use crate::model::solution::Solution;
use crate::store::fsck::Finding;
use crate::sync::Synced;
use crate::sync::conflicts::Conflict;
use crate::trail::log::Step;

/// What a kind of document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A file of the store.
    Record,
    /// Handed in.
    Input,
    /// Printed with `--json`.
    Answer,
}

impl Sort {
    /// One word for programs.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Input => "input",
            Self::Answer => "answer",
        }
    }

    /// The line above its kinds.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Record => "records in the store",
            Self::Input => "what planners and executors write",
            Self::Answer => "what commands answer with --json",
        }
    }
}

/// One kind of document.
#[derive(Debug)]
pub(super) struct Kind {
    /// Its name here and, with `.json` behind it, in `schemas/`.
    pub(super) name: &'static str,
    /// What it is for.
    pub(super) sort: Sort,
    /// In one line.
    pub(super) about: &'static str,
    derive: fn(SchemaSettings) -> schemars::Schema,
}

const fn kind<T: JsonSchema>(sort: Sort, name: &'static str, about: &'static str) -> Kind {
    Kind { name, sort, about, derive: |settings| settings.into_generator().into_root_schema_for::<T>() }
}

/// All kinds, in the order in which they are listed.
pub(super) static KINDS: &[Kind] = &[
    kind::<OptionallyClocked<Root>>(Sort::Record, "wf", "wf.json: format version, project context, policy"),
    kind::<Clocked<Issue>>(Sort::Record, "issue", "issue.json: a problem to solve"),
    kind::<Comment>(Sort::Record, "comment", "an entry of an issue's comments"),
    kind::<Feedback>(Sort::Record, "feedback", "an entry of an issue's feedback"),
    kind::<Clocked<Solution>>(Sort::Record, "solution-record", "solution.json: a plan as it is stored"),
    kind::<Clocked<Queue>>(Sort::Record, "queue", "queue.json: bound plans in order of execution"),
    kind::<Clocked<Item>>(Sort::Record, "item", "an item of a queue"),
    kind::<Execution>(
        Sort::Record,
        "execution",
        "execution.json: one attempt at a plan, and the claim on it",
    ),
    kind::<LogEntry>(Sort::Record, "execution-log-entry", "an entry of an execution's log"),
    kind::<Redaction>(Sort::Record, "redaction", "an entry that hides a value of the record beside it"),
    kind::<SolutionInput>(Sort::Input, "solution", "a plan as `solution add` takes it"),
    kind::<Task>(Sort::Input, "task", "one task of a plan"),
    kind::<issue_fields::IssueInput>(
        Sort::Input,
        "issue-input",
        "an issue as `new` and `edit --from-json` take it",
    ),
    kind::<fail::ReasonInput>(Sort::Input, "failure-input", "what `fail --reason` takes as JSON"),
    kind::<IssueShown>(
        Sort::Answer,
        "show-issue",
        "an issue: `show`, `new`, `edit`, `close`, `reopen`, `bind`; an array of them: `list`, `retry`",
    ),
    kind::<SolutionShown>(
        Sort::Answer,
        "show-solution",
        "a plan: `solution show`; an array: `solution list`",
    ),
    kind::<answer::ExecutionAnswer>(Sort::Answer, "show-execution", "an execution: `show`, `done`, `fail`"),
    kind::<QueueShown>(
        Sort::Answer,
        "show-queue",
        "a queue: `queue show`, `queue new`; an array: `queue list`",
    ),
    kind::<ItemShown>(Sort::Answer, "show-item", "an item: `show`; an array: `queue add`"),
    kind::<solution::Added>(Sort::Answer, "solution-add", "`solution add`"),
    kind::<solution::CheckedAnswer>(Sort::Answer, "solution-check", "`solution check`"),
    kind::<next::Claim>(Sort::Answer, "next", "`next`: the claim"),
    kind::<detail::Detail>(Sort::Answer, "detail", "`detail`: what an item asks for"),
    kind::<status::Overview>(Sort::Answer, "status", "`status`: the overview"),
    kind::<trace::Trace>(Sort::Answer, "trace", "`trace`"),
    kind::<Step>(Sort::Answer, "log-step", "an array of them: `log`"),
    kind::<Report>(Sort::Answer, "import", "`import beads`"),
    kind::<Taken>(Sort::Answer, "import-jsonl", "`import jsonl`"),
    kind::<export::ExportAnswer>(Sort::Answer, "export", "`export --output FILE`"),
    kind::<init::Initialised>(Sort::Answer, "init", "`init`"),
    kind::<HookState>(
        Sort::Answer,
        "hook-state",
        "an array of them: `hooks install`, `uninstall` and `status`",
    ),
    kind::<Synced>(Sort::Answer, "sync", "`sync`, `pull` and `push`"),
    kind::<Conflict>(Sort::Answer, "conflict", "`conflicts take` and `keep`; an array of them: `conflicts`"),
    kind::<Finding>(Sort::Answer, "fsck-finding", "an array of them: `fsck`"),
    kind::<demo::DemoAnswer>(Sort::Answer, "demo", "`demo`"),
    kind::<ErrorAnswer>(Sort::Answer, "error", "what stderr bears where a command fails"),
];

/// The kind of this name.
pub(super) fn find(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

impl Kind {
    /// The schema, with all that it refers to in its `$defs`.
    pub(super) fn schema(&self) -> Value {
        let settings = SchemaSettings::draft2020_12();
        // What is read may leave fields out that are always there in what is printed.
        let settings = if self.sort == Sort::Answer { settings.for_serialize() } else { settings };
        let mut derived = (self.derive)(settings).to_value();
        tidy(&mut derived);
        let mut schema = Map::new();
        let Value::Object(mut derived) = derived else { return derived };
        schema.extend(derived.shift_remove_entry("$schema"));
        schema.insert("title".into(), self.name.into());
        derived.shift_remove("title");
        let more = derived.shift_remove("description");
        let description = match more.as_ref().and_then(Value::as_str) {
            Some(more) => format!("{}. {more}", self.about),
            None => self.about.to_owned(),
        };
        schema.insert("description".into(), description.into());
        schema.extend(derived);
        Value::Object(schema)
    }
}

/// Takes out what says nothing to a reader: the widths of Rust's integers, names that stand in a list twice, and where a
/// comment in the code breaks its lines.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(map) => {
            let is_width = |format: &Value| {
                format
                    .as_str()
                    .is_some_and(|name| ["uint", "int", "double"].iter().any(|of| name.starts_with(of)))
            };
            if map.get("format").is_some_and(is_width) {
                map.shift_remove("format");
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if let Some(Value::Array(required)) = map.get_mut("required") {
                let mut seen = std::collections::BTreeSet::new();
                required.retain(|name| name.as_str().is_none_or(|name| seen.insert(name.to_owned())));
            }
            map.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}
