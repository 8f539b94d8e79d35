//! Plans: adding, checking, binding, comparing and editing them.

mod add;
mod bad;
mod bind;
mod check;
mod diff;
mod quality;
mod replan;
mod tasks;
