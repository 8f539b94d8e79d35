//! The view that every operation on an issue returns.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::indexed::Indexed;
use super::{Override, existing};
use crate::index::IssueRow;
use crate::interchange::trackers;
use crate::model::{Comment, EntryId, Explored, Feedback, Issue, IssueId, IssueStatus, Person, Time};
use crate::ops::plans::SolutionView;
use crate::ops::work::{ExecutionView, executions_within};
use crate::ops::{Answer, Session, fields, unreached_of};
use crate::rules::folder::hidden_in_source;
use crate::rules::shown::object;
use crate::rules::{IssueDerived, IssueFolder, StandingComment, facts};
use crate::store::ObjectId;

/// The stored fields of an issue, with fields derived from related records.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct IssueView {
    /// The stored fields, except the stored status: `status` is the derived one.
    /// `imported` is there only if it was asked for.
    #[serde(flatten, serialize_with = "without_decision")]
    pub(crate) issue: Issue,
    /// The derived status and other derived fields.
    #[serde(flatten)]
    pub(crate) derived: IssueDerived,
    /// Everything in its directory, if requested.
    #[serde(flatten)]
    pub(crate) contents: Option<Contents>,
    /// Values of the source that have no field here, kept as it wrote them. Only `show` has them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) kept: Map<String, Value>,
}

/// The contents of an issue's directory besides its record, and its entries in the log. Only `show` and `status` have
/// them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Contents {
    /// The comments that no later one replaces. Only `show` has this and the next seven fields.
    pub(crate) comments: Vec<CommentView>,
    /// What went wrong or was clarified.
    pub(crate) feedback: Vec<Feedback>,
    /// What explorers found out.
    pub(crate) explorations: Vec<Explored>,
    /// Its plans.
    pub(crate) solutions: Vec<SolutionView>,
    /// Its executions, in the order of their attempts.
    pub(crate) executions: Vec<ExecutionView>,
    /// The issues that are a part of it.
    pub(crate) children: Vec<Related>,
    /// The issues that depend on it.
    pub(crate) dependents: Vec<Related>,
    /// Gates that were overridden for it with `--force --reason`, the oldest first.
    pub(crate) overrides: Vec<Override>,
}

/// An issue that has to do with another one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Related {
    /// Its id.
    pub(crate) id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its status.
    pub(crate) status: IssueStatus,
}

impl From<IssueRow> for Related {
    fn from(IssueRow { id, title, status, .. }: IssueRow) -> Self {
        Self { id, title, status }
    }
}

/// A comment that no later one replaces.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CommentView {
    /// The comment as it was last written.
    #[serde(flatten)]
    pub(crate) comment: Comment,
    /// Whether it was withdrawn: then its text is empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_withdrawn: bool,
    /// Why moderators hid it in the tracker that it was imported from; agents are not given it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hidden: Option<String>,
    /// The comments that it replaces, oldest first; they are not listed separately.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaces: Vec<Replaced>,
}

/// A comment that a later one replaces.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Replaced {
    /// The entry's id.
    pub(crate) id: EntryId,
    /// Who wrote it.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
}

impl IssueView {
    /// The view of an issue.
    pub(crate) fn new(folder: &IssueFolder) -> Self {
        Self::listed(folder.issue.record.clone(), IssueDerived::derive(folder))
    }

    /// The view of an issue whose derived fields are known.
    pub(crate) fn listed(issue: Issue, derived: IssueDerived) -> Self {
        Self { issue: Issue { imported: None, ..issue }, derived, contents: None, kept: Map::new() }
    }

    /// Adds the source's record as last imported.
    pub(crate) fn with_imported(mut self, folder: &IssueFolder) -> Self {
        self.issue.imported.clone_from(&folder.issue.record.imported);
        self
    }

    /// Adds everything in the issue's directory, and what the source said that has no field here.
    pub(crate) fn in_full(session: &Session, folder: &IssueFolder) -> Self {
        let Indexed { children, dependents, landing, overrides } =
            Indexed::about(session, &folder.issue.record.id);
        let contents = Contents {
            children,
            dependents,
            comments: folder
                .standing_comments()
                .iter()
                .map(|comment| CommentView::new(folder, comment))
                .collect(),
            feedback: folder.feedback.clone(),
            explorations: folder.explorations.clone(),
            solutions: SolutionView::all(folder),
            executions: executions_within(folder, &unreached_of(session, folder.executions.iter())),
            overrides,
        };
        let kept = folder.issue.record.imported.as_ref().map(trackers::kept).unwrap_or_default();
        let mut view = Self { contents: Some(contents), kept, ..Self::new(folder) };
        if facts::is_completed(folder) {
            view.derived.landed = landing.map(|proof| proof.landed);
        }
        view
    }
}

impl CommentView {
    fn first(&self) -> &EntryId {
        self.replaces.first().map_or(&self.comment.id, |comment| &comment.id)
    }
}

impl Contents {
    /// The id by which people know a comment: that of its first version, which no edit changes. If two clones edited it
    /// apart, so that both versions are shown, each has its own.
    pub(crate) fn name_of<'a>(&self, comment: &'a CommentView) -> &'a EntryId {
        let first = comment.first();
        let is_alone = self.comments.iter().filter(|comment| comment.first() == first).count() == 1;
        if is_alone { first } else { &comment.comment.id }
    }
}

impl CommentView {
    fn new(folder: &IssueFolder, standing: &StandingComment<'_>) -> Self {
        Self {
            comment: standing.comment.clone(),
            is_withdrawn: standing.is_withdrawn(),
            hidden: hidden_in_source(&folder.issue.record, standing),
            replaces: standing
                .replaces
                .iter()
                .map(|replace| Replaced {
                    id: replace.id.clone(),
                    author: replace.author.clone(),
                    created_at: replace.created_at,
                })
                .collect(),
        }
    }
}

fn without_decision<S: Serializer>(issue: &Issue, serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = object(issue);
    // The derived fields have these names as well.
    fields.remove("status");
    fields.remove("closed_at");
    fields.serialize(serializer)
}

/// The fields of an issue in a list.
pub(crate) fn fields_of_listed() -> BTreeSet<String> {
    let contents = fields::known::<Contents>();
    let mut all = fields::known::<IssueView>();
    all.retain(|name| !contents.contains(name) && !["imported", "kept"].contains(&name.as_str()));
    all
}

/// The view of an issue after an operation; `commit` is `None` if nothing changed.
pub(crate) fn answer(session: &Session, id: &IssueId, commit: Option<ObjectId>) -> Answer<IssueView> {
    let view = IssueView::new(&existing(&session.store().snapshot()?, id)?);
    Ok(session.done(view, commit))
}
