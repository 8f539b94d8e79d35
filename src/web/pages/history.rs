//! The history of the store, newest change first.

use maud::html;

use crate::ops::Refusal;
use crate::ops::trail::{self, LogInput};
use crate::store::HistoryStep;
use crate::web::forms;
use crate::web::parts::{ListPosition, badge, linked, one_line, person, record_text, when};
use crate::web::place::{Hex, Place};
use crate::web::view::{PageContent, View};

/// Changes per page.
pub(in crate::web) const PAGE: usize = 100;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let pages = ListPosition::asked(view, PAGE);
    let text = |name: &str| view.query.get(name).map(str::to_owned);
    let words = |name: &str| -> Vec<String> { view.query.all(name).map(str::to_owned).collect() };
    let input = LogInput {
        id: text("id"),
        with_changes: false,
        // One more shows whether there is another page.
        limit: Some(PAGE + 1),
        offset: pages.offset(),
        since: text("since"),
        until: text("until"),
        authors: words("author"),
        operations: words("op"),
        roles: words("role"),
    };
    let outcome = trail::log(view.session, &input)
        .and_then(|done| done.view.collect::<Result<Vec<HistoryStep>, Refusal>>());
    let field = |name: &str, label: &str| {
        html! { label { (label) input type="text" name=(name) value=[view.query.get(name)]; } }
    };
    let body = html! {
        h1 { "History" }
        @if !view.is_export() {
            form.filters method="get" action=(view.href(&Place::History)) {
                (field("id", "Record")) (field("author", "By")) (field("op", "Operation")) (field("role", "Role"))
                (field("since", "Since")) (field("until", "Until"))
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
                            @for step in steps.iter().take(PAGE) {
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
