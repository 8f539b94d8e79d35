//! `git-wf`: a git-native issue tracker that follows work from an issue, through a plan, to its commits.
//!
//! A module may use those below it, never those above; `ARCHITECTURE.md` shows them in order. The program is
//! [`main`].

// Only `ui` writes to a terminal.
#![warn(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod agent;
mod board;
mod cli;
mod gate;
mod git;
mod hooks;
mod index;
mod interchange;
mod mcp;
mod model;
mod ops;
mod page;
mod process;
mod rules;
mod run;
mod store;
mod sync;
mod trail;
mod ui;
#[cfg(feature = "web")]
mod web;
mod workplace;

#[cfg(test)]
mod tests;

pub use cli::main;
