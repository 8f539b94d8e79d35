//! The front end for browsers: a server on this machine, or an export as files.
//!
//! Every page is rendered from the results of operations, with a session per request. [`place`] has the addresses,
//! [`pages`] the content, [`forms`] the changes, and [`access`] the permissions.
//!
//! `web/server/` accepts a bounded number of connections, and answers each request on a thread with its own session once
//! `web/access.rs` has identified the client. `web/place.rs` turns a path into a `Place`, and each link is written from
//! one, so whatever is linked can be opened. A file in `web/pages/` asks operations and returns markup. A form names one
//! operation (`web/forms/perform.rs`); a refusal is shown at its field. `web/live.rs` looks at the files of the ref
//! (`trail/watched.rs`), once for all open pages, which then reload; the script keeps unsaved input. `web/export.rs`
//! writes the same pages as files. Pictures are drawn by `ui/svg/`, also for the report of a run.

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
mod shown;
mod view;

pub(crate) use export::export;
pub(crate) use server::{Listening, StartServer, WebServer};

use std::path::PathBuf;

use crate::git::Environment;
use crate::ops::{NoProgress, Refusal, Session};
use crate::store::{Acting, Store};

/// The store to show, and who acts.
#[derive(Clone)]
pub(crate) struct WebSource {
    /// The directory that the program was started in.
    pub(crate) folder: PathBuf,
    /// The environment of the process.
    pub(crate) environment: Environment,
    /// Who acts.
    pub(crate) acting: Acting,
}

impl WebSource {
    /// A new session.
    ///
    /// # Errors
    /// Any error from opening the store.
    fn session(&self) -> Result<Session, Refusal> {
        let store = Store::open(&self.folder, &self.environment)?.acting(self.acting.clone());
        Ok(Session::new(store, Box::new(NoProgress)))
    }
}
