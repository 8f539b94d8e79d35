//! Commands on plans.

pub(in crate::cli) mod feedback;
pub(in crate::cli) mod plan;
pub(in crate::cli) mod planning_context;
pub(in crate::cli) mod roadmap;
pub(in crate::cli) mod solutions;
pub(in crate::cli) mod task;
pub(in crate::cli) mod wisdom;
