//! What a run at work does now, and the forms that steer it and answer its questions.

use maud::{Markup, html};

use crate::model::{Choice, IssueId, SolutionId};
use crate::ops::Refusal;
use crate::ops::issues::existing;
use crate::rules::RunReport;
use crate::rules::run::IssueStage;
use crate::run::{AgentLines, OpenQuestion, RunView, RunWorkplace, WorkplaceUse};
use crate::ui::time;
use crate::web::forms::PageForm;
use crate::web::parts::{badge, one_line, record_text};
use crate::web::place::Place;
use crate::web::view::View;

/// Buttons that pause the run or let it continue, and a field for an issue to add.
pub(super) fn steering(view: &View<'_>, it: &RunView) -> Markup {
    let id = it.run.id.as_str();
    let (op, word) = if it.is_paused { ("run-resume", "Go on") } else { ("run-pause", "Pause") };
    let (moving, add) = (PageForm::new(view, op, id), PageForm::new(view, "run-add", "new"));
    html! {
        (moving.small(moving.hidden("run", id), word))
        (add.small(html! { (add.hidden("run", id)) (add.text("issue", "Issue", "")) }, "Add to the run"))
    }
}

/// The agents at work: where, on what, what they used, and what they wrote last; and those that are limited.
pub(super) fn agents(view: &View<'_>, it: &RunView, lines: &[AgentLines]) -> Markup {
    html! {
        @if !lines.is_empty() || !it.workplaces.is_empty() || !it.limited_agents.is_empty() { h2 { "Agents at work" } }
        @if !it.limited_agents.is_empty() {
            ul.rows {
                @for limited in &it.limited_agents {
                    li { (badge("limited")) " " (one_line(&limited.agent)) " until " (time::point(limited.until)) }
                }
            }
        }
        @for agent in lines {
            article.entry id=(format!("agent-{}", agent.name)) {
                header {
                    strong { (one_line(&agent.name)) }
                    @if let Some(tokens) = agent.tokens { " " span.quiet { (tokens) " tokens" } }
                }
                pre.lines { @for line in &agent.lines { (line) "\n" } }
            }
        }
        @if !it.workplaces.is_empty() {
            ul.rows { @for place in &it.workplaces { li { (workplace(view, it, place)) } } }
        }
    }
}

fn workplace(view: &View<'_>, it: &RunView, place: &RunWorkplace) -> Markup {
    let issue = &place.issue_id;
    let stop = PageForm::new(view, "run-stop", issue);
    let fields = html! { (stop.hidden("run", it.run.id.as_str())) (stop.hidden("issue", issue)) };
    html! {
        (view.id(&Place::Issue(issue.clone()), issue.as_str())) " "
        @match place.used_to {
            WorkplaceUse::Execute => "is executed",
            WorkplaceUse::Read => "is explored, planned or reviewed",
            WorkplaceUse::Test => "is tested",
        }
        @if let Some(setup) = &place.setup { ", once its setup " code { (one_line(setup)) } " has passed" }
        @if let Some(task) = &place.task_id { ", task " code { (task) } }
        " in " code { (one_line(&place.folder.to_string_lossy())) }
        @if place.used_to != WorkplaceUse::Test { (stop.small(fields, "Stop")) }
    }
}

/// What the run asks now, with a button for each answer.
pub(super) fn asked(view: &View<'_>, it: &RunView) -> Markup {
    html! {
        @if !it.questions.is_empty() { h2 { "Waiting for you" } }
        @for question in &it.questions {
            @let issue = &question.issue_id;
            article.entry {
                p { (view.id(&Place::Issue(issue.clone()), issue.as_str())) ": " (one_line(&question.question)) }
                @if question.plans.is_empty() {
                    @for choice in Choice::ALL { (answer(view, it, question, choice.as_str(), choice_words(*choice))) }
                } @else {
                    ul.rows {
                        @for plan in plans(view, issue) {
                            li {
                                (view.id(&Place::Plan(plan.id.clone()), plan.id.as_str())) " " (one_line(&plan.about)) " "
                                (answer(view, it, question, plan.id.as_str(), "Execute this plan"))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A button that gives an answer.
fn answer(view: &View<'_>, it: &RunView, question: &OpenQuestion, given: &str, words: &str) -> Markup {
    let form = PageForm::new(view, "run-answer", format!("{}-{given}", question.issue_id));
    let fields = html! {
        (form.hidden("run", it.run.id.as_str())) (form.hidden("issue", &question.issue_id)) (form.hidden("answer", given))
    };
    form.small(fields, words)
}

fn choice_words(choice: Choice) -> &'static str {
    match choice {
        Choice::Retry => "Retry",
        Choice::Skip => "Skip",
        Choice::Abort => "Abort the run",
    }
}

/// What a person can decide here while the run is at work: to try an issue again, with one of its plans if there are several.
pub(super) fn questions(view: &View<'_>, it: &RunView, report: &RunReport) -> Markup {
    let asked = report.issues.iter().filter(|issue| issue.error.is_some());
    let asked: Vec<_> = asked.filter(|issue| issue.status != IssueStage::Completed).collect();
    html! {
        @if !asked.is_empty() && view.may_write() { h2 { "Questions" } }
        @for issue in asked {
            @let plans = if issue.solution_id.is_none() { plans(view, &issue.issue_id) } else { vec![] };
            @let again = PageForm::new(view, "run-add", &issue.issue_id);
            @let fields = html! {
                (again.hidden("run", it.run.id.as_str())) (again.hidden("issue", &issue.issue_id))
                @if plans.len() > 1 { (again.choice("solution", "Plan to choose", &choices(&plans), "")) }
            };
            @if view.may_write() {
                article.entry {
                    p {
                        (view.id(&Place::Issue(issue.issue_id.clone()), issue.issue_id.as_str())) ": "
                        (record_text(view, issue.error.as_deref().unwrap_or_default()))
                    }
                    @if plans.len() > 1 {
                        ul.rows {
                            @for plan in &plans {
                                li { (view.id(&Place::Plan(plan.id.clone()), plan.id.as_str())) " " (one_line(&plan.about)) }
                            }
                        }
                    }
                    (again.small(fields, "Try again"))
                }
            }
        }
    }
}

/// A plan that a person may choose.
struct PlanToChoose {
    id: SolutionId,
    about: String,
}

/// The plans of an issue; none if it cannot be read.
fn plans(view: &View<'_>, issue: &IssueId) -> Vec<PlanToChoose> {
    let snapshot = view.session.store().snapshot();
    let Ok(folder) = snapshot.map_err(Refusal::from).and_then(|read| existing(&read, issue)) else {
        return vec![];
    };
    let plans = folder.plans().into_iter().map(|solution| {
        let plan = solution.typed_plan();
        PlanToChoose {
            id: solution.id.clone(),
            about: plan.description.or(plan.approach).unwrap_or_default(),
        }
    });
    plans.collect()
}

/// What can be chosen: nothing yet, or one of these plans.
fn choices(plans: &[PlanToChoose]) -> Vec<&str> {
    std::iter::once("").chain(plans.iter().map(|plan| plan.id.as_str())).collect()
}
