//! The history of the store, newest change first.

use maud::{Markup, html};

use crate::ops::Refusal;
use crate::ops::trail::{self, LogInput};
use crate::store::HistoryStep;
use crate::web::forms::{self, filter_field};
use crate::web::parts::{ListPosition, badge, linked, one_line, person, record_text, when};
use crate::web::place::{Hex, Place, Query};
use crate::web::view::{PageContent, View};

/// Changes per page.
pub(in crate::web) const PAGE: usize = 100;

/// The filters, each with its label.
const FILTERS: &[(&str, &str)] = &[
    ("id", "Record"),
    ("author", "By"),
    ("op", "Operation"),
    ("role", "Role"),
    ("since", "Since"),
    ("until", "Until"),
];

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let pages = ListPosition::asked(view, PAGE);
    let outcome = trail::log(view.session, &asked(view.query, pages))
        .and_then(|done| done.view.collect::<Result<Vec<HistoryStep>, Refusal>>());
    let body = html! {
        h1 { "History" }
        @if !view.is_export() {
            form.filters method="get" action=(view.href(&Place::History)) {
                @for (name, label) in FILTERS { (filter_field(view.query, name, label)) }
                button type="submit" { "Show" }
            }
        }
        @match &outcome {
            Err(refusal) => (forms::refused(view, refusal)),
            Ok(steps) => {
                div.scroll tabindex="0" role="region" aria-label="steps" {
                    table {
                        thead { tr { th { "Change" } th { "When" } th { "Who" } th { "Operation" } th.wide { "What" } } }
                        tbody {
                            @for step in steps.iter().take(PAGE) { (row(view, step)) }
                        }
                    }
                }
                @let more = steps.len() > PAGE;
                @let next = pages.page + 1;
                @let more = more && view.has_with(view.place, &view.query.with("page", next));
                @if view.is_export() && !more && steps.len() > PAGE { p.quiet { "Earlier changes are not part of this export; " code { "git wf log" } " shows them." } }
                @if more || pages.page > 1 {
                    nav.pager aria-label="more of this list" {
                        @if pages.page > 1 { a rel="prev" href=(view.href_with(view.place, &view.query.with("page", pages.page - 1))) { "← later" } }
                        @if more { a rel="next" href=(view.href_with(view.place, &view.query.with("page", next))) { "earlier →" } }
                    }
                }
            }
        }
    };
    Ok(PageContent::new("History", body))
}

fn asked(query: &Query, pages: ListPosition) -> LogInput {
    let words = |name| query.all(name).map(str::to_owned).collect();
    LogInput {
        id: query.get("id").map(str::to_owned),
        with_changes: false,
        // One more shows whether there is another page.
        limit: Some(PAGE + 1),
        offset: pages.offset(),
        since: query.get("since").map(str::to_owned),
        until: query.get("until").map(str::to_owned),
        authors: words("author"),
        operations: words("op"),
        roles: words("role"),
    }
}

fn row(view: &View<'_>, step: &HistoryStep) -> Markup {
    html! {
        tr {
            td { @match Hex::parse(&step.commit) {
                Some(hash) => { @let short = hash.short().to_owned(); (view.id(&Place::Step(hash), &short)) }
                None => code { (step.commit.short()) },
            } }
            td { (when(view, step.at)) }
            td { (person(step.author.as_str()))
                @if let Some(actor) = &step.actor { " (" (one_line(actor)) ")" }
                @if let Some(role) = &step.role { " " (badge(role)) } }
            td { (step.op.as_deref().unwrap_or_default()) }
            td.wide { (linked(view, &step.subject))
                @if let Some(why) = &step.force { div { (badge("forced")) " " (record_text(view, why)) } } }
        }
    }
}
