//! Prepares the worktree that a claim creates: its submodules, ignored files and setup commands.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::take::ClaimRequest;
use crate::agent::agreed::Agreement;
use crate::agent::state::ProgramNeeds;
use crate::model::{Code, Op, RemedyCall, SolutionId, exact};
use crate::ops::{Notice, Refusal, Session};
use crate::process::supervise::ProcessEnd;
use crate::rules::CommandLine;
use crate::store::{ObjectId, Store};
use crate::workplace::{
    Confinement, FailedCommand, MissingSubmodule, NewPlace, PlaceVariables, Preparation, PreparationError,
    Prepared, Source, Workplace,
};

/// How many lines of a failed command's output are shown.
const SHOWN_LINES: usize = 5;

/// A worktree that a claim has just created.
pub(super) struct ClaimedWorktree<'a> {
    /// Its top directory.
    pub(super) path: &'a Path,
    /// The plan that is executed there.
    pub(super) solution: &'a SolutionId,
}

/// How a worktree was prepared.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PreparedView {
    /// The number of ignored files that were copied because `.worktreeinclude` names them.
    pub(crate) files: usize,
    /// The submodules that were checked out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) submodules: Vec<PathBuf>,
    /// The number of setup commands that passed.
    pub(crate) commands: usize,
    /// The setup command that failed; those after it were not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
    /// What distinguishes it from other worktrees on this machine; absent if there is no directory in which to remember that.
    #[serde(flatten)]
    pub(crate) place: Option<PlaceView>,
}

/// The variables that setup commands and tests see in a worktree.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlaceView {
    /// `WF_SLOT`: the lowest number that no other prepared worktree on this machine has.
    pub(crate) slot: u16,
    /// `WF_PORT`: the first of ten ports that no other prepared worktree has.
    pub(crate) port: u16,
    /// `WF_NAME`: a name for a database.
    pub(crate) name: String,
}

impl From<Prepared> for PreparedView {
    fn from(prepared: Prepared) -> Self {
        Self {
            files: prepared.files.len(),
            submodules: prepared.submodules,
            commands: prepared.commands,
            failed: prepared.failed.map(|failed| failed.command),
            place: prepared.variables.map(|PlaceVariables { slot, port, name }| PlaceView {
                slot,
                port,
                name,
            }),
        }
    }
}

/// The commands of `wf.workplace.setup` and `wf.workplace.teardown` that nobody here has agreed to yet.
///
/// # Errors
/// `worktree` if the settings of workplaces are invalid; `unseen-command`.
pub(crate) fn unseen_setup(session: &Session) -> Result<Vec<CommandLine>, Refusal> {
    Ok(Preparation::load(session.store())?.unseen().into_iter().cloned().collect())
}

/// Records that someone has seen these commands of the project and agrees to run them, now and later.
///
/// # Errors
/// `not-agreed` if the consent cannot be stored.
pub(crate) fn agree_to_own(session: &Session, shown: &[CommandLine]) -> Result<(), Refusal> {
    Ok(Agreement::to_workplaces(session.store())?.give(shown)?)
}

/// How a requested worktree will be prepared; `None` if none is requested.
pub(super) fn preparation(session: &Session, wish: &ClaimRequest) -> Result<Option<Preparation>, Refusal> {
    if !wish.worktree.is_new() {
        return Ok(None);
    }
    let preparation = Preparation::load(session.store())?;
    let unseen = preparation.unseen();
    if unseen.is_empty() {
        return Ok(Some(preparation));
    }
    let shown = unseen.iter().map(|command| exact(command.as_str()).into_owned()).collect();
    Err(Refusal::new(Code::NotAgreed, "the setup commands of worktrees need your consent")
        .details(shown)
        .hint("run it in a terminal to be asked")
        .remedy(wish.again_there().flag("yes"), "agrees to them, once you have read them"))
}

/// Prepares a new worktree. The claim stands whatever fails here; notices say what did.
pub(super) fn prepare(
    session: &Session,
    preparation: &Preparation,
    place: &ClaimedWorktree<'_>,
) -> Option<PreparedView> {
    match prepared(session, preparation, place) {
        Ok(prepared) => {
            session.notice_all(notices(&prepared));
            Some(prepared.into())
        }
        Err(refusal) => {
            session.notice(Notice::warning(format!("the worktree is not prepared: {}", refusal.message)));
            None
        }
    }
}

fn prepared(
    session: &Session,
    preparation: &Preparation,
    ClaimedWorktree { path, solution }: &ClaimedWorktree<'_>,
) -> Result<Prepared, Refusal> {
    let store = session.store();
    let place = Store::open(path, store.environment())?;
    let place = NewPlace { store: &place, label: solution.as_str(), is_agents: false, within: &[] };
    run(session, preparation, &Source { store, top: store.work_dir() }, &place, &|_| {})
}

/// From where a workplace gets ignored files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bring {
    /// From the work tree in which the command runs.
    FromHere,
    /// From the main work tree: agents work in others.
    FromMain,
}

/// Prepares a place with what is in the work tree of `source`. `begins` is called with each command before it runs.
fn run(
    session: &Session,
    preparation: &Preparation,
    source: &Source<'_>,
    place: &NewPlace<'_>,
    begins: &dyn Fn(&CommandLine),
) -> Result<Prepared, Refusal> {
    let interrupts = session.interrupts()?;
    let total = preparation.count() as u64;
    let prepared: Result<Prepared, PreparationError> =
        session.counted("running the setup of the worktree", Some(total), |step| {
            let mut done = 0;
            preparation.prepare(source, place, &interrupts, &mut |command| {
                begins(command);
                step(done);
                done += 1;
            })
        });
    Ok(prepared?)
}

/// Prepares the workplace of an agent, which `label` tells from others in `WF_NAME`. The agent works there whatever fails
/// here; notices say what did. Setup commands run behind the words in `within`, since what is checked out may be the work of an
/// agent; those that nobody here has agreed to are not run.
///
/// # Errors
/// `interrupted`.
pub(crate) fn prepare_workplace(
    session: &Session,
    workplace: &Workplace,
    label: &str,
    bring: Bring,
    within: &[OsString],
) -> Result<Option<Prepared>, Refusal> {
    let store = session.store();
    let prepared = Preparation::load(store).map_err(Refusal::from).and_then(|preparation| {
        let preparation = if preparation.unseen().is_empty() {
            preparation
        } else {
            session.notice(unseen());
            preparation.without_setup()
        };
        let place = Store::open(&workplace.folder, store.environment())?;
        let place = NewPlace { store: &place, label, is_agents: true, within };
        let main = if bring == Bring::FromMain { store.repo().main_work_dir() } else { None };
        let source = Source { store, top: main.or_else(|| store.work_dir()) };
        // Others see only then what it waits for.
        run(session, &preparation, &source, &place, &|command| {
            let _ = workplace.note_setup(Some(command.as_str()));
        })
    });
    workplace.note_setup(None)?;
    if let Ok(Prepared { variables: Some(variables), .. }) = &prepared {
        workplace.note_variables(variables)?;
    }
    match prepared {
        Ok(Prepared { failed: Some(FailedCommand { ran, .. }), .. })
            if ran.ended == ProcessEnd::Interrupted =>
        {
            Err(Refusal::new(Code::Interrupted, "the setup of the agent's workplace was interrupted")
                .hint("the same command begins again"))
        }
        Ok(prepared) => {
            session.notice_all(notices(&prepared));
            if !prepared.ignored.is_empty() {
                workplace.note_ignored(&prepared.ignored)?;
            }
            Ok(Some(prepared))
        }
        Err(refusal) if refusal.is_stop() => Err(refusal),
        Err(refusal) => {
            let message = format!("the agent's workplace is not prepared: {}", refusal.message);
            session.notice(Notice::warning(message));
            Ok(None)
        }
    }
}

/// Runs the commands of `wf.workplace.teardown` in a workplace that is about to be removed, behind the words in `within`. It is
/// removed whatever fails here; notices say what did. Commands that nobody here has agreed to are not run.
fn tear_down(
    session: &Session,
    workplace: &Workplace,
    variables: Option<&PlaceVariables>,
    within: &[OsString],
) {
    match torn_down(session, workplace, variables, within) {
        Ok(all) => session.notice_all(all.iter().map(|failure| failed_with(failure, "teardown command", ""))),
        Err(refusal) if refusal.is_stop() => {}
        Err(refusal) => {
            let message = format!("the teardown of a workplace did not run: {}", refusal.message);
            session.notice(Notice::warning(message));
        }
    }
}

/// A workplace that was made for something, and prepared.
pub(crate) struct FreshPlace<'a> {
    pub(crate) workplace: &'a Workplace,
    /// How it was prepared; `None` if it could not be.
    pub(crate) prepared: Option<Prepared>,
    /// The words before those of a command: a sandbox, if there is one.
    pub(crate) within: Vec<OsString>,
}

/// Does something in a workplace that is made for it, on the commit `start`, and that is removed whatever happens. Its name begins
/// with `what`.
///
/// # Errors
/// If there can be no workplace; `interrupted`; what `act` refuses.
pub(crate) fn in_fresh_workplace<T>(
    session: &Session,
    confinement: &Confinement,
    what: &str,
    start: ObjectId,
    act: impl FnOnce(FreshPlace<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let workplace = Workplace::make_for_tests(session.store(), what, start)?;
    let within = confinement.words(&workplace.folder, &ProgramNeeds::default());
    let prepared = prepare_workplace(session, &workplace, workplace.name(), Bring::FromMain, &within);
    let done = prepared
        .and_then(|prepared| act(FreshPlace { workplace: &workplace, prepared, within: within.clone() }));
    leave(session, workplace, &within);
    done
}

/// Tears down and removes a workplace. If it cannot be removed, a notice says so.
pub(crate) fn leave(session: &Session, workplace: Workplace, within: &[OsString]) {
    tear_down(session, &workplace, workplace.noted_variables().as_ref(), within);
    remove(session, workplace);
}

fn remove(session: &Session, workplace: Workplace) {
    let folder = workplace.folder.display().to_string();
    if let Err(error) = workplace.remove(session.store()) {
        session.notice(Notice::warning(format!("the workplace {folder} is left behind: {error}")));
    }
}

/// Tears down and removes a workplace that a killed process left. If it cannot be removed, a notice says so.
pub(crate) fn remove_leftover(session: &Session, workplace: Workplace) {
    let confinement = Confinement::load(session.store());
    let within =
        confinement.map(|confinement| confinement.words(&workplace.folder, &ProgramNeeds::default()));
    match within {
        Ok(within) => leave(session, workplace, &within),
        Err(_) => remove(session, workplace),
    }
}

fn torn_down(
    session: &Session,
    workplace: &Workplace,
    variables: Option<&PlaceVariables>,
    within: &[OsString],
) -> Result<Vec<FailedCommand>, Refusal> {
    let store = session.store();
    let preparation = Preparation::load(store)?;
    if !preparation.has_teardown() || !preparation.unseen().is_empty() {
        return Ok(vec![]);
    }
    workplace.refuse_exchanged()?;
    let environment = PlaceVariables::beside_agents(store, variables);
    let interrupts = session.interrupts()?;
    Ok(preparation.tear_down(&workplace.folder, &environment, within, &interrupts)?)
}

fn unseen() -> Notice {
    Notice::warning(
        "the setup commands were not run in the agent's workplace, since nobody here has agreed to them",
    )
    .remedy(RemedyCall::from(Op::Next).flag("worktree"), "shows them, and asks")
}

fn notices(prepared: &Prepared) -> Vec<Notice> {
    let mut notices: Vec<Notice> = prepared.missing.iter().map(missing).collect();
    notices.extend(prepared.skipped.iter().map(|skipped| {
        let path = skipped.path.display();
        Notice::warning(if skipped.is_repository {
            format!("`{path}` was not copied: it is a repository of its own, which a setup command can clone")
        } else {
            format!("`{path}` was not copied: it is neither a file nor a link")
        })
    }));
    notices.extend(prepared.failed.as_ref().map(failed));
    notices
}

fn missing(submodule: &MissingSubmodule) -> Notice {
    let path = submodule.path.display();
    Notice::warning(match &submodule.why {
        Some(why) => format!("submodule `{path}` is empty: {why}"),
        None => format!(
            "submodule `{path}` is empty, since it is not checked out here either: run `git submodule update --init` here, \
             then in the worktree"
        ),
    })
}

fn failed(failed: &FailedCommand) -> Notice {
    failed_with(failed, "setup command", ", so the worktree is not ready")
}

fn failed_with(failed: &FailedCommand, what: &str, so: &str) -> Notice {
    let FailedCommand { command, ran } = failed;
    let how = match ran.ended {
        ProcessEnd::Exited(code) => format!("exited with {code}"),
        ProcessEnd::Signal(number) => format!("was ended by signal {number}"),
        ProcessEnd::TimedOut => "took too long and was ended".to_owned(),
        ProcessEnd::Interrupted => "was interrupted".to_owned(),
    };
    let text = String::from_utf8_lossy(&ran.tail).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join(" / ");
    let said = if last.is_empty() { String::new() } else { format!(": {last}") };
    Notice::warning(format!("{what} `{command}` {how}{so}{said}"))
}
