//! The clones in which agents work. An agent has a repository of its own, and what it hands in is checked like a push from
//! a stranger.
//!
//! `make.rs` makes a clone, `hand_in.rs` reads what is in it, `reopen.rs` finds one that a killed process left, `staying.rs` leaves one to
//! people. The git directory of a workplace is never opened as a repository by
//! this program, since the agent can write its settings, hooks and links: `untrusted.rs` reads single files there, and
//! git only sees copies in directories of this program ([`SealedGit`]).

mod config;
mod error;
mod hand_in;
mod known;
mod look;
mod make;
mod objects;
mod place;
mod refs;
mod register;
mod reopen;
mod staying;
mod untrusted;

use std::cell::Cell;
use std::fs::File;
use std::path::{Path, PathBuf};

pub(crate) use error::WorkplaceError;
pub(crate) use hand_in::{HandIn, HandedRef};
pub(crate) use known::KnownWorkplace;
pub(crate) use look::ChangedPath;
pub(crate) use make::NewWorkplace;
pub(crate) use objects::HandInLimits;
pub(crate) use place::{beside, place, root};
pub(crate) use register::{folders, noted_places};

use self::untrusted::{Unreadable, UntrustedDir};
use super::slot::PlaceVariables;
use crate::git::{SealedGit, pipes};
use crate::model::Branch;
use crate::store::ObjectId;

/// The file with its variables, among those that this program keeps about it.
const VARIABLES: &str = "place";

/// A clone in which an agent works.
#[derive(Debug)]
pub(crate) struct Workplace {
    /// The directory with its files.
    pub(crate) folder: PathBuf,
    /// The commit at which its work starts.
    pub(crate) start: ObjectId,
    /// The last commit that was taken from it; the start if none was.
    tip: ObjectId,
    /// The branch that is checked out, if any.
    branch: Option<Branch>,
    /// The commit of the ref of the store that it was given last.
    records: Option<ObjectId>,
    /// The directory of what this program itself keeps about it, in the user's repository.
    files: PathBuf,
    /// Its name among the workplaces of the repository.
    name: String,
    /// Compares its files without its own git directory.
    private: SealedGit,
    /// Whether git converted files as it checked them out, so that some may seem to be changed from the start.
    converts: bool,
    /// The number of its directory in the file system; without a sandbox, an agent can put something else there.
    number: u64,
    /// Which commit of its records someone has judged.
    judged: Cell<Option<ObjectId>>,
    /// Tells other processes that it is in use.
    _lock: File,
}

impl Workplace {
    /// Its name among the workplaces of the repository.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether some of its files may seem to be changed, although nobody changed them.
    pub(crate) fn converts(&self) -> bool {
        self.converts
    }

    /// Notes its variables where nothing that runs in it can write, for a process that finds it after this one was killed.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn note_variables(&self, variables: &PlaceVariables) -> Result<(), WorkplaceError> {
        let path = self.files.join(VARIABLES);
        std::fs::write(&path, variables.line()).map_err(|source| WorkplaceError::write(&path, source))
    }

    /// Its variables, as far as they were noted.
    pub(crate) fn noted_variables(&self) -> Option<PlaceVariables> {
        PlaceVariables::noted(&self.files.join(VARIABLES))
    }

    /// Refuses a directory that someone put in its place: it may be the user's.
    ///
    /// # Errors
    /// If it is not the one that was made.
    pub(crate) fn refuse_exchanged(&self) -> Result<(), WorkplaceError> {
        open_place(&self.folder, self.number).map(drop)
    }

    /// Refuses to let git read its files if something else is in its place, or if git would wait for one of them.
    fn refuse_unreadable(&self) -> Result<(), WorkplaceError> {
        self.refuse_exchanged()?;
        refuse_pipes(&self.folder)
    }

    /// The last commit that was taken from it; the start if none was.
    pub(crate) fn tip(&self) -> ObjectId {
        self.tip
    }

    /// What its `HEAD` contained when it was made.
    fn head(&self) -> String {
        head(self.branch.as_ref(), self.start)
    }
}

/// Opens the directory of a workplace, unless something else is in its place. Device numbers are not compared: they may change when
/// the machine starts again.
fn open_place(folder: &Path, number: u64) -> Result<UntrustedDir, WorkplaceError> {
    let exchanged = || WorkplaceError::Exchanged(folder.to_owned());
    let found = UntrustedDir::open(folder).map_err(|_| exchanged())?;
    if found.number()? == number { Ok(found) } else { Err(exchanged()) }
}

/// Refuses files that git would wait for.
fn refuse_pipes(folder: &Path) -> Result<(), WorkplaceError> {
    match pipes::in_tree(folder).into_iter().next() {
        Some(path) => Err(Unreadable::Replaced { path, is: "a pipe" }.into()),
        None => Ok(()),
    }
}

/// The content of `HEAD`.
fn head(branch: Option<&Branch>, start: ObjectId) -> String {
    match branch {
        Some(branch) => format!("ref: {}\n", branch.as_str()),
        None => format!("{start}\n"),
    }
}
