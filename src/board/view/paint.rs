//! Puts text on the screen, cleaned and cut to fit.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::board::editor::Editor;
use crate::ui::{StyledLine, clean_line, style as looks, truncate, width};

/// Ordinary text.
pub(super) const PLAIN: Style = Style::new();
/// A heading.
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
/// Secondary text.
pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// The selected item. It also has a mark.
pub(super) const CURSOR: Style = Style::new().add_modifier(Modifier::REVERSED);
/// Warnings. Their words also say so.
pub(super) const WARN: Style = Style::new().fg(Color::Magenta);
/// An id.
pub(super) const ID: Style = Style::new().fg(Color::Yellow);

/// Converts a style of the command output.
pub(super) fn look(style: looks::Style) -> Style {
    match style {
        looks::Style::Plain => PLAIN,
        looks::Style::Id => ID,
        looks::Style::Heading => BOLD,
        looks::Style::Good => Style::new().fg(Color::Green),
        looks::Style::Bad => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        looks::Style::Warn => WARN,
        looks::Style::Dim => DIM,
    }
}

/// Puts text on the first row of an area; ends in `…` if it was cut.
pub(super) fn put(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    if area.width == 0 || area.height == 0 {
        return;
    }
    let room = usize::from(area.width);
    // Cut before cleaning, which takes time for each character.
    let most = text.char_indices().nth(room * 8).map_or(text.len(), |it| it.0);
    let text = truncate(&clean_line(&text[..most]), room);
    buffer.set_stringn(area.x, area.y, text, room, style);
}

/// Puts styled text on the first row of an area.
pub(super) fn put_line(buffer: &mut Buffer, area: Rect, line: &StyledLine) {
    let mut x = area.x;
    if area.height == 0 {
        return;
    }
    for (style, text) in &line.0 {
        let room = area.right().saturating_sub(x);
        if room == 0 {
            return;
        }
        (x, _) = buffer.set_stringn(x, area.y, text, usize::from(room), look(*style));
    }
}

/// Clears an area.
pub(super) fn clear(buffer: &mut Buffer, area: Rect) {
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            buffer[(x, y)].reset();
        }
    }
}

/// Row `n` of an area; empty below its end.
pub(super) fn row(area: Rect, n: usize) -> Rect {
    let n = u16::try_from(n).unwrap_or(u16::MAX).min(area.height);
    Rect { y: area.y + n, height: (area.height - n).min(1), ..area }
}

/// Puts a one-line field, scrolled to its cursor; returns the position of the cursor.
pub(super) fn typed(buffer: &mut Buffer, area: Rect, editor: &Editor) -> Position {
    let (before, after) = editor.text().split_at(editor.cursor());
    let (before, after) = (clean_line(before), clean_line(after));
    let room = usize::from(area.width.saturating_sub(1));
    let mut skipped = 0;
    let mut used = width(&before);
    for cluster in before.graphemes(true) {
        if used <= room {
            break;
        }
        used -= width(cluster);
        skipped += cluster.len();
    }
    put(buffer, area, &format!("{}{after}", &before[skipped..]), PLAIN);
    let x = u16::try_from(used).unwrap_or(0).min(area.width.saturating_sub(1));
    Position::new(area.x + x, area.y)
}

/// Puts a multi-line field, wrapped to the area and scrolled to its cursor; returns the position of the cursor.
pub(super) fn typed_long(buffer: &mut Buffer, area: Rect, editor: &Editor) -> Position {
    let columns = usize::from(area.width.saturating_sub(1)).max(1);
    let (mut rows, mut cursor, mut begin) = (Vec::new(), (0, 0), 0);
    for line in editor.text().split('\n') {
        let end = begin + line.len();
        let is_here = (begin..=end).contains(&editor.cursor());
        if is_here {
            let before = clean_line(&editor.text()[begin..editor.cursor()]).into_owned();
            let folded = crate::ui::text::fold(&before, Some(columns));
            let last = folded.last().map_or(0, |row| width(row));
            cursor = (rows.len() + folded.len() - 1, last);
        }
        let line = clean_line(line).into_owned();
        rows.extend(crate::ui::text::fold(&line, Some(columns)).into_iter().map(str::to_owned));
        begin = end + 1;
    }
    let height = usize::from(area.height).max(1);
    let top = (cursor.0 + 1).saturating_sub(height);
    for (n, text) in rows.iter().skip(top).take(height).enumerate() {
        put(buffer, row(area, n), text, PLAIN);
    }
    let x = u16::try_from(cursor.1).unwrap_or(0).min(area.width.saturating_sub(1));
    let y = u16::try_from(cursor.0 - top).unwrap_or(0);
    Position::new(area.x + x, area.y + y)
}
