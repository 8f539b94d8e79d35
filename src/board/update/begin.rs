//! Starts actions on the selected issue: at once, or after a menu or form.

use super::ask_plans;
use crate::board::act::{BoardAct, Deed};
use crate::board::event::{BoardEffect, RefusedText};
use crate::board::model::Model;
use crate::board::overlay::{ChoiceOutcome, Choosing, Menu, MenuPlan, Overlay, OverlayNote, Purpose, Sent};
use crate::model::{IssueStatus, Op, Priority};
use crate::rules::By;
use crate::rules::transitions::{TRANSITIONS, Transition};

/// Starts an action, unless another is in progress.
pub(super) fn act(model: &mut Model, deed: Deed) -> Vec<BoardEffect> {
    if let Some(busy) = &model.busy {
        model.said = Some(format!("still {busy}"));
        return vec![];
    }
    model.busy = Some(deed.words());
    if let Some(sent) = model.overlay.as_mut().and_then(Overlay::sent) {
        *sent = Sent { is_awaited: true, refusal: None };
    }
    vec![BoardEffect::Act(deed)]
}

/// The selected issue; without one, a message says so.
fn selected(model: &mut Model) -> Option<(String, IssueStatus)> {
    let found = model.selected();
    if found.is_none() {
        model.said = Some("no issue is selected".into());
    }
    found
}

/// Asks for the title of a new issue.
pub(super) fn create(model: &mut Model) -> Vec<BoardEffect> {
    follow(model, ChoiceOutcome::Fill(Purpose::Create))
}

/// Opens a menu of the priorities.
pub(super) fn priority(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    let now = model.selected_row().map(|row| row.priority);
    let all: Vec<Priority> = (1..=5).filter_map(Priority::new).collect();
    let at = all.iter().position(|priority| Some(*priority) == now).unwrap_or_default();
    let entries = all.into_iter().map(|priority| {
        let act = BoardAct::Priority(priority);
        (priority.name().to_owned(), ChoiceOutcome::Do(Deed { issue: issue.clone(), act }))
    });
    let entries = entries.collect();
    let title = format!("set the priority of {issue}");
    model.overlay = Some(Overlay::Menu(Menu { title, entries, at, sent: Sent::default() }));
    vec![]
}

/// Opens a menu of the legal moves.
pub(super) fn moves(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, status)) = selected(model) else { return vec![] };
    let entries = moves_of(&issue, status, None);
    if entries.is_empty() {
        let hint = "`git wf done` and `git wf fail` end an execution, in the worktree that executes it";
        let refused = RefusedText::new(format!("the board cannot move {issue}, which is {status}"), hint);
        model.overlay = Some(Overlay::Note(OverlayNote::new(format!("move {issue}"), refused.lines())));
        return vec![];
    }
    model.overlay = Some(menu(format!("move {issue} ({status})"), entries));
    vec![]
}

fn menu(title: String, entries: Vec<(String, ChoiceOutcome)>) -> Overlay {
    Overlay::Menu(Menu { title, entries, at: 0, sent: Sent::default() })
}

/// The legal moves that the board can make, or only those to the status `to`.
fn moves_of(issue: &str, from: IssueStatus, to: Option<IssueStatus>) -> Vec<(String, ChoiceOutcome)> {
    let meant = TRANSITIONS.iter().filter(|transition| {
        transition.from.contains(&from) && to.is_none_or(|to| transition.to.contains(&to))
    });
    meant.filter_map(|transition| Some((words(transition)?, choice(issue, transition.by)?))).collect()
}

/// The entry of a transition in a menu; `None` if the board does not make it.
fn words(transition: &Transition) -> Option<String> {
    let verb = verb(transition.by)?;
    Some(match (transition.by, transition.to) {
        (By::Status(_), _) => verb,
        (_, [to]) => format!("{verb}: {to}"),
        (_, [one, other]) => format!("{verb}: {one} or {other}"),
        // The resulting status depends on what was done before.
        _ => verb,
    })
}

/// What a transition is called in a menu; `None` if the board does not make it.
fn verb(by: By) -> Option<String> {
    let words = match by {
        By::Status(status) => return Some(format!("set to {status}")),
        By::Op(Op::Close) => "close",
        By::Op(Op::Reopen) => "reopen",
        By::Op(Op::Bind) => "bind a plan",
        By::Op(Op::Next) => "claim",
        By::Op(Op::Unbind) => "unbind the plan",
        By::Op(Op::QueueAdd) => "queue",
        By::Op(Op::QueueRemove) => "remove from the queue",
        By::Op(Op::LeaseRelease) => "release the claim",
        By::Op(Op::Retry) => "try again",
        By::Op(_) => return None,
    };
    Some(words.to_owned())
}

/// How the board makes a transition; `None` if it needs more than the board has, such as a plan or the work tree.
fn choice(issue: &str, by: By) -> Option<ChoiceOutcome> {
    let id = issue.to_owned();
    let act = match by {
        By::Op(Op::Close) => return Some(ChoiceOutcome::Fill(Purpose::Close(id))),
        By::Op(Op::Reopen) => return Some(ChoiceOutcome::Fill(Purpose::Reopen(id))),
        By::Op(Op::Bind) => return Some(ChoiceOutcome::Plans(id, Choosing::Bind)),
        By::Op(Op::Next) => return Some(ChoiceOutcome::Claim(id)),
        By::Status(status) => BoardAct::Status(status),
        By::Op(Op::Unbind) => BoardAct::Unbind,
        By::Op(Op::QueueAdd) => BoardAct::Queue,
        By::Op(Op::QueueRemove) => BoardAct::Unqueue,
        By::Op(Op::LeaseRelease) => BoardAct::Release,
        By::Op(Op::Retry) => BoardAct::Retry,
        By::Op(_) => return None,
    };
    Some(ChoiceOutcome::Do(Deed { issue: id, act }))
}

/// Moves an issue to a status, as by dragging it: at once if there is only one way, otherwise after a menu.
pub(super) fn move_to(
    model: &mut Model,
    issue: &str,
    from: IssueStatus,
    to: IssueStatus,
) -> Vec<BoardEffect> {
    let mut ways = moves_of(issue, from, Some(to));
    match ways.len() {
        0 => {
            let hint = "`m` shows what can be done with it";
            let refused =
                RefusedText::new(format!("the board cannot move {issue} from {from} to {to}"), hint);
            model.overlay = Some(Overlay::Note(OverlayNote::new(format!("move {issue}"), refused.lines())));
            vec![]
        }
        1 => {
            let (_, choice) = ways.remove(0);
            follow(model, choice)
        }
        _ => {
            model.overlay = Some(menu(format!("move {issue} to {to}"), ways));
            vec![]
        }
    }
}

/// Carries out a choice.
pub(super) fn follow(model: &mut Model, choice: ChoiceOutcome) -> Vec<BoardEffect> {
    match choice {
        ChoiceOutcome::Do(deed) => act(model, deed),
        ChoiceOutcome::Fill(purpose) => {
            model.overlay = Some(Overlay::Form(purpose.form()));
            vec![]
        }
        ChoiceOutcome::Plans(issue, choosing) => plans(model, issue, choosing),
        ChoiceOutcome::Claim(issue) => {
            let places = [("in this worktree", false), ("in a new worktree beside it", true)];
            let entries = places.map(|(words, has_own_worktree)| {
                let act = BoardAct::Claim { has_own_worktree };
                (words.to_owned(), ChoiceOutcome::Do(Deed { issue: issue.clone(), act }))
            });
            model.overlay = Some(menu(format!("claim {issue}, queued if needed"), entries.into()));
            vec![]
        }
    }
}

fn plans(model: &mut Model, issue: String, choosing: Choosing) -> Vec<BoardEffect> {
    if let Some(busy) = &model.busy {
        model.said = Some(format!("still {busy}"));
        return vec![];
    }
    model.busy = Some(format!("reading the plans of {issue}"));
    ask_plans(issue, choosing)
}

/// Opens a menu of the plans. To review an only plan, opens the form at once.
pub(super) fn chosen_from(
    model: &mut Model,
    issue: &str,
    choosing: Choosing,
    plans: Vec<MenuPlan>,
) -> Vec<BoardEffect> {
    model.busy = None;
    if plans.is_empty() {
        let hint = format!("`git wf plan {issue}` writes one");
        let refused = RefusedText::new(format!("{issue} has no plan"), hint);
        model.overlay = Some(Overlay::Note(OverlayNote::new("no plan", refused.lines())));
        return vec![];
    }
    let at = plans.iter().position(|plan| plan.is_bound).unwrap_or_default();
    let is_one = plans.len() == 1;
    let entries = plans.into_iter().map(|plan| {
        let choice = match choosing {
            Choosing::Bind => {
                ChoiceOutcome::Do(Deed { issue: issue.to_owned(), act: BoardAct::Bind(plan.id.clone()) })
            }
            Choosing::Review => ChoiceOutcome::Fill(Purpose::Review(plan.id.clone(), plan.digest)),
        };
        (plan.words, choice)
    });
    let mut entries: Vec<(String, ChoiceOutcome)> = entries.collect();
    if is_one && choosing == Choosing::Review {
        return follow(model, entries.remove(0).1);
    }
    let verb = if choosing == Choosing::Bind { "bind a plan to" } else { "review a plan of" };
    model.overlay =
        Some(Overlay::Menu(Menu { title: format!("{verb} {issue}"), entries, at, sent: Sent::default() }));
    vec![]
}

/// Asks for the assignee.
pub(super) fn assign(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    let now = model.lane().and_then(|lane| lane.current()?.row.assignee.clone());
    let who = now.unwrap_or_else(|| model.me.clone());
    follow(model, ChoiceOutcome::Fill(Purpose::Assign(issue, who)))
}

/// Asks for a comment.
pub(super) fn comment(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    follow(model, ChoiceOutcome::Fill(Purpose::Comment(issue)))
}

/// Asks which plan to bind.
pub(super) fn bind(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    plans(model, issue, Choosing::Bind)
}

/// Queues the bound plan.
pub(super) fn queue(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    act(model, Deed { issue, act: BoardAct::Queue })
}

/// Asks in which worktree to claim the issue.
pub(super) fn claim(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    follow(model, ChoiceOutcome::Claim(issue))
}

/// Asks for a review of its plan.
pub(super) fn review(model: &mut Model) -> Vec<BoardEffect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    plans(model, issue, Choosing::Review)
}
