//! The audit of a range of commits.

use maud::{Markup, html};

use super::execution::commit;
use crate::model::words::count;
use crate::ops::trail::{self, Audit, AuditedCommit};
use crate::ops::{Refusal, RefusalKind};
use crate::rules::audit::AuditSeverity;
use crate::web::forms::{self, in_words};
use crate::web::parts::{PagedLists, badge, counted, person, record_text, sentence, task as task_id};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// Rows of each kind per page.
const PAGE: usize = 500;

pub(super) fn page(view: &View<'_>) -> Result<PageContent, Refusal> {
    let range = view.query.get("range").unwrap_or_default();
    let asked: Vec<String> = if range.is_empty() { vec![] } else { vec![range.to_owned()] };
    let is_option = range.starts_with('-');
    let outcome =
        match is_option {
            true => Err(Refusal::usage(format!("`{range}` is not a range"))
                .hint("a range is, for example, main..topic")),
            false => trail::audit(view.session, &asked),
        };
    let body = html! {
        h1 { "Audit" }
        @if !view.is_export() {
            form.filters method="get" action=(view.href(&Place::Audit)) {
                label.grow { "Commits" input type="text" name="range" value=(range) placeholder="since the first execution, or A..B"; }
                button type="submit" { "Audit" }
            }
        }
        @match &outcome {
            Ok(done) => (shown(view, &done.view)),
            Err(refusal) if refusal.kind == RefusalKind::Nothing => p.quiet { (sentence(view, &refusal.message)) },
            Err(refusal) => (forms::refused(view, refusal)),
        }
    };
    Ok(PageContent::new("Audit", body))
}

fn shown(view: &View<'_>, audit: &Audit) -> Markup {
    let lists = PagedLists::asked(view);
    let findings = lists.first_slice(&audit.findings, PAGE);
    // The latest first.
    let commits = lists.last_slice(&audit.commits, PAGE);
    let verdict = if audit.findings.is_empty() {
        "no problems found"
    } else if audit.is_at_fault() {
        "errors"
    } else {
        "no errors"
    };
    html! {
        p { code { (audit.range) } ": " (audit.bound_count) " of " (count(audit.commit_count, "commit")) " linked, "
            (audit.evidenced_count) " of " (count(audit.task_count, "task")) " with evidence. "
            (badge(verdict)) }
        @if !findings.is_empty() {
            (counted("Findings", audit.findings.len()))
            ul.rows.findings {
                @for it in findings {
                    li {
                        (badge(match it.severity { AuditSeverity::Fault => "error", AuditSeverity::Note => "note" })) " "
                        @if let Some(hash) = &it.commit { (commit(view, hash)) " " }
                        @if let Some(id) = &it.issue_id { (view.id(&Place::Issue(id.clone()), id.as_str())) " " }
                        (sentence(view, &it.message))
                        @for remedy in &it.remedies { div.quiet { (in_words(view, remedy)) } }
                    }
                }
            }
        }
        @if !commits.is_empty() {
            (counted("Commits", audit.commits.len()))
            div.scroll tabindex="0" role="region" aria-label="commits" {
                table {
                    thead { tr { th { "Commit" } th.wide { "Subject" } th { "Author" } th { "Plan" } th { "Review" } th { "Checks" } } }
                    tbody { @for it in commits.iter().rev() { (row(view, it)) } }
                }
            }
        }
        (lists.costly_pager(view, "git wf audit"))
    }
}

fn row(view: &View<'_>, it: &AuditedCommit) -> Markup {
    html! {
        tr {
            td { (commit(view, &it.hash)) @if it.on_no_branch { " " (badge("on no branch")) } }
            td.wide { (record_text(view, &it.subject)) }
            td { (person(it.author.as_str())) }
            td {
                @for bound in &it.bound_to {
                    div { (view.id(&Place::Issue(bound.issue_id.clone()), bound.issue_id.as_str()))
                        @if let Some(task) = &bound.task_id { " " (task_id(view, &bound.solution_id, task)) } }
                }
                @if it.bound_to.is_empty() && !it.is_merge { (badge("no plan")) }
            }
            td { @for bound in &it.bound_to { div { (bound.review.map_or("not reviewed", |it| it.as_str())) } } }
            td { @for bound in &it.bound_to { div { (bound.checks_passed) " of " (bound.check_count) } } }
        }
    }
}
