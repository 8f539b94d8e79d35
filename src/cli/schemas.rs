//! The kinds of document that have a JSON Schema: records, what planners and executors write, and `--json` answers. A
//! new answer needs a row here and a file in `schemas/`.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::agent::answer::{Strict, With};
use crate::agent::follow_up::FollowUp;
use crate::agent::ping::Pong;
use crate::agent::request::Request;
use crate::cli::answer_schema::{Clocked, OptionallyClocked};
use crate::cli::command::issues::list;
use crate::cli::command::plans::solutions;
use crate::cli::command::store::{completions, demo, export, export_ccw, help, schema, setup};
#[cfg(feature = "web")]
use crate::cli::command::work::web;
use crate::cli::print::run_events::RunNews;
use crate::cli::version;
use crate::interchange::jsonl::ImportedJsonl;
use crate::interchange::{ImportReport, tidy_schema};
use crate::model::{
    Check, Comment, Execution, Exploration, Explored, Feedback, Issue, Item, LogEntry, Notification, Queue,
    QueueConflict, Redaction, Review, Roadmap, RoadmapDocument, RoadmapLogEntry, Root, Run, RunLogEntry,
    Solution, Task, Wisdom,
};
use crate::ops;
use crate::ops::store::{FsckFinding, HookLines, HookState, Initialised};
use crate::store::HistoryStep;
use crate::sync::Synced;
use crate::sync::conflicts::Conflict;

/// The purpose of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A file of the store.
    Record,
    /// Given to a command.
    Input,
    /// Exchanged between this program and an agent.
    Agent,
    /// Printed with `--json`.
    Answer,
}

impl Sort {
    /// The name for programs.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Input => "input",
            Self::Agent => "agent",
            Self::Answer => "answer",
        }
    }

    /// The heading above its kinds.
    pub(super) fn heading(self) -> &'static str {
        match self {
            Self::Record => "records in the store",
            Self::Input => "what planners and executors write",
            Self::Agent => "requests to agents, and their answers",
            Self::Answer => "what commands answer with --json",
        }
    }
}

/// One kind of document.
#[derive(Debug)]
pub(super) struct DocumentKind {
    /// Its name here, and with `.json` appended in `schemas/`.
    pub(super) name: &'static str,
    /// What it is for.
    pub(super) sort: Sort,
    /// A description in one line.
    pub(super) about: &'static str,
    derive: fn(SchemaSettings) -> schemars::Schema,
}

const fn kind<T: JsonSchema>(sort: Sort, name: &'static str, about: &'static str) -> DocumentKind {
    DocumentKind {
        name,
        sort,
        about,
        derive: |settings| settings.into_generator().into_root_schema_for::<T>(),
    }
}

/// All kinds, in listing order.
pub(super) static KINDS: &[DocumentKind] = &[
    kind::<OptionallyClocked<Root>>(Sort::Record, "wf", "wf.json: format version, project context, policy"),
    kind::<Clocked<Issue>>(Sort::Record, "issue", "issue.json: a problem to solve"),
    kind::<Comment>(Sort::Record, "comment", "an entry of an issue's comments; the answer of `comment`"),
    kind::<Feedback>(Sort::Record, "feedback", "an entry of an issue's feedback"),
    kind::<Explored>(
        Sort::Record,
        "exploration-entry",
        "an entry of an issue's explorations: what an explorer found",
    ),
    kind::<Clocked<Solution>>(Sort::Record, "solution-record", "solution.json: a plan as it is stored"),
    kind::<Review>(Sort::Record, "review", "an entry of a plan's reviews"),
    kind::<Clocked<Queue>>(Sort::Record, "queue", "queue.json: bound plans in order of execution"),
    kind::<Clocked<Item>>(Sort::Record, "item", "an item of a queue"),
    kind::<QueueConflict>(Sort::Record, "queue-conflict", "an entry of a queue's conflicts"),
    kind::<Execution>(
        Sort::Record,
        "execution",
        "execution.json: one attempt at a plan, and the claim on it",
    ),
    kind::<LogEntry>(Sort::Record, "execution-log-entry", "an entry of an execution's log"),
    kind::<Check>(Sort::Record, "check", "an entry `check` of that log: the result of a test command"),
    kind::<Run>(Sort::Record, "run", "run.json: agents working through issues"),
    kind::<RunLogEntry>(
        Sort::Record,
        "run-log-entry",
        "an entry of a run's log; an array of them: `run log`",
    ),
    kind::<Clocked<Roadmap>>(
        Sort::Record,
        "roadmap",
        "roadmap.json: a requirement split into layers or tasks",
    ),
    kind::<RoadmapLogEntry>(Sort::Record, "roadmap-log-entry", "an entry of a roadmap's log"),
    kind::<Wisdom>(
        Sort::Record,
        "wisdom",
        "an entry of the team's wisdom; also the answer of `wisdom add` and `wisdom answer`",
    ),
    kind::<Redaction>(
        Sort::Record,
        "redaction",
        "an entry that hides a value of a record in the same directory; an array of them is the answer of `redact`",
    ),
    kind::<ops::plans::SolutionInput>(
        Sort::Input,
        "solution",
        "a plan as a planner writes it and `plan add` takes it",
    ),
    kind::<Task>(Sort::Input, "task", "one task of a plan; an array of them is the answer of `task list`"),
    kind::<RoadmapDocument>(
        Sort::Input,
        "roadmap-document",
        "a roadmap as a planner writes it and `roadmap add` takes it",
    ),
    kind::<ops::plans::ReviewInput>(
        Sort::Input,
        "review-input",
        "a review as `plan review --from-json` takes it",
    ),
    kind::<ops::issues::IssueInput>(
        Sort::Input,
        "issue-input",
        "an issue as `new` and `edit --from-json` take it",
    ),
    kind::<ops::work::ExecutorReport>(Sort::Input, "result-input", "what `done --result` takes"),
    kind::<ops::queue::ConflictInput>(
        Sort::Input,
        "queue-conflict-input",
        "a conflict as `queue overlaps --from-json` takes it; also an array of them",
    ),
    kind::<ops::work::FailureInput>(Sort::Input, "failure-input", "what `fail -m` takes as JSON"),
    kind::<Request>(Sort::Agent, REQUEST, "the request to an agent, on stdin or as a prompt"),
    kind::<FollowUp>(
        Sort::Agent,
        "agent-follow-up",
        "what an agent is told that continues a session, in place of a request",
    ),
    kind::<Pong>(Sort::Agent, "pong", "the answer to a request of kind `ping`"),
    kind::<Strict<Exploration>>(Sort::Agent, "exploration", "what an explorer found about an issue"),
    kind::<With<ops::plans::PlanAnswer>>(
        Sort::Agent,
        "plan-answer",
        "what a planner answers with: a plan, or several to choose from",
    ),
    kind::<ops::plans::roadmap::RoadmapInput>(
        Sort::Agent,
        ROADMAP_INPUT,
        "the input of a request for a roadmap: what its planner is given",
    ),
    kind::<With<RoadmapDocument>>(
        Sort::Agent,
        "roadmap-answer",
        "what the planner of a roadmap answers with: a roadmap, or its assessment alone",
    ),
    kind::<With<ops::plans::ReviewInput>>(
        Sort::Agent,
        "review-answer",
        "what a reviewer answers with: a review, and what it learned",
    ),
    kind::<With<ops::work::Built>>(Sort::Agent, "build-answer", "what an executor answers with"),
    kind::<ops::issues::IssueView>(
        Sort::Answer,
        "show-issue",
        "an issue: `show`, `new`, `edit`, `close`, `reopen`, `plan choose`; an array of them: `list`, \
         `retry`",
    ),
    kind::<ops::plans::SolutionView>(
        Sort::Answer,
        "show-solution",
        "a plan: `show`, `plan show`, `task add`, `task edit`, `plan withdraw`; an array: `plan list`",
    ),
    kind::<ops::work::ExecutionView>(
        Sort::Answer,
        "show-execution",
        "an execution: `show`, `accept`, `done`, `fail`, `lease release`, `vouch`",
    ),
    kind::<ops::plans::roadmap::RoadmapView>(
        Sort::Answer,
        "show-roadmap",
        "a roadmap: `show`, `roadmap show`, `roadmap revise` without --planner",
    ),
    kind::<ops::plans::roadmap::RoadmapAdded>(
        Sort::Answer,
        "roadmap-add",
        "`roadmap add`, `roadmap plan`, `roadmap revise --planner`",
    ),
    kind::<ops::plans::roadmap::RoadmapSummary>(
        Sort::Answer,
        "roadmap-summary",
        "an array of them: `roadmap list`",
    ),
    kind::<ops::plans::roadmap::HandOver>(Sort::Answer, "roadmap-next", "`roadmap next`"),
    kind::<crate::rules::roadmap::Assessed>(Sort::Answer, "roadmap-assess", "`roadmap plan --assess`"),
    kind::<ops::queue::QueueAnswer>(
        Sort::Answer,
        "show-queue",
        "a queue: `show`, `queue manage new`, `queue order`, `queue manage merge`; an array: `queue`, `queue manage list`, \
         `queue manage activate`, `queue manage pause`, `queue manage resume`, `queue manage archive`, `queue manage priority`",
    ),
    kind::<ops::queue::ItemAnswer>(
        Sort::Answer,
        "show-item",
        "an item in a list: an array is the answer of `queue add`, `queue hold`, `queue release`",
    ),
    kind::<ops::queue::Removed>(Sort::Answer, "queue-removed", "an array of them: `queue remove`"),
    kind::<ops::queue::ConflictAnswer>(
        Sort::Answer,
        "show-conflict",
        "an array of them: `queue overlaps`, `queue resolve`",
    ),
    kind::<ops::queue::CheckAnswer>(Sort::Answer, "queue-forecast", "`queue forecast`"),
    kind::<ops::queue::DagAnswer>(Sort::Answer, "queue-graph", "`queue graph`"),
    kind::<ops::plans::Added>(Sort::Answer, "plan-add", "`plan add`, `plan`"),
    kind::<ops::plans::CheckedAnswer>(Sort::Answer, "plan-check", "`plan check`"),
    kind::<ops::plans::PlanDiff>(Sort::Answer, "plan-diff", "`plan diff`"),
    kind::<ops::plans::Reviewed>(Sort::Answer, "plan-review", "`plan review`"),
    kind::<ops::plans::FeedbackShown>(
        Sort::Answer,
        "show-feedback",
        "feedback: `feedback ISSUE TEXT`; an array of them without a text",
    ),
    kind::<ops::plans::PlannerInput>(
        Sort::Answer,
        "planner-input",
        "`context ISSUE`: the context for a planner",
    ),
    kind::<ops::plans::ExecutorInput>(
        Sort::Answer,
        "executor-input",
        "`context PLAN`: the context for an executor",
    ),
    kind::<ops::plans::ExplorerInput>(
        Sort::Answer,
        "explorer-input",
        "`context ISSUE --for explorer`: the context for an explorer",
    ),
    kind::<ops::plans::ReviewerInput>(
        Sort::Answer,
        "reviewer-input",
        "`context PLAN --for reviewer`: the context for a reviewer",
    ),
    kind::<RunNews>(
        Sort::Answer,
        "run-event",
        "`run` and `run resume`: with --json, one line of stderr, an object, for each event",
    ),
    kind::<Notification>(Sort::Agent, "notification", "what `wf.notify` gets, one on a line of stdin"),
    kind::<ops::work::ClaimView>(Sort::Answer, "next", "`next`: the claim"),
    kind::<ops::work::EndedAndTaken>(
        Sort::Answer,
        "done-next",
        "`done --next` and `fail --next`: the end, and the claim",
    ),
    kind::<ops::work::Lease>(Sort::Answer, "lease", "`lease renew`; an array of them: `lease`"),
    kind::<ops::work::DetailView>(
        Sort::Answer,
        "detail",
        "an item, with everything that its executor needs: `show ITEM`",
    ),
    kind::<ops::work::PullView>(Sort::Answer, "land-pull-requests", "`land --pr`: the pull requests"),
    kind::<ops::work::LandingStated>(
        Sort::Answer,
        "land-statement",
        "`land --as` and `land --none`: what was recorded",
    ),
    kind::<ops::work::LandView>(Sort::Answer, "land", "`land`: what has landed, and what has not"),
    kind::<ops::work::Verified>(
        Sort::Answer,
        "verify",
        "`verify`: the checks; an array: `verify --as-verifier` without an execution",
    ),
    kind::<ops::issues::ManyChanged>(
        Sort::Answer,
        "many-changed",
        "`edit --where`, `close --where`, `comment --where`: the issues that were changed, or would be",
    ),
    kind::<ops::store::Undone>(Sort::Answer, "undo", "`undo`: what was undone, and what was not"),
    kind::<ops::issues::Home>(
        Sort::Answer,
        "home",
        "`git wf` without a command: where you are, what waits for you, and what to type next",
    ),
    kind::<ops::work::Prime>(Sort::Answer, "prime", "`prime`: what an agent needs at the start of a session"),
    kind::<ops::work::Reminder>(
        Sort::Answer,
        "prime-stop",
        "`prime --stop`: an execution that has not ended",
    ),
    kind::<ops::work::AgentFiles>(Sort::Answer, "agents-setup", "`agents setup`: the files of coding agents"),
    kind::<ops::work::AgentView>(Sort::Answer, "agent", "an array of them: `agents list`"),
    kind::<ops::work::Tested>(Sort::Answer, "agent-test", "`agents test`"),
    kind::<crate::rules::run::RunReport>(Sort::Answer, "run-report", "`run report`: the outcome of a run"),
    kind::<crate::run::DryRun>(
        Sort::Answer,
        "run-dry",
        "what a run would do for each of its issues: `run --dry-run`",
    ),
    kind::<ops::plans::WisdomView>(
        Sort::Answer,
        "wisdom-view",
        "an entry of the team's wisdom, and whether it is an open question; an array of them: `wisdom`",
    ),
    kind::<crate::run::RunView>(
        Sort::Answer,
        "run-show",
        "`run`, `run show`, `run resume`: a run with its state",
    ),
    kind::<crate::run::SteeredRun>(
        Sort::Answer,
        "run-steered",
        "`run stop`, `run pause`, `run add`, and `run resume` of a paused run: what the run was told",
    ),
    kind::<crate::run::RunDiff>(Sort::Answer, "run-diff", "`run diff`: what an agent has changed so far"),
    kind::<crate::run::RunSummary>(Sort::Answer, "run-summary", "an array of them: `run list`"),
    kind::<ops::issues::Counted>(Sort::Answer, "list-count", "`list --count`"),
    kind::<list::BriefIssue>(
        Sort::Answer,
        "list-brief",
        "an array of them: the issues in brief, in the form that programs for ccw expect (`list --brief`)",
    ),
    kind::<ops::issues::SearchResult>(Sort::Answer, "search", "`search`"),
    kind::<ops::store::Reindexed>(Sort::Answer, "reindex", "`fsck --reindex`"),
    kind::<ops::work::Started>(Sort::Answer, "task-start", "`task start`"),
    kind::<ops::trail::LinkView>(Sort::Answer, "link", "an array of them: `link`"),
    kind::<ops::trail::Relinked>(Sort::Answer, "link-find", "`link --find`"),
    kind::<ops::trail::TraceView>(Sort::Answer, "trace", "`trace`"),
    kind::<ops::trail::Audit>(Sort::Answer, "audit", "`audit`: commits with their tasks, and findings"),
    kind::<ops::trail::Signatures>(
        Sort::Answer,
        "audit-signatures",
        "`audit --signatures`: who vouches for each commit of the ref",
    ),
    kind::<ops::store::ComparedStatements>(
        Sort::Answer,
        "audit-against",
        "`audit --against`: statements about test results, and what does not agree with the checks here",
    ),
    kind::<ops::trail::Why>(Sort::Answer, "why", "`why`: lines of a file and where they come from"),
    kind::<HistoryStep>(Sort::Answer, "log-step", "an array of them: `log`"),
    kind::<ops::trail::StoreDiff>(Sort::Answer, "diff", "`diff`: the records that differ between two states"),
    kind::<ops::store::Purge>(Sort::Answer, "purge", "`redact --purge`"),
    kind::<ImportReport>(
        Sort::Answer,
        "import",
        "`import beads`, `import ccw`, `import git-bug`, `import github`, `import openspec`, `import spec-kit`, \
         `import task-master`, `import gsd`, `import backlog`, `import csv`",
    ),
    kind::<ImportedJsonl>(Sort::Answer, "import-jsonl", "`import jsonl`"),
    kind::<export::ExportAnswer>(
        Sort::Answer,
        "export",
        "`export jsonl --output FILE`; without --output, the lines of the export are the only output",
    ),
    kind::<ops::store::GithubComment>(Sort::Answer, "export-github", "`export github`: a comment for GitHub"),
    kind::<ops::store::GithubSync>(
        Sort::Answer,
        "export-github-sync",
        "`export github --sync` and `export github ROADMAP`: what was sent to GitHub",
    ),
    kind::<export::TableAnswer>(Sort::Answer, "export-csv", "`export csv --output FILE`"),
    kind::<export::HandedAnswer>(Sort::Answer, "export-beads", "`export beads --output FILE`"),
    kind::<solutions::Solutions>(
        Sort::Answer,
        "solutions",
        "the plans of an issue and the bound one, in the form that programs for ccw expect",
    ),
    kind::<export::TracedAnswer>(Sort::Answer, "export-agent-trace", "`export agent-trace --output FILE`"),
    kind::<export::StatedAnswer>(Sort::Answer, "export-in-toto", "`export in-toto --output FILE`"),
    kind::<export_ccw::CcwAnswer>(Sort::Answer, "export-ccw", "`export ccw`"),
    kind::<ops::store::WrittenPlans>(
        Sort::Answer,
        "export-progress",
        "`export openspec`, `export spec-kit`, `export task-master`, `export backlog` and `export gsd`",
    ),
    kind::<Initialised>(Sort::Answer, "init", "`init`"),
    kind::<HookState>(
        Sort::Answer,
        "hook-state",
        "an array of them: `hooks install`, `hooks uninstall`, `hooks status`, `hooks discard`",
    ),
    kind::<HookLines>(Sort::Answer, "hook-lines", "an array of them: `hooks lines`"),
    kind::<Synced>(Sort::Answer, "sync", "`sync`, `pull`, `push`"),
    kind::<Conflict>(
        Sort::Answer,
        "conflict",
        "`conflicts take`, `conflicts keep`; an array of them: `conflicts`",
    ),
    kind::<FsckFinding>(Sort::Answer, "fsck-finding", "an array of them: `fsck`"),
    kind::<ops::store::Settings>(
        Sort::Answer,
        "settings",
        "`settings`: how each gate is set, and the project context for planners",
    ),
    kind::<schema::SchemaList>(
        Sort::Answer,
        "schema",
        "an array of them: `schema`, the kinds of document; `schema KIND` is a JSON Schema (2020-12) itself",
    ),
    kind::<completions::Script>(Sort::Answer, "completions", "`setup --completions`: the script for a shell"),
    kind::<demo::DemoAnswer>(Sort::Answer, "demo", "`demo`"),
    kind::<help::HelpAnswer>(Sort::Answer, "help", "`help`"),
    kind::<setup::SetupAnswer>(Sort::Answer, "setup", "`setup`: what was installed, and where"),
    kind::<version::VersionAnswer>(Sort::Answer, "version", "`--version --json`"),
    #[cfg(feature = "web")]
    kind::<web::WebAnswer>(
        Sort::Answer,
        "web",
        "`web`: the address, when the server listens or the export is complete",
    ),
    kind::<crate::ops::ErrorAnswer<crate::model::remedy::Remedy>>(
        Sort::Answer,
        "error",
        "the error on stderr if a command fails",
    ),
];

/// The kinds besides answers that this program writes.
const REQUEST: &str = "agent-request";
const ROADMAP_INPUT: &str = "roadmap-input";

/// The kind of this name.
pub(super) fn find(name: &str) -> Option<&'static DocumentKind> {
    KINDS.iter().find(|kind| kind.name == name)
}

impl DocumentKind {
    /// The schema, with everything that it refers to in its `$defs`.
    pub(super) fn schema(&self) -> Value {
        let settings = SchemaSettings::draft2020_12();
        // A document that is read may leave out fields that a printed one always has.
        let is_printed = self.sort == Sort::Answer || [REQUEST, ROADMAP_INPUT].contains(&self.name);
        let settings = if is_printed { settings.for_serialize() } else { settings };
        let mut derived = (self.derive)(settings).to_value();
        tidy_schema::tidy(&mut derived);
        if self.sort == Sort::Answer
            && let Some(properties) = derived.get_mut("properties").and_then(Value::as_object_mut)
        {
            // No command adds these itself: see `Context::finish`.
            properties.insert("warnings".into(), warnings());
        }
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
        if let Some(example) = crate::cli::command::store::examples::find(self.name) {
            schema.insert("examples".into(), Value::Array(vec![example]));
        }
        schema.extend(derived);
        Value::Object(schema)
    }
}

/// The field that every answer that is an object can have in addition.
fn warnings() -> Value {
    json!({
        "description": "Warnings; left out if there are none. If the answer is an array, they are on stderr, as `{\"warnings\": […]}`.",
        "type": "array",
        "items": {"type": "string"}
    })
}
