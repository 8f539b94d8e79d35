//! From plans to commits and back: what this worktree executes, links of commits and how lost ones are found, trace,
//! the log.

pub(crate) mod active;
pub(crate) mod audit;
pub(crate) mod binding;
pub(crate) mod blame;
pub(crate) mod claimed;
pub(crate) mod collisions;
mod copies;
pub(crate) mod exact_change;
pub(crate) mod hooked;
pub(crate) mod landed;
pub(crate) mod last_reset;
mod line_sum;
pub(crate) mod link_targets;
pub(crate) mod links;
pub(crate) mod log;
pub(crate) mod merges;
pub(crate) mod moment;
pub(crate) mod own_branch;
mod parts;
pub(crate) mod patch_id;
pub(crate) mod progress;
pub(crate) mod provenance;
pub(crate) mod reach;
pub(crate) mod rebase;
pub(crate) mod record_change;
pub(crate) mod record_words;
pub(crate) mod referred;
pub(crate) mod relink;
pub(crate) mod restored;
pub(crate) mod signed_checks;
pub(crate) mod sources;
pub(crate) mod trace;
pub(crate) mod trailers;
pub(crate) mod versions;
pub(crate) mod watched;
pub(crate) mod work;
