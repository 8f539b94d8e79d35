//! The context of a reviewer.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::background::{background_for, issue_context, notice_source};
use crate::model::{IssueId, PlanDigest, Project, SolutionId};
use crate::ops::issues::existing;
use crate::ops::{Refusal, Session, work};
use crate::rules::{
    Background, BackgroundReader, ExplorationContext, IssueContext, PlanFinding, PlanSetting, Role,
    plan_check,
};
use crate::store::{Snapshot, records};

#[serde_with::skip_serializing_none]
/// The context of a reviewer: the plan, what the checks say of it, and its issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewerInput {
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// The digest of the plan shown here, which the review should name.
    pub(crate) plan_digest: PlanDigest,
    /// The issue's title.
    pub(crate) title: String,
    /// What the issue says.
    pub(crate) issue: IssueContext,
    /// The project context for planners.
    pub(crate) project_context: Project,
    /// What an explorer found.
    pub(crate) exploration: Option<ExplorationContext>,
    /// A note that nobody explored the code, and how that should affect the scores.
    pub(crate) no_context: Option<&'static str>,
    /// The plan itself.
    #[schemars(with = "std::collections::BTreeMap<String, Value>")]
    pub(crate) plan: Value,
    /// The quality of the plan, 0 to 1; binding requires 0.8.
    pub(crate) quality: f64,
    /// What the checks found in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) findings: Vec<PlanFinding>,
    #[serde(flatten)]
    pub(crate) background: Background,
}

/// The note to a reviewer about an issue that nobody explored.
const NO_CONTEXT: &str = "no exploration of the code: check yourself that the files of the plan are the right ones; if you cannot, a \
    technical score of 70 is appropriate";

/// The context of the reviewer of a plan.
pub(super) fn for_reviewer(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: SolutionId,
) -> Result<ReviewerInput, Refusal> {
    let issue_id = id.issue();
    let folder = existing(snapshot, &issue_id)?;
    let plan = work::planned(session.store(), &folder, &id)?;
    notice_source(session, &folder);
    let (issue, left_out) = issue_context(snapshot, &folder)?;
    let (background, exploration) =
        background_for(snapshot, &folder, Role::Reviewer, BackgroundReader::Executor(&plan), left_out)?;
    let report = plan_check::examine(&plan.plan, PlanSetting::default());
    Ok(ReviewerInput {
        plan_digest: plan.plan_digest(),
        title: folder.issue.record.title.clone(),
        issue,
        project_context: records::root(snapshot)?.project,
        quality: report.quality.total(),
        findings: report.findings,
        no_context: exploration.is_none().then_some(NO_CONTEXT),
        exploration,
        plan: plan.plan.into(),
        background,
        solution_id: id,
        issue_id,
    })
}
