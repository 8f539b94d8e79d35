//! Draws the lanes and their issues.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::paint::{BOLD, CURSOR, DIM, ID, PLAIN, put, row};
use crate::board::layout::ScreenLayout;
use crate::board::model::Model;
use crate::index::Carded;
use crate::model::id::short;
use crate::rules::Landed;
use crate::ui::{Strokes, StyledLine, clean_line, style, truncate, width};

/// The name and size of each lane; the selected one is in brackets.
pub(super) fn names(model: &Model, area: Rect, buffer: &mut Buffer) {
    let names = model.lanes.iter().enumerate().map(|(n, lane)| {
        if n == model.at {
            format!("[{} {}]", lane.status, lane.total)
        } else {
            format!(" {} {} ", lane.status, lane.total)
        }
    });
    let names: Vec<String> = names.collect();
    let room = usize::from(area.width);
    // Show as many of the names before it as fit.
    let mut first = model.at;
    let mut used = names.get(first).map_or(0, |name| width(name));
    while first > 0 && used + width(&names[first - 1]) <= room * 2 / 3 {
        first -= 1;
        used += width(&names[first]);
    }
    let before = if first > 0 { "‹" } else { "" };
    put(buffer, area, &format!("{before}{}", names[first.min(names.len())..].concat()), DIM);
}

/// Draws the visible lanes, with lines between them.
pub(super) fn lanes(model: &Model, layout: &ScreenLayout, buffer: &mut Buffer) {
    let line = if model.strokes == Strokes::Unicode { "│" } else { "|" };
    let last = layout.lanes.len().saturating_sub(1);
    for (place, (n, area)) in layout.lanes.iter().enumerate() {
        lane(model, *n, *area, layout, buffer);
        let is_beside = place < last || layout.detail.is_some();
        if is_beside && area.right() < buffer.area.right() {
            for y in area.top()..area.bottom() {
                buffer.set_stringn(area.right(), y, line, 1, DIM);
            }
        }
    }
    if model.lanes.is_empty() && layout.detail.is_none() && model.is_read() {
        let area = Rect { y: layout.top.bottom(), height: 3, ..layout.top };
        let is_filtered = !model.filter.editor.text().is_empty();
        let (what, then) = match (is_filtered, model.filter.all) {
            (true, _) => ("no issues match", "Esc clears the filter"),
            (false, false) => ("no open issues", "`A` also shows issues that are done; `n` adds one"),
            (false, true) => ("no issues", "`n` adds one"),
        };
        put(buffer, row(area, 1), what, BOLD);
        put(buffer, row(area, 2), then, DIM);
    }
}

fn lane(model: &Model, n: usize, area: Rect, layout: &ScreenLayout, buffer: &mut Buffer) {
    let Some(lane) = model.lanes.get(n) else { return };
    let is_current = n == model.at;
    let mark = if is_current { ">" } else { " " };
    let name = format!("{mark}{} {}", lane.status, lane.total);
    put(buffer, row(area, 0), &name, if is_current { CURSOR.patch(BOLD) } else { BOLD });
    for shown in 0..layout.rows.min(lane.total.saturating_sub(lane.top)) {
        let place = lane.top + shown;
        let begin = 1 + shown * usize::from(layout.card);
        let area = Rect {
            y: area.y + u16::try_from(begin).unwrap_or(u16::MAX).min(area.height),
            height: layout.card.min(area.height.saturating_sub(begin as u16)),
            ..area
        };
        let is_cursor = is_current && place == lane.cursor;
        match lane.card(place) {
            Some(it) => card(it, is_cursor, area, buffer),
            None => put(buffer, row(area, 0), " …", DIM),
        }
    }
}

/// Draws an issue: its title and, in the last row, its id, priority, assignee and tags.
fn card(card: &Carded, is_cursor: bool, area: Rect, buffer: &mut Buffer) {
    let mark = if is_cursor { ">" } else { " " };
    // Without the column of the mark and the one before the line.
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    for n in 0..usize::from(area.height) {
        put(buffer, Rect { width: 1, ..row(area, n) }, mark, if is_cursor { BOLD } else { PLAIN });
    }
    let titles = usize::from(area.height.saturating_sub(1)).max(1);
    let title = StyledLine::new(style::PLAIN, &card.row.title).wrapped(usize::from(inner.width).max(1));
    let look = if is_cursor { CURSOR } else { PLAIN };
    for (n, line) in title.iter().take(titles).enumerate() {
        let is_cut = n + 1 == titles && title.len() > titles;
        let words: String = line.0.iter().map(|part| part.1.as_str()).collect();
        // A cut title ends in `…`, even if the words of its last row fit.
        let words = if is_cut { truncate(&format!("{words} …"), usize::from(inner.width)) } else { words };
        put(buffer, row(inner, n), &words, look);
    }
    if area.height < 2 {
        return;
    }
    let last = row(inner, usize::from(area.height) - 1);
    let id = short(card.row.id.as_str());
    put(buffer, last, id, ID);
    let used = u16::try_from(width(&clean_line(id)) + 1).unwrap_or(last.width).min(last.width);
    let rest = Rect { x: last.x + used, width: last.width - used, ..last };
    put(buffer, rest, &about(card), DIM);
}

fn about(card: &Carded) -> String {
    let mut parts = vec![card.row.priority.name().to_owned()];
    if card.is_ready {
        parts.push("ready".into());
    }
    if card.is_in_cycle {
        parts.push("in a cycle".into());
    }
    parts.extend(card.row.not_landed.as_ref().and_then(Landed::words));
    parts.extend(card.row.assignee.as_ref().map(|who| format!("@{who}")));
    let tags = card.row.tags.split(',').map(str::trim).filter(|tag| !tag.is_empty());
    parts.extend(tags.map(|tag| format!("#{tag}")));
    parts.join(" ")
}
