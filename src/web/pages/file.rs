//! A file of the project, with the reason for every line beside it.

use maud::{Markup, html};

use crate::ops::Refusal;
use crate::ops::trail::{self, AskedLines, Explained};
use crate::web::forms;
use crate::web::pages::no_page;
use crate::web::parts::{person, record_text, task as task_id};
use crate::web::place::{FilePath, Place};
use crate::web::shown::commit;
use crate::web::view::{ExportState, PageContent, RenderTarget, View};

/// Maximum lines on a page.
const PAGE: u64 = 2_000;

/// The form to choose a file.
pub(super) fn choose(view: &View<'_>) -> Result<PageContent, Refusal> {
    if let Some(path) = view.query.get("path").and_then(|path| FilePath::parse(path.trim_matches('/'))) {
        return page(view, &path);
    }
    if let RenderTarget::Files(export) = view.target {
        return Ok(exported(view, export));
    }
    let refused = view.query.get("path").map(|path| {
        Refusal::usage(format!("`{path}` is not a path from the top of the repository"))
            .hint("a path is, for example, src/main.rs")
    });
    let body = html! {
        h1 { "Files" }
        form.filters method="get" action=(view.href(&Place::Files)) {
            label.grow { "Path from the top of the repository" input type="text" name="path" value=[view.query.get("path")]; }
            button type="submit" { "Explain its lines" }
        }
        @if let Some(refusal) = &refused { (forms::refused(view, refusal)) }
        p.quiet { "Every line of a file with the commit, the plan and the issue that caused it." }
    };
    Ok(PageContent::new("Files", body))
}

/// The files of an export.
fn exported(view: &View<'_>, export: &ExportState) -> PageContent {
    let body = html! {
        h1 { "Files" }
        p.quiet { "Every line of a file with the commit, the plan and the issue that caused it. These are files that plans name." }
        ul.rows { @for path in &export.files { li { a.id href=(view.href(&Place::File(path.clone()))) { (path.as_str()) } } } }
        @if export.files.is_empty() { p.quiet { "No plan names a file of the current commit." } }
        @if export.leaves_out.files { p.quiet { "There are more; " code { "git wf why FILE" } " explains each." } }
    };
    PageContent::new("Files", body)
}

pub(super) fn page(view: &View<'_>, path: &FilePath) -> Result<PageContent, Refusal> {
    let Some(top) = view.session.store().work_dir() else {
        return Err(no_page("this repository has no work tree, so it has no files to explain"));
    };
    let first = view.query.get("from").and_then(|text| text.parse().ok()).unwrap_or(1_u64).max(1);
    let page = page_size(view);
    let lines = Some(first..=first.saturating_add(page - 1));
    let asked = AskedLines { here: top, file: path.as_str().to_owned(), lines };
    // If the range cannot be explained, such as one past the end of the file, all lines are shown.
    let why = match trail::why(view.session, &asked) {
        Ok(done) => done.view,
        Err(_) => trail::why(view.session, &AskedLines { lines: None, ..asked })?.view,
    };
    let last = why.spans.last().map_or(0, |span| span.last_line);
    let body = html! {
        div.heading {
            h1 { code { (path.as_str()) } }
            p.quiet { (why.planned_line_count) " of " (lines_of(why.line_count)) " from a plan" }
        }
        div.scroll tabindex="0" role="region" aria-label="lines with their reasons" {
            table.code {
                thead { tr { th { "Line" } th { "Text" } th { "Commit" } th { "Why" } } }
                @for span in &why.spans { (explained(view, span)) }
            }
        }
        @if last > 0 && last + 1 > page && why.line_count >= page {
            nav.pager aria-label="more of this file" {
                a href=(view.href_with(view.place, &view.query.with("from", last + 1))) { "the next lines →" }
            }
        }
    };
    Ok(PageContent::new(path.as_str(), body))
}

/// `1 line`, `2 lines`.
fn lines_of(number: u64) -> String {
    if number == 1 { "1 line".into() } else { format!("{number} lines") }
}

/// How many lines a page shows. A file of an export is one page.
fn page_size(view: &View<'_>) -> u64 {
    if view.is_export() { 20 * PAGE } else { PAGE }
}

fn explained(view: &View<'_>, span: &Explained) -> Markup {
    let count = span.lines.len().max(1);
    html! {
        tbody {
            @for (n, text) in span.lines.iter().enumerate() {
                @let number = span.first_line + n as u64;
                tr id=(format!("L{number}")) {
                    td.number { a href=(format!("#L{number}")) { (number) } }
                    td.line { (super::super::parts::cut(text, 2_000).0) }
                    @if n == 0 {
                        td.who rowspan=(count) { (cause(view, span)) }
                        td.why rowspan=(count) { (reason(view, span)) }
                    }
                }
            }
        }
    }
}

fn cause(view: &View<'_>, span: &Explained) -> Markup {
    html! {
        @match &span.commit {
            None => span.quiet { "not committed" },
            Some(it) => { (commit(view, it.hash.as_str())) " " (person(it.author.as_str())) }
        }
    }
}

fn reason(view: &View<'_>, span: &Explained) -> Markup {
    html! {
        @for origin in &span.origins {
            div {
                (view.id(&Place::Issue(origin.issue_id.clone()), origin.issue_id.as_str())) " " (record_text(view, &origin.issue_title))
                @if let Some(task) = &origin.task_id {
                    " · " (task_id(view, &origin.solution_id, task))
                    @if let Some(title) = &origin.task_title { " " (record_text(view, title)) }
                }
            }
        }
        @if span.origins.is_empty() && let Some(it) = &span.commit { span.quiet { (record_text(view, &it.subject)) } }
    }
}
