//! Starting a run, and going on with one that was interrupted.

use super::begin::{self, Begin};
use super::crew::{Crew, Given};
use super::drive::drive;
use super::places::Places;
use super::view::{RunView, all, named};
use super::watch::Watch;
use crate::model::run_log::RunStatus;
use crate::ops::{Answer, Done, Refusal, Session};
use crate::rules::folder::RunFolder;
use crate::rules::run::Progress;
use crate::store::Read;

/// Runs issues to their end: each is planned, reviewed, queued, executed and merged into the branch of the run, as far as
/// its mode and the input say.
///
/// # Errors
/// As [`begin::prepare`]; `interrupted`.
pub(crate) fn run(session: &Session, input: &Begin, watch: &mut dyn Watch) -> Answer<RunView> {
    let Done { view: (run, given), notices, .. } = begin::prepare(session, input)?;
    // They are told with the answer.
    session.notice_all(notices);
    let crew = Crew::of(session.store(), &given)?;
    let Done { view: run, notices, .. } = begin::begin(session, &run, &given)?;
    session.notice_all(notices);
    drive(session, &run.id, crew, watch)
}

/// Goes on with a run that was interrupted: the one named, or else the only one that is open.
///
/// # Errors
/// `nothing-to-do`, `several-runs`, `run-ended`, `no-agent`; as [`run`].
pub(crate) fn resume(
    session: &Session,
    run: Option<&str>,
    agents: Given,
    watch: &mut dyn Watch,
) -> Answer<RunView> {
    let store = session.store();
    let found = open(&store.snapshot()?, run)?;
    let given = agents.or(Given::kept(&Places::of(store, &found.run.id).files)).or(Given::configured(store));
    let crew = Crew::of(store, &given)?;
    drive(session, &found.run.id, crew, watch)
}

/// The run that is meant, which has not ended.
fn open(read: &impl Read, run: Option<&str>) -> Result<RunFolder, Refusal> {
    let is_open = |folder: &RunFolder| Progress::of(folder).status != RunStatus::Completed;
    if run.is_some() {
        let found = named(read, run)?;
        return match is_open(&found) {
            true => Ok(found),
            false => Err(Refusal::new("run-ended", format!("run `{}` has ended", found.run.id))
                .remedy("run ISSUE", "begins another")),
        };
    }
    let mut open: Vec<RunFolder> = all(read)?.0.into_iter().filter(is_open).collect();
    match (open.pop(), open.is_empty()) {
        (None, _) => Err(Refusal::nothing("no run is open").remedy("run list", "shows the runs")),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            open.push(last);
            let ids = open.iter().map(|it| it.run.id.to_string()).collect();
            Err(Refusal::new("several-runs", format!("{} runs are open", open.len()))
                .details(ids)
                .remedy("run resume RUN", "goes on with one of them"))
        }
    }
}
