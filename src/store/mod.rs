//! The ref: layout, snapshots, transactions, the merge of trees. Knows git, knows no command.

mod commits;
mod edit;
mod error;
pub(crate) mod fault;
pub(crate) mod fsck;
mod fsync;
pub(crate) mod git;
pub(crate) mod layout;
mod lock;
mod loose;
mod maintenance;
mod make;
mod merge;
mod parameters;
mod persist;
mod publish;
pub(crate) mod records;
pub(crate) mod redact;
mod remotes;
mod repo;
pub(crate) mod resolve;
mod root;
mod snapshot;
mod tree_diff;
mod trees;
mod tx;
mod unpublished;

pub(crate) use commits::CodeCommit;
pub(crate) use error::StoreError;
pub(crate) use merge::{EqualTrees, Merged};
pub(crate) use repo::{Store, object_id, one_line};
pub(crate) use snapshot::{LARGEST_RECORD, Read, Snapshot};
pub(crate) use tx::{Committed, Tx, random_uid};
pub(crate) use unpublished::Unpublished;
