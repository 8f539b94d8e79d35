//! Commands on the store itself.

pub(in crate::cli) mod completions;
pub(in crate::cli) mod demo;
pub(in crate::cli) mod examples;
pub(in crate::cli) mod export;
pub(in crate::cli) mod export_ccw;
mod export_plans;
pub(in crate::cli) mod fsck;
pub(in crate::cli) mod help;
pub(in crate::cli) mod hook;
pub(in crate::cli) mod hooks;
pub(in crate::cli) mod import;
pub(in crate::cli) mod init;
pub(in crate::cli) mod manual_pages;
pub(in crate::cli) mod probe_sandbox;
pub(in crate::cli) mod redact;
pub(in crate::cli) mod redact_purge;
pub(in crate::cli) mod run_watched;
pub(in crate::cli) mod schema;
pub(in crate::cli) mod settings;
pub(in crate::cli) mod setup;
pub(in crate::cli) mod undo;
