//! The state of the board.

use super::editor::Editor;
use super::event::{BoardEffect, WantedPage};
use super::lane::LaneView;
use super::layout::{self, ScreenLayout};
use super::overlay::Overlay;
use super::page::IssuePage;
use super::read::ReadRequest;
use crate::index::IssueRow;
use crate::model::IssueStatus;
use crate::ops::issues::{self, LanesView, List};
use crate::ui::{Strokes, StyledLine};

#[derive(Debug)]
pub(super) struct Model {
    /// Columns and rows of the terminal.
    pub(super) size: (u16, u16),
    /// Which issues are shown.
    pub(super) filter: TypedFilter,
    /// The lanes that have issues, in workflow order.
    pub(super) lanes: Vec<LaneView>,
    /// The index of the lane with the cursor.
    pub(super) at: usize,
    /// The index of the first visible lane.
    pub(super) first: usize,
    /// The open issue.
    pub(super) detail: Option<IssueDetail>,
    /// The help, menu, form or note in front of the lanes.
    pub(super) overlay: Option<Overlay>,
    /// The last message, until the next input.
    pub(super) said: Option<String>,
    /// What is in progress, such as `closing ISS-001`; a second action is refused meanwhile.
    pub(super) busy: Option<String>,
    /// The progress of a long read.
    pub(super) progress: Option<String>,
    /// The issue that is being dragged, and its status.
    pub(super) held: Option<(String, IssueStatus)>,
    /// The name of the user.
    pub(super) me: String,
    /// The characters to draw lines with.
    pub(super) strokes: Strokes,
    /// The number of the last request for lanes, and whether it was answered.
    lanes_asked: (u64, bool),
    /// The number of the last request for a page, and whether it was answered.
    page_asked: (u64, bool),
    /// An issue that the cursor moves to once lanes are read.
    follow: Option<String>,
    /// The selected issue when lanes were last requested.
    asked_about: Option<String>,
    /// Whether the filter has changed since lanes were read.
    is_new_filter: bool,
    /// Whether the store changed while a request was pending.
    is_stale: bool,
    /// Whether the last request for lanes was refused; it is not repeated automatically.
    has_failed: bool,
}

/// The filter as typed, and as last parsed.
#[derive(Debug)]
pub(super) struct TypedFilter {
    pub(super) editor: Editor,
    /// Whether keys go to the filter.
    pub(super) is_open: bool,
    /// Whether issues that are done are shown, too.
    pub(super) all: bool,
    /// Why the typed filter is invalid.
    pub(super) fault: Option<String>,
    parse: fn(&str) -> Result<List, String>,
    /// The last valid filter.
    list: Option<List>,
}

/// The open issue.
#[derive(Debug)]
pub(super) struct IssueDetail {
    pub(super) issue: String,
    pub(super) title: String,
    pub(super) page: IssuePage,
    /// The text of the page; empty until it is read.
    pub(super) lines: Vec<StyledLine>,
    /// The index of the first visible line.
    pub(super) top: usize,
    /// The last page requested.
    shown: Option<WantedPage>,
}

impl Model {
    /// A board before anything is read.
    pub(super) fn new(
        parse: fn(&str) -> Result<List, String>,
        filter: &str,
        me: String,
        size: (u16, u16),
    ) -> Self {
        let editor = Editor::new(filter);
        Self {
            size,
            filter: TypedFilter { editor, is_open: false, all: false, fault: None, parse, list: None },
            lanes: Vec::new(),
            at: 0,
            first: 0,
            detail: None,
            overlay: None,
            said: None,
            busy: None,
            progress: None,
            held: None,
            me,
            strokes: Strokes::Unicode,
            lanes_asked: (0, true),
            page_asked: (0, true),
            follow: None,
            asked_about: None,
            is_new_filter: true,
            is_stale: false,
            has_failed: false,
        }
    }

    /// The first requests.
    pub(super) fn begin(&mut self) -> Vec<BoardEffect> {
        self.filtered()
    }

    pub(super) fn layout(&self) -> ScreenLayout {
        layout::lay_out(self)
    }

    /// Whether an answer is awaited.
    pub(super) fn is_waiting(&self) -> bool {
        !self.lanes_asked.1 || !self.page_asked.1 || self.busy.is_some()
    }

    /// Whether lanes have been read at least once.
    pub(super) fn is_read(&self) -> bool {
        self.lanes_asked.0 > 1 || self.lanes_asked.1
    }

    /// The number of matching issues.
    pub(super) fn total(&self) -> usize {
        self.lanes.iter().map(|lane| lane.total).sum()
    }

    /// The lane with the cursor.
    pub(super) fn lane(&mut self) -> Option<&mut LaneView> {
        self.lanes.get_mut(self.at)
    }

    /// The id and status of the selected issue, if it is loaded.
    pub(super) fn selected(&self) -> Option<(String, IssueStatus)> {
        self.selected_row().map(|row| (row.id.to_string(), row.status))
    }

    /// The selected issue, if it is loaded.
    pub(super) fn selected_row(&self) -> Option<&IssueRow> {
        Some(&self.lanes.get(self.at)?.current()?.row)
    }

    /// Parses the filter and requests the matches. The cursor stays on its issue if that matches.
    pub(super) fn filtered(&mut self) -> Vec<BoardEffect> {
        match (self.filter.parse)(self.filter.editor.text()) {
            Ok(mut list) => {
                list.filter.all |= self.filter.all;
                self.filter.fault = None;
                self.filter.list = Some(list);
            }
            // The matches of the last valid filter stay visible.
            Err(fault) => {
                self.filter.fault = Some(fault);
                if self.filter.list.is_none() {
                    self.filter.list = (self.filter.parse)("").ok();
                }
            }
        }
        self.is_new_filter = true;
        self.ask_lanes()
    }

    /// Requests the lanes again; the cursor then moves to `issue`.
    pub(super) fn ask_lanes_about(&mut self, issue: Option<String>) -> Vec<BoardEffect> {
        self.follow = issue.or(self.follow.take());
        self.ask_lanes()
    }

    fn ask_lanes(&mut self) -> Vec<BoardEffect> {
        let Some(list) = self.filter.list.clone() else { return vec![] };
        let rows = self.layout().rows;
        let lanes = if self.is_new_filter { &[][..] } else { &self.lanes };
        let from = lanes.iter().map(|lane| (lane.status, lane.from(rows))).collect();
        self.asked_about = self.selected().map(|it| it.0);
        let follow = self.follow.clone().or_else(|| self.asked_about.clone());
        self.has_failed = false;
        self.lanes_asked = (self.lanes_asked.0 + 1, false);
        vec![BoardEffect::Read(ReadRequest::Lanes(self.lanes_asked.0, issues::Lanes { list, from, follow }))]
    }

    /// Takes in lanes; returns `false` if the answer is outdated.
    pub(super) fn take_lanes(&mut self, number: u64, view: LanesView) -> bool {
        if number != self.lanes_asked.0 {
            return false;
        }
        self.lanes_asked.1 = true;
        self.progress = None;
        // A cursor that has moved since the request stays where it is.
        let follows = self.follow.take().is_some() || self.asked_about == self.selected().map(|it| it.0);
        let before = self.lanes.get(self.at).map(|lane| lane.status);
        let is_new_filter = std::mem::take(&mut self.is_new_filter);
        let lanes = std::mem::take(&mut self.lanes);
        let old = if is_new_filter { Vec::new() } else { lanes };
        for read in view.lanes {
            let before = old.iter().find(|lane| lane.status == read.status);
            self.lanes.push(LaneView::new(read, before));
        }
        if let Some((status, at)) = view.followed
            && (follows || is_new_filter)
            && let Some(lane) = self.lanes.iter().position(|lane| lane.status == status)
        {
            self.at = lane;
            self.lanes[lane].go(at);
        } else {
            // The same lane or, if it is gone, the next one.
            self.at = before.map_or(0, |status| {
                let next = self.lanes.iter().position(|lane| lane.status >= status);
                next.unwrap_or(self.lanes.len().saturating_sub(1))
            });
        }
        true
    }

    /// Takes in a refusal; returns `false` if the answer is outdated.
    pub(super) fn lanes_failed(&mut self, number: u64) -> bool {
        let is_last = number == self.lanes_asked.0;
        self.lanes_asked.1 |= is_last;
        self.has_failed |= is_last;
        is_last
    }

    /// Takes in a page, unless the answer is outdated.
    pub(super) fn take_page(&mut self, number: u64, lines: Vec<StyledLine>) {
        if number == self.page_asked.0 {
            self.page_asked.1 = true;
            self.progress = None;
            if let Some(detail) = &mut self.detail {
                detail.lines = lines;
            }
        }
    }

    /// Reads everything again after the store changed.
    pub(super) fn moved(&mut self) -> Vec<BoardEffect> {
        if !self.lanes_asked.1 {
            self.is_stale = true;
            return vec![];
        }
        self.is_stale = false;
        if let Some(detail) = &mut self.detail {
            detail.shown = None;
        }
        self.ask_lanes()
    }

    /// Restores consistency after an event: puts the cursor on a lane, scrolls to it, and requests whatever is visible
    /// but not loaded.
    pub(super) fn settle(&mut self) -> Vec<BoardEffect> {
        self.at = self.at.min(self.lanes.len().saturating_sub(1));
        let shown = layout::lanes_shown(self);
        let last = self.lanes.len().saturating_sub(shown);
        self.first = self.first.min(self.at).max((self.at + 1).saturating_sub(shown)).min(last);
        let layout = self.layout();
        for lane in &mut self.lanes {
            lane.settle(layout.rows);
        }
        let mut effects = Vec::new();
        if self.is_stale && self.lanes_asked.1 {
            effects.extend(self.moved());
        }
        let is_missing = layout.lanes.iter().any(|(n, _)| !self.lanes[*n].is_at_hand(layout.rows));
        if is_missing && self.lanes_asked.1 && !self.has_failed {
            effects.extend(self.ask_lanes());
        }
        effects.extend(self.settle_detail(&layout));
        effects
    }

    /// Makes the open issue the selected one, and requests its page if that is not there yet.
    fn settle_detail(&mut self, layout: &ScreenLayout) -> Option<BoardEffect> {
        let selected = self.lanes.get(self.at).and_then(LaneView::current).map(|card| card.row.clone());
        let detail = self.detail.as_mut()?;
        let area = layout.detail?;
        if let Some(row) = selected {
            if row.id.as_str() != detail.issue {
                (detail.issue, detail.top) = (row.id.to_string(), 0);
                detail.lines.clear();
            }
            detail.title = row.title;
        }
        let rows = usize::from(area.height.saturating_sub(layout::DETAIL_HEAD));
        detail.top = detail.top.min(detail.lines.len().saturating_sub(rows));
        let wanted = WantedPage {
            issue: detail.issue.clone(),
            page: detail.page,
            columns: usize::from(area.width.saturating_sub(1)),
        };
        if detail.shown.as_ref() == Some(&wanted) {
            return None;
        }
        detail.shown = Some(wanted.clone());
        self.page_asked = (self.page_asked.0 + 1, false);
        Some(BoardEffect::Read(ReadRequest::Page(self.page_asked.0, wanted)))
    }
}

impl IssueDetail {
    /// An issue that was just opened.
    pub(super) fn new(issue: String, title: String) -> Self {
        Self { issue, title, page: IssuePage::Issue, lines: Vec::new(), top: 0, shown: None }
    }

    /// Switches to another page, from its top.
    pub(super) fn turn(&mut self, page: IssuePage) {
        if page != self.page {
            (self.page, self.top) = (page, 0);
            self.lines.clear();
        }
    }
}
