//! Tables of issues, in pages.

use maud::{Markup, html};

use super::{badge, priority, record_text};
use crate::index::IssueRow;
use crate::model::id::IssueId;
use crate::web::place::Place;
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

/// A table of issues; `name` labels it for screen readers.
pub(in crate::web) fn issue_table(view: &View<'_>, name: &str, rows: &[IssueRow]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) {
            table.issues {
                thead { tr { th { "Issue" } th { "Status" } th { "Priority" } th.wide { "Title" } th { "Tags" } } }
                tbody {
                    @for row in rows {
                        tr {
                            td { (issue_id(view, &row.id)) }
                            td { (badge(row.status.as_str())) }
                            td { (priority(row.priority)) }
                            td.wide { (record_text(view, &row.title)) }
                            td.tags {
                                @for tag in row.tags.split(',').filter(|tag| !tag.is_empty()) {
                                    span.tag { (tag) } " "
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The id of an issue as a link to it.
fn issue_id(view: &View<'_>, id: &str) -> Markup {
    match IssueId::parse(id) {
        Ok(typed) => view.id(&Place::Issue(typed), id),
        Err(_) => html! { (id) },
    }
}

/// Links to the previous and the next page; nothing if there is only one page.
pub(in crate::web) fn pager(view: &View<'_>, pages: ListPosition) -> Markup {
    let to = |page: usize| view.href_with(view.place, &view.query.with("page", page));
    let count = pages.count();
    html! {
        @if count > 1 {
            nav.pager aria-label="more of this list" {
                @if pages.page > 1 { a rel="prev" href=(to(pages.page - 1)) { "← previous" } }
                span { "page " (pages.page) " of " (count) }
                @if pages.page < count { a rel="next" href=(to(pages.page + 1)) { "next →" } }
            }
        }
    }
}
