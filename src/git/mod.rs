//! Everything about git: only this module names gix and runs `git`. It knows neither records nor the ref of the
//! store.

mod added_lines;
mod allowed_signers;
mod args;
mod aside;
mod below;
mod blame;
mod borrowing;
pub(crate) mod bounded;
mod changes;
mod commit;
mod config;
pub(crate) mod cores;
mod declared;
mod discover;
mod edit_tree;
mod environment;
mod error;
mod exact_changes;
pub(crate) mod fault;
mod fileless;
mod foreign_tree;
mod fsync;
mod hooks_place;
mod ignored;
mod kept;
mod landing;
mod loose;
mod maintenance;
pub(crate) mod make;
mod merge_again;
mod multi_index;
mod noted_tree;
mod object_batch;
pub(crate) mod pack;
mod packed;
mod parameters;
mod patch_ids;
mod patch_text;
mod people;
pub(crate) mod pipes;
mod process;
#[cfg(target_os = "linux")]
pub(crate) mod process_stat;
mod quarantine;
mod quoted;
mod refs;
mod remotes;
mod repository;
mod revisions;
mod sealed;
mod sealed_tree;
mod second_look;
mod settings;
mod shared;
mod sign;
mod signatures;
mod stoppable;
mod submodules;
mod transfer_progress;
mod transport;
pub(crate) mod tree_diff;
mod tree_merge;
pub(crate) mod trees;
mod walk;
mod withheld;
mod worktrees;
pub(crate) mod write_tree;

pub(crate) use added_lines::AddedLines;
use args::Args;
pub(crate) use aside::ScratchGit;
pub(crate) use below::{Missing, parent_below};
pub(crate) use commit::Commit;
pub(crate) use declared::{size_of_loose, size_of_pack};
pub(crate) use edit_tree::PathEdit;
pub(crate) use environment::Environment;
pub(crate) use error::{GitError, lock_file};
pub(crate) use exact_changes::ExactChange;
pub(crate) use fileless::is_same_place;
pub(crate) use foreign_tree::ForeignSettings;
pub(crate) use fsync::FsyncPart;
pub(crate) use gix::actor::Signature;
pub(crate) use gix::date::Time as Date;
pub(crate) use gix::hash::Kind as HashKind;
#[cfg(test)]
pub(crate) use gix::objs::TreeRef;
pub(crate) use gix::objs::tree::{Entry, EntryKind};
pub(crate) use gix::objs::{CommitRef, Kind, Tree, WriteTo, compute_hash as hash_object};
pub(crate) use gix::{Error as Fault, Object, ObjectId};
pub(crate) use hooks_place::{HooksOff, HooksPlace};
pub(crate) use landing::{CommitAuthor, NewCommit, OLDEST_TO_LAND, too_old_to_land};
pub(crate) use merge_again::{ChangedPaths, Joined, Remerge};
pub(crate) use object_batch::ObjectBatch;
pub(crate) use pack::PackWriter;
pub(crate) use patch_ids::PatchIdsByFile;
pub(crate) use people::{local_now, parse_date, parse_date_in_utc, parse_local_date, parse_signature};
#[cfg(test)]
pub(crate) use process::feed;
pub(crate) use process::{Git, clear_local_variables, git_version, is_local_variable, pager, wants_colour};
pub(crate) use quarantine::incoming;
pub(crate) use quoted::unquoted;
pub(crate) use refs::{RefMove, RefUpdate, checked_out_in, is_ref_name};
pub(crate) use repository::{Header, LinkedWorktree, Opener, Repository};
pub(crate) use revisions::Revisions;
pub(crate) use sealed::SealedGit;
pub(crate) use sealed_tree::{Committer, copy_index};
pub(crate) use settings::Config;
pub(crate) use shared::SharedMode;
pub(crate) use sign::{DetachedSignature, SignError};
pub(crate) use signatures::{CommitIdentity, SSH, SignatureStatus, SignatureVerdict};
pub(crate) use submodules::Submodule;
pub(crate) use transfer_progress::TransferStep;
pub(crate) use transfer_progress::TransferWatch;
pub(crate) use transport::{ExpectedRef, PushedRef, Transport, TransportReply};
pub(crate) use tree_diff::Difference;
pub(crate) use tree_merge::{MergeDriver, MergeGit, TreeConflict, TreeMerge};
pub(crate) use trees::EntryId;
pub(crate) use walk::Ancestors;
pub(crate) use withheld::Withheld;
pub(crate) use worktrees::BranchMerge;

/// The first digits of an object id, as shown to people.
pub(crate) fn short(id: ObjectId) -> String {
    id.to_hex_with_len(crate::model::hash::SHORT).to_string()
}
