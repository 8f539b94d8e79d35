//! A roadmap as it is: its document with what happened to its issues.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::roadmap::Assessment;
use crate::model::{
    IssueId, IssueStatus, Person, Priority, Risk, RoadmapId, RoadmapMode, SolutionId, TaskId, Time,
};
use crate::rules::{Assessed, Round, Status};

#[serde_with::skip_serializing_none]
/// A roadmap with the state of its issues.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RoadmapView {
    /// Its id.
    pub(crate) id: RoadmapId,
    /// Its title.
    pub(crate) title: String,
    /// What is required.
    pub(crate) requirement: Option<String>,
    /// Layers or tasks; left out if all of them are hidden and nothing else says it.
    pub(crate) mode: Option<RoadmapMode>,
    /// Its status.
    pub(crate) status: Status,
    /// Who added it.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
    /// When its document last changed.
    pub(crate) updated_at: Option<Time>,
    /// Goal, constraints, stakeholders and keywords, with the factors as they were given.
    pub(crate) assessment: Option<Assessment>,
    /// The result of the factors.
    pub(crate) assessed: Option<Assessed>,
    /// How many of its issues are completed or closed.
    pub(crate) done: usize,
    /// How many issues it has, without those that were cancelled or are gone.
    pub(crate) total: usize,
    /// The waves in order.
    pub(crate) waves: Vec<WaveView>,
    /// Issues whose layer or task the document no longer has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) gone: Vec<RoadmapIssue>,
    /// What could go wrong, overall and in each layer or task.
    pub(crate) risks: Vec<RiskOf>,
    /// The rounds of feedback.
    pub(crate) rounds: Vec<Round>,
    /// What the planner found out about the code.
    pub(crate) codebase_context: Option<Value>,
    /// The document as it was written.
    pub(crate) document: Value,
}

/// A wave with its issues.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct WaveView {
    /// From 1 on.
    pub(crate) wave: u64,
    /// How many of its issues are completed or closed.
    pub(crate) done: usize,
    /// How many issues it has, without those that were cancelled.
    pub(crate) total: usize,
    /// Its issues.
    pub(crate) issues: Vec<RoadmapIssue>,
}

/// An issue of a roadmap.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RoadmapIssue {
    /// Its layer or task in the document.
    pub(crate) item: String,
    /// The name of the layer, or the type of the task.
    pub(crate) label: String,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// The goal of the layer, or the title of the task.
    pub(crate) goal: String,
    /// Its status.
    pub(crate) status: IssueStatus,
    /// How urgent it is.
    pub(crate) priority: Priority,
    /// Issues that must be done first.
    pub(crate) depends_on: Vec<IssueId>,
    /// Its bound plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solution_id: Option<SolutionId>,
    /// What must hold.
    pub(crate) criteria: Vec<String>,
    /// How that is checked.
    pub(crate) verification: Vec<String>,
    /// What the requester has then.
    pub(crate) definition_of_done: String,
    /// What was accepted in its execution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) accepted: Vec<AcceptedCriterion>,
}

/// A criterion of a plan that someone accepted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AcceptedCriterion {
    /// The task of the plan.
    pub(crate) task_id: TaskId,
    /// The criterion; its number if the plan no longer has it.
    pub(crate) criterion: String,
    /// What shows that it holds.
    pub(crate) evidence: String,
}

/// Something that could go wrong.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RiskOf {
    /// The layer or task; left out for the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item: Option<String>,
    /// What.
    #[serde(flatten)]
    pub(crate) risk: Risk,
}

/// A roadmap in one line.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RoadmapSummary {
    /// Its id.
    pub(crate) id: RoadmapId,
    /// Its title.
    pub(crate) title: String,
    /// Layers or tasks; left out if all of them are hidden and nothing else says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<RoadmapMode>,
    /// Its status.
    pub(crate) status: Status,
    /// How many waves it has.
    pub(crate) waves: usize,
    /// How many of its issues are completed or closed.
    pub(crate) done: usize,
    /// How many issues it has, without those that were cancelled or are gone.
    pub(crate) total: usize,
    /// When it was added.
    pub(crate) created_at: Time,
}
