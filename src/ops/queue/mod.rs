//! The queue: bound plans in order of execution.

mod add;
mod base;
mod collisions;
mod conflicts;
mod dag;
mod decide;
mod declare;
#[cfg(feature = "web")]
mod drawn;
mod items;
mod merge;
mod order;
mod resolve;
mod show;
mod view;
mod world;

pub(crate) use add::{AddItems, QueueSelection, add, add_issue};
pub(crate) use base::{BaseCommit, ClaimBase, absent, note_absent, note_in_index};
pub(crate) use collisions::{CheckAnswer, CollisionSide, collisions};
pub(crate) use conflicts::{ConflictAnswer, conflicts};
pub(crate) use dag::{DagAnswer, dag};
pub(crate) use decide::{activate, archive, pause, prioritize, resume};
pub(crate) use declare::{ConflictInput, DeclareConflicts, Declared, declare};
#[cfg(feature = "web")]
pub(crate) use drawn::drawn;
pub(crate) use items::{HoldItems, Removed, hold, release, remove};
pub(crate) use merge::{MergeQueues, MergedQueue, merge};
pub(crate) use order::{OrderItem, order};
pub(crate) use resolve::{Decision, resolve};
pub(crate) use show::{
    ActiveQueues, active, active_ids, all_active, create, item_view, list, new, show, view,
};
pub(crate) use view::{AddedItem, ItemAnswer, QueueAnswer};
pub(crate) use world::{extend_facts, facts_of, in_index_of, item, item_in};

pub(crate) use crate::index::QueueWorld;
