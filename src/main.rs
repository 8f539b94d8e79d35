//! `git-wf`: a git-native issue tracker that follows work from an issue, through a plan, to its commits.

mod hooks;
mod model;
mod store;
mod ui;

fn main() {}
