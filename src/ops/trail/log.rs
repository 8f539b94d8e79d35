//! The audit log of the store.

use crate::index::Needs;
use crate::model::{Op, SolutionId, Time};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::roles;
use crate::store::{HistoryStep, KnownRecord, PeriodBound, ReadState, Store, layout, records};
use crate::trail::log::{LogFilter, StoreLog};

/// Which steps to list; a step must match all that is given.
#[derive(Debug, Default)]
pub(crate) struct LogInput {
    /// Only steps that changed the record with this id.
    pub(crate) id: Option<String>,
    /// Whether to include the changes of each step.
    pub(crate) with_changes: bool,
    /// At most this many, the latest.
    pub(crate) limit: Option<usize>,
    /// Without this many of the latest.
    pub(crate) offset: usize,
    /// Made at this time or later; a date as git reads it.
    pub(crate) since: Option<String>,
    /// Made at this time or earlier.
    pub(crate) until: Option<String>,
    /// By someone whose name, address or actor contains one of these.
    pub(crate) authors: Vec<String>,
    /// By one of these operations; `queue` includes all that start with it.
    pub(crate) operations: Vec<String>,
    /// In one of these roles; `owner` means no role.
    pub(crate) roles: Vec<String>,
}

/// The requested steps, latest first; each is read on demand.
pub(crate) struct LogSteps<'s> {
    log: StoreLog<'s>,
    numbers: std::vec::IntoIter<i64>,
    paths: Option<Vec<String>>,
    /// How many steps match, if the limit left some out.
    total: Option<usize>,
}

impl LogSteps<'_> {
    /// How many steps are listed and how many match, if the limit left some out.
    pub(crate) fn cut(&self) -> Option<(usize, usize)> {
        Some((self.numbers.len(), self.total?))
    }

    /// The children of each step, by their positions in the list.
    pub(crate) fn children(&self) -> Result<Vec<Vec<usize>>, Refusal> {
        Ok(self.log.children(self.numbers.as_slice())?)
    }
}

impl Iterator for LogSteps<'_> {
    type Item = Result<HistoryStep, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        let n = self.numbers.next()?;
        Some(self.log.step(n, self.paths.as_deref()).map_err(Refusal::from))
    }
}

/// The steps of the store.
///
/// # Errors
/// `usage` if a date is invalid; `not-found`, `ambiguous-id`.
pub(crate) fn log<'s>(session: &'s Session, input: &LogInput) -> Answer<LogSteps<'s>> {
    let store = session.store();
    let wanted = wanted(store, input)?;
    session.notice_all(unknown(input));
    let (index, known) =
        session.ask(Needs::LOG, |index| input.id.as_deref().map(|id| index.resolve(id)).transpose())?;
    let known = known.transpose()?;
    let paths = match (&known, input.with_changes) {
        (_, false) => None,
        (None, true) => Some(Vec::new()),
        (Some(known), true) => Some(paths(&index.snapshot()?, known)?),
    };
    let log = StoreLog::new(store, index)?;
    let thing = known.as_ref().map(thing);
    // One more than is shown tells whether that is all.
    let most = input.limit.map(|limit| limit.saturating_add(input.offset));
    let mut total = None;
    let mut numbers = log.find(thing.as_deref(), &wanted, most.map(|most| most.saturating_add(1)))?;
    if let Some(most) = most
        && numbers.len() > most
    {
        numbers.truncate(most);
        total = Some(log.find(thing.as_deref(), &wanted, None)?.len());
    }
    let numbers = numbers.split_off(input.offset.min(numbers.len())).into_iter();
    Ok(session.done(LogSteps { log, numbers, paths, total }, None))
}

/// A filter that nothing can match is probably misspelled, although another program may have made such commits.
fn unknown(input: &LogInput) -> Vec<Notice> {
    let ops = input.operations.iter().filter(|op| !Op::is_named(op));
    let ops = ops.map(|op| format!("no command makes commits named `{op}`"));
    let known: Vec<&str> = roles::names().collect();
    let strange = input.roles.iter().filter(|role| !known.contains(&role.as_str()));
    let strange =
        strange.map(|role| format!("no role is called `{role}`; the roles are {}", known.join(", ")));
    ops.chain(strange).map(Notice::warning).collect()
}

fn wanted(store: &Store, input: &LogInput) -> Result<LogFilter, Refusal> {
    let [since, until] = [(&input.since, PeriodBound::Since), (&input.until, PeriodBound::Until)]
        .map(|(text, bound)| text.as_ref().map(|text| moment(store, text, bound)).transpose());
    Ok(LogFilter {
        since: since?,
        until: until?,
        authors: input.authors.clone(),
        ops: input.operations.clone(),
        roles: input.roles.clone(),
    })
}

fn moment(store: &Store, text: &str, bound: PeriodBound) -> Result<Time, Refusal> {
    store.moment(text, bound)?.ok_or_else(|| {
        Refusal::usage(format!("`{text}` is not a date")).hint(
            "a date is, for example, 2026-11-21 (a day in UTC), 2026-11-21T08:00:00Z, yesterday or \"2 weeks ago\"",
        )
    })
}

/// The name by which the log knows a record.
fn thing(known: &KnownRecord) -> String {
    match known {
        KnownRecord::Issue(id) => id.to_string(),
        KnownRecord::Solution(id) => id.to_string(),
        KnownRecord::Execution(id) => id.to_string(),
        KnownRecord::Queue(id) => id.to_string(),
        KnownRecord::Roadmap(id) => id.to_string(),
        KnownRecord::Item(queue, solution) => format!("{queue}:{solution}"),
    }
}

/// The items that these plans can have in the queues.
fn items(read: &impl ReadState, solutions: &[SolutionId]) -> Result<Vec<String>, Refusal> {
    let queues = records::queue_ids(read)?;
    Ok(queues.iter().flat_map(|queue| solutions.iter().map(|id| layout::item(queue, id))).collect())
}

fn parent(path: &str) -> String {
    path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// The paths of a record: for an issue, its directory and its items in all queues.
pub(super) fn paths(read: &impl ReadState, known: &KnownRecord) -> Result<Vec<String>, Refusal> {
    Ok(match known {
        KnownRecord::Issue(id) => {
            let mut paths = vec![layout::issue_folder(id)];
            paths.extend(items(read, &records::solution_ids(read, id)?)?);
            paths
        }
        KnownRecord::Solution(id) => {
            let mut paths = vec![parent(&layout::solution(id))];
            paths.extend(items(read, std::slice::from_ref(id))?);
            paths
        }
        KnownRecord::Execution(id) => vec![parent(&layout::execution(id))],
        KnownRecord::Queue(id) => vec![parent(&layout::queue(id))],
        KnownRecord::Roadmap(id) => vec![parent(&layout::roadmap(id))],
        KnownRecord::Item(queue, solution) => vec![layout::item(queue, solution)],
    })
}
