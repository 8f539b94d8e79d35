//! Runs: one pass of the workflow over several issues, driven by agents.

mod acp;
mod alone;
mod asked;
mod attempts;
mod clones;
mod committed;
mod exchanged;
mod explorers;
mod failures;
mod followed;
mod guards;
mod hostile;
mod interrupted;
mod live;
mod pair;
mod refs;
mod report;
mod said;
mod settings;
mod shown;
mod silent;
mod stopping;
mod together;
mod told;
mod users_tree;
mod world;
