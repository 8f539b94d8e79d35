//! Items of queues: what a user types names one by its number, its plan or its issue.

use super::{ResolveError, best, number, queue};
use crate::model::{Item, QueueId, SolutionId};
use crate::rules::QueueFolder;
use crate::store::ReadState;
use crate::store::snapshot::records;

/// An item: `QUE-…:S-1`, `S-1`, its plan, or its issue. Removed items do not match.
pub(crate) fn item(read: &impl ReadState, text: &str) -> Result<(QueueId, Item), ResolveError> {
    match of_plan(read, text)? {
        Some(found) => Ok(found),
        None => item_among(read, &records::queues(read)?, text),
    }
}

/// The only item of exactly this plan, without reading those of others: an exact id beats every other match.
fn of_plan(read: &impl ReadState, text: &str) -> Result<Option<(QueueId, Item)>, ResolveError> {
    let (in_queue, rest) = in_queue(read, text)?;
    let Ok(plan) = SolutionId::parse(rest) else { return Ok(None) };
    let found = records::items_of(read, &plan.issue())?.into_iter().filter_map(|(queue, solution, item)| {
        let is_there = solution == plan && in_queue.as_ref().is_none_or(|id| *id == queue);
        item.ok().filter(|item| is_there && !item.is_removed()).map(|item| (queue, item))
    });
    let mut found: Vec<_> = found.collect();
    let last = found.pop();
    Ok(if found.is_empty() { last } else { None })
}

/// The queue that comes before a colon, and the rest of the text.
fn in_queue<'a>(read: &impl ReadState, text: &'a str) -> Result<(Option<QueueId>, &'a str), ResolveError> {
    Ok(match text.split_once(':') {
        Some((queue_text, rest)) => (Some(queue(read, queue_text)?), rest),
        None => (None, text),
    })
}

/// What names the first of several items alone: its queue and number, or its plan if that queue has the number twice.
fn alone(found: &[(QueueId, Item)]) -> Option<String> {
    let (queue, item) = found.first()?;
    let twins =
        found.iter().filter(|(other, candidate)| other == queue && candidate.item_id == item.item_id).count();
    Some(if twins > 1 { item.solution_id.to_string() } else { format!("{queue}:{}", item.item_id) })
}

/// Like [`item`], if the queues were already read.
pub(crate) fn item_among(
    read: &impl ReadState,
    queues: &[QueueFolder],
    text: &str,
) -> Result<(QueueId, Item), ResolveError> {
    let (in_queue, rest) = in_queue(read, text)?;
    let mut live: Vec<(QueueId, Item)> = Vec::new();
    for folder in queues.iter().filter(|queue| in_queue.as_ref().is_none_or(|id| *id == queue.queue.id)) {
        let items = folder.items.iter().filter(|item| !item.is_removed());
        live.extend(items.map(|item| (folder.queue.id.clone(), item.clone())));
    }
    let mut found: Vec<(QueueId, Item)> = if let Some(number) = number(rest) {
        live.into_iter().filter(|(_, item)| item.item_id == number).collect()
    } else {
        best(rest, live, |(_, item)| {
            let (plan, issue) = (&item.solution_id, &item.issue_id);
            vec![(plan.to_string(), plan.uid().to_owned()), (issue.to_string(), issue.uid().to_owned())]
        })
    };
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(ResolveError::NotFound { kind: "item", text: text.to_owned(), near: None }),
        (Some(last), false) => {
            found.push(last);
            let candidates = found
                .iter()
                .map(|(queue, item)| format!("{queue}:{} ({})", item.item_id, item.solution_id))
                .collect();
            Err(ResolveError::Ambiguous { text: text.to_owned(), candidates, item: alone(&found) })
        }
    }
}
