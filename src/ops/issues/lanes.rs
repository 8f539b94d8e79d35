//! Issues by status for a board: the number of each status, and a window of rows.

use super::list::{List, notice_broken};
use crate::index::{Carded, Filter, SortOrder};
use crate::model::IssueStatus;
use crate::ops::{Answer, Session, queue};

/// The maximum rows of one status, so that no answer takes long, however many issues there are.
pub(crate) const MOST_CARDS: usize = 120;

/// Which issues to read, and which part of each lane.
#[derive(Debug, Clone)]
pub(crate) struct Lanes {
    /// The filter. The list's own order, offset and limit are ignored: rows are in order of priority, at most
    /// [`MOST_CARDS`] per lane.
    pub(crate) list: List,
    /// The position of the first row of a lane; 0 for lanes that are not listed.
    pub(crate) from: Vec<(IssueStatus, usize)>,
    /// The full id of an issue that must be among the rows if it matches.
    pub(crate) follow: Option<String>,
}

/// The lanes that have issues, in workflow order.
#[derive(Debug, Default)]
pub(crate) struct LanesView {
    pub(crate) lanes: Vec<Lane>,
    /// The status of the followed issue, and its position in that lane; `None` if it does not match.
    pub(crate) followed: Option<(IssueStatus, usize)>,
}

/// The issues of one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) status: IssueStatus,
    /// The number of matching issues.
    pub(crate) total: usize,
    /// The position of the first row.
    pub(crate) offset: usize,
    pub(crate) cards: Vec<Carded>,
}

/// Reads all lanes from the same state of the store.
///
/// # Errors
/// A usage error if a date is invalid.
pub(crate) fn lanes(session: &Session, input: &Lanes) -> Answer<LanesView> {
    let (filter, needs) = input.list.asked(session)?;
    let (_, _, (view, broken)) = session.ask_landed(needs, |index| {
        queue::note_in_index(session.store(), index)?;
        let followed = match &input.follow {
            Some(id) => index.place(&filter, id)?,
            None => None,
        };
        let mut lanes = Vec::new();
        for (status, total) in index.counts_of(&filter)? {
            let asked = input.from.iter().find(|start| start.0 == status).map_or(0, |start| start.1);
            let offset = begin(
                asked,
                total,
                followed.filter(|followed| followed.0 == status).map(|followed| followed.1),
            );
            let only = Filter { statuses: vec![status], ..filter.clone() };
            let numbers = index.list(&only, SortOrder::Priority, offset, Some(MOST_CARDS))?;
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

/// The position of the first row: as requested, unless that excludes the followed issue or is past the end.
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
