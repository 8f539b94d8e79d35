//! The list of issues with its filters, and the form for a new one.

use maud::{Markup, html};

use super::saved;
use crate::index::{Filter, SortOrder};
use crate::model::{ISSUE_FIELDS, IssueStatus, Priority, ValueKind};
use crate::ops::issues::{self, List, Total};
use crate::ops::{Refusal, RefusalKind};
use crate::page::html::capitalized;
use crate::web::forms::{self, PageForm, filter_field};
use crate::web::parts::{ListPosition, issue_table, one_line, pager, sentence};
use crate::web::place::{Place, Query};
use crate::web::view::{PageContent, View};

/// Issues per page.
const PAGE: usize = 100;

const SORTS: &[(&str, SortOrder, &str)] = &[
    ("priority", SortOrder::Priority, "most urgent first"),
    ("updated", SortOrder::Updated, "last changed first"),
    ("created", SortOrder::Created, "newest first"),
    ("status", SortOrder::Status, "by status"),
    ("title", SortOrder::Title, "by title"),
    ("closed", SortOrder::Closed, "last closed first"),
    ("id", SortOrder::Id, "by id"),
];

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let mut pages = ListPosition::asked(view, PAGE);
    let list = asked(view.query, view.is_export(), pages);
    let is_by_closing = list.as_ref().is_ok_and(|list| list.sort == SortOrder::Closed);
    let is_of_open = list.as_ref().is_ok_and(List::is_of_open);
    let (found, refused) = match list {
        Ok(list) => match view.kept(view.place, || Ok(issues::rows(view.session, &list)?.view)) {
            Ok(found) => (Some(found), None),
            Err(refusal) if refusal.kind == RefusalKind::Usage => (None, Some(refusal)),
            Err(refusal) => return Err(refusal),
        },
        Err(refusal) => (None, Some(refusal)),
    };
    pages.total = found.as_ref().and_then(|found| found.total).map_or(0, Total::number);
    let rows = found.as_ref().map(|found| {
        if view.is_export() {
            found.rows.chunks(PAGE).nth(pages.page - 1).unwrap_or_default()
        } else {
            &found.rows[..]
        }
    });
    let body = html! {
        div.heading {
            h1 { "Issues " span.count { (pages.total) } }
            @if view.may_write() { a.button href=(view.href(&Place::NewIssue)) { "New issue" } }
        }
        @if !view.is_export() {
            @let saved = saved::all(view.session)?;
            @if !saved.is_empty() {
                div.saved {
                    "Saved: "
                    @for (name, query) in saved.iter().filter_map(|saved| Some((&saved.name, saved.query.as_ref().ok()?))) {
                        a.tag href=(view.href_with(&Place::Issues, query)) aria-current=[(query == view.query).then_some("true")] { "@" (name) } " "
                    }
                    @for (name, refusal) in saved.iter().filter_map(|saved| Some((&saved.name, saved.query.as_ref().err()?))) {
                        div { "@" (one_line(name)) " cannot be read: " (sentence(view, &refusal.message)) }
                    }
                }
            }
            (filters(view))
        }
        @if let Some(refusal) = &refused { (forms::refused(view, refusal)) }
        @if is_by_closing && is_of_open {
            p.quiet {
                "Only open issues are listed, and they have no closing time. "
                a href=(view.href_with(&Place::Issues, &view.query.clone().and("all", "1"))) { "Include closed issues" }
            }
        }
        @if let Some(rows) = rows {
            @if rows.is_empty() { p.quiet { "No issue matches." } } @else { (issue_table(view, "issues", rows, is_by_closing)) }
            (pager(view, pages))
        }
    };
    Ok(PageContent::new("Issues", body))
}

/// Parses a query. `is_whole` includes issues that are done, and those of all pages.
pub(super) fn asked(query: &Query, is_whole: bool, pages: ListPosition) -> Result<List, Refusal> {
    for option in issues::LIST_OPTIONS.iter().filter(|option| option.selects && !option.repeats) {
        let name = saved::parameter(option);
        if query.all(&name).count() > 1 {
            return Err(Refusal::usage(format!("`{name}` {}", issues::GIVEN_TWICE)).hint("give one of them"));
        }
    }
    let list = filtered(query)?;
    let sort = query.get("sort").map(sort_order).transpose()?;
    Ok(List {
        counts: true,
        filter: Filter { all: is_whole || list.filter.all, ..list.filter },
        sort: sort.unwrap_or(SortOrder::Priority),
        offset: if is_whole { 0 } else { pages.offset() },
        limit: (!is_whole).then_some(pages.size),
        ..list
    })
}

fn sort_order(word: &str) -> Result<SortOrder, Refusal> {
    // A saved query can name the time itself: `closed_at`.
    let name = match word {
        "created_at" => "created",
        "updated_at" => "updated",
        "closed_at" => "closed",
        _ => word,
    };
    match SORTS.iter().find(|(known, ..)| *known == name) {
        Some((_, order, _)) => Ok(*order),
        None => {
            let words: Vec<&str> = SORTS.iter().map(|(known, ..)| *known).collect();
            Err(Refusal::usage(format!("`{word}` is not a sort order"))
                .hint(format!("expected {}", words.join(", "))))
        }
    }
}

/// The filters of a query.
pub(super) fn filtered(query: &Query) -> Result<List, Refusal> {
    let mut list = List::default();
    for option in issues::LIST_OPTIONS.iter().filter(|option| option.filters()) {
        for value in query.all(&saved::parameter(option)) {
            list.add(option, value)?;
        }
    }
    Ok(list)
}

/// The text filters that are folded away, each with its label.
const MORE_FIELDS: &[(&str, &str)] = &[
    ("parent", "Part of"),
    ("component", "Component"),
    ("author", "Author"),
    ("since", "Created since"),
    ("until", "Created until"),
    ("closed_since", "Closed since"),
    ("closed_until", "Closed until"),
    ("wave", "Wave"),
];

/// The filters that are on or off.
const MORE_CHECKS: &[(&str, &str)] = &[
    ("mine", "assigned to you"),
    ("unblocked", "not waiting for other work"),
    ("waiting", "waiting for other work"),
    ("planned", "has a plan"),
    ("ready", "ready to be claimed"),
    ("unlanded", "completed, not landed"),
];

fn filters(view: &View<'_>) -> Markup {
    let query = view.query;
    let has = |name: &str, value: &str| query.all(name).any(|given| given == value);
    let is_more_open = MORE_FIELDS.iter().chain(MORE_CHECKS).any(|(name, _)| query.get(name).is_some());
    html! {
        form.filters method="get" action=(view.href(&Place::Issues)) role="search" aria-label="filters" {
            label.grow { "Text" input type="search" name="q" value=[query.get("q")]; }
            label { "Status"
                select name="status" {
                    option value="" { "open" }
                    @for status in IssueStatus::ALL {
                        option value=(status) selected[has("status", status.as_str())] { (status) }
                    }
                }
            }
            @for field in &ISSUE_FIELDS {
                @if let ValueKind::Choice { words, .. } = field.values {
                    label { (capitalized(field.word))
                        select name=(field.word) {
                            option value="" { "any" }
                            @for word in words { option value=(word) selected[has(field.word, word)] { (word) } }
                        }
                    }
                } @else {
                    (filter_field(query, field.word, &capitalized(field.word)))
                }
            }
            (filter_field(query, "tag", "Tags"))
            label { "Order"
                select name="sort" {
                    @for (name, _, words) in SORTS {
                        option value=(name) selected[has("sort", name)] { (words) }
                    }
                }
            }
            label.check { input type="checkbox" name="all" value="1" checked[query.get("all").is_some()]; "include closed" }
            button type="submit" { "Show" }
            details open[is_more_open] {
                summary { "More filters" }
                div.filters {
                    @for (name, label) in MORE_FIELDS { (filter_field(query, name, label)) }
                    @for (name, label) in MORE_CHECKS {
                        label.check { input type="checkbox" name=(name) value="1" checked[query.get(name).is_some()]; (label) }
                    }
                }
            }
            @if !query.is_empty() { a href=(view.href(&Place::Issues)) { "Clear" } }
        }
    }
}

/// The form for a new issue.
pub(super) fn new(view: &View<'_>) -> Result<PageContent, Refusal> {
    let form = PageForm::new(view, "new", "");
    let body = html! {
        h1 { "New issue" }
        @if !view.may_write() { p { "This server is read-only." } } @else {
            (form.whole(html! {
                (form.text("title", "Title", ""))
                (form.area("text", "Description, in Markdown", "", 10))
                @for field in &ISSUE_FIELDS {
                    (form.issue_field(field, if field.name == "priority" { Priority::default().name() } else { "" }))
                }
                (form.text("tags", "Tags, separated by commas", ""))
                (form.text("depends_on", "Depends on: ids, separated by commas", ""))
            }, "Create"))
        }
    };
    Ok(PageContent::new("New issue", body))
}
