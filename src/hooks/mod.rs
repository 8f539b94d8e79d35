//! What each git hook does. `ops::store::hooks` installs them.

mod amending;
pub(crate) mod commit_msg;
mod error;
pub(crate) mod guard;
pub(crate) mod message;
pub(crate) mod post_commit;
pub(crate) mod post_rewrite;
pub(crate) mod pre_push;
pub(crate) mod pre_receive;
mod rewritten;
pub(crate) mod role;
mod unbound;
mod verdict;

pub(crate) use error::HookError;
pub(crate) use verdict::HookVerdict;
