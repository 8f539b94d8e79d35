//! Determines who drives a run: a process of this repository, a process that has gone, or another clone. The run's log
//! names its drivers, and this repository remembers which of these names are its own.

use std::fs::{self, File, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::view::folder;
use crate::model::{Code, Other, RemedyCall, RunId, RunStatus, text_enum};
use crate::ops::{Refusal, WriteCondition};
use crate::rules::{RunFolder, RunProgress};
use crate::store::{ReadState, Snapshot, Store, Tx, layout, random_uid, records};

/// The names of this repository's drivers, one per line.
const NAMES: &str = "drivers";
/// The process that holds it drives the run; the file has its number.
const LOCK: &str = "driving.lock";
/// How often to try the lock: a process that only looks at a run holds it for a moment.
const TRIES: usize = 5;
/// How long to wait before trying again.
const PAUSE: Duration = Duration::from_millis(20);

text_enum!(
    /// Who drives a run.
    Driven {
        /// A process of this repository.
        Here = "here",
        /// Nobody: the process of this repository that drove it has gone.
        Interrupted = "interrupted",
        /// Another clone; whether it is still at work is not known here.
        Elsewhere = "elsewhere",
        /// Nobody: the run has ended.
        Ended = "ended",
    }
);

impl Driven {
    /// The driver of a run, as far as this repository knows.
    pub(crate) fn find(store: &Store, run: &RunFolder) -> Self {
        let progress = RunProgress::of(run);
        let files = folder(store, &run.run.id);
        match (progress.status == RunStatus::Completed, is_own(&files, progress.driver)) {
            (true, _) => Self::Ended,
            (false, false) => Self::Elsewhere,
            (false, true) if is_locked(&files) => Self::Here,
            (false, true) => Self::Interrupted,
        }
    }
}

/// A new name for a driver, remembered as one of this repository's own.
pub(crate) fn name(store: &Store, files: &Path) -> Result<String, Refusal> {
    let name = random_uid()?.to_string();
    let path = files.join(NAMES);
    append(store, files, &path, &name).map_err(|error| cannot("write", &path, &error))?;
    Ok(name)
}

fn append(store: &Store, files: &Path, path: &Path, name: &str) -> std::io::Result<()> {
    let shared = store.repo().shared_mode();
    shared.create_folder(files)?;
    let mut file = shared.open(path)?;
    file.seek(SeekFrom::End(0))?;
    writeln!(file, "{name}")
}

/// Whether the driver with this name is, or was, a process of this repository. If the log names none, any file of the run
/// shows it.
fn is_own(files: &Path, driver: Option<&str>) -> bool {
    match driver {
        Some(driver) => {
            fs::read_to_string(files.join(NAMES)).is_ok_and(|names| names.lines().any(|line| line == driver))
        }
        None => files.exists(),
    }
}

fn is_locked(files: &Path) -> bool {
    File::open(files.join(LOCK))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Whether a process of this repository drives a run.
pub(crate) fn is_driven_here(store: &Store, run: &RunId) -> bool {
    is_locked(&folder(store, run))
}

/// The process of this repository that drives a run.
pub(crate) fn process(files: &Path) -> Option<u32> {
    fs::read_to_string(files.join(LOCK)).ok()?.trim().parse().ok()
}

/// Keeps other processes from driving the same run until it is dropped.
#[derive(Debug)]
pub(crate) struct RunLock {
    _lock: File,
}

/// Notes that this process drives a run.
///
/// # Errors
/// `run-under-way`.
pub(crate) fn hold(store: &Store, files: &Path, run: &RunId) -> Result<RunLock, Refusal> {
    let path = files.join(LOCK);
    let failed = |error: std::io::Error| cannot("lock", &path, &error);
    let shared = store.repo().shared_mode();
    shared.create_folder(files).map_err(failed)?;
    let mut file = shared.open(&path).map_err(failed)?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => {
                let noted = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                noted.map_err(failed)?;
                return Ok(RunLock { _lock: file });
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
    let by = process(files).map_or_else(|| "another process".to_owned(), |id| format!("process {id}"));
    Err(Refusal::new(Code::RunUnderWay, format!("{by} already drives run `{run}`"))
        .remedy(RemedyCall::new(Other::RunShow, [run]), "shows its progress"))
}

/// A driver's hold on a run. Once another driver has taken over, nothing more is written here in the name of the run.
#[derive(Debug)]
pub(crate) struct RunHold {
    run: RunId,
    /// The name of the driver.
    driver: String,
    seen: Mutex<SeenLog>,
}

/// The log of a run as it was last looked at.
#[derive(Debug)]
struct SeenLog {
    folder: RunFolder,
    /// The names of its entries in that state.
    names: Vec<String>,
    is_held: bool,
}

impl RunHold {
    /// The driver with this name has the run, or is about to say so in its log.
    pub(crate) fn new(folder: RunFolder, driver: String) -> Self {
        let run = folder.run.id.clone();
        Self { run, driver, seen: Mutex::new(SeenLog { folder, names: Vec::new(), is_held: true }) }
    }

    /// Refuses to continue in a state in which another driver has the run.
    ///
    /// # Errors
    /// `taken-over`.
    pub(crate) fn check_in(&self, read: &impl ReadState) -> Result<(), Refusal> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let names = read.names(&layout::run_log(&self.run))?;
        if names != seen.names {
            seen.folder = records::newest_run(read, &seen.folder)?;
            seen.is_held = RunProgress::of(&seen.folder).driver == Some(&self.driver);
            seen.names = names;
        }
        if seen.is_held { Ok(()) } else { Err(taken_over(&self.run)) }
    }

    /// The refusal once another driver was seen to have the run.
    pub(crate) fn lost(&self) -> Option<Refusal> {
        let is_held = self.seen.lock().unwrap_or_else(PoisonError::into_inner).is_held;
        if is_held { None } else { Some(taken_over(&self.run)) }
    }
}

impl WriteCondition for RunHold {
    fn check(&self, tx: &Tx<'_>) -> Result<(), Refusal> {
        self.check_in(tx)
    }

    fn check_before(&self, snapshot: &Snapshot<'_>) -> Result<(), Refusal> {
        self.check_in(snapshot)
    }
}

fn taken_over(run: &RunId) -> Refusal {
    Refusal::new(Code::TakenOver, format!("another clone drives run `{run}` now"))
        .remedy(RemedyCall::new(Other::RunShow, [run]), "shows its progress")
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::new(Code::CannotWrite, format!("cannot {what} {}: {error}", path.display()))
        .hint("make sure that the directory is writable and the disk has space")
}
