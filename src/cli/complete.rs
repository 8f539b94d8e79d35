//! Completion on the command line: a shell asks this program what could come next, through a script that
//! `completions` prints.

use std::ffi::OsStr;

use clap::builder::StyledStr;
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use super::Context;
use crate::ops::store::{self, IdKind};
use crate::ui::text::clean_line;

/// The variable in which the script names the shell that it runs in.
pub(super) const VARIABLE: &str = "WF_COMPLETE";
/// The name of the program in the script.
pub(super) const PROGRAM: &str = "git-wf";

/// Answers a shell that asks for completions. Returns whether one did.
///
/// # Errors
/// The shell is unknown, or its end of the pipe is closed.
pub(super) fn answer() -> Result<bool, clap::Error> {
    let current = std::env::current_dir().ok();
    CompleteEnv::with_factory(command)
        .var(VARIABLE)
        .bin(PROGRAM)
        .completer(PROGRAM)
        .try_complete(std::env::args_os(), current.as_deref())
}

fn command() -> clap::Command {
    let mut command = super::command();
    command.build();
    with_ids(command)
}

/// Completes each argument that takes an id.
fn with_ids(command: clap::Command) -> clap::Command {
    let with_ids_of = |arg: clap::Arg| match kind(&arg) {
        Some(kind) => arg.add(ArgValueCompleter::new(move |begin: &OsStr| candidates(kind, begin))),
        None => arg,
    };
    command.mut_args(with_ids_of).mut_subcommands(with_ids)
}

/// The records that the value of an argument names, from the name of the value in the help.
fn kind(arg: &clap::Arg) -> Option<IdKind> {
    let name = arg.get_value_names()?.first()?;
    // `--id` gives a new record its id.
    if arg.get_long() == Some("id") {
        return None;
    }
    match name.as_str() {
        "ISSUE" | "ISSUES" => Some(IdKind::Issue),
        "SOLUTION" | "SOLUTIONS" | "PLAN" => Some(IdKind::Plan),
        "ID" | "ISSUE|ITEM" => Some(IdKind::Record),
        "QUEUE" | "QUEUES" => Some(IdKind::Queue),
        "ITEM" | "ITEMS" => Some(IdKind::Item),
        _ => None,
    }
}

/// The ids in the store of the current directory that start with `begin`; empty if there is no store.
fn candidates(kind: IdKind, begin: &OsStr) -> Vec<CompletionCandidate> {
    let Some(begin) = begin.to_str() else { return vec![] };
    let Ok(session) = Context::new(true).session() else { return vec![] };
    let found = store::ids(&session, kind, begin).map(|done| done.view).unwrap_or_default();
    let candidate = |it: store::KnownId| {
        let title = clean_line(&it.title);
        CompletionCandidate::new(it.id).help(Some(StyledStr::from(title.to_string())))
    };
    found.into_iter().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_take_an_id_are_completed() {
        let command = command();
        let completed = |path: &[&str], arg: &str| {
            let of = path.iter().fold(&command, |command, name| command.find_subcommand(name).unwrap());
            of.get_arguments()
                .find(|it| it.get_id() == arg)
                .is_some_and(|it| it.get::<ArgValueCompleter>().is_some())
        };
        assert!(completed(&["show"], "id"));
        assert!(completed(&["close"], "id"));
        assert!(completed(&["bind"], "issue") && completed(&["bind"], "solution"));
        assert!(completed(&["queue", "pause"], "queues"));
        assert!(!completed(&["new"], "title") && !completed(&["new"], "id") && !completed(&["link"], "task"));
    }
}
