//! A place where `git` and `git-wf` run as if on a fresh machine, with a clock that the test turns.

mod plan;
mod ran;
mod repo;
mod sandbox;
mod store;
pub(crate) mod store_writer;
mod work;

pub(crate) use plan::plan;
pub(crate) use ran::Ran;
pub(crate) use repo::Repo;
pub(crate) use sandbox::{START, Sandbox, USER_CONFIG};
pub(crate) use store::REF;
pub(crate) use work::{column, plan_on};
