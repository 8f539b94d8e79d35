//! Draws what covers the lanes.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};

use super::help;
use super::paint::{BOLD, CURSOR, DIM, PLAIN, WARN, clear, put, put_line, row, typed, typed_long};
use crate::board::editor::Editor;
use crate::board::event::RefusedText;
use crate::board::model::Model;
use crate::board::overlay::{Overlay, OverlayForm};
use crate::ui::{Strokes, StyledLine, style};

/// Maximum width of a box, so that its text stays readable.
const WIDEST: u16 = 84;
/// Rows of a multi-line field, without its label.
const LONG: u16 = 5;

/// The title of a box, the rows of its body, and a refusal below them.
struct Content {
    title: String,
    rows: u16,
    refusal: Vec<StyledLine>,
}

fn content(model: &Model, columns: usize) -> Option<Content> {
    let overlay = model.overlay.as_ref()?;
    let (title, rows, refusal) = match overlay {
        Overlay::Help(_) => ("help".to_owned(), help::lines(columns).len(), None),
        Overlay::Note(note) => (note.title.clone(), wrapped(&note.lines, columns).len(), None),
        Overlay::Menu(menu) => (menu.title.clone(), menu.entries.len(), menu.sent.refusal.as_ref()),
        Overlay::Form(form) => {
            let rows = form.fields.iter().map(|field| usize::from(rows_of(field))).sum();
            (form.title.clone(), rows, form.sent.refusal.as_ref())
        }
    };
    let refusal = refusal.map_or_else(Vec::new, |refused| refusal_lines(refused, columns));
    Some(Content { title, rows: u16::try_from(rows).unwrap_or(u16::MAX), refusal })
}

fn wrapped(lines: &[String], columns: usize) -> Vec<StyledLine> {
    lines.iter().flat_map(|line| StyledLine::new(style::PLAIN, line).wrapped(columns)).collect()
}

fn refusal_lines(refused: &RefusedText, columns: usize) -> Vec<StyledLine> {
    let lines = refused.lines();
    let shown = lines.iter().enumerate().flat_map(|(n, line)| {
        let (style, words) =
            if n == 0 { (style::BAD, format!("refused: {line}")) } else { (style::PLAIN, line.clone()) };
        StyledLine::new(style, &words).wrapped(columns)
    });
    [StyledLine::default()].into_iter().chain(shown).collect()
}

fn rows_of((_, editor): &(&'static str, crate::board::editor::Editor)) -> u16 {
    // The label is above a multi-line field, and before a one-line field.
    if editor.is_long() { LONG + 1 } else { 1 }
}

/// The box, its inside, and its content.
fn frame(model: &Model) -> Option<(Rect, Rect, Content)> {
    let (columns, rows) = model.size;
    let width = columns.saturating_sub(2).min(WIDEST);
    let inner_width = width.saturating_sub(4);
    let content = content(model, usize::from(inner_width))?;
    let refusal = u16::try_from(content.refusal.len()).unwrap_or(u16::MAX);
    let wanted = content.rows.saturating_add(refusal).saturating_add(2);
    let height = wanted.min(rows.saturating_sub(1)).max(3);
    let area = Rect::new((columns - width) / 2, (rows.saturating_sub(1) - height) / 2, width, height);
    let inner = Rect::new(area.x + 2, area.y + 1, inner_width, height - 2);
    Some((area, inner, content))
}

/// The areas of a menu's entries or a form's fields; empty for those not visible.
pub(in crate::board) fn places(model: &Model) -> Vec<Rect> {
    let Some((_, inner, _)) = frame(model) else { return vec![] };
    match &model.overlay {
        Some(Overlay::Menu(menu)) => {
            let top = menu_top(menu.at, inner.height);
            (0..menu.entries.len())
                .map(|n| n.checked_sub(top).map_or_else(Rect::default, |n| row(inner, n)))
                .collect()
        }
        Some(Overlay::Form(form)) => fields(form, inner),
        _ => vec![],
    }
}

/// The index of the first visible entry.
fn menu_top(at: usize, height: u16) -> usize {
    (at + 1).saturating_sub(usize::from(height).max(1))
}

fn fields(form: &OverlayForm, inner: Rect) -> Vec<Rect> {
    let mut y = inner.y;
    let places = form.fields.iter().map(|field| {
        let begin = y.min(inner.bottom());
        y = y.saturating_add(rows_of(field));
        Rect { y: begin, height: rows_of(field).min(inner.bottom() - begin), ..inner }
    });
    places.collect()
}

/// Draws what covers the lanes; returns the position of the text cursor, if there is one.
pub(super) fn front(model: &Model, buffer: &mut Buffer) -> Option<Position> {
    let (area, inner, content) = frame(model)?;
    clear(buffer, area);
    border(model.strokes, area, &content.title, buffer);
    let mut cursor = None;
    match model.overlay.as_ref()? {
        Overlay::Help(top) => keys(*top, inner, buffer),
        Overlay::Note(note) => {
            let lines = wrapped(&note.lines, usize::from(inner.width));
            let top = note.top.min(lines.len().saturating_sub(usize::from(inner.height)));
            for (n, line) in lines.iter().skip(top).take(usize::from(inner.height)).enumerate() {
                put_line(buffer, row(inner, n), line);
            }
        }
        Overlay::Menu(menu) => {
            for (n, ((words, _), place)) in menu.entries.iter().zip(places(model)).enumerate() {
                let number = if n < 9 { format!("{}", n + 1) } else { " ".into() };
                let (mark, style) = if n == menu.at { (">", CURSOR) } else { (" ", PLAIN) };
                put(buffer, place, &format!("{mark}{number} {words}"), style);
            }
        }
        Overlay::Form(form) => {
            for (n, ((name, editor), place)) in form.fields.iter().zip(fields(form, inner)).enumerate() {
                let is_cursor = n == form.at;
                let at = draw_field(name, editor, is_cursor, place, buffer);
                cursor = if is_cursor { at } else { cursor };
            }
        }
    }
    // A refusal may cover the end of the body.
    let begin = usize::from(inner.height).saturating_sub(content.refusal.len());
    for (n, line) in content.refusal.iter().enumerate() {
        let place = row(inner, begin + n);
        clear(buffer, place);
        put_line(buffer, place, line);
    }
    cursor
}

/// Draws the keys with what they do.
fn keys(top: usize, inner: Rect, buffer: &mut Buffer) {
    let all = help::lines(usize::from(inner.width));
    let top = top.min(all.len().saturating_sub(usize::from(inner.height)));
    for (n, (keys, words)) in all.iter().skip(top).take(usize::from(inner.height)).enumerate() {
        let place = row(inner, n);
        let wide = help::KEYS.min(place.width);
        put(buffer, Rect { width: wide, ..place }, keys, BOLD);
        put_line(buffer, Rect { x: place.x + wide, width: place.width - wide, ..place }, words);
    }
}

/// Draws a field of a form; returns where its cursor is, if there is room for its text.
fn draw_field(
    name: &str,
    editor: &Editor,
    is_cursor: bool,
    place: Rect,
    buffer: &mut Buffer,
) -> Option<Position> {
    let mark = if is_cursor { ">" } else { " " };
    let label = format!("{mark}{name}: ");
    put(buffer, place, &label, if is_cursor { BOLD } else { DIM });
    if editor.is_long() {
        let below = Rect {
            x: place.x + 2,
            y: place.y + 1,
            width: place.width.saturating_sub(2),
            height: place.height.saturating_sub(1),
        };
        (below.height > 0).then(|| typed_long(buffer, below, editor))
    } else {
        let used = u16::try_from(label.len()).unwrap_or(0).min(place.width);
        let beside = Rect { x: place.x + used, width: place.width - used, ..place };
        (beside.height > 0).then(|| typed(buffer, beside, editor))
    }
}

fn border(strokes: Strokes, area: Rect, title: &str, buffer: &mut Buffer) {
    let [corners, across, down] = match strokes {
        Strokes::Unicode => ["╭╮╰╯", "─", "│"],
        Strokes::Ascii => ["++++", "-", "|"],
    };
    let corners: Vec<String> = corners.chars().map(String::from).collect();
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    for x in area.left()..area.right() {
        buffer.set_stringn(x, area.y, across, 1, DIM);
        buffer.set_stringn(x, bottom, across, 1, DIM);
    }
    for y in area.top()..area.bottom() {
        buffer.set_stringn(area.x, y, down, 1, DIM);
        buffer.set_stringn(right, y, down, 1, DIM);
    }
    for ((x, y), corner) in
        [(area.x, area.y), (right, area.y), (area.x, bottom), (right, bottom)].into_iter().zip(&corners)
    {
        buffer.set_stringn(x, y, corner, 1, DIM);
    }
    let place = Rect { x: area.x + 2, width: area.width.saturating_sub(4), height: 1, ..area };
    put(buffer, place, &format!(" {title} "), if title.contains("refused") { WARN } else { BOLD });
}
