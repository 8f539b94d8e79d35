//! Starts actions on the selected issue: at once, or after a menu or form.

use super::ask_plans;
use crate::board::act::{Act, Deed};
use crate::board::event::{Effect, Refused};
use crate::board::model::Model;
use crate::board::overlay::{Choice, Choosing, Menu, Note, Overlay, Plan, Purpose, Sent};
use crate::model::op::Op;
use crate::model::priority::Priority;
use crate::model::status::IssueStatus;
use crate::rules::transitions::{By, TRANSITIONS, Transition};

/// Starts an action, unless another is in progress.
pub(super) fn act(model: &mut Model, deed: Deed) -> Vec<Effect> {
    if let Some(busy) = &model.busy {
        model.said = Some(format!("still {busy}"));
        return vec![];
    }
    model.busy = Some(deed.words());
    if let Some(sent) = model.overlay.as_mut().and_then(Overlay::sent) {
        *sent = Sent { is_awaited: true, refusal: None };
    }
    vec![Effect::Act(deed)]
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
pub(super) fn create(model: &mut Model) -> Vec<Effect> {
    follow(model, Choice::Fill(Purpose::Create))
}

/// Opens a menu of the priorities.
pub(super) fn priority(model: &mut Model) -> Vec<Effect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    let now = model.selected_row().map(|row| row.priority);
    let all: Vec<Priority> = (1..=5).filter_map(Priority::new).collect();
    let at = all.iter().position(|it| Some(*it) == now).unwrap_or_default();
    let entry = |it: Priority| {
        let act = Act::Priority(it);
        (it.name().to_owned(), Choice::Do(Deed { issue: issue.clone(), act }))
    };
    let entries = all.into_iter().map(entry).collect();
    let title = format!("set the priority of {issue}");
    model.overlay = Some(Overlay::Menu(Menu { title, entries, at, sent: Sent::default() }));
    vec![]
}

/// Opens a menu of the legal moves.
pub(super) fn moves(model: &mut Model) -> Vec<Effect> {
    let Some((issue, status)) = selected(model) else { return vec![] };
    let entries = moves_of(&issue, status, None);
    if entries.is_empty() {
        let hint = "the commands `done` and `fail` end an execution, where it is executed";
        let refused = Refused::new(format!("the board cannot move {issue}, which is {status}"), hint);
        model.overlay = Some(Overlay::Note(Note::new(format!("move {issue}"), refused.lines())));
        return vec![];
    }
    model.overlay = Some(menu(format!("move {issue} ({status})"), entries));
    vec![]
}

fn menu(title: String, entries: Vec<(String, Choice)>) -> Overlay {
    Overlay::Menu(Menu { title, entries, at: 0, sent: Sent::default() })
}

/// The legal moves that the board can make, or only those to the status `to`.
fn moves_of(issue: &str, from: IssueStatus, to: Option<IssueStatus>) -> Vec<(String, Choice)> {
    let is_meant = |it: &&Transition| it.from.contains(&from) && to.is_none_or(|to| it.to.contains(&to));
    let entry = |it: &Transition| {
        let to: Vec<&str> = it.to.iter().map(|status| status.as_str()).collect();
        let words = match to.len() {
            1 | 2 => format!("{}: {}", it.by, to.join(" or ")),
            // The resulting status depends on what was done before.
            _ => it.by.to_string(),
        };
        Some((words, choice(issue, it.by)?))
    };
    TRANSITIONS.iter().filter(is_meant).filter_map(entry).collect()
}

/// How the board makes a transition; `None` if it needs more than the board has, such as a plan or the work tree.
fn choice(issue: &str, by: By) -> Option<Choice> {
    let id = issue.to_owned();
    let deed = |act| Some(Choice::Do(Deed { issue: issue.to_owned(), act }));
    match by {
        By::Status(status) => deed(Act::Status(status)),
        By::Op(Op::Close) => Some(Choice::Fill(Purpose::Close(id))),
        By::Op(Op::Reopen) => Some(Choice::Fill(Purpose::Reopen(id))),
        By::Op(Op::Bind) => Some(Choice::Plans(id, Choosing::Bind)),
        By::Op(Op::Next) => Some(Choice::Claim(id)),
        By::Op(Op::Unbind) => deed(Act::Unbind),
        By::Op(Op::QueueAdd) => deed(Act::Queue),
        By::Op(Op::QueueRemove) => deed(Act::Unqueue),
        By::Op(Op::LeaseRelease) => deed(Act::Release),
        By::Op(Op::Retry) => deed(Act::Retry),
        By::Op(_) => None,
    }
}

/// Moves an issue to a status, as by dragging it: at once if there is only one way, otherwise after a menu.
pub(super) fn move_to(model: &mut Model, issue: &str, from: IssueStatus, to: IssueStatus) -> Vec<Effect> {
    let mut ways = moves_of(issue, from, Some(to));
    match ways.len() {
        0 => {
            let hint = "`m` shows what can be done with it";
            let refused = Refused::new(format!("the board cannot move {issue} from {from} to {to}"), hint);
            model.overlay = Some(Overlay::Note(Note::new(format!("move {issue}"), refused.lines())));
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
pub(super) fn follow(model: &mut Model, choice: Choice) -> Vec<Effect> {
    match choice {
        Choice::Do(deed) => act(model, deed),
        Choice::Fill(purpose) => {
            model.overlay = Some(Overlay::Form(purpose.form()));
            vec![]
        }
        Choice::Plans(issue, choosing) => plans(model, issue, choosing),
        Choice::Claim(issue) => {
            let claim = |words: &str, has_own_worktree| {
                let act = Act::Claim { has_own_worktree };
                (words.to_owned(), Choice::Do(Deed { issue: issue.clone(), act }))
            };
            let entries = vec![claim("in this worktree", false), claim("in a new worktree beside it", true)];
            model.overlay = Some(menu(format!("claim {issue} (queued first, if needed)"), entries));
            vec![]
        }
    }
}

fn plans(model: &mut Model, issue: String, choosing: Choosing) -> Vec<Effect> {
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
    plans: Vec<Plan>,
) -> Vec<Effect> {
    model.busy = None;
    if plans.is_empty() {
        let hint = format!("`git wf solution add {issue} FILE` adds one");
        let refused = Refused::new(format!("{issue} has no plan"), hint);
        model.overlay = Some(Overlay::Note(Note::new("no plan", refused.lines())));
        return vec![];
    }
    let choose = |plan: Plan| {
        let choice = match choosing {
            Choosing::Bind => Choice::Do(Deed { issue: issue.to_owned(), act: Act::Bind(plan.id.clone()) }),
            Choosing::Review => Choice::Fill(Purpose::Review(plan.id.clone(), plan.digest)),
        };
        (plan.words, choice)
    };
    let at = plans.iter().position(|plan| plan.is_bound).unwrap_or_default();
    let is_one = plans.len() == 1;
    let mut entries: Vec<(String, Choice)> = plans.into_iter().map(choose).collect();
    if is_one && choosing == Choosing::Review {
        return follow(model, entries.remove(0).1);
    }
    let verb = if choosing == Choosing::Bind { "bind a plan to" } else { "review a plan of" };
    model.overlay =
        Some(Overlay::Menu(Menu { title: format!("{verb} {issue}"), entries, at, sent: Sent::default() }));
    vec![]
}

/// Asks for the assignee.
pub(super) fn assign(model: &mut Model) -> Vec<Effect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    let now = model.lane().and_then(|lane| lane.current()?.row.assignee.clone());
    let who = now.unwrap_or_else(|| model.me.clone());
    follow(model, Choice::Fill(Purpose::Assign(issue, who)))
}

/// Asks for a comment.
pub(super) fn comment(model: &mut Model) -> Vec<Effect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    follow(model, Choice::Fill(Purpose::Comment(issue)))
}

/// Asks which plan to bind.
pub(super) fn bind(model: &mut Model) -> Vec<Effect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    plans(model, issue, Choosing::Bind)
}

/// Queues the bound plan.
pub(super) fn queue(model: &mut Model) -> Vec<Effect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    act(model, Deed { issue, act: Act::Queue })
}

/// Asks in which worktree to claim the issue.
pub(super) fn claim(model: &mut Model) -> Vec<Effect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    follow(model, Choice::Claim(issue))
}

/// Asks for a review of its plan.
pub(super) fn review(model: &mut Model) -> Vec<Effect> {
    let Some((issue, _)) = selected(model) else { return vec![] };
    plans(model, issue, Choosing::Review)
}
