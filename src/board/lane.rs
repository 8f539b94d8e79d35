//! One lane of the board: the issues of one status, of which only a window is loaded.

use crate::index::Carded;
use crate::model::IssueStatus;
use crate::ops::issues;

/// A lane with its cursor, its loaded issues and its scroll position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaneView {
    pub(super) status: IssueStatus,
    /// The number of issues in the lane, loaded or not.
    pub(super) total: usize,
    /// The position of the first loaded issue.
    offset: usize,
    /// The loaded issues.
    cards: Vec<Carded>,
    /// The position of the cursor, from 0.
    pub(super) cursor: usize,
    /// The position of the first visible issue.
    pub(super) top: usize,
}

/// How many issues to keep loaded above and below the visible ones.
const AHEAD: usize = 30;

impl LaneView {
    /// A lane as just read. The cursor stays on its issue or, if that is not among the cards, at its position.
    pub(super) fn new(read: issues::Lane, before: Option<&Self>) -> Self {
        let issues::Lane { status, total, offset, cards } = read;
        let (cursor, top) = before.map_or((0, 0), |lane| (lane.cursor, lane.top));
        let mut lane = Self { status, total, offset, cards, cursor, top };
        if let Some(id) = before.and_then(|lane| lane.current()).map(|card| &card.row.id)
            && let Some(at) = lane.cards.iter().position(|card| card.row.id == *id)
        {
            lane.cursor = offset + at;
        }
        lane
    }

    /// The issue at a position, if it is loaded.
    pub(super) fn card(&self, place: usize) -> Option<&Carded> {
        self.cards.get(place.checked_sub(self.offset)?)
    }

    /// The issue under the cursor, if it is loaded.
    pub(super) fn current(&self) -> Option<&Carded> {
        self.card(self.cursor)
    }

    /// Moves the cursor to a position, at most to the last issue.
    pub(super) fn go(&mut self, place: usize) {
        self.cursor = place.min(self.total.saturating_sub(1));
    }

    /// Scrolls so that the cursor is visible when `rows` issues fit.
    pub(super) fn settle(&mut self, rows: usize) {
        self.go(self.cursor);
        let rows = rows.max(1);
        let last = self.total.saturating_sub(rows);
        self.top = self.top.min(self.cursor).max((self.cursor + 1).saturating_sub(rows)).min(last);
    }

    /// Whether the visible issues (`rows` fit) and a margin on both sides are loaded.
    pub(super) fn is_at_hand(&self, rows: usize) -> bool {
        let ahead = AHEAD.min(issues::MOST_CARDS.saturating_sub(rows) / 2);
        let begin = self.top.saturating_sub(ahead);
        let end = (self.top + rows + ahead).min(self.total);
        begin >= self.offset && end <= self.offset + self.cards.len()
    }

    /// The position to load from, so that all visible issues are loaded.
    pub(super) fn from(&self, rows: usize) -> usize {
        let spare = issues::MOST_CARDS.saturating_sub(rows);
        self.top.saturating_sub(spare / 2)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::index::IssueRow;
    use crate::model::{IssueId, Priority};

    pub(in crate::board) fn card(id: &str, status: IssueStatus, title: &str) -> Carded {
        let priority = Priority::new(3).unwrap();
        let row = IssueRow {
            id: IssueId::parse(id).unwrap(),
            status,
            priority,
            title: title.into(),
            tags: String::new(),
            kind: None,
            assignee: None,
            finished: None,
            not_landed: None,
        };
        Carded { row, is_ready: false, is_in_cycle: false }
    }

    /// A lane of `total` issues `A-0`, `A-1`, …, loaded from `offset`.
    pub(in crate::board) fn read(status: IssueStatus, total: usize, offset: usize) -> issues::Lane {
        let end = total.min(offset + issues::MOST_CARDS);
        let cards = (offset..end).map(|n| card(&format!("A-{n}"), status, &format!("Issue {n}"))).collect();
        issues::Lane { status, total, offset, cards }
    }

    #[test]
    fn the_cursor_is_always_shown() {
        let mut lane = LaneView::new(read(IssueStatus::Planned, 1000, 0), None);
        for (place, top) in [(0, 0), (9, 0), (10, 1), (999, 990), (2000, 990), (995, 990), (5, 5)] {
            lane.go(place);
            lane.settle(10);
            assert_eq!((lane.top, lane.cursor), (top, place.min(999)));
        }
        lane.settle(2000);
        assert_eq!(lane.top, 0);
    }

    #[test]
    fn the_cursor_stays_on_its_issue() {
        let mut lane = LaneView::new(read(IssueStatus::Planned, 50, 0), None);
        lane.go(7);
        let mut other = read(IssueStatus::Planned, 51, 0);
        other.cards.insert(0, card("B-1", IssueStatus::Planned, "new"));
        assert_eq!(LaneView::new(other, Some(&lane)).cursor, 8);
        // The issue is gone, so the position is kept.
        let mut other = read(IssueStatus::Planned, 49, 0);
        other.cards.remove(7);
        assert_eq!(LaneView::new(other, Some(&lane)).cursor, 7);
    }

    #[test]
    fn what_is_shown_is_at_hand_or_asked_for() {
        let mut lane = LaneView::new(read(IssueStatus::Planned, 10_000, 0), None);
        assert!(lane.is_at_hand(20));
        lane.go(9_999);
        lane.settle(20);
        assert!(!lane.is_at_hand(20) && lane.current().is_none());
        let from = lane.from(20);
        let lane = LaneView::new(read(IssueStatus::Planned, 10_000, from), Some(&lane));
        assert!(lane.is_at_hand(20), "{from}");
        assert_eq!(lane.current().unwrap().row.id.as_str(), "A-9999");
    }
}
