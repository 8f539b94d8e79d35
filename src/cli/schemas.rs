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
use crate::interchange::jsonl::{ExportedJsonl, ImportedJsonl};
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

/// The kinds, each as `SORT NAME: TYPE, DESCRIPTION;`.
macro_rules! kinds {
    ($($(#[$attribute:meta])* $sort:ident $name:tt: $of:ty, $about:literal;)+) => {
        &[$($(#[$attribute])* kind::<$of>(Sort::$sort, $name, $about)),+]
    };
}

/// All kinds, in listing order.
pub(super) static KINDS: &[DocumentKind] = kinds! {
    Record "wf": OptionallyClocked<Root>, "wf.json: format version, project context, policy";
    Record "issue": Clocked<Issue>, "issue.json: a problem to solve";
    Record "comment": Comment, "an entry of an issue's comments; the answer of `comment`";
    Record "feedback": Feedback, "an entry of an issue's feedback";
    Record "exploration-entry": Explored, "an entry of an issue's explorations: what an explorer found";
    Record "solution-record": Clocked<Solution>, "solution.json: a plan as it is stored";
    Record "review": Review, "an entry of a plan's reviews";
    Record "queue": Clocked<Queue>, "queue.json: bound plans in order of execution";
    Record "item": Clocked<Item>, "an item of a queue";
    Record "queue-conflict": QueueConflict, "an entry of a queue's conflicts";
    Record "execution": Execution, "execution.json: one attempt at a plan, and the claim on it";
    Record "execution-log-entry": LogEntry, "an entry of an execution's log";
    Record "check": Check, "an entry `check` of that log: the result of a test command";
    Record "run": Run, "run.json: agents working through issues";
    Record "run-log-entry": RunLogEntry, "an entry of a run's log; an array of them: `run log`";
    Record "roadmap": Clocked<Roadmap>, "roadmap.json: a requirement split into layers or tasks";
    Record "roadmap-log-entry": RoadmapLogEntry, "an entry of a roadmap's log";
    Record "wisdom": Wisdom,
        "an entry of the team's wisdom; also the answer of `wisdom add` and `wisdom answer`";
    Record "redaction": Redaction,
        "an entry that hides a value of a record in the same directory; an array of them is the answer of `redact`";
    Input "solution": ops::plans::SolutionInput, "a plan as a planner writes it and `plan add` takes it";
    Input "task": Task, "one task of a plan; an array of them is the answer of `task list`";
    Input "roadmap-document": RoadmapDocument, "a roadmap as a planner writes it and `roadmap add` takes it";
    Input "review-input": ops::plans::ReviewInput, "a review as `plan review --from-json` takes it";
    Input "issue-input": ops::issues::IssueInput, "an issue as `new` and `edit --from-json` take it";
    Input "result-input": ops::work::ExecutorReport, "what `done --result` takes";
    Input "queue-conflict-input": ops::queue::ConflictInput,
        "a conflict as `queue overlaps --from-json` takes it; also an array of them";
    Input "failure-input": ops::work::FailureInput, "what `fail -m` takes as JSON";
    Agent REQUEST: Request, "the request to an agent, on stdin or as a prompt";
    Agent "agent-follow-up": FollowUp,
        "what an agent is told that continues a session, in place of a request";
    Agent "pong": Pong, "the answer to a request of kind `ping`";
    Agent "exploration": Strict<Exploration>, "what an explorer found about an issue";
    Agent "plan-answer": With<ops::plans::PlanAnswer>,
        "what a planner answers with: a plan, or several to choose from";
    Agent ROADMAP_INPUT: ops::plans::roadmap::RoadmapInput,
        "the input of a request for a roadmap: what its planner is given";
    Agent "roadmap-answer": With<RoadmapDocument>,
        "what the planner of a roadmap answers with: a roadmap, or its assessment alone";
    Agent "review-answer": With<ops::plans::ReviewInput>,
        "what a reviewer answers with: a review, and what it learned";
    Agent "build-answer": With<ops::work::Built>, "what an executor answers with";
    Answer "show-issue": ops::issues::IssueView,
        "an issue: `show`, `new`, `edit`, `close`, `reopen`, `plan choose`; an array of them: `list`, `retry`";
    Answer "show-solution": ops::plans::SolutionView,
        "a plan: `show`, `plan show`, `task add`, `task edit`, `plan withdraw`; an array: `plan list`";
    Answer "show-execution": ops::work::ExecutionView,
        "an execution: `show`, `accept`, `done`, `fail`, `lease release`, `vouch`";
    Answer "show-roadmap": ops::plans::roadmap::RoadmapView,
        "a roadmap: `show`, `roadmap show`, `roadmap revise` without --planner";
    Answer "roadmap-add": ops::plans::roadmap::RoadmapAdded,
        "`roadmap add`, `roadmap plan`, `roadmap revise --planner`";
    Answer "roadmap-summary": ops::plans::roadmap::RoadmapSummary, "an array of them: `roadmap list`";
    Answer "roadmap-next": ops::plans::roadmap::HandOver, "`roadmap next`";
    Answer "roadmap-assess": crate::rules::roadmap::Assessed, "`roadmap plan --assess`";
    Answer "show-queue": ops::queue::QueueAnswer,
        "a queue: `show`, `queue manage new`, `queue order`, `queue manage merge`; an array: `queue`, `queue \
         manage list`, `queue manage activate`, `queue manage pause`, `queue manage resume`, `queue manage \
         archive`, `queue manage priority`";
    Answer "show-item": ops::queue::ItemAnswer,
        "an item in a list: an array is the answer of `queue add`, `queue hold`, `queue release`";
    Answer "queue-removed": ops::queue::Removed, "an array of them: `queue remove`";
    Answer "show-conflict": ops::queue::ConflictAnswer, "an array of them: `queue overlaps`, `queue resolve`";
    Answer "queue-forecast": ops::queue::CheckAnswer, "`queue forecast`";
    Answer "queue-graph": ops::queue::DagAnswer, "`queue graph`";
    Answer "plan-add": ops::plans::Added, "`plan add`, `plan`";
    Answer "plan-check": ops::plans::CheckedAnswer, "`plan check`";
    Answer "plan-diff": ops::plans::PlanDiff, "`plan diff`";
    Answer "plan-review": ops::plans::Reviewed, "`plan review`";
    Answer "show-feedback": ops::plans::FeedbackShown,
        "feedback: `feedback ISSUE TEXT`; an array of them without a text";
    Answer "planner-input": ops::plans::PlannerInput, "`context ISSUE`: the context for a planner";
    Answer "executor-input": ops::plans::ExecutorInput, "`context PLAN`: the context for an executor";
    Answer "explorer-input": ops::plans::ExplorerInput,
        "`context ISSUE --for explorer`: the context for an explorer";
    Answer "reviewer-input": ops::plans::ReviewerInput,
        "`context PLAN --for reviewer`: the context for a reviewer";
    Answer "run-event": RunNews,
        "`run` and `run resume`: with --json, one line of stderr, an object, for each event";
    Agent "notification": Notification, "what `wf.notify` gets, one on a line of stdin";
    Answer "next": ops::work::ClaimView, "`next`: the claim";
    Answer "done-next": ops::work::EndedAndTaken, "`done --next` and `fail --next`: the end, and the claim";
    Answer "lease": ops::work::Lease, "`lease renew`; an array of them: `lease`";
    Answer "detail": ops::work::DetailView, "an item, with everything that its executor needs: `show ITEM`";
    Answer "land-pull-requests": ops::work::PullView, "`land --pr`: the pull requests";
    Answer "land-statement": ops::work::LandingStated, "`land --as` and `land --none`: what was recorded";
    Answer "land": ops::work::LandView, "`land`: what has landed, and what has not";
    Answer "verify": ops::work::Verified,
        "`verify`: the checks; an array: `verify --as-verifier` without an execution";
    Answer "many-changed": ops::issues::ManyChanged,
        "`edit --where`, `close --where`, `comment --where`: the issues that were changed, or would be";
    Answer "undo": ops::store::Undone, "`undo`: what was undone, and what was not";
    Answer "home": ops::issues::Home,
        "`git wf` without a command: where you are, what waits for you, and what to type next";
    Answer "prime": ops::work::Prime, "`prime`: what an agent needs at the start of a session";
    Answer "prime-stop": ops::work::Reminder, "`prime --stop`: an execution that has not ended";
    Answer "agents-setup": ops::work::AgentFiles, "`agents setup`: the files of coding agents";
    Answer "agent": ops::work::AgentView, "an array of them: `agents list`";
    Answer "agent-test": ops::work::Tested, "`agents test`";
    Answer "run-report": crate::rules::run::RunReport, "`run report`: the outcome of a run";
    Answer "run-dry": crate::run::DryRun, "what a run would do for each of its issues: `run --dry-run`";
    Answer "wisdom-view": ops::plans::WisdomView,
        "an entry of the team's wisdom, and whether it is an open question; an array of them: `wisdom`";
    Answer "run-show": crate::run::RunView, "`run`, `run show`, `run resume`: a run with its state";
    Answer "run-steered": crate::run::SteeredRun,
        "`run stop`, `run pause`, `run add`, and `run resume` of a paused run: what the run was told";
    Answer "run-answered": crate::run::AnsweredRun, "`run answer`: what a run was answered";
    Answer "run-diff": crate::run::RunDiff, "`run diff`: what an agent has changed so far";
    Answer "run-summary": crate::run::RunSummary, "an array of them: `run list`";
    Answer "list-count": ops::issues::Counted, "`list --count`";
    Answer "list-brief": list::BriefIssue,
        "an array of them: the issues in brief, in the form that programs for ccw expect (`list --brief`)";
    Answer "search": ops::issues::SearchResult, "`search`";
    Answer "reindex": ops::store::Reindexed, "`fsck --reindex`";
    Answer "task-start": ops::work::Started, "`task start`";
    Answer "link": ops::trail::LinkView, "an array of them: `link`";
    Answer "link-find": ops::trail::Relinked, "`link --find`";
    Answer "trace": ops::trail::TraceView, "`trace`";
    Answer "audit": ops::trail::Audit, "`audit`: commits with their tasks, and findings";
    Answer "audit-signatures": ops::trail::Signatures,
        "`audit --signatures`: who vouches for each commit of the ref";
    Answer "audit-against": ops::store::ComparedStatements,
        "`audit --against`: statements about test results, and what does not agree with the checks here";
    Answer "why": ops::trail::Why, "`why`: lines of a file and where they come from";
    Answer "log-step": HistoryStep, "an array of them: `log`";
    Answer "diff": ops::trail::StoreDiff, "`diff`: the records that differ between two states";
    Answer "purge": ops::store::Purge, "`redact --purge`";
    Answer "import": ImportReport,
        "`import beads`, `import ccw`, `import git-bug`, `import github`, `import openspec`, `import \
         spec-kit`, `import task-master`, `import gsd`, `import backlog`, `import csv`";
    Answer "import-jsonl": ImportedJsonl, "`import jsonl`";
    Answer "export": export::Exported<ExportedJsonl>,
        "`export jsonl --output FILE`; without --output, the lines of the export are the only output";
    Answer "export-github": ops::store::GithubComment, "`export github`: a comment for GitHub";
    Answer "export-github-sync": ops::store::GithubSync,
        "`export github --sync` and `export github ROADMAP`: what was sent to GitHub";
    Answer "export-csv": export::Exported<ops::store::ExportedTable>, "`export csv --output FILE`";
    Answer "export-beads": export::Exported<ops::store::TrackerExport>, "`export beads --output FILE`";
    Answer "solutions": solutions::Solutions,
        "the plans of an issue and the bound one, in the form that programs for ccw expect";
    Answer "export-agent-trace": export::Exported<ops::store::WrittenTraces>, "`export agent-trace --output FILE`";
    Answer "export-in-toto": export::StatedAnswer, "`export in-toto --output FILE`";
    Answer "export-ccw": export_ccw::CcwAnswer, "`export ccw`";
    Answer "export-progress": ops::store::WrittenPlans,
        "`export openspec`, `export spec-kit`, `export task-master`, `export backlog` and `export gsd`";
    Answer "init": Initialised, "`init`";
    Answer "hook-state": HookState,
        "an array of them: `hooks install`, `hooks uninstall`, `hooks status`, `hooks discard`";
    Answer "hook-lines": HookLines, "an array of them: `hooks lines`";
    Answer "sync": Synced, "`sync`, `pull`, `push`";
    Answer "conflict": Conflict, "`conflicts take`, `conflicts keep`; an array of them: `conflicts`";
    Answer "fsck-finding": FsckFinding, "an array of them: `fsck`";
    Answer "settings": ops::store::Settings,
        "`settings`: how each gate is set, and the project context for planners";
    Answer "schema": schema::SchemaList,
        "an array of them: `schema`, the kinds of document; `schema KIND` is a JSON Schema (2020-12) itself";
    Answer "completions": completions::Script, "`setup --completions`: the script for a shell";
    Answer "demo": demo::DemoAnswer, "`demo`";
    Answer "help": help::HelpAnswer, "`help`";
    Answer "setup": setup::SetupAnswer, "`setup`: what was installed, and where";
    Answer "version": version::VersionAnswer, "`--version --json`";
    #[cfg(feature = "web")]
    Answer "web": web::WebAnswer, "`web`: the address, when the server listens or the export is complete";
    Answer "error": crate::ops::ErrorAnswer<crate::model::remedy::Remedy>,
        "the error on stderr if a command fails";
};

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
