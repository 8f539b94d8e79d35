//! Where everything is on the screen. Drawing and the mouse both go by this.

use ratatui_core::layout::Rect;

use super::model::Model;
use crate::ops::issues::MOST_CARDS;

/// The least columns of a lane that can still be read.
const LEAST: u16 = 24;
/// From this width on, an issue is shown beside the lanes; on a narrower screen, in their place.
const WIDE: u16 = 100;
/// From this width on, a lane shows a title in one row.
const ROOMY: u16 = 44;
/// The rows above the lines of an issue: its title, and the names of the pages.
pub(super) const DETAIL_HEAD: u16 = 2;

/// The places on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// The filter, and how many issues match.
    pub(super) top: Rect,
    /// The names of all lanes, if there is no room for all lanes.
    pub(super) names: Option<Rect>,
    /// The lanes that are shown, by number. The first row of each is its name.
    pub(super) lanes: Vec<(usize, Rect)>,
    /// The rows of one issue in a lane.
    pub(super) card: u16,
    /// How many issues fit into a lane.
    pub(super) rows: usize,
    /// The issue in full.
    pub(super) detail: Option<Rect>,
    /// What was said, and what can be typed.
    pub(super) bottom: Rect,
}

/// The width of the lanes, and that of the issue in full.
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

/// How many lanes are shown.
pub(super) fn lanes_shown(model: &Model) -> usize {
    // A lane and the line beside it.
    let fit = (split(model).0 + 1) / (LEAST + 1);
    usize::from(fit.max(1)).min(model.lanes.len().max(1))
}

/// The places for a model.
pub(super) fn of(model: &Model) -> Layout {
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
            // What cannot be divided goes to the first lanes.
            let extra = u16::from(place < usize::from(room % count));
            let width = room / count + extra;
            lanes.push((n, Rect::new(x, begin, width, body)));
            x += width + 1;
        }
    }
    let card = if lanes.first().is_some_and(|it| it.1.width >= ROOMY) { 2 } else { 3 };
    let rows = usize::from(body.saturating_sub(1) / card).clamp(1, MOST_CARDS);
    let detail = (for_detail > 0).then(|| {
        // The line beside the lanes, and a blank.
        let line = if for_lanes > 0 { 2 } else { 0 };
        Rect::new(for_lanes + line, begin, for_detail - line, body)
    });
    Layout {
        top: Rect::new(0, 0, width, 1.min(height)),
        names: has_names.then(|| Rect::new(0, 1, for_lanes, 1)),
        lanes,
        card,
        rows,
        detail,
        bottom: Rect::new(0, height.saturating_sub(1), width, 1.min(height)),
    }
}

impl Layout {
    /// The lane at a place on the screen, and the number of the issue in it that is shown there.
    pub(super) fn lane_at(&self, x: u16, y: u16) -> Option<(usize, Option<usize>)> {
        let inside = |area: &Rect| area.contains((x, y).into());
        let (n, area) = self.lanes.iter().find(|it| inside(&it.1))?;
        let row = y.checked_sub(area.y + 1).map(|row| usize::from(row / self.card));
        Some((*n, row.filter(|row| *row < self.rows)))
    }
}
