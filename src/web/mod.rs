//! The front end for browsers: a server on this machine, or an export as files.
//!
//! Every page is rendered from the results of operations, with a session per request. [`place`] has the addresses,
//! [`pages`] the content, [`forms`] the changes, and [`access`] the permissions.

#![expect(clippy::needless_pass_by_value, reason = "templates write values and `html! { … }` in place")]

mod access;
mod export;
mod forms;
mod layout;
mod live;
mod named;
mod pages;
mod parts;
mod place;
mod server;
mod view;

pub(crate) use export::export;
pub(crate) use server::{Listening, Server, Start};

use std::path::PathBuf;

use crate::git::Environment;
use crate::ops::{Progress, Refusal, Session};
use crate::store::{Acting, Store};

/// The store to show, and who acts.
#[derive(Clone)]
pub(crate) struct Source {
    /// The directory that the program was started in.
    pub(crate) folder: PathBuf,
    /// The environment of the process.
    pub(crate) environment: Environment,
    /// Who acts.
    pub(crate) acting: Acting,
}

impl Source {
    /// A new session.
    ///
    /// # Errors
    /// Any error from opening the store.
    fn session(&self) -> Result<Session, Refusal> {
        let store = Store::open(&self.folder, &self.environment)?.acting(self.acting.clone());
        Ok(Session::new(store, Box::new(Untold)))
    }
}

/// Ignores progress.
struct Untold;

impl Progress for Untold {
    fn at(&self, _: &'static str, _: usize, _: usize) {}

    fn count(&self, _: &'static str, _: u64, _: Option<u64>) {}

    fn end(&self) {}
}
