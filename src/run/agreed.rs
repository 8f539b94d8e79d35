//! Consent to run the test commands of plans here. It is settled before the first agent is asked.

use std::path::Path;

use super::watch::{OwnCommands, RunWatch};
use crate::agent::agreed::Agreement;
use crate::model::{Code, IssueStatus, Op, RemedyCall, Run, RunStep, SolutionId};
use crate::ops::{Refusal, Session, issues, work};
use crate::rules::{CommandLine, RunFolder, RunProgress, evidence, facts};
use crate::store::Store;

/// The file of a run that says that someone consented to the tests of all its plans.
const AGREED: &str = "agreed";

/// Why the tests of a plan may not be run; `None` if someone consented to all of them.
pub(super) fn refused(
    session: &Session,
    watch: &mut dyn RunWatch,
    solution: &SolutionId,
) -> Result<Option<Refusal>, Refusal> {
    let store = session.store();
    let folder = issues::existing(&store.snapshot()?, &solution.issue())?;
    let Some(plan) = folder.solution(solution) else { return Ok(None) };
    let agreement = Agreement::to(store, &plan.plan_digest())?;
    let typed = plan.typed_plan();
    let mut commands: Vec<CommandLine> = Vec::new();
    for (_, text) in evidence::commands(&typed) {
        let command = CommandLine::parse(text).map_err(|unseen| {
            Refusal::new(
                Code::UnseenCommand,
                format!("a test command of `{solution}` cannot be run: {unseen}"),
            )
            .remedy(RemedyCall::new(Op::TaskEdit, [solution.as_str(), "TASK"]), "gives the task other tests")
        })?;
        if !agreement.is_given(&command) && !commands.contains(&command) {
            commands.push(command);
        }
    }
    let unseen: Vec<&CommandLine> = commands.iter().collect();
    if unseen.is_empty() {
        return Ok(None);
    }
    if !watch.agree(solution, &unseen) {
        let shown = unseen.iter().map(|command| command.as_str().to_owned()).collect();
        return Ok(Some(not_agreed(&format!("the tests of `{solution}`")).details(shown)));
    }
    agreement.give(unseen)?;
    Ok(None)
}

/// Settles the consent for a new run: for each existing plan, and for all that will be made.
///
/// # Errors
/// `not-agreed`, `unseen-command`.
pub(super) fn settle(session: &Session, run: &Run, watch: &mut dyn RunWatch) -> Result<(), Refusal> {
    settle_for(session, run, watch, |_| false)
}

/// Remembers on this machine that someone consented to the tests of all plans of a run, so that resuming it asks nobody.
/// `files` is the directory of the run.
///
/// # Errors
/// `cannot-write`.
pub(super) fn keep(store: &Store, files: &Path, watch: &dyn RunWatch) -> Result<(), Refusal> {
    if !watch.has_agreed() {
        return Ok(());
    }
    let path = files.join(AGREED);
    let shared = store.repo().shared_mode();
    shared.create_folder(files).and_then(|()| shared.write(&path, "")).map_err(|error| {
        Refusal::new(Code::CannotWrite, format!("cannot write {}: {error}", path.display()))
            .hint("make sure that the directory is writable and the disk has space")
    })
}

/// Like `settle`, for a run that is resumed.
pub(super) fn settle_rest(
    session: &Session,
    folder: &RunFolder,
    files: &Path,
    watch: &mut dyn RunWatch,
) -> Result<(), Refusal> {
    if files.join(AGREED).is_file() {
        watch.take_agreement();
    }
    let progress = RunProgress::of(folder);
    let is_given_up = |id: &_| progress.issue(id).is_some_and(|issue| issue.status == IssueStatus::Failed);
    settle_for(session, &folder.run, watch, is_given_up)
}

fn settle_for(
    session: &Session,
    run: &Run,
    watch: &mut dyn RunWatch,
    is_over: impl Fn(&crate::model::id::IssueId) -> bool,
) -> Result<(), Refusal> {
    use IssueStatus::{Cancelled, Closed, Completed, Executing, Failed, Paused, Planned, Queued};
    if !run.takes(RunStep::Execute) {
        return Ok(());
    }
    settle_own(session, watch, OwnCommands::Setup, &work::unseen_setup(session)?)?;
    if run.lands {
        settle_own(session, watch, OwnCommands::LandTests, &work::unseen_land_tests(session)?)?;
    }
    let snapshot = session.store().snapshot()?;
    let mut is_any_unseen = false;
    for id in run.issue_ids.iter().filter(|id| !is_over(id)) {
        let folder = issues::existing(&snapshot, id)?;
        let plan = folder.bound().map(|plan| &plan.id);
        match (facts::status(&folder), plan) {
            (Completed | Closed | Cancelled | Paused, _) => {}
            (Planned | Queued | Executing, Some(plan)) => {
                if let Some(refused) = refused(session, watch, plan)? {
                    return Err(refused);
                }
            }
            // A new plan can have other tests.
            (Failed, Some(plan)) if !run.takes(RunStep::Plan) => {
                if let Some(refused) = refused(session, watch, plan)? {
                    return Err(refused);
                }
            }
            _ => is_any_unseen |= run.takes(RunStep::Plan),
        }
    }
    if is_any_unseen && !watch.agree_to_plans_to_come() {
        return Err(not_agreed("the tests of the plans that agents will make"));
    }
    Ok(())
}

/// Settles the consent to commands of the project itself.
fn settle_own(
    session: &Session,
    watch: &mut dyn RunWatch,
    what: OwnCommands,
    unseen: &[CommandLine],
) -> Result<(), Refusal> {
    if unseen.is_empty() {
        return Ok(());
    }
    if watch.agree_to_own(what, unseen) {
        return work::agree_to_own(session, unseen);
    }
    let shown = unseen.iter().map(|command| command.as_str().to_owned()).collect();
    let named = match what {
        OwnCommands::Setup => "the setup commands of worktrees",
        OwnCommands::LandTests => "the tests of `wf.land.test`",
    };
    Err(not_agreed(named).details(shown))
}

/// The refusal to run test commands.
pub(super) fn not_agreed(what: &str) -> Refusal {
    Refusal::new(Code::NotAgreed, format!("nobody here has agreed to run {what}"))
        .hint("run it in a terminal to be asked")
}
