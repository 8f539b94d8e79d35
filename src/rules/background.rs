//! The context for the next attempt at an issue: the issue itself, how earlier attempts ended, later comments, and
//! reviews. Planners and executors get the same, so that neither repeats what failed.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::bounded::{Cut, LONGEST, LONGEST_OF_ISSUE, LeftOut};
use super::claim_order::who_holds;
use super::facts;
use super::folder::{ExecutionFolder, IssueFolder};
use super::review;
use super::wisdom::WisdomTold;
use crate::model::execution::{AsideReason, Failure};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, IssueId, SolutionId};
use crate::model::issue::{ExtendedContext, Feedback, FeedbackType, LifecycleRequirements, Source, Stage};
use crate::model::priority::Priority;
use crate::model::review::{Score, Verdict};
use crate::model::solution::Solution;
use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::model::time::Time;

/// The content of an issue, without its id and title.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct IssueTold {
    /// The description, in Markdown; may be empty.
    pub(crate) description: String,
    /// Its status.
    #[serde(skip_serializing_if = "never")]
    pub(crate) status: IssueStatus,
    /// 1 (critical) to 5 (trivial).
    #[serde(skip_serializing_if = "never")]
    pub(crate) priority: Priority,
    /// bug, feature, task, … as the team uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) issue_type: Option<String>,
    /// Tags.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) tags: BTreeSet<String>,
    /// Parts of the system that it concerns.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) affected_components: BTreeSet<String>,
    /// What should happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expected_behavior: Option<String>,
    /// What happens instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) actual_behavior: Option<String>,
    /// The location in the code, a suggested fix, and notes.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) extended_context: ExtendedContext,
    /// Requirements for how it is worked on.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) lifecycle_requirements: LifecycleRequirements,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Source>,
    /// URL of the discussion (http or https).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source_url: Option<String>,
    /// `type:id` of related issues.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) relations: BTreeSet<String>,
    /// The issues that must be done first, and their status.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) depends_on: Vec<DependencyTold>,
}

/// An issue that must be done first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DependencyTold {
    /// Its id.
    pub(crate) issue_id: IssueId,
    /// Its title; absent if the issue is not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// Its status; absent if the issue is not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<IssueStatus>,
    /// Whether it is done.
    pub(crate) is_met: bool,
}

/// Earlier attempts, feedback, comments and reviews, each list newest first.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct Background {
    /// Earlier attempts at this issue, whatever their plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) attempts: Vec<AttemptTold>,
    /// Failures that no attempt reports, clarifications, and reasons why plans were rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) feedback: Vec<FeedbackTold>,
    /// The comments on the issue, as last edited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) comments: Vec<CommentTold>,
    /// The reviews of the current version of the plan; for a planner, of each plan of the issue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reviews: Vec<ReviewTold>,
    /// What the team learned: first what concerns the issue, then the rest, each the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) wisdom: Vec<WisdomTold>,
    /// What is left out here, and which command shows it. Each list has at most 20 entries; texts of the issue end
    /// after 16,000 characters, all others after 4,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<LeftOut>,
}

/// An earlier attempt, and how it ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AttemptTold {
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// Which attempt it was, from 1.
    pub(crate) attempt: u64,
    /// The plan that was executed.
    pub(crate) solution_id: SolutionId,
    /// The executor.
    pub(crate) actor: String,
    /// How it ended; `executing` if it has not.
    pub(crate) status: ExecutionStatus,
    /// When it started.
    pub(crate) started_at: Time,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished_at: Option<Time>,
    /// Who ended it, or set it aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_by: Option<String>,
    /// Why a gate was overridden to end it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forced: Option<String>,
    /// The command that set it aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) set_aside: Option<AsideReason>,
    /// The branch that it worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// Its commits, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) commits: Vec<CommitTold>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failure>,
    /// The test commands that failed when they were last run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failed_checks: Vec<CheckTold>,
    /// The outcome that the executor reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
}

/// A test command that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CheckTold {
    /// The task that the command belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    /// The command, as in the plan.
    pub(crate) command: String,
    /// The exit code; absent if a signal or a timeout ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
    /// The last part of its output.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) output_tail: String,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<CommitHash>,
    /// Whether the work tree had other changes.
    pub(crate) dirty: bool,
}

/// A commit of an earlier attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CommitTold {
    /// The full object id.
    pub(crate) hash: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The task, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
}

/// A piece of feedback.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FeedbackTold {
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: FeedbackType,
    /// The stage it comes from.
    pub(crate) stage: Stage,
    /// The plan that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solution_id: Option<SolutionId>,
    /// The task that went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    /// test_failure, compilation, timeout, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_type: Option<String>,
    /// A description.
    pub(crate) content: String,
    /// Its author.
    pub(crate) author: String,
    /// When.
    pub(crate) created_at: Time,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CommentTold {
    /// Who wrote it.
    pub(crate) author: String,
    /// When.
    pub(crate) created_at: Time,
    /// The text, in Markdown.
    pub(crate) body: String,
}

/// What a reviewer found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ReviewTold {
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Whether that is the plan that will be executed: the bound one; for an executor, its own.
    pub(crate) is_bound: bool,
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// 0.4·technical + 0.3·risk + 0.3·completeness.
    pub(crate) total: Score,
    /// What should change.
    pub(crate) findings: Vec<String>,
    /// The reviewer.
    pub(crate) author: String,
    /// When.
    pub(crate) created_at: Time,
}

/// For fields that this program always prints, but that other programs may leave out.
fn never<T>(_: &T) -> bool {
    false
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The reader.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reader<'a> {
    /// The planner of the next plan. Failures are listed separately, with what they have in common.
    Planner,
    /// The executor of this plan.
    Executor(&'a Solution),
}

/// The content of the issue. `state` looks up an issue that it depends on: its title, its status, and whether it is
/// done.
pub(crate) fn issue(
    folder: &IssueFolder,
    state: impl Fn(&IssueId) -> Option<(String, IssueStatus, bool)>,
) -> (IssueTold, Vec<LeftOut>) {
    let issue = &folder.issue.record;
    let mut left_out = Vec::new();
    let show = format!("git wf show {}", issue.id);
    let mut text = |what: &str, text: Option<&str>| {
        let mut cut = Cut::at(LONGEST_OF_ISSUE);
        let text = cut.some(text);
        left_out.extend(cut.left_out(what, show.clone()));
        text
    };
    let context = &issue.extended_context;
    let notes = match &context.notes {
        Some(Value::String(notes)) => text("extended_context.notes", Some(notes)).map(Value::String),
        Some(notes) => {
            // An object is given as a whole, or as a truncated text.
            let whole = notes.to_string();
            let short = text("extended_context.notes", Some(&whole));
            Some(short.filter(|short| *short != whole).map_or_else(|| notes.clone(), Value::String))
        }
        None => None,
    };
    let told = IssueTold {
        description: text("description", issue.context.as_deref()).unwrap_or_default(),
        expected_behavior: text("expected_behavior", issue.expected_behavior.as_deref()),
        actual_behavior: text("actual_behavior", issue.actual_behavior.as_deref()),
        extended_context: ExtendedContext {
            location: text("extended_context.location", context.location.as_deref()),
            suggested_fix: text("extended_context.suggested_fix", context.suggested_fix.as_deref()),
            notes,
        },
        status: facts::status(folder),
        priority: issue.priority,
        issue_type: issue.issue_type.clone(),
        tags: issue.tags.clone(),
        affected_components: issue.affected_components.clone(),
        lifecycle_requirements: issue.lifecycle_requirements.clone(),
        source: issue.source,
        source_url: issue.source_url.clone(),
        relations: issue.relations.clone(),
        depends_on: vec![],
    };
    let mut cut = Cut::at(LONGEST);
    let mut depends_on: Vec<DependencyTold> =
        issue.depends_on.iter().map(|id| dependency(id, &state)).collect();
    // Unmet dependencies come first.
    depends_on.sort_by_key(|it| it.is_met);
    let depends_on = cut.first(depends_on);
    left_out.extend(cut.left_out("depends_on", show));
    (IssueTold { depends_on, ..told }, left_out)
}

fn dependency(
    id: &IssueId,
    state: impl Fn(&IssueId) -> Option<(String, IssueStatus, bool)>,
) -> DependencyTold {
    let (title, status, is_met) = match state(id) {
        Some((title, status, is_met)) => (Some(title), Some(status), is_met),
        None => (None, None, false),
    };
    DependencyTold { issue_id: id.clone(), title, status, is_met }
}

/// Earlier attempts, feedback, comments and reviews. For its own executor, a running execution is not an earlier
/// attempt.
pub(crate) fn background(folder: &IssueFolder, reader: Reader<'_>) -> Background {
    let id = &folder.issue.record.id;
    let mut left_out = Vec::new();

    let mut cut = Cut::at(LONGEST);
    let attempts = cut.newest(attempts(folder, reader));
    let attempts = attempts.into_iter().map(|(it, status)| attempt(it, status, &mut cut)).collect();
    left_out.extend(cut.left_out("attempts", format!("git wf show {id} --json")));

    let mut cut = Cut::at(LONGEST);
    let feedback = cut.newest(folder.feedback.iter().filter(|it| is_told(folder, it, reader)).collect());
    let feedback = feedback.into_iter().map(|it| told_feedback(it, &mut cut)).collect();
    left_out.extend(cut.left_out("feedback", format!("git wf feedback list {id} --json")));

    let mut cut = Cut::at(LONGEST);
    let comments = cut.newest(folder.standing_comments().into_iter().map(|it| it.comment).collect());
    let comment = |it: &crate::model::issue::Comment, cut: &mut Cut| CommentTold {
        author: it.author.clone(),
        created_at: it.created_at,
        body: cut.text(&it.body),
    };
    let comments = comments.into_iter().map(|it| comment(it, &mut cut)).collect();
    left_out.extend(cut.left_out("comments", format!("git wf show {id}")));

    let mut cut = Cut::at(LONGEST);
    let reviews = reviews(folder, reader, &mut cut);
    left_out.extend(cut.left_out("reviews", format!("git wf show {id} --json")));

    Background { attempts, feedback, comments, reviews, wisdom: vec![], left_out }
}

/// The attempts, oldest first, with the state of each.
fn attempts<'a>(folder: &'a IssueFolder, reader: Reader<'_>) -> Vec<(&'a ExecutionFolder, ExecutionStatus)> {
    let holding = who_holds(&folder.executions);
    let all = folder.executions.iter().zip(holding.statuses).enumerate();
    let mut all: Vec<_> = all
        .filter(|(n, (_, status))| {
            let is_own = holding.holder == Some(*n) && *status == ExecutionStatus::Executing;
            !(is_own && matches!(reader, Reader::Executor(_)))
        })
        .map(|(_, it)| it)
        .collect();
    all.sort_by_key(|(it, _)| (it.execution.attempt, it.execution.started_at, &it.execution.id));
    all
}

fn attempt(it: &ExecutionFolder, status: ExecutionStatus, cut: &mut Cut) -> AttemptTold {
    let commits = cut.newest(it.commits());
    let commits = commits.into_iter().map(|commit| CommitTold {
        hash: commit.link.hash,
        subject: commit.link.subject,
        task_id: commit.link.task_id,
    });
    let commits = commits.collect();
    let failure = it.failure().map(|failure| Failure {
        message: cut.some(failure.message.as_deref()),
        stack_trace: cut.some(failure.stack_trace.as_deref()),
        ..failure.clone()
    });
    let failed = it.last_checks().into_iter().map(|(check, _)| check).filter(|it| it.exit_code != Some(0));
    let failed_checks = cut.first(failed.collect()).into_iter().map(|check| CheckTold {
        task_id: check.task_id.clone(),
        command: cut.text(&check.command),
        exit_code: check.exit_code,
        output_tail: cut.end(&check.output_tail),
        commit: check.commit.clone(),
        dirty: check.dirty,
    });
    let failed_checks = failed_checks.collect();
    AttemptTold {
        execution_id: it.execution.id.clone(),
        attempt: it.execution.attempt,
        solution_id: it.execution.solution_id.clone(),
        actor: it.execution.actor.clone(),
        status,
        started_at: it.execution.started_at,
        finished_at: it.finished_at(),
        ended_by: it.ended_by().map(str::to_owned),
        forced: it.forced().map(str::to_owned),
        set_aside: it.aside().map(|aside| aside.reason),
        branch: it.execution.branch.clone(),
        commits,
        failure,
        failed_checks,
        summary: cut.some(it.result().and_then(|result| result.summary.as_deref())),
    }
}

/// Whether feedback is listed separately: the failure of an attempt is listed with the attempt.
fn is_told(folder: &IssueFolder, it: &Feedback, reader: Reader<'_>) -> bool {
    if it.kind != FeedbackType::Failure {
        return true;
    }
    if matches!(reader, Reader::Planner) && it.stage == Stage::Execute {
        return false;
    }
    let is_of = |execution: &ExecutionFolder| {
        let same = |failure: &Failure| {
            failure.task_id == it.detail.task_id
                && failure.error_type == it.detail.error_type
                && failure.message == it.detail.message
        };
        it.detail.solution_id.as_ref() == Some(&execution.execution.solution_id)
            && execution.failure().is_some_and(same)
    };
    !folder.executions.iter().any(is_of)
}

fn told_feedback(it: &Feedback, cut: &mut Cut) -> FeedbackTold {
    FeedbackTold {
        kind: it.kind,
        stage: it.stage,
        solution_id: it.detail.solution_id.clone(),
        task_id: it.detail.task_id.clone(),
        error_type: it.detail.error_type.clone(),
        content: cut.text(&it.content),
        author: it.author.clone(),
        created_at: it.created_at,
    }
}

/// Reviews of the current plans, without those of earlier versions.
fn reviews(folder: &IssueFolder, reader: Reader<'_>, cut: &mut Cut) -> Vec<ReviewTold> {
    let plans: Vec<&Solution> = match reader {
        Reader::Planner => folder.solutions.iter().map(|it| &it.record).collect(),
        Reader::Executor(plan) => vec![plan],
    };
    let of = |plan: &Solution| {
        let digest = plan.plan_digest();
        let reviews = folder.reviews(&plan.id).iter().filter(move |it| it.plan_digest == digest);
        reviews.map(|it| (plan.id.clone(), it)).collect::<Vec<_>>()
    };
    let mut found: Vec<_> = plans.into_iter().flat_map(of).collect();
    found.sort_by_key(|(_, it)| (it.created_at, it.id.clone()));
    let found = cut.newest(found);
    let bound = match reader {
        Reader::Planner => folder.issue.record.bound_solution_id.as_ref(),
        Reader::Executor(plan) => Some(&plan.id),
    };
    let told = found.into_iter().map(|(solution_id, it)| {
        let findings = cut.first(it.findings.iter().collect());
        ReviewTold {
            is_bound: bound == Some(&solution_id),
            solution_id,
            verdict: review::verdict(it),
            total: it.total,
            findings: findings.into_iter().map(|text| cut.text(text)).collect(),
            author: it.author.clone(),
            created_at: it.created_at,
        }
    });
    told.collect()
}
