//! Resolves what a user types to an id: first an exact id, then the exact last part of one, then an unambiguous
//! prefix of an id or of its last part.

use super::{ReadState, records};
use crate::model::{ExecutionId, IssueId, ItemId, QueueId, RoadmapId, RunId, SolutionId, nearest};
use crate::store::{StoreError, layout};

mod error;
mod item;
mod known;

pub(crate) use error::ResolveError;
pub(crate) use item::{item, item_among};
pub(crate) use known::KnownRecord;

/// How well a text matches an id; the best match is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It is a prefix of the id or of its last part.
    Start,
    /// It is the whole last part.
    LastPart,
    /// It is the whole id.
    Whole,
}

fn fit(id: &str, last: &str, text: &str) -> Option<Fit> {
    match text {
        "" => None,
        text if id == text => Some(Fit::Whole),
        text if last == text => Some(Fit::LastPart),
        text => (id.starts_with(text) || last.starts_with(text)).then_some(Fit::Start),
    }
}

/// The things that `text` matches best by any of their ids; `ids` gives each id with its last part.
fn best<T>(
    text: &str,
    things: impl IntoIterator<Item = T>,
    ids: impl Fn(&T) -> Vec<(String, String)>,
) -> Vec<T> {
    let all: Vec<(T, Vec<(String, String)>)> = things
        .into_iter()
        .map(|thing| {
            let ids = ids(&thing);
            (thing, ids)
        })
        .collect();
    let lower = text.to_ascii_lowercase();
    let exactly = fits_of(&all, |(id, last): &(String, String)| fit(id, last, text));
    // If nothing matches exactly, ignore case.
    let fits = if exactly.iter().any(Option::is_some) {
        exactly
    } else {
        fits_of(&all, |(id, last): &(String, String)| {
            fit(&id.to_ascii_lowercase(), &last.to_ascii_lowercase(), &lower)
        })
    };
    let Some(best) = fits.iter().copied().max().flatten() else { return Vec::new() };
    all.into_iter().zip(fits).filter(|(_, fit)| *fit == Some(best)).map(|((thing, _), _)| thing).collect()
}

/// The best match of each thing, by any of its ids.
fn fits_of<T>(
    all: &[(T, Vec<(String, String)>)],
    fit: impl Fn(&(String, String)) -> Option<Fit>,
) -> Vec<Option<Fit>> {
    all.iter().map(|(_, ids)| ids.iter().filter_map(&fit).max()).collect()
}

/// The one thing whose id `text` matches best; `parts` gives an id and its last part.
fn pick<T>(
    kind: &'static str,
    text: &str,
    things: impl IntoIterator<Item = T>,
    parts: impl Fn(&T) -> (String, String),
) -> Result<T, ResolveError> {
    let things: Vec<T> = things.into_iter().collect();
    let ids: Vec<(String, String)> = things.iter().map(&parts).collect();
    let mut found = best(text, things, |thing| vec![parts(thing)]);
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(ResolveError::NotFound { kind, text: text.to_owned(), near: similar(text, &ids) }),
        (Some(last), false) => {
            found.push(last);
            let candidates = found.iter().map(|thing| parts(thing).0).collect();
            Err(ResolveError::Ambiguous { text: text.to_owned(), candidates, item: None })
        }
    }
}

/// The error for a text that names none of these issues.
pub(crate) fn not_found(kind: &'static str, text: &str, issues: &[String]) -> ResolveError {
    let ids: Vec<(String, String)> = issues
        .iter()
        .map(|id| (id.clone(), id.rsplit_once('-').map_or(String::new(), |(_, last)| last.to_owned())))
        .collect();
    ResolveError::NotFound { kind, text: text.to_owned(), near: similar(text, &ids) }
}

/// The whole id that `text` is a slip of: by the id itself, or by its last part.
fn similar(text: &str, ids: &[(String, String)]) -> Option<String> {
    let by_whole = nearest(text, ids.iter().map(|(whole, _)| whole.as_str()));
    by_whole
        .or_else(|| {
            let last = nearest(text, ids.iter().map(|(_, last)| last.as_str()))?;
            ids.iter().find(|(_, uid)| uid == last).map(|(whole, _)| whole.as_str())
        })
        .map(str::to_owned)
}

/// The one of these ids that `text` names, by the same rules as for all ids.
pub(crate) fn one_of(kind: &'static str, text: &str, ids: Vec<String>) -> Result<String, ResolveError> {
    pick(kind, text, ids, |id| {
        (id.clone(), id.rsplit_once('-').map_or(String::new(), |(_, last)| last.to_owned()))
    })
}

/// An issue.
pub(crate) fn issue(read: &impl ReadState, text: &str) -> Result<IssueId, ResolveError> {
    if let Ok(id) = IssueId::parse(text)
        && read.file(&layout::issue(&id))?.is_some()
    {
        return Ok(id);
    }
    match pick("issue", text, records::issue_ids(read)?, |id| (id.to_string(), id.uid().to_owned())) {
        Err(ResolveError::NotFound { kind, text, near }) => {
            Err(no_issue(read, &text).unwrap_or(ResolveError::NotFound { kind, text, near }))
        }
        found => found,
    }
}

/// The error for a text that has the form of an id that no issue can have; `None` for any other text.
pub(crate) fn no_issue(read: &impl ReadState, text: &str) -> Option<ResolveError> {
    let is_of_another_kind =
        ["SOL-", "EXR-", "QUE-", "RMAP-"].iter().any(|prefix| begins(text, prefix)) || number(text).is_some();
    if !is_of_another_kind {
        return None;
    }
    Some(match any(read, text) {
        Ok(found) => ResolveError::NoIssue { text: text.to_owned(), found },
        Err(_) => ResolveError::NotFound { kind: "issue", text: text.to_owned(), near: None },
    })
}

/// Whether a text begins with this prefix of ids, ignoring case.
pub(crate) fn begins(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// The number of an item, ignoring case.
pub(crate) fn number(text: &str) -> Option<ItemId> {
    ItemId::parse(&text.to_ascii_uppercase()).ok()
}

/// Whether a text has the form of a task's id.
fn is_task(text: &str) -> bool {
    text.strip_prefix('T').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A plan, of the issue `within` if that is given.
pub(crate) fn solution(
    read: &impl ReadState,
    text: &str,
    within: Option<&IssueId>,
) -> Result<SolutionId, ResolveError> {
    if let Ok(id) = SolutionId::parse(text)
        && read.file(&layout::solution(&id))?.is_some()
    {
        return Ok(id);
    }
    let issues = match within {
        Some(issue) => vec![issue.clone()],
        None => records::issue_ids(read)?,
    };
    let mut ids = Vec::new();
    for issue in issues {
        ids.extend(records::solution_ids(read, &issue)?);
    }
    pick("solution", text, ids, |id| (id.to_string(), id.uid().to_owned()))
}

/// A queue, by its id or by its whole name.
pub(crate) fn queue(read: &impl ReadState, text: &str) -> Result<QueueId, ResolveError> {
    let ids = records::queue_ids(read)?;
    let by_id = pick("queue", text, ids.iter().cloned(), |id| (id.to_string(), id.uid().to_owned()));
    if !matches!(by_id, Err(ResolveError::NotFound { .. })) || text.is_empty() {
        return by_id;
    }
    let mut named = Vec::new();
    for id in ids {
        if records::queue_head(read, &id)?.is_some_and(|head| head.queue.name.as_deref() == Some(text)) {
            named.push(id);
        }
    }
    match named.as_slice() {
        [] => by_id,
        [one] => Ok(one.clone()),
        many => Err(ResolveError::Ambiguous {
            text: text.to_owned(),
            candidates: many.iter().map(QueueId::to_string).collect(),
            item: None,
        }),
    }
}

/// A run.
pub(crate) fn run(read: &impl ReadState, text: &str) -> Result<RunId, ResolveError> {
    pick("run", text, records::run_ids(read)?, |id| (id.to_string(), id.uid().to_owned()))
}

/// A roadmap.
pub(crate) fn roadmap(read: &impl ReadState, text: &str) -> Result<RoadmapId, ResolveError> {
    pick("roadmap", text, records::roadmap_ids(read)?, |id| (id.to_string(), id.uid().to_owned()))
}

/// The issue, plan or execution with exactly this id.
pub(crate) fn exact(read: &impl ReadState, text: &str) -> Result<Option<KnownRecord>, StoreError> {
    if let Ok(id) = IssueId::parse(text)
        && read.file(&layout::issue(&id))?.is_some()
    {
        return Ok(Some(KnownRecord::Issue(id)));
    }
    if let Ok(id) = SolutionId::parse(text)
        && read.file(&layout::solution(&id))?.is_some()
    {
        return Ok(Some(KnownRecord::Solution(id)));
    }
    if let Ok(id) = ExecutionId::parse(text)
        && read.file(&layout::execution(&id))?.is_some()
    {
        return Ok(Some(KnownRecord::Execution(id)));
    }
    Ok(None)
}

/// Whatever `text` names.
pub(crate) fn any(read: &impl ReadState, text: &str) -> Result<KnownRecord, ResolveError> {
    if begins(text, "QUE-") && !text.contains(':') {
        return queue(read, text).map(KnownRecord::Queue);
    }
    if begins(text, "RMAP-") {
        return roadmap(read, text).map(KnownRecord::Roadmap);
    }
    if text.contains(':') || number(text).is_some() {
        return item(read, text).map(|(queue, item)| KnownRecord::Item(queue, item.solution_id));
    }
    if let Some(known) = exact(read, text)? {
        return Ok(known);
    }
    let mut known: Vec<KnownRecord> = Vec::new();
    for id in records::issue_ids(read)? {
        known.extend(records::solution_ids(read, &id)?.into_iter().map(KnownRecord::Solution));
        known.extend(records::execution_ids(read, &id)?.into_iter().map(KnownRecord::Execution));
        known.push(KnownRecord::Issue(id));
    }
    known.extend(records::queue_ids(read)?.into_iter().map(KnownRecord::Queue));
    known.extend(records::roadmap_ids(read)?.into_iter().map(KnownRecord::Roadmap));
    among("record", text, known)
}

/// The things that `text` matches equally well.
pub(crate) fn all_among(text: &str, known: Vec<KnownRecord>) -> Vec<KnownRecord> {
    best(text, known, |id| vec![id.parts()])
}

/// The one thing that `text` names.
pub(crate) fn among(
    kind: &'static str,
    text: &str,
    known: Vec<KnownRecord>,
) -> Result<KnownRecord, ResolveError> {
    pick(kind, text, known, KnownRecord::parts)
}
