//! The places in which plans are carried out: how they are prepared.
//!
//! A new worktree has what git tracks and nothing else. [`Preparation`] brings what a project needs besides: its
//! submodules, the ignored files that `.worktreeinclude` names, and what its setup commands make.

mod copy;
mod include;
mod prepare;
mod settings;
mod slot;
mod submodules;
mod target;

pub(crate) use prepare::{FailedCommand, Preparation, Prepared, Source, WorkplaceError};
pub(crate) use slot::PlaceVariables;
pub(crate) use submodules::MissingSubmodule;
