//! Issues: creating, changing and reading them.

mod close;
mod comment;
mod edit;
mod fields;
mod home;
mod indexed;
mod input;
mod lanes;
mod lifecycle;
mod list;
mod list_options;
mod many;
mod new;
mod reopen;
mod saved;
mod search;
mod seen;
mod show;
mod standing;
mod templates;
mod view;

pub(crate) use close::{Close, ClosedAs, close, open_parts_in};
pub(crate) use comment::{CommentEdit, append_comment, comment, comment_text, edit_comment};
pub(crate) use edit::{Edit, edit, stored, unedited};
pub(crate) use fields::{MemberChange, NewFields, preview};
pub(crate) use home::{
    Attention, AttentionItem, AttentionKind, Home, HomeIssues, HomeItems, SyncState, home,
};
pub(crate) use indexed::Override;
pub(crate) use input::{IGNORED, IssueInput};
pub(crate) use lanes::{Lane, Lanes, LanesView, MOST_CARDS, lanes};
pub(crate) use list::{Counted, List, Rows, Total, count, list, moment, rows};
#[cfg(feature = "web")]
pub(crate) use list_options::{GIVEN_TWICE, options as list_options};
pub(crate) use list_options::{LIST_OPTIONS, ListOption};
pub(crate) use many::{ChangeMany, Many, ManyChanged, PreviewMany, many, many_preview};
pub(crate) use new::{NewIssue, check_dependencies, new};
#[cfg(feature = "web")]
pub(crate) use reopen::reopen_to;
pub(crate) use reopen::{Reopen, reopen};
pub(crate) use saved::{SavedQueries, words as query_words};
pub(crate) use search::{FoundIssue, SearchResult, search};
pub(crate) use seen::SeenFields;
pub(crate) use show::{ShowRecord, ShownExecution, ShownRecord, show};
pub(crate) use standing::{IssueWithExecutor, standing};
pub(crate) use templates::{stem as template_stem, template_named, templates};
pub(crate) use view::{CommentView, Contents, IssueView, Related, answer, fields_of_listed};

use std::collections::BTreeSet;

use super::{Refusal, Session};
use crate::model::{Code, IssueId, Other, RemedyCall};
use crate::rules::{IssueFolder, RelationCycle, Relations};
use crate::store::{ReadState, StoreError, layout, records, resolve};

/// An issue whose id was already resolved; it is missing only if its directory has no record.
///
/// # Errors
/// `not-found`, and any error from reading the store.
pub(crate) fn existing(read: &impl ReadState, id: &IssueId) -> Result<IssueFolder, Refusal> {
    records::issue(read, id)?.ok_or_else(|| missing(id))
}

/// Like [`existing`], without its plans, comments and feedback.
pub(crate) fn existing_outline(read: &impl ReadState, id: &IssueId) -> Result<IssueFolder, Refusal> {
    records::outline(read, id)?.ok_or_else(|| missing(id))
}

/// The id of an issue that is named by it or by an unambiguous start of it.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn id(session: &Session, text: &str) -> Result<IssueId, Refusal> {
    Ok(resolve::issue(&session.store().snapshot()?, text)?)
}

/// The cycles of relations to which the relations of these issues lead. An unreadable issue leads nowhere; `fsck` names it.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn relation_cycles(
    read: &impl ReadState,
    ids: Vec<IssueId>,
) -> Result<Vec<RelationCycle>, StoreError> {
    let mut relations = Relations::default();
    let (mut seen, mut open) = (BTreeSet::new(), ids);
    while let Some(id) = open.pop() {
        if seen.insert(id.clone()) {
            match records::issue_alone(read, &id) {
                Ok(issue) => open.extend(issue.iter().flat_map(|issue| relations.add(issue))),
                Err(StoreError::Broken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(relations.cycles())
}

/// Whether there is an issue with exactly this id.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn exists(session: &Session, id: &IssueId) -> Result<bool, Refusal> {
    Ok(session.store().snapshot()?.file(&layout::issue(id))?.is_some())
}

/// The waves of all roadmaps with the times of their issues, for a burn-up chart.
///
/// # Errors
/// Any error from the index.
#[cfg(feature = "web")]
pub(crate) fn waves(session: &Session) -> super::Answer<Vec<crate::index::Wave>> {
    let (_, waves) = session.ask(crate::index::Needs::ROWS, crate::index::Index::waves)?;
    Ok(session.done(waves, None))
}

fn missing(id: &IssueId) -> Refusal {
    Refusal::new(Code::NotFound, format!("there is no issue `{id}`"))
        .remedy(RemedyCall::from(Other::List).flag("all"), "lists the issues")
        .remedy(Other::Sync, "fetches what others have")
}

/// All readable issues, and the number of unreadable ones.
pub(crate) fn all(read: &impl ReadState) -> Result<(Vec<IssueFolder>, usize), Refusal> {
    let (mut folders, mut broken) = (Vec::new(), 0);
    for id in records::issue_ids(read)? {
        match records::issue(read, &id) {
            Ok(folder) => folders.extend(folder),
            Err(StoreError::Broken { .. }) => broken += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok((folders, broken))
}
