//! Lists that come in pages.

use std::cell::Cell;
use std::ops::Range;

use maud::{Markup, html};

use crate::model::count;
use crate::page::PerPage;
use crate::web::view::View;

/// The position in a list.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) struct ListPosition {
    /// The page, from 1.
    pub(in crate::web) page: usize,
    /// Rows per page.
    pub(in crate::web) size: usize,
    /// Rows on all pages.
    pub(in crate::web) total: usize,
}

impl ListPosition {
    /// The first page.
    pub(in crate::web) fn first(size: usize) -> Self {
        Self { page: 1, size, total: 0 }
    }

    /// The requested page, before the total is known.
    pub(in crate::web) fn asked(view: &View<'_>, size: usize) -> Self {
        Self { page: view.query.number("page").unwrap_or(1).clamp(1, 1_000_000), size, total: 0 }
    }

    /// The number of rows before this page.
    pub(in crate::web) fn offset(self) -> usize {
        (self.page - 1) * self.size
    }

    /// The number of pages, at least 1.
    pub(in crate::web) fn count(self) -> usize {
        self.total.div_ceil(self.size).max(1)
    }
}

/// Links to the previous and the next page; nothing if there is only one page. An export then has the next page, too. From beyond
/// the last page, as after the last entry of it was removed, the way back leads to the last one.
pub(in crate::web) fn pager(view: &View<'_>, pages: ListPosition) -> Markup {
    let count = pages.count();
    let next = view.query.with("page", pages.page + 1);
    html! {
        @if count > 1 || pages.page > 1 {
            nav.pager aria-label="more of this list" {
                @if pages.page > 1 {
                    @let previous = view.query.with("page", (pages.page - 1).min(count));
                    a rel="prev" href=(view.href_with(view.place, &previous)) { "← previous" }
                }
                @if pages.page <= count { span { "page " (pages.page) " of " (count) } }
                @if pages.page < count {
                    @let () = view.exported_too(view.place, next.clone());
                    a rel="next" href=(view.href_with(view.place, &next)) { "next →" }
                }
            }
        }
    }
}

/// Several lists on one page, each of which may have any number of rows: a page has a part of each, and has as many pages as the
/// longest one.
pub(in crate::web) struct PagedLists {
    page: usize,
    count: Cell<usize>,
}

impl PagedLists {
    /// The requested page.
    pub(in crate::web) fn asked(view: &View<'_>) -> Self {
        Self { page: ListPosition::asked(view, 1).page, count: Cell::new(1) }
    }

    /// Whether it is the first page, which also has what is not a list.
    pub(in crate::web) fn is_first(&self) -> bool {
        self.page == 1
    }

    /// Which rows of a list are on this page.
    pub(in crate::web) fn rows(&self, len: usize, per_page: PerPage) -> Range<usize> {
        let (PerPage::First(size) | PerPage::Latest(size)) = per_page;
        self.count.set(self.count.get().max(len.div_ceil(size)));
        let before = (self.page - 1).saturating_mul(size).min(len);
        match per_page {
            PerPage::First(_) => before..len.min(before + size),
            PerPage::Latest(_) => (len - before).saturating_sub(size)..len - before,
        }
    }

    /// The rows of a list on this page, if the first page has its beginning.
    pub(in crate::web) fn first_slice<'a, T>(&self, rows: &'a [T], size: usize) -> &'a [T] {
        &rows[self.rows(rows.len(), PerPage::First(size))]
    }

    /// The rows of a list on this page, if the first page has its end. They are in their own order.
    pub(in crate::web) fn last_slice<'a, T>(&self, rows: &'a [T], size: usize) -> &'a [T] {
        &rows[self.rows(rows.len(), PerPage::Latest(size))]
    }

    /// Like [`Self::pager`], for a page that takes long: an export has only the first one, and names the command that shows the rest.
    pub(in crate::web) fn costly_pager(&self, view: &View<'_>, command: &str) -> Markup {
        let more = self.count.get() - 1;
        html! {
            @if !view.is_export() { (self.pager(view)) } @else if more > 0 {
                p.quiet { (count(more, "more page")) @if more == 1 { " is" } @else { " are" } " not part of this export; " code { (command) } " shows everything." }
            }
        }
    }

    /// Links to the other pages, once all lists are there.
    pub(in crate::web) fn pager(&self, view: &View<'_>) -> Markup {
        pager(view, ListPosition { page: self.page, size: 1, total: self.count.get() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_on_one_page() {
        let rows: Vec<usize> = (0..7).collect();
        let on = |page: usize| PagedLists { page, count: Cell::new(1) };
        let first: Vec<&[usize]> = (1..=4).map(|page| on(page).first_slice(&rows, 3)).collect();
        assert_eq!(first, [&[0, 1, 2][..], &[3, 4, 5], &[6], &[]]);
        let last: Vec<&[usize]> = (1..=4).map(|page| on(page).last_slice(&rows, 3)).collect();
        assert_eq!(last, [&[4, 5, 6][..], &[1, 2, 3], &[0], &[]]);
        let lists = on(1);
        let parts = (lists.first_slice(&rows, 2).len(), lists.last_slice(&rows, 5).len());
        assert_eq!((parts, lists.count.get()), ((2, 5), 4));
        let none: &[usize] = &[];
        assert_eq!((on(1).first_slice(none, 3), on(usize::MAX).last_slice(&rows, 3)), (none, none));
    }
}
