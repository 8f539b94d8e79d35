//! What a plan names: its tasks, and files of the project.

use maud::{Markup, html};

use crate::model::SolutionId;
use crate::page::html::anchor;
use crate::page::plan::key;
use crate::web::place::{FilePath, Place};
use crate::web::view::View;

/// The id of a task as a link to it on the page of its plan.
pub(in crate::web) fn task(view: &View<'_>, plan: &SolutionId, id: &str) -> Markup {
    let place = Place::Plan(plan.clone());
    html! {
        @if view.has(&place) { a.id href=(format!("{}#{}", view.href(&place), anchor(&key(id)))) { (id) } }
        @else { span.id { (id) } }
    }
}

/// A file of the project; on a server, a link to its page if it is there.
pub(in crate::web) fn file(view: &View<'_>, path: &str) -> Markup {
    match FilePath::parse(path).filter(|path| !view.is_export() && view.has_file(path)) {
        Some(parsed) => html! { a.file href=(view.href(&Place::File(parsed))) { (path) } },
        None => html! { code { (path) } },
    }
}
