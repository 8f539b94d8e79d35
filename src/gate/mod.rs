//! What may enter a store or a branch.

mod evidence;
mod floor;
pub(crate) mod handed_branch;
pub(crate) mod handed_in;
pub(crate) mod push;
pub(crate) mod received;
pub(crate) mod signatures;
mod unbound;
