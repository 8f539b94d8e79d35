//! Issues by status, as a board shows them: how many there are of each, and a window of rows.

use super::list::{List, notice_broken};
use crate::index::{Carded, Filter, Sort};
use crate::model::status::IssueStatus;
use crate::ops::{Answer, Session};

/// The most issues of one status in one answer, so that no answer takes long, however many there are.
pub(crate) const MOST_CARDS: usize = 120;

/// Which issues to show, and which part of each lane.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    /// The filter. The order is always by priority, and there is no other limit than [`MOST_CARDS`] for each lane.
    pub(crate) list: List,
    /// Where the rows of a lane begin; the others begin at the first.
    pub(crate) from: Vec<(IssueStatus, usize)>,
    /// An issue, by its full id, that must be among the rows if it matches.
    pub(crate) follow: Option<String>,
}

/// The lanes that have issues, in the order of the work.
#[derive(Debug, Default)]
pub(crate) struct LanesView {
    /// Each lane.
    pub(crate) lanes: Vec<Lane>,
    /// The status of the issue to follow, and its place in that lane; `None` if it does not match.
    pub(crate) followed: Option<(IssueStatus, usize)>,
}

/// The issues of one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lane {
    /// The status.
    pub(crate) status: IssueStatus,
    /// How many match.
    pub(crate) total: usize,
    /// The place of the first row.
    pub(crate) offset: usize,
    /// The rows.
    pub(crate) cards: Vec<Carded>,
}

/// Reads the lanes of one state of the store.
///
/// # Errors
/// Usage if a date is invalid.
pub(crate) fn lanes(session: &Session, input: &Lanes) -> Answer<LanesView> {
    let (filter, needs) = input.list.asked(session)?;
    let (_, (view, broken)) = session.ask(needs, |index| {
        let followed = match &input.follow {
            Some(id) => index.place(&filter, id)?,
            None => None,
        };
        let mut lanes = Vec::new();
        for (status, total) in index.counts_of(&filter)? {
            let asked = input.from.iter().find(|it| it.0 == status).map_or(0, |it| it.1);
            let offset = begin(asked, total, followed.filter(|it| it.0 == status).map(|it| it.1));
            let only = Filter { statuses: vec![status], ..filter.clone() };
            let numbers = index.list(&only, Sort::Priority, (offset, Some(MOST_CARDS)))?;
            lanes.push(Lane {
                status,
                total,
                offset,
                cards: index.cards(&numbers, status == IssueStatus::Queued)?,
            });
        }
        Ok((LanesView { lanes, followed }, index.broken()?))
    })?;
    notice_broken(session, broken);
    Ok(session.done(view, None))
}

/// Where the rows begin: where it was asked for, unless that leaves out the issue to follow or goes beyond the end.
fn begin(asked: usize, total: usize, followed: Option<usize>) -> usize {
    let asked = asked.min(total.saturating_sub(1));
    match followed {
        Some(place) if !(asked..asked + MOST_CARDS).contains(&place) => place.saturating_sub(MOST_CARDS / 2),
        _ => asked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_issue_to_follow_is_among_the_rows() {
        assert_eq!(begin(0, 10, None), 0);
        assert_eq!(begin(50, 10, None), 9);
        assert_eq!(begin(0, 1000, Some(5)), 0);
        assert_eq!(begin(0, 1000, Some(500)), 440);
        assert_eq!(begin(500, 1000, Some(5)), 0);
        assert_eq!(begin(7, 0, None), 0);
    }
}
