//! The ids that start with what a user has typed, for completion on the command line.

use crate::index::Needs;
use crate::ops::{Answer, Refusal, Session, queue};

/// Nobody looks through more than this.
const MOST: usize = 500;

/// The kinds of records to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdKind {
    /// Issues.
    Issue,
    /// Plans.
    Plan,
    /// Issues and plans.
    Record,
    /// Queues that are not archived.
    Queue,
    /// Items of active queues.
    Item,
}

/// An id, and the title of its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownId {
    /// The id.
    pub(crate) id: String,
    /// The title of its issue, or the name of the queue.
    pub(crate) title: String,
}

/// Lists the ids that start with `begin`.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn ids(session: &Session, kind: IdKind, begin: &str) -> Answer<Vec<KnownId>> {
    let found = match kind {
        IdKind::Issue | IdKind::Plan | IdKind::Record => {
            let (_, found) = session.ask(Needs::ROWS, |index| {
                let mut found = Vec::new();
                if kind != IdKind::Plan {
                    found.extend(index.issues_that_begin(begin, MOST)?);
                }
                if kind != IdKind::Issue {
                    found.extend(index.plans_that_begin(begin, MOST)?);
                }
                Ok(found)
            })?;
            found
        }
        IdKind::Queue => queues(session)?,
        IdKind::Item => items(session)?,
    };
    let found = found.into_iter().filter(|(id, _)| id.starts_with(begin));
    Ok(session.done(found.map(|(id, title)| KnownId { id, title }).collect(), None))
}

fn queues(session: &Session) -> Result<Vec<(String, String)>, Refusal> {
    let queues = queue::list(session, false)?.view.into_iter();
    Ok(queues.map(|it| (it.queue.id.to_string(), it.queue.name.unwrap_or_default())).collect())
}

/// If there is only one queue, the number of an item is enough.
fn items(session: &Session) -> Result<Vec<(String, String)>, Refusal> {
    let queues = queue::active(session)?.view.queues;
    let is_alone = queues.len() == 1;
    let of = |it: crate::ops::queue::QueueAnswer| {
        let queue = it.queue.id;
        it.items.into_iter().flatten().map(move |item| {
            let id = item.item.item_id.to_string();
            (if is_alone { id } else { format!("{queue}:{id}") }, item.item.issue_id.to_string())
        })
    };
    Ok(queues.into_iter().flat_map(of).collect())
}
