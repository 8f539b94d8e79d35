//! Commands on the work: claim an item, execute its plan, end the execution.

pub(in crate::cli) mod accept;
pub(in crate::cli) mod agents;
mod agents_setup;
pub(in crate::cli) mod detail;
pub(in crate::cli) mod done;
pub(in crate::cli) mod fail;
pub(in crate::cli) mod land;
pub(in crate::cli) mod lease;
pub(in crate::cli) mod mcp;
pub(in crate::cli) mod next;
pub(in crate::cli) mod prime;
pub(in crate::cli) mod retry;
pub(in crate::cli) mod run;
pub(in crate::cli) mod task_start;
pub(in crate::cli) mod verify;
pub(in crate::cli) mod vouch;
#[cfg(feature = "web")]
pub(in crate::cli) mod web;
