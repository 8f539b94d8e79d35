//! Plans that were added.

use std::io::{self, Write};

use super::{solution, with_remedies};
use crate::cli::{CliContext, Outcome};
use crate::model::{IssueStatus, Other, RemedyCall, SolutionId};
use crate::ops::plans::Added;
use crate::ops::{Done, Notice};
use crate::rules::quality::LEAST;
use crate::ui::{Screen, count};

/// Answers with the plans that were added.
pub(in crate::cli) fn answer(context: &mut CliContext, done: Done<Added>, no_bind: bool) -> Outcome {
    // With `--json`, the document contains these remarks.
    let remarks =
        if context.json() { vec![] } else { remarks(&done.view, no_bind, context.screen.is_terminal()) };
    let outcome = context.answer(done, |it, _, screen| added(screen, it))?;
    context.show_notices(remarks);
    Ok(outcome)
}

/// The plans; for programs only their ids.
fn added(screen: &mut Screen, it: &Added) -> io::Result<()> {
    if !screen.is_terminal() {
        return it.handed.iter().try_for_each(|(id, _)| writeln!(screen, "{id}"));
    }
    for (id, _) in &it.handed {
        let verb = if it.already_there.contains(id) { "already stored:" } else { "added" };
        let is_bound = it.bound.iter().any(|bound| bound.solution_id == *id);
        let and_bound = if is_bound { ", and bound it" } else { "" };
        writeln!(screen, "{verb} {id}{and_bound}")?;
    }
    if let Some(queue) = &it.queued_in {
        writeln!(screen, "queued it in {queue}; `git wf next` claims it")?;
    }
    let pending = pending(it);
    if pending > 0 {
        let plans = count(pending, "plan");
        let line = with_remedies(&format!("{plans} to choose from"), std::slice::from_ref(&it.choose));
        let line = screen.ids_in(&line);
        writeln!(screen, "{line}")?;
        solution::table(screen, &it.plans)?;
    } else if it.bound.is_empty() && it.status != IssueStatus::Planned {
        writeln!(screen, "{} is {}", it.issue, it.status)?;
    }
    Ok(())
}

/// The number of plans to choose from.
fn pending(it: &Added) -> usize {
    it.pending_selection.iter().map(|pending| pending.solutions.len()).sum()
}

/// The parts of the `--json` document that people should know: plans that were already stored, a choice that no
/// terminal shows, possible improvements.
fn remarks(it: &Added, no_bind: bool, is_terminal: bool) -> Vec<Notice> {
    let mut remarks = Vec::new();
    if !is_terminal {
        // On a terminal the answer shows this; a program gets only the ids.
        let bound = |id: &SolutionId| Notice::note(format!("bound {id} to {}", it.issue));
        remarks.extend(it.bound.iter().map(|it| bound(&it.solution_id)));
        remarks.extend(it.queued_in.iter().map(|queue| Notice::note(format!("queued it in {queue}"))));
        remarks.extend(it.already_there.iter().map(|id| {
            Notice::warning(format!("{id} is already stored with the same content; it was not added again"))
        }));
        remarks.extend(choice(it));
    }
    for (id, report) in it.handed.iter().filter(|(_, report)| !report.findings.is_empty()) {
        let quality = report.quality.total();
        let check = RemedyCall::new(Other::SolutionCheck, [id]);
        let is_lone = matches!(&it.pending_selection[..], [one] if matches!(&one.solutions[..], [plan] if plan.id == *id));
        if report.quality.suffices() || no_bind || !is_lone {
            let things = count(report.findings.len(), "warning");
            let message = format!("{id} has a quality of {quality:.2} and {things}");
            remarks.push(
                Notice::note(message)
                    .remedy(check, if report.findings.len() == 1 { "shows it" } else { "lists them" }),
            );
            continue;
        }
        remarks.push(
            Notice::warning(format!(
                "{id} is not bound: its quality is {quality:.2}; binding requires {LEAST} or more"
            ))
            .remedy(check, "says what to improve")
            .remedy(RemedyCall::new(Other::Plan, [&it.issue]), "adds a better one, which is then bound"),
        );
        remarks.extend(report.findings.iter().map(|finding| {
            Notice::warning(if it.is_by_hand { finding.in_options() } else { finding.to_string() })
        }));
    }
    remarks
}

/// The remark that a plan must be chosen.
fn choice(it: &Added) -> Option<Notice> {
    let (issue, pending) = (&it.issue, pending(it));
    if pending < 2 {
        return None;
    }
    let message = match &it.failed {
        Some(failed) => format!("{issue} failed with {failed}, and has {pending} newer plans"),
        None => format!("{issue} has {}, and none is bound", count(pending, "plan")),
    };
    Some(Notice { remedies: vec![it.choose.clone()], ..Notice::warning(message) })
}
