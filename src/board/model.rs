//! What the board knows and shows.

use super::editor::Editor;
use super::event::{Effect, Wanted};
use super::lane::Lane;
use super::layout::{self, Layout};
use super::overlay::Overlay;
use super::page::Page;
use super::read::Asked;
use crate::model::status::IssueStatus;
use crate::ops::issues::{self, LanesView, List};
use crate::ui::captured::Line;
use crate::ui::lanes::Strokes;

/// The whole board.
#[derive(Debug)]
pub(super) struct Model {
    /// Columns and rows.
    pub(super) size: (u16, u16),
    /// Which issues are shown.
    pub(super) filter: Filter,
    /// The lanes that have issues, in the order of the work.
    pub(super) lanes: Vec<Lane>,
    /// The lane of the cursor.
    pub(super) at: usize,
    /// The first lane that is shown.
    pub(super) first: usize,
    /// The issue that is shown in full.
    pub(super) detail: Option<Detail>,
    /// What is in front of all this.
    pub(super) overlay: Option<Overlay>,
    /// What was said last, until the next key.
    pub(super) said: Option<String>,
    /// What is being written.
    pub(super) busy: Option<String>,
    /// How far long reading is.
    pub(super) progress: Option<String>,
    /// The issue that the mouse took hold of, and its status.
    pub(super) held: Option<(String, IssueStatus)>,
    /// The name of the user.
    pub(super) me: String,
    /// Which characters lines are drawn with.
    pub(super) strokes: Strokes,
    /// The number of the last question about lanes, and whether it was answered.
    lanes_asked: (u64, bool),
    /// The same for pages.
    page_asked: (u64, bool),
    /// An issue that the cursor goes to, wherever it is now.
    follow: Option<String>,
    /// The issue of the cursor when lanes were asked for.
    asked_about: Option<String>,
    /// Whether the filter is another one since lanes were read.
    is_new_filter: bool,
    /// Whether the store moved while a question was open.
    is_stale: bool,
    /// Whether the last question about lanes was refused: it is not asked again by itself.
    has_failed: bool,
}

/// Which issues are shown.
#[derive(Debug)]
pub(super) struct Filter {
    /// What is typed.
    pub(super) editor: Editor,
    /// Whether it is being typed.
    pub(super) is_open: bool,
    /// Whether issues that are done are shown, too.
    pub(super) all: bool,
    /// What is wrong with it.
    pub(super) fault: Option<String>,
    parse: fn(&str) -> Result<List, String>,
    /// The last one that could be parsed.
    list: Option<List>,
}

/// An issue that is shown in full.
#[derive(Debug)]
pub(super) struct Detail {
    /// The issue.
    pub(super) issue: String,
    /// Its title.
    pub(super) title: String,
    /// The page.
    pub(super) page: Page,
    /// The page as it was read; empty until then.
    pub(super) lines: Vec<Line>,
    /// The first line that is shown.
    pub(super) top: usize,
    /// What the lines show.
    shown: Option<Wanted>,
}

impl Model {
    /// A board of which nothing was read yet.
    pub(super) fn new(
        parse: fn(&str) -> Result<List, String>,
        filter: &str,
        me: String,
        size: (u16, u16),
    ) -> Self {
        let editor = Editor::new(filter);
        Self {
            size,
            filter: Filter { editor, is_open: false, all: false, fault: None, parse, list: None },
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

    /// The first questions.
    pub(super) fn begin(&mut self) -> Vec<Effect> {
        self.filtered()
    }

    /// Where everything is.
    pub(super) fn layout(&self) -> Layout {
        layout::of(self)
    }

    /// Whether an answer is awaited.
    pub(super) fn is_waiting(&self) -> bool {
        !self.lanes_asked.1 || !self.page_asked.1 || self.busy.is_some()
    }

    /// Whether the lanes were read once.
    pub(super) fn is_read(&self) -> bool {
        self.lanes_asked.0 > 1 || self.lanes_asked.1
    }

    /// How many issues match.
    pub(super) fn total(&self) -> usize {
        self.lanes.iter().map(|lane| lane.total).sum()
    }

    /// The lane of the cursor.
    pub(super) fn lane(&mut self) -> Option<&mut Lane> {
        self.lanes.get_mut(self.at)
    }

    /// The issue that keys are about: its id and its status.
    pub(super) fn selected(&self) -> Option<(String, IssueStatus)> {
        let card = self.lanes.get(self.at)?.current()?;
        Some((card.row.id.clone(), card.row.status))
    }

    /// Parses the filter, and asks for what matches. The cursor stays on its issue if that matches.
    pub(super) fn filtered(&mut self) -> Vec<Effect> {
        match (self.filter.parse)(self.filter.editor.text()) {
            Ok(mut list) => {
                list.filter.all |= self.filter.all;
                self.filter.fault = None;
                self.filter.list = Some(list);
            }
            // What was shown before is still shown.
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

    /// Asks for the lanes as they are now, and follows an issue.
    pub(super) fn ask_lanes_about(&mut self, issue: Option<String>) -> Vec<Effect> {
        self.follow = issue.or(self.follow.take());
        self.ask_lanes()
    }

    fn ask_lanes(&mut self) -> Vec<Effect> {
        let Some(list) = self.filter.list.clone() else { return vec![] };
        let rows = self.layout().rows;
        let lanes = if self.is_new_filter { &[][..] } else { &self.lanes };
        let from = lanes.iter().map(|lane| (lane.status, lane.from(rows))).collect();
        self.asked_about = self.selected().map(|it| it.0);
        let follow = self.follow.clone().or_else(|| self.asked_about.clone());
        self.has_failed = false;
        self.lanes_asked = (self.lanes_asked.0 + 1, false);
        vec![Effect::Read(Asked::Lanes(self.lanes_asked.0, issues::Lanes { list, from, follow }))]
    }

    /// Takes lanes in that were asked for. Older answers are out of date.
    pub(super) fn take_lanes(&mut self, number: u64, view: LanesView) -> bool {
        if number != self.lanes_asked.0 {
            return false;
        }
        self.lanes_asked.1 = true;
        self.progress = None;
        // A cursor that was moved since the question stays where it is now.
        let follows = self.follow.take().is_some() || self.asked_about == self.selected().map(|it| it.0);
        let before = self.lanes.get(self.at).map(|lane| lane.status);
        let is_new_filter = std::mem::take(&mut self.is_new_filter);
        let old = if is_new_filter { Vec::new() } else { std::mem::take(&mut self.lanes) };
        let lane = |read: issues::Lane| {
            let before = old.iter().find(|lane| lane.status == read.status);
            Lane::new(read, before)
        };
        self.lanes = view.lanes.into_iter().map(lane).collect();
        let place = |status| self.lanes.iter().position(|lane| lane.status == status);
        let followed = view.followed.filter(|_| follows || is_new_filter);
        if let Some((lane, at)) = followed.and_then(|(status, at)| Some((place(status)?, at))) {
            self.at = lane;
            self.lanes[lane].go(at);
        } else {
            // The lane of the cursor, or the next one of those that are left.
            self.at = before.map_or(0, |status| {
                let next = self.lanes.iter().position(|lane| lane.status >= status);
                next.unwrap_or(self.lanes.len().saturating_sub(1))
            });
        }
        true
    }

    /// The answer is a refusal.
    pub(super) fn lanes_failed(&mut self, number: u64) -> bool {
        let is_last = number == self.lanes_asked.0;
        self.lanes_asked.1 |= is_last;
        self.has_failed |= is_last;
        is_last
    }

    /// Takes a page in that was asked for.
    pub(super) fn take_page(&mut self, number: u64, lines: Vec<Line>) {
        if number == self.page_asked.0 {
            self.page_asked.1 = true;
            self.progress = None;
            if let Some(detail) = &mut self.detail {
                detail.lines = lines;
            }
        }
    }

    /// The store moved: everything is read again.
    pub(super) fn moved(&mut self) -> Vec<Effect> {
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

    /// Brings everything into a consistent state after an event: the cursor is on a lane, what it is on is shown, and
    /// what is shown but not at hand is asked for.
    pub(super) fn settle(&mut self) -> Vec<Effect> {
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

    /// The issue in full is that of the cursor, and its page is read if it was not.
    fn settle_detail(&mut self, layout: &Layout) -> Option<Effect> {
        let selected = self.lanes.get(self.at).and_then(Lane::current).map(|card| card.row.clone());
        let detail = self.detail.as_mut()?;
        let area = layout.detail?;
        if let Some(row) = selected {
            if row.id != detail.issue {
                (detail.issue, detail.top) = (row.id, 0);
                detail.lines.clear();
            }
            detail.title = row.title;
        }
        let rows = usize::from(area.height.saturating_sub(layout::DETAIL_HEAD));
        detail.top = detail.top.min(detail.lines.len().saturating_sub(rows));
        let wanted = Wanted {
            issue: detail.issue.clone(),
            page: detail.page,
            columns: usize::from(area.width.saturating_sub(1)),
        };
        if detail.shown.as_ref() == Some(&wanted) {
            return None;
        }
        detail.shown = Some(wanted.clone());
        self.page_asked = (self.page_asked.0 + 1, false);
        Some(Effect::Read(Asked::Page(self.page_asked.0, wanted)))
    }
}

impl Detail {
    /// An issue of which nothing was read yet.
    pub(super) fn new(issue: String, title: String) -> Self {
        Self { issue, title, page: Page::Issue, lines: Vec::new(), top: 0, shown: None }
    }

    /// Shows another page from its begin.
    pub(super) fn turn(&mut self, page: Page) {
        if page != self.page {
            (self.page, self.top) = (page, 0);
            self.lines.clear();
        }
    }
}
