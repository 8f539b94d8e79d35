//! Listing issues: complete records one by one, or rows of a table.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;

use super::{IssueView, id};
use crate::index::{Filter, Index, IndexError, IssueRow, Needs, SortOrder};
use crate::model::words::count as count_words;
use crate::model::{Op, RemedyCall, Time, nearest};
use crate::ops::{Answer, Notice, Refusal, Session, queue};
use crate::rules::roadmap::names_of_tag;
use crate::store::PeriodBound;
use crate::trail::landed;

/// Which issues to list, and in which order.
#[derive(Debug, Clone, Default)]
pub(crate) struct List {
    /// The filter; its dates come from the texts below.
    pub(crate) filter: Filter,
    /// Created at this time or later: `2026-11-21`, `2 weeks ago`.
    pub(crate) since: Option<String>,
    /// Created at this time or earlier.
    pub(crate) until: Option<String>,
    /// Completed, closed or cancelled at this time or later.
    pub(crate) closed_since: Option<String>,
    /// Completed, closed or cancelled at this time or earlier.
    pub(crate) closed_until: Option<String>,
    /// The parent of the issues: its id or an unambiguous prefix.
    pub(crate) parent: Option<String>,
    /// Only issues assigned to the user.
    pub(crate) mine: bool,
    /// The order.
    pub(crate) sort: SortOrder,
    /// How many issues to skip.
    pub(crate) offset: usize,
    /// The maximum number of issues.
    pub(crate) limit: Option<usize>,
    /// Whether to count all that match, too, whatever the limit.
    pub(crate) counts: bool,
}

/// How many issues there are.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Counted {
    /// How many issues match.
    pub(crate) count: usize,
}

/// Issues as rows of a table.
#[derive(Debug)]
pub(crate) struct Rows {
    /// One row for each issue.
    pub(crate) rows: Vec<IssueRow>,
    /// How many issues match, whatever the limit; `None` if none is here.
    pub(crate) total: Option<Total>,
    /// Whether it matters when they were closed: they were selected or sorted by it.
    pub(crate) is_by_closing: bool,
}

/// How many issues match, whatever the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Total {
    /// The exact number.
    Exactly(usize),
    /// Counting them all would take longer than listing some.
    MoreThan(usize),
}

impl Total {
    /// The number counted so far.
    pub(crate) fn number(self) -> usize {
        match self {
            Self::Exactly(number) | Self::MoreThan(number) => number,
        }
    }
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(number) => number.fmt(f),
            Self::MoreThan(number) => write!(f, "more than {number}"),
        }
    }
}

/// How many more issues than the limit are looked for, to say how many there are.
const AHEAD: usize = 100;

/// Counts the issues that match, whatever the limit.
///
/// # Errors
/// Usage if a date is invalid.
pub(crate) fn count(session: &Session, input: &List) -> Answer<Counted> {
    let (filter, needs) = input.asked(session)?;
    let (_, (count, broken)) = session.ask(needs, |index| {
        if filter.unlanded {
            landed::refresh(session.store(), index)?;
        }
        if filter.ready {
            queue::note_in_index(session.store(), index)?;
        }
        Ok((index.count(&filter)?, index.broken()?))
    })?;
    notice_broken(session, broken);
    Ok(session.done(Counted { count }, None))
}

/// Lists issues as rows of a table.
///
/// # Errors
/// Usage if a date is invalid.
pub(crate) fn rows(session: &Session, input: &List) -> Answer<Rows> {
    let (mut found, total) = IssuePage::find(session, input)?;
    let mut rows = Vec::new();
    found.each(
        |index, numbers, found| index.each_listed(numbers, found),
        |row| {
            rows.push(row);
            Ok::<_, Refusal>(())
        },
    )?;
    Ok(session.done(Rows { rows, total, is_by_closing: input.is_by_closing() }, None))
}

/// Passes complete issues to `visit` one by one, since there may be very many. Returns how many match, whatever the
/// limit, if any is here.
///
/// # Errors
/// A usage error if a date is invalid; any error of `visit`.
pub(crate) fn list<E: From<Refusal>>(
    session: &Session,
    input: &List,
    mut visit: impl FnMut(IssueView) -> Result<(), E>,
) -> Result<Option<Total>, E> {
    let (mut found, total) = IssuePage::find(session, input)?;
    found.each(
        |index, numbers, found| index.each_whole(numbers, found),
        |(issue, derived)| visit(IssueView::listed(issue, derived)),
    )?;
    Ok(total)
}

impl List {
    /// Whether issues are selected or sorted by when they were closed.
    fn is_by_closing(&self) -> bool {
        self.sort == SortOrder::Closed || self.is_of_closing_period()
    }

    fn is_of_closing_period(&self) -> bool {
        self.closed_since.is_some() || self.closed_until.is_some()
    }

    /// Whether only open issues are listed.
    pub(crate) fn is_of_open(&self) -> bool {
        let filter = &self.filter;
        filter.statuses.is_empty() && !filter.includes_closed() && !self.is_of_closing_period()
    }

    /// Refuses what cannot be listed, without listing anything.
    ///
    /// # Errors
    /// Filters exclude each other; a date is invalid; the parent does not exist.
    #[cfg(feature = "web")]
    pub(crate) fn check(&self, session: &Session) -> Result<(), Refusal> {
        self.asked(session).map(drop)
    }

    /// Refuses filters that exclude each other.
    fn check_contradictions(&self) -> Result<(), Refusal> {
        if self.filter.waiting && self.filter.unblocked {
            return Err(Refusal::usage("`waiting` and `unblocked` cannot be combined")
                .hint("an issue that waits for another one is not unblocked"));
        }
        if self.mine && self.filter.wanted("assignee").is_some() {
            return Err(Refusal::usage("`mine` and `assignee` cannot be combined")
                .hint("`mine` means the issues that are assigned to you"));
        }
        Ok(())
    }

    /// The filter for the index, and the parts of the index that it needs.
    pub(super) fn asked(&self, session: &Session) -> Result<(Filter, Needs), Refusal> {
        self.check_contradictions()?;
        let since = moment(session, self.since.as_deref(), PeriodBound::Since)?;
        let until = moment(session, self.until.as_deref(), PeriodBound::Until)?;
        let closed_since = moment(session, self.closed_since.as_deref(), PeriodBound::Since)?;
        let closed_until = moment(session, self.closed_until.as_deref(), PeriodBound::Until)?;
        let parent = self.parent.as_deref().map(|text| id(session, text)).transpose()?;
        let parent = parent.map(|id| id.to_string());
        let assignees = if self.mine { own_names(session)? } else { vec![] };
        let filter =
            Filter { since, until, closed_since, closed_until, parent, assignees, ..self.filter.clone() };
        let needs = Needs { words: filter.search.is_some(), ..Needs::ROWS };
        Ok((filter, needs))
    }
}

/// The names by which an assignee can mean the user: the name, the address, both, or the name that an agent gave
/// itself.
fn own_names(session: &Session) -> Result<Vec<String>, Refusal> {
    let identity = session.store().identity()?;
    let both = format!("{} <{}>", identity.name, identity.email);
    let names = [Some(both), Some(identity.name), Some(identity.email), identity.actor];
    Ok(names.into_iter().flatten().map(|name| name.to_lowercase()).collect())
}

/// The time that a text means, if there is one.
///
/// # Errors
/// Usage if it means none.
pub(crate) fn moment(
    session: &Session,
    text: Option<&str>,
    bound: PeriodBound,
) -> Result<Option<Time>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    session.store().moment(text, bound)?.map(Some).ok_or_else(|| {
        Refusal::usage(format!("`{text}` is not a date"))
            .hint("a date is, for example, 2026-11-21 (a day in UTC), 2026-11-21T08:00:00Z, yesterday or \"2 weeks ago\"")
    })
}

pub(super) fn notice_broken(session: &Session, broken: usize) {
    if broken > 0 {
        session.notice(Notice::warning(format!("skipped {}", count_words(broken, "unreadable issue"))));
    }
}

/// Notes each tag, component and type that no issue has, for people who mistyped one and wonder why nothing is listed.
fn note_unknown_names(session: &Session, index: &Index<'_>, filter: &Filter) -> Result<(), Refusal> {
    let tags: Vec<String> = filter.tags.iter().filter(|tag| names_of_tag(tag).len() == 1).cloned().collect();
    let types: Vec<String> =
        filter.wanted("issue_type").unwrap_or_default().iter().map(|word| word.to_lowercase()).collect();
    for (what, asked) in [("tag", &tags), ("component", &filter.components), ("type", &types)] {
        if asked.is_empty() {
            continue;
        }
        let known = index.names(what)?;
        for name in asked.iter().filter(|name| !known.contains(*name)) {
            let meant = nearest(name, known.iter().map(String::as_str));
            let meant = meant.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            session.notice(Notice::note(format!("no issue has the {what} `{name}`{meant}")));
        }
    }
    Ok(())
}

/// The notice that nothing says where work lands.
pub(crate) fn no_target() -> Notice {
    Notice::warning(
        "there is no branch on which work lands: nothing names one, and neither main nor master is here",
    )
    .remedy(RemedyCall::new(Op::Settings, ["land.onto=BRANCH"]), "names it for all clones")
}

/// A part of a list.
#[derive(Clone, Copy)]
struct ListPage {
    sort: SortOrder,
    offset: usize,
    limit: Option<usize>,
}

/// The issues found; they are read one by one.
struct IssuePage<'a> {
    session: &'a Session,
    index: Index<'a>,
    numbers: Vec<i64>,
    /// Kept to run the same query again.
    filter: Filter,
    needs: Needs,
    page: ListPage,
}

impl<'a> IssuePage<'a> {
    /// Also returns the number of all that match, exactly with `counts`; `None` if nothing is shown.
    fn find(session: &'a Session, input: &List) -> Result<(Self, Option<Total>), Refusal> {
        let (filter, needs) = input.asked(session)?;
        let page = ListPage { sort: input.sort, offset: input.offset, limit: input.limit };
        let is_whole = input.limit.is_none() && input.offset == 0;
        let ahead = input.limit.map(|limit| if limit == 0 { 0 } else { limit.saturating_add(AHEAD) });
        let (index, target, (numbers, total, broken, cycles)) = session.ask_landed(needs, |index| {
            if filter.ready {
                queue::note_in_index(session.store(), index)?;
            }
            let mut numbers = index.list(&filter, input.sort, input.offset, ahead)?;
            let found = numbers.len();
            let is_cut = input.limit.is_some_and(|limit| found > limit);
            numbers.truncate(input.limit.unwrap_or(found));
            let total = if is_whole {
                Some(Total::Exactly(found))
            } else if input.counts {
                Some(Total::Exactly(index.count(&filter)?))
            } else if !is_cut {
                (found > 0).then_some(Total::Exactly(input.offset + found))
            } else if Some(found) < ahead {
                Some(Total::Exactly(input.offset + found))
            } else {
                Some(match index.count_at_once(&filter)? {
                    Some(count) => Total::Exactly(count),
                    None => Total::MoreThan(input.offset + found - 1),
                })
            };
            let cycles = index.cycles_of(&numbers)?;
            Ok((numbers, total, index.broken()?, cycles))
        })?;
        notice_broken(session, broken);
        if filter.unlanded && target.is_none() {
            session.notice(no_target());
        }
        session.notice_all(cycles.iter().map(Notice::of_cycle));
        if numbers.is_empty() {
            note_unknown_names(session, &index, &filter)?;
        }
        Ok((Self { session, index, numbers, filter, needs, page }, total))
    }

    /// Reads all issues. If the index breaks meanwhile, continues with another index of the same state.
    fn each<T, E: From<Refusal>>(
        &mut self,
        read: impl Fn(
            &Index<'a>,
            &[i64],
            &mut dyn FnMut(T) -> ControlFlow<E>,
        ) -> Result<ControlFlow<E>, IndexError>,
        mut visit: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut done = 0;
        for is_last in [false, true] {
            let outcome = read(&self.index, self.numbers.get(done..).unwrap_or_default(), &mut |row| {
                done += 1;
                visit(row).map_or_else(ControlFlow::Break, ControlFlow::Continue)
            });
            match outcome {
                Ok(ControlFlow::Continue(())) => return Ok(()),
                Ok(ControlFlow::Break(error)) => return Err(error),
                Err(error) if is_last => return Err(Refusal::from(error).into()),
                Err(_) => self.begin_again()?,
            }
        }
        Ok(())
    }

    fn begin_again(&mut self) -> Result<(), Refusal> {
        let Self { session, index, needs, .. } = self;
        session.watched(|watch| index.replace(*needs, watch))?;
        let ListPage { sort, offset, limit } = self.page;
        self.numbers = self.index.list(&self.filter, sort, offset, limit)?;
        Ok(())
    }
}
