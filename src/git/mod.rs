//! Everything about git: only this module names gix and runs `git`. It knows neither records nor the ref of the
//! store.

mod args;
pub(crate) mod bounded;
mod commit;
mod config;
mod discover;
mod error;
pub(crate) mod fault;
mod fsync;
mod loose;
mod maintenance;
pub(crate) mod make;
mod multi_index;
pub(crate) mod pack;
mod parameters;
mod people;
pub(crate) mod persist;
mod process;
mod quarantine;
mod refs;
mod remotes;
mod repository;
mod settings;
mod signatures;
pub(crate) mod tree_diff;
pub(crate) mod trees;
mod walk;
pub(crate) mod write_tree;

pub(crate) use args::Args;
pub(crate) use commit::Commit;
pub(crate) use error::GitError;
pub(crate) use gix::actor::Signature;
pub(crate) use gix::date::Time as Date;
pub(crate) use gix::hash::Kind as HashKind;
pub(crate) use gix::objs::tree::{Entry, EntryKind};
pub(crate) use gix::objs::{CommitRef, Kind, Tree, TreeRef, WriteTo, compute_hash as hash_object};
pub(crate) use gix::{Error as Fault, Object, ObjectId};
pub(crate) use people::{local_now, parse_date, parse_date_in_utc, parse_local_date, parse_signature};
pub(crate) use process::{Git, clear_local_variables, feed, pager};
pub(crate) use quarantine::incoming;
pub(crate) use refs::{RefMove, RefUpdate, checked_out_in, is_ref_name};
pub(crate) use repository::{Header, LinkedWorktree, Repository};
pub(crate) use settings::Config;
pub(crate) use signatures::{SSH, Verdict, Verified};
pub(crate) use walk::Ancestors;
