//! The work: claims on plans, carrying them out, ending them.

mod aside;
mod begin;
mod claim_view;
mod execution_view;
mod new_worktree;
mod own;
mod pick;
mod publish;
mod take;
mod unseen_claim;

pub(crate) use aside::set_aside;
pub(crate) use claim_view::Claim;
pub(crate) use execution_view::{CommitView, ExecutionView, executions, executions_within};
pub(crate) use own::{Own, notice_of_loss, own};
pub(crate) use publish::{confirm, publish, through, unbind_worktree, unpublished};
pub(crate) use take::{What, Wish, claim};
