//! A sandbox in which `git` and `git-wf` run as on a fresh machine, with a clock that the test controls.

pub(crate) mod foreign;
mod plan;
mod published;
mod ran;
pub(crate) mod record;
mod repo;
mod sandbox;
mod screen;
mod store;
pub(crate) mod store_writer;
mod template;
mod terminal;
mod tests;
mod two;
mod work;

pub(crate) use plan::plan;
pub(crate) use published::Published;
pub(crate) use ran::{Ends, Ran};
pub(crate) use repo::Repo;
pub(crate) use sandbox::{START, Sandbox, USER_CONFIG};
pub(crate) use store::{REF, entry_id};
pub(crate) use two::Two;
pub(crate) use work::{column, plan_on, reasons};

/// Whether tests must run long enough to be thorough, instead of a short time: `WF_LONG=1`.
pub(crate) fn is_long() -> bool {
    std::env::var_os("WF_LONG").is_some_and(|value| value == "1")
}
