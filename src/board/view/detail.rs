//! Draws an open issue.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use super::paint::{BOLD, DIM, ID, put, put_line, row};
use crate::board::layout::DETAIL_HEAD;
use crate::board::model::Model;
use crate::board::page::IssuePage;
use crate::ui::width;

/// The page names as displayed, with the open one in brackets.
fn tabs(open: IssuePage) -> Vec<String> {
    let names = IssuePage::ALL.iter().enumerate().map(|(n, page)| {
        if *page == open {
            format!("[{} {}]", n + 1, page.name())
        } else {
            format!(" {} {} ", n + 1, page.name())
        }
    });
    names.collect()
}

/// The page whose name is displayed at this column.
pub(in crate::board) fn page_at(open: IssuePage, column: usize) -> Option<IssuePage> {
    let mut end = 0;
    let ends = tabs(open).into_iter().map(|name| {
        end += width(&name);
        end
    });
    let at = ends.collect::<Vec<_>>().iter().position(|end| column < *end)?;
    IssuePage::ALL.get(at).copied()
}

/// Draws the open issue.
pub(super) fn detail(model: &Model, area: Rect, buffer: &mut Buffer) {
    let Some(detail) = &model.detail else { return };
    let head = row(area, 0);
    put(buffer, head, &detail.issue, ID);
    let used = u16::try_from(detail.issue.len() + 2).unwrap_or(head.width).min(head.width);
    put(buffer, Rect { x: head.x + used, width: head.width - used, ..head }, &detail.title, BOLD);
    let mut x = area.x;
    for (name, page) in tabs(detail.page).iter().zip(IssuePage::ALL) {
        let style = if page == detail.page { BOLD } else { DIM };
        let place = Rect { x, width: area.right().saturating_sub(x), ..row(area, 1) };
        put(buffer, place, name, style);
        x = x.saturating_add(u16::try_from(width(name)).unwrap_or(0)).min(area.right());
    }
    let rows = usize::from(area.height.saturating_sub(DETAIL_HEAD));
    if detail.lines.len() > rows {
        let last = (detail.top + rows).min(detail.lines.len());
        let place = format!("{}-{last} of {}", detail.top + 1, detail.lines.len());
        let wide = u16::try_from(place.len()).unwrap_or(0);
        if x + wide < area.right() {
            put(buffer, Rect { x: area.right() - wide, width: wide, ..row(area, 1) }, &place, DIM);
        }
    }
    if detail.lines.is_empty() {
        put(buffer, row(area, usize::from(DETAIL_HEAD)), "reading …", DIM);
    }
    for (n, line) in detail.lines.iter().skip(detail.top).take(rows).enumerate() {
        put_line(buffer, row(area, n + usize::from(DETAIL_HEAD)), line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_finds_the_page_under_it() {
        // [1 issue] 2 plan  3 tasks …
        assert_eq!(page_at(IssuePage::Issue, 0), Some(IssuePage::Issue));
        assert_eq!(page_at(IssuePage::Issue, 8), Some(IssuePage::Issue));
        assert_eq!(page_at(IssuePage::Issue, 9), Some(IssuePage::Plan));
        assert_eq!(page_at(IssuePage::Issue, 17), Some(IssuePage::Tasks));
        assert_eq!(page_at(IssuePage::Issue, 200), None);
    }
}
