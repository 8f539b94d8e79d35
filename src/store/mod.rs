//! The record tree on the ref. Knows git, but no command.
//!
//! - `layout`: where each record is, and what makes its file valid
//! - `snapshot`: reading one state, and comparing two
//! - `transaction`: writing: lock, changes, one commit, the move of the ref
//! - `merge`: joining two states
//! - `history`: the commits of the ref: what each of them did, and which of that no command does
//! - `redaction`: hiding values, and what a purge leaves of them
//! - `code`: the project's own commits and files

mod clock;
mod code;
mod error;
pub(crate) mod history;
pub(crate) mod layout;
pub(crate) mod merge;
mod quarantine;
pub(crate) mod redaction;
mod remotes;
mod repo;
mod root;
mod snapshot;
mod transaction;
mod worktrees;

pub(crate) use crate::git::ObjectId;
pub(crate) use crate::model::execution::MOST_FILES;
pub(crate) use clock::Clock;
pub(crate) use code::commits::CodeCommit;
#[cfg(feature = "web")]
pub(crate) use code::tree::CodeTree;
pub(crate) use dates::PeriodBound;
pub(crate) use error::{HeadSide, StoreError};
pub(crate) use history::commit_form::finding as ill_formed_commit;
pub(crate) use history::dates;
pub(crate) use history::identity_steps::{REDIRECTED, Rewritten};
pub(crate) use history::lineage::{Did, Lineage, Own, Wrote};
pub(crate) use history::origins::{HistoryFault, OriginJudge};
pub(crate) use history::shared_map::SharedMap;
pub(crate) use history::subjects::Subjects;
pub(crate) use history::tree_form::TreeCheck;
pub(crate) use history::{FileChange, HistoryLink, HistoryStep};
pub(crate) use layout::{Folder, Form, Location, LogKind, Owner, Sound};
pub(crate) use merge::{EqualTrees, Merged};
pub(crate) use redaction::aside::SetAside;
use redaction::cleared::Cleared;
pub(crate) use redaction::purge;
pub(crate) use redaction::purge::{Tracked, Unpurged};
pub(crate) use redaction::{Reach, RedactionCache, Redactions};
pub(crate) use repo::{DEFAULT_REF, Store, object_id, one_line};
pub(crate) use resolve::{KnownRecord, ResolveError};
pub(crate) use root::EMAIL as NEUTRAL_EMAIL;
pub(crate) use snapshot::find::AtPath;
pub(crate) use snapshot::walk::Visited;
pub(crate) use snapshot::{IssueSources, ReadState, Snapshot, read_blob};
pub(crate) use snapshot::{records, resolve};
pub(crate) use transaction::edit::new_bytes;
pub(crate) use transaction::identity::Acting;
pub(crate) use transaction::unpublished::{Offered, Unpublished};
pub(crate) use transaction::{Committed, FarFuture, Tx, random_uid};
