//! A plan, and the form to review it.

use maud::{Markup, html};

use super::issue::history;
use crate::model::SolutionId;
use crate::ops::Refusal;
use crate::ops::plans::{self, SolutionView};
use crate::page;
use crate::web::forms::PageForm;
use crate::web::parts::linked;
use crate::web::place::Place;
use crate::web::shown::{Beside, Shown};
use crate::web::view::{PageContent, View};

pub(super) fn page(view: &View<'_>, id: &SolutionId) -> Result<PageContent, Refusal> {
    let version = view.query.number("version");
    let text = version.map_or_else(|| id.to_string(), |number| format!("{id}@{{{number}}}"));
    let plan = view.kept(view.place, || Ok(plans::show(view.session, &text)?.view))?;
    let notice = html! {
        @if let Some(number) = version { p.quiet { "The plan as it was " (number) " changes ago." } }
        @if let Some(why) = &plan.withdrawn { p.notices role="status" { "Withdrawn, so nobody executes it: " (linked(view, why)) } }
    };
    let changes = Place::PlanDiff(plan.id.clone());
    let facts = html! {
        @if view.has(&changes) { p { (view.link(&changes, "Changes since the last version")) } }
        @if !view.is_export() { p { (history(view, plan.id.as_str())) } }
        @if version.is_none() { (actions(view, &plan)) }
    };
    let beside = Beside { facts: Some(facts), notice: Some(notice), after: None };
    let body = Shown::new(view).page(&page::plan::page(&plan), &beside);
    Ok(PageContent::new(plan.id.to_string(), body))
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
                (withdraw.small(html! { (withdraw.hidden("solution", &plan.id)) (withdraw.hidden("back", "1")) }, "Undo the withdrawal"))
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
