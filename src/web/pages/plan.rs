//! A plan, its reviews, and the form to review it.

use maud::{Markup, html};

use crate::model::id::SolutionId;
use crate::model::review::Review;
use crate::model::words::count;
use crate::ops::Refusal;
use crate::ops::plans::{self, SolutionView};
use crate::web::forms::PageForm;
use crate::web::layout::one;
use crate::web::parts::{
    PagedLists, Shown, badge, counted, fact, file, linked, person, plan_body, reviewed, when, withdrawn,
};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

/// Reviews per page.
const REVIEWS: usize = 50;
/// The most findings of a review.
const MOST_FINDINGS: usize = 200;

pub(super) fn page(view: &View<'_>, id: &SolutionId) -> Result<PageContent, Refusal> {
    let version = view.query.number("version");
    let text = version.map_or_else(|| id.to_string(), |number| format!("{id}@{{{number}}}"));
    let plan = view.kept(view.place, || Ok(plans::show(view.session, &text)?.view))?;
    let lists = PagedLists::asked(view);
    let body = html! {
        div.heading {
            h1 { span.id { (plan.id) } }
            p {
                @if plan.is_bound { (badge("bound")) " " }
                (withdrawn(plan.withdrawn.as_deref()))
                (reviewed(&plan.standing))
                @if let Some(number) = version { " " span.quiet { "as it was " (number) " changes ago" } }
            }
        }
        div.columns.main-aside {
            div {
                @if let Some(why) = &plan.withdrawn { p.notices role="status" { "Withdrawn, so nobody executes it: " (linked(view, why)) } }
                @if lists.is_first() {
                    h2 { "Plan" }
                    (plan_body(view, Shown { plan: &plan.typed, key: "", is_brief: false }))
                }
                (reviews(view, &lists, &plan))
                (lists.pager(view))
            }
            aside aria-label="facts" {
                dl.facts {
                    (fact("issue", Some(view.id(&Place::Issue(plan.issue_id.clone()), plan.issue_id.as_str()))))
                    (fact("planned by", Some(person(plan.author.as_str()))))
                    (fact("created", Some(when(view, plan.created_at))))
                    (fact("quality", Some(html! { (format!("{:.2}", plan.quality)) @if !plan.suffices { " " (badge("too low")) } })))
                    (fact("size", Some(html! { (plan.computed_complexity) ", " (count(plan.task_count, "task")) })))
                    (fact("files", (!plan.files_touched.is_empty()).then(|| html! {
                        ul.plain { @for path in &plan.files_touched { li { (file(view, path.as_str())) } } }
                    })))
                    @if view.has(&Place::PlanDiff(plan.id.clone())) {
                        (fact("changes", Some(view.link(&Place::PlanDiff(plan.id.clone()), "since the last version"))))
                    }
                    @if !view.is_export() {
                        (fact("history", Some(html! {
                            a href=(view.href_with(&Place::History, &one("id", plan.id.as_str()))) { "what changed" }
                        })))
                    }
                }
                @if version.is_none() { (actions(view, &plan)) }
            }
        }
    };
    Ok(PageContent::new(plan.id.to_string(), body))
}

/// A review in one line.
pub(super) fn judged(view: &View<'_>, plan: &SolutionView, review: &Review) -> Markup {
    html! {
        (badge(review.verdict.as_str())) " " strong { (review.total) } " "
        (person(review.author.as_str())) " " (when(view, review.created_at))
        @if review.plan_digest != plan.plan_digest { " " (badge("of another version")) }
    }
}

fn reviews(view: &View<'_>, lists: &PagedLists, plan: &SolutionView) -> Markup {
    let shown = lists.last_slice(&plan.reviews, REVIEWS);
    html! {
        @if !shown.is_empty() {
            (counted("Reviews", plan.reviews.len()))
            @for review in shown {
                article.entry {
                    header { (judged(view, plan, review)) }
                    p.quiet { "technical " (review.scores.technical) ", risk " (review.scores.risk) ", completeness " (review.scores.completeness) }
                    @if !review.findings.is_empty() {
                        ul { @for finding in review.findings.iter().take(MOST_FINDINGS) { li { (linked(view, finding)) } } }
                        @if review.findings.len() > MOST_FINDINGS { p.quiet { "and " (review.findings.len() - MOST_FINDINGS) " more" } }
                    }
                }
            }
        }
    }
}

fn actions(view: &View<'_>, plan: &SolutionView) -> Markup {
    let (bind, review, queue) = (
        PageForm::new(view, "bind", ""),
        PageForm::new(view, "review", ""),
        PageForm::new(view, "queue-add", ""),
    );
    // If someone else has withdrawn the plan meanwhile, a refusal of that is not one of this form.
    let way = if plan.withdrawn.is_some() { "back" } else { "" };
    let withdraw = PageForm::new(view, "withdraw", way);
    html! {
        @if view.may_write() {
            h2 { "Change" }
            @if plan.is_bound {
                (queue.small(queue.hidden("issue", &plan.issue_id), "Queue it"))
            } @else if plan.withdrawn.is_none() {
                (bind.small(html! { (bind.hidden("issue", &plan.issue_id)) (bind.hidden("solution", &plan.id)) }, "Bind this plan"))
            }
            @if plan.withdrawn.is_some() {
                (withdraw.small(html! { (withdraw.hidden("solution", &plan.id)) (withdraw.hidden("back", "1")) }, "Take the withdrawal back"))
            } @else {
                details open[withdraw.is_refused()] {
                    summary { "Withdraw" }
                    (withdraw.small(html! { (withdraw.hidden("solution", &plan.id)) (withdraw.text("reason", "Reason", "")) }, "Withdraw"))
                }
            }
            h3 { "Review" }
            (review.whole(html! {
                (review.hidden("solution", &plan.id))
                (review.hidden("digest", &plan.plan_digest))
                div.scores {
                    (review.number("technical", "Technical", "", 100))
                    (review.number("risk", "Risk", "", 100))
                    (review.number("completeness", "Completeness", "", 100))
                }
                p.quiet { "0 to 100; 80 in total approves the plan." }
                (review.area("findings", "Findings, one per line", "", 4))
                (review.choice("verdict", "Verdict", &["", "approved", "concerns", "rejected"], ""))
            }, "Review"))
        }
    }
}
