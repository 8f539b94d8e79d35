//! The context of an explorer.

use schemars::JsonSchema;
use serde::Serialize;

use super::background::{background_for, issue_context, notice_source};
use crate::model::{Depth, Extent, IssueId, Project};
use crate::ops::issues::existing;
use crate::ops::{Refusal, Session};
use crate::rules::exploration_depth::{complexity, depth};
use crate::rules::{Background, BackgroundReader, ExplorationContext, IssueContext, Role};
use crate::store::{Snapshot, records};

/// The context of an explorer: the issue with its feedback and earlier attempts, and how deep to look.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplorerInput {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    #[serde(flatten)]
    pub(crate) issue: IssueContext,
    /// The project context for planners.
    pub(crate) project_context: Project,
    /// How hard the work looks, by the text and the priority of the issue.
    pub(crate) complexity: Extent,
    /// How deep to look.
    pub(crate) depth: Depth,
    /// What an earlier exploration found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exploration: Option<ExplorationContext>,
    #[serde(flatten)]
    pub(crate) background: Background,
}

/// The context of the explorer of an issue.
pub(super) fn for_explorer(
    session: &Session,
    snapshot: &Snapshot<'_>,
    id: &IssueId,
) -> Result<ExplorerInput, Refusal> {
    let folder = existing(snapshot, id)?;
    notice_source(session, &folder);
    let (issue, left_out) = issue_context(snapshot, &folder)?;
    let (background, exploration) =
        background_for(snapshot, &folder, Role::Explorer, BackgroundReader::Planner, left_out)?;
    let title = folder.issue.record.title.clone();
    let complexity = complexity(&format!("{title}\n{}", issue.description), folder.issue.record.priority);
    Ok(ExplorerInput {
        issue_id: id.clone(),
        complexity,
        depth: depth(complexity),
        exploration,
        title,
        issue,
        project_context: records::root(snapshot)?.project,
        background,
    })
}
