//! What is known of runs without running them: their places on this machine, who drives them, their state.

pub(crate) mod asking;
pub(crate) mod driver;
pub(crate) mod paths;
pub(crate) mod view;
mod work_branch;
pub(crate) mod workplaces;

pub(crate) use work_branch::{branch_of_work, is_in};
