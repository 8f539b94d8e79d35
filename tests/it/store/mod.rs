//! The ref: what git sees of it, what survives in it, where it works, and when nothing is written.

mod commits;
mod format;
mod places;
mod refusals;
