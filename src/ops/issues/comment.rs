//! Commenting on issues.

use schemars::JsonSchema;
use serde::Serialize;

use super::existing_outline;
use crate::model::code::Code;
use crate::model::id::IssueId;
use crate::model::issue::Comment;
use crate::model::op::Op;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::limits;
use crate::store::{layout, resolve};

/// A comment that was added.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Commented {
    /// The comment as it is stored.
    #[serde(flatten)]
    pub(crate) comment: Comment,
    /// The issue.
    #[serde(skip)]
    pub(crate) issue: IssueId,
}

/// Comments on the issue with this id or unambiguous prefix; `body` is Markdown.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `empty-comment`, `too-long`.
pub(crate) fn comment(session: &Session, issue: &str, body: &str) -> Answer<Commented> {
    let permit = session.permit(Op::Comment)?;
    let id = resolve::issue(&session.store().snapshot()?, issue)?;
    let body = limits::text(body)?;
    if body.trim().is_empty() {
        return Err(Refusal::new(Code::EmptyComment, "the comment is empty, so nothing was written")
            .hint("write the comment"));
    }
    let committed = session.transact(permit, |tx| {
        existing_outline(tx, &id)?;
        let (author, created_at, body) = (tx.person().to_owned(), tx.stamper().now(), body.clone());
        let comment = tx.append(&layout::comments(&id), |entry| Comment {
            id: entry,
            body,
            author,
            created_at,
            edits: None,
            source_id: None,
        })?;
        tx.describe(format!("issue: comment on {id}"));
        Ok(comment)
    })?;
    Ok(session.done(Commented { comment: committed.answer, issue: id }, committed.commit))
}
