//! The differences between a plan and another, or an earlier version of it.

use maud::html;

use crate::model::{SolutionId, TaskId};
use crate::ops::Refusal;
use crate::ops::plans::{self, Diff};
use crate::rules::FieldChange;
use crate::web::forms;
use crate::web::parts::{changes, record_text, task as task_link, when};
use crate::web::place::Place;
use crate::web::view::{PageContent, View};

pub(super) fn page(view: &View<'_>, id: &SolutionId) -> Result<PageContent, Refusal> {
    let input = Diff {
        from: view.query.get("from").unwrap_or(id.as_str()).to_owned(),
        to: view.query.get("to").map(str::to_owned),
        since: view.query.get("since").map(str::to_owned),
    };
    let outcome = plans::diff(view.session, &input);
    let title = format!("Changes of {id}");
    let body = html! {
        h1 { "Changes of " (view.id(&Place::Plan(id.clone()), id.as_str())) }
        @if !view.is_export() { form.filters method="get" action=(view.href(view.place)) {
            label { "From" input type="text" name="from" value=(input.from); }
            label { "To" input type="text" name="to" value=[input.to.as_ref()] placeholder="the plan as it is"; }
            label { "Or since" input type="text" name="since" value=[input.since.as_ref()] placeholder="a date (UTC) or a commit"; }
            button type="submit" { "Compare" }
        }
        p.quiet { "A plan, or an earlier version such as " code { (id) "@{1}" } "." } }
        @match &outcome {
            Err(refusal) => (forms::refused(view, refusal)),
            Ok(done) => {
                @let diff = &done.view;
                p {
                    @for (n, side) in [&diff.from, &diff.to].iter().enumerate() {
                        @if n > 0 { " → " }
                        (view.id(&Place::Plan(side.solution_id.clone()), side.solution_id.as_str())) " "
                        span.quiet { (when(view, side.at)) }
                    }
                }
                @if diff.changes.is_empty() {
                    @let is_first = input.to.is_none() && input.since.is_none() && diff.from.at == diff.to.at;
                    p.quiet { @if is_first { "The plan has not changed since it was added." } @else { "The plans are the same." } }
                }
                @let of = |task: Option<&str>| -> Vec<FieldChange> {
                    let own = diff.changes.iter().filter(|it| it.task_id.as_ref().map(TaskId::as_str) == task);
                    own.map(|it| it.change.clone()).collect()
                };
                (changes(view, &of(None)))
                @for (task, title) in &diff.titles {
                    @let own = of(Some(task));
                    @if !own.is_empty() {
                        h2 { (task_link(view, &diff.to.solution_id, task)) " " (record_text(view, title)) }
                        (changes(view, &own))
                    }
                }
            }
        }
    };
    Ok(PageContent::new(title, body))
}
