//! Plans: adding, checking, binding, comparing, reviewing and editing them, and what agents are given to make and follow them.

mod add;
mod bad;
mod bind;
mod by_hand;
mod check;
mod contexts;
mod diff;
mod feedback;
mod quality;
mod replan;
mod reviews;
pub(crate) mod roadmaps;
mod tasks;
mod wisdom;
