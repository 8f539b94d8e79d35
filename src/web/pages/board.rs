//! The board: issues in columns by status. A card is moved by dragging it, or with its form.

use maud::{Markup, html};

use super::issues::filtered;
use crate::index::{Filter, IssueRow, SortOrder};
use crate::model::IssueStatus;
use crate::ops::Refusal;
use crate::ops::issues::{self, List, Total};
use crate::rules::Landed;
use crate::web::forms::PageForm;
use crate::web::layout::one;
use crate::web::parts::{badge, issue_id, priority, record_text};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// Maximum cards in a column; the list has all.
const MOST: usize = 40;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let mut columns = Vec::new();
    for status in IssueStatus::ALL {
        let is_over = status.is_terminal();
        let sort = if is_over { SortOrder::Updated } else { SortOrder::Priority };
        let list = filtered(view.query)?;
        let filter = Filter { statuses: vec![*status], all: false, ..list.filter };
        let list =
            List { filter, sort, limit: Some(if is_over { MOST / 4 } else { MOST }), counts: true, ..list };
        let found = issues::rows(view.session, &list)?.view;
        // A card can be dragged into an empty column.
        if found.rows.is_empty() && !view.may_write() {
            continue;
        }
        columns.push((*status, found.rows, found.total.map_or(0, Total::number)));
    }
    let body = html! {
        h1 { "Board" }
        @if !view.is_export() {
            form.filters method="get" action=(view.href(&Place::Board)) {
                label.grow { "Text" input type="search" name="q" value=[view.query.get("q")]; }
                label { "Tag" input type="text" name="tag" value=[view.query.get("tag")]; }
                label { "Assignee" input type="text" name="assignee" value=[view.query.get("assignee")]; }
                button type="submit" { "Show" }
            }
        }
        div.board data-board[view.may_write()] tabindex="0" role="region" aria-label="board" {
            @for (status, rows, total) in &columns {
                section.column data-status=(status) aria-label=(status) {
                    h2 {
                        (badge(status.as_str())) " "
                        a.count href=(view.href_with(&Place::Issues, &one("status", status))) { (total) }
                    }
                    ul.cards { @for row in rows { li { (card(view, row)) } } }
                    @if *total > rows.len() { p.quiet { "and " (total - rows.len()) " more" } }
                }
            }
        }
    };
    Ok(PageContent::new("Board", body))
}

fn card(view: &View<'_>, row: &IssueRow) -> Markup {
    let form = PageForm::new(view, "move", row.id.as_str());
    let may_move = view.may_write() && row.status != IssueStatus::Executing;
    html! {
        article.card draggable=[may_move.then_some("true")] data-id=(row.id) {
            div {
                (issue_id(view, &row.id))
                " " (priority(row.priority))
                @if let Some(words) = row.not_landed.as_ref().and_then(Landed::words) { " " (badge(&words)) }
            }
            div.title { (record_text(view, &row.title)) }
            @if may_move {
                (form.small(html! {
                    (form.hidden("issue", row.id.as_str()))
                    (form.choice("status", "Move to", &super::issue::moves(row.status), row.status.as_str()))
                }, "Move"))
            }
        }
    }
}
