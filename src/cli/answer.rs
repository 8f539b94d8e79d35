//! Records as a command answers them: the stored fields with what is derived of them, under the names of the format.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::execution::{ExecutionResult, Failure};
use crate::model::hash::CommitHash;
use crate::model::id::{EntryId, QueueId};
use crate::model::issue::Comment;
use crate::model::plan::Plan;
use crate::model::solution::Solution;
use crate::model::status::ExecutionStatus;
use crate::model::time::Time;
use crate::rules::folder::{ExecutionFolder, IssueFolder, LinkedCommit, StandingComment};
use crate::rules::holds::who_holds;
use crate::rules::plan_check;
use crate::rules::readiness::{ItemView, QueueView};
pub(crate) use crate::rules::shown::{IssueDerived, issue};
use crate::rules::shown::{object, value};
use crate::rules::{complexity, review};
use crate::trail::reach::Unreached;

/// An issue as `show` shows it, with everything in its folder.
pub(crate) fn issue_with_all(folder: &IssueFolder, unreached: &Unreached) -> Value {
    let mut answer = issue(folder);
    answer["comments"] =
        folder.standing_comments().iter().map(|it| value(&CommentAnswer::from(it))).collect();
    answer["feedback"] = value(&folder.feedback);
    answer["solutions"] = folder.solutions.iter().map(|s| solution(folder, &s.record)).collect();
    answer["executions"] = executions_within(folder, unreached).iter().map(value).collect();
    answer
}

/// A comment that no later one replaces.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CommentAnswer {
    /// The comment as it was last written.
    #[serde(flatten)]
    pub(crate) comment: Comment,
    /// The comments that it replaces, oldest first; they are not listed by themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaces: Vec<Replaced>,
}

/// A comment in whose place a later one stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Replaced {
    /// The entry's name.
    id: EntryId,
    /// Who wrote it.
    author: String,
    /// When.
    created_at: Time,
}

impl From<&StandingComment<'_>> for CommentAnswer {
    fn from(it: &StandingComment<'_>) -> Self {
        let replaced = |it: &&Comment| Replaced {
            id: it.id.clone(),
            author: it.author.clone(),
            created_at: it.created_at,
        };
        Self { comment: it.comment.clone(), replaces: it.replaces.iter().map(replaced).collect() }
    }
}

/// A plan in the flat form in which planners write it.
pub(crate) fn solution(folder: &IssueFolder, solution: &Solution) -> Value {
    let plan: Plan = solution.typed_plan();
    let mut map = Map::new();
    map.insert("id".into(), value(&solution.id));
    map.insert("issue_id".into(), value(&solution.issue_id));
    if let Value::Object(fields) = &solution.plan {
        map.extend(fields.clone());
    }
    let is_bound = folder.issue.record.bound_solution_id.as_ref() == Some(&solution.id);
    map.insert("author".into(), value(&solution.author));
    map.insert("created_at".into(), value(&solution.created_at));
    map.insert("is_bound".into(), value(&is_bound));
    map.insert("plan_digest".into(), value(&solution.plan_digest()));
    map.insert("quality".into(), value(&plan_check::quality(&solution.plan).total()));
    map.insert("files_touched".into(), value(&plan.touches()));
    map.insert("task_count".into(), value(&plan.tasks.len()));
    map.insert("computed_complexity".into(), value(&complexity::of_plan(&plan)));
    let reviews = folder.reviews(&solution.id);
    map.insert("review".into(), value(&review::standing(solution, reviews).word()));
    map.insert("reviews".into(), value(&reviews));
    Value::Object(map)
}

/// A linked commit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CommitAnswer {
    /// The link.
    #[serde(flatten)]
    pub(crate) link: crate::model::execution::CommitLink,
    /// Earlier hashes of the same work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rewritten_from: Vec<CommitHash>,
    /// Whether it is in this repository and on no branch, tag or remote, as after a reset. Only `show`, `status` and `trace`
    /// look for that.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) on_no_branch: bool,
}

impl CommitAnswer {
    /// What people are told of it, behind its subject.
    pub(crate) fn whereabouts(&self) -> &'static str {
        if self.on_no_branch { ON_NO_BRANCH } else { "" }
    }
}

/// Behind a commit that nothing leads to.
pub(crate) const ON_NO_BRANCH: &str = " (on no branch)";

impl From<LinkedCommit> for CommitAnswer {
    fn from(commit: LinkedCommit) -> Self {
        Self { link: commit.link, rewritten_from: commit.rewritten_from, on_no_branch: false }
    }
}

/// An execution with what is derived of its log.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ExecutionAnswer {
    /// The claim.
    #[serde(flatten)]
    pub(crate) execution: crate::model::execution::Execution,
    /// How it stands among the executions of its issue.
    pub(crate) status: ExecutionStatus,
    /// The commits that are linked now.
    pub(crate) commits: Vec<CommitAnswer>,
    /// The test commands that were run.
    pub(crate) checks: Vec<crate::model::execution::Check>,
    /// What the executor reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<ExecutionResult>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failure>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished_at: Option<Time>,
    /// Who ended it, or set it aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_by: Option<String>,
    /// Why a gate was overridden to end it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forced: Option<String>,
}

impl ExecutionAnswer {
    /// How it ended, where that is worth a word: see [`end_note`].
    pub(crate) fn end_note(&self) -> String {
        end_note(&self.execution.actor, self.ended_by.as_deref(), self.forced.as_deref())
    }
}

/// `, ended by …` where that is not the one who executed, and the reason for which a gate was overridden.
pub(crate) fn end_note(actor: &str, ended_by: Option<&str>, forced: Option<&str>) -> String {
    let other = ended_by.filter(|person| *person != actor).map(|person| format!(", ended by {person}"));
    let forced = forced.map(|reason| format!(", gate overridden: {reason}"));
    other.into_iter().chain(forced).collect()
}

/// One execution as it stands among `status`.
pub(crate) fn execution(folder: &ExecutionFolder, status: ExecutionStatus) -> ExecutionAnswer {
    let checks = folder.log.iter().filter_map(|entry| match &entry.event {
        crate::model::execution::Event::Check(check) => Some(check.clone()),
        _ => None,
    });
    let mut execution = folder.execution.clone();
    execution.lease_expires_at = folder.lease_expires_at();
    ExecutionAnswer {
        execution,
        status,
        commits: folder.commits().into_iter().map(CommitAnswer::from).collect(),
        checks: checks.collect(),
        result: folder.result().cloned(),
        failure: folder.failure().cloned(),
        finished_at: folder.finished_at(),
        ended_by: folder.ended_by().map(str::to_owned),
        forced: folder.forced().map(str::to_owned),
    }
}

/// All executions of an issue, in the order of their attempts.
pub(crate) fn executions(folder: &IssueFolder) -> Vec<ExecutionAnswer> {
    let statuses = who_holds(&folder.executions).statuses;
    let mut all: Vec<ExecutionAnswer> =
        folder.executions.iter().zip(statuses).map(|(it, status)| execution(it, status)).collect();
    all.sort_by(|a, b| {
        let key =
            |it: &ExecutionAnswer| (it.execution.attempt, it.execution.started_at, it.execution.id.clone());
        key(a).cmp(&key(b))
    });
    all
}

/// The same, with the commits marked that nothing leads to.
pub(crate) fn executions_within(folder: &IssueFolder, unreached: &Unreached) -> Vec<ExecutionAnswer> {
    let mut all = executions(folder);
    for commit in all.iter_mut().flat_map(|it| &mut it.commits) {
        commit.on_no_branch = unreached.is_adrift(&commit.link.hash);
    }
    all
}

/// An item with what is derived of it.
pub(crate) fn item(view: &ItemView) -> Value {
    let mut map = object(&view.item);
    map.insert("status".into(), value(&view.status));
    map.insert("execution_order".into(), value(&view.execution_order));
    map.insert("execution_group".into(), value(&view.execution_group));
    map.insert("semantic_priority".into(), value(&view.semantic_priority));
    map.insert("task_count".into(), value(&view.task_count));
    map.insert("files_touched".into(), value(&view.files_touched));
    map.insert("blocked_by".into(), value(&view.blocked_by));
    if let Some(holder) = &view.holder {
        // What is not there is left out, as everywhere.
        let mut holder = object(holder);
        holder.retain(|_, value| !value.is_null());
        map.insert("holder".into(), Value::Object(holder));
    }
    Value::Object(map)
}

/// An item where its queue does not stand around it.
pub(crate) fn item_in(queue: &QueueId, view: &ItemView) -> Value {
    let mut answer = item(view);
    answer["queue_id"] = value(queue);
    answer
}

/// A queue as `queue list` shows it.
pub(crate) fn queue(view: &QueueView) -> Value {
    let mut map = object(&view.queue);
    map.insert("status".into(), value(&view.status));
    map.insert("item_count".into(), value(&view.items.len()));
    Value::Object(map)
}

/// A queue as `queue show` shows it, with its items.
pub(crate) fn queue_with_items(view: &QueueView) -> Value {
    let mut answer = queue(view);
    answer["items"] = view.items.iter().map(item).collect();
    answer["conflicts"] = value(&view.conflicts);
    answer
}
