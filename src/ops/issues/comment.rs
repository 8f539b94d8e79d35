//! Commenting on issues.

use schemars::JsonSchema;
use serde::Serialize;

use super::{existing, existing_outline};
use crate::model::{Code, Comment, EntryId, IssueId, Op, Other, RemedyCall};
use crate::ops::entries::entry;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::limits;
use crate::store::{Tx, layout, resolve};

/// A comment that was added.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Commented {
    /// The comment as it is stored.
    #[serde(flatten)]
    pub(crate) comment: Comment,
    /// The issue.
    #[serde(skip)]
    pub(crate) issue: IssueId,
    /// The id of its first version, by which people know it.
    #[serde(skip)]
    pub(crate) known_as: EntryId,
}

/// A comment to change or to withdraw.
#[derive(Debug)]
pub(crate) struct CommentEdit {
    /// The issue: its id or an unambiguous prefix.
    pub(crate) issue: String,
    /// The comment: its id or an unambiguous part of it.
    pub(crate) comment: String,
    /// The new text, in Markdown; `None` withdraws the comment.
    pub(crate) body: Option<String>,
}

/// Replaces or withdraws a comment. Earlier versions stay in the log.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `empty-comment`, `too-long`.
pub(crate) fn edit_comment(session: &Session, input: &CommentEdit) -> Answer<Commented> {
    let CommentEdit { issue, comment, body } = input;
    let permit = session.permit(Op::Comment)?;
    let id = resolve::issue(&session.store().snapshot()?, issue)?;
    let body = match body {
        Some(body) => checked(body)?,
        None => String::new(),
    };
    let committed = session.transact(permit, |tx| {
        let folder = existing(tx, &id)?;
        let named =
            entry(tx, &layout::comments(&id), comment, id.as_str(), RemedyCall::new(Other::Show, [&id]))?;
        let all = folder.standing_comments();
        // Whichever version was named, the current one is replaced.
        let Some(standing) = all.iter().rfind(|standing| {
            standing.comment.id == named || standing.replaces.iter().any(|old| old.id == named)
        }) else {
            return Err(Refusal::unreadable(&format!("comment `{named}`")));
        };
        let (old, known_as) = (standing.comment, standing.first().id.clone());
        if old.body == body {
            return Ok((old.clone(), known_as));
        }
        let verb = if body.is_empty() { "withdraw" } else { "edit" };
        let comment = append_comment(tx, &id, body.clone(), Some(old.id.clone()))?;
        tx.describe(format!("issue: {verb} a comment on {id}"));
        Ok((comment, known_as))
    })?;
    let (comment, known_as) = committed.answer;
    Ok(session.done(Commented { comment, issue: id, known_as }, committed.commit))
}

/// The current text of a comment.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn comment_text(session: &Session, issue: &IssueId, comment: &str) -> Result<String, Refusal> {
    let snapshot = session.store().snapshot()?;
    let folder = existing(&snapshot, issue)?;
    let shown = RemedyCall::new(Other::Show, [issue]);
    let named = entry(&snapshot, &layout::comments(issue), comment, issue.as_str(), shown)?;
    let all = folder.standing_comments();
    let found = all.iter().rfind(|standing| {
        standing.comment.id == named || standing.replaces.iter().any(|old| old.id == named)
    });
    Ok(found.map(|standing| standing.comment.body.clone()).unwrap_or_default())
}

/// Checks a text: within the limits, and not empty.
pub(super) fn checked(body: &str) -> Result<String, Refusal> {
    let body = limits::text(body)?;
    if body.trim().is_empty() {
        return Err(Refusal::new(Code::EmptyComment, "the comment is empty; nothing was written")
            .hint("give the comment a text"));
    }
    Ok(body)
}

/// Comments on an issue, which is named by its id or an unambiguous prefix; `body` is Markdown.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `empty-comment`, `too-long`.
pub(crate) fn comment(session: &Session, issue: &str, body: &str) -> Answer<Commented> {
    let permit = session.permit(Op::Comment)?;
    let id = resolve::issue(&session.store().snapshot()?, issue)?;
    let body = checked(body)?;
    let committed = session.transact(permit, |tx| {
        let comment = comment_in(tx, &id, &body)?;
        tx.describe(format!("issue: comment on {id}"));
        Ok(comment)
    })?;
    let known_as = committed.answer.id.clone();
    Ok(session.done(Commented { comment: committed.answer, issue: id, known_as }, committed.commit))
}

/// Comments on an issue within a transaction; `body` is already checked.
pub(super) fn comment_in(tx: &mut Tx<'_>, id: &IssueId, body: &str) -> Result<Comment, Refusal> {
    existing_outline(tx, id)?;
    append_comment(tx, id, body.to_owned(), None)
}

/// Adds a comment to the log, or a new text for one that it edits.
pub(crate) fn append_comment(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    body: String,
    edits: Option<EntryId>,
) -> Result<Comment, Refusal> {
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    Ok(tx.append(&layout::comments(issue), |id| Comment {
        id,
        body,
        author,
        created_at,
        edits,
        source_id: None,
    })?)
}
