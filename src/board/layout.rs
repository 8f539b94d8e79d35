//! The position of everything on the screen, for drawing and for the mouse.

use ratatui_core::layout::Rect;

use super::model::Model;
use crate::ops::issues::MOST_CARDS;

/// The minimum width of a readable lane, in columns.
const LEAST: u16 = 24;
/// From this width on, an open issue is shown beside the lanes; on a narrower screen, instead of them.
const WIDE: u16 = 100;
/// From this width on, a lane gives a title one row instead of two.
const ROOMY: u16 = 44;
/// The rows above the text of an open issue: its title, and the page names.
pub(super) const DETAIL_HEAD: u16 = 2;

/// The areas of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScreenLayout {
    /// The filter, and the number of matches.
    pub(super) top: Rect,
    /// The names of all lanes, if not all lanes fit.
    pub(super) names: Option<Rect>,
    /// The visible lanes, by index. The first row of each is its name.
    pub(super) lanes: Vec<(usize, Rect)>,
    /// Rows per issue in a lane.
    pub(super) card: u16,
    /// The number of issues that fit into a lane.
    pub(super) rows: usize,
    /// The open issue.
    pub(super) detail: Option<Rect>,
    /// Messages and key hints.
    pub(super) bottom: Rect,
}

/// The widths of the lanes and of the open issue, in columns; 0 if not shown.
fn split(model: &Model) -> (u16, u16) {
    let width = model.size.0;
    match &model.detail {
        None => (width, 0),
        Some(_) if width < WIDE => (0, width),
        Some(_) => {
            let lanes = (width * 2 / 5).max(LEAST);
            (lanes, width - lanes)
        }
    }
}

/// The number of visible lanes.
pub(super) fn lanes_shown(model: &Model) -> usize {
    // Each lane takes one column more, for the line beside it.
    let fit = (split(model).0 + 1) / (LEAST + 1);
    usize::from(fit.max(1)).min(model.lanes.len().max(1))
}

/// The layout for a model.
pub(super) fn lay_out(model: &Model) -> ScreenLayout {
    let (width, height) = model.size;
    let (for_lanes, for_detail) = split(model);
    let shown = lanes_shown(model);
    let has_names = shown < model.lanes.len() && for_lanes > 0;
    let begin = 1 + u16::from(has_names);
    let body = height.saturating_sub(begin + 1);
    let count = u16::try_from(shown).unwrap_or(1);
    let mut lanes = Vec::new();
    if for_lanes > 0 {
        let room = for_lanes.saturating_sub(count - 1);
        let mut x = 0;
        for (place, n) in (model.first..model.lanes.len()).take(shown).enumerate() {
            // The remaining columns go to the first lanes.
            let extra = u16::from(place < usize::from(room % count));
            let width = room / count + extra;
            lanes.push((n, Rect::new(x, begin, width, body)));
            x += width + 1;
        }
    }
    let card = if lanes.first().is_some_and(|it| it.1.width >= ROOMY) { 2 } else { 3 };
    let rows = usize::from(body.saturating_sub(1) / card).clamp(1, MOST_CARDS);
    let detail = (for_detail > 0).then(|| {
        // One column for the line beside the lanes, and one blank.
        let line = if for_lanes > 0 { 2 } else { 0 };
        Rect::new(for_lanes + line, begin, for_detail - line, body)
    });
    ScreenLayout {
        top: Rect::new(0, 0, width, 1.min(height)),
        names: has_names.then(|| Rect::new(0, 1, for_lanes, 1)),
        lanes,
        card,
        rows,
        detail,
        bottom: Rect::new(0, height.saturating_sub(1), width, 1.min(height)),
    }
}

impl ScreenLayout {
    /// The lane at a screen position, and which of its visible issues is there, from 0.
    pub(super) fn lane_at(&self, x: u16, y: u16) -> Option<(usize, Option<usize>)> {
        let (n, area) = self.lanes.iter().find(|(_, area)| area.contains((x, y).into()))?;
        let row = y.checked_sub(area.y + 1).map(|row| usize::from(row / self.card));
        Some((*n, row.filter(|row| *row < self.rows)))
    }
}
