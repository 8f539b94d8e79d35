//! Tables of issues, in pages.

use maud::{Markup, html};

use super::{badge, priority, record_text, when};
use crate::index::IssueRow;
use crate::model::IssueId;
use crate::web::place::Place;
use crate::web::view::View;

/// A table of issues; `name` labels it for screen readers. `has_closing` shows when they were completed, closed or cancelled.
pub(in crate::web) fn issue_table(
    view: &View<'_>,
    name: &str,
    rows: &[IssueRow],
    has_closing: bool,
) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) {
            table.issues {
                thead { tr { th { "Issue" } th { "Status" } th { "Priority" } @if has_closing { th { "Closed" } } th.wide { "Title" } th { "Tags" } } }
                tbody {
                    @for row in rows {
                        tr {
                            td { (issue_id(view, &row.id)) }
                            td { (badge(&row.status_words())) }
                            td { (priority(row.priority)) }
                            @if has_closing { td { @if let Some(at) = row.finished { (when(view, at)) } } }
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
pub(in crate::web) fn issue_id(view: &View<'_>, id: &IssueId) -> Markup {
    view.id(&Place::Issue(id.clone()), id.as_str())
}
