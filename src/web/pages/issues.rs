//! The list of issues with its filters, and the form for a new one.

use maud::{Markup, html};

use super::saved;
use crate::index::{Filter, SortOrder};
use crate::model::{IssueStatus, Priority};
use crate::ops::issues::{self, List, Total};
use crate::ops::{Refusal, RefusalKind};
use crate::web::forms::{self, PageForm};
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
    pages.total = found.as_ref().and_then(|it| it.total).map_or(0, Total::number);
    let rows = found.as_ref().map(|it| {
        if view.is_export() {
            it.rows.chunks(PAGE).nth(pages.page - 1).unwrap_or_default()
        } else {
            &it.rows[..]
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
                    @for (name, query) in saved.iter().filter_map(|it| Some((&it.name, it.query.as_ref().ok()?))) {
                        a.tag href=(view.href_with(&Place::Issues, query)) aria-current=[(query == view.query).then_some("true")] { "@" (name) } " "
                    }
                    @for (name, refusal) in saved.iter().filter_map(|it| Some((&it.name, it.query.as_ref().err()?))) {
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
    let text = |name: &str| query.get(name).map(str::to_owned);
    let words = |name: &'static str| -> Vec<String> {
        let all = query.all(name).flat_map(|value| value.split(','));
        all.map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let statuses = words("status").into_iter().map(|word| {
        IssueStatus::asked(&word).ok_or_else(|| {
            Refusal::usage(format!("`{word}` is not a status")).hint("choose one in the filter")
        })
    });
    let priorities = words("priority").into_iter().map(|word| {
        Priority::parse(&word).ok_or_else(|| {
            Refusal::usage(format!("`{word}` is not a priority")).hint("choose one in the filter")
        })
    });
    let wave = text("wave").map(|word| {
        word.parse().map_err(|_| {
            Refusal::usage(format!("`{word}` is not the number of a wave")).hint("waves are counted from 1")
        })
    });
    let filter = Filter {
        statuses: statuses.collect::<Result<_, _>>()?,
        all: is_whole || query.get("all").is_some(),
        tags: words("tag"),
        components: words("component"),
        priorities: priorities.collect::<Result<_, _>>()?,
        assignee: text("assignee"),
        author: text("author"),
        wave: wave.transpose()?,
        types: words("type").iter().map(|it| it.to_lowercase()).collect(),
        unblocked: query.get("unblocked").is_some(),
        waiting: query.get("waiting").is_some(),
        has_solution: query.get("planned").is_some(),
        has_execution: false,
        ready: query.get("ready").is_some(),
        unlanded: query.get("unlanded").is_some(),
        search: text("q"),
        ..Filter::default()
    };
    let sort = query.get("sort").map(|word| {
        let words: Vec<&str> = SORTS.iter().map(|it| it.0).collect();
        // A saved query can name the time itself: `closed_at`.
        let name = match word {
            "created_at" => "created",
            "updated_at" => "updated",
            "closed_at" => "closed",
            _ => word,
        };
        SORTS.iter().find(|it| it.0 == name).ok_or_else(|| {
            Refusal::usage(format!("`{word}` is not a sort order"))
                .hint(format!("expected {}", words.join(", ")))
        })
    });
    let sort = sort.transpose()?;
    Ok(List {
        counts: true,
        filter,
        since: text("since"),
        parent: text("parent"),
        mine: query.get("mine").is_some(),
        until: text("until"),
        closed_since: text("closed_since"),
        closed_until: text("closed_until"),
        sort: sort.map_or(SortOrder::Priority, |it| it.1),
        offset: if is_whole { 0 } else { pages.offset() },
        limit: (!is_whole).then_some(pages.size),
    })
}

fn filters(view: &View<'_>) -> Markup {
    let query = view.query;
    let has = |name: &str, value: &str| query.all(name).any(|it| it == value);
    let field = |name: &str, label: &str| {
        html! { label { (label) input type="text" name=(name) value=[query.get(name)]; } }
    };
    let more = [
        "type",
        "parent",
        "component",
        "author",
        "since",
        "until",
        "closed_since",
        "closed_until",
        "wave",
        "mine",
        "unblocked",
        "waiting",
        "planned",
        "ready",
        "unlanded",
    ];
    let check = |name: &str, label: &str| {
        html! {
            label.check { input type="checkbox" name=(name) value="1" checked[query.get(name).is_some()]; (label) }
        }
    };
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
            label { "Priority"
                select name="priority" {
                    option value="" { "any" }
                    @for number in 1..=5 {
                        @if let Some(it) = Priority::new(number) {
                            option value=(it.name()) selected[has("priority", it.name())] { (it.name()) }
                        }
                    }
                }
            }
            (field("tag", "Tags"))
            (field("assignee", "Assignee"))
            label { "Order"
                select name="sort" {
                    @for (name, _, words) in SORTS {
                        option value=(name) selected[has("sort", name)] { (words) }
                    }
                }
            }
            label.check { input type="checkbox" name="all" value="1" checked[query.get("all").is_some()]; "include closed" }
            button type="submit" { "Show" }
            details open[more.iter().any(|name| query.get(name).is_some())] {
                summary { "More filters" }
                div.filters {
                    (field("type", "Type"))
                    (field("parent", "Part of"))
                    (field("component", "Component"))
                    (field("author", "Author"))
                    (field("since", "Created since"))
                    (field("until", "Created until"))
                    (field("closed_since", "Closed since"))
                    (field("closed_until", "Closed until"))
                    (field("wave", "Wave"))
                    (check("mine", "assigned to you"))
                    (check("unblocked", "not waiting for other issues"))
                    (check("waiting", "waiting for other issues"))
                    (check("planned", "has a plan"))
                    (check("ready", "ready to be claimed"))
                    (check("unlanded", "completed, not landed"))
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
                (form.choice("priority", "Priority", &["critical", "high", "medium", "low", "trivial"], "medium"))
                (form.text("tags", "Tags, separated by commas", ""))
                (form.text("depends_on", "Depends on: ids, separated by commas", ""))
                (form.text("assignee", "Assignee", ""))
            }, "Create"))
        }
    };
    Ok(PageContent::new("New issue", body))
}
