//! An issue as every operation on one answers it.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::existing;
use crate::model::id::IssueId;
use crate::model::issue::Issue;
use crate::ops::{Answer, Session};
use crate::rules::folder::IssueFolder;
use crate::rules::shown::{IssueDerived, object};
use crate::store::ObjectId;

/// The stored fields of an issue, with what is derived of the records around it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct IssueView {
    /// As it is stored, but for the decision: `status` says where the issue stands.
    #[serde(flatten, serialize_with = "without_decision")]
    pub(crate) issue: Issue,
    /// Where it stands, and more.
    #[serde(flatten)]
    pub(crate) derived: IssueDerived,
}

impl IssueView {
    /// What there is to show of an issue.
    pub(crate) fn of(folder: &IssueFolder) -> Self {
        Self { issue: folder.issue.record.clone(), derived: IssueDerived::of(folder) }
    }
}

fn without_decision<S: Serializer>(issue: &Issue, serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = object(issue);
    fields.remove("status");
    fields.serialize(serializer)
}

/// An issue as it stands after `commit`, which changed it, or after nothing had to be changed.
pub(crate) fn answer(session: &Session, id: &IssueId, commit: Option<ObjectId>) -> Answer<IssueView> {
    let view = IssueView::of(&existing(&session.store().snapshot()?, id)?);
    Ok(session.done(view, commit))
}
