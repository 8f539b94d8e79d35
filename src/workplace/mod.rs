//! The places in which plans are executed and agents work: how they are made and prepared.
//!
//! A new worktree has what git tracks and nothing else. [`Preparation`] brings what a project needs besides: its
//! submodules, the ignored files that `.worktreeinclude` names, and what its setup commands make.
//!
//! An agent gets a [`Workplace`]: a clone of its own. What it hands in is checked like a push from a stranger.

mod clone;
mod copy;
mod include;
mod prepare;
pub(crate) mod sandbox;
mod settings;
mod slot;
mod submodules;
mod target;

pub(crate) use clone::{
    ChangedPath, HandIn, HandInLimits, HandedRef, KnownWorkplace, NewWorkplace, Workplace, beside, place,
};
pub(crate) use prepare::{FailedCommand, NewPlace, Preparation, PreparationError, Prepared, Source};
pub(crate) use sandbox::Confinement;
pub(crate) use slot::PlaceVariables;
pub(crate) use submodules::MissingSubmodule;
