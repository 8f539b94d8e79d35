//! Whether completed work is on the branch on which it lands.

mod cache;
mod derive;
mod history;
pub(crate) mod target;

pub(crate) use cache::refresh;
pub(crate) use derive::{Asked, Question, derive, derive_each, derive_one, derive_one_without_trailers};
pub(crate) use history::standing_reverts;
