//! `git-wf`: a git-native issue tracker that follows work from an issue, through a plan, to its commits.

mod agent;
mod cli;
mod hooks;
mod index;
mod interchange;
mod model;
mod rules;
mod store;
mod sync;
mod trail;
mod ui;

fn main() -> std::process::ExitCode {
    cli::main()
}
