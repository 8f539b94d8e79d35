//! What there is about an issue besides its own records: other issues, and what explorers found out.

use maud::{Markup, html};

use crate::model::exploration::Explored;
use crate::ops::issues::Related;
use crate::web::parts::{PagedLists, badge, counted, file, issue_id, linked, person, record_text, when};
use crate::web::view::View;

/// Issues per page.
const ROWS: usize = 100;
/// Explorations per page.
const EXPLORATIONS: usize = 20;

/// Issues that have to do with this one; nothing if there are none.
pub(super) fn related(view: &View<'_>, lists: &PagedLists, name: &str, issues: &[Related]) -> Markup {
    let shown = lists.first_slice(issues, ROWS);
    html! {
        @if !shown.is_empty() {
            (counted(name, issues.len()))
            ul.rows {
                @for it in shown {
                    li {
                        (issue_id(view, &it.id))
                        " " (badge(it.status.as_str())) " " (record_text(view, &it.title))
                    }
                }
            }
        }
    }
}

/// What explorers found out.
pub(super) fn explorations(view: &View<'_>, lists: &PagedLists, all: &[Explored]) -> Markup {
    let shown = lists.last_slice(all, EXPLORATIONS);
    html! {
        @if !shown.is_empty() { (counted("Explorations", all.len())) }
        @for it in shown {
            details.entry {
                summary {
                    (it.depth.as_str()) " by " (person(it.author.as_str())) " " (when(view, it.created_at)) ", "
                    (it.found.complexity_assessment.as_str()) " complexity"
                }
                ul { @for finding in &it.found.key_findings { li { (linked(view, finding)) } } }
                @if !it.found.relevant_files.is_empty() {
                    h3 { "Files" }
                    ul.plain { @for one in &it.found.relevant_files { li { (file(view, one.path.as_str())) } } }
                }
            }
        }
    }
}
