//! Draws the board. All text is cleaned here, and checked again when it is written to the terminal.

mod detail;
mod front;
mod help;
mod lanes;
mod paint;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};

use super::model::Model;
use super::overlay::Overlay;
pub(super) use detail::page_at;
pub(super) use front::places;
use paint::{BOLD, DIM, PLAIN, put};

/// Minimum columns and rows; a smaller screen shows only a message.
const LEAST: (u16, u16) = (20, 6);

/// Draws a model; returns the position of the text cursor, if there is one.
pub(super) fn draw(model: &Model, buffer: &mut Buffer) -> Option<Position> {
    let area = buffer.area;
    if area.width < LEAST.0 || area.height < LEAST.1 {
        put(buffer, Rect { height: 1.min(area.height), ..area }, "too small", PLAIN);
        return None;
    }
    if (area.width, area.height) != model.size {
        // The terminal was resized; the next event updates the model.
        return None;
    }
    let layout = model.layout();
    let mut cursor = top(model, layout.top, buffer);
    if let Some(area) = layout.names {
        lanes::names(model, area, buffer);
    }
    lanes::lanes(model, &layout, buffer);
    if let Some(area) = layout.detail {
        detail::detail(model, area, buffer);
    }
    bottom(model, layout.bottom, buffer);
    if model.overlay.is_some() {
        cursor = front::front(model, buffer);
    }
    cursor
}

/// The filter on the left, and how many issues match on the right.
fn top(model: &Model, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let kind = if model.filter.all { "issue" } else { "open issue" };
    let count =
        if model.is_read() { crate::ui::text::count(model.total(), kind) } else { "reading …".to_owned() };
    let wide = u16::try_from(crate::ui::text::width(&count)).unwrap_or(area.width).min(area.width / 2);
    let right = Rect { x: area.right() - wide, width: wide, ..area };
    put(buffer, right, &count, DIM);
    let name = "git wf board";
    put(buffer, area, name, BOLD);
    let begin = area.x + name.len() as u16 + 2;
    let room = Rect { x: begin, width: right.x.saturating_sub(begin + 1), ..area };
    let text = model.filter.editor.text();
    if !model.filter.is_open && text.is_empty() {
        put(buffer, room, "/ filters", DIM);
        return None;
    }
    put(buffer, Rect { width: 1.min(room.width), ..room }, "/", DIM);
    let field = Rect { x: room.x + 1, width: room.width.saturating_sub(1), ..room };
    let cursor = paint::typed(buffer, field, &model.filter.editor);
    model.filter.is_open.then_some(cursor)
}

/// An error of the filter, what is in progress, the last message, or the available keys.
fn bottom(model: &Model, area: Rect, buffer: &mut Buffer) {
    let place = match model.lanes.get(model.at) {
        Some(lane) if model.detail.is_none() => format!("{}/{}", lane.cursor + 1, lane.total),
        _ => String::new(),
    };
    let wide = u16::try_from(place.len()).unwrap_or(0).min(area.width / 3);
    let left = Rect { width: area.width.saturating_sub(wide + 1), ..area };
    put(buffer, Rect { x: area.right() - wide, width: wide, ..area }, &place, DIM);
    if let Some(fault) = &model.filter.fault {
        return put(buffer, left, &format!("filter: {fault}"), paint::WARN);
    }
    if let Some(busy) = &model.busy {
        return put(buffer, left, &format!("{busy} …"), paint::WARN);
    }
    if let Some(progress) = &model.progress {
        return put(buffer, left, progress, DIM);
    }
    if let Some(said) = &model.said {
        return put(buffer, left, said, BOLD);
    }
    // From the longest to the shortest: a narrow screen shows fewer of them instead of cutting one.
    let hints: &[&str] = match (&model.overlay, &model.detail) {
        (Some(Overlay::Form(_)), _) => &[
            "Enter submits · Alt-Enter new line · Ctrl-O editor · Tab next field · Esc cancels",
            "Enter submits · Ctrl-O editor · Tab next · Esc cancels",
            "Enter submits · Esc cancels",
        ],
        (Some(Overlay::Menu(_)), _) => {
            &["Enter chooses · j/k or a number · Esc cancels", "Enter · Esc cancels"]
        }
        (Some(_), _) => &["Esc closes · j/k scroll", "Esc closes"],
        (None, _) if model.filter.is_open => &[
            "Enter keeps · Esc clears · tag:api priority:high status:failed @ada, or words",
            "Enter keeps · Esc clears · tag:api @ada, or words",
            "Enter keeps · Esc clears",
        ],
        (None, Some(_)) => &[
            "1-6 pages · j/k scroll · J/K next issue · Esc closes · ? help",
            "? help · 1-6 pages · J/K next issue · Esc closes",
            "? help · Esc closes",
        ],
        (None, None) => &[
            "? help · Enter opens · n new · m move · c comment · r review · / filter · q quit",
            "? help · Enter opens · n new · m move · c comment · / filter · q quit",
            "? help · Enter opens · n new · / filter · q quit",
            "? help · / filter · q quit",
            "? help · q quit",
        ],
    };
    let room = usize::from(left.width);
    let fits = hints.iter().find(|hint| crate::ui::text::width(hint) <= room);
    put(buffer, left, fits.copied().unwrap_or("? help"), DIM);
}
