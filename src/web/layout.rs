//! The layout that all pages share.

use maud::{DOCTYPE, Markup, html};

use super::place::{Place, Query};
use super::view::{PageContent, RenderTarget, View};
use super::{parts, server::assets};

/// The menu: pages and their names.
const MENU: &[(Place, &str)] = &[
    (Place::Overview, "Overview"),
    (Place::Issues, "Issues"),
    (Place::Board, "Board"),
    (Place::Queues, "Queue"),
    (Place::Executions, "Executions"),
    (Place::Runs, "Runs"),
    (Place::Roadmaps, "Roadmaps"),
    (Place::Audit, "Audit"),
    (Place::Files, "Files"),
    (Place::Conflicts, "Conflicts"),
    (Place::History, "History"),
];

/// A complete HTML document.
pub(super) fn document(view: &View<'_>, content: &PageContent) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (content.title) " · git wf" }
                link rel="stylesheet" href=(asset(view, assets::STYLE));
                link rel="icon" href=(asset(view, assets::ICON));
                @if !view.is_export() { script src=(asset(view, assets::SCRIPT)) defer {} }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href=(view.href(&Place::Overview)) { "git wf" }
                    nav aria-label="menu" { (menu(view)) }
                    (search(view))
                }
                main id="main" tabindex="-1" data-tip=[tip(view)] data-moving[content.is_moving] {
                    (super::forms::refused_elsewhere(view))
                    (content.body)
                }
                footer { (foot(view)) }
            }
        }
    };
    // Makes invisible characters of records visible, in text and attributes alike.
    let page = page.into_string();
    let page = crate::ui::text::clean(&page);
    parts::with_c1(&page).into_owned()
}

/// The tip of the store that a page shows; `None` in an export.
fn tip(view: &View<'_>) -> Option<String> {
    if view.is_export() {
        return None;
    }
    view.session.store().tip().ok().flatten().map(|tip| tip.to_string())
}

fn asset(view: &View<'_>, asset: &assets::Asset) -> String {
    match view.target {
        RenderTarget::Server { .. } => asset.address(),
        RenderTarget::Files(_) => view.file(asset.name),
    }
}

fn menu(view: &View<'_>) -> Markup {
    html! {
        ul {
            @for (place, name) in MENU {
                li {
                    a href=(view.href(place)) aria-current=[(group(view.place) == *place).then_some("page")] { (name) }
                }
            }
        }
    }
}

/// The menu entry that a page belongs to.
fn group(place: &Place) -> Place {
    match place {
        Place::Issue(_) | Place::NewIssue | Place::Text(..) | Place::Plan(_) | Place::PlanDiff(_) => {
            Place::Issues
        }
        Place::Queue(_) => Place::Queues,
        Place::Execution(_) => Place::Executions,
        Place::Run(_) => Place::Runs,
        Place::Commit(_) => Place::Audit,
        Place::File(_) => Place::Files,
        Place::Roadmap(_) => Place::Roadmaps,
        Place::Step(_) => Place::History,
        other => other.clone(),
    }
}

/// The search field; an id leads to its page.
fn search(view: &View<'_>) -> Markup {
    let action = match view.target {
        RenderTarget::Server { .. } => view.href(&Place::Go),
        RenderTarget::Files(_) => view.href(&Place::Search),
    };
    let typed = if *view.place == Place::Issues { view.query.get("q") } else { None };
    html! {
        form.search role="search" method="get" action=(action) {
            label.hidden for="search" { "Search, or an id" }
            input id="search" name="q" type="search" placeholder="Search, or an id" autocomplete="off"
                value=[typed];
            button type="submit" { "Go" }
        }
    }
}

fn foot(view: &View<'_>) -> Markup {
    let reference = view.session.store().reference();
    html! {
        p {
            @match view.target {
                RenderTarget::Files(_) => { "Exported from " code { (reference) } }
                RenderTarget::Server { may_write: true } => { code { (reference) } " · you can write" }
                RenderTarget::Server { may_write: false } => { code { (reference) } " · read-only" }
            }
            span.live role="status" {}
        }
    }
}

/// The page for a refusal.
pub(super) fn refusal(view: &View<'_>, refusal: &crate::ops::Refusal) -> PageContent {
    let body = html! {
        h1 { "Cannot show this page" }
        (super::forms::refused(view, refusal))
        p { (view.link(&Place::Overview, "Back to the overview")) }
    };
    PageContent::new("Not shown", body)
}

/// A query with one value.
pub(super) fn one(name: &str, value: impl ToString) -> Query {
    Query::default().with(name, value)
}

/// Adds the session's notices above the body.
pub(super) fn with_notices(view: &View<'_>, content: PageContent) -> PageContent {
    let notices = view.session.notices();
    if notices.is_empty() {
        return content;
    }
    PageContent { body: html! { (parts::notices(view, &notices)) (content.body) }, ..content }
}
