//! The context of an explorer.

use schemars::JsonSchema;
use serde::Serialize;

use super::told::{issue_told, notice_source, with_wisdom};
use crate::model::id::IssueId;
use crate::model::root::Project;
use crate::ops::issues::existing;
use crate::ops::{Refusal, Session};
use crate::rules::background::{self, Background, IssueTold, Reader};
use crate::rules::exploration_depth::{self, Depth};
use crate::store::{Snapshot, records};

/// The context of an explorer: the issue, what was tried and said before, and how deep to look.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplorerInput {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    #[serde(flatten)]
    pub(crate) issue: IssueTold,
    /// What the project tells its planners.
    pub(crate) project_context: Project,
    /// How deep to look.
    pub(crate) depth: Depth,
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
    let (issue, mut left_out) = issue_told(snapshot, &folder)?;
    let mut background = with_wisdom(snapshot, &folder, background::background(&folder, Reader::Planner))?;
    left_out.append(&mut background.left_out);
    background.left_out = left_out;
    let title = folder.issue.record.title.clone();
    Ok(ExplorerInput {
        issue_id: id.clone(),
        depth: exploration_depth::of(&format!("{title}\n{}", issue.description), issue.priority),
        title,
        issue,
        project_context: records::root(snapshot)?.project,
        background,
    })
}
