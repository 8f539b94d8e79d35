//! The pages, one file for each subject.

mod audit;
mod board;
mod commit;
mod conflicts;
mod execution;
mod executions;
mod file;
mod go;
mod history;
mod issue;
mod issues;
mod overview;
mod plan;
mod plan_diff;
mod queue;
mod roadmap;
mod run;
mod run_live;
mod saved;
mod step;

pub(super) use go::go;
pub(super) use history::PAGE as STEPS_ON_A_PAGE;
pub(super) use queue::item;

use super::layout::with_notices;
use super::place::Place;
use super::view::{PageContent, View};
use crate::model::Code;
use crate::ops::Refusal;

/// The content of a page.
///
/// # Errors
/// The refusals of its operations.
pub(super) fn content(view: &View<'_>) -> Result<PageContent, Refusal> {
    let content = match view.place {
        Place::Overview => overview::page(view),
        Place::Issues => issues::page(view),
        Place::NewIssue => issues::new(view),
        Place::Issue(id) => issue::page(view, id),
        Place::Plan(id) => plan::page(view, id),
        Place::PlanDiff(id) => plan_diff::page(view, id),
        Place::Board => board::page(view),
        Place::Queues => queue::all(view),
        Place::Queue(id) => queue::one(view, id),
        Place::Executions => executions::page(view),
        Place::Execution(id) => execution::page(view, id),
        Place::Runs => run::all(view),
        Place::Run(id) => run::one(view, id),
        Place::Commit(hash) => commit::page(view, hash),
        Place::Files => file::choose(view),
        Place::File(path) => file::page(view, path),
        Place::Audit => audit::page(view),
        Place::Conflicts => conflicts::page(view),
        Place::Roadmaps => roadmap::all(view),
        Place::Roadmap(id) => roadmap::one(view, id),
        Place::History => history::page(view),
        Place::Step(hash) => step::page(view, hash),
        Place::Text(..) | Place::Go | Place::Search => Err(no_page("there is no such page")),
    };
    content.map(|content| with_notices(view, content))
}

/// The refusal of a page that is not there.
pub(super) fn no_page(what: impl Into<String>) -> Refusal {
    Refusal::new(Code::NotFound, what).hint("search for it, or start from the overview")
}

/// The text of a page that is plain text.
///
/// # Errors
/// `not-found` for any other page.
pub(super) fn text(view: &View<'_>) -> Result<String, Refusal> {
    match view.place {
        Place::Text(id, entry) => issue::text(view, id, entry.as_ref()),
        _ => Err(no_page("there is no such text")),
    }
}
